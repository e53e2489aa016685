//! Tests how much of UTF-8 that was read as windows-1252 is repaired on request, and that right text stays. The texts are words of 35
//! languages, as they are, in capitals, and with signs beside them. Also tests ISO-2022-JP without its escape characters.
//!
//! Reads the samples of detection in the folder that `MAILGLOT_SHARED` names; unpacks them with the system's `gzip`.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    reason = "the rates are for the reader of the test"
)]

#[path = "common/detection_samples.rs"]
mod detection_samples;
#[path = "../src/shared_material.rs"]
mod shared_material;

use mailglot_codec::{Charset, LossLog, Unmappable};
use mailglot_mime::encoded_word::{HeaderContext, Repairs};
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode;
use std::collections::BTreeSet;

/// What stands around words: quotes of several languages, and signs that look like the second half of a letter in UTF-8.
const SIGNS: [(&str, &str); 10] = [
    ("", ""),
    ("«", "»"),
    ("„", "“"),
    ("“", "”"),
    ("", "®"),
    ("", "™"),
    ("", "…"),
    ("", "\u{a0}:"),
    ("", "²"),
    ("", "’"),
];

#[test]
fn right_words_stay_and_damaged_ones_are_mended() {
    let Some(samples) = samples() else { return };
    let words: BTreeSet<&str> = samples
        .split_ascii_whitespace()
        .filter(|word| !word.is_ascii())
        .collect();
    let mut right: BTreeSet<String> = BTreeSet::new();
    for (word, (before, after)) in words.into_iter().zip(SIGNS.into_iter().cycle()) {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        for word in [word, &bare.to_uppercase(), &bare.to_lowercase()] {
            right.insert(word.to_owned());
            right.insert(format!("{before}{word}{after}"));
        }
    }
    right.retain(|word| !word.is_ascii());
    assert!(right.len() > 100_000, "{}", right.len());
    for word in &right {
        // Nobody writes these letters alone, but for the sign that they are in UTF-8.
        let is_alone = matches!(
            word.trim_end_matches(':').chars().collect::<Vec<_>>()[..],
            ['Ã' | 'Â', _]
        );
        assert!(
            mended(word) == *word || is_alone,
            "{word} became {}",
            mended(word)
        );
    }
    // Of words with one, two, three, and more characters beyond ASCII, per thousand.
    for (times, want) in [(1, [935, 990, 997, 998]), (2, [915, 985, 995, 997])] {
        let mut counts = [(0, 0); 4];
        for word in &right {
            let damaged = (0..times).fold(word.clone(), |word, _| damaged(&word));
            let beyond = word.chars().filter(|c| !c.is_ascii()).count();
            let (all, good) = &mut counts[beyond.min(4) - 1];
            *all += 1;
            *good += u32::from(mended(&damaged) == *word);
        }
        println!("read wrongly {times} times, words and mended ones: {counts:?}");
        for ((all, good), want) in counts.into_iter().zip(want) {
            assert!(good * 1000 >= all * want, "{times} {good} of {all}");
        }
    }
}

/// The same for ISO-2022-JP without its escape characters: pieces of Japanese, and words of ASCII behind a dollar sign.
#[test]
fn shifts_without_escape_characters_are_mended_and_prices_stay() {
    let Some(samples) = samples() else { return };
    let repairs = Repairs::default().escapes(true);
    let japanese = Charset::ISO_2022_JP;
    let mut counts = [(0, 0); 3];
    for line in samples
        .lines()
        .filter(|line| line.contains(|c: char| ('\u{3040}'..='\u{30FF}').contains(&c)))
    {
        let text: Vec<char> = line
            .chars()
            .filter(|c| matches!(c, '\u{3041}'..='\u{9FFF}'))
            .collect();
        for length in 2..=8_usize {
            let text: String = text.iter().take(length).collect();
            let mut log = LossLog::new();
            let bytes = japanese
                .encode(&text, Unmappable::Skip, &mut log)
                .into_owned();
            if log.is_empty() && text.chars().count() == length {
                let shown = String::from_utf8(bytes)
                    .expect("seven bits")
                    .replace('\x1b', "");
                let (all, good) = &mut counts[usize::from(length > 2) + usize::from(length > 4)];
                *all += 1;
                *good += u32::from(with(repairs, &shown) == text);
            }
        }
    }
    println!("pieces of two, up to four, and more characters: {counts:?}");
    for ((all, good), want) in counts.into_iter().zip([900, 950, 990]) {
        assert!(all > 300 && good * 1000 >= all * want, "{good} of {all}");
    }
    let words: BTreeSet<&str> = samples
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() > 2)
        .collect();
    assert!(words.len() > 5_000, "{}", words.len());
    for word in words {
        for word in [word, &word.to_uppercase(), &word.to_lowercase()] {
            for text in [
                format!("${word}(B)"),
                format!("${word}(Big)"),
                format!("$B{word}(B)"),
            ] {
                assert_eq!(with(repairs, &text), text);
            }
        }
    }
}

/// With the repair that is asked for.
fn mended(text: &str) -> String {
    with(Repairs::default().mojibake(true), text)
}

fn with(repairs: Repairs, text: &str) -> String {
    let context = HeaderContext::default().repairs(repairs);
    decode(
        text.as_bytes(),
        FieldKind::Unstructured,
        &context,
        &mut Vec::new(),
    )
    .into_owned()
}

/// As a program makes it that takes UTF-8 for windows-1252.
fn damaged(text: &str) -> String {
    Charset::WINDOWS_1252
        .decode(text.as_bytes(), &mut LossLog::new())
        .into_owned()
}

/// The shared samples, a line each.
fn samples() -> Option<String> {
    let samples = detection_samples::read(&shared_material::folder()?);
    let lines = samples.into_iter().map(|(_, text)| text + "\n");
    Some(lines.collect())
}
