//! Explains how each piece of a value was decoded.

use super::context::HeaderContext;
use super::encode::Encoding;
use super::reader::Reader;
use crate::event::Finding;
use crate::field_kind::FieldKind;
use crate::lexer::Letter;
use crate::lexer::LexicalContext;
use mailglot_codec::Charset;
use std::borrow::Cow;
use std::ops::Range;

/// A run of words, or the text between runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The range in the value. The pieces of a value cover it without gaps.
    pub at: Range<usize>,
    /// `text`, `phrase`, `comment`, `quoted`, `quote` (the mark itself) or `address`.
    pub place: &'static str,
    /// The decoded text.
    pub text: String,
    /// The words that were decoded together; empty for text between runs.
    pub words: Vec<Word>,
}

/// An encoded word, with its decoded bytes and their charset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The range in the value.
    pub at: Range<usize>,
    /// The label as written, without its language.
    pub label: String,
    /// The language tag of RFC 2231, section 5.
    pub language: Option<String>,
    /// B or Q.
    pub encoding: Encoding,
    /// The charset that the label names; None if it says nothing.
    pub charset: Option<Charset>,
    /// The charset that decoded the word, or its superset. The bytes may have overruled the label.
    pub used: Charset,
    /// The decoded payload.
    pub bytes: Vec<u8>,
}

/// Splits a value into pieces and explains how [`crate::header::decode`] decodes each one. The texts together equal its result.
///
/// [`FieldKind::Parameters`] is an exception: the value is one piece of raw text. [`crate::params::parse`] decodes it.
pub fn explain(
    value: &[u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<Piece> {
    let reader = Reader::new(value, kind, context, findings);
    let pieces = reader.segments.iter().map(|segment| {
        let mut text = String::new();
        let mut used = Vec::new();
        if segment.words.is_empty() {
            reader.push(segment, &mut text, findings);
        } else {
            reader.push_run(segment, &mut text, findings, Some(&mut used));
        }
        let words = reader.words[segment.words.clone()]
            .iter()
            .zip(used)
            .map(|(ready, used)| Word {
                at: ready.word.range.clone(),
                label: String::from_utf8_lossy(&value[ready.word.label.clone()]).into_owned(),
                language: ready.word.language(value).map(Cow::into_owned),
                encoding: if ready.word.letter == Letter::B {
                    Encoding::B
                } else {
                    Encoding::Q
                },
                charset: ready.charset,
                used: used.superset(),
                bytes: reader.bytes[ready.bytes.clone()].to_vec(),
            });
        Piece {
            at: segment.range.clone(),
            place: place(segment.lexical),
            text,
            words: words.collect(),
        }
    });
    let pieces = pieces.collect();
    findings.sort_by_key(|f| f.at.start);
    pieces
}

fn place(lexical: LexicalContext) -> &'static str {
    match lexical {
        LexicalContext::Text => "text",
        LexicalContext::Phrase => "phrase",
        LexicalContext::Comment => "comment",
        LexicalContext::Quoted => "quoted",
        LexicalContext::Mark => "quote",
        LexicalContext::Address => "address",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoded_word::value::decode_value;
    use mailglot_codec::LossLog;

    #[test]
    fn pieces_explain_their_decoding() {
        let value = b"=?iso-8859-1*de-AT?Q?J=E4?= =?ISO-8859-1?B?bm5lcg==?= <a@b.example>";
        let pieces = explain(
            value,
            FieldKind::Structured,
            &HeaderContext::default(),
            &mut Vec::new(),
        );
        let texts: Vec<_> = pieces
            .iter()
            .map(|p| (p.place, p.text.as_str(), p.words.len()))
            .collect();
        assert_eq!(
            texts,
            [
                ("phrase", "Jänner", 2),
                ("phrase", " ", 0),
                ("address", "<a@b.example>", 0)
            ]
        );
        let words = &pieces[0].words;
        assert_eq!(
            (&*words[0].label, words[0].language.as_deref()),
            ("iso-8859-1", Some("de-AT"))
        );
        assert_eq!(
            (words[0].encoding, words[1].encoding),
            (Encoding::Q, Encoding::B)
        );
        assert_eq!(
            (&words[0].bytes[..], words[1].language.as_deref()),
            (&b"J\xe4"[..], None)
        );
        assert_eq!(words[1].charset.map(Charset::name), Some("ISO-8859-1"));
    }

    #[test]
    fn explained_charset_decodes_the_text() {
        let mut against = 0;
        for (value, kind) in [
            (
                "=?iso-8859-1?q?=D0=BF=D1=80=D0=B8?=",
                FieldKind::Unstructured,
            ),
            (
                "=?utf-8?q?=C5=BEe?= x =?utf-8?q?=E4_t=E9?=",
                FieldKind::Unstructured,
            ),
            ("=?utf-8?q?=E4_t=E9?=", FieldKind::Unstructured),
            (
                "a@b.example (=?us-ascii?q?=E4t=E9?=)",
                FieldKind::Structured,
            ),
            (
                "=?us-ascii?q?abc?= =?unknown-8bit?q?=CF=F0=E8=E2=E5=F2=20=E2=F1=E5=EC?=",
                FieldKind::Unstructured,
            ),
            (
                "=?iso-8859-1?q?J=E4?= =?koi8-r?b?8NLJ18XU?= =?utf-8?q?=C3=BC?=",
                FieldKind::Unstructured,
            ),
            (
                "=?utf-7?q?+AOk-?= =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=",
                FieldKind::Unstructured,
            ),
        ] {
            let pieces = explain(
                value.as_bytes(),
                kind,
                &HeaderContext::default(),
                &mut Vec::new(),
            );
            let mut seen = 0;
            for piece in pieces.iter().filter(|piece| !piece.words.is_empty()) {
                let read = |word: &Word| {
                    word.used
                        .decode(&word.bytes, &mut LossLog::new())
                        .into_owned()
                };
                assert_eq!(
                    piece.text,
                    piece.words.iter().map(read).collect::<String>(),
                    "{value}"
                );
                let label = |word: &&Word| word.charset.map(Charset::superset) != Some(word.used);
                against += piece.words.iter().filter(label).count();
                seen += piece.words.len();
            }
            assert_eq!(
                seen,
                value.split(' ').filter(|atom| atom.contains("?=")).count(),
                "{value}"
            );
        }
        assert!(against >= 4, "{against}");
    }

    #[test]
    fn pieces_cover_the_value_and_make_its_text() {
        for value in [
            "",
            " a =?utf-8?Q?=C3=BC?=  b",
            "\"=?utf-8?q?x?= \\\" y\" (c) <d@e>",
            "x\r\n y =?a?b",
        ] {
            for kind in [
                FieldKind::Unstructured,
                FieldKind::Structured,
                FieldKind::Opaque,
            ] {
                let context = HeaderContext::default();
                let pieces = explain(value.as_bytes(), kind, &context, &mut Vec::new());
                let text: String = pieces.iter().map(|p| p.text.as_str()).collect();
                assert_eq!(
                    text,
                    decode_value(value.as_bytes(), kind, &context, &mut Vec::new())
                );
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
