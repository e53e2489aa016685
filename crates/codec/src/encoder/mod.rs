//! Encodes UTF-8 text in a charset.
//!
//! A charset is written in its own repertoire (ISO-8859-1 gets no bytes of windows-1252), double-byte ones in WHATWG's. The log says which
//! characters were replaced by look-alikes: U+00A5 by 5C in Shift_JIS, U+301C by the code of U+FF5E, Vietnamese letters by base and tone.
//!
//! # Limits
//! Reports no output offsets. The text at the range of a record shows the character.

mod double_byte;
mod limited;
mod options;
mod out;
mod single_byte;
mod translit;
mod twins;
mod unicode;

pub use limited::Piece;
pub use options::EncodeOptions;
pub(crate) use out::{Encode, Gather, Out};

use crate::charset::Kind;
use crate::sequences::{self, Repertoire};
use crate::{
    Charset, LossKind, LossLog, Mode, Unencodable, bocu1, euc_fixed_width, iso2022, koi7,
    multi_byte, scsu, utf_ebcdic, utf1, utf7,
};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// The replacement for a character that the charset cannot encode. Each one is logged.
///
/// [`Charset::encode_exact`] and [`Charset::new_exact_encoder`] stop at such a character instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unmappable {
    /// Writes `?`.
    QuestionMark,
    /// Writes a text of the caller, without the characters that the charset cannot encode.
    Replace(Cow<'static, str>),
    /// Writes a decimal reference such as `&#8364;`, as the error mode "html" of the WHATWG Encoding Standard does (section 4.1).
    HtmlDecimal,
    /// Writes a hexadecimal reference such as `&#x20AC;`.
    HtmlHex,
    /// Writes nothing.
    Skip,
    /// Writes the nearest text that the charset has, by `data/translit.tsv`: `é` becomes `e`, `“` becomes `"`, `€` becomes `EUR`.
    ///
    /// The log has such a character as [`LossKind::Substituted`]. A character without a near text becomes `?`, and the log has it as
    /// [`LossKind::Unmappable`].
    Transliterate,
}

impl Unmappable {
    fn replacement(&self, c: char) -> Cow<'_, str> {
        match self {
            Self::Skip => "".into(),
            Self::QuestionMark | Self::Transliterate => "?".into(),
            Self::Replace(text) => text.as_ref().into(),
            Self::HtmlDecimal => format!("&#{};", c as u32).into(),
            Self::HtmlHex => format!("&#x{:X};", c as u32).into(),
        }
    }
}

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
    /// Look-alikes count as encoded, as in [`Charset::encode`].
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

    /// Encodes a text in pieces of at most `max_bytes` bytes, each of which decodes alone: it begins and ends in the
    /// initial state, at the borders of characters. A character that needs more bytes is a piece of its own.
    pub fn encode_limited(
        self,
        text: &str,
        max_bytes: usize,
        options: &EncodeOptions,
        log: &mut LossLog,
    ) -> Vec<Piece> {
        limited::encode_limited(self, text, max_bytes, options, log)
    }
}

/// A streaming encoder. Splitting the text anywhere gives the same bytes and log.
///
/// ```
/// use mailglot_codec::{Charset, LossLog, Unmappable};
///
/// let (mut bytes, mut log) = (Vec::new(), LossLog::new());
/// let mut encoder = Charset::ISO_2022_JP.new_encoder(Unmappable::HtmlDecimal);
/// encoder.push("日", &mut bytes, &mut log);
/// encoder.push("本 €", &mut bytes, &mut log);
/// encoder.finish(&mut bytes, &mut log);
/// assert_eq!(bytes, b"\x1b$BF|K\\\x1b(B &#8364;");
/// assert_eq!(log.kept()[0].bytes, 7..10);
/// ```
#[derive(Debug)]
pub struct Encoder {
    charset: Charset,
    machine: Box<dyn Encode>,
    mode: Mode,
    /// `None` stops before a character that the charset cannot encode.
    unmappable: Option<Unmappable>,
    /// Bytes of text so far.
    offset: u64,
    stopped: bool,
}

impl Encoder {
    /// Encodes the next piece of text; `log` gets byte ranges in the whole text.
    pub fn push(&mut self, text: &str, bytes: &mut Vec<u8>, log: &mut LossLog) {
        let mut out = Out::new(bytes, log, self.mode, self.offset);
        let mut rest = text;
        while !rest.is_empty() && !self.stopped {
            out.rebase(self.offset + (text.len() - rest.len()) as u64);
            let ControlFlow::Break(at) = self.machine.run(rest, &mut out) else {
                break;
            };
            let mut behind = rest[at..].chars();
            let Some(c) = behind.next() else { break };
            self.replace(at, c, &mut out);
            rest = behind.as_str();
        }
        self.offset += text.len() as u64;
    }

    /// Ends the text. A stateful charset returns to its initial state.
    pub fn finish(mut self, bytes: &mut Vec<u8>, log: &mut LossLog) {
        self.machine
            .end(&mut Out::new(bytes, log, self.mode, self.offset));
    }

