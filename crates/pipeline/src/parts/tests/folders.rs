//! Tests of folders in several splits.

use super::*;
use crate::json_file_name::FileName;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::Ordering;

/// Fills a folder of about 3 MB: messages in several charsets, a message of 1.2 MB, damaged files, and files that are no mail.
pub(super) fn fill(root: &Path, is_maildir: bool) {
    let folders: &[&str] = if is_maildir {
        &[
            "cur", "new", "tmp", ".A/cur", ".A/new", ".A.B/cur", ".A.B/new",
        ]
    } else {
        &["a", "a/b", "A", "Sent.mbox/Messages"]
    };
    for folder in folders {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for number in 0..240 {
        let folder = folders[number * 5 % folders.len()];
        let body: &[u8] = [
            &b"d\xE9j\xE0 vu\n"[..],
            b"plain\n",
            b"From here\nbroken \xFF\xFE\n",
        ][number % 3];
        let header = format!(
            "Subject: =?iso-8859-1?Q?caf=E9_{number}?=\nContent-Type: text/plain; charset=iso-8859-1\n\n"
        );
        let repeat = if number == 100 { 200_000 } else { 600 };
        let content = match number % 29 {
            0 => vec![0xFF; 9_000],
            1 => Vec::new(),
            2 => b"no mail\n\nat all".to_vec(),
            _ => [header.as_bytes(), &body.repeat(repeat)].concat(),
        };
        let end = if is_maildir { ":2,S" } else { ".eml" };
        fs::write(root.join(folder).join(format!("{number}{end}")), content).unwrap();
    }
    if !is_maildir {
        fs::create_dir(root.join("mh")).unwrap();
        fs::write(root.join("mh/.mh_sequences"), "unseen: 3-9\n").unwrap();
        for number in 1..60 {
            let message = format!("Subject: {number}\n\n{}", "x\n".repeat(number * 40));
            let emlx = format!("{}\n{message}<plist><dict/></plist>\n", message.len());
            fs::write(root.join(format!("Sent.mbox/Messages/{number}.emlx")), emlx).unwrap();
            fs::write(root.join(format!("mh/{number}")), message).unwrap();
        }
    }
    fs::write(root.join("index"), "no mail\n\u{1}").unwrap();
}

#[test]
fn parts_of_a_folder_give_the_outputs_of_one_pass() {
    let folder = tempfile::tempdir().unwrap();
    for (name, is_maildir) in [("md", true), ("tree", false)] {
        let input = folder.path().join(name);
        fs::create_dir(&input).unwrap();
        fill(&input, is_maildir);
        for to in [Format::Mbox, Format::Maildir, Format::EmlTree] {
            check_same(&[&input], folder.path(), |job| {
                job.to = Some(to);
                job.policy.limits.message = if to == Format::Mbox {
                    100_000
                } else {
                    job.policy.limits.message
                };
            });
        }
    }
    // Two folders and a mailbox, some of whose splits share a part.
    let mailbox_path = folder.path().join("a.mbox");
    fs::write(&mailbox_path, mailbox(Dialect::Rd)).unwrap();
    let inputs = [
        folder.path().join("md"),
        mailbox_path,
        folder.path().join("tree"),
    ];
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    check_same(&inputs, folder.path(), |_| {});
}

#[test]
fn names_that_are_not_utf_8_stay_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    // Two names that look the same.
    let inputs = [at(b"caf\xe9.mbox"), at(b"caf\xe8.mbox"), at(b"\xff-\xfe")];
    for mailbox_path in &inputs[..2] {
        fs::write(mailbox_path, mailbox(Dialect::Rd)).unwrap();
    }
    fs::create_dir(&inputs[2]).unwrap();
    fill(&inputs[2], false);
    let inner = inputs[2].join(OsStr::from_bytes(b"\xe9"));
    fs::rename(inputs[2].join("a"), inner).unwrap();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    check_same(&inputs, folder.path(), |_| {});
    let resumed = job(&inputs, folder.path().join("resumed"));
    // The plan is made, and read again.
    let interrupted = Progress::default();
    interrupted.interrupt.store(true, Ordering::Relaxed);
    assert!(resume(&resumed, SIZE, &interrupted).is_err());
    let text = fs::read(folder.path().join("resumed.parts/plan.json")).unwrap();
    let plan = PartsPlan::parse(Path::new("plan.json"), &text).unwrap();
    assert!(plan.inputs.iter().map(FileName::path).eq(inputs));
    resume(&resumed, SIZE, &Progress::default()).unwrap();
    let tree_of = |name: &str| tree(&folder.path().join(name));
    assert!(tree_of("resumed") == tree_of("one/out"));
    assert!(tree_of("resumed.ledger") == tree_of("one/out.ledger"));
}

