//! Undoes damage that other programs did to header text, if the repair is provable.
//!
//! Each repair examines one unit (a word, an entity, a shifted sequence), so a text and its pieces are repaired alike. A repair
//! must reproduce the damaged text when reversed, and must make a likelier text: `CAFÉ®` is three letters of UTF-8, too.
//!
//! # Limits
//!
//! Keeps a single letter that makes as good a word damaged (`OPTIÄŒNA`). Repairs symbols beside an `Ã` or `Â` without a letter.
//! Keeps UTF-8 that was misread in other charsets than windows-1252 and ISO-8859-1, and damage that lost a byte (a no-break space
//! that became a space). Keeps entities for ASCII: their characters would be syntax.

use super::controls::is_control;
use super::damage_signs::{find_misread, may_be_damaged};
use super::html_entity::first_entity;
use crate::charset_choice::utf8_outweighs_label;
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::policy::Repairs;
use mailglot_codec::{Charset, LossLog, Unmappable};
use std::borrow::Cow;
use std::ops::Range;

/// Returns true for the kinds of events that report a repair.
pub(crate) fn is_repair(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::EwMojibake | EventKind::EwEntity | EventKind::EwLostEscape | EventKind::EwNested
    )
}

/// A repair of texts. Those of nested words need the reader.
struct TextRepair {
    /// The kind of the event that reports the repair.
    kind: EventKind,
    /// The detail of the event that reports the damage if nobody asked for the repair.
    damage: Reason,
    /// Returns true if the repair is enabled.
    is_enabled: fn(Repairs) -> bool,
    /// Returns true if a text may have such damage. Fast.
    may_occur: fn(&str) -> bool,
    /// True if the damage may occur only in texts without syntax.
    needs_free_text: bool,
    /// Returns the repaired text and the number of repairs.
    repair: fn(&str) -> (String, u64),
    /// Returns the number of repairs that are beyond doubt.
    count: fn(&str) -> u64,
}

/// The repairs, in the order in which they run.
const TEXT_REPAIRS: [TextRepair; 3] = [
    TextRepair {
        kind: EventKind::EwLostEscape,
        damage: Reason::RepairableEscapes,
        is_enabled: |repairs| repairs.escapes,
        may_occur: |text| text.contains('$'),
        needs_free_text: true,
        repair: lost_escapes,
        count: |text| lost_escapes(text).1,
    },
    TextRepair {
        kind: EventKind::EwEntity,
        damage: Reason::RepairableEntities,
        is_enabled: |repairs| repairs.entities,
        may_occur: |text| text.contains('&'),
        needs_free_text: true,
        repair: entities,
        count: |text| entities(text).1,
    },
    TextRepair {
        kind: EventKind::EwMojibake,
        damage: Reason::RepairableMojibake,
        is_enabled: |repairs| repairs.mojibake,
        may_occur: |text| !text.is_ascii(),
        needs_free_text: false,
        repair: mojibake,
        count: count_misread,
    },
];

impl TextRepair {
    fn may_apply(&self, text: &str, is_free: bool) -> bool {
        (is_free || !self.needs_free_text) && (self.may_occur)(text)
    }
}

/// Returns the repaired text and reports each kind of damage. `free` means that the text has no syntax, so entities and shifted
/// sequences may occur.
pub(crate) fn repaired<'t>(
    mut text: Cow<'t, str>,
    repairs: Repairs,
    free: bool,
    at: &Range<usize>,
    findings: &mut Vec<Finding>,
) -> Cow<'t, str> {
    for step in &TEXT_REPAIRS {
        if (step.is_enabled)(repairs) && step.may_apply(&text, free) {
            let (restored, count) = (step.repair)(&text);
            if count > 0 {
                findings.add_counted(at.clone(), step.kind, Detail::None, count);
                text = Cow::Owned(restored);
            }
        }
    }
    text
}

/// Reports each kind of damage in a text that an enabled repair would undo, and that `repairs` keep.
pub(crate) fn report_repairable(
    text: &str,
    repairs: Repairs,
    is_free: bool,
    at: &Range<usize>,
    findings: &mut Vec<Finding>,
) {
    if !may_be_damaged(text.as_bytes()) {
        return;
    }
    for step in &TEXT_REPAIRS {
        if !(step.is_enabled)(repairs) && step.may_apply(text, is_free) {
            let count = (step.count)(text);
            if count > 0 {
                findings.add_counted(at.clone(), EventKind::EwRepairable, step.damage, count);
            }
        }
    }
}

