//! The packages of this workspace, as cargo describes them.
//!
//! # Limits
//! Build scripts are only named, as dependencies of kind `build`.

use crate::run;
use anyhow::Context;
use serde_json::Value;
use std::path::PathBuf;

/// A package of this workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder of the manifest.
    pub(crate) folder: PathBuf,
    /// The file of the library's root, or of the program's.
    pub(crate) root: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency that a manifest names.
#[derive(Debug)]
pub(crate) struct Dependency {
    /// The package that is used.
    pub(crate) name: String,
    /// The name by which code calls it.
    pub(crate) crate_name: String,
    /// `normal`, `dev` or `build`.
    pub(crate) kind: String,
}

/// Reads the packages from `cargo metadata`, in the order of their names.
pub(crate) fn packages() -> anyhow::Result<Vec<Package>> {
    let metadata =
        run::output(run::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let listed = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let mut packages = listed.iter().map(package).collect::<Result<Vec<_>, _>>()?;
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(packages)
}

fn package(value: &Value) -> anyhow::Result<Package> {
    let name = text(&value["name"]).to_owned();
    let targets = list(&value["targets"]);
    let has_kind = |target: &&Value, kind: &str| list(&target["kind"]).iter().any(|k| k == kind);
    let root = ["lib", "bin"]
        .iter()
        .find_map(|kind| targets.iter().find(|target| has_kind(target, kind)))
        .with_context(|| format!("{name} has neither library nor program"))?;
    let manifest = PathBuf::from(text(&value["manifest_path"]));
    Ok(Package {
        root: PathBuf::from(text(&root["src_path"])),
        folder: manifest.parent().map(PathBuf::from).unwrap_or_default(),
        dependencies: list(&value["dependencies"])
            .iter()
            .map(dependency)
            .collect(),
        name,
    })
}

fn dependency(value: &Value) -> Dependency {
    let name = text(&value["name"]);
    let called = value["rename"].as_str().unwrap_or(name);
    Dependency {
        name: name.to_owned(),
        crate_name: called.replace('-', "_"),
        kind: value["kind"].as_str().unwrap_or("normal").to_owned(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_package_has_its_library_as_root_and_dependencies_by_the_name_in_code() {
        let value = json!({
            "name": "mailglot-x",
            "manifest_path": "/r/crates/x/Cargo.toml",
            "targets": [
                {"kind": ["bin"], "src_path": "/r/crates/x/src/main.rs"},
                {"kind": ["lib"], "src_path": "/r/crates/x/src/lib.rs"},
            ],
            "dependencies": [
                {"name": "mail-parser", "kind": null, "rename": null},
                {"name": "mail-parser", "kind": "dev", "rename": "old-parser"},
            ],
        });
        let package = package(&value).unwrap();
        assert_eq!(package.root, PathBuf::from("/r/crates/x/src/lib.rs"));
        assert_eq!(package.folder, PathBuf::from("/r/crates/x"));
        let [one, other] = &package.dependencies[..] else {
            panic!("{package:?}");
        };
        assert_eq!(
            (&one.crate_name[..], &one.kind[..]),
            ("mail_parser", "normal")
        );
        assert_eq!(
            (&other.crate_name[..], &other.kind[..]),
            ("old_parser", "dev")
        );
    }
}
