//! Encodes UTF-8, CESU-8, UTF-16, UTF-32 and similar charsets, which can encode every character.
//!
//! # Limits
//! Writes a byte order mark, big-endian, only if the label leaves the order open. Subsets of UCS-2 with lists of characters
//! (ISO-10646-J-1, ISO-Unicode-IBM-1261 …) are encoded like all of UCS-2.

use crate::charset::Charset;
use crate::encoder_machine::{Encode, Out};
use crate::utf16::Order;
use std::ops::ControlFlow;

/// UTF-8 (RFC 3629).
#[derive(Clone, Debug)]
pub(super) struct Utf8Encoder;

impl Encode for Utf8Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        out.extend(text.as_bytes());
        ControlFlow::Continue(())
    }
}

/// CESU-8 (UTR 26): characters beyond the basic plane as two surrogates of three bytes each.
#[derive(Clone, Debug)]
pub(super) struct Cesu8Encoder;

impl Encode for Cesu8Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let mut plain = 0;
        for (at, c) in text.char_indices().filter(|(_, c)| *c > '\u{FFFF}') {
            out.extend(&text.as_bytes()[plain..at]);
            plain = at + c.len_utf8();
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.extend(&[
                    0xED,
                    0x80 | (*unit >> 6 & 0x3F) as u8,
                    0x80 | (*unit & 0x3F) as u8,
                ]);
            }
        }
        out.extend(&text.as_bytes()[plain..]);
        ControlFlow::Continue(())
    }
}

/// UTF-16 (RFC 2781), and UCS-2 with its parts.
#[derive(Clone, Debug)]
pub(super) struct Utf16Encoder {
    order: Option<Order>,
    /// The last character that can be carried.
    last: char,
    begun: bool,
}

impl Utf16Encoder {
    pub(super) fn new(order: Option<Order>, last: char) -> Self {
        Self {
            order,
            last,
            begun: false,
        }
    }
}

/// The last character of a charset in units of 16 bits: UCS-2 has no pairs of them, and is read as UTF-16.
pub(super) fn last_of(charset: Charset) -> char {
    match charset {
        Charset::ISO_10646_UCS_BASIC => '\u{7F}',
        Charset::ISO_10646_UNICODE_LATIN1 => '\u{FF}',
        _ if charset.superset() == charset => char::MAX,
        _ => '\u{FFFF}',
    }
}

impl Encode for Utf16Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        if !std::mem::replace(&mut self.begun, true) && self.order.is_none() {
            out.extend(&[0xFE, 0xFF]);
        }
        let little = self.order == Some(Order::Little);
        let beyond = match self.last {
            char::MAX => None,
            last => text
                .char_indices()
                .find(|(_, c)| *c > last)
                .map(|(at, _)| at),
        };
        let carried = &text[..beyond.unwrap_or(text.len())];
        out.bytes.reserve(carried.len() * 2);
        for unit in carried.encode_utf16() {
            out.extend(&if little {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            });
        }
        beyond.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }
}

/// UTF-32.
#[derive(Clone, Debug)]
pub(super) struct Utf32Encoder {
    order: Option<Order>,
    begun: bool,
}

impl Utf32Encoder {
    pub(super) fn new(order: Option<Order>) -> Self {
        Self {
            order,
            begun: false,
        }
    }
}

impl Encode for Utf32Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        if !std::mem::replace(&mut self.begun, true) && self.order.is_none() {
            out.extend(&[0, 0, 0xFE, 0xFF]);
        }
        let little = self.order == Some(Order::Little);
        out.bytes.reserve(text.len() * 2);
        for c in text.chars() {
            out.extend(&if little {
                (c as u32).to_le_bytes()
            } else {
                (c as u32).to_be_bytes()
            });
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;
    use crate::encoder::Unmappable;
    use crate::loss::LossLog;

    #[test]
    fn ucs_2_has_no_pairs_and_its_parts_end_where_they_end() {
        for (charset, carried, beyond) in [
            ("ISO-10646-UCS-2", "a日\u{FFFD}", '\u{1F600}'),
            ("UNICODE-1-1", "a日", '\u{20000}'),
            ("ISO-10646-J-1", "a日", '\u{20000}'),
            ("ISO-10646-UCS-Basic", "a~", 'é'),
            ("ISO-10646-Unicode-Latin1", "aÿ", 'Ā'),
        ] {
            let charset = Charset::for_name(charset).unwrap_or_else(|| panic!("{charset}"));
            let mut log = LossLog::new();
            let text = format!("{carried}{beyond}{carried}");
            let bytes = charset.encode(&text, Unmappable::QuestionMark, &mut log);
            assert_eq!(log.losses(), 1, "{charset}");
            assert_eq!(
                charset.decode(&bytes, &mut LossLog::new()),
                text.replace(beyond, "?"),
                "{charset}"
            );
        }
        for charset in [Charset::UTF_16, Charset::UTF_16LE] {
            let mut log = LossLog::new();
            let bytes = charset.encode("\u{1F600}", Unmappable::Skip, &mut log);
            assert!(log.is_empty() && charset.decode(&bytes, &mut log) == "\u{1F600}");
        }
    }
}
