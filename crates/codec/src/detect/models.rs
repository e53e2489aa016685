//! Letter statistics of languages, as `cargo xtask generate` packs them (`models/pack.rs` of xtask documents the format).
//!
//! The compiler evaluates [`Models::read`], so that a process reads the tables in place.
//!
//! # Limits
//! Reads only the file of this crate, without checks; a test reads all of it.

use super::cost::NAT;
use crate::detect::script_group::ScriptGroup;
use crate::generated::languages::{LANGUAGES, LATIN_CANDIDATES};

/// True if the models of languages are compiled in. Without them, a function that needs a model returns before it asks for one.
pub(super) const HAS_MODELS: bool = cfg!(feature = "detect");

#[cfg(feature = "detect")]
static PACKED: &[u8] = include_bytes!("../generated/models.bin");
/// No function reads the models without the feature.
#[cfg(not(feature = "detect"))]
static PACKED: &[u8] = b"";

static MODELS: Models = if cfg!(feature = "detect") {
    Models::read()
} else {
    Models::EMPTY
};

/// Classes of characters that are no letters; the letters of a script follow.
pub(crate) const SPACE: u8 = 0;
/// ASCII characters that are no letters.
pub(crate) const OTHER: u8 = 1;
/// ASCII letters in a row, in another script than Latin.
pub(crate) const ASCII: u8 = 2;
/// Neither ASCII nor a letter of the script.
pub(crate) const SIGN: u8 = 3;
/// A letter of the script that no language of it has.
pub(crate) const FOREIGN: u8 = 4;
/// The first letter.
pub(crate) const LETTERS: u8 = 5;

/// Cost of a sign or letter that was never seen.
const UNSEEN: u8 = 200;
/// Cost of a character of Han script that was never seen.
const UNSEEN_HAN: u32 = 230;

/// The index of English.
pub(super) const ENGLISH: usize = {
    let mut index = 0;
    while !matches!(LANGUAGES[index].name.as_bytes(), b"en") {
        index += 1;
    }
    index
};

/// Number of languages.
const LANGUAGES_COUNT: usize = LANGUAGES.len();
/// Scripts with letters.
const SCRIPTS: usize = ScriptGroup::Han as usize;

/// The models of all languages and scripts.
#[derive(Debug)]
pub(crate) struct Models {
    /// Cost of a small and a capital letter after no letter, a small one, a capital, two capitals.
    pub(crate) case: [[u8; 2]; 4],
    signs: Costs,
    /// The letters of each script but Han.
    scripts: [Alphabet; SCRIPTS],
    languages: [Model; LANGUAGES_COUNT],
    /// The classes of a to z in Latin script.
    ascii: [u8; 26],
    /// Of the candidates in Latin script.
    candidates: [LetterFloor; LATIN_CANDIDATES],
    /// For each pair of ASCII kinds, the cost in each language of Latin script.
    ascii_pairs: &'static [[u8; 2]],
}

/// Code points (little-endian) in ascending order, each with its cost.
type Costs = &'static [[u8; 3]];

/// The letters of a script.
#[derive(Clone, Copy, Debug)]
struct Alphabet {
    /// Code points, little-endian, in ascending order.
    letters: &'static [[u8; 2]],
    floor: Floor,
}

/// Minimum cost of a class after another one in the languages of a script.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    classes: usize,
    costs: &'static [u8],
    /// Like the table above, if a sign may count as a space or as ASCII punctuation.
    bounds: &'static [u8],
}

impl Floor {
    /// Like [`Floor::cost`], if signs may be spaces or punctuation.
    #[inline]
    pub(super) fn bound(&self, before: u8, class: u8) -> u32 {
        self.bounds
            .get(usize::from(before) * self.classes + usize::from(class))
            .copied()
            .unwrap_or(0)
            .into()
    }

    #[inline]
    pub(super) fn cost(&self, before: u8, class: u8) -> u32 {
        self.costs
            .get(usize::from(before) * self.classes + usize::from(class))
            .copied()
            .unwrap_or(0)
            .into()
    }
}

