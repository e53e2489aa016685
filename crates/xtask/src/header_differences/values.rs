//! A grammar of header values: words, white space, damage.

use super::samples::{ALIASES, SAMPLES, SUPERSETS, Sample, WHOLE};
use std::fmt::Write as _;

/// A value with what is known of it.
pub(super) struct Value {
    pub(super) bytes: Vec<u8>,
    /// What is odd about it.
    pub(super) kind: &'static str,
    /// Its text, if a standard or a rule of ours decides it.
    pub(super) text: Option<String>,
}

/// xorshift64*
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }

    fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }

    fn sample_where(&mut self, fits: impl Fn(&Sample) -> bool) -> Sample {
        let samples: Vec<Sample> = SAMPLES.into_iter().filter(fits).collect();
        *self.pick(&samples)
    }
}

/// The bytes of a value, and its text if it is known.
type Made = (Vec<u8>, Option<String>);

/// A function that makes a value of one kind.
type ValueMaker = fn(&mut Random) -> Made;

/// The kinds, with the rule that decides their text.
pub(super) const KINDS: [(&str, &str, ValueMaker); 41] = [
    ("plain", "RFC 2047 2", plain),
    ("stateful", "RFC 2047 3", |random| word_of(random, &WHOLE)),
    ("superset", "RFC 2047 3; WHATWG Encoding 4.2", |random| {
        word_of(random, &SUPERSETS)
    }),
    ("text-around", "RFC 2047 6.2", text_around),
    ("adjacent", "RFC 2047 6.2", |random| {
        two(random, Join::Space)
    }),
    ("adjacent-fold", "RFC 2047 6.2", |random| {
        two(random, Join::Fold)
    }),
    ("adjacent-line-end", "RFC 2047 6.2", |random| {
        two(random, Join::LineEnd)
    }),
    ("adjacent-glued", "RFC 2047 6.2", |random| {
        two(random, Join::Nothing)
    }),
    ("adjacent-charsets", "RFC 2047 6.2", adjacent_charsets),
    ("split-character", "RFC 2047 5", split_character),
    ("language", "RFC 2231 5", language),
    ("alias", "IANA charset registry; WHATWG Encoding 4.2", alias),
    ("label-case", "RFC 2047 2", label_case),
    ("glued-before", "RFC 2047 6.3", |random| {
        around(random, "x", "")
    }),
    ("glued-after", "RFC 2047 6.3", glued_after),
    ("in-quotes", "RFC 2047 6.3", |random| {
        around(random, "\"", "\"")
    }),
    ("in-comment", "RFC 2047 5 (2)", |random| {
        around(random, "(", ")")
    }),
    ("question-mark", "RFC 2047 6.3", question_mark),
    ("lower-hex", "RFC 2047 4.2", lower_hex),
    ("space-in-q", "RFC 2047 6.3", space_in_q),
    ("fold-in-q", "RFC 2047 6.3", fold_in_q),
    ("space-in-b", "RFC 2047 6.3", space_in_b),
    ("empty", "RFC 2047 6.3", empty),
    ("long", "RFC 2047 6.3", long),
    ("no-padding", "RFC 2047 6.3", no_padding),
    ("more-padding", "RFC 2047 6.3", more_padding),
    ("foreign-in-b", "RFC 2047 6.3", foreign_in_b),
    ("stray-padding", "RFC 2047 6.3", stray_padding),
    ("bad-escape", "RFC 2047 6.3", bad_escape),
    ("unknown-charset", "RFC 2047 6.3", unknown_charset),
    ("empty-charset", "RFC 2047 6.3", empty_charset),
    ("bad-letter", "RFC 2047 6.1", bad_letter),
    ("no-end", "RFC 2047 6.1", no_end),
    ("raw-utf-8", "RFC 6532 3.1", raw_utf8),
    ("raw-8bit", "RFC 2047 6.3", raw_8bit),
    ("control", "RFC 2047 6.3", control),
    ("damaged-utf-8", "Unicode 3.9", damaged_utf8),
    ("cut-utf-8", "Unicode 3.9", cut_utf8),
    ("legacy-under-utf-8", "RFC 2047 6.3", legacy_under_utf8),
    (
        "utf-16-of-ascii-bytes",
        "RFC 2781 4.3",
        utf16_of_ascii_bytes,
    ),
    ("half-before-whole", "RFC 2047 5", half_before_whole),
];

