//! Archive to UTF-8 archive, and its dry run.
//!
//! # Limits
//!
//! One input that cannot be read stops a whole normalization. Flags of a Maildir and of MH are not written into the fields of a mailbox or of
//! single messages. Empty folders of a source are in the ledger, not in the output.

use crate::hash::{ArchiveHash, hex};
use crate::job::{CheckJob, NormalizeJob};
use crate::layout::{self, Input, Opening, Search};
use crate::ordered_pool::{self, Stop};
use crate::plan::{Plan, Ready, Target};
use crate::reader::Reader;
use crate::rewrite::{PROCESS, Process, RewriteWorker, RewrittenBatch};
use crate::tally::{Complete, Tally};
use crate::verify::READERS;
use crate::{Error, Progress, SourceSummary, Summary, VerifySummary, report};
use mailglot_archive::ledger::{Archived, Footer, Writer};
use mailglot_archive::replace::{FolderReplacement, Replacement, is_stream, open_stream};
use mailglot_archive::{BoxEvent, Destination, Format, create};
use mailglot_mime::Policy;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Runs a normalization: output, ledger and report appear whole, or not at all.
pub fn normalize(job: &NormalizeJob, progress: &Progress) -> Result<Summary, Error> {
    normalize_with(job, progress, PROCESS)
}

/// Plans every message and writes nothing. An input that cannot be read does not stop the others: [`Summary::unread`] names it.
pub fn check(job: &CheckJob, progress: &Progress) -> Result<Summary, Error> {
    let mut run = Run::new(&job.policy, job.threads, progress, PROCESS, job.verify);
    if job.inputs.is_empty() {
        return Err(Error::Usage("no input is given".into()));
    }
    layout::once(&job.inputs)?;
    let opening = Opening {
        force_format: job.force_format,
        max_expansion: job.max_expansion,
    };
    let mut inputs = Vec::new();
    for path in &job.inputs {
        let mut unread = Vec::new();
        match layout::find_readable(path, opening, &mut unread) {
            Ok(found) => {
                run.note(&found.left_out);
                inputs.extend(found.inputs);
            }
            Err(error) => unread.push(error),
        }
        run.summary
            .unread
            .extend(unread.iter().map(Error::to_string));
    }
    run.announce(&inputs);
    for input in &inputs {
        match run.source(input, None, &mut Sinks::default()) {
            Ok(_) => {}
            Err(error @ Error::Input(..)) => {
                run.summary.unread.push(error.to_string());
                run.summary.written = run.summary.messages_in - run.summary.set_aside;
            }
            Err(error) => return Err(error),
        }
    }
    // The walk through a folder meets again what the search met.
    let mut told = HashSet::new();
    run.summary
        .unread
        .retain(|error| told.insert(error.clone()));
    Ok(run.summary)
}

