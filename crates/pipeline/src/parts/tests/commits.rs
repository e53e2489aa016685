//! Tests of commits that fail, are killed or compete with late attempts.

use super::*;

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
