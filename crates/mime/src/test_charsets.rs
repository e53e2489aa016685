//! Charsets and text in them, for unit tests and tests of the whole crate.

#![allow(clippy::panic, reason = "only tests use it")]

use mailglot_codec::Charset;

/// Returns the charset of a name such as `"KOI8-R"`. Panics if no charset has it.
pub(crate) fn charset_named(name: &str) -> Charset {
    Charset::for_name(name).unwrap_or_else(|| panic!("no charset {name}"))
}

/// Encodes text in a charset. Panics if the charset has not every character: `"ж"` in `"ISO-8859-1"`.
pub(crate) fn encoded(charset: &str, text: &str) -> Vec<u8> {
    let bytes = charset_named(charset).encode_exact(text).ok();
    let bytes = bytes.unwrap_or_else(|| panic!("{charset} has not every character of {text}"));
    bytes.into_owned()
}
