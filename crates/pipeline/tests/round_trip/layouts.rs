//! Tests with formats other than mbox, Maildir and plain messages.

use crate::{Dialect, FORMS, back, check_dry_run, crlf, job, mbox, message, round_trip, run, tree};
use mailglot_archive::Format;
use mailglot_pipeline::NormalizeJob;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns a Babyl file. Every second message has a full header and a pruned one.
pub(crate) fn babyl(messages: usize) -> Vec<u8> {
    let mut out = b"BABYL OPTIONS: -*- rmail -*-\nVersion: 5\nLabels: caf\xe9\n\x1f".to_vec();
    for n in 0..messages {
        let text = message(n);
        let at = text.windows(2).position(|two| two == b"\n\n").unwrap() + 2;
        if n % 2 == 0 {
            out.extend_from_slice(b"\x0c\n1, answered,, caf\xe9,\n");
            out.extend_from_slice(&text[..at]);
            out.extend_from_slice(
                b"*** EOOH ***\nSubject: pruned =?iso-8859-1?Q?caf=E9?=\nFrom nobody\n\n",
            );
            out.extend_from_slice(&text[at..]);
        } else {
            out.extend_from_slice(b"\x0c\n0, unseen, deleted,,\n*** EOOH ***\n");
            out.extend_from_slice(&text);
        }
        out.push(0x1f);
    }
    out
}

/// Returns a Babyl file without displayed headers, or with ones that lack the empty line at their end.
fn babyl_without_displayed_headers() -> Vec<u8> {
    let mut out = b"BABYL OPTIONS: -*- rmail -*-\nVersion: 5\n\x1f".to_vec();
    for between in [
        "\n*** EOOH ***\n",
        "*** EOOH ***\n",
        "\n*** EOOH ***\nFrom: a\n",
        "*** EOOH ***\nFrom: a\n",
    ] {
        out.extend_from_slice(b"\x0c\n1,,\nFrom: a\nSubject: caf\xe9\n");
        out.extend_from_slice(between.as_bytes());
        out.extend_from_slice(b"Para one: \xe9.\n\nPara two.\n\x1f");
    }
    out
}

/// Returns an mbx file.
pub(crate) fn mbx(messages: usize) -> Vec<u8> {
    let mut out = b"*mbx*\r\n3a5c0f1200000003\r\n".to_vec();
    out.resize(2048, 0);
    for n in 0..messages {
        let text = crlf(&message(n));
        let flags = n % 8;
        let line = format!(
            " 7-Jul-2001 12:00:00 +0000,{};00000000000{flags}-00000001\r\n",
            text.len()
        );
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(&text);
    }
    out
}

/// Returns an emlx file.
pub(crate) fn emlx(n: usize, length: isize) -> Vec<u8> {
    let text = message(n);
    let length = text.len().saturating_add_signed(length);
    let list = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict><key>flags</key><integer>{n}</integer></dict>\n</plist>\n"
    );
    [format!("{length}\n").as_bytes(), &text, list.as_bytes()].concat()
}

/// Returns a file of Outlook Express with one node of up to 51 messages.
fn dbx(messages: &[Vec<u8>]) -> Vec<u8> {
    let number = |number: usize| (number as u32).to_le_bytes();
    let mut out = b"\xcf\xad\x12\xfe\xc5\xfd\x74\x6f\x66\xe3\xd1\x11\x9a\x4e\x00\xc0".to_vec();
    out.resize(0x24bc, 0);
    let mut node = vec![0; 0x18];
    node[0x11] = messages.len() as u8;
    for message in messages {
        let first = out.len();
        let mut segments = message.chunks(0x200).peekable();
        while let Some(text) = segments.next() {
            let place = out.len();
            let next = segments.peek().map_or(0, |_| place + 0x210);
            out.extend([place, 0x200, text.len(), next].map(number).concat());
            out.extend_from_slice(text);
            out.resize(place + 0x210, 0);
        }
        node.extend([out.len(), 0, 0].map(number).concat());
        // One field: the first segment.
        let info = [out.len(), 4, 1 << 16, 0x84 | first << 8];
        out.extend(info.map(number).concat());
    }
    let root = out.len();
    node[..4].copy_from_slice(&number(root));
    node.resize(0x27c, 0);
    out.extend_from_slice(&node);
    out[0xc4..0xc8].copy_from_slice(&number(messages.len()));
    out[0xe4..0xe8].copy_from_slice(&number(root));
    out
}

