//! A guess at the charset of bytes that carry no label.
//!
//! # Limits
//! The model knows the encodings of the web only; DOS and Mac pages, VISCII and TCVN are not guessed. UTF-7 is never
//! guessed: any ASCII text may look like it.

use crate::utf16::Order;
use crate::{Charset, LossKind, LossLog, bom, label, utf16, utf32};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

/// Result of [`detect`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The charset.
    pub charset: Charset,
    /// 0 to 1.
    pub confidence: f32,
    /// Which step decided: `bom`, `structure`, `utf-8`, `model`, `fallback`.
    pub evidence: &'static str,
}

/// Bytes that the structure of UTF-16 and UTF-32 is read from.
const WINDOW: usize = 1024;

/// Bytes of words with letters above 7F after which the model is asked: its figures hardly rise beyond 200 bytes of text.
const SAMPLE: usize = 256;

/// Guesses by BOM, structure, UTF-8 validity, then a statistical model. `tld` is a country-code prior such as `ru`.
///
/// Pure ASCII is US-ASCII by structure.
pub fn detect(bytes: &[u8], tld: Option<&str>) -> Guess {
    if let Some((charset, _)) = bom::sniff(bytes) {
        return Guess { charset, confidence: 1.0, evidence: "bom" };
    }
    if let Some(charset) = structure(bytes) {
        return Guess { charset, confidence: 0.98, evidence: "structure" };
    }
    if is_hz(bytes) {
        return Guess { charset: Charset::HZ_GB_2312, confidence: 0.8, evidence: "structure" };
    }
    if bytes.is_ascii() {
        return Guess { charset: Charset::US_ASCII, confidence: 0.98, evidence: "structure" };
    }
    if simdutf8::basic::from_utf8(bytes).is_ok() {
        return Guess { charset: Charset::UTF_8, confidence: 0.99, evidence: "utf-8" };
    }
    match model(bytes, tld) {
        // The model gives no score: more letters make a better guess.
        Some(charset) => {
            let letters = bytes.iter().filter(|b| **b >= 0x80).count();
            let confidence = if letters >= 50 { 0.9 } else { 0.5 + 0.4 * letters as f32 / 50.0 };
            Guess { charset, confidence, evidence: "model" }
        }
        None => Guess { charset: Charset::WINDOWS_1252, confidence: 0.1, evidence: "fallback" },
    }
}

/// The charset that the shape of the bytes proves: UTF-16 or UTF-32 by their NUL bytes, ISO-2022-JP and -KR
/// by escape sequences in seven-bit text. All of it must decode without loss. A BOM is not looked at.
pub fn structure(bytes: &[u8]) -> Option<Charset> {
    let candidate = if memchr::memchr(0, bytes).is_some() {
        wide(bytes)?
    } else if !bytes.is_ascii() {
        return None;
    } else if memchr::memmem::find(bytes, b"\x1b$)C").is_some() {
        Charset::ISO_2022_KR
    } else if memchr::memchr(0x1B, bytes).is_some() {
        Charset::ISO_2022_JP
    } else {
        return None;
    };
    let mut log = LossLog::with_limit(0);
    let text = candidate.decode(bytes, &mut log);
    let sound = log.losses() == 0 && log.count(LossKind::OppositeByteOrderMark) == 0;
    let telling = match candidate {
        Charset::ISO_2022_JP | Charset::ISO_2022_KR => !text.is_ascii(),
        _ => !text.contains('\0'),
    };
    (sound && telling).then_some(candidate)
}

/// HZ by its tildes. They may stand in any text, so nothing at all may be odd; and because of that, this is no proof.
fn is_hz(bytes: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    memchr::memmem::find(bytes, b"~{").is_some()
        && bytes.is_ascii()
        && !Charset::HZ_GB_2312.decode(bytes, &mut log).is_ascii()
        && log.is_empty()
}

