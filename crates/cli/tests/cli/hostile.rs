//! Signals, killed processes, and outputs that cannot be written.

use crate::sandbox::{LATIN, PROGRAM, Sandbox, mbox};
use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

/// Begins to normalize a standard input that never ends, and waits until something is written.
fn begin(sandbox: &Sandbox) -> Child {
    let mut command = Command::new(PROGRAM);
    command
        .args(["normalize", "-", "-o", "out.mbox"])
        .current_dir(sandbox.path(""));
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let start = Instant::now();
    while !sandbox.names().iter().any(|name| name.contains(".tmp")) {
        assert!(start.elapsed() < LONG, "nothing is written");
        thread::sleep(Duration::from_millis(5));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let done = Command::new("sh")
        .args(["-c", &format!("kill -{name} {}", child.id())])
        .status()
        .unwrap();
    assert!(done.success());
}

#[test]
fn an_interrupt_ends_with_130_and_leaves_nothing() {
    for name in ["INT", "TERM", "HUP"] {
        let sandbox = Sandbox::new();
        let before = sandbox.names();
        let mut child = begin(&sandbox);
        // It waits for its input, so that only the signal can end it; waiting for a child would close it.
        let stdin = child.stdin.take();
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        drop(stdin);
        assert_eq!(sandbox.names(), before, "{name}");
    }
}

#[test]
fn a_command_without_a_signal_thread_ends_with_130_too() {
    for name in ["INT", "TERM", "HUP"] {
        let mut child = Command::new(PROGRAM)
            .args(["header", "decode"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"=?utf-8?Q?=C3=BC?=\n").unwrap();
        // The answer shows that the program is ready for signals, and waits for the next value.
        let mut text = [0; 3];
        child.stdout.take().unwrap().read_exact(&mut text).unwrap();
        assert_eq!(text, *b"\xc3\xbc\n");
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        drop(stdin);
    }
}

/// A second signal ends a job at once, while it creates files or removes its temporary folder.
#[test]
fn an_interrupt_while_files_are_created_leaves_nothing() {
    let message = "From a@example.org Thu Jan  1 00:00:00 2004\nSubject: x\n\nText\n\n";
    for pause in [0, 20, 100] {
        let sandbox = Sandbox::new();
        sandbox.write("many.mbox", message.repeat(20_000).as_bytes());
        let before = sandbox.names();
        let child = Command::new(PROGRAM)
            .args(["normalize", "many.mbox", "--to", "eml", "-o", "out"])
            .current_dir(sandbox.path("."))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let is_writing = || {
            let names = sandbox.names();
            let folder = names
                .iter()
                .find(|name| name.starts_with("out.") && fs::read_dir(sandbox.path(name)).is_ok());
            folder.is_some_and(|name| {
                fs::read_dir(sandbox.path(name)).is_ok_and(|files| files.count() > 500)
            })
        };
        while !is_writing() {
            thread::sleep(Duration::from_millis(1));
        }
        signal(&child, "TERM");
        thread::sleep(Duration::from_millis(pause));
        signal(&child, "TERM");
        let ended = child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(
            (ended.status.code(), &*words),
            (Some(130), "mailglot: interrupted\n"),
            "{pause}"
        );
        assert_eq!(sandbox.names(), before, "{pause}");
    }
}

/// A limit of the system on threads, as `ulimit -u` and containers have, makes a job slower and nothing else.
#[test]
fn a_job_that_gets_no_threads_gives_the_same_results() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("mail")).unwrap();
    for number in 0..50 {
        let message = format!("Subject: {number}\n\nText {number}\n");
        sandbox.write(&format!("mail/{number}.eml"), message.as_bytes());
    }
    let job = "mailglot text --json mail --stats=json --threads";
    let alone = sandbox.shell(&format!("{job} 1")).ended(0);
    // No thread can have a stack of 2^60 bytes.
    let limited = format!("RUST_MIN_STACK={} {job} 4", 1u64 << 60);
    let limited = sandbox.shell(&limited).ended(0);
    assert_eq!(limited.text(), alone.text());
    let counters: serde_json::Value = serde_json::from_str(&limited.err).unwrap();
    assert_eq!(counters["threads"], 1);
}

#[test]
fn an_interrupted_job_stops_before_its_next_batch() {
    let sandbox = Sandbox::new();
    let before = sandbox.names();
    let mut child = begin(&sandbox);
    signal(&child, "INT");
    thread::sleep(Duration::from_millis(200));
    // The input ends: the job itself notices, before anything is put into place.
    drop(child.stdin.take());
    let mut words = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut words)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), &*words),
        (Some(130), "mailglot: interrupted\n")
    );
    assert_eq!(sandbox.names(), before);
}

#[test]
fn what_a_killed_job_left_is_swept_by_the_next() {
    let sandbox = Sandbox::new();
    let mut child = begin(&sandbox);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        sandbox.names().iter().any(|name| name.contains(".tmp")),
        "{:?}",
        sandbox.names()
    );
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "out.mbox"])
        .ended(0);
    assert!(
        !sandbox.names().iter().any(|name| name.contains(".tmp")),
        "{:?}",
        sandbox.names()
    );
    sandbox
        .run(&["restore", "out.mbox", "--verify-only"])
        .ended(0);
}

