//! Splits a value into runs of words and texts.
//!
//! `word_decoder`, `base64_join` and `escape_join` decode the words; `raw_reading`, `raw_text` and `split_characters` decode the texts between them.
//!
//! # Limits
//!
//! Words are joined to a run only over white space and in one lexical context.

mod base64_join;
mod escape_join;
mod label_cache;
mod raw_reading;
mod raw_text;
mod split_characters;
mod unknown_label;
mod word_decoder;

use super::context::HeaderContext;
use super::payload::{PayloadDamage, Sextets};
use crate::charset_choice::RawReading;
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::field_kind::FieldKind;
use crate::lexer;
use crate::lexer::{LexicalContext, WordFinder, WordToken};
use label_cache::LabelCache;
use mailglot_codec::Charset;
use std::cell::OnceCell;
use std::ops::Range;

/// Maximum length of a word in bytes (RFC 2047, section 2). Longer ones are reported.
pub(crate) const MAX_WORD_BYTES: usize = 75;

/// A run of words that decode together, or a text between runs.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The range in the value. Segments cover it without gaps; white space inside a run belongs to the run.
    pub range: Range<usize>,
    /// The context in which the segment stands.
    pub lexical: LexicalContext,
    /// The words as indexes into [`Reader::words`]; empty for a text.
    pub words: Range<usize>,
}

/// A text with its context.
type TextPiece = (Range<usize>, LexicalContext);

/// A word whose payload was decoded.
#[derive(Clone, Debug)]
pub(super) struct DecodedWord {
    /// The word as found.
    pub word: WordToken,
    /// The charset; None if the label says nothing.
    pub charset: Option<Charset>,
    /// True if the caller mapped the label.
    pub mapped: bool,
    /// True if the label is a name or an alias of the charset, without repair.
    pub named: bool,
    /// The repairs of the payload.
    pub damage: PayloadDamage,
    /// The range of its bytes in [`Reader::bytes`].
    pub bytes: Range<usize>,
    left: Sextets,
}

/// A value split into segments, for decoding and rewriting.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    /// The value.
    pub value: &'a [u8],
    /// The caller's options.
    pub(super) context: HeaderContext<'a>,
    /// True if the text will be written again rather than shown.
    pub(super) is_written: bool,
    /// How to step through characters of raw text.
    pub(super) steps: lexer::CharacterSteps,
    named: OnceCell<Option<Charset>>,
    rival: OnceCell<Option<Charset>>,
    reading: OnceCell<RawReading>,
    /// The folds within characters of raw text.
    splits: OnceCell<Vec<Range<usize>>>,
    /// The last run that has words with unknown labels, and whether all of them are readable.
    unknown_run: Option<(Range<usize>, bool)>,
    /// Texts and runs, in order.
    pub segments: Vec<Segment>,
    /// All decodable words, in order.
    pub words: Vec<DecodedWord>,
    /// The decoded payloads, concatenated.
    pub bytes: Vec<u8>,
}

