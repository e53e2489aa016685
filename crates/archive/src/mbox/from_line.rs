//! Parses the `From ` line: its shape, and whether it has a date.
//!
//! # Limits
//! Recognizes dates without validating them: `Feb 31` is a date. Month and weekday names are English, as every mail system writes
//! them.

use mailglot_kernel::TextFinder;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_while_m_n, take_while1};
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{all_consuming, opt, recognize, value, verify};
use nom::sequence::preceded;
use nom::{IResult, Parser};

/// Finds the text that begins a separator line. Few other words have `F` and a blank four bytes apart.
pub(super) static FROM: TextFinder = TextFinder::new(b"From ", [0, 4]);

/// The text between `From ` and the date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Shape {
    /// Nothing.
    Bare,
    /// `-`
    Dash,
    /// A word with `@`, or the envelope name `MAILER-DAEMON`.
    Address,
    /// `joe at example.org`
    At,
    /// Any other word.
    Word,
    /// Forty (or 64) hexadecimal digits and the fixed date that `git format-patch` writes.
    Git,
}

/// A classified `From ` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct FromLine {
    /// Its shape.
    pub shape: Shape,
    /// True if a complete date ends the line.
    pub dated: bool,
}

impl FromLine {
    /// Classifies a line that starts with `From `, without its line end.
    pub(super) fn classify(line: &[u8]) -> Self {
        let rest = line.get(5..).unwrap_or_default();
        let mut words = words(rest);
        let Some(first) = words.next() else {
            return Self {
                shape: Shape::Bare,
                dated: false,
            };
        };
        let dated = ends_with_date(rest);
        let shape = if first == b"-" {
            Shape::Dash
        } else if is_address(first) {
            Shape::Address
        } else if is_patch(rest) {
            Shape::Git
        } else if words.take(2).any(|word| word == b"at") {
            Shape::At
        } else {
            Shape::Word
        };
        Self { shape, dated }
    }

    /// Returns the index of this kind of line, 0 to 11.
    pub(super) fn index(self) -> usize {
        self.shape as usize * 2 + usize::from(self.dated)
    }
}

/// A set of kinds of `From ` lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Shapes(u16);

impl Shapes {
    /// Adds a kind.
    pub(super) fn insert(&mut self, line: FromLine) {
        self.0 |= 1 << line.index();
    }

    /// Adds the kind with this index.
    pub(super) fn insert_index(&mut self, index: usize) {
        self.0 |= 1 << index;
    }

    /// Returns true if the kind is in the set.
    pub(super) fn contains(self, line: FromLine) -> bool {
        self.0 & (1 << line.index()) != 0
    }

    /// Adds all plain lines ([`is_plain_or_marked`]), whatever their shapes. Programs mix them: `root`, `-` and addresses.
    pub(super) fn insert_plain(&mut self) {
        self.0 |= 1 << KINDS;
    }

    /// Returns true if all plain lines are in the set.
    pub(super) fn contains_plain(self) -> bool {
        self.0 & (1 << KINDS) != 0
    }

