//! Encodes text as a parameter (RFC 2045, section 5.1; RFC 2231, sections 3 and 4).
//!
//! # Limits
//!
//! Writes UTF-8, or ISO-2022-JP for `charset_out = iso-2022-jp`. Lines exceed 76 bytes if the parameter name is too long.

use super::misplaced_marks::lacks_asterisk;
use super::value::is_encoded_words;
use crate::encoded_word::{self, Encoding, LineWriter, Place};
use crate::{japanese, lexer};
use std::fmt::Write;

/// Maximum length of a line in bytes.
pub(super) const LINE: usize = 76;

/// A plain form beside an extended one, for readers that do not know RFC 2231.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// None.
    #[default]
    None,
    /// `name="…"` with an underscore for each character that is not ASCII.
    Ascii,
    /// `name="=?UTF-8?…?="`: forbidden (RFC 2047, section 5), and read by most.
    Words,
}

/// Encodes a parameter, without the semicolon before it. Returns `None` if `name` is not a token or contains an asterisk.
///
/// Uses a token or a quoted string for short printable ASCII. Uses the extended form for other text, in segments if it is too long
/// for a line.
///
/// `column` is the number of bytes before the parameter on its line. Lines end with `eol`; each following line begins with a space.
pub fn encode(name: &str, text: &str, compat: Compat, column: usize, eol: &str) -> Option<String> {
    if name.is_empty() || !name.bytes().all(|b| lexer::is_token(b) && b != b'*') {
        return None;
    }
    // Keeps encoded words out of quotes, and backslashes, which some readers take for a path.
    let printable = text.bytes().all(|b| matches!(b, b' '..=b'~'))
        && !text.contains("=?")
        && !text.contains('\\')
        && !lacks_asterisk(name.as_bytes(), text.as_bytes());
    if printable {
        let plain = if !text.is_empty() && text.bytes().all(lexer::is_attribute_char) {
            format!("{name}={text}")
        } else {
            quoted(name, text)
        };
        if column + plain.len() <= LINE {
            return Some(plain);
        }
    }
    let before = match compat {
        Compat::None => return Some(extended(name, text, "", column, eol)),
        Compat::Ascii => quoted(name, &fallback(text)),
        Compat::Words => words(name, text, column, eol),
    };
    Some(format!(
        "{before};{eol} {}",
        extended(name, text, "", 1, eol)
    ))
}

/// Longest file name that file systems accept, in bytes.
const LONGEST_NAME: usize = 255;

/// Replaces everything but plain ASCII by underscores. Truncates names longer than [`LONGEST_NAME`], but keeps the extension.
fn fallback(text: &str) -> String {
    let ascii = |c: char| {
        if matches!(c, ' '..='~') && !matches!(c, '"' | '\\') {
            c
        } else {
            '_'
        }
    };
    let name = text
        .chars()
        .map(ascii)
        .collect::<String>()
        .replace("=?", "__");
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let extension = name.rfind('.').map_or("", |at| &name[at..]);
    let extension = if extension.len() <= LINE / 2 {
        extension
    } else {
        ""
    };
    format!("{}{extension}", &name[..LONGEST_NAME - extension.len()])
}

/// Returns `name="text"`.
pub(super) fn quoted(name: &str, text: &str) -> String {
    format!("{name}={}", encoded_word::quoted(text))
}

/// Returns `name="=?UTF-8?Q?…?="`.
pub(super) fn words(name: &str, text: &str, column: usize, eol: &str) -> String {
    let letter = encoded_word::choose_letter(text.as_bytes(), Place::Phrase, Encoding::Shorter);
    in_quotes(name, column, eol, |lines| {
        lines.words(text, Place::Phrase, letter, false);
    })
}

