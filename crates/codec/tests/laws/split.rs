//! The split law of decoders: cut anywhere, the input gives the same text and the same records.

use crate::common::{Random, decode, decode_pieces, split_everywhere};
use crate::inputs::{CORNERS, LETTERS, charsets, samples};
use mailglot_codec::{Charset, DecodeOptions, Decoder, LossLog, Marks, Mode, Unmappable};

#[test]
fn splitting_changes_nothing() {
    let mut random = Random(1);
    for (charset, mode) in charsets() {
        let (sequences, noise) = if charset.is_single_byte() {
            (4, 4)
        } else {
            (60, 20)
        };
        for sample in samples(&mut random, sequences, noise) {
            split_everywhere(charset, mode, &sample, &mut random);
        }
    }
}

#[test]
fn every_pair_of_splits_changes_nothing() {
    let mut random = Random(7);
    for (charset, mode) in charsets() {
        let share = if charset.is_single_byte() { 40 } else { 8 };
        for (at, corner) in CORNERS.iter().enumerate() {
            // A share of the corners behind each length of ASCII; every corner behind some.
            let turn = random.below(share) as usize;
            for ahead in (0..32).filter(|n| (at + n) % share as usize == turn) {
                let next = random.pick(&CORNERS);
                let input = [&LETTERS.as_bytes()[..ahead.min(31)], corner, next].concat();
                let whole = decode(charset, mode, &input);
                let from = ahead.saturating_sub(2);
                for one in from..=input.len() {
                    for two in one..=input.len() {
                        let pieces = [&input[..one], &input[one..two], &input[two..]];
                        let split = decode_pieces(charset, mode, pieces);
                        assert!(
                            split == whole,
                            "{charset} {mode:?} {pieces:x?}\n{split:?}\n{whole:?}"
                        );
                    }
                }
            }
        }
    }
}

/// A UTF-8 mark that is kept once decided the byte order of UTF-16 only if a piece ended behind it.
#[test]
fn splitting_changes_nothing_near_byte_order_marks() {
    const STARTS: [&[u8]; 7] = [
        b"\xEF\xBB\xBF",
        b"\xFE\xFF",
        b"\xFF\xFE",
        b"\xFF\xFE\0\0",
        b"\0\0\xFE\xFF",
        b"\xF7\x64\x4C",
        b"\x0E\xFE\xFF",
    ];
    const ENDS: [&[u8]; 6] = [b"", b"\0\0\x01", b"abc", b"\0A\0B", b"A\0B\0", b"\xE9"];
    let decode = |charset, options, pieces: &[&[u8]]| {
        let (mut text, mut log) = (String::new(), LossLog::with_limit(1000));
        let mut decoder = Decoder::with(charset, options);
        for piece in pieces {
            decoder.push(piece, &mut text, &mut log);
        }
        decoder.finish(&mut text, &mut log);
        (text, log)
    };
    for (charset, mode) in charsets() {
        for marks in [Marks::ByMode, Marks::Keep, Marks::Web] {
            let options = DecodeOptions::new(mode).marks(marks);
            for start in STARTS {
                for end in ENDS {
                    let input = [start, end].concat();
                    let mut log = LossLog::with_limit(1000);
                    let text = charset.decode_with(&input, options, &mut log).into_owned();
                    let whole = (text, log);
                    for at in 0..=input.len() {
                        let split = decode(charset, options, &[&input[..at], &input[at..]]);
                        assert!(
                            split == whole,
                            "{charset} {options:?} {at} {input:x?}\n{split:?}\n{whole:?}"
                        );
                    }
                    let pieces: Vec<_> = input.chunks(1).collect();
                    assert!(
                        decode(charset, options, &pieces) == whole,
                        "{charset} {input:x?}"
                    );
                }
            }
        }
    }
}

#[test]
fn splitting_text_changes_nothing() {
    let text =
        "Grüße, Привет, γειά, 日本語ｱｲｳ — €100\r\n안녕하세요 שלום 漢字 \u{1F600}!\r\n".repeat(12);
    let mut random = Random(2);
    let mut log = LossLog::new();
    for charset in Charset::all() {
        let mut bytes = charset
            .encode(&text, Unmappable::QuestionMark, &mut log)
            .into_owned();
        split_everywhere(charset, Mode::Lenient, &bytes, &mut random);
        split_everywhere(charset, Mode::Strict, &bytes, &mut random);
        for _ in 0..20 {
            // A charset of signs alone may have written nothing.
            if !bytes.is_empty() {
                let at = random.below(bytes.len() as u32) as usize;
                bytes[at] = random.next() as u8;
            }
        }
        split_everywhere(charset, Mode::Lenient, &bytes, &mut random);
    }
}

#[test]
fn long_random_input_neither_panics_nor_splits() {
    let mut random = Random(3);
    for (charset, mode) in charsets() {
        for size in if charset.is_single_byte() {
            &[700][..]
        } else {
            &[3_001]
        } {
            let noise: Vec<u8> = (0..*size).map(|_| random.next() as u8).collect();
            split_everywhere(charset, mode, &noise, &mut random);
            let corners: Vec<u8> = (0..size / 3)
                .flat_map(|_| random.pick(&CORNERS).to_vec())
                .collect();
            split_everywhere(charset, mode, &corners, &mut random);
            let (text, log) = decode(charset, mode, &corners);
            let starts: Vec<u64> = log.kept().iter().map(|l| l.bytes.start).collect();
            assert!(starts.is_sorted(), "{charset}");
            assert!(
                log.kept()
                    .iter()
                    .all(|l| l.bytes.start <= l.bytes.end && l.bytes.end <= corners.len() as u64),
                "{charset}"
            );
            // What was replaced is in the log. Text itself may hold U+FFFD too.
            assert!(!text.contains('\u{FFFD}') || log.losses() > 0, "{charset}");
        }
    }
}
