//! Finds another spelling for a character that a charset lacks. It is the other of two East Asian signs for one code, or a base letter
//! with a combining mark, as Vietnamese in windows-1258.
//!
//! # Limits
//! Splits only the marks of Vietnamese tones. Strict mode uses another spelling only to transliterate, because decoding does not give the
//! original back.

use crate::charset::Charset;

/// Pairs of characters for one code of JIS X 0208 or GB 2312. Microsoft and WHATWG decode one of them, and other programs decode the
/// other one.
const TWINS: [(char, char); 11] = [
    ('\u{A2}', '\u{FFE0}'),
    ('\u{A3}', '\u{FFE1}'),
    ('\u{A5}', '\u{FFE5}'),
    ('\u{A6}', '\u{FFE4}'),
    ('\u{AC}', '\u{FFE2}'),
    ('\u{B7}', '\u{30FB}'),
    ('\u{203E}', '\u{FFE3}'),
    ('\u{2014}', '\u{2015}'),
    ('\u{2016}', '\u{2225}'),
    ('\u{2212}', '\u{FF0D}'),
    ('\u{301C}', '\u{FF5E}'),
];

/// The tones of Vietnamese, as combining marks: grave, acute, hook, tilde, dot below.
const TONES: [char; 5] = ['\u{300}', '\u{301}', '\u{309}', '\u{303}', '\u{323}'];

/// Letters with each of them.
const LETTERS: [(char, &str); 24] = [
    ('A', "ÀÁẢÃẠ"),
    ('Ă', "ẰẮẲẴẶ"),
    ('Â', "ẦẤẨẪẬ"),
    ('E', "ÈÉẺẼẸ"),
    ('Ê', "ỀẾỂỄỆ"),
    ('I', "ÌÍỈĨỊ"),
    ('O', "ÒÓỎÕỌ"),
    ('Ô', "ỒỐỔỖỘ"),
    ('Ơ', "ỜỚỞỠỢ"),
    ('U', "ÙÚỦŨỤ"),
    ('Ư', "ỪỨỬỮỰ"),
    ('Y', "ỲÝỶỸỴ"),
    ('a', "àáảãạ"),
    ('ă', "ằắẳẵặ"),
    ('â', "ầấẩẫậ"),
    ('e', "èéẻẽẹ"),
    ('ê', "ềếểễệ"),
    ('i', "ìíỉĩị"),
    ('o', "òóỏõọ"),
    ('ô', "ồốổỗộ"),
    ('ơ', "ờớởỡợ"),
    ('u', "ùúủũụ"),
    ('ư', "ừứửữự"),
    ('y', "ỳýỷỹỵ"),
];

/// Returns another spelling of a character whose characters all satisfy `carried`; `None` if the charset has none.
pub(super) fn spelling(
    charset: Charset,
    c: char,
    carried: impl Fn(char) -> bool,
) -> Option<String> {
    let spelled = if charset.is_single_byte() {
        decomposed(c)?
    } else {
        twin(c)?.to_string()
    };
    spelled.chars().all(carried).then_some(spelled)
}

fn twin(c: char) -> Option<char> {
    TWINS.iter().find_map(|(one, other)| match c {
        _ if c == *one => Some(*other),
        _ if c == *other => Some(*one),
        _ => None,
    })
}

/// A letter of Vietnamese and its tone.
fn decomposed(c: char) -> Option<String> {
    if !may_have_a_tone(c) {
        return None;
    }
    LETTERS.iter().find_map(|(base, toned)| {
        let place = toned.chars().position(|letter| letter == c)?;
        Some([*base, TONES[place]].iter().collect())
    })
}

