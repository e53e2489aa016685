//! Tests of threads, reports, and rejected jobs.

use crate::{Dialect, back, job, maildir, mbox, run, tree};
use mailglot_archive::Format;
use mailglot_mime::Policy;
use mailglot_pipeline::{
    CheckJob, Error, LedgerPlace, NormalizeJob, Progress, check, count, normalize,
};
use std::fs;

#[test]
fn output_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.mbox");
    fs::write(&path, mbox(40_000, Dialect::Rd)).unwrap();
    let report = |n: usize| folder.path().join(format!("{n}.json"));
    let mut first = None;
    for threads in [1, 2, 5] {
        let out = folder.path().join(format!("out{threads}"));
        let mut job = job(std::slice::from_ref(&path), &out);
        job.threads = threads;
        job.report = Some(report(threads));
        let progress = Progress::default();
        let summary = normalize(&job, &progress).unwrap();
        assert_eq!(progress.messages.into_inner(), 40_000);
        assert_eq!(progress.bytes.into_inner(), progress.total.into_inner());
        let ledger = fs::read(folder.path().join(format!("out{threads}.ledger"))).unwrap();
        assert_eq!(Some(ledger.len() as u64), summary.ledger_bytes);
        let result = (fs::read(&out).unwrap(), ledger, format!("{summary:?}"));
        assert!(
            *first.get_or_insert_with(|| result.clone()) == result,
            "{threads} threads"
        );
        back(&out, None).unwrap();
    }
    let text = fs::read_to_string(report(1)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["identity"]["messages_in"], 40_000);
    assert_eq!(json["identity"]["holds"], true);
    assert!(json["summary"]["events"].is_object());
    assert_eq!(
        text.replace("out1", "out5"),
        fs::read_to_string(report(5)).unwrap()
    );

    let check_job = |threads| CheckJob {
        inputs: vec![path.clone()],
        policy: Policy::default(),
        threads,
        opening: false.into(),
        selection: mailglot_pipeline::Selection::default(),
        verify: false,
    };
    let dry = check(&check_job(1), &Progress::default()).unwrap();
    let dry_many = check(&check_job(5), &Progress::default()).unwrap();
    assert_eq!(format!("{dry:?}"), format!("{dry_many:?}"));
    assert_eq!(
        (dry.changed, dry.messages_in),
        (json["summary"]["changed"].as_u64().unwrap(), 40_000)
    );
    assert_eq!(count(&path, false).unwrap(), [(40_000, path.clone())]);
}

#[test]
fn contradictory_jobs_are_rejected_before_writing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    maildir(&at("md"));
    fs::write(at("a.mbox"), mbox(2, Dialect::Rd)).unwrap();
    fs::write(at("taken"), b"mine").unwrap();
    let before = tree(folder.path());
    let refuse = |job: &NormalizeJob| {
        let error = normalize(job, &Progress::default()).unwrap_err();
        assert_eq!(tree(folder.path()), before, "{error}");
        error
    };
    let usage = |error: Error| assert!(matches!(error, Error::Usage(_)), "{error:?}");
    let output = |error: Error| assert!(matches!(error, Error::Output(..)), "{error:?}");
    let input = |error: Error| assert!(matches!(error, Error::Input(..)), "{error:?}");
    usage(refuse(&job(&[], &at("out"))));
    usage(refuse(&job(&[at("a.mbox")], &at("a.mbox"))));
    usage(refuse(&job(&[at("md")], &at("md/out"))));
    usage(refuse(&job(&[at("md")], &at("md/cur/out"))));
    usage(refuse(&NormalizeJob {
        force: true,
        ..job(&[at("md/new/001.host")], &at("md"))
    }));
    usage(refuse(&NormalizeJob {
        ledger: LedgerPlace::File(at("a.mbox")),
        ..job(&[at("a.mbox")], &at("out"))
    }));
    usage(refuse(&NormalizeJob {
        ledger: LedgerPlace::File(at("out")),
        ..job(&[at("a.mbox")], &at("out"))
    }));
    usage(refuse(&NormalizeJob {
        report: Some(at("md/r.json")),
        ..job(&[at("md")], &at("out"))
    }));
    output(refuse(&job(&[at("a.mbox")], &at("taken"))));
    output(refuse(&job(&[at("a.mbox")], &at("no/such/out"))));
    input(refuse(&job(&[at("none.mbox")], &at("out"))));
    input(refuse(&job(&[at("a.mbox"), at("none.mbox")], &at("out"))));
}

#[test]
fn force_replaces_output_and_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(2, Dialect::Rd)).unwrap();
    fs::write(at("b.mbox"), mbox(9, Dialect::Rd)).unwrap();
    for to in [Format::Mbox, Format::Maildir] {
        let out = at(&format!("{to:?}"));
        run(&NormalizeJob {
            to: Some(to),
            ..job(&[at("a.mbox")], &out)
        });
        let again = NormalizeJob {
            to: Some(to),
            ..job(&[at("b.mbox")], &out)
        };
        assert!(matches!(
            normalize(&again, &Progress::default()),
            Err(Error::Output(..))
        ));
        assert_eq!(back(&out, None).unwrap().messages, 2);
        run(&NormalizeJob {
            force: true,
            ..again
        });
        assert_eq!(back(&out, None).unwrap().messages, 9);
    }
    let names: Vec<_> = tree(folder.path())
        .into_keys()
        .filter(|p| p.to_string_lossy().contains("tmp."))
        .collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn without_a_ledger_none_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(6, Dialect::Rd)).unwrap();
    let summary = run(&NormalizeJob {
        ledger: LedgerPlace::Nowhere,
        ..job(&[at("a.mbox")], &at("out"))
    });
    assert_eq!(summary.ledger_bytes, None);
    run(&job(&[at("a.mbox")], &at("with")));
    assert_eq!(fs::read(at("out")).unwrap(), fs::read(at("with")).unwrap());
    assert!(!at("out.ledger").exists());
}
