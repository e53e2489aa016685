//! Compares `.config/nextest.toml` with the tests: the profile `without-shared` skips the tests that need the shared material, and no others.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tests that read the shared material where it is set, and check generated input without it.
const PARTIAL: &[&str] = &[
    "truncated_messages_match_another_reader",
    "mutants_keep_the_laws",
    "rewriting_keeps_the_text_and_ends_after_one_pass",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A function of a source file: its attributes and doc comment, and its text.
struct Function {
    is_test: bool,
    text: String,
}

/// The functions of a file, by name. A function reaches to the next one.
fn functions(source: &str) -> BTreeMap<String, Function> {
    let mut found: Vec<(String, Function)> = Vec::new();
    let mut is_test = false;
    for line in source.lines() {
        let code = line.trim_start();
        if code.starts_with("#[test]") {
            is_test = true;
        }
        let code = code.strip_prefix("pub(crate) ").unwrap_or(code);
        let code = code.strip_prefix("pub ").unwrap_or(code);
        if let Some(rest) = code.strip_prefix("fn ") {
            let name = rest.split(['(', '<']).next().unwrap_or_default().to_owned();
            let text = String::new();
            found.push((name, Function { is_test, text }));
            is_test = false;
        } else if let Some((_, function)) = found.last_mut() {
            function.text.push_str(code);
            function.text.push('\n');
        }
    }
    found.into_iter().collect()
}

/// The tests of a file that read the shared material, directly or by a helper of the same file.
fn reading_shared_material(source: &str) -> BTreeSet<String> {
    let functions = functions(source);
    let reads = [
        "\"MAILGLOT_SHARED\"",
        "shared::folder(",
        "shared::messages(",
        "shared::real_paths(",
        "shared::real_messages(",
        "shared_material::folder(",
        " shared(\"",
        "common::shared(",
    ];
    let mut reading: BTreeSet<&String> = functions
        .iter()
        .filter(|(_, function)| reads.iter().any(|read| function.text.contains(read)))
        .map(|(name, _)| name)
        .collect();
    loop {
        let calls = |function: &Function| {
            reading.iter().any(|helper| {
                function
                    .text
                    .match_indices(&format!("{helper}("))
                    .any(|(at, _)| {
                        let before = function.text[..at].chars().next_back();
                        before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.')
                    })
            })
        };
        let more: Vec<&String> = functions
            .iter()
            .filter(|(name, function)| !reading.contains(name) && calls(function))
            .map(|(name, _)| name)
            .collect();
        if more.is_empty() {
            break;
        }
        reading.extend(more);
    }
    reading
        .into_iter()
        .filter(|name| functions[*name].is_test)
        .cloned()
        .collect()
}

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            source_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The names in the filter of the profile: all alternatives of its regular expressions.
fn skipped_names(config: &str) -> BTreeSet<String> {
    let (_, profile) = config.split_once("[profile.without-shared]").unwrap();
    profile
        .split("(/")
        .skip(1)
        .filter_map(|rest| rest.split_once("$/)"))
        .flat_map(|(names, _)| {
            let names = names.split_once('(').map_or(names, |(_, names)| names);
            names.trim_end_matches(')').split('|')
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_profile_skips_the_tests_that_need_the_shared_material() {
    let mut files = Vec::new();
    for folder in ["crates", "tests"] {
        source_files(&root().join(folder), &mut files);
    }
    let mut needing = BTreeSet::new();
    for path in files.iter().filter(|path| !path.ends_with(file!())) {
        needing.extend(reading_shared_material(&fs::read_to_string(path).unwrap()));
    }
    for name in PARTIAL {
        assert!(needing.remove(*name), "{name} reads no shared material");
    }
    let config = fs::read_to_string(root().join(".config/nextest.toml")).unwrap();
    let skipped = skipped_names(&config);
    let missing: Vec<_> = needing.difference(&skipped).collect();
    assert!(
        missing.is_empty(),
        "add to profile.without-shared: {missing:?}"
    );
    let superfluous: Vec<_> = skipped.difference(&needing).collect();
    assert!(
        superfluous.is_empty(),
        "remove from profile.without-shared: {superfluous:?}"
    );
    assert!(needing.len() > 40, "{}", needing.len());
    if env::var_os("MAILGLOT_SHARED").is_none() {
        let line = format!(
            "SKIPPED (MAILGLOT_SHARED is not set): {} tests in all; .config/nextest.toml lists them\n",
            needing.len()
        );
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
}

/// Files that look for the shared material. They write the name of each test that misses it.
const FINDERS: &[&str] = &[
    "crates/archive/src/shared_material.rs",
    "crates/codec/tests/common/shared_material.rs",
    "crates/gateway/src/shared_material.rs",
    "crates/mime/src/shared_material.rs",
    "tests/src/shared.rs",
];

#[test]
fn no_test_misses_the_shared_material_in_silence() {
    let mut files = Vec::new();
    for folder in ["crates", "tests"] {
        source_files(&root().join(folder), &mut files);
    }
    // A condition on the variable reads nothing; programs and examples fail without it.
    let silent: Vec<_> = files
        .iter()
        .map(|path| path.strip_prefix(root()).unwrap())
        .filter(|path| !FINDERS.iter().any(|finder| *path == Path::new(finder)))
        .filter(|path| !path.starts_with("crates/xtask") && !path.ends_with(file!()))
        .filter(|path| !path.components().any(|part| part.as_os_str() == "examples"))
        .filter(|path| {
            let source = fs::read_to_string(root().join(path)).unwrap();
            let mut uses = source.split("(\"MAILGLOT_SHARED\")").skip(1);
            uses.any(|rest| !rest.starts_with(".is_none()"))
        })
        .collect();
    assert!(silent.is_empty(), "use a finder of FINDERS: {silent:?}");
    let [first, rest @ ..] = FINDERS else {
        panic!("no finder")
    };
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    for other in rest
        .iter()
        .filter(|path| path.ends_with("shared_material.rs"))
    {
        assert!(read(first) == read(other), "{first} and {other} differ");
    }
}

/// The test starts itself without the variable, and reads what the harness does not capture.
#[test]
fn a_skipped_test_is_named_on_standard_error() {
    const CHILD: &str = "MAILGLOT_TEST_WITHOUT_MATERIAL";
    if env::var_os(CHILD).is_some() {
        assert_eq!(mailglot_tests::shared::folder(), None);
        return;
    }
    let name = "a_skipped_test_is_named_on_standard_error";
    let run = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--test-threads", "2"])
        .env_remove("MAILGLOT_SHARED")
        .env(CHILD, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    let line = format!("SKIPPED (MAILGLOT_SHARED is not set): shared material in {name}\n");
    assert!(run.status.success() && said.contains(&line), "{said}");
}

#[test]
fn helpers_of_the_same_file_are_followed() {
    let source = "fn folder() -> Option<PathBuf> {\n    env::var_os(\"MAILGLOT_SHARED\")\n}\n\n#[test]\nfn one() {\n    folder();\n}\n\n\
                  #[test]\nfn other() {\n    my_folder();\n}\n";
    assert_eq!(
        reading_shared_material(source),
        BTreeSet::from(["one".to_owned()])
    );
}
