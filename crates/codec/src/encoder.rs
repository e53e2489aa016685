//! From UTF-8 text to a charset.
//!
//! A charset is written in its own repertoire (ISO-8859-1 gets no byte of windows-1252), the double-byte ones in
//! WHATWG's. Where characters are written as look-alikes (U+00A5 as 5C in Shift_JIS), the log says so.
//!
//! # Limits
//! GB2312, Shift_JIS and EUC-KR are written with their supersets' characters. There is no streaming encoder.

use crate::charset::{COUNT, Kind};
use crate::decoder::table;
use crate::double_byte::{Family, Subset};
use crate::single_byte::{Page, Reverse};
use crate::sink::{ascii_8, ascii_run};
use crate::utf16::Order;
use crate::{Charset, LossKind, LossLog, Mode, hz, iso2022_kr, utf7, web};
use std::borrow::Cow;
use std::sync::OnceLock;

/// What to write for a character that the charset cannot carry. It is always logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmappable {
    /// Stop before the first such character.
    Fatal,
    /// `?`
    QuestionMark,
    /// `&#8364;` (the WHATWG "html" error mode)
    HtmlDecimal,
    /// Nothing.
    Skip,
}

impl Unmappable {
    pub(crate) fn replacement(self, c: char) -> Option<Cow<'static, str>> {
        match self {
            Self::Fatal => None,
            Self::QuestionMark => Some("?".into()),
            Self::HtmlDecimal => Some(format!("&#{};", c as u32).into()),
            Self::Skip => Some("".into()),
        }
    }
}

pub(crate) fn encode<'a>(
    charset: Charset,
    text: &'a str,
    unmappable: Unmappable,
    log: &mut LossLog,
) -> Cow<'a, [u8]> {
    if charset.is_ascii_compatible() && text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    match charset.kind() {
        Kind::Utf8 => Cow::Borrowed(text.as_bytes()),
        Kind::Cesu8 => cesu8(text),
        Kind::Utf16(order) => Cow::Owned(utf16(text, order)),
        Kind::Utf32(order) => Cow::Owned(utf32(text, order)),
        Kind::Utf7 => Cow::Owned(utf7::encode(text, utf7::Direct::SetD)),
        Kind::SingleByte(page) => Cow::Owned(single_byte(charset, page, text, unmappable, log)),
        Kind::DoubleByte(family, subset) => Cow::Owned(double_byte(family, subset, text, unmappable, log)),
        Kind::Iso2022Jp => Cow::Owned(iso_2022_jp(text, unmappable, log)),
        Kind::Iso2022Kr => Cow::Owned(iso2022_kr::encode(text, unmappable, log)),
        Kind::Hz => Cow::Owned(hz::encode(text, unmappable, log)),
    }
}

fn utf16(text: &str, order: Option<Order>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2 + 2);
    if order.is_none() {
        out.extend_from_slice(&[0xFE, 0xFF]);
    }
    for unit in text.encode_utf16() {
        out.extend_from_slice(&match order {
            Some(Order::Little) => unit.to_le_bytes(),
            _ => unit.to_be_bytes(),
        });
    }
    out
}

fn utf32(text: &str, order: Option<Order>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 4 + 4);
    if order.is_none() {
        out.extend_from_slice(&[0, 0, 0xFE, 0xFF]);
    }
    for c in text.chars() {
        out.extend_from_slice(&match order {
            Some(Order::Little) => (c as u32).to_le_bytes(),
            _ => (c as u32).to_be_bytes(),
        });
    }
    out
}

fn cesu8(text: &str) -> Cow<'_, [u8]> {
    if !text.chars().any(|c| c > '\u{FFFF}') {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len() + text.len() / 2);
    for c in text.chars() {
        if c <= '\u{FFFF}' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.extend_from_slice(&[0xED, 0x80 | (*unit >> 6 & 0x3F) as u8, 0x80 | (*unit & 0x3F) as u8]);
        }
    }
    Cow::Owned(out)
}

fn single_byte(
    charset: Charset,
    page: Page,
    text: &str,
    unmappable: Unmappable,
    log: &mut LossLog,
) -> Vec<u8> {
    static REVERSE: [OnceLock<Reverse>; COUNT] = [const { OnceLock::new() }; COUNT];
    let reverse = REVERSE[charset.index()].get_or_init(|| {
        let as_on_the_web = matches!(page, Page::Own(_) | Page::Web(_) | Page::Windows(_) | Page::Koi8U);
        Reverse::new(table(charset, if as_on_the_web { Mode::Lenient } else { Mode::Strict }))
    });
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        if *first < 0x80 {
            // One space between two words is no run.
            let run = if ascii_8(&bytes[at..]).is_some() { ascii_run(&bytes[at..]) } else { 1 };
            out.extend_from_slice(&bytes[at..at + run]);
            at += run;
            continue;
        }
        // Letters of most alphabets take two bytes.
        if *first < 0xE0 && at + 1 < bytes.len() {
            let code = u32::from(*first & 0x1F) << 6 | u32::from(bytes[at + 1] & 0x3F);
            if let Some(byte) = char::from_u32(code).and_then(|c| reverse.byte(c)) {
                out.push(byte);
                at += 2;
                continue;
            }
        }
        let Some(c) = text[at..].chars().next() else { break };
        if let Some(byte) = reverse.byte(c) {
            out.push(byte);
        } else {
            log.record(at as u64..(at + c.len_utf8()) as u64, LossKind::Unmappable);
            match unmappable.replacement(c) {
                Some(text) => out.extend_from_slice(text.as_bytes()),
                None => return out,
            }
        }
        at += c.len_utf8();
    }
    out
}

