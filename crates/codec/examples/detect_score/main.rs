//! Measures detection beside chardetng, and what its confidence is worth:
//!
//! - `MAILGLOT_SHARED=... cargo run --release -p mailglot-codec --example detect_score` on the samples of the reference data;
//! - `... --example detect_score -- --text FOLDER` on texts that no model has seen. `crates/xtask/models/gather.py` makes them of the
//!   packages that it holds out. `--count N` sets the number of samples of each kind (default 20).
//!
//! `--wrong LENGTH` lists the samples of that length which are read wrong or without any confidence; `--all` shows also the kinds without a mistake.
//!
//! # Limits
//! Shares are per cent of samples whose text is exactly right.
#![allow(
    clippy::print_stdout,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a tool for the terminal"
)]

mod calibration;
#[path = "../../tests/common/samples.rs"]
mod samples;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use mailglot_codec::Charset;
use mailglot_codec::detect::{Hints, detect, rival};
use samples::{NON_WEB, Sample, country, encoded, from_country, is_right};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        arguments
            .iter()
            .position(|a| a == name)
            .and_then(|at| arguments.get(at + 1))
            .cloned()
    };
    let texts = value("--text").map(PathBuf::from);
    let samples = match &texts {
        Some(folder) => held_out(folder, value("--count").map_or(20, |n| n.parse().unwrap())),
        None => samples::read(&PathBuf::from(
            std::env::var_os("MAILGLOT_SHARED").expect("MAILGLOT_SHARED"),
        )),
    };
    if let Some(length) = value("--wrong") {
        return wrong(&samples, length.parse().unwrap());
    }
    web(&samples, arguments.iter().any(|a| a == "--all"));
    if texts.is_none() {
        non_web(&samples);
    }
    rarely_dos(&samples);
    labels(&samples);
    calibration::print(&samples);
}

fn held_out(folder: &Path, count: usize) -> Vec<Sample> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/languages.tsv");
    samples::of_texts(folder, &std::fs::read_to_string(table).unwrap(), count)
}

/// Counts of samples, and of right answers in four columns.
#[derive(Default)]
struct Row {
    all: u32,
    right: [u32; 4],
}

impl Row {
    fn print(&self, name: &str) {
        let share = |right: u32| 100.0 * f64::from(right) / f64::from(self.all.max(1));
        let [own, own_country, web, web_country] = self.right.map(share);
        println!(
            "{name:<28} {:>5} {own:>8.1} {own_country:>8.1} {web:>10.1} {web_country:>8.1}",
            self.all
        );
    }
}

fn web(samples: &[Sample], all: bool) {
    println!(
        "{:<28} {:>5} {:>8} {:>8} {:>10} {:>8}",
        "class", "n", "own", "+country", "chardetng", "+TLD"
    );
    let mut classes: BTreeMap<(&str, u64), Row> = BTreeMap::new();
    let mut encodings: BTreeMap<(String, u64), Row> = BTreeMap::new();
    let mut micros: BTreeMap<u64, [f64; 3]> = BTreeMap::new();
    for sample in samples {
        let code = country(&sample.language);
        let (own, time) = timed(|| is_right(&sample.bytes, &sample.text, &Hints::default()));
        let (web, web_time) = timed(|| chardetng(sample, None));
        if class(sample) != "utf-8" {
            let [n, sum, web_sum] = micros.entry(sample.length).or_default();
            *n += 1.0;
            *sum += time;
            *web_sum += web_time;
        }
        let with_country = is_right(&sample.bytes, &sample.text, &from_country(code));
        let right = [own, with_country, web, chardetng(sample, Some(code))];
        let class = class(sample);
        let pair = (
            format!("{} {}", sample.language, sample.encoding),
            sample.length,
        );
        for row in [
            classes.entry((class, sample.length)).or_default(),
            encodings.entry(pair).or_default(),
        ] {
            row.all += 1;
            for (count, right) in row.right.iter_mut().zip(right) {
                *count += u32::from(right);
            }
        }
    }
    for ((name, length), row) in &encodings {
        if all || row.right[0] < row.all {
            row.print(&format!("{name} {length}"));
        }
    }
    for ((class, length), row) in &classes {
        row.print(&format!("{class} {length}"));
    }
    for (length, [n, sum, web_sum]) in &micros {
        println!(
            "{length} bytes: {:.0} us, chardetng {:.0} us",
            sum / n,
            web_sum / n
        );
    }
}

