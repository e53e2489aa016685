//! Chooses the paths of output, ledger and report, checks them, and puts the finished files there.
//!
//! # Limits
//!
//! The outputs of several inputs are siblings in one folder. Two jobs for one path wait for each other by locks on its folder.
//! This fails if the file system has no locks or the folder cannot be listed.

use crate::commit_step::{CommitStep, reached};
use crate::discover::SourceInput;
use crate::error::{Error, UsageError};
use crate::job::{NormalizeJob, with_suffix};
use crate::output_names::{is_folder, output_format, output_name};
use crate::path_checks::{
    check_apart, check_form, check_free, followed, is_empty, on_disk, read_paths, resolved,
};
use crate::staged_ledger::{StagedLedger, exists, has_inode, recover, remove};
use mailglot_archive::ledger::MAGIC;
use mailglot_archive::replace::{
    FolderReplacement, Replacement, Turn, is_stream, turn, undisturbed,
};
use mailglot_archive::{Claim, Destination, FileMode, Format, Operation, WriteOptions};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The paths of a normalization.
pub(crate) struct OutputPlan {
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
    /// The inputs, and the links in them that are followed.
    read: Vec<PathBuf>,
    /// Claims on output and ledger, so that another job for them fails before it works.
    claims: Vec<Claim>,
}

/// The output of one input.
pub(crate) struct PlannedOutput {
    /// Name below the output folder. Empty if it is the output itself.
    pub(crate) name: Vec<u8>,
    pub(crate) format: Format,
    /// True if the caller leaves the choice of the format to the input.
    pub(crate) is_as_input: bool,
}

