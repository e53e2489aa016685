//! Reads the samples of detection: real text in 35 languages (`data/charsets/detect_samples_dev.jsonl.gz` of the shared test material).
//!
//! # Limits
//! Unpacks with the system's `gzip`.

use std::path::Path;
use std::process::Command;

/// Returns language and text of each sample in the folder of the shared test material.
pub(crate) fn read(shared: &Path) -> Vec<(String, String)> {
    let path = shared.join("data/charsets/detect_samples_dev.jsonl.gz");
    let unpacked = Command::new("gzip").arg("-dc").arg(&path).output();
    let unpacked = unpacked.expect("gzip runs");
    assert!(unpacked.status.success(), "{}", path.display());
    let lines = String::from_utf8(unpacked.stdout).expect("samples are UTF-8");
    let sample = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
        let text = |name: &str| value[name].as_str().expect("a string").to_owned();
        (text("lang"), text("text"))
    };
    lines.lines().map(sample).collect()
}
