//! Reads the letter statistics of languages, which `cargo xtask generate` packs (`models.rs` of xtask documents the format).
//!
//! # Limits
//! Reads only the file of this crate, without checks; a test reads all of it.

use super::cost::NAT;
use super::language::Script;
use crate::generated::languages::LANGUAGES;
use std::sync::OnceLock;

#[cfg(feature = "detect")]
static PACKED: &[u8] = include_bytes!("../generated/models.bin");
/// No function reads the models without the feature.
#[cfg(not(feature = "detect"))]
static PACKED: &[u8] = b"";

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
const UNSEEN_HAN: u8 = 230;

/// Everything that is known.
#[derive(Debug)]
pub(crate) struct Models {
    /// Cost of a small and a capital letter after no letter, a small one, a capital, two capitals.
    pub(crate) case: [[u8; 2]; 4],
    signs: Vec<(u16, u8)>,
    /// The letters of each script but Han, with the cost of each where it is foreign.
    scripts: Vec<Vec<(u16, u8)>>,
    languages: Vec<Model>,
    /// The classes of a to z in Latin script.
    ascii: [u8; 26],
    /// For each script except Han, built at first use.
    floors: [OnceLock<Floor>; Script::Han as usize],
}

/// Minimum cost of a class after another one in the languages of a script.
#[derive(Debug)]
pub(super) struct Floor {
    classes: usize,
    costs: Vec<u8>,
    /// Like the table above, if a sign may count as a space or as ASCII punctuation.
    bounds: Vec<u8>,
}

impl Floor {
    fn of<'m>(classes: usize, languages: impl Iterator<Item = &'m Letters>) -> Self {
        let mut costs = vec![u8::MAX; classes * classes];
        for letters in languages {
            let rows = letters.class_rows(classes);
            for (before, row) in costs.chunks_exact_mut(classes).enumerate() {
                let own = &rows[usize::from(letters.token[before]) * classes..][..classes];
                for (least, cost) in row.iter_mut().zip(own) {
                    *least = (*least).min(*cost);
                }
            }
        }
        // Of these, one stands for a run.
        for class in [SPACE, OTHER, ASCII].map(usize::from) {
            costs[class * classes + class] = 0;
        }
        let mut bounds = costs.clone();
        let [space, other, sign] = [SPACE, OTHER, SIGN].map(usize::from);
        for class in 0..classes {
            let place = sign * classes + class;
            bounds[place] = bounds[place]
                .min(bounds[space * classes + class])
                .min(bounds[other * classes + class]);
        }
        for row in bounds.chunks_exact_mut(classes) {
            row[sign] = row[sign].min(row[space]).min(row[other]);
        }
        Self {
            classes,
            costs,
            bounds,
        }
    }

    /// Returns the minimum cost of `class` behind `before` if signs may be spaces or punctuation.
    pub(super) fn bound(&self, before: u8, class: u8) -> u32 {
        self.bounds
            .get(usize::from(before) * self.classes + usize::from(class))
            .copied()
            .unwrap_or(0)
            .into()
    }

    pub(super) fn cost(&self, before: u8, class: u8) -> u32 {
        self.costs
            .get(usize::from(before) * self.classes + usize::from(class))
            .copied()
            .unwrap_or(0)
            .into()
    }
}

/// The model of a language.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all are of the large kind"
)]
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
    token: [u8; 256],
    /// Additional cost of a class: letters that are foreign to the language.
    extra: [u8; 256],
    pairs: &'static [u8],
    left: &'static [u8],
    counts: &'static [u8],
    triples: &'static [u8],
    /// The cost of every triple, made when first needed.
    all: OnceLock<Vec<u8>>,
    /// A row for each token: the costs of all classes of the script behind it. Made when first needed.
    class_rows: OnceLock<Vec<u8>>,
}

/// Costs of single characters.
#[derive(Debug)]
pub(crate) struct Characters {
    listed: Vec<(u16, u8)>,
    /// By code point, made when first needed.
    all: OnceLock<Vec<u8>>,
}

