//! `mailglot ledger`: over a folder as a gateway leaves it.

use crate::sandbox::{LATIN, Sandbox};
use mailglot_archive::ledger::{IndexEntry, write_whole};
use mailglot_gateway::ledgers::{Ledgers, Retention};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

const NOTE: &str = r#"{"msg":"4F2","from":"<a@example.org>","rcpts":2,"in":5,"action":"normalize","replaced":"12+3>5 40+1>2"}"#;

/// Makes the folder `ledger` with one record, and gives that record's name.
pub(crate) fn kept(sandbox: &Sandbox) -> String {
    let entry = IndexEntry {
        queue_id: b"4F2".to_vec(),
        message_id: b"<1.2@example.org>".to_vec(),
        sender: Some(b"a@example.org".to_vec()),
        recipients: vec![b"b@example.net".to_vec(), b"c@example.net".to_vec()],
        recipient_count: 2,
        ..IndexEntry::default()
    };
    keep(sandbox, &[(LATIN, entry)]).remove(0)
}

fn keep(sandbox: &Sandbox, records: &[(&[u8], IndexEntry)]) -> Vec<String> {
    let ledgers = Ledgers::open(sandbox.path("ledger"), Retention::default(), |_| ()).unwrap();
    let keep = |(message, entry): &(&[u8], IndexEntry)| {
        ledgers.keep(message, NOTE, entry.clone(), SystemTime::now())
    };
    records.iter().map(|record| keep(record).unwrap()).collect()
}

/// Whoever can write the folder can write a note: no key of it controls the terminal of the administrator who reads it.
#[test]
fn keys_of_a_note_cannot_control_a_terminal() {
    let sandbox = Sandbox::new();
    let ledgers = Ledgers::open(sandbox.path("ledger"), Retention::default(), |_| ()).unwrap();
    let note = r#"{"\u001b]0;owned\u0007":"\u001b[2J","\u202etxt":1}"#;
    let entry = IndexEntry::default();
    let name = ledgers.keep(LATIN, note, entry, SystemTime::now()).unwrap();
    drop(ledgers);
    let run = sandbox.run(&["ledger", "show", "--folder", "ledger", &name]);
    let run = run.ended(0);
    let text = run.text();
    assert!(text.contains("\u{241b}]0;owned\u{2407}"), "{text:?}");
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
}

