//! `mailglot header decode --stream`: decodes the encoded words in any text while it arrives.
//!
//! # Limits
//!
//! A word of more than 64 KiB stays undecoded, and is reported. A line that ends in a word waits for the first byte of the next line, which may
//! continue it as a fold.

use super::super::values::put;
use super::findings::{FindingCounts, print_findings};
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_mime::encoded_word::{HeaderContext, Stream};
use std::io::{self, Read, Write};

/// Bytes that are read at once.
const STEP: usize = 1 << 16;

pub(super) fn run(context: HeaderContext<'_>, console: Console) -> Result<Exit, Failure> {
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let mut stream = Stream::new(context);
    let mut chunk = vec![0; STEP];
    let (mut text, mut findings, mut counts) = (Vec::new(), Vec::new(), FindingCounts::default());
    loop {
        let length = match input.read(&mut chunk) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::input("standard input", &error)),
        };
        if length == 0 {
            stream.finish(&mut text, &mut findings);
            put(&mut out, &[&text])?;
            out.flush().map_err(|error| Failure::stdout(&error))?;
            print_findings(&findings, false, console);
            counts.add(&findings);
            counts.print(console);
            return Ok(Exit::Done);
        }
        stream.push(&chunk[..length], &mut text, &mut findings);
        put(&mut out, &[&text])?;
        // Somebody may wait for what was read so far.
        out.flush().map_err(|error| Failure::stdout(&error))?;
        print_findings(&findings, false, console);
        counts.add(&findings);
        text.clear();
        findings.clear();
    }
}
