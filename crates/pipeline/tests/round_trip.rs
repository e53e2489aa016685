//! Whole archives there and back: every form, every number of threads, and everything that can go wrong on the way.
#![allow(clippy::unwrap_used)] // The helpers of tests are tests too.

use mailglot_archive::Format;
use mailglot_mime::Policy;
use mailglot_pipeline::{
    CheckJob, Error, LedgerPlace, NormalizeJob, Progress, RestoreJob, Summary, check, count, normalize,
    restore,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A message in a charset that needs work, or not, by number; LF.
fn message(n: usize) -> Vec<u8> {
    let mut out =
        format!("From: \"Sender {n}\" <s{n}@example.org>\nDate: Mon, 1 Jan 2001 00:00:{:02} +0000\n", n % 60)
            .into_bytes();
    let body: &[u8] = match n % 6 {
        0 => b"Subject: plain\n\nnothing to do\n",
        1 => b"Subject: =?iso-8859-1?Q?caf=E9?=\nMIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nd\xE9j\xE0 vu\nFrom the start of a line\n>From quoted\n",
        2 => b"Subject: koi\nMIME-Version: 1.0\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n8NLJ18XULCDNydIhCg==\n",
        3 => b"Subject: qp\nMIME-Version: 1.0\nContent-Type: text/html; charset=\"windows-1252\"\nContent-Transfer-Encoding: quoted-printable\n\n<p>=93quoted=94 text =\nsoft</p>\nFrom =46rom\n=46rom hidden\n",
        4 => b"Subject: two\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: text/plain; charset=shift_jis\n\n\x82\xA0\x82\xA2\n--b\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\nAAECAwQF\n--b--\n",
        _ => b"Subject: no charset\n\nbroken \xFF\xFE bytes\n\nFrom nobody\n",
    };
    out.extend_from_slice(body);
    out
}

fn crlf(lf: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in lf {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}

#[derive(Clone, Copy, Debug)]
enum Dialect {
    Rd,
    O,
    Cl2,
    Irregular,
}

fn mbox(messages: usize, dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    for n in 0..messages {
        let message = message(n);
        out.extend_from_slice(
            format!("From s{n}@example.org Mon Jan  1 00:00:{:02} 2001\n", n % 60).as_bytes(),
        );
        match dialect {
            Dialect::Cl2 => {
                let at = message.windows(2).position(|w| w == b"\n\n").unwrap() + 1;
                out.extend_from_slice(&message[..at]);
                out.extend_from_slice(format!("Content-Length: {}\n", message.len() - at - 1).as_bytes());
                out.extend_from_slice(&message[at..]);
            }
            _ => {
                for line in message.split_inclusive(|&b| b == b'\n') {
                    let marks = line.iter().take_while(|&&b| b == b'>').count();
                    let from = line[marks..].starts_with(b"From ");
                    let quotes = match dialect {
                        Dialect::Rd => from,
                        Dialect::O => from && marks == 0,
                        _ => from && n % 4 != 1,
                    };
                    if quotes {
                        out.push(b'>');
                    }
                    out.extend_from_slice(line);
                }
            }
        }
        out.push(b'\n');
    }
    out
}

fn job(inputs: &[PathBuf], output: &Path) -> NormalizeJob {
    NormalizeJob {
        inputs: inputs.to_vec(),
        output: output.to_owned(),
        to: None,
        policy: Policy::default(),
        ledger: LedgerPlace::Beside,
        report: None,
        threads: 1,
        force: false,
    }
}

fn run(job: &NormalizeJob) -> Summary {
    let summary = normalize(job, &Progress::default()).unwrap();
    assert_eq!(summary.messages_in, summary.written + summary.set_aside);
    summary
}

fn back(output: &Path, original: Option<&Path>) -> Result<mailglot_pipeline::Restored, Error> {
    let job = RestoreJob {
        output: Some(output.to_owned()),
        ledger: None,
        original: original.map(Path::to_owned),
        force: false,
    };
    restore(&job, &Progress::default())
}

/// Every file and folder below a path, with contents.
fn tree(path: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    if path.is_file() {
        found.insert(PathBuf::new(), Some(fs::read(path).unwrap()));
        return found;
    }
    let mut waiting = vec![path.to_owned()];
    while let Some(folder) = waiting.pop() {
        for item in fs::read_dir(&folder).unwrap() {
            let item = item.unwrap().path();
            let name = item.strip_prefix(path).unwrap().to_owned();
            if item.is_dir() {
                found.insert(name, None);
                waiting.push(item);
            } else {
                found.insert(name, Some(fs::read(&item).unwrap()));
            }
        }
    }
    found
}

/// There, back, there again: the original comes back, and a second pass changes nothing.
fn round_trip(input: &Path, to: Option<Format>) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    let (out, original) = (folder.path().join("out"), folder.path().join("back"));
    let summary = run(&NormalizeJob { to, ..job(&[input.to_owned()], &out) });
    let restored = back(&out, Some(&original)).unwrap();
    assert_eq!(restored.messages, summary.messages_in);
    assert!(tree(&original) == tree(input), "{} as {to:?}: another original", input.display());
    assert_eq!(back(&out, None).unwrap().bytes, summary.bytes_in);

    if summary.written == 0 && out.is_dir() {
        // An empty folder is no archive of any form.
        return summary;
    }
    let again = folder.path().join("again");
    let second = run(&job(std::slice::from_ref(&out), &again));
    assert_eq!(second.changed, 0, "{} as {to:?}: {second:#?}", input.display());
    assert_eq!(second.messages_in, summary.written);
    assert!(tree(&again) == tree(&out), "{} as {to:?}: another second pass", input.display());
    summary
}

const FORMS: [Option<Format>; 4] = [None, Some(Format::Mbox), Some(Format::Maildir), Some(Format::EmlTree)];

#[test]
fn mailboxes_of_every_dialect_come_back() {
    let folder = tempfile::tempdir().unwrap();
    for dialect in [Dialect::Rd, Dialect::O, Dialect::Cl2, Dialect::Irregular] {
        for ends in ["lf", "crlf"] {
            let path = folder.path().join(format!("{dialect:?}-{ends}.mbox"));
            let lf = mbox(30, dialect);
            // The lengths of mboxcl2 are those of LF.
            if ends == "crlf" && matches!(dialect, Dialect::Cl2) {
                continue;
            }
            fs::write(&path, if ends == "lf" { lf } else { crlf(&lf) }).unwrap();
            for to in FORMS {
                let summary = round_trip(&path, to);
                assert_eq!(summary.messages_in, 30, "{dialect:?} {ends} {to:?}");
                assert!(summary.changed >= 15, "{summary:?}");
            }
        }
    }
}

/// Texts that hold lines like delimiters, or come to hold them when they are decoded, stay as many messages as they were.
#[test]
fn what_is_written_is_read_as_the_same_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.mbox");
    let typed = |encoding: &str, body: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n{body}\n"
        )
    };
    let multipart = |end: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b#\"\n\n--b#\n\ntext\n\n--b#\n\nFrom inside\n{end}"
        )
    };
    let messages = [
        // `Grüße`, `--Anna_H` and a number, with empty lines between.
        typed("base64", "R3LDvMOfZQoKLS1Bbm5hX0gKClRlbC4gMTIzCg=="),
        typed("quoted-printable", "gr=C3=BC=C3=9Fe\n\n--=20\n\nAnna"),
        typed("quoted-printable", "gr=C3=BC=C3=9Fe\n\n=2D-x1\n\n=46rom me"),
        typed("8bit", "--On 1 January 2001 10:00 +0000 Joe Smith wrote:\n\n> hi"),
        typed("7bit", "Not delivered:\n\n--=_abc123\nContent-Type: text/plain\n\nhello"),
        "\n--b2-- x\n".to_owned(),
        "Date: Mon, 1 Jan 2001 00:00:00 +0000\n--b2-- x\n".to_owned(),
        multipart("--b#--\n"),
        multipart(""),
    ];
    let separators = [
        "From a@example.org Mon Jan  1 00:00:00 2001\n",
        "From  a@b  Mon Jan  1 00:00:00 2001\n",
        "From joe at example.org  Mon Jan  1 00:00:00 2001\n",
        "From - Mon Jan 01 00:00:00 2001\n",
        "From \n",
    ];
    // xorshift64*
    let mut state = 0x5eed_u64;
    let mut below = |limit: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    };
    let mut mailboxes: Vec<(Vec<u8>, Option<u64>)> = (0..80)
        .map(|_| {
            let count = 2 + below(12);
            let separator = separators[below(separators.len())];
            let ends = ["\n", "\r\n", "\r"][below(3)];
            let mut text = String::new();
            for n in 0..count {
                let message = messages[below(messages.len())].replace('#', &n.to_string());
                let blank = if below(8) == 0 { "" } else { "\n" };
                let number = n.to_string();
                text +=
                    &[separator, "From: a@example.org\nSubject: ", &number, "\n", &message, blank].concat();
            }
            (text.replace('\n', ends).into_bytes(), Some(count as u64))
        })
        .collect();
    mailboxes.extend(
        [
            "From  a@b  Mon Jan  1 00:00:00 2001\r--b2-- x\rFrom  a@b  Mon Jan  1 00:00:00 2001\r\nFrom: \"D. S.\" <d@example.com>\r--b2-- x\r\n",
            "From joe at example.org  Mon Jan  1 00:00:00 2001\n--b2-- x\r\nFrom joe at example.org  Mon Jan  1 00:00:00 2001\nContent-Type: multipart/encrypted; protocol=\"application=?windows-1256?b?zcjHIMjf4w==?=\r\n--b2-- x",
        ]
        .map(|text| (text.as_bytes().to_vec(), None)),
    );
    for (number, (text, expected)) in mailboxes.into_iter().enumerate() {
        fs::write(&path, &text).unwrap();
        // A second pass reads as many as were written, and changes nothing.
        let summary = round_trip(&path, Some(Format::Mbox));
        assert!(
            expected.is_none_or(|count| count == summary.messages_in),
            "{number}: {} of {expected:?} in {}",
            summary.messages_in,
            text.escape_ascii()
        );
    }
}

