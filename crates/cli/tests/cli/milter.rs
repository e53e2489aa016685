//! `milter`: the daemon as a supervisor of services and a mail server see it

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A packet of the protocol.
pub(crate) fn packet(command: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len() + 1).unwrap();
    [&length.to_be_bytes()[..], &[command], data].concat()
}

/// The next packet that came back.
pub(crate) fn answer(stream: &mut UnixStream) -> (u8, Vec<u8>) {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut bytes = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut bytes).unwrap();
    (bytes[0], bytes[1..].to_vec())
}

/// A running daemon, and the lines that it says.
pub(crate) struct Daemon {
    pub(crate) child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStderr>>,
}

impl Daemon {
    fn start(args: &[&str]) -> Self {
        Self::spawn(
            Command::new(env!("CARGO_BIN_EXE_mailglot"))
                .args(["milter", "--allow-root"])
                .args(args),
        )
    }

    /// Whatever command it is that becomes the daemon.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    pub(crate) fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// Asks for the end; the exit code.
    pub(crate) fn end(mut self, signal: &str) -> i32 {
        self::signal(&self.child, signal);
        self.child.wait().unwrap().code().unwrap()
    }
}

pub(crate) fn signal(child: &Child, name: &str) {
    let asked = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(asked.success());
}

pub(crate) fn connected(path: &Path) -> UnixStream {
    let mut stream = UnixStream::connect(path).unwrap();
    stream
        .write_all(&packet(
            b'O',
            &[6_u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat(),
        ))
        .unwrap();
    assert_eq!(answer(&mut stream).0, b'O');
    stream
}

#[test]
fn a_message_goes_through_and_signals_end_it() {
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let address = format!("unix:{}", path.display());
        let mut daemon = Daemon::start(&["--listen", &address]);
        assert_eq!(daemon.line(), format!("listening at {address}"));
        assert!(daemon.line().contains("milter_default_action"));
        let mut stream = connected(&path);
        let message = [
            packet(b'M', b"<a b@example.org>\0"),
            packet(b'R', b"<c@example.org>\0"),
            packet(b'D', b"Ni\x004F2\0"),
            packet(b'L', b"Subject\0 =?iso-8859-1?Q?=FC?=\0"),
            packet(b'N', b""),
            packet(b'E', b""),
        ];
        stream.write_all(&message.concat()).unwrap();
        assert_eq!(
            answer(&mut stream),
            (b'm', b"\0\0\0\x01Subject\0 =?UTF-8?B?w7w=?=\0".to_vec())
        );
        assert_eq!(answer(&mut stream), (b'c', Vec::new()));
        let line = daemon.line();
        assert!(
            line.starts_with("msg=4F2 route=milter peer=\"\" from=\"<a b@example.org>\" to=<c@example.org> rcpts=1 message-id=\"\" in=33 out=")
                && line.contains(" action=normalize "),
            "{line}"
        );
        stream.write_all(&packet(b'z', b"")).unwrap();
        assert!(daemon.line().starts_with("fault=\"unknown-command"));
        assert_eq!(daemon.end(signal), 0);
        assert!(!path.exists());
    }
}

/// A log that nobody reads fills its pipe: mail flows on, a reload is heard, the end comes; and who reads again has every line.
#[test]
fn a_log_that_nobody_reads_holds_nothing_up() {
    const MESSAGES: usize = 1_000;
    let long = "q".repeat(200);
    for read in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let mut daemon = Daemon::start(&["--listen", &format!("unix:{}", path.display())]);
        (0..2).for_each(|_| drop(daemon.line()));
        let start = Instant::now();
        // A connection whose log does not go on must not be the only one that is served.
        let senders: Vec<_> = (0..4)
            .map(|_| {
                let mut stream = connected(&path);
                let macros = packet(b'D', format!("Mi\0{long}\0").as_bytes());
                thread::spawn(move || {
                    for _ in 0..MESSAGES / 4 {
                        let message = [&macros[..], &packet(b'M', b"<a>\0"), &packet(b'E', b"")];
                        stream.write_all(&message.concat()).unwrap();
                        assert_eq!(answer(&mut stream).0, b'c');
                    }
                })
            })
            .collect();
        for sender in senders {
            sender.join().unwrap();
        }
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{:?}",
            start.elapsed()
        );
        signal(&daemon.child, "-HUP");
        if read {
            let lines: Vec<String> = (0..MESSAGES).map(|_| daemon.line()).collect();
            assert!(
                lines
                    .iter()
                    .all(|line| line.starts_with(&format!("msg={long} ")) && line.contains(" ms="))
            );
            assert_eq!(daemon.line(), "there is no file to be read anew");
        }
        let start = Instant::now();
        assert_eq!(daemon.end("-TERM"), 0);
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            start.elapsed()
        );
    }
}

