//! `convert`: what iconv does, files and labels

use crate::sandbox::Sandbox;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// What iconv makes of it; every system with a C library by GNU has it.
fn iconv(from: &str, to: &str, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("iconv")
        .args(["-f", from, "-t", to])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("iconv is installed");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "iconv -f {from} -t {to}");
    output.stdout
}

#[test]
fn as_iconv_does() {
    let sandbox = Sandbox::new();
    for (charset, text) in [
        ("iso-8859-1", "Grüße, señor\n"),
        ("iso-8859-2", "Příliš žluťoučký kůň\n"),
        ("iso-8859-15", "5 € für Žofie\n"),
        ("windows-1252", "It’s “5 €”\n"),
        ("windows-1251", "Съешь же ещё\n"),
        ("koi8-r", "Привет, мир!\n"),
        ("shift_jis", "日本語のテキスト\n"),
        ("euc-jp", "日本語のテキスト\n"),
        ("iso-2022-jp", "日本語の text です\nvon Grund auf\n"),
        ("gbk", "简体中文與繁體\n"),
        ("gb18030", "简体中文 😀\n"),
        ("big5", "繁體中文\n"),
        ("euc-kr", "한국어 텍스트\n"),
        ("utf-16le", "a ü 日 😀\n"),
        ("utf-16be", "a ü 日 😀\n"),
        ("utf-32le", "a ü 日 😀\n"),
        ("utf-7", "a ü 日 text\n"),
    ] {
        // Long enough for several reads, and so that characters lie across their borders.
        let text = format!("{text}x").repeat(9_000);
        let encoded = iconv("utf-8", charset, text.as_bytes());
        let run = sandbox.pipe(&["convert", "-f", charset], &encoded).ended(0);
        assert!(run.text() == text, "{charset} to UTF-8");
        let run = sandbox
            .pipe(&["convert", "-f", "utf-8", "-t", charset], text.as_bytes())
            .ended(0);
        assert!(
            iconv(charset, "utf-8", &run.out) == text.as_bytes(),
            "UTF-8 to {charset}"
        );
        if charset != "utf-7" {
            assert!(
                run.out == encoded,
                "UTF-8 to {charset}: other bytes than iconv's"
            );
        }
    }
    for charset in ["utf-16", "utf-32"] {
        let text = "a ü 日 😀\n".repeat(20_000);
        let run = sandbox
            .pipe(&["convert", "-f", "utf-8", "-t", charset], text.as_bytes())
            .ended(0);
        assert!(
            iconv(charset, "utf-8", &run.out) == text.as_bytes(),
            "UTF-8 to {charset}"
        );
    }
}

#[test]
fn the_first_bad_byte_stops() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.txt", "grün\n\u{0}".replace('\0', "").as_bytes());
    let mut bad = b"x".repeat(100_000);
    bad.extend_from_slice(b"\xff more");
    sandbox.write("bad.txt", &bad);
    let run = sandbox.run(&["convert", "-f", "utf-8", "bad.txt"]).ended(1);
    assert_eq!(run.out, b"x".repeat(100_000));
    assert!(
        run.err.starts_with(
            "mailglot: convert: bad.txt: cannot read bytes at offset 100000..100001 ("
        ) && run.err.ends_with(") as UTF-8\n"),
        "{}",
        run.err
    );
    let run = sandbox
        .run(&["convert", "-c", "-f", "utf-8", "bad.txt"])
        .ended(0);
    assert!(run.text().ends_with("xxx more"));
    let run = sandbox
        .run(&["convert", "--replace", "-f", "utf-8", "bad.txt"])
        .ended(0);
    assert!(run.text().ends_with("xxx\u{FFFD} more"));

    let run = sandbox
        .pipe(
            &["convert", "-f", "utf-8", "-t", "latin1"],
            "a€b\n".as_bytes(),
        )
        .ended(1);
    assert_eq!(run.text(), "a");
    assert!(
        run.err
            .contains("standard input: cannot write U+20AC at byte 1"),
        "{}",
        run.err
    );
    for (option, text) in [("-c", "ab\n"), ("--replace", "a?b\n")] {
        let run = sandbox
            .pipe(
                &["convert", "-f", "utf-8", "-t", "latin1", option],
                "a€b\n".as_bytes(),
            )
            .ended(0);
        assert_eq!(run.text(), text);
    }
}

