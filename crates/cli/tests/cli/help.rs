//! Help, completions, the man page, and usage

use crate::sandbox::{LATIN, Sandbox};

const COMMANDS: [&[&str]; 25] = [
    &[],
    &["normalize"],
    &["restore"],
    &["check"],
    &["count"],
    &["ls"],
    &["cat"],
    &["split"],
    &["text"],
    &["inspect"],
    &["header"],
    &["header", "decode"],
    &["header", "params"],
    &["header", "encode"],
    &["convert"],
    &["charsets"],
    &["detect"],
    &["filter"],
    &["ledger"],
    &["ledger", "find"],
    &["ledger", "show"],
    &["ledger", "restore"],
    &["ledger", "release"],
    &["completions"],
    &["man"],
];

#[test]
fn without_arguments_a_tour_leads_to_the_commands() {
    let run = Sandbox::new().run(&[""; 0]).ended(1);
    assert_eq!(run.text(), "");
    assert_eq!(run.err.lines().count(), 10, "{}", run.err);
    assert!(run.err.contains("mailglot check list.mbox"), "{}", run.err);
}

#[test]
fn every_command_has_help() {
    let sandbox = Sandbox::new();
    for command in COMMANDS {
        for option in ["--help", "-h"] {
            let run = sandbox.run(&[command, &[option]].concat()).ended(0);
            assert!(run.text().contains("Usage: mailglot"), "{command:?}");
            assert!(run.err.is_empty());
        }
    }
    let run = sandbox.run(&["--version"]).ended(0);
    assert_eq!(
        run.text(),
        concat!("mailglot ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

/// Each line `  $ …` of a help text runs as it stands there.
#[test]
fn examples_work() {
    let mut ran = 0;
    for command in COMMANDS {
        let sandbox = Sandbox::new();
        // As a gateway leaves one.
        let (ledger, _) =
            mailglot_archive::ledger::write_whole(Vec::new(), LATIN, b"{}", "test").unwrap();
        sandbox.write("4F2.ledger", &ledger);
        crate::ledger::kept(&sandbox);
        let help = sandbox.run(&[command, &["--help"]].concat()).ended(0);
        let examples: Vec<_> = help
            .text()
            .lines()
            .filter_map(|line| line.strip_prefix("  $ "))
            .collect();
        assert!(
            !examples.is_empty() || command == ["header"] || command == ["ledger"],
            "{command:?} has no example"
        );
        for example in examples {
            let run = sandbox.shell(example);
            assert_eq!(run.code, 0, "{example}: {run:?}");
            ran += 1;
        }
    }
    assert!(ran > 25, "{ran}");
}

#[test]
fn completions_for_each_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = sandbox.run(&["completions", shell]).ended(0);
        for word in [
            "normalize",
            "default-charset",
            "charsets",
            "iana",
            "explain",
            "unmappable",
        ] {
            assert!(run.text().contains(word), "{shell}: {word}");
        }
    }
    sandbox.run(&["completions", "dos"]).ended(1);
}

#[test]
fn the_man_page_is_whole() {
    let run = Sandbox::new().run(&["man"]).ended(0);
    for words in [
        ".TH mailglot",
        ".SH \"MAILGLOT NORMALIZE\"",
        ".SH \"MAILGLOT HEADER DECODE\"",
        "fail\\-open",
        ".SH \"MAILGLOT CHARSETS\"",
        "\\-\\-explain",
        "translit",
    ] {
        assert!(run.text().contains(words), "{words}");
    }
}

#[test]
fn wrong_usage_is_1() {
    let sandbox = Sandbox::new();
    for args in [
        &[][..],
        &["nothing"],
        &["normalize"],
        &["normalize", "archive.mbox"],
        &[
            "normalize",
            "archive.mbox",
            "-o",
            "out",
            "--default-charset",
            "klingon",
        ],
        &["normalize", "archive.mbox", "-o", "out", "--threads", "0"],
        &["count"],
        &["header"],
        &["restore", "archive.mbox"],
        &["check", "--fail-on", "rain", "archive.mbox"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 1, "{args:?}: {run:?}");
        assert!(
            run.out.is_empty() && !run.err.is_empty(),
            "{args:?}: {run:?}"
        );
    }
}

#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let sandbox = Sandbox::new();
    for line in [
        "mailglot --help > /dev/full",
        "mailglot convert -h > /dev/full",
        "mailglot --version > /dev/full",
    ] {
        let run = sandbox.shell(line).ended(4);
        assert!(run.err.contains("standard output"), "{line}: {}", run.err);
    }
    sandbox.shell("mailglot --help | true").ended(0);
    sandbox.shell("mailglot --help > /dev/null").ended(0);
}

#[test]
fn languages_are_tags() {
    let sandbox = Sandbox::new();
    for command in [
        &["text", "message.eml"][..],
        &["detect", "letter.txt"],
        &["check", "archive.mbox"],
    ] {
        sandbox
            .run(&[command, &["--lang-hint", "pt-BR"]].concat())
            .ended(0);
        let run = sandbox
            .run(&[command, &["--lang-hint", "!!!"]].concat())
            .ended(1);
        assert!(run.err.contains("expected a language tag"), "{}", run.err);
    }
}
