//! Holds what the installed converters answered.

use super::page_tables::Table;
use std::collections::HashMap;

/// The versions of the converters that are installed, and their tables by system and own name.
#[derive(Default)]
pub(super) struct ConverterTables {
    versions: HashMap<String, String>,
    tables: HashMap<(String, String), Table>,
}

impl ConverterTables {
    pub(super) fn version(&self, system: &str) -> Option<&str> {
        self.versions.get(system).map(String::as_str)
    }

    pub(super) fn table(&self, system: &str, own: &str) -> Option<&Table> {
        self.tables.get(&(system.to_owned(), own.to_owned()))
    }

    pub(super) fn add_version(&mut self, system: &str, version: &str) {
        self.versions.insert(system.to_owned(), version.to_owned());
    }

    pub(super) fn add_table(&mut self, system: &str, own: &str, table: Table) {
        self.tables
            .insert((system.to_owned(), own.to_owned()), table);
    }
}
