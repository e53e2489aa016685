//! Encodes a stream of text: a machine for each kind of charset, and one frame that replaces what a machine cannot encode.
//!
//! # Limits
//! Reports no output offsets.

use super::double_byte::DoubleByteEncoder;
use super::options::EncodeOptions;
use super::single_byte::SingleByteEncoder;
use super::unmappable::Unmappable;
use super::{alternate_spellings, translit, unicode};
use crate::bocu1::Bocu1Encoder;
use crate::charset::{Charset, Kind};
use crate::encoder_machine::{Encode, Out};
use crate::euc_fixed_width::EucFixedWidthEncoder;
use crate::iso2022::Iso2022Encoder;
use crate::koi7::Koi7Encoder;
use crate::loss::{LossKind, LossLog};
use crate::mode::Mode;
use crate::multi_byte::MultiByteEncoder;
use crate::scsu::ScsuEncoder;
use crate::sequences::{Repertoire, SequenceEncoder};
use crate::stateless_unicode::StatelessEncoder;
use crate::utf_ebcdic::UtfEbcdic;
use crate::utf1::Utf1;
use crate::utf7::{Direct, Utf7Encoder};
use std::borrow::Cow;
use std::ops::ControlFlow;

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
#[derive(Clone, Debug)]
pub struct Encoder {
    charset: Charset,
    machine: Box<dyn Encode>,
    mode: Mode,
    /// `None` stops before a character that the charset cannot encode.
    unmappable: Option<Unmappable>,
    /// Bytes of text so far.
    pub(super) offset: u64,
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

    pub(super) fn new(charset: Charset, unmappable: Option<Unmappable>, mode: Mode) -> Self {
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
        let transliterates = matches!(self.unmappable, Some(Unmappable::Transliterate));
        let spelled = if refers || self.mode == Mode::Strict && !transliterates {
            None
        } else {
            alternate_spellings::spelling(self.charset, c, carried)
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
        self.machine.before_replacement(&replacement, out);
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

fn machine(charset: Charset, mode: Mode, utf_7_optional_direct: bool) -> Box<dyn Encode> {
    match charset.kind() {
        Kind::Utf8 => Box::new(unicode::Utf8Encoder),
        Kind::Cesu8 => Box::new(unicode::Cesu8Encoder),
        Kind::Utf16(order) => {
            Box::new(unicode::Utf16Encoder::new(order, unicode::last_of(charset)))
        }
        Kind::Utf32(order) => Box::new(unicode::Utf32Encoder::new(order)),
        Kind::Utf7 if utf_7_optional_direct => Box::new(Utf7Encoder::new(Direct::WithSetO)),
        Kind::Utf7 => Box::new(Utf7Encoder::new(Direct::SetD)),
        Kind::Utf7Imap => Box::new(Utf7Encoder::new(Direct::Imap)),
        Kind::Scsu => Box::new(ScsuEncoder::default()),
        Kind::Bocu1 => Box::new(Bocu1Encoder::default()),
        Kind::Utf1 => Box::new(StatelessEncoder::<Utf1>::new()),
        Kind::UtfEbcdic => Box::new(StatelessEncoder::<UtfEbcdic>::new()),
        Kind::SingleByte(_) => Box::new(SingleByteEncoder::new(charset, mode)),
        Kind::DoubleByte(family, subset) => Box::new(DoubleByteEncoder::new(family, subset, mode)),
        Kind::EucFixedWidth => Box::new(EucFixedWidthEncoder::new(mode)),
        Kind::MultiByte(layout, set) => Box::new(match charset.superset().kind() {
            // Lenient encoding writes only bytes that lenient decoding reads as the same characters.
            Kind::MultiByte(layout, set) if mode == Mode::Lenient => {
                MultiByteEncoder::new(layout, set)
            }
            Kind::DoubleByte(family, _) if mode == Mode::Lenient => {
                MultiByteEncoder::new(layout, set).read_as(family)
            }
            _ => MultiByteEncoder::new(layout, set),
        }),
        Kind::MixedEbcdic(set) => Box::new(MultiByteEncoder::mixed(set)),
        Kind::Iso2022(flavor) => Box::new(Iso2022Encoder::new(flavor, mode)),
        Kind::Koi7 => Box::new(Koi7Encoder::default()),
        Kind::Sequences(list) => {
            let repertoire = match mode {
                Mode::Strict => Repertoire::Exact,
                Mode::Lenient if charset.superset() == charset => Repertoire::All,
                Mode::Lenient => Repertoire::Ascii,
            };
            Box::new(SequenceEncoder::new(list, repertoire))
        }
    }
}
