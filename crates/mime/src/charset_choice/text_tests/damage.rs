//! Distinguishes damaged text under a right label from text under a wrong label.

use super::structure::uses_shifts;
use crate::charset_choice::thresholds::MAX_DAMAGE_SHARE;
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
    if charset != Charset::UTF_8 {
        return false;
    }
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
    let whole = || {
        text.chars()
            .filter(|c| !c.is_ascii() && *c != '\u{FFFD}')
            .count() as u64
    };
    let broken = log.losses().saturating_sub(forbidden);
    forbidden >= broken || forbidden + whole() >= broken
}

/// Returns true if the first 2 KiB are damaged UTF-8 rather than legacy text.
pub(crate) fn begins_as_damaged_utf8(bytes: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    let text = Charset::UTF_8.decode(&bytes[..bytes.len().min(2048)], &mut log);
    is_mostly_utf8(Charset::UTF_8, &text, &log)
}

/// Counts bytes above 7F; returns at least 1.
fn high_byte_count(bytes: &[u8]) -> u64 {
    (bytes.iter().filter(|b| **b >= 0x80).count() as u64).max(1)
}

/// Returns true if `charset` decodes all bytes without loss.
pub(crate) fn decodes_without_loss(charset: Charset, bytes: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    let _ = charset.decode(bytes, &mut log);
    log.losses() == 0
}
