//! The limits of the proxy on time, and messages whose end does not come, over real sockets.
//!
//! # Limits
//!
//! A busy machine may take longer: the bounds of time are wide.

use crate::proxy::PLAIN;
use crate::rig::{Manner, Part, ProxyClient, RunningNextHop, RunningProxy, Scripted};
use mailglot_gateway::policy::Action;
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

/// A client may send many short commands without a pause, so that each read ends in the middle of a command. It is not rejected as
/// one whose command never ends.
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
