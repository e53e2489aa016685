//! Writing: ASCII as it is, everything else by the table.
//!
//! # Limits
//! Of several codes of one character the lowest is written.

use super::layout::Layout;
use crate::encoder::{Encode, Out};
use crate::grid::{Reverse, Set};
use crate::sink::{ascii_8, ascii_run};
use std::ops::ControlFlow;

/// An encoder of one layout and table.
#[derive(Debug)]
pub(crate) struct Encoder {
    layout: Layout,
    reverse: &'static Reverse,
    /// A character that may become one with the next.
    held: Option<char>,
}

impl Encoder {
    pub(crate) fn new(layout: Layout, set: Set) -> Self {
        Self { layout, reverse: set.reverse(), held: None }
    }

    /// Writes a character that is not ASCII; false if there is no code for it.
    fn character(&self, c: char, out: &mut Out<'_>) -> bool {
        let written = match self.reverse.code(c) {
            0 => self.layout.single(c),
            code => Some(self.layout.bytes(code)),
        };
        if let Some((bytes, len)) = written {
            out.extend(&bytes[..len]);
        }
        written.is_some()
    }

    /// Writes what is held, with the next character if they are one; whether they are.
    fn join(&mut self, next: char, out: &mut Out<'_>) -> bool {
        let Some(first) = self.held else { return false };
        let code = self.reverse.sequence([first, next]);
        if code == 0 {
            self.neutral(out);
            return false;
        }
        let (bytes, len) = self.layout.bytes(code);
        out.extend(&bytes[..len]);
        self.held = None;
        true
    }
}

impl Encode for Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let bytes = text.as_bytes();
        out.bytes.reserve(text.len());
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if *byte < 0x80 {
                self.neutral(out);
                let run = if ascii_8(&bytes[at..]).is_some() { ascii_run(&bytes[at..]) } else { 1 };
                out.extend(&bytes[at..at + run]);
                at += run;
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            if !self.join(c, out) {
                if self.reverse.begins_sequence(c) {
                    self.held = Some(c);
                } else if !self.character(c, out) {
                    return ControlFlow::Break(at);
                }
            }
            at += c.len_utf8();
        }
        ControlFlow::Continue(())
    }

    fn neutral(&mut self, out: &mut Out<'_>) {
        if let Some(c) = self.held.take() {
            self.character(c, out);
        }
    }
}
