//! Checks lists of milters: what happens while the filter is away, their order, and whether mail that does not come by SMTP has the filter.

use super::check::Check;
use super::exposure::{has_no_milters, without_no_milters};
use super::global::{is_too_short, too_short};
use super::milters::{self, LISTS, Milter, is_one_of};
use super::problem::{Problem, set, unset};
use super::settings::SettingsView;

/// Parts of the addresses of programs that verify mail. Guides have OpenDMARC listen at port 8893.
const VERIFIERS: [&str; 5] = ["openarc", "spf", "dmarc", "authentication_milter", ":8893"];

impl Check<'_> {
    /// Returns true if the filter is in a list of milters here.
    pub(super) fn has_milter(&self, view: SettingsView<'_>) -> bool {
        LISTS.iter().any(|name| self.has_filter(view, name))
    }

    /// Returns true if the filter is in this list.
    pub(super) fn has_filter(&self, view: SettingsView<'_>, list: &str) -> bool {
        milters::parse(&view.text(list))
            .iter()
            .any(|milter| self.filter.matches(&milter.address))
    }

    pub(super) fn chain_problems(&self, view: SettingsView<'_>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for list in LISTS {
            for text in self.list_problems(view, list) {
                problems.push(Problem::new(text, self.repaired(view, list)));
            }
        }
        if view.service.is_none() {
            problems.extend(self.mail_beside_smtp());
        }
        problems
    }

    fn list_problems(&self, view: SettingsView<'_>, list: &str) -> Vec<String> {
        let mut problems = Vec::new();
        let chain = milters::parse(&view.text(list));
        for milter in &chain {
            let address = &milter.address;
            let is_ours = self.filter.matches(address);
            if let Some(action) = milter.option("default_action").filter(|_| is_ours) {
                if is_one_of(action, &["accept", "quarantine"]) {
                    problems.push(format!(
                        "{list}: {address} has default_action={action}; set it to tempfail"
                    ));
                } else if is_one_of(action, &["reject"]) {
                    problems.push(format!(
                        "{list}: {address} has default_action={action}: mail is refused for good while it is away; set it to tempfail"
                    ));
                }
            }
            if is_ours && is_too_short(milter) {
                let value = milter.option("content_timeout").unwrap_or_default();
                problems.push(format!(
                    "{list}: {address}: {}",
                    too_short("content_timeout", value)
                ));
            }
            for part in &milter.malformed {
                problems.push(format!(
                    "{list}: {address}: `{part}` is no setting, and Postfix takes no mail with it; write KEY=VALUE, or {{ KEY = VALUE }}"
                ));
            }
            if !milter.has_family() && !address.contains('$') {
                problems.push(format!(
                    "{list}: {address}: Postfix knows the families inet: and unix: only, and defers each message; write {}",
                    with_family(address)
                ));
            }
        }
        for verifier in self.misplaced_verifiers(&chain) {
            problems.push(format!(
                "{list}: {} checks mail behind the filter; what checks belongs before it, what signs behind it",
                chain[verifier].address
            ));
        }
        problems
    }

    /// Positions of verifiers behind the filter.
    fn misplaced_verifiers(&self, chain: &[Milter]) -> Vec<usize> {
        let filter = chain
            .iter()
            .position(|milter| self.filter.matches(&milter.address));
        let Some(filter) = filter else {
            return Vec::new();
        };
        let verifies = |at: &usize| {
            VERIFIERS
                .iter()
                .any(|name| chain[*at].address.to_ascii_lowercase().contains(name))
        };
        (filter + 1..chain.len()).filter(verifies).collect()
    }

    /// The command that corrects everything about a list at once, so that two commands never undo each other.
    pub(super) fn repaired(&self, view: SettingsView<'_>, list: &str) -> Option<String> {
        let value = view.text(list);
        if value.contains('$') {
            return None;
        }
        let chain = self.repair(view, list, milters::parse(&value));
        // postconf -P takes no white space in a value.
        let is_option = view.service.is_some() && view.overrides(list);
        Some(set(view, list, &milters::write(&chain, !is_option)))
    }

    fn repair(&self, view: SettingsView<'_>, list: &str, mut chain: Vec<Milter>) -> Vec<Milter> {
        for milter in &mut chain {
            let is_ours = self.filter.matches(&milter.address);
            milter.malformed.clear();
            if !milter.has_family() {
                milter.address = with_family(&milter.address);
            }
            if is_ours {
                let action = milter.option("default_action").unwrap_or_default();
                if is_one_of(action, &["accept", "quarantine", "reject"]) {
                    milter.set("default_action", "tempfail");
                }
                if is_too_short(milter) {
                    milter.set("content_timeout", "60s");
                }
                if let Some(address) = self.corrected_location(view, list, milter) {
                    milter.address = address;
                }
            }
        }
        let verifiers = self.misplaced_verifiers(&chain);
        let filter = chain
            .iter()
            .position(|milter| self.filter.matches(&milter.address));
        if let Some(filter) = filter {
            for (moved, at) in verifiers.into_iter().enumerate() {
                let verifier = chain.remove(at);
                chain.insert(filter + moved, verifier);
            }
        }
        chain
    }

    /// Adds the filter to a list that lacks it, at its end.
    pub(super) fn added(&self, view: SettingsView<'_>, list: &str) -> Option<String> {
        let value = view.text(list);
        if value.contains('$') {
            return None;
        }
        let mut chain = milters::parse(&value);
        if !chain
            .iter()
            .any(|milter| self.filter.matches(&milter.address))
        {
            let lists = LISTS
                .iter()
                .flat_map(|list| milters::parse(&self.settings.main_view().text(list)));
            let known = lists
                .into_iter()
                .find(|milter| self.filter.matches(&milter.address));
            let suggested = || self.filter.suggestion().map(Milter::deferring);
            chain.push(known.or_else(suggested)?);
        }
        let is_option = view.service.is_some() && view.overrides(list);
        let chain = self.repair(view, list, chain);
        Some(set(view, list, &milters::write(&chain, !is_option)))
    }

    /// Reports mail that does not come by SMTP and passes unread while other mail does not. It comes from pickup(8), which accepts mail of
    /// local programs (sendmail(1), cron), or from qmqpd(8), which accepts mail by QMQP.
    ///
    /// Both obey `receive_override_options` and `content_filter`, and give the mail to the cleanup(8) service that they name. That service asks
    /// `non_smtpd_milters`.
    fn mail_beside_smtp(&self) -> Vec<Problem> {
        let main = self.settings.main_view();
        let exposures = self.exposures();
        let is_filtered = exposures.iter().any(|one| one.is_filtered);
        // If no mail has the filter, that is a problem of its own.
        if self.is_wholly_filtered_at_delivery(main) || has_no_milters(main) && !is_filtered {
            return Vec::new();
        }
        let is_milter = self.has_filter(main, LISTS[0])
            || exposures
                .iter()
                .any(|one| self.has_filter(self.settings.service_view(one.service), LISTS[0]));
        // What a pipe hands back comes by pickup(8), too.
        let is_content_filter = self.names_proxy(main, "content_filter") && !self.is_pipe(main);
        let mut pickups = Vec::new();
        if is_milter || is_content_filter {
            pickups = self.settings.pickups();
        }
        let mut qmqpds = Vec::new();
        if is_milter || is_filtered || self.is_filtered(main) {
            qmqpds.extend(self.settings.services_of("qmqpd"));
        }
        [
            (pickups, "so mail of local programs passes unread"),
            (qmqpds, "so mail by QMQP passes unread"),
        ]
        .into_iter()
        .filter_map(|(services, effect)| {
            let mut services = services.into_iter();
            services.find_map(|service| self.unread_by(service, is_milter, effect))
        })
        .collect()
    }

    /// Reports that mail passes unread by a service of pickup(8) or qmqpd(8).
    fn unread_by(&self, service: &str, is_milter: bool, effect: &str) -> Option<Problem> {
        let taking = self.settings.service_view(service);
        if self
            .filter
            .matches_transport(&taking.text("content_filter"))
        {
            return None;
        }
        let named = taking.value("cleanup_service_name");
        let cleanup = format!("{}/unix", named.as_deref().unwrap_or("cleanup"));
        let cleanup = self.settings.service_view(&cleanup);
        let has_filter = self.has_filter(cleanup, LISTS[1]);
        if has_filter && has_no_milters(taking) {
            return Some(Problem::new(
                format!("{service}: receive_override_options has no_milters, {effect}"),
                [without_no_milters(taking)],
            ));
        }
        // Conditions in the value are reported elsewhere.
        if has_filter || cleanup.text(LISTS[1]).contains('$') {
            return None;
        }
        if !is_milter {
            return Some(Problem::new(
                format!("{service}: content_filter does not name the filter, {effect}"),
                taking
                    .overrides("content_filter")
                    .then(|| unset(service, "content_filter")),
            ));
        }
        let place = match cleanup.service {
            Some(name) if cleanup.overrides(LISTS[1]) => format!("{name}: "),
            _ => String::new(),
        };
        Some(Problem::new(
            format!("{place}non_smtpd_milters: the filter is not in it, {effect}"),
            self.added(cleanup, LISTS[1]),
        ))
    }

    /// Notes other milters that can hold mail which the filter has not read, and DKIM milters whose purpose is unknown.
    pub(super) fn chain_notes(&self) -> Vec<String> {
        let mut notes = self.quarantine_notes();
        notes.extend(self.dkim_notes());
        notes
    }

    /// While a milter with this action is away, Postfix asks none behind it.
    fn quarantine_notes(&self) -> Vec<String> {
        let main = self.settings.main_view();
        let mut notes = Vec::new();
        for list in LISTS {
            let chain = milters::parse(&main.text(list));
            let filter = chain
                .iter()
                .position(|milter| self.filter.matches(&milter.address));
            let holds = |milter: &&Milter| {
                let action = milter.option("default_action").unwrap_or_default();
                is_one_of(action, &["quarantine"])
            };
            for milter in chain[..filter.unwrap_or(0)].iter().filter(holds) {
                notes.push(format!(
                    "{list}: {} has default_action=quarantine: while it is away, Postfix holds mail that the filter may not have read",
                    milter.address
                ));
            }
        }
        notes
    }

    /// Notes DKIM milters whose address does not show whether they verify or sign.
    fn dkim_notes(&self) -> Vec<String> {
        let main = self.settings.main_view();
        let is_dkim = |milter: &&Milter| milter.address.to_ascii_lowercase().contains("dkim");
        let split = |list: &str| {
            let mut before = milters::parse(&main.text(list));
            let filter = before
                .iter()
                .position(|milter| self.filter.matches(&milter.address));
            match filter.map(|filter| before.split_off(filter)) {
                Some(behind) => (before, behind),
                None => (Vec::new(), Vec::new()),
            }
        };
        let [smtpd, local] = LISTS;
        let (_, behind) = split(smtpd);
        let mut notes: Vec<String> = behind
            .iter()
            .filter(is_dkim)
            .map(|milter| {
                let address = &milter.address;
                format!(
                    "{smtpd}: {address} stands behind the filter: right for a signer, wrong for a verifier"
                )
            })
            .collect();
        let (before, _) = split(local);
        notes.extend(before.iter().filter(is_dkim).map(|milter| {
            format!(
                "{local}: {} stands before the filter: if it signs, mail of local programs counts as signed and is not rewritten",
                milter.address
            )
        }));
        notes
    }
}

/// An address with a family that Postfix knows.
fn with_family(address: &str) -> String {
    let place = address.strip_prefix("tcp:").unwrap_or(address);
    if place.contains('/') {
        format!("unix:{place}")
    } else {
        format!("inet:{place}")
    }
}
