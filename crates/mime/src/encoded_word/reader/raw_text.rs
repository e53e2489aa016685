//! Appends the texts between words: unfolds, decodes, repairs and cleans them.
//!
//! # Limits
//!
//! Addresses are decoded, but neither repaired nor searched for invisible characters.

use super::Reader;
use super::split_characters::without;
use crate::charset_choice::RawReading;
use crate::encoded_word::controls::{is_control, is_plain_text, push_clean, report_controls};
use crate::encoded_word::invisible::report_hidden_characters;
use crate::encoded_word::raw_charset::mixed_finding;
use crate::encoded_word::repair;
use crate::encoded_word::superset_report::uses_superset;
use crate::encoded_word::unfold::unfold;
use crate::encoded_word::writable::push_written;
use crate::event::{Detail, EventKind, Finding, FindingList};
use crate::lexer::{self, LexicalContext, ShiftedText};
use crate::reading::How;
use mailglot_codec::{Charset, LossLog, View};
use std::borrow::Cow;
use std::ops::Range;

/// Decoded raw bytes.
#[derive(Debug)]
struct RawText<'t> {
    /// The text, including controls.
    text: Cow<'t, str>,
    reading: RawReading,
    /// Number of sequences that could not be decoded.
    losses: u64,
}

impl Reader<'_> {
    /// Appends a text between words: replaces folds by spaces and decodes raw bytes.
    pub(super) fn push_raw(
        &self,
        range: Range<usize>,
        lexical: LexicalContext,
        out: &mut String,
        findings: &mut Vec<Finding>,
    ) {
        if lexical == LexicalContext::Mark {
            return;
        }
        let raw = &self.value[range.clone()];
        let splits = self.splits_in(range.clone());
        let joined = without(self.value, range.clone(), splits);
        for split in splits {
            findings.add(split.clone(), EventKind::EwSplitChar, Detail::None);
        }
        let text = unfold(&joined, range.end == self.value.len());
        let decoded = self.raw_text(&text, lexical);
        if !text.is_ascii() {
            let (at, count) = lexer::eight_bit_bytes(self.value, range.clone());
            let charset = match decoded.reading.charset() {
                charset if uses_superset(charset, &text) => charset.superset(),
                charset => charset,
            };
            let kind = EventKind::EwRaw8bit;
            findings.add_counted(at.clone(), kind, charset, count);
            if decoded.losses > 0 {
                let kind = EventKind::CharsetInvalidBytes;
                findings.add_counted(at, kind, charset, decoded.losses);
            }
            if let Some(other) = decoded.reading.other() {
                findings.extend(mixed_finding(raw, range.start, other));
            }
        }
        if range.end == self.value.len() {
            findings.extend(self.unclosed_word_finding(raw, range.start));
        }
        let shifted = (lexical != LexicalContext::Address && lexer::may_have_shifts(&text))
            .then(|| lexer::decode_raw_shifts(&decoded.text, lexical))
            .flatten();
        let text = if let Some(shifted) = shifted {
            let finding = shifts_finding(raw, range.start, &shifted, lexical);
            if shifted.losses > 0 {
                let kind = EventKind::CharsetInvalidBytes;
                findings.add_counted(finding.at.clone(), kind, shifted.charset, shifted.losses);
            }
            findings.push(finding);
            Cow::Owned(shifted.text)
        } else {
            decoded.text
        };
        let text = match lexical {
            LexicalContext::Quoted => Cow::Owned(lexer::unescape(&text).into_owned()),
            LexicalContext::Comment => {
                let step = |at| self.steps.step(&joined, at);
                Cow::Owned(lexer::unescape_comment(&text, &joined, step).into_owned())
            }
            _ => text,
        };
        let text = if lexical == LexicalContext::Address {
            text
        } else {
            self.repaired_or_reported(text, lexical == LexicalContext::Text, &range, findings)
        };
        let start = out.len();
        let mut controls = self.push_text(&text, out);
        if controls > 0 {
            // Tabs are white space.
            controls -= memchr::memchr_iter(b'\t', text.as_bytes()).count() as u64;
        }
        report_controls(controls, &range, findings);
        if lexical != LexicalContext::Address {
            let strip = self.context.strip_hidden;
            report_hidden_characters(out, start, range, strip, findings);
        }
    }

    /// Builds the finding for an encoded word without an end at the end of the value. The raw text begins at `start`.
    fn unclosed_word_finding(&self, raw: &[u8], start: usize) -> Option<Finding> {
        if let Some(word) = lexer::unclosed_word(raw) {
            let charset = Charset::for_label(&raw[word.label], View::Mail).charset()?;
            let at = start + word.range.start..start + word.range.end;
            return Some(Finding::new(at, EventKind::EwUnclosed, charset));
        }
        // The next word may have been cut within its label.
        let tail = raw.trim_ascii_start();
        let is_cut = self.value[..start].ends_with(b"?=") && lexer::is_cut_head(tail);
        let at = start + raw.len() - tail.len()..start + raw.len();
        is_cut.then(|| Finding::new(at, EventKind::EwUnclosed, Detail::None))
    }

    /// Appends decoded text with spaces for controls; returns their number.
    ///
    /// Text that will be written again keeps the controls of misread UTF-8. Without them nobody could undo that damage.
    pub(in crate::encoded_word) fn push_text(&self, text: &str, out: &mut String) -> u64 {
        if self.is_written {
            let controls = if is_plain_text(text) {
                0
            } else {
                text.chars().filter(|c| is_control(*c)).count()
            };
            push_written(text, out);
            return controls as u64;
        }
        push_clean(text, out)
    }

    /// Repairs a text if enabled and provable. `free` means that it has no syntax.
    pub(in crate::encoded_word) fn repaired<'t>(
        &self,
        text: Cow<'t, str>,
        free: bool,
        range: &Range<usize>,
        findings: &mut Vec<Finding>,
    ) -> Cow<'t, str> {
        if !self.context.repairs.any() {
            return text;
        }
        repair::repaired(text, self.context.repairs, free, range, findings)
    }

    /// Like [`Self::repaired`], and reports the damage that stays.
    pub(in crate::encoded_word) fn repaired_or_reported<'t>(
        &self,
        text: Cow<'t, str>,
        free: bool,
        range: &Range<usize>,
        findings: &mut Vec<Finding>,
    ) -> Cow<'t, str> {
        let text = self.repaired(text, free, range, findings);
        if !self.context.is_nested {
            repair::report_repairable(&text, self.context.repairs, free, range, findings);
        }
        text
    }

    /// Decodes raw bytes as UTF-8, or as the raw bytes of the value.
    fn raw_text<'t>(&self, bytes: &'t [u8], lexical: LexicalContext) -> RawText<'t> {
        if let Some(text) = self.utf8(bytes, lexical) {
            return RawText {
                text: Cow::Borrowed(text),
                reading: RawReading::Utf8 { other: None },
                losses: 0,
            };
        }
        let reading = self.raw_reading(lexical);
        let mut log = LossLog::new();
        let text = reading.decode(bytes, &mut log);
        RawText {
            text,
            reading,
            losses: log.losses(),
        }
    }

    /// Decodes raw bytes of a text that is not UTF-8 as a whole.
    pub(in crate::encoded_word) fn legacy_text<'t>(
        &self,
        bytes: &'t [u8],
        lexical: LexicalContext,
    ) -> Cow<'t, str> {
        let reading = self.raw_reading(lexical);
        reading.decode(bytes, &mut LossLog::new())
    }
}

/// Builds the finding for the sequences of a raw text that begins at `start`.
fn shifts_finding(
    raw: &[u8],
    start: usize,
    shifted: &ShiftedText,
    lexical: LexicalContext,
) -> Finding {
    let at = lexer::raw_shifts_range(raw, lexical).unwrap_or(0..raw.len());
    let detail = Detail::ShownBy {
        used: shifted.charset,
        how: How::Structure,
    };
    let kind = EventKind::CharsetDetected;
    let at = start + at.start..start + at.end;
    Finding::counted(at, kind, detail, shifted.count)
}
