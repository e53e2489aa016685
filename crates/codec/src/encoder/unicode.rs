//! UTF-8, CESU-8, UTF-16, UTF-32 and what is as simple: encoders that can carry every character.
//!
//! # Limits
//! A byte order mark is written where the label leaves the order open, big-endian, and nowhere else.

use super::out::{Encode, Out};
use crate::utf16::Order;
use std::ops::ControlFlow;

/// UTF-8 (RFC 3629).
#[derive(Debug)]
pub(super) struct Utf8;

impl Encode for Utf8 {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        out.extend(text.as_bytes());
        ControlFlow::Continue(())
    }
}

/// CESU-8 (UTR 26): characters beyond the basic plane as two surrogates of three bytes each.
#[derive(Debug)]
pub(super) struct Cesu8;

impl Encode for Cesu8 {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let mut plain = 0;
        for (at, c) in text.char_indices().filter(|(_, c)| *c > '\u{FFFF}') {
            out.extend(&text.as_bytes()[plain..at]);
            plain = at + c.len_utf8();
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.extend(&[0xED, 0x80 | (*unit >> 6 & 0x3F) as u8, 0x80 | (*unit & 0x3F) as u8]);
            }
        }
        out.extend(&text.as_bytes()[plain..]);
        ControlFlow::Continue(())
    }
}

/// UTF-16 (RFC 2781).
#[derive(Debug)]
pub(super) struct Utf16 {
    order: Option<Order>,
    begun: bool,
}

impl Utf16 {
    pub(super) fn new(order: Option<Order>) -> Self {
        Self { order, begun: false }
    }
}

impl Encode for Utf16 {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        if !std::mem::replace(&mut self.begun, true) && self.order.is_none() {
            out.extend(&[0xFE, 0xFF]);
        }
        let little = self.order == Some(Order::Little);
        out.bytes.reserve(text.len() * 2);
        for unit in text.encode_utf16() {
            out.extend(&if little { unit.to_le_bytes() } else { unit.to_be_bytes() });
        }
        ControlFlow::Continue(())
    }
}

/// UTF-32.
#[derive(Debug)]
pub(super) struct Utf32 {
    order: Option<Order>,
    begun: bool,
}

impl Utf32 {
    pub(super) fn new(order: Option<Order>) -> Self {
        Self { order, begun: false }
    }
}

impl Encode for Utf32 {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        if !std::mem::replace(&mut self.begun, true) && self.order.is_none() {
            out.extend(&[0, 0, 0xFE, 0xFF]);
        }
        let little = self.order == Some(Order::Little);
        out.bytes.reserve(text.len() * 2);
        for c in text.chars() {
            out.extend(&if little { (c as u32).to_le_bytes() } else { (c as u32).to_be_bytes() });
        }
        ControlFlow::Continue(())
    }
}

/// A form in which each character is written without regard to the others.
#[derive(Debug)]
pub(super) struct ByCharacter(pub(super) fn(char, &mut Vec<u8>));

impl Encode for ByCharacter {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        out.bytes.reserve(text.len());
        text.chars().for_each(|c| self.0(c, out.bytes));
        ControlFlow::Continue(())
    }
}
