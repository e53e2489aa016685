//! `mailglot charsets`: lists the supported charsets, or the IANA registry with the charset that decodes each entry.
//!
//! # Limits
//!
//! Labels that are repaired by rule (quotes, other separators, slips) are not listed: there is no end to them.

use crate::args::CharsetsArgs;
use crate::exit::{Exit, Failure};
use crate::output::print;
use mailglot_codec::Charset;
use mailglot_codec::iana::{self, Registered};
use serde::Serialize;
use std::fmt::Write;

pub(crate) fn run(args: &CharsetsArgs) -> Result<Exit, Failure> {
    let text = match (args.iana, args.json) {
        (false, false) => table(),
        (false, true) => lines(sorted().into_iter().map(CharsetRow::new)),
        (true, false) => coverage(),
        (true, true) => lines(iana::registry().iter().map(RegistryRow::new)),
    };
    print(text.as_bytes())?;
    Ok(Exit::Done)
}

/// A charset as an object.
#[derive(Serialize)]
struct CharsetRow {
    name: &'static str,
    mib: Option<u16>,
    kind: &'static str,
    description: &'static str,
    /// What mail reads it by.
    superset: Option<&'static str>,
    labels: Vec<&'static str>,
}

impl CharsetRow {
    fn new(charset: Charset) -> Self {
        Self {
            name: charset.name(),
            mib: charset.mib(),
            kind: kind(charset),
            description: charset.description(),
            superset: Some(charset.superset())
                .filter(|other| *other != charset)
                .map(Charset::name),
            labels: charset.labels().collect(),
        }
    }
}

/// An entry of the registry as an object.
#[derive(Serialize)]
struct RegistryRow {
    mib: u16,
    name: &'static str,
    mime: Option<&'static str>,
    aliases: &'static [&'static str],
    decodes_as: Option<&'static str>,
    encodes: bool,
    why_not: Option<&'static str>,
}

impl RegistryRow {
    fn new(entry: &Registered) -> Self {
        let charset = entry.charset();
        Self {
            mib: entry.mib,
            name: entry.name,
            mime: entry.mime,
            aliases: entry.aliases,
            decodes_as: charset.map(Charset::name),
            // Every charset that is read is written, too.
            encodes: charset.is_some(),
            why_not: entry.why_not,
        }
    }
}

fn sorted() -> Vec<Charset> {
    let mut charsets: Vec<_> = Charset::all().collect();
    charsets.sort_by_key(|charset| charset.name().to_ascii_lowercase());
    charsets
}

fn kind(charset: Charset) -> &'static str {
    if charset.is_single_byte() {
        "single-byte"
    } else if charset.is_stateful() {
        "stateful"
    } else {
        "multi-byte"
    }
}

fn lines<T: Serialize>(objects: impl Iterator<Item = T>) -> String {
    // Objects of strings and numbers cannot fail.
    objects
        .filter_map(|object| serde_json::to_string(&object).ok())
        .map(|line| line + "\n")
        .collect()
}

fn table() -> String {
    let known: Vec<CharsetRow> = sorted().into_iter().map(CharsetRow::new).collect();
    let width = known
        .iter()
        .map(|one| one.name.len())
        .max()
        .unwrap_or_default();
    let mut text = String::new();
    for one in &known {
        let mib = one.mib.map_or("-".to_owned(), |mib| mib.to_string());
        let superset = one
            .superset
            .map(|name| format!("; read as {name}"))
            .unwrap_or_default();
        let (name, labels) = (one.name, one.labels.len());
        let _infallible = writeln!(
            text,
            "{name:width$}  {mib:>4}  {:11}  {labels:>3} labels  {}{superset}",
            one.kind, one.description
        );
    }
    // Two entries of the registry may have one charset: GB_2312-80 is GB2312.
    let registered = known.iter().filter(|one| one.mib.is_some()).count();
    let registry = iana::registry();
    let decoded = registry.iter().filter(|entry| entry.charset().is_some());
    let _infallible = writeln!(
        text,
        "{} charsets; {registered} of them decode {} of the {} entries of the IANA registry",
        known.len(),
        decoded.count(),
        registry.len()
    );
    text
}

fn coverage() -> String {
    let entries: Vec<RegistryRow> = iana::registry().iter().map(RegistryRow::new).collect();
    let width = entries
        .iter()
        .map(|entry| entry.name.len())
        .max()
        .unwrap_or_default();
    let mut text = format!("{:>4}  {:width$}  encodes  decodes as\n", "MIB", "name");
    for entry in &entries {
        let encodes = if entry.encodes { "yes" } else { "no" };
        let how = match (entry.decodes_as, entry.why_not) {
            (Some(charset), _) => charset.to_owned(),
            (None, why) => format!("not: {}", why.unwrap_or("unknown")),
        };
        let _infallible = writeln!(
            text,
            "{:>4}  {:width$}  {encodes:7}  {how}",
            entry.mib, entry.name
        );
    }
    let decoded = entries
        .iter()
        .filter(|entry| entry.decodes_as.is_some())
        .count();
    let encoded = entries.iter().filter(|entry| entry.encodes).count();
    let _infallible = writeln!(
        text,
        "{decoded} of {} registered charsets decode, {encoded} encode",
        entries.len()
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_a_line_for_each_and_one_that_counts() {
        assert_eq!(table().lines().count(), Charset::all().count() + 1);
        let coverage = coverage();
        assert_eq!(coverage.lines().count(), 1 + 258 + 1);
        assert!(
            coverage.contains("not: says that the charset is not known (RFC 1428)"),
            "{coverage}"
        );
        assert!(table().contains("; read as windows-1252"));
    }
}
