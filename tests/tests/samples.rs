//! The samples and their goldens are what the recipes and the program make of them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_tests::{golden, samples, tree};

#[test]
fn samples_and_goldens_are_current() {
    let made = golden::everything()
        .expect("the samples can be normalized")
        .into_iter()
        .map(|(name, bytes)| (name, Some(bytes)))
        .collect();
    let mut stored = tree::read(&samples::folder()).expect("samples/ can be read");
    stored.retain(|name, content| content.is_some() && name != "README.md");
    if let Some(fault) = tree::difference(&stored, &made) {
        panic!(
            "samples/ and what is made now: {fault}; if it is meant, run `cargo xtask bless` and say so in CHANGELOG.md"
        );
    }
}

#[test]
fn line_ends_change_nothing_but_line_ends() {
    let stored = tree::read(&samples::folder()).expect("samples/ can be read");
    let mut compared = 0;
    for (name, content) in &stored {
        let (Some(name), Some(content)) = (name.strip_prefix("golden/lf/"), content) else {
            continue;
        };
        // Offsets differ in events, and a body that base64 keeps closed holds its own line ends.
        if !name.starts_with("historic.mbox") || name.contains(".events.") {
            continue;
        }
        let twin = stored
            .get(&format!("golden/crlf/{name}"))
            .and_then(Option::as_ref);
        let twin = twin.unwrap_or_else(|| panic!("golden/crlf/{name} is missing"));
        let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        assert_eq!(plain(content), plain(twin), "{name}");
        compared += 1;
    }
    assert!(compared > 0);
}
