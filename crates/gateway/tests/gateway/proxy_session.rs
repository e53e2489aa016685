//! The proxy's session without I/O: dialogues of SMTP and LMTP, at every split, and what it refuses.
//!
//! # Limits
//!
//! `proxy_session_faults` tests connections that end, and mutants.

use crate::rig::{Death, Manner, SessionWorld, TWO_MESSAGES, lmtp_message, run_dialogue};
use mailglot_gateway::proxy::Options;

#[test]
fn a_dialogue_goes_through() {
    let world = run_dialogue(TWO_MESSAGES, &Manner::default());
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
        let world = run_dialogue(
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
        (TWO_MESSAGES.to_vec(), Manner::default()),
        (
            TWO_MESSAGES.to_vec(),
            Manner {
                extensions: &["8BITMIME"],
                ..Manner::default()
            },
        ),
        (
            lmtp_message(),
            Manner {
                lmtp: true,
                ..Manner::default()
            },
        ),
    ] {
        let whole = run_dialogue(&input, &manner);
        let options = Options {
            lmtp: manner.lmtp,
            ..Options::default()
        };
        for step in 1..input.len() {
            for back in [1, 2, 3, 7, usize::MAX] {
                let mut world = SessionWorld::new(options, manner.clone());
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

#[test]
fn lmtp_has_a_reply_for_each_recipient() {
    let manner = Manner {
        lmtp: true,
        ..Manner::default()
    };
    let world = run_dialogue(&lmtp_message(), &manner);
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
        let world = run_dialogue(&lmtp_message(), &manner);
        assert_eq!(
            world.codes(),
            [&[220, 250, 250, 250, 550, 250, 354][..], &want, &[221]].concat(),
            "{manner:?}"
        );
    }
    let refused = String::from_utf8(lmtp_message())
        .unwrap()
        .replace("Subject: one", "Refuse: one");
    assert_eq!(
        run_dialogue(refused.as_bytes(), &manner).codes(),
        [220, 250, 250, 250, 550, 250, 354, 550, 550, 221]
    );
    // Neither speaks the other's word.
    assert_eq!(
        run_dialogue(b"EHLO a\r\nHELO a\r\nQUIT\r\n", &manner).codes(),
        [220, 500, 500, 221]
    );
    assert_eq!(
        run_dialogue(b"LHLO a\r\nQUIT\r\n", &Manner::default()).codes(),
        [220, 500, 221]
    );
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
        let world = run_dialogue(
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
    let codes = |input: &[u8]| run_dialogue(input, &Manner::default()).codes();
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
    let world = run_dialogue(
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
    let world = run_dialogue(input, &Manner::default());
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
        let world = run_dialogue(
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
        run_dialogue(&long(4_000), &Manner::default()).codes(),
        [220, 250, 250, 221]
    );
    assert_eq!(
        run_dialogue(&long(5_000), &Manner::default()).codes(),
        [220, 250, 500, 221]
    );
    let unclean = b"EHLO c\r\nMAIL FROM:<a@b.invalid>\nMAIL FROM:<\0@b.invalid>\r\nMAIL FROM:<a\r@b.invalid>\r\nQUIT\r\n";
    assert_eq!(
        run_dialogue(unclean, &Manner::default()).codes(),
        [220, 250, 500, 500, 500, 221]
    );
    let junk = [b"EHLO c\r\n".to_vec(), b"JUNK\r\n".repeat(100)].concat();
    let codes = run_dialogue(&junk, &Manner::default()).codes();
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
    let world = run_dialogue(&input, &Manner::default());
    let want = (0..1_000).map(|number| if number % 7 == 0 { 550 } else { 250 });
    assert!(world.codes().into_iter().skip(3).take(1_000).eq(want));
    assert_eq!(world.kept[0].recipients.len(), 857);
}
