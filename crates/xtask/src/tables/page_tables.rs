//! Reads and names tables of single-byte charsets.

use anyhow::bail;

/// What each of the 256 bytes means; `-` is undefined.
pub(super) type Table = Vec<String>;

/// Cells by charset, in the order of the answers.
pub(super) type Product = Vec<(String, Table)>;

/// Reads 256 cells.
pub(super) fn table(cells: &str) -> anyhow::Result<Table> {
    let table: Table = cells.split(' ').map(str::to_owned).collect();
    if table.len() != 256 {
        bail!("{} cells, not 256", table.len());
    }
    Ok(table)
}

/// Lines, each with its end.
pub(super) fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.fold(String::new(), |all, line| all + &line + "\n")
}
