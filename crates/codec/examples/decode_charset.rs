//! Decodes standard input in a charset: `printf 'na\357ve' | cargo run --example decode_charset latin1`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program prints"
)]

use mailglot_codec::{Charset, LossLog};
use std::error::Error;
use std::io::Read;

fn main() -> Result<(), Box<dyn Error>> {
    let label = std::env::args().nth(1).unwrap_or("utf-8".to_owned());
    let charset: Charset = label.parse()?;
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let mut log = LossLog::new();
    print!("{}", charset.decode(&bytes, &mut log));
    for loss in log.kept() {
        eprintln!("{charset}: {loss}");
    }
    Ok(())
}
