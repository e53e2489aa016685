//! Finds signs of damage that a repair may undo. Fast, since nearly all texts have none.
//!
//! # Limits
//!
//! A sign proves nothing: [`super::repair`] decides. Nested words have signs of their own.

#![allow(
    clippy::needless_bitwise_bool,
    reason = "lazy operators would keep the loops from becoming vector code"
)]

use super::html_entity::first_entity;

/// Number of bytes that are examined together. The compiler turns the loops over them into vector code.
const BLOCK: usize = 16;

/// Number of bytes that follow the first byte of a sign.
const AFTER: usize = 2;

/// Returns true if a text has a sign of damage.
#[inline]
pub(super) fn may_be_damaged(text: &[u8]) -> bool {
    let is_candidate = |bytes: [u8; 3]| is_ascii_candidate(bytes[0]) | is_misread_candidate(bytes);
    has_candidate(text, is_candidate) && has_sign(text)
}

/// Like [`may_be_damaged`], for the text of words, which may also have nested words.
#[inline]
pub(super) fn word_may_be_damaged(text: &[u8]) -> bool {
    let is_candidate = |bytes: [u8; 3]| {
        is_ascii_candidate(bytes[0])
            | is_misread_candidate(bytes)
            | (bytes[0] == b'=') & (bytes[1] == b'?')
    };
    has_candidate(text, is_candidate)
        && (has_sign(text) || memchr::memmem::find(text, b"=?").is_some())
}

#[cold]
pub(super) fn has_sign(text: &[u8]) -> bool {
    memchr::memchr3_iter(b'&', b'$', 0xC3, text).any(|at| begins_damage(&text[at..]))
}

/// Returns the offset of the first sign of damage in ASCII.
pub(crate) fn find_damaged_ascii(text: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'&', b'$', text).find(|&at| begins_damage(&text[at..]))
}

/// Returns the offset of the first sign of misread UTF-8 at or after `from`.
///
/// Misread UTF-8 begins with one of `Â` to `ô` and a character of 80 to BF in windows-1252 or ISO-8859-1.
pub(super) fn find_misread(text: &[u8], from: usize) -> Option<usize> {
    /// Long blocks, since texts may be long.
    const LONG: usize = 4 * BLOCK;
    let rest = text.get(from..)?;
    // Text in other scripts than Latin has no such byte.
    let mut at = from + memchr::memchr(0xC3, rest)?;
    while let Some(block) = text.get(at..at + LONG + AFTER) {
        if block_has::<LONG>(block, is_misread_candidate)
            && let Some(found) = (at..at + LONG).find(|at| begins_misread(&text[*at..]))
        {
            return Some(found);
        }
        at += LONG;
    }
    (at..text.len()).find(|at| begins_misread(&text[*at..]))
}

/// Returns true if a text may begin with damage.
pub(super) fn begins_damage(text: &[u8]) -> bool {
    match text {
        [b'&', ..] => first_entity(text).is_some(),
        [b'$', b'B' | b'@', pairs @ ..] => pairs
            .get(..4)
            .is_some_and(|pairs| pairs.iter().all(u8::is_ascii_graphic)),
        _ => begins_misread(text),
    }
}

/// Returns true if as many characters follow a first byte of UTF-8 as its sequence has, which may be its other bytes. `ë’s` is no sequence.
fn begins_misread(text: &[u8]) -> bool {
    let [0xC3, first @ 0x82..=0xB4, rest @ ..] = text else {
        return false;
    };
    // The second byte of U+00C2 to U+00F4 in UTF-8.
    let others = match first {
        ..=0x9F => 1,
        0xA0..=0xAF => 2,
        _ => 3,
    };
    let mut rest = rest;
    (0..others).all(|_| {
        let length = match rest.first() {
            Some(0xC2 | 0xC5 | 0xC6 | 0xCB) => 2,
            Some(0xE2) => 3,
            _ => return false,
        };
        rest = rest.get(length..).unwrap_or_default();
        true
    })
}

/// Returns true for `$` and `&`.
#[inline]
fn is_ascii_candidate(byte: u8) -> bool {
    byte & !2 == b'$'
}

/// Returns true if two letters of Latin-1, or one and a sign, stand side by side, except `çã` and the like.
#[inline]
fn is_misread_candidate(bytes: [u8; 3]) -> bool {
    (bytes[0] == 0xC3) & (bytes[2] >= 0xC2) & (bytes[2] != 0xC3)
}

/// Returns true if `test` is true for three bytes of the text in a row.
#[inline]
fn has_candidate(text: &[u8], test: impl Fn([u8; 3]) -> bool + Copy) -> bool {
    const WHOLE: usize = BLOCK + AFTER;
    let Some(last) = text.len().checked_sub(WHOLE) else {
        let at = |index: usize| text.get(index).copied().unwrap_or(0);
        return (0..text.len()).any(|index| test([at(index), at(index + 1), at(index + 2)]));
    };
    let mut at = 0;
    while at < last {
        if block_has::<BLOCK>(&text[at..at + WHOLE], test) {
            return true;
        }
        at += BLOCK;
    }
    block_has::<BLOCK>(&text[last..], test)
}

/// Returns true if `test` is true for one of the first `N` bytes of a block and the two bytes after it.
#[inline]
fn block_has<const N: usize>(block: &[u8], test: impl Fn([u8; 3]) -> bool) -> bool {
    let (first, second, third) = (&block[..N], &block[1..=N], &block[2..N + 2]);
    let mut found = 0;
    for index in 0..N {
        found |= u8::from(test([first[index], second[index], third[index]]));
    }
    found != 0
}
