//! Mailboxes and groups, and how people read them.
//!
//! # Limits
//!
//! `Display` does not encode words.

use crate::encoded_word::quoted;
use std::fmt;
use std::ops::Range;

/// A mailbox: an address with an optional display name (RFC 5322, section 3.4).
///
/// ```
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::fields::{Entry, addresses};
///
/// let value = b"=?utf-8?Q?J=C3=B6rg?= <j@example.org>, team: a@b.example;";
/// let list = addresses(value, &HeaderContext::default(), &mut Vec::new());
/// assert_eq!(list[0].to_string(), "Jörg <j@example.org>");
/// assert!(matches!(&list[1], Entry::Group { name, list } if name == "team" && list.len() == 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mailbox {
    /// The decoded display name; without one, the last comment after the address (RFC 5322, section A.6.3).
    pub name: Option<String>,
    /// The address as written, without angle brackets, white space and comments. Empty if there is only a name.
    ///
    /// Raw bytes are decoded as in the text of the field. Only an address such as `joe at example.org` contains spaces.
    pub address: String,
    /// Other comments, decoded, without their parentheses.
    pub comments: Vec<String>,
    /// The range in the field value.
    pub at: Range<usize>,
}

/// An entry of a list of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A single mailbox.
    Mailbox(Mailbox),
    /// A group: `name: list;`.
    Group {
        /// Decoded name of the group.
        name: String,
        /// Members; may be empty, as in `undisclosed-recipients:;`.
        list: Vec<Mailbox>,
    },
}

/// Writes `name <address>` for people: the name is decoded, and quoted if it has characters that separate addresses.
impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_deref() {
            None | Some("") => f.write_str(&self.address),
            Some(name) => {
                write_name(name, f)?;
                write!(f, " <{}>", self.address)
            }
        }
    }
}

/// The characters that a name without quotes cannot have (RFC 5322, section 3.2.3), but the dot.
pub(in crate::fields) const SPECIALS: [char; 12] =
    ['(', ')', '<', '>', '[', ']', ':', ';', '@', '\\', ',', '"'];

/// Writes a name, quoted if it has characters that separate addresses.
fn write_name(name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if name.contains(SPECIALS) {
        f.write_str(&quoted(name))
    } else {
        f.write_str(name)
    }
}

/// Writes a mailbox, or `name: list;`. Names are quoted as those of a [`Mailbox`].
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mailbox(mailbox) => mailbox.fmt(f),
            Self::Group { name, list } => {
                write_name(name, f)?;
                f.write_str(":")?;
                for (index, mailbox) in list.iter().enumerate() {
                    write!(f, "{} {mailbox}", if index == 0 { "" } else { "," })?;
                }
                f.write_str(";")
            }
        }
    }
}
