//! `--check-config`: what it prints and refuses.

use crate::daemon::{Daemon, configured};
use std::process::Command;

#[test]
fn files_are_checked_without_listening() {
    let folder = tempfile::tempdir().unwrap();
    let file = configured(folder.path(), "actions = { bare-lf = \"reject\" }");
    let mut daemon = Daemon::start(&["--check-config", "--config", &file]);
    assert!(daemon.line().contains("configuration valid: "));
    assert_eq!(daemon.child.wait().unwrap().code(), Some(0));
    let file = configured(folder.path(), "actions = { bare-lf = \"drop\" }");
    let mut daemon = Daemon::start(&["--check-config", "--config", &file]);
    assert!(daemon.line().contains("no action `drop`"));
    assert_eq!(daemon.child.wait().unwrap().code(), Some(78));
}

/// A supervisor starts again what may work the next time, and nothing else.
#[test]
fn a_wrong_file_has_an_exit_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file.toml");
    let place = folder.path().display();
    let listen = format!("[[listen]]\nroute = \"milter\"\naddress = \"unix:{place}/no/socket\"\n");
    let code = |args: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_mailglot"));
        let program = program.args(args).arg("--config").arg(&file);
        program.output().unwrap().status.code()
    };
    for (text, starts, checks) in [
        // Wrong until somebody edits it.
        (&b"listen = ["[..], 78, 78),
        (b"\xff", 78, 78),
        (b"colour = \"red\"\n", 78, 78),
        (b"policy_dir = 1\n", 78, 78),
        (b"policy_dir = \"/etc/passwd\"\n", 78, 78),
        // The system may have it the next time.
        (
            &[b"policy_dir = \"/no/such\"\n", listen.as_bytes()].concat(),
            1,
            1,
        ),
        (
            &[b"user = \"no-such-user\"\n", listen.as_bytes()].concat(),
            1,
            1,
        ),
        (
            &[listen.as_bytes(), b"[limits]\nspool_dir = \"/no/such\"\n"].concat(),
            1,
            1,
        ),
        // No name server answers at an early boot.
        (
            b"listen = [{ route = \"smtp\", address = \"tcp:127.0.0.1:0\", next_hop = \"tcp:no.such.invalid:25\" }]\n",
            1,
            1,
        ),
        (listen.as_bytes(), 4, 1),
    ] {
        std::fs::write(&file, text).unwrap();
        let words = text.escape_ascii();
        assert_eq!(code(&["serve", "--allow-root"]), Some(starts), "{words}");
        assert_eq!(code(&["milter", "--allow-root"]), Some(starts), "{words}");
        let checked = code(&["serve", "--allow-root", "--check-config"]);
        assert_eq!(checked, Some(checks), "{words}");
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(code(&["serve", "--allow-root"]), Some(1));
}

/// The start refuses such a socket, so the check does, too.
#[test]
fn a_check_refuses_sockets_in_unsafe_folders() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file.toml");
    let check = |address: &str| {
        let text = format!("listen = [{{ route = \"milter\", address = \"unix:{address}\" }}]\n");
        std::fs::write(&file, text).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_mailglot"));
        let program = program.args(["serve", "--check-config", "--config"]);
        let run = program.arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        (run.status.code(), said)
    };
    let (code, said) = check("/tmp/mailglot.sock");
    assert!(
        code == Some(1) && said.contains("directory /tmp can be written by everybody"),
        "{code:?} {said}"
    );
    let missing = folder.path().join("none/a.sock").display().to_string();
    let (code, said) = check(&missing);
    assert!(
        code == Some(1) && said.contains("no such file or directory; create the folder"),
        "{code:?} {said}"
    );
    // systemd makes it when it starts the unit.
    let (code, said) = check("/run/mailglot-that-no-machine-has/a.sock");
    assert!(
        code == Some(0) && said.contains("note: ") && said.contains("RuntimeDirectory="),
        "{code:?} {said}"
    );
}

