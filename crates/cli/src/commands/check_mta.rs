//! `mailglot check-mta`: whether the settings of Postfix keep the promises of the filter.
//!
//! # Limits
//!
//! What services of master.cf say otherwise is seen where `postconf -P` tells it, too; a service that says nothing of its own is taken for one that
//! main.cf speaks for. A filter is ours by its address alone. Mail that comes by a service of a loopback address without the filter, or by one for the mail of
//! one's own people, is a note and no fault. Of `smtpd_milter_maps` it is only seen that there are such. Clients whose line ends are left alone (`smtpd_forbid_bare_newline_exclusions`, by default one's own networks) are a note and no fault: they may be devices that
//! send nothing else, and whoever lists them vouches for them. Settings that refer to others (`$name`) are followed; of those that ask for a condition (`${name?value}`) it says so.

use crate::args::CheckMtaArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::net::IpAddr;

/// Runs the command.
pub(crate) fn run(args: &CheckMtaArgs) -> Result<Exit, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Failure::input("standard input", &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let settings = Settings::read(&text, Ours::new(&args.address));
    if settings.main.is_empty() {
        return Err(Failure::new(Exit::Unread, "standard input: nothing of what postconf prints"));
    }
    let faults = settings.faults();
    let mut said = String::new();
    for fault in &faults {
        // Writing to memory cannot fail.
        let _ = writeln!(said, "{fault}");
    }
    for note in settings.notes() {
        let _ = writeln!(said, "note: {note}");
    }
    if faults.is_empty() {
        said.push_str("the settings keep mail safe\n");
    }
    output::print(said.as_bytes())?;
    Ok(if faults.is_empty() { Exit::Done } else { Exit::Usage })
}

/// Which addresses are ours.
#[derive(Clone, Debug, Default)]
struct Ours(Vec<String>);

impl Ours {
    fn new(addresses: &[String]) -> Self {
        Self(addresses.iter().map(|address| bare(plain(address))).collect())
    }

    /// Whether one of our addresses stands here, by itself or behind the names of a transport and a family: `scan:[127.0.0.1]:10026`,
    /// `lmtp:inet:127.0.0.1:24`. Where none was named, what holds our name is ours.
    fn has(&self, value: &str) -> bool {
        if self.0.is_empty() {
            return value.contains("mailglot");
        }
        let value = bare(value);
        let mut ends = std::iter::once(0).chain(value.match_indices(':').map(|(at, _)| at + 1));
        ends.any(|at| self.0.iter().any(|own| *own == value[at..]))
    }

    /// What is looked for, in words.
    fn told(&self) -> String {
        if self.0.is_empty() {
            "whose address holds `mailglot`".to_owned()
        } else {
            format!("at {}", self.0.join(" or "))
        }
    }
}

/// An address without the name of its family.
fn plain(address: &str) -> &str {
    let family = |name: &&str| address.starts_with(*name);
    ["unix:", "local:", "inet:", "tcp:"]
        .iter()
        .find(|name| family(name))
        .map_or(address, |name| &address[name.len()..])
}

/// An address without brackets, in small letters but for paths.
fn bare(address: &str) -> String {
    let text = address.trim();
    if text.contains('/') { text.to_owned() } else { text.replace(['[', ']'], "").to_ascii_lowercase() }
}

/// Settings by name.
#[derive(Clone, Default)]
struct Settings {
    main: BTreeMap<String, String>,
    /// What services of master.cf say otherwise, by `name/type`.
    services: BTreeMap<String, BTreeMap<String, String>>,
    ours: Ours,
}

impl Settings {
    /// Reads lines `name = value`, with continuations as main.cf has them, and lines `service/type/name = value`.
    fn read(text: &str, ours: Ours) -> Self {
        let mut settings = Self { ours, ..Self::default() };
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
        let mut faults = self.faults_of_main();
        for (service, own) in &self.services {
            for fault in self.merged(own).faults_of_main() {
                if !faults.contains(&fault) {
                    faults.push(format!("{service}: {fault}"));
                }
            }
        }
        let filtered = self.is_filtered() || self.is_filtered_at_delivery();
        let ways = self.ways();
        if !filtered && !ways.iter().any(|(.., filtered)| *filtered) {
            faults.push(format!(
                "smtpd_milters, smtpd_proxy_filter, content_filter: no filter {}, so what comes by SMTP passes unread; \
                 --address names a filter or a proxy of another address",
                self.ours.told()
            ));
        } else if !self.is_filtered_at_delivery() {
            let open = ways.iter().filter(|(_, place, filtered)| *place == Place::Public && !filtered);
            faults.extend(open.map(|(service, ..)| {
                format!("{service}: what comes there passes unread; {}", self.why_open(service))
            }));
        }
        faults
    }

