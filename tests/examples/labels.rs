//! Measures what becomes of text under right and wrong labels. The text is real, in 35 languages, in each charset that can represent it,
//! under each label.
//!
//! `MAILGLOT_SHARED=... cargo run --release -p mailglot-tests --example labels` prints counts by the number of bytes above 7F:
//!
//! - right labels: how many there were, and how many alarms
//! - wrong labels: how many texts were read right all the same, and how many were read wrong
//! - wrong labels: how many were reported as suspect or had losses, and how many passed in silence
//!
//! `-- --families` prints the same by scripts, and `-- --pairs` for each pair of charset and label. `-- --alarms` prints the texts of false
//! alarms.
//!
//! # Limits
//! Texts that the label reads as they are count as rightly labelled, whatever they were written in.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for the terminal"
)]

use mailglot_codec::{Charset, LossLog, Unmappable};
use mailglot_mime::{Limits, Message, Policy, Report, text_parts};
use mailglot_tests::charset_decisions::samples;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Charsets that text is written in, and labels.
const CHARSETS: [&str; 33] = [
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "ISO-8859-1",
    "ISO-8859-2",
    "ISO-8859-3",
    "ISO-8859-4",
    "ISO-8859-5",
    "ISO-8859-6",
    "ISO-8859-7",
    "ISO-8859-8",
    "ISO-8859-9",
    "ISO-8859-13",
    "ISO-8859-15",
    "KOI8-R",
    "KOI8-U",
    "IBM866",
    "IBM850",
    "IBM852",
    "macintosh",
    "x-mac-cyrillic",
    "GBK",
    "Big5",
    "EUC-KR",
    "Shift_JIS",
    "EUC-JP",
];

/// Characters that are taken of a text.
const LENGTHS: [usize; 11] = [1, 2, 3, 5, 8, 12, 20, 30, 60, 200, 1000];

/// Upper ends of the classes by number of bytes above 7F.
const CLASSES: [usize; 7] = [2, 5, 10, 20, 50, 200, usize::MAX];

#[derive(Default, Clone, Copy)]
struct Counts {
    right: u32,
    alarms: u32,
    wrong: u32,
    read: u32,
    misread: u32,
    told: u32,
    silent: u32,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let shared = PathBuf::from(std::env::var_os("MAILGLOT_SHARED").expect("MAILGLOT_SHARED"));
    let mut classes: BTreeMap<usize, Counts> = BTreeMap::new();
    let mut pairs: BTreeMap<(&str, &str, usize), Counts> = BTreeMap::new();
    for (language, truth, text) in texts(&shared) {
        let bytes = truth
            .encode_exact(&text)
            .expect("the charset has every character")
            .into_owned();
        let high = bytes.iter().filter(|byte| **byte >= 0x80).count();
        let class = CLASSES
            .iter()
            .position(|end| high <= *end)
            .unwrap_or_default();
        for label in CHARSETS {
            let (read, codes) = read(label, &bytes);
            let plain = Charset::for_name(label)
                .unwrap()
                .decode(&bytes, &mut LossLog::with_limit(0))
                == text;
            let heard = codes.iter().any(|code| {
                code.starts_with("charset.")
                    && !code.ends_with("superset")
                    && !code.ends_with("alias")
            });
            if plain && heard && has("--alarms") {
                println!("{language} {truth} as {label}: {codes:?} {text:?} {read:?}");
            }
            let key = (truth.name(), label, class);
            for counts in [
                classes.entry(class).or_default(),
                pairs.entry(key).or_default(),
            ] {
                counts.right += u32::from(plain);
                counts.alarms += u32::from(plain && (heard || read != text));
                counts.wrong += u32::from(!plain);
                counts.read += u32::from(!plain && read == text);
                let changed = codes
                    .iter()
                    .any(|code| code == "charset.detected" || code == "charset.utf8-in-legacy");
                counts.misread += u32::from(!plain && read != text && changed);
                counts.told += u32::from(!plain && read != text && !changed && heard);
                counts.silent += u32::from(!plain && read != text && !heard);
            }
        }
    }
    println!("bytes above 7F: right, alarms; wrong: read right, misread, told, silent (per cent)");
    for (class, counts) in &classes {
        counts.print(&format!("up to {}", CLASSES[*class]));
    }
    if has("--families") {
        let mut families: BTreeMap<(String, usize), Counts> = BTreeMap::new();
        for ((truth, label, class), counts) in &pairs {
            let (Some(family), Some(of_label)) = (family(truth), family(label)) else {
                continue;
            };
            let under = if family == of_label {
                "their own"
            } else {
                "others"
            };
            let key = (format!("{family} as {under}"), *class / 2);
            families.entry(key).or_default().add(*counts);
        }
        for ((name, class), counts) in &families {
            counts.print(&format!(
                "{name}, {}",
                ["1 to 5", "6 to 20", "21 to 200", "more"][*class]
            ));
        }
    }
    if has("--pairs") {
        for ((truth, label, class), counts) in &pairs {
            counts.print(&format!("{truth} as {label}, up to {}", CLASSES[*class]));
        }
    }
}

