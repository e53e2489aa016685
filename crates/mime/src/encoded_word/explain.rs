//! How each piece of a value was read, for people.

use super::decode::Reader;
use super::token::Letter;
use super::zone::Zone;
use super::{Encoding, Finding, HeaderContext};
use crate::header::FieldKind;
use mailglot_codec::Charset;
use std::borrow::Cow;
use std::ops::Range;

/// A run of words, or what stands between runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Range in the value. The pieces of a value cover it without gaps.
    pub at: Range<usize>,
    /// `text`, `phrase`, `comment`, `quoted`, `quote` (the mark itself) or `address`.
    pub place: &'static str,
    /// Decoded.
    pub text: String,
    /// The words that were decoded together; empty for what stands between.
    pub words: Vec<Word>,
}

/// One decoded word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Range in the value.
    pub at: Range<usize>,
    /// The label as written, without its language.
    pub label: String,
    /// The language tag of RFC 2231 5.
    pub language: Option<String>,
    /// B or Q.
    pub encoding: Encoding,
    /// What the label stands for; None where it says nothing.
    pub charset: Option<Charset>,
    /// The bytes that its text stands for.
    pub bytes: Vec<u8>,
}

/// Takes a value apart as [`super::decode`] does; the texts together are what that gives. A value with parameters is one piece: see
/// [`crate::params::parse`].
pub fn explain(
    value: &[u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<Piece> {
    let reader = Reader::new(value, kind, context, findings);
    let pieces = reader.segments.iter().map(|segment| {
        let mut text = String::new();
        reader.push(segment, &mut text, findings);
        let words = reader.words[segment.words.clone()].iter().map(|ready| Word {
            at: ready.word.range.clone(),
            label: String::from_utf8_lossy(&value[ready.word.label.clone()]).into_owned(),
            language: ready.word.language(value).map(Cow::into_owned),
            encoding: if ready.word.letter == Letter::B { Encoding::B } else { Encoding::Q },
            charset: ready.charset,
            bytes: reader.bytes[ready.bytes.clone()].to_vec(),
        });
        Piece { at: segment.range.clone(), place: place(segment.zone), text, words: words.collect() }
    });
    let pieces = pieces.collect();
    findings.sort_by_key(|f| f.at.start);
    pieces
}

fn place(zone: Zone) -> &'static str {
    match zone {
        Zone::Text => "text",
        Zone::Phrase => "phrase",
        Zone::Comment => "comment",
        Zone::Quoted => "quoted",
        Zone::Mark => "quote",
        Zone::Address => "address",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_tell_how_each_was_read() {
        let value = b"=?iso-8859-1*de-AT?Q?J=E4?= =?ISO-8859-1?B?bm5lcg==?= <a@b.example>";
        let pieces = explain(value, FieldKind::Structured, &HeaderContext::default(), &mut Vec::new());
        let texts: Vec<_> = pieces.iter().map(|p| (p.place, p.text.as_str(), p.words.len())).collect();
        assert_eq!(texts, [("phrase", "Jänner", 2), ("phrase", " ", 0), ("address", "<a@b.example>", 0)]);
        let words = &pieces[0].words;
        assert_eq!((&*words[0].label, words[0].language.as_deref()), ("iso-8859-1", Some("de-AT")));
        assert_eq!((words[0].encoding, words[1].encoding), (Encoding::Q, Encoding::B));
        assert_eq!((&words[0].bytes[..], words[1].language.as_deref()), (&b"J\xe4"[..], None));
        assert_eq!(words[1].charset.map(Charset::name), Some("ISO-8859-1"));
    }

    #[test]
    fn pieces_cover_the_value_and_make_its_text() {
        for value in ["", " a =?utf-8?Q?=C3=BC?=  b", "\"=?utf-8?q?x?= \\\" y\" (c) <d@e>", "x\r\n y =?a?b"] {
            for kind in [FieldKind::Unstructured, FieldKind::Structured, FieldKind::Opaque] {
                let context = HeaderContext::default();
                let pieces = explain(value.as_bytes(), kind, &context, &mut Vec::new());
                let text: String = pieces.iter().map(|p| p.text.as_str()).collect();
                assert_eq!(text, super::super::decode(value.as_bytes(), kind, &context, &mut Vec::new()));
                let mut at = 0;
                for piece in &pieces {
                    assert_eq!(piece.at.start, at);
                    at = piece.at.end;
                }
                assert_eq!(at, value.len());
            }
        }
    }
}
