//! Reports how a body was decoded: defects, losses, guesses, encoded blocks.

use super::body_damage::{lost_escapes, misread_charset, misread_words};
use super::decoded_body::DecodedBody;
use crate::charset_choice::{Choice, LabelScope, choose_for_footer};
use crate::event::{Detail, Event, EventKind, Reason};
use crate::guess::{Guess, GuessKind, excerpt};
use crate::message::Message;
use crate::part_id::PartId;
use crate::policy::Policy;
use crate::reading::{How, Reading};
use crate::report::Report;
use crate::transfer::{self, TransferEncoding, undeclared_encoding};
use mailglot_codec::{Charset, Loss, Resolved};
use std::ops::Range;

/// Describes a choice for the caller.
pub(crate) fn reading(message: &Message<'_>, id: PartId, choice: &Choice<'_>) -> Reading {
    let declared = message
        .charset_label(id)
        .map(|label| String::from_utf8_lossy(&label).into_owned());
    Reading {
        part: id,
        declared,
        used: choice.used,
        how: choice.how,
        confidence: choice.confidence,
    }
}

impl DecodedBody<'_> {
    /// Reports findings, label events and losses as events of the message.
    pub(crate) fn report_findings(
        &self,
        message: &Message<'_>,
        id: PartId,
        choice: &Choice<'_>,
        policy: &Policy,
        report: &mut Report,
    ) {
        for finding in &self.findings {
            report.push(finding.clone().into_event(id, self.span));
        }
        // Without a label that counts, the events concern the text.
        let label = message.part_at(id).charset;
        let label = label.filter(|_| self.charset.is_some());
        let label = label.unwrap_or(self.span);
        for (kind, detail) in &choice.events {
            let at = if *kind == EventKind::CharsetMixed {
                self.span
            } else {
                label
            };
            report.push(Event::new(id, at, *kind, detail.clone()));
        }
        if self.decoded.used == TransferEncoding::Identity
            && self.label == TransferEncoding::Identity
            && !matches!(choice.how, How::Ascii)
            && says_seven_bit(message, id)
            && !self.body.is_ascii()
            && !choice.text.is_ascii()
        {
            let kind = EventKind::Cte8bitIn7bit;
            report.push(Event::new(id, self.span, kind, Detail::None));
        }
        if report.keeps_events() {
            self.report_unlabelled(id, report);
        }
        self.report_blocks(id, report);
        self.report_moved_folds(id, choice, report);
        if let Some(first) = memchr::memchr(0, self.body) {
            let count = memchr::memchr_iter(0, self.body).count() as u64;
            let at = self.span.at(&(first..first + 1));
            let event = Event::new(id, at, EventKind::CteNul, Detail::None);
            report.push(event.counted(count));
        }
        if report.keeps_events() {
            self.report_damage(id, choice, policy, report);
        }
        self.report_losses(id, choice, report);
        self.report_guess(id, choice, report);
        self.report_footer(id, choice.used, policy, report);
    }

    /// Reports decoded text in a transfer encoding that its header does not name, or names once for text that was encoded twice.
    fn report_unlabelled(&self, id: PartId, report: &mut Report) {
        let text = &*self.decoded.bytes;
        if self.label == TransferEncoding::Uuencode || !text.is_ascii() || !self.blocks.is_empty() {
            return;
        }
        let reason = match undeclared_encoding(text) {
            Some(TransferEncoding::Base64) => Reason::LooksLikeBase64,
            Some(_) => Reason::LooksLikeQuotedPrintable,
            None => return,
        };
        let kind = EventKind::CteUnlabelled;
        report.push(Event::new(id, self.span, kind, reason));
    }

    /// Reports a guessed charset or an overruled label.
    fn report_guess(&self, id: PartId, choice: &Choice<'_>, report: &mut Report) {
        let kind = match self.overruled_label(choice) {
            Some(_) => GuessKind::Overruled,
            // If the label names one of two charsets in a text, nothing was guessed.
            None if choice.mixed.is_some() && choice.confidence.is_none() => return,
            None if matches!(choice.how, How::Detected | How::Fallback) => GuessKind::Detected,
            None => return,
        };
        let label = self.charset.as_deref();
        report.guess(kind, choice.confidence, || Guess {
            part: id,
            field: None,
            at: self.span,
            kind,
            declared: label.map(|label| String::from_utf8_lossy(label).into_owned()),
            used: choice.mixed.unwrap_or(choice.used),
            confidence: choice.confidence,
            excerpt: excerpt(&choice.text),
        });
    }

    /// Returns the charset of the label if the text was read in another one. Returns None for the label US-ASCII, which every byte above 7F
    /// contradicts.
    fn overruled_label(&self, choice: &Choice<'_>) -> Option<Charset> {
        let label = self.resolved.and_then(Resolved::charset)?;
        let is_by_label = matches!(choice.how, How::Label | How::Superset | How::Ascii)
            || [label, label.superset()].contains(&choice.used);
        (label != Charset::US_ASCII && !is_by_label).then_some(label)
    }

    /// Reports text that stays as it is although its label names another charset.
    ///
    /// Example: inline PGP in windows-1251 under the label `iso-8859-1`.
    pub(crate) fn report_wrong_label(&self, id: PartId, choice: &Choice<'_>, report: &mut Report) {
        if let Some(label) = self.overruled_label(choice) {
            let likelier = choice.used;
            let detail = Detail::Likelier { label, likelier };
            let kind = EventKind::CharsetSuspected;
            report.push(Event::new(id, self.span, kind, detail));
        }
    }

    /// Reports a wrong, doubtful or missing label of text under a signature.
    pub(crate) fn report_signed(&self, id: PartId, choice: &Choice<'_>, report: &mut Report) {
        self.report_wrong_label(id, choice, report);
        for (kind, detail) in &choice.events {
            if matches!(
                kind,
                EventKind::CharsetSuspected | EventKind::CharsetUnlabelled
            ) {
                report.push(Event::new(id, self.span, *kind, detail.clone()));
            }
        }
    }

    /// Reports text that other programs damaged before it was encoded. It decodes, so nothing else is odd about it.
    fn report_damage(&self, id: PartId, choice: &Choice<'_>, policy: &Policy, report: &mut Report) {
        let is_utf8 = choice.used == Charset::UTF_8;
        let misread = is_utf8.then(|| misread_words(&choice.text));
        if is_utf8
            && misread.flatten().is_none()
            && let Some(charset) = misread_charset(&choice.text, LabelScope::of(policy.detection))
        {
            let detail = Detail::MisreadFrom(charset);
            report.push(Event::new(
                id,
                self.span,
                EventKind::CharsetSuspected,
                detail,
            ));
        }
        // Encoded blocks have such sequences by chance.
        let shifted = self.blocks.is_empty().then(|| lost_escapes(&choice.text));
        for (reason, count) in [misread, shifted].into_iter().flatten().flatten() {
            let event = Event::new(id, self.span, EventKind::CharsetSuspected, reason);
            report.push(event.counted(count));
        }
    }

    /// Reports folds within characters at the place of the first one.
    fn report_moved_folds(&self, id: PartId, choice: &Choice<'_>, report: &mut Report) {
        let Some(moved) = &choice.moved_folds else {
            return;
        };
        let at = self.place(&moved.first);
        let event = Event::new(id, at, EventKind::EwSplitChar, Detail::None);
        report.push(event.counted(moved.count));
    }

    /// Reports blocks of uuencode and yEnc in the text.
    fn report_blocks(&self, id: PartId, report: &mut Report) {
        if self.blocks.is_empty() {
            return;
        }
        let ranges: Vec<_> = self.blocks.iter().map(|block| block.at.clone()).collect();
        for (block, at) in self.blocks.iter().zip(self.places(&ranges)) {
            let detail = Detail::Block(block.check());
            report.push(Event::new(id, at, block.kind, detail));
        }
    }

    /// Reports how appended non-ASCII text was decoded.
    fn report_footer(&self, id: PartId, used: Charset, policy: &Policy, report: &mut Report) {
        let is_wide = |range: &&Range<usize>| !self.body[range.start..].is_ascii();
        let Some(range) = self.decoded.footer.as_ref().filter(is_wide) else {
            return;
        };
        let choice = choose_for_footer(&self.body[range.clone()], used, policy);
        let at = self.span.at(range);
        let text = Detail::AppendedText(choice.used);
        report.push(Event::new(id, at, EventKind::CharsetDetected, text));
        if choice.log.losses() > 0 {
            let (kind, detail) = (
                EventKind::CharsetInvalidBytes,
                Detail::InCharset(choice.used),
            );
            report.push(Event::new(id, at, kind, detail).counted(choice.log.losses()));
        }
        if matches!(choice.how, How::Detected | How::Fallback) {
            let (kind, confidence) = (GuessKind::Detected, choice.confidence);
            report.guess(kind, confidence, || Guess {
                part: id,
                field: None,
                at,
                kind,
                declared: None,
                used: choice.used,
                confidence,
                excerpt: excerpt(&choice.text),
            });
        }
    }

    fn report_losses(&self, id: PartId, choice: &Choice<'_>, report: &mut Report) {
        if choice.log.losses() == 0 {
            return;
        }
        let kept = choice.log.kept().iter();
        let losses: Vec<&Loss> = kept.filter(|l| l.kind.is_loss()).collect();
        let ranges: Vec<_> = losses
            .iter()
            .map(|l| l.bytes.start as usize..l.bytes.end as usize)
            .collect();
        let places = transfer::locate(self.decoded.used, self.body, &ranges);
        let more = choice.log.losses().saturating_sub(losses.len() as u64);
        for (index, (loss, place)) in losses.iter().zip(&places).enumerate() {
            let last = index + 1 == losses.len();
            let (at, kind) = (self.span.at(place), EventKind::CharsetInvalidBytes);
            let detail = Detail::Loss {
                kind: loss.kind,
                charset: Some(choice.used),
            };
            let count = if last { 1 + more } else { 1 };
            report.push(Event::new(id, at, kind, detail).counted(count));
        }
        if losses.is_empty() {
            let (kind, detail) = (
                EventKind::CharsetInvalidBytes,
                Detail::InCharset(choice.used),
            );
            report.push(Event::new(id, self.span, kind, detail).counted(more));
        }
    }
}

/// Returns true if the part declares 7bit, or nothing, which means the same.
fn says_seven_bit(message: &Message<'_>, id: PartId) -> bool {
    let Some(value) = message.transfer_encoding_value(id) else {
        return true;
    };
    let encoding = value.of(message.raw()).trim_ascii();
    encoding.eq_ignore_ascii_case(b"7bit")
}
