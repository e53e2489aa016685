//! Users, groups, networks and directories: what a daemon may do, and which starts it refuses.

use crate::daemon::{Daemon, configured, connected, refused};
use std::process::Command;

/// The number of a user.
fn config_user(name: &str) -> u32 {
    mailglot_gateway::config::user(name).unwrap().0
}

/// Started as root, it gives its socket to a group that its user is not in.
#[test]
fn a_user_gives_its_socket_to_a_foreign_group() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    if std::fs::metadata(folder.path()).unwrap().uid() != 0 {
        println!("this needs root: not tried");
        return;
    }
    let sockets = folder.path().join("run");
    std::fs::create_dir(&sockets).unwrap();
    for place in [folder.path(), &sockets] {
        std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let owner = config_user("nobody");
    std::os::unix::fs::chown(&sockets, Some(owner), None).unwrap();
    // The build may lie where nobody else can reach it.
    let program = folder.path().join("mailglot");
    std::fs::copy(env!("CARGO_BIN_EXE_mailglot"), &program).unwrap();
    let socket = sockets.join("gw.sock");
    let file = folder.path().join("mailglot.toml");
    let text = format!(
        "user = \"nobody\"\n[[listen]]\nroute = \"milter\"\naddress = \"unix:{}\"\ngroup = \"mail\"\nmode = \"0660\"\n",
        socket.display()
    );
    std::fs::write(&file, text).unwrap();
    let mut daemon =
        Daemon::spawn(Command::new(&program).args(["milter", "--config", file.to_str().unwrap()]));
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", socket.display())
    );
    let id = |path: &str, name: &str| -> u32 {
        let text = std::fs::read_to_string(path).unwrap();
        let line = text
            .lines()
            .find(|line| line.split(':').next() == Some(name))
            .unwrap();
        line.split(':').nth(2).unwrap().parse().unwrap()
    };
    let (user, group) = (id("/etc/passwd", "nobody"), id("/etc/group", "mail"));
    let made = std::fs::metadata(&socket).unwrap();
    assert_eq!(
        (made.uid(), made.gid(), made.mode() & 0o777),
        (user, group, 0o660)
    );
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.child.id())).unwrap();
    let field = |name: &str| {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(field("Uid:"), vec![user.to_string(); 4]);
    assert!(
        !field("Gid:").contains(&"0".to_owned()) && !field("Groups:").contains(&"0".to_owned())
    );
    connected(&socket);
    assert_eq!(daemon.end("-TERM"), 0);
}