impl Models {
    /// The models of this crate.
    pub(crate) fn get() -> &'static Self {
        static MODELS: OnceLock<Models> = OnceLock::new();
        MODELS.get_or_init(Self::read)
    }

    /// The model of the language with this index in `LANGUAGES`.
    pub(crate) fn language(&self, index: usize) -> &Model {
        &self.languages[index]
    }

    /// Class of a small letter of a script.
    pub(crate) fn class(&self, script: Script, letter: char) -> u8 {
        let known = self.scripts[script as usize]
            .binary_search_by_key(&u32::from(letter), |(c, _)| (*c).into());
        known.map_or(FOREIGN, |at| LETTERS + at as u8)
    }

    /// Cost of this sign among signs.
    pub(crate) fn sign(&self, c: char) -> u8 {
        let known = self
            .signs
            .binary_search_by_key(&u32::from(c), |(sign, _)| (*sign).into());
        known.map_or(UNSEEN, |at| self.signs[at].1)
    }

    fn read() -> Self {
        let mut packed = Packed(PACKED);
        let case = std::array::from_fn(|_| [packed.byte(), packed.byte()]);
        let signs = packed.costs();
        let scripts: Vec<_> = (0..Script::Han as usize)
            .map(|_| packed.alphabet())
            .collect();
        let languages = LANGUAGES.iter().map(|language| match language.script {
            Script::Han => Model::Han(Characters {
                listed: packed.costs(),
                all: OnceLock::new(),
            }),
            script => Model::Letters(Letters::read(&mut packed, &scripts[script as usize])),
        });
        let languages = languages.collect();
        let (ascii, floors) = (
            [FOREIGN; 26],
            [const { OnceLock::new() }; Script::Han as usize],
        );
        let mut models = Self {
            case,
            signs,
            scripts,
            languages,
            ascii,
            floors,
        };
        models.ascii =
            std::array::from_fn(|at| models.class(Script::Latin, char::from(b'a' + at as u8)));
        models
    }

    /// Returns the minimum costs of the classes of a script. `None` for Han, whose characters stand alone.
    pub(super) fn floor(&self, script: Script) -> Option<&Floor> {
        let floor = self.floors.get(script as usize)?;
        Some(floor.get_or_init(|| {
            let all = LANGUAGES.iter().enumerate();
            self.floor_of(
                script,
                all.filter(|(_, language)| language.script == script)
                    .map(|(index, _)| index),
            )
        }))
    }

    /// Like [`Self::floor`], for some languages of a script, by their indexes in `LANGUAGES`.
    pub(super) fn floor_of(&self, script: Script, languages: impl Iterator<Item = usize>) -> Floor {
        let letters = languages.filter_map(|index| match self.language(index) {
            Model::Letters(letters) => Some(letters),
            Model::Han(_) => None,
        });
        Floor::of(
            self.scripts[script as usize].len() + usize::from(LETTERS),
            letters,
        )
    }

    /// Class of an ASCII letter, small or capital, in Latin script.
    pub(super) fn ascii_class(&self, letter: u8) -> u8 {
        let place = usize::from(letter.to_ascii_lowercase().wrapping_sub(b'a'));
        self.ascii.get(place).copied().unwrap_or(FOREIGN)
    }
}

impl Letters {
    fn read(packed: &mut Packed, script: &[(u16, u8)]) -> Self {
        let letters = usize::from(packed.byte());
        let tokens = letters + usize::from(LETTERS);
        let (mut token, mut extra) = ([FOREIGN; 256], [UNSEEN; 256]);
        for class in 0..LETTERS {
            token[usize::from(class)] = class;
            extra[usize::from(class)] = if class == FOREIGN { UNSEEN } else { 0 };
        }
        for (at, (_, cost)) in script.iter().enumerate() {
            extra[at + usize::from(LETTERS)] = *cost;
        }
        for (at, index) in packed.take(letters).iter().enumerate() {
            let class = usize::from(LETTERS + index);
            token[class] = at as u8 + LETTERS;
            extra[class] = 0;
        }
        let square = tokens * tokens;
        let (pairs, left, counts) = (
            packed.take(square),
            packed.take(square),
            packed.take(square),
        );
        let triples = packed.take(2 * counts.iter().map(|n| usize::from(*n)).sum::<usize>());
        Self {
            tokens,
            token,
            extra,
            pairs,
            left,
            counts,
            triples,
            all: OnceLock::new(),
            class_rows: OnceLock::new(),
        }
    }

    /// Returns the cost of a row of classes behind spaces. English words may occur anywhere: `english` has the end of each ASCII
    /// word in the row and its cost in English, in order.
    pub(crate) fn cost(&self, classes: &[u8], english: &[(usize, u32)]) -> u32 {
        let all = self.all.get_or_init(|| self.all_triples());
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
            word += u32::from(all[(before * self.tokens + last) * self.tokens + token]);
            word += u32::from(self.extra[class]);
            (before, last) = (last, token);
            if class < usize::from(FOREIGN) {
                let cost = english
                    .next_if(|(end, _)| *end == at)
                    .map(|(_, cost)| *cost);
                ways.take(word, cost);
                word = 0;
            }
        }
        ways.own.min(ways.english) + word
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

