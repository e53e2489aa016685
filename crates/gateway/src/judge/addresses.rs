//! Finds problems of senders and recipients in header fields.
//!
//! # Limits
//! Reads only fields with non-ASCII bytes, encoded words or Punycode.

use super::{idna, mixed_scripts};
use crate::policy::{Finding, Findings};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::fields::{Entry, Mailbox, addresses};
use mailglot_mime::{Message, PartId};

/// Fields with addresses.
const NAMES: [&[u8]; 6] = [
    b"from",
    b"sender",
    b"reply-to",
    b"to",
    b"cc",
    b"resent-from",
];
/// Length limit of values that are read, in bytes.
const LONGEST: usize = 102_400;

/// Adds the findings of addresses and names.
pub(super) fn find(message: &Message<'_>, findings: &mut Findings) {
    let raw = message.raw();
    for field in message.fields(PartId::ROOT) {
        let (name, value) = (field.name.of(raw), field.value.of(raw));
        if name.len() > 11
            || value.len() > LONGEST
            || !NAMES.iter().any(|own| name.eq_ignore_ascii_case(own))
        {
            continue;
        }
        if !is_special(value) {
            continue;
        }
        for entry in addresses(value, &HeaderContext::default(), &mut Vec::new()) {
            match entry {
                Entry::Mailbox(mailbox) => look(&mailbox, value, findings),
                Entry::Group { list, .. } => list
                    .iter()
                    .for_each(|mailbox| look(mailbox, value, findings)),
            }
        }
    }
}

/// Returns true if a value has non-ASCII bytes, encoded words or Punycode.
fn is_special(value: &[u8]) -> bool {
    !value.is_ascii()
        || memchr::memchr_iter(b'?', value).any(|at| at > 0 && value[at - 1] == b'=')
        || memchr::memchr_iter(b'-', value).any(|at| {
            at >= 2
                && value.get(at + 1) == Some(&b'-')
                && value[at - 2..at].eq_ignore_ascii_case(b"xn")
        })
}

fn look(mailbox: &Mailbox, value: &[u8], findings: &mut Findings) {
    if mailbox.name.as_deref().is_some_and(mixed_scripts::is_mixed) {
        findings.add(Finding::MixedScript, String::new);
    }
    if mailbox.address.is_empty() {
        return;
    }
    // A lone name in raw ISO-2022-JP is read as an address. Its bytes are ASCII.
    if !mailbox.address.is_ascii()
        && value
            .get(mailbox.at.clone())
            .is_none_or(|bytes| !bytes.is_ascii())
    {
        findings.add(Finding::NonAsciiAddr, String::new);
    }
    let domain = mailbox
        .address
        .rsplit_once('@')
        .map_or("", |(_, domain)| domain);
    let (mut international, mut malformed, mut mixed) = (false, false, false);
    for label in domain.split('.') {
        if label
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
        {
            match idna::decoded(label) {
                Some(text) => {
                    international = true;
                    mixed |= mixed_scripts::is_mixed(&text);
                }
                None => malformed = true,
            }
        } else if !label.is_ascii() {
            international = true;
            mixed |= mixed_scripts::is_mixed(label);
        }
    }
    for (found, finding) in [
        (international, Finding::IdnDomain),
        (malformed, Finding::MalformedIdna),
        (mixed, Finding::MixedScript),
    ] {
        if found {
            findings.add(finding, String::new);
        }
    }
}
