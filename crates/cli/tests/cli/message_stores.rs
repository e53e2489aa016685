//! A public-inbox on the command line, with git, without git, and with a git that fails.

use crate::sandbox::{LATIN, PROGRAM, Run, Sandbox};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Creates an inbox of one epoch with three messages. The last commit deletes the second one.
fn inbox(sandbox: &Sandbox) {
    let files = [("m", 0), ("m", 1), ("m", 2), ("d", 1)];
    repository(&sandbox.path("list/git/0.git"), &files);
}

/// Creates a repository. Each commit has one file, which is a message with a number.
fn repository(path: &Path, files: &[(&str, usize)]) {
    fs::create_dir_all(path).unwrap();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.env("GIT_CONFIG_GLOBAL", "/dev/null")
            .arg("--git-dir")
            .arg(path);
        git.args(arguments).stdin(Stdio::piped());
        git
    };
    assert!(git(&["init", "-q", "--bare"]).status().unwrap().success());
    let mut stream = Vec::new();
    for (name, number) in files {
        let content = [format!("X-Number: {number}\n").as_bytes(), LATIN].concat();
        let head = format!(
            "commit refs/heads/master\ncommitter A <a@b> 1000000000 +0000\ndata 0\ndeleteall\nM 100644 inline {name}\ndata {}\n",
            content.len()
        );
        stream.extend_from_slice(head.as_bytes());
        stream.extend_from_slice(&content);
        stream.push(b'\n');
    }
    let mut import = git(&["fast-import", "--quiet"]).spawn().unwrap();
    std::io::Write::write_all(&mut import.stdin.take().unwrap(), &stream).unwrap();
    assert!(import.wait().unwrap().success());
    let head = git(&["symbolic-ref", "HEAD", "refs/heads/master"]).status();
    assert!(head.unwrap().success());
}

/// Runs the program with another list of folders with programs.
fn run_with_path(sandbox: &Sandbox, folders: &str, arguments: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .env("PATH", folders)
        .current_dir(sandbox.path(""));
    let output = command.output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        out: output.stdout,
    }
}

#[test]
fn every_command_reads_an_inbox() {
    let sandbox = Sandbox::new();
    inbox(&sandbox);
    let counted = sandbox.run(&["count", "list", "list/git/0.git"]).ended(0);
    assert_eq!(counted.text(), "2\tlist\n2\tlist/git/0.git\n");
    let run = sandbox.run(&["cat", "list@0"]).ended(1);
    let words =
        "list: a message store has no byte offsets; give the number of the message (list:17)";
    assert!(run.err.contains(words), "{}", run.err);
    let told = sandbox.run(&["check", "list"]).ended(0);
    assert!(
        told.text().contains("public-inbox") && told.text().contains("was deleted"),
        "{told:?}"
    );
    let listed = sandbox.run(&["ls", "list"]).ended(0);
    assert_eq!(listed.text().matches("Grüße").count(), 2, "{listed:?}");
    let text = sandbox.run(&["text", "--json", "list"]).ended(0);
    assert_eq!(text.text().matches("It’s grün.").count(), 2, "{text:?}");
    let second = [b"X-Number: 2\n", LATIN].concat();
    assert_eq!(sandbox.run(&["cat", "list:1"]).ended(0).out, second);

    sandbox
        .run(&["normalize", "--verify", "list", "-o", "out.mbox"])
        .ended(0);
    sandbox.run(&["restore", "out.mbox", "-o", "back"]).ended(0);
    let mut files: Vec<_> = fs::read_dir(sandbox.path("back"))
        .unwrap()
        .flatten()
        .collect();
    files.sort_by_key(fs::DirEntry::file_name);
    assert_eq!(files.len(), 2);
    assert_eq!(fs::read(files[1].path()).unwrap(), second);
    // The name has the object.
    let same = format!("git hash-object back/00000001-* | grep -q {}", {
        let name = files[1].file_name().into_string().unwrap();
        name["00000001-".len()..name.len() - ".eml".len()].to_owned()
    });
    sandbox.shell(&same).ended(0);

    sandbox
        .run(&["split", "list", "-o", "parts", "--size", "1M"])
        .ended(0);
    assert!(
        sandbox
            .run(&["count", "parts"])
            .ended(0)
            .text()
            .starts_with("2\t")
    );
    // The inbox is one split.
    sandbox.run(&["plan", "list", "-o", "plan.json"]).ended(0);
    let run = ["run", "plan.json", "--split", "0", "-o", "joined.mbox"];
    sandbox.run(&run).ended(0);
    sandbox
        .run(&["commit", "plan.json", "-o", "joined.mbox"])
        .ended(0);
    assert_eq!(sandbox.read("joined.mbox"), sandbox.read("out.mbox"));
}

