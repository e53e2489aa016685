//! The proxy's machine, without any I/O: against a next hop of our own, at every split, with mutants, and with one that dies.

use crate::rig::{Death, HopConnection, Kept, Manner};
use mailglot_gateway::proxy::{
    BadReply, BareLines, Delivery, HopFault, Options, ProxySession, ProxyVerdict, Step, Stuffer,
};

/// Both sides of a session. Only the first connection of a next hop is in its manner; later ones are faultless.
struct World {
    session: ProxySession,
    manner: Manner,
    hop: Option<HopConnection>,
    answers: Vec<u8>,
    /// What the client heard.
    heard: Vec<u8>,
    commands: Vec<String>,
    kept: Vec<Kept>,
    deliveries: Vec<Delivery>,
    text: Vec<u8>,
    /// Name and client of each message that was complete, as XFORWARD told them.
    forwarded: Vec<(String, Option<String>)>,
    connections: usize,
}

impl World {
    fn new(options: Options, manner: Manner) -> Self {
        Self {
            session: ProxySession::new(options),
            manner,
            hop: None,
            answers: Vec::new(),
            heard: Vec::new(),
            commands: Vec::new(),
            kept: Vec::new(),
            deliveries: Vec::new(),
            text: Vec::new(),
            forwarded: Vec::new(),
            connections: 0,
        }
    }

    /// Runs to the end: client's bytes in pieces of `step`, the next hop's in pieces of `back`.
    fn run(&mut self, input: &[u8], step: usize, back: usize) {
        let mut pieces = input.chunks(step.max(1));
        for _ in 0..20 * (input.len() + 1_000) {
            let next = self.session.step();
            self.text.extend(self.session.take_text());
            if !self.session.is_settling() {
                let delivery = self.session.delivery();
                if self.deliveries.last() != Some(&delivery) {
                    self.deliveries.push(delivery);
                }
            }
            let out = self.session.take_hop();
            self.give(&out);
            self.heard.extend(self.session.take_client());
            match next {
                Step::Client => match pieces.next() {
                    Some(piece) => self.session.client(piece),
                    None => self.session.client_gone(),
                },
                Step::Hop => {
                    if self.answers.is_empty() {
                        assert!(
                            self.hop.as_ref().is_none_or(|hop| hop.dead),
                            "waits for a word that was not asked for"
                        );
                        self.end_hop();
                        self.session.hop_lost();
                    } else {
                        let count = back.clamp(1, self.answers.len());
                        let piece: Vec<u8> = self.answers.drain(..count).collect();
                        self.session.hop(&piece);
                    }
                }
                Step::Connect => {
                    self.end_hop();
                    let manner = if self.connections == 0 {
                        self.manner.clone()
                    } else {
                        Manner {
                            death: None,
                            ..self.manner.clone()
                        }
                    };
                    self.connections += 1;
                    let mut hop = HopConnection::new(manner);
                    self.answers = hop.greet();
                    self.hop = Some(hop);
                    self.session.connected();
                }
                Step::Judge => {
                    let (_, id, peer) = self.session.envelope();
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    self.forwarded.push((text(id), peer.map(text)));
                    let verdict = match self.session.unacceptable() {
                        Some(_) => ProxyVerdict::Refuse(550, "5.5.2 Unacceptable"),
                        None if self.text.starts_with(b"Refuse") => {
                            ProxyVerdict::Refuse(550, "5.6.0 Refused")
                        }
                        None => ProxyVerdict::Deliver,
                    };
                    if verdict != ProxyVerdict::Deliver {
                        self.text.clear();
                    }
                    self.session.decide(verdict);
                }
                Step::Send => {
                    let (mut stuffer, mut out) = (Stuffer::default(), Vec::new());
                    stuffer.write(&std::mem::take(&mut self.text), &mut out);
                    stuffer.finish(&mut out);
                    self.give(&out);
                    self.session.sent();
                }
                Step::Close => {
                    self.end_hop();
                    return;
                }
            }
        }
        panic!("does not end");
    }

