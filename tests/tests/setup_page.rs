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
struct Block {
    kind: String,
    commands: String,
}

fn blocks(page: &str) -> Vec<Block> {
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
        blocks.push(Block {
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
DPKG_MAINTSCRIPT_PACKAGE=mailglot deb-systemd-helper was-enabled mailglot.service
[ -L /etc/systemd/system/multi-user.target.wants/mailglot.service ]
systemctl start mailglot
# An upgrade keeps what the administrator changed.
sed -i 's/^ledger_days = 30/ledger_days = 31/' /etc/mailglot/mailglot.toml
touch /var/lib/mailglot/ledger/kept
uid=$(id -u mailglot)
apt-get install -y ./mailglot_*-2_*.deb </dev/null
dpkg -s mailglot | grep -q '^Version: .*-2$'
grep -q '^ledger_days = 31' /etc/mailglot/mailglot.toml
[ -e /var/lib/mailglot/ledger/kept ]
dpkg -V mailglot | grep -v ' c /etc/mailglot/mailglot.toml' && exit 1
systemctl stop mailglot
# Removal keeps configuration and originals, and warns while Postfix names the filter.
postconf -e 'smtpd_milters = unix:mailglot/gw.sock'
apt-get remove -y mailglot 2>&1 | grep 'defers all mail'
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
left=$(find /etc /run /usr /var -name '*mailglot*' -newer /tmp/page/commands)
[ -z "$left" ] || { echo "left: $left"; exit 1; }
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
