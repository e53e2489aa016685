//! Sizes and ages of segments, and the removal of the oldest.

use super::*;

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
