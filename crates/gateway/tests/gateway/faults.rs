//! Faults over real sockets: what servers and clients hear is what `docs/outcomes.md` says.
//!
//! # Limits
//! A panic, an accept that fails and an edit that the protocol cannot express are not provoked here. The first is a defect, the second is in
//! `tests/tests/milter.rs`, and the third is in `received`. Who is not served, and which idle connections are closed, is in `access`.

use crate::rig::{
    Death, Manner, Mta, Part, ProxyClient, RunningFilter, RunningNextHop, RunningProxy, Scripted,
    Told, letters,
};
use mailglot_gateway::ledgers::{Ledgers, Retention};
use mailglot_gateway::policy::Action;
use mailglot_gateway::{Address, Engine, Limits};
use rustix::net;
use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::net::{Shutdown, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows of the table of faults: the name, and what the milter and the proxy say. `None` in a crate from a package, which lacks the page.
fn table() -> Option<Vec<[String; 3]>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    if folder.join("Cargo.toml.orig").exists() {
        return None;
    }
    let page = std::fs::read_to_string(folder.join("../../docs/outcomes.md")).unwrap();
    let lines = page
        .split("\n## Faults")
        .nth(1)
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("| `"));
    let cells = |line: &str| {
        let cells: Vec<_> = line
            .trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect();
        [
            cells[0].trim_matches('`').to_owned(),
            cells[2].clone(),
            cells[3].clone(),
        ]
    };
    Some(lines.map(cells).collect())
}

const FIELDS: &[(&str, &str)] = &[("Content-Type", " text/plain; charset=iso-8859-1")];
const TEXT: &[u8] = b"Content-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\xfc\xdfe\r\n";

fn no_room(limits: &mut Limits) {
    (limits.memory_bytes, limits.spool_bytes) = (0, 1_000_000);
}

fn no_time(limits: &mut Limits) {
    (limits.work, limits.progress) = (Duration::from_millis(1), Duration::from_millis(2));
}

/// A long body: too long for `no_room`.
fn long() -> Vec<u8> {
    b"text\r\n".repeat(500_000)
}

/// An engine whose ledger has lost its folder.
fn without_ledger(folder: &Path, fail_open: bool) -> Engine {
    let place = folder.join("ledger");
    let ledgers = Ledgers::open(&place, Retention::default(), |_| ()).unwrap();
    // The ledger may make its folder again in between.
    while std::fs::write(&place, b"in the way").is_err() {
        std::fs::remove_dir_all(&place).unwrap();
    }
    Engine {
        fail_open,
        ledgers: Some(Arc::new(ledgers)),
        ..Engine::default()
    }
}

/// A milter of these limits, what is done to it, and what it says then.
fn milter(
    engine: Engine,
    limits: impl FnOnce(&mut Limits),
    play: impl FnOnce(&RunningFilter) -> String,
) -> (String, Told) {
    let filter = RunningFilter::start_with(false, engine, limits);
    let said = play(&filter);
    (said, filter.told.clone())
}

/// The verdict of a message in the words of the table.
fn verdict(packets: &[(u8, Vec<u8>)]) -> String {
    match letters(packets).chars().last() {
        Some('t') => "`tempfail`".to_owned(),
        Some('c') => "`continue`".to_owned(),
        None => "closed".to_owned(),
        Some(other) => other.to_string(),
    }
}

/// What a mail server hears that says this after its negotiation.
fn broken(command: u8, data: &'static [u8]) -> impl FnOnce(&RunningFilter) -> String {
    move |filter| {
        let mut mta = filter.connect();
        mta.send(command, data);
        verdict(&mta.packet().into_iter().collect::<Vec<_>>())
    }
}

/// What one hears that says these bytes instead of its negotiation.
fn raw(bytes: &'static [u8]) -> impl FnOnce(&RunningFilter) -> String {
    move |filter| {
        let Address::Unix(path) = &filter.served.address else {
            unreachable!("it listens there")
        };
        let mut stream = std::os::unix::net::UnixStream::connect(path).unwrap();
        stream.write_all(bytes).unwrap();
        let mut heard = Vec::new();
        // A reset is an end, too.
        let _ = std::io::Read::read_to_end(&mut stream, &mut heard);
        if heard.is_empty() {
            "closed".to_owned()
        } else {
            heard.escape_ascii().to_string()
        }
    }
}