fn write(root: &Path, name: &str, bytes: &[u8]) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn files_of_every_layout_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("RMAIL", babyl(24), 24),
        ("crlf", crlf(&babyl(24)), 24),
        ("head", babyl(0), 0),
        ("bodies", babyl_without_displayed_headers(), 4),
        ("open", babyl(5)[..babyl(5).len() - 1].to_vec(), 5),
        ("inbox.mbx", mbx(24), 24),
        ("empty.mbx", mbx(0), 0),
        ("cut.mbx", mbx(9)[..mbx(9).len() - 20].to_vec(), 9),
        ("1.emlx", emlx(1, 0), 1),
        ("2.emlx", emlx(2, 7), 1),
        ("3.emlx", emlx(5, -3), 1),
    ];
    for (name, bytes, messages) in files {
        write(folder.path(), name, &bytes);
        for to in FORMS {
            let summary = round_trip(&folder.path().join(name), to);
            assert_eq!(summary.messages_in, messages, "{name} {to:?}");
            assert_eq!(summary.set_aside, 0);
        }
    }
}

/// Bytes of a damaged file that belong to no message are restored too.
#[test]
fn damaged_files_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for whole in [babyl(4), mbx(4), emlx(1, 0)] {
        for at in (20..whole.len()).step_by(31) {
            for change in [None, Some(0), Some(0x1f), Some(b'\n')] {
                let mut bytes = whole.clone();
                match change {
                    None => bytes.truncate(at),
                    Some(byte) => bytes[at] = byte,
                }
                fs::write(&path, &bytes).unwrap();
                let out = folder.path().join("out");
                let job = NormalizeJob {
                    force: true,
                    ..job(std::slice::from_ref(&path), &out)
                };
                run(&job);
                let original = folder.path().join("back");
                back(&out, Some(&original)).unwrap();
                assert!(fs::read(&original).unwrap() == bytes, "{at} {change:?}");
                fs::remove_file(original).unwrap();
            }
        }
    }
}

#[test]
fn the_full_header_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("RMAIL"), folder.path().join("out"));
    fs::write(&path, babyl(2)).unwrap();
    run(&job(std::slice::from_ref(&path), &out));
    let text = String::from_utf8(fs::read(&out).unwrap()).unwrap();
    assert!(
        text.contains("Sender 0") && text.contains("nothing to do"),
        "{text}"
    );
    assert!(!text.contains("pruned") && !text.contains("EOOH"), "{text}");
}

#[test]
fn labels_and_bits_become_flags_of_a_maildir() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, expected) in [
        ("RMAIL", babyl(2), ["RS", "T"]),
        ("inbox", mbx(2), ["", "S"]),
        ("1.emlx", emlx(5, 0), ["RS", ""]),
    ] {
        write(folder.path(), name, &bytes);
        let out = folder.path().join("out");
        run(&NormalizeJob {
            to: Some(Format::Maildir),
            force: true,
            ..job(&[folder.path().join(name)], &out)
        });
        let mut flags: Vec<_> = tree(&out.join("cur"))
            .into_keys()
            .map(|name| {
                name.to_str()
                    .unwrap()
                    .rsplit_once(":2,")
                    .map_or(String::new(), |(_, flags)| flags.to_owned())
            })
            .collect();
        flags.resize(2, String::new());
        assert_eq!(flags, expected, "{name}");
    }
}

#[test]
fn large_messages_are_restored_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let body = b"From a line of text\n>From another\n".repeat(40_000);
    let text = [b"From: a\nSubject: large\n\n", &body[..]].concat();
    let babyl = [
        b"BABYL OPTIONS:\n\x1f\x0c\n1, answered,,\n",
        &b"Received: x\nFrom: a\nSubject: large\n\n*** EOOH ***\nFrom: a\n\n"[..],
        &body,
        b"\x1f\x0c\n0,,\n*** EOOH ***\n",
        &message(1),
        b"\x1f",
    ]
    .concat();
    let line = format!(
        " 7-Jul-2001 12:00:00 +0000,{};000000000001-00000001\r\n",
        text.len()
    );
    let mbx = [&mbx(1)[..], line.as_bytes(), &text, &mbx(2)[2048..]].concat();
    let emlx = [
        format!("{}\n", text.len()).as_bytes(),
        &text,
        b"<?xml version=\"1.0\"?>\n<plist></plist>\n",
    ]
    .concat();
    for (name, bytes, messages) in [("RMAIL", babyl, 2), ("inbox", mbx, 4), ("1.emlx", emlx, 1)] {
        write(folder.path(), name, &bytes);
        for to in FORMS {
            let (out, original) = (folder.path().join("out"), folder.path().join("back"));
            let mut policy = mailglot_mime::Policy::default();
            policy.limits.message = 100_000;
            let summary = run(&NormalizeJob {
                to,
                policy,
                force: true,
                ..job(&[folder.path().join(name)], &out)
            });
            assert_eq!(summary.messages_in, messages, "{name}");
            back(&out, Some(&original)).unwrap();
            assert!(fs::read(&original).unwrap() == bytes, "{name} {to:?}");
            fs::remove_file(original).unwrap();
            if out.is_dir() {
                fs::remove_dir_all(&out).unwrap();
            } else {
                fs::remove_file(&out).unwrap();
            }
            fs::remove_file(folder.path().join("out.ledger")).unwrap();
        }
    }
}

