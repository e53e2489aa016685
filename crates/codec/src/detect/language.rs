//! Lists languages, their charsets, and the hints that favor them.
//!
//! # Limits
//! One script for each language. Serbian in Latin letters counts as Bosnian.

mod row;

pub(crate) use row::{Candidate, Language, RARE_LANGUAGE, rare, usual};

use super::cost::NAT;
use super::detection_page::DetectionPage;
use super::models::{ENGLISH, Floor, LetterFloor, Models};
use super::script_group::ScriptGroup;
use crate::charset::{Charset, Kind};
use crate::generated::charsets::COUNT;
use crate::generated::languages::{CANDIDATES, CANDIDATES_COUNT, LANGUAGES};
use mailglot_kernel::ByteTable;
use std::sync::OnceLock;

/// The minimum costs of letters behind letters in a charset.
pub(super) enum CandidateFloor {
    /// In its own languages.
    Own(&'static LetterFloor),
    /// In those of its script.
    Script(&'static Floor),
}

impl Candidate {
    /// Returns the characters of a single-byte charset. Those without a language are sorted at first use.
    pub(super) fn page(&self) -> &'static DetectionPage {
        static OTHER_PAGES: [OnceLock<DetectionPage>; COUNT] = [const { OnceLock::new() }; COUNT];
        let index = self.charset.index();
        PAGES.get(usize::from(PAGE_OF[index])).unwrap_or_else(|| {
            OTHER_PAGES[index].get_or_init(|| {
                let packed = Box::new(DetectionPage::packed(self.charset, self.script));
                DetectionPage::of_packed(self.script, Box::leak(packed))
            })
        })
    }

    /// Returns true if it is common in the mail of one of `languages`, by their indexes in `LANGUAGES`.
    pub(super) fn is_common_in(&self, languages: &[usize]) -> bool {
        self.languages
            .iter()
            .any(|(index, cost)| *cost < RARE_LANGUAGE && languages.contains(index))
    }

    /// Returns true if it has letters of one of these languages.
    pub(super) fn is_of_any(&self, languages: &[usize]) -> bool {
        let mut own = self.languages.iter();
        own.any(|(index, _)| languages.contains(index))
    }

    /// Returns true if little mail is written in any language in which it is common.
    pub(super) fn is_rare(&self) -> bool {
        self.languages
            .iter()
            .all(|(index, cost)| *cost >= RARE_LANGUAGE || LANGUAGES[*index].tier > 2)
    }

    /// Returns its cost in the mail of the language in which it is most common.
    pub(super) fn rarity(&self) -> u32 {
        let costs = self.languages.iter().map(|(_, cost)| *cost);
        costs.min().unwrap_or(RARE_LANGUAGE)
    }

    /// Returns the minimum costs of letters in its languages, or in those of its script if it has none. `None` for Han.
    pub(super) fn floor(&self) -> Option<CandidateFloor> {
        // Languages in other scripts differ too little for this test.
        match self.latin {
            Some(number) => Some(CandidateFloor::Own(Models::get().candidate(number))),
            None => Models::get().floor(self.script).map(CandidateFloor::Script),
        }
    }
}

/// Prior cost of a language for each tier below the first, whose languages have the most mail.
const TIER: u32 = 3 * NAT / 4;

/// All charsets that are known by a language.
#[inline]
pub(crate) fn candidates() -> &'static [Candidate] {
    &CANDIDATES
}

/// Returns the candidate for a label: its charset, or one that decodes the same and more. Charsets without a known language count, too, by the
/// script of their letters. `None` for charsets that are not ASCII-compatible or whose script is unknown.
pub(crate) fn for_label(charset: Charset) -> Option<&'static Candidate> {
    let place = usize::from(FOR_LABEL[charset.index()]);
    CANDIDATES
        .get(place)
        .or_else(|| OTHERS.get(place.checked_sub(CANDIDATES_COUNT)?))
}

const PAGES_COUNT: usize = {
    let (mut count, mut place) = (0, 0);
    while place < CANDIDATES_COUNT {
        count += CANDIDATES[place].is_single_byte as usize;
        place += 1;
    }
    count
};

/// The pages of the candidates with single bytes, which [`super::pages`] makes.
static PAGES: [DetectionPage; PAGES_COUNT] = {
    let packed: &[u8] = include_bytes!("../generated/detect-pages.bin");
    let (packed, _) = packed.as_chunks();
    // The program that makes the file is compiled before it has the page of a new candidate.
    let mut pages = [DetectionPage::EMPTY; PAGES_COUNT];
    let (mut count, mut place) = (0, 0);
    while place < CANDIDATES_COUNT {
        if CANDIDATES[place].is_single_byte && count < packed.len() {
            pages[count] = DetectionPage::of_packed(CANDIDATES[place].script, &packed[count]);
            count += 1;
        }
        place += 1;
    }
    pages
};

/// For each charset its place in `PAGES`, or a place behind them.
static PAGE_OF: [u8; COUNT] = {
    let mut places = [u8::MAX; COUNT];
    let (mut count, mut place) = (0, 0);
    while place < CANDIDATES_COUNT {
        if CANDIDATES[place].is_single_byte {
            places[CANDIDATES[place].charset.index()] = count;
            count += 1;
        }
        place += 1;
    }
    places
};

