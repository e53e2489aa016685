//! Adds the signs of real mail to text at typical places: no-break spaces, quotes, dashes, bullets, currency, ® and others.
//!
//! The weights are counts from real mail (`tests/data/signs.tsv`, written by `crates/xtask/models/count_signs.py`). `RARE` adds
//! signs that the counts lack. The same seed gives the same text.
//!
//! # Limits
//!
//! Chooses places by the classes of the two neighbors. Creates a place in a text that has none.

use crate::rng::Rng;
use mailglot_codec::{Charset, LossLog, Unmappable};

const COUNTS: &str = include_str!("../data/signs.tsv");

/// Signs too rare for the counts, with their typical places: before, run, after.
const RARE: &[(Place, &str, Place)] = &[
    (Place::Digit, "°", Place::Blank),
    (Place::Digit, "°", Place::Letter),
    (Place::Digit, "º", Place::Blank),
    (Place::Digit, "ª", Place::Blank),
    (Place::Letter, "º", Place::Blank),
    (Place::Letter, "®", Place::Blank),
    (Place::Letter, "©", Place::Blank),
    (Place::Letter, "™", Place::Blank),
    (Place::Letter, "®", Place::Close),
    (Place::Blank, "©", Place::Blank),
    (Place::Blank, "±", Place::Digit),
    (Place::Blank, "µ", Place::Letter),
    (Place::Digit, "×", Place::Digit),
    (Place::Blank, "×", Place::Blank),
    (Place::Blank, "÷", Place::Blank),
    (Place::Digit, "²", Place::Blank),
    (Place::Digit, "³", Place::Blank),
    (Place::Digit, "½", Place::Blank),
    (Place::Digit, "¼", Place::Blank),
    (Place::Digit, "¾", Place::Blank),
    (Place::Blank, "½", Place::Blank),
    (Place::Blank, "§", Place::Blank),
    (Place::Blank, "§", Place::Digit),
    (Place::Start, "§", Place::Blank),
    (Place::Start, "¶", Place::Blank),
    (Place::Blank, "€", Place::Digit),
    (Place::Digit, "€", Place::Blank),
    (Place::Digit, "\u{A0}€", Place::Blank),
    (Place::Digit, "\u{A0}%", Place::Blank),
    (Place::Blank, "£", Place::Digit),
    (Place::Open, "£", Place::Digit),
    (Place::Blank, "¥", Place::Digit),
    (Place::Digit, "¢", Place::Blank),
    (Place::Letter, "\u{AD}", Place::Letter),
    (Place::Start, "•", Place::Blank),
    (Place::Start, "· ", Place::Letter),
    (Place::Start, "·\u{A0}", Place::Letter),
    (Place::Start, "·\u{A0}\u{A0}", Place::Letter),
    (Place::Start, "\u{A0}\u{A0}", Place::Letter),
    (Place::Start, "\u{A0}\u{A0}\u{A0}\u{A0}", Place::Letter),
    (Place::Start, "\u{A0} \u{A0} \u{A0}", Place::Letter),
    (Place::Start, "–", Place::Blank),
    (Place::Blank, "—", Place::Blank),
    (Place::Blank, "„", Place::Letter),
    (Place::Blank, "‘", Place::Letter),
    (Place::Blank, "«", Place::Letter),
    (Place::Letter, "»", Place::Blank),
    (Place::Blank, "†", Place::Blank),
    (Place::Digit, "‰", Place::Blank),
    (Place::Letter, "…", Place::Edge),
    (Place::Tag, "\u{A0}", Place::Tag),
    (Place::Tag, "\u{A0}", Place::Blank),
    (Place::Tag, "©", Place::Blank),
    (Place::Tag, "»", Place::Tag),
];

/// Class of the character beside a run of signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before: only blanks since the start of the line.
    Start,
    /// The end of the line or of the text.
    Edge,
    /// A space or a tab.
    Blank,
    /// `<` or `>`.
    Tag,
    /// A digit.
    Digit,
    /// A letter, ASCII or not.
    Letter,
    /// An ASCII quotation mark.
    Quote,
    /// An opening bracket or `$`.
    Open,
    /// Other punctuation.
    Close,
}

