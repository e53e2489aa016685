//! Numbers sections as in IMAP (RFC 3501, section 6.4.5).

use super::part::{Part, PartKind};
use crate::part_id::PartId;

/// Returns the section number of a part; empty for a multipart root.
pub(super) fn number(parts: &[Part], id: PartId) -> String {
    if parts[id.0 as usize].parent.is_none() && parts[id.0 as usize].kind != PartKind::Multipart {
        return "1".to_owned();
    }
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
    let mut text = String::with_capacity(2 * numbers.len());
    for number in numbers.iter().rev() {
        if !text.is_empty() {
            text.push('.');
        }
        match u8::try_from(*number) {
            // Nearly all numbers have one digit, and formatting dominates the cost.
            Ok(digit @ 0..=9) => text.push(char::from(b'0' + digit)),
            _ => text.push_str(&number.to_string()),
        }
    }
    text
}
