//! Parses values of options: charset labels, `LABEL=CHARSET`, country codes, language tags. Suggests similar names for an unknown charset.
//!
//! # Limits
//!
//! Suggests only preferred names, no aliases.

use mailglot_codec::{Charset, Resolved, View};

/// Maximum number of suggested names.
const MOST: usize = 3;

/// Parses a charset label. Rejects labels that mail decoding would repair, with a suggestion, because the user can correct them.
pub(crate) fn charset(label: &str) -> Result<Charset, String> {
    if is_imap(label) {
        return Err(format!(
            "`{label}` is the encoding of mailbox names, which only `mailglot convert` reads and writes"
        ));
    }
    match Charset::for_label(label.as_bytes(), View::Mail) {
        Resolved::Exact(charset) | Resolved::Alias(charset) => Ok(charset),
        Resolved::Repaired(charset) => Err(unknown(label, &[charset.name()])),
        Resolved::NoInformation | Resolved::Unknown => Err(unknown(label, &near(label))),
    }
}

/// Returns true if a label names the encoding of mailbox names (modified UTF-7), which is not a charset.
pub(crate) fn is_imap(label: &str) -> bool {
    let key: String = label.to_ascii_lowercase().replace(['-', '_'], "");
    matches!(key.as_str(), "imaputf7" | "utf7imap")
}

/// Parses a country code of domain names (two letters).
pub(crate) fn country(text: &str) -> Result<String, String> {
    if text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic()) {
        Ok(text.to_owned())
    } else {
        Err("expected the two letters of a country in domain names, such as `cz`".to_owned())
    }
}

/// Parses `LABEL=CHARSET`. The label may be any text except a name of UTF-8, because text under that label is UTF-8.
pub(crate) fn mapping(text: &str) -> Result<(String, Charset), String> {
    let Some((label, meaning)) = text
        .split_once('=')
        .filter(|(label, _)| !label.trim().is_empty())
    else {
        return Err("expected LABEL=CHARSET, such as `iso-8859-1=windows-1254`".to_owned());
    };
    if Charset::for_label(label.as_bytes(), View::Mail).charset() == Some(Charset::UTF_8) {
        return Err("text that is labelled UTF-8 cannot be read as something else".to_owned());
    }
    Ok((label.to_owned(), charset(meaning.trim())?))
}

/// Parses a language tag (BCP 47; RFC 5646, section 2.1).
pub(crate) fn language(text: &str) -> Result<String, String> {
    if is_language(text) {
        return Ok(text.to_owned());
    }
    let (hyphens, advice) = (
        text.replace('_', "-"),
        "expected a language tag, such as `pt-BR`",
    );
    if is_language(&hyphens) {
        Err(format!("{advice}; did you mean `{hyphens}`?"))
    } else {
        Err(advice.to_owned())
    }
}

/// Tests the grammar of RFC 5646, section 2.1. Accepts grandfathered tags (`i-klingon`) by their shape.
fn is_language(tag: &str) -> bool {
    let letters = |tag: &str, least, most| {
        (least..=most).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_alphabetic())
    };
    let any = |tag: &str, least, most| {
        (least..=most).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    let mut parts = tag.split('-').peekable();
    let Some(first) = parts.next() else {
        return false;
    };
    let old = matches!(first, "i" | "I");
    let private = matches!(first, "x" | "X");
    if old || private {
        let rest: Vec<_> = parts.collect();
        return !rest.is_empty() && rest.iter().all(|part| any(part, 1, 8));
    }
    if !letters(first, 2, 8) {
        return false;
    }
    for _ in 0..if first.len() < 4 { 3 } else { 0 } {
        parts.next_if(|part| letters(part, 3, 3));
    }
    parts.next_if(|part| letters(part, 4, 4));
    parts.next_if(|part| {
        letters(part, 2, 2) || (part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit()))
    });
    let variant =
        |part: &&str| any(part, 5, 8) || (any(part, 4, 4) && part.as_bytes()[0].is_ascii_digit());
    while parts.next_if(variant).is_some() {}
    while let Some(singleton) = parts.next_if(|part| any(part, 1, 1)) {
        let least = if matches!(singleton, "x" | "X") { 1 } else { 2 };
        if parts.next_if(|part| any(part, least, 8)).is_none() {
            return false;
        }
        while parts.next_if(|part| any(part, least, 8)).is_some() {}
        if least == 1 {
            break;
        }
    }
    parts.next().is_none()
}

