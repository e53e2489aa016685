//! Decodes runs of usual words in one pass. Decoding and rewriting share it.
//!
//! A usual word is strictly written and decodes alone without a defect. It needs no joining, no charset decision and no repair, so
//! its text equals that of [`super::reader::Reader`]. The same findings are reported: an alias, a superset, a long word.
//!
//! # Limits
//!
//! The reader decodes all other words. Examples are damage, repaired or mapped labels, words that touch text, controls, invisible
//! characters, and bytes that are UTF-8 or odd under their label. Of the stateful charsets, only ISO-2022-JP that returns to ASCII
//! is decoded here.

use super::invisible_scan::{INVISIBLE_LEADS, is_visible};
use super::reader::{MAX_WORD_BYTES, same_charset};
use super::rewrite_units::is_usual_utf8_label;
use super::strict_syntax::{self, StrictLabel};
use super::superset_report::{superset_finding, uses_superset};
use super::utf8_mislabel::Utf8Check;
use crate::charset_choice::{
    DisprovedLabels, EvidenceTest, LabelScope, better_charset_and_test, label_states_order,
    may_be_in_other_script, needs_label_check,
};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer;
use mailglot_codec::{Charset, Resolved};
use mailglot_kernel::ShortBytes;
use std::mem;
use std::ops::Range;
use std::sync::LazyLock;

/// Decodes the usual words of a value.
pub(super) struct UsualWords<'v, 'f> {
    /// The value.
    pub value: &'v [u8],
    /// The labels that are checked ([`super::HeaderContext::check_labels`]).
    pub scope: LabelScope,
    /// The labels that other text of the message disproves, and charsets of its text in other alphabets. Words that these may decode are not
    /// usual.
    pub disproved: DisprovedLabels,
    /// The text so far.
    pub text: String,
    /// A buffer for the bytes of words whose label is checked. Its content has no meaning.
    pub checked: Vec<u8>,
    /// The findings so far.
    pub findings: &'f mut Vec<Finding>,
}

/// A run of usual words.
pub(super) struct UsualRun {
    /// The end of its last word.
    pub end: usize,
    /// True if all its words are UTF-8, under a usual label.
    pub is_utf8: bool,
    /// True if a word is in another charset than UTF-8 and US-ASCII. Raw text beside it may be in that charset.
    pub is_legacy: bool,
}

/// A label with its charset.
#[derive(Clone, Copy)]
pub(super) struct WordLabel<'v> {
    name: &'v [u8],
    charset: Charset,
    alias: bool,
    /// True for UTF-8 by a label that all mail readers know.
    is_usual_utf8: bool,
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

