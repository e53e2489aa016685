//! The BLAKE3 digest of a file that several processes read.
//!
//! Each process hashes the cells of its split: subtrees of 512 KiB of the tree of BLAKE3. The values of all cells give the digest of
//! the file.
//!
//! # Limits
//!
//! The file has two cells or more.

use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root,
};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Size of a cell in bytes: a power of two.
pub(crate) const CELL: u64 = 1 << 19;

/// Returns the value of each cell in a byte range that begins at a cell, as hexadecimal digits.
pub(crate) fn cells(file: &File, range: Range<u64>) -> io::Result<Vec<String>> {
    let mut buffer = vec![0; CELL as usize];
    let mut cells = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let length = CELL.min(range.end - at) as usize;
        file.read_exact_at(&mut buffer[..length], at)?;
        let mut hasher = blake3::Hasher::new();
        hasher.set_input_offset(at);
        hasher.update(&buffer[..length]);
        cells.push(
            blake3::Hash::from_bytes(hasher.finalize_non_root())
                .to_hex()
                .to_string(),
        );
        at += length as u64;
    }
    Ok(cells)
}

/// Joins the values of all cells of a file. Returns `None` if a value is not hexadecimal or there are fewer than two.
pub(crate) fn joined<'c>(cells: impl IntoIterator<Item = &'c String>) -> Option<[u8; 32]> {
    let mut stack: Vec<ChainingValue> = Vec::new();
    for (count, cell) in cells.into_iter().enumerate() {
        // The last two subtrees are merged late, because the last merge of the file is that of the root.
        while stack.len() > count.count_ones() as usize {
            let (right, left) = (stack.pop()?, stack.pop()?);
            stack.push(merge_subtrees_non_root(&left, &right, Mode::Hash));
        }
        stack.push(*blake3::Hash::from_hex(cell).ok()?.as_bytes());
    }
    let mut right = stack.pop()?;
    while stack.len() > 1 {
        right = merge_subtrees_non_root(&stack.pop()?, &right, Mode::Hash);
    }
    let root = merge_subtrees_root(&stack.pop()?, &right, Mode::Hash);
    Some(*root.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn cells_give_the_digest_of_the_file() {
        for size in [1, 2, 3, 4, 5, 7, 8, 9, 16, 17].map(|cells| cells * CELL) {
            for size in [size + 1, size + 1024, size + CELL - 1, size + CELL] {
                let bytes: Vec<u8> = (0..size).map(|at| (at * at / 7) as u8).collect();
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(&bytes).unwrap();
                let cut = CELL * (size / CELL / 2);
                let mut all = cells(&file, 0..cut).unwrap();
                all.extend(cells(&file, cut..size).unwrap());
                assert_eq!(
                    joined(&all),
                    Some(*blake3::hash(&bytes).as_bytes()),
                    "{size}"
                );
            }
        }
        assert_eq!(joined([]), None);
        assert_eq!(joined(&["0".repeat(64)]), None);
        assert_eq!(joined(&["x".repeat(64), "0".repeat(64)]), None);
    }
}
