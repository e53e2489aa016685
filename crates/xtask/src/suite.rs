//! The whole test set in one command.

use crate::packages;
use crate::run::{self, build_release, cargo, root};
use anyhow::bail;
use std::path::Path;
use std::process::Command;

/// Runs every test of the workspace, the doc tests and the laws; ends with the test runner's closing line.
///
/// The program under test is built in release mode first, and named to the tests by `MAILGLOT_BIN`; `MAILGLOT_XTASK` names this program.
pub(crate) fn test() -> anyhow::Result<()> {
    packages::for_tests()?;
    let programs = build_release()?;
    let binary = programs.join("mailglot");
    let own = std::env::current_exe()?;
    let nextest = Command::new("cargo")
        .args(["nextest", "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    let mut closing = Closing::default();
    let well = if nextest {
        let mut command = cargo();
        command
            .args(["nextest", "run", "--workspace", "--no-fail-fast"])
            .env("MAILGLOT_BIN", &binary)
            .env("MAILGLOT_XTASK", &own);
        let tests = run::watched(&mut command, |line| closing.see(line))?;
        let mut command = cargo();
        command.args(["test", "--workspace", "--doc", "--no-fail-fast"]);
        run::watched(&mut command, |line| closing.see(line))? && tests
    } else {
        let mut command = cargo();
        command
            .args(["test", "--workspace", "--no-fail-fast"])
            .env("MAILGLOT_BIN", &binary)
            .env("MAILGLOT_XTASK", &own);
        run::watched(&mut command, |line| closing.see(line))?
    };
    let laws = check_laws(&programs, 20_000, 1);
    if let Err(error) = &laws {
        println!("laws: {error:#}");
    }
    println!("{}", closing.line());
    if !well || laws.is_err() {
        bail!("the test set failed");
    }
    Ok(())
}

/// Checks the laws over this many mutants, in release mode.
pub(crate) fn laws(mutants: u64, seed: u64) -> anyhow::Result<()> {
    check_laws(&build_release()?, mutants, seed)
}

fn check_laws(programs: &Path, mutants: u64, seed: u64) -> anyhow::Result<()> {
    let (mutants, seed) = (mutants.to_string(), seed.to_string());
    let arguments = ["--mutants", &mutants, "--seed", &seed];
    run::checked(
        Command::new(programs.join("mailglot-laws"))
            .current_dir(root())
            .args(arguments),
    )
}

/// Remembers what the runners said at their end.
#[derive(Default)]
struct Closing {
    summary: Option<String>,
    passed: u64,
    failed: u64,
}

impl Closing {
    fn see(&mut self, line: &str) {
        println!("{line}");
        let trimmed = line.trim_start();
        if trimmed.starts_with("Summary [") {
            self.summary = Some(trimmed.to_owned());
        } else if let Some(counts) = trimmed.strip_prefix("test result: ") {
            for count in counts.split(['.', ';']) {
                let mut words = count.split_whitespace();
                if let (Some(Ok(number)), Some(what)) =
                    (words.next().map(str::parse::<u64>), words.next())
                {
                    match what {
                        "passed" => self.passed += number,
                        "failed" => self.failed += number,
                        _ => {}
                    }
                }
            }
        }
    }

    /// nextest's summary where it ran (its count leaves out the doc tests), else the sum of all results.
    fn line(&self) -> String {
        self.summary
            .clone()
            .unwrap_or_else(|| format!("{} passed, {} failed", self.passed, self.failed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_summed() {
        let mut closing = Closing::default();
        closing.see("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
        closing.see("test result: FAILED. 3 passed; 2 failed; 1 ignored");
        assert_eq!(closing.line(), "15 passed, 2 failed");
    }

    #[test]
    fn a_summary_wins() {
        let mut closing = Closing::default();
        closing.see("     Summary [   1.2s] 7 tests run: 7 passed, 0 skipped");
        closing.see("test result: ok. 1 passed; 0 failed");
        assert_eq!(
            closing.line(),
            "Summary [   1.2s] 7 tests run: 7 passed, 0 skipped"
        );
    }
}
