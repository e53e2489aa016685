//! Decodes words and parameters whose label cannot decode their bytes: the steps of [`super::choose`] for short texts.

use super::evidence::MAIL_HINTS;
use super::labels::label_check::{LabelVerdict, OtherReading};
use super::labels::label_events::detected_event;
use super::raw_text::before_ellipsis;
use super::text_tests::cjk_level1::{is_level1, is_mostly_level1};
use super::text_tests::damage::{decodes_without_loss, is_cesu8, is_damaged};
use super::text_tests::foreign_letters::character;
use super::text_tests::insufficient_evidence;
use super::text_tests::mojibake_score::mojibake_score;
use super::text_tests::truncated_utf8::{before_incomplete_character, is_latin1_word_end};
use super::text_tests::western_places::has_usual_western_places;
use super::text_tests::western_words::is_western_letter;
use super::thresholds::LIKELY_CONFIDENCE;
use super::two_charsets::mixed_iso2022jp::is_japanese;
use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use crate::charset_choice::text_tests::shifts::has_shift_bytes;
use crate::charset_choice::text_tests::utf8_sequences::{SequenceCount, malformed};
use crate::event::ChosenBy;
use crate::reading::How;
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{self, Evidence, Guess, Weighed, high_bytes};
use mailglot_codec::{Charset, LossLog, is_alphabetic};
use std::ops::Range;

/// Decodes bytes in another charset if their label decodes them with losses. Returns None to keep the label.
///
/// `text` and `log` are the result under the label. Signs in their usual places come first (`5 \xB0C`), unless the
/// charset that the message names decodes them otherwise. That charset comes next, then detection.
pub(crate) fn redecode<'b>(
    bytes: &'b [u8],
    label: Charset,
    text: &str,
    log: &LossLog,
    message_charset: Option<Charset>,
    language: Option<&str>,
) -> Option<LabelVerdict<'b>> {
    let may_be_wrong =
        label.is_ascii_compatible() || label.is_stateful() || lacks_high_bytes(label, bytes, log);
    if label == Charset::UTF_8 && is_cesu8(bytes) {
        let by = ChosenBy::Step(How::Structure);
        return Some(verdict(bytes, label, Charset::CESU_8, by));
    }
    let is_damaged = is_damaged(label, bytes, text, log);
    if !is_damaged && label != Charset::UTF_8 || !may_be_wrong {
        return None;
    }
    let can_be = |charset: Charset| {
        charset != label
            && charset.is_ascii_compatible()
            && !charset.is_stateful()
            && decodes_without_loss(charset, bytes)
    };
    let message_charset = message_charset.filter(|message_charset| {
        can_be(*message_charset) && !detect::is_odd(bytes, *message_charset)
    });
    let is_western = label == Charset::UTF_8
        && language.is_none()
        && has_usual_western_places(bytes)
        && message_charset.is_none_or(|charset| reads_as_windows_1252(charset, bytes));
    if is_western {
        let by = ChosenBy::Detection(Evidence::Model);
        return Some(verdict(bytes, label, Charset::WINDOWS_1252, by));
    }
    let (used, by) = match message_charset {
        _ if is_gb(label) && is_in_pairs(bytes) && can_be(Charset::GBK) => {
            (Charset::GBK, ChosenBy::Step(How::Detected))
        }
        Some(message_charset) => (message_charset, ChosenBy::Step(How::Message)),
        None => detect_charset(bytes, label, language).filter(|(used, _)| can_be(*used))?,
    };
    let is_legacy = label == Charset::UTF_8 && is_legacy_by_utf8_chance(bytes, used);
    if !is_damaged && !is_legacy {
        return None;
    }
    if message_charset.is_none() && (is_isolated_byte(bytes, used) || is_stray(label, bytes)) {
        return None;
    }
    if label == Charset::UTF_8
        && !is_legacy
        && (is_damaged_utf8(bytes, used) || swallows_ascii(bytes, used))
    {
        return None;
    }
    if ends_in_cut_character(label, bytes)
        && (detect::is_odd(bytes, used) || {
            message_charset.is_none() && !is_latin1_word_end(before_ellipsis(bytes))
        })
    {
        return None;
    }
    Some(verdict(bytes, label, used, by))
}

