//! Which mail passes unread: local mail, address classes, names of hosts, other instances; and the removal of the filter.

use super::super::*;
use super::{INCOMPLETE, RIGHT, check, check_with_listeners};

/// Debian runs lmtp(8) chrooted: an absolute path starts at the queue directory there.
#[test]
fn a_transport_leads_to_the_proxys_socket() {
    let text = |value: &str, chroot: &str| {
        format!(
            "{RIGHT}mydestination = a.example\nmailbox_transport = {value}\nlmtp unix - - {chroot} - - lmtp\nsmtp inet n - y - - smtpd\n"
        )
    };
    for (value, chroot) in [
        ("lmtp:unix:mailglot/lmtp", "y"),
        ("lmtp:unix:mailglot/lmtp", "n"),
        ("lmtp:unix:/run/mailglot/lmtp", "n"),
    ] {
        let (found, _) = check(&[], &[], &text(value, chroot));
        assert_eq!(found, [], "{value} {chroot}");
    }
    let (found, _) = check(&[], &[], &text("lmtp:unix:/run/mailglot/lmtp", "y"));
    assert_eq!(found.len(), 1, "{found:?}");
    for words in [
        "lmtp/unix runs with the queue directory",
        "/var/spool/postfix/run/mailglot/lmtp",
        "listen at unix:/var/spool/postfix/mailglot/lmtp",
    ] {
        assert!(found[0].text.contains(words), "{found:?}");
    }
    assert_eq!(
        found[0].commands,
        ["postconf -e 'mailbox_transport = lmtp:unix:mailglot/lmtp'"]
    );
    // A socket that is there is right.
    let there = ["/var/spool/postfix/run/mailglot/lmtp"];
    let (found, _) = check(&[], &there, &text("lmtp:unix:/run/mailglot/lmtp", "y"));
    assert_eq!(found, []);
}

/// pickup(8) obeys options of its own, of main.cf and of the cleanup service that it names.
#[test]
fn mail_of_local_programs_is_followed_from_pickup() {
    let milter = "smtpd_milters = unix:mailglot/a\nnon_smtpd_milters = unix:mailglot/a\n";
    let master = "smtp inet n - y - - smtpd\npickup unix n - y 60 1 pickup\ncleanup unix n - y - 0 cleanup\n";
    let unread = |text: &str| {
        let (found, _) = check(&[], &[], &format!("{RIGHT}{milter}{master}{text}"));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(
            found[0]
                .text
                .ends_with("so mail of local programs passes unread"),
            "{found:?}"
        );
        found[0].commands.clone()
    };
    assert_eq!(
        unread("pickup/unix/receive_override_options = no_milters\n"),
        ["postconf -PX 'pickup/unix/receive_override_options'"]
    );
    assert_eq!(
        unread("receive_override_options = no_milters\nsmtp/inet/receive_override_options =\n"),
        ["postconf -e 'receive_override_options = '"]
    );
    assert_eq!(
        unread(
            "pickup/unix/cleanup_service_name = pre-cleanup\npre-cleanup unix n - y - 0 cleanup -o non_smtpd_milters=\n"
        ),
        ["postconf -P 'pre-cleanup/unix/non_smtpd_milters=unix:mailglot/a'"]
    );
    for right in [
        "",
        "pickup/unix/receive_override_options = no_address_mappings\n",
        "pickup/unix/cleanup_service_name = pre-cleanup\npre-cleanup unix n - y - 0 cleanup\n",
    ] {
        let (found, _) = check(&[], &[], &format!("{RIGHT}{milter}{master}{right}"));
        assert_eq!(found, [], "{right}");
    }
    // A proxy behind the queue.
    let behind = format!("{RIGHT}{master}content_filter = scan:[127.0.0.1]:10026\n");
    let addresses = ["127.0.0.1:10026"];
    assert_eq!(check(&addresses, &[], &behind).0, []);
    let (found, _) = check(
        &addresses,
        &[],
        &format!("{behind}pickup/unix/content_filter =\n"),
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].commands,
        ["postconf -PX 'pickup/unix/content_filter'"]
    );
}

