//! Files that are rejected because they are not mail: no message of the shared material except those listed here.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_pipeline::count;
use mailglot_tests::shared;
use std::fs;

/// Files named `.eml` that are no mail, by the end of their path, with the reason.
const NO_MAIL: [(&str, &str); 1] = [(
    "mime-parser/data/output/regression/obs-fws.eml",
    "the JSON that another parser gives for a message",
)];

#[test]
fn messages_are_read_as_mail() {
    let paths = [shared::messages(), shared::real_paths()].concat();
    let mut refused = Vec::new();
    for path in &paths {
        let forced = count(path, true).unwrap_or_else(|error| panic!("{error}"));
        match count(path, false) {
            Ok(counts) => assert_eq!(counts, forced),
            Err(error) => {
                assert!(error.to_string().contains("not a mail message"), "{error}");
                refused.push(path);
            }
        }
    }
    let is_listed = |path: &&std::path::PathBuf| NO_MAIL.iter().any(|(end, _)| path.ends_with(end));
    let surprising: Vec<_> = refused
        .iter()
        .copied()
        .filter(|path| !is_listed(path))
        .collect();
    assert!(surprising.is_empty(), "{surprising:?}");
    assert!(
        paths.is_empty() || refused.len() == NO_MAIL.len(),
        "a listed file is read: {refused:?}"
    );
    println!("{} messages, {} refused", paths.len(), refused.len());
}

/// However the beginning of a message is damaged, as long as one known field is left.
#[test]
fn messages_with_damage_at_their_beginning_are_read_as_mail() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.eml");
    let message = "Received: from a\nSubject: x\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\nbody\n";
    let separator = "From a@b.example Mon Jan  1 00:00:00 2001\n";
    for before in [
        "",
        "\n\n\n",
        "\u{feff}",
        " \t\n",
        separator,
        "\0\0\u{1}junk\n",
        "> \n",
        "no colon\n> none here\n",
        " folded\n",
    ] {
        for end in ["\n", "\r\n", "\r"] {
            for first in [0, 9, 17] {
                let bytes = format!("{before}{}", &message[first..]).replace('\n', end);
                fs::write(&path, &bytes).unwrap();
                let counts =
                    count(&path, false).unwrap_or_else(|error| panic!("{bytes:?}: {error}"));
                assert_eq!(counts[0].0, 1, "{bytes:?}");
            }
        }
    }
}
