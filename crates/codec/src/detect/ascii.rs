//! The language of the ASCII words of a text, as a prior for the language of its other words.
//!
//! Every charset reads ASCII alike: it says nothing of the charset but by its language. English text with a few foreign names in it is
//! English all the same, so what its words say is bounded.
//!
//! # Limits
//! Languages of other scripts than Latin count as written beside English.

use super::language::{self, NAT, Script};
use super::models::{Model, Models, OTHER, SPACE};
use super::score::Priors;
use crate::generated::languages::LANGUAGES;

/// The most that ASCII words speak against a language.
const MOST: u32 = 6 * NAT;
/// What they are worth, in quarters of what the models say: letters depend on each other more than those know.
const WORTH: u32 = 2;
/// Cost of a language in another script beside English words: of few, and of many.
const OTHER_SCRIPT: [u32; 2] = [NAT, 3 * NAT];
/// How much more English words may cost than in the likeliest language, to be taken for English.
const NEAR: u32 = 3 * NAT;
/// Cost of a language of another country than those of the addresses in the text.
const ABROAD: u32 = 2 * NAT;
/// Bytes of ASCII words that are many.
const MANY: usize = 60;

/// Adds to the cost of each language what the ASCII words speak against it.
pub(super) fn add_language(priors: &mut Priors, words: &[u8]) {
    if words.is_empty() {
        return;
    }
    let models = Models::get();
    let classes = classes(models, words);
    let english = (0..LANGUAGES.len()).find(|index| language::is_english(*index));
    // What costs more by this counts as MOST, however much it is: it is not looked at to its end.
    let mut most = u32::MAX;
    let mut cost = |index: usize| match models.language(index) {
        Model::Letters(letters) if LANGUAGES[index].script == Script::Latin => {
            let cost = letters.coarse_cost(&classes, most).unwrap_or(u32::MAX);
            most = most.min(cost.saturating_add(MOST * 4 / WORTH));
            Some(cost)
        }
        _ => None,
    };
    // Most such words are English.
    english.map(&mut cost);
    let costs: Vec<Option<u32>> = (0..LANGUAGES.len()).map(cost).collect();
    let Some(least) = costs.iter().flatten().min().copied() else { return };
    let against = |cost: u32| ((cost - least).min(MOST * 4 / WORTH) * WORTH / 4).min(MOST);
    let other = english.and_then(|index| costs[index]).map_or(MOST, against)
        + OTHER_SCRIPT[usize::from(words.len() >= MANY)];
    for (prior, cost) in priors.languages.iter_mut().zip(&costs) {
        *prior += cost.map_or(other, against);
    }
    let is_near = |index: usize| costs[index].is_some_and(|cost| cost <= least + NEAR);
    priors.is_english = words.len() >= MANY && english.is_some_and(is_near);
    let local = countries(words);
    for (index, prior) in priors.languages.iter_mut().enumerate() {
        if !local.is_empty() && !local.contains(&index) && !language::is_english(index) {
            *prior += ABROAD;
        }
    }
}

/// The languages of the countries whose domains stand in addresses: `<hide@example.jp>`, `http://www.example.de/`.
fn countries(words: &[u8]) -> Vec<usize> {
    let mut local = Vec::new();
    for word in words.split(u8::is_ascii_whitespace) {
        let at = memchr::memrchr(b'@', word).map(|at| at + 1);
        let host = at.or_else(|| memchr::memmem::find(word, b"://").map(|at| at + 3));
        let Some(host) = host.map(|at| &word[at..]) else { continue };
        let end =
            host.iter().position(|b| !b.is_ascii_alphanumeric() && !b"-.".contains(b)).unwrap_or(host.len());
        let mut labels = host[..end].rsplit(|b| *b == b'.').filter(|label| !label.is_empty());
        if let Some(top) = labels.next().filter(|top| top.len() == 2)
            && labels.next().is_some()
        {
            local.extend(language::by_country(&String::from_utf8_lossy(top)));
        }
    }
    local
}

/// The classes of ASCII text in Latin script.
fn classes(models: &Models, words: &[u8]) -> Vec<u8> {
    let mut classes = Vec::with_capacity(words.len());
    let mut last = SPACE;
    for byte in words {
        let class = match byte {
            b'A'..=b'Z' | b'a'..=b'z' => models.ascii_class(*byte),
            byte if byte.is_ascii_whitespace() => SPACE,
            _ => OTHER,
        };
        if class != last || class > OTHER {
            classes.push(class);
        }
        last = class;
    }
    classes
}
