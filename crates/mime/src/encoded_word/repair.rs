//! Damage that programs before us did to header text, undone where the way back is certain.
//!
//! Each repair looks at stretches that stand for themselves (characters outside ASCII, an entity, a shifted sequence), so that a text is
//! repaired alike as a whole and in pieces. The way from the repaired text to the damaged one is tried; a repair without it does not happen.
//!
//! # Limits
//!
//! UTF-8 that was read in another charset than windows-1252 or ISO-8859-1 stays, and so does damage that lost a byte (a no-break space that
//! became a space). Entities for ASCII stay: what they stood for would be syntax.

use super::decode::is_control;
use crate::EventKind;
use mailglot_codec::{Charset, LossLog, Unmappable};

/// Which damage to undo. None by default: a repair is a guess about what was meant, though a well-founded one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// UTF-8 that was read as windows-1252 or ISO-8859-1 and written again as UTF-8, once or several times.
    pub mojibake: bool,
    /// Entities of HTML for characters outside ASCII.
    pub entities: bool,
    /// ISO-2022-JP that lost its escape characters.
    pub escapes: bool,
    /// Encoded words whose text is encoded words: they are decoded once more, and not again.
    pub nested: bool,
}

impl Repairs {
    /// All of them.
    pub const ALL: Self = Self { mojibake: true, entities: true, escapes: true, nested: true };

    /// Whether any is asked for.
    #[inline]
    pub fn any(self) -> bool {
        self.mojibake || self.entities || self.escapes || self.nested
    }

    /// Whether one of them may change a value in ASCII without words.
    pub(crate) fn may_touch(self, value: &[u8]) -> bool {
        self.entities && memchr::memmem::find(value, b"&").is_some()
            || self.escapes
                && memchr::memchr_iter(b'$', value).any(|at| matches!(value.get(at + 1), Some(b'B' | b'@')))
    }
}

/// True for the kinds that tell of a repair.
pub(crate) fn is_repair(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::EwMojibake | EventKind::EwEntity | EventKind::EwLostEscape | EventKind::EwNested
    )
}

/// One repair: the text after it, and how much it found.
type Step = fn(&str) -> (String, u64);

/// The text without the damage that was asked for; None where there is none. `free`: the text has no syntax, so that what looks like an
/// entity or a shifted sequence can be one.
pub(crate) fn repaired(
    text: &str,
    repairs: Repairs,
    free: bool,
    found: &mut Vec<(EventKind, u64)>,
) -> Option<String> {
    let mut out: Option<String> = None;
    let steps: [(bool, EventKind, Step); 3] = [
        (repairs.escapes && free && text.contains('$'), EventKind::EwLostEscape, lost_escapes),
        (repairs.entities && free && text.contains('&'), EventKind::EwEntity, entities),
        (repairs.mojibake && !text.is_ascii(), EventKind::EwMojibake, mojibake),
    ];
    for (wanted, kind, step) in steps {
        if wanted {
            let (text, count) = step(out.as_deref().unwrap_or(text));
            if count > 0 {
                found.push((kind, count));
                out = Some(text);
            }
        }
    }
    out
}

/// Undoes it in each stretch outside ASCII, until nothing is left to undo; gives the number of stretches.
fn mojibake(text: &str) -> (String, u64) {
    let (mut out, mut count) = (String::with_capacity(text.len()), 0);
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = rest.bytes().position(|b| !b.is_ascii()).unwrap_or(rest.len());
        out.push_str(&rest[..ascii]);
        rest = &rest[ascii..];
        let end = rest.bytes().position(|b| b.is_ascii()).unwrap_or(rest.len());
        let mut stretch = rest[..end].to_owned();
        rest = &rest[end..];
        let before = stretch.len();
        // Each turn makes the stretch shorter.
        while let Some(less) = unread(&stretch, windows_1252).or_else(|| unread(&stretch, latin_1)) {
            stretch = less;
        }
        count += u64::from(stretch.len() < before);
        out.push_str(&stretch);
    }
    (out, count)
}

/// The text whose UTF-8 bytes were read by a single-byte charset as `text`. As each character stands for one byte, the way back exists.
fn unread(text: &str, byte: fn(char) -> Option<u8>) -> Option<String> {
    let bytes = text.chars().map(byte).collect::<Option<Vec<u8>>>()?;
    let read = String::from_utf8(bytes).ok()?;
    let plausible = |c: char| !c.is_ascii() && !is_control(c) && c != char::REPLACEMENT_CHARACTER;
    (!read.is_empty() && read.chars().all(plausible)).then_some(read)
}

fn latin_1(c: char) -> Option<u8> {
    u8::try_from(u32::from(c)).ok()
}

/// What 80 to 9F stand for in windows-1252.
const HIGH: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// As WHATWG has it: the five bytes without a character stand for controls.
fn windows_1252(c: char) -> Option<u8> {
    if matches!(c, '\u{81}' | '\u{8d}' | '\u{8f}' | '\u{90}' | '\u{9d}' | '\u{a0}'..='\u{ff}' | '\0'..='\x7f')
    {
        return latin_1(c);
    }
    HIGH.chars().position(|high| high == c).map(|n| 0x80 + n as u8)
}

/// Names of U+00A0 to U+00FF (HTML 4.01 24.2).
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro \
    para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc \
    Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig \
    agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc \
    otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
