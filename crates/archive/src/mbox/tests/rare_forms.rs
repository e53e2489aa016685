//! Tests of `From ` lines in a form that few lines have beside separators of another form.

use super::*;

/// A header that mail programs write.
const FULL: &str = "Received: from a\nFrom: b@example.org\nTo: c\nSubject: s\nMessage-ID: <x>\n\n";

/// Returns a message with a dated separator.
fn dated(body: &str, blank: &str) -> String {
    format!("{SEPARATOR}{HEADER}{body}\n{blank}")
}

/// Returns a mailbox in which two of many messages contain pasted text.
fn with_two_pasted(many: usize, pasted: &str, blank: &str) -> String {
    let message = |index: usize| match index {
        3 => dated(&format!("look\n\n{pasted}bye"), blank),
        _ if index == many / 2 + 2 => dated(&format!("again\n\n{pasted}bye"), blank),
        _ => dated("hello", blank),
    };
    (0..many).map(message).collect()
}

fn count_and_events(text: &str) -> (usize, Vec<BoxEventKind>) {
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(concatenated(&entries), text.as_bytes());
    (messages(&entries).len(), kinds(&events))
}

#[test]
fn addresses_in_texts_are_no_separators_beside_dated_ones() {
    for line in [
        "From ann@example.org",
        "From ann@example.org (Ann)",
        "From ann@example.org to bob@example.org",
        "From ann@example.org:",
        "From ann@example.org on Monday",
        "From root@host Tue Mar  4 10:11:12",
        "From ann at example.org",
    ] {
        for field in ["Subject: the trip", "Subject: x\nTo: me", "Date: today"] {
            for many in [6, 500] {
                for blank in ["\n", ""] {
                    let text = with_two_pasted(many, &format!("{line}\n{field}\n\ncome\n"), blank);
                    let expected = (many, vec![BoxEventKind::AmbiguousFrom; 2]);
                    assert_eq!(
                        count_and_events(&text),
                        expected,
                        "{line} {field} {blank:?}"
                    );
                }
            }
        }
    }
}

/// Each of them begins a message, but only a share of the separators proves that another program wrote them.
#[test]
fn rare_lines_before_full_headers_are_doubtful_separators() {
    let pasted = format!("From ann@example.org\n{FULL}inner\n\n");
    for many in [6, 500] {
        let expected = (many + 2, vec![BoxEventKind::AmbiguousFrom; 2]);
        assert_eq!(
            count_and_events(&with_two_pasted(many, &pasted, "\n")),
            expected
        );
    }
}

#[test]
fn a_second_program_may_write_separators_without_a_date() {
    let short = "From ann@example.org\nFrom: ann\nSubject: s\n\nhi\n\n";
    let full = format!("From ann@example.org\n{FULL}hi\n\n");
    let bare = format!("From \n{FULL}hi\n\n");
    for (first, second) in [
        (dated("a", "\n").repeat(20), full.repeat(10) + short),
        (dated("a", "\n"), full.repeat(3)),
        (dated("a", "\n").repeat(500), bare.repeat(2)),
        (full.repeat(2), dated("a", "\n").repeat(30) + short),
        (short.repeat(2), dated("a", "\n").repeat(30) + short),
        (dated("a", "\n").repeat(3), short.repeat(5)),
    ] {
        let text = first + &second;
        let separators = text.lines().filter(|line| line.starts_with("From "));
        assert_eq!(count_and_events(&text), (separators.count(), vec![]));
    }
}

/// In a mailbox without blank lines, only the first separator has the best surroundings. The others count, too.
#[test]
fn pasted_patches_in_a_mailbox_without_blank_lines() {
    let patch = "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n\
                 From: x@example.org\nSubject: [PATCH] y\n\n---\n f.c | 1 +\n";
    for blank in ["", "\n"] {
        let expected = (6, vec![BoxEventKind::AmbiguousFrom; 2]);
        assert_eq!(
            count_and_events(&with_two_pasted(6, patch, blank)),
            expected
        );
    }
    assert_eq!(
        count_and_events(&format!("{patch}\n{patch}\n")),
        (2, vec![])
    );
}

/// Beyond the head of a large file, samples decide. One without other separators still knows those of the head.
#[test]
fn rare_forms_in_the_samples_of_a_large_file() {
    let filler = "words of a long text\n".repeat(12_000);
    let pasted = "From ann@example.org\nSubject: x\n\ncome\n\n".repeat(2);
    let text =
        dated("a", "\n").repeat(200_000) + &dated(&(filler + "\n" + &pasted), "\n").repeat(20);
    let (count, events) = count_and_events(&text);
    assert_eq!((count, events.len()), (200_020, 40));
}
