//! Verifies each rewritten message with a second, independent reader before it is accepted.
//!
//! ```text
//! original ─► our reader ──► Expected (edited fields, rewritten text bodies) ─┐
//!     │ edits                                                                ├─► compare ─► Verdict
//!     ▼                                                                      │
//! rewritten ─► mail-parser, quoted_printable ─► what they read at that place ┘
//!     └─► inverse of the edits ─► must be the original, byte for byte
//! ```
//!
//! No code of this project decodes anything in the rewritten message here. The crate mail-parser finds its fields and parts, and
//! reads its header fields and charsets. The crate quoted_printable decodes quoted-printable. The expected content comes from the
//! original message, as this project reads it.
//!
//! # Limits
//!
//! Compares only what was edited: changed header fields, and text bodies with changed bytes, charset or transfer encoding. A body
//! with its old label needs the old text or the old bytes. Does not compare unchanged content (signed parts, attachments, binary data).
//!
//! Compares line ends, with CR LF and LF as equal. Ignores line ends at the end of a text, runs of blanks in header fields, and a byte
//! order mark. Ignores the charset that a document declares for itself.

mod compare;
mod defect;
mod disagreement;
mod encoded_messages;
mod expected;
mod reader;

pub use defect::Defect;
pub use disagreement::Disagreement;

use defect::Original;
use encoded_messages::Decoded;
use expected::{Expected, ExpectedItem};
use mailglot_mime::{Edit, Message, Policy, Reading, Undo, header_context};
use reader::SecondReader;
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The second readers with their versions, for summaries and reports.
pub const READERS: [&str; 2] = ["mail-parser 0.11.9", "quoted_printable 0.5.2"];

/// Result of verifying one rewritten message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The second reader reads what this project reads in the original message.
    ///
    /// If it reads something else, or cannot read the message, the list names its known defects that cause this. The list is mostly empty.
    ///
    /// *Example*: mail-parser limits how deep parts are nested.
    Accepted(Vec<Defect>),
    /// The second reader reads something else, or the inverse of the edits does not restore the original.
    Rejected(Disagreement),
}

/// Verifies rewritten messages. Keeps no state between messages.
pub struct Verifier {
    reader: SecondReader,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}

impl Default for Verifier {
    fn default() -> Self {
        Self::new()
    }
}

/// A message after its edits.
#[derive(Clone, Copy, Debug)]
pub struct Rewritten<'r> {
    /// Its bytes.
    pub bytes: &'r [u8],
    /// Edits that produced it from the original.
    pub edits: &'r [Edit],
    /// The inverse of the edits.
    pub undo: &'r [Undo],
    /// How the bodies of the original were read; may be empty.
    pub readings: &'r [Reading],
}

impl Verifier {
    /// Creates a verifier. Use one for each thread.
    pub fn new() -> Self {
        Self {
            reader: SecondReader::new(),
        }
    }

    /// Reads a rewritten message with the second reader.
    ///
    /// The text of a body is decoded in the charset of its reading. Where the second reader reads something else, the charset is chosen
    /// again. A panic of the second reader is a disagreement, unless it panics in the original message, too.
    pub fn verify(
        &self,
        message: &Message<'_>,
        rewritten: &Rewritten<'_>,
        policy: &Policy,
    ) -> Verdict {
        let raw = message.raw();
        if restores_original(rewritten.bytes, rewritten.undo, raw).is_none() {
            let difference = Disagreement::of_bytes("the inverse of the edits", raw.len());
            return Verdict::Rejected(difference);
        }
        match encoded_messages::decoded(message, rewritten.bytes, rewritten.edits, policy) {
            None => self.verify_edits(message, rewritten, policy),
            Some(Err(disagreement)) => Verdict::Rejected(disagreement),
            Some(Ok(Decoded { bytes, edits })) => {
                let decoded = Message::parse(&bytes, &policy.limits);
                let rewritten = Rewritten {
                    edits: &edits,
                    readings: &[],
                    ..*rewritten
                };
                self.verify_edits(&decoded, &rewritten, policy)
            }
        }
    }

    /// Reads the edited places with the second reader.
    fn verify_edits(
        &self,
        message: &Message<'_>,
        rewritten: &Rewritten<'_>,
        policy: &Policy,
    ) -> Verdict {
        let raw = message.raw();
        if let Some((part, at, line)) = expected::stray_line(message, rewritten.edits) {
            return Verdict::Rejected(Disagreement {
                section: message.section(part),
                at,
                what: "added fields".to_owned(),
                expected: "fields of a rewritten body".to_owned(),
                seen: compare::excerpt(&line, 0),
            });
        }
        if reader::is_too_costly(rewritten.bytes) {
            return Verdict::Accepted(vec![Defect::TooCostly]);
        }
        let expected = Expected::of(message, rewritten.edits, rewritten.readings, policy);
        let compare = || self.compare(message, &expected, rewritten.bytes, policy);
        catch_unwind(AssertUnwindSafe(compare)).unwrap_or_else(|_| {
            let read = || _ = self.reader.read(raw, false);
            if catch_unwind(AssertUnwindSafe(read)).is_err() {
                // The edits did not cause it.
                return Verdict::Accepted(vec![Defect::Fault]);
            }
            Verdict::Rejected(Disagreement {
                section: String::new(),
                at: 0,
                what: "the message".to_owned(),
                expected: format!("{} bytes", raw.len()),
                seen: "a fault of the second reader".to_owned(),
            })
        })
    }

    fn compare(
        &self,
        message: &Message<'_>,
        expected: &Expected<'_>,
        rewritten: &[u8],
        policy: &Policy,
    ) -> Verdict {
        let mut defects = Vec::new();
        let masked = reader::without_encoded_messages(message, expected, rewritten);
        let read = self.reader.read(&masked, expected.is_of_header());
        // Asked for once, where something differs.
        let (context, texts) = (OnceCell::new(), OnceCell::new());
        let original = Original::new(&self.reader, message);
        for item in &expected.items {
            if compare::difference(item, &read, policy).is_none() {
                continue;
            }
            let full = expected::in_full(
                message,
                item,
                || context.get_or_init(|| header_context(message, policy)),
                || texts.get_or_init(|| expected::texts(message, policy)),
            );
            let full = full.map(|content| ExpectedItem { content, ..*item });
            let item = full.as_ref().unwrap_or(item);
            let Some(difference) = compare::difference(item, &read, policy) else {
                continue;
            };
            match defect::explain(&original, item, &read, &difference) {
                Some(defect) if defects.contains(&defect) => {}
                Some(defect) => defects.push(defect),
                None => return Verdict::Rejected(difference.into_disagreement(message, item)),
            }
        }
        defects.sort_unstable();
        Verdict::Accepted(defects)
    }
}

/// Applies the inverse of the edits to the rewritten message. Returns None if that does not restore the original.
fn restores_original(rewritten: &[u8], undo: &[Undo], raw: &[u8]) -> Option<()> {
    let (mut at, mut rest) = (0, raw);
    for step in undo {
        rest = rest.strip_prefix(rewritten.get(at..step.span.start)?)?;
        let new = rewritten.get(step.span.start..step.span.end)?;
        rest = rest.strip_prefix(&*step.old.get(new)?)?;
        at = step.span.end;
    }
    (rewritten.get(at..)? == rest).then_some(())
}

#[cfg(test)]
mod tests;
