//! Reads a sample in one charset: the classes of its characters, and the costs that do not depend on the language.
//!
//! # Limits
//! If bytes of a charset stand for more than two letters each, only the first two count.

use super::classed_char::{ASCII_LETTER, CASE, ClassedChar, IS_BROKEN, narrow};
use super::cost::NAT;
use super::detection_page::DetectionPage;
use super::models::{self, ASCII, FOREIGN, Floor, Models, OTHER, SIGN, SPACE};
use super::rules::Rules;
use super::signs::{self, Beside};
use crate::alphabetic::is_alphabetic;
use crate::detect::script_group::ScriptGroup;

/// Text as a row of classes of one script.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) classes: Vec<u8>,
    /// Words of ASCII letters: index of the class after each, and its cost in English. Latin script only.
    pub(super) english: Vec<(usize, u32)>,
    /// Cost of signs, of case and of damage.
    pub(super) cost: u32,
    /// Number of broken characters.
    pub(super) broken: u32,
    /// Signs in Han text: their places among the characters beyond ASCII, and what each costs at most.
    pub(super) signs: Vec<(usize, u32)>,
}

/// Reads a sample by the page of a charset; `english` gives the costs of its runs of ASCII letters. None where the reading costs more than
/// `most`.
pub(super) fn read_bytes<'e>(
    page: &DetectionPage,
    sample: &[u8],
    english: impl FnOnce() -> &'e [u32],
    most: u32,
    rules: Rules,
) -> Option<Reading> {
    let mut classed: Vec<ClassedChar> = sample.iter().map(|byte| page.classed(*byte)).collect();
    if rules.has(Rules::SIGNS_BY_PLACE) {
        let char_at = |at: usize| page.character(sample[at]);
        place_signs(&mut classed, char_at, |at| page.beside(sample[at]));
    }
    if most < u32::MAX
        && let Some(floor) = Models::get().floor(page.script())
        && least_cost(&classed, floor) > most
    {
        return None;
    }
    read_classed(&classed, page.script(), english, most)
}

/// Returns the cost of each run of ASCII letters in English, in order.
pub(super) fn english_runs(sample: &[u8]) -> Vec<u32> {
    let runs = sample.split(|b| !b.is_ascii_alphabetic());
    let mut costs = Vec::with_capacity(sample.len() / 4);
    costs.extend(runs.filter(|run| !run.is_empty()).map(models::english));
    costs
}

/// Reads text in the classes of a script; `english` has the costs of its runs of ASCII letters.
pub(super) fn read_text(text: &str, english: &[u32], script: ScriptGroup, rules: Rules) -> Reading {
    let has_ascii_letters = !english.is_empty();
    let chars: Vec<char> = text.chars().collect();
    let mut classed: Vec<ClassedChar> = chars.iter().map(|c| ClassedChar::of(*c, script)).collect();
    let (mut han_signs, mut within) = (Vec::new(), 0);
    if rules.has(Rules::SIGNS_BY_PLACE) {
        if script == ScriptGroup::Han {
            han_signs = placed_in_han(&chars, |at| classed[at].beside(chars[at], script));
            if has_ascii_letters {
                within = chars
                    .windows(3)
                    .filter(|around| is_within_ascii(around))
                    .count() as u32;
            }
        } else {
            let beside: Vec<Beside> = chars
                .iter()
                .zip(&classed)
                .map(|(c, one)| one.beside(*c, script))
                .collect();
            place_signs(&mut classed, |at| chars[at], |at| beside[at]);
        }
    }
    let mut reading = read_classed(&classed, script, || english, u32::MAX).unwrap_or_default();
    reading.signs = han_signs;
    reading.cost += within * WITHIN_WORD;
    reading
}

/// Cost of a single character of Han script between two ASCII letters. It is rather a letter of Latin, or a sign, and the next letter.
const WITHIN_WORD: u32 = 6 * NAT;

/// Returns true if the second of three characters is non-ASCII between ASCII letters.
fn is_within_ascii(around: &[char]) -> bool {
    matches!(around, [before, c, after]
        if before.is_ascii_alphabetic() && !c.is_ascii() && is_alphabetic(*c) && after.is_ascii_alphabetic())
}

