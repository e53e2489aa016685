//! Generates large mailboxes with ground truth, fast. The same options give the same bytes on every machine.
//!
//! Charsets come from encoding_rs and from a few lines of our own, never from the crates under test.
//!
//! # Limits
//!
//! Every line of text is one sentence, and sentences repeat: results compress and cache better than real mail. There is no HTML. Flaws
//! are rarer than in old archives, except with [`Flaws::Many`].

mod encoders;
mod subject;
mod texts;

pub use encoders::{base64, base64_words, encode, quoted_printable, utf7};

use crate::rng::Rng;
use crate::splitting::{MailboxForm, Messages};
use mailglot_archive::Quoting;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};
use subject::{Subject, word};
use texts::{DAMAGED_KINDS, KINDS, Kind, LANGUAGES};

/// Returns the sentences of all languages, with the WHATWG name of an encoding that can represent them.
pub fn sentences() -> Vec<(&'static str, &'static str)> {
    let of = |kind: &'static Kind| {
        LANGUAGES[kind.language]
            .sentences
            .iter()
            .map(move |sentence| (*sentence, kind.real))
    };
    KINDS.iter().flat_map(of).collect()
}

/// Kind of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A mailing list: plain text, quotes, patches, few attachments.
    List,
    /// Personal mail: four of ten messages are multiparts, and about two thirds of the bytes are attachments.
    Mixed,
}

/// Dialect of the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Every `>*From ` line is quoted.
    Mboxrd,
    /// Only `From ` lines are quoted.
    Mboxo,
    /// Nothing is quoted; Content-Length gives the end of a message.
    Mboxcl2,
}

/// Share of text parts with a wrong, unknown or missing label, and of damaged subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flaws {
    /// Every label is right.
    None,
    /// 8 % of the parts; no subject.
    #[default]
    Few,
    /// 15 % of the parts. Encoded words have the charset of their message. Of the subjects with foreign letters, 3 % are
    /// raw bytes, and 3 % have words that end within a character.
    Many,
}

/// Options of a mailbox.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Kind of messages.
    pub profile: Profile,
    /// Dialect of the mailbox.
    pub dialect: Dialect,
    /// Uses CR LF instead of LF.
    pub crlf: bool,
    /// Share of flawed parts.
    pub flaws: Flaws,
    /// The mailbox ends after the message that reaches this many bytes.
    pub size: u64,
    /// Seed.
    pub seed: u64,
}

/// The truth about a message, as one line of JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Truth {
    /// Ordinal, from 0.
    pub n: u64,
    /// Offset of the separator line in the mailbox.
    pub offset: u64,
    /// Length in bytes, including the separator line and the last blank line.
    pub length: u64,
    /// Text of the subject.
    pub subject: String,
    /// Defect of the subject, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_flaw: Option<&'static str>,
    /// Text parts in order.
    pub parts: Vec<PartTruth>,
}

/// The truth about a text part.
#[derive(Clone, Debug, Serialize)]
pub struct PartTruth {
    /// Section number.
    pub path: &'static str,
    /// Label as written.
    pub label: Option<&'static str>,
    /// Encoding of the bytes.
    pub real: &'static str,
    /// Transfer encoding.
    pub cte: &'static str,
    /// Defect of the label, if any.
    pub flaw: Option<&'static str>,
    /// The text, with LF line ends.
    pub text: String,
}

/// Writes a mailbox to `out`, and a line for each message to `truth`. Returns the number of messages and bytes.
pub fn write(
    options: &Options,
    out: &mut impl Write,
    mut truth: Option<&mut dyn Write>,
) -> io::Result<(u64, u64)> {
    let mut generator = Generator::new(options, truth.is_some());
    let (mut offset, mut number) = (0, 0);
    let mut bytes = Vec::with_capacity(1 << 17);
    while offset < options.size {
        bytes.clear();
        let message_truth = generator.message(number, offset, &mut bytes);
        out.write_all(&bytes)?;
        if let (Some(truth), Some(message_truth)) = (&mut truth, message_truth) {
            serde_json::to_writer(&mut **truth, &message_truth)?;
            truth.write_all(b"\n")?;
        }
        offset += bytes.len() as u64;
        number += 1;
    }
    out.flush()?;
    Ok((number, offset))
}

