//! The splitting rule on messages that were cut off: real mail, generated mail, and cases whose right number is known.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_archive::{BoxDetail, MultipartDecision, Quoting, ReadOptions};
use mailglot_tests::splitting::{
    FORMS, MailboxForm, Messages, Reading, SeparatorCounts, lines_around, read, read_ranges,
};
use mailglot_tests::{generate, shared};
use std::collections::BTreeSet;

/// Seeds that every run checks; `mailglot-splitting --seeds 1000` checks more.
const SEEDS: u64 = 40;

#[test]
fn real_messages_that_were_cut_off_swallow_no_other() {
    let real = shared::real_messages();
    if real.is_empty() {
        return;
    }
    for form in FORMS {
        let messages = Messages::new(&real, form);
        assert_eq!(messages.have_quoted_lines(), form.quoting != Quoting::None);
        let doubted = check(form, &messages, 2000);
        assert!(doubted > 10, "{form:?}: {doubted}");
    }
}

#[test]
fn generated_messages_that_were_cut_off_swallow_no_other() {
    for form in FORMS {
        check(form, &generate::divided(2_000_000, form), 80);
    }
}

/// Checks the whole mailbox, and seeds of it with messages cut off, without and with replies that have their source. Returns the number
/// of separators that were found in an open multipart.
fn check(form: MailboxForm, messages: &Messages, least: u64) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let mut doubted = 0;
    for returns in [false, true] {
        let mut tally = SeparatorCounts::default();
        for seed in [None].into_iter().chain((1..=SEEDS).map(Some)) {
            let (mailbox, truth) = messages.mailbox(seed, returns);
            let reading = read(&mailbox, folder.path(), &ReadOptions::default());
            tally
                .compare(&truth, &reading)
                .unwrap_or_else(|fault| panic!("{form:?}, {seed:?}: {fault}"));
        }
        println!("{form:?}, replies: {returns}: {tally:?}");
        assert!(tally.separators as u64 > SEEDS * least);
        assert_eq!(tally.added, 0);
        // Without quoted lines, one message between the two lines is not enough to tell where the later ones close the multipart.
        let is_sure = messages.have_quoted_lines() || !returns;
        assert!(tally.missed == 0 || !is_sure, "{form:?}");
        assert!(tally.missed * 5 <= tally.doubted, "{form:?}");
        assert!(returns || tally.doubted == 0, "{form:?}");
        doubted += tally.doubted;
    }
    doubted
}

/// A mailbox in pieces: messages, each with its separator.
type Pieces = Vec<String>;

fn separator(number: usize) -> String {
    format!(
        "From user{number}@example.org Mon Jan  1 {:02}:{:02}:00 2001\n",
        number / 60 % 24,
        number % 60
    )
}

/// A message with more fields and a body.
fn message(number: usize, fields: &str, body: &str) -> String {
    format!(
        "{}From: user{number}@example.org\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nMessage-ID: <{number}@example.org>\n\
         Subject: message {number}\n{fields}\n{body}\n\n",
        separator(number)
    )
}

fn plain(numbers: std::ops::Range<usize>) -> Pieces {
    numbers
        .map(|number| message(number, "", "A few words."))
        .collect()
}

/// The fields of a multipart with the boundary `=_cut`.
const DECLARED: &str = "MIME-Version: 1.0\nContent-Type: multipart/mixed;\n boundary=\"=_cut\"\n";
/// Its body, cut off in the second part.
const CUT_BODY: &str = "--=_cut\nContent-Type: text/plain\n\nfirst\n\n--=_cut\nContent-Type: text/plain\n\nsecond, cut o";
/// All of it.
const WHOLE_BODY: &str = "--=_cut\nContent-Type: text/plain\n\nfirst\n\n--=_cut\nContent-Type: text/plain\n\nsecond\n\n--=_cut--";

fn cut(number: usize) -> String {
    message(number, DECLARED, CUT_BODY)
}

/// A multipart with a part of this header and body.
fn with_part(number: usize, header: &str, body: &str) -> String {
    let declared = "Content-Type: multipart/mixed; boundary=\"=_out\"\n";
    let body = format!(
        "--=_out\nContent-Type: text/plain\n\nsee\n\n--=_out\n{header}\n\n{body}\n--=_out--"
    );
    message(number, declared, &body)
}

