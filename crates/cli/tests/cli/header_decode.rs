//! `header decode`: values, fields and streams

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
    let value = "Re: =?iso-8859-1*de?Q?J=E4?= =?ISO-8859-1?B?bm5lcg==?= =?x-gibberish?Q?=FE?=";
    let run = sandbox
        .run(&["header", "decode", "--explain", value])
        .ended(0);
    assert_eq!(run.text(), "Re: Jänner =?x-gibberish?Q?=FE?=\n");
    let want = "0..4 text: \"Re: \"\n4..54 words in text: \"Jänner\"\n    \
        4..28 iso-8859-1 Q, read as windows-1252, language de: 4A E4\n    \
        29..54 ISO-8859-1 B, read as windows-1252: 6E 6E 65 72\n\
        54..76 text: \" =?x-gibberish?Q?=FE?=\"\n\
        repair charset.unknown-label at 55..76: the word stays as written\n";
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
    let unknown = "=?x-gibberish?Q?=C3=BC?= =?x-gibberish?Q?a?=";
    assert_eq!(decoded(&[unknown]), "üa\n");
    assert_eq!(
        decoded(&["--unknown", "if-certain", unknown]),
        decoded(&[unknown])
    );
    assert_eq!(
        decoded(&["--unknown", "keep", unknown]),
        format!("{unknown}\n")
    );
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
