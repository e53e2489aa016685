//! Counts checks of the laws, and describes failures.

/// Number of failures kept with their description.
const KEPT: usize = 40;

/// Counts of checks and failures.
#[derive(Clone, Debug, Default)]
pub struct LawResults {
    /// Number of mutants with damage of any kind.
    pub mutants: u64,
    /// Number of mutants whose text mixes line ends.
    pub line_ends: u64,
    /// Checks by law number.
    pub checks: [u64; 12],
    /// Failures by law number. A panic counts under 0.
    pub failures: [u64; 12],
    /// Descriptions of the first failures.
    pub kept: Vec<String>,
}

impl LawResults {
    /// Counts one check of a law. `fault` describes the failure, if any.
    pub(super) fn check(&mut self, law: usize, fault: Option<String>) {
        self.checks[law] += 1;
        if let Some(fault) = fault {
            self.fail(law, &fault);
        }
    }

    pub(super) fn fail(&mut self, law: usize, fault: &str) {
        self.failures[law] += 1;
        if self.kept.len() < KEPT {
            let what = if law == 0 {
                "panic".to_owned()
            } else {
                format!("law {law}")
            };
            self.kept.push(format!("{what}: {fault}"));
        }
    }

    pub(super) fn add(&mut self, other: Self, context: &str) {
        self.mutants += other.mutants;
        self.line_ends += other.line_ends;
        for law in 0..self.checks.len() {
            self.checks[law] += other.checks[law];
            self.failures[law] += other.failures[law];
        }
        let room = KEPT.saturating_sub(self.kept.len());
        self.kept.extend(
            other
                .kept
                .into_iter()
                .take(room)
                .map(|fault| format!("{context}: {fault}")),
        );
    }

    /// Returns true if nothing failed.
    pub fn held(&self) -> bool {
        self.failures.iter().all(|count| *count == 0)
    }
}
