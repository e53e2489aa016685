//! The gateway beside a real Postfix: what arrives behind it.

#![allow(clippy::unwrap_used, clippy::panic)]

use mailglot_tests::binary;
use mailglot_tests::generate::Profile;
use mailglot_tests::trial::filter::Program;
use mailglot_tests::trial::letters::{self, KnownLetter};
use mailglot_tests::trial::postfix::{Postfix, Settings};
use mailglot_tests::trial::sink::{Arrived, Manner, Offer};
use mailglot_tests::trial::smtp::Letter;
use mailglot_tests::trial::soak::{self, Disturbance, Soak, SoakResults};
use mailglot_tests::trial::{free_port, kept, wait_for};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long everything may take to arrive.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server with our milter at a Unix socket.
fn with_milter() -> (Postfix, Program) {
    let mut postfix = Postfix::start(&Settings::default());
    let socket = postfix.socket("milter");
    let address = format!("unix:{}", socket.display());
    let milter = Program::milter::<&str>(&address, &postfix.folder().join("milter.log"), []);
    postfix.restart(&Settings::default().milter(&address));
    (postfix, milter)
}

/// Sends letters over a few connections; all must be taken.
fn send(postfix: &Postfix, letters: &[Letter]) {
    std::thread::scope(|scope| {
        for share in letters.chunks(letters.len().div_ceil(4).max(1)) {
            scope.spawn(move || {
                let mut client = postfix.client();
                for letter in share {
                    let reply = client.send(letter).unwrap();
                    assert!(reply.is_good(), "{reply:?}\n{}", postfix.log());
                }
            });
        }
    });
}

/// Everything that arrived, when it is as many.
fn arrived(postfix: &Postfix, count: usize) -> Vec<Arrived> {
    assert!(
        postfix.sink.wait(count, PATIENCE),
        "{} of {count} arrived\n{}",
        postfix.sink.count(),
        postfix.log()
    );
    assert!(postfix.drain(PATIENCE));
    let arrived = postfix.sink.take();
    assert_eq!(arrived.len(), count, "one more than was sent");
    arrived
}

/// Every letter is there once, in UTF-8; those with a wrong label are not looked at.
fn judge(known: &[KnownLetter], arrived: &[Arrived]) {
    let mut left: BTreeSet<usize> = (0..known.len()).collect();
    let mut charsets = BTreeSet::new();
    for mail in arrived {
        let number = letters::number(&mail.data).expect("a number");
        assert!(left.remove(&number), "{number} came twice");
        let known = &known[number];
        if known.is_flawed() {
            continue;
        }
        charsets.extend(known.texts.iter().map(|text| text.real.as_str()));
        if let Some(fault) = known.fault(&mail.data) {
            panic!("{number}: {fault}\n{}", String::from_utf8_lossy(&mail.data));
        }
    }
    assert!(left.is_empty(), "lost: {left:?}");
    assert!(
        charsets.len() >= 20,
        "too few charsets to tell: {charsets:?}"
    );
}

#[test]
fn letters_in_many_charsets_arrive_in_utf_8_through_the_milter() {
    let (postfix, milter) = with_milter();
    let known = letters::known(Profile::List, 900_000, 11);
    let letters: Vec<Letter> = known.iter().map(|known| known.letter.clone()).collect();
    send(&postfix, &letters);
    judge(&known, &arrived(&postfix, known.len()));
    let lines = milter.log();
    let told = lines.lines().filter(|line| line.contains("msg=")).count();
    assert_eq!(told, known.len(), "one line a message:\n{lines}");
}

/// Mail of local programs comes by sendmail(1) and cleanup(8), without a client that could be told to wait (`non_smtpd_milters`). While the
/// filter is away it waits in the queue, as it came.
#[test]
fn mail_of_local_programs_goes_through_the_milter() {
    let mut postfix = Postfix::start(&Settings::default());
    let address = format!("unix:{}", postfix.socket("milter").display());
    let start = |postfix: &Postfix| {
        Program::milter::<&str>(&address, &postfix.folder().join("milter.log"), [])
    };
    let milter = start(&postfix);
    postfix.restart(&Settings::default().with("non_smtpd_milters", &address));
    // Lines of a local program end in LF.
    let letter = |number: usize| {
        let head =
            format!("X-Trial: {number}\nFrom: a@test.invalid\nTo: b@test.invalid\nSubject: ");
        let body =
            b"Gr\xfc\xdfe\nMIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n\
                     Content-Transfer-Encoding: 8bit\n\nGr\xfc\xdfe\n.\n..\nEnde\n";
        [head.as_bytes(), body].concat()
    };
    let submit = |postfix: &Postfix, numbers: std::ops::Range<usize>| {
        for number in numbers {
            let (well, told) =
                postfix.submit(&["-i", "-t", "-f", "a@test.invalid"], &letter(number));
            assert!(well, "{told}\n{}", postfix.log());
        }
    };
    submit(&postfix, 0..3);
    let mut all = arrived(&postfix, 3);
    drop(milter);
    submit(&postfix, 3..5);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(
        (postfix.sink.count(), postfix.queued(&["maildrop"])),
        (0, 2),
        "{}",
        postfix.log()
    );
    let _milter = start(&postfix);
    // pickup(8) looks for what waits once a minute, and when it is asked.
    postfix.tool("postqueue", &["-f"]);
    submit(&postfix, 5..6);
    all.extend(arrived(&postfix, 3));
    let mut numbers: Vec<_> = all
        .iter()
        .map(|mail| letters::number(&mail.data).unwrap())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
    for mail in all {
        let text = String::from_utf8(mail.data).unwrap();
        assert!(text.contains("\r\nSubject: =?UTF-8?"), "{text}");
        assert!(
            text.ends_with("\r\n\r\nGrüße\r\n.\r\n..\r\nEnde\r\n"),
            "{text}"
        );
    }
}

