//! Proxies and pipes: commands that suit them, mail loops, and delivery past a stopped proxy.

use super::{RIGHT, check, check_with_listeners};

const MASTER: &str = "smtp inet n - y - - smtpd\npickup unix n - y 60 1 pickup\ncleanup unix n - y - 0 cleanup\n\
    smtp unix - - y - - smtp\nlmtp unix - - y - - lmtp\nscan unix - - n - 10 smtp\nmailglot unix - n n - 10 pipe flags=Rq user=mailglot argv=/x\n";
const PROXY: &str =
    "{ route = \"smtp\", address = \"tcp:127.0.0.1:10026\", next_hop = \"tcp:127.0.0.1:10027\" }";
const STORE: &str = "{ route = \"lmtp\", address = \"unix:/var/spool/postfix/mailglot/lmtp\", next_hop = \"unix:/run/dovecot/lmtp\" }";
const MILTER: &str =
    "{ route = \"milter\", address = \"unix:/var/spool/postfix/mailglot/gw.sock\" }";

/// A milter command with a proxy's address would have Postfix defer all mail.
#[test]
fn no_command_makes_a_milter_of_a_proxy() {
    for (listeners, text, words) in [
        (PROXY, "", "\"Proxy behind the queue\""),
        (
            PROXY,
            "content_filter = scan:[127.0.0.1]:10099\n",
            "\"Proxy before the queue\"",
        ),
        (STORE, "", "under \"Proxy before a mailbox store\""),
        (
            PROXY,
            "smtp/inet/smtpd_proxy_filter = 127.0.0.1:10026\n2525 inet n - y - - smtpd\n",
            "2525/inet: what comes there passes unread",
        ),
        // A socket that no listener has.
        (
            PROXY,
            "smtp/inet/smtpd_proxy_filter = 127.0.0.1:10026\nnon_smtpd_milters = unix:mailglot/gw.sock\n",
            "no milter of",
        ),
    ] {
        let (found, _) = check_with_listeners(listeners, &format!("{RIGHT}{MASTER}{text}"));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].text.contains(words), "{found:?}");
        assert_eq!(found[0].commands, [] as [&str; 0], "{text}");
    }
    let (found, _) =
        check_with_listeners(&format!("{PROXY}, {MILTER}"), &format!("{RIGHT}{MASTER}"));
    assert!(
        found[0].commands.len() == 2
            && found[0]
                .commands
                .iter()
                .all(|command| command.contains("{ unix:mailglot/gw.sock")),
        "{found:?}"
    );
    // An address alone does not tell.
    let (found, _) = check(&["127.0.0.1:10026"], &[], &format!("{RIGHT}{MASTER}"));
    assert!(
        found[0]
            .text
            .contains("only if inet:127.0.0.1:10026 is the address of a milter"),
        "{found:?}"
    );
    let named = "default_transport = smtp:[127.0.0.1]:10026\npickup/unix/content_filter = scan:[127.0.0.1]:10026\n";
    let (found, _) = check(
        &["127.0.0.1:10026"],
        &[],
        &format!("{RIGHT}{MASTER}{named}"),
    );
    assert!(
        found.len() == 1 && found[0].commands.is_empty(),
        "{found:?}"
    );
}

#[test]
fn a_listener_for_mail_from_the_proxy_is_not_public() {
    let base = format!("{RIGHT}{MASTER}content_filter = scan:[127.0.0.1]:10026\n");
    let bind = "postconf -F '10027/inet/service=127.0.0.1:10027'";
    for entry in [
        "10027 inet n - y - - smtpd -o content_filter=\n",
        "10027 inet n - y - - smtpd -o content_filter= -o smtpd_milters=\n",
    ] {
        for (found, _) in [
            check(&["127.0.0.1:10026"], &[], &format!("{base}{entry}")),
            check_with_listeners(PROXY, &format!("{base}{entry}")),
        ] {
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].text.ends_with("bind it to 127.0.0.1"), "{found:?}");
            assert_eq!(found[0].commands, [bind]);
        }
    }
    // Where other servers send mail, the proxy belongs back.
    let (found, _) = check_with_listeners(PROXY, &format!("{base}smtp/inet/content_filter =\n"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].commands,
        ["postconf -PX 'smtp/inet/content_filter'"]
    );
}

