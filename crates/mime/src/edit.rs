//! A change of a message, and the one function that applies changes.

use crate::{Recipe, Span};
use std::io::{self, Write};

/// Replaces the bytes of `span` by `with`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced, in the coordinates of the raw message. Empty to insert.
    pub span: Span,
    /// The new bytes.
    pub with: Vec<u8>,
    /// How the old bytes can be made again from the new ones, where the planner knows; it is checked before it is used.
    pub recipe: Option<Recipe>,
}

impl Edit {
    /// An edit without a recipe.
    pub fn new(span: Span, with: impl Into<Vec<u8>>) -> Self {
        Self {
            span,
            with: with.into(),
            recipe: None,
        }
    }
}

/// Writes `raw` with `edits` applied. Bytes outside the edits are written straight from `raw`.
///
/// Edits are sorted by start and do not overlap; the planner sees to that, and an overlap is a bug.
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
