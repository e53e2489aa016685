//! Checks the laws of ARCHITECTURE.md over seeded mutants: laws 1 to 8, 10 and 11, and that nothing panics.
//!
//! Each number gives two mutants: one with damage of any kind, and one whose text mixes line ends ([`crate::line_ends`]). A mutant
//! is a pure function of the seeds, the seed number and its own number, so a failure names everything needed to reproduce it.
//!
//! # Limits
//!
//! Law 9 (linear time) needs big inputs and a clock; it has its own test.

mod archive;
mod decoder;
mod law_results;
mod message;
mod text;

pub use law_results::LawResults;

use crate::line_ends;
use crate::mutate::{header_mutant, mutant};
use crate::rng::Rng;
use crate::{samples, shared};
use mailglot_mime::{Message, Policy, process};
use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Number of mutants that share a mailbox when archives are checked.
const GROUP: u64 = 16;

/// Text of each law, by its number. Law 9 is not checked here.
pub const LAWS: [(usize, &str); 10] = [
    (
        1,
        "splitting a decoder's input changes neither text nor losses",
    ),
    (2, "no edit is the identity; bytes outside edits stay"),
    (3, "a second pass changes nothing"),
    (4, "the tree of parts stays"),
    (5, "signed parts stay"),
    (
        6,
        "entries tile the archive; threads do not show in the output",
    ),
    (7, "restore gives every byte back"),
    (8, "messages in = messages out + set aside"),
    (10, "no decoded CR, LF or NUL reaches a header"),
    (11, "the text of each part stays, line ends included"),
];

/// Returns the messages for mutants: those of the samples, and the shared material if available.
///
/// # Panics
///
/// If a file of the shared material cannot be read.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = samples::messages();
    for path in shared::messages().into_iter().chain(shared::real_paths()) {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // The round trip covers large ones. Here they would only take time.
        if bytes.len() <= 100_000 {
            seeds.push(bytes);
        }
    }
    seeds
}

/// Makes mutant `number` of a run with this `seed`. Every fourth one, from number 1 on, has damaged MIME fields.
pub fn make(seeds: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut rng = random(seed, number);
    if number % 4 == 1 {
        header_mutant(seeds, &mut rng)
    } else {
        mutant(seeds, &mut rng)
    }
}

/// Makes the mutant `number` whose text mixes line ends.
pub fn make_line_ends(seeds: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut rng = random(seed ^ 0x0D0A, number);
    // Three of four mutants are generated, with a usual size. The others derive from the whole corpus.
    if number % 4 == 3 {
        line_ends::mutant(seeds, &mut rng)
    } else {
        line_ends::message(&mut rng)
    }
}

/// Describes how a message violates law 11 under a policy. Returns None if its text stays.
pub fn text_fault(raw: &[u8], policy: &Policy) -> Option<String> {
    let outcome = process(raw, policy);
    let before = Message::parse(raw, &policy.limits);
    let after = Message::parse(&outcome.bytes, &policy.limits);
    text::changed(&before, &after, &outcome.report, policy)
}

/// Checks all laws over `mutants` mutants of each kind with `threads` threads.
///
/// # Panics
///
/// If the temporary folder cannot be created, or there are no seeds.
pub fn check(seeds: &[Vec<u8>], mutants: u64, seed: u64, threads: usize) -> LawResults {
    let next = AtomicU64::new(0);
    let total = Mutex::new(LawResults::default());
    let groups = mutants.div_ceil(GROUP);
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let group = next.fetch_add(1, Ordering::Relaxed);
                    if group >= groups {
                        break;
                    }
                    let numbers = group * GROUP..mutants.min((group + 1) * GROUP);
                    let tally = check_group(seeds, seed, group, numbers);
                    total
                        .lock()
                        .expect("no thread panics with the lock")
                        .add(tally, &format!("seed {seed}"));
                }
            });
        }
    });
    total.into_inner().expect("no thread panicked")
}

fn check_group(
    seeds: &[Vec<u8>],
    seed: u64,
    group: u64,
    numbers: std::ops::Range<u64>,
) -> LawResults {
    let mut tally = LawResults::default();
    let (mut mutants, mut mixed) = (Vec::new(), Vec::new());
    for number in numbers {
        let bytes = make(seeds, seed, number);
        tally.mutants += 1;
        let mut rng = random(seed ^ 0x5EED, number);
        let checked = guarded(|tally| {
            decoder::check(&bytes, &mut rng, tally);
            message::check(&bytes, &message::policy(number), tally);
        });
        tally.add(checked, &format!("mutant {number}"));
        mutants.push(bytes);
        let bytes = make_line_ends(seeds, seed, number);
        tally.line_ends += 1;
        let checked = guarded(|tally| {
            for policy in [
                message::policy_of_text(&mut rng),
                message::policy_of_text(&mut rng),
            ] {
                message::check(&bytes, &policy, tally);
            }
        });
        tally.add(checked, &format!("line ends {number}"));
        mixed.push(bytes);
    }
    for (kind, mutants) in [("mutants", mutants), ("line ends", mixed)] {
        let checked = guarded(|tally| archive::check(&mutants, group, tally));
        tally.add(
            checked,
            &format!(
                "group {group} ({kind} {}..{})",
                group * GROUP,
                (group + 1) * GROUP
            ),
        );
    }
    tally
}

/// Runs checks. A panic becomes a failure.
fn guarded(checks: impl FnOnce(&mut LawResults)) -> LawResults {
    let mut tally = LawResults::default();
    let run = catch_unwind(AssertUnwindSafe(|| checks(&mut tally)));
    if let Err(panic) = run {
        tally.fail(0, &words(panic.as_ref()));
    }
    tally
}

fn words(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()))
        .unwrap_or_else(|| "without words".to_owned())
}

fn random(seed: u64, number: u64) -> Rng {
    Rng::new(
        seed.wrapping_mul(0xD6E8_FEB8_6659_FD93)
            .wrapping_add(number),
    )
}
