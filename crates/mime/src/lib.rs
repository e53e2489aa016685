//! Reads mail in any charset and makes it UTF-8, with the place of every repair and loss.
//!
//! [`Mail`] reads a message: decoded fields, texts and attachments. [`Mail::normalize`] returns the edits that make it UTF-8. Parsing never
//! fails, and nothing here does I/O, so a message is a slice of bytes.
//!
//! ```text
//!  bytes ─► Mail ─┬─► subject, from, to, date, header          decoded text
//!                 ├─► texts                                    text, its charset, its losses
//!                 ├─► attachments, embedded_messages           names and decoded bytes
//!                 └─► normalize(&Policy) ─► Normalized ─┬─► write_to, bytes    the message in UTF-8
//!                                                       ├─► edits, undo        the way there and back
//!                                                       └─► events, report     what was found, where
//! ```
//!
//! # Read a message
//!
//! ```
//! use mailglot_mime::Mail;
//!
//! let raw = b"From: =?koi8-r?B?6dfBzg==?= <ivan@example.org>\n\
//!     Subject: =?koi8-r?B?8NLJ18XU?=\n\
//!     Date: Mon, 2 Mar 1998 10:00:00 +0300\n\
//!     Content-Type: multipart/mixed; boundary=b\n\n\
//!     --b\nContent-Type: text/plain; charset=koi8-r\n\n\xE4\xC1\n\
//!     --b\nContent-Type: image/gif; name=\"=?koi8-r?B?xM/N?=.gif\"\nContent-Transfer-Encoding: base64\n\nR0lGODlh\n--b--\n";
//! let mail = Mail::parse(raw);
//! assert_eq!(mail.subject().as_deref(), Some("Привет"));
//! assert_eq!(mail.from()[0].to_string(), "Иван <ivan@example.org>");
//! assert_eq!(mail.date().map(|date| date.timestamp()), Some(888_822_000));
//! for text in mail.texts() {
//!     assert_eq!((text.as_str(), text.charset().name()), ("Да", "KOI8-R"));
//! }
//! for file in mail.attachments() {
//!     assert_eq!((file.name(), &*file.decoded()), (Some("дом.gif"), &b"GIF89a"[..]));
//! }
//! ```
//!
//! # Decode a header
//!
//! ```
//! use mailglot_mime::encoded_word::HeaderContext;
//! use mailglot_mime::header::{decode, field_kind};
//!
//! let mut findings = Vec::new();
//! let value = b"=?ISO-8859-1?Q?We=92ve?= =?utf-8?B?4pyT?=";
//! // The name says where a field may have encoded words.
//! let kind = field_kind(b"Subject");
//! let text = decode(value, kind, &HeaderContext::default(), &mut findings);
//! assert_eq!(text, "We’ve✓");
//! // The byte 92 is no letter of ISO-8859-1, but one of windows-1252.
//! assert_eq!(findings[0].kind.code(), "charset.superset");
//! ```
//!
//! # Decode a charset
//!
//! ```
//! use mailglot_mime::codec::{Charset, LossLog};
//!
//! let charset: Charset = "windows-1251".parse()?;
//! assert_eq!(charset.decode(b"\xCF\xF0\xE8\xE2\xE5\xF2", &mut LossLog::new()), "Привет");
//! # Ok::<(), mailglot_mime::codec::UnknownCharset>(())
//! ```
//!
//! # Normalize a message
//!
//! ```
//! use mailglot_mime::{Mail, Policy, apply_undo};
//!
//! let raw = b"Subject: Gr\xFC\xDFe\nMIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n\nsch\xF6n\n";
//! let fixed = Mail::parse(raw).normalize(&Policy::default());
//! let mut out = Vec::new();
//! fixed.write_to(&mut out)?;
//! assert_eq!(
//!     String::from_utf8_lossy(&out),
//!     "Subject: =?UTF-8?B?R3LDvMOfZQ==?=\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\
//!      Content-Transfer-Encoding: 8bit\n\nschön\n"
//! );
//! assert_eq!(apply_undo(&out, &fixed.undo()).as_deref(), Some(&raw[..]));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Report losses
//!
//! ```
//! use mailglot_mime::{Mail, Policy, Severity};
//!
//! let raw = b"Content-Type: text/plain; charset=utf-8\n\nBr\xC3\xBCcke \xFF\n";
//! let fixed = Mail::parse(raw).normalize(&Policy::default());
//! let lost: Vec<String> = fixed
//!     .events()
//!     .iter()
//!     .filter(|event| event.kind.severity() == Severity::Loss)
//!     .map(ToString::to_string)
//!     .collect();
//! assert_eq!(lost, ["charset.invalid-bytes at 49..50: invalid-byte in UTF-8"]);
//! ```
//!
//! # Features
//!
//! - `detect` (default): detects charsets of text without a label by models of languages. Without it, [`Detection::Off`] is the default. Text
//!   without a label is then decoded by its byte order mark, its escape sequences or as valid UTF-8, otherwise as windows-1252. The program
//!   `examples/read_message.rs` has 5.0 MB without it and 6.9 MB with it. Measured on 2026-11-25 (x86-64, Rust 1.95) in a package of its own
//!   that depends on this crate only, with `cargo build --release` and `strip = true`.
//! - `serde`: serializes [`Report`], [`Event`], [`EventKind`], [`Severity`], [`Span`], [`PartId`], [`Reading`] and [`Guess`].
//!
//! # Limits
//! Composes no messages, verifies no signatures, and opens no archives: see the crates `mailglot-archive` and `mailglot-pipeline`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod encoded_word;
pub mod fields;
pub mod header;
pub mod params;
pub mod transfer;

