//! `header decode`, `header params`, `header encode`

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

#[test]
fn values_are_decoded() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["header", "decode", "=?ISO-8859-1?Q?We=92ve?=", "plain"])
        .ended(0);
    assert_eq!(run.text(), "We’ve\nplain\n");
    let run = sandbox
        .pipe(
            &["header", "decode"],
            b"=?utf-8?B?w7w=?=\r\nplain\n\n=?koi8-r?Q?=C4=C1?=",
        )
        .ended(0);
    assert_eq!(run.text(), "ü\nplain\n\nда\n");
    let run = sandbox.pipe(&["header", "decode", "-"], b"a\n").ended(0);
    assert_eq!(run.text(), "a\n");
}

#[test]
fn as_many_values_as_came() {
    let sandbox = Sandbox::new();
    for (input, output) in [
        (&b""[..], ""),
        (b"\0", "\0"),
        (b"a\0b", "a\0b\0"),
        (
            b"=?utf-8?Q?=C3=BC?=\r\n =?utf-8?Q?x?=\0\0\n b\0",
            "üx\0\0 b\0",
        ),
        (b"=?utf-8?Q?a=00=0Ab?=\0", "a  b\0"),
    ] {
        let run = sandbox.pipe(&["header", "decode", "-0"], input).ended(0);
        assert_eq!(run.text(), output, "{}", input.escape_ascii());
    }
}

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
fn the_name_of_a_field_tells_where_words_stand() {
    let sandbox = Sandbox::new();
    let value = "=?utf-8?Q?=C3=BC?= <=?utf-8?Q?a?=@b.example>";
    let decoded = |args: &[&str]| {
        sandbox
            .run(&[&["header", "decode"], args, &[value]].concat())
            .ended(0)
            .text()
            .to_owned()
    };
    assert_eq!(decoded(&[]), "ü <a@b.example>\n");
    assert_eq!(
        decoded(&["--name", "From"]),
        "ü <=?utf-8?Q?a?=@b.example>\n"
    );
    assert_eq!(decoded(&["--name", "message-id"]), format!("{value}\n"));
    let params = [
        "header",
        "decode",
        "--name",
        "Content-Type",
        "A/B; name*=utf-8'de'%C3%BC",
        "--explain",
    ];
    let run = sandbox.run(&params).ended(0);
    assert_eq!(
        (run.text(), &*run.err),
        ("a/b; name=\"ü\"\n", "parameter name (de): \"ü\"\n")
    );
}

#[test]
fn values_are_typed_by_their_field() {
    let sandbox = Sandbox::new();
    let typed = |name: &str, value: &str| {
        let run = sandbox
            .run(&["header", "decode", "--json", "--name", name, value])
            .ended(0);
        serde_json::from_slice::<Value>(&run.out).unwrap()["typed"].clone()
    };
    assert_eq!(
        typed(
            "To",
            "\"=?utf-8?Q?M=C3=BCller=2C?=\" <a@b.example>, x: c@d.example (e);"
        ),
        json!({"addresses": [
            {"name": "Müller,", "address": "a@b.example"},
            {"group": "x", "members": [{"name": "e", "address": "c@d.example"}]},
        ]})
    );
    assert_eq!(
        typed("Date", "Fri, 21 Nov 1997 09:55:06 -0600"),
        json!({"date": "1997-11-21T09:55:06-06:00"})
    );
    assert_eq!(typed("Date", "soon"), json!({"date": null}));
    assert_eq!(
        typed("References", "<a@b> <c@d>"),
        json!({"identifiers": ["a@b", "c@d"]})
    );
    assert_eq!(
        typed("Content-Type", "a/b; name*=''%41"),
        json!({"value": "a/b", "params": {"name": "A"}})
    );
    assert_eq!(typed("Received", "from a by b; x")["received"]["by"], "b");
    assert_eq!(typed("Subject", "a"), Value::Null);
}

#[test]
fn each_piece_is_explained() {
    let sandbox = Sandbox::new();
    let value = "Re: =?iso-8859-1*de?Q?J=E4?= =?ISO-8859-1?B?bm5lcg==?= =?x-gibberish?Q?a?=";
    let run = sandbox
        .run(&["header", "decode", "--explain", value])
        .ended(0);
    assert_eq!(run.text(), "Re: Jänner =?x-gibberish?Q?a?=\n");
    let want = "0..4 text: \"Re: \"\n4..54 words in text: \"Jänner\"\n    \
        4..28 iso-8859-1 Q, read as windows-1252, language de: 4A E4\n    \
        29..54 ISO-8859-1 B, read as windows-1252: 6E 6E 65 72\n\
        54..74 text: \" =?x-gibberish?Q?a?=\"\n\
        repair charset.unknown-label at 55..74: the word stays as written\n";
    assert_eq!(run.err, want);
}

