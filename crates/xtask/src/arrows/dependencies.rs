//! Compares the dependencies of the manifests with the table in ARCHITECTURE.md, and with what the code mentions.
//!
//! # Limits
//! A dependency counts as used if its name is the first one of a path, or is imported. A module of the same name hides that.

use crate::run;
use crate::workspace::{Dependency, Package};
use anyhow::Context;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Sees everything, rivals too; nothing may depend on it.
const UNCHECKED: &str = "mailglot-tests";

/// Serves tests and examples of all crates, and uses none of them.
const FOR_TESTS: &str = "mailglot-fuzz";

/// What the table allows a crate, dev-dependencies aside.
#[derive(Debug, PartialEq)]
struct Rule {
    package: String,
    uses: BTreeSet<String>,
}

/// Returns a line for each dependency that is forbidden, absent or superfluous.
pub(super) fn check(packages: &[Package]) -> anyhow::Result<Vec<String>> {
    let page = run::read("ARCHITECTURE.md")?;
    let rules = rules(&page).context("ARCHITECTURE.md has no table of crates")?;
    let mut faults = Vec::new();
    for package in packages {
        faults.extend(against_table(package, &rules));
        faults.extend(against_code(package)?);
    }
    Ok(faults)
}

/// Reads the rows of the table of crates: package, crates of ours, crates of others.
fn rules(page: &str) -> Option<Vec<Rule>> {
    let (_, table) = page.split_once("| folder | package |")?;
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, _, package, _, ours, others, _] = cells[..] else {
            return None;
        };
        let ours = names(ours).map(|name| format!("mailglot-{name}"));
        Some(Rule {
            package: package.trim_matches('`').to_owned(),
            uses: ours.chain(names(others)).collect(),
        })
    })
    .collect()
}

/// The names of a cell, without what stands in parentheses.
fn names(cell: &str) -> impl Iterator<Item = String> {
    let mut depth = 0;
    let mut plain = String::new();
    for c in cell.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let names: Vec<String> = plain
        .split(',')
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty() && name != "–")
        .collect();
    names.into_iter()
}

/// Compares a manifest with the table, in both directions.
fn against_table(package: &Package, rules: &[Rule]) -> Vec<String> {
    let name = &package.name;
    if name == UNCHECKED {
        return Vec::new();
    }
    let Some(rule) = rules.iter().find(|rule| rule.package == *name) else {
        return vec![format!(
            "{name}: the table in ARCHITECTURE.md has no row for it"
        )];
    };
    let mut faults = Vec::new();
    for Dependency {
        name: used, kind, ..
    } in &package.dependencies
    {
        let is_ours = used == "mailglot" || used.starts_with("mailglot-") || used == "xtask";
        let is_allowed = match kind.as_str() {
            // Tests of a crate may use any oracle, but no crate of ours that stands above it.
            "dev" => !is_ours || used == FOR_TESTS || rule.uses.contains(used),
            "normal" => rule.uses.contains(used),
            // There are no build scripts.
            _ => false,
        };
        if !is_allowed {
            faults.push(format!(
                "{name} -> {used} ({kind}): ARCHITECTURE.md does not allow it"
            ));
        }
    }
    let declared = |used: &String| {
        let mut all = package.dependencies.iter();
        all.any(|dependency| dependency.name == *used && dependency.kind == "normal")
    };
    for used in rule.uses.iter().filter(|used| !declared(used)) {
        faults.push(format!(
            "{name} -> {used}: only ARCHITECTURE.md has it, not the manifest"
        ));
    }
    faults
}

/// Finds dependencies that no code of the package mentions.
fn against_code(package: &Package) -> anyhow::Result<Vec<String>> {
    let mut source = BTreeSet::new();
    mentioned_in(&package.folder.join("src"), &mut source)?;
    let mut all = source.clone();
    for folder in ["tests", "examples", "benches"] {
        mentioned_in(&package.folder.join(folder), &mut all)?;
    }
    Ok(superfluous(package, &source, &all))
}

