//! Tests with random mailboxes: the tiling law, batches of any size, and our own output.

use super::*;
use crate::mbox::joined_line::has_joined_line;
use crate::mbox::separator_mark::is_open_with_either_line_end;
use crate::mbox::{mark_separator, needs_mark, quote_mboxrd, separator_for, trailer_for, unquote};

/// Returns a mailbox of random pieces that the splitting rule has to judge.
pub(in crate::mbox) fn random_mailbox(random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    let eol = random.pick(&["\n", "\n", "\r\n", "\r", "\r\r\n"]);
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
            "text without end",
            "\x1a",
            "From a@example.org Mon Jan  1 00:00:00 2001\nFrom: x\nTo: y\n",
            "From \n",
            "From - Mon Jan 01 00:00:00 2001\n",
            "From a@example.org\n",
            "From a@example.org Di Mar  4 10:11:12 2003\nReceived: a\nFrom: b\nTo: c\n",
            "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n",
            "look:\n",
            "From a@example.org Mon Jan  1 00:00:00 2001 -0000\n",
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
        let limit = if round % 3 == 0 {
            1 + random.below(300)
        } else {
            64 << 20
        };
        let options = ReadOptions {
            message_limit: limit,
            force_format: true,
            ..ReadOptions::default()
        };
        let (entries, events) = file(&text, &options);
        assert_eq!(concatenated(&entries), text, "round {round}");
        assert!(text.is_empty() || !entries.is_empty());
        let small = ReadOptions {
            batch: 1 + random.below(200),
            ..options.clone()
        };
        assert_eq!(
            file(&text, &small),
            (entries.clone(), events.clone()),
            "round {round}"
        );
        let smallest = ReadOptions {
            batch: 1,
            ..options.clone()
        };
        let streamed = stream(&text, &options);
        let chunky = Chunky(&text, Random(round + 1));
        let pieces = drain(&mut Mailbox::from_stream(Path::new("-"), chunky, &smallest).unwrap());
        assert_eq!(pieces.1, streamed.1, "round {round}");
        for (piece, whole) in pieces.0.iter().zip(&streamed.0) {
            assert_eq!(piece, whole, "round {round}");
        }
        assert_eq!(pieces.0.len(), streamed.0.len(), "round {round}");
        assert_eq!(concatenated(&streamed.0), text);
        // A stream decides by its first line, and ignores lengths beyond the limit. It may be one message.
        let is_single = [&streamed.1, &events]
            .iter()
            .any(|events| kinds(events).contains(&BoxEventKind::Single));
        if limit > 1000 && !is_single {
            assert_eq!(streamed, (entries, events), "round {round}");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}

/// A line end added to a mailbox only changes the end of its last entry: no boundary, no other byte, no event.
///
/// A declared length is an exception: the line end may make it right.
#[test]
fn a_line_end_added_changes_nothing_else() {
    let mut random = Random(0xe01);
    let mut longer = 0;
    for round in 0..4000 {
        let text = without(
            &random_mailbox(&mut random),
            "Content-Length",
            "Content-Width",
        );
        // A line end that occurs in the file: a first LF would change the meaning of all its CRs.
        let end = match (text.contains(&b'\n'), text.contains(&b'\r')) {
            (true, _) => random.pick(&[&b"\n"[..], b"\r\n"]),
            (false, true) => b"\r",
            (false, false) => b"\n",
        };
        // A CR forms a line end with a LF after it, also with a CR between.
        if text.ends_with(b"\r") && end != b"\r" {
            continue;
        }
        // NUL bytes at the end of a file are no text, but those before a line end are.
        if text.ends_with(b"\0") {
            continue;
        }
        let (before, reported) = file(&text, &ReadOptions::default());
        let (after, reported_after) = file(&[&text[..], end].concat(), &ReadOptions::default());
        let shown = || {
            format!(
                "round {round}: {}\n{before:?}\n{after:?}",
                text.escape_ascii()
            )
        };
        let Some((last, same)) = before.split_last() else {
            continue;
        };
        assert_eq!(after.len(), before.len(), "{}", shown());
        assert_eq!(&after[..same.len()], same, "{}", shown());
        let now = &after[same.len()];
        assert_eq!(
            (now.offset, now.kind),
            (last.offset, last.kind),
            "{}",
            shown()
        );
        let whole = |entry: &Read1| [&entry.separator[..], &entry.message, &entry.trailer].concat();
        assert_eq!([&whole(last), end].concat(), whole(now), "{}", shown());
        // A file that ends in a separator gets its line end.
        let torn = last.message.is_empty() && last.trailer.is_empty();
        assert!(torn || now.separator == last.separator, "{}", shown());
        assert!(now.message.starts_with(&last.message), "{}", shown());
        longer += usize::from(now.message != last.message);
        // The event for leading blank lines in a file without mail may differ in length.
        let places = |reported: &[BoxEvent]| {
            reported
                .iter()
                .map(|event| (event.kind, event.offset))
                .collect::<Vec<_>>()
        };
        assert_eq!(places(&reported), places(&reported_after), "{}", shown());
    }
    assert!(longer > 100, "{longer}");
}

fn without(bytes: &[u8], what: &str, with: &str) -> Vec<u8> {
    let text = bytes
        .iter()
        .map(|&byte| char::from(byte))
        .collect::<String>();
    text.replace(what, with).chars().map(|c| c as u8).collect()
}

/// Our own mailboxes are read back message by message, also with truncated multiparts and delimiters of other messages.
///
/// A writer of mailboxes removes Content-Length.
#[test]
fn our_own_mailboxes_are_read_back() {
    let mut random = Random(0xb0c5);
    let mut marked = 0;
    for round in 0..2000 {
        let count = 1 + random.below(5);
        let written: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                without(
                    &random_mailbox(&mut random),
                    "Content-Length",
                    "Content-Width",
                )
            })
            .collect();
        let mut text = Vec::new();
        for message in &written {
            let start = text.len();
            // Programs mix senders, and some write none.
            let old = random.pick(&[
                "",
                "",
                "From - Mon Jan 01 00:00:00 2001\n",
                "From root Mon Jan  1 00:00:00 2001\n",
                "From z at y.x  Mon Jan  1 00:00:00 2001\n",
            ]);
            text.extend_from_slice(&separator_for(old.as_bytes(), None, message));
            let body = text.len();
            quote_mboxrd(message, &mut text);
            text.extend_from_slice(trailer_for(message));
            let is_open = needs_mark(&text[body..], true);
            let has_joined_line = has_joined_line(&text[body..], 0..text.len() - body);
            let may_differ = has_joined_line || is_open_with_either_line_end(&text[body..]);
            assert_eq!(is_open, may_differ);
            if is_open {
                mark_separator(&mut text, start, body);
                marked += 1;
            }
        }
        let (entries, events) = file(&text, &ReadOptions::default());
        let read: Vec<Vec<u8>> = messages(&entries)
            .iter()
            .map(|entry| unquote(&entry.message, entry.quoting).into_owned())
            .collect();
        let boundaries: Vec<_> = entries.iter().map(|entry| entry.offset).collect();
        assert_eq!(
            read.len(),
            count,
            "round {round}: {boundaries:?} {events:?} {}",
            text.escape_ascii()
        );
        for (read, written) in read.iter().zip(&written) {
            // The format cannot keep a missing line end at the end, and nothing else is lost.
            let end = &written[..];
            assert!(
                read.starts_with(end) && read.len() <= end.len() + 2,
                "round {round}"
            );
        }
    }
    assert!(marked > 100, "{marked}");
}
