//! Lines in headers that are no fields, through the gateway and through it again.

use crate::edits::ServerMessage;
use crate::proxy::stuffed;
use crate::rig::{Manner, RunningNextHop, RunningProxy};
use mailglot_gateway::Engine;
use mailglot_gateway::milter::Granted;
use mailglot_gateway::policy::{Action, Finding, Rules};

/// What is no field, at least in some places.
const LINES: [&[u8]; 14] = [
    b"From J\xe4ger Mon",
    b">From \xc3\xa4",
    b":",
    b": a\xe4",
    b" : a\xe4",
    b"no field \xfc here",
    b" begins \xe4",
    b" \t",
    b"x\x01y z\xe4",
    b"=?iso-8859-1?q?=E4?= b",
    b"a b: c\xe4",
    b"\xe4\xe4 \xe4",
    b"--x",
    b"x MIME-Ambiguity-Results: q",
];
const OURS: &[u8] = b"MIME-Ambiguity-Results";

/// Messages with such a line at the beginning, in the middle and at the end of the header, alone and before others.
fn messages() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for line in LINES {
        for behind in [
            &b""[..],
            b"\r\n more \xe4",
            b"\r\n:\r\nno field",
            b"\r\nMIME-Ambiguity-Results: q",
        ] {
            let lines = [line, behind, b"\r\n"].concat();
            let (first, last) = (
                &b"From: a@b.invalid\r\nSubject: h\xe4i\r\n"[..],
                &b"X-A: b\r\n"[..],
            );
            let body = &b"\r\nt\xe4xt\r\n"[..];
            all.extend([
                [&*lines, first, last, body].concat(),
                [first, &*lines, last, body].concat(),
                [first, &*lines, b"To: c@d.invalid\r\n", body].concat(),
                [first, &*lines, body].concat(),
            ]);
        }
    }
    all
}

/// The message without the field that we put above it.
fn below(text: &[u8]) -> String {
    let mut rest = text;
    if rest.starts_with(OURS) {
        let ends = |at: &usize| !matches!(rest.get(at + 1), Some(b' ' | b'\t'));
        let end = memchr::memchr_iter(b'\n', rest).find(ends).unwrap();
        rest = &rest[end + 1..];
    }
    rest.escape_ascii().to_string()
}

fn rules(named: bool) -> Rules {
    let mut rules = Rules::default();
    if named {
        rules.set(Finding::MalformedHeaderLine, Action::Normalize);
    }
    rules
}

/// What the next hop has of these messages.
fn through_a_proxy(messages: &[Vec<u8>], named: bool) -> Vec<Vec<u8>> {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, _, own| *own = rules(named));
    let mut client = proxy.greeted();
    for message in messages {
        assert_eq!(client.message(" BODY=8BITMIME", &stuffed(message)), 250);
    }
    client.send("QUIT\r\n");
    assert_eq!(client.codes(2), [221, 0]);
    hop.kept().into_iter().map(|kept| kept.text).collect()
}

#[test]
fn the_proxy_changes_nothing_the_second_time() {
    for named in [false, true] {
        let once = through_a_proxy(&messages(), named);
        let twice = through_a_proxy(&once, named);
        assert_eq!(
            (once.len(), twice.len()),
            (messages().len(), messages().len())
        );
        for (once, twice) in once.iter().zip(&twice) {
            assert_eq!(below(once), below(twice));
        }
    }
}

/// A server cuts a message itself, and makes of it what it is told.
#[test]
fn a_milter_changes_nothing_the_second_time() {
    let granted = Granted {
        version: 6,
        actions: u32::MAX,
        protocol: u32::MAX,
    };
    let mut changed = 0;
    for (number, raw) in messages().iter().enumerate() {
        let engine = Engine::new(rules(number % 2 == 0));
        let pass = |held: &mut ServerMessage| {
            let message = held.tell(true);
            let judgement = engine.judge(message.raw(), &mailglot_gateway::Envelope::default());
            // What cannot be told is not done.
            if let Ok(decision) = engine.decide(&message, &judgement, granted) {
                held.apply(&decision.actions, true);
            }
            held.without(OURS)
        };
        let mut held = ServerMessage::of(raw);
        let came = held.without(OURS);
        let once = pass(&mut held);
        changed += usize::from(once != came);
        assert_eq!(pass(&mut held), once, "{}", raw.escape_ascii());
    }
    assert!(changed > 100, "{changed}");
}
