//! Builds letters of known text in many charsets, and checks them on arrival.
//!
//! The texts and their bytes come from the generator of mailboxes (encoding_rs). The crate mail-parser reads what arrived. Neither
//! uses the crates under test.

use super::smtp::Letter;
use crate::generate::{Dialect, Flaws, Options, Profile, write};
use mail_parser::{MessageParser, MimeHeaders, PartType};
use serde_json::Value;

/// The field with the number of a letter.
const NUMBER: &str = "X-Trial";

/// A letter and the truth about it.
#[derive(Clone, Debug)]
pub struct KnownLetter {
    /// The letter as sent.
    pub letter: Letter,
    /// Its number, which is also in the letter.
    pub number: usize,
    /// Text of the subject.
    pub subject: String,
    /// Its text parts.
    pub texts: Vec<LabelledText>,
}

/// The truth about a text part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledText {
    /// Charset of its bytes.
    pub real: String,
    /// True if its label is wrong.
    pub flawed: bool,
    /// Its text, with LF line ends.
    pub text: String,
}

/// Generates letters from a seed, numbered from 0, with a total of a little more than `bytes`.
///
/// # Panics
/// If the generator fails.
pub fn known(profile: Profile, bytes: u64, seed: u64) -> Vec<KnownLetter> {
    let options = Options {
        profile,
        dialect: Dialect::Mboxcl2,
        crlf: true,
        flaws: Flaws::Few,
        size: bytes,
        seed,
    };
    let (mut mailbox, mut truth) = (Vec::new(), Vec::new());
    write(&options, &mut mailbox, Some(&mut truth)).expect("memory takes everything");
    let lines = truth
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .enumerate()
        .map(|(number, line)| {
            let line: Value = serde_json::from_slice(line).expect("the truth in JSON");
            let at = |name: &str| line[name].as_u64().expect("a number") as usize;
            let entry = &mailbox[at("offset")..][..at("length")];
            let start = entry
                .iter()
                .position(|byte| *byte == b'\n')
                .expect("a separator line")
                + 1;
            let raw = entry[start..]
                .strip_suffix(b"\r\n")
                .expect("an empty line at the end");
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let texts = line["parts"]
                .as_array()
                .expect("parts")
                .iter()
                .map(|part| LabelledText {
                    real: word(&part["real"]),
                    flawed: !part["flaw"].is_null(),
                    text: word(&part["text"]),
                });
            // Servers drop this field; a filter does not see it.
            let field = memchr::memmem::find(raw, b"Content-Length:").expect("a length");
            let end = field
                + raw[field..]
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .expect("a line")
                + 1;
            let data = [
                format!("{NUMBER}: {number}\r\n").as_bytes(),
                &raw[..field],
                &raw[end..],
            ]
            .concat();
            KnownLetter {
                letter: Letter::new(data),
                number,
                subject: word(&line["subject"]),
                texts: texts.collect(),
            }
        })
        .collect()
}

/// Returns the number of a letter that arrived.
pub fn number(data: &[u8]) -> Option<usize> {
    let field = format!("{NUMBER}:");
    data.split(|byte| *byte == b'\n')
        .take_while(|line| !matches!(*line, b"" | b"\r"))
        .find_map(|line| {
            std::str::from_utf8(line.strip_prefix(field.as_bytes())?)
                .ok()?
                .trim()
                .parse()
                .ok()
        })
}

/// Returns what mail-parser reads in a message: the subject, and label and text of each text part, with LF line ends.
///
/// # Panics
/// If mail-parser rejects the message.
pub fn read(data: &[u8]) -> (String, Vec<(Option<String>, String)>) {
    let message = MessageParser::default().parse(data).expect("a message");
    let texts = message
        .parts
        .iter()
        .filter_map(|part| {
            let (PartType::Text(text) | PartType::Html(text)) = &part.body else {
                return None;
            };
            let label = part
                .content_type()
                .and_then(|kind| kind.attribute("charset"));
            Some((
                label.map(str::to_ascii_lowercase),
                text.replace("\r\n", "\n"),
            ))
        })
        .collect();
    (message.subject().unwrap_or_default().to_owned(), texts)
}

impl KnownLetter {
    /// Describes what is wrong with the letter as it arrived. Returns None if it has the same text, in UTF-8.
    pub fn fault(&self, data: &[u8]) -> Option<String> {
        let (subject, texts) = read(data);
        if subject != self.subject {
            return Some(format!("subject: {subject:?}, not {:?}", self.subject));
        }
        if texts.len() != self.texts.len() {
            return Some(format!("{} texts, not {}", texts.len(), self.texts.len()));
        }
        for ((label, text), known) in texts.iter().zip(&self.texts) {
            let ascii = text.is_ascii() && matches!(label.as_deref(), None | Some("us-ascii"));
            if label.as_deref() != Some("utf-8") && !ascii {
                return Some(format!("{} arrived as {label:?}", known.real));
            }
            if text.trim_end() != known.text.trim_end() {
                return Some(format!("{}: {text:?}, not {:?}", known.real, known.text));
            }
        }
        None
    }

    /// Returns true if a label is wrong.
    pub fn is_flawed(&self) -> bool {
        self.texts.iter().any(|text| text.flawed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_detected() {
        let letters = known(Profile::List, 200_000, 7);
        assert!(
            letters
                .iter()
                .enumerate()
                .all(|(at, known)| number(&known.letter.data) == Some(at))
        );
        let faults = |known: &&KnownLetter| known.fault(&known.letter.data).is_some();
        // Other charsets are not in UTF-8 yet, and UTF-8 is already right.
        assert!(letters.iter().any(|known| faults(&known)));
        let fine = |known: &&KnownLetter| {
            known
                .texts
                .iter()
                .all(|text| text.real == "utf-8" && !text.flawed)
        };
        assert!(letters.iter().filter(fine).count() > 3);
        for known in letters.iter().filter(fine) {
            assert_eq!(known.fault(&known.letter.data), None);
        }
    }
}
