//! Fields that would be taken for ours, in mail that is not looked at, or passes because something failed.

use crate::proxy::stuffed;
use crate::rig::{Manner, Mta, RunningFilter, RunningNextHop, RunningProxy, letters};
use mailglot_gateway::ledgers::{Ledgers, Retention};
use mailglot_gateway::policy::{Action, Finding, Rules};
use mailglot_gateway::record::Form;
use mailglot_gateway::{Engine, Limits};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn rules() -> Rules {
    let mut rules = Rules::default();
    (rules.authserv_id, rules.strips_results) = (Some("mx.example".to_owned()), true);
    rules
}

/// Fields of a message. The second, the fourth and the fifth are forged.
const FIELDS: [(&str, &str); 6] = [
    ("Subject", " x"),
    ("MIME-Ambiguity-Results", " forged"),
    ("Authentication-Results", " other.example; dkim=pass"),
    ("authentication-results", " (a) mx.example; dkim=pass"),
    ("mime-ambiguity-results", " forged"),
    ("To", " b"),
];

/// What a server is told to delete: name in lower case, and index.
fn deleted(packets: &[(u8, Vec<u8>)]) -> Vec<(String, u8)> {
    let mut told: Vec<_> = packets
        .iter()
        .filter(|(letter, data)| *letter == b'm' && data.ends_with(b"\0\0"))
        .map(|(_, data)| {
            (
                String::from_utf8_lossy(&data[4..data.len() - 2]).to_lowercase(),
                data[3],
            )
        })
        .collect();
    told.sort_unstable();
    told
}

fn gone() -> Vec<(String, u8)> {
    [
        ("authentication-results", 2),
        ("mime-ambiguity-results", 1),
        ("mime-ambiguity-results", 2),
    ]
    .map(|(name, index)| (name.to_owned(), index))
    .to_vec()
}

#[test]
fn what_is_not_looked_at_on_the_milter_claims_nothing() {
    let large: fn(&mut Limits) = |limits| limits.message_bytes = 1_000;
    let filed: fn(&mut Limits) =
        |limits| (limits.message_bytes, limits.memory_bytes) = (3 << 20, 0);
    // The fields come before the one that is too many, or behind it.
    let many: fn(&mut Limits) = |limits| limits.fields = 7;
    let few: fn(&mut Limits) = |limits| limits.fields = 4;
    let long: fn(&mut Limits) = |limits| limits.header_bytes = 150;
    let limits = [
        (large, 2_000, Finding::TooLarge),
        (filed, 4 << 20, Finding::TooLarge),
        (many, 10, Finding::TooManyHeaders),
        (few, 10, Finding::TooManyHeaders),
        (long, 10, Finding::TooManyHeaders),
    ];
    for (set, body, finding) in limits {
        for (asked, monitor) in [
            (Action::Pass, false),
            (Action::Tag, false),
            (Action::Tag, true),
        ] {
            let mut rules = rules();
            rules.set(finding, asked);
            rules.monitor = monitor;
            let filter = RunningFilter::start_with(false, Engine::new(rules), set);
            let more = [("X-A", " a"), ("X-B", " b")];
            let packets = filter
                .connect()
                .message(&[&FIELDS[..], &more].concat(), &vec![b'a'; body]);
            assert_eq!(deleted(&packets), gone(), "{finding:?} {asked:?}");
            let tagged = asked == Action::Tag && !monitor;
            assert_eq!(letters(&packets), if tagged { "mmmic" } else { "mmmc" });
            let record = filter.told.records(1).remove(0);
            assert_eq!(
                (record.action, record.forged_fields),
                (Action::Normalize, 3)
            );
            assert!(record.findings.has(finding));
            let line = record.line("milter", Form::Text);
            assert!(
                line.contains(" action=normalize ") && line.contains(" claims=3 "),
                "{line}"
            );
        }
    }
}

