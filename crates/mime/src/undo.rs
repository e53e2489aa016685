//! Inverts a list of edits, and rebuilds the original from an edited message.

use crate::edit::{Edit, valid_edits};
use crate::recipe::Recipe;
use crate::span::Span;
use std::borrow::Cow;

/// The inverse of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undo {
    /// The place of the new bytes in the spliced message.
    pub span: Span,
    /// The old bytes.
    pub old: OldBytes,
}

impl Undo {
    /// Builds an undo that puts `old` in the place of the bytes at `span`.
    pub fn new(span: Span, old: OldBytes) -> Self {
        Self { span, old }
    }
}

/// The bytes that an edit replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OldBytes {
    /// The bytes themselves.
    Kept(Vec<u8>),
    /// The steps that compute them from the new bytes.
    Computed(Recipe),
}

impl OldBytes {
    /// Returns the bytes. `new` are those that replaced them. Returns `None` if the steps do not fit.
    pub fn get(&self, new: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Kept(bytes) => Some(Cow::Borrowed(bytes)),
            Self::Computed(recipe) => recipe.run(new).map(Cow::Owned),
        }
    }
}

/// Inverts a list of edits.
///
/// Each undo has a span of the new bytes, and a recipe or the old bytes. It keeps the old bytes if the recipe does not reproduce them. The list
/// ends before the first edit that [`splice`](crate::splice) rejects.
pub fn undo_edits(raw: &[u8], edits: &[Edit]) -> Vec<Undo> {
    let edits = &edits[..valid_edits(raw, edits)];
    let mut undo = Vec::with_capacity(edits.len());
    let (mut old_at, mut new_at) = (0, 0);
    for edit in edits {
        new_at += edit.span.start - old_at;
        let span = Span::new(new_at, new_at + edit.with.len());
        let old = edit.span.of(raw);
        let fits = |r: &Recipe| r.run(&edit.with).is_some_and(|made| made == old);
        let recipe = edit.recipe.as_ref().filter(|r| r.certain || fits(r));
        debug_assert!(recipe.is_none_or(fits), "a certain recipe fails");
        undo.push(Undo {
            span,
            old: match recipe {
                Some(recipe) => OldBytes::Computed(recipe.clone()),
                None => OldBytes::Kept(old.to_vec()),
            },
        });
        (old_at, new_at) = (edit.span.end, span.end);
    }
    undo
}

/// Rebuilds the original from the spliced message. Returns `None` if an undo does not fit.
///
/// ```
/// use mailglot_mime::{Policy, apply_undo, process, undo_edits};
///
/// let raw = b"Subject: Caf\xE9\n\n";
/// let new = process(raw, &Policy::default());
/// let undo = undo_edits(raw, &new.edits);
/// assert_eq!(apply_undo(&new.bytes, &undo).as_deref(), Some(&raw[..]));
/// ```
pub fn apply_undo(new: &[u8], undo: &[Undo]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(new.len() + new.len() / 4);
    let mut at = 0;
    for step in undo {
        out.extend_from_slice(new.get(at..step.span.start)?);
        let changed = new.get(step.span.start..step.span.end)?;
        out.extend_from_slice(&step.old.get(changed)?);
        at = step.span.end;
    }
    out.extend_from_slice(new.get(at..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{Base64Lines, OldEol, UndoSteps};
    use mailglot_codec::Charset;

    #[test]
    fn a_wrong_recipe_is_not_kept() {
        let edit = Edit {
            span: Span::new(1, 3),
            with: "é".into(),
            recipe: Some(
                UndoSteps {
                    charset: Some(Charset::ISO_8859_1),
                    ..UndoSteps::none()
                }
                .recipe(),
            ),
        };
        let raw = b"a=Ez";
        let undo = undo_edits(raw, std::slice::from_ref(&edit));
        assert_eq!(undo[0].old, OldBytes::Kept(b"=E".to_vec()));
        assert_eq!(
            apply_undo("aéz".as_bytes(), &undo).as_deref(),
            Some(raw.as_slice())
        );
    }

    #[test]
    fn a_recipe_that_fits_is_kept() {
        let steps = UndoSteps {
            eol: OldEol::CrLf,
            charset: Some(Charset::ISO_8859_1),
            base64: Some(Base64Lines {
                width: 76,
                crlf: false,
                ended: true,
            }),
            ..UndoSteps::none()
        };
        let edit = Edit {
            span: Span::new(0, 9),
            with: "é\nü".into(),
            recipe: Some(steps.recipe()),
        };
        let undo = undo_edits(b"6Q0K/A==\n", std::slice::from_ref(&edit));
        assert!(matches!(undo[0].old, OldBytes::Computed(_)));
        assert_eq!(
            apply_undo("é\nü".as_bytes(), &undo).as_deref(),
            Some(b"6Q0K/A==\n".as_slice())
        );
    }
}
