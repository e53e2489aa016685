//! `mailglot detect`
//!
//! # Limits
//!
//! Of each file the first 16 MiB are read.

use super::convert::open;
use super::job_exit::note;
use crate::args::DetectArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, print, put_path};
use mailglot_codec::detect::{Evidence, Guess, Hints, detect_top};
use mailglot_pipeline::once;
use serde::Serialize;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes read of a file.
const MOST: u64 = 16 << 20;

pub(crate) fn run(args: &DetectArgs, console: Console) -> Result<Exit, Failure> {
    once(&args.files)?;
    let hints = Hints {
        declared: args.declared,
        language: args.lang_hint.as_deref(),
        country: args.country.as_deref(),
        ..Hints::default()
    };
    let stdin = [PathBuf::from("-")];
    let mut worst = Exit::Done;
    for file in if args.files.is_empty() {
        &stdin[..]
    } else {
        &args.files
    } {
        match read(file) {
            Ok(bytes) => {
                let guesses = detect_top(&bytes, &hints, args.top.into());
                print(&if args.json {
                    object(file, &guesses)?
                } else {
                    lines(file, &guesses)
                })?;
            }
            Err(error) => note(&Failure::input(file.display(), &error), &mut worst, console),
        }
    }
    Ok(worst)
}

/// The beginning of a file, to the end of a line where it is longer.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(file)?.take(MOST).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == MOST
        && let Some(end) = bytes.iter().rposition(|b| *b == b'\n')
    {
        bytes.truncate(end + 1);
    }
    Ok(bytes)
}

/// A line for each guess.
fn lines(file: &Path, guesses: &[Guess]) -> Vec<u8> {
    let mut lines = Vec::new();
    for guess in guesses {
        put_path(file, &mut lines);
        let Guess {
            charset, evidence, ..
        } = guess;
        let confidence = in_hundredths(*guess);
        lines.extend_from_slice(
            format!("\t{charset}\t{confidence:.2}\t{}\n", evidence.name()).as_bytes(),
        );
    }
    lines
}

/// Returns the confidence of a guess with two digits, at most 0.99. A byte order mark and ASCII are certain.
fn in_hundredths(guess: Guess) -> f64 {
    let confidence = (f64::from(guess.confidence) * 100.0).round() / 100.0;
    if matches!(guess.evidence, Evidence::Bom | Evidence::Ascii) {
        confidence
    } else {
        confidence.min(0.99)
    }
}

/// A file in JSON.
#[derive(Serialize)]
struct GuessesRow<'a> {
    file: std::borrow::Cow<'a, str>,
    guesses: Vec<GuessRow>,
}

#[derive(Serialize)]
struct GuessRow {
    charset: &'static str,
    /// Two digits tell all that is known.
    confidence: f64,
    evidence: &'static str,
}

fn object(file: &Path, guesses: &[Guess]) -> Result<Vec<u8>, Failure> {
    let guesses = guesses.iter().map(|guess| GuessRow {
        charset: guess.charset.name(),
        confidence: in_hundredths(*guess),
        evidence: guess.evidence.name(),
    });
    let object = GuessesRow {
        file: file.to_string_lossy(),
        guesses: guesses.collect(),
    };
    let mut line = serde_json::to_vec(&object)
        .map_err(|error| Failure::new(Exit::Output, error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}
