//! Maps characters and sequences of two characters to the codes of a table.
//!
//! # Limits
//! A code is not 0. If several codes mean one character, the first one entered counts.

/// Codes (`row << 8 | column`) by character.
#[derive(Debug)]
pub(crate) struct ReverseGrid {
    /// By `code point >> 8`, its block; block 0 is empty.
    blocks: Vec<u16>,
    codes: Vec<u32>,
    /// Sorted.
    sequences: Vec<([char; 2], u32)>,
}

impl ReverseGrid {
    /// Builds the reverse of codes and their characters (the second is NUL if there is only one). If a character has several codes,
    /// the first counts.
    pub(crate) fn new(codes: impl IntoIterator<Item = (u32, [char; 2])>) -> Self {
        let mut reverse = Self {
            blocks: vec![0; 0x1100],
            codes: vec![0; 256],
            sequences: Vec::new(),
        };
        for (code, [a, b]) in codes {
            if b == '\0' {
                reverse.enter(a, code);
            } else {
                reverse.sequences.push(([a, b], code));
            }
        }
        reverse.sequences.sort_unstable();
        reverse
    }

    /// Returns the code of one character, or 0.
    #[inline]
    pub(crate) fn code(&self, c: char) -> u32 {
        let block = self.blocks.get(c as usize >> 8).copied().unwrap_or(0);
        self.codes
            .get(usize::from(block) << 8 | c as usize & 0xFF)
            .copied()
            .unwrap_or(0)
    }

    /// Returns true if a sequence begins with this character, so that the next one must be seen before it is written.
    pub(crate) fn begins_sequence(&self, c: char) -> bool {
        let at = self.sequences.partition_point(|(chars, _)| chars[0] < c);
        self.sequences
            .get(at)
            .is_some_and(|(chars, _)| chars[0] == c)
    }

    /// Returns true if an ASCII character is part of a sequence.
    pub(crate) fn has_ascii_in_sequences(&self) -> bool {
        self.sequences
            .iter()
            .any(|(chars, _)| chars.iter().any(char::is_ascii))
    }

    /// The code of a sequence; 0 if it has none.
    pub(crate) fn sequence(&self, chars: [char; 2]) -> u32 {
        let at = self.sequences.partition_point(|(other, _)| *other < chars);
        self.sequences
            .get(at)
            .filter(|(other, _)| *other == chars)
            .map_or(0, |(_, code)| *code)
    }

    fn enter(&mut self, c: char, code: u32) {
        let Some(block) = self.blocks.get_mut(c as usize >> 8) else {
            return;
        };
        if *block == 0 {
            *block = (self.codes.len() >> 8) as u16;
            self.codes.resize(self.codes.len() + 256, 0);
        }
        let place = &mut self.codes[usize::from(*block) << 8 | c as usize & 0xFF];
        if *place == 0 {
            *place = code;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_code_of_a_character_stays() {
        let reverse = ReverseGrid::new([
            (0x2131, ['\u{2000B}', '\0']),
            (0x2477, ['か', '\u{309A}']),
            (0x242B, ['か', '\0']),
            (0x2132, ['\u{2000B}', '\0']),
            (0x2478, ['か', '\u{3099}']),
        ]);
        assert_eq!(
            (
                reverse.code('\u{2000B}'),
                reverse.code('か'),
                reverse.code('き')
            ),
            (0x2131, 0x242B, 0)
        );
        assert_eq!((reverse.code(char::MAX), reverse.code('\0')), (0, 0));
        assert_eq!(reverse.sequence(['か', '\u{309A}']), 0x2477);
        assert_eq!(
            (
                reverse.sequence(['か', 'か']),
                reverse.sequence(['き', '\u{309A}'])
            ),
            (0, 0)
        );
        assert!(reverse.begins_sequence('か') && !reverse.begins_sequence('き'));
    }
}
