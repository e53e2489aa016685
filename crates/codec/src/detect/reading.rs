//! Reads a sample in one charset: the classes of its characters, and the costs that do not depend on the language.
//!
//! # Limits
//! If bytes of a charset stand for more than two letters each, only the first two count.

use super::cost::NAT;
use super::language::ScriptGroup;
use super::models::{self, ASCII, FOREIGN, Floor, LETTERS, Models, OTHER, SIGN, SPACE};
use super::rules::Rules;
use super::signs::{self, Beside};
use crate::{Charset, Mode, decoder};

/// Cost of a byte that the charset leaves undefined, of a control, of U+FFFD.
pub(super) const BROKEN: u32 = 12 * NAT;
/// Cost of each ASCII sign or digit.
const ASCII_SIGN: u32 = 5 * NAT / 2;

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

/// Properties of a character in four bytes. Each text is read with all charsets, so this is compact.
#[derive(Clone, Copy, Debug)]
struct Sort {
    class: u8,
    /// A second class, if the character is a letter with a mark; otherwise `SPACE`.
    mark: u8,
    /// Cost beyond the classes.
    extra: u8,
    /// [`SMALL`] or [`CAPITAL`] or neither, and other flags.
    flags: u8,
}

/// The case of a letter, and the bits of a sort that tell it.
const SMALL: u8 = 1;
const CAPITAL: u8 = 2;
const CASE: u8 = 3;
/// An ASCII letter.
const ASCII_LETTER: u8 = 4;
/// U+FFFD, or a control other than white space.
const IS_BROKEN: u8 = 8;

/// A sign that does not stand between letters.
const NEVER_WITHIN: u8 = 16;
/// Cost of such a sign where it does: it makes any text odd.
const WITHIN: u32 = 1 << 20;

/// The sorts of the 256 bytes of a single-byte charset.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteSorts {
    script: ScriptGroup,
    /// [`Sort::bytes`] of each byte.
    sorts: &'static [[u8; 4]; 256],
    /// [`Bound::bytes`] of each byte.
    bounds: &'static [[u8; 4]; 256],
    /// Code points, little-endian.
    chars: &'static [[u8; 2]; 256],
}

/// Returns a cost as a [`Sort`] stores it: costs beyond 255 become 255.
fn narrow(cost: u32) -> u8 {
    u8::try_from(cost).unwrap_or(u8::MAX)
}

/// Minimum cost of a byte in any place.
#[derive(Clone, Copy, Debug)]
struct Bound {
    class: u8,
    /// The class before the next byte.
    end: u8,
    /// Cost beyond the classes.
    extra: u8,
    /// Minimum cost behind the same byte: in a run of signs all except the first cost little.
    again: u8,
}

impl Bound {
    fn bytes(self) -> [u8; 4] {
        [self.class, self.end, self.extra, self.again]
    }
}

impl ByteSorts {
    /// Bytes of a page in the generated file: sorts, bounds and code points.
    pub(super) const PACKED: usize = (4 + 4 + 2) * 256;

    pub(super) const EMPTY: Self = Self::of_packed(ScriptGroup::Latin, &[0; Self::PACKED]);

    /// The page with these bytes, which [`ByteSorts::packed`] made.
    pub(super) const fn of_packed(
        script: ScriptGroup,
        packed: &'static [u8; Self::PACKED],
    ) -> Self {
        let (sorts, rest) = packed.split_at(4 * 256);
        let (bounds, chars) = rest.split_at(4 * 256);
        let (Some(sorts), Some(bounds), Some(chars)) = (
            sorts.as_chunks().0.as_array(),
            bounds.as_chunks().0.as_array(),
            chars.as_chunks().0.as_array(),
        ) else {
            unreachable!()
        };
        Self {
            script,
            sorts,
            bounds,
            chars,
        }
    }