fn unknown(label: &str, names: &[&str]) -> String {
    if names.is_empty() {
        format!("unknown charset `{label}` (`mailglot convert -l` lists all)")
    } else {
        format!(
            "unknown charset `{label}`; did you mean {}?",
            names.join(" or ")
        )
    }
}

/// Returns the charset names most similar to a label; empty if none is similar.
fn near(label: &str) -> Vec<&'static str> {
    let label = label.to_ascii_lowercase();
    let bound = (label.chars().count() / 3).max(1);
    let mut names: Vec<_> = Charset::all()
        .map(|charset| {
            (
                distance(&label, &charset.name().to_ascii_lowercase()),
                charset.name(),
            )
        })
        .filter(|(distance, _)| *distance <= bound)
        .collect();
    names.sort_unstable();
    names.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// Returns the Levenshtein distance in characters.
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
        for label in [
            "utf-8",
            "UTF8",
            "latin1",
            "Shift_JIS",
            "koi8-r",
            "cp1252",
            "windows-1252",
        ] {
            assert!(charset(label).is_ok(), "{label}");
        }
        for (label, name) in [
            ("uft-8", "UTF-8"),
            ("windows-1259", "windows-125"),
            ("koi8-x", "KOI8-R"),
        ] {
            let message = charset(label).unwrap_err();
            assert!(
                message.contains("did you mean") && message.contains(name),
                "{message}"
            );
        }
        assert!(
            charset("klingon-in-stone")
                .unwrap_err()
                .contains("convert -l")
        );
    }

    #[test]
    fn countries_have_two_letters() {
        for code in ["de", "CZ", "uK"] {
            assert_eq!(country(code).as_deref(), Ok(code));
        }
        for code in ["DEU", "Germany", "", "č", "d", "d1", ".jp", "d "] {
            assert!(country(code).is_err(), "{code}");
        }
    }

    #[test]
    fn the_encoding_of_mailbox_names_is_no_charset() {
        for label in ["IMAP-UTF-7", "imap_utf_7", "UTF-7-IMAP"] {
            assert!(
                charset(label).unwrap_err().contains("mailbox names"),
                "{label}"
            );
        }
    }

    #[test]
    fn languages_have_the_shape_of_their_tags() {
        // Examples of RFC 5646 A.
        for tag in [
            "de",
            "fr",
            "ja",
            "i-enochian",
            "zh-Hant",
            "sr-Cyrl",
            "zh-cmn-Hans-CN",
            "zh-yue-HK",
            "sr-Latn-RS",
            "sl-rozaj-biske",
            "sl-nedis",
            "de-CH-1901",
            "sl-IT-nedis",
            "hy-Latn-IT-arevela",
            "de-DE",
            "en-US",
            "es-419",
            "de-CH-x-phonebk",
            "az-Arab-x-AZE-derbend",
            "x-whatever",
            "qaa-Qaaa-QM-x-southern",
            "en-US-u-islamcal",
            "zh-CN-a-myext-x-private",
            "en-a-myext-b-another",
            "PT-br",
        ] {
            assert!(language(tag).is_ok(), "{tag}");
        }
        for tag in [
            "",
            "!!!",
            "d",
            "1a",
            "de-419-DE",
            "a-DE",
            "de-",
            "-de",
            "de--CH",
            "de-x",
            "en-u",
            "ü",
            "deutschland",
            "de DE",
        ] {
            assert!(language(tag).is_err(), "{tag}");
        }
        assert!(
            language("pt_BR")
                .unwrap_err()
                .contains("did you mean `pt-BR`?")
        );
    }

    #[test]
    fn distances() {
        for (a, b, n) in [
            ("", "", 0),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("a", "a", 0),
            ("ab", "ba", 2),
        ] {
            assert_eq!(distance(a, b), n, "{a} {b}");
        }
    }
}
