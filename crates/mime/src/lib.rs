//! A mail message as spans over immutable bytes, and the edits that make it UTF-8. No I/O.
#![forbid(unsafe_code)]

pub mod encoded_word;
pub mod fields;
pub mod header;
pub mod params;
pub mod transfer;

mod charset_choice;
mod document_charset;
mod edit;
mod guess;
mod japanese;
mod lex;
mod limits;
#[cfg(test)]
mod linear;
mod message;
mod normalize;
mod policy;
#[cfg(test)]
mod random;
mod recipe;
mod report;
mod span;
mod text;

pub use charset_choice::{How, Reading};
pub use edit::{Edit, splice};
pub use guess::{GUESSES, Guess, GuessKind};
pub use japanese::iso_2022_jp_form;
pub use limits::Limits;
pub use message::{Eol, MediaType, Message, Part, PartId, PartKind};
pub use normalize::{Outcome, Plan, normalize, plan, plan_parsed, process};
pub use policy::{
    Attachments, Bodies, CharsetMap, CharsetOut, Detection, Headers, OnLoss, Policy, Transfer,
};
pub use recipe::{Recipe, Undo, apply_undo, undo_edits};
pub use report::{Event, EventKind, Report, Severity};
pub use span::Span;
pub use text::{EncodedBlock, TextPart, encoded_blocks, header_context, text_parts};
