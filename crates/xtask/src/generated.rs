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
use crate::run::{cargo, checked, output, read, root, target};
use anyhow::{Context, bail};
use std::fs;
use std::process::Command;

/// Makes the text of a source file from the text of a data file.
type MakeSource = fn(&str) -> anyhow::Result<String>;

/// The crate and the name of each source file: `data/NAME.tsv` gives `crates/CRATE/src/generated/NAME.rs`.
const SOURCES: &[(&str, &str, MakeSource)] = &[
    ("codec", "charsets", charsets::source),
    ("codec", "code_pages", code_pages::source),
    ("mime", "header_fields", header_fields::source),
    ("mime", "html_entities", html_entities::source),
    ("codec", "iana", iana::source),
    ("codec", "labels", labels::source),
    ("codec", "sequences", sequences::source),
    ("codec", "languages", languages::source),
    ("codec", "mail_repertoire", mail_repertoire::source),
    ("codec", "translit", translit::source),
];

/// Writes every generated file anew.
pub(crate) fn write() -> anyhow::Result<()> {
    let write = |source: &str, made: Vec<u8>| -> anyhow::Result<()> {
        fs::write(root().join(source), made)?;
        println!("{source}: written");
        Ok(())
    };
    for (source, made) in made()? {
        write(&source, made)?;
    }
    // The codec is built with the files that were just written.
    write(DETECT_PAGES, detect_pages()?)
}

/// Compares what every generator makes with what is committed. Changes nothing.
pub(crate) fn check() -> anyhow::Result<()> {
    let mut all = made()?;
    all.push((DETECT_PAGES.to_owned(), detect_pages()?));
    for (source, made) in all {
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

/// Returns path and content of every generated file, except `DETECT_PAGES`, which needs the built codec.
fn made() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    for (package, name, make) in SOURCES {
        let data = format!("data/{name}.tsv");
        let made = make(&read(&data)?).with_context(|| data)?;
        let source = format!("crates/{package}/src/generated/{name}.rs");
        all.push((source, made.into_bytes()));
    }
    let made = pages::made(&pages::Tables {
        charsets: &read("data/charsets.tsv")?,
        pages: &read("data/tables/pages.tsv")?,
        web: &read("data/tables/web/pages.tsv")?,
    })?;
    all.extend(grids::all()?);
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
