//! Encodes UTF-8 text in a charset.
//!
//! A charset is written in its own repertoire (ISO-8859-1 gets no bytes of windows-1252), double-byte ones in WHATWG's. The log says which
//! characters were replaced by look-alikes: U+00A5 by 5C in Shift_JIS, U+301C by the code of U+FF5E, Vietnamese letters by base and tone.
//!
//! # Limits
//! Reports no output offsets. The text at the range of a record shows the character.

mod alternate_spellings;
mod double_byte;
mod limited;
mod options;
mod single_byte;
mod stream;
mod translit;
mod unicode;
mod unmappable;

pub use limited::Piece;
pub use options::EncodeOptions;
pub use stream::Encoder;
pub use unmappable::Unmappable;

use crate::charset::{Charset, Kind};
use crate::loss::LossLog;
use crate::mode::Mode;
use crate::unencodable::Unencodable;
use std::borrow::Cow;

impl Charset {
    /// Returns a streaming encoder, which writes look-alikes where WHATWG does, and logs them.
    pub fn new_encoder(self, unmappable: Unmappable) -> Encoder {
        Encoder::new(self, Some(unmappable), Mode::Lenient)
    }

    /// Returns a streaming encoder for the charset's own definition, without look-alikes and supersets.
    pub fn new_strict_encoder(self, unmappable: Unmappable) -> Encoder {
        Encoder::new(self, Some(unmappable), Mode::Strict)
    }

    /// Returns a streaming encoder that stops before the first character that the charset cannot encode.
    ///
    /// [`Encoder::is_stopped`] then returns true, the last loss in the log is that character, and later input is ignored.
    ///
    /// ```
    /// use mailglot_codec::{Charset, LossLog, Mode};
    ///
    /// let (mut bytes, mut log) = (Vec::new(), LossLog::new());
    /// let mut encoder = Charset::KOI8_R.new_exact_encoder(Mode::Strict);
    /// encoder.push("Да ☃ Да", &mut bytes, &mut log);
    /// assert!(encoder.is_stopped());
    /// assert_eq!((bytes, log.kept()[0].bytes.clone()), (b"\xE4\xC1 ".to_vec(), 5..8));
    /// ```
    pub fn new_exact_encoder(self, mode: Mode) -> Encoder {
        Encoder::new(self, None, mode)
    }

    /// Encodes a whole text, and replaces each character that the charset cannot encode.
    ///
    /// `log` gets the byte ranges in `text` of these characters. The result always stands for the whole text.
    ///
    /// ```
    /// use mailglot_codec::{Charset, LossLog, Unmappable};
    ///
    /// let mut log = LossLog::new();
    /// assert_eq!(Charset::KOI8_R.encode("Да ☃!", Unmappable::QuestionMark, &mut log), &b"\xE4\xC1 ?!"[..]);
    /// assert_eq!(log.kept()[0].bytes, 5..8);
    /// ```
    pub fn encode<'a>(
        self,
        text: &'a str,
        unmappable: Unmappable,
        log: &mut LossLog,
    ) -> Cow<'a, [u8]> {
        encode(self, text, Some(unmappable), log)
    }

    /// Encodes a whole text, or returns the first character that the charset cannot encode.
    ///
    /// Look-alikes count as encoded, as in [`Charset::encode`] without references of HTML (see [`Unmappable`]).
    ///
    /// ```
    /// use mailglot_codec::Charset;
    ///
    /// assert_eq!(Charset::KOI8_R.encode_exact("Да")?, &b"\xE4\xC1"[..]);
    /// let error = Charset::KOI8_R.encode_exact("Да ☃").unwrap_err();
    /// assert_eq!((error.character, error.at), ('☃', 5));
    /// # Ok::<(), mailglot_codec::Unencodable>(())
    /// ```
    pub fn encode_exact(self, text: &str) -> Result<Cow<'_, [u8]>, Unencodable> {
        let mut log = LossLog::with_limit(usize::MAX);
        let bytes = encode(self, text, None, &mut log);
        let lost = log.kept().iter().find(|loss| loss.kind.is_loss());
        let Some(at) = lost.map(|loss| loss.bytes.start) else {
            return Ok(bytes);
        };
        let rest = usize::try_from(at).ok().and_then(|at| text.get(at..));
        let character = rest.and_then(|rest| rest.chars().next());
        Err(Unencodable {
            character: character.unwrap_or(char::REPLACEMENT_CHARACTER),
            at,
        })
    }
}