/// Names of further characters (HTML 4.01 24.3 and 24.4), as far as mail uses them.
const OTHERS: [(&str, char); 24] = [
    ("OElig", 'Œ'),
    ("oelig", 'œ'),
    ("Scaron", 'Š'),
    ("scaron", 'š'),
    ("Yuml", 'Ÿ'),
    ("fnof", 'ƒ'),
    ("circ", 'ˆ'),
    ("tilde", '˜'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("dagger", '†'),
    ("Dagger", '‡'),
    ("bull", '•'),
    ("hellip", '…'),
    ("permil", '‰'),
    ("lsaquo", '‹'),
    ("rsaquo", '›'),
    ("euro", '€'),
];

/// Characters for their entities; gives how many.
fn entities(text: &str) -> (String, u64) {
    let (mut out, mut count) = (String::with_capacity(text.len()), 0);
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // The longest name has six letters, the longest number eight digits.
        let end = rest.bytes().take(12).position(|b| b == b';');
        let found = end.and_then(|end| Some((entity(rest.get(1..end)?)?, end + 1)));
        let (c, length) = found.unwrap_or(('&', 1));
        count += u64::from(c != '&');
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    (out, count)
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?,
            None => number.parse().ok().filter(|_| !number.starts_with('+'))?,
        };
        // Numbers of C1 are meant as windows-1252 (HTML, numeric character reference end state).
        let c = match code {
            0x80..=0x9F => {
                (0xA0..=0x2122).filter_map(char::from_u32).find(|&c| windows_1252(c) == Some(code as u8))?
            }
            _ => char::from_u32(code)?,
        };
        return (!c.is_ascii() && !is_control(c) && u32::from(c) & 0xFFFE != 0xFFFE).then_some(c);
    }
    let latin = LATIN.split_ascii_whitespace().zip('\u{a0}'..).find(|(known, _)| *known == name);
    latin.map(|(_, c)| c).or_else(|| OTHERS.iter().find(|(known, _)| *known == name).map(|(_, c)| *c))
}

/// Puts the escape characters back (RFC 1468) where that gives Japanese text that is written with just these bytes; gives how many sequences.
fn lost_escapes(text: &str) -> (String, u64) {
    let (mut out, mut count) = (String::with_capacity(text.len()), 0);
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if let Some((japanese, length)) = shifted(from) {
            out.push_str(&japanese);
            count += 1;
            rest = &from[length..];
        } else {
            out.push('$');
            rest = &from[1..];
        }
    }
    out.push_str(rest);
    (out, count)
}

/// Characters of one sequence that are looked at.
const SHIFTED: usize = 1 << 12;

/// The text of `$B…(B`, and its length.
fn shifted(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(1), Some(b'B' | b'@')) {
        return None;
    }
    let mut end = 2;
    while !matches!(bytes.get(end..end + 2)?, [b'(', b'B' | b'J']) {
        let pair = bytes.get(end..end + 2)?;
        if end > SHIFTED || !pair.iter().all(|b| (0x21..=0x7E).contains(b)) {
            return None;
        }
        end += 2;
    }
    // A single pair may be anything.
    if end < 6 {
        return None;
    }
    let whole = &bytes[..end + 2];
    let with = [b"\x1b", &whole[..end], b"\x1b", &whole[end..]].concat();
    let japanese = Charset::for_name("ISO-2022-JP")?;
    let mut log = LossLog::new();
    let read = japanese.decode(&with, &mut log).into_owned();
    let mut back = japanese.encode(&read, Unmappable::Skip, &mut log).into_owned();
    back.retain(|&b| b != 0x1B);
    // `$@` and `(J` are older names of the same sets.
    let same = back.len() == whole.len() && back[2..end] == whole[2..end];
    let script =
        |c: char| matches!(c, '\u{3000}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{FF01}'..='\u{FF5E}');
    (log.losses() == 0 && same && read.chars().any(script)).then_some((read, end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> String {
        repaired(text, Repairs::ALL, true, &mut Vec::new()).unwrap_or_else(|| text.to_owned())
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
        ] {
            assert_eq!(all(damaged), want, "{damaged}");
            assert_eq!(all(want), want, "nothing is left");
        }
    }

    #[test]
    fn what_is_no_damage_stays() {
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
            "\u{fffd}",
        ] {
            assert_eq!(all(text), text, "{text}");
        }
        assert_eq!(repaired("Ã¼ &uuml; $B%F%9%H(B", Repairs::default(), true, &mut Vec::new()), None);
        let mut found = Vec::new();
        let half = repaired("Ã¼ &uuml; $B%F%9%H(B", Repairs::ALL, false, &mut found);
        assert_eq!(half.as_deref(), Some("ü &uuml; $B%F%9%H(B"));
        assert_eq!(found, [(EventKind::EwMojibake, 1)]);
    }

    #[test]
    fn every_character_comes_back_from_both_charsets() {
        let mut high = ['\0'; 0x80];
        for c in '\u{80}'..='\u{2122}' {
            if let Some(byte) = windows_1252(c) {
                high[usize::from(byte) - 0x80] = c;
            }
        }
        let as_windows = |b: u8| if b < 0x80 { char::from(b) } else { high[usize::from(b) - 0x80] };
        // Controls and ASCII are what a repair never gives.
        for c in ('\u{a0}'..=char::MAX).filter(|&c| !is_control(c) && c != '\u{fffd}').step_by(7) {
            let text = c.to_string();
            let latin: String = text.bytes().map(char::from).collect();
            assert_eq!(mojibake(&latin), (text.clone(), 1));
            let windows: String = text.bytes().map(as_windows).collect();
            assert_eq!(mojibake(&windows), (text, 1), "{windows}");
        }
    }

    #[test]
    fn the_table_is_the_charset() {
        for c in '\u{a0}'..='\u{2122}' {
            let mut log = LossLog::new();
            let text = c.to_string();
            let bytes = Charset::WINDOWS_1252.encode(&text, Unmappable::Skip, &mut log);
            let want = if log.is_empty() { bytes.first().copied() } else { None };
            assert_eq!(windows_1252(c), want, "U+{:04X}", u32::from(c));
        }
    }
}