fn double_byte(
    family: Family,
    subset: Subset,
    text: &str,
    unmappable: Unmappable,
    log: &mut LossLog,
) -> Vec<u8> {
    // GBK never writes four bytes, and has the euro at 80.
    let gbk = matches!(subset, Subset::Gbk | Subset::Gb2312);
    let encoding = if gbk { encoding_rs::GBK } else { family.encoding() };
    let reverse = family.reverse();
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte < 0x80 {
            if let Some(block) = ascii_8(&bytes[at..]) {
                out.extend_from_slice(&block);
                at += 8;
            } else {
                out.push(*byte);
                at += 1;
            }
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        let range = at as u64..(at + c.len_utf8()) as u64;
        at += c.len_utf8();
        match reverse.code(c) {
            _ if gbk && c == '\u{20AC}' => out.push(0x80),
            0 if let Some((code, len)) = web::encode_char(encoding, c) => {
                if is_substitute(family, c) {
                    log.record(range, LossKind::Substituted);
                }
                out.extend_from_slice(&code[..len]);
            }
            0 => {
                log.record(range, LossKind::Unmappable);
                match unmappable.replacement(c) {
                    Some(text) => out.extend_from_slice(text.as_bytes()),
                    None => return out,
                }
            }
            code @ 1..=0xFF => out.push(code as u8),
            code => out.extend_from_slice(&code.to_be_bytes()),
        }
    }
    out
}

/// Characters that WHATWG writes as others, so that they do not come back.
fn is_substitute(family: Family, c: char) -> bool {
    match family {
        Family::ShiftJis | Family::EucJp => matches!(c, '\u{A5}' | '\u{203E}' | '\u{2212}'),
        // Private code points of GB 18030-2000 that have characters of their own since 2022.
        Family::Gb18030 => {
            matches!(
                c,
                '\u{E78D}'..='\u{E796}' | '\u{E81E}' | '\u{E826}' | '\u{E82B}' | '\u{E82C}' | '\u{E832}'
            ) || matches!(c, '\u{E843}' | '\u{E854}' | '\u{E864}')
        }
        Family::Big5 | Family::EucKr => false,
    }
}

/// What the bytes mean while ISO-2022-JP is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Jis {
    Ascii,
    Roman,
    Double,
}

impl Jis {
    /// Switches with the escape sequence that it takes.
    fn switch(&mut self, to: Self, out: &mut Vec<u8>) {
        if *self != to {
            out.extend_from_slice(match to {
                Self::Ascii => b"\x1b(B",
                Self::Roman => b"\x1b(J",
                Self::Double => b"\x1b$B",
            });
            *self = to;
        }
    }
}

