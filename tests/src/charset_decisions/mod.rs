//! Measures charset decisions: text of known charset under right labels, without labels and under wrong labels.
//!
//! ```text
//! faker, signs ─► cases ─► Case ─► read ─► Outcome ─► Tally (labels), Reliability (confidence)
//!                real_mail, held_out ────────────────┘
//! ```
//!
//! # Limits
//!
//! Messages have one text part or one Subject field. Some name the country of the writer. The text is the only other hint at a
//! language.

pub mod cases;
mod document;
mod held_out;
mod mail_place;
mod material;
mod real_mail;
mod reliability;
mod rules;
mod tally;

pub use cases::CaseSelection;
pub use document::Tables;
pub use held_out::{held_out, samples};
pub use mail_place::MailPlace;
pub use real_mail::{Judgement, RealMail};
pub use reliability::Reliability;
pub use rules::{Material, ablation, without};
pub use tally::{DecisionCounts, RowCounts};

use crate::faker::encoded;
use mailglot_codec::Charset;
use mailglot_mime::header::{self, FieldKind};
use mailglot_mime::{
    How, Limits, Message, Policy, Report, encoded_word::HeaderContext, header_context, text_parts,
};

/// Origin of the text of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Set {
    /// Faker's texts, unchanged.
    Plain,
    /// The same texts in capitals.
    Capitals,
    /// Texts with added signs.
    Signs,
    /// ASCII texts whose only bytes above 7F are signs.
    SignsOnly,
    /// English with full-width spaces and names of fonts in East Asian charsets.
    EastAsian,
    /// Lines in windows-1252 and in UTF-8.
    Mixed,
    /// Faker's texts in brackets, tags, paths and other places of mail.
    Places,
}

/// Position of the text in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextPosition {
    /// A text/plain body.
    Plain,
    /// A text/html body.
    Html,
    /// Raw bytes in a Subject field.
    RawHeader,
    /// An encoded word in a Subject field.
    Word,
}

/// Label of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// A label that decodes to the right text.
    Right(&'static str),
    /// No label.
    None,
    /// A label that decodes to another text.
    Wrong(&'static str),
}

/// One message with known text.
#[derive(Clone, Debug)]
pub struct Case {
    /// Origin of the text.
    pub set: Set,
    /// Language of the text: `de`.
    pub language: String,
    /// The charset that encoded the bytes.
    pub charset: Charset,
    /// Position of the text.
    pub form: TextPosition,
    /// The label.
    pub label: Label,
    /// Number of lines.
    pub lines: usize,
    /// What surrounds the names, in [`Set::Places`].
    pub place: Option<MailPlace>,
    /// Country code for the address and the time zone of the writer. None for messages without these fields.
    pub country: Option<String>,
    /// True if the address names the country, not only the time zone.
    pub has_address: bool,
    /// The encoded text.
    pub bytes: Vec<u8>,
    /// The text.
    pub text: String,
}

/// Result of reading a case.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// True if the text is right.
    pub right: bool,
    /// The decoded text.
    pub text: String,
    /// The charset used for a body.
    pub used: Option<Charset>,
    /// Probability stated for a guess.
    pub confidence: Option<f32>,
    /// The step that decided the charset of a body.
    pub how: Option<How>,
    /// True if an event reports the label as wrong or suspect.
    pub warned: bool,
    /// Codes of the events.
    pub codes: Vec<&'static str>,
}

impl Case {
    /// Encodes a text as a body without a label. Returns None if the charset lacks a character.
    fn new(set: Set, language: &str, charset: Charset, text: &str, lines: usize) -> Option<Self> {
        let (bytes, text) = encoded(text, charset)?;
        Some(Self {
            set,
            language: language.to_owned(),
            charset,
            form: TextPosition::Plain,
            label: Label::None,
            lines,
            place: None,
            country: None,
            has_address: false,
            bytes,
            text,
        })
    }

    /// Returns the same text in another position, under another label.
    fn with(&self, form: TextPosition, label: Label) -> Self {
        Self {
            form,
            label,
            ..self.clone()
        }
    }

    /// Returns the number of bytes above 7F.
    pub fn high(&self) -> usize {
        self.bytes.iter().filter(|byte| **byte >= 0x80).count()
    }

