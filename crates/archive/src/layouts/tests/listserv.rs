//! Tests of LISTSERV notebooks.

use super::{Events, Piece, codes, limited, messages, read, read_packed};
use crate::source::{EntryKind, ReadOptions};

const LINE: &str = "=========================================================================";
const HEADER: &str = "Date:         Fri, 1 Mar 1996 08:18:14 -0800\nReply-To:     List <LIST@VM.EXAMPLE>\n\
    Sender:       List <LIST@VM.EXAMPLE>\nFrom:         Ann <ann@example.org>\nSubject:      one\n";

fn notebook(texts: &[&str]) -> String {
    let message = |text: &&str| format!("{LINE}\n{text}");
    texts.iter().map(message).collect()
}

fn plain(bytes: &[u8]) -> (Vec<Piece>, Events) {
    let whole = read("LOG9603", bytes, &ReadOptions::default());
    assert_eq!(
        read_packed("LOG9603", bytes, &ReadOptions::default()),
        whole.0
    );
    whole
}

fn texts(pieces: &[Piece]) -> Vec<String> {
    let texts = messages(pieces).into_iter();
    texts
        .map(|(text, _)| String::from_utf8(text).unwrap())
        .collect()
}

#[test]
fn lines_of_signs_divide_the_notebook() {
    let wanted = [
        format!("{HEADER}\nhello\n"),
        // No empty line before the next separator, and none in the message.
        HEADER.to_owned(),
        "From: b@example.org\nComments: folded\n\tline\nDate: x\n\nFrom the start\n\n\n".to_owned(),
        format!("{HEADER}\nno line end"),
    ];
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let bytes = notebook(&wanted);
    for bytes in [bytes.clone(), bytes.replace('\n', "\r\n")] {
        let (pieces, events) = plain(bytes.as_bytes());
        let found: Vec<String> = texts(&pieces)
            .iter()
            .map(|text| text.replace("\r\n", "\n"))
            .collect();
        assert_eq!(found, wanted);
        assert_eq!(events, []);
        assert!(pieces[0].separator.starts_with(LINE.as_bytes()));
    }
}

/// A text may have such a line, or a quoted one, or one of another length.
#[test]
fn a_line_of_signs_in_a_text_needs_a_header_behind_it() {
    for quoted in [
        format!("{LINE}\n"),
        format!("{LINE}\n\n{HEADER}\n"),
        format!("{LINE}\nsome text\n"),
        format!("{LINE}\nNote: a sentence\nand another\n"),
        format!("{LINE}\nDate: Monday\nPlace: here\n\nAgenda\n"),
        format!("{LINE}\nFrom: a@b.example\nSubject: no date\n\nx\n"),
        format!("{LINE}\n{HEADER}this is no field\n\nx\n"),
        format!("> {LINE}\n> {HEADER}\n"),
        format!("{LINE} \n{HEADER}\n"),
        format!("{LINE}=\n{HEADER}\n"),
        format!("={LINE}\n{HEADER}\n"),
        format!("{}\n{HEADER}\n", &LINE[1..]),
        format!("{LINE}{LINE}\n{HEADER}\n"),
        format!("{LINE}\n{LINE}\n"),
    ] {
        let first = format!("{HEADER}\nsee below\n{quoted}end\n");
        let wanted = [first.as_str(), &format!("{HEADER}\nx\n")];
        let (pieces, events) = plain(notebook(&wanted).as_bytes());
        assert_eq!(texts(&pieces), wanted, "{quoted}");
        assert_eq!(events, [], "{quoted}");
    }
}

/// A header may be longer than the 4,096 bytes in which its fields are looked for.
#[test]
fn long_headers_need_only_a_date_in_sight() {
    let long = format!(
        "Date: x\nComments: {}\nFrom: a@b.example\n\nx\n",
        "long ".repeat(2000)
    );
    let late = format!(
        "X-Other: {}\nDate: x\nFrom: a@b.example\n\nx\n",
        "long ".repeat(500)
    );
    let wanted = [long.as_str(), &late, &long];
    assert_eq!(texts(&plain(notebook(&wanted).as_bytes()).0), wanted);
}

#[test]
fn large_messages_come_in_pieces() {
    let short = format!("{HEADER}\nhello\n");
    let long = format!("{HEADER}\n{}", "line\n".repeat(2000));
    let wanted = [short.as_str(), &long, &short];
    let (pieces, events) = read("LOG9603", notebook(&wanted).as_bytes(), &limited(1000));
    assert_eq!(texts(&pieces), wanted);
    assert_eq!(codes(&events), ["msg.too-large"]);
    let is_piece = |piece: &&Piece| piece.kind == EntryKind::Oversize;
    assert!(pieces.iter().filter(is_piece).count() > 2);
}