/// Returns false for most characters that have no tone, without a search: those outside three ranges of Unicode.
fn may_have_a_tone(c: char) -> bool {
    matches!(c, '\u{C0}'..='\u{FD}' | '\u{128}'..='\u{169}' | '\u{1EA0}'..='\u{1EF9}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::Unmappable;
    use crate::loss::{LossKind, LossLog};
    use std::collections::HashSet;

    fn name(name: &str) -> Charset {
        Charset::for_name(name).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn letters_and_tones_are_those_of_unicode() {
        let mut seen = HashSet::new();
        for (base, toned) in LETTERS {
            assert_eq!(toned.chars().count(), TONES.len(), "{base}");
            for letter in toned.chars() {
                assert!(seen.insert(letter), "{letter}");
                assert_eq!(letter.is_lowercase(), base.is_lowercase(), "{letter}");
                let lower = |c: char| c.to_lowercase().collect::<String>();
                let pair = decomposed(letter).expect("a letter with a tone");
                assert_eq!(
                    decomposed(lower(letter).chars().next().unwrap_or(letter)),
                    Some(pair.to_lowercase())
                );
            }
        }
        assert_eq!(seen.len(), 120);
    }

    #[test]
    fn vietnamese_is_written_in_pages_with_combining_tones() {
        let text = "Tiếng Việt: Ắt, ỹ, Ơn, Nguyễn, đường";
        for charset in ["windows-1258", "CP1129"] {
            let (charset, mut log) = (name(charset), LossLog::new());
            let bytes = charset.encode(text, Unmappable::Skip, &mut log);
            assert_eq!(log.losses(), 0, "{charset}");
            assert!(log.count(LossKind::Substituted) > 4, "{charset}");
            let read = charset.decode(&bytes, &mut LossLog::new()).into_owned();
            let composed: String = text
                .chars()
                .map(|c| decomposed(c).unwrap_or(c.to_string()))
                .collect();
            let again: String = read
                .chars()
                .map(|c| decomposed(c).unwrap_or(c.to_string()))
                .collect();
            assert_eq!(again, composed, "{charset}");
        }
    }

    #[test]
    fn strict_mode_splits_tones_only_to_transliterate() {
        for (way, expected) in [
            (Unmappable::Transliterate, "\u{1B0}\u{309}"),
            (Unmappable::Skip, ""),
            (Unmappable::HtmlDecimal, "&#7917;"),
        ] {
            let mut encoder = Charset::WINDOWS_1258.new_strict_encoder(way.clone());
            let (mut bytes, mut log) = (Vec::new(), LossLog::new());
            encoder.push("\u{1EED}", &mut bytes, &mut log);
            encoder.finish(&mut bytes, &mut log);
            let read = Charset::WINDOWS_1258.decode(&bytes, &mut LossLog::new());
            assert_eq!(read, expected, "{way:?}");
            assert!(!log.is_empty(), "{way:?}");
        }
    }

    #[test]
    fn signs_are_written_as_the_twin_that_the_charset_has() {
        for charset in [
            "Shift_JIS",
            "Windows-31J",
            "EUC-JP",
            "ISO-2022-JP",
            "eucJP-ms",
            "EUC-JIS-2004",
            "Shift_JISX0213",
            "ISO-2022-JP-2004",
        ] {
            let Some(charset) = Charset::for_name(charset) else {
                continue;
            };
            for c in "〜～−－‖∥¢￠£￡¬￢―—".chars() {
                let (text, mut log) = (c.to_string(), LossLog::new());
                let bytes = charset.encode(&text, Unmappable::Skip, &mut log);
                assert_eq!(log.losses(), 0, "{charset} {c}");
                let read = charset.decode(&bytes, &mut LossLog::new());
                let same = read.chars().eq([c]);
                assert!(
                    same || read.chars().next().map(twin) == Some(Some(c)),
                    "{charset} {c} {read}"
                );
                assert_eq!(
                    log.count(LossKind::Substituted),
                    u64::from(!same),
                    "{charset} {c}"
                );
                let mut strict = charset.new_strict_encoder(Unmappable::Skip);
                let (mut bytes, mut log) = (Vec::new(), LossLog::new());
                strict.push(&text, &mut bytes, &mut log);
                strict.finish(&mut bytes, &mut log);
                if log.is_empty() {
                    let mut decoder = charset.new_decoder(crate::mode::Mode::Strict);
                    let mut read = String::new();
                    decoder.push(&bytes, &mut read, &mut log);
                    decoder.finish(&mut read, &mut log);
                    assert_eq!(
                        (read.chars().next(), log.losses()),
                        (Some(c), 0),
                        "{charset} {c}"
                    );
                }
            }
        }
        let mut log = LossLog::new();
        assert_eq!(
            &*Charset::ISO_8859_1.encode("￠", Unmappable::QuestionMark, &mut log),
            b"?"
        );
    }
}
