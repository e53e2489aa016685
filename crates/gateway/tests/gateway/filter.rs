//! The daemon over real sockets, with a server of our own that speaks to it.

use crate::rig::{Mta, RunningFilter, letters};
use mailglot_gateway::policy::{Action, Finding, Rules};
use mailglot_gateway::{Address, Engine, Record, Remark};
use mailglot_mime::Policy;
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

const LATIN: &[(&str, &str)] = &[
    ("Subject", " =?iso-8859-1?Q?Gr=FC=DFe?="),
    ("MIME-Version", " 1.0"),
    ("Content-Type", " text/plain; charset=iso-8859-1"),
    ("Content-Transfer-Encoding", " 8bit"),
];

#[test]
fn messages_are_rewritten_over_both_kinds_of_sockets() {
    for tcp in [false, true] {
        let mut filter = RunningFilter::start(tcp, |_| ());
        let mut mta = filter.connect();
        for _ in 0..3 {
            let packets = mta.message(LATIN, b"Gr\xfc\xdfe\r\n");
            assert_eq!(letters(&packets), "mmbc");
            assert!(
                packets.contains(&(
                    b'm',
                    b"\0\0\0\x01Subject\0 =?UTF-8?B?R3LDvMOfZQ==?=\0".to_vec()
                )),
                "{packets:?}"
            );
            assert!(packets.contains(&(b'b', "Grüße\r\n".into())), "{packets:?}");
            mta.send(b'A', b"");
        }
        assert_eq!(
            letters(&mta.message(&[("Subject", " plain")], b"plain\r\n")),
            "c"
        );
        mta.send(b'Q', b"");
        assert_eq!(mta.packet(), None);
        filter.served.end();
        let records = filter.told.records(4);
        let actions: Vec<_> = records.iter().map(|record| record.action).collect();
        assert_eq!(
            actions,
            [
                Action::Normalize,
                Action::Normalize,
                Action::Normalize,
                Action::Pass
            ]
        );
        assert_eq!(
            (
                records[0].envelope.recipients,
                &records[0].envelope.sender[..]
            ),
            (1, &b"<a@example.org>"[..])
        );
        assert!(filter.told.faults(0).is_empty());
        if let Address::Unix(path) = &filter.served.address {
            assert!(!path.exists(), "the socket goes with the filter");
        }
    }
}

#[test]
fn signed_mail_passes_as_it_is() {
    let filter = RunningFilter::start(false, |_| ());
    let signed = [&[("DKIM-Signature", " v=1; d=example.org; b=aaaa")], LATIN].concat();
    assert_eq!(
        letters(&filter.connect().message(&signed, b"Gr\xfc\xdfe\r\n")),
        "c"
    );
    drop(filter);
}

#[test]
fn a_long_body_goes_through_memory_or_a_file_and_a_huge_one_passes() {
    for memory in [0, 2 << 20, 16 << 20] {
        a_long_body(memory);
    }
}

fn a_long_body(memory: u64) {
    let filter = RunningFilter::start(false, |limits| {
        (limits.memory_bytes, limits.message_bytes) = (memory, 8 << 20);
    });
    let mut mta = filter.connect();
    let body = b"Gr\xfc\xdfe\r\n".repeat(600_000);
    let packets = mta.message(LATIN, &body);
    let got: Vec<u8> = packets
        .iter()
        .filter(|(c, _)| *c == b'b')
        .flat_map(|(_, data)| data.clone())
        .collect();
    assert!(got == "Grüße\r\n".repeat(600_000).into_bytes());
    mta.send(b'A', b"");
    assert_eq!(
        letters(&mta.message(LATIN, &b"Gr\xfc\xdfe\r\n".repeat(1_300_000))),
        "c"
    );
    let records = filter.told.records(2);
    assert_eq!(
        (records[1].action, records[1].remark.map(Remark::name)),
        (Action::Pass, Some("too-large"))
    );
    assert_eq!(
        fs::read_dir(filter.folder.path()).unwrap().count(),
        1,
        "the socket, and no file"
    );
}

