//! Computes the language of the ASCII words of a text, as a prior for the language of its other words.
//!
//! Every charset decodes ASCII alike, so ASCII words say something only by their language. English text with a few foreign names is still
//! English, so the prior is bounded.
//!
//! # Limits
//! Languages in other scripts than Latin count as written beside English.

use super::cost::NAT;
use super::language::{self, Candidate};
use super::models::{ENGLISH, Models};
use super::odd_text;
use super::priors::Priors;
use crate::detect::script_group::ScriptGroup;
use crate::generated::languages::LANGUAGES;

/// Maximum cost of ASCII words for a language.
const MOST: u32 = 6 * NAT;
/// Weight of ASCII words, in quarters of their cost in the models: letters depend on each other more than the models know.
const WORTH: u32 = 2;
/// Cost of a language in another script beside English words: of few, and of many.
const OTHER_SCRIPT: [u32; 2] = [NAT, 3 * NAT];
/// How much more English words may cost than in the likeliest language, to be taken for English.
const NEAR: u32 = 3 * NAT;
/// Cost of a language of another country than those of the addresses in the text.
const ABROAD: u32 = 2 * NAT;
/// Bytes of ASCII words that are many.
const MANY: usize = 60;

/// Adds the cost of the ASCII words in each language to its prior.
pub(super) fn add_language(priors: &mut Priors, words: &[u8]) {
    if words.is_empty() {
        return;
    }
    let costs = cost_in_languages([words]);
    let Some(least) = costs.iter().flatten().min().copied() else {
        return;
    };
    let against = |cost: u32| ((cost - least) * WORTH / 4).min(MOST);
    let other =
        costs[ENGLISH].map_or(MOST, against) + OTHER_SCRIPT[usize::from(words.len() >= MANY)];
    for (prior, cost) in priors.languages.iter_mut().zip(&costs) {
        *prior += cost.map_or(other, against);
    }
    let is_near = |index: usize| costs[index].is_some_and(|cost| cost <= least + NEAR);
    priors.is_english = words.len() >= MANY && is_near(ENGLISH);
}

/// Adds to the prior of each language the cost of the domains in addresses near the first byte above 7F: `<hide@example.jp>`,
/// `http://www.example.de/`.
pub(super) fn add_countries(priors: &mut Priors, text: &[u8]) {
    let local = countries(text);
    if local.is_empty() {
        return;
    }
    for (index, prior) in priors.languages.iter_mut().enumerate() {
        if !local.contains(&index) && !language::is_english(index) {
            *prior += ABROAD;
        }
    }
    priors.local.extend(local);
}

/// Returns the languages of the countries of domains in addresses. Ignores English-speaking countries, because English is used everywhere.
fn countries(text: &[u8]) -> Vec<usize> {
    /// Bytes around the first one above 7F.
    const AROUND: usize = 256;
    let first = odd_text::high_bytes(text).next().unwrap_or(0);
    let near = &text[first.saturating_sub(AROUND)..text.len().min(first + AROUND)];
    let mut local = Vec::new();
    let starts = memchr::memchr_iter(b'@', near).map(|at| at + 1);
    for start in starts.chain(memchr::memmem::find_iter(near, b"://").map(|at| at + 3)) {
        let host = &near[start..];
        let end = host
            .iter()
            .position(|b| !b.is_ascii_alphanumeric() && !b"-.".contains(b))
            .unwrap_or(host.len());
        let mut labels = host[..end]
            .rsplit(|b| *b == b'.')
            .filter(|label| !label.is_empty());
        if let Some(top) = labels.next().filter(|top| top.len() == 2)
            && labels.next().is_some()
        {
            let found = language::by_country(&String::from_utf8_lossy(top));
            if !found.iter().any(|index| language::is_english(*index)) {
                local.extend(found);
            }
        }
    }
    local
}

/// Returns how much likelier (natural logarithm) the ASCII words of a text are in a language of `other` than in those of `candidate`.
/// Without `other`, any other charset counts. `None` without a byte above 7F.
pub(super) fn lead(text: &[u8], candidate: &Candidate, other: Option<&Candidate>) -> Option<f32> {
    /// Bytes before and after the first one above 7F. Few suffice for text that is clearly in a language of the candidate.
    const FEW: [usize; 2] = [64, 128];
    const MANY_WORDS: [usize; 2] = [256, 768];
    const CLEAR: f32 = -3.0;
    let first = odd_text::high_bytes(text).next()?;
    let near = |[before, after]: [usize; 2]| {
        &text[first.saturating_sub(before)..text.len().min(first + after)]
    };
    let (few, many) = (near(FEW), near(MANY_WORDS));
    let lead = lead_of_words(few, candidate, other)?;
    if lead <= CLEAR || few.len() == many.len() {
        return Some(lead);
    }
    lead_of_words(many, candidate, other)
}