#[test]
fn what_passes_in_spite_of_a_fault_claims_nothing() {
    let engine = Engine {
        fail_open: true,
        ..Engine::new(rules())
    };
    let filter = RunningFilter::start_with(false, engine, |limits| {
        (limits.memory_bytes, limits.spool) = (0, PathBuf::from("no such folder"));
    });
    let packets = filter.connect().message(&FIELDS, &vec![b'a'; 3 << 20]);
    assert_eq!((deleted(&packets), &*letters(&packets)), (gone(), "mmmc"));
    let record = filter.told.records(1).remove(0);
    assert_eq!(
        (record.action, record.forged_fields, record.failed_open),
        (Action::Normalize, 3, true)
    );
    // The same where no original can be kept.
    let folder = tempfile::tempdir().unwrap();
    let unkept = |name: &str| {
        let place = folder.path().join(name);
        let ledgers = Ledgers::open(&place, Retention::default(), |_| ()).unwrap();
        fs::remove_dir_all(&place).unwrap();
        fs::write(&place, b"in the way").unwrap();
        Engine {
            fail_open: true,
            ledgers: Some(Arc::new(ledgers)),
            ..Engine::new(rules())
        }
    };
    let filter = RunningFilter::start_with(false, unkept("milter"), |_| ());
    let packets = filter.connect().message(&FIELDS, b"x\r\n");
    assert_eq!((deleted(&packets), &*letters(&packets)), (gone(), "mmmc"));
    // And on the proxy.
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::with_engine(&hop.address, |_, _, engine| *engine = unkept("proxy"));
    assert_eq!(proxy.greeted().message("", &message("x\r\n")), 250);
    assert_eq!(hop.kept()[0].text, cleared("x\r\n"));
    let record = proxy.told.records(1).remove(0);
    assert_eq!(
        (record.action, record.forged_fields, record.failed_open),
        (Action::Normalize, 3, true)
    );
}

/// The server has its verdict before the message was judged.
#[test]
fn what_passes_because_judging_took_too_long_claims_nothing() {
    let engine = Engine {
        fail_open: true,
        ..Engine::new(rules())
    };
    let filter = RunningFilter::start_with(false, engine, |limits| {
        (limits.work, limits.progress) = (Duration::from_millis(1), Duration::from_mins(1));
    });
    let mut mta = filter.connect();
    let part =
        "--b\r\nContent-Type: text/plain\r\n\r\nGr\u{fc}\u{df}e und \u{1f600}\r\n".repeat(9_000);
    let fields = [
        &FIELDS[..],
        &[("Content-Type", " multipart/mixed; boundary=b")],
    ]
    .concat();
    // A busy machine may come too late to give up.
    let messages = (1..=50).find(|_| {
        let packets = mta.message(&fields, part.as_bytes());
        mta.send(b'A', b"");
        assert_eq!(deleted(&packets), gone());
        letters(&packets) == "mmmc"
    });
    let records = filter.told.records(messages.unwrap());
    let open = records.iter().find(|record| record.failed_open).unwrap();
    assert_eq!(
        (
            open.action,
            open.forged_fields,
            open.remark.map(mailglot_gateway::Remark::name)
        ),
        (Action::Normalize, 3, Some("slow"))
    );
}

/// Where edits of the body are not granted but those of fields are, all stays but them.
#[test]
fn a_server_that_grants_changes_of_fields_only_has_claims_deleted() {
    for (actions, want) in [(0x11, "mmmc"), (0x10, "mmmc"), (0x03, "c"), (0x01, "c")] {
        let filter = RunningFilter::start_with(false, Engine::new(rules()), |_| ());
        let mut mta = Mta::granting(&filter.served.address, actions);
        assert_eq!(
            letters(&mta.message(&FIELDS, b"x\r\n")),
            want,
            "{actions:#x}"
        );
        let record = filter.told.records(1).remove(0);
        let gone = if want == "c" { 0 } else { 3 };
        assert_eq!(
            (
                record.forged_fields,
                record.remark.map(mailglot_gateway::Remark::name)
            ),
            (gone, Some("report-only"))
        );
        let fault = &filter.told.faults(1)[0];
        assert_eq!(
            fault.contains("fields of our name that come with mail stay"),
            gone == 0,
            "{fault}"
        );
    }
}

