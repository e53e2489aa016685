//! Debian's main.cf and master.cf with mistakes: `check-mta` names each, and its commands correct it. Nothing is started.

use crate::check_with;
use mailglot_tests::binary;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Debian's main.cf and master.cf in a folder; nothing is started.
struct DebianConfig(tempfile::TempDir);

/// What the set-up page does to main.cf.
const PAGE: &[&str] = &[
    "postconf -e 'smtpd_milters = { unix:mailglot/gw.sock, default_action=tempfail, content_timeout=60s }'",
    "postconf -e 'non_smtpd_milters = { unix:mailglot/gw.sock, default_action=tempfail, content_timeout=60s }'",
    "postconf -e 'milter_default_action = tempfail' 'smtpd_forbid_bare_newline = normalize' 'smtpd_forbid_bare_newline_exclusions ='",
];
/// Services without chroot.
const NO_CHROOT: &str = "postconf -F '*/*/chroot=n'";

impl DebianConfig {
    fn new(commands: &[&str]) -> Self {
        let stock = Self(tempfile::tempdir().unwrap());
        let at = stock.0.path();
        fs::copy("/usr/share/postfix/main.cf.debian", at.join("main.cf")).unwrap();
        fs::copy("/usr/share/postfix/master.cf.dist", at.join("master.cf")).unwrap();
        let config = "[[listen]]\nroute = \"milter\"\naddress = \"unix:/var/spool/postfix/mailglot/gw.sock\"\n";
        fs::write(at.join("mailglot.toml"), config).unwrap();
        // What is not Postfix's has no effect here.
        fs::create_dir(at.join("bin")).unwrap();
        for name in ["install", "systemctl", "postfix"] {
            std::os::unix::fs::symlink("/bin/true", at.join("bin").join(name)).unwrap();
        }
        for command in commands {
            stock.shell(command);
        }
        stock
    }