/// Gives each sign the class and cost of its place.
fn place_signs(
    classed: &mut [ClassedChar],
    char_at: impl Fn(usize) -> char,
    beside: impl Fn(usize) -> Beside,
) {
    for at in 0..classed.len() {
        if classed[at].class != SIGN || classed[at].flags & IS_BROKEN != 0 {
            continue;
        }
        let c = char_at(at);
        if let Some(before) = at.checked_sub(1).filter(|before| char_at(*before) == c) {
            let extra = if signs::is_single(c) {
                classed[before].extra.max(narrow(signs::REPEATED_SINGLE))
            } else {
                narrow(signs::REPEATED)
            };
            classed[at] = ClassedChar {
                extra,
                ..classed[before]
            };
            continue;
        }
        let mut placed = place_at(at, classed.len(), c, &char_at, &beside);
        let is_alone = |partner: char| (0..classed.len()).all(|other| char_at(other) != partner);
        if signs::partner(c).is_some_and(is_alone) {
            placed.cost += signs::WITHOUT_PARTNER;
        }
        let after = (at + 1 < classed.len()).then(|| char_at(at + 1));
        if after == Some('@') {
            placed.cost += signs::BEFORE_AT;
        }
        if after.is_some_and(|after| signs::is_never_before(c, after)) {
            placed.cost += signs::BEFORE_SMALL_LETTER;
        }
        classed[at] = ClassedChar {
            class: placed.class,
            extra: narrow(placed.cost),
            ..classed[at]
        };
    }
}

/// Returns the place of the sign that begins a run at `at`.
fn place_at(
    at: usize,
    length: usize,
    c: char,
    char_at: impl Fn(usize) -> char,
    beside: impl Fn(usize) -> Beside,
) -> signs::Placed {
    let before = at.checked_sub(1);
    let after = (at + 1..length).find(|next| char_at(*next) != c);
    // A sample begins and ends with words of its text.
    let kind = |at: Option<usize>| at.map_or(Beside::Blank, &beside);
    // `12\u{A0}€`: the sign belongs to the number.
    let or_number = |near: Beside, far: Option<usize>| {
        let is_number = near == Beside::NoBreak && kind(far) == Beside::Digit;
        if is_number && c != '\u{A0}' {
            Beside::Digit
        } else {
            near
        }
    };
    let before = or_number(kind(before), before.and_then(|at| at.checked_sub(1)));
    let after = or_number(
        kind(after),
        after.map(|at| at + 1).filter(|at| *at < length),
    );
    signs::place(c, before, after)
}

/// The signs of Han text, which its models know little of: their places among the characters beyond ASCII, and their costs.
fn placed_in_han(chars: &[char], beside: impl Fn(usize) -> Beside) -> Vec<(usize, u32)> {
    let wide = chars.iter().enumerate().filter(|(_, c)| !c.is_ascii());
    let signs = wide.enumerate().filter(|(_, (_, c))| is_common_sign(**c));
    let cost = |at: usize, c: char| {
        let is_repeated = at.checked_sub(1).is_some_and(|before| chars[before] == c);
        if is_repeated {
            signs::REPEATED
        } else {
            place_at(at, chars.len(), c, |at| chars[at], &beside).cost
        }
    };
    signs.map(|(nth, (at, c))| (nth, cost(at, *c))).collect()
}

/// Returns true if a character is a sign that occurs in texts of any language.
pub(super) fn is_common_sign(c: char) -> bool {
    matches!(c, '\u{A0}'..='\u{BF}' | '\u{D7}' | '\u{F7}' | '\u{2000}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '\u{20A0}'..='\u{20BF}' | '\u{2122}' | '\u{2500}'..='\u{257F}' | '\u{3000}'..='\u{3002}' | '\u{30FB}' | '\u{FF0C}' | '\u{FF0E}')
        && !is_alphabetic(c)
}

/// Returns the minimum cost of a row in any language of the script, without case. Signs have their places, unlike in
/// [`DetectionPage::bound`].
fn least_cost(classed: &[ClassedChar], floor: &Floor) -> u32 {
    let mut last = SPACE;
    let mut total = 0;
    for one in classed {
        total += u32::from(one.extra) + floor.cost(last, one.class);
        last = one.end();
    }
    total
}

/// Collects the classes in order, with their costs. Returns `None` if the costs exceed `most`. Several short passes are faster than one.
fn read_classed<'e>(
    classed: &[ClassedChar],
    script: ScriptGroup,
    english: impl FnOnce() -> &'e [u32],
    most: u32,
) -> Option<Reading> {
    let mut cost: u32 = classed.iter().map(|one| u32::from(one.extra)).sum();
    if cost > most {
        return None;
    }
    cost += case_cost(classed);
    if cost > most {
        return None;
    }
    let broken = classed
        .iter()
        .map(|one| u32::from(one.flags & IS_BROKEN != 0))
        .sum();
    let mut reading = Reading {
        classes: Vec::with_capacity(2 * classed.len() + 1),
        broken,
        ..Reading::default()
    };
    let mut english = english().iter().copied();
    let mut last = SPACE;
    // Within a run of ASCII letters; whether a letter beyond ASCII stands before it.
    let (mut in_run, mut is_mixed) = (false, false);
    let mut end_run = |is_word: bool, reading: &mut Reading| {
        let run = english.next().unwrap_or_default();
        if script != ScriptGroup::Latin {
            cost += run;
        } else if is_word {
            // In Latin script it is a word only if no other letter is next to it.
            reading.english.push((reading.classes.len(), run));
        }
    };
    for one in classed {
        if one.flags & ASCII_LETTER != 0 {
            in_run = true;
        } else {
            let is_word = one.class < FOREIGN;
            if in_run {
                end_run(is_word && !is_mixed, &mut reading);
                in_run = false;
            }
            is_mixed = !is_word;
        }
        if one.class == last && matches!(last, SPACE | OTHER | ASCII) {
            continue;
        }
        last = one.class;
        reading.classes.push(last);
        if one.mark != SPACE {
            last = one.mark;
            reading.classes.push(last);
        }
    }
    if in_run {
        end_run(!is_mixed, &mut reading);
    }
    if script != ScriptGroup::Han && last != SPACE {
        reading.classes.push(SPACE);
    }
    reading.cost = cost;
    (cost <= most).then_some(reading)
}

