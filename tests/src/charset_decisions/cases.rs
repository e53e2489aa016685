//! Generates the cases: each text in the charsets of its language, under right labels, wrong labels and none.
//!
//! # Limits
//!
//! Uses wrong labels that occur in mail: the Western ones over everything, and charsets of the same script.

use super::material::{EAST_ASIAN, ENGLISH, FONTS};
use super::{Case, Label, Set, TextPosition};
use crate::faker::{self, MailLanguage, encoded};
use crate::generate::sentences;
use crate::rng::Rng;
use crate::signs::Sprinkler;
use mailglot_codec::{Charset, LossLog, View};
use std::collections::{BTreeMap, HashMap};

/// Labels that may also be right for charsets other than their own.
const RIGHT: &[&str] = &[
    "iso-8859-1",
    "windows-1252",
    "iso-8859-15",
    "iso-8859-2",
    "windows-1250",
    "iso-8859-9",
    "windows-1254",
    "iso-8859-7",
    "windows-1253",
    "iso-8859-8-i",
    "windows-1255",
    "iso-8859-6",
    "windows-1256",
    "iso-8859-13",
    "iso-8859-4",
    "windows-1257",
    "koi8-r",
    "koi8-u",
    "windows-1251",
    "tis-620",
    "gb2312",
    "gbk",
    "ks_c_5601-1987",
    "euc-kr",
];

/// Labels that mailers write over text of any charset.
const OVER_ALL: &[&str] = &["iso-8859-1", "windows-1252", "us-ascii", "utf-8"];

/// Charsets that are mistaken for each other.
const NEIGHBORS: &[&[&str]] = &[
    &["windows-1251", "koi8-r", "iso-8859-5", "koi8-u", "ibm866"],
    &["windows-1250", "iso-8859-2"],
    &["windows-1257", "iso-8859-13", "iso-8859-4"],
    &["windows-1254", "iso-8859-9"],
    &["windows-1253", "iso-8859-7"],
    &["windows-1255", "iso-8859-8-i"],
    &["windows-1256", "iso-8859-6"],
    &["gbk", "big5", "euc-kr", "shift_jis", "euc-jp"],
];

/// Lengths of texts in lines.
const LENGTHS: [usize; 3] = [1, 5, 40];

/// Generates one case in `share`, always the same ones. Of the two small sets, ten times as many.
pub fn for_each(share: usize, mut work: impl FnMut(Case)) {
    let mut choice = Rng::new(3);
    let mut labels = Labels::default();
    let mut put = |case: Case| {
        let is_small = matches!(case.set, Set::EastAsian | Set::Mixed);
        if choice.below(if is_small { share.div_ceil(10) } else { share }) == 0 {
            work(case);
        }
    };
    let texts = by_locale();
    for (locale, texts) in &texts {
        let language = faker::language(locale);
        let mut rng = Rng::new(
            locale
                .bytes()
                .fold(7, |seed, byte| seed * 31 + u64::from(byte)),
        );
        for lines in LENGTHS {
            for (nth, text) in groups(texts, lines, &mut rng).into_iter().enumerate() {
                if text.is_ascii() {
                    continue;
                }
                let text = CarriedText {
                    text: &text,
                    nth,
                    lines,
                };
                plain(&text, &language, &mut labels, &mut put);
                in_capitals(&text, &language, &mut labels, &mut put);
            }
        }
        sprinkled(texts, &language, &mut rng, &mut labels, &mut put);
    }
    generator_sentences(&mut labels, &mut put);
    signs_only(&mut put);
    east_asian(&mut put);
    mixed(&texts, &mut put);
}

fn by_locale() -> BTreeMap<String, Vec<String>> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for text in faker::texts() {
        texts.entry(text.locale).or_default().push(text.text);
    }
    texts
}