fn milters(folder: &Path) -> Vec<(&'static str, (String, Told))> {
    let plain = Engine::default;
    let none = |_: &mut Limits| ();
    let connections = |filter: &RunningFilter| {
        let mut first = filter.connect();
        // A connection without a message would be closed.
        assert_eq!(
            verdict(&first.message(FIELDS, b"Gr\xfc\xdfe\r\n")),
            "`continue`"
        );
        let mut second = filter.connect();
        second.send(b'C', b"client\0U");
        verdict(&second.packet().into_iter().collect::<Vec<_>>())
    };
    let slow = |filter: &RunningFilter| {
        let part = "--b\r\nContent-Type: text/plain\r\n\r\nGr\u{fc}\u{df}e und \u{1f600}\r\n"
            .repeat(9_000);
        let header = [("Content-Type", " multipart/mixed; boundary=b")];
        let mut mta = filter.connect();
        // On a busy machine a message may be judged before the daemon looks at the clock.
        let patience = Instant::now() + Duration::from_secs(30);
        loop {
            let said = verdict(&mta.message(&header, part.as_bytes()));
            mta.send(b'A', b"");
            if said == "`tempfail`" || Instant::now() >= patience {
                return said;
            }
        }
    };
    let gone = |filter: &RunningFilter| {
        let mut mta = filter.connect();
        mta.send(b'M', b"<a@example.org>\0");
        drop(mta);
        filter.told.records(1);
        "closed".to_owned()
    };
    let io = |filter: &RunningFilter| {
        let mut mta = filter.connect();
        mta.send(b'M', b"<a@example.org>\0");
        mta.stream.write_all(b"\0\0\0\x09L").unwrap();
        let said: Vec<_> = std::iter::from_fn(|| mta.packet())
            .filter(|(command, _)| *command != b'c')
            .collect();
        // A server that is stopped meanwhile would not tell.
        filter.told.faults(1);
        verdict(&said)
    };
    let granting_little = |filter: &RunningFilter| {
        let mut mta = Mta::granting(&filter.served.address, 0x01);
        verdict(&mta.message(FIELDS, b"Gr\xfc\xdfe\r\n"))
    };
    let stopped = |filter: &RunningFilter| {
        let mut mta = filter.connect();
        filter.served.stop.stop();
        verdict(&mta.packet().into_iter().collect::<Vec<_>>())
    };
    vec![
        (
            "connect-data",
            milter(plain(), none, broken(b'C', b"client\x004\0")),
        ),
        (
            "connections",
            milter(plain(), |limits| limits.connections = 1, connections),
        ),
        (
            "io",
            milter(
                plain(),
                |limits| limits.stall = Duration::from_millis(200),
                io,
            ),
        ),
        (
            "ledger",
            milter(without_ledger(folder, false), none, |filter| {
                verdict(&filter.connect().message(FIELDS, b"Gr\xfc\xdfe\r\n"))
            }),
        ),
        (
            "negotiated-twice",
            milter(
                plain(),
                none,
                broken(b'O', &[0, 0, 0, 6, 0, 0, 1, 255, 0, 31, 255, 255]),
            ),
        ),
        (
            "not-negotiated",
            milter(plain(), none, raw(b"\0\0\0\x04M<>\0")),
        ),
        (
            "optneg-short",
            milter(plain(), none, raw(b"\0\0\0\x05O\0\0\0\x06")),
        ),
        (
            "optneg-version",
            milter(plain(), none, raw(b"\0\0\0\x0dO\0\0\0\x01\0\0\0\0\0\0\0\0")),
        ),
        ("packet-empty", milter(plain(), none, raw(b"\0\0\0\0"))),
        (
            "packet-too-long",
            milter(plain(), none, raw(b"\x7f\xff\xff\xff")),
        ),
        ("report-only", milter(plain(), none, granting_little)),
        ("server-gone", milter(plain(), none, gone)),
        ("slow", milter(plain(), no_time, slow)),
        (
            "spool",
            milter(plain(), no_room, |filter| {
                verdict(&filter.connect().message(FIELDS, &long()))
            }),
        ),
        ("stopped", milter(plain(), none, stopped)),
        (
            "string-without-end",
            milter(plain(), none, broken(b'M', b"<a@example.org>")),
        ),
        ("unknown-command", milter(plain(), none, broken(b'z', b""))),
    ]
}

/// A proxy before a next hop, what is done to it, and the negative answer of its client.
fn proxy(
    hop: &Address,
    set: impl FnOnce(&mut Limits, &mut Engine),
    play: impl FnOnce(&RunningProxy) -> String,
) -> (String, Told) {
    let proxy = RunningProxy::with_engine(hop, |_, limits, engine| set(limits, engine));
    let said = play(&proxy);
    (said, proxy.told.clone())
}

/// The last line of the next reply in the words of the table.
fn reply(client: &mut ProxyClient) -> String {
    loop {
        let mut line = String::new();
        if client.reader.read_line(&mut line).unwrap_or(0) == 0 {
            return "closed".to_owned();
        }
        if line.as_bytes().get(3) != Some(&b'-') {
            return format!("`{}`", line.trim_end());
        }
    }
}

