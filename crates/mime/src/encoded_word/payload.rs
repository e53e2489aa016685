//! Decodes the payload of a word (B or Q) and reports its damage.

use crate::event::Reason;
use crate::lexer;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mailglot_kernel::hex_escapes::digit_value;

/// The repairs of a payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PayloadDamage {
    /// An equals sign that starts no escape (Q); kept.
    pub bad_escape: bool,
    /// A blank or a fold inside an escape (Q).
    pub split_escape: bool,
    /// An escape that continues in the next word (Q).
    pub cut_escape: bool,
    /// An equals sign before a fold (Q), as in bodies: the fold is dropped.
    pub soft_break: bool,
    /// White space inside the word.
    pub space: bool,
    /// 8-bit bytes inside the word.
    pub raw: bool,
    /// Missing, superfluous or misplaced padding (B).
    pub padding: bool,
    /// Bytes outside the alphabet (B).
    pub foreign: bool,
    /// A sextet without a partner (B), dropped.
    pub dropped: bool,
}

impl PayloadDamage {
    /// Describes the worst defect; None without a defect.
    pub(crate) fn reason(self) -> Option<Reason> {
        [
            (self.dropped, Reason::Base64Incomplete),
            (self.foreign, Reason::Base64ForeignBytes),
            (self.padding, Reason::Base64Padding),
            (self.bad_escape, Reason::EqualsSign),
            (self.split_escape, Reason::SplitEscape),
            (self.cut_escape, Reason::CutEscape),
            (self.soft_break, Reason::SoftBreak),
            (self.raw, Reason::EightBitInWord),
            (self.space, Reason::SpaceInWord),
        ]
        .into_iter()
        .find_map(|(set, reason)| set.then_some(reason))
    }
}

/// Sextets of an incomplete quantum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sextets {
    bits: u32,
    count: u8,
}

impl Sextets {
    /// Returns the number of whole bytes in the sextets.
    pub(crate) fn bytes(self) -> usize {
        usize::from(self.count.saturating_sub(1))
    }

    /// Returns true if bits remain that make no byte.
    pub(crate) fn wants_more(self) -> bool {
        match self.count {
            1 => true,
            2 => self.bits & 0xF != 0,
            3 => self.bits & 0x3 != 0,
            _ => false,
        }
    }

    /// Returns the number of sextets: 0 to 3.
    pub(crate) fn count(self) -> u8 {
        self.count
    }

    /// Appends the whole bytes.
    pub(crate) fn flush(self, out: &mut Vec<u8>) {
        match self.count {
            2 => out.push((self.bits >> 4) as u8),
            3 => out.extend_from_slice(&[(self.bits >> 10) as u8, (self.bits >> 2) as u8]),
            _ => {}
        }
    }
}

/// Result of [`decode_b`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Base64 {
    /// The repairs.
    pub damage: PayloadDamage,
    /// The sextets after the last quantum, if there was no padding. Their whole bytes are in the output already.
    pub left: Sextets,
    /// False for text that is plainly not base64.
    pub plausible: bool,
}

/// Decodes base64, continuing with the sextets that an earlier word left.
pub(crate) fn decode_b(payload: &[u8], start: Sextets, out: &mut Vec<u8>) -> Base64 {
    if start.count == 0 && decode_strict(payload, out) {
        return Base64 {
            plausible: true,
            ..Base64::default()
        };
    }
    let mut damage = PayloadDamage::default();
    let (mut sextets, mut alphabet, mut foreign) = (start, 0usize, 0usize);
    // Number of equals signs that the last quantum still expects.
    let (mut expected, mut padded) = (0u8, false);
    for (at, &byte) in payload.iter().enumerate() {
        let Some(six) = sextet(byte) else {
            if byte == b'=' && sextets.count == 2 && is_stray(&payload[at + 1..]) {
                damage.foreign = true;
            } else if byte == b'=' {
                padded = true;
                if sextets.count >= 2 {
                    expected = 3 - sextets.count;
                    sextets.flush(out);
                    sextets = Sextets::default();
                } else if expected > 0 {
                    expected -= 1;
                } else {
                    damage.padding = true;
                }
            } else if lexer::is_space(byte) {
                damage.space = true;
            } else {
                foreign += 1;
            }
            continue;
        };
        if byte == b'-' || byte == b'_' {
            damage.foreign = true;
        }
        // Text after padding: pieces that were padded one by one.
        damage.padding |= padded;
        alphabet += 1;
        sextets = Sextets {
            bits: sextets.bits << 6 | u32::from(six),
            count: sextets.count + 1,
        };
        if sextets.count == 4 {
            out.extend_from_slice(&sextets.bits.to_be_bytes()[1..]);
            sextets = Sextets::default();
        }
        expected = 0;
    }
    sextets.flush(out);
    damage.dropped = sextets.count == 1;
    damage.padding |= sextets.count > 1 || expected > 0;
    damage.foreign |= foreign > 0;
    Base64 {
        damage,
        left: sextets,
        plausible: foreign <= alphabet,
    }
}

