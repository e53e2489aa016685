//! Reports the findings of a header field: events, guessed charsets, overruled labels.
//!
//! # Limits
//! The excerpt starts near the first non-ASCII character of the whole field, not at the guess.

use crate::charset_choice::better_by_bytes;
use crate::encoded_word::{self, HeaderContext, Word};
use crate::event::{Detail, EventKind, Finding};
use crate::field_kind::FieldKind;
use crate::guess::{Guess, GuessKind, excerpt};
use crate::header::{self, Field};
use crate::params::{Labelled, LabelledParams};
use crate::part_id::PartId;
use crate::report::Report;
use crate::span::Span;
use crate::text::{LAST_RESORT, RawCharset};
use mailglot_codec::{Charset, detect};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// A decoded field.
pub(super) struct FieldReading<'f> {
    pub(super) field: &'f Field,
    pub(super) kind: FieldKind,
    /// The context that it was decoded with.
    pub(super) context: &'f HeaderContext<'f>,
    /// The charset of raw bytes in `context`, with its confidence.
    pub(super) raw: RawCharset,
    /// True if the policy keeps the field instead of rewriting it (`--on-loss keep`).
    pub(super) is_kept: bool,
}

/// A text in a field whose charset is uncertain.
struct Uncertain {
    at: Range<usize>,
    kind: GuessKind,
    declared: Option<String>,
    used: Charset,
    confidence: Option<f32>,
}

impl FieldReading<'_> {
    /// Adds the findings to the report.
    pub(super) fn report(
        &self,
        part: PartId,
        message: &[u8],
        findings: Vec<Finding>,
        report: &mut Report,
    ) {
        let value = self.field.value.of(message);
        if findings.iter().any(may_be_guess) {
            // All texts of a field share one excerpt, which is decoded once.
            let shown = OnceCell::new();
            let decode = || {
                excerpt(&header::decode(
                    value,
                    self.kind,
                    self.context,
                    &mut Vec::new(),
                ))
            };
            for text in self.uncertain(value, &findings) {
                report.guess(text.kind, text.confidence, || Guess {
                    part,
                    field: Some(String::from_utf8_lossy(self.field.name.of(message)).into_owned()),
                    at: self.field.value.at(&text.at),
                    kind: text.kind,
                    declared: text.declared.clone(),
                    used: text.used,
                    confidence: text.confidence,
                    excerpt: shown.get_or_init(decode).clone(),
                });
            }
        }
        let mark = self.is_kept.then(|| report.mark());
        push(part, self.field.value, findings, report);
        if let Some(mark) = mark {
            report.withdraw(&mark);
        }
    }

    /// Returns the texts whose charset was guessed or whose label was overruled.
    fn uncertain(&self, value: &[u8], findings: &[Finding]) -> Vec<Uncertain> {
        let mut texts: Vec<_> = findings
            .iter()
            .filter_map(|finding| self.raw_bytes(value, finding))
            .collect();
        let contradicted = || {
            findings
                .iter()
                .filter(|finding| is_contradiction(finding.kind))
        };
        if contradicted().next().is_none() {
            return texts;
        }
        if self.kind == FieldKind::Parameters {
            let params = LabelledParams::new(value);
            let mut seen = BTreeSet::new();
            for finding in contradicted() {
                if let Some(index) = params.at(&finding.at).filter(|index| seen.insert(*index)) {
                    texts.extend(self.parameter(&params.list[index], finding));
                }
            }
            return texts;
        }
        let mut places: Vec<_> = contradicted().map(|finding| &finding.at).collect();
        places.sort_by_key(|at| (at.start, at.end));
        let mut places = places.into_iter().peekable();
        for piece in encoded_word::explain(value, self.kind, self.context, &mut Vec::new()) {
            while places.next_if(|at| at.end <= piece.at.start).is_some() {}
            let meets = places.peek().is_some_and(|at| at.start < piece.at.end);
            if meets {
                texts.extend(self.words(&piece.words));
            }
        }
        texts
    }

    /// Returns the words that were decoded in another charset than their label. Adjacent words with the same label and charset are
    /// one text.
    fn words(&self, words: &[Word]) -> Vec<Uncertain> {
        let mut last = None;
        let mut texts = Vec::new();
        for word in words {
            let Some(text) = self.labelled(&word.label, word.charset, word.used, &word.bytes)
            else {
                continue;
            };
            if last != Some((word.charset, word.used)) {
                texts.push(Uncertain {
                    at: word.at.clone(),
                    ..text
                });
            }
            last = Some((word.charset, word.used));
        }
        texts
    }

    /// Returns a parameter if it, or its first encoded word, was decoded in another charset than its label.
    fn parameter(&self, param: &Labelled, finding: &Finding) -> Option<Uncertain> {
        let at = finding.at.clone();
        let bytes = &param.bytes[..];
        let Some(label) = &param.label else {
            let pieces = encoded_word::explain(
                bytes,
                FieldKind::Unstructured,
                self.context,
                &mut Vec::new(),
            );
            let text = pieces
                .iter()
                .flat_map(|piece| self.words(&piece.words))
                .next()?;
            return Some(Uncertain { at, ..text });
        };
        let (resolved, mapped) = self.context.resolve(label);
        let charset = resolved.charset();
        let (_, used, _) =
            encoded_word::bytes_to_text(charset, mapped, bytes, self.context, &mut Vec::new());
        let used = used.unwrap_or(Charset::UTF_8);
        let text = self.labelled(&String::from_utf8_lossy(label), charset, used, bytes)?;
        Some(Uncertain { at, ..text })
    }

    /// Returns a labelled text, or None if its label, the message or valid UTF-8 decided the charset.
    ///
    /// A US-ASCII label says nothing about bytes above 7F.
    fn labelled(
        &self,
        written: &str,
        label: Option<Charset>,
        used: Charset,
        bytes: &[u8],
    ) -> Option<Uncertain> {
        let label = label.filter(|label| *label != Charset::US_ASCII);
        let is_named = self.raw.confidence.is_none() && self.is_raw_charset(Some(bytes), used);
        let kind = match label {
            Some(label) if [label, label.superset()].contains(&used) => return None,
            Some(_) => GuessKind::Overruled,
            None if is_named || used == Charset::UTF_8 || bytes.is_ascii() => return None,
            None => GuessKind::Detected,
        };
        let confidence = (used != Charset::UTF_8).then(|| self.confidence(bytes, used));
        let declared = (!written.is_empty()).then(|| written.to_owned());
        Some(Uncertain {
            at: 0..0,
            kind,
            declared,
            used,
            confidence,
        })
    }

    /// Returns raw bytes whose charset was detected, rather than given by the message or the caller.
    fn raw_bytes(&self, value: &[u8], finding: &Finding) -> Option<Uncertain> {
        let used = match finding.detail {
            Detail::Charset(used) if finding.kind == EventKind::EwRaw8bit => used,
            Detail::WithinUtf8(used) => used,
            _ => return None,
        };
        let of_message = self.is_raw_charset(value.get(finding.at.clone()), used);
        if used == Charset::UTF_8 || of_message && self.raw.confidence.is_none() {
            return None;
        }
        let own = || self.confidence(value.get(finding.at.clone()).unwrap_or_default(), used);
        let confidence = self
            .raw
            .confidence
            .filter(|_| of_message)
            .unwrap_or_else(own);
        let (at, kind) = (finding.at.clone(), GuessKind::Detected);
        Some(Uncertain {
            at,
            kind,
            declared: None,
            used,
            confidence: Some(confidence),
        })
    }

    /// Returns true for the charset of raw bytes in the context, and for the Windows code page that decodes more of these bytes.
    fn is_raw_charset(&self, bytes: Option<&[u8]>, used: Charset) -> bool {
        let page = |raw| better_by_bytes(raw, bytes.unwrap_or_default());
        self.raw
            .charset
            .is_some_and(|raw| raw == used || page(raw) == Some(used))
    }

    /// Returns the confidence of detection that bytes are in the charset that decoded them.
    fn confidence(&self, bytes: &[u8], used: Charset) -> f32 {
        let guess = detect::detect(bytes, &self.context.hints());
        if guess.charset.superset() == used.superset() {
            guess.confidence
        } else {
            LAST_RESORT
        }
    }
}

