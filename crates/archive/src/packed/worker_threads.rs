//! Runs jobs on threads of their own, and hands back what they return.
//!
//! # Limits
//! A job cannot be interrupted. When the threads are dropped, jobs that have not begun are left out, and those that have are awaited.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Returns decompressed bytes, or `None` if it fails.
type Job = Box<dyn FnOnce() -> Option<Vec<u8>> + Send>;
type QueuedJob = (Job, SyncSender<Option<Vec<u8>>>);

/// Threads that run jobs in the order in which they are given. They end when this is dropped.
pub(super) struct WorkerThreads {
    queue: Option<Sender<QueuedJob>>,
    is_stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl WorkerThreads {
    /// Starts `count` threads, or fewer if the system allows fewer. Returns `None` if it allows none.
    pub(super) fn start(count: usize) -> Option<Self> {
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

    /// Queues a job.
    pub(super) fn submit(
        &self,
        job: impl FnOnce() -> Option<Vec<u8>> + Send + 'static,
    ) -> PendingResult {
        let (result, pending) = sync_channel(1);
        if let Some(queue) = &self.queue {
            // Without a thread the job fails, as `result` is dropped with it.
            let _ = queue.send((Box::new(job), result));
        }
        PendingResult(pending)
    }
}

impl Drop for WorkerThreads {
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
        let _ = result.send(job());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn results_come_back_and_a_panic_is_a_failure() {
        let workers = WorkerThreads::start(3).unwrap();
        let submit = |number: u8| {
            workers.submit(move || {
                assert!(number != 4, "a job that panics");
                (number != 5).then(|| vec![number])
            })
        };
        let pending: Vec<_> = (0..9).map(submit).collect();
        for (number, pending) in (0..9).zip(pending) {
            let expected = (number != 4 && number != 5).then(|| vec![number]);
            assert_eq!(pending.wait(), expected);
        }
    }

    #[test]
    fn dropped_threads_end_and_leave_out_queued_jobs() {
        let (workers, done) = (WorkerThreads::start(1).unwrap(), Arc::new(Mutex::new(0)));
        for _ in 0..100 {
            let done = Arc::clone(&done);
            drop(workers.submit(move || {
                *done.lock().unwrap() += 1;
                sleep(Duration::from_millis(20));
                None
            }));
        }
        drop(workers);
        assert!(*done.lock().unwrap() < 50);
        // Each job and each thread has given back its copy.
        assert_eq!(Arc::strong_count(&done), 1);
    }
}