/// Groups texts into `lines` lines: each text alone, or texts of all kinds together.
fn groups(texts: &[String], lines: usize, rng: &mut Rng) -> Vec<String> {
    if lines == 1 {
        return texts.to_vec();
    }
    let count = if texts.len() < lines {
        0
    } else {
        texts.len() / (2 * lines.min(8))
    };
    let group = |_| {
        (0..lines)
            .map(|_| rng.pick(texts).as_str())
            .collect::<Vec<_>>()
            .join("\n")
    };
    (0..count).map(group).collect()
}

/// A text of a locale, and its number, which chooses form and labels.
struct CarriedText<'t> {
    text: &'t str,
    nth: usize,
    lines: usize,
}

fn plain(
    carried: &CarriedText<'_>,
    language: &MailLanguage,
    labels: &mut Labels,
    put: &mut impl FnMut(Case),
) {
    let CarriedText { text, nth, lines } = *carried;
    // There are many single texts.
    let is_turn = |of: usize| lines > 1 || nth.is_multiple_of(of);
    let rare = language
        .rare
        .get(nth % language.rare.len().max(1))
        .filter(|_| is_turn(3));
    let utf8 = nth.is_multiple_of(4).then_some(Charset::UTF_8);
    for charset in language.common.iter().chain(rare).copied().chain(utf8) {
        let Some((bytes, text)) = encoded(text, charset) else {
            continue;
        };
        let case = |form, label| Case {
            set: Set::Plain,
            language: language.name.clone(),
            charset,
            form: form_of(form, lines),
            label,
            lines,
            country: None,
            has_address: false,
            bytes: bytes.clone(),
            text: text.clone(),
        };
        let labels = labels.of(charset, &bytes, &text);
        put(case(FORMS[nth % 3], labels.right[nth % labels.right.len()]));
        if labels.right.len() > 1 && is_turn(3) {
            put(case(
                FORMS[(nth + 1) % 3],
                labels.right[(nth + 1) % labels.right.len()],
            ));
        }
        let is_common = language.common.contains(&charset);
        if is_common && is_turn(3) {
            let mut case = case(UNLABELLED[nth / 3 % 3], Label::None);
            // Every second message names the country of the writer. Every second one of the others has a time zone.
            case.has_address = (nth / 3).is_multiple_of(2);
            case.country = (nth / 3 % 4 != 3)
                .then(|| language.country.clone())
                .filter(|country| country.len() == 2);
            put(case);
        }
        if is_common && nth.is_multiple_of(20) {
            for (at, label) in labels.wrong.into_iter().enumerate() {
                put(case(FORMS[(nth / 20 + at) % 3], label));
            }
        }
    }
}

/// Returns the position of a text of `lines` lines: several lines are no field.
fn form_of(form: TextPosition, lines: usize) -> TextPosition {
    if lines > 1 && matches!(form, TextPosition::RawHeader | TextPosition::Word) {
        TextPosition::Plain
    } else {
        form
    }
}

/// Generates the text in capitals, under right labels, wrong labels and none.
fn in_capitals(
    carried: &CarriedText<'_>,
    language: &MailLanguage,
    labels: &mut Labels,
    put: &mut impl FnMut(Case),
) {
    let CarriedText { text, nth, lines } = *carried;
    let capitals: String = text.to_uppercase().chars().map(without_tonos).collect();
    if capitals == text {
        return;
    }
    for charset in &language.common {
        let Some((bytes, text)) = encoded(&capitals, *charset) else {
            continue;
        };
        let labels = labels.of(*charset, &bytes, &text);
        let case = |form, label| Case {
            set: Set::Capitals,
            language: language.name.clone(),
            charset: *charset,
            form: form_of(form, lines),
            label,
            lines,
            country: None,
            has_address: false,
            bytes: bytes.clone(),
            text: text.clone(),
        };
        put(case(FORMS[nth % 3], labels.right[nth % labels.right.len()]));
        if nth.is_multiple_of(3) {
            put(case(UNLABELLED[nth / 3 % 3], Label::None));
        }
        if nth.is_multiple_of(20) {
            for (at, label) in labels.wrong.into_iter().enumerate() {
                put(case(FORMS[(nth / 20 + at) % 3], label));
            }
        }
    }
}

