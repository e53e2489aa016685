//! Parses and writes the value of `smtpd_milters` and `non_smtpd_milters`: `inet:a:1, { unix:b, default_action=tempfail }`.

use std::fmt::Write as _;

/// The two lists of milters.
pub(super) const LISTS: [&str; 2] = ["smtpd_milters", "non_smtpd_milters"];

/// Options of one milter (`smtpd_milters` in postconf(5)).
const OPTIONS: [&str; 5] = [
    "connect_timeout",
    "command_timeout",
    "content_timeout",
    "default_action",
    "protocol",
];
/// Address families that Postfix knows here. With any other it defers each message ("451 4.3.5 Server configuration problem").
const FAMILIES: [&str; 3] = ["unix:", "local:", "inet:"];

/// One milter of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Milter {
    /// With its family: `inet:127.0.0.1:8890`.
    pub(super) address: String,
    options: Vec<(String, String)>,
    /// Words that are no `KEY=VALUE`; Postfix takes no mail with them.
    pub(super) malformed: Vec<String>,
}

impl Milter {
    /// A milter that defers mail while it is away.
    pub(super) fn deferring(address: &str) -> Self {
        let mut milter = Self {
            address: address.to_owned(),
            options: Vec::new(),
            malformed: Vec::new(),
        };
        milter.set("default_action", "tempfail");
        milter
    }

    /// The value of an option. Postfix takes the last one of several.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Sets an option, once.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.unset(name);
        self.options.push((name.to_owned(), value.to_owned()));
    }

    /// Removes an option.
    pub(super) fn unset(&mut self, name: &str) {
        self.options.retain(|(key, _)| key != name);
    }

    /// The path of a Unix socket, as written.
    pub(super) fn path(&self) -> Option<&str> {
        ["unix:", "local:"]
            .iter()
            .find_map(|family| self.address.strip_prefix(family))
    }

    /// Returns true if Postfix knows the address family.
    pub(super) fn has_family(&self) -> bool {
        FAMILIES
            .iter()
            .any(|family| self.address.starts_with(family))
    }
}

/// Parses a list of milters, separated by white space or commas.
pub(super) fn parse(value: &str) -> Vec<Milter> {
    let mut chain = Vec::new();
    for word in words(value) {
        let mut parts = words(inside(word)).into_iter();
        let Some(address) = parts.next() else {
            continue;
        };
        let mut milter = Milter {
            address: address.to_owned(),
            options: Vec::new(),
            malformed: Vec::new(),
        };
        if word.starts_with('{') && !word.ends_with('}') {
            milter.malformed.push(word.to_owned());
        }
        for part in parts {
            match inside(part).split_once('=') {
                Some((key, value)) if OPTIONS.contains(&key.trim()) => {
                    milter
                        .options
                        .push((key.trim().to_owned(), value.trim().to_owned()));
                }
                _ => milter.malformed.push(part.to_owned()),
            }
        }
        chain.push(milter);
    }
    chain
}

/// Writes a list of milters without malformed words; for options of a service without white space.
pub(super) fn write(chain: &[Milter], spaced: bool) -> String {
    let (space, comma) = if spaced { (" ", ", ") } else { ("", ",") };
    let mut text = String::new();
    for milter in chain {
        if !text.is_empty() {
            text.push_str(comma);
        }
        if milter.options.is_empty() {
            text.push_str(&milter.address);
            continue;
        }
        // Writing to memory cannot fail.
        let _ = write!(text, "{{{space}{}", milter.address);
        for (key, value) in &milter.options {
            let _ = write!(text, "{comma}{key}={value}");
        }
        let _ = write!(text, "{space}}}");
    }
    text
}

/// Splits at white space and commas, but not within braces.
pub(super) fn words(text: &str) -> Vec<&str> {
    split(text, |c| matches!(c, ',' | ' ' | '\t' | '\r' | '\n'))
}

/// Splits a command at white space, but not within braces.
pub(super) fn arguments(text: &str) -> Vec<&str> {
    split(text, |c| matches!(c, ' ' | '\t' | '\r' | '\n'))
}

fn split(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut words, mut start, mut depth) = (Vec::new(), None, 0_usize);
    for (at, c) in text.char_indices() {
        if depth == 0 && is_separator(c) {
            words.extend(start.take().map(|start: usize| &text[start..at]));
            continue;
        }
        start.get_or_insert(at);
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => (),
        }
    }
    words.extend(start.map(|start| &text[start..]));
    words
}

/// Removes the braces around a word.
pub(super) fn inside(word: &str) -> &str {
    let inside = word
        .strip_prefix('{')
        .map(|word| word.strip_suffix('}').unwrap_or(word));
    inside.unwrap_or(word).trim()
}

/// Returns true if `value` is one of `words`. Postfix ignores case in such values.
pub(super) fn is_one_of(value: &str, words: &[&str]) -> bool {
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}
