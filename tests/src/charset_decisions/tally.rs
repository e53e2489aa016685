//! Counts the results by label.

use super::{Case, Label, MailPlace, Outcome, Set, TextPosition};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Counts by set and by label.
#[derive(Clone, Debug, Default)]
pub struct DecisionCounts {
    rows: BTreeMap<(Set, &'static str), RowCounts>,
    /// Counts by what surrounds the names.
    places: BTreeMap<(MailPlace, &'static str), RowCounts>,
    /// Wrong readings of right labels, of no label and of wrong labels, by cause.
    causes: BTreeMap<(&'static str, Set, String), Examples>,
}

/// Counts of one row.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowCounts {
    /// Number of cases.
    pub all: u32,
    /// The text is right.
    pub right: u32,
    /// The text is right, but an event reports the label as suspect.
    pub right_warned: u32,
    /// The text is wrong, and an event reports that.
    pub wrong_warned: u32,
    /// The text is wrong without an event.
    pub silent: u32,
}

#[derive(Clone, Debug, Default)]
struct Examples {
    count: u32,
    shown: Vec<String>,
}

/// Number of examples kept for each cause.
const KEPT: usize = 4;

impl DecisionCounts {
    /// Counts a case.
    pub fn add(&mut self, case: &Case, outcome: &Outcome) {
        let said = match case.label {
            Label::Right(_) => "right label",
            Label::None => "no label",
            Label::Wrong(_) => "wrong label",
        };
        self.rows.entry((case.set, said)).or_default().add(outcome);
        if let Some(place) = case.place {
            self.places.entry((place, said)).or_default().add(outcome);
        }
        let is_false_alarm =
            outcome.right && outcome.warned && matches!(case.label, Label::Right(_));
        if !outcome.right || is_false_alarm {
            let cause = cause(case, outcome);
            let examples = self.causes.entry((said, case.set, cause)).or_default();
            examples.count += 1;
            if examples.shown.len() < KEPT {
                examples.shown.push(example(case, outcome));
            }
        }
    }

    /// Returns the counts of one set for `right label`, `no label` or `wrong label`.
    pub fn counts(&self, set: Set, said: &'static str) -> RowCounts {
        self.rows.get(&(set, said)).copied().unwrap_or_default()
    }

    /// Formats the rows as a table in Markdown.
    pub fn table(&self) -> String {
        let mut out = String::from(
            "| set | label | cases | right | right with a warning | wrong with a warning | wrong, not reported |\n\
             |---|---|---:|---:|---:|---:|---:|\n",
        );
        for ((set, said), counts) in &self.rows {
            let RowCounts {
                all,
                right,
                right_warned,
                wrong_warned,
                silent,
            } = counts;
            let share = 100.0 * f64::from(*right) / f64::from((*all).max(1));
            let _ = writeln!(
                out,
                "| {} | {said} | {all} | {right} ({share:.2} %) | {right_warned} | {wrong_warned} | {silent} |",
                set.name()
            );
        }
        out
    }

    /// Formats the counts of each place of names as a table in Markdown.
    pub fn places(&self) -> String {
        let mut out = String::from(
            "| place | example | right labels | overruled | right with a warning | no label: right | wrong label: right |\n\
             |---|---|---:|---:|---:|---:|---:|\n",
        );
        for place in MailPlace::ALL {
            let counts = |said| self.places.get(&(place, said)).copied().unwrap_or_default();
            let labelled = counts("right label");
            let (name, example) = place.name();
            let _ = writeln!(
                out,
                "| {name} | {example} | {} | {} | {} | {} | {} |",
                labelled.all,
                labelled.all - labelled.right,
                labelled.right_warned,
                counts("no label").share_right(),
                counts("wrong label").share_right(),
            );
        }
        out
    }

    /// Lists causes of wrong readings and of warnings about right labels, the most frequent first, with examples.
    pub fn causes(&self, said: &str, most: usize) -> String {
        let mut causes: Vec<_> = self
            .causes
            .iter()
            .filter(|((kind, _, _), _)| *kind == said)
            .collect();
        causes.sort_by_key(|(key, examples)| (std::cmp::Reverse(examples.count), *key));
        let mut out = String::new();
        for ((_, set, cause), examples) in causes.into_iter().take(most) {
            let _ = writeln!(out, "{:>6} {}: {cause}", examples.count, set.name());
            for shown in &examples.shown {
                let _ = writeln!(out, "         {shown}");
            }
        }
        out
    }
}

impl RowCounts {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.all += 1;
        self.right += u32::from(outcome.right);
        self.right_warned += u32::from(outcome.right && outcome.warned);
        self.wrong_warned += u32::from(!outcome.right && outcome.warned);
        self.silent += u32::from(!outcome.right && !outcome.warned);
    }

    /// Returns the number of right readings, of all, and their share.
    fn share_right(&self) -> String {
        let share = 100.0 * f64::from(self.right) / f64::from(self.all.max(1));
        format!("{} of {} ({share:.1} %)", self.right, self.all)
    }
}

impl Set {
    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "names and sentences",
            Self::Capitals => "in capitals",
            Self::Signs => "with signs",
            Self::SignsOnly => "ASCII with signs",
            Self::EastAsian => "East Asian signs in English",
            Self::Mixed => "windows-1252 beside UTF-8",
            Self::Places => "in places of mail",
        }
    }
}

fn cause(case: &Case, outcome: &Outcome) -> String {
    let label = match case.label {
        Label::Right(label) | Label::Wrong(label) => label,
        Label::None => "-",
    };
    let place = match case.form {
        TextPosition::Plain | TextPosition::Html => "body",
        TextPosition::RawHeader => "header",
        TextPosition::Word => "word",
    };
    let used = match (outcome.used, outcome.how) {
        (Some(used), Some(how)) => format!("{} by {}", used.name(), how.name()),
        _ => outcome.codes.join(" "),
    };
    let what = match (outcome.right, outcome.warned) {
        (true, _) => "right, with a warning",
        (false, true) => "wrong, with a warning",
        (false, false) => "wrong, not reported",
    };
    format!(
        "{} labelled {label} in a {place}: {what}, {used}",
        case.charset.name()
    )
}

fn example(case: &Case, outcome: &Outcome) -> String {
    let bytes = shown_bytes(&case.bytes);
    let (want, read) = differing(&case.text, &outcome.text);
    let sure = outcome
        .confidence
        .map_or(String::new(), |confidence| format!(" ({confidence:.2})"));
    format!("{} {want:?} read {read:?}{sure}; {bytes}", case.language)
}

/// Formats the bytes above 7F, with the context of the first one.
fn shown_bytes(bytes: &[u8]) -> String {
    let first = bytes.iter().position(|byte| *byte >= 0x80).unwrap_or(0);
    let around = &bytes[first.saturating_sub(12)..bytes.len().min(first + 36)];
    let mut out = String::new();
    for byte in around {
        match byte {
            0x20..0x7F => out.push(char::from(*byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02X}");
            }
        }
    }
    out
}

/// Returns both texts around their first difference, or around the first non-ASCII character.
fn differing(want: &str, read: &str) -> (String, String) {
    let start = want
        .chars()
        .zip(read.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let start = if want == read {
        want.chars().take_while(char::is_ascii).count()
    } else {
        start
    };
    let cut = |text: &str| {
        text.chars()
            .skip(start.saturating_sub(12))
            .take(32)
            .collect::<String>()
    };
    (cut(want), cut(read))
}
