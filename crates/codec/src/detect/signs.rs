//! Computes the cost of signs (non-ASCII characters that are no letters) by their place.
//!
//! ```text
//! "10£ off"  £ beside a digit       low           "LABTEC®</b>"  ® behind a word   low
//! "tam£m"    £ within a word        high          "<td>\u{A0}<"  blank in a cell   low
//! ```
//!
//! In a usual place a sign costs -ln of the share of messages in which it occurs, rounded to half a nat. The share was counted in 2,211 messages
//! of 2002 to 2005 (mostly English). A sign that occurs in none of them costs 8 nats.
//!
//! # Limits
//! Only the nearest character on each side counts. A run of one sign counts as one place.

use super::cost::NAT;
use super::models::{OTHER, SIGN, SPACE};

/// The neighbor of a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// The start or end of the text or of a line.
    Edge,
    Blank,
    /// A no-break space.
    NoBreak,
    Letter,
    /// A letter beyond ASCII, where most are ASCII.
    Accented,
    Digit,
    /// `<` or `>`.
    Tag,
    /// Other ASCII.
    Punctuation,
    /// Another sign beyond ASCII, or a control.
    Sign,
}

impl Beside {
    /// Returns the kind of an ASCII byte as a neighbor.
    pub(super) fn of_ascii(byte: u8) -> Self {
        match byte {
            b'\n' | b'\r' => Self::Edge,
            b'\t' | 0x0C | b' ' => Self::Blank,
            b'0'..=b'9' => Self::Digit,
            b'<' | b'>' => Self::Tag,
            b'A'..=b'Z' | b'a'..=b'z' => Self::Letter,
            0x21..=0x7E => Self::Punctuation,
            _ => Self::Sign,
        }
    }

    /// Returns the kind without its rarer distinctions.
    fn plain(self) -> Self {
        if self == Self::Accented {
            Self::Letter
        } else {
            self
        }
    }

    fn is_word(self) -> bool {
        matches!(self, Self::Letter | Self::Digit)
    }

    /// Nothing, or white space.
    fn is_space(self) -> bool {
        matches!(self, Self::Edge | Self::Blank | Self::NoBreak)
    }
}

/// A sign in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// Class for the letters beside it: a space, or like ASCII punctuation; [`SIGN`] where it does not belong.
    pub(super) class: u8,
    /// Cost in sixteenths of a nat.
    pub(super) cost: u32,
}

/// Cost of each further sign of a run.
pub(super) const REPEATED: u32 = NAT / 2;
/// Least cost of each further sign of a run of such that stand alone (see [`is_single`]).
pub(super) const REPEATED_SINGLE: u32 = 3 * NAT;
/// Cost of a sign before `@`, behind which the name of an address stands.
pub(super) const BEFORE_AT: u32 = 6 * NAT;
/// Cost of a sign that stands before no word of small letters: `©koda` is `Škoda`.
pub(super) const BEFORE_SMALL_LETTER: u32 = 6 * NAT;
/// Cost of a sign that is in no list.
const UNLISTED: u32 = 8 * NAT;
/// Least cost of a sign anywhere.
pub(super) const LEAST: u32 = REPEATED;

/// Cost of a guillemet whose partner stands nowhere in the sample.
pub(super) const WITHOUT_PARTNER: u32 = 3 * NAT;

/// Returns true for signs that stand before figures, capitals or blanks, or behind words, if a small Latin letter follows. So it is for `¶`
/// and any small letter. Fractions stand before units, too: `½lb`.
pub(super) fn is_never_before(c: char, after: char) -> bool {
    let is_latin = after <= '\u{24F}';
    let may_be = match c {
        '£' | '¥' | '¦' | '©' | '¬' | '®' | '±' | '³' | '¹' => is_latin,
        '¶' => true,
        _ => false,
    };
    may_be && after.is_lowercase()
}

/// The sign that stands with `c` in a text: guillemets come in pairs.
pub(super) fn partner(c: char) -> Option<char> {
    match c {
        '\u{AB}' => Some('\u{BB}'),
        '\u{BB}' => Some('\u{AB}'),
        '\u{2039}' => Some('\u{203A}'),
        '\u{203A}' => Some('\u{2039}'),
        _ => None,
    }
}

/// Returns true if `c` is rarely repeated: quotation marks, degrees, ordinals, the signs that begin Spanish sentences.
pub(super) fn is_single(c: char) -> bool {
    matches!(
        c,
        '\u{2018}'
            ..='\u{201E}'
                | '\u{A1}'
                | '\u{BF}'
                | '\u{AB}'
                | '\u{BB}'
                | '\u{AA}'
                | '\u{BA}'
                | '\u{B0}'
                | '\u{B2}'
                | '\u{B3}'
                | '\u{B9}'
    )
}

