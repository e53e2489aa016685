//! What stands in a short text: controls, eight-bit bytes, `=?`, and characters of a kind.
//!
//! # Limits
//! None.

/// What stands in a value from some place on, before the first `=?`, CR or LF there; without one, before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// A byte above 7F.
    pub(crate) eight: bool,
    /// A byte below 20, or 7F.
    pub(crate) control: bool,
    /// Where that ends.
    pub(crate) stop: Option<usize>,
}

/// Looks at a value from `from` on; also the text that it is there, if all is ASCII.
#[inline]
pub(crate) fn look(value: &[u8], from: usize) -> (Look, Option<&str>) {
    let look = looked_at(value, from);
    let piece = value
        .get(from..look.stop.unwrap_or(value.len()))
        .unwrap_or_default();
    // SAFETY: ASCII is UTF-8.
    (
        look,
        (!look.eight).then(|| unsafe { std::str::from_utf8_unchecked(piece) }),
    )
}

/// Has the lines of memory in which a value lies fetched, all at the same time: whoever reads them later needs not wait for one after the
/// other.
#[inline]
pub(crate) fn fetch(value: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let last = value.len().saturating_sub(1);
        for place in [64, 128, last] {
            // SAFETY: it reads nothing, and may be given any address.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(value.as_ptr().wrapping_add(place.min(last)).cast());
            };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[inline]
fn looked_at(value: &[u8], from: usize) -> Look {
    #[cfg(target_arch = "x86_64")]
    if super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx512::look(value, from) };
    }
    avx2_look(value, from)
}

#[inline]
fn avx2_look(value: &[u8], from: usize) -> Look {
    #[cfg(target_arch = "x86_64")]
    if value.len() >= super::avx2::NEAR && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::look(value, from) };
    }
    portable_look(value, from)
}

fn portable_look(value: &[u8], from: usize) -> Look {
    let rest = value.get(from..).unwrap_or_default();
    let stop = memchr::memchr3_iter(b'\r', b'\n', b'=', rest)
        .find(|at| rest[*at] != b'=' || rest.get(at + 1) == Some(&b'?'));
    let piece = &rest[..stop.unwrap_or(rest.len())];
    Look {
        eight: !piece.is_ascii(),
        control: piece
            .iter()
            .fold(false, |any, byte| any | byte.is_ascii_control()),
        stop: stop.map(|at| from + at),
    }
}

/// What charsets of East Asia tell apart, a bit for each byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Highs {
    /// 80 to FF.
    pub(crate) all: u64,
    /// 80 to A0.
    pub(crate) low: u64,
    /// A1, A3, B0 to D6 and D8 to F7.
    pub(crate) whole_rows: u64,
}

/// Looks at so many bytes of a block; there are no bits for others.
#[inline]
pub(crate) fn highs(block: &[u8; 64], len: usize) -> Highs {
    let found = highs_of(block);
    let before = if len < 64 { (1 << len) - 1 } else { u64::MAX };
    Highs {
        all: found.all & before,
        low: found.low & before,
        whole_rows: found.whole_rows & before,
    }
}

#[inline]
fn highs_of(block: &[u8; 64]) -> Highs {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::highs(block) };
    }
    portable_highs(block)
}

fn portable_highs(block: &[u8; 64]) -> Highs {
    let bits = |is: fn(u8) -> bool| {
        block
            .iter()
            .rev()
            .fold(0, |bits, byte| bits << 1 | u64::from(is(*byte)))
    };
    Highs {
        all: bits(|byte| byte >= 0x80),
        low: bits(|byte| matches!(byte, 0x80..=0xA0)),
        whole_rows: bits(|byte| matches!(byte, 0xA1 | 0xA3 | 0xB0..=0xD6 | 0xD8..=0xF7)),
    }
}

/// Characters to be looked for by their first two bytes. Eight kinds of pairs, a bit for each: a pair is of a kind if all three tables have
/// its bit. Some others will be, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suspects {
    /// By the high half of the first byte.
    pub(crate) first_high: [u8; 16],
    /// By its low half.
    pub(crate) first_low: [u8; 16],
    /// By the low half of the second byte; behind the last byte a zero is seen.
    pub(crate) second_low: [u8; 16],
}

/// The first place at or after `from` where one of them may stand.
#[inline]
pub(crate) fn suspect(suspects: &Suspects, text: &[u8], from: usize) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx512::suspect(suspects, text, from) };
    }
    avx2_suspect(suspects, text, from)
}

fn avx2_suspect(suspects: &Suspects, text: &[u8], from: usize) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= super::avx2::NEAR && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::suspect(suspects, text, from) };
    }
    portable_suspect(suspects, text, from)
}

