//! Finds text that a gateway wrote before base64, such as a warning.
//!
//! ```text
//! CAUTION: this message comes from outside.
//!
//! R3LDvMOfZSBhdXMgTcO8bmNoZW4sIHNjaMO2bmUgVGFnZSBmw7xyIGFsbGUgQsO8cmdlci4KR3LD
//! ```
//!
//! # Limits
//! The base64 must encode text and begin with a full line. The banner has at most 2 KiB.

use super::super::decoded::Sink;
use super::alphabet::{Base64Alphabet, is_base64};
use super::line_classes::{PieceClass, classify, is_spaced_base64, region};
use super::text_lines;
use crate::lexer::line_at;
use std::ops::Range;

/// Maximum length of a banner.
const LONGEST: usize = 2048;

/// Returns the length of the banner before base64, with the empty lines behind it.
pub(super) fn length(body: &[u8]) -> Option<usize> {
    let start = body.trim_ascii_start();
    let from = body.len() - start.len();
    let mut at = from;
    let mut is_after_blank = false;
    let width = loop {
        let text = &body[line_at(body, at).0];
        if text_lines::is_full_line(text.trim_ascii_end()) {
            break text.trim_ascii_end().len();
        }
        is_after_blank = text.trim_ascii().is_empty();
        at = line_at(body, at).1;
        if at >= body.len() || at > LONGEST {
            return None;
        }
    };
    let banner = &body[from..at];
    let is_readable = banner.is_ascii() || std::str::from_utf8(banner).is_ok();
    let mut lines = banner
        .split(|b| *b == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .peekable();
    let is_banner = lines.peek().is_some()
        && is_readable
        && lines.all(|line| is_of_banner(line, width, is_after_blank))
        && text_lines::leads_with_base64(&body[at..])
        && region(&body[at..]).is_base64;
    is_banner.then_some(at)
}

/// Returns true for a line that no encoder wrote before lines of `width` characters.
fn is_of_banner(line: &[u8], width: usize, is_before_blank: bool) -> bool {
    if classify(line) == PieceClass::Text {
        return !is_spaced_base64(line, width, Base64Alphabet::Standard);
    }
    let is_whole = line.len().is_multiple_of(4) && line.iter().all(|b| is_base64(*b));
    // `Warning!` and `WARN`, not `R3L8`.
    let is_plain_word = || {
        let (first, rest) = (line[0], &line[1..]);
        first.is_ascii_alphabetic()
            && (rest.iter().all(u8::is_ascii_lowercase) || line.iter().all(u8::is_ascii_uppercase))
    };
    let is_word = || is_before_blank && is_plain_word() && !text_lines::encodes_utf8(line);
    line.len() * 2 < width && (!is_whole || is_word())
}

/// Passes a banner to `sink`, with the line ends of the decoded text behind it.
pub(super) fn walk(banner: &[u8], decoded: &[u8], sink: &mut impl Sink) {
    let end = memchr::memchr(b'\n', decoded).map(|at| {
        if decoded[..at].ends_with(b"\r") {
            &b"\r\n"[..]
        } else {
            b"\n"
        }
    });
    let mut at = 0;
    while at < banner.len() {
        let (text, next) = line_at(banner, at);
        let line_end = text.end..next;
        sink.run(text);
        match end {
            Some(b"\r\n") if line_end.len() > 1 => {
                let middle = line_end.start + 1;
                sink.byte(b'\r', line_end.start..middle);
                sink.byte(b'\n', middle..line_end.end);
            }
            Some(end) if !line_end.is_empty() => {
                for byte in end {
                    sink.byte(*byte, line_end.clone());
                }
            }
            _ => sink.run(line_end),
        }
        at = next;
    }
}

/// Returns the banner as text, with the line ends of the decoded text behind it.
pub(super) fn text(banner: &[u8], decoded: &[u8]) -> Vec<u8> {
    let mut text = BannerText {
        banner,
        bytes: Vec::with_capacity(banner.len()),
    };
    walk(banner, decoded, &mut text);
    text.bytes
}

struct BannerText<'b> {
    banner: &'b [u8],
    bytes: Vec<u8>,
}