/// Returns the class and cost of sign `c` between its neighbors.
pub(super) fn place(c: char, before: Beside, after: Beside) -> Placed {
    let (usual, mut surplus) = kind_cost(c, before.plain(), after.plain());
    let is_beside_accent = before == Beside::Accented || after == Beside::Accented;
    if is_beside_accent
        && !matches!(
            c,
            '\u{A0}' | '\u{AD}' | '\u{2013}'..='\u{201E}' | '\u{2026}' | '\u{AB}' | '\u{BB}'
        )
    {
        surplus += BESIDE_ACCENT;
    }
    let belongs = surplus < MISPLACED;
    let class = match c {
        _ if !belongs => SIGN,
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{3000}' => SPACE,
        _ => OTHER,
    };
    Placed {
        class,
        cost: (usual + surplus) * NAT / 2,
    }
}

/// Returns the least cost of the first sign of a run of `c`, wherever it stands.
pub(super) fn least(c: char) -> u32 {
    kind_cost(c, Beside::Blank, Beside::Blank).0 * NAT / 2
}

/// Surplus of a sign beside a letter beyond ASCII, in Latin script: under a wrong charset letters become both.
const BESIDE_ACCENT: u32 = 4;
/// Surplus, in half nats, from which on a sign does not belong where it stands.
const MISPLACED: u32 = 8;
/// Additional cost of an occasional place.
const SELDOM: u32 = 3;
/// Additional cost of a very rare place.
const HARDLY: u32 = 12;

/// Cost of a sign in its usual place, and the surplus for this place, both in half nats.
fn kind_cost(c: char, before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Blank, Digit, Edge, Letter, Tag};
    let within = before == Letter && after == Letter;
    match c {
        '\u{A0}' => no_break_space_cost(before, after),
        '\u{2002}'..='\u{200A}' | '\u{202F}' => (10, if within { SELDOM } else { 0 }),
        // Apostrophe and closing quote.
        '\u{2019}' => {
            let surplus = match (before, after) {
                (Edge | Blank | Tag, Letter) => SELDOM,
                (_, Letter | Digit) | (Letter, _) => 0,
                _ => SELDOM,
            };
            (5, surplus)
        }
        '\u{B4}' => (9, if before == Letter { 0 } else { HARDLY }),
        '\u{201C}' | '\u{2018}' | '\u{201D}' | '\u{AB}' | '\u{BB}' | '\u{2039}' | '\u{203A}' => {
            quote_cost(c, before, after)
        }
        // They open only.
        '\u{201E}' | '\u{201A}' => {
            let surplus = if before == Letter {
                HARDLY
            } else if after.is_space() {
                SELDOM
            } else {
                0
            };
            (if c == '\u{201E}' { 8 } else { 11 }, surplus)
        }
        '\u{2013}' => (7, if within { SELDOM } else { 0 }),
        '\u{2014}' => (8, 0),
        '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2015}' => (14, 0),
        '\u{2026}' => (6, if after == Letter { SELDOM } else { 0 }),
        // Bullets begin lines and cells, and stand alone.
        '\u{2022}' | '\u{B7}' | '\u{A7}' | '\u{B6}' | '\u{25CF}' | '\u{25A0}' | '\u{25AA}'
        | '\u{25BA}' | '\u{2219}' => bullet_cost(c, before, after),
        '\u{A3}' | '\u{20AC}' | '\u{A5}' | '\u{A2}' | '\u{A4}' | '\u{20A4}' | '\u{20A9}' => {
            currency_cost(c, before, after)
        }
        '\u{A9}' => (6, if after == Letter { 6 } else { 0 }),
        '\u{AE}' | '\u{2122}' | '\u{2120}' => mark_cost(c, before, after),
        '\u{B0}' | '\u{BA}' | '\u{AA}' | '\u{B2}' | '\u{B3}' | '\u{B9}' => {
            raised_cost(c, before, after)
        }
        '\u{B1}'
        | '\u{D7}'
        | '\u{F7}'
        | '\u{BC}'..='\u{BE}'
        | '\u{AC}'
        | '\u{2248}'
        | '\u{2260}'
        | '\u{2264}'
        | '\u{2265}'
        | '\u{2212}' => arithmetic_cost(c, before, after),
        _ => other_cost(c, before, after),
    }
}

