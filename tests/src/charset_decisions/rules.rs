//! Measures the benefit and cost of each rule: reads all cases again without it.
//!
//! # Limits
//!
//! Rules that find the same thing hide each other: a finding of both counts for neither.

use super::{Case, Judgement, Label, RealMail};
use crate::clock::Clock;
use mailglot_codec::detect::Rules;
use mailglot_mime::Policy;
use std::fmt::Write as _;

/// The material to read with each set of rules.
#[derive(Debug)]
pub struct Material<'m> {
    /// Generated cases.
    pub cases: &'m [Case],
    /// Held-out texts.
    pub held_out: &'m [Case],
    /// Real mail.
    pub real: Option<&'m RealMail>,
}

/// Results of reading all of the material.
struct RuleResults {
    right: Vec<bool>,
    held_out: Vec<bool>,
    real: Judgement,
    seconds: f64,
}

/// Returns the policy without the rules of `off`.
pub fn without(off: Rules) -> Policy {
    Policy::default().charset_rules(Rules::default().without(off))
}

/// Returns a table in Markdown with a row for each rule.
pub fn ablation(material: &Material<'_>) -> String {
    let all = material.run(&Policy::default());
    let mut out = String::from(
        "| rule | right labels: fixes / breaks | no labels | wrong labels | held-out texts | real mail: wrong, unjudged without it | time |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    let row = |out: &mut String, name: &str, run: &RuleResults| {
        let _ = write!(out, "| {name} |");
        for is_kind in [
            (|label| matches!(label, Label::Right(_))) as fn(Label) -> bool,
            |label| label == Label::None,
            |label| matches!(label, Label::Wrong(_)),
        ] {
            let cases = material.cases.iter().map(|case| is_kind(case.label));
            let _ = write!(out, " {} |", compared(cases, &all.right, &run.right));
        }
        let held_out = material.held_out.iter().map(|_| true);
        let _ = write!(
            out,
            " {} |",
            compared(held_out, &all.held_out, &run.held_out)
        );
        let _ = writeln!(
            out,
            " {}, {} | {:+.1} % |",
            run.real.wrong.len(),
            run.real.unjudged.len(),
            100.0 * (all.seconds - run.seconds) / run.seconds
        );
    };
    for (name, rule) in Rules::NAMED {
        row(&mut out, name, &material.run(&without(*rule)));
    }
    row(&mut out, "(all rules on)", &all);
    out
}

/// Returns "fixes / breaks": the number of cases that are right only with the rule, and only without it.
fn compared(is_counted: impl Iterator<Item = bool>, with: &[bool], without: &[bool]) -> String {
    let (mut fixes, mut breaks) = (0_u32, 0_u32);
    for ((is_counted, with), without) in is_counted.zip(with).zip(without) {
        fixes += u32::from(is_counted && *with && !*without);
        breaks += u32::from(is_counted && !*with && *without);
    }
    format!("{fixes} / {breaks}")
}

impl Material<'_> {
    fn run(&self, policy: &Policy) -> RuleResults {
        let read = |cases: &[Case]| cases.iter().map(|case| case.read(policy).right).collect();
        let clock = Clock::start();
        let (right, held_out) = (read(self.cases), read(self.held_out));
        let seconds = clock.elapsed().as_secs_f64();
        let real = self.real.map(|real| real.judge(policy)).unwrap_or_default();
        RuleResults {
            right,
            held_out,
            real,
            seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_readings_are_compared_one_by_one() {
        let (with, without) = (
            [true, true, false, false, true],
            [true, false, true, false, false],
        );
        assert_eq!(compared([true; 5].into_iter(), &with, &without), "2 / 1");
        assert_eq!(
            compared(
                [true, false, true, true, false].into_iter(),
                &with,
                &without
            ),
            "0 / 1"
        );
    }

    #[test]
    fn every_rule_can_be_switched_off() {
        for (name, rule) in Rules::NAMED {
            assert!(!without(*rule).charset_rules.has(*rule), "{name}");
        }
    }
}