/// A server that grants no changes of fields gets none.
#[test]
fn what_is_not_granted_is_not_asked_for() {
    let filter = RunningFilter::start_with(false, Engine::new(rules()), |limits| {
        limits.message_bytes = 1_000;
    });
    let mut mta = Mta::granting(&filter.served.address, 0x01);
    assert_eq!(letters(&mta.message(&FIELDS, &[b'a'; 2_000])), "c");
    let record = filter.told.records(1).remove(0);
    assert_eq!((record.action, record.forged_fields), (Action::Pass, 0));
}

/// Nobody means to send more such fields than the filter looks at, or than a server can be asked to delete. Nobody ever will.
#[test]
fn too_many_claims_are_refused() {
    let filter = RunningFilter::start_with(false, Engine::new(rules()), |limits| limits.fields = 5);
    let mut mta = filter.connect();
    let fields = [("MIME-Ambiguity-Results", " forged"); 20];
    assert_eq!(letters(&mta.message(&fields, b"x\r\n")), "y");
    mta.send(b'A', b"");
    assert_eq!(letters(&mta.message(&fields[..5], b"x\r\n")), "mmmmmc");
    // Looked at, not looked at for its size, found too large by its header, and with nothing else to be done about it.
    let most: [fn(&mut Limits); 3] = [
        |_| (),
        |limits| limits.message_bytes = 150_000,
        |limits| limits.fields = 4_100,
    ];
    for set in most {
        for monitor in [false, true] {
            let mut own = rules();
            own.monitor = monitor;
            let filter = RunningFilter::start_with(false, Engine::new(own), set);
            let cases = [(4_000, "c"), (4_001, "y"), (9_000, "y")];
            for (sent, (count, letter)) in cases.into_iter().enumerate() {
                let packets = filter.connect().message(&vec![fields[0]; count], b"x\r\n");
                let letters = letters(&packets);
                assert!(letters.ends_with(letter), "{count}");
                assert_eq!(
                    letters.matches('m').count(),
                    if letter == "c" { count } else { 0 }
                );
                // The records of two connections come in any order.
                filter.told.records(sent + 1);
            }
            let records = filter.told.records(3);
            let told: Vec<_> = records
                .iter()
                .map(|record| (record.forged_fields, record.bytes_out > 0))
                .collect();
            assert_eq!((told[0].0, &told[1..]), (4_000, &[(0, false); 2][..]));
            assert!(
                records[1..]
                    .iter()
                    .all(|record| record.remark.map(mailglot_gateway::Remark::name)
                        == Some("too many claims"))
            );
        }
    }
}

/// The message of the fields, and one without those that are to go.
fn message(body: &str) -> Vec<u8> {
    let fields = FIELDS.map(|(name, value)| format!("{name}:{value}\r\n"));
    format!("{}\r\n{body}", fields.concat()).into_bytes()
}

fn cleared(body: &str) -> Vec<u8> {
    let fields = [0, 2, 5]
        .map(|at| FIELDS[at])
        .map(|(name, value)| format!("{name}:{value}\r\n"));
    format!("{}\r\n{body}", fields.concat()).into_bytes()
}

#[test]
fn what_is_not_looked_at_on_the_proxy_claims_nothing() {
    let large: fn(&mut Limits) = |limits| limits.message_bytes = 1_000;
    let filed: fn(&mut Limits) = |limits| (limits.message_bytes, limits.memory_bytes) = (1_000, 0);
    let many: fn(&mut Limits) = |limits| limits.fields = 5;
    let long: fn(&mut Limits) = |limits| limits.header_bytes = 150;
    let limits = [
        (large, 100, Finding::TooLarge),
        (filed, 200_000, Finding::TooLarge),
        (many, 1, Finding::TooManyHeaders),
        (long, 1, Finding::TooManyHeaders),
    ];
    for (set, lines, finding) in limits {
        for (asked, monitor) in [
            (Action::Pass, false),
            (Action::Tag, false),
            (Action::Tag, true),
        ] {
            let hop = RunningNextHop::start(vec![Manner::default()]);
            let proxy = RunningProxy::start(&hop.address, |_, limits, own| {
                set(limits);
                *own = rules();
                own.set(finding, asked);
                own.monitor = monitor;
            });
            let body = ".a line of text\r\n".repeat(lines);
            assert_eq!(proxy.greeted().message("", &stuffed(&message(&body))), 250);
            let text = hop.kept().remove(0).text;
            let tagged = asked == Action::Tag && !monitor;
            let field = format!(
                "MIME-Ambiguity-Results: localhost; v=1; verdict={}; action=tag;\r\n findings=\"{}\"\r\n",
                if finding == Finding::TooLarge {
                    "unread"
                } else {
                    "ambiguous"
                },
                finding.id()
            );
            let want = [if tagged { field.as_bytes() } else { b"" }, &cleared(&body)].concat();
            assert!(
                text == want,
                "{finding:?} {asked:?} {}",
                String::from_utf8_lossy(&text[..400.min(text.len())])
            );
            let record = proxy.told.records(1).remove(0);
            assert_eq!(
                (record.action, record.forged_fields),
                (Action::Normalize, 3)
            );
            assert!(record.findings.has(finding));
        }
    }
}