/// Minimum cost of a class after another one in the languages of a candidate. Letters that none of them has share a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct LetterFloor {
    /// The token of each class.
    token: &'static [u8; 256],
    /// Cost of a class beyond that of its token.
    extra: &'static [u8; 256],
    tokens: usize,
    costs: &'static [u8],
}

impl LetterFloor {
    const EMPTY: Self = Self {
        token: &[FOREIGN; 256],
        extra: &[UNSEEN; 256],
        tokens: 0,
        costs: &[],
    };

    const fn read(packed: &mut PackedModels) -> Self {
        let tokens = (packed.byte() + LETTERS) as usize;
        let (token, extra) = (packed.classes(), packed.classes());
        Self {
            token,
            extra,
            tokens,
            costs: packed.take(tokens * tokens),
        }
    }

    #[inline]
    pub(super) fn cost(&self, before: u8, class: u8) -> u32 {
        let [before, token] =
            [before, class].map(|class| usize::from(self.token[usize::from(class)]));
        let cost = self.costs[before * self.tokens + token];
        cost.saturating_add(self.extra[usize::from(class)]).into()
    }
}

/// The model of a language.
#[derive(Debug)]
pub(crate) enum Model {
    Letters(Letters),
    Han(Characters),
}

/// Costs of letters after letters.
#[derive(Debug)]
pub(crate) struct Letters {
    /// Number of tokens.
    tokens: usize,
    /// The token of each class.
    token: &'static [u8; 256],
    /// Additional cost of a class: letters that are foreign to the language.
    extra: &'static [u8; 256],
    pairs: &'static [u8],
    left: &'static [u8],
    /// The place of the triples of each pair in `rows` and, behind those, in `few`: from 1, little-endian. 0 where `left` and the pairs
    /// tell the costs.
    places: &'static [[u8; 2]],
    /// The costs of all tokens, for each row.
    rows: &'static [u8],
    rows_count: usize,
    /// Two tokens, each with its cost.
    few: &'static [[u8; 4]],
}

/// Costs of single characters.
#[derive(Debug)]
pub(crate) struct Characters {
    /// For each block of 256 code points the number of its row, from 1; 0 for none.
    blocks: &'static [u8],
    costs: &'static [u8],
}

impl Models {
    /// No models, for a build without the feature.
    const EMPTY: Self = Self {
        case: [[0; 2]; 4],
        signs: &[],
        scripts: [Alphabet::EMPTY; SCRIPTS],
        languages: [const { Model::Han(Characters::EMPTY) }; LANGUAGES_COUNT],
        ascii: [FOREIGN; 26],
        candidates: [LetterFloor::EMPTY; LATIN_CANDIDATES],
        ascii_pairs: &[],
    };

