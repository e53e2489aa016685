//! Header decoding against a corpus of JSON lines: the share of undisputed values that are right, white space normalized.
//!
//! Reads `corpus/rfc2047.jsonl` and `corpus/rfc2231.jsonl` in the folder that `MAILGLOT_SHARED` names; each failure is printed.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "failures are for the reader of the test")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mailglot_mime::encoded_word::{HeaderContext, decode};
use mailglot_mime::header::FieldKind;
use mailglot_mime::params;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[test]
fn encoded_words_of_the_corpus() -> Result<()> {
    let share = score("rfc2047.jsonl", |raw, row| {
        let got = decode(raw, FieldKind::Unstructured, &HeaderContext::default(), &mut Vec::new());
        let want = row["expected"].as_str().unwrap_or_default();
        (squeeze(&got) == squeeze(want), format!("{got:?}, not {want:?}"))
    })?;
    assert!(share.is_none_or(|share| share >= 0.99), "{share:?}");
    Ok(())
}

#[test]
fn parameters_of_the_corpus() -> Result<()> {
    let share = score("rfc2231.jsonl", |raw, row| {
        let params = params::parse(raw, &HeaderContext::default(), &mut Vec::new());
        let got: BTreeMap<_, _> = params.list.iter().map(|p| (p.name.clone(), squeeze(&p.text))).collect();
        let want: BTreeMap<_, _> = row["expected"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, text)| (name.to_lowercase(), squeeze(text.as_str().unwrap_or_default())))
            .collect();
        let complete = row["complete"].as_bool().unwrap_or_default();
        let right =
            if complete { got == want } else { want.iter().all(|(name, text)| got.get(name) == Some(text)) };
        (right, format!("{got:?}, not {want:?}"))
    })?;
    assert!(share.is_none_or(|share| share >= 0.98), "{share:?}");
    Ok(())
}

/// The share of right values; None without the corpus.
fn score(name: &str, check: impl Fn(&[u8], &serde_json::Value) -> (bool, String)) -> Result<Option<f64>> {
    let Ok(shared) = std::env::var("MAILGLOT_SHARED") else {
        println!("MAILGLOT_SHARED is not set: no corpus");
        return Ok(None);
    };
    let path = Path::new(&shared).join("corpus").join(name);
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (mut right, mut count) = (0_u32, 0_u32);
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line)?;
        if row["disputed"].as_bool().unwrap_or_default() {
            continue;
        }
        let raw = STANDARD.decode(row["raw_base64"].as_str().unwrap_or_default())?;
        let (good, told) = check(&raw, &row);
        count += 1;
        right += u32::from(good);
        if !good {
            println!("{:?}\n    {told}", String::from_utf8_lossy(&raw));
        }
    }
    println!("{name}: {right} of {count}");
    Ok(Some(f64::from(right) / f64::from(count)))
}

fn squeeze(text: &str) -> String {
    text.split([' ', '\t', '\r', '\n']).filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}