/// Returns a Greek capital as it is written in words of capitals.
fn without_tonos(c: char) -> char {
    match c {
        'Ά' => 'Α',
        'Έ' => 'Ε',
        'Ή' => 'Η',
        'Ί' => 'Ι',
        'Ό' => 'Ο',
        'Ύ' => 'Υ',
        'Ώ' => 'Ω',
        other => other,
    }
}

const FORMS: [TextPosition; 3] = [TextPosition::Plain, TextPosition::Word, TextPosition::Html];
const UNLABELLED: [TextPosition; 3] = [
    TextPosition::Plain,
    TextPosition::RawHeader,
    TextPosition::Html,
];

/// Generates texts of a locale with signs, each in one of its charsets.
fn sprinkled(
    texts: &[String],
    language: &MailLanguage,
    rng: &mut Rng,
    labels: &mut Labels,
    put: &mut impl FnMut(Case),
) {
    let charsets: Vec<(Charset, Sprinkler)> = language
        .common
        .iter()
        .map(|charset| (*charset, Sprinkler::new(*charset)))
        .filter(|(_, signs)| !signs.is_empty())
        .collect();
    for lines in LENGTHS {
        for (nth, carrier) in groups(texts, lines, rng).into_iter().enumerate() {
            let Some((charset, signs)) = charsets.get(nth % charsets.len().max(1)) else {
                continue;
            };
            let carrier = Carrier {
                text: &carrier,
                nth,
                lines,
                language: &language.name,
                charset: *charset,
                signs,
            };
            sprinkle(&carrier, rng, labels, put);
        }
    }
}

/// Generates sentences of the mailbox generator with signs.
fn generator_sentences(labels: &mut Labels, put: &mut impl FnMut(Case)) {
    let mut rng = Rng::new(11);
    let mut signs: HashMap<Charset, Sprinkler> = HashMap::new();
    for (sentence, encoding) in sentences() {
        let Some(charset) =
            Charset::for_name(encoding).filter(|c| c.is_ascii_compatible() && !c.is_stateful())
        else {
            continue;
        };
        let signs = signs
            .entry(charset)
            .or_insert_with(|| Sprinkler::new(charset));
        if charset == Charset::UTF_8 || signs.is_empty() {
            continue;
        }
        for nth in 0..12 {
            let carrier = Carrier {
                text: sentence,
                nth,
                lines: 1,
                language: encoding,
                charset,
                signs,
            };
            sprinkle(&carrier, &mut rng, labels, put);
        }
    }
}

/// A text that gets signs.
struct Carrier<'t> {
    text: &'t str,
    /// Its number, which chooses form and labels.
    nth: usize,
    lines: usize,
    language: &'t str,
    charset: Charset,
    signs: &'t Sprinkler,
}

fn sprinkle(carrier: &Carrier<'_>, rng: &mut Rng, labels: &mut Labels, put: &mut impl FnMut(Case)) {
    let Carrier {
        nth,
        lines,
        language,
        charset,
        signs,
        ..
    } = *carrier;
    let html = nth % 2 == 1;
    let text = signs.sprinkle(carrier.text, html, rng);
    let western = charset == Charset::WINDOWS_1252;
    let set = if carrier.text.is_ascii() && western {
        Set::SignsOnly
    } else {
        Set::Signs
    };
    let Some((bytes, text)) = encoded(&text, charset) else {
        return;
    };
    let is_line = !text.contains('\n') && text == text.trim_ascii();
    let case = |form, label| Case {
        set,
        language: language.to_owned(),
        charset,
        form,
        label,
        lines,
        country: None,
        has_address: false,
        bytes: bytes.clone(),
        text: text.clone(),
    };
    let body = if html {
        TextPosition::Html
    } else {
        TextPosition::Plain
    };
    let labels = labels.of(charset, &bytes, &text);
    let form = if is_line && nth.is_multiple_of(4) {
        TextPosition::Word
    } else {
        body
    };
    put(case(form, labels.right[nth / 2 % labels.right.len()]));
    if nth % 4 < 2 {
        put(case(
            if is_line && nth.is_multiple_of(8) {
                TextPosition::RawHeader
            } else {
                body
            },
            Label::None,
        ));
    }
    if nth % 32 < 2 {
        for label in labels.wrong {
            put(case(body, label));
        }
    }
}

