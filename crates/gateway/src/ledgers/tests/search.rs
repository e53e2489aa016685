//! Searches of the catalog, and the names that it gives.

use super::*;

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