#[test]
fn words_of_a_stream_are_decoded_and_nothing_else() {
    let sandbox = Sandbox::new();
    let stream = ["header", "decode", "--stream"];
    let input = b"\xff\0 queued: subject==?utf-8?Q?Gr=C3=BC?=\r\n =?utf-8?B?w59l?=\r\nfrom=<=?utf-8?Q?a?=@b.example>\n=?x";
    let run = sandbox.pipe(&stream, input).ended(0);
    assert_eq!(
        run.out,
        b"\xff\0 queued: subject=Gr\xc3\xbc\xc3\x9fe\r\nfrom=<=?utf-8?Q?a?=@b.example>\n=?x"
    );
    let long = b"a line of a log, =?utf-8?Q?=C3=BC?= and more\n".repeat(20_000);
    let run = sandbox.pipe(&stream, &long).ended(0);
    assert_eq!(
        run.out,
        "a line of a log, ü and more\n".repeat(20_000).as_bytes()
    );
    assert_eq!(sandbox.pipe(&stream, b"").ended(0).out, b"");
    sandbox
        .run(&["header", "decode", "--stream", "text"])
        .ended(1);
}

#[test]
fn explanations_name_the_charset_that_was_used() {
    let sandbox = Sandbox::new();
    let explained = |value: &str| {
        sandbox
            .run(&["header", "decode", "--explain", value])
            .ended(0)
            .err
            .clone()
    };
    assert!(
        explained("=?iso-8859-1?q?=D0=BF=D1=80=D0=B8?=")
            .contains("iso-8859-1 Q, read as UTF-8: D0 BF")
    );
    assert!(explained("=?iso-8859-1?q?=E4?=").contains("iso-8859-1 Q, read as windows-1252: E4"));
}

#[test]
fn dates_that_cannot_be_read_are_told() {
    let sandbox = Sandbox::new();
    for (value, want) in [("x", 1), ("Mon Jan 01 2024 00:00:00 GMT+0100 (CET)", 0)] {
        let run = sandbox
            .run(&["header", "decode", "--json", "--name", "Date", value])
            .ended(0);
        let object: Value = serde_json::from_slice(&run.out).unwrap();
        let events = object["events"].as_array().unwrap();
        assert_eq!(events.len(), want, "{value}");
        assert!(
            events
                .iter()
                .all(|event| event["code"] == "date.unparsable" && event["length"] == 1)
        );
        assert_eq!(object["typed"]["date"].is_null(), want == 1);
    }
}

#[test]
fn damage_is_undone_on_request() {
    let sandbox = Sandbox::new();
    let decoded = |args: &[&str]| {
        sandbox
            .run(&[&["header", "decode"], args].concat())
            .ended(0)
            .text()
            .to_owned()
    };
    assert_eq!(
        decoded(&["GrÃ¼ÃŸe &uuml; $B%F%9%H(B"]),
        "GrÃ¼ÃŸe &uuml; $B%F%9%H(B\n"
    );
    assert_eq!(
        decoded(&["--repair", "all", "GrÃ¼ÃŸe &uuml; $B%F%9%H(B"]),
        "Grüße ü テスト\n"
    );
    assert_eq!(
        decoded(&["--repair", "mojibake,escapes", "GrÃ¼ÃŸe &uuml; $B%F%9%H(B"]),
        "Grüße &uuml; テスト\n"
    );
    let nested = "=?utf-8?Q?=3D=3Futf-8=3FQ=3F=3DC3=3DBC=3F=3D_x?=";
    assert_eq!(decoded(&[nested]), "=?utf-8?Q?=C3=BC?= x\n");
    assert_eq!(decoded(&["--repair", "nested", nested]), "ü x\n");
    assert_eq!(decoded(&["--strip-hidden", "a\u{202e}b"]), "a b\n");
    assert_eq!(
        decoded(&["--unknown", "utf8-if-valid", "=?x-gibberish?Q?=C3=BC?="]),
        "ü\n"
    );
    assert_eq!(
        decoded(&["--unknown", "koi8-r", "=?x-gibberish?Q?=F0?="]),
        "П\n"
    );
    let raw = sandbox
        .pipe(
            &["header", "decode", "--default-charset", "koi8-r"],
            b"\xf0\xd2\n",
        )
        .ended(0);
    assert_eq!(raw.text(), "Пр\n");
}