/// qmqpd(8) obeys the same options.
#[test]
fn mail_by_qmqp_is_followed() {
    let unread = |addresses: &[&str], text: &str| {
        let (found, _) = check(addresses, &[], &format!("{RIGHT}{text}"));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(
            found[0].text.starts_with("qmqp/inet: ")
                || found[0].text.starts_with("other/unix: non_smtpd_milters"),
            "{found:?}"
        );
        assert!(
            found[0].text.ends_with("so mail by QMQP passes unread"),
            "{found:?}"
        );
        found[0].commands.clone()
    };
    let master =
        "smtp inet n - y - - smtpd\nqmqp inet n - y - - qmqpd\ncleanup unix n - y - 0 cleanup\n";
    let milter =
        format!("smtpd_milters = unix:mailglot/a\nnon_smtpd_milters = unix:mailglot/a\n{master}");
    assert_eq!(check(&[], &[], &format!("{RIGHT}{milter}")).0, []);
    assert_eq!(
        unread(
            &[],
            &format!("{milter}qmqp/inet/receive_override_options = no_milters\n")
        ),
        ["postconf -PX 'qmqp/inet/receive_override_options'"]
    );
    let other = "qmqp/inet/cleanup_service_name = other\nother unix n - y - 0 cleanup -o non_smtpd_milters=\n";
    assert_eq!(
        unread(&[], &format!("{milter}{other}")),
        ["postconf -P 'other/unix/non_smtpd_milters=unix:mailglot/a'"]
    );
    // A proxy behind the queue reads it, one before the queue does not.
    let proxy = ["127.0.0.1:10026"];
    let behind = format!("content_filter = scan:[127.0.0.1]:10026\n{master}");
    assert_eq!(check(&proxy, &[], &format!("{RIGHT}{behind}")).0, []);
    assert_eq!(
        unread(&proxy, &format!("{behind}qmqp/inet/content_filter =\n")),
        ["postconf -PX 'qmqp/inet/content_filter'"]
    );
    let before = format!("smtpd_proxy_filter = 127.0.0.1:10026\n{master}");
    assert_eq!(unread(&proxy, &before), [""; 0]);
    let own = "qmqp/inet/content_filter = scan:[127.0.0.1]:10026\n";
    assert_eq!(check(&proxy, &[], &format!("{RIGHT}{before}{own}")).0, []);
    // All mail passes the filter at delivery.
    let delivery = format!("default_transport = smtp:[127.0.0.1]:10026\nmydestination =\n{master}");
    assert_eq!(check(&proxy, &[], &format!("{RIGHT}{delivery}")).0, []);
}

/// A transport carries the mail of its own address class only.
#[test]
fn a_proxy_at_delivery_covers_its_address_class() {
    let addresses = ["127.0.0.1:10026"];
    let result = |text: &str| check(&addresses, &[], &format!("{RIGHT}{text}"));
    let noted = |text: &str, words: &[&str]| {
        let (found, mut notes) = result(text);
        notes.retain(|note| !INCOMPLETE.iter().any(|about| note.contains(about)));
        assert_eq!(found, [], "{text}");
        assert_eq!(notes.len(), words.len(), "{text}: {notes:?}");
        for (note, word) in notes.iter().zip(words) {
            assert!(note.starts_with(word), "{text}: {notes:?}");
        }
    };
    let proxy = "lmtp:inet:127.0.0.1:10026";
    noted(&format!("mailbox_transport = {proxy}\n"), &[]);
    noted(
        &format!("mydestination = a\nlocal_transport = {proxy}\n"),
        &[],
    );
    noted(
        &format!(
            "mydestination = a\nvirtual_mailbox_domains = b\nrelay_domains = c\nmailbox_transport = {proxy}\nvirtual_transport = virtual\n"
        ),
        &["virtual_mailbox_domains: ", "relay_domains: "],
    );
    noted(
        &format!(
            "mydestination =\nrelay_domains = c\nrelay_transport = {proxy}\ntransport_maps = hash:/etc/postfix/transport\n"
        ),
        &["transport_maps = "],
    );
    for unread in [
        // Mail for this server's own domains never goes to relayhost.
        "mydestination = a\nrelayhost = [127.0.0.1]:10026\n",
        "relayhost = [127.0.0.1]:10026\n",
        "mydestination =\nrelay_domains = c\ndefault_transport = smtp:[127.0.0.1]:10026\n",
        // Not a transport of local(8) any more.
        "mydestination = a\nlocal_transport = virtual\nmailbox_transport = lmtp:inet:127.0.0.1:10026\n",
    ] {
        let (found, _) = result(unread);
        assert!(
            found.len() == 1
                && found[0].text.contains("passes unread")
                && found[0].commands.is_empty(),
            "{unread}: {found:?}"
        );
    }
}