/// Returns `name="…"` with what `write` writes.
fn in_quotes(
    name: &str,
    column: usize,
    eol: &str,
    write: impl FnOnce(&mut LineWriter<'_>),
) -> String {
    let mut lines = LineWriter::new(column, eol);
    lines.push(&format!("{name}=\""));
    write(&mut lines);
    lines.out + "\""
}

/// Returns `name*=utf-8'language'…` if it fits into a line, else segments cut between characters.
pub(super) fn extended(name: &str, text: &str, language: &str, column: usize, eol: &str) -> String {
    // Doubles a byte order mark at the start, since readers drop one.
    let mark = text.chars().next().filter(|&c| c == '\u{FEFF}');
    let mut pieces: Vec<String> = mark.into_iter().chain(text.chars()).map(percent).collect();
    if is_encoded_words(text)
        && let Some((letter, piece)) = text
            .chars()
            .zip(&mut pieces)
            .find(|(c, _)| c.is_ascii_alphanumeric())
    {
        // Escaped, the first letter or digit shows that the name was not encoded twice.
        *piece = format!("%{:02X}", u32::from(letter));
    }
    let limits = SegmentLimits {
        whole: LINE,
        first: usize::MAX,
    };
    let head = format!("utf-8'{language}'");
    segments(name, &head, &pieces, column, eol, &limits)
}

/// Limits of lines in bytes.
struct SegmentLimits {
    /// Longest line with a value in one piece.
    whole: usize,
    /// Longest line with one piece of a segment.
    first: usize,
}

/// Returns `name*=` with `head` and the pieces if that fits into a line, else segments cut between pieces.
fn segments(
    name: &str,
    head: &str,
    pieces: &[String],
    column: usize,
    eol: &str,
    limits: &SegmentLimits,
) -> String {
    let whole: usize = pieces.iter().map(String::len).sum();
    let mut out = format!("{name}*={head}");
    if column + out.len() + whole <= limits.whole {
        return out + &pieces.concat();
    }
    out = format!("{name}*0*={head}");
    let (mut number, mut width, mut longest) = (0, column + out.len(), limits.first);
    for piece in pieces {
        // One more byte for the semicolon.
        if width + piece.len() + 1 > longest {
            number += 1;
            let start = out.len() + eol.len() + 1;
            let _ = write!(out, ";{eol} {name}*{number}*=");
            width = out.len() - start;
        }
        longest = self::longest(name);
        width += piece.len();
        out.push_str(piece);
    }
    out
}

/// Like [`words`], in ISO-2022-JP. The text must be encodable.
pub(super) fn japanese_words(name: &str, text: &str, column: usize, eol: &str) -> String {
    let text = japanese::folded(text).0;
    in_quotes(name, column, eol, |lines| {
        encoded_word::japanese_words(lines, &text, Place::Phrase, false);
    })
}

/// Like [`extended`], in ISO-2022-JP. The text must be encodable.
///
/// Each segment ends in ASCII, since not all readers join segments before they decode. A segment that begins with an escape
/// sequence does not follow one that ends with one: WHATWG Encoding 12.2.1 makes adjacent escape sequences an error. So each
/// non-ASCII run stays whole, in a line of up to 998 bytes if needed.
pub(super) fn japanese_extended(
    name: &str,
    text: &str,
    language: &str,
    column: usize,
    eol: &str,
) -> String {
    let pieces = japanese_pieces(
        &japanese::folded(text).0,
        LONGEST.saturating_sub(name.len() + SEGMENT_OVERHEAD),
    );
    // If one piece exceeds the line, puts all of them into one value: some readers do not support segments.
    let fits = pieces
        .iter()
        .all(|piece| name.len() + SEGMENT_OVERHEAD + piece.len() <= LINE);
    let limits = SegmentLimits {
        whole: if fits { LINE } else { LONGEST },
        first: LONGEST,
    };
    let head = format!("{}'{language}'", japanese::LABEL);
    segments(name, &head, &pieces, column, eol, &limits)
}

/// Bytes of a line beside the name and the segment, for numbers of up to seven digits: ` *1234567*=;`.
const SEGMENT_OVERHEAD: usize = 12;

/// Encodes a text in ISO-2022-JP and percent-encoding, and splits it into pieces of up to `longest` bytes.
///
/// A line may end between two pieces. Each ASCII character and each run of others is a piece.
fn japanese_pieces(text: &str, longest: usize) -> Vec<String> {
    let encoded = |text: &str| percent_bytes(&japanese::bytes(text));
    // Beside its escape sequences, a piece has two bytes per character, each of which may take three when encoded.
    let most = longest.saturating_sub(encoded("\u{3000}").len()).max(6) / 6;
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if first.is_ascii() {
            1
        } else {
            let mut chars = rest.char_indices().enumerate();
            chars
                .find(|(count, (_, c))| c.is_ascii() || *count == most)
                .map_or(rest.len(), |(_, (at, _))| at)
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(encoded(piece));
        rest = after;
    }
    pieces
}

/// Longest line (RFC 5322, section 2.1.1), without the semicolon and the space around a segment.
const LONGEST: usize = 996;
/// Longest name that leaves enough room for the value in a line of [`LONGEST`] bytes.
const LONGEST_NAME_ON_LINE: usize = 480;

/// Returns the maximum length of a line with a segment of this name.
///
/// Each segment repeats the name. At least half of a line is for the value, so the output stays proportional to the value.
fn longest(name: &str) -> usize {
    let wanted = LINE.max(3 * name.len());
    if name.len() <= LONGEST_NAME_ON_LINE {
        wanted.min(LONGEST)
    } else {
        wanted
    }
}

/// Percent-encodes a character (RFC 2231, section 7).
fn percent(c: char) -> String {
    percent_bytes(c.encode_utf8(&mut [0; 4]).as_bytes())
}

fn percent_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::encoded_word::HeaderContext;
    use mailglot_codec::{Charset, LossLog};

    #[test]
    fn the_simplest_sufficient_form_is_used() {
        for (text, compat, want) in [
            ("a.pdf", Compat::None, "name=a.pdf"),
            ("a b.pdf", Compat::Words, "name=\"a b.pdf\""),
            ("", Compat::None, "name=\"\""),
            ("it's.pdf", Compat::None, "name=\"it's.pdf\""),
            ("a*b%20.pdf", Compat::None, "name=\"a*b%20.pdf\""),
            (
                "\u{FEFF}x",
                Compat::None,
                "name*=utf-8''%EF%BB%BF%EF%BB%BFx",
            ),
            ("a\"b", Compat::None, "name=\"a\\\"b\""),
            ("a\\b", Compat::None, "name*=utf-8''a%5Cb"),
            ("=?x", Compat::None, "name*=utf-8''%3D%3Fx"),
            (
                "=?utf-8?Q?x?=",
                Compat::None,
                "name*=utf-8''%3D%3F%75tf-8%3FQ%3Fx%3F%3D",
            ),
            // Readers take `-` for a label, and the blank for damage.
            (
                "=?-? Q?x?=",
                Compat::None,
                "name*=utf-8''%3D%3F-%3F%20%51%3Fx%3F%3D",
            ),
            ("ü.pdf", Compat::None, "name*=utf-8''%C3%BC.pdf"),
            (
                "ü \".pdf",
                Compat::Ascii,
                "name=\"_ _.pdf\"; name*=utf-8''%C3%BC%20%22.pdf",
            ),
            (
                "ü.pdf",
                Compat::Words,
                "name=\"=?UTF-8?B?w7wucGRm?=\"; name*=utf-8''%C3%BC.pdf",
            ),
        ] {
            assert_eq!(
                encode("name", text, compat, 1, "").as_deref(),
                Some(want),
                "{text}"
            );
        }
        for name in ["", "a*", "a b", "a=", "ü"] {
            assert_eq!(encode(name, "x", Compat::None, 0, "\n"), None, "{name}");
        }
    }

    #[test]
    fn names_for_old_readers_stay_short() {
        for (text, end) in [
            ("ä".repeat(2_000), "___\"".to_owned()),
            ("ä".repeat(300) + ".pdf", "_.pdf\"".to_owned()),
        ] {
            let param = encode("filename", &text, Compat::Ascii, 1, "\n").expect("a name");
            let first = param
                .lines()
                .next()
                .and_then(|line| line.strip_suffix(';'))
                .expect("two forms");
            assert!(
                first.ends_with(&end) && first.len() == "filename=\"\"".len() + LONGEST_NAME,
                "{first}"
            );
            let read = parse(
                format!("a; {param}").as_bytes(),
                &HeaderContext::default(),
                &mut Vec::new(),
            );
            assert_eq!(read.get("filename"), Some(&*text));
        }
    }

    #[test]
    fn segments_in_iso_2022_jp_read_the_same_alone_and_joined() {
        let mut cuts = 0;
        for (name, text) in [
            ("filename", "日本語".repeat(9) + ".txt"),
            ("filename", "日本語 ".repeat(9)),
            ("filename", "日a".repeat(60)),
            ("filename", "請求書_2026年10月_".repeat(4) + ".pdf"),
            (
                "filename",
                format!("{}{}", "a".repeat(90), "語".repeat(140)),
            ),
            ("filename", "語".repeat(200)),
            ("filename", "ァ〜".repeat(2_000) + "b"),
            (&"n".repeat(100), "語 b".repeat(300)),
        ] {
            for column in [1, 75, 800] {
                let written = japanese_extended(name, &text, "", column, "\r\n");
                let lines: Vec<&str> = written.split("\r\n").collect();
                assert!(
                    column + lines[0].len() < 998 && lines.iter().all(|line| line.len() < 998),
                    "{written}"
                );
                let mut joined = Vec::new();
                for (at, line) in lines.iter().enumerate() {
                    let (_, value) = line.split_once("*=").expect("a segment");
                    let value = if at == 0 {
                        value.rsplit('\'').next().expect("text")
                    } else {
                        value
                    };
                    let start = joined.len();
                    crate::params::value::percent_decode(
                        value.trim_end_matches(';').as_bytes(),
                        &mut joined,
                    );
                    assert!(japanese::is_complete(&joined[start..]), "{line}");
                }
                let read = Charset::ISO_2022_JP.decode(&joined, &mut LossLog::new());
                assert_eq!(read, japanese::folded(&text).0, "{written}");
                let back_to_back = joined.windows(6).filter(|w| *w == b"\x1b(B\x1b$B").count();
                // A line exceeds 76 bytes only for a run without ASCII.
                let longest_run = text
                    .split(|c: char| c.is_ascii())
                    .map(|run| run.chars().count())
                    .max();
                assert!(
                    back_to_back <= longest_run.unwrap_or(0) / 140,
                    "{back_to_back} {written}"
                );
                cuts += lines.len() - 1;
            }
        }
        assert!(cuts > 50, "{cuts}");
    }

    #[test]
    fn encoded_parameters_decode_to_the_same_text() {
        let units = [
            "a",
            " ",
            "\"",
            "\\",
            "ü",
            "日",
            "😀",
            "'",
            "%41",
            "*",
            ";",
            "=",
            "=?utf-8?Q?a?=",
            "=?-? Q?a?=",
            "C:\\",
            "e\u{301}",
            "\u{FEFF}",
        ];
        let mut state = 99_u64;
        let mut below = move |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n as u64) as usize
        };
        for _ in 0..3_000 {
            let text: String = (0..below(60)).map(|_| units[below(units.len())]).collect();
            for compat in [Compat::None, Compat::Ascii, Compat::Words] {
                let param = encode("filename", &text, compat, below(60), "\r\n").expect("a name");
                let value = format!("attachment; {param}; x=y");
                let read = parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
                assert_eq!(read.get("filename"), Some(&*text), "{value}");
                assert_eq!(read.get("x"), Some("y"), "{value}");
                assert!(value.is_ascii());
                if compat != Compat::Ascii {
                    assert!(
                        param.split("\r\n").skip(1).all(|line| line.len() <= 78),
                        "{param}"
                    );
                }
            }
        }
    }
}
