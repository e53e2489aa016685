//! `header decode`: line ends in values, and whole headers with `--block`

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

#[test]
fn whole_fields_and_texts_of_several_lines() {
    let sandbox = Sandbox::new();
    for (input, output) in [
        (&b" a =?utf-8?Q?=C3=BC?= \r\n\0"[..], "a ü\0"),
        (b" a =?utf-8?Q?=C3=BC?= \0", " a ü \0"),
        (b"=?utf-8?Q?=C3=BC?=\n=?utf-8?Q?x?=\n\0", "üx\0"),
        (b"=?utf-8?Q?=C3=BC?= y\n=?utf-8?Q?x?=\n\0", "ü y\nx\n\0"),
    ] {
        let run = sandbox.pipe(&["header", "decode", "-0"], input).ended(0);
        assert_eq!(run.text(), output, "{}", input.escape_ascii());
    }
}

#[test]
fn a_whole_header_tells_about_its_fields() {
    let sandbox = Sandbox::new();
    let decode = |args: &[&str], input: &[u8]| {
        sandbox
            .pipe(&[&["header", "decode", "--block"], args].concat(), input)
            .ended(0)
            .text()
            .to_owned()
    };
    // One letter proves nothing; with the words of another field, or the text of the message, it does.
    let raw = b"Subject: \xf0\r\nFrom: =?koi8-r?Q?=F0?= <a@b.example>\r\n (\xd2)\r\nContent-Type: text/plain;\r\n name=\"\xd4\"\r\n\r\n";
    let want = "Subject: П\nFrom: П <a@b.example> (р)\nContent-Type: text/plain; name=\"т\"\n";
    assert_eq!(decode(&[], raw), want);
    let body =
        b"Subject: \xf0\nContent-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\xd7\xc5\xd4\n";
    assert_eq!(
        decode(&[], body),
        "Subject: П\nContent-Type: text/plain; charset=koi8-r\n"
    );
    // Raw bytes of all fields are weighed together.
    let pooled = "Subject: \u{41f}\nX-A: \u{440}\u{438}\u{432}\u{435}\u{442}\nX-B: \u{43a}\u{430}\u{43a} \u{434}\u{435}\u{43b}\u{430}, \u{434}\u{440}\u{443}\u{433} \u{43c}\u{43e}\u{439}\n";
    let koi8: Vec<u8> = pooled
        .chars()
        .map(|c| match c {
            '\u{41f}' => 0xf0,
            'а'..='я' => b"\xc1\xc2\xd7\xc7\xc4\xc5\xd6\xda\xc9\xca\xcb\xcc\xcd\xce\xcf\xd0\xd2\xd3\xd4\xd5\xc6\xc8\xc3\xde\xdb\xdd\xdf\xd9\xd8\xdc\xc0\xd1"[c as usize - 0x430],
            ascii => ascii as u8,
        })
        .collect();
    assert_eq!(decode(&[], &koi8), pooled);
    let json = decode(
        &["--json"],
        b"Subject: =?utf-8?Q?=C3=BC?=\nTo: a@b.example\n\nnot this: a field\n",
    );
    let rows: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (&rows[0]["name"], &rows[0]["text"]),
        (&json!("Subject"), &json!("ü"))
    );
    assert_eq!(rows[1]["typed"]["addresses"][0]["address"], "a@b.example");
    sandbox
        .run(&["header", "decode", "--block", "text"])
        .ended(1);
    assert_eq!(decode(&[], b""), "");
}

/// The output is a header again: its lists have the addresses of the input.
#[test]
fn names_of_a_header_keep_their_quotes() {
    let sandbox = Sandbox::new();
    let block = ["header", "decode", "--block"];
    let raw = b"To: \"Doe, John\" <a@b.c>, \"semi; colon\" <x@y.z>,\n =?utf-8?Q?D=C3=B6e=2C_J?= \n\t<q@r.s>\nSubject: \"a, b\"\n\n";
    let run = sandbox.pipe(&block, raw).ended(0);
    let want = "To: \"Doe, John\" <a@b.c>, \"semi; colon\" <x@y.z>, \"Döe, J\" <q@r.s>\nSubject: \"a, b\"\n";
    assert_eq!(run.text(), want);
    let again = sandbox.pipe(&block, want.as_bytes()).ended(0);
    assert_eq!(again.text(), want);
    let typed = |input: &[u8]| {
        let run = sandbox
            .pipe(&[&block[..], &["--json"]].concat(), input)
            .ended(0);
        let line = run.text().lines().next().unwrap();
        serde_json::from_str::<Value>(line).unwrap()["typed"].clone()
    };
    assert_eq!(typed(raw), typed(want.as_bytes()));
}

