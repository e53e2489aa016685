//! What is told and kept of messages that go through the daemon: one line and one count each, and the original of what is changed.

use crate::rig::{Mta, Served, awaited, original};
use mailglot_gateway::ledgers::{Catalog, Ledgers, Query, Retention};
use mailglot_gateway::record::{Form, Journal, Metrics};
use mailglot_gateway::{Address, Engine, Limits, Server};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

/// A running filter with a journal; it ends with the test.
struct RecordedFilter {
    served: Served,
    metrics: Arc<Metrics>,
    lines: Arc<Mutex<Vec<String>>>,
    folder: tempfile::TempDir,
}

impl RecordedFilter {
    fn start(ledgers: bool, set: impl FnOnce(&mut Engine, &mut Limits)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = Engine::default();
        if ledgers {
            let place = folder.path().join("ledgers");
            let kept =
                Ledgers::open(place, Retention::default(), |error| panic!("{error}")).unwrap();
            engine.ledgers = Some(Arc::new(kept));
        }
        let mut limits = Limits {
            spool: folder.path().to_owned(),
            ..Limits::default()
        };
        set(&mut engine, &mut limits);
        let (metrics, lines) = (
            Arc::new(Metrics::new()),
            Arc::<Mutex<Vec<String>>>::default(),
        );
        let into = lines.clone();
        let journal = Journal::new("milter", Form::Text, metrics.clone(), move |text| {
            into.lock().unwrap().extend(text.lines().map(str::to_owned));
        });
        let address = Address::Unix(folder.path().join("socket"));
        let server = Server::milter(address, engine, limits, move |event| {
            journal.report(event);
        })
        .unwrap();
        Self {
            served: Served::run(server),
            metrics,
            lines,
            folder,
        }
    }

    fn connect(&self) -> Mta {
        Mta::connect(&self.served.address)
    }

    /// Lines of messages, once there are so many; one is told right behind its verdict.
    fn messages(&self, count: usize) -> Vec<String> {
        let messages = |line: &String| line.starts_with("msg=");
        awaited(
            || {
                self.lines
                    .lock()
                    .unwrap()
                    .iter()
                    .filter(|line| messages(line))
                    .cloned()
                    .collect()
            },
            count,
        )
    }

    /// The sum of all series of a family.
    fn sum(&self, family: &str) -> u64 {
        let text = self.metrics.render();
        let own = text.lines().filter(|line| {
            line.starts_with(&format!("{family}{{")) || line.starts_with(&format!("{family} "))
        });
        own.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
            .sum()
    }
}

/// Begins a message of this name.
fn begin(mta: &mut Mta, id: &str) {
    mta.send(b'M', b"<a@example.org>\0");
    mta.send(b'R', b"<b@example.org>\0");
    mta.send(b'D', format!("Ni\0{id}\0").as_bytes());
    mta.send(b'L', b"Subject\0 =?iso-8859-1?Q?Gr=FC=DFe?=\0");
}

/// Sends a message of this name; the letter of its verdict.
fn message(mta: &mut Mta, id: &str, body: &[u8]) -> Option<u8> {
    begin(mta, id);
    mta.body(body).last().map(|(letter, _)| *letter)
}

fn message_size(body: &[u8]) -> u64 {
    (SUBJECT.len() + 2 + body.len()) as u64
}

const SUBJECT: &[u8] = b"Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\n";

