//! The proxy over real sockets, between a client and a next hop of our own.

use crate::rig::{Death, Manner, RunningNextHop, RunningProxy, original};
use mailglot_gateway::Engine;
use mailglot_gateway::ledgers::{Ledgers, Retention};
use mailglot_gateway::policy::{Action, Finding, Rules};
use mailglot_gateway::proxy::BareLines;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::Arc;

pub(crate) const LATIN: &[u8] =
    b"Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
      Content-Transfer-Encoding: 8bit\r\n\r\nGr\xfc\xdfe\r\n.\r\n";
pub(crate) const PLAIN: &[u8] = b"Subject: x\r\n\r\ntext\r\n";

/// A policy rejects, quarantines or only reports a message.
#[test]
fn the_policy_decides() {
    let twice: &[u8] = b"Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\nx\r\n";
    for (action, code, kept) in [
        (Action::Reject, 550, 0),
        (Action::Tempfail, 451, 0),
        (Action::Quarantine, 451, 0),
        (Action::Tag, 250, 1),
        (Action::Normalize, 250, 1),
    ] {
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::start(&hop.address, |_, _, rules| {
            *rules = Rules::default();
            rules.set(Finding::DuplicateHeader, action);
        });
        let mut client = proxy.greeted();
        assert_eq!(client.message("", twice), code, "{action:?}");
        // What comes after it is not concerned.
        assert_eq!(client.message("", PLAIN), 250);
        let messages = hop.kept();
        assert_eq!(messages.len(), kept + 1, "{action:?}");
        if kept > 0 {
            let text = String::from_utf8(messages[0].text.clone()).unwrap();
            assert!(text.starts_with("MIME-Ambiguity-Results: "), "{text}");
            assert_eq!(text.contains("text/html"), action == Action::Tag, "{text}");
        }
        let record = proxy.told.records(1).remove(0);
        assert!(record.findings.has(Finding::DuplicateHeader));
        assert_eq!(record.wanted, action);
    }
    // Without a word of the route, the policy decides about bare line ends too.
    for (rules, code) in [(Rules::default(), 250), (Rules::strict(), 550)] {
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::start(&hop.address, |_, _, own| *own = rules);
        let mut client = proxy.greeted();
        assert_eq!(client.message("", b"Subject: x\r\n\r\na\nb\r\n"), code);
        assert!(proxy.told.records(1)[0].findings.has(Finding::BareLf));
    }
}

/// A message with all kinds of line ends, as it is sent and as the next hop may have it.
const MIXED: &[u8] = b"Subject: x\r\n\r\na\nb\r\n..c\r\r\nd\re\r\n";
const MIXED_CAME: &[u8] = b"Subject: x\r\n\r\na\nb\r\n.c\r\r\nd\re\r\n";
const MIXED_MENDED: &[u8] = b"Subject: x\r\n\r\na\r\nb\r\n.c\r\nd\r\ne\r\n";

#[test]
fn the_policy_decides_about_line_ends_and_a_dry_run_refuses_none() {
    for (action, monitor, code) in [
        (Action::Reject, false, 550),
        (Action::Tempfail, false, 451),
        (Action::Quarantine, false, 451),
        (Action::Normalize, false, 250),
        (Action::Tag, false, 250),
        (Action::Pass, false, 250),
        (Action::Reject, true, 250),
        (Action::Tempfail, true, 250),
        (Action::Quarantine, true, 250),
        (Action::Normalize, true, 250),
    ] {
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::start(&hop.address, |_, _, rules| {
            rules.monitor = monitor;
            rules.set(Finding::BareLf, action);
        });
        let mut client = proxy.greeted();
        assert_eq!(client.message("", MIXED), code, "{action:?} {monitor}");
        let kept = hop.kept();
        assert_eq!(kept.len(), usize::from(code == 250), "{action:?} {monitor}");
        let record = proxy.told.records(1).remove(0);
        assert!(record.findings.has(Finding::BareLf));
        assert_eq!(record.wanted, action, "{monitor}");
        let done = match code {
            250 => Action::Normalize,
            451 => Action::Tempfail,
            _ => Action::Reject,
        };
        assert_eq!(record.action, done, "{action:?} {monitor}");
        if code == 250 {
            assert_eq!(kept[0].text, MIXED_MENDED, "{action:?} {monitor}");
        }
    }
}

