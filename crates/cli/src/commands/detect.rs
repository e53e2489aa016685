//! `mailglot detect`: detects the charset of files.
//!
//! # Limits
//!
//! Of a file larger than 16 MiB a sample counts (see [`file_sample`]).

mod file_sample;

use super::convert::open;
use super::job_exit::note;
use super::json::json;
use crate::args::DetectArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, print, put_path};
use mailglot_codec::Charset;
use mailglot_codec::detect::{Evidence, Guess, Hints, detect_top, strict_charset};
use mailglot_mime::{FileKind, charset_in_file, file_kind};
use mailglot_pipeline::{FileName, check_stdin_once};
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &DetectArgs, console: Console) -> Result<Exit, Failure> {
    check_stdin_once(&args.files)?;
    let stdin = [PathBuf::from("-")];
    let mut worst = Exit::Done;
    for file in if args.files.is_empty() {
        &stdin[..]
    } else {
        &args.files
    } {
        match open(file).and_then(|mut input| file_sample::read(&mut *input)) {
            Ok(bytes) => {
                let guesses = guesses(&bytes, args);
                print(&if args.json {
                    object(file, guesses)?
                } else {
                    lines(file, &guesses)
                })?;
            }
            Err(error) => note(&Failure::input(file.display(), &error), &mut worst, console),
        }
    }
    Ok(worst)
}

/// Guesses the charset of a file. The names are those that strict decoders need.
fn guesses(bytes: &[u8], args: &DetectArgs) -> Vec<GuessRow> {
    let mut hints = Hints {
        language: args.lang_hint.as_deref(),
        country: args.country.as_deref(),
        ..Hints::default()
    };
    let declared = args.declared.or_else(|| {
        let charset = charset_in_file(bytes)?;
        let guess = detect_top(bytes, &hints, 1).into_iter().next();
        (!guess.is_some_and(|guess| contradicts(guess, charset))).then_some(charset)
    });
    hints.declared = declared.map(|charset| with_windows_page(charset, bytes));
    let guesses = detect_top(bytes, &hints, args.top.into());
    let read_as = guesses
        .first()
        .filter(|guess| !is_weakly_wide(**guess, bytes))
        .map_or(Charset::WINDOWS_1252, |guess| guess.charset);
    match file_kind(bytes, read_as) {
        Some(kind) => vec![GuessRow::binary(kind)],
        None => guesses
            .iter()
            .map(|guess| GuessRow::new(*guess, bytes))
            .collect(),
    }
}

/// Returns true if the text of a file says clearly that its declaration is wrong, as when a page was converted and kept its `meta`.
fn contradicts(guess: Guess, declared: Charset) -> bool {
    guess.confidence >= 0.95 && guess.charset.superset() != declared.superset()
}

/// Returns true for bytes with NULs that the structure of UTF-16 does not prove, if they are hardly text in it.
fn is_weakly_wide(guess: Guess, bytes: &[u8]) -> bool {
    guess.evidence == Evidence::Model
        && guess.charset.is_wide()
        && (guess.confidence < 0.5 || bytes.len() % 2 == 1)
        && memchr::memchr(0, bytes).is_some()
}

/// Returns the Windows page that is meant by C1 controls under the label of a page of ISO 8859, otherwise the charset.
fn with_windows_page(charset: Charset, bytes: &[u8]) -> Charset {
    let has_c1 = || bytes.iter().any(|byte| matches!(byte, 0x80..=0x9F));
    let page = charset.windows_page().filter(|_| has_c1());
    page.unwrap_or(charset)
}

/// A line for each guess.
fn lines(file: &Path, guesses: &[GuessRow]) -> Vec<u8> {
    let mut lines = Vec::new();
    for GuessRow {
        charset,
        confidence,
        evidence,
    } in guesses
    {
        put_path(file, &mut lines);
        lines.extend_from_slice(format!("\t{charset}\t{confidence:.2}\t{evidence}\n").as_bytes());
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
struct GuessesRow {
    file: FileName,
    guesses: Vec<GuessRow>,
}

#[derive(Serialize)]
struct GuessRow {
    charset: &'static str,
    /// Two digits tell all that is known.
    confidence: f64,
    evidence: &'static str,
}

impl GuessRow {
    fn new(guess: Guess, bytes: &[u8]) -> Self {
        Self {
            charset: strict_charset(guess.charset, bytes).name(),
            confidence: in_hundredths(guess),
            evidence: guess.evidence.name(),
        }
    }

    /// Makes the row of a file that is not text, such as `binary 0.99 binary` for a PNG image. Control characters alone prove less than the
    /// first bytes of a known format: they give 0.90.
    fn binary(kind: FileKind) -> Self {
        let is_known = kind != FileKind::Unknown;
        Self {
            charset: "binary",
            confidence: if is_known { 0.99 } else { 0.9 },
            evidence: "binary",
        }
    }
}

fn object(file: &Path, guesses: Vec<GuessRow>) -> Result<Vec<u8>, Failure> {
    let file = FileName::of(file);
    let mut line = json(&GuessesRow { file, guesses })?;
    line.push(b'\n');
    Ok(line)
}