/// G11: whatever becomes of a message, it is one line and one count.
#[test]
fn each_message_is_one_line_and_one_count() {
    let filter = RecordedFilter::start(true, |_, limits| {
        limits.message_bytes = 4 << 20;
        limits.stall = Duration::from_millis(500);
    });
    let mut sent = 0;
    let mut mta = filter.connect();
    for number in 0..50 {
        assert_eq!(
            message(&mut mta, &format!("N{number}"), b"plain\r\n"),
            Some(b'c')
        );
        sent += 1;
    }
    // Too large; given up by the client, which is no message; several connections at a time.
    assert_eq!(message(&mut mta, "L", &vec![b'a'; 5 << 20]), Some(b'c'));
    begin(&mut mta, "gone");
    mta.send(b'A', b"");
    assert_eq!(message(&mut mta, "after", b""), Some(b'c'));
    sent += 2;
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut mta = filter.connect();
                (0..10).for_each(|_| {
                    assert_eq!(message(&mut mta, "P", b"Gr\xfc\xdfe\r\n"), Some(b'c'));
                });
            });
        }
    });
    sent += 80;
    // Faults in the middle of a message, and outside of any.
    for bad in [
        &b"\0\0\0\x01z"[..],
        b"\0\0\0\0",
        b"\xff\xff\xff\xffB",
        b"\0\0\0\x05Labc",
    ] {
        let mut mta = filter.connect();
        begin(&mut mta, "bad");
        mta.stream.write_all(bad).unwrap();
        assert_eq!(mta.letter(), None);
        sent += 1;
        let mut mta = filter.connect();
        mta.stream.write_all(bad).unwrap();
        assert_eq!(mta.letter(), None);
    }
    // One that stops in the middle of a packet.
    let mut slow = filter.connect();
    begin(&mut slow, "slow");
    slow.stream.write_all(b"\0\0\0\x09B").unwrap();
    assert_eq!(slow.letter(), None);
    sent += 1;
    // Servers that go away: between two packets of a message, within one, and outside of any; and one that says that it ends.
    for (rest, told) in [(&b""[..], true), (b"\0\0", true), (b"\0\0\0\x01Q", false)] {
        let mut mta = filter.connect();
        begin(&mut mta, "left");
        mta.stream.write_all(rest).unwrap();
        sent += usize::from(told);
        drop(mta);
        drop(filter.connect());
    }
    // No place for ledgers any more: messages that would be changed are deferred, the others pass.
    let ledgers = filter.folder.path().join("ledgers");
    let day = fs::read_dir(&ledgers)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::remove_dir_all(&ledgers).unwrap();
    fs::write(&ledgers, b"in the way").unwrap();
    assert_eq!(message(&mut mta, "full", b"x\r\n"), Some(b't'));
    mta.send(b'M', b"<a@example.org>\0");
    mta.send(b'E', b"");
    assert_eq!(mta.letter(), Some(b'c'));
    sent += 2;
    drop(day);

    let messages = filter.messages(sent);
    assert_eq!(messages.len(), sent);
    assert_eq!(filter.sum("mailglot_messages_total"), sent as u64);
    assert_eq!(filter.sum("mailglot_message_seconds_count"), sent as u64);
    let of = |words: &str| messages.iter().filter(|line| line.contains(words)).count() as u64;
    assert_eq!(of(" action=tempfail "), 8);
    assert_eq!(filter.sum("mailglot_tempfail_total"), 8);
    assert_eq!(of(" why=server-gone "), 1);
    assert_eq!(of(" why=ledger "), 1);
    assert_eq!(of(" why=too-large "), 1);
    assert_eq!(of(" action=normalize "), 50 + 1 + 80);
    assert_eq!(of(" ledger="), 50 + 1 + 80);
    let faults = filter
        .lines
        .lock()
        .unwrap()
        .iter()
        .filter(|line| line.starts_with("fault="))
        .count();
    assert_eq!(filter.sum("mailglot_faults_total"), faults as u64);
    assert_eq!(faults, 2 * 4 + 1 + 2 + 1);
}

#[test]
fn what_is_changed_is_kept_before_its_verdict() {
    let filter = RecordedFilter::start(true, |_, _| ());
    let place = filter.folder.path().join("ledgers");
    let mut mta = filter.connect();
    for (id, body) in [
        ("4F1", &b"plain\r\n"[..]),
        ("4F2", &b"Gr\xfc\xdfe\r\n".repeat(400_000)),
    ] {
        assert_eq!(message(&mut mta, id, body), Some(b'c'));
        // It is there when the verdict is: the daemon may be gone a moment later.
        let query = Query {
            queue_id: Some(id.into()),
            ..Query::default()
        };
        let mut found = Vec::new();
        Catalog::open(&place)
            .unwrap()
            .find(&query, |one| found.push(one))
            .unwrap();
        let [found] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (&found.entry.sender, found.entry.size),
            (&Some(b"a@example.org".into()), message_size(body))
        );
        assert!(found.entry.has_all_recipients() && found.entry.recipients == [b"b@example.org"]);
        let (message, note) = original(&place, &found.name);
        assert!(message == [SUBJECT, b"\r\n", body].concat(), "{id}");
        for words in [
            format!("{{\"msg\":\"{id}\",\"from\":\"<a@example.org>\",\"rcpts\":1,"),
            "\"action\":\"normalize\"".into(),
            "\"parts\":1,".into(),
        ] {
            assert!(note.contains(&words), "{note}");
        }
        let replaced = note.split("\"replaced\":\"").nth(1).unwrap();
        let (offset, rest) = replaced.split_once('+').unwrap();
        let length = rest.split('>').next().unwrap();
        let (offset, length): (usize, usize) = (offset.parse().unwrap(), length.parse().unwrap());
        assert!(
            offset + length <= message.len() && offset < SUBJECT.len(),
            "{note}"
        );
    }
    // What passes as it is, is not kept.
    mta.send(b'M', b"<a@example.org>\0");
    mta.send(b'L', b"Subject\0 plain\0");
    mta.send(b'E', b"plain\r\n");
    assert_eq!(mta.letter(), Some(b'c'));
    let messages = filter.messages(3);
    let names: Vec<_> = messages
        .iter()
        .filter_map(|line| line.split(" ledger=").nth(1))
        .collect();
    assert_eq!(names.len(), 2);
    assert!(
        names
            .iter()
            .all(|name| original(&place, name).0.starts_with(SUBJECT)),
        "{names:?}"
    );
}

