//! Any split of a text gives the same bytes and records, for every encoder.

use crate::common::Random;
use mailglot_codec::{Charset, Encoder, LossKind, LossLog, Mode, Unmappable};

const PIECES: &[&str] = &[
    "",
    "a",
    "+",
    "++",
    "-",
    "~",
    "\\",
    "é",
    "ß",
    "€",
    "\u{A5}",
    "\u{203E}",
    "\u{2212}",
    "日",
    "本語",
    "ｱ",
    "ア",
    "한글",
    "中",
    "Я",
    "שלום",
    "ก",
    "\u{1F600}",
    "\u{20BB7}",
    "\u{0CA}\u{304}",
    "\u{304B}\u{309A}",
    "e\u{301}",
    "\u{FEFF}",
    "\r\n",
    "\n",
    "\r",
    " ",
    "\x0E",
    "\x0F",
    "\x1B",
    "\0",
    "\u{7F}",
    "\u{85}",
    "\u{E5E5}",
    "\u{E000}",
    "\u{FFFD}",
    "\u{10FFFF}",
    "ABCDEFGHIJKLMNOP",
];

/// Each replacement; `None` is an encoder that stops.
fn ways() -> [Option<Unmappable>; 7] {
    [
        None,
        Some(Unmappable::QuestionMark),
        Some(Unmappable::Transliterate),
        Some(Unmappable::Replace("<~日\u{1F600}>".into())),
        Some(Unmappable::HtmlDecimal),
        Some(Unmappable::HtmlHex),
        Some(Unmappable::Skip),
    ]
}

fn encode(mut encoder: Encoder, pieces: &[&str]) -> (Vec<u8>, LossLog) {
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(1000));
    for piece in pieces {
        encoder.push(piece, &mut bytes, &mut log);
    }
    encoder.finish(&mut bytes, &mut log);
    (bytes, log)
}

#[test]
fn splitting_a_text_changes_nothing() {
    let mut random = Random(11);
    for charset in Charset::all() {
        for way in ways() {
            for _ in 0..20 {
                let ahead =
                    "abcdefghijklmnopqrstuvwxyz+/-.:?"[..random.below(32) as usize].to_string();
                let text =
                    (0..random.below(12)).fold(ahead, |text, _| text + random.pick::<&str>(PIECES));
                for strict in [false, true] {
                    let new = || match way.clone() {
                        None if strict => charset.new_exact_encoder(Mode::Strict),
                        None => charset.new_exact_encoder(Mode::Lenient),
                        Some(way) if strict => charset.new_strict_encoder(way),
                        Some(way) => charset.new_encoder(way),
                    };
                    let whole = encode(new(), &[&text]);
                    let same = |pieces: &[&str]| {
                        assert!(
                            encode(new(), pieces) == whole,
                            "{charset} {way:?} {strict} {pieces:?}"
                        );
                    };
                    for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                        same(&[&text[..at], &text[at..]]);
                    }
                    same(&text.split("").collect::<Vec<_>>());
                    if !strict {
                        at_once(charset, way.as_ref(), &text, &whole);
                    }
                }
            }
        }
    }
}

/// Checks that encoding a whole text gives what an encoder gives, or the first character at which it stops.
fn at_once(charset: Charset, way: Option<&Unmappable>, text: &str, whole: &(Vec<u8>, LossLog)) {
    let mut log = LossLog::with_limit(1000);
    if let Some(way) = way {
        let bytes = charset.encode(text, way.clone(), &mut log);
        assert!(
            (&*bytes, &log) == (&*whole.0, &whole.1),
            "{charset} {way:?} {text:?}"
        );
        return;
    }
    match charset.encode_exact(text) {
        Ok(bytes) => assert!(
            *bytes == *whole.0 && whole.1.losses() == 0,
            "{charset} {text:?}"
        ),
        Err(error) => {
            let loss = whole.1.kept().iter().find(|loss| loss.kind.is_loss());
            let range = loss.map(|loss| loss.bytes.clone()).unwrap_or_default();
            assert!(
                error.at == range.start
                    && text[range.start as usize..].starts_with(error.character),
                "{charset} {text:?} {error}"
            );
        }
    }
}