/// Undoes misread UTF-8 in each non-ASCII stretch as long as the word gets likelier. Returns the number of stretches.
fn mojibake(text: &str) -> (String, u64) {
    let (mut out, mut count) = (String::with_capacity(text.len()), 0);
    for word in text.split_inclusive(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric()) {
        if word.is_ascii() {
            out.push_str(word);
            continue;
        }
        // A value may be cut after the end of a word, so its end proves nothing.
        let end = word
            .trim_end_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric())
            .len();
        let (restored, stretches) = undo_misread_word(&word[..end]);
        count += stretches;
        out.push_str(&restored);
        out.push_str(&word[end..]);
    }
    (out, count)
}

/// Returns the number of misread stretches, like [`mojibake`], but 0 if each may be a letter before a sign. Fast: examines only words
/// with a sign of damage.
pub(crate) fn count_misread(text: &str) -> u64 {
    let is_border = |b: &u8| b.is_ascii() && !b.is_ascii_alphanumeric();
    let bytes = text.as_bytes();
    let (mut count, mut is_sure, mut at) = (0, false, 0);
    while let Some(found) = find_misread(bytes, at) {
        let start = bytes[at..found].iter().rposition(is_border);
        let start = start.map_or(at, |border| at + border + 1);
        let end = bytes[found..].iter().position(is_border);
        at = end.map_or(bytes.len(), |border| found + border);
        let word = &text[start..at];
        let stretches = undo_misread_word(word).1;
        count += stretches;
        is_sure |= stretches > 0 && !may_be_capitals_before_sign(word);
    }
    if is_sure { count } else { 0 }
}

/// Returns true for capitals that end in a letter and a sign, such as `AMANHÃ…` (`AMANHÅ` to a repair) and `MÃ”`.
fn may_be_capitals_before_sign(word: &str) -> bool {
    /// Signs that stand directly after a word.
    const SIGNS: &str = "…‘’“”„«»‹›–—•®™\u{a0}";
    let mut chars = word.chars().rev();
    let is_sign = chars.next().is_some_and(|c| SIGNS.contains(c));
    let is_capital = chars.next().is_some_and(char::is_uppercase);
    let mut start = chars.peekable();
    is_sign && is_capital && start.peek().is_some() && start.all(|c| c.is_ascii_uppercase())
}

/// Undoes misreading as long as the word gets likelier. Returns the word and the number of its stretches.
fn undo_misread_word(word: &str) -> (Cow<'_, str>, u64) {
    let (mut best, mut count) = (Cow::Borrowed(word), 0);
    let mut now = Cow::Borrowed(word);
    // Each pass makes the word shorter.
    while let Some(unread_word) = undo_misread_stretches(&now) {
        if !unread_word.text.chars().any(is_control) {
            if !unread_word.is_likelier() {
                break;
            }
            best = Cow::Owned(unread_word.text.clone());
            count = count.max(unread_word.count);
        }
        now = Cow::Owned(unread_word.text);
    }
    (best, count)
}

/// A word after one pass over its non-ASCII stretches.
struct UnreadWord {
    text: String,
    /// Number of stretches.
    count: u64,
    /// True if a stretch has enough letters to rule out chance.
    is_long: bool,
}

impl UnreadWord {
    /// Returns true if the sender probably wrote this. Much undamaged text can be reversed too (`CAFÉ®`), so that alone proves
    /// nothing.
    fn is_likelier(&self) -> bool {
        self.is_long
            || utf8_outweighs_label(
                Some(Charset::WINDOWS_1252),
                self.text.as_bytes(),
                &self.text,
            )
    }
}

/// Number of letters in a row that misread symbols do not form by chance.
const LETTERS: usize = 3;

