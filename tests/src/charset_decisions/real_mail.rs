//! Real mail with verdicts: the folder `corpus/real` of the shared test material.
//!
//! # Limits
//!
//! Judges a part only if it was read differently from its label, as `score.py` of the material does.

use super::Reliability;
use mailglot_mime::{Limits, Message, Policy, Report, text_parts};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

/// Verdicts on parts that the verdicts of the material lack: `isn't it €250`, labelled iso-8859-1.
const MORE_VERDICTS: &str = include_str!("../../data/real_mail_verdicts.tsv");

/// Messages and verdicts.
#[derive(Clone, Debug)]
pub struct RealMail {
    messages: BTreeMap<String, Vec<u8>>,
    /// The right charsets, by file name and section of a part.
    verdicts: HashMap<(String, String), String>,
}

/// Results of the judged parts.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Parts read right.
    pub right: u32,
    /// Parts read wrong, one line each.
    pub wrong: Vec<String>,
    /// Parts without a verdict, one line each.
    pub unjudged: Vec<String>,
    /// Guesses among the judged parts.
    pub reliability: Reliability,
}

/// Labels, with the charsets that count as the same reading.
const SAME: &[(&str, &[&str])] = &[
    ("iso-8859-1", &["iso-8859-1", "windows-1252"]),
    ("us-ascii", &["us-ascii", "utf-8"]),
    ("gb2312", &["gbk", "gb2312", "gb18030"]),
    (
        "ks_c_5601-1987",
        &["ks_c_5601-1987", "uhc", "euc-kr", "windows-949"],
    ),
    ("euc-kr", &["uhc", "euc-kr", "windows-949"]),
    ("shift_jis", &["windows-31j", "shift_jis"]),
];

impl RealMail {
    /// Reads the folder `corpus/real` below `shared`.
    ///
    /// # Panics
    ///
    /// If a file is missing.
    pub fn read(shared: &Path) -> Self {
        let folder = shared.join("corpus/real");
        let table =
            fs::read_to_string(folder.join("verdicts.tsv")).expect("verdicts.tsv of real mail");
        let verdict = |line: &str| {
            let [file, part, right] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("not three columns: {line}")
            };
            ((file.to_owned(), part.to_owned()), right.to_owned())
        };
        let files = fs::read_dir(folder.join("eml")).expect("messages of real mail");
        let message = |entry: std::io::Result<fs::DirEntry>| {
            let entry = entry.expect("a file");
            let name = entry
                .file_name()
                .into_string()
                .expect("names here are ASCII");
            (name, fs::read(entry.path()).expect("a message"))
        };
        Self {
            messages: files.map(message).collect(),
            verdicts: [&*table, MORE_VERDICTS]
                .iter()
                .flat_map(|table| table.lines().skip(1))
                .map(verdict)
                .collect(),
        }
    }

    /// Returns the number of verdicts.
    pub fn verdicts(&self) -> usize {
        self.verdicts.len()
    }

    /// Reads all messages and compares with the verdicts.
    pub fn judge(&self, policy: &Policy) -> Judgement {
        let mut judgement = Judgement::default();
        for (name, raw) in &self.messages {
            let message = Message::parse(raw, &Limits::default());
            let mut report = Report::with_limit(0);
            for part in text_parts(&message, policy, &mut report) {
                let text = part.as_str();
                let used = part.reading.used.name().to_ascii_lowercase();
                let label = part
                    .reading
                    .declared
                    .as_deref()
                    .unwrap_or_default()
                    .to_ascii_lowercase();
                let same = SAME
                    .iter()
                    .find(|(same, _)| *same == label)
                    .map(|(_, same)| *same);
                if text.is_ascii() || same.unwrap_or(&[&*label]).contains(&&*used) {
                    continue;
                }
                let right = self.verdicts.get(&(name.clone(), part.section.clone()));
                let line = || {
                    let sure = part
                        .reading
                        .confidence
                        .map_or(String::new(), |sure| format!(" ({sure:.2})"));
                    let right = right.map_or("?", |right| right);
                    format!(
                        "{name} {} labelled {label:?} read as {used}{sure}, right: {right}",
                        part.section
                    )
                };
                match right.map(String::as_str) {
                    None => judgement.unjudged.push(line()),
                    Some("?") => {}
                    Some(charsets) => {
                        let is_right = charsets.split('|').any(|charset| charset == used);
                        judgement.right += u32::from(is_right);
                        judgement.reliability.add(part.reading.confidence, is_right);
                        if !is_right {
                            judgement.wrong.push(line());
                        }
                    }
                }
            }
        }
        judgement
    }
}