/// The soft bound of descriptors is raised; where the hard one is too low for the limits, that is said.
#[test]
fn descriptors_are_as_many_as_may_be() {
    for (bound, enough) in [
        ("ulimit -Sn 64; ulimit -Hn 4096", true),
        ("ulimit -n 100", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("unix:{}", folder.path().join("socket").display());
        let run = format!("{bound}; exec \"$0\" milter --allow-root --listen {address}");
        let mut daemon =
            Daemon::spawn(Command::new("bash").args(["-c", &run, env!("CARGO_BIN_EXE_mailglot")]));
        if !enough {
            let line = daemon.line();
            assert!(
                line.contains("may open 100 files") && line.contains("may need 2064"),
                "{line}"
            );
        }
        assert!(daemon.line().starts_with("listening at"));
        let limits =
            std::fs::read_to_string(format!("/proc/{}/limits", daemon.child.id())).unwrap();
        let line = limits
            .lines()
            .find(|line| line.starts_with("Max open files"))
            .unwrap();
        let bounds: Vec<&str> = line.split_whitespace().skip(3).take(2).collect();
        assert_eq!(
            bounds,
            if enough {
                ["4096", "4096"]
            } else {
                ["100", "100"]
            }
        );
        assert_eq!(daemon.end("-TERM"), 0);
    }
}

#[test]
fn a_place_that_cannot_be_taken_is_said() {
    let mut daemon = Daemon::start(&["--listen", "unix:/no/such/folder/socket"]);
    assert!(daemon.line().contains("unix:/no/such/folder/socket: "));
    assert_eq!(daemon.child.wait().unwrap().code(), Some(4));
}

/// A file with a milter at the address and what else it says.
fn configured(folder: &Path, policy: &str) -> String {
    let path = folder.join("mailglot.toml");
    let socket = folder.join("socket");
    let text = format!(
        "listen = [{{ route = \"milter\", address = \"unix:{}\", policy = \"own\" }}]\n[policy.own]\n{policy}\n",
        socket.display()
    );
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Sends a message with text in Latin-1; the letters that come back.
pub(crate) fn sent(stream: &mut UnixStream) -> String {
    let message = [
        packet(b'M', b"<a@example.org>\0"),
        packet(b'L', b"Subject\0 =?iso-8859-1?Q?=FC?=\0"),
        packet(b'N', b""),
        packet(b'E', b""),
    ];
    stream.write_all(&message.concat()).unwrap();
    let mut letters = String::new();
    while !letters.ends_with(['c', 't', 'y', 'r']) {
        letters.push(char::from(answer(stream).0));
    }
    stream.write_all(&packet(b'A', b"")).unwrap();
    letters
}

#[test]
fn a_file_decides_and_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = configured(folder.path(), "");
    let mut daemon = Daemon::start(&["--config", &file]);
    assert!(daemon.line().starts_with("listening at"));
    daemon.line();
    let mut stream = connected(&folder.path().join("socket"));
    assert_eq!(sent(&mut stream), "mc");
    assert!(daemon.line().ends_with("policy=own"));
    let hang_up = |daemon: &Daemon| {
        Command::new("kill")
            .args(["-HUP", &daemon.child.id().to_string()])
            .status()
            .unwrap();
    };
    configured(folder.path(), "monitor = true");
    hang_up(&daemon);
    assert!(daemon.line().contains("read anew"));
    assert_eq!(sent(&mut stream), "ic");
    let line = daemon.line();
    assert!(
        line.contains(" action=tag wanted=normalize ") && line.ends_with("policy=own"),
        "{line}"
    );
    configured(folder.path(), "monitor = perhaps");
    hang_up(&daemon);
    // What the parser of the file says has lines of its own.
    while !daemon.line().contains("stays") {}
    assert_eq!(sent(&mut stream), "ic", "a wrong file changes nothing");
    daemon.line();
    drop(stream);
    assert_eq!(daemon.end("-TERM"), 0);
}

/// All listeners take what a file says, or none does; and what a running daemon cannot do is named.
#[test]
fn a_reload_is_whole_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let write = |one: &str, other: &str, more: &str| {
        let text = format!(
            "listen = [\n  {{ route = \"milter\", address = \"unix:{}\", policy = \"one\" }},\n  {{ route = \"milter\", address = \"unix:{}\", policy = \"other\" }},\n]\n\
             [policy.one]\n{one}\n[policy.other]\n{other}\n{more}\n",
            place("one"),
            place("other")
        );
        std::fs::write(folder.path().join("file.toml"), text).unwrap();
    };
    write("", "", "[limits]\nfields = 100");
    let mut daemon = Daemon::start(&["--config", &place("file.toml")]);
    (0..3).for_each(|_| drop(daemon.line()));
    let hang_up = |daemon: &Daemon| {
        Command::new("kill")
            .args(["-HUP", &daemon.child.id().to_string()])
            .status()
            .unwrap();
    };
    let ledger = format!("monitor = true\nledger = \"{}\"", place("ledger"));
    for (one, other, more, named) in [
        (
            "monitor = true",
            ledger.as_str(),
            "[limits]\nfields = 100",
            vec!["other: ledger"],
        ),
        (
            "monitor = true",
            "",
            "[limits]\nfields = 1",
            vec!["mailglot: limits.fields: another value"],
        ),
    ] {
        write(one, other, more);
        hang_up(&daemon);
        for named in named {
            let line = daemon.line();
            assert!(
                line.contains(named) && line.ends_with("; this needs a restart"),
                "{line}"
            );
        }
        assert!(daemon.line().contains("nothing was read anew"));
        for name in ["one", "other"] {
            assert_eq!(
                sent(&mut connected(&folder.path().join(name))),
                "mc",
                "{name}"
            );
            assert!(daemon.line().contains(" action=normalize "));
        }
    }
    write("monitor = true", "monitor = true", "[limits]\nfields = 100");
    hang_up(&daemon);
    assert!(daemon.line().contains("read anew"));
    for name in ["one", "other"] {
        assert_eq!(
            sent(&mut connected(&folder.path().join(name))),
            "ic",
            "{name}"
        );
        daemon.line();
    }
    assert_eq!(daemon.end("-TERM"), 0);
}