pub(super) fn value(random: &mut Random) -> Value {
    let (kind, _, make) = *random.pick(&KINDS);
    let (bytes, text) = make(random);
    Value { bytes, kind, text }
}

/// The encoding of a word.
#[derive(Clone, Copy)]
enum Letter {
    B,
    Q,
}

fn letter(random: &mut Random) -> Letter {
    if random.below(2) == 0 {
        Letter::B
    } else {
        Letter::Q
    }
}

fn b(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let six = (bits >> (18 - 6 * place)) as usize & 63;
            out.push(if place <= chunk.len() {
                char::from(ALPHABET[six])
            } else {
                '='
            });
        }
    }
    out
}

fn q(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b' ' => out.push('_'),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(*byte)),
            _ => drop(write!(out, "={byte:02X}")),
        }
    }
    out
}

/// Returns a sample as a word.
fn whole(random: &mut Random, sample: Sample) -> String {
    word(sample.label, letter(random), sample.bytes)
}

fn word(label: &str, letter: Letter, bytes: &[u8]) -> String {
    match letter {
        Letter::B => format!("=?{label}?B?{}?=", b(bytes)),
        Letter::Q => format!("=?{label}?Q?{}?=", q(bytes)),
    }
}

fn known(value: String, text: impl Into<String>) -> Made {
    (value.into_bytes(), Some(text.into()))
}

fn word_of(random: &mut Random, list: &[Sample]) -> Made {
    let sample = *random.pick(list);
    known(whole(random, sample), sample.text)
}

fn plain(random: &mut Random) -> Made {
    word_of(random, &SAMPLES)
}

fn text_around(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let before = *random.pick(&["", "Re: ", "[list] ", "a  ", "x\r\n "]);
    let after = *random.pick(&["", " (1)", " end", "\r\n end", "\tx"]);
    let value = format!("{before}{}{after}", whole(random, sample));
    known(value, format!("{before}{}{after}", sample.text))
}

/// The characters of a sample as bytes and text: one byte each, or pairs above 7F.
fn characters(sample: Sample) -> Vec<(Vec<u8>, String)> {
    let is_utf8 = sample.label == "UTF-8";
    let is_double = matches!(
        sample.label,
        "Shift_JIS" | "EUC-JP" | "GB2312" | "GBK" | "Big5" | "EUC-KR"
    );
    let mut at = 0;
    sample
        .text
        .chars()
        .map(|c| {
            let len = match () {
                () if is_utf8 => c.len_utf8(),
                () if is_double && sample.bytes[at] >= 0x80 => 2,
                () => 1,
            };
            at += len;
            (sample.bytes[at - len..at].to_vec(), c.to_string())
        })
        .collect()
}

#[derive(Clone, Copy)]
enum Join {
    Space,
    Fold,
    LineEnd,
    Nothing,
}

fn two(random: &mut Random, join: Join) -> Made {
    let sample = *random.pick(&SAMPLES);
    let characters = characters(sample);
    let cut = 1 + random.below(characters.len() - 1);
    let joined = |part: &[(Vec<u8>, String)]| {
        part.iter()
            .flat_map(|(bytes, _)| bytes.clone())
            .collect::<Vec<u8>>()
    };
    let between = match join {
        Join::Space => *random.pick(&[" ", "  ", "\t", " \t"]),
        Join::Fold => *random.pick(&["\r\n ", "\r\n\t", "\n ", " \r\n  "]),
        Join::LineEnd => *random.pick(&["\r\n", "\n"]),
        Join::Nothing => "",
    };
    let first = word(sample.label, letter(random), &joined(&characters[..cut]));
    let second = word(sample.label, letter(random), &joined(&characters[cut..]));
    known(format!("{first}{between}{second}"), sample.text)
}

fn adjacent_charsets(random: &mut Random) -> Made {
    let (one, other) = (*random.pick(&SAMPLES), *random.pick(&SAMPLES));
    let first = whole(random, one);
    let second = whole(random, other);
    known(
        format!("{first} {second}"),
        format!("{}{}", one.text, other.text),
    )
}

fn split_character(random: &mut Random) -> Made {
    let list = SAMPLES.map(|sample| sample);
    let sample = loop {
        let sample = *random.pick(&list);
        if sample.bytes.len() > sample.text.chars().count() {
            break sample;
        }
    };
    let inside: Vec<usize> = {
        let mut at = 0;
        let mut list = Vec::new();
        for (bytes, _) in characters(sample) {
            list.extend(at + 1..at + bytes.len());
            at += bytes.len();
        }
        list
    };
    let cut = *random.pick(&inside);
    let first = word(sample.label, letter(random), &sample.bytes[..cut]);
    let second = word(sample.label, letter(random), &sample.bytes[cut..]);
    known(format!("{first} {second}"), sample.text)
}

