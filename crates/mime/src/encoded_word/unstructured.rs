//! Decodes unstructured values: subjects, comments, file names.
//!
//! A value is read piece by piece; a piece is a text and the run of words after it. Usual pieces are decoded in one pass
//! ([`super::usual_words`]), and all others by the [`Reader`]. Nearly all values have only usual pieces.
//!
//! # Limits
//!
//! The reader decodes texts with damage that a repair may undo, controls, invisible characters, or a line end at the end of the value. It also decodes
//! values with raw non-ASCII text beside other unusual pieces, since such text may be in the charset of the words.

use super::context::HeaderContext;
use super::damage_signs::{has_sign, may_be_damaged, word_may_be_damaged};
use super::invisible_scan::{INVISIBLE_LEADS, is_visible};
use super::reader::{Reader, decode_segments};
use super::usual_words::{UsualWords, WordLabel};
use crate::event::{EventKind, Finding};
use crate::field_kind::FieldKind;
use crate::lexer;
use mailglot_codec::Charset;
use mailglot_kernel::{PlainRun, ShortBytes, ascii};
use std::borrow::Cow;
use std::iter::Peekable;
use std::mem;
use std::ops::Range;
use std::vec;

/// Decodes an unstructured value; see [`crate::header::decode`].
#[inline(never)]
pub(super) fn decode<'v>(
    value: &'v [u8],
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'v, str> {
    match whole(value, context, findings) {
        Whole::Text(text) => text,
        Whole::Pieces(scan) => {
            let mut buffers = DecodeBuffers::default();
            Unstructured::new(value, context, findings, &mut buffers).decode(scan);
            buffers.text.into()
        }
    }
}

/// Decodes an unstructured value with buffers; see [`crate::header::decode_with`].
#[inline(never)]
pub(super) fn decode_with<'b>(
    value: &'b [u8],
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
    buffers: &'b mut DecodeBuffers,
) -> &'b str {
    match whole(value, context, findings) {
        Whole::Text(Cow::Borrowed(text)) => return text,
        Whole::Text(Cow::Owned(text)) => buffers.text = text,
        Whole::Pieces(scan) => {
            Unstructured::new(value, context, findings, buffers).decode(scan);
        }
    }
    &buffers.text
}

/// Buffers for decoding many values, one after the other.
#[derive(Debug, Default)]
pub struct DecodeBuffers {
    text: String,
    /// The bytes of a word.
    bytes: ShortBytes,
    /// See [`UsualWords::checked`].
    checked: Vec<u8>,
}

impl DecodeBuffers {
    /// Keeps a text that was decoded without the buffers.
    pub(crate) fn keep(&mut self, text: String) -> &str {
        self.text = text;
        &self.text
    }
}

/// A value that is decoded as a whole, or is to be decoded piece by piece.
enum Whole<'v> {
    Text(Cow<'v, str>),
    /// With the scan of its start.
    Pieces(PlainRun<'v>),
}

/// Decodes a value without encoded words and folds as a whole, and every value if the caller gives instructions.
#[inline]
fn whole<'v>(value: &'v [u8], context: &HeaderContext, findings: &mut Vec<Finding>) -> Whole<'v> {
    if !context.has_no_instructions() {
        return Whole::Text(
            decode_segments(value, FieldKind::Unstructured, context, findings).into(),
        );
    }
    let scan = PlainRun::scan(value, 0);
    if scan.stop.is_some() || scan.has_control_or_tilde {
        return Whole::Pieces(scan);
    }
    if let Some(text) = scan.ascii
        && !(scan.has_dollar_or_ampersand && has_sign(value))
    {
        return Whole::Text(Cow::Borrowed(text));
    }
    if scan.ascii.is_none()
        && context.plain_raw().is_none()
        && let Some(checked) = INVISIBLE_LEADS.check_utf8(value)
        && (!checked.is_suspect || is_visible(checked.text))
        && !may_be_damaged(value)
    {
        findings.push(raw_finding(checked.eight, checked.count as u64));
        return Whole::Text(Cow::Borrowed(checked.text));
    }
    Whole::Text(decode_segments(value, FieldKind::Unstructured, context, findings).into())
}

