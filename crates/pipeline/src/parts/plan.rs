//! Plans the splits of a job: which bytes or inputs each of them reads.
//!
//! # Limits
//!
//! A mailbox of an mbox dialect or of MMDF is cut into ranges if it is a file of its own. So is a folder on a disk. Every other input
//! is one piece.

use super::identity::SourceIdentity;
use super::source_digest::CELL;
use crate::discover::{SourceInput, discover};
use crate::error::{Error, UsageError};
use crate::hash::hex;
use crate::job::{LedgerPlace, NormalizeJob};
use crate::json_file_name::FileName;
use crate::output_names::output_format;
use crate::parts_error::{PartsError, PartsFault};
use crate::path_checks::{check_apart, on_disk, read_paths};
use crate::report::producer;
use crate::skip_scope::SkipScope;
use crate::staged_ledger::exists;
use mailglot_archive::mbox::{
    MailboxProfile, MailboxRange, MailboxStarts, MessageStart, RangeBorder,
};
use mailglot_archive::{
    ENTRY_WEIGHT, FolderRange, FolderStart, Format, InputRange, folder_starts, is_mbox_file,
};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default size of a split in bytes.
pub const SPLIT_SIZE: u64 = 128 << 20;
/// Version of the form of a plan.
const FORM: u32 = 2;

/// The splits of a job. Equal inputs and options give equal plans.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartsPlan {
    /// Version of this form.
    form: u32,
    /// Program and version.
    producer: String,
    /// BLAKE3 of program, options, inputs and splits, as 64 hexadecimal digits.
    pub(super) job: String,
    /// The words of the command line from which the caller builds the job again.
    pub arguments: Vec<String>,
    /// The inputs of the job.
    pub inputs: Vec<FileName>,
    /// Size of a split in bytes.
    split_size: u64,
    /// The archives that were found in the inputs.
    pub(super) sources: Vec<PlannedSource>,
    /// The splits, in the order of the archives.
    pub(super) splits: Vec<Vec<Piece>>,
}

/// An archive of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PlannedSource {
    /// Its path.
    path: FileName,
    identity: SourceIdentity,
    /// The profile of a mailbox that is cut into ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<MailboxProfile>,
}

/// A piece of a source that one split reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Piece {
    /// Number of the source.
    pub(super) source: usize,
    /// The range of a mailbox. None for a whole source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) range: Option<PlannedRange>,
    /// The files of a folder. None for a whole source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) files: Option<FolderRange>,
}

impl Piece {
    /// Returns the piece that is a whole source.
    fn whole(source: usize) -> Self {
        Self {
            source,
            range: None,
            files: None,
        }
    }

    /// Returns true for a whole source.
    pub(super) fn is_whole(&self) -> bool {
        self.range.is_none() && self.files.is_none()
    }

    /// Returns the ordinal of the first message, as the piece counts.
    pub(super) fn ordinal(&self) -> u64 {
        let of_files = |files: &FolderRange| files.start.as_ref().map_or(0, |start| start.ordinal);
        let of_mailbox = self.range.as_ref().map(|range| range.ordinal);
        of_mailbox
            .or_else(|| self.files.as_ref().map(of_files))
            .unwrap_or(0)
    }
}

/// A range of a mailbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlannedRange {
    /// The first message. None for the start of the file.
    start: Option<MessageStart>,
    /// Offset of the first message after the range. None for the end of the file.
    end: Option<u64>,
    /// Ordinal of the first message if it is known. Otherwise messages are counted from 0.
    #[serde(default)]
    pub(super) ordinal: u64,
    /// The bytes that the split hashes: they begin at a cell.
    pub(super) hashed: (u64, u64),
}

impl PartsPlan {
    /// Reads a plan.
    ///
    /// # Errors
    /// `text` is not a plan, or one of another version. `path` is for the error.
    pub fn parse(path: &Path, text: &[u8]) -> Result<Self, PartsError> {
        let wrong = |reason: String| PartsError::new(path, PartsFault::NotAPlan(reason));
        let plan: Self = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
        if plan.form != FORM || plan.producer != producer() {
            return Err(wrong(format!("it was made by {}", plan.producer)));
        }
        Ok(plan)
    }

