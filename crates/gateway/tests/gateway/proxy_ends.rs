//! Connections of the proxy that end before their time. Next hops die, clients go, and a proxy stops. There are also many connections at a
//! time.

use crate::proxy::PLAIN;
use crate::rig::{Death, Manner, RunningNextHop, RunningProxy, Scripted};
use mailglot_gateway::policy::Action;
use mailglot_gateway::{Address, Inherited, Socket};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_next_hop_that_dies_defers_and_loses_nothing() {
    for death in [
        Death::Greeting,
        Death::Hello,
        Death::Mail,
        Death::Recipient,
        Death::Data,
        Death::Content(3),
        Death::LostWord,
        Death::After,
        Death::AfterWith421,
    ] {
        let dying = Manner {
            death: Some(death),
            ..Manner::default()
        };
        let hop = RunningNextHop::start(vec![dying, Manner::default()]);
        let proxy = RunningProxy::plain(&hop.address);
        let mut confirmed = 0;
        // A client that tries each of two messages until it is taken.
        for number in 0..2 {
            let text = format!("Subject: {number}\r\n\r\n{}", "text\r\n".repeat(2_000));
            let taken = (0..3).any(|_| {
                let mut client = proxy.connect();
                client.send("EHLO c\r\n");
                if client.codes(2) != [220, 250] {
                    return false;
                }
                let code = client.message("", text.as_bytes());
                assert!(
                    code == 250 || (400..500).contains(&code),
                    "{death:?} {code}"
                );
                code == 250
            });
            confirmed += usize::from(taken);
        }
        let subjects: BTreeMap<_, usize> =
            hop.kept().iter().fold(BTreeMap::new(), |mut counts, kept| {
                *counts.entry(kept.text[..10].to_vec()).or_default() += 1;
                counts
            });
        assert_eq!((confirmed, subjects.len()), (2, 2), "{death:?}");
        assert!(subjects.values().all(|count| *count == 1), "{death:?}");
    }
    // Nobody is there at all. Other tests listen at 127.0.0.1 only.
    let nobody = TcpListener::bind("127.0.0.2:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let proxy = RunningProxy::plain(&Address::Tcp(nobody.to_string()));
    assert_eq!(proxy.connect().codes(2), [421, 0]);
    assert!(proxy.told.faults(1)[0].starts_with("connect ("));
}

#[test]
fn a_thousand_messages_at_twenty_connections() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::plain(&hop.address);
    thread::scope(|scope| {
        for worker in 0..20 {
            let proxy = &proxy;
            scope.spawn(move || {
                let mut client = proxy.greeted();
                for number in 0..50 {
                    let text =
                        format!("Subject: {worker}-{number}\r\n\r\n{}", "Gr\u{fc}\u{df}e\r\n".repeat(number));
                    // All in one batch, as a client that pipelines does it.
                    if number % 2 == 0 {
                        assert_eq!(client.message("", text.as_bytes()), 250);
                    } else {
                        client.send(format!(
                            "MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n{text}.\r\nNOOP\r\n"
                        ));
                        assert_eq!(client.codes(5), [250, 250, 354, 250, 250]);
                    }
                }
            });
        }
    });
    let mut subjects: Vec<_> = hop
        .kept()
        .iter()
        .map(|kept| {
            kept.text
                .split(|byte| *byte == b'\r')
                .next()
                .unwrap()
                .to_vec()
        })
        .collect();
    assert_eq!(subjects.len(), 1_000);
    subjects.sort();
    subjects.dedup();
    assert_eq!(subjects.len(), 1_000);
    assert_eq!(proxy.told.records(1_000).len(), 1_000);
    assert_eq!(hop.connections.load(Ordering::SeqCst), 20);
    assert_eq!(proxy.told.faults(0), [""; 0]);
}

