//! `--follow-links`: what the links lead to is an input, like what was given.

use crate::sandbox::{LATIN, Sandbox};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

/// A folder with links to a mailbox, to a mailbox in a folder of its own, to a tar archive, and to a folder.
fn linked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .shell("mkdir in own behind && cp archive.mbox x.mbox && cp archive.mbox own/y.mbox && cp archive.mbox behind/z.mbox && tar cf x.tar archive.mbox")
        .ended(0);
    for (target, link) in [
        // The first in order has a tree of its own.
        ("../x.tar", "in/a.tar"),
        ("../x.mbox", "in/b.mbox"),
        ("../own/y.mbox", "in/c.mbox"),
        ("../behind", "in/d"),
    ] {
        symlink(target, sandbox.path(link)).unwrap();
    }
    sandbox
}

/// Fails to write at each of the places, by a command line that begins with `command` and ends in the option of the place.
fn assert_refused(sandbox: &Sandbox, command: &str, places: &[(&str, &str)]) {
    let before = fs::read(sandbox.path("x.mbox")).unwrap();
    let names = sandbox.names();
    for (place, words) in places {
        let run = sandbox.shell(&format!("{command} {place}")).ended(1);
        assert!(run.err.contains(words), "{command} {place}: {}", run.err);
        assert!(sandbox.read("x.mbox") == before, "{command} {place}");
        assert_eq!(sandbox.names(), names, "{command} {place}");
    }
    let behind: Vec<_> = fs::read_dir(sandbox.path("behind")).unwrap().collect();
    assert_eq!(behind.len(), 1, "{command}: {behind:?}");
}

#[test]
fn no_output_replaces_what_a_link_leads_to() {
    let sandbox = linked();
    let normalize = "mailglot normalize --follow-links --force in";
    let places = [
        (
            "--ledger none -o x.mbox",
            "x.mbox: the output is an input: in/b.mbox",
        ),
        ("-o x.tar", "x.tar: the output is an input: in/a.tar"),
        (
            "-o out --report x.mbox",
            "x.mbox: the output is an input: in/b.mbox",
        ),
        (
            "-o out --ledger x.mbox",
            "x.mbox: the output is an input: in/b.mbox",
        ),
        ("-o own", "own: the output contains an input: in/c.mbox"),
        (
            "-o behind/out",
            "behind/out: the output lies inside an input: in/d",
        ),
        (
            "--resume -o behind/out",
            "behind/out: the output lies inside an input: in/d",
        ),
        (
            "--resume -o x.mbox",
            "x.mbox: the output is an input: in/b.mbox",
        ),
    ];
    assert_refused(&sandbox, normalize, &places);
    // Without the option, the links are not read.
    sandbox
        .shell("cp archive.mbox in/own.mbox && mailglot -q normalize --force --ledger none in -o x.mbox")
        .ended(0);
}

#[test]
fn split_and_parts_write_nothing_into_a_followed_folder() {
    let sandbox = linked();
    let inside = |place: &'static str| [(place, "the output lies inside an input: in/d")];
    let split = "mailglot split --by year --follow-links in";
    assert_refused(&sandbox, split, &inside("-o behind/new"));
    let plan = "mailglot plan --follow-links in";
    assert_refused(&sandbox, plan, &inside("-o behind/plan.json"));
    let is_input = [("-o x.mbox", "the output is an input: in/b.mbox")];
    assert_refused(&sandbox, plan, &is_input);
    sandbox.shell(&format!("{plan} -o plan.json")).ended(0);
    let run = "mailglot run plan.json --split 0";
    assert_refused(&sandbox, run, &inside("-o behind/joined"));
    sandbox.shell(&format!("{run} -o joined")).ended(0);
    let commit = "mailglot commit plan.json";
    assert_refused(&sandbox, commit, &inside("-o behind/joined"));
    sandbox.shell(&format!("{commit} -o joined")).ended(0);
}

#[test]
fn outputs_are_as_private_as_what_links_lead_to() {
    let sandbox = Sandbox::new();
    sandbox.shell("mkdir in && chmod 755 in").ended(0);
    symlink("../secret.mbox", sandbox.path("in/a.mbox")).unwrap();
    symlink("../archive.mbox", sandbox.path("in/b.mbox")).unwrap();
    let mode = |name: &str| {
        let there = fs::metadata(sandbox.path(name)).unwrap();
        there.permissions().mode() & 0o777
    };
    for (own, file, folder) in [(0o600, 0o600, 0o700), (0o644, 0o644, 0o755)] {
        sandbox.shell("rm -rf out* years* plan.json").ended(0);
        sandbox.shell("cp archive.mbox secret.mbox").ended(0);
        for name in ["secret.mbox", "archive.mbox"] {
            let own = if name == "secret.mbox" { own } else { 0o644 };
            fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(own)).unwrap();
        }
        for line in [
            "mailglot -q normalize --follow-links in -o out --report out.json",
            "mailglot -q normalize --follow-links --resume in -o out2",
            "mailglot -q split --follow-links in --by year -o years",
            "mailglot -q plan --follow-links in -o plan.json",
            "mailglot -q run plan.json --split 0 -o out3",
        ] {
            sandbox.shell(&format!("umask 022; {line}")).ended(0);
        }
        for name in ["out.ledger", "out.json", "out2.ledger"] {
            assert_eq!(mode(name), file, "{name} of {own:o}");
        }
        for name in ["out", "out2", "years", "out3.parts"] {
            assert_eq!(mode(name), folder, "{name} of {own:o}");
        }
    }
}

/// A job whose inputs changed behind a link does not continue.
#[test]
fn a_change_behind_a_link_ends_a_job_in_parts() {
    let sandbox = Sandbox::new();
    for folder in ["md/cur", "md/tmp", "elsewhere"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    sandbox.write("elsewhere/1.a.host", LATIN);
    symlink("../elsewhere", sandbox.path("md/new")).unwrap();
    sandbox
        .run(&["plan", "--follow-links", "md", "-o", "plan.json"])
        .ended(0);
    let run = ["run", "plan.json", "--split", "0", "-o", "out"];
    sandbox.run(&run).ended(0);
    sandbox.write("elsewhere/2.a.host", LATIN);
    let commit = sandbox.run(&["commit", "plan.json", "-o", "out"]);
    let words = "md has changed since it was planned";
    assert!(commit.err.contains(words), "{commit:?}");
    assert_ne!(commit.code, 0);
    assert!(!sandbox.path("out").exists());
}
