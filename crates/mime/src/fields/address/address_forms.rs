//! Recognizes the forms in which programs write addresses, and cleans them.

use crate::encoded_word::{self, AddressToken};
use crate::lexer;
use crate::unlogged::decode_name;

/// Returns true if a name ends in an address in angles, as a program writes it that encodes a whole mailbox: `Jörg <j@b.example>`.
pub(super) fn ends_in_address(name: &str) -> bool {
    let inner = name
        .strip_suffix('>')
        .and_then(|name| name.rsplit_once('<'));
    inner.is_some_and(|(_, address)| {
        let has_halves = address.split_once('@').is_some_and(|(local, domain)| {
            !local.is_empty() && domain.contains('.') && !domain.contains('@')
        });
        has_halves && address.bytes().all(|b| b.is_ascii_graphic())
    })
}

/// Returns the number of tokens after a colon that are the rest of an address of DECnet: `HOST::USER`, `HOST::HOST::USER`.
///
/// Nothing but a comment or a separator follows it. Otherwise the colon ends the name of a group.
pub(super) fn decnet_rest(tokens: &[AddressToken<'_>]) -> usize {
    let mut count = 0;
    loop {
        let (Some(AddressToken::Separator(b':', _)), Some(AddressToken::Text(text, _))) =
            (tokens.get(count), tokens.get(count + 1))
        else {
            return 0;
        };
        if !text.starts_with(|c: char| c.is_ascii_alphanumeric())
            || text.trim_end().contains(|c: char| c.is_ascii_whitespace())
        {
            return 0;
        }
        count += 2;
        match tokens.get(count) {
            None | Some(AddressToken::Separator(b',' | b';', _) | AddressToken::Comment(..)) => {
                return count;
            }
            // Another host follows directly.
            Some(AddressToken::Separator(b':', _))
                if text.ends_with(|c: char| c.is_ascii_alphanumeric()) =>
            {
                count += 1;
            }
            Some(_) => return 0,
        }
    }
}

/// Returns true if a comment is one address: `local@domain`, with a dot in the domain.
pub(super) fn is_bare_address(text: &str) -> bool {
    let is_atom = |text: &str| {
        let no_atom = |c: char| c.is_whitespace() || c.is_control() || "()<>[]:;@\\,\"".contains(c);
        !text.is_empty() && !text.contains(no_atom)
    };
    text.trim().split_once('@').is_some_and(|(local, domain)| {
        is_atom(local) && is_atom(domain) && has_inner_dot(domain) && !text.contains("=?")
    })
}

/// Returns true if a dot stands between letters or digits.
fn has_inner_dot(domain: &str) -> bool {
    let is_inner =
        |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
    let bytes = domain.as_bytes();
    memchr::memchr_iter(b'.', bytes)
        .any(|dot| dot > 0 && is_inner(bytes.get(dot - 1)) && is_inner(bytes.get(dot + 1)))
}

/// Returns true for an address as pipermail writes it: `joe at example.org`.
///
/// Requires ASCII: `normalize` writes other words as encoded words, which are no address. A top-level domain has letters only:
/// `Lunch at 12.30` is a name. Without a comment, which is the name of the sender, so is `Everyone at example.org`.
pub(super) fn is_obscured_address(phrase: &str, has_comment: bool) -> bool {
    let words: Vec<&str> = phrase.split(' ').take(4).collect();
    let [local, at, domain] = words[..] else {
        return false;
    };
    let top = domain.rsplit('.').next().unwrap_or_default();
    let letters = top.bytes().filter(u8::is_ascii_alphabetic).count();
    phrase.is_ascii()
        && !local.is_empty()
        && (has_comment || !local.starts_with(|c: char| c.is_ascii_uppercase()))
        && at.eq_ignore_ascii_case("at")
        && has_inner_dot(domain)
        && letters >= 2
        && !top.contains(|c: char| c.is_ascii_digit())
}

/// Returns true if a text ends in the scheme of an address: `mailto:`.
pub(super) fn ends_with_mailto(text: &str) -> bool {
    text.strip_suffix(':').and_then(before_mailto).is_some()
}

/// Returns the offset of `mailto` or `[mailto` at the end of a text, as a word of its own.
pub(super) fn scheme_start(text: &str) -> Option<usize> {
    let before = before_mailto(text)?;
    let open = before.strip_suffix('[').unwrap_or(before);
    (open.is_empty() || open.ends_with([' ', '\t'])).then_some(open.len())
}

/// Returns the text before `mailto` at its end.
fn before_mailto(text: &str) -> Option<&str> {
    const SCHEME: &str = "mailto";
    let (before, scheme) = text.split_at_checked(text.len().checked_sub(SCHEME.len())?)?;
    scheme.eq_ignore_ascii_case(SCHEME).then_some(before)
}

/// Returns true for a part of an address with white space in it: `a@` or `@b`.
pub(super) fn is_half(address: &str) -> bool {
    address.starts_with('@') || address.ends_with('@')
}

/// Removes white space, comments and the route from an address. Quoted strings stay.
pub(super) fn bare(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let (mut at, mut comments) = (0, true);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = lexer::quoted_end(bytes, at).unwrap_or(bytes.len());
                out.extend(bytes[at..end].iter().filter(|b| !lexer::is_line_end(**b)));
                at = end;
                continue;
            }
            b'(' if comments => {
                if let Some(end) = lexer::comment_end(bytes, at) {
                    at = end;
                    continue;
                }
                comments = false;
                out.push(byte);
            }
            _ if lexer::is_space(byte) => {}
            _ => out.push(byte),
        }
        at += 1;
    }
    let route = out.first() == Some(&b'@');
    let start = if route {
        memchr::memchr(b':', &out).map_or(0, |n| n + 1)
    } else {
        0
    };
    let mut text = String::new();
    encoded_word::push_clean(&decode_name(&out[start..]), &mut text);
    text
}
