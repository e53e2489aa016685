//! The sink of a normalization: writes all outputs under temporary names, and commits them together.
//!
//! The outputs are messages, ledger, set-aside messages and report.
//!
//! # Limits
//!
//! Syncs only at the end.

use crate::discover::SourceInput;
use crate::error::Error;
use crate::hash::ArchiveHash;
use crate::incomplete_inputs::IncompleteInput;
use crate::job::NormalizeJob;
use crate::json_file_name::FileName;
use crate::output_names::is_folder;
use crate::output_plan::{OutputPlan, Ready};
use crate::raw_blocks::raw_blocks;
use crate::report;
use crate::rewrite::RewrittenBatch;
use crate::run::{EndedSource, ResultSink};
use crate::summary::Summary;
use mailglot_archive::ledger::{Archived, BlockBuilder, Footer, LedgerWriter, Record};
use mailglot_archive::replace::{FolderReplacement, Replacement};
use mailglot_archive::{Destination, Operation, OutBatch, WriteOptions, create};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The outputs of a normalization.
pub(crate) struct OutputSink<'a> {
    plan: &'a OutputPlan,
    /// The folder of several outputs.
    root: Option<FolderReplacement>,
    /// The output of the current source.
    current: Option<CurrentOutput>,
    ledger: Option<LedgerWriter<Replacement>>,
    /// True if the ledger has a block, and so a source.
    has_block: bool,
    report: Option<Replacement>,
    aside: SetAside<'a>,
    footer: Footer,
    /// Bytes of all finished outputs.
    bytes: u64,
}

/// The output of one source.
struct CurrentOutput {
    index: usize,
    destination: Box<dyn Destination>,
    hash: ArchiveHash,
    /// True if the next batch continues the last item.
    more: bool,
    messages: u64,
    bytes: u64,
}

impl<'a> OutputSink<'a> {
    /// Creates the temporary files of ledger and report, and the temporary folder of several outputs.
    pub(crate) fn new(plan: &'a OutputPlan) -> Result<Self, Error> {
        let report = replacement(plan.report.as_deref(), plan.options)?;
        let ledger = match replacement(plan.ledger.as_deref(), plan.options)? {
            None => None,
            Some(file) => Some(LedgerWriter::new(file).map_err(|error| plan.ledger_error(error))?),
        };
        let root = if plan.alone {
            None
        } else {
            let root = FolderReplacement::create(&plan.output, plan.options);
            Some(root.map_err(Error::Output)?)
        };
        Ok(Self {
            plan,
            root,
            current: None,
            ledger,
            has_block: false,
            report,
            aside: SetAside {
                place: &plan.aside,
                options: WriteOptions {
                    force: true,
                    ..plan.options
                },
                folder: None,
                count: 0,
            },
            footer: Footer {
                producer: report::producer(),
                alone: plan.alone,
                ..Footer::default()
            },
            bytes: 0,
        })
    }

    /// Returns the inode number of the output, which stays when it is put into place.
    pub(crate) fn inode(&self) -> Result<u64, Error> {
        let inode = match (&self.root, &self.current) {
            (Some(root), _) => root.inode(),
            (None, Some(current)) => current.destination.inode(),
            (None, None) => Err(io::ErrorKind::NotFound.into()),
        };
        inode.map_err(|error| Error::output(&self.plan.output, Operation::Open, error))
    }

    /// Finishes ledger and report, and puts everything into place. Returns the text of the report.
    pub(crate) fn finish(
        mut self,
        job: &NormalizeJob,
        summary: &mut Summary,
    ) -> Result<String, Error> {
        summary.bytes_out = Some(self.bytes);
        self.footer.set_aside = summary.set_aside;
        let sources = summary.sources.iter_mut();
        for (source, output) in sources.zip(&self.footer.outputs) {
            let name = FileName::of(Path::new(OsStr::from_bytes(&output.name)));
            source.output = (!self.plan.alone).then_some(name);
        }
        let mut ledger = None;
        if let Some(mut writer) = self.ledger.take() {
            let unread = summary.unread.iter().map(IncompleteInput::unread);
            let incomplete: Vec<_> = summary.incomplete.iter().cloned().chain(unread).collect();
            let noted = notes(&incomplete, self.has_block, |block| writer.block(block));
            let finished = noted.and_then(|()| writer.finish(&self.footer));
            let (mut file, length) = finished.map_err(|error| self.plan.ledger_error(error))?;
            file.sync().map_err(Error::Output)?;
            summary.ledger_bytes = Some(length);
            ledger = Some(file);
        }
        let text = report::render(job, summary);
        if let Some(file) = &mut self.report {
            let written = file.write_all(text.as_bytes());
            written.map_err(|error| Error::output(file.path(), Operation::Write, error))?;
            file.sync().map_err(Error::Output)?;
        }
        self.plan.commit(Ready {
            root: self.root,
            destination: self.current.map(|current| current.destination),
            aside: self.aside.folder,
            ledger,
            report: self.report,
        })?;
        Ok(text)
    }
}

