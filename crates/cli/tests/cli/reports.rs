//! Summaries are never better than the truth: guesses, limits, and what stays as it is.

use crate::sandbox::Sandbox;
use serde_json::Value;

/// A mailbox of messages, each with this header and body.
fn mailbox(messages: &[(&str, &[u8])]) -> Vec<u8> {
    let mut mbox = Vec::new();
    for (header, body) in messages {
        mbox.extend_from_slice(b"From a@b.example Mon Jan  1 00:00:00 2001\nFrom: a@b.example\n");
        mbox.extend_from_slice(header.as_bytes());
        mbox.extend_from_slice(b"\n");
        mbox.extend_from_slice(body);
        mbox.extend_from_slice(b"\n");
    }
    mbox
}

fn guesses() -> Vec<u8> {
    let raw = b"Gr\xfc\xdfe aus K\xf6ln \x1b[31m\n";
    mailbox(&[
        ("Subject: plain\n", b"x\n"),
        ("Subject: =?iso-8859-1?q?Gr=C3=BC=C3=9Fe?=\n", b"x\n"),
        ("Subject: raw\n", raw),
        (
            "Content-Type: text/plain; charset=iso-8859-1\n",
            "Gr\u{fc}\u{df}e aus K\u{f6}ln\n".as_bytes(),
        ),
        (
            "Content-Type: text/plain; charset=iso-8859-1\n",
            b"Gr\xfc\xdfe\n",
        ),
    ])
}

#[test]
fn guesses_stand_behind_the_numbers_of_messages() {
    let sandbox = Sandbox::new();
    sandbox.write("g.mbox", &guesses());
    let head = "guesses     2 overruled labels, 1 guessed charset, least certain first";
    let checked = sandbox.run(&["check", "g.mbox"]).ended(0);
    let lines: Vec<_> = checked.text().lines().collect();
    let at = lines
        .iter()
        .position(|line| *line == head)
        .unwrap_or_else(|| panic!("{lines:#?}"));
    assert!(
        lines[at - 1].starts_with("would change 4 of 5"),
        "{lines:#?}"
    );
    let guess = "  g.mbox:2 part 1  \"Gr\u{fc}\u{df}e aus K\u{f6}ln \u{241b}[31m\"  no label, read as windows-1252 (0.";
    assert!(lines[at + 3].starts_with(guess), "{lines:#?}");
    assert!(lines[at + 3].ends_with(')'), "{lines:#?}");
    assert_eq!(
        lines[at + 1],
        "  g.mbox:1 Subject  \"Gr\u{fc}\u{df}e\"  label iso-8859-1 overruled, read as UTF-8"
    );
    assert!(lines[at + 2].starts_with(
        "  g.mbox:3 part 1  \"Gr\u{fc}\u{df}e aus K\u{f6}ln\"  label iso-8859-1 overruled"
    ));

    let done = sandbox
        .run(&["normalize", "g.mbox", "-o", "c.mbox", "--report", "r.json"])
        .ended(0);
    let told: Vec<_> = done.err.lines().collect();
    let at = told
        .iter()
        .position(|line| *line == head)
        .unwrap_or_else(|| panic!("{told:#?}"));
    assert!(
        told[at - 1].starts_with("changed     4 messages"),
        "{told:#?}"
    );
    let report: Value = serde_json::from_slice(&sandbox.read("r.json")).unwrap();
    assert_eq!(report["options"]["detect"], "contradiction");
    let summary = &report["summary"];
    assert_eq!(
        (&summary["guessed"], &summary["overruled"]),
        (&1.into(), &2.into())
    );
    let least = &summary["least_certain"];
    assert_eq!(
        (&least[0]["message"], &least[0]["kind"]),
        (&"g.mbox:2".into(), &"guessed".into())
    );
    assert_eq!(
        (&least[1]["field"], &least[1]["declared"]),
        (&"Subject".into(), &"iso-8859-1".into())
    );
    assert!(
        least[0]["confidence"]
            .as_f64()
            .is_some_and(|confidence| confidence < 1.0)
    );

    let shown = sandbox.run(&["inspect", "g.mbox:2"]).ended(0);
    let lines: Vec<_> = shown.text().lines().collect();
    assert!(
        lines[1].starts_with("guesses     1 guessed charset"),
        "{lines:#?}"
    );
    assert!(lines[2].starts_with("  g.mbox:2 part 1  "), "{lines:#?}");
    let shown = sandbox.run(&["inspect", "--json", "g.mbox:1"]).ended(0);
    let view: Value = serde_json::from_str(shown.text()).unwrap();
    assert_eq!(
        (&view["overruled"], &view["least_certain"][0]["field"]),
        (&1.into(), &"Subject".into())
    );
    sandbox
        .run(&["check", "--detect", "off", "g.mbox"])
        .ended(0);
}

