//! The proxy before and behind the queue of a real Postfix, and before a mail store: what arrives.

#![allow(clippy::unwrap_used, clippy::panic)]

use mailglot_tests::binary;
use mailglot_tests::trial::gateway_chain::{Chain, GatewayPosition};
use mailglot_tests::trial::letters;
use mailglot_tests::trial::sink::{Arrived, Manner};
use mailglot_tests::trial::smtp::Letter;
use std::thread;
use std::time::Duration;

/// How long everything may take to arrive.
const PATIENCE: Duration = Duration::from_mins(2);

/// Everything that arrived, when it is as many.
fn arrived(chain: &Chain, count: usize) -> Vec<Arrived> {
    let postfix = &chain.postfix;
    let came = postfix.sink.wait(count, PATIENCE);
    assert!(
        came,
        "{} of {count} arrived\n{}\n{}",
        postfix.sink.count(),
        postfix.log(),
        chain.told()
    );
    assert!(postfix.drain(PATIENCE));
    let arrived = postfix.sink.take();
    assert_eq!(arrived.len(), count, "one more than was sent: {arrived:?}");
    arrived
}

/// Addresses and fields in raw UTF-8 where SMTPUTF8 is announced, and several recipients of one message.
#[test]
fn what_the_envelope_says_arrives() {
    for way in GatewayPosition::PROXIES {
        let chain = Chain::start(way);
        let text = "Date: Mon, 1 Jan 2001 10:00:00 +0000\r\nMessage-ID: <1@test.invalid>\r\nFrom: Jürgen <jürgen@test.invalid>\r\nSubject: Grüße\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
                    Content-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n.\r\n";
        let letter = Letter {
            sender: "jürgen@test.invalid".to_owned(),
            recipients: (0..3)
                .map(|number| format!("ü{number}@test.invalid"))
                .collect(),
            arguments: " BODY=8BITMIME SMTPUTF8 RET=HDRS ENVID=trial".to_owned(),
            data: text.as_bytes().to_vec(),
        };
        let reply = chain.postfix.client().send(&letter).unwrap();
        assert!(reply.is_good(), "{way:?} {reply:?} {}", chain.postfix.log());
        let mail = arrived(&chain, 1).remove(0);
        assert_eq!(mail.recipients.len(), 3, "{way:?}");
        assert!(
            mail.sender.contains("<jürgen@test.invalid>"),
            "{way:?} {}",
            mail.sender
        );
        for word in ["SMTPUTF8", "BODY=8BITMIME", "ENVID=trial", "RET=HDRS"] {
            assert!(mail.sender.contains(word), "{way:?} {}", mail.sender);
        }
        assert!(
            mail.data.ends_with(text.as_bytes()),
            "{way:?} {}",
            String::from_utf8_lossy(&mail.data)
        );
        let told = chain.told();
        let lines: Vec<_> = told
            .lines()
            .filter(|line| line.starts_with("msg="))
            .collect();
        let [line] = lines[..] else {
            panic!("{way:?}: one line a message:\n{told}")
        };
        assert!(
            line.contains(if way == GatewayPosition::Lmtp {
                "route=lmtp"
            } else {
                "route=smtp"
            }),
            "{line}"
        );
        assert!(line.contains("rcpts=3"), "{line}");
        // XFORWARD tells the name that the queue gave the message.
        let named = !line.starts_with("msg= ") && !line.starts_with("msg=\"\" ");
        assert_eq!(named, way == GatewayPosition::AfterQueue, "{line}");
    }
}

/// A gateway that is not there, and a next hop that takes nothing for a while: every letter arrives once, later.
#[test]
fn trouble_defers_and_loses_nothing() {
    for way in GatewayPosition::PROXIES {
        let mut chain = Chain::start(way);
        let letter =
            |number: usize| Letter::new(format!("X-Trial: {number}\r\nSubject: x\r\n\r\ntext\r\n"));
        let mut taken = Vec::new();
        let mut offer = |chain: &Chain, numbers: std::ops::Range<usize>| {
            for number in numbers {
                let reply = chain.postfix.client().send(&letter(number)).unwrap();
                assert!(reply.is_good() || reply.is_temporary(), "{way:?} {reply:?}");
                if reply.is_good() {
                    taken.push(number);
                }
            }
        };
        offer(&chain, 0..5);
        // What the next hop took while we were killed comes twice rather than never (RFC 5321 6.1). Here nothing is on its way.
        let mut all = arrived(&chain, 5);
        // Killed, not asked to end.
        chain.gateway = None;
        offer(&chain, 5..10);
        chain.bring_up();
        chain.postfix.sink.set(Manner::Defer);
        offer(&chain, 10..15);
        chain.postfix.sink.set(Manner::HangUpEarly);
        thread::sleep(Duration::from_millis(300));
        chain.postfix.sink.set(Manner::Take);
        offer(&chain, 15..20);
        if way == GatewayPosition::BeforeQueue {
            // The server waits for our word: without us it takes nothing.
            assert!(
                taken.iter().all(|number| !(5..10).contains(number)),
                "{taken:?}"
            );
        }
        assert!(taken.len() >= 10, "{way:?} {taken:?}");
        all.extend(arrived(&chain, taken.len() - all.len()));
        let mut came: Vec<_> = all
            .iter()
            .map(|mail| letters::number(&mail.data).unwrap())
            .collect();
        came.sort_unstable();
        assert_eq!(came, taken, "{way:?}");
    }
}