/// Undoes misreading of each non-ASCII stretch. Returns None if one stretch was not misread, since damage affects whole words.
fn undo_misread_stretches(word: &str) -> Option<UnreadWord> {
    let mut unread_word = UnreadWord {
        text: String::with_capacity(word.len()),
        count: 0,
        is_long: false,
    };
    let mut rest = word;
    while !rest.is_empty() {
        let ascii = rest
            .bytes()
            .position(|b| !b.is_ascii())
            .unwrap_or(rest.len());
        unread_word.text.push_str(&rest[..ascii]);
        rest = &rest[ascii..];
        let end = rest
            .bytes()
            .position(|b| b.is_ascii())
            .unwrap_or(rest.len());
        let (stretch, after) = rest.split_at(end);
        if !stretch.is_empty() {
            let read = undo_misreading(stretch, windows_1252)
                .or_else(|| undo_misreading(stretch, latin_1))?;
            unread_word.is_long |=
                read.chars().all(char::is_alphabetic) && read.chars().nth(LETTERS - 1).is_some();
            unread_word.text.push_str(&read);
            unread_word.count += 1;
        }
        rest = after;
    }
    (unread_word.count > 0).then_some(unread_word)
}

/// Returns the text whose UTF-8 bytes a single-byte charset decodes to `text`. Each character stands for one byte, so this is
/// exact.
fn undo_misreading(text: &str, byte: fn(char) -> Option<u8>) -> Option<String> {
    let bytes = text.chars().map(byte).collect::<Option<Vec<u8>>>()?;
    let read = String::from_utf8(bytes).ok()?;
    // Text that was misread twice has the C1 controls for which windows-1252 has no characters.
    let is_hole = |c: char| matches!(c, '\u{81}' | '\u{8d}' | '\u{8f}' | '\u{90}' | '\u{9d}');
    let plausible = |c: char| {
        !c.is_ascii() && (!is_control(c) || is_hole(c)) && c != char::REPLACEMENT_CHARACTER
    };
    (!read.is_empty() && read.chars().all(plausible)).then_some(read)
}

fn latin_1(c: char) -> Option<u8> {
    u8::try_from(u32::from(c)).ok()
}

/// The characters 80 to 9F of windows-1252.
const HIGH: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Encodes by the WHATWG table, where five undefined bytes map to controls.
fn windows_1252(c: char) -> Option<u8> {
    if matches!(c, '\u{81}' | '\u{8d}' | '\u{8f}' | '\u{90}' | '\u{9d}' | '\u{a0}'..='\u{ff}' | '\0'..='\x7f')
    {
        return latin_1(c);
    }
    HIGH.chars()
        .position(|high| high == c)
        .map(|n| 0x80 + n as u8)
}

/// Returns the length of one UTF-8 sequence, misread as windows-1252 or ISO-8859-1, at the start of a text; 0 without one.
pub(super) fn misread_length(text: &str) -> usize {
    let count = match text.chars().next().map(u32::from) {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        _ => return 0,
    };
    let length = text.chars().take(count).map(char::len_utf8).sum();
    let sequence = &text[..length];
    let is_one =
        |byte| undo_misreading(sequence, byte).is_some_and(|read| read.chars().count() == 1);
    if is_one(windows_1252) || is_one(latin_1) {
        length
    } else {
        0
    }
}

/// Replaces entities by their characters; returns their number.
fn entities(text: &str) -> (String, u64) {
    let (mut out, mut count) = (String::with_capacity(text.len()), 0);
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = first_entity(rest.as_bytes()).unwrap_or(('&', 1));
        count += u64::from(c != '&');
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    (out, count)
}

/// Restores escape characters (RFC 1468) if that gives Japanese text that encodes to these bytes. Returns the number of sequences.
pub(crate) fn lost_escapes(text: &str) -> (String, u64) {
    let (mut out, mut count) = (String::with_capacity(text.len()), 0);
    let (mut at, mut done) = (0, 0);
    let mut ends = [PairEnds::default(); 2];
    while let Some(start) = memchr::memchr(b'$', &text.as_bytes()[at..]).map(|n| at + n) {
        at = start + 1;
        if let Some(end) = ends[start % 2].of(text.as_bytes(), start)
            && let Some(japanese) = shifted(&text.as_bytes()[start..end])
        {
            out.push_str(&text[done..start]);
            out.push_str(&japanese);
            count += 1;
            (at, done) = (end, end);
        }
    }
    out.push_str(&text[done..]);
    (out, count)
}