/// Postfix reads a header from its top for each change, and gives a message up that makes it jump back too often.
#[test]
fn headers_of_many_fields_that_change_are_taken() {
    let (postfix, milter) = with_milter();
    let field = |name: &str| format!("{name}: gr\u{fc}\u{df}e\r\n");
    let each: Vec<String> = (0..600)
        .map(|number| field(&format!("X-{number}")))
        .collect();
    let two = field("X-A").repeat(400) + &field("X-B").repeat(400);
    let mixed = (field("X-A") + &field("X-B") + "MIME-Ambiguity-Results: none\r\n").repeat(400);
    // With so many it would be set aside as corrupt, after it was taken.
    let most = field("X").repeat(10_100);
    let headers = [each[..142].concat(), each.concat(), two, mixed, most];
    let letters = [142, 600, 800, 800, 0]
        .into_iter()
        .zip(&headers)
        .map(|(count, header)| {
            let text = format!("X-Trial: {count}\r\n{header}\r\nx\r\n");
            Letter::new(text.chars().map(|c| c as u8).collect::<Vec<_>>())
        });
    send(&postfix, &letters.collect::<Vec<_>>());
    for mail in arrived(&postfix, headers.len()) {
        let text: String = mail.data.iter().map(|byte| char::from(*byte)).collect();
        let words = text.matches(": =?UTF-8?").count();
        let want = letters::number(&mail.data).unwrap();
        assert_eq!((words, text.is_ascii()), (want, want > 0), "{text:.1000}");
        assert!(!text.contains("MIME-Ambiguity-Results: none"), "{text}");
    }
    let log = milter.log();
    assert_eq!(
        log.lines()
            .filter(|line| line.contains("action=normalize"))
            .count(),
        4,
        "{log}"
    );
    assert_eq!(
        log.lines()
            .filter(|line| line.contains("too many changes"))
            .count(),
        1,
        "{log}"
    );
}

/// Postfix cuts a field that a filter made too long, and says nothing: none of ours is.
#[test]
fn no_address_is_lost_from_a_field_that_would_outgrow_the_server() {
    let (postfix, milter) = with_milter();
    let counts = [900, 1_060, 1_090, 1_100, 1_400];
    let letters = counts.map(|count| {
        let people: Vec<_> = (0..count)
            .map(|n| format!("J\u{fc}rgen M\u{fc}ller <p{n:04}@a.invalid>"))
            .collect();
        let text = format!(
            "From: a@test.invalid\r\nTo: {}\r\nSubject: {count}\r\n\r\nx\r\n",
            people.join(",\r\n ")
        );
        Letter::new(text.chars().map(|c| c as u8).collect::<Vec<_>>())
    });
    send(&postfix, &letters);
    let arrived = arrived(&postfix, counts.len());
    let (mut told, mut written) = (0, 0);
    for count in counts {
        let subject = format!("\nSubject: {count}\r\n");
        let of = |mail: &&Arrived| {
            mail.data
                .windows(subject.len())
                .any(|text| text == subject.as_bytes())
        };
        let mail = arrived.iter().find(of).unwrap();
        let people = mail
            .data
            .windows(10)
            .filter(|text| *text == b"@a.invalid")
            .count();
        assert_eq!(people, count);
        let words = mail.data.windows(10).any(|text| text == b"=?UTF-8?B?");
        assert_eq!(
            words,
            mail.data.is_ascii(),
            "{count}: all of it, or nothing"
        );
        told += usize::from(!words);
        written += usize::from(words);
    }
    assert!(told >= 2 && written >= 2, "{told} {written}");
    let log = milter.log();
    assert_eq!(
        log.lines()
            .filter(|line| line.contains("header-too-long:1"))
            .count(),
        told,
        "{log}"
    );
}