/// Decodes a value segment by segment.
#[inline(never)]
pub(super) fn decode_segments(
    value: &[u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> String {
    let mut out = String::with_capacity(value.len());
    let reader = Reader::new(value, kind, context, findings);
    for segment in &reader.segments {
        reader.push(segment, &mut out, findings);
    }
    findings.sort_by_key(|f| f.at.start);
    out
}

impl<'a> Reader<'a> {
    /// Splits a value and decodes its payloads.
    pub(super) fn new(
        value: &'a [u8],
        kind: FieldKind,
        context: &HeaderContext<'a>,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut reader = Self {
            value,
            context: *context,
            is_written: false,
            steps: if kind.has_syntax() {
                lexer::CharacterSteps::of(value)
            } else {
                lexer::CharacterSteps::default()
            },
            named: OnceCell::new(),
            rival: OnceCell::new(),
            reading: OnceCell::new(),
            splits: OnceCell::new(),
            unknown_run: None,
            segments: Vec::new(),
            words: Vec::new(),
            bytes: Vec::new(),
        };
        let mut labels = LabelCache {
            context: *context,
            last: None,
        };
        // White space that may separate two words.
        let mut gap: Option<TextPiece> = None;
        for token in lexer::tokens(value, kind, reader.steps) {
            let lexical = token.lexical;
            if let Some(word) = token.word {
                reader.add_word(word, lexical, &mut gap, &mut labels, findings);
                continue;
            }
            if lexical == LexicalContext::Address && kind.has_syntax() {
                reader.report_word_in_address(&token.range, findings);
            }
            reader.add_text_or_gap(token.range, lexical, &mut gap);
        }
        reader.add_text(gap);
        reader.rejoin_escapes();
        reader.rejoin_base64();
        reader
    }

    /// Reports an encoded word in an address, where it stays as written.
    fn report_word_in_address(&self, address: &Range<usize>, findings: &mut Vec<Finding>) {
        let mut finder = WordFinder::new(self.value, address.end);
        if let Some(word) = finder.next_from(address.start) {
            let kind = EventKind::EwInAddress;
            findings.add(word.range, kind, Reason::KeptAsWritten);
        }
    }

    /// Returns true if the last segment is a run of words in this context.
    fn ends_in_run(&self, lexical: LexicalContext) -> bool {
        let last = self.segments.last();
        last.is_some_and(|segment| !segment.words.is_empty() && segment.lexical == lexical)
    }

    /// Adds a text, or keeps it back in `gap` if it is white space after a run, which another word may continue.
    fn add_text_or_gap(
        &mut self,
        range: Range<usize>,
        lexical: LexicalContext,
        gap: &mut Option<TextPiece>,
    ) {
        let text = &self.value[range.clone()];
        if self.ends_in_run(lexical) && gap.is_none() && lexer::is_blank(text) {
            *gap = Some((range, lexical));
        } else {
            self.add_text(gap.take());
            self.add_text(Some((range, lexical)));
        }
    }

    /// Adds a word to the run before it, or to a new one. A word that cannot be decoded is text.
    fn add_word(
        &mut self,
        word: WordToken,
        lexical: LexicalContext,
        gap: &mut Option<TextPiece>,
        labels: &mut LabelCache<'_>,
        findings: &mut Vec<Finding>,
    ) {
        let range = word.range.clone();
        let joined = gap.is_some() || self.ends_in_run(lexical);
        let Some(ready) = self.ready(word, joined, labels, findings) else {
            self.add_text(gap.take());
            self.add_text(Some((range, lexical)));
            return;
        };
        self.words.push(ready);
        let end = self.words.len();
        let run = self.segments.last_mut();
        match run.filter(|run| joined && run.lexical == lexical) {
            Some(run) => {
                run.range.end = range.end;
                run.words.end = end;
            }
            None => self.segments.push(Segment {
                range,
                lexical,
                words: end - 1..end,
            }),
        }
        *gap = None;
    }

    /// Adds a text. Joins adjacent texts of one context, except addresses.
    fn add_text(&mut self, text: Option<TextPiece>) {
        let Some((range, lexical)) = text else { return };
        match self.segments.last_mut() {
            Some(last)
                if last.words.is_empty()
                    && last.lexical == lexical
                    && !matches!(lexical, LexicalContext::Mark | LexicalContext::Address) =>
            {
                last.range.end = range.end;
            }
            _ => self.segments.push(Segment {
                range,
                lexical,
                words: 0..0,
            }),
        }
    }

    /// Appends the text of a segment.
    pub(super) fn push(&self, segment: &Segment, out: &mut String, findings: &mut Vec<Finding>) {
        if segment.words.is_empty() {
            self.push_raw(segment.range.clone(), segment.lexical, out, findings);
        } else {
            self.push_run(segment, out, findings, None);
        }
    }
}

/// Returns the charset for the raw bytes of an unstructured value.
pub(crate) fn charset_of_raw(value: &[u8], context: &HeaderContext) -> Charset {
    Reader::new(value, FieldKind::Unstructured, context, &mut Vec::new())
        .raw_reading(LexicalContext::Text)
        .charset()
}

/// Returns true if two charsets are the same or share a superset: their words may be joined.
pub(super) fn same_charset(a: Option<Charset>, b: Option<Charset>) -> bool {
    a == b || matches!((a, b), (Some(a), Some(b)) if a.superset() == b.superset())
}
