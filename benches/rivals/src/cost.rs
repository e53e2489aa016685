//! What a process costs from start to exit: processor time in microseconds, wall time, peak memory.
//!
//! `cost [--pin] [--least MICROSECONDS] [--stdin FILE] [--remove FILE]... -- PROGRAM [ARGUMENT]...` repeats the program until all its
//! runs together used the least processor time. It prints one line: number of runs, processor time and wall time of all of them
//! in microseconds, and the largest resident set in KiB.
//!
//! # Limits
//! Standard output and standard error of the program go to `/dev/null`. The kernel counts time after `execve` only in part, so a few tens
//! of microseconds of each start belong to the starter. The resident set is at least that of this program.

use std::fs::{self, File};
use std::io;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

unsafe extern "C" {
    safe fn rival_pin() -> i32;
    safe fn rival_wait(child: i32, cpu: &mut u64, peak: &mut u64) -> i32;
}

/// Most runs of one program.
const MOST_RUNS: u32 = 2_000;

/// Runs the program that the arguments name, and prints what it cost.
pub fn cost(arguments: &[&str]) -> ExitCode {
    let Some(task) = Task::parse(arguments) else {
        eprintln!(
            "usage: cost [--pin] [--least MICROSECONDS] [--stdin FILE] [--remove FILE]... -- PROGRAM [ARGUMENT]..."
        );
        return ExitCode::from(2);
    };
    match task.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", task.command.join(" "));
            ExitCode::from(2)
        }
    }
}

#[derive(Default)]
struct Task<'a> {
    pin: bool,
    least: u64,
    stdin: Option<&'a str>,
    remove: Vec<&'a str>,
    command: Vec<&'a str>,
}

impl<'a> Task<'a> {
    fn parse(arguments: &[&'a str]) -> Option<Self> {
        let mut task = Self::default();
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            match *name {
                "--pin" => task.pin = true,
                "--least" => task.least = rest.next()?.parse().ok()?,
                "--stdin" => task.stdin = Some(rest.next()?),
                "--remove" => task.remove.push(rest.next()?),
                "--" => break,
                _ => return None,
            }
        }
        task.command = rest.copied().collect();
        (!task.command.is_empty()).then_some(task)
    }

    fn run(&self) -> io::Result<()> {
        if self.pin && rival_pin() != 0 {
            return Err(io::Error::other("cannot be restricted to one processor"));
        }
        let (mut runs, mut cpu, mut wall, mut peak) = (0, 0, 0, 0);
        while runs == 0 || (cpu < self.least && runs < MOST_RUNS) {
            self.clean()?;
            let stdin = self.stdin.map_or(Ok(Stdio::null()), |path| File::open(path).map(Stdio::from))?;
            let mut command = Command::new(self.command[0]);
            command.args(&self.command[1..]).stdin(stdin).stdout(Stdio::null()).stderr(Stdio::null());
            let start = Instant::now();
            let child = command.spawn()?;
            let id = i32::try_from(child.id()).map_err(io::Error::other)?;
            match rival_wait(id, &mut cpu, &mut peak) {
                0 => {}
                code => return Err(io::Error::other(format!("exit code {code}"))),
            }
            wall += start.elapsed().as_micros();
            runs += 1;
        }
        self.clean()?;
        println!("{runs} {cpu} {wall} {peak}");
        Ok(())
    }

    /// Removes what an earlier run wrote.
    fn clean(&self) -> io::Result<()> {
        for path in &self.remove {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_behind_the_dashes_belong_to_the_program() {
        let task = Task::parse(&["--pin", "--least", "5", "--", "sh", "--pin"]).unwrap();
        assert!(task.pin && task.least == 5 && task.command == ["sh", "--pin"]);
        assert!(Task::parse(&["--pin"]).is_none());
        assert!(Task::parse(&["--other", "--", "sh"]).is_none());
    }

    #[test]
    fn a_failing_program_is_an_error() {
        assert!(Task::parse(&["--", "sh", "-c", "exit 3"]).unwrap().run().is_err());
        assert!(Task::parse(&["--", "sh", "-c", "exit 0"]).unwrap().run().is_ok());
    }
}
