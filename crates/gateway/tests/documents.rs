//! The page about failures names a test for each; the tests exist.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Adds the text of all Rust files below a folder.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn each_test_that_the_page_names_exists() {
    let page = fs::read_to_string(root().join("docs/gateway.md")).unwrap();
    let mut tests = String::new();
    for folder in [
        "tests/tests",
        "crates/cli/tests",
        "crates/gateway/tests",
        "crates/gateway/src",
    ] {
        sources(&root().join(folder), &mut tests);
    }
    let (mut names, mut files) = (0, 0);
    for word in page.split('`').skip(1).step_by(2) {
        if Path::new(word).extension().is_some_and(|kind| kind == "rs") {
            assert!(root().join(word).is_file(), "{word}");
            files += 1;
        } else if word.matches('_').count() > 3 && !word.contains([' ', '=']) {
            assert!(tests.contains(&format!("fn {word}(")), "{word}");
            names += 1;
        }
    }
    assert!(names > 9 && files > 9, "{names} {files}");
}
