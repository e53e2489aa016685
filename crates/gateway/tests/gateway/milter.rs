//! Whole conversations, at every split of their bytes, and what no server says.

use mailglot_gateway::milter::{
    Actions, Event, FieldValue, Granted, HeaderChange, Incoming, LONGEST_DATA, MilterSession, Peer,
    ProtocolError, Refusal, ReplyText, Verdict, action, protocol, put,
};

/// All bits that Postfix 3.7 offers.
const OFFER: (u32, u32, u32) = (6, 0x1ff, 0x1f_ffff);
/// As it would be without a single answer to be saved, and without macros to be asked for.
const OLD: (u32, u32, u32) = (2, 0x3f, 0x7f);

fn packet(command: u8, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, command, &[data]);
    out
}

fn offer((version, actions, protocol): (u32, u32, u32)) -> Vec<u8> {
    packet(
        b'O',
        &[version, actions, protocol].map(u32::to_be_bytes).concat(),
    )
}

fn conversation(bits: (u32, u32, u32)) -> Vec<u8> {
    let message = [
        packet(b'D', b"Mi\x004F2\0"),
        packet(b'M', b"<a@example.org>\0BODY=8BITMIME\0SIZE=10\0"),
        packet(b'R', b"<b@example.org>\0"),
        packet(b'T', b""),
        packet(b'L', b"Subject\0 a\n b\0"),
        packet(b'N', b""),
        packet(b'B', b"one\r\n\0two"),
        packet(b'E', b"three"),
        packet(b'A', b""),
    ]
    .concat();
    [
        offer(bits),
        packet(b'C', b"client\x004\x04\xd2192.0.2.1\0"),
        packet(b'H', b"client\0"),
        message.clone(),
        message,
        packet(b'Q', b""),
    ]
    .concat()
}

/// Events as text, and letters of the packets that went back; messages are decided with `Accept`.
fn run<'a>(
    mut session: MilterSession,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<String>, String, Option<ProtocolError>) {
    let (mut events, mut answers) = (Vec::new(), Incoming::default());
    let mut fault = None;
    'all: for piece in pieces {
        session.feed(piece);
        loop {
            if session.owes_verdict() {
                session
                    .decide(&Actions::default(), &Verdict::Accept)
                    .unwrap();
            }
            match session.event() {
                Ok(Some(event)) => events.push(format!("{event:?}")),
                Ok(None) => break,
                Err(found) => {
                    fault = Some(found);
                    break 'all;
                }
            }
        }
    }
    answers.push(&session.take_output());
    let mut letters = String::new();
    while let Some(packet) = answers.packet().unwrap() {
        letters.push(char::from(packet.command));
    }
    (events, letters, fault)
}

#[test]
fn a_conversation_is_the_same_at_every_split() {
    // Connection, HELO, then six answers and a verdict for each message; or verdicts alone.
    for (bits, letters) in [(OFFER, "Oaa"), (OLD, "Occccccccacccccca")] {
        let bytes = conversation(bits);
        let whole = run(MilterSession::new(), [&bytes[..]]);
        assert_eq!((whole.1.as_str(), whole.2), (letters, None));
        assert_eq!(whole.0.len(), 22);
        for at in 0..=bytes.len() {
            assert_eq!(
                run(MilterSession::new(), [&bytes[..at], &bytes[at..]]),
                whole,
                "{at}"
            );
        }
        assert_eq!(run(MilterSession::new(), bytes.chunks(1)), whole);
    }
}

#[test]
fn commands_carry_what_they_say() {
    let mut session = MilterSession::new();
    session.feed(&conversation(OFFER));
    let granted = Granted {
        version: 6,
        actions: 0x113,
        protocol: 0x1f_f782,
    };
    assert_eq!(session.event(), Ok(Some(Event::Negotiated(granted))));
    assert_eq!(
        session.event(),
        Ok(Some(Event::Connect {
            host: b"client",
            peer: Peer::Inet(b"192.0.2.1", 1234)
        }))
    );
    assert_eq!(session.event(), Ok(Some(Event::Helo(b"client"))));
    let Ok(Some(Event::Macros(b'M', pairs))) = session.event() else {
        panic!("macros are missing")
    };
    assert_eq!(pairs.collect::<Vec<_>>(), [(&b"i"[..], &b"4F2"[..])]);
    let Ok(Some(Event::Mail(b"<a@example.org>", arguments))) = session.event() else {
        panic!("no sender")
    };
    assert_eq!(
        arguments.collect::<Vec<_>>(),
        [&b"BODY=8BITMIME"[..], b"SIZE=10"]
    );
    assert!(matches!(
        session.event(),
        Ok(Some(Event::Recipient(b"<b@example.org>", _)))
    ));
    assert_eq!(session.event(), Ok(Some(Event::Data)));
    assert_eq!(
        session.event(),
        Ok(Some(Event::Header(b"Subject", b" a\n b")))
    );
    assert_eq!(session.event(), Ok(Some(Event::EndOfHeaders)));
    assert_eq!(session.event(), Ok(Some(Event::Body(b"one\r\n\0two"))));
    assert_eq!(session.event(), Ok(Some(Event::EndOfMessage(b"three"))));
    assert_eq!(session.event(), Ok(None), "the verdict comes first");
}

