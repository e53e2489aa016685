//! Tables of settings, and what the checks say of them. `tests/tests/check_mta.rs` asks a real Postfix.

use super::*;

pub(super) const RIGHT: &str =
    "milter_default_action = tempfail\nsmtpd_forbid_bare_newline = normalize\n";
/// Notes about input without entries of master.cf.
pub(super) const INCOMPLETE: [&str; 2] = [
    "the input has no entries of master.cf",
    "where smtpd runs with chroot",
];

pub(super) fn check(
    addresses: &[&str],
    sockets: &[&str],
    text: &str,
) -> (Vec<Problem>, Vec<String>) {
    let addresses: Vec<String> = addresses
        .iter()
        .map(|address| (*address).to_owned())
        .collect();
    let settings = Settings::parse(text);
    let filter = FilterAddresses::new(&addresses, &settings);
    let is_socket = |path: &Path| sockets.iter().any(|socket| Path::new(socket) == path);
    let check = Check {
        settings: &settings,
        filter: &filter,
        is_socket: &is_socket,
    };
    (check.problems(), check.notes())
}

/// Texts of problems, and notes but for those about incomplete input. Mail of local programs has the filter unless `text` says otherwise.
fn with(addresses: &[&str], text: &str) -> (Vec<String>, Vec<String>) {
    let local = match addresses.first() {
        _ if !text.contains("smtpd_milters") => String::new(),
        None => "non_smtpd_milters = unix:/run/mailglot/local\n".to_owned(),
        Some(path) if path.contains('/') => {
            format!(
                "non_smtpd_milters = unix:{}\n",
                path.trim_start_matches("unix:")
            )
        }
        Some(place) => {
            let place = place.trim_start_matches("tcp:").trim_start_matches("inet:");
            format!("non_smtpd_milters = inet:{place}\n")
        }
    };
    let (problems, mut notes) = check(addresses, &[], &format!("{local}{text}"));
    notes.retain(|note| !INCOMPLETE.iter().any(|about| note.contains(about)));
    (
        problems.into_iter().map(|problem| problem.text).collect(),
        notes,
    )
}

fn problems(text: &str) -> Vec<String> {
    with(&[], text).0
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
                "{RIGHT}non_smtpd_milters = unix:/run/mailglot/a {{inet:a:1 default_action=accept}}\nsmtpd_milters = unix:/run/mailglot/a"
            ),
            "non_smtpd_milters: inet:a:1 has default_action=accept",
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

/// Settings with a milter whose address is `smtpd`, and the chroot columns of smtpd and cleanup.
fn with_chroot(address: &str, smtpd: &str, cleanup: &str) -> String {
    format!(
        "{RIGHT}compatibility_level = 3.6\nqueue_directory = /var/spool/postfix\nsmtpd_milters = {address}\nnon_smtpd_milters = {address}\n\
         smtp       inet  n       -       {smtpd}       -       -       smtpd\n\
         cleanup    unix  n       -       {cleanup}       -       0       cleanup\n"
    )
}

