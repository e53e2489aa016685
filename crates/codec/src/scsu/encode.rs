//! Encodes SCSU.
//!
//! Looks some characters ahead: at a character that costs more than one byte it compares the cost of each way for the next
//! characters.
//!
//! # Limits
//! Does not find the smallest output, which needs the whole text.

use super::{DYNAMIC, ODD, SC0, SCU, SD0, SDX, SQ0, SQU, STATIC, UC0, UD0, UDX, UQU};
use crate::encoder_machine::{Encode, Out};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Number of characters to look ahead.
const AHEAD: usize = 24;

/// An SCSU encoder.
#[derive(Clone, Debug)]
pub(crate) struct ScsuEncoder {
    state: WindowState,
    /// The windows by their last use, the one to move first at the front.
    by_use: [u8; 8],
    /// Characters that wait for those after them.
    held: VecDeque<char>,
}

/// Mode and windows.
#[derive(Clone, Debug)]
struct WindowState {
    unicode: bool,
    active: usize,
    windows: [u32; 8],
}

/// A way to write a character.
#[derive(Clone, Copy)]
enum Way {
    /// From this movable window, which stays inactive.
    Quote(usize),
    /// From this fixed window.
    QuoteFixed(usize),
    /// As a unit of UTF-16, in single-byte mode behind a quote.
    Unit,
    Activate(usize),
    /// Moves a window to here and activates it.
    Define(u32),
    UnicodeMode,
}

impl Default for ScsuEncoder {
    fn default() -> Self {
        let state = WindowState {
            unicode: false,
            active: 0,
            windows: DYNAMIC,
        };
        Self {
            state,
            by_use: [7, 4, 3, 2, 6, 5, 1, 0],
            held: VecDeque::new(),
        }
    }
}

impl Encode for ScsuEncoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        for c in text.chars() {
            self.held.push_back(c);
            if self.held.len() > AHEAD {
                self.write_first(out.bytes);
            }
        }
        ControlFlow::Continue(())
    }

    fn neutral(&mut self, out: &mut Out<'_>) {
        while !self.held.is_empty() {
            self.write_first(out.bytes);
        }
    }
}

impl ScsuEncoder {
    /// Writes the first of the characters held.
    fn write_first(&mut self, out: &mut Vec<u8>) {
        let Some(c) = self.held.pop_front() else {
            return;
        };
        let state = &self.state;
        if state.unicode && matches!(c, '\u{3400}'..='\u{D7FF}') {
            push_units(c, out);
        } else if !state.unicode && is_direct(c) {
            out.push(c as u8);
        } else if !state.unicode
            && let Some(byte) = in_window(state.windows[state.active], c)
        {
            out.push(byte);
        } else {
            let way = self.best_way(c);
            self.write(c, way, out);
        }
    }

    /// The cheapest way with what comes behind; of equals the first.
    fn best_way(&self, c: char) -> Way {
        let mut best = (u32::MAX, Way::Unit);
        self.each_way(c, |way| {
            let (cost, state) = self.after(c, way);
            let cost = cost + state.cost_of(self.held.iter());
            if cost < best.0 {
                best = (cost, way);
            }
        });
        best.1
    }

    /// Offers every way to write a character, those that stay first.
    fn each_way(&self, c: char, mut offer: impl FnMut(Way)) {
        let direct = is_direct(c);
        for (window, start) in self.state.windows.iter().enumerate() {
            if direct && self.state.unicode || in_window(*start, c).is_some() {
                offer(Way::Activate(window));
                if !self.state.unicode {
                    offer(Way::Quote(window));
                }
            }
        }
        if !self.state.unicode {
            for (window, start) in STATIC
                .iter()
                .enumerate()
                .filter(|(_, start)| in_window(**start, c).is_some())
            {
                // The first fixed window is ASCII. Only its controls need a quote.
                if *start > 0 || c < ' ' {
                    offer(Way::QuoteFixed(window));
                }
            }
        }
        starts_for(c, |start| offer(Way::Define(start)));
        // The signature is a quote, as the standard has it.
        if !self.state.unicode && c != '\u{FEFF}' {
            offer(Way::UnicodeMode);
        }
        if self.state.unicode || c <= '\u{FFFF}' {
            offer(Way::Unit);
        }
    }

    /// The number of bytes that a way takes, and the state behind it.
    fn after(&self, c: char, way: Way) -> (u32, WindowState) {
        let mut state = self.state.clone();
        let cost = match way {
            Way::Quote(_) | Way::QuoteFixed(_) => 2,
            Way::Unit => state.unit_cost(c) + u32::from(!state.unicode),
            Way::UnicodeMode => {
                state.unicode = true;
                1 + state.unit_cost(c)
            }
            Way::Activate(window) => {
                (state.unicode, state.active) = (false, window);
                2
            }
            Way::Define(start) => {
                let window = usize::from(self.by_use[0]);
                state.windows[window] = start;
                (state.unicode, state.active) = (false, window);
                if start < 0x10000 { 3 } else { 4 }
            }
        };
        (cost, state)
    }