#[test]
fn mailbox_names() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .pipe(&["convert", "-f", "imap-utf-7"], b"Entw&APw-rfe\nA&-B\n")
        .ended(0);
    assert_eq!(run.text(), "Entwürfe\nA&B\n");
    let run = sandbox
        .pipe(
            &["convert", "-f", "utf-8", "-t", "imap-utf-7"],
            "Entwürfe\nA&B".as_bytes(),
        )
        .ended(0);
    assert_eq!(run.text(), "Entw&APw-rfe\nA&-B");
    let run = sandbox
        .pipe(&["convert", "-f", "imap-utf-7"], b"ok\nx&AP\n")
        .ended(1);
    assert_eq!(run.text(), "ok\nx");
    assert!(run.err.contains("offset 4..7"), "{}", run.err);
}

#[test]
fn files() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["convert", "-f", "windows-1252", "letter.txt", "letter.txt"])
        .ended(0);
    assert_eq!(run.text(), "It’s grün €\nIt’s grün €\n");
    // An input stays, whatever its output is called.
    let letter = sandbox.read("letter.txt");
    sandbox.shell("ln -s letter.txt other.txt").ended(0);
    for output in ["letter.txt", "./letter.txt", "other.txt"] {
        let args = ["convert", "-f", "windows-1252", "-o", output, "letter.txt"];
        let run = sandbox.run(&args).ended(1);
        assert_eq!(
            run.err,
            format!("mailglot: {output}: the output is an input: letter.txt\n")
        );
        assert_eq!(sandbox.read("letter.txt"), letter);
    }
    sandbox
        .run(&[
            "convert",
            "-f",
            "windows-1252",
            "-o",
            "utf8.txt",
            "letter.txt",
        ])
        .ended(0);
    assert_eq!(sandbox.read("utf8.txt"), "It’s grün €\n".as_bytes());
    fs::rename(sandbox.path("utf8.txt"), sandbox.path("letter.txt")).unwrap();
    // Whole or not at all.
    let before = sandbox.names();
    sandbox.write("jis.txt", b"a\xff");
    let run = sandbox
        .run(&[
            "convert",
            "-f",
            "utf-8",
            "-o",
            "out.txt",
            "letter.txt",
            "jis.txt",
        ])
        .ended(1);
    assert!(run.err.contains("jis.txt: "), "{}", run.err);
    sandbox
        .run(&[
            "convert",
            "-f",
            "utf-8",
            "-o",
            "out.txt",
            "letter.txt",
            "missing.txt",
        ])
        .ended(2);
    sandbox
        .run(&[
            "convert",
            "-f",
            "utf-8",
            "-o",
            "no/such/out.txt",
            "letter.txt",
        ])
        .ended(4);
    assert_eq!(sandbox.names(), before);
    let run = sandbox
        .run(&["convert", "-f", "utf-8", "missing.txt", ".", "letter.txt"])
        .ended(2);
    assert_eq!(run.text(), "It’s grün €\n");
    sandbox
        .shell("mailglot convert -f utf-8 letter.txt > /dev/full")
        .ended(4);
}

#[test]
fn labels() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["convert", "-f", "windows-1259", "letter.txt"])
        .ended(1);
    assert!(
        run.err
            .contains("unknown charset `windows-1259`; did you mean windows-125"),
        "{}",
        run.err
    );
    let run = sandbox
        .run(&["convert", "-f", "utf-8", "-t", "klingon-in-stone"])
        .ended(1);
    assert!(run.err.contains("mailglot convert -l"), "{}", run.err);
    sandbox.run(&["convert", "letter.txt"]).ended(1);
    let run = sandbox.run(&["convert", "-l"]).ended(0);
    for name in ["UTF-8", "windows-1252", "KOI8-R", "IMAP-UTF-7"] {
        assert!(run.text().lines().any(|line| line == name), "{name}");
    }
}

#[test]
fn standard_input_is_read_once() {
    let sandbox = Sandbox::new();
    for args in [
        &["convert", "-f", "latin1", "-", "-"][..],
        &["detect", "-", "-"],
        &["count", "-", "-"],
    ] {
        let run = sandbox.pipe(args, b"a").ended(1);
        assert!(
            run.err.contains("standard input (-) is given twice") && run.out.is_empty(),
            "{}",
            run.err
        );
    }
}

#[test]
fn suffixes_of_iconv_name_their_option() {
    let sandbox = Sandbox::new();
    for (label, option) in [
        ("ascii//TRANSLIT", "--unmappable translit"),
        ("ascii//ignore", "the option -c"),
    ] {
        let run = sandbox
            .pipe(&["convert", "-f", "utf-8", "-t", label], b"")
            .ended(1);
        assert!(
            run.err.contains("write `ascii`") && run.err.contains(option),
            "{}",
            run.err
        );
    }
}