#[test]
fn a_client_that_gave_up_gets_nothing_delivered() {
    let hop = RunningNextHop::start(vec![Manner {
        delay: Duration::from_millis(500),
        ..Manner::default()
    }]);
    let proxy = RunningProxy::plain(&hop.address);
    let mut client = proxy.greeted();
    // All at once: the message is complete before the next hop has answered for its recipient.
    client.send(
        [
            b"MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n",
            PLAIN,
            b".\r\n",
        ]
        .concat(),
    );
    drop(client);
    let gone = |proxy: &RunningProxy| {
        let records = proxy.told.records(1);
        let told: Vec<_> = records
            .iter()
            .map(|record| {
                (
                    record.action,
                    record.remark.map(mailglot_gateway::Remark::name),
                )
            })
            .collect();
        assert_eq!(told, [(Action::Tempfail, Some("client-gone"))]);
    };
    gone(&proxy);
    thread::sleep(Duration::from_millis(700));
    assert!(hop.kept().is_empty());
    // While the next hop thinks about DATA.
    let (asked, is_asked) = mpsc::channel();
    let (leave, has_left) = mpsc::channel();
    let hop = Scripted::play(move |part| {
        part.exchange(&["220 a\r\n", "250 a\r\n", "250 ok\r\n", "250 ok\r\n"]);
        asked.send(()).unwrap();
        has_left.recv().unwrap();
        part.say("354 go\r\n");
        part.hear_until(b"\r\n.\r\n")
    });
    let proxy = RunningProxy::plain(&hop.address);
    let mut client = proxy.greeted();
    client.send("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n");
    assert_eq!(client.codes(3), [250, 250, 354]);
    client.send([PLAIN, b".\r\n"].concat());
    is_asked.recv().unwrap();
    drop(client);
    leave.send(()).unwrap();
    gone(&proxy);
    assert!(!hop.end().ends_with(b"\r\n.\r\n"));
}

/// A client that ends its half behind QUIT has said all; one that ends it behind its message may have died.
#[test]
fn a_half_close_behind_quit_ends_in_order() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let proxy = RunningProxy::plain(&hop.address);
    let dialogue = |end: &[u8]| {
        let mut client = proxy.greeted();
        client.send("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n");
        assert_eq!(client.codes(3), [250, 250, 354]);
        client.send([PLAIN, b".\r\n", end].concat());
        client.stream.shutdown(std::net::Shutdown::Write).unwrap();
        client.all()
    };
    let heard = dialogue(b"QUIT\r\n");
    assert!(
        heard.starts_with("250 ") && heard.contains("\r\n221 "),
        "{heard}"
    );
    assert_eq!(hop.kept().len(), 1);
    // Without it the message may be known when the half-close is not: then it is delivered, and the client hears so.
    let mut deferred = 0;
    for _ in 0..20 {
        let before = hop.kept().len();
        let heard = dialogue(b"");
        let taken = heard.starts_with("250 ");
        assert!(taken || heard.starts_with("451 "), "{heard}");
        assert_eq!(hop.kept().len() - before, usize::from(taken));
        deferred += usize::from(!taken);
    }
    assert!(deferred > 0);
}

/// Neither a next hop that is asked for a recipient nor one that owes the word for a message holds the end up.
#[test]
fn a_proxy_that_stops_does_not_wait_for_a_silent_next_hop() {
    for commands in [
        "MAIL FROM:<a@b.invalid>\r\n",
        "MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nSubject: x\r\n\r\ntext\r\n.\r\n",
    ] {
        let whole = commands.contains("DATA");
        let (reach, reached) = mpsc::channel();
        let hop = Scripted::play(move |part| {
            part.exchange(&["220 a\r\n"]);
            if whole {
                part.exchange(&["250-a\r\n250 PIPELINING\r\n", "250 ok\r\n250 ok\r\n"]);
                part.say("354 go\r\n");
                part.hear_until(b"\r\n.\r\n");
            } else {
                part.exchange(&["250 a\r\n"]);
            }
            reach.send(()).unwrap();
            // It hears what follows, and says nothing more until the other side has closed.
            part.hear_out();
        });
        let mut proxy = RunningProxy::start(&hop.address, |_, limits, _| {
            limits.drain = Duration::from_millis(200);
        });
        let mut client = proxy.greeted();
        client.send(commands);
        reached.recv().unwrap();
        let thread = proxy.served.thread.take().unwrap();
        let start = Instant::now();
        proxy.served.stop.stop();
        while !thread.is_finished() && start.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(thread.is_finished(), "{commands}");
        proxy.served.thread = Some(thread);
        hop.end();
    }
}