    /// Returns the union of both sets.
    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Number of kinds of `From ` lines: six shapes, each with or without a date.
pub(super) const KINDS: usize = 12;

/// Index of a `Word` line without a date, which also occurs in prose.
pub(super) const UNDATED_WORD: usize = Shape::Word as usize * 2;

/// Returns true for the kinds of [`Shape::Git`].
pub(super) fn is_git(index: usize) -> bool {
    index / 2 == Shape::Git as usize
}

/// Returns true for the kinds with a date.
pub(super) fn is_dated(index: usize) -> bool {
    index % 2 == 1
}

/// Returns true for the kinds whose lines have neither a name nor an address: `From ` and `From -`.
pub(super) fn has_no_words(index: usize) -> bool {
    [Shape::Bare, Shape::Dash]
        .iter()
        .any(|shape| *shape as usize == index / 2)
}

/// Longest line (RFC 5322, section 2.1.1).
const LONGEST_PLAIN: usize = 998;

/// Returns true for `From sender Www Mmm dd hh:mm:ss yyyy` in ASCII, which every reader knows. `line` has no line end.
///
/// The sender is one word: an address, a local user (`root`), a path (`uunet!joe`) or `-`. The first line of a patch of git is not plain.
pub(super) fn is_plain(line: &[u8]) -> bool {
    if !line.starts_with(b"From ") || line.len() > LONGEST_PLAIN || !is_printable(line) {
        return false;
    }
    let rest = &line[5..];
    let is_plain = match before_plain_date(rest).map(<[u8]>::trim_ascii) {
        Some(before) if !before.is_empty() && !before.contains(&b' ') => true,
        _ => are_plain_words(rest),
    };
    is_plain && !is_patch(rest)
}

fn is_printable(line: &[u8]) -> bool {
    // `fold` has no early exit, so the compiler uses vector instructions.
    line.iter()
        .fold(true, |all, byte| all & (b' '..=b'~').contains(byte))
}

/// Mark of a separator, before its line end (see `separator_mark`).
pub(super) const MARK: &[u8] = b" -0000";

/// Returns true for a plain line, marked or not. `line` has no line end.
pub(super) fn is_plain_or_marked(line: &[u8]) -> bool {
    is_plain(line.strip_suffix(MARK).unwrap_or(line))
}

fn are_plain_words(line: &[u8]) -> bool {
    let mut words = words(line);
    let expected = [
        DateWord::Weekday,
        DateWord::Month,
        DateWord::Short,
        DateWord::Time,
        DateWord::Year,
    ];
    words.next().is_some() && words.map(item).eq(expected.map(Some))
}

/// Returns true for the text after `From ` in the first line of `git format-patch`.
pub(super) fn is_patch(rest: &[u8]) -> bool {
    let mut words = words(rest);
    words.next().is_some_and(is_object_name) && words.eq(GIT_DATE.split(|&byte| byte == b' '))
}

/// Returns true for the first word of a line of [`Shape::Address`].
pub(super) fn is_address(word: &[u8]) -> bool {
    word != b"-" && (word.contains(&b'@') || word.eq_ignore_ascii_case(b"mailer-daemon"))
}

const GIT_DATE: &[u8] = b"Mon Sep 17 00:00:00 2001";

fn is_object_name(word: &[u8]) -> bool {
    matches!(word.len(), 40 | 64) && word.iter().all(u8::is_ascii_hexdigit)
}

pub(super) fn words(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> + Clone {
    line.split(|byte| matches!(byte, b' ' | b'\t'))
        .filter(|word| !word.is_empty())
}

/// Returns the text before the date of a line that ends in `Www Mmm dd hh:mm:ss yyyy`, as nearly all do.
///
/// For other lines, the words are parsed.
fn before_plain_date(line: &[u8]) -> Option<&[u8]> {
    const WEEKDAYS: [[u8; 3]; 7] = [
        *b"Mon", *b"Tue", *b"Wed", *b"Thu", *b"Fri", *b"Sat", *b"Sun",
    ];
    const MONTHS: [[u8; 3]; 12] = [
        *b"Jan", *b"Feb", *b"Mar", *b"Apr", *b"May", *b"Jun", *b"Jul", *b"Aug", *b"Sep", *b"Oct",
        *b"Nov", *b"Dec",
    ];
    let (before, date) = line.split_last_chunk::<24>()?;
    let [
        w0,
        w1,
        w2,
        b' ',
        m0,
        m1,
        m2,
        b' ',
        d0,
        d1,
        b' ',
        h0,
        h1,
        b':',
        i0,
        i1,
        b':',
        s0,
        s1,
        b' ',
        y0,
        y1,
        y2,
        y3,
    ] = *date
    else {
        return None;
    };
    let digits = [h0, h1, i0, i1, s0, s1, y2, y3];
    let is_day = matches!((d0, d1), (b' ', b'1'..=b'9') | (b'0'..=b'9', b'0'..=b'9'));
    let is_year = matches!([y0, y1], [b'1', b'9'] | [b'2', b'0' | b'1']);
    let is_date = is_day
        && is_year
        && digits.iter().all(u8::is_ascii_digit)
        && WEEKDAYS.contains(&[w0, w1, w2])
        && MONTHS.contains(&[m0, m1, m2]);
    (is_date && matches!(before.last(), None | Some(b' ' | b'\t'))).then_some(before)
}

/// One word of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DateWord {
    Weekday,
    Month,
    /// One or two digits: a day, or a year of the twentieth century.
    Short,
    Year,
    /// A year of a program that wrote years since 1900, or put `19` before them: `103` or `19103` for 2003.
    WrongYear,
    Time,
    Zone,
    IsoDate,
    IsoDateTime,
}

/// Returns true if the last words of the line are a date.
fn ends_with_date(line: &[u8]) -> bool {
    before_plain_date(line).is_some() || last_date(line).is_some()
}

/// The date at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LastDate {
    /// Number of words of the date.
    pub words: usize,
    /// True if `remote from host` follows, as UUCP wrote it.
    pub is_remote: bool,
}

