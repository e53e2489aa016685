//! Tests of large files, large messages, and time.

use super::*;
use mailglot_fuzz::Clock;

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
    for (before, after, count) in [
        (900_000, 900_000, 1),
        (1_100_000, 1000, 2),
        (1000, 1_100_000, 2),
    ] {
        let text = text(before, after);
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(
            messages(&entries).len(),
            count,
            "{before} {after} {events:?}"
        );
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

/// Another program wrote the text after the first 16 MiB. Its separators are only known by their frequency.
#[test]
fn regions_of_a_large_file_have_their_own_separators() {
    let mut text = String::new();
    let large = format!(
        "{SEPARATOR}{HEADER}{}\n",
        "some words of a message\n".repeat(30_000)
    );
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
    // At the start of a file without such separators, the same lines are doubtful and reported.
    let text = format!("{}From \nName: value\n\n", large.repeat(2));
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(
        (messages(&entries).len(), kinds(&events)),
        (2, vec![BoxEventKind::AmbiguousFrom])
    );
}

#[test]
fn a_message_beyond_the_limit_comes_in_pieces() {
    let line = "0123456789".repeat(7) + "\n";
    let large = line.repeat(40_000);
    let text = format!(
        "{SEPARATOR}{HEADER}one\n\n{SEPARATOR}{HEADER}{large}\n{SEPARATOR}{HEADER}three\n\n"
    );
    let options = ReadOptions {
        message_limit: 100_000,
        ..ReadOptions::default()
    };
    let (entries, events) = file(text.as_bytes(), &options);
    assert_eq!(kinds(&events), [BoxEventKind::TooLarge]);
    assert_eq!(concatenated(&entries), text.as_bytes());
    let pieces: Vec<_> = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Oversize)
        .collect();
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
    // No line end to cut at, and nothing after it.
    let (entries, _) = file(&vec![b'x'; 300_000], &options);
    assert_eq!((entries.len(), messages(&entries).len()), (3, 1));
}

/// Time stays linear if every line is a candidate and delimiters are open everywhere.
#[test]
fn candidates_and_delimiters_without_end_stay_linear() {
    let units: [&str; 7] = [
        // Every message is a multipart, and its delimiter recurs after the next declaration.
        "\nFrom a@b.c\nTo: x\nContent-Type: x; boundary=\"=_1\"\n\n--=_1\nboundary=\"=_1\"\n",
        // One message of nested multiparts: every other line is a candidate inside.
        "\nFrom a@b.c\nTo: x\n\n--=_#\nContent-Type: x; boundary=\"=_#\"\n",
        // Open boundaries, each with lines that only look like its delimiters.
        "\n--=_#\nContent-Type: multipart/x; boundary=\"=_#\"\n\n--=_#\nwords\nFrom a@b.c\nTo: x\n",
        // Complete headers after lines of the wrong shape: the delimiter is far away.
        "\nFrom x Mon Jan  1 00:00:00 2001\nFrom: x\nDate: x\nTo: x\n~",
        // Like above without blank lines, in the shape of the first separator.
        "From a@b.c\nFrom: x\nDate: x\nTo: x\n~",
        // Headers without end.
        "\nFrom a@b.c\nTo: x\n>From x\nX: x\n>From x\n X\n~",
        // Each is a separator, and most have a delimiter ahead.
        "\nFrom a@b.c\nFrom: x\nDate: x\nContent-Type: multipart/x; boundary=\"=_0\"\n\n--=_0\n\nx\n~",
    ];
    let time = |unit: &str, copies: usize| {
        let header = "From a@b.c\nTo: x\nContent-Type: multipart/x; boundary=\"=_0\"\n\n--=_0\n";
        let mut text = header.to_owned();
        for copy in 0..copies {
            text += &unit
                .replacen('#', &(copy % 1000).to_string(), 1)
                .replace('#', &(copy % 1000 + 1).to_string())
                .replace(
                    '~',
                    if copy % 4000 == 3999 {
                        "\n--=_0\n\n"
                    } else {
                        ""
                    },
                );
        }
        text += "--=_0--\n";
        let runs = (0..3).map(|_| {
            // The time on a processor, because other tests run at the same time.
            let clock = Clock::start();
            assert!(!file(text.as_bytes(), &ReadOptions::default()).0.is_empty());
            clock.elapsed()
        });
        runs.min().unwrap()
    };
    for unit in units {
        let (small, large) = (time(unit, 6_000), time(unit, 60_000));
        // Ten times the input: quadratic time would be a hundred times as long. The margin is for busy machines.
        assert!(
            large < small * 40,
            "{small:?} for 6,000, {large:?} for 60,000: {unit:?}"
        );
    }
}