/// [`normalize`] with another function in the place of [`mailglot_mime::process`].
fn normalize_with(
    job: &NormalizeJob,
    progress: &Progress,
    process: Process,
) -> Result<Summary, Error> {
    let opening = Opening {
        force_format: job.force_format,
        max_expansion: job.max_expansion,
    };
    let Search { inputs, left_out } = layout::find(&job.inputs, opening)?;
    let plan = Plan::new(job, &inputs)?;
    let mut run = Run::new(&job.policy, job.threads, progress, process, job.verify);
    run.note(&left_out);
    run.announce(&inputs);

    let at_output = |error| Error::Output(job.output.clone(), error);
    let report = replacement(plan.report.as_deref(), job.force)?;
    let ledger = replacement(plan.ledger.as_deref(), job.force)?
        .map(Writer::new)
        .transpose();
    let root = if plan.alone {
        None
    } else {
        Some(FolderReplacement::create(&plan.output, job.force))
    };
    let root = root.transpose().map_err(at_output)?;
    let mut sinks = Sinks {
        places: (plan.output.clone(), plan.ledger.clone().unwrap_or_default()),
        ledger: ledger.map_err(|error| plan.ledger_error(error))?,
        aside_place: Some(plan.aside.clone()),
        ..Sinks::default()
    };
    let mut footer = Footer {
        producer: report::producer(),
        alone: plan.alone,
        ..Footer::default()
    };
    for (input, target) in inputs.iter().zip(&plan.targets) {
        let place = match &root {
            None => plan.output.clone(),
            Some(root) => root.temporary().join(&target.name),
        };
        sinks.destination = Some(create(target.format, &place, job.force).map_err(at_output)?);
        sinks.hash = Some(ArchiveHash::quick(layout::is_folder(target.format)));
        let (source, output) = run.source(input, Some(target), &mut sinks)?;
        footer.sources.push(source);
        footer.outputs.push(output);
        if root.is_some()
            && let Some(destination) = sinks.destination.take()
        {
            destination.commit().map_err(at_output)?;
        }
    }
    run.check_identity()?;
    footer.set_aside = run.summary.set_aside;
    let mut ledger = None;
    if let Some(writer) = sinks.ledger.take() {
        let finished = writer.finish(&footer).and_then(|(mut file, length)| {
            file.sync()?;
            Ok((file, length))
        });
        let (file, length) = finished.map_err(|error| plan.ledger_error(error))?;
        run.summary.ledger_bytes = Some(length);
        ledger = Some(file);
    }
    let report = match report {
        None => None,
        Some(mut file) => {
            let text = report::render(job, &run.summary);
            let written = file.write_all(text.as_bytes()).and_then(|()| file.sync());
            written
                .map_err(|error| Error::Output(plan.report.clone().unwrap_or_default(), error))?;
            Some(file)
        }
    };
    let (destination, aside) = (sinks.destination.take(), sinks.aside.take());
    plan.commit(Ready {
        root,
        destination,
        aside,
        ledger,
        report,
    })?;
    if let Some(place) = job.report.as_deref().filter(|place| is_stream(place)) {
        let written = open_stream(place)
            .and_then(|mut stream| stream.write_all(report::render(job, &run.summary).as_bytes()));
        written.map_err(|error| Error::Output(place.to_owned(), error))?;
    }
    Ok(run.summary)
}

/// Where results go. All empty: a dry run.
#[derive(Default)]
struct Sinks {
    /// Of output and ledger, for errors.
    places: (PathBuf, PathBuf),
    destination: Option<Box<dyn Destination>>,
    hash: Option<ArchiveHash>,
    ledger: Option<Writer<Replacement>>,
    aside_place: Option<PathBuf>,
    aside: Option<FolderReplacement>,
    aside_count: u64,
    written: u64,
    bytes: u64,
    more: bool,
}

impl Sinks {
    /// Takes the next result in archive order.
    fn take(&mut self, done: &RewrittenBatch) -> Result<(), io::Error> {
        let Some(destination) = &mut self.destination else {
            return Ok(());
        };
        destination.write(&done.out)?;
        if let Some(hash) = &mut self.hash {
            if done
                .out
                .items
                .first()
                .is_some_and(|item| item.name.is_empty() && !self.more)
                && done.out.items.iter().all(|item| item.name.is_empty())
            {
                hash.update(&done.out.bytes);
            } else {
                for item in &done.out.items {
                    if !item.name.is_empty() && !self.more {
                        hash.file(&item.name);
                    }
                    hash.update(&done.out.bytes[item.span.clone()]);
                    self.more = item.more;
                }
            }
        }
        self.more = done.out.items.last().map_or(self.more, |item| item.more);
        self.written += done.written;
        self.bytes += done.out.bytes.len() as u64;
        for (_, message) in &done.aside {
            self.set_aside(message)?;
        }
        Ok(())
    }