#[test]
fn a_socket_is_where_each_process_looks_for_it() {
    let right = [
        ("unix:mailglot/gw.sock", "y", "y"),
        ("unix:mailglot/gw.sock", "n", "n"),
        ("unix:mailglot/gw.sock", "-", "y"),
        ("local:mailglot/gw.sock", "y", "n"),
        ("unix:/mailglot/gw.sock", "y", "y"),
        ("unix:/run/mailglot/gw.sock", "n", "n"),
        ("unix:/run/mailglot/gw.sock", "-", "-"),
        ("unix:/var/spool/postfix/mailglot/gw.sock", "n", "-"),
        (
            "{ unix:mailglot/gw.sock, default_action=tempfail }",
            "y",
            "y",
        ),
    ];
    for (address, smtpd, cleanup) in right {
        let (found, notes) = check(&[], &[], &with_chroot(address, smtpd, cleanup));
        assert_eq!(
            (found, notes),
            (Vec::new(), Vec::new()),
            "{address} {smtpd} {cleanup}"
        );
    }
    let wrong = [
        (
            "unix:/run/mailglot/gw.sock",
            "y",
            "y",
            "/var/spool/postfix/run/mailglot/gw.sock",
            2,
        ),
        (
            "unix:/run/mailglot/gw.sock",
            "y",
            "n",
            "/var/spool/postfix/run/mailglot/gw.sock",
            1,
        ),
        (
            "unix:/run/mailglot/gw.sock",
            "n",
            "y",
            "/var/spool/postfix/run/mailglot/gw.sock",
            1,
        ),
        (
            "unix:/var/spool/postfix/mailglot/gw.sock",
            "y",
            "y",
            "postfix/var/spool/postfix/mailglot/gw.sock",
            2,
        ),
        (
            "unix:/mailglot/gw.sock",
            "n",
            "n",
            "at /mailglot/gw.sock",
            2,
        ),
        (
            "unix:var/spool/postfix/mailglot/gw.sock",
            "y",
            "n",
            "postfix/var/spool/postfix/mailglot",
            2,
        ),
    ];
    for (address, smtpd, cleanup, words, count) in wrong {
        let text = with_chroot(address, smtpd, cleanup);
        let (found, _) = check(&[], &[], &text);
        assert_eq!(found.len(), count, "{address}: {found:?}");
        for problem in &found {
            assert!(problem.text.contains(words), "{problem:?}");
            let last = problem.commands.last().unwrap();
            assert!(
                last.ends_with("smtpd_milters = unix:mailglot/gw.sock'"),
                "{problem:?}"
            );
            let moves = address.starts_with("unix:/run") && smtpd != cleanup
                || address.starts_with("unix:/run");
            assert_eq!(
                problem.commands.len(),
                if moves { 4 } else { 1 },
                "{problem:?}"
            );
        }
        // A socket that stands where the process looks is right.
        let sockets = [
            "/var/spool/postfix/run/mailglot/gw.sock",
            "/run/mailglot/gw.sock",
        ];
        let (found, _) = check(&[], &sockets, &text);
        assert_eq!(
            found.is_empty(),
            address == "unix:/run/mailglot/gw.sock",
            "{address}: {found:?}"
        );
    }
}

/// Compatibility level 0 is Postfix before 3.0, where `-` meant chroot.
#[test]
fn a_dash_in_the_chroot_column_follows_the_compatibility_level() {
    let text = with_chroot("unix:/run/mailglot/gw.sock", "-", "-");
    assert_eq!(check(&[], &[], &text).0, []);
    let (found, _) = check(&[], &[], &text.replace("= 3.6", "= 0"));
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn columns_and_fields_of_master_cf_say_the_same() {
    let columns = with_chroot("unix:/run/mailglot/gw.sock", "y", "n");
    let (main, _) = columns.split_once("smtp  ").unwrap();
    let fields = format!(
        "{main}smtp/inet/service = smtp\nsmtp/inet/chroot = y\nsmtp/inet/command = smtpd\ncleanup/unix/chroot = n\ncleanup/unix/command = cleanup\n"
    );
    assert_eq!(check(&[], &[], &columns), check(&[], &[], &fields));
    // Options stand on lines of their own behind an entry.
    let options = columns.replace(
        "smtpd\n",
        "smtpd\n    -o { smtpd_milters = unix:mailglot/a, inet:b:1 }\n    -o a=b,c\n",
    );
    assert_eq!(check(&[], &[], &options).0, []);
    let closed = columns.replace("smtpd\n", "smtpd -o smtpd_milters=\n");
    let (found, _) = check(&[], &[], &closed);
    assert!(
        found[0]
            .text
            .starts_with("smtp/inet: what comes there passes unread"),
        "{found:?}"
    );
    assert_eq!(
        found[0].commands,
        ["postconf -PX 'smtp/inet/smtpd_milters'"]
    );
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

#[test]
fn quotes_in_values_survive_the_shell() {
    assert_eq!(problem::quote("a'b"), r"'a'\''b'");
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