#[test]
fn a_repaired_archive_can_be_restored() {
    let sandbox = Sandbox::new();
    let message = "From: \"MÃ¼ller\" <m@example.org>\nSubject: Gr&uuml;&szlig;e $B%F%9%H(B =?utf-8?Q?=C3=83=C2=BC?=\n\
        Content-Disposition: attachment; filename*=utf-8''Gr%C3%83%C2%BC%C3%83%C5%B8e.txt\n\nx\n";
    sandbox.write("damaged.eml", message.as_bytes());
    let normalize = |input: &str, output: &str| {
        sandbox
            .run(&[
                "normalize",
                input,
                "-o",
                output,
                "--repair",
                "all",
                "--headers",
                "raw-utf8",
            ])
            .ended(0)
    };
    normalize("damaged.eml", "clean.eml");
    let clean = String::from_utf8(sandbox.read("clean.eml")).unwrap();
    assert_eq!(
        clean,
        "From: Müller <m@example.org>\nSubject: Grüße テスト ü\n\
        Content-Disposition: attachment; filename*=utf-8''Gr%C3%BC%C3%9Fe.txt\n\nx\n"
    );
    normalize("clean.eml", "again.eml");
    assert_eq!(sandbox.read("again.eml"), clean.as_bytes());
    sandbox
        .run(&["restore", "clean.eml", "-o", "old.eml"])
        .ended(0);
    assert_eq!(sandbox.read("old.eml"), message.as_bytes());
    sandbox
        .run(&[
            "normalize",
            "damaged.eml",
            "-o",
            "plain.eml",
            "--headers",
            "raw-utf8",
        ])
        .ended(0);
    assert!(
        String::from_utf8(sandbox.read("plain.eml"))
            .unwrap()
            .contains("Gr&uuml;&szlig;e $B%F%9%H(B Ã¼")
    );
}

#[test]
fn decoded_values_in_json() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["header", "decode", "--json", "=?iso-8859-1?Q?=FC?= x"])
        .ended(0);
    let object: Value = serde_json::from_slice(&run.out).unwrap();
    assert_eq!(object["value"], "=?iso-8859-1?Q?=FC?= x");
    assert_eq!(object["text"], "ü x");
    assert!(object["events"].is_array());
    let run = sandbox
        .pipe(&["header", "decode", "--json"], b"raw \xfc\n")
        .ended(0);
    let object: Value = serde_json::from_slice(&run.out).unwrap();
    assert_eq!(object["value"], json!({"bytes": "cmF3IPw="}));
    assert_eq!(object["text"], "raw ü");
    assert_eq!(object["events"][0]["code"], "ew.raw8bit");
    assert_eq!(object["events"][0]["severity"], "repair");
}

#[test]
fn parameters() {
    let sandbox = Sandbox::new();
    let input = b"text/plain; CHARSET=\"utf-8\"; format=flowed\0attachment; filename*0*=utf-8''%E2%82; filename*1*=%AC.txt\0";
    let run = sandbox
        .pipe(&["header", "params", "-0", "--json"], input)
        .ended(0);
    let objects: Vec<Value> = run
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        objects,
        [
            json!({"value": "text/plain", "params": {"charset": "utf-8", "format": "flowed"}, "events": []}),
            json!({"value": "attachment", "params": {"filename": "€.txt"}, "events": []}),
        ]
    );
    let run = sandbox
        .pipe(&["header", "params"], b"attachment; filename=\"a b.txt\"\n")
        .ended(0);
    assert_eq!(run.text(), "attachment; filename=\"a b.txt\"\n");
}

