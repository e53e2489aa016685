//! Restores the original from output and ledger.
//!
//! # Limits
//!
//! Runs on one thread. Ignores files that a mail program added to an output folder.

use crate::damaged_outputs::damaged_outputs;
use crate::error::{DamagedOutputs, Error, LedgerFaultKind, Mismatch, UsageError};
use crate::incomplete_inputs::IncompleteInput;
use crate::job::with_suffix;
use crate::path_checks::{check_apart, check_free, followed, is_empty};
use crate::progress::Progress;
use crate::replay::{Fault, Replay, ReplayTarget, below};
use crate::staged_ledger::{exists, ledger_of, recover};
use crate::unrestored::UnrestoredSource;
use mailglot_archive::ledger::{Block, Footer, Ledger, LedgerError, Record};
use mailglot_archive::replace::{FolderReplacement, Replacement, turn};
use mailglot_archive::{Error as FileError, ErrorKind, FileMode, Operation, WriteOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::{fs, io};

/// Options of a restore.
#[derive(Clone, Debug)]
pub struct RestoreJob {
    /// The normalized archive. None if the ledger contains the whole original.
    pub output: Option<PathBuf>,
    /// Its ledger. None: `OUTPUT.ledger`, if there is an output.
    pub ledger: Option<PathBuf>,
    /// Path to restore to. None: verify only, write nothing.
    pub original: Option<PathBuf>,
    /// Replaces an existing file or folder.
    pub force: bool,
    /// Leaves out archives whose outputs were changed or are missing, and restores the others. Reads the outputs twice.
    pub keep_going: bool,
}

impl RestoreJob {
    /// Returns the path of the ledger, if the job names one.
    pub fn ledger_place(&self) -> Option<PathBuf> {
        let beside = || {
            self.output
                .as_deref()
                .map(|output| with_suffix(output, ".ledger"))
        };
        self.ledger.clone().or_else(beside)
    }
}

/// Result of a restore.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// Number of archives.
    pub sources: u64,
    /// Number of messages.
    pub messages: u64,
    /// Number of those that the normalization dropped on request. They come from the ledger alone.
    pub dropped: u64,
    /// Number of files in output folders that the normalization did not write. They are not restored.
    pub unknown_files: u64,
    /// Bytes of the original.
    pub bytes: u64,
    /// Notes of the ledger about its messages: JSON, in order. The first hundred, of at most 64 KiB each.
    pub notes: Vec<Vec<u8>>,
    /// Number of further notes.
    pub more_notes: u64,
    /// Inputs that were damaged, or that `--max-expansion` stopped, so that only what was read is restored.
    pub incomplete: Vec<IncompleteInput>,
    /// Archives that were not restored, in the order of the ledger.
    pub unrestored: Vec<UnrestoredSource>,
}

/// Largest number of notes returned.
const MOST_NOTES: usize = 100;
/// Largest note returned, in bytes.
const LONGEST_NOTE: usize = 64 << 10;

/// Rebuilds every input byte for byte and compares its digest. Writes nothing unless everything matches.
///
/// If one path was normalized, `original` becomes that file or folder, with all archives found in it. Several paths are restored
/// at the same paths below `original`; of absolute ones, the folder that contains all of them is left out.
pub fn restore(job: &RestoreJob, progress: &Progress) -> Result<Restored, Error> {
    let Some(mut place) = job.ledger_place() else {
        return Err(UsageError::NothingToRestore.into());
    };
    if let Some(output) = &job.output {
        let turn = turn([output.as_path(), place.as_path()]);
        if job.original.is_some() {
            recover(output, Some(&place));
        }
        place = ledger_of(output, place);
        drop(turn);
        fs::symlink_metadata(output)
            .map_err(|error| Error::Input(FileError::new(output, Operation::Open, error)))?;
    }
    let wrong = |kind| Error::ledger(&place, kind);
    let mut ledger =
        Ledger::open(&place).map_err(|error| wrong(LedgerFaultKind::Unreadable(error)))?;
    let footer = ledger.footer().clone();
    if footer.sources.is_empty() {
        return Err(wrong(LedgerFaultKind::NoSource));
    }
    check_output(job.output.as_deref(), &footer).map_err(wrong)?;
    progress.total.store(
        footer.sources.iter().map(|source| source.bytes).sum(),
        Relaxed,
    );
    let original = job.original.as_deref().map(followed).transpose()?;
    let private = job.output.iter().chain([&place]).chain(&job.original);
    let options = WriteOptions {
        force: job.force,
        mode: FileMode::as_private_as(private.map(PathBuf::as_path)),
    };
    let mut staged = match &original {
        None => Staged::Nothing,
        Some(original) => prepare(job, original, &place, &footer, options)?,
    };

    let new_run = |unrestored| RunningRestore {
        job,
        footer: &footer,
        progress,
        restored: Restored::default(),
        root: None,
        file: None,
        mode: options.mode,
        unrestored,
        is_search: false,
        is_skipping: false,
    };
    let mut unrestored = BTreeMap::new();
    if job.keep_going && footer.sources.len() > 1 {
        unrestored = search(new_run(BTreeMap::new()), &place)?;
        // If nothing can be restored, the second pass fails as it does without this option.
        if unrestored.len() == footer.sources.len() {
            unrestored.clear();
        }
    }
    let mut run = new_run(unrestored);
    match &mut staged {
        Staged::Nothing => {}
        Staged::File(file) => run.file = Some(file),
        Staged::Folder(folder) => run.root = Some(folder.temporary().to_owned()),
    }
    let restored = run.all(&mut ledger, &place)?;
    staged.commit().map_err(Error::Output)?;
    Ok(restored)
}

