//! Which crate may use which (ARCHITECTURE.md, "Crates and arrows").

use crate::run;
use anyhow::{Context, bail};
use serde_json::Value;

/// What a crate may depend on, dev-dependencies aside.
struct Rule {
    package: &'static str,
    /// Crates of this workspace.
    ours: &'static [&'static str],
    /// Crates of others.
    others: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule {
        package: "mailglot-kernel",
        ours: &[],
        others: &["memchr", "simdutf8"],
    },
    Rule {
        package: "mailglot-codec",
        ours: &["mailglot-kernel"],
        others: &["chardetng", "encoding_rs", "memchr", "simdutf8"],
    },
    Rule {
        package: "mailglot-mime",
        ours: &["mailglot-codec", "mailglot-kernel"],
        others: &["base64", "memchr", "nom", "unicode-segmentation"],
    },
    Rule {
        package: "mailglot-archive",
        ours: &[],
        others: &[
            "blake3",
            "bzip2",
            "flate2",
            "lzma-rust2",
            "memchr",
            "nom",
            "rustix",
            "zstd",
        ],
    },
    Rule {
        package: "mailglot-pipeline",
        // Of codec, names (labels in reports and options); of the kernel, text inside JSON strings.
        ours: &[
            "mailglot-archive",
            "mailglot-codec",
            "mailglot-kernel",
            "mailglot-mime",
        ],
        // mail-parser and quoted_printable are the second reader of `--verify`. Only code of others is independent of mime.
        others: &[
            "blake3",
            "mail-parser",
            "memchr",
            "quoted_printable",
            "serde",
            "serde_json",
            "xxhash-rust",
        ],
    },
    Rule {
        package: "mailglot-gateway",
        // Of codec, names only: labels in findings.
        ours: &["mailglot-archive", "mailglot-codec", "mailglot-mime"],
        others: &[
            "memchr",
            "prometheus-client",
            "rustix",
            "serde",
            "sha2",
            "smtp-proto",
            "tempfile",
            "toml",
        ],
    },
    Rule {
        package: "mailglot",
        ours: &[
            "mailglot-archive",
            "mailglot-codec",
            "mailglot-gateway",
            "mailglot-mime",
            "mailglot-pipeline",
        ],
        others: &[
            "anyhow",
            "base64",
            "clap",
            "clap_complete",
            "clap_mangen",
            "indicatif",
            "listenfd",
            "memchr",
            "sd-notify",
            "serde",
            "serde_json",
            "signal-hook",
        ],
    },
    // xtask starts programs and links none of them.
    Rule {
        package: "xtask",
        ours: &[],
        others: &["anyhow", "clap", "serde_json"],
    },
];

/// Sees everything, rivals too; nothing may depend on it.
const UNCHECKED: &str = "mailglot-tests";

/// Checks the dependencies that each manifest names; fails with every arrow that must not be.
pub(crate) fn check() -> anyhow::Result<()> {
    let metadata =
        run::output(run::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let wrong = packages.iter().flat_map(faults).collect::<Vec<_>>();
    for fault in &wrong {
        println!("{fault}");
    }
    if !wrong.is_empty() {
        bail!(
            "{} forbidden arrow(s); the table is in ARCHITECTURE.md",
            wrong.len()
        );
    }
    println!("arrows: {} packages, all as drawn", packages.len());
    Ok(())
}

fn faults(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    if name == UNCHECKED {
        return Vec::new();
    }
    let Some(rule) = RULES.iter().find(|rule| rule.package == name) else {
        return vec![format!(
            "{name}: no rule says what it may use; add one to crates/xtask/src/arrows.rs"
        )];
    };
    let dependencies = package["dependencies"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    dependencies
        .iter()
        .filter_map(|dependency| {
            let used = dependency["name"].as_str()?;
            let kind = dependency["kind"].as_str().unwrap_or("normal");
            let ours = used == "mailglot" || used.starts_with("mailglot-") || used == "xtask";
            let allowed = match kind {
                // Tests of a crate may use any oracle, but no crate of ours that stands above it.
                "dev" => !ours || rule.ours.contains(&used),
                "normal" => rule.ours.contains(&used) || rule.others.contains(&used),
                // There are no build scripts.
                _ => false,
            };
            (!allowed).then(|| format!("{name} -> {used} ({kind}): this arrow must not be"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn forbidden_arrows_are_named() {
        let package = json!({"name": "mailglot-archive", "dependencies": [
            {"name": "memchr", "kind": null},
            {"name": "mailglot-mime", "kind": null},
            {"name": "tempfile", "kind": "dev"},
            {"name": "mailglot-mime", "kind": "dev"},
            {"name": "cc", "kind": "build"},
        ]});
        assert_eq!(
            faults(&package),
            [
                "mailglot-archive -> mailglot-mime (normal): this arrow must not be",
                "mailglot-archive -> mailglot-mime (dev): this arrow must not be",
                "mailglot-archive -> cc (build): this arrow must not be",
            ]
        );
    }

    #[test]
    fn a_new_crate_needs_a_rule() {
        assert_eq!(
            faults(&json!({"name": "mailglot-new", "dependencies": []})).len(),
            1
        );
    }
}