pub(super) fn portable_suspect(suspects: &Suspects, text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let half = |table: &[u8; 16], half: u8| table[usize::from(half & 0xF)];
    let behind = rest.iter().skip(1).chain([&0]);
    let found = rest.iter().zip(behind).position(|(first, second)| {
        half(&suspects.first_high, first >> 4)
            & half(&suspects.first_low, *first)
            & half(&suspects.second_low, *second)
            != 0
    });
    found.map(|n| from + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The safe twin.
    fn look_twin(value: &[u8], from: usize) -> Look {
        let rest = &value[from.min(value.len())..];
        let is_stop =
            |at: &usize| matches!(rest[*at], 0x0A | 0x0D) || rest[*at..].starts_with(b"=?");
        let stop = (0..rest.len()).find(is_stop);
        let piece = &rest[..stop.unwrap_or(rest.len())];
        Look {
            eight: piece.iter().any(|byte| *byte > 0x7F),
            control: piece.iter().any(|byte| *byte == 0x7F || *byte < 0x20),
            stop: stop.map(|at| from + at),
        }
    }

    fn same_look_from(value: &[u8], from: usize) {
        let want = look_twin(value, from);
        assert_eq!(
            portable_look(value, from),
            want,
            "{} {from}",
            value.escape_ascii()
        );
        assert_eq!(
            avx2_look(value, from),
            want,
            "{} {from}",
            value.escape_ascii()
        );
        let piece = value
            .get(from..want.stop.unwrap_or(value.len()))
            .unwrap_or_default();
        let text = std::str::from_utf8(piece).ok().filter(|_| !want.eight);
        assert_eq!(
            look(value, from),
            (want, text),
            "{} {from}",
            value.escape_ascii()
        );
    }

    fn same_look(value: &[u8]) {
        same_look_from(value, 0);
    }

    #[test]
    fn every_byte_at_every_place_of_every_length() {
        for len in 0..=140 {
            let mut value = vec![b'x'; len];
            same_look(&value);
            (0..len + 40).for_each(|from| same_look_from(&value, from));
            for place in 0..len {
                for byte in 0..=0xFF {
                    value[place] = byte;
                    same_look(&value);
                }
                for byte in [0x00, 0x0D, b'=', 0x7F, 0x80] {
                    value[place] = byte;
                    for from in [1, len / 2, place.saturating_sub(1), place, place + 1] {
                        same_look_from(&value, from);
                    }
                }
                if len > 70 && place % 7 != 0 {
                    value[place] = b'x';
                    continue;
                }
                value[place] = b'=';
                for mark in 0..len {
                    let kept = std::mem::replace(&mut value[mark], b'?');
                    same_look(&value);
                    value[mark] = kept;
                }
                value[place] = b'x';
            }
        }
    }

    #[test]
    fn every_byte_at_every_place_of_a_block_of_every_length() {
        for place in 0..64 {
            for byte in 0..=0xFF {
                let mut block = [b'x'; 64];
                block[place] = byte;
                assert_eq!(highs_of(&block), portable_highs(&block), "{byte:X} {place}");
                for len in 0..=64 {
                    let bit = |is: bool| u64::from(is && place < len) << place;
                    let want = Highs {
                        all: bit(byte >= 0x80),
                        low: bit((0x80..0xA1).contains(&byte)),
                        whole_rows: bit((0xB0..0xF8).contains(&byte) && byte != 0xD7
                            || byte == 0xA1
                            || byte == 0xA3),
                    };
                    assert_eq!(highs(&block, len), want, "{byte:X} {place} {len}");
                }
            }
        }
    }

    #[test]
    fn suspects_are_found_where_they_stand() {
        let mut suspects = Suspects {
            first_high: [0; 16],
            first_low: [0; 16],
            second_low: [0; 16],
        };
        // 00 to 1F; E2 before 80 and the like.
        (suspects.first_high[0], suspects.first_high[1]) = (1, 1);
        suspects
            .first_low
            .iter_mut()
            .chain(&mut suspects.second_low)
            .for_each(|bits| *bits = 1);
        (suspects.first_high[0xE], suspects.first_low[2]) = (2, 3);
        suspects.second_low[0] |= 2;
        let mut found = 0;
        for len in 0..=100 {
            let mut text = vec![b'x'; len];
            for place in 0..len {
                for byte in [0x00, 0x1F, 0x20, 0x7F, 0x80, 0xC2, 0xE2, 0xF2] {
                    for behind in [b'x', 0x80, 0x90, 0x8F] {
                        text[place] = byte;
                        if let Some(next) = text.get_mut(place + 1) {
                            *next = behind;
                        }
                        for from in [0, place.saturating_sub(1), place, place + 1, len, len + 1] {
                            let want = (from..len).find(|at| {
                                let next = text.get(at + 1).copied().unwrap_or(0);
                                text[*at] < 0x20 || text[*at] == 0xE2 && next % 16 == 0
                            });
                            assert_eq!(suspect(&suspects, &text, from), want, "{text:x?} {from}");
                            assert_eq!(
                                avx2_suspect(&suspects, &text, from),
                                want,
                                "{text:x?} {from}"
                            );
                            assert_eq!(
                                portable_suspect(&suspects, &text, from),
                                want,
                                "{text:x?} {from}"
                            );
                            found += usize::from(want.is_some());
                        }
                    }
                }
                text.fill(b'x');
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
