//! Writes a mailbox with ground truth.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use anyhow::{Context, anyhow};
use clap::{Parser, ValueEnum};
use mailglot_tests::generate::{self, Dialect, Flaws, Options, Profile};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

#[derive(Clone, Copy, ValueEnum)]
enum ProfileName {
    List,
    Mixed,
}

#[derive(Clone, Copy, ValueEnum)]
enum DialectName {
    Mboxrd,
    Mboxo,
    Mboxcl2,
}

#[derive(Clone, Copy, ValueEnum)]
enum FlawsName {
    /// Every label is right.
    None,
    /// 8 % of the text parts have a wrong, unknown or missing label.
    Few,
    /// 15 % have one, and 3 % of the subjects with foreign letters are raw bytes, 3 % are split within characters.
    Many,
}

/// Writes a mailbox with ground truth; the same arguments give the same bytes everywhere.
#[derive(Parser)]
#[command(after_help = "Example: mailglot-gen --profile mixed --size 300M --out mixed.mbox")]
struct Arguments {
    /// What the messages are like.
    #[arg(long, value_enum, default_value = "list")]
    profile: ProfileName,
    /// Dialect of the mailbox.
    #[arg(long, value_enum, default_value = "mboxrd")]
    format: DialectName,
    /// CR LF line ends.
    #[arg(long)]
    crlf: bool,
    /// Share of flawed parts.
    #[arg(long, value_enum, default_value = "few")]
    flaws: FlawsName,
    /// Bytes, or with K, M, G (powers of ten).
    #[arg(long, default_value = "30M")]
    size: String,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The mailbox to write.
    #[arg(long)]
    out: PathBuf,
    /// Ground truth, one JSON object a line and message.
    #[arg(long)]
    truth: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let options = Options {
        profile: match arguments.profile {
            ProfileName::List => Profile::List,
            ProfileName::Mixed => Profile::Mixed,
        },
        dialect: match arguments.format {
            DialectName::Mboxrd => Dialect::Mboxrd,
            DialectName::Mboxo => Dialect::Mboxo,
            DialectName::Mboxcl2 => Dialect::Mboxcl2,
        },
        crlf: arguments.crlf,
        flaws: match arguments.flaws {
            FlawsName::None => Flaws::None,
            FlawsName::Few => Flaws::Few,
            FlawsName::Many => Flaws::Many,
        },
        size: bytes(&arguments.size)?,
        seed: arguments.seed,
    };
    let create = |path: &PathBuf| -> anyhow::Result<_> {
        Ok(BufWriter::with_capacity(
            1 << 20,
            File::create(path).with_context(|| path.display().to_string())?,
        ))
    };
    let mut out = create(&arguments.out)?;
    let mut truth = arguments.truth.as_ref().map(create).transpose()?;
    let (messages, written) = generate::write(
        &options,
        &mut out,
        truth.as_mut().map(|truth| truth as &mut dyn Write),
    )?;
    if let Some(mut truth) = truth {
        truth.flush()?;
    }
    println!("{messages} messages, {written} bytes");
    Ok(())
}

fn bytes(size: &str) -> anyhow::Result<u64> {
    let (number, unit) = match size.as_bytes().last() {
        Some(b'K') => (&size[..size.len() - 1], 1000),
        Some(b'M') => (&size[..size.len() - 1], 1_000_000),
        Some(b'G') => (&size[..size.len() - 1], 1_000_000_000),
        _ => (size, 1),
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| anyhow!("not a size: {size}"))
}