/// Decodes a value piece by piece.
struct Unstructured<'v, 'f> {
    words: UsualWords<'v, 'f>,
    /// The label of the last word.
    last: Option<WordLabel<'v>>,
    buffers: &'f mut DecodeBuffers,
    context: &'v HeaderContext<'v>,
    /// Number of findings before those of this value.
    findings_before: usize,
    /// Raw non-ASCII text was read as UTF-8. It may be in the charset of words in other charsets.
    has_raw_8bit: bool,
    has_legacy_words: bool,
    /// Decodes the unusual pieces. Made for the first one.
    rest: Option<UnusualPieces<'v>>,
}

impl<'v, 'f> Unstructured<'v, 'f> {
    fn new(
        value: &'v [u8],
        context: &'v HeaderContext<'v>,
        findings: &'f mut Vec<Finding>,
        buffers: &'f mut DecodeBuffers,
    ) -> Self {
        // Few texts are longer than their encoding. Decoders are faster with room after the end.
        let room = value.len() + 64;
        let mut text = mem::take(&mut buffers.text);
        if text.capacity() < room {
            text = String::with_capacity(room);
        }
        text.clear();
        Self {
            context,
            findings_before: findings.len(),
            words: UsualWords {
                value,
                scope: context.label_scope(),
                disproved: context.disproved,
                text,
                checked: mem::take(&mut buffers.checked),
                findings,
            },
            last: None,
            buffers,
            has_raw_8bit: false,
            has_legacy_words: false,
            rest: None,
        }
    }

    /// Decodes the value into the text of the buffers. `scan` is the result for its start.
    fn decode(&mut self, scan: PlainRun<'v>) {
        let value = self.words.value;
        let mut at = self.piece(0, scan);
        while at < value.len() {
            at = self.piece(at, PlainRun::scan(value, at));
        }
        if self.has_raw_8bit && (self.has_legacy_words || self.rest.is_some()) {
            self.truncate(0, self.findings_before);
            let mut rest = UnusualPieces::new(value, self.context);
            while rest.push(self.words.findings, &mut self.words.text) < value.len() {}
        }
        self.words.findings.sort_by_key(|f| f.at.start);
        self.buffers.text = mem::take(&mut self.words.text);
        self.buffers.checked = mem::take(&mut self.words.checked);
    }

    /// Appends the piece at `at`; returns its end. `scan` is the result for its first line.
    #[inline]
    fn piece(&mut self, at: usize, scan: PlainRun<'v>) -> usize {
        let (text, findings) = (self.words.text.len(), self.words.findings.len());
        if let Some(end) = self.usual_piece(at, scan) {
            return end;
        }
        self.truncate(text, findings);
        let (value, context) = (self.words.value, self.context);
        let rest = self
            .rest
            .get_or_insert_with(|| UnusualPieces::new(value, context));
        rest.skip_to(at);
        rest.push(self.words.findings, &mut self.words.text)
    }

    fn truncate(&mut self, text: usize, findings: usize) {
        self.words.text.truncate(text);
        self.words.findings.truncate(findings);
    }

    /// Like [`Self::piece`]; returns None for an unusual piece.
    #[inline]
    fn usual_piece(&mut self, at: usize, scan: PlainRun<'v>) -> Option<usize> {
        let end = self.text(at, scan)?;
        if end == self.words.value.len() {
            return Some(end);
        }
        let text = self.words.text.len();
        let bytes = &mut self.buffers.bytes;
        let run = self.words.run(end, &mut self.last, bytes)?;
        self.has_legacy_words |= run.is_legacy;
        (!word_may_be_damaged(&self.words.text.as_bytes()[text..])).then_some(run.end)
    }