/// Returns the verdict that bytes are in `used` instead of the charset of their label.
fn verdict(bytes: &[u8], label: Charset, used: Charset, by: ChosenBy) -> LabelVerdict<'_> {
    LabelVerdict {
        read: Some(OtherReading {
            used,
            how: How::Detected,
            confidence: None,
            text: used.decode(bytes, &mut LossLog::new()),
        }),
        damaged: None,
        events: vec![detected_event(Some(label), used, by)],
    }
}

/// Returns true if `charset` decodes the bytes as windows-1252 does.
fn reads_as_windows_1252(charset: Charset, bytes: &[u8]) -> bool {
    let read = |charset: Charset| decode_unlogged(charset, bytes);
    read(charset) == read(Charset::WINDOWS_1252)
}

/// Detects the charset from the bytes alone.
fn detect_charset(
    bytes: &[u8],
    label: Charset,
    language: Option<&str>,
) -> Option<(Charset, ChosenBy)> {
    if let Some(used) = eight_bit_japanese(bytes, label) {
        return Some((used, ChosenBy::Detection(Evidence::Model)));
    }
    let hints = detect::Hints {
        language,
        ..MAIL_HINTS
    };
    let guess = Weighed::new(bytes, &hints).guess();
    if label == Charset::UTF_8 && is_rare_by_one_byte(guess, bytes) {
        let by = ChosenBy::Detection(Evidence::Fallback);
        return has_western_letter(bytes).then_some((Charset::WINDOWS_1252, by));
    }
    // A single-byte charset decodes any bytes, so it must be likely before it replaces a multi-byte label.
    let stands =
        label != Charset::UTF_8 && !label.is_single_byte() && guess.confidence < LIKELY_CONFIDENCE;
    match guess.evidence {
        Evidence::Fallback | Evidence::Utf8 if label == Charset::UTF_8 => Some((
            Charset::WINDOWS_1252,
            ChosenBy::Detection(Evidence::Fallback),
        )),
        Evidence::Fallback if !label.is_ascii_compatible() && !label.is_stateful() => {
            Some((Charset::WINDOWS_1252, ChosenBy::Detection(guess.evidence)))
        }
        Evidence::Fallback => None,
        _ => (!stands).then_some((guess.charset, ChosenBy::Detection(guess.evidence))),
    }
}

/// Returns true if the only byte above 7F makes an unsure guess at a charset that is rare under a label of UTF-8: `f\xF0ab` in windows-1257,
/// `fo\x8Fbar` in macintosh.
fn is_rare_by_one_byte(guess: Guess, bytes: &[u8]) -> bool {
    let is_common = matches!(
        guess.charset.superset(),
        Charset::WINDOWS_1250
            | Charset::WINDOWS_1251
            | Charset::WINDOWS_1252
            | Charset::WINDOWS_1254
            | Charset::ISO_8859_2
            | Charset::ISO_8859_15
            | Charset::IBM850
            | Charset::IBM852
    );
    guess.charset.is_single_byte()
        && !is_common
        && guess.confidence < LIKELY_CONFIDENCE
        && high_bytes(bytes).nth(1).is_none()
}

/// Returns true if windows-1252 has a letter of Western European languages for the first byte above 7F.
fn has_western_letter(bytes: &[u8]) -> bool {
    let mut high = high_bytes(bytes).map(|at| bytes[at]);
    let western = high
        .next()
        .and_then(|byte| character(Charset::WINDOWS_1252, byte));
    western.is_some_and(is_western_letter)
}

/// Returns EUC-JP or Shift_JIS for a word under a label of ISO-2022-JP without escape sequences. Only one of them may make everyday characters
/// of its bytes.
fn eight_bit_japanese(bytes: &[u8], label: Charset) -> Option<Charset> {
    const MIN_HIGH_BYTES: usize = 4;
    let may_be = is_japanese(label)
        && !has_shift_bytes(bytes)
        && high_bytes(bytes).nth(MIN_HIGH_BYTES - 1).is_some();
    if !may_be {
        return None;
    }
    let is_everyday =
        |charset: &Charset| is_level1(*charset, bytes) && decodes_without_loss(*charset, bytes);
    let mut found = [Charset::EUC_JP, Charset::SHIFT_JIS]
        .into_iter()
        .filter(is_everyday);
    found.next().filter(|_| found.next().is_none())
}

