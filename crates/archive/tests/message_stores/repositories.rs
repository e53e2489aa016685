//! Builds git repositories for tests.

use std::path::Path;
use std::process::{Command, Stdio};

/// A change of a commit: a path, its mode, and its content. `None` removes the file.
pub(crate) type FileChange = (String, &'static str, Option<Vec<u8>>);

/// Returns a `git` that reads no configuration of the machine.
pub(crate) fn git(repository: &Path) -> Command {
    let mut git = Command::new("git");
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .arg("--git-dir")
        .arg(repository);
    git
}

/// Runs a command of `git` and returns what it prints.
pub(crate) fn run(repository: &Path, arguments: &[&str]) -> String {
    let done = git(repository).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{arguments:?}: {text}");
    String::from_utf8(done.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

/// Creates a repository with commits on `master`.
pub(crate) fn create(repository: &Path, format: &str, commits: &[Vec<FileChange>]) {
    let format = format!("--object-format={format}");
    let mut init = Command::new("git");
    init.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    init.args(["init", "-q", "--bare", &format]).arg(repository);
    assert!(init.status().unwrap().success());
    run(repository, &["symbolic-ref", "HEAD", "refs/heads/master"]);
    commit(repository, commits);
}

/// Adds commits to `master`.
pub(crate) fn commit(repository: &Path, commits: &[Vec<FileChange>]) {
    let mut stream = Vec::new();
    for (number, changes) in commits.iter().enumerate() {
        let time = 1_000_000_000 + number;
        let head = format!("commit refs/heads/master\ncommitter A <a@b> {time} +0000\ndata 0\n");
        stream.extend_from_slice(head.as_bytes());
        if number == 0 && has_commits(repository) {
            stream.extend_from_slice(b"from refs/heads/master^0\n");
        }
        for (path, mode, content) in changes {
            match content {
                None => stream.extend_from_slice(format!("D {path}\n").as_bytes()),
                Some(content) => {
                    let line = format!("M {mode} inline {path}\ndata {}\n", content.len());
                    stream.extend_from_slice(line.as_bytes());
                    stream.extend_from_slice(content);
                    stream.push(b'\n');
                }
            }
        }
    }
    let mut import = git(repository);
    import.args([
        "-c",
        "fastimport.unpackLimit=100000",
        "fast-import",
        "--quiet",
    ]);
    let mut import = import.stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut import.stdin.take().unwrap(), &stream).unwrap();
    assert!(import.wait().unwrap().success());
}

fn has_commits(repository: &Path) -> bool {
    let mut verify = git(repository);
    verify
        .args(["rev-parse", "--verify", "--quiet", "HEAD"])
        .stdout(Stdio::null());
    verify.status().unwrap().success()
}

/// Returns a message with LF.
pub(crate) fn text(number: usize) -> Vec<u8> {
    format!("From: a{number}@b.c\nSubject: n{number}\nMessage-ID: <{number}@x>\n\nbody {number}\n")
        .into_bytes()
}

/// Returns the commits of an epoch of version 2: `m` adds a message, `d` deletes it.
pub(crate) fn v2(steps: &[(char, usize)]) -> Vec<Vec<FileChange>> {
    let step = |&(letter, number): &(char, usize)| {
        let other = if letter == 'm' { "d" } else { "m" };
        vec![
            (other.to_owned(), "", None),
            (letter.to_string(), "100644", Some(text(number))),
        ]
    };
    steps.iter().map(step).collect()
}

/// Returns the path of a message in version 1. Any 40 digits serve as a digest.
pub(crate) fn v1_path(number: usize) -> String {
    format!("{:02x}/{:038x}", number % 256, number)
}

/// Returns a commit of version 1 that adds a message, or replaces one.
pub(crate) fn v1_add(number: usize, content: usize) -> Vec<FileChange> {
    vec![(v1_path(number), "100644", Some(text(content)))]
}

/// Returns a commit of version 1 that deletes a message.
pub(crate) fn v1_remove(number: usize) -> Vec<FileChange> {
    vec![(v1_path(number), "", None)]
}

/// Returns the path of an object that is a file of its own.
pub(crate) fn object_path(repository: &Path, id: &str) -> std::path::PathBuf {
    repository.join("objects").join(&id[..2]).join(&id[2..])
}
