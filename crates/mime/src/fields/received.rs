//! Parses trace fields (RFC 5321, section 4.4; RFC 5322, section 3.6.7).
//!
//! # Limits
//!
//! The first word of a clause identifies it. Text in other forms (such as qmail's) is in `rest`. Comments of all clauses form one
//! list.

use super::date::{Date, date};
use crate::lexer;
use crate::unlogged::decode_name;

/// The clauses of a Received field. Of a repeated clause, the first counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// The name that the sending host gave.
    pub from: Option<String>,
    /// The receiving host.
    pub by: Option<String>,
    /// The link layer, such as `TCP`.
    pub via: Option<String>,
    /// The protocol, such as `ESMTPS`.
    pub with: Option<String>,
    /// The receiving host's name of the transaction.
    pub id: Option<String>,
    /// The recipient without angles; the first one if there are several, which RFC 5321 4.4 does not allow.
    pub recipient: Option<String>,
    /// Comments in order, without their parentheses. Most contain a host address or a cipher.
    pub comments: Vec<String>,
    /// Text outside all clauses.
    pub rest: Vec<String>,
    /// The date; `None` if it is missing or cannot be parsed.
    pub date: Option<Date>,
}

/// Maximum number of words and comments that are read from a field.
const PIECES: usize = 1_000;

/// Parses a Received field (RFC 5321, section 4.4).
///
/// ```
/// use mailglot_mime::fields::received;
///
/// let trace = received(b"from a.example by b.example with ESMTPS id 7; Mon, 2 Mar 1998 10:00:00 +0100");
/// assert_eq!((trace.by.as_deref(), trace.with.as_deref()), (Some("b.example"), Some("ESMTPS")));
/// ```
pub fn received(value: &[u8]) -> Received {
    let mut trace = Received::default();
    let semicolon = last_semicolon(value);
    trace.date = semicolon.and_then(|at| date(&value[at + 1..]));
    let head = &value[..semicolon.unwrap_or(value.len())];
    let (mut at, mut count) = (0, 0);
    let mut keyword: Option<Keyword> = None;
    while count < PIECES {
        count += 1;
        at = lexer::skip_space(head, at);
        let Some(&byte) = head.get(at) else { break };
        if byte == b'(' {
            let end = lexer::comment_end(head, at);
            let inner = &head[at + 1..end.map_or(head.len(), |end| end - 1)];
            trace.comments.push(text(inner));
            at = end.unwrap_or(head.len());
            continue;
        }
        let end = word_end(head, at);
        let mut word = text(&head[at..end]);
        at = end;
        match keyword.take() {
            Some(which) => {
                // Commas and semicolons between words are not part of them.
                word.truncate(word.trim_end_matches([',', ';']).len());
                if word.is_empty() {
                    keyword = Some(which);
                    continue;
                }
                let place = which.place(&mut trace);
                if place.is_none() {
                    let bare = word
                        .strip_prefix('<')
                        .and_then(|word| word.strip_suffix('>'));
                    *place = Some(
                        bare.filter(|_| which == Keyword::For)
                            .unwrap_or(&word)
                            .to_owned(),
                    );
                }
            }
            None => match Keyword::of(&word) {
                Some(which) => keyword = Some(which),
                None => trace.rest.push(word),
            },
        }
    }
    trace
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    From,
    By,
    Via,
    With,
    Id,
    For,
}

impl Keyword {
    fn of(word: &str) -> Option<Self> {
        let known = [
            ("from", Self::From),
            ("by", Self::By),
            ("via", Self::Via),
            ("with", Self::With),
            ("id", Self::Id),
            ("for", Self::For),
        ];
        known
            .iter()
            .find(|(name, _)| word.eq_ignore_ascii_case(name))
            .map(|&(_, which)| which)
    }

    fn place(self, trace: &mut Received) -> &mut Option<String> {
        match self {
            Self::From => &mut trace.from,
            Self::By => &mut trace.by,
            Self::Via => &mut trace.via,
            Self::With => &mut trace.with,
            Self::Id => &mut trace.id,
            Self::For => &mut trace.recipient,
        }
    }
}

