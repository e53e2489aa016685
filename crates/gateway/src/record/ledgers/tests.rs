#![allow(clippy::unwrap_used, clippy::panic)]
use super::*;
use mailglot_archive::ledger::{Segment, write_whole};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const DAY: Duration = Duration::from_hours(24);
const MESSAGE: &[u8] = b"Message-ID: <1@example.org>\r\nSubject: a\r\n\r\n";

fn open(folder: &Path, retention: Retention) -> Ledgers {
    Ledgers::open(folder, retention, |error| panic!("{error}")).unwrap()
}

fn entry(id: &[u8]) -> IndexEntry {
    IndexEntry {
        queue_id: id.to_vec(),
        ..IndexEntry::default()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for day in fs::read_dir(folder).unwrap().flatten() {
        let day_name = day.file_name().into_string().unwrap();
        // The sweeper may take an empty one away meanwhile.
        let Ok(entries) = fs::read_dir(day.path()) else {
            continue;
        };
        let name = |entry: fs::DirEntry| {
            format!("{day_name}/{}", entry.file_name().into_string().unwrap())
        };
        all.extend(entries.flatten().map(name));
    }
    all.sort();
    all
}

/// All originals in a folder.
fn originals(folder: &Path) -> Vec<Vec<u8>> {
    let catalog = Catalog::open(folder).unwrap();
    let mut all = Vec::new();
    let damaged = catalog
        .find(&Query::default(), |found| all.push(found.name))
        .unwrap();
    assert_eq!(damaged, []);
    all.iter()
        .map(|name| catalog.read(name).unwrap().original)
        .collect()
}

fn age(path: &Path, by: Duration) {
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(SystemTime::now() - by)
        .unwrap();
}

/// A file as versions before segments wrote it.
fn single(folder: &Path, name: &str, message: &[u8], old: Duration) -> u64 {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let note = br#"{"msg":"4F2","from":"<a@example.org>","rcpts":1}"#;
    let (bytes, length) = write_whole(Vec::new(), message, note, "test").unwrap();
    fs::write(&path, bytes).unwrap();
    age(&path, old);
    length
}

#[test]
fn names_tell_time_and_place() {
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("new");
    let ledgers = open(&folder, Retention::default());
    // The sweeper, which has the system's clock, is not to close a segment of long ago.
    let now = UNIX_EPOCH + Duration::new(1_795_342_995, 4_211_907) + 36_525 * DAY;
    let process = std::process::id();
    let first = ledgers.keep(MESSAGE, "{}", entry(b"4F2A"), now).unwrap();
    let (segment, offset) = first.split_once(':').unwrap();
    assert_eq!(
        segment,
        format!("2126-11-23/102315.004211907-{process}-0.segment")
    );
    let second = ledgers.keep(MESSAGE, "{}", entry(b"4F2B"), now).unwrap();
    assert!(second.starts_with(segment) && second.rsplit(':').next().unwrap() > offset);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.join(segment)), 0o600);
    assert_eq!(
        (mode(&folder), mode(&folder.join("2126-11-23"))),
        (0o700, 0o700)
    );
    // A daemon that begins in the same moment has a segment of its own.
    let again = open(&folder, Retention::default());
    let name = again.keep(MESSAGE, "{}", entry(b"4F2A"), now).unwrap();
    assert_eq!(
        name.split(':').next().unwrap(),
        format!("2126-11-23/102315.004211907-{process}-1.segment")
    );
    drop((ledgers, again));
    assert_eq!(originals(&folder), [MESSAGE; 3]);
}

