//! Detects the byte order of UTF-16 without a byte order mark, by statistics.
//!
//! Scores each order by its units: spaces and ASCII, letters, units of one script in a row, surrogate pairs. In the wrong order
//! units jump over the whole plane, or end in 00.
//!
//! # Limits
//! Uses at most 512 units, and decides nothing for fewer than four.

use super::order::{Order, WINDOW};

/// The byte order, if one is at least four times as likely a text as the other.
pub(crate) fn guess(input: &[u8]) -> Option<Order> {
    let units = input[..input.len().min(WINDOW)].chunks_exact(2);
    if units.len() < 4 {
        return None;
    }
    let [big, little] =
        [Order::Big, Order::Little].map(|order| score(units.clone().map(|pair| order.unit(pair))));
    if big >= 4 * little {
        Some(Order::Big)
    } else if little >= 4 * big {
        Some(Order::Little)
    } else {
        None
    }
}

/// How much a sequence of units looks like text; at least 1.
fn score(units: impl Iterator<Item = u16>) -> i32 {
    let mut score = 1;
    let (mut before, mut last) = (UnitGroup::Common, None);
    let mut high = None;
    for unit in units {
        match (unit, high.take()) {
            (0xD800..=0xDBFF, open) => {
                score -= 2 * i32::from(open.is_some());
                high = Some(unit);
            }
            // Symbols and emoji, and all others.
            (0xDC00..=0xDFFF, Some(0xD83C..=0xD83E)) => score += 20,
            (0xDC00..=0xDFFF, Some(_)) => score += 4,
            (0xDC00..=0xDFFF, None) => score -= 2,
            (_, open) => {
                let script = UnitGroup::of(unit);
                // A unit twice in a row is so in either order.
                let beside = if last == Some(unit) {
                    0
                } else {
                    script.beside(before)
                };
                score += worth(unit) + beside - 2 * i32::from(open.is_some());
                (before, last) = (script, Some(unit));
            }
        }
    }
    score.max(1)
}

/// Returns the score of a unit alone.
fn worth(unit: u16) -> i32 {
    match unit {
        0x20 | 0x0A | 0x0D => 8,
        0x09 | 0x21..0x7F => 4,
        0xA0..0x0180 => 4,
        // Greek to Arabic.
        0x0370..0x0700 => 6,
        // Signs of East Asia and kana.
        0x3001..0x3100 | 0xFF01..0xFF60 => 3,
        0xFFFD | 0xFEFF => 0,
        // Controls, private and special units, and what ends in 00: ASCII in the wrong order.
        0..0x20 | 0x7F..0xA0 | 0xE000..0xF900 | 0xFFF0.. => -2,
        _ if unit.to_be_bytes()[1] == 0 => -2,
        _ => 0,
    }
}

/// Groups of units that are neighbors in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnitGroup {
    /// ASCII, Latin and punctuation, which occur beside any other.
    Common,
    /// Ideographs, kana, and their punctuation.
    EastAsian,
    Hangul,
    /// Alphabets, by the high byte of their units.
    Block(u8),
}

impl UnitGroup {
    fn of(unit: u16) -> Self {
        match unit {
            0..0x180 | 0x1A0..0x1B1 | 0x300..0x330 | 0x2000..0x2070 | 0x3001..0x3003 => {
                Self::Common
            }
            0x3000..0x3100 | 0x4E00..0xA000 | 0xFF00..0xFFF0 => Self::EastAsian,
            0xAC00..0xD7A4 => Self::Hangul,
            _ => Self::Block((unit >> 8) as u8),
        }
    }

    /// Returns the score of a unit behind one of the script `before`.
    fn beside(self, before: Self) -> i32 {
        match self {
            Self::Block(_) if self == before => 3,
            Self::EastAsian | Self::Hangul if self == before => 2,
            Self::Common => 1,
            _ if before == Self::Common => 1,
            _ => -1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_of_a_text_are_told_apart() {
        for text in [
            "plain",
            "0000",
            "1234 56",
            "Größe",
            "пока",
            "今天天气很好",
            "日本語です。",
            "안녕하세요",
            "สวัสดี",
            "नमस्ते",
            "שלום",
            "\u{1F600}\u{1F601}",
        ] {
            let units: Vec<u16> = text.encode_utf16().collect();
            let big: Vec<u8> = units.iter().flat_map(|u| u.to_be_bytes()).collect();
            let little: Vec<u8> = units.iter().flat_map(|u| u.to_le_bytes()).collect();
            assert_eq!(
                (guess(&big), guess(&little)),
                (Some(Order::Big), Some(Order::Little)),
                "{text}"
            );
        }
        assert_eq!(guess(b"A\0B\0C\0"), None);
        assert_eq!(guess(b"AABBCCDDEE"), None);
        assert_eq!(guess(b"\x20\0\0\x20\x20\0\0\x20"), None);
    }
}