/// UTF-16 or UTF-32 by the places of the NUL bytes.
fn wide(bytes: &[u8]) -> Option<Charset> {
    let window = &bytes[..bytes.len().min(WINDOW)];
    if bytes.len().is_multiple_of(4) {
        match (utf32::valid(window, Order::Big), utf32::valid(window, Order::Little)) {
            (true, false) => return Some(Charset::UTF_32BE),
            (false, true) => return Some(Charset::UTF_32LE),
            _ => {}
        }
    }
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    // Zero high bytes stand on one side only, and are not rare: spaces and line ends have them in every script.
    let zeros = |side: usize| window.iter().skip(side).step_by(2).filter(|b| **b == 0).count();
    let (charset, count, high) = match (utf16::guess(window), zeros(0), zeros(1)) {
        (Some(Order::Big), count, 0) => (Charset::UTF_16BE, count, 0),
        (Some(Order::Little), 0, count) => (Charset::UTF_16LE, count, 1),
        _ => return None,
    };
    // Two letters of ASCII look like an ideograph, but a space or line end before a letter like nothing in use.
    let ascii = window
        .chunks_exact(2)
        .any(|unit| matches!(unit[high], b'\n' | b'\r' | b' ') && unit[1 - high].is_ascii_alphabetic());
    (count > 0 && count >= window.len() / 32 && !ascii).then_some(charset)
}

fn model(bytes: &[u8], tld: Option<&str>) -> Option<Charset> {
    // The model takes lower-case ASCII labels only.
    let tld = tld.filter(|t| !t.is_empty() && t.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
    let tld = tld.map(str::to_ascii_lowercase);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // The model is slow, and ASCII words tell it little.
    let mut sample = Vec::with_capacity(SAMPLE);
    let mut cut = false;
    for word in bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_ascii()) {
        let part = &word[..word.len().min(SAMPLE)];
        cut = part.len() < word.len();
        sample.extend_from_slice(part);
        if cut || sample.len() >= SAMPLE {
            break;
        }
        sample.push(b' ');
    }
    detector.feed(&sample, !cut);
    let encoding = detector.guess(tld.as_deref().map(str::as_bytes), Utf8Detection::Deny);
    label::of_encoding(encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_in_order() {
        let guess = |bytes: &[u8]| {
            let guess = detect(bytes, None);
            (guess.charset.name(), guess.evidence)
        };
        assert_eq!(guess(b"\xEF\xBB\xBFabc"), ("UTF-8", "bom"));
        assert_eq!(guess(b"\x1b$B$3$s\x1b(B"), ("ISO-2022-JP", "structure"));
        assert_eq!(guess(b"\x1b[31mred\x1b[0m"), ("US-ASCII", "structure"));
        assert_eq!(guess(b"\x1b$)C\x0e0!\x0f"), ("ISO-2022-KR", "structure"));
        assert_eq!(guess(b"~{VPND~}\n"), ("HZ-GB-2312", "structure"));
        assert_eq!(guess(b"cd ~{user,other}"), ("US-ASCII", "structure"));
        assert_eq!(guess(b"plain"), ("US-ASCII", "structure"));
        assert_eq!(guess("naïve".as_bytes()), ("UTF-8", "utf-8"));
        assert_eq!(guess(b"na\xEFve caf\xE9"), ("windows-1252", "model"));
        let mut log = LossLog::new();
        let russian = "Привет, как дела? Всё хорошо.";
        for charset in [Charset::KOI8_R, Charset::WINDOWS_1251, Charset::ISO_8859_5] {
            let bytes = charset.encode(russian, crate::Unmappable::Fatal, &mut log);
            assert_eq!(detect(&bytes, Some("RU")).charset.decode(&bytes, &mut log), russian);
        }
        assert!(log.is_empty());
        assert_eq!(detect(b"\xE9", Some("not.a.tld")).evidence, "model");
    }

    #[test]
    fn wide_forms_are_seen_without_a_mark() {
        let mut log = LossLog::new();
        for charset in [Charset::UTF_16BE, Charset::UTF_16LE, Charset::UTF_32BE, Charset::UTF_32LE] {
            for text in ["Hello, world", "Grüße aus Köln\r\n", "日本語 and English\n"] {
                let bytes = charset.encode(text, crate::Unmappable::Fatal, &mut log);
                assert_eq!(structure(&bytes), Some(charset), "{text} {charset}");
            }
        }
        assert_eq!(structure(b"a\0b"), None);
        for at in 0..28 {
            let mut text = b"some text with one NUL in it".to_vec();
            text[at] = 0;
            assert_eq!(structure(&text), None, "{at}");
        }
        assert_eq!(structure(&[0; 64]), None);
        assert_eq!(structure(b""), None);
        assert_eq!(structure(b"~{VPND~}"), None);
    }
}
