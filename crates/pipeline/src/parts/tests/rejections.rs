//! Tests of parts, jobs and inputs that are rejected.

use super::*;

#[test]
fn parts_that_do_not_fit_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mailbox(Dialect::Rd)).unwrap();
    let job = job(&[&at("a.mbox")], at("out"));
    let plan = plan(&job);
    let last = plan.splits() - 1;
    let error = run_split(&job, &plan, last + 1).unwrap_err();
    assert!(
        matches!(fault(&error), PartsFault::NoSplit { .. }),
        "{error}"
    );
    for split in 0..last {
        run_split(&job, &plan, split).unwrap();
    }
    let error = commit(&job, &plan).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with(&format!("split {last} of {} has not finished", last + 1)),
        "{error}"
    );
    run_split(&job, &plan, last).unwrap();
    // A flipped bit, a missing end, and the manifest of another split.
    let part = PartsFolder::new(&job.output, &plan.job).part(1);
    let (data, manifest) = (part.join("part"), part.join("manifest.json"));
    let whole = fs::read(&data).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for bytes in [
        &flipped[..],
        &whole[..whole.len() - 1],
        &[&whole[..], b"B"].concat(),
    ] {
        fs::write(&data, bytes).unwrap();
        let error = commit(&job, &plan).unwrap_err();
        if bytes.len() == whole.len() {
            assert!(matches!(fault(&error), PartsFault::Damaged(_)), "{error}");
        } else {
            let PartsFault::Cut { split: 1, .. } = fault(&error) else {
                panic!("{error}");
            };
            // `run` rejects the part.
            let again = run_split(&job, &plan, 1).unwrap_err();
            assert_eq!(again.to_string(), error.to_string());
        }
        assert!(!at("out").exists() && !at("out.ledger").exists());
    }
    fs::write(&data, &whole).unwrap();
    let text = fs::read_to_string(&manifest).unwrap();
    for damaged in [
        text.replace("\"split\": 1", "\"split\": 2"),
        text.replace("\"source\": 0", "\"source\": 1"),
        text.replace('{', "["),
    ] {
        fs::write(&manifest, damaged).unwrap();
        let error = commit(&job, &plan).unwrap_err();
        assert!(matches!(fault(&error), PartsFault::Damaged(_)), "{error}");
    }
    fs::write(&manifest, &text).unwrap();
    // Other options, and another input.
    let mut other = job.clone();
    other.policy.keep_signed = true;
    assert!(matches!(
        fault(&commit(&other, &plan).unwrap_err()),
        PartsFault::OtherJob(_)
    ));
    let bytes = fs::read(at("a.mbox")).unwrap();
    fs::write(at("a.mbox"), [&bytes[..], b"\n"].concat()).unwrap();
    for error in [
        commit(&job, &plan).unwrap_err(),
        run_split(&job, &plan, 0).unwrap_err(),
    ] {
        assert!(
            error
                .to_string()
                .contains("a.mbox has changed since it was planned"),
            "{error}"
        );
    }
}

#[test]
fn jobs_that_no_part_can_do_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mailbox(Dialect::Rd)).unwrap();
    let mut limited = job(&[&at("a.mbox")], at("out"));
    limited.selection.limit = Some(1);
    let stream = job(&[Path::new("-")], at("out"));
    for job in [limited, stream] {
        assert!(matches!(
            plan_parts(&job, Vec::new(), SIZE),
            Err(Error::Usage(_))
        ));
    }
    for text in ["", "{}", "[1]"] {
        assert!(PartsPlan::parse(Path::new("p"), text.as_bytes()).is_err());
    }
    let other = plan(&job(&[&at("a.mbox")], at("out")))
        .to_json()
        .replace("\"mailglot ", "\"mailglot 99");
    assert!(
        PartsPlan::parse(Path::new("p"), other.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("made by mailglot 99")
    );
}

#[test]
fn outputs_are_checked_before_a_split_is_processed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("md")).unwrap();
    fs::write(at("md/a.mbox"), mailbox(Dialect::Rd)).unwrap();
    let before = tree(folder.path());
    for (input, output) in [
        ("md/a.mbox", "md/a.mbox"),
        ("md", "md/out"),
        ("md", "md"),
        ("md/a.mbox", "no/such/out"),
    ] {
        let planned = job(&[&at(input)], at("out"));
        let plan = plan(&planned);
        let error = run_split(&job(&[&at(input)], at(output)), &plan, 0).unwrap_err();
        let is_refused = match &error {
            Error::Usage(_) => true,
            Error::Output(error) => matches!(error.kind(), ErrorKind::NoParent),
            _ => false,
        };
        assert!(is_refused, "{error}");
    }
    assert!(tree(folder.path()) == before);
    assert_eq!(names(folder.path()), ["md"]);
}

