//! Tests of reading as a whole: the splitter cases, the tiling law, independence of buffer sizes, ground truth.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::{Batch, BoxEvent, BoxEventKind, EntryKind, Format, Found, Quoting, ReadOptions, Source, open};

/// An entry with its bytes, independent of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read1 {
    kind: EntryKind,
    more: bool,
    ordinal: u64,
    offset: u64,
    separator: Vec<u8>,
    message: Vec<u8>,
    trailer: Vec<u8>,
    quoting: Quoting,
}

fn drain(source: &mut dyn Source) -> (Vec<Read1>, Vec<BoxEvent>) {
    let (mut entries, mut events, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    let mut offset = 0;
    while source.next(&mut batch).unwrap() {
        let mut at = 0;
        for entry in &batch.entries {
            assert_eq!(entry.span.start, at, "entries tile the batch");
            assert_eq!(entry.offset, offset, "offsets are those of the file");
            at = entry.span.end;
            offset += entry.span.len() as u64;
            entries.push(Read1 {
                kind: entry.kind,
                more: entry.more,
                ordinal: entry.ordinal,
                offset: entry.offset,
                separator: batch.bytes[entry.span.start..entry.message.start].to_vec(),
                message: batch.bytes[entry.message.clone()].to_vec(),
                trailer: batch.bytes[entry.message.end..entry.span.end].to_vec(),
                quoting: entry.quoting,
            });
        }
        assert_eq!(at, batch.bytes.len());
        events.append(&mut batch.events);
    }
    // Events come when they are known; what a late one belongs to may be in an earlier batch.
    events.sort_by(|a, b| (a.offset, a.kind, &a.detail).cmp(&(b.offset, b.kind, &b.detail)));
    (entries, events)
}

/// Gives out a few bytes at a time, sizes from a seed.
struct Chunky<'a>(&'a [u8], Random);

impl Read for Chunky<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = match self.1.below(3) {
            0 => 1,
            1 => 80,
            _ => 5000,
        };
        let count = (1 + self.1.below(most)).min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

fn stream(bytes: &[u8], options: &ReadOptions) -> (Vec<Read1>, Vec<BoxEvent>) {
    let bytes = bytes.to_vec();
    drain(&mut Mailbox::from_stream(Path::new("-"), io::Cursor::new(bytes), options).unwrap())
}

fn file(bytes: &[u8], options: &ReadOptions) -> (Vec<Read1>, Vec<BoxEvent>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    io::Seek::rewind(&mut file).unwrap();
    drain(&mut Mailbox::from_file(Path::new("box"), file, options).unwrap())
}

fn messages(entries: &[Read1]) -> Vec<&Read1> {
    let is_message = |entry: &&Read1| {
        matches!(entry.kind, EntryKind::Message) || (entry.kind == EntryKind::Oversize && !entry.more)
    };
    entries.iter().filter(is_message).collect()
}

fn concatenated(entries: &[Read1]) -> Vec<u8> {
    entries.iter().flat_map(|e| [&e.separator[..], &e.message, &e.trailer].concat()).collect()
}

fn kinds(events: &[BoxEvent]) -> Vec<BoxEventKind> {
    events.iter().map(|event| event.kind).collect()
}

const SEPARATOR: &str = "From a@example.org Mon Jan  1 00:00:00 2001\n";
const HEADER: &str = "From: a@example.org\nSubject: s\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\n";