#[test]
fn a_ledger_without_its_output_does_not_stand_in_the_way_after_a_crash() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "out.mbox"])
        .ended(0);
    // Killed between the renames of ledger and output (no process has this number).
    fs::rename(
        sandbox.path("out.mbox"),
        sandbox.path("out.mbox.4194999-0.tmp"),
    )
    .unwrap();
    fs::hard_link(
        sandbox.path("out.mbox.ledger"),
        sandbox.path("out.mbox.ledger.4194999-1.next.tmp"),
    )
    .unwrap();
    sandbox
        .run(&["normalize", "Maildir", "--to", "mbox", "-o", "out.mbox"])
        .ended(0);
    sandbox
        .run(&["restore", "out.mbox", "--verify-only"])
        .ended(0);
    // A ledger whose output was moved elsewhere is worth something.
    fs::rename(sandbox.path("out.mbox"), sandbox.path("elsewhere.mbox")).unwrap();
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "out.mbox"])
        .ended(4);
    sandbox
        .run(&[
            "restore",
            "elsewhere.mbox",
            "--ledger",
            "out.mbox.ledger",
            "--verify-only",
        ])
        .ended(0);
}

/// At every moment the old or the new output has its ledger.
#[test]
fn a_job_killed_while_it_replaces_leaves_a_matching_pair() {
    let sandbox = Sandbox::new();
    sandbox.write("many.mbox", &mbox(&vec![LATIN; 2_000]));
    let args = ["-q", "normalize", "--force", "many.mbox", "-o", "out.mbox"];
    sandbox
        .run(&["-q", "normalize", "archive.mbox", "-o", "out.mbox"])
        .ended(0);
    let start = Instant::now();
    sandbox.run(&args).ended(0);
    let whole = start.elapsed();
    for part in 0..24 {
        let input = if part % 2 == 0 {
            "archive.mbox"
        } else {
            "many.mbox"
        };
        let mut command = Command::new(PROGRAM);
        command
            .args(["-q", "normalize", "--force", input, "-o", "out.mbox"])
            .current_dir(sandbox.path(""));
        let mut child = command.spawn().unwrap();
        thread::sleep(whole * part / 20);
        // It may have ended.
        let _ = child.kill();
        child.wait().unwrap();
        sandbox
            .run(&["restore", "out.mbox", "--verify-only"])
            .ended(0);
    }
    sandbox.run(&args).ended(0);
    let is_left = |name: &String| name.contains(".tmp");
    assert!(
        !sandbox.names().iter().any(is_left),
        "{:?}",
        sandbox.names()
    );
}

/// Keeps owner and permissions of a replaced output, unless the input is more private.
#[test]
fn a_replaced_output_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let mode = |name: &str| {
        fs::metadata(sandbox.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    let set = |name: &str, mode| {
        fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "out.mbox"])
        .ended(0);
    for (input, output, kept) in [(0o644, 0o640, 0o640), (0o600, 0o644, 0o600)] {
        set("archive.mbox", input);
        set("out.mbox", output);
        set("out.mbox.ledger", output);
        sandbox
            .run(&["normalize", "--force", "archive.mbox", "-o", "out.mbox"])
            .ended(0);
        assert_eq!(mode("out.mbox"), kept);
        assert_eq!(mode("out.mbox.ledger"), kept);
    }
}

/// Of two jobs for one output, the later one fails before it reads its input.
#[test]
fn the_later_of_two_jobs_fails_at_once() {
    let sandbox = Sandbox::new();
    let mut child = begin(&sandbox);
    for command in [
        &["normalize", "archive.mbox", "-o", "out.mbox"][..],
        &["normalize", "--force", "archive.mbox", "-o", "out.mbox"],
        &["split", "archive.mbox", "-o", "out.mbox", "--by", "year"],
    ] {
        let run = sandbox.run(command).ended(4);
        let words = format!("another job writes it now (process {})", child.id());
        assert!(run.err.contains(&words), "{}", run.err);
    }
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let body = b"words of a message that nobody changes, line after line\n".repeat(20_000);
    let message = [LATIN, &body].concat();
    sandbox.write("some.mbox", &mbox(&[&*message; 2]));
    // Long enough that the output is written past the page cache before it is at its limit.
    sandbox.write("large.mbox", &mbox(&[&*message; 40]));
    sandbox
        .run(&["normalize", "some.mbox", "-o", "whole.mbox"])
        .ended(0);
    let before = sandbox.names();
    // The shell counts in blocks of 512 bytes.
    for (limit, command, path) in [
        (100, "normalize some.mbox -o out.mbox", "out.mbox"),
        (70_000, "normalize large.mbox -o out.mbox", "out.mbox"),
        (100, "normalize some.mbox -o out --to maildir", "out"),
        (100, "restore whole.mbox -o back.mbox", "back.mbox"),
        (100, "text some.mbox > text.txt", "standard output"),
    ] {
        let run = sandbox
            .shell(&format!("ulimit -f {limit}; mailglot {command}"))
            .ended(4);
        assert!(
            run.err.contains(path) && run.err.ends_with("file too large\n"),
            "{command}: {}",
            run.err
        );
        let _ = fs::remove_file(sandbox.path("text.txt"));
        assert_eq!(sandbox.names(), before, "{command}");
    }
}

