//! Damaged, unreadable and unusual inputs: each gets a clear message or event, and nothing is lost.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_tests::generate::{self, Dialect, Flaws, Options, Profile};
use mailglot_tests::rng::Rng;
use mailglot_tests::{binary, hostile, tree};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SIMPLE: &str =
    "From a@example.org Mon Jan  1 00:00:00 2001\nSubject: =?koi8-r?Q?=F1?=\n\nhello\n\n";

/// A folder with a mailbox of about `size` bytes.
fn with_mailbox(size: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = folder.path().join("in.mbox");
    let options = Options {
        profile: Profile::List,
        dialect: Dialect::Mboxrd,
        crlf: false,
        flaws: Flaws::Few,
        size,
        seed: 5,
    };
    let mut bytes = Vec::new();
    generate::write(&options, &mut bytes, None).unwrap();
    fs::write(&mailbox, bytes).unwrap();
    (folder, mailbox)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}

/// The run ended with this code, said something about `word`, and did not panic.
fn refused(run: &Output, code: i32, word: &str) {
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(code), "{}", binary::shown(run));
    assert!(said.contains(word), "{}", binary::shown(run));
    assert!(!said.contains("panicked"), "{}", binary::shown(run));
}

fn names(folder: &Path) -> Vec<String> {
    let mut names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect::<Vec<_>>();
    names.sort();
    names
}

/// Normalizes, restores, and returns the report; every byte must come back.
fn survives(input: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (out, original, report) = (
        folder.path().join("out"),
        folder.path().join("original"),
        folder.path().join("report.json"),
    );
    let force = "--force-format";
    let run = binary::run([
        "-q",
        "normalize",
        force,
        "--report",
        text(&report),
        text(input),
        "-o",
        text(&out),
    ]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    let run = binary::run(["-q", "restore", text(&out), "-o", text(&original)]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    assert!(
        fs::read(input).unwrap() == fs::read(&original).unwrap(),
        "{} did not come back",
        input.display()
    );
    fs::read_to_string(&report).unwrap()
}

#[test]
fn a_path_through_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in.mbox");
    fs::write(&file, SIMPLE).unwrap();
    let other = folder.path().join("other");
    fs::write(&other, "").unwrap();
    let (through, out) = (other.join("x.mbox"), folder.path().join("out.mbox"));
    refused(
        &binary::run(["normalize", text(&through), "-o", text(&out)]),
        2,
        "x.mbox",
    );
    refused(
        &binary::run(["normalize", text(&file), "-o", text(&through)]),
        4,
        "x.mbox",
    );
    assert_eq!(names(folder.path()), ["in.mbox", "other"]);
}

/// Runs the program without the right to read and write everything: as another user when these tests run as root.
fn unprivileged(folder: &Path, arguments: &[&str]) -> Option<Output> {
    let root = fs::metadata("/proc/self").is_ok_and(|process| {
        use std::os::unix::fs::MetadataExt;
        process.uid() == 0
    });
    if !root {
        return Some(binary::run(arguments));
    }
    // The build may lie where nobody else can reach it.
    let program = folder.join("program");
    fs::copy(binary::path(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let run = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(&program)
        .args(arguments)
        .current_dir("/")
        .output();
    if run.is_err() {
        println!("running as root, and there is no setpriv: permissions were not tested");
    }
    run.ok()
}

#[test]
fn a_folder_without_permission_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (closed, open) = (folder.path().join("closed"), folder.path().join("in.mbox"));
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("in.mbox"), SIMPLE).unwrap();
    fs::write(&open, SIMPLE).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let out = closed.join("out.mbox");
    let inside = closed.join("in.mbox");
    let runs = [
        (unprivileged(folder.path(), &["count", text(&closed)]), 2),
        (unprivileged(folder.path(), &["count", text(&inside)]), 2),
        (
            unprivileged(folder.path(), &["normalize", text(&open), "-o", text(&out)]),
            4,
        ),
    ];
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    for (run, code) in runs {
        if let Some(run) = run {
            refused(&run, code, "closed");
        }
    }
    assert_eq!(names(&closed), ["in.mbox"]);
}

#[test]
fn a_full_device_fails_every_printing_command() {
    let (_folder, mailbox) = with_mailbox(300_000);
    if !Path::new("/dev/full").exists() {
        println!("there is no /dev/full here");
        return;
    }
    for (arguments, code) in [
        (vec!["text", text(&mailbox)], 4),
        (vec!["text", "--json", text(&mailbox)], 4),
        (vec!["filter"], 75),
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let run = binary::command()
            .args(&arguments)
            .stdin(fs::File::open(&mailbox).unwrap())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
            .wait_with_output()
            .unwrap();
        assert_eq!(
            run.status.code(),
            Some(code),
            "{arguments:?}: {}",
            binary::shown(&run)
        );
        assert!(
            !String::from_utf8_lossy(&run.stderr).contains("panicked"),
            "{}",
            binary::shown(&run)
        );
    }
}

#[test]
fn output_inside_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tree_of_files = folder.path().join("in");
    fs::create_dir(&tree_of_files).unwrap();
    fs::write(tree_of_files.join("a.eml"), "Subject: a\n\nb\n").unwrap();
    let before = tree::read(folder.path()).unwrap();
    for out in [
        tree_of_files.join("out"),
        tree_of_files.join("sub/../out"),
        tree_of_files.clone(),
    ] {
        for force in [false, true] {
            let mut arguments = vec!["normalize", text(&tree_of_files), "-o", text(&out)];
            if force {
                arguments.push("--force");
            }
            let run = binary::run(&arguments);
            assert!(
                matches!(run.status.code(), Some(1 | 4)),
                "{}",
                binary::shown(&run)
            );
            assert!(!run.stderr.is_empty());
            assert_eq!(
                tree::difference(&before, &tree::read(folder.path()).unwrap()),
                None
            );
        }
    }
    let mailbox = folder.path().join("in.mbox");
    fs::write(&mailbox, SIMPLE).unwrap();
    let run = binary::run(["normalize", "--force", text(&mailbox), "-o", text(&mailbox)]);
    assert!(
        matches!(run.status.code(), Some(1 | 4)),
        "{}",
        binary::shown(&run)
    );
    assert_eq!(fs::read_to_string(&mailbox).unwrap(), SIMPLE);
}

