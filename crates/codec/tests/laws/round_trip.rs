//! There and back: what decodes without a word is written again as it was, and what is written without a word reads as
//! it was.

use crate::common::{Random, decode};
use crate::inputs::{carries_ascii, charsets, samples};
use mailglot_codec::{Charset, LossLog, Mode, Unmappable};
use std::collections::{BTreeMap, HashSet};

fn encode(charset: Charset, mode: Mode, text: &str, unmappable: Unmappable) -> (Vec<u8>, LossLog) {
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(usize::MAX));
    let mut encoder = match mode {
        Mode::Lenient => charset.new_encoder(unmappable),
        Mode::Strict => charset.new_strict_encoder(unmappable),
    };
    encoder.push(text, &mut bytes, &mut log);
    encoder.finish(&mut bytes, &mut log);
    (bytes, log)
}

/// Charsets in which several byte strings are one text, so that bytes may come back as others, and why.
fn other_bytes(charset: Charset) -> Option<&'static str> {
    if charset.is_stateful() {
        return Some("shifts, marks and escapes have many forms");
    }
    if charset.is_single_byte() && has_characters_twice(charset) {
        return Some("a character stands in two places");
    }
    NOT_INJECTIVE
        .iter()
        .find(|(name, _)| *name == charset.name())
        .map(|(_, why)| *why)
}

fn has_characters_twice(charset: Charset) -> bool {
    let mut seen = HashSet::new();
    (0..=255).any(|byte| {
        let (text, log) = decode(charset, Mode::Strict, &[byte]);
        log.is_empty() && !seen.insert(text)
    })
}

/// The rest of them; the law proves that each belongs here.
const NOT_INJECTIVE: &[(&str, &str)] = &[
    ("CESU-8", "four-byte forms of UTF-8 are read too"),
    ("GB2312", "read as GB18030"),
    ("GBK", "read as GB18030"),
    (
        "GB18030",
        "the euro stands at 80 too, private code points at two places",
    ),
    ("Big5", "E-TEN and Hong Kong each have characters twice"),
    ("Big5-HKSCS", "read as Big5"),
    ("Big5-2003", "two frames stand twice"),
    ("Big5-HKSCS:1999", "frames and numerals stand twice"),
    ("Big5-HKSCS:2001", "frames and numerals stand twice"),
    ("Big5-HKSCS:2004", "frames and numerals stand twice"),
    ("MS950", "read as Big5"),
    ("IBM950", "frames and numerals stand twice"),
    ("IBM964", "radicals stand twice"),
    ("IBM942", "read as IBM942C"),
    ("IBM942C", "backslash and tilde stand twice"),
    ("IBM943", "read as IBM943C"),
    ("IBM943C", "NEC and IBM have characters twice"),
    ("IBM949", "read as IBM949C"),
    ("IBM949C", "the backslash stands twice"),
    ("IBM1383", "two signs stand twice"),
    ("CP51932", "read as EUC-JP"),
    ("eucJP-ms", "rows of NEC have characters twice"),
    ("EUC-JP", "rows of NEC and IBM have characters twice"),
    ("Shift_JIS", "read as Windows-31J"),
    ("Windows-31J", "NEC and IBM have characters twice"),
    ("CN-GB-ISOIR165", "row 2A is ASCII"),
    (
        "VIQR",
        "a backslash stands for itself where it keeps nothing apart",
    ),
    ("TSCII", "U+0B87 stands at AD and FE"),
    (
        "x-iscii-de",
        "INV before a halant is a space; codes of attributes of the default script say nothing",
    ),
];