/// Returns the cost of changes between small and capital letters, by their frequency in words of all languages. Words in capitals
/// stand together: the first one costs much, those behind it little.
fn case_cost(classed: &[ClassedChar]) -> u32 {
    let costs = &Models::get().case;
    // No letter, a small one, a capital, several capitals.
    let mut before = 0;
    // The words before this one are in capitals.
    let mut in_capitals = false;
    let mut total = 0;
    for one in classed {
        let case = usize::from(one.flags & CASE);
        if case > 0 {
            let cost = u32::from(costs[before][case - 1]);
            total += if in_capitals && case == 2 && before != 1 {
                cost.min(AGAIN_CAPITAL)
            } else {
                cost
            };
        }
        before = case + usize::from(case == 2 && before >= 2);
        in_capitals = case != 1 && (in_capitals || before == 3);
    }
    total
}

/// Cost of each of the first two letters of a word in capitals behind another such word.
const AGAIN_CAPITAL: u32 = NAT / 6;

#[cfg(test)]
mod tests {
    use super::super::language::candidates;
    use super::*;

    #[test]
    fn words_in_capitals_stand_together() {
        let cost = |text: &str| {
            let classed = text
                .chars()
                .map(|c| ClassedChar::of(c, ScriptGroup::Cyrillic));
            case_cost(&classed.collect::<Vec<_>>())
        };
        let one = cost("СЕМЬ");
        assert!(one > 3 * NAT, "{one}");
        assert!(cost("СЕМЬ РАЗ ОТМЕРЬ, А ПОТОМ") < one + NAT);
        assert!(cost("СЕМЬ раз ОТМЕРЬ") > 2 * one - NAT);
        // Capitals behind a small letter stay expensive.
        assert!(cost("СЕМЬ рАЗ") > one + 5 * NAT);
    }

    #[test]
    fn a_sign_in_the_worst_place_costs_most() {
        let mut most = 0;
        for candidate in candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte)
        {
            let page = candidate.page();
            for sign in 0x80..=0xFF_u8 {
                for beside in [b'a', b'1', b' ', 0xE9] {
                    let sample = [beside, sign, 0xE9, b'@'];
                    let mut classed: Vec<ClassedChar> =
                        sample.iter().map(|byte| page.classed(*byte)).collect();
                    if classed[1].class != SIGN
                        || classed[1].flags & IS_BROKEN != 0
                        || beside == sign
                    {
                        continue;
                    }
                    let char_at = |at: usize| page.character(sample[at]);
                    let beside_at = |at: usize| page.beside(sample[at]);
                    let placed = place_at(1, sample.len(), char_at(1), char_at, beside_at);
                    place_signs(&mut classed, char_at, beside_at);
                    let extra = u32::from(classed[1].extra);
                    assert!(
                        extra >= placed.cost.min(255),
                        "{} {sign:02X}",
                        candidate.charset
                    );
                    most = most.max(placed.cost);
                }
            }
        }
        assert!(most > 100, "{most}");
    }
}