    fn give(&mut self, bytes: &[u8]) {
        if let Some(hop) = self.hop.as_mut().filter(|hop| !hop.dead) {
            self.answers.extend(hop.feed(bytes));
        }
    }

    fn end_hop(&mut self) {
        if let Some(hop) = self.hop.take() {
            self.kept.extend(hop.kept);
            self.commands.extend(hop.heard);
        }
        self.answers.clear();
    }

    /// The codes that the client heard; one for each reply.
    fn codes(&self) -> Vec<u16> {
        let mut codes = Vec::new();
        for line in String::from_utf8_lossy(&self.heard).split_terminator("\r\n") {
            let (code, rest) = line.split_at(3);
            if !rest.starts_with('-') {
                codes.push(code.parse().unwrap());
            }
        }
        codes
    }
}

fn ran(input: &[u8], manner: &Manner) -> World {
    let mut world = World::new(
        Options {
            lmtp: manner.lmtp,
            ..Options::default()
        },
        manner.clone(),
    );
    world.run(input, usize::MAX, usize::MAX);
    world
}

const TWO: &[u8] = b"EHLO client\r\nXFORWARD NAME=a ADDR=192.0.2.1 IDENT=q1\r\nMAIL FROM:<a@b.invalid> SIZE=10 BODY=8BITMIME\r\n\
    RCPT TO:<c@d.invalid> NOTIFY=NEVER\r\nRCPT TO:<refused@d.invalid>\r\nRCPT TO:<e@d.invalid>\r\nDATA\r\n\
    Subject: one\r\n\r\n..dot\r\n..\r\ntext\r\n.\r\n\
    MAIL FROM:<x@b.invalid>\r\nRCPT TO:<y@d.invalid>\r\nDATA\r\n.\r\nRSET\r\nNOOP\r\nQUIT\r\n";

#[test]
fn a_dialogue_goes_through() {
    let world = ran(TWO, &Manner::default());
    assert_eq!(
        world.codes(),
        [
            220, 250, 250, 250, 250, 550, 250, 354, 250, 250, 250, 354, 250, 250, 250, 221
        ]
    );
    let heard = String::from_utf8(world.heard.clone()).unwrap();
    assert!(
        heard.starts_with(
            "220 hop.invalid ESMTP\r\n250-hop.invalid\r\n250-PIPELINING\r\n250-8BITMIME\r\n"
        ),
        "{heard}"
    );
    for never in ["CHUNKING", "BINARYMIME", "STARTTLS", "AUTH", "VRFY"] {
        assert!(!heard.contains(never), "{never}");
    }
    assert_eq!(world.kept.len(), 2);
    assert_eq!(
        world.kept[0].text,
        b"Subject: one\r\n\r\n.dot\r\n.\r\ntext\r\n"
    );
    assert_eq!(
        world.kept[0].mail,
        "MAIL FROM:<a@b.invalid> SIZE=10 BODY=8BITMIME"
    );
    assert_eq!(
        world.kept[0].recipients,
        [
            "RCPT TO:<c@d.invalid> NOTIFY=NEVER",
            "RCPT TO:<e@d.invalid>"
        ]
    );
    assert_eq!(world.kept[1].text, b"");
    assert_eq!(world.commands[1], "XFORWARD NAME=a ADDR=192.0.2.1 IDENT=q1");
    assert_eq!(world.connections, 1);
}