#[test]
fn another_address_leaves_the_other_listeners() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let file = place("file.toml");
    let text = format!(
        "[[listen]]\nroute = \"smtp\"\naddress = \"unix:{}\"\nnext_hop = \"unix:/none\"\n\
         [[listen]]\nroute = \"milter\"\naddress = \"unix:{}\"\npolicy = \"monitor\"\n",
        place("smtp"),
        place("first")
    );
    std::fs::write(&file, &text).unwrap();
    let mut daemon = Daemon::start(&[
        "--config",
        &file,
        "--listen",
        &format!("unix:{}", place("socket")),
    ]);
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", place("smtp"))
    );
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", place("socket"))
    );
    daemon.line();
    assert_eq!(
        sent(&mut connected(&folder.path().join("socket"))),
        "ic",
        "the policy is that of the file"
    );
    assert!(!folder.path().join("first").exists());
    assert_eq!(daemon.end("-TERM"), 0);
    let refused = |address: &str, word: &str| {
        let mut daemon = Daemon::start(&["--config", &file, "--listen", address]);
        let line = daemon.line();
        assert!(line.contains(word), "{line}");
        assert_eq!(daemon.child.wait().unwrap().code(), Some(1));
    };
    refused(&format!("unix:{}", place("smtp")), "listens there already");
    std::fs::write(
        &file,
        text.split("[[listen]]\nroute = \"milter\"").next().unwrap(),
    )
    .unwrap();
    refused("tcp:127.0.0.1:0", "no milter");
}