/// Returns the date at the end of a line.
///
/// A date has weekday, month, day, time and year, each once and in any order, with up to two words for the zone. It may also be an
/// ISO date and time.
pub(super) fn last_date(line: &[u8]) -> Option<LastDate> {
    let mut rest = words(line).rev();
    // UUCP: `... remote from host`
    let mut ahead = rest.clone();
    ahead.next();
    let is_remote = ahead.next() == Some(b"from") && ahead.next() == Some(b"remote");
    if is_remote {
        rest = ahead;
    }
    let (mut weekday, mut month, mut time, mut zones, mut short, mut year) =
        (0u8, 0u8, 0u8, 0u8, 0u8, 0u8);
    for (word, words) in rest.take(9).zip(1..) {
        let found = LastDate { words, is_remote };
        match item(word)? {
            DateWord::Weekday => weekday += 1,
            DateWord::Month => month += 1,
            DateWord::Short => short += 1,
            DateWord::Year | DateWord::WrongYear => year += 1,
            DateWord::Time => time += 1,
            DateWord::Zone => zones += 1,
            iso => {
                let times = u8::from(iso == DateWord::IsoDate);
                let is_alone = weekday + month + short + year == 0;
                return (time == times && zones <= 2 && is_alone).then_some(found);
            }
        }
        let days = short + year == 2 && year <= 1;
        if weekday == 1 && month == 1 && time == 1 && days {
            return (zones <= 2).then_some(found);
        }
    }
    None
}

fn item(word: &[u8]) -> Option<DateWord> {
    let word = word.strip_suffix(b",").unwrap_or(word);
    // Most words of prose fail here, before any parser runs.
    if !matches!(word.first()?, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'+' | b'-' | b'(')
        || word.len() > 32
    {
        return None;
    }
    if word[0].is_ascii_digit() {
        return all_consuming(alt((time, iso, number)))
            .parse(word)
            .ok()
            .map(|(_, item)| item);
    }
    all_consuming(alt((weekday, month, zone)))
        .parse(word)
        .ok()
        .map(|(_, item)| item)
}

fn weekday(input: &[u8]) -> IResult<&[u8], DateWord> {
    const NAMES: [&[u8]; 7] = [
        b"monday",
        b"tuesday",
        b"wednesday",
        b"thursday",
        b"friday",
        b"saturday",
        b"sunday",
    ];
    value(
        DateWord::Weekday,
        verify(letters, |word: &[u8]| names(word, &NAMES)),
    )
    .parse(input)
}

fn month(input: &[u8]) -> IResult<&[u8], DateWord> {
    const NAMES: [&[u8]; 12] = [
        b"january",
        b"february",
        b"march",
        b"april",
        b"may",
        b"june",
        b"july",
        b"august",
        b"september",
        b"october",
        b"november",
        b"december",
    ];
    value(
        DateWord::Month,
        verify(letters, |word: &[u8]| names(word, &NAMES)),
    )
    .parse(input)
}

fn letters(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while1(|byte: u8| byte.is_ascii_alphabetic()).parse(input)
}

/// Returns true for a name of the list and for its first three letters.
fn names(word: &[u8], list: &[&[u8]]) -> bool {
    let &[first, second, third, ..] = word else {
        return false;
    };
    let start = [first | 0x20, second | 0x20, third | 0x20];
    list.iter()
        .any(|name| name[..3] == start && (word.len() == 3 || name.eq_ignore_ascii_case(word)))
}