/// Returns true if an equals sign after two sextets is no padding. `rest` follows it.
///
/// Then no second one follows, and the text up to the next padding completes the quantum (`aW=U=` is `aWU=`).
fn is_stray(rest: &[u8]) -> bool {
    let rest = rest
        .iter()
        .filter(|byte| **byte == b'=' || sextet(**byte).is_some());
    let sextets = rest.clone().take_while(|byte| **byte != b'=').count();
    let padding = rest
        .skip(sextets)
        .take_while(|byte| **byte == b'=')
        .take(3)
        .count();
    sextets > 0 && (2 + sextets + padding).is_multiple_of(4)
}

/// Decodes base64 without damage (RFC 4648, section 4). Returns false and appends nothing for anything else.
pub(crate) fn decode_strict(payload: &[u8], out: &mut Vec<u8>) -> bool {
    let before = out.len();
    let strict = payload.len().is_multiple_of(4) && STANDARD.decode_vec(payload, out).is_ok();
    if !strict {
        out.truncate(before);
    }
    strict
}

/// Returns true if a payload is complete in itself, by its sextets before the first padding and the number of equals signs.
pub(crate) fn stands_alone(payload: &[u8]) -> bool {
    let sextets = payload
        .iter()
        .take_while(|&&b| b != b'=')
        .filter(|&&b| sextet(b).is_some())
        .count()
        % 4;
    let padding = memchr::memchr_iter(b'=', payload).count();
    match padding {
        0 => sextets != 1,
        n => (sextets + n).is_multiple_of(4),
    }
}

fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// Decodes Q text. `is_utf8` tells that its label is UTF-8, in which folds within characters can be found.
pub(crate) fn decode_q(payload: &[u8], is_utf8: bool, out: &mut Vec<u8>) -> PayloadDamage {
    let mut damage = PayloadDamage::default();
    let start = out.len();
    // The end of the last escape.
    let mut after_escape = None;
    let mut i = 0;
    while let Some(&byte) = payload.get(i) {
        i += 1;
        match byte {
            b'_' => out.push(b' '),
            b'=' => {
                let breaks =
                    |_: &(u8, usize)| !breaks_before_digits(payload, i, is_utf8, &out[start..]);
                if let Some((value, end)) = escape(payload, i).filter(breaks) {
                    damage.split_escape |= end > i + 2;
                    after_escape = Some(end);
                    out.push(value);
                    i = end;
                } else if i == payload.len() && after_escape == Some(i - 1) {
                    // A program removed the line end of a soft line break: `=8C=EA=`. An equals sign behind a letter may be text: `?id=`.
                    damage.soft_break = true;
                } else if let Some(end) = soft_break(payload, i) {
                    damage.soft_break = true;
                    i = end;
                } else {
                    damage.bad_escape = true;
                    out.push(b'=');
                }
            }
            b'\r' | b'\n' => {
                damage.space = true;
                i = lexer::skip_space(payload, i);
                let is_split = is_utf8
                    && missing_of_utf8(&out[start..]) > 0
                    && matches!(next_byte(payload, i), Some(0x80..=0xBF));
                if !is_split && payload.get(i) != Some(&b'_') {
                    out.push(b' ');
                }
            }
            _ => {
                damage.space |= lexer::is_space(byte);
                damage.raw |= byte >= 0x80;
                out.push(byte);
            }
        }
    }
    damage
}

