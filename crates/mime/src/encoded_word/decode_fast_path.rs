//! Decodes values of the usual shapes in one pass; nearly all values have one.
//!
//! Such a value is ASCII or UTF-8 text with separate, strictly written words, each of which decodes alone without a defect. It
//! needs no joining, no charset decision and no repair, so the result equals that of [`super::decode::Reader`]. The same findings
//! are reported: raw bytes, an alias, a superset, a long word.
//!
//! # Limits
//!
//! The general reader handles all other values. Examples are damage, repaired or mapped labels, words that touch text, controls,
//! invisible characters, and a line end at the end. It also handles raw non-ASCII text beside words in legacy charsets, and bytes
//! that are UTF-8 or odd under their label. Of the stateful charsets, only ISO-2022-JP that returns to ASCII is handled here.

use super::decode::{MAX_WORD_BYTES, same_charset};
use super::invisible_scan::{INVISIBLE_LEADS, is_visible};
use super::strict_syntax::{self, StrictLabel};
use super::superset_report::{superset_finding, uses_superset};
use super::utf8_mislabel::Utf8Check;
use crate::charset_choice::{
    EvidenceTest, better_charset_and_test, label_states_order, needs_label_check,
};
use crate::event::{Detail, EventKind, Finding, Reason};
use crate::lexer;
use mailglot_codec::{Charset, Resolved};
use mailglot_kernel::{PlainRun, ShortBytes, ascii};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Decodes a value; returns None and reports nothing if the general reader must decide.
#[inline(never)]
pub(super) fn decode<'v>(
    value: &'v [u8],
    check_labels: bool,
    findings: &mut Vec<Finding>,
) -> Option<Cow<'v, str>> {
    let scan = PlainRun::scan(value, 0);
    match scan {
        PlainRun {
            ascii: Some(text),
            has_control: false,
            stop: None,
        } => {
            return Some(Cow::Borrowed(text));
        }
        PlainRun {
            ascii: None,
            has_control: false,
            stop: None,
        } => {
            let checked = INVISIBLE_LEADS.check_utf8(value)?;
            if checked.is_suspect && !is_visible(checked.text) {
                return None;
            }
            findings.push(raw_finding(checked.eight, checked.count as u64));
            return Some(Cow::Borrowed(checked.text));
        }
        _ => {}
    }
    let findings_before = findings.len();
    // Few texts are longer than their encoding. Decoders are faster with room after the end.
    let out = String::with_capacity(value.len() + 64);
    let mut writer = FastDecoder {
        value,
        check_labels,
        out,
        scan_start: usize::MAX,
        has_raw_8bit: false,
        has_legacy_words: false,
        findings,
    };
    if writer.write(scan).is_some()
        && writer.is_visible()
        && !(writer.has_raw_8bit && writer.has_legacy_words)
    {
        let out = writer.out;
        findings.sort_by_key(|f| f.at.start);
        return Some(Cow::Owned(out));
    }
    findings.truncate(findings_before);
    None
}

struct FastDecoder<'v, 'f> {
    value: &'v [u8],
    /// True if labels are checked ([`super::HeaderContext::check_labels`]).
    check_labels: bool,
    out: String,
    /// Offset in `out` from which controls or hidden characters may occur.
    scan_start: usize,
    /// The value has raw non-ASCII text, and words in other charsets than UTF-8. The raw text may be in theirs.
    has_raw_8bit: bool,
    has_legacy_words: bool,
    findings: &'f mut Vec<Finding>,
}

/// A label with its charset.
#[derive(Clone, Copy)]
struct WordLabel<'v> {
    name: &'v [u8],
    charset: Charset,
    alias: bool,
    state: Independence,
}

/// The condition under which words of a charset decode independently of their neighbors.
#[derive(Clone, Copy)]
enum Independence {
    /// Words always decode independently.
    Always,
    /// Words decode independently if their bytes suggest no other charset for this label.
    UnlessBetterCharset(EvidenceTest),
    /// Words decode independently if each ends in ASCII.
    IfAsciiAtEnd,
    /// Words decode independently if they are ASCII. The whole message decides on 8-bit bytes under this label.
    IfAscii,
}

impl Independence {
    fn of(charset: Charset) -> Option<Self> {
        /// One entry per charset index, since many values need it.
        static STATES: LazyLock<Vec<Option<Independence>>> =
            LazyLock::new(|| Charset::all().map(Independence::by_charset).collect());
        *STATES.get(charset.index())?
    }

    fn by_charset(charset: Charset) -> Option<Self> {
        match charset {
            Charset::US_ASCII => Some(Self::IfAscii),
            // A character may be split over two words.
            _ if charset.is_greedy() => None,
            // The order of the letters must be reported.
            _ if label_states_order(charset) => None,
            _ if charset.is_ascii_compatible() => Some(
                better_charset_and_test(charset).map_or(Self::Always, |(_, is_evidence)| {
                    Self::UnlessBetterCharset(is_evidence)
                }),
            ),
            _ => (charset.superset() == Charset::ISO_2022_JP).then_some(Self::IfAsciiAtEnd),
        }
    }