fn digits(least: usize, most: usize) -> impl Fn(&[u8]) -> IResult<&[u8], &[u8]> {
    move |input| take_while_m_n(least, most, |byte: u8| byte.is_ascii_digit()).parse(input)
}

/// Parses `h:mm` or `hh:mm:ss`, also with fractions.
fn time(input: &[u8]) -> IResult<&[u8], DateWord> {
    let seconds = (char(':'), digits(2, 2), opt((one_of(".,"), digit1)));
    value(
        DateWord::Time,
        (digits(1, 2), char(':'), digits(2, 2), opt(seconds)),
    )
    .parse(input)
}

/// Parses `2001-01-31`, alone or with `T10:30:00+01:00`.
fn iso(input: &[u8]) -> IResult<&[u8], DateWord> {
    let (input, _) = (
        digits(4, 4),
        one_of("-/"),
        digits(2, 2),
        one_of("-/"),
        digits(2, 2),
    )
        .parse(input)?;
    let (input, clock) =
        opt((one_of("Tt"), time, opt(alt((tag_no_case("z"), offset))))).parse(input)?;
    Ok((
        input,
        if clock.is_some() {
            DateWord::IsoDateTime
        } else {
            DateWord::IsoDate
        },
    ))
}

fn number(input: &[u8]) -> IResult<&[u8], DateWord> {
    let year = verify(digits(4, 4), |word: &[u8]| {
        matches!(word[..2], [b'1', b'9'] | [b'2', b'0' | b'1'])
    });
    let since_1900 = verify(digits(3, 3), |word: &[u8]| word[0] == b'1');
    alt((
        value(
            DateWord::WrongYear,
            all_consuming(preceded(opt(tag("19")), since_1900)),
        ),
        value(DateWord::Year, year),
        value(
            DateWord::Short,
            verify(digits(1, 2), |word: &[u8]| word != b"0"),
        ),
    ))
    .parse(input)
}

/// Parses `+0100`, `-08:00`, `CEST`, `(PST)` or `GMT+2`.
fn zone(input: &[u8]) -> IResult<&[u8], DateWord> {
    let upper = || take_while_m_n(1, 5, |byte: u8| byte.is_ascii_uppercase());
    let named = recognize((
        upper(),
        opt(alt((offset, recognize((one_of("+-"), digits(1, 2)))))),
    ));
    let bracketed = recognize((tag("("), upper(), tag(")")));
    value(DateWord::Zone, alt((offset, named, bracketed))).parse(input)
}

fn offset(input: &[u8]) -> IResult<&[u8], &[u8]> {
    recognize((one_of("+-"), digits(2, 2), opt(char(':')), digits(2, 2))).parse(input)
}