#[test]
fn boundaries_that_people_see() {
    let one = |body: &str| format!("{SEPARATOR}{HEADER}{body}\n\n");
    let two = |line: &str| format!("{line}\n{HEADER}one\n\n{line}\n{HEADER}two\n\n");
    let git = "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n";
    let patch = format!("{git}From: x@example.org\nSubject: [PATCH] y\n\n---\n f.c | 1 +");
    let declared = format!("Hello\n\n{SEPARATOR}stands in the text\n");
    let multipart = |close: &str| {
        format!(
            "{SEPARATOR}Content-Type: multipart/mixed; boundary=\"=_b1\"\nSubject: s\n\n--=_b1\nContent-Type: text/plain\n\n\
             attached:\n\n{SEPARATOR}{HEADER}inner\n\n{close}--=_b1--\n\n"
        )
    };
    let quoted = "Not delivered:\n\n--=_abc123\nContent-Type: text/plain\n\nhello".to_owned();
    let declaring = format!("Content-Type: multipart/mixed; boundary=\"=_abc123\"\n\n{quoted}");
    let cases: Vec<(&str, usize, String)> = vec![
        ("plain", 2, two(SEPARATOR.trim_end())),
        ("prose after a blank line", 1, one("Dear all,\n\nFrom the office of the president we hear.\nbye")),
        ("prose in a paragraph", 1, one("We hear\nFrom the office\nnews")),
        ("prose with a time", 1, one("x\n\nFrom Monday 10:30 we are open, since 2001\nbye")),
        ("a pasted patch", 1, one(&format!("See:\n\n{patch}"))),
        ("patches as mailbox", 2, format!("{patch}\n\n{patch}\n")),
        ("no blank line before", 2, format!("{SEPARATOR}{HEADER}one\n{SEPARATOR}{HEADER}two\n")),
        ("bare", 2, two("From ")),
        ("without date", 2, two("From a@example.org")),
        ("Thunderbird", 2, two("From - Mon Jan 01 00:00:00 2001")),
        ("Takeout", 2, two("From 15111@xxx Mon Jan 01 00:00:00 +0000 2018").replace('\n', "\r\n")),
        ("pipermail", 2, two("From joe at example.org  Mon Jan  1 00:00:00 2001")),
        (
            "Content-Length",
            2,
            format!(
                "{SEPARATOR}Content-Length: {}\n{HEADER}{declared}\n{SEPARATOR}Content-Length: 4\n{HEADER}two\n\n",
                declared.len()
            ),
        ),
        ("quoted", 2, format!("{}{}", one(">From here\n>>From there"), one("x"))),
        ("a quoted separator as first line", 1, format!("{SEPARATOR}>{SEPARATOR}{HEADER}x\n\n")),
        ("byte order mark", 1, format!("\u{feff}{}", one("x"))),
        (
            "MMDF",
            2,
            format!(
                "\x01\x01\x01\x01\n{HEADER}a\n\x01\x01\x01\x01\n\x01\x01\x01\x01\n{HEADER}b\n\x01\x01\x01\x01\n"
            ),
        ),
        (
            "MMDF with single lines",
            2,
            format!("\x01\x01\x01\x01\n{HEADER}a\n\x01\x01\x01\x01\n{HEADER}b\n\x01\x01\x01\x01\n\n"),
        ),
        ("CR", 2, two(SEPARATOR.trim_end()).replace('\n', "\r")),
        ("an attached mailbox", 1, multipart("")),
        ("an attached mailbox, then another message", 2, format!("{}{}", multipart(""), one("x"))),
        ("the same open multipart twice", 2, {
            let open = format!(
                "{SEPARATOR}Content-Type: multipart/mixed; boundary=\"=_b1\"\nSubject: s\n\n--=_b1\nContent-Type: text/plain\n\nx\n\n"
            );
            open.repeat(2)
        }),
        (
            "signatures and rows of dashes open nothing",
            3,
            one("text\n------------------------------\n\n--Joe\n").repeat(3),
        ),
        ("a signature mark in quoted-printable", 3, one("text\n\n--=20\n\nAnna\n").repeat(3)),
        ("a name as signature", 3, one("text\n\n--Anna-Maria_Huber\n\nTel. 123\n").repeat(3)),
        (
            "the line before a quotation in Mulberry",
            3,
            one("--On 1 January 2001 10:00 +0000 Joe Smith wrote:\n\n> x\n").repeat(3),
        ),
        ("parts quoted in two reports", 4, [quoted.as_str(), "x", "y", &quoted].map(one).concat()),
        ("a boundary declared in a text", 4, [declaring.as_str(), "x", "y", &quoted].map(one).concat()),
        ("one delimiter at both ends", 5, ["--x1\n\n", "a", "b", "c", "--x1\n\n"].map(one).concat()),
        (
            "a mailbox in a part of a part",
            1,
            multipart("").replace("text/plain", "multipart/mixed;\n\tboundary=b2\n\n--b2\nX-A: b"),
        ),
        (
            "a mailbox in a part of an embedded message, whose outer boundary comes no more",
            1,
            multipart("--b2--\n").replace("--=_b1--\n", "").replace(
                "Content-Type: text/plain",
                "Content-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=b2\n\n--b2",
            ),
        ),
        (
            "the inner boundary when the outer one has come",
            2,
            multipart("").replace(
                "Content-Type: text/plain",
                "Content-Type: multipart/mixed; boundary=b2\n\n--b2\n\nx\n--=_b1--\n\n",
            ) + "--b2\n",
        ),
        (
            "a boundary named in another field",
            2,
            multipart("").replace("Content-Type: multipart/mixed;", "X-Note: multipart/mixed;"),
        ),
        ("nothing", 0, String::new()),
        ("no separator", 1, "Subject: x\n\nbody\n".to_owned()),
        ("separator alone", 1, SEPARATOR.to_owned()),
        ("separator without line end", 1, SEPARATOR.trim_end().to_owned()),
        ("begins in a message", 2, format!("Subject: x\n\nbody\n\n{}", one("y"))),
    ];
    for (name, count, text) in cases {
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(messages(&entries).len(), count, "{name}: {events:?} {entries:?}");
        assert_eq!(concatenated(&entries), text.as_bytes(), "{name}");
        for (ordinal, entry) in messages(&entries).iter().enumerate() {
            assert_eq!(entry.ordinal, ordinal as u64, "{name}");
        }
    }
}

