//! Charset decisions on a fixed share of the texts that `cargo xtask charset-decisions` measures.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_tests::charset_decisions::{CaseSelection, Set, Tables};

/// One case in this many, to be quick without optimization.
const SHARE: usize = 41;

/// Sets, with the least share of right readings without a label, and under wrong labels.
const SETS: [(Set, f64, f64); 7] = [
    (Set::Plain, 0.97, 0.82),
    (Set::Capitals, 0.90, 0.70),
    (Set::Signs, 0.95, 0.80),
    (Set::SignsOnly, 0.995, 0.98),
    (Set::EastAsian, 0.70, 0.70),
    (Set::Mixed, 0.85, 0.95),
    (Set::Places, 0.80, 0.60),
];

#[test]
fn right_labels_are_kept_and_guesses_are_reliable() {
    let selection = CaseSelection {
        share: SHARE,
        ..CaseSelection::default()
    };
    let tables = Tables::measure(&selection, None, None, false);
    let tally = &tables.tally;
    println!("{}\n{}", tally.table(), tables.reliability());
    let share = |part: u32, all: u32| f64::from(part) / f64::from(all.max(1));
    for (set, unlabelled, mislabelled) in SETS {
        let counts = tally.counts(set, "right label");
        assert_eq!(
            counts.right,
            counts.all,
            "{}\n{}",
            set.name(),
            tally.causes("right label", 50)
        );
        // One of few cases says nothing about a share.
        assert!(
            counts.right_warned <= 1 || share(counts.right_warned, counts.all) < 0.002,
            "{set:?}: {}",
            tally.causes("right label", 50)
        );
        for (said, least) in [("no label", unlabelled), ("wrong label", mislabelled)] {
            let counts = tally.counts(set, said);
            assert!(counts.all > 10, "{set:?}, {said}: few cases");
            assert!(
                share(counts.right, counts.all) >= least,
                "{set:?}, {said}: {counts:?}\n{}",
                tally.causes(said, 50)
            );
        }
    }
    let (all, right) = tables.sets.values().fold((0, 0), |(all, right), set| {
        let (more, of_them) = set.from(9);
        (all + more, right + of_them)
    });
    assert!(
        share(right, all) >= 0.98,
        "{right} of {all} guesses at 0.9 and more are right\n{}",
        tables.reliability()
    );
}
