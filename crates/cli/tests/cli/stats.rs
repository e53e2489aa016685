//! `--stats`

use crate::sandbox::Sandbox;
use std::fs;

/// Returns the counters on the last line of standard error, which add up.
fn counters(errors: &str, threads: u64) -> serde_json::Value {
    let line = errors.lines().last().unwrap_or_default();
    let counters: serde_json::Value = serde_json::from_str(line).unwrap();
    let seconds = |name: &str| counters[name].as_f64().unwrap();
    assert_eq!(counters["threads"], threads, "{line}");
    let phases = [
        "reading",
        "reading_files",
        "processing",
        "writing",
        "waiting",
    ];
    let sum: f64 = phases.iter().map(|name| seconds(name)).sum();
    // Each time is cut to microseconds.
    assert!(
        sum > 0.0 && sum <= seconds("working") * threads as f64 + 1e-4,
        "{line}"
    );
    assert!(seconds("working") <= seconds("elapsed"), "{line}");
    counters
}

#[test]
fn times_of_the_threads_add_up() {
    let sandbox = Sandbox::new();
    for folder in ["md/cur", "md/new", "md/tmp"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    for number in 0..500 {
        let message = format!("Subject: {number}\n\n{}", "caf\u{e9}\n".repeat(200));
        sandbox.write(&format!("md/cur/{number}:2,"), message.as_bytes());
    }
    for (threads, reads_files) in [("1", false), ("2", true)] {
        for command in [
            &["text", "--json", "md"][..],
            &["ls", "md"],
            &[
                "split",
                "md",
                "--by",
                "year",
                "-o",
                &format!("years{threads}"),
            ],
            &["normalize", "md", "-o", &format!("out{threads}")],
        ] {
            let options = ["--threads", threads, "--stats=json", "-q"];
            let ended = sandbox.run(&[command, &options].concat()).ended(0);
            let counters = counters(&ended.err, threads.parse().unwrap());
            let files = counters["reading_files"].as_f64().unwrap();
            assert_eq!(files > 0.0, reads_files, "{command:?}");
        }
    }
    let ended = sandbox.run(&["count", "--stats=json", "md"]).ended(0);
    counters(&ended.err, 1);
    assert!(ended.text().starts_with("500\t"));
}

#[test]
fn times_are_printed_on_request_only() {
    let sandbox = Sandbox::new();
    let silent = sandbox.run(&["check", "archive.mbox"]).ended(0);
    let asked = sandbox.run(&["check", "--stats", "archive.mbox"]).ended(0);
    assert_eq!(asked.text(), silent.text());
    assert!(!silent.err.contains("processing"));
    let errors = &asked.err;
    for phase in [
        "reading  ",
        "reading files",
        "processing",
        "writing",
        "waiting",
    ] {
        assert!(errors.contains(&format!("\n  {phase}")), "{errors}");
    }
    sandbox
        .run(&["check", "--stats=xml", "archive.mbox"])
        .ended(1);
}
