//! Encodes and decodes base64 (RFC 2045, section 6.8).
//!
//! Clean input has whole lines of the alphabet, complete quanta, and padding at the end only. The vector code of the codec decodes
//! it; the base64 crate decodes the blocks that the vector code does not accept. The tolerant decoder reads all other input, and
//! gives the same bytes for clean input.
//!
//! # Limits
//!
//! A body of one word, whose length is a multiple of four, is read as base64 even if it was meant as a word.

mod alphabet;
mod banner;
mod line_classes;
#[cfg(test)]
mod stray_tests;
pub(super) mod text_lines;
mod tolerant;

use self::banner::BehindBanner;
use super::decoded::{Decoded, Sink};
use super::encoding::TransferEncoding;
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use base64::Engine as _;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use base64::engine::GeneralPurpose as Fast;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use base64::engine::Simd as Fast;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use mailglot_kernel::base64::append_lines;
use std::ops::Range;
use std::sync::LazyLock;

/// Accepts unpadded quanta, and any bits after the last complete byte, as mail decoders do.
static ENGINE: LazyLock<Fast> = LazyLock::new(|| {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    return Fast::standard(config);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return Fast::new(&base64::alphabet::STANDARD, config);
});

/// Number of characters that are decoded at once.
const BLOCK: usize = 8 * 1024;

/// Number of lines that are encoded at once.
const LINES: usize = 64;

/// Encodes bytes as base64 (RFC 2045, section 6.8) in lines of `width` characters (76 in mail). Each line ends with `eol`, also the last one.
///
/// Empty input gives empty output. A width is rounded down to a multiple of four, but is at least four.
pub fn encode_lines(bytes: &[u8], width: usize, eol: &[u8], out: &mut Vec<u8>) {
    // No line is longer than the encoded input.
    let step = (width / 4).min(bytes.len().div_ceil(3)).max(1) * 3;
    let lines = bytes.len().div_ceil(step);
    out.reserve(bytes.len().div_ceil(3) * 4 + lines * eol.len());
    // Encodes many lines at once, then adds the line ends.
    let mut block = vec![0; (LINES.min(lines) * step).div_ceil(3) * 4];
    for piece in bytes.chunks(LINES * step) {
        // The buffer is at least as long as the encoded piece.
        let length = ENGINE.encode_slice(piece, &mut block).unwrap_or(0);
        for line in block[..length].chunks(step / 3 * 4) {
            out.extend_from_slice(line);
            out.extend_from_slice(eol);
        }
    }
}

/// Returns true if [`encode_lines`] turns the decoded bytes of `body` into `body` again. `decoded` is the number of decoded bytes.
///
/// `ended` means that the last line has a line end. Compares lengths only: every byte outside line ends and padding must then be a
/// digit.
pub(crate) fn comes_back(
    body: &[u8],
    decoded: usize,
    width: usize,
    eol: &[u8],
    ended: bool,
) -> bool {
    let characters = decoded.div_ceil(3) * 4;
    let padding = (3 - decoded % 3) % 3;
    if decoded == 0 || width == 0 || !width.is_multiple_of(4) || eol.is_empty() {
        return false;
    }
    let Some(text) = (if ended {
        body.strip_suffix(eol)
    } else {
        Some(body)
    }) else {
        return false;
    };
    let (Some(digits), true) = (
        text.len().checked_sub(padding),
        text.ends_with(&b"=="[..padding]),
    ) else {
        return false;
    };
    text.len() == characters + (characters.div_ceil(width) - 1) * eol.len()
        && text.chunks(width + eol.len()).all(|line| line.len() <= width || &line[width..] == eol)
        // Encoding would not restore unused bits, nor the alphabet of RFC 4648, section 5.
        && text[..digits].last().is_some_and(|last| tolerant::sextet(*last).trailing_zeros() >= 2 * padding as u32)
        && memchr::memchr2(b'-', b'_', text).is_none()
}

