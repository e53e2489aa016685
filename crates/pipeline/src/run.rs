//! The loop over sources: opens each, runs a stage over its batches on all cores, and passes the results to a sink in order.
//!
//! ```text
//! discover ─► for each source: open ─► ordered_pool (read ─► Stage::work ─► ResultSink::take) ─► ResultSink::end ─► account
//! ```
//!
//! Normalizing, checking, counting, listing, splitting, extracting text and locating messages are stages of this loop. Only this module handles
//! progress, interruption, unreadable inputs and accounting.
//!
//! # Limits
//!
//! Sources are processed one after the other.

use crate::discover::{SourceInput, Sources};
use crate::duplicates::SeenMessages;
use crate::error::{AccountError, Error, UnreadInput};
use crate::hash::{ArchiveHash, SourceDigest, hex};
use crate::lock::lock;
use crate::ordered_pool::{self, BatchWorker, StopReason};
use crate::progress::Progress;
use crate::reader::{NumberedBatch, Reader, begins_message};
use crate::selection::{Selection, Selector};
use crate::skip_scope::SkipScope;
use crate::summary::{SourceSummary, Summary};
use crate::tally::{Complete, Tally};
use crate::work_times::WorkTimes;
use mailglot_archive::{
    BoxEvent, BoxEventKind, Error as FileError, ErrorKind, Format, InputRange, Operation, Source,
};
use mailglot_mime::Limits;
use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// The input of the loop, and its options.
pub(crate) struct Job<'a> {
    /// The sources, in order.
    pub(crate) sources: Sources,
    /// Limits on messages.
    pub(crate) limits: &'a Limits,
    /// Number of worker threads, at least 1, and of threads that decompress an input. Does not affect the results.
    pub(crate) threads: usize,
    /// Counters for a watcher, and the flag that interrupts the loop.
    pub(crate) progress: &'a Progress,
    /// What is skipped if it cannot be read.
    pub(crate) skipped: SkipScope,
    /// The messages to process. The others are counted as dropped.
    pub(crate) selection: &'a Selection,
    /// True to stop reading when the limit of the selection is reached. The rest is not counted.
    pub(crate) stops_at_limit: bool,
}

/// A source that the loop has opened.
pub(crate) struct OpenSource<'a> {
    /// Its number, from 0.
    pub(crate) index: usize,
    /// The discovered input.
    pub(crate) input: &'a SourceInput,
    /// Its path for display.
    pub(crate) path: String,
    /// Dialect of the mailbox, as sniffed.
    pub(crate) dialect: String,
    /// True for a stream that is one message.
    pub(crate) is_one_message: bool,
}

impl OpenSource<'_> {
    /// Returns the path if the source is a folder whose messages are files.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.input.folder.then_some(&*self.input.found.path)
    }
}

/// Processes the batches of sources, on any thread.
pub(crate) trait Stage: Sync {
    /// The result of a batch.
    type Output: Default + Send;
    /// What a thread keeps from batch to batch of one source, such as a buffer.
    type State;

    /// Returns the format in which source `index` is or would be written. None, the default, if only its messages matter.
    fn written_as(&self, _index: usize, _input: &SourceInput) -> Option<Format> {
        None
    }

    /// Returns true if a message above the size limit is processed like any other.
    fn takes_pieces(&self) -> bool;

    /// Returns true if the digest of each source is needed. By default it is not.
    fn hashes(&self) -> bool {
        false
    }

    /// Returns true if batches are worth processing on several threads. By default they are.
    fn uses_threads(&self) -> bool {
        true
    }

    /// Creates the state of a thread for a source.
    fn state(&self, source: &OpenSource<'_>) -> io::Result<Self::State>;
    /// Processes a batch and counts its messages in `tally`. `output` may contain an earlier result, to reuse its buffers.
    fn work(
        &self,
        source: &OpenSource<'_>,
        state: &mut Self::State,
        batch: &mut NumberedBatch,
        tally: &mut Tally,
        output: &mut Self::Output,
    ) -> io::Result<()>;
}

/// Takes results in archive order.
pub(crate) trait ResultSink<T>: Send {
    /// Begins a source, before it is opened. By default does nothing.
    fn begin(&mut self, _index: usize, _input: &SourceInput) -> Result<(), Error> {
        Ok(())
    }

