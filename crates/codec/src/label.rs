//! Resolves a label to a charset, with the kind of match.
//!
//! Known labels are a sorted table, generated from `data/labels.tsv`. In [`View::Mail`] an unknown label goes through a series of
//! repairs, the mildest first. If none of them helps, the result is [`Resolved::Unknown`], never a charset that merely contains
//! ASCII.
//!
//! # Limits
//! Does not interpret a label as a language or by the habits of a mailer.

mod row;

pub(crate) use row::{Means, Source};

use crate::generated::labels::{FOLDED, FOLDED_ROWS, LABELS};
use crate::iana::find as find_registered;
use crate::{Charset, code_page};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::iter;

/// The set of names in which a label is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Prefers the names of mail to those of the web, and repairs damaged labels. The default.
    Mail,
    /// Follows "get an encoding" of the WHATWG Encoding Standard (section 4.2) exactly.
    Whatwg,
    /// Accepts names and aliases of the IANA registry only.
    Iana,
}

/// The charset that a label means, with the kind of match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The label is a registered or canonical name.
    Exact(Charset),
    /// The label is a known alias.
    Alias(Charset),
    /// A repair of the label found the charset: case, separators, zeros or a typing error.
    Repaired(Charset),
    /// The label says nothing, such as `unknown-8bit` and `default`.
    NoInformation,
    /// The label names no known charset.
    Unknown,
}

impl Resolved {
    /// Returns the charset, for any kind of match.
    pub fn charset(self) -> Option<Charset> {
        match self {
            Self::Exact(c) | Self::Alias(c) | Self::Repaired(c) => Some(c),
            Self::NoInformation | Self::Unknown => None,
        }
    }

    /// Returns the result for a label that was repaired to get it.
    fn repaired(self) -> Self {
        self.charset().map_or(self, Self::Repaired)
    }

    /// Returns the result for a label that differs only in case, separators or zeros.
    fn alias(self) -> Self {
        match self {
            Self::Exact(c) => Self::Alias(c),
            other => other,
        }
    }
}

impl Charset {
    /// Resolves a label as found in a message (RFC 2045, section 5.1, WHATWG 4.2, IANA registry).
    pub fn for_label(label: &[u8], view: View) -> Resolved {
        resolve(label, view)
    }

    /// The length of a well-known label of at most 15 letters, digits and `-_.:+` that begins a text and has a mark behind it, and what
    /// [`Charset::for_label`] says of it in mail's view. None for any other label, or where the text has less than 16 bytes.
    ///
    /// ```
    /// use mailglot_codec::{Charset, Resolved};
    ///
    /// let resolved = Charset::for_label_before(b'?', b"koi8-r?B?8NLJ18XU?=");
    /// assert!(matches!(resolved, Some((6, Resolved::Exact(charset))) if charset.name() == "KOI8-R"));
    /// assert_eq!(Charset::for_label_before(b'?', b"koi8-r?="), None);
    /// ```
    // For the fast path of encoded words in mailglot-mime only.
    #[doc(hidden)]
    #[inline]
    pub fn for_label_before(mark: u8, text: &[u8]) -> Option<(usize, Resolved)> {
        before(mark, text)
    }

    /// Returns the labels that name the charset in mail, in lower case and sorted: names, aliases and typing errors, except those that a rule
    /// repairs.
    pub fn labels(self) -> impl Iterator<Item = &'static str> {
        of(self)
    }
}

/// Longest label that may name a charset.
const LONGEST: usize = 128;
/// Shorter labels are too near to each other to be repaired by edit distance.
const SHORTEST_NEAR: usize = 7;

fn resolve(label: &[u8], view: View) -> Resolved {
    match view {
        View::Whatwg => on_the_web(label),
        View::Iana => in_the_registry(label),
        View::Mail if label.len() > LONGEST => Resolved::Unknown,
        View::Mail if let Some(found) = short(label) => found,
        View::Mail if let Some(row) = row(label) => answer(row),
        View::Mail => in_mail(&lower(label)).unwrap_or(Resolved::Unknown),
    }
}

