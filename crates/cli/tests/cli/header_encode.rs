//! `header encode`: encoded words from text.

use crate::sandbox::Sandbox;

#[test]
fn texts_are_encoded() {
    let sandbox = Sandbox::new();
    let encoded = |args: &[&str]| {
        let args = [&["header", "encode"], args].concat();
        sandbox.run(&args).ended(0).text().to_owned()
    };
    assert_eq!(
        encoded(&["Übersicht", "plain"]),
        "=?UTF-8?Q?=C3=9Cbersicht?=\nplain\n"
    );
    assert_eq!(encoded(&["--encoding", "b", "ü"]), "=?UTF-8?B?w7w=?=\n");
    assert_eq!(
        encoded(&["--encoding", "q", "Привет"])
            .matches("=D")
            .count(),
        6
    );
    let long = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(4);
    let run = sandbox
        .pipe(&["header", "encode"], long.as_bytes())
        .ended(0);
    assert_eq!(run.text().lines().count(), 1, "a value stays a line");
    assert!(run.text().split_whitespace().all(|word| word.len() <= 75));
    let run = sandbox.pipe(&["header", "decode"], &run.out).ended(0);
    assert_eq!(run.text(), format!("{long}\n"));
    assert_eq!(
        encoded(&["--charset", "iso-2022-jp,utf-8", "テスト"]),
        "=?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=\n"
    );
    assert_eq!(
        encoded(&["--charset", "iso-2022-jp,utf-8", "ü"]),
        "=?UTF-8?B?w7w=?=\n"
    );
    assert_eq!(encoded(&["--name", "From", "Ü, x"]), "=?UTF-8?B?w5ws?= x\n");
    // Of addresses, names and comments alone.
    for (value, want) in [
        (
            "Jörg Müller <joerg@example.org>",
            "=?UTF-8?B?SsO2cmcgTcO8bGxlcg==?= <joerg@example.org>",
        ),
        (
            "\"Doe, J\" <j@x>, Ü <k@x>",
            "\"Doe, J\" <j@x>, =?UTF-8?B?w5w=?= <k@x>",
        ),
        ("k@x (Käthe)", "k@x (=?UTF-8?B?S8OkdGhl?=)"),
        ("plain <a@b>", "plain <a@b>"),
        (
            "Team ß: ü <a@b>;",
            "Team =?UTF-8?B?w58=?=: =?UTF-8?B?w7w=?= <a@b>;",
        ),
    ] {
        assert_eq!(encoded(&["--name", "To", value]), format!("{want}\n"));
        for options in [
            &["--encoding", "q"][..],
            &["--encoding", "b"],
            &["--charset", "iso-8859-1,utf-8"],
        ] {
            let words = encoded(&[options, &["--name", "To", value]].concat());
            assert!(words.is_ascii(), "{words}");
            let run = sandbox
                .pipe(&["header", "decode", "--name", "To"], words.as_bytes())
                .ended(0);
            assert_eq!(
                run.text(),
                format!("{}\n", value.replace("\"Doe, J\"", "Doe, J")),
                "{words}"
            );
        }
    }
    assert_eq!(
        encoded(&[
            "--charset",
            "iso-8859-1,utf-8",
            "--name",
            "To",
            "Jörg <a@b>"
        ]),
        "=?ISO-8859-1?Q?J=F6rg?= <a@b>\n"
    );
    for (name, value) in [
        ("From", "jörg@example.org"),
        ("To", "x <a@exämple.org>"),
        ("Message-ID", "<ü@x>"),
    ] {
        let run = sandbox
            .run(&["header", "encode", "--name", name, value])
            .ended(1);
        assert!(
            run.out.is_empty() && run.err.contains("cannot be encoded"),
            "{run:?}"
        );
    }
    // Line ends are those of folds.
    assert_eq!(encoded(&["ü\r\n x\n"]), encoded(&["ü x"]));
    assert_eq!(
        encoded(&["--name", "To", "ü <a@b>,\n\tb@c\ny@d"]),
        "=?UTF-8?B?w7w=?= <a@b>,\tb@c y@d\n"
    );
    assert_eq!(
        encoded(&["--param", "filename", "ü.pdf"]),
        "filename*=utf-8''%C3%BC.pdf\n"
    );
    let folded = encoded(&["--fold", "--name", "Subject", &"日本語の件名".repeat(9)]);
    assert!(folded.lines().count() > 3);
    assert!(
        folded
            .lines()
            .enumerate()
            .all(|(i, line)| line.len() + if i == 0 { 9 } else { 0 } <= 76)
    );
    sandbox
        .run(&["header", "encode", "--charset", "koi8-r", "日"])
        .ended(1);
    sandbox
        .run(&["header", "encode", "--param", "a b", "x"])
        .ended(1);
    let run = sandbox.pipe(&["header", "encode"], b"\xff\n").ended(1);
    assert!(run.err.contains("not UTF-8 at byte 0"), "{}", run.err);
    let run = sandbox
        .pipe(
            &["header", "encode", "--name", "To"],
            "a@b\nü@b\nc@d\n".as_bytes(),
        )
        .ended(1);
    assert!(
        run.text() == "a@b\n\nc@d\n" && run.err.contains("value 2 of standard input"),
        "{run:?}"
    );
    let run = sandbox
        .run(&["header", "encode", "--name", "To", "a@b", "ü@b", "c@d"])
        .ended(1);
    assert!(
        run.text() == "a@b\n\nc@d\n" && run.err.contains("(argument 2)"),
        "{run:?}"
    );
    for name in ["From:", "a b", "", "ü", "a:b"] {
        let run = sandbox
            .run(&["header", "encode", "--name", name, "x"])
            .ended(1);
        assert!(run.err.contains("name of a field"), "{run:?}");
    }
    assert_eq!(
        encoded(&["--name", "List-Id", "Grüne <l.x.de>"]),
        "=?UTF-8?B?R3LDvG5l?= <l.x.de>\n"
    );
    let list = "Jörg Max <a@b>, ".repeat(300);
    let folded = encoded(&[
        "--fold",
        "--name",
        "To",
        "--encoding",
        "b",
        list.trim_end_matches(", "),
    ]);
    assert!(
        folded.lines().all(|line| line.len() <= 76) && folded.lines().count() > 100,
        "{folded}"
    );
}