/// Returns the cost of other signs: of units, footnotes, lines, East Asian punctuation, accents that stand alone.
fn other_cost(c: char, before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Blank, Digit, Letter, Punctuation, Sign, Tag};
    let within = before == Letter && after == Letter;
    match c {
        '\u{B5}' | '\u{3BC}' => (12, if before == Letter { HARDLY } else { 0 }),
        // Spanish begins sentences with them.
        '\u{A1}' | '\u{BF}' => {
            let surplus = match (before, after) {
                (Letter | Digit, _) => HARDLY,
                (_, Letter | Sign) => 0,
                _ => 6,
            };
            (9, surplus)
        }
        '\u{AD}' => (10, if within { 0 } else { SELDOM }),
        '\u{2020}' | '\u{2021}' => (12, if within || after == Letter { HARDLY } else { 0 }),
        '\u{2030}' => (
            12,
            if matches!((before, after), (Digit, _) | (Blank, Digit)) {
                0
            } else {
                HARDLY
            },
        ),
        // Lines and boxes are drawn with many, which stand beside each other.
        '\u{2500}'..='\u{259F}' => {
            let alone = |side: Beside| matches!(side, Letter | Digit | Punctuation | Tag);
            (
                13,
                if alone(before) || alone(after) {
                    HARDLY
                } else {
                    0
                },
            )
        }
        // East Asian text has them often: that it is one costs enough.
        '\u{3000}' => (4, if within { SELDOM } else { 0 }),
        // Punctuation of East Asia behind and before words of other scripts.
        '\u{3001}' | '\u{3002}' | '\u{FF0C}' | '\u{FF0E}' => {
            (7, if before.is_space() { HARDLY } else { 0 })
        }
        '\u{30FB}' => (6, if before.is_word() { SELDOM } else { 0 }),
        // Accents that stand alone are remains of letters.
        '\u{A8}' | '\u{AF}' | '\u{B8}' | '\u{2C6}'..='\u{2DD}' => (
            18,
            if before.is_word() || after.is_word() {
                HARDLY
            } else {
                0
            },
        ),
        // Arabic, Greek and other punctuation with a script of its own, and what else there is.
        _ => (UNLISTED * 2 / NAT, if within { HARDLY } else { 0 }),
    }
}

/// Returns the cost of a quotation mark that may open and close.
fn quote_cost(c: char, before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Letter, Tag};
    let within = before == Letter && after == Letter;
    let usual = match c {
        '\u{201C}' | '\u{201D}' => 6,
        '\u{AB}' | '\u{BB}' => 7,
        '\u{2018}' => 8,
        _ => 12,
    };
    // Finnish and Swedish open with them, too.
    let opens = c == '\u{201D}' && !before.is_word() && after == Letter;
    let is_english = matches!(c, '\u{2018}' | '\u{201C}' | '\u{201D}');
    let is_alone = is_english && before == Tag && after == Tag;
    // German closes with it, but not before the end of a line.
    let is_last = c == '\u{2018}' && !before.is_space() && !after.is_word() && after.is_space();
    (
        usual,
        if within || is_alone {
            HARDLY
        } else if opens || is_last {
            SELDOM
        } else {
            0
        },
    )
}

/// Returns the cost of a bullet, a middle dot, a section or paragraph sign.
fn bullet_cost(c: char, before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Blank, Edge, Letter, NoBreak, Punctuation, Sign, Tag};
    let usual = match c {
        '\u{2022}' => 7,
        '\u{B7}' => 8,
        '\u{A7}' => 9,
        _ => 13,
    };
    let surplus = match (before, after) {
        // Catalan writes `col·legi`.
        (Letter, Letter) if c == '\u{B7}' => SELDOM,
        (Edge | Blank | NoBreak | Tag | Punctuation | Sign, _) => 0,
        _ if after == Letter => HARDLY,
        _ => SELDOM,
    };
    (usual, surplus)
}

/// Returns the cost of a currency sign.
fn currency_cost(c: char, before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Digit, Letter, NoBreak, Sign};
    let usual = match c {
        '\u{A3}' => 7,
        '\u{20AC}' => 8,
        '\u{A2}' | '\u{A5}' => 10,
        _ => 14,
    };
    let surplus = match (before, after) {
        (Digit, _) | (_, Digit) => 0,
        (Letter, Letter) => HARDLY,
        // It names no currency and stands for any: beside words and alone, too.
        _ if c == '\u{A4}' => 2,
        (Letter, _) | (_, Letter) => 8,
        (NoBreak | Sign, _) | (_, NoBreak | Sign) => 6,
        _ => SELDOM,
    };
    (usual, surplus)
}

