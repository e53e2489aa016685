//! Tests with Maildirs, trees of messages, folders of many archives, and several inputs.

use crate::{Dialect, FORMS, back, eml_tree, job, maildir, mbox, message, round_trip, run, tree};
use mailglot_archive::Format;
use mailglot_pipeline::{NormalizeJob, Progress, normalize};
use std::fs;
use std::path::Path;

#[test]
fn folders_are_restored_with_all_files() {
    let folder = tempfile::tempdir().unwrap();
    maildir(&folder.path().join("md"));
    eml_tree(&folder.path().join("tree"));
    for to in FORMS {
        assert_eq!(round_trip(&folder.path().join("md"), to).messages_in, 12);
        assert_eq!(round_trip(&folder.path().join("tree"), to).messages_in, 12);
    }
}

/// With `divides_maildirs`, each folder of a Maildir has a mailbox, and every file is restored.
#[test]
fn folders_of_a_maildir_become_mailboxes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("md");
    maildir(&path);
    for inner in ["lists/.x/cur", "lists/.x/new", "cur/deep", "tmp/cur/new"] {
        fs::create_dir_all(path.join(inner)).unwrap();
    }
    fs::write(path.join("lists/.x/cur/1.host"), message(1)).unwrap();
    fs::write(path.join("lists/no mail"), b"x").unwrap();
    fs::write(path.join("tmp/9.host"), message(9)).unwrap();
    fs::write(path.join(".leer.unter/old.mbox"), mbox(2, Dialect::Rd)).unwrap();
    let (out, original) = (folder.path().join("out"), folder.path().join("back"));
    let mut divided = job(std::slice::from_ref(&path), &out);
    divided.to = Some(Format::Mbox);
    divided.opening.divides_maildirs = true;
    let summary = run(&divided);
    assert_eq!(summary.messages_in, 15);
    assert!(!summary.sources.is_empty());
    let separators = |name: &str| {
        let mailbox = fs::read(out.join(name)).unwrap();
        let lines = mailbox.split(|byte| *byte == b'\n');
        lines.filter(|line| line.starts_with(b"From ")).count()
    };
    for (name, messages) in [
        ("md.mbox", 8),
        ("Entwürfe.mbox", 4),
        ("leer_unter.mbox", 0),
        ("lists_x.mbox", 1),
        ("old.mbox", 2),
    ] {
        assert_eq!(separators(name), messages, "{name}");
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), 5);
    back(&out, Some(&original)).unwrap();
    assert!(tree(&path) == tree(&original));
    // Each further pass changes nothing.
    let again = folder.path().join("again");
    run(&job(std::slice::from_ref(&out), &again));
    assert!(tree(&out) == tree(&again));
}

/// The output is a folder even if the Maildir has one folder. Other inputs become one file, as with an undivided Maildir.
#[test]
fn the_output_of_a_divided_maildir_is_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("md/cur")).unwrap();
    fs::create_dir(at("md/new")).unwrap();
    fs::write(at("md/cur/1.host"), message(1)).unwrap();
    eml_tree(&at("tree"));
    for (input, divides, output) in [
        ("md", true, "folder/md.mbox"),
        ("md", false, "one"),
        ("tree", true, "merged"),
    ] {
        let place = at(output.split('/').next().unwrap());
        let mut divided = job(&[at(input)], &place);
        divided.to = Some(Format::Mbox);
        divided.opening.divides_maildirs = divides;
        run(&divided);
        assert!(at(output).is_file(), "{output}");
        let original = place.with_extension("back");
        back(&place, Some(&original)).unwrap();
        assert!(tree(&at(input)) == tree(&original), "{output}");
    }
}