    fn shell(&self, command: &str) -> String {
        let path = format!(
            "{}:{}",
            self.0.path().join("bin").display(),
            std::env::var("PATH").unwrap()
        );
        let output = Command::new("sh")
            .args(["-ec", command])
            .env("MAIL_CONFIG", self.0.path())
            .env("PATH", path)
            .output()
            .unwrap();
        // Postfix's programs wait until a file has not changed for a second or two.
        for name in ["main.cf", "master.cf"] {
            let file = fs::File::options()
                .append(true)
                .open(self.0.path().join(name))
                .unwrap();
            file.set_modified(SystemTime::now() - Duration::from_mins(1))
                .unwrap();
        }
        assert!(
            output.status.success(),
            "{command}: {}",
            binary::shown(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn config(&self) -> String {
        Path::new(self.0.path())
            .join("mailglot.toml")
            .display()
            .to_string()
    }

    /// What is said of these settings by each form of input that shows master.cf; all say the same.
    fn check(&self, arguments: &[&str]) -> (bool, String) {
        let fields = self.shell("postconf -x; postconf -Fx; postconf -Px");
        let said = check_with(arguments, &fields);
        assert_eq!(
            said,
            check_with(arguments, &self.shell("postconf -M; postconf -x")),
            "postconf -M"
        );
        said
    }
}

/// Each command that `check-mta` prints; lines of commands are indented.
fn commands(said: &str) -> impl Iterator<Item = &str> {
    said.lines().filter_map(|line| line.strip_prefix("    "))
}

#[test]
fn right_settings_of_debian_have_no_problem() {
    let tcp = "inet:127.0.0.1:8890";
    let proxy = "postconf -P 'smtp/inet/smtpd_proxy_filter=127.0.0.1:10026'";
    let again = "postconf -M '127.0.0.1:10027/inet=127.0.0.1:10027 inet n - y - - smtpd -o smtpd_proxy_filter='";
    let screen = "postconf -M '#smtp/inet' 'smtpd/pass=smtpd pass - - y - - smtpd' && postconf -M 'smtp/inet=smtp inet n - y - 1 postscreen'";
    for (commands, arguments) in [
        (vec![], &[][..]),
        (vec![NO_CHROOT], &[]),
        (
            vec![
                "postconf -e 'smtpd_milters = unix:/mailglot/gw.sock' 'non_smtpd_milters = $smtpd_milters'",
            ],
            &[],
        ),
        (
            vec![
                NO_CHROOT,
                "postconf -e 'smtpd_milters = unix:/run/mailglot/gw.sock' 'non_smtpd_milters = $smtpd_milters'",
            ],
            &[],
        ),
        (
            vec![
                "postconf -e 'smtpd_milters = inet:127.0.0.1:8890' 'non_smtpd_milters = $smtpd_milters'",
            ],
            &["--address", tcp],
        ),
        (
            vec![
                "postconf -e smtpd_milters= non_smtpd_milters=",
                proxy,
                again,
            ],
            &["--address", "127.0.0.1:10026"],
        ),
        (vec![screen], &[]),
        // Each entry of the filter has an action of its own.
        (
            vec![
                "postconf -e milter_default_action=accept 'smtpd_milters = { unix:mailglot/gw.sock, default_action=tempfail }, inet:127.0.0.1:8891'",
            ],
            &[],
        ),
        (
            vec![
                "postconf -e 'smtpd_milters = unix:opendmarc/a.sock, unix:mailglot/gw.sock, inet:127.0.0.1:8892'",
            ],
            &[],
        ),
        (
            vec![
                "postconf -M 'submission/inet=submission inet n - y - - smtpd -o syslog_name=postfix/submission'",
            ],
            &[],
        ),
    ] {
        let stock = DebianConfig::new(&[PAGE, &commands].concat());
        let (safe, said) = stock.check(arguments);
        assert!(safe, "{commands:?}: {said}");
        assert!(said.ends_with("the settings keep mail safe\n"), "{said}");
    }
    // The configuration says where the filter listens.
    let stock = DebianConfig::new(PAGE);
    assert_eq!(
        stock.check(&["--config", &stock.config()]),
        (true, "the settings keep mail safe\n".to_owned())
    );
}

/// What the page does to main.cf and master.cf for a proxy behind the queue.
const BEHIND: &[&str] = &[
    "postconf -e 'smtpd_forbid_bare_newline = normalize' 'smtpd_forbid_bare_newline_exclusions =' 'content_filter = scan:[127.0.0.1]:10026'",
    "postconf -M 'scan/unix=scan unix - - n - 10 smtp -o smtp_send_xforward_command=yes' '127.0.0.1:10027/inet=127.0.0.1:10027 inet n - n - 200 smtpd -o content_filter='",
];

/// The commands for a proxy are those of a proxy, and correct what is wrong.
#[test]
fn mistakes_around_a_proxy_are_found_and_corrected() {
    let listener = "[[listen]]\nroute = \"smtp\"\naddress = \"tcp:127.0.0.1:10026\"\nnext_hop = \"tcp:127.0.0.1:10027\"\n";
    for (mistake, words) in [
        ("true", "the settings keep mail safe"),
        (
            "postconf -MX 127.0.0.1:10027/inet; postconf -M '10027/inet=10027 inet n - n - 200 smtpd -o content_filter='",
            "bind it to 127.0.0.1",
        ),
        (
            "postconf -P smtp/inet/content_filter=",
            "smtp/inet: what comes there passes unread",
        ),
        (
            "postconf -PX 127.0.0.1:10027/inet/content_filter",
            "a mail loop",
        ),
        (
            "postconf -e smtpd_proxy_filter=:10026",
            "smtpd_proxy_filter sends it to the filter again",
        ),
        (
            "postconf -e 'smtp_fallback_relay = [192.0.2.1]'",
            "scan/unix: smtp_fallback_relay",
        ),
    ] {
        let stock = DebianConfig::new(&[BEHIND, &[mistake]].concat());
        let file = stock.config();
        fs::write(&file, listener).unwrap();
        for arguments in [["--config", &*file], ["--address", "127.0.0.1:10026"]] {
            let (_, said) = stock.check(&arguments);
            assert!(said.contains(words), "{mistake} {arguments:?}: {said}");
            assert!(!said.contains("milters"), "{mistake}: {said}");
        }
        let (_, said) = stock.check(&["--config", &file]);
        for command in commands(&said) {
            stock.shell(command);
        }
        let (safe, left) = stock.check(&["--config", &file]);
        assert!(safe, "{mistake}: {said}\n{left}");
    }
}

/// A pipe in main.cf gets again what it hands back by sendmail(1).
#[test]
fn a_pipe_in_main_cf_is_a_loop_and_corrected() {
    let pipe = "postconf -e 'content_filter = mailglot:dummy'; postconf -M 'mailglot/unix=mailglot unix - n n - 10 pipe flags=Rq user=nobody argv=/bin/true'";
    let stock = DebianConfig::new(&[BEHIND, &[pipe]].concat());
    let (safe, said) = stock.check(&[]);
    assert!(!safe && said.contains("a mail loop"), "{said}");
    for command in commands(&said) {
        stock.shell(command);
    }
    let (safe, left) = stock.check(&[]);
    assert!(safe, "{said}\n{left}");
}

/// Each mistake is named, and the commands that are printed with it correct it.
#[test]
fn mistakes_in_debians_settings_are_found_and_corrected() {
    let filter = "default_action=tempfail }'";
    let run = format!("postconf -e 'smtpd_milters = {{ unix:/run/mailglot/gw.sock, {filter}");
    let doubled = format!(
        "postconf -e 'non_smtpd_milters = {{ unix:/var/spool/postfix/mailglot/gw.sock, {filter}"
    );
    for (mistake, words) in [
        (
            &*run,
            "smtpd_milters: smtp/inet runs with the queue directory as its root",
        ),
        (
            &doubled,
            "/var/spool/postfix/var/spool/postfix/mailglot/gw.sock",
        ),
        (
            "postconf -e milter_default_action=accept smtpd_milters=unix:mailglot/gw.sock",
            "milter_default_action = accept",
        ),
        (
            "postconf -e 'smtpd_milters = { unix:mailglot/gw.sock, default_action=quarantine }'",
            "default_action=quarantine",
        ),
        (
            "postconf -e non_smtpd_milters=",
            "mail of local programs passes unread",
        ),
        (
            "postconf -e milter_content_timeout=3s",
            "milter_content_timeout = 3s",
        ),
        (
            "postconf -e 'smtpd_milters = { unix:mailglot/gw.sock, content_timeout=2 }'",
            "content_timeout = 2",
        ),
        (
            "postconf -e 'smtpd_milters = unix:mailglot/gw.sock, unix:opendmarc/opendmarc.sock'",
            "checks mail behind the filter",
        ),
        (
            "postconf -P smtp/inet/smtpd_milters=",
            "smtp/inet: what comes there passes unread",
        ),
        (
            "postconf -P smtp/inet/smtpd_milters=inet:127.0.0.1:8891",
            "smtp/inet: what comes there passes unread",
        ),
        (
            "postconf -P smtp/inet/receive_override_options=no_milters",
            "has no_milters",
        ),
        (
            "postconf -e 'receive_override_options = no_address_mappings, no_milters'",
            "no filter",
        ),
        (
            "postconf -P smtp/inet/milter_default_action=accept smtp/inet/smtpd_milters=unix:mailglot/gw.sock",
            "smtp/inet: milter_default_action = accept",
        ),
        ("postconf -e smtpd_forbid_bare_newline=no", "smuggled"),
        (
            "postconf -e smtpd_milter_maps=cidr:/etc/postfix/milters",
            "smtpd_milter_maps",
        ),
        (
            "postconf -e 'smtpd_milters = { unix:mailglot/gw.sock, colour=red }'",
            "is no setting",
        ),
        (
            "postconf -e 'smtpd_milters = tcp:mailglot:8890'",
            "knows the families",
        ),
        ("postconf -e smtpd_milters=", "no filter"),
        ("postconf -e smtpd_milters= non_smtpd_milters=", "no filter"),
        (
            "postconf -P 'smtp/inet/smtpd_milters={unix:/run/mailglot/gw.sock,default_action=accept},unix:openarc/a'",
            "default_action=accept",
        ),
    ] {
        let stock = DebianConfig::new(&[PAGE, &[mistake]].concat());
        for config in [false, true] {
            let file = stock.config();
            let arguments = if config {
                vec!["--config", &*file]
            } else {
                Vec::new()
            };
            let (safe, said) = stock.check(&arguments);
            assert!(
                !safe && said.contains(words),
                "{mistake} {arguments:?}: {said}"
            );
        }
        let file = stock.config();
        let (_, said) = stock.check(&["--config", &file]);
        for command in commands(&said) {
            stock.shell(command);
        }
        // `receive_override_options` hides what else is wrong.
        let (_, again) = stock.check(&["--config", &file]);
        for command in commands(&again) {
            stock.shell(command);
        }
        let (safe, left) = stock.check(&["--config", &file]);
        assert!(safe, "{mistake}: {said}\n{left}");
    }
}
