//! `serve`, and the forms of it with one listener: several sockets in one process, as mail servers, clients and a supervisor see them

use crate::daemon::{Daemon, connected, sent, signal};
use crate::proxy::{MESSAGE, next_hop};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::thread::{self, JoinHandle};

/// The program with these arguments, which runs as root where it is started by root.
fn mailglot(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mailglot"));
    command
        .args(&args[..1])
        .arg("--allow-root")
        .args(&args[1..]);
    command
}

/// A start that fails: its exit code, and what it says.
fn refused(args: &[&str]) -> (Option<i32>, String) {
    let out = mailglot(args).output().unwrap();
    (out.status.code(), String::from_utf8(out.stderr).unwrap())
}

/// Names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A next hop for one connection, and its address.
fn hop(hello: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    (
        format!("tcp:{}", listener.local_addr().unwrap()),
        next_hop(listener, hello),
    )
}

/// Greets a proxy, and gives the commands before a message.
fn begun(path: &Path, hello: &str) -> UnixStream {
    let mut client = UnixStream::connect(path).unwrap();
    let commands = format!(
        "{hello} c\r\nMAIL FROM:<a@b.invalid> BODY=8BITMIME\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n"
    );
    client.write_all(commands.as_bytes()).unwrap();
    client
}

/// Sends the message, and ends; the last reply about it.
fn ended(mut client: UnixStream) -> String {
    client.write_all(&[MESSAGE, b"QUIT\r\n"].concat()).unwrap();
    let mut said = String::new();
    client.read_to_string(&mut said).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.last(), Some(&"221 2.0.0 Bye"), "{said}");
    lines[lines.len() - 2].to_owned()
}

/// What the counters say.
fn counters(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A number of the counters.
fn counted(counters: &str, name: &str) -> u64 {
    let value = counters.lines().find_map(|line| line.strip_prefix(name));
    value
        .unwrap_or_else(|| unreachable!("{name} is not in {counters}"))
        .trim()
        .parse()
        .unwrap()
}

/// A milter, an SMTP proxy and an LMTP proxy run in one process. Each is in the middle of a message while a reload comes. They have one log, one
/// ledger, one set of counters and one end.
#[test]
fn milters_and_proxies_run_in_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let ((smtp, smtp_heard), (lmtp, lmtp_heard)) = (hop("EHLO"), hop("LHLO"));
    let write = |policy: &str| {
        let text = format!(
            "listen = [\n  {{ route = \"milter\", address = \"unix:{}\" }},\n  {{ route = \"smtp\", address = \"unix:{}\", next_hop = \"{smtp}\" }},\n  \
             {{ route = \"lmtp\", address = \"unix:{}\", next_hop = \"{lmtp}\" }},\n]\n\
             [policy.default]\nledger = \"{}\"\n{policy}\n[report]\nmetrics = \"127.0.0.1:0\"\n",
            place("milter"),
            place("smtp"),
            place("lmtp"),
            place("ledger")
        );
        fs::write(folder.path().join("file.toml"), text).unwrap();
    };
    write("");
    let mut daemon = Daemon::spawn(&mut mailglot(&["serve", "--config", &place("file.toml")]));
    for name in ["milter", "smtp", "lmtp"] {
        assert_eq!(daemon.line(), format!("listening at unix:{}", place(name)));
    }
    let metrics = daemon.line();
    let metrics = metrics.strip_prefix("metrics at ").unwrap();
    assert!(daemon.line().contains("milter_default_action"));
    // All connections are open at a time.
    let mut mta = connected(&folder.path().join("milter"));
    let by_smtp = begun(&folder.path().join("smtp"), "EHLO");
    let by_lmtp = begun(&folder.path().join("lmtp"), "LHLO");
    assert_eq!(sent(&mut mta), "mc");
    assert!(daemon.line().contains(" route=milter "));
    assert_eq!(ended(by_smtp), "250 2.0.0 Kept");
    let line = daemon.line();
    assert!(
        line.contains(" route=smtp ") && line.contains(" action=normalize "),
        "{line}"
    );
    // A policy that is read again holds for each listener, and for a message that has begun.
    write("monitor = true");
    signal(&daemon.child, "-HUP");
    assert_eq!(daemon.line(), "policies read anew");
    assert_eq!(ended(by_lmtp), "250 2.0.0 Kept");
    let line = daemon.line();
    assert!(
        line.contains(" route=lmtp ") && line.contains(" action=tag wanted=normalize "),
        "{line}"
    );
    assert_eq!(sent(&mut mta), "ic");
    assert!(daemon.line().contains(" action=tag wanted=normalize "));
    let heard = smtp_heard.join().unwrap();
    assert!(
        heard.contains("charset=utf-8\r\n") && heard.contains("\r\nGrüße\r\n"),
        "{heard}"
    );
    drop(lmtp_heard);
    let all = counters(metrics);
    for (route, action, count) in [
        ("milter", "normalize", 1),
        ("milter", "tag", 1),
        ("smtp", "normalize", 1),
        ("lmtp", "tag", 1),
    ] {
        let name = format!("mailglot_messages_total{{route=\"{route}\",action=\"{action}\"}}");
        assert_eq!(counted(&all, &name), count, "{all}");
    }
    assert_eq!(counted(&all, "mailglot_connections{route=\"milter\"}"), 1);
    assert!(counted(&all, "mailglot_ledger_bytes") > 100);
    assert_eq!(counted(&all, "mailglot_spool_bytes"), 0);
    drop(mta);
    assert_eq!(daemon.end("-TERM"), 0);
    assert_eq!(names(folder.path()), ["file.toml", "ledger"]);
}