impl<'v> UsualWords<'v, '_> {
    /// Appends the text of the words from `at` on with only white space between them. `last` is the label of the word before, which
    /// words may repeat. The bytes of each word are decoded into `bytes`.
    ///
    /// Returns None if the reader must decide. Text and findings may have grown then.
    pub(super) fn run(
        &mut self,
        at: usize,
        last: &mut Option<WordLabel<'v>>,
        bytes: &mut ShortBytes,
    ) -> Option<UsualRun> {
        let value = self.value;
        if at > 0 && !lexer::is_space(value[at - 1]) {
            return None;
        }
        let mut run = UsualRun {
            end: at,
            is_utf8: true,
            is_legacy: false,
        };
        let mut group: Option<WordGroup> = None;
        let (mut next, mut unsure_from) = (at, usize::MAX);
        loop {
            let start = self.text.len();
            let (range, is_unsure) = self.word(next, last, bytes)?;
            if is_unsure {
                unsure_from = unsure_from.min(start);
            }
            run.end = range.end;
            let label = (*last)?;
            run.is_utf8 &= label.is_usual_utf8;
            run.is_legacy |= ![Charset::UTF_8, Charset::US_ASCII].contains(&label.charset);
            let is_same =
                |group: &&mut WordGroup| same_charset(Some(group.charset), Some(label.charset));
            if let Some(group) = group.as_mut().filter(is_same) {
                group.at.end = range.end;
            } else {
                self.end(group.take())?;
                group = Some(self.group(range, label));
            }
            if let Some(group) = &mut group {
                group.add(label.charset, bytes);
            }
            next = lexer::skip_space(value, run.end);
            if !value[next..].starts_with(b"=?") {
                self.end(group)?;
                // A byte order mark is a hidden character.
                let text = self.text.get(unsure_from..);
                return text.is_none_or(is_visible).then_some(run);
            }
        }
    }

    /// Appends the text of the word at `at`. Returns its range, and true if the text may contain controls or hidden characters.
    #[inline]
    fn word(
        &mut self,
        at: usize,
        last: &mut Option<WordLabel<'v>>,
        bytes: &mut ShortBytes,
    ) -> Option<(Range<usize>, bool)> {
        let expected = last.as_ref().map_or(&b""[..], |label| label.name);
        let word = strict_syntax::word(self.value, at, expected, bytes)?;
        if let Some(name) = word.label {
            *last = Some(WordLabel::of(name)?);
        }
        let label = (*last)?;
        if !label.state.is_independent(bytes.bytes()) {
            return None;
        }
        let is_unsure = if label.charset == Charset::UTF_8 {
            bytes.append_utf8(&INVISIBLE_LEADS, &mut self.text)?
        } else {
            label
                .charset
                .decode_lossless_into(bytes, &mut self.text)
                .then_some(true)?
        };
        if label.alias {
            let detail = Detail::label_means(label.name, label.charset);
            self.report(word.range.clone(), EventKind::CharsetAlias, detail);
        }
        if word.range.len() > MAX_WORD_BYTES {
            self.report(word.range.clone(), EventKind::EwBadToken, Reason::LongWord);
        }
        Some((word.range, is_unsure))
    }

    /// Begins a group with the word at `at`.
    fn group(&mut self, at: Range<usize>, label: WordLabel<'_>) -> WordGroup {
        let is_checked = self.scope != LabelScope::None
            && matches!(
                label.state,
                Independence::Always | Independence::UnlessBetterCharset(_)
            );
        let bytes = is_checked.then(|| {
            let bytes = mem::take(&mut self.checked);
            empty_with_capacity(bytes, self.value.len() - at.start)
        });
        WordGroup {
            at,
            charset: label.charset,
            outside: false,
            utf8: Utf8Check::default(),
            bytes,
        }
    }

    /// Reports a complete group; returns None if its label may be wrong.
    #[inline]
    fn end(&mut self, group: Option<WordGroup>) -> Option<()> {
        let Some(group) = group else { return Some(()) };
        if group.utf8.is_utf8() || self.disproved.charset_for(group.charset).is_some() {
            return None;
        }
        if let Some(bytes) = group.bytes {
            let may_be_other = needs_label_check(group.charset, &bytes, self.scope)
                || self.disproved.others(group.charset).is_some_and(|others| {
                    others.latin().is_some() && !bytes.is_ascii() || may_be_in_other_script(&bytes)
                });
            self.checked = bytes;
            if may_be_other {
                return None;
            }
        }
        if group.outside {
            self.findings
                .push(superset_finding(group.charset, group.at));
        }
        Some(())
    }

    fn report(&mut self, at: Range<usize>, kind: EventKind, detail: impl Into<Detail>) {
        self.findings.add(at, kind, detail);
    }
}

impl WordGroup {
    /// Adds the bytes of a word in `charset`.
    #[inline]
    fn add(&mut self, charset: Charset, bytes: &ShortBytes) {
        self.outside = self.outside || uses_superset_in_buffer(self.charset, bytes);
        if charset != Charset::UTF_8 {
            self.utf8.add(bytes.bytes());
            if let Some(all) = &mut self.bytes {
                all.extend_from_slice(bytes.bytes());
            }
        }
    }
}

/// Returns an empty buffer with room for `least` bytes, the given one if it is large enough.
fn empty_with_capacity(mut buffer: Vec<u8>, least: usize) -> Vec<u8> {
    if buffer.capacity() < least {
        return Vec::with_capacity(least);
    }
    buffer.clear();
    buffer
}

/// Returns true if some of the losslessly decoded bytes are only in the superset of the charset.
fn uses_superset_in_buffer(charset: Charset, bytes: &ShortBytes) -> bool {
    if charset.superset() == charset {
        return false;
    }
    match charset.covers_lossless(bytes) {
        Some(is_within) => !is_within,
        None if charset.is_single_byte() => bytes.has_c1(),
        None => uses_superset(charset, bytes.bytes()),
    }
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
            is_usual_utf8: charset == Charset::UTF_8 && is_usual_utf8_label(name.label),
            state: Independence::of(charset)?,
        })
    }
}
