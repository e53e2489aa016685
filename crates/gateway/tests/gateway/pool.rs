//! Many connections on few threads: clients that read nothing, slow messages, a stop.

use crate::rig::{Mta, RunningFilter, letters};
use mailglot_gateway::milter::put;
use mailglot_gateway::policy::Action;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// More messages than the buffers of a socket hold, and their answers.
const MANY: usize = 300;

/// Says many messages without waiting for an answer; the other end is for the answers.
fn says_many(filter: &RunningFilter) -> (Mta, JoinHandle<()>) {
    let mut bytes = Vec::new();
    for _ in 0..MANY {
        put(&mut bytes, b'M', &[b"<a@example.org>\0"]);
        put(
            &mut bytes,
            b'L',
            &[b"Subject\0 =?iso-8859-1?Q?Gr=FC=DFe?=\0"],
        );
        put(
            &mut bytes,
            b'L',
            &[b"Content-Type\0 text/plain; charset=iso-8859-1\0"],
        );
        put(&mut bytes, b'N', &[]);
        put(&mut bytes, b'B', &[&b"Gr\xfc\xdfe\r\n".repeat(500)]);
        put(&mut bytes, b'E', &[]);
    }
    let mut stream = UnixStream::connect(filter.folder.path().join("socket")).unwrap();
    let mta = Mta::over(Box::new(stream.try_clone().unwrap()), 0x1ff);
    // Where the filter ends before all is said, that is what is asked about.
    (mta, thread::spawn(move || drop(stream.write_all(&bytes))))
}

/// How many verdicts come, and the letters behind the last one.
fn hears(mta: &mut Mta) -> (usize, String) {
    let (mut verdicts, mut rest) = (0, String::new());
    while verdicts < MANY {
        let Some(letter) = mta.letter() else { break };
        rest.push(char::from(letter));
        if letter == b'c' {
            assert_eq!(rest, "mmhbc");
            (verdicts, rest) = (verdicts + 1, String::new());
        }
    }
    (verdicts, rest)
}

#[test]
fn who_takes_nothing_hinders_nobody_and_loses_nothing() {
    let filter = RunningFilter::start(false, |_| ());
    let twice = 2 * thread::available_parallelism().map_or(1, usize::from);
    let mut slow: Vec<_> = (0..twice).map(|_| says_many(&filter)).collect();
    thread::sleep(Duration::from_millis(300));
    let fields = [("Content-Type", " text/plain; charset=iso-8859-1")];
    for _ in 0..twice {
        let packets = filter.connect().message(&fields, b"Gr\xfc\xdfe\r\n");
        assert!(letters(&packets).ends_with("bc"), "{packets:?}");
    }
    for (mta, _) in &mut slow {
        assert_eq!(hears(mta), (MANY, String::new()));
    }
    for (_, thread) in slow {
        thread.join().unwrap();
    }
    assert_eq!(
        filter.told.records(twice * (MANY + 1)).len(),
        twice * (MANY + 1)
    );
    assert!(filter.told.faults(0).is_empty());
}

#[test]
fn who_takes_nothing_is_waited_for_no_longer_than_allowed() {
    let filter = RunningFilter::start(false, |limits| limits.stall = Duration::from_millis(200));
    let (_mta, thread) = says_many(&filter);
    thread.join().unwrap();
    assert!(filter.told.faults(1)[0].starts_with("io"));
    // Each message has one record; that of the verdict that was not taken says so, and nothing is looked at behind it.
    let records = filter.told.records(1);
    let (last, before) = records.split_last().unwrap();
    assert!(
        records.len() < MANY
            && before
                .iter()
                .all(|record| record.action == Action::Normalize)
    );
    assert_eq!(
        (last.action, last.remark.map(mailglot_gateway::Remark::name)),
        (Action::Tempfail, Some("io"))
    );
}