/// Like [`lead`], for a piece of text.
fn lead_of_words(near: &[u8], candidate: &Candidate, other: Option<&Candidate>) -> Option<f32> {
    let words = near.split(u8::is_ascii_whitespace);
    let mut costs = cost_in_languages(words.filter(|word| word.is_ascii()));
    let least_of = |candidate: &Candidate| {
        let languages = candidate.languages.iter();
        languages.filter_map(|(index, _)| costs[*index]).min()
    };
    let own = least_of(candidate)?;
    let foreign = if let Some(other) = other {
        least_of(other)
    } else {
        for (index, _) in candidate.languages {
            costs[*index] = None;
        }
        costs.iter().flatten().min().copied()
    }?;
    Some((own as f32 - foreign as f32) / NAT as f32)
}

/// Kinds of ASCII characters: white space, other characters, the letters.
const KINDS: usize = 28;
const BLANK: usize = 0;
const NO_LETTER: usize = 1;

/// Number of languages of Latin script.
const LATIN: usize = LATIN_LANGUAGES.1;
/// The indexes of the languages of Latin script in `LANGUAGES`, and their number.
const LATIN_LANGUAGES: ([usize; LANGUAGES.len()], usize) = {
    let (mut indexes, mut count, mut index) = ([0; LANGUAGES.len()], 0, 0);
    while index < LANGUAGES.len() {
        if matches!(LANGUAGES[index].script, ScriptGroup::Latin) {
            indexes[count] = index;
            count += 1;
        }
        index += 1;
    }
    (indexes, count)
};

/// Returns the cost of ASCII texts with blanks between them in each language, by its index in `LANGUAGES`; `None` for other scripts than
/// Latin. The costs of a pair stand side by side for all languages, so one pass over the words reads them in all.
fn cost_in_languages<'t>(
    texts: impl IntoIterator<Item = &'t [u8]>,
) -> [Option<u32>; LANGUAGES.len()] {
    let (rows, _) = Models::get().ascii_pairs().as_chunks::<LATIN>();
    let (mut totals, mut block, mut pairs) = ([0_u32; LATIN], [0_u16; LATIN], 0);
    let mut last = BLANK;
    let mut add = |byte: u8| {
        let kind = match byte.to_ascii_lowercase() {
            letter @ b'a'..=b'z' => usize::from(letter - b'a') + 2,
            byte if byte.is_ascii_whitespace() => BLANK,
            _ => NO_LETTER,
        };
        // One stands for a run of either.
        if kind == last && kind <= NO_LETTER {
            return;
        }
        for (sum, cost) in block.iter_mut().zip(&rows[last * KINDS + kind]) {
            *sum += u16::from_le_bytes(*cost);
        }
        pairs += 1;
        if pairs % BLOCK == 0 {
            add_block(&mut totals, &mut block);
        }
        last = kind;
    };
    for text in texts {
        add(b' ');
        text.iter().copied().for_each(&mut add);
    }
    add_block(&mut totals, &mut block);
    let mut costs = [None; LANGUAGES.len()];
    for (index, total) in LATIN_LANGUAGES.0.iter().zip(totals) {
        costs[*index] = Some(total);
    }
    costs
}

/// Number of pairs whose costs are added in 16 bits: a processor adds twice as many of them at once. A pair costs 255 at most.
const BLOCK: usize = 256;

/// Adds the sums of a block to the totals, and clears them.
fn add_block(totals: &mut [u32; LATIN], block: &mut [u16; LATIN]) {
    for (total, sum) in totals.iter_mut().zip(block) {
        *total += u32::from(std::mem::take(sum));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_the_dearest_pairs_fits_in_16_bits() {
        let costs = Models::get().ascii_pairs().iter();
        let most = costs.map(|cost| u16::from_le_bytes(*cost)).max();
        assert!(most.is_some_and(|most| u16::try_from(usize::from(most) * BLOCK).is_ok()));
    }

    #[test]
    fn long_texts_cost_the_sum_of_their_pairs() {
        // The pair at the start is in all sums, and drops out.
        let cost = |pairs: usize| cost_in_languages([&b"zq".repeat(pairs)[..]]);
        let [few, more, many] = [1_000, 2_000, 11_000].map(cost);
        for ((few, more), many) in few.iter().zip(&more).zip(&many) {
            let (Some(few), Some(more), Some(many)) = (few, more, many) else {
                continue;
            };
            assert_eq!(many - few, 10 * (more - few));
        }
    }
}
