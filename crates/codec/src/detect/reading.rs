//! A sample read in one charset: its classes, and what it costs whatever the language.
//!
//! # Limits
//! Of a charset whose bytes stand for more than two letters each, only the first two count.

use super::language::{NAT, Script};
use super::models::{self, ASCII, FOREIGN, LETTERS, Models, OTHER, SIGN, SPACE};
use crate::{Charset, LossLog};

/// Cost of a byte that the charset leaves undefined, of a control, of U+FFFD.
pub(super) const BROKEN: u32 = 12 * NAT;
/// Cost of each ASCII sign or digit.
const ASCII_SIGN: u32 = 5 * NAT / 2;

/// Text as a row of classes of one script.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) classes: Vec<u8>,
    /// Words of ASCII letters: place of the class after each, and its cost in English. Latin script only.
    pub(super) english: Vec<(usize, u32)>,
    /// Cost of signs, of case, of what is broken.
    pub(super) cost: u32,
    /// Number of broken characters.
    pub(super) broken: u32,
}

/// What a character is.
#[derive(Clone, Copy, Debug)]
struct Sort {
    class: u8,
    /// A second class, where the character stands for a letter with a mark; `SPACE` for none.
    mark: u8,
    /// U+FFFD or a control that is no space.
    broken: bool,
    /// An ASCII letter.
    ascii: bool,
    /// Cost beyond the classes.
    extra: u16,
    case: Case,
    c: char,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    None,
    Small,
    Capital,
}

/// The sorts of the 256 bytes of a single-byte charset.
#[derive(Debug)]
pub(super) struct Page {
    script: Script,
    sorts: [Sort; 256],
}

impl Page {
    pub(super) fn new(charset: Charset, script: Script) -> Self {
        let sort = |byte: usize| {
            let mut log = LossLog::with_limit(0);
            let bytes = [byte as u8];
            let text = charset.decode(&bytes, &mut log);
            let c = text.chars().next().filter(|_| log.losses() == 0).unwrap_or(char::REPLACEMENT_CHARACTER);
            Sort::of(c, script)
        };
        Self { script, sorts: std::array::from_fn(sort) }
    }

    /// Reads a sample by this page; `english` are the costs of its runs of ASCII letters. None where the reading costs more than `most`.
    pub(super) fn read(&self, sample: &[u8], english: &[u32], most: u32) -> Option<Reading> {
        let mut builder = Builder::new(self.script, sample.len());
        let mut english = english.iter();
        for byte in sample {
            builder.put(&self.sorts[usize::from(*byte)], || english.next().copied().unwrap_or_default());
            if builder.reading.cost > most {
                return None;
            }
        }
        let reading = builder.finish(|| english.next().copied().unwrap_or_default());
        (reading.cost <= most).then_some(reading)
    }

    /// What the bytes above 7F become: equal for charsets that read the sample alike.
    pub(super) fn text(&self, sample: &[u8]) -> u64 {
        text_hash(sample.iter().map(|byte| self.sorts[usize::from(*byte)].c))
    }
}

/// What each run of ASCII letters costs in English, in order.
pub(super) fn english_runs(sample: &[u8]) -> Vec<u32> {
    sample.split(|b| !b.is_ascii_alphabetic()).filter(|run| !run.is_empty()).map(models::english).collect()
}

/// Reads text in the classes of a script.
pub(super) fn read_text(text: &str, script: Script) -> Reading {
    let english = english_runs(text.as_bytes());
    let mut english = english.into_iter();
    let mut builder = Builder::new(script, text.len());
    for c in text.chars() {
        builder.put(&Sort::of(c, script), || english.next().unwrap_or_default());
    }
    builder.finish(|| english.next().unwrap_or_default())
}

/// A number for the characters beyond ASCII.
pub(super) fn text_hash(text: impl Iterator<Item = char>) -> u64 {
    text.filter(|c| !c.is_ascii())
        .fold(0xCBF2_9CE4_8422_2325, |hash, c| (hash ^ u64::from(c)).wrapping_mul(0x100_0000_01B3))
}

/// Puts sorts into a row.
struct Builder {
    script: Script,
    /// Cost of a letter without case, small, capital after none, small, capital, two capitals.
    cases: [[u8; 3]; 4],
    reading: Reading,
    last: u8,
    /// Index into `cases`.
    case: u8,
    /// Within a run of ASCII letters.
    in_run: bool,
    /// A letter beyond ASCII stands before it.
    is_mixed: bool,
}