fn in_the_registry(label: &[u8]) -> Resolved {
    let Some(entry) = find_registered(label) else {
        return Resolved::Unknown;
    };
    let named = |name: &str| name.as_bytes().eq_ignore_ascii_case(label);
    match entry.charset() {
        Some(charset) if named(entry.name) || entry.mime.is_some_and(named) => {
            Resolved::Exact(charset)
        }
        Some(charset) => Resolved::Alias(charset),
        None => match row(label) {
            Some((_, Means::Nothing, _)) => Resolved::NoInformation,
            _ => Resolved::Unknown,
        },
    }
}

fn lower(label: &[u8]) -> String {
    // No label of the table has a non-ASCII byte, so its replacement does not matter.
    label
        .iter()
        .map(|b| char::from(b.to_ascii_lowercase()))
        .collect()
}

fn on_the_web(label: &[u8]) -> Resolved {
    let Some(encoding) = encoding_rs::Encoding::for_label(label) else {
        return Resolved::Unknown;
    };
    match of_encoding(encoding) {
        Some(charset) => named(lower(label).trim_ascii(), charset),
        // x-user-defined and replacement are no charsets.
        None => Resolved::NoInformation,
    }
}

/// The charset of the same name as a WHATWG encoding.
pub(crate) fn of_encoding(encoding: &'static encoding_rs::Encoding) -> Option<Charset> {
    Charset::all().find(|c| c.name().eq_ignore_ascii_case(encoding.name()))
}

const fn named(label: &str, charset: Charset) -> Resolved {
    if charset.name().eq_ignore_ascii_case(label) {
        Resolved::Exact(charset)
    } else {
        Resolved::Alias(charset)
    }
}

/// The labels of the table that mean a charset.
fn of(charset: Charset) -> impl Iterator<Item = &'static str> {
    LABELS
        .iter()
        .filter(move |(_, means, _)| *means == Means::Is(charset))
        .map(|(label, ..)| *label)
}

type LabelRow = (&'static str, Means, Source);

/// Step 1: finds the row of a label, ignoring case. Uses a hash table of twice the size, because every part and word needs a lookup.
fn row(label: &[u8]) -> Option<&'static LabelRow> {
    let mut at = hash(label) % SLOTS;
    while let Some(found) = LABELS.get(usize::from(ROWS[at])) {
        if found.0.as_bytes().eq_ignore_ascii_case(label) {
            return Some(found);
        }
        at = (at + 1) % SLOTS;
    }
    None
}

/// The number of slots of the hash tables, a power of two.
const SLOTS: usize = LABELS.len().next_power_of_two() * 2;
/// A slot without a row.
const VACANT: u16 = u16::MAX;

/// The rows of `LABELS` by the hash of their labels.
static ROWS: [u16; SLOTS] = {
    let mut slots = [VACANT; SLOTS];
    let mut row = 0;
    while row < LABELS.len() {
        let mut at = hash(LABELS[row].0.as_bytes()) % SLOTS;
        while slots[at] != VACANT {
            at = (at + 1) % SLOTS;
        }
        slots[at] = row as u16;
        row += 1;
    }
    slots
};

/// Resolves a label of at most 16 bytes, which nearly all are. Equals the result of [`row`], in one comparison.
fn short(label: &[u8]) -> Option<Resolved> {
    Slot::find(packed(label)?).map(|slot| slot.resolved)
}

/// See [`Charset::for_label_before`].
#[inline]
fn before(mark: u8, text: &[u8]) -> Option<(usize, Resolved)> {
    const ONES: u128 = u128::MAX / 0xFF;
    let number = u128::from_le_bytes(*text.first_chunk()?);
    // The lowest bit that is set is that of the first byte that is the mark.
    let other = number ^ (ONES * u128::from(mark));
    let marks = other.wrapping_sub(ONES) & !other & (ONES * 0x80);
    let len = marks.trailing_zeros() as usize / 8;
    let label = number & !u128::MAX.checked_shl(8 * len as u32)?;
    let slot = Slot::find(u128::from_le_bytes(
        label.to_le_bytes().map(|byte| byte.to_ascii_lowercase()),
    ))?;
    // NUL at the end does not show in the number.
    (slot.is_name && slot.len() == len).then_some((len, slot.resolved))
}

/// A label of at most 16 bytes, and its answer.
struct Slot {
    /// See [`packed`]; 0 for other labels.
    number: u128,
    resolved: Resolved,
    /// It has letters, digits and the usual signs only.
    is_name: bool,
}

