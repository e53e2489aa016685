//! `header decode` and `header params`: parameters, and what is reported of repairs and losses

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

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
    let values = ["a/b; name*=utf-8''%E2%82%AC", "x; a=\"b"];
    let run = sandbox
        .run(&[&["header", "params"], &values[..]].concat())
        .ended(0);
    assert_eq!(run.text(), "a/b; name=\"€\"\nx; a=b\n");
    assert!(run.err.contains("param.unclosed-quote at 5..7"), "{run:?}");
}

#[test]
fn parameters_tell_what_was_found() {
    let sandbox = Sandbox::new();
    let input = b"x; a*=utf-8''aa%C3%A9%FF\0x; a*=utf-8''caf%E9s\0x; b=\"r\nX-Evil: 1\"\0x; b=c\0";
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
        "x; a=\"aaé\u{fffd}\"\0x; a=\"cafés\"\0x; b=\"r X-Evil: 1\"\0x; b=c\0"
    );
}

/// Without `-v` it is told what was found, if not where each is.
#[test]
fn repairs_and_losses_are_counted_without_being_asked_for() {
    let sandbox = Sandbox::new();
    let input = b"a =?utf-8?Q?=FF?= b =?utf-8?Q?=FE?=\nc =?koi8-r?B?8A?=\n";
    let want = "loss charset.invalid-bytes: 2, the first at 2..17 (-v lists each)\n\
        repair ew.bad-token: 1, the first at 38..53 (-v lists each)\n";
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
        "repair ew.bad-token: 1, the first at 2..65538 (-v lists each)\n"
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