#[test]
fn files_are_checked_without_listening() {
    let folder = tempfile::tempdir().unwrap();
    let file = configured(folder.path(), "actions = { bare-lf = \"reject\" }");
    let mut daemon = Daemon::start(&["--check-config", "--config", &file]);
    assert!(daemon.line().contains("right"));
    assert_eq!(daemon.child.wait().unwrap().code(), Some(0));
    let file = configured(folder.path(), "actions = { bare-lf = \"drop\" }");
    let mut daemon = Daemon::start(&["--check-config", "--config", &file]);
    assert!(daemon.line().contains("no action `drop`"));
    assert_eq!(daemon.child.wait().unwrap().code(), Some(1));
}

/// A spool that is not there would defer each long message; a daemon does not begin with that.
#[test]
fn folders_that_cannot_be_used_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = configured(folder.path(), "[limits]\nspool_dir = \"/no/such\"");
    for args in [
        &["--config", &file][..],
        &["--config", &file, "--check-config"],
    ] {
        let mut daemon = Daemon::start(args);
        let line = daemon.line();
        assert!(
            line.contains("limits.spool_dir: /no/such: No such file"),
            "{line}"
        );
    }
}

#[test]
fn one_file_runs_every_route_with_ledgers_and_counters() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let text = format!(
        "listen = [\n  {{ route = \"milter\", address = \"unix:{}\" }},\n  {{ route = \"smtp\", address = \"unix:{}\", next_hop = \"unix:{}\" }},\n]\n\
         [policy.default]\nledger = \"{}\"\n[report]\nlog = \"json\"\nmetrics = \"127.0.0.1:0\"\n",
        place("socket"),
        place("smtp"),
        place("hop"),
        place("ledger")
    );
    std::fs::write(folder.path().join("file.toml"), text).unwrap();
    let mut daemon = Daemon::start(&["--config", &place("file.toml")]);
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", place("socket"))
    );
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", place("smtp"))
    );
    let metrics = daemon.line();
    let metrics = metrics.strip_prefix("metrics at ").unwrap();
    daemon.line();
    assert_eq!(sent(&mut connected(&folder.path().join("socket"))), "mc");
    let line = daemon.line();
    assert!(
        line.starts_with('{') && line.contains("\"ledger\":"),
        "{line}"
    );
    let kept: Vec<_> = std::fs::read_dir(folder.path().join("ledger"))
        .unwrap()
        .collect();
    assert_eq!(kept.len(), 1);
    let mut stream = std::net::TcpStream::connect(metrics).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let counted = "mailglot_messages_total{route=\"milter\",action=\"normalize\"} 1";
    assert!(answer.contains(counted), "{answer}");
    let measured = |name: &str| {
        let value = answer
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        value.trim().parse::<u64>().unwrap()
    };
    assert!(measured("mailglot_ledger_bytes") > 100, "{answer}");
    assert_eq!(
        (
            measured("mailglot_spool_bytes"),
            measured("mailglot_connections{route=\"smtp\"}")
        ),
        (0, 0)
    );
    assert!(UnixStream::connect(folder.path().join("smtp")).is_ok());
    assert_eq!(daemon.end("-TERM"), 0);
}

#[test]
fn a_supervisor_hands_its_socket_on_and_is_told() {
    use std::os::unix::net::UnixDatagram;
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let file = configured(folder.path(), "");
    let notices = folder.path().join("notices");
    let ear = UnixDatagram::bind(&notices).unwrap();
    ear.set_read_timeout(Some(std::time::Duration::from_secs(20)))
        .unwrap();
    let heard = || {
        let mut bytes = [0; 200];
        let count = ear.recv(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    };
    // A process hands descriptor 3 on only where it makes it itself: a few lines of a language that every system has.
    let script = "use Socket; my ($path, @program) = @ARGV; $^F = 9; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; \
        bind($s, pack_sockaddr_un($path)) or die; listen($s, 9) or die; \
        use POSIX (); POSIX::dup2(fileno($s), 3) if fileno($s) != 3; \
        $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_PID} = $$; exec(@program) or die";
    let mut command = Command::new("perl");
    command
        .args(["-e", script])
        .arg(&socket)
        .args([
            env!("CARGO_BIN_EXE_mailglot"),
            "milter",
            "--allow-root",
            "--config",
            &file,
        ])
        .env("NOTIFY_SOCKET", &notices)
        .env("WATCHDOG_USEC", "1000000");
    let mut daemon = Daemon::spawn(&mut command);
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", socket.display())
    );
    assert_eq!(heard().trim(), "READY=1");
    assert_eq!(sent(&mut connected(&socket)), "mc");
    assert_eq!(heard().trim(), "WATCHDOG=1");
    Command::new("kill")
        .args(["-HUP", &daemon.child.id().to_string()])
        .status()
        .unwrap();
    let mut said = heard();
    while said.trim() == "WATCHDOG=1" {
        said = heard();
    }
    assert!(said.starts_with("RELOADING=1\nMONOTONIC_USEC="), "{said}");
    assert_eq!(heard().trim(), "READY=1");
    assert_eq!(daemon.end("-TERM"), 0);
    assert!(socket.exists(), "a socket of the supervisor outlives us");
}