/// Returns true if a `From ` at `at` starts a line. `start` says whether index 0 of `data` starts one.
pub(super) fn starts_line(data: &[u8], at: usize, start: bool) -> bool {
    match at.checked_sub(1) {
        None => start,
        Some(before) => matches!(data[before], b'\n' | b'\r'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fast path and the word parser agree on lines and their mutants.
    #[test]
    fn fast_path_agrees_with_word_parser() {
        let lines: [&[u8]; 9] = [
            b"From a@b Mon Jan  1 00:00:00 2001",
            b"From MAILER-DAEMON Sun Feb 29 23:59:60 2199",
            b"From - Tue Mar 31 12:30:01 1970",
            b"From  a@b  Wed Apr 05 01:02:03 1999",
            b"From a b@c Thu May 10 01:02:03 2010",
            b"From Fri Jun 11 01:02:03 2011",
            b"From Sat Jul 12 01:02:03 2012",
            b"From a@b Sun Aug  0 01:02:03 2013",
            b"From a@b\tMon Sep 30 01:02:03 2014",
        ];
        let mut alike = [0; 2];
        let mut look = |line: &[u8]| {
            let rest = &line[5..];
            assert_eq!(
                ends_with_date(rest),
                last_date(rest).is_some(),
                "{}",
                line.escape_ascii()
            );
            if line.iter().all(|byte| (b' '..=b'~').contains(byte)) {
                assert_eq!(
                    is_plain(line),
                    are_plain_words(rest) && !is_patch(rest),
                    "{}",
                    line.escape_ascii()
                );
                alike[usize::from(is_plain(line))] += 1;
            }
        };
        for line in lines {
            for place in 5..line.len() {
                for byte in 0..=255 {
                    let mut mutant = line.to_vec();
                    mutant[place] = byte;
                    look(&mutant);
                }
                look(&[&line[..place], &line[place + 1..]].concat());
                look(&[&line[..place], b" ", &line[place..]].concat());
                look(&line[..place]);
            }
            look(line);
        }
        assert!(alike.iter().all(|count| *count > 500), "{alike:?}");
    }

    #[test]
    fn shapes_and_dates() {
        let git = "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001";
        let cases = [
            ("From ", Shape::Bare, false),
            ("From - Mon Jan 01 00:00:00 2001", Shape::Dash, true),
            (
                "From a@example.org Mon Jan  1 00:00:00 2001",
                Shape::Address,
                true,
            ),
            ("From a@example.org", Shape::Address, false),
            (
                "From MAILER-DAEMON Thu Jan  1 00:00:00 1970",
                Shape::Address,
                true,
            ),
            (
                "From 15111@xxx Mon Jan 01 00:00:00 +0000 2018",
                Shape::Address,
                true,
            ),
            (
                "From joe at example.org  Mon Jan  1 00:00:00 2001",
                Shape::At,
                true,
            ),
            ("From joe Mon Jan  1 00:00 MET DST 2001", Shape::Word, true),
            ("From joe Mon Jan  1 00:00:00 2001 CET", Shape::Word, true),
            (
                "From joe Mon, 1 Jan 2001 10:00:00 -0800 (PST)",
                Shape::Word,
                true,
            ),
            ("From joe Mon Jan  1 00:00:00 99", Shape::Word, true),
            ("From joe Mon Jan  1 00:00:00 100", Shape::Word, true),
            ("From joe Mon Jan  1 00:00:00 19103", Shape::Word, true),
            ("From joe Mon Jan  1 00:00:00 203", Shape::Word, false),
            ("From joe Mon Jan  1 00:00:00 18100", Shape::Word, false),
            (
                "From uunet!joe Mon Jan  1 00:00:00 2001 remote from uunet",
                Shape::Word,
                true,
            ),
            ("From joe 2001-01-31T10:30:00Z", Shape::Word, true),
            ("From joe 2001-01-31 10:30:00 +0100", Shape::Word, true),
            (
                "From the office of the president we hear news.",
                Shape::Word,
                false,
            ),
            (
                "From Monday 10:30 we are open, since 2001",
                Shape::Word,
                false,
            ),
            (
                "From Monday May 1 10:30 we are open, in 2001",
                Shape::Word,
                false,
            ),
            ("From 2001 on", Shape::Word, false),
            (git, Shape::Git, true),
            (
                "From 1234567890123456789012345678901234567890 Tue Sep 18 00:00:00 2001",
                Shape::Word,
                true,
            ),
        ];
        for (line, shape, dated) in cases {
            assert_eq!(
                FromLine::classify(line.as_bytes()),
                FromLine { shape, dated },
                "{line}"
            );
        }
    }

    #[test]
    fn plain_lines_are_asctime_only() {
        for sender in [
            "a@example.org",
            "-",
            "root",
            "uunet!joe",
            "MAILER-DAEMON",
            "<>",
        ] {
            assert!(is_plain(
                format!("From {sender} Mon Jan  1 00:00:00 2001").as_bytes()
            ));
        }
        for line in [
            &b"From a@example.org Mon Jan 01 00:00:00 +0000 2018"[..],
            b"From Mon Jan  1 00:00:00 2001",
            b"From a@example.org",
            b"From a@example.org Mon Jan  1 00:00:00 100",
            b"From \xe9@example.org Mon Jan  1 00:00:00 2001",
            b"From a@example.org Mon Jan  1 00:00:00 2001 remote from b",
            b"From a at example.org Mon Jan  1 00:00:00 2001",
            b"From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001",
        ] {
            assert!(!is_plain(line), "{}", line.escape_ascii());
        }
    }
}