#[test]
fn a_file_in_the_place_of_a_folder_ends_a_resumed_job_before_work() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mailbox(Dialect::Rd)).unwrap();
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("folder/a.eml"), "Subject: x\n\n").unwrap();
    fs::write(at("file"), "x").unwrap();
    let before = tree(folder.path());
    for (output, to, ledger) in [
        ("file", Some(Format::Maildir), LedgerPlace::Beside),
        ("folder", None, LedgerPlace::Beside),
        ("new", None, LedgerPlace::File(at("folder"))),
    ] {
        let mut job = job(&[&at("a.mbox")], at(output));
        (job.force, job.to, job.ledger) = (true, to, ledger);
        let error = resume(&job, SIZE, &Progress::default()).unwrap_err();
        let Error::Output(error) = &error else {
            panic!("{error}")
        };
        let is_found = matches!(error.kind(), ErrorKind::NotFolder | ErrorKind::IsFolder);
        assert!(is_found, "{error}");
        // Nothing of the job is left, no parts either.
        assert!(tree(folder.path()) == before, "{output}");
        assert!(!at("new.parts").exists());
    }
    let several = job(&[&at("a.mbox"), &at("folder/a.eml")], at("file"));
    let several = NormalizeJob {
        force: true,
        ..several
    };
    assert!(resume(&several, SIZE, &Progress::default()).is_err());
    assert!(tree(folder.path()) == before);
}

#[test]
fn a_part_without_a_manifest_is_reported_before_work() {
    let all = AllParts::new();
    let part = all.parts().part(1);
    fs::remove_file(part.join("manifest.json")).unwrap();
    for error in [
        run_split(&all.job, &all.plan, 1).unwrap_err(),
        commit(&all.job, &all.plan).unwrap_err(),
    ] {
        let expected = format!(
            "{}: the part cannot be used: it has no manifest",
            part.display()
        );
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(names(&all.at("out.parts")).len(), all.plan.splits());
    // A file in the place of the folder.
    fs::remove_dir_all(all.at("out.parts")).unwrap();
    fs::write(all.at("out.parts"), "x").unwrap();
    for error in [
        run_split(&all.job, &all.plan, 1).unwrap_err(),
        commit(&all.job, &all.plan).unwrap_err(),
        resume(&all.job, SIZE, &Progress::default()).unwrap_err(),
    ] {
        assert!(matches!(fault(&error), PartsFault::NotAFolder), "{error}");
    }
}

#[test]
fn an_edit_that_keeps_size_and_time_ends_a_resumed_job() {
    let all = AllParts::new();
    fs::remove_dir_all(all.at("out.parts")).unwrap();
    let interrupted = Progress::default();
    interrupted
        .interrupt
        .store(true, std::sync::atomic::Ordering::Relaxed);
    resume(&all.job, SIZE, &interrupted).unwrap_err();
    let input = all.at("a.mbox");
    let time = fs::metadata(&input).unwrap().modified().unwrap();
    let file = fs::File::options().write(true).open(&input).unwrap();
    file.write_all_at(b"X", 200).unwrap();
    file.set_modified(time).unwrap();
    let error = resume(&all.job, SIZE, &Progress::default()).unwrap_err();
    let words = "a.mbox has changed since the job began";
    assert!(error.to_string().ends_with(words), "{error}");
    assert!(!all.at("out").exists());
    // A plan of another version.
    let plan = fs::read_to_string(all.at("out.parts/plan.json")).unwrap();
    let other = plan.replace("\"mailglot ", "\"mailglot 99");
    fs::write(all.at("out.parts/plan.json"), other).unwrap();
    let error = resume(&all.job, SIZE, &Progress::default()).unwrap_err();
    assert!(
        matches!(fault(&error), PartsFault::NotContinued(_)),
        "{error}"
    );
    // Anew.
    fs::remove_dir_all(all.at("out.parts")).unwrap();
    resume(&all.job, SIZE, &Progress::default()).unwrap();
    assert!(!all.at("out.parts").exists());
}