#[test]
fn separator_message_and_trailer() {
    let text = format!("\r\n{}{HEADER}one\n\n\n{SEPARATOR}{HEADER}two", SEPARATOR.replace('\n', "\r\n"));
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(kinds(&events), [BoxEventKind::Prelude]);
    let [gap, first, second] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((gap.kind, gap.ordinal, &gap.message[..]), (EntryKind::Gap, 0, &b"\r\n"[..]));
    assert_eq!(first.separator, SEPARATOR.replace('\n', "\r\n").as_bytes());
    // One blank line is the mailbox's, the other one the message's.
    assert_eq!(first.message, format!("{HEADER}one\n\n").as_bytes());
    assert_eq!(first.trailer, b"\n");
    assert_eq!((second.ordinal, &second.trailer[..]), (1, &b""[..]));
    assert_eq!(second.message, format!("{HEADER}two").as_bytes());
}

#[test]
fn content_length_bounds_the_message() {
    let body = format!("Hello\n\n{SEPARATOR}Subject: inside\n\n\n\n");
    let text = format!(
        "{SEPARATOR}Content-Length: {}\n{HEADER}{body}\n{SEPARATOR}Content-Length: 999\n{HEADER}two\n\n{SEPARATOR}Content-Length: 4\n{HEADER}end\n",
        body.len()
    );
    for (entries, events) in
        [file(text.as_bytes(), &ReadOptions::default()), stream(text.as_bytes(), &ReadOptions::default())]
    {
        assert_eq!(kinds(&events), [BoxEventKind::BadLength]);
        let found = messages(&entries);
        assert_eq!(found.len(), 3);
        assert!(found[0].message.ends_with(body.as_bytes()), "every blank line of the body is kept");
        assert_eq!(found[0].trailer, b"\n");
        assert!(found.iter().all(|entry| entry.quoting == Quoting::None));
    }
    // A length that leads nowhere is not believed in a file where all are wrong.
    let stale = format!("{SEPARATOR}Content-Length: 70\n{HEADER}one\n\n{SEPARATOR}{HEADER}two\n\n");
    let (entries, events) = file(stale.as_bytes(), &ReadOptions::default());
    assert_eq!((messages(&entries).len(), kinds(&events)), (2, vec![BoxEventKind::BadLength]));
}

