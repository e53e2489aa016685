//! base64 (RFC 2045 6.8).
//!
//! Clean input (whole lines of the alphabet, complete quanta, padding at the end only) goes in blocks through the base64 crate. All
//! else is read by the tolerant machine, which gives the same bytes for clean input.
//!
//! # Limits
//!
//! A body of one word of the alphabet whose length is a multiple of four is base64, even if somebody meant the word.

mod survey;
mod tolerant;

use super::{Decoded, Sink, TransferEncoding, finding};
use crate::EventKind;
use crate::encoded_word::Finding;
use base64::Engine as _;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use base64::engine::GeneralPurpose as Fast;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use base64::engine::Simd as Fast;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Takes unpadded quanta, and any bits in the last one: a decoder of mail is no judge of those.
static ENGINE: LazyLock<Fast> = LazyLock::new(|| {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    return Fast::standard(config);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return Fast::new(&base64::alphabet::STANDARD, config);
});

/// Characters that are decoded at once.
const BLOCK: usize = 8 * 1024;

/// Encodes with lines of `width` characters (76 in mail), each ended by `eol`, the last one too. Empty input gives empty output.
/// A width that is no multiple of four is rounded down, but to no less than four.
pub fn encode_lines(bytes: &[u8], width: usize, eol: &[u8], out: &mut Vec<u8>) {
    let step = (width / 4).max(1) * 3;
    let lines = bytes.len().div_ceil(step);
    out.reserve(bytes.len().div_ceil(3) * 4 + lines * eol.len());
    for line in bytes.chunks(step) {
        let start = out.len();
        out.resize(start + line.len().div_ceil(3) * 4, 0);
        // The room is exactly what the line needs.
        let written = ENGINE.encode_slice(line, &mut out[start..]).unwrap_or(0);
        out.truncate(start + written);
        out.extend_from_slice(eol);
    }
}

/// Decodes a body (mime.md 4).
pub(super) fn decode<'a>(body: &'a [u8], findings: &mut Vec<Finding>) -> Decoded<'a> {
    let mut bytes = Vec::new();
    if decode_clean(body, &mut bytes) {
        return Decoded { bytes: Cow::Owned(bytes), footer: None, used: TransferEncoding::Base64 };
    }
    bytes.clear();
    let region = survey::region(body);
    if !region.is_base64 {
        findings.push(finding(EventKind::CteWrongLabel, 0..body.len(), "not base64", 1));
        return Decoded::identity(body);
    }
    let damage = tolerant::read(body, &region, &mut Bytes(&mut bytes));
    damage.foreign.report(EventKind::CteB64Trailing, "foreign bytes", findings);
    if let Some(at) = damage.cut {
        findings.push(finding(EventKind::CteB64Truncated, at, "", 1));
    }
    let footer = (region.end < body.len()).then_some(region.end..body.len());
    if let Some(footer) = &footer {
        findings.push(finding(EventKind::CteB64Trailing, footer.clone(), "text after base64", 1));
    }
    Decoded { bytes: Cow::Owned(bytes), footer, used: TransferEncoding::Base64 }
}

/// Passes each decoded byte with its place to `sink`; false for a body that is not base64.
pub(super) fn walk(body: &[u8], sink: &mut impl Sink) -> bool {
    let region = survey::region(body);
    if region.is_base64 {
        tolerant::read(body, &region, sink);
    }
    region.is_base64
}

/// Decodes clean input; false, with some bytes in `out`, for all else.
fn decode_clean(body: &[u8], out: &mut Vec<u8>) -> bool {
    let text = body.trim_ascii_end();
    let padding = text.iter().rev().take_while(|&&b| b == b'=').count();
    if padding > 2 {
        return false;
    }
    let text = &text[..text.len() - padding];
    out.reserve_exact(text.len() / 4 * 3 + 3);
    let mut block = [0; BLOCK];
    let mut filled = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (line, tail) = match memchr::memchr(b'\n', rest) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &rest[rest.len()..]),
        };
        rest = tail;
        let mut line = line.strip_suffix(b"\r").unwrap_or(line);
        while !line.is_empty() {
            let (now, later) = line.split_at(line.len().min(BLOCK - filled));
            block[filled..filled + now.len()].copy_from_slice(now);
            filled += now.len();
            line = later;
            if filled == BLOCK {
                if !decode_block(&block, out) {
                    return false;
                }
                filled = 0;
            }
        }
    }
    (filled + padding).is_multiple_of(4) && decode_block(&block[..filled], out)
}

fn decode_block(block: &[u8], out: &mut Vec<u8>) -> bool {
    // Padding within the text is no clean input, although the engine would take it at the end of a block.
    if block.last() == Some(&b'=') {
        return false;
    }
    let start = out.len();
    out.resize(start + block.len().div_ceil(4) * 3, 0);
    match ENGINE.decode_slice(block, &mut out[start..]) {
        Ok(length) => {
            out.truncate(start + length);
            true
        }
        Err(_) => false,
    }
}

/// Collects decoded bytes.
struct Bytes<'v>(&'v mut Vec<u8>);

impl Sink for Bytes<'_> {
    fn run(&mut self, _: Range<usize>) {}

    #[inline]
    fn byte(&mut self, byte: u8, _: Range<usize>) {
        self.0.push(byte);
    }
}
