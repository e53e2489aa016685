//! The progress bar: on standard error, only on a terminal, only when the work is long.
//!
//! # Limits
//!
//! The bar reads the counters of the job and nothing else.

use crate::output::{Console, Level, counted};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mailglot_pipeline::Progress;
use std::io::{self, IsTerminal};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const LONG: Duration = Duration::from_secs(2);
/// Interval between two reads of the counters.
const PAUSE: Duration = Duration::from_millis(100);

// `wide_msg` cuts the message to the width of the terminal.
const KNOWN: &str = "{bar:24} {decimal_bytes}/{decimal_total_bytes}  {decimal_bytes_per_sec}  {eta} left  {wide_msg}";
const UNKNOWN: &str = "{spinner} {decimal_bytes}  {decimal_bytes_per_sec}  {wide_msg}";

/// Runs a job, with a bar if standard error is a terminal. The thread of the bar ends before this returns.
pub(crate) fn watched<T>(console: Console, progress: &Progress, job: impl FnOnce() -> T) -> T {
    if console.level() == Level::Quiet || !io::stderr().is_terminal() {
        return job();
    }
    thread::scope(|scope| {
        // The sender is dropped when the job returns or panics; that ends the watcher.
        let (end, ended) = mpsc::channel::<()>();
        // Without a thread there is no bar.
        let _ = Builder::new().spawn_scoped(scope, move || watch(progress, &ended));
        let result = job();
        drop(end);
        result
    })
}

fn watch(progress: &Progress, ended: &Receiver<()>) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let start = Instant::now();
    let mut shown = false;
    while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
        let total = progress.total.load(Relaxed);
        bar.set_position(progress.bytes.load(Relaxed));
        if total > 0 {
            bar.set_length(total);
        }
        bar.set_message(words(progress));
        if !shown && start.elapsed() >= LONG {
            shown = true;
            let template = if total > 0 { KNOWN } else { UNKNOWN };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
    bar.finish_and_clear();
}

/// `1,234 messages, 5 repairs, 0 losses`
fn words(progress: &Progress) -> String {
    format!(
        "{}, {}, {}",
        counted(progress.messages.load(Relaxed), "message"),
        counted(progress.repairs.load(Relaxed), "repair"),
        counted(progress.losses.load(Relaxed), "loss"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count() {
        let progress = Progress::default();
        progress.messages.store(1234, Relaxed);
        progress.repairs.store(1, Relaxed);
        assert_eq!(words(&progress), "1,234 messages, 1 repair, 0 losses");
    }

    #[test]
    fn the_watcher_ends_with_the_job() {
        let progress = Progress::default();
        let start = Instant::now();
        thread::scope(|scope| {
            let (end, ended) = mpsc::channel::<()>();
            let watcher = scope.spawn(|| watch(&progress, &{ ended }));
            drop(end);
            watcher.join().unwrap();
        });
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn templates_are_valid() {
        for template in [KNOWN, UNKNOWN] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }
}
