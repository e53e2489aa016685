//! `milter`: the daemon as a supervisor of services and a mail server see it

use crate::daemon::{Daemon, answer, configured, connected, packet, sent, signal};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

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
        daemon.json_text(),
        format!("listening at unix:{}", place("socket"))
    );
    assert_eq!(
        daemon.json_text(),
        format!("listening at unix:{}", place("smtp"))
    );
    let metrics = daemon.json_text();
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
