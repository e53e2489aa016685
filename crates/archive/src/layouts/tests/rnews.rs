//! Tests of rnews batches, whole and damaged.

use super::{Events, Piece, codes, limited, messages, read, read_packed};
use crate::source::{EntryKind, ReadOptions};

const ARTICLE: &[u8] = b"Path: a!b\nSubject: one\n\nthe line\n#! rnews 12 of a text\n";

fn article(size: usize, text: &[u8]) -> Vec<u8> {
    [format!("#! rnews {size}\n").as_bytes(), text].concat()
}

fn batch(texts: &[&[u8]]) -> Vec<u8> {
    texts
        .iter()
        .flat_map(|text| article(text.len(), text))
        .collect()
}

fn plain(bytes: &[u8]) -> (Vec<Piece>, Events) {
    let whole = read("batch", bytes, &ReadOptions::default());
    assert_eq!(
        read_packed("batch", bytes, &ReadOptions::default()),
        whole.0
    );
    whole
}

fn texts(pieces: &[Piece]) -> Vec<Vec<u8>> {
    messages(pieces).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn sizes_divide_the_batch() {
    // The text of the third one looks like a separator.
    let quoting = b"Subject: b\n\n#! rnews 5\nhello";
    let wanted = [
        ARTICLE,
        b"",
        quoting,
        b"Subject: no line end\n\nend",
        ARTICLE,
    ];
    let (pieces, events) = plain(&batch(&wanted));
    assert_eq!(texts(&pieces), wanted);
    assert_eq!(events, []);
    assert_eq!(
        pieces[0].separator,
        format!("#! rnews {}\n", ARTICLE.len()).as_bytes()
    );
}

/// With a wrong size the next separator decides, and no byte is lost.
#[test]
fn wrong_sizes_are_reported() {
    let right = article(ARTICLE.len(), ARTICLE);
    for size in [0, 5, ARTICLE.len() - 1, ARTICLE.len() + 1, 99_999] {
        let wrong = article(size, ARTICLE);
        for both in [[&wrong, &right], [&right, &wrong]] {
            let (pieces, events) = plain(&both.map(Vec::as_slice).concat());
            assert_eq!(texts(&pieces), [ARTICLE, ARTICLE], "{size}");
            assert_eq!(codes(&events), ["box.structure"], "{size}: {events:?}");
        }
    }
}

#[test]
fn large_articles_come_in_pieces() {
    let long = [b"Subject: x\n\n", &b"line\n".repeat(2000)[..]].concat();
    let bytes = batch(&[ARTICLE, &long, ARTICLE]);
    let (pieces, events) = read("batch", &bytes, &limited(1000));
    assert_eq!(texts(&pieces), [ARTICLE, &long, ARTICLE]);
    assert_eq!(codes(&events), ["msg.too-large"]);
    assert!(
        pieces
            .iter()
            .filter(|piece| piece.kind == EntryKind::Oversize)
            .count()
            > 2
    );
}
