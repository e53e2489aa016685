//! The limits of the proxy: time, connections, bytes and room, over real sockets.

use crate::proxy::{LATIN, PLAIN, stuffed};
use crate::rig::{Manner, Part, ProxyClient, RunningNextHop, RunningProxy, Scripted};
use mailglot_gateway::policy::{Action, Finding};
use mailglot_gateway::{Engine, Limits};
use std::io::Write;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn the_slow_are_sent_away() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let short = Duration::from_secs(1);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| {
        (limits.negotiation, limits.stall, limits.idle) = (short, short, 3 * short);
    });
    let ends = |prepare: &dyn Fn(&mut ProxyClient), drip: &[u8]| {
        let mut client = proxy.connect();
        prepare(&mut client);
        let mut drips = drip.iter().cycle();
        let mut stream = client.stream.try_clone().unwrap();
        let end = thread::spawn(move || client.all());
        while !end.is_finished() {
            if let Some(byte) = drips.next() {
                // It may be closed by now.
                let _ = stream.write_all(&[*byte]);
            }
            thread::sleep(Duration::from_millis(20));
        }
        // A client waits 30 seconds for each read.
        let heard = end.join().unwrap();
        assert!(heard.contains("421 4.4.2"), "{heard} {drip:?}");
    };
    // Silent from the start; dripping a line without an end; idle; dripping content; silent within content.
    ends(&|_| (), b"");
    let greet = |client: &mut ProxyClient| {
        client.greet();
    };
    ends(&greet, b"x");
    ends(&greet, b"");
    let into_content = |client: &mut ProxyClient| {
        greet(client);
        client.send("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n");
        assert_eq!(client.codes(3), [250, 250, 354]);
    };
    ends(&into_content, b"x");
    ends(&into_content, b"");
    assert_eq!(proxy.told.faults(5), ["slow"; 5]);
    // The two that had begun a message.
    let why = proxy.told.records(2).into_iter().map(|record| {
        (
            record.action,
            record.remark.map(mailglot_gateway::Remark::name),
        )
    });
    assert_eq!(
        why.collect::<Vec<_>>(),
        [(Action::Tempfail, Some("slow")); 2]
    );
    assert!(hop.kept().is_empty());
}

/// Commands that come without a pause, each read ending within one, are none that does not end.
#[test]
fn a_client_that_never_stops_is_not_slow() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| {
        limits.stall = Duration::from_secs(2);
    });
    let mut client = proxy.greeted();
    client.send("NO");
    for _ in 0..60 {
        thread::sleep(Duration::from_millis(50));
        client.send("OP\r\nNO");
        assert_eq!(client.code(), 250);
    }
    client.send("OP\r\nQUIT\r\n");
    assert_eq!(client.codes(2), [250, 221]);
    assert_eq!(proxy.told.faults(0), [""; 0]);
}

#[test]
fn a_next_hop_that_says_nothing_defers() {
    let silent = Scripted::play(Part::hear_out);
    let proxy = RunningProxy::start(&silent.address, |route, _, _| {
        route.times.reply = Duration::from_millis(200);
    });
    assert_eq!(proxy.connect().codes(2), [421, 0]);
    silent.end();
}

/// A client has its time to greet from when it was greeted.
#[test]
fn a_slow_next_hop_takes_nothing_of_its_clients_time() {
    let hop = Scripted::play(|part| {
        thread::sleep(Duration::from_millis(2_500));
        part.exchange(&["220 a\r\n"]);
        part.say("250 a\r\n");
        part.hear_out();
    });
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| {
        limits.negotiation = Duration::from_secs(2);
    });
    let mut client = proxy.connect();
    assert_eq!(client.code(), 220);
    client.send("EHLO c\r\n");
    assert_eq!(client.code(), 250);
    drop(client);
    hop.end();
}

