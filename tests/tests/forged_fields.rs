//! Forged fields behind lines at which mail readers disagree whether the header ends.
//!
//! The gateway judges every short header of such lines. Then Python's package email, GMime, and a reader that skips lines that are not fields
//! read the result. None of them may see a forged field. If the gateway repaired the header, they must see the same fields as mailglot.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_gateway::Envelope;
use mailglot_gateway::judge::judge;
use mailglot_gateway::policy::{Action, Finding, Rules};
use mailglot_mime::{Limits, Message, PartId};
use mailglot_tests::reader;
use serde::Deserialize;

/// What may stand in a header, or what a reader may take for its end.
const LINES: [&str; 12] = [
    "Subject: x",
    "Foo: y",
    "From a@b.invalid",
    "no field",
    " more",
    " ",
    ": no name",
    "--b",
    "MIME-Ambiguity-Results: forged\n\tforged",
    "authentication-results : mx.example; forged",
    "Bar: z\rMIME-Ambiguity-Results: forged",
    "Date: z\r\rX-Original: forged",
];

/// What a reader sees; nothing where it takes the bytes for no message.
#[derive(Deserialize)]
struct ReaderFields {
    #[serde(default)]
    fields: Vec<(String, String)>,
}

/// Every header of so many of the lines.
fn headers(count: u32) -> impl Iterator<Item = Vec<&'static str>> {
    let most = LINES.len().pow(count);
    (0..most).map(move |number| {
        (0..count)
            .map(|at| LINES[number / LINES.len().pow(at) % LINES.len()])
            .collect()
    })
}

fn rules(base: Rules) -> Rules {
    let mut rules = base;
    rules.original_header = Some("X-Original".to_owned());
    (rules.authserv_id, rules.strips_results) = (Some("mx.example".to_owned()), true);
    "gw.example".clone_into(&mut rules.host);
    rules
}

/// Fields for a reader that skips what is none, up to the first empty line.
fn lax(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw);
    let lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
    lines
        .take_while(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_reader_sees_a_forged_field() {
    let mut named = Rules::default();
    named.set(Finding::MalformedHeaderLine, Action::Normalize);
    let mut passing = Rules::default();
    for finding in Finding::ALL {
        passing.set(finding, Action::Pass);
    }
    for (name, rules, mends) in [
        ("default", rules(Rules::default()), true),
        ("named", rules(named), true),
        ("passing", rules(passing), false),
        ("monitor", rules(Rules::monitor()), false),
    ] {
        for eol in ["\n", "\r\n"] {
            let inputs: Vec<Vec<u8>> = (1..=3)
                .flat_map(headers)
                .map(|lines| [lines, vec!["", "text", "MIME-Ambiguity-Results: text", ""]].concat())
                .map(|lines| lines.join("\n").replace('\n', eol).into_bytes())
                .collect();
            let judged: Vec<_> = inputs
                .iter()
                .map(|raw| judge(raw, &Envelope::default(), &rules))
                .collect();
            let outputs: Vec<Vec<u8>> = judged
                .iter()
                .map(|judgement| judgement.bytes().into_owned())
                .collect();
            let messages: Vec<&[u8]> = outputs.iter().map(|bytes| &bytes[..]).collect();
            let python = reader::lines(&["python", "fields"], &messages);
            let gmime = reader::lines(&["gmime", "fields"], &messages);
            let mut alike = 0;
            for (at, raw) in inputs.iter().enumerate() {
                let (bytes, judgement) = (&outputs[at], &judged[at]);
                let told = || {
                    format!(
                        "{name} {:?} became {:?}",
                        raw.escape_ascii().to_string(),
                        bytes.escape_ascii().to_string()
                    )
                };
                let forged = |name: &str, value: &str| {
                    let own = [
                        "mime-ambiguity-results",
                        "x-original",
                        "authentication-results",
                    ];
                    own.iter().any(|own| name.trim().eq_ignore_ascii_case(own))
                        && value.contains("forged")
                };
                for line in lax(bytes) {
                    let (name, value) = line.split_once(':').unwrap_or_default();
                    assert!(!forged(name, value), "a lax reader: {}", told());
                }
                let text = [b"MIME-Ambiguity-Results: text", eol.as_bytes()].concat();
                assert!(bytes.ends_with(&text), "text stays: {}", told());
                let python: ReaderFields = serde_json::from_str(&python[at]).unwrap();
                let gmime: ReaderFields = serde_json::from_str(&gmime[at]).unwrap();
                for (name, value) in python.fields.iter().chain(&gmime.fields) {
                    assert!(!forged(name, value), "{}", told());
                }
                let odd = judgement.findings.has(Finding::MalformedHeaderLine) && name != "named";
                // A CR in a header is no line end to most, and nobody here can write it otherwise.
                if mends && !odd && !bare(bytes) {
                    alike += 1;
                    let message = Message::parse(bytes, &Limits::default());
                    let own: Vec<_> = message
                        .fields(PartId::ROOT)
                        .iter()
                        .map(|field| String::from_utf8_lossy(field.name.of(bytes)).into_owned())
                        .collect();
                    let theirs: Vec<_> =
                        python.fields.iter().map(|(name, _)| name.clone()).collect();
                    assert_eq!(own, theirs, "{}", told());
                }
                let again = judge(bytes, &Envelope::default(), &rules);
                let others = again
                    .edits
                    .iter()
                    .filter(|edit| !own_report(edit.span.of(bytes)))
                    .count();
                assert!(
                    !mends || odd || bare(raw) || others == 0,
                    "once more: {}",
                    told()
                );
            }
            println!("{name}: {} headers, {alike} read alike", inputs.len());
            assert!(!mends || alike > 500, "{alike}");
        }
    }
}

/// What we have written ourselves goes when the message comes once more.
fn own_report(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MIME-Ambiguity-Results: gw.example;")
        || bytes.starts_with(b"X-Original: v=1;")
}

fn bare(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
}
