//! The commands of `docs/setup/postfix.md`, run as they stand there, and the life of the Debian package that they install.
//!
//! Both run on a scratch machine ([`machine`]), with Debian's main.cf, master.cf (chroot on) and the script that fills the chroot.

#![allow(clippy::unwrap_used, clippy::panic)]

use mailglot_tests::binary;
use mailglot_tests::trial::machine;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

/// A block of commands of the page: what follows `sh` on its first line, and its lines without their indentation.
struct CommandBlock {
    kind: String,
    commands: String,
}

fn blocks(page: &str) -> Vec<CommandBlock> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let Some(kind) = line.trim_start().strip_prefix("```sh") else {
            continue;
        };
        let body = lines.by_ref().take_while(|line| line.trim_start() != "```");
        let commands = body
            .map(|line| line.get(indent..).unwrap_or_default().to_owned() + "\n")
            .collect();
        blocks.push(CommandBlock {
            kind: kind.trim().to_owned(),
            commands,
        });
    }
    blocks
}

fn good(output: &Output) -> String {
    assert!(output.status.success(), "{}", binary::shown(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_pages_commands_lead_to_a_tagged_and_to_a_rewritten_message() {
    let page = fs::read_to_string(root().join("docs/setup/postfix.md")).unwrap();
    let blocks = blocks(&page);
    let steps: String = blocks
        .iter()
        .filter(|block| block.kind.is_empty())
        .map(|block| &*block.commands)
        .collect();
    assert!(
        steps.contains("apt-get install -y ./mailglot_*.deb") && steps.contains("apt-get purge"),
        "{steps}"
    );
    let folder = tempfile::tempdir().unwrap();
    machine::package(folder.path(), 1);
    let said = good(&machine::run(folder.path(), &steps));
    for words in [
        "drwxr-s--- 2 mailglot postfix",
        "srw-rw---- 1 mailglot postfix",
        "the settings keep mail safe",
        // Once by SMTP, once by sendmail(1).
        "mailglot_messages_total{route=\"milter\",action=\"tag\"} 2",
        "wanted=normalize findings=mislabelled-charset:1,raw-8bit-header:1",
        "Subject: =?UTF-8?",
        // What `restore` gave back is no UTF-8.
        "Subject: Caf\u{fffd}",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(said.matches("mode=monitor").count(), 2, "{said}");
}

/// The page about sizing repeats figures of the page that has their measurement.
#[test]
fn figures_of_the_ledger_are_those_of_the_measurement() {
    let page = |name: &str| fs::read_to_string(root().join("docs").join(name)).unwrap();
    let sizing = page("gateway.md");
    let row = sizing.lines().find(|line| line.starts_with("| ledger |"));
    let figures = row
        .unwrap()
        .split_whitespace()
        .filter(|word| word.len() >= 3 && word.starts_with(|c: char| c.is_ascii_digit()));
    let measured = page("policies.md");
    let mut count = 0;
    for figure in figures {
        assert!(measured.contains(figure), "{figure}");
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn the_commands_without_the_package_install_the_same() {
    let page = fs::read_to_string(root().join("docs/setup/postfix.md")).unwrap();
    let blocks = blocks(&page);
    let by_hand = blocks
        .iter()
        .find(|block| block.kind == "without-package")
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("target/release")).unwrap();
    fs::copy(
        binary::path(),
        folder.path().join("target/release/mailglot"),
    )
    .unwrap();
    fs::create_dir(folder.path().join("packaging")).unwrap();
    for entry in fs::read_dir(root().join("packaging")).unwrap().flatten() {
        if entry.path().is_file() {
            fs::copy(
                entry.path(),
                folder.path().join("packaging").join(entry.file_name()),
            )
            .unwrap();
        }
    }
    let steps: Vec<&str> = blocks
        .iter()
        .filter(|block| block.kind.is_empty())
        .map(|block| &*block.commands)
        .collect();
    let before: String = steps[0]
        .lines()
        .filter(|line| !line.contains("mailglot_"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let commands = [&*before, &by_hand.commands, &steps[1..8].concat()].concat();
    let said = good(&machine::run(folder.path(), &commands));
    assert_eq!(said.matches("mode=monitor").count(), 2, "{said}");
}

/// Upgrade keeps what the administrator wrote, removal keeps it and the originals, purge deletes both.
#[test]
fn the_package_installs_upgrades_removes_and_purges() {
    let folder = tempfile::tempdir().unwrap();
    machine::package(folder.path(), 1);
    machine::package(folder.path(), 2);
    let said = good(&machine::run(
        folder.path(),
        r#"
apt-get install -y postfix curl
apt-get install -y ./mailglot_*-1_*.deb
systemd-analyze verify --man=no /lib/systemd/system/mailglot.service
# It reports, and rewrites nothing.
grep -q '^base = "monitor"' /etc/mailglot/mailglot.toml
runuser -u mailglot -- mailglot serve --config /etc/mailglot/mailglot.toml --check-config
# The package starts nothing: the administrator does.
grep -q 'systemctl --system daemon-reload' /run/actions
grep -E 'deb-systemd-invoke|(start|enable) mailglot' /run/actions && exit 1
[ ! -e /etc/systemd/system/multi-user.target.wants/mailglot.service ]
systemctl enable mailglot
[ -L /etc/systemd/system/multi-user.target.wants/mailglot.service ]
systemctl start mailglot
pid=$(cat /run/gateway.pid)
# A reload with a wrong file fails, and the service keeps its configuration.
sed -i 's/^base = "monitor"/base = "nothing"/' /etc/mailglot/mailglot.toml
systemctl reload mailglot && exit 1
sed -i 's/^base = "nothing"/base = "monitor"/' /etc/mailglot/mailglot.toml
systemctl reload mailglot
kill -0 "$pid"
# An upgrade keeps what the administrator changed.
sed -i 's/^ledger_days = 30/ledger_days = 31/' /etc/mailglot/mailglot.toml
touch /var/lib/mailglot/ledger/kept
uid=$(id -u mailglot)
apt-get install -y ./mailglot_*-2_*.deb </dev/null
dpkg -s mailglot | grep -q '^Version: .*-2$'
grep -q '^ledger_days = 31' /etc/mailglot/mailglot.toml
[ -e /var/lib/mailglot/ledger/kept ]
zcat /usr/share/doc/mailglot/changelog.Debian.gz | head -n 1 | grep -q -e '-2)'
[ -e /usr/share/doc/mailglot/setup/postfix.md ]
# The upgrade restarted the service.
grep -q 'deb-systemd-invoke try-restart mailglot.service' /run/actions
[ "$(cat /run/gateway.pid)" != "$pid" ] && kill -0 "$(cat /run/gateway.pid)"
dpkg -V mailglot | grep -v ' c /etc/mailglot/mailglot.toml' && exit 1
# Removal keeps configuration and originals, stops the service, unloads the profile, and prints the commands for each place where Postfix names the filter.
printf '#!/bin/sh\nexit 0\n' >/usr/local/sbin/aa-enabled
printf '#!/bin/sh\necho "apparmor_parser $*" >>/run/actions\n' >/usr/local/sbin/apparmor_parser
chmod 755 /usr/local/sbin/aa-enabled /usr/local/sbin/apparmor_parser
postconf -e 'smtpd_milters = inet:127.0.0.1:1, unix:mailglot/gw.sock'
postconf -P 'smtp/inet/smtpd_milters=unix:mailglot/out.sock'
apt-get remove -y mailglot >/run/removal 2>&1
cat /run/removal
grep 'defers all mail' /run/removal
grep "postconf -e 'smtpd_milters = inet:127.0.0.1:1'" /run/removal
grep "postconf -P '[a-z]*/inet/smtpd_milters='" /run/removal
grep -q 'deb-systemd-invoke stop mailglot.service' /run/actions
grep -q 'apparmor_parser -R /etc/apparmor.d/mailglot-gateway' /run/actions
kill -0 "$(cat /run/gateway.pid)" && exit 1
[ ! -e /usr/bin/mailglot ] && [ -e /etc/mailglot/mailglot.toml ] && [ -e /var/lib/mailglot/ledger/kept ]
apt-get install -y ./mailglot_*-2_*.deb </dev/null
grep -q '^ledger_days = 31' /etc/mailglot/mailglot.toml
apt-get purge -y mailglot
for path in /usr/bin/mailglot /etc/mailglot /etc/apparmor.d/mailglot-gateway /var/lib/mailglot /run/mailglot \
    /var/spool/postfix/mailglot /etc/systemd/system/multi-user.target.wants/mailglot.service /usr/share/doc/mailglot; do
    [ ! -e "$path" ] || { echo "left: $path"; exit 1; }
done
# The number of the user is not given to another one.
[ "$(id -u mailglot)" = "$uid" ]
left=$(find /etc /run /usr /var -name '*mailglot*' -newer commands)
[ -z "$left" ] || { echo "left: $left"; exit 1; }
# A proxy behind the queue is named, too.
apt-get install -y ./mailglot_*-2_*.deb
postconf -e 'smtpd_milters =' 'content_filter = scan:[127.0.0.1]:10026'
printf '[[listen]]\nroute = "smtp"\naddress = "tcp:127.0.0.1:10026"\nnext_hop = "tcp:127.0.0.1:10027"\n' >>/etc/mailglot/mailglot.toml
apt-get purge -y mailglot 2>&1 | grep "postconf -e 'content_filter = '"
# Without Postfix the package installs all the same.
rm -rf /var/spool/postfix
sed -i '/^postfix:/d' /etc/group /etc/gshadow
apt-get install -y ./mailglot_*-2_*.deb
echo everything went well
"#,
    ));
    assert!(said.ends_with("everything went well\n"), "{said}");
}

#[test]
fn the_package_has_each_file_with_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    machine::package(folder.path(), 1);
    let package = fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .find(|entry| entry.path().extension().is_some());
    let package = package.unwrap().path();
    let list = std::process::Command::new("dpkg-deb")
        .arg("-c")
        .arg(&package)
        .output()
        .unwrap();
    let list = good(&list);
    for (mode, path) in [
        ("-rwxr-xr-x root/root", "./usr/bin/mailglot"),
        (
            "-rw-r--r-- root/root",
            "./lib/systemd/system/mailglot.service",
        ),
        ("-rw-r--r-- root/root", "./usr/lib/sysusers.d/mailglot.conf"),
        ("-rw-r--r-- root/root", "./usr/lib/tmpfiles.d/mailglot.conf"),
        ("-rw-r--r-- root/root", "./etc/mailglot/mailglot.toml"),
        ("-rw-r--r-- root/root", "./etc/apparmor.d/mailglot-gateway"),
        ("-rw-r--r-- root/root", "./usr/share/man/man1/mailglot.1.gz"),
        (
            "-rw-r--r-- root/root",
            "./usr/share/man/man1/mailglot-header-decode.1.gz",
        ),
        (
            "-rw-r--r-- root/root",
            "./usr/share/bash-completion/completions/mailglot",
        ),
        ("-rw-r--r-- root/root", "./usr/share/doc/mailglot/copyright"),
    ] {
        let line = list
            .lines()
            .find(|line| line.ends_with(&format!(" {path}")));
        assert!(
            line.is_some_and(|line| line.starts_with(mode)),
            "{path}: {list}"
        );
    }
    let control = std::process::Command::new("dpkg-deb")
        .arg("-f")
        .arg(&package)
        .output()
        .unwrap();
    let control = good(&control);
    assert!(
        control.contains("libc6 (>= ")
            && !control.contains("@VERSION@")
            && !control.contains("@SHLIBS@"),
        "{control}"
    );
}