/// As WHATWG, but every line ends in ASCII.
fn iso_2022_jp(text: &str, unmappable: Unmappable, log: &mut LossLog) -> Vec<u8> {
    let reverse = Family::EucJp.reverse();
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut state = Jis::Ascii;
    for (at, c) in text.char_indices() {
        let range = at as u64..(at + c.len_utf8()) as u64;
        let [lead, trail] = reverse.code(c).to_be_bytes();
        match c {
            '\u{A5}' | '\u{203E}' => {
                state.switch(Jis::Roman, &mut out);
                out.push(if c == '\u{A5}' { b'\\' } else { b'~' });
            }
            '\0'..='\x7F' if !matches!(c, '\x0E' | '\x0F' | '\x1B') => {
                if state == Jis::Double || matches!(c, '\\' | '~' | '\r' | '\n') {
                    state.switch(Jis::Ascii, &mut out);
                }
                out.push(c as u8);
            }
            '\u{80}'.. if lead >= 0xA1 && trail >= 0xA1 => {
                state.switch(Jis::Double, &mut out);
                out.extend_from_slice(&[lead & 0x7F, trail & 0x7F]);
            }
            // The few that are written as another character: half-width katakana and the minus sign.
            '\u{2212}' | '\u{FF61}'..='\u{FF9F}'
                if let Some((code, _)) = web::encode_char(encoding_rs::ISO_2022_JP, c) =>
            {
                log.record(range, LossKind::Substituted);
                state.switch(Jis::Double, &mut out);
                out.extend_from_slice(&code[3..5]);
            }
            _ => {
                log.record(range, LossKind::Unmappable);
                let Some(replacement) = unmappable.replacement(c) else { break };
                if !replacement.is_empty() {
                    state.switch(Jis::Ascii, &mut out);
                }
                out.extend_from_slice(replacement.as_bytes());
            }
        }
    }
    state.switch(Jis::Ascii, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode_all(
        charset: Charset,
        text: &str,
        unmappable: Unmappable,
    ) -> (Vec<u8>, Vec<(u64, u64, &'static str)>) {
        let mut log = LossLog::new();
        let bytes = charset.encode(text, unmappable, &mut log).into_owned();
        (bytes, log.kept().iter().map(|l| (l.bytes.start, l.bytes.end, l.kind.name())).collect())
    }

    #[test]
    fn a_charset_keeps_to_its_own_repertoire() {
        let (bytes, log) = encode_all(Charset::ISO_8859_1, "é€\u{85}", Unmappable::QuestionMark);
        assert_eq!((bytes.as_slice(), log.as_slice()), (&b"\xE9?\x85"[..], &[(2, 5, "unmappable")][..]));
        let (bytes, log) = encode_all(Charset::US_ASCII, "aé", Unmappable::Skip);
        assert_eq!((bytes.as_slice(), log.as_slice()), (&b"a"[..], &[(1, 3, "unmappable")][..]));
        let (bytes, log) = encode_all(Charset::WINDOWS_1252, "é€\u{81}", Unmappable::Fatal);
        assert_eq!((bytes.as_slice(), log.len()), (&b"\xE9\x80\x81"[..], 0));
        let (bytes, log) = encode_all(Charset::ISO_8859_9, "ğ€x", Unmappable::Fatal);
        assert_eq!((bytes.as_slice(), log.as_slice()), (&b"\xF0"[..], &[(2, 5, "unmappable")][..]));
        assert_eq!(encode_all(Charset::KOI8_R, "в€", Unmappable::HtmlDecimal).0, b"\xD7&#8364;");
    }

    #[test]
    fn iso_2022_jp_returns_to_ascii_at_line_ends_and_before_replacements() {
        let (bytes, log) = encode_all(Charset::ISO_2022_JP, "日\u{A5}\r\n本💩語", Unmappable::HtmlDecimal);
        assert_eq!(
            bytes,
            b"\x1b$BF|\x1b(J\\\x1b(B\r\n\x1b$BK\\\x1b(B&#128169;\x1b$B8l\x1b(B".as_slice(),
            "{:?}",
            String::from_utf8_lossy(&bytes)
        );
        assert_eq!(log, [(10, 14, "unmappable")]);
        let (bytes, _) = encode_all(Charset::ISO_2022_JP, "日💩語", Unmappable::Fatal);
        assert_eq!(bytes, b"\x1b$BF|\x1b(B");
    }

    #[test]
    fn look_alikes_are_reported() {
        assert_eq!(
            encode_all(Charset::SHIFT_JIS, "a\u{A5}b", Unmappable::Fatal),
            (b"a\\b".to_vec(), vec![(1, 3, "substituted")])
        );
        assert_eq!(
            encode_all(Charset::ISO_2022_JP, "\u{FF71}", Unmappable::Fatal).1,
            [(0, 3, "substituted")]
        );
    }

    #[test]
    fn unicode_forms() {
        assert_eq!(
            encode_all(Charset::UTF_16, "é💩", Unmappable::Fatal).0,
            b"\xFE\xFF\0\xE9\xD8\x3D\xDC\xA9"
        );
        assert_eq!(encode_all(Charset::UTF_16LE, "é", Unmappable::Fatal).0, b"\xE9\0");
        assert_eq!(encode_all(Charset::UTF_32BE, "💩", Unmappable::Fatal).0, b"\0\x01\xF4\xA9");
        assert_eq!(
            encode_all(Charset::CESU_8, "\u{1F600}", Unmappable::Fatal).0,
            b"\xED\xA0\xBD\xED\xB8\x80"
        );
    }

    #[test]
    fn utf_7_runs() {
        for (text, expected) in [
            ("a+b", "a+-b"),
            ("+", "+-"),
            ("++", "+-+-"),
            ("é+", "+AOkAKw-"),
            ("+é", "+ACsA6Q-"),
            ("日本語", "+ZeVnLIqe-"),
            ("A≢Α.", "A+ImIDkQ-."),
            ("\\~=\u{0}", "+AFwAfgA9AAA-"),
            ("💩\r\né", "+2D3cqQ-\r\n+AOk-"),
            ("£-", "+AKM--"),
        ] {
            assert_eq!(
                encode_all(Charset::UTF_7, text, Unmappable::Fatal).0,
                expected.as_bytes(),
                "{text:?}"
            );
        }
    }
}
