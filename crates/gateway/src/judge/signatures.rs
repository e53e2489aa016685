//! Finds signatures of a message: DKIM and its relatives.

use mailglot_mime::{Message, PartId, header};

/// Returns true if a signature in this header covers the whole message or an embedded one: DKIM, DomainKeys, ARC, DKIM2. One that covers a part of
/// its body only (`l=`) counts.
pub(super) fn is_signed(message: &Message<'_>, header_of: PartId) -> bool {
    let raw = message.raw();
    message.fields(header_of).iter().any(|field| {
        let name = field.name.of(raw);
        header::is_signature(name)
            || name.eq_ignore_ascii_case(b"dkim2-signature")
            || name.eq_ignore_ascii_case(b"message-instance")
    })
}

/// Returns true if a DKIM signature covers the beginning of the body only (RFC 6376 8.2).
pub(super) fn has_length_tag(message: &Message<'_>) -> bool {
    let raw = message.raw();
    message.fields(PartId::ROOT).iter().any(|field| {
        field.name.of(raw).eq_ignore_ascii_case(b"dkim-signature")
            && field.value.of(raw).split(|byte| *byte == b';').any(|tag| {
                let mut halves = tag.splitn(2, |byte| *byte == b'=');
                halves.next().is_some_and(|name| name.trim_ascii() == b"l")
                    && halves.next().is_some()
            })
    })
}
