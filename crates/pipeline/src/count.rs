//! Counts the messages of archives: a stage of the loop.
//!
//! # Limits
//!
//! One thread splits an archive, while others decompress it.

use crate::discover::{Opening, SourceInput, discover};
use crate::error::{Error, UnreadInput};
use crate::progress::Progress;
use crate::reader::{NumberedBatch, begins_message};
use crate::run::{EndedSource, Job, OpenSource, ResultSink, Stage, run};
use crate::selection::Selection;
use crate::skip_scope::SkipScope;
use crate::summary::Summary;
use crate::tally::Tally;
use mailglot_archive::{Error as FileError, Operation};
use mailglot_mime::Limits;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Counts the messages of each archive at `input`: one archive for a file, any number for a folder.
///
/// # Errors
/// An input cannot be read, or a file has no header field and [`Opening::force_format`] is not set.
pub fn count(input: &Path, opening: impl Into<Opening>) -> Result<Vec<(u64, PathBuf)>, Error> {
    let mut counts = Vec::new();
    let mut each = |messages, path: &Path| {
        counts.push((messages, path.to_owned()));
        Ok(())
    };
    let inputs = [input.to_owned()];
    let all = Selection::default();
    let progress = Progress::default();
    let summary = count_each(&inputs, opening.into(), &all, 1, &progress, &mut each)?;
    match summary.unread.into_iter().next() {
        None => Ok(counts),
        Some(UnreadInput { error, .. }) => match Arc::try_unwrap(error) {
            Ok(error) => Err(Error::Input(error)),
            Err(error) => Err(Error::Input(FileError::new(
                error.path(),
                error.operation(),
                error.io_kind(),
            ))),
        },
    }
}

/// Counts the selected messages of each archive at `inputs`, and calls `each` with number and path. The number is 0 for an archive
/// after the limit of the selection.
///
/// `threads` is the number of threads that decompress an archive, at least 1. [`Summary::unread`] lists unreadable inputs. An archive
/// that cannot be read to its end has no number.
///
/// # Errors
/// An error of `each` is returned as an error of the output `-`.
pub fn count_each(
    inputs: &[PathBuf],
    opening: Opening,
    selection: &Selection,
    threads: usize,
    progress: &Progress,
    each: &mut (dyn FnMut(u64, &Path) -> io::Result<()> + Send),
) -> Result<Summary, Error> {
    let job = Job {
        sources: discover(inputs, opening, SkipScope::Inputs)?,
        limits: &Limits::default(),
        threads,
        progress,
        skipped: SkipScope::Inputs,
        selection,
        stops_at_limit: true,
    };
    run(job, &CountStage, &mut CountSink(each), Summary::default())
}

/// A stage that only counts, without a result per batch.
struct CountStage;

impl Stage for CountStage {
    type Output = ();
    type State = ();

    fn takes_pieces(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        false
    }

    fn state(&self, _: &OpenSource<'_>) -> io::Result<()> {
        Ok(())
    }

    fn work(
        &self,
        _: &OpenSource<'_>,
        (): &mut (),
        feed: &mut NumberedBatch,
        tally: &mut Tally,
        (): &mut (),
    ) -> io::Result<()> {
        let mut more = feed.continued;
        for entry in &feed.batch.entries {
            tally.messages += u64::from(begins_message(entry, more));
            more = entry.more;
        }
        Ok(())
    }
}

/// Passes on the number of messages of each source that was read to its end or to the limit.
struct CountSink<'a>(&'a mut (dyn FnMut(u64, &Path) -> io::Result<()> + Send));

impl CountSink<'_> {
    fn report(&mut self, messages: u64, input: &SourceInput) -> Result<(), Error> {
        let reported = (self.0)(messages, &input.found.path);
        reported.map_err(|error| Error::Output(FileError::new("-", Operation::Write, error)))
    }
}

impl ResultSink<()> for CountSink<'_> {
    fn take(&mut self, (): &mut ()) -> Result<ControlFlow<()>, Error> {
        Ok(ControlFlow::Continue(()))
    }

    fn not_read(&mut self, input: &SourceInput) -> Result<(), Error> {
        self.report(0, input)
    }

    fn end(&mut self, ended: &EndedSource<'_>) -> Result<Option<u64>, Error> {
        self.report(ended.selected, ended.input)?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::ErrorKind;

    #[test]
    fn file_truncated_while_read_has_no_count() {
        /// Truncates the file when reading begins.
        struct Cutting<'a>(&'a Path, &'a [u8]);
        impl ResultSink<()> for Cutting<'_> {
            fn take(&mut self, (): &mut ()) -> Result<ControlFlow<()>, Error> {
                std::fs::write(self.0, self.1).unwrap();
                Ok(ControlFlow::Continue(()))
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let mail = "From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: s\n\nx\n\n".repeat(10);
        std::fs::write(&path, &mail).unwrap();
        assert_eq!(count(&path, false).unwrap(), [(10, path.clone())]);
        let progress = Progress::default();
        let job = Job {
            sources: discover(std::slice::from_ref(&path), false.into(), SkipScope::Inputs)
                .unwrap(),
            limits: &Limits::default(),
            threads: 1,
            progress: &progress,
            skipped: SkipScope::Inputs,
            selection: &Selection::default(),
            stops_at_limit: false,
        };
        let mut sink = Cutting(&path, &mail.as_bytes()[..mail.len() / 2]);
        let summary = run(job, &CountStage, &mut sink, Summary::default()).unwrap();
        assert!(summary.sources.is_empty());
        assert!(matches!(summary.unread[0].error.kind(), ErrorKind::Changed));
    }

    #[test]
    fn an_interrupted_count_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.eml");
        std::fs::write(&path, "Subject: s\n\n").unwrap();
        let progress = Progress::default();
        progress
            .interrupt
            .store(true, std::sync::atomic::Ordering::Relaxed);
        let ended = count_each(
            &[path],
            false.into(),
            &Selection::default(),
            1,
            &progress,
            &mut |_, _| Ok(()),
        );
        assert!(matches!(ended, Err(Error::Interrupted)));
    }
}