/// No candidate, or none yet.
const NONE: u16 = u16::MAX;

/// For each charset its place in `CANDIDATES` and, behind those, in `OTHERS`.
static FOR_LABEL: [u16; COUNT] = {
    let own = places(false);
    let by_superset = places(true);
    let mut found = [NONE; COUNT];
    let mut others = CANDIDATES_COUNT as u16;
    let mut index = 0;
    while index < COUNT {
        let superset = Charset::at(index).superset().index();
        found[index] = if own[index] != NONE {
            own[index]
        } else if own[superset] != NONE {
            own[superset]
        } else {
            by_superset[superset]
        };
        if is_other(index, &own) {
            if found[index] == NONE {
                found[index] = others;
            }
            others += 1;
        }
        index += 1;
    }
    found
};

/// Returns the place of the first candidate for each charset, or for each superset.
const fn places(of_superset: bool) -> [u16; COUNT] {
    let mut places = [NONE; COUNT];
    let mut place = CANDIDATES_COUNT;
    while place > 0 {
        place -= 1;
        let charset = CANDIDATES[place].charset;
        let key = if of_superset {
            charset.superset()
        } else {
            charset
        };
        places[key.index()] = place as u16;
    }
    places
}

/// Returns true for pages of single bytes that no language is known to be written in, and that have a script.
const fn is_other(index: usize, own: &[u16; COUNT]) -> bool {
    let charset = Charset::at(index);
    charset.is_single_byte()
        && charset.is_ascii_compatible()
        && own[index] == NONE
        && !matches!(script_of_page(charset), ScriptGroup::Han)
}

const OTHERS_COUNT: usize = {
    let own = places(false);
    let (mut count, mut index) = (0, 0);
    while index < COUNT {
        count += is_other(index, &own) as usize;
        index += 1;
    }
    count
};

/// Pages of single bytes that no language is known to be written in.
static OTHERS: [Candidate; OTHERS_COUNT] = {
    let own = places(false);
    let mut others =
        [const { Candidate::new(Charset::US_ASCII, ScriptGroup::Latin, &[], None) }; OTHERS_COUNT];
    let (mut count, mut index) = (0, 0);
    while index < COUNT {
        if is_other(index, &own) {
            let charset = Charset::at(index);
            others[count] = Candidate::new(charset, script_of_page(charset), &[], None);
            count += 1;
        }
        index += 1;
    }
    others
};

/// Returns the script of most characters above 7F of a single-byte charset, as lenient decoding finds them.
const fn script_of_page(charset: Charset) -> ScriptGroup {
    const EMPTY: &ByteTable = &crate::single_byte::EMPTY;
    let table = match charset.superset().kind() {
        Kind::SingleByte(page) => page.table(false),
        _ => EMPTY,
    };
    let mut counts = [0; ScriptGroup::COUNT];
    let mut byte = 0xFF;
    while byte >= 0x80 {
        let c = match table.cell(byte).basic_char() {
            Some(c) => c,
            None => char::REPLACEMENT_CHARACTER,
        };
        if c as u32 >= 0x80 {
            counts[ScriptGroup::of(c) as usize] += 1;
        }
        byte -= 1;
    }
    ScriptGroup::of_counts(counts)
}

fn base_prior(language: &Language) -> u32 {
    (u32::from(language.tier) - 1) * TIER
}

/// Returns the prior cost of each language without any hint.
pub(crate) fn base_priors() -> Vec<u32> {
    LANGUAGES.iter().map(base_prior).collect()
}

/// English is written everywhere.
pub(crate) fn is_english(index: usize) -> bool {
    index == ENGLISH
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
    use crate::loss::LossLog;

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
    fn usual_charsets_cost_less_than_rare_ones() {
        assert!(usual(0) < usual(1) && usual(1) < rare(0) && rare(0) < rare(1));
    }

    #[test]
    fn labels_lead_to_candidates_that_decode_the_same() {
        let upper: Vec<u8> = (0x80..=0xFF).collect();
        let mut others = 0;
        for charset in Charset::all() {
            let wider = charset.superset();
            let known = |wanted: Charset| candidates().iter().find(|c| c.charset == wanted);
            let expected = known(charset)
                .or_else(|| known(wider))
                .or_else(|| candidates().iter().find(|c| c.charset.superset() == wider));
            let found = for_label(charset);
            if let Some(expected) = expected {
                assert_eq!(
                    found.map(|c| c.charset),
                    Some(expected.charset),
                    "{charset}"
                );
                continue;
            }
            let text = charset.decode(&upper, &mut LossLog::with_limit(0));
            let script = ScriptGroup::most_of(&text);
            let is_page = charset.is_single_byte() && charset.is_ascii_compatible();
            let expected = (is_page && script != ScriptGroup::Han).then_some((charset, script));
            assert_eq!(found.map(|c| (c.charset, c.script)), expected, "{charset}");
            others += u32::from(expected.is_some());
        }
        assert!(others > 40, "{others}");
    }
}