#[test]
fn apple_mailbox_is_restored() {
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
fn nested_mail_is_read_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for inner in [
        "apple/P.mbox/C.mbox",
        "apple/P.mbox/sub",
        "md/cur",
        "md/new",
        "md/old",
        "eml/cur",
        "eml/2001",
    ] {
        fs::create_dir_all(at(inner)).unwrap();
    }
    fs::write(at("apple/P.mbox/mbox"), mbox(1, Dialect::Rd)).unwrap();
    fs::write(at("apple/P.mbox/C.mbox/mbox"), mbox(2, Dialect::Rd)).unwrap();
    fs::write(at("apple/P.mbox/sub/list.mbox"), mbox(3, Dialect::O)).unwrap();
    fs::write(at("apple/P.mbox/sub/1.eml"), message(1)).unwrap();
    fs::write(at("apple/P.mbox/table_of_contents"), b"\0\x01").unwrap();
    fs::write(at("md/cur/1.host:2,S"), message(2)).unwrap();
    fs::write(at("md/cur/.DS_Store"), b"\0\0").unwrap();
    fs::write(at("md/2.eml"), message(3)).unwrap();
    fs::write(at("md/old/3.eml"), message(4)).unwrap();
    fs::write(at("md/old/4.mbox"), mbox(2, Dialect::Rd)).unwrap();
    for (n, name) in ["eml/1.eml", "eml/2001/2.eml", "eml/cur/3.eml"]
        .iter()
        .enumerate()
    {
        fs::write(at(name), message(n)).unwrap();
    }
    for (input, messages) in [("apple", 7), ("md", 5), ("eml", 3)] {
        for to in FORMS {
            assert_eq!(
                restored_mailboxes(&at(input), to),
                messages,
                "{input} {to:?}"
            );
        }
    }
}

/// Counts the messages of a folder of several archives. All mail in it is restored, and a second pass finds as many and changes
/// nothing.
fn restored_mailboxes(input: &Path, to: Option<Format>) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let (out, original) = (folder.path().join("out"), folder.path().join("back"));
    let summary = run(&NormalizeJob {
        to,
        ..job(&[input.to_owned()], &out)
    });
    back(&out, Some(&original)).unwrap();
    assert!(
        tree(&original) == tree(input),
        "{} as {to:?}: another original",
        input.display()
    );
    let second = run(&job(&[out], &folder.path().join("again")));
    assert_eq!((second.changed, second.messages_in), (0, summary.written));
    summary.messages_in
}

#[test]
fn mailboxes_named_like_maildir_parts_form_no_maildir() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("in");
    fs::create_dir(&root).unwrap();
    for name in ["cur", "new", "tmp", "a.mbox"] {
        fs::write(root.join(name), mbox(2, Dialect::Rd)).unwrap();
    }
    for to in FORMS {
        assert_eq!(restored_mailboxes(&root, to), 8);
    }
    // Levels of Maildir folders become folders, too.
    let root = folder.path().join("md");
    for name in [".x.cur", ".x.new", ".tmp", ""] {
        fs::create_dir_all(root.join(name).join("cur")).unwrap();
        fs::create_dir_all(root.join(name).join("new")).unwrap();
        fs::write(root.join(name).join("cur/1.host:2,S"), message(1)).unwrap();
    }
    for to in FORMS {
        assert_eq!(round_trip(&root, to).messages_in, 4);
    }
}

#[test]
fn folder_of_many_archives_is_restored() {
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
        let summary = run(&NormalizeJob {
            to,
            ..job(std::slice::from_ref(&root), &out)
        });
        assert_eq!(
            summary.messages_in,
            12 + 5 + 4 + 12,
            "{:?}",
            summary.sources
        );
        back(&out, Some(&original)).unwrap();
        let (expected, found) = (tree(&root), tree(&original));
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>()
        );
        assert!(found == expected);
    }
}

#[test]
fn changed_flags_do_not_prevent_restoring() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    maildir(&at("md"));
    run(&job(&[at("md")], &at("out")));
    let mut renamed = 0;
    for (name, bytes) in tree(&at("out")) {
        let text = name.to_string_lossy().into_owned();
        if let (Some((base, _)), Some(_)) = (text.rsplit_once(":2,"), bytes) {
            fs::rename(
                at("out").join(&name),
                at("out").join(format!("{base}:2,FT")),
            )
            .unwrap();
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
    assert!(
        String::from_utf8(fs::read(&out).unwrap())
            .unwrap()
            .contains("déjà vu")
    );
}

#[test]
fn several_inputs_share_an_output_folder() {
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
    for (input, name) in inputs.iter().zip(["a.mbox", "x/a.mbox", "one.eml", "md"]) {
        assert_eq!(tree(input), tree(&at("back").join(name)), "{name}");
    }
}

/// Outputs that the selection leaves empty need no original: the ledger has it.
#[test]
fn several_outputs_without_a_message_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(3, Dialect::Rd)).unwrap();
    fs::write(at("b.mbox"), mbox(2, Dialect::O)).unwrap();
    let mut none = job(&[at("a.mbox"), at("b.mbox")], &at("out"));
    none.selection.limit = Some(0);
    assert_eq!(normalize(&none, &Progress::default()).unwrap().written, 0);
    back(&at("out"), Some(&at("back"))).unwrap();
    for name in ["a.mbox", "b.mbox"] {
        assert_eq!(tree(&at(name)), tree(&at("back").join(name)), "{name}");
    }
}