/// Name and client are those of one message, and what the next hop does not believe is not told.
#[test]
fn what_xforward_tells_ends_with_its_message() {
    let message = "MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nx\r\n.\r\n";
    for (commands, want) in [
        (
            "XFORWARD ADDR=192.0.2.1\r\nXFORWARD IDENT=q1\r\n",
            ("q1", Some("192.0.2.1")),
        ),
        (
            "XFORWARD ADDR=192.0.2.1 IDENT=q1\r\nXFORWARD ADDR=[UNAVAILABLE] IDENT=[UNAVAILABLE]\r\n",
            ("", None),
        ),
        ("XFORWARD ADDR=192.0.2.1 IDENT=q1\r\nRSET\r\n", ("", None)),
        ("XFORWARD ADDR=192.0.2.1 IDENT=q1\r\nEHLO c\r\n", ("", None)),
        (
            &format!("XFORWARD ADDR=192.0.2.1 IDENT=q1\r\n{message}"),
            ("", None),
        ),
        // Within a message the next hop refuses it.
        (
            "MAIL FROM:<a@b.invalid>\r\nXFORWARD ADDR=192.0.2.1 IDENT=q1\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nx\r\n.\r\n",
            ("", None),
        ),
    ] {
        let world = ran(
            format!("EHLO c\r\n{commands}{message}QUIT\r\n").as_bytes(),
            &Manner::default(),
        );
        let (id, peer) = world.forwarded.last().unwrap();
        assert_eq!((id.as_str(), peer.as_deref()), want, "{commands}");
        let (id, peer) = &world.forwarded[0];
        if commands.starts_with("MAIL") {
            assert_eq!((id.as_str(), peer.as_deref()), want, "{commands}");
        }
        assert_eq!(world.kept.len(), world.forwarded.len());
    }
}

#[test]
fn splits_on_either_side_change_nothing() {
    for (input, manner) in [
        (TWO.to_vec(), Manner::default()),
        (
            TWO.to_vec(),
            Manner {
                extensions: &["8BITMIME"],
                ..Manner::default()
            },
        ),
        (
            lmtp(),
            Manner {
                lmtp: true,
                ..Manner::default()
            },
        ),
    ] {
        let whole = ran(&input, &manner);
        let options = Options {
            lmtp: manner.lmtp,
            ..Options::default()
        };
        for step in 1..input.len() {
            for back in [1, 2, 3, 7, usize::MAX] {
                let mut world = World::new(options, manner.clone());
                world.run(&input, step, back);
                assert_eq!(world.heard, whole.heard, "{step} {back}");
                assert_eq!(
                    (&world.kept, &world.commands),
                    (&whole.kept, &whole.commands),
                    "{step} {back}"
                );
            }
        }
    }
}

fn lmtp() -> Vec<u8> {
    b"LHLO client\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nRCPT TO:<refused@d.invalid>\r\n\
      RCPT TO:<e@d.invalid>\r\nDATA\r\nSubject: one\r\n\r\ntext\r\n.\r\nQUIT\r\n"
        .to_vec()
}

#[test]
fn lmtp_has_a_reply_for_each_recipient() {
    let manner = Manner {
        lmtp: true,
        ..Manner::default()
    };
    let world = ran(&lmtp(), &manner);
    assert_eq!(
        world.codes(),
        [220, 250, 250, 250, 550, 250, 354, 250, 250, 221]
    );
    assert!(
        String::from_utf8_lossy(&world.heard).contains("250 2.0.0 Kept 0\r\n250 2.0.0 Kept 1\r\n")
    );
    for (manner, want) in [
        (
            Manner {
                death: Some(Death::FirstWord),
                ..manner.clone()
            },
            [250, 451],
        ),
        (
            Manner {
                death: Some(Death::KeptWord),
                ..manner.clone()
            },
            [451, 451],
        ),
        (
            Manner {
                death: Some(Death::Content(5)),
                ..manner.clone()
            },
            [451, 451],
        ),
        (
            Manner {
                data: Some("452 4.3.1 Full"),
                ..manner.clone()
            },
            [452, 452],
        ),
    ] {
        let world = ran(&lmtp(), &manner);
        assert_eq!(
            world.codes(),
            [&[220, 250, 250, 250, 550, 250, 354][..], &want, &[221]].concat(),
            "{manner:?}"
        );
    }
    let refused = String::from_utf8(lmtp())
        .unwrap()
        .replace("Subject: one", "Refuse: one");
    assert_eq!(
        ran(refused.as_bytes(), &manner).codes(),
        [220, 250, 250, 250, 550, 250, 354, 550, 550, 221]
    );
    // Neither speaks the other's word.
    assert_eq!(
        ran(b"EHLO a\r\nHELO a\r\nQUIT\r\n", &manner).codes(),
        [220, 500, 500, 221]
    );
    assert_eq!(
        ran(b"LHLO a\r\nQUIT\r\n", &Manner::default()).codes(),
        [220, 500, 221]
    );
}

