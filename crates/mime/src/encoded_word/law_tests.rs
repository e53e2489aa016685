//! Tests the laws of rewriting on written values, corpus values, and seeded mutants of both.
//!
//! # Limits
//!
//! The corpus is read only where the shared test material is.

use super::law_test_values::{FORMS, KINDS, PIECES, WRITTEN};
use super::rewrite::{Rewriting, apply};
use super::rewrite_target::RewriteTarget;
use super::{Encoding, Form, HeaderContext, Place, Repairs, encode, rewrite_usual};
use crate::event::Reason;
use crate::field_kind::FieldKind;
use crate::header::{decode, rewrite};
use crate::random::Random;
use base64::Engine;
use mailglot_codec::Charset;
use std::fs;

struct Count {
    checked: usize,
    changed: usize,
    plain: usize,
    unsafe_: usize,
    long: usize,
}

/// Checks that decoding piece by piece gives the same text and findings as the reader alone.
fn check_pieces(value: &[u8]) {
    for raw in [None, Some(Charset::WINDOWS_1252), Some(Charset::KOI8_R)] {
        let (mut findings, mut others) = (Vec::new(), Vec::new());
        let (kind, context) = (
            FieldKind::Unstructured,
            HeaderContext {
                raw,
                check_labels: true,
                ..HeaderContext::default()
            },
        );
        let text = decode(value, kind, &context, &mut findings);
        let other = super::reader::decode_segments(value, kind, &context, &mut others);
        assert_eq!(
            (&*text, findings),
            (&*other, others),
            "{raw:?} {}",
            value.escape_ascii()
        );
    }
}

/// Checks that rewriting in one pass, if the value is plain, gives the same changes and findings as the general rewriter.
fn check_plain(value: &[u8], kind: FieldKind, form: Form) -> bool {
    let target = RewriteTarget {
        form,
        column: 9,
        eol: "\r\n",
    };
    let context = &HeaderContext {
        raw: Some(Charset::WINDOWS_1252),
        check_labels: true,
        ..HeaderContext::default()
    };
    let (mut fast_findings, mut findings) = (Vec::new(), Vec::new());
    let Some(list) = rewrite_usual::plan(value, kind, &target, context, &mut fast_findings) else {
        assert_eq!(fast_findings, []);
        return false;
    };
    assert_eq!(
        Rewriting {
            value,
            kind,
            target,
            context,
            then: context
        }
        .changes_of_any_value(&mut findings),
        list,
        "{:?}",
        String::from_utf8_lossy(value)
    );
    assert_eq!(
        findings,
        fast_findings,
        "{:?}",
        String::from_utf8_lossy(value)
    );
    let after = apply(value, &list);
    assert_eq!(
        rewrite_usual::plan(&after, kind, &target, context, &mut fast_findings),
        Some(Vec::new()),
        "{:?}",
        String::from_utf8_lossy(value)
    );
    true
}

/// Checks that rewriting keeps the text, that a second pass changes nothing, and that the result has the form.
fn check(value: &[u8], count: &mut Count) {
    check_pieces(value);
    check_with(value, &HeaderContext::default(), count);
    check_with(
        value,
        &HeaderContext {
            repairs: Repairs::ALL,
            ..HeaderContext::default()
        },
        count,
    );
}

