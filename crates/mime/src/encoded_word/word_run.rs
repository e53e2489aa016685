//! Decodes runs of words. Joins the bytes of adjacent words in one charset before decoding them.

use super::context::HeaderContext;
use super::controls::report_controls;
use super::invisible::report_hidden_characters;
use super::labelled_bytes::{check_decoded, read_lost_characters};
use super::raw_charset::read_raw;
use super::reader::{DecodedWord, MAX_WORD_BYTES, Reader, Segment, same_charset};
use super::superset_report::report_superset;
use super::utf8_mislabel::{as_utf8, mislabel_finding};
use super::value::decode_text;
use crate::charset_choice::by_escapes;
use crate::charset_choice::{LabelVerdict, is_private, visual_order_note};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer::{self, LexicalContext, has_word};
use crate::policy::Repairs;
use crate::reading::How;
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, LossLog, bom};
use std::borrow::Cow;
use std::ops::Range;

impl Reader<'_> {
    /// Appends the text of a run. `charsets_used` gets the charset of each word.
    pub(super) fn push_run(
        &self,
        segment: &Segment,
        out: &mut String,
        findings: &mut Vec<Finding>,
        mut charsets_used: Option<&mut Vec<Charset>>,
    ) {
        let words = &self.words[segment.words.clone()];
        for word in words {
            self.report_word(word, segment.lexical, findings);
        }
        for group in words.chunk_by(|a, b| same_charset(a.charset, b.charset)) {
            let charset = group[0].charset;
            let mislabelled_utf8 =
                charset.and_then(|charset| self.mislabelled_utf8(charset, group, findings));
            let by_escapes = by_escapes(charset, self.group_bytes(group), self.context.detection)
                .filter(|_| !group[0].mapped);
            let (text, used) = match charset {
                _ if let Some(used) = by_escapes => (self.escaped(used, group, findings), used),
                _ if let Some(text) = mislabelled_utf8 => (text, Charset::UTF_8),
                Some(c) if c == Charset::UTF_7 => (self.decode_utf7(group, findings), c),
                Some(c) if c.is_wide() => self.decode_wide(c, group, findings),
                Some(c) if c != Charset::US_ASCII => self.decode_joined(c, group, findings),
                _ => self.decode_unlabelled(group, findings),
            };
            if let Some(charsets_used) = &mut charsets_used {
                charsets_used.extend(group.iter().map(|_| used));
            }
            let at = extent(group);
            let text = self.decode_nested(text, &at, findings);
            let text = self.repaired_or_reported(text, true, &at, findings);
            let start = out.len();
            let controls = self.push_text(&text, out);
            report_controls(controls, &at, findings);
            let strip = self.context.strip_hidden;
            report_hidden_characters(out, start, at, strip, findings);
        }
    }

    /// Decodes words inside the text of words, if that repair is enabled, and reports them otherwise. Keeps damaged ones.
    fn decode_nested<'t>(
        &self,
        text: Cow<'t, str>,
        range: &Range<usize>,
        findings: &mut Vec<Finding>,
    ) -> Cow<'t, str> {
        if self.context.is_nested || !has_word(text.as_bytes()) {
            return text;
        }
        let context = HeaderContext {
            repairs: Repairs::default(),
            is_nested: true,
            ..self.context
        };
        let mut inner = Vec::new();
        let again = decode_text(text.as_bytes(), &context, &mut inner);
        // Keeps text that would be words a third time, or that is a guess.
        let unsure = |finding: &Finding| {
            matches!(
                finding.kind,
                EventKind::CharsetInvalidBytes | EventKind::CharsetDetected | EventKind::EwBadToken
            )
        };
        let settled = || decode_text(again.as_bytes(), &context, &mut Vec::new()) == again;
        if again == text || inner.iter().any(unsure) || !settled() {
            return text;
        }
        if !self.context.repairs.nested {
            let damage = Reason::RepairableNested;
            findings.add(range.clone(), EventKind::EwRepairable, damage);
            return text;
        }
        findings.extend(inner.into_iter().map(|finding| Finding {
            at: range.clone(),
            ..finding
        }));
        findings.add(range.clone(), EventKind::EwNested, Detail::None);
        Cow::Owned(again.into_owned())
    }

    fn group_bytes(&self, group: &[DecodedWord]) -> &[u8] {
        // Payloads are stored in order, so those of adjacent words are joined already.
        &self.bytes[group[0].bytes.start..group[group.len() - 1].bytes.end]
    }

    /// Returns the text of words that are UTF-8 despite their label.
    fn mislabelled_utf8<'s>(
        &'s self,
        charset: Charset,
        group: &[DecodedWord],
        findings: &mut Vec<Finding>,
    ) -> Option<Cow<'s, str>> {
        if !self.context.may_overrule(charset) {
            return None;
        }
        let text = as_utf8(charset, self.group_bytes(group))?;
        if charset == Charset::US_ASCII
            && self.utf8(text.as_bytes(), LexicalContext::Text).is_none()
        {
            return None;
        }
        findings.push(mislabel_finding(charset, extent(group)));
        Some(Cow::Borrowed(text))
    }

    /// Decodes the joined bytes of words in one charset. Returns the text and the charset.
    ///
    /// Decodes words alone if that loses less, and in another charset if the label fails both ways.
    fn decode_joined<'s>(
        &'s self,
        charset: Charset,
        group: &[DecodedWord],
        findings: &mut Vec<Finding>,
    ) -> (Cow<'s, str>, Charset) {
        let bytes = self.group_bytes(group);
        let mapped = group.iter().any(|word| word.mapped);
        let mut notes = Vec::new();
        if let Some((text, used)) =
            read_lost_characters(charset, bytes, mapped, &self.context, &mut notes)
        {
            findings.add_all(&extent(group), notes);
            return (Cow::Owned(text), used);
        }
        let mut log = LossLog::new();
        let text = charset.decode(bytes, &mut log);
        let may_split = || !bytes.is_ascii() || has_ascii_halves(charset) || log.losses() > 0;
        if group.len() > 1 && !charset.is_single_byte() && may_split() {
            let decode_alone: Vec<(Cow<'_, str>, LossLog)> = group
                .iter()
                .map(|w| self.decode_alone(charset, w))
                .collect();
            let losses: u64 = decode_alone.iter().map(|(_, log)| log.losses()).sum();
            if log.losses() > losses {
                for (word, (_, log)) in group.iter().zip(&decode_alone) {
                    report_losses(std::slice::from_ref(word), word.bytes.start, log, findings);
                }
                let text = decode_alone.iter().map(|(text, _)| text.as_ref());
                return (Cow::Owned(text.collect()), charset);
            }
            if losses > log.losses() {
                findings.add(extent(group), EventKind::EwSplitChar, Detail::None);
            }
        }
        let LabelVerdict { read, events, .. } = check_decoded(
            charset,
            bytes,
            (&text, &log),
            mapped,
            &self.context,
            is_evidence(bytes),
        );
        let is_separable = !charset.is_single_byte() && !charset.is_stateful();
        if read.is_none() && log.losses() > 0 && group.len() > 1 && is_separable {
            let text = self.decode_in_groups(charset, group, findings);
            return (Cow::Owned(text), charset);
        }
        findings.add_all(&extent(group), events);
        if let Some(read) = read {
            return (read.text, read.used);
        }
        report_losses(group, group[0].bytes.start, &log, findings);
        if log.losses() == 0 || charset.is_single_byte() {
            report_superset(charset, bytes, extent(group), findings);
        }
        if let Some(order) = visual_order_note(charset, &text) {
            findings.add(extent(group), EventKind::CharsetVisualOrder, order);
        }
        (text, charset)
    }

    /// Decodes damaged words. Joins neighbors only where that loses fewer characters, so no word spoils the next one.
    ///
    /// Private-use characters count as lost.
    fn decode_in_groups(
        &self,
        charset: Charset,
        group: &[DecodedWord],
        findings: &mut Vec<Finding>,
    ) -> String {
        /// Maximum number of words that one character, or the state of a charset, may span. The bound keeps the time linear.
        const SPREAD: usize = 8;
        let cost = |words: &[DecodedWord]| {
            let mut log = LossLog::with_limit(0);
            let text = charset.decode(self.group_bytes(words), &mut log);
            log.losses() + text.chars().filter(|c| is_private(*c)).count() as u64
        };
        // For each number of words: the least loss, and the start of their last group.
        let mut best = vec![(0, 0)];
        for end in 1..=group.len() {
            let starts = (end.saturating_sub(SPREAD)..end).rev();
            let costs = starts.map(|start| (best[start].0 + cost(&group[start..end]), start));
            // Of two equal losses, prefers the smaller group.
            let least = costs.reduce(|least, other| if other.0 < least.0 { other } else { least });
            best.push(least.unwrap_or((0, 0)));
        }
        let mut ends = Vec::new();
        let mut end = group.len();
        while end > 0 {
            ends.push(best[end].1..end);
            end = best[end].1;
        }
        let mut text = String::new();
        for part in ends.into_iter().rev().map(|range| &group[range]) {
            let mut log = LossLog::new();
            text += &charset.decode(self.group_bytes(part), &mut log);
            report_losses(part, part[0].bytes.start, &log, findings);
            if log.losses() == 0 {
                report_superset(charset, self.group_bytes(part), extent(part), findings);
            }
        }
        text
    }

    fn decode_alone<'s>(&'s self, charset: Charset, word: &DecodedWord) -> (Cow<'s, str>, LossLog) {
        let mut log = LossLog::new();
        let text = charset.decode(&self.bytes[word.bytes.clone()], &mut log);
        (text, log)
    }

    /// Decodes words by their escape sequences, which decode without loss.
    fn escaped(
        &self,
        used: Charset,
        group: &[DecodedWord],
        findings: &mut Vec<Finding>,
    ) -> Cow<'_, str> {
        let how = How::Structure;
        let detail = Detail::ShownBy { used, how };
        findings.add(extent(group), EventKind::CharsetDetected, detail);
        decode_unlogged(used, self.group_bytes(group))
    }

    /// Decodes UTF-7. Each word starts in direct state, unless the one before was cut inside a shift.
    fn decode_utf7(&self, group: &[DecodedWord], findings: &mut Vec<Finding>) -> Cow<'_, str> {
        let mut text = String::new();
        let mut first = 0;
        while first < group.len() {
            let mut last = first;
            // The bound keeps the time linear for many cut words.
            while last + 1 < group.len() && last - first < 16 {
                let (_, log) = self.decode_alone(Charset::UTF_7, &group[last]);
                let cut = last > first || !log.is_empty();
                if !(cut && ends_in_shift(&self.bytes[group[last].bytes.clone()], last > first)) {
                    break;
                }
                last += 1;
            }
            let part = &group[first..=last];
            let mut log = LossLog::new();
            text += &Charset::UTF_7.decode(self.group_bytes(part), &mut log);
            report_losses(part, part[0].bytes.start, &log, findings);
            first = last + 1;
        }
        Cow::Owned(text)
    }

    /// Decodes UTF-16 and UTF-32. Drops the byte order mark of each word; a mark of another byte order starts anew.
    fn decode_wide<'s>(
        &'s self,
        charset: Charset,
        group: &[DecodedWord],
        findings: &mut Vec<Finding>,
    ) -> (Cow<'s, str>, Charset) {
        let mark =
            |w: &DecodedWord| bom::sniff(&self.bytes[w.bytes.clone()]).filter(|(c, _)| c.is_wide());
        if !group[1..].iter().any(|w| mark(w).is_some()) {
            return self.decode_joined(charset, group, findings);
        }
        let order = |w: &DecodedWord| mark(w).map(|(order, _)| order);
        let (mut text, mut bytes) = (String::new(), Vec::new());
        // Words before the first mark are decoded alone.
        let mut first = group
            .iter()
            .position(|word| mark(word).is_some())
            .unwrap_or(group.len());
        for word in &group[..first] {
            text += &self
                .decode_joined(charset, std::slice::from_ref(word), findings)
                .0;
        }
        while let Some(start) = group.get(first) {
            let others =
                |w: &DecodedWord| order(w).is_some_and(|other| Some(other) != order(start));
            let next = group[first..]
                .iter()
                .position(others)
                .map_or(group.len(), |n| first + n);
            let piece = &group[first..next];
            first = next;
            bytes.clear();
            for (index, word) in piece.iter().enumerate() {
                let skip = mark(word)
                    .filter(|_| index > 0)
                    .map_or(0, |(_, length)| length);
                bytes.extend_from_slice(&self.bytes[word.bytes.clone()][skip..]);
            }
            let mut log = LossLog::new();
            text += &charset.decode(&bytes, &mut log);
            if log.losses() > 0 {
                let kind = EventKind::CharsetInvalidBytes;
                findings.add_counted(extent(piece), kind, Detail::None, log.losses());
            }
        }
        (Cow::Owned(text), charset)
    }

    /// Decodes words without a charset, or 8-bit bytes under us-ascii: as UTF-8 if valid, else like raw header bytes. Returns the
    /// text and the charset.
    fn decode_unlabelled<'s>(
        &'s self,
        group: &[DecodedWord],
        findings: &mut Vec<Finding>,
    ) -> (Cow<'s, str>, Charset) {
        let bytes = self.group_bytes(group);
        if bytes.is_ascii() {
            return (String::from_utf8_lossy(bytes), Charset::US_ASCII);
        }
        if let Some(text) = self.utf8(bytes, LexicalContext::Text) {
            let detail = Detail::read_as(None, Charset::UTF_8);
            findings.add(extent(group), EventKind::CharsetDetected, detail);
            return (Cow::Borrowed(text), Charset::UTF_8);
        }
        // UTF-8 by chance is in the charset that UTF-8 was weighed against.
        let weighed = || {
            std::str::from_utf8(bytes)
                .is_ok()
                .then(|| self.raw_reading(LexicalContext::Text))
        };
        let reading = weighed().unwrap_or_else(|| read_raw(bytes, None, &self.context));
        let used = reading.charset();
        findings.add(extent(group), EventKind::CharsetDetected, used);
        if let Some(other) = reading.other() {
            let (kind, detail) = (EventKind::CharsetMixed, Detail::WithinUtf8(other));
            findings.add(extent(group), kind, detail);
        }
        let mut log = LossLog::new();
        let text = reading.decode(bytes, &mut log);
        report_losses(group, group[0].bytes.start, &log, findings);
        (text, used)
    }

    /// Reports unusual properties of a word.
    fn report_word(
        &self,
        word: &DecodedWord,
        lexical: LexicalContext,
        findings: &mut Vec<Finding>,
    ) {
        let range = &word.word.range;
        if let Some(what) = word.damage.reason() {
            findings.add(range.clone(), EventKind::EwBadToken, what);
        }
        if range.len() > MAX_WORD_BYTES {
            findings.add(range.clone(), EventKind::EwBadToken, Reason::LongWord);
        }
        if let Some(tag) = word.word.language(self.value) {
            // Reports only possible language tags (RFC 5646, section 4.4).
            let is_tag =
                tag.len() <= 35 && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            let detail = if is_tag {
                Detail::Language(tag.into())
            } else {
                Detail::None
            };
            findings.add(range.clone(), EventKind::EwLanguage, detail);
        }
        if lexical == LexicalContext::Quoted {
            findings.add(range.clone(), EventKind::EwInQuotes, Detail::None);
        }
        let touches = |b: u8| !lexer::is_space(b) && !matches!(b, b'(' | b')' | b'"' | b',' | b'<');
        let before = lexer::byte_before(self.value, range.start);
        let after = self.value.get(range.end).copied();
        if before.is_some_and(touches) || after.is_some_and(touches) {
            findings.add(range.clone(), EventKind::EwGlued, Detail::None);
        }
    }
}