    /// Appends the text from `start` on with a space for each fold; returns its end. `scan` is the result for its first line.
    #[inline]
    fn text(&mut self, start: usize, mut scan: PlainRun<'v>) -> Option<usize> {
        let value = self.words.value;
        let (mut at, mut has_raw_8bit, mut unsure_from) = (start, false, usize::MAX);
        let (text_start, mut has_candidate, mut has_tilde) = (self.words.text.len(), false, false);
        let end = loop {
            let range = at..scan.stop.unwrap_or(value.len());
            let text = &mut self.words.text;
            if scan.ascii.is_some() && !scan.has_control_or_tilde {
                ascii::append(value, range, text).then_some(())?;
            } else {
                let line = text.len();
                if INVISIBLE_LEADS.append_utf8(value, range, text)? {
                    unsure_from = unsure_from.min(line);
                }
            }
            has_raw_8bit |= scan.ascii.is_none();
            has_candidate |= scan.ascii.is_none() | scan.has_dollar_or_ampersand;
            has_tilde |= scan.has_control_or_tilde;
            match scan.stop {
                Some(stop) if value[stop] != b'=' => {
                    text.push(' ');
                    at = lexer::skip_space(value, stop);
                    if at == value.len() && matches!(value.last(), Some(b'\r' | b'\n')) {
                        return None;
                    }
                    scan = PlainRun::scan(value, at);
                }
                stop => break stop.unwrap_or(value.len()),
            }
        };
        if has_raw_8bit {
            if self.context.plain_raw().is_some() {
                return None;
            }
            self.has_raw_8bit = true;
            let (at, count) = lexer::eight_bit_bytes(value, start..end);
            self.words.findings.push(raw_finding(at, count));
        }
        let text = self.words.text.as_str();
        let added = &text.as_bytes()[text_start..];
        if has_candidate && may_be_damaged(added) || has_tilde && lexer::may_have_shifts(added) {
            return None;
        }
        text.get(unsure_from..)
            .is_none_or(is_visible)
            .then_some(end)
    }
}

/// Decodes the pieces of a value by the reader.
struct UnusualPieces<'v> {
    reader: Reader<'v>,
    /// Index of the next segment.
    segment: usize,
    /// The findings of the reader itself, in order.
    found: Peekable<vec::IntoIter<Finding>>,
}

impl<'v> UnusualPieces<'v> {
    fn new(value: &'v [u8], context: &HeaderContext<'v>) -> Self {
        let mut found = Vec::new();
        Self {
            reader: Reader::new(value, FieldKind::Unstructured, context, &mut found),
            segment: 0,
            found: found.into_iter().peekable(),
        }
    }

    /// Skips the pieces before `at`, where a piece starts.
    fn skip_to(&mut self, at: usize) {
        let segments = &self.reader.segments[self.segment..];
        self.segment += segments.iter().take_while(|s| s.range.start < at).count();
        while self
            .found
            .next_if(|finding| finding.at.start < at)
            .is_some()
        {}
    }

    /// Appends the text of the next piece; returns its end.
    fn push(&mut self, findings: &mut Vec<Finding>, text: &mut String) -> usize {
        let segments = &self.reader.segments[self.segment..];
        let run = segments
            .iter()
            .position(|segment| !segment.words.is_empty());
        let piece = &segments[..run.map_or(segments.len(), |run| run + 1)];
        self.segment += piece.len();
        let end = piece
            .last()
            .map_or(self.reader.value.len(), |last| last.range.end);
        while let Some(finding) = self.found.next_if(|finding| finding.at.start < end) {
            findings.push(finding);
        }
        for segment in piece {
            self.reader.push(segment, text, findings);
        }
        end
    }
}