fn check_with(value: &[u8], context: &HeaderContext, count: &mut Count) {
    for kind in KINDS {
        for form in FORMS {
            let mut findings = Vec::new();
            let list = rewrite(
                value,
                kind,
                RewriteTarget {
                    form,
                    column: 9,
                    eol: "\r\n",
                },
                context,
                &mut findings,
            );
            count.plain += usize::from(check_plain(value, kind, form));
            count.checked += 1;
            count.changed += usize::from(!list.is_empty());
            if findings
                .iter()
                .any(|f| f.detail == Reason::WouldReadDifferently)
            {
                count.unsafe_ += 1;
                if count.unsafe_ <= 10 {
                    println!(
                        "left alone: {kind:?} {form:?} {:?}",
                        String::from_utf8_lossy(value)
                    );
                }
                assert!(list.is_empty());
            }
            for finding in &findings {
                assert!(
                    finding.at.start <= finding.at.end && finding.at.end <= value.len(),
                    "{finding:?}"
                );
            }
            let mut at = 0;
            for replacement in &list {
                assert!(at <= replacement.at.start && replacement.at.start <= replacement.at.end);
                at = replacement.at.end;
                let with = &replacement.with;
                // Replacements add no NUL. One that spans several changes may contain old ones.
                assert!(
                    !with.contains(&0) || value[replacement.at.clone()].contains(&0),
                    "{with:?}"
                );
                // New line ends occur in folds only.
                let folds = memchr::memchr_iter(b'\n', with)
                    .all(|n| with[..n].ends_with(b"\r") && with.get(n + 1) == Some(&b' '));
                assert!(
                    folds
                        || memchr::memchr2(b'\r', b'\n', &value[replacement.at.clone()]).is_some()
                );
                count.long += usize::from(
                    with.split(|&b| b == b'\n')
                        .skip(1)
                        .any(|line| line.len() > 78),
                );
            }
            let after = apply(value, &list);
            // A space separates a new word from the address after it.
            let text = |value: &[u8]| {
                let text = decode(value, kind, context, &mut Vec::new()).into_owned();
                if kind.has_syntax() {
                    text.replace(" <", "<")
                } else {
                    text
                }
            };
            assert_eq!(
                text(value),
                text(&after),
                "{kind:?} {form:?} {:?}",
                String::from_utf8_lossy(value)
            );
            let again = rewrite(
                &after,
                kind,
                RewriteTarget {
                    form,
                    column: 9,
                    eol: "\r\n",
                },
                context,
                &mut Vec::new(),
            );
            assert!(
                again.is_empty(),
                "{kind:?} {form:?} {:?}",
                String::from_utf8_lossy(value)
            );
        }
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let Some(shared) = crate::shared_material::folder() else {
        return Vec::new();
    };
    ["rfc2047.jsonl", "rfc2231.jsonl"]
        .into_iter()
        .flat_map(|name| {
            let path = shared.join("corpus").join(name);
            let text =
                fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            text.lines()
                .map(|line| {
                    let row: serde_json::Value =
                        serde_json::from_str(line).expect("a JSON object a line");
                    let raw = row["raw_base64"].as_str().expect("raw_base64 is a string");
                    base64::engine::general_purpose::STANDARD
                        .decode(raw)
                        .expect("raw_base64 is base64")
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn rewriting_keeps_the_text_and_ends_after_one_pass() {
    let mut count = Count {
        checked: 0,
        changed: 0,
        plain: 0,
        unsafe_: 0,
        long: 0,
    };
    let mut seeds: Vec<Vec<u8>> = WRITTEN.iter().map(|v| v.as_bytes().to_vec()).collect();
    seeds.extend(WRITTEN.iter().map(|v| v.chars().map(|c| c as u8).collect()));
    seeds.extend(corpus());
    for seed in &seeds {
        check(seed, &mut count);
    }
    println!(
        "values: {} checked, {} changed, {} left alone",
        count.checked, count.changed, count.unsafe_
    );
    assert!(
        count.unsafe_ * 100 <= count.changed,
        "{} of {}",
        count.unsafe_,
        count.changed
    );

    let mut random = Random(0x5EED_CAFE_F00D_BEEF);
    for _ in 0..4_000 {
        let mut value = random.pick(&seeds).clone();
        value.truncate(2_000);
        for _ in 0..=random.below(3) {
            let at = random.below(value.len() + 1);
            match random.below(4) {
                0 => value.truncate(at),
                1 if at < value.len() => {
                    value.remove(at);
                }
                2 if at < value.len() => value[at] ^= 1 << random.below(8),
                _ => {
                    value.splice(at..at, random.pick(&PIECES).iter().copied());
                }
            }
        }
        check(&value, &mut count);
    }
    for _ in 0..6_000 {
        let value: Vec<u8> = (0..random.below(9))
            .flat_map(|_| *random.pick(&PIECES))
            .copied()
            .collect();
        check(&value, &mut count);
    }
    println!(
        "with mutants: {} checked, {} changed, {} plain, {} left alone, {} with long lines",
        count.checked, count.changed, count.plain, count.unsafe_, count.long
    );
    assert!(
        count.plain * 33 >= count.checked,
        "{} of {}",
        count.plain,
        count.checked
    );
    assert!(
        count.unsafe_ * 20 <= count.changed,
        "{} of {}",
        count.unsafe_,
        count.changed
    );
}

/// Decodes the result of `encode` at its place.
pub(super) fn read_at(words: &str, place: Place) -> String {
    let (value, kind) = match place {
        Place::Text => (words.to_owned(), FieldKind::Unstructured),
        Place::Phrase => (words.to_owned(), FieldKind::Structured),
        Place::Comment => (format!("({words})"), FieldKind::Structured),
    };
    let context = HeaderContext::default();
    let text = decode(value.as_bytes(), kind, &context, &mut Vec::new());
    match place {
        Place::Comment => text[1..text.len() - 1].to_owned(),
        _ => text.into_owned(),
    }
}

#[test]
fn words_decode_to_the_same_text_in_every_place() {
    let mut random = Random(42);
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..random.below(12))
            .flat_map(|_| *random.pick(&PIECES))
            .copied()
            .collect();
        let text: String = String::from_utf8_lossy(&bytes)
            .chars()
            .map(|c| if super::is_control(c) { ' ' } else { c })
            .collect();
        for place in [Place::Text, Place::Comment, Place::Phrase] {
            for encoding in [Encoding::B, Encoding::Q, Encoding::Shorter] {
                let words = encode(&text, place, encoding, random.below(80), "\n");
                assert_eq!(read_at(&words, place), text, "{words:?}");
            }
        }
    }
}