    fn is_independent(self, bytes: &[u8]) -> bool {
        match self {
            Self::Always => true,
            Self::UnlessBetterCharset(is_evidence) => !is_evidence(bytes),
            Self::IfAsciiAtEnd => {
                let last = bytes.iter().rposition(|byte| *byte == 0x1B);
                last.is_none_or(|escape| bytes[escape..].starts_with(b"\x1B(B"))
            }
            Self::IfAscii => bytes.is_ascii(),
        }
    }
}

/// Words of one charset with white space between them.
struct WordGroup {
    at: Range<usize>,
    charset: Charset,
    /// Some bytes are only in the superset of the charset.
    outside: bool,
    /// Detects UTF-8 under the label of another charset.
    utf8: Utf8Check,
    /// The bytes of the words, if their label must be checked.
    bytes: Option<Vec<u8>>,
}

impl<'v> FastDecoder<'v, '_> {
    /// Returns true if no control or hidden character was written.
    fn is_visible(&self) -> bool {
        self.out.get(self.scan_start..).is_none_or(is_visible)
    }

    /// Marks the output from `start` on for the scan for such characters.
    fn scan_from_here(&mut self, start: usize) {
        self.scan_start = self.scan_start.min(start);
    }

    /// Writes the value. `scan` is the result for its start.
    fn write(&mut self, scan: PlainRun<'v>) -> Option<()> {
        let value = self.value;
        let mut at = self.text(0, scan)?;
        if at == value.len() {
            return Some(());
        }
        let (mut label, mut bytes) = (None, ShortBytes::default());
        loop {
            at = self.run(at, &mut label, &mut bytes)?;
            if at == value.len() {
                return Some(());
            }
            at = self.text(at, PlainRun::scan(value, at))?;
            if at == value.len() {
                return Some(());
            }
        }
    }

    /// Writes the words from `at` on with only white space between them. Returns the end of the last one.
    fn run(
        &mut self,
        at: usize,
        label: &mut Option<WordLabel<'v>>,
        room: &mut ShortBytes,
    ) -> Option<usize> {
        let value = self.value;
        if at > 0 && !lexer::is_space(value[at - 1]) {
            return None;
        }
        let mut group: Option<WordGroup> = None;
        let mut next = at;
        loop {
            let last = label.as_ref().map_or(&b""[..], |label| label.name);
            let word = strict_syntax::word(value, next, last, room)?;
            let bytes = room.bytes();
            if let Some(name) = word.label {
                *label = Some(WordLabel::of(name)?);
            }
            let WordLabel {
                charset,
                alias,
                state,
                ..
            } = (*label)?;
            self.has_legacy_words |= charset != Charset::UTF_8 && charset != Charset::US_ASCII;
            if !state.is_independent(bytes) {
                return None;
            }
            // A byte order mark is a hidden character.
            let start = self.out.len();
            let is_unsure = if charset == Charset::UTF_8 {
                room.append_utf8(&INVISIBLE_LEADS, &mut self.out)?
            } else {
                charset
                    .decode_lossless_into(room, &mut self.out)
                    .then_some(true)?
            };
            if is_unsure {
                self.scan_from_here(start);
            }
            if alias {
                self.report(word.range.clone(), EventKind::CharsetAlias, Detail::None);
            }
            if word.range.len() > MAX_WORD_BYTES {
                self.report(word.range.clone(), EventKind::EwBadToken, Reason::LongWord);
            }
            let end = word.range.end;
            match group
                .as_mut()
                .filter(|group| same_charset(Some(group.charset), Some(charset)))
            {
                Some(group) => group.at.end = end,
                None => {
                    self.end(
                        group.replace(WordGroup {
                            at: word.range,
                            charset,
                            outside: false,
                            utf8: Utf8Check::default(),
                            bytes: (self.check_labels
                                && matches!(
                                    state,
                                    Independence::Always | Independence::UnlessBetterCharset(_)
                                ))
                            .then(Vec::new),
                        }),
                    )?;
                }
            }
            if let Some(group) = &mut group {
                group.outside = group.outside || uses_superset_in_buffer(group.charset, room);
                if charset != Charset::UTF_8 {
                    group.utf8.add(bytes);
                    if let Some(all) = &mut group.bytes {
                        all.extend_from_slice(bytes);
                    }
                }
            }
            next = lexer::skip_space(value, end);
            if !value[next..].starts_with(b"=?") {
                self.end(group)?;
                return Some(end);
            }
        }
    }

    /// Reports a complete group; returns None if its label may be wrong.
    #[inline]
    fn end(&mut self, group: Option<WordGroup>) -> Option<()> {
        let Some(group) = group else { return Some(()) };
        let may_be_other = |bytes| needs_label_check(group.charset, bytes, self.check_labels);
        if group.utf8.is_utf8() || group.bytes.as_deref().is_some_and(may_be_other) {
            return None;
        }
        if group.outside {
            self.findings
                .push(superset_finding(group.charset, group.at));
        }
        Some(())
    }

    fn report(&mut self, at: Range<usize>, kind: EventKind, detail: impl Into<Detail>) {
        self.findings.push(Finding::new(at, kind, detail));
    }

    /// Writes the text from `start` on with a space for each fold, and returns its end. `scan` is the result for its first line.
    fn text(&mut self, start: usize, mut scan: PlainRun<'v>) -> Option<usize> {
        let value = self.value;
        let (mut at, mut has_raw_8bit) = (start, false);
        let end = loop {
            self.piece(at..scan.stop.unwrap_or(value.len()), &scan)?;
            has_raw_8bit |= scan.ascii.is_none();
            match scan.stop {
                Some(stop) if value[stop] != b'=' => {
                    self.out.push(' ');
                    at = lexer::skip_space(value, stop);
                    if at == value.len() && matches!(value.last(), Some(b'\r' | b'\n')) {
                        return None;
                    }
                    scan = PlainRun::scan(value, at);
                }
                stop => break stop.unwrap_or(value.len()),
            }
        };
        self.has_raw_8bit |= has_raw_8bit;
        if has_raw_8bit {
            report_raw_8bit(&value[start..end], start, self.findings);
        }
        Some(end)
    }

    fn piece(&mut self, range: Range<usize>, scan: &PlainRun<'v>) -> Option<()> {
        if scan.ascii.is_some() && !scan.has_control {
            return ascii::append(self.value, range, &mut self.out).then_some(());
        }
        let start = self.out.len();
        if INVISIBLE_LEADS.append_utf8(self.value, range, &mut self.out)? {
            self.scan_from_here(start);
        }
        Some(())
    }
}

