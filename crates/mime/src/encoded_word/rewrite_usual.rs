//! Rewrites plain values in one pass: ASCII text and separate, usual words ([`super::usual_words`]).
//!
//! Most values of a mailbox are plain. White space or an end of the value is on both sides of their words. A plain structured
//! value may have addresses, but neither comments nor quoted strings. Consequences:
//!
//! - Only harmless findings occur: an alias of a charset, its superset, a word that is too long.
//! - A UTF-8 word stays, so a value with only such words has no changes.
//! - A run with other words becomes words of the same shape at the same place. White space around them stays or becomes a fold. So
//!   the new value is plain too, decodes to the same text, and a second pass has nothing to do.
//!
//! Hence the replacements need no verification. The tests do verify them.
//!
//! # Limits
//!
//! Writes encoded words only, and leaves damage that a repair may undo to the reader. [`super::rewrite`] rewrites all other values, since it verifies replacements by the whole value.

use super::context::HeaderContext;
use super::damage_signs::{begins_damage, word_may_be_damaged};
use super::rewrite_target::{Form, Replacement, RewriteTarget};
use super::rewrite_units::UnitState;
use super::usual_words::UsualWords;
use super::writer::GroupWriter;
use crate::event::Finding;
use crate::field_kind::FieldKind;
use crate::lexer;
use crate::lexer::{LexicalContext, has_spaced};
use mailglot_kernel::ShortBytes;

/// Returns the replacements that rewrite a value to words; None, without findings, for a value that is not plain.
pub(crate) fn plan(
    value: &[u8],
    kind: FieldKind,
    target: &RewriteTarget<'_>,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Option<Vec<Replacement>> {
    let lexical = match (target.form, kind) {
        (Form::Words, FieldKind::Unstructured) => LexicalContext::Text,
        (Form::Words, FieldKind::Structured | FieldKind::Phrases) => LexicalContext::Phrase,
        _ => return None,
    };
    let before = findings.len();
    let mut words = UsualWords {
        value,
        scope: context.label_scope(),
        disproved: context.disproved,
        text: String::new(),
        checked: Vec::new(),
        findings,
    };
    let list = replacements(&mut words, lexical, target);
    if list.is_some() {
        findings[before..].sort_by_key(|f| f.at.start);
    } else {
        findings.truncate(before);
    }
    list
}

/// Returns the replacements for a value in which words stand in the context `lexical`.
fn replacements(
    words: &mut UsualWords<'_, '_>,
    lexical: LexicalContext,
    target: &RewriteTarget<'_>,
) -> Option<Vec<Replacement>> {
    let value = words.value;
    let structured = lexical == LexicalContext::Phrase;
    let mut writer = GroupWriter::new(value, target);
    let (mut last, mut bytes) = (None, None::<ShortBytes>);
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        match byte {
            _ if lexer::is_space(byte) => at += 1,
            b'=' if value.get(at + 1) == Some(&b'?') => {
                words.text.clear();
                let run = words.run(at, &mut last, bytes.get_or_insert_default())?;
                if word_may_be_damaged(words.text.as_bytes()) {
                    return None;
                }
                if !run.is_utf8 {
                    let state = UnitState {
                        words: true,
                        needs_rewrite: true,
                        ..UnitState::default()
                    };
                    writer.group(at..run.end, lexical, state, &words.text);
                }
                at = run.end;
            }
            b'&' | b'$' if !structured && begins_damage(&value[at..]) => return None,
            b'~' if lexer::may_begin_shift(&value[at..]) => return None,
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
    Some(writer.list)
}

#[cfg(test)]
mod tests {
    use super::super::Rewriting;
    use super::*;

    fn changes(value: &str, kind: FieldKind) -> Option<Vec<String>> {
        let target = RewriteTarget {
            form: Form::Words,
            column: 9,
            eol: "\n",
        };
        let context = HeaderContext {
            check_labels: true,
            ..HeaderContext::default()
        };
        let list = plan(value.as_bytes(), kind, &target, &context, &mut Vec::new())?;
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
            (
                "=?koi8-r?Q?=F0?= =?utf-8?Q?a?= b =?utf-8?Q?c?=",
                vec!["=?UTF-8?B?0J9h?="],
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
    fn findings_agree_with_the_general_rewriter() {
        let value = format!(
            "=?utf8?Q?a?= b =?iso8859-1?Q?{}=80?= =?iso8859-1?Q?_a?=",
            "x".repeat(75)
        );
        let target = RewriteTarget {
            form: Form::Words,
            column: 9,
            eol: "\n",
        };
        let (mut findings, mut changes_of_any_value) = (Vec::new(), Vec::new());
        let (value, kind) = (value.as_bytes(), FieldKind::Unstructured);
        let context = &HeaderContext {
            check_labels: true,
            ..HeaderContext::default()
        };
        let list = plan(value, kind, &target, context, &mut findings);
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
    fn other_values_need_the_general_rewriter() {
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
