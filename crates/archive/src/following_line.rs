//! Classifies the line after a separator: a known header field, another field, or text.
//!
//! # Limits
//! Knows the fields that occur in mail but rarely in prose.

/// The line after a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FollowingLine {
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

impl FollowingLine {
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
    // Every message has a line that is looked up here: the first letter excludes most names.
    let Some(first) = name.first() else {
        return false;
    };
    let (names, families) = names_and_families(first.to_ascii_lowercase());
    let begins = |family: &&str| {
        name.get(..family.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(family.as_bytes()))
    };
    names
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        || families.iter().any(begins)
}

/// Returns the known names that begin with a letter, and the beginnings of families of names.
fn names_and_families(letter: u8) -> (&'static [&'static str], &'static [&'static str]) {
    match letter {
        b'a' => (
            &["approved", "auto-submitted"],
            &["arc-", "authentication-"],
        ),
        b'b' => (&["bcc"], &[]),
        b'c' => (&["cc", "comments"], &["content-"]),
        b'd' => (
            &[
                "date",
                "delivered-to",
                "delivery-date",
                "disposition-notification-to",
                "domainkey-signature",
            ],
            &["dkim-"],
        ),
        b'e' => (&["encoding", "envelope-to", "errors-to"], &[]),
        b'f' => (&["followup-to", "from"], &[]),
        b'i' => (&["importance", "in-reply-to"], &[]),
        b'k' => (&["keywords"], &[]),
        b'l' => (&["lines"], &["list-"]),
        b'm' => (&["mailing-list", "message-id", "mime-version"], &["mail-"]),
        b'n' => (&["newsgroups"], &[]),
        b'o' => (&["organisation", "organization"], &["original-"]),
        b'p' => (&["path", "precedence", "priority"], &[]),
        b'r' => (
            &[
                "received",
                "references",
                "reply-to",
                "return-path",
                "return-receipt-to",
            ],
            &["received-", "resent-"],
        ),
        b's' => (&["sender", "sensitivity", "status", "subject"], &[]),
        b't' => (&["thread-index", "thread-topic", "to"], &[]),
        b'u' => (&["user-agent"], &[]),
        b'x' => (&["xref"], &["x-"]),
        _ => (&[], &[]),
    }
}