#[test]
fn a_message_that_cannot_be_kept_passes_unchanged_where_that_is_asked_for() {
    let filter = RecordedFilter::start(true, |engine, _| engine.fail_open = true);
    let ledgers = filter.folder.path().join("ledgers");
    fs::remove_dir_all(&ledgers).unwrap();
    fs::write(&ledgers, b"in the way").unwrap();
    let mut mta = filter.connect();
    begin(&mut mta, "4F2");
    mta.send(b'E', b"x\r\n");
    assert_eq!(mta.letter(), Some(b'c'), "without an edit before it");
    let messages = filter.messages(1);
    assert!(
        messages[0].contains(" action=pass ") && messages[0].contains(" why=ledger "),
        "{messages:?}"
    );
    assert_eq!(filter.sum("mailglot_failopen_total"), 1);
}

#[test]
fn without_a_ledger_nothing_is_kept() {
    let filter = RecordedFilter::start(false, |_, _| ());
    assert_eq!(
        message(&mut filter.connect(), "4F2", b"Gr\xfc\xdfe\r\n"),
        Some(b'c')
    );
    assert!(!filter.messages(1)[0].contains("ledger="));
    assert_eq!(
        fs::read_dir(filter.folder.path()).unwrap().count(),
        1,
        "the socket alone"
    );
}

/// Receivers of ISO-2022-JP get that, and the ledger has what came.
#[test]
fn mail_in_iso_2022_jp_comes_back_from_its_ledger() {
    let filter = RecordedFilter::start(true, |engine, _| {
        engine.rules.rewriting.charset_out = mailglot_mime::CharsetOut::Iso2022Jp;
    });
    let mut mta = filter.connect();
    let (header, body) = ("Content-Type: text/plain; charset=utf-8", "日本〜ｶﾞ\r\n");
    begin(&mut mta, "4F3");
    mta.send(b'L', b"Content-Type\0 text/plain; charset=utf-8\0");
    let packets = mta.body(body.as_bytes());
    let of = |letter: u8| {
        packets
            .iter()
            .filter(move |(one, _)| *one == letter)
            .map(|(_, data)| data.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(b'b').concat(), b"\x1b$BF|K\\!A%,\x1b(B\r\n");
    assert_eq!(
        of(b'm'),
        [
            b"\0\0\0\x01Content-Type\0 text/plain; charset=iso-2022-jp\0".to_vec(),
            b"\0\0\0\x01Subject\0 =?UTF-8?B?R3LDvMOfZQ==?=\0".to_vec(),
        ]
    );
    let line = filter.messages(1).remove(0);
    assert!(
        line.contains(" findings=beyond-charset-out:1,look-alike:1 ") && line.contains(" parts=1 "),
        "{line}"
    );
    let name = line.split(" ledger=").nth(1).unwrap();
    let (message, note) = original(&filter.folder.path().join("ledgers"), name);
    assert_eq!(
        message,
        [SUBJECT, header.as_bytes(), b"\r\n\r\n", body.as_bytes()].concat()
    );
    assert!(
        note.contains("\"changed\":\"p=1;type=text/plain;charset=utf-8;transfer=8bit;sha256="),
        "{note}"
    );
}