/// Returns the number of bytes that the character of UTF-8 at the end lacks.
pub(super) fn missing_of_utf8(bytes: &[u8]) -> usize {
    let is_tail = |byte: &&u8| matches!(byte, 0x80..=0xBF);
    let tail = bytes.iter().rev().take(3).take_while(is_tail).count();
    let lead = bytes.len().checked_sub(tail + 1).map(|at| bytes[at]);
    match lead {
        Some(lead @ 0xC2..=0xF4) => (lead.leading_ones() as usize).saturating_sub(tail + 1),
        _ => 0,
    }
}

/// Returns the byte that is encoded at `at`.
fn next_byte(payload: &[u8], at: usize) -> Option<u8> {
    match payload.get(at)? {
        b'=' => Some(escape(payload, at + 1)?.0),
        byte => Some(*byte),
    }
}

/// Number of bytes of a word that show how it is written.
const BEGINNING: usize = 256;

/// Returns true if the fold after an equals sign is a soft line break, although hexadecimal digits follow: `associ=\r\n aci=C3=B3n`.
///
/// Otherwise the fold stands within an escape. `before` is the text so far.
fn breaks_before_digits(payload: &[u8], at: usize, is_utf8: bool, before: &[u8]) -> bool {
    let first = lexer::skip_space(payload, at);
    let Some((value, end)) = escape(payload, first) else {
        return false;
    };
    if end > first + 2 || !lexer::is_fold(&payload[at..first]) {
        return false;
    }
    let next = payload.get(end);
    let digits = &payload[first..end];
    // The beginning shows how the word is written. The bound keeps the time linear.
    let beginning = &payload[..payload.len().min(BEGINNING)];
    let is_usual = !digits.iter().any(u8::is_ascii_lowercase) || has_lowercase_escape(beginning);
    let is_escape = match value {
        0x80.. if is_utf8 && missing_of_utf8(before) > 0 => value <= 0xBF,
        0xC2..=0xF4 if is_utf8 => matches!(next_byte(payload, end), Some(0x80..=0xBF)),
        0x80.. => is_usual && !is_utf8,
        // Soft breaks are of quoted-printable, which has no underscores for spaces.
        b' '..=b'~' if memchr::memchr(b'_', beginning).is_some() => is_usual,
        // Mailers escape neither letters nor digits.
        b' ' => !next.is_some_and(|b| b.is_ascii_digit() || lexer::is_space(*b)),
        b'!'..=b'~' if !value.is_ascii_alphanumeric() => {
            is_usual && !next.is_some_and(u8::is_ascii_digit)
        }
        _ => false,
    };
    !is_escape
}

/// Returns true if an escape has lowercase digits.
fn has_lowercase_escape(payload: &[u8]) -> bool {
    memchr::memchr_iter(b'=', payload).any(|at| {
        payload.get(at + 1..at + 3).is_some_and(|digits| {
            digits.iter().all(u8::is_ascii_hexdigit) && digits.iter().any(u8::is_ascii_lowercase)
        })
    })
}

/// Decodes the escape whose equals sign stands before `at`; returns the byte and the end. Blanks may precede the digits, and a fold
/// may separate them.
fn escape(payload: &[u8], at: usize) -> Option<(u8, usize)> {
    let first = lexer::skip_space(payload, at);
    let high = digit_value(*payload.get(first)?)?;
    let second = lexer::skip_space(payload, first + 1);
    if second > first + 1 && !lexer::is_fold(&payload[first + 1..second]) {
        return None;
    }
    let low = digit_value(*payload.get(second)?)?;
    Some((high << 4 | low, second + 1))
}