/// Where the policy changes while a connection is open, the new one decides.
#[test]
fn a_new_policy_decides_about_line_ends_at_once() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, _, rules| *rules = Rules::strict());
    let mut client = proxy.greeted();
    assert_eq!(client.message("", MIXED), 550);
    proxy.served.stop.change(Engine::new(Rules::monitor()));
    assert_eq!(client.message("", MIXED), 250);
}

#[test]
fn the_original_of_mended_line_ends_is_kept() {
    for (monitor, long) in [(false, 0), (true, 0), (false, 400_000)] {
        let folder = tempfile::tempdir().unwrap();
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::with_engine(&hop.address, |_, _, engine| {
            engine.rules.monitor = monitor;
            let ledgers = Ledgers::open(folder.path(), Retention::default(), |error| {
                panic!("{error}")
            });
            engine.ledgers = Some(Arc::new(ledgers.unwrap()));
        });
        let mut client = proxy.greeted();
        // The first stray line end may come late.
        let before = b"Subject: a line that is long enough for the message to be in a file\r\n"
            .repeat(long / 20);
        let text =
            |mixed: &[u8]| [&before[..], mixed, &b"text\n"[..].repeat(long), b"\r\n"].concat();
        assert_eq!(client.message("", &text(MIXED)), 250);
        let record = proxy.told.records(1).remove(0);
        assert_eq!(record.action, Action::Normalize);
        let (original, note) = original(folder.path(), &record.ledger.unwrap());
        assert!(original == text(MIXED_CAME), "{monitor} {long}");
        assert!(
            note.contains("normalize") && note.contains("bare-lf"),
            "{note}"
        );
        if long == 0 {
            assert_eq!(hop.kept()[0].text, [MIXED_MENDED, b"\r\n"].concat());
        }
        // What came well needs no original.
        assert_eq!(client.message("", PLAIN), 250);
        assert_eq!(proxy.told.records(2)[1].ledger, None);
    }
}

/// The field names the message as it came, also without a ledger, and in a message that is changed in nothing else.
#[test]
fn the_field_about_the_original_names_what_came() {
    let came: [&[u8]; 2] = [MIXED_CAME, b"Subject: Caf\xe9\r\n\r\nsch\xf6n\nx\r\n"];
    let sent: [&[u8]; 2] = [MIXED, came[1]];
    for (keeps, monitor) in [(false, false), (true, false), (false, true)] {
        let folder = tempfile::tempdir().unwrap();
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::with_engine(&hop.address, |_, _, engine| {
            engine.rules.monitor = monitor;
            engine.rules.original_header = Some("X-Mailglot-Original".to_owned());
            if keeps {
                let ledgers = Ledgers::open(folder.path(), Retention::default(), |error| {
                    panic!("{error}")
                });
                engine.ledgers = Some(Arc::new(ledgers.unwrap()));
            }
        });
        let mut client = proxy.greeted();
        for (nth, (sent, came)) in sent.into_iter().zip(came).enumerate() {
            assert_eq!(client.message("", sent), 250);
            let text = hop.kept().pop().unwrap().text;
            let flat = String::from_utf8_lossy(&text).replace("\r\n ", " ");
            let mut digest = String::new();
            for byte in Sha256::digest(came) {
                write!(digest, "{byte:02x}").unwrap();
            }
            assert!(flat.contains(&format!(" sha256={digest}; ")), "{flat}");
            if nth == 0 {
                let field = flat.lines().next().unwrap();
                assert!(
                    field.starts_with("X-Mailglot-Original: v=1; sha256="),
                    "{flat}"
                );
            }
            let record = proxy.told.records(nth + 1).pop().unwrap();
            assert_eq!(record.action, Action::Normalize);
            if keeps {
                assert!(original(folder.path(), &record.ledger.unwrap()).0 == came);
            }
        }
        assert_eq!(client.message("", PLAIN), 250);
        assert_eq!(hop.kept().pop().unwrap().text, PLAIN);
    }
}