#[test]
fn guesses_can_fail_a_job() {
    let sandbox = Sandbox::new();
    sandbox.write("g.mbox", &guesses());
    sandbox.write(
        "clean.mbox",
        &mailbox(&[(
            "Content-Type: text/plain; charset=iso-8859-1\n",
            b"Gr\xfc\xdfe\n",
        )]),
    );
    sandbox
        .run(&["check", "--fail-on", "guess", "g.mbox"])
        .ended(3);
    sandbox
        .run(&["check", "--fail-on", "guess", "clean.mbox"])
        .ended(0);
    sandbox
        .run(&["check", "--fail-on", "loss", "g.mbox"])
        .ended(0);
    sandbox
        .run(&[
            "normalize",
            "--fail-on",
            "guess",
            "g.mbox",
            "-o",
            "out.mbox",
        ])
        .ended(3);
}

/// The same guesses in the same order for any number of threads, more than a report keeps.
#[test]
fn threads_do_not_show_in_the_guesses() {
    let sandbox = Sandbox::new();
    let bodies: Vec<_> = (0..1500_u32)
        .map(|n| {
            let mut body = format!("{n} {} ", "text ".repeat(n as usize % 300)).into_bytes();
            body.extend(
                (0..n % 40)
                    .flat_map(|at| [b'a' + (at % 20) as u8, 0xC0 + (n * 7 + at * 5) as u8 % 64]),
            );
            body
        })
        .collect();
    let messages: Vec<_> = bodies
        .iter()
        .map(|body| ("Subject: x\n", body.as_slice()))
        .collect();
    sandbox.write("many.mbox", &mailbox(&messages));
    let report = |threads: &str| {
        let out = format!("o{threads}.mbox");
        sandbox
            .run(&[
                "normalize",
                "many.mbox",
                "-o",
                &out,
                "--report",
                "r.json",
                "--force",
                "--threads",
                threads,
            ])
            .ended(0);
        let report: Value = serde_json::from_slice(&sandbox.read("r.json")).unwrap();
        report["summary"].clone()
    };
    let (one, three) = (report("1"), report("3"));
    assert_eq!(one, three);
    assert!(
        one["guessed"].as_u64().unwrap() > 1000,
        "{}",
        one["guessed"]
    );
    let known = one["least_certain"].as_array().unwrap();
    assert_eq!(
        known
            .iter()
            .filter(|guess| guess["kind"] == "guessed")
            .count(),
        500
    );
}

#[test]
fn what_lies_beyond_limits_is_a_loss() {
    let sandbox = Sandbox::new();
    let mut fields: Vec<u8> = (0..100_001).flat_map(|_| *b"X: caf\xe9\n").collect();
    fields.extend_from_slice(b"\nx\n");
    sandbox.write("fields.eml", &fields);
    sandbox.write(
        "deep.eml",
        "Content-Type: message/rfc822\n\n".repeat(50_000).as_bytes(),
    );
    for (name, code) in [
        ("fields.eml", "hdr.beyond-limit"),
        ("deep.eml", "mime.depth"),
    ] {
        let run = sandbox.run(&["check", "--fail-on", "loss", name]).ended(3);
        assert!(
            run.text().contains("not read    1 ") && run.text().contains(code),
            "{}",
            run.text()
        );
        assert!(run.text().contains("\nlosses      1\n"), "{}", run.text());
    }
    let run = sandbox.run(&["check", "fields.eml"]).ended(0);
    let repaired = run.text().contains("\nrepairs     0\n");
    assert_eq!(
        repaired,
        run.text().contains("would change 0 of 1"),
        "{}",
        run.text()
    );
}

