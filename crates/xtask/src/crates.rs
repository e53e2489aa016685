//! Packages the crates as crates.io would get them, and checks that each stands alone: `cargo xtask crates`.
//!
//! # Limits
//!
//! Publishes nothing. The check without `--verify` reads sources as text and does not build them.

use crate::run::{self, cargo, checked, target};
use anyhow::{Context, bail};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Fields that each manifest must have.
const FIELDS: &[&str] = &[
    "description",
    "documentation",
    "license",
    "readme",
    "repository",
];

/// A crate that can be published.
struct Crate {
    name: String,
    version: String,
}

/// Packages all crates that can be published, and unpacks them into an empty folder. Fails if a manifest lacks a field, or a source includes a
/// file that is not in its package. With `verify`, builds and tests the unpacked crates, which use each other and nothing of the repository.
pub(crate) fn check(verify: bool) -> anyhow::Result<()> {
    let crates = publishable()?;
    let mut package = cargo();
    package.args([
        "package",
        "--workspace",
        "--no-verify",
        "--allow-dirty",
        "--quiet",
    ]);
    checked(&mut package)?;
    let target = target()?;
    let folder = target.join("unpacked");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut faults = Vec::new();
    for Crate { name, version } in &crates {
        let archive = target.join(format!("package/{name}-{version}.crate"));
        // With the time of unpacking (-m). Packages give all files one old time. Cargo would then treat changed sources as those of an earlier
        // build.
        checked(
            Command::new("tar")
                .arg("-xmzf")
                .arg(&archive)
                .arg("-C")
                .arg(&folder),
        )?;
        let unpacked = folder.join(format!("{name}-{version}"));
        let mut sources = Vec::new();
        collect(&unpacked, &mut sources)?;
        for source in sources {
            let text = fs::read_to_string(&source)?;
            for path in included(&text) {
                let included = source.with_file_name("").join(path);
                if !included.exists() {
                    faults.push(format!("{}: no file {path}", source.display()));
                }
            }
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    println!(
        "{} crates packaged, each with all files that it includes",
        crates.len()
    );
    if verify {
        test(&folder, &crates)?;
    }
    Ok(())
}

/// The packages of the workspace that may be published. Fails if one lacks a field.
fn publishable() -> anyhow::Result<Vec<Crate>> {
    let metadata = run::output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let mut found = Vec::new();
    // `publish = false` is an empty list of registries.
    for package in packages
        .iter()
        .filter(|package| package["publish"].is_null())
    {
        let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        let name = text("name");
        for field in FIELDS {
            if text(field).is_empty() {
                bail!("{name}: the manifest has no {field}");
            }
        }
        found.push(Crate {
            version: text("version"),
            name,
        });
    }
    Ok(found)
}

/// Builds and tests the unpacked crates as a workspace of their own.
fn test(folder: &Path, crates: &[Crate]) -> anyhow::Result<()> {
    let mut manifest = String::from(
        "[workspace]\nresolver = \"3\"\nmembers = [\"*-*\"]\n\n[profile.dev]\nopt-level = 1\n\n[patch.crates-io]\n",
    );
    for Crate { name, version } in crates {
        writeln!(manifest, "{name} = {{ path = \"{name}-{version}\" }}")?;
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(run::root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(folder)
        .args(["test", "--workspace", "--quiet", "--target-dir"])
        .arg(target()?.join("unpacked-target"));
    checked(&mut command)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

/// The paths in `#[path = "…"]`, `include_str!("…")` and `include_bytes!("…")`.
fn included(source: &str) -> impl Iterator<Item = &str> {
    // Split, so that this file includes nothing itself.
    let starts = [
        concat!("#[path", " = \""),
        concat!("include_str", "!(\""),
        concat!("include_bytes", "!(\""),
    ];
    starts
        .into_iter()
        .flat_map(|start| source.split(start).skip(1))
        .filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_files_are_found() {
        let source = [
            concat!("#[path", " = \"../a.rs\"]\nmod a;\n"),
            concat!("const B: &str = include_str", "!(\"b.txt\");"),
        ]
        .concat();
        assert_eq!(included(&source).collect::<Vec<_>>(), ["../a.rs", "b.txt"]);
    }
}