/// A tree of Apple Mail: every file comes back, and the folders have their names.
#[test]
fn a_tree_of_apple_mail_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("Mail");
    let data = "V10/A1/INBOX.mbox/Work.mbox/B2/Data";
    write(&root, &format!("{data}/Messages/1.emlx"), &emlx(1, 0));
    write(
        &root,
        &format!("{data}/3/Messages/3001.partial.emlx"),
        &emlx(4, 0),
    );
    write(
        &root,
        &format!("{data}/3/Attachments/3001/2/photo.jpg"),
        b"\xff\xd8",
    );
    write(
        &root,
        "V10/A1/INBOX.mbox/B2/Data/Messages/2.emlx",
        &emlx(3, 12),
    );
    write(&root, "V10/A1/INBOX.mbox/Info.plist", b"<plist/>");
    write(&root, "V10/saved/page.mht", b"From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\ncaf\xe9\r\n");
    for to in FORMS {
        assert_eq!(round_trip(&root, to).messages_in, 4, "{to:?}");
    }
    let out = folder.path().join("out");
    run(&job(std::slice::from_ref(&root), &out));
    let folders: Vec<_> = tree(&out)
        .into_iter()
        .filter(|(_, bytes)| bytes.is_none())
        .map(|(name, _)| name)
        .collect();
    assert!(
        folders
            .iter()
            .any(|name| name == Path::new("V10/A1/INBOX/Work")),
        "{folders:?}"
    );
    assert!(
        folders
            .iter()
            .all(|name| !name.to_str().unwrap().contains(".mbox")),
        "{folders:?}"
    );
}

/// A profile of Thunderbird: mailboxes without extension, indexes beside them, folders below them.
#[test]
fn a_profile_of_thunderbird_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("Local Folders");
    let separator =
        b"From - Mon Jan 01 00:00:00 2001\nX-Mozilla-Status: 0009\nX-Mozilla-Status2: 00000000\n";
    let inbox = [
        &separator[..],
        &message(1),
        b"\n",
        separator,
        &message(2),
        b"\n",
    ]
    .concat();
    let bare = [b"From \nX-Mozilla-Status: 0006\n", &message(3)[..], b"\n"].concat();
    write(&root, "Inbox", &inbox);
    write(&root, "Inbox.msf", b"// <!-- <mdb:mork:z v=\"1.4\"/> -->\n");
    write(&root, "Inbox.sbd/Work", &bare);
    write(
        &root,
        "Inbox.sbd/Work.msf",
        b"// <!-- <mdb:mork:z v=\"1.4\"/> -->\n",
    );
    write(&root, "Trash", b"");
    write(&root, "Trash.msf", b"// <!-- <mdb:mork:z v=\"1.4\"/> -->\n");
    for to in FORMS {
        let (out, original) = (folder.path().join("out"), folder.path().join("back"));
        let summary = run(&NormalizeJob {
            to,
            ..job(std::slice::from_ref(&root), &out)
        });
        assert_eq!(summary.messages_in, 3, "{to:?}");
        let mut names: Vec<_> = fs::read_dir(&out)
            .unwrap()
            .map(|item| item.unwrap().file_name().into_string().unwrap())
            .collect();
        names.retain(|name| name != ".ledger");
        names.sort();
        assert!(
            names
                .iter()
                .all(|name| !name.contains("sbd") && !name.contains("msf")),
            "{names:?}"
        );
        back(&out, Some(&original)).unwrap();
        let mut expected = tree(&root);
        expected.retain(|name, _| name.extension().is_none_or(|end| end != "msf"));
        assert!(tree(&original) == expected, "{to:?}");
        if to == Some(Format::Maildir) {
            let flags = |name: &str| {
                tree(&out.join(name).join("cur"))
                    .into_keys()
                    .next()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .rsplit_once(":2,")
                    .unwrap()
                    .1
                    .to_owned()
            };
            assert_eq!(
                (flags("Inbox"), flags("Work")),
                ("ST".to_owned(), "FR".to_owned())
            );
        }
        assert!(
            !summary.events.contains_key("box.no-mail"),
            "{:?}",
            summary.events
        );
        fs::remove_dir_all(&out).unwrap();
        fs::remove_dir_all(&original).unwrap();
        let _ = fs::remove_file(folder.path().join("out.ledger"));
    }
}

