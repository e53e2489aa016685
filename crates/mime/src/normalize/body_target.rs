//! Chooses the new form of a text body: its line ends, transfer encoding and charset label.
//!
//! # Limits
//! A body that gets a new transfer encoding has no steps back: the ledger stores its old bytes.

use super::body::{Body, Outgoing, UTF_8};
use super::lines;
use crate::event::EventKind;
use crate::message::Eol;
use crate::policy::{Bodies, Transfer};
use crate::recipe::{Base64Lines, OldEol, UndoSteps};
use crate::text::footer_text;
use crate::transfer::TransferEncoding;
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, Resolved};
use std::borrow::Cow;

/// The planned form of a body.
pub(super) struct BodyTarget<'a> {
    /// The text in its new charset. Has the line ends of the message unless it will be encoded.
    pub(super) text: Cow<'a, [u8]>,
    pub(super) transfer: TransferEncoding,
    /// The new charset label, if it changes.
    pub(super) relabel: Option<&'static str>,
    pub(super) steps: UndoSteps,
    /// True if `steps` restore the old bytes, including line ends. A footer prevents this.
    pub(super) is_reversible: bool,
    /// True if the bytes stay in a charset in which CR and LF bytes may be parts of other characters.
    pub(super) opaque_lines: bool,
}

/// The requirements of the policy for a body.
struct Requirements {
    /// The body arrived in a transfer encoding.
    was_encoded: bool,
    /// The new charset is a 7-bit charset (ISO-2022-JP).
    is_seven_bit: bool,
    /// The body may be written without a transfer encoding.
    is_open: bool,
    /// The body gets another charset label.
    relabels: bool,
}

