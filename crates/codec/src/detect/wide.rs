//! Detects UTF-16 and UTF-32 without a byte order mark.
//!
//! If the high bytes of most units are NUL, their positions prove it. Otherwise (East Asia, alphabets without spaces) units count as text
//! only if adjacent ones are letters of one script, in East Asia everyday ones. Bytes without a NUL or another control that no text
//! has are not tested.
//!
//! # Limits
//! Reads only the beginning. Does not detect text without control bytes, with few letters among other characters, or of ASCII pairs.

use super::cost::NAT;
use super::models::{HAS_MODELS, Model, Models};
use super::priors::Priors;
use super::score::{self, Scored};
use crate::charset::Charset;
use crate::generated::languages::LANGUAGES;
use crate::loss::LossLog;
use crate::utf8::is_utf8;
use crate::utf16::Order;
use crate::{utf16, utf32};
use std::borrow::Cow;
use std::cell::OnceCell;

/// Bytes that the structure is read from.
const WINDOW: usize = 1024;

/// Cost of UTF-16 without a byte order mark and NULs, which is rare in mail.
const WIDE: u32 = 5 * NAT;

/// Letters that prove something.
const LEAST: u32 = 4;

/// Maximum mean cost of an East Asian character in a text, in sixteenths of a nat.
const EVERYDAY: u32 = 144;

/// Scores UTF-16 by its text, scaled to the `measure` bytes of the sample that other charsets are scored on.
pub(super) fn by_text(bytes: &[u8], measure: usize, priors: &Priors) -> Vec<Scored> {
    let window = whole(Charset::UTF_16LE, &bytes[..bytes.len().min(WINDOW / 4)]);
    let window = &*without_ascii_blanks(window);
    let damage = if bytes.len().is_multiple_of(2) {
        0
    } else {
        WIDE
    };
    if window.is_empty() || !window.iter().any(|b| *b < b' ' || *b >= 0x7F) {
        return Vec::new();
    }
    // Of repeated words the sample has one.
    let share = |cost: u32| (u64::from(cost) * measure as u64 / window.len() as u64) as u32;
    let scored = |charset: Charset| {
        let mut log = LossLog::with_limit(0);
        let text = charset.decode(window, &mut log);
        let sound = log.is_empty() && !text.contains('\0');
        sound.then(|| Scored {
            charset,
            cost: share(score::unicode_cost(&text, priors)) + WIDE + damage,
            text: charset.index() as u64,
        })
    };
    [Charset::UTF_16BE, Charset::UTF_16LE]
        .into_iter()
        .filter_map(scored)
        .collect()
}

/// Returns `window` without units that may as well be a space beside ASCII, if it has no NUL: they are no evidence for UTF-16.
/// Two spaces are U+2020, and a space and an ampersand are U+2026 or U+2620.
fn without_ascii_blanks(window: &[u8]) -> Cow<'_, [u8]> {
    let is_blank = |unit: &[u8]| unit.is_ascii() && unit.contains(&b' ');
    if window.contains(&0) || !window.chunks_exact(2).any(is_blank) {
        return window.into();
    }
    let units = window.chunks_exact(2).filter(|unit| !is_blank(unit));
    units.flatten().copied().collect::<Vec<u8>>().into()
}

/// Returns true if a quarter of the bytes are controls that no text has, as in UTF-16.
pub(super) fn has_many_controls(bytes: &[u8]) -> bool {
    let window = &bytes[..bytes.len().min(WINDOW)];
    window.iter().filter(|b| is_unused_control(**b)).count() * 4 >= window.len().max(4)
}

/// Returns true if a byte is a control that no text has.
fn is_unused_control(byte: u8) -> bool {
    byte.is_ascii_control() && !byte.is_ascii_whitespace() && byte != 0x1B
}