/// The answers for the rows of `LABELS`.
static ANSWERS: [Slot; LABELS.len()] = {
    let mut answers = [const {
        Slot {
            number: 0,
            resolved: Resolved::Unknown,
            is_name: false,
        }
    }; LABELS.len()];
    let mut row = 0;
    while row < LABELS.len() {
        answers[row] = Slot::new(&LABELS[row]);
        row += 1;
    }
    answers
};

/// The rows of those answers by their numbers.
static SHORT: [u16; SLOTS] = {
    let mut slots = [VACANT; SLOTS];
    let mut row = 0;
    while row < LABELS.len() {
        let number = ANSWERS[row].number;
        if number != 0 {
            let mut at = Slot::first(number);
            while slots[at] != VACANT {
                at = (at + 1) % SLOTS;
            }
            slots[at] = row as u16;
        }
        row += 1;
    }
    slots
};

impl Slot {
    /// Returns the slot of a label, or the slot behind it.
    #[inline]
    const fn first(number: u128) -> usize {
        let mixed = (number as u64 ^ ((number >> 64) as u64).rotate_left(23))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - SLOTS.ilog2())) as usize
    }

    #[inline]
    fn find(number: u128) -> Option<&'static Self> {
        let mut at = Self::first(number);
        loop {
            let slot = ANSWERS.get(usize::from(SHORT[at % SLOTS]))?;
            if slot.number == number {
                return Some(slot);
            }
            at += 1;
        }
    }

    const fn new(row: &'static LabelRow) -> Self {
        let label = row.0.as_bytes();
        let (mut number, mut is_name, mut at) = (0, true, 0);
        while at < label.len() {
            is_name &= is_of_name(label[at]);
            if at < 16 {
                number |= (label[at].to_ascii_lowercase() as u128) << (8 * at);
            }
            at += 1;
        }
        Self {
            number: if label.len() <= 16 { number } else { 0 },
            resolved: answer(row),
            is_name,
        }
    }

    fn len(&self) -> usize {
        (u128::BITS - self.number.leading_zeros()).div_ceil(8) as usize
    }
}

/// Returns true for bytes that occur in names of charsets.
pub(crate) const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'+')
}

/// Returns a label of 1 to 16 bytes as a number, in lower case. `None` for other lengths and labels with NUL.
fn packed(label: &[u8]) -> Option<u128> {
    /// Bytes by which two pieces of a label overlap are the same in both.
    fn ends<const N: usize>(label: &[u8]) -> Option<([u8; N], [u8; N])> {
        Some((*label.first_chunk()?, *label.last_chunk()?))
    }
    let behind = |len: usize| 8 * (label.len() - len);
    let number = match label.len() {
        8..=16 => {
            let (first, last) = ends::<8>(label)?;
            u128::from(u64::from_le_bytes(first))
                | u128::from(u64::from_le_bytes(last)) << behind(8)
        }
        4..8 => {
            let (first, last) = ends::<4>(label)?;
            u128::from(u32::from_le_bytes(first))
                | u128::from(u32::from_le_bytes(last)) << behind(4)
        }
        1..4 => label
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u128::from(*byte)),
        _ => return None,
    };
    // A zero byte borrows from its highest bit. No zero byte behind the label counts.
    let behind = u128::MAX.checked_shl(8 * label.len() as u32).unwrap_or(0);
    let filled = number | behind;
    let has_nul = filled.wrapping_sub(u128::MAX / 0xFF) & !filled & (u128::MAX / 0xFF * 0x80) != 0;
    let lower = number.to_le_bytes().map(|byte| byte.to_ascii_lowercase());
    (!has_nul).then(|| u128::from_le_bytes(lower))
}

/// Hashes eight bytes a step, ignoring case.
const fn hash(label: &[u8]) -> usize {
    let (words, rest) = label.as_chunks();
    let (mut hash, mut at) = (label.len() as u64, 0);
    while at < words.len() {
        hash = hash_step(hash, u64::from_le_bytes(words[at]));
        at += 1;
    }
    let (mut word, mut at) = (0, 0);
    while at < rest.len() {
        word = word << 8 | rest[at] as u64;
        at += 1;
    }
    hash_step(hash, word) as usize
}