#[test]
fn a_next_hop_that_dies_costs_no_message() {
    const ONE: &[u8] =
        b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nSubject: one\r\n\r\ntext\r\n.\r\n\
        MAIL FROM:<e@b.invalid>\r\nRCPT TO:<f@d.invalid>\r\nDATA\r\nSubject: two\r\n\r\ntext\r\n.\r\nQUIT\r\n";
    let both = &[250, 250, 354, 250, 250, 250, 354, 250, 221][..];
    for (death, want, kept) in [
        (Death::Greeting, &[421][..], 0),
        // Nothing was answered: another connection gets the same commands.
        (Death::Hello, &[&[220, 250], both].concat(), 2),
        (Death::Mail, &[&[220, 250], both].concat(), 2),
        (Death::Recipient, &[220, 250, 250, 421], 0),
        (
            Death::Data,
            &[220, 250, 250, 250, 354, 451, 250, 250, 354, 250, 221],
            1,
        ),
        (
            Death::Content(0),
            &[220, 250, 250, 250, 354, 451, 250, 250, 354, 250, 221],
            1,
        ),
        (
            Death::Content(10),
            &[220, 250, 250, 250, 354, 451, 250, 250, 354, 250, 221],
            1,
        ),
        (
            Death::LostWord,
            &[220, 250, 250, 250, 354, 451, 250, 250, 354, 250, 221],
            1,
        ),
        // Kept, and nobody knows: the client tries again.
        (
            Death::KeptWord,
            &[220, 250, 250, 250, 354, 451, 250, 250, 354, 250, 221],
            2,
        ),
        (Death::After, &[&[220, 250], both].concat(), 2),
        (Death::AfterWith421, &[&[220, 250], both].concat(), 2),
    ] {
        for step in [1, 50, usize::MAX] {
            let mut world = World::new(
                Options::default(),
                Manner {
                    death: Some(death),
                    ..Manner::default()
                },
            );
            world.run(ONE, step, 1);
            assert_eq!(
                (world.codes().as_slice(), world.kept.len()),
                (want, kept),
                "{death:?} {step}"
            );
        }
    }
}

#[test]
fn replies_of_the_next_hop_are_given_on() {
    for (data, end, want) in [
        (Some("552 5.3.4 Too big"), None, "552 5.3.4 Too big"),
        (Some("250 no"), None, "451 4.4.2 Lost the next hop"),
        (
            None,
            Some("554-5.7.1 No\r\n554 5.7.1 never"),
            "554-5.7.1 No\r\n554 5.7.1 never",
        ),
        (None, Some("452 4.3.1 Full"), "452 4.3.1 Full"),
        (None, Some("354 what"), "451 4.4.2 Lost the next hop"),
        (None, Some("garbage"), "451 4.4.2 Lost the next hop"),
        (None, Some("250-a\r\n251 b"), "451 4.4.2 Lost the next hop"),
        (None, Some("421 4.3.2 Going down"), "421 4.3.2 Going down"),
    ] {
        let input =
            b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nx\r\n.\r\n";
        let world = ran(
            input,
            &Manner {
                data,
                end,
                ..Manner::default()
            },
        );
        let heard = String::from_utf8(world.heard.clone()).unwrap();
        assert!(
            heard.ends_with(&format!("\r\n{want}\r\n")),
            "{want}: {heard}"
        );
        assert!(world.kept.is_empty());
    }
}

