//! Encodes text as encoded words in other charsets than UTF-8, for readers that do not support UTF-8.
//!
//! # Limits
//!
//! Rejects UTF-7, UTF-16, UTF-32, SCSU, BOCU-1 and charsets that are not ASCII-compatible, which few readers support in words.
//! Characters outside the charset are an error; they are never replaced.

use super::encode::{
    Encoding, LineWriter, Place, choose_letter, encode, encoded_len, frame, span_to_encode,
};
use crate::lexer::Letter;
use mailglot_codec::{Charset, LossLog, Unmappable};
use std::borrow::Cow;
use std::fmt;
use unicode_segmentation::UnicodeSegmentation;

/// The reason why a text was not encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unencodable {
    /// The charset cannot be used in encoded words.
    Charset(Charset),
    /// The charset lacks the character at this offset, or mail readers disagree about its bytes.
    Character {
        /// The charset that the caller asked for.
        charset: Charset,
        /// The offset of the character in the text, in bytes.
        at: usize,
    },
    /// Non-ASCII text or a control in a place without encoded words, such as an address, an identifier or a date.
    Place,
}

impl fmt::Display for Unencodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Charset(charset) => write!(f, "{charset} is not used in encoded words"),
            Self::Character { charset, at } => {
                let why = "it has no bytes for it, or readers of mail decode them differently";
                write!(
                    f,
                    "{charset} cannot carry the character at byte {at}: {why}"
                )
            }
            Self::Place => {
                f.write_str("this cannot be encoded: words stand in phrases and comments only")
            }
        }
    }
}

impl std::error::Error for Unencodable {}

/// Like [`encode`], in any charset.
///
/// Does not split characters, nor combining sequences that fit into one word. Each word is complete in itself: in a stateful
/// charset it ends in ASCII (RFC 2047, section 2 and RFC 1468). Such words always use B.
pub fn encode_as(
    text: &str,
    charset: Charset,
    place: Place,
    encoding: Encoding,
    column: usize,
    eol: &str,
) -> Result<String, Unencodable> {
    if charset == Charset::UTF_8 {
        return Ok(encode(text, place, encoding, column, eol));
    }
    let mut lines = LineWriter::new(column, eol);
    check(charset)?;
    let (start, end) = match span_to_encode(text, place, eol) {
        Some(span) => span,
        None if lines.without_words(text, place) => return Ok(lines.out),
        None => (0, text.len()),
    };
    let span_to_encode = &text[start..end];
    carries(charset, span_to_encode).map_err(|at| Unencodable::Character {
        charset,
        at: start + at,
    })?;
    let letter = letter(charset, span_to_encode, place, encoding);
    lines.out.reserve(text.len() * 3);
    lines.raw(&text[..start]);
    write_words(
        &mut lines,
        span_to_encode,
        charset,
        place,
        letter,
        start > 0,
    );
    lines.raw(&text[end..]);
    Ok(lines.out)
}

/// Returns an error for a charset that is not usable in words. A usable one starts in ASCII and keeps ASCII unchanged.
pub(crate) fn check(charset: Charset) -> Result<(), Unencodable> {
    const ASCII: &str = "AZaz09 !=?_@";
    let plain = charset.is_ascii_compatible() || charset.is_stateful();
    // Some charsets begin with an escape sequence that announces the character set.
    if charset == Charset::UTF_8
        || plain && !charset.is_unicode() && bytes(charset, ASCII).ends_with(ASCII.as_bytes())
    {
        return Ok(());
    }
    Err(Unencodable::Charset(charset))
}

/// Returns, as an error, the offset of the first character that the charset lacks or that mail readers decode differently.
pub(crate) fn carries(charset: Charset, text: &str) -> Result<(), usize> {
    let mut log = LossLog::new();
    charset.encode(text, Unmappable::Skip, &mut log);
    let lacking = log.kept().first().map(|loss| loss.bytes.start as usize);
    let disputed = charset.first_disputed(text);
    lacking
        .into_iter()
        .chain(disputed)
        .min()
        .map_or(Ok(()), Err)
}

/// Chooses B or Q for a text. Stateful charsets always use B.
pub(crate) fn letter(charset: Charset, text: &str, place: Place, encoding: Encoding) -> Letter {
    if charset.is_stateful() {
        return Letter::B;
    }
    choose_letter(&bytes(charset, text), place, encoding)
}

/// Returns the length of a word with the first grapheme cluster, or with its first character if `most` bytes cannot hold the
/// cluster.
pub(crate) fn first_word(
    text: &str,
    charset: Charset,
    place: Place,
    letter: Letter,
    most: usize,
) -> usize {
    let length = |text: &str| word_length(text, charset, place, letter);
    let whole = text.graphemes(true).next().map_or(0, length);
    if whole <= most {
        whole
    } else {
        length(&text[..text.chars().next().map_or(0, char::len_utf8)])
    }
}