    /// Makes the page of a charset whose letters are of a script.
    pub(super) fn packed(charset: Charset, script: ScriptGroup) -> [u8; Self::PACKED] {
        let table = decoder::table(charset.superset(), Mode::Lenient);
        let chars: [char; 256] = std::array::from_fn(|byte| {
            let c = table.cell(byte as u8).char();
            c.unwrap_or(char::REPLACEMENT_CHARACTER)
        });
        let sorts = chars.map(|c| Sort::of(c, script));
        let bound = |byte: usize| {
            let (sort, c) = (sorts[byte], chars[byte]);
            let is_only = sort.class == SIGN
                && !chars[..byte].contains(&c)
                && !chars[byte + 1..].contains(&c);
            let extra = sort.least(c, is_only);
            Bound {
                class: sort.class,
                end: sort.end(),
                extra,
                again: sort.least(c, false),
            }
        };
        let mut packed = [0; Self::PACKED];
        let (of_sorts, rest) = packed.split_at_mut(4 * 256);
        let (of_bounds, of_chars) = rest.split_at_mut(4 * 256);
        for byte in 0..256 {
            of_sorts.as_chunks_mut().0[byte] = sorts[byte].bytes();
            of_bounds.as_chunks_mut().0[byte] = bound(byte).bytes();
            // No page has a character beyond the basic plane.
            of_chars.as_chunks_mut().0[byte] = (chars[byte] as u16).to_le_bytes();
        }
        packed
    }

    #[inline]
    fn sort(&self, byte: u8) -> Sort {
        Sort::of_bytes(self.sorts[usize::from(byte)])
    }

    /// Returns the kind of a byte as a neighbor of a sign.
    fn beside(&self, byte: u8) -> Beside {
        self.sort(byte).beside(self.character(byte), self.script)
    }

    /// Reads a sample by this page; `english` are the costs of its runs of ASCII letters. None where the reading costs more than `most`.
    pub(super) fn read(
        &self,
        sample: &[u8],
        english: &[u32],
        most: u32,
        rules: Rules,
    ) -> Option<Reading> {
        let mut sorts: Vec<Sort> = sample.iter().map(|byte| self.sort(*byte)).collect();
        if rules.has(Rules::SIGNS_BY_PLACE) {
            let char_at = |at: usize| self.character(sample[at]);
            place_signs(&mut sorts, char_at, |at| self.beside(sample[at]));
        }
        if let Some(floor) = self.floor(most)
            && least_cost(&sorts, floor) > most
        {
            return None;
        }
        read_sorts(&sorts, self.script, english, most)
    }

    /// Returns the minimum costs of the script's classes, or `None` if nothing can be excluded.
    fn floor(&self, most: u32) -> Option<&'static Floor> {
        (most < u32::MAX)
            .then(|| Models::get().floor(self.script))
            .flatten()
    }

    /// Returns the least that the sample may cost in a language of the script; `None` if that is above `most`. Fast, since it excludes most
    /// charsets.
    pub(super) fn bound(&self, sample: &[u8], most: u32) -> Option<u32> {
        let Some(floor) = Models::get().floor(self.script) else {
            return Some(0);
        };
        let (mut row, mut before) = (floor.row(SPACE), 0);
        let mut total = 0;
        for run in sample.chunks(8) {
            for byte in run {
                let [class, end, extra, again] = self.bounds[usize::from(*byte)];
                total += u32::from(if *byte == before { again } else { extra });
                total += row.get(usize::from(class)).copied().map_or(0, u32::from);
                (row, before) = (floor.row(end), *byte);
            }
            if total > most {
                return None;
            }
        }
        Some(total)
    }

    /// Returns the minimum cost of the byte above 7F by its neighbors, in sixteenths of a nat, and the number of pairs. A sign beside itself, as in
    /// lines, costs nothing. A sign within a word costs the maximum. `floor` gives the cost of a class behind another.
    pub(super) fn pairs(
        &self,
        floor: impl Fn(u8, u8) -> u32,
        cases: [[u8; 2]; 4],
        [last, byte, next]: [u8; 3],
    ) -> (u32, u32) {
        let [before, here, after] = [last, byte, next].map(|byte| self.sort(byte));
        let (mut cost, mut pairs) = (0, 0);
        if here.flags & NEVER_WITHIN != 0 && before.is_letter() && after.is_letter() {
            return (WITHIN, 1);
        }
        // Among ASCII, and among Latin letters, signs stand beside anything.
        let tells =
            here.is_letter() || self.script != ScriptGroup::Latin && last >= 0x80 && last != byte;
        if tells {
            let case = usize::from(here.flags & CASE);
            cost += floor(before.end(), here.class) + u32::from(here.extra);
            if case > 0 {
                cost += u32::from(cases[usize::from(before.flags & CASE)][case - 1]);
            }
            pairs += 1;
        }
        // What stands above 7F itself counts the pair when it is its turn.
        if next < 0x80
            && (here.is_letter() || after.is_letter() && self.script != ScriptGroup::Latin)
        {
            cost += floor(here.end(), after.class);
            pairs += 1;
        }
        (cost, pairs)
    }

    /// Returns true if a byte is a letter.
    pub(super) fn is_letter(&self, byte: u8) -> bool {
        self.sort(byte).is_letter()
    }

    /// Returns the character of a byte.
    pub(super) fn character(&self, byte: u8) -> char {
        let code = u16::from_le_bytes(self.chars[usize::from(byte)]);
        char::from_u32(code.into()).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Returns a hash of the characters above 7F: equal for charsets that decode the sample alike.
    pub(super) fn text(&self, sample: &[u8]) -> u64 {
        text_hash(sample.iter().map(|byte| self.character(*byte)))
    }
}

