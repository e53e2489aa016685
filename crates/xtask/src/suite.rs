//! The whole test set in one command.

use crate::packages;
use crate::run::{self, build_for_laws, cargo, root, target};
use anyhow::bail;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// Test binaries of `mailglot-tests` that `--fast` leaves out. They start a mail server or other programs of Debian, build packages, or repeat
/// on more mail what faster tests check.
const SLOW: &[&str] = &[
    "check_mta",
    "laws",
    "milter",
    "milter_memory",
    "postfix",
    "postfix_japanese",
    "postfix_proxy",
    "readers",
    "setup_page",
    "signed",
];

/// Tests of other binaries that `--fast` leaves out, by the end of their names: loops of kills, long ranges of inputs, and a
/// mail server.
const SLOW_TESTS: &[&str] = &[
    "a_killed_job_is_resumed",
    "a_killed_job_is_resumed_inside_a_folder",
    "a_server_starts_when_its_port_becomes_free",
    "every_character_comes_back_or_is_recorded",
    "every_shared_message_comes_back_alone",
    "killed_at_any_moment_the_output_is_whole_or_absent",
    "real_messages_that_were_cut_off_swallow_no_other",
];

/// Runs the tests of the workspace and the doc tests, and prints the summary last.
///
/// Builds everything in debug mode, so that overflows are found. The full set checks the laws on 20,000 mutants. The fast set leaves out [`SLOW`],
/// [`SLOW_TESTS`] and the laws, and installs nothing. `MAILGLOT_BIN` names the program to the tests, `MAILGLOT_XTASK` this program. Without `MAILGLOT_SHARED`
/// the tests that need the shared material are skipped, and the summary names them.
pub(crate) fn test(fast: bool) -> anyhow::Result<()> {
    if fast {
        packages::for_fast_tests()?;
    } else {
        packages::for_tests()?;
    }
    let programs = build_debug()?;
    let mut closing = RunnerSummary::default();
    let passed = run_tests(fast, &programs, &mut closing)?;
    let laws = if fast {
        Ok(())
    } else {
        check_laws(&programs, 20_000, 1)
    };
    if let Err(error) = &laws {
        println!("laws: {error:#}");
    }
    for line in closing.skip_report() {
        println!("{line}");
    }
    println!("{}", closing.line());
    if !passed || laws.is_err() {
        bail!("the test set failed");
    }
    Ok(())
}

/// Examples that tests run (`tests/examples.rs` of codec and mime).
const RUN_EXAMPLES: [&str; 5] = [
    "decode_charset",
    "decode_header",
    "detect_charset",
    "normalize_message",
    "read_message",
];

/// Runs the test binaries and the doc tests. Returns whether all passed.
fn run_tests(fast: bool, programs: &Path, closing: &mut RunnerSummary) -> anyhow::Result<bool> {
    let with_programs = |command: &mut Command| -> anyhow::Result<()> {
        command
            .env("MAILGLOT_BIN", programs.join("mailglot"))
            .env("MAILGLOT_XTASK", env::current_exe()?);
        Ok(())
    };
    if !has_nextest() {
        if fast {
            bail!("--fast needs cargo-nextest (https://nexte.st)");
        }
        println!("cargo-nextest is not installed: skipped tests count as passed");
        let mut command = cargo();
        command.args(["test", "--workspace", "--no-fail-fast"]);
        with_programs(&mut command)?;
        return run::watched(&mut command, |line| closing.see(line));
    }
    let mut command = cargo();
    command.args(["build", "--quiet", "--workspace"]);
    command.args(RUN_EXAMPLES.iter().flat_map(|name| ["--example", name]));
    run::checked(&mut command)?;
    let mut command = cargo();
    // Without the other examples, which clippy compiles.
    command.args(["nextest", "run", "--workspace", "--tests"]);
    if env::var_os("MAILGLOT_SHARED").is_none() {
        command.args(["--profile", "without-shared"]);
    }
    if fast {
        // Many tests wait for clients and clocks.
        let threads = 2 * thread::available_parallelism()?.get();
        command.args(["--filterset", &fast_filter()]);
        command.args(["--test-threads", &threads.to_string()]);
    }
    with_programs(&mut command)?;
    let tests = run::watched(&mut command, |line| closing.see(line))?;
    let mut command = cargo();
    command.args(["test", "--workspace", "--doc", "--no-fail-fast"]);
    Ok(run::watched(&mut command, |line| closing.see(line))? && tests)
}

fn has_nextest() -> bool {
    run::succeeds(Command::new("cargo").args(["nextest", "--version"]))
}

