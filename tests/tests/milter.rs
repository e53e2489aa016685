//! The milter daemon with every sequence of protocol commands, valid or not, on its socket.

#![allow(clippy::unwrap_used, clippy::panic)]

use mailglot_tests::shared;
use mailglot_tests::trial::filter::{Program, milter_under};
use mailglot_tests::trial::mta::{Mail, Mta, NO_REPLIES, PROTOCOL, Verdict, connect};
use mailglot_tests::trial::{postfix, wait_for};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const LATIN: &[u8] = b"From: a@test.invalid\r\nSubject: x\r\nMIME-Version: 1.0\r\n\
    Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\ncaf\xe9\r\n";

/// A daemon in a folder of its own.
struct MilterDaemon {
    program: Program,
    address: String,
    folder: tempfile::TempDir,
}

impl MilterDaemon {
    fn start() -> Self {
        Self::under(&[], |_| ())
    }

    fn under(under: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let folder = postfix::folder();
        let address = format!("unix:{}", folder.path().join("socket").display());
        let mut command = milter_under::<&str>(under, &address, []);
        change(&mut command);
        let program = Program::start(&mut command, &address, &folder.path().join("log"));
        Self {
            program,
            address,
            folder,
        }
    }

    fn mta(&self) -> Mta {
        Mta::connect(&self.address)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.program.log()))
    }

    /// A message is rewritten on a new connection.
    fn works(&self) {
        rewritten(&mut self.mta(), &self.program);
    }

    /// Waits until it has told that there are no descriptors.
    fn lacks_descriptors(&self) {
        let start = Instant::now();
        while !self.program.log().contains("accept") {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{}",
                self.program.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn raw(&self) -> UnixStream {
        let stream = UnixStream::connect(self.folder.path().join("socket")).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_millis(400)))
            .unwrap();
        stream
    }
}

fn rewritten(mta: &mut Mta, program: &Program) {
    let mut mail = Mail::new(LATIN);
    let verdict = mta
        .send(&mail)
        .unwrap_or_else(|error| panic!("{error}\n{}", program.log()));
    assert_eq!(verdict.letter, b'c', "{}", program.log());
    mail.apply(&verdict.edits).unwrap();
    let raw = String::from_utf8(mail.raw()).unwrap();
    assert!(
        raw.contains("charset=utf-8") && raw.ends_with("\r\n\r\ncaf\u{e9}\r\n"),
        "{raw}"
    );
}

#[test]
fn scripts_of_miltertest_pass() {
    let daemon = MilterDaemon::start();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("milter");
    let mut count = 0;
    for entry in fs::read_dir(&scripts).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("common.lua") {
            continue;
        }
        let output = Command::new("miltertest")
            .arg("-D")
            .arg(format!(
                "socket={}",
                daemon.folder.path().join("socket").display()
            ))
            .arg("-D")
            .arg(format!("folder={}", scripts.display()))
            .arg("-s")
            .arg(&path)
            .output()
            .expect("miltertest, which `cargo xtask test` brings");
        let said = [output.stdout, output.stderr].concat();
        assert!(
            output.status.success(),
            "{}: {}",
            path.display(),
            String::from_utf8_lossy(&said)
        );
        count += 1;
    }
    assert!(count >= 5, "the scripts are not there");
    assert!(
        !daemon.program.log().contains("panic"),
        "{}",
        daemon.program.log()
    );
}

/// What came of bytes that were sent.
#[derive(Debug, PartialEq, Eq)]
enum ConnectionState {
    Closed,
    Open,
}

/// Sends bytes and reads until the connection ends or is silent.
fn send(mut stream: UnixStream, bytes: &[u8]) -> ConnectionState {
    // It may have been closed before all of it was sent.
    if stream.write_all(bytes).is_err() {
        return ConnectionState::Closed;
    }
    let mut got = [0; 4_096];
    loop {
        match stream.read(&mut got) {
            Ok(0) => return ConnectionState::Closed,
            Ok(_) => (),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return ConnectionState::Open;
            }
            Err(_) => return ConnectionState::Closed,
        }
    }
}

fn packet(command: u8, data: &[u8]) -> Vec<u8> {
    [&(data.len() as u32 + 1).to_be_bytes()[..], &[command], data].concat()
}