/// Returns the cost of a sign of a trade mark.
fn mark_cost(c: char, before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Digit, Letter, Punctuation};
    let surplus = match (before, after) {
        (Letter | Digit, Letter) => 7,
        (_, Letter) => HARDLY,
        (Letter | Digit | Punctuation, _) => 0,
        _ => SELDOM,
    };
    (if c == '\u{AE}' { 8 } else { 9 }, surplus)
}

/// Returns the cost of a degree sign, an ordinal or a raised digit.
fn raised_cost(c: char, before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Blank, Digit, Letter, NoBreak};
    let surplus = match (before, after) {
        (Letter, Letter) => HARDLY,
        (Letter, _) if c == '\u{B9}' => 8,
        (Letter, _) if matches!(c, '\u{B2}' | '\u{B3}') => 2,
        (Digit | Letter, _) => 0,
        // `20 °C`.
        (Blank | NoBreak, Letter) if c == '\u{B0}' => 0,
        _ => SELDOM,
    };
    (if c == '\u{B0}' { 9 } else { 11 }, surplus)
}

/// Returns the cost of a sign of arithmetic or a fraction.
fn arithmetic_cost(c: char, before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Digit, Letter};
    let surplus = match (before, after) {
        (Digit, _) | (_, Digit) => 0,
        (Letter, Letter) => HARDLY,
        (Letter, _) | (_, Letter) => 6,
        _ => SELDOM,
    };
    (
        if matches!(c, '\u{AC}' | '\u{2248}'..='\u{2265}') {
            13
        } else {
            10
        },
        surplus,
    )
}

/// Returns the cost of a no-break space: usual in indentation, empty cells, after sentences, before French punctuation.
fn no_break_space_cost(before: Beside, after: Beside) -> (u32, u32) {
    use Beside::{Letter, Punctuation, Sign, Tag};
    let surplus = match (before, after) {
        (Letter, Letter) => 7,
        (Letter, _) | (_, Letter)
            if !before.is_space() && !matches!(before, Tag | Punctuation | Sign) =>
        {
            3
        }
        _ => 0,
    };
    (5, surplus)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of the only sign of a text, in nats.
    fn nats(text: &str) -> f32 {
        let chars: Vec<char> = text.chars().collect();
        let at = chars.iter().position(|c| !c.is_ascii()).unwrap();
        let beside = |c: Option<&char>| c.map_or(Beside::Edge, |c| Beside::of_ascii(*c as u8));
        let before = beside(at.checked_sub(1).and_then(|before| chars.get(before)));
        place(chars[at], before, beside(chars.get(at + 1))).cost as f32 / NAT as f32
    }

    #[test]
    fn signs_cost_little_where_they_stand_in_mail() {
        for (usual, unusual) in [
            ("\u{A3}80m deal", "tam\u{A3}m"),
            ("signs 80\u{A3} deal", "de\u{A3}"),
            ("<td>\u{A0}</td>", "est\u{A0}n"),
            ("<td>\u{A0}</td>", "est\u{A0} a"),
            ("Discover\u{AE} Platinum", "\u{AE}acs"),
            ("it\u{2019}s", "- \u{2019} -"),
            ("\u{2022} item", "a\u{2022}b"),
            ("10 \u{B1}5 %", "a\u{B1}b"),
            ("\u{BF}Qu", "a\u{BF}b"),
            ("\u{201C}so\u{201C}", "a\u{201C}b"),
            ("it\u{2019}s", " \u{2019}About"),
            ("so.\u{3002}", " \u{3002}so"),
            ("\u{30FB}About", "so\u{30FB}"),
        ] {
            assert!(nats(usual) + 1.0 < nats(unusual), "{usual} {unusual}");
            assert!(nats(usual) <= 5.0, "{usual}");
        }
    }

    #[test]
    fn no_sign_costs_less_than_the_least() {
        use Beside::{Blank, Digit, Edge, Letter, NoBreak, Punctuation, Sign, Tag};
        let all = [Edge, Blank, NoBreak, Letter, Digit, Tag, Punctuation, Sign];
        for c in ('\u{A0}'..='\u{FFFF}').filter(|c| !c.is_alphabetic()) {
            for before in all {
                for after in all {
                    let cost = place(c, before, after).cost;
                    assert!(
                        cost >= least(c) && least(c) >= LEAST,
                        "{c:?} {before:?} {after:?}"
                    );
                }
            }
        }
    }
}