/// What came is counted as it came, and what goes nowhere is not counted as gone.
#[test]
fn bytes_are_those_that_came_and_those_that_went() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, _, rules| {
        rules.set(Finding::DuplicateHeader, Action::Reject);
        rules.set(Finding::MessagePartial, Action::Tempfail);
    });
    let mut client = proxy.greeted();
    let twice = b"Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\nx\r\n";
    let part =
        b"Content-Type: message/partial; id=a; number=1; total=2\r\n\r\nSubject: x\r\n\r\nx\r\n";
    let mut want = Vec::new();
    for (text, code, came, went) in [
        (&b"Subject: ok\r\n\r\no\nk\r\n"[..], 250, 20, 21),
        (b"Subject: ok\r\n\r\no\r\r\r\nk\r\n", 250, 23, 21),
        (b"Subject: ok\r\n\r\no\rk\r\n", 250, 20, 21),
        (b"Subject: o\rk\r\n\r\nok\r\n", 250, 20, 20),
        (b"Subject: ok\r\n\r\n..k\r\n", 250, 19, 19),
        (twice, 550, twice.len() as u64, 0),
        (part, 451, part.len() as u64, 0),
    ] {
        assert_eq!(client.message("", text), code, "{}", text.escape_ascii());
        want.push((came, went));
    }
    let records = proxy.told.records(want.len());
    assert_eq!(
        records
            .iter()
            .map(|record| (record.bytes_in, record.bytes_out))
            .collect::<Vec<_>>(),
        want
    );
}

pub(crate) fn stuffed(text: &[u8]) -> Vec<u8> {
    let (mut stuffer, mut out) = (mailglot_gateway::proxy::Stuffer::default(), Vec::new());
    stuffer.write(text, &mut out);
    out
}

#[test]
fn a_message_becomes_utf8_on_its_way() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::plain(&hop.address);
    let mut client = proxy.greeted();
    assert_eq!(client.message(" BODY=8BITMIME", &stuffed(LATIN)), 250);
    assert_eq!(client.message("", PLAIN), 250);
    client.send("QUIT\r\n");
    assert_eq!(client.codes(2), [221, 0]);
    let kept = hop.kept();
    assert_eq!(kept.len(), 2);
    let text = String::from_utf8(kept[0].text.clone()).unwrap();
    assert!(
        text.starts_with("Subject: =?UTF-8?") && text.contains("charset=utf-8"),
        "{text}"
    );
    assert!(text.ends_with("\r\n\r\nGrüße\r\n.\r\n"), "{text}");
    assert_eq!(kept[1].text, PLAIN);
    let records = proxy.told.records(2);
    assert_eq!(
        records
            .iter()
            .map(|record| record.action)
            .collect::<Vec<_>>(),
        [Action::Normalize, Action::Pass]
    );
    assert_eq!(records[0].bytes_out, text.len() as u64);
    assert_eq!(
        (
            records[0].envelope.sender.as_slice(),
            records[0].envelope.recipients
        ),
        (&b"<a@b.invalid>"[..], 1)
    );
    let addresses = &records[0].envelope.addresses;
    assert!(
        addresses.len() == 1 && addresses[0].starts_with(b"<"),
        "{addresses:?}"
    );
}

