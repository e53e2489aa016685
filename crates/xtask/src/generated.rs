//! Source files made from `data/`: written by `cargo xtask generate`, compared by `cargo xtask check-generated`.
//!
//! # Limits
//! The data files are taken as well-formed but for the number of their columns.

mod charsets;
mod code_pages;
mod constant_name;
mod grids;
mod header_fields;
mod html_entities;
mod iana;
mod labels;
mod languages;
mod mail_repertoire;
mod pages;
mod pairs;
mod sequences;
mod translit;

use crate::models;
use crate::run::{cargo, checked, output, root, target};
use anyhow::{Context, bail};
use std::fs;
use std::process::Command;

/// A generator makes the text of a source file from the text of a data file.
struct Generator {
    data: &'static str,
    source: &'static str,
    make: fn(&str) -> anyhow::Result<String>,
}

const GENERATORS: &[Generator] = &[
    Generator {
        data: "data/charsets.tsv",
        source: "crates/codec/src/generated/charsets.rs",
        make: charsets::source,
    },
    Generator {
        data: "data/code_pages.tsv",
        source: "crates/codec/src/generated/code_pages.rs",
        make: code_pages::source,
    },
    Generator {
        data: "data/header_fields.tsv",
        source: "crates/mime/src/generated/header_fields.rs",
        make: header_fields::source,
    },
    Generator {
        data: "data/html_entities.tsv",
        source: "crates/mime/src/generated/html_entities.rs",
        make: html_entities::source,
    },
    Generator {
        data: "data/iana.tsv",
        source: "crates/codec/src/generated/iana.rs",
        make: iana::source,
    },
    Generator {
        data: "data/labels.tsv",
        source: "crates/codec/src/generated/labels.rs",
        make: labels::source,
    },
    Generator {
        data: "data/sequences.tsv",
        source: "crates/codec/src/generated/sequences.rs",
        make: sequences::source,
    },
    Generator {
        data: "data/languages.tsv",
        source: "crates/codec/src/generated/languages.rs",
        make: languages::source,
    },
    Generator {
        data: "data/mail_repertoire.tsv",
        source: "crates/codec/src/generated/mail_repertoire.rs",
        make: mail_repertoire::source,
    },
    Generator {
        data: "data/translit.tsv",
        source: "crates/codec/src/generated/translit.rs",
        make: translit::source,
    },
];

/// Writes every generated file anew.
pub(crate) fn write() -> anyhow::Result<()> {
    for generator in GENERATORS {
        fs::write(root().join(generator.source), generator.made()?)?;
        println!("{}: written", generator.source);
    }
    for (source, made) in packed()? {
        fs::write(root().join(&source), made)?;
        println!("{source}: written");
    }
    fs::write(root().join(DETECT_PAGES), detect_pages()?)?;
    println!("{DETECT_PAGES}: written");
    Ok(())
}

/// Compares what every generator makes with what is committed. Changes nothing.
pub(crate) fn check() -> anyhow::Result<()> {
    for generator in GENERATORS {
        let committed = fs::read_to_string(root().join(generator.source))
            .with_context(|| generator.source.to_owned())?;
        if generator.made()? != committed {
            bail!(
                "{} is not current; run `cargo xtask generate` and commit the result",
                generator.source
            );
        }
        println!("{}: current", generator.source);
    }
    let mut packed = packed()?;
    packed.push((DETECT_PAGES.to_owned(), detect_pages()?));
    for (source, made) in packed {
        let committed = fs::read(root().join(&source)).with_context(|| source.clone())?;
        if made != committed {
            bail!("{source} is not current; run `cargo xtask generate` and commit the result");
        }
        println!("{source}: current");
    }
    Ok(())
}

/// What detection knows of each byte of each charset. The codec itself makes it, from its other tables.
const DETECT_PAGES: &str = "crates/codec/src/generated/detect-pages.bin";

fn detect_pages() -> anyhow::Result<Vec<u8>> {
    // With the features of the whole workspace, so that the tests use the same build of the codec.
    let build = [
        "build",
        "--quiet",
        "--workspace",
        "--example",
        "detect_pages",
    ];
    checked(cargo().args(build))?;
    output(&mut Command::new(
        target()?.join("debug/examples/detect_pages"),
    ))
}

/// The files that are made from more than one file of data, or are no text.
fn packed() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let read = |path: &str| fs::read_to_string(root().join(path)).with_context(|| path.to_owned());
    let made = pages::made(&pages::Tables {
        charsets: &read("data/charsets.tsv")?,
        pages: &read("data/tables/pages.tsv")?,
        web: &read("data/tables/web/pages.tsv")?,
    })?;
    let mut all = grids::all()?;
    all.extend(pairs::all()?);
    for (name, bytes) in [
        ("pages.rs", made.source.into_bytes()),
        ("pages.bin", made.pages),
        ("web-pages.bin", made.web),
    ] {
        all.push((format!("crates/codec/src/generated/{name}"), bytes));
    }
    all.push(models::packed()?);
    Ok(all)
}

impl Generator {
    fn made(&self) -> anyhow::Result<String> {
        let data =
            fs::read_to_string(root().join(self.data)).with_context(|| self.data.to_owned())?;
        (self.make)(&data).with_context(|| self.data.to_owned())
    }
}
