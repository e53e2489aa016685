//! Classifies header fields by their names.
//!
//! # Limits
//!
//! The name decides, except for [`kind_of_field`]. Unregistered fields are unstructured text (RFC 5322, section 3.6.8).

use crate::field_kind::FieldKind;
use crate::generated::header_fields;
use crate::lexer::{self, ends_without_case, starts_without_case};

/// Returns the grammar of a field by its name, compared without case.
///
/// ```
/// use mailglot_mime::header::{FieldKind, field_kind};
///
/// assert_eq!(field_kind(b"From"), FieldKind::Structured);
/// assert_eq!(field_kind(b"X-Anything"), FieldKind::Unstructured);
/// ```
pub fn field_kind(name: &[u8]) -> FieldKind {
    known_kind(name).unwrap_or(FieldKind::Unstructured)
}

/// Returns the grammar of a field by its name and value. A field of addresses with comments is opaque if an address has bytes above 7F, since
/// addresses stay as written.
///
/// ```
/// use mailglot_mime::header::{FieldKind, kind_of_field};
///
/// assert_eq!(kind_of_field(b"List-Help", b"<http://a.example> (M\xFCller)"), FieldKind::Comments);
/// assert_eq!(kind_of_field(b"List-Help", b"<http://a.example/\xFC>"), FieldKind::Opaque);
/// ```
pub fn kind_of_field(name: &[u8], value: &[u8]) -> FieldKind {
    match field_kind(name) {
        FieldKind::Comments if !value.is_ascii() && lexer::has_raw_uris(value) => FieldKind::Opaque,
        kind => kind,
    }
}

/// Returns true for a field that signs its message: DKIM (RFC 6376), DomainKeys (RFC 4870), ARC (RFC 8617), and
/// `X-PGP-Sig` of control messages in Usenet.
pub fn is_signature(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 5] = [
        b"dkim-signature",
        b"domainkey-signature",
        b"arc-message-signature",
        b"arc-seal",
        b"x-pgp-sig",
    ];
    NAMES
        .iter()
        .any(|signature| name.eq_ignore_ascii_case(signature))
}

/// Returns true for the name of a header field that is unlikely as a word before a colon in running text.
pub(crate) fn is_known(name: &[u8]) -> bool {
    // RFC 9057 registered a common word.
    let is_word = name.eq_ignore_ascii_case(b"author");
    known_kind(name).is_some() && !is_word
        || starts_without_case(name, b"x-")
        || starts_without_case(name, b"content-")
}

/// Longest name in the table.
const LONGEST: usize = 32;

fn known_kind(name: &[u8]) -> Option<FieldKind> {
    let mut buffer = [0; LONGEST];
    let Some(lower) = buffer.get_mut(..name.len()) else {
        return family(name);
    };
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    header_fields::kind(lower).or_else(|| family(name))
}

/// Returns the kind of a field whose prefix decides it.
fn family(name: &[u8]) -> Option<FieldKind> {
    // The list fields of RFC 2919 and RFC 2369 are in the table. Others, such as those of RFC 8058, have neither phrases nor comments.
    let opaque = starts_without_case(name, b"list-")
        || starts_without_case(name, b"arc-")
        || starts_without_case(name, b"dkim-")
        || starts_without_case(name, b"bimi-")
        || (starts_without_case(name, b"x-") && ends_without_case(name, b"-signature"));
    opaque.then_some(FieldKind::Opaque)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_the_name_without_case() {
        let table: &[(&[u8], FieldKind)] = &[
            (b"Subject", FieldKind::Unstructured),
            (b"X-Anything", FieldKind::Unstructured),
            (
                b"X-Spam-Report-That-Has-A-Very-Long-Name-Indeed",
                FieldKind::Unstructured,
            ),
            (b"Content-Description", FieldKind::Unstructured),
            (b"FROM", FieldKind::Structured),
            (b"Resent-Cc", FieldKind::Structured),
            (b"List-ID", FieldKind::Phrases),
            (b"Keywords", FieldKind::Phrases),
            (b"Author", FieldKind::Structured),
            (b"X-Confirm-Reading-To", FieldKind::Structured),
            (b"X-Envelope-To", FieldKind::Structured),
            (b"Disposition-Notification-To", FieldKind::Structured),
            (b"content-type", FieldKind::Parameters),
            (b"Content-Disposition", FieldKind::Parameters),
            (b"MESSAGE-ID", FieldKind::Opaque),
            (b"List-Unsubscribe-Post", FieldKind::Opaque),
            (b"ARC-Authentication-Results", FieldKind::Opaque),
            (b"X-Google-DKIM-Signature", FieldKind::Opaque),
            (
                b"X-A-Name-Longer-Than-The-Table-Knows-Signature",
                FieldKind::Opaque,
            ),
            (b"", FieldKind::Unstructured),
        ];
        for &(name, kind) in table {
            assert_eq!(field_kind(name), kind, "{}", name.escape_ascii());
        }
    }

    #[test]
    fn a_word_before_a_colon_is_not_a_field() {
        for (name, want) in [
            ("From", true),
            ("X-Anything", true),
            ("author", false),
            ("Remark", false),
        ] {
            assert_eq!(is_known(name.as_bytes()), want, "{name}");
        }
    }

    #[test]
    fn signatures_are_those_over_the_message() {
        for name in [
            "DKIM-Signature",
            "domainkey-signature",
            "ARC-Seal",
            "ARC-Message-Signature",
        ] {
            assert!(is_signature(name.as_bytes()), "{name}");
        }
        for name in [
            "ARC-Authentication-Results",
            "X-Google-DKIM-Signature",
            "Signature",
            "",
        ] {
            assert!(!is_signature(name.as_bytes()), "{name}");
        }
    }
}