impl PlannedOutput {
    /// Returns the format. A stream that turns out to be one message stays one.
    pub(crate) fn format_of(&self, is_one_message: bool) -> Format {
        if self.is_as_input && is_one_message {
            Format::Eml
        } else {
            self.format
        }
    }
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

impl Ready {
    /// Returns the inode number of the output.
    fn inode(&self) -> io::Result<u64> {
        match (&self.root, &self.destination) {
            (Some(root), _) => root.inode(),
            (None, Some(destination)) => destination.inode(),
            (None, None) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl OutputPlan {
    /// Chooses names, and rejects invalid paths before anything is read or written.
    pub(crate) fn new(job: &NormalizeJob, inputs: &[SourceInput]) -> Result<Self, Error> {
        if job.output.file_name().is_none() {
            return Err(UsageError::NoFileName(job.output.clone()).into());
        }
        let report = job.report.as_deref().filter(|report| !is_stream(report));
        let ledger = job.ledger_place();
        let read = read_paths(&job.inputs, inputs);
        let read_on_disk = read.iter().map(|path| on_disk(path));
        let others = [&job.output].into_iter().chain(&ledger);
        let private = read_on_disk.chain(others.map(PathBuf::as_path));
        let mut plan = Self {
            output: followed(&job.output)?,
            stale: None,
            ledger: ledger.as_deref().map(followed).transpose()?,
            report: report.map(followed).transpose()?,
            aside: followed(&with_suffix(&job.output, ".set-aside"))?,
            alone: is_alone(inputs),
            options: WriteOptions {
                force: job.force,
                mode: FileMode::as_private_as(private),
            },
            targets: targets(job, inputs),
            read,
            claims: Vec::new(),
        };
        // Ledger and set-aside folder are beside the given name, where a restore looks for them.
        let beside = followed(&with_suffix(&job.output, ".ledger"))?;
        plan.check(job, &beside)?;
        Ok(plan)
    }

    /// Rejects invalid paths, recovers what a killed job left behind, and finds a ledger that becomes stale.
    fn check(&mut self, job: &NormalizeJob, beside: &Path) -> Result<(), Error> {
        let wanted = self.check_apart()?;
        let turn = self.turn();
        let ledger = self.ledger.as_deref().unwrap_or(beside);
        recover(&self.output, Some(ledger));
        let names = self.targets.iter().map(|target| target.name.clone());
        let ours: HashSet<Vec<u8>> = names.collect();
        for place in self.places() {
            check_free(place, job.force, &ours)?;
            check_form(place, self.is_folder(place))?;
        }
        for place in [&self.output].into_iter().chain(&self.ledger) {
            self.claims.push(Claim::take(place).map_err(Error::Output)?);
        }
        drop(turn);
        let there =
            resolved(beside).map_err(|error| Error::output(beside, Operation::Open, error))?;
        let is_stale = job.force && exists(&self.output) && !wanted.contains(&there);
        if is_stale && check_apart(beside, &self.read).is_ok() && is_ledger(beside) {
            self.stale = Some(beside.to_owned());
        }
        Ok(())
    }

    /// Returns true if a folder is to be written at one of [`Self::places`].
    fn is_folder(&self, place: &Path) -> bool {
        let is_several = !self.alone;
        let has_folder = || self.targets.iter().any(|target| is_folder(target.format));
        place == self.aside || (place == self.output && (is_several || has_folder()))
    }

    /// Rejects outputs that overlap inputs or each other. Returns their resolved paths.
    fn check_apart(&self) -> Result<Vec<PathBuf>, Error> {
        let mut wanted: Vec<PathBuf> = Vec::new();
        for place in self.places() {
            check_apart(place, &self.read)?;
            // Two spellings may refer to one path.
            let there =
                resolved(place).map_err(|error| Error::output(place, Operation::Open, error))?;
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

    /// Puts the outputs into place, so that the old or the new pair of output and ledger exists at every moment.
    ///
    /// `staged_ledger` describes the steps. The set-aside folder and the report follow.
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
        reached(CommitStep::Written);
        let inode = ready.inode();
        let mut staged = None;
        if let Some(ledger) = ready.ledger {
            let inode =
                inode.map_err(|error| Error::output(&self.output, Operation::Open, error))?;
            let ledger = StagedLedger::new(ledger, inode).map_err(Error::Output)?;
            staged = Some((ledger, inode));
        }
        reached(CommitStep::LedgerStaged);
        let placed = if let Some(root) = ready.root {
            root.commit()
        } else if let Some(destination) = ready.destination {
            destination.commit()
        } else {
            Ok(())
        };
        reached(CommitStep::OutputPlaced);
        if let Some((mut ledger, inode)) = staged {
            // A commit may fail after its rename. The ledger belongs to what is at the path.
            if placed.is_ok() || has_inode(&self.output, inode) {
                ledger.keep();
                ledger.commit().map_err(Error::Output)?;
            }
        }
        placed.map_err(Error::Output)?;
        if let Some(stale) = &self.stale {
            let _ = remove(stale);
        }
        reached(CommitStep::LedgerPlaced);
        if let Some(mut aside) = ready.aside {
            let done = aside.sync().and_then(|()| aside.commit());
            done.map_err(Error::Output)?;
        } else if exists(&self.aside) && (self.options.force || is_empty(&self.aside)) {
            // The messages are of the old output.
            let _ = remove(&self.aside);
        }
        reached(CommitStep::AsidePlaced);
        if let Some(report) = ready.report {
            report.commit().map_err(Error::Output)?;
        }
        Ok(())
    }

    /// Returns the error of writing the ledger.
    pub(crate) fn ledger_error(&self, error: io::Error) -> Error {
        let path = self.ledger.as_deref().unwrap_or(&self.output);
        Error::output(path, Operation::Write, error)
    }
}

/// Returns true if the output path is the output itself. The mailboxes of a divided Maildir lie in a folder, even if there is only one.
fn is_alone(inputs: &[SourceInput]) -> bool {
    matches!(inputs, [input] if !input.found.is_one_folder)
}

/// Returns the outputs of the inputs.
pub(crate) fn targets(job: &NormalizeJob, inputs: &[SourceInput]) -> Vec<PlannedOutput> {
    let mut taken = HashSet::new();
    let target = |input: &SourceInput| {
        let format = output_format(&input.found, job.to);
        let name = if is_alone(inputs) {
            Vec::new()
        } else {
            output_name(input, format, &mut taken)
        };
        PlannedOutput {
            name,
            format,
            is_as_input: job.to.is_none(),
        }
    };
    inputs.iter().map(target).collect()
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
    use crate::commit_step::KILL_AFTER;
    use crate::job::LedgerPlace;
    use crate::normalize::normalize;
    use crate::progress::Progress;
    use crate::restore::{RestoreJob, restore};
    use crate::selection::Selection;
    use mailglot_archive::ErrorKind;
    use mailglot_mime::Policy;
    use std::fs;
    use std::process::{Command, Stdio};
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
            deterministic: false,
            force: true,
            opening: false.into(),
            selection: Selection::default(),
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

    /// Replaces the output in `folder` by that of another input, or is killed before.
    fn replace(folder: &Path) {
        let to = (folder.file_name() != Some("mbox".as_ref())).then_some(Format::Maildir);
        let mut job = job_in(folder, "new.mbox");
        job.to = to;
        normalize(&job, &Progress::default()).unwrap();
    }

    fn job_in(folder: &Path, input: &str) -> NormalizeJob {
        NormalizeJob {
            inputs: vec![folder.join(input)],
            output: folder.join("out"),
            to: None,
            policy: Policy::default(),
            ledger: LedgerPlace::Beside,
            report: None,
            threads: 1,
            deterministic: false,
            force: true,
            opening: false.into(),
            selection: Selection::default(),
            verify: false,
        }
    }

    /// Runs in a process of its own if [`PLACE`] names a folder.
    #[test]
    fn a_killed_job_leaves_a_matching_pair() {
        const PLACE: &str = "MAILGLOT_TEST_PLACE";
        if let Some(folder) = std::env::var_os(PLACE) {
            return replace(Path::new(&folder));
        }
        let mail = |text: &str| {
            format!("From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: {text}\n\nx\n\n")
        };
        let parent = tempfile::tempdir().unwrap();
        for (form, step, survivor) in ["mbox", "maildir"].into_iter().flat_map(|form| {
            [
                ("Written", "old"),
                ("LedgerStaged", "old"),
                ("OutputPlaced", "new"),
                ("LedgerPlaced", "new"),
                ("AsidePlaced", "new"),
                ("None", "new"),
            ]
            .map(|(step, survivor)| (form, step, survivor))
        }) {
            let folder = parent.path().join(step).join(form);
            fs::create_dir_all(&folder).unwrap();
            for name in ["old", "new"] {
                fs::write(folder.join(format!("{name}.mbox")), mail(name)).unwrap();
            }
            let mut first = job_in(&folder, "old.mbox");
            first.to = (form == "maildir").then_some(Format::Maildir);
            normalize(&first, &Progress::default()).unwrap();
            let child = Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "output_plan::tests::a_killed_job_leaves_a_matching_pair",
                ])
                .env(PLACE, &folder)
                .env(KILL_AFTER, step)
                .stderr(Stdio::null())
                .stdout(Stdio::null())
                .status()
                .unwrap();
            assert_eq!(child.success(), step == "None", "{form} {step}");
            let restored = |original: Option<PathBuf>| {
                let job = RestoreJob {
                    output: Some(folder.join("out")),
                    ledger: None,
                    original,
                    force: false,
                    keep_going: false,
                };
                restore(&job, &Progress::default())
            };
            // No output is recovered yet.
            restored(None).unwrap_or_else(|error| panic!("{form} {step}: {error}"));
            restored(Some(folder.join("back"))).unwrap();
            assert_eq!(
                fs::read_to_string(folder.join("back")).unwrap(),
                mail(survivor),
                "{form} {step}"
            );
            let staged = |name: &str| name.ends_with(".next.tmp");
            assert!(
                !names_in(&folder).iter().any(|name| staged(name)),
                "{form} {step}"
            );
            replace(&folder);
            let left = ["back", "new.mbox", "old.mbox", "out", "out.ledger"];
            assert_eq!(names_in(&folder), left, "{form} {step}");
            restored(None).unwrap();
        }
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_later_of_two_jobs_fails_before_it_works() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("a.mbox"),
            "From a@b Mon Jan  1 00:00:00 2001\nFrom: a\n\nx\n",
        )
        .unwrap();
        let claim = Claim::take(&folder.path().join("out")).unwrap();
        let job = job_in(folder.path(), "a.mbox");
        let before = names_in(folder.path());
        let busy = normalize(&job, &Progress::default());
        assert!(
            matches!(busy, Err(Error::Output(error)) if matches!(error.kind(), ErrorKind::Busy(_)))
        );
        assert_eq!(names_in(folder.path()), before);
        drop(claim);
        normalize(&job, &Progress::default()).unwrap();
    }

    #[test]
    fn suffixes_follow_the_whole_name() {
        assert_eq!(
            with_suffix(Path::new("a/b.mbox"), ".ledger"),
            Path::new("a/b.mbox.ledger")
        );
    }
}