mod charset_choice;
mod document_charset;
mod edit;
mod event;
mod field_kind;
#[allow(clippy::too_many_lines, reason = "functions of tables")]
mod generated;
mod guess;
mod japanese;
mod lexer;
mod limits;
#[cfg(test)]
mod linear;
mod mail;
mod media_type;
mod message;
mod named_enum;
mod normalize;
mod part_id;
mod policy;
#[cfg(test)]
mod random;
mod reading;
mod recipe;
mod report;
#[cfg(feature = "serde")]
mod serialize;
mod setters;
#[cfg(test)]
mod shared_material;
mod span;
mod split_folds;
#[cfg(test)]
mod test_charsets;
mod text;
mod undo;
mod unlogged;

pub use mailglot_codec as codec;

#[doc(hidden)]
pub use document_charset::{charset_in_file, declares_charset};
pub use edit::{Edit, InvalidEdit, splice, spliced};
pub use event::{
    BlockCheck, ChosenBy, Detail, EncodingMeaning, Event, EventKind, FileKind, Finding, NonText,
    Reason, Severity,
};
pub use guess::{GUESSES, Guess, GuessKind};
pub use japanese::iso_2022_jp_form;
#[doc(hidden)]
pub use lexer::quoted_end;
pub use limits::Limits;
pub use mail::{Attachment, EmbeddedMessage, Mail, Normalized};
pub use media_type::MediaType;
#[doc(hidden)]
pub use message::LineRule;
pub use message::{Eol, Message, Part, PartKind};
pub use normalize::{
    Outcome, Plan, Shortened, has_signed_body, plan, plan_parsed, process, shortened,
};
#[doc(hidden)]
pub use normalize::{decoded_messages, file_kind, unchecked_edits};
pub use part_id::PartId;
pub use policy::{
    Attachments, Bodies, CharsetMap, CharsetOut, Declarations, Detection, Headers, OnLoss, Policy,
    Transfer,
};
pub use reading::{How, Reading};
pub use recipe::Recipe;
pub use report::Report;
pub use span::Span;
pub use text::{EncodedBlock, TextPart, encoded_blocks, header_context, text_as_read, text_parts};
pub use undo::{OldBytes, Undo, apply_undo, undo_edits};
