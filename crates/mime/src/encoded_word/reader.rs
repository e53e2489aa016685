//! Splits a value into runs of words and texts, decodes the payloads, and decodes raw bytes.

use super::context::is_plain;
use super::context::{HeaderContext, UnknownLabel};
use super::controls::{is_control, is_plain_text, push_clean, report_controls};
use super::invisible::report_hidden_characters;
use super::labelled_bytes::by_escapes;
use super::payload::{self, PayloadDamage, Sextets};
use super::raw_charset::{mixed_finding, read_raw};
use super::repair;
use super::unfold::unfold;
use super::writable::push_written;
use crate::Detection;
use crate::charset_choice::{RawReading, has_letters, utf8_outweighs_message};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::header::FieldKind;
use crate::lexer;
use crate::lexer::{Letter, WordFinder, WordToken};
use crate::lexer::{LexicalContext, Token};
use crate::reading::How;
use mailglot_codec::{Charset, LossLog, Resolved};
use std::borrow::Cow;
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

/// The charset that the label of a word names.
struct WordCharset {
    /// The charset; None if the label says nothing.
    charset: Option<Charset>,
    /// True if the caller mapped the label.
    mapped: bool,
    /// True if the label is a name or an alias of the charset, without repair.
    named: bool,
}

/// A value split into segments, for decoding and rewriting.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    /// The value.
    pub value: &'a [u8],
    /// The charset of raw bytes that the message or the caller names.
    pub raw: Option<Charset>,
    /// The caller's options.
    pub(super) context: HeaderContext<'a>,
    /// True if the text will be written again rather than shown.
    pub(super) is_written: bool,
    /// How to step through characters of raw text.
    pub(super) steps: lexer::CharacterSteps,
    named: OnceCell<Option<Charset>>,
    rival: OnceCell<Option<Charset>>,
    reading: OnceCell<RawReading>,
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
            raw: context.raw.filter(|&c| is_plain(c)),
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
            let Token {
                range,
                lexical,
                word,
            } = token;
            if let Some(word) = word {
                reader.add_word(word, lexical, &mut gap, &mut labels, findings);
                continue;
            }
            if lexical == LexicalContext::Address && kind.has_syntax() {
                reader.report_word_in_address(&range, findings);
            }
            reader.add_text_or_gap(range, lexical, &mut gap);
        }
        reader.add_text(gap);
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
        let is_blank = |bytes: &[u8]| bytes.iter().all(|&b| lexer::is_space(b));
        if self.ends_in_run(lexical) && gap.is_none() && is_blank(&self.value[range.clone()]) {
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

    /// Joins the base64 of adjacent words that were cut within quanta, if only the whole is well-formed and loses less.
    fn rejoin_base64(&mut self) {
        let is_cut = |word: &DecodedWord| {
            word.word.letter == Letter::B && (word.damage.padding || word.damage.dropped)
        };
        if self.words.len() < 2 || !self.words.iter().any(is_cut) {
            return;
        }
        let mut joined: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        for run in self.segments.iter().map(|segment| segment.words.clone()) {
            let mut first = run.start;
            while first < run.end {
                let one = &self.words[first];
                let goes_on = |word: &&DecodedWord| {
                    word.word.letter == Letter::B && same_charset(word.charset, one.charset)
                };
                let count = self.words[first..run.end]
                    .iter()
                    .take_while(goes_on)
                    .count();
                let group = &self.words[first..first + count];
                if count > 1
                    && group.iter().any(is_cut)
                    && let Some(bytes) = self.whole(group)
                {
                    joined.push((first..first + count, bytes));
                }
                first += count.max(1);
            }
        }
        if joined.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(self.bytes.len() + 2 * self.words.len());
        let mut groups = joined.into_iter().peekable();
        let mut index = 0;
        while index < self.words.len() {
            let Some((group, whole)) = groups.next_if(|(group, _)| group.start == index) else {
                let own = self.words[index].bytes.clone();
                let start = bytes.len();
                bytes.extend_from_slice(&self.bytes[own]);
                self.words[index].bytes = start..bytes.len();
                index += 1;
                continue;
            };
            let (start, mut sextets) = (bytes.len(), 0);
            bytes.extend_from_slice(&whole);
            let mut from = start;
            for word in &mut self.words[group.clone()] {
                let payload = &self.value[word.word.payload.clone()];
                sextets += payload.iter().filter(|byte| **byte != b'=').count();
                let end = start + sextets * 3 / 4;
                // Other readers see the cut.
                word.damage = PayloadDamage {
                    padding: !payload.len().is_multiple_of(4),
                    ..PayloadDamage::default()
                };
                word.bytes = from..end;
                word.left = Sextets::default();
                from = end;
            }
            index = group.end;
        }
        self.bytes = bytes;
    }

    /// Decodes words as one piece of base64. Returns None unless it is well-formed and loses less than the words alone.
    fn whole(&self, group: &[DecodedWord]) -> Option<Vec<u8>> {
        let payloads: Vec<u8> = group
            .iter()
            .flat_map(|word| self.value[word.word.payload.clone()].iter().copied())
            .collect();
        let mut bytes = Vec::new();
        if !payload::decode_strict(&payloads, &mut bytes) {
            return None;
        }
        let charset = group[0]
            .charset
            .filter(|c| *c != Charset::US_ASCII)
            .unwrap_or(Charset::UTF_8);
        let losses = |bytes: &[u8]| {
            let mut log = LossLog::with_limit(0);
            let _ = charset.decode(bytes, &mut log);
            log.losses()
        };
        let dropped = group.iter().filter(|word| word.damage.dropped).count() as u64;
        let apart = &self.bytes[group[0].bytes.start..group[group.len() - 1].bytes.end];
        (losses(&bytes) < losses(apart) + dropped).then_some(bytes)
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

    /// Resolves the label of a word and reports unusual labels. Returns None for a word that stays as written.
    fn resolve_label(
        &self,
        word: &WordToken,
        labels: &mut LabelCache<'_>,
        findings: &mut Vec<Finding>,
    ) -> Option<WordCharset> {
        let label = &self.value[word.label.clone()];
        let (resolved, mapped) = labels.resolve(label);
        let mut report = |kind, detail: Detail| {
            findings.add(word.range.clone(), kind, detail);
        };
        if mapped {
            let charset = resolved.charset().map_or(Detail::None, Detail::Charset);
            report(EventKind::CharsetMapped, charset);
        }
        let charset = match resolved {
            Resolved::Unknown => {
                let kind = EventKind::CharsetUnknownLabel;
                let Some(charset) = self.unknown(word) else {
                    report(kind, Reason::WordKept.into());
                    return None;
                };
                report(kind, charset.into());
                Some(charset)
            }
            _ if label.is_empty() => {
                let kind = EventKind::CharsetUnknownLabel;
                report(kind, Reason::WordWithoutCharset.into());
                return None;
            }
            _ => resolved.charset(),
        };
        match resolved {
            Resolved::Alias(_) => report(EventKind::CharsetAlias, Detail::None),
            Resolved::Repaired(_) => report(EventKind::CharsetGarbageLabel, Detail::None),
            Resolved::NoInformation => {
                report(
                    EventKind::CharsetUnknownLabel,
                    Reason::LabelSaysNothing.into(),
                );
            }
            _ => {}
        }
        let named = matches!(resolved, Resolved::Exact(_) | Resolved::Alias(_));
        Some(WordCharset {
            charset,
            mapped,
            named,
        })
    }

    /// Resolves the label of a word and decodes its payload. Returns None for a word that stays as written.
    fn ready(
        &mut self,
        word: WordToken,
        joined: bool,
        labels: &mut LabelCache<'_>,
        findings: &mut Vec<Finding>,
    ) -> Option<DecodedWord> {
        let WordCharset {
            charset,
            mapped,
            named,
        } = self.resolve_label(&word, labels, findings)?;
        let text = &self.value[word.payload.clone()];
        let mut start = self.bytes.len();
        let (damage, left) = match word.letter {
            Letter::Q => (payload::decode_q(text, &mut self.bytes), Sextets::default()),
            Letter::B => {
                let carried = if joined {
                    self.carry(charset, text)
                } else {
                    CarriedSextets::default()
                };
                start = self.bytes.len();
                let result = payload::decode_b(text, carried.sextets, &mut self.bytes);
                if !result.plausible {
                    self.bytes.truncate(start);
                    self.undo_carry(carried);
                    findings.add(word.range, EventKind::EwBadToken, Reason::WordNotBase64);
                    return None;
                }
                // Other readers see the cut.
                let mut damage = result.damage;
                damage.padding |= carried.sextets.count() > 0;
                (damage, result.left)
            }
        };
        Some(DecodedWord {
            word,
            charset,
            mapped,
            named,
            damage,
            bytes: start..self.bytes.len(),
            left,
        })
    }

    /// Returns the charset for a word with an unknown label, if the caller wants one.
    ///
    /// Escape sequences need no label.
    fn unknown(&self, word: &WordToken) -> Option<Charset> {
        let (text, mut bytes) = (&self.value[word.payload.clone()], Vec::new());
        match word.letter {
            Letter::Q => drop(payload::decode_q(text, &mut bytes)),
            Letter::B => drop(payload::decode_b(text, Sextets::default(), &mut bytes)),
        }
        let by_context = || match self.context.unknown {
            UnknownLabel::Keep => None,
            UnknownLabel::Fallback(charset) => Some(charset),
            UnknownLabel::Utf8IfValid => std::str::from_utf8(&bytes)
                .is_ok()
                .then_some(Charset::UTF_8),
        };
        by_escapes(None, &bytes, &self.context).or_else(by_context)
    }

    /// Takes over the sextets of the word before if its last quantum continues in this payload.
    fn carry(&mut self, charset: Option<Charset>, text: &[u8]) -> CarriedSextets {
        let Some(before) = self.words.last_mut() else {
            return CarriedSextets::default();
        };
        let left = before.left;
        if left.count() == 0 || !same_charset(before.charset, charset) {
            return CarriedSextets::default();
        }
        if !left.wants_more() && payload::stands_alone(text) {
            return CarriedSextets::default();
        }
        let carried = CarriedSextets {
            sextets: left,
            damage: before.damage,
        };
        before.bytes.end -= left.bytes();
        before.damage.padding = true;
        before.damage.dropped = false;
        self.bytes.truncate(before.bytes.end);
        carried
    }

    /// Undoes [`Self::carry`].
    fn undo_carry(&mut self, carried: CarriedSextets) {
        if let Some(before) = self
            .words
            .last_mut()
            .filter(|_| carried.sextets.count() > 0)
        {
            carried.sextets.flush(&mut self.bytes);
            before.bytes.end = self.bytes.len();
            before.damage = carried.damage;
        }
    }

    /// Appends the text of a segment.
    pub(super) fn push(&self, segment: &Segment, out: &mut String, findings: &mut Vec<Finding>) {
        if segment.words.is_empty() {
            self.push_raw(segment.range.clone(), segment.lexical, out, findings);
        } else {
            self.push_run(segment, out, findings);
        }
    }

    /// Appends a text between words: replaces folds by spaces and decodes raw bytes.
    fn push_raw(
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
        let text = unfold(raw, range.end == self.value.len());
        let decoded = self.raw_text(&text, lexical);
        if !text.is_ascii() {
            let (at, count) = eight_bit_bytes(self.value, range.clone());
            let charset = decoded.reading.charset();
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
        let shifted = (lexical != LexicalContext::Address && lexer::has_escape(&text))
            .then(|| lexer::decode_raw_iso2022jp(&decoded.text))
            .flatten();
        let text = if let Some((shifted, count)) = shifted {
            findings.push(raw_iso2022jp_finding(raw, range.start, count));
            Cow::Owned(shifted)
        } else {
            decoded.text
        };
        let text = match lexical {
            LexicalContext::Quoted => Cow::Owned(lexer::unescape(&text).into_owned()),
            _ => text,
        };
        let text = if lexical == LexicalContext::Address {
            text
        } else {
            self.repaired(text, lexical == LexicalContext::Text, &range, findings)
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

    /// Appends decoded text with spaces for controls; returns their number.
    ///
    /// Text that will be written again keeps the controls of misread UTF-8. Without them nobody could undo that damage.
    pub(super) fn push_text(&self, text: &str, out: &mut String) -> u64 {
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
    pub(super) fn repaired<'t>(
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

    /// Returns raw bytes as UTF-8, unless they are UTF-8 only by chance.
    ///
    /// The message, the words of the value or its other raw bytes may name another charset that fits.
    pub(super) fn utf8<'t>(&self, bytes: &'t [u8], lexical: LexicalContext) -> Option<&'t str> {
        let text = std::str::from_utf8(bytes).ok()?;
        if bytes.is_ascii() || lexical == LexicalContext::Address {
            return Some(text);
        }
        utf8_outweighs_message(self.rival(), bytes, text).then_some(text)
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
    pub(super) fn legacy_text<'t>(&self, bytes: &'t [u8], lexical: LexicalContext) -> Cow<'t, str> {
        let reading = self.raw_reading(lexical);
        reading.decode(bytes, &mut LossLog::new())
    }

    /// Returns how to decode raw bytes that are not UTF-8.
    ///
    /// Does not guess in addresses: they are never rewritten, and their reading must not depend on text that is.
    pub(super) fn raw_reading(&self, lexical: LexicalContext) -> RawReading {
        if lexical == LexicalContext::Address {
            let is_certain = |_: &Charset| !self.context.raw_is_uncertain || self.named().is_none();
            let raw = self.raw.filter(is_certain);
            return RawReading::In(raw.unwrap_or(Charset::WINDOWS_1252));
        }
        *self.reading.get_or_init(|| {
            let mut raw = Vec::new();
            for bytes in self.legacy() {
                raw.extend_from_slice(bytes);
                raw.push(b' ');
            }
            // UTF-8 by chance is in the charset that UTF-8 was weighed against.
            let rival = raw.is_empty().then(|| self.rival()).flatten();
            rival.map_or_else(
                || read_raw(&raw, self.named(), &self.context),
                RawReading::In,
            )
        })
    }

    /// Returns the charset that all words of the value share.
    fn named(&self) -> Option<Charset> {
        *self.named.get_or_init(|| {
            let mut used = self
                .words
                .iter()
                .filter_map(|w| w.charset)
                .filter(|&c| c != Charset::US_ASCII);
            let first = used.next().filter(|&c| is_plain(c))?;
            used.all(|c| same_charset(Some(c), Some(first)))
                .then_some(first)
        })
    }

    /// Returns the raw texts of the value that are not UTF-8.
    fn legacy(&self) -> impl Iterator<Item = &[u8]> {
        let raw = self
            .segments
            .iter()
            .filter(|s| s.words.is_empty() && s.lexical != LexicalContext::Address);
        raw.map(|segment| &self.value[segment.range.clone()])
            .filter(|bytes| std::str::from_utf8(bytes).is_err())
    }

    /// Returns the charset that competes with valid UTF-8 for raw bytes.
    fn rival(&self) -> Option<Charset> {
        *self.rival.get_or_init(|| {
            let may_guess = self.context.detection != Detection::Off;
            let guessed = || {
                (may_guess && self.legacy().any(has_letters))
                    .then(|| self.raw_reading(LexicalContext::Text).charset())
                    .filter(|&charset| is_plain(charset))
            };
            self.context
                .rival_of_utf8()
                .or_else(|| self.named())
                .or_else(guessed)
        })
    }
}

/// Returns the range from the first to the last byte above 7F in a range of the value, and the number of such bytes.
pub(super) fn eight_bit_bytes(value: &[u8], range: Range<usize>) -> (Range<usize>, u64) {
    let (mut first, mut last, mut count) = (None, range.start, 0);
    let (blocks, rest) = value[range.clone()].as_chunks::<8>();
    let rest = rest.iter().rev();
    let rest = rest.fold(0, |word, byte| word << 8 | u64::from(*byte));
    let words = blocks.iter().map(|block| u64::from_le_bytes(*block));
    for (index, word) in words.chain([rest]).enumerate() {
        let high = word & 0x8080_8080_8080_8080;
        if high != 0 {
            let at = range.start + 8 * index;
            first.get_or_insert(at + high.trailing_zeros() as usize / 8);
            last = at + 8 - high.leading_zeros() as usize / 8;
            count += u64::from(high.count_ones());
        }
    }
    (first.unwrap_or(range.start)..last, count)
}

/// Builds the finding for `count` sequences of ISO-2022-JP in a raw text that begins at `start`.
fn raw_iso2022jp_finding(raw: &[u8], start: usize, count: u64) -> Finding {
    let first = memchr::memchr(0x1B, raw).unwrap_or(0);
    let last = memchr::memrchr(0x1B, raw).map_or(raw.len(), |last| raw.len().min(last + 3));
    let detail = Detail::ShownBy {
        used: Charset::ISO_2022_JP,
        how: How::Structure,
    };
    let kind = EventKind::CharsetDetected;
    Finding::counted(start + first..start + last, kind, detail, count)
}

/// Returns the charset for the raw bytes of an unstructured value.
pub(crate) fn charset_of_raw(value: &[u8], context: &HeaderContext) -> Charset {
    Reader::new(value, FieldKind::Unstructured, context, &mut Vec::new())
        .raw_reading(LexicalContext::Text)
        .charset()
}

/// The sextets that a word left to the next one, with the damage of the word.
#[derive(Clone, Copy, Default)]
struct CarriedSextets {
    sextets: Sextets,
    damage: PayloadDamage,
}

/// Decoded raw bytes.
#[derive(Debug)]
struct RawText<'t> {
    /// The text, including controls.
    text: Cow<'t, str>,
    reading: RawReading,
    /// Number of sequences that could not be decoded.
    losses: u64,
}

/// Caches the last label, since the words of a value mostly share one.
#[derive(Debug)]
struct LabelCache<'c> {
    context: HeaderContext<'c>,
    last: Option<(Vec<u8>, (Resolved, bool))>,
}

impl LabelCache<'_> {
    fn resolve(&mut self, label: &[u8]) -> (Resolved, bool) {
        if let Some((known, resolved)) = &self.last
            && known == label
        {
            return *resolved;
        }
        let resolved = self.context.resolve(label);
        self.last = Some((label.to_vec(), resolved));
        resolved
    }
}

/// Returns true if two charsets are the same or share a superset: their words may be joined.
pub(super) fn same_charset(a: Option<Charset>, b: Option<Charset>) -> bool {
    a == b || matches!((a, b), (Some(a), Some(b)) if a.superset() == b.superset())
}
