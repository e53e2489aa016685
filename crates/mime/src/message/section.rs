//! Section numbers as IMAP counts them (RFC 3501 6.4.5).

use super::{Part, PartId, PartKind};
use std::fmt::Write as _;

/// The section number of a part; empty for a multipart root.
pub(super) fn number(parts: &[Part], id: PartId) -> String {
    let mut numbers = Vec::new();
    let mut current = Some(id);
    while let Some(id) = current {
        let part = &parts[id.0 as usize];
        let embeds = part.parent.map(|parent| parts[parent.0 as usize].kind);
        match embeds {
            Some(PartKind::Message) | None if part.kind == PartKind::Multipart => {}
            Some(PartKind::Message) | None => numbers.push(1),
            Some(_) => numbers.push(part.number),
        }
        current = part.parent;
    }
    let mut text = String::new();
    for number in numbers.iter().rev() {
        if !text.is_empty() {
            text.push('.');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{number}");
    }
    text
}