/// Ends of data that are none, sent to the server behind which we stand, reach nobody as a second message.
#[test]
fn no_message_is_smuggled_through() {
    for way in GatewayPosition::PROXIES {
        let chain = Chain::start(way);
        let mut sent = 0;
        for end in [
            "\n.\n",
            "\r.\r",
            "\r\n.\n",
            "\n.\r\n",
            "\r.\r\n",
            "\r\n.\r",
            "\r\n.\r\r\n",
        ] {
            let mut client = chain.postfix.client();
            for line in [
                "MAIL FROM:<a@test.invalid>",
                "RCPT TO:<b@test.invalid>",
                "DATA",
            ] {
                assert!(client.command(line).unwrap().is_good());
            }
            let inner = "MAIL FROM:<admin@test.invalid>\r\nRCPT TO:<c@test.invalid>\r\nDATA\r\nSubject: SMUGGLED\r\n\r\nx";
            client
                .write(format!("Subject: outer\r\n\r\na{end}{inner}\r\n.\r\n").as_bytes())
                .unwrap();
            let reply = client.reply().unwrap();
            sent += usize::from(reply.is_good());
        }
        let came = arrived(&chain, sent);
        assert!(
            came.iter().all(|mail| !mail.sender.contains("admin")),
            "{way:?} {came:?}"
        );
        assert!(sent > 0, "{way:?}: nothing was put to the test");
    }
}

/// The lines of master.cf that the help and the page of Postfix give for a proxy before the queue.
fn lines_of(text: &str) -> (String, String) {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("smtp ") || line.starts_with("127.0.0.1:10027 inet") {
            lines.push(line.to_owned());
            goes_on = true;
        } else if let (true, true, Some(last)) =
            (goes_on, line.starts_with("-o "), lines.last_mut())
        {
            last.push(' ');
            last.push_str(line);
        } else {
            goes_on = false;
        }
    }
    let take = |words: &str| {
        lines
            .iter()
            .find(|line| line.contains(words))
            .cloned()
            .unwrap_or_default()
    };
    let (front, back) = (take("smtpd_proxy_filter=127"), take("smtpd_proxy_filter= "));
    assert!(
        !front.is_empty() && back.contains("smtpd_proxy_filter= "),
        "{front} {back}"
    );
    (front, back)
}

/// What is told to people is what was tried, word for word: a client that takes longer for its message than the second smtpd waits.
#[test]
fn a_slow_client_is_served_by_the_lines_that_are_told() {
    let help = std::process::Command::new(binary::path())
        .args(["proxy", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/setup/postfix.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (told, paged) = (lines_of(&help), lines_of(&page));
    let words = |lines: &(String, String)| {
        [&lines.0, &lines.1].map(|line| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(words(&told), words(&paged));
    let (front, back) = paged;
    assert!(
        front.contains(" -o smtpd_proxy_options=speed_adjust"),
        "{front}"
    );
    for (front, good) in [
        (front.clone(), true),
        (
            front.replace(" -o smtpd_proxy_options=speed_adjust", ""),
            false,
        ),
    ] {
        let chain = Chain::of_lines(&front, &format!("{back} -o smtpd_timeout=2s"));
        let mut client = chain.postfix.client();
        for line in [
            "MAIL FROM:<a@test.invalid>",
            "RCPT TO:<b@test.invalid>",
            "DATA",
        ] {
            assert!(client.command(line).unwrap().is_good(), "{line}");
        }
        client
            .write(b"Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\n\r\na\r\n")
            .unwrap();
        thread::sleep(Duration::from_secs(5));
        client.write(b"b\r\n.\r\n").unwrap();
        let reply = client.reply().unwrap();
        assert_eq!(
            (reply.is_good(), reply.is_temporary()),
            (good, !good),
            "{reply:?}\n{}",
            chain.postfix.log()
        );
        let came = arrived(&chain, usize::from(good));
        assert_eq!(came.len(), usize::from(good));
        if let Some(mail) = came.first() {
            assert!(
                String::from_utf8_lossy(&mail.data).contains("Subject: =?UTF-8?"),
                "{mail:?}"
            );
        }
    }
}
