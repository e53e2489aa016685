//! Charset labels on the command line: what a label names, and near names for one that names nothing.
//!
//! # Limits
//!
//! Only preferred names are suggested, not aliases.

use mailglot_codec::{Charset, Resolved, View};

/// Most names in a suggestion.
const MOST: usize = 3;

/// The charset of a label that a person typed. Slips that are repaired in mail are refused here, with a suggestion:
/// whoever typed them can answer.
pub(crate) fn charset(label: &str) -> Result<Charset, String> {
    match Charset::for_label(label.as_bytes(), View::Mail) {
        Resolved::Exact(charset) | Resolved::Alias(charset) => Ok(charset),
        Resolved::Repaired(charset) => Err(unknown(label, &[charset.name()])),
        Resolved::NoInformation | Resolved::Unknown => Err(unknown(label, &near(label))),
    }
}

/// A label and what it means: `A=B`. A may be any text; UTF-8 is none, since what is written in UTF-8 says so.
pub(crate) fn mapping(text: &str) -> Result<(String, Charset), String> {
    let Some((label, meaning)) = text.split_once('=').filter(|(label, _)| !label.trim().is_empty()) else {
        return Err("expected LABEL=CHARSET, such as `iso-8859-1=windows-1254`".to_owned());
    };
    if Charset::for_label(label.as_bytes(), View::Mail).charset() == Some(Charset::UTF_8) {
        return Err("text that is labelled UTF-8 cannot be read as something else".to_owned());
    }
    Ok((label.to_owned(), charset(meaning.trim())?))
}

fn unknown(label: &str, names: &[&str]) -> String {
    if names.is_empty() {
        format!("unknown charset `{label}` (`mailglot convert -l` lists all)")
    } else {
        format!("unknown charset `{label}`; did you mean {}?", names.join(" or "))
    }
}

/// The names nearest to a label, where they are near at all.
fn near(label: &str) -> Vec<&'static str> {
    let label = label.to_ascii_lowercase();
    let bound = (label.chars().count() / 3).max(1);
    let mut names: Vec<_> = Charset::all()
        .map(|charset| (distance(&label, &charset.name().to_ascii_lowercase()), charset.name()))
        .filter(|(distance, _)| *distance <= bound)
        .collect();
    names.sort_unstable();
    names.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// Number of characters to insert, remove or change (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, d) in b.iter().enumerate() {
            let changed = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_or_suggested() {
        for label in ["utf-8", "UTF8", "latin1", "Shift_JIS", "koi8-r", "cp1252", "windows-1252"] {
            assert!(charset(label).is_ok(), "{label}");
        }
        for (label, name) in [("uft-8", "UTF-8"), ("windows-1259", "windows-125"), ("koi8-x", "KOI8-R")] {
            let message = charset(label).unwrap_err();
            assert!(message.contains("did you mean") && message.contains(name), "{message}");
        }
        assert!(charset("klingon-in-stone").unwrap_err().contains("convert -l"));
    }

    #[test]
    fn distances() {
        for (a, b, n) in
            [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("a", "a", 0), ("ab", "ba", 2)]
        {
            assert_eq!(distance(a, b), n, "{a} {b}");
        }
    }
}
