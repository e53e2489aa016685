//! Handles signals. SIGINT, SIGTERM and SIGHUP stop a job before its next batch; it removes its temporary files, and the exit code is 130.
//! SIGXFSZ does not end the program.
//!
//! # Limits
//!
//! A job that waits for input is ended after [`GRACE`], or by a second signal. Its temporary files are removed then, too, which may take
//! longer. `filter` does not handle signals: the mail server that kills it keeps the message.

use crate::exit::Exit;
use mailglot_archive::replace;
use mailglot_pipeline::Progress;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::io::{self, Write};
use std::panic;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a job may take to stop after a signal.
const GRACE: Duration = Duration::from_secs(2);
/// Interval of the checks for a second signal.
const PAUSE: Duration = Duration::from_millis(20);

/// The running job, if it can stop by itself.
static JOB: Mutex<Option<Arc<Progress>>> = Mutex::new(None);

/// True if a signal ends the program now. Jobs then fail, because their child processes and temporary files are removed.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// True after the first error that was printed.
static HAS_ERROR: AtomicBool = AtomicBool::new(false);

/// Handles signals in a thread from now on. If that fails, signals end the program without cleanup.
pub(crate) fn watch() {
    if let Ok(signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
        // Without the thread, signals end the program at once.
        let _ = thread::Builder::new()
            .name("signals".into())
            .spawn(move || wait(signals));
    }
}

/// Ends the program at a signal from now on, without cleanup. For commands that write no files and start no processes.
///
/// Unlike [`watch`], this needs no thread. Starting one takes longer than decoding a header value or converting a small file.
pub(crate) fn end_at_signals() {
    let is_armed = Arc::new(AtomicBool::new(true));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // If this fails, the signal ends the program without exit code 130.
        let _ = flag::register_conditional_shutdown(
            signal,
            Exit::Interrupted as i32,
            Arc::clone(&is_armed),
        );
    }
}

/// Makes writes beyond the file size limit (`ulimit -f`) fail with an error instead of SIGXFSZ.
///
/// SIGXFSZ would kill the program, and temporary files would stay behind. This catches the signal instead of ignoring it, because child
/// processes inherit ignored signals.
pub(crate) fn survive_large_files() {
    // If this fails, SIGXFSZ ends the program.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Runs a job that stops early at a signal.
pub(crate) fn stoppable<T>(job: impl FnOnce(&Progress) -> T) -> T {
    let progress = Arc::new(Progress::default());
    set(Some(Arc::clone(&progress)));
    let result = job(&progress);
    set(None);
    result
}

/// Blocks forever if a signal ends the program now. Callers use it before they print an error that the signal may have caused.
pub(crate) fn wait_for_end() {
    while IS_ENDING.load(SeqCst) {
        thread::park();
    }
}

/// Says that an error is printed, so that none about the signal follows.
pub(crate) fn note_error() {
    HAS_ERROR.store(true, SeqCst);
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
    if !HAS_ERROR.load(SeqCst) {
        // If standard error is closed, nobody can read the error.
        let _ = io::stderr().write_all(b"mailglot: interrupted\n");
    }
    std::process::exit(Exit::Interrupted as i32);
}