    /// Notes a source that is not read because the limit of the selection is reached. By default does nothing.
    fn not_read(&mut self, _input: &SourceInput) -> Result<(), Error> {
        Ok(())
    }

    /// Takes the next result. `Break` ends the loop early.
    fn take(&mut self, output: &mut T) -> Result<ControlFlow<()>, Error>;

    /// Ends a source that was read to its end. Returns the number of messages written, or None, the default, if the sink writes none.
    fn end(&mut self, _ended: &EndedSource<'_>) -> Result<Option<u64>, Error> {
        Ok(None)
    }
}

/// A source that was read to its end.
pub(crate) struct EndedSource<'a> {
    /// The discovered input.
    pub(crate) input: &'a SourceInput,
    /// Number of messages in it.
    pub(crate) messages: u64,
    /// Number of messages in it that are selected.
    pub(crate) selected: u64,
    /// Size of its files in bytes.
    pub(crate) bytes: u64,
    /// True for a stream that is one message.
    pub(crate) is_one_message: bool,
    /// Its digest. Zeros if none is needed.
    pub(crate) digest: SourceDigest,
}

/// Runs `stage` over all sources of `job` and passes the results to `sink`. Adds the counts to `summary`.
pub(crate) fn run<S: Stage, K: ResultSink<S::Output>>(
    mut job: Job<'_>,
    stage: &S,
    sink: &mut K,
    summary: Summary,
) -> Result<Summary, Error> {
    let sources = std::mem::take(&mut job.sources);
    let mut run = RunningJob::new(&job, summary);
    run.begin(&sources.left_out, sources.unread);
    let total = total(&sources.inputs);
    job.progress.total.fetch_max(total, Relaxed);
    for input in &sources.inputs {
        let index = input.number;
        if run.is_full() {
            sink.not_read(input)?;
            continue;
        }
        let before = to_write(&run.summary);
        match run.source(index, input, stage, sink) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return Ok(run.summary),
            Err(Error::Input(error)) if job.skipped == SkipScope::Inputs => {
                run.unread(UnreadInput::new(&input.given, error));
                run.count_incomplete(before);
            }
            Err(error) => return Err(error),
        }
    }
    run.finish()
}

/// Counts what discovery skipped.
pub(crate) fn count_left_out(summary: &mut Summary, left_out: &[(PathBuf, BoxEvent)]) {
    let complete = Complete::default();
    let mut tally = Tally::default();
    tally.begin(&complete);
    for (path, event) in left_out {
        tally.box_event(&path.to_string_lossy(), event);
    }
    tally.add_to(summary, &mut SourceSummary::default(), &complete);
}

/// Returns the number of messages to write: those that are neither set aside nor dropped.
fn to_write(summary: &Summary) -> u64 {
    summary.messages_in - summary.set_aside - summary.dropped
}

/// Returns the size of all sources if known without opening one, else 0.
pub(crate) fn total(inputs: &[SourceInput]) -> u64 {
    if inputs.iter().any(|input| input.found.packed.is_some()) {
        return 0;
    }
    let files = inputs
        .iter()
        .filter(|input| !input.folder && !input.is_stdin());
    let size = |input: &SourceInput| match &input.found.range {
        Some(InputRange::Mailbox(range)) => Some(range.len()),
        _ => input.found.size(),
    };
    files.filter_map(size).sum()
}

/// Returns the number of threads that a source of `size` bytes keeps busy.
fn useful_threads(threads: usize, size: Option<u64>) -> usize {
    let batches = size.map_or(usize::MAX, |size| (size >> 20) as usize + 1);
    threads.clamp(1, batches.max(1))
}

/// State of the loop.
struct RunningJob<'a> {
    job: &'a Job<'a>,
    complete: Complete,
    summary: Summary,
    /// Path and class of each error in [`Summary::unread`].
    unread: HashSet<(PathBuf, io::ErrorKind)>,
    /// Number of messages selected so far.
    selected: u64,
    /// The messages so far. None if duplicates are not searched.
    seen: Option<Arc<Mutex<SeenMessages>>>,
}

impl<'a> RunningJob<'a> {
    fn new(job: &'a Job<'a>, summary: Summary) -> Self {
        Self {
            job,
            complete: Complete::default(),
            summary,
            unread: HashSet::new(),
            selected: 0,
            seen: job.selection.dedupe.map(|_| Arc::default()),
        }
    }

