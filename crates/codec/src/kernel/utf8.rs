//! How far bytes are UTF-8.
//!
//! # Limits
//! None.

use super::ascii::all_ascii;

/// The bytes as text, if all are valid.
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    const SHORT: usize = 64;
    if bytes.len() >= SHORT {
        return simdutf8::basic::from_utf8(bytes).ok();
    }
    // The validator leaves what is shorter than its block to a slow loop. Behind NUL a cut character is as cut as before.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<32>(), bytes.last_chunk::<32>())
        && first[0].is_ascii()
        && all_ascii(first)
        && all_ascii(last)
    {
        // SAFETY: all bytes are in one of the two, and ASCII is UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    let mut block = [0; SHORT];
    block[..bytes.len()].copy_from_slice(bytes);
    simdutf8::basic::from_utf8(&block).ok()?;
    // SAFETY: the validator has found these very bytes to be UTF-8 in front of NULs.
    Some(unsafe { std::str::from_utf8_unchecked(bytes) })
}

/// The whole, valid characters at the start.
pub(crate) fn valid_prefix(bytes: &[u8]) -> &str {
    // Dense damage would make the SIMD validator start over for every few bytes: look at a little first.
    let near = &bytes[..bytes.len().min(24)];
    let len = match std::str::from_utf8(near) {
        Ok(text) if near.len() == bytes.len() => return text,
        Err(e) if e.error_len().is_some() || near.len() == bytes.len() => e.valid_up_to(),
        _ => match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => return text,
            Err(e) => e.valid_up_to(),
        },
    };
    // SAFETY: the validator has found the bytes before its error to be UTF-8.
    unsafe { std::str::from_utf8_unchecked(&bytes[..len]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The safe twin.
    fn twin(bytes: &[u8]) -> &str {
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap(),
        }
    }

    #[test]
    fn text_is_what_std_says() {
        let text = "aß€\u{1F600}".repeat(40);
        for start in 0..10 {
            for len in 0..=300 {
                let mut bytes = text.as_bytes()[start..start + len].to_vec();
                assert_eq!(super::text(&bytes), std::str::from_utf8(&bytes).ok());
                let whole = text.as_bytes()[..len].utf8_chunks().next().map_or("", |chunk| chunk.valid());
                bytes = whole.as_bytes().to_vec();
                assert_eq!(super::text(&bytes), Some(whole));
                for damage in [0x80, 0xC3, 0xE2, 0xF0] {
                    bytes.push(damage);
                    assert_eq!(super::text(&bytes), None);
                    bytes.pop();
                }
            }
        }
    }

    #[test]
    fn one_byte_among_ascii_at_every_place() {
        for len in 1..=130 {
            for place in 0..len {
                for byte in [0, 0x7F, 0x80, 0xC3, 0xE2, 0xF0, 0xFF] {
                    let mut bytes = vec![b'x'; len];
                    bytes[place] = byte;
                    assert_eq!(super::text(&bytes), std::str::from_utf8(&bytes).ok(), "{place} {len}");
                    assert_eq!(valid_prefix(&bytes), twin(&bytes), "{place} {len}");
                }
            }
        }
    }

    #[test]
    fn text_ends_where_std_says() {
        let text = "aß€\u{1F600}".repeat(40);
        for len in 0..=300 {
            assert_eq!(valid_prefix(&text.as_bytes()[..len]), twin(&text.as_bytes()[..len]));
            for damage in [0x80, 0xC0, 0xE2, 0xED, 0xF0, 0xF8, 0xFF] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[len] = damage;
                assert_eq!(valid_prefix(&bytes), twin(&bytes));
            }
        }
    }
}
