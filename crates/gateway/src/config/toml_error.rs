//! Writes an error of a TOML file on one line: its place, its cause, and what to write instead.

use super::file::{File, LimitsTable, Listen, PolicyTable, ReportTable};
use super::invalid::Invalid;
use serde::de::DeserializeOwned;

/// Returns the error of a configuration file with this text.
pub(super) fn invalid(text: &str, error: &toml::de::Error) -> Invalid {
    placed(text, error, misplaced)
}

/// Returns the error of a policy file, which has no tables that a key could belong to.
pub(super) fn invalid_policy(text: &str, error: &toml::de::Error) -> Invalid {
    placed(text, error, |_| None)
}

fn placed(
    text: &str,
    error: &toml::de::Error,
    explain: impl Fn(&str) -> Option<String>,
) -> Invalid {
    let message = error.message().trim().replace('\n', ", ");
    let Some(span) = error.span() else {
        return Invalid::of_content(message);
    };
    let before = &text[..text.floor_char_boundary(span.start)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    let rest = text[before.len()..].lines().next().unwrap_or_default();
    let cause = match key_before(&before[line_start..]) {
        Some(key) => needed_number(&message, key)
            .or_else(|| unquoted_mode(rest, key))
            .unwrap_or(format!("`{key}`: {message}")),
        None => explain(&message)
            .or_else(|| single_listen(rest))
            .unwrap_or(message),
    };
    Invalid::of_content(format!("line {line}, column {column}: {cause}"))
}

/// Returns the key of a value; `before` is the text of its line before it.
fn key_before(before: &str) -> Option<&str> {
    let before = before.trim_end().strip_suffix('=')?.trim_end();
    let before = before.trim_end_matches(['"', '\'']);
    before
        .rsplit(|letter: char| !letter.is_ascii_alphanumeric() && !"_-".contains(letter))
        .next()
        .filter(|key| !key.is_empty())
}

/// Says which number a key needs whose value is a string such as `1GB`, or no whole number from 0 on.
fn needed_number(message: &str, key: &str) -> Option<String> {
    let (found, kind) = message.rsplit_once(", expected ")?;
    if !matches!(kind, "u32" | "u64" | "usize") {
        return None;
    }
    let needed = match key.rsplit('_').next() {
        Some("bytes" | "reserve") => "a number of bytes such as 1073741824",
        Some("seconds") => "a number of seconds such as 30",
        Some("days") => "a number of days such as 30",
        _ => "a number such as 100",
    };
    let found = found.strip_prefix("invalid ")?;
    if let Some(value) = found.strip_prefix("type: string ") {
        return Some(format!(
            "`{key}` is the string {value}; write {needed}, without quotes"
        ));
    }
    let value = found.split('`').nth(1)?;
    Some(format!("`{key}` is {value}; write {needed}"))
}

/// Explains `mode = 660`: the mode must be a string. `rest` is the line from the value on.
fn unquoted_mode(rest: &str, key: &str) -> Option<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let value = rest
        .split(|letter| !is_part(letter))
        .next()
        .filter(|value| key == "mode" && value.starts_with(|first: char| first.is_ascii_digit()))?;
    let octal = value.trim_start_matches("0o").trim_start_matches('0');
    // 432 is 0660 in decimal. A mode lets other users write if its last digit has the bit 2.
    let is_mode = |digits: &[u8]| {
        matches!(
            digits,
            [b'0'..=b'7', b'0'..=b'7', b'0' | b'1' | b'4' | b'5']
        )
    };
    let example = if is_mode(octal.as_bytes()) {
        octal
    } else {
        "660"
    };
    Some(format!(
        "`mode` is the number {value}; write it in quotes: mode = \"0{example}\""
    ))
}

/// Explains `[listen]`, which must be `[[listen]]`. `rest` is the line from the bracket on.
fn single_listen(rest: &str) -> Option<String> {
    let name = rest.strip_prefix('[')?.split(']').next()?;
    (name.trim() == "listen").then(|| {
        "write `[[listen]]` instead of `[listen]`: each listener has a table of its own".to_owned()
    })
}

