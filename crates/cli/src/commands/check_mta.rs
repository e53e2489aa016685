//! `mailglot check-mta`: whether the settings of Postfix keep the promises of the filter.
//!
//! # Limits
//!
//! What services of master.cf say otherwise is seen where `postconf -P` tells it, too. Of `smtpd_milter_maps` it is only seen that there are
//! such. Clients whose line ends are left alone (`smtpd_forbid_bare_newline_exclusions`, by default one's own networks) are a note and no fault: they may be devices that
//! send nothing else, and whoever lists them vouches for them. Settings that refer to others (`$name`) are followed; of those that ask for a condition (`${name?value}`) it says so.

use crate::exit::{Exit, Failure};
use std::collections::BTreeMap;
use std::io::{self, Read};

/// Runs the command.
pub(crate) fn run() -> Result<Exit, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Failure::input("standard input", &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let settings = Settings::read(&text);
    if settings.main.is_empty() {
        return Err(Failure::new(Exit::Unread, "standard input: nothing of what postconf prints"));
    }
    let faults = settings.faults();
    for fault in &faults {
        println!("{fault}");
    }
    for note in settings.notes() {
        println!("note: {note}");
    }
    if faults.is_empty() {
        println!("the settings keep mail safe");
        return Ok(Exit::Done);
    }
    Ok(Exit::Usage)
}

/// Settings by name.
#[derive(Clone, Default)]
struct Settings {
    main: BTreeMap<String, String>,
    /// What services of master.cf say otherwise, by `name/type`.
    services: BTreeMap<String, BTreeMap<String, String>>,
}

impl Settings {
    /// Reads lines `name = value`, with continuations as main.cf has them, and lines `service/type/name = value`.
    fn read(text: &str) -> Self {
        let mut settings = Self::default();
        let mut last = None::<(Option<String>, String)>;
        for line in text.lines() {
            if line.starts_with([' ', '\t'])
                && let Some((service, name)) = &last
                && let Some(value) = settings.of(service.as_deref()).get_mut(name)
            {
                value.push(' ');
                value.push_str(line.trim());
            } else if let Some((name, value)) = line.split_once('=') {
                let mut parts = name.trim().rsplitn(2, '/');
                let name = parts.next().unwrap_or_default().to_owned();
                let service = parts.next().map(str::to_owned);
                settings.of(service.as_deref()).insert(name.clone(), value.trim().to_owned());
                last = Some((service, name));
            }
        }
        settings
    }

    fn of(&mut self, service: Option<&str>) -> &mut BTreeMap<String, String> {
        match service {
            Some(service) => self.services.entry(service.to_owned()).or_default(),
            None => &mut self.main,
        }
    }

    /// What must be changed, in words.
    fn faults(&self) -> Vec<String> {
        let (mut faults, mut ours) = self.faults_of_main();
        for (service, own) in &self.services {
            let mut merged = Self { main: self.main.clone(), ..Self::default() };
            merged.main.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
            let (more, here) = merged.faults_of_main();
            ours |= here;
            for fault in more {
                if !faults.contains(&fault) {
                    faults.push(format!("{service}: {fault}"));
                }
            }
        }
        if !ours {
            faults.push(
                "smtpd_milters: no filter whose address holds `mailglot`; the order of the filters was not looked at".to_owned(),
            );
        }
        faults
    }