#[test]
fn a_stop_waits_until_a_verdict_is_taken() {
    let mut filter = RunningFilter::start(false, |limits| limits.drain = Duration::from_mins(1));
    let (mut mta, thread) = says_many(&filter);
    // The filter cannot go on for ever: no socket holds all answers.
    while mta.letter().unwrap() != b'c' {}
    filter.served.stop.stop();
    thread::sleep(Duration::from_millis(100));
    let (verdicts, rest) = hears(&mut mta);
    let verdicts = verdicts + 1;
    assert!(verdicts < MANY && rest.is_empty(), "{verdicts} {rest}");
    let start = Instant::now();
    filter.served.end();
    assert!(start.elapsed() < Duration::from_secs(20));
    thread.join().unwrap();
    assert_eq!(filter.told.records(verdicts).len(), verdicts);
}

#[test]
fn a_long_message_is_as_good_as_a_short_one_and_so_is_what_follows() {
    let filter = RunningFilter::start(false, |_| ());
    let mut mta = filter.connect();
    let fields = [("Content-Type", " text/plain; charset=iso-8859-1")];
    for length in [1, 60_000, 1, 200_000, 1] {
        let packets = mta.message(&fields, &b"Gr\xfc\xdfe\r\n".repeat(length));
        let body = packets.iter().filter(|(letter, _)| *letter == b'b');
        let body: Vec<u8> = body.flat_map(|(_, data)| data.clone()).collect();
        assert!(
            body == "Gr\u{fc}\u{df}e\r\n".repeat(length).into_bytes(),
            "{length}"
        );
        mta.send(b'A', b"");
    }
}

/// What stands between the commands of a message does not make it none.
#[test]
fn a_message_that_has_begun_ends_after_a_stop_though_macros_came_last() {
    let mut filter = RunningFilter::start(false, |limits| limits.drain = Duration::from_mins(1));
    let mut mta = Mta::answered(&filter);
    mta.exchange(b'M', b"<a@example.org>\0");
    mta.exchange(b'R', b"<b@example.org>\0");
    mta.send(b'D', b"T");
    thread::sleep(Duration::from_millis(200));
    filter.served.stop.stop();
    thread::sleep(Duration::from_millis(100));
    mta.exchange(b'L', b"Subject\0 a\0");
    mta.send(b'E', b"");
    assert_eq!(mta.letter(), Some(b'c'));
    filter.served.end();
    assert_eq!(filter.told.records(1)[0].action, Action::Pass);
}

#[test]
fn a_message_that_is_broken_off_is_told_whatever_came_last() {
    for last in [b'D', b'R'] {
        let filter = RunningFilter::start(false, |_| ());
        let mut mta = filter.connect();
        mta.send(b'M', b"<a@example.org>\0");
        mta.send(b'R', b"<b@example.org>\0");
        mta.send(
            last,
            if last == b'D' {
                b"T"
            } else {
                b"<c@example.org>\0"
            },
        );
        mta.send(b'?', b"");
        assert_eq!(mta.letter(), None);
        let record = filter.told.records(1).remove(0);
        assert_eq!(
            (
                record.action,
                record.remark.map(mailglot_gateway::Remark::name)
            ),
            (Action::Tempfail, Some("unknown-command"))
        );
    }
}

#[test]
fn a_message_that_a_stop_does_not_wait_for_is_told() {
    let mut filter =
        RunningFilter::start(false, |limits| limits.drain = Duration::from_millis(200));
    let (mut slow, mut idle) = (Mta::answered(&filter), filter.connect());
    slow.exchange(b'M', b"<a@example.org>\0");
    slow.exchange(b'L', b"Subject\0 a\0");
    filter.served.end();
    assert_eq!((slow.letter(), idle.letter()), (None, None));
    let records = filter.told.records(1);
    assert_eq!(records.len(), 1);
    assert_eq!(
        (
            records[0].action,
            records[0].remark.map(mailglot_gateway::Remark::name)
        ),
        (Action::Tempfail, Some("stopped"))
    );
    assert!(filter.told.faults(0).is_empty());
}
