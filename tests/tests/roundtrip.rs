//! Every message of the shared material, normalized and restored: as one tree of files, and each alone.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_mime::Policy;
use mailglot_pipeline::{LedgerPlace, NormalizeJob, Progress, RestoreJob, normalize, restore};
use mailglot_tests::{binary, shared, tree};
use std::fs;
use std::path::Path;

#[test]
fn the_shared_messages_come_back_as_a_tree() {
    let messages = shared::messages();
    if messages.is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::create_dir(&input).unwrap();
    for (number, path) in messages.iter().enumerate() {
        fs::copy(path, input.join(format!("{number:05}.eml"))).unwrap();
    }
    let before = tree::read(&input).unwrap();
    let mut outputs = Vec::new();
    for threads in ["1", "2"] {
        let out = folder.path().join(format!("out{threads}"));
        // One of them is not mail by its name alone.
        let options = ["-q", "normalize", "--force-format", "--threads", threads];
        let run = binary::run([&options[..], &[path(&input), "-o", path(&out)]].concat());
        assert!(run.status.success(), "{}", binary::shown(&run));
        let original = folder.path().join(format!("original{threads}"));
        let run = binary::run(["-q", "restore", path(&out), "-o", path(&original)]);
        assert!(run.status.success(), "{}", binary::shown(&run));
        assert_eq!(
            tree::difference(&before, &tree::read(&original).unwrap()),
            None,
            "{threads} thread(s)"
        );
        outputs.push(tree::read(&out).unwrap());
    }
    assert_eq!(
        tree::difference(&outputs[0], &outputs[1]),
        None,
        "one and two threads"
    );
    assert_eq!(
        tree::difference(&before, &tree::read(&input).unwrap()),
        None,
        "the input"
    );

    let again = folder.path().join("again");
    let run = binary::run([
        "-q",
        "normalize",
        "--force-format",
        path(&folder.path().join("out1")),
        "-o",
        path(&again),
    ]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    assert_eq!(
        tree::difference(&outputs[0], &tree::read(&again).unwrap()),
        None,
        "a second pass"
    );
}

#[test]
fn every_shared_message_comes_back_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (number, message) in shared::messages().into_iter().enumerate() {
        let bytes = fs::read(&message).unwrap();
        let out = folder.path().join(format!("{number}.eml"));
        let job = NormalizeJob {
            inputs: vec![message.clone()],
            output: out.clone(),
            to: None,
            policy: Policy::default(),
            ledger: LedgerPlace::Beside,
            report: None,
            threads: 1,
            deterministic: false,
            force: false,
            opening: true.into(),
            selection: mailglot_pipeline::Selection::default(),
            verify: false,
        };
        let summary = normalize(&job, &Progress::default())
            .unwrap_or_else(|error| panic!("{}: {error}", message.display()));
        assert_eq!(
            summary.messages_in,
            summary.written,
            "{}",
            message.display()
        );
        let original = folder.path().join("original");
        let job = RestoreJob {
            output: Some(out.clone()),
            ledger: None,
            original: Some(original.clone()),
            force: true,
            keep_going: false,
        };
        restore(&job, &Progress::default())
            .unwrap_or_else(|error| panic!("{}: {error}", message.display()));
        assert!(
            fs::read(&original).unwrap() == bytes,
            "{}",
            message.display()
        );
        fs::remove_file(&out).unwrap();
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}
