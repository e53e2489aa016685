//! What the planner makes of whole messages, and the laws that hold for each of them.

mod bodies;
mod fields;
mod labels;
mod line_ends;
mod outer_text;
mod raw_bytes;
mod signatures;
#[path = "../../src/test_charsets.rs"]
mod test_charsets;
mod transfer_labels;
mod words_beside_bodies;

use mailglot_codec::Charset;
use mailglot_mime::{
    Headers, Limits, Message, OnLoss, PartKind, Policy, Report, Transfer, apply_undo, process,
    text_parts, undo_edits,
};

/// Policies that every message of this file is put through.
fn policies() -> Vec<Policy> {
    let mut all = Vec::new();
    for headers in [Headers::Keep, Headers::Words, Headers::RawUtf8] {
        for transfer in [
            Transfer::Keep,
            Transfer::Clean,
            Transfer::SevenBit,
            Transfer::EightBit,
        ] {
            for on_loss in [OnLoss::Replace, OnLoss::Keep] {
                all.push(
                    Policy::default()
                        .headers(headers)
                        .transfer(transfer)
                        .on_loss(on_loss),
                );
            }
        }
    }
    all
}

fn texts(raw: &[u8]) -> Vec<(String, String)> {
    let message = Message::parse(raw, &Limits::default());
    text_parts(&message, &Policy::default(), &mut Report::default())
        .into_iter()
        .map(|p| {
            let text = p.text.replace("\r\n", "\n");
            let text = text.trim_end_matches('\n').to_owned();
            (message.section(p.part), text)
        })
        .collect()
}

/// Laws 2, 3, 4 and 7, and that the text stays as it was, for one message under every policy.
fn keeps_the_laws(raw: &[u8]) {
    for policy in policies() {
        let once = process(raw, &policy);
        let shown = || {
            format!(
                "{policy:?}\n{}\n->\n{}",
                raw.escape_ascii(),
                once.bytes.escape_ascii()
            )
        };
        let twice = process(&once.bytes, &policy);
        assert!(
            twice.edits.is_empty(),
            "a second pass edits: {:?}\n{}",
            twice.edits,
            shown()
        );
        let undo = undo_edits(raw, &once.edits);
        assert_eq!(
            apply_undo(&once.bytes, &undo).as_deref(),
            Some(raw),
            "{}",
            shown()
        );
        let (before, after) = (
            Message::parse(raw, &Limits::default()),
            Message::parse(&once.bytes, &Limits::default()),
        );
        assert_eq!(before.parts().len(), after.parts().len(), "{}", shown());
        for (b, a) in before.parts().iter().zip(after.parts()) {
            assert_eq!((b.parent, b.kind), (a.parent, a.kind), "{}", shown());
            // Raw UTF-8 in its header makes message/rfc822 message/global.
            assert!(
                b.media == a.media || b.kind == PartKind::Message,
                "{}",
                shown()
            );
        }
        if !raw.windows(5).any(|w| w == b"<meta") {
            assert_eq!(texts(raw), texts(&once.bytes), "{}", shown());
        }
        if policy.transfer == Transfer::SevenBit && raw.is_ascii() {
            assert!(once.bytes.is_ascii(), "{}", shown());
        }
    }
}

/// The bytes that Latin-1 text stands for.
fn latin1(text: &str) -> Vec<u8> {
    let mut log = mailglot_codec::LossLog::new();
    Charset::WINDOWS_1252
        .encode(text, mailglot_codec::Unmappable::Skip, &mut log)
        .into_owned()
}

/// Input (latin-1 text stands for bytes) and the output of the default policy.
fn case(raw: &str, expected: &str) {
    let raw = Charset::WINDOWS_1252
        .encode_exact(raw)
        .expect("the charset has every character")
        .into_owned();
    for crlf in [false, true] {
        let (raw, expected) = if crlf {
            let text: Vec<u8> = raw
                .iter()
                .flat_map(|b| {
                    if *b == b'\n' {
                        vec![b'\r', b'\n']
                    } else {
                        vec![*b]
                    }
                })
                .collect();
            (text, expected.replace('\n', "\r\n"))
        } else {
            (raw.clone(), expected.to_owned())
        };
        let outcome = process(&raw, &Policy::default());
        assert_eq!(String::from_utf8_lossy(&outcome.bytes), expected);
        keeps_the_laws(&raw);
    }
}

/// Codes of the events of normalising.
fn codes(raw: &[u8]) -> Vec<&'static str> {
    process(raw, &Policy::default())
        .report
        .events
        .iter()
        .map(|event| event.kind.code())
        .collect()
}
