//! Recognizes messages of MH folders by their numbers, and reads their flags from `.mh_sequences`.
//!
//! # Limits
//! A file named by a number in a folder without `.mh_sequences` is a message if it begins like one. Reads only the sequences that
//! stand for flags. Ignores private sequences (`atr-…` in the MH context file) and deleted messages (`,12`, `#12`).

use std::io::{self, Read};
use std::ops::RangeInclusive;

use crate::packed::beginning;
use crate::source::Flags;

/// The file of an MH folder that lists seen, replied and flagged messages.
pub(crate) const SEQUENCES: &str = ".mh_sequences";
/// Largest number of bytes read from it.
const MOST: usize = 1 << 20;

/// Parses the number that a file is named by.
pub(crate) fn number(name: &[u8]) -> Option<u64> {
    let plain = matches!(name, [b'1'..=b'9', ..]) && name.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(name)
        .ok()
        .filter(|_| plain)?
        .parse()
        .ok()
}

/// The sequences of a folder that stand for flags.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MhSequences {
    unseen: Vec<RangeInclusive<u64>>,
    replied: Vec<RangeInclusive<u64>>,
    flagged: Vec<RangeInclusive<u64>>,
}

impl MhSequences {
    /// Reads a `.mh_sequences` file.
    pub(crate) fn read(file: &mut impl Read) -> io::Result<Self> {
        Ok(Self::parse(&beginning(file, MOST)?))
    }

    fn parse(text: &[u8]) -> Self {
        let mut sequences = Self::default();
        for line in String::from_utf8_lossy(text).lines() {
            let Some((name, list)) = line.split_once(':') else {
                continue;
            };
            let ranges = match name {
                "unseen" => &mut sequences.unseen,
                "replied" => &mut sequences.replied,
                "flagged" => &mut sequences.flagged,
                _ => continue,
            };
            ranges.extend(list.split_ascii_whitespace().filter_map(|part| {
                let (first, last) = part.split_once('-').unwrap_or((part, part));
                Some(number(first.as_bytes())?..=number(last.as_bytes())?)
            }));
            ranges.sort_by_key(|range| *range.start());
        }
        sequences
    }

    /// Returns the flags of a message. A message that is not in `unseen` was seen.
    pub(crate) fn flags(&self, number: u64) -> Flags {
        // Sequences written by MH do not overlap. In others, the last range that begins at or before the number counts.
        let holds = |ranges: &[RangeInclusive<u64>]| {
            let after = ranges.partition_point(|range| *range.start() <= number);
            after
                .checked_sub(1)
                .is_some_and(|at| ranges[at].contains(&number))
        };
        let mut flags = if holds(&self.unseen) { 0 } else { Flags::SEEN };
        for (ranges, flag) in [
            (&self.replied, Flags::REPLIED),
            (&self.flagged, Flags::FLAGGED),
        ] {
            flags |= if holds(ranges) { flag } else { 0 };
        }
        Flags(flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_messages() {
        for (name, want) in [
            ("1", Some(1)),
            ("120", Some(120)),
            ("0", None),
            ("012", None),
            ("1a", None),
            (",1", None),
            ("", None),
        ] {
            assert_eq!(number(name.as_bytes()), want, "{name}");
        }
        assert_eq!(number(b"99999999999999999999999"), None);
    }

    #[test]
    fn sequences_give_flags() {
        let sequences = MhSequences::parse(
            b"cur: 3\nunseen: 7 2-4\nreplied: 1\nflagged: 4 9-\nmine: 1-9\n\nno\n",
        );
        let flags = |number| sequences.flags(number).0;
        assert_eq!(flags(1), Flags::SEEN | Flags::REPLIED);
        assert_eq!((flags(2), flags(3), flags(7)), (0, 0, 0));
        assert_eq!(flags(4), Flags::FLAGGED);
        assert_eq!(flags(5), Flags::SEEN);
    }
}
