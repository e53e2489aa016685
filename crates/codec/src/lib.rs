//! Decodes bytes in a named charset to UTF-8 text and encodes text, with the byte range of every loss. Knows no mail.
//!
//! ```text
//!  label ──► Charset ──► Decoder::{push, finish} ──► text
//!                │                 └──────────────► LossLog: which bytes, what was wrong
//!                └─────► encode ──► bytes
//! ```
//!
//! ```
//! use mailglot_codec::{Charset, LossKind, LossLog, View};
//!
//! let charset = Charset::for_label(b"Shift-JIS", View::Mail).charset().expect("a known label");
//! let mut log = LossLog::new();
//! assert_eq!(charset.decode(b"\x93\xFA\x96\x7B\xFF", &mut log), "日本\u{FFFD}");
//! assert_eq!((log.losses(), log.kept()[0].bytes.clone()), (1, 4..5));
//! assert_eq!(log.kept()[0].kind, LossKind::Invalid);
//! ```
//!
//! # Limits
//! Text is not sanitized: it may contain CR, LF, NUL and ESC. Nothing depends on a locale or on the system's iconv.
#![forbid(unsafe_code)]

mod bocu1;
mod charset;
mod code_page;
mod covers;
mod decode_lossless;
mod decoder;
mod double_byte;
mod encoder;
mod euc_fixed_width;
mod generated;
mod grid;
mod iso2022;
mod koi7;
mod label;
mod loss;
mod mail_repertoire;
mod mixed_ebcdic;
mod mode;
mod multi_byte;
mod options;
mod reversible;
mod script;
mod scsu;
mod sequences;
#[cfg(feature = "serde")]
mod serialize;
mod single_byte;
mod sink;
mod sufficient;
mod utf1;
mod utf16;
mod utf32;
mod utf7;
mod utf8;
mod utf_ebcdic;
mod web;

pub mod bom;
pub mod detect;
pub mod iana;
pub mod imap_utf7;
pub mod io;
pub mod whatwg;

pub use charset::{Charset, UnknownCharset};
pub use decoder::Decoder;
pub use encoder::{EncodeOptions, Encoder, Piece, Unmappable};
pub use label::{Resolved, View};
pub use loss::{Loss, LossKind, LossLog};
pub use mode::Mode;
pub use options::{DecodeOptions, Marks, Repair};
pub use script::Script;
pub use sufficient::{Choice, Prevented, smallest_sufficient};
pub use utf7::carries_utf8 as utf7_carries_utf8;