/// Replays a ledger without writing, and returns the sources that cannot be restored, by index.
fn search(
    mut run: RunningRestore<'_>,
    place: &Path,
) -> Result<BTreeMap<u64, UnrestoredSource>, Error> {
    let mut ledger = Ledger::open(place)
        .map_err(|error| Error::ledger(place, LedgerFaultKind::Unreadable(error)))?;
    run.is_search = true;
    let total = &run.progress.total;
    total.store(2 * total.load(Relaxed), Relaxed);
    run.replay_all(&mut ledger, place)?;
    run.progress.messages.store(0, Relaxed);
    Ok(run.unrestored)
}

/// Returns an error if `output` cannot be the archive that a ledger was written for.
fn check_output(output: Option<&Path>, footer: &Footer) -> Result<(), LedgerFaultKind> {
    match (output, &footer.outputs[..]) {
        (None, _) if footer.needs_output() => Err(LedgerFaultKind::NeedsOutput),
        (Some(output), [from]) if footer.alone && from.folder != output.is_dir() => {
            Err(LedgerFaultKind::WrongForm {
                wants_folder: from.folder,
                output: output.to_owned(),
            })
        }
        (Some(output), _)
            if !footer.needs_output()
                && fs::metadata(output).is_ok_and(|of| of.is_file() && of.len() > 0) =>
        {
            Err(LedgerFaultKind::ContainsOriginal {
                output: output.to_owned(),
            })
        }
        _ => Ok(()),
    }
}

/// The restored files under a temporary name.
enum Staged {
    Nothing,
    File(Replacement),
    Folder(FolderReplacement),
}

impl Staged {
    fn commit(self) -> Result<(), FileError> {
        match self {
            Self::Nothing => Ok(()),
            Self::File(file) => file.commit(),
            Self::Folder(mut folder) => {
                folder.sync()?;
                folder.commit()
            }
        }
    }
}

/// Checks the target path and creates a temporary file or folder beside it.
fn prepare(
    job: &RestoreJob,
    original: &Path,
    ledger: &Path,
    footer: &Footer,
    options: WriteOptions,
) -> Result<Staged, Error> {
    if original.file_name().is_none() {
        return Err(UsageError::NoFileName(original.to_owned()).into());
    }
    let inputs: Vec<_> = job
        .output
        .iter()
        .cloned()
        .chain([ledger.to_owned()])
        .collect();
    check_apart(original, &inputs)?;
    if !job.force && exists(original) && !is_empty(original) {
        let error = FileError::new(original, Operation::Create, ErrorKind::Exists);
        return Err(Error::Output(error));
    }
    let top = |name: &[u8]| {
        let first = name.split(|&b| b == b'/').next();
        first.unwrap_or_default().to_vec()
    };
    check_free(
        original,
        job.force,
        &footer
            .sources
            .iter()
            .map(|source| top(&source.name))
            .collect(),
    )?;
    let staged = match &footer.sources[..] {
        [source] if !source.folder && source.name.is_empty() => {
            Replacement::create(original, options).map(Staged::File)
        }
        _ => FolderReplacement::create(original, options).map(Staged::Folder),
    };
    staged.map_err(Error::Output)
}

/// Returns true if a file does not exist.
fn is_missing(error: &FileError) -> bool {
    matches!(error.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound)
}

/// Returns the number of messages that a source has so far.
fn messages(replay: Option<&Replay<'_>>) -> u64 {
    replay.map_or(0, |replay| replay.messages)
}