/// Returns true if any byte is a control that no text has.
pub(super) fn has_unused_control(bytes: &[u8]) -> bool {
    // Without branches, so that compilers make vector code of the loop over a block.
    let may_be_unused = |b: &u8| {
        (u8::from(*b < 0x20) & u8::from(*b != b'\n') & u8::from(*b != b'\r')) | u8::from(*b == 0x7F)
    };
    bytes.chunks(256).any(|block| {
        block.iter().fold(0, |found, b| found | may_be_unused(b)) > 0
            && block.iter().any(|b| is_unused_control(*b))
    })
}

/// Detects UTF-32 by the positions of its NUL bytes, and UTF-16 by these or by its letters.
pub(super) fn proven(bytes: &[u8]) -> Option<Charset> {
    let window = &bytes[..bytes.len().min(WINDOW)];
    if !has_unused_control(window) {
        return None;
    }
    if bytes.len().is_multiple_of(4) {
        match (
            utf32::valid(window, Order::Big),
            utf32::valid(window, Order::Little),
        ) {
            (true, false) => return Some(Charset::UTF_32BE),
            (false, true) => return Some(Charset::UTF_32LE),
            _ => {}
        }
    }
    let bytes_are_text = OnceCell::new();
    let proves = |order: Order, is_guessed: bool| {
        let high = usize::from(order == Order::Little);
        // Zero high bytes stand on one side only; low ones are zero in a few letters.
        let zeros = |side: usize| {
            window
                .iter()
                .skip(side)
                .step_by(2)
                .filter(|b| **b == 0)
                .count()
        };
        let (count, others) = (zeros(high), zeros(1 - high));
        // An odd number of bytes is damage. Then the text counts as UTF-16 only with many NULs, as ASCII letters give.
        let is_whole = bytes.len().is_multiple_of(2) || count * 4 >= window.len().max(8);
        // An emoji or an ideographic space has a low byte that is zero.
        let clear = is_guessed && others * 16 <= count && count * 8 >= window.len() * 3;
        let is_bytes = || *bytes_are_text.get_or_init(|| is_bytes(bytes));
        (clear || is_whole && !is_bytes() && are_letters(window, order))
            && !has_ascii_pairs(window, high)
    };
    match utf16::guess(window) {
        Some(order) => proves(order, true).then_some(order),
        None if window.len() < 2 * LEAST as usize => None,
        None => match (proves(Order::Big, false), proves(Order::Little, false)) {
            (true, false) => Some(Order::Big),
            (false, true) => Some(Order::Little),
            _ => None,
        },
    }
    .map(named)
}

/// Returns UTF-16 in this byte order.
fn named(order: Order) -> Charset {
    match order {
        Order::Big => Charset::UTF_16BE,
        Order::Little => Charset::UTF_16LE,
    }
}

/// Two letters of ASCII look like an ideograph, but a space or line end before a letter like nothing in use.
fn has_ascii_pairs(window: &[u8], high: usize) -> bool {
    let mut units = window.chunks_exact(2);
    units.any(|unit| {
        matches!(unit[high], b'\n' | b'\r' | b' ') && unit[1 - high].is_ascii_alphabetic()
    })
}

/// Returns true if bytes with a few controls or NULs are ASCII or UTF-8 text.
fn is_bytes(bytes: &[u8]) -> bool {
    if bytes.is_ascii() {
        !has_many_controls(bytes)
    } else {
        is_utf8(bytes)
    }
}

/// Returns true if units are adjacent letters of one script, with spaces and punctuation.
fn are_letters(window: &[u8], order: Order) -> bool {
    let charset = named(order);
    let text = charset.decode(whole(charset, window), &mut LossLog::with_limit(0));
    let mut counts = [0_u32; 0x102];
    let (mut letters, mut odd) = (0, 0);
    for c in text.chars() {
        match CharacterKind::of(c) {
            CharacterKind::Sign => {}
            CharacterKind::Odd => odd += 1,
            CharacterKind::Letter(group) => {
                letters += 1;
                counts[usize::from(group)] += 1;
            }
        }
    }
    let (group, most) = (0_u16..)
        .zip(counts)
        .max_by_key(|(_, count)| *count)
        .unwrap_or_default();
    // Fewer letters suffice if all other characters are white space or punctuation.
    let together = most * 8 >= letters * 7
        && odd * 16 <= letters
        && (most >= LEAST || odd == 0 && most == letters && window.contains(&0));
    together && most > 0 && (group != EAST_ASIA || is_everyday(&text))
}