/// The size that leaves counts the fields that the proxy adds, in a report, in a rewrite and where nothing is found.
#[test]
fn added_fields_count_among_the_bytes_that_leave() {
    for monitor in [true, false] {
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::start(&hop.address, |_, _, rules| {
            rules.findings_header = Rules::default().findings_header;
            rules.monitor = monitor;
        });
        let mut client = proxy.greeted();
        let tagged =
            b"Subject: a\r\nReply-To: <b@xn--mnchen-3ya.de>\r\nMessage-ID: <1@b>\r\n\r\nx\r\n";
        for text in [&stuffed(LATIN)[..], PLAIN, tagged] {
            assert_eq!(client.message(" BODY=8BITMIME", text), 250);
        }
        client.send("QUIT\r\n");
        assert_eq!(client.codes(2), [221, 0]);
        let (kept, records) = (hop.kept(), proxy.told.records(3));
        let added = kept
            .iter()
            .filter(|kept| kept.text.starts_with(b"MIME-Ambiguity-Results: "))
            .count();
        assert_eq!(added, if monitor { 2 } else { 1 });
        for (kept, record) in kept.iter().zip(&records) {
            assert_eq!(
                record.bytes_out,
                kept.text.len() as u64,
                "{monitor} {:?}",
                record.action
            );
            assert_eq!(record.dry_run, monitor);
        }
        assert_eq!(records[2].envelope.message_id, b"<1@b>");
    }
}

#[test]
fn a_message_for_japan_is_in_seven_bits_on_its_way() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, _, rules| {
        rules.rewriting.charset_out = mailglot_mime::CharsetOut::Iso2022Jp;
    });
    let mut client = proxy.greeted();
    let raw = "Subject: 日本\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n日本\r\n";
    assert_eq!(
        client.message(" BODY=8BITMIME SMTPUTF8", raw.as_bytes()),
        250
    );
    let want =
        b"Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\
        Content-Transfer-Encoding: 7bit\r\n\r\n\x1b$BF|K\\\x1b(B\r\n";
    // And a second pass changes nothing.
    assert_eq!(client.message("", want), 250);
    for kept in hop.kept() {
        assert_eq!(
            kept.text.escape_ascii().to_string(),
            want.escape_ascii().to_string()
        );
    }
    assert_eq!(proxy.told.records(2)[1].action, Action::Pass);
}