#[test]
fn killed_at_any_moment_the_output_is_whole_or_absent() {
    let (folder, mailbox) = with_mailbox(4_000_000);
    let before = fs::read(&mailbox).unwrap();
    let expected = folder.path().join("expected.mbox");
    let start = Instant::now();
    let run = binary::run(["-q", "normalize", text(&mailbox), "-o", text(&expected)]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    let mut whole = start.elapsed();
    let (expected, expected_ledger) = (
        fs::read(&expected).unwrap(),
        fs::read(folder.path().join("expected.mbox.ledger")).unwrap(),
    );

    let mut rng = Rng::new(11);
    let (mut killed, mut absent, mut finished) = (0, 0, 0);
    for _ in 0..100 {
        let work = tempfile::tempdir_in(folder.path()).unwrap();
        let out = work.path().join("out.mbox");
        let ledger = work.path().join("out.mbox.ledger");
        let mut child = binary::command()
            .args(["-q", "normalize", text(&mailbox), "-o", text(&out)])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Up to a little after the usual end, so that the renames are hit, too.
        let micros = whole.as_micros() as usize * 11 / 10;
        thread::sleep(Duration::from_micros(rng.below(micros) as u64));
        // SIGKILL, unless it has ended.
        let _ = child.kill();
        let status = child.wait().unwrap();
        let was_killed = status.signal() == Some(9);
        killed += u32::from(was_killed);
        // The machine may have become busier, or idle: two of three are to be killed.
        whole = if was_killed {
            whole * 21 / 20
        } else {
            whole * 9 / 10
        };
        if out.exists() {
            assert!(fs::read(&out).unwrap() == expected, "a partial output");
            assert!(ledger.exists(), "an output without its ledger");
            finished += 1;
        } else {
            absent += 1;
        }
        if ledger.exists() {
            assert!(
                fs::read(&ledger).unwrap() == expected_ledger,
                "a partial ledger"
            );
        }
        assert!(fs::read(&mailbox).unwrap() == before, "the input changed");
    }
    println!("{killed} of 100 killed: output {absent} times absent, {finished} times whole");
    assert!(
        killed >= 30 && absent >= 30,
        "{killed} killed, {absent} absent: the moments were badly chosen"
    );

    // What a killed run leaves behind does not stand in the way of the next one.
    let out = folder.path().join("later.mbox");
    let mut child = binary::command()
        .args(["-q", "normalize", text(&mailbox), "-o", text(&out)])
        .spawn()
        .unwrap();
    thread::sleep(whole / 3);
    let _ = child.kill();
    child.wait().unwrap();
    let run = binary::run([
        "-q",
        "normalize",
        "--force",
        text(&mailbox),
        "-o",
        text(&out),
    ]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    assert!(fs::read(&out).unwrap() == expected);
}

#[test]
fn what_is_no_mail_is_refused_or_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(3);
    let noise = (0..100_000).map(|_| rng.bits() as u8).collect::<Vec<_>>();
    for (name, bytes) in [
        ("notes.mbox", b"just some notes\n".to_vec()),
        ("noise.mbox", noise),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        refused(
            &binary::run(["count", text(&path)]),
            2,
            "not a mail message",
        );
        let run = binary::run(["count", "--force-format", text(&path)]);
        assert!(
            run.stdout.starts_with(b"1\t"),
            "{name}: {}",
            binary::shown(&run)
        );
        let report = survives(&path);
        assert!(report.contains("mbox.single"), "{name}: {report}");
    }
}

#[test]
fn an_empty_file_stays_empty() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["empty.mbox", "empty.eml"] {
        let path = folder.path().join(name);
        fs::write(&path, "").unwrap();
        survives(&path);
        let run = binary::run(["count", text(&path)]);
        assert!(run.status.success(), "{}", binary::shown(&run));
    }
    let run = binary::run_with(["filter"], b"");
    assert!(
        run.status.success() && run.stdout.is_empty(),
        "{}",
        binary::shown(&run)
    );
}