#[test]
fn no_place_for_a_body_defers_the_message() {
    let filter = RunningFilter::start(false, |limits| {
        (limits.memory_bytes, limits.spool) = (0, PathBuf::from("no such folder"));
    });
    let mut mta = filter.connect();
    assert_eq!(letters(&mta.message(LATIN, &vec![b'a'; 3 << 20])), "t");
    mta.send(b'A', b"");
    assert_eq!(
        letters(&mta.message(LATIN, b"Gr\xfc\xdfe\r\n")),
        "mmbc",
        "the next one is not harmed"
    );
    assert_eq!(filter.told.records(1)[0].action, Action::Tempfail);
    assert!(filter.told.faults(1)[0].starts_with("spool"));
}

#[test]
fn a_fault_ends_its_connection_and_no_other() {
    let filter = RunningFilter::start(false, |limits| limits.stall = Duration::from_millis(200));
    let mut good = filter.connect();
    let mut bad = filter.connect();
    bad.send(b'z', b"");
    assert_eq!(bad.packet(), None);
    let mut slow = filter.connect();
    slow.stream.write_all(b"\0\0\0\x09L").unwrap();
    assert_eq!(slow.packet(), None, "a packet that does not go on");
    assert_eq!(letters(&good.message(LATIN, b"Gr\xfc\xdfe\r\n")), "mmbc");
    let faults = filter.told.faults(2);
    assert!(
        faults[0].starts_with("unknown-command") && faults[1].starts_with("io"),
        "{faults:?}"
    );
}

/// The record of a message whose server does not take its verdict says that it is deferred.
#[test]
fn a_verdict_has_its_time_as_a_whole_and_one_that_is_not_taken_is_told() {
    for drips in [false, true] {
        let filter = RunningFilter::start(false, |limits| {
            (limits.stall, limits.progress) =
                (Duration::from_millis(500), Duration::from_millis(100));
        });
        let mut mta = filter.connect();
        mta.send(b'M', b"<a@example.org>\0");
        for (name, value) in LATIN {
            mta.send(b'L', format!("{name}\0{value}\0").as_bytes());
        }
        mta.send(b'N', b"");
        // No socket's buffer holds what comes back.
        for piece in b"Gr\xfc\xdfe\r\n".repeat(1_500_000).chunks(65_535) {
            mta.send(b'B', piece);
        }
        mta.send(b'E', b"");
        let start = Instant::now();
        if drips {
            // Each read makes room for a while; all of them together would take many times as long.
            let mut piece = vec![0; 65_536];
            while mta.stream.read(&mut piece).is_ok_and(|count| count > 0) {
                thread::sleep(Duration::from_millis(150));
            }
            assert!(
                start.elapsed() < Duration::from_secs(25),
                "{:?}",
                start.elapsed()
            );
        } else {
            drop(mta);
        }
        let record = &filter.told.records(1)[0];
        assert_eq!(
            (record.action, record.remark.map(Remark::name)),
            (Action::Tempfail, Some("io")),
            "{drips}"
        );
        assert_eq!((record.wanted, record.bytes_out), (Action::Normalize, 0));
        assert!(
            filter.told.faults(1)[0].starts_with("io ("),
            "{:?}",
            filter.told.faults(1)
        );
    }
}

