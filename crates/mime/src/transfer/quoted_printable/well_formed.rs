//! Decodes well-formed quoted-printable (RFC 2045, section 6.7), fast.
//!
//! # Limits
//! Accepts ASCII with complete escapes, and lines that end in LF or CR LF without trailing blanks. For other input, the tolerant
//! decoder reads the body from its start.

use mailglot_kernel::hex_escapes::{self, SLACK};
use std::borrow::Cow;

/// Returns the decoded bytes; `None` for input that is not well-formed.
pub(super) fn decode(body: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !body.is_ascii() || has_loose_ends(body) {
        return None;
    }
    let Some(first) = memchr::memchr(b'=', body) else {
        return Some(Cow::Borrowed(body));
    };
    let mut out = vec![0; body.len() + SLACK];
    out[..first].copy_from_slice(&body[..first]);
    let (mut at, mut to) = (first, first);
    // Lines of English have few escapes: behind one without any, the next line is copied up to its first equals sign.
    let mut is_plain = true;
    loop {
        if is_plain {
            let rest = &body[at..];
            let text = &rest[..memchr::memchr(b'=', rest).unwrap_or(rest.len())];
            out[to..to + text.len()].copy_from_slice(text);
            (at, to) = (at + text.len(), to + text.len());
        }
        let (read, written) = hex_escapes::decode(&body[at..], &mut out[to..]);
        is_plain = read == written;
        (at, to) = (at + read, to + written);
        if at == body.len() {
            break;
        }
        at = after_break(body, at)?;
    }
    out.truncate(to);
    Some(Cow::Owned(out))
}

/// Returns where the text continues after the soft line break at `at`; None without one.
#[inline]
fn after_break(body: &[u8], at: usize) -> Option<usize> {
    match body[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    }
}

/// Returns true if a line ends in a blank or a stray CR, or if the body ends in a blank, CR or equals sign.
fn has_loose_ends(body: &[u8]) -> bool {
    if matches!(body.last(), Some(b' ' | b'\t' | b'=' | b'\r')) {
        return true;
    }
    let Some(next) = body.get(1..) else {
        return false;
    };
    // Folds blocks without a branch, which compilers turn into vector code.
    body.chunks(512).zip(next.chunks(512)).any(|(these, next)| {
        let loose = |(&a, &b): (&u8, &u8)| {
            let blank = a == b' ' || a == b'\t';
            (blank && (b == b'\n' || b == b'\r')) || (a == b'\r' && b != b'\n')
        };
        these
            .iter()
            .zip(next)
            .fold(0, |found, pair| found | u8::from(loose(pair)))
            != 0
    })
}

#[cfg(test)]
mod tests {
    use super::super::{BodyWriter, read};
    use super::*;

    fn tolerant(body: &[u8]) -> (Vec<u8>, u64) {
        let mut bytes = BodyWriter {
            body,
            prefix: 0,
            owned: None,
        };
        let damage = read(body, &[], &mut bytes);
        (bytes.finish().into_owned(), damage.bad.count)
    }

    #[test]
    fn both_decoders_agree_on_clean_text() {
        let pieces: [&[u8]; 17] = [
            b"=C3=BC",
            b"=",
            b"=3",
            b"=3D",
            b"=\n",
            b"=\r\n",
            b"\n",
            b"\r\n",
            b"\r",
            b" ",
            b"\t",
            b"=e9",
            b"=4G",
            b"a",
            b"word ",
            b"0123456789abcdefghijklmnopqrstuvwxyz",
            b"\xe9",
        ];
        let mut state = 3_u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % bound
        };
        let mut clean = 0;
        for _ in 0..60_000 {
            let length = next(24);
            let body: Vec<u8> = (0..length)
                .flat_map(|_| pieces[next(17) as usize])
                .copied()
                .collect();
            let Some(fast) = decode(&body) else { continue };
            let (slow, bad) = tolerant(&body);
            assert_eq!(
                fast.escape_ascii().to_string(),
                slow.escape_ascii().to_string()
            );
            assert_eq!(bad, 0, "{}", body.escape_ascii());
            clean += u32::from(length > 3);
        }
        assert!(clean > 500, "{clean} of them were clean");
    }

    #[test]
    fn steps_of_every_alignment() {
        for before in 0..40 {
            for after in 0..40 {
                let body = [
                    vec![b'a'; before],
                    b"=C3=A4=\r\n".to_vec(),
                    vec![b'b'; after],
                    b"=3D".to_vec(),
                ]
                .concat();
                let expected = [
                    vec![b'a'; before],
                    "ä".into(),
                    vec![b'b'; after],
                    b"=".to_vec(),
                ]
                .concat();
                assert_eq!(decode(&body).as_deref(), Some(&*expected));
            }
        }
    }

    #[test]
    fn unclean_input_is_rejected() {
        for body in [
            &b"a \nb"[..],
            b"a\t\r\nb",
            b"a\rb",
            b"a ",
            b"a=",
            b"=4",
            b"=4G",
            b"=",
            b"= \n",
            b"\xfc",
            b"a=\r",
            b"x\r",
        ] {
            assert!(decode(body).is_none(), "{}", body.escape_ascii());
        }
        assert_eq!(decode(b"").as_deref(), Some(&b""[..]));
        assert!(matches!(
            decode(b"nothing\r\nhere\n"),
            Some(Cow::Borrowed(_))
        ));
    }
}