    /// Returns the plan as JSON with a line end.
    pub fn to_json(&self) -> String {
        // A plan has strings and numbers only, which can always be written.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Returns the number of splits.
    pub fn splits(&self) -> usize {
        self.splits.len()
    }

    /// Returns an error unless the job is the one that was planned, and its inputs are as they were.
    pub(super) fn check(
        &self,
        path: &Path,
        job: &NormalizeJob,
        inputs: &[SourceInput],
    ) -> Result<(), Error> {
        let other = |reason: String| {
            Err(Error::Parts(PartsError::new(
                path,
                PartsFault::OtherJob(reason),
            )))
        };
        let found: Vec<&Path> = inputs.iter().map(|input| &*input.found.path).collect();
        let planned: Vec<PathBuf> = self
            .sources
            .iter()
            .map(|source| source.path.path())
            .collect();
        if found != planned {
            return other("the inputs contain other archives than when it was planned".to_owned());
        }
        let identities = identities(inputs)?;
        for (source, identity) in self.sources.iter().zip(&identities) {
            if source.identity != *identity {
                let path = &source.path;
                return other(format!("{path} has changed since it was planned"));
            }
        }
        if self.digest(job, inputs) != self.job {
            return other(
                "the options or the version of the program differ, or the plan was changed"
                    .to_owned(),
            );
        }
        if !self.reads_everything_once() {
            let fault = PartsFault::NotAPlan("its splits do not cover its inputs".to_owned());
            return Err(Error::Parts(PartsError::new(path, fault)));
        }
        Ok(())
    }

    /// Returns the digest of all that determines the bytes of the outputs and of the parts.
    pub(super) fn digest(&self, job: &NormalizeJob, inputs: &[SourceInput]) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: String| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        add(producer());
        let has_ledger = job.ledger != LedgerPlace::Nowhere;
        add(format!(
            "{} {:?} {has_ledger} {}",
            self.split_size, job.to, job.verify
        ));
        add(format!("{:?}", job.opening));
        add(format!("{:?} {:?}", job.policy, job.selection));
        for input in inputs {
            add(format!("{:?}", input.found.format));
        }
        // Strings and numbers can always be written.
        add(serde_json::to_string(&(&self.sources, &self.splits)).unwrap_or_default());
        hex(hasher.finalize().as_bytes())
    }

    /// Returns true if the pieces of the splits read each byte of each source once, in order.
    fn reads_everything_once(&self) -> bool {
        let mut pieces = self.splits.iter().flatten().peekable();
        self.sources.iter().enumerate().all(|(number, source)| {
            // Where the next range begins: its first message or file, and the first byte that it hashes.
            let (mut start, mut hashed) = (None, 0);
            while let Some(piece) = pieces.next_if(|piece| piece.source == number) {
                if let (Some(files), None) = (&piece.files, &piece.range) {
                    let first = files.start.as_ref().map(|start| start.entries);
                    let is_forward = files.end.is_none_or(|end| first.unwrap_or(0) < end);
                    if first != start || !is_forward || source.identity.entries.is_none() {
                        return false;
                    }
                    start = files.end;
                    if start.is_none() {
                        return true;
                    }
                    continue;
                }
                let Some(range) = piece.range.as_ref().filter(|_| piece.files.is_none()) else {
                    return source.profile.is_none() && start.is_none();
                };
                if range.start.map(|start| start.offset) != start
                    || range.hashed.0 != hashed
                    || range.hashed.1 < hashed
                {
                    return false;
                }
                (start, hashed) = (range.end, range.hashed.1);
                if start.is_none() {
                    return source.profile.is_some() && hashed == source.identity.size;
                }
            }
            false
        }) && pieces.next().is_none()
    }

    /// Returns the input of a piece, with its range.
    pub(super) fn input(&self, piece: &Piece, inputs: &[SourceInput]) -> SourceInput {
        let mut input = inputs[piece.source].clone();
        let source = &self.sources[piece.source];
        if let (Some(range), Some(profile)) = (&piece.range, &source.profile) {
            input.found.range = Some(InputRange::Mailbox(MailboxRange {
                profile: Arc::new(profile.clone()),
                start: range.start,
                ordinal: range.ordinal,
                end: range.end,
                size: source.identity.size,
            }));
        }
        if let Some(files) = &piece.files {
            input.found.range = Some(InputRange::Folder(files.clone()));
        }
        input
    }
}

