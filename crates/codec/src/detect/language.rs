//! Lists languages, their charsets, and the hints that favor them.
//!
//! # Limits
//! One script for each language. Serbian in Latin letters counts as Bosnian.

mod row;

pub(crate) use row::{Language, Script};

use super::cost::NAT;
use super::models::{Floor, Models};
use super::reading::Page;
use crate::generated::languages::LANGUAGES;
use crate::{Charset, LossLog};
use std::sync::OnceLock;

/// A charset with the languages that are written in it.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) charset: Charset,
    pub(crate) script: Script,
    /// Index of the language, cost of the charset given the language.
    pub(crate) languages: Vec<(usize, u32)>,
    pub(super) is_single_byte: bool,
    pub(super) is_ascii_compatible: bool,
    /// The characters of a single-byte charset, built at first use.
    page: OnceLock<Page>,
    /// The minimum costs of its letters in its languages, built at first use.
    floor: OnceLock<Floor>,
}

impl Candidate {
    /// Returns the characters of a single-byte charset.
    pub(super) fn page(&self) -> &Page {
        self.page
            .get_or_init(|| Page::new(self.charset, self.script))
    }

    /// Returns true if it is common in the mail of one of `languages`, by their indexes in `LANGUAGES`.
    pub(super) fn is_common_in(&self, languages: &[usize]) -> bool {
        self.languages
            .iter()
            .any(|(index, cost)| *cost < RARE && languages.contains(index))
    }

    /// Returns true if little mail is written in any language in which it is common.
    pub(super) fn is_rare(&self) -> bool {
        self.languages
            .iter()
            .all(|(index, cost)| *cost >= RARE || LANGUAGES[*index].tier > 2)
    }

    /// Returns the minimum costs of letters in its languages, or in those of its script if it has none. `None` for Han.
    pub(super) fn floor(&self) -> Option<&Floor> {
        // Languages in other scripts differ too little for this test.
        if self.script != Script::Latin || self.languages.is_empty() {
            return Models::get().floor(self.script);
        }
        let languages = self.languages.iter().map(|(language, _)| *language);
        Some(
            self.floor
                .get_or_init(|| Models::get().floor_of(self.script, languages)),
        )
    }
}

/// Cost of each further charset in the list of common ones.
const NEXT: u32 = NAT / 2;
/// Cost of a charset that is rare in the mail of a language.
pub(super) const RARE: u32 = 5 * NAT;

/// Cost of being one tier lower.
const TIER: u32 = 3 * NAT / 4;

/// All charsets that are known by a language.
pub(crate) fn candidates() -> &'static [Candidate] {
    static ALL: OnceLock<Vec<Candidate>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<Candidate> = Vec::new();
        for (index, language) in LANGUAGES.iter().enumerate() {
            for (charset, cost) in charsets(language) {
                let known = all.iter_mut().find(|c| c.charset == charset);
                match known {
                    Some(candidate) => candidate.languages.push((index, cost)),
                    None => all.push(Candidate {
                        charset,
                        script: language.script,
                        languages: vec![(index, cost)],
                        is_single_byte: charset.is_single_byte(),
                        is_ascii_compatible: charset.is_ascii_compatible(),
                        page: OnceLock::new(),
                        floor: OnceLock::new(),
                    }),
                }
            }
        }
        all
    })
}

/// Returns the candidate for a label: its charset, or one that decodes the same and more. Charsets without a known language count, too, by the
/// script of their letters. `None` for charsets that are not ASCII-compatible or whose script is unknown.
pub(crate) fn for_label(charset: Charset) -> Option<&'static Candidate> {
    type Known = OnceLock<Option<&'static Candidate>>;
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    let find = || {
        let wider = charset.superset();
        let known = |wanted: Charset| candidates().iter().find(move |c| c.charset == wanted);
        known(charset)
            .or_else(|| known(wider))
            .or_else(|| candidates().iter().find(|c| c.charset.superset() == wider))
            .or_else(|| others().iter().find(|c| c.charset == charset))
    };
    *KNOWN
        .get_or_init(|| Charset::all().map(|_| Known::new()).collect())
        .get(charset.index())?
        .get_or_init(find)
}

/// Pages of single bytes that no language is known to be written in.
fn others() -> &'static [Candidate] {
    static OTHERS: OnceLock<Vec<Candidate>> = OnceLock::new();
    OTHERS.get_or_init(|| {
        let is_page = |c: &Charset| c.is_single_byte() && c.is_ascii_compatible();
        let pages = Charset::all()
            .filter(is_page)
            .filter(|c| candidates().iter().all(|known| known.charset != *c));
        let upper: Vec<u8> = (0x80..=0xFF).collect();
        pages
            .map(|charset| Candidate {
                charset,
                script: Script::most_of(&charset.decode(&upper, &mut LossLog::with_limit(0))),
                languages: Vec::new(),
                is_single_byte: true,
                is_ascii_compatible: true,
                page: OnceLock::new(),
                floor: OnceLock::new(),
            })
            .filter(|candidate| candidate.script != Script::Han)
            .collect()
    })
}