const fn hash_step(hash: u64, word: u64) -> u64 {
    (hash ^ (word | 0x2020_2020_2020_2020))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(29)
}

const fn answer(row: &'static LabelRow) -> Resolved {
    let (label, means, source) = row;
    match (means, source) {
        (Means::Is(charset), Source::IanaName) => Resolved::Exact(*charset),
        (Means::Is(charset), Source::Slip) => Resolved::Repaired(*charset),
        (Means::Is(charset), _) => named(label, *charset),
        (Means::Nothing, _) => Resolved::NoInformation,
        (Means::Foreign, _) => Resolved::Unknown,
    }
}

/// The further steps of mail's view; the first that finds something ends them.
fn in_mail(label: &str) -> Option<Resolved> {
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
            && let Some(row) = row(name.as_bytes())
        {
            return Some(answer(row).repaired());
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
    row(label.trim_matches(is_wrapping).as_bytes()).and_then(|row| answer(row).charset())
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
    let found = row(codeset.as_bytes())
        .map(answer)
        .or_else(|| folded(codeset))?;
    fits.then(|| found.repaired())
}

/// Step 4: compared without separators and without the leading zeros of numbers.
fn folded(label: &str) -> Option<Resolved> {
    let key = fold(label);
    if key.is_empty() {
        return None;
    }
    // Each key ends where the next one begins.
    let end = |at: usize| {
        FOLDED_ROWS
            .get(at + 1)
            .map_or(FOLDED.len(), |next| next.0.into())
    };
    let (mut low, mut high) = (0, FOLDED_ROWS.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let (start, row) = FOLDED_ROWS[middle];
        match FOLDED[start.into()..end(middle)].cmp(&key) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return LABELS.get(usize::from(row)).map(answer),
        }
    }
    None
}

fn fold(label: &str) -> String {
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

fn is_separator(c: char) -> bool {
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
        if telling && let Some(row) = row(name.as_bytes()) {
            if is_family(name) && label[at..].starts_with(is_separator) {
                return None;
            }
            return Some(answer(row).repaired());
        }
    }
    None
}

/// Step 7: one slip away from the labels of exactly one charset.
fn near(label: &str) -> Option<Resolved> {
    if label.len() < SHORTEST_NEAR || !label.is_ascii() {
        return None;
    }
    let mut found: Option<&LabelRow> = None;
    for row in LABELS
        .iter()
        .filter(|row| row.2 != Source::Slip && one_slip(row.0.as_bytes(), label.as_bytes()))
    {
        match found {
            Some(other) if other.1 != row.1 => return None,
            _ => found = Some(row),
        }
    }
    found
        .filter(|row| matches!(row.1, Means::Is(_)))
        .map(|row| answer(row).repaired())
}