#[test]
fn a_message_that_is_too_large_is_a_loss() {
    let sandbox = Sandbox::new();
    let mut large = b"Subject: caf\xe9\n\n".to_vec();
    large.resize(65 << 20, b'x');
    sandbox.write("large.eml", &large);
    sandbox.write("small.eml", b"Subject: x\n\ny\n");
    let run = sandbox
        .run(&["text", "--max-message", "64M", "large.eml", "small.eml"])
        .ended(2);
    assert_eq!(run.text(), "y\n");
    assert!(
        run.err.contains("not read    1 too large message"),
        "{}",
        run.err
    );
    let run = sandbox
        .run(&[
            "check",
            "--max-message",
            "64M",
            "--fail-on",
            "loss",
            "large.eml",
        ])
        .ended(3);
    assert!(
        run.text().contains("not read    1 too large message"),
        "{}",
        run.text()
    );
    assert!(run.text().contains("\nlosses      1\n"), "{}", run.text());
    let run = sandbox
        .run(&[
            "normalize",
            "--max-message",
            "64M",
            "--fail-on",
            "loss",
            "large.eml",
            "-o",
            "o.eml",
        ])
        .ended(3);
    assert!(
        run.err.contains("not read    1 too large message"),
        "{}",
        run.err
    );
    let run = sandbox.run(&["inspect", "large.eml"]).ended(0);
    assert!(run.text().contains("msg.too-large"), "{}", run.text());
    for command in ["check", "normalize", "text"] {
        assert!(
            sandbox
                .run(&[command, "--help"])
                .ended(0)
                .text()
                .contains("64 MiB"),
            "{command}"
        );
    }
}

#[test]
fn flags_that_are_lost_are_named() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&[
            "normalize",
            "Maildir",
            "-o",
            "m.mbox",
            "--to",
            "mbox",
            "--fail-on",
            "repair",
        ])
        .ended(3);
    assert!(
        run.err.contains("not kept    flags of 1 message\n"),
        "{}",
        run.err
    );
}

/// The report names the options that divide a mailbox.
#[test]
fn a_report_says_how_the_job_was_run() {
    let sandbox = Sandbox::new();
    let words = [
        "normalize",
        "archive.mbox",
        "-o",
        "o.mbox",
        "--report",
        "r.json",
        "--mbox-rule",
        "loose",
        "--mbox-override",
        "0=cut",
        "--detect",
        "always",
    ];
    sandbox.run(&words).ended(0);
    let report: Value = serde_json::from_slice(&sandbox.read("r.json")).unwrap();
    let options = &report["options"];
    assert_eq!(options["mbox_rule"], "loose");
    assert_eq!(options["mbox_override"], serde_json::json!(["0=cut"]));
    assert_eq!(options["max_expansion"], 200);
    assert_eq!(options["follow_links"], false);
    assert_eq!(options["detect"], "always");
}

/// Two jobs in folders of different names, a second apart.
#[test]
fn deterministic_reports_do_not_depend_on_folder_and_time() {
    let sandbox = Sandbox::new();
    let mut outputs = Vec::new();
    for folder in ["one", "other/two"] {
        let script = format!(
            "mkdir -p {folder}/in && cp -r archive.mbox Maildir {folder}/in && cp archive.mbox {folder}/in/copy.mbox && printf 'x' > {folder}/in/Maildir/cur/9"
        );
        sandbox.shell(&script).ended(0);
        let at = |name: &str| sandbox.path(folder).join(name).into_os_string();
        let words = [
            "normalize".into(),
            at("in/archive.mbox"),
            at("in/copy.mbox"),
            at("in/Maildir"),
            "-o".into(),
            at("out"),
            "--dedupe".into(),
            "mark".into(),
            "--deterministic".into(),
            "--report".into(),
            at("r.json"),
        ];
        sandbox.run(&words).ended(2);
        let files = ["r.json", "out.ledger", "out/archive.mbox"]
            .map(|name| sandbox.read(&format!("{folder}/{name}")));
        outputs.push(files);
        std::thread::sleep(std::time::Duration::from_millis(1100));
    }
    assert!(outputs[0] == outputs[1]);
    let report = String::from_utf8_lossy(&outputs[0][0]);
    assert!(
        !report.contains("/one") && !report.contains("/in/"),
        "{report}"
    );
    assert!(
        report.contains("\"same bytes as archive.mbox:0\""),
        "{report}"
    );
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["options"]["output"], "out");
    assert_eq!(report["options"]["inputs"][2], "Maildir");
    assert_eq!(report["summary"]["without_header"]["Maildir"], 1);
}
