//! Lists of milters: their syntax, order and timeouts.

use super::{RIGHT, check, problems};

/// Blanks part settings there, and none of the three words is one.
#[test]
fn blanks_around_the_sign_need_braces() {
    let found = problems(&format!(
        "{RIGHT}smtpd_milters = {{ unix:/run/mailglot/a, default_action = accept }}"
    ));
    assert!(
        found.len() == 3
            && found
                .iter()
                .all(|problem| problem.contains("is no setting")),
        "{found:?}"
    );
}

#[test]
fn timeouts_leave_time_for_signs_of_progress() {
    let base = format!("{RIGHT}non_smtpd_milters = unix:mailglot/a\n");
    for (seconds, is_right) in [
        ("1", false),
        ("9s", false),
        ("10s", true),
        ("60s", true),
        ("5m", true),
        ("1h", true),
    ] {
        for text in [
            format!("{base}smtpd_milters = unix:mailglot/a\nmilter_content_timeout = {seconds}\n"),
            format!("{base}smtpd_milters = {{ unix:mailglot/a, content_timeout={seconds} }}\n"),
        ] {
            let (found, notes) = check(&[], &[], &text);
            assert_eq!(found.is_empty(), is_right, "{text}: {found:?}");
            assert_eq!(
                notes.iter().any(|note| note.contains("600 s")),
                seconds == "1h" && text.contains("milter_content")
            );
            if !is_right {
                assert_eq!(found[0].commands.len(), 1, "{found:?}");
                assert!(
                    found[0].text.contains("reports progress every 5 s"),
                    "{found:?}"
                );
            }
        }
    }
    // The timeouts of other milters are their own.
    let other =
        format!("{base}smtpd_milters = {{ inet:a:1, content_timeout=1s }}, unix:mailglot/a\n");
    assert_eq!(check(&[], &[], &other).0, []);
}

/// The filter's configuration writes `tcp:`, and Postfix does not know it.
#[test]
fn families_are_those_of_postfix() {
    for (address, mended) in [
        ("tcp:127.0.0.1:8890", "inet:127.0.0.1:8890"),
        ("127.0.0.1:8890", "inet:127.0.0.1:8890"),
        ("/run/filter", "unix:/run/filter"),
    ] {
        let text =
            format!("{RIGHT}smtpd_milters = {address}\nnon_smtpd_milters = inet:127.0.0.1:8890\n");
        let (found, _) = check(&["127.0.0.1:8890", "/run/filter"], &[], &text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].text.contains("knows the families"), "{found:?}");
        assert_eq!(
            found[0].commands,
            [format!("postconf -e 'smtpd_milters = {mended}'")]
        );
    }
}

/// Two problems of one list have one command, which corrects both.
#[test]
fn one_command_corrects_a_whole_list() {
    let text = format!(
        "{RIGHT}non_smtpd_milters = unix:mailglot/a\nsmtpd_milters = {{ unix:mailglot/a, colour=red, default_action=accept }}, unix:/run/openarc/a, inet:signer:1\n"
    );
    let (found, _) = check(&[], &[], &text);
    assert_eq!(found.len(), 3, "{found:?}");
    let command = "postconf -e 'smtpd_milters = unix:/run/openarc/a, { unix:mailglot/a, default_action=tempfail }, inet:signer:1'";
    assert!(
        found.iter().all(|problem| problem.commands == [command]),
        "{found:?}"
    );
}

/// An address does not say whether a DKIM milter verifies or signs.
#[test]
fn dkim_milters_on_the_wrong_side_are_noted() {
    let notes = |smtpd: &str, local: &str| {
        let text = format!(
            "{RIGHT}smtpd_milters = {smtpd}\nnon_smtpd_milters = {local}\nsmtp inet n - y - - smtpd\n"
        );
        let (found, notes) = check(&[], &[], &text);
        assert_eq!(found, []);
        notes
    };
    let (dkim, own) = ("unix:opendkim/a.sock", "unix:mailglot/gw.sock");
    assert_eq!(
        notes(&format!("{dkim} {own}"), &format!("{own} {dkim}")),
        [] as [&str; 0]
    );
    let behind = notes(&format!("{own} {dkim}"), own);
    assert!(
        behind.len() == 1 && behind[0].contains("wrong for a verifier"),
        "{behind:?}"
    );
    let before = notes(own, &format!("{dkim} {own}"));
    assert!(
        before.len() == 1 && before[0].contains("counts as signed"),
        "{before:?}"
    );
    // The port that guides give to OpenDMARC.
    let text =
        format!("{RIGHT}smtpd_milters = {own}, inet:127.0.0.1:8893\nnon_smtpd_milters = {own}\n");
    assert!(
        check(&[], &[], &text).0[0]
            .text
            .contains("checks mail behind the filter")
    );
}