/// Returns the offset of the semicolon before the date: the last one outside comments.
fn last_semicolon(value: &[u8]) -> Option<usize> {
    let (mut found, mut at, mut comments) = (None, 0, true);
    while let Some(&byte) = value.get(at) {
        match byte {
            b';' => found = Some(at),
            b'(' if comments => match lexer::comment_end(value, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => comments = false,
            },
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns the end of a word: before white space or a comment. Text in angles is one word.
fn word_end(value: &[u8], at: usize) -> usize {
    if value[at] == b'<'
        && let Some(n) = memchr::memchr(b'>', &value[at..])
    {
        return at + n + 1;
    }
    lexer::find_byte(value, at + 1, |b| lexer::is_space(b) || b == b'(')
}

fn text(bytes: &[u8]) -> String {
    let mut out = String::new();
    crate::encoded_word::push_clean(&decode_name(bytes), &mut out);
    out.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_found() {
        let trace = received(
            b" from mail.example.org (mail.example.org [192.0.2.1])\r\n\t(using TLSv1.3; cipher X)\r\n\tby mx.example.net (Postfix) with ESMTPS id 4ABC\r\n\tfor <joe@example.net>; Fri, 21 Nov 1997 10:05:43 -0600 (CST)",
        );
        assert_eq!(trace.from.as_deref(), Some("mail.example.org"));
        assert_eq!(trace.by.as_deref(), Some("mx.example.net"));
        assert_eq!(
            (trace.with.as_deref(), trace.id.as_deref()),
            (Some("ESMTPS"), Some("4ABC"))
        );
        assert_eq!(trace.recipient.as_deref(), Some("joe@example.net"));
        let comments = [
            "mail.example.org [192.0.2.1]",
            "using TLSv1.3; cipher X",
            "Postfix",
        ];
        assert_eq!(trace.comments, comments);
        assert_eq!(
            trace.date.map(|d| d.to_string()).as_deref(),
            Some("1997-11-21T10:05:43-06:00")
        );
        assert_eq!((trace.rest.len(), trace.via), (0, None));
    }

    #[test]
    fn names_beyond_ascii_are_kept() {
        for (name, expected) in [
            (&b"J\xF6rgs-PC"[..], "J\u{f6}rgs-PC"),
            (b"\x8Eiga", "\u{17d}iga"),
        ] {
            let rest = b") by mx.example; Fri, 21 Nov 1997 10:05:43 -0600";
            let value = [b"from pc (".as_slice(), name, rest].concat();
            assert_eq!(received(&value).comments, [expected]);
        }
    }

    #[test]
    fn separators_belong_to_no_clause() {
        let trace = received(b"by b for x@y, z@w id x; y; 1 Jan 2000 00:00:00 -0000");
        assert_eq!(
            (trace.recipient.as_deref(), trace.id.as_deref()),
            (Some("x@y"), Some("x"))
        );
        assert_eq!(trace.rest, ["z@w", "y"]);
        let trace = received(b"for <x@y>,<z@w>; x");
        assert_eq!(trace.recipient.as_deref(), Some("x@y"));
    }

    #[test]
    fn other_forms_lose_nothing() {
        let trace = received(b"(qmail 12345 invoked by uid 0); 1 Jan 2000 00:00:00 -0000");
        assert_eq!(trace.comments, ["qmail 12345 invoked by uid 0"]);
        assert!(trace.date.is_some());
        let trace = received(b"from a (open by b; x");
        assert_eq!((trace.from.as_deref(), trace.date), (Some("a"), None));
        assert_eq!(trace.comments, ["open by b"]);
        assert_eq!(received(b"by a by b from").by.as_deref(), Some("a"));
        assert_eq!(received(b""), Received::default());
        assert_eq!(received(b"unknown words").rest, ["unknown", "words"]);
    }
}
