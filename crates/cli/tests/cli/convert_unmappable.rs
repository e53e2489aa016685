//! `convert`: characters that a charset cannot encode

use crate::sandbox::Sandbox;

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
