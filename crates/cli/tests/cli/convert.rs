//! `convert`, beside iconv

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
fn each_loss_is_explained() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.txt", b"\x93\xfa\x96\x7b\xffabc \x82");
    let run = sandbox
        .run(&[
            "convert",
            "-f",
            "shift_jis",
            "--replace",
            "--explain",
            "bad.txt",
        ])
        .ended(0);
    assert_eq!(run.text(), "日本\u{FFFD}abc \u{FFFD}");
    assert_eq!(
        run.err,
        "bad.txt: bytes 4..5: invalid as Shift_JIS, written: U+FFFD\n    \
         93 FA 96 7B [FF] 61 62 63 20 82    日本[\u{FFFD}]abc \u{FFFD}\n\
         bad.txt: bytes 9..10: invalid as Shift_JIS, written: U+FFFD\n    \
         93 FA 96 7B FF 61 62 63 20 [82]    日本\u{FFFD}abc [\u{FFFD}]\n"
    );
    let run = sandbox
        .run(&["convert", "-f", "shift_jis", "-c", "--explain", "bad.txt"])
        .ended(0);
    assert_eq!(
        (run.text(), run.err.matches("written: nothing\n").count()),
        ("日本abc ", 2)
    );
    let run = sandbox
        .run(&["convert", "-f", "shift_jis", "--explain", "bad.txt"])
        .ended(1);
    assert!(
        run.err.contains("written: nothing, the work stops here\n"),
        "{}",
        run.err
    );
    assert!(run.err.contains("offset 4..5 (invalid)"), "{}", run.err);

    // Far from the start, across the pieces that are read.
    let mut far = b"x".repeat(65_534);
    far.extend_from_slice(b"12\xff34\xff");
    sandbox.write("far.txt", &far);
    let run = sandbox
        .run(&[
            "convert",
            "-f",
            "utf-8",
            "--replace",
            "--explain",
            "far.txt",
        ])
        .ended(0);
    assert!(
        run.err
            .contains("far.txt: bytes 65536..65537: invalid-byte as UTF-8"),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("78 31 32 [FF] 33 34 FF    xxxxxxxxxx12[\u{FFFD}]34\u{FFFD}\n"),
        "{}",
        run.err
    );
    assert_eq!(run.err.lines().count(), 4);
    let run = sandbox
        .run(&[
            "-q",
            "convert",
            "-f",
            "utf-8",
            "--replace",
            "--explain",
            "far.txt",
        ])
        .ended(0);
    assert_eq!(run.err, "");
}

#[test]
fn what_was_left_out_or_replaced_is_counted() {
    let sandbox = Sandbox::new();
    for (args, input, err) in [
        (
            &["-f", "utf-8", "-c"][..],
            &b"a\xff\xffb\xc3"[..],
            "standard input: 3 defects in bytes that cannot be decoded, left out (--explain lists each)\n",
        ),
        (
            &["-f", "utf-8", "--replace"],
            b"a\xff",
            "standard input: 1 defect in bytes that cannot be decoded, replaced (--explain lists each)\n",
        ),
        (
            &["-f", "utf-8", "-t", "us-ascii", "--replace"],
            "ü€".as_bytes(),
            "2 characters of the text cannot be written in US-ASCII (--explain lists each)\n",
        ),
        (&["-f", "utf-8", "-c"], "ü".as_bytes(), ""),
        (
            &["-f", "utf-7", "-c"],
            b"a\\b~c",
            "standard input: 2 defects in bytes that cannot be decoded, decoded all the same (--explain lists each)\n",
        ),
        (
            &["-f", "utf-7", "-c"],
            b"a\\b \xff",
            "standard input: 2 defects in bytes that cannot be decoded, left out or decoded all the same (--explain lists each)\n",
        ),
        (
            &["-f", "utf-8", "-t", "us-ascii", "--unmappable", "translit"],
            "é€ “x”".as_bytes(),
            "4 characters of the text written as similar characters of US-ASCII (--explain lists each)\n",
        ),
        (
            &["-f", "utf-8", "-t", "us-ascii", "--unmappable", "translit"],
            "é日".as_bytes(),
            "1 character of the text written as similar characters of US-ASCII (--explain lists each)\n\
             1 character of the text cannot be written in US-ASCII (--explain lists each)\n",
        ),
    ] {
        let run = sandbox.pipe(&[&["convert"], args].concat(), input).ended(0);
        assert_eq!(run.err, err, "{args:?}");
        assert!(
            sandbox
                .pipe(&[&["-q", "convert"], args].concat(), input)
                .ended(0)
                .err
                .is_empty()
        );
    }
}

