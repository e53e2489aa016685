//! Writes the generated file `detect-pages.bin` to standard output (`cargo xtask generate` calls this).
//!
//! # Limits
//! The file depends on other generated files, so they come first.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(&mailglot_codec::detect::pages())
}
