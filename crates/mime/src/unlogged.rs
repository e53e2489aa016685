//! Decodes bytes without a list of what the charset cannot decode.
//!
//! # Limits
//! Notes of a [`LossLog`], such as a byte order mark, are no losses.

use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;

/// Decodes `bytes` with U+FFFD for what the charset cannot decode.
pub(crate) fn decode_unlogged(charset: Charset, bytes: &[u8]) -> Cow<'_, str> {
    charset.decode(bytes, &mut LossLog::with_limit(0))
}

/// Decodes a name that stays as it is, such as an identifier. Bytes that are not UTF-8 become characters of windows-1252, or of Latin-1 where it
/// has none. So different names in one charset stay different.
pub(crate) fn decode_name(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let latin_1 = || bytes.iter().map(|byte| char::from(*byte)).collect();
    decode_lossless(Charset::WINDOWS_1252, bytes).unwrap_or_else(latin_1)
}

/// Decodes `bytes`. Returns `None` if something is lost.
pub(crate) fn decode_lossless(charset: Charset, bytes: &[u8]) -> Option<Cow<'_, str>> {
    let mut log = LossLog::with_limit(0);
    let text = charset.decode(bytes, &mut log);
    (log.losses() == 0).then_some(text)
}

/// Returns the number of losses in `bytes`.
pub(crate) fn count_losses(charset: Charset, bytes: &[u8]) -> u64 {
    let mut log = LossLog::with_limit(0);
    let _ = charset.decode(bytes, &mut log);
    log.losses()
}