/// What a connection held while it was busy is given back, and comes again.
/// A server that has said all may end its half: a verdict that it takes is one.
#[test]
fn a_half_close_behind_the_end_of_a_message_is_answered() {
    for waits in [false, true] {
        // A long message is judged in a thread of its own.
        let body = b"Gr\xfc\xdfe\r\n".repeat(if waits { 20_000 } else { 1 });
        let filter = RunningFilter::start(false, |_| ());
        let Address::Unix(path) = &filter.served.address else {
            unreachable!("it listens there")
        };
        let stream = UnixStream::connect(path).unwrap();
        let mut mta = Mta::over(Box::new(stream.try_clone().unwrap()), 0x1ff);
        mta.send(b'M', b"<a@example.org>\0");
        for (name, value) in LATIN {
            mta.send(b'L', format!("{name}\0{value}\0").as_bytes());
        }
        mta.send(b'N', b"");
        body.chunks(60_000).for_each(|piece| mta.send(b'B', piece));
        mta.send(b'E', b"");
        stream.shutdown(Shutdown::Write).unwrap();
        let packets = std::iter::from_fn(|| mta.packet()).collect::<Vec<_>>();
        println!("{:?}", filter.told.records(1).last());
        let letters = letters(&packets);
        assert!(
            letters.starts_with("mmb") && letters.ends_with('c'),
            "{letters}"
        );
        assert_eq!(filter.told.records(1)[0].action, Action::Normalize);
        assert!(filter.told.faults(0).is_empty());
    }
}

#[test]
fn a_connection_that_rests_goes_on() {
    let filter = RunningFilter::start(false, |_| ());
    let mut mta = filter.connect();
    for _ in 0..2 {
        let packets = mta.message(LATIN, &b"Gr\xfc\xdfe\r\n".repeat(100_000));
        assert_eq!(letters(&packets).replace('b', ""), "mmc");
        mta.send(b'A', b"");
        thread::sleep(Duration::from_millis(2_500));
    }
    // In the midst of a packet nothing is given back.
    mta.stream.write_all(b"\0\0\0\x11M<a@exa").unwrap();
    thread::sleep(Duration::from_millis(2_500));
    mta.stream.write_all(b"mple.org>\0").unwrap();
    assert_eq!(letters(&mta.body(b"Gr\xfc\xdfe\r\n")).pop(), Some('c'));
    assert_eq!(
        filter.told.records(3)[2].envelope.sender,
        b"<a@example.org>"
    );
}

#[test]
fn a_packet_has_its_time_from_its_first_byte() {
    let filter = RunningFilter::start(false, |limits| limits.stall = Duration::from_secs(2));
    let mut mta = filter.connect();
    thread::sleep(Duration::from_millis(2_500));
    // The abort of a message that never began, in two pieces.
    mta.stream.write_all(b"\0\0\0\x01").unwrap();
    thread::sleep(Duration::from_millis(50));
    mta.stream.write_all(b"A").unwrap();
    assert_eq!(letters(&mta.message(LATIN, b"Gr\xfc\xdfe\r\n")), "mmbc");
}

#[test]
fn too_many_connections_are_deferred() {
    let filter = RunningFilter::start(false, |limits| limits.connections = 2);
    let (mut first, mut second) = (filter.connect(), filter.connect());
    // Both have begun a message: neither is closed for another one.
    for mta in [&mut first, &mut second] {
        assert_eq!(letters(&mta.message(LATIN, b"Gr\xfc\xdfe\r\n")), "mmbc");
        mta.send(b'A', b"");
    }
    let mut third = filter.connect();
    third.send(b'C', b"client\0U");
    assert_eq!(third.packet(), Some((b't', Vec::new())));
    assert_eq!(letters(&first.message(LATIN, b"Gr\xfc\xdfe\r\n")), "mmbc");
}

#[test]
fn a_stop_ends_idle_connections_and_lets_messages_end() {
    let mut filter = RunningFilter::start(false, |_| ());
    let mut idle = filter.connect();
    let mut busy = Mta::answered(&filter);
    busy.exchange(b'M', b"<a@example.org>\0");
    busy.exchange(b'L', b"Subject\0 =?koi8-r?Q?=C1?=\0");
    filter.served.stop.stop();
    assert_eq!(idle.packet(), None);
    busy.send(b'E', b"");
    assert_eq!(busy.letter(), Some(b'm'));
    assert_eq!(busy.letter(), Some(b'c'));
    assert_eq!(busy.packet(), None, "and ends");
    filter.served.end();
}

