//! Tests of the shared samples, and of East Asian labels.

use crate::{LABELS, assert_quiet, charset, detection_samples, encoded, read, shared_material};
use mailglot_codec::LossLog;

#[test]
fn real_texts_under_their_labels_are_left_in_peace() {
    let Some(samples) = samples() else { return };
    let (mut all, mut seen) = (0, std::collections::HashSet::new());
    for (_, text) in samples {
        if !seen.insert(text.clone()) {
            continue;
        }
        for label in LABELS.split_ascii_whitespace() {
            all += 1;
            assert_quiet(label, &text);
        }
    }
    assert!(all > 50_000, "{all}");
}

/// The shared samples: language and text.
fn samples() -> Option<Vec<(String, String)>> {
    Some(detection_samples::read(&shared_material::folder()?))
}

const EAST_ASIAN: [&str; 5] = ["GBK", "Big5", "EUC-KR", "Shift_JIS", "EUC-JP"];

/// Of three words, with a letter or two beyond ASCII, in UTF-8 under an East Asian label.
#[test]
fn few_words_of_latin_in_utf8_are_mostly_known_under_east_asian_labels() {
    let Some(samples) = samples() else { return };
    let (mut all, mut right) = (0, 0);
    let mut seen = std::collections::HashSet::new();
    for (language, text) in samples {
        if !["fr", "de", "es", "it", "pt", "sv", "da", "cs", "pl"].contains(&&*language) {
            continue;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        for three in words.chunks_exact(3).take(20) {
            let three = three.join(" ");
            if three.is_ascii() || !seen.insert(three.clone()) {
                continue;
            }
            for label in EAST_ASIAN {
                all += 1;
                right += usize::from(read(label, three.as_bytes()).0 == three);
            }
        }
    }
    println!("{right} of {all}");
    assert!(all > 2_000 && right * 100 >= all * 75, "{right} of {all}");
}

/// What is rightly labelled and valid UTF-8 by chance stays, among words of ASCII, too.
#[test]
fn east_asian_text_that_is_utf8_by_chance_keeps_its_label() {
    let mut all = 0;
    for label in EAST_ASIAN {
        let charset = charset(label);
        for lead in 0xC2..=0xDF_u8 {
            for trail in 0x80..=0xBF {
                let c = charset
                    .decode(&[lead, trail], &mut LossLog::new())
                    .into_owned();
                if c.chars().count() != 1 || c == "\u{FFFD}" {
                    continue;
                }
                for shape in [
                    "@",
                    "Re: @",
                    "ok@",
                    "OK@",
                    "T@",
                    "A@B",
                    "@OK",
                    "Windows@",
                    "the@end",
                    "hello@",
                    "K@ and more words",
                    "see @ and @",
                    "@: report.doc",
                    "Windows@Office",
                ] {
                    let text = shape.replace('@', &c);
                    let Some(bytes) = encoded(&text, charset) else {
                        continue;
                    };
                    all += 1;
                    let (found, told) = read(label, &bytes);
                    // Between small letters, rare characters are letters of UTF-8 (`Gro脽e`). That is reported.
                    let is_reported = shape == "the@end"
                        && told.iter().any(|event| event.contains("utf8-in-legacy"));
                    assert!(found == text || is_reported, "{label} {text} {found}");
                }
            }
        }
    }
    assert!(all > 50_000, "{all}");
}