/// Archives of pipermail, with obfuscated addresses, and mailboxes of Google Takeout, whose zone precedes the year.
#[test]
fn archives_of_lists_and_takeout_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let mut list = Vec::new();
    let mut takeout = Vec::new();
    for n in 0..30 {
        let text = message(n);
        let text: Vec<u8> = if n % 6 == 5 { message(0) } else { text };
        list.extend_from_slice(
            format!("From joe at example.org  Mon Jan  1 00:00:{n:02} 2001\n").as_bytes(),
        );
        list.extend_from_slice(format!("From: joe at example.org (Joe)\nDate: Mon, 1 Jan 2001 00:00:{n:02} +0000\nSubject: [list] {n}\n\n").as_bytes());
        list.extend_from_slice(b"caf\xe9 from the office\nFrom here on prose\n\n\n");
        takeout.extend_from_slice(format!("From 15110000000000{n:05}@xxx Mon Jan 01 00:00:{n:02} +0000 2018\r\nX-GM-THRID: 1511\r\nX-Gmail-Labels: =?UTF-8?Q?Wa=C5=BCne?=\r\n").as_bytes());
        let quoted = String::from_utf8_lossy(&text).replace("\nFrom ", "\n>From ");
        takeout.extend_from_slice(&crlf(quoted.as_bytes()));
        takeout.extend_from_slice(b"\r\n");
    }
    write(folder.path(), "2001-January.txt", &list);
    write(folder.path(), "All mail.mbox", &takeout);
    for name in ["2001-January.txt", "All mail.mbox"] {
        for to in FORMS {
            assert_eq!(
                round_trip(&folder.path().join(name), to).messages_in,
                30,
                "{name} {to:?}"
            );
        }
    }
    // The folder that a mirror of the list has: months, compressed, and an index.
    let root = folder.path().join("pipermail");
    for month in ["2001-January.txt", "2001-February.txt"] {
        write(&root, month, &list);
        let gzip = Command::new("gzip")
            .arg("-n")
            .arg(root.join(month))
            .status();
        assert!(gzip.unwrap().success());
    }
    write(&root, "index.html", b"<html>");
    let out = folder.path().join("out");
    let summary = run(&job(std::slice::from_ref(&root), &out));
    assert_eq!(summary.messages_in, 60);
    let original = folder.path().join("back");
    back(&out, Some(&original)).unwrap();
    assert!(fs::read(original.join("2001-January.txt")).unwrap() == list);
}

/// A stream has no name and cannot seek.
#[test]
fn mailboxes_of_layouts_in_a_folder_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("mail");
    write(&root, "RMAIL", &babyl(7));
    write(&root, "sub/inbox", &mbx(5));
    write(&root, "sub/list.mbox", &mbox(3, Dialect::Rd));
    write(&root, "1.emlx", &emlx(1, 0));
    for to in FORMS {
        let (out, original) = (folder.path().join("out"), folder.path().join("back"));
        let summary = run(&NormalizeJob {
            to,
            ..job(std::slice::from_ref(&root), &out)
        });
        assert_eq!(summary.messages_in, 16, "{to:?}");
        back(&out, Some(&original)).unwrap();
        assert!(tree(&original) == tree(&root), "{to:?}");
        fs::remove_dir_all(&out).unwrap();
        fs::remove_dir_all(&original).unwrap();
        let _ = fs::remove_file(folder.path().join("out.ledger"));
    }
}

/// A message store becomes a mailbox. Its messages are restored as files; the store is not.
#[test]
fn messages_of_a_store_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Inbox.dbx");
    let all: Vec<_> = (0..20).map(|n| crlf(&message(n))).collect();
    write(folder.path(), "Inbox.dbx", &dbx(&all));
    for to in FORMS {
        let (out, original) = (folder.path().join("out"), folder.path().join("back"));
        let job_there = NormalizeJob {
            to,
            ..job(std::slice::from_ref(&path), &out)
        };
        let summary = run(&job_there);
        assert_eq!((summary.messages_in, summary.set_aside), (20, 0));
        assert_eq!(
            out.is_file(),
            !matches!(to, Some(Format::Maildir | Format::EmlTree))
        );
        if to.is_none() {
            check_dry_run(&job_there, &summary);
        }
        back(&out, Some(&original)).unwrap();
        let mut files: Vec<_> = tree(&original).into_iter().collect();
        files.sort();
        let contents: Vec<_> = files.into_iter().map(|(_, bytes)| bytes.unwrap()).collect();
        assert_eq!(contents, all, "{to:?}");
        fs::remove_dir_all(original).unwrap();
        if out.is_dir() {
            fs::remove_dir_all(&out).unwrap();
        } else {
            fs::remove_file(&out).unwrap();
        }
        fs::remove_file(folder.path().join("out.ledger")).unwrap();
    }
}