/// A run of signs, and its place.
#[derive(Clone, Debug)]
struct SignRun {
    html: bool,
    before: Place,
    run: String,
    after: Place,
    weight: usize,
}

/// Adds signs to text.
#[derive(Clone, Debug)]
pub struct Sprinkler {
    /// The rows for plain text and for HTML that the charset can represent.
    rows: [Vec<SignRun>; 2],
}

impl Sprinkler {
    /// Selects the signs that `charset` has.
    ///
    /// # Panics
    ///
    /// If the table of counts is damaged.
    pub fn new(charset: Charset) -> Self {
        let known = |run: &str| {
            let mut log = LossLog::with_limit(0);
            let bytes = charset.encode(run, Unmappable::Skip, &mut log);
            let read = charset.decode(&bytes, &mut log);
            log.is_empty() && read == run
        };
        let mut rows = [Vec::new(), Vec::new()];
        for row in counted()
            .into_iter()
            .chain(rare())
            .filter(|row| known(&row.run))
        {
            rows[usize::from(row.html)].push(row);
        }
        Self { rows }
    }

    /// Returns true if the charset has no signs.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().any(Vec::is_empty)
    }

    /// Adds signs to `text`.
    ///
    /// Half of the texts get one kind of run in up to `lines` places, as in lists; the others get up to `lines` + 1 kinds. In HTML,
    /// wraps some words in tags first.
    pub fn sprinkle(&self, text: &str, html: bool, rng: &mut Rng) -> String {
        let rows = &self.rows[usize::from(html)];
        let mut text = if html {
            tagged(text, rng)
        } else {
            text.to_owned()
        };
        let lines = text.lines().count().max(1);
        let places = 1 + rng.below(lines.min(20) + 1);
        let one = rng.chance(50).then(|| pick(rows, rng));
        for _ in 0..places {
            let row = one.unwrap_or_else(|| pick(rows, rng));
            text = put(&text, row, rng);
        }
        text
    }
}

fn pick<'r>(rows: &'r [SignRun], rng: &mut Rng) -> &'r SignRun {
    let mut left = rng.below(rows.iter().map(|row| row.weight).sum());
    rows.iter()
        .find(|row| {
            let found = left < row.weight;
            left = left.saturating_sub(row.weight);
            found
        })
        .unwrap_or(&rows[0])
}

fn counted() -> Vec<SignRun> {
    let row = |line: &str| {
        let [context, before, run, after, parts, _] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("not six columns: {line}")
        };
        let byte =
            |at: usize| u8::from_str_radix(&run[at..at + 2], 16).expect("hexadecimal digits");
        let bytes: Vec<u8> = (0..run.len()).step_by(2).map(byte).collect();
        SignRun {
            html: context == "html",
            before: Place::named(before),
            // The bytes A4 that were counted are the euro of ISO-8859-15.
            run: Charset::WINDOWS_1252
                .decode(&bytes, &mut LossLog::new())
                .replace('\u{A4}', "€"),
            after: Place::named(after),
            // Parts have equal weight, however long.
            weight: parts.parse().expect("a number"),
        }
    };
    COUNTS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(row)
        .collect()
}

fn rare() -> impl Iterator<Item = SignRun> {
    let row = |html, (before, run, after): &(Place, &str, Place)| SignRun {
        html,
        before: *before,
        run: (*run).to_owned(),
        after: *after,
        weight: 1,
    };
    RARE.iter()
        .flat_map(move |rare| [row(false, rare), row(true, rare)])
}

impl Place {
    fn named(name: &str) -> Self {
        match name {
            "start" => Self::Start,
            "edge" => Self::Edge,
            "blank" => Self::Blank,
            "tag" => Self::Tag,
            "digit" => Self::Digit,
            "letter" => Self::Letter,
            "quote" => Self::Quote,
            "open" => Self::Open,
            "close" => Self::Close,
            other => panic!("no place: {other}"),
        }
    }

    /// Returns the class of a character. None for signs.
    fn of(c: char) -> Option<Self> {
        Some(match c {
            '\n' | '\r' => Self::Edge,
            ' ' | '\t' => Self::Blank,
            '<' | '>' => Self::Tag,
            '0'..='9' => Self::Digit,
            '"' | '\'' => Self::Quote,
            '(' | '[' | '{' | '$' => Self::Open,
            c if c.is_alphabetic() => Self::Letter,
            c if c.is_ascii() => Self::Close,
            _ => return None,
        })
    }