/// Charsets that hold the letters of the same languages; None for those that little mail is in.
fn family(charset: &str) -> Option<&'static str> {
    Some(match charset {
        "windows-1251" | "KOI8-R" | "KOI8-U" | "ISO-8859-5" | "IBM866" => "Cyrillic",
        "windows-1253" | "ISO-8859-7" => "Greek",
        "windows-1255" | "ISO-8859-8" => "Hebrew",
        "windows-1256" | "ISO-8859-6" => "Arabic",
        "windows-874" => "Thai",
        "GBK" | "Big5" | "EUC-KR" | "windows-949" | "Shift_JIS" | "EUC-JP" => "East Asian",
        "windows-1250" | "ISO-8859-2" => "Central European",
        "windows-1252" | "ISO-8859-1" | "ISO-8859-15" => "Western",
        "windows-1254" | "ISO-8859-9" | "windows-1257" | "ISO-8859-13" | "ISO-8859-4" => {
            "Turkish and Baltic"
        }
        _ => return None,
    })
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.alarms += other.alarms;
        self.wrong += other.wrong;
        self.read += other.read;
        self.misread += other.misread;
        self.told += other.told;
        self.silent += other.silent;
    }

    fn print(self, name: &str) {
        let share = |count: u32| 100.0 * f64::from(count) / f64::from(self.wrong.max(1));
        println!(
            "{name:<44} {:>7} {:>4} {:>7} {:>6.1} {:>6.1} {:>6.1} {:>6.1}",
            self.right,
            self.alarms,
            self.wrong,
            share(self.read),
            share(self.misread),
            share(self.told),
            share(self.silent)
        );
    }
}

/// The text of a message with this label, and the codes of its events.
fn read(label: &str, bytes: &[u8]) -> (String, Vec<String>) {
    let head =
        format!("Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: 8bit\n\n");
    let raw = [head.as_bytes(), bytes].concat();
    let mut report = Report::with_limit(20);
    let parts = text_parts(
        &Message::parse(&raw, &Limits::default()),
        &Policy::default(),
        &mut report,
    );
    // The order of Hebrew is what the label says, and no word against it.
    let told = report
        .events
        .iter()
        .map(|event| event.kind.code())
        .filter(|code| *code != "charset.visual-order");
    let codes = told.map(ToOwned::to_owned).collect();
    (parts.into_iter().map(|part| part.text).collect(), codes)
}

/// Beginnings of words in real texts, with the charset that each is to be written in.
fn texts(shared: &std::path::Path) -> Vec<(String, Charset, String)> {
    let mut by_language: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for sample in samples::read(shared)
        .into_iter()
        .filter(|sample| sample.length == 1000)
    {
        let known = by_language.entry(sample.language).or_default();
        if known.len() < 4 && !known.contains(&sample.text) {
            known.push(sample.text);
        }
    }
    let mut found = Vec::new();
    for (language, texts) in &by_language {
        for (nth, text) in texts.iter().enumerate() {
            let all: Vec<char> = text.chars().collect();
            let is_start =
                |at: &usize| (*at == 0 || all[at - 1].is_whitespace()) && !all[*at].is_ascii();
            let mut starts: Vec<usize> = (0..all.len()).filter(is_start).collect();
            if starts.is_empty() {
                starts = (0..all.len()).filter(|at| !all[*at].is_ascii()).collect();
            }
            for (round, length) in LENGTHS.into_iter().enumerate() {
                let Some(start) = starts.get((round * 7 + nth * 13) % starts.len().max(1)) else {
                    continue;
                };
                let part: String = all[*start..all.len().min(start + length)].iter().collect();
                for name in CHARSETS {
                    let charset = Charset::for_name(name).unwrap();
                    if !is_written_in(language, charset) {
                        continue;
                    }
                    let mut log = LossLog::new();
                    let bytes = charset.encode(&part, Unmappable::Skip, &mut log);
                    if log.is_empty()
                        && samples::reads(charset, &bytes, &part)
                        && std::str::from_utf8(&bytes).is_err()
                    {
                        found.push((language.clone(), charset, part.clone()));
                    }
                }
            }
        }
    }
    found
}

/// Charsets of two bytes hold letters of other scripts, too, but mail in those is not written in them.
fn is_written_in(language: &str, charset: Charset) -> bool {
    match charset.name() {
        "GBK" => language == "zh_CN",
        "Big5" => language == "zh_TW",
        "EUC-KR" => language == "ko",
        "Shift_JIS" | "EUC-JP" => language == "ja",
        _ => true,
    }
}
