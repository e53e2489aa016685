//! Finds HZ and UTF-7 in header text without encoded words. Escape sequences of ISO 2022 are control characters, which events report.
//!
//! Decodes nothing: such text has no label, and only some programs decode it, so the policy decides. HZ that the planner decodes is rewritten
//! and no finding, like ISO-2022-JP.
//!
//! # Limits
//! Reads only Subject, Comments, Keywords and Content-Description. `+` and `~` are common in identifiers.

use crate::policy::{Finding, Findings};
use mailglot_codec::Charset;
use mailglot_mime::{Detail, EventKind, Message, PartId, Report, Span};
use memchr::memmem;

/// Fields with unstructured text (RFC 5322, section 3.6.5; RFC 2045, section 8).
const TEXTS: [&[u8]; 4] = [b"subject", b"comments", b"keywords", b"content-description"];
/// Number of characters in the shortest run of UTF-7: two units of 16 bits.
const SHORTEST: usize = 6;

/// Adds the findings of this part's fields. Each finding counts once for a field.
pub(super) fn find(message: &Message<'_>, id: PartId, report: &Report, findings: &mut Findings) {
    let raw = message.raw();
    for field in message.fields(id) {
        let name = field.name.of(raw);
        if !TEXTS.iter().any(|own| name.eq_ignore_ascii_case(own)) {
            continue;
        }
        let value = field.value.of(raw);
        let place = || message.section(id);
        if memchr::memchr(b'~', value).is_some()
            && words(value).any(has_hz)
            && !has_decoded_hz(field.value, report)
        {
            findings.add(Finding::UndeclaredEscape, place);
        }
        if memchr::memchr(b'+', value).is_some() && words(value).any(has_utf7) {
            findings.add(Finding::Utf7Lookalike, place);
        }
    }
}

/// Returns true if the planner decoded HZ in a value.
fn has_decoded_hz(value: Span, report: &Report) -> bool {
    report.events.iter().any(|event| {
        event.kind == EventKind::CharsetDetected
            && matches!(event.detail, Detail::ShownBy { used, .. } if used == Charset::HZ_GB_2312)
            && value.start <= event.at.start
            && event.at.end <= value.end
    })
}

/// Returns the words between white space, except encoded words, which have a label.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = value.split(u8::is_ascii_whitespace);
    words.filter(|word| memmem::find(word, b"=?").is_none())
}

/// Returns true if the text has `~{`, pairs of GB 2312 and `~}` (RFC 1843).
fn has_hz(word: &[u8]) -> bool {
    let mut rest = word;
    while let Some(start) = memmem::find(rest, b"~{") {
        rest = &rest[start + 2..];
        let end = rest
            .chunks(2)
            .position(|pair| !matches!(pair, [0x21..=0x77, 0x21..=0x7E]))
            .unwrap_or_default();
        if end > 0 && rest[2 * end..].starts_with(b"~}") {
            return true;
        }
    }
    false
}

/// Returns true if the word has a hidden `<`, or a run that a strict UTF-7 decoder accepts (RFC 2152). The run has at least two units, does not
/// follow a letter or digit, and ends in `-`. A number with a plus sign is not a run.
fn has_utf7(word: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'+', &word[at..]) {
        let start = at + found;
        let run = &word[start + 1..];
        let end = run
            .iter()
            .position(|byte| !is_base64(*byte))
            .unwrap_or(run.len());
        let run = &run[..end];
        let begins = start == 0 || !word[start - 1].is_ascii_alphanumeric();
        let ends = word.get(start + 1 + end) == Some(&b'-');
        if run.starts_with(b"ADw") || begins && ends && is_utf16(run) {
            return true;
        }
        at = start + 1 + end;
    }
    false
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'/'
}

/// Returns true if a run consists of whole units of UTF-16 followed by zero bits, and is not a number.
fn is_utf16(run: &[u8]) -> bool {
    let (mut bits, mut count, mut high) = (0_u32, 0_u32, false);
    for byte in run {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            _ => 63,
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 16 {
            count -= 16;
            let unit = bits >> count & 0xFFFF;
            bits &= (1 << count) - 1;
            let low = (0xDC00..0xE000).contains(&unit);
            if low != high {
                return false;
            }
            high = (0xD800..0xDC00).contains(&unit);
        }
    }
    run.len() >= SHORTEST && !high && count < 6 && bits == 0 && !run.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hz_needs_pairs_between_its_delimiters() {
        for (word, want) in [
            (&b"~{VPND~}"[..], true),
            (b"Re:~{VPND~}!", true),
            (b"~{~{VPND~}", true),
            (b"~{VP", false),
            (b"~{VPN~}", false),
            (b"~{~}", false),
            (b"~{xP~}", false),
            (b"~user", false),
            (b"~}VP~{", false),
        ] {
            assert_eq!(has_hz(word), want, "{}", word.escape_ascii());
        }
    }

    #[test]
    fn utf7_needs_a_strict_run() {
        for (word, want) in [
            (&b"+AGEAYg-"[..], true),
            (b"(+ZeVnLIqe-)", true),
            (b"+2D3eAA-", true),
            (b"x+ADw-script", true),
            (b"+AGE-", false),
            (b"+AGEAYh-", false),
            (b"+AGEAYg", false),
            (b"a+AGEAYg-", false),
            (b"+2D0AQQ-", false),
            (b"+49301234-56", false),
            (b"C++", false),
            (b"1+1", false),
        ] {
            assert_eq!(has_utf7(word), want, "{}", word.escape_ascii());
        }
    }

    #[test]
    fn encoded_words_are_not_searched() {
        let value = b" =?hz-gb-2312?Q?~{VPND~}?= b\r\n c";
        assert_eq!(
            words(value)
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>(),
            [b"b", b"c"]
        );
        assert!(!words(b"=?hz-gb-2312?Q?~{VPND~}?=").any(has_hz));
    }
}