    /// These settings with those of a service instead.
    fn merged(&self, own: &BTreeMap<String, String>) -> Self {
        let mut merged = Self { main: self.main.clone(), services: BTreeMap::new(), ours: self.ours.clone() };
        merged.main.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
        merged
    }

    /// Services that say of their own whether mail goes through a filter: who reaches them, and whether it does there.
    fn ways(&self) -> Vec<(&str, Place, bool)> {
        let says = |own: &BTreeMap<String, String>| WAYS.iter().any(|name| own.contains_key(*name));
        let services = self.services.iter().filter(|(_, own)| says(own));
        services
            .filter_map(|(service, own)| {
                Some((service.as_str(), Place::of(service)?, self.merged(own).is_filtered()))
            })
            .collect()
    }

    /// Whether what comes by SMTP goes through a filter of ours before it is delivered, by main.cf.
    fn is_filtered(&self) -> bool {
        let value = |name: &str| self.value(name).unwrap_or_default();
        let own = milters(&value("smtpd_milters")).iter().any(|milter| self.ours.has(&milter.address));
        (own && !self.has_no_milters())
            || ["smtpd_proxy_filter", "content_filter"].iter().any(|name| self.ours.has(&value(name)))
    }

    fn has_no_milters(&self) -> bool {
        let options = self.value("receive_override_options").unwrap_or_default();
        words(&options).iter().any(|option| is_one_of(option, &["no_milters"]))
    }

    /// Whether a proxy of ours stands before a store or the next server.
    fn is_filtered_at_delivery(&self) -> bool {
        DELIVERIES.iter().any(|name| self.value(name).is_some_and(|value| self.ours.has(&value)))
    }

