//! Segments of a killed daemon, and damaged records.

use super::*;

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
            let report = |error: &io::Error| told.lock().unwrap().push(error.to_string());
            retention::close_abandoned(&folder, closing, &report).unwrap();
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

/// A search reports a segment without an end once its daemon is gone, but not while the daemon writes it.
#[test]
fn a_search_reports_a_segment_without_an_end() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let now = SystemTime::now();
    let name = ledgers.keep(b"one", "{}", entry(b"1"), now).unwrap();
    ledgers.keep(b"two", "{}", entry(b"2"), now).unwrap();
    assert_eq!(originals(at.path()).len(), 2);
    let segment = name.split(':').next().unwrap().to_owned();
    let open_bytes = fs::read(at.path().join(&segment)).unwrap();
    drop(ledgers);
    assert_eq!(originals(at.path()).len(), 2);
    let closed = fs::read(at.path().join(&segment)).unwrap();
    // The second record is cut, the end is missing, and the end is cut.
    for (bytes, whole) in [
        (&open_bytes[..open_bytes.len() - 1], 1),
        (&open_bytes[..], 2),
        (&closed[..closed.len() - 1], 2),
    ] {
        fs::write(at.path().join(&segment), bytes).unwrap();
        let mut found = 0;
        let catalog = Catalog::open(at.path()).unwrap();
        let damaged = catalog.find(&Query::default(), |_| found += 1).unwrap();
        let why = "the segment has no end: its writer was killed, or the copy is incomplete";
        assert_eq!(damaged, [(segment.clone(), why.to_owned())]);
        assert_eq!(found, whole);
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
            let report = |error: &io::Error| told.lock().unwrap().push(error.to_string());
            let folder = Folder::open(at_all.path()).unwrap();
            retention::close_abandoned(&folder, now, &report).unwrap();
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
