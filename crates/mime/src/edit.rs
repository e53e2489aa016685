//! Changes of a message, and the function that applies them.

use crate::{Recipe, Span};
use std::io::{self, Write};

/// Replaces the bytes of `span` by `with`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace, in the coordinates of the raw message. Empty to insert.
    pub span: Span,
    /// The new bytes.
    pub with: Vec<u8>,
    /// How to compute the old bytes from the new ones, if the planner knows. It is checked before use.
    pub recipe: Option<Recipe>,
}

impl Edit {
    /// Creates an edit without a recipe.
    pub fn new(span: Span, with: impl Into<Vec<u8>>) -> Self {
        Self {
            span,
            with: with.into(),
            recipe: None,
        }
    }
}

/// Writes `raw` with `edits` applied. Copies bytes outside the edits directly from `raw`.
///
/// Edits must be sorted by start and must not overlap, as the planner makes them. Returns the errors of `out`.
pub fn splice(raw: &[u8], edits: &[Edit], out: &mut impl Write) -> io::Result<()> {
    let mut at = 0;
    for edit in edits {
        debug_assert!(
            at <= edit.span.start && edit.span.start <= edit.span.end,
            "edits overlap or are unsorted"
        );
        out.write_all(&raw[at..edit.span.start])?;
        out.write_all(&edit.with)?;
        at = edit.span.end;
    }
    out.write_all(&raw[at..])
}