/// Adds findings as events.
pub(super) fn push(part: PartId, value: Span, findings: Vec<Finding>, report: &mut Report) {
    for finding in findings {
        report.push(finding.into_event(part, value));
    }
}

fn may_be_guess(finding: &Finding) -> bool {
    let is_raw = matches!(finding.kind, EventKind::EwRaw8bit | EventKind::CharsetMixed);
    is_raw || is_contradiction(finding.kind)
}

fn is_contradiction(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::CharsetDetected
            | EventKind::CharsetLegacyInUtf8
            | EventKind::CharsetUtf8InLegacy
    )
}

#[cfg(test)]
mod tests {
    use crate::linear::assert_linear;
    use crate::normalize::plan;
    use crate::policy::Policy;

    /// The time for many guesses in a field stays proportional to the time for decoding it.
    #[test]
    fn time_is_linear_in_the_guesses_of_a_field() {
        for (head, unit, tail) in [
            ("To: a@b.example", ", Gr\u{fc}\u{df}e <a@b.example>", ""),
            (
                "To: a@b.example",
                ", =?iso-8859-1?q?Gr=C3=BC=C3=9Fe?= <a@b.example>",
                "",
            ),
            ("Content-Type: a/b", "; n#*=iso-8859-1''Gr%C3%BC%C3%9Fe", ""),
            (
                "Content-Type: a/b; name*0*=iso-8859-1''x",
                "; name*#*=Gr%C3%BC%C3%9Fe",
                "",
            ),
            (
                "Content-Type: a/b; name=\"",
                "=?iso-8859-1?q?Gr=C3=BC=C3=9Fe?= x ",
                "\"",
            ),
        ] {
            assert_linear(&unit, 10_000, |n| {
                let units: String = (1..=n)
                    .map(|at| unit.replace('#', &at.to_string()))
                    .collect();
                let text = format!("{head}{units}{tail}\n\nx\n");
                let raw: Vec<u8> = text.chars().map(|c| c as u32 as u8).collect();
                let _ = plan(&raw, &Policy::default());
            });
        }
    }
}
