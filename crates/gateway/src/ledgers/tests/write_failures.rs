//! Writes and syncs that fail.

use super::*;

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
    // And the whole folder: it is made again.
    fs::remove_dir_all(at.path()).unwrap();
    assert!(ledgers.keep(b"x", "{}", entry(b"1"), now).is_err());
    ledgers.keep(b"z", "{}", entry(b"1"), now).unwrap();
    assert_eq!(originals(at.path()), [b"z"]);
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
    let report = move |error: &io::Error| telling.lock().unwrap().push(error.to_string());
    // A segment takes 10,000 bytes.
    let retention = Retention {
        age: None,
        bytes: Some(160_000),
    };
    let ledgers = swept(Ledgers::open(at.path(), retention, report).unwrap());
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
    let now = SystemTime::now() + DAY;
    let day = at.path().join(names::moment(now).0);
    fs::create_dir(&day).unwrap();
    fs::set_permissions(&day, fs::Permissions::from_mode(0o700)).unwrap();
    // The sweeper, which begins with the ledgers, removes empty folders.
    fs::write(day.join("note"), "").unwrap();
    let ledgers = open(at.path(), Retention::default());
    let synced = || folder::tests::synced([at.path(), &day]);
    synced();
    ledgers.keep(MESSAGE, "{}", entry(b"1"), now).unwrap();
    assert_eq!(synced(), [true, true]);
    ledgers.keep(MESSAGE, "{}", entry(b"2"), now).unwrap();
    assert_eq!(synced(), [false, false]);
}
