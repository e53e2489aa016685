//! Names, places, companies, jobs and sentences in 92 locales (`tests/data/faker.tsv.zst`).
//!
//! # Limits
//!
//! Faker wrote the texts; their spelling is modern. The list of languages spells Romanian and Arabic as legacy charsets do.

use mailglot_codec::{Charset, LossLog, Unmappable};

/// The compressed table: locale, kind, text.
const TABLE: &[u8] = include_bytes!("../data/faker.tsv.zst");
/// Languages with the charsets of their mail.
const LANGUAGES: &str = include_str!("../../data/languages.tsv");

/// One text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakerText {
    /// Faker's name of the locale: `de_AT`.
    pub locale: String,
    /// `name`, `city`, `street`, `region`, `country`, `company`, `phrase`, `job`, `color`, `day`, `month` or `sentence`.
    pub kind: String,
    /// One line.
    pub text: String,
}

/// Returns all texts in the order of the table.
///
/// # Panics
///
/// If the table is damaged.
pub fn texts() -> Vec<FakerText> {
    let table = zstd::decode_all(TABLE).expect("the table is zstd");
    let table = String::from_utf8(table).expect("the table is UTF-8");
    let row = |line: &str| {
        let [locale, kind, text] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {line}")
        };
        FakerText {
            locale: locale.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
        }
    };
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(row)
        .collect()
}

/// A language with the charsets of its mail.
#[derive(Clone, Debug)]
pub struct MailLanguage {
    /// Name from `data/languages.tsv` or from Faker.
    pub name: String,
    /// Country code of the locale in lower case: `at`.
    pub country: String,
    /// Charsets of much of its mail, the most common first.
    pub common: Vec<Charset>,
    /// Charsets of little of its mail.
    pub rare: Vec<Charset>,
}

/// Returns the language of a locale.
///
/// # Panics
///
/// If `data/languages.tsv` names an unknown charset.
pub fn language(locale: &str) -> MailLanguage {
    let (prefix, country) = locale.split_once('_').unwrap_or((locale, ""));
    let name = match prefix {
        "no" => "nb",
        "dk" => "da",
        "zh" => locale,
        same => same,
    };
    let row = LANGUAGES
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .find(|row| row[0] == name);
    let charsets = |column: usize| match &row {
        Some(row) => row[column]
            .split(' ')
            .filter(|name| *name != "-")
            .map(|name| Charset::for_name(name).unwrap_or_else(|| panic!("{name}")))
            .collect(),
        None if column == 4 => vec![Charset::WINDOWS_1252],
        None => Vec::new(),
    };
    MailLanguage {
        name: name.to_owned(),
        country: country.to_ascii_lowercase(),
        common: charsets(4),
        rare: charsets(5),
    }
}

/// Encodes a text. Returns the bytes and the text that they decode to.
///
/// Returns None if the charset cannot represent it, or if the bytes are all ASCII or valid UTF-8. If the charset requires it,
/// Romanian letters with a comma below become letters with a cedilla, and Persian letters Arabic ones.
pub fn encoded(text: &str, charset: Charset) -> Option<(Vec<u8>, String)> {
    let exact = |text: &str| {
        let mut log = LossLog::with_limit(0);
        let bytes = charset
            .encode(text, Unmappable::Skip, &mut log)
            .into_owned();
        let read = charset.decode(&bytes, &mut log).into_owned();
        (log.is_empty() && read == text).then_some((bytes, read))
    };
    let legacy = |c: char| match c {
        'ș' => 'ş',
        'ț' => 'ţ',
        'Ș' => 'Ş',
        'Ț' => 'Ţ',
        'ی' => 'ي',
        'ک' => 'ك',
        other => other,
    };
    let found = exact(text).or_else(|| exact(&text.chars().map(legacy).collect::<String>()));
    let ambiguous = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok() && charset != Charset::UTF_8;
    found.filter(|(bytes, _)| !bytes.is_ascii() && !ambiguous(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn many_locales_have_non_ascii_texts() {
        let texts = texts();
        let beyond: Vec<&FakerText> = texts.iter().filter(|text| !text.text.is_ascii()).collect();
        assert!(beyond.len() >= 25_000, "{}", beyond.len());
        let locales: BTreeSet<&str> = beyond.iter().map(|text| &*text.locale).collect();
        assert!(locales.len() >= 60, "{}", locales.len());
        let distinct: BTreeSet<&str> = texts.iter().map(|text| &*text.text).collect();
        assert_eq!(distinct.len(), texts.len());
    }

    #[test]
    fn languages_have_the_charsets_of_their_mail() {
        assert_eq!(
            language("ru_RU").common[..],
            [Charset::WINDOWS_1251, Charset::KOI8_R]
        );
        assert_eq!(language("no_NO").name, "nb");
        assert_eq!(language("zu_ZA").common[..], [Charset::WINDOWS_1252]);
        let (bytes, text) = encoded("București, șosea", Charset::WINDOWS_1250).unwrap();
        assert_eq!((bytes.len(), &*text), (16, "Bucureşti, şosea"));
        assert_eq!(encoded("abc", Charset::WINDOWS_1252), None);
    }
}