    /// Copies a message that could not be worked on; its number counts over all inputs.
    fn set_aside(&mut self, message: &[u8]) -> io::Result<()> {
        let Some(place) = &self.aside_place else {
            return Ok(());
        };
        if self.aside.is_none() {
            self.aside = Some(FolderReplacement::create(place, true)?);
        }
        if let Some(aside) = &self.aside {
            fs::write(
                aside
                    .temporary()
                    .join(format!("{:08}.eml", self.aside_count)),
                message,
            )?;
            self.aside_count += 1;
        }
        Ok(())
    }
}

/// A job that is running.
struct Run<'a> {
    policy: &'a Policy,
    threads: usize,
    progress: &'a Progress,
    process: Process,
    complete: Complete,
    summary: Summary,
}

impl<'a> Run<'a> {
    fn new(
        policy: &'a Policy,
        threads: usize,
        progress: &'a Progress,
        process: Process,
        verify: bool,
    ) -> Self {
        let readers = READERS.map(str::to_owned).to_vec();
        let verify = verify.then(|| VerifySummary {
            readers,
            ..VerifySummary::default()
        });
        let (complete, summary) = (
            Complete::default(),
            Summary {
                verify,
                ..Summary::default()
            },
        );
        Self {
            policy,
            threads,
            progress,
            process,
            complete,
            summary,
        }
    }
}

