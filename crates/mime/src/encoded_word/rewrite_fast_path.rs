//! Rewrites plain values in one pass: ASCII text and separate, well-formed words.
//!
//! Most values of a mailbox are plain. Their words are strict (RFC 2047, section 2), in one known charset, and decodable without loss. White
//! space or an end of the value is on both sides. A plain structured value may have addresses, but neither comments nor quoted
//! strings. Consequences:
//!
//! - Only harmless findings occur: an alias of a charset, its superset, a word that is too long.
//! - A clean UTF-8 word stays, so a value with only such words has no changes.
//! - A run of other words becomes words of the same shape at the same place. White space around them stays or becomes a fold. So
//!   the new value is plain too, decodes to the same text, and a second pass has nothing to do.
//!
//! Hence the replacements need no verification. The tests do verify them.
//!
//! # Limits
//!
//! Writes encoded words only. Leaves UTF-7, UTF-16, UTF-32 and everything unusual to the general path.

use super::controls::is_plain_text;
use super::decode::MAX_WORD_BYTES;
use super::invisible::has_hidden;
use super::rewrite_target::{Form, Replacement, RewriteTarget};
use super::rewrite_units::UnitState;
use super::strict_syntax::{self, StrictLabel};
use super::superset_report::report_superset;
use super::utf8_mislabel::as_utf8;
use super::writer::GroupWriter;
use crate::charset_choice::{label_states_order, needs_label_check};
use crate::event::{Detail, EventKind, Finding, Reason};
use crate::header::FieldKind;
use crate::lexer;
use crate::lexer::{LexicalContext, has_spaced};
use mailglot_codec::{Charset, LossLog, Resolved};
use mailglot_kernel::ShortBytes;
use std::borrow::Cow;
use std::ops::Range;

/// Returns the replacements that rewrite a value to words; None, without findings, if the general path must decide.
pub(super) fn plan(
    value: &[u8],
    kind: FieldKind,
    target: &RewriteTarget<'_>,
    check_labels: bool,
    findings: &mut Vec<Finding>,
) -> Option<Vec<Replacement>> {
    let structured = match (target.form, kind) {
        (Form::Words, FieldKind::Unstructured) => false,
        (Form::Words, FieldKind::Structured | FieldKind::Phrases) => true,
        _ => return None,
    };
    let lexical = if structured {
        LexicalContext::Phrase
    } else {
        LexicalContext::Text
    };
    let mut writer = GroupWriter::new(value, target);
    let mut run = WordRun {
        value,
        check_labels,
        word: ShortBytes::default(),
        bytes: Vec::new(),
        ends: Vec::new(),
        findings: Vec::new(),
    };
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        match byte {
            _ if lexer::is_space(byte) => at += 1,
            b'=' if value.get(at + 1) == Some(&b'?') => {
                if at > 0 && !lexer::is_space(value[at - 1]) {
                    return None;
                }
                let (end, charset) = run.read(at)?;
                if charset == Charset::UTF_8 {
                    if !run.is_clean_word() {
                        return None;
                    }
                } else {
                    let state = UnitState {
                        words: true,
                        needs_rewrite: true,
                        ..UnitState::default()
                    };
                    writer.group(at..end, lexical, state, &run.text(charset)?);
                    report_superset(charset, &run.bytes, at..end, &mut run.findings);
                }
                at = end;
            }
            b'"' | b'(' if structured => return None,
            b'@' | b'.'
                if structured
                    && has_spaced(&value[at.saturating_sub(1)..value.len().min(at + 2)]) =>
            {
                return None;
            }
            b'<' if structured => {
                let end = at + memchr::memchr(b'>', &value[at..])? + 1;
                let address = &value[at..end];
                let quiet = |(i, &b): (usize, &u8)| {
                    (matches!(b, b'!'..=b'~') || lexer::is_space(b))
                        && !matches!(b, b'"' | b'(')
                        && !(b == b'?' && address[i - 1] == b'=')
                };
                if !address.iter().enumerate().all(quiet) {
                    return None;
                }
                at = end;
            }
            b'!'..=b'~' => at += 1,
            _ => return None,
        }
    }
    run.findings.sort_by_key(|f| f.at.start);
    findings.append(&mut run.findings);
    Some(writer.list)
}