#[test]
fn odd_mailboxes_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let base = mbox(5, Dialect::Rd);
    let mut bom = b"\xEF\xBB\xBF\n\n".to_vec();
    bom.extend_from_slice(&base);
    let mut no_end = base.clone();
    no_end.truncate(base.len() - 2);
    let no_blank = String::from_utf8_lossy(&base).replace("\n\nFrom s", "\nFrom s").into_bytes();
    let cr = base.iter().map(|&b| if b == b'\n' { b'\r' } else { b }).collect();
    let mmdf =
        [&b"\x01\x01\x01\x01\nFrom: a@b\nSubject: x\n\nte\xE9xt\nFrom x\n\x01\x01\x01\x01\n"[..]; 2].concat();
    let takeout =
        String::from_utf8_lossy(&crlf(&base)).replace("2001\r\nFrom:", "+0000 2001\r\nFrom:").into_bytes();
    let cases: [(&str, Vec<u8>); 8] = [
        ("bom", bom),
        ("no-end", no_end),
        ("no-blank", no_blank),
        ("cr", cr),
        ("mmdf", mmdf),
        ("takeout", takeout),
        ("empty", Vec::new()),
        ("noise", (0..4000u32).map(|i| ((i * 7919) >> 3) as u8).collect()),
    ];
    for (name, bytes) in cases {
        let path = folder.path().join(format!("{name}.mbox"));
        fs::write(&path, bytes).unwrap();
        for to in FORMS {
            round_trip(&path, to);
        }
    }
}

