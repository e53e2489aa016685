//! Laws that hold for every decoder and any input: splitting changes nothing, nothing panics, time is linear.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test may fail by panic")]

mod common;

use common::{Random, decode, split_everywhere};
use mailglot_codec::{Charset, LossLog, Mode, Unmappable};
use std::time::{Duration, Instant};

/// Pieces of input that reach the corners of the machines.
const CORNERS: &[&[u8]] = &[
    b"",
    b"a",
    b"\xE2\x82\xAC",
    b"\xF0\x9F\x92\xA9",
    b"\xED\xA0\xBD\xED\xB8\x80",
    b"\xED\xA0\xBD\xED",
    b"\xC0\x80",
    b"\xFC\x84\x80\x80\x80\x80",
    b"\xFC\x84\x80",
    b"\xF4\x90\x80\x80",
    b"\xEF\xBB\xBF",
    b"\xFE\xFF",
    b"\xFF\xFE",
    b"\xFF\xFE\0\0",
    b"\0\0\xFE\xFF",
    b"\xD8\x3D\xDE\x00",
    b"\x3D\xD8\x00\xDE",
    b"\xD8\x3D",
    b"\0A\0B",
    b"A\0B\0",
    b"+AGEAYgBj-",
    b"+",
    b"+-",
    b"+2D0-",
    b"+3gA-",
    b"+2D0",
    b"+AKN-",
    b"+AKMA",
    b"+AK",
    b"+/v8-",
    b"+ZeVnLIqe",
    b"\\~",
    b"-",
    b"\x1b$B",
    b"\x1b(B",
    b"\x1b(J",
    b"\x1b(I",
    b"\x1b$(D",
    b"\x1b$A",
    b"\x1b$(C",
    b"\x1b.A\x1bNi",
    b"\x1b.F\x1bN",
    b"\x1b&@",
    b"\x1b",
    b"\x1b$",
    b"\x1b(H",
    b"\x0e12\x0f",
    b"$3$s$K$A$O",
    b"$",
    b"\r\n",
    b"\n",
    b" ",
    b"\x81\x30\x81\x30",
    b"\x81\x30\x81",
    b"\x81\x30",
    b"\x84\x31\xA4\x37",
    b"\x93\xFA\x96\x7B",
    b"\x8F\xB0\xA1",
    b"\x8E\xB1",
    b"\x88\x62",
    b"\x88\x66",
    b"\x80",
    b"\xFF",
    b"\xA1",
    b"\x1b$)C",
    b"~{VPND~}",
    b"~~",
    b"~\n",
    b"~x",
];

fn samples(random: &mut Random) -> Vec<Vec<u8>> {
    let mut samples: Vec<Vec<u8>> = CORNERS.iter().map(|c| c.to_vec()).collect();
    for _ in 0..60 {
        let n = 1 + random.below(6);
        samples.push((0..n).flat_map(|_| random.pick(CORNERS).to_vec()).collect());
    }
    for _ in 0..20 {
        let n = random.below(60);
        samples.push((0..n).map(|_| random.next() as u8).collect());
    }
    samples
}

#[test]
fn splitting_changes_nothing() {
    let mut random = Random(1);
    for charset in Charset::all() {
        for mode in [Mode::Lenient, Mode::Strict] {
            for sample in samples(&mut random) {
                split_everywhere(charset, mode, &sample, &mut random);
            }
        }
    }
}

#[test]
fn splitting_text_changes_nothing() {
    let text = "Grüße, Привет, γειά, 日本語ｱｲｳ — €100\r\n안녕하세요 שלום 漢字 \u{1F600}!\r\n".repeat(12);
    let mut random = Random(2);
    let mut log = LossLog::new();
    for charset in Charset::all() {
        let mut bytes = charset.encode(&text, Unmappable::QuestionMark, &mut log).into_owned();
        split_everywhere(charset, Mode::Lenient, &bytes, &mut random);
        split_everywhere(charset, Mode::Strict, &bytes, &mut random);
        for _ in 0..20 {
            let at = random.below(bytes.len() as u32) as usize;
            bytes[at] = random.next() as u8;
        }
        split_everywhere(charset, Mode::Lenient, &bytes, &mut random);
    }
}

#[test]
fn long_random_input_neither_panics_nor_splits() {
    let mut random = Random(3);
    for charset in Charset::all() {
        for size in [5_000, 3_001] {
            let noise: Vec<u8> = (0..size).map(|_| random.next() as u8).collect();
            split_everywhere(charset, Mode::Lenient, &noise, &mut random);
            let corners: Vec<u8> = (0..size / 3).flat_map(|_| random.pick(CORNERS).to_vec()).collect();
            split_everywhere(charset, Mode::Lenient, &corners, &mut random);
            let (text, log) = decode(charset, Mode::Lenient, &corners);
            assert!(log.kept().windows(2).all(|w| w[0].bytes.start <= w[1].bytes.start), "{charset}");
            assert!(log.kept().iter().all(|l| l.bytes.end <= corners.len() as u64), "{charset}");
            // What was replaced is in the log. Text itself may hold U+FFFD too.
            assert!(!text.contains('\u{FFFD}') || log.losses() > 0, "{charset}");
        }
    }
}

#[test]
fn time_is_linear() {
    let units: &[&[u8]] = &[
        b"\xFF",
        b"\x80",
        b"\xF0\x9F\x92",
        b"+",
        b"+-",
        b"+2D0-",
        b"+AK-",
        b"+AAAA",
        b"\x1b$B",
        b"\x1b",
        b"\x1b$B$\n",
        b"\x81\x30\x81",
        b"\x8F\xA1",
        b"\xD8\x3D",
        b"\0",
        b"\xED\xA0\xBD",
        b"a\xE9",
        b"\x81",
        b"~",
        b"\x0e\x0f",
    ];
    let time = |charset: Charset, bytes: &[u8]| -> Duration {
        (0..3)
            .map(|_| {
                let begin = Instant::now();
                let mut log = LossLog::new();
                std::hint::black_box(charset.decode(bytes, &mut log));
                begin.elapsed()
            })
            .min()
            .unwrap_or_default()
    };
    for charset in Charset::all().filter(|c| c.superset() == *c) {
        for unit in units {
            let small = time(charset, &unit.repeat(2_000));
            let large = time(charset, &unit.repeat(20_000));
            assert!(
                large < small * 30 + Duration::from_millis(20),
                "{charset} {unit:x?}: {small:?} for 2,000, {large:?} for 20,000"
            );
        }
    }
}