/// Sends line after line while the answer is positive. Returns the first other answer, or the last one.
fn dialogue(client: &mut ProxyClient, lines: &[&[u8]]) -> String {
    let mut said = reply(client);
    for line in lines {
        if !said.starts_with("`2") && !said.starts_with("`3") {
            break;
        }
        client.send(line);
        said = reply(client);
    }
    said
}

const BEFORE_TEXT: [&[u8]; 4] = [
    b"EHLO c\r\n",
    b"MAIL FROM:<a@b.invalid> BODY=8BITMIME\r\n",
    b"RCPT TO:<c@d.invalid>\r\n",
    b"DATA\r\n",
];

/// What the client of a whole message hears.
fn sends(text: &[u8]) -> impl FnOnce(&RunningProxy) -> String {
    let text = [text, b".\r\n"].concat();
    move |proxy| dialogue(&mut proxy.connect(), &[&BEFORE_TEXT[..], &[&text]].concat())
}

/// A next hop that greets, and says this upon RCPT, or upon the end of a message.
fn says(at_end: bool, words: &'static str) -> Address {
    let hop = Scripted::play(move |part: &mut Part| {
        part.exchange(&[
            "220 hop.invalid\r\n",
            "250-hop.invalid\r\n250 8BITMIME\r\n",
            "250 ok\r\n",
        ]);
        if at_end {
            part.exchange(&["250 ok\r\n", "354 go\r\n"]);
        }
        part.say(words);
        part.hear_out();
    });
    hop.address
}

fn proxies(folder: &Path) -> Vec<(&'static str, (String, Told))> {
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let here = &hop.address;
    let none = |_: &mut Limits, _: &mut Engine| ();
    // Bound, so that no other program listens there, and not listening.
    let socket = net::socket(net::AddressFamily::INET, net::SocketType::STREAM, None).unwrap();
    net::bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let nobody = SocketAddr::try_from(net::getsockname(&socket).unwrap())
        .unwrap()
        .to_string();
    let dies = |death| {
        RunningNextHop::start(vec![Manner {
            death: Some(death),
            ..Manner::default()
        }])
    };
    let (greeting, content) = (dies(Death::Greeting), dies(Death::LostWord));
    let seven = RunningNextHop::start(vec![Manner {
        extensions: &[],
        ..Manner::default()
    }]);
    let connections = |proxy: &RunningProxy| {
        let mut first = proxy.greeted();
        first.send("MAIL FROM:<a@b.invalid>\r\n");
        assert_eq!(first.code(), 250);
        reply(&mut proxy.connect())
    };
    let within_text = |proxy: &RunningProxy| {
        let mut client = proxy.connect();
        assert!(dialogue(&mut client, &BEFORE_TEXT).starts_with("`354 "));
        client.send("Subject: x\r\n");
        client
    };
    let gone = |proxy: &RunningProxy| {
        let mut client = within_text(proxy);
        client.stream.shutdown(Shutdown::Write).unwrap();
        reply(&mut client)
    };
    let silent = |proxy: &RunningProxy| reply(&mut within_text(proxy));
    let stopped = |proxy: &RunningProxy| {
        let mut client = proxy.greeted();
        proxy.served.stop.stop();
        reply(&mut client)
    };
    let stall = |limits: &mut Limits, _: &mut Engine| limits.stall = Duration::from_millis(200);
    let endless: &'static str =
        Box::leak(format!("250{}\r\n", " very".repeat(100_000)).into_boxed_str());
    vec![
        ("client-gone", proxy(here, none, gone)),
        (
            "connect",
            proxy(&Address::Tcp(nobody), none, |proxy| {
                reply(&mut proxy.connect())
            }),
        ),
        (
            "connections",
            proxy(here, |limits, _| limits.connections = 1, connections),
        ),
        (
            "eight-bit",
            proxy(
                &seven.address,
                |_, engine| *engine = without_ledger(&folder.join("eight"), true),
                sends(TEXT),
            ),
        ),
        (
            "ledger",
            proxy(
                here,
                |_, engine| *engine = without_ledger(&folder.join("proxy"), false),
                sends(TEXT),
            ),
        ),
        (
            "next-hop-closing",
            proxy(&says(false, "421 4.3.2 Closing\r\n"), none, sends(TEXT)),
        ),
        (
            "next-hop-closing",
            proxy(&says(true, "421 4.3.2 Closing\r\n"), none, sends(TEXT)),
        ),
        (
            "next-hop-lost",
            proxy(&greeting.address, none, |proxy| reply(&mut proxy.connect())),
        ),
        ("next-hop-lost", proxy(&content.address, none, sends(TEXT))),
        (
            "next-hop-refuses",
            proxy(&refusing(), none, |proxy| reply(&mut proxy.connect())),
        ),
        (
            "reply-malformed",
            proxy(&says(false, "yes\r\n"), none, sends(TEXT)),
        ),
        (
            "reply-malformed",
            proxy(&says(true, "354 go on\r\n"), none, sends(TEXT)),
        ),
        (
            "reply-too-long",
            proxy(&says(false, endless), none, sends(TEXT)),
        ),
        (
            "reply-too-long",
            proxy(&says(true, endless), none, sends(TEXT)),
        ),
        ("reply-unasked", proxy(&unasked(), none, sends(TEXT))),
        (
            "slow",
            proxy(here, |limits, _| limits.work = Duration::ZERO, sends(TEXT)),
        ),
        ("slow", proxy(here, stall, silent)),
        (
            "spool",
            proxy(
                here,
                |limits, _| no_room(limits),
                sends(&[TEXT, &long()].concat()),
            ),
        ),
        ("stopped", proxy(here, none, stopped)),
    ]
}