/// Returns the length of a single word with this text.
pub(crate) fn word_length(text: &str, charset: Charset, place: Place, letter: Letter) -> usize {
    let text = bytes(charset, text);
    // Readers drop one byte order mark at the start of UTF-8.
    let mark = "\u{FEFF}".as_bytes();
    let doubled = charset == Charset::UTF_8 && text.starts_with(mark);
    let text = if doubled {
        [mark, &text].concat().into()
    } else {
        text
    };
    frame(charset.name()) + encoded_len(&text, place, letter)
}

/// Appends words for a whole text that ISO-2022-JP can encode. With `fold`, the last byte of the output is a space that may become
/// a fold.
pub(crate) fn japanese_words(lines: &mut LineWriter<'_>, text: &str, place: Place, fold: bool) {
    write_words(lines, text, Charset::ISO_2022_JP, place, Letter::B, fold);
}

/// Appends words for a whole text that the charset can encode. See [`japanese_words`] for `fold`.
pub(crate) fn write_words(
    lines: &mut LineWriter<'_>,
    text: &str,
    charset: Charset,
    place: Place,
    letter: Letter,
    fold: bool,
) {
    if charset == Charset::UTF_8 {
        return lines.words(text, place, letter, fold);
    }
    let mut words = Words {
        lines,
        charset,
        place,
        letter,
        text: String::new(),
        unpadded: 0,
        first: fold,
    };
    for unit in text.graphemes(true) {
        words.add(unit);
    }
    words.write_as(letter);
}

fn bytes(charset: Charset, text: &str) -> Cow<'_, [u8]> {
    charset.encode(text, Unmappable::Skip, &mut LossLog::with_limit(0))
}

struct Words<'l, 'e> {
    lines: &'l mut LineWriter<'e>,
    charset: Charset,
    place: Place,
    letter: Letter,
    /// The text of the next word.
    text: String,
    /// Length of the longest beginning of `text` that base64 encodes without padding. GMime before 3.2.14 loses text after a padded
    /// word.
    unpadded: usize,
    /// True before the first word, if the output ends in a space that may become a fold.
    first: bool,
}

impl Words<'_, '_> {
    /// Returns the length of a word with this text, and whether base64 encodes it without padding.
    fn length(&self, text: &str) -> (usize, bool) {
        let bytes = bytes(self.charset, text);
        let length = frame(self.charset.name()) + encoded_len(&bytes, self.place, self.letter);
        (
            length,
            self.letter == Letter::B && bytes.len().is_multiple_of(3),
        )
    }

    fn add(&mut self, unit: &str) {
        let with = format!("{}{unit}", self.text);
        let (length, unpadded) = self.length(&with);
        if length <= self.lines.room() {
            self.text = with;
            if unpadded {
                self.unpadded = self.text.len();
            }
            return;
        }
        if !self.text.is_empty() {
            let (keep, letter) = self.cut();
            let rest = self.text.split_off(keep);
            self.write_as(letter);
            self.lines.fold();
            if !rest.is_empty() {
                rest.graphemes(true).for_each(|unit| self.add(unit));
                self.add(unit);
                return;
            }
        } else if self.first && self.lines.column > 1 {
            self.lines.out.pop();
            self.lines.fold();
        }
        self.first = false;
        if self.length(unit).0 <= self.lines.room() || unit.chars().nth(1).is_none() {
            unit.clone_into(&mut self.text);
        } else {
            for c in unit.chars() {
                self.add(c.encode_utf8(&mut [0; 4]));
            }
        }
    }

    /// Returns the length of the text for a word that others follow, and its letter. Avoids padding, with a Q word if necessary.
    fn cut(&self) -> (usize, Letter) {
        let len = self.text.len();
        if self.letter == Letter::Q {
            return (len, Letter::Q);
        }
        if self.unpadded * 2 > len || self.charset.is_stateful() && self.unpadded > 0 {
            return (self.unpadded, Letter::B);
        }
        if self.charset.is_stateful() {
            return (len, Letter::B);
        }
        let all = bytes(self.charset, &self.text).len();
        let room = self.lines.room();
        let (mut end, mut best, mut aligned) = (0, None, None);
        for unit in self.text.graphemes(true) {
            end += unit.len();
            let head = bytes(self.charset, &self.text[..end]);
            let length = encoded_len(&head, self.place, Letter::Q);
            if frame(self.charset.name()) + length > room {
                break;
            }
            best = Some(end);
            if (all - head.len()).is_multiple_of(3) {
                aligned = Some(end);
            }
        }
        let in_q = aligned.or(best);
        in_q.map_or((len, Letter::B), |end| (end, Letter::Q))
    }