impl Builder {
    fn new(script: Script, length: usize) -> Self {
        let classes = Vec::with_capacity(length + 1);
        let reading = Reading { classes, ..Reading::default() };
        let cases = Models::get().case.map(|[small, capital]| [0, small, capital]);
        Self { script, cases, reading, last: SPACE, case: 0, in_run: false, is_mixed: false }
    }

    /// Takes one character; `english` gives the cost of the run of ASCII letters that ends here.
    fn put(&mut self, sort: &Sort, english: impl FnOnce() -> u32) {
        self.reading.cost += u32::from(sort.extra);
        self.reading.broken += u32::from(sort.broken);
        self.put_case(sort.case);
        let again = sort.class == self.last && matches!(sort.class, SPACE | OTHER | ASCII);
        if sort.ascii {
            self.in_run = true;
        } else {
            self.end_word(sort.class < FOREIGN, english);
        }
        if again {
            return;
        }
        self.last = sort.class;
        self.reading.classes.push(sort.class);
        if sort.mark != SPACE {
            self.reading.classes.push(sort.mark);
            self.last = sort.mark;
        }
    }

    /// Small after capital or the other way, as it is usual in words of all languages.
    fn put_case(&mut self, case: Case) {
        const NEXT: [[u8; 3]; 4] = [[0, 1, 2], [0, 1, 2], [0, 1, 3], [0, 1, 3]];
        let (before, case) = (usize::from(self.case & 3), case as usize);
        self.reading.cost += u32::from(self.cases[before][case]);
        self.case = NEXT[before][case];
    }

    /// Ends a run of ASCII letters. In Latin script it is a word only if no other letter is next to it.
    fn end_word(&mut self, is_word: bool, english: impl FnOnce() -> u32) {
        if self.in_run {
            let cost = english();
            if self.script != Script::Latin {
                self.reading.cost += cost;
            } else if is_word && !self.is_mixed {
                self.reading.english.push((self.reading.classes.len(), cost));
            }
        }
        self.is_mixed = !is_word;
        self.in_run = false;
    }

    fn finish(mut self, english: impl FnOnce() -> u32) -> Reading {
        self.end_word(true, english);
        if self.script != Script::Han && self.last != SPACE {
            self.reading.classes.push(SPACE);
        }
        self.reading
    }
}

impl Sort {
    fn of(c: char, script: Script) -> Self {
        let plain = |class, extra: u32| Self {
            class,
            mark: SPACE,
            broken: false,
            ascii: c.is_ascii_alphabetic(),
            extra: extra as u16,
            case: Case::None,
            c,
        };
        if matches!(c, '\t' | '\n' | '\r' | '\x0C' | ' ') {
            return plain(SPACE, 0);
        }
        if c.is_control() || c == char::REPLACEMENT_CHARACTER {
            return Self { broken: true, ..plain(SIGN, BROKEN) };
        }
        if script == Script::Han && !c.is_ascii() {
            return plain(LETTERS, 0);
        }
        let latin = script == Script::Latin;
        let case = if c.is_uppercase() {
            Case::Capital
        } else if c.is_lowercase() {
            Case::Small
        } else {
            Case::None
        };
        if c.is_ascii_alphabetic() && !latin {
            return Self { case, ..plain(ASCII, 0) };
        }
        if c.is_ascii() && !c.is_ascii_alphabetic() {
            return plain(OTHER, ASCII_SIGN);
        }
        let models = Models::get();
        let (base, tone) = vietnamese(legacy(c.to_lowercase().next().unwrap_or(c)));
        let class = models.class(script, base);
        let is_letter = class != FOREIGN || is_of(script, c);
        if !is_letter {
            return plain(SIGN, models.sign(c).into());
        }
        let mark = tone.map_or(SPACE, |tone| models.class(script, tone));
        Self { mark, case, ..plain(class, 0) }
    }
}

/// Whether a character of no known language is a letter of the script all the same.
fn is_of(script: Script, c: char) -> bool {
    match script {
        Script::Latin => {
            matches!(c, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}') && !matches!(c, '×' | '÷')
        }
        Script::Cyrillic => matches!(c, '\u{400}'..='\u{52F}'),
        Script::Greek => matches!(c, '\u{386}' | '\u{388}'..='\u{3FF}'),
        Script::Hebrew => matches!(c, '\u{591}'..='\u{5F2}'),
        Script::Arabic => matches!(c, '\u{620}'..='\u{65F}' | '\u{670}'..='\u{6D3}'),
        Script::Thai => matches!(c, '\u{E01}'..='\u{E4E}'),
        Script::Han => true,
    }
}

/// The letter that most legacy charsets have for this one; the models know no other.
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
