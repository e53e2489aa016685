//! `header decode`, `header params`, `header encode`

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

#[test]
fn values_are_decoded() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["header", "decode", "=?ISO-8859-1?Q?We=92ve?=", "plain"]).ended(0);
    assert_eq!(run.text(), "We’ve\nplain\n");
    let run =
        sandbox.pipe(&["header", "decode"], b"=?utf-8?B?w7w=?=\r\nplain\n\n=?koi8-r?Q?=C4=C1?=").ended(0);
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
        (b"=?utf-8?Q?=C3=BC?=\r\n =?utf-8?Q?x?=\0\0\n b\0", "üx\0\0 b\0"),
        (b"=?utf-8?Q?a=00=0Ab?=\0", "a  b\0"),
    ] {
        let run = sandbox.pipe(&["header", "decode", "-0"], input).ended(0);
        assert_eq!(run.text(), output, "{}", input.escape_ascii());
    }
}

#[test]
fn decoded_values_in_json() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["header", "decode", "--json", "=?iso-8859-1?Q?=FC?= x"]).ended(0);
    let object: Value = serde_json::from_slice(&run.out).unwrap();
    assert_eq!(object["value"], "=?iso-8859-1?Q?=FC?= x");
    assert_eq!(object["text"], "ü x");
    assert!(object["events"].is_array());
    let run = sandbox.pipe(&["header", "decode", "--json"], b"raw \xfc\n").ended(0);
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
    let run = sandbox.pipe(&["header", "params", "-0", "--json"], input).ended(0);
    let objects: Vec<Value> = run.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        objects,
        [
            json!({"value": "text/plain", "params": {"charset": "utf-8", "format": "flowed"}}),
            json!({"value": "attachment", "params": {"filename": "€.txt"}}),
        ]
    );
    let run = sandbox.pipe(&["header", "params"], b"attachment; filename=\"a b.txt\"\n").ended(0);
    assert_eq!(run.text(), "attachment; filename=\"a b.txt\"\n");
}

#[test]
fn texts_are_encoded() {
    let sandbox = Sandbox::new();
    let encoded = |args: &[&str]| {
        let args = [&["header", "encode"], args].concat();
        sandbox.run(&args).ended(0).text().to_owned()
    };
    assert_eq!(encoded(&["Übersicht", "plain"]), "=?UTF-8?Q?=C3=9Cbersicht?=\nplain\n");
    assert_eq!(encoded(&["--encoding", "b", "ü"]), "=?UTF-8?B?w7w=?=\n");
    assert_eq!(encoded(&["--encoding", "q", "Привет"]).matches("=D").count(), 6);
    let long = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(4);
    let run = sandbox.pipe(&["header", "encode"], long.as_bytes()).ended(0);
    assert_eq!(run.text().lines().count(), 1, "a value stays a line");
    assert!(run.text().split_whitespace().all(|word| word.len() <= 75));
    let run = sandbox.pipe(&["header", "decode"], &run.out).ended(0);
    assert_eq!(run.text(), format!("{long}\n"));
    let run = sandbox.pipe(&["header", "encode"], b"\xff\n").ended(1);
    assert!(run.err.contains("not UTF-8 at byte 0"), "{}", run.err);
}
