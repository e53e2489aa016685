//! Computes the old bytes of an edit from the new ones.
//!
//! A recipe lists the steps that the planner reversed: line ends, names in documents, charset, transfer encoding. It is used only
//! after a trial returned the old bytes; otherwise the old bytes are stored. No trial is needed if each step is known to be
//! lossless. Such steps are line ends of one form, base64 lines as an encoder writes them, and single-byte charsets that are
//! reversible for all bytes (`Charset::comes_back`).
//!
//! # Limits
//! Quoted-printable has no recipe, since writers break its lines in too many ways. The old bytes of such bodies are stored.

use crate::transfer::base64;
use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;

/// Version of the stored form.
const VERSION: u8 = 1;

/// Steps that compute the old bytes of an edit from the new ones. Ledgers store them.
#[derive(Clone, Debug)]
pub struct Recipe {
    bytes: Vec<u8>,
    /// True if the planner has proved that it cannot fail.
    pub(crate) certain: bool,
}

impl PartialEq for Recipe {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Recipe {}

impl Recipe {
    /// Builds a recipe from the bytes of [`Recipe::as_bytes`]. [`Recipe::run`] checks them.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.to_vec(),
            certain: false,
        }
    }

    /// Returns the stored form: a version and a few bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Marks the recipe as lossless, so that it needs no trial.
    pub(crate) fn certain(self) -> Self {
        Self {
            certain: true,
            ..self
        }
    }

    /// Computes the old bytes from the new ones. Returns `None` if the recipe is malformed or does not fit.
    pub fn run(&self, new: &[u8]) -> Option<Vec<u8>> {
        UndoSteps::read(&self.bytes)?.run(new)
    }
}

/// Line ends of the text before it got those of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldEol {
    /// Unchanged.
    Same,
    /// CR LF in a message with LF.
    CrLf,
    /// LF in a message with CR LF.
    Lf,
}

/// A charset name inside a document that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    /// Offset in the patched text.
    pub at: usize,
    /// Length of the new name.
    pub new_length: usize,
    /// The old name.
    pub old: Vec<u8>,
}

/// The lines of a base64 body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Base64Lines {
    /// Characters per line.
    pub width: usize,
    /// True for CR LF, false for LF.
    pub crlf: bool,
    /// True if the last line has a line end.
    pub ended: bool,
}

/// The steps to the old bytes, in the order in which they run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UndoSteps {
    /// Length of a line end that was added at the end.
    pub added_end: usize,
    /// Old line ends.
    pub eol: OldEol,
    /// Names to restore, sorted.
    pub patches: Vec<Patch>,
    /// The charset to encode in; None for UTF-8.
    pub charset: Option<Charset>,
    /// The lines of base64; None if the old body was not encoded.
    pub base64: Option<Base64Lines>,
}

#[cfg(test)]
impl UndoSteps {
    /// The steps of a body that did not change.
    pub(crate) fn none() -> Self {
        Self {
            added_end: 0,
            eol: OldEol::Same,
            patches: Vec::new(),
            charset: None,
            base64: None,
        }
    }
}

impl Base64Lines {
    /// Returns the lines of a base64 body: the width of the first line counts.
    pub(crate) fn of(body: &[u8]) -> Self {
        let width = memchr::memchr2(b'\r', b'\n', body).unwrap_or(body.len());
        let crlf = body.get(width) == Some(&b'\r');
        Self {
            width,
            crlf,
            ended: body.ends_with(b"\n"),
        }
    }

    /// Returns true if encoding the decoded bytes of `body` restores it. `decoded` is their number.
    pub(crate) fn come_back(self, body: &[u8], decoded: usize) -> bool {
        self.width() == self.width
            && base64::comes_back(body, decoded, self.width, self.eol(), self.ended)
    }

    fn eol(self) -> &'static [u8] {
        if self.crlf { b"\r\n" } else { b"\n" }
    }

    /// Returns the width that the encoder supports.
    fn width(self) -> usize {
        self.width.clamp(4, 1 << 20)
    }
}