#[test]
fn records_are_found_by_what_is_known_of_them() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let start = UNIX_EPOCH + 20_000 * DAY;
    for number in 0..10_u32 {
        let entry = IndexEntry {
            queue_id: format!("4F{number}").into_bytes(),
            message_id: format!("<{number}@example.org>").into_bytes(),
            sender: Some(format!("a{}@example.org", number % 2).into_bytes()),
            recipients: vec![
                format!("b@{}.example", number % 3).into_bytes(),
                b"c@example.net".to_vec(),
            ],
            recipient_count: 2,
            ..IndexEntry::default()
        };
        let message = format!("Subject: {number}\r\n\r\n");
        ledgers
            .keep(message.as_bytes(), "{}", entry, start + number * DAY)
            .unwrap();
    }
    single(
        at.path(),
        "2026-11-22/102315.004211907-4F2-0.ledger",
        MESSAGE,
        Duration::ZERO,
    );
    let catalog = Catalog::open(at.path()).unwrap();
    let find = |query: Query| {
        let mut found = Vec::new();
        assert_eq!(
            catalog
                .find(&query, |one| found.push(one.entry.queue_id))
                .unwrap(),
            []
        );
        found
            .into_iter()
            .map(|id| String::from_utf8(id).unwrap()[2..].to_owned())
            .collect::<String>()
    };
    let bytes = |text: &str| Some(text.as_bytes().to_vec());
    assert_eq!(find(Query::default()), "01234567892");
    assert_eq!(
        find(Query {
            queue_id: bytes("4F3"),
            ..Query::default()
        }),
        "3"
    );
    assert_eq!(
        find(Query {
            queue_id: bytes("4F2"),
            ..Query::default()
        }),
        "22"
    );
    assert_eq!(
        find(Query {
            message_id: bytes("7@example.org"),
            ..Query::default()
        }),
        "7"
    );
    assert_eq!(
        find(Query {
            message_id: bytes("<1@example.org>"),
            ..Query::default()
        }),
        "12"
    );
    assert_eq!(
        find(Query {
            sender: bytes("<A1@example.org>"),
            ..Query::default()
        }),
        "13579"
    );
    assert_eq!(
        find(Query {
            sender: bytes("a@example.org"),
            ..Query::default()
        }),
        "2"
    );
    assert_eq!(
        find(Query {
            recipient: bytes("@1.EXAMPLE"),
            ..Query::default()
        }),
        "147"
    );
    assert_eq!(
        find(Query {
            recipient: bytes("@1.example.org"),
            ..Query::default()
        }),
        ""
    );
    let (since, until) = (Some(start + 3 * DAY), Some(start + 6 * DAY));
    assert_eq!(
        find(Query {
            since,
            until,
            ..Query::default()
        }),
        "345"
    );
    assert_eq!(
        find(Query {
            since,
            until,
            recipient: bytes("b@1.example"),
            ..Query::default()
        }),
        "4"
    );
    assert_eq!(
        find(Query {
            since: Some(start + 500 * DAY),
            ..Query::default()
        }),
        "2"
    );
    // What is no name of a record is none.
    for name in [
        "",
        "x",
        "2026-11-22",
        "2026-11-22/x",
        "../x/y.segment:0",
        "2026-11-22/../x.ledger",
        "2026-11-22/x:y",
    ] {
        assert!(catalog.read(name).is_err(), "{name}");
    }
    let read = catalog
        .read("2026-11-22/102315.004211907-4F2-0.ledger")
        .unwrap();
    assert_eq!(
        (&read.original[..], &read.entry.sender),
        (MESSAGE, &bytes("a@example.org"))
    );
}

/// The clock goes back over midnight while a segment is open: its records stand in the folder of a later day.
#[test]
fn a_search_by_days_finds_what_was_kept_before_its_segment() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let today = day_start(&names::moment(SystemTime::now()).0).unwrap() + 400 * DAY;
    for back in [0, 1, 60, 86_400, 2 * 86_400 - 1] {
        ledgers
            .keep(
                MESSAGE,
                "{}",
                entry(b"A"),
                today - Duration::from_secs(back),
            )
            .unwrap();
    }
    let catalog = Catalog::open(at.path()).unwrap();
    let count = |since, until| {
        let query = Query {
            since,
            until,
            ..Query::default()
        };
        let mut found = 0;
        assert_eq!(catalog.find(&query, |_| found += 1).unwrap(), []);
        found
    };
    assert_eq!(
        (
            count(None, None),
            count(Some(today), None),
            count(None, Some(today))
        ),
        (5, 1, 4)
    );
    assert_eq!(
        (
            count(None, Some(today - DAY)),
            count(Some(today - DAY), Some(today))
        ),
        (1, 3)
    );
    assert_eq!(count(None, Some(today - 2 * DAY)), 0);
}