/// A spool that is not there would defer each long message; a daemon does not begin with that.
#[test]
fn folders_that_cannot_be_used_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = configured(folder.path(), "[limits]\nspool_dir = \"/no/such\"");
    for args in [
        &["--config", &file][..],
        &["--config", &file, "--check-config"],
    ] {
        let mut daemon = Daemon::start(args);
        let line = daemon.line();
        assert!(
            line.contains("limits.spool_dir: /no/such: no such file"),
            "{line}"
        );
    }
}

#[test]
fn settings_of_a_server_are_looked_at() {
    use crate::sandbox::Sandbox;
    let sandbox = Sandbox::new();
    let good = b"milter_default_action = tempfail\nsmtpd_forbid_bare_newline = normalize\nsmtpd_milters = unix:/run/mailglot/a\nnon_smtpd_milters = $smtpd_milters\n";
    let run = sandbox.pipe(&["check-mta"], good).ended(0);
    assert!(
        run.text().ends_with(
            "\nthe settings of main.cf keep mail safe; those of master.cf were not checked\n"
        ),
        "{}",
        run.text()
    );
    let bad = b"milter_default_action = accept\nsmtpd_forbid_bare_newline = no\n";
    let run = sandbox.pipe(&["check-mta"], bad).ended(1);
    assert!(
        run.text().contains("tempfail") && run.text().contains("normalize"),
        "{}",
        run.text()
    );
    sandbox.pipe(&["check-mta"], b"").ended(2);
    let over_tcp = b"milter_default_action = tempfail\nsmtpd_forbid_bare_newline = normalize\nsmtpd_milters = inet:127.0.0.1:8890\nnon_smtpd_milters = $smtpd_milters\n";
    let run = sandbox.pipe(&["check-mta"], over_tcp).ended(1);
    assert!(run.text().contains("--address"), "{}", run.text());
    sandbox
        .pipe(&["check-mta", "--address", "tcp:127.0.0.1:8890"], over_tcp)
        .ended(0);
    // Whoever closes standard output wants to hear nothing, and nothing breaks.
    for line in [
        "echo milter_default_action = accept | mailglot check-mta >&-",
        "echo a = b | mailglot check-mta > /dev/full",
    ] {
        let run = sandbox.shell(line);
        assert!(!run.err.contains("panic"), "{line}: {run:?}");
    }
    let run = sandbox.shell(
        "{ sleep 1; echo milter_default_action = accept; } | { mailglot check-mta; echo end >&2; } | true",
    );
    assert_eq!(run.err, "end\n");
}

/// A value of main.cf cannot control the terminal of the administrator who reads the report.
#[test]
fn settings_cannot_control_a_terminal() {
    use crate::sandbox::Sandbox;
    let sandbox = Sandbox::new();
    let settings = b"non_smtpd_milters = \x1b]0;owned\x07 unix:mailglot/gw.sock\nsmtpd_milters = unix:mailglot/gw.sock\n";
    for (args, code) in [(&["check-mta"][..], 1), (&["check-mta", "--removal"], 0)] {
        let run = sandbox.pipe(args, settings).ended(code);
        let text = run.text();
        assert!(text.contains("\u{241b}]0;owned\u{2407}"), "{text:?}");
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
    }
}

#[test]
fn what_is_missing_is_named_and_no_more() {
    use crate::sandbox::Sandbox;
    let sandbox = Sandbox::new();
    let run = sandbox.pipe(&["milter", "--check-config"], b"").ended(1);
    assert!(
        run.err.contains("not provided:\n  --config <FILE>\n\n"),
        "{}",
        run.err
    );
    let run = sandbox.pipe(&["milter"], b"").ended(1);
    assert!(
        run.err.contains("not provided:\n  --config <FILE>\n\n"),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("Usage: mailglot milter [OPTIONS] <--config <FILE>|--listen <ADDRESS>>"),
        "{}",
        run.err
    );
}