fn language(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let label = format!(
        "{}*{}",
        sample.label,
        random.pick(&["de", "ja", "en-US", "ru"])
    );
    known(word(&label, letter(random), sample.bytes), sample.text)
}

fn alias(random: &mut Random) -> Made {
    let (label, alias) = *random.pick(&ALIASES);
    let sample = random.sample_where(|sample| sample.label == label);
    known(word(alias, letter(random), sample.bytes), sample.text)
}

fn label_case(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let label = if random.below(2) == 0 {
        sample.label.to_lowercase()
    } else {
        sample.label.to_uppercase()
    };
    let value = word(&label, letter(random), sample.bytes)
        .replace("?B?", "?b?")
        .replace("?Q?", "?q?");
    known(value, sample.text)
}

/// Makes a word between other text.
fn around(random: &mut Random, before: &str, after: &str) -> Made {
    let sample = *random.pick(&SAMPLES);
    let value = format!("{before}{}{after}", whole(random, sample));
    known(value, format!("{before}{}{after}", sample.text))
}

fn glued_after(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let after = *random.pick(&["y", ",", ".", ":"]);
    known(
        format!("{}{after}", whole(random, sample)),
        format!("{}{after}", sample.text),
    )
}

fn question_mark(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let (head, tail) = *random.pick(&[("", "?"), ("wann? ", ""), ("a?b ", "")]);
    let value = format!(
        "=?{}?Q?{}{}{tail}?=",
        sample.label,
        head.replace(' ', "_"),
        q(sample.bytes)
    );
    known(value, format!("{head}{}{tail}", sample.text))
}

fn lower_hex(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let mut text = String::new();
    for byte in sample.bytes {
        let _ = write!(text, "={byte:02x}");
    }
    known(format!("=?{}?Q?{text}?=", sample.label), sample.text)
}

fn space_in_q(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    known(
        format!("=?{}?Q?two words {}?=", sample.label, q(sample.bytes)),
        format!("two words {}", sample.text),
    )
}

fn fold_in_q(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    known(
        format!("=?{}?Q?two\r\n words_{}?=", sample.label, q(sample.bytes)),
        format!("two words {}", sample.text),
    )
}

/// White space within base64.
const SPACES: [&str; 3] = [" ", "\r\n ", "  "];

fn space_in_b(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let mut text = b(sample.bytes);
    let at = 1 + random.below(text.len() - 2);
    let space: &&str = random.pick(&SPACES);
    text.insert_str(at, space);
    known(format!("=?{}?B?{text}?=", sample.label), sample.text)
}

fn empty(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let letter = *random.pick(&["B", "Q"]);
    known(format!("a =?{}?{letter}??= b", sample.label), "a b")
}

fn long(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let times = 6 + random.below(20);
    known(
        word(sample.label, letter(random), &sample.bytes.repeat(times)),
        sample.text.repeat(times),
    )
}

/// A sample whose base64 is padded.
fn padded(random: &mut Random) -> Sample {
    loop {
        let sample = *random.pick(&SAMPLES);
        if !sample.bytes.len().is_multiple_of(3) {
            return sample;
        }
    }
}

fn no_padding(random: &mut Random) -> Made {
    let sample = padded(random);
    known(
        format!(
            "=?{}?B?{}?=",
            sample.label,
            b(sample.bytes).trim_end_matches('=')
        ),
        sample.text,
    )
}

fn more_padding(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let more = *random.pick(&["=", "==", "===", "===="]);
    known(
        format!("=?{}?B?{}{more}?=", sample.label, b(sample.bytes)),
        sample.text,
    )
}

fn foreign_in_b(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let mut text = b(sample.bytes);
    text.insert(
        random.below(text.len() - 2),
        *random.pick(&['!', '.', ':', '%']),
    );
    known(format!("=?{}?B?{text}?=", sample.label), sample.text)
}

/// An equals sign after the second sextet of the last quantum but one.
fn stray_padding(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let mut text = b(sample.bytes);
    let quantum = random.below(text.len() / 4 - 1);
    text.insert(4 * quantum + 2, '=');
    known(format!("=?{}?B?{text}?=", sample.label), sample.text)
}