fn offer(version: u32) -> Vec<u8> {
    packet(
        b'O',
        &[version, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat(),
    )
}

/// Bytes after a negotiation, and the fault that is told; none where they are understood.
fn malformed() -> Vec<(Vec<u8>, Option<&'static str>)> {
    let mut all: Vec<(Vec<u8>, Option<&'static str>)> = vec![
        (b"\0\0\0\0".to_vec(), Some("packet-empty")),
        (b"\xff\xff\xff\xffL".to_vec(), Some("packet-too-long")),
        (b"\0\x10\0\x02B".to_vec(), Some("packet-too-long")),
        (offer(6), Some("negotiated-twice")),
        (packet(b'K', b""), None),
        ([packet(b'K', b""), offer(6)].concat(), None),
        (packet(b'A', b""), None),
        (packet(b'D', b"Mi\0"), None),
        (packet(b'D', b"Mi\x004F\0{a}\0"), None),
        (packet(b'D', b""), None),
        (
            packet(b'M', b"<a@b>\0SIZE=1\0BODY=8BITMIME\0left over"),
            None,
        ),
        (packet(b'B', &[0; 70_000]), None),
        (packet(b'B', &vec![b'a'; 1 << 20]), None),
        (packet(b'E', b"last piece\r\n"), None),
        (packet(b'L', b"Name\0value\0and more\0"), None),
        (packet(b'L', b"Name\0value"), Some("string-without-end")),
        (packet(b'L', b"Name"), Some("string-without-end")),
    ];
    // Every command that has strings, without their end; every byte that is no command.
    for command in *b"CHMRLU" {
        all.push((packet(command, b""), Some("string-without-end")));
        all.push((packet(command, b"no end"), Some("string-without-end")));
    }
    for data in [
        &b"host\0"[..],
        b"host\x004",
        b"host\x004\0",
        b"host\x004\0\x19",
        b"host\x004\0\x19127.0.0.1",
        b"host\x00X\0\x19a\0",
    ] {
        all.push((packet(b'C', data), Some("connect-data")));
    }
    for command in (0..=255).filter(|command| !b"ABCDEHKLMNOQRTU".contains(command)) {
        all.push((packet(command, b"data\0"), Some("unknown-command")));
    }
    all
}

/// Lines of what was done wrong. That a message was left behind, as by those of this test that are right, is nothing wrong.
fn faults_told(daemon: &MilterDaemon) -> Vec<String> {
    let log = daemon.program.log();
    let lines = log
        .lines()
        .filter(|line| line.contains("fault=") && !line.contains("server-gone"));
    lines.map(str::to_owned).collect()
}

#[test]
fn what_no_server_says_ends_its_connection_and_no_other() {
    let daemon = MilterDaemon::start();
    let mut beside = daemon.mta();
    let before = daemon.program.memory().0;
    let mut faults = 0;
    for (bytes, fault) in malformed() {
        let told = [offer(6), bytes.clone()].concat();
        let end = send(daemon.raw(), &told);
        let shown = bytes[..bytes.len().min(40)].escape_ascii();
        assert_eq!(
            end,
            if fault.is_some() {
                ConnectionState::Closed
            } else {
                ConnectionState::Open
            },
            "{shown}"
        );
        if let Some(fault) = fault {
            faults += 1;
            let named = || faults_told(&daemon).len() == faults;
            assert!(
                wait_for(Duration::from_secs(5), named),
                "no line for {shown}"
            );
            let line = faults_told(&daemon).pop().unwrap();
            assert!(line.contains(fault), "{shown}: {line}");
        }
    }
    // Before a negotiation nothing else is understood, and no half of one.
    for command in (0..=255).filter(|command| *command != b'O') {
        assert_eq!(
            send(daemon.raw(), &packet(command, b"a\0")),
            ConnectionState::Closed,
            "{command}"
        );
    }
    for length in 0..12 {
        assert_eq!(
            send(daemon.raw(), &packet(b'O', &offer(6)[5..][..length])),
            ConnectionState::Closed,
            "{length}"
        );
    }
    for version in [0, 1] {
        assert_eq!(send(daemon.raw(), &offer(version)), ConnectionState::Closed);
    }
    for version in [2, 3, 6, 7, 99, u32::MAX] {
        assert_eq!(send(daemon.raw(), &offer(version)), ConnectionState::Open);
    }
    rewritten(&mut beside, &daemon.program);
    daemon.works();
    let log = daemon.program.log();
    assert!(!log.contains("panic"), "{log}");
    let grown = daemon.program.memory().0.saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes more");
}

#[test]
fn hostile_bytes_of_the_shared_material_harm_nobody() {
    let Some(folder) = shared::folder() else {
        return;
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("attacks"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("f95")
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "bin"))
        .collect();
    files.sort();
    assert!(files.len() >= 14, "{files:?}");
    let daemon = MilterDaemon::start();
    let mut beside = daemon.mta();
    let before = daemon.program.memory().0;
    for path in files {
        let bytes = fs::read(&path).unwrap();
        let end = send(daemon.raw(), &bytes);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // What libmilter closes is closed; a megabyte in one packet may be granted to newer filters, and is taken.
        let closed = ["f95a", "f95b", "f95f", "f95h", "f95i", "f95m"].contains(&&name[..4]);
        assert_eq!(
            end,
            if closed {
                ConnectionState::Closed
            } else {
                ConnectionState::Open
            },
            "{name}\n{}",
            daemon.program.log()
        );
        rewritten(&mut beside, &daemon.program);
        daemon.works();
    }
    let grown = daemon.program.memory().0.saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes more");
    assert!(
        !daemon.program.log().contains("panic"),
        "{}",
        daemon.program.log()
    );
}

#[test]
fn messages_are_rewritten_whatever_answers_a_server_lets_be_left_out() {
    let daemon = MilterDaemon::start();
    // Each bit of the protocol left out in turn, all of them, and none.
    let offers =
        (0..21)
            .map(|bit| PROTOCOL & !(1 << bit))
            .chain([0, PROTOCOL, PROTOCOL & !NO_REPLIES]);
    for protocol in offers {
        let mut mta = Mta::open(&daemon.address, 0x1ff, protocol).unwrap();
        rewritten(&mut mta, &daemon.program);
        rewritten(&mut mta, &daemon.program);
    }
}

#[test]
fn a_full_disk_defers_and_takes_mail_again_when_there_is_room() {
    let folder = postfix::folder();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    // A file system of three megabytes that only the daemon sees.
    let mount = "mount -t tmpfs -o size=3m,mode=777 tmpfs \"$0\" && exec \"$@\"";
    let under = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        mount,
        disk.to_str().unwrap(),
    ];
    // No reserve, for the disk is to be filled to its end, and no memory beside it.
    let file = folder.path().join("mailglot.toml");
    let listen = "[[listen]]\nroute = \"milter\"\naddress = \"unix:/run/mailglot/gw.sock\"\n";
    fs::write(
        &file,
        format!("{listen}\n[limits]\ndisk_reserve = 0\nmemory_bytes = 0\n"),
    )
    .unwrap();
    let daemon = MilterDaemon::under(&under, |command| {
        command.env("TMPDIR", &disk).arg("--config").arg(&file);
    });
    let big = |size: usize| Mail {
        body: b"caf\xe9\r\n".repeat(size / 6),
        ..Mail::new(LATIN)
    };
    for _ in 0..3 {
        let verdict = daemon.mta().send(&big(6_000_000)).unwrap();
        assert_eq!(
            verdict,
            Verdict {
                letter: b't',
                ..Verdict::default()
            },
            "{}",
            daemon.program.log()
        );
        let verdict = daemon.mta().send(&big(2_000_000)).unwrap();
        assert_eq!(verdict.letter, b'c', "{}", daemon.program.log());
        assert!(
            verdict.edits.iter().any(|edit| edit.0 == b'b'),
            "not rewritten"
        );
        daemon.works();
    }
    assert!(
        daemon.program.log().contains("spool"),
        "{}",
        daemon.program.log()
    );
}

