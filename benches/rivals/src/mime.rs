//! Header values, base64 and quoted-printable beside encodify, mail-parser and base64-simd.
//!
//! # Limits
//! Values are decoded as unstructured text one by one, each into a text of its own. Encodify knows no charsets: it is given
//! encoding_rs for them. Base64 and quoted-printable are those of bodies with lines of 76 characters and CR LF.

use crate::contender::encodify_value;
use crate::race::{self, Work};
use crate::text::{self, Language};
use mailglot_codec::{Charset, LossLog, Unmappable, View};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::decode;
use mailglot_mime::header::FieldKind;
use mailglot_mime::transfer::{self, TransferEncoding};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::ExitCode;

/// Number of header values.
const VALUES: usize = 100_000;

/// `[--size BYTES] [--rounds COUNT] [--no-bars] [--kinds PART]`; with the last, header values only, and each kind of them by itself whose name has that
/// part.
pub fn bench(arguments: &[&str]) -> ExitCode {
    let (mut size, mut rounds, mut bars, mut kinds) = (10_000_000, 9, true, None);
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        match (*name, rest.as_slice().first()) {
            ("--no-bars", _) => bars = false,
            ("--kinds", Some(part)) => kinds = Some(*part),
            ("--size", Some(value)) => size = crate::bytes(value).unwrap_or(size),
            ("--rounds", Some(value)) => rounds = value.parse().unwrap_or(rounds).max(1),
            _ => {}
        }
    }
    race::keep_memory();
    let mut bench = Bench { rounds, missed: 0 };
    if let Some(part) = kinds {
        bench.kinds(part);
        return ExitCode::SUCCESS;
    }
    println!("| what | mailglot MB/s | rivals MB/s | ratio | goal | |");
    println!("|---|---:|---|---:|---:|---|");
    bench.values();
    bench.base64(size);
    bench.quoted_printable(size);
    println!();
    ExitCode::from(u8::from(bars && bench.missed > 0))
}

struct Bench {
    rounds: usize,
    missed: u32,
}

/// A rival: its name, how many times its speed is the goal, and the share of inputs that it reads as we do.
type Rival<'a> = (&'a str, f64, f64);

impl Bench {
    fn values(&mut self) {
        let values: Vec<Vec<u8>> = values().into_iter().map(|(_, value)| value).collect();
        let inputs: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        let alike = |theirs: fn(&[u8]) -> String| {
            let equal = inputs.iter().filter(|value| theirs(value) == ours(value)).count();
            equal as f64 / inputs.len() as f64
        };
        let rivals = [
            ("encodify", 1.5, alike(|value| encodify_value(value).into_owned())),
            ("mail-parser", 2.0, alike(mail_parser)),
        ];
        let mut work = readers();
        let speeds = race::race(self.rounds, &inputs, &mut work);
        self.show("100,000 mixed header values", &speeds, &rivals);
        // Those lie all over the memory, and all wait for it; here they lie as in a mailbox.
        let buffer = values.concat();
        let speeds = race::race(self.rounds, &in_a_row(&values, &buffer), &mut work);
        self.show("the same, one behind the other", &speeds, &rivals);
    }

    /// Nanoseconds that a value of each kind takes, all of a kind one behind the other; of kinds with `part` in their names.
    fn kinds(&self, part: &str) {
        let mut kinds: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
        for (kind, value) in values().into_iter().filter(|(kind, _)| kind.contains(part)) {
            kinds.entry(kind).or_default().push(value);
        }
        println!("| kind | values | bytes each | mailglot ns | encodify ns | mail-parser ns |");
        println!("|---|---:|---:|---:|---:|---:|");
        for (kind, values) in kinds {
            let buffer = values.concat();
            let inputs = in_a_row(&values, &buffer);
            let each = buffer.len() as f64 / inputs.len() as f64;
            let [ours, encodify, mail_parser] = race::race(self.rounds, &inputs, &mut readers())[..] else {
                return;
            };
            let [ours, encodify, mail_parser] = [ours, encodify, mail_parser].map(|speed| each / speed * 1e3);
            println!(
                "| {kind} | {} | {each:.0} | {ours:.0} | {encodify:.0} | {mail_parser:.0} |",
                inputs.len()
            );
        }
    }