/// Plans the splits of a job. `arguments` are the words of a command line from which the caller can build the job again.
///
/// Reads near the borders of the splits only. Reads large folders, and whole mailboxes where lengths separate messages, in MMDF, and if the names of the
/// output have ordinals.
///
/// # Errors
/// An input cannot be read, or is standard input. The selection has a limit, or searches duplicates.
pub fn plan_parts(
    job: &NormalizeJob,
    arguments: Vec<String>,
    split_size: u64,
) -> Result<PartsPlan, Error> {
    if job.selection.limit.is_some() {
        return Err(UsageError::LimitInParts.into());
    }
    if job.selection.dedupe.is_some() {
        return Err(UsageError::DedupeInParts.into());
    }
    if let Some(stream) = job.inputs.iter().find(|input| input.as_os_str() == "-") {
        return Err(UsageError::StreamInParts(stream.clone()).into());
    }
    let is_stream = |path: &&PathBuf| {
        let metadata = fs::metadata(on_disk(path));
        metadata.is_ok_and(|file| !file.is_file() && !file.is_dir())
    };
    if let Some(stream) = job.inputs.iter().find(is_stream) {
        return Err(UsageError::StreamInParts(stream.clone()).into());
    }
    let sources = discover(&job.inputs, job.opening.clone(), SkipScope::Nothing)?;
    let split_size = split_size.max(1).div_ceil(CELL).saturating_mul(CELL);
    let identities = identities(&sources.inputs)?;
    let mut planned = Vec::new();
    let mut packer = Packer {
        splits: Vec::new(),
        used: 0,
        size: split_size,
    };
    for (number, (input, identity)) in sources.inputs.iter().zip(identities).enumerate() {
        let profile = add_pieces(job, input, &identity, (number, split_size), &mut packer)?;
        planned.push(PlannedSource {
            path: input.name_in_json(),
            identity,
            profile,
        });
    }
    let mut plan = PartsPlan {
        form: FORM,
        producer: producer(),
        job: String::new(),
        arguments,
        inputs: job.inputs.iter().map(|input| FileName::of(input)).collect(),
        split_size,
        sources: planned,
        splits: packer.splits,
    };
    plan.job = plan.digest(job, &sources.inputs);
    Ok(plan)
}

/// Cuts a large mailbox or folder, and packs the pieces of an input. Returns the profile of a mailbox that was cut.
fn add_pieces(
    job: &NormalizeJob,
    input: &SourceInput,
    identity: &SourceIdentity,
    (source, split_size): (usize, u64),
    packer: &mut Packer,
) -> Result<Option<MailboxProfile>, Error> {
    let target = output_format(&input.found, job.to);
    let options = |written_as| input.read_options(&job.policy.limits, written_as);
    if is_cut_folder(input, identity, split_size) {
        let starts = folder_starts(&input.found, &options(Some(target)), split_size);
        for (weight, files) in folder_ranges(starts.map_err(Error::Input)?, weight(identity)) {
            let files = Some(files);
            packer.add(
                weight,
                Piece {
                    files,
                    ..Piece::whole(source)
                },
            );
        }
        return Ok(None);
    }
    if !is_cut(input, identity, split_size)? {
        let path: &Path = &input.found.path;
        // A member of a container weighs what its container declares.
        let member_size = || input.found.size().filter(|_| on_disk(path) != path);
        let size = member_size().unwrap_or(identity.size);
        packer.add(size, Piece::whole(source));
        return Ok(None);
    }
    let starts = MailboxStarts::open(&input.found.path, &options(None)).map_err(Error::Input)?;
    for range in ranges(&starts, split_size, target != Format::Mbox)? {
        let size = range.hashed.1 - range.hashed.0;
        let range = Some(range);
        packer.add(
            size,
            Piece {
                range,
                ..Piece::whole(source)
            },
        );
    }
    Ok(Some(MailboxProfile::clone(starts.profile())))
}