/// What the filter hands back must not go to the filter again.
#[test]
fn mail_loops_are_found() {
    let behind = "content_filter = scan:[127.0.0.1]:10026\n";
    let before = "smtpd_proxy_filter = 127.0.0.1:10026\n";
    let back =
        "127.0.0.1:10027 inet n - y - - smtpd -o receive_override_options=no_header_body_checks";
    let release =
        "127.0.0.1:10030 inet n - y - - smtpd -o content_filter= -o smtpd_proxy_filter=\n";
    for (text, command) in [
        (
            format!("{behind}{back}\n"),
            "127.0.0.1:10027/inet/content_filter=",
        ),
        (
            format!("{behind}{back}\n{release}"),
            "127.0.0.1:10027/inet/content_filter=",
        ),
        (
            format!("{before}{back}\n"),
            "127.0.0.1:10027/inet/smtpd_proxy_filter=",
        ),
        (
            format!("{before}{back} -o content_filter=\n"),
            "127.0.0.1:10027/inet/smtpd_proxy_filter=",
        ),
        (
            format!(
                "{behind}10027 inet n - y - - smtpd -o smtpd_authorized_xforward_hosts=127.0.0.0/8\n"
            ),
            "10027/inet/content_filter=",
        ),
    ] {
        for (found, _) in [
            check(&["127.0.0.1:10026"], &[], &format!("{RIGHT}{MASTER}{text}")),
            check_with_listeners(PROXY, &format!("{RIGHT}{MASTER}{text}")),
        ] {
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].text.contains("a mail loop"), "{found:?}");
            assert_eq!(found[0].commands, [format!("postconf -P '{command}'")]);
        }
    }
    // Programs of this machine may send mail by a listener of their own.
    let own = "127.0.0.1:2525 inet n - y - - smtpd\n127.0.0.1:10027 inet n - y - - smtpd -o content_filter=\n";
    for (found, _) in [
        check(
            &["127.0.0.1:10026"],
            &[],
            &format!("{RIGHT}{MASTER}{behind}{own}"),
        ),
        check_with_listeners(PROXY, &format!("{RIGHT}{MASTER}{behind}{own}")),
    ] {
        assert_eq!(found, []);
    }
}

/// pickup(8) takes what a pipe hands back by sendmail(1).
#[test]
fn a_pipe_in_main_cf_is_a_loop() {
    let text = format!("{RIGHT}{MASTER}content_filter = mailglot:dummy\n");
    let (found, _) = check(&[], &[], &text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].commands,
        ["postconf -P 'pickup/unix/content_filter='"]
    );
    for right in [
        format!("{text}pickup/unix/content_filter =\n"),
        format!("{RIGHT}{MASTER}smtp/inet/content_filter = mailglot:dummy\n"),
    ] {
        let (found, notes) = check(&[], &[], &right);
        assert_eq!(found, [], "{right}");
        assert!(
            notes.len() == 1 && notes[0].starts_with("pickup/unix: mail of local programs"),
            "{notes:?}"
        );
    }
}

/// A transport of smtp(8) or lmtp(8) inherits the fallback of main.cf.
#[test]
fn a_fallback_passes_a_stopped_proxy() {
    let proxy = ["127.0.0.1:10026"];
    let fallback = "smtp_fallback_relay = [192.0.2.1]\nlmtp_fallback_relay = inet:192.0.2.1:24\n";
    for (text, command) in [
        (
            "content_filter = scan:[127.0.0.1]:10026\n",
            "scan/unix/smtp_fallback_relay=",
        ),
        (
            "smtp/inet/content_filter = scan:[127.0.0.1]:10026\n",
            "scan/unix/smtp_fallback_relay=",
        ),
        (
            "mydestination = a\nmailbox_transport = lmtp:inet:127.0.0.1:10026\n",
            "lmtp/unix/lmtp_fallback_relay=",
        ),
        (
            "mydestination =\nrelayhost = [127.0.0.1]:10026\n",
            "smtp/unix/smtp_fallback_relay=",
        ),
    ] {
        let base = format!("{RIGHT}{MASTER}{text}");
        let (found, _) = check(&proxy, &[], &format!("{base}{fallback}"));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].commands, [format!("postconf -P '{command}'")]);
        let option = command.trim_end_matches('=');
        let (found, _) = check(&proxy, &[], &format!("{base}{option} = [192.0.2.1]\n"));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        for right in [
            base.clone(),
            format!("{base}{fallback}{option} =\n"),
            format!("{base}{option} = [127.0.0.1]:10026\n"),
        ] {
            assert_eq!(check(&proxy, &[], &right).0, [], "{right}");
        }
    }
    // Delivery to a socket has none.
    let socket = "mydestination = a\nmailbox_transport = lmtp:unix:mailglot/lmtp\n";
    let (found, _) = check(&[], &[], &format!("{RIGHT}{MASTER}{socket}{fallback}"));
    assert_eq!(found, []);
}