/// Returns the names of the messages of an output folder, without digests.
fn names(out: &Path) -> Vec<String> {
    let files = tree(out).into_iter().filter(|(_, bytes)| bytes.is_some());
    let name = |path: std::path::PathBuf| {
        let name = path.to_string_lossy().into_owned();
        let at = name.rfind("0000").map_or(0, |at| at + 5);
        format!("{}{}", &name[..at], &name[(at + 13).min(name.len())..])
    };
    files.map(|(path, _)| name(path)).collect()
}

#[test]
fn flags_are_kept_or_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["md/cur", "md/new"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    fs::write(at("md/cur/1.x:2,Sab"), message(0)).unwrap();
    fs::write(at("md/new/2.x"), message(1)).unwrap();
    for (to, told) in [
        (None, 0),
        (Some(Format::Mbox), 1),
        (Some(Format::EmlTree), 1),
    ] {
        let summary = round_trip(&at("md"), to);
        assert_eq!(
            summary.events.get("msg.flags").copied().unwrap_or(0),
            told,
            "{to:?}"
        );
    }
    run(&job(&[at("md")], &at("md2")));
    assert_eq!(
        names(&at("md2")),
        ["cur/00000000.mailglot:2,Sab", "cur/00000001.mailglot:2,"]
    );

    let mail =
        |fields: &str| format!("From a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\n{fields}\nb\n\n");
    let fields = [
        "Status: RO\nX-Status: AF\n",
        "X-Mozilla-Status: 0009\n",
        "Subject: s\n",
    ];
    fs::write(at("box"), fields.map(mail).concat()).unwrap();
    round_trip(&at("box"), Some(Format::Maildir));
    run(&NormalizeJob {
        to: Some(Format::Maildir),
        ..job(&[at("box")], &at("md3"))
    });
    let flags = ["FRS", "ST", ""].into_iter().enumerate();
    let expected: Vec<_> = flags
        .map(|(n, flags)| format!("cur/{n:08}.mailglot:2,{flags}"))
        .collect();
    assert_eq!(names(&at("md3")), expected);
}

#[test]
fn messages_marked_as_deleted_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["md/cur", "md/new"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    fs::write(at("md/cur/1.x:2,ST"), message(0)).unwrap();
    fs::write(at("md/cur/2.x:2,S"), message(1)).unwrap();
    let mail =
        |fields: &str| format!("From a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\n{fields}\nb\n\n");
    let fields = [
        "X-Mozilla-Status: 0008\n",
        "Status: RO\nX-Status: D\n",
        "X-Mozilla-Status: 0001\n",
    ];
    fs::write(at("box"), fields.map(mail).concat()).unwrap();
    let mut mbx = b"*mbx*\r\n3a5c0f1200000003\r\n".to_vec();
    mbx.resize(2048, 0);
    for flags in ["8000", "0002", "0001"] {
        let message = "From: a@b.c\r\n\r\nx\r\n";
        let line = format!(
            " 7-Jul-2001 12:00:00 +0000,{};00000000{flags}-00000001\r\n{message}",
            message.len()
        );
        mbx.extend_from_slice(line.as_bytes());
    }
    fs::write(at("old.mbx"), mbx).unwrap();
    for (name, expected) in [("md", 1), ("box", 2), ("old.mbx", 2)] {
        for to in FORMS {
            let summary = round_trip(&at(name), to);
            let reported = summary.events.get("msg.deleted").copied();
            assert_eq!(reported, Some(expected), "{name} {to:?}");
        }
    }
}