/// Without `-v` it is told what was found, if not where each is.
#[test]
fn repairs_and_losses_are_counted_without_being_asked_for() {
    let sandbox = Sandbox::new();
    let input = b"a =?utf-8?Q?=FF?= b =?utf-8?Q?=FE?=\nc =?koi8-r?B?8A?=\n";
    let want = "loss charset.invalid-bytes: 2, the first at 2..17 (-v tells of each)\n\
        repair ew.bad-token: 1, the first at 38..53 (-v tells of each)\n";
    let run = sandbox
        .pipe(&["header", "decode", "--stream"], input)
        .ended(0);
    assert_eq!(
        (run.text(), &*run.err),
        ("a \u{fffd} b \u{fffd}\nc П\n", want)
    );
    assert!(
        sandbox
            .pipe(&["-q", "header", "decode", "--stream"], input)
            .ended(0)
            .err
            .is_empty()
    );
    let run = sandbox
        .pipe(&["-v", "header", "decode", "--stream"], input)
        .ended(0);
    assert_eq!(run.err.matches("loss charset.invalid-bytes at ").count(), 2);
    for more in [&["header", "decode"][..], &["header", "decode", "--block"]] {
        let run = sandbox.pipe(more, b"Subject: =?utf-8?Q?=FF?=\n").ended(0);
        assert!(
            run.err.starts_with("loss charset.invalid-bytes: 1"),
            "{more:?}: {}",
            run.err
        );
    }
    // A word of more than 64 KiB is not looked through to its end.
    let long = ["a =?utf-8?Q?", &"x".repeat(70_000), "?= b\n"].concat();
    let run = sandbox
        .pipe(&["header", "decode", "--stream"], long.as_bytes())
        .ended(0);
    assert_eq!(run.text(), long);
    assert_eq!(
        run.err,
        "repair ew.bad-token: 1, the first at 2..65538 (-v tells of each)\n"
    );
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

#[test]
fn parameters_tell_what_was_found() {
    let sandbox = Sandbox::new();
    let input = b"x; a*=utf-8''aa%C3%A9%FF\0x; a*=utf-8''a%FFb\0x; b=\"r\nX-Evil: 1\"\0x; b=c\0";
    let run = sandbox
        .pipe(&["header", "params", "-0", "--json"], input)
        .ended(0);
    let rows: Vec<Value> = run
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let codes: Vec<_> = rows
        .iter()
        .map(|row| row["events"][0]["code"].as_str())
        .collect();
    let want = [
        "charset.invalid-bytes",
        "charset.legacy-in-utf8",
        "ew.control-char",
    ]
    .map(Some);
    assert_eq!((&codes[..3], codes[3]), (&want[..], None));
    assert_eq!(rows[0]["params"]["a"], "aaé\u{fffd}");
    assert_eq!(
        (
            &rows[0]["events"][0]["severity"],
            &rows[0]["events"][0]["offset"]
        ),
        (&json!("loss"), &json!(6))
    );
    assert_eq!(rows[2]["params"]["b"], "r X-Evil: 1");
    // Without --json, what ends a value ends what it stands for.
    let run = sandbox.pipe(&["header", "params", "-0"], input).ended(0);
    assert_eq!(
        run.text(),
        "x; a=\"aaé\u{fffd}\"\0x; a=\"a’b\"\0x; b=\"r X-Evil: 1\"\0x; b=c\0"
    );
}

/// Wherever U+FFFD comes out that did not go in, it is told as a loss.
#[test]
fn replacements_are_losses_in_json() {
    let sandbox = Sandbox::new();
    for value in [
        &b"x; a*=utf-8''%C3%A9%FF"[..],
        b"x; a*0*=utf-8''%C3; a*1*=%A9%FF",
        b"x; a=\"=?utf-8?Q?=C3=A9=FF?=\"",
        b"x; n\xe4me=1; a=b",
        b"\xef\xbf\xbd; a=b",
    ] {
        for args in [
            &["header", "params", "--json"][..],
            &["header", "decode", "--json", "--name", "Content-Type"],
        ] {
            let run = sandbox.pipe(args, value).ended(0);
            let row: Value = serde_json::from_slice(&run.out).unwrap();
            let fresh = run.text().contains('\u{fffd}') && !value.starts_with(b"\xef");
            let told = row["events"]
                .as_array()
                .unwrap()
                .iter()
                .any(|event| event["severity"] == "loss");
            assert_eq!(told, fresh, "{} {row}", value.escape_ascii());
        }
    }
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
        ("=?utf-8?Q?a?=\n=?x-nobody?Q?b?=\0", "a\n=?x-nobody?Q?b?=\0"),
        ("=?utf-8?Q?a?=\nb =?utf-8?Q?c?=\0", "a\nb c\0"),
        ("=?utf-8?Q?a?=\n\n=?utf-8?Q?b?=\0", "a\n\nb\0"),
    ] {
        let run = sandbox
            .pipe(&["header", "decode", "-0"], input.as_bytes())
            .ended(0);
        assert_eq!(run.text(), want, "{input:?}");
    }
}