/// Generates the messages of a mailbox of about `size` bytes, half of them multiparts.
pub fn divided(size: u64, form: MailboxForm) -> Messages {
    let dialect = if form.quoting == Quoting::Mboxo {
        Dialect::Mboxo
    } else {
        Dialect::Mboxrd
    };
    let options = Options {
        profile: Profile::Mixed,
        dialect,
        crlf: form.crlf,
        flaws: Flaws::Few,
        size,
        seed: 1,
    };
    let mut generator = Generator::new(&options, false);
    let (mut mailbox, mut offsets) = (Vec::new(), Vec::new());
    while (mailbox.len() as u64) < size {
        offsets.push(mailbox.len());
        generator.message(offsets.len() as u64, 0, &mut mailbox);
    }
    Messages::of_mailbox(&mailbox, &offsets, form)
}

/// A sentence as bytes of a charset, plain and as quoted-printable, each with a line end.
struct Encoded {
    plain: Vec<u8>,
    quoted: Vec<u8>,
}

struct Generator {
    rng: Rng,
    options: Options,
    kinds: Vec<&'static Kind>,
    /// The sentences of each kind.
    pools: Vec<Vec<Encoded>>,
    /// Sum of the weights up to each kind.
    weights: Vec<usize>,
    /// Random bytes from which attachments are cut.
    noise: Vec<u8>,
    with_truth: bool,
    head: Vec<u8>,
    body: Vec<u8>,
}

/// Bytes of an attachment in one line of base64.
const ATTACHMENT_LINE: usize = 57;

impl Generator {
    fn new(options: &Options, with_truth: bool) -> Self {
        let mut rng = Rng::new(options.seed);
        let eol: &str = if options.crlf { "\r\n" } else { "\n" };
        let kinds = kinds(options.flaws);
        let pools = kinds.iter().map(|kind| pool(kind, eol)).collect();
        let weights = kinds
            .iter()
            .scan(0, |sum, kind| {
                *sum += kind.weight;
                Some(*sum)
            })
            .collect();
        let noise = (0..1 << 17)
            .flat_map(|_| rng.bits().to_le_bytes())
            .collect();
        Self {
            rng,
            options: *options,
            kinds,
            pools,
            weights,
            noise,
            with_truth,
            head: Vec::new(),
            body: Vec::new(),
        }
    }