#[test]
fn slow_work_is_told() {
    // A message of many parts takes longer than the time between two signs; a busy machine may come too late for the first.
    let filter = RunningFilter::start(false, |limits| limits.progress = Duration::from_millis(1));
    let part =
        "--b\r\nContent-Type: text/plain\r\n\r\nGr\u{fc}\u{df}e und \u{1f600}\r\n".repeat(9_000);
    let mut mta = filter.connect();
    let told = (0..50).any(|_| {
        let packets = mta.message(
            &[("Content-Type", " multipart/mixed; boundary=b")],
            part.as_bytes(),
        );
        assert_eq!(packets.last().map(|(command, _)| *command), Some(b'c'));
        let first_edit = packets
            .iter()
            .position(|(command, _)| *command != b'p')
            .unwrap();
        assert!(
            packets[first_edit..]
                .iter()
                .all(|(command, _)| *command != b'p'),
            "no sign among the edits"
        );
        packets[0].0 == b'p'
    });
    assert!(told);
}

#[test]
fn a_policy_can_leave_everything() {
    let policy = Policy::default()
        .headers(mailglot_mime::Headers::Keep)
        .bodies(mailglot_mime::Bodies::Keep);
    let mut rules = Rules::default();
    rules.rewriting = policy;
    let filter = RunningFilter::start_with(false, Engine::new(rules), |_| ());
    assert_eq!(
        letters(&filter.connect().message(LATIN, b"Gr\xfc\xdfe\r\n")),
        "c"
    );
}

#[test]
fn too_many_header_bytes_or_fields_pass_unread() {
    let filter = RunningFilter::start(false, |limits| {
        (limits.header_bytes, limits.fields) = (2_000, 50);
    });
    let mut mta = filter.connect();
    let long = "a".repeat(700);
    let header = [
        LATIN,
        &[("X-A", long.as_str()), ("X-B", &long), ("X-C", &long)],
    ]
    .concat();
    assert_eq!(letters(&mta.message(&header, b"Gr\xfc\xdfe\r\n")), "c");
    mta.send(b'A', b"");
    assert_eq!(
        letters(&mta.message(&[LATIN, &[("X", " a"); 50]].concat(), b"Gr\xfc\xdfe\r\n")),
        "c"
    );
    mta.send(b'A', b"");
    assert_eq!(
        letters(&mta.message(&[LATIN, &[("X", " a"); 40]].concat(), b"Gr\xfc\xdfe\r\n")),
        "mmbc"
    );
    for record in &filter.told.records(3)[..2] {
        assert!(record.findings.has(Finding::TooManyHeaders), "{record:?}");
    }
}

#[test]
fn a_full_spool_defers_the_message_and_no_other() {
    let filter = RunningFilter::start(false, |limits| {
        (limits.memory_bytes, limits.spool_bytes) = (0, 2 << 20);
    });
    let mut mta = filter.connect();
    assert_eq!(letters(&mta.message(LATIN, &vec![b'a'; 5 << 20])), "t");
    mta.send(b'A', b"");
    assert!(letters(&mta.message(LATIN, &b"Gr\xfc\xdfe\r\n".repeat(250_000))).starts_with("mmbb"));
    assert!(filter.told.faults(1)[0].starts_with("spool"));
    let filter = RunningFilter::start(false, |limits| {
        (limits.memory_bytes, limits.disk_reserve) = (0, u64::MAX);
    });
    let mut mta = filter.connect();
    assert_eq!(letters(&mta.message(LATIN, &vec![b'a'; 3 << 20])), "t");
    mta.send(b'A', b"");
    assert_eq!(
        letters(&mta.message(LATIN, b"Gr\xfc\xdfe\r\n")),
        "mmbc",
        "what needs no file goes on"
    );
}

