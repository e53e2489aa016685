//! The inner loops, and the only code of this crate that is not checked by the compiler.
//!
//! Two things here are `unsafe`: stores behind the end of a text into room that is reserved but not yet part of it, so
//! that a character takes one store whatever its length, and loads and stores of vector registers. What makes them
//! sound stands in [`writer`]; only characters ([`Packed`]) and bytes that a function has itself found to be text
//! get there. The bytes of base64 are no text, and go to a vector of bytes in the same way.
//! Beside every function stands a safe one that does the same, and tests compare the two.
//!
//! # Limits
//! Vector instructions are AVX2, and for short pieces and pages of letters AVX-512, asked for at run time. Every other machine runs the portable loops; for base64 in lines there is none.
#![allow(unsafe_code, reason = "the one place where it pays; see above")]

mod ascii;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod base64;
mod json;
mod packed;
mod scan;
mod short;
mod table;
mod units;
mod utf7;
mod utf8;
mod writer;

pub(crate) use ascii::{ascii_text, copy_ascii, push_ascii};
pub(crate) use base64::lines as base64_lines;
pub(crate) use json::json;
pub(crate) use packed::Packed;
pub(crate) use scan::{Suspects, fetch, highs, look, suspect};
pub(crate) use short::{MOST, ROOM, base64 as short_base64, escapes as short_escapes};
pub(crate) use table::{
    Leads, NEXT_LINE, Page, Pairs, jis_pairs, pairs, short_pairs, single_bytes,
};
pub(crate) use units::utf16;
pub(crate) use utf7::{Shifted, shifted, text as utf7_text};
pub(crate) use utf8::{Checked, check_utf8, push_utf8, text, valid_prefix};
pub(crate) use writer::push;

/// The first bytes; where there are fewer, with others behind them.
#[inline]
fn filled<'a, const N: usize>(
    bytes: &'a [u8],
    with: u8,
    room: &'a mut Option<[u8; N]>,
) -> &'a [u8; N] {
    match bytes.first_chunk() {
        Some(block) => block,
        None => room.insert(padded(bytes, with)),
    }
}

#[cold]
fn padded<const N: usize>(bytes: &[u8], with: u8) -> [u8; N] {
    let mut block = [with; N];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}