impl ResultSink<RewrittenBatch> for OutputSink<'_> {
    fn begin(&mut self, index: usize, _: &SourceInput) -> Result<(), Error> {
        let target = &self.plan.targets[index];
        let place = match &self.root {
            None => self.plan.output.clone(),
            Some(root) => root.temporary().join(OsStr::from_bytes(&target.name)),
        };
        let created = create(target.format, &place, self.plan.options);
        self.current = Some(CurrentOutput {
            index,
            destination: created.map_err(Error::Output)?,
            hash: ArchiveHash::quick(is_folder(target.format)),
            more: false,
            messages: 0,
            bytes: 0,
        });
        Ok(())
    }

    fn take(&mut self, batch: &mut RewrittenBatch) -> Result<ControlFlow<()>, Error> {
        if let Some(current) = &mut self.current {
            current.write(batch)?;
        }
        for message in &batch.aside {
            self.aside.add(message)?;
        }
        if let Some(ledger) = &mut self.ledger {
            for block in batch.blocks.iter().chain([&batch.block]) {
                self.has_block |= !block.is_empty();
                let written = ledger.block(block);
                written.map_err(|error| self.plan.ledger_error(error))?;
            }
            if let Some((kind, span)) = batch.ledger_only.take() {
                let bytes = batch.out.source.get(span).unwrap_or_default();
                self.has_block = true;
                let written = raw_blocks(kind, bytes, |block| ledger.block(block));
                written.map_err(|error| self.plan.ledger_error(error))?;
            }
        }
        batch.clear();
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, ended: &EndedSource<'_>) -> Result<Option<u64>, Error> {
        let Some(mut current) = self.current.take() else {
            return Ok(None);
        };
        current.destination.sync().map_err(Error::Output)?;
        let target = &self.plan.targets[current.index];
        self.footer.sources.push(Archived {
            name: ended.input.original.clone(),
            format: ended.input.found.format,
            folder: ended.input.folder,
            messages: ended.messages,
            bytes: ended.bytes,
            blake3: ended.digest.blake3,
        });
        self.footer.outputs.push(Archived {
            name: target.name.clone(),
            format: target.format_of(ended.is_one_message),
            folder: is_folder(target.format),
            messages: current.messages,
            bytes: current.bytes,
            blake3: std::mem::replace(&mut current.hash, ArchiveHash::quick(false)).finish(),
        });
        self.bytes += current.bytes;
        let messages = current.messages;
        if self.root.is_some() {
            current.destination.commit().map_err(Error::Output)?;
        } else {
            self.current = Some(current);
        }
        Ok(Some(messages))
    }
}

impl CurrentOutput {
    fn write(&mut self, batch: &RewrittenBatch) -> Result<(), Error> {
        self.destination.write(&batch.out).map_err(Error::Output)?;
        let hashed = self.hash(&batch.out);
        let folder = || {
            self.destination
                .temporary()
                .unwrap_or(Path::new(""))
                .to_owned()
        };
        hashed.map_err(|error| Error::output(&folder(), Operation::Write, error))?;
        self.messages += batch.written;
        self.bytes += batch.out.length();
        Ok(())
    }

    fn hash(&mut self, out: &OutBatch) -> io::Result<()> {
        let has_name = |item: &mailglot_archive::OutItem| !item.name.is_empty();
        // Long runs are hashed several times as fast as short ones.
        let is_run = !out.items.is_empty() && !out.items.iter().any(has_name) && !out.has_inserts();
        if !self.more && is_run {
            self.hash.update(&out.bytes);
        } else {
            for item in &out.items {
                if has_name(item) && !self.more {
                    self.hash.file(&item.name);
                }
                for slice in out.slices(item) {
                    self.hash.update(slice?);
                }
                self.more = item.more;
            }
        }
        self.more = out.items.last().map_or(self.more, |item| item.more);
        Ok(())
    }
}

/// The folder of set-aside messages.
struct SetAside<'a> {
    place: &'a Path,
    options: WriteOptions,
    /// Created for the first message.
    folder: Option<FolderReplacement>,
    /// Number of messages over all inputs.
    count: u64,
}

impl SetAside<'_> {
    /// Copies a message that could not be rewritten.
    fn add(&mut self, message: &[u8]) -> Result<(), Error> {
        let folder = if let Some(folder) = &mut self.folder {
            folder
        } else {
            let folder = FolderReplacement::create(self.place, self.options);
            self.folder.insert(folder.map_err(Error::Output)?)
        };
        let name = format!("{:08}.eml", self.count);
        self.count += 1;
        let file = self
            .options
            .mode
            .create_file(&folder.temporary().join(&name));
        let written = file.and_then(|mut file| file.write_all(message));
        written.map_err(|error| Error::output(&self.place.join(name), Operation::Write, error))
    }
}

/// Calls `put` with blocks that note the inputs that were not read completely.
///
/// They are the last blocks, so a job in parts has the same ones. Without a block before them, they begin the first source.
fn notes(
    incomplete: &[IncompleteInput],
    has_block: bool,
    mut put: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    /// Number of notes in a block, since a block has a limit.
    const MOST: usize = 10_000;
    if incomplete.is_empty() {
        return Ok(());
    }
    let mut builder = BlockBuilder::new()?;
    if !has_block {
        builder.push(&Record::Source(0));
    }
    let mut block = Vec::new();
    for inputs in incomplete.chunks(MOST) {
        for input in inputs {
            builder.push(&Record::Note(&input.note()));
        }
        builder.finish(&mut block)?;
        put(&block)?;
        block.clear();
    }
    Ok(())
}

fn replacement(place: Option<&Path>, options: WriteOptions) -> Result<Option<Replacement>, Error> {
    let create = |place: &Path| Replacement::create(place, options).map_err(Error::Output);
    place.map(create).transpose()
}
