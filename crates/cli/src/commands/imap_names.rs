//! Decodes mailbox names in modified UTF-7 (RFC 3501, section 5.1.3), one per line, for `mailglot convert`.
//!
//! # Limits
//!
//! A name that is not valid is read piece by piece: a run from `&` to its `-` is one piece, all else byte by byte.

use mailglot_codec::imap_utf7::decode_mailbox;
use std::ops::Range;

/// A piece of a name: its text, or the bytes that cannot be decoded.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Bad(Range<usize>),
}

/// Splits a name into pieces. A valid name is one piece.
pub(super) fn pieces(name: &[u8]) -> Vec<Piece> {
    if let Ok(text) = decode_mailbox(name) {
        return vec![Piece::Text(text)];
    }
    let mut pieces = Vec::new();
    let (mut at, mut after_run) = (0, false);
    while at < name.len() {
        let end = at + piece_len(&name[at..]);
        let is_run = name[at] == b'&' && &name[at..end] != b"&-";
        // Two adjacent runs are not valid, because one run can encode their text.
        match decode_mailbox(&name[at..end]) {
            Ok(text) if !(is_run && after_run) => pieces.push(Piece::Text(text)),
            _ => pieces.push(Piece::Bad(at..end)),
        }
        after_run = is_run;
        at = end;
    }
    pieces
}

/// Returns the length of the first piece; at least 1.
fn piece_len(name: &[u8]) -> usize {
    let is_digit = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b',');
    if name[0] == b'&' {
        let digits = name[1..].iter().take_while(|b| is_digit(b)).count();
        let ended = name.get(1 + digits) == Some(&b'-');
        return 1 + digits + usize::from(ended);
    }
    let is_direct = |b: &u8| matches!(b, b' '..=b'~') && *b != b'&';
    name.iter().take_while(|b| is_direct(b)).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_pieces_have_their_places() {
        let text = |s: &str| Piece::Text(s.to_owned());
        for (name, expected) in [
            (&b"Entw&APw-rfe"[..], vec![text("Entwürfe")]),
            (b"a&b", vec![text("a"), Piece::Bad(1..3)]),
            (
                b"a\xff\xfeb&-",
                vec![
                    text("a"),
                    Piece::Bad(1..2),
                    Piece::Bad(2..3),
                    text("b"),
                    text("&"),
                ],
            ),
            (b"&APw-&APw-", vec![text("ü"), Piece::Bad(5..10)]),
            (b"&!", vec![Piece::Bad(0..1), text("!")]),
            (b"", vec![text("")]),
        ] {
            assert_eq!(pieces(name), expected, "{}", name.escape_ascii());
        }
    }
}