impl Sink for BannerText<'_> {
    fn run(&mut self, from: Range<usize>) {
        self.bytes.extend_from_slice(&self.banner[from]);
    }

    fn byte(&mut self, byte: u8, _: Range<usize>) {
        self.bytes.push(byte);
    }
}

/// Moves ranges behind a banner.
pub(super) struct BehindBanner<'s, S> {
    pub(super) sink: &'s mut S,
    pub(super) length: usize,
}

impl<S: Sink> Sink for BehindBanner<'_, S> {
    fn run(&mut self, from: Range<usize>) {
        self.sink
            .run(from.start + self.length..from.end + self.length);
    }

    fn byte(&mut self, byte: u8, from: Range<usize>) {
        self.sink
            .byte(byte, from.start + self.length..from.end + self.length);
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode_lines;
    use super::*;
    use crate::linear::assert_linear;

    const TEXT: &str = "Grüße aus München, schöne Tage für alle Bürger.\n";

    fn base64_of(bytes: &[u8], width: usize) -> Vec<u8> {
        let mut lines = Vec::new();
        encode_lines(bytes, width, b"\n", &mut lines);
        lines
    }

    #[test]
    fn text_before_base64_of_text_is_a_banner() {
        let text = TEXT.repeat(3);
        for banner in [
            "Hallo\n\n",
            "Test\n\n",
            "Achtung\n\n",
            "Achtung\n",
            "\nHallo\n",
            "CAUTION: This email came from outside.\n\n",
            "CAUTION: This email originated from outside of the organization. Do not click links.\n",
            "[EXTERN]\n",
            "One\nTwo\n\nThree\n\n",
            "Vorsicht: für Sie geprüft\n\n",
            "Content-Type: text/plain\n\n",
        ] {
            for width in [76, 64, 60] {
                let body = [banner.as_bytes(), &base64_of(text.as_bytes(), width)].concat();
                assert_eq!(length(&body), Some(banner.len()), "{banner:?} {width}");
            }
        }
    }

    #[test]
    fn base64_and_files_have_no_banner() {
        let text = TEXT.repeat(3);
        let lines = base64_of(text.as_bytes(), 76);
        let file: Vec<u8> = (0..400_u32).map(|n| ((n * n) >> 5) as u8).collect();
        let digits: Vec<u8> = lines.iter().copied().filter(|b| *b != b'\n').collect();
        let (head, rest) = digits.split_at(10);
        let ragged = [
            head,
            b"\n",
            &rest.chunks(76).collect::<Vec<_>>().join(&b"\n"[..]),
        ]
        .concat();
        let (head, rest) = digits.split_at(8);
        let short = [
            head,
            b"\n\n",
            &rest.chunks(76).collect::<Vec<_>>().join(&b"\n"[..]),
        ]
        .concat();
        for body in [
            lines.clone(),
            [b"\n\n", &lines[..]].concat(),
            [b"Zg==\n", &lines[..]].concat(),
            [b"Hallo\n\n", &base64_of(&file, 76)[..]].concat(),
            ragged,
            short,
            b"Hallo\n\nZg==\n".to_vec(),
            b"Hallo\n".to_vec(),
            Vec::new(),
        ] {
            assert_eq!(length(&body), None, "{}", body.escape_ascii());
        }
    }

    #[test]
    fn time_is_linear() {
        const FULL: &str = "R3LDvMOfZSBhdXMgTcO8bmNoZW4sIHNjaMO2bmUgVGFnZSBm\n";
        for (banner, unit) in [
            ("", "a\n"),
            ("", "Hallo\n\n"),
            ("", "Hallo "),
            ("Hallo\n\n", FULL),
            ("One line of a gateway\n", FULL),
            (
                "Hallo\n\n",
                "R3LDvMOfZSBhdXMgTcO8bmNoZW4sIHNjaMO2bmUg\nR3LD\n",
            ),
        ] {
            assert_linear(&unit, 20_000, |n| {
                let body = format!("{banner}{}", unit.repeat(n));
                let _ = super::super::decode(body.as_bytes(), &mut Vec::new());
            });
        }
    }
}
