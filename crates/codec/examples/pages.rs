//! Writes tables of single-byte charsets, from `data/pages.tsv` on standard input to Rust source on standard output.
//!
//! # Limits
//! Knows the shape of this one file only.

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut tsv = String::new();
    std::io::stdin().read_to_string(&mut tsv)?;
    std::io::stdout().write_all(source(&tsv).as_bytes())
}

/// The Rust source: one array of 128 code points for each row, sixteen numbers a line.
fn source(tsv: &str) -> String {
    let mut out = String::from(
        "// Made from data/pages.tsv by `cargo run -p mailglot-codec --example pages`. Do not edit.\n\
         //! The code points of the bytes 80-FF.\n",
    );
    for (name, cells) in tsv.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once('\t')) {
        let cells: Vec<String> = cells.split(' ').map(|cell| format!("0x{cell},")).collect();
        let lines: Vec<String> = cells.chunks(16).map(|line| format!("    {}\n", line.join(" "))).collect();
        let constant = name.to_uppercase().replace('-', "_");
        let head = format!("\n#[rustfmt::skip]\npub(crate) static {constant}: [u16; 128] = [\n");
        out.extend([head.as_str(), &lines.concat(), "];\n"]);
    }
    out
}
