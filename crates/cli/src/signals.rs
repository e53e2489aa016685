//! Signals that ask for the end: the job stops before its next batch, removes what it wrote, and the exit code is 130. And the one that
//! a file too large for its limit brings, which must not end anything.
//!
//! # Limits
//!
//! A job that does not stop by itself, because it waits for its input, is ended after a moment or by a second signal; its
//! temporary files are removed then too. `filter` is not watched: the mail system that sends it a signal keeps the mail.

use crate::exit::Exit;
use mailglot_archive::replace;
use mailglot_pipeline::Progress;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::panic;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A job that was asked to stop has so long to do so.
const GRACE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

/// The job that is running, where one is that can stop by itself.
static JOB: Mutex<Option<Arc<Progress>>> = Mutex::new(None);

/// True once a signal ends the program. Jobs then fail, since their processes and temporary files are gone.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Watches for signals from now on. Where the system does not let us, they end the program as they always do.
pub(crate) fn watch() {
    if let Ok(signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
        // A thread that cannot be made leaves the default, an end at once.
        let _ = thread::Builder::new()
            .name("signals".into())
            .spawn(move || wait(signals));
    }
}

/// Ends the program at a signal from now on. Unlike [`watch`], this needs no thread, which takes longer to start than decoding a header
/// value or converting a small file. For commands that write no files and start no processes.
pub(crate) fn end_at_signals() {
    let is_armed = Arc::new(AtomicBool::new(true));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Where the system does not let us, it ends the program as it always does.
        let _ = flag::register_conditional_shutdown(
            signal,
            Exit::Interrupted as i32,
            Arc::clone(&is_armed),
        );
    }
}

/// A write beyond the largest file that is allowed (`ulimit -f`, or what a file system takes) fails with its words from now on, as it does
/// when the disk is full; by itself the signal that comes with it would kill the program, and temporary files would stay behind.
///
/// It is caught, not ignored: what is ignored stays so in programs that are started from here.
pub(crate) fn survive_large_files() {
    // Where the system does not let us, it ends the program as it always does.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Runs a job that ends early when a signal comes.
pub(crate) fn stoppable<T>(job: impl FnOnce(&Progress) -> T) -> T {
    let progress = Arc::new(Progress::default());
    set(Some(Arc::clone(&progress)));
    let result = job(&progress);
    set(None);
    result
}

/// Waits for the end of the program if a signal is ending it. Called before an error is printed, which the signal may have caused.
pub(crate) fn wait_for_end() {
    while IS_ENDING.load(SeqCst) {
        thread::park();
    }
}

fn set(job: Option<Arc<Progress>>) {
    *JOB.lock().unwrap_or_else(PoisonError::into_inner) = job;
}

fn wait(mut signals: Signals) {
    if signals.forever().next().is_none() {
        return;
    }
    let job = JOB.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(job) = job {
        job.interrupt.store(true, Relaxed);
        let asked = Instant::now();
        while asked.elapsed() < GRACE && signals.pending().next().is_none() {
            thread::sleep(PAUSE);
        }
    }
    IS_ENDING.store(true, SeqCst);
    // The program ends even if this panics.
    let _ = panic::catch_unwind(replace::abandon);
    std::process::exit(Exit::Interrupted as i32);
}