/// Generates English texts whose only bytes above 7F are signs of windows-1252.
fn signs_only(put: &mut impl FnMut(Case)) {
    let mut rng = Rng::new(5);
    let signs = Sprinkler::new(Charset::WINDOWS_1252);
    for nth in 0..24_000 {
        let lines = [1, 1, 5, 1, 3, 40][nth % 6];
        let carrier: Vec<&str> = (0..lines).map(|_| *rng.pick(ENGLISH)).collect();
        let html = nth % 4 == 1;
        let text = signs.sprinkle(&carrier.join("\n"), html, &mut rng);
        let Some((bytes, text)) = encoded(&text, Charset::WINDOWS_1252) else {
            continue;
        };
        let is_line = !text.contains('\n') && text == text.trim_ascii();
        let (form, label) = match nth % 8 {
            0 | 1 | 2 | 5 if is_line && nth % 3 == 0 => (TextPosition::RawHeader, Label::None),
            0 | 1 | 2 | 5 => (
                if html {
                    TextPosition::Html
                } else {
                    TextPosition::Plain
                },
                Label::None,
            ),
            3 if is_line => (TextPosition::Word, Label::Right("iso-8859-1")),
            3 | 4 => (TextPosition::Plain, Label::Right("windows-1252")),
            6 => (TextPosition::Plain, Label::Right("iso-8859-1")),
            // Only the Western charsets have such signs: this label says nothing.
            _ => (TextPosition::Plain, Label::Wrong("us-ascii")),
        };
        put(Case {
            set: Set::SignsOnly,
            language: "en".to_owned(),
            charset: Charset::WINDOWS_1252,
            form,
            label,
            lines,
            country: None,
            has_address: false,
            bytes,
            text,
        });
    }
}

/// Generates English HTML with full-width spaces or names of fonts.
fn east_asian(put: &mut impl FnMut(Case)) {
    let mut rng = Rng::new(17);
    for nth in 0..1_200 {
        let lines: Vec<&str> = (0..=(nth % 5)).map(|_| *rng.pick(ENGLISH)).collect();
        let (name, text) = if nth % 2 == 0 {
            let (name, run) = *rng.pick(EAST_ASIAN);
            let plain = nth % 4 == 0;
            let ends = if plain { ("", "") } else { ("<p>", "</p>") };
            let line = |line: &&str| match rng.below(3) {
                0 => format!("{}{run}{line}{}", ends.0, ends.1),
                1 => format!("{}{line}{run}{}", ends.0, ends.1),
                _ => format!("{}{}{}", ends.0, line.replacen(' ', run, 1), ends.1),
            };
            (name, lines.iter().map(line).collect::<Vec<_>>().join("\n"))
        } else {
            let (name, font) = *rng.pick(FONTS);
            let quote = if font.contains(' ') || rng.chance(50) {
                "\""
            } else {
                ""
            };
            let line =
                |line: &&str| format!("<font face={quote}{font}{quote} size=2>{line}</font><br>");
            (name, lines.iter().map(line).collect::<Vec<_>>().join("\n"))
        };
        let charset = Charset::for_name(name).expect("a charset");
        let Some((bytes, text)) = encoded(&text, charset) else {
            continue;
        };
        let form = if text.contains('<') {
            TextPosition::Html
        } else {
            TextPosition::Plain
        };
        let own = match name {
            "GBK" => "gb2312",
            "windows-949" => "ks_c_5601-1987",
            other => other,
        };
        for label in [Label::None, Label::Right(own), Label::Wrong("us-ascii")] {
            put(Case {
                set: Set::EastAsian,
                language: "en".to_owned(),
                charset,
                form,
                label,
                lines: lines.len(),
                country: None,
                has_address: false,
                bytes: bytes.clone(),
                text: text.clone(),
            });
        }
    }
}

