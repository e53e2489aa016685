//! Limits of the milter daemon: time, memory, connections, sizes.

use crate::filter::LATIN;
use crate::rig::{Mta, RunningFilter, letters};
use mailglot_gateway::policy::{Action, Finding};
use mailglot_gateway::{Address, Engine, Record, Remark};
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

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

/// Asserts that a message that needs a file is deferred, and that a short one after it is normalized.
fn defers_only_the_long_message(filter: &RunningFilter) {
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
fn a_message_is_deferred_if_its_body_cannot_be_stored() {
    let filter = RunningFilter::start(false, |limits| {
        (limits.memory_bytes, limits.spool) = (0, PathBuf::from("no such folder"));
    });
    defers_only_the_long_message(&filter);
    assert_eq!(filter.told.records(1)[0].action, Action::Tempfail);
    assert!(filter.told.faults(1)[0].starts_with("spool"));
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
    defers_only_the_long_message(&filter);
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
