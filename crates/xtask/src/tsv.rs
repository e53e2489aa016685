//! Reads tables with tabs between their columns.

/// The rows of a table with tabs between its columns; `#` begins a comment line.
pub(crate) fn rows(tsv: &str) -> impl Iterator<Item = Vec<&str>> {
    tsv.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split('\t').collect())
}