fn bad_escape(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let bad = *random.pick(&["=ZZ", "=G0", "=x", "=.="]);
    known(
        format!("=?{}?Q?{}{bad}_end?=", sample.label, q(sample.bytes)),
        format!("{}{bad} end", sample.text),
    )
}

fn unknown_charset(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let value = word("x-nobody", letter(random), sample.bytes);
    known(value.clone(), value)
}

fn empty_charset(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let value = word("", letter(random), sample.bytes);
    known(value.clone(), value)
}

fn bad_letter(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let value = format!("=?{}?{}?abc?=", sample.label, random.pick(&["X", "", "BQ"]));
    known(value.clone(), value)
}

fn no_end(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let value = whole(random, sample);
    let cut = value[..value.len() - 1 - random.below(2)].to_owned();
    known(cut.clone(), cut)
}

fn raw_utf8(random: &mut Random) -> Made {
    let is_utf8 = |sample: &Sample| sample.label == "UTF-8";
    let (raw, other) = (random.sample_where(is_utf8), random.sample_where(is_utf8));
    let value = format!("{} {}", raw.text, whole(random, other));
    known(value, format!("{} {}", raw.text, other.text))
}

/// Raw bytes beside a word in the same charset.
fn raw_8bit(random: &mut Random) -> Made {
    let sample = random.sample_where(|s| s.label != "UTF-8" && s.label != "US-ASCII");
    let word = whole(random, sample);
    (
        [sample.bytes, b" ", word.as_bytes()].concat(),
        Some(format!("{0} {0}", sample.text)),
    )
}

fn control(random: &mut Random) -> Made {
    let sample = *random.pick(&SAMPLES);
    let control = *random.pick(&["=0D=0A", "=00", "=09", "=0A", "=1B", "=7F"]);
    let value = format!("=?{}?Q?a{control}{}?=", sample.label, q(sample.bytes));
    known(value, format!("a {}", sample.text))
}

/// UTF-8 that lost a byte in a text with other sequences.
fn damaged_utf8(random: &mut Random) -> Made {
    let sample = random.sample_where(|s| {
        s.label == "UTF-8" && s.text.chars().filter(|c| !c.is_ascii()).count() > 2
    });
    let mut bytes = sample.bytes.to_vec();
    let high: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] >= 0x80).collect();
    bytes.remove(*random.pick(&high));
    known(
        word("utf-8", letter(random), &bytes),
        String::from_utf8_lossy(&bytes),
    )
}

/// Half a character at the end of a word, and a whole word behind it.
fn half_before_whole(random: &mut Random) -> Made {
    let sample = random.sample_where(|s| {
        matches!(s.label, "GBK" | "GB2312" | "Big5" | "EUC-KR" | "EUC-JP")
            && s.bytes.iter().all(|byte| *byte >= 0x80)
    });
    let first = word(
        sample.label,
        letter(random),
        &[b"x", &sample.bytes[..1]].concat(),
    );
    let second = whole(random, sample);
    known(
        format!("{first} {second}"),
        format!("x\u{fffd}{}", sample.text),
    )
}

/// The first byte of a character behind text in ASCII.
fn cut_utf8(random: &mut Random) -> Made {
    let lead = *random.pick(&[0xC3, 0xC4, 0xC5, 0xCE, 0xCF, 0xD0, 0xD1, 0xE2, 0xF0]);
    let text = *random.pick(&["an die B", "Gr", "very long subject", "x"]);
    known(
        word(
            "UTF-8",
            letter(random),
            &[text.as_bytes(), &[lead]].concat(),
        ),
        format!("{text}\u{fffd}"),
    )
}

fn legacy_under_utf8(random: &mut Random) -> Made {
    const LABELS: [&str; 4] = ["ISO-8859-1", "windows-1251", "KOI8-R", "EUC-KR"];
    let sample = random.sample_where(|sample| LABELS.contains(&sample.label));
    known(word("UTF-8", letter(random), sample.bytes), sample.text)
}

/// Big-endian UTF-16 without a byte order mark whose bytes are all ASCII.
fn utf16_of_ascii_bytes(random: &mut Random) -> Made {
    let text = *random.pick(&["あいうえお", "アイウ", "李坤", "ごあいさつ"]);
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    known(word("UTF-16", letter(random), &bytes), text)
}
