//! Measures the figures in `docs/charset-decisions.md`, and writes them into the document.

use super::{
    Case, CaseSelection, DecisionCounts, Judgement, Label, Material, RealMail, Reliability,
    RowCounts, Set, ablation, cases, held_out, reliability,
};
use anyhow::{Context, bail};
use mailglot_codec::{Charset, LossLog};
use mailglot_mime::Policy;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Number of excerpts of each held-out text, for each charset and length.
const HELD_OUT_COUNT: usize = 20;
/// One generated case in this many is read again for each rule.
const ABLATION_SHARE: usize = 10;

/// All measurements.
#[derive(Debug)]
pub struct Tables {
    /// Results by label.
    pub tally: DecisionCounts,
    /// Guesses on generated cases.
    pub sets: BTreeMap<Set, Reliability>,
    /// Readings of held-out texts.
    pub held_out: Option<HeldOutCounts>,
    /// Parts of real mail.
    pub real: Option<Judgement>,
    /// The table of the rules in Markdown, if requested.
    pub rules: Option<String>,
}

impl Tables {
    /// Measures the selected cases, real mail below `shared`, and texts below `held_out_texts`. With `rules`, also each
    /// rule.
    ///
    /// # Panics
    ///
    /// If a given folder lacks expected files.
    pub fn measure(
        selection: &CaseSelection,
        shared: Option<&Path>,
        held_out_texts: Option<&Path>,
        rules: bool,
    ) -> Self {
        let policy = Policy::default();
        let mut tally = DecisionCounts::default();
        let mut sets: BTreeMap<Set, Reliability> = BTreeMap::new();
        let mut kept: Vec<Case> = Vec::new();
        let mut number = 0;
        cases::for_each(selection, |case| {
            let outcome = case.read(&policy);
            sets.entry(case.set)
                .or_default()
                .add(outcome.confidence, outcome.right);
            tally.add(&case, &outcome);
            number += 1;
            if rules && number % ABLATION_SHARE == 0 {
                kept.push(case);
            }
        });
        let texts = held_out_texts
            .map(|texts| held_out(texts, HELD_OUT_COUNT))
            .unwrap_or_default();
        let held_out = held_out_texts.map(|_| HeldOutCounts::of(&texts, &policy));
        let mail = shared.map(RealMail::read);
        let real = mail.as_ref().map(|mail| mail.judge(&policy));
        let material = Material {
            cases: &kept,
            held_out: &texts,
            real: mail.as_ref(),
        };
        Self {
            tally,
            sets,
            held_out,
            real,
            rules: rules.then(|| ablation(&material)),
        }
    }

    /// Returns the reliability table: a column for each set, and one for all.
    pub fn reliability(&self) -> String {
        let mut columns: Vec<(&str, &Reliability)> = Vec::new();
        columns.extend(
            self.real
                .iter()
                .map(|real| ("real mail", &real.reliability)),
        );
        columns.extend(
            self.held_out
                .iter()
                .map(|counts| ("held-out texts", &counts.reliability)),
        );
        columns.extend(
            self.sets
                .iter()
                .map(|(set, reliability)| (set.name(), reliability)),
        );
        let mut all = Reliability::default();
        for (_, column) in &columns {
            all.merge(column);
        }
        columns.push(("all", &all));
        reliability::table(&columns)
    }

    /// Returns the shares of real mail and of the held-out texts that are read right.
    pub fn sources(&self) -> String {
        let mut out = String::from("| source | judged | right |\n|---|---:|---:|\n");
        if let Some(real) = &self.real {
            let all = real.right + real.wrong.len() as u32;
            let unjudged = real.unjudged.len();
            let _ = writeln!(
                out,
                "| real mail (parts; {unjudged} more have no verdict) | {all} | {} |",
                real.right
            );
        }
        for (label, counts) in self.held_out.iter().flat_map(|counts| &counts.by_label) {
            let (all, right) = (counts.all, counts.right);
            let share = 100.0 * f64::from(right) / f64::from(all.max(1));
            let _ = writeln!(
                out,
                "| held-out texts (excerpts {label}) | {all} | {right} ({share:.2} %) |"
            );
        }
        out
    }

    /// Replaces the tables of the document.
    ///
    /// # Errors
    ///
    /// A marker is missing, or a table was not measured.
    pub fn write_into(&self, document: &str) -> anyhow::Result<String> {
        let rules = self
            .rules
            .as_deref()
            .context("the rules were not measured")?;
        if self.real.is_none() || self.held_out.is_none() {
            bail!("the document shows real mail and held-out texts: name both");
        }
        let document = update(document, "labels", &self.tally.table())?;
        let document = update(&document, "places", &self.tally.places())?;
        let document = update(&document, "reliability", &self.reliability())?;
        let document = update(&document, "sources", &self.sources())?;
        update(&document, "rules", rules)
    }
}

/// Readings of held-out texts.
#[derive(Debug)]
pub struct HeldOutCounts {
    /// Guesses without a label.
    pub reliability: Reliability,
    /// Results by what the label is, in words.
    pub by_label: Vec<(&'static str, RowCounts)>,
}

impl HeldOutCounts {
    /// Reads the texts without a label, under their right labels, and under the label that mail programs write most often over other text.
    fn of(texts: &[Case], policy: &Policy) -> Self {
        let mut reliability = Reliability::default();
        let [mut unlabelled, mut right, mut wrong] = [RowCounts::default(); 3];
        let read = |case: &Case, label: Label| {
            let case = Case {
                label,
                ..case.clone()
            };
            case.read(policy)
        };
        for case in texts {
            let outcome = case.read(policy);
            reliability.add(outcome.confidence, outcome.right);
            unlabelled.add(&outcome);
            right.add(&read(case, Label::Right(case.charset.name())));
            let mut log = LossLog::with_limit(0);
            if Charset::WINDOWS_1252.decode(&case.bytes, &mut log) != case.text {
                wrong.add(&read(case, Label::Wrong("iso-8859-1")));
            }
        }
        Self {
            reliability,
            by_label: vec![
                ("without a label", unlabelled),
                ("under their right labels", right),
                ("wrongly labelled as iso-8859-1", wrong),
            ],
        }
    }
}

/// Replaces the text between `<!-- NAME -->` and `<!-- /NAME -->`.
fn update(document: &str, name: &str, table: &str) -> anyhow::Result<String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = document
        .find(&open)
        .with_context(|| format!("no marker {name}"))?
        + open.len();
    let Some(end) = document[start..].find(&close) else {
        bail!("no end of {name}")
    };
    Ok(format!(
        "{}\n{table}\n{}",
        &document[..start],
        &document[start + end..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_markers_is_replaced() {
        let document = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n";
        let new = update(document, "x", "new\n").unwrap();
        assert_eq!(new, "a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb\n");
        assert_eq!(update(&new, "x", "new\n").unwrap(), new);
        assert!(update(document, "y", "new\n").is_err());
    }

    #[test]
    fn the_document_has_a_place_for_each_table() {
        let document = include_str!("../../../docs/charset-decisions.md");
        for name in ["labels", "places", "reliability", "sources", "rules"] {
            assert!(update(document, name, "").is_ok(), "{name}");
        }
    }
}