    /// Counts what discovery skipped or could not read.
    fn begin(&mut self, left_out: &[(PathBuf, BoxEvent)], unread: Vec<UnreadInput>) {
        count_left_out(&mut self.summary, left_out);
        for unread in unread {
            self.unread(unread);
        }
    }

    /// Records an unreadable file once, although discovery and the reader of a folder both report it.
    fn unread(&mut self, unread: UnreadInput) {
        let error = &unread.error;
        if self.unread.insert((error.path().into(), error.io_kind())) {
            self.summary.unread.push(unread);
        }
    }

    /// Returns true if the limit of the selection is reached, and reading stops there.
    fn is_full(&self) -> bool {
        let limit = self.job.selection.limit.filter(|_| self.job.stops_at_limit);
        limit.is_some_and(|limit| limit <= self.selected)
    }

    /// Counts the messages before the defect of a source. `before` is the number of [`to_write`] before the source.
    fn count_incomplete(&mut self, before: u64) {
        self.summary.written += to_write(&self.summary) - before;
    }

    /// Processes one source.
    fn source<S: Stage, K: ResultSink<S::Output>>(
        &mut self,
        index: usize,
        input: &SourceInput,
        stage: &S,
        sink: &mut K,
    ) -> Result<ControlFlow<()>, Error> {
        if self.job.progress.is_interrupted() {
            return Err(Error::Interrupted);
        }
        sink.begin(index, input)?;
        let reader = self.open(index, input, stage)?;
        let size = reader.size_hint();
        let source = OpenSource {
            index,
            input,
            path: input.path(),
            dialect: reader.dialect().to_owned(),
            is_one_message: reader.is_one_message(),
        };
        let worker = Accounting {
            stage,
            source: &source,
            progress: self.job.progress,
            complete: &self.complete,
        };
        let mut account = SourceSummary {
            path: input.name_in_json(),
            ..SourceSummary::default()
        };
        let (set_aside, dropped) = (self.summary.set_aside, self.summary.dropped);
        let (summary, complete) = (&mut self.summary, &self.complete);
        let mut hand_on = |result: &mut BatchResult<S::Output>| {
            result.tally.add_to(summary, &mut account, complete);
            match sink.take(&mut result.output) {
                Ok(ControlFlow::Continue(())) => Ok(()),
                Ok(ControlFlow::Break(())) => Err(None),
                Err(error) => Err(Some(error)),
            }
        };
        let threads = if stage.uses_threads() {
            useful_threads(self.job.threads, size)
        } else {
            1
        };
        let (mut reader, result) = ordered_pool::run(reader, threads, &worker, &mut hand_on);
        // The messages before a defect count, too.
        let selected = reader.selected();
        self.selected += selected;
        if let Err(reason) = result {
            return stopped(reason, input);
        }
        for error in reader.unread.drain(..) {
            self.unread(UnreadInput::new(&input.given, error));
        }
        let (messages, bytes) = (reader.messages, reader.bytes);
        let stopped_early = reader.stopped;
        let (source, digest) = reader.finish();
        let blake3 = digest.blake3;
        self.check_unchanged(input, &*source)?;
        let set_aside = self.summary.set_aside - set_aside;
        let dropped = self.summary.dropped - dropped;
        let written = sink.end(&EndedSource {
            input,
            messages,
            selected,
            bytes,
            is_one_message: source.is_one_message(),
            digest,
        })?;
        let written = written.unwrap_or(messages - set_aside - dropped);
        check_source(&AccountError {
            path: Some(input.found.path.clone()),
            read: (messages, bytes),
            processed: (account.messages, account.bytes),
            size: size.filter(|_| !input.folder && !input.is_stdin() && !stopped_early),
            written,
            set_aside,
            dropped,
        })?;
        let profile = source.profile();
        account.dialect.clone_from(&profile.dialect);
        profile.line_end.clone_into(&mut account.line_end);
        account.blake3 = stage.hashes().then(|| hex(&blake3));
        self.summary.written += written;
        self.summary.sources.push(account);
        Ok(ControlFlow::Continue(()))
    }