#[test]
fn names_in_utf_8_are_strings_of_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("caf\u{e9}.mbox");
    fs::write(&input, mailbox(Dialect::Rd)).unwrap();
    // As in plans of earlier versions, which can still be read.
    let plan = plan(&job(&[&input], folder.path().join("out")));
    let json: serde_json::Value = serde_json::from_str(&plan.to_json()).unwrap();
    let path = input.to_str().unwrap();
    assert_eq!(json["inputs"], serde_json::json!([path]));
    assert_eq!(json["sources"][0]["path"], path);
}

#[test]
fn ranges_of_a_folder_are_in_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("md");
    fs::create_dir(&input).unwrap();
    fill(&input, true);
    let job = job(&[&input], folder.path().join("out"));
    let plan = plan(&job);
    let pieces: Vec<_> = plan.splits.iter().flatten().collect();
    assert!(pieces.len() > 3, "{}", pieces.len());
    for piece in &pieces[1..] {
        let start = piece.files.as_ref().unwrap().start.as_ref().unwrap();
        assert!(input.join(&start.name).is_file(), "{start:?}");
        assert!(start.entries > 0 && start.weight > 0);
    }
    // Edited ranges.
    let sources = crate::discover::discover(
        &job.inputs,
        job.opening.clone(),
        crate::skip_scope::SkipScope::Nothing,
    )
    .unwrap();
    let edits: [fn(&mut PartsPlan); 4] = [
        |plan| drop(plan.splits.remove(1)),
        |plan| plan.splits.swap(0, 1),
        |plan| plan.splits[1][0].files.as_mut().unwrap().end = Some(0),
        |plan| plan.splits[0][0].files = None,
    ];
    let path = Path::new("plan.json");
    plan.check(path, &job, &sources.inputs).unwrap();
    for (number, edit) in edits.iter().enumerate() {
        let mut edited = plan.clone();
        edit(&mut edited);
        edited.job = edited.digest(&job, &sources.inputs);
        let checked = edited.check(path, &job, &sources.inputs);
        assert!(checked.is_err(), "{number}");
    }
    // A changed folder.
    run_split(&job, &plan, 0).unwrap();
    fs::write(input.join("new/another"), "Subject: x\n\n").unwrap();
    let error = run_split(&job, &plan, 1).unwrap_err();
    let words = "md has changed since it was planned";
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn a_resumed_job_continues_inside_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("md")).unwrap();
    fill(&at("md"), true);
    normalize(&job(&[&at("md")], at("whole")), &Progress::default()).unwrap();
    let job = job(&[&at("md")], at("out"));
    let interrupted = Progress::default();
    interrupted
        .interrupt
        .store(true, std::sync::atomic::Ordering::Relaxed);
    resume(&job, SIZE, &interrupted).unwrap_err();
    let plan = plan(&job);
    run_split(&job, &plan, 1).unwrap();
    resume(&job, SIZE, &Progress::default()).unwrap();
    assert!(tree(&at("whole")) == tree(&at("out")));
    assert!(fs::read(at("whole.ledger")).unwrap() == fs::read(at("out.ledger")).unwrap());
    assert!(!at("out.parts").exists());
}
