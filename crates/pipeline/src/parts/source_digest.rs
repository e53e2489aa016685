//! The BLAKE3 digest of a file that several processes read.
//!
//! Each process hashes the cells of its split: subtrees of 512 KiB of the tree of BLAKE3. The values of all cells give the digest of
//! the file.
//!
//! # Limits
//!
//! The file has two cells or more.

use crate::hash::hex;
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
        cells.push(hex(&hasher.finalize_non_root()));
        at += length as u64;
    }
    Ok(cells)
}

/// The values of the first cells of a file, joined as far as they can be.
#[derive(Debug, Default)]
pub(crate) struct JoinedCells {
    count: usize,
    /// The roots of complete subtrees, and the last cell: one more than the count has binary digits at most.
    stack: Vec<ChainingValue>,
}

impl JoinedCells {
    /// Adds the value of the next cell. Returns `None` if it is not hexadecimal.
    pub(crate) fn push(&mut self, cell: &str) -> Option<()> {
        // The last two subtrees are merged late, because the last merge of the file is that of the root.
        while self.stack.len() > self.count.count_ones() as usize {
            let (right, left) = (self.stack.pop()?, self.stack.pop()?);
            self.stack
                .push(merge_subtrees_non_root(&left, &right, Mode::Hash));
        }
        self.stack
            .push(*blake3::Hash::from_hex(cell).ok()?.as_bytes());
        self.count += 1;
        Some(())
    }

    /// Returns the digest of the file. `None` if there are fewer than two cells.
    pub(crate) fn digest(mut self) -> Option<[u8; 32]> {
        let mut right = self.stack.pop()?;
        while self.stack.len() > 1 {
            right = merge_subtrees_non_root(&self.stack.pop()?, &right, Mode::Hash);
        }
        let root = merge_subtrees_root(&self.stack.pop()?, &right, Mode::Hash);
        Some(*root.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn joined(cells: &[String]) -> Option<[u8; 32]> {
        let mut joined = JoinedCells::default();
        for cell in cells {
            joined.push(cell)?;
            // A file of a terabyte has 22.
            assert!(joined.stack.len() <= 6);
        }
        joined.digest()
    }

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
        assert_eq!(joined(&[]), None);
        assert_eq!(joined(&["0".repeat(64)]), None);
        assert_eq!(joined(&["x".repeat(64), "0".repeat(64)]), None);
    }
}