impl Run<'_> {
    /// Counts what a search left out.
    fn note(&mut self, left_out: &[(PathBuf, BoxEvent)]) {
        let mut tally = Tally::default();
        tally.begin(&self.complete);
        for (path, event) in left_out {
            tally.box_event(&path.to_string_lossy(), event);
        }
        tally.add_to(
            &mut self.summary,
            &mut SourceSummary::default(),
            &self.complete,
        );
    }

    /// Tells a watcher how much there is, where that is known without opening.
    fn announce(&self, inputs: &[Input]) {
        // What is inside of a compressed file is not known, and so neither is the whole.
        if inputs.iter().any(|input| input.found.packed.is_some()) {
            return;
        }
        let files = inputs
            .iter()
            .filter(|input| !input.folder && !input.is_stdin());
        let total = files
            .filter_map(|input| fs::metadata(&input.found.path).ok())
            .map(|file| file.len())
            .sum();
        self.progress.total.store(total, Relaxed);
    }

    /// Takes one source through the loop; gives what the ledger's footer says of it and of its output.
    fn source(
        &mut self,
        input: &Input,
        target: Option<&Target>,
        sinks: &mut Sinks,
    ) -> Result<(Archived, Archived), Error> {
        let form = target.map_or(input.found.format, |target| target.format);
        let source = input.open_for(&self.policy.limits, form)?;
        let hint = source.size_hint();
        if input.folder {
            self.progress.total.fetch_add(hint.unwrap_or(0), Relaxed);
        }
        let path = input.path();
        let places = sinks.places.clone();
        let before = (self.summary.set_aside, sinks.written, sinks.bytes);
        let work = RewriteWorker {
            path: &path,
            folder: input.folder.then_some(&*input.found.path),
            from_mbox: input.found.format == Format::Mbox,
            to: target.map(|target| target.format),
            keeps_flags: form == Format::Maildir,
            ledger: sinks
                .ledger
                .is_some()
                .then_some(self.summary.sources.len() as u64),
            policy: self.policy,
            progress: self.progress,
            complete: &self.complete,
            process: self.process,
            verify: self.summary.verify.is_some(),
        };
        let hash = target.map(|_| ArchiveHash::new(input.folder));
        let mut account = SourceSummary {
            path: input.name_in_json(),
            ..SourceSummary::default()
        };
        let (summary, complete) = (&mut self.summary, &self.complete);
        let mut hand_on = |done: &mut RewrittenBatch| -> Result<(), HandOn> {
            sinks.take(done).map_err(HandOn::Output)?;
            if let Some(ledger) = &mut sinks.ledger {
                ledger.block(&done.block).map_err(HandOn::Ledger)?;
            }
            done.tally.add_to(summary, &mut account, complete);
            done.clear();
            Ok(())
        };
        let threads = worth(self.threads, hint);
        let reader = ordered_pool::run(
            Reader::new(source, hash).tolerant(input.folder && target.is_none()),
            threads,
            &work,
            &mut hand_on,
        );
        let mut reader = reader.map_err(|stop| match stop {
            Stop::Read(error) => input.error(error),
            Stop::Work(error) => Error::Identity(format!("{path}: {error}")),
            Stop::HandOn(HandOn::Output(error)) => Error::Output(places.0.clone(), error),
            Stop::HandOn(HandOn::Ledger(error)) => Error::Output(places.1.clone(), error),
            Stop::Interrupted => Error::Interrupted,
        })?;
        let (messages, bytes) = (reader.messages, reader.bytes);
        let unread: Vec<_> = reader
            .unread
            .drain(..)
            .map(|error| input.error(error).to_string())
            .collect();
        let (source, blake3) = reader.finish();
        input.unchanged(&*source)?;
        if let Some(destination) = &mut sinks.destination {
            destination
                .sync()
                .map_err(|error| Error::Output(places.0.clone(), error))?;
        }
        let set_aside = self.summary.set_aside - before.0;
        let written = if target.is_some() {
            sinks.written - before.1
        } else {
            messages - set_aside
        };
        let same = (account.messages, account.bytes) == (messages, bytes)
            && messages == written + set_aside;
        if !same || (!input.folder && !input.is_stdin() && hint.is_some_and(|size| size != bytes)) {
            return Err(Error::Identity(format!(
                "{path}: the account does not add up: {messages} messages and {bytes} bytes were read ({hint:?} there), \
                 {} and {} worked on, {written} written, {set_aside} set aside",
                account.messages, account.bytes
            )));
        }
        let profile = source.profile();
        account.dialect.clone_from(&profile.dialect);
        profile.line_end.clone_into(&mut account.line_end);
        if target.is_some() {
            account.blake3 = Some(hex(&blake3));
            *self.summary.bytes_out.get_or_insert_default() += sinks.bytes - before.2;
        }
        self.summary.unread.extend(unread);
        self.summary.written += written;
        self.summary.sources.push(account);
        let out_hash = sinks.hash.take().map_or([0; 32], ArchiveHash::finish);
        Ok((
            Archived {
                name: input.original.clone(),
                format: input.found.format,
                folder: input.folder,
                messages,
                bytes,
                blake3,
            },
            Archived {
                name: target
                    .map(|target| target.name.clone().into_bytes())
                    .unwrap_or_default(),
                format: target.map_or(input.found.format, |target| target.format),
                folder: target.is_some_and(|target| layout::is_folder(target.format)),
                messages: written,
                bytes: sinks.bytes - before.2,
                blake3: out_hash,
            },
        ))
    }

    /// Messages in = messages out + set aside, over all sources.
    fn check_identity(&self) -> Result<(), Error> {
        let summary = &self.summary;
        let sources: u64 = summary.sources.iter().map(|source| source.bytes).sum();
        if summary.messages_in == summary.written + summary.set_aside && summary.bytes_in == sources
        {
            return Ok(());
        }
        Err(Error::Identity(format!(
            "{} messages were read, {} written, {} set aside",
            summary.messages_in, summary.written, summary.set_aside
        )))
    }
}

enum HandOn {
    Output(io::Error),
    Ledger(io::Error),
}

/// Threads that a source of this size keeps busy.
pub(crate) fn worth(threads: usize, size: Option<u64>) -> usize {
    let batches = size.map_or(usize::MAX, |size| (size >> 20) as usize + 1);
    threads.clamp(1, batches.max(1))
}

fn replacement(place: Option<&Path>, force: bool) -> Result<Option<Replacement>, Error> {
    let create = |place: &Path| {
        Replacement::create(place, force).map_err(|error| Error::Output(place.to_owned(), error))
    };
    place.map(create).transpose()
}

#[cfg(test)]
mod tests;