#[test]
fn settings_of_a_server_are_looked_at() {
    use crate::sandbox::Sandbox;
    let sandbox = Sandbox::new();
    let good = b"milter_default_action = tempfail\nsmtpd_forbid_bare_newline = normalize\nsmtpd_milters = unix:/run/mailglot/a\nnon_smtpd_milters = $smtpd_milters\n";
    sandbox.pipe(&["check-mta"], good).ended(0);
    let bad = b"milter_default_action = accept\nsmtpd_forbid_bare_newline = no\n";
    let run = sandbox.pipe(&["check-mta"], bad).ended(1);
    assert!(
        run.text().contains("tempfail") && run.text().contains("normalize"),
        "{}",
        run.text()
    );
    sandbox.pipe(&["check-mta"], b"").ended(2);
    let over_tcp = b"milter_default_action = tempfail\nsmtpd_forbid_bare_newline = normalize\nsmtpd_milters = inet:127.0.0.1:8890\nnon_smtpd_milters = $smtpd_milters\n";
    let run = sandbox.pipe(&["check-mta"], over_tcp).ended(1);
    assert!(run.text().contains("--address"), "{}", run.text());
    sandbox
        .pipe(&["check-mta", "--address", "tcp:127.0.0.1:8890"], over_tcp)
        .ended(0);
    // Whoever closes standard output wants to hear nothing, and nothing breaks.
    for line in [
        "echo milter_default_action = accept | mailglot check-mta >&-",
        "echo a = b | mailglot check-mta > /dev/full",
    ] {
        let run = sandbox.shell(line);
        assert!(!run.err.contains("panic"), "{line}: {run:?}");
    }
    let run = sandbox.shell(
        "{ sleep 1; echo milter_default_action = accept; } | { mailglot check-mta; echo end >&2; } | true",
    );
    assert_eq!(run.err, "end\n");
}

#[test]
fn what_is_missing_is_named_and_no_more() {
    use crate::sandbox::Sandbox;
    let sandbox = Sandbox::new();
    let run = sandbox.pipe(&["milter", "--check-config"], b"").ended(1);
    assert!(
        run.err.contains("not provided:\n  --config <FILE>\n\n"),
        "{}",
        run.err
    );
    let run = sandbox.pipe(&["milter"], b"").ended(1);
    assert!(
        run.err.contains("not provided:\n  --config <FILE>\n\n"),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("Usage: mailglot milter [OPTIONS] <--config <FILE>|--listen <ADDRESS>>"),
        "{}",
        run.err
    );
}