#[test]
fn causes_are_told_in_plain_words() {
    let sandbox = Sandbox::new();
    for (args, words) in [
        (
            &["restore", "missing", "--verify-only"][..],
            "mailglot: missing: no such file or directory\n",
        ),
        (
            &["restore", "message.eml", "-o", "x"],
            "mailglot: message.eml.ledger: no such file or directory; name the ledger with --ledger\n",
        ),
        (
            &["count", "missing.mbox"],
            "mailglot: missing.mbox: no such file or directory\n",
        ),
        (
            &["check", "missing.mbox"],
            "mailglot: missing.mbox: no such file or directory\n",
        ),
        (
            &["text", "missing.mbox"],
            "mailglot: missing.mbox: no such file or directory\n",
        ),
        (
            &["inspect", "missing.mbox:3"],
            "mailglot: missing.mbox: no such file or directory\n",
        ),
        (
            &["normalize", "missing.mbox", "-o", "x"],
            "mailglot: missing.mbox: no such file or directory\n",
        ),
        (
            &["normalize", "archive.mbox", "-o", "no/x"],
            "mailglot: no/x: its folder does not exist; create it first\n",
        ),
        (
            &["normalize", "archive.mbox", "-o", "/dev/null"],
            "mailglot: /dev/null: not a regular file or folder, and cannot be replaced; write to another path\n",
        ),
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.err, words, "{args:?}");
        let is_unread = words.contains("missing.mbox");
        assert!(!is_unread || run.code == 2, "{run:?}");
    }
}

#[test]
fn standard_output_is_no_place_for_archives() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "out"])
        .ended(0);
    let before = sandbox.names();
    for args in [
        &["restore", "out", "-o", "-"][..],
        &["normalize", "archive.mbox", "-o", "x", "--report", "-"],
        &["normalize", "archive.mbox", "-o", "x", "--ledger", "-"],
    ] {
        sandbox.run(args).ended(1);
        assert_eq!(sandbox.names(), before, "{args:?}");
    }
}

#[test]
fn a_ledger_of_another_kind_of_output_is_refused() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "folder", "--to", "eml"])
        .ended(0);
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "file"])
        .ended(0);
    for (output, ledger) in [("file", "folder.ledger"), ("folder", "file.ledger")] {
        let run = sandbox
            .run(&["restore", output, "--ledger", ledger, "-o", "x"])
            .ended(4);
        assert!(run.err.contains("the ledger belongs to a f"), "{}", run.err);
    }
    let run = sandbox
        .run(&["restore", "file", "-o", "archive.mbox"])
        .ended(4);
    assert_eq!(
        run.err,
        "mailglot: archive.mbox: already exists; choose another name with -o\n"
    );
}

#[test]
fn a_small_ledger_cannot_ask_for_all_memory() {
    use mailglot_archive::ledger::{
        Archived, BlockBuilder, Body, Footer, LedgerWriter, MessageRecord, Record, Requote,
    };
    let sandbox = Sandbox::new();
    let lines = 60_000;
    let body = b"From \n".repeat(lines);
    sandbox.write("out", &body);
    let archived = |bytes: u64| Archived {
        name: Vec::new(),
        format: mailglot_archive::Format::Mbox,
        folder: false,
        messages: 1,
        bytes,
        blake3: [0; 32],
    };
    let quoted = Requote::Count {
        unquote: false,
        marks: vec![65_536; lines],
    };
    let many_marks = Requote::Count {
        unquote: false,
        marks: vec![0; 18_000_000],
    };
    let all = body.len() as u64;
    for (out, requote) in [
        (all, quoted),
        (all, many_marks.clone()),
        (1 << 40, many_marks),
    ] {
        let record = MessageRecord {
            out: [0, out, 0],
            separator: None,
            trailer: None,
            body: Body::Undo {
                requote,
                changes: Vec::new(),
            },
            continued: false,
            midline: false,
        };
        let mut builder = BlockBuilder::new().unwrap();
        builder.push(&Record::Source(0));
        builder.push(&Record::Message(record));
        let mut block = Vec::new();
        builder.finish(&mut block).unwrap();
        let mut writer = LedgerWriter::new(Vec::new()).unwrap();
        writer.block(&block).unwrap();
        let (sources, outputs) = (vec![archived(5)], vec![archived(all)]);
        let footer = Footer {
            sources,
            outputs,
            alone: true,
            ..Footer::default()
        };
        let (bytes, _) = writer.finish(&footer).unwrap();
        assert!(bytes.len() < 20_000, "{}", bytes.len());
        sandbox.write("ledger", &bytes);
        let line = "ulimit -v 350000; mailglot restore out --ledger ledger --verify-only";
        let run = sandbox.shell(line).ended(4);
        assert!(
            run.err.starts_with("mailglot: ledger: ") && run.out.is_empty(),
            "{run:?}"
        );
    }
}