/// What a sample counts for: charsets that little mail is in tell little about all of it.
fn class(sample: &Sample) -> &'static str {
    match &*sample.encoding {
        "utf-8" | "UTF-8" => "utf-8",
        _ if sample.is_common => "ALL non-utf8",
        _ => "RARE in mail",
    }
}

/// The result, and how long it took in microseconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e6)
}

fn chardetng(sample: &Sample, country: Option<&str>) -> bool {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&sample.bytes, true);
    let encoding = detector.guess(country.map(str::as_bytes), Utf8Detection::Allow);
    encoding.decode_without_bom_handling(&sample.bytes).0 == sample.text
}

fn non_web(samples: &[Sample]) {
    for (language, name) in NON_WEB {
        let Some(charset) = Charset::for_name(name) else {
            println!("{language} {name}: no such charset");
            continue;
        };
        for characters in [50, 300] {
            let mut row = Row::default();
            for sample in samples
                .iter()
                .filter(|s| s.language == language && s.length == 1000)
            {
                let Some((bytes, text)) = encoded(&sample.text, characters, charset) else {
                    continue;
                };
                row.all += 1;
                row.right[0] += u32::from(is_right(&bytes, &text, &Hints::default()));
                row.right[1] +=
                    u32::from(is_right(&bytes, &text, &from_country(country(language))));
            }
            row.print(&format!("{language} {name} {characters}"));
        }
    }
}

/// How many samples of web encodings are taken for a DOS or Mac page or another shape.
fn rarely_dos(samples: &[Sample]) {
    let mut found: BTreeMap<&str, u32> = BTreeMap::new();
    let western = samples.iter().filter(|s| {
        ["cp125", "iso8859", "windows-125", "ISO-8859"]
            .iter()
            .any(|start| s.encoding.starts_with(start))
    });
    for sample in western.clone() {
        let name = detect(&sample.bytes, &Hints::default()).charset.name();
        if !name.starts_with("windows-") && !name.starts_with("ISO-8859-") {
            *found.entry(name).or_default() += 1;
        }
    }
    println!(
        "of {} samples in windows-125x and ISO 8859, taken for: {found:?}",
        western.count()
    );
}

/// Counts texts under the label ISO-8859-1, which is right for some and wrong for others. Prints how often there is a word against
/// it, how often it is outweighed, and how often that leads to the right text.
fn labels(samples: &[Sample]) {
    let mut found: BTreeMap<(&str, u64), [u32; 4]> = BTreeMap::new();
    for sample in samples
        .iter()
        .filter(|s| s.is_common && !s.encoding.eq_ignore_ascii_case("utf-8"))
    {
        let truth = samples::reads(Charset::WINDOWS_1252, &sample.bytes, &sample.text);
        let class = if truth {
            "ISO-8859-1"
        } else {
            &sample.encoding
        };
        let [all, doubted, other, right] = found.entry((class, sample.length)).or_default();
        *all += 1;
        let Some(rival) = rival(&sample.bytes, Charset::ISO_8859_1, &Hints::default()) else {
            continue;
        };
        *doubted += 1;
        *other += u32::from(rival.outweighs);
        let read =
            rival.outweighs && samples::reads(rival.guess.charset, &sample.bytes, &sample.text);
        *right += u32::from(read);
    }
    println!("under the label ISO-8859-1: samples, doubted, contradicted, to the right charset");
    for ((encoding, length), [all, doubted, other, right]) in found {
        println!("{encoding:<20} {length:>5} {all:>6} {doubted:>6} {other:>6} {right:>6}");
    }
}

/// A guess that says it is no better than chance.
const UNSURE: f32 = 0.2;

/// Lists what is read wrong, or without any confidence.
fn wrong(samples: &[Sample], length: u64) {
    for sample in samples.iter().filter(|s| s.length == length) {
        for hints in [Hints::default(), from_country(country(&sample.language))] {
            let guess = detect(&sample.bytes, &hints);
            if !is_right(&sample.bytes, &sample.text, &hints) || guess.confidence < UNSURE {
                let read = guess
                    .charset
                    .decode(&sample.bytes, &mut mailglot_codec::LossLog::new())
                    .into_owned();
                println!(
                    "{} {} {}: {} ({:.2})\n  {}\n  {}",
                    sample.language,
                    sample.encoding,
                    hints.country.unwrap_or("-"),
                    guess.charset,
                    guess.confidence,
                    sample.text.escape_debug(),
                    read.escape_debug()
                );
            }
        }
    }
}
