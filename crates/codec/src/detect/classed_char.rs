//! Classifies characters: gives each its class in the models of a script, and the cost that the class does not show.
//!
//! # Limits
//! If a character stands for more than two letters, only the first two count.

use super::cost::NAT;
use super::models::{ASCII, FOREIGN, LETTERS, Models, OTHER, SIGN, SPACE};
use super::signs::{self, Beside};
use crate::detect::script_group::ScriptGroup;

/// Cost of a byte that the charset leaves undefined, of a control, of U+FFFD.
const BROKEN: u32 = 12 * NAT;
/// Cost of each ASCII sign or digit.
const ASCII_SIGN: u32 = 5 * NAT / 2;

/// A character as the models see it, in four bytes. Each text is read in all charsets, so this is compact.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassedChar {
    pub(super) class: u8,
    /// A second class, if the character is a letter with a mark; otherwise `SPACE`.
    pub(super) mark: u8,
    /// Cost beyond the classes.
    pub(super) extra: u8,
    /// [`SMALL`] or [`CAPITAL`] or neither, and other flags.
    pub(super) flags: u8,
}

/// Flags for the case of a letter, and their mask.
pub(super) const SMALL: u8 = 1;
pub(super) const CAPITAL: u8 = 2;
pub(super) const CASE: u8 = 3;
/// An ASCII letter.
pub(super) const ASCII_LETTER: u8 = 4;
/// U+FFFD, or a control other than white space.
pub(super) const IS_BROKEN: u8 = 8;

/// A sign that does not stand between letters.
pub(super) const NEVER_WITHIN: u8 = 16;
/// Returns a cost as a [`ClassedChar`] stores it: costs beyond 255 become 255.
pub(super) fn narrow(cost: u32) -> u8 {
    u8::try_from(cost).unwrap_or(u8::MAX)
}

impl ClassedChar {
    pub(super) fn bytes(self) -> [u8; 4] {
        [self.class, self.mark, self.extra, self.flags]
    }

    pub(super) fn of_bytes([class, mark, extra, flags]: [u8; 4]) -> Self {
        Self {
            class,
            mark,
            extra,
            flags,
        }
    }

    pub(super) fn is_letter(self) -> bool {
        self.class >= FOREIGN || self.flags & ASCII_LETTER != 0
    }

    /// Returns the kind of the character as a neighbor of a sign.
    pub(super) fn beside(self, c: char, script: ScriptGroup) -> Beside {
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
    pub(super) fn least(self, c: char, is_only: bool) -> u8 {
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
    pub(super) fn end(self) -> u8 {
        if self.mark == SPACE {
            self.class
        } else {
            self.mark
        }
    }

    pub(super) fn of(c: char, script: ScriptGroup) -> Self {
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
            let one = plain(SIGN, models.sign(c).into());
            return Self {
                flags: if stands_within_words(c) {
                    0
                } else {
                    NEVER_WITHIN
                },
                ..one
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

/// Returns true for apostrophes and their substitutes, hyphens, dashes, dots, quotation marks and ordinals. Also returns true for the joiners of
/// Persian words and the marks of direction.
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
            | '\u{200C}'..='\u{203A}'
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

/// A number for the characters beyond ASCII.
pub(super) fn text_hash(text: impl Iterator<Item = char>) -> u64 {
    text.filter(|c| !c.is_ascii())
        .fold(0xCBF2_9CE4_8422_2325, |hash, c| {
            (hash ^ u64::from(c)).wrapping_mul(0x100_0000_01B3)
        })
}
