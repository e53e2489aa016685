//! Classifies the line after a separator: a known header field, another field, or text.
//!
//! # Limits
//! Knows the fields that occur in mail but rarely in prose.

/// The line after a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follower {
    /// A known mail header field.
    Known,
    /// A line of the form `name: value`.
    Field,
    /// Anything else.
    Other,
}

/// Returns true for a quoted or unquoted `From ` line.
pub(crate) fn is_from_line(line: &[u8]) -> bool {
    let depth = line.iter().take_while(|&&byte| byte == b'>').count();
    line[depth..].starts_with(b"From ")
}

impl Follower {
    /// Classifies a line.
    pub(crate) fn of(line: &[u8]) -> Self {
        let name = line
            .iter()
            .take_while(|byte| (b'!'..=b'~').contains(byte) && **byte != b':')
            .count();
        let colon = name
            + line[name..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t'))
                .count();
        if name == 0 || name > 70 || line.get(colon) != Some(&b':') {
            return Self::Other;
        }
        if is_known(&line[..name]) {
            Self::Known
        } else if colon == name && matches!(line.get(colon + 1), None | Some(b' ' | b'\t')) {
            Self::Field
        } else {
            Self::Other
        }
    }
}

/// Returns true for field names that occur in mail but rarely in prose.
fn is_known(name: &[u8]) -> bool {
    const FAMILIES: [&str; 10] = [
        "x-",
        "list-",
        "content-",
        "dkim-",
        "arc-",
        "resent-",
        "received-",
        "authentication-",
        "original-",
        "mail-",
    ];
    const NAMES: &[&str] = &[
        "approved",
        "auto-submitted",
        "bcc",
        "cc",
        "comments",
        "date",
        "delivered-to",
        "delivery-date",
        "disposition-notification-to",
        "domainkey-signature",
        "encoding",
        "envelope-to",
        "errors-to",
        "followup-to",
        "from",
        "importance",
        "in-reply-to",
        "keywords",
        "lines",
        "mailing-list",
        "message-id",
        "mime-version",
        "newsgroups",
        "organisation",
        "organization",
        "path",
        "precedence",
        "priority",
        "received",
        "references",
        "reply-to",
        "return-path",
        "return-receipt-to",
        "sender",
        "sensitivity",
        "status",
        "subject",
        "thread-index",
        "thread-topic",
        "to",
        "user-agent",
        "xref",
    ];
    let Some(first) = name.first().map(u8::to_ascii_lowercase) else {
        return false;
    };
    // Every message has a line that is looked up here. The first letter excludes most names.
    let named = |known: &&str, name: Option<&[u8]>| {
        known.as_bytes().first() == Some(&first)
            && name.is_some_and(|name| name.eq_ignore_ascii_case(known.as_bytes()))
    };
    FAMILIES
        .iter()
        .any(|family| named(family, name.get(..family.len())))
        || NAMES
            .iter()
            .any(|known| named(known, (name.len() == known.len()).then_some(name)))
}
