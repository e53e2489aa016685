//! Resolves labels that the table lacks, by repairs, the mildest first.
//!
//! # Limits
//! Does not repair short labels by edit distance: they are too near to each other.

use super::lookup::{MEANINGS, NAMES, SOURCES, answer, answer_at};
use super::resolved::Resolved;
use super::row::{Means, Source};
use crate::charset::Charset;
use crate::code_page;
use crate::generated::labels::FOLDED;
use crate::string_table::{StringTable, column, total_len};
use std::borrow::Cow;
use std::iter;

/// Shorter labels are too near to each other to be repaired by edit distance.
const SHORTEST_NEAR: usize = 7;

/// The further steps of mail's view; the first that finds something ends them.
pub(super) fn in_mail(label: &str) -> Option<Resolved> {
    if let Some(found) = part_before_number(label.trim_matches(is_wrapping)) {
        return Some(Resolved::Repaired(found));
    }
    // A name of letters, digits and separators only, before anything is taken off it: `ISO 8859 15`.
    if let Some(found) = folded(label).or_else(|| code_page(label).map(Resolved::Alias)) {
        return Some(found.alias());
    }
    if is_part_that_is_not(label.trim_matches(is_wrapping)) {
        return None;
    }
    let bare = bare(label);
    let bare = bare.as_ref();
    if let Some(found) = clean(label) {
        return Some(found);
    }
    locale(bare)
        .or_else(|| folded(bare).map(Resolved::repaired))
        .or_else(|| code_page(bare).map(Resolved::Repaired))
        .or_else(|| prefix(bare))
        .or_else(|| near(bare))
}

/// Step 2: without what does not belong to the name. A list of two charsets says nothing.
fn clean(label: &str) -> Option<Resolved> {
    if let Some((first, second)) = label.split_once([',', ' ', ';'])
        && let (Some(_), Some(_)) = (known(first), known(second.trim_start()))
    {
        return Some(Resolved::NoInformation);
    }
    let bare = bare(label);
    let mut name = bare.as_ref();
    loop {
        if name != label
            && let Some(found) = answer(name.as_bytes())
        {
            return Some(found.repaired());
        }
        name = without_prefix(name)?;
    }
}

/// Returns a name without a known prefix.
fn without_prefix(name: &str) -> Option<&str> {
    let rest = ["charset=", "3d", "=", "x-"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))?;
    Some(rest.trim_matches(is_wrapping))
}

fn known(label: &str) -> Option<Charset> {
    answer(label.trim_matches(is_wrapping).as_bytes()).and_then(Resolved::charset)
}

fn is_wrapping(c: char) -> bool {
    // A byte A0 alone, or the two bytes of U+00A0, each as the character of its number.
    matches!(c, '"' | '\'' | '\\' | '`' | '\u{A0}' | '\u{C2}')
        || c.is_ascii_whitespace()
        || c == '\u{B}'
}

/// Returns the label without quotes, comments and text behind the name.
fn bare(label: &str) -> Cow<'_, str> {
    let is_tail = |c: char| is_wrapping(c) || c.is_ascii_punctuation();
    let mut name = label.trim_matches(is_wrapping);
    if name.starts_with('(')
        && let Some((_, behind)) = name.split_once(')')
    {
        name = behind.trim_matches(is_wrapping);
    }
    for prefix in ["charset=", "="] {
        name = name
            .strip_prefix(prefix)
            .unwrap_or(name)
            .trim_start_matches(is_wrapping);
    }
    let cut = name
        .find(|c: char| matches!(c, ';' | ',' | '*' | '(') || is_wrapping(c))
        .unwrap_or(name.len());
    let cut = name.find("//").map_or(cut, |at| at.min(cut));
    Cow::Borrowed(name[..cut].trim_end_matches(is_tail))
}

/// Step 3: the code set of a POSIX locale, `ru_RU.KOI8-R@euro`.
fn locale(label: &str) -> Option<Resolved> {
    let (place, codeset) = label.split_once('.')?;
    let mut parts = place.split('_');
    let language = parts.next()?;
    let fits = matches!(language.len(), 1..=3)
        && language.bytes().all(|b| b.is_ascii_lowercase())
        && parts.next().is_none_or(|country| country.len() == 2)
        && parts.next().is_none();
    let codeset = codeset.split('@').next().unwrap_or(codeset);
    let found = answer(codeset.as_bytes()).or_else(|| folded(codeset))?;
    fits.then(|| found.repaired())
}

/// Step 4: compared without separators and without the leading zeros of numbers.
pub(super) fn folded(label: &str) -> Option<Resolved> {
    let key = fold(label);
    if key.is_empty() {
        return None;
    }
    let place = KEYS.find(|known| known.cmp(key.as_bytes()))?;
    Some(answer_at(KEY_ROWS[place].into()))
}

/// The labels without separators and leading zeros, sorted.
static KEYS: StringTable<{ FOLDED.len() }, { total_len(&KEY_TEXTS) }> =
    StringTable::new(&KEY_TEXTS);

static KEY_TEXTS: [&str; FOLDED.len()] = column!(FOLDED, 0, "");

/// The row of each of them.
static KEY_ROWS: [u16; FOLDED.len()] = column!(FOLDED, 1, 0);

pub(super) fn fold(label: &str) -> String {
    let mut key = String::with_capacity(label.len());
    let mut in_number = false;
    let mut chars = label.chars().peekable();
    while let Some(c) = chars.next() {
        let leading_zero = c == '0' && !in_number && chars.peek().is_some_and(char::is_ascii_digit);
        in_number = c.is_ascii_digit() && !leading_zero;
        if !leading_zero && !is_separator(c) {
            key.push(c);
        }
    }
    key
}