#[test]
fn records_are_found_shown_and_restored() {
    let sandbox = Sandbox::new();
    let name = kept(&sandbox);
    let find = |args: &[&str]| {
        sandbox
            .run(&[&["ledger", "find", "--folder", "ledger"], args].concat())
            .ended(0)
            .text()
            .to_owned()
    };
    let line = find(&["--queue-id", "4F2"]);
    let columns: Vec<&str> = line.trim_end().split('\t').collect();
    let size = LATIN.len().to_string();
    let want = [
        "4F2",
        "a@example.org",
        "b@example.net,c@example.net",
        &size,
        "<1.2@example.org>",
        &name,
    ];
    assert_eq!(columns[1..], want);
    assert!(
        columns[0].ends_with('Z') && columns[0].len() == 20,
        "{line}"
    );
    for args in [
        &["--since", "1h"][..],
        &["--recipient", "@EXAMPLE.net"],
        &["--sender", "a@example.org"],
        &[],
    ] {
        assert_eq!(find(args), line, "{args:?}");
    }
    for args in [
        &["--until", "1h"][..],
        &["--recipient", "d@example.net"],
        &["--message-id", "1"],
    ] {
        assert_eq!(find(args), "", "{args:?}");
    }
    let json = find(&["--json"]);
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        object["recipients"],
        serde_json::json!(["b@example.net", "c@example.net"])
    );
    assert_eq!(
        (object["name"].as_str(), object["size"].as_u64()),
        (Some(&*name), Some(LATIN.len() as u64))
    );
    assert!(object.get("note").is_none());

    let shown = sandbox
        .run(&["ledger", "show", "--folder", "ledger", &name])
        .ended(0);
    for words in [
        "sender     a@example.org\n",
        "action     normalize\n",
        "at byte 12: 3 bytes, now 5; original: \"885\"\n",
    ] {
        assert!(shown.text().contains(words), "{}", shown.text());
    }
    let json = sandbox
        .run(&[
            "ledger",
            "show",
            "--folder",
            "ledger",
            "--json",
            "--queue-id",
            "4F2",
        ])
        .ended(0);
    let object: serde_json::Value = serde_json::from_str(json.text()).unwrap();
    assert_eq!(object["note"]["action"], "normalize");
    // A record is a ledger of its own for those who know only these.
    let raw = sandbox
        .run(&["ledger", "show", "--folder", "ledger", "--raw", &name])
        .ended(0);
    sandbox.write("one.ledger", &raw.out);
    sandbox
        .run(&["restore", "--ledger", "one.ledger", "-o", "one.eml"])
        .ended(0);
    assert_eq!(sandbox.read("one.eml"), LATIN);

    let out = sandbox
        .run(&["ledger", "restore", "--folder", "ledger", &name])
        .ended(0);
    assert_eq!(out.out, LATIN);
    let args = [
        "ledger",
        "restore",
        "--folder",
        "ledger",
        &name,
        "-o",
        "original.eml",
    ];
    sandbox.run(&args).ended(0);
    assert_eq!(sandbox.read("original.eml"), LATIN);
    let mode = fs::metadata(sandbox.path("original.eml"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // What stands there stays.
    sandbox.write("original.eml", b"mine");
    sandbox.run(&args).ended(4);
    assert_eq!(sandbox.read("original.eml"), b"mine");
}

#[test]
fn ledgers_of_former_versions_are_found_too() {
    let sandbox = Sandbox::new();
    let (ledger, _) = write_whole(Vec::new(), LATIN, NOTE.as_bytes(), "test").unwrap();
    fs::create_dir_all(sandbox.path("ledger/2026-11-22")).unwrap();
    let name = "2026-11-22/102315.004211907-4F2-0.ledger";
    sandbox.write(&format!("ledger/{name}"), &ledger);
    let found = sandbox
        .run(&["ledger", "find", "--folder", "ledger", "--queue-id", "4F2"])
        .ended(0);
    assert!(found.text().trim_end().ends_with(name), "{}", found.text());
    let out = sandbox
        .run(&[
            "ledger",
            "restore",
            "--folder",
            "ledger",
            "--queue-id",
            "4F2",
        ])
        .ended(0);
    assert_eq!(out.out, LATIN);
    // It does not say who was to have it.
    let run = sandbox
        .run(&[
            "ledger",
            "release",
            "--folder",
            "ledger",
            name,
            "--sendmail",
            "/bin/true",
        ])
        .ended(1);
    assert!(run.err.contains("every recipient; use --to"), "{}", run.err);
}

#[test]
fn a_message_is_released_to_its_recipients() {
    let sandbox = Sandbox::new();
    let name = kept(&sandbox);
    let folder = sandbox.path("");
    let script = format!(
        "#!/bin/sh\ncat > {0}/released\nfor a; do echo \"<$a>\"; done > {0}/arguments\n",
        folder.display()
    );
    sandbox.write("sendmail", script.as_bytes());
    fs::set_permissions(sandbox.path("sendmail"), fs::Permissions::from_mode(0o755)).unwrap();
    let program = sandbox.path("sendmail").display().to_string();
    let release = |more: &[&str]| {
        let args = [
            "ledger",
            "release",
            "--folder",
            "ledger",
            "--sendmail",
            &program,
            "--queue-id",
            "4F2",
        ];
        sandbox.run(&[&args, more].concat())
    };
    let run = release(&[]).ended(0);
    assert!(
        run.err
            .contains(&format!("released {name} to 2 recipients")),
        "{}",
        run.err
    );
    assert_eq!(sandbox.read("released"), LATIN);
    let arguments =
        |sender: &str, to: &str| format!("<-G>\n<-i>\n<-f>\n<{sender}>\n<-->\n{to}").into_bytes();
    assert_eq!(
        sandbox.read("arguments"),
        arguments("a@example.org", "<b@example.net>\n<c@example.net>\n")
    );
    release(&["--to", "-x@example.net", "--from", ""]).ended(1);
    release(&["--to=-x@example.net", "--from", ""]).ended(0);
    assert_eq!(
        sandbox.read("arguments"),
        arguments("", "<-x@example.net>\n")
    );
    // Or to a file; then nothing runs.
    fs::remove_file(sandbox.path("released")).unwrap();
    let to_file = [
        "ledger",
        "release",
        "--folder",
        "ledger",
        "--queue-id",
        "4F2",
        "-o",
        "released.eml",
    ];
    sandbox.run(&to_file).ended(0);
    assert_eq!(sandbox.read("released.eml"), LATIN);
    sandbox.run(&to_file).ended(4);
    release(&["-o", "x.eml"]).ended(1);
    assert!(!sandbox.path("released").exists() && !sandbox.path("x.eml").exists());
    sandbox.write("sendmail", b"#!/bin/sh\nexit 75\n");
    let run = release(&[]).ended(4);
    assert!(run.err.contains("exit status: 75"), "{}", run.err);
}

/// A queue id may be that of another message in a file that cannot be read.
#[test]
fn an_incomplete_search_releases_nothing() {
    let sandbox = Sandbox::new();
    let name = kept(&sandbox);
    fs::create_dir(sandbox.path("ledger/2026-11-22")).unwrap();
    sandbox.write(
        "ledger/2026-11-22/102315.004211907-4711-0.segment",
        b"damage",
    );
    let args = |command: &'static str, more: &[&'static str]| {
        let args = ["ledger", command, "--folder", "ledger"];
        [&args, more].concat()
    };
    let by_id = ["--queue-id", "4F2"];
    let run = sandbox.run(&args("restore", &by_id)).ended(2);
    assert_eq!(run.out, LATIN);
    let run = sandbox.run(&args("show", &by_id)).ended(2);
    assert!(run.text().contains(&name));
    let sendmail = ["--queue-id", "4F2", "--sendmail", "/bin/true"];
    for more in [&sendmail[..], &["--queue-id", "4F2", "-o", "released.eml"]] {
        let run = sandbox.run(&args("release", more)).ended(2);
        assert!(run.err.contains("nothing was released"), "{}", run.err);
    }
    assert!(!sandbox.path("released.eml").exists());
    let run = sandbox.run(&args("show", &["--queue-id", "none"])).ended(2);
    assert!(run.err.contains("no record matches"), "{}", run.err);
    reading_sendmail(&sandbox);
    // Who names the record knows which one it is.
    let args = [
        "ledger",
        "release",
        "--folder",
        "ledger",
        "--sendmail",
        "./sendmail",
        &name,
    ];
    sandbox.run(&args).ended(0);
}