    fn eol(&self) -> &'static str {
        if self.options.crlf { "\r\n" } else { "\n" }
    }

    fn kind(&mut self) -> usize {
        let at = self.rng.below(*self.weights.last().unwrap_or(&1));
        self.weights.partition_point(|sum| *sum <= at)
    }

    fn message(&mut self, number: u64, offset: u64, out: &mut Vec<u8>) -> Option<Truth> {
        let eol = self.eol();
        let kind = self.kind();
        let language = &LANGUAGES[self.kinds[kind].language];
        let subject = *self.rng.pick(language.sentences);
        let written = match self.options.flaws {
            Flaws::Many => Subject::in_charset(self.kinds[kind], subject, &mut self.rng),
            Flaws::None | Flaws::Few => Subject::in_utf8(subject),
        };
        self.start(number, language.name, &written.bytes);
        self.body.clear();
        let (multipart, attachments) = match self.options.profile {
            Profile::List => (self.rng.chance(4), 1),
            Profile::Mixed => (self.rng.chance(40), 1 + self.rng.below(2)),
        };
        let mut parts = Vec::new();
        if multipart {
            let boundary = format!("=_{:016x}", self.rng.bits());
            let _ = write!(
                self.head,
                "Content-Type: multipart/mixed; boundary=\"{boundary}\"{eol}"
            );
            self.line("This is a multi-part message in MIME format.");
            self.line("");
            self.line(&format!("--{boundary}"));
            self.text_part(kind, "1", true, &mut parts);
            for number in 0..attachments {
                self.line(&format!("--{boundary}"));
                self.attachment(number);
            }
            self.line(&format!("--{boundary}--"));
        } else {
            self.text_part(kind, "1", false, &mut parts);
        }
        let start = out.len();
        let _ = write!(
            out,
            "From user{}@example.org Mon Jan {:2} {:02}:{:02}:{:02} 2001{eol}",
            number % 4000,
            1 + number % 28,
            number % 24,
            number % 60,
            number % 59
        );
        if self.options.dialect == Dialect::Mboxcl2 {
            let _ = write!(self.head, "Content-Length: {}{eol}", self.body.len());
        }
        out.extend_from_slice(&self.head);
        out.extend_from_slice(eol.as_bytes());
        out.extend_from_slice(&self.body);
        out.extend_from_slice(eol.as_bytes());
        self.with_truth.then(|| Truth {
            n: number,
            offset,
            length: (out.len() - start) as u64,
            subject: subject.to_owned(),
            header_flaw: written.flaw,
            parts,
        })
    }

    /// Appends the header fields that every message has.
    fn start(&mut self, number: u64, name: &str, subject: &[u8]) {
        let eol = self.eol();
        self.head.clear();
        let day = 1 + number % 28;
        let head = &mut self.head;
        for hop in 0..3 {
            let _ = write!(
                head,
                "Received: from relay{hop}.example.net (relay{hop}.example.net [192.0.2.{}]){eol}\tby mx.example.org (Postfix) with ESMTP id {:010X}{eol}\tfor <list@example.org>; Mon, {day} Jan 2001 10:{:02}:{:02} +0000 (UTC){eol}",
                1 + number % 250,
                self.rng.bits() >> 24,
                number % 60,
                hop * 7,
            );
        }
        let _ = write!(
            head,
            "From: {} <user{}@example.org>{eol}",
            word(name),
            number % 4000
        );
        let _ = write!(
            head,
            "To: list@example.org{eol}Date: Mon, {day} Jan 2001 10:{:02}:30 +0000{eol}",
            number % 60
        );
        let _ = write!(
            head,
            "Message-ID: <{number}.{:x}@example.org>{eol}",
            self.rng.bits()
        );
        if number > 2 && self.rng.chance(60) {
            let _ = write!(
                head,
                "In-Reply-To: <{}.{:x}@example.org>{eol}",
                number / 2,
                self.rng.bits()
            );
        }
        head.extend_from_slice(b"Subject: ");
        head.extend_from_slice(&fold(subject, eol));
        let _ = write!(
            head,
            "{eol}List-Id: Generated mail <list.example.org>{eol}X-Mailer: Pigeon 2.{}{eol}MIME-Version: 1.0{eol}",
            number % 9
        );
    }

    fn line(&mut self, text: &str) {
        self.body.extend_from_slice(text.as_bytes());
        let eol = self.eol();
        self.body.extend_from_slice(eol.as_bytes());
    }

    /// Appends a text part. Its header goes to the message's header, or into the body for a part of a multipart.
    fn text_part(
        &mut self,
        index: usize,
        path: &'static str,
        inner: bool,
        truth: &mut Vec<PartTruth>,
    ) {
        let eol = self.eol();
        let kind = self.kinds[index];
        let transfer = *self.rng.pick(kind.transfers);
        let mut fields = match kind.label {
            Some(label) => format!("Content-Type: text/plain; charset=\"{label}\"{eol}"),
            None => format!("Content-Type: text/plain{eol}"),
        };
        let _ = write!(fields, "Content-Transfer-Encoding: {transfer}{eol}");
        if inner {
            self.body.extend_from_slice(fields.as_bytes());
            self.body.extend_from_slice(eol.as_bytes());
        } else {
            self.head.extend_from_slice(fields.as_bytes());
        }
        let sentences = LANGUAGES[kind.language].sentences;
        let lines = match self.options.profile {
            Profile::List => 8 + self.rng.below(60),
            Profile::Mixed => 5 + self.rng.below(40),
        };
        let (mut text, mut raw) = (String::new(), Vec::new());
        for _ in 0..lines {
            let at = self.rng.below(sentences.len());
            if self.rng.chance(30) {
                raw.extend_from_slice(b"> ");
                if self.with_truth {
                    text.push_str("> ");
                }
                if transfer != "base64" {
                    self.body.extend_from_slice(b"> ");
                }
            }
            let encoded = &self.pools[index][at];
            match transfer {
                "base64" => raw.extend_from_slice(&encoded.plain),
                "quoted-printable" => self.body.extend_from_slice(&encoded.quoted),
                _ => self.body.extend_from_slice(&encoded.plain),
            }
            if self.with_truth {
                text.push_str(sentences[at]);
                text.push('\n');
            }
        }
        if self.options.profile == Profile::List && kind.language == 0 && self.rng.chance(20) {
            self.patch(&mut text);
        }
        if transfer == "base64" {
            base64(&raw, eol, &mut self.body);
        }
        truth.push(PartTruth {
            path,
            label: kind.label,
            real: kind.real,
            cte: transfer,
            flaw: kind.flaw,
            text,
        });
    }

    /// Appends a patch in ASCII, with a line that mailboxes quote.
    fn patch(&mut self, text: &mut String) {
        let eol = self.eol();
        let start = self.body.len();
        self.line("---");
        self.line(" src/queue.c | 14 +++++++-------");
        for hunk in 0..=self.rng.below(12) {
            self.line(&format!(
                "@@ -{0},7 +{0},9 @@ static int take(struct queue *queue)",
                40 + hunk * 31
            ));
            for _ in 0..7 {
                let sign = *self.rng.pick(&[" ", " ", "-", "+"]);
                let code = *self.rng.pick(&[
                    "\tif (queue->length == 0)",
                    "\t\treturn -EAGAIN;",
                    "\tspin_lock(&queue->lock);",
                    "\tlist_del(&first->entry); /* the caller frees it */",
                    "\tqueue->length -= 1;",
                    "",
                ]);
                self.line(&format!("{sign}{code}"));
            }
        }
        let from = match self.options.dialect {
            Dialect::Mboxcl2 => "From here on the lock is held.",
            Dialect::Mboxrd | Dialect::Mboxo => ">From here on the lock is held.",
        };
        let quoted = self.body.len();
        self.line(from);
        if self.with_truth {
            let plain = String::from_utf8_lossy(&self.body[start..quoted]).replace(eol, "\n");
            text.push_str(&plain);
            text.push_str("From here on the lock is held.\n");
        }
    }

    fn attachment(&mut self, number: usize) {
        self.line(&format!(
            "Content-Type: application/octet-stream; name=\"file{number}.bin\""
        ));
        self.line("Content-Transfer-Encoding: base64");
        self.line(&format!(
            "Content-Disposition: attachment; filename=\"file{number}.bin\""
        ));
        self.line("");
        let length = ATTACHMENT_LINE * (40 + self.rng.below(400));
        let start = self.rng.below(self.noise.len() - length);
        let eol = self.eol();
        base64(&self.noise[start..start + length], eol, &mut self.body);
    }
}