/// If one step of a start fails, the program names it, ends, and leaves no socket behind.
#[test]
fn a_start_that_fails_takes_its_sockets_away() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file.toml");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().map(|address| (address, taken)).unwrap();
    let at = folder.path().display();
    let first = format!("{{ route = \"milter\", address = \"unix:{at}/first\" }}");
    let proxy = |address: &str| {
        format!("{{ route = \"smtp\", address = \"{address}\", next_hop = \"tcp:127.0.0.1:1\" }}")
    };
    for (text, word) in [
        (
            format!(
                "listen = [{first}, {}]\n",
                proxy(&format!("tcp:{}", taken.0))
            ),
            "in use",
        ),
        (
            format!(
                "listen = [{first}, {}]\n",
                proxy(&format!("unix:{at}/none/second"))
            ),
            "none/second: ",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let (code, said) = refused(&["serve", "--config", file.to_str().unwrap()]);
        assert!(code == Some(4) && said.contains(word), "{code:?} {said}");
        assert_eq!(names(folder.path()), ["file.toml"], "{said}");
    }
}

/// Another program that holds the port of the metrics stops no mail, and the counters are there once it ends.
///
/// The address is not 127.0.0.1, where another test could bind the free port first.
#[test]
fn mail_does_not_wait_for_the_port_of_the_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listen = format!("unix:{}", path.display());
    let taken = TcpListener::bind("127.0.0.2:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut daemon = Daemon::spawn(&mut mailglot(&[
        "milter",
        "--listen",
        &listen,
        "--metrics",
        &address,
    ]));
    assert_eq!(daemon.line(), format!("listening at {listen}"));
    assert_eq!(
        daemon.line(),
        format!("metrics: another program holds {address}; waiting for it")
    );
    drop(connected(&path));
    drop(taken);
    let answered = (0..600).any(|_| {
        thread::sleep(std::time::Duration::from_millis(50));
        TcpStream::connect(&address).is_ok()
    });
    assert!(answered, "nobody listens at {address}");
    let answer = counters(&address);
    assert!(answer.contains("mailglot_connections"), "{answer}");
    assert_eq!(daemon.end("-TERM"), 0);
}