#[test]
fn what_goes_out_is_legal_for_the_next_hop() {
    let utf8 = "Subject: Grüße\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
                Content-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n";
    let jis: &[u8] =
        b"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B$\"\x1b(B\r\n";
    let binary: &[u8] = b"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\xff\r\n";
    let run = |extensions: &'static [&'static str], mail: &str, text: &[u8]| {
        let hop = RunningNextHop::start(vec![Manner {
            extensions,
            ..Manner::default()
        }]);
        let proxy = RunningProxy::plain(&hop.address);
        let mut client = proxy.greeted();
        let code = client.message(mail, text);
        (
            code,
            hop.kept().pop().map(|kept| kept.text).unwrap_or_default(),
        )
    };
    let body = |text: &[u8]| {
        String::from_utf8(text.to_vec())
            .unwrap()
            .split_once("\r\n\r\n")
            .unwrap()
            .1
            .to_owned()
    };
    // A next hop of seven bits gets seven bits, whatever the client sends.
    for text in [LATIN, utf8.as_bytes(), jis] {
        let (code, out) = run(&["PIPELINING"], "", &stuffed(text));
        assert!(
            code == 250 && out.is_ascii(),
            "{}",
            String::from_utf8_lossy(&out)
        );
        assert!(String::from_utf8_lossy(&out).contains("charset=utf-8"));
    }
    let (code, out) = run(&["PIPELINING"], "", binary);
    assert_eq!((code, &*body(&out)), (250, "/w0K\r\n"));
    assert!(String::from_utf8_lossy(&out).contains("Content-Transfer-Encoding: base64\r\n"));
    // An encrypted body stays.
    let encrypted = [
        b"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/encrypted; boundary=b\r\n\r\n",
        binary,
    ]
    .concat();
    assert_eq!(run(&["PIPELINING"], "", &encrypted).0, 550);
    assert_eq!(
        run(&["8BITMIME"], " BODY=8BITMIME", binary),
        (250, binary.to_vec())
    );
    // Text of seven bits becomes eight where the envelope announces them, and only there.
    assert_eq!(body(&run(&["8BITMIME"], " BODY=8BITMIME", jis).1), "あ\r\n");
    assert!(run(&["8BITMIME"], "", jis).1.is_ascii());
    assert!(body(&run(&["8BITMIME"], "", utf8.as_bytes()).1).contains("Grüße"));
    // A policy that asks for eight bits asks for none that were not announced.
    for (mail, ascii) in [("", true), (" BODY=7BIT", true), (" BODY=8BITMIME", false)] {
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::start(&hop.address, |_, _, rules| {
            rules.rewriting.transfer = mailglot_mime::Transfer::EightBit;
            rules.rewriting.headers = mailglot_mime::Headers::RawUtf8;
        });
        let mut client = proxy.greeted();
        let base64: &[u8] = b"Subject: =?iso-8859-1?Q?=FC?=\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
                              Content-Transfer-Encoding: base64\r\n\r\n/A==\r\n";
        for text in [jis, base64] {
            assert_eq!(client.message(mail, text), 250);
            let out = hop.kept().pop().unwrap().text;
            assert_eq!(
                out.is_ascii(),
                ascii,
                "{mail} {}",
                String::from_utf8_lossy(&out)
            );
            assert!(out[..out.windows(4).position(|end| end == b"\r\n\r\n").unwrap()].is_ascii());
            assert!(String::from_utf8_lossy(&out).contains("charset=utf-8"));
        }
    }
    // Raw UTF-8 in a header field stays where SMTPUTF8 is announced, else it becomes words.
    let (_, out) = run(
        &["8BITMIME", "SMTPUTF8"],
        " BODY=8BITMIME SMTPUTF8",
        utf8.as_bytes(),
    );
    assert_eq!(out, utf8.as_bytes());
    let (_, out) = run(&["8BITMIME", "SMTPUTF8"], " BODY=8BITMIME", utf8.as_bytes());
    assert!(
        out.starts_with(b"Subject: =?UTF-8?"),
        "{}",
        String::from_utf8_lossy(&out)
    );
}

/// Every file of the family, in one write, as its notes ask for it.
#[test]
fn attacks_on_the_end_of_data_give_one_message_at_most() {
    let Some(shared) = crate::shared_material::folder() else {
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(shared.join("attacks"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "smtp")
        })
        .collect();
    files.sort();
    assert!(files.len() >= 13, "{files:?}");
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let input = std::fs::read(&path).unwrap();
        for bare_lines in [BareLines::Reject, BareLines::Normalize] {
            let hop = RunningNextHop::start(vec![Manner::default()]);
            let proxy = RunningProxy::start(&hop.address, |route, _, _| {
                route.bare_lines = Some(bare_lines);
            });
            let mut client = proxy.connect();
            client.send(&input);
            let heard = client.all();
            let kept = hop.kept();
            assert!(
                kept.iter()
                    .all(|kept| kept.mail == "MAIL FROM:<a@test.invalid>"),
                "{name}: {kept:?}"
            );
            // The next hop itself checks what it gets: no CR, LF or NUL alone.
            let clean = ["dotdot", "dotspace", "smtputf8"]
                .iter()
                .any(|part| name.contains(part));
            let want = usize::from(
                clean
                    || bare_lines == BareLines::Normalize
                        && !name.contains("null")
                        && !name.contains("bdat"),
            );
            assert_eq!(kept.len(), want, "{name} {bare_lines:?}: {heard}");
            if want == 0 && !name.contains("bdat") {
                assert!(heard.contains("\r\n550 5."), "{name}: {heard}");
            }
            if name.contains("smtputf8") {
                let text = String::from_utf8(kept[0].text.clone()).unwrap();
                // An address is never invented; text becomes words.
                assert!(
                    text.starts_with("From: é@test.invalid\r\nSubject: =?UTF-8?"),
                    "{text}"
                );
                assert_eq!(kept[0].recipients, ["RCPT TO:<bé@test.invalid>"]);
            } else if want == 1 {
                let text = String::from_utf8_lossy(&kept[0].text).into_owned();
                assert!(
                    text.starts_with("Subject: outer\r\n\r\nouter") && text.ends_with("inner\r\n"),
                    "{text}"
                );
                assert!(text.contains("MAIL FROM:<admin@test.invalid>"), "{text}");
            }
        }
    }
}