/// A charset that holds the text but that readers of mail read otherwise is passed over (U+0080 is the euro sign under iso-8859-1).
#[test]
fn encoding_takes_the_next_charset() {
    let sandbox = Sandbox::new();
    for text in ["a\u{80}b", "a\u{85}b", "a\u{9f}b"] {
        for charset in ["iso-8859-1", "iso-8859-9", "windows-1252"] {
            let list = format!("{charset},utf-8");
            for more in [&[][..], &["--name", "Subject"], &["--name", "From"]] {
                let args = [&["header", "encode", "--charset", &list][..], more].concat();
                let run = sandbox
                    .pipe(&args, format!("{text}\nok2\n").as_bytes())
                    .ended(0);
                assert!(
                    run.text().starts_with("=?UTF-8?") && run.text().ends_with("\nok2\n"),
                    "{run:?}"
                );
            }
        }
    }
}

/// Of Big5 the readers of mail know different additions (kana, Cyrillic, signs).
#[test]
fn what_readers_decode_differently_is_not_encoded() {
    let sandbox = Sandbox::new();
    for (charset, text, is_utf8) in [
        ("big5", "件名テスト", true),
        ("big5", "Привет", true),
        ("big5", "會議紀錄", false),
        ("gbk", "5 €", true),
        ("gbk", "会议通知", false),
        ("shift_jis", "～", true),
        ("shift_jis", "件名テスト", false),
        ("gb2312", "·", true),
    ] {
        for name in ["Subject", "From"] {
            let list = format!("{charset},utf-8");
            let run = sandbox
                .run(&["header", "encode", "--charset", &list, "--name", name, text])
                .ended(0);
            assert_eq!(run.text().contains("=?UTF-8?"), is_utf8, "{text} {run:?}");
        }
        let run = sandbox.run(&["header", "encode", "--charset", charset, text]);
        if is_utf8 {
            assert!(run.ended(1).err.contains("decode them differently"));
        }
    }
}
