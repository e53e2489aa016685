//! Rewrites comments with raw bytes in a field of parameters (RFC 2047, section 5).

use super::scan::{LIMIT, Scanner};
use crate::encoded_word::{HeaderContext, Replacement, RewriteTarget, Rewriting};
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::field_kind::FieldKind;
use crate::lexer;

/// Returns the changes of comments with raw bytes (RFC 2047, section 5), and reports raw bytes outside comments and values.
pub(super) fn comments(
    value: &[u8],
    target: RewriteTarget<'_>,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let mut list = Vec::new();
    if value.is_ascii() {
        return list;
    }
    let (_, scanner) = Scanner::new(value);
    let values = scanner
        .within(context)
        .take(LIMIT)
        .map(|item| item.raw.range);
    let (mut at, mut open) = (0, true);
    for next in values.chain(std::iter::once(value.len()..value.len())) {
        while at < next.start {
            let from = at;
            let is_comment = value[at] == b'(';
            let end = (is_comment && open).then(|| lexer::comment_end(value, at));
            let end = end.flatten();
            open &= !is_comment || end.is_some();
            let Some(end) = end.filter(|end| *end <= next.start) else {
                let parts = value[at + 1..next.start].iter().position(|b| *b == b'(');
                at = parts.map_or(next.start, |n| at + 1 + n);
                let (raw, count) = lexer::eight_bit_bytes(value, from..at);
                if count > 0 {
                    findings.add(raw, EventKind::ParamJunk, Reason::RawBytesKept);
                }
                continue;
            };
            at = end;
            let (comment, kind) = (&value[from..end], FieldKind::Phrases);
            if comment.is_ascii() {
                continue;
            }
            let column = lexer::column_after(target.column, &value[..from]);
            let target = RewriteTarget { column, ..target };
            let mut found = Vec::new();
            let changes = Rewriting {
                value: comment,
                kind,
                target,
                context,
                then: context,
            }
            .changes(&mut found);
            list.extend(changes.into_iter().map(|change| Replacement {
                at: from + change.at.start..from + change.at.end,
                with: change.with,
            }));
            findings.extend(found.into_iter().map(|finding| finding.shifted(from)));
        }
        at = at.max(next.end);
    }
    list
}