/// A byte now and then is no answer, and each whole reply has its time anew.
#[test]
fn a_next_hop_that_drips_defers() {
    let dripping = Scripted::play(|part| {
        for byte in b"220-a\r\n".iter().cycle().take(1_200) {
            thread::sleep(Duration::from_millis(50));
            if !part.say([*byte]) {
                return;
            }
        }
    });
    let proxy = RunningProxy::start(&dripping.address, |route, _, _| {
        route.times.reply = Duration::from_millis(300);
    });
    let start = Instant::now();
    assert_eq!(proxy.connect().codes(2), [421, 0]);
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    dripping.end();
    // Thirty replies, one after the other, take longer than one of them may.
    let slow = Scripted::play(|part| {
        part.exchange(&["220 a\r\n", "250-a\r\n250 PIPELINING\r\n"]);
        for _ in 0..30 {
            thread::sleep(Duration::from_millis(100));
            part.say("250 2.0.0 ok\r\n");
        }
        part.hear_out();
    });
    let proxy = RunningProxy::start(&slow.address, |route, _, _| {
        route.times.reply = Duration::from_secs(2);
    });
    let mut client = proxy.greeted();
    client.send(format!(
        "MAIL FROM:<a@b.invalid>\r\n{}",
        "RCPT TO:<c@d.invalid>\r\n".repeat(29)
    ));
    assert_eq!(client.codes(30), [250; 30]);
    drop(client);
    slow.end();
}

#[test]
fn work_that_takes_too_long_defers() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| limits.work = Duration::ZERO);
    let mut client = proxy.greeted();
    assert_eq!(client.message("", PLAIN), 451);
    assert_eq!(client.message("", PLAIN), 451);
    assert!(hop.kept().is_empty());
    let record = proxy.told.records(1).remove(0);
    assert_eq!(
        (
            record.action,
            record.remark.map(mailglot_gateway::Remark::name)
        ),
        (Action::Tempfail, Some("slow"))
    );
}

/// What went through a hundred servers goes through no more (RFC 5321 6.3), whether it is looked at or not.
#[test]
fn a_message_that_goes_round_is_refused() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, rules| {
        (limits.message_bytes, rules.monitor) = (20_000, true);
    });
    let mut client = proxy.greeted();
    for (name, hops, lines, code) in [
        ("Received", 100, 1, 250),
        ("Received", 101, 1, 554),
        ("received ", 101, 1, 554),
        ("Received", 101, 9_000, 554),
        ("Received", 100, 9_000, 250),
        ("Received-SPF", 150, 1, 250),
        ("X-Received", 150, 1, 250),
    ] {
        let field = format!("{name}: from a\r\n by b;\r\n\tReceived: x\r\n");
        let text = [
            &field.repeat(hops),
            "Subject: x\r\n\r\n",
            &"Received: x\r\n".repeat(lines),
        ]
        .concat();
        assert_eq!(
            client.message("", text.as_bytes()),
            code,
            "{name} {hops} {lines}"
        );
    }
    let records = proxy.told.records(7);
    let refused = |record: &&mailglot_gateway::Record| {
        (
            record.action,
            record.remark.map(mailglot_gateway::Remark::name),
        ) == (Action::Reject, Some("loop"))
    };
    assert_eq!(records.iter().filter(refused).count(), 3);
}

#[test]
fn a_header_beyond_the_limits_is_not_read() {
    let many = "X: y\r\n".repeat(20);
    for (bytes, fields, text, want) in [
        (40, 100, LATIN, Some("too-many-headers")),
        (1_000, 3, LATIN, Some("too-many-headers")),
        (1_000, 4, LATIN, None),
        (1_000, 20, many.as_bytes(), None),
        (1_000, 19, many.as_bytes(), Some("too-many-headers")),
    ] {
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::start(&hop.address, |_, limits, _| {
            (limits.header_bytes, limits.fields) = (bytes, fields);
        });
        let mut client = proxy.greeted();
        assert_eq!(client.message(" BODY=8BITMIME", &stuffed(text)), 250);
        assert_eq!(
            proxy.told.records(1)[0]
                .remark
                .map(mailglot_gateway::Remark::name),
            want,
            "{bytes} {fields}"
        );
        assert_eq!(hop.kept()[0].text == text, want.is_some() || text != LATIN);
    }
}