    /// Returns the cost of a class behind another.
    pub(super) fn pair_cost(&self, before: u8, class: u8) -> u16 {
        let [before, token] =
            [before, class].map(|class| usize::from(self.token[usize::from(class)]));
        u16::from(self.pairs[before * self.tokens + token])
            + u16::from(self.extra[usize::from(class)])
    }

    fn all_triples(&self) -> Vec<u8> {
        let mut all = vec![0; self.tokens.pow(3)];
        let mut triples = self.triples.chunks_exact(2);
        let pairs = self.left.iter().zip(self.counts);
        for ((pair, costs), (left, count)) in
            all.chunks_exact_mut(self.tokens).enumerate().zip(pairs)
        {
            let second = pair % self.tokens;
            let shorter = &self.pairs[second * self.tokens..][..self.tokens];
            for (cost, pair) in costs.iter_mut().zip(shorter) {
                *cost = pair.saturating_add(*left);
            }
            for triple in triples.by_ref().take((*count).into()) {
                costs[usize::from(triple[0])] = triple[1];
            }
        }
        all
    }

    /// The costs of the first `classes` classes behind each token: classes that the language does not tell apart share one.
    fn class_rows(&self, classes: usize) -> &[u8] {
        self.class_rows.get_or_init(|| {
            let row = |pairs: &'static [u8]| {
                let tokens = self.token[..classes].iter().zip(&self.extra);
                tokens.map(|(token, extra)| pairs[usize::from(*token)].saturating_add(*extra))
            };
            self.pairs.chunks_exact(self.tokens).flat_map(row).collect()
        })
    }
}

impl Characters {
    /// Cost of a character.
    pub(crate) fn cost(&self, c: char) -> u32 {
        let all = self.all.get_or_init(|| {
            let mut all = vec![UNSEEN_HAN; 0x1_0000];
            for (c, cost) in &self.listed {
                all[usize::from(*c)] = *cost;
            }
            all
        });
        all.get(c as usize).copied().unwrap_or(UNSEEN_HAN).into()
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
struct Packed(&'static [u8]);

impl Packed {
    fn take(&mut self, n: usize) -> &'static [u8] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or_default()
    }

    fn number(&mut self) -> u16 {
        u16::from(self.byte()) | u16::from(self.byte()) << 8
    }

    fn costs(&mut self) -> Vec<(u16, u8)> {
        (0..self.number())
            .map(|_| (self.number(), self.byte()))
            .collect()
    }

    /// Letters, then the cost of each.
    fn alphabet(&mut self) -> Vec<(u16, u8)> {
        let count = self.number();
        let letters: Vec<_> = (0..count).map(|_| self.number()).collect();
        letters.into_iter().map(|c| (c, self.byte())).collect()
    }
}

/// Returns the cost of an English word and the space after it.
pub(crate) fn english(word: &[u8]) -> u32 {
    static ENGLISH: OnceLock<Option<usize>> = OnceLock::new();
    let index = ENGLISH.get_or_init(|| LANGUAGES.iter().position(|language| language.name == "en"));
    let models = Models::get();
    let mut classes = [SPACE; 64];
    let length = word.len().min(63);
    for (class, byte) in classes.iter_mut().zip(&word[..length]) {
        *class = models.ascii_class(*byte);
    }
    let beyond = (word.len() - length) as u32 * 3 * NAT;
    match index.map(|index| models.language(index)) {
        Some(Model::Letters(letters)) => letters.cost(&classes[..=length], &[]) + beyond,
        _ => beyond,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_to_its_end() {
        let models = Models::get();
        assert_eq!(models.languages.len(), LANGUAGES.len());
        let mut rest = Packed(PACKED);
        let mut taken = 8;
        rest.take(8);
        taken += 2 + 3 * rest.costs().len();
        for _ in 0..Script::Han as usize {
            taken += 2 + 3 * rest.alphabet().len();
        }
        for model in &models.languages {
            taken += match model {
                Model::Letters(l) => l.tokens - 4 + 3 * l.pairs.len() + l.triples.len(),
                Model::Han(characters) => 2 + 3 * characters.listed.len(),
            };
        }
        assert_eq!(taken, PACKED.len());
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
            letters.cost(&classes, &[])
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
            let classes = models.scripts[language.script as usize].len() as u8 + LETTERS;
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
                    assert_eq!(letters.all_triples().len(), letters.tokens.pow(3));
                    let any: Vec<u8> = (0..=255).collect();
                    assert!(letters.cost(&any, &[]) > 0);
                }
                Model::Han(characters) => {
                    assert!(characters.cost('\u{1F600}') > characters.mark(SPACE));
                }
            }
        }
    }
}