    /// Opens a source.
    fn open<S: Stage>(
        &self,
        index: usize,
        input: &SourceInput,
        stage: &S,
    ) -> Result<Reader, Error> {
        let written_as = stage.written_as(index, input);
        let source = input.open(self.job.limits, written_as, self.job.threads)?;
        if input.folder {
            let hint = source.size_hint().unwrap_or(0);
            self.job.progress.total.fetch_add(hint, Relaxed);
        }
        let range = input.found.range.as_ref();
        let hash = match range {
            None => Some(ArchiveHash::new(input.folder)),
            Some(InputRange::Folder(_)) => Some(ArchiveHash::of_part()),
            // `source_digest` hashes what a range has of the file.
            Some(InputRange::Mailbox(_)) => None,
        };
        let hash = hash.filter(|_| stage.hashes());
        let skipped = self.skipped(input);
        let selection = self.job.selection;
        if let Some(seen) = &self.seen {
            let mut seen = lock(seen);
            seen.begin(input.path(), input.found.format == Format::Eml);
        }
        let selector = (!selection.is_all()).then(|| {
            Selector::new(selection, input.place(), self.selected).after(self.seen.clone())
        });
        Ok(Reader::new(&input.found.path, source, hash)
            .skipping(skipped)
            .of_range(range)
            .selecting(selector, self.job.stops_at_limit))
    }

    /// Returns what is skipped in an input if it cannot be read.
    fn skipped(&self, input: &SourceInput) -> SkipScope {
        let has_files = input.folder && input.found.store.is_none();
        match self.job.skipped {
            // A store that fails at one message fails at the others, too.
            SkipScope::Files if has_files => SkipScope::Files,
            SkipScope::Inputs if input.folder => SkipScope::Inputs,
            _ => SkipScope::Nothing,
        }
    }

    /// Records a folder that files came to or left, if unreadable files are skipped.
    ///
    /// # Errors
    /// The source changed in another way since it was opened.
    fn check_unchanged(&mut self, input: &SourceInput, source: &dyn Source) -> Result<(), Error> {
        let error = |kind| FileError::new(&input.found.path, Operation::Read, kind);
        if !source.changed().map_err(Error::Input)? {
            return Ok(());
        }
        let is_skipped = self.skipped(input) != SkipScope::Nothing;
        if is_skipped && !source.content_changed().map_err(Error::Input)? {
            self.unread(UnreadInput::new(
                &input.given,
                error(ErrorKind::FolderChanged),
            ));
            return Ok(());
        }
        Err(Error::Input(error(ErrorKind::Changed)))
    }

    /// Checks that messages in = messages out + set aside + dropped on request, over all sources that were read to their end.
    fn finish(self) -> Result<Summary, Error> {
        let summary = self.summary;
        let bytes: u64 = summary.sources.iter().map(|source| source.bytes).sum();
        let is_whole = summary.unread.is_empty();
        if to_write(&summary) == summary.written && (summary.bytes_in == bytes || !is_whole) {
            return Ok(summary);
        }
        Err(Error::Account(AccountError {
            path: None,
            read: (summary.messages_in, summary.bytes_in),
            processed: (summary.messages_in, bytes),
            size: None,
            written: summary.written,
            set_aside: summary.set_aside,
            dropped: summary.dropped,
        }))
    }
}

/// Converts the reason why the pool stopped to the result of the source.
///
/// `HandOn(None)` is not a failure: the sink has all it needs, as `cat` has after its message.
fn stopped(
    reason: StopReason<Option<Error>>,
    input: &SourceInput,
) -> Result<ControlFlow<()>, Error> {
    match reason {
        StopReason::HandOn(None) => Ok(ControlFlow::Break(())),
        StopReason::HandOn(Some(error)) => Err(error),
        StopReason::Read(error) => Err(Error::Input(error)),
        StopReason::Work(error) => Err(Error::Internal(input.found.path.clone(), error)),
        StopReason::Interrupted => Err(Error::Interrupted),
    }
}

/// Returns an error if messages or bytes of a source are missing in its counts.
fn check_source(account: &AccountError) -> Result<(), Error> {
    let is_complete = account.read == account.processed
        && account.read.0 == account.written + account.set_aside + account.dropped
        && account.size.is_none_or(|size| size == account.read.1);
    if is_complete {
        Ok(())
    } else {
        Err(Error::Account(account.clone()))
    }
}

/// The result of a batch, with its counts.
#[derive(Default)]
struct BatchResult<T> {
    tally: Tally,
    output: T,
}

/// Runs a stage over the batches of a source, and counts them.
struct Accounting<'a, S> {
    stage: &'a S,
    source: &'a OpenSource<'a>,
    progress: &'a Progress,
    complete: &'a Complete,
}