/// Decodes a base64 body (RFC 2045, section 6.8). Foreign bytes and damage become `findings`.
pub(super) fn decode<'a>(body: &'a [u8], findings: &mut Vec<Finding>) -> Decoded<'a> {
    let Some(length) = banner::length(body) else {
        return decode_alone(body, findings);
    };
    let (banner, rest) = body.split_at(length);
    findings.add(
        0..length,
        EventKind::CteB64Trailing,
        Reason::TextBeforeBase64,
    );
    let mut own = Vec::new();
    let decoded = decode_alone(rest, &mut own);
    let behind = |at: Range<usize>| at.start + length..at.end + length;
    findings.extend(own.into_iter().map(|finding| Finding {
        at: behind(finding.at),
        ..finding
    }));
    let mut bytes = banner::text(banner, &decoded.bytes);
    bytes.extend_from_slice(&decoded.bytes);
    Decoded {
        banner: Some(0..length),
        footer: decoded.footer.map(behind),
        ..Decoded::new(TransferEncoding::Base64, bytes)
    }
}

/// Decodes base64 without a banner before it.
fn decode_alone<'a>(body: &'a [u8], findings: &mut Vec<Finding>) -> Decoded<'a> {
    let mut bytes = Vec::new();
    if decode_clean(body, &mut bytes) {
        return Decoded::new(TransferEncoding::Base64, bytes);
    }
    bytes.clear();
    let region = line_classes::region(body);
    if !region.is_base64 {
        return Decoded::wrongly_labelled(body, Reason::NotBase64, findings);
    }
    let damage = tolerant::read(body, &region, &mut OutputBytes(&mut bytes));
    damage
        .foreign
        .report(EventKind::CteB64Trailing, Reason::ForeignBytes, findings);
    damage.text.report(
        EventKind::CteB64TextLost,
        Reason::TextWithinBase64,
        findings,
    );
    damage
        .several
        .report(EventKind::CteB64Several, Reason::BehindPadding, findings);
    if let Some(at) = damage.cut {
        findings.add(at, EventKind::CteB64Truncated, Detail::None);
    }
    let footer = (region.end < body.len()).then_some(region.end..body.len());
    if let Some(footer) = &footer {
        findings.add(
            footer.clone(),
            EventKind::CteB64Trailing,
            Reason::TextAfterBase64,
        );
    }
    Decoded {
        footer,
        ..Decoded::new(TransferEncoding::Base64, bytes)
    }
}

/// Returns true if the first line that is not blank is text, as in a note that replaced an attachment.
pub(crate) fn begins_as_text(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    // The first 256 bytes suffice.
    let body = &body[..body.len().min(256)];
    let end = memchr::memchr2(b'\r', b'\n', body).unwrap_or(body.len());
    line_classes::classify(&body[..end]) == line_classes::PieceClass::Text
}

/// Passes each decoded byte with its range to `sink`. Returns false for a body that is not base64.
pub(super) fn walk(body: &[u8], sink: &mut impl Sink) -> bool {
    let Some(length) = banner::length(body) else {
        return walk_alone(body, sink);
    };
    let (banner, rest) = body.split_at(length);
    let decoded = decode_alone(rest, &mut Vec::new());
    banner::walk(banner, &decoded.bytes, sink);
    walk_alone(rest, &mut BehindBanner { sink, length })
}

fn walk_alone(body: &[u8], sink: &mut impl Sink) -> bool {
    let region = line_classes::region(body);
    if region.is_base64 {
        tolerant::read(body, &region, sink);
    }
    region.is_base64
}