/// Returns the end of the soft line break (RFC 2045, section 6.7) whose equals sign stands before `at`.
///
/// PHP's `quoted_printable_encode` writes them, and its callers put the result into one word. A mailer indents the next line by one
/// blank, so the second of two is text.
fn soft_break(payload: &[u8], at: usize) -> Option<usize> {
    let end = lexer::skip_space(payload, at);
    let line_end = memchr::memrchr2(b'\r', b'\n', &payload[at..end])?;
    let is_text = end < payload.len() && payload[at + line_end + 1..end].len() == 2;
    Some(end - usize::from(is_text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn b(payload: &str) -> (Vec<u8>, Base64) {
        let mut out = Vec::new();
        let result = decode_b(payload.as_bytes(), Sextets::default(), &mut out);
        (out, result)
    }

    #[test]
    fn damaged_base64_keeps_its_complete_bytes() {
        for (payload, want) in [
            ("w7w=", "ü"),
            ("w7w", "ü"),
            ("w7w===", "ü"),
            ("w7!w", "ü"),
            ("Zg==Zm8=", "ffo"),
            ("Zm!!9!v", "foo"),
            ("Zm 9\r\n v", "foo"),
            ("JQ", "%"),
            ("aW=U=", "ie"),
            ("aW=Vu", "ien"),
            ("Zg=Zm8=", "ffo"),
            ("Zg=Zg==", "ff"),
            ("abcde", "i\u{b7}\u{1d}"),
            ("", ""),
        ] {
            let (out, result) = b(payload);
            let want: Vec<u8> = if payload == "abcde" {
                vec![0x69, 0xB7, 0x1D]
            } else {
                want.as_bytes().to_vec()
            };
            assert_eq!(out, want, "{payload}");
            assert!(result.plausible, "{payload}");
        }
        assert_eq!(b("w7w=").1.damage.reason(), None);
        assert_eq!(b("w7w").1.damage.reason(), Some(Reason::Base64Padding));
        assert_eq!(b("abcde").1.damage.reason(), Some(Reason::Base64Incomplete));
        assert!(!b("\u{e4}\u{f6}\u{fc} a").1.plausible);
        assert_eq!(b("-_-_").0, b("+/+/").0);
    }

    #[test]
    fn clean_base64_agrees_with_the_crate() {
        let bytes: Vec<u8> = (0..=255).collect();
        for n in 0..bytes.len() {
            let text = STANDARD.encode(&bytes[..n]);
            let (mut tolerant, mut strict) = (Vec::new(), Vec::new());
            // A blank selects the tolerant decoder.
            let _ = decode_b(
                format!("{text} ").as_bytes(),
                Sextets::default(),
                &mut tolerant,
            );
            let result = decode_b(text.as_bytes(), Sextets::default(), &mut strict);
            assert_eq!((&tolerant[..], &strict[..]), (&bytes[..n], &bytes[..n]));
            assert_eq!(result.damage, PayloadDamage::default());
        }
    }

    #[test]
    fn q_text() {
        for (payload, want) in [
            ("a_b=20c", "a b c"),
            ("=c3=BC", "ü"),
            ("= C3=BC", "ü"),
            ("=C\r\n 3=BC", "ü"),
            ("=", "="),
            ("f=\r\n =C3=BCr", "für"),
            ("f=\n\tgh", "fgh"),
            ("f=\n ", "f"),
            ("Andr=C3=A9=", "André"),
            ("Andr=C3=A9=x=", "André=x="),
            ("=C3=BC http://x/=3Fid=", "ü http://x/?id="),
            ("a=b=", "a=b="),
            ("1_+_1_=", "1 + 1 ="),
            ("f= gh", "f= gh"),
            ("=G1=", "=G1="),
            ("a\r\n b", "a b"),
            ("a\r\n _b", "a b"),
            ("=A", "=A"),
            ("zwei Worte", "zwei Worte"),
            // Text behind a soft break that looks like an escape, and folds within escapes.
            ("associ=\r\n aci=C3=B3n", "associación"),
            (
                "Mitgli=\r\n ederversammlung f=C3=BCr",
                "Mitgliederversammlung für",
            ),
            ("v_=C4\r\n =8Dtvrtek", "v čtvrtek"),
            ("v_=C4=\r\n 8Dtvrtek", "v čtvrtek"),
            ("f=\r\n C3=BCr", "für"),
            ("f=C3=\r\n bcr", "für"),
            ("nur =\r\n 2005", "nur 2005"),
            ("GNU_=\r\n 282=29", "GNU (2)"),
            ("a=\r\n 2C b", "a, b"),
            ("nhanh=\r\n  ch=C3=B3ng", "nhanh chóng"),
            ("=C3\r\n a", "\u{fffd} a"),
        ] {
            let mut out = Vec::new();
            let _ = decode_q(payload.as_bytes(), true, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), want, "{payload:?}");
        }
    }
}
