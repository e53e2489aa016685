//! Charset declarations inside documents: HTML meta, XML declaration, CSS `@charset`.
//!
//! # Limits
//! Only the first 1,024 bytes are searched (4,096 while an HTML head is open), as browsers do. Scripts and comments are not told apart
//! from markup.

use mailglot_codec::{Charset, Resolved, View};
use memchr::memmem;
use std::ops::Range;

/// How far declarations are looked for.
const NEAR: usize = 1024;
/// How far while an HTML head is still open.
const FAR: usize = 4096;

/// Ranges of the charset names that a document declares about itself, sorted.
pub(crate) fn declarations(bytes: &[u8]) -> Vec<Range<usize>> {
    let near = lower(&bytes[..bytes.len().min(NEAR)]);
    let open_head = memmem::find(&near, b"<head").is_some() && memmem::find(&near, b"</head").is_none();
    let head = if open_head { lower(&bytes[..bytes.len().min(FAR)]) } else { near };
    let mut found = Vec::new();
    for tag in memmem::find_iter(&head, b"<meta") {
        let end = memchr::memchr(b'>', &head[tag..]).map_or(head.len(), |i| tag + i);
        if let Some(at) = memmem::find(&head[tag..end], b"charset") {
            found.extend(value_after(&head[..end], tag + at + b"charset".len(), true));
        }
    }
    if let Some(start) = memmem::find(&head[..head.len().min(64)], b"<?xml") {
        let end = memchr::memchr(b'>', &head[start..]).map_or(head.len(), |i| start + i);
        if let Some(at) = memmem::find(&head[start..end], b"encoding") {
            found.extend(value_after(&head[..end], start + at + b"encoding".len(), true));
        }
    }
    for at in memmem::find_iter(&head, b"@charset") {
        found.extend(value_after(&head, at + b"@charset".len(), false));
    }
    found.sort_by_key(|r| r.start);
    found.dedup();
    found
}

/// The charset that a document declares, if it counts: UTF-16 named in ASCII bytes means UTF-8; others in which ASCII is not
/// ASCII (shifts, EBCDIC) never count.
pub(crate) fn declared_charset(bytes: &[u8]) -> Option<Charset> {
    declarations(bytes).into_iter().find_map(|range| {
        let (Resolved::Exact(charset) | Resolved::Alias(charset)) =
            Charset::for_label(&bytes[range], View::Mail)
        else {
            return None;
        };
        if [Charset::UTF_16, Charset::UTF_16BE, Charset::UTF_16LE, Charset::UTF_32].contains(&charset) {
            return Some(Charset::UTF_8);
        }
        charset.is_ascii_compatible().then_some(charset)
    })
}

/// The language that a document says it is in, by the first `lang` of a tag.
pub(crate) fn language(bytes: &[u8]) -> Option<&str> {
    let near = &bytes[..bytes.len().min(NEAR)];
    let found = lower(near);
    let mut places = memmem::find_iter(&found, b"lang");
    places.find_map(|at| {
        let is_name = at > 0 && (near[at - 1].is_ascii_whitespace() || near[at - 1] == b':');
        let range = value_after(near, at + b"lang".len(), true).filter(|_| is_name)?;
        std::str::from_utf8(&near[range]).ok().filter(|tag| !tag.is_empty())
    })
}

/// Where a document declares another charset than `name`; only the charset names change.
pub(crate) fn patches(text: &[u8], name: &str) -> Vec<Range<usize>> {
    declarations(text)
        .into_iter()
        .filter(|r| !text[r.clone()].eq_ignore_ascii_case(name.as_bytes()))
        .collect()
}

/// The name after an optional `=`, quotes and blanks.
fn value_after(head: &[u8], mut at: usize, equals: bool) -> Option<Range<usize>> {
    let blank = |at: usize| head.get(at).is_some_and(|b| b" \t\r\n".contains(b));
    while blank(at) {
        at += 1;
    }
    if equals {
        if head.get(at) != Some(&b'=') {
            return None;
        }
        at += 1;
        while blank(at) {
            at += 1;
        }
    }
    if head.get(at).is_some_and(|b| b"\"'".contains(b)) {
        at += 1;
    }
    let length = head[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || b"-_.:+".contains(b)).count();
    (length > 0).then(|| at..at + length)
}

fn lower(bytes: &[u8]) -> Vec<u8> {
    bytes.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        declarations(text.as_bytes()).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn declarations_of_each_form() {
        assert_eq!(names("<html><head><META CHARSET=koi8-r></head>"), ["koi8-r"]);
        assert_eq!(
            names("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=Windows-1251\">"),
            ["Windows-1251"]
        );
        assert_eq!(names("<?xml version='1.0' encoding='ISO-8859-2'?><a/>"), ["ISO-8859-2"]);
        assert_eq!(names("@charset \"latin1\";"), ["latin1"]);
        assert_eq!(names("<meta name=charset><p>charset=x"), Vec::<&str>::new());
        assert_eq!(names(&format!("{}<meta charset=koi8-r>", " ".repeat(2000))), Vec::<&str>::new());
    }

    #[test]
    fn wide_and_stateful_declarations() {
        assert_eq!(declared_charset(b"<meta charset=utf-16>"), Some(Charset::UTF_8));
        assert_eq!(declared_charset(b"<meta charset=utf-7>"), None);
        assert_eq!(declared_charset(b"<meta charset=iso-2022-jp>"), None);
        assert_eq!(declared_charset(b"<meta charset=ibm037>"), None);
        assert_eq!(declared_charset(b"<meta charset=viqr>"), None);
    }

    #[test]
    fn only_wrong_names_are_patched() {
        assert_eq!(patches(b"<meta charset=UTF-8>", "utf-8"), Vec::new());
        assert_eq!(patches(b"<meta charset=latin1>", "utf-8"), vec![14..20]);
    }
}
