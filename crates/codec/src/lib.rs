//! Bytes in a named charset to UTF-8 text and back, with an exact account of loss. Knows no mail.
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

mod charset;
mod decoder;
mod double_byte;
mod encoder;
mod generated;
mod hz;
mod iso2022;
mod iso2022_kr;
mod label;
mod loss;
mod single_byte;
mod sink;
mod utf16;
mod utf32;
mod utf7;
mod utf8;
mod web;

pub mod bom;
pub mod detect;
pub mod imap_utf7;

pub use charset::Charset;
pub use decoder::{Decoder, Mode};
pub use encoder::Unmappable;
pub use label::{Resolved, View};
pub use loss::{Loss, LossKind, LossLog};