/// In VIQR `a?` is one letter, so `?` needs a backslash behind `a`.
#[test]
fn a_replacement_reads_as_the_same_text_written_directly() {
    const LETTERS: &str = "abcdDeiouyAEIOU&=\\~+-?!(.<";
    let read = |charset: Charset, text: &str, way: &str| {
        let way = Unmappable::Replace(way.to_owned().into());
        let mut log = LossLog::with_limit(1000);
        let bytes = charset.encode(text, way, &mut log).into_owned();
        let is_lossless = log.losses() == 0;
        let text = charset.decode(&bytes, &mut LossLog::new()).into_owned();
        (text, is_lossless)
    };
    let mut seen = 0;
    for charset in Charset::all().filter(|charset| !read(*charset, "☃", "").1) {
        for way in [
            "?", "a", ".", "'", "^", "`", "*", "~", "(", "+", "-", "&", ":", "d", "!",
        ] {
            for letter in LETTERS.chars() {
                let (direct, is_lossless) = read(charset, &format!("{letter}{way}{letter}"), "");
                if !is_lossless {
                    continue;
                }
                let replaced = read(charset, &format!("{letter}☃{letter}"), way).0;
                assert_eq!(replaced, direct, "{charset} {letter:?} {way:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
    for way in [Unmappable::QuestionMark, Unmappable::Transliterate] {
        let bytes = Charset::VIQR.encode("a☃a", way, &mut LossLog::new());
        assert_eq!(&*bytes, b"a\\?a");
    }
}

#[test]
fn a_clone_continues_like_its_encoder() {
    for charset in Charset::all() {
        let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(1000));
        let mut encoder = charset.new_encoder(Unmappable::HtmlDecimal);
        encoder.push("a日é+", &mut bytes, &mut log);
        let (clone, mut other, mut other_log) = (encoder.clone(), bytes.clone(), log.clone());
        for (mut encoder, bytes, log) in [
            (encoder, &mut bytes, &mut log),
            (clone, &mut other, &mut other_log),
        ] {
            encoder.push("\u{301}本-", bytes, log);
            encoder.finish(bytes, log);
        }
        assert!(bytes == other && log == other_log, "{charset}");
    }
}

#[test]
fn what_begins_a_longer_text_and_cannot_be_written_is_recorded() {
    let charset = Charset::for_name("x-mac-korean").unwrap();
    for text in ["\u{2748}", "x\u{F861}", "\u{F861}(", "\u{2748}\u{20D8}"] {
        for pieces in [vec![text], text.split("").collect()] {
            let (bytes, log) = encode(
                charset.new_strict_encoder(Unmappable::QuestionMark),
                &pieces,
            );
            assert!(
                bytes.contains(&b'?') && log.count(LossKind::Unmappable) > 0,
                "{text:?} {bytes:x?} {log:?}"
            );
        }
    }
}

#[test]
fn records_have_their_places_around_what_is_replaced_or_left_out() {
    for (charset, way, text, places) in [
        (
            "T.101-G2",
            Unmappable::Transliterate,
            "ê\u{435}\u{30C}",
            &[(2, 6)][..],
        ),
        (
            "VIQR",
            Unmappable::HtmlHex,
            "a\u{302}\u{FFFD}",
            &[(0, 3), (3, 6)],
        ),
        (
            "VIQR",
            Unmappable::Skip,
            "a\u{FFFD}\u{302}\u{FFFD}b",
            &[(1, 4), (4, 6), (6, 9)],
        ),
    ] {
        let charset = Charset::for_name(charset).unwrap();
        let new = || charset.new_encoder(way.clone());
        let whole = encode(new(), &[text]);
        let found: Vec<_> = whole
            .1
            .kept()
            .iter()
            .map(|l| (l.bytes.start, l.bytes.end))
            .collect();
        assert_eq!(found, places, "{charset} {text:?}");
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert!(
                encode(new(), &[&text[..at], &text[at..]]) == whole,
                "{charset} {text:?} {at}"
            );
        }
        assert!(
            encode(new(), &text.split("").collect::<Vec<_>>()) == whole,
            "{charset} {whole:?}"
        );
    }
}