/// Charsets whose lenient decoder reads more than is written, and why.
const READS_MORE: &[(&str, &str)] = &[
    (
        "ISO-2022-JP",
        "its relatives' sets are read and not written",
    ),
    (
        "JIS_C6226-1978",
        "what came in 1983 and the rows of NEC and IBM are read and not written",
    ),
    (
        "JIS_C6226-1983",
        "the rows of NEC and IBM are read and not written",
    ),
    (
        "ISO-8859-8",
        "gaps are read as windows-1255 and not written",
    ),
    (
        "Big5",
        "WHATWG reads the characters of Hong Kong and writes none of them",
    ),
    (
        "x-mac-korean",
        "glyphs behind a character that cannot be written alone, such as a private one of Apple's, are read and not written",
    ),
    ("ISO-10646-UCS-2", "UTF-16's pairs are read and not written"),
    ("UNICODE-1-1", "UTF-16's pairs are read and not written"),
    ("ISO-10646-J-1", "UTF-16's pairs are read and not written"),
    (
        "ISO-Unicode-IBM-1261",
        "UTF-16's pairs are read and not written",
    ),
    (
        "ISO-Unicode-IBM-1268",
        "UTF-16's pairs are read and not written",
    ),
    (
        "ISO-Unicode-IBM-1276",
        "UTF-16's pairs are read and not written",
    ),
    (
        "ISO-Unicode-IBM-1264",
        "UTF-16's pairs are read and not written",
    ),
    (
        "ISO-Unicode-IBM-1265",
        "UTF-16's pairs are read and not written",
    ),
    (
        "ISO-10646-UCS-Basic",
        "the rest of UTF-16 is read and not written",
    ),
    (
        "ISO-10646-Unicode-Latin1",
        "the rest of UTF-16 is read and not written",
    ),
    (
        "TSCII",
        "vowel signs that stand left of a letter cannot stand alone",
    ),
    (
        "x-iscii-de",
        "a letter and a nukta that are one character are written as that, a look-alike",
    ),
];

/// What became of bytes that were decoded and encoded.
#[derive(PartialEq)]
enum Answer {
    /// They came back, or were damaged to begin with.
    Same,
    /// Others came, which are the same text.
    Other,
    /// Their text cannot be written.
    Unwritten,
}

fn there_and_back(charset: Charset, mode: Mode, bytes: &[u8]) -> Answer {
    let (text, log) = decode(charset, mode, bytes);
    if !log.is_empty() {
        return Answer::Same;
    }
    // Leniently a superset may have been read: it is what can write the text.
    let writer = if mode == Mode::Lenient {
        charset.superset()
    } else {
        charset
    };
    let (back, log) = encode(writer, mode, &text, Unmappable::Skip);
    if !log.is_empty() {
        return Answer::Unwritten;
    }
    if back == bytes {
        return Answer::Same;
    }
    let again = decode(charset, mode, &back).0;
    assert!(
        again == text,
        "{charset} {mode:?} {bytes:x?} {text:?} -> {back:x?} {again:?}"
    );
    Answer::Other
}

#[test]
fn bytes_that_leave_no_record_are_written_again() {
    let mut random = Random(21);
    let mut others: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let mut unwritten: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for (charset, mode) in charsets() {
        let writer = if mode == Mode::Lenient {
            charset.superset()
        } else {
            charset
        };
        let mut check = |bytes: &[u8]| match there_and_back(charset, mode, bytes) {
            Answer::Same => {}
            Answer::Other => {
                _ = others
                    .entry(charset.name())
                    .or_insert_with(|| bytes.to_vec());
            }
            Answer::Unwritten => {
                _ = unwritten
                    .entry(writer.name())
                    .or_insert_with(|| bytes.to_vec());
            }
        };
        for a in 0..=255 {
            check(&[a]);
            for b in 0..=255 {
                if charset.is_single_byte() && a != b {
                    continue;
                }
                check(&[a, b]);
            }
        }
        if charset.is_single_byte() {
            continue;
        }
        for lead in [0x8E, 0x8F] {
            for b in 0xA1..=0xFE {
                for c in 0xA1..=0xFE {
                    check(&[lead, b, c]);
                }
            }
        }
        for sample in samples(&mut random, 300, 100) {
            check(&sample);
        }
    }
    for charset in Charset::all() {
        match (others.get(charset.name()), other_bytes(charset)) {
            (Some(bytes), None) => panic!("{charset}: {bytes:x?} come back as others"),
            (None, Some(why)) if !charset.is_stateful() => {
                panic!("{charset} is injective, not: {why}")
            }
            _ => {}
        }
        let known = READS_MORE.iter().find(|(name, _)| *name == charset.name());
        match (unwritten.get(charset.name()), known) {
            (Some(bytes), None) => panic!("{charset} reads {bytes:x?}, but cannot write it"),
            (None, Some((_, why))) => panic!("{charset} writes all that it reads, not: {why}"),
            _ => {}
        }
    }
}