/// The filter of nextest for the fast set.
fn fast_filter() -> String {
    let slow: Vec<String> = SLOW.iter().map(|name| format!("binary(={name})")).collect();
    format!(
        "not (package(mailglot-tests) & ({})) & not test(/(^|::)({})$/)",
        slow.join(" + "),
        SLOW_TESTS.join("|")
    )
}

/// Builds programs and tests in debug mode, with the features with which the tests are run, and returns the folder of the programs.
fn build_debug() -> anyhow::Result<PathBuf> {
    run::checked(cargo().args(["build", "--quiet", "--workspace", "--tests"]))?;
    Ok(target()?.join("debug"))
}

/// Checks the laws over this many mutants, in release mode.
pub(crate) fn laws(mutants: u64, seed: u64) -> anyhow::Result<()> {
    check_laws(&build_for_laws()?, mutants, seed)
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
struct RunnerSummary {
    summary: Option<String>,
    passed: u64,
    failed: u64,
    /// Names of skipped tests, each as `PACKAGE::BINARY TEST`.
    skipped: Vec<String>,
}

impl RunnerSummary {
    fn see(&mut self, line: &str) {
        println!("{line}");
        let trimmed = line.trim_start();
        if trimmed.starts_with("Summary [") {
            self.summary = Some(trimmed.to_owned());
        } else if let Some(name) = skipped(trimmed) {
            self.skipped.push(name.to_owned());
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

    /// Says for each reason which tests were skipped.
    fn skip_report(&self) -> Vec<String> {
        let (slow, shared): (Vec<&String>, Vec<&String>) =
            self.skipped.iter().partition(|name| is_slow(name));
        let reasons = [
            (slow, "--fast was given; run `cargo xtask test`"),
            (shared, "MAILGLOT_SHARED is not set"),
        ];
        let mut lines = Vec::new();
        for (names, reason) in reasons.iter().filter(|(names, _)| !names.is_empty()) {
            lines.push(format!("{} tests skipped, {reason}:", names.len()));
            lines.extend(names.iter().map(|name| format!("    {name}")));
        }
        lines
    }

    /// nextest's summary where it ran (its count leaves out the doc tests), else the sum of all results.
    fn line(&self) -> String {
        self.summary
            .clone()
            .unwrap_or_else(|| format!("{} passed, {} failed", self.passed, self.failed))
    }
}

/// The name in nextest's line about a skipped test: `SKIP [         ] (─────) PACKAGE::BINARY TEST`.
fn skipped(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("SKIP [")?.split_once("] ")?;
    Some(rest.split_once(") ").map_or(rest, |(_, name)| name))
}

/// Returns true if `--fast` leaves out the test, given as `PACKAGE::BINARY TEST`.
fn is_slow(name: &str) -> bool {
    let (binary, test) = name.split_once(' ').unwrap_or_default();
    let binary = binary.strip_prefix("mailglot-tests::");
    binary.is_some_and(|binary| SLOW.contains(&binary))
        || SLOW_TESTS.iter().any(|end| test.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_tests_are_named_by_reason() {
        let mut closing = RunnerSummary::default();
        closing.see("     Summary [   1.2s] 7 tests run: 7 passed, 2 skipped");
        closing.see("        SKIP [         ] (─────) mailglot-tests::postfix mail_is_rewritten");
        closing.see("        SKIP [         ] (─────) mailglot-codec::golden labels");
        assert_eq!(
            closing.skip_report(),
            [
                "1 tests skipped, --fast was given; run `cargo xtask test`:",
                "    mailglot-tests::postfix mail_is_rewritten",
                "1 tests skipped, MAILGLOT_SHARED is not set:",
                "    mailglot-codec::golden labels",
            ]
        );
    }

    #[test]
    fn slow_binaries_exist() {
        for name in SLOW {
            let one_file = root().join(format!("tests/tests/{name}.rs"));
            let folder = root().join(format!("tests/tests/{name}/main.rs"));
            assert!(one_file.is_file() || folder.is_file(), "{name}");
        }
    }

    #[test]
    fn results_are_summed() {
        let mut closing = RunnerSummary::default();
        closing.see("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
        closing.see("test result: FAILED. 3 passed; 2 failed; 1 ignored");
        assert_eq!(closing.line(), "15 passed, 2 failed");
    }

    #[test]
    fn a_summary_wins() {
        let mut closing = RunnerSummary::default();
        closing.see("     Summary [   1.2s] 7 tests run: 7 passed, 0 skipped");
        closing.see("test result: ok. 1 passed; 0 failed");
        assert_eq!(
            closing.line(),
            "Summary [   1.2s] 7 tests run: 7 passed, 0 skipped"
        );
    }
}
