//! Quotes the names in the decoded text of an address field, so that the text reads as the addresses of the field.
//!
//! # Limits
//! A name whose text was decoded otherwise than the name of the mailbox stays as it is.

use super::address::SPECIALS;
use super::{Entry, Mailbox};
use crate::encoded_word::quoted;
use std::borrow::Cow;

/// Puts quotes around the names in `text` that need them (RFC 5322, section 3.2.3). One blank stands between name and address.
///
/// `text` is the decoded value of an address field without its quotes, and `list` has its mailboxes. A dot needs no quotes.
///
/// ```
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::fields::{addresses, quote_names};
///
/// let list = addresses(br#""Doe, J." <a@b>, J. Doe <c@d>"#, &HeaderContext::default(), &mut Vec::new());
/// let text = quote_names("Doe, J. <a@b>, J. Doe <c@d>", &list);
/// assert_eq!(text, r#""Doe, J." <a@b>, J. Doe <c@d>"#);
/// ```
pub fn quote_names<'t>(text: &'t str, list: &[Entry]) -> Cow<'t, str> {
    let mut writer = NameWriter {
        text,
        copied: 0,
        out: String::new(),
    };
    for entry in list {
        match entry {
            Entry::Mailbox(one) => writer.mailbox(one),
            Entry::Group { name, list } => {
                writer.name(name, |rest| rest.starts_with(':'));
                for one in list {
                    writer.mailbox(one);
                }
            }
        }
    }
    if writer.copied == 0 {
        return Cow::Borrowed(text);
    }
    writer.out.push_str(&text[writer.copied..]);
    writer.out.into()
}

/// Copies a text, and changes the names in it.
struct NameWriter<'t> {
    text: &'t str,
    /// Bytes of the text that were copied.
    copied: usize,
    out: String,
}

impl NameWriter<'_> {
    fn mailbox(&mut self, mailbox: &Mailbox) {
        let Some(name) = &mailbox.name else { return };
        let address = format!("<{}>", mailbox.address);
        self.name(name, |rest| {
            rest.starts_with(&address) || rest.starts_with('(')
        });
    }

    /// Copies the text up to the end of the next occurrence of a name. `ends` tests what follows it and blanks.
    fn name(&mut self, name: &str, ends: impl Fn(&str) -> bool) {
        if name.is_empty() {
            return;
        }
        let rest = &self.text[self.copied..];
        let mut places = rest.match_indices(name).map(|(at, _)| at);
        let Some(at) = places.find(|at| ends(rest[at + name.len()..].trim_start_matches(BLANKS)))
        else {
            return;
        };
        let after = &rest[at + name.len()..];
        let blanks = after.len() - after.trim_start_matches(BLANKS).len();
        self.out.push_str(&rest[..at]);
        if name.contains(SPECIALS) {
            self.out.push_str(&quoted(name));
        } else {
            self.out.push_str(name);
        }
        self.out.push_str(&" "[..blanks.min(1)]);
        self.copied += at + name.len() + blanks;
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoded_word::HeaderContext;
    use crate::field_kind::FieldKind;
    use crate::fields::{Entry, addresses};
    use crate::header::decode;

    /// Returns names and addresses without their offsets, and the names of groups.
    fn parties(list: &[Entry]) -> Vec<(Option<&str>, &str)> {
        list.iter()
            .flat_map(|entry| match entry {
                Entry::Mailbox(one) => vec![(one.name.as_deref(), &*one.address)],
                Entry::Group { name, list, .. } => {
                    let members = list.iter().map(|one| (one.name.as_deref(), &*one.address));
                    std::iter::once((Some(&**name), ""))
                        .chain(members)
                        .collect()
                }
            })
            .collect()
    }

    #[test]
    fn names_with_specials_are_quoted() {
        for (value, want) in [
            (
                r#""Doe, John" <a@b.c>, "semi; colon" <x@y.z>"#,
                r#""Doe, John" <a@b.c>, "semi; colon" <x@y.z>"#,
            ),
            ("=?utf-8?Q?D=C3=B6e=2C_J?= <a@b>", "\"D\u{f6}e, J\" <a@b>"),
            (r#""a \"b\" \\c" <a@b>"#, r#""a \"b\" \\c" <a@b>"#),
            (r#""x@y" <a@b>, x@y"#, r#""x@y" <a@b>, x@y"#),
            (
                r#""John Q. Public" <a@b>, "Ann" <c@d>"#,
                "John Q. Public <a@b>, Ann <c@d>",
            ),
            (
                r#""A, B": "C: D" <a@b>, e@f;"#,
                r#""A, B": "C: D" <a@b>, e@f;"#,
            ),
            (r#""A, B" (c, d) <a@b>"#, r#""A, B" (c, d) <a@b>"#),
            (r#""A, B"<a@b>"#, r#""A, B"<a@b>"#),
            ("=?utf-8?Q?=C3=BC?= \n      <a@b>", "\u{fc} <a@b>"),
            ("a@b (A, B), \"j d\"@c", "a@b (A, B), \"j d\"@c"),
            (
                r#""A, B" <a@b>, "A, B" <c@d>"#,
                r#""A, B" <a@b>, "A, B" <c@d>"#,
            ),
            ("", ""),
        ] {
            let context = HeaderContext::default();
            let list = addresses(value.as_bytes(), &context, &mut Vec::new());
            let kind = FieldKind::Structured;
            let text = decode(value.as_bytes(), kind, &context, &mut Vec::new());
            let quoted = quote_names(&text, &list);
            assert_eq!(quoted, want, "{value:?}");
            let again = addresses(quoted.as_bytes(), &context, &mut Vec::new());
            assert_eq!(parties(&again), parties(&list), "{value:?}");
        }
    }
}
