//! Plans where a normalization writes its outputs, and puts them there.
//!
//! # Limits
//!
//! The outputs of several inputs are siblings in one folder. Two jobs for one path wait for each other by locks on its folder.
//! This fails if the file system has no locks or the folder cannot be listed.

use crate::Error;
use crate::backup::{self, Backup, RollbackGuard};
use crate::discover::SourceInput;
use crate::error::UsageError;
use crate::job::{NormalizeJob, with_suffix};
use crate::output_names::{output_format, output_name};
use crate::path_checks::{check_apart, check_free, followed, is_empty, resolved};
use mailglot_archive::ledger::MAGIC;
use mailglot_archive::replace::{
    FolderReplacement, Replacement, Turn, is_stream, turn, undisturbed,
};
use mailglot_archive::{
    Destination, Error as FileError, FileMode, Format, Operation, WriteOptions,
};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The paths of a normalization.
pub(crate) struct Plan {
    pub(crate) output: PathBuf,
    pub(crate) ledger: Option<PathBuf>,
    /// The ledger of an output that is replaced by one with another ledger or none. It would match no output.
    stale: Option<PathBuf>,
    /// The report, if it is a file.
    pub(crate) report: Option<PathBuf>,
    /// The folder of set-aside messages.
    pub(crate) aside: PathBuf,
    /// True if the only output is the output path itself.
    pub(crate) alone: bool,
    /// How outputs are created.
    pub(crate) options: WriteOptions,
    /// One output for each input.
    pub(crate) targets: Vec<PlannedOutput>,
}

/// The output of one input.
pub(crate) struct PlannedOutput {
    /// Name below the output folder. Empty if it is the output itself.
    pub(crate) name: String,
    pub(crate) format: Format,
}

/// The outputs, written and synced under temporary names.
#[derive(Default)]
pub(crate) struct Ready {
    /// The folder of several outputs.
    pub(crate) root: Option<FolderReplacement>,
    /// The only output.
    pub(crate) destination: Option<Box<dyn Destination>>,
    pub(crate) aside: Option<FolderReplacement>,
    pub(crate) ledger: Option<Replacement>,
    pub(crate) report: Option<Replacement>,
}

impl Plan {
    /// Chooses names, and rejects invalid paths before anything is read or written.
    pub(crate) fn new(job: &NormalizeJob, inputs: &[SourceInput]) -> Result<Self, Error> {
        if job.output.file_name().is_none() {
            return Err(UsageError::NoFileName(job.output.clone()).into());
        }
        let report = job.report.as_deref().filter(|report| !is_stream(report));
        let ledger = job.ledger_place();
        let private = job.inputs.iter().chain([&job.output]).chain(&ledger);
        let mut plan = Self {
            output: followed(&job.output)?,
            stale: None,
            ledger: ledger.as_deref().map(followed).transpose()?,
            report: report.map(followed).transpose()?,
            aside: followed(&with_suffix(&job.output, ".set-aside"))?,
            alone: inputs.len() == 1,
            options: WriteOptions {
                force: job.force,
                mode: FileMode::as_private_as(private.map(PathBuf::as_path)),
            },
            targets: targets(job, inputs),
        };
        // Ledger and set-aside folder are beside the given name, where a restore looks for them.
        let beside = followed(&with_suffix(&job.output, ".ledger"))?;
        plan.check(job, &beside)?;
        Ok(plan)
    }

    /// Rejects invalid paths, recovers what a killed job left behind, and finds a ledger that becomes stale.
    fn check(&mut self, job: &NormalizeJob, beside: &Path) -> Result<(), Error> {
        let wanted = self.check_apart(job)?;
        let turn = self.turn();
        let ledger = self.ledger.as_deref().unwrap_or(beside);
        backup::recover(&self.output, Some(ledger), &self.aside);
        drop(turn);
        let names = self.targets.iter().map(|target| target.name.clone());
        let ours: HashSet<String> = names.collect();
        for place in self.places() {
            check_free(place, job.force, &ours)?;
        }
        let there = resolved(beside).map_err(|error| at(beside, Operation::Open, error))?;
        let is_stale = job.force && backup::exists(&self.output) && !wanted.contains(&there);
        if is_stale && check_apart(beside, &job.inputs).is_ok() && is_ledger(beside) {
            self.stale = Some(beside.to_owned());
        }
        Ok(())
    }

    /// Rejects outputs that overlap inputs or each other. Returns their resolved paths.
    fn check_apart(&self, job: &NormalizeJob) -> Result<Vec<PathBuf>, Error> {
        let mut wanted: Vec<PathBuf> = Vec::new();
        for place in self.places() {
            check_apart(place, &job.inputs)?;
            // Two spellings may refer to one path.
            let there = resolved(place).map_err(|error| at(place, Operation::Open, error))?;
            let collides = |other: &PathBuf| there.starts_with(other) || other.starts_with(&there);
            if wanted.iter().any(collides) {
                return Err(UsageError::OutputsCollide(place.clone()).into());
            }
            wanted.push(there);
        }
        Ok(wanted)
    }

