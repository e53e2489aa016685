//! Header decoding against a corpus of JSON lines: every answer is right to the byte, or listed with a reason.
//!
//! Reads `corpus/rfc2047.jsonl` and `corpus/rfc2231.jsonl` in the folder that `MAILGLOT_SHARED` names, and
//! `tests/known_differences.tsv`; each difference is printed.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    reason = "differences are for the reader of the test"
)]

#[path = "../src/shared_material.rs"]
mod shared_material;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode_lines;
use mailglot_mime::params;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[test]
fn encoded_words_of_the_corpus() -> Result<()> {
    let share = score("rfc2047", |raw, row| {
        let got = decode_lines(
            raw,
            FieldKind::Unstructured,
            &HeaderContext::default(),
            &mut Vec::new(),
        );
        let want = row["expected"].as_str().unwrap_or_default();
        Answer {
            exact: got == want,
            about: squeeze(&got) == squeeze(want),
            told: format!("{got:?}, not {want:?}"),
        }
    })?;
    // The goal that was set for undisputed vectors.
    assert!(
        share.is_none_or(|(exact, about)| exact >= 0.97 && about >= 0.99),
        "{share:?}"
    );
    Ok(())
}

#[test]
fn parameters_of_the_corpus() -> Result<()> {
    let share = score("rfc2231", |raw, row| {
        let params = params::parse(raw, &HeaderContext::default(), &mut Vec::new());
        let texts = |form: fn(&str) -> String| -> BTreeMap<String, String> {
            params
                .list
                .iter()
                .map(|p| (p.name.clone(), form(&p.text)))
                .collect()
        };
        let wanted = |form: fn(&str) -> String| -> BTreeMap<String, String> {
            let object = row["expected"].as_object().into_iter().flatten();
            object
                .map(|(name, text)| (name.to_lowercase(), form(text.as_str().unwrap_or_default())))
                .collect()
        };
        let complete = row["complete"].as_bool().unwrap_or_default();
        let right = |form: fn(&str) -> String| {
            let (got, want) = (texts(form), wanted(form));
            if complete {
                got == want
            } else {
                want.iter().all(|(name, text)| got.get(name) == Some(text))
            }
        };
        let told = format!(
            "{:?}, not {:?}",
            texts(str::to_owned),
            wanted(str::to_owned)
        );
        Answer {
            exact: right(str::to_owned),
            about: right(squeeze),
            told,
        }
    })?;
    assert!(
        share.is_none_or(|(exact, about)| exact >= 0.97 && about >= 0.97),
        "{share:?}"
    );
    Ok(())
}

struct Answer {
    exact: bool,
    /// Right but for white space.
    about: bool,
    told: String,
}

/// The shares of undisputed vectors that are answered exactly, and but for white space; None without the corpus. Fails where an answer
/// differs and is not listed, or is listed and does not differ.
fn score(
    set: &str,
    check: impl Fn(&[u8], &serde_json::Value) -> Answer,
) -> Result<Option<(f64, f64)>> {
    let Some(shared) = shared_material::folder() else {
        return Ok(None);
    };
    let path = shared.join("corpus").join(set).with_extension("jsonl");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (mut exact, mut about, mut count) = (0_u32, 0_u32, 0_u32);
    let mut different = BTreeSet::new();
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line)?;
        let raw = STANDARD.decode(row["raw_base64"].as_str().unwrap_or_default())?;
        let answer = check(&raw, &row);
        if !answer.exact {
            println!(
                "{} {:?}\n    {}",
                row["id"],
                String::from_utf8_lossy(&raw),
                answer.told
            );
            different.insert(row["id"].as_str().unwrap_or_default().to_owned());
        }
        if !row["disputed"].as_bool().unwrap_or_default() {
            count += 1;
            exact += u32::from(answer.exact);
            about += u32::from(answer.about);
        }
    }
    println!("{set}: of {count}, {exact} exact, {about} but for white space");
    assert_eq!(
        different,
        known(set)?,
        "answers that differ, and tests/known_differences.tsv"
    );
    Ok(Some((
        f64::from(exact) / f64::from(count),
        f64::from(about) / f64::from(count),
    )))
}

/// The vectors of a set that are listed.
fn known(set: &str) -> Result<BTreeSet<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/known_differences.tsv");
    let text = fs::read_to_string(path)?;
    let mut ids = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, id, _, reason] = cells[..] else {
            return Err(format!("{line:?} has not four cells").into());
        };
        assert!(!reason.is_empty(), "{id} has no reason");
        if name == set {
            assert!(ids.insert(id.to_owned()), "{id} stands twice");
        }
    }
    Ok(ids)
}

fn squeeze(text: &str) -> String {
    text.split([' ', '\t', '\r', '\n'])
        .filter(|piece| !piece.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
