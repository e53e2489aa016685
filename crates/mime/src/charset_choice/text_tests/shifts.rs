//! Tests for escape sequences and shifts, which stateful charsets have.

use mailglot_codec::{Charset, LossLog, Mode};

/// Returns true if a byte begins an escape sequence or shifts: ESC, SO, SI.
pub(crate) fn has_shift_bytes(bytes: &[u8]) -> bool {
    memchr::memchr3(0x1B, 0x0E, 0x0F, bytes).is_some()
}

/// Returns true if text under a stateful label may be in that charset: it has a shift, or decodes without one.
pub(crate) fn uses_shifts(charset: Charset, bytes: &[u8]) -> bool {
    let shift = match charset {
        Charset::HZ_GB_2312 => b'~',
        Charset::UTF_7 | Charset::UTF_7_IMAP => b'+',
        _ => 0x1B,
    };
    if memchr::memchr3(shift, 0x0E, 0, bytes).is_some() {
        return true;
    }
    let (mut text, mut log) = (String::new(), LossLog::with_limit(0));
    let mut decoder = charset.new_decoder(Mode::Strict);
    decoder.push(bytes, &mut text, &mut log);
    decoder.finish(&mut text, &mut log);
    log.losses() == 0
}
