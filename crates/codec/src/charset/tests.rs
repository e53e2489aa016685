//! Compares the columns of the table with the results of decoding.

use super::*;
use crate::encoder::Unmappable;
use crate::loss::LossLog;
use crate::mode::Mode;
use std::borrow::Cow;

#[test]
fn names_are_found_and_supersets_end() {
    for charset in Charset::all() {
        assert_eq!(
            Charset::for_name(charset.name()),
            Some(charset),
            "a name twice"
        );
        assert_eq!(charset.superset().superset(), charset.superset());
        assert_eq!(charset.superset().is_stateful(), charset.is_stateful());
    }
    assert_eq!(Charset::for_name("utf-8"), None);
    assert_eq!(Charset::ISO_8859_1.superset(), Charset::WINDOWS_1252);
}

fn exact(charset: Charset, bytes: &[u8]) -> Option<String> {
    charset.decode_exact(bytes).map(Cow::into_owned)
}

fn encoded(charset: Charset, text: &str) -> Option<Vec<u8>> {
    let mut log = LossLog::new();
    let bytes = charset
        .encode(text, Unmappable::Skip, &mut log)
        .into_owned();
    (log.losses() == 0).then_some(bytes)
}

/// The names of charsets for which a property of the table is not what decoding shows.
fn differing(
    property: impl Fn(Charset) -> bool,
    shown: impl Fn(Charset) -> bool,
) -> Vec<&'static str> {
    Charset::all()
        .filter(|charset| property(*charset) != shown(*charset))
        .map(Charset::name)
        .collect()
}

/// Returns texts of ASCII that an ASCII-compatible charset decodes as ASCII: each byte, each pair, shifts and mnemonics.
fn ascii_texts() -> impl Iterator<Item = Vec<u8>> {
    let pairs = (0..0x80_u8).flat_map(|one| (0..0x80_u8).map(move |two| vec![one, two]));
    let shifts: [&[u8]; 7] = [
        b"\x1B$B0!\x1B(B",
        b"\x1B$)C\x0E0!\x0F",
        b"~{0!~}",
        b"+AOk-",
        b"&AOk-",
        b"\x0Eabc\x0F",
        b" \x08a:",
    ];
    (0..0x80_u8)
        .map(|byte| vec![byte])
        .chain(pairs)
        .chain(shifts.map(<[u8]>::to_vec))
}

#[test]
fn ascii_compatible_charsets_are_those_that_read_all_ascii_as_itself() {
    let is_ascii = |charset: Charset| {
        let is_itself =
            |bytes: Vec<u8>| exact(charset, &bytes).is_some_and(|text| text.as_bytes() == bytes);
        // Lenient decoding reads some in the superset, where the yen sign is a backslash.
        let strict = || {
            (0..0x80_u8).all(|byte| {
                let (mut text, mut log) = (String::new(), LossLog::new());
                let mut decoder = charset.new_decoder(Mode::Strict);
                decoder.push(&[byte], &mut text, &mut log);
                decoder.finish(&mut text, &mut log);
                text.as_bytes() == [byte] && log.losses() == 0
            })
        };
        ascii_texts().all(is_itself) && strict()
    };
    // ASCII bytes of UTF-1 are parts of other characters.
    assert_eq!(
        differing(Charset::is_ascii_compatible, is_ascii),
        ["ISO-10646-UTF-1"]
    );
}

#[test]
fn single_bytes_that_keep_ascii_text_read_it_as_itself() {
    let text: Vec<u8> = (0x20..0x7F).chain(*b"\t\r\n").collect();
    let is_itself = |charset: Charset| {
        charset.is_single_byte()
            && exact(charset, &text).is_some_and(|read| read.as_bytes() == text)
    };
    for charset in Charset::all() {
        let expected = charset.is_ascii_compatible() || is_itself(charset);
        assert_eq!(charset.keeps_ascii_text(), expected, "{charset}");
    }
}

