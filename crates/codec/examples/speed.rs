//! Decoding speed beside `encoding_rs`, in MB of input a second: `cargo run --release --example speed`.
//!
//! # Limits
//! Text made by repetition; one thread; best of several runs.
#![allow(clippy::print_stdout, reason = "a program that prints")]

use mailglot_codec::{Charset, LossLog, Unmappable};
use std::hint::black_box;
use std::time::Instant;

const FRENCH: &str =
    "Après l'été, les élèves étaient déjà à l'école; où êtes-vous allés, François? ";
const ENGLISH: &str =
    "The quick brown fox jumps over the lazy dog, and nothing else happens all day. ";
const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю. ";
const POLISH: &str = "Zażółć gęślą jaźń. Pchnąć w tę łódź jeża lub ośm skrzyń fig. ";
const JAPANESE: &str = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\r\n";
const CHINESE: &str = "道可道,非常道。名可名,非常名。 ";
const KOREAN: &str = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. ";

fn main() {
    println!(
        "{:<14}{:<10}{:>9}{:>9}{:>9}{:>9}{:>12}",
        "charset", "text", "40 B", "200 B", "4 kB", "4 MB", "encoding_rs"
    );
    for (charset, name, text) in [
        (Charset::UTF_8, "English", ENGLISH),
        (Charset::UTF_8, "Japanese", JAPANESE),
        (Charset::WINDOWS_1252, "French", FRENCH),
        (Charset::WINDOWS_1252, "English", ENGLISH),
        (Charset::KOI8_R, "Russian", RUSSIAN),
        (Charset::ISO_8859_2, "Polish", POLISH),
        (Charset::GBK, "Chinese", CHINESE),
        (Charset::BIG5, "Chinese", CHINESE),
        (Charset::SHIFT_JIS, "Japanese", JAPANESE),
        (Charset::EUC_JP, "Japanese", JAPANESE),
        (Charset::EUC_KR, "Korean", KOREAN),
        (Charset::ISO_2022_JP, "Japanese", JAPANESE),
        (Charset::UTF_7, "Japanese", JAPANESE),
        (Charset::UTF_7, "English", ENGLISH),
        (Charset::UTF_16LE, "Japanese", JAPANESE),
        (Charset::UTF_16LE, "English", ENGLISH),
    ] {
        let mut log = LossLog::new();
        let text = mixed(text, charset, 4_000_000);
        let bytes = charset.encode(&text, Unmappable::QuestionMark, &mut log);
        let ours = |size: usize| {
            let piece = &bytes[..size.min(bytes.len())];
            speed(piece, |piece| {
                let mut log = LossLog::new();
                black_box(charset.decode(piece, &mut log));
            })
        };
        let theirs = encoding_rs::Encoding::for_label(charset.name().as_bytes()).map(|encoding| {
            speed(&bytes, |bytes| {
                black_box(encoding.decode_without_bom_handling(bytes));
            })
        });
        println!(
            "{:<14}{:<10}{:>9.0}{:>9.0}{:>9.0}{:>9.0}{:>12.0}   encode {:.0}",
            charset.name(),
            name,
            ours(40),
            ours(200),
            ours(4_000),
            ours(4_000_000),
            theirs.unwrap_or(f64::NAN),
            speed(text.as_bytes(), |_| {
                black_box(charset.encode(&text, Unmappable::QuestionMark, &mut LossLog::new()));
            })
        );
    }
}

/// Returns the words or signs of a text in random order, so that the processor cannot learn the text by heart. East
/// Asian ones have random characters of the charset between them.
fn mixed(text: &str, charset: Charset, len: usize) -> String {
    let ideographs: Vec<char> = ('\u{4E00}'..='\u{9FFF}')
        .filter(|c| {
            let mut log = LossLog::new();
            charset.encode(c.encode_utf8(&mut [0; 4]), Unmappable::Skip, &mut log);
            log.is_empty()
        })
        .collect();
    let east_asian = text.chars().any(|c| c > '\u{2E80}');
    let pieces: Vec<&str> = if east_asian {
        text.split_inclusive(|_| true).collect()
    } else {
        text.split_inclusive(' ').collect()
    };
    let mut random = 1_u64;
    let mut below = |end: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % end
    };
    let mut out = String::new();
    while out.len() < len {
        out.push_str(pieces[below(pieces.len())]);
        if east_asian && !ideographs.is_empty() && below(3) == 0 {
            out.push(ideographs[below(ideographs.len())]);
        }
    }
    out
}

/// MB/s, the best of the runs that fit into a quarter of a second.
fn speed(bytes: &[u8], mut work: impl FnMut(&[u8])) -> f64 {
    let turns = (200_000 / bytes.len()).max(1);
    let begin = Instant::now();
    let mut best = f64::MAX;
    while begin.elapsed().as_millis() < 200 {
        let start = Instant::now();
        for _ in 0..turns {
            work(black_box(bytes));
        }
        best = best.min(start.elapsed().as_secs_f64() / turns as f64);
    }
    bytes.len() as f64 / best / 1e6
}