#[test]
fn a_folder_that_is_no_ledger_is_named() {
    let sandbox = Sandbox::new();
    for command in [&["find"][..], &["show", "--queue-id", "4F2"]] {
        let args = [&["ledger"][..], command, &["--folder", "Maildir"]].concat();
        let run = sandbox.run(&args).ended(2);
        assert!(run.err.contains("Maildir: no ledger"), "{}", run.err);
    }
    // A ledger that has kept nothing yet.
    fs::create_dir(sandbox.path("empty")).unwrap();
    let run = sandbox
        .run(&["ledger", "find", "--folder", "empty"])
        .ended(0);
    assert_eq!(run.text(), "");
}

/// A released message goes to a listener without filters, so it arrives as it came.
#[test]
fn a_message_is_released_by_smtp() {
    let sandbox = Sandbox::new();
    let name = kept(&sandbox);
    let release = |server: &str, more: &[&str]| {
        let args = [
            "ledger", "release", "--folder", "ledger", "--smtp", server, &name,
        ];
        sandbox.run(&[&args, more].concat())
    };
    for family in ["", "tcp:", "inet:"] {
        let (address, seen) = smtp_server(true);
        let run = release(&format!("{family}{address}"), &[]).ended(0);
        let words = format!("released {name} to 2 recipients by tcp:{address}: 250 taken");
        assert!(run.err.contains(&words), "{}", run.err);
        let mut want = b"EHLO [127.0.0.1]\r\nMAIL FROM:<a@example.org> BODY=8BITMIME\r\n\
            RCPT TO:<b@example.net>\r\nRCPT TO:<c@example.net>\r\nDATA\r\n"
            .to_vec();
        for line in LATIN.split_inclusive(|byte| *byte == b'\n') {
            want.extend([line.strip_suffix(b"\n").unwrap(), b"\r\n"].concat());
        }
        want.extend(b".\r\nQUIT\r\n");
        assert_eq!(seen.join().unwrap(), want);
    }
    // A recipient that the server refuses: nobody gets the message.
    let (address, seen) = smtp_server(false);
    let run = release(&address, &[]).ended(4);
    assert!(
        run.err
            .contains("RCPT TO:<b@example.net> with 550 5.1.1 no"),
        "{}",
        run.err
    );
    assert!(!seen.join().unwrap().ends_with(b"DATA\r\n"));
    assert!(
        release("127.0.0.1:1", &[])
            .ended(4)
            .err
            .contains("cannot connect")
    );
    assert!(release("nowhere", &[]).ended(1).err.contains("HOST:PORT"));
    release("127.0.0.1:1", &["--sendmail", "/bin/true"]).ended(1);
    reading_sendmail(&sandbox);
    // What the other way does to the message is said.
    let args = [
        "ledger",
        "release",
        "--folder",
        "ledger",
        "--sendmail",
        "./sendmail",
        &name,
    ];
    let run = sandbox.run(&args).ended(0);
    assert!(run.err.contains("--smtp 127.0.0.1:10030"), "{}", run.err);
}

