//! Reads boundaries, file names and `format` from the values of content fields.
//!
//! # Limits
//!
//! Only the first 16 KiB of an embedded message are searched for a header in quoted-printable.

use crate::encoded_word::HeaderContext;
use crate::lexer::{ends_without_case, split_name, starts_without_case};
use crate::params;
use crate::span::Span;
use std::borrow::Cow;

/// Returns true if a parameter of this name, in any form, has a value.
pub(super) fn names_file(list: &[params::RawParam<'_>], name: &[u8]) -> bool {
    let is_it = |base: &[u8]| base.eq_ignore_ascii_case(name);
    list.iter()
        .any(|param| is_it(split_name(param.name).0) && !param.value.is_empty())
}

/// Returns true if the first `format` parameter is `text`.
pub(super) fn has_text_format(list: &[params::RawParam<'_>]) -> bool {
    first_exact(list, b"format")
        .is_some_and(|param| param.value.trim_ascii().eq_ignore_ascii_case(b"text"))
}

/// Returns the first parameter with exactly this name, in any case.
fn first_exact<'l, 'a>(
    list: &'l [params::RawParam<'a>],
    name: &[u8],
) -> Option<&'l params::RawParam<'a>> {
    list.iter()
        .find(|param| param.name.eq_ignore_ascii_case(name))
}

/// The span of a field's value, and its parameters.
type Described<'l, 'a> = (Span, &'l [params::RawParam<'a>]);

/// Returns true if a Content-Type and a Content-Disposition give different file names.
pub(super) fn names_differ(
    content: Described<'_, '_>,
    disposition: Described<'_, '_>,
    raw: &[u8],
    most: usize,
) -> bool {
    let (Some(one), Some(other)) = (
        first_named(content.1, b"name"),
        first_named(disposition.1, b"filename"),
    ) else {
        return false;
    };
    if one.value == other.value && one.name.len() == 4 && other.name.len() == 8 {
        return false;
    }
    if content.0.len() > most || disposition.0.len() > most {
        return false;
    }
    let read = |at: Span, name: &str| {
        let params = params::parse(at.of(raw), &HeaderContext::default(), &mut Vec::new());
        params.get(name).map(str::to_owned)
    };
    let (one, other) = (read(content.0, "name"), read(disposition.0, "filename"));
    one.is_some() && other.is_some() && one != other
}

/// Returns the first parameter whose name begins with `name`.
fn first_named<'l, 'a>(
    list: &'l [params::RawParam<'a>],
    name: &[u8],
) -> Option<&'l params::RawParam<'a>> {
    list.iter()
        .find(|param| starts_without_case(param.name, name))
}

/// Returns the boundary among the parameters `list` of a media type, also in RFC 2231 form. `value` is the whole field value.
pub(super) fn boundary<'a>(
    value: &'a [u8],
    list: &[params::RawParam<'a>],
) -> Option<Cow<'a, [u8]>> {
    let plain = first_exact(list, b"boundary").map(|param| param.value.clone());
    let encoded = || {
        first_named(list, b"boundary*")?;
        let params = params::parse(value, &HeaderContext::default(), &mut Vec::new());
        let text = params.get("boundary")?;
        Some(Cow::Owned(text.as_bytes().to_vec()))
    };
    plain
        .or_else(encoded)
        .map(trim_blanks)
        .filter(|boundary| !boundary.is_empty())
}

fn trim_blanks(boundary: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let length = boundary.trim_ascii_end().len();
    match boundary {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..length]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(length);
            Cow::Owned(bytes)
        }
    }
}

/// Returns true if the header of a message is in quoted-printable: its parameters have `=3D` for `=`.
pub(super) fn is_quoted_header(message: &[u8]) -> bool {
    /// Maximum number of bytes that are examined.
    const WINDOW: usize = 1 << 14;
    let window = &message[..message.len().min(WINDOW)];
    let is_end = |line: &&[u8]| line.trim_ascii().is_empty();
    let mut lines = window
        .split(|b| *b == b'\n')
        .take_while(|line| !is_end(line));
    lines.any(|line| {
        memchr::memmem::find(line, b"=3D").is_some_and(|at| {
            let name = &line[..at];
            ends_without_case(name, b"charset") || ends_without_case(name, b"boundary")
        })
    })
}