/// Decodes clean input. Returns false for other input, possibly with some bytes in `out`.
fn decode_clean(body: &[u8], out: &mut Vec<u8>) -> bool {
    let text = body.trim_ascii_end();
    let padding = text.iter().rev().take_while(|&&b| b == b'=').count();
    if padding > 2 {
        return false;
    }
    let mut rest = &text[..text.len() - padding];
    out.reserve_exact(rest.len() / 4 * 3 + 64);
    // Decodes most bodies here without a copy: all those whose lines end between quanta.
    loop {
        rest = &rest[append_lines(rest, out)..];
        let Some(next) = rest
            .strip_prefix(b"\r\n")
            .or_else(|| rest.strip_prefix(b"\n"))
        else {
            break;
        };
        rest = next;
    }
    let mut block = PendingCharacters {
        characters: Vec::with_capacity(rest.len().min(BLOCK)),
    };
    while !rest.is_empty() {
        let (line, tail) = match memchr::memchr(b'\n', rest) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &rest[rest.len()..]),
        };
        rest = tail;
        if !block.add(line.strip_suffix(b"\r").unwrap_or(line), out) {
            return false;
        }
    }
    (block.characters.len() + padding).is_multiple_of(4) && decode_block(&block.characters, out)
}

/// Characters that are collected for decoding.
struct PendingCharacters {
    characters: Vec<u8>,
}

impl PendingCharacters {
    /// Adds characters. Returns false if they are not clean.
    fn add(&mut self, mut line: &[u8], out: &mut Vec<u8>) -> bool {
        while !line.is_empty() {
            let (now, later) = line.split_at(line.len().min(BLOCK - self.characters.len()));
            self.characters.extend_from_slice(now);
            line = later;
            if self.characters.len() == BLOCK {
                if !decode_block(&self.characters, out) {
                    return false;
                }
                self.characters.clear();
            }
        }
        true
    }
}

fn decode_block(block: &[u8], out: &mut Vec<u8>) -> bool {
    // Padding within the text is not clean, although the engine accepts it at the end of a block.
    block.last() != Some(&b'=') && (block.is_empty() || ENGINE.decode_vec(block, out).is_ok())
}

/// Collects decoded bytes.
struct OutputBytes<'v>(&'v mut Vec<u8>);