/// A session with a message that waits for its verdict, and nothing to be written.
fn ended(bits: (u32, u32, u32)) -> MilterSession {
    let mut session = MilterSession::new();
    session.feed(&[offer(bits), packet(b'M', b"<>\0"), packet(b'E', b"")].concat());
    while session.event().unwrap().is_some() {}
    session.take_output();
    session
}

fn field(bytes: &[u8]) -> FieldValue {
    FieldValue::new(bytes).unwrap()
}

#[test]
fn edits_go_out_in_the_order_that_servers_need() {
    let body = vec![b'x'; 2 * LONGEST_DATA + 1];
    let change = |index, value: Option<&[u8]>| HeaderChange {
        name: field(b"Subject"),
        index,
        position: 2 * index - 1,
        value: value.map(field),
    };
    let actions = Actions {
        changes: vec![
            change(1, Some(b" a")),
            change(3, None),
            change(2, Some(b" b\n c")),
        ],
        inserted: vec![
            (field(b"X-First"), field(b" 1")),
            (field(b"X-Second"), field(b" 2")),
        ],
        appended: vec![(field(b"X-Last"), field(b" 3"))],
        body: Some(vec![&body]),
        quarantine: None,
    };
    let mut session = ended(OFFER);
    session.decide(&actions, &Verdict::Accept).unwrap();
    let mut written = Incoming::default();
    written.push(&session.take_output());
    let mut got = Vec::new();
    while let Some(packet) = written.packet().unwrap() {
        got.push((packet.command, packet.data.to_vec()));
    }
    let body_sizes: Vec<_> = got
        .iter()
        .filter(|(c, _)| *c == b'b')
        .map(|(_, data)| data.len())
        .collect();
    assert_eq!(body_sizes, [LONGEST_DATA, LONGEST_DATA, 1]);
    got.retain(|(command, _)| *command != b'b');
    let want: [(u8, &[u8]); 7] = [
        (b'm', b"\0\0\0\x03Subject\0\0"),
        (b'm', b"\0\0\0\x02Subject\0 b\n c\0"),
        (b'm', b"\0\0\0\x01Subject\0 a\0"),
        (b'i', b"\0\0\0\0X-Second\0 2\0"),
        (b'i', b"\0\0\0\0X-First\0 1\0"),
        (b'h', b"X-Last\0 3\0"),
        (b'a', b""),
    ];
    assert_eq!(got, want.map(|(command, data)| (command, data.to_vec())));
}

/// Postfix reads a message from the top for each change, through all that was changed before it, and gives up at 10,000 jumps.
#[test]
fn fields_change_from_the_lowest_up() {
    let change = |name: u32, index, position| HeaderChange {
        name: field(format!("X-{name}").as_bytes()),
        index,
        position,
        value: Some(field(b" a")),
    };
    for many in [1, 2, 7, 142, 600] {
        // Two fields of each name, apart and side by side.
        let apart = |at: u32| change(at % many, at / many + 1, at);
        let beside = |at: u32| change(at / 2, at % 2 + 1, at);
        for of in [&apart as &dyn Fn(u32) -> HeaderChange, &beside] {
            // In any order: a prime number walks through all of them.
            let changes = (0..2 * many)
                .map(|at| of(at * 7_919 % (2 * many)))
                .collect();
            let mut session = ended(OFFER);
            session
                .decide(
                    &Actions {
                        changes,
                        ..Actions::default()
                    },
                    &Verdict::Accept,
                )
                .unwrap();
            let mut want = Vec::new();
            for at in (0..2 * many).rev() {
                let HeaderChange { name, index, .. } = of(at);
                put(
                    &mut want,
                    b'm',
                    &[&index.to_be_bytes(), name.as_bytes(), b"\0 a\0"],
                );
            }
            put(&mut want, b'a', &[]);
            assert!(session.take_output() == want, "{many}");
        }
    }
}

