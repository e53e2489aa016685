//! The samples that detection is measured on: real text in 35 languages (`data/charsets/detect_samples_dev.jsonl.gz` of the
//! reference data that `MAILGLOT_SHARED` names).
//!
//! # Limits
//! Unpacks with the system's `gzip`.

use mailglot_codec::detect::{Hints, detect};
use mailglot_codec::{Charset, LossLog, Unmappable};
use std::path::Path;
use std::process::Command;

/// One sample.
pub(crate) struct Sample {
    /// As the file names it: `zh_CN`.
    pub(crate) language: String,
    /// Python's name of the encoding.
    pub(crate) encoding: String,
    /// Wanted number of bytes: 20, 50, 200, 1000.
    pub(crate) length: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: String,
}

/// All samples of the reference data in this folder.
pub(crate) fn read(shared: &Path) -> Vec<Sample> {
    let path = shared.join("data/charsets/detect_samples_dev.jsonl.gz");
    let unpacked = Command::new("gzip").arg("-dc").arg(&path).output().expect("gzip runs");
    assert!(unpacked.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&unpacked.stderr));
    let lines = String::from_utf8(unpacked.stdout).expect("samples are UTF-8");
    lines.lines().map(sample).collect()
}

fn sample(line: &str) -> Sample {
    let value: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
    let text = |name: &str| value[name].as_str().expect("a string").to_owned();
    let hex = text("hex");
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    Sample {
        language: text("lang"),
        encoding: text("enc"),
        length: value["len"].as_u64().expect("a number"),
        bytes: (0..hex.len()).step_by(2).map(byte).collect(),
        text: text("text"),
    }
}

/// The country that a language's mail comes from most.
pub(crate) fn country(language: &str) -> &str {
    match language {
        "nb" => "no",
        "da" => "dk",
        "sv" => "se",
        "cs" => "cz",
        "sl" => "si",
        "uk" => "ua",
        "sr" => "rs",
        "el" => "gr",
        "he" => "il",
        "ar" => "eg",
        "fa" => "ir",
        "et" => "ee",
        "ja" => "jp",
        "ko" => "kr",
        "zh_CN" => "cn",
        "zh_TW" => "tw",
        same => same,
    }
}

/// Hints with this country.
pub(crate) fn from_country(country: &str) -> Hints<'_> {
    Hints { country: Some(country), ..Hints::default() }
}

/// Whether detection finds a charset that gives this text.
pub(crate) fn is_right(bytes: &[u8], text: &str, hints: &Hints<'_>) -> bool {
    reads(detect(bytes, hints).charset, bytes, text)
}

/// Whether a charset gives this text.
pub(crate) fn reads(charset: Charset, bytes: &[u8], text: &str) -> bool {
    charset.decode(bytes, &mut LossLog::with_limit(0)) == text
}

/// Languages and charsets beyond the web's (`detect_nonweb.csv`).
pub(crate) const NON_WEB: [(&str, &str); 20] = [
    ("de", "IBM850"),
    ("fr", "IBM850"),
    ("pl", "IBM852"),
    ("el", "CP737"),
    ("fr", "macintosh"),
    ("de", "macintosh"),
    ("ru", "x-mac-cyrillic"),
    ("ko", "ISO-2022-KR"),
    ("zh_CN", "HZ-GB-2312"),
    ("ja", "ISO-2022-JP"),
    ("de", "UTF-7"),
    ("ru", "UTF-7"),
    ("ja", "UTF-7"),
    ("de", "UTF-16LE"),
    ("ru", "UTF-16LE"),
    ("ja", "UTF-16BE"),
    ("de", "UTF-16BE"),
    ("tr", "IBM857"),
    ("he", "IBM862"),
    ("ko", "JOHAB"),
];

/// The first characters of a text in a charset, if it has them all and they are not ASCII only; and that beginning.
pub(crate) fn encoded(text: &str, characters: usize, charset: Charset) -> Option<(Vec<u8>, String)> {
    let start: String = text.chars().take(characters).collect();
    let mut log = LossLog::with_limit(0);
    let bytes = charset.encode(&start, Unmappable::Fatal, &mut log).into_owned();
    (log.is_empty() && !start.is_ascii() && reads(charset, &bytes, &start)).then_some((bytes, start))
}
