//! `mailglot check-mta`: whether the settings of Postfix keep the promises of the filter.
//!
//! # Limits
//!
//! What stands in master.cf and in `smtpd_milter_maps` is not seen. Settings that refer to others (`$name`) are followed; of those that
//! ask for a condition (`${name?value}`) it says so.

use crate::exit::{Exit, Failure};
use std::collections::BTreeMap;
use std::io::{self, Read};

/// Runs the command.
pub(crate) fn run() -> Result<Exit, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Failure::input("standard input", &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let settings = Settings::read(&text);
    if settings.0.is_empty() {
        return Err(Failure::new(Exit::Unread, "standard input: nothing of what postconf prints"));
    }
    let faults = settings.faults();
    for fault in &faults {
        println!("{fault}");
    }
    if faults.is_empty() {
        println!("the settings keep mail safe");
        return Ok(Exit::Done);
    }
    Ok(Exit::Usage)
}

/// Settings by name.
struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Reads lines `name = value`, with continuations as main.cf has them.
    fn read(text: &str) -> Self {
        let mut settings = BTreeMap::<String, String>::new();
        let mut last = None::<String>;
        for line in text.lines() {
            if line.starts_with([' ', '\t'])
                && let Some(value) = last.as_ref().and_then(|name| settings.get_mut(name))
            {
                value.push(' ');
                value.push_str(line.trim());
            } else if let Some((name, value)) = line.split_once('=') {
                let name = name.trim().to_owned();
                settings.insert(name.clone(), value.trim().to_owned());
                last = Some(name);
            }
        }
        Self(settings)
    }

    /// A value with the settings that it names, to a depth that no settings have.
    fn value(&self, name: &str) -> Option<String> {
        let mut value = self.0.get(name)?.clone();
        for _ in 0..8 {
            let Some(start) = value.find('$') else { break };
            let rest = &value[start + 1..];
            let word = rest.trim_start_matches(['{', '(']);
            let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
            let used = rest.len() - word.len() + end;
            let closes = usize::from(rest[used..].starts_with(['}', ')']) && rest.len() != word.len());
            if rest.len() != word.len() && closes == 0 {
                // One value or another, by a third.
                break;
            }
            let with = self.0.get(&word[..end]).cloned().unwrap_or_default();
            value.replace_range(start..start + 1 + used + closes, &with);
        }
        Some(value)
    }

    /// What must be changed, in words.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let default = self.value("milter_default_action").unwrap_or_default();
        // The case of letters is nothing to Postfix here.
        let bad = |action: &str| ["accept", "quarantine"].iter().any(|bad| action.eq_ignore_ascii_case(bad));
        let read =
            ["milter_default_action", "smtpd_milters", "non_smtpd_milters", "smtpd_forbid_bare_newline"];
        for name in read {
            if self.value(name).is_some_and(|value| value.contains('$')) {
                faults.push(format!(
                    "{name}: what it refers to cannot be followed here; give this command what `postconf -x` prints"
                ));
            }
        }
        if bad(&default) {
            faults.push(format!(
                "milter_default_action = {default}: mail passes unread or is lost when the filter ends; set it to tempfail"
            ));
        }
        let mut ours = false;
        for name in ["smtpd_milters", "non_smtpd_milters"] {
            let chain = milters(&self.value(name).unwrap_or_default());
            for milter in &chain {
                if let Some(action) = milter.default_action.as_deref().filter(|action| bad(action)) {
                    faults.push(format!(
                        "{name}: {} has default_action={action}; set it to tempfail",
                        milter.address
                    ));
                }
                for part in &milter.unread {
                    faults.push(format!(
                        "{name}: {}: `{part}` is no setting, and Postfix does not start with it; write KEY=VALUE, or {{ KEY = VALUE }}",
                        milter.address
                    ));
                }
            }
            let place = |words: &[&str]| {
                chain.iter().position(|milter| words.iter().any(|word| milter.address.contains(word)))
            };
            let own = place(&["mailglot"]);
            ours |= own.is_some();
            let Some(own) = own else { continue };
            let verifies = |milter: &Milter| {
                ["openarc", "spf", "dmarc"].iter().any(|word| milter.address.contains(word))
            };
            for (at, milter) in chain.iter().enumerate() {
                if at > own && verifies(milter) {
                    faults.push(format!(
                        "{name}: {} checks mail behind the filter; what checks belongs before it, what signs behind it",
                        milter.address
                    ));
                }
            }
        }
        if !ours {
            faults.push(
                "smtpd_milters: no filter whose address holds `mailglot`; the order of the filters was not looked at".to_owned(),
            );
        }
        match self.value("smtpd_forbid_bare_newline").as_deref() {
            Some("normalize" | "reject") => (),
            Some(value) => faults.push(format!(
                "smtpd_forbid_bare_newline = {value}: mail can be smuggled past the filter; set it to normalize"
            )),
            None => faults.push(
                "smtpd_forbid_bare_newline is not there: this Postfix lets mail be smuggled past the filter; set it to normalize".to_owned(),
            ),
        }
        faults
    }
}

/// One filter of a chain.
struct Milter {
    address: String,
    /// The last one counts.
    default_action: Option<String>,
    /// What stands where a setting belongs, and is none.
    unread: Vec<String>,
}