/// Words with only white space between them.
struct WordRun<'a> {
    value: &'a [u8],
    /// True if labels are checked.
    check_labels: bool,
    /// The word that was decoded last.
    word: ShortBytes,
    /// The decoded payloads, concatenated.
    bytes: Vec<u8>,
    /// The end of each payload in `bytes`.
    ends: Vec<usize>,
    /// The findings of all runs so far.
    findings: Vec<Finding>,
}

impl<'a> WordRun<'a> {
    /// Decodes the run at `at`; returns its end and its charset.
    fn read(&mut self, at: usize) -> Option<(usize, Charset)> {
        self.bytes.clear();
        self.ends.clear();
        let (mut end, label) = self.word(at, b"")?;
        let StrictLabel { label, resolved } = label?;
        let (charset, alias) = match resolved {
            Resolved::Exact(charset) => (charset, false),
            Resolved::Alias(charset) => (charset, true),
            _ => return None,
        };
        self.report_word(at..end, alias);
        loop {
            let next = lexer::skip_space(self.value, end);
            if next == end || !self.value[next..].starts_with(b"=?") {
                return Some((end, charset));
            }
            let (after, name) = self.word(next, label)?;
            // The fast path requires one charset in one spelling.
            if name.is_some() {
                return None;
            }
            end = after;
            self.report_word(next..end, alias);
        }
    }

    fn report_word(&mut self, word: Range<usize>, alias: bool) {
        if alias {
            self.findings.push(Finding::new(
                word.clone(),
                EventKind::CharsetAlias,
                Detail::None,
            ));
        }
        if word.len() > MAX_WORD_BYTES {
            self.findings
                .push(Finding::new(word, EventKind::EwBadToken, Reason::LongWord));
        }
    }

    /// Decodes the word at `at`; returns its end, and its label if that is not `expected`.
    fn word(&mut self, at: usize, expected: &[u8]) -> Option<(usize, Option<StrictLabel<'a>>)> {
        let word = strict_syntax::word(self.value, at, expected, &mut self.word)?;
        self.bytes.extend_from_slice(self.word.bytes());
        self.ends.push(self.bytes.len());
        Some((word.range.end, word.label))
    }