#[test]
fn without_descriptors_connections_wait_and_nothing_spins() {
    let daemon = MilterDaemon::under(&["prlimit", "--nofile=40"], |_| ());
    let mut held: Vec<Mta> = Vec::new();
    // Those that are served take all descriptors; the others are not answered, or hung up on.
    let mut silent = Vec::new();
    for _ in 0..60 {
        let stream = daemon.raw();
        // Who was hung up on hears of it here.
        let _ = (&stream).write_all(&offer(6));
        silent.push(stream);
    }
    daemon.lacks_descriptors();
    let before = ticks(daemon.program.id());
    std::thread::sleep(Duration::from_secs(1));
    let busy = ticks(daemon.program.id()) - before;
    assert!(
        busy <= 30,
        "{busy} hundredths of a second of work in a second of nothing"
    );
    drop(silent);
    for _ in 0..5 {
        held.push(daemon.mta());
    }
    for mta in &mut held {
        rewritten(mta, &daemon.program);
    }
}

/// Those that are served take all descriptors, and stay: the daemon ends them, and itself.
#[test]
fn without_descriptors_a_stop_is_heard() {
    let mut daemon = MilterDaemon::under(&["prlimit", "--nofile=40"], |_| ());
    let offers = (0..60).map(|_| {
        let stream = daemon.raw();
        // Who was hung up on hears of it here.
        let _ = (&stream).write_all(&offer(6));
        stream
    });
    let _held: Vec<UnixStream> = offers.collect();
    daemon.lacks_descriptors();
    let start = Instant::now();
    let status = daemon.program.terminate(Duration::from_mins(1));
    assert!(
        status.success() && start.elapsed() < Duration::from_secs(20),
        "{status}\n{}",
        daemon.program.log()
    );
}