#[test]
fn merged_folders_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    maildir(&at("md"));
    eml_tree(&at("tree"));
    for (name, to, expected) in [
        ("md", None, 0),
        ("md", Some(Format::Mbox), 4),
        ("md", Some(Format::EmlTree), 0),
        ("tree", Some(Format::Maildir), 0),
        ("tree", Some(Format::Mbox), 6),
    ] {
        let summary = round_trip(&at(name), to);
        let reported = summary.events.get("msg.folder").copied().unwrap_or(0);
        assert_eq!(reported, expected, "{name} {to:?}");
    }
    // A message above the limit is reported once, not for each piece.
    let mut job = NormalizeJob {
        to: Some(Format::Mbox),
        ..job(&[at("md")], &at("small"))
    };
    job.policy.limits.message = 50;
    assert_eq!(run(&job).events["msg.folder"], 4);
}

#[test]
fn folders_are_not_merged() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("in");
    for (n, name) in [&b"a\xff"[..], b"a\xfe", b"A.B", b"A_B", b"c:d", b"c_d"]
        .iter()
        .enumerate()
    {
        let inner = root.join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("1.eml"), message(n)).unwrap();
    }
    for (to, told) in [
        (None, 3),
        (Some(Format::Maildir), 3),
        (Some(Format::Mbox), 0),
    ] {
        let summary = round_trip(&root, to);
        assert_eq!(
            summary.events.get("box.folder-name").copied().unwrap_or(0),
            told,
            "{to:?}"
        );
        let out = folder.path().join(format!("{to:?}"));
        run(&NormalizeJob {
            to,
            ..job(std::slice::from_ref(&root), &out)
        });
        let folders = fs::read_dir(&out).map_or(0, |items| {
            items
                .filter(|item| {
                    !matches!(
                        item.as_ref().unwrap().file_name().to_str(),
                        Some("cur" | "new" | "tmp")
                    )
                })
                .count()
        });
        assert_eq!(
            folders,
            if to == Some(Format::Mbox) { 0 } else { 6 },
            "{to:?}"
        );
    }
}

/// In a mailbox written from files, separators and the empty lines before them end in LF, as other programs need it.
#[test]
fn messages_with_cr_get_separators_that_others_find() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("md"), folder.path().join("out.mbox"));
    fs::create_dir_all(path.join("cur")).unwrap();
    fs::create_dir_all(path.join("new")).unwrap();
    fs::create_dir_all(path.join("tmp")).unwrap();
    for (number, end) in ["\n", "\r", "\r\n", "\r", "\r", "\n"].iter().enumerate() {
        let lf = String::from_utf8_lossy(&message(number * 6)).into_owned();
        fs::write(
            path.join(format!("cur/{number}.h:2,S")),
            lf.replace('\n', end),
        )
        .unwrap();
    }
    fs::write(path.join("cur/6.h:2,S"), b"Subject: open\r\rno end").unwrap();
    let job_to_mbox = NormalizeJob {
        to: Some(Format::Mbox),
        ..job(std::slice::from_ref(&path), &out)
    };
    assert_eq!(run(&job_to_mbox).messages_in, 7);
    let mailbox = fs::read(&out).unwrap();
    let lines: Vec<_> = mailbox.split(|byte| *byte == b'\n').collect();
    let separators = lines.iter().filter(|line| line.starts_with(b"From "));
    assert_eq!(separators.clone().count(), 7);
    assert!(
        separators
            .clone()
            .all(|line| !line[..line.len() - 1].contains(&b'\r'))
    );
    back(&out, Some(&folder.path().join("back"))).unwrap();
    assert!(tree(&path) == tree(&folder.path().join("back")));
    let again = folder.path().join("again.mbox");
    assert_eq!(run(&job(&[out], &again)).messages_in, 7);
    assert!(mailbox == fs::read(&again).unwrap());
}

/// A mailbox in CR stays one, whatever its separators.
#[test]
fn a_mailbox_in_cr_keeps_its_line_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("a.mbox"), folder.path().join("out.mbox"));
    for date in ["Mon Jan  1 00:00:00 2001", "Mon Jan  1 00:00:00 2001 +0000"] {
        let text = format!("From a@b.c {date}\nSubject: a\n\ntext\n").replace('\n', "\r");
        fs::write(&path, text.repeat(3)).unwrap();
        run(&NormalizeJob {
            force: true,
            ..job(std::slice::from_ref(&path), &out)
        });
        assert!(!fs::read(&out).unwrap().contains(&b'\n'), "{date}");
    }
}
