//! Checks licenses, banned crates, sources and wildcards of all dependencies against `deny.toml`, and prints crates with several versions:
//! `cargo xtask licenses`.
//!
//! It reads `cargo metadata` and needs no network. `cargo deny check` checks the same and known vulnerabilities.
//!
//! # Limits
//!
//! `WITH` exceptions are compared as text. Advisories are not checked.

use crate::run;
use anyhow::{Context, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The only source of crates beside this repository.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The part of `deny.toml` that is checked.
struct Rules {
    allowed: BTreeSet<String>,
    /// Banned crates, and the crates that may still use them.
    banned: BTreeMap<String, Vec<String>>,
}

/// Prints what breaks a rule, and fails if anything does.
pub(crate) fn check() -> anyhow::Result<()> {
    let rules = Rules::parse(&run::read("deny.toml")?)?;
    let metadata =
        run::output(run::cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let faults: Vec<String> = packages.iter().flat_map(|p| rules.faults(p)).collect();
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    for (name, versions) in duplicates(packages) {
        println!("note: {name} has several versions: {}", versions.join(", "));
    }
    println!(
        "licenses: {} packages, all allowed by deny.toml",
        packages.len()
    );
    Ok(())
}

/// The crates that occur in several versions, as with `multiple-versions = "warn"`.
fn duplicates(packages: &[Value]) -> Vec<(&str, Vec<&str>)> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        versions
            .entry(text("name"))
            .or_default()
            .push(text("version"));
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions.into_iter().collect()
}

impl Rules {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let table: toml::Table = text.parse().context("deny.toml")?;
        let strings = |value: Option<&toml::Value>| -> Vec<String> {
            let values = value.and_then(toml::Value::as_array);
            let strings = values.into_iter().flatten().filter_map(toml::Value::as_str);
            strings.map(str::to_owned).collect()
        };
        let section = |name: &str| table.get(name).and_then(toml::Value::as_table);
        let allowed = strings(section("licenses").and_then(|licenses| licenses.get("allow")));
        let bans = section("bans").and_then(|bans| bans.get("deny")?.as_array());
        let banned = bans.into_iter().flatten().filter_map(|ban| {
            let name = ban.get("crate")?.as_str()?.to_owned();
            Some((name, strings(ban.get("wrappers"))))
        });
        let banned: BTreeMap<_, _> = banned.collect();
        if allowed.is_empty() || banned.is_empty() {
            bail!("deny.toml allows no license or bans no crate");
        }
        Ok(Self {
            allowed: allowed.into_iter().collect(),
            banned,
        })
    }

    /// What is wrong with a package of `cargo metadata`.
    fn faults(&self, package: &Value) -> Vec<String> {
        let name = package["name"].as_str().unwrap_or_default();
        let mut faults = Vec::new();
        match package["license"].as_str() {
            Some(license) if self.permits(license) => {}
            Some(license) => faults.push(format!("{name}: {license} is not allowed")),
            None => faults.push(format!("{name}: no license")),
        }
        if let Some(source) = package["source"].as_str().filter(|s| *s != REGISTRY) {
            faults.push(format!("{name}: from {source}"));
        }
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            let is_ours = package["source"].is_null();
            if is_ours && dependency["req"] == "*" && dependency["path"].is_null() {
                faults.push(format!("{name}: uses any version of {used}"));
            }
            if let Some(wrappers) = self.banned.get(used)
                && is_ours
                && !wrappers.iter().any(|wrapper| wrapper == name)
            {
                faults.push(format!("{name}: uses {used}, which is banned"));
            }
        }
        faults
    }

    /// Returns true if one can comply with a license expression by allowed licenses only.
    fn permits(&self, expression: &str) -> bool {
        let spaced = expression
            .replace('/', " OR ")
            .replace('(', " ( ")
            .replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut at = 0;
        let permitted = self.any_of(&words, &mut at);
        permitted && at == words.len()
    }

    /// Alternatives: terms joined by `OR`.
    fn any_of(&self, words: &[&str], at: &mut usize) -> bool {
        let mut permitted = self.all_of(words, at);
        while words.get(*at) == Some(&"OR") {
            *at += 1;
            permitted |= self.all_of(words, at);
        }
        permitted
    }

    /// Terms joined by `AND`.
    fn all_of(&self, words: &[&str], at: &mut usize) -> bool {
        let mut permitted = self.term(words, at);
        while words.get(*at) == Some(&"AND") {
            *at += 1;
            permitted &= self.term(words, at);
        }
        permitted
    }

    /// A license, with its exception if it has one, or an expression in parentheses.
    fn term(&self, words: &[&str], at: &mut usize) -> bool {
        let Some(word) = words.get(*at) else {
            return false;
        };
        *at += 1;
        if *word == "(" {
            let permitted = self.any_of(words, at);
            let is_closed = words.get(*at) == Some(&")");
            *at += 1;
            return permitted && is_closed;
        }
        if words.get(*at) == Some(&"WITH") {
            let exception = words.get(*at + 1).copied().unwrap_or_default();
            *at += 2;
            return self.allowed.contains(&format!("{word} WITH {exception}"));
        }
        self.allowed.contains(*word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const DENY: &str = "[licenses]\nallow = [\"MIT\", \"Zlib\", \"Apache-2.0 WITH LLVM-exception\"]\n\
                        [bans]\ndeny = [{ crate = \"tokio\" }, { crate = \"mailparse\", wrappers = [\"tests\"] }]\n";

    #[test]
    fn expressions_are_held_to_the_list() {
        let rules = Rules::parse(DENY).unwrap();
        for (expression, permitted) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("GPL-3.0 AND MIT", false),
            ("(MIT OR GPL-3.0) AND Zlib", true),
            ("(MIT AND GPL-3.0) OR GPL-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("(MIT", false),
            ("MIT )", false),
            ("", false),
        ] {
            assert_eq!(rules.permits(expression), permitted, "{expression}");
        }
    }

    #[test]
    fn bans_and_sources_are_checked() {
        let rules = Rules::parse(DENY).unwrap();
        let faults = |name: &str, source: Value, used: &str| {
            rules
                .faults(&json!({"name": name, "license": "MIT", "source": source, "dependencies": [{"name": used}]}))
                .len()
        };
        assert_eq!(faults("tests", Value::Null, "mailparse"), 0);
        assert_eq!(faults("other", Value::Null, "mailparse"), 1);
        assert_eq!(faults("other", Value::Null, "tokio"), 1);
        assert_eq!(faults("other", json!(REGISTRY), "tokio"), 0);
        assert_eq!(faults("other", json!("git+https://example.org"), "x"), 1);
    }

    #[test]
    fn wildcards_are_for_crates_of_the_workspace() {
        let rules = Rules::parse(DENY).unwrap();
        for (dependency, number) in [
            (json!({"name": "memchr", "req": "*"}), 1),
            (json!({"name": "memchr", "req": "^2"}), 0),
            (json!({"name": "ours", "req": "*", "path": "/ours"}), 0),
        ] {
            let package = json!({"name": "a", "license": "MIT", "dependencies": [dependency]});
            assert_eq!(rules.faults(&package).len(), number, "{package}");
        }
    }

    #[test]
    fn several_versions_are_found() {
        let packages = [("a", "1.0.0"), ("b", "1.0.0"), ("a", "2.0.0")]
            .map(|(name, version)| json!({"name": name, "version": version}));
        assert_eq!(duplicates(&packages), [("a", vec!["1.0.0", "2.0.0"])]);
    }

    #[test]
    fn a_list_without_rules_is_an_error() {
        assert!(Rules::parse("[licenses]\nallow = []\n").is_err());
    }
}
