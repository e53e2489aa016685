//! Distinguishes damaged text under a right label from text under a wrong label.

use crate::charset_choice::text_tests::shifts::uses_shifts;
use crate::charset_choice::thresholds::MAX_DAMAGE_SHARE;
use crate::unlogged::count_losses;
use mailglot_codec::{Charset, LossKind, LossLog};

/// Returns true if the label fails to decode so many bytes that it is probably wrong.
pub(crate) fn is_damaged(charset: Charset, bytes: &[u8], text: &str, log: &LossLog) -> bool {
    log.losses() > 0
        && log.losses() * MAX_DAMAGE_SHARE > high_byte_count(bytes)
        && (!charset.is_stateful() || !uses_shifts(charset, bytes))
        && !is_mostly_utf8(charset, text, log)
}

/// Returns true for damaged UTF-8: valid and forbidden sequences outnumber the broken ones. In legacy text they never do.
fn is_mostly_utf8(charset: Charset, text: &str, log: &LossLog) -> bool {
    let is_more = || {
        let count = SequenceKinds::of(text, log);
        count.well_formed >= count.broken
    };
    charset == Charset::UTF_8 && is_more()
}

/// Numbers of well-formed and of broken UTF-8 sequences in a text.
struct SequenceKinds {
    /// Valid ones and forbidden ones, such as surrogates.
    well_formed: u64,
    broken: u64,
}

impl SequenceKinds {
    fn of(text: &str, log: &LossLog) -> Self {
        let forbidden: u64 = [
            LossKind::Overlong,
            LossKind::Surrogate,
            LossKind::CesuPair,
            LossKind::Obsolete5,
            LossKind::Obsolete6,
            LossKind::TooLarge,
        ]
        .iter()
        .map(|kind| log.count(*kind))
        .sum();
        let is_whole = |c: &char| !c.is_ascii() && *c != char::REPLACEMENT_CHARACTER;
        let valid = text.chars().filter(is_whole).count() as u64;
        Self {
            well_formed: forbidden + valid,
            broken: log.losses().saturating_sub(forbidden),
        }
    }
}

/// Returns true if the first 2 KiB are damaged UTF-8 rather than legacy text. Returns false early if nearly all sequences of the first lines are
/// broken, as in `Привет` in KOI8-R.
pub(crate) fn begins_as_damaged_utf8(bytes: &[u8]) -> bool {
    /// Number of bytes that are read first, and of all bytes that are read.
    const FIRST: usize = 384;
    const ALL: usize = 2048;
    /// Minimum number of broken sequences in the first lines.
    const MIN_BROKEN: u64 = 24;
    /// Minimum number of broken sequences for each well-formed one.
    const TIMES: u64 = 4;
    let read = |length: usize| {
        let mut log = LossLog::with_limit(0);
        let text = Charset::UTF_8.decode(&bytes[..bytes.len().min(length)], &mut log);
        SequenceKinds::of(&text, &log)
    };
    let first = read(FIRST);
    if first.broken >= MIN_BROKEN && first.broken > first.well_formed * TIMES {
        return false;
    }
    let all = read(ALL);
    all.well_formed >= all.broken
}

/// Counts bytes above 7F; returns at least 1.
fn high_byte_count(bytes: &[u8]) -> u64 {
    (bytes.iter().filter(|b| **b >= 0x80).count() as u64).max(1)
}

/// Returns true if `charset` decodes all bytes without loss.
pub(crate) fn decodes_without_loss(charset: Charset, bytes: &[u8]) -> bool {
    if charset == Charset::UTF_8 {
        return str::from_utf8(bytes).is_ok();
    }
    count_losses(charset, bytes) == 0
}

/// Returns true for UTF-8 with characters beyond the basic plane as pairs of surrogates (CESU-8, Unicode Technical Report 26), and no other
/// error.
pub(crate) fn is_cesu8(bytes: &[u8]) -> bool {
    let is_pair = |at: usize| {
        matches!(
            bytes[at..],
            [0xED, 0xA0..=0xAF, _, 0xED, 0xB0..=0xBF, _, ..]
        )
    };
    memchr::memchr_iter(0xED, bytes).any(is_pair) && decodes_without_loss(Charset::CESU_8, bytes)
}

/// Returns true for UTF-8 with at least one other character beyond ASCII, and surrogates that are not in pairs. A program cut an emoji there.
pub(crate) fn is_utf8_with_surrogates(bytes: &[u8]) -> bool {
    let surrogate = |at: usize| matches!(bytes[at..], [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..]);
    let (mut from, mut has_other) = (0, false);
    for at in memchr::memchr_iter(0xED, bytes).filter(|at| surrogate(*at)) {
        let Ok(text) = std::str::from_utf8(&bytes[from..at]) else {
            return false;
        };
        has_other |= !text.is_ascii();
        from = at + 3;
    }
    let rest = std::str::from_utf8(&bytes[from..]);
    from > 0 && rest.is_ok_and(|text| has_other || !text.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::encoded;

    #[test]
    fn the_first_lines_distinguish_damaged_utf8_from_legacy_text() {
        let japanese = encoded("Shift_JIS", &"お世話になっております。\n".repeat(80));
        let russian = encoded("KOI8-R", &"Добрый день, коллеги.\n".repeat(80));
        let damaged = [&b"J\xFCrgen: "[..], "Grüße aus Köln. ".as_bytes()]
            .concat()
            .repeat(80);
        let cut = [&damaged[..], b"\xC3 ", &damaged[..]].concat();
        let western = encoded("windows-1252", &"Grüße aus Köln. ".repeat(80));
        // A quotation of a few letters stands above UTF-8.
        let quoted = [&b"> Gr\xFC\xDFe aus K\xF6ln\n"[..], &damaged[..]].concat();
        // Only the first lines are in UTF-8.
        let above = [&damaged[..600], &japanese[..]].concat();
        for (text, want) in [
            (&japanese, false),
            (&russian, false),
            (&western, false),
            (&cut, true),
            (&quoted, true),
            (&above, false),
        ] {
            assert_eq!(
                begins_as_damaged_utf8(text),
                want,
                "{}",
                text[..40].escape_ascii()
            );
            assert_eq!(begins_as_damaged_utf8(&text[..384]), want || text == &above);
        }
    }
}