/// Two spellings of a folder are one folder, and what is kept there stays as long as one policy says; sockets, too.
#[test]
fn one_place_in_two_spellings_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    std::fs::create_dir(folder.path().join("kept")).unwrap();
    std::os::unix::fs::symlink("kept", folder.path().join("link")).unwrap();
    let file = folder.path().join("mailglot.toml");
    let check = |one: &str, other: &str| {
        let text = format!(
            "listen = [{{ route = \"milter\", address = \"unix:{at}/a.sock\", policy = \"a\" }}, \
             {{ route = \"milter\", address = \"unix:{at}/b.sock\", policy = \"b\" }}]\n\
             [policy.a]\nledger = \"{at}/{one}\"\nledger_days = 1\n[policy.b]\nledger = \"{at}/{other}\"\nledger_days = 300\n"
        );
        std::fs::write(&file, text).unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_mailglot"))
            .args(["milter", "--check-config", "--config"])
            .arg(&file)
            .output()
            .unwrap();
        (run.status.code(), String::from_utf8(run.stderr).unwrap())
    };
    for (one, other) in [
        ("kept", "kept/../kept"),
        ("kept", "link"),
        ("new", "./kept/../new"),
        ("new/a", "new/../new//a"),
        ("link/x", "kept/x"),
    ] {
        let (code, said) = check(one, other);
        assert_eq!(code, Some(78), "{one} {other}");
        assert!(said.contains("with different limits"), "{said}");
    }
    for (one, other) in [("kept", "other"), ("link/../a", "b"), ("kept/a", "kept/b")] {
        let (code, said) = check(one, other);
        assert_eq!(code, Some(0), "{one} {other} {said}");
    }
    // A link is refused: what it points to may change.
    std::os::unix::fs::symlink("later", folder.path().join("ahead")).unwrap();
    let (code, said) = check("later", "ahead");
    assert!(
        code == Some(1) && said.contains("ahead: is a symbolic link"),
        "{code:?} {said}"
    );
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_mailglot"));
    let run = daemon
        .args(["milter", "--allow-root", "--config"])
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.code() == Some(1) && said.contains("ahead: is a symbolic link"),
        "{run:?}"
    );
}

/// Who is to run it, and who may use its socket, is looked at before it starts.
#[test]
fn a_check_tells_of_users_and_groups() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mailglot.toml");
    let write = |user: &str, group: &str| {
        let socket = folder.path().join("socket");
        let text = format!(
            "user = \"{user}\"\n[[listen]]\nroute = \"milter\"\naddress = \"unix:{}\"\ngroup = \"{group}\"\n",
            socket.display()
        );
        std::fs::write(&file, text).unwrap();
    };
    let check = |program: &mut Command| {
        let program = program.args([
            "milter",
            "--check-config",
            "--config",
            file.to_str().unwrap(),
        ]);
        let mut daemon = Daemon::spawn(program);
        let said: Vec<String> = daemon.lines.by_ref().map_while(Result::ok).collect();
        (daemon.child.wait().unwrap().code(), said.join("\n"))
    };
    let own = || Command::new(env!("CARGO_BIN_EXE_mailglot"));
    for (user, group, word) in [
        ("no-such-user", "mail", "no user `no-such-user`"),
        ("nobody", "no-such-group", "no group `no-such-group`"),
    ] {
        write(user, group);
        let (code, said) = check(&mut own());
        assert!(code == Some(1) && said.contains(word), "{code:?} {said}");
    }
    write("nobody", "mail");
    let root = std::fs::metadata(folder.path()).unwrap().uid() == 0;
    // The build may lie where nobody else can reach it.
    let program = folder.path().join("mailglot");
    std::fs::copy(env!("CARGO_BIN_EXE_mailglot"), &program).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    if root {
        let (code, said) = check(&mut Command::new(&program));
        assert!(code == Some(0) && !said.contains("note"), "{code:?} {said}");
        // It is that user who reads the file and makes the folders.
        let with = |more: &str| {
            write("nobody", "mail");
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, text + more).unwrap();
        };
        let open = folder.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
        with(&format!(
            "[policy.default]\nledger = \"{}\"\n",
            open.join("a/b").display()
        ));
        assert_eq!(check(&mut Command::new(&program)).0, Some(0));
        with(&format!(
            "[policy.default]\nledger = \"{}\"\n",
            folder.path().join("a/b").display()
        ));
        let (code, said) = check(&mut Command::new(&program));
        assert!(
            code == Some(1) && said.contains("a/b: permission denied"),
            "{code:?} {said}"
        );
        write("nobody", "mail");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let (code, said) = check(&mut Command::new(&program));
        assert!(
            code == Some(1) && said.contains("mailglot.toml: permission denied"),
            "{code:?} {said}"
        );
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    // Somebody else may look at the file; they hear what they could not do.
    write("root", "mail");
    let (code, said) = if root {
        let others = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        check(Command::new("setpriv").args(others).arg(&program))
    } else {
        check(&mut own())
    };
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("(user = \"root\")") && said.contains("one of the group 8,"),
        "{said}"
    );
}

