//! Maildirs, trees of messages, folders of many archives, several inputs.

use crate::{Dialect, FORMS, back, eml_tree, job, maildir, mbox, message, round_trip, run, tree};
use mailglot_archive::Format;
use mailglot_pipeline::NormalizeJob;
use std::fs;

#[test]
fn folders_come_back_with_everything_in_them() {
    let folder = tempfile::tempdir().unwrap();
    maildir(&folder.path().join("md"));
    eml_tree(&folder.path().join("tree"));
    for to in FORMS {
        assert_eq!(round_trip(&folder.path().join("md"), to).messages_in, 12);
        assert_eq!(round_trip(&folder.path().join("tree"), to).messages_in, 12);
    }
}

#[test]
fn the_mailbox_of_an_apple_folder_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Sent.mbox");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("mbox"), mbox(20, Dialect::Rd)).unwrap();
    fs::write(path.join("table_of_contents"), b"\0\x01binary").unwrap();
    let out = folder.path().join("out");
    let summary = run(&job(&[path.clone(), path.clone()], &out));
    assert_eq!(summary.messages_in, 40);
    assert!(out.join("Sent.mbox").is_file() && out.join("Sent-2.mbox").is_file());
    let original = folder.path().join("back");
    back(&out, Some(&original)).unwrap();
    let mailbox = fs::read(path.join("mbox")).unwrap();
    for name in ["Sent.mbox", "Sent-2.mbox"] {
        assert!(fs::read(original.join(name).join("mbox")).unwrap() == mailbox);
    }
}

#[test]
fn a_folder_of_many_archives_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("mail");
    eml_tree(&root);
    fs::create_dir_all(root.join("x/y")).unwrap();
    fs::write(root.join("x/y/a.mbox"), mbox(5, Dialect::Rd)).unwrap();
    fs::write(root.join("a.mbox"), mbox(4, Dialect::O)).unwrap();
    fs::write(root.join("x/notes.txt"), b"no mail").unwrap();
    maildir(&root.join("x/md"));
    for to in FORMS {
        let out = folder.path().join(format!("out-{to:?}"));
        let original = folder.path().join(format!("back-{to:?}"));
        let summary = run(&NormalizeJob { to, ..job(std::slice::from_ref(&root), &out) });
        assert_eq!(summary.messages_in, 12 + 5 + 4 + 12, "{:?}", summary.sources);
        back(&out, Some(&original)).unwrap();
        let (expected, found) = (tree(&root), tree(&original));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        assert!(found == expected);
    }
}

#[test]
fn flags_set_by_a_mail_program_do_not_hinder_restoring() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    maildir(&at("md"));
    run(&job(&[at("md")], &at("out")));
    let mut renamed = 0;
    for (name, bytes) in tree(&at("out")) {
        let text = name.to_string_lossy().into_owned();
        if let (Some((base, _)), Some(_)) = (text.rsplit_once(":2,"), bytes) {
            fs::rename(at("out").join(&name), at("out").join(format!("{base}:2,FT"))).unwrap();
            renamed += 1;
        }
    }
    assert_eq!(renamed, 12);
    back(&at("out"), Some(&at("back"))).unwrap();
    assert_eq!(tree(&at("back")), tree(&at("md")));
}

#[test]
fn a_single_message_stays_a_single_file() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..6 {
        let path = folder.path().join(format!("{n}.eml"));
        fs::write(&path, message(n)).unwrap();
        round_trip(&path, None);
        round_trip(&path, Some(Format::Mbox));
    }
    let out = folder.path().join("out.eml");
    run(&job(&[folder.path().join("1.eml")], &out));
    assert!(String::from_utf8(fs::read(&out).unwrap()).unwrap().contains("déjà vu"));
}

#[test]
fn several_inputs_go_to_one_folder_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("x")).unwrap();
    fs::write(at("a.mbox"), mbox(7, Dialect::Rd)).unwrap();
    fs::write(at("x/a.mbox"), mbox(3, Dialect::O)).unwrap();
    fs::write(at("one.eml"), message(2)).unwrap();
    maildir(&at("md"));
    let inputs = [at("a.mbox"), at("x/a.mbox"), at("one.eml"), at("md")];
    let out = at("out");
    let summary = run(&job(&inputs, &out));
    assert_eq!((summary.sources.len(), summary.messages_in), (4, 23));
    for name in ["a.mbox", "a-2.mbox", "one.eml", "md"] {
        assert!(out.join(name).exists(), "{name}");
    }
    let restored = back(&out, Some(&at("back"))).unwrap();
    assert_eq!((restored.sources, restored.messages), (4, 23));
    for (input, name) in inputs.iter().zip(["a.mbox", "a-2.mbox", "one.eml", "md"]) {
        assert_eq!(tree(input), tree(&at("back").join(name)), "{name}");
    }
}