/// Returns true for a folder on a disk that is larger than a split.
fn is_cut_folder(input: &SourceInput, identity: &SourceIdentity, split_size: u64) -> bool {
    let found = &input.found;
    let has_files = input.folder && !found.tree.is_container() && found.store.is_none();
    has_files && weight(identity) > split_size
}

/// Returns about the weight of a folder.
fn weight(identity: &SourceIdentity) -> u64 {
    let entries = identity.entries.unwrap_or(0);
    let weight = entries.saturating_mul(ENTRY_WEIGHT);
    weight.saturating_add(identity.size)
}

/// Returns the ranges between the starts, each with its weight. `total` is that of the folder.
fn folder_ranges(starts: Vec<FolderStart>, total: u64) -> Vec<(u64, FolderRange)> {
    let weights = starts.iter().map(|start| start.weight);
    let ends: Vec<(u64, Option<u64>)> = weights
        .zip(starts.iter().map(|start| Some(start.entries)))
        .chain([(total, None)])
        .collect();
    let starts = [None].into_iter().chain(starts.into_iter().map(Some));
    let ranges = starts.zip(ends).map(|(start, (weight, end))| {
        let before = start.as_ref().map_or(0, |start| start.weight);
        (weight.saturating_sub(before), FolderRange { start, end })
    });
    ranges.collect()
}

/// Rejects a place for the plan of a job that is an input, lies in one, or has a file that is not a plan.
///
/// # Errors
/// The place cannot be used, or inspected. If links are followed, the errors of [`plan_parts`] about inputs.
pub fn check_plan_place(place: &Path, job: &NormalizeJob) -> Result<(), Error> {
    check_apart(place, &job.inputs)?;
    if job.opening.follow_links {
        let sources = discover(&job.inputs, job.opening.clone(), SkipScope::Nothing)?;
        check_apart(place, &read_paths(&job.inputs, &sources.inputs))?;
    }
    if !exists(place) {
        return Ok(());
    }
    let is_plan = |text: Vec<u8>| {
        let fields = serde_json::from_slice::<serde_json::Map<_, serde_json::Value>>(&text);
        fields.is_ok_and(|fields| {
            ["form", "job", "splits"]
                .iter()
                .all(|key| fields.contains_key(*key))
        })
    };
    if place.is_file() && fs::read(place).is_ok_and(is_plan) {
        return Ok(());
    }
    Err(Error::Parts(PartsError::new(place, PartsFault::Taken)))
}

/// Returns true for a mailbox that is cut into ranges.
fn is_cut(input: &SourceInput, identity: &SourceIdentity, size: u64) -> Result<bool, Error> {
    let found = &input.found;
    let may_be = found.format == Format::Mbox && found.packed.is_none() && identity.size > size;
    Ok(may_be && !input.folder && is_mbox_file(found).map_err(Error::Input)?)
}

/// Cuts a mailbox at multiples of the split size. A range without a message is joined with the one before it.
fn ranges(
    starts: &MailboxStarts,
    split_size: u64,
    has_ordinals: bool,
) -> Result<Vec<PlannedRange>, Error> {
    let cuts: Vec<u64> = (1..starts.size().div_ceil(split_size))
        .map(|cut| cut * split_size)
        .collect();
    let borders = if has_ordinals || !starts.is_local() {
        starts.count_to(&cuts).map_err(Error::Input)?
    } else {
        local_borders(starts, &cuts)?
    };
    let whole = PlannedRange {
        start: None,
        end: None,
        ordinal: 0,
        hashed: (0, starts.size()),
    };
    let mut ranges = vec![whole];
    for (cut, border) in cuts.into_iter().zip(borders) {
        let Some(start) = border.start else { break };
        let Some(last) = ranges.last_mut() else { break };
        if last.start == Some(start) {
            continue;
        }
        last.end = Some(start.offset);
        last.hashed.1 = cut;
        ranges.push(PlannedRange {
            start: Some(start),
            end: None,
            ordinal: border.ordinal.unwrap_or(0),
            hashed: (cut, starts.size()),
        });
    }
    Ok(ranges)
}