/// The law of what is explained: it does not depend on how a pipe cuts the input.
#[test]
fn what_is_explained_does_not_depend_on_pieces() {
    let sandbox = Sandbox::new();
    for (args, input) in [
        (
            &["-f", "utf-8", "--replace"][..],
            &b"a\xff\xff\xfeb\xc3\xa9\xe2\x82\xc3c"[..],
        ),
        (
            &["-f", "utf-8", "-t", "us-ascii", "--replace"],
            "x€€ü y".as_bytes(),
        ),
        (&["-f", "utf-8", "-t", "us-ascii"], "x€€ü y".as_bytes()),
        (
            &["-f", "utf-16le", "--replace"],
            b"a\0\x00\xd8\x00\xd8b\0\xff",
        ),
        (&["-f", "shift_jis", "-c"], b"\x93\xfa\xff\xff\xa0\x82"),
        (&["-f", "utf-8"], b"ab\xff\xffcd"),
        (
            &["-f", "utf-7", "--replace"],
            b"+AGE \xe9\xe9+2AA- +ZeVnLIqe-",
        ),
    ] {
        let args = [&["convert", "--explain"], args].concat();
        let whole = sandbox.pipe(&args, input);
        assert!(whole.err.contains("bytes "), "{args:?}: {whole:?}");
        for cut in 1..input.len() {
            let pieces = sandbox.pipe_in_pieces(&args, &[&input[..cut], &input[cut..]]);
            assert_eq!(
                (pieces.err, pieces.out, pieces.code),
                (whole.err.clone(), whole.out.clone(), whole.code)
            );
        }
    }
}

/// The place of what stops the work does not depend on that either.
#[test]
fn where_the_work_stops_does_not_depend_on_pieces() {
    let sandbox = Sandbox::new();
    for (label, input) in [
        ("cesu-8", &b"a\x80\x82\x9a"[..]),
        ("euc-jp", b"a\xff\xff\xff"),
        ("utf-8", b"ab\xff\xffcd"),
        ("utf-ebcdic", b"\x81\x41\x42\x43"),
        ("utf-16le", b"a\0\x00\xd8\x00\xd8b\0"),
        ("shift_jis", b"\x93\xfa\xff\xff\xa0\x82"),
    ] {
        let args = ["convert", "-f", label];
        let whole = sandbox.pipe(&args, input).ended(1);
        for cut in 1..input.len() {
            let pieces = sandbox
                .pipe_in_pieces(&args, &[&input[..cut], &input[cut..]])
                .ended(1);
            assert_eq!(
                (pieces.err, pieces.out),
                (whole.err.clone(), whole.out.clone()),
                "{label} cut at {cut}"
            );
        }
    }
}

/// Of several files each has places of its own.
#[test]
fn places_are_those_of_each_file() {
    let sandbox = Sandbox::new();
    sandbox.write("ok", b"ok\n");
    sandbox.write("eu", "x€日y\n".as_bytes());
    let args = ["convert", "-f", "utf-8", "-t", "iso-2022-jp"];
    let run = sandbox.run(&[&args[..], &["ok", "eu"]].concat()).ended(1);
    assert!(
        run.err
            .contains("eu: cannot write U+20AC at byte 1 of the text"),
        "{}",
        run.err
    );
    let run = sandbox
        .run(&[&args[..], &["--replace", "--explain", "ok", "eu", "ok"]].concat())
        .ended(0);
    assert!(
        run.err
            .starts_with("eu: text, bytes 1..4: unmappable in ISO-2022-JP"),
        "{}",
        run.err
    );
}