/// Caches the ends of pair sequences, for odd or for even start offsets. Each byte is examined once.
#[derive(Clone, Copy, Default)]
struct PairEnds {
    /// Offset up to which the end is known.
    known: usize,
    /// Offset after the escape back to ASCII; None if the pairs end otherwise.
    after: Option<usize>,
    /// Number of lookups with this end.
    asked: usize,
}

impl PairEnds {
    /// Maximum number of lookups with one end. A sequence may begin in what looks like another one.
    const MOST: usize = 4;

    /// Returns the offset after the sequence at `start`, if it has two pairs or more. A single pair may be anything.
    fn of(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        if !matches!(bytes.get(start + 1), Some(b'B' | b'@')) {
            return None;
        }
        if start + 2 > self.known {
            let pairs = bytes[start + 2..].chunks_exact(2);
            let is_back = |pair: &[u8]| matches!(pair, [b'(', b'B' | b'J']);
            let is_pair =
                |pair: &&[u8]| !is_back(pair) && pair.iter().all(|b| (0x21..=0x7E).contains(b));
            let stop = start + 2 + 2 * pairs.take_while(is_pair).count();
            let after = bytes
                .get(stop..stop + 2)
                .filter(|pair| is_back(pair))
                .map(|_| stop + 2);
            *self = Self {
                known: stop,
                after,
                asked: 0,
            };
        }
        self.asked += 1;
        self.after
            .filter(|after| self.asked <= Self::MOST && after - start >= 8)
    }
}

/// Decodes `$B…(B`; returns None if it is not Japanese.
fn shifted(whole: &[u8]) -> Option<String> {
    let end = whole.len() - 2;
    let pairs = &whole[2..end];
    if !is_japanese(pairs) {
        return None;
    }
    let with = [b"\x1b", &whole[..end], b"\x1b", &whole[end..]].concat();
    let japanese = Charset::ISO_2022_JP;
    let mut log = LossLog::new();
    let read = japanese.decode(&with, &mut log).into_owned();
    let mut back = japanese
        .encode(&read, Unmappable::Skip, &mut log)
        .into_owned();
    back.retain(|&b| b != 0x1B);
    // `$@` and `(J` are older names of the same sets.
    let is_same = back.len() == whole.len() && &back[2..end] == pairs;
    let script = |c: char| matches!(c, '\u{3000}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{FF01}'..='\u{FF5E}');
    (log.losses() == 0 && is_same && read.chars().any(script)).then_some(read)
}