#[test]
fn ascii_letters_of_wide_charsets_fill_their_units_with_nul() {
    for charset in Charset::all() {
        let letters = |text: &str| {
            let bytes = encoded(charset, text)?;
            exact(charset, &bytes).filter(|back| back == text)?;
            Some((bytes.len(), bytes.contains(&0)))
        };
        // The second letter has no byte order mark or escape sequence before it.
        let width = letters("AB")
            .zip(letters("A"))
            .map(|(two, one)| two.0 - one.0);
        let has_nul = letters("A").is_some_and(|(_, has_nul)| has_nul);
        assert_eq!(charset.is_wide(), has_nul, "{charset}: {width:?}");
        if charset.is_wide() {
            assert_eq!(width, Some(charset.row().width.into()), "{charset}");
        }
    }
}

#[test]
fn stateful_charsets_are_those_in_which_bytes_mean_something_else_after_ascii() {
    // Half a unit, shifts and designations of all charsets, and a window of SCSU.
    const BEFORE: [&[u8]; 13] = [
        b"0",
        b"Q",
        b"\x0E",
        b"\x0F",
        b"\x12",
        b"~{",
        b"+AOk",
        b"&AOk",
        b"\x1B$B",
        b"\x1B(J",
        b"\x1B$)C\x0E",
        b"\x1B$)A\x0E",
        b"\x1B$(O",
    ];
    const BEHIND: [&[u8]; 6] = [
        b"0!0!0",
        b"AOk-",
        b"\x30\x42\x30\x42",
        b"\0A\0B",
        b"\0\0\0A\0\0\0B",
        b"\x41\x42\xC1\xC2",
    ];
    // In greedy charsets two sequences may be one.
    let is_stateful = |charset: Charset| {
        let text = |bytes: &[u8]| charset.decode(bytes, &mut LossLog::new()).into_owned();
        let depends = |before: &[u8], behind: &[u8]| {
            !text(&[before, behind].concat()).ends_with(&text(behind))
        };
        !charset.is_greedy()
            && BEFORE
                .iter()
                .any(|before| BEHIND.iter().any(|behind| depends(before, behind)))
    };
    assert_eq!(differing(Charset::is_stateful, is_stateful), [""; 0]);
}

#[test]
fn ebcdic_and_unicode_charsets_are_those_that_decode_so() {
    // Characters of many scripts, beyond the first plane too.
    const SAMPLE: &str = "Aé ΩЖ א ا ก あ 漢 한 ☃ \u{1F600}";
    let is_ebcdic = |charset: Charset| {
        !charset.is_ascii_compatible()
            && exact(charset, b"\xC1\x40\x81\xF1").is_some_and(|text| text == "A a1")
    };
    assert_eq!(differing(Charset::is_ebcdic, is_ebcdic), [""; 0]);
    let carries = |charset: Charset| {
        let wider = charset.superset();
        encoded(wider, SAMPLE).and_then(|bytes| exact(wider, &bytes)) == Some(SAMPLE.to_owned())
    };
    // GB 18030 has all characters, and is no form of ISO 10646.
    assert_eq!(
        differing(Charset::is_unicode, carries),
        ["GB2312", "GBK", "GB18030"]
    );
}

#[test]
fn windows_pages_have_characters_where_the_charset_has_controls() {
    for charset in Charset::all() {
        let Some(page) = charset.windows_page() else {
            continue;
        };
        assert_ne!(page, charset.superset(), "{charset}");
        let is_control = |charset: Charset, byte: u8| {
            exact(charset, &[byte]).is_none_or(|text| text.chars().all(char::is_control))
        };
        for byte in 0x80..=0x9F {
            assert!(is_control(charset, byte), "{charset} {byte:X}");
        }
        assert!(!is_control(page, 0x93), "{charset}");
    }
}

#[test]
fn exact_text_is_what_decodes_without_a_loss() {
    for charset in Charset::all() {
        for code in (0..=0xFFFF_u16).step_by(7) {
            let bytes = code.to_be_bytes();
            let mut log = LossLog::new();
            let text = charset.decode(&bytes, &mut log);
            let expected = (log.losses() == 0).then_some(text);
            assert_eq!(charset.decode_exact(&bytes), expected, "{charset} {code:X}");
        }
    }
}