/// Says where a key belongs that is unknown in its table and known in others.
fn misplaced(message: &str) -> Option<String> {
    let key = message
        .strip_prefix("unknown field `")?
        .split_once('`')?
        .0
        .to_owned();
    let places: Vec<&str> = [
        (
            keys::<File>(),
            "at the top of the configuration file, before its first table",
        ),
        (keys::<Listen>(), "below `[[listen]]`"),
        (keys::<PolicyTable>(), "below `[policy.NAME]`"),
        (keys::<LimitsTable>(), "below `[limits]`"),
        (keys::<ReportTable>(), "below `[report]`"),
    ]
    .into_iter()
    .filter(|(keys, _)| keys.contains(&key))
    .map(|(_, place)| place)
    .collect();
    (!places.is_empty()).then(|| {
        format!(
            "unknown field `{key}` in this table; it belongs {}",
            places.join(" or ")
        )
    })
}

/// Returns the keys of a table, as its error about a key that it never has names them.
pub(super) fn keys<T: DeserializeOwned>() -> Vec<String> {
    let Err(error) = toml::from_str::<T>("\"?\" = 0") else {
        return Vec::new();
    };
    error
        .message()
        .split('`')
        // The first name is the unknown key.
        .skip(3)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::PolicyTable;
    use crate::config::Config;

    const LISTEN: &str = "[[listen]]\nroute = \"milter\"\naddress = \"tcp:127.0.0.1:1\"\n";

    /// A log or terminal shows one line: a marker below a second one would point at nothing.
    #[test]
    fn an_error_is_one_line_with_its_place() {
        for (text, want) in [
            (
                "colour = \"red\"\n",
                "line 1, column 1: unknown field `colour`, expected one of `user`, ",
            ),
            (
                "\nuser = 1\n",
                "line 2, column 8: `user`: invalid type: integer `1`, expected a string",
            ),
            (
                "[limits]\n\"connections\" = \"many\"\n",
                "line 2, column 17: `connections` is the string \"many\"; write a number such as 100",
            ),
            ("x = \"é\"; y", "line 1, column 8: "),
            ("listen = [", "line 1, column "),
        ] {
            let said = Config::parse(text).unwrap_err().to_string();
            assert!(said.starts_with(want), "{said}");
            assert!(!said.contains('\n'), "{said:?}");
        }
    }

    /// A key of letters that are no ASCII once cut a character in two.
    #[test]
    fn every_text_of_odd_characters_has_an_error_with_its_place() {
        const ALPHABET: [char; 10] = ['a', 'é', '☃', '𝄞', '"', '\'', '=', '[', ' ', '\n'];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            let longer = |text: &String| ALPHABET.map(|letter| format!("{text}{letter}"));
            texts = texts.iter().flat_map(longer).collect();
            for text in &texts {
                if let Err(error) = Config::parse(text) {
                    let said = error.to_string();
                    assert!(!said.contains('\n'), "{text:?}: {said:?}");
                }
            }
        }
        for text in ["\"ü\" = nein", "é = = x", "ü=="] {
            let said = Config::parse(text).unwrap_err().to_string();
            assert!(said.starts_with("line 1, column "), "{text:?}: {said}");
        }
    }

    #[test]
    fn a_policy_file_has_no_other_tables() {
        let text = "[limits]\nledger = 1\n";
        let error = toml::from_str::<PolicyTable>(text).unwrap_err();
        let said = super::invalid_policy(text, &error).to_string();
        assert!(
            said.contains("unknown field `limits`, expected one of "),
            "{said}"
        );
        assert!(!said.contains("belongs"), "{said}");
    }

    #[test]
    fn a_string_in_place_of_a_number_is_explained() {
        for (text, want) in [
            (
                "[policy.default]\nledger_bytes = \"1GB\"\n",
                "line 2, column 16: `ledger_bytes` is the string \"1GB\"; write a number of bytes such as 1073741824, without quotes",
            ),
            (
                "limits = { fields = 1, idle_seconds=\"5m\" }\n",
                "line 1, column 37: `idle_seconds` is the string \"5m\"; write a number of seconds such as 30, without quotes",
            ),
            (
                "[limits]\nconnections = \"many\"\n",
                "line 2, column 15: `connections` is the string \"many\"; write a number such as 100, without quotes",
            ),
        ] {
            assert_eq!(Config::parse(text).unwrap_err().to_string(), want);
        }
    }

    #[test]
    fn a_number_that_is_not_whole_or_below_zero_is_explained() {
        for (text, want) in [
            (
                "[limits]\nconnections = -1\n",
                "line 2, column 15: `connections` is -1; write a number such as 100",
            ),
            (
                "[limits]\nmessage_bytes = -1\n",
                "line 2, column 17: `message_bytes` is -1; write a number of bytes such as 1073741824",
            ),
            (
                "[policy.default]\nledger_days = 1.5\n",
                "line 2, column 15: `ledger_days` is 1.5; write a number of days such as 30",
            ),
        ] {
            assert_eq!(Config::parse(text).unwrap_err().to_string(), want);
        }
    }

    #[test]
    fn the_mode_of_a_socket_stands_in_quotes() {
        for (value, want) in [
            (
                "0660",
                "`mode` is the number 0660; write it in quotes: mode = \"0660\"",
            ),
            (
                "660 # group",
                "`mode` is the number 660; write it in quotes: mode = \"0660\"",
            ),
            (
                "0o600",
                "`mode` is the number 0o600; write it in quotes: mode = \"0600\"",
            ),
            (
                "432",
                "`mode` is the number 432; write it in quotes: mode = \"0660\"",
            ),
            (
                "8",
                "`mode` is the number 8; write it in quotes: mode = \"0660\"",
            ),
            (
                "true",
                "`mode`: invalid type: boolean `true`, expected a string",
            ),
        ] {
            let said = Config::parse(&format!("{LISTEN}mode = {value}\n"));
            let said = said.unwrap_err().to_string();
            assert_eq!(said, format!("line 4, column 8: {want}"));
        }
    }

    #[test]
    fn a_listener_stands_in_two_brackets() {
        for head in ["[listen]", "[ listen ] # one"] {
            let text = format!("\n{head}\nroute = \"milter\"\naddress = \"tcp:127.0.0.1:1\"\n");
            let said = Config::parse(&text).unwrap_err().to_string();
            let want = "line 2, column 1: write `[[listen]]` instead of `[listen]`: each listener has a table of its own";
            assert_eq!(said, want);
        }
    }

    /// An error about an unknown name lists the known ones.
    #[test]
    fn known_findings_and_actions_are_listed() {
        for (text, want) in [
            (
                "actions = { raw-8bit = \"tag\" }",
                "policy.own.actions: no finding `raw-8bit`; findings are mislabelled-charset, malformed-charset, ",
            ),
            (
                "actions = { bare-lf = \"drop\" }",
                "policy.own.actions.bare-lf: no action `drop`; actions are pass, tag, normalize, tempfail, quarantine, reject",
            ),
        ] {
            let text = format!("{LISTEN}[policy.own]\n{text}\n");
            let said = Config::parse(&text).unwrap_err().to_string();
            assert!(said.starts_with(want), "{said}");
        }
    }

    #[test]
    fn a_key_of_another_table_is_sent_there() {
        for (text, want) in [
            (
                format!("{LISTEN}user = \"mailglot\"\n"),
                "line 4, column 1: unknown field `user` in this table; it belongs at the top of the configuration file, before its first table",
            ),
            (
                format!("{LISTEN}ledger = \"/a\"\n"),
                "line 4, column 1: unknown field `ledger` in this table; it belongs below `[policy.NAME]`",
            ),
            (
                format!("metrics = \"127.0.0.1:1\"\n{LISTEN}"),
                "line 1, column 1: unknown field `metrics` in this table; it belongs below `[report]`",
            ),
            (
                format!("{LISTEN}[limits]\npolicy = \"strict\"\n"),
                "line 5, column 1: unknown field `policy` in this table; it belongs at the top of the configuration file, before its first table or below `[[listen]]`",
            ),
        ] {
            assert_eq!(Config::parse(&text).unwrap_err().to_string(), want);
        }
    }
}
