//! Handles the signals of a daemon, and notifies systemd: readiness, reloads, watchdog keep-alives.
//!
//! # Limits
//!
//! Without systemd (`NOTIFY_SOCKET`), only the signals are handled.

use super::listeners::RunningListener;
use crate::output::Console;
use mailglot_gateway::descriptors;
use sd_notify::NotifyState;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// Interval of the checks for signals.
const PAUSE: Duration = Duration::from_millis(50);

/// Interval of the summaries of a dry run.
const DAY: Duration = Duration::from_hours(24);

/// Waits for signals, and notifies systemd.
pub(super) struct Supervisor {
    signals: Signals,
    /// Interval of watchdog keep-alives: half of systemd's timeout. `None` without a watchdog.
    every: Option<Duration>,
}

impl Supervisor {
    /// Handles signals from now on.
    pub(super) fn new() -> io::Result<Self> {
        let every = sd_notify::watchdog_enabled().map(|limit| limit / 2);
        Ok(Self {
            signals: Signals::new([SIGINT, SIGTERM, SIGHUP, SIGUSR1])?,
            every,
        })
    }

    /// Notifies systemd that the servers are ready. Returns after SIGINT or SIGTERM, or if `ended` returns true, and stops all servers.
    ///
    /// SIGHUP calls `reload`. SIGUSR1 calls `summarize`, and so does the end of each day.
    pub(super) fn run(
        mut self,
        servers: &[RunningListener],
        ended: impl Fn() -> bool,
        reload: impl Fn(),
        summarize: impl Fn(),
    ) {
        notify(&[NotifyState::Ready]);
        let beats = || {
            servers
                .iter()
                .map(RunningListener::beats)
                .collect::<Vec<_>>()
        };
        let (mut last, mut notified) = (beats(), Instant::now());
        let mut summarized = Instant::now();
        'all: while !ended() {
            for signal in self.signals.pending() {
                if signal == SIGUSR1 {
                    summarize();
                    continue;
                }
                if signal != SIGHUP {
                    break 'all;
                }
                let mut states = vec![NotifyState::Reloading];
                states.extend(NotifyState::monotonic_usec_now());
                notify(&states);
                reload();
                notify(&[NotifyState::Ready]);
            }
            if self.every.is_some_and(|every| notified.elapsed() >= every) {
                let now = beats();
                // If the threads of a server make no progress, systemd gets no keep-alive, and restarts the daemon.
                if now.iter().zip(&last).all(|(now, last)| now != last) {
                    notify(&[NotifyState::Watchdog]);
                }
                (last, notified) = (now, Instant::now());
            }
            if summarized.elapsed() >= DAY {
                summarize();
                summarized = Instant::now();
            }
            thread::sleep(PAUSE);
        }
        notify(&[NotifyState::Stopping]);
        servers.iter().for_each(RunningListener::stop);
    }
}

/// Notifies systemd, if it started the daemon.
fn notify(states: &[NotifyState<'_>]) {
    // A daemon also works without systemd.
    let _ = sd_notify::notify(states);
}

/// Returns the effective user id of this process.
pub(super) fn effective_user() -> u32 {
    mailglot_gateway::config::effective_user()
}

/// Raises the limit of open files. Prints a note if all allowed connections need more.
pub(super) fn open_more(needed: u64, console: Console) {
    if let Some(most) = descriptors::raise().filter(|most| *most < needed) {
        console.say(format_args!(
            "note: this process may open {most} files, and the connections that its limits allow may need {needed}: \
             those beyond are deferred (LimitNOFILE= of systemd, ulimit -Hn, or `connections` under [limits])"
        ));
    }
}

/// Prints a note about the setting of Postfix that would lose mail.
pub(super) fn warn(console: Console) {
    console.say(
        "note: with milter_default_action = accept (or quarantine) Postfix loses or leaks mail when this filter ends; \
         set it to tempfail, and check with `{ postconf -x; postconf -Fx; postconf -Px; } | mailglot check-mta`",
    );
}
