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
mod event;
mod guess;
mod japanese;
mod lex;
mod limits;
#[cfg(test)]
mod linear;
mod message;
mod normalize;
mod part_id;
mod policy;
#[cfg(test)]
mod random;
mod reading;
mod recipe;
mod report;
mod span;
mod text;
mod undo;

pub use edit::{Edit, splice};
pub use event::{
    BlockCheck, ChosenBy, Detail, Event, EventKind, FileKind, Finding, NonText, Reason, Severity,
};
pub use guess::{GUESSES, Guess, GuessKind};
pub use japanese::iso_2022_jp_form;
pub use limits::Limits;
pub use message::{Eol, MediaType, Message, Part, PartKind};
pub use normalize::{Outcome, Plan, normalize, plan, plan_parsed, process};
pub use part_id::PartId;
pub use policy::{
    Attachments, Bodies, CharsetMap, CharsetOut, Detection, Headers, OnLoss, Policy, Transfer,
};
pub use reading::{How, Reading};
pub use recipe::Recipe;
pub use report::Report;
pub use span::Span;
pub use text::{EncodedBlock, TextPart, encoded_blocks, header_context, text_as_read, text_parts};
pub use undo::{Undo, apply_undo, undo_edits};