#[test]
fn one_connection_too_many_is_deferred() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| limits.connections = 2);
    let mut clients: Vec<_> = (0..2).map(|_| proxy.connect()).collect();
    // Those that have begun a message are not closed for another one.
    for client in &mut clients {
        client.send("EHLO c\r\nMAIL FROM:<a@b.invalid>\r\n");
        assert_eq!(client.codes(3), [220, 250, 250]);
    }
    assert_eq!(proxy.connect().codes(2), [421, 0]);
    clients[0].send("QUIT\r\n");
    assert_eq!(clients[0].codes(2), [221, 0]);
    // The place is free again, if not at once.
    let patience = Instant::now() + Duration::from_secs(30);
    while proxy.connect().code() != 220 {
        assert!(Instant::now() < patience);
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_long_message_is_kept_in_a_file_and_a_too_long_one_is_not_read() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| limits.message_bytes = 4 << 20);
    let mut client = proxy.greeted();
    let text = |lines: usize| {
        [
            LATIN,
            &b".Gr\xfc\xdfe und noch mehr Text in dieser Zeile\r\n".repeat(lines),
        ]
        .concat()
    };
    let (read, unread) = (text(60_000), text(120_000));
    assert!(read.len() > 2 << 20 && read.len() < 4 << 20 && unread.len() > 4 << 20);
    assert_eq!(client.message(" BODY=8BITMIME", &stuffed(&read)), 250);
    assert_eq!(client.message(" BODY=8BITMIME", &stuffed(&unread)), 250);
    let kept = hop.kept();
    let out = String::from_utf8(kept[0].text.clone()).unwrap();
    assert_eq!(out.matches("Grüße").count(), 60_001);
    assert!(kept[1].text == unread);
    let records = proxy.told.records(2);
    assert_eq!(
        (records[0].action, records[1].action),
        (Action::Normalize, Action::Pass)
    );
    assert_eq!(
        records[1].remark.map(mailglot_gateway::Remark::name),
        Some("too-large")
    );
}

#[test]
fn no_room_for_a_message_defers_it() {
    let set: [fn(&mut Limits); 3] = [
        |limits| (limits.memory_bytes, limits.spool) = (0, "no such folder".into()),
        |limits| (limits.memory_bytes, limits.spool_bytes) = (0, 2_000_000),
        |limits| (limits.memory_bytes, limits.disk_reserve) = (0, u64::MAX),
    ];
    for set in set {
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let proxy = RunningProxy::start(&hop.address, |_, limits, _| set(limits));
        let mut client = proxy.greeted();
        let long = [PLAIN, &b"text\r\n".repeat(600_000)].concat();
        assert_eq!(client.message("", &long), 452);
        // What was counted is given back, and the next message is a new one.
        assert_eq!(proxy.served.stop.spool_bytes(), 0);
        assert_eq!(client.message("", PLAIN), 250);
        assert_eq!(hop.kept().len(), 1);
        let record = proxy.told.records(2).remove(0);
        assert_eq!(
            (
                record.action,
                record.remark.map(mailglot_gateway::Remark::name)
            ),
            (Action::Tempfail, Some("spool"))
        );
        assert!(hop.heard.lock().unwrap().contains(&"RSET".to_owned()));
    }
}

/// Of a message that outgrows what its client was told nothing is kept: it takes no room from others.
#[test]
fn what_is_larger_than_was_announced_takes_no_room() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| {
        (limits.memory_bytes, limits.spool_bytes) = (0, 12_000_000);
    });
    let mut greedy = proxy.greeted();
    greedy.send("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n");
    assert_eq!(greedy.codes(3), [250, 250, 354]);
    let part = b"text\r\n".repeat(1_000_000);
    greedy.send(&part);
    let wait_for = |room: &dyn Fn(u64) -> bool| {
        let start = Instant::now();
        while !room(proxy.served.stop.spool_bytes()) {
            assert!(start.elapsed() < Duration::from_secs(20));
            thread::sleep(Duration::from_millis(5));
        }
    };
    wait_for(&|bytes| bytes > 4_000_000);
    // It goes on beyond the 10,240,000 bytes of the next hop, and more.
    (0..3).for_each(|_| greedy.send(&part));
    wait_for(&|bytes| bytes == 0);
    let mut fair = proxy.greeted();
    assert_eq!(fair.message("", &[PLAIN, &part].concat()), 250);
    greedy.send(b".\r\n");
    assert_eq!(greedy.code(), 552);
    assert_eq!(greedy.message("", PLAIN), 250);
    assert_eq!(hop.kept().len(), 2);
    let told = proxy.told.records(3);
    let large = told
        .iter()
        .find(|record| record.bytes_in == 4 * part.len() as u64)
        .unwrap();
    assert_eq!(
        (
            large.action,
            large.remark.map(mailglot_gateway::Remark::name)
        ),
        (Action::Reject, Some("next-hop-size"))
    );
    assert!(large.findings.has(Finding::TooLarge) && large.bytes_out == 0);
}