#[test]
fn a_proxy_that_stops_lets_messages_end() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let mut proxy = RunningProxy::plain(&hop.address);
    let (mut idle, mut busy) = (proxy.connect(), proxy.connect());
    for client in [&mut idle, &mut busy] {
        client.greet();
    }
    busy.send("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nSubject: x\r\n");
    assert_eq!(busy.codes(3), [250, 250, 354]);
    let stop = proxy.served.stop.clone();
    stop.stop();
    assert_eq!(idle.codes(2), [421, 0]);
    thread::sleep(Duration::from_millis(100));
    busy.send("\r\ntext\r\n.\r\n");
    assert_eq!(busy.codes(3), [250, 421, 0]);
    proxy.served.thread.take().unwrap().join().unwrap();
    assert_eq!(hop.kept().len(), 1);
    proxy.served.thread = Some(thread::spawn(|| ()));
}

/// A client that has sent no content loses none: it hears at once that the proxy stops, and sends the message later.
#[test]
fn a_proxy_that_stops_does_not_wait_for_a_client_without_content() {
    for (commands, replies) in [
        ("MAIL FROM:<a@b.invalid>\r\n", 1),
        ("MAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\n", 2),
        ("XOTHER\r\nMAIL FROM:<a@b.invalid>\r\nRSE", 2),
    ] {
        let hop = RunningNextHop::start(vec![Manner::default()]);
        let mut proxy = RunningProxy::start(&hop.address, |_, limits, _| {
            limits.drain = Duration::from_mins(1);
        });
        let mut client = proxy.greeted();
        client.send(commands);
        assert!(client.codes(replies).contains(&250), "{commands}");
        let start = Instant::now();
        proxy.served.end();
        assert!(start.elapsed() < Duration::from_secs(20), "{commands}");
        assert_eq!(client.codes(2), [421, 0], "{commands}");
        assert!(proxy.told.faults(0).is_empty(), "{commands}");
        assert!(hop.kept().is_empty());
        proxy.served.thread = Some(thread::spawn(|| ()));
    }
}

/// The next hop may take its time to answer MAIL: a proxy that stops does not wait for it.
#[test]
fn a_proxy_that_stops_does_not_wait_for_the_reply_to_mail() {
    let (ask, asked) = mpsc::channel();
    let hop = Scripted::play(move |part| {
        part.exchange(&["220 a\r\n", "250 a\r\n"]);
        ask.send(()).unwrap();
        part.hear_out();
    });
    let mut proxy = RunningProxy::start(&hop.address, |_, limits, _| {
        limits.drain = Duration::from_mins(1);
    });
    let mut client = proxy.greeted();
    client.send("MAIL FROM:<a@b.invalid>\r\n");
    asked.recv().unwrap();
    let start = Instant::now();
    proxy.served.end();
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(client.codes(2), [421, 0]);
    hop.end();
    proxy.served.thread = Some(thread::spawn(|| ()));
}

/// A next hop that does not greet, or does not answer a greeting, is not waited for where no message is on the connection.
#[test]
fn a_proxy_that_stops_does_not_wait_for_a_next_hop_without_a_message() {
    for greets in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap().to_string());
        let hop = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            if greets {
                stream.write_all(b"220 a\r\n").unwrap();
            }
            let mut piece = [0; 4_096];
            while stream.read(&mut piece).is_ok_and(|count| count > 0) {}
        });
        let mut proxy = RunningProxy::start(&address, |_, limits, _| {
            limits.drain = Duration::from_mins(1);
        });
        let mut client = proxy.connect();
        client.send("EHLO c\r\n");
        thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        proxy.served.end();
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            start.elapsed()
        );
        if greets {
            assert_eq!(client.code(), 220);
        }
        assert_eq!(client.codes(2), [421, 0]);
        hop.join().unwrap();
        assert!(proxy.told.faults(0).is_empty());
        proxy.served.thread = Some(thread::spawn(|| ()));
    }
}

/// The socket of a supervisor outlives the proxy: who connects between two of them only waits.
#[test]
fn a_proxy_goes_on_with_a_socket_that_listens_already() {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    for _ in 0..2 {
        let socket = Socket::Given(Inherited::Tcp(listener.try_clone().unwrap()));
        let mut proxy = RunningProxy::on(socket, &hop.address, |_, _, _| ());
        let mut client = proxy.greeted();
        assert_eq!(client.message("", PLAIN), 250);
        proxy.served.end();
        assert_eq!(client.codes(2), [421, 0]);
    }
    assert_eq!(hop.kept().len(), 2);
}