/// Returns true if words may contradict their label. A few letters above 7F without ASCII letters (`áâã ä`) prove too little.
fn is_evidence(bytes: &[u8]) -> bool {
    let mut high = bytes.iter().filter(|byte| !byte.is_ascii());
    bytes.iter().any(u8::is_ascii_alphabetic) || high.nth(4).is_some()
}

/// Returns true if half a character may be ASCII and words carry no state to the next one.
fn has_ascii_halves(charset: Charset) -> bool {
    charset.is_wide() || charset.superset() == Charset::ISO_2022_JP
}

/// Returns true if UTF-7 bytes end inside an open shift.
fn ends_in_shift(bytes: &[u8], mut shifted: bool) -> bool {
    for &byte in bytes {
        shifted = match byte {
            b'+' => true,
            _ => shifted && (byte.is_ascii_alphanumeric() || byte == b'/'),
        };
    }
    shifted
}

fn extent(group: &[DecodedWord]) -> Range<usize> {
    group[0].word.range.start..group[group.len() - 1].word.range.end
}

/// Reports losses word by word. The last of those that the log keeps stands for all further ones.
fn report_losses(group: &[DecodedWord], origin: usize, log: &LossLog, findings: &mut Vec<Finding>) {
    if log.losses() == 0 {
        return;
    }
    let first = findings.len();
    let event = EventKind::CharsetInvalidBytes;
    let (mut word, mut kept) = (0, 0);
    for loss in log.kept().iter().filter(|l| l.kind.is_loss()) {
        let at = origin + loss.bytes.start as usize;
        while word + 1 < group.len() && at >= group[word].bytes.end {
            word += 1;
        }
        let range = group[word].word.range.clone();
        let (kind, charset) = (loss.kind, None);
        match findings[first..].last_mut().filter(|f| f.at == range) {
            Some(finding) => finding.count += 1,
            None => findings.add(range, event, Detail::Loss { kind, charset }),
        }
        kept += 1;
    }
    match findings[first..].last_mut() {
        Some(last) => last.count += log.losses() - kept,
        None => findings.add_counted(extent(group), event, Detail::None, log.losses()),
    }
}