/// Returns true for text under a label of UTF-8 whose bytes above 7F are all FF. FF is `ÿ` in windows-1252, and damage far more often.
fn is_stray(label: Charset, bytes: &[u8]) -> bool {
    label == Charset::UTF_8 && insufficient_evidence::only_high_byte(bytes) == Some(0xFF)
}

/// Returns true for a label of seven bits (ISO 646) over bytes above 7F, such as the registry's `gb` and `de`. It says nothing.
fn lacks_high_bytes(label: Charset, bytes: &[u8], log: &LossLog) -> bool {
    let high = bytes.iter().filter(|byte| !byte.is_ascii()).count() as u64;
    label.is_single_byte() && high > 0 && log.losses() == high
}

/// Returns true for the registry's `gb` and `cn`. In mail they mean GB 2312.
fn is_gb(label: Charset) -> bool {
    label == Charset::BS_4730 || label == Charset::GB_1988_80
}

/// Returns true if bytes above 7F stand in pairs, as in GB 2312. GBK has pairs with ASCII bytes, too.
fn is_in_pairs(bytes: &[u8]) -> bool {
    let mut runs = bytes.split(u8::is_ascii);
    runs.all(|run| run.len().is_multiple_of(2))
}

/// Returns true if the only byte above 7F touches no letter, or is a symbol at the edge of a word. It may be anything, unless it is a sign
/// that is usual there, or a letter that is a word of its own.
fn is_isolated_byte(bytes: &[u8], used: Charset) -> bool {
    let mut high = high_bytes(bytes);
    let (Some(at), None) = (high.next(), high.next()) else {
        return false;
    };
    let is_letter = |at: Option<usize>| byte_or_blank(bytes, at).is_ascii_alphabetic();
    let may_be_anything = match (is_letter(at.checked_sub(1)), is_letter(at.checked_add(1))) {
        (true, true) => false,
        (false, false) => true,
        _ => !detect::has_letters(bytes, used),
    };
    let is_usual = || is_usual_sign(bytes, at) || is_word_of_one_letter(bytes, at);
    may_be_anything && !(used == Charset::WINDOWS_1252 && is_usual())
}

/// Returns true if windows-1252 makes a word of one letter of the byte at `at`, within ASCII text: `domani \xE8 festa`, `c'\xE8 posta`, `\xC9 verdade`.
///
/// Italian, French, Portuguese, Spanish, Icelandic and Norwegian have such words. At the end of the text, the byte may begin a cut character.
fn is_word_of_one_letter(bytes: &[u8], at: usize) -> bool {
    const MIN_LETTERS: usize = 4;
    let is_word = matches!(
        bytes[at],
        // À Á È É Ó
        0xC0 | 0xC1 | 0xC8 | 0xC9 | 0xD3
        // à á å è é í ó ú
        | 0xE0 | 0xE1 | 0xE5 | 0xE8 | 0xE9 | 0xED | 0xF3 | 0xFA
    );
    let (before, rest) = (&bytes[..at], &bytes[at + 1..]);
    let begins = before.last().is_none_or(|byte| b" '\"(".contains(byte));
    let ends = match rest {
        [b' ', next, ..] => next.is_ascii_alphanumeric() || b"\"'(".contains(next),
        [b',' | b':' | b';', b' ', ..] => true,
        _ => false,
    };
    let mut letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic());
    is_word && begins && ends && letters.nth(MIN_LETTERS - 1).is_some()
}