#[test]
fn lines_of_a_header_that_are_no_fields_come_out_as_they_are() {
    let sandbox = Sandbox::new();
    let block = ["header", "decode", "--block"];
    for (input, want, lines) in [
        (
            &b"A: b\nnocolon\nC: =?utf-8?Q?=C3=BC?=\n\nbody\n"[..],
            &b"A: b\nnocolon\nC: \xc3\xbc\n"[..],
            1,
        ),
        (
            b"From: a@b\nnoco\xe4lon\n more\nX-Foo: c\n d\n\n",
            b"From: a@b\nnoco\xe4lon\n more\nX-Foo: c d\n",
            2,
        ),
        (
            b"From x y\r\nN\xe4me: b\r\n\r\nbody",
            b"From x y\nN\xe4me: b\n",
            1,
        ),
        (b"no header at all", b"no header at all\n", 1),
        (b"A: b\n\n", b"A: b\n", 0),
    ] {
        let run = sandbox.pipe(&block, input).ended(0);
        assert_eq!(run.out, want, "{}", input.escape_ascii());
        let told = if lines == 0 {
            String::new()
        } else {
            format!("info hdr.no-colon: {lines}, the first at ")
        };
        assert!(
            run.err.starts_with(&told) && (lines > 0 || run.err.is_empty()),
            "{}",
            run.err
        );
        let run = sandbox
            .pipe(&[&block[..], &["--json"]].concat(), input)
            .ended(0);
        let rows: Vec<Value> = run
            .text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let others: Vec<_> = rows
            .iter()
            .filter(|row| row.get("name").is_none())
            .collect();
        assert_eq!(others.len(), lines, "{rows:?}");
        assert!(
            others
                .iter()
                .all(|row| row["events"][0]["code"] == "hdr.no-colon"),
            "{others:?}"
        );
    }
}

#[test]
fn a_value_comes_out_as_one_line() {
    let sandbox = Sandbox::new();
    let decode = |args: &[&str], input: &[u8]| {
        let run = sandbox
            .pipe(&[&["header", "decode"], args].concat(), input)
            .ended(0);
        (run.text().to_owned(), run.err.clone())
    };
    assert_eq!(
        decode(&["a\nSubject: evil", "b\r\n c\n"], b"").0,
        "a Subject: evil\nb c\n"
    );
    let (text, told) = decode(&["a\nSubject: evil"], b"");
    assert_eq!(
        (&*text, told.contains("repair ew.control-char at 1..2")),
        ("a Subject: evil\n", true),
        "{told}"
    );
    // What NUL ends may have several lines, unless a field is named.
    assert_eq!(decode(&["-0"], b"a\nb\0").0, "a\nb\0");
    assert_eq!(decode(&["-0", "--name", "Subject"], b"a\nb\0").0, "a b\0");
    for (args, input) in [
        (&["--json"][..], &b"x\rb\n"[..]),
        (&["--json", "-0"], b"x\rb\0"),
    ] {
        let (json, _) = decode(args, input);
        assert!(json.ends_with("}\n"), "objects end in LF, with -0 too");
        let row: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&row["value"], &row["text"]),
            (&json!("x\rb"), &json!("x b"))
        );
        assert_eq!(
            (&row["events"][0]["code"], &row["events"][0]["offset"]),
            (&json!("ew.control-char"), &json!(1))
        );
    }
    for name in ["Bad Name", "Subject:", ""] {
        let run = sandbox
            .run(&["header", "decode", "--name", name, "x"])
            .ended(1);
        assert!(run.err.contains("name of a field"), "{run:?}");
    }
}