#[test]
fn what_a_person_would_doubt_is_listed() {
    // 2 for the blank line, 2 for the name, nothing else.
    let text = format!("{SEPARATOR}{HEADER}Hello,\n\nFrom here\nName: value\n\n");
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(messages(&entries).len(), 1);
    assert_eq!(kinds(&events), [BoxEventKind::AmbiguousFrom]);
    assert_eq!(events[0].offset as usize, text.find("From here").unwrap());
    assert!(events[0].detail.contains("4 points, not accepted"), "{}", events[0].detail);

    let text = format!("{SEPARATOR}{HEADER}one\n>From here\n\n{SEPARATOR}{HEADER}two\n>From there\n\n");
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(kinds(&events), [BoxEventKind::QuotingGuess], "once a file");
    assert!(entries.iter().all(|entry| entry.quoting == Quoting::Mboxrd));
    let text = format!("{SEPARATOR}{HEADER}one\n>From here\n\nFrom there we\nwent\n\n");
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!((entries[0].quoting, kinds(&events)), (Quoting::Mboxo, vec![BoxEventKind::QuotingGuess]));
}

#[test]
fn a_from_line_between_lines_of_base64() {
    let line = "QUJD".repeat(19);
    let text = |middle: &str| format!("{SEPARATOR}{HEADER}{line}\n{middle}{line}\n{line}\n\n");
    // 2 + 3 - 2 points
    let (entries, events) = file(text(SEPARATOR).as_bytes(), &ReadOptions::default());
    assert_eq!((messages(&entries).len(), events.len()), (1, 0));
}

#[test]
fn delimiters_are_remembered_for_one_mebibyte() {
    let filler = |bytes: usize| format!("{}\n", "x".repeat(76)).repeat(bytes / 77);
    let text = |before: usize, after: usize| {
        format!(
            "{SEPARATOR}Content-Type: multipart/mixed; boundary=b1\nSubject: s\n\n--b1\nContent-Type: text/plain\n\n{}\n{SEPARATOR}{HEADER}{}--b1--\n\n",
            filler(before),
            filler(after)
        )
    };
    for (before, after, count) in [(900_000, 900_000, 1), (1_100_000, 1000, 2), (1000, 1_100_000, 2)] {
        let text = text(before, after);
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(messages(&entries).len(), count, "{before} {after} {events:?}");
        let (other, other_events) = drain(
            &mut Mailbox::from_stream(
                Path::new("-"),
                Chunky(text.as_bytes(), Random(7)),
                &ReadOptions::default(),
            )
            .unwrap(),
        );
        assert_eq!((other, other_events), (entries, events));
    }
}

/// Behind the first 16 MiB another program wrote, whose separators are known by their frequency only.
#[test]
fn regions_of_a_large_file_have_their_own_separators() {
    let mut text = String::new();
    let large = format!("{SEPARATOR}{HEADER}{}\n", "some words of a message\n".repeat(30_000));
    let mut count = 0;
    while text.len() < 17 << 20 {
        text.push_str(&large);
        count += 1;
    }
    while text.len() < 22 << 20 {
        // Four points without the dominant shape: six are needed.
        text += &["From \nName: value\n\n", &"words\n".repeat(100), "\n"].concat();
        text += &["From \n", HEADER, &"words\n".repeat(100), "\n"].concat();
        count += 2;
    }
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!((messages(&entries).len(), events.len()), (count, 0));
    // At the start of a file without such separators the same lines are doubted, and listed.
    let text = format!("{}From \nName: value\n\n", large.repeat(2));
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!((messages(&entries).len(), kinds(&events)), (2, vec![BoxEventKind::AmbiguousFrom]));
}

