//! Scores header decoding against a corpus of JSON lines: share of values that are right, white space normalized.
//!
//! `MAILGLOT_SHARED=DIR cargo run -p mailglot-mime --example score_headers [-- --all]` reads `DIR/corpus/rfc2047.jsonl` and
//! `rfc2231.jsonl`; each failure is printed. Disputed lines are left out without `--all`.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use base64::Engine;
use mailglot_mime::encoded_word::{HeaderContext, decode};
use mailglot_mime::header::FieldKind;
use mailglot_mime::params;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let shared =
        std::env::var("MAILGLOT_SHARED").map_err(|_| "set MAILGLOT_SHARED to the folder that has corpus/")?;
    let all = std::env::args().any(|a| a == "--all");
    let corpus = Path::new(&shared).join("corpus");
    let context = HeaderContext::default();
    score(&corpus.join("rfc2047.jsonl"), all, |raw, row| {
        let got = decode(raw, FieldKind::Unstructured, &context, &mut Vec::new());
        let want = row["expected"].as_str().unwrap_or_default();
        (squeeze(&got) == squeeze(want), format!("{got:?}, not {want:?}"))
    })?;
    score(&corpus.join("rfc2231.jsonl"), all, |raw, row| {
        let params = params::parse(raw, &context, &mut Vec::new());
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
    })
}

fn score(path: &Path, all: bool, check: impl Fn(&[u8], &serde_json::Value) -> (bool, String)) -> Result<()> {
    let (mut right, mut count) = (0, 0);
    for line in fs::read_to_string(path)?.lines() {
        let row: serde_json::Value = serde_json::from_str(line)?;
        if row["disputed"].as_bool().unwrap_or_default() && !all {
            continue;
        }
        let raw = base64::engine::general_purpose::STANDARD
            .decode(row["raw_base64"].as_str().unwrap_or_default())?;
        let (good, told) = check(&raw, &row);
        count += 1;
        right += usize::from(good);
        if !good {
            println!("{:?}\n    {told}", String::from_utf8_lossy(&raw));
        }
    }
    println!("{}: {right} of {count}, {:.1} %\n", path.display(), 100.0 * right as f64 / f64::from(count));
    Ok(())
}

fn squeeze(text: &str) -> String {
    text.split([' ', '\t', '\r', '\n']).filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}
