//! Resolves a label to a charset, with the kind of match.
//!
//! Known labels are a sorted table, generated from `data/labels.tsv`. In [`View::Mail`] an unknown label goes through a series of
//! repairs, the mildest first. If none of them helps, the result is [`Resolved::Unknown`], never a charset that merely contains
//! ASCII.
//!
//! # Limits
//! Does not interpret a label as a language or by the habits of a mailer.

mod lookup;
mod repair;
mod resolved;
mod row;

pub use resolved::Resolved;
pub(crate) use row::{Means, Source};

use crate::charset::Charset;
use crate::iana::find as find_registered;
use crate::label_view::View;
use lookup::{MEANINGS, NAMES, answer, before, place};
use repair::in_mail;
use resolved::named;

impl Charset {
    /// Resolves a label as found in a message (RFC 2045, section 5.1, WHATWG 4.2, IANA registry).
    pub fn for_label(label: &[u8], view: View) -> Resolved {
        match view {
            View::Whatwg => on_the_web(label),
            View::Iana => in_the_registry(label),
            View::Mail if label.len() > LONGEST => Resolved::Unknown,
            View::Mail => answer(label)
                .or_else(|| in_mail(&lower(label)))
                .unwrap_or(Resolved::Unknown),
        }
    }

    /// Returns the length of a well-known label that begins a text and has a mark behind it. Also returns what [`Charset::for_label`]
    /// says of it in mail's view. The label has at most 15 letters, digits and `-_.:+`. Returns `None` for any other label, or if the
    /// text has less than 16 bytes.
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
        let rows = MEANINGS.iter().enumerate();
        rows.filter(move |(_, means)| **means == Means::Is(self))
            .map(|(row, _)| NAMES.text(row))
    }
}

/// Longest label that may name a charset.
const LONGEST: usize = 128;

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
        None => match place(label).map(|row| MEANINGS[row]) {
            Some(Means::Nothing) => Resolved::NoInformation,
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

#[cfg(test)]
mod tests;