/// A mailbox of random pieces that the rule has to judge.
fn random_mailbox(random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    let eol = random.pick(&["\n", "\n", "\r\n", "\r"]);
    for _ in 0..random.below(40) {
        let piece = random.pick(&[
            SEPARATOR,
            SEPARATOR,
            SEPARATOR,
            HEADER,
            HEADER,
            "\n",
            "\n",
            "text\n",
            "text without end",
            "From \n",
            "From - Mon Jan 01 00:00:00 2001\n",
            "From a@example.org\n",
            "From here on it is text\n",
            ">From x\n",
            ">>From y\n",
            "From: x\n",
            "Name: value\n",
            "Content-Length: 5\n\nabcd\n",
            "Content-Length: 70\n",
            "Content-Type: multipart/mixed; boundary=b1\n",
            "--b1\nContent-Type: text/plain\n\n",
            "--b1\nContent-Type: multipart/mixed; boundary=b2\n\n--b2\n",
            "--b1\nContent-Type: message/rfc822\n\nContent-Type: x;\n\tboundary=\"b2\"\n\n",
            "--b2--\n",
            "--=20\n\n",
            "--b1\n\n",
            "--b1--\n",
            "------\n",
            "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\n",
            "\u{feff}",
            "\x01\x01\x01\x01\n",
        ]);
        out.extend_from_slice(piece.replace('\n', eol).as_bytes());
        if random.below(20) == 0 {
            out.push(b"\r\n\x00F-"[random.below(5)]);
        }
    }
    for _ in 0..random.below(3) {
        if !out.is_empty() {
            let at = random.below(out.len());
            match random.below(3) {
                0 => out[at] = random.below(256) as u8,
                1 => drop(out.remove(at)),
                _ => out.truncate(at),
            }
        }
    }
    out
}

