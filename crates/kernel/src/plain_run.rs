//! Finds the end of a plain run: the first `=?`, CR or LF.
//!
//! # Limits
//! The run is described, not copied or decoded.

use super::portable::plain_run::{Scan, portable_look};

/// A run of bytes before the first `=?`, CR or LF, or before the end of the input.
///
/// ```
/// use mailglot_kernel::PlainRun;
///
/// let value = b"a=b\r\n c =?\t";
/// let run = |from| PlainRun::scan(value, from);
/// assert_eq!((run(0).ascii, run(0).stop), (Some("a=b"), Some(3)));
/// assert_eq!((run(5).ascii, run(5).stop), (Some(" c "), Some(8)));
/// assert!(run(9).has_control_or_tilde && run(9).stop.is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainRun<'v> {
    /// The run as text; `None` if a byte of it is above 7F.
    pub ascii: Option<&'v str>,
    /// True if the run has a byte below 20, `~`, with which HZ begins, or 7F.
    pub has_control_or_tilde: bool,
    /// True if the run has `$` or `&`, with which damaged text may begin.
    pub has_dollar_or_ampersand: bool,
    /// Offset in the input of the `=?`, CR or LF; `None` if the run ends with the input.
    pub stop: Option<usize>,
}

impl<'v> PlainRun<'v> {
    /// Scans `value` from the byte offset `from`. An offset behind the end gives an empty run.
    #[inline]
    pub fn scan(value: &'v [u8], from: usize) -> Self {
        if from == 0 {
            fetch(value);
        }
        let (scan, ascii) = look(value, from);
        Self {
            ascii,
            has_control_or_tilde: scan.control,
            has_dollar_or_ampersand: scan.sign,
            stop: scan.stop,
        }
    }
}

/// Scans `value` from `from`. Also returns the run as `&str` if all of it is ASCII.
#[inline]
fn look(value: &[u8], from: usize) -> (Scan, Option<&str>) {
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

/// Prefetches the cache lines of `value`, so that their latencies overlap.
#[inline]
fn fetch(value: &[u8]) {
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
fn looked_at(value: &[u8], from: usize) -> Scan {
    #[cfg(target_arch = "x86_64")]
    if super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx512::look(value, from) };
    }
    avx2_look(value, from)
}

#[inline]
fn avx2_look(value: &[u8], from: usize) -> Scan {
    #[cfg(target_arch = "x86_64")]
    if value.len() >= super::avx2::NEAR && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::look(value, from) };
    }
    portable_look(value, from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The safe twin.
    fn look_twin(value: &[u8], from: usize) -> Scan {
        let rest = &value[from.min(value.len())..];
        let is_stop =
            |at: &usize| matches!(rest[*at], 0x0A | 0x0D) || rest[*at..].starts_with(b"=?");
        let stop = (0..rest.len()).find(is_stop);
        let piece = &rest[..stop.unwrap_or(rest.len())];
        Scan {
            eight: piece.iter().any(|byte| *byte > 0x7F),
            control: piece
                .iter()
                .any(|byte| matches!(byte, 0..0x20 | 0x7E | 0x7F)),
            sign: piece.iter().any(|byte| matches!(byte, b'$' | b'&')),
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
}