    fn write_as(&mut self, letter: Letter) {
        let bytes = bytes(self.charset, &self.text);
        self.lines
            .word(self.charset.name(), &bytes, self.place, letter);
        self.text.clear();
        self.unpadded = 0;
        self.first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::super::HeaderContext;
    use super::*;
    use crate::encoded_word::value::decode_text;
    use crate::test_charsets::charset_named;

    #[test]
    fn words_are_complete_and_short_in_every_charset() {
        let texts = [
            (
                "ISO-2022-JP",
                "件名: これはとても長い日本語の件名です。改行されるはずですが、文字は壊れません。ABCとカタカナ",
            ),
            (
                "Shift_JIS",
                "これはとても長い日本語の件名です。改行されるはずですが、文字は壊れません",
            ),
            (
                "EUC-KR",
                "안녕하세요 여러분, 이것은 매우 긴 제목입니다. 글자가 깨지지 않아야 합니다 정말로요",
            ),
            (
                "GB18030",
                "这是一个非常长的主题，用来测试编码字的折叠，字符不会被拆开 𠀀𠀁𠀂𠀃 完成了这个测试",
            ),
            (
                "ISO-8859-1",
                "Viele Grüße aus Köln, wo über den Dächern die Glocken läuten und Käse schmeckt",
            ),
            (
                "KOI8-R",
                "Съешь же ещё этих мягких французских булок, да выпей чаю. И ещё раз: съешь же",
            ),
            (
                "ISO-2022-KR",
                "안녕하세요 여러분, 이것은 매우 긴 제목입니다. 글자가 깨지지 않아야 합니다",
            ),
        ];
        for (name, text) in texts {
            for place in [Place::Text, Place::Comment, Place::Phrase] {
                for encoding in [Encoding::B, Encoding::Q, Encoding::Shorter] {
                    for column in [0, 9, 40, 75] {
                        let charset = charset_named(name);
                        let words =
                            encode_as(text, charset, place, encoding, column, "\r\n").expect(name);
                        let context = HeaderContext::default();
                        let read = decode_text(words.as_bytes(), &context, &mut Vec::new());
                        assert_eq!(read, text, "{words}");
                        assert!(words.is_ascii());
                        for (i, line) in words.split("\r\n").enumerate() {
                            assert!(
                                line.len() + if i == 0 { column } else { 0 } <= 78.max(column + 30),
                                "{words}"
                            );
                        }
                        for word in words
                            .split_ascii_whitespace()
                            .filter(|w| w.starts_with("=?"))
                        {
                            assert!(word.len() <= 75, "{word}");
                            let mut found = Vec::new();
                            let alone = decode_text(word.as_bytes(), &context, &mut found);
                            assert!(!alone.contains('\u{fffd}'), "{word}");
                        }
                    }
                }
            }
        }
    }

    /// GMime before 3.2.14 loses text after a padded word.
    #[test]
    fn only_the_last_word_of_a_run_is_padded() {
        let texts = [
            "a".to_owned() + &"日本語".repeat(40),
            "aé".repeat(60),
            "日本語a".repeat(30),
            "😀a".repeat(40),
            "я".repeat(90),
            "ab".to_owned() + &"한국어".repeat(40),
            "a日日".repeat(50),
            "é日é😀".repeat(30),
        ];
        let charsets = [
            "UTF-8",
            "Shift_JIS",
            "GB18030",
            "EUC-KR",
            "ISO-2022-JP",
            "KOI8-R",
            "EUC-JP",
            "Big5",
        ];
        let mut seen = 0;
        for text in &texts {
            for name in charsets {
                for encoding in [Encoding::B, Encoding::Shorter] {
                    for (column, eol) in [(0, ""), (9, "\n"), (40, "\r\n")] {
                        for place in [Place::Text, Place::Phrase] {
                            let Ok(words) =
                                encode_as(text, charset_named(name), place, encoding, column, eol)
                            else {
                                continue;
                            };
                            let list: Vec<&str> = words.split_ascii_whitespace().collect();
                            let (_, before) = list.split_last().expect("words");
                            let padded = before
                                .iter()
                                .filter(|word| word.ends_with("=?=") && word.contains("?B?"));
                            assert_eq!(padded.count(), 0, "{words}");
                            let context = HeaderContext::default();
                            let read = decode_text(words.as_bytes(), &context, &mut Vec::new());
                            assert_eq!(&*read, text, "{words}");
                            seen += before.len();
                        }
                    }
                }
            }
        }
        assert!(seen > 500, "{seen}");
    }

    #[test]
    fn unencodable_text_is_an_error() {
        let latin = charset_named("ISO-8859-1");
        let encode = |text: &str, charset| {
            encode_as(text, charset, Place::Text, Encoding::Shorter, 0, "\r\n")
        };
        assert_eq!(
            encode("ab ü€", latin),
            Err(Unencodable::Character {
                charset: latin,
                at: 5
            })
        );
        for name in ["UTF-7", "UTF-16", "UTF-32"] {
            assert_eq!(
                encode("ü", charset_named(name)),
                Err(Unencodable::Charset(charset_named(name))),
                "{name}"
            );
        }
        assert_eq!(encode("plain", latin), Ok("plain".to_owned()));
        assert_eq!(
            encode("a ü b", latin),
            Ok("a =?ISO-8859-1?Q?=FC?= b".to_owned())
        );
        assert_eq!(
            encode("テスト", charset_named("ISO-2022-JP")),
            Ok("=?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=".to_owned())
        );
        assert_eq!(
            encode("ü", Charset::UTF_8),
            Ok("=?UTF-8?B?w7w=?=".to_owned())
        );
    }
}