    /// Returns text that creates such a place.
    fn example(self, rng: &mut Rng) -> &'static str {
        match self {
            Self::Start | Self::Edge => "\n",
            Self::Blank => " ",
            Self::Tag => "<br>",
            Self::Digit => rng.pick::<&str>(&["5", "10", "24", "80", "1999", "3.50"]),
            Self::Letter => rng.pick::<&str>(&["X", "Pro", "a", "the"]),
            Self::Quote => "\"",
            Self::Open => "(",
            Self::Close => rng.pick::<&str>(&[",", ".", ":"]),
        }
    }
}

/// Inserts one run at a suitable place, and creates one if necessary.
fn put(text: &str, row: &SignRun, rng: &mut Rng) -> String {
    let chars: Vec<char> = text.chars().collect();
    let outside = outside_tags(&chars);
    let before = |at: usize| match at.checked_sub(1) {
        None => Some(Place::Start),
        Some(at) if chars[at] == '\n' => Some(Place::Start),
        Some(at) => Place::of(chars[at]),
    };
    let after = |at: usize| chars.get(at).map_or(Some(Place::Edge), |c| Place::of(*c));
    let first = rng.below(chars.len() + 1);
    let all = || {
        (first..=chars.len())
            .chain(0..first)
            .filter(|at| outside[*at])
    };
    let exact = |at: &usize| before(*at) == Some(row.before) && after(*at) == Some(row.after);
    // The end of a word, a line or the text.
    let open_end = |at: &usize| {
        before(*at) == Some(row.before)
            && (row.before == Place::Start
                || matches!(after(*at), Some(Place::Blank | Place::Edge)))
    };
    let word_end = |at: &usize| {
        matches!(
            before(*at),
            Some(Place::Letter | Place::Close | Place::Digit) | None
        ) && matches!(after(*at), Some(Place::Blank | Place::Edge))
    };
    let (at, skipped, put) = if (row.before, row.after) == (Place::Letter, Place::Letter) {
        let found = match &*row.run {
            "’" | "´" => all()
                .find(|at| is_apostrophe_place(&chars, *at))
                .map(|at| (at, 0)),
            "\u{AD}" => all()
                .find(|at| is_hyphenation_place(&chars, *at))
                .map(|at| (at, 0)),
            // Replaces the blank between two words.
            _ => all()
                .find(|at| {
                    before(*at) == Some(Place::Letter)
                        && after(*at) == Some(Place::Blank)
                        && after(at + 1) == Some(Place::Letter)
                })
                .map(|at| (at, 1)),
        };
        let Some((at, skipped)) = found else {
            return text.to_owned();
        };
        (at, skipped, row.run.clone())
    } else if let Some(at) = all().find(exact) {
        (at, 0, row.run.clone())
    } else if let Some(at) = all().find(open_end) {
        (at, 0, format!("{}{}", row.run, row.after.example(rng)))
    } else {
        let Some(at) = all().find(word_end) else {
            return text.to_owned();
        };
        let gap = if matches!(row.before, Place::Digit | Place::Letter) {
            " "
        } else {
            ""
        };
        let (left, right) = (row.before.example(rng), row.after.example(rng));
        (at, 0, format!("{gap}{left}{}{right}", row.run))
    };
    chars[..at]
        .iter()
        .copied()
        .chain(put.chars())
        .chain(chars[at + skipped..].iter().copied())
        .collect()
}

/// Returns for each position whether it is outside `<…>`, and in the body if the HTML has one.
fn outside_tags(chars: &[char]) -> Vec<bool> {
    let text: String = chars.iter().collect();
    let body = text.find("<body>").map_or(0..chars.len(), |start| {
        let before = |at: usize| text[..at].chars().count();
        before(start + "<body>".len())..text.find("</body>").map_or(chars.len(), before)
    });
    let mut outside = true;
    let mut places = vec![body.start == 0];
    for (at, c) in chars.iter().enumerate() {
        match c {
            '<' => outside = false,
            '>' => outside = true,
            _ => {}
        }
        places.push(outside && at + 1 >= body.start && at < body.end);
    }
    places
}