#[test]
fn segments_are_of_a_size_and_an_age() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(
        at.path(),
        Retention {
            age: None,
            bytes: Some(160_000),
        },
    );
    let now = SystemTime::now();
    let name = |now| {
        ledgers
            .keep(MESSAGE, "{}", entry(b"A"), now)
            .unwrap()
            .split(':')
            .next()
            .unwrap()
            .to_owned()
    };
    let first = name(now);
    assert_eq!(name(now + Duration::from_mins(59)), first);
    let second = name(now + Duration::from_hours(1));
    assert_ne!(second, first);
    // A clock that goes back begins none.
    assert_eq!(name(now - DAY), second);
    (0..100).for_each(|_| drop(name(now + Duration::from_hours(1))));
    let sizes: Vec<u64> = names(at.path())
        .iter()
        .map(|name| fs::metadata(at.path().join(name)).unwrap().len())
        .collect();
    assert!(
        sizes.len() > 4 && sizes.iter().all(|size| *size < 11_000),
        "{sizes:?}"
    );
    // What is older is closed by the sweep, without another record.
    let open_now = || {
        names(at.path())
            .iter()
            .filter(|name| !closed(&at.path().join(name)))
            .count()
    };
    assert_eq!(open_now(), 1);
    ledgers.sweep(now + Duration::from_hours(2)).unwrap();
    assert_eq!(open_now(), 0);
    assert_eq!(originals(at.path()).len(), 104);
}

fn closed(path: &Path) -> bool {
    Segment::open(File::open(path).unwrap())
        .unwrap()
        .is_closed()
}

#[test]
fn what_is_too_old_goes() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(
        at.path(),
        Retention {
            age: Some(30 * DAY),
            bytes: None,
        },
    );
    let now = SystemTime::now();
    let old = ledgers
        .keep(b"old", "{}", entry(b"1"), now - 31 * DAY)
        .unwrap();
    let young = ledgers.keep(b"young", "{}", entry(b"2"), now).unwrap();
    assert_ne!(old.split(':').next(), young.split(':').next());
    single(
        at.path(),
        "2020-01-01/102315.004211907-4F2-0.ledger",
        b"x",
        31 * DAY,
    );
    let swept = ledgers.sweep(now).unwrap();
    // The sweeper may have come before.
    assert!(swept.gone <= 2 && swept.left == 1, "{swept:?}");
    assert_eq!(ledgers.bytes(), swept.bytes);
    assert_eq!(originals(at.path()), [b"young"]);
    assert_eq!(
        fs::read_dir(at.path()).unwrap().count(),
        1,
        "the empty days go too"
    );
    let swept = ledgers.sweep(now + 31 * DAY).unwrap();
    assert_eq!(
        swept,
        Swept {
            gone: 1,
            left: 0,
            bytes: 0
        }
    );
    // A day that went comes again when it is needed.
    ledgers.keep(b"again", "{}", entry(b"3"), now).unwrap();
}