    /// The models of this crate.
    #[inline]
    pub(crate) fn get() -> &'static Self {
        &MODELS
    }

    /// The model of the language with this index in `LANGUAGES`.
    pub(crate) fn language(&self, index: usize) -> &Model {
        &self.languages[index]
    }

    /// Class of a small letter of a script.
    pub(crate) fn class(&self, script: ScriptGroup, letter: char) -> u8 {
        let known = self.scripts[script as usize]
            .letters
            .binary_search_by_key(&u32::from(letter), |c| u16::from_le_bytes(*c).into());
        known.map_or(FOREIGN, |at| LETTERS + at as u8)
    }

    /// Cost of this sign among signs.
    pub(crate) fn sign(&self, c: char) -> u8 {
        let known = self
            .signs
            .binary_search_by_key(&u32::from(c), |[low, high, _]| {
                u16::from_le_bytes([*low, *high]).into()
            });
        known.map_or(UNSEEN, |at| self.signs[at][2])
    }

    const fn read() -> Self {
        let mut packed = PackedModels(PACKED);
        let mut case = [[0; 2]; 4];
        let mut at = 0;
        while at < 8 {
            case[at / 2][at % 2] = packed.byte();
            at += 1;
        }
        let signs = packed.number();
        let signs = packed.take(3 * signs).as_chunks().0;
        let mut scripts = [Alphabet::EMPTY; SCRIPTS];
        let mut script = 0;
        while script < SCRIPTS {
            scripts[script] = Alphabet::read(&mut packed);
            script += 1;
        }
        let mut languages = [const { Model::Han(Characters::EMPTY) }; LANGUAGES_COUNT];
        let mut language = 0;
        while language < LANGUAGES_COUNT {
            let script = LANGUAGES[language].script as usize;
            languages[language] = if script == SCRIPTS {
                Model::Han(Characters::read(&mut packed))
            } else {
                Model::Letters(Letters::read(&mut packed))
            };
            language += 1;
        }
        let latin = &scripts[ScriptGroup::Latin as usize];
        let mut candidates = [LetterFloor::EMPTY; LATIN_CANDIDATES];
        let mut candidate = 0;
        while candidate < LATIN_CANDIDATES {
            candidates[candidate] = LetterFloor::read(&mut packed);
            candidate += 1;
        }
        Self {
            case,
            signs,
            ascii: latin.ascii(),
            scripts,
            languages,
            candidates,
            ascii_pairs: packed.0.as_chunks().0,
        }
    }

    /// Returns the minimum costs of the classes of a script. `None` for Han, whose characters stand alone.
    #[inline]
    pub(super) fn floor(&'static self, script: ScriptGroup) -> Option<&'static Floor> {
        Some(&self.scripts.get(script as usize)?.floor)
    }

    /// Returns the minimum costs of letters in the languages of a candidate in Latin script, by its number among those.
    pub(super) fn candidate(&'static self, number: usize) -> &'static LetterFloor {
        &self.candidates[number]
    }

    /// Class of an ASCII letter, small or capital, in Latin script.
    pub(super) fn ascii_class(&self, letter: u8) -> u8 {
        let place = usize::from(letter.to_ascii_lowercase().wrapping_sub(b'a'));
        self.ascii.get(place).copied().unwrap_or(FOREIGN)
    }

    /// Returns the costs (little-endian) in each language of Latin script, for each pair of ASCII kinds: white space, other
    /// signs, a to z.
    pub(super) fn ascii_pairs(&self) -> &'static [[u8; 2]] {
        self.ascii_pairs
    }
}

impl Alphabet {
    const EMPTY: Self = Self {
        letters: &[],
        floor: Floor {
            classes: 0,
            costs: &[],
            bounds: &[],
        },
    };

    const fn read(packed: &mut PackedModels) -> Self {
        let count = packed.number();
        let letters = packed.take(2 * count).as_chunks().0;
        let classes = count + LETTERS as usize;
        let floor = Floor {
            classes,
            costs: packed.take(classes * classes),
            bounds: packed.take(classes * classes),
        };
        Self { letters, floor }
    }

    /// The classes of a to z.
    const fn ascii(&self) -> [u8; 26] {
        let mut ascii = [FOREIGN; 26];
        let mut at = 0;
        while at < self.letters.len() {
            let [low, high] = self.letters[at];
            if high == 0 && low.is_ascii_lowercase() {
                ascii[(low - b'a') as usize] = LETTERS + at as u8;
            }
            at += 1;
        }
        ascii
    }
}

impl Letters {
    const fn read(packed: &mut PackedModels) -> Self {
        let tokens = (packed.byte() + LETTERS) as usize;
        let (token, extra) = (packed.classes(), packed.classes());
        let square = tokens * tokens;
        let (pairs, left) = (packed.take(square), packed.take(square));
        let places = packed.take(2 * square).as_chunks().0;
        let (rows_count, few) = (packed.number(), packed.number());
        Self {
            tokens,
            token,
            extra,
            pairs,
            left,
            places,
            rows: packed.take(rows_count * tokens),
            rows_count,
            few: packed.take(4 * few).as_chunks().0,
        }
    }

