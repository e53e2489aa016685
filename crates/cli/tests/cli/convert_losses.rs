//! `convert`: what is counted and explained of losses

use crate::sandbox::Sandbox;

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
