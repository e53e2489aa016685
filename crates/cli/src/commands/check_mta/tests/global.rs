//! Actions of milters, smuggled messages, and other parameters of main.cf.

use super::{RIGHT, check, problems, with};
use crate::shell_words::single_quoted;

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
        assert_eq!(
            problems(&format!("{RIGHT}{chain}\n")),
            [] as [&str; 0],
            "{chain}"
        );
    }
}

#[test]
fn words_have_no_case_and_other_names() {
    let chain = "smtpd_milters = unix:/run/mailglot/gw.sock\nmilter_default_action = TempFail\n";
    for value in ["normalize", "Normalize", "yes", "YES", "reject", "Reject"] {
        let text = format!("{chain}smtpd_forbid_bare_newline = {value}\n");
        assert_eq!(problems(&text), [] as [&str; 0], "{value}");
    }
    for value in ["no", "note", "", "normal"] {
        let found = problems(&format!("{chain}smtpd_forbid_bare_newline = {value}\n"));
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
        for (place, begin) in [
            ("", "smtpd_forbid"),
            ("smtp/inet/", "smtp/inet: smtpd_forbid"),
        ] {
            let found = notes(&format!(
                "{place}smtpd_forbid_bare_newline_exclusions = {some}\n"
            ));
            assert!(
                found.len() == 1 && found[0].contains(some) && found[0].starts_with(begin),
                "{found:?}"
            );
        }
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
            format!(
                "{chain}milter_default_action = quarantine\nsmtpd_forbid_bare_newline = normalize"
            ),
            "quarantine",
        ),
        (
            format!(
                "{chain}act = accept\nmilter_default_action = $act\nsmtpd_forbid_bare_newline = normalize"
            ),
            "accept",
        ),
        (
            format!("{chain}milter_default_action = tempfail\nsmtpd_forbid_bare_newline = no"),
            "smuggled",
        ),
        (
            format!("{chain}milter_default_action = tempfail"),
            "not there",
        ),
        (
            format!("{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a default_action=accept }}"),
            "default_action=accept",
        ),
        (
            format!(
                "{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, {{ default_action = accept }} }}"
            ),
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
                "{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, default_action=tempfail, {{}} }}"
            ),
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
        (
            format!("{RIGHT}smtpd_milters = unix:/run/mailglot/a, unix:/run/openarc/a"),
            "behind it",
        ),
        (format!("{RIGHT}smtpd_milters ="), "no filter"),
        (
            format!("{RIGHT}{chain}smtpd_milter_maps = cidr:/etc/postfix/maps"),
            "smtpd_milter_maps",
        ),
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
        (
            format!("{RIGHT}{chain}smtp/inet/smtpd_forbid_bare_newline = no"),
            "smtp/inet: smtpd_forbid",
        ),
    ] {
        let found = problems(&text);
        assert!(
            found.len() == 1 && found[0].contains(word),
            "{text}: {found:?}"
        );
    }
}

/// An entry's own action counts, and only the filter's own.
#[test]
fn only_the_action_of_the_filter_itself_matters() {
    const ACCEPT: &str = "milter_default_action = accept\nsmtpd_forbid_bare_newline = normalize\n";
    let ours = "{ unix:mailglot/gw.sock, default_action=tempfail }";
    for text in [
        format!("{ACCEPT}smtpd_milters = {ours}, inet:127.0.0.1:8891\nnon_smtpd_milters = {ours}"),
        format!(
            "{ACCEPT}smtpd_milters = {{ inet:127.0.0.1:11332, default_action=accept }}, {ours}\nnon_smtpd_milters = {ours}"
        ),
        format!("{ACCEPT}smtp/inet/smtpd_milters = {ours}\nnon_smtpd_milters = {ours}"),
        format!(
            "{ACCEPT}smtpd_milters = {ours}\nnon_smtpd_milters = {ours}\nsubmission/inet/smtpd_milters = inet:127.0.0.1:8891"
        ),
    ] {
        assert_eq!(check(&[], &[], &text).0, [], "{text}");
    }
    for (text, command) in [
        (
            format!("{ACCEPT}smtpd_milters = {ours}\nnon_smtpd_milters = unix:mailglot/gw.sock"),
            "postconf -e 'milter_default_action = tempfail'",
        ),
        (
            format!(
                "{ACCEPT}smtpd_milters = {ours}\nnon_smtpd_milters = {ours}\nsmtp/inet/smtpd_milters = unix:mailglot/gw.sock"
            ),
            "postconf -e 'milter_default_action = tempfail'",
        ),
        (
            format!(
                "{RIGHT}smtpd_milters = {{ inet:a:1, default_action=accept }}, {{ unix:mailglot/gw.sock, default_action=accept }}\nnon_smtpd_milters = {ours}"
            ),
            "postconf -e 'smtpd_milters = { inet:a:1, default_action=accept }, { unix:mailglot/gw.sock, default_action=tempfail }'",
        ),
    ] {
        let (found, _) = check(&[], &[], &text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].commands, [command], "{text}");
    }
    let (_, notes) = check(
        &[],
        &[],
        &format!("{RIGHT}smtpd_milters = {{ inet:a:1, default_action=quarantine }}, {ours}\n"),
    );
    assert!(
        notes
            .iter()
            .any(|note| note.contains("inet:a:1 has default_action=quarantine")),
        "{notes:?}"
    );
}

#[test]
fn quotes_in_values_survive_the_shell() {
    assert_eq!(single_quoted("a'b"), r"'a'\''b'");
}