fn maildir(root: &Path) {
    for sub in [
        "cur",
        "new",
        "tmp",
        ".Entw&APw-rfe/cur",
        ".Entw&APw-rfe/new",
        ".Entw&APw-rfe/tmp",
        ".leer.unter/cur",
        ".leer.unter/new",
        ".leer.unter/tmp",
    ] {
        fs::create_dir_all(root.join(sub)).unwrap();
    }
    for n in 0..12 {
        let name = match n % 3 {
            0 => format!("cur/{n:03}.host:2,RS"),
            1 => format!("new/{n:03}.host"),
            _ => format!(".Entw&APw-rfe/cur/{n:03}.host:2,"),
        };
        fs::write(root.join(name), message(n)).unwrap();
    }
    fs::write(root.join("dovecot-uidlist"), b"3 V1\n").unwrap();
    fs::write(root.join(".Entw&APw-rfe/maildirfolder"), b"").unwrap();
}

fn eml_tree(root: &Path) {
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::create_dir_all(root.join("leer")).unwrap();
    for n in 0..10 {
        let name = ["", "a/", "a/b/"][n % 3];
        fs::write(root.join(format!("{name}{n}.eml")), crlf(&message(n))).unwrap();
    }
    // Ends without a line end.
    fs::write(root.join("end.eml"), b"Subject: x\n\nno end").unwrap();
    fs::write(root.join("empty.eml"), b"").unwrap();
}

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