#[test]
fn the_oldest_go_where_there_is_too_much() {
    let at = tempfile::tempdir().unwrap();
    let one = (0..20_u32)
        .map(|number| {
            let day = names::moment(SystemTime::now() - number * DAY).0;
            single(
                at.path(),
                &format!("{day}/102315.004211907-4F-{number}.ledger"),
                MESSAGE,
                number * DAY,
            )
        })
        .max()
        .unwrap();
    let ledgers = open(
        at.path(),
        Retention {
            age: None,
            bytes: Some(one * 10),
        },
    );
    // The sweeper does it by itself.
    let patience = SystemTime::now() + Duration::from_secs(20);
    while ledgers.bytes() != one * 9 && SystemTime::now() < patience {
        thread::sleep(Duration::from_millis(5));
    }
    let left = names(at.path());
    assert!(
        left.len() == 9
            && left
                .iter()
                .all(|name| name.as_bytes()[name.len() - 8].is_ascii_digit()),
        "{left:?}"
    );
    // So it does when new ones come.
    for _ in 0..40 {
        ledgers
            .keep(MESSAGE, "{}", entry(b"A"), SystemTime::now() + DAY)
            .unwrap();
    }
    while ledgers.bytes() > one * 10 && SystemTime::now() < patience {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(ledgers.bytes() <= one * 10);
    assert!(
        names(at.path())
            .iter()
            .all(|name| name.ends_with(".segment"))
    );
}

/// Of more files than are held at a time, on one day.
#[test]
fn the_oldest_of_a_day_go_a_few_at_a_time() {
    let at = tempfile::tempdir().unwrap();
    let mut one = 0;
    for number in 0..40_u64 {
        // Their names say nothing about it.
        let old = Duration::from_secs(number * 7 % 40);
        one = single(
            at.path(),
            &format!(
                "2026-11-22/102315.004211907-4F-{:02}.ledger",
                number * 7 % 40
            ),
            MESSAGE,
            old,
        );
    }
    let ledgers = open(
        at.path(),
        Retention {
            age: None,
            bytes: Some(one * 10),
        },
    );
    let patience = SystemTime::now() + Duration::from_secs(20);
    while ledgers.bytes() != one * 9 && SystemTime::now() < patience {
        thread::sleep(Duration::from_millis(5));
    }
    let want: Vec<_> = (0..9)
        .map(|age| format!("2026-11-22/102315.004211907-4F-{age:02}.ledger"))
        .collect();
    assert_eq!(names(at.path()), want);
}

/// No later record has to come for that.
#[test]
fn what_comes_while_the_oldest_go_is_swept_too() {
    let at = tempfile::tempdir().unwrap();
    let most = 20_000;
    let ledgers = open(
        at.path(),
        Retention {
            age: None,
            bytes: Some(most),
        },
    );
    let now = SystemTime::now();
    let keep = || {
        ledgers
            .keep(&vec![b'x'; 1_000], "{}", entry(b"A"), now)
            .unwrap()
    };
    thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| (0..40).for_each(|_| drop(keep())))));
    });
    let all = || {
        // It may go meanwhile.
        let size =
            |name: String| fs::metadata(at.path().join(name)).map_or(0, |metadata| metadata.len());
        names(at.path()).into_iter().map(size).sum::<u64>()
    };
    let patience = SystemTime::now() + Duration::from_secs(20);
    while all() > most && SystemTime::now() < patience {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(
        (1..=most).contains(&all()),
        "{}, {} counted",
        all(),
        ledgers.bytes()
    );
}

#[test]
fn what_is_not_ours_stays_and_what_was_abandoned_goes() {
    let at = tempfile::tempdir().unwrap();
    let day = at.path().join("2020-01-01");
    fs::create_dir_all(&day).unwrap();
    fs::create_dir_all(at.path().join("2020-01-0x")).unwrap();
    let all = [
        ".begun-1.tmp",
        ".begun-2.tmp",
        "other.txt",
        "other.tmp",
        "a.ledger",
        "b.segment",
        "102315.004211907-4F-0.ledger",
        "102315.004211907-1-empty.segment",
        "102315.004211907-1-new.segment",
        "102315.004211907-1-half.segment",
    ];
    for name in all {
        fs::write(day.join(name), b"").unwrap();
    }
    fs::write(day.join(all[9]), &segment_header()[..20]).unwrap();
    fs::write(at.path().join("2020-01-0x/a.ledger"), b"x").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", day.join("102315.004211907-9-link.segment")).unwrap();
    for name in all
        .iter()
        .filter(|name| !name.ends_with("2.tmp") && !name.ends_with("new.segment"))
    {
        age(&day.join(name), 2 * Duration::from_hours(1));
    }
    let ledgers = open(
        at.path(),
        Retention {
            age: Some(DAY / 24),
            bytes: None,
        },
    );
    ledgers.sweep(SystemTime::now()).unwrap();
    let left = [
        "2020-01-01/.begun-2.tmp",
        "2020-01-01/102315.004211907-1-new.segment",
        "2020-01-01/102315.004211907-9-link.segment",
        "2020-01-01/a.ledger",
        "2020-01-01/b.segment",
        "2020-01-01/other.tmp",
        "2020-01-01/other.txt",
    ];
    assert_eq!(
        names(at.path()),
        [&left[..], &["2020-01-0x/a.ledger"]].concat()
    );
    assert!(Path::new("/etc/passwd").exists());
    // A search does not look at them either.
    let catalog = Catalog::open(at.path()).unwrap();
    let unread = catalog
        .find(&Query::default(), |found| panic!("{found:?}"))
        .unwrap();
    assert!(
        unread.len() == 1 && unread[0].0.ends_with("link.segment"),
        "{unread:?}"
    );
}