/// What all messages hold together counts.
#[test]
fn the_room_is_that_of_all_messages() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::start(&hop.address, |_, limits, _| {
        (limits.memory_bytes, limits.spool_bytes) = (0, 5_000_000);
    });
    let mut first = proxy.greeted();
    first.send("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n");
    assert_eq!(first.codes(3), [250, 250, 354]);
    let part = b"text\r\n".repeat(600_000);
    first.send([PLAIN, &part].concat());
    while proxy.served.stop.spool_bytes() < 3_400_000 {
        thread::sleep(Duration::from_millis(5));
    }
    let mut second = proxy.greeted();
    assert_eq!(second.message("", &[PLAIN, &part].concat()), 452);
    first.send(".\r\n");
    assert_eq!(first.code(), 250);
    assert_eq!(second.message("", &[PLAIN, &part].concat()), 250);
    assert_eq!(proxy.served.stop.spool_bytes(), 0);
}

/// Each write finds some room, and all of them together take too long.
#[test]
fn a_next_hop_that_takes_a_message_in_drops_defers() {
    let hop = Scripted::play(|part| {
        part.exchange(&SAYS_YES);
        while !part.hear().is_empty() {
            thread::sleep(Duration::from_millis(80));
        }
    });
    let proxy = RunningProxy::start(&hop.address, |route, _, _| {
        route.times.end = Duration::from_millis(500);
    });
    let mut client = proxy.greeted();
    let start = Instant::now();
    assert_eq!(
        client.message("", &[PLAIN, &b"text\r\n".repeat(5_000_000)].concat()),
        451
    );
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    drop(client);
    drop(proxy);
    hop.end();
}

/// A next hop's words up to the content of a message.
const SAYS_YES: [&str; 5] = [
    "220 a\r\n",
    "250 b\r\n",
    "250 c\r\n",
    "250 d\r\n",
    "354 e\r\n",
];

/// A client that closes while the next hop takes nothing sends its message again: the next hop must not have the end of it.
#[test]
fn a_client_that_goes_while_its_message_is_written_gets_nothing_delivered() {
    let (begin, began) = mpsc::channel();
    let (gone, goes) = mpsc::channel();
    let hop = Scripted::play(move |part| {
        // Of the message only its beginning, until the client has gone.
        part.exchange(&SAYS_YES);
        begin.send(()).unwrap();
        goes.recv().unwrap();
        let (mut all, mut last) = (0, Vec::new());
        loop {
            let heard = part.hear();
            if heard.is_empty() {
                return (all, last);
            }
            all += heard.len();
            last.extend_from_slice(heard);
            last.drain(..last.len().saturating_sub(5));
        }
    });
    let proxy = RunningProxy::plain(&hop.address);
    let mut client = proxy.greeted();
    client.send("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n");
    assert_eq!(client.codes(3), [250, 250, 354]);
    let text = [PLAIN, &b"text\r\n".repeat(5_000_000)].concat();
    client.send([&text, &b".\r\n"[..]].concat());
    began.recv().unwrap();
    drop(client);
    // Whoever closes is seen by the other side as soon as that looks.
    gone.send(()).unwrap();
    let (all, last) = hop.end();
    assert!(all < text.len() && last != b"\r\n.\r\n", "{all} {last:?}");
    let record = proxy.told.records(1).remove(0);
    assert_eq!(
        (
            record.action,
            record.remark.map(mailglot_gateway::Remark::name)
        ),
        (Action::Tempfail, Some("client-gone"))
    );
}