/// Two spellings of a folder are one folder, and what is kept there stays as long as one policy says; sockets, too.
#[test]
fn one_place_in_two_spellings_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    std::fs::create_dir(folder.path().join("kept")).unwrap();
    std::os::unix::fs::symlink("kept", folder.path().join("link")).unwrap();
    let file = folder.path().join("mailglot.toml");
    let check = |one: &str, other: &str| {
        let text = format!(
            "listen = [{{ route = \"milter\", address = \"unix:{at}/a.sock\", policy = \"a\" }}, \
             {{ route = \"milter\", address = \"unix:{at}/b.sock\", policy = \"b\" }}]\n\
             [policy.a]\nledger = \"{at}/{one}\"\nledger_days = 1\n[policy.b]\nledger = \"{at}/{other}\"\nledger_days = 300\n"
        );
        std::fs::write(&file, text).unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_mailglot"))
            .args(["milter", "--check-config", "--config"])
            .arg(&file)
            .output()
            .unwrap();
        (run.status.code(), String::from_utf8(run.stderr).unwrap())
    };
    for (one, other) in [
        ("kept", "kept/../kept"),
        ("kept", "link"),
        ("new", "./kept/../new"),
        ("new/a", "new/../new//a"),
        ("link/x", "kept/x"),
    ] {
        let (code, said) = check(one, other);
        assert_eq!(code, Some(1), "{one} {other}");
        assert!(said.contains("for different times"), "{said}");
    }
    for (one, other) in [("kept", "other"), ("link/../a", "b"), ("kept/a", "kept/b")] {
        let (code, said) = check(one, other);
        assert_eq!(code, Some(0), "{one} {other} {said}");
    }
    // A link is refused: what it points to may change.
    std::os::unix::fs::symlink("later", folder.path().join("ahead")).unwrap();
    let (code, said) = check("later", "ahead");
    assert!(
        code == Some(1) && said.contains("ahead: is a symbolic link"),
        "{code:?} {said}"
    );
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_mailglot"));
    let run = daemon
        .args(["milter", "--allow-root", "--config"])
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.code() == Some(1) && said.contains("ahead: is a symbolic link"),
        "{run:?}"
    );
}

/// Who is to run it, and who may use its socket, is looked at before it starts.
#[test]
fn a_check_tells_of_users_and_groups() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mailglot.toml");
    let write = |user: &str, group: &str| {
        let socket = folder.path().join("socket");
        let text = format!(
            "user = \"{user}\"\n[[listen]]\nroute = \"milter\"\naddress = \"unix:{}\"\ngroup = \"{group}\"\n",
            socket.display()
        );
        std::fs::write(&file, text).unwrap();
    };
    let check = |program: &mut Command| {
        let program = program.args([
            "milter",
            "--check-config",
            "--config",
            file.to_str().unwrap(),
        ]);
        let mut daemon = Daemon::spawn(program);
        let said: Vec<String> = daemon.lines.by_ref().map_while(Result::ok).collect();
        (daemon.child.wait().unwrap().code(), said.join("\n"))
    };
    let own = || Command::new(env!("CARGO_BIN_EXE_mailglot"));
    for (user, group, word) in [
        ("no-such-user", "mail", "no user `no-such-user`"),
        ("nobody", "no-such-group", "no group `no-such-group`"),
    ] {
        write(user, group);
        let (code, said) = check(&mut own());
        assert!(code == Some(1) && said.contains(word), "{code:?} {said}");
    }
    write("nobody", "mail");
    let root = std::fs::metadata(folder.path()).unwrap().uid() == 0;
    // The build may lie where nobody else can reach it.
    let program = folder.path().join("mailglot");
    std::fs::copy(env!("CARGO_BIN_EXE_mailglot"), &program).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    if root {
        let (code, said) = check(&mut Command::new(&program));
        assert!(code == Some(0) && !said.contains("note"), "{code:?} {said}");
        // It is that user who reads the file and makes the folders.
        let with = |more: &str| {
            write("nobody", "mail");
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, text + more).unwrap();
        };
        let open = folder.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
        with(&format!(
            "[policy.default]\nledger = \"{}\"\n",
            open.join("a/b").display()
        ));
        assert_eq!(check(&mut Command::new(&program)).0, Some(0));
        with(&format!(
            "[policy.default]\nledger = \"{}\"\n",
            folder.path().join("a/b").display()
        ));
        let (code, said) = check(&mut Command::new(&program));
        assert!(
            code == Some(1) && said.contains("a/b: Permission denied"),
            "{code:?} {said}"
        );
        write("nobody", "mail");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let (code, said) = check(&mut Command::new(&program));
        assert!(
            code == Some(1) && said.contains("mailglot.toml: Permission denied"),
            "{code:?} {said}"
        );
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    // Somebody else may look at the file; they hear what they could not do.
    write("root", "mail");
    let (code, said) = if root {
        let others = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        check(Command::new("setpriv").args(others).arg(&program))
    } else {
        check(&mut own())
    };
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("(user = \"root\")") && said.contains("one of the group 8,"),
        "{said}"
    );
}