#[test]
fn a_huge_message_passes_untouched_and_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = folder.path().join("huge.mbox");
    let mut bytes = SIMPLE.as_bytes().to_vec();
    bytes.extend_from_slice(
        b"From b@example.org Mon Jan  1 00:00:00 2001\nSubject: big\nContent-Type: text/plain; charset=iso-8859-1\n\n",
    );
    while bytes.len() < 200_000_000 {
        bytes.extend_from_slice(
            b"eighty bytes of text with one \xe9 in it, again and again, until it is too much.....\n",
        );
    }
    bytes.extend_from_slice(b"\n");
    bytes.extend_from_slice(SIMPLE.as_bytes());
    fs::write(&mailbox, &bytes).unwrap();
    drop(bytes);
    let run = binary::run(["count", text(&mailbox)]);
    assert!(run.stdout.starts_with(b"3\t"), "{}", binary::shown(&run));
    let report = survives(&mailbox);
    assert!(report.contains("msg.too-large"), "{report}");
}

#[test]
fn a_hundred_thousand_nested_multiparts_are_cut_at_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nested.eml");
    // Less than 60 bytes a level.
    let bytes = hostile::nested_multiparts(6_000_000);
    assert!(memchr::memmem::find(&bytes, b"boundary=b100000\n").is_some());
    fs::write(&path, bytes).unwrap();
    let start = Instant::now();
    let report = survives(&path);
    assert!(report.contains("mime.depth"), "{report}");
    assert!(
        start.elapsed() < Duration::from_mins(1),
        "{:?}",
        start.elapsed()
    );
    for command in ["inspect", "text", "check"] {
        let run = binary::run([command, text(&path)]);
        assert!(run.status.success(), "{command}: {}", binary::shown(&run));
    }
}

#[test]
fn a_damaged_ledger_restores_nothing() {
    let (folder, mailbox) = with_mailbox(200_000);
    let out = folder.path().join("out.mbox");
    let run = binary::run(["-q", "normalize", text(&mailbox), "-o", text(&out)]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    let ledger = folder.path().join("out.mbox.ledger");
    let whole = fs::read(&ledger).unwrap();
    let original = folder.path().join("original.mbox");
    let mut rng = Rng::new(2);
    for round in 0..60 {
        let mut damaged = whole.clone();
        if round % 3 == 0 {
            damaged.truncate(rng.below(whole.len()));
        } else {
            let at = rng.below(damaged.len());
            damaged[at] ^= 1 << rng.below(8);
        }
        fs::write(&ledger, &damaged).unwrap();
        let run = binary::run(["restore", text(&out), "-o", text(&original)]);
        assert_eq!(
            run.status.code(),
            Some(4),
            "round {round}: {}",
            binary::shown(&run)
        );
        assert!(
            !run.stderr.is_empty() && !String::from_utf8_lossy(&run.stderr).contains("panicked")
        );
        assert!(!original.exists());
    }
    fs::write(&ledger, &whole).unwrap();
    let run = binary::run(["restore", "--verify-only", text(&out)]);
    assert!(run.status.success(), "{}", binary::shown(&run));

    // A changed output is no better than a damaged ledger.
    let mut changed = fs::read(&out).unwrap();
    let last = changed.len() / 2;
    changed[last] ^= 1;
    fs::write(&out, changed).unwrap();
    let run = binary::run(["restore", text(&out), "-o", text(&original)]);
    assert_eq!(run.status.code(), Some(4), "{}", binary::shown(&run));
    assert!(!original.exists());
}
