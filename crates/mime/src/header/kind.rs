//! Classifies header fields by the grammar of their values.
//!
//! # Limits
//!
//! The name alone decides. Unregistered fields are unstructured text (RFC 5322, section 3.6.8).

/// The grammar of a field value, as far as it affects encoded words (RFC 2047, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Text: Subject, Comments, X-…, and every unknown field.
    Unstructured,
    /// Phrases, comments and addresses: From, To, Cc, Reply-To, Sender, …
    Structured,
    /// Phrases and comments, with addresses in angle brackets only: Keywords, List-Id.
    Phrases,
    /// A value with parameters: Content-Type, Content-Disposition.
    Parameters,
    /// Values that are never decoded or rewritten: Message-ID, Date, Received, signatures, …
    Opaque,
}

impl FieldKind {
    /// Returns true if the value may contain phrases, quoted strings and comments.
    pub(crate) fn has_syntax(self) -> bool {
        matches!(self, Self::Structured | Self::Phrases)
    }
}

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

/// Longest name in the lists below.
const LONGEST: usize = 32;

fn known_kind(name: &[u8]) -> Option<FieldKind> {
    let mut buffer = [0; LONGEST];
    let Some(lower) = buffer.get_mut(..name.len()) else {
        return family(name);
    };
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    match &*lower {
        b"list-id" | b"keywords" => Some(FieldKind::Phrases),
        b"content-type" | b"content-disposition" => Some(FieldKind::Parameters),
        lower if is_plain_text(lower) => Some(FieldKind::Unstructured),
        lower if has_addresses(lower) => Some(FieldKind::Structured),
        lower if is_trace_or_id(lower) || is_other_opaque(lower) => Some(FieldKind::Opaque),
        _ => family(name),
    }
}

/// Returns true for text fields (RFC 5322, section 3.6.5; RFC 2045, section 8; RFC 2156).
fn is_plain_text(lower: &[u8]) -> bool {
    matches!(
        lower,
        b"subject"
            | b"comments"
            | b"content-description"
            | b"organization"
            | b"organisation"
            | b"summary"
            | b"thread-topic"
            | b"user-agent"
            | b"x-mailer"
            | b"importance"
            | b"priority"
            | b"precedence"
            | b"sensitivity"
    )
}

/// Returns true for address fields (RFC 5322, sections 3.6.2, 3.6.3, 3.6.6; RFC 8098, section 2.1) and the variants of mailers and lists.
fn has_addresses(lower: &[u8]) -> bool {
    matches!(
        lower,
        b"from"
            | b"sender"
            | b"reply-to"
            | b"to"
            | b"cc"
            | b"bcc"
            | b"resent-from"
            | b"resent-sender"
            | b"resent-reply-to"
            | b"resent-to"
            | b"resent-cc"
            | b"resent-bcc"
            | b"mail-followup-to"
            | b"mail-reply-to"
            | b"mail-copies-to"
            | b"disposition-notification-to"
            | b"return-receipt-to"
            | b"errors-to"
            | b"apparently-to"
            | b"approved"
            | b"author"
            | b"original-from"
            | b"original-sender"
            | b"x-apparently-from"
            | b"x-apparently-to"
            | b"x-bcc"
            | b"x-cc"
            | b"x-complaints-to"
            | b"x-confirm-reading-to"
            | b"x-envelope-from"
            | b"x-envelope-sender"
            | b"x-envelope-to"
            | b"x-errors-to"
            | b"x-forwarded-to"
            | b"x-from"
            | b"x-google-original-from"
            | b"x-original-cc"
            | b"x-original-from"
            | b"x-original-reply-to"
            | b"x-original-sender"
            | b"x-rcpt-to"
            | b"x-reply-to"
            | b"x-return-receipt-to"
            | b"x-sender"
            | b"x-to"
    )
}

/// Returns true for fields of transport, identification and dates (RFC 5322, sections 3.6.1, 3.6.4, 3.6.7; RFC 8601, RFC 6376).
fn is_trace_or_id(lower: &[u8]) -> bool {
    matches!(
        lower,
        b"received"
            | b"x-received"
            | b"return-path"
            | b"delivered-to"
            | b"envelope-to"
            | b"received-spf"
            | b"x-original-to"
            | b"original-recipient"
            | b"authentication-results"
            | b"dkim-signature"
            | b"domainkey-signature"
            | b"domainkey-status"
            | b"message-id"
            | b"x-ms-tnef-correlator"
            | b"original-message-id"
            | b"in-reply-to"
            | b"references"
            | b"supersedes"
            | b"obsoletes"
            | b"date"
            | b"delivery-date"
            | b"expires"
            | b"expiry-date"
            | b"reply-by"
            | b"deferred-delivery"
            | b"resent-date"
            | b"resent-message-id"
    )
}

/// Returns true for other fields without text: MIME (RFC 2045, RFC 2912), keys, news (RFC 5536) and mailbox flags.
fn is_other_opaque(lower: &[u8]) -> bool {
    matches!(
        lower,
        b"mime-version"
            | b"content-id"
            | b"content-transfer-encoding"
            | b"content-location"
            | b"content-base"
            | b"content-md5"
            | b"content-length"
            | b"content-language"
            | b"content-duration"
            | b"content-features"
            | b"accept-language"
            | b"autocrypt"
            | b"autocrypt-gossip"
            | b"openpgp"
            | b"auto-submitted"
            | b"newsgroups"
            | b"followup-to"
            | b"path"
            | b"xref"
            | b"distribution"
            | b"control"
            | b"lines"
            | b"injection-date"
            | b"injection-info"
            | b"thread-index"
            | b"x-face"
            | b"face"
            | b"status"
            | b"x-status"
            | b"x-uid"
            | b"x-keywords"
            | b"require-recipient-valid-since"
            | b"tls-required"
            | b"tls-report-domain"
    )
}

/// Returns the kind of a field whose prefix decides it.
fn family(name: &[u8]) -> Option<FieldKind> {
    // `List-Id` has a phrase; it is in the table. The other list fields of RFC 2369 and RFC 8058 contain URIs.
    let opaque = starts_without_case(name, b"list-")
        || starts_without_case(name, b"arc-")
        || starts_without_case(name, b"dkim-")
        || starts_without_case(name, b"bimi-")
        || (starts_without_case(name, b"x-") && ends_without_case(name, b"-signature"));
    opaque.then_some(FieldKind::Opaque)
}

fn starts_without_case(name: &[u8], prefix: &[u8]) -> bool {
    name.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn ends_without_case(name: &[u8], suffix: &[u8]) -> bool {
    name.len() >= suffix.len() && name[name.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
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
