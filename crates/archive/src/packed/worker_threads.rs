//! Runs jobs on threads of their own, and hands back what they return.
//!
//! # Limits
//! When the threads are dropped, jobs that have not begun are left out. Those that have are awaited: a long job looks at its flag.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Returns decompressed bytes, or `None` if it fails. Gets a flag that is set when nobody waits for them any more.
type Job = Box<dyn FnOnce(&AtomicBool) -> Option<Vec<u8>> + Send>;
type QueuedJob = (Job, SyncSender<Option<Vec<u8>>>);

/// Threads that start when they are first needed, and run jobs in the order in which they are given. They end when this is dropped.
pub(super) struct WorkerThreads {
    /// Number of threads to start. 0 after [`Self::stop`].
    count: usize,
    running: Option<RunningThreads>,
}

impl WorkerThreads {
    /// Allows `count` threads. Starts none yet.
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            running: None,
        }
    }

    /// Returns the number of threads that are allowed, 0 if they were stopped.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Starts the threads unless they run. Returns false if they were stopped, or if the system allows none.
    pub(super) fn start(&mut self) -> bool {
        if self.count > 0 && self.running.is_none() {
            self.running = RunningThreads::start(self.count);
            if self.running.is_none() {
                self.stop();
            }
        }
        self.running.is_some()
    }

    /// Queues a job. Returns `None` if no thread runs.
    pub(super) fn submit(
        &self,
        job: impl FnOnce(&AtomicBool) -> Option<Vec<u8>> + Send + 'static,
    ) -> Option<PendingResult> {
        let queue = self.running.as_ref()?.queue.as_ref()?;
        let (result, pending) = sync_channel(1);
        queue.send((Box::new(job), result)).ok()?;
        Some(PendingResult(pending))
    }

    /// Ends all threads for good.
    pub(super) fn stop(&mut self) {
        self.count = 0;
        self.running = None;
    }
}

struct RunningThreads {
    queue: Option<Sender<QueuedJob>>,
    is_stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl RunningThreads {
    /// Starts `count` threads, or fewer if the system allows fewer. Returns `None` if it allows none.
    fn start(count: usize) -> Option<Self> {
        let (queue, jobs) = channel();
        let (jobs, is_stopped) = (Arc::new(Mutex::new(jobs)), Arc::new(AtomicBool::new(false)));
        let spawn = |_| {
            let (jobs, is_stopped) = (Arc::clone(&jobs), Arc::clone(&is_stopped));
            let thread = Builder::new().name("decompress".to_owned());
            thread.spawn(move || run_jobs(&jobs, &is_stopped)).ok()
        };
        let threads: Vec<_> = (0..count).map_while(spawn).collect();
        (!threads.is_empty()).then_some(Self {
            queue: Some(queue),
            is_stopped,
            threads,
        })
    }
}

impl Drop for RunningThreads {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.queue = None;
        for thread in self.threads.drain(..) {
            // A job that panicked has failed for its caller already.
            let _ = thread.join();
        }
    }
}

/// The result of a job that may still run.
pub(super) struct PendingResult(Receiver<Option<Vec<u8>>>);

impl PendingResult {
    /// Waits for the job. Returns `None` if it failed or panicked.
    pub(super) fn wait(self) -> Option<Vec<u8>> {
        self.0.recv().ok().flatten()
    }
}

/// Runs jobs until the queue is closed.
fn run_jobs(jobs: &Mutex<Receiver<QueuedJob>>, is_stopped: &AtomicBool) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((job, result)) = next else {
            return;
        };
        if is_stopped.load(Ordering::Relaxed) {
            return;
        }
        // Nobody waits for a result that is not needed any more.
        let _ = result.send(job(is_stopped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn results_come_back_and_a_panic_is_a_failure() {
        let mut workers = WorkerThreads::new(3);
        assert!(workers.start());
        let submit = |number: u8| {
            workers.submit(move |_| {
                assert!(number != 4, "a job that panics");
                (number != 5).then(|| vec![number])
            })
        };
        let pending: Vec<_> = (0..9).map(submit).collect();
        for (number, pending) in (0..9).zip(pending) {
            let expected = (number != 4 && number != 5).then(|| vec![number]);
            assert_eq!(pending.unwrap().wait(), expected);
        }
    }

    #[test]
    fn dropped_threads_end_and_leave_out_queued_jobs() {
        let (mut workers, done) = (WorkerThreads::new(1), Arc::new(Mutex::new(0)));
        assert!(workers.submit(|_| None).is_none() && workers.start());
        for _ in 0..100 {
            let done = Arc::clone(&done);
            drop(workers.submit(move |_| {
                *done.lock().unwrap() += 1;
                sleep(Duration::from_millis(20));
                None
            }));
        }
        workers.stop();
        assert!(*done.lock().unwrap() < 50 && !workers.start());
        // Each job and each thread has given back its copy.
        assert_eq!(Arc::strong_count(&done), 1);
    }

    #[test]
    fn long_jobs_learn_that_they_are_not_needed() {
        let (mut workers, (sender, phases)) = (WorkerThreads::new(1), channel());
        assert!(workers.start());
        let pending = workers.submit(move |is_stopped| {
            sender.send("begun").ok()?;
            while !is_stopped.load(Ordering::Relaxed) {
                sleep(Duration::from_millis(1));
            }
            sender.send("stopped").ok()?;
            None
        });
        assert_eq!(phases.recv(), Ok("begun"));
        drop(workers);
        assert_eq!(phases.recv(), Ok("stopped"));
        assert_eq!(pending.unwrap().wait(), None);
    }
}
