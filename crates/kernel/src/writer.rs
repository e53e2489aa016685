//! Appends to a text by stores of fixed length that may write beyond the character.
//!
//! This file has the argument for the soundness of the crate. A [`Writer`] owns the text while it lives. It writes only
//! into the room behind the text's end, and moves the end only over whole characters. So the text is always valid UTF-8,
//! and all bytes before its end have been written.
//!
//! # Limits
//! None.

use super::packed::Packed;

/// A text that is being appended to.
pub(super) struct Writer<'t> {
    bytes: &'t mut Vec<u8>,
    /// Kept beside the vector, so that no store forces its header to be read again.
    start: *mut u8,
    len: usize,
    capacity: usize,
}

impl<'t> Writer<'t> {
    #[inline]
    pub(super) fn new(text: &'t mut String) -> Self {
        // SAFETY: the bytes are valid UTF-8 again whenever `set_len` is called: `store` moves `len` over whole characters only.
        let bytes = unsafe { text.as_mut_vec() };
        Self {
            start: bytes.as_mut_ptr(),
            len: bytes.len(),
            capacity: bytes.capacity(),
            bytes,
        }
    }

    /// The length of the text in bytes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Removes everything stored since the text was `len` bytes long.
    ///
    /// # Safety
    /// The text had this length at some time since the writer was made.
    #[inline]
    pub(super) unsafe fn rewind(&mut self, len: usize) {
        debug_assert!(len <= self.len);
        self.len = len;
    }

    /// Returns the number of bytes that can be stored without reserving.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.capacity - self.len
    }

    /// Reserves room for `more` bytes.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "a call would move the writer out of registers, which costs a third"
    )]
    pub(super) fn reserve(&mut self, more: usize) {
        if self.room() < more {
            // SAFETY: as in `drop`.
            (self.start, self.capacity) = unsafe { grow(self.bytes, self.len, more) };
        }
    }

    /// Writes a character; there must be room for four bytes.
    ///
    /// # Safety
    /// `room()` is at least 4.
    #[inline]
    pub(super) unsafe fn put(&mut self, packed: Packed) {
        // SAFETY: the caller's; a packed character is made of a character only.
        unsafe { self.store(packed.bytes(), packed.utf8_len()) }
    }

    /// Writes a character of the basic plane. Writes nothing for [`Packed::NONE`].
    ///
    /// # Safety
    /// `room()` is at least 4, and [`Packed::is_basic`] or [`Packed::is_none`] holds.
    #[inline]
    pub(super) unsafe fn put_basic(&mut self, packed: Packed) {
        let bytes = packed.bytes();
        // SAFETY: the caller's; the last byte of a packed character of the basic plane is its length, and 0 for none.
        unsafe { self.store(bytes, usize::from(bytes[3])) }
    }

    /// Stores bytes at the end, and keeps the first `keep` of them.
    ///
    /// # Safety
    /// `room()` is at least `N`, `keep` at most `N`, and the bytes kept are whole characters in UTF-8.
    #[inline]
    pub(super) unsafe fn store<const N: usize>(&mut self, bytes: [u8; N], keep: usize) {
        debug_assert!(self.room() >= N && keep <= N && std::str::from_utf8(&bytes[..keep]).is_ok());
        // SAFETY: `len + N` is within the capacity, so the target is inside the allocation; an array has no alignment.
        unsafe { self.start.add(self.len).cast::<[u8; N]>().write(bytes) };
        self.len += keep;
    }

    /// Stores bytes `at` bytes behind the end, without moving the end.
    ///
    /// # Safety
    /// `room()` is at least `at + N`.
    #[inline]
    pub(super) unsafe fn place<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        debug_assert!(self.room() >= at + N);
        // SAFETY: the caller's, so that the target is inside the allocation; an array has no alignment.
        unsafe { self.start.add(self.len + at).cast::<[u8; N]>().write(bytes) };
    }

    /// Moves the end.
    ///
    /// # Safety
    /// That many bytes behind it were stored, and they are whole characters in UTF-8.
    #[inline]
    pub(super) unsafe fn keep(&mut self, len: usize) {
        debug_assert!(self.room() >= len);
        self.len += len;
    }

    /// Stores the first `len` bytes at the end.
    ///
    /// # Safety
    /// The bytes are whole characters in UTF-8.
    #[inline(always)]
    pub(super) unsafe fn append_from(&mut self, bytes: &[u8], len: usize) {
        const STEP: usize = 128;
        let mut done = 0;
        // Most are short: one copy of constant length is faster than choosing the best length.
        while done < len {
            let rest = &bytes[done..];
            let kept = (len - done).min(STEP);
            self.reserve(STEP);
            if let Some(block) = rest.first_chunk::<STEP>() {
                // SAFETY: there is room, and the caller's.
                unsafe { self.store(*block, kept) };
            } else {
                // SAFETY: there is room behind the end, and the caller's.
                unsafe { copy(&rest[..kept], self.start.add(self.len)) };
                self.len += kept;
            }
            done += kept;
        }
    }
}

impl Drop for Writer<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `len` is at most the capacity, and all bytes before it were written by `store` or were there before.
        unsafe { self.bytes.set_len(self.len) }
    }
}

impl Packed {
    /// Appends the character to `text`; nothing for no character or a number.
    #[inline]
    pub fn append_to(self, text: &mut String) {
        let mut out = Writer::new(text);
        out.reserve(4);
        // SAFETY: there is room for four bytes.
        unsafe { out.put(self) }
    }
}

/// # Safety
/// `len` is at most the capacity, and all bytes before it were written and are whole characters.
#[cold]
#[inline(never)]
unsafe fn grow(bytes: &mut Vec<u8>, len: usize, more: usize) -> (*mut u8, usize) {
    // SAFETY: the caller's.
    unsafe { bytes.set_len(len) };
    bytes.reserve(more);
    (bytes.as_mut_ptr(), bytes.capacity())
}

/// # Safety
/// There is room for the bytes at `to`, and nothing else has it.
#[cold]
#[inline(never)]
unsafe fn copy(bytes: &[u8], to: *mut u8) {
    // SAFETY: the caller's.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_characters_in_a_row_from_any_length_and_room() {
        for before in 0..9 {
            let mut text = "x".repeat(before);
            let all: String = text.chars().chain('\0'..=char::MAX).collect();
            ('\0'..=char::MAX).for_each(|c| Packed::new(c).append_to(&mut text));
            Packed::NONE.append_to(&mut text);
            assert!(text == all);
        }
    }
}
