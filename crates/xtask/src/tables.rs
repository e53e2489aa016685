//! `cargo xtask tables`: from what converters say to the product's tables of single-byte charsets.
//!
//! `data/oracles/single-byte-answers.tsv` holds the answers of many converters for every byte of every charset, `data/oracles/systems.tsv`
//! their versions and *lineages*. Tables of one lineage come from one another, so that each lineage has one vote:
//!
//! - **RFC 1345**: glibc, the character maps of Debian's `locales`, which glibc is tested against, and GNU recode;
//! - **IBM**: ICU, whose tables are IBM's, and those of its archive that no ICU is built with;
//! - **libiconv**: GNU libiconv, and iconv-lite, whose tables were made with it;
//! - **unicode.org**: Python and Perl, both made from the mapping files of the Unicode consortium;
//! - **Java**; **WHATWG** (`encoding_rs`); and single published tables.
//!
//! A cell of the product's table is what most lineages say. Where they are even, or the majority is wrong, a row of
//! `data/page-exceptions.tsv` decides and says why; a row that changes nothing is an error. The result is
//! `data/tables/pages.tsv`, and [`crate::generated`] makes the code from that.
//!
//! # Limits
//! Lineages that do not know a charset do not vote: 138 of 255 charsets have fewer than three, as the answers show.
//! Of tables of more than one byte only WHATWG's are made here, by asking `encoding_rs` alone; its version is pinned by
//! the workspace.

mod answers;
mod ask;
mod asked;
mod page_tables;
mod vote;
mod web;

use crate::run::{read, root};
use crate::tsv::rows;
use answers::{Answers, System};
use anyhow::{Context, bail};
use page_tables::{Product, lines, table};
use std::fs;
use vote::Exceptions;

const SYSTEMS: &str = "data/oracles/systems.tsv";
const ORACLES: &str = "data/oracles/single-byte-answers.tsv";
const EXCEPTIONS: &str = "data/page-exceptions.tsv";
const PRODUCT: &str = "data/tables/pages.tsv";

/// Makes the product's tables from the stored answers, after asking the installed converters anew if `ask` says so.
pub(crate) fn make(ask: bool) -> anyhow::Result<()> {
    let (mut systems, mut answers) = stored()?;
    if ask {
        answers.renew(&mut systems, &ask::all(&answers)?);
        for (path, table) in web::asked()? {
            write(&path, &table)?;
        }
    }
    let product = voted(&systems, &answers)?;
    write(SYSTEMS, &System::show(&systems, &comments(SYSTEMS)?))?;
    write(ORACLES, &answers.show(&product, &comments(ORACLES)?))?;
    write(PRODUCT, &show(&product, &comments(PRODUCT)?))
}

/// Checks that the product's tables are what the stored answers and the exceptions make of them. Changes nothing.
pub(crate) fn check() -> anyhow::Result<()> {
    let (systems, answers) = stored()?;
    let made = voted(&systems, &answers)?;
    if show(&made, &comments(PRODUCT)?) != read(PRODUCT)? {
        bail!(
            "{PRODUCT} is not what the answers say; run `cargo xtask tables` and commit the result"
        );
    }
    println!("{PRODUCT}: current");
    Ok(())
}

/// Asks the installed converters and compares with the stored answers; another version may answer otherwise.
pub(crate) fn check_oracles() -> anyhow::Result<()> {
    let (systems, stored) = stored()?;
    let asked = ask::all(&stored)?;
    let mut wrong = 0;
    for (path, table) in web::asked()? {
        if table != read(&path)? {
            bail!("{path} is not what encoding_rs says; run `cargo xtask tables --ask`");
        }
        println!("{path}: as encoding_rs says");
    }
    for system in &systems {
        let Some(version) = asked.version(&system.name) else {
            println!("{}: not installed", system.name);
            continue;
        };
        let differing = stored.differing(&asked, &system.name);
        let same = version == system.version;
        println!(
            "{} {version} (stored {}): {} answers differ",
            system.name,
            system.version,
            differing.len()
        );
        if same && !differing.is_empty() {
            println!("  {}", differing.join(" "));
            wrong += differing.len();
        }
    }
    if wrong > 0 {
        bail!(
            "{wrong} tables differ from what the same version said; run `cargo xtask tables --ask`"
        );
    }
    Ok(())
}

/// Reads the systems and their answers.
fn stored() -> anyhow::Result<(Vec<System>, Answers)> {
    let systems = System::parse(&read(SYSTEMS)?)?;
    Ok((systems, Answers::parse(&read(ORACLES)?, &product()?)?))
}

/// Makes the product's tables from the answers and the exceptions.
fn voted(systems: &[System], answers: &Answers) -> anyhow::Result<Product> {
    let mut exceptions = Exceptions::parse(&read(EXCEPTIONS)?)?;
    vote::product(answers, systems, &mut exceptions)
}

fn product() -> anyhow::Result<Product> {
    rows(&read(PRODUCT)?)
        .map(|row| match row[..] {
            [name, cells] => Ok((name.to_owned(), table(cells)?)),
            _ => bail!("not two columns: {row:?}"),
        })
        .collect()
}

fn show(product: &Product, comments: &str) -> String {
    comments.to_owned()
        + &lines(
            product
                .iter()
                .map(|(name, table)| format!("{name}\t{}", table.join(" "))),
        )
}

fn comments(path: &str) -> anyhow::Result<String> {
    Ok(lines(
        read(path)?
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(str::to_owned),
    ))
}

fn write(path: &str, text: &str) -> anyhow::Result<()> {
    fs::write(root().join(path), text).with_context(|| path.to_owned())?;
    println!("{path}: written");
    Ok(())
}