#[test]
fn a_configuration_is_checked_without_listening() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file.toml");
    let path = file.to_str().unwrap();
    let at = folder.path().display();
    let text = format!(
        "listen = [{{ route = \"milter\", address = \"unix:{at}/a\" }}, \
         {{ route = \"lmtp\", address = \"unix:{at}/b\", next_hop = \"unix:{at}/c\" }}]\n"
    );
    for (more, code, word) in [
        ("", 0, "configuration valid: 2 listeners"),
        ("[limits]\nconnections = 0\n", 78, "limits.connections"),
        ("[limits]\nspool_dir = \"/no/such\"\n", 1, "/no/such"),
        ("colour = \"red\"\n", 78, "colour"),
    ] {
        let keys = if more.starts_with('[') {
            format!("{text}{more}")
        } else {
            format!("{more}{text}")
        };
        fs::write(&file, keys).unwrap();
        let (ended, said) = refused(&["serve", "--check-config", "--config", path]);
        assert!(
            ended == Some(code) && said.contains(word),
            "{more}: {ended:?} {said}"
        );
        assert_eq!(names(folder.path()), ["file.toml"]);
    }
    let (code, said) = refused(&["serve"]);
    assert!(
        code == Some(1) && said.contains("--config <FILE>"),
        "{said}"
    );
    let (code, said) = refused(&["serve", "--config", "/no/such/file.toml"]);
    assert!(
        code == Some(1) && said.contains("/no/such/file.toml: no such file"),
        "{said}"
    );
}

/// The options of one listener do what the keys of a file do.
#[test]
fn a_milter_without_a_file_has_policy_ledger_limits_log_and_counters() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(folder.path().join("spool")).unwrap();
    let listen = format!("unix:{}", place("socket"));
    let args = [
        "milter",
        "--listen",
        &listen,
        "--metrics",
        "127.0.0.1:0",
        "--log",
        "json",
    ];
    let kept = [
        "--ledger",
        &place("ledger"),
        "--ledger-days",
        "7",
        "--connections",
        "1",
    ];
    let bounds = ["--message-bytes", "60", "--spool-dir", &place("spool")];
    let mut daemon = Daemon::spawn(&mut mailglot(&[&args[..], &kept, &bounds].concat()));
    assert_eq!(daemon.json_text(), format!("listening at {listen}"));
    let metrics = daemon.json_text();
    let metrics = metrics.strip_prefix("metrics at ").unwrap();
    daemon.line();
    let mut mta = connected(&folder.path().join("socket"));
    assert_eq!(sent(&mut mta), "mc");
    let line = daemon.line();
    assert!(
        line.starts_with('{') && line.contains("\"ledger\":"),
        "{line}"
    );
    assert!(counted(&counters(metrics), "mailglot_ledger_bytes") > 100);
    // One connection is served, the next one deferred.
    let mut second = connected(&folder.path().join("socket"));
    second.write_all(b"\0\0\0\x09Cclient\0U").unwrap();
    let mut answer = [0; 5];
    second.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"\0\0\0\x01t");
    assert!(daemon.line().contains("\"fault\":\"connections\""));
    signal(&daemon.child, "-HUP");
    assert_eq!(daemon.json_text(), "there is no file to be read anew");
    drop((mta, second));
    assert_eq!(daemon.end("-TERM"), 0);
    assert_eq!(names(folder.path()), ["ledger", "spool"]);
    // A policy by its name.
    let mut daemon = Daemon::spawn(&mut mailglot(&[
        "milter", "--listen", &listen, "--policy", "monitor",
    ]));
    (0..2).for_each(|_| drop(daemon.line()));
    assert_eq!(sent(&mut connected(&folder.path().join("socket"))), "ic");
    assert_eq!(daemon.end("-TERM"), 0);
}