impl UndoSteps {
    /// Returns the stored form.
    pub(crate) fn recipe(&self) -> Recipe {
        let mut bytes = vec![VERSION, self.added_end as u8, self.eol as u8];
        match self.base64 {
            None => bytes.push(0),
            Some(lines) => {
                bytes.push(1 + u8::from(lines.crlf) * 2 + u8::from(lines.ended) * 4);
                put_number(&mut bytes, lines.width);
            }
        }
        put_bytes(
            &mut bytes,
            self.charset.map_or("", Charset::name).as_bytes(),
        );
        for patch in &self.patches {
            put_number(&mut bytes, patch.at);
            put_number(&mut bytes, patch.new_length);
            put_bytes(&mut bytes, &patch.old);
        }
        Recipe {
            bytes,
            certain: false,
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        if take(&mut rest)? != VERSION {
            return None;
        }
        let added_end = usize::from(take(&mut rest)?);
        let eol = match take(&mut rest)? {
            0 => OldEol::Same,
            1 => OldEol::CrLf,
            2 => OldEol::Lf,
            _ => return None,
        };
        let base64 = match take(&mut rest)? {
            0 => None,
            flags @ (1 | 3 | 5 | 7) => {
                let width = take_number(&mut rest)?;
                Some(Base64Lines {
                    width,
                    crlf: flags & 2 != 0,
                    ended: flags & 4 != 0,
                })
            }
            _ => return None,
        };
        let name = take_bytes(&mut rest)?;
        let charset = match std::str::from_utf8(name).ok()? {
            "" => None,
            name => Some(Charset::for_name(name)?),
        };
        let mut patches = Vec::new();
        while !rest.is_empty() {
            let (at, new_length) = (take_number(&mut rest)?, take_number(&mut rest)?);
            patches.push(Patch {
                at,
                new_length,
                old: take_bytes(&mut rest)?.to_vec(),
            });
        }
        Some(Self {
            added_end,
            eol,
            patches,
            charset,
            base64,
        })
    }

    fn run(&self, new: &[u8]) -> Option<Vec<u8>> {
        let text = &new[..new.len().checked_sub(self.added_end)?];
        let text = match self.eol {
            OldEol::Same => Cow::Borrowed(text),
            OldEol::CrLf => Cow::Owned(to_crlf(text)),
            OldEol::Lf => Cow::Owned(to_lf(text)),
        };
        let text = if self.patches.is_empty() {
            text
        } else {
            Cow::Owned(self.unpatch(&text)?)
        };
        let bytes = match self.charset {
            None => text,
            Some(charset) => {
                let mut log = LossLog::new();
                // Decoding UTF-8 borrows valid text, and is faster than the standard library.
                let Cow::Borrowed(text) = Charset::UTF_8.decode(&text, &mut log) else {
                    return None;
                };
                Cow::Owned(charset.encode_exact(text).ok()?.into_owned())
            }
        };
        match self.base64 {
            None => Some(bytes.into_owned()),
            Some(lines) => {
                let eol = lines.eol();
                let mut out = Vec::with_capacity(bytes.len() / 3 * 4 + bytes.len() / 50 + 8);
                base64::encode_lines(&bytes, lines.width(), eol, &mut out);
                if !lines.ended {
                    out.truncate(out.len().saturating_sub(eol.len()));
                }
                Some(out)
            }
        }
    }

    fn unpatch(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        for patch in &self.patches {
            out.extend_from_slice(text.get(at..patch.at)?);
            out.extend_from_slice(&patch.old);
            at = patch.at.checked_add(patch.new_length)?;
        }
        out.extend_from_slice(text.get(at..)?);
        Some(out)
    }
}

/// Adds a CR before each LF without one.
pub(crate) fn to_crlf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 32);
    let mut at = 0;
    for lf in memchr::memchr_iter(b'\n', text) {
        out.extend_from_slice(&text[at..lf]);
        if lf == 0 || text[lf - 1] != b'\r' {
            out.push(b'\r');
        }
        out.push(b'\n');
        at = lf + 1;
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// Replaces each CR LF by LF.
pub(crate) fn to_lf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    for cr in memchr::memchr_iter(b'\r', text) {
        if text.get(cr + 1) == Some(&b'\n') {
            out.extend_from_slice(&text[at..cr]);
            at = cr + 1;
        }
    }
    out.extend_from_slice(&text[at..]);
    out
}

fn put_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn take(rest: &mut &[u8]) -> Option<u8> {
    let (first, tail) = rest.split_first()?;
    *rest = tail;
    Some(*first)
}

fn take_number(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0usize;
    for shift in (0..63).step_by(7) {
        let byte = take(rest)?;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take_bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_number(rest)?;
    let (bytes, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_form_comes_back() {
        let patches = vec![Patch {
            at: 300,
            new_length: 5,
            old: b"koi8-r".to_vec(),
        }];
        let lines = Base64Lines {
            width: 76,
            crlf: true,
            ended: false,
        };
        for eol in [OldEol::Same, OldEol::CrLf, OldEol::Lf] {
            for base64 in [None, Some(lines)] {
                let charset = Charset::for_name("KOI8-R");
                let all = UndoSteps {
                    added_end: 2,
                    eol,
                    patches: patches.clone(),
                    charset,
                    base64,
                };
                assert_eq!(UndoSteps::read(all.recipe().as_bytes()), Some(all));
            }
        }
    }

    #[test]
    fn malformed_recipes_do_not_run() {
        let good = UndoSteps {
            charset: Some(Charset::ISO_8859_1),
            ..UndoSteps::none()
        }
        .recipe();
        for cut in 0..good.as_bytes().len() {
            let _ = Recipe::from_bytes(&good.as_bytes()[..cut]).run(b"x");
            let mut bytes = good.as_bytes().to_vec();
            for value in 0..=255 {
                bytes[cut] = value;
                let _ = Recipe::from_bytes(&bytes).run(b"x");
            }
        }
        assert_eq!(Recipe::from_bytes(b"").run(b"x"), None);
        assert_eq!(Recipe::from_bytes(&[9, 0, 0, 0, 0]).run(b"x"), None);
    }

    #[test]
    fn line_ends() {
        assert_eq!(to_crlf(b"a\nb\r\n\n"), b"a\r\nb\r\n\r\n");
        assert_eq!(to_lf(b"a\r\nb\rc\n"), b"a\nb\rc\n");
    }
}