    /// Returns the cost of a row of classes behind spaces. English words may occur anywhere: `english` has the end of each ASCII
    /// word in the row and its cost in English, in order. `None` if the cost is above `most`.
    pub(crate) fn cost(&self, classes: &[u8], english: &[(usize, u32)], most: u32) -> Option<u32> {
        let (mut before, mut last) = (0, 0);
        let mut english = english.iter().peekable();
        // The cheapest way to here, ending in the language itself or in English.
        let mut ways = Ways {
            own: 0,
            english: u32::MAX / 2,
        };
        let mut word = 0;
        for (at, class) in classes.iter().enumerate() {
            let class = usize::from(*class);
            let token = usize::from(self.token[class]);
            word += self.triple(before, last, token);
            word += u32::from(self.extra[class]);
            (before, last) = (last, token);
            if class < usize::from(FOREIGN) {
                let cost = english
                    .next_if(|(end, _)| *end == at)
                    .map(|(_, cost)| *cost);
                ways.take(word, cost);
                word = 0;
                // No later word costs less than nothing.
                if ways.least() > most {
                    return None;
                }
            }
        }
        Some(ways.least() + word).filter(|cost| *cost <= most)
    }

    /// The cost of a token behind two others.
    #[inline]
    fn triple(&self, before: usize, last: usize, token: usize) -> u32 {
        let pair = before * self.tokens + last;
        let shorter = || self.pairs[last * self.tokens + token].saturating_add(self.left[pair]);
        let place = usize::from(u16::from_le_bytes(self.places[pair]));
        let cost = match place.checked_sub(1) {
            Some(row) if row < self.rows_count => self.rows[row * self.tokens + token],
            Some(place) => match self.few[place - self.rows_count] {
                [one, cost, ..] if usize::from(one) == token => cost,
                [.., other, cost] if usize::from(other) == token => cost,
                _ => shorter(),
            },
            None => shorter(),
        };
        cost.into()
    }

    /// Cost by pairs alone: their tables are small, and so this is fast. None where it is more than `most`.
    pub(crate) fn coarse_cost(&self, classes: &[u8], most: u32) -> Option<u32> {
        let mut last = 0;
        let mut total = 0;
        for run in classes.chunks(8) {
            for class in run {
                let token = usize::from(self.token[usize::from(*class)]);
                total += u32::from(self.pairs[last * self.tokens + token]);
                total += u32::from(self.extra[usize::from(*class)]);
                last = token;
            }
            if total > most {
                return None;
            }
        }
        Some(total)
    }
}

impl Characters {
    const EMPTY: Self = Self {
        blocks: &[],
        costs: &[],
    };

    const fn read(packed: &mut PackedModels) -> Self {
        let blocks = packed.take(256);
        let count = packed.byte() as usize;
        Self {
            blocks,
            costs: packed.take(256 * count),
        }
    }

    /// Cost of a character.
    #[inline]
    pub(crate) fn cost(&self, c: char) -> u32 {
        let row = self.blocks.get(c as usize >> 8).copied().unwrap_or(0);
        match usize::from(row).checked_sub(1) {
            Some(row) => self.costs[row << 8 | c as usize & 0xFF].into(),
            None => UNSEEN_HAN,
        }
    }

    /// Returns the cost of a class that is no letter.
    pub(crate) fn mark(&self, class: u8) -> u32 {
        self.cost(match class {
            SPACE => '_',
            OTHER => '.',
            _ => 'A',
        })
    }
}

/// Costs of a text that changes between a language and English.
struct Ways {
    own: u32,
    english: u32,
}

impl Ways {
    fn least(&self) -> u32 {
        self.own.min(self.english)
    }

    /// One more word with its cost in the language, and in English if that is possible.
    fn take(&mut self, own: u32, english: Option<u32>) {
        /// Cost of going over to English, and back.
        const OVER: u32 = 5 * NAT / 2;
        const BACK: u32 = NAT;
        let into_own = self.own.min(self.english + BACK) + own;
        self.english = match english {
            Some(cost) => self.english.min(self.own + OVER) + cost,
            None => u32::MAX / 2,
        };
        self.own = into_own;
    }
}