fn segment_header() -> Vec<u8> {
    mailglot_archive::ledger::segment_header("test")
}

#[test]
fn a_record_that_cannot_be_written_is_an_error_and_leaves_nothing() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let now = SystemTime::now();
    let day = at.path().join(names::moment(now).0);
    fs::write(&day, b"in the way").unwrap();
    assert!(ledgers.keep(b"x", "{}", entry(b"1"), now).is_err());
    fs::remove_file(&day).unwrap();
    ledgers.keep(b"x", "{}", entry(b"1"), now).unwrap();
    // Somebody takes the segment away while it is open: that is noticed, and what is kept next is there.
    fs::remove_dir_all(&day).unwrap();
    assert!(ledgers.keep(b"x", "{}", entry(b"1"), now).is_err());
    ledgers.keep(b"y", "{}", entry(b"1"), now).unwrap();
    assert_eq!(originals(at.path()), [b"y"]);
    // And the whole folder.
    fs::remove_dir_all(at.path()).unwrap();
    for _ in 0..2 {
        assert!(ledgers.keep(b"x", "{}", entry(b"1"), now).is_err());
    }
    assert!(!at.path().exists());
    assert!(Ledgers::open("/proc/none", Retention::default(), |_| ()).is_err());
}

/// A failed sync costs the records that it was for, and their bytes are cut off; those before and after it are there.
#[test]
fn a_failed_write_leaves_no_half_record() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let now = SystemTime::now();
    let first = ledgers.keep(b"first", "{}", entry(b"1"), now).unwrap();
    ledgers.store.commits.target().fail = Some(|_| Err(io::Error::other("no space")));
    let error = ledgers.keep(b"second", "{}", entry(b"2"), now).unwrap_err();
    assert!(error.to_string().contains("no space"), "{error}");
    let third = ledgers.keep(b"third", "{}", entry(b"3"), now).unwrap();
    assert_ne!(first.split(':').next(), third.split(':').next());
    assert_eq!(originals(at.path()), [&b"first"[..], b"third"]);
    assert!(closed(&at.path().join(first.split(':').next().unwrap())));
}

/// Its records are durable by then: the messages go on, and the next sweep closes it.
#[test]
fn a_segment_that_cannot_be_closed_defers_no_message() {
    let at = tempfile::tempdir().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = told.clone();
    let tell = move |error: &io::Error| telling.lock().unwrap().push(error.to_string());
    // A segment takes 10,000 bytes.
    let retention = Retention {
        age: None,
        bytes: Some(160_000),
    };
    let ledgers = Ledgers::open(at.path(), retention, tell).unwrap();
    let now = SystemTime::now();
    let fail = || ledgers.store.commits.target().fail_close = true;
    let large = random(1)(20_000);
    fail();
    let first = ledgers.keep(&large, "{}", entry(b"1"), now).unwrap();
    let second = ledgers.keep(b"second", "{}", entry(b"2"), now).unwrap();
    fail();
    // A later record closes an old segment, and a sweep does.
    ledgers
        .keep(b"third", "{}", entry(b"3"), now + 2 * DAY)
        .unwrap();
    fail();
    assert_eq!(ledgers.sweep(now + 3 * DAY).unwrap().left, 3);
    let third = names(at.path()).pop().unwrap();
    let told = told.lock().unwrap().clone();
    let want: Vec<_> = [&first, &second, &third]
        .map(|name| {
            format!(
                "{} cannot be closed: no close; its originals are kept",
                name.split(':').next().unwrap()
            )
        })
        .into();
    assert_eq!(told, want);
    assert_eq!(originals(at.path()), [&large[..], b"second", b"third"]);
    ledgers.sweep(now + 3 * DAY).unwrap();
    assert!(
        names(at.path())
            .iter()
            .all(|name| closed(&at.path().join(name)))
    );
}

