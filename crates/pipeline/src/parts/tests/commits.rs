//! Tests of commits that fail, are killed or compete with late attempts.

use super::*;
use crate::commit_step::KILL_AFTER;
use std::process::{Command, Stdio};

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in tree(from) {
        // Without a slash at the end.
        let place: PathBuf = to.join(name).components().collect();
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
}

#[test]
fn only_an_output_of_the_job_is_replaced_after_a_kill() {
    let all = AllParts::new();
    let refused = || {
        let error = commit(&all.job, &all.plan).unwrap_err();
        assert!(
            matches!(&error, Error::Output(error) if matches!(error.kind(), ErrorKind::Exists)),
            "{error}"
        );
        assert_eq!(fs::read(all.at("out")).unwrap(), b"of another");
    };
    // Killed before the rename; then somebody else wrote the output.
    fs::write(all.at("out"), "staged").unwrap();
    all.mark(None);
    fs::write(all.at("other"), "of another").unwrap();
    fs::rename(all.at("other"), all.at("out")).unwrap();
    refused();
    // A mark of another job.
    let other = PartsFolder::new(&all.job.output, "0123");
    let mark = other.new_mark(inode(&all.at("out")));
    all.parts().set_mark(&mark, FileMode::default()).unwrap();
    refused();
    // No file of another name is a mark, for `resume` either.
    fs::write(all.at("out.parts/placing"), "").unwrap();
    refused();
    resume(&all.job, SIZE, &Progress::default()).unwrap_err();
    fs::remove_file(all.at("out.parts/placing")).unwrap();
    // Killed after the rename: the output is that of the job.
    all.mark(None);
    commit(&all.job, &all.plan).unwrap();
    assert_ne!(fs::read(all.at("out")).unwrap(), b"of another");
    assert!(!all.at("out.parts").exists());
}

#[test]
fn a_commit_that_fails_leaves_no_mark() {
    let all = AllParts::new();
    // A folder that is not empty appears in the place of the output after the checks: the ledger is claimed, and then the rename fails.
    let sources = crate::discover::discover(
        &all.job.inputs,
        all.job.opening.clone(),
        crate::skip_scope::SkipScope::Nothing,
    )
    .unwrap();
    let outputs = super::commit::outputs(&all.job, &sources.inputs, false).unwrap();
    let appear = || {
        fs::create_dir(all.at("out")).unwrap();
        fs::write(all.at("out/x"), "of another").unwrap();
        Ok(())
    };
    let progress = Progress::default();
    super::commit::join(&all.job, &all.plan, &sources, &outputs, &appear, &progress).unwrap_err();
    let names = names(&all.at("out.parts"));
    assert_eq!(names.len(), all.plan.splits(), "{names:?}");
    assert_eq!(fs::read(all.at("out/x")).unwrap(), b"of another");
}

#[test]
fn a_commit_that_was_killed_while_it_swept_is_repeated() {
    let all = AllParts::new();
    copy(&all.at("out.parts"), &all.at("copy"));
    let summary = commit(&all.job, &all.plan).unwrap();
    let before = fs::read(all.at("out")).unwrap();
    for left in 0..all.plan.splits() {
        // The mark and some of the parts are left. The inputs are no longer needed.
        copy(&all.at("copy"), &all.at("out.parts"));
        for split in left..all.plan.splits() {
            fs::remove_dir_all(all.parts().part(split)).unwrap();
        }
        all.mark(Some(&summary));
        assert!(
            run_split(&all.job, &all.plan, all.plan.splits() - 1)
                .unwrap()
                .is_joined
        );
        let again = commit(&all.job, &all.plan).unwrap();
        let json = |summary: &Summary| serde_json::to_value(summary).unwrap();
        assert_eq!(json(&again), json(&summary));
        assert_eq!(fs::read(all.at("out")).unwrap(), before);
        assert!(!all.at("out.parts").exists());
    }
    // Killed after the folder was renamed for the sweep.
    fs::create_dir(all.at("out.parts.swept.tmp")).unwrap();
    fs::write(all.at("out.parts.swept.tmp/output.json"), "").unwrap();
    commit(&all.job, &all.plan).unwrap_err();
    assert!(!all.at("out.parts.swept.tmp").exists());
}

/// The job that [`a_resumed_job_that_is_killed_again_is_resumed`] kills, in `folder`.
fn killed_job(folder: &Path) -> NormalizeJob {
    let is_maildir = folder.ends_with("maildir");
    NormalizeJob {
        to: is_maildir.then_some(Format::Maildir),
        threads: 1,
        ..job(&[&folder.join("a.mbox")], folder.join("out"))
    }
}