    fn write(&mut self, c: char, way: Way, out: &mut Vec<u8>) {
        let (_, state) = self.after(c, way);
        let was_unicode = self.state.unicode;
        match way {
            Way::Quote(window) => out.push(SQ0 + window as u8),
            Way::QuoteFixed(window) => {
                out.extend_from_slice(&[SQ0 + window as u8, (c as u32 - STATIC[window]) as u8]);
            }
            Way::Unit if !was_unicode => out.push(SQU),
            Way::UnicodeMode => out.push(SCU),
            Way::Unit => {}
            Way::Activate(window) => out.push(if was_unicode { UC0 } else { SC0 } + window as u8),
            Way::Define(start) => {
                let window = self.by_use[0];
                push_definition(
                    window,
                    start,
                    if was_unicode { (UD0, UDX) } else { (SD0, SDX) },
                    out,
                );
            }
        }
        match way {
            Way::Quote(window) => out.extend(in_window(state.windows[window], c)),
            Way::Activate(_) | Way::Define(_) => {
                self.used(state.active);
                out.push(in_window(state.windows[state.active], c).unwrap_or(c as u8));
            }
            Way::Unit | Way::UnicodeMode => {
                if state.unicode && needs_quote(c) {
                    out.push(UQU);
                }
                push_units(c, out);
            }
            Way::QuoteFixed(_) => {}
        }
        self.state = state;
    }

    /// Notes that a window was used.
    fn used(&mut self, window: usize) {
        if let Some(at) = self.by_use.iter().position(|w| usize::from(*w) == window) {
            self.by_use[at..].rotate_left(1);
        }
    }
}

impl WindowState {
    /// Estimates the cost of characters if no window moves.
    fn cost_of<'c>(&self, text: impl Iterator<Item = &'c char>) -> u32 {
        // So far, ending in either mode.
        let (mut single, mut unicode) = if self.unicode { (1, 0) } else { (0, 1) };
        for c in text {
            let (a, b) = (single + self.single_cost(*c), unicode + self.unit_cost(*c));
            (single, unicode) = (a.min(b + 1), b.min(a + 1));
        }
        single.min(unicode)
    }

    fn single_cost(&self, c: char) -> u32 {
        let inside = |start: &u32| in_window(*start, c).is_some();
        if is_direct(c) || inside(&self.windows[self.active]) {
            1
        } else if c < ' ' || self.windows.iter().any(inside) || STATIC[1..].iter().any(inside) {
            2
        } else if c <= '\u{FFFF}' {
            3
        } else {
            4
        }
    }

    /// Bytes of a character in Unicode mode.
    fn unit_cost(&self, c: char) -> u32 {
        2 * c.len_utf16() as u32 + u32::from(self.unicode && needs_quote(c))
    }
}

/// Returns true for a unit that would be a command in Unicode mode.
fn needs_quote(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F2FF}')
}

/// Returns true for a character of one byte in single-byte mode with any windows.
fn is_direct(c: char) -> bool {
    matches!(c, ' '..='\x7F' | '\0' | '\t' | '\r' | '\n')
}

fn in_window(start: u32, c: char) -> Option<u8> {
    (start..start + 0x80)
        .contains(&(c as u32))
        .then(|| (c as u32 - start + 0x80) as u8)
}

/// Offers where a window for a character may begin.
fn starts_for(c: char, mut offer: impl FnMut(u32)) {
    let code = c as u32;
    ODD.iter()
        .filter(|start| in_window(**start, c).is_some())
        .for_each(|start| offer(*start));
    if matches!(code, 0x80..0x3400 | 0xE000..0xFE80 | 0xFF00..0xFFF0 | 0x10000..) {
        offer(code & !0x7F);
    }
}

/// Defines a window by the command for the basic plane, or that for the others.
fn push_definition(window: u8, start: u32, (command, extended): (u8, u8), out: &mut Vec<u8>) {
    if let Some(odd) = ODD.iter().position(|odd| *odd == start) {
        out.extend_from_slice(&[command + window, 0xF9 + odd as u8]);
    } else if start < 0x3400 {
        out.extend_from_slice(&[command + window, (start >> 7) as u8]);
    } else if start < 0x10000 {
        out.extend_from_slice(&[command + window, ((start - 0xAC00) >> 7) as u8]);
    } else {
        let place = (start - 0x10000) >> 7;
        out.extend_from_slice(&[extended, window << 5 | (place >> 8) as u8, place as u8]);
    }
}

fn push_units(c: char, out: &mut Vec<u8>) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        out.extend_from_slice(&unit.to_be_bytes());
    }
}