    /// Returns the paths to write.
    fn places(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.output, &self.aside]
            .into_iter()
            .chain(&self.ledger)
            .chain(&self.report)
    }

    /// Puts the outputs into place: moves old ones away, then renames the ledger, the output, and last the report.
    ///
    /// If killed in between, the output is missing, or complete with its ledger. One job at a time commits: of two with `force`,
    /// output and ledger of the later one remain.
    pub(crate) fn commit(&self, ready: Ready) -> Result<(), Error> {
        let _turn = self.turn();
        undisturbed(|| self.put(ready))
    }

    /// Waits for other jobs that put outputs into the same folders.
    fn turn(&self) -> Turn {
        turn(
            [&self.output, &self.aside]
                .into_iter()
                .chain(&self.ledger)
                .map(PathBuf::as_path),
        )
    }

    fn put(&self, mut ready: Ready) -> Result<(), Error> {
        if let Some(root) = &mut ready.root {
            root.sync().map_err(Error::Output)?;
        }
        let mut away = Vec::new();
        let mut placed = Vec::new();
        for place in [&self.output, &self.aside]
            .into_iter()
            .chain(&self.ledger)
            .chain(&self.stale)
        {
            if self.options.force || is_empty(place) {
                away.extend(
                    Backup::new(place).map_err(|error| at(place, Operation::Rename, error))?,
                );
            }
        }
        if let Some(ledger) = ready.ledger {
            let place = ledger.path().to_owned();
            ledger.commit().map_err(Error::Output)?;
            placed.push(RollbackGuard::new(&place));
        }
        if let Some(mut aside) = ready.aside {
            let done = aside.sync().and_then(|()| aside.commit());
            done.map_err(Error::Output)?;
            placed.push(RollbackGuard::new(&self.aside));
        }
        if let Some(root) = ready.root {
            root.commit().map_err(Error::Output)?;
        } else if let Some(destination) = ready.destination {
            destination.commit().map_err(Error::Output)?;
        }
        // The output is in place, and so is everything that belongs to it.
        placed.into_iter().for_each(RollbackGuard::keep);
        if let Some(report) = ready.report {
            report.commit().map_err(Error::Output)?;
        }
        for old in away {
            // The new output is in place. An old one that cannot be removed keeps a name that says so.
            let _ = old.discard();
        }
        Ok(())
    }

    /// Returns the error of writing the ledger.
    pub(crate) fn ledger_error(&self, error: io::Error) -> Error {
        let path = self.ledger.as_deref().unwrap_or(&self.output);
        at(path, Operation::Write, error)
    }
}

/// Returns the outputs of the inputs.
fn targets(job: &NormalizeJob, inputs: &[SourceInput]) -> Vec<PlannedOutput> {
    let mut taken = HashSet::new();
    let target = |input: &SourceInput| {
        let format = output_format(input.found.format, job.to);
        let name = if inputs.len() == 1 {
            String::new()
        } else {
            output_name(input, format, &mut taken)
        };
        PlannedOutput { name, format }
    };
    inputs.iter().map(target).collect()
}

fn at(path: &Path, operation: Operation, error: io::Error) -> Error {
    Error::Output(FileError::new(path, operation, error))
}

/// Returns true if a file begins like a ledger, and is not a link.
fn is_ledger(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    let mut start = [0; MAGIC.len()];
    is_file
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok()
        && start == MAGIC
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LedgerPlace, Progress, normalize};
    use mailglot_mime::Policy;
    use std::fs;
    use std::thread::{sleep, spawn};
    use std::time::Duration;

    #[test]
    fn job_waits_while_another_commits() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.eml"), "Subject: new\n\n").unwrap();
        for place in ["out", "out.ledger"] {
            fs::write(at(place), "of another").unwrap();
        }
        let job = NormalizeJob {
            inputs: vec![at("a.eml")],
            output: at("out"),
            to: None,
            policy: Policy::default(),
            ledger: LedgerPlace::Beside,
            report: None,
            threads: 1,
            force: true,
            force_format: false,
            max_expansion: 200,
            mailbox: Default::default(),
            selection: Default::default(),
            verify: false,
        };
        let turn = turn([at("out").as_path(), at("out.ledger").as_path()]);
        let other = spawn(move || normalize(&job, &Progress::default()));
        for _ in 0..40 {
            sleep(Duration::from_millis(10));
            for place in ["out", "out.ledger"] {
                assert_eq!(fs::read_to_string(at(place)).unwrap(), "of another");
            }
        }
        drop(turn);
        other.join().unwrap().unwrap();
        assert_eq!(fs::read_to_string(at("out")).unwrap(), "Subject: new\n\n");
        assert_ne!(fs::read(at("out.ledger")).unwrap(), b"of another");
    }

    #[test]
    fn suffixes_follow_the_whole_name() {
        assert_eq!(
            with_suffix(Path::new("a/b.mbox"), ".ledger"),
            Path::new("a/b.mbox.ledger")
        );
    }
}