/// A sweep removes empty folders of other days, also one that was just made for a segment.
#[test]
fn a_sweep_does_not_get_in_the_way_of_a_new_segment() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let now = SystemTime::now();
    let swept = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let folder = Folder::open(at.path()).unwrap();
            while !swept.load(Ordering::Relaxed) {
                drop(retention::sweep(&folder, Retention::default(), now));
            }
        });
        let kept: Vec<_> = (1..300)
            .map(|day| ledgers.keep(MESSAGE, "{}", entry(b"A"), now + day * DAY))
            .collect();
        swept.store(true, Ordering::Relaxed);
        assert!(kept.iter().all(Result::is_ok), "{kept:?}");
    });
}

/// A day's folder that exists may not be durable: whoever made it may have had no time to sync.
#[test]
fn the_folders_of_a_new_segment_are_durable() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let now = SystemTime::now() + DAY;
    let day = at.path().join(names::moment(now).0);
    fs::create_dir(&day).unwrap();
    fs::set_permissions(&day, fs::Permissions::from_mode(0o700)).unwrap();
    let synced = || folder::tests::synced([at.path(), &day]);
    synced();
    ledgers.keep(MESSAGE, "{}", entry(b"1"), now).unwrap();
    assert_eq!(synced(), [true, true]);
    ledgers.keep(MESSAGE, "{}", entry(b"2"), now).unwrap();
    assert_eq!(synced(), [false, false]);
}

/// What a killed daemon leaves, cut at any byte: all whole records stay, the rest goes, and the segment is used no more.
#[test]
fn a_torn_segment_is_closed_at_its_last_whole_record() {
    let source = tempfile::tempdir().unwrap();
    let now = SystemTime::now() - Duration::from_mins(5);
    let ledgers = open(source.path(), Retention::default());
    let mut ends = Vec::new();
    let mut segment = String::new();
    for number in 0..3 {
        let message = format!("Subject: {number}\r\n\r\n");
        let name = ledgers
            .keep(
                message.as_bytes(),
                "{}",
                entry(b"A"),
                now + Duration::from_secs(number),
            )
            .unwrap();
        segment = name.split(':').next().unwrap().to_owned();
        ends.push(fs::metadata(source.path().join(&segment)).unwrap().len() as usize);
    }
    let bytes = fs::read(source.path().join(&segment)).unwrap();
    let header = mailglot_archive::ledger::segment_header(PRODUCER).len();
    for cut in (0..=bytes.len()).step_by(7).chain(ends.clone()) {
        for filled in [0, 100] {
            let at = tempfile::tempdir().unwrap();
            let path = at.path().join(&segment);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
            fs::write(&path, [&bytes[..cut], &vec![0; filled]].concat()).unwrap();
            // The clock may have gone back since the last write.
            let written = now + Duration::from_secs(cut as u64 % 120);
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(written)
                .unwrap();
            let folder = Folder::open(at.path()).unwrap();
            let closing = now + Duration::from_mins(1);
            let told = Mutex::new(Vec::new());
            let tell = |error: &io::Error| told.lock().unwrap().push(error.to_string());
            retention::close_abandoned(&folder, closing, &tell).unwrap();
            let whole = ends.iter().filter(|end| **end <= cut).count();
            let told = told.into_inner().unwrap();
            if path.exists() && !is_segment(&path) {
                assert!(whole == 0 && told.is_empty(), "cut at {cut}");
                continue;
            }
            // Header and records take this much; what is behind is torn, and that is told.
            let end = if whole == 0 { header } else { ends[whole - 1] };
            let more = cut + filled - end;
            assert_eq!(told.is_empty(), more == 0, "cut at {cut}: {told:?}");
            assert!(
                told.iter().all(|line| line.starts_with(&segment)),
                "{told:?}"
            );
            if filled == 0 && more > 0 {
                assert!(
                    told.len() == 1 && told[0].contains(&format!("removed {more} bytes")),
                    "{told:?}"
                );
            }
            if told.iter().any(|line| line.contains("damaged")) {
                // The zeros took the place of the ledger's end; nothing is cut.
                assert!(
                    fs::read(&path)
                        .unwrap()
                        .starts_with(&[&bytes[..cut], &vec![0; ends[whole] - cut]].concat())
                );
            }
            if whole == 0 {
                assert!(!path.exists() || filled > 0, "cut at {cut}");
                continue;
            }
            let segment = Segment::open(File::open(&path).unwrap()).unwrap();
            assert!(segment.is_closed(), "cut at {cut}");
            assert_eq!(
                segment.recover().unwrap().end,
                ends[whole - 1] as u64,
                "cut at {cut}"
            );
            assert_eq!(
                segment.index().unwrap().unwrap().len(),
                whole,
                "the index is made anew; cut at {cut}"
            );
            assert_eq!(originals(at.path()).len(), whole, "cut at {cut}");
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            assert_eq!(modified, written.min(closing), "it goes by its last write");
        }
    }
}

