//! Parses lists of mailboxes and groups (RFC 5322, sections 3.4 and 4.4).
//!
//! # Limits
//!
//! Groups do not nest, as in RFC 5322; a colon inside a group belongs to the next name. The route of an address (`@a,@b:c@d`) is
//! dropped.
//!
//! Common damage is read as the writer meant it. Such damage is a missing comma between two addresses, a comma without quotes in a
//! name, and a missing or a second angle bracket. `joe at example.org (Joe)` of list archives is also read.

use crate::encoded_word::{AddressToken, HeaderContext, address_tokens};
use crate::event::{EventKind, Finding};

mod address_forms;
mod list;
mod mailbox;
mod unquoted_comma;

use address_forms::is_half;
use list::List;
pub(super) use mailbox::SPECIALS;
pub use mailbox::{Entry, Mailbox};
pub(crate) use unquoted_comma::may_have_unquoted_comma;

/// Parses a list of addresses, then decodes the encoded words in its names.
///
/// A decoded name may contain a comma or `@`; it stays one name. Two addresses without a comma between them are two mailboxes.
/// `Smith, John <js@x.example>` is one mailbox, and the finding `hdr.unquoted-comma` reports it.
///
/// ```
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::fields::{Entry, addresses};
///
/// let mut findings = Vec::new();
/// let value = b"=?utf-8?Q?J=C3=B6rg?= <j@example.org>, friends: x@example.org, y@example.org;";
/// let list = addresses(value, &HeaderContext::default(), &mut findings);
/// assert!(matches!(&list[0], Entry::Mailbox(one) if one.name.as_deref() == Some("Jörg") && one.address == "j@example.org"));
/// assert!(matches!(&list[1], Entry::Group { name, list } if name == "friends" && list.len() == 2));
/// ```
pub fn addresses(value: &[u8], context: &HeaderContext, findings: &mut Vec<Finding>) -> Vec<Entry> {
    let tokens = address_tokens(value, context, findings);
    List::new(false).read(value, &tokens, findings)
}

/// Parses the addresses of the field `name`, like [`addresses`].
///
/// In From the last address in angles counts, and those before it without a comma belong to its name. A sender cannot hide behind
/// the address of someone else. The event `hdr.ambiguous-from` reports such a field.
///
/// ```
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::fields::addresses_of;
///
/// let value = b"Bob <a@b.example>\n Ann <c@d.example>";
/// let count = |name: &[u8]| addresses_of(name, value, &HeaderContext::default(), &mut Vec::new()).len();
/// assert_eq!((count(b"To"), count(b"From")), (2, 1));
/// ```
pub fn addresses_of(
    name: &[u8],
    value: &[u8],
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<Entry> {
    let last_address_counts = name.eq_ignore_ascii_case(b"from");
    let tokens = address_tokens(value, context, findings);
    List::new(last_address_counts).read(value, &tokens, findings)
}

/// Returns true for the findings of a list itself. All others of [`addresses`] are those of its decoded text, too.
///
/// ```
/// use mailglot_mime::EventKind;
/// use mailglot_mime::fields::is_about_names;
///
/// assert!(is_about_names(EventKind::HdrUnquotedComma) && !is_about_names(EventKind::EwRaw8bit));
/// ```
pub fn is_about_names(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::HdrUnquotedComma | EventKind::HdrEncodedAddress
    )
}

/// Returns true if a mailbox has several addresses: two in angles, or two without a comma between them.
pub(crate) fn has_several_addresses(value: &[u8]) -> bool {
    // The address since the last separator: None without one, else true for one in angles.
    let mut open = None;
    for part in address_tokens(value, &HeaderContext::default(), &mut Vec::new()) {
        match part {
            AddressToken::Separator(..) => open = None,
            // `a @ b` is one address in two pieces; a lone `@` is no address.
            AddressToken::Address(text, _) if is_half(&text) => {}
            AddressToken::Address(text, _) => {
                let angles = text.starts_with('<');
                // A bare address before one in angles is its name: `a@b <a@b>`.
                if open.is_some_and(|before| before || !angles) {
                    return true;
                }
                open = Some(angles);
            }
            AddressToken::Text(..) | AddressToken::Quoted(..) | AddressToken::Comment(..) => {}
        }
    }
    false
}

#[cfg(test)]
mod name_tests;
#[cfg(test)]
mod tests;