impl<S: Stage> BatchWorker for Accounting<'_, S> {
    type WorkerState = S::State;
    type BatchResult = BatchResult<S::Output>;

    fn is_interrupted(&self) -> bool {
        self.progress.is_interrupted()
    }

    fn add_times(&self, times: &WorkTimes) {
        self.progress.add_times(times);
    }

    fn worker_state(&self) -> io::Result<S::State> {
        self.stage.state(self.source)
    }

    fn work(
        &self,
        state: &mut S::State,
        batch: &mut NumberedBatch,
        result: &mut BatchResult<S::Output>,
    ) -> io::Result<()> {
        let BatchResult { tally, output } = result;
        tally.begin(self.complete);
        for event in &batch.batch.events {
            let is_handled = self.stage.takes_pieces() && event.kind == BoxEventKind::TooLarge;
            if !is_handled && !batch.is_of_dropped(event) {
                tally.box_event(&self.source.path, event);
            }
        }
        let mut more = batch.continued;
        for (index, entry) in batch.batch.entries.iter().enumerate() {
            tally.bytes_in += entry.span.len() as u64;
            let begins = begins_message(entry, more);
            tally.dropped += u64::from(begins && batch.is_dropped(index));
            more = entry.more;
        }
        self.stage.work(self.source, state, batch, tally, output)?;
        tally.show(self.progress);
        Ok(())
    }
}

/// A sink that discards everything, for a dry run.
pub(crate) struct Discard;

impl<T> ResultSink<T> for Discard {
    fn take(&mut self, _: &mut T) -> Result<ControlFlow<()>, Error> {
        Ok(ControlFlow::Continue(()))
    }
}

#[cfg(test)]
mod folder_tests;
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_count_is_limited_by_size() {
        assert_eq!(useful_threads(8, Some(100)), 1);
        assert_eq!(useful_threads(8, Some(3 << 20)), 4);
        assert_eq!(useful_threads(2, Some(1 << 40)), 2);
        assert_eq!(useful_threads(0, None), 1);
    }

    /// Calls `work` with the state of a job without sources.
    fn with_job(work: impl FnOnce(RunningJob<'_>)) {
        let job = Job {
            sources: Sources::default(),
            limits: &Limits::default(),
            threads: 1,
            progress: &Progress::default(),
            skipped: SkipScope::Inputs,
            selection: &Selection::default(),
            stops_at_limit: false,
        };
        work(RunningJob::new(&job, Summary::default()));
    }

    #[test]
    fn an_unreadable_source_hides_no_missing_message_of_another() {
        for (written, is_complete) in [(3, true), (2, false)] {
            with_job(|mut run| {
                (run.summary.messages_in, run.summary.written) = (3, written);
                let before = to_write(&run.summary);
                run.summary.messages_in += 6;
                run.summary.set_aside += 1;
                run.summary.dropped += 1;
                run.count_incomplete(before);
                assert_eq!(run.summary.written, written + 4);
                assert_eq!(run.finish().is_ok(), is_complete);
            });
        }
    }

    fn unreadable(number: usize, class: io::ErrorKind) -> UnreadInput {
        let path = format!("folder/cur/{number}");
        UnreadInput::new(
            Path::new("folder"),
            FileError::new(path, Operation::Open, class),
        )
    }

    #[test]
    fn an_unreadable_file_is_recorded_once() {
        with_job(|mut run| {
            for class in [io::ErrorKind::PermissionDenied, io::ErrorKind::NotFound] {
                for number in [1, 2, 1] {
                    run.unread(unreadable(number, class));
                }
            }
            assert_eq!(run.summary.unread.len(), 4);
        });
    }

    #[test]
    fn recording_unreadable_files_takes_linear_time() {
        let seconds = |count: usize| {
            let mut seconds = 0.0;
            with_job(|mut run| {
                let start = std::time::Instant::now();
                for number in 0..count {
                    run.unread(unreadable(number, io::ErrorKind::PermissionDenied));
                }
                seconds = start.elapsed().as_secs_f64();
                assert_eq!(run.summary.unread.len(), count);
            });
            seconds
        };
        // Ten times as many, five times in a row: quadratic time is a hundred times as long.
        let is_linear = || seconds(10_000) < 30.0 * seconds(1_000).max(0.001);
        assert!((0..5).any(|_| is_linear()));
    }
}
