//! Searches for `=?`, CR and LF.
//!
//! # Limits
//! None.

/// Properties of a run that a loop found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    /// A byte above 7F occurs.
    pub(crate) eight: bool,
    /// A byte below 20 occurs, `~` or 7F.
    pub(crate) control: bool,
    /// `$` or `&` occurs.
    pub(crate) sign: bool,
    /// Offset of the stop.
    pub(crate) stop: Option<usize>,
}

pub(crate) fn portable_look(value: &[u8], from: usize) -> Scan {
    let rest = value.get(from..).unwrap_or_default();
    let stop = memchr::memchr3_iter(b'\r', b'\n', b'=', rest)
        .find(|at| rest[*at] != b'=' || rest.get(at + 1) == Some(&b'?'));
    let piece = &rest[..stop.unwrap_or(rest.len())];
    Scan {
        eight: !piece.is_ascii(),
        control: piece
            .iter()
            .fold(false, |any, byte| any | is_control_or_tilde(*byte)),
        sign: piece
            .iter()
            .fold(false, |any, byte| any | is_dollar_or_ampersand(*byte)),
        stop: stop.map(|at| from + at),
    }
}

fn is_control_or_tilde(byte: u8) -> bool {
    byte.is_ascii_control() || byte == b'~'
}

/// The two differ in one bit.
fn is_dollar_or_ampersand(byte: u8) -> bool {
    byte & !2 == b'$'
}