/// Without claims a message that is not looked at is tagged, and stays as it is.
#[test]
fn what_is_not_looked_at_is_tagged_where_that_is_asked_for() {
    let hop = RunningNextHop::start(vec![
        Manner::default(),
        Manner {
            extensions: &["PIPELINING"],
            ..Manner::default()
        },
    ]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, own| {
        limits.message_bytes = 1_000;
        *own = rules();
        own.set(Finding::TooLarge, Action::Tag);
    });
    let text = ["Subject: x\r\n\r\n", &"text\r\n".repeat(500)].concat();
    assert_eq!(proxy.greeted().message("", text.as_bytes()), 250);
    let kept = String::from_utf8(hop.kept().remove(0).text).unwrap();
    assert!(
        kept.starts_with("MIME-Ambiguity-Results: ") && kept.ends_with(&text),
        "{kept}"
    );
    let record = proxy.told.records(1).remove(0);
    assert_eq!((record.action, record.forged_fields), (Action::Tag, 0));
    assert!(!record.line("smtp", Form::Text).contains("claims"));
    // What is beyond ASCII in a claim alone hinders nothing where seven bits are taken.
    let text = ["MIME-Ambiguity-Results: \u{fc}\r\n", &*text].concat();
    assert_eq!(proxy.greeted().message("", text.as_bytes()), 250);
}

/// Line ends that were set right before are told, whatever else is found.
#[test]
fn stray_line_ends_are_told_in_the_message_on_the_proxy() {
    for (action, monitor, words) in [
        (Action::Tag, false, Some("action=tag; findings=\"bare-lf\"")),
        (
            Action::Normalize,
            false,
            Some("action=normalize; findings=\"bare-lf\""),
        ),
        (
            Action::Reject,
            true,
            Some("mode=monitor; action=reject; findings=\"bare-lf\""),
        ),
        (Action::Pass, false, None),
    ] {
        for large in [false, true] {
            let hop = RunningNextHop::start(vec![Manner::default()]);
            let proxy = RunningProxy::start(&hop.address, |_, limits, own| {
                limits.message_bytes = if large { 10 } else { 1_000 };
                own.findings_header = Some("MIME-Ambiguity-Results".to_owned());
                own.monitor = monitor;
                own.set(Finding::BareLf, action);
            });
            assert_eq!(
                proxy.greeted().message("", b"Subject: x\r\n\r\na\nb\r\n"),
                250
            );
            let text = String::from_utf8(hop.kept().remove(0).text).unwrap();
            let flat = text.replace("\r\n ", " ");
            assert!(flat.ends_with("Subject: x\r\n\r\na\r\nb\r\n"), "{text}");
            assert_eq!(
                flat.starts_with("MIME-Ambiguity-Results: "),
                words.is_some() && !(large && monitor),
                "{text}"
            );
            if let (Some(words), false) = (words, large) {
                assert!(flat.contains(words), "{text}");
            }
            let record = proxy.told.records(1).remove(0);
            assert_eq!(record.action, Action::Normalize);
            assert!(record.findings.has(Finding::BareLf));
        }
    }
}
