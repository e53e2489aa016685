//! Measures detection on real text, beside chardetng:
//! `MAILGLOT_SHARED=... cargo run --release -p mailglot-codec --example detect_score [--wrong LENGTH]`.
//!
//! # Limits
//! Shares are per cent of samples whose text is exactly right.
#![allow(clippy::print_stdout, clippy::panic, clippy::unwrap_used, reason = "a tool for the terminal")]

#[path = "../tests/common/samples.rs"]
mod samples;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use mailglot_codec::Charset;
use mailglot_codec::detect::{Hints, detect};
use samples::{NON_WEB, Sample, country, encoded, from_country, is_right};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let shared = PathBuf::from(std::env::var_os("MAILGLOT_SHARED").expect("MAILGLOT_SHARED"));
    let samples = samples::read(&shared);
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(length) = arguments.iter().position(|a| a == "--wrong").and_then(|at| arguments.get(at + 1)) {
        return wrong(&samples, length.parse().unwrap());
    }
    web(&samples);
    non_web(&samples);
    rarely_dos(&samples);
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
        println!("{name:<28} {:>5} {own:>8.1} {own_country:>8.1} {web:>10.1} {web_country:>8.1}", self.all);
    }
}

fn web(samples: &[Sample]) {
    println!("{:<28} {:>5} {:>8} {:>8} {:>10} {:>8}", "class", "n", "own", "+country", "chardetng", "+TLD");
    let mut classes: BTreeMap<(&str, u64), Row> = BTreeMap::new();
    let mut encodings: BTreeMap<(String, u64), Row> = BTreeMap::new();
    let mut micros: BTreeMap<u64, [f64; 3]> = BTreeMap::new();
    for sample in samples {
        let code = country(&sample.language);
        let (own, time) = timed(|| is_right(&sample.bytes, &sample.text, &Hints::default()));
        let (web, web_time) = timed(|| chardetng(sample, None));
        if sample.encoding != "utf-8" {
            let [n, sum, web_sum] = micros.entry(sample.length).or_default();
            *n += 1.0;
            *sum += time;
            *web_sum += web_time;
        }
        let with_country = is_right(&sample.bytes, &sample.text, &from_country(code));
        let right = [own, with_country, web, chardetng(sample, Some(code))];
        let class = if sample.encoding == "utf-8" { "utf-8" } else { "ALL non-utf8" };
        let pair = (format!("{} {}", sample.language, sample.encoding), sample.length);
        for row in [classes.entry((class, sample.length)).or_default(), encodings.entry(pair).or_default()] {
            row.all += 1;
            for (count, right) in row.right.iter_mut().zip(right) {
                *count += u32::from(right);
            }
        }
    }
    for ((name, length), row) in &encodings {
        if row.right[0] < row.all && !name.ends_with("utf-8") {
            row.print(&format!("{name} {length}"));
        }
    }
    for ((class, length), row) in &classes {
        row.print(&format!("{class} {length}"));
    }
    for (length, [n, sum, web_sum]) in &micros {
        println!("{length} bytes: {:.0} us, chardetng {:.0} us", sum / n, web_sum / n);
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
            for sample in samples.iter().filter(|s| s.language == language && s.length == 1000) {
                let Some((bytes, text)) = encoded(&sample.text, characters, charset) else { continue };
                row.all += 1;
                row.right[0] += u32::from(is_right(&bytes, &text, &Hints::default()));
                row.right[1] += u32::from(is_right(&bytes, &text, &from_country(country(language))));
            }
            row.print(&format!("{language} {name} {characters}"));
        }
    }
}

/// How many samples of web encodings are taken for a DOS or Mac page or another shape.
fn rarely_dos(samples: &[Sample]) {
    let mut found: BTreeMap<&str, u32> = BTreeMap::new();
    let western =
        samples.iter().filter(|s| s.encoding.starts_with("cp125") || s.encoding.starts_with("iso8859"));
    for sample in western.clone() {
        let name = detect(&sample.bytes, &Hints::default()).charset.name();
        if !name.starts_with("windows-") && !name.starts_with("ISO-8859-") {
            *found.entry(name).or_default() += 1;
        }
    }
    println!("of {} samples in windows-125x and ISO 8859, taken for: {found:?}", western.count());
}

fn wrong(samples: &[Sample], length: u64) {
    for sample in samples.iter().filter(|s| s.length == length) {
        for hints in [Hints::default(), from_country(country(&sample.language))] {
            if !is_right(&sample.bytes, &sample.text, &hints) {
                let guess = detect(&sample.bytes, &hints);
                let read =
                    guess.charset.decode(&sample.bytes, &mut mailglot_codec::LossLog::new()).into_owned();
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