/// A message whose end does not come has its line and its count, whoever ends the connection.
#[test]
fn a_message_that_is_cut_is_told() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let begin = |proxy: &RunningProxy| {
        let mut client = proxy.greeted();
        client.send("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n");
        assert_eq!(client.codes(3), [250, 250, 354]);
        client.send("Subject: x\r\n");
        // The bytes are to arrive before what ends them.
        thread::sleep(Duration::from_secs(1));
        client
    };
    let mut proxy = RunningProxy::start(&hop.address, |_, limits, _| {
        limits.drain = Duration::from_millis(200);
    });
    drop(begin(&proxy));
    assert_eq!(proxy.told.records(1).len(), 1);
    let stopped = begin(&proxy);
    // A connection without a message adds no line to the log.
    drop(proxy.greeted());
    proxy.served.end();
    drop(stopped);
    let told = proxy.told.records(2);
    let why: Vec<_> = told
        .iter()
        .map(|record| {
            (
                record.action,
                record.remark.map(mailglot_gateway::Remark::name),
            )
        })
        .collect();
    assert_eq!(
        why,
        [
            (Action::Tempfail, Some("client-gone")),
            (Action::Tempfail, Some("stopped"))
        ]
    );
    for record in told {
        assert_eq!((record.bytes_in, record.peer.as_str()), (12, "127.0.0.1"));
        assert_eq!(
            (&record.envelope.sender[..], record.envelope.recipients),
            (&b"<a@b.invalid>"[..], 1)
        );
    }
    assert_eq!(proxy.told.faults(1), ["client-gone"]);
    assert!(hop.kept().is_empty());
}

/// UTF-8 may take more bytes than what came, and the next hop would refuse for good what its sender had room for.
#[test]
fn what_grows_beyond_the_size_of_the_next_hop_goes_as_it_came() {
    let koi8 = |lines: usize| {
        let line = b"\xd0\xd2\xc9\xd7\xc5\xd4 \xd0\xd2\xc9\xd7\xc5\xd4\r\n";
        let head: &[u8] = b"Content-Type: text/plain; charset=koi8-r\r\nMIME-Version: 1.0\r\n\r\n";
        [head, &line.repeat(lines)].concat()
    };
    let (small, large, beyond) = (koi8(40), koi8(100), koi8(200));
    assert!(small.len() * 2 < 2_000 && large.len() < 2_000 && beyond.len() > 2_000);
    let with = |extensions, set: fn(&mut Engine)| {
        let hop = RunningNextHop::start(vec![Manner {
            extensions,
            ..Manner::default()
        }]);
        let proxy = RunningProxy::with_engine(&hop.address, |_, _, engine| set(engine));
        (hop, proxy)
    };
    let (hop, proxy) = with(&["8BITMIME", "SIZE 2000"], |_| ());
    let mut client = proxy.greeted();
    // What was too large before is refused: its client was told.
    for (text, code) in [(&small, 250), (&large, 250), (&beyond, 552)] {
        assert_eq!(client.message(" BODY=8BITMIME", text), code);
    }
    let kept = hop.kept();
    assert_eq!(kept.len(), 2);
    assert!(
        String::from_utf8(kept[0].text.clone())
            .unwrap()
            .contains("\u{43f}")
    );
    assert!(kept[1].text == large);
    let records = proxy.told.records(3);
    let told: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record.action,
                record.wanted,
                record.remark.map(mailglot_gateway::Remark::name),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (Action::Normalize, Action::Normalize, None),
            (Action::Pass, Action::Normalize, Some("next-hop-size")),
            (Action::Reject, Action::Reject, Some("next-hop-size")),
        ]
    );
    assert_eq!(records[1].bytes_out, large.len() as u64);
    assert!(records[1].findings.has(Finding::TooLarge));
    // As it came it may not go either: the policy defers, or refuses, or the next hop takes no eight bits.
    for (extensions, set, code) in [
        (
            &["8BITMIME", "SIZE 2000"][..],
            (|engine| engine.defer_too_large = true) as fn(&mut Engine),
            451,
        ),
        (
            &["8BITMIME", "SIZE 2000"],
            |engine| engine.rules.set(Finding::TooLarge, Action::Reject),
            552,
        ),
        // It is never going to be otherwise.
        (&["SIZE 2000"], |_| (), 552),
    ] {
        let (hop, proxy) = with(extensions, set);
        assert_eq!(proxy.greeted().message("", &large), code);
        let record = proxy.told.records(1).remove(0);
        assert_eq!(
            (
                record.remark.map(mailglot_gateway::Remark::name),
                record.bytes_out
            ),
            (Some("next-hop-size"), 0)
        );
        assert!(hop.kept().is_empty());
    }
    // No bound is told, or none is set.
    for extensions in [
        &["8BITMIME", "SIZE"][..],
        &["8BITMIME", "SIZE 0"],
        &["8BITMIME"],
    ] {
        let (hop, proxy) = with(extensions, |_| ());
        assert_eq!(proxy.greeted().message("", &large), 250);
        assert!(hop.kept()[0].text.len() > 2_000);
    }
}