/// The number of a user.
fn config_user(name: &str) -> u32 {
    mailglot_gateway::config::user(name).unwrap().0
}

/// Started as root, it gives its socket to a group that its user is not in.
#[test]
fn a_user_gives_its_socket_to_a_foreign_group() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    if std::fs::metadata(folder.path()).unwrap().uid() != 0 {
        println!("this needs root: not tried");
        return;
    }
    let sockets = folder.path().join("run");
    std::fs::create_dir(&sockets).unwrap();
    for place in [folder.path(), &sockets] {
        std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let owner = config_user("nobody");
    std::os::unix::fs::chown(&sockets, Some(owner), None).unwrap();
    // The build may lie where nobody else can reach it.
    let program = folder.path().join("mailglot");
    std::fs::copy(env!("CARGO_BIN_EXE_mailglot"), &program).unwrap();
    let socket = sockets.join("gw.sock");
    let file = folder.path().join("mailglot.toml");
    let text = format!(
        "user = \"nobody\"\n[[listen]]\nroute = \"milter\"\naddress = \"unix:{}\"\ngroup = \"mail\"\nmode = \"0660\"\n",
        socket.display()
    );
    std::fs::write(&file, text).unwrap();
    let mut daemon =
        Daemon::spawn(Command::new(&program).args(["milter", "--config", file.to_str().unwrap()]));
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", socket.display())
    );
    let id = |path: &str, name: &str| -> u32 {
        let text = std::fs::read_to_string(path).unwrap();
        let line = text
            .lines()
            .find(|line| line.split(':').next() == Some(name))
            .unwrap();
        line.split(':').nth(2).unwrap().parse().unwrap()
    };
    let (user, group) = (id("/etc/passwd", "nobody"), id("/etc/group", "mail"));
    let made = std::fs::metadata(&socket).unwrap();
    assert_eq!(
        (made.uid(), made.gid(), made.mode() & 0o777),
        (user, group, 0o660)
    );
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.child.id())).unwrap();
    let field = |name: &str| {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(field("Uid:"), vec![user.to_string(); 4]);
    assert!(
        !field("Gid:").contains(&"0".to_owned()) && !field("Groups:").contains(&"0".to_owned())
    );
    connected(&socket);
    assert_eq!(daemon.end("-TERM"), 0);
}

/// What a start that failed says, and its exit code.
fn refused(args: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_mailglot"))
        .args(args)
        .output()
        .unwrap();
    (out.status.code(), String::from_utf8(out.stderr).unwrap())
}

