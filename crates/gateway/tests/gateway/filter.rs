//! The milter daemon over real sockets: rewriting, policies, faults.

use crate::rig::{Mta, RunningFilter, letters};
use mailglot_gateway::policy::{Action, Finding, Rules};
use mailglot_gateway::{Address, Engine, Remark};
use mailglot_mime::Policy;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// The header of a message in Latin-1.
pub(crate) const LATIN: &[(&str, &str)] = &[
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
