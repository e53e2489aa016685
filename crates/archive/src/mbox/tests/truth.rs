//! Mailboxes of known content: the splitter cases, ground truth, and another reader.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::{Format, Found, open};

/// The folder with test material, when there is one.
fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("MAILGLOT_SHARED").map(PathBuf::from);
    if folder.is_none() {
        println!("MAILGLOT_SHARED is not set: nothing compared");
    }
    folder
}

fn python(script: &Path, arguments: &[&std::ffi::OsStr]) {
    let status =
        Command::new("python3").arg(script).args(arguments).stdout(std::process::Stdio::null()).status();
    assert!(status.expect("python3 runs").success(), "{}", script.display());
}

#[test]
fn the_seventeen_cases() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    python(&shared.join("tools/tricky.py"), &[folder.path().as_os_str()]);
    let expected = std::fs::read_to_string(folder.path().join("expected.json")).unwrap();
    let mut cases = 0;
    for line in expected.lines() {
        let Some((name, count)) = line.trim().trim_end_matches(',').split_once(": ") else { continue };
        let path = folder.path().join(format!("{}.mbox", name.trim_matches('"')));
        let mut source =
            open(&Found { path, format: Format::Mbox, packed: None }, &ReadOptions::default()).unwrap();
        let (entries, events) = drain(source.as_mut());
        assert_eq!(messages(&entries).len(), count.parse::<usize>().unwrap(), "{name} {events:?}");
        cases += 1;
    }
    assert_eq!(cases, 17);
}

#[test]
fn generated_mailboxes_match_their_ground_truth() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (form, crlf, profile) in [
        ("mboxrd", false, "list"),
        ("mboxrd", true, "mixed"),
        ("mboxo", false, "mixed"),
        ("mboxo", true, "list"),
        ("mboxcl2", false, "list"),
        ("mboxcl2", true, "mixed"),
    ] {
        let (path, truth) = (folder.path().join("box"), folder.path().join("truth"));
        let mut arguments = vec!["--size", "3M", "--format", form, "--profile", profile];
        arguments.extend(crlf.then_some("--crlf"));
        arguments.extend(["--out", path.to_str().unwrap(), "--truth", truth.to_str().unwrap()]);
        let arguments: Vec<_> = arguments.iter().map(std::ffi::OsStr::new).collect();
        python(&shared.join("tools/gen_mbox.py"), &arguments);
        let mut source =
            open(&Found { path, format: Format::Mbox, packed: None }, &ReadOptions::default()).unwrap();
        let (entries, events) = drain(source.as_mut());
        let truth = std::fs::read_to_string(truth).unwrap();
        let number = |line: &str, name: &str| -> u64 {
            let at = line.find(&format!("\"{name}\": ")).unwrap() + name.len() + 4;
            line[at..].split([',', '}']).next().unwrap().parse().unwrap()
        };
        let expected: Vec<_> =
            truth.lines().map(|l| (number(l, "n"), number(l, "offset"), number(l, "length"))).collect();
        let length =
            |entry: &Read1| (entry.separator.len() + entry.message.len() + entry.trailer.len()) as u64;
        let found: Vec<_> = messages(&entries).iter().map(|e| (e.ordinal, e.offset, length(e))).collect();
        assert_eq!(found, expected, "{form} {crlf} {events:?}");
        let quoting = if form == "mboxcl2" { Quoting::None } else { Quoting::Mboxrd };
        assert!(entries.iter().all(|entry| entry.quoting == quoting), "{form}");
    }
}