/// Returns true if East Asian characters are everyday ones.
fn is_everyday(text: &str) -> bool {
    if !HAS_MODELS {
        return false;
    }
    let wide = || {
        text.chars()
            .filter(|c| CharacterKind::of(*c) == CharacterKind::Letter(EAST_ASIA))
    };
    let languages = LANGUAGES
        .iter()
        .enumerate()
        .map(|(index, _)| Models::get().language(index));
    let cost = |model: &Model| match model {
        Model::Han(characters) => Some(wide().map(|c| characters.cost(c)).sum::<u32>()),
        Model::Letters(_) => None,
    };
    languages
        .filter_map(cost)
        .min()
        .is_some_and(|cost| cost <= EVERYDAY * wide().count() as u32)
}

/// The group of East Asian letters.
const EAST_ASIA: u16 = 0x100;
/// The group of Latin letters beyond Latin-1.
const LATIN: u16 = 0x101;

/// The kind of a character in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterKind {
    /// ASCII, Latin-1, punctuation, emoji: occurs beside any letter.
    Sign,
    /// A character that hardly any text has.
    Odd,
    /// A letter of a group, or of the block with this high byte.
    Letter(u16),
}

impl CharacterKind {
    fn of(c: char) -> Self {
        match c {
            '\t'
            | '\n'
            | '\r'
            | '\u{C}'
            | ' '..='~'
            | '\u{A0}'..='\u{FF}'
            | '\u{200B}'..='\u{205E}' => Self::Sign,
            '\u{2066}'..='\u{206F}'
            | '\u{20A0}'..='\u{20BF}'
            | '\u{2100}'..='\u{27BF}'
            | '\u{1F000}'..='\u{1FAFF}' => Self::Sign,
            '\u{3000}'..='\u{303F}' | '\u{FF01}'..='\u{FFEE}' | '\u{FE00}'..='\u{FE4F}' => {
                Self::Sign
            }
            '\u{100}'..='\u{36F}' | '\u{1E00}'..='\u{1EFF}' => Self::Letter(LATIN),
            '\u{3041}'..='\u{33FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => {
                Self::Letter(EAST_ASIA)
            }
            '\u{1F00}'..='\u{1FFF}' => Self::Letter(3),
            '\u{370}'..='\u{1EFF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => {
                Self::Letter(c as u16 >> 8)
            }
            '\u{3400}'..='\u{4DBF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => {
                Self::Letter(EAST_ASIA)
            }
            _ => Self::Odd,
        }
    }
}

/// The bytes without half a unit at their end.
pub(super) fn whole(charset: Charset, bytes: &[u8]) -> &[u8] {
    let is_wide = [Charset::UTF_16BE, Charset::UTF_16LE].contains(&charset);
    &bytes[..if is_wide {
        bytes.len() & !1
    } else {
        bytes.len()
    }]
}

#[cfg(test)]
mod tests {
    use super::super::structure;
    use super::*;

    const TEXTS: [&str; 9] = [
        "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で",
        "道可道，非常道。名可名，非常名。无名天地之始；有名万物之母。故常无，欲以观其妙；常有，欲以观其徼。",
        "편지 보내 주셔서 감사합니다. 다음 주에 서울에 가는데 저녁에 시간이 있으시면 만나 뵙고 싶습니다.",
        "ขอบคุณสำหรับจดหมายของคุณสัปดาห์หน้าฉันจะไปกรุงเทพ",
        "Привет, как дела? Всё хорошо.",
        "Καλημέρα σας, τι κάνετε;",
        "שלום לכולם, מה שלומכם?",
        "مرحبا بكم جميعا",
        "Größe und Länge, “quoted”",
    ];