#[test]
fn entries_tile_the_file_for_any_batch_and_any_read() {
    let mut random = Random(0x5eed);
    let mut compared = 0;
    for round in 0..3000 {
        let text = random_mailbox(&mut random);
        let limit = if round % 3 == 0 { 1 + random.below(300) } else { 64 << 20 };
        let options = ReadOptions { message_limit: limit, ..ReadOptions::default() };
        let (entries, events) = file(&text, &options);
        assert_eq!(concatenated(&entries), text, "round {round}");
        assert!(text.is_empty() || !entries.is_empty());
        let small = ReadOptions { batch: 1 + random.below(200), ..options };
        assert_eq!(file(&text, &small), (entries.clone(), events.clone()), "round {round}");
        let smallest = ReadOptions { batch: 1, ..options };
        let streamed = stream(&text, &options);
        let chunky = Chunky(&text, Random(round + 1));
        let pieces = drain(&mut Mailbox::from_stream(Path::new("-"), chunky, &smallest).unwrap());
        assert_eq!(pieces.1, streamed.1, "round {round}");
        for (piece, whole) in pieces.0.iter().zip(&streamed.0) {
            assert_eq!(piece, whole, "round {round}");
        }
        assert_eq!(pieces.0.len(), streamed.0.len(), "round {round}");
        assert_eq!(concatenated(&streamed.0), text);
        // A stream decides by its first line; and it believes no length beyond the limit.
        if limit > 1000 && !kinds(&streamed.1).contains(&BoxEventKind::Single) {
            assert_eq!(streamed, (entries, events), "round {round}");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}

/// Takes out what says something about the bytes behind the message: a length, and delimiters of a multipart that another
/// message has too.
fn without_claims(message: &[u8]) -> Vec<u8> {
    let text = message.iter().map(|&byte| char::from(byte)).collect::<String>();
    let text = text.replace("Content-Length", "Content-Width").replace("--b", "-=b");
    text.chars().map(|c| c as u8).collect()
}

/// What we write is read back message by message, whatever the messages are.
#[test]
fn our_own_mailboxes_are_read_back() {
    let mut random = Random(0xb0c5);
    for round in 0..2000 {
        let count = 1 + random.below(5);
        let written: Vec<Vec<u8>> =
            (0..count).map(|_| without_claims(&random_mailbox(&mut random))).collect();
        let mut text = Vec::new();
        for message in &written {
            text.extend_from_slice(&separator_for(b"", message));
            quote_mboxrd(message, &mut text);
            text.extend_from_slice(trailer_for(message));
        }
        let (entries, events) = file(&text, &ReadOptions::default());
        let read: Vec<Vec<u8>> = messages(&entries)
            .iter()
            .map(|entry| unquote(&entry.message, entry.quoting).into_owned())
            .collect();
        let boundaries: Vec<_> = entries.iter().map(|entry| entry.offset).collect();
        assert_eq!(read.len(), count, "round {round}: {boundaries:?} {events:?} {}", text.escape_ascii());
        for (read, written) in read.iter().zip(&written) {
            // A missing line end at the end is the only thing that the form cannot keep.
            let end = &written[..];
            assert!(read.starts_with(end) && read.len() <= end.len() + 2, "round {round}");
        }
    }
}

#[test]
fn a_message_beyond_the_limit_comes_in_pieces() {
    let line = "0123456789".repeat(7) + "\n";
    let large = line.repeat(40_000);
    let text = format!("{SEPARATOR}{HEADER}one\n\n{SEPARATOR}{HEADER}{large}\n{SEPARATOR}{HEADER}three\n\n");
    let options = ReadOptions { message_limit: 100_000, ..ReadOptions::default() };
    let (entries, events) = file(text.as_bytes(), &options);
    assert_eq!(kinds(&events), [BoxEventKind::TooLarge]);
    assert_eq!(concatenated(&entries), text.as_bytes());
    let pieces: Vec<_> = entries.iter().filter(|entry| entry.kind == EntryKind::Oversize).collect();
    assert!(pieces.len() > 20);
    assert_eq!(pieces[0].separator, SEPARATOR.as_bytes());
    assert_eq!(pieces.last().unwrap().trailer, b"\n");
    for piece in &pieces[..pieces.len() - 1] {
        assert!(piece.more && piece.message.ends_with(b"\n") && piece.message.len() <= 100_000);
    }
    assert_eq!(messages(&entries).len(), 3);
    let chunky = Chunky(text.as_bytes(), Random(3));
    assert_eq!(
        drain(&mut Mailbox::from_stream(Path::new("-"), chunky, &options).unwrap()),
        (entries, events)
    );
    // Not even one line end to cut at, and nothing behind.
    let (entries, _) = file(&vec![b'x'; 300_000], &options);
    assert_eq!((entries.len(), messages(&entries).len()), (3, 1));
}

#[test]
fn a_stream_that_does_not_begin_with_a_separator_is_one_message() {
    let text = format!("Subject: x\n\n{SEPARATOR}{HEADER}pasted\n\n{SEPARATOR}{HEADER}pasted\n");
    let (entries, events) = stream(text.as_bytes(), &ReadOptions::default());
    assert_eq!(kinds(&events), [BoxEventKind::Single]);
    assert_eq!((entries.len(), &entries[0].message[..]), (1, text.as_bytes()));
    assert_eq!(stream(b"", &ReadOptions::default()), (vec![], vec![]));
}

#[test]
fn an_error_names_the_file() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::ConnectionReset))
        }
    }
    let start = io::Cursor::new(SEPARATOR.repeat(60_000));
    let mut source =
        Mailbox::from_stream(Path::new("pipe"), start.chain(Broken), &ReadOptions::default()).unwrap();
    let mut batch = Batch::default();
    let error = loop {
        match source.next(&mut batch) {
            Ok(more) => assert!(more),
            Err(error) => break error,
        }
    };
    assert!(
        error.kind() == io::ErrorKind::ConnectionReset && error.to_string().starts_with("pipe: "),
        "{error}"
    );
}

/// Time stays linear where every line is a candidate and delimiters are open everywhere.
#[test]
fn candidates_and_delimiters_without_end_stay_linear() {
    let units = [
        // Every message is a multipart, and its delimiter comes again behind the next declaration.
        "\nFrom a@b.c\nTo: x\nContent-Type: x; boundary=\"=_1\"\n\n--=_1\nboundary=\"=_1\"\n",
        // One message with multiparts in multiparts: every other line is a candidate inside.
        "\nFrom a@b.c\nTo: x\n\n--=_#\nContent-Type: x; boundary=\"=_#\"\n",
    ];
    // Time on a processor, where the system tells it: other tests run at the same time.
    let now = || {
        std::thread::yield_now();
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        told.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok())
    };
    let time = |unit: &str, copies: usize| {
        let header = "From a@b.c\nTo: x\nContent-Type: x; boundary=\"=_0\"\n\n--=_0\n";
        let mut text = header.to_owned();
        for copy in 0..copies {
            text += &unit
                .replacen('#', &(copy % 1000).to_string(), 1)
                .replace('#', &(copy % 1000 + 1).to_string());
        }
        text += "--=_0--\n";
        let runs = (0..3).map(|_| {
            let (start, begun) = (now(), std::time::Instant::now());
            assert!(!file(text.as_bytes(), &ReadOptions::default()).0.is_empty());
            match (start, now()) {
                (Some(start), Some(end)) => std::time::Duration::from_nanos(end - start),
                _ => begun.elapsed(),
            }
        });
        runs.min().unwrap()
    };
    for unit in units {
        let (small, large) = (time(unit, 6_000), time(unit, 60_000));
        // Ten times the input; quadratic time would be a hundred. The rest is for busy machines.
        assert!(large < small * 40, "{small:?} for 6,000, {large:?} for 60,000: {unit:?}");
    }
}

