//! Decides where batches begin, by the offsets of messages alone.
//!
//! A file consists of cells of equal size. A batch has the messages whose separators start in one cell. So a reader may begin at
//! the first message of a cell. It returns the same batches as one that begins at the start of the file.
//!
//! # Limits
//! A batch is as large as a cell, plus its last message.

/// The cells of a file, and the position of the reader in them.
pub(super) struct BatchCells {
    /// Size of a cell in bytes.
    size: u64,
    /// Offset of the last message or piece.
    last: u64,
    /// Offset of the last message.
    message: u64,
}

impl BatchCells {
    /// Creates cells of `size` bytes.
    pub(super) fn new(size: usize) -> Self {
        Self {
            size: size.max(1) as u64,
            last: 0,
            message: 0,
        }
    }

    /// Returns true if the entry at `next` begins a batch. A message begins one if it is in another cell than the message before. A
    /// piece begins one if it is in another cell than the piece before.
    pub(super) fn enter(&mut self, next: u64, is_piece: bool) -> bool {
        let cell = |at: u64| at / self.size;
        let before = if is_piece { self.last } else { self.message };
        let begins = cell(before) != cell(next);
        self.last = next;
        if !is_piece {
            self.message = next;
        }
        begins
    }
}