/// Returns the cost of each run of ASCII letters in English, in order.
pub(super) fn english_runs(sample: &[u8]) -> Vec<u32> {
    sample
        .split(|b| !b.is_ascii_alphabetic())
        .filter(|run| !run.is_empty())
        .map(models::english)
        .collect()
}

/// Reads text in the classes of a script.
pub(super) fn read_text(text: &str, script: ScriptGroup, rules: Rules) -> Reading {
    let has_ascii_letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let english = if has_ascii_letters {
        english_runs(text.as_bytes())
    } else {
        Vec::new()
    };
    let chars: Vec<char> = text.chars().collect();
    let mut sorts: Vec<Sort> = chars.iter().map(|c| Sort::of(*c, script)).collect();
    let (mut han_signs, mut within) = (Vec::new(), 0);
    if rules.has(Rules::SIGNS_BY_PLACE) {
        if script == ScriptGroup::Han {
            han_signs = placed_in_han(&chars, |at| sorts[at].beside(chars[at], script));
            if has_ascii_letters {
                within = chars
                    .windows(3)
                    .filter(|around| is_within_ascii(around))
                    .count() as u32;
            }
        } else {
            let beside: Vec<Beside> = chars
                .iter()
                .zip(&sorts)
                .map(|(c, sort)| sort.beside(*c, script))
                .collect();
            place_signs(&mut sorts, |at| chars[at], |at| beside[at]);
        }
    }
    let mut reading = read_sorts(&sorts, script, &english, u32::MAX).unwrap_or_default();
    reading.signs = han_signs;
    reading.cost += within * WITHIN_WORD;
    reading
}

/// Cost of a single character of Han script between two ASCII letters: it is rather a letter of Latin, or a sign, and the next letter.
const WITHIN_WORD: u32 = 6 * NAT;

/// Returns true if the second of three characters is non-ASCII between ASCII letters.
fn is_within_ascii(around: &[char]) -> bool {
    matches!(around, [before, c, after]
        if before.is_ascii_alphabetic() && !c.is_ascii() && c.is_alphabetic() && after.is_ascii_alphabetic())
}