/// Returns the indexes of all candidates with those of their languages, the usual ones first, so that the others exceed their cost early.
pub(super) fn usual_first() -> &'static [(usize, usize)] {
    static ORDER: OnceLock<Vec<(usize, usize)>> = OnceLock::new();
    ORDER.get_or_init(|| {
        let places = |(place, candidate): (usize, &Candidate)| {
            (0..candidate.languages.len()).map(move |nth| (place, nth))
        };
        let mut order: Vec<_> = candidates().iter().enumerate().flat_map(places).collect();
        let base = base_priors();
        order.sort_by_key(|(place, nth)| {
            let (language, cost) = candidates()[*place].languages[*nth];
            cost + base[language]
        });
        order
    })
}

/// Returns the prior cost of each language without any hint.
pub(crate) fn base_priors() -> Vec<u32> {
    LANGUAGES
        .iter()
        .map(|language| u32::from(language.tier - 1) * TIER)
        .collect()
}

/// English is written everywhere.
pub(crate) fn is_english(index: usize) -> bool {
    LANGUAGES[index].name == "en"
}

/// The charsets of a language with their costs.
fn charsets(language: &Language) -> impl Iterator<Item = (Charset, u32)> {
    let common = language
        .common
        .iter()
        .enumerate()
        .map(|(at, name)| (name, at as u32 * NEXT));
    let rare = language
        .rare
        .iter()
        .enumerate()
        .map(|(at, name)| (name, RARE + at as u32 * NEXT));
    common
        .chain(rare)
        .filter_map(|(name, cost)| Some((Charset::for_name(name)?, cost)))
}

/// Index of a language by its tag (RFC 5646, `pt-BR`), by the longest known beginning.
pub(crate) fn by_tag(tag: &str) -> Vec<usize> {
    let tag = tag.trim().replace('_', "-").to_ascii_lowercase();
    let (first, rest) = tag.split_once('-').unwrap_or((&tag, ""));
    let first = match first {
        "no" => "nb",
        "iw" => "he",
        "sh" => "hr",
        other => other,
    };
    let chinese = match rest {
        "" => "zh",
        _ if ["hant", "tw", "hk", "mo"]
            .iter()
            .any(|part| rest.split('-').any(|r| r == *part)) =>
        {
            "zh_TW"
        }
        _ => "zh_CN",
    };
    let wanted = if first == "zh" { chinese } else { first };
    let is_wanted = |name: &str| name == wanted || wanted == "zh" && name.starts_with("zh_");
    LANGUAGES
        .iter()
        .enumerate()
        .filter(|(_, l)| is_wanted(l.name))
        .map(|(index, _)| index)
        .collect()
}

/// Indexes of the languages of a country, by its code in domain names.
pub(crate) fn by_country(code: &str) -> Vec<usize> {
    let code = code.trim().trim_start_matches('.').to_ascii_lowercase();
    LANGUAGES
        .iter()
        .enumerate()
        .filter(|(_, l)| l.countries.contains(&code.as_str()))
        .map(|(i, _)| i)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &[usize]) -> Vec<&'static str> {
        found.iter().map(|i| LANGUAGES[*i].name).collect()
    }

    #[test]
    fn tags_and_countries() {
        for (tag, expected) in [
            ("de", &["de"][..]),
            ("pt-BR", &["pt"]),
            ("zh-Hant", &["zh_TW"]),
            ("zh_CN", &["zh_CN"]),
            ("zh", &["zh_CN", "zh_TW"]),
            ("no", &["nb"]),
            ("tlh", &[]),
            ("", &[]),
        ] {
            assert_eq!(names(&by_tag(tag)), expected, "{tag}");
        }
        assert_eq!(names(&by_country("AT")), ["de"]);
        assert_eq!(names(&by_country(".cz")), ["cs"]);
        assert_eq!(names(&by_country("com")), [""; 0]);
    }

    #[test]
    fn all_charsets_exist() {
        for language in LANGUAGES {
            for name in language.common.iter().chain(language.rare) {
                assert!(
                    Charset::for_name(name).is_some(),
                    "{}: {name}",
                    language.name
                );
            }
        }
    }

    #[test]
    fn a_charset_has_one_script() {
        for (index, language) in LANGUAGES.iter().enumerate() {
            for (charset, _) in charsets(language) {
                let candidate = candidates().iter().find(|c| c.charset == charset).unwrap();
                assert_eq!(candidate.script, language.script, "{charset}");
                assert!(candidate.languages.iter().any(|(i, _)| *i == index));
            }
        }
    }
}