/// Takes a chain apart: filters between blanks or commas, those in braces with settings of their own, which may stand in braces again.
fn milters(value: &str) -> Vec<Milter> {
    let mut chain = Vec::new();
    for filter in words(value) {
        let mut parts = words(inside(filter)).into_iter();
        let Some(address) = parts.next() else { continue };
        let mut milter = Milter { address: address.to_owned(), default_action: None, unread: Vec::new() };
        for part in parts {
            match inside(part).split_once('=') {
                Some((key, action)) if key.trim() == "default_action" => {
                    milter.default_action = Some(action.trim().to_owned());
                }
                Some((key, _)) if !key.trim().is_empty() => (),
                _ => milter.unread.push(part.to_owned()),
            }
        }
        chain.push(milter);
    }
    chain
}

/// What stands between blanks and commas; they part nothing within braces (postconf(5), `smtpd_milters`).
fn words(text: &str) -> Vec<&str> {
    let (mut words, mut start, mut depth) = (Vec::new(), None, 0_usize);
    for (at, c) in text.char_indices() {
        if depth == 0 && matches!(c, ',' | ' ' | '\t' | '\r' | '\n') {
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

/// A word without the braces around it.
fn inside(word: &str) -> &str {
    let inside = word.strip_prefix('{').map(|word| word.strip_suffix('}').unwrap_or(word));
    inside.unwrap_or(word).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: &str = "milter_default_action = tempfail\nsmtpd_forbid_bare_newline = normalize\n";

    fn faults(text: &str) -> Vec<String> {
        Settings::read(text).faults()
    }

    #[test]
    fn right_settings_have_no_fault() {
        for chain in [
            "smtpd_milters = unix:/run/mailglot/gw.sock",
            "smtpd_milters = inet:127.0.0.1:8891, { unix:/run/mailglot/gw.sock, connect_timeout=5s, default_action=tempfail }, inet:127.0.0.1:8892",
            "own = unix:/run/mailglot/gw.sock\nsmtpd_milters = unix:/run/openarc,\n  ${own}",
            "own = unix:/run/mailglot/gw.sock\nnon_smtpd_milters = $own",
            "smtpd_milters = { unix:/run/mailglot/gw.sock { default_action = tempfail } connect_timeout=5s },{inet:a:1}",
        ] {
            assert_eq!(faults(&format!("{RIGHT}{chain}\n")), [] as [&str; 0], "{chain}");
        }
    }

    /// Blanks part settings there, and none of the three words is one.
    #[test]
    fn blanks_around_the_sign_need_braces() {
        let found =
            faults(&format!("{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, default_action = accept }}"));
        assert!(found.len() == 3 && found.iter().all(|fault| fault.contains("is no setting")), "{found:?}");
    }

    #[test]
    fn what_loses_mail_is_named() {
        let chain = "smtpd_milters = unix:/run/mailglot/gw.sock\n";
        for (text, word) in [
            (
                format!("{chain}milter_default_action = accept\nsmtpd_forbid_bare_newline = normalize"),
                "tempfail",
            ),
            (
                format!("{chain}milter_default_action = quarantine\nsmtpd_forbid_bare_newline = normalize"),
                "quarantine",
            ),
            (
                format!(
                    "{chain}act = accept\nmilter_default_action = $act\nsmtpd_forbid_bare_newline = normalize"
                ),
                "accept",
            ),
            (format!("{chain}milter_default_action = tempfail\nsmtpd_forbid_bare_newline = no"), "smuggled"),
            (format!("{chain}milter_default_action = tempfail"), "not there"),
            (
                format!("{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a default_action=accept }}"),
                "default_action=accept",
            ),
            (
                format!("{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, {{ default_action = accept }} }}"),
                "default_action=accept",
            ),
            (
                format!(
                    "{RIGHT}smtpd_milters={{unix:/run/mailglot/a,{{default_action=tempfail}},\n\t{{default_action=Quarantine}}}},inet:[::1]:1"
                ),
                "default_action=Quarantine",
            ),
            (
                format!(
                    "{RIGHT}non_smtpd_milters = inet:b:1 {{inet:a:1 default_action=accept}}\nsmtpd_milters = unix:/run/mailglot/a"
                ),
                "non_smtpd_milters: inet:a:1 has default_action=accept",
            ),
            (
                format!("{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, default_action=tempfail, {{}} }}"),
                "`{}` is no setting",
            ),
            (
                format!(
                    "{RIGHT}x = y\nsmtpd_milters = {{ unix:/run/mailglot/a, default_action=${{x?{{accept}}:{{tempfail}}}} }}"
                ),
                "postconf -x",
            ),
            (
                format!("{chain}milter_default_action = ACCEPT\nsmtpd_forbid_bare_newline = normalize"),
                "ACCEPT",
            ),
            (format!("{RIGHT}smtpd_milters = unix:/run/mailglot/a, unix:/run/openarc/a"), "behind it"),
            (format!("{RIGHT}smtpd_milters ="), "no filter"),
        ] {
            let found = faults(&text);
            assert!(found.len() == 1 && found[0].contains(word), "{text}: {found:?}");
        }
    }
}
