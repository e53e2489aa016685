//! Prints the likeliest charsets of standard input: `cargo run --example detect_charset < file.txt`.
#![allow(clippy::print_stdout, reason = "a program prints")]

use mailglot_codec::LossLog;
use mailglot_codec::detect::{Hints, detect_top};
use std::io::Read;

fn main() -> std::io::Result<()> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    for guess in detect_top(&bytes, &Hints::default(), 3) {
        let text = guess.charset.decode(&bytes, &mut LossLog::new());
        let start: String = text.chars().take(40).collect();
        println!("{:.2} {:<14} {start}", guess.confidence, guess.charset);
    }
    Ok(())
}