/// Hundredths of a second that a process was on a processor.
fn ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 1..]
        .split_whitespace()
        .collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn many_that_say_nothing_are_sent_away_and_hold_nobody_up() {
    let daemon = MilterDaemon::start();
    let mut slow: Vec<UnixStream> = (0..200).map(|_| daemon.raw()).collect();
    for stream in &mut slow {
        stream.write_all(&[0]).unwrap();
    }
    let start = Instant::now();
    daemon.works();
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "a message waits for those that say nothing"
    );
    // A byte now and then is no negotiation either: it has ten seconds, and some more on a machine that is busy.
    let mut offer = offer(6).into_iter().skip(1);
    while start.elapsed() < Duration::from_secs(9) {
        let byte = offer
            .next()
            .filter(|_| start.elapsed() < Duration::from_secs(8));
        slow.retain_mut(|stream| {
            stream.set_nonblocking(true).unwrap();
            !matches!(stream.read(&mut [0]), Ok(0)) && stream.write_all(byte.as_slice()).is_ok()
        });
        std::thread::sleep(Duration::from_millis(900));
    }
    assert_eq!(slow.len(), 200, "sent away too early");
    let gone = wait_for(Duration::from_secs(15), || {
        slow.retain_mut(|stream| !matches!(stream.read(&mut [0]), Ok(0)));
        slow.is_empty()
    });
    assert!(
        gone,
        "{} are still there after {:?}",
        slow.len(),
        start.elapsed()
    );
    assert!(
        start.elapsed() < Duration::from_secs(17),
        "each byte gained them time"
    );
    assert!(daemon.program.memory().1 < 64 << 20);
    daemon.works();
}

#[test]
fn a_stop_lets_messages_end_and_a_second_daemon_takes_over() {
    let mut daemon = MilterDaemon::start();
    let mut mta = daemon.mta();
    let mail = Mail::new(LATIN);
    assert_eq!(mta.begin(&mail).unwrap(), None);
    mta.flush().unwrap();
    // Its thread has to see the message before the daemon is asked to stop.
    std::thread::sleep(Duration::from_millis(300));
    daemon.program.signal("TERM");
    std::thread::sleep(Duration::from_millis(300));
    let verdict = mta.finish().unwrap();
    assert_eq!(verdict.letter, b'c');
    assert!(
        verdict.edits.iter().any(|edit| edit.0 == b'b'),
        "rewritten all the same"
    );
    let ended = wait_for(Duration::from_secs(10), || daemon.program.ended().is_some());
    assert!(
        ended && daemon.program.ended().unwrap().success(),
        "{}",
        daemon.program.log()
    );
    assert!(connect(&daemon.address).is_err(), "nobody listens");
    let again = MilterDaemon::start();
    again.works();
}