/// One character too many, too few, or another.
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
        ([_, rest_a @ ..], [_, rest_b @ ..]) => rest_a == rest_b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one of several labels with the same folded key that it leads to.
    fn heir(rows: &[(String, &'static LabelRow)]) -> Option<&'static LabelRow> {
        let best = |row: &LabelRow| match row.2 {
            Source::IanaName | Source::Iana => 0,
            Source::Web => 1,
            Source::Mail | Source::Slip => 2,
        };
        let alike = |a: Means, b: Means| match (a, b) {
            (Means::Is(a), Means::Is(b)) => a.superset() == b.superset(),
            (a, b) => a == b,
        };
        let all = || rows.iter().map(|(_, row)| *row);
        let first = all().min_by_key(|row| best(row))?;
        all()
            .filter(|row| best(row) == best(first))
            .all(|row| alike(row.1, first.1))
            .then_some(first)
    }

    #[test]
    fn folded_labels_lead_to_the_label_of_the_best_source() {
        let mut rows: Vec<(String, &'static LabelRow)> = LABELS
            .iter()
            .filter(|row| row.2 != Source::Slip)
            .map(|row| (fold(row.0), row))
            .collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let mut keys = 0;
        for same in rows.chunk_by(|a, b| a.0 == b.0) {
            let key = &same[0].0;
            let expected = heir(same).filter(|_| !key.is_empty()).map(answer);
            assert_eq!(folded(same[0].1.0), expected, "{key}");
            keys += u32::from(expected.is_some());
        }
        assert!(keys > 1500, "{keys}");
        assert_eq!(folded("no such charset"), None);
    }

    #[test]
    fn short_labels_are_answered_as_their_rows() {
        let mut found = 0;
        for (name, ..) in LABELS {
            let mut label = name.as_bytes().to_vec();
            for place in 0..=label.len() {
                let kept = label.get(place).copied();
                let others = [b'a', b'Z', b'-', b'_', b'@', 0x0D, 0x7F, 0, 0xFF].into_iter();
                for byte in others.chain(kept.map(|byte| byte.to_ascii_uppercase())) {
                    if let Some(at) = label.get_mut(place) {
                        *at = byte;
                    }
                    let want = row(&label).filter(|_| label.len() <= 16).map(answer);
                    assert_eq!(short(&label), want, "{}", label.escape_ascii());
                    found += u32::from(want.is_some());
                }
                if let Some((at, byte)) = label.get_mut(place).zip(kept) {
                    *at = byte;
                }
            }
        }
        assert!(found > 10_000, "{found}");
    }

    fn mail(label: &str) -> Resolved {
        Charset::for_label(label.as_bytes(), View::Mail)
    }

    #[test]
    fn the_table_is_what_the_data_says() {
        let Some(data) = crate::repository_file::read("data/labels.tsv") else {
            return;
        };
        let mut rows = LABELS.iter().map(|(label, means, source)| {
            let means = match means {
                Means::Is(charset) => charset.name(),
                Means::Nothing => "-",
                Means::Foreign => "?",
            };
            (*label, means, *source)
        });
        let mut count = 0;
        for line in data.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.split('\t');
            let (label, means, registry) = (
                columns.next().unwrap(),
                columns.next().unwrap(),
                columns.next().unwrap(),
            );
            let source = match registry.split('+').next().unwrap() {
                "iana-name" => Source::IanaName,
                "iana" => Source::Iana,
                "whatwg" => Source::Web,
                "mail" => Source::Mail,
                "slip" => Source::Slip,
                other => panic!("registry {other}"),
            };
            assert!(
                label.is_ascii() && label == label.to_ascii_lowercase(),
                "{label}"
            );
            assert_eq!(
                rows.next(),
                Some((label, means, source)),
                "run the example `labels` again"
            );
            count += 1;
        }
        assert_eq!(rows.next(), None);
        assert!(count > 1600);
        assert!(LABELS.windows(2).all(|w| w[0].0 < w[1].0));
    }

    #[test]
    fn every_charset_is_found_by_its_name() {
        for charset in Charset::all() {
            assert_eq!(mail(charset.name()), Resolved::Exact(charset));
            assert_eq!(
                mail(&charset.name().to_uppercase()),
                Resolved::Exact(charset)
            );
        }
    }

    #[test]
    fn kinds_of_match() {
        use Resolved::{Alias, Exact, NoInformation, Repaired, Unknown};
        let utf8 = Charset::UTF_8;
        let latin1 = Charset::ISO_8859_1;
        for (label, expected) in [
            ("utf-8", Exact(utf8)),
            ("ISO_8859-1:1987", Exact(latin1)),
            ("latin1", Alias(latin1)),
            ("utf8", Alias(utf8)),
            ("UTF 8", Alias(utf8)),
            ("u.t.f.8", Alias(utf8)),
            ("iso-8859-001", Alias(latin1)),
            ("ISO 8859 15", Alias(Charset::ISO_8859_15)),
            ("x-cp-01251", Alias(Charset::WINDOWS_1251)),
            ("cp_028592", Alias(Charset::ISO_8859_2)),
            ("codepage 65001", Alias(utf8)),
            ("win_1252", Alias(Charset::WINDOWS_1252)),
            (" UTF-8", Alias(utf8)),
            ("utf-8\u{A0}", Repaired(utf8)),
            ("`utf-8`", Repaired(utf8)),
            ("'iso-8859-2", Repaired(Charset::ISO_8859_2)),
            ("\\\"koi8-r\\\"", Repaired(Charset::KOI8_R)),
            ("koi8-r; format=flowed", Repaired(Charset::KOI8_R)),
            ("koi8-r*ru", Repaired(Charset::KOI8_R)),
            ("koi8-r//IGNORE", Repaired(Charset::KOI8_R)),
            ("koi8-r (Cyrillic)", Repaired(Charset::KOI8_R)),
            ("(comment) koi8-r", Repaired(Charset::KOI8_R)),
            ("charset=gb2312", Repaired(Charset::GB2312)),
            ("3Dkoi8-r", Repaired(Charset::KOI8_R)),
            ("=big5", Repaired(Charset::BIG5)),
            ("x-tis-620", Repaired(Charset::TIS_620)),
            ("koi8-r.", Alias(Charset::KOI8_R)),
            ("ru_RU.KOI8-R@euro", Repaired(Charset::KOI8_R)),
            ("de_DE.ISO88591", Repaired(latin1)),
            ("iso-8859-2<br>", Repaired(Charset::ISO_8859_2)),
            ("us-asciii", Repaired(Charset::US_ASCII)),
            ("us-asii", Repaired(Charset::US_ASCII)),
            ("iso-8858-1", Repaired(latin1)),
            ("iso-2022-pj", Unknown),
            ("windos-1251", Repaired(Charset::WINDOWS_1251)),
            ("windows-1259", Unknown),
            ("koi8-r, utf-8", NoInformation),
            ("utf-8 iso-8859-2", NoInformation),
            ("unknown-8bit", NoInformation),
            ("DEFAULT", NoInformation),
            ("replacement", NoInformation),
            ("x-user-defined", NoInformation),
            ("", Unknown),
            ("klingon", Unknown),
            ("iso-2022-int-1", Unknown),
            ("viscii", Exact(Charset::VISCII)),
            ("unicode", Alias(Charset::UTF_16)),
            ("646", Alias(Charset::US_ASCII)),
            ("cp1255", Alias(Charset::WINDOWS_1255)),
            ("win", Alias(Charset::WINDOWS_1251)),
        ] {
            assert_eq!(mail(label), expected, "{label:?}");
        }
        assert_eq!(Charset::for_label(b"utf-8\xA0", View::Mail), Repaired(utf8));
        assert_eq!(mail(&"x".repeat(1_000_000)), Unknown);
        assert_eq!(mail(&"-".repeat(100)), Unknown);
    }

    #[test]
    fn numbers_that_no_part_of_a_family_has_are_not_read_as_others() {
        let known = |part: u64| (1..=16).contains(&part) && part != 12;
        // Far numbers, and those that lead to code pages when something is added to them in 32 bits.
        let far = [1987, 5132, 10_008, 21_630, u64::from(u32::MAX), u64::MAX];
        let pages = (0..66_000).map(|page| (1_u64 << 32) + page - 28_590);
        for part in (1..2_000).chain(far).chain(pages) {
            for family in [
                "iso-8859-",
                "ISO_8859-",
                "iso8859_",
                "8859-",
                "x-iso-8859-",
                "iso-8859 ",
            ] {
                let found = mail(&format!("{family}{part}")).charset();
                let want = Charset::for_name(&format!("ISO-8859-{part}")).filter(|_| known(part));
                assert_eq!(
                    found.map(Charset::superset),
                    want.map(Charset::superset),
                    "{family}{part}"
                );
            }
        }
        for label in [
            "iso-8859-Z2",
            "iso8859-foo",
            "\"iso-8859-22\"",
            "charset=3Diso-8859-22",
            "iso-8859-22; x=y",
            "iso-8859-+5x",
        ] {
            assert_eq!(mail(label), Resolved::Unknown, "{label}");
        }
        for label in ["iso-10646-ucs-5", "iso-10646-klingon"] {
            assert_eq!(mail(label), Resolved::Unknown, "{label}");
        }
        // A text that is no part number does not hide the name.
        for label in [
            "iso-8859<br>",
            "iso-8859;",
            "iso-8859-",
            "iso-8859-1-latin",
            "iso-8859-1:1988",
        ] {
            assert_eq!(mail(label).charset(), Some(Charset::ISO_8859_1), "{label}");
        }
    }

    /// Each spelling of a part of ISO 8859, or of a Windows code page, means the same charset.
    #[test]
    fn all_spellings_of_a_number_agree() {
        let mut seen = 0;
        let mut check = |label: &str, want: &str| {
            let want = Charset::for_name(want).map(Charset::superset);
            assert!(want.is_some());
            assert_eq!(
                mail(label).charset().map(Charset::superset),
                want,
                "{label}"
            );
            seen += 1;
        };
        let separators = ["", "-", "_", " ", ".", ":"];
        for part in (1..=16).filter(|part| *part != 12) {
            let want = format!("ISO-8859-{part}");
            for name in ["iso", "ISO", "Iso", "x-iso", "X-ISO", ""] {
                for first in separators
                    .iter()
                    .filter(|first| !name.is_empty() || first.is_empty())
                {
                    for second in separators {
                        check(&format!("{name}{first}8859{second}{part}"), &want);
                    }
                }
            }
        }
        for page in (1250..=1258).chain([874]) {
            let want = format!("windows-{page}");
            for name in [
                "windows",
                "Windows",
                "win",
                "cp",
                "CP",
                "x-cp",
                "x-windows",
                "x-win",
                "ms",
                "microsoft-cp",
            ] {
                for separator in separators {
                    check(&format!("{name}{separator}{page}"), &want);
                }
            }
        }
        assert!(seen > 2_500, "{seen}");
        for label in ["iso8859_9", "iso8859-9", "ISO_8859_9", "x-iso-8859_9"] {
            assert_eq!(mail(label).charset(), Some(Charset::ISO_8859_9), "{label}");
        }
    }

    /// Every label but those that two standards give to different charsets is found by any spelling of its separators.
    #[test]
    fn separators_do_not_count() {
        let mut seen = 0;
        for (label, means, source) in LABELS.iter().filter(|row| row.2 != Source::Slip) {
            let Means::Is(charset) = means else { continue };
            if label.contains(|c: char| !c.is_ascii_alphanumeric() && !is_separator(c)) {
                continue;
            }
            for other in [
                label.replace('-', "_"),
                label.replace('_', "-"),
                label.replace(['-', '_'], "."),
            ] {
                let found = mail(&other).charset();
                assert!(
                    found.is_some() || fold(label).starts_with("isoir9"),
                    "{other}"
                );
                // A registered name stands before others that are spelled nearly so; one that is a row itself is that row.
                if matches!(source, Source::IanaName | Source::Iana)
                    && row(other.as_bytes()).is_none()
                {
                    let registered = found.map(Charset::superset) == Some(charset.superset());
                    assert!(
                        registered || fold(label).starts_with("isoir9"),
                        "{other} of {label}: {found:?}"
                    );
                }
                seen += 1;
            }
        }
        assert!(seen > 4_000, "{seen}");
        for (label, charset) in [
            ("ms-kanji", Charset::SHIFT_JIS),
            ("iso_ir_58", Charset::GB2312),
            ("ks-c-5601-1987", Charset::KS_C_5601_1987),
            ("ks c 5601 1987", Charset::KS_C_5601_1987),
            ("euc cn", Charset::GB2312),
        ] {
            assert_eq!(mail(label), Resolved::Alias(charset), "{label}");
        }
        assert_eq!(mail("iso_ir_91"), Resolved::Unknown);
    }

    #[test]
    fn the_registry_is_taken_at_its_word() {
        let iana = |label: &str| Charset::for_label(label.as_bytes(), View::Iana);
        assert_eq!(
            iana("ISO_8859-1:1987"),
            Resolved::Exact(Charset::ISO_8859_1)
        );
        assert_eq!(iana("l1"), Resolved::Alias(Charset::ISO_8859_1));
        assert_eq!(iana("iso-8859-1"), Resolved::Exact(Charset::ISO_8859_1));
        assert_eq!(iana("utf8"), Resolved::Unknown);
        assert_eq!(iana(" utf-8"), Resolved::Unknown);
        assert_eq!(iana("csUTF8"), Resolved::Alias(Charset::UTF_8));
        assert_eq!(iana("UNKNOWN-8BIT"), Resolved::NoInformation);
    }

    #[test]
    fn no_repair_leads_from_a_known_charset_to_another() {
        for (label, means, _) in LABELS {
            if *means == Means::Foreign {
                assert_eq!(mail(label), Resolved::Unknown);
                // Nor does one in quotes or with something behind it.
                assert_eq!(mail(&format!("\"{label}\"")).charset(), None, "{label}");
                assert_eq!(mail(&format!("{label};x")).charset(), None, "{label}");
            }
        }
    }
}