/// A next hop that takes nobody today.
fn refusing() -> Address {
    let hop = Scripted::play(|part: &mut Part| {
        part.say("554 5.3.2 Not today\r\n");
        part.hear_out();
    });
    hop.address
}

/// A next hop that says a word too many behind its 354.
fn unasked() -> Address {
    let hop = Scripted::play(|part: &mut Part| {
        part.exchange(&[
            "220 hop.invalid\r\n",
            "250-hop.invalid\r\n250 8BITMIME\r\n",
            "250 ok\r\n",
            "250 ok\r\n",
        ]);
        part.say("354 go\r\n250 kept\r\n");
        part.hear_out();
    });
    hop.address
}

/// Checks that each scenario is answered as one of the replies that its row lists, and is told by the row's name.
fn check(column: usize, scenarios: Vec<(&'static str, (String, Told))>, elsewhere: &[&str]) {
    let Some(table) = table() else { return };
    let mut played = BTreeSet::new();
    for (name, (said, told)) in scenarios {
        let row = table.iter().find(|row| row[0] == name).unwrap();
        // A cell has one reply, or several with words before each.
        let stands = row[column]
            .split("; ")
            .any(|reply| reply == said || said.starts_with('`') && reply.ends_with(&said));
        assert!(stands, "{name}: {said:?} is not in {:?}", row[column]);
        played.insert(name);
        // A server that stops tells nobody of idle connections, and what its own 421 ends is told by its name.
        if name != "stopped" {
            let faults = told.faults(1);
            let kinds: Vec<_> = faults
                .iter()
                .map(|fault| fault.split(' ').next().unwrap())
                .collect();
            assert!(kinds.contains(&name), "{name}: {faults:?}");
        }
        if row[column].contains("tempfail")
            || said.contains("4.3.0 Try")
            || said.contains("4.3.1 No room")
        {
            let deferred = name == "connections"
                || told
                    .records(1)
                    .iter()
                    .any(|record| record.action == Action::Tempfail);
            assert!(deferred, "{name}");
        }
    }
    // No row is left out but those that are named.
    let missing: Vec<_> = table
        .iter()
        .filter(|row| row[column] != "–" && !played.contains(row[0].as_str()))
        .map(|row| &row[0])
        .collect();
    assert_eq!(missing, elsewhere);
}

#[test]
fn a_mail_server_hears_what_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    check(
        1,
        milters(folder.path()),
        &[
            "accept",
            "client-network",
            "idle-closed",
            "inexpressible-edit",
            "panic",
        ],
    );
}

#[test]
fn a_client_of_the_proxy_hears_what_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["eight", "proxy"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    check(
        2,
        proxies(folder.path()),
        &["accept", "client-network", "idle-closed", "io", "panic"],
    );
}

/// A listener with `on_error = "accept"` lets a message pass unchanged where its ledger is lost.
#[test]
fn a_fault_lets_a_message_pass_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["milter", "proxy"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let engine = without_ledger(&folder.path().join("milter"), true);
    let (said, told) = milter(
        engine,
        |_| (),
        |filter| verdict(&filter.connect().message(FIELDS, b"Gr\xfc\xdfe\r\n")),
    );
    assert_eq!(said, "`continue`");
    let hop = RunningNextHop::start(vec![Manner::default()]);
    let (reply, also) = proxy(
        &hop.address,
        |_, engine| *engine = without_ledger(&folder.path().join("proxy"), true),
        sends(TEXT),
    );
    assert!(reply.starts_with("`250 "), "{reply}");
    assert_eq!(hop.kept()[0].text, TEXT);
    for told in [told, also] {
        let record = told.records(1).remove(0);
        assert_eq!(
            (
                record.action,
                record.remark.map(mailglot_gateway::Remark::name),
                record.failed_open
            ),
            (Action::Pass, Some("ledger"), true)
        );
    }
}