#[test]
fn what_is_not_announced_is_not_done() {
    let codes = |input: &[u8]| ran(input, &Manner::default()).codes();
    assert_eq!(
        codes(b"EHLO c\r\nSTARTTLS\r\nAUTH PLAIN AAAA\r\nETRN x\r\nXCLIENT NAME=a\r\nQUIT\r\n"),
        [220, 250, 502, 502, 502, 502, 221]
    );
    let bdat = b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nBDAT 28\r\nMAIL FROM:<e@b.invalid>\r\n";
    assert_eq!(codes(bdat), [220, 250, 250, 250, 421]);
    assert_eq!(
        codes(b"EHLO c\r\nMAIL FROM:<a@b.invalid> BODY=BINARYMIME\r\nQUIT\r\n"),
        [220, 250, 555, 221]
    );
    assert_eq!(
        codes(b"MAIL FROM:<a@b.invalid>\r\nDATA\r\nRSET\r\nQUIT\r\n"),
        [220, 503, 503, 250, 221]
    );
    assert_eq!(
        codes(b"EHLO c\r\nDATA\r\nMAIL FROM:<a@b.invalid>\r\nDATA\r\nDATA x\r\nQUIT\r\n"),
        [220, 250, 503, 250, 554, 501, 221]
    );
    // After HELO there are no extensions.
    let world = ran(
        b"HELO c\r\nXFORWARD NAME=a\r\nMAIL FROM:<a@b.invalid>\r\nQUIT\r\n",
        &Manner::default(),
    );
    assert_eq!(world.codes(), [220, 250, 502, 250, 221]);
    assert!(!String::from_utf8_lossy(&world.heard).contains("8BITMIME"));
}

#[test]
fn content_that_nobody_asked_for_is_no_command() {
    let input =
        b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<refused@d.invalid>\r\nDATA\r\nSubject: x\r\n\r\n\
        MAIL FROM:<admin@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nx\r\n.\r\n";
    let world = ran(input, &Manner::default());
    assert_eq!(world.codes(), [220, 250, 250, 550, 554, 421]);
    assert!(world.kept.is_empty());
    // However DATA was refused.
    let content = "Subject: x\r\n\r\nEHLO c\r\nRSET\r\nMAIL FROM:<admin@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nx\r\n.\r\n";
    for (commands, want) in [
        ("DATA\r\n", &[220, 503, 421][..]),
        (
            "MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n",
            &[220, 503, 503, 503, 421],
        ),
        ("EHLO c\r\nDATA\r\n", &[220, 250, 503, 421]),
        (
            "EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA now\r\n",
            &[220, 250, 250, 250, 501, 421],
        ),
    ] {
        let world = ran(
            format!("{commands}{content}").as_bytes(),
            &Manner::default(),
        );
        assert_eq!(world.codes(), want, "{commands}");
        assert!(world.kept.is_empty(), "{commands}");
    }
}

#[test]
fn lines_have_bounds() {
    let long = |count| {
        [
            b"EHLO c\r\nMAIL FROM:<".to_vec(),
            vec![b'a'; count],
            b"@b.invalid>\r\nQUIT\r\n".to_vec(),
        ]
        .concat()
    };
    assert_eq!(
        ran(&long(4_000), &Manner::default()).codes(),
        [220, 250, 250, 221]
    );
    assert_eq!(
        ran(&long(5_000), &Manner::default()).codes(),
        [220, 250, 500, 221]
    );
    let unclean = b"EHLO c\r\nMAIL FROM:<a@b.invalid>\nMAIL FROM:<\0@b.invalid>\r\nMAIL FROM:<a\r@b.invalid>\r\nQUIT\r\n";
    assert_eq!(
        ran(unclean, &Manner::default()).codes(),
        [220, 250, 500, 500, 500, 221]
    );
    let junk = [b"EHLO c\r\n".to_vec(), b"JUNK\r\n".repeat(100)].concat();
    let codes = ran(&junk, &Manner::default()).codes();
    assert_eq!((codes.len(), codes.last()), (2 + 21 + 1, Some(&421)));
}