pub(super) fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | ' ' | '.' | ':' | '+')
}

/// Step 5: numbers of code pages, and parts of ISO 8859.
fn code_page(label: &str) -> Option<Charset> {
    let rest = label.strip_prefix("x-").unwrap_or(label);
    if let Some(part) = part_of_8859(rest) {
        return iso_8859(part);
    }
    let number = [
        "codepage",
        "windows",
        "win",
        "dos",
        "ibm",
        "cp",
        "microsoft-cp",
        "ms",
        "",
    ]
    .iter()
    .find_map(|prefix| rest.strip_prefix(prefix))?
    .trim_start_matches(SEPARATORS);
    if !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    code_page::by_number(number.parse().ok()?)
}

/// Separators between the name of a family and its number.
const SEPARATORS: [char; 5] = ['-', '_', ' ', '.', ':'];

/// Returns the text behind the name of ISO 8859.
fn part_of_8859(label: &str) -> Option<&str> {
    let rest = label
        .strip_prefix("iso")
        .unwrap_or(label)
        .trim_start_matches(SEPARATORS);
    rest.strip_prefix("8859")
        .map(|part| part.trim_start_matches(SEPARATORS))
}

/// Returns a part of ISO 8859 by its number: 1 to 16, except 12, which was never published.
fn iso_8859(part: &str) -> Option<Charset> {
    let number = part
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| part.parse::<u32>().ok())??;
    (1..=16)
        .contains(&number)
        .then(|| code_page::by_number(28590 + number))?
}

/// Returns the part of ISO 8859 with another number behind it: `iso-8859-1-1`, `iso88591-1`. Both numbers side by side would be another part.
fn part_before_number(label: &str) -> Option<Charset> {
    let part = part_of_8859(label.strip_prefix("x-").unwrap_or(label))?;
    let (number, behind) = part.split_once(SEPARATORS)?;
    let has_number = !number.is_empty() && behind.starts_with(|c: char| c.is_ascii_digit());
    has_number.then(|| iso_8859(number))?
}

/// Returns true if a label has a nonexistent part number of ISO 8859. Such a label names no other part, however similar.
fn is_part_that_is_not(label: &str) -> bool {
    let label = iter::successors(Some(label), |label| without_prefix(label))
        .last()
        .unwrap_or(label);
    let Some(part) = part_of_8859(label) else {
        return false;
    };
    let number = &part[..part.bytes().take_while(u8::is_ascii_digit).count()];
    let ends = part[number.len()..]
        .chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric());
    let is_known = || iso_8859(number).is_some() || folded(&format!("iso-8859-{number}")).is_some();
    !number.is_empty() && ends && !is_known()
}

/// Returns true if a name is common to unrelated charsets, so that it means little without the text behind it.
fn is_family(name: &str) -> bool {
    matches!(fold(name).as_str(), "8859" | "iso8859" | "iso10646")
}

/// Step 6: finds the longest known name at the start that ends there. Ignores short names, words, and families with an unknown part.
fn prefix(label: &str) -> Option<Resolved> {
    let cuts = label
        .char_indices()
        .rev()
        .filter(|(_, c)| !c.is_ascii_alphanumeric());
    for (at, _) in cuts {
        let name = &label[..at];
        let telling =
            name.len() >= 8 || name.len() >= 4 && name.bytes().any(|b| b.is_ascii_digit());
        if telling && let Some(found) = answer(name.as_bytes()) {
            if is_family(name) && label[at..].starts_with(is_separator) {
                return None;
            }
            return Some(found.repaired());
        }
    }
    None
}

/// Step 7: one slip away from the labels of exactly one charset. Another number at the end is no slip: `mac-latin3` is not `mac-latin2`.
fn near(label: &str) -> Option<Resolved> {
    if label.len() < SHORTEST_NEAR || !label.is_ascii() {
        return None;
    }
    let mut found: Option<(usize, Means)> = None;
    for (row, means) in MEANINGS.iter().enumerate() {
        if SOURCES[row] == Source::Slip || !one_slip(NAMES.bytes(row), label.as_bytes()) {
            continue;
        }
        match found {
            Some((_, other)) if other != *means => return None,
            _ => found = Some((row, *means)),
        }
    }
    found
        .filter(|(_, means)| matches!(means, Means::Is(_)))
        .filter(|(row, _)| !has_other_number(NAMES.bytes(*row), label.as_bytes()))
        .map(|(row, _)| answer_at(row).repaired())
}

/// Returns true if both names end in a number of one or two digits, and the numbers differ.
fn has_other_number(a: &[u8], b: &[u8]) -> bool {
    let number = |name: &[u8]| {
        let digits = name.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        name.len() - digits
    };
    let (a, b) = (&a[number(a)..], &b[number(b)..]);
    (1..=2).contains(&a.len()) && (1..=2).contains(&b.len()) && a != b
}

/// One character too many, too few, or another, or two characters in reverse order.
fn one_slip(a: &[u8], b: &[u8]) -> bool {
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a, b) {
        ([], []) => false,
        ([_, rest @ ..], other) if rest == other => true,
        (other, [_, rest @ ..]) if rest == other => true,
        ([one, next, rest_a @ ..], [first, second, rest_b @ ..])
            if (one, next) == (second, first) && rest_a == rest_b =>
        {
            true
        }
        ([_, rest_a @ ..], [_, rest_b @ ..]) => rest_a == rest_b,
        _ => false,
    }
}