impl Sink for OutputBytes<'_> {
    fn run(&mut self, _: Range<usize>) {}

    #[inline]
    fn byte(&mut self, byte: u8, _: Range<usize>) {
        self.0.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;
    use base64::engine::general_purpose::STANDARD;

    fn decoded(
        body: &[u8],
    ) -> (
        Vec<u8>,
        Option<Range<usize>>,
        TransferEncoding,
        Vec<&'static str>,
    ) {
        let mut findings = Vec::new();
        let result = decode(body, &mut findings);
        for finding in &findings {
            assert!(
                finding.at.start <= finding.at.end
                    && finding.at.end <= body.len()
                    && finding.count > 0
            );
        }
        let codes = findings.iter().map(|f| f.kind.code()).collect();
        (result.bytes.into_owned(), result.footer, result.used, codes)
    }

    /// Returns the decoded bytes of the tolerant decoder after checking their ranges; None if the body is not base64.
    fn tolerant(body: &[u8]) -> Option<Vec<u8>> {
        struct Check<'b>(&'b [u8], Vec<u8>, usize);
        impl Sink for Check<'_> {
            fn run(&mut self, _: Range<usize>) {}
            fn byte(&mut self, byte: u8, from: Range<usize>) {
                assert!(
                    self.2 <= from.start + 1
                        && from.start + 2 <= from.end
                        && from.end <= self.0.len()
                );
                self.2 = from.end;
                self.1.push(byte);
            }
        }
        let mut check = Check(body, Vec::new(), 0);
        walk(body, &mut check).then_some(check.1)
    }

    #[test]
    fn clean_bodies_are_those_of_the_base64_crate() {
        let bytes: Vec<u8> = (0..40_000_u32).map(|n| ((n * n) >> 7) as u8).collect();
        for length in (0..200).chain([6143, 6144, 6145, 12_288, 39_999]) {
            let bytes = &bytes[..length];
            let plain = STANDARD.encode(bytes);
            let mut lines = Vec::new();
            for (width, eol) in [
                (76, "\r\n"),
                (76, "\n"),
                (64, "\r\r\n"),
                (4, "\n"),
                (7, "\n"),
                (0, "\r"),
                (usize::MAX, "\n"),
                (1000, " \t\n"),
            ] {
                lines.clear();
                encode_lines(bytes, width, eol.as_bytes(), &mut lines);
                let joined: Vec<u8> = lines
                    .iter()
                    .copied()
                    .filter(|b| !b.is_ascii_whitespace())
                    .collect();
                assert_eq!(joined, plain.as_bytes());
                assert!(
                    lines
                        .split(u8::is_ascii_whitespace)
                        .all(|line| line.len() <= width.max(4))
                );
                let (found, footer, used, codes) = decoded(&lines);
                assert_eq!(
                    (found.as_slice(), footer, used),
                    (bytes, None, TransferEncoding::Base64),
                    "{width} {eol:?}"
                );
                assert_eq!(codes, [""; 0], "{width} {eol:?}");
                assert_eq!(tolerant(&lines).as_deref(), Some(bytes), "{width} {eol:?}");
            }
        }
    }

    #[test]
    fn comes_back_agrees_with_the_encoder() {
        let mut state = 0x9E37_79B9_u32;
        let mut next = |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % bound
        };
        let mut counts = [0; 2];
        for round in 0..60_000 {
            let bytes: Vec<u8> = (0..next(40)).map(|_| next(256) as u8).collect();
            let mut body = Vec::new();
            encode_lines(
                &bytes,
                [76, 4, 8, 20][next(4)],
                [&b"\r\n"[..], b"\n"][next(2)],
                &mut body,
            );
            if next(2) == 0 {
                body.truncate(body.trim_ascii_end().len());
            }
            if round % 3 > 0 && !body.is_empty() {
                let at = next(body.len());
                match next(4) {
                    0 => body.insert(at, b"\r\nA= !-_"[next(8)]),
                    1 => drop(body.remove(at)),
                    2 => body[at] = b"\r\nAB= !-_"[next(9)],
                    _ => body.truncate(at),
                }
            }
            let (found, footer, used, _) = decoded(&body);
            if footer.is_some() || used != TransferEncoding::Base64 {
                continue;
            }
            let width = memchr::memchr2(b'\r', b'\n', &body).unwrap_or(body.len());
            for eol in [&b"\r\n"[..], b"\n"] {
                for ended in [false, true] {
                    let mut again = Vec::new();
                    encode_lines(&found, width, eol, &mut again);
                    again.truncate(
                        again.len()
                            - if ended || again.is_empty() {
                                0
                            } else {
                                eol.len()
                            },
                    );
                    let counted = comes_back(&body, found.len(), width, eol, ended);
                    let real =
                        again == body && !found.is_empty() && width > 0 && width.is_multiple_of(4);
                    assert_eq!(counted, real, "{} {eol:?} {ended}", body.escape_ascii());
                    counts[usize::from(counted)] += 1;
                }
            }
        }
        assert!(counts.iter().all(|count| *count > 10_000), "{counts:?}");
    }

    #[test]
    fn both_decoders_agree_on_clean_input() {
        let mut state = 0x9E37_79B9_u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % bound
        };
        for _ in 0..20_000 {
            let alphabet: &[u8] = if next(2) == 0 {
                b"AbC+/9\n\n\r="
            } else {
                b"abcdefgh\n\n"
            };
            let length = next(40);
            let body: Vec<u8> = (0..length)
                .map(|_| alphabet[next(alphabet.len() as u32) as usize])
                .collect();
            let mut clean = Vec::new();
            if decode_clean(&body, &mut clean) {
                assert_eq!(tolerant(&body), Some(clean), "{}", body.escape_ascii());
            }
        }
    }

    /// Returns the decoded bytes of clean input, by the base64 crate alone.
    fn strict(body: &[u8]) -> Option<Vec<u8>> {
        let text = body.trim_ascii_end();
        let lines = text
            .split(|b| *b == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let any_bits = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
        let engine = base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, any_bits);
        let ends = text.iter().rev().take_while(|b| **b == b'=').count();
        let characters = lines.collect::<Vec<_>>().concat();
        // Padding is contiguous.
        (characters.ends_with(&text[text.len() - ends..])
            && !characters[..characters.len() - ends].contains(&b'='))
        .then(|| engine.decode(characters).ok())
        .flatten()
    }

    #[test]
    fn clean_bodies_and_mutants_agree_with_the_base64_crate() {
        let mut state = 0x9E37_79B9_u32;
        let mut next = |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % bound
        };
        let bytes: Vec<u8> = (0..2000_u32).map(|n| ((n * n) >> 5) as u8).collect();
        let mut clean = [0; 2];
        for round in 0..20_000 {
            let mut body = Vec::new();
            while body.len() < 40 || next(3) > 0 {
                let (start, width) = (
                    next(1000),
                    [76, 76, 72, 64, 60, 57, 4, 8, 32, 400][next(10)],
                );
                let length = next(300) / 3 * 3;
                encode_lines(
                    &bytes[start..start + length],
                    width,
                    [&b"\r\n"[..], b"\n"][next(2)],
                    &mut body,
                );
            }
            if round % 4 > 0 {
                let at = next(body.len());
                match next(4) {
                    0 => body.insert(at, b"\r\nA= !-"[next(7)]),
                    1 => drop(body.remove(at)),
                    2 => body[at] = next(256) as u8,
                    _ => body.truncate(at),
                }
            }
            let mut found = Vec::new();
            let found = decode_clean(&body, &mut found).then_some(found);
            assert_eq!(found, strict(&body), "{}", body.escape_ascii());
            clean[usize::from(found.is_some())] += 1;
        }
        assert!(clean[0] > 5000 && clean[1] > 5000, "{clean:?}");
    }

    #[test]
    fn damaged_bodies() {
        const B64: TransferEncoding = TransferEncoding::Base64;
        const NONE: TransferEncoding = TransferEncoding::Identity;
        type Row = (
            &'static str,
            &'static str,
            &'static str,
            TransferEncoding,
            &'static [&'static str],
        );
        let table: &[Row] = &[
            ("", "", "", B64, &[]),
            ("Zm9v", "foo", "", B64, &[]),
            // Padding.
            ("Zm8", "fo", "", B64, &["cte.b64-truncated"]),
            ("Zm9vYg", "foob", "", B64, &["cte.b64-truncated"]),
            ("Zm9vY", "foo", "", B64, &["cte.b64-truncated"]),
            ("Zg=\n", "f", "", B64, &[]),
            ("Zm9vYg=\n=\n", "foob", "", B64, &[]),
            ("Zm9v====", "foo", "", B64, &["cte.b64-trailing"]),
            ("PHNjcmlwdD5", "<script>", "", B64, &["cte.b64-truncated"]),
            // Several base64 bodies in a row.
            ("Zg==Zm8=", "ffo", "", B64, &["cte.b64-several"]),
            (
                "Zg==\nZm8=\nZm9v\n",
                "ffofoo",
                "",
                B64,
                &["cte.b64-several"],
            ),
            ("Zm8=Zm9v", "fofoo", "", B64, &["cte.b64-several"]),
            (
                "PHNj=cmlwdD4=\r\nYWxlcnQ=\r\n",
                "<script>alert",
                "",
                B64,
                &["cte.b64-trailing", "cte.b64-several"],
            ),
            // Foreign bytes, and the URL-safe alphabet.
            (
                "PHNj!!cm lwdD4*=\r\n",
                "<script>",
                "",
                B64,
                &["cte.b64-trailing"],
            ),
            ("Zm9v Ym9v YmFy\n", "fooboobar", "", B64, &[]),
            ("PHN-cmlwdD_=", "<s~rip\u{74}?", "", B64, &[]),
            ("Z\nm9\nvYm\nFy\n", "foobar", "", B64, &[]),
            // Appended text.
            (
                "Zm9v\n_______________\nlist mailing list\nhttp://example.org/\n",
                "foo",
                "_______________\nlist mailing list\nhttp://example.org/\n",
                B64,
                &["cte.b64-trailing"],
            ),
            (
                "Zm8=\r\n\r\n-- \r\nThis is a footer.\r\n",
                "fo",
                "-- \r\nThis is a footer.\r\n",
                B64,
                &["cte.b64-trailing"],
            ),
            ("Zm8=\nSent\n", "fo", "Sent\n", B64, &["cte.b64-trailing"]),
            (
                "Zm8= Sent from a phone\n",
                "fo",
                " Sent from a phone\n",
                B64,
                &["cte.b64-trailing"],
            ),
            (
                "Zm9v\n\nRegards,\nBob\n",
                "foo",
                "Regards,\nBob\n",
                B64,
                &["cte.b64-trailing"],
            ),
            (
                "Zm9v\n\nRegards\nBob B. Example\n",
                "foo",
                "Regards\nBob B. Example\n",
                B64,
                &["cte.b64-trailing"],
            ),
            // A line of text in the middle is skipped.
            (
                "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFy\n-----\nZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFy\n",
                "foobarfoobarfoobarfoobarfoobarfoobarfoobarfoobar",
                "",
                B64,
                &["cte.b64-trailing"],
            ),
            // Never base64.
            (
                "Hello world, this is text.\n",
                "Hello world, this is text.\n",
                "",
                NONE,
                &["cte.wrong-label"],
            ),
            (
                "Hello\n\nthis is text.\n",
                "Hello\n\nthis is text.\n",
                "",
                NONE,
                &["cte.wrong-label"],
            ),
            (
                "Gr\u{fc}\u{df}e",
                "Gr\u{fc}\u{df}e",
                "",
                NONE,
                &["cte.wrong-label"],
            ),
            (
                "Exmo(s) Senhore(s)\n\nSegue em anexo.\n",
                "Exmo(s) Senhore(s)\n\nSegue em anexo.\n",
                "",
                NONE,
                &["cte.wrong-label"],
            ),
            (
                "Month,Cost_EUR,On_Prem\nJan_2024,125000,180.6\n",
                "Month,Cost_EUR,On_Prem\nJan_2024,125000,180.6\n",
                "",
                NONE,
                &["cte.wrong-label"],
            ),
            // Damaged base64 has padding, or consists of no words.
            ("Zm9v!YmFy\n", "foobar", "", B64, &["cte.b64-trailing"]),
            (
                "<SGVsbG8gd29ybGQgYW5kIG9r>\n",
                "Hello world and ok",
                "",
                B64,
                &["cte.b64-trailing"],
            ),
            (
                "\u{feff}SGVsbG8gd29ybGQgYW5kIG9r\n",
                "Hello world and ok",
                "",
                B64,
                &["cte.b64-trailing"],
            ),
            (
                "SGVsbG8g!d29ybGQgYW5kIG9r\n\n-- \nThis is a footer.\n",
                "Hello world and ok",
                "-- \nThis is a footer.\n",
                B64,
                &["cte.b64-trailing", "cte.b64-trailing"],
            ),
            ("Hello\n", "Hello\n", "", NONE, &["cte.wrong-label"]),
            (
                "<html><body>x</body></html>\n",
                "<html><body>x</body></html>\n",
                "",
                NONE,
                &["cte.wrong-label"],
            ),
        ];
        for (body, text, footer, used, codes) in table {
            let found = decoded(body.as_bytes());
            assert_eq!(
                found.0.escape_ascii().to_string(),
                text.as_bytes().escape_ascii().to_string(),
                "{body:?}"
            );
            let tail = found.1.map_or("", |range| &body[range]);
            assert_eq!((tail, found.2), (*footer, *used), "{body:?}");
            assert_eq!(found.3, *codes, "{body:?}");
        }
    }

    /// A line of text before or within base64 neither becomes bytes nor shifts the quanta of other lines.
    #[test]
    fn lines_of_text_are_skipped() {
        let bytes: Vec<u8> = (0..400_u32).map(|n| ((n * n) >> 5) as u8).collect();
        let mut body = Vec::new();
        encode_lines(&bytes, 76, b"\r\n", &mut body);
        for text in [
            "[attachment removed]",
            "Content-Type: text/html",
            "Content-Type: Text/HTML; name=Plan.doc",
            "Content-Transfer-Encoding: x-uuencode",
            "#part",
            "[Foo_Bar]",
            "X-Spam: no",
        ] {
            for at in [0, 78, 156] {
                let (before, behind) = body.split_at(at);
                let whole = [before, text.as_bytes(), b"\r\n", behind].concat();
                let (found, footer, used, codes) = decoded(&whole);
                assert_eq!((footer, used), (None, TransferEncoding::Base64), "{text}");
                assert!(found == bytes, "{text} {at}");
                assert_eq!(codes, ["cte.b64-text-lost"], "{text} {at}");
            }
        }
    }

    /// A foreign byte in place of a character damages its own line only. One that was added damages nothing.
    #[test]
    fn a_damaged_line_does_not_shift_the_next_one() {
        let bytes: Vec<u8> = (0..400_u32).map(|n| ((n * n) >> 5) as u8).collect();
        let mut body = Vec::new();
        encode_lines(&bytes, 76, b"\r\n", &mut body);
        for at in 78..154 {
            let mut other = body.clone();
            other[at] = b'!';
            let (found, _, _, codes) = decoded(&other);
            assert_eq!(codes, ["cte.b64-trailing", "cte.b64-text-lost"], "{at}");
            assert!(found.starts_with(&bytes[..57]), "{at}");
            assert!(found.ends_with(&bytes[114..]), "{at}");
            let mut other = body.clone();
            other.insert(at, b'!');
            let (found, _, _, codes) = decoded(&other);
            assert!(found == bytes, "{at}");
            assert_eq!(codes, ["cte.b64-trailing"], "{at}");
        }
        // Lines that end within a quantum: the next one continues it.
        let digits: Vec<u8> = body
            .iter()
            .copied()
            .filter(|b| !b.is_ascii_whitespace())
            .collect();
        for width in [61, 75, 99] {
            let mut lines: Vec<Vec<u8>> = digits.chunks(width).map(<[u8]>::to_vec).collect();
            lines[1].insert(30, b'!');
            let (found, _, _, codes) = decoded(&lines.join(&b"\n"[..]));
            assert!(found == bytes, "{width}");
            assert_eq!(codes, ["cte.b64-trailing"], "{width}");
        }
    }

    #[test]
    fn truncation_keeps_the_complete_bytes() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut body = Vec::new();
        encode_lines(&bytes, 76, b"\r\n", &mut body);
        for end in 40..body.len() {
            let (found, footer, used, _) = decoded(&body[..end]);
            assert_eq!((used, footer), (TransferEncoding::Base64, None), "{end}");
            assert!(bytes.starts_with(&found));
            let sextets = body[..end]
                .iter()
                .filter(|b| alphabet::is_base64(**b))
                .count();
            assert!(found.len() >= (sextets * 3 / 4).saturating_sub(2));
        }
    }

    #[test]
    fn time_is_linear() {
        for unit in ["Zg==", "A=", "A ", "Word\n\n", "Zg==\n____\n", "="] {
            assert_linear(&unit, 300_000, |n| drop(decoded(unit.repeat(n).as_bytes())));
        }
        assert_linear(&"blanks", 1_000_000, |n| {
            drop(decoded(("Zg==".repeat(n / 10) + &" ".repeat(n)).as_bytes()));
        });
    }
}