    /// Text of any script is proven from a few characters on, however rare its spaces and line ends are.
    #[test]
    fn text_without_a_mark_is_seen_in_every_script() {
        for text in TEXTS {
            let characters: Vec<char> = text.chars().collect();
            for length in [16, 24, 32, characters.len()] {
                let Some(start) = characters.get(..length) else {
                    continue;
                };
                for end in ["", "\n", "\r\n"] {
                    let text: String = start
                        .iter()
                        .chain(&end.chars().collect::<Vec<_>>())
                        .collect();
                    for charset in [Charset::UTF_16BE, Charset::UTF_16LE] {
                        let bytes = charset
                            .encode_exact(&text)
                            .expect("the charset has every character");
                        // Text without a control character cannot be recognized.
                        if bytes.iter().any(|b| is_unused_control(*b)) {
                            assert_eq!(structure(&bytes), Some(charset), "{text:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn an_emoji_does_not_hide_ascii_letters() {
        for text in [
            "Hello there, this is ASCII 😀",
            "Order\u{3000}number 12345678",
        ] {
            for charset in [Charset::UTF_16BE, Charset::UTF_16LE] {
                let bytes = charset.encode_exact(text).expect("encodable");
                assert_eq!(structure(&bytes), Some(charset), "{text}");
            }
        }
    }

    /// Two ASCII spaces are U+2020 in UTF-16, and prove nothing.
    #[test]
    fn spaces_in_other_text_prove_nothing() {
        use super::super::{Hints, detect};
        for spaces in [0, 7, 8, 39, 40, 41, 300] {
            for word in [
                &b"\xDCn\xFCt\n"[..],
                b"caf\xE9",
                b"\xCF\xF0\xE8\xE2\xE5\xF2\r\n",
            ] {
                for bytes in [
                    [&b" ".repeat(spaces), word].concat(),
                    [word, &b" ".repeat(spaces)].concat(),
                ] {
                    let found = detect(&bytes, &Hints::default()).charset;
                    assert!(!found.is_wide(), "{found} {}", bytes.escape_ascii());
                }
            }
        }
    }

    /// A few NULs or other controls do not make text in another charset UTF-16.
    #[test]
    fn controls_in_other_text_prove_nothing() {
        let mut seen = 0;
        for (text, names) in [
            (
                "Sehr geehrte Damen und Herren, die Länge beträgt über fünf Meter.",
                "windows-1252 IBM850 UTF-8",
            ),
            (
                "Dziękuję za wiadomość, którą wysłałeś w zeszłym tygodniu.",
                "ISO-8859-2 windows-1250 UTF-8",
            ),
            (
                "Привет, как дела? Всё хорошо, до встречи.",
                "windows-1251 KOI8-R IBM866 UTF-8",
            ),
            (
                "谢谢你的来信。我下个星期要到北京去，如果你晚上有时间的话。",
                "GBK UTF-8",
            ),
            (
                "吾輩は猫である。名前はまだ無い。どこで生れたか",
                "Shift_JIS EUC-JP UTF-8",
            ),
            (
                "편지 보내 주셔서 감사합니다. 다음 주에 서울에 가는데",
                "windows-949 UTF-8",
            ),
            ("謝謝你的來信。我下個星期要到臺北去", "Big5 UTF-8"),
        ] {
            for charset in names.split(' ').filter_map(Charset::for_name) {
                let whole = charset
                    .encode_exact(text)
                    .expect("the charset has every character")
                    .into_owned();
                for length in [8, 12, 17, 24, whole.len()] {
                    let bytes = &whole[..length.min(whole.len())];
                    for control in [0, 1, 4, 7, 0x0E, 0x1F] {
                        for at in 0..=bytes.len() {
                            let inserted = [&bytes[..at], &[control], &bytes[at..]].concat();
                            let mut replaced = bytes.to_vec();
                            replaced.get_mut(at).into_iter().for_each(|b| *b = control);
                            for other in [inserted, replaced] {
                                let found = structure(&other);
                                assert_eq!(found, None, "{charset} {}", other.escape_ascii());
                                seen += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(seen > 10_000, "{seen}");
    }
}
