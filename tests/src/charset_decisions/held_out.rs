//! Reads held-out texts: programs and books outside all models, as `crates/xtask/models/gather.py` writes them.

use super::{Case, Label, Set, TextPosition};
use mailglot_codec::Charset;
use std::path::Path;

#[path = "../../../crates/codec/tests/common/samples.rs"]
pub mod samples;

/// Returns the samples below `texts` as bodies without a label, in charsets that are common in their mail.
///
/// # Panics
///
/// If a text is missing.
pub fn held_out(texts: &Path, count: usize) -> Vec<Case> {
    let table = include_str!("../../../data/languages.tsv");
    samples::of_texts(texts, table, count)
        .into_iter()
        .filter(|sample| sample.is_common && !sample.encoding.eq_ignore_ascii_case("utf-8"))
        .map(|sample| Case {
            set: Set::Plain,
            language: sample.language,
            charset: Charset::for_name(&sample.encoding).expect("a charset"),
            form: TextPosition::Plain,
            label: Label::None,
            place: None,
            country: None,
            has_address: false,
            lines: sample.text.lines().count(),
            text: sample
                .text
                .strip_suffix('\n')
                .unwrap_or(&sample.text)
                .to_owned(),
            bytes: sample
                .bytes
                .strip_suffix(b"\n")
                .unwrap_or(&sample.bytes)
                .to_vec(),
        })
        .collect()
}