#[test]
fn threads_change_nothing() {
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
        assert_eq!(ledger.len() as u64, summary.ledger_bytes);
        let result = (fs::read(&out).unwrap(), ledger, format!("{summary:?}"));
        assert!(*first.get_or_insert_with(|| result.clone()) == result, "{threads} threads");
        back(&out, None).unwrap();
    }
    let text = fs::read_to_string(report(1)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["identity"]["messages_in"], 40_000);
    assert_eq!(json["identity"]["holds"], true);
    assert!(json["summary"]["events"].is_object());
    assert_eq!(text.replace("out1", "out5"), fs::read_to_string(report(5)).unwrap());

    let check_job = |threads| CheckJob { inputs: vec![path.clone()], policy: Policy::default(), threads };
    let dry = check(&check_job(1), &Progress::default()).unwrap();
    let dry_many = check(&check_job(5), &Progress::default()).unwrap();
    assert_eq!(format!("{dry:?}"), format!("{dry_many:?}"));
    assert_eq!((dry.changed, dry.messages_in), (json["summary"]["changed"].as_u64().unwrap(), 40_000));
    assert_eq!(count(&path).unwrap(), [(40_000, path.clone())]);
}

#[test]
fn a_large_message_passes_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.mbox");
    let mut bytes = mbox(2, Dialect::Rd);
    bytes.extend_from_slice(
        b"From big@example.org Mon Jan  1 00:00:00 2001\nFrom: big@example.org\nSubject: big\n\n",
    );
    let lines = b">From a line\nanother line of some length, so that pieces end anywhere\n>>>From deeper\n";
    while bytes.len() < 3_000_000 {
        bytes.extend_from_slice(lines);
    }
    bytes.push(b'\n');
    bytes.extend_from_slice(&mbox(2, Dialect::Rd));
    fs::write(&path, &bytes).unwrap();
    for to in FORMS {
        for limit in [100_000, 100_001, 65_537] {
            let out = folder.path().join(format!("out-{to:?}-{limit}"));
            let mut job = NormalizeJob { to, ..job(std::slice::from_ref(&path), &out) };
            job.policy.limits.message = limit;
            job.threads = 2;
            let summary = run(&job);
            assert_eq!((summary.messages_in, summary.written), (5, 5), "{to:?}");
            assert_eq!(summary.events["msg.too-large"], 1);
            let original = folder.path().join(format!("back-{to:?}-{limit}"));
            back(&out, Some(&original)).unwrap();
            assert!(fs::read(&original).unwrap() == bytes, "{to:?} {limit}");
            if to == Some(Format::Maildir) {
                let big = tree(&out).into_values().flatten().max_by_key(Vec::len).unwrap();
                assert!(!big.windows(8).any(|w| w == b"\n>From a"), "quoting stayed");
            }
        }
    }
}

