//! Recognizes names whose comma lacks quotes: `Smith, John <js@x.example>`.
//!
//! Outlook and X.400 gateways wrote such names. RFC 5322 reads two mailboxes, and the first one has no address.
//!
//! # Limits
//!
//! Both parts need a capital or a letter beyond ASCII: `postmaster, John <j@x.example>` stays two mailboxes. `Ann, Bob <b@x.example>`
//! is one, though Ann may be another person. Of several entries
//! without an address, such as `Ann, Bob, Carl <c@x.example>`, none is part of a name, except before a title.

/// Words before a family name that begin with a small letter: `van den Berg, Jan`.
const PARTICLES: [&str; 30] = [
    "af", "al", "av", "bin", "d'", "da", "das", "de", "del", "della", "den", "der", "des", "di",
    "do", "dos", "du", "el", "ibn", "la", "le", "lo", "los", "ten", "ter", "van", "vom", "von",
    "zu", "zum",
];

/// Local parts that every host has (RFC 2142), which are no family names.
const ROLES: [&str; 8] = [
    "abuse",
    "admin",
    "administrator",
    "hostmaster",
    "mailer-daemon",
    "postmaster",
    "root",
    "webmaster",
];

/// Titles after a name.
const TITLES: [&str; 11] = [
    "CPA", "DDS", "Esq", "II", "III", "IV", "Jr", "MBA", "MD", "PhD", "Sr",
];

/// Returns true if decoded text looks like the part of a name before a comma.
pub(super) fn is_first_part(phrase: &str) -> bool {
    let phrase = phrase.trim();
    // An address such as `John.Smith` or `CN=Smith/O=X` is one word.
    let is_local_part = || {
        !phrase.contains(' ')
            && phrase.is_ascii()
            && !phrase
                .bytes()
                .all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'\''))
    };
    let is_role = || ROLES.iter().any(|role| phrase.eq_ignore_ascii_case(role));
    is_name(phrase) && !is_local_part() && !is_role()
}

/// Returns true if decoded text looks like the part of a name after a comma.
pub(super) fn is_last_part(phrase: &str) -> bool {
    is_name(phrase)
}

/// Returns true if both parts have two words or more, without particles and initials: `Maria Lopez, Peter Jones` are two people.
pub(super) fn are_two_names(first: &str, last: &str) -> bool {
    let is_word = |word: &&str| !PARTICLES.contains(word) && !word.ends_with('.');
    [first, last]
        .iter()
        .all(|part| part.split_whitespace().filter(is_word).count() > 1)
}

/// Returns true for a title after a name, such as `Jr.` or `PhD`.
pub(super) fn is_title(phrase: &str) -> bool {
    let phrase = phrase.trim();
    TITLES.contains(&phrase.strip_suffix('.').unwrap_or(phrase))
}

fn is_name(phrase: &str) -> bool {
    let mut words = phrase.split_whitespace();
    let first = words.find(|word| !PARTICLES.contains(word));
    let begins_name = |c: char| c.is_uppercase() || c.is_alphabetic() && !c.is_ascii();
    first.is_some_and(|word| word.starts_with(begins_name))
        && !phrase.contains(['@', '!', '<', '>', '[', ']', ',', ';', ':', '='])
        && !phrase.chars().any(char::is_control)
}

/// Returns true if a value may contain such a name: an entry without an address before one in angles. Fast.
pub(crate) fn may_have_unquoted_comma(value: &[u8]) -> bool {
    let mut start = 0;
    for comma in memchr::memchr_iter(b',', value) {
        let has_address = memchr::memchr2(b'@', b'<', &value[start..comma]).is_some();
        start = comma + 1;
        if !has_address {
            return memchr::memchr(b'<', &value[start..]).is_some();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_a_capital_or_a_letter_beyond_ascii() {
        for name in [
            "Smith",
            "SMITH",
            "O'Neil",
            "van den Berg",
            "Müller",
            "émile",
            "王",
            "de la Cruz",
        ] {
            assert!(is_first_part(name), "{name}");
        }
        for other in [
            "postmaster",
            "Postmaster",
            "joe",
            "John.Smith",
            "CN=Smith/O=X",
            "host!Joe",
            "J@x",
            "7up",
            "",
            "van",
        ] {
            assert!(!is_first_part(other), "{other}");
        }
        assert!(is_last_part("Dr. J.") && is_last_part("John") && !is_last_part("fred"));
        assert!(are_two_names("Maria Lopez", "Peter Jones"));
        assert!(
            !are_two_names("García López", "Juan") && !are_two_names("van den Berg", "Jan Piet")
        );
        assert!(!are_two_names("Garcia Lopez", "Juan C."));
        assert!(is_title("Jr.") && is_title("PhD") && !is_title("John") && !is_title("John Q."));
    }

    #[test]
    fn most_lists_need_no_search() {
        for (value, want) in [
            ("Smith, John <js@x.example>", true),
            ("a@b.example, Smith, John <js@x.example>", true),
            ("Joe <a@b.example>, Ann <c@d.example>", false),
            ("a@b.example, c@d.example", false),
            ("Thu, 26 Nov 2026", false),
            ("joe, fred", false),
            ("", false),
        ] {
            assert_eq!(may_have_unquoted_comma(value.as_bytes()), want, "{value}");
        }
    }
}
