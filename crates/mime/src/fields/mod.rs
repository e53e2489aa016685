//! Parses values of structured fields: addresses, dates, identifiers, trace fields.
//!
//! The lexer of encoded words splits addresses before decoding. So a name that decodes to a comma, an angle or an `@` stays a name.
//! Addresses are given as written, never decoded.
//!
//! # Limits
//!
//! Parsing never fails. Whatever cannot be parsed is missing or empty.

mod address;
mod date;
mod identifier;
mod quoted_names;
mod received;

pub use address::{Entry, Mailbox, addresses, addresses_of, is_about_names};
pub(crate) use address::{has_several_addresses, may_have_unquoted_comma};
pub(crate) use date::is_plain as is_plain_date;
pub use date::{Date, date};
pub use identifier::identifiers;
pub use quoted_names::quote_names;
pub use received::{Received, received};

use crate::encoded_word::HeaderContext;
use crate::event::Finding;
use crate::field_kind::{FieldKind, OpaqueValue};
use crate::generated::header_fields;
use crate::header::{self, field_kind};
use crate::params::{self, Params};

/// A parsed field value. The name of the field decides its form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Decoded text.
    Text(String),
    /// Mailboxes and groups (RFC 5322, section 3.4).
    Addresses(Vec<Entry>),
    /// A date (RFC 5322, section 3.3); `None` if it cannot be parsed.
    Date(Option<Date>),
    /// Message identifiers without angle brackets (RFC 5322, section 3.6.4).
    Identifiers(Vec<String>),
    /// A Received field (RFC 5321, section 4.4).
    Received(Box<Received>),
    /// A media type or disposition with parameters (RFC 2045, section 5; RFC 2183).
    Parameters(Params),
    /// Any other value: unfolded, not decoded.
    Raw(String),
}

/// Parses a value according to the name of its field.
///
/// ```
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::fields::{Value, read};
///
/// let value = read(b"Subject", b" =?utf-8?Q?=C3=A9?=", &HeaderContext::default(), &mut Vec::new());
/// assert_eq!(value, Value::Text("é".into()));
/// ```
pub fn read(
    name: &[u8],
    value: &[u8],
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Value {
    let name = name.to_ascii_lowercase();
    match field_kind(&name) {
        FieldKind::Structured => Value::Addresses(addresses_of(&name, value, context, findings)),
        FieldKind::Parameters => Value::Parameters(params::parse(value, context, findings)),
        kind @ (FieldKind::Unstructured | FieldKind::Phrases | FieldKind::Comments) => {
            Value::Text(trimmed(&header::decode(value, kind, context, findings)))
        }
        FieldKind::Opaque => match header_fields::opaque_value(&name) {
            OpaqueValue::Addresses => Value::Addresses(addresses(value, context, findings)),
            OpaqueValue::Date => Value::Date(date(value)),
            OpaqueValue::Identifiers => Value::Identifiers(identifiers(value)),
            OpaqueValue::Received => Value::Received(Box::new(received(value))),
            OpaqueValue::Text => {
                let kind = FieldKind::Opaque;
                Value::Raw(trimmed(&header::decode(value, kind, context, findings)))
            }
        },
    }
}

fn trimmed(text: &str) -> String {
    text.trim_matches([' ', '\t']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_of_their_field() {
        let read = |name: &str, value: &str| {
            read(
                name.as_bytes(),
                value.as_bytes(),
                &HeaderContext::default(),
                &mut Vec::new(),
            )
        };
        assert_eq!(
            read("Subject", " =?utf-8?Q?=C3=BC?=\r\n x\r\n"),
            Value::Text("ü x".into())
        );
        assert!(matches!(read("FROM", "a@b.example"), Value::Addresses(list) if list.len() == 1));
        assert!(matches!(read("Date", "nonsense"), Value::Date(None)));
        assert_eq!(
            read("References", "<a@b> <c@d>"),
            Value::Identifiers(vec!["a@b".into(), "c@d".into()])
        );
        assert!(
            matches!(read("Content-Type", "a/b"), Value::Parameters(params) if params.value == "a/b")
        );
        assert!(matches!(
            read("Received", "from a by b; x"),
            Value::Received(_)
        ));
        assert_eq!(read("MIME-Version", " 1.0 "), Value::Raw("1.0".into()));
        assert_eq!(
            read("Keywords", "=?utf-8?Q?=C3=BC?=, b"),
            Value::Text("ü, b".into())
        );
    }
}
