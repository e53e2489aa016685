//! `text` and `inspect`

use crate::sandbox::{LATIN, Sandbox, lossy, mbox};
use serde_json::{Value, json};

fn lines(bytes: &[u8]) -> Vec<Value> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

#[test]
fn an_object_a_line_and_part() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["text", "--json", "archive.mbox"]).ended(0);
    assert_eq!(
        lines(&run.out),
        [
            json!({"file": "archive.mbox", "message": 0, "part": "1", "type": "text/plain", "charset": "iso-8859-1",
                "used": "windows-1252", "text": "It’s grün.\n", "losses": []}),
            json!({"file": "archive.mbox", "message": 1, "part": "1", "type": "text/plain", "charset": "koi8-r",
                "used": "KOI8-R", "text": "Привет, мир!\n", "losses": []}),
        ]
    );
    sandbox.write("lossy.eml", &lossy());
    let run = sandbox.run(&["text", "--json", "lossy.eml"]).ended(0);
    assert_eq!(
        lines(&run.out)[0]["losses"],
        json!(["charset.invalid-bytes"])
    );
    let run = sandbox.pipe(&["text", "--json", "-"], LATIN).ended(0);
    assert_eq!(lines(&run.out)[0]["file"], "-");
}

#[test]
fn threads_do_not_show() {
    let sandbox = Sandbox::new();
    let one = sandbox.read("archive.mbox");
    sandbox.write("large.mbox", &one.repeat((5 << 20) / one.len()));
    let text = |threads: &str| {
        sandbox
            .run(&["text", "--json", "--threads", threads, "large.mbox"])
            .ended(0)
            .out
    };
    let alone = text("1");
    assert!(alone.len() > 1 << 20);
    assert!(["2", "3"].iter().all(|threads| text(threads) == alone));
}

#[test]
fn plain_text() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["text", "message.eml"]).ended(0);
    assert!(run.text().contains("It’s grün."), "{}", run.text());
    assert!(run.err.is_empty());
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::new();
    sandbox.write("big.mbox", &mbox(&vec![LATIN; 20_000]));
    for command in [
        "text --json big.mbox",
        "text big.mbox",
        "inspect big.mbox",
        "completions bash",
        "man",
        "convert -f koi8-r big.mbox",
    ] {
        let line = format!("{{ mailglot {command}; echo $? >&2; }} | head -c 10 > /dev/null");
        let run = sandbox.shell(&line);
        assert_eq!(run.err, "0\n", "{command}");
    }
    let run = sandbox.shell("{ yes text | mailglot header decode; echo $? >&2; } | head -n 1");
    assert_eq!((run.text(), &*run.err), ("text\n", "0\n"));
}

#[test]
fn a_tree_of_parts() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "tree.eml",
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\n\
          --b\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n",
    );
    let run = sandbox.run(&["inspect", "tree.eml"]).ended(0);
    let text = run.text();
    assert!(text.starts_with("tree.eml  at 0, "), "{text}");
    assert!(
        text.contains("  multipart/mixed  header 0..")
            && text.contains("\n    1  text/plain  header "),
        "{text}"
    );
    assert!(text.contains("\"koi8-r\" → KOI8-R (label)"), "{text}");
    assert!(
        text.contains("\n    2  application/octet-stream") && text.contains("  base64"),
        "{text}"
    );

    let run = sandbox.run(&["inspect", "--json", "tree.eml"]).ended(0);
    let object = &lines(&run.out)[0];
    assert_eq!(object["parts"][1]["part"], "1");
    assert_eq!(object["parts"][1]["charset"], "koi8-r");
    assert_eq!(object["parts"][1]["used"], "KOI8-R");
    assert_eq!(object["parts"][1]["how"], "label");
}

#[test]
fn a_message_by_its_ordinal() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["inspect", "--json", "archive.mbox:1"])
        .ended(0);
    let objects = lines(&run.out);
    assert_eq!(
        (objects.len(), &objects[0]["message"]),
        (1, &json!("archive.mbox:1"))
    );
    assert_eq!(objects[0]["parts"][0]["used"], "KOI8-R");
    let run = sandbox.run(&["inspect", "--json", "archive.mbox"]).ended(0);
    assert_eq!(lines(&run.out).len(), 2);
    let first = &lines(&run.out)[0];
    let code = |event: &Value| event["code"].as_str().map(str::to_owned);
    let codes: Vec<_> = first["parts"][0]["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(code)
        .collect();
    assert!(codes.contains(&"charset.superset".to_owned()), "{codes:?}");
    let run = sandbox.run(&["inspect", "archive.mbox:9"]);
    assert_ne!(run.code, 0, "{run:?}");
}

/// What a person knows reaches every command that reads mail.
#[test]
fn a_person_knows_better() {
    let sandbox = Sandbox::new();
    let turkish =
        b"Subject: =?x-mine?Q?=FE=FD?=\nContent-Type: text/plain; charset=x-mine\n\n\xFEehir \xFD\n";
    sandbox.write("mail.eml", turkish);
    let map = "--charset-map=X-Mine=windows-1254";
    let run = sandbox.run(&["text", map, "mail.eml"]).ended(0);
    assert!(run.text().contains("şehir ı"), "{}", run.text());
    let run = sandbox
        .run(&["inspect", "--json", map, "mail.eml"])
        .ended(0);
    assert!(run.text().contains("charset.mapped"), "{}", run.text());
    let run = sandbox.run(&["check", "--json", map, "mail.eml"]).ended(0);
    assert!(run.text().contains("charset.mapped"), "{}", run.text());
    for args in [
        &["filter", map][..],
        &["filter", map, "--headers", "raw-utf8"],
    ] {
        let run = sandbox.pipe(args, turkish).ended(0);
        assert!(run.text().contains("şehir ı"), "{}", run.text());
        assert!(
            run.text().contains("=?UTF-8?B?xZ/EsQ==?=") || run.text().contains("Subject: şı"),
            "{}",
            run.text()
        );
    }
    let run = sandbox
        .run(&["normalize", map, "mail.eml", "-o", "out.eml"])
        .ended(0);
    assert!(
        run.out.is_empty()
            && sandbox
                .read("out.eml")
                .windows(2)
                .any(|pair| pair == "ş".as_bytes())
    );
    let run = sandbox
        .run(&["header", "decode", map, "=?x-mine?Q?=FE?="])
        .ended(0);
    assert_eq!(run.text(), "ş\n");
    let run = sandbox
        .pipe(&["header", "params", map], b"a; b*=x-mine''%FE\n")
        .ended(0);
    assert!(run.text().contains('ş'), "{}", run.text());
    for (hint, text) in [("cs", "Kuře\n"), ("da", "Kuøe\n")] {
        let run = sandbox
            .pipe(&["header", "decode", "--lang-hint", hint], b"Ku\xF8e\n")
            .ended(0);
        assert_eq!(run.text(), text);
        let run = sandbox
            .pipe(
                &["text", "--lang-hint", hint, "-"],
                b"Subject: a\n\nKu\xF8e\n",
            )
            .ended(0);
        assert!(run.text().ends_with(text), "{}", run.text());
    }
    let run = sandbox
        .pipe(
            &["header", "decode", "--default-charset", "koi8-r"],
            b"\xC4\xC1\n",
        )
        .ended(0);
    assert_eq!(run.text(), "да\n");
}