/// Every character but most of the private planes, which all charsets treat alike.
fn characters() -> impl Iterator<Item = char> {
    ('\0'..='\u{323AF}')
        .chain('\u{E0000}'..='\u{E01FF}')
        .chain('\u{F0000}'..='\u{F00FF}')
        .chain('\u{10FF00}'..=char::MAX)
}

#[test]
fn every_character_comes_back_or_is_recorded() {
    let text: Vec<String> = characters()
        .collect::<Vec<_>>()
        .chunks(4000)
        .map(|chunk| chunk.iter().collect())
        .collect();
    for (charset, mode) in charsets() {
        for text in &text {
            let (_, log) = encode(charset, mode, text, Unmappable::Skip);
            let mut kept = String::new();
            let mut at = 0;
            for loss in log.kept() {
                kept.push_str(&text[at..loss.bytes.start as usize]);
                at = loss.bytes.end as usize;
            }
            kept.push_str(&text[at..]);
            if kept.is_empty() {
                continue;
            }
            // Behind a letter, so that no mark begins the text: a single-byte charset may lack the letter, but knows no marks.
            let kept = if charset.is_single_byte() || !carries_ascii(charset) {
                kept
            } else {
                format!("a{kept}")
            };
            let (bytes, log) = encode(charset, mode, &kept, Unmappable::Skip);
            assert!(log.is_empty(), "{charset} {mode:?} {log:?}");
            let back = decode(charset, mode, &bytes).0;
            if back != kept {
                let (at, (c, d)) = kept
                    .chars()
                    .zip(back.chars())
                    .enumerate()
                    .find(|(_, (c, d))| c != d)
                    .unwrap();
                panic!("{charset} {mode:?}: at {at} {c:?} came back as {d:?}");
            }
        }
    }
}

#[test]
fn texts_come_back_or_are_recorded() {
    let alphabets = [
        "Grüße, naïve façade — €5 “x” ‘y’ …",
        "Привет, мир! Ґ є ї Ў ђ",
        "Γειά σου Κόσμε ά ώ",
        "שלום עולם ְֱֲ",
        "مرحبا بالعالم",
        "สวัสดีชาวโลก",
        "こんにちは世界ｱｲｳ、゛゜か゚",
        "你好，世界。简体繁體",
        "안녕하세요 세계",
        "Xin chào thế giới ấạ",
        "\u{1F600}\u{20BB7}",
        "+-~\\\u{A5}\u{203E}",
        "\r\n \t",
        "\0\u{7F}\u{85}\u{A0}",
        "\u{E5E5}\u{F8FF}\u{FEFF}\u{FFFD}",
    ];
    let mut random = Random(22);
    for (charset, mode) in charsets() {
        let usable: Vec<char> = alphabets
            .iter()
            .flat_map(|a| a.chars())
            .filter(|c| {
                encode(charset, mode, &c.to_string(), Unmappable::Skip)
                    .1
                    .is_empty()
            })
            .collect();
        if usable.is_empty() {
            assert!(
                charset.is_single_byte() && !charset.is_ascii_compatible(),
                "{charset} writes none of the texts"
            );
            continue;
        }
        for _ in 0..60 {
            let text: String = std::iter::once('a')
                .chain((0..random.below(40)).map(|_| *random.pick(&usable)))
                .collect();
            let (bytes, log) = encode(charset, mode, &text, Unmappable::Skip);
            if log.is_empty() {
                let back = decode(charset, mode, &bytes).0;
                assert!(
                    back == text,
                    "{charset} {mode:?} {text:?} {bytes:x?} {back:?}"
                );
            }
        }
    }
}
