//! Decodes HTML entities for characters beyond ASCII: `&uuml;`, `&#252;`.

use super::controls::is_control;
use crate::generated::html_entities::ENTITIES;
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;

/// Returns the character of the entity that a text begins with, and the length of the entity.
pub(super) fn first_entity(text: &[u8]) -> Option<(char, usize)> {
    // The longest name has six letters, the longest number eight digits.
    let end = text.iter().take(12).position(|b| *b == b';')?;
    let name = str::from_utf8(text.get(1..end)?).ok()?;
    Some((entity(name)?, end + 1))
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16)
                .ok()
                .filter(|_| !digits.starts_with('+'))?,
            None => number.parse().ok().filter(|_| !number.starts_with('+'))?,
        };
        // HTML maps C1 numbers to windows-1252 (numeric character reference end state).
        let c = match u8::try_from(code) {
            Ok(byte @ 0x80..=0x9F) => decode_unlogged(Charset::WINDOWS_1252, &[byte])
                .chars()
                .next()?,
            _ => char::from_u32(code)?,
        };
        return (!c.is_ascii() && !is_control(c) && u32::from(c) & 0xFFFE != 0xFFFE).then_some(c);
    }
    let found = ENTITIES.binary_search_by_key(&name, |(known, _)| *known);
    found.ok().map(|at| ENTITIES[at].1)
}