/// Returns the kinds of parts of a mailbox.
fn kinds(flaws: Flaws) -> Vec<&'static Kind> {
    match flaws {
        Flaws::None => KINDS.iter().filter(|kind| kind.flaw.is_none()).collect(),
        Flaws::Few => KINDS.iter().collect(),
        Flaws::Many => KINDS.iter().chain(DAMAGED_KINDS).collect(),
    }
}

/// Encodes the sentences of a kind.
fn pool(kind: &Kind, eol: &str) -> Vec<Encoded> {
    LANGUAGES[kind.language]
        .sentences
        .iter()
        .map(|sentence| {
            let mut plain = encode(sentence, kind.real);
            let mut quoted = Vec::new();
            quoted_printable(&plain, eol, &mut quoted);
            plain.extend_from_slice(eol.as_bytes());
            quoted.extend_from_slice(eol.as_bytes());
            Encoded { plain, quoted }
        })
        .collect()
}

/// Folds a header value before each encoded word but the first.
fn fold(value: &[u8], eol: &str) -> Vec<u8> {
    let mut folded = Vec::with_capacity(value.len() + 16);
    let mut rest = value;
    while let Some(at) = memchr::memmem::find(rest, b" =?") {
        folded.extend_from_slice(&rest[..at]);
        folded.extend_from_slice(eol.as_bytes());
        folded.extend_from_slice(b" =?");
        rest = &rest[at + 3..];
    }
    folded.extend_from_slice(rest);
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(profile: Profile) -> Options {
        Options {
            profile,
            dialect: Dialect::Mboxrd,
            crlf: false,
            flaws: Flaws::Few,
            size: 300_000,
            seed: 9,
        }
    }

    #[test]
    fn same_options_give_the_same_bytes_with_or_without_truth() {
        for profile in [Profile::List, Profile::Mixed] {
            let (mut one, mut other, mut truth) = (Vec::new(), Vec::new(), Vec::new());
            let counts = write(&options(profile), &mut one, None).unwrap();
            assert_eq!(
                counts,
                write(&options(profile), &mut other, Some(&mut truth)).unwrap()
            );
            assert!(one == other);
            assert_eq!(counts.1, one.len() as u64);
            assert_eq!(memchr::memchr_iter(b'\n', &truth).count() as u64, counts.0);
        }
    }

    #[test]
    fn offsets_of_the_truth_are_separators() {
        let (mut mailbox, mut truth) = (Vec::new(), Vec::new());
        write(&options(Profile::Mixed), &mut mailbox, Some(&mut truth)).unwrap();
        let mut end = 0;
        for line in truth
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let message_truth: serde_json::Value = serde_json::from_slice(line).unwrap();
            let offset = message_truth["offset"].as_u64().unwrap();
            assert_eq!(offset, end);
            assert!(mailbox[offset as usize..].starts_with(b"From user"));
            end = offset + message_truth["length"].as_u64().unwrap();
        }
        assert_eq!(end, mailbox.len() as u64);
    }

    #[test]
    fn shares_of_flaws_are_as_documented() {
        let shares = [
            (Flaws::None, 0.0..=0.0),
            (Flaws::Few, 0.06..=0.10),
            (Flaws::Many, 0.13..=0.17),
        ];
        for (flaws, expected) in shares {
            let options = Options {
                flaws,
                size: 5_000_000,
                ..options(Profile::List)
            };
            let mut truth = Vec::new();
            let (messages, _) = write(&options, &mut io::sink(), Some(&mut truth)).unwrap();
            let (mut flawed, mut subjects) = (0, 0);
            for line in truth
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
            {
                let truth: serde_json::Value = serde_json::from_slice(line).unwrap();
                flawed += u64::from(!truth["parts"][0]["flaw"].is_null());
                subjects += u64::from(truth.get("header_flaw").is_some());
            }
            let share = flawed as f64 / messages as f64;
            assert!(expected.contains(&share), "{flaws:?}: {share}");
            assert_eq!(
                subjects > 0,
                flaws == Flaws::Many,
                "{flaws:?}: {subjects} subjects"
            );
        }
    }

    #[test]
    fn every_subject_that_is_not_raw_decodes_to_its_text() {
        let mut rng = Rng::new(3);
        let context = mailglot_mime::encoded_word::HeaderContext::default();
        for kind in kinds(Flaws::Many) {
            for text in LANGUAGES[kind.language].sentences {
                for _ in 0..20 {
                    let subject = Subject::in_charset(kind, text, &mut rng);
                    if subject.flaw == Some("raw8bit") {
                        continue;
                    }
                    let decoded = mailglot_mime::header::decode(
                        &subject.bytes,
                        mailglot_mime::header::FieldKind::Unstructured,
                        &context,
                        &mut Vec::new(),
                    );
                    assert_eq!(
                        decoded,
                        *text,
                        "{}",
                        String::from_utf8_lossy(&subject.bytes)
                    );
                }
            }
        }
    }
}