/// The folder with test material, when there is one.
fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("MAILGLOT_SHARED").map(PathBuf::from);
    if folder.is_none() {
        println!("MAILGLOT_SHARED is not set: nothing compared");
    }
    folder
}

fn python(script: &Path, arguments: &[&std::ffi::OsStr]) {
    let status =
        Command::new("python3").arg(script).args(arguments).stdout(std::process::Stdio::null()).status();
    assert!(status.expect("python3 runs").success(), "{}", script.display());
}

#[test]
fn the_seventeen_cases() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    python(&shared.join("tools/tricky.py"), &[folder.path().as_os_str()]);
    let expected = std::fs::read_to_string(folder.path().join("expected.json")).unwrap();
    let mut cases = 0;
    for line in expected.lines() {
        let Some((name, count)) = line.trim().trim_end_matches(',').split_once(": ") else { continue };
        let path = folder.path().join(format!("{}.mbox", name.trim_matches('"')));
        let mut source =
            open(&Found { path, format: Format::Mbox, packed: None }, &ReadOptions::default()).unwrap();
        let (entries, events) = drain(source.as_mut());
        assert_eq!(messages(&entries).len(), count.parse::<usize>().unwrap(), "{name} {events:?}");
        cases += 1;
    }
    assert_eq!(cases, 17);
}

#[test]
fn generated_mailboxes_match_their_ground_truth() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (form, crlf, profile) in [
        ("mboxrd", false, "list"),
        ("mboxrd", true, "mixed"),
        ("mboxo", false, "mixed"),
        ("mboxo", true, "list"),
        ("mboxcl2", false, "list"),
        ("mboxcl2", true, "mixed"),
    ] {
        let (path, truth) = (folder.path().join("box"), folder.path().join("truth"));
        let mut arguments = vec!["--size", "3M", "--format", form, "--profile", profile];
        arguments.extend(crlf.then_some("--crlf"));
        arguments.extend(["--out", path.to_str().unwrap(), "--truth", truth.to_str().unwrap()]);
        let arguments: Vec<_> = arguments.iter().map(std::ffi::OsStr::new).collect();
        python(&shared.join("tools/gen_mbox.py"), &arguments);
        let mut source =
            open(&Found { path, format: Format::Mbox, packed: None }, &ReadOptions::default()).unwrap();
        let (entries, events) = drain(source.as_mut());
        let truth = std::fs::read_to_string(truth).unwrap();
        let number = |line: &str, name: &str| -> u64 {
            let at = line.find(&format!("\"{name}\": ")).unwrap() + name.len() + 4;
            line[at..].split([',', '}']).next().unwrap().parse().unwrap()
        };
        let expected: Vec<_> =
            truth.lines().map(|l| (number(l, "n"), number(l, "offset"), number(l, "length"))).collect();
        let length =
            |entry: &Read1| (entry.separator.len() + entry.message.len() + entry.trailer.len()) as u64;
        let found: Vec<_> = messages(&entries).iter().map(|e| (e.ordinal, e.offset, length(e))).collect();
        assert_eq!(found, expected, "{form} {crlf} {events:?}");
        let quoting = if form == "mboxcl2" { Quoting::None } else { Quoting::Mboxrd };
        assert!(entries.iter().all(|entry| entry.quoting == quoting), "{form}");
    }
}