fn no_source_begun() -> Fault {
    Fault::Mismatch(Mismatch::NoSourceYet)
}

/// State of a restore.
struct RunningRestore<'a> {
    job: &'a RestoreJob,
    footer: &'a Footer,
    progress: &'a Progress,
    restored: Restored,
    /// The folder to write, if any.
    root: Option<PathBuf>,
    /// The file to write, if any.
    file: Option<&'a mut Replacement>,
    /// Permissions of new files.
    mode: FileMode,
    /// The sources that are left out, by index.
    unrestored: BTreeMap<u64, UnrestoredSource>,
    /// True if sources that cannot be restored are added to [`Self::unrestored`], instead of ending the job.
    is_search: bool,
    /// True in the records of a source that is left out.
    is_skipping: bool,
}

impl<'a> RunningRestore<'a> {
    /// Replays every record of the ledger at `place`, and returns the result.
    fn all(mut self, ledger: &mut Ledger, place: &Path) -> Result<Restored, Error> {
        self.replay_all(ledger, place)?;
        self.restored.sources -= self.unrestored.len() as u64;
        self.restored.unrestored = self.unrestored.into_values().collect();
        Ok(self.restored)
    }

    fn replay_all(&mut self, ledger: &mut Ledger, place: &Path) -> Result<(), Error> {
        let wrong = |error| Error::ledger(place, LedgerFaultKind::Unreadable(error));
        let mut replay = None;
        let mut block = Block::default();
        while ledger.next_block(&mut block).map_err(wrong)? {
            let mut records = block.records();
            loop {
                if self.progress.is_interrupted() {
                    return Err(Error::Interrupted);
                }
                // A source that is left out reads no output.
                let left = match &replay {
                    None if self.is_skipping => u64::MAX,
                    replay => replay.as_ref().map_or(0, Replay::left),
                };
                let here = records.clone();
                // If a source ends with this record, it is no longer available after a failure.
                let before = messages(replay.as_ref());
                let stepped = match records.next_within(left) {
                    None => break,
                    Some(Err(LedgerError::Beyond)) => {
                        records = here;
                        Err(replay
                            .as_ref()
                            .map_or_else(no_source_begun, Replay::too_short))
                    }
                    Some(record) => self.step(&record.map_err(wrong)?, &mut replay),
                };
                if let Err(fault) = stepped {
                    let messages = before.max(messages(replay.as_ref()));
                    self.leave_out(fault, &mut replay)
                        .map_err(|fault| self.error(fault, place, messages))?;
                }
            }
        }
        let before = messages(replay.as_ref());
        let sources = self.footer.sources.len() as u64;
        self.end(replay.take())
            .or_else(|fault| self.leave_out(fault, &mut None))
            .map_err(|fault| self.error(fault, place, before))?;
        self.empty_ones(sources)
            .map_err(|fault| self.error(fault, place, 0))
    }

    /// Leaves out the current source if its output is the reason for a fault, and if the job goes on then. Returns the fault otherwise.
    fn leave_out(&mut self, fault: Fault, replay: &mut Option<Replay<'a>>) -> Result<(), Fault> {
        let index = self.restored.sources;
        let names = (
            self.footer.sources.get(index as usize),
            self.footer.outputs.get(index as usize),
        );
        let (true, true, (Some(source), Some(from))) =
            (self.is_search, fault.is_of_output(), names)
        else {
            return Err(fault);
        };
        let output = self.job.output.as_deref();
        let output = output.and_then(|output| below(output, &from.name));
        let unrestored = UnrestoredSource::of(source, output.unwrap_or_default(), &fault);
        self.unrestored.insert(index, unrestored);
        self.is_skipping = true;
        *replay = None;
        Ok(())
    }

    fn step(&mut self, record: &Record<'_>, replay: &mut Option<Replay<'a>>) -> Result<(), Fault> {
        if let Record::Source(index) = record {
            self.end(replay.take())
                .or_else(|fault| self.leave_out(fault, &mut None))?;
            self.end_skipped();
            if *index < self.restored.sources {
                return Err(Fault::Mismatch(Mismatch::SourcesUnordered));
            }
            self.empty_ones(*index)?;
            self.is_skipping = self.unrestored.contains_key(index);
            if !self.is_skipping {
                *replay = Some(self.begin()?);
            }
            return Ok(());
        }
        if let Record::Note(text) = record {
            let restored = &mut self.restored;
            if let Some(input) = IncompleteInput::from_note(text) {
                restored.incomplete.push(input);
            } else if restored.notes.len() < MOST_NOTES && text.len() <= LONGEST_NOTE {
                restored.notes.push(text.to_vec());
            } else {
                restored.more_notes += 1;
            }
        }
        if self.is_skipping {
            return Ok(());
        }
        let Some(replay) = replay else {
            return Err(no_source_begun());
        };
        let (bytes, messages) = (replay.step(record)?, &self.progress.messages);
        self.progress.bytes.fetch_add(bytes, Relaxed);
        messages.store(self.restored.messages + replay.messages, Relaxed);
        Ok(())
    }