#[test]
fn a_damaged_ledger_restores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(6, Dialect::Irregular)).unwrap();
    run(&job(&[at("a.mbox")], &at("out")));
    let good = fs::read(at("out.ledger")).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        fs::write(at("out.ledger"), bytes).unwrap();
        let error = back(&at("out"), Some(&at("back"))).expect_err(what);
        assert!(matches!(error, Error::Ledger(..)), "{what}: {error:?}");
        assert!(!at("back").exists(), "{what}");
    };
    for byte in 0..good.len() {
        let mut bad = good.clone();
        bad[byte] ^= 0x10;
        refused(&bad, &format!("byte {byte}"));
    }
    for len in (0..good.len()).step_by(7) {
        refused(&good[..len], &format!("length {len}"));
    }
    fs::remove_file(at("out.ledger")).unwrap();
    assert!(matches!(back(&at("out"), Some(&at("back"))), Err(Error::Ledger(..))));
    fs::write(at("out.ledger"), &good).unwrap();
    back(&at("out"), Some(&at("back"))).unwrap();
    // Temporary files stay nowhere.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn a_wrong_output_restores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(6, Dialect::Rd)).unwrap();
    run(&job(&[at("a.mbox")], &at("out")));
    let good = fs::read(at("out")).unwrap();
    let mut cases: Vec<Vec<u8>> =
        vec![Vec::new(), good[..good.len() - 1].to_vec(), [&good[..], b"x"].concat()];
    for byte in (0..good.len()).step_by(11) {
        let mut bad = good.clone();
        bad[byte] ^= 1;
        cases.push(bad);
    }
    for bad in cases {
        fs::write(at("out"), bad).unwrap();
        let error = back(&at("out"), Some(&at("back"))).unwrap_err();
        assert!(matches!(error, Error::Ledger(..)), "{error:?}");
        assert!(!at("back").exists());
        assert!(back(&at("out"), None).is_err());
    }
}

#[test]
fn a_changed_file_of_an_output_folder_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    maildir(&at("md"));
    run(&job(&[at("md")], &at("out")));
    let (name, bytes) = tree(&at("out")).into_iter().find(|(_, bytes)| bytes.is_some()).unwrap();
    let bytes = bytes.unwrap();
    let path = at("out").join(name);
    fs::write(&path, [&bytes[..], b"\n"].concat()).unwrap();
    assert!(matches!(back(&at("out"), Some(&at("back"))), Err(Error::Ledger(..))));
    fs::remove_file(&path).unwrap();
    assert!(back(&at("out"), Some(&at("back"))).is_err());
    assert!(!at("back").exists());
    fs::write(&path, &bytes).unwrap();
    back(&at("out"), Some(&at("back"))).unwrap();
}

#[test]
fn senseless_jobs_are_refused_before_anything_is_written() {
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
    usage(refuse(&NormalizeJob { force: true, ..job(&[at("md/new/001.host")], &at("md")) }));
    usage(refuse(&NormalizeJob {
        ledger: LedgerPlace::File(at("a.mbox")),
        ..job(&[at("a.mbox")], &at("out"))
    }));
    usage(refuse(&NormalizeJob { ledger: LedgerPlace::File(at("out")), ..job(&[at("a.mbox")], &at("out")) }));
    usage(refuse(&NormalizeJob { report: Some(at("md/r.json")), ..job(&[at("md")], &at("out")) }));
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
        run(&NormalizeJob { to: Some(to), ..job(&[at("a.mbox")], &out) });
        let again = NormalizeJob { to: Some(to), ..job(&[at("b.mbox")], &out) };
        assert!(matches!(normalize(&again, &Progress::default()), Err(Error::Output(..))));
        assert_eq!(back(&out, None).unwrap().messages, 2);
        run(&NormalizeJob { force: true, ..again });
        assert_eq!(back(&out, None).unwrap().messages, 9);
    }
    let names: Vec<_> =
        tree(folder.path()).into_keys().filter(|p| p.to_string_lossy().contains("tmp.")).collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn without_a_ledger_none_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(6, Dialect::Rd)).unwrap();
    let summary = run(&NormalizeJob { ledger: LedgerPlace::Nowhere, ..job(&[at("a.mbox")], &at("out")) });
    assert_eq!(summary.ledger_bytes, 0);
    run(&job(&[at("a.mbox")], &at("with")));
    assert_eq!(fs::read(at("out")).unwrap(), fs::read(at("with")).unwrap());
    assert!(!at("out.ledger").exists());
}