/// A message holds a record of 1970, which cannot be compressed. The daemon is killed while it writes that message.
#[test]
fn a_torn_message_does_not_age_its_segment() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let now = SystemTime::now();
    let name = ledgers.keep(b"one", "{}", entry(b"1"), now).unwrap();
    ledgers.keep(b"two", "{}", entry(b"2"), now).unwrap();
    let path = at.path().join(name.split(':').next().unwrap());
    let mut noise = random(1);
    let plan = ledgers
        .prepare(&noise(50_000), "{}", entry(b"old"), UNIX_EPOCH)
        .unwrap()
        .0
        .bytes;
    let message = [noise(300_000), plan.clone(), noise(300_000)].concat();
    let torn = ledgers
        .prepare(&message, "{}", entry(b"3"), now)
        .unwrap()
        .0
        .bytes;
    assert!(
        torn.windows(plan.len()).any(|part| part == plan),
        "the record stands in it as it is"
    );
    // As a killed daemon leaves it, which keeps no lock.
    let bytes = [&fs::read(&path).unwrap()[..], &torn[..torn.len() - 100]].concat();
    drop(ledgers);
    fs::write(&path, bytes).unwrap();
    let told = Arc::new(Mutex::new(0));
    let telling = told.clone();
    let retention = Retention {
        age: Some(30 * DAY),
        bytes: None,
    };
    let ledgers =
        Ledgers::open(at.path(), retention, move |_| *telling.lock().unwrap() += 1).unwrap();
    ledgers.sweep(now).unwrap();
    // The sweeper may have begun before; it ends here.
    drop(ledgers);
    let ledgers = open(at.path(), retention);
    ledgers.sweep(now).unwrap();
    assert!(closed(&path) && *told.lock().unwrap() == 1);
    assert_eq!(originals(at.path()), [b"one", b"two"]);
}

/// Returns what makes bytes that cannot be compressed.
fn random(mut state: u64) -> impl FnMut(usize) -> Vec<u8> {
    move |size| {
        let byte = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        (0..size).map(byte).collect()
    }
}

fn is_segment(path: &Path) -> bool {
    Segment::open(File::open(path).unwrap()).is_ok()
}