/// Returns true if pairs look like Japanese text rather than like ASCII.
///
/// Japanese text has kana, or hardly any rare characters of level 2 (JIS X 0208), which lower-case ASCII gives. It does not consist
/// of letters alone or digits alone.
fn is_japanese(pairs: &[u8]) -> bool {
    let leads = || pairs.iter().step_by(2);
    let seldom = leads().filter(|lead| (0x50..=0x7E).contains(*lead)).count();
    let has_kana = leads().any(|lead| matches!(lead, b'$' | b'%'));
    let is_any = |kind: fn(&u8) -> bool| pairs.iter().any(kind);
    // A few letters with digits are a product name.
    let is_mixed = is_any(u8::is_ascii_punctuation) && is_any(u8::is_ascii_alphanumeric)
        || is_any(u8::is_ascii_alphabetic) && is_any(u8::is_ascii_digit) && pairs.len() >= 12;
    8 * seldom <= pairs.len() && (has_kana || is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> String {
        repaired(text.into(), Repairs::ALL, true, &(0..0), &mut Vec::new()).into_owned()
    }

    #[test]
    fn damage_is_undone() {
        for (damaged, want) in [
            ("GrÃ¼ÃŸe", "Grüße"),
            ("GrÃƒÂ¼ÃƒÅ¸e", "Grüße"),
            ("donâ€™t \u{e2}\u{80}\u{99}", "don’t ’"),
            ("ÐŸÑ€Ð¸Ð²ÐµÑ‚", "Привет"),
            ("é Ã¼", "é ü"),
            ("Gr&uuml;&#223;e &#x20AC; &#150; &euro;", "Grüße € – €"),
            ("Re: $B%F%9%H(B $BF|K\\(B!", "Re: テスト 日本!"),
            ("$BF|K\\$BF|K\\$BF|K\\(B", "日本ぢ日本ぢ日本"),
            ("$Bonus$B%F%9%H(B", "$Bonusテスト"),
            ("â€\u{9d} ÃƒÂ© Ã¢â‚¬Â\u{9d} hÃ©lÃ¨ne", "” é ” hélène"),
            ("ãƒ†ã‚¹ãƒˆ ×˜×¤×¤", "テスト טפפ"),
        ] {
            assert_eq!(all(damaged), want, "{damaged}");
            assert_eq!(all(want), want, "nothing is left");
        }
    }

    #[test]
    fn undamaged_text_stays() {
        for text in [
            "",
            "plain",
            "Grüße",
            "Ã",
            "Ãx¼",
            "日本 Ã",
            "AT&T; &amp;uuml; &lt; &#65; &#x0; &#xD800; &#+252; &foo; &",
            "&#65534;",
            "$100 $B( $Bxy $B%F(B $B%F%9%",
            "$B~~~~(B",
            "cost $Bonds(B)",
            "$Boxes(Big)",
            "$BEEF(B) $B1234(B",
            "NESCAFÉ®",
            "«CAFÉ»",
            "CAFÉ™",
            "QUALITÉ\u{a0}: haute",
            "PURÉ²",
            "MARCHÉ«",
            "ÉTÉ…",
            "ÜZÜ® Ã¼É",
            "\u{fffd}",
        ] {
            assert_eq!(all(text), text, "{text}");
        }
        let damaged = "Ã¼ &uuml; $B%F%9%H(B";
        let mut found = Vec::new();
        let same = repaired(
            damaged.into(),
            Repairs::default(),
            true,
            &(3..9),
            &mut found,
        );
        assert_eq!((&*same, found.len()), (damaged, 0));
        let half = repaired(damaged.into(), Repairs::ALL, false, &(3..9), &mut found);
        assert_eq!(half, "ü &uuml; $B%F%9%H(B");
        let mojibake = Finding::new(3..9, EventKind::EwMojibake, Detail::None);
        assert_eq!(found, [mojibake]);
    }

    #[test]
    fn every_character_comes_back_from_both_charsets() {
        let mut high = ['\0'; 0x80];
        for c in '\u{80}'..='\u{2122}' {
            if let Some(byte) = windows_1252(c) {
                high[usize::from(byte) - 0x80] = c;
            }
        }
        let as_windows = |b: u8| {
            if b < 0x80 {
                char::from(b)
            } else {
                high[usize::from(b) - 0x80]
            }
        };
        // A repair never produces controls or ASCII.
        for c in ('\u{a0}'..=char::MAX)
            .filter(|&c| !is_control(c) && c != '\u{fffd}')
            .step_by(7)
        {
            let text = c.to_string();
            let latin: String = text.bytes().map(char::from).collect();
            assert_eq!(undo_misreading(&latin, latin_1).as_ref(), Some(&text));
            let windows: String = text.bytes().map(as_windows).collect();
            assert_eq!(
                undo_misreading(&windows, windows_1252),
                Some(text),
                "{windows}"
            );
        }
    }

    #[test]
    fn each_byte_is_examined_a_few_times() {
        for unit in [
            "$B", "$B(B", "$", "$B$", "$Bon(B", "$B%F", "Ã¼", "Ã¼ ", "É®x", "&",
        ] {
            crate::linear::assert_linear(&unit, 20_000, |n| {
                let _ = all(&unit.repeat(n));
            });
        }
        assert_eq!(
            all(&format!("{}(B", "$B".repeat(9_000))),
            "ぢ".repeat(8_999)
        );
    }

    #[test]
    fn table_matches_the_charset() {
        for c in '\u{a0}'..='\u{2122}' {
            let mut log = LossLog::new();
            let text = c.to_string();
            let bytes = Charset::WINDOWS_1252.encode(&text, Unmappable::Skip, &mut log);
            let want = if log.is_empty() {
                bytes.first().copied()
            } else {
                None
            };
            assert_eq!(windows_1252(c), want, "U+{:04X}", u32::from(c));
        }
    }
}
