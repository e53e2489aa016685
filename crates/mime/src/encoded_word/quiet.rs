//! A quick look for what must not, or may not, be shown: controls and hidden characters.
//!
//! # Limits
//!
//! It may take a few harmless characters beside hidden ones for such; what it calls quiet is quiet.

/// Bytes looked at in one step, and two more that tell what the last of them begin.
const STEP: usize = 32 + 2;

/// Whether neither a control nor a hidden character stands in a text.
pub(super) fn is_quiet(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let Some(block) = rest.first_chunk() {
        if is_loud(block) {
            return false;
        }
        rest = &rest[STEP - 2..];
    }
    // Blanks behind the last bytes end what they begin.
    let mut block = [b' '; STEP + 2];
    block[..rest.len()].copy_from_slice(rest);
    let (first, behind) = (block.first_chunk(), block.last_chunk());
    first.is_some_and(|block| !is_loud(block)) && behind.is_some_and(|block| !is_loud(block))
}

fn is_loud(block: &[u8; STEP]) -> bool {
    may_be_loud(block) && begins_loud(block)
}

/// Whether some bytes of a block may begin such a character. Most letters need no closer look.
#[expect(clippy::needless_bitwise_bool, reason = "with branches no registers would be used")]
fn may_be_loud(block: &[u8; STEP]) -> bool {
    (0..STEP - 2).fold(false, |any, i| {
        let (a, b) = (block[i], block[i + 1]);
        let lead = (a == 0xC2) | (a == 0xCD) | (a == 0xE1) | (a == 0xE2) | (a == 0xEF) | (a == 0xF3);
        any | (a < 0x20) | (a == 0x7F) | lead | (a == 0xE3) & (b == 0x85)
    })
}

/// Whether such a character begins in a block before its last two bytes. Without a branch, so that whole registers are looked at.
#[expect(clippy::needless_bitwise_bool, reason = "as above")]
fn begins_loud(block: &[u8; STEP]) -> bool {
    let within = |byte: u8, from: u8, to: u8| byte.wrapping_sub(from) <= to - from;
    (0..STEP - 2).fold(false, |any, i| {
        let (a, b, c) = (block[i], block[i + 1], block[i + 2]);
        any | (a < 0x20)
            | (a == 0x7F)
            | (a == 0xC2) & ((b < 0xA0) | (b == 0xAD))
            | (a == 0xCD) & (b == 0x8F)
            | (a == 0xE1)
                & ((b == 0x85) & within(c, 0x9F, 0xA0)
                    | (b == 0x9E) & within(c, 0xB4, 0xB5)
                    | (b == 0xA0) & (c == 0x8E))
            | (a == 0xE2)
                & ((b == 0x80) & ((c == 0x8B) | within(c, 0xA8, 0xAE))
                    | (b == 0x81) & within(c, 0xA0, 0xA9)
                    | (b == 0xA0) & (c == 0x80))
            | (a == 0xE3) & (b == 0x85) & (c == 0xA4)
            | (a == 0xEF)
                & ((b == 0xBB) & (c == 0xBF)
                    | (b == 0xBE) & (c == 0xA0)
                    | (b == 0xBF) & within(c, 0xB9, 0xBB))
            | (a == 0xF3) & (b == 0xA0) & (c < 0x82)
    })
}

#[cfg(test)]
mod tests {
    use super::super::decode::is_plain_text;
    use super::super::hidden::has_hidden;
    use super::*;

    #[test]
    fn no_character_is_missed_wherever_it_stands() {
        let mut extra = 0;
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let quiet = is_plain_text(&text) && !has_hidden(&text);
            if !quiet {
                for before in 0..3 * STEP {
                    let text = format!("{}{c}", "x".repeat(before));
                    assert!(
                        !is_quiet(&text) && !is_quiet(&(text + "日本語日本語日本語日本語日本語")),
                        "{c:?} {before}"
                    );
                }
            }
            extra += u32::from(quiet && !is_quiet(&text));
        }
        // U+2065, and those beside the tags.
        assert_eq!(extra, 1 + 31);
        assert!(is_quiet(&"na\u{ef}ve \u{200d}\u{200f}日本語、“한국어”— ".repeat(20)));
    }
}
