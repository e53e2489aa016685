//! What a supervisor of services wants of a daemon: signals, readiness, signs of life.
//!
//! # Limits
//!
//! Everything here is optional but the signals: without a supervisor nobody is told.

use super::listeners::RunningListener;
use crate::output::Console;
use mailglot_gateway::descriptors;
use sd_notify::NotifyState;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// How often signals are looked for.
const PAUSE: Duration = Duration::from_millis(50);

/// How often the summary of a dry run is logged.
const DAY: Duration = Duration::from_hours(24);

/// A daemon as its supervisor sees it.
pub(super) struct Supervisor {
    signals: Signals,
    /// How often the supervisor wants a sign of life; half of the time that it waits.
    every: Option<Duration>,
}

impl Supervisor {
    /// Watches for signals from now on.
    pub(super) fn new() -> io::Result<Self> {
        let every = sd_notify::watchdog_enabled().map(|limit| limit / 2);
        Ok(Self {
            signals: Signals::new([SIGINT, SIGTERM, SIGHUP, SIGUSR1])?,
            every,
        })
    }

    /// Tells that the servers are ready, and goes on until a signal asks for the end or one of them ends; then all are stopped.
    ///
    /// SIGHUP calls `reload`; SIGUSR1, and a day that has gone by, call `summarize`.
    pub(super) fn run(
        mut self,
        servers: &[RunningListener],
        ended: impl Fn() -> bool,
        reload: impl Fn(),
        summarize: impl Fn(),
    ) {
        tell(&[NotifyState::Ready]);
        let beats = || {
            servers
                .iter()
                .map(RunningListener::beats)
                .collect::<Vec<_>>()
        };
        let (mut last, mut told) = (beats(), Instant::now());
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
                tell(&states);
                reload();
                tell(&[NotifyState::Ready]);
            }
            if self.every.is_some_and(|every| told.elapsed() >= every) {
                let now = beats();
                // A server whose threads stand still gets no sign of life.
                if now.iter().zip(&last).all(|(now, last)| now != last) {
                    tell(&[NotifyState::Watchdog]);
                }
                (last, told) = (now, Instant::now());
            }
            if summarized.elapsed() >= DAY {
                summarize();
                summarized = Instant::now();
            }
            thread::sleep(PAUSE);
        }
        tell(&[NotifyState::Stopping]);
        servers.iter().for_each(RunningListener::stop);
    }
}

/// Tells the supervisor, where there is one.
fn tell(states: &[NotifyState<'_>]) {
    // A daemon without a supervisor does its work all the same.
    let _ = sd_notify::notify(states);
}

/// The number of the user that this process works as.
pub(super) fn effective_user() -> u32 {
    mailglot_gateway::config::effective_user()
}

/// Has this process open as many descriptors as it may, and says where these are fewer than all connections that its limits allow could need.
pub(super) fn open_more(needed: u64, console: Console) {
    if let Some(most) = descriptors::raise().filter(|most| *most < needed) {
        console.say(format_args!(
            "note: this process may open {most} files, and the connections that its limits allow may need {needed}: \
             those beyond are deferred (LimitNOFILE= of systemd, ulimit -Hn, or `connections` under [limits])"
        ));
    }
}

/// What the server must be told, or mail gets lost.
pub(super) fn warn(console: Console) {
    console.say(
        "note: with milter_default_action = accept (or quarantine) Postfix loses or leaks mail when this filter ends; \
         set it to tempfail, and check with `{ postconf -x; postconf -Fx; postconf -Px; } | mailglot check-mta`",
    );
}