#[test]
fn work_that_takes_too_long_is_given_up() {
    let part =
        "--b\r\nContent-Type: text/plain\r\n\r\nGr\u{fc}\u{df}e und \u{1f600}\r\n".repeat(9_000);
    let header = [("Content-Type", " multipart/mixed; boundary=b")];
    for (fail_open, letter, action) in [(false, b't', Action::Tempfail), (true, b'c', Action::Pass)]
    {
        let engine = Engine {
            fail_open,
            ..Engine::default()
        };
        let filter = RunningFilter::start_with(false, engine, |limits| {
            (limits.work, limits.progress) = (Duration::from_millis(1), Duration::from_millis(2));
        });
        let mut mta = filter.connect();
        // A busy machine may come too late to give up.
        let given_up = (0..50).any(|_| {
            let mut packets = mta.message(&header, part.as_bytes());
            mta.send(b'A', b"");
            packets.retain(|(command, _)| *command != b'p');
            packets == [(letter, Vec::new())]
        });
        assert!(given_up);
        assert_eq!(filter.told.faults(1)[0], "slow");
        // Nothing of it comes later. A busy machine may take too long for a short message, too.
        let done = (0..50).any(|_| {
            let packets = letters(&mta.message(LATIN, b"plain\r\n"));
            mta.send(b'A', b"");
            let told = packets.trim_start_matches('p');
            assert!(told == "mc" || told.as_bytes() == [letter], "{packets}");
            told == "mc"
        });
        assert!(done);
        let slow = |record: &Record| record.action == action && record.failed_open == fail_open;
        assert!(filter.told.records(1).iter().any(slow));
    }
}

#[test]
fn a_failure_passes_mail_where_that_is_asked_for() {
    let engine = Engine {
        fail_open: true,
        ..Engine::default()
    };
    let filter = RunningFilter::start_with(false, engine, |limits| {
        (limits.memory_bytes, limits.spool) = (0, PathBuf::from("no such folder"));
    });
    assert_eq!(
        letters(&filter.connect().message(LATIN, &vec![b'a'; 3 << 20])),
        "c"
    );
    let record = &filter.told.records(1)[0];
    assert_eq!((record.action, record.failed_open), (Action::Pass, true));
    assert!(filter.told.faults(1)[0].starts_with("spool"));
}

#[test]
fn too_large_mail_is_deferred_where_that_is_asked_for() {
    let engine = Engine {
        defer_too_large: true,
        ..Engine::default()
    };
    let filter = RunningFilter::start_with(false, engine, |limits| limits.message_bytes = 1_000);
    assert_eq!(
        letters(&filter.connect().message(LATIN, &[b'a'; 2_000])),
        "t"
    );
    assert_eq!(filter.told.records(1)[0].action, Action::Tempfail);
}

#[test]
fn policies_speak_of_mail_that_is_not_looked_at() {
    for (asked, monitor, letter, action) in [
        (Action::Reject, false, "y", Action::Reject),
        (Action::Reject, true, "c", Action::Pass),
        (Action::Tempfail, false, "t", Action::Tempfail),
        (Action::Quarantine, false, "qc", Action::Quarantine),
        (Action::Tag, false, "ic", Action::Tag),
        (Action::Tag, true, "c", Action::Pass),
    ] {
        let mut rules = Rules::default();
        rules.monitor = monitor;
        rules.set(Finding::TooLarge, asked);
        let filter = RunningFilter::start_with(false, Engine::new(rules), |limits| {
            limits.message_bytes = 1_000;
        });
        let packets = filter.connect().message(LATIN, &[b'a'; 2_000]);
        assert_eq!(letters(&packets), letter, "{asked:?}");
        assert_eq!(filter.told.records(1)[0].action, action);
        if letter == "ic" {
            let field = String::from_utf8_lossy(&packets[0].1);
            assert!(
                field.contains("verdict=unread; action=tag;") && field.contains("too-large"),
                "{field}"
            );
        }
    }
}

/// The bound is one of all bytes, those that nobody tells too.
#[test]
fn a_message_is_as_large_as_the_log_says() {
    for (most, finding) in [(1_000, None), (999, Some("too-large"))] {
        let filter = RunningFilter::start(false, |limits| limits.message_bytes = most);
        let field = [("Subject", " x")];
        filter.connect().message(&field, &[b'a'; 1_000 - 14]);
        let record = filter.told.records(1).remove(0);
        assert_eq!(
            (record.bytes_in, record.remark.map(Remark::name)),
            (1_000, finding)
        );
    }
}

