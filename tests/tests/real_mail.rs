//! Real mail with verdicts, of the shared material.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_mime::Policy;
use mailglot_tests::charset_decisions::RealMail;
use mailglot_tests::shared;

/// Parts that are read in another charset than labelled, at least: fewer would mean that nothing was compared.
const JUDGED: u32 = 60;

#[test]
fn every_judged_part_of_real_mail_is_read_right() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let real = RealMail::read(&shared);
    let judgement = real.judge(&Policy::default());
    println!(
        "{} verdicts, {} parts right, {} without a verdict",
        real.verdicts(),
        judgement.right,
        judgement.unjudged.len()
    );
    assert!(
        judgement.right >= JUDGED,
        "only {} parts were judged",
        judgement.right
    );
    assert!(judgement.wrong.is_empty(), "{}", judgement.wrong.join("\n"));
    // A part that nobody looked at.
    assert!(
        judgement.unjudged.is_empty(),
        "{}",
        judgement.unjudged.join("\n")
    );
}