/// Generates English with words or lines of Western languages, mixing windows-1252 and UTF-8 like quotations and footers do.
fn mixed(texts: &BTreeMap<String, Vec<String>>, put: &mut impl FnMut(Case)) {
    let mut rng = Rng::new(29);
    let western = [
        "de_DE", "fr_FR", "es_ES", "pt_BR", "it_IT", "sv_SE", "da_DK", "nl_NL",
    ];
    let pool: Vec<&str> = western
        .iter()
        .flat_map(|locale| &texts[*locale])
        .filter(|text| encoded(text, Charset::WINDOWS_1252).is_some())
        .map(String::as_str)
        .collect();
    for nth in 0..3_000 {
        let (mut text, mut bytes) = (String::new(), Vec::new());
        let lines = 4 + rng.below(20);
        // Both encodings occur.
        for line in 0..lines {
            let foreign = *rng.pick(&pool);
            let (own, raw) = match line {
                0 => (
                    foreign,
                    encoded(foreign, Charset::WINDOWS_1252).map(|(bytes, _)| bytes),
                ),
                2 => (foreign, None),
                _ if rng.chance(20) => (foreign, None),
                _ if rng.chance(20) => (
                    foreign,
                    encoded(foreign, Charset::WINDOWS_1252).map(|(bytes, _)| bytes),
                ),
                _ => (*rng.pick(ENGLISH), None),
            };
            text.push_str(own);
            text.push('\n');
            bytes.extend(raw.unwrap_or_else(|| own.as_bytes().to_vec()));
            bytes.push(b'\n');
        }
        let label = match nth % 3 {
            0 => Label::None,
            1 => Label::Wrong("iso-8859-1"),
            _ => Label::Wrong("utf-8"),
        };
        put(Case {
            set: Set::Mixed,
            language: "en".to_owned(),
            charset: Charset::WINDOWS_1252,
            form: TextPosition::Plain,
            label,
            lines,
            country: None,
            has_address: false,
            bytes: bytes.trim_ascii_end().to_vec(),
            text: text.trim_ascii_end().to_owned(),
        });
    }
}

/// Caches which charsets the labels stand for.
#[derive(Default)]
struct Labels {
    known: HashMap<&'static str, Charset>,
}

struct LabelsOf {
    right: Vec<Label>,
    wrong: Vec<Label>,
}

impl Labels {
    /// Returns labels under which these bytes decode to the text, own label first, and labels under which they do not.
    fn of(&mut self, charset: Charset, bytes: &[u8], text: &str) -> LabelsOf {
        let mut gives = |label: &'static str| {
            let named = self.known.entry(label).or_insert_with(|| {
                Charset::for_label(label.as_bytes(), View::Mail)
                    .charset()
                    .expect("labels here are known")
            });
            let mut log = LossLog::with_limit(0);
            named.decode(bytes, &mut log) == text && log.losses() == 0
        };
        let mut right = vec![Label::Right(charset.name())];
        right.extend(
            RIGHT
                .iter()
                .filter(|label| gives(label))
                .map(|label| Label::Right(label)),
        );
        // Mailers write ISO-8859-1 over windows-1252 text: in practice the label is right.
        if charset == Charset::WINDOWS_1252 && !right.contains(&Label::Right("iso-8859-1")) {
            right.push(Label::Right("iso-8859-1"));
        }
        let near = NEIGHBORS
            .iter()
            .filter(|group| {
                group
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(charset.name()))
            })
            .flat_map(|group| group.iter());
        let wrong = OVER_ALL
            .iter()
            .chain(near)
            .filter(|label| !gives(label) && !right.contains(&Label::Right(label)))
            .map(|label| Label::Wrong(label))
            .collect();
        LabelsOf { right, wrong }
    }
}