#[test]
fn a_return_inside_a_field_hinders_nothing() {
    let filter = RunningFilter::start(false, |_| ());
    let fields = [LATIN, &[("Subject", " =?iso-8859-1?Q?=E9?= plain a\rb")]].concat();
    let packets = filter.connect().message(&fields, b"Gr\xfc\xdfe\r\n");
    assert_eq!(letters(&packets), "mmibc");
    assert!(
        !packets.iter().any(|(_, data)| data.ends_with(b"b\0")),
        "it stays: {packets:?}"
    );
    let record = &filter.told.records(1)[0];
    assert_eq!(
        (record.action, record.remark.map(Remark::name)),
        (Action::Normalize, Some("stray return"))
    );
    // The other subject, the label of the charset, and two letters of the body have grown.
    let grown = |before: &str, after: &str| after.len() as i64 - before.len() as i64;
    let grown = grown("=?iso-8859-1?Q?Gr=FC=DFe?=", "=?UTF-8?B?R3LDvMOfZQ==?=")
        + grown("iso-8859-1", "utf-8")
        + 2;
    let added = added_bytes(&packets);
    assert!(added > 100, "{added}");
    assert_eq!(
        record.bytes_out as i64 - record.bytes_in as i64,
        grown + added as i64
    );
}

/// Bytes of the fields that a filter inserts, as they stand in the message: `Name: value` and line ends.
fn added_bytes(packets: &[(u8, Vec<u8>)]) -> u64 {
    let inserted = packets
        .iter()
        .filter(|(letter, _)| *letter == b'i')
        .map(|(_, data)| &data[4..]);
    let size = |field: &[u8]| {
        let folds = memchr::memchr_iter(b'\n', field).count();
        let space = usize::from(!String::from_utf8_lossy(field).contains("\0 "));
        // Each of two NULs stands for a byte: the colon, and CR of the line end; LF is one more.
        field.len() + space + folds + 1
    };
    inserted.map(|field| size(field) as u64).sum()
}

/// Postfix sets a message aside, after it took it, of whose fields too many were changed.
#[test]
fn a_header_of_which_too_much_would_change_stays() {
    let filter = RunningFilter::start(false, |_| ());
    let latin = ("X", " =?iso-8859-1?Q?=E9?=");
    let forged_field = ("MIME-Ambiguity-Results", " x; verdict=clean");
    for (count, want) in [(4_000, "m".repeat(4_000) + "hbc"), (4_001, "mc".to_owned())] {
        let label = ("Content-Type", " text/plain; charset=iso-8859-1");
        let fields = [vec![label, forged_field], vec![latin; count - 2]].concat();
        let packets = filter.connect().message(&fields, b"\xfc\r\n");
        let letters = letters(&packets);
        assert!(letters == want, "{count}: {} letters", letters.len());
        if count > 4_000 {
            assert_eq!(packets[0].1, b"\0\0\0\x01MIME-Ambiguity-Results\0\0");
        }
    }
    let records = filter.told.records(2);
    assert_eq!(
        (records[0].action, records[0].remark.map(Remark::name)),
        (Action::Normalize, None)
    );
    assert_eq!(
        (records[1].action, records[1].remark.map(Remark::name)),
        (Action::Normalize, Some("too many changes"))
    );
    assert_eq!(
        (records[1].forged_fields, records[1].bytes_in),
        (1, records[1].bytes_out + 42)
    );
    // Of a field with a claim behind a return the rest stays.
    let odd = ("X", " y\rMIME-Ambiguity-Results: x");
    for (count, want) in [(4_000, "m".repeat(4_000) + "c"), (4_001, "y".to_owned())] {
        let packets = filter.connect().message(&vec![odd; count], b"x\r\n");
        assert!(letters(&packets) == want, "{count}");
        assert!(
            count > 4_000
                || packets
                    .iter()
                    .take(count)
                    .all(|(_, data)| data.ends_with(b"X\0 y\0"))
        );
    }
}