/// Returns true if windows-1252 makes a sign of a byte that Western text often has in such a place: `a \x96 b`, `wait\x85`, `Acme\x99`, `\x80 100`.
fn is_usual_sign(bytes: &[u8], at: usize) -> bool {
    let near = |at: Option<usize>| byte_or_blank(bytes, at);
    let (before, after) = (near(at.checked_sub(1)), near(at.checked_add(1)));
    match bytes[at] {
        // Dashes and bullets stand between blanks within the text.
        0x95..=0x97 => before == b' ' && after == b' ' && at > 0 && at + 1 < bytes.len(),
        0x80 => detect::is_beside_number(bytes, at),
        0x85 | 0x99 => before.is_ascii_alphanumeric() && !after.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// Returns true if bytes are damaged UTF-8 rather than text in `other`: complete sequences stand among them.
///
/// Text of other charsets has UTF-8 sequences by chance. Then most of its bytes are outside them or, in a double-byte charset, all
/// of its characters are everyday ones.
fn is_damaged_utf8(bytes: &[u8], other: Charset) -> bool {
    let count = SequenceCount::of(bytes);
    // A cut sequence of two or three bytes counts once.
    let cut = count.cut - unassigned_sequences(bytes);
    let (sequences, damage) = (count.within + cut, count.malformed);
    let is_everyday = || !other.is_single_byte() && damage > sequences && is_level1(other, bytes);
    is_character_tail(bytes) || sequences > 0 && damage <= 3 * sequences && !is_everyday()
}

/// Counts cut sequences that begin a character of the planes 4 to 15 (F1 to F3), which mail does not use: `\xF3\xBF` is `óż` in
/// windows-1250 and ISO-8859-2.
///
/// Exceptions are tags (F3 A0) and private emoji of old telephones (F3 BE).
fn unassigned_sequences(bytes: &[u8]) -> usize {
    let is_unassigned = |at: &Range<usize>| {
        let [first, second, ..] = bytes[at.clone()] else {
            return false;
        };
        matches!(first, 0xF1..=0xF3) && !(first == 0xF3 && matches!(second, 0xA0 | 0xBE))
    };
    malformed(bytes).filter(is_unassigned).count()
}

/// Returns true for text in `other` with UTF-8 sequences by chance: malformed ones outnumber them, and the text in `other` is faultless.
///
/// In a double-byte charset, all characters must be everyday ones. In longer text, three in four suffice.
fn is_legacy_by_utf8_chance(bytes: &[u8], other: Charset) -> bool {
    const MIN_MALFORMED: usize = 3;
    const MIN_HIGH_BYTES: usize = 6;
    const MANY_HIGH_BYTES: usize = 10;
    let count = SequenceCount::of(bytes);
    let is_enough = high_bytes(bytes).nth(MIN_HIGH_BYTES - 1).is_some();
    if count.malformed < MIN_MALFORMED || !is_enough && count.within > 0 {
        return false;
    }
    let text = decode_unlogged(other, bytes);
    if !other.is_single_byte() {
        let length = if is_enough { MIN_HIGH_BYTES / 2 } else { 2 };
        let mut words = text.split(|c: char| c.is_ascii());
        let is_mostly_everyday = count.within < count.malformed
            && high_bytes(bytes).nth(MANY_HIGH_BYTES - 1).is_some()
            && is_mostly_level1(other, bytes)
            && !detect::is_odd(bytes, other);
        return count.within < 2 * count.malformed
            && !is_character_tail(bytes)
            && (is_mostly_everyday || is_level1(other, bytes))
            && words.any(|word| word.chars().nth(length - 1).is_some());
    }
    // UTF-8 sequences are frequent in Thai.
    let factor = if other == Charset::WINDOWS_874 { 2 } else { 1 };
    is_enough
        && count.within < factor * count.malformed
        && is_foreign_script(&text)
        && mojibake_score(&text) == 0
}

/// Returns true if most characters above 7F are letters of another script than Latin, and none is a Latin letter.
fn is_foreign_script(text: &str) -> bool {
    let others = text.chars().filter(|c| !c.is_ascii());
    let letters = others.clone().filter(|c| is_alphabetic(*c));
    let is_latin = |c: char| matches!(c, '\u{80}'..='\u{24F}');
    3 * letters.clone().count() >= 2 * others.count() && !letters.clone().any(is_latin)
}

/// Returns true if the only high bytes are the end of a cut UTF-8 character at the start.
fn is_character_tail(bytes: &[u8]) -> bool {
    let length = bytes
        .iter()
        .take_while(|byte| matches!(byte, 0x80..=0xBF))
        .count();
    (1..=3).contains(&length) && bytes[length..].is_ascii()
}

/// Returns true if `other` decodes ASCII bytes as parts of characters, and there is too little text to prove it.
fn swallows_ascii(bytes: &[u8], other: Charset) -> bool {
    const MIN_HIGH_BYTES: usize = 4;
    const KANA: usize = 3;
    let is_text = bytes.iter().filter(|byte| !byte.is_ascii()).count() >= MIN_HIGH_BYTES;
    if other.is_single_byte() || is_text && is_level1(other, bytes) {
        return false;
    }
    let text = decode_unlogged(other, bytes);
    // Kana alone are a word. Damaged UTF-8 gives other characters.
    let is_kana = |c: char| matches!(c, '\u{3041}'..='\u{30FE}');
    if text.chars().filter(|c| is_kana(*c)).count() >= KANA && text.chars().all(is_kana) {
        return false;
    }
    bytes.iter().filter(|byte| byte.is_ascii()).count() > text.bytes().filter(u8::is_ascii).count()
}

/// Returns true if the only high bytes are the beginning of a cut UTF-8 character at the end, or before an ellipsis there.
fn ends_in_cut_character(label: Charset, bytes: &[u8]) -> bool {
    let before = || before_incomplete_character(before_ellipsis(bytes));
    label == Charset::UTF_8 && before().is_some_and(<[u8]>::is_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::encoded;
    use mailglot_codec::View;

    fn read(
        label: Charset,
        bytes: &[u8],
        message_charset: Option<&str>,
    ) -> Option<(&'static str, String)> {
        let mut log = LossLog::new();
        let text = label.decode(bytes, &mut log);
        let message_charset = message_charset.and_then(Charset::for_name);
        redecode(bytes, label, &text, &log, message_charset, None)
            .and_then(|verdict| verdict.read)
            .map(|read| (read.used.name(), read.text.into_owned()))
    }

    #[test]
    fn text_invalid_under_its_label_is_redecoded() {
        for (bytes, message_charset, want) in [
            (
                &b"Gr\xFC\xDFe aus K\xF6ln"[..],
                None,
                "Gr\u{fc}\u{df}e aus K\u{f6}ln",
            ),
            (b"caf\xE9", None, "caf\u{e9}"),
            (b"don\x92t", None, "don\u{2019}t"),
            (b"Foo \x96 bar", None, "Foo – bar"),
            (b"wait\x85 what", None, "wait… what"),
            (b"Acme\x99", None, "Acme™"),
            (b"from \x80 100 on", None, "from € 100 on"),
            (b"caf\xE9", Some("KOI8-R"), "caf\u{e9}"),
            (b"M\xFCller", Some("ISO-8859-2"), "M\u{fc}ller"),
            (
                b"\xF0\xD2\xC9\xD7\xC5\xD4",
                None,
                "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}",
            ),
            (b"\xE4\xC1", Some("KOI8-R"), "\u{414}\u{430}"),
            (b"\xC4\xE0", Some("windows-1251"), "\u{414}\u{430}"),
            (b"\x83e\x83X\x83g", None, "テスト"),
        ] {
            let read = read(Charset::UTF_8, bytes, message_charset).map(|(_, text)| text);
            assert_eq!(
                read.as_deref(),
                Some(want),
                "{} {message_charset:?}",
                bytes.escape_ascii()
            );
        }
    }

    #[test]
    fn one_letter_or_sign_in_a_usual_place_is_of_windows_1252() {
        for (bytes, message_charset, want) in [
            (&b"Re: \xC7a y est"[..], None, Some("Re: Ça y est")),
            (b"5 \xB0C", None, Some("5 °C")),
            (
                b"Word \xE8 Excel",
                Some("windows-1251"),
                Some("Word и Excel"),
            ),
            (b"domani \xE8 festa", None, Some("domani è festa")),
            (b"c'\xE8 posta", None, Some("c'è posta")),
            (b"\xC9 verdade", None, Some("É verdade")),
            (b"siete \xF3 ocho", None, Some("siete ó ocho")),
            (b"vi \xE5 se", Some("ISO-8859-1"), Some("vi å se")),
            (b"Norge \xE5", None, None),
            (b"\xC3 demain", None, None),
            // Other letters are no words, and a few characters are no text.
            (b"abcd \xFE efgh", None, None),
            (b"abcd \xC5 efgh", None, None),
            (b"a \xE8 b", None, None),
            (b"il pacco \xE8", None, None),
            (b"il pacco \xE8...", None, None),
            (b"\xC3\xA8 bello \xE8 festa", None, None),
            // F3 BF begins no character that mail uses.
            (b"r\xF3\xBFnic", None, Some("różnic")),
        ] {
            let found = read(Charset::UTF_8, bytes, message_charset).map(|(_, text)| text);
            assert_eq!(found.as_deref(), want, "{}", bytes.escape_ascii());
        }
    }

    /// Half-width katakana and damaged words keep their label.
    #[test]
    fn japanese_in_eight_bits_is_read_under_a_label_of_escapes() {
        for (bytes, want) in [
            (
                &b"\xC5\xC4\xC2\xBC\xC8\xFE\xBA\xE9"[..],
                Some(("EUC-JP", "田村美咲")),
            ),
            (b"\x8D_\x93c\x91\xBE\x98Y", Some(("Shift_JIS", "浩田太郎"))),
            (b"\xC0\xC5\xB3", None),
            (b"NTT\xB3\xF4", None),
            (b"\x1b$B;3\xE5ED\x1b(B", None),
        ] {
            let read = read(Charset::ISO_2022_JP, bytes, None);
            let read = read.as_ref().map(|(name, text)| (*name, &**text));
            assert_eq!(read, want, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn labels_of_seven_bits_say_nothing_about_eight() {
        for (label, bytes, want) in [
            ("gb", &b"\xC4\xE3\xBA\xC3"[..], Some(("GBK", "你好"))),
            ("gb", b"\xCD\xF5", Some(("GBK", "王"))),
            ("cn", b"\xCD\xF5", Some(("GBK", "王"))),
            ("gb", b"M\xFCller", Some(("windows-1252", "Müller"))),
            ("de", b"M\xFCller", Some(("windows-1252", "Müller"))),
            (
                "de",
                b"\xF0\xD2\xC9\xD7\xC5\xD4",
                Some(("KOI8-R", "Привет")),
            ),
            ("gb", b"M#ller", None),
            ("IBM037", b"\xFF\xC1", None),
        ] {
            let label = Charset::for_label(label.as_bytes(), View::Mail).charset();
            let label = label.expect("a known label");
            let read = read(label, bytes, None);
            let read = read.as_ref().map(|(name, text)| (*name, text.as_str()));
            assert_eq!(read, want, "{label} {}", bytes.escape_ascii());
        }
    }

    #[test]
    fn pairs_of_surrogates_are_characters() {
        for (bytes, want) in [
            (
                &b"Hallo \xED\xA0\xBD\xED\xB8\x80"[..],
                Some("Hallo \u{1F600}"),
            ),
            (
                b"\xC3\xBC \xED\xA0\xBD\xED\xB8\x80 \xF0\x9F\x98\x80",
                Some("ü \u{1F600} \u{1F600}"),
            ),
            (b"\xC3\xBC \xED\xA0\xBD\xED\xB8\x80", Some("ü \u{1F600}")),
            // One surrogate, the low one first, another error.
            (b"Hallo \xED\xA0\xBD", None),
            (b"Hallo \xED\xB8\x80\xED\xA0\xBD", None),
            (b"\xED\xA0\xBD\xED\xB8\x80 \xED\xA0\xBD", None),
        ] {
            let found = read(Charset::UTF_8, bytes, None);
            let want = want.map(|text| ("CESU-8", text));
            let found = found.as_ref().map(|(name, text)| (*name, text.as_str()));
            assert_eq!(found, want, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn utf8_is_not_rewritten() {
        for bytes in [
            "Größe und mehr".as_bytes(),
            b"Gr\xC3",
            b"die gro\xC3",
            b"Re: \xE6\x97",
            b"Re: \xE6",
            b"\xD0",
            b"don\xE2",
            b"(\xC3)",
            b"red\x9B31m",
            b"\xFF",
            b"\xF0\x9F\x98",
            b"plain",
            &"日本語のテキスト".as_bytes()[..8],
            b"Gr\xC3\xB6\xC3 e",
            b"an die B\xC3",
            b"\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
            b"\xBCr",
            b"\xCF\x81\xCE!\xB1",
            b"x\x81@",
            b"\xE2\x82 \xAC",
        ] {
            assert_eq!(
                read(Charset::UTF_8, bytes, None),
                None,
                "{}",
                bytes.escape_ascii()
            );
        }
        assert_eq!(read(Charset::GBK, b"\xC4\xE3\xBA\xC3 \xFF", None), None);
    }

    #[test]
    fn rare_characters_beside_everyday_ones_are_of_a_double_byte_charset() {
        for (charset, text) in [
            ("GBK", "朱镕基讲话，谢谢您的订单。"),
            ("windows-949", "고객님의 햏주문이 발송되었습니다"),
            ("Shift_JIS", "①お客様へのご案内"),
            ("EUC-JP", "侂様へのご案内"),
        ] {
            let bytes = encoded(charset, text);
            let expected = Some((charset, text.to_owned()));
            assert_eq!(read(Charset::UTF_8, &bytes, None), expected, "{text}");
        }
        // GBK decodes the four bytes of GB18030, too.
        let text = "您的订单😀已经发出";
        let expected = Some(("GBK", text.to_owned()));
        let bytes = encoded("GB18030", text);
        assert_eq!(read(Charset::UTF_8, &bytes, None), expected);
        // Damaged UTF-8 makes odd text of everyday characters.
        for text in [
            "Формат времени",
            "Блокировать привод",
            "Προκαθορισμένη οθόνη",
        ] {
            let bytes: Vec<u8> = text
                .chars()
                .enumerate()
                .flat_map(|(at, c)| {
                    let mut bytes = c.to_string().into_bytes();
                    bytes.truncate(if at % 3 == 0 { bytes.len() } else { 1 });
                    bytes
                })
                .collect();
            assert_eq!(read(Charset::UTF_8, &bytes, None), None, "{text}");
        }
    }

    #[test]
    fn one_byte_is_no_evidence_for_a_rare_charset() {
        for (bytes, want) in [
            (&b"\xF0ab"[..], Some(("windows-1252", "ðab"))),
            (b"fo\x8Fbar", None),
            (b"caf\xE9", Some(("windows-1252", "café"))),
            (b"Ku\xF8e", Some(("windows-1250", "Kuře"))),
            (b"f\x9Fr", Some(("macintosh", "für"))),
            (b"[Ren\x82]", Some(("IBM852", "[René]"))),
        ] {
            let found = read(Charset::UTF_8, bytes, None);
            let found = found.as_ref().map(|(name, text)| (*name, text.as_str()));
            assert_eq!(found, want, "{}", bytes.escape_ascii());
        }
    }

    /// Removes a byte of each sequence, adds one, or splits it by an ASCII byte: the rest stays UTF-8 and ASCII.
    #[test]
    fn damaged_utf8_stays_utf8() {
        for text in [
            "Gr\u{fc}\u{df}e aus K\u{f6}ln",
            "\u{3c1}\u{3b1}\u{3b2}",
            "\u{1f469}\u{200d}\u{1f467}",
            "\u{65e5}\u{672c}\u{8a9e}",
            "\u{44f}\u{431}\u{43b}\u{43e}",
        ] {
            let bytes = text.as_bytes();
            for at in (0..bytes.len()).filter(|at| !bytes[*at].is_ascii()) {
                let less = [&bytes[..at], &bytes[at + 1..]].concat();
                let more = [&bytes[..at], b"!", &bytes[at..]].concat();
                for damaged in [less, more, bytes[..=at].to_vec(), bytes[at..].to_vec()] {
                    if std::str::from_utf8(&damaged).is_err() {
                        assert_eq!(
                            read(Charset::UTF_8, &damaged, None),
                            None,
                            "{}",
                            damaged.escape_ascii()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn legacy_text_with_a_sequence_of_utf8_by_chance_is_read() {
        for (charset, text) in [
            ("GBK", "小明你好，请看附件"),
            (
                "windows-1251",
                "Приветствую всех, её здесь нет. Пишите письма",
            ),
            (
                "ISO-8859-1",
                "Ärger über Öl: CAFÉ® in Köln, schöne Grüße, Müller, größer, Bücher",
            ),
        ] {
            let bytes = encoded(charset, text);
            assert_eq!(
                read(Charset::UTF_8, &bytes, None)
                    .map(|(_, text)| text)
                    .as_deref(),
                Some(text)
            );
        }
    }
}