/// An administrator makes the folders as root, and the unit starts the daemon as another user.
#[test]
fn folders_of_root_are_named_with_the_command_that_gives_them_away() {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    if fs::metadata(folder.path()).unwrap().uid() != 0 {
        println!("this needs root: not tried");
        return;
    }
    let at = folder.path().display();
    let mode = |place: &std::path::Path, mode: u32| {
        fs::set_permissions(place, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(folder.path(), 0o755);
    // The build may lie where nobody else can reach it.
    let program = folder.path().join("mailglot");
    // A process that another test starts meanwhile must not inherit the file that is written.
    let mut copy = Command::new("cp");
    copy.arg(env!("CARGO_BIN_EXE_mailglot")).arg(&program);
    assert!(copy.status().unwrap().success());
    let sockets = folder.path().join("sockets");
    fs::create_dir(&sockets).unwrap();
    std::os::unix::fs::chown(&sockets, Some(65_534), None).unwrap();
    let file = folder.path().join("file.toml");
    let text = format!(
        "[[listen]]\nroute = \"milter\"\naddress = \"unix:{at}/sockets/s\"\n[policy.default]\nledger = \"{at}/ledger\"\n\
         [limits]\nspool_dir = \"{at}/spool\"\n"
    );
    fs::write(&file, text).unwrap();
    for name in ["ledger", "spool"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let run = |program: &mut Command| {
        let run = program.arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        (run.status.code(), said)
    };
    let as_nobody = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        command.arg(&program).args(["serve", "--config"]);
        command
    };
    for bits in [0o700, 0o755] {
        for name in ["ledger", "spool"] {
            mode(&folder.path().join(name), bits);
        }
        let (code, said) =
            run(Command::new(&program).args(["serve", "--check-config", "--config"]));
        assert_eq!(code, Some(0), "{said}");
        for (key, name) in [("ledger", "ledger"), ("limits.spool_dir", "spool")] {
            let note = format!(
                "note: {key}: {at}/{name}: belongs to root, so no other user can run the daemon; give it to that user: chown -R USER {at}/{name}\n"
            );
            assert!(said.contains(&note), "{said}");
        }
        let (code, said) = run(&mut as_nobody());
        assert_eq!(code, Some(1), "{said}");
        for (key, name) in [("ledger", "ledger"), ("limits.spool_dir", "spool")] {
            let error = format!(
                "{key}: {at}/{name}: permission denied; it belongs to user 0, and this program runs as user 65534; \
                 give it to the user that runs the daemon: chown -R USER {at}/{name}"
            );
            assert!(said.contains(&error), "{said}");
        }
    }
}