/// Cases with one entry per message.
fn cases() -> Vec<(&'static str, Pieces)> {
    let bounce = |number: usize, original: &str| {
        let body = format!(
            "--=_report\nContent-Type: text/plain\n\nYour message was not delivered.\n\n--=_report\n\
             Content-Type: text/plain\n\n{original}\n\n--=_report--"
        );
        message(
            number,
            "Content-Type: multipart/report; boundary=\"=_report\"\n",
            &body,
        )
    };
    let original = format!("From: user1@example.org\nSubject: message 1\n{DECLARED}\n{WHOLE_BODY}");
    let quoting = || message(900, "", "He says:\n\n>From here on\nall is quoted.");
    let reply = |number: usize| {
        message(
            number,
            "",
            &format!("The source was:\n\n{CUT_BODY}\n\nIs it right?"),
        )
    };
    let many = |range: std::ops::Range<usize>| {
        range
            .map(|number| message(number, "", "x"))
            .collect::<Pieces>()
    };
    let attached = || -> Pieces {
        let header = "Content-Type: message/rfc822";
        let two = format!(
            "{}--=_out\n{header}\n\n{}",
            plain(10..11).concat(),
            plain(11..12).concat()
        );
        vec![with_part(1, header, &two)]
    };
    vec![
        (
            "a bounce returns the body without its header",
            [
                vec![cut(1)],
                plain(2..40),
                vec![bounce(40, WHOLE_BODY)],
                plain(41..50),
            ]
            .concat(),
        ),
        (
            "a bounce returns the whole message, directly behind it",
            [vec![cut(1), bounce(2, &original)], plain(3..9)].concat(),
        ),
        (
            "a bounce directly behind it in a mailbox that quotes",
            [
                vec![cut(1), bounce(2, WHOLE_BODY)],
                plain(3..9),
                vec![quoting()],
            ]
            .concat(),
        ),
        (
            "two messages behind each other are cut off, one of them in its header, in a mailbox that quotes",
            {
                let mut header = message(2, "", "");
                header.truncate(header.find("Date").unwrap());
                [
                    vec![cut(1), header + "\n"],
                    plain(3..4),
                    vec![bounce(4, WHOLE_BODY), quoting()],
                ]
                .concat()
            },
        ),
        ("a digest has the message as a part", {
            let digest =
                format!("--=_dig\n\n{original}\n\n--=_dig\n\nSubject: x\n\ny\n\n--=_dig--");
            let declared = "Content-Type: multipart/digest; boundary=\"=_dig\"\n";
            [
                vec![cut(1)],
                plain(2..5),
                vec![message(5, declared, &digest)],
                plain(6..9),
            ]
            .concat()
        }),
        ("a plain digest shows its source", {
            let rule = "-".repeat(30);
            let digest = format!(
                "{rule}\n\nSubject: message 1\n\n{WHOLE_BODY}\n\n{rule}\n\nSubject: x\n\ny"
            );
            [
                vec![cut(1)],
                plain(2..5),
                vec![message(5, "", &digest)],
                plain(6..9),
            ]
            .concat()
        }),
        (
            "replies quote the source, one after the other",
            [
                vec![cut(1)],
                plain(2..4),
                vec![reply(4), reply(5)],
                plain(6..8),
                vec![reply(8)],
            ]
            .concat(),
        ),
        (
            "a reply has the line in its text, and no part behind it",
            [
                vec![cut(1), message(2, "", "What does\n--=_cut\nmean?")],
                plain(3..9),
            ]
            .concat(),
        ),
        (
            "copies that were resent, cut off or whole",
            (1..20)
                .map(|number| {
                    let body = if number % 3 == 0 {
                        WHOLE_BODY
                    } else {
                        CUT_BODY
                    };
                    message(
                        number,
                        &format!("Resent-From: user@example.org\n{DECLARED}"),
                        body,
                    )
                })
                .collect(),
        ),
        (
            "the same boundary again behind 3,000 messages, within reach",
            [
                vec![cut(1)],
                many(2..3002),
                vec![reply(3002)],
                many(3003..3010),
            ]
            .concat(),
        ),
        (
            "the same boundary in each of 3,000 messages, all cut off",
            [
                (1..3000).map(cut).collect(),
                plain(3000..3001),
                vec![reply(3001)],
                plain(3002..3010),
            ]
            .concat(),
        ),
        ("a mailbox is attached and quoted", {
            let inner = plain(10..20)
                .concat()
                .replace("\nFrom user", "\n>From user");
            let attached = with_part(1, "Content-Type: text/plain", &format!(">{inner}"));
            [vec![attached], plain(2..5)].concat()
        }),
        ("a mailbox is attached without quoting, and named", {
            let inner = plain(10..20).concat();
            let headers = [
                "Content-Type: application/mbox",
                "Content-Type: application/octet-stream\nContent-Disposition: attachment;\n filename=\"old.MBOX\"",
            ];
            let attached = headers
                .iter()
                .enumerate()
                .map(|(number, header)| with_part(number + 1, header, &inner));
            [attached.collect(), plain(4..8)].concat()
        }),
        (
            "a mailbox is attached without quoting, and named, in a mailbox that quotes",
            {
                let header = "Content-Type: application/mbox";
                [
                    vec![with_part(1, header, &plain(10..20).concat())],
                    plain(2..5),
                    vec![quoting()],
                ]
                .concat()
            },
        ),
        (
            "messages are attached with their separators",
            [attached(), plain(2..5)].concat(),
        ),
        (
            "messages are attached with their separators, and a reply quotes words that begin with From",
            [
                attached(),
                vec![message(2, "", "> Who will come?\n>From what I hear, all.")],
                plain(3..5),
            ]
            .concat(),
        ),
        (
            "messages are attached with their separators, and the mailbox quotes no words that begin with From",
            [
                attached(),
                vec![message(
                    2,
                    "",
                    "Dear all,\n\nFrom here we go\n\n>From there\n",
                )],
                plain(3..5),
            ]
            .concat(),
        ),
        (
            "a reply directly behind it has its source",
            [
                vec![
                    cut(1),
                    message(2, "", &format!("The source was:\n\n{CUT_BODY}")),
                ],
                plain(3..5),
            ]
            .concat(),
        ),
        (
            "two messages are cut off, and a third repeats both delimiters",
            {
                let second = cut(4).replace("=_cut", "=_two");
                let last = message(
                    9,
                    "",
                    &format!("{WHOLE_BODY}\n\n{}", WHOLE_BODY.replace("=_cut", "=_two")),
                );
                [
                    vec![cut(1)],
                    plain(2..4),
                    vec![second],
                    plain(5..9),
                    vec![last],
                    plain(10..12),
                ]
                .concat()
            },
        ),
    ]
}

