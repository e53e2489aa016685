//! Decodes each line of standard input as the value of a header field, and prints what was unusual about it.
#![allow(clippy::print_stdout, reason = "a program prints")]

use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode;
use std::io::BufRead;

fn main() -> std::io::Result<()> {
    for line in std::io::stdin().lock().split(b'\n') {
        let (line, mut findings) = (line?, Vec::new());
        let context = HeaderContext::default();
        let text = decode(&line, FieldKind::Unstructured, &context, &mut findings);
        println!("{text}");
        for finding in findings {
            println!("  {} at {:?}: {}", finding.kind, finding.at, finding.detail);
        }
    }
    Ok(())
}