    /// Returns true after an encoder of [`Charset::new_exact_encoder`] met a character that it cannot encode. It ignores later input.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Returns an encoder with options. [`Charset::new_encoder`] returns one without.
    pub fn with(charset: Charset, options: EncodeOptions) -> Self {
        Self {
            charset,
            machine: machine(charset, options.mode, options.utf_7_optional_direct),
            mode: options.mode,
            unmappable: Some(options.unmappable),
            offset: 0,
            stopped: false,
        }
    }

    fn new(charset: Charset, unmappable: Option<Unmappable>, mode: Mode) -> Self {
        Self {
            charset,
            machine: machine(charset, mode, false),
            mode,
            unmappable,
            offset: 0,
            stopped: false,
        }
    }

    /// Records the character that the machine stopped at, and writes its replacement.
    fn replace(&mut self, at: usize, c: char, out: &mut Out<'_>) {
        let carried = |c| carries(self.charset, self.mode, c);
        // A character reference keeps the character.
        let refers = matches!(
            self.unmappable,
            Some(Unmappable::HtmlDecimal | Unmappable::HtmlHex)
        );
        let spelled = if refers || self.mode == Mode::Strict {
            None
        } else {
            twins::spelling(self.charset, c, carried)
        };
        let near = spelled.or_else(|| match self.unmappable {
            Some(Unmappable::Transliterate) => translit::nearest(c, carried),
            _ => None,
        });
        let near = near.map(Cow::Owned);
        let kind = if near.is_some() {
            LossKind::Substituted
        } else {
            LossKind::Unmappable
        };
        self.stopped = near.is_none() && self.unmappable.is_none();
        let replacement = near.unwrap_or_else(|| match &self.unmappable {
            Some(unmappable) => unmappable.replacement(c),
            None => Cow::Borrowed(""),
        });
        if replacement.is_empty() {
            out.record(at, c, kind);
            return;
        }
        // Pending output comes first, with its records.
        self.machine.neutral(out);
        out.record(at, c, kind);
        let mut rest = replacement.as_ref();
        while let ControlFlow::Break(stop) = self.machine.run(rest, &mut out.quiet(at)) {
            let mut behind = rest[stop..].chars();
            behind.next();
            rest = behind.as_str();
        }
    }
}

/// Returns true if a machine in its initial state can encode a character.
fn carries(charset: Charset, mode: Mode, c: char) -> bool {
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(0));
    let mut out = Out::new(&mut bytes, &mut log, mode, 0);
    machine(charset, mode, false)
        .run(c.encode_utf8(&mut [0; 4]), &mut out)
        .is_continue()
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

fn machine(charset: Charset, mode: Mode, utf_7_optional_direct: bool) -> Box<dyn Encode> {
    match charset.kind() {
        Kind::Utf8 => Box::new(unicode::Utf8),
        Kind::Cesu8 => Box::new(unicode::Cesu8),
        Kind::Utf16(order) => Box::new(unicode::Utf16::new(order, unicode::last_of(charset))),
        Kind::Utf32(order) => Box::new(unicode::Utf32::new(order)),
        Kind::Utf7 if utf_7_optional_direct => Box::new(utf7::Encoder::new(utf7::Direct::WithSetO)),
        Kind::Utf7 => Box::new(utf7::Encoder::new(utf7::Direct::SetD)),
        Kind::Utf7Imap => Box::new(utf7::Encoder::new(utf7::Direct::Imap)),
        Kind::Scsu => Box::new(scsu::Writer::default()),
        Kind::Bocu1 => Box::new(bocu1::Writer::default()),
        Kind::Utf1 => Box::new(unicode::ByCharacter(utf1::push)),
        Kind::UtfEbcdic => Box::new(unicode::ByCharacter(utf_ebcdic::push)),
        Kind::SingleByte(_) => Box::new(single_byte::SingleByte::new(charset, mode)),
        Kind::DoubleByte(family, subset) => {
            Box::new(double_byte::DoubleByte::new(family, subset, mode))
        }
        Kind::EucFixedWidth => Box::new(euc_fixed_width::Encoder::new(mode)),
        Kind::MultiByte(layout, set) => Box::new(match charset.superset().kind() {
            // Lenient encoding writes only bytes that lenient decoding reads as the same characters.
            Kind::MultiByte(layout, set) if mode == Mode::Lenient => {
                multi_byte::Encoder::new(layout, set)
            }
            Kind::DoubleByte(family, _) if mode == Mode::Lenient => {
                multi_byte::Encoder::new(layout, set).read_as(family)
            }
            _ => multi_byte::Encoder::new(layout, set),
        }),
        Kind::MixedEbcdic(set) => Box::new(multi_byte::Encoder::mixed(set)),
        Kind::Iso2022(flavor) => Box::new(iso2022::Encoder::new(flavor, mode)),
        Kind::Koi7 => Box::new(koi7::Encoder::default()),
        Kind::Sequences(list) => {
            let repertoire = match mode {
                Mode::Strict => Repertoire::Exact,
                Mode::Lenient if charset.superset() == charset => Repertoire::All,
                Mode::Lenient => Repertoire::Ascii,
            };
            Box::new(sequences::Encoder::new(list, repertoire))
        }
    }
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