/// Mail that is read from a file only: on standard input, compressed, or in an archive.
#[test]
fn a_store_that_is_no_file_or_folder_must_be_unpacked() {
    let sandbox = Sandbox::new();
    let mut folder = vec![
        0xcf, 0xad, 0x12, 0xfe, 0xc5, 0xfd, 0x74, 0x6f, 0x66, 0xe3, 0xd1, 0x11, 0x9a, 0x4e, 0, 0xc0,
    ];
    folder.resize(0x24bc, 0);
    fs::write(sandbox.path("ok.dbx"), folder).unwrap();
    sandbox.shell("gzip -k ok.dbx").ended(0);
    let words = "a mail folder of Outlook Express, which is not read from a stream or a compressed file; \
                 unpack it to a file, and give the name of that file";
    for (command, path) in [
        ("count - < ok.dbx", "-"),
        ("count - < ok.dbx.gz", "-"),
        ("count ok.dbx.gz", "ok.dbx.gz"),
        ("count --force-format ok.dbx.gz", "ok.dbx.gz"),
    ] {
        let run = sandbox.shell(&format!("{PROGRAM} {command}")).ended(2);
        assert!(run.err.contains(&format!("{path}: {words}")), "{run:?}");
    }
    inbox(&sandbox);
    sandbox.shell("tar -cf list.tar list").ended(0);
    let run = sandbox.run(&["count", "list.tar"]).ended(2);
    let words = "list.tar: no mail found (a git repository that must be unpacked, left as it is: list/git/0.git)";
    assert!(run.err.contains(words), "{run:?}");
}

/// The kind of a repository is asked once, however many repositories and files lie beside it.
#[test]
fn each_repository_is_recognized_by_one_run_of_git() {
    const NUMBER: usize = 4;
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("bin")).unwrap();
    let real = sandbox.shell("command -v git").ended(0);
    let text = format!(
        "#!/bin/sh\necho \"$*\" >> {}\nexec {} \"$@\"\n",
        sandbox.path("runs").display(),
        real.text().trim_end()
    );
    let script = sandbox.path("bin/git");
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let folders = format!(
        "{}:{}",
        sandbox.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let version_1 = format!("ab/{}", "0".repeat(38));
    for (file, lines) in [(&version_1[..], NUMBER + 1), ("m", 2), ("README", 1)] {
        let input = sandbox.path("in");
        repository(&input.join("git/0.git"), &[(file, 0)]);
        for number in 1..NUMBER {
            let copy = format!("cp -r in/git/0.git in/git/{number}.git");
            sandbox.shell(&copy).ended(0);
            fs::create_dir(input.join(format!("xap{number}"))).unwrap();
        }
        fs::write(input.join("a.eml"), LATIN).unwrap();
        let run = run_with_path(&sandbox, &folders, &["count", "in"]).ended(0);
        assert_eq!(run.text().lines().count(), lines, "{file} {run:?}");
        let runs = fs::read_to_string(sandbox.path("runs")).unwrap();
        assert_eq!(runs.matches("ls-tree").count(), NUMBER, "{file}");
        fs::remove_file(sandbox.path("runs")).unwrap();
        fs::remove_dir_all(input).unwrap();
    }
}

#[test]
fn without_git_an_error_says_what_to_install() {
    let sandbox = Sandbox::new();
    inbox(&sandbox);
    fs::create_dir(sandbox.path("bin")).unwrap();
    let bin = sandbox.path("bin").display().to_string();
    for input in ["list", "list/git/0.git"] {
        let run = run_with_path(&sandbox, &bin, &["count", input]).ended(2);
        assert!(
            run.err
                .contains("install it, for example with `apt-get install git`"),
            "{run:?}"
        );
        assert_eq!(run.err.lines().count(), 1, "{run:?}");
    }
    // Other mail needs no git.
    run_with_path(&sandbox, &bin, &["count", "archive.mbox"]).ended(0);
}