    fn base64(&mut self, size: usize) {
        let bytes = noise(size / 4 * 3);
        let mut body = Vec::new();
        transfer::base64::encode_lines(&bytes, 76, b"\r\n", &mut body);
        let ours = |body: &[u8]| {
            transfer::decode(TransferEncoding::Base64, body, &mut Vec::new()).bytes.into_owned()
        };
        let encodify = |body: &[u8]| encodify::base64::MIME.decode(body).unwrap_or_default();
        let simd = |body: &[u8]| base64_simd::forgiving_decode_to_vec(body).unwrap_or_default();
        let share = |other: Vec<u8>| f64::from(u8::from(other == ours(&body)));
        let rivals = [("encodify", 0.9, share(encodify(&body))), ("base64-simd", 0.9, share(simd(&body)))];
        let mut work: Vec<Work<'_>> = vec![
            Box::new(|body| drop(black_box(ours(body)))),
            Box::new(|body| drop(black_box(encodify(body)))),
            Box::new(|body| drop(black_box(simd(body)))),
        ];
        // A body of mail, and one that is in no cache.
        for (name, part) in [("base64, 20 KB", &body[..19_968.min(body.len())]), ("base64, whole", &body[..])]
        {
            let speeds = race::race(self.rounds, &[part], &mut work);
            self.show(name, &speeds, &rivals);
        }
    }

    fn quoted_printable(&mut self, size: usize) {
        for (name, language, label) in [
            ("quoted-printable, French in UTF-8", Language::French, "UTF-8"),
            ("quoted-printable, Russian in KOI8-R", Language::Russian, "KOI8-R"),
            ("quoted-printable, English", Language::English, "UTF-8"),
        ] {
            let text = text::write(language, size / 2, |_| true);
            let bytes =
                charset(label).encode(&text, Unmappable::QuestionMark, &mut LossLog::new()).into_owned();
            let mut body = Vec::new();
            transfer::quoted_printable::encode(&bytes, b"\r\n", &mut body);
            let ours = |body: &[u8]| {
                transfer::decode(TransferEncoding::QuotedPrintable, body, &mut Vec::new()).bytes.len()
            };
            let encodify = |body: &[u8]| encodify::qp::BODY.decode(body).map_or(0, |bytes| bytes.len());
            let equal = transfer::decode(TransferEncoding::QuotedPrintable, &body, &mut Vec::new()).bytes
                == encodify::qp::BODY.decode(&body).unwrap_or_default();
            let rivals = [("encodify", 0.9, f64::from(u8::from(equal)))];
            let mut work: Vec<Work<'_>> = vec![
                Box::new(|body| {
                    black_box(ours(body));
                }),
                Box::new(|body| {
                    black_box(encodify(body));
                }),
            ];
            let speeds = race::race(self.rounds, &[&body], &mut work);
            self.show(name, &speeds, &rivals);
        }
    }

    fn show(&mut self, what: &str, speeds: &[f64], rivals: &[Rival<'_>]) {
        for ((name, goal, alike), speed) in rivals.iter().zip(&speeds[1..]) {
            let ratio = speeds[0] / speed;
            let held = ratio >= *goal;
            self.missed += u32::from(!held);
            println!(
                "| {what} | {:.0} | {name} {speed:.0} ({:.1} % alike) | {ratio:.2} | {goal} | {} |",
                speeds[0],
                100.0 * alike,
                if held { "held" } else { "MISSED" }
            );
        }
    }
}

/// The readers of values: ours first.
fn readers() -> Vec<Work<'static>> {
    vec![
        Box::new(|value| drop(black_box(ours(value)))),
        Box::new(|value| drop(black_box(encodify_value(value)))),
        Box::new(|value| drop(black_box(mail_parser_value(value)))),
    ]
}

/// The values as they lie in `buffer`, which holds one behind the other.
fn in_a_row<'b>(values: &[Vec<u8>], buffer: &'b [u8]) -> Vec<&'b [u8]> {
    let mut rest = buffer;
    values
        .iter()
        .map(|value| {
            let (value, behind) = rest.split_at(value.len());
            rest = behind;
            value
        })
        .collect()
}

fn ours(value: &[u8]) -> Cow<'_, str> {
    decode(value, FieldKind::Unstructured, &HeaderContext::default(), &mut Vec::new())
}

fn mail_parser_value(value: &[u8]) -> mail_parser::ParsedValue<'_> {
    mail_parser::HeaderForm::Text.parse(value)
}

fn mail_parser(value: &[u8]) -> String {
    mail_parser_value(value).value().as_text().unwrap_or_default().to_owned()
}

fn charset(label: &str) -> Charset {
    Charset::for_label(label.as_bytes(), View::Mail).charset().unwrap_or(Charset::UTF_8)
}

