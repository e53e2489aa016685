//! Services that take mail without the filter.

use super::{INCOMPLETE, RIGHT, check, with};

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
        (&["tcp:127.0.0.1:10026"], before, 3),
        (&["127.0.0.1:10026"], "smtpd_proxy_filter = :10026", 1),
        (&["localhost:10026"], "smtpd_proxy_filter = inet::10026", 1),
        (&["inet:127.0.0.1:10026"], behind, 1),
        (&["127.0.0.1:10024"], store, 0),
        (&[], pipe, 2),
        (&["tcp:[::1]:8890"], "smtpd_milters = inet:[::1]:8890", 0),
        (&["unix:/run/filter"], "smtpd_milters = unix:/run/filter", 0),
        (
            &["/run/filter"],
            "virtual_transport = lmtp:unix:/run/filter\nvirtual_mailbox_domains = a.example\nmydestination =",
            0,
        ),
        (
            &["LOCALHOST:1"],
            "relayhost = [localhost]:1\nmydestination =",
            0,
        ),
        // A check of a proxy does not look at other milters.
        (
            &["127.0.0.1:10024"],
            "mailbox_transport = lmtp:inet:127.0.0.1:10024\nmilter_default_action = accept",
            0,
        ),
    ] {
        let (problems, notes) = with(addresses, &format!("{RIGHT}{text}\n"));
        assert_eq!(problems, [] as [&str; 0], "{text}");
        assert_eq!(notes.len(), noted, "{text}: {notes:?}");
    }
    for (addresses, text) in [
        (&[][..], tcp),
        (&["127.0.0.1:889"], tcp),
        (&["127.0.0.1:88901"], tcp),
        (&["inet:127.0.0.1:8890"], before),
        (
            &["tcp:127.0.0.1:8890"],
            "smtpd_milters = unix:/run/mailglot/gw.sock",
        ),
        (&["/run/filter"], "smtpd_milters = unix:/run/filter2"),
        (&["192.0.2.1:10026"], "smtpd_proxy_filter = :10026"),
        (
            &["127.0.0.1:10026"],
            "smtpd_proxy_filter = [2001:db8::]:10026",
        ),
        (
            &["127.0.0.1:8890"],
            "smtpd_milters = inet:10.127.0.0.1:8890",
        ),
    ] {
        let (problems, _) = with(addresses, &format!("{RIGHT}{text}\n"));
        assert!(
            problems.len() == 1 && problems[0].contains("no filter"),
            "{addresses:?} {text}: {problems:?}"
        );
    }
}

#[test]
fn a_service_that_everybody_reaches_has_the_filter() {
    let chain = "smtpd_milters = unix:/run/mailglot/gw.sock\nnon_smtpd_milters = unix:/run/mailglot/gw.sock\n";
    for (text, word) in [
        (
            "smtp/inet/smtpd_milters =",
            "smtp/inet: what comes there passes unread; it has a list of its own",
        ),
        (
            "smtp/inet/smtpd_milters = inet:127.0.0.1:8891",
            "smtp/inet: what comes there",
        ),
        (
            "smtp/inet/receive_override_options = no_milters",
            "receive_override_options has no_milters",
        ),
        (
            "smtp/inet/receive_override_options = no_address_mappings, No_Milters",
            "has no_milters",
        ),
        (
            "192.0.2.1:25/inet/smtpd_milters =",
            "192.0.2.1:25/inet: what comes there",
        ),
        ("[2001:db8::1]:25/inet/smtpd_milters =", "passes unread"),
        // Behind postscreen(8).
        ("smtpd/pass/smtpd_milters =", "smtpd/pass: what comes there"),
        (
            "none = \nsmtp/inet/smtpd_milters = $none",
            "smtp/inet: what comes there",
        ),
        ("receive_override_options = no_milters", "no filter"),
        ("smtpd_milters =", "no filter"),
    ] {
        let (problems, _) = with(&[], &format!("{RIGHT}{chain}{text}\n"));
        assert!(
            problems.len() == 1 && problems[0].contains(word),
            "{text}: {problems:?}"
        );
    }
    for (text, word) in [
        (
            "127.0.0.1:10027/inet/smtpd_milters =",
            "right where it comes back",
        ),
        (
            "localhost:10027/inet/receive_override_options = no_milters",
            "right where it comes back",
        ),
        (
            "[::1]:10027/inet/smtpd_milters =",
            "right where it comes back",
        ),
        (
            "submission/inet/smtpd_milters = inet:127.0.0.1:8891",
            "your own people",
        ),
        ("0.0.0.0:587/inet/smtpd_milters =", "your own people"),
    ] {
        let (problems, notes) = with(&[], &format!("{RIGHT}{chain}{text}\n"));
        assert_eq!(problems, [] as [&str; 0], "{text}");
        assert!(
            notes.len() == 1 && notes[0].contains(word),
            "{text}: {notes:?}"
        );
    }
    // No mail comes by these, or they have it all the same.
    for text in [
        "pickup/unix/smtpd_milters =",
        "smtp/inet/receive_override_options = no_address_mappings",
        "smtp/inet/smtpd_milters = unix:/run/mailglot/other",
        "127.0.0.1:10027/inet/smtpd_tls_security_level = none",
    ] {
        let (problems, notes) = with(&[], &format!("{RIGHT}{chain}{text}\n"));
        assert_eq!((problems, notes), (Vec::new(), Vec::new()), "{text}");
    }
}

