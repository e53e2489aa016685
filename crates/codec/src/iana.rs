//! Lists the "Character Sets" registry of IANA (RFC 2978), with the charset that decodes each entry.
//!
//! ```
//! use mailglot_codec::{Charset, iana};
//!
//! let latin = iana::registry().iter().find(|entry| entry.mib == 4).expect("a registered number");
//! assert_eq!((latin.name, latin.mime), ("ISO_8859-1:1987", Some("ISO-8859-1")));
//! assert_eq!(latin.charset(), Some(Charset::ISO_8859_1));
//! ```
//!
//! # Limits
//! The registry of 2022-07-14, without references and descriptions.

mod find;
mod registered;

pub(crate) use find::find;
pub use registered::Registered;

use crate::charset::Charset;
use crate::generated::iana::REGISTRY;
use crate::label_view::View;

impl Registered {
    /// Returns the charset that decodes and encodes this entry: its own, or one that it is another name of.
    pub fn charset(&self) -> Option<Charset> {
        let own = Charset::all().find(|charset| charset.mib() == Some(self.mib));
        own.or_else(|| Charset::for_label(self.name.as_bytes(), View::Mail).charset())
    }
}

/// Returns all entries of the registry, by number.
pub fn registry() -> &'static [Registered] {
    REGISTRY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Resolved;

    /// Charsets of the registry that must decode.
    const BAR: usize = 240;

    fn resolved(label: &str, view: View) -> Resolved {
        Charset::for_label(label.as_bytes(), view)
    }

    #[test]
    fn enough_of_the_registry_decodes_and_the_rest_has_a_reason() {
        assert_eq!(registry().len(), 258);
        assert!(registry().is_sorted_by_key(|entry| entry.mib));
        let decoded = registry()
            .iter()
            .filter(|entry| entry.charset().is_some())
            .count();
        assert!(decoded >= BAR, "{decoded}");
        for entry in registry() {
            assert!(
                entry.charset().is_none() || entry.why_not.is_none(),
                "{entry:?}"
            );
        }
    }

    #[test]
    fn numbers_are_those_of_the_names() {
        for charset in Charset::all() {
            let named = registry().iter().find(|entry| {
                let mut names = entry.aliases.iter().copied().chain([entry.name]);
                names.any(|name| name.eq_ignore_ascii_case(charset.name()))
            });
            // A registered alias of TIS-620, but a charset of its own with a no-break space.
            let named = named.filter(|_| charset != Charset::ISO_8859_11);
            assert_eq!(charset.mib(), named.map(|entry| entry.mib), "{charset}");
        }
    }

    #[test]
    fn every_registered_name_resolves_to_its_charset() {
        for entry in registry() {
            for name in entry.aliases.iter().chain([&entry.name]) {
                let answer = resolved(name, View::Iana);
                assert_eq!(answer, resolved(&name.to_uppercase(), View::Iana), "{name}");
                match entry.charset() {
                    Some(charset) => assert_eq!(answer.charset(), Some(charset), "{name}"),
                    None if entry.name == "UNKNOWN-8BIT" => {
                        assert_eq!(answer, Resolved::NoInformation);
                    }
                    None => assert_eq!(answer, Resolved::Unknown, "{name}"),
                }
                if *name != "ISO-8859-11" {
                    assert_eq!(
                        resolved(name, View::Mail).charset(),
                        entry.charset(),
                        "{name} in mail"
                    );
                }
            }
        }
    }
}
