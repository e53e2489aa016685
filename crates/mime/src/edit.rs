//! Defines a change of a message, and applies changes.

use crate::recipe::Recipe;
use crate::span::Span;
use std::fmt;
use std::io::{self, Write};

/// A change of a message: `with` replaces the bytes of `span`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace, as a range of the raw message. An empty span inserts.
    pub span: Span,
    /// The new bytes.
    pub with: Vec<u8>,
    /// How to compute the old bytes from the new ones, if the planner knows. [`undo_edits`](crate::undo_edits) checks it.
    pub recipe: Option<Recipe>,
}

impl Edit {
    /// Builds an edit without a recipe.
    pub fn new(span: Span, with: impl Into<Vec<u8>>) -> Self {
        Self {
            span,
            with: with.into(),
            recipe: None,
        }
    }
}

/// An edit that [`splice`] cannot apply: it overlaps the one before it, is not in order, or lies outside the message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidEdit {
    /// The index of the edit in the list.
    pub index: usize,
    /// The span of the edit.
    pub span: Span,
}

impl fmt::Display for InvalidEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, span } = self;
        write!(
            f,
            "edit {index} at {span} overlaps another one or lies outside the message"
        )
    }
}

impl std::error::Error for InvalidEdit {}

/// Returns how many edits at the start of the list are in order, apart from each other and inside the message.
pub(crate) fn valid_edits(raw: &[u8], edits: &[Edit]) -> usize {
    let mut at = 0;
    let is_valid = |edit: &Edit| {
        let fits = at <= edit.span.start && edit.span.start <= edit.span.end;
        at = edit.span.end;
        fits && at <= raw.len()
    };
    let invalid = |valid: bool| !valid;
    let mut valid = edits.iter().map(is_valid);
    valid.position(invalid).unwrap_or(edits.len())
}

/// Returns `raw` with `edits` applied, like [`splice`]. The result of invalid edits is empty.
pub fn spliced(raw: &[u8], edits: &[Edit]) -> Vec<u8> {
    let added: usize = edits.iter().map(|edit| edit.with.len()).sum();
    let mut bytes = Vec::with_capacity(raw.len() + added);
    // Writing to memory cannot fail.
    let _ = splice(raw, edits, &mut bytes);
    bytes
}

/// Writes `raw` with `edits` applied. Bytes outside the edits are written from `raw` without a copy.
///
/// The edits must be sorted by start and must not overlap, as the planner returns them. Otherwise nothing is written, and the error has the
/// kind [`io::ErrorKind::InvalidInput`] and an [`InvalidEdit`] inside.
///
/// ```
/// use mailglot_mime::{Edit, Span, splice};
///
/// let (edit, mut out) = (Edit::new(Span::new(5, 8), "you"), Vec::new());
/// splice(b"tell him all", &[edit.clone()], &mut out)?;
/// assert_eq!(out, b"tell you all");
/// let error = splice(b"short", &[edit], &mut out).unwrap_err();
/// assert_eq!(error.to_string(), "edit 0 at 5..8 overlaps another one or lies outside the message");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn splice(raw: &[u8], edits: &[Edit], out: &mut impl Write) -> io::Result<()> {
    let index = valid_edits(raw, edits);
    if let Some(edit) = edits.get(index) {
        let span = edit.span;
        let error = InvalidEdit { index, span };
        return Err(io::Error::new(io::ErrorKind::InvalidInput, error));
    }
    let mut at = 0;
    for edit in edits {
        out.write_all(&raw[at..edit.span.start])?;
        out.write_all(&edit.with)?;
        at = edit.span.end;
    }
    out.write_all(&raw[at..])
}
