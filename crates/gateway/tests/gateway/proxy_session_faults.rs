//! The proxy's session without I/O: a next hop that dies or sends noise, a session that ends, and mutants of dialogues.
//!
//! # Limits
//!
//! Only the first connection to the next hop dies.

use crate::rig::{Death, Manner, SessionWorld, TWO_MESSAGES, lmtp_message};
use mailglot_gateway::proxy::{
    BadReply, BareLines, HopFault, Options, ProxySession, ProxyVerdict, Step,
};

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
            let mut world = SessionWorld::new(
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

/// The words of a reply are for a reader, and name no type of the program.
#[test]
fn a_command_that_is_too_long_hears_so() {
    let mut session = ProxySession::new(Options::default());
    assert_eq!(session.step(), Step::Connect);
    session.connected();
    session.hop(b"220 hop\r\n");
    assert_eq!(session.step(), Step::Client);
    session.client(&[&b"NOOP "[..], &[b'x'; 5_000], b"\r\n"].concat());
    assert_eq!(session.step(), Step::Client);
    assert!(
        session
            .take_client()
            .ends_with(b"\r\n500 5.5.2 Line too long\r\n")
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
        let mut input = if lmtp_side {
            lmtp_message()
        } else {
            TWO_MESSAGES.to_vec()
        };
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
        let mut world = SessionWorld::new(
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