#[test]
fn edits_need_a_message_and_a_grant() {
    let body = Actions {
        body: Some(Vec::new()),
        ..Actions::default()
    };
    let mut session = ended((6, action::ADD_HEADERS, 0));
    assert_eq!(
        session.decide(&body, &Verdict::Accept),
        Err(Refusal::NotGranted(action::CHANGE_BODY))
    );
    assert!(session.take_output().is_empty());
    session.decide(&body, &Verdict::Tempfail).unwrap();
    assert_eq!(
        session.take_output(),
        packet(b't', b""),
        "a message that stays out is not edited"
    );
    assert_eq!(
        session.decide(&body, &Verdict::Accept),
        Err(Refusal::NoMessage)
    );

    let mut session = ended(OFFER);
    let none = HeaderChange {
        name: field(b"Subject"),
        index: 0,
        position: 0,
        value: None,
    };
    let actions = Actions {
        changes: vec![none],
        ..Actions::default()
    };
    assert_eq!(
        session.decide(&actions, &Verdict::Accept),
        Err(Refusal::NoSuchField)
    );
    session.decide(&body, &Verdict::Continue).unwrap();
    assert_eq!(
        session.take_output(),
        [packet(b'b', b""), packet(b'c', b"")].concat()
    );

    let mut session = ended(OFFER);
    let text = ReplyText::new(550, (5, 6, 0), "not here").unwrap();
    session
        .decide(&Actions::default(), &Verdict::Reply(text))
        .unwrap();
    assert_eq!(session.take_output(), packet(b'y', b"550 5.6.0 not here\0"));
}

#[test]
fn progress_is_told_while_a_verdict_is_owed() {
    let mut session = ended(OFFER);
    session.progress();
    assert_eq!(session.take_output(), packet(b'p', b""));
    session
        .decide(&Actions::default(), &Verdict::Continue)
        .unwrap();
    session.take_output();
    session.progress();
    assert!(session.take_output().is_empty());
}

#[test]
fn a_filter_that_has_too_much_to_do_defers_each_client() {
    for offered in [OFFER, OLD] {
        let mut session = MilterSession::refusing();
        session.feed(&[offer(offered), packet(b'C', b"client\0U")].concat());
        while session.event().unwrap().is_some() {}
        assert!(session.take_output().ends_with(&packet(b't', b"")));
    }
}

#[test]
fn another_client_may_follow_with_and_without_negotiation() {
    let next = [packet(b'K', b""), offer(OFFER), packet(b'C', b"a\0U")].concat();
    assert_eq!(
        run(MilterSession::new(), [&offer(OFFER)[..], &next]).1,
        "OO"
    );
    let next = [packet(b'K', b""), packet(b'C', b"a\0U")].concat();
    assert_eq!(run(MilterSession::new(), [&offer(OFFER)[..], &next]), {
        let (events, letters) = (
            run(MilterSession::new(), [&offer(OFFER)[..], &next]).0,
            "O".to_owned(),
        );
        assert_eq!(events.len(), 3);
        (events, letters, None)
    });
}

#[test]
fn what_no_server_says_is_a_fault_with_a_name() {
    let after = |bytes: Vec<u8>| [offer(OFFER), bytes].concat();
    let rows: Vec<(Vec<u8>, ProtocolError)> = vec![
        (b"\0\0\0\0".to_vec(), ProtocolError::Empty),
        (
            b"\xff\xff\xff\xff".to_vec(),
            ProtocolError::TooLong(0xffff_ffff),
        ),
        (packet(b'M', b"<>\0"), ProtocolError::NotNegotiated(b'M')),
        (packet(b'O', b"\0\0\0\x06"), ProtocolError::ShortNegotiation),
        (offer((1, 0, 0)), ProtocolError::OldVersion(1)),
        (after(offer(OFFER)), ProtocolError::NegotiatedTwice),
        (
            after(packet(b'L', b"Subject")),
            ProtocolError::MissingNul(b'L'),
        ),
        (
            after(packet(b'L', b"Subject\0 a")),
            ProtocolError::MissingNul(b'L'),
        ),
        (after(packet(b'M', b"<>")), ProtocolError::MissingNul(b'M')),
        (after(packet(b'C', b"client\0")), ProtocolError::BadConnect),
        (
            after(packet(b'C', b"client\x004\0")),
            ProtocolError::BadConnect,
        ),
        (
            after(packet(b'C', b"client\x004\0\x19192.0.2.1")),
            ProtocolError::BadConnect,
        ),
        (
            after(packet(b'C', b"client\x009\0\x19192.0.2.1\0")),
            ProtocolError::BadConnect,
        ),
        (
            after(packet(b'z', b"")),
            ProtocolError::UnknownCommand(b'z'),
        ),
    ];
    for (bytes, fault) in rows {
        assert_eq!(
            run(MilterSession::new(), [&bytes[..]]).2,
            Some(fault),
            "{}",
            bytes.escape_ascii()
        );
        assert_eq!(
            run(MilterSession::new(), bytes.chunks(1)).2,
            Some(fault),
            "{}",
            bytes.escape_ascii()
        );
        assert!(fault.to_string().starts_with(fault.kind()));
    }
}