fn superfluous(
    package: &Package,
    source: &BTreeSet<String>,
    all: &BTreeSet<String>,
) -> Vec<String> {
    let is_mentioned = |dependency: &&Dependency| {
        // The tests of a package of tests are what it is for.
        let names = if dependency.kind == "dev" || package.name == UNCHECKED {
            all
        } else {
            source
        };
        names.contains(&dependency.crate_name)
    };
    package
        .dependencies
        .iter()
        .filter(|dependency| !is_mentioned(dependency))
        .map(|dependency| {
            let Package { name, .. } = package;
            let Dependency {
                name: used, kind, ..
            } = dependency;
            format!("{name} -> {used} ({kind}): no code mentions it")
        })
        .collect()
}

/// Adds the first names of all paths in the sources of a folder, if it exists.
fn mentioned_in(folder: &Path, names: &mut BTreeSet<String>) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            mentioned_in(&path, names)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path)?;
            let tokens = source
                .parse()
                .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
            mentioned(tokens, names);
        }
    }
    Ok(())
}

/// Adds every name that has `::` behind it and none in front, or that follows `use`.
fn mentioned(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, sign: char| {
        let token = at.and_then(|at| tokens.get(at));
        matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => mentioned(group.stream(), names),
            TokenTree::Ident(name) => {
                let before = at.checked_sub(1);
                let is_path = is(Some(at + 1), ':') && is(Some(at + 2), ':');
                let is_used = matches!(
                    before.and_then(|before| tokens.get(before)),
                    Some(TokenTree::Ident(word)) if word == "use" || word == "crate"
                );
                if is_path || is_used {
                    names.insert(name.to_string());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn package(name: &str, dependencies: &[(&str, &str)]) -> Package {
        Package {
            name: name.to_owned(),
            folder: PathBuf::new(),
            root: PathBuf::new(),
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency {
                    name: (*name).to_owned(),
                    crate_name: name.replace('-', "_"),
                    kind: (*kind).to_owned(),
                })
                .collect(),
        }
    }

    const PAGE: &str = "\
# Architecture

| folder | package | duty | uses of ours | uses of others |
|---|---|---|---|---|
| `crates/codec` | `mailglot-codec` | charsets | – | memchr |
| `crates/archive` | `mailglot-archive` | files; knows no MIME | codec (names, and more) | memchr, zstd |

More text.
";

    #[test]
    fn the_table_gives_the_rules() {
        let rules = rules(PAGE).unwrap();
        assert_eq!(rules.len(), 2);
        assert_eq!(rules[1].package, "mailglot-archive");
        let uses: Vec<&str> = rules[1].uses.iter().map(String::as_str).collect();
        assert_eq!(uses, ["mailglot-codec", "memchr", "zstd"]);
    }

    #[test]
    fn forbidden_and_absent_dependencies_are_named() {
        let package = package(
            "mailglot-archive",
            &[
                ("memchr", "normal"),
                ("mailglot-mime", "normal"),
                ("mailglot-codec", "normal"),
                ("tempfile", "dev"),
                ("mailglot-mime", "dev"),
                ("cc", "build"),
            ],
        );
        assert_eq!(
            against_table(&package, &rules(PAGE).unwrap()),
            [
                "mailglot-archive -> mailglot-mime (normal): ARCHITECTURE.md does not allow it",
                "mailglot-archive -> mailglot-mime (dev): ARCHITECTURE.md does not allow it",
                "mailglot-archive -> cc (build): ARCHITECTURE.md does not allow it",
                "mailglot-archive -> zstd: only ARCHITECTURE.md has it, not the manifest",
            ]
        );
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        let faults = against_table(&package("mailglot-new", &[]), &rules(PAGE).unwrap());
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn dependencies_that_no_code_mentions_are_superfluous() {
        let package = package(
            "mailglot-codec",
            &[
                ("memchr", "normal"),
                ("smtp-proto", "normal"),
                ("serde_json", "dev"),
            ],
        );
        let mut source = BTreeSet::new();
        mentioned(
            "use memchr; fn f() { serde_json::json!({\"a\": smtp_proto}) }"
                .parse()
                .unwrap(),
            &mut source,
        );
        assert_eq!(
            superfluous(&package, &source, &source),
            ["mailglot-codec -> smtp-proto (normal): no code mentions it"]
        );
    }
}