#[test]
fn a_length_that_is_no_longer_true_goes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(6, Dialect::Cl2)).unwrap();
    let summary = run(&job(&[at("a.mbox")], &at("out")));
    let out = fs::read(at("out")).unwrap();
    assert!(!out.windows(15).any(|w| w == b"Content-Length:"));
    assert_eq!(summary.messages_in, 6);
    back(&at("out"), Some(&at("back"))).unwrap();
    assert_eq!(fs::read(at("back")).unwrap(), fs::read(at("a.mbox")).unwrap());
}

#[test]
fn a_ledger_that_holds_its_message_whole_needs_no_output() {
    use mailglot_archive::ledger::write_whole;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let large = b"Subject: x\r\n\r\n\xfc\r\n".repeat(200_000);
    for (name, message) in
        [("empty", &b""[..]), ("small", b"Subject: \xfc\r\n\r\nFrom \xff\0\r\n"), ("large", &large)]
    {
        let (bytes, _) = write_whole(Vec::new(), message, br#"{"msg":"4F"}"#, "test").unwrap();
        fs::write(at(name), &bytes).unwrap();
        let wanted = |original| RestoreJob { output: None, ledger: Some(at(name)), original, force: false };
        let original = at(&format!("{name}.eml"));
        let done = restore(&wanted(Some(original.clone())), &Progress::default()).unwrap();
        assert!(fs::read(&original).unwrap() == message, "{name}");
        assert_eq!((done.sources, done.messages, done.bytes), (1, 1, message.len() as u64));
        assert_eq!(done.notes, [br#"{"msg":"4F"}"#]);
        restore(&wanted(None), &Progress::default()).unwrap();
        // Whatever byte is lost or changed, nothing comes back.
        for bad in [&bytes[..bytes.len() - 1], &[&bytes[..60], &[bytes[60] ^ 1], &bytes[61..]].concat()] {
            fs::write(at("bad"), bad).unwrap();
            let job = RestoreJob {
                output: None,
                ledger: Some(at("bad")),
                original: Some(at("none")),
                force: false,
            };
            assert!(matches!(restore(&job, &Progress::default()), Err(Error::Ledger(..))));
            assert!(!at("none").exists());
        }
    }
    // A delivered message is not what such a ledger reads, and an archive is what others need.
    fs::write(at("delivered"), "Received: by x\nSubject: x\n\n").unwrap();
    run(&job(&[at("delivered")], &at("out")));
    let job = RestoreJob {
        output: Some(at("delivered")),
        ledger: Some(at("small")),
        original: Some(at("none")),
        force: false,
    };
    let error = restore(&job, &Progress::default()).unwrap_err().to_string();
    assert!(error.contains("holds the original whole"), "{error}");
    let job =
        RestoreJob { output: None, ledger: Some(at("out.ledger")), original: Some(at("none")), force: false };
    let error = restore(&job, &Progress::default()).unwrap_err().to_string();
    assert!(error.contains("needs the normalized archive"), "{error}");
    let job = RestoreJob { output: None, ledger: None, original: Some(at("none")), force: false };
    assert!(matches!(restore(&job, &Progress::default()), Err(Error::Usage(_))));
}