/// Reads pieces with a kind of line end, for batches of any size; the offsets of the messages that the pieces are.
fn reading(pieces: &[String], end: &str, batch: usize) -> (Vec<u8>, BTreeSet<u64>, Reading) {
    let (mut mailbox, mut truth) = (Vec::new(), BTreeSet::new());
    for piece in pieces {
        truth.insert(mailbox.len() as u64);
        mailbox.extend_from_slice(piece.replace('\n', end).as_bytes());
    }
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions {
        batch,
        ..ReadOptions::default()
    };
    let reading = read(&mailbox, folder.path(), &options);
    (mailbox, truth, reading)
}

#[test]
fn cases_of_known_number() {
    assert!(cases().len() >= 10);
    for (name, pieces) in cases() {
        for end in ["\n", "\r\n", "\r"] {
            let (_, truth, found) = reading(&pieces, end, 1 << 19);
            let different: Vec<_> = truth.symmetric_difference(&found.offsets).take(9).collect();
            assert!(
                different.is_empty(),
                "{name}, {end:?}: {different:?} {:?}",
                found.doubts
            );
            let (_, _, small) = reading(&pieces, end, 1);
            assert!(
                small.offsets == found.offsets && small.doubts == found.doubts,
                "{name}, {end:?}"
            );
        }
    }
}

