//! Tests of stray bytes within base64.

use super::alphabet::is_base64;
use super::decode;
use crate::random::Random;
use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD, URL_SAFE, URL_SAFE_NO_PAD};

/// Returns pseudo-random bytes.
fn bytes(random: &mut Random, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.below(256) as u8).collect()
}

/// Returns bytes in base64, in lines of `width` characters.
fn lines(bytes: &[u8], width: usize) -> Vec<Vec<u8>> {
    lines_in(&STANDARD, bytes, width)
}

/// Like [`lines`], in the alphabet of an engine.
fn lines_in(engine: &GeneralPurpose, bytes: &[u8], width: usize) -> Vec<Vec<u8>> {
    let digits = engine.encode(bytes).into_bytes();
    digits.chunks(width).map(<[u8]>::to_vec).collect()
}

/// Returns the decoded bytes and the codes of the findings.
fn decoded(body: &[u8]) -> (Vec<u8>, Vec<&'static str>) {
    let mut findings = Vec::new();
    let found = decode(body, &mut findings);
    assert_eq!(found.footer, None, "{}", body.escape_ascii());
    let codes = findings.iter().map(|f| f.kind.code()).collect();
    (found.bytes.into_owned(), codes)
}

/// Asserts that a body is decoded to these bytes, with findings of these codes.
#[track_caller]
fn assert_decodes(body: &[u8], bytes: &[u8], codes: &[&'static str]) {
    let wanted = (bytes.to_vec(), codes.to_vec());
    assert_eq!(decoded(body), wanted, "{}", body.escape_ascii());
}

#[test]
fn a_blank_in_a_full_line_is_ignored() {
    let mut random = Random(5);
    for width in [76, 64, 75, 61, 100] {
        for column in 0..=width {
            for blank in ["", " ", "\t", "  ", " \t "] {
                let bytes = bytes(&mut random, width * 4);
                let mut lines = lines(&bytes, width);
                let line = random.below(5);
                lines[line].splice(column..column, blank.bytes());
                let body = lines.join(&b"\n"[..]);
                assert_decodes(&body, &bytes, &[]);
            }
        }
    }
}

#[test]
fn blanks_at_several_places_are_ignored() {
    let mut random = Random(6);
    for _ in 0..4000 {
        let length = 171 + random.below(200);
        let bytes = bytes(&mut random, length);
        let mut lines = lines(&bytes, *random.pick(&[76, 64, 72, 75]));
        let full = lines.len() - 1;
        for _ in 0..=random.below(3) {
            let line = 1 + random.below(full - 1);
            let column = random.below(lines[line].len());
            lines[line].insert(column, *random.pick(b" \t"));
        }
        let body = lines.join(*random.pick(&[&b"\n"[..], b"\r\n"]));
        assert_decodes(&body, &bytes, &[]);
    }
}

#[test]
fn a_blank_in_the_last_line_is_ignored() {
    let mut random = Random(7);
    for _ in 0..4000 {
        // The last line has 28 characters or more.
        let length = 57 * (1 + random.below(3)) + 19 + random.below(38);
        let bytes = bytes(&mut random, length);
        let mut lines = lines(&bytes, 76);
        let line = lines.last_mut().unwrap();
        let column = random.below(line.len() + 1);
        line.insert(column, *random.pick(b" \t"));
        let body = lines.join(&b"\n"[..]);
        assert_decodes(&body, &bytes, &[]);
    }
}

#[test]
fn a_blank_in_the_only_line_is_ignored() {
    let mut random = Random(8);
    for _ in 0..4000 {
        let length = 60 + random.below(200);
        let bytes = bytes(&mut random, length);
        let mut body = STANDARD.encode(&bytes).into_bytes();
        let length = body.len();
        let column = *random.pick(&[1, 2, 3, length / 2, length - 3, length - 2, length - 1]);
        body.insert(column, b' ');
        assert_decodes(&body, &bytes, &[]);
    }
}

#[test]
fn a_blank_in_the_first_line_makes_no_banner() {
    let text = "Grüße aus München, schöne Tage für alle Bürger.\n".repeat(5);
    for column in 1..76 {
        let mut lines = lines(text.as_bytes(), 76);
        lines[0].insert(column, b' ');
        let body = lines.join(&b"\n"[..]);
        assert_decodes(&body, text.as_bytes(), &[]);
    }
}

/// Lines of words stay text, also those with as many characters of the alphabet as a full line.
#[test]
fn lines_of_words_are_text() {
    let mut random = Random(9);
    let bytes = bytes(&mut random, 228);
    let words = "This message was scanned for viruses ";
    for line in [
        words.repeat(3),
        "Scanned by AntiVirus2005".to_owned(),
        "Total sum ==".to_owned(),
        "Fingerprint 0123456789abcdef01234567".to_owned(),
        "a long line of words of quoted printable=".to_owned(),
        words.repeat(3)[..76 + 15].to_owned(),
    ] {
        let mut lines = lines(&bytes, 76);
        lines.insert(2, line.into_bytes());
        assert_decodes(&lines.join(&b"\n"[..]), &bytes, &["cte.b64-text-lost"]);
    }
}

#[test]
fn a_stray_mark_in_standard_base64_is_foreign() {
    let mut random = Random(10);
    for _ in 0..4000 {
        let length = 115 + random.below(200);
        let mut bytes = bytes(&mut random, length);
        if random.below(2) == 0 {
            // Letters of ASCII make neither `+` nor `/`.
            for byte in &mut bytes {
                *byte = b'a' + *byte % 26;
            }
        }
        let mut body = lines(&bytes, *random.pick(&[76, 64])).join(&b"\n"[..]);
        let at = random.below(body.len());
        body.insert(at, *random.pick(b"-_"));
        assert_decodes(&body, &bytes, &["cte.b64-trailing"]);
    }
}

#[test]
fn a_stray_mark_in_one_line_is_foreign() {
    let mut random = Random(11);
    for _ in 0..2000 {
        let length = 20 + random.below(60);
        let bytes: Vec<u8> = (0..length).map(|_| b'a' + random.below(26) as u8).collect();
        let mut body = STANDARD.encode(&bytes).into_bytes();
        let padding = memchr::memchr_iter(b'=', &body).count();
        let at = random.below(body.len() - padding);
        body.insert(at, *random.pick(b"-_"));
        assert_decodes(&body, &bytes, &["cte.b64-trailing"]);
    }
}

#[test]
fn url_safe_base64_is_decoded() {
    let mut random = Random(12);
    for _ in 0..4000 {
        let length = 20 + random.below(300);
        let bytes = bytes(&mut random, length);
        let body = lines_in(&URL_SAFE, &bytes, 76).join(&b"\n"[..]);
        if !body.iter().any(|byte| matches!(byte, b'-' | b'_')) {
            continue;
        }
        assert_decodes(&body, &bytes, &[]);
        // One line, without padding.
        let token = URL_SAFE_NO_PAD.encode(&bytes);
        let (found, _) = decoded(token.as_bytes());
        assert_eq!(found, bytes, "{token}");
    }
}

#[test]
fn a_footer_does_not_show_the_alphabet() {
    let bytes: Vec<u8> = (0..=255).cycle().take(57 * 6).collect();
    let body = lines_in(&URL_SAFE, &bytes, 76).join(&b"\n"[..]);
    for footer in ["24/7", "1/2", "C++11", "N/A1"] {
        let body = [&body, &b"\n\n"[..], footer.as_bytes(), b"\n"].concat();
        let found = decode(&body, &mut Vec::new());
        assert!(found.bytes.starts_with(&bytes), "{footer}");
    }
}

#[test]
fn a_line_of_markup_is_no_base64() {
    let bytes: Vec<u8> = (0..=255).cycle().take(57 * 4).collect();
    let mut lines = lines(&bytes, 76);
    let long = b"a{x1:#F0a9B1;y2:#0cD3e4;z3:#1aB2c3;w4:#4dE5f6;v5:#7aB8c9;u6:#0dE1f2;t7:#g8H9i0 %a1B2;s8:#j1K2l3;r9:#m4N5o6;q0:#p7Q8r9}";
    let mut digits_before = 0;
    let is_before = |byte: &&u8| {
        digits_before += usize::from(is_base64(**byte));
        digits_before <= 76
    };
    let markup: Vec<u8> = long.iter().take_while(is_before).copied().collect();
    lines.insert(2, markup);
    assert_decodes(&lines.join(&b"\n"[..]), &bytes, &["cte.b64-text-lost"]);
}