/// Every original of a changed message comes back to the byte, from its ledger alone.
#[test]
fn originals_are_restored_from_what_the_milter_kept() {
    let mut postfix = Postfix::start(&Settings::default());
    let address = format!("unix:{}", postfix.socket("milter").display());
    let ledgers = postfix.folder().join("ledgers");
    let file = postfix.folder().join("mailglot.toml");
    let text = format!(
        "[[listen]]\nroute = \"milter\"\naddress = \"{address}\"\ngroup = \"postfix\"\npolicy = \"kept\"\n\n\
         [policy.kept]\nbase = \"default\"\nledger = \"{}\"\n",
        ledgers.display()
    );
    fs::write(&file, text).unwrap();
    let mut command = binary::command();
    command
        .args(["milter", "--allow-root", "--config"])
        .arg(&file);
    let milter = Program::start(&mut command, &address, &postfix.folder().join("milter.log"));
    postfix.restart(&Settings::default().milter(&address));
    let known = letters::known(Profile::List, 500_000, 14);
    let letters: Vec<Letter> = known.iter().map(|known| known.letter.clone()).collect();
    send(&postfix, &letters);
    let arrived = arrived(&postfix, letters.len());
    let sent: BTreeSet<&[u8]> = letters.iter().map(|letter| &*letter.data).collect();
    let changed = arrived.iter().filter(|mail| {
        !letters
            .iter()
            .any(|letter| mail.data.ends_with(&letter.data))
    });
    let changed: BTreeSet<usize> = changed
        .map(|mail| letters::number(&mail.data).unwrap())
        .collect();
    assert!(
        changed.len() > letters.len() / 4,
        "{} of {} changed",
        changed.len(),
        letters.len()
    );
    let mut restored = BTreeSet::new();
    for bytes in kept::originals(&ledgers) {
        assert!(
            sent.contains(&*bytes),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
        restored.insert(letters::number(&bytes).unwrap());
    }
    assert_eq!(restored, changed, "{}", milter.log());
}

/// A proxy between two ports; `more` are arguments.
fn proxy(folder: &Path, from: u16, to: u16, more: &[&str]) -> Program {
    let address = format!("tcp:127.0.0.1:{from}");
    let mut command = binary::command();
    command
        .args([
            "proxy",
            "--allow-root",
            "--listen",
            &address,
            "--next-hop",
            &format!("tcp:127.0.0.1:{to}"),
        ])
        .args(more);
    Program::start(&mut command, &address, &folder.join("proxy.log"))
}

/// A listening smtpd behind the proxy.
fn behind(port: u16, options: &str) -> String {
    format!(
        "127.0.0.1:{port} inet n - n - 200 smtpd -o smtpd_authorized_xforward_hosts=127.0.0.0/8 {options}"
    )
}

/// Letters in many charsets through a server that has these settings.
fn through(postfix: &mut Postfix, settings: &Settings, proxy: &Program) {
    postfix.restart(settings);
    let known = letters::known(Profile::List, 900_000, 11);
    let letters: Vec<Letter> = known.iter().map(|known| known.letter.clone()).collect();
    send(postfix, &letters);
    judge(&known, &arrived(postfix, known.len()));
    assert!(!proxy.log().contains("panic"), "{}", proxy.log());
}

#[test]
fn letters_arrive_in_utf_8_through_a_proxy_before_the_queue() {
    let mut postfix = Postfix::start(&Settings::default());
    let (front, back) = (free_port(), free_port());
    let proxy = proxy(postfix.folder(), front, back, &[]);
    let settings = Settings {
        smtpd: vec![format!("smtpd_proxy_filter=127.0.0.1:{front}")],
        services: vec![behind(back, "-o smtpd_proxy_filter=")],
        ..Settings::default()
    };
    through(&mut postfix, &settings, &proxy);
}

#[test]
fn letters_arrive_in_utf_8_through_a_proxy_behind_the_queue() {
    let mut postfix = Postfix::start(&Settings::default());
    let (front, back) = (free_port(), free_port());
    let proxy = proxy(postfix.folder(), front, back, &[]);
    let none = "no_unknown_recipient_checks,no_header_body_checks,no_milters";
    let settings = Settings {
        services: vec![
            "scan unix - - n - 10 smtp -o smtp_send_xforward_command=yes -o disable_mime_output_conversion=yes -o smtp_fallback_relay="
                .to_owned(),
            behind(back, &format!("-o content_filter= -o receive_override_options={none}")),
        ],
        ..Settings::default()
    };
    let settings = settings.with("content_filter", &format!("scan:[127.0.0.1]:{front}"));
    through(&mut postfix, &settings, &proxy);
}

#[test]
fn letters_arrive_in_utf_8_through_a_proxy_before_a_store() {
    let offer = Offer {
        lmtp: true,
        ..Offer::default()
    };
    let mut postfix = Postfix::before(&Settings::default(), offer);
    let front = free_port();
    let proxy = proxy(postfix.folder(), front, postfix.sink.port(), &["--lmtp"]);
    let settings = Settings::default()
        .with("relayhost", "")
        .with("default_transport", &format!("lmtp:inet:127.0.0.1:{front}"));
    through(&mut postfix, &settings, &proxy);
}

/// By pipe(8): a program for each letter, which hands it back by sendmail(1). While that does not work, letters wait.
#[test]
fn letters_arrive_in_utf_8_through_a_pipe() {
    let mut postfix = Postfix::start(&Settings::default());
    // Where everybody may run it.
    let program = postfix.folder().join("mailglot");
    fs::copy(binary::path(), &program).unwrap();
    let piped = |more: &str| Settings {
        smtpd: vec!["content_filter=mailglot:dummy".to_owned()],
        services: vec![format!(
            "mailglot unix - n n - 10 pipe flags=Rq user=nobody null_sender= \
             argv={} filter --reinject {more}-- -f ${{sender}} -- ${{recipient}}",
            program.display()
        )],
        as_the_system: true,
        ..Settings::default()
    };
    postfix.restart(&piped("--sendmail /no/such/command "));
    let known = letters::known(Profile::List, 900_000, 11);
    let letters: Vec<Letter> = known.iter().map(|known| known.letter.clone()).collect();
    let (first, others) = letters.split_at(5);
    send(&postfix, first);
    let waiting = || postfix.queued(&["deferred"]);
    assert!(
        wait_for(PATIENCE, || waiting() == first.len()),
        "{} wait\n{}",
        waiting(),
        postfix.log()
    );
    assert_eq!(postfix.sink.count(), 0);
    postfix.restart(&piped(""));
    send(&postfix, others);
    judge(&known, &arrived(&postfix, known.len()));
}

/// Each way in which what stands behind the proxy can fail: mail stays in the queue, and arrives when it is well again.
#[test]
fn mail_waits_while_what_is_behind_the_proxy_fails() {
    let mut postfix = Postfix::before(
        &Settings::default(),
        Offer {
            lmtp: true,
            ..Offer::default()
        },
    );
    let front = free_port();
    let proxy = proxy(postfix.folder(), front, postfix.sink.port(), &["--lmtp"]);
    let settings = Settings::default()
        .with("relayhost", "")
        .with("default_transport", &format!("lmtp:inet:127.0.0.1:{front}"));
    postfix.restart(&settings);
    let known = letters::known(Profile::List, 20_000, 13);
    let letters: Vec<Letter> = known.iter().map(|known| known.letter.clone()).collect();
    for manner in [Manner::Defer, Manner::HangUpEarly] {
        postfix.sink.set(manner);
        send(&postfix, &letters);
        std::thread::sleep(Duration::from_millis(1_500));
        assert_eq!(postfix.sink.count(), 0);
        assert!(
            postfix.queued(&["incoming", "active", "deferred"]) >= letters.len(),
            "{}",
            postfix.log()
        );
        postfix.sink.set(Manner::Take);
        assert_eq!(arrived(&postfix, letters.len()).len(), letters.len());
    }
    assert!(!proxy.log().contains("panic"), "{}", proxy.log());
}

/// A short form of `cargo xtask soak`, which runs as long as it is told to.
#[test]
fn nothing_is_lost_while_filters_are_killed() {
    soaked(20, Disturbance::None);
}

#[test]
fn nothing_is_lost_while_filters_are_killed_and_the_disk_is_full() {
    let counts = soaked(15, Disturbance::FullDisk);
    assert!(counts.disturbances >= 4, "{counts}");
}

#[test]
fn nothing_is_lost_while_filters_are_killed_and_read_their_file_anew() {
    let counts = soaked(15, Disturbance::Reload);
    assert!(counts.disturbances >= 5, "{counts}");
}

fn soaked(seconds: u64, disturbance: Disturbance) -> SoakResults {
    let (time, life) = (Duration::from_secs(seconds), Duration::from_millis(250));
    let counts = soak::run(&Soak {
        time,
        life,
        clients: 4,
        disturbance,
    });
    assert!(counts.is_well(), "{counts}");
    // Otherwise nothing was put to the test.
    assert!(
        counts.kills >= 10 && counts.accepted >= 100 && counts.deferred >= 10,
        "{counts}"
    );
    counts
}