#[test]
fn beyond_this_machine_needs_a_list_of_networks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mailglot.toml");
    let path = file.to_str().unwrap();
    for (keys, word) in [
        (
            "route = \"milter\", address = \"tcp:0.0.0.0:0\"",
            Some("allow_remote"),
        ),
        (
            "route = \"milter\", address = \"tcp:0.0.0.0:0\", allow_remote = true",
            Some("client_networks"),
        ),
        (
            "route = \"milter\", address = \"tcp:0.0.0.0:0\", allow_remote = true, client_networks = [\"192.0.2.7/24\"]",
            Some("192.0.2.0/24"),
        ),
        (
            "route = \"milter\", address = \"tcp:0.0.0.0:0\", allow_remote = true, client_networks = [\"192.0.2.0/24\"]",
            None,
        ),
        (
            "route = \"smtp\", address = \"tcp:127.0.0.1:0\", next_hop = \"tcp:192.0.2.1:25\"",
            Some("next_hop"),
        ),
        (
            "route = \"smtp\", address = \"tcp:127.0.0.1:0\", next_hop = \"tcp:192.0.2.1:25\", allow_remote = true",
            Some("client_networks"),
        ),
    ] {
        std::fs::write(&file, format!("listen = [{{ {keys} }}]\n")).unwrap();
        let (code, said) = refused(&["milter", "--allow-root", "--check-config", "--config", path]);
        let want = if word.is_some() { 78 } else { 0 };
        assert_eq!(code, Some(want), "{keys}: {said}");
        if let Some(word) = word {
            assert!(said.contains(word), "{keys}: {said}");
            let (code, said) = refused(&["milter", "--allow-root", "--config", path]);
            assert!(code == Some(78) && said.contains(word), "{keys}: {said}");
        }
    }
    let right = "listen = [{ route = \"milter\", address = \"tcp:127.0.0.1:0\" }]\n";
    std::fs::write(&file, right).unwrap();
    let remote = "tcp:0.0.0.0:0";
    for args in [
        &["milter", "--listen", remote][..],
        &["milter", "--listen", remote, "--allow-remote"],
        &["milter", "--config", path, "--listen", remote],
        &["proxy", "--listen", remote, "--next-hop", "tcp:127.0.0.1:1"],
        &[
            "proxy",
            "--listen",
            "tcp:127.0.0.1:0",
            "--next-hop",
            "tcp:192.0.2.1:25",
        ],
        &[
            "proxy",
            "--listen",
            "tcp:127.0.0.1:0",
            "--next-hop",
            "tcp:192.0.2.1:25",
            "--allow-remote",
        ],
        &[
            "proxy",
            "--listen",
            "unix:/none",
            "--next-hop",
            "tcp:192.0.2.1:25",
        ],
    ] {
        let (code, said) = refused(&[args, &["--allow-root"]].concat());
        assert!(
            code == Some(1) && said.contains("client"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn root_is_refused_unless_it_is_asked_for() {
    if mailglot_gateway::config::effective_user() != 0 {
        println!("this needs root: not tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let socket = format!("unix:{}", folder.path().join("socket").display());
    let file = configured(folder.path(), "");
    for args in [
        &["milter", "--listen", &socket][..],
        &["milter", "--config", &file],
        &[
            "proxy",
            "--listen",
            &socket,
            "--next-hop",
            "tcp:127.0.0.1:1",
        ],
    ] {
        let (code, said) = refused(args);
        assert!(
            code == Some(1) && said.contains("--allow-root"),
            "{args:?}: {said}"
        );
        assert!(!folder.path().join("socket").exists());
    }
    let (code, said) = refused(&["milter", "--check-config", "--config", &file]);
    assert!(
        code == Some(0) && said.contains("note: refusing to run as root"),
        "{said}"
    );
    std::fs::write(
        &file,
        format!(
            "user = \"root\"\n{}",
            std::fs::read_to_string(&file).unwrap()
        ),
    )
    .unwrap();
    assert_eq!(refused(&["milter", "--config", &file]).0, Some(1));
}

/// Sockets, temporary names and directories go where a later step of the start fails.
#[test]
fn a_start_that_fails_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let file = folder.path().join("mailglot.toml");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let start = "listen = [\n{ route = \"milter\", address = \"unix:";
    let ledger = format!("[policy.default]\nledger = \"{at}/a/b/c\"\n");
    for text in [
        // The second place cannot be taken.
        format!(
            "{start}{at}/one\" }},\n{{ route = \"milter\", address = \"tcp:{taken}\" }}]\n{ledger}"
        ),
        format!(
            "{start}{at}/one\" }},\n{{ route = \"milter\", address = \"unix:{at}/no/such\" }}]\n{ledger}"
        ),
    ] {
        std::fs::write(&file, &text).unwrap();
        let _other = std::net::TcpListener::bind(taken);
        let (code, said) = refused(&["milter", "--allow-root", "--config", file.to_str().unwrap()]);
        assert_eq!(code, Some(4), "{text}: {said}");
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["mailglot.toml"], "{text}");
    }
}

#[test]
fn a_socket_needs_a_directory_that_only_its_user_can_write() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::os::unix::fs::symlink(&inner, folder.path().join("link")).unwrap();
    let listen = |place: &str| format!("unix:{}", folder.path().join(place).display());
    for (mode, place, word) in [
        (0o770, "inner/s", "can be written by its group"),
        (0o777, "inner/s", "can be written by everybody"),
        (0o1777, "inner/s", "can be written by everybody"),
        (0o755, "link/s", "is a symbolic link"),
    ] {
        std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(mode)).unwrap();
        for args in [&["milter"][..], &["proxy", "--next-hop", "tcp:127.0.0.1:1"]] {
            let (code, said) =
                refused(&[args, &["--allow-root", "--listen", &listen(place)]].concat());
            assert!(
                code == Some(4) && said.contains(word),
                "{mode:o} {place}: {said}"
            );
            assert_eq!(std::fs::read_dir(&inner).unwrap().count(), 0);
        }
    }
}