#[test]
fn beyond_this_machine_needs_a_list_of_networks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mailglot.toml");
    let path = file.to_str().unwrap();
    for (keys, word) in [
        (
            "route = \"milter\", address = \"tcp:0.0.0.0:0\"",
            Some("allow_remote"),
        ),
        (
            "route = \"milter\", address = \"tcp:0.0.0.0:0\", allow_remote = true",
            Some("client_networks"),
        ),
        (
            "route = \"milter\", address = \"tcp:0.0.0.0:0\", allow_remote = true, client_networks = [\"192.0.2.7/24\"]",
            Some("192.0.2.0/24"),
        ),
        (
            "route = \"milter\", address = \"tcp:0.0.0.0:0\", allow_remote = true, client_networks = [\"192.0.2.0/24\"]",
            None,
        ),
        (
            "route = \"smtp\", address = \"tcp:127.0.0.1:0\", next_hop = \"tcp:192.0.2.1:25\"",
            Some("next_hop"),
        ),
        (
            "route = \"smtp\", address = \"tcp:127.0.0.1:0\", next_hop = \"tcp:192.0.2.1:25\", allow_remote = true",
            Some("client_networks"),
        ),
    ] {
        std::fs::write(&file, format!("listen = [{{ {keys} }}]\n")).unwrap();
        let (code, said) = refused(&["milter", "--allow-root", "--check-config", "--config", path]);
        assert_eq!(code, Some(i32::from(word.is_some())), "{keys}: {said}");
        if let Some(word) = word {
            assert!(said.contains(word), "{keys}: {said}");
            let (code, said) = refused(&["milter", "--allow-root", "--config", path]);
            assert!(code == Some(1) && said.contains(word), "{keys}: {said}");
        }
    }
    let remote = "tcp:0.0.0.0:0";
    for args in [
        &["milter", "--listen", remote][..],
        &["milter", "--listen", remote, "--allow-remote"],
        &["milter", "--config", path, "--listen", remote],
        &["proxy", "--listen", remote, "--next-hop", "tcp:127.0.0.1:1"],
        &[
            "proxy",
            "--listen",
            "tcp:127.0.0.1:0",
            "--next-hop",
            "tcp:192.0.2.1:25",
        ],
        &[
            "proxy",
            "--listen",
            "tcp:127.0.0.1:0",
            "--next-hop",
            "tcp:192.0.2.1:25",
            "--allow-remote",
        ],
        &[
            "proxy",
            "--listen",
            "unix:/none",
            "--next-hop",
            "tcp:192.0.2.1:25",
        ],
    ] {
        let (code, said) = refused(&[args, &["--allow-root"]].concat());
        assert!(
            code == Some(1) && said.contains("client"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn root_is_refused_unless_it_is_asked_for() {
    if mailglot_gateway::config::effective_user() != 0 {
        println!("this needs root: not tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let socket = format!("unix:{}", folder.path().join("socket").display());
    let file = configured(folder.path(), "");
    for args in [
        &["milter", "--listen", &socket][..],
        &["milter", "--config", &file],
        &[
            "proxy",
            "--listen",
            &socket,
            "--next-hop",
            "tcp:127.0.0.1:1",
        ],
    ] {
        let (code, said) = refused(args);
        assert!(
            code == Some(1) && said.contains("--allow-root"),
            "{args:?}: {said}"
        );
        assert!(!folder.path().join("socket").exists());
    }
    let (code, said) = refused(&["milter", "--check-config", "--config", &file]);
    assert!(
        code == Some(0) && said.contains("note: root may not run this"),
        "{said}"
    );
    std::fs::write(
        &file,
        format!(
            "user = \"root\"\n{}",
            std::fs::read_to_string(&file).unwrap()
        ),
    )
    .unwrap();
    assert_eq!(refused(&["milter", "--config", &file]).0, Some(1));
}

/// Sockets, temporary names and directories go where a later step of the start fails.
#[test]
fn a_start_that_fails_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let file = folder.path().join("mailglot.toml");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let start = "listen = [\n{ route = \"milter\", address = \"unix:";
    let ledger = format!("[policy.default]\nledger = \"{at}/a/b/c\"\n");
    for text in [
        // The second place cannot be taken.
        format!(
            "{start}{at}/one\" }},\n{{ route = \"milter\", address = \"tcp:{taken}\" }}]\n{ledger}"
        ),
        format!(
            "{start}{at}/one\" }},\n{{ route = \"milter\", address = \"unix:{at}/no/such\" }}]\n{ledger}"
        ),
    ] {
        std::fs::write(&file, &text).unwrap();
        let _other = std::net::TcpListener::bind(taken);
        let (code, said) = refused(&["milter", "--allow-root", "--config", file.to_str().unwrap()]);
        assert_eq!(code, Some(4), "{text}: {said}");
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["mailglot.toml"], "{text}");
    }
}

#[test]
fn a_socket_needs_a_directory_that_only_its_user_can_write() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::os::unix::fs::symlink(&inner, folder.path().join("link")).unwrap();
    let listen = |place: &str| format!("unix:{}", folder.path().join(place).display());
    for (mode, place, word) in [
        (0o770, "inner/s", "can be written by its group"),
        (0o777, "inner/s", "can be written by everybody"),
        (0o1777, "inner/s", "can be written by everybody"),
        (0o755, "link/s", "is a symbolic link"),
    ] {
        std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(mode)).unwrap();
        for args in [&["milter"][..], &["proxy", "--next-hop", "tcp:127.0.0.1:1"]] {
            let (code, said) =
                refused(&[args, &["--allow-root", "--listen", &listen(place)]].concat());
            assert!(
                code == Some(4) && said.contains(word),
                "{mode:o} {place}: {said}"
            );
            assert_eq!(std::fs::read_dir(&inner).unwrap().count(), 0);
        }
    }
}