/// A mail server may be called mailglot without being this filter.
#[test]
fn a_host_name_does_not_name_the_filter() {
    for text in [
        "mydestination =\nrelayhost = [mailglot.example.org]",
        "mydestination =\nrelayhost = mailglot.example.org:25",
        "smtp/inet/smtpd_proxy_filter = mailglot.example.org:10026",
        "smtpd_milters = inet:mailglot.example.org:8890",
        "content_filter = scan:[mailglot.example.org]:10026",
    ] {
        let (found, _) = check(&[], &[], &format!("{RIGHT}{text}\n"));
        assert!(
            found
                .iter()
                .any(|problem| problem.text.contains("passes unread")),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn names_of_the_loopback_interface_are_one_place() {
    let names = ["localhost", "127.0.0.1", "127.0.1.1", "[::1]", "LOCALHOST"];
    for listens in names {
        for asked in names {
            let text = format!(
                "{RIGHT}smtpd_milters = inet:{asked}:8890\nnon_smtpd_milters = inet:{asked}:8890\n"
            );
            let (found, _) = check(&[&format!("tcp:{listens}:8890")], &[], &text);
            assert_eq!(found, [], "{listens} {asked}");
            for other in ["8891", "889"] {
                let (found, _) = check(&[&format!("tcp:{listens}:{other}")], &[], &text);
                assert!(!found.is_empty(), "{listens} {asked} {other}");
            }
        }
        let text = format!("{RIGHT}smtpd_milters = inet:192.0.2.1:8890\n");
        assert!(
            !check(&[&format!("tcp:{listens}:8890")], &[], &text)
                .0
                .is_empty()
        );
    }
}

/// The packaged unit cannot write another instance's queue directory, and the first instance needs its socket.
#[test]
fn another_instance_gets_a_listener_of_its_own() {
    let text = format!(
        "{RIGHT}queue_directory = /var/spool/postfix-in\nsmtpd_milters = unix:mailglot/gw.sock\nnon_smtpd_milters = unix:mailglot/gw.sock\n\
         smtp inet n - y - - smtpd\ncleanup unix n - y - 0 cleanup\n"
    );
    let found = |more: &str| {
        let first =
            "{ route = \"milter\", address = \"unix:/var/spool/postfix/mailglot/gw.sock\" }";
        check_with_listeners(&format!("{first}{more}"), &text).0
    };
    let problems = found("");
    assert_eq!(problems.len(), 2, "{problems:?}");
    for problem in &problems {
        assert_eq!(problem.commands, [] as [&str; 0], "{problem:?}");
        for words in [
            "add a [[listen]] at unix:/var/spool/postfix-in/mailglot/gw.sock",
            "ReadWritePaths=/var/spool/postfix-in/mailglot",
            "apparmor.d/local",
        ] {
            assert!(problem.text.contains(words), "{problem:?}");
        }
    }
    let own = ", { route = \"milter\", address = \"unix:/var/spool/postfix-in/mailglot/gw.sock\" }";
    assert_eq!(found(own), []);
}

/// The commands that remove the filter leave settings in which it is not named.
#[test]
fn removal_names_each_place_of_the_filter() {
    let removal = |addresses: &[&str], text: &str| {
        let addresses: Vec<String> = addresses
            .iter()
            .map(|&address| address.to_owned())
            .collect();
        let settings = Settings::parse(text);
        let filter = FilterAddresses::new(&addresses, &settings);
        let check = Check {
            settings: &settings,
            filter: &filter,
            is_socket: &|_| false,
        };
        let places = check.removal();
        let commands = places.iter().flat_map(|place| place.commands.clone());
        (commands.collect::<Vec<_>>(), removal::report(&places))
    };
    let ours = "{ unix:mailglot/gw.sock, default_action=tempfail }";
    let text = format!(
        "smtpd_milters = inet:127.0.0.1:8891, {ours}, inet:127.0.0.1:8892\nnon_smtpd_milters = {ours}\n\
         submission/inet/smtpd_milters = unix:mailglot/out.sock,inet:127.0.0.1:8892\n2525/inet/smtpd_milters = inet:127.0.0.1:1\n"
    );
    let (commands, report) = removal(&[], &text);
    assert_eq!(
        commands,
        [
            "postconf -e 'smtpd_milters = inet:127.0.0.1:8891, inet:127.0.0.1:8892'",
            "postconf -e 'non_smtpd_milters = '",
            "postconf -P 'submission/inet/smtpd_milters=inet:127.0.0.1:8892'",
        ]
    );
    assert!(report.ends_with("After that:\n    postfix reload\n"));
    let proxy = ["127.0.0.1:10026"];
    let text = "content_filter = scan:[127.0.0.1]:10026\nsmtp/inet/smtpd_proxy_filter = 127.0.0.1:10026\nvirtual_transport = lmtp:inet:localhost:10026\n\
        127.0.0.1:10027/inet/content_filter =\n";
    let (commands, report) = removal(&proxy, text);
    assert_eq!(
        commands,
        [
            "postconf -e 'content_filter = '",
            "postconf -P 'smtp/inet/smtpd_proxy_filter='"
        ]
    );
    assert!(
        report.contains("virtual_transport = lmtp:inet:localhost:10026 names the proxy"),
        "{report}"
    );
    assert_eq!(
        removal(&[], "smtpd_milters = inet:127.0.0.1:8891\n"),
        (Vec::new(), String::new())
    );
}
