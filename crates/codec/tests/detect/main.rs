//! Detection of charsets: shares of right answers.
//!
//! # Limits
//!
//! `answers` tests single answers. The shares of real text need the shared material.

mod answers;
#[path = "../common/samples.rs"]
#[allow(dead_code, reason = "the tool that prints the shares uses the rest")]
mod samples;
mod sentences;
#[path = "../common/shared_material.rs"]
mod shared_material;

use mailglot_codec::detect::{Hints, detect};
use mailglot_codec::{Charset, LossLog, Unmappable};
use samples::{NON_WEB, country, encoded, from_country, is_right};
use sentences::SENTENCES;
use std::collections::BTreeMap;

/// Whole sentences and their halves are read right in each of their charsets, without hints and with them.
#[test]
fn sentences_are_read_right() {
    let (mut all, mut wrong) = (0, Vec::new());
    for (language, charsets, sentence) in SENTENCES {
        let half: String = sentence
            .chars()
            .take(sentence.chars().count() / 2)
            .collect();
        for name in charsets.split(' ') {
            let charset = Charset::for_name(name).unwrap_or_else(|| panic!("{name}"));
            for text in [sentence, &half] {
                let mut log = LossLog::new();
                let bytes = charset.encode(text, Unmappable::Skip, &mut log);
                assert!(log.is_empty(), "{language} {name}: {:?}", log.kept());
                let by_tag = Hints {
                    language: Some(language),
                    ..Hints::default()
                };
                for hints in [Hints::default(), from_country(country(language)), by_tag] {
                    all += 1;
                    if !is_right(&bytes, text, &hints) {
                        wrong.push(format!(
                            "{name} {hints:?}: {}",
                            detect(&bytes, &hints).charset
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.len() * 50 <= all,
        "{} of {all}: {wrong:#?}",
        wrong.len()
    );
}

/// The goals, in tenths of a per cent: length, without hints, with the country.
const GOALS: [(u64, u32, u32); 4] = [
    (20, 960, 980),
    (50, 970, 985),
    (200, 990, 995),
    (1000, 990, 995),
];

#[test]
fn real_text_is_read_right() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let samples = samples::read(&shared);
    assert!(samples.len() > 4000);
    let mut shares: BTreeMap<u64, [u32; 3]> = BTreeMap::new();
    let mut other_family = 0;
    for sample in &samples {
        let hints = from_country(country(&sample.language));
        let right = is_right(&sample.bytes, &sample.text, &Hints::default());
        if sample.encoding == "utf-8" {
            assert!(right, "{}", sample.text);
            continue;
        }
        let [all, plain, with_country] = shares.entry(sample.length).or_default();
        *all += 1;
        *plain += u32::from(right);
        *with_country += u32::from(is_right(&sample.bytes, &sample.text, &hints));
        let name = detect(&sample.bytes, &Hints::default()).charset.name();
        let windows =
            sample.encoding.starts_with("cp125") || sample.encoding.starts_with("iso8859");
        other_family +=
            u32::from(windows && !name.starts_with("windows-") && !name.starts_with("ISO-8859-"));
    }
    for (length, goal, goal_country) in GOALS {
        let [all, plain, with_country] = shares[&length];
        assert!(plain * 1000 >= goal * all, "{length}: {plain} of {all}");
        assert!(
            with_country * 1000 >= goal_country * all,
            "{length} with country: {with_country} of {all}"
        );
    }
    assert!(
        other_family <= 2,
        "{other_family} samples of windows-125x and ISO 8859 detected as other charsets, such as DOS or Mac"
    );
}

#[test]
fn real_text_beyond_the_web_is_read_right() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let samples = samples::read(&shared);
    for (language, name) in NON_WEB {
        let charset = Charset::for_name(name).unwrap_or_else(|| panic!("{name}"));
        for characters in [50, 300] {
            let (mut all, mut right) = (0, 0);
            for sample in samples
                .iter()
                .filter(|s| s.language == language && s.length == 1000)
            {
                let Some((bytes, text)) = encoded(&sample.text, characters, charset) else {
                    continue;
                };
                all += 1;
                right += usize::from(is_right(&bytes, &text, &Hints::default()));
            }
            assert!(
                all >= 10 && right * 10 >= all * 9,
                "{language} {name} {characters}: {right} of {all}"
            );
        }
    }
}

/// Of what is said to be sure nearly all is right, of what is said to be doubtful less.
#[test]
fn confidence_is_what_it_says() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let mut buckets = [[0_u32; 2]; 10];
    for sample in samples::read(&shared) {
        // Long samples leave no doubt: their first bytes do.
        for length in [8, 12, sample.bytes.len()] {
            let Some(text) = sample.text.get(..).filter(|_| length <= sample.bytes.len()) else {
                continue;
            };
            let bytes = &sample.bytes[..length];
            if bytes.is_ascii() {
                continue;
            }
            let guess = detect(bytes, &Hints::default());
            let read = guess
                .charset
                .decode(bytes, &mut LossLog::with_limit(0))
                .into_owned();
            // Half a character at the end may be anything.
            let start = read.trim_end_matches(char::REPLACEMENT_CHARACTER);
            let bucket = &mut buckets[((guess.confidence * 10.0) as usize).min(9)];
            bucket[0] += 1;
            bucket[1] += u32::from(text.starts_with(start));
        }
    }
    for (low, least) in [(9, 90), (8, 70), (7, 60), (6, 45)] {
        let [all, right] = buckets[low];
        assert!(
            right * 100 >= least * all && all >= 10,
            "from 0.{low}: {right} of {all} right; {buckets:?}"
        );
    }
    let doubtful: u32 = buckets[..6].iter().map(|[all, _]| all).sum();
    let unsure: u32 = buckets[..6].iter().map(|[_, right]| right).sum();
    assert!(unsure * 100 <= doubtful * 75, "{buckets:?}");
}