#[test]
fn many_recipients_go_in_batches() {
    let mut input = b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\n".to_vec();
    for number in 0..1_000 {
        input.extend(
            format!(
                "RCPT TO:<{}{number}@d.invalid>\r\n",
                if number % 7 == 0 { "refused" } else { "" }
            )
            .bytes(),
        );
    }
    input.extend(b"DATA\r\nx\r\n.\r\nQUIT\r\n");
    let world = ran(&input, &Manner::default());
    let want = (0..1_000).map(|number| if number % 7 == 0 { 550 } else { 250 });
    assert!(world.codes().into_iter().skip(3).take(1_000).eq(want));
    assert_eq!(world.kept[0].recipients.len(), 857);
}

#[test]
fn who_said_goodbye_hears_nothing_more() {
    let mut session = ProxySession::new(Options::default());
    session.client(b"QUIT\r\n");
    assert_eq!(session.step(), Step::Connect);
    session.connected();
    session.hop(b"220 a\r\n");
    assert_eq!(session.step(), Step::Close);
    assert_eq!(session.take_hop(), b"QUIT\r\n");
    // It went away before; writing to it failed.
    session.hop_lost();
    assert_eq!(session.step(), Step::Close);
    assert_eq!(session.take_client(), b"220 a ESMTP\r\n221 2.0.0 Bye\r\n");
    assert_eq!(session.take_fault(), None);
}

/// The fuzzer found it: a second reply of a new connection answered MAIL, and the reply to MAIL answered RCPT.
#[test]
fn a_second_reply_of_a_new_connection_answers_no_command() {
    for (greeting, hello) in [
        ("220 hop\r\n250 extra\r\n", ""),
        ("220 hop\r\n", "250 hop\r\n250 extra\r\n"),
    ] {
        let mut session = ProxySession::new(Options::default());
        session.client(b"EHLO c\r\n");
        assert_eq!(session.step(), Step::Connect);
        session.connected();
        session.hop(b"220 hop\r\n");
        assert_eq!(session.step(), Step::Hop);
        session.hop(b"250 hop\r\n");
        assert_eq!(session.step(), Step::Client);
        session.client(b"MAIL FROM:<a@b.invalid>\r\n");
        assert_eq!(session.step(), Step::Hop);
        session.hop_lost();
        assert_eq!(session.step(), Step::Connect);
        session.take_hop();
        session.connected();
        session.hop(greeting.as_bytes());
        if !hello.is_empty() {
            assert_eq!(session.step(), Step::Hop);
            assert_eq!(session.take_hop(), b"EHLO c\r\n");
            session.hop(hello.as_bytes());
        }
        assert_eq!(session.step(), Step::Close, "{greeting}{hello}");
        assert_eq!(session.take_hop(), b"");
        let heard = session.take_client();
        assert!(
            heard.ends_with(b"421 4.3.0 The next hop is not available\r\n"),
            "{}",
            heard.escape_ascii()
        );
        assert_eq!(
            session.take_fault(),
            Some(HopFault::Reply(BadReply::Unasked))
        );
    }
}

#[test]
fn a_session_that_stops_ends_between_messages() {
    let mut session = ProxySession::new(Options::default());
    assert_eq!(session.step(), Step::Connect);
    session.connected();
    session.hop(b"220 hop\r\n");
    session.stop();
    assert_eq!(session.step(), Step::Close);
    assert!(
        session
            .take_client()
            .ends_with(b"421 4.3.2 Service shutting down\r\n")
    );
}