/// Builds the finding for raw 8-bit bytes.
fn raw_finding(at: Range<usize>, count: u64) -> Finding {
    Finding::counted(at, EventKind::EwRaw8bit, Charset::UTF_8, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Detail;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use mailglot_codec::{LossLog, Unmappable};

    /// Returns true if all pieces are usual, and asserts that the reader alone gives the same.
    fn check(value: &[u8]) -> bool {
        let before = Finding::new(0..0, EventKind::HdrNul, Detail::None);
        let (mut findings, mut others) = (vec![before.clone()], vec![before]);
        let context = HeaderContext {
            check_labels: true,
            ..HeaderContext::default()
        };
        let text = decode(value, &context, &mut findings);
        let other = decode_segments(value, FieldKind::Unstructured, &context, &mut others);
        let shown = value.escape_ascii();
        assert_eq!((&*text, &findings), (&*other, &others), "{shown}");
        let mut findings = Vec::new();
        let mut buffers = DecodeBuffers::default();
        let mut pieces = Unstructured::new(value, &context, &mut findings, &mut buffers);
        pieces.decode(PlainRun::scan(value, 0));
        let is_usual = pieces.rest.is_none() && !(pieces.has_raw_8bit && pieces.has_legacy_words);
        assert_eq!(buffers.text, text, "{shown}");
        // What an earlier value left in the buffers changes nothing.
        for earlier in [value, b"a\r\n =?koi8-r?Q?=C4=C1_=D7?= =?utf-8?Q?=C3=BC?="] {
            decode_with(earlier, &context, &mut Vec::new(), &mut buffers);
            let mut again = vec![others[0].clone()];
            let other = decode_with(value, &context, &mut again, &mut buffers);
            assert_eq!((other, again), (&*text, others.clone()), "{shown}");
        }
        is_usual
    }

    #[test]
    fn usual_values_need_no_reader() {
        for value in [
            "",
            "a",
            "The quick brown fox jumps over it; (twice)",
            "What? No!",
            "a = b? no =",
            "a\r\n b",
            "a \r\n\t b\n c\r\n ",
            "Grüße, “Köln”",
            "=?utf-8?Q?Gr=C3=BC=C3=9Fe?=",
            "Re: =?UTF-8?B?5pel5pys?=\r\n =?UTF-8?B?6Kqe?= (1)",
            "=?koi8-r?B?8A==?= =?iso-8859-1?Q?=E4?= x",
            "=?utf-8?Q?=E4=BC=9A?= ü",
            "=?utf8?Q?a?= =?UTF-8?Q?b?=",
            "=?iso-8859-1?Q?5_=80?= =?latin1?Q?_=E4?= x",
            "=?gb2312?B?gcE=?=",
            "=?iso-8859-1?Q?caf=E9?= =?iso-8859-1?Q?au_lait?=",
            "=?iso-8859-1?Q?na=EFve?= =?iso-8859-1?Q?caf=E9?=",
            "=?us-ascii?Q?Keith_Moore?=",
            "=?iso-2022-jp?B?GyRCRnwbKEI=?= =?iso-2022-jp?B?GyRCS1wbKEI=?=",
            "=?iso-2022-jp?B?GyRCRnwbKEIyMDI=?= =?iso-2022-jp?B?NhskQktcGyhC?=",
        ] {
            assert!(check(value.as_bytes()), "{value:?}");
        }
        let long = format!("=?utf-8?Q?{}?=", "x".repeat(100));
        assert!(check(long.as_bytes()));
    }

    #[test]
    fn raw_bytes_are_reported_in_every_context() {
        let mut count = 0;
        for before in 0..40 {
            for between in [0, 1, 5, 8, 20] {
                let (first, second) = ("x".repeat(before), "y".repeat(between));
                for value in [
                    format!("{first}é"),
                    format!("{first}é{second}日z"),
                    format!("{first}é{second}\r\n ß"),
                ] {
                    assert!(check(value.as_bytes()));
                    count += 1;
                }
            }
        }
        assert_eq!(count, 600);
    }

    #[test]
    fn other_values_need_the_reader() {
        for value in [
            "a\tb",
            "=?koi8-r?B?8A==?= ü",
            "a\r\n",
            "\u{e9}\u{202e}",
            "a\x7f",
            "a =? b",
            "x=?utf-8?Q?a?=",
            "=?utf-8?Q?a?=x",
            "=?utf-8?Q?a?==?utf-8?Q?b?=",
            "=?utf-8?Q?=07?=",
            "=?utf-8?Q?=E2=80=AE?=",
            "=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=",
            "=?utf-8?Q?=FF?=",
            "=?utf-8?B?77u/YQ==?=",
            "=?us-ascii?Q?na=C3=AFve?=",
            "=?iso-8859-1?Q?na=C3=AFve?=",
            "=?iso-8859-1?Q?na=C3=AFve?= =?iso-8859-1?Q?caf=E9?=",
            "=?iso-8859-1?B?8NLJ18XULCDLwcsgxMXMwQ==?=",
            "=?iso-8859-2?Q?=9Elu=9Dou=E8k=FD?=",
            "=?iso-8859-1?Q?na=C3?= =?iso-8859-1?Q?=AFve?=",
            "=?x-gibberish?Q?a?=",
            "=?utf-7?Q?a?=",
            "=?utf-16?B?AGE=?=",
            "=?iso-2022-jp?B?GyRCRnw=?= =?iso-2022-jp?B?S1wbKEI=?=",
            "=?iso-2022-jp?B?GyhKXA==?= =?iso-2022-jp?B?XA==?=",
        ] {
            assert!(!check(value.as_bytes()), "{value:?}");
        }
        assert!(!check(b"\xFC"));
    }

    struct Xorshift(u64);

    impl Xorshift {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }

        fn word(&mut self, charset: Charset) -> String {
            const TEXTS: [&str; 10] = [
                "கொ",
                "ॐ",
                "a b",
                "é\u{a0}ß",
                "Привет",
                "日本語ｱｲ①",
                "中文龍",
                "한국똠",
                "ไทย",
                "€“x”\\~",
            ];
            let text: String = (0..=self.below(2))
                .map(|_| TEXTS[self.below(TEXTS.len())])
                .collect();
            let mut bytes = match self.below(16) {
                // A program changed the text and kept the label.
                0 => text.into_bytes(),
                _ => charset
                    .encode(&text, Unmappable::Skip, &mut LossLog::new())
                    .into_owned(),
            };
            for _ in 0..self.below(3).saturating_sub(1) {
                let at = self.below(bytes.len() + 1);
                match self.below(3) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at, self.below(256) as u8),
                    _ => drop(bytes.splice(0..at, [])),
                }
            }
            if self.below(2) == 0 {
                return format!("=?{}?B?{}?=", charset.name(), STANDARD.encode(&bytes));
            }
            let q: Vec<String> = bytes.iter().map(|byte| format!("={byte:02X}")).collect();
            format!("=?{}?Q?{}?=", charset.name(), q.concat())
        }
    }

    #[test]
    fn words_in_any_charset_agree_with_the_reader() {
        let mut random = Xorshift(1);
        let charsets: Vec<Charset> = Charset::all().collect();
        let gaps = [" ", " ", "\r\n ", " x ", "  ", " é\r\n ", " \t "];
        let (mut here, mut several) = (0, 0);
        for charset in &charsets {
            for _ in 0..200 {
                let mut value = String::new();
                let count = 1 + random.below(4);
                for index in 0..count {
                    let other = random.below(4) == 0;
                    let used = if other {
                        charsets[random.below(charsets.len())]
                    } else {
                        *charset
                    };
                    value += &random.word(used);
                    if index + 1 < count || random.below(4) == 0 {
                        value += gaps[random.below(gaps.len())];
                    }
                }
                let read = check(value.as_bytes());
                here += usize::from(read);
                several += usize::from(read && count > 1);
            }
        }
        println!(
            "{here} values read here, {several} of several words, of {}",
            200 * charsets.len()
        );
        assert!(several > 15 * charsets.len(), "{here} {several}");
    }
}
