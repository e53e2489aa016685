//! Prints what becomes of labels, and how often guesses are right.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use clap::Parser;
use mailglot_mime::Policy;
use mailglot_tests::charset_decisions::{RealMail, Reliability, Set, Tally, cases};
use mailglot_tests::shared;
use std::collections::BTreeMap;
use std::time::Instant;

/// Measures charset decisions.
#[derive(Parser)]
struct Arguments {
    /// Take one case in this many.
    #[arg(long, default_value_t = 1)]
    share: usize,
    /// List this many causes of wrong readings for each kind of label.
    #[arg(long, default_value_t = 40)]
    causes: usize,
}

fn main() {
    let arguments = Arguments::parse();
    let policy = Policy::default();
    let start = Instant::now();
    let mut tally = Tally::default();
    let mut sets: BTreeMap<Set, Reliability> = BTreeMap::new();
    cases::for_each(arguments.share, |case| {
        let outcome = case.read(&policy);
        sets.entry(case.set).or_default().add(outcome.confidence, outcome.right);
        tally.add(&case, &outcome);
    });
    println!("{}", tally.table());
    let sets: Vec<(&str, &Reliability)> =
        sets.iter().map(|(set, reliability)| (set.name(), reliability)).collect();
    println!("{}", Reliability::table(&sets));
    for said in ["right label", "no label", "wrong label"] {
        println!("{said}:\n{}", tally.causes(said, arguments.causes));
    }
    if let Some(shared) = shared::folder() {
        let judgement = RealMail::read(&shared).judge(&policy);
        println!(
            "real mail: {} right, {} wrong, {} unjudged",
            judgement.right,
            judgement.wrong.len(),
            judgement.unjudged.len()
        );
        println!("{}", judgement.wrong.join("\n"));
    }
    println!("{:.1} s", start.elapsed().as_secs_f64());
}