    /// A value with the settings that it names, to a depth that no settings have.
    fn value(&self, name: &str) -> Option<String> {
        let mut value = self.main.get(name)?.clone();
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
            let with = self.main.get(&word[..end]).cloned().unwrap_or_default();
            value.replace_range(start..start + 1 + used + closes, &with);
        }
        Some(value)
    }

    /// What must be changed in main.cf, in words, and whether a filter of ours is there.
    fn faults_of_main(&self) -> (Vec<String>, bool) {
        let mut faults = Vec::new();
        let default = self.value("milter_default_action").unwrap_or_default();
        let bad = |action: &str| is_one_of(action, &["accept", "quarantine"]);
        for name in READ {
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
        if is_one_of(&default, &["reject"]) {
            faults.push(format!(
                "milter_default_action = {default}: mail is refused for good while the filter is away; set it to tempfail"
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
                let refuses = |action: &&str| milter.is_ours() && is_one_of(action, &["reject"]);
                if let Some(action) = milter.default_action.as_deref().filter(refuses) {
                    faults.push(format!(
                        "{name}: {} has default_action={action}: mail is refused for good while it is away; set it to tempfail",
                        milter.address
                    ));
                }
                for part in &milter.unread {
                    faults.push(format!(
                        "{name}: {}: `{part}` is no setting, and Postfix takes no mail with it; write KEY=VALUE, or {{ KEY = VALUE }}",
                        milter.address
                    ));
                }
            }
            let own = chain.iter().position(Milter::is_ours);
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
        if self.value("smtpd_milter_maps").is_some_and(|maps| !maps.is_empty()) {
            faults.push(
                "smtpd_milter_maps: clients that stand there have filters of their own, or none, and that is not seen here; leave it empty, or look there for DISABLE and default_action".to_owned(),
            );
        }
        match self.value("smtpd_forbid_bare_newline").as_deref() {
            // `yes` is another name of the first.
            Some(value) if is_one_of(value, &["normalize", "yes", "reject"]) => (),
            Some(value) => faults.push(format!(
                "smtpd_forbid_bare_newline = {value}: mail can be smuggled past the filter; set it to normalize"
            )),
            None => faults.push(
                "smtpd_forbid_bare_newline is not there: this Postfix lets mail be smuggled past the filter; set it to normalize".to_owned(),
            ),
        }
        (faults, ours)
    }

    /// What is allowed, and weaker than it could be.
    fn notes(&self) -> Vec<String> {
        let name = "smtpd_forbid_bare_newline_exclusions";
        let services = self.services.iter().map(|(service, own)| (format!("{service}: "), own));
        let all = std::iter::once((String::new(), &self.main)).chain(services);
        let spared =
            all.filter_map(|(place, own)| Some((place, own.get(name).filter(|value| !value.is_empty())?)));
        let note = |(place, value): (String, &String)| {
            format!(
                "{place}{name} = {value}: these clients can smuggle mail past the filter; empty it where none of them needs that"
            )
        };
        spared.map(note).collect()
    }
}

/// Whether a value is one of these words: the case of letters is nothing to Postfix here.
fn is_one_of(value: &str, words: &[&str]) -> bool {
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// The settings that are looked at.
const READ: [&str; 5] = [
    "milter_default_action",
    "smtpd_milters",
    "non_smtpd_milters",
    "smtpd_milter_maps",
    "smtpd_forbid_bare_newline",
];

/// The settings that a filter may have (`milter(5)`).
const KEYS: [&str; 5] =
    ["connect_timeout", "command_timeout", "content_timeout", "default_action", "protocol"];

/// One filter of a chain.
struct Milter {
    address: String,
    /// The last one counts.
    default_action: Option<String>,
    /// What stands where a setting belongs, and is none.
    unread: Vec<String>,
}

impl Milter {
    /// Known by its address.
    fn is_ours(&self) -> bool {
        self.address.contains("mailglot")
    }
}

/// Takes a chain apart: filters between blanks or commas, those in braces with settings of their own, which may stand in braces again.
fn milters(value: &str) -> Vec<Milter> {
    let mut chain = Vec::new();
    for filter in words(value) {
        let mut parts = words(inside(filter)).into_iter();
        let Some(address) = parts.next() else { continue };
        let mut milter = Milter { address: address.to_owned(), default_action: None, unread: Vec::new() };
        if filter.starts_with('{') && !filter.ends_with('}') {
            milter.unread.push(filter.to_owned());
        }
        for part in parts {
            match inside(part).split_once('=') {
                Some((key, action)) if key.trim() == "default_action" => {
                    milter.default_action = Some(action.trim().to_owned());
                }
                Some((key, _)) if KEYS.contains(&key.trim()) => (),
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
            // What another filter does is its own affair, as long as no mail gets past us by it.
            "smtpd_milters = { inet:a:1 default_action=reject }, unix:/run/mailglot/gw.sock",
            "smtpd_milters = { unix:/run/mailglot/gw.sock { default_action = tempfail } connect_timeout=5s },{inet:a:1}",
            "smtpd_milters = unix:/run/mailglot/gw.sock\n127.0.0.1:10027/inet/smtpd_milters = ",
            "smtpd_milters =\nsmtp/inet/smtpd_milters = unix:/run/mailglot/gw.sock",
        ] {
            assert_eq!(faults(&format!("{RIGHT}{chain}\n")), [] as [&str; 0], "{chain}");
        }
    }

    #[test]
    fn words_have_no_case_and_other_names() {
        let chain = "smtpd_milters = unix:/run/mailglot/gw.sock\nmilter_default_action = TempFail\n";
        for value in ["normalize", "Normalize", "yes", "YES", "reject", "Reject"] {
            let text = format!("{chain}smtpd_forbid_bare_newline = {value}\n");
            assert_eq!(faults(&text), [] as [&str; 0], "{value}");
        }
        for value in ["no", "note", "", "normal"] {
            let found = faults(&format!("{chain}smtpd_forbid_bare_newline = {value}\n"));
            assert!(found.len() == 1 && found[0].contains("smuggled"), "{value}");
        }
    }

    #[test]
    fn those_who_may_smuggle_are_noted() {
        let notes = |text: &str| Settings::read(&format!("{RIGHT}{text}")).notes();
        for none in ["", "smtpd_forbid_bare_newline_exclusions =\n"] {
            assert_eq!(notes(none), [] as [&str; 0]);
        }
        for some in ["$mynetworks", "192.0.2.0/24", "${mynetworks}, 127.0.0.1"] {
            for (place, begin) in [("", "smtpd_forbid"), ("smtp/inet/", "smtp/inet: smtpd_forbid")] {
                let found = notes(&format!("{place}smtpd_forbid_bare_newline_exclusions = {some}\n"));
                assert!(
                    found.len() == 1 && found[0].contains(some) && found[0].starts_with(begin),
                    "{found:?}"
                );
            }
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
            (
                format!("{chain}milter_default_action = Reject\nsmtpd_forbid_bare_newline = normalize"),
                "refused for good",
            ),
            (
                format!("{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, default_action=reject }}"),
                "refused for good",
            ),
            (format!("{RIGHT}smtpd_milters = unix:/run/mailglot/a, unix:/run/openarc/a"), "behind it"),
            (format!("{RIGHT}smtpd_milters ="), "no filter"),
            (format!("{RIGHT}{chain}smtpd_milter_maps = cidr:/etc/postfix/maps"), "smtpd_milter_maps"),
            (
                format!("{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, colour=red }}"),
                "`colour=red` is no setting",
            ),
            (
                format!("{RIGHT}{chain}smtp/inet/milter_default_action = accept"),
                "smtp/inet: milter_default_action",
            ),
            (
                format!(
                    "{RIGHT}{chain}127.0.0.1:10025/inet/smtpd_milters = {{unix:/a/mailglot\n  {{default_action=accept}}}}"
                ),
                "127.0.0.1:10025/inet: smtpd_milters: unix:/a/mailglot has default_action=accept",
            ),
            (format!("{RIGHT}{chain}smtp/inet/smtpd_forbid_bare_newline = no"), "smtp/inet: smtpd_forbid"),
        ] {
            let found = faults(&text);
            assert!(found.len() == 1 && found[0].contains(word), "{text}: {found:?}");
        }
    }
}