    /// What has no filter at this service, in words.
    fn why_open(&self, service: &str) -> String {
        let here = self.services.get(service).map(|own| self.merged(own));
        if here.is_some_and(|here| here.has_no_milters()) {
            return "receive_override_options has no_milters".to_owned();
        }
        format!("it has a list of its own without a filter {}", self.ours.told())
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

    /// Whether a filter of ours speaks the milter protocol here.
    fn has_milter(&self) -> bool {
        let has = |name: &&str| {
            let chain = milters(&self.value(name).unwrap_or_default());
            chain.iter().any(|milter| self.ours.has(&milter.address))
        };
        ["smtpd_milters", "non_smtpd_milters"].iter().any(has)
    }

    /// What must be changed in main.cf, in words.
    fn faults_of_main(&self) -> Vec<String> {
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
        // What happens to other filters is no affair of a proxy.
        let proxied = (self.is_filtered() || self.is_filtered_at_delivery()) && !self.has_milter();
        if bad(&default) && !proxied {
            faults.push(format!(
                "milter_default_action = {default}: mail passes unread or is lost when the filter ends; set it to tempfail"
            ));
        }
        if is_one_of(&default, &["reject"]) && !proxied {
            faults.push(format!(
                "milter_default_action = {default}: mail is refused for good while the filter is away; set it to tempfail"
            ));
        }
        for name in ["smtpd_milters", "non_smtpd_milters"] {
            let chain = milters(&self.value(name).unwrap_or_default());
            for milter in &chain {
                if let Some(action) = milter.default_action.as_deref().filter(|action| bad(action)) {
                    faults.push(format!(
                        "{name}: {} has default_action={action}; set it to tempfail",
                        milter.address
                    ));
                }
                let refuses =
                    |action: &&str| self.ours.has(&milter.address) && is_one_of(action, &["reject"]);
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
            let own = chain.iter().position(|milter| self.ours.has(&milter.address));
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
        faults
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
        let mut notes: Vec<String> = spared.map(note).collect();
        if self.is_filtered_at_delivery() {
            return notes;
        }
        let services = self.ways();
        let any = self.is_filtered() || services.iter().any(|(.., filtered)| *filtered);
        for (service, place, _) in services.iter().filter(|(.., filtered)| any && !filtered) {
            let words = match place {
                Place::Public => continue,
                Place::Own => "the mail of your own people passes unread there",
                Place::Loopback => "what comes there passes unread: right where it comes back from a filter",
            };
            notes.push(format!("{service}: {words}"));
        }
        if any && !self.is_filtered() {
            notes
                .push("main.cf names no filter: services that say nothing of their own have none".to_owned());
        }
        notes
    }
}

/// Who reaches a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Everybody.
    Public,
    /// Those whose mail is taken for all the world (RFC 6409).
    Own,
    /// Programs of this machine.
    Loopback,
}

impl Place {
    /// By the name of the service, `name/type`; none where no mail comes by SMTP.
    fn of(service: &str) -> Option<Self> {
        let (name, kind) = service.rsplit_once('/')?;
        // smtpd behind postscreen(8) is handed its clients.
        if !matches!(kind, "inet" | "pass") {
            return None;
        }
        let (host, port) = name.rsplit_once(':').unwrap_or(("", name));
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let loopback = host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback());
        Some(if loopback || host.eq_ignore_ascii_case("localhost") {
            Self::Loopback
        } else if is_one_of(port, &["submission", "submissions", "smtps", "587", "465"]) {
            Self::Own
        } else {
            Self::Public
        })
    }
}

/// Whether a value is one of these words: the case of letters is nothing to Postfix here.
fn is_one_of(value: &str, words: &[&str]) -> bool {
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// The settings that are looked at.
const READ: [&str; 8] = [
    "milter_default_action",
    "smtpd_milters",
    "non_smtpd_milters",
    "smtpd_milter_maps",
    "smtpd_forbid_bare_newline",
    "receive_override_options",
    "smtpd_proxy_filter",
    "content_filter",
];

/// Those of them that say whether mail goes through a filter.
const WAYS: [&str; 4] = ["smtpd_milters", "receive_override_options", "smtpd_proxy_filter", "content_filter"];

/// Where a proxy before a store, or before the next server, is named.
const DELIVERIES: [&str; 6] = [
    "mailbox_transport",
    "local_transport",
    "virtual_transport",
    "relay_transport",
    "default_transport",
    "relayhost",
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
        Settings::read(text, Ours::default()).faults()
    }

    fn with(addresses: &[&str], text: &str) -> (Vec<String>, Vec<String>) {
        let addresses: Vec<String> = addresses.iter().map(|address| (*address).to_owned()).collect();
        let settings = Settings::read(text, Ours::new(&addresses));
        (settings.faults(), settings.notes())
    }

    #[test]
    fn right_settings_have_no_fault() {
        for chain in [
            "smtpd_milters = unix:/run/mailglot/gw.sock",
            "smtpd_milters = inet:127.0.0.1:8891, { unix:/run/mailglot/gw.sock, connect_timeout=5s, default_action=tempfail }, inet:127.0.0.1:8892",
            "own = unix:/run/mailglot/gw.sock\nsmtpd_milters = unix:/run/openarc,\n  ${own}",
            "own = unix:/run/mailglot/gw.sock\nsmtpd_milters = $own\nnon_smtpd_milters = $own",
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
        let notes = |text: &str| with(&[], &format!("{RIGHT}{text}")).1;
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

    /// What of the page about Postfix is set up by an address that does not hold our name.
    #[test]
    fn each_way_of_the_page_is_right() {
        let tcp = "smtpd_milters = { inet:127.0.0.1:8890, default_action=tempfail }";
        let before = "smtp/inet/smtpd_proxy_filter = 127.0.0.1:10026\nsmtp/inet/smtpd_proxy_options = speed_adjust\n\
            127.0.0.1:10027/inet/smtpd_proxy_filter =\n127.0.0.1:10027/inet/receive_override_options = no_unknown_recipient_checks";
        let behind = "content_filter = scan:[127.0.0.1]:10026\n127.0.0.1:10027/inet/content_filter =\n\
            127.0.0.1:10027/inet/receive_override_options = no_unknown_recipient_checks,no_header_body_checks,no_milters";
        let store = "mailbox_transport = lmtp:inet:127.0.0.1:10024";
        let pipe = "smtp/inet/content_filter = mailglot:dummy";
        for (addresses, text, noted) in [
            (&["inet:127.0.0.1:8890"][..], tcp, 0),
            (&["tcp:127.0.0.1:8890"], tcp, 0),
            (&["127.0.0.1:8890", "127.0.0.1:8891"], tcp, 0),
            (&["tcp:127.0.0.1:10026"], before, 2),
            (&["inet:127.0.0.1:10026"], behind, 1),
            (&["127.0.0.1:10024"], store, 0),
            (&[], pipe, 1),
            (&["tcp:[::1]:8890"], "smtpd_milters = inet:[::1]:8890", 0),
            (&["unix:/run/filter"], "smtpd_milters = unix:/run/filter", 0),
            (&["/run/filter"], "virtual_transport = lmtp:unix:/run/filter", 0),
            (&["LOCALHOST:1"], "relayhost = [localhost]:1", 0),
            // What other filters do is no affair of a proxy.
            (
                &["127.0.0.1:10024"],
                "mailbox_transport = lmtp:inet:127.0.0.1:10024\nmilter_default_action = accept",
                0,
            ),
        ] {
            let (faults, notes) = with(addresses, &format!("{RIGHT}{text}\n"));
            assert_eq!(faults, [] as [&str; 0], "{text}");
            assert_eq!(notes.len(), noted, "{text}: {notes:?}");
        }
        for (addresses, text) in [
            (&[][..], tcp),
            (&["127.0.0.1:889"], tcp),
            (&["127.0.0.1:88901"], tcp),
            (&["inet:127.0.0.1:8890"], before),
            (&["tcp:127.0.0.1:8890"], "smtpd_milters = unix:/run/mailglot/gw.sock"),
            (&["/run/filter"], "smtpd_milters = unix:/run/filter2"),
            (&["127.0.0.1:8890"], "smtpd_milters = inet:10.127.0.0.1:8890"),
        ] {
            let (faults, _) = with(addresses, &format!("{RIGHT}{text}\n"));
            assert!(faults.len() == 1 && faults[0].contains("no filter"), "{addresses:?} {text}: {faults:?}");
        }
    }

    #[test]
    fn a_service_that_everybody_reaches_has_the_filter() {
        let chain =
            "smtpd_milters = unix:/run/mailglot/gw.sock\nnon_smtpd_milters = unix:/run/mailglot/gw.sock\n";
        for (text, word) in [
            (
                "smtp/inet/smtpd_milters =",
                "smtp/inet: what comes there passes unread; it has a list of its own",
            ),
            ("smtp/inet/smtpd_milters = inet:127.0.0.1:8891", "smtp/inet: what comes there"),
            ("smtp/inet/receive_override_options = no_milters", "receive_override_options has no_milters"),
            ("smtp/inet/receive_override_options = no_address_mappings, No_Milters", "has no_milters"),
            ("192.0.2.1:25/inet/smtpd_milters =", "192.0.2.1:25/inet: what comes there"),
            ("[2001:db8::1]:25/inet/smtpd_milters =", "passes unread"),
            // Behind postscreen(8).
            ("smtpd/pass/smtpd_milters =", "smtpd/pass: what comes there"),
            ("none = \nsmtp/inet/smtpd_milters = $none", "smtp/inet: what comes there"),
            ("receive_override_options = no_milters", "no filter"),
            ("smtpd_milters =", "no filter"),
        ] {
            let (faults, _) = with(&[], &format!("{RIGHT}{chain}{text}\n"));
            assert!(faults.len() == 1 && faults[0].contains(word), "{text}: {faults:?}");
        }
        for (text, word) in [
            ("127.0.0.1:10027/inet/smtpd_milters =", "right where it comes back"),
            ("localhost:10027/inet/receive_override_options = no_milters", "right where it comes back"),
            ("[::1]:10027/inet/smtpd_milters =", "right where it comes back"),
            ("submission/inet/smtpd_milters = inet:127.0.0.1:8891", "your own people"),
            ("0.0.0.0:587/inet/smtpd_milters =", "your own people"),
        ] {
            let (faults, notes) = with(&[], &format!("{RIGHT}{chain}{text}\n"));
            assert_eq!(faults, [] as [&str; 0], "{text}");
            assert!(notes.len() == 1 && notes[0].contains(word), "{text}: {notes:?}");
        }
        // No mail comes by these, or they have it all the same.
        for text in [
            "pickup/unix/smtpd_milters =",
            "smtp/inet/receive_override_options = no_address_mappings",
            "smtp/inet/smtpd_milters = unix:/run/mailglot/other",
            "127.0.0.1:10027/inet/smtpd_tls_security_level = none",
        ] {
            let (faults, notes) = with(&[], &format!("{RIGHT}{chain}{text}\n"));
            assert_eq!((faults, notes), (Vec::new(), Vec::new()), "{text}");
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
