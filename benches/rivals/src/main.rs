//! Measures decoding speed beside the rivals: `cargo xtask bench codec`. With `mime` as the first argument, it measures header values
//! and transfer encodings. With `json FILE`, `json-ours FILE` and `decode FILE`, it measures mail-parser's reading of a mailbox
//! (`cargo xtask bench mime`). For `cargo xtask bench program`, `cost` runs a program and prints what it cost, and `text` and
//! `values` write inputs. The words that `programs.rs` lists run the rivals as whole programs.
//!
//! All contenders get the same bytes and give a new text. What they give is compared before anything is timed; a rival
//! that gives another text is shown, but does not count. They run in turn, round by round, on one thread; each one's
//! best round counts, by the thread's processor time.
//!
//! # Limits
//! Ratios within one run are what holds; absolute figures depend on the machine. The allocator keeps its memory, so
//! fresh pages of the system are in nobody's time.

mod contender;
mod cost;
mod hash;
mod inputs;
// The writer of JSON of the project, for what the reading costs alone.
#[allow(dead_code)]
#[path = "../../../crates/pipeline/src/json.rs"]
mod json;
mod mailbox;
mod mime;
mod programs;
mod race;
mod text;

use contender::{Contender, rivals, validators};
use inputs::{charset, encode, encoded, text_for};
use mailglot_codec::{Charset, LossLog, Unmappable};
use std::collections::BTreeSet;
use std::hint::black_box;
use mailbox::Read;
use std::process::ExitCode;
use text::Language::{self, Chinese, English, French, Japanese, Korean, Mostly, Russian};

/// Charset, text, and the goal: how many times the speed of the best rival.
const CASES: [(&str, Language, &str, f64); 16] = [
    ("UTF-7", Japanese, "Japanese", 2.0),
    ("UTF-7", Mostly, "mostly ASCII", 3.0),
    ("UTF-16LE", Japanese, "Japanese", 2.0),
    ("UTF-16LE", English, "ASCII", 2.0),
    ("windows-1252", French, "French", 1.5),
    ("windows-1252", English, "English", 1.0),
    ("KOI8-R", Russian, "Russian", 1.5),
    ("Shift_JIS", Japanese, "Japanese", 4.0),
    ("EUC-JP", Japanese, "Japanese", 2.0),
    ("ISO-2022-JP", Japanese, "Japanese", 3.0),
    ("GBK", Chinese, "Chinese", 2.0),
    ("Big5", Chinese, "Chinese", 2.0),
    ("EUC-KR", Korean, "Korean", 2.0),
    ("UTF-8", Japanese, "Japanese", 0.9),
    ("UTF-8", French, "French", 0.9),
    ("UTF-8", English, "ASCII", 0.9),
];

/// Bytes of the short pieces.
const PIECES: [usize; 4] = [40, 60, 200, 4000];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["mime", ref rest @ ..] => return mime::bench(rest),
        ["json", file] => return mailbox::read(Read::Json, file),
        ["json-ours", file] => return mailbox::read(Read::JsonOurs, file),
        ["decode", file] => return mailbox::read(Read::Decode, file),
        ["cost", ref rest @ ..] => return cost::cost(rest),
        ["text" | "values", ..] => return inputs::write(&words),
        ref other => {
            if let Some(code) = programs::run(other) {
                return code;
            }
        }
    }
    let Some(Options { size, rounds, only, no_bars }) = options(std::env::args().skip(1)) else {
        eprintln!("usage: mailglot-rivals [--size BYTES] [--rounds COUNT] [--only CHARSET] [--no-bars]");
        return ExitCode::from(2);
    };
    race::keep_memory();
    let mut bench = Bench { rounds, only, held: 0, missed: 0, notes: BTreeSet::new() };
    bench.limit(size);
    bench.long(size);
    bench.short();
    bench.encoding(size);
    for note in &bench.notes {
        println!("- {note}");
    }
    println!("\n{} goals held, {} missed", bench.held, bench.missed);
    ExitCode::from(u8::from(bench.missed > 0 && !no_bars))
}