/// The first kill may leave an output in place. The second one hits the process that replaces this output.
///
/// Runs in a process of its own if [`PLACE`] names a folder.
#[test]
fn a_resumed_job_that_is_killed_again_is_resumed() {
    const PLACE: &str = "MAILGLOT_TEST_PLACE";
    const STEPS: [&str; 5] = [
        "Written",
        "LedgerStaged",
        "OutputPlaced",
        "LedgerPlaced",
        "AsidePlaced",
    ];
    let run = |folder: &Path| resume(&killed_job(folder), SIZE, &Progress::default());
    if let Some(folder) = std::env::var_os(PLACE) {
        run(Path::new(&folder)).unwrap();
        return;
    }
    let name = "parts::tests::commits::a_resumed_job_that_is_killed_again_is_resumed";
    let kill = |folder: &Path, step: &str| {
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env(PLACE, folder)
            .env(KILL_AFTER, step)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .status();
        assert_eq!(status.unwrap().code(), None, "{step}");
    };
    let message = "From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: \u{e9}\n\nx\n\n";
    for form in ["mbox", "maildir"] {
        for (first, second) in STEPS.iter().flat_map(|one| STEPS.map(|two| (one, two))) {
            let parent = tempfile::tempdir().unwrap();
            let folder = parent.path().join(form);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("a.mbox"), message).unwrap();
            kill(&folder, first);
            kill(&folder, second);
            let kills = format!("{form} {first} {second}");
            let joined = run(&folder).unwrap_or_else(|error| panic!("{kills}: {error}"));
            assert_eq!(joined.summary.messages_in, 1, "{kills}");
            let left = ["a.mbox", "out", "out.json", "out.ledger"];
            assert_eq!(names(&folder), left, "{kills}");
            let job = RestoreJob {
                output: Some(folder.join("out")),
                ledger: None,
                original: Some(folder.join("back")),
                force: false,
                keep_going: false,
            };
            restore(&job, &Progress::default()).unwrap();
            let back = fs::read_to_string(folder.join("back")).unwrap();
            assert_eq!(back, message, "{kills}");
        }
    }
}

/// Only the output that the killed process left is replaced, not one that came later.
#[test]
fn a_mark_names_the_output_that_is_replaced() {
    let all = AllParts::new();
    fs::write(all.at("out"), "of the killed process").unwrap();
    all.mark(None);
    let set = |output: u64| {
        let mark = all.parts().new_mark(output);
        all.parts().set_mark(&mark, FileMode::default()).unwrap();
    };
    fs::write(all.at("staged"), "of the next process").unwrap();
    set(inode(&all.at("staged")));
    assert!(all.parts().mark().is_some());
    set(inode(&all.at("staged")));
    assert!(all.parts().mark().is_some());
    fs::write(all.at("other"), "of another").unwrap();
    fs::rename(all.at("other"), all.at("out")).unwrap();
    assert!(all.parts().mark().is_none());
    // The mark that replaces this one does not name the output of another.
    set(inode(&all.at("staged")));
    assert!(all.parts().mark().is_none());
    commit(&all.job, &all.plan).unwrap_err();
    fs::rename(all.at("staged"), all.at("out")).unwrap();
    assert!(all.parts().mark().is_some());
    commit(&all.job, &all.plan).unwrap();
}

#[test]
fn attempts_that_outlive_the_commit_end_well() {
    let all = AllParts::new();
    commit(&all.job, &all.plan).unwrap();
    // An attempt that begins after the commit leaves nothing.
    let done = run_split(&all.job, &all.plan, 0).unwrap();
    assert!(done.is_joined && done.was_done && !all.at("out.parts").exists());
    // One that runs while the commit sweeps.
    let mut job = all.job.clone();
    job.force = true;
    let progress = Progress::default();
    let run = || run_part(&job, (Path::new("plan.json"), &all.plan), 0, &progress);
    let is_swept = || {
        std::thread::scope(|scope| {
            let attempt = scope.spawn(run);
            while !attempt.is_finished() {
                let items = fs::read_dir(all.at("out.parts"));
                if items.is_ok_and(|mut items| items.next().is_some()) {
                    break;
                }
            }
            all.parts().sweep();
            attempt.join().unwrap().unwrap().is_joined
        })
    };
    // On a busy machine, an attempt may end before the sweep.
    assert!((0..50).any(|_| is_swept()));
    assert!(!all.at("out.parts").exists());
    // Without an output, nothing was joined.
    fs::remove_file(all.at("out")).unwrap();
    assert!(!run().unwrap().is_joined);
    // To replace an output, its splits are forced.
    fs::write(all.at("out"), "old").unwrap();
    fs::remove_dir_all(all.at("out.parts")).unwrap();
    let error = commit_parts(&job, (Path::new("plan.json"), &all.plan), &progress).unwrap_err();
    assert!(
        matches!(
            fault(&error),
            PartsFault::Missing {
                has_output: true,
                ..
            }
        ),
        "{error}"
    );
    assert!(!run().unwrap().is_joined);
    assert!(all.at("out.parts").exists());
}