/// A hop or client that says anything: the session ends, never panics, and says yes to no message that was not kept.
#[test]
fn mutants_lose_nothing() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let deaths = [
        None,
        Some(Death::Mail),
        Some(Death::Recipient),
        Some(Death::Data),
        Some(Death::Content(9)),
        Some(Death::LostWord),
        Some(Death::After),
        Some(Death::AfterWith421),
    ];
    let parts: &[&[u8]] = &[
        b"\r\n",
        b"\n",
        b"\r",
        b".",
        b"\r\n.\r\n",
        b"DATA\r\n",
        b"RSET\r\n",
        b"MAIL FROM:<>\r\n",
        b"\0",
        b"QUIT\r\n",
        b"BDAT 3\r\n",
        b"RCPT TO:<z@d.invalid>\r\n",
        b"EHLO x\r\n",
        b" BODY=8BITMIME",
        b"XFORWARD ADDR=1\r\n",
        b"\xff",
    ];
    let mut kept = 0;
    for round in 0..20_000 {
        let lmtp_side = round % 4 == 0;
        let mut input = if lmtp_side { lmtp() } else { TWO.to_vec() };
        for _ in 0..=random(4) {
            let at = random(input.len());
            match random(3) {
                0 => drop(input.drain(at..(at + 1 + random(12)).min(input.len()))),
                1 => drop(input.splice(at..at, parts[random(parts.len())].iter().copied())),
                _ => {
                    let from = random(input.len());
                    let piece = input[from..(from + 1 + random(60)).min(input.len())].to_vec();
                    input.splice(at..at, piece);
                }
            }
        }
        let bare_lines = if random(2) == 0 {
            BareLines::Reject
        } else {
            BareLines::Normalize
        };
        let manner = Manner {
            lmtp: lmtp_side,
            death: deaths[random(deaths.len())],
            ..Manner::default()
        };
        let mut world = World::new(
            Options {
                lmtp: lmtp_side,
                bare_lines,
            },
            manner.clone(),
        );
        world.run(&input, 1 + random(200), 1 + random(40));
        let heard = String::from_utf8_lossy(&world.heard);
        let promised = heard.matches(" 2.0.0 Kept ").count();
        let words: usize = world
            .kept
            .iter()
            .map(|kept| if lmtp_side { kept.recipients.len() } else { 1 })
            .sum();
        // All that was kept was said, but where the word itself was lost, which is no death here.
        assert_eq!(
            promised,
            words,
            "{manner:?} {:?}\n{heard}",
            String::from_utf8_lossy(&input)
        );
        kept += words;
    }
    assert!(kept > 10_000, "{kept}");
}

/// A next hop whose words are noise.
#[test]
fn noise_of_the_next_hop_is_a_temporary_failure() {
    let script =
        b"220 hop\r\n250-hop\r\n250 PIPELINING\r\n250 ok\r\n250 ok\r\n354 go\r\n250 kept\r\n";
    let input =
        b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nx\r\n.\r\nQUIT\r\n";
    for at in 0..script.len() {
        for byte in [b'9', b'\n', b'\r', 0, b'-', b' ', b'4', b'5'] {
            let mut words = script.to_vec();
            words[at] = byte;
            let mut session = ProxySession::new(Options::default());
            session.client(input);
            let (mut heard, mut fed, mut sent) = (Vec::new(), 0, false);
            for _ in 0..1_000 {
                let step = session.step();
                heard.extend(session.take_client());
                match step {
                    Step::Client => session.client_gone(),
                    Step::Connect if fed == 0 => session.connected(),
                    Step::Hop if fed < words.len() => {
                        session.hop(&words[fed..=fed]);
                        fed += 1;
                    }
                    Step::Connect | Step::Hop => session.hop_lost(),
                    Step::Judge => session.decide(ProxyVerdict::Deliver),
                    Step::Send => {
                        sent = true;
                        session.sent();
                    }
                    Step::Close => break,
                }
            }
            assert_eq!(session.step(), Step::Close, "{at} {byte}");
            let kept = heard.windows(8).any(|window| window == b"250 kept");
            assert!(!kept || sent, "{at} {byte}");
        }
    }
}