struct Options {
    /// Bytes of each text.
    size: usize,
    rounds: usize,
    /// A part of the names of the charsets to measure.
    only: String,
    no_bars: bool,
}

fn options(mut arguments: impl Iterator<Item = String>) -> Option<Options> {
    let mut options = Options { size: 10_000_000, rounds: 9, only: String::new(), no_bars: false };
    while let Some(name) = arguments.next() {
        match name.as_str() {
            "--size" => options.size = bytes(&arguments.next()?)?,
            "--rounds" => options.rounds = arguments.next()?.parse::<usize>().ok()?.max(1),
            "--only" => options.only = arguments.next()?,
            "--no-bars" => options.no_bars = true,
            _ => return None,
        }
    }
    Some(options)
}

/// A number of bytes, or with K or M (powers of ten).
fn bytes(size: &str) -> Option<usize> {
    let (digits, unit) = match size.strip_suffix(['K', 'M']) {
        Some(digits) if size.ends_with('K') => (digits, 1_000),
        Some(digits) => (digits, 1_000_000),
        None => (size, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(unit).filter(|bytes| *bytes > 0)
}

struct Bench {
    rounds: usize,
    only: String,
    held: usize,
    missed: usize,
    notes: BTreeSet<String>,
}

impl Bench {
    fn limit(&self, size: usize) {
        let input = vec![b'a'; size];
        let mut output = vec![0; size];
        let copy = |input: &[u8]| {
            output.copy_from_slice(input);
            black_box(output.last().copied());
        };
        let speed = self.race(&[&input], &mut [Box::new(copy)]);
        println!("memcpy of {size} bytes, the limit: {:.0} MB/s\n", speed[0]);
    }

    /// Whole texts.
    fn long(&mut self, size: usize) {
        println!("| charset | text | mailglot MB/s | rivals MB/s | times the best | goal | |");
        println!("|---|---|---:|---|---:|---:|---|");
        for (label, language, name, goal) in CASES {
            if !label.contains(&self.only) {
                continue;
            }
            let charset = charset(label);
            let (mut contenders, missing) =
                if label == "UTF-8" { (validators(), Vec::new()) } else { rivals(label) };
            self.notes.extend(missing);
            contenders.insert(0, Contender::ours(charset));
            let bytes = encoded(charset, &contenders, language, size);
            let counts = self.compare(&contenders, label, name, &bytes);
            let speeds = self.decode(&contenders, &[&bytes]);
            let shown: Vec<String> = contenders
                .iter()
                .zip(&speeds)
                .zip(&counts)
                .skip(1)
                .map(|((rival, speed), counts)| {
                    format!("{} {speed:.0}{}", rival.name, if *counts { "" } else { " (differs)" })
                })
                .collect();
            let best = speeds.iter().zip(&counts).skip(1).filter(|(_, counts)| **counts);
            let best = best.map(|(speed, _)| *speed).fold(0.0, f64::max);
            let verdict = self.verdict(speeds[0] / best >= goal);
            println!(
                "| {label} | {name} | {:.0} | {} | {:.2} | {goal} | {verdict} |",
                speeds[0],
                shown.join(", "),
                speeds[0] / best,
            );
        }
        println!();
    }

    /// Which contenders give the text that the first one gives; the first counts.
    fn compare(&mut self, contenders: &[Contender], label: &str, name: &str, bytes: &[u8]) -> Vec<bool> {
        let ours = (contenders[0].decode)(bytes);
        contenders
            .iter()
            .map(|contender| {
                let theirs = (contender.decode)(bytes);
                if theirs != ours {
                    let place = ours.bytes().zip(theirs.bytes()).take_while(|(a, b)| a == b).count();
                    let (len, theirs) = (ours.len(), theirs.len());
                    self.notes.insert(format!(
                        "{label}, {name}: {} differs from byte {place} of the text on ({len} and {theirs} bytes)",
                        contender.name
                    ));
                    return false;
                }
                true
            })
            .collect()
    }

    /// Short pieces, beside encoding_rs.
    fn short(&mut self) {
        let sizes: Vec<String> = PIECES.iter().map(|size| format!("{size} bytes")).collect();
        println!("| charset | text | {} |", sizes.join(" | "));
        println!("|---|---|{}", "---:|".repeat(PIECES.len()));
        for (label, language, name, _) in CASES {
            if !label.contains(&self.only) {
                continue;
            }
            let Some(rival) = Contender::encoding_rs(label) else { continue };
            let charset = charset(label);
            let contenders = [Contender::ours(charset), rival];
            let cells = PIECES.map(|size| {
                let pieces = pieces(charset, &contenders, language, size);
                let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
                let speeds = self.decode(&contenders, &pieces);
                let ratio = speeds[0] / speeds[1];
                format!("{:.0} : {:.0} = {ratio:.2} {}", speeds[0], speeds[1], self.verdict(ratio >= 1.0))
            });
            println!("| {label} | {name} | {} |", cells.join(" | "));
        }
        println!("\nMB/s of mailglot and of encoding_rs; the goal is 1.\n");
    }

    /// Encoders; there is no goal.
    fn encoding(&self, size: usize) {
        println!("| encoder | text | mailglot MB/s of UTF-8 | encoding_rs (UTF-16: std) | ratio |");
        println!("|---|---|---:|---:|---:|");
        for (label, language, name) in [
            ("windows-1252", French, "French"),
            ("Shift_JIS", Japanese, "Japanese"),
            ("UTF-16LE", Japanese, "Japanese"),
        ] {
            let charset = charset(label);
            let text = text_for(charset, &[], language, size);
            let ours = |bytes: &[u8]| {
                let text = std::str::from_utf8(bytes).unwrap_or_default();
                black_box(charset.encode(text, Unmappable::QuestionMark, &mut LossLog::new()));
            };
            let rival =
                encoding_rs::Encoding::for_label(label.as_bytes()).filter(|e| e.output_encoding() == *e);
            let theirs = |bytes: &[u8]| {
                let text = std::str::from_utf8(bytes).unwrap_or_default();
                match rival {
                    Some(encoding) => drop(black_box(encoding.encode(text))),
                    None => {
                        drop(black_box(text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()))
                    }
                }
            };
            let speeds = self.race(&[text.as_bytes()], &mut [Box::new(ours), Box::new(theirs)]);
            println!(
                "| {label} | {name} | {:.0} | {:.0} | {:.2} |",
                speeds[0],
                speeds[1],
                speeds[0] / speeds[1]
            );
        }
        println!();
    }

    fn verdict(&mut self, held: bool) -> &'static str {
        if held {
            self.held += 1;
            "held"
        } else {
            self.missed += 1;
            "MISSED"
        }
    }

    fn decode(&self, contenders: &[Contender], inputs: &[&[u8]]) -> Vec<f64> {
        let mut work: Vec<Box<dyn FnMut(&[u8])>> = Vec::new();
        for contender in contenders {
            work.push(Box::new(move |bytes| drop(black_box((contender.decode)(bytes)))));
        }
        self.race(inputs, &mut work)
    }

    /// MB/s of each.
    fn race(&self, inputs: &[&[u8]], work: &mut [race::Work<'_>]) -> Vec<f64> {
        race::race(self.rounds, inputs, work)
    }
}

/// Many pieces of at most `size` bytes. No piece ends within a character.
fn pieces(charset: Charset, contenders: &[Contender], language: Language, size: usize) -> Vec<Vec<u8>> {
    // Enough that no processor learns them by heart.
    let count = (400_000 / size).clamp(200, 1000);
    let text = text_for(charset, contenders, language, size * 4 * count);
    let mut rest = text.as_str();
    let mut pieces = Vec::new();
    while pieces.len() < count {
        let mut len = rest.len().min(size * 3);
        let piece = loop {
            while !rest.is_char_boundary(len) {
                len -= 1;
            }
            let piece = encode(charset, &rest[..len]);
            if piece.len() <= size {
                break piece;
            }
            len -= (piece.len() - size).div_ceil(3).max(1);
        };
        pieces.push(piece);
        rest = &rest[len..];
    }
    pieces
}