    /// Rebuilds the sources before `index`, which have no records because they are empty.
    fn empty_ones(&mut self, index: u64) -> Result<(), Fault> {
        self.end_skipped();
        while self.restored.sources < index {
            self.is_skipping = self.unrestored.contains_key(&self.restored.sources);
            if !self.is_skipping {
                let ended = self.begin().and_then(|replay| self.end(Some(replay)));
                ended.or_else(|fault| self.leave_out(fault, &mut None))?;
            }
            self.end_skipped();
        }
        Ok(())
    }

    /// Ends a source that is left out, if one was begun.
    fn end_skipped(&mut self) {
        self.restored.sources += u64::from(std::mem::take(&mut self.is_skipping));
    }

    /// Begins the next source.
    fn begin(&mut self) -> Result<Replay<'a>, Fault> {
        let index = self.restored.sources as usize;
        let (Some(source), Some(from)) = (
            self.footer.sources.get(index),
            self.footer.outputs.get(index),
        ) else {
            return Err(Fault::Mismatch(Mismatch::MoreSources));
        };
        let impossible = || Fault::Mismatch(Mismatch::ImpossibleName);
        let output = match &self.job.output {
            Some(output) if !self.footer.alone => {
                Some(below(output, &from.name).ok_or_else(impossible)?)
            }
            output => output.clone(),
        };
        let target = match (&self.root, self.file.take()) {
            (None, None) => ReplayTarget::Nowhere,
            (_, Some(file)) => ReplayTarget::File(file),
            (Some(root), _) if source.name.is_empty() => ReplayTarget::Place(root.clone()),
            (Some(root), _) => {
                ReplayTarget::Place(below(root, &source.name).ok_or_else(impossible)?)
            }
        };
        Replay::new(source, from, output, target, self.mode)
    }

    /// Ends the replayed source, if any.
    fn end(&mut self, replay: Option<Replay<'_>>) -> Result<(), Fault> {
        let Some(replay) = replay else { return Ok(()) };
        let index = self.restored.sources as usize;
        let (messages, dropped) = (replay.messages, replay.dropped);
        let unknown = replay.finish(&self.footer.sources[index], &self.footer.outputs[index])?;
        self.restored.unknown_files += unknown;
        self.restored.sources += 1;
        self.restored.messages += messages;
        self.restored.dropped += dropped;
        self.restored.bytes += self.footer.sources[index].bytes;
        Ok(())
    }

    /// Builds the error of a fault after `messages` messages of the current source.
    fn error(&self, fault: Fault, ledger: &Path, messages: u64) -> Error {
        let may_be_damage = match &fault {
            Fault::Output(error) => !self.footer.alone && is_missing(error),
            Fault::Original(_) => false,
            Fault::Mismatch(_) => true,
        };
        let output = self.job.output.as_deref().filter(|_| may_be_damage);
        if let Some(damaged) = output.and_then(|output| damaged_outputs(output, self.footer)) {
            return Error::ledger(ledger, LedgerFaultKind::DamagedOutputs(damaged));
        }
        let output = self.job.output.as_deref();
        if let Fault::Output(error) = &fault
            && is_missing(error)
            && output.is_some_and(|output| output.is_dir() && error.path().starts_with(output))
        {
            // A message of an output that is a folder.
            let damaged = DamagedOutputs {
                missing: vec![error.path().to_owned()],
                others_intact: self.footer.sources.len() > 1,
                ..DamagedOutputs::default()
            };
            return Error::ledger(ledger, LedgerFaultKind::DamagedOutputs(damaged));
        }
        match fault {
            Fault::Output(error) => Error::Input(error),
            Fault::Original(error) => Error::Output(error),
            Fault::Mismatch(mismatch) => {
                let source = self.footer.sources.get(self.restored.sources as usize);
                let source = source.map_or_else(String::new, |source| {
                    String::from_utf8_lossy(&source.name).into_owned()
                });
                let kind = LedgerFaultKind::Mismatch {
                    mismatch,
                    output: self.job.output.clone(),
                    messages,
                    source,
                };
                Error::ledger(ledger, kind)
            }
        }
    }
}