/// Returns the number of letters with case that end before `at`, and that begin there.
fn word_around(chars: &[char], at: usize) -> (usize, usize) {
    let is_cased = |c: &&char| c.is_lowercase() || c.is_uppercase();
    (
        chars[..at].iter().rev().take_while(is_cased).count(),
        chars[at..].iter().take_while(is_cased).count(),
    )
}

/// Returns true before the last letter as in "don’t", or after the first as in "l’eau".
fn is_apostrophe_place(chars: &[char], at: usize) -> bool {
    let (before, after) = word_around(chars, at);
    let is = |at: usize, letters: &str| chars.get(at).is_some_and(|c| letters.contains(*c));
    (before >= 2 && after == 1 && is(at, "std"))
        || (before == 1 && after >= 2 && is(at - 1, "ldcjnmLDCJNM") && is(at, "aeiouéêàèh"))
}

/// Returns true inside a long word.
fn is_hyphenation_place(chars: &[char], at: usize) -> bool {
    let (before, after) = word_around(chars, at);
    before >= 3 && after >= 3
}

/// Wraps text in HTML as mailers write it.
fn tagged(text: &str, rng: &mut Rng) -> String {
    let mut out = String::from("<html><body>\n");
    for line in text.lines() {
        let (start, end) = *rng.pick(&[
            ("<p>", "</p>"),
            ("<br>", ""),
            ("<div>", "</div>"),
            (
                "<p class=\"MsoNormal\"><font face=\"Arial\" size=\"2\">",
                "</font></p>",
            ),
            ("<tr><td width=\"20\"> </td><td>", "</td></tr>"),
            (
                "<li><a href=\"http://www.example.com/\"><b>Click here</b></a> ",
                "</li>",
            ),
        ]);
        out.push_str(start);
        out.push_str(line);
        out.push_str(end);
        out.push('\n');
    }
    out.push_str("</body></html>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_gives_the_same_text() {
        let sprinkler = Sprinkler::new(Charset::WINDOWS_1252);
        let make = |seed| {
            sprinkler.sprinkle(
                "The first line.\nIt costs 20 more.",
                false,
                &mut Rng::new(seed),
            )
        };
        assert_eq!(make(3), make(3));
        assert!((0..50).map(make).collect::<BTreeSet<_>>().len() > 30);
    }

    #[test]
    fn each_sign_of_the_page_occurs_and_letters_stay_ascii() {
        let sprinkler = Sprinkler::new(Charset::WINDOWS_1252);
        let mut seen = BTreeSet::new();
        for seed in 0..5_000 {
            let mut rng = Rng::new(seed);
            let html = rng.chance(50);
            let text = sprinkler.sprinkle(
                "We agreed to ship it on the 9th, as is.\nIt costs 20 (all in).",
                html,
                &mut rng,
            );
            seen.extend(text.chars().filter(|c| !c.is_ascii()));
        }
        for sign in "\u{A0}\u{AD}’“”‘„…•·–—£€¥¢®©™°ºª×÷±µ½¼¾²³§¶«»†‰".chars()
        {
            assert!(seen.contains(&sign), "{sign:?}");
        }
    }

    #[test]
    fn no_sign_is_put_inside_a_tag() {
        let sprinkler = Sprinkler::new(Charset::WINDOWS_1252);
        for seed in 0..2_000 {
            let text = sprinkler.sprinkle(
                "We agreed.\nIt costs 20 (all in).",
                true,
                &mut Rng::new(seed),
            );
            let inside = text
                .split('<')
                .skip(1)
                .filter_map(|rest| rest.split_once('>'));
            assert!(inside.into_iter().all(|(tag, _)| tag.is_ascii()), "{text}");
        }
    }

    #[test]
    fn only_signs_of_the_charset_are_used() {
        let sprinkler = Sprinkler::new(Charset::ISO_8859_2);
        for seed in 0..500 {
            let text = sprinkler.sprinkle("Jeden 2 trzy.", seed % 2 == 0, &mut Rng::new(seed));
            let mut log = LossLog::new();
            let _ = Charset::ISO_8859_2.encode(&text, Unmappable::Skip, &mut log);
            assert!(log.is_empty(), "{text}");
        }
    }
}