#[test]
fn a_proxy_without_a_file_has_policy_ledger_limits_log_and_counters() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (next, heard) = hop("EHLO");
    let listen = format!("unix:{}", place("socket"));
    let args = [
        "proxy",
        "--listen",
        &listen,
        "--next-hop",
        &next,
        "--metrics",
        "127.0.0.1:0",
        "--log",
        "json",
    ];
    let kept = ["--ledger", &place("ledger"), "--connections", "1"];
    let mut daemon = Daemon::spawn(&mut mailglot(&[&args[..], &kept].concat()));
    assert_eq!(daemon.json_text(), format!("listening at {listen}"));
    let metrics = daemon.json_text();
    let metrics = metrics.strip_prefix("metrics at ").unwrap();
    let client = begun(&folder.path().join("socket"), "EHLO");
    // The first connection is counted once it is greeted.
    let mut greeting = BufReader::new(client.try_clone().unwrap());
    let mut said = String::new();
    while !said.starts_with("354 ") {
        said.clear();
        greeting.read_line(&mut said).unwrap();
    }
    let mut second = BufReader::new(UnixStream::connect(folder.path().join("socket")).unwrap());
    said.clear();
    second.read_line(&mut said).unwrap();
    assert_eq!(said, "421 4.3.2 Too many connections\r\n");
    assert!(daemon.line().contains("\"fault\":\"connections\""));
    assert_eq!(ended(client), "250 2.0.0 Kept");
    let line = daemon.line();
    assert!(
        line.contains("\"route\":\"smtp\"") && line.contains("\"ledger\":"),
        "{line}"
    );
    let all = counters(metrics);
    assert_eq!(
        counted(
            &all,
            "mailglot_messages_total{route=\"smtp\",action=\"normalize\"}"
        ),
        1
    );
    assert!(counted(&all, "mailglot_ledger_bytes") > 100);
    assert!(heard.join().unwrap().contains("charset=utf-8\r\n"));
    assert_eq!(daemon.end("-TERM"), 0);
    assert_eq!(names(folder.path()), ["ledger"]);
}

