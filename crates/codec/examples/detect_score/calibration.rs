//! How often guesses of each confidence are right, and the confidence of guesses about bytes that are not text.
//!
//! # Limits
//! What is no text is made here: EBCDIC, noise, numbers.

use crate::samples::{Sample, noise, reads};
use mailglot_codec::detect::{Evidence, Guess, Hints, detect};
use std::collections::BTreeMap;

/// Prints shares of right guesses by confidence, for the guesses of the models and for all steps.
pub(crate) fn print(samples: &[Sample]) {
    let mut steps: BTreeMap<&str, BTreeMap<u32, [f64; 3]>> = BTreeMap::new();
    for sample in samples {
        let guess = detect(&sample.bytes, &Hints::default());
        let right = reads(guess.charset, &sample.bytes, &sample.text);
        let by_length = match sample.length {
            20 => "model 20",
            50 => "model 50",
            200 => "model 200",
            _ => "model 1000",
        };
        let models = guess.evidence == Evidence::Model;
        for step in [
            Some("all"),
            Some(guess.evidence.name()),
            models.then_some(by_length),
        ]
        .into_iter()
        .flatten()
        {
            let row = steps
                .entry(step)
                .or_default()
                .entry(bucket(guess))
                .or_default();
            for (cell, value) in
                row.iter_mut()
                    .zip([1.0, f64::from(u8::from(right)), guess.confidence.into()])
            {
                *cell += value;
            }
        }
    }
    println!(
        "{:<12} {:>10} {:>7} {:>7} {:>7}",
        "step", "confidence", "n", "mean", "right"
    );
    for (step, buckets) in &steps {
        for (bucket, [n, right, sum]) in buckets {
            let low = f64::from(*bucket) / 10.0;
            println!(
                "{step:<12} {low:>4.1}..{:.1} {n:>9} {:>7.3} {:>7.3}",
                low + 0.1,
                sum / n,
                right / n
            );
        }
    }
    for (name, bytes) in noise() {
        let guess = detect(&bytes, &Hints::default());
        println!(
            "{name:<28} {:<14} {:.3} {}",
            guess.charset.name(),
            guess.confidence,
            guess.evidence.name()
        );
    }
}

fn bucket(guess: Guess) -> u32 {
    ((guess.confidence * 10.0) as u32).min(9)
}
