//! The samples that detection is measured on: real text in 35 languages (`data/charsets/detect_samples_dev.jsonl.gz` of the
//! reference data that `MAILGLOT_SHARED` names).
//!
//! # Limits
//! Unpacks with the system's `gzip`.
#![allow(clippy::panic, reason = "a missing sample fails the test")]
#![allow(unreachable_pub, reason = "the package of tests publishes it")]

use mailglot_codec::detect::{Hints, detect};
use mailglot_codec::{Charset, LossLog, Unmappable};
use std::path::Path;
use std::process::Command;

/// One sample.
#[derive(Clone, Debug)]
pub struct Sample {
    /// As the file names it: `zh_CN`.
    pub language: String,
    /// Python's name of the encoding, or ours.
    pub encoding: String,
    /// Whether mail in this language is often in it.
    pub is_common: bool,
    /// Wanted number of bytes: 20, 50, 200, 1000.
    pub length: u64,
    /// The text in the encoding.
    pub bytes: Vec<u8>,
    /// The text.
    pub text: String,
}

/// All samples of the reference data in this folder.
pub fn read(shared: &Path) -> Vec<Sample> {
    let path = shared.join("data/charsets/detect_samples_dev.jsonl.gz");
    let unpacked = Command::new("gzip")
        .arg("-dc")
        .arg(&path)
        .output()
        .expect("gzip runs");
    assert!(
        unpacked.status.success(),
        "{}: {}",
        path.display(),
        String::from_utf8_lossy(&unpacked.stderr)
    );
    let lines = String::from_utf8(unpacked.stdout).expect("samples are UTF-8");
    lines.lines().map(sample).collect()
}

fn sample(line: &str) -> Sample {
    let value: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
    let text = |name: &str| value[name].as_str().expect("a string").to_owned();
    let hex = text("hex");
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    Sample {
        language: text("lang"),
        encoding: text("enc"),
        is_common: true,
        length: value["len"].as_u64().expect("a number"),
        bytes: (0..hex.len()).step_by(2).map(byte).collect(),
        text: text("text"),
    }
}

/// The country that a language's mail comes from most.
pub fn country(language: &str) -> &str {
    match language {
        "nb" => "no",
        "da" => "dk",
        "sv" => "se",
        "cs" => "cz",
        "sl" => "si",
        "uk" => "ua",
        "sr" => "rs",
        "el" => "gr",
        "he" => "il",
        "ar" => "eg",
        "fa" => "ir",
        "et" => "ee",
        "ja" => "jp",
        "ko" => "kr",
        "zh_CN" => "cn",
        "zh_TW" => "tw",
        same => same,
    }
}

/// Hints with this country.
pub fn from_country(country: &str) -> Hints<'_> {
    Hints {
        country: Some(country),
        ..Hints::default()
    }
}

/// Whether detection finds a charset that gives this text.
pub fn is_right(bytes: &[u8], text: &str, hints: &Hints<'_>) -> bool {
    reads(detect(bytes, hints).charset, bytes, text)
}

/// Whether a charset gives this text.
pub fn reads(charset: Charset, bytes: &[u8], text: &str) -> bool {
    charset.decode(bytes, &mut LossLog::with_limit(0)) == text
}

/// Languages and charsets beyond the web's (`detect_nonweb.csv`).
pub const NON_WEB: [(&str, &str); 20] = [
    ("de", "IBM850"),
    ("fr", "IBM850"),
    ("pl", "IBM852"),
    ("el", "CP737"),
    ("fr", "macintosh"),
    ("de", "macintosh"),
    ("ru", "x-mac-cyrillic"),
    ("ko", "ISO-2022-KR"),
    ("zh_CN", "HZ-GB-2312"),
    ("ja", "ISO-2022-JP"),
    ("de", "UTF-7"),
    ("ru", "UTF-7"),
    ("ja", "UTF-7"),
    ("de", "UTF-16LE"),
    ("ru", "UTF-16LE"),
    ("ja", "UTF-16BE"),
    ("de", "UTF-16BE"),
    ("tr", "IBM857"),
    ("he", "IBM862"),
    ("ko", "JOHAB"),
];

/// The first characters of a text in a charset, if it has them all and they are not ASCII only; and that beginning.
pub fn encoded(text: &str, characters: usize, charset: Charset) -> Option<(Vec<u8>, String)> {
    let start: String = text.chars().take(characters).collect();
    let mut log = LossLog::with_limit(0);
    let bytes = charset
        .encode(&start, Unmappable::Skip, &mut log)
        .into_owned();
    (log.is_empty() && !start.is_ascii() && reads(charset, &bytes, &start))
        .then_some((bytes, start))
}

