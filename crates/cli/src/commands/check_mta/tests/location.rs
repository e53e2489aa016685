//! Sockets of chrooted services.

use super::{RIGHT, check};

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