/// Line ends before a fold, and between words, are spaces in the value of a field (RFC 5322 2.2.3).
#[test]
fn no_line_end_is_left_in_the_value_of_a_named_field() {
    let sandbox = Sandbox::new();
    let ends = [
        "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\n\r", "\r\r", "\r\r\n", "\n\n\n",
    ];
    let words = "=?utf-8?Q?=C3=BC?=";
    for (before, after) in [
        ("a", "b"),
        ("", "b"),
        ("a", ""),
        (words, "b"),
        ("a", words),
        (words, words),
    ] {
        for end in ends {
            for space in ["", " ", "\t", " \t"] {
                let value = format!("{before}{end}{space}{after}");
                for name in ["Subject", "From", "X-Other", "Keywords"] {
                    for args in [
                        &["header", "decode", "-0", "--name", name][..],
                        &["header", "params", "-0"],
                    ] {
                        let run = sandbox.pipe(args, format!("{value}\0").as_bytes()).ended(0);
                        assert!(
                            !run.text().contains(['\n', '\r']),
                            "{value:?} {:?}",
                            run.text()
                        );
                    }
                }
                if end.trim_end_matches('\n').contains('\n') && !after.is_empty() {
                    let args = ["-v", "header", "decode", "-0", "--name", "Subject"];
                    let run = sandbox
                        .pipe(&args, format!("{value}\0").as_bytes())
                        .ended(0);
                    assert!(run.err.contains("ew.control-char"), "{value:?} {}", run.err);
                }
            }
        }
    }
}

#[test]
fn a_line_end_between_encoded_words_joins_them() {
    let sandbox = Sandbox::new();
    for (input, want) in [
        ("=?utf-8?Q?a?=\n=?utf-8?Q?b?=\0", "ab\0"),
        ("x =?utf-8?Q?=C3?=\r\n=?utf-8?Q?=BC?= y\nz\0", "x ü y\nz\0"),
        (
            "=?utf-8?Q?a?=\n=?x-nobody?Q?=FE?=\0",
            "a\n=?x-nobody?Q?=FE?=\0",
        ),
        // Only words in known charsets continue a value over a line end.
        ("=?utf-8?Q?a?=\n=?x-nobody?Q?b?=\0", "a\nb\0"),
        ("=?utf-8?Q?a?=\nb =?utf-8?Q?c?=\0", "a\nb c\0"),
        ("=?utf-8?Q?a?=\n\n=?utf-8?Q?b?=\0", "a\n\nb\0"),
    ] {
        let run = sandbox
            .pipe(&["header", "decode", "-0"], input.as_bytes())
            .ended(0);
        assert_eq!(run.text(), want, "{input:?}");
    }
}

/// A word is decoded as `normalize` decodes it: by the body that disproves its label.
#[test]
fn words_of_a_header_are_decoded_by_the_evidence_of_the_body() {
    let sandbox = Sandbox::new();
    let block = ["header", "decode", "--block"];
    let header = b"Subject: =?iso-8859-1?Q?Podsjetnik_o_pla=E6anju?=\nMIME-Version: 1.0\n\
        Content-Type: text/plain; charset=iso-8859-1\n\n";
    let body =
        b"Po\xB9tovani, molimo Vas da \xB9to prije podmirite ra\xE8un za pro\xB9li mjesec.\n\
        Ako ste ga ve\xE6 platili, ova poruka nije va\xBEna. Dr\xBEite se roka pla\xE6anja.\n";
    let western = b"Nous nous r\xE9unirons \xE0 dix heures, c'est d\xE9j\xE0 d\xE9cid\xE9.\n";
    for (body, want, event) in [
        (&body[..], "Podsjetnik o plaćanju", "charset.detected"),
        (western, "Podsjetnik o plaæanju", ""),
    ] {
        let run = sandbox.pipe(&block, &[header, body].concat()).ended(0);
        let subject = run.text().lines().next();
        assert_eq!(subject, Some(&*format!("Subject: {want}")));
        assert!(run.err.contains(event) && run.err.is_empty() == event.is_empty());
    }
    // Options decide like the policy of `normalize`.
    let run = sandbox.pipe(
        &[&block[..], &["--detect", "unlabelled"]].concat(),
        &[&header[..], body].concat(),
    );
    assert!(run.ended(0).text().contains("plaæanju"));
}
