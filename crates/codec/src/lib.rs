//! Decodes bytes in 368 charsets to UTF-8 text and encodes text, with the byte range of every loss.
//!
//! The charsets are those of mail: nearly all of the IANA registry, and vendors' code pages. The crate knows no mail itself: the crate
//! `mailglot-mime` decodes header fields and messages.
//!
//! ```text
//!  label ──► Charset ─┬─► decode, Decoder ──► text
//!                     │         └───────────► LossLog: which bytes, what was wrong
//!                     └─► encode, Encoder ──► bytes
//!  bytes ──► detect ──► Guess: charset, confidence, evidence
//! ```
//!
//! # Decode a charset
//!
//! ```
//! use mailglot_codec::{Charset, LossLog};
//!
//! let charset: Charset = "koi8-r".parse()?;
//! assert_eq!(charset.decode(b"\xF0\xD2\xC9\xD7\xC5\xD4", &mut LossLog::new()), "Привет");
//! # Ok::<(), mailglot_codec::UnknownCharset>(())
//! ```
//!
//! # Report losses
//!
//! ```
//! use mailglot_codec::{Charset, LossLog};
//!
//! let mut log = LossLog::new();
//! assert_eq!(Charset::SHIFT_JIS.decode(b"\x93\xFA\x96\x7B\xFF", &mut log), "日本\u{FFFD}");
//! let lost: Vec<String> = log.kept().iter().map(ToString::to_string).collect();
//! assert_eq!(lost, ["invalid at 4..5"]);
//! ```
//!
//! # Encode text
//!
//! ```
//! use mailglot_codec::{Charset, LossLog, Unmappable};
//!
//! let mut log = LossLog::new();
//! let bytes = Charset::ISO_8859_1.encode("naïve ☃", Unmappable::QuestionMark, &mut log);
//! assert_eq!((&*bytes, log.losses()), (&b"na\xEFve ?"[..], 1));
//! ```
//!
//! # Detect a charset
//!
//! ```
//! # #[cfg(feature = "detect")] {
//! use mailglot_codec::detect::{Hints, detect};
//!
//! let bytes = b"\xC7\xE4\xF0\xE0\xE2\xF1\xF2\xE2\xF3\xE9\xF2\xE5, \xEA\xE0\xEA \xE4\xE5\xEB\xE0?";
//! let guess = detect(bytes, &Hints::default());
//! assert_eq!(guess.charset.name(), "windows-1251");
//! # }
//! ```
//!
//! # Features
//!
//! - `detect` (default): the models of languages for [`detect`]: 1.5 MB, the size of `generated/models.bin`.
//! - `serde`: serializes [`Charset`] and [`LossKind`] by name, and [`Loss`].
//!
//! # Limits
//! Text is not sanitized: it may contain CR, LF, NUL and ESC. Nothing depends on a locale or on the system's iconv.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![allow(
    clippy::inline_always,
    reason = "each machine's `step` must become part of its loop; callgrind counts the instructions"
)]

mod alphabetic;
mod bocu1;
mod charset;
mod code_page;
mod decode;
mod decode_lossless;
mod decoder;
mod double_byte;
mod encoder;
mod encoder_machine;
mod encoding_rs_wrapper;
mod euc_fixed_width;
#[allow(clippy::too_many_lines, reason = "functions of tables")]
mod generated;
mod grid;
mod iso2022;
mod koi7;
mod label;
mod label_view;
mod loss;
mod machine;
mod mail_repertoire;
mod mixed_ebcdic;
mod mode;
mod multi_byte;
mod options;
mod repertoire;
#[cfg(test)]
mod repository_file;
mod reversible;
mod script;
mod scsu;
mod sequences;
#[cfg(feature = "serde")]
mod serialize;
mod single_byte;
mod sink;
mod smallest_sufficient;
mod stateless_unicode;
mod string_table;
mod unencodable;
mod utf1;
mod utf16;
mod utf32;
mod utf7;
mod utf8;
mod utf_ebcdic;

pub mod bom;
pub mod detect;
pub mod iana;
pub mod imap_utf7;
pub mod io;
pub mod whatwg;

#[doc(hidden)]
pub use alphabetic::is_alphabetic;
pub use charset::{Charset, UnknownCharset};
pub use decoder::Decoder;
pub use encoder::{EncodeOptions, Encoder, Piece, Unmappable};
pub use label::Resolved;
pub use label_view::View;
pub use loss::{Loss, LossKind, LossLog};
pub use mode::Mode;
pub use options::{DecodeOptions, Marks, Repair};
pub use script::Script;
pub use smallest_sufficient::{Choice, Prevented, smallest_sufficient};
pub use unencodable::Unencodable;
pub use utf7::carries_utf8 as utf7_carries_utf8;