/// The rest of the packed file.
struct PackedModels(&'static [u8]);

impl PackedModels {
    const fn take(&mut self, n: usize) -> &'static [u8] {
        let (taken, rest) = self.0.split_at(n);
        self.0 = rest;
        taken
    }

    const fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    /// A byte for each class.
    const fn classes(&mut self) -> &'static [u8; 256] {
        match self.take(256).first_chunk() {
            Some(classes) => classes,
            None => unreachable!(),
        }
    }

    const fn number(&mut self) -> usize {
        self.byte() as usize | (self.byte() as usize) << 8
    }
}

/// Returns the cost of an English word and the space after it.
pub(crate) fn english(word: &[u8]) -> u32 {
    let models = Models::get();
    let mut classes = [SPACE; 64];
    let length = word.len().min(63);
    for (class, byte) in classes.iter_mut().zip(&word[..length]) {
        *class = models.ascii_class(*byte);
    }
    let beyond = (word.len() - length) as u32 * 3 * NAT;
    match models.language(ENGLISH) {
        Model::Letters(letters) => {
            let cost = letters.cost(&classes[..=length], &[], u32::MAX);
            cost.unwrap_or_default() + beyond
        }
        Model::Han(_) => beyond,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::languages::CANDIDATES;

    #[test]
    fn the_file_is_read_to_its_end() {
        let models = Models::get();
        let latin = LANGUAGES.iter().filter(|l| l.script == ScriptGroup::Latin);
        assert_eq!(models.ascii_pairs.len(), 28 * 28 * latin.count());
        for (at, class) in models.ascii.iter().enumerate() {
            let letter = char::from(b'a' + at as u8);
            assert_eq!(*class, models.class(ScriptGroup::Latin, letter), "{letter}");
        }
        for (language, model) in LANGUAGES.iter().zip(&models.languages) {
            match model {
                Model::Letters(letters) => {
                    let places = letters
                        .places
                        .iter()
                        .map(|place| u16::from_le_bytes(*place));
                    let count = usize::from(places.max().unwrap());
                    let known = letters.rows_count + letters.few.len();
                    assert_eq!(known, count, "{}", language.name);
                    let tokens = letters
                        .few
                        .iter()
                        .flat_map(|[one, _, other, _]| [*one, *other]);
                    assert!(tokens.map(usize::from).all(|token| token < letters.tokens));
                }
                Model::Han(characters) => {
                    let count = usize::from(*characters.blocks.iter().max().unwrap());
                    assert_eq!(characters.costs.len(), 256 * count, "{}", language.name);
                }
            }
        }
    }

    /// The least cost of a class behind another in some languages, as their models tell it.
    fn least(languages: &[usize], before: u8, class: u8) -> u32 {
        if before == class && matches!(class, SPACE | OTHER | ASCII) {
            return 0;
        }
        let cost = |index: &usize| match Models::get().language(*index) {
            Model::Letters(letters) => {
                let [row, token] =
                    [before, class].map(|c| usize::from(letters.token[usize::from(c)]));
                letters.pairs[row * letters.tokens + token]
                    .saturating_add(letters.extra[usize::from(class)])
            }
            Model::Han(_) => u8::MAX,
        };
        languages.iter().map(cost).min().unwrap_or(u8::MAX).into()
    }

    #[test]
    fn floors_are_the_least_costs_of_their_languages() {
        let models = Models::get();
        for (script, alphabet) in models.scripts.iter().enumerate() {
            let of_script = |index: &usize| LANGUAGES[*index].script as usize == script;
            let languages: Vec<usize> = (0..LANGUAGES.len()).filter(of_script).collect();
            let floor = &alphabet.floor;
            for before in 0..floor.classes as u8 {
                for class in 0..floor.classes as u8 {
                    let expected = least(&languages, before, class);
                    assert_eq!(
                        floor.cost(before, class),
                        expected,
                        "{script} {before} {class}"
                    );
                    let near = |c: u8| {
                        if c == SIGN {
                            vec![SIGN, SPACE, OTHER]
                        } else {
                            vec![c]
                        }
                    };
                    let bound = near(before)
                        .into_iter()
                        .flat_map(|before| {
                            near(class).into_iter().map(move |class| (before, class))
                        })
                        .map(|(before, class)| floor.cost(before, class))
                        .min();
                    assert_eq!(
                        Some(floor.bound(before, class)),
                        bound,
                        "{script} {before} {class}"
                    );
                }
            }
        }
        let latin = CANDIDATES
            .iter()
            .filter(|candidate| candidate.script == ScriptGroup::Latin);
        for (candidate, floor) in latin.zip(&models.candidates) {
            let languages: Vec<usize> = candidate
                .languages
                .iter()
                .map(|(index, _)| *index)
                .collect();
            let classes = models.scripts[ScriptGroup::Latin as usize].letters.len() as u8 + LETTERS;
            for before in 0..classes {
                for class in 0..classes {
                    let expected = least(&languages, before, class);
                    assert_eq!(
                        floor.cost(before, class),
                        expected,
                        "{} {before} {class}",
                        candidate.charset
                    );
                }
            }
        }
    }

    #[test]
    fn words_cost_less_in_their_language() {
        let models = Models::get();
        let cost = |name: &str, text: &str| {
            let index = LANGUAGES.iter().position(|l| l.name == name).unwrap();
            let Model::Letters(letters) = models.language(index) else {
                panic!("{name}")
            };
            let classes: Vec<u8> = text
                .chars()
                .map(|c| {
                    if c == ' ' {
                        SPACE
                    } else {
                        models.class(LANGUAGES[index].script, c)
                    }
                })
                .collect();
            letters.cost(&classes, &[], u32::MAX)
        };
        let texts = [
            ("de", "die Nachricht wurde nicht gesendet".to_lowercase()),
            ("fr", "le message n’a pas été envoyé".replace('’', " ")),
            ("pl", "wiadomość nie została wysłana".to_owned()),
            ("fi", "viestiä ei voitu lähettää".to_owned()),
        ];
        for (own, text) in &texts {
            for (other, _) in texts.iter().filter(|(other, _)| other != own) {
                assert!(cost(own, text) < cost(other, text), "{text}: {own} {other}");
            }
        }
        assert!(cost("ru", "сообщение") < cost("bg", "сообщение"));
    }

    #[test]
    fn no_text_costs_less_than_the_least() {
        let models = Models::get();
        for (language, model) in LANGUAGES.iter().zip(&models.languages) {
            let Model::Letters(letters) = model else {
                continue;
            };
            let floor = models.floor(language.script).unwrap();
            let classes = floor.classes as u8;
            for before in 0..classes {
                for class in 0..classes {
                    let first = letters.coarse_cost(&[before], u32::MAX).unwrap();
                    let both = letters.coarse_cost(&[before, class], u32::MAX).unwrap();
                    assert!(
                        floor.cost(before, class) <= both - first,
                        "{} {before} {class}",
                        language.name
                    );
                }
            }
        }
    }

    #[test]
    fn tables_are_total() {
        for model in &Models::get().languages {
            match model {
                Model::Letters(letters) => {
                    let any: Vec<u8> = (0..=255).collect();
                    let cost = letters.cost(&any, &[], u32::MAX);
                    assert!(cost > Some(0));
                    // The early end changes no answer.
                    assert_eq!(letters.cost(&any, &[], cost.unwrap_or_default()), cost);
                    assert_eq!(letters.cost(&any, &[], cost.unwrap_or_default() - 1), None);
                }
                Model::Han(characters) => {
                    assert!(characters.cost('\u{1F600}') > characters.mark(SPACE));
                }
            }
        }
    }
}
