//! Goldens of the samples: the output for each archive, with LF and with CRLF, and its events.

use crate::{samples, tree};
use mailglot_archive::{Batch, EntryKind, ReadOptions, open, recognize};
use mailglot_mime::{Message, Policy, process};
use mailglot_pipeline::{LedgerPlace, NormalizeJob, Progress, normalize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// Returns all files below `samples/` by name: the archives, and their goldens below `golden/lf` and `golden/crlf`.
pub fn everything() -> io::Result<BTreeMap<String, Vec<u8>>> {
    let sources = samples::files();
    let mut all = sources.clone();
    for (end, crlf) in [("lf", false), ("crlf", true)] {
        let folder = tempfile::tempdir()?;
        for (name, bytes) in &sources {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(&path, if crlf { to_crlf(bytes) } else { bytes.clone() })?;
        }
        // A Maildir is recognized by its three folders, and git stores no empty ones.
        for sub in ["cur", "new", "tmp"] {
            fs::create_dir_all(folder.path().join("nihongo").join(sub))?;
        }
        for archive in samples::ARCHIVES {
            for (name, bytes) in normalized(&folder.path().join(archive))? {
                all.insert(join(&format!("golden/{end}/{archive}"), &name), bytes);
            }
            let events = events(&folder.path().join(archive))?;
            all.insert(
                format!("golden/{end}/{archive}.events.jsonl"),
                events.into_bytes(),
            );
        }
    }
    Ok(all)
}

/// Converts the line ends of a sample to CR LF.
pub fn to_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut turned = Vec::with_capacity(bytes.len() + bytes.len() / 20);
    for &byte in bytes {
        if byte == b'\n' {
            turned.push(b'\r');
        }
        turned.push(byte);
    }
    turned
}

fn join(root: &str, name: &str) -> String {
    if name.is_empty() {
        root.to_owned()
    } else {
        format!("{root}/{name}")
    }
}

fn normalized(archive: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("out");
    let job = NormalizeJob {
        inputs: vec![archive.to_path_buf()],
        output: output.clone(),
        to: None,
        policy: Policy::default(),
        ledger: LedgerPlace::Nowhere,
        report: None,
        threads: 1,
        deterministic: false,
        force: false,
        opening: false.into(),
        selection: mailglot_pipeline::Selection::default(),
        verify: false,
    };
    normalize(&job, &Progress::default()).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(tree::read(&output)?
        .into_iter()
        .filter_map(|(name, bytes)| bytes.map(|bytes| (name, bytes)))
        .collect())
}

/// Returns one JSON object per line and event: those of the splitter, then those of each message.
fn events(archive: &Path) -> io::Result<String> {
    let mut lines = String::new();
    for found in recognize(archive)? {
        let mut source = open(&found, &ReadOptions::default())?;
        let mut batch = Batch::default();
        while source.next(&mut batch)? {
            for event in &batch.events {
                let line = json!({ "box": format!("{:?}", event.kind), "offset": event.offset, "detail": event.detail.to_string() });
                let _ = writeln!(lines, "{line}");
            }
            for entry in batch
                .entries
                .iter()
                .filter(|entry| entry.kind == EntryKind::Message)
            {
                let raw = &batch.bytes[entry.message.clone()];
                let policy = Policy::default();
                let message = Message::parse(raw, &policy.limits);
                for event in process(raw, &policy).report.events {
                    let line = json!({
                        "message": entry.ordinal,
                        "name": String::from_utf8_lossy(&entry.name),
                        "part": message.section(event.part),
                        "code": event.kind.code(),
                        "at": [event.at.start, event.at.end],
                        "count": event.count,
                        "detail": event.detail.to_string(),
                    });
                    let _ = writeln!(lines, "{line}");
                }
            }
        }
    }
    Ok(lines)
}