/// Gives each sign the class and cost of its place.
fn place_signs(
    sorts: &mut [Sort],
    char_at: impl Fn(usize) -> char,
    beside: impl Fn(usize) -> Beside,
) {
    for at in 0..sorts.len() {
        if sorts[at].class != SIGN || sorts[at].flags & IS_BROKEN != 0 {
            continue;
        }
        let c = char_at(at);
        if let Some(before) = at.checked_sub(1).filter(|before| char_at(*before) == c) {
            let extra = if signs::is_single(c) {
                sorts[before].extra.max(narrow(signs::REPEATED_SINGLE))
            } else {
                narrow(signs::REPEATED)
            };
            sorts[at] = Sort {
                extra,
                ..sorts[before]
            };
            continue;
        }
        let mut placed = place_at(at, sorts.len(), c, &char_at, &beside);
        let is_alone = |partner: char| (0..sorts.len()).all(|other| char_at(other) != partner);
        if signs::partner(c).is_some_and(is_alone) {
            placed.cost += signs::WITHOUT_PARTNER;
        }
        if at + 1 < sorts.len() && char_at(at + 1) == '@' {
            placed.cost += signs::BEFORE_AT;
        }
        sorts[at] = Sort {
            class: placed.class,
            extra: narrow(placed.cost),
            ..sorts[at]
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
fn is_common_sign(c: char) -> bool {
    matches!(c, '\u{A0}'..='\u{BF}' | '\u{D7}' | '\u{F7}' | '\u{2000}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '\u{20A0}'..='\u{20BF}' | '\u{2122}' | '\u{2500}'..='\u{257F}' | '\u{3000}'..='\u{3002}' | '\u{30FB}' | '\u{FF0C}' | '\u{FF0E}')
        && !c.is_alphabetic()
}

/// A number for the characters beyond ASCII.
pub(super) fn text_hash(text: impl Iterator<Item = char>) -> u64 {
    text.filter(|c| !c.is_ascii())
        .fold(0xCBF2_9CE4_8422_2325, |hash, c| {
            (hash ^ u64::from(c)).wrapping_mul(0x100_0000_01B3)
        })
}

/// Returns the minimum cost of a row in any language of the script, without case. Signs have their places, unlike in
/// [`ByteSorts::bound`].
fn least_cost(sorts: &[Sort], floor: &Floor) -> u32 {
    let mut last = SPACE;
    let mut total = 0;
    for sort in sorts {
        total += u32::from(sort.extra) + floor.cost(last, sort.class);
        last = sort.end();
    }
    total
}

/// Puts sorts into a row; None where that costs more than `most`. Several passes, each with little to keep in mind, are faster than one.
fn read_sorts(sorts: &[Sort], script: ScriptGroup, english: &[u32], most: u32) -> Option<Reading> {
    let mut cost: u32 = sorts.iter().map(|sort| u32::from(sort.extra)).sum();
    if cost > most {
        return None;
    }
    cost += case_cost(sorts);
    if cost > most {
        return None;
    }
    let broken = sorts
        .iter()
        .map(|sort| u32::from(sort.flags & IS_BROKEN != 0))
        .sum();
    let mut reading = Reading {
        classes: Vec::with_capacity(2 * sorts.len() + 1),
        broken,
        ..Reading::default()
    };
    let mut english = english.iter().copied();
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
    for sort in sorts {
        if sort.flags & ASCII_LETTER != 0 {
            in_run = true;
        } else {
            let is_word = sort.class < FOREIGN;
            if in_run {
                end_run(is_word && !is_mixed, &mut reading);
                in_run = false;
            }
            is_mixed = !is_word;
        }
        if sort.class == last && matches!(last, SPACE | OTHER | ASCII) {
            continue;
        }
        last = sort.class;
        reading.classes.push(last);
        if sort.mark != SPACE {
            last = sort.mark;
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

/// Returns the cost of changes between small and capital letters, by their frequency in words of all languages.
fn case_cost(sorts: &[Sort]) -> u32 {
    let costs = &Models::get().case;
    // No letter, a small one, a capital, several capitals.
    let mut before = 0;
    let mut total = 0;
    for sort in sorts {
        let case = usize::from(sort.flags & CASE);
        if case > 0 {
            total += u32::from(costs[before][case - 1]);
        }
        before = case + usize::from(case == 2 && before >= 2);
    }
    total
}

impl Sort {
    fn bytes(self) -> [u8; 4] {
        [self.class, self.mark, self.extra, self.flags]
    }

    fn of_bytes([class, mark, extra, flags]: [u8; 4]) -> Self {
        Self {
            class,
            mark,
            extra,
            flags,
        }
    }

    fn is_letter(self) -> bool {
        self.class >= FOREIGN || self.flags & ASCII_LETTER != 0
    }

    /// Returns the kind of the character as a neighbor of a sign.
    fn beside(self, c: char, script: ScriptGroup) -> Beside {
        match c {
            '\u{A0}' => Beside::NoBreak,
            _ if self.is_letter() && !c.is_ascii() => {
                if script == ScriptGroup::Latin {
                    Beside::Accented
                } else {
                    Beside::Letter
                }
            }
            _ if c.is_ascii() => Beside::of_ascii(c as u8),
            _ => Beside::Sign,
        }
    }

    /// Returns the minimum additional cost of the character in any place. `is_only` is false if it may follow itself.
    fn least(self, c: char, is_only: bool) -> u8 {
        if self.class != SIGN || self.flags & IS_BROKEN != 0 {
            return self.extra;
        }
        let least = if is_only {
            signs::least(c)
        } else {
            signs::LEAST
        };
        self.extra.min(narrow(least))
    }

    /// Returns the class before the next one.
    fn end(self) -> u8 {
        if self.mark == SPACE {
            self.class
        } else {
            self.mark
        }
    }

    fn of(c: char, script: ScriptGroup) -> Self {
        let letter = if c.is_ascii_alphabetic() {
            ASCII_LETTER
        } else {
            0
        };
        let plain = |class, extra: u32| Self {
            class,
            mark: SPACE,
            extra: narrow(extra),
            flags: letter,
        };
        if matches!(c, '\t' | '\n' | '\r' | '\x0C' | ' ') {
            return plain(SPACE, 0);
        }
        if c.is_control() || c == char::REPLACEMENT_CHARACTER {
            return Self {
                flags: IS_BROKEN,
                ..plain(SIGN, BROKEN)
            };
        }
        if script == ScriptGroup::Han && !c.is_ascii() {
            return plain(LETTERS, 0);
        }
        let case = if c.is_uppercase() {
            CAPITAL
        } else if c.is_lowercase() {
            SMALL
        } else {
            0
        };
        let flags = case | letter;
        if c.is_ascii_alphabetic() && script != ScriptGroup::Latin {
            return Self {
                flags,
                ..plain(ASCII, 0)
            };
        }
        if c.is_ascii() && !c.is_ascii_alphabetic() {
            return plain(OTHER, ASCII_SIGN);
        }
        let models = Models::get();
        let (base, tone) = vietnamese(legacy(c.to_lowercase().next().unwrap_or(c)));
        let class = models.class(script, base);
        let is_letter = class != FOREIGN || is_of(script, c);
        if !is_letter {
            let sort = plain(SIGN, models.sign(c).into());
            return Self {
                flags: if stands_within_words(c) {
                    0
                } else {
                    NEVER_WITHIN
                },
                ..sort
            };
        }
        let mark = tone.map_or(SPACE, |tone| models.class(script, tone));
        Self {
            mark,
            flags,
            ..plain(class, 0)
        }
    }
}

/// Returns true for apostrophes and their substitutes, hyphens, dashes, dots, quotation marks and ordinals.
fn stands_within_words(c: char) -> bool {
    matches!(
        c,
        '\u{A0}'
            | '\u{AA}'
            | '\u{AB}'
            | '\u{AD}'
            | '\u{B0}'
            | '\u{B4}'
            | '\u{B7}'
            | '\u{BA}'
            | '\u{BB}'
            | '\u{2010}'..='\u{203A}'
    )
}

/// Returns true if a character is a letter of the script, although no known language uses it.
fn is_of(script: ScriptGroup, c: char) -> bool {
    match script {
        ScriptGroup::Latin => {
            matches!(c, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}') && !matches!(c, '×' | '÷')
        }
        ScriptGroup::Cyrillic => matches!(c, '\u{400}'..='\u{52F}'),
        ScriptGroup::Greek => matches!(c, '\u{386}' | '\u{388}'..='\u{3FF}'),
        ScriptGroup::Hebrew => matches!(c, '\u{591}'..='\u{5F2}'),
        ScriptGroup::Arabic => matches!(c, '\u{620}'..='\u{65F}' | '\u{670}'..='\u{6D3}'),
        ScriptGroup::Thai => matches!(c, '\u{E01}'..='\u{E4E}'),
        ScriptGroup::Han => true,
    }
}

/// Returns the letter that most legacy charsets have for this one, as in the models.
fn legacy(c: char) -> char {
    match c {
        'ș' => 'ş',
        'ț' => 'ţ',
        'ی' | 'ې' => 'ي',
        other => other,
    }
}

/// A Vietnamese letter without its tone, and the tone as a combining mark, as windows-1258 writes them.
fn vietnamese(c: char) -> (char, Option<char>) {
    const TONES: [char; 5] = ['\u{300}', '\u{309}', '\u{303}', '\u{301}', '\u{323}'];
    // Only letters that no other language has on these pages: à, é and the like stand in many of them.
    const VOWELS: [(char, &str); 12] = [
        ('a', "·ả··ạ"),
        ('ă', "ằẳẵắặ"),
        ('â', "ầẩẫấậ"),
        ('e', "·ẻẽ·ẹ"),
        ('ê', "ềểễếệ"),
        ('i', "·ỉ··ị"),
        ('o', "·ỏ··ọ"),
        ('ô', "ồổỗốộ"),
        ('ơ', "ờởỡớợ"),
        ('u', "·ủ··ụ"),
        ('ư', "ừửữứự"),
        ('y', "·ỷỹ·ỵ"),
    ];
    if !matches!(c, '\u{1EA0}'..='\u{1EF9}') {
        return (c, None);
    }
    for (base, marked) in VOWELS {
        if let Some(at) = marked.chars().position(|m| m == c) {
            return (base, Some(TONES[at]));
        }
    }
    (c, None)
}

#[cfg(test)]
mod tests {
    use super::super::language::candidates;
    use super::*;
    use crate::LossLog;

    #[test]
    fn generated_pages_are_those_of_their_charsets() {
        let made = super::super::pages();
        let (pages, rest) = made.as_chunks::<{ ByteSorts::PACKED }>();
        assert!(rest.is_empty());
        let candidates = candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte);
        for (candidate, made) in candidates.zip(pages) {
            let page = candidate.page();
            let bytes = [
                page.sorts.as_flattened(),
                page.bounds.as_flattened(),
                page.chars.as_flattened(),
            ];
            assert!(
                bytes.concat() == *made,
                "{}: run `cargo xtask generate`",
                candidate.charset
            );
        }
    }

    #[test]
    fn pages_hold_what_each_byte_is_alone() {
        let all = candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte);
        for candidate in all {
            for byte in 0..=255_u8 {
                let mut log = LossLog::new();
                let bytes = [byte];
                let text = candidate.charset.decode(&bytes, &mut log);
                let first = text.chars().next().filter(|_| log.losses() == 0);
                let expected = first.unwrap_or(char::REPLACEMENT_CHARACTER);
                assert_eq!(
                    candidate.page().character(byte),
                    expected,
                    "{} {byte:02X}",
                    candidate.charset
                );
            }
        }
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
                    let mut sorts: Vec<Sort> = sample.iter().map(|byte| page.sort(*byte)).collect();
                    if sorts[1].class != SIGN || sorts[1].flags & IS_BROKEN != 0 || beside == sign {
                        continue;
                    }
                    let char_at = |at: usize| page.character(sample[at]);
                    let beside_at = |at: usize| page.beside(sample[at]);
                    let placed = place_at(1, sample.len(), char_at(1), char_at, beside_at);
                    place_signs(&mut sorts, char_at, beside_at);
                    let extra = u32::from(sorts[1].extra);
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

    /// The early end of the sum changes no answer: neither at the sum itself nor just below it, wherever the text ends.
    #[test]
    fn the_bound_of_a_page_is_its_least_cost() {
        let text: Vec<u8> = (0..70_u8)
            .map(|at| {
                if at % 3 == 0 {
                    b'a' + at % 26
                } else {
                    at.wrapping_mul(37)
                }
            })
            .collect();
        let mut pages = 0;
        for candidate in candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte)
        {
            let page = candidate.page();
            let Some(floor) = Models::get().floor(page.script) else {
                continue;
            };
            let (mut last, mut before, mut least) = (SPACE, 0, 0);
            for (at, byte) in text.iter().enumerate() {
                let [class, end, extra, again] = page.bounds[usize::from(*byte)];
                let extra = if *byte == before { again } else { extra };
                least += u32::from(extra) + u32::from(floor.row(last)[usize::from(class)]);
                (last, before) = (end, *byte);
                let sample = &text[..=at];
                for most in [least, u32::MAX] {
                    let bound = page.bound(sample, most);
                    assert_eq!(bound, Some(least), "{} {at}", candidate.charset);
                }
                assert!(
                    least == 0 || page.bound(sample, least - 1).is_none(),
                    "{} {at}",
                    candidate.charset
                );
            }
            pages += 1;
        }
        assert!(pages > 30);
    }
}
