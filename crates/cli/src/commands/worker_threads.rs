//! The number of worker threads of a job.

/// Returns the number that `--threads` gives; without it, one for each core.
pub(super) fn worker_threads(threads: Option<u16>) -> usize {
    threads.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    )
}