#[test]
fn lmtp_answers_for_each_recipient() {
    let lmtp = Manner {
        lmtp: true,
        ..Manner::default()
    };
    for (manner, want) in [
        (lmtp.clone(), [250, 250]),
        (
            Manner {
                death: Some(Death::FirstWord),
                ..lmtp
            },
            [250, 451],
        ),
    ] {
        let hop = RunningNextHop::start(vec![manner]);
        let proxy = RunningProxy::start(&hop.address, |route, _, _| route.lmtp = true);
        let mut client = proxy.connect();
        client.send("LHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nRCPT TO:<refused@d.invalid>\r\nRCPT TO:<e@d.invalid>\r\nDATA\r\n");
        assert_eq!(client.codes(7), [220, 250, 250, 250, 550, 250, 354]);
        client.send([LATIN, b"..\r\n.\r\n"].concat());
        assert_eq!(client.codes(2), want);
        let record = proxy.told.records(1).remove(0);
        assert_eq!(record.envelope.recipients, 2);
    }
}

/// RFC 6152 3: to a next hop that takes seven bits nothing else goes. After HELO none has said that it takes more.
#[test]
fn eight_bits_go_nowhere_where_seven_are_taken() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| limits.message_bytes = 4_000);
    let signed = [b"DKIM-Signature: v=1; b=aa\r\n", LATIN].concat();
    let in_header =
        "DKIM-Signature: v=1; b=aa\r\nSubject: Gr\u{fc}\u{df}e\r\n\r\nx\r\n.\r\n".as_bytes();
    let large = [
        LATIN.strip_suffix(b".\r\n").unwrap(),
        &b"Gr\xfc\xdfe\r\n".repeat(1_000),
        b".\r\n",
    ]
    .concat();
    let cut = |text: &[u8]| text.strip_suffix(b".\r\n").unwrap().to_vec();
    for (hello, codes) in [
        ("EHLO c", [250, 250, 250, 250]),
        ("HELO c", [250, 550, 550, 550]),
    ] {
        let mut client = proxy.connect();
        client.send(format!("{hello}\r\n"));
        assert_eq!(client.codes(2), [220, 250]);
        let before = hop.kept().len();
        let messages = [LATIN, &signed, in_header, &large];
        let heard: Vec<u16> = messages
            .iter()
            .map(|text| client.message("", &cut(text)))
            .collect();
        assert_eq!(heard, codes, "{hello}");
        let kept = hop.kept();
        let went = codes.iter().filter(|code| **code == 250).count();
        assert_eq!(kept.len() - before, went);
        if went == 1 {
            assert!(kept.iter().skip(before).all(|mail| mail.text.is_ascii()));
        }
    }
    let records = proxy.told.records(8);
    let why: Vec<_> = records[5..]
        .iter()
        .map(|record| {
            (
                record.action,
                record.remark.map(mailglot_gateway::Remark::name),
            )
        })
        .collect();
    assert_eq!(why, [(Action::Reject, Some("eight-bit")); 3]);
}
