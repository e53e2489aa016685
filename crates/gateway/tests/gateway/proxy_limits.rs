//! The limits of the proxy on connections, bytes, fields and room, over real sockets.
//!
//! # Limits
//!
//! `proxy_limits_time` tests the limits of time.

use crate::proxy::{LATIN, PLAIN, stuffed};
use crate::rig::{Manner, RunningNextHop, RunningProxy};
use mailglot_gateway::policy::{Action, Finding};
use mailglot_gateway::{Engine, Limits};
use std::thread;
use std::time::{Duration, Instant};

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