/// Finds the first message after each cut by the bytes near it.
fn local_borders(starts: &MailboxStarts, cuts: &[u64]) -> Result<Vec<RangeBorder>, Error> {
    let mut borders: Vec<RangeBorder> = Vec::new();
    for cut in cuts {
        let known = borders.last().and_then(|border| border.start);
        // A message that is larger than a split ends several of them.
        let border = match borders.last() {
            Some(last) if last.start.is_none_or(|start| start.offset >= *cut) => *last,
            _ => starts.first_at(*cut, known).map_err(Error::Input)?,
        };
        borders.push(border);
    }
    Ok(borders)
}

/// Packs pieces into splits, in order.
struct Packer {
    splits: Vec<Vec<Piece>>,
    /// Bytes in the last split.
    used: u64,
    size: u64,
}

impl Packer {
    fn add(&mut self, size: u64, piece: Piece) {
        match self.splits.last_mut() {
            Some(last) if self.used.saturating_add(size) <= self.size => {
                last.push(piece);
                self.used += size;
            }
            _ => {
                self.splits.push(vec![piece]);
                self.used = size;
            }
        }
    }
}

fn identities(inputs: &[SourceInput]) -> Result<Vec<SourceIdentity>, Error> {
    let identity = |input: &SourceInput| SourceIdentity::of(&input.found);
    inputs
        .iter()
        .map(identity)
        .collect::<Result<_, _>>()
        .map_err(Error::Input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::discover;
    use mailglot_mime::Policy;
    use serde_json::{Value, json};

    fn job(inputs: Vec<PathBuf>) -> NormalizeJob {
        NormalizeJob {
            output: inputs[0].with_extension("out"),
            inputs,
            report: None,
            to: None,
            policy: Policy::default(),
            ledger: LedgerPlace::Beside,
            threads: 1,
            deterministic: false,
            force: false,
            opening: false.into(),
            selection: crate::selection::Selection::default(),
            verify: false,
        }
    }

    #[test]
    fn a_plan_that_was_edited_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one.mbox", "two.mbox"].map(|name| folder.path().join(name));
        let message = |number: usize| {
            let text = "plain text\n".repeat(400);
            format!(
                "From a@b.example Mon Jan  1 00:00:00 2001\nFrom: a@b.example\nSubject: {number}\n\n{text}\n"
            )
        };
        let mailbox: String = (0..400).map(message).collect();
        fs::write(&one, &mailbox).unwrap();
        fs::write(&two, message(0)).unwrap();
        let job = job(vec![one, two]);
        let plan = plan_parts(&job, Vec::new(), CELL).unwrap();
        assert!(plan.splits() > 3, "{}", plan.splits());
        let sources = discover(&job.inputs, job.opening.clone(), SkipScope::Nothing).unwrap();
        let whole: Value = serde_json::from_str(&plan.to_json()).unwrap();
        let edits: [fn(&mut Value); 8] = [
            |plan| plan["splits"].as_array_mut().unwrap().swap(1, 2),
            |plan| drop(plan["splits"].as_array_mut().unwrap().pop()),
            |plan| drop(plan["splits"].as_array_mut().unwrap().remove(0)),
            |plan| plan["splits"][1][0]["source"] = json!(7),
            |plan| plan["splits"][1][0]["range"]["hashed"] = json!([5, 1]),
            |plan| plan["splits"][1][0]["range"]["start"]["offset"] = json!(u64::MAX),
            |plan| plan["splits"][1][0]["range"]["end"] = json!(0),
            |plan| plan["splits"][1][0]["range"] = Value::Null,
        ];
        let path = Path::new("plan.json");
        let read = |value: &Value| PartsPlan::parse(path, value.to_string().as_bytes()).unwrap();
        read(&whole).check(path, &job, &sources.inputs).unwrap();
        for (number, edit) in edits.iter().enumerate() {
            let mut value = whole.clone();
            edit(&mut value);
            let mut edited = read(&value);
            assert!(
                edited.check(path, &job, &sources.inputs).is_err(),
                "{number}"
            );
            // Even with the right digest.
            edited.job = edited.digest(&job, &sources.inputs);
            let result = edited.check(path, &job, &sources.inputs);
            assert!(result.is_err(), "{number}");
        }
    }
}