/// Bytes without a pattern, the same each time.
fn noise(size: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..size).map(|_| next()).collect()
}

/// Returns all header values, each with NUL at its end.
pub fn values_with_nul() -> Vec<u8> {
    let mut all = Vec::new();
    for (_, value) in values() {
        all.extend_from_slice(&value);
        all.push(0);
    }
    all
}

/// Returns header values of a list and of personal mail, with their kinds. Half of them are plain, and most others are in one or two
/// words. Some are folded, and some are raw.
fn values() -> Vec<(&'static str, Vec<u8>)> {
    let pools: Vec<(&str, &str, bool, Vec<String>)> = [
        ("English in UTF-8, Q", Language::English, "UTF-8", false),
        ("French in UTF-8, Q", Language::French, "UTF-8", false),
        ("French in ISO-8859-1, Q", Language::French, "ISO-8859-1", false),
        ("Russian in KOI8-R, B", Language::Russian, "KOI8-R", true),
        ("Russian in UTF-8, B", Language::Russian, "UTF-8", true),
        ("Japanese in ISO-2022-JP, B", Language::Japanese, "ISO-2022-JP", true),
        ("Japanese in UTF-8, B", Language::Japanese, "UTF-8", true),
        ("Chinese in GB2312, B", Language::Chinese, "GB2312", true),
        ("Korean in EUC-KR, B", Language::Korean, "EUC-KR", true),
    ]
    .into_iter()
    .map(|(kind, language, label, base64)| {
        let fits = |c: char| {
            let mut log = LossLog::new();
            let mut utf8 = [0; 4];
            let bytes = charset(label).encode(c.encode_utf8(&mut utf8), Unmappable::Skip, &mut log);
            // Labels mean what they say: GBK and code page 949 have more than GB 2312 and KS X 1001.
            let own = !matches!(label, "GB2312" | "EUC-KR")
                || bytes.iter().all(|b| !(0x80..0xA1).contains(b) && (bytes.len() == 1 || *b >= 0xA1));
            log.is_empty() && own
        };
        let text = text::write_words(language, 200_000, fits);
        (kind, label, base64, text.lines().map(str::to_owned).collect())
    })
    .collect();
    let random = noise(8 * VALUES);
    let mut values = Vec::with_capacity(VALUES);
    for dice in random.chunks_exact(8) {
        let number = |at: usize| usize::from(dice[at]) << 8 | usize::from(dice[at + 1]);
        let kind = dice[0] % 20;
        let pool = &pools[if kind < 10 { 0 } else { usize::from(dice[1]) % pools.len() }];
        let line = &pool.3[number(2) % pool.3.len()];
        let length = 10 + usize::from(dice[4] % 50);
        let piece: String = line.chars().take(length).collect();
        // White space at the ends is no part of a value.
        let piece = piece.trim_end();
        values.push(match kind {
            0..10 if dice[5] % 5 == 0 => {
                let first = line[..20.min(line.len())].trim_end();
                ("plain, folded", format!("Re: {first}\r\n {piece}").into_bytes())
            }
            0..10 => ("plain", piece.as_bytes().to_vec()),
            10 => {
                let name = if piece.is_ascii() { "plain" } else { "raw UTF-8" };
                (name, format!("[list] {piece}").into_bytes())
            }
            _ => (pool.0, [b"Re: ".as_slice(), &word(pool.1, pool.2, piece)].concat()),
        });
    }
    values
}

/// A text as one or more words, each of at most some 60 characters, one to a line.
fn word(label: &str, base64: bool, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let characters: Vec<char> = text.chars().collect();
    for (index, piece) in characters.chunks(if base64 { 14 } else { 18 }).enumerate() {
        let piece: String = piece.iter().collect();
        let bytes = charset(label).encode(&piece, Unmappable::QuestionMark, &mut LossLog::new()).into_owned();
        if index > 0 {
            out.extend_from_slice(b"\r\n ");
        }
        out.extend_from_slice(format!("=?{label}?{}?", if base64 { 'B' } else { 'Q' }).as_bytes());
        if base64 {
            transfer::base64::encode_lines(&bytes, usize::MAX, b"", &mut out);
        } else {
            for byte in bytes {
                match byte {
                    b' ' => out.push(b'_'),
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte),
                    _ => out.extend_from_slice(format!("={byte:02X}").as_bytes()),
                }
            }
        }
        out.extend_from_slice(b"?=");
    }
    out
}