    /// Returns the decoded payload of each word.
    fn words(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.bytes[start..end])
    }

    /// Returns true if all words of a UTF-8 run are clean.
    fn is_clean_word(&self) -> bool {
        self.words().all(|word| {
            std::str::from_utf8(word).is_ok_and(|text| is_plain_text(text) && !has_hidden(text))
        })
    }

    /// Decodes a run in another charset; returns None if the general path must decide.
    fn text(&self, charset: Charset) -> Option<Cow<'_, str>> {
        let bytes = &self.bytes[..];
        if charset == Charset::US_ASCII {
            let text = std::str::from_utf8(bytes)
                .ok()
                .filter(|t| t.is_ascii() && is_plain_text(t))?;
            return Some(Cow::Borrowed(text));
        }
        if charset == Charset::UTF_7
            || charset.is_wide()
            || label_states_order(charset)
            || as_utf8(charset, bytes).is_some()
            || needs_label_check(charset, bytes, self.check_labels)
        {
            return None;
        }
        let mut log = LossLog::new();
        let text = charset.decode(bytes, &mut log);
        if self.ends.len() > 1
            && !charset.is_single_byte()
            && (!bytes.is_ascii() || charset.is_stateful())
        {
            for word in self.words() {
                let _ = charset.decode(word, &mut log);
            }
        }
        (log.losses() == 0 && is_plain_text(&text) && !has_hidden(&text)).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HeaderContext, Rewriting};
    use super::*;

    fn changes(value: &str, kind: FieldKind) -> Option<Vec<String>> {
        let target = RewriteTarget {
            form: Form::Words,
            column: 9,
            eol: "\n",
        };
        let list = plan(value.as_bytes(), kind, &target, true, &mut Vec::new())?;
        Some(
            list.into_iter()
                .map(|r| String::from_utf8(r.with).expect("words are ASCII"))
                .collect(),
        )
    }

    #[test]
    fn plain_values_are_recognized() {
        for (value, want) in [
            (" =?utf-8?Q?Gr=C3=BC=C3=9Fe?= a", vec![]),
            (
                " =?koi8-r?B?8A==?= <a@b.example>, =?koi8-r?Q?=F0?= <c@d.example>",
                vec!["=?UTF-8?B?0J8=?=", "=?UTF-8?B?0J8=?="],
            ),
            (
                " =?iso-2022-jp?B?GyRCRnwbKEI=?=\n =?iso-2022-jp?B?GyRCS1wbKEI=?=",
                vec!["=?UTF-8?B?5pel5pys?="],
            ),
            (
                "=?us-ascii?Q?Keith_Moore?=",
                vec!["=?UTF-8?Q?Keith_Moore?="],
            ),
        ] {
            for kind in [FieldKind::Unstructured, FieldKind::Structured] {
                assert_eq!(
                    changes(value, kind).as_deref(),
                    Some(&want.iter().map(ToString::to_string).collect::<Vec<_>>()[..]),
                    "{value}"
                );
            }
        }
    }

    #[test]
    fn findings_agree_with_the_general_path() {
        let value = format!(
            "=?utf8?Q?a?= b =?iso8859-1?Q?{}=80?= =?iso8859-1?Q?a?=",
            "x".repeat(75)
        );
        let target = RewriteTarget {
            form: Form::Words,
            column: 9,
            eol: "\n",
        };
        let (mut findings, mut changes_of_any_value) = (Vec::new(), Vec::new());
        let (value, kind) = (value.as_bytes(), FieldKind::Unstructured);
        let list = plan(value, kind, &target, true, &mut findings);
        let context = &HeaderContext {
            check_labels: true,
            ..HeaderContext::default()
        };
        let other = Rewriting {
            value,
            kind,
            target,
            context,
            then: context,
        }
        .changes_of_any_value(&mut changes_of_any_value);
        assert_eq!((list, &findings), (Some(other), &changes_of_any_value));
        let codes: Vec<_> = findings.iter().map(|f| f.kind.code()).collect();
        assert_eq!(
            codes,
            [
                "charset.alias",
                "charset.alias",
                "ew.bad-token",
                "charset.superset",
                "charset.alias"
            ]
        );
    }

    #[test]
    fn other_values_use_the_general_path() {
        for value in [
            "x=?utf-8?Q?a?=",
            "=?utf-8?Q?a?=, b",
            "=?utf-8*de?Q?a?=",
            "=?utf-8?Q?=C3?= =?utf-8?Q?=BC?=",
            "=?utf-8?Q?=07?=",
            "=?utf-8?Q?=E2=80=A8?=",
            "=?utf-8?B?w7w?=",
            "=?utf-8?Q?a=?=",
            "=?utf-8?Q?a b?=",
            "=?koi8-r?Q?=F0?= =?utf-8?Q?a?=",
            "=?gb2312?Q?=FF?=",
            "=?iso-8859-1?Q?Ren=C3=A9e_M=C3=BCller?=",
            "=?\"utf-8\"?Q?a?=",
            "=?utf-7?Q?+JgM-?=",
            "=?x-gibberish?Q?a?=",
            "\u{fc} =?koi8-r?Q?=F0?=",
            "a\u{7} =?koi8-r?Q?=F0?=",
            "a =? b",
        ] {
            assert_eq!(changes(value, FieldKind::Unstructured), None, "{value}");
            assert_eq!(changes(value, FieldKind::Structured), None, "{value}");
        }
        for value in [
            "\"=?koi8-r?Q?=F0?=\" <a@b>",
            "(a) =?koi8-r?Q?=F0?=",
            "=?koi8-r?Q?=F0?= <a =?b>",
            "=?koi8-r?Q?=F0?= <a(>)@b>",
            "=?koi8-r?Q?=F0?= <\"a\"@b>",
            "=?koi8-r?Q?=F0?= @ b",
            "=?koi8-r?Q?=F0?= .x@b",
        ] {
            assert_eq!(changes(value, FieldKind::Structured), None, "{value}");
        }
    }
}