/// Writes a `sendmail` that reads the message.
fn reading_sendmail(sandbox: &Sandbox) {
    sandbox.write("sendmail", b"#!/bin/sh\ncat > /dev/null\n");
    fs::set_permissions(sandbox.path("sendmail"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// An SMTP server for one message; it takes or refuses recipients. The thread returns what it read.
fn smtp_server(takes: bool) -> (String, std::thread::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let (mut lines, mut seen, mut content) = (BufReader::new(&stream), Vec::new(), false);
        (&stream).write_all(b"220 mx\r\n").unwrap();
        let mut line = Vec::new();
        while lines
            .read_until(b'\n', &mut line)
            .is_ok_and(|count| count > 0)
        {
            let reply = match &line[..] {
                b".\r\n" => "250 taken\r\n",
                _ if content => "",
                line if line.starts_with(b"EHLO") => "250-mx\r\n250 8BITMIME\r\n",
                line if line.starts_with(b"RCPT") && !takes => "550 5.1.1 no\r\n",
                b"DATA\r\n" => "354 go\r\n",
                _ => "250 ok\r\n",
            };
            content = reply == "354 go\r\n" || content && reply.is_empty();
            // The client may be gone already.
            let _ = (&stream).write_all(reply.as_bytes());
            seen.append(&mut line);
        }
        seen
    });
    (address, thread)
}

#[test]
fn what_is_missing_or_not_alone_is_told() {
    let sandbox = Sandbox::new();
    let entry = |id: &str| IndexEntry {
        queue_id: id.into(),
        ..IndexEntry::default()
    };
    let names = keep(
        &sandbox,
        &[(LATIN, entry("A")), (b"Subject: x\r\n\r\n", entry("A"))],
    );
    let show =
        |more: &[&str]| sandbox.run(&[&["ledger", "show", "--folder", "ledger"], more].concat());
    let run = show(&["--queue-id", "A"]).ended(1);
    assert!(
        names.iter().all(|name| run.err.contains(name)),
        "{}",
        run.err
    );
    assert!(
        show(&["--queue-id", "B"])
            .ended(1)
            .err
            .contains("no record matches")
    );
    assert!(show(&[]).ended(1).err.contains("--queue-id"));
    assert!(
        show(&["2026-11-22/x.segment:0"])
            .ended(2)
            .err
            .contains("no record has this name")
    );
    show(&["--since", "yesterday", "--queue-id", "A"]).ended(1);
    assert_eq!(
        sandbox
            .run(&["ledger", "find", "--folder", "none"])
            .ended(2)
            .text(),
        ""
    );
    // Neither sender nor recipients are known.
    let run = sandbox
        .run(&["ledger", "release", "--folder", "ledger", &names[0]])
        .ended(1);
    assert!(run.err.contains("the sender; use --from"), "{}", run.err);
    // Damage costs one record, and is told: by what reads the record, and by a search where there is no index.
    let path = sandbox
        .path("ledger")
        .join(names[0].split(':').next().unwrap());
    let mut bytes = fs::read(&path).unwrap();
    let offset: usize = names[0].rsplit(':').next().unwrap().parse().unwrap();
    bytes[offset + 40] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let run = sandbox
        .run(&["ledger", "find", "--folder", "ledger"])
        .ended(0);
    assert_eq!(run.text().lines().count(), 2);
    assert!(
        show(&[&names[0]])
            .ended(4)
            .err
            .contains("no record begins there")
    );
    show(&[&names[1]]).ended(0);
    let index = memchr::memmem::rfind(&bytes, b"\x89MGX").unwrap();
    bytes[index + 30] ^= 1;
    fs::write(&path, bytes).unwrap();
    let run = sandbox
        .run(&["ledger", "find", "--folder", "ledger"])
        .ended(2);
    assert!(
        run.text().trim_end().ends_with(&names[1]) && run.err.contains("records are missing"),
        "{run:?}"
    );
    // A link is not followed.
    std::os::unix::fs::symlink("ledger", sandbox.path("link")).unwrap();
    let run = sandbox
        .run(&["ledger", "find", "--folder", "link"])
        .ended(2);
    assert!(run.err.contains("symbolic link"), "{}", run.err);
}

/// A gateway that runs appends while others read.
#[test]
fn a_folder_in_use_can_be_read() {
    let sandbox = Sandbox::new();
    let ledgers = Ledgers::open(sandbox.path("ledger"), Retention::default(), |_| ()).unwrap();
    for count in 1..4 {
        let later = SystemTime::now() + Duration::from_secs(count);
        ledgers
            .keep(LATIN, NOTE, IndexEntry::default(), later)
            .unwrap();
        let run = sandbox
            .run(&["ledger", "find", "--folder", "ledger"])
            .ended(0);
        assert_eq!(run.text().lines().count() as u64, count);
    }
}