/// What may not stand goes, whatever is in it, and whatever a return elsewhere makes a reader see.
#[test]
fn a_return_saves_no_claim() {
    let mut rules = Rules::default();
    (rules.authserv_id, rules.strips_results) = (Some("mx.example.org".to_owned()), true);
    let filter = RunningFilter::start_with(false, Engine::new(rules), |_| ());
    let gone: [&[u8]; 3] = [
        b"\0\0\0\x01mime-ambiguity-results\0\0",
        b"\0\0\0\x02authentication-results\0\0",
        b"\0\0\0\x03authentication-results\0\0",
    ];
    for odd in [
        ("X", " y"),
        ("X", " y\r"),
        ("X", " y\r\r"),
        ("X", " =?iso-8859-1?Q?=FC?=\rContent-Type: text/html"),
        ("Content-Type", " text/plain;\r charset=iso-8859-1"),
    ] {
        let fields = [
            odd,
            ("Authentication-Results", " other.example; dkim=pass"),
            ("Authentication-Results", " mx.example.org; dkim=pass\r x"),
            ("mime-ambiguity-results", " localhost; v=1\r; verdict=clean"),
            ("AUTHENTICATION-results", " (a) mx.example.org; dkim=pass"),
        ];
        let packets = filter.connect().message(&fields, b"plain\r\n");
        let mut told: Vec<_> = packets
            .iter()
            .filter(|(letter, _)| *letter == b'm')
            .map(|(_, data)| data.to_ascii_lowercase())
            .collect();
        told.sort_unstable();
        let mut want = gone.map(<[u8]>::to_vec);
        want.sort_unstable();
        assert_eq!(told, want, "{odd:?} {packets:?}");
    }
    // A field that cannot go back says how the body is read: nothing is done, and it is told.
    let fields = [("Content-Type", " text/plain; charset=iso-8859-1;\r x=y")];
    let packets = filter.connect().message(&fields, b"Gr\xfc\xdfe\r\n");
    assert_eq!(letters(&packets), "ic");
    let record = filter.told.records(6).remove(5);
    assert_eq!(
        (record.action, record.remark.map(Remark::name)),
        (Action::Tag, Some("stray return"))
    );
    assert_eq!(
        record.bytes_out,
        record.bytes_in + added_bytes(&packets),
        "it stays as it came, below one field"
    );
}

#[test]
fn policies_speak_in_verdicts() {
    let utf7 = [("Content-Type", " text/html; charset=utf-7")];
    for (action, letters_of, words) in [
        (Action::Pass, "c", ""),
        (
            Action::Tag,
            "ic",
            "MIME-Ambiguity-Results\0 localhost; v=1; verdict=ambiguous; action=tag;",
        ),
        (Action::Normalize, "imbc", "action=normalize;"),
        (Action::Tempfail, "t", ""),
        (Action::Quarantine, "iqc", "utf7-in-html"),
        (
            Action::Reject,
            "y",
            "550 5.6.0 message refused: utf7-in-html",
        ),
    ] {
        let mut rules = Rules::default();
        rules.set(Finding::Utf7InHtml, action);
        let filter = RunningFilter::start_with(false, Engine::new(rules), |_| ());
        let packets = filter.connect().message(&utf7, b"+ADw-b+AD4-\r\n");
        let mut got: Vec<_> = letters(&packets).chars().collect();
        let mut want: Vec<_> = letters_of.chars().collect();
        got.sort_unstable();
        want.sort_unstable();
        assert_eq!(got, want, "{}", action.name());
        let all = packets
            .iter()
            .map(|(_, data)| String::from_utf8_lossy(data).into_owned())
            .collect::<String>();
        assert!(all.contains(words), "{all}");
        let record = &filter.told.records(1)[0];
        assert_eq!(record.action, action);
        let goes_on = !matches!(action, Action::Reject | Action::Tempfail);
        assert_eq!(
            record.bytes_out > 0,
            goes_on,
            "what stays out did not go out"
        );
    }
}