/// The program ends by a signal while `git` does not answer. Ctrl-C in a terminal sends one to all processes of the group.
#[test]
fn a_signal_ends_git_and_removes_its_folder() {
    for (command, signal) in [("count", "-TERM"), ("count", "-INT"), ("check", "-INT")] {
        end_while_git_runs(command, signal);
    }
}

fn end_while_git_runs(command: &str, signal: &str) {
    let sandbox = Sandbox::new();
    inbox(&sandbox);
    fs::create_dir(sandbox.path("bin")).unwrap();
    fs::create_dir(sandbox.path("tmp")).unwrap();
    let script = sandbox.path("bin/git");
    let text = format!(
        "#!/bin/sh\necho $$ > {}\nexec sleep 1000\n",
        sandbox.path("started").display()
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let program = Command::new(PROGRAM)
        .args([command, "list"])
        .env("PATH", format!("{}:{path}", sandbox.path("bin").display()))
        .env("TMPDIR", sandbox.path("tmp"))
        .current_dir(sandbox.path(""))
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let started = sandbox.path("started");
    let git = loop {
        match fs::read_to_string(&started) {
            Ok(text) if text.ends_with('\n') => break text.trim_end().to_owned(),
            _ => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    };
    let files = || fs::read_dir(sandbox.path("tmp")).unwrap().count();
    assert_eq!(files(), 1);
    sandbox
        .shell(&format!("kill {signal} -{}", program.id()))
        .ended(0);
    let ended = program.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(
        (ended.status.code(), &*words),
        (Some(130), "mailglot: interrupted\n"),
        "{command} {signal}"
    );
    assert_eq!(files(), 0);
    // A killed process that nobody has waited for is a zombie.
    let is_dead = || {
        fs::read_to_string(format!("/proc/{git}/stat")).map_or(true, |stat| stat.contains(") Z "))
    };
    let ended = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        is_dead()
    });
    assert!(ended, "git goes on");
}

#[test]
fn without_temporary_files_the_error_names_their_folder() {
    let sandbox = Sandbox::new();
    inbox(&sandbox);
    let run = sandbox.shell(&format!("TMPDIR=/nowhere/at/all {PROGRAM} count list"));
    let run = run.ended(2);
    let words = "the folder of temporary files, /nowhere/at/all, cannot be used: ";
    assert!(
        run.err.contains(words) && run.err.contains("TMPDIR"),
        "{run:?}"
    );
}

/// A `git` that is killed, or writes nonsense, in each of its commands.
#[test]
fn a_git_that_fails_is_an_error() {
    let sandbox = Sandbox::new();
    inbox(&sandbox);
    fs::create_dir(sandbox.path("bin")).unwrap();
    let script = sandbox.path("bin/git");
    let folders = format!(
        "{}:{}",
        sandbox.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let real = sandbox.shell("command -v git").ended(0);
    let real = real.text().trim_end();
    assert!(Path::new(real).is_absolute());
    for command in ["rev-list", "diff-tree", "cat-file"] {
        for (order, words) in [
            ("kill -9 $$", "signal 9"),
            ("exit 0", ""),
            ("exit 3", "exit status: 3"),
            ("echo nonsense; exec cat > /dev/null", "git "),
            ("yes nonsense | tr -d '\\n'", "git "),
        ] {
            let text = format!(
                "#!/bin/sh\ncase \"$*\" in *{command}*) {order};; *) exec {real} \"$@\";; esac\n"
            );
            fs::write(&script, text).unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
            let run = run_with_path(&sandbox, &folders, &["normalize", "list", "-o", "out.mbox"]);
            assert!(
                run.code != 0 && run.err.contains(words),
                "{command} {order}: {run:?}"
            );
            assert!(
                !sandbox.path("out.mbox").exists(),
                "{command} {order}: {run:?}"
            );
        }
    }
}