/// A sign that the charset itself has not is no replacement.
#[test]
fn signs_that_cannot_be_written_are_refused() {
    let sandbox = Sandbox::new();
    for way in [
        &["--replace"][..],
        &["--unmappable", "html"],
        &["--unmappable", "hex"],
        &["--unmappable", "translit"],
    ] {
        let run = sandbox
            .pipe(
                &[&["convert", "-f", "utf-8", "-t", "BRF"], way].concat(),
                b"x\n",
            )
            .ended(1);
        assert!(
            run.err.contains("BRF has no ") && run.out.is_empty(),
            "{}",
            run.err
        );
    }
    for label in [
        "us-ascii",
        "utf-16",
        "iso-2022-jp",
        "IBM037",
        "imap-utf-7",
        "koi8-r",
        "utf-7",
    ] {
        sandbox
            .pipe(
                &["convert", "-f", "utf-8", "-t", label, "--unmappable", "hex"],
                b"x",
            )
            .ended(0);
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

/// What is said to be written is what is written.
#[test]
fn replacements_are_counted_as_they_are_written() {
    let sandbox = Sandbox::new();
    let mut state = 1u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Without this byte no input holds a U+FFFD of its own.
        ((state >> 24) as u8).min(0xfc)
    };
    for label in [
        "utf-8",
        "utf-16le",
        "utf-32be",
        "shift_jis",
        "gb18030",
        "euc-kr",
        "big5",
        "iso-2022-jp",
        "us-ascii",
    ] {
        let input: Vec<u8> = (0..4000)
            .map(|_| byte() | if byte() > 128 { 0x80 } else { 0 })
            .collect();
        let run = sandbox
            .pipe(&["convert", "-f", label, "--replace", "--explain"], &input)
            .ended(0);
        let told = |line: &str| match line.rsplit_once("written: ")?.1 {
            "U+FFFD" => Some(1),
            many => many.strip_suffix(" times U+FFFD")?.parse::<usize>().ok(),
        };
        let told: usize = run.err.lines().filter_map(told).sum();
        assert!(told > 100, "{label}");
        assert_eq!(told, run.text().matches('\u{FFFD}').count(), "{label}");
        let run = sandbox
            .pipe(&["convert", "-f", label, "-c"], &input)
            .ended(0);
        assert_eq!(run.text().matches('\u{FFFD}').count(), 0, "{label}");
    }
}

#[test]
fn what_is_wrong_in_a_mailbox_name_is_explained() {
    let sandbox = Sandbox::new();
    let run = sandbox.pipe(
        &["convert", "-f", "imap-utf-7", "--replace", "--explain"],
        b"ok\nEntw&APw-&!\n",
    );
    let run = run.ended(0);
    assert_eq!(run.text(), "ok\nEntwü\u{FFFD}!\n");
    assert!(
        run.err
            .starts_with("standard input: bytes 12..13: invalid as UTF-7-IMAP"),
        "{}",
        run.err
    );
    let run = sandbox
        .pipe(
            &["convert", "-f", "imap-utf-7", "--explain"],
            b"Entw&APw-&!\n",
        )
        .ended(1);
    assert!(
        run.err.contains("written: nothing, the work stops here\n"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("offset 9..10 (invalid) as UTF-7-IMAP"),
        "{}",
        run.err
    );
    let run = sandbox
        .pipe(
            &["convert", "-f", "utf-8", "-t", "imap-utf-7", "--explain"],
            b"ok\na\0\n",
        )
        .ended(1);
    assert_eq!(run.text(), "ok\n");
    assert!(
        run.err
            .contains("text, bytes 4..5: unmappable in UTF-7-IMAP"),
        "{}",
        run.err
    );
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

#[test]
fn what_cannot_be_written_is_written_as_asked() {
    let sandbox = Sandbox::new();
    let text = "Naïve “5 €” 日\n".as_bytes();
    for (way, expected) in [
        ("question", "Na?ve ?5 ?? ?\n"),
        ("html", "Na&#239;ve &#8220;5 &#8364;&#8221; &#26085;\n"),
        ("hex", "Na&#xEF;ve &#x201C;5 &#x20AC;&#x201D; &#x65E5;\n"),
        ("skip", "Nave 5  \n"),
        ("translit", "Naive \"5 EUR\" ?\n"),
    ] {
        let run = sandbox
            .pipe(
                &[
                    "convert",
                    "-f",
                    "utf-8",
                    "-t",
                    "us-ascii",
                    "--unmappable",
                    way,
                ],
                text,
            )
            .ended(0);
        assert_eq!(run.text(), expected, "{way}");
        assert!(
            run.err
                .ends_with("of the text cannot be written in US-ASCII (--explain lists each)\n")
        );
    }
    let args = [
        "convert",
        "-f",
        "utf-8",
        "-t",
        "us-ascii",
        "--unmappable",
        "error",
        "--replace",
    ];
    let run = sandbox.pipe(&args, text).ended(1);
    assert_eq!(run.text(), "Na");
    assert!(
        run.err.contains("cannot write U+00EF at byte 2"),
        "{}",
        run.err
    );
    sandbox
        .pipe(
            &[
                "convert",
                "-f",
                "utf-8",
                "-t",
                "us-ascii",
                "--unmappable",
                "rot13",
            ],
            text,
        )
        .ended(1);

    let args = [
        "convert",
        "-f",
        "utf-8",
        "-t",
        "iso-8859-1",
        "--unmappable",
        "html",
        "--explain",
    ];
    let run = sandbox.pipe(&args, text).ended(0);
    assert!(
        run.err.starts_with(
            "text, bytes 7..10: unmappable in ISO-8859-1, written: 26 23 38 32 32 30 3B \"&#8220;\"\n    \
             U+201C    Naïve [“]5 €” 日␊\n"
        ),
        "{}",
        run.err
    );
    assert_eq!(
        run.err.matches("unmappable in ISO-8859-1").count(),
        3,
        "{}",
        run.err
    );
    let run = sandbox
        .pipe(
            &["convert", "-f", "utf-8", "-t", "us-ascii", "--explain"],
            text,
        )
        .ended(1);
    assert_eq!(
        run.err,
        "text, bytes 2..4: unmappable in US-ASCII, written: nothing, the work stops here\n    \
         U+00EF    Na[ï]ve “5 €” 日␊\n\
         mailglot: convert: standard input: cannot write U+00EF at byte 2 of the text (as UTF-8) in US-ASCII\n"
    );
}

/// What is written under a name can be read under it, character by character, and no superset is written under it.
#[test]
fn what_is_written_can_be_read() {
    let sandbox = Sandbox::new();
    let text: String = ('\u{20}'..='\u{FFFF}')
        .filter(|c| *c != '\u{FEFF}')
        .flat_map(|c| [c, '\n'])
        .collect();
    for charset in [
        "windows-1252",
        "windows-874",
        "koi8-u",
        "shift_jis",
        "euc-jp",
        "cp51932",
        "iso-2022-jp",
        "gb2312",
        "gbk",
        "euc-kr",
        "ks_c_5601-1987",
        "big5",
        "Extended_UNIX_Code_Fixed_Width_for_Japanese",
    ] {
        let written = sandbox.pipe(
            &[
                "convert",
                "-f",
                "utf-8",
                "-t",
                charset,
                "--unmappable",
                "skip",
            ],
            text.as_bytes(),
        );
        let read = sandbox
            .pipe(&["convert", "-f", charset], &written.ended(0).out)
            .ended(0)
            .text()
            .to_owned();
        let back = sandbox
            .pipe(&["convert", "-f", "utf-8", "-t", charset], read.as_bytes())
            .ended(0);
        let again = sandbox
            .pipe(&["convert", "-f", charset], &back.out)
            .ended(0);
        assert!(again.text() == read, "{charset}");
        assert!(
            read.lines()
                .filter(|line| !line.is_empty())
                .all(|line| text.contains(line)),
            "{charset}"
        );
    }
    for (charset, c) in [
        ("gb2312", "丂"),
        ("euc-kr", "믜"),
        ("iso-2022-jp", "①"),
        ("windows-1252", "\u{81}"),
    ] {
        sandbox
            .pipe(&["convert", "-f", "utf-8", "-t", charset], c.as_bytes())
            .ended(1);
    }
}