/// Returns true if some of the losslessly decoded bytes are only in the superset of the charset.
fn uses_superset_in_buffer(charset: Charset, room: &ShortBytes) -> bool {
    if charset.superset() == charset {
        return false;
    }
    match charset.covers_lossless(room) {
        Some(is_within) => !is_within,
        None if charset.is_single_byte() => room.has_c1(),
        None => uses_superset(charset, room.bytes()),
    }
}

/// Reports raw 8-bit bytes in a text that begins at `start`.
fn report_raw_8bit(text: &[u8], start: usize, findings: &mut Vec<Finding>) {
    let (mut first, mut last, mut count) = (None, 0, 0);
    let (blocks, rest) = text.as_chunks::<8>();
    let behind = rest
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte));
    for (index, word) in blocks
        .iter()
        .map(|block| u64::from_le_bytes(*block))
        .chain([behind])
        .enumerate()
    {
        let high = word & 0x8080_8080_8080_8080;
        if high != 0 {
            let at = start + 8 * index;
            first.get_or_insert(at + high.trailing_zeros() as usize / 8);
            last = at + 7 - high.leading_zeros() as usize / 8;
            count += u64::from(high.count_ones());
        }
    }
    if let Some(first) = first {
        findings.push(raw_finding(first..last + 1, count));
    }
}

/// Builds the finding for raw 8-bit bytes.
fn raw_finding(at: Range<usize>, count: u64) -> Finding {
    Finding::counted(at, EventKind::EwRaw8bit, Charset::UTF_8, count)
}

impl<'v> WordLabel<'v> {
    fn of(name: StrictLabel<'v>) -> Option<Self> {
        let (charset, alias) = match name.resolved {
            Resolved::Exact(charset) => (charset, false),
            Resolved::Alias(charset) => (charset, true),
            _ => return None,
        };
        Some(Self {
            name: name.label,
            charset,
            alias,
            state: Independence::of(charset)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::HeaderContext;
    use super::super::value::decode_any_shape;
    use super::*;
    use crate::header::FieldKind;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use mailglot_codec::{LossLog, Unmappable};

    /// Returns true if the fast path decodes the value, and asserts that the general reader agrees.
    fn check(value: &[u8]) -> bool {
        let before = Finding::new(0..0, EventKind::HdrNul, Detail::None);
        let mut fast_findings = vec![before.clone()];
        let Some(text) = decode(value, true, &mut fast_findings) else {
            assert_eq!(fast_findings, [before]);
            return false;
        };
        let mut findings = vec![before];
        let context = HeaderContext {
            check_labels: true,
            ..HeaderContext::default()
        };
        let other = decode_any_shape(value, FieldKind::Unstructured, &context, &mut findings);
        assert_eq!(
            (&*text, fast_findings),
            (&*other, findings),
            "{}",
            value.escape_ascii()
        );
        true
    }

    #[test]
    fn usual_values_use_the_fast_path() {
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
    fn other_values_use_the_general_path() {
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
    fn words_in_any_charset_agree_with_the_general_path() {
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
