//! Checks the sources against the rules of the repository: listed events, file length, unsafe code, names of types.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_archive::BoxEventKind;
use mailglot_mime::EventKind;
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_event_stands_in_the_list_and_every_line_is_an_event() {
    let mut listed = BTreeMap::new();
    for line in read("EVENTS.md")
        .lines()
        .filter(|line| line.starts_with("| `"))
    {
        let cells = line.split('|').map(str::trim).collect::<Vec<_>>();
        let code = cells[1].trim_matches('`').to_owned();
        assert!(!cells[3].is_empty(), "{code} has no meaning");
        assert!(
            listed.insert(code, cells[2].to_owned()).is_none(),
            "{line} stands twice"
        );
    }
    let mut known = BTreeMap::new();
    for kind in EventKind::ALL {
        known.insert(kind.code().to_owned(), kind.severity().name().to_owned());
    }
    for (code, severity) in box_events() {
        known.insert(code, severity.to_owned());
    }
    assert_eq!(listed, known);
}

/// Codes of what is found outside messages: the splitter's kinds, and the pipeline's own.
///
/// The pipeline reports a Content-Length that it removes, a line end that a mailbox adds and a separator that it replaces. It also
/// reports a message marked as deleted, flags and folders without a place in an output, and a message that it could not process.
fn box_events() -> Vec<(String, &'static str)> {
    let severity = |kind: &BoxEventKind| match (kind.is_loss(), kind.is_repair()) {
        (true, _) => "loss",
        (_, true) => "repair",
        _ => "info",
    };
    let kinds = BoxEventKind::ALL
        .iter()
        .map(|kind| (kind.code().to_owned(), severity(kind)));
    let own = [
        ("mbox.length-removed", "info"),
        ("mbox.line-end-added", "info"),
        ("mbox.separator-replaced", "info"),
        ("msg.deleted", "info"),
        ("msg.flags", "info"),
        ("msg.folder", "info"),
        ("msg.set-aside", "loss"),
        ("verify.disagrees", "loss"),
    ];
    kinds
        .chain(own.map(|(code, severity)| (code.to_owned(), severity)))
        .collect()
}

#[test]
fn no_source_file_is_too_long() {
    let mut open = vec![root().join("crates"), root().join("tests")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)
            .expect("a folder of sources")
            .flatten()
        {
            let path = entry.path();
            if path.is_dir() {
                if path
                    .file_name()
                    .is_some_and(|name| name != "generated" && name != "target")
                {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                let code = text
                    .split("#[cfg(test)]\nmod tests")
                    .next()
                    .unwrap_or_default();
                let lines = code.lines().count();
                assert!(
                    lines <= 800,
                    "{}: {lines} lines without tests",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn every_crate_but_the_kernel_forbids_unsafe_code() {
    let mut allowing = Vec::new();
    for entry in fs::read_dir(root().join("crates"))
        .expect("crates/")
        .flatten()
    {
        let source = entry.path().join("src");
        let main = ["lib.rs", "main.rs"]
            .iter()
            .map(|name| source.join(name))
            .find(|path| path.is_file());
        let main = main.unwrap_or_else(|| panic!("{}: no crate root", source.display()));
        let text = fs::read_to_string(&main).expect("a crate root");
        let is_kernel = entry.file_name() == "kernel";
        assert_eq!(
            text.contains("#![forbid(unsafe_code)]"),
            !is_kernel,
            "{}",
            main.display()
        );
        sources(&source, &mut |path, text| {
            if text.contains("allow(unsafe_code") || text.contains("expect(unsafe_code") {
                allowing.push(path.to_owned());
            }
        });
    }
    assert_eq!(allowing, [root().join("crates/kernel/src/lib.rs")]);
}

#[test]
fn no_type_name_of_a_crate_means_two_things() {
    let mut types = 0;
    for entry in fs::read_dir(root().join("crates"))
        .expect("crates/")
        .flatten()
    {
        let mut seen: HashMap<String, PathBuf> = HashMap::new();
        let source = entry.path().join("src");
        sources(&source, &mut |path, text| {
            let path = path.strip_prefix(&source).expect("a path below");
            let code = text.split("#[cfg(test)]\nmod tests").next();
            if path
                .iter()
                .any(|name| name == "tests" || name == "tests.rs")
            {
                return;
            }
            for name in code.unwrap_or_default().lines().filter_map(type_name) {
                types += 1;
                let other = seen.insert(name.clone(), path.to_owned());
                assert!(other.is_none(), "{name}: {}, {other:?}", path.display());
            }
        });
    }
    assert!(types > 500, "{types}");
}

/// Returns the name of the type or trait that a line at the margin defines.
fn type_name(line: &str) -> Option<String> {
    let item = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let rest = ["struct ", "enum ", "trait "]
        .iter()
        .find_map(|word| item.strip_prefix(word))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(rest[..end.unwrap_or(rest.len())].to_owned())
}

fn sources(folder: &Path, look: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, look);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            look(&path, &fs::read_to_string(&path).expect("a source file"));
        }
    }
}