/// Ranges have the messages of the whole, wherever a mailbox is cut.
#[test]
fn cases_in_ranges() {
    for (name, pieces) in cases() {
        for (seed, end) in ["\n", "\r\n", "\r"].into_iter().enumerate() {
            let mailbox = pieces.concat().replace('\n', end);
            let folder = tempfile::tempdir().unwrap();
            let options = ReadOptions::default();
            let whole = read(mailbox.as_bytes(), folder.path(), &options).offsets;
            let ranges = read_ranges(folder.path(), seed as u64, &options);
            let different: Vec<_> = whole.symmetric_difference(&ranges).take(9).collect();
            assert!(different.is_empty(), "{name}, {end:?}: {different:?}");
        }
    }
}

/// A message may end without a blank line where it was cut off.
#[test]
fn cases_without_a_blank_line_behind_what_was_cut_off() {
    for (name, mut pieces) in cases() {
        for piece in pieces
            .iter_mut()
            .filter(|piece| piece.contains("cut o\n\n"))
        {
            *piece = piece.replace("cut o\n\n", "cut o\n");
        }
        for end in ["\n", "\r\n"] {
            let (_, truth, found) = reading(&pieces, end, 1 << 19);
            let different = truth.symmetric_difference(&found.offsets);
            for offset in different {
                assert!(
                    lines_around(&found.doubts[offset]).is_some(),
                    "{name}: {:?}",
                    found.doubts
                );
            }
        }
    }
}

/// One message alone between what was cut off and what closes it may be text of a part that shows a message. It is not split in a mailbox
/// without quoting, and is an event with the offsets of both lines.
#[test]
fn one_message_alone_is_an_event() {
    let reply = message(2, "", &format!("The source was:\n\n{WHOLE_BODY}"));
    let (mailbox, truth, found) =
        reading(&[vec![cut(1), reply], plain(3..5)].concat(), "\n", 1 << 19);
    let missed: Vec<_> = truth.difference(&found.offsets).collect();
    assert_eq!((missed.len(), found.doubts.len()), (1, 1));
    let lines: Vec<_> = memchr::memmem::find_iter(&mailbox, b"--=_cut\n").collect();
    assert_eq!(
        lines_around(&found.doubts[missed[0]]),
        Some((lines[1] as u64, lines[2] as u64))
    );
}

/// Where the delimiter does not come again in 1 MiB, nobody knows whether the multipart goes on: the separator is an event.
#[test]
fn a_multipart_beyond_the_look_ahead_is_an_event() {
    for (bytes, is_doubtful) in [(900_000, false), (1_200_000, true)] {
        let long = message(3, "", &"A line of text.\n".repeat(bytes / 16));
        let pieces = [vec![cut(1)], plain(2..3), vec![long]].concat();
        let (mailbox, truth, found) = reading(&pieces, "\n", 1 << 19);
        assert_eq!(found.offsets, truth);
        let opened = memchr::memmem::rfind(&mailbox, b"--=_cut\n").unwrap();
        let detail = BoxDetail::OpenMultipart {
            points: 10,
            opened: opened as u64,
            decision: MultipartDecision::NotWithin(1 << 20),
        };
        let second = *truth.iter().nth(1).unwrap();
        let expected = is_doubtful
            .then_some((second, detail))
            .into_iter()
            .collect();
        assert_eq!(found.doubts, expected, "{bytes}");
    }
}

/// A mailbox in a part without a name cannot be distinguished from messages behind one that was cut off. It is split, and each separator is an
/// event with the offsets of both lines.
#[test]
fn what_nobody_can_tell_is_split_with_an_event() {
    let inner = plain(10..20).concat();
    let attached = with_part(
        1,
        "Content-Type: text/plain",
        &format!("The list of today:\n\n{inner}"),
    );
    let (mailbox, truth, found) = reading(&[vec![attached], plain(2..5)].concat(), "\n", 1 << 19);
    assert_eq!(found.offsets.len(), truth.len() + 10);
    let again = memchr::memmem::rfind(&mailbox, b"--=_out--").unwrap();
    let opened =
        memchr::memmem::find(&mailbox, b"--=_out\nContent-Type: text/plain\n\nThe list").unwrap();
    // Behind the first one the message is another, and no multipart.
    let (first, detail) = found.doubts.first_key_value().unwrap();
    assert!(
        found
            .offsets
            .difference(&truth)
            .any(|offset| offset == first),
        "{:?}",
        found.doubts
    );
    assert_eq!(lines_around(detail), Some((opened as u64, again as u64)));
    assert_eq!(found.doubts.len(), 1);
}
