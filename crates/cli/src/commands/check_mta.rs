//! `mailglot check-mta`: whether the settings of Postfix keep the promises of the filter.
//!
//! # Limits
//!
//! What stands in master.cf is not seen. Settings that refer to others (`$name`) are followed.

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
            let with = self.0.get(&word[..end]).cloned().unwrap_or_default();
            value.replace_range(start..start + 1 + used + closes, &with);
        }
        Some(value)
    }

    /// What must be changed, in words.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let default = self.value("milter_default_action").unwrap_or_default();
        let bad = |action: &str| matches!(action, "accept" | "quarantine");
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
    default_action: Option<String>,
}

/// Takes a chain apart: addresses between blanks or commas, those in braces with settings of their own.
fn milters(value: &str) -> Vec<Milter> {
    let mut chain = Vec::new();
    let mut rest = value.trim();
    while !rest.is_empty() {
        let (one, after) = match rest.strip_prefix('{') {
            Some(inside) => inside.split_once('}').unwrap_or((inside, "")),
            None => rest.split_at(rest.find([',', ' ', '\t', '{']).unwrap_or(rest.len())),
        };
        let mut words = one.split([',', ' ', '\t']).filter(|word| !word.is_empty());
        if let Some(address) = words.next() {
            let mut default_action = None;
            for word in one.split(',').skip(1) {
                if let Some((key, action)) = word.split_once('=')
                    && key.trim() == "default_action"
                {
                    default_action = Some(action.trim().to_owned());
                }
            }
            chain.push(Milter { address: address.to_owned(), default_action });
        }
        rest = after.trim_start_matches([',', ' ', '\t']);
    }
    chain
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
        ] {
            assert_eq!(faults(&format!("{RIGHT}{chain}\n")), [] as [&str; 0], "{chain}");
        }
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
                format!("{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, default_action = accept }}"),
                "default_action=accept",
            ),
            (format!("{RIGHT}smtpd_milters = unix:/run/mailglot/a, unix:/run/openarc/a"), "behind it"),
            (format!("{RIGHT}smtpd_milters ="), "no filter"),
        ] {
            let found = faults(&text);
            assert!(found.len() == 1 && found[0].contains(word), "{text}: {found:?}");
        }
    }
}
