//! Walks the tree of a file: the places of all message infos, in order.
//!
//! ```text
//! own offset (4)   unused (4)   child (4)   parent (4)   number of the node (1)   entries (1)   unused (2)   values below child (4)
//! entries of 12 bytes: message info, child, values below child
//! ```
//!
//! The messages below the child of a node precede its own; those below the child of an entry follow the entry.
//!
//! # Limits
//! A node is read once, and the tree is at most 64 nodes deep.

use std::collections::HashSet;
use std::io;

use super::defect::damaged;
use super::numbers::number;
use crate::box_event::{BoxEvent, DbxDefect};
use crate::file_range::FileRange;

/// Bytes of a node.
const NODE: u64 = 0x27c;
/// Bytes before the entries.
const HEAD: usize = 0x18;
/// Bytes of an entry.
const ENTRY: usize = 12;
/// Largest number of nodes above each other.
const DEEPEST: usize = 64;

/// A walk through a tree.
pub(super) struct NodeWalk {
    root: Option<u32>,
    /// The nodes from the root to the current one.
    open: Vec<TreeNode>,
    /// The nodes that were read.
    seen: HashSet<u32>,
    /// Largest number of nodes that the file has room for.
    most: u64,
}

/// A node that is being read.
struct TreeNode {
    /// The message infos and the children that follow.
    rest: std::vec::IntoIter<Step>,
}

/// What a node leads to.
enum Step {
    Child(u32),
    Info(u32),
}

impl NodeWalk {
    /// Begins at a root. 0 is an empty tree.
    pub(super) fn new(root: u32, size: u64) -> Self {
        Self {
            root: (root != 0).then_some(root),
            open: Vec::new(),
            seen: HashSet::new(),
            // The last one may be cut off.
            most: size / NODE + 1,
        }
    }

    /// Returns the place of the next message info.
    pub(super) fn next(
        &mut self,
        file: &FileRange,
        events: &mut Vec<BoxEvent>,
    ) -> io::Result<Option<u32>> {
        if let Some(root) = self.root.take() {
            self.enter(root, file, events)?;
        }
        while let Some(node) = self.open.last_mut() {
            match node.rest.next() {
                None => {
                    self.open.pop();
                }
                Some(Step::Info(place)) => return Ok(Some(place)),
                Some(Step::Child(place)) => self.enter(place, file, events)?,
            }
        }
        Ok(None)
    }

    /// Opens a node, or reports its defect.
    fn enter(
        &mut self,
        place: u32,
        file: &FileRange,
        events: &mut Vec<BoxEvent>,
    ) -> io::Result<()> {
        let is_again = self.seen.contains(&place);
        if is_again || self.open.len() >= DEEPEST || self.seen.len() as u64 >= self.most {
            events.push(damaged(place, DbxDefect::NodeAgain));
            return Ok(());
        }
        match TreeNode::read(file, place)? {
            Some(node) => {
                self.seen.insert(place);
                self.open.push(node);
            }
            None => events.push(damaged(place, DbxDefect::Node)),
        }
        Ok(())
    }
}

impl TreeNode {
    /// Reads a node. Returns `None` if no node starts at the offset.
    fn read(file: &FileRange, place: u32) -> io::Result<Option<Self>> {
        let mut bytes = vec![0; NODE as usize];
        let filled = file.read_at(u64::from(place), &mut bytes)?;
        bytes.truncate(filled);
        if filled < HEAD || number(&bytes, 0) != place {
            return Ok(None);
        }
        let mut steps = Vec::new();
        let child = |place: u32, below: u32, steps: &mut Vec<Step>| {
            if place != 0 && below != 0 {
                steps.push(Step::Child(place));
            }
        };
        child(number(&bytes, 8), number(&bytes, 0x14), &mut steps);
        let count = usize::from(bytes[0x11]);
        if HEAD + count * ENTRY > filled {
            return Ok(None);
        }
        for entry in bytes[HEAD..HEAD + count * ENTRY].chunks_exact(ENTRY) {
            steps.push(Step::Info(number(entry, 0)));
            child(number(entry, 4), number(entry, 8), &mut steps);
        }
        Ok(Some(Self {
            rest: steps.into_iter(),
        }))
    }
}