#[test]
fn odd_but_harmless_input_is_no_fault() {
    let odd = [
        offer((99, u32::MAX, u32::MAX)),
        packet(b'D', b""),
        packet(b'D', b"Mi\0odd\0x"),
        packet(b'B', b"a body without a message"),
        packet(b'E', b""),
        packet(b'A', b""),
        packet(b'H', b"name\0more\0"),
        packet(b'B', &vec![0; 1 << 20]),
    ]
    .concat();
    let (events, letters, fault) = run(MilterSession::new(), [&odd[..]]);
    assert_eq!((events.len(), letters.as_str(), fault), (8, "Oa", None));
}

#[test]
fn wire_inputs_of_the_shared_attacks_are_closed_or_handled() {
    let Some(shared) = crate::shared_material::folder() else {
        return;
    };
    let mut seen = 0;
    for entry in std::fs::read_dir(shared.join("attacks")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("f95") || path.extension().is_none_or(|kind| kind != "bin") {
            continue;
        }
        seen += 1;
        let bytes = std::fs::read(&path).unwrap();
        let got = run(MilterSession::new(), [&bytes[..]]);
        assert_eq!(run(MilterSession::new(), bytes.chunks(7)), got, "{name}");
        let closed = ["f95a", "f95b", "f95f", "f95h", "f95i", "f95m"]
            .iter()
            .any(|start| name.starts_with(start));
        assert_eq!(got.2.is_some(), closed, "{name}: {got:?}");
    }
    assert_eq!(seen, 14, "inputs in the folder");
}

#[test]
fn nothing_that_may_be_offered_is_beyond_what_was_asked() {
    // What answers are due follows the offer, bit by bit.
    let bits = [
        (protocol::NO_REPLY_CONNECT, b'C', &b"a\0U"[..]),
        (protocol::NO_REPLY_HELO, b'H', b"a\0"),
        (protocol::NO_REPLY_MAIL, b'M', b"<>\0"),
        (protocol::NO_REPLY_RECIPIENT, b'R', b"<>\0"),
        (protocol::NO_REPLY_DATA, b'T', b""),
        (protocol::NO_REPLY_HEADER, b'L', b"a\0b\0"),
        (protocol::NO_REPLY_END_OF_HEADERS, b'N', b""),
        (protocol::NO_REPLY_BODY, b'B', b"a"),
        (protocol::NO_REPLY_UNKNOWN, b'U', b"a\0"),
    ];
    for (bit, command, data) in bits {
        for offered in [0, bit, !bit] {
            let bytes = [offer((6, 0, offered)), packet(command, data)].concat();
            let answered = run(MilterSession::new(), [&bytes[..]]).1 == "Oc";
            assert_eq!(
                answered,
                offered & bit == 0,
                "{} under {offered:#x}",
                char::from(command)
            );
        }
    }
}

#[test]
fn noise_never_panics_and_keeps_memory_small() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let base = conversation(OFFER);
    for _ in 0..20_000 {
        let mut bytes = base.clone();
        for _ in 0..=random() % 4 {
            let at = (random() % bytes.len() as u64) as usize;
            match random() % 3 {
                0 => bytes[at] = random() as u8,
                1 => drop(bytes.drain(at..(at + 1 + (random() % 9) as usize).min(bytes.len()))),
                _ => bytes.insert(at, random() as u8),
            }
        }
        let whole = run(MilterSession::new(), [&bytes[..]]);
        let at = (random() % (bytes.len() as u64 + 1)) as usize;
        assert_eq!(
            run(MilterSession::new(), [&bytes[..at], &bytes[at..]]),
            whole,
            "{}",
            bytes.escape_ascii()
        );
    }
}