impl<'a> Body<'a, '_> {
    /// Returns the planned form of the body, or None if it needs no change.
    pub(super) fn target(&self, outgoing: Outgoing<'a>) -> Option<BodyTarget<'a>> {
        let requirements = self.requirements(outgoing.label, outgoing.text.is_ascii());
        if self.meets(&requirements) {
            return None;
        }
        let outgoing = self.with_declaration(outgoing);
        let boundaries = lines::boundaries_around(self.message, self.id);
        let mut draft = self.draft(outgoing, &requirements);
        if requirements.is_open && requirements.was_encoded {
            if let Some((text, eol, added_end)) = self.decoded_lines(&draft, &boundaries) {
                draft.text = Cow::Owned(text);
                draft.steps.eol = eol;
                draft.steps.added_end = added_end;
                return Some(draft);
            }
            let must_change = requirements.relabels || self.is_wrongly_labelled();
            if !must_change && !self.source.has_text_around() {
                return None;
            }
        } else if requirements.is_open {
            let (eol, text) = (self.message.eol(), &*draft.text);
            // In a charset that is not ASCII-compatible, line ends of the decoded text may differ from those of the message.
            let made_lines = requirements.relabels && !self.choice.used.is_ascii_compatible();
            let stands = !requirements.relabels
                || lines::may_stand(text, eol, &boundaries, false)
                    && !(made_lines && lines::has_bare_ends(text, eol))
                    && (!lines::joins_header(text, eol)
                        || lines::joins_header(self.source.body, eol));
            if stands {
                return Some(draft);
            }
            if made_lines
                && let Some((plain, _)) = lines::with_line_ends(text, eol)
                && lines::may_stand(&plain, eol, &boundaries, true)
            {
                draft.text = Cow::Owned(plain.into_owned());
                draft.is_reversible = false;
                return Some(draft);
            }
        }
        Some(self.encoded(draft, &requirements))
    }

    /// Returns the requirements for a body with the new label `label`. `ascii` means that its new text is ASCII.
    fn requirements(&self, label: Option<&'static str>, ascii: bool) -> Requirements {
        let was_encoded = self.source.decoded.used != TransferEncoding::Identity;
        let is_seven_bit = label.is_some_and(|label| label != UTF_8);
        let is_open = match self.policy.transfer {
            // 7-bit data needs no transfer encoding.
            _ if is_seven_bit => true,
            Transfer::EightBit => true,
            Transfer::SevenBit => ascii,
            Transfer::Keep => !was_encoded,
            Transfer::Clean => !was_encoded && (ascii || !self.source.decoded.bytes.is_ascii()),
        };
        let relabels = label.is_some();
        Requirements {
            was_encoded,
            is_seven_bit,
            is_open,
            relabels,
        }
    }

    /// Returns true if the body has the right label and a transfer encoding that the policy accepts.
    fn meets(&self, requirements: &Requirements) -> bool {
        let keeps_encoding = match self.policy.transfer {
            // Text that does not change keeps its encoding.
            Transfer::Keep | Transfer::Clean => true,
            // Raw bytes may stand within encoded ones.
            Transfer::SevenBit if requirements.was_encoded => self.source.body.is_ascii(),
            Transfer::SevenBit => requirements.is_open,
            Transfer::EightBit => requirements.is_open != requirements.was_encoded,
        };
        // Trailing blanks are not part of the text, but some readers show them or reflow lines by them.
        let keeps_encoding = keeps_encoding || self.source.has(EventKind::CteQpTrailingBlanks);
        !requirements.relabels
            && !self.is_wrongly_labelled()
            && keeps_encoding
            && !self.hides_text()
    }

    /// Returns true if the body is not in the transfer encoding that its label names.
    fn is_wrongly_labelled(&self) -> bool {
        self.message.part_at(self.id).transfer != self.source.decoded.used
    }

    /// Returns true if plain text stands before or behind the base64, which other readers drop or decode as base64.
    fn hides_text(&self) -> bool {
        // In other charsets such text in ASCII may have another text.
        self.policy.bodies == Bodies::Utf8
            && self.choice.used.is_ascii_compatible()
            && self.source.has_text_around()
    }

    /// Builds the target of a body without transfer encoding, with the steps that restore the old bytes.
    fn draft(&self, outgoing: Outgoing<'a>, requirements: &Requirements) -> BodyTarget<'a> {
        let charset = (requirements.relabels && !requirements.is_seven_bit)
            .then(|| self.choice.used.superset())
            .filter(|c| *c != Charset::UTF_8);
        // Recipes begin with UTF-8.
        let is_reversible = !self.source.has_text_around()
            && self.source.decoded.used != TransferEncoding::QuotedPrintable
            && !requirements.is_seven_bit
            && self.choice.mixed.is_none()
            && self.choice.moved_folds.is_none();
        BodyTarget {
            text: outgoing.text,
            transfer: TransferEncoding::Identity,
            relabel: outgoing.label,
            steps: UndoSteps {
                added_end: 0,
                eol: OldEol::Same,
                patches: outgoing.patches,
                charset,
                base64: self.base64_lines(),
            },
            is_reversible,
            opaque_lines: !requirements.relabels && self.has_opaque_lines(),
        }
    }

    /// Returns the text with the message's line ends, its old line ends, and the length of an added line end.
    ///
    /// Returns None if the text needs a transfer encoding.
    fn decoded_lines(
        &self,
        draft: &BodyTarget<'_>,
        boundaries: &[&[u8]],
    ) -> Option<(Vec<u8>, OldEol, usize)> {
        let eol = self.message.eol();
        let (plain, old_eol) = lines::with_line_ends(&draft.text, eol)?;
        if !lines::may_stand(&plain, eol, boundaries, true) {
            return None;
        }
        let mut plain = plain.into_owned();
        let added_end = self.end_line(&mut plain, eol);
        let reads_same = !draft.opaque_lines || self.reads_same(&plain, added_end > 0);
        reads_same.then_some((plain, old_eol, added_end))
    }

    /// Chooses a transfer encoding for text that needs one.
    fn encoded(&self, mut draft: BodyTarget<'a>, requirements: &Requirements) -> BodyTarget<'a> {
        let (text, opaque_lines) = (&draft.text, draft.opaque_lines);
        draft.transfer = match self.source.decoded.used {
            _ if requirements.is_seven_bit => TransferEncoding::Base64,
            // Keeps the encoding of text whose line ends are data, even if line ends of the message change later.
            used if requirements.was_encoded
                && (!requirements.is_open || opaque_lines || lines::are_data(text)) =>
            {
                used
            }
            _ if opaque_lines => TransferEncoding::Base64,
            _ => shorter(text),
        };
        if draft.transfer == TransferEncoding::QuotedPrintable
            && !opaque_lines
            && let Some((plain, _)) = lines::with_line_ends(text, self.message.eol())
        {
            draft.text = Cow::Owned(plain.into_owned());
        }
        // A recipe would have to decode the new encoding first, so the ledger stores the old bytes.
        draft.is_reversible = false;
        draft
    }

    /// Returns true if CR and LF bytes may be parts of other characters in the used or in the declared charset.
    fn has_opaque_lines(&self) -> bool {
        self.charsets()
            .any(|charset| !charset.is_ascii_compatible())
    }

    /// Returns the declared charset, if it is known, and the used one.
    fn charsets(&self) -> impl Iterator<Item = Charset> {
        let label = self.source.resolved.and_then(Resolved::charset);
        label.into_iter().chain([self.choice.used])
    }

    /// Returns true if `bytes` have the old lines in the declared charset and in the charset that was used.
    ///
    /// `ended` means that one line end was added. Only the line ends differ from the old bytes. So readers that believe the label
    /// and readers that guess must find the same lines. The used charset may be a guess from other fields, which the next pass may
    /// not find again.
    fn reads_same(&self, bytes: &[u8], ended: bool) -> bool {
        self.charsets().all(|charset| {
            let decode = |bytes: &[u8]| decode_unlogged(charset, bytes).into_owned().into_bytes();
            let mut old = decode(&self.source.decoded.bytes);
            if let Some(footer) = self.source.footer() {
                let (end, _) = footer_text(&old, footer, charset, self.message, self.policy);
                old.extend_from_slice(&end);
            }
            if ended {
                old.extend_from_slice(self.message.eol().bytes());
            }
            lines::are_same(&old, &decode(bytes))
        })
    }

    /// Ends the last line of a plain body at the end of a message, if the encoded body ended it. Returns the number of added bytes.
    fn end_line(&self, text: &mut Vec<u8>, eol: Eol) -> usize {
        let span = self.source.span;
        let raw = self.message.raw();
        if span.end < raw.len() || text.ends_with(b"\n") || !raw.ends_with(b"\n") || span.is_empty()
        {
            return 0;
        }
        text.extend_from_slice(eol.bytes());
        eol.bytes().len()
    }

    /// Returns the lines of a base64 body, for its recipe.
    fn base64_lines(&self) -> Option<Base64Lines> {
        let is_base64 = self.source.decoded.used == TransferEncoding::Base64;
        is_base64.then(|| Base64Lines::of(self.source.body))
    }
}

/// Returns quoted-printable for text that is mostly ASCII, else base64.
pub(super) fn shorter(text: &[u8]) -> TransferEncoding {
    let escaped = text.iter().filter(|b| **b >= 0x7f || **b == b'=').count();
    if escaped * 6 <= text.len() {
        TransferEncoding::QuotedPrintable
    } else {
        TransferEncoding::Base64
    }
}
