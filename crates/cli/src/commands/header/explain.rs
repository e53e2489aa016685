//! `header decode --explain`: prints how each piece of a value was decoded.

use crate::output::{Console, visible};
use mailglot_mime::encoded_word::{self, Encoding, HeaderContext};
use mailglot_mime::header::FieldKind;
use mailglot_mime::params;

/// Bytes of a word that are shown.
const SHOWN: usize = 48;

/// Prints how each piece of a value was decoded.
pub(super) fn explain(value: &[u8], kind: FieldKind, context: &HeaderContext, console: Console) {
    if kind == FieldKind::Parameters {
        for param in params::parse(value, context, &mut Vec::new()).list {
            let language = param
                .language
                .map(|tag| format!(" ({tag})"))
                .unwrap_or_default();
            console.say(format_args!(
                "parameter {}{}: {:?}",
                visible(&param.name),
                visible(&language),
                param.text
            ));
        }
        return;
    }
    for piece in encoded_word::explain(value, kind, context, &mut Vec::new()) {
        let (start, end) = (piece.at.start, piece.at.end);
        let what = if piece.words.is_empty() {
            piece.place
        } else {
            "words"
        };
        let place = if piece.words.is_empty() {
            String::new()
        } else {
            format!(" in {}", piece.place)
        };
        console.say(format_args!(
            "{start}..{end} {what}{place}: {:?}",
            visible(&piece.text)
        ));
        for word in &piece.words {
            let letter = if word.encoding == Encoding::B {
                'B'
            } else {
                'Q'
            };
            let charset = word.used.name();
            let language = word
                .language
                .as_deref()
                .map(|tag| format!(", language {tag}"))
                .unwrap_or_default();
            let bytes: Vec<String> = word
                .bytes
                .iter()
                .take(SHOWN)
                .map(|byte| format!("{byte:02X}"))
                .collect();
            let more = if word.bytes.len() > SHOWN { " …" } else { "" };
            console.say(format_args!(
                "    {}..{} {} {letter}, read as {charset}{}: {}{more}",
                word.at.start,
                word.at.end,
                visible(&word.label),
                visible(&language),
                bytes.join(" ")
            ));
        }
    }
}
