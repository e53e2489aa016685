//! Compares the programs of a row, measures them in turn, and prints the row.
//!
//! # Limits
//!
//! Each program's best run counts. A rival whose output differs is shown, but counts for no goal.

use super::cost::{Cores, Cost, measure};
use super::invocation::Invocation;
use super::row::{Entrant, Goal, Likeness, Row};
use std::path::PathBuf;

/// A goal of the benchmark, and whether it was reached.
pub(super) struct Bar {
    pub(super) what: String,
    pub(super) measured: String,
    pub(super) goal: String,
    pub(super) held: bool,
}

/// What the cells of a table show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Megabytes for each second of processor time.
    Speed,
    /// Milliseconds of processor time and of wall time.
    Time,
}

/// The measurements of one call of the benchmark.
pub(super) struct Race {
    rivals: PathBuf,
    runs: u32,
    only: String,
    /// Heading and unit of the table whose rows follow, until the first of them is printed.
    pending: Option<String>,
    unit: Unit,
    rows: usize,
    pub(super) bars: Vec<Bar>,
    pub(super) notes: Vec<String>,
}

impl Race {
    /// Prepares measurements with the program of the rivals; rows are left out whose name lacks `only`.
    pub(super) fn new(rivals: PathBuf, runs: u32, only: &str) -> Self {
        Self {
            rivals,
            runs: runs.max(1),
            only: only.to_owned(),
            pending: None,
            unit: Unit::Speed,
            rows: 0,
            bars: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// True if no row was measured.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// True if a row of this name is asked for.
    pub(super) fn wants(&self, name: &str) -> bool {
        name.contains(&self.only)
    }

    /// Begins a table.
    pub(super) fn table(&mut self, title: &str, unit: Unit) {
        let unit_name = match unit {
            Unit::Speed => "MB per CPU s",
            Unit::Time => "CPU ms (wall ms)",
        };
        self.pending = Some(format!(
            "\n{title}\n\n| work | mailglot, {unit_name} | others | ratio | goal | |\n|---|---:|---|---:|---:|---|"
        ));
        self.unit = unit;
    }

    /// Compares, measures and prints a row.
    pub(super) fn row(&mut self, mut row: Row) -> anyhow::Result<()> {
        eprintln!("{}: comparing", row.name);
        let differs = self.compare(&mut row)?;
        let runs: Vec<&Invocation> = std::iter::once(&row.ours)
            .chain(&row.rivals)
            .map(|entrant| &entrant.run)
            .collect();
        let costs = self.measure(&row.name, &runs, Cores::One)?;
        let mut cells: Vec<String> = row
            .rivals
            .iter()
            .zip(&costs[1..])
            .zip(&differs)
            .map(|((rival, cost), differs)| {
                let cell = self.cell(rival, *cost);
                let note = if *differs { " (differs)" } else { "" };
                format!("{} {cell}{note}", rival.name)
            })
            .collect();
        cells.append(&mut row.absent);
        let rivals: Vec<Rival> = row
            .rivals
            .iter()
            .zip(&costs[1..])
            .zip(&differs)
            .filter(|(_, differs)| !**differs)
            .map(|((rival, cost), _)| Rival {
                name: rival.name,
                rate: rival.bytes as f64 / cost.cpu,
            })
            .collect();
        let ours = row.ours.bytes as f64 / costs[0].cpu;
        let cell = self.cell(&row.ours, costs[0]);
        self.print(
            &row.name,
            &cell,
            &cells.join(", "),
            judge(ours, &rivals, row.goal, self.unit),
        );
        if self.unit == Unit::Time && row.goal.is_some() {
            self.wall_bar(&row.name, costs[0]);
        }
        Ok(())
    }

    /// Measures two ways of running the project's program by wall time, on all cores.
    pub(super) fn scaling(
        &mut self,
        name: &str,
        bytes: u64,
        ways: [&Invocation; 2],
        goal: f64,
    ) -> anyhow::Result<()> {
        let costs = self.measure(name, &ways, Cores::All)?;
        let rate = |cost: &Cost| bytes as f64 / 1e6 / cost.wall;
        let ratio = costs[0].wall / costs[1].wall;
        let verdict = Verdict {
            ratio: Some(ratio),
            goal: Some(format!("≥ {goal}")),
            held: ratio >= goal,
        };
        let cell = format!("{:.0} MB per s", rate(&costs[1]));
        let others = format!("one thread {:.0} MB per s", rate(&costs[0]));
        self.print(name, &cell, &others, verdict);
        Ok(())
    }

    /// Compares all outputs. Returns which rivals differ; a rival that fails is moved to those that are absent.
    fn compare(&mut self, row: &mut Row) -> anyhow::Result<Vec<bool>> {
        let ours = row.ours.output()?;
        let mut differs = Vec::new();
        let mut kept = Vec::new();
        for rival in std::mem::take(&mut row.rivals) {
            let Ok(theirs) = rival.output() else {
                row.absent.push(format!("{}: fails", rival.name));
                continue;
            };
            let likeness = row.check.compare(&ours, &theirs, rival.form)?;
            differs.push(matches!(likeness, Likeness::Differs(_)));
            if let Likeness::Share(share) | Likeness::Differs(share) = likeness {
                self.notes.push(format!(
                    "{}: {} gives {:.1} % alike",
                    row.name,
                    rival.name,
                    100.0 * share
                ));
            }
            kept.push(rival);
        }
        row.rivals = kept;
        Ok(differs)
    }

    /// Measures programs round by round; each round begins with another one.
    fn measure(
        &self,
        name: &str,
        programs: &[&Invocation],
        cores: Cores,
    ) -> anyhow::Result<Vec<Cost>> {
        let mut best = vec![Cost::WORST; programs.len()];
        for round in 0..self.runs as usize {
            eprintln!("{name}: round {} of {}", round + 1, self.runs);
            for turn in 0..programs.len() {
                let index = (turn + round) % programs.len();
                let cost = measure(&self.rivals, programs[index], cores)?;
                best[index] = best[index].best(cost);
            }
        }
        Ok(best)
    }

    fn cell(&self, entrant: &Entrant, cost: Cost) -> String {
        match self.unit {
            Unit::Speed => format!("{:.0}", entrant.bytes as f64 / 1e6 / cost.cpu),
            Unit::Time => format!("{:.2} ({:.2})", 1e3 * cost.cpu, 1e3 * cost.wall),
        }
    }

    fn print(&mut self, name: &str, ours: &str, others: &str, verdict: Verdict) {
        self.rows += 1;
        if let Some(heading) = self.pending.take() {
            println!("{heading}");
        }
        let ratio = verdict
            .ratio
            .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        let (goal, word) = match &verdict.goal {
            Some(goal) if verdict.held => (goal.as_str(), "held"),
            Some(goal) => (goal.as_str(), "MISSED"),
            None => ("–", ""),
        };
        println!("| {name} | {ours} | {others} | {ratio} | {goal} | {word} |");
        if let Some(goal) = verdict.goal {
            self.bars.push(Bar {
                what: name.to_owned(),
                measured: ratio,
                goal,
                held: verdict.held,
            });
        }
    }

    /// A process that decodes one header value must end within two milliseconds.
    fn wall_bar(&mut self, name: &str, cost: Cost) {
        self.bars.push(Bar {
            what: format!("{name}: wall time"),
            measured: format!("{:.2} ms", 1e3 * cost.wall),
            goal: "≤ 2 ms".to_owned(),
            held: cost.wall <= 0.002,
        });
    }
}

/// A rival that counts.
struct Rival {
    name: &'static str,
    rate: f64,
}

/// A ratio, and whether it reaches the goal.
struct Verdict {
    ratio: Option<f64>,
    goal: Option<String>,
    held: bool,
}

/// Compares a rate with the best of the rivals that the goal names, or of all. In a table of times, the ratio is that of the times, and the goal is the
/// most that it may be.
fn judge(ours: f64, rivals: &[Rival], goal: Option<Goal>, unit: Unit) -> Verdict {
    let counts = |rival: &&Rival| {
        goal.is_none_or(|goal| goal.against.is_empty() || goal.against.contains(&rival.name))
    };
    let best = rivals
        .iter()
        .filter(counts)
        .map(|rival| rival.rate)
        .reduce(f64::max);
    let ratio = best.map(|best| match unit {
        Unit::Speed => ours / best,
        Unit::Time => best / ours,
    });
    let holds = |goal: Goal, ratio: f64| match unit {
        Unit::Speed => ratio >= goal.ratio,
        Unit::Time => ratio <= goal.ratio,
    };
    let sign = match unit {
        Unit::Speed => '≥',
        Unit::Time => '≤',
    };
    Verdict {
        ratio,
        goal: goal.map(|goal| match goal.against {
            [] => format!("{sign} {}", goal.ratio),
            names => format!("{sign} {} × {}", goal.ratio, names.join(", ")),
        }),
        // Without a rival nothing is shown to be faster.
        held: goal
            .zip(ratio)
            .is_some_and(|(goal, ratio)| holds(goal, ratio)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIVALS: [Rival; 2] = [
        Rival {
            name: "iconv",
            rate: 50.0,
        },
        Rival {
            name: "Python",
            rate: 100.0,
        },
    ];

    #[test]
    fn goals_are_against_the_best_rival_that_they_name() {
        let held = |ratio, against, rivals: &[Rival]| {
            judge(150.0, rivals, Some(Goal { ratio, against }), Unit::Speed).held
        };
        assert!(held(1.5, &[], &RIVALS));
        assert!(!held(1.6, &[], &RIVALS));
        assert!(held(3.0, &["iconv"], &RIVALS));
        assert!(!held(1.0, &["ICU"], &RIVALS));
        assert!(!held(1.0, &[], &[]));
    }

    #[test]
    fn goals_of_time_are_upper_limits() {
        let goal = |ratio| Goal {
            ratio,
            against: &["iconv"],
        };
        assert!(judge(25.0, &RIVALS, Some(goal(2.0)), Unit::Time).held);
        assert!(!judge(24.0, &RIVALS, Some(goal(2.0)), Unit::Time).held);
    }
}