/// Started as root, each form changes the user before it listens.
#[test]
fn each_form_runs_as_another_user() {
    let folder = tempfile::tempdir().unwrap();
    if fs::metadata(folder.path()).unwrap().uid() != 0 {
        println!("this needs root: not tried");
        return;
    }
    let nobody = mailglot_gateway::config::user("nobody").unwrap().0;
    let run = folder.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::chown(&run, Some(nobody), None).unwrap();
    // The build may lie where nobody else can reach it.
    let program = folder.path().join("mailglot");
    fs::copy(env!("CARGO_BIN_EXE_mailglot"), &program).unwrap();
    let listen = format!("unix:{}/socket", run.display());
    let file = folder.path().join("file.toml");
    fs::write(
        &file,
        format!("user = \"nobody\"\nlisten = [{{ route = \"milter\", address = \"{listen}\" }}]\n"),
    )
    .unwrap();
    let config = file.to_str().unwrap();
    for args in [
        &["serve", "--config", config][..],
        &["milter", "--config", config],
        &[
            "milter", "--listen", &listen, "--user", "nobody", "--group", "mail", "--mode", "0620",
        ],
        &[
            "proxy",
            "--listen",
            &listen,
            "--next-hop",
            "tcp:127.0.0.1:1",
            "--user",
            "nobody",
            "--group",
            "mail",
        ],
    ] {
        let mut daemon = Daemon::spawn(Command::new(&program).args(args));
        assert_eq!(daemon.line(), format!("listening at {listen}"), "{args:?}");
        let status = fs::read_to_string(format!("/proc/{}/status", daemon.child.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("Uid:"))
            .unwrap();
        let users: Vec<_> = line.split_whitespace().collect();
        assert_eq!(users, vec![nobody.to_string(); 4], "{args:?}");
        let socket = fs::metadata(run.join("socket")).unwrap();
        let mode = if args.contains(&"0620") { 0o620 } else { 0o660 };
        assert_eq!(
            (socket.uid(), socket.mode() & 0o777),
            (nobody, mode),
            "{args:?}"
        );
        // Debian's group `mail` has a number of its own everywhere.
        assert_eq!(socket.gid() == 8, args.contains(&"mail"), "{args:?}");
        assert_eq!(daemon.end("-TERM"), 0);
        assert_eq!(names(&run), [] as [&str; 0]);
    }
    let (code, said) = refused(&["milter", "--listen", &listen, "--user", "no-such-user"]);
    assert!(
        code == Some(1) && said.contains("no user `no-such-user`"),
        "{said}"
    );
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let listen = format!("unix:{}", folder.path().join("socket").display());
    let milter = ["milter", "--listen", &listen];
    let proxy = [
        "proxy",
        "--listen",
        &listen,
        "--next-hop",
        "tcp:127.0.0.1:1",
    ];
    for (args, word) in [
        (
            &["--policy", "own"][..],
            "[possible values: default, strict, monitor]",
        ),
        (&["--ledger-days", "3"], "--ledger <DIR>"),
        (&["--connections", "0"], "connections"),
        (&["--connections", "9000"], "connections"),
        (&["--message-bytes", "0"], "message_bytes"),
        (&["--metrics", "192.0.2.1:9180"], "loopback"),
        (&["--metrics", "9180"], "metrics"),
        (&["--log", "xml"], "xml"),
        (&["--mode", "rw"], "mode"),
        (&["--group", "no-such-group"], "no-such-group"),
        (&["--spool-dir", "/no/such"], "/no/such"),
    ] {
        for form in [&milter[..], &proxy] {
            let (code, said) = refused(&[form, args].concat());
            assert!(
                code == Some(1) && said.contains(word),
                "{form:?} {args:?}: {code:?} {said}"
            );
            assert_eq!(names(folder.path()), [] as [&str; 0]);
        }
    }
    // A file has its own keys for these.
    for args in [
        &["--policy", "strict"][..],
        &["--user", "nobody"],
        &["--log", "json"],
    ] {
        let (code, said) = refused(&[&["milter", "--config", "/no/such.toml"], args].concat());
        assert!(
            code == Some(1) && said.contains("cannot be used with"),
            "{args:?}: {said}"
        );
    }
}

/// Connections that are served while others come and go: each listener has its own, and none waits for another one.
#[test]
fn listeners_do_not_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let file = folder.path().join("file.toml");
    // Nobody is at the next hop's place, and nobody accepts at the other one's.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let text = format!(
        "listen = [{{ route = \"milter\", address = \"unix:{at}/milter\" }}, \
         {{ route = \"smtp\", address = \"unix:{at}/one\", next_hop = \"unix:{at}/nobody\" }}, \
         {{ route = \"smtp\", address = \"unix:{at}/other\", next_hop = \"tcp:{}\" }}]\n[limits]\nconnections = 4\ndrain_seconds = 1\n",
        silent.local_addr().unwrap()
    );
    fs::write(&file, text).unwrap();
    let mut daemon = Daemon::spawn(&mut mailglot(&[
        "serve",
        "--config",
        file.to_str().unwrap(),
    ]));
    (0..4).for_each(|_| drop(daemon.line()));
    let waiting: Vec<_> = (0..4)
        .map(|_| UnixStream::connect(folder.path().join("other")).unwrap())
        .collect();
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let path = folder.path().join("milter");
            thread::spawn(move || {
                let mut mta = connected(&path);
                (0..50).for_each(|_| assert_eq!(sent(&mut mta), "mc"));
            })
        })
        .collect();
    let mut lost = String::new();
    UnixStream::connect(folder.path().join("one"))
        .unwrap()
        .read_to_string(&mut lost)
        .unwrap();
    assert_eq!(lost, "421 4.3.0 The next hop is not available\r\n");
    for client in clients {
        client.join().unwrap();
    }
    let (mut messages, mut faults) = (0, Vec::new());
    while messages < 200 || faults.len() < 2 {
        let line = daemon.line();
        if line.starts_with("msg=") && line.contains(" route=milter ") {
            messages += 1;
        } else {
            faults.push(line);
        }
    }
    assert!(
        faults[0].starts_with("fault=\"connect (") && faults[1].starts_with("fault=next-hop-lost "),
        "{faults:?}"
    );
    drop(waiting);
    assert_eq!(daemon.end("-TERM"), 0);
    assert_eq!(names(folder.path()), ["file.toml"]);
}
