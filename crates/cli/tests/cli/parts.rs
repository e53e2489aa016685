//! `plan`, `run` and `commit`, and `normalize --resume`.

use crate::sandbox::{LATIN, PROGRAM, Sandbox, mbox};
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// A mailbox of this many messages of about 1 KB each.
fn mailbox(messages: usize) -> Vec<u8> {
    let text = |n: usize| {
        let header = format!("From: s{n}@example.org\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n");
        [
            header.as_bytes(),
            LATIN,
            b"words\n".repeat(130 + n % 50).as_slice(),
        ]
        .concat()
    };
    let messages: Vec<_> = (0..messages).map(text).collect();
    mbox(&messages.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Arguments of a job that a kill may interrupt.
const RESUMED: [&str; 8] = [
    "normalize",
    "a.mbox",
    "-q",
    "-o",
    "out",
    "--resume",
    "--split-size",
    "512K",
];

#[test]
fn parts_are_joined_to_the_output_of_normalize() {
    let sandbox = Sandbox::new();
    sandbox.write("a.mbox", &mailbox(2000));
    let options = [
        "--headers",
        "raw-utf8",
        "--charset-map",
        "x=koi8-r",
        "--keep-signed",
    ];
    let plan = [
        "plan",
        "a.mbox",
        "message.eml",
        "-o",
        "plan.json",
        "--split-size",
        "512K",
    ];
    let planned = sandbox.run(&[&plan[..], &options].concat()).ended(0);
    let splits = planned
        .err
        .lines()
        .next()
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap();
    let splits: usize = splits.parse().unwrap();
    assert!((4..8).contains(&splits), "{}", planned.err);
    let first = sandbox.read("plan.json");
    sandbox.run(&[&plan[..], &options].concat()).ended(0);
    assert_eq!(sandbox.read("plan.json"), first);
    let run = |split: &str| sandbox.run(&["run", "plan.json", "--split", split, "-o", "out"]);
    for split in 1..splits {
        assert!(run(&split.to_string()).ended(0).err.contains("messages"));
    }
    let commit = ["commit", "plan.json", "-o", "out", "--report", "parts.json"];
    let missing = sandbox.run(&commit).ended(4);
    let expected = format!(
        "out.parts: split 0 of {splits} has not finished; run each with `mailglot run PLAN --split N -o OUTPUT`\n"
    );
    assert!(missing.err.ends_with(&expected), "{}", missing.err);
    run("0").ended(0);
    assert!(run("0").ended(0).err.contains("already done: "));
    let joined = sandbox.run(&commit).ended(0);
    let normalize = [
        "normalize",
        "a.mbox",
        "message.eml",
        "-o",
        "whole",
        "--report",
        "whole.json",
    ];
    let whole = sandbox.run(&[&normalize[..], &options].concat()).ended(0);
    assert_eq!(
        joined.err.replace("out", "whole"),
        whole.err.replace("out", "whole")
    );
    for name in ["a.mbox", "message.eml"] {
        assert_eq!(
            sandbox.read(&format!("out/{name}")),
            sandbox.read(&format!("whole/{name}"))
        );
    }
    assert_eq!(sandbox.read("out.ledger"), sandbox.read("whole.ledger"));
    let report = |name: &str| {
        let mut report: serde_json::Value = serde_json::from_slice(&sandbox.read(name)).unwrap();
        for place in ["output", "ledger"] {
            report["options"][place].take();
        }
        report
    };
    assert_eq!(report("parts.json"), report("whole.json"));
    assert!(!sandbox.path("out.parts").exists());
    sandbox.run(&["restore", "out", "--verify-only"]).ended(0);
    sandbox.run(&commit).ended(4);
    // An attempt that an engine starts late.
    let late = run("0").ended(0);
    assert!(late.err.contains("not needed: out exists"), "{}", late.err);
    assert!(!sandbox.path("out.parts").exists());
    let forced = [&commit[..], &["--force"]].concat();
    let missing = sandbox.run(&forced).ended(4);
    assert!(
        missing.err.contains("-o OUTPUT --force`"),
        "{}",
        missing.err
    );
    for split in 0..splits {
        let split = split.to_string();
        let run = [
            "run",
            "plan.json",
            "--split",
            &split,
            "-o",
            "out",
            "--force",
        ];
        let run = sandbox.run(&run).ended(0);
        assert!(run.err.contains("messages"), "{}", run.err);
    }
    sandbox.write("out.parts/notes.txt", b"x");
    let joined = sandbox.run(&forced).ended(0);
    let kept = "kept        out.parts/notes.txt, not of this job";
    assert!(joined.err.contains(kept), "{}", joined.err);
}

#[test]
fn wrong_plans_and_splits_are_refused() {
    let sandbox = Sandbox::new();
    let plan = ["plan", "archive.mbox", "-o", "plan.json"];
    sandbox.run(&plan).ended(0);
    let out = ["-o", "out"];
    for (args, code, words) in [
        (
            &["run", "plan.json", "--split", "1"][..],
            1,
            "has no split 1; the plan has 1 split, number 0",
        ),
        (
            &["run", "archive.mbox", "--split", "0"],
            1,
            "not a plan of this program",
        ),
        (&["run", "none.json", "--split", "0"], 2, "none.json: "),
        (&["commit", "plan.json"], 4, "split 0 of 1 has not finished"),
        (
            &["commit", "archive.mbox"],
            1,
            "make one with `mailglot plan`",
        ),
        (&["plan", "-"], 1, "standard input can be read only once"),
        (
            &["plan", "archive.mbox", "--limit", "1"],
            1,
            "--limit counts messages over all inputs",
        ),
    ] {
        let run = sandbox.run(&[args, &out].concat()).ended(code);
        assert!(run.err.contains(words), "{}", run.err);
    }
    for args in [
        &["plan", "archive.mbox", "-o", "-"][..],
        &["run", "plan.json", "--split", "0", "-o", "-"],
        &["commit", "plan.json", "-o", "-"],
    ] {
        sandbox.run(args).ended(1);
    }
    // A plan replaces plans only, and lies in no input.
    for (place, code, words) in [
        ("archive.mbox", 1, "the output is an input"),
        (
            "notes.txt",
            4,
            "already exists, and is not a plan; choose another name",
        ),
    ] {
        fs::write(sandbox.path("notes.txt"), "{\"form\": 1}").unwrap();
        let before = sandbox.read(place);
        let run = sandbox
            .run(&["plan", "archive.mbox", "-o", place])
            .ended(code);
        assert!(run.err.contains(words), "{}", run.err);
        assert_eq!(sandbox.read(place), before);
    }
    let huge = u64::MAX.to_string();
    sandbox
        .run(&[&plan[..], &["--split-size", &huge]].concat())
        .ended(0);
    sandbox.run(&plan).ended(0);
    // Outputs that `commit` would refuse.
    for (output, code) in [("archive.mbox", 1), ("no/such/out", 4)] {
        let run = ["run", "plan.json", "--split", "0", "-o", output];
        sandbox.run(&run).ended(code);
        assert!(!sandbox.path("no").exists());
    }
    // The input has another time, although it has the same bytes.
    let file = fs::File::options()
        .append(true)
        .open(sandbox.path("archive.mbox"))
        .unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let run = sandbox
        .run(&["run", "plan.json", "--split", "0", "-o", "out"])
        .ended(1);
    assert!(
        run.err
            .contains("archive.mbox has changed since it was planned; "),
        "{}",
        run.err
    );
    assert!(!sandbox.path("out.parts").exists() && !sandbox.path("out").exists());
}

#[test]
fn a_killed_job_is_resumed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.mbox", &mailbox(4000));
    kill_and_resume(&sandbox, "a.mbox", "out");
}

#[test]
fn a_killed_job_is_resumed_inside_a_folder() {
    let sandbox = Sandbox::new();
    for folder in ["md/cur", "md/new"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    for number in 0..900 {
        let words = b"words\n".repeat(100 + number % 300);
        let folder = ["cur", "new"][number % 2];
        let message = [b"Subject: x\n", LATIN, &words].concat();
        sandbox.write(&format!("md/{folder}/{number}.host"), &message);
    }
    kill_and_resume(&sandbox, "md", "out/cur");
}

/// A job in one pass does not use the parts of an unfinished job, and names them.
#[test]
fn parts_of_an_unfinished_job_are_named() {
    let sandbox = Sandbox::new();
    let normalize = ["normalize", "archive.mbox", "-o", "out", "--force"];
    sandbox
        .run(&["plan", "archive.mbox", "-o", "plan.json"])
        .ended(0);
    sandbox
        .run(&["run", "plan.json", "--split", "0", "-o", "out"])
        .ended(0);
    let run = sandbox.run(&normalize).ended(0);
    let line = "parts       out.parts has parts of an unfinished job; they are not used and stay: \
        mailglot commit PLAN.json -o out joins them, or remove the folder\n";
    assert!(run.err.contains(line), "{}", run.err);
    // `--resume` keeps its plan beside the parts.
    sandbox.write("out.parts/plan.json", b"{}");
    let run = sandbox.run(&normalize).ended(0);
    let words = "the same command with --resume continues that job";
    assert!(run.err.contains(words), "{}", run.err);
    // A folder of another kind is not named.
    fs::remove_dir_all(sandbox.path("out.parts")).unwrap();
    fs::create_dir(sandbox.path("out.parts")).unwrap();
    sandbox.write("out.parts/notes.txt", b"x");
    let run = sandbox.run(&normalize).ended(0);
    assert!(!run.err.contains("unfinished"), "{}", run.err);
}

/// Kills jobs with other pauses each time, and continues them. Longer ranges of seeds are for a shell: each seed is other moments.
fn kill_and_resume(sandbox: &Sandbox, input: &str, files: &str) {
    let whole = files.replace("out", "whole");
    let begun = Instant::now();
    sandbox.run(&["normalize", input, "-o", "whole"]).ended(0);
    let duration = begun.elapsed().as_millis() as u64;
    let arguments = RESUMED.map(|word| if word == "a.mbox" { input } else { word });
    // The bytes of the output, or the names of its files with the digests of their contents.
    let read = |name: &str| match fs::read_dir(sandbox.path(name)) {
        Ok(entries) => {
            let names = entries.map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names.join("\n").into_bytes()
        }
        Err(_) => sandbox.read(name),
    };
    let (mut kills, mut resumed) = (0, 0);
    let mut pause = 0;
    while kills < 10 {
        let mut longest = duration * 3 / 2;
        for name in ["out", "out.ledger"] {
            let _ = fs::remove_file(sandbox.path(name));
            let _ = fs::remove_dir_all(sandbox.path(name));
        }
        loop {
            let mut child = Command::new(PROGRAM)
                .args(arguments)
                .current_dir(sandbox.path("."))
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            pause = (pause + 23) % longest;
            thread::sleep(Duration::from_millis(pause));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
                resumed += usize::from(sandbox.path("out.parts").exists());
                // Later each time, until the job is done before. On a busy machine, that takes longer.
                longest += 20;
                continue;
            }
            let ended = child.wait_with_output().unwrap();
            // It may have been killed after its last step.
            let was_done = String::from_utf8_lossy(&ended.stderr).contains("already exists");
            assert!(ended.status.success() || was_done, "{ended:?}");
            break;
        }
        assert!(read(files) == read(&whole));
        assert!(sandbox.read("out.ledger") == sandbox.read("whole.ledger"));
        assert!(!sandbox.path("out.parts").exists());
    }
    assert!(resumed > 0);
}

/// A job that a signal ends says how to continue, and one that cannot be continued says how to begin anew.
#[test]
fn an_interrupted_job_says_how_to_continue() {
    let sandbox = Sandbox::new();
    sandbox.write("a.mbox", &mailbox(8000));
    let mut interrupted = None;
    for _ in 0..50 {
        let mut child = Command::new(PROGRAM)
            .args(RESUMED)
            .current_dir(sandbox.path("."))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Plan, inputs and a part are there.
        let has_part = || {
            let names = fs::read_dir(sandbox.path("out.parts"));
            names.is_ok_and(|names| names.count() > 3)
        };
        while !has_part() && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        let kill = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status();
        kill.unwrap();
        let ended = child.wait_with_output().unwrap();
        if ended.status.code() == Some(130) {
            interrupted = Some(String::from_utf8(ended.stderr).unwrap());
            break;
        }
        for name in ["out", "out.ledger"] {
            fs::remove_file(sandbox.path(name)).unwrap();
        }
    }
    let words = interrupted.unwrap();
    assert!(
        words.ends_with("interrupted; repeat the command to continue\n"),
        "{words}"
    );
    let plan = String::from_utf8(sandbox.read("out.parts/plan.json")).unwrap();
    let other = plan.replace("\"mailglot ", "\"mailglot 99");
    sandbox.write("out.parts/plan.json", other.as_bytes());
    let refused = sandbox.run(&RESUMED).ended(1);
    assert!(
        refused
            .err
            .contains("out.parts: cannot be continued: plan.json: "),
        "{}",
        refused.err
    );
    assert!(
        refused.err.ends_with("; remove the folder to begin anew\n"),
        "{}",
        refused.err
    );
}

#[test]
fn another_job_does_not_continue_with_the_parts() {
    let sandbox = Sandbox::new();
    sandbox.write("a.mbox", &mailbox(1000));
    let plan = ["plan", "a.mbox", "-o", "plan.json", "--split-size", "512K"];
    sandbox.run(&plan).ended(0);
    sandbox
        .run(&["run", "plan.json", "--split", "0", "-o", "out"])
        .ended(0);
    // What `plan` wrote is what `--resume` keeps, but for the options.
    fs::copy(
        sandbox.path("plan.json"),
        sandbox.path("out.parts/plan.json"),
    )
    .unwrap();
    let resume = ["normalize", "a.mbox", "-o", "out", "--resume"];
    let other = sandbox
        .run(&[&resume[..], &["--transfer", "7bit"]].concat())
        .ended(1);
    let words =
        "out.parts: belongs to another job: the options or the version of the program differ, or ";
    assert!(other.err.contains(words), "{}", other.err);
    sandbox.run(&resume).ended(0);
    sandbox.run(&["restore", "out", "--verify-only"]).ended(0);
    assert!(!sandbox.path("out.parts").exists());
    sandbox
        .run(&["normalize", "a.mbox", "-o", "b", "--split-size", "1M"])
        .ended(1);
}