    /// Builds the message.
    pub fn message(&self) -> Vec<u8> {
        let parameter = match self.label {
            Label::Right(label) | Label::Wrong(label) => format!("; charset={label}"),
            Label::None => String::new(),
        };
        let head = |kind: &str| {
            format!("Content-Type: text/{kind}{parameter}\nContent-Transfer-Encoding: 8bit\n\n")
                .into_bytes()
        };
        let writer = self.writer().into_bytes();
        match self.form {
            TextPosition::Plain => [&writer, &head("plain"), &self.bytes[..], b"\n"].concat(),
            TextPosition::Html => [&writer, &head("html"), &self.bytes[..], b"\n"].concat(),
            TextPosition::RawHeader => [
                b"Subject: ",
                &self.bytes[..],
                b"\n",
                &writer,
                b"\nSee above.\n",
            ]
            .concat(),
            TextPosition::Word => [
                b"Subject: ",
                self.word().as_bytes(),
                b"\n",
                &writer,
                b"\nSee above.\n",
            ]
            .concat(),
        }
    }

    /// Returns the fields From and Date of a writer in `country`.
    fn writer(&self) -> String {
        let Some(country) = &self.country else {
            return String::new();
        };
        let zone = match country.as_str() {
            "jp" | "kr" => "+0900",
            "cn" | "tw" | "ph" => "+0800",
            "th" | "vn" | "id" => "+0700",
            "in" => "+0530",
            "ir" => "+0330",
            "ru" | "sa" | "tr" => "+0300",
            "bg" | "gr" | "il" | "ro" | "ua" | "fi" | "ee" | "lt" | "lv" => "+0200",
            "gb" | "ie" | "pt" | "is" => "+0000",
            "us" | "ca" | "co" | "cl" | "mx" => "-0500",
            "br" | "ar" => "-0300",
            _ => "+0100",
        };
        let from = if self.has_address {
            format!("From: office@mail.example.{country}\n")
        } else {
            String::new()
        };
        format!("{from}Date: Mon, 14 Oct 2002 10:30:00 {zone}\n")
    }

    fn word(&self) -> String {
        use std::fmt::Write as _;
        let (Label::Right(label) | Label::Wrong(label)) = self.label else {
            panic!("words have labels")
        };
        let mut word = format!("=?{label}?Q?");
        for byte in &self.bytes {
            if byte.is_ascii_alphanumeric() {
                word.push(char::from(*byte));
            } else {
                let _ = write!(word, "={byte:02X}");
            }
        }
        word + "?="
    }

    /// Reads the message.
    pub fn read(&self, policy: &Policy) -> Outcome {
        let raw = self.message();
        let message = Message::parse(&raw, &Limits::default());
        match self.form {
            TextPosition::Plain | TextPosition::Html => self.read_body(&message, policy),
            TextPosition::RawHeader | TextPosition::Word => self.read_field(&message, policy),
        }
    }

    fn read_body(&self, message: &Message<'_>, policy: &Policy) -> Outcome {
        let mut report = Report::with_limit(20);
        let part = text_parts(message, policy, &mut report)
            .pop()
            .expect("one text part");
        let text = part.text;
        let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
        let codes: Vec<_> = report
            .events
            .iter()
            .map(|event| event.kind.code())
            .collect();
        Outcome {
            right: text == self.text,
            text,
            used: Some(part.reading.used),
            confidence: part.reading.confidence,
            how: Some(part.reading.how),
            warned: codes.iter().any(|code| is_warning(code)),
            codes,
        }
    }

    fn read_field(&self, message: &Message<'_>, policy: &Policy) -> Outcome {
        let context: HeaderContext<'_> = header_context(message, policy);
        let field = message.all_fields().first().expect("one field");
        let value = field.value.of(message.raw()).trim_ascii();
        let mut findings = Vec::new();
        let text =
            header::decode(value, FieldKind::Unstructured, &context, &mut findings).into_owned();
        let codes: Vec<_> = findings.iter().map(|finding| finding.kind.code()).collect();
        Outcome {
            right: text == self.text,
            text,
            used: None,
            confidence: None,
            how: None,
            warned: codes.iter().any(|code| is_warning(code)),
            codes,
        }
    }
}

/// Returns true for events that report a label as wrong or suspect, or that name a charset that no label names.
fn is_warning(code: &str) -> bool {
    let harmless = [
        "charset.superset",
        "charset.alias",
        "charset.unlabelled",
        "charset.visual-order",
    ];
    code == "ew.raw8bit" || code.starts_with("charset.") && !harmless.contains(&code)
}