/// Encodes a whole text; borrows where the text's own bytes are the answer.
fn encode<'a>(
    charset: Charset,
    text: &'a str,
    unmappable: Option<Unmappable>,
    log: &mut LossLog,
) -> Cow<'a, [u8]> {
    let same = match charset.kind() {
        Kind::Utf8 => true,
        Kind::Cesu8 => !text.bytes().any(|b| b >= 0xF0),
        _ => charset.is_ascii_compatible() && text.is_ascii(),
    };
    if same {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len() + 8);
    let mut encoder = Encoder::new(charset, unmappable, Mode::Lenient);
    encoder.push(text, &mut bytes, log);
    encoder.finish(&mut bytes, log);
    Cow::Owned(bytes)
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
        (
            bytes,
            log.kept()
                .iter()
                .map(|l| (l.bytes.start, l.bytes.end, l.kind.name()))
                .collect(),
        )
    }

    #[test]
    fn a_charset_keeps_to_its_own_repertoire() {
        let (bytes, log) = encode_all(Charset::ISO_8859_1, "é€x\u{85}", Unmappable::QuestionMark);
        let expected = [(2, 5, "unmappable"), (6, 8, "unmappable")];
        assert_eq!(
            (bytes.as_slice(), log.as_slice()),
            (&b"\xE9?x?"[..], &expected[..])
        );
        let (bytes, log) = encode_all(Charset::US_ASCII, "aé", Unmappable::Skip);
        assert_eq!(
            (bytes.as_slice(), log.as_slice()),
            (&b"a"[..], &[(1, 3, "unmappable")][..])
        );
        let (bytes, log) = encode_all(Charset::WINDOWS_1252, "é€\u{81}", Unmappable::Skip);
        assert_eq!((bytes.as_slice(), log.len()), (&b"\xE9\x80\x81"[..], 0));
        let error = Charset::ISO_8859_9.encode_exact("ğ€x").unwrap_err();
        assert_eq!((error.character, error.at), ('€', 2));
        assert_eq!(
            encode_all(Charset::KOI8_R, "в€", Unmappable::HtmlDecimal).0,
            b"\xD7&#8364;"
        );
    }

    #[test]
    fn iso_2022_jp_returns_to_ascii_at_line_ends_and_before_replacements() {
        let (bytes, log) = encode_all(
            Charset::ISO_2022_JP,
            "日\u{A5}\r\n本💩語",
            Unmappable::HtmlDecimal,
        );
        assert_eq!(
            bytes,
            b"\x1b$BF|\x1b(J\\\x1b(B\r\n\x1b$BK\\\x1b(B&#128169;\x1b$B8l\x1b(B".as_slice(),
            "{:?}",
            String::from_utf8_lossy(&bytes)
        );
        assert_eq!(log, [(10, 14, "unmappable")]);
        let (mut bytes, mut log) = (Vec::new(), LossLog::new());
        let mut exact = Charset::ISO_2022_JP.new_exact_encoder(Mode::Lenient);
        exact.push("日💩語", &mut bytes, &mut log);
        assert!(exact.is_stopped() && log.losses() == 1);
        exact.finish(&mut bytes, &mut log);
        assert_eq!(bytes, b"\x1b$BF|\x1b(B");
    }

    #[test]
    fn look_alikes_are_reported() {
        assert_eq!(
            encode_all(Charset::SHIFT_JIS, "a\u{A5}b", Unmappable::Skip),
            (b"a\\b".to_vec(), vec![(1, 3, "substituted")])
        );
        assert_eq!(
            encode_all(Charset::ISO_2022_JP, "\u{FF71}", Unmappable::Skip).1,
            [(0, 3, "substituted")]
        );
    }

    #[test]
    fn transliteration_goes_to_the_nearest() {
        for (charset, text, expected) in [
            (
                Charset::US_ASCII,
                "“naïve” — Œuvre … 5 €, ½",
                &b"\"naive\" - OEuvre ... 5 EUR, 1/2"[..],
            ),
            (Charset::ISO_8859_1, "ấ Ş ‹œ› ﬁn", b"\xE2 S 'oe' fin"),
            (Charset::WINDOWS_1252, "“ș”", b"\x93s\x94"),
            (Charset::ISO_8859_9, "ș", b"\xFE"),
            (Charset::KOI8_R, "ўґ", "уг".as_bytes()),
            (Charset::US_ASCII, "Щи 日", b"Shchi ?"),
        ] {
            let (bytes, log) = encode_all(charset, text, Unmappable::Transliterate);
            if charset == Charset::KOI8_R {
                assert_eq!(
                    charset.decode(&bytes, &mut LossLog::new()).as_bytes(),
                    expected
                );
            } else {
                assert_eq!(bytes, expected, "{text}");
            }
            assert_eq!(
                log.iter().any(|(.., kind)| *kind == "unmappable"),
                text.contains('日'),
                "{text}"
            );
            assert!(
                log.iter().any(|(.., kind)| *kind == "substituted"),
                "{text}"
            );
        }
    }

    #[test]
    fn replacements_are_written_in_the_charset() {
        let way = || Unmappable::Replace("<日~\u{1F600}>".into());
        assert_eq!(encode_all(Charset::ISO_8859_1, "a日", way()).0, b"a<~>");
        assert_eq!(
            encode_all(Charset::HZ_GB_2312, "中\u{1F601}中", way()).0,
            b"~{VP~}<~{HU~}~~>~{VP~}"
        );
        assert_eq!(
            encode_all(Charset::ISO_2022_JP, "日\x1B", Unmappable::HtmlHex).0,
            b"\x1b$BF|\x1b(B&#x1B;"
        );
    }

    #[test]
    fn unicode_forms() {
        assert_eq!(
            encode_all(Charset::UTF_16, "é💩", Unmappable::Skip).0,
            b"\xFE\xFF\0\xE9\xD8\x3D\xDC\xA9"
        );
        assert_eq!(
            encode_all(Charset::UTF_16LE, "é", Unmappable::Skip).0,
            b"\xE9\0"
        );
        assert_eq!(
            encode_all(Charset::UTF_32BE, "💩", Unmappable::Skip).0,
            b"\0\x01\xF4\xA9"
        );
        assert_eq!(
            encode_all(Charset::CESU_8, "\u{1F600}", Unmappable::Skip).0,
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
                encode_all(Charset::UTF_7, text, Unmappable::Skip).0,
                expected.as_bytes(),
                "{text:?}"
            );
        }
    }
}