/// One bit of an accepted record is flipped, and its daemon is killed: no byte of the segment goes, and the damage is told.
#[test]
fn a_damaged_record_stays_in_its_segment() {
    let source = tempfile::tempdir().unwrap();
    let now = SystemTime::now();
    for count in 1..4 {
        let ledgers = open(source.path(), Retention::default());
        let names: Vec<_> = (0..count)
            .map(|_| ledgers.keep(MESSAGE, "{}", entry(b"A"), now).unwrap())
            .collect();
        let (segment, offset) = names[count - 1].rsplit_once(':').unwrap();
        let bytes = fs::read(source.path().join(segment)).unwrap();
        drop(ledgers);
        let last: usize = offset.parse().unwrap();
        for at in (last..last + 32).chain((last + 32..bytes.len()).step_by(5)) {
            let at_all = tempfile::tempdir().unwrap();
            let path = at_all.path().join(segment);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, &damaged).unwrap();
            let told = Mutex::new(Vec::new());
            let tell = |error: &io::Error| told.lock().unwrap().push(error.to_string());
            let folder = Folder::open(at_all.path()).unwrap();
            retention::close_abandoned(&folder, now, &tell).unwrap();
            assert!(fs::read(&path).unwrap().starts_with(&damaged), "byte {at}");
            let want = format!("{segment}: {} bytes are damaged;", bytes.len() - last);
            let told = told.into_inner().unwrap();
            assert!(
                told.len() == 1 && told[0].starts_with(&want),
                "byte {at}: {told:?}"
            );
            assert!(closed(&path), "byte {at}");
            let catalog = Catalog::open(at_all.path()).unwrap();
            assert!(
                names[..count - 1]
                    .iter()
                    .all(|name| catalog.read(name).is_ok()),
                "byte {at}"
            );
            // It goes by its age as all segments do.
            let retention = Retention {
                age: Some(DAY),
                bytes: None,
            };
            assert_eq!(
                retention::sweep(&folder, retention, now + 2 * DAY)
                    .unwrap()
                    .gone,
                1
            );
        }
    }
}

/// A segment that a daemon has open is neither closed nor removed by another.
#[test]
fn daemons_leave_each_others_segments_alone() {
    let at = tempfile::tempdir().unwrap();
    let retention = Retention {
        age: Some(DAY),
        bytes: Some(1),
    };
    let one = open(at.path(), retention);
    let now = SystemTime::now();
    one.keep(b"x", "{}", entry(b"1"), now).unwrap();
    // Its segments are of one record where so little may stay; so it is closed already, and goes.
    let other = open(
        at.path(),
        Retention {
            age: Some(DAY),
            bytes: None,
        },
    );
    let kept = other.keep(b"y", "{}", entry(b"2"), now).unwrap();
    for _ in 0..3 {
        one.sweep(now + 3 * DAY).unwrap();
    }
    let left = names(at.path());
    assert_eq!(left, [kept.split(':').next().unwrap()]);
    assert!(!closed(&at.path().join(&left[0])));
    other.keep(b"z", "{}", entry(b"3"), now).unwrap();
    drop(other);
    assert_eq!(originals(at.path()), [b"y", b"z"]);
    one.sweep(now + 3 * DAY).unwrap();
    assert_eq!(names(at.path()), [] as [&str; 0]);
}

#[test]
fn many_writers_share_syncs_and_none_is_lost() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let (ledgers, now) = (&ledgers, SystemTime::now());
    let keep = move |writer: usize| {
        let message = format!("Subject: {writer}\r\n\r\n");
        ledgers
            .keep(message.as_bytes(), "{}", entry(b"A"), now)
            .unwrap();
    };
    let commits = &ledgers.store.commits;
    // The first segment has its folder and its header synced.
    keep(0);
    let before = ledgers.syncs();
    thread::scope(|scope| {
        let busy = commits.target();
        scope.spawn(move || keep(1));
        commits.wait_for_leader();
        for writer in 2..17 {
            scope.spawn(move || keep(writer));
        }
        commits.wait_for_waiting(15);
        drop(busy);
    });
    assert_eq!(
        ledgers.syncs() - before,
        2,
        "the first record alone, then fifteen at once"
    );
    let mut all = originals(at.path());
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 17);
}

/// Messages that are written without a copy, among small ones.
#[test]
fn large_records_come_back() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let now = SystemTime::now();
    let messages: Vec<_> = [10, 200_000, 70_000, 5, 3_000_000].map(random(1)).into();
    let records = messages
        .iter()
        .map(|message| ledgers.prepare(message, "{}", entry(b"A"), now).unwrap().0);
    let records: Vec<_> = records.collect();
    let kept = group_commit::Append::append(&mut *ledgers.store.commits.target(), records);
    assert!(kept.iter().all(Result::is_ok));
    assert_eq!(originals(at.path()), messages);
    let mut file = File::options()
        .append(true)
        .open(at.path().join(&names(at.path())[0]))
        .unwrap();
    file.write_all(b"torn").unwrap();
    assert_eq!(originals(at.path()).len(), 5);
}
