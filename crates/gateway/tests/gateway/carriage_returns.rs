//! Header fields that the milter daemon cannot change in all places: bare carriage returns, too many changes.

use crate::filter::LATIN;
use crate::rig::{RunningFilter, letters};
use mailglot_gateway::policy::{Action, Rules};
use mailglot_gateway::{Engine, Remark};

#[test]
fn a_bare_return_in_a_field_keeps_that_field_only() {
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

/// Postfix accepts a message and then sets it aside if a filter changed too many of its fields.
#[test]
fn a_header_that_needs_more_than_4000_changes_stays() {
    let filter = RunningFilter::start(false, |_| ());
    let latin = ("X", " =?iso-8859-1?Q?=E9?=");
    let forged_field = ("MIME-Ambiguity-Results", " x; verdict=clean");
    let cases = [(4_000, "m".repeat(4_000) + "hbc"), (4_001, "mc".to_owned())];
    for (sent, (count, want)) in cases.into_iter().enumerate() {
        let label = ("Content-Type", " text/plain; charset=iso-8859-1");
        let fields = [vec![label, forged_field], vec![latin; count - 2]].concat();
        let packets = filter.connect().message(&fields, b"\xfc\r\n");
        let letters = letters(&packets);
        assert!(letters == want, "{count}: {} letters", letters.len());
        // The records of two connections come in any order.
        filter.told.records(sent + 1);
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
    // A forged field behind a bare return is deleted; the field before it stays.
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

/// Bare returns in forged fields or elsewhere do not protect the forged fields.
#[test]
fn forged_fields_are_deleted_in_spite_of_bare_returns() {
    let mut rules = Rules::default();
    (rules.authserv_id, rules.strips_results) = (Some("mx.example.org".to_owned()), true);
    let filter = RunningFilter::start_with(false, Engine::new(rules), |_| ());
    let gone: [&[u8]; 3] = [
        b"\0\0\0\x01mime-ambiguity-results\0\0",
        b"\0\0\0\x02authentication-results\0\0",
        b"\0\0\0\x03authentication-results\0\0",
    ];
    let odd_fields = [
        ("X", " y"),
        ("X", " y\r"),
        ("X", " y\r\r"),
        ("X", " =?iso-8859-1?Q?=FC?=\rContent-Type: text/html"),
        ("Content-Type", " text/plain;\r charset=iso-8859-1"),
    ];
    for odd in odd_fields {
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
    // The records of two connections come in any order.
    filter.told.records(odd_fields.len());
    // The field that labels the body cannot be changed: nothing is changed, and the report says so.
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

/// The field that labels the body cannot be changed, so the body must match it.
#[test]
fn a_bare_return_in_the_content_type_keeps_the_body() {
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
    // A field with a bare return can be deleted.
    let twice = [LATIN, &[("Content-Type", stays)]].concat();
    let packets = filter.connect().message(&twice, b"Gr\xfc\xdfe\r\n");
    let gone = (b'm', b"\0\0\0\x02Content-Type\0\0".to_vec());
    assert!(
        packets.contains(&gone) && letters(&packets).contains('b'),
        "{packets:?}"
    );
}
