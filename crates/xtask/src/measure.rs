//! What a program costs: processor time, wall time, peak memory.
//!
//! # Limits
//!
//! Figures come from `/proc`, so they exist on Linux only. Processor time has the resolution of the kernel's clock tick
//! (10 ms). Peak memory is sampled every 2 ms, and the kernel's own high-water mark is read, not the momentary size.

use anyhow::{Context, bail};
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Ticks a second of `/proc/PID/stat`, the same on every Linux (`USER_HZ`).
const TICKS: f64 = 100.0;

/// What one run cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Seconds of processor time, user and system, of all threads.
    pub(crate) cpu: f64,
    /// Seconds from start to end.
    pub(crate) wall: f64,
    /// Largest resident set in bytes.
    pub(crate) peak: u64,
}

impl Usage {
    /// The start value of [`Self::best`]: the better one of this and a run is the run.
    pub(crate) const WORST: Self = Self {
        cpu: f64::INFINITY,
        wall: f64::INFINITY,
        peak: 0,
    };

    /// The better of two runs, figure by figure (the larger peak is kept: it is a bound).
    pub(crate) fn best(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.min(other.cpu),
            wall: self.wall.min(other.wall),
            peak: self.peak.max(other.peak),
        }
    }
}

/// Runs a program to its end with stdout and stderr closed off; an exit code other than 0 is an error.
pub(crate) fn measure(command: &mut Command) -> anyhow::Result<Usage> {
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {name}"))?;
    let process = format!("/proc/{}", child.id());
    let mut peak = 0;
    // An ended child stays readable as a zombie until it is waited for; only then are its times final.
    let (cpu, wall) = loop {
        let stat = fs::read_to_string(format!("{process}/stat"))
            .context("processor times are read from /proc, which is not here")?;
        let (state, ticks) = times(&stat).context("unreadable /proc/PID/stat")?;
        if matches!(state, 'Z' | 'X') {
            break (ticks as f64 / TICKS, start.elapsed().as_secs_f64());
        }
        if let Ok(status) = fs::read_to_string(format!("{process}/status")) {
            peak = peak.max(high_water(&status));
        }
        thread::sleep(Duration::from_millis(2));
    };
    let status = child.wait()?;
    if !status.success() {
        bail!("{name}: {status}");
    }
    Ok(Usage { cpu, wall, peak })
}

/// State, and user plus system ticks, of a line of `/proc/PID/stat` (proc(5): fields 3, 14 and 15).
fn times(stat: &str) -> Option<(char, u64)> {
    // The second field is the program's name in parentheses and may hold anything.
    let fields = stat
        .get(stat.rfind(')')? + 1..)?
        .split_whitespace()
        .collect::<Vec<_>>();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some((fields.first()?.chars().next()?, ticks))
}

/// `VmHWM` of `/proc/PID/status` in bytes; 0 where it is not there.
fn high_water(status: &str) -> u64 {
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_read_behind_any_name() {
        let stat = "7 (a ) b) Z 1 1 1 0 -1 4 1 2 3 4 250 50 0 0 20 0 1 0";
        assert_eq!(times(stat), Some(('Z', 300)));
    }

    #[test]
    fn high_water_is_in_bytes() {
        assert_eq!(high_water("Name:\tx\nVmHWM:\t    2048 kB\n"), 2048 * 1024);
        assert_eq!(high_water("Name:\tx\n"), 0);
    }

    #[test]
    fn a_failing_program_is_an_error() {
        assert!(measure(Command::new("sh").args(["-c", "exit 3"])).is_err());
        assert!(measure(Command::new("sh").args(["-c", "exit 0"])).is_ok());
    }
}
