//! Prints how labels are treated, and how often guesses are right.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use anyhow::Context;
use clap::Parser;
use mailglot_tests::charset_decisions::{CaseSelection, Tables};
use mailglot_tests::shared;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Measures charset decisions. Reads real mail where MAILGLOT_SHARED is set.
#[derive(Parser)]
struct Arguments {
    /// Take one case in this many.
    #[arg(long, default_value_t = 1)]
    share: usize,
    /// Take only the set of this name, such as "in places of mail".
    #[arg(long)]
    set: Option<String>,
    /// Put names into other places: brackets, tags and others.
    #[arg(long, default_value_t = 0)]
    places_seed: u64,
    /// List this many causes of wrong readings for each kind of label.
    #[arg(long, default_value_t = 40)]
    causes: usize,
    /// Folder of held-out texts, as `crates/xtask/models/gather.py` writes it.
    #[arg(long)]
    held_out: Option<PathBuf>,
    /// Measure each rule, too.
    #[arg(long)]
    rules: bool,
    /// Replace the tables of this document. Implies --rules.
    #[arg(long)]
    write: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let start = Instant::now();
    let rules = arguments.rules || arguments.write.is_some();
    let shared = shared::folder();
    let selection = CaseSelection {
        share: arguments.share,
        set: arguments.set.clone(),
        places_seed: arguments.places_seed,
    };
    let tables = Tables::measure(
        &selection,
        shared.as_deref(),
        arguments.held_out.as_deref(),
        rules,
    );
    println!("{}", tables.tally.table());
    println!("{}", tables.tally.places());
    println!("{}", tables.reliability());
    println!("{}", tables.sources());
    println!("{}", tables.rules.as_deref().unwrap_or_default());
    for said in ["right label", "no label", "wrong label"] {
        println!("{said}:\n{}", tables.tally.causes(said, arguments.causes));
    }
    if let Some(real) = &tables.real {
        println!("real mail, wrong:\n{}", real.wrong.join("\n"));
        println!(
            "real mail, without a verdict:\n{}",
            real.unjudged.join("\n")
        );
    }
    if let Some(path) = &arguments.write {
        let named = || path.display().to_string();
        let document = fs::read_to_string(path).with_context(named)?;
        fs::write(path, tables.write_into(&document)?).with_context(named)?;
    }
    println!("{:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