/// Samples of text that no model has seen: of each language in each of its charsets, `count` of every length. `texts` has a file
/// `LANG.txt` for each language; `table` is `data/languages.tsv`.
pub fn of_texts(texts: &Path, table: &str, count: usize) -> Vec<Sample> {
    let mut samples = Vec::new();
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let [language, _, _, _, common, rare] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not six columns: {row}")
        };
        let path = texts.join(format!("{language}.txt"));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines: Vec<&str> = text.lines().collect();
        let names = common
            .split(' ')
            .chain(rare.split(' '))
            .filter(|name| *name != "-")
            .chain(["UTF-8"]);
        for name in names {
            let charset = Charset::for_name(name).unwrap_or_else(|| panic!("{name}"));
            for length in LENGTHS {
                samples.extend(spread(&lines, count, charset, length).map(|(bytes, text)| {
                    Sample {
                        language: language.to_owned(),
                        encoding: name.to_owned(),
                        is_common: common.split(' ').any(|other| other == name),
                        length,
                        bytes,
                        text,
                    }
                }));
            }
        }
    }
    samples
}

/// Lengths of samples in bytes.
pub const LENGTHS: [u64; 4] = [20, 50, 200, 1000];

/// Excerpts of a text, at equal distances.
fn spread<'a>(
    lines: &'a [&'a str],
    count: usize,
    charset: Charset,
    length: u64,
) -> impl Iterator<Item = (Vec<u8>, String)> + use<'a> {
    // An excerpt that the charset cannot hold gives way to the next.
    let tries = move |nth: usize| (0..40).map(move |next| lines.len() * nth / count + next);
    (0..count).filter_map(move |nth| {
        tries(nth).find_map(|at| excerpt(lines.get(at..)?, charset, length as usize))
    })
}

/// The start of some lines in a charset, as long as it fits into so many bytes.
fn excerpt(lines: &[&str], charset: Charset, length: usize) -> Option<(Vec<u8>, String)> {
    let (mut text, mut size) = (String::new(), 0);
    for c in lines.iter().flat_map(|line| line.chars().chain(['\n'])) {
        let mut one = [0; 4];
        let mut log = LossLog::with_limit(0);
        size += charset
            .encode(c.encode_utf8(&mut one), Unmappable::Skip, &mut log)
            .len();
        if !log.is_empty() {
            return None;
        }
        if size > length {
            break;
        }
        text.push(c);
    }
    encoded(&text, usize::MAX, charset)
}

/// Bytes that are text in no charset that is guessed: EBCDIC, noise of several kinds, numbers.
pub fn noise() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let german = "Sehr geehrte Damen und Herren, anbei erhalten Sie die Rechnung für die Lieferung vom 12. März.";
    let english = "Dear Sir, please find enclosed the invoice for our delivery of March 12. Yours faithfully, John Smith";
    for (name, text) in [
        ("IBM037", english),
        ("IBM500", english),
        ("IBM273", german),
        ("IBM1047", english),
        ("IBM01140", german),
    ] {
        let charset = Charset::for_name(name).unwrap_or_else(|| panic!("{name}"));
        for characters in [20, 50, 100] {
            let start: String = text.chars().take(characters).collect();
            let bytes = charset
                .encode_exact(&start)
                .expect("the charset has every character")
                .into_owned();
            all.push((format!("{name} {characters}"), bytes));
        }
    }
    let mut state = 1_u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    for length in [20, 50, 200, 1000_u32] {
        all.push((
            format!("any bytes {length}"),
            (0..length).map(|_| next()).collect(),
        ));
        all.push((
            format!("high bytes {length}"),
            (0..length).map(|_| next() | 0x80).collect(),
        ));
        all.push((
            format!("A1-FE {length}"),
            (0..length).map(|_| 0xA1 + next() % 0x5E).collect(),
        ));
        let numbers = (0..length / 4).flat_map(|n| (n * 77_777).to_le_bytes());
        all.push((format!("numbers {length}"), numbers.collect()));
        let samples =
            (0..length / 2).flat_map(|n| ((f64::from(n) / 5.0).sin() * 20_000.0).to_be_bytes());
        all.push((
            format!("floats {length}"),
            samples.take(length as usize).collect(),
        ));
    }
    all
}
