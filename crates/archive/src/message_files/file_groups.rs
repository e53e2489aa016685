//! Keeps groups of files that other threads read, in the order of the folder.
//!
//! # Limits
//! The bytes of a group are in memory until the reader of the folder has passed all of its files.

use std::collections::VecDeque;
use std::ops::Range;

use crate::files_ahead::{FileAhead, ReadFiles};
use crate::folder_range::ENTRY_WEIGHT;

/// The groups of files between the threads that read them and the reader of the folder.
#[derive(Default)]
pub(super) struct FileGroups {
    groups: VecDeque<Group>,
    /// The files from this index of the work of the folder on are in groups.
    pub(super) taken: usize,
    /// Number of the next group.
    next: u64,
    /// Weight of a file of the last group.
    pub(super) usual: u64,
    /// Buffers to reuse.
    spare: Vec<Vec<u8>>,
}

/// A group of files that were taken together.
struct Group {
    number: u64,
    /// Number of files that the reader has not reached.
    left: usize,
    /// None while another thread reads them.
    read: Option<ReadFiles>,
    /// Weight of the files that the reader has not reached. 0 while another thread reads them.
    weight: u64,
}

impl FileGroups {
    /// Notes that the folder lists `items` entries. No thread has taken one of them yet.
    pub(super) fn listed(&mut self, items: usize) {
        self.taken = items;
    }

    /// Notes that the last item of the work of the folder, at `index`, was removed. Returns its result if it is a file that was
    /// read.
    ///
    /// The group of a file that is still being read goes on without it.
    pub(super) fn reach(&mut self, index: usize, is_file: bool) -> Option<FileAhead> {
        self.drop_passed();
        let is_taken = index >= self.taken;
        self.taken = self.taken.min(index);
        if !is_taken || !is_file {
            return None;
        }
        let group = self.groups.front_mut()?;
        group.left = group.left.saturating_sub(1);
        let file = group.read.as_mut()?.files.pop_front()?;
        group.weight = group.weight.saturating_sub(weight(&file));
        Some(file)
    }

    /// Returns the bytes of a file that the reader has just reached.
    pub(super) fn bytes(&self, range: Range<usize>) -> &[u8] {
        let group = self.groups.front().and_then(|group| group.read.as_ref());
        group.map(|read| &read.bytes[range]).unwrap_or_default()
    }

    /// Removes the groups that the reader has passed.
    pub(super) fn drop_passed(&mut self) {
        while self.groups.front().is_some_and(|group| group.left == 0) {
            if let Some(read) = self.groups.pop_front().and_then(|group| group.read) {
                self.spare.push(read.bytes);
            }
        }
    }

    /// Adds a group of files, and returns its number and a buffer for its bytes.
    pub(super) fn add(&mut self, files: usize) -> (u64, Vec<u8>) {
        let number = self.next;
        self.next += 1;
        self.groups.push_back(Group {
            number,
            left: files,
            read: None,
            weight: 0,
        });
        (number, self.spare.pop().unwrap_or_default())
    }

    /// Adds the bytes of a group that was read. The reader may have passed some of its files.
    pub(super) fn give(&mut self, mut files: ReadFiles) {
        let number = files.number;
        let Some(group) = self.groups.iter_mut().find(|group| group.number == number) else {
            return;
        };
        let passed = files.files.len().saturating_sub(group.left);
        files.files.drain(..passed);
        group.weight = files.files.iter().map(weight).sum();
        self.usual = group.weight / group.left.max(1) as u64;
        group.read = Some(files);
    }

    /// Returns the weight of the files that were read, up to the first group that is not.
    pub(super) fn ready(&self) -> u64 {
        let read = self.groups.iter().take_while(|group| group.read.is_some());
        read.map(|group| group.weight).sum()
    }

    /// Returns the weight of all files that were read.
    pub(super) fn weight(&self) -> u64 {
        self.groups.iter().map(|group| group.weight).sum()
    }

    /// Returns true if a thread reads files.
    pub(super) fn is_waiting(&self) -> bool {
        self.groups.iter().any(|group| group.read.is_none())
    }
}

fn weight(file: &FileAhead) -> u64 {
    file.size() + ENTRY_WEIGHT
}