#[test]
fn a_server_that_grants_too_little_gets_reports_only() {
    let utf7 = [("Content-Type", " text/html; charset=utf-7")];
    for (actions, answer) in [
        (0x01_u32, "ic"),
        (0x11, "ic"),
        (0, "c"),
        (0x03, "ic"),
        (0x12, "c"),
    ] {
        let filter = RunningFilter::start(false, |_| ());
        let mut mta = Mta::granting(&filter.served.address, actions);
        let packets = mta.message(&utf7, b"+ADw-b+AD4-\r\n");
        let got = letters(&packets);
        if let Some((_, field)) = packets.iter().find(|(letter, _)| *letter == b'i') {
            assert!(
                String::from_utf8_lossy(field).contains("mode=report-only;"),
                "{packets:?}"
            );
        }
        assert_eq!(got, answer, "{actions:#x}");
        assert!(filter.told.faults(1)[0].starts_with("report-only"));
        let record = &filter.told.records(1)[0];
        assert_eq!(record.wanted, Action::Normalize);
        assert_eq!(record.remark.map(Remark::name), Some("report-only"));
        // One that must gain a field to be read passes too, and is not deferred each time.
        mta.send(b'A', b"");
        let packets = mta.message(&[("Subject", " x")], b"Gr\xfc\xdfe\r\n");
        assert_eq!(letters(&packets), answer, "{actions:#x}");
        assert_eq!(
            filter.told.records(2)[1].remark.map(Remark::name),
            Some("report-only")
        );
    }
}

#[test]
fn an_engine_can_be_changed_between_messages() {
    let filter = RunningFilter::start(false, |_| ());
    let mut mta = filter.connect();
    assert_eq!(letters(&mta.message(LATIN, b"Gr\xfc\xdfe\r\n")), "mmbc");
    filter.served.stop.change(Engine::new(Rules::monitor()));
    mta.send(b'A', b"");
    assert_eq!(letters(&mta.message(LATIN, b"Gr\xfc\xdfe\r\n")), "ic");
    let records = filter.told.records(2);
    assert_eq!(
        (
            records[1].action,
            records[1].wanted,
            records[1].policy.as_str()
        ),
        (Action::Tag, Action::Normalize, "monitor")
    );
}

/// A field that cannot go back says how the body is read: it stays true.
#[test]
fn a_return_inside_the_label_of_a_body_keeps_the_body_too() {
    let filter = RunningFilter::start(false, |_| ());
    let stays = " text/plain; charset=iso-8859-1; a=\rb";
    for (field, want) in [
        (("Content-Type", " text/plain;\r charset=iso-8859-1"), "mi"),
        (("Content-Type", stays), "mi"),
        (("Content-Type", " text/plain; charset=iso-8859-1\r"), "mi"),
        (("Content-Transfer-Encoding", " 8bit\r"), "mmib"),
        (("X-Other", " =?iso-8859-1?Q?=FC?= \rx"), "mmib"),
    ] {
        let mut fields = LATIN.to_vec();
        fields.retain(|(name, _)| *name != field.0);
        fields.push(field);
        let packets = filter.connect().message(&fields, b"Gr\xfc\xdfe\r\n");
        assert_eq!(letters(&packets), format!("{want}c"), "{field:?}");
        let (_, told) = packets.iter().find(|(letter, _)| *letter == b'i').unwrap();
        let partial = String::from_utf8_lossy(told).contains("mode=partial;");
        assert_eq!(
            partial,
            field.0 != "Content-Transfer-Encoding",
            "{packets:?}"
        );
        assert!(
            !packets
                .iter()
                .any(|(letter, data)| *letter == b'm' && data.contains(&b'\r')),
            "{packets:?}"
        );
    }
    // What is taken away needs not go back.
    let twice = [LATIN, &[("Content-Type", stays)]].concat();
    let packets = filter.connect().message(&twice, b"Gr\xfc\xdfe\r\n");
    let gone = (b'm', b"\0\0\0\x02Content-Type\0\0".to_vec());
    assert!(
        packets.contains(&gone) && letters(&packets).contains('b'),
        "{packets:?}"
    );
}