#[test]
fn input_without_master_cf_is_noted() {
    let text = format!(
        "{RIGHT}smtpd_milters = unix:/run/mailglot/a\nnon_smtpd_milters = unix:/run/mailglot/a\n"
    );
    let (found, notes) = check(&[], &[], &text);
    assert_eq!(found, []);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes
            .iter()
            .zip(INCOMPLETE)
            .all(|(note, about)| note.contains(about)),
        "{notes:?}"
    );
}

/// Who reads only the last line learns what was not checked.
#[test]
fn the_result_claims_no_more_than_was_checked() {
    for (has_master, want) in [
        (true, "the settings keep mail safe"),
        (
            false,
            "the settings of main.cf keep mail safe; those of master.cf were not checked",
        ),
    ] {
        let notes = ["a note".to_owned()];
        let text = super::report(&[], &notes, has_master);
        assert_eq!(text.lines().last(), Some(want));
    }
}

#[test]
fn a_public_service_without_a_filter_in_main_cf_is_open() {
    let text = format!(
        "{RIGHT}non_smtpd_milters = unix:mailglot/a\nsmtp inet n - y - - smtpd\n\
         2525 inet n - y - - smtpd -o smtpd_milters=unix:mailglot/a\ncleanup unix n - y - 0 cleanup\n"
    );
    let (found, _) = check(&[], &[], &text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0]
            .text
            .contains("smtp/inet: what comes there passes unread; main.cf has a list without"),
        "{found:?}"
    );
    assert_eq!(
        found[0].commands,
        ["postconf -e 'smtpd_milters = unix:mailglot/a'"]
    );
    // postscreen(8) and servers of policies take no mail; the smtpd behind postscreen does.
    let behind = format!(
        "{RIGHT}non_smtpd_milters = unix:mailglot/a\nsmtpd_milters = unix:mailglot/a\nsmtp inet n - y - 1 postscreen\n\
         smtpd pass - - y - - smtpd\n8080 inet n n n - 0 spawn user=nobody argv=/bin/true\ncleanup unix n - y - 0 cleanup\n"
    );
    assert_eq!(check(&[], &[], &behind), (Vec::new(), Vec::new()));
}

#[test]
fn mail_of_local_programs_has_the_filter() {
    let smtpd = "smtpd_milters = inet:127.0.0.1:8891, { unix:mailglot/gw.sock, default_action=tempfail, content_timeout=60s }\n";
    for (local, command) in [
        (
            "",
            "'non_smtpd_milters = { unix:mailglot/gw.sock, default_action=tempfail, content_timeout=60s }'",
        ),
        (
            "non_smtpd_milters = inet:127.0.0.1:8892\n",
            "'non_smtpd_milters = inet:127.0.0.1:8892, { unix:mailglot/gw.sock, default_action=tempfail, content_timeout=60s }'",
        ),
    ] {
        let (found, _) = check(&[], &[], &format!("{RIGHT}{smtpd}{local}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0]
                .text
                .contains("mail of local programs passes unread"),
            "{found:?}"
        );
        assert_eq!(found[0].commands, [format!("postconf -e {command}")]);
    }
    // Local mail goes through cleanup(8) and through `content_filter`.
    for local in [
        "cleanup/unix/non_smtpd_milters = unix:mailglot/gw.sock\n",
        "content_filter = mailglot:\n",
    ] {
        assert_eq!(
            check(&[], &[], &format!("{RIGHT}{smtpd}{local}")).0,
            [],
            "{local}"
        );
    }
}
