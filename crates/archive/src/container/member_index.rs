//! The members of a container as a tree of folders and files.
//!
//! # Limits
//! At most a million members and folders in a container on a disk and all containers in it. They take about 400 bytes each. A member
//! that is named like an earlier one gets a number.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::member_names::{clean_path, numbered};
use super::member_place::MemberPlace;
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, NameDefect, SkipReason};
use crate::expansion::{ExpansionBudget, MOST_MEMBERS};
use crate::packing::Packing;

/// Largest number of events about members of one container.
pub(crate) const MOST_EVENTS: usize = 10_000;

/// A member, or a folder around members.
#[derive(Debug)]
pub(crate) enum Node {
    Folder(BTreeMap<Box<[u8]>, u32>),
    File(MemberPlace),
    /// A symbolic or hard link.
    Link,
    /// A device or a pipe.
    Special,
}

impl Node {
    pub(super) fn folder() -> Self {
        Self::Folder(BTreeMap::new())
    }
}

/// The tree of members.
#[derive(Debug)]
pub(super) struct MemberIndex {
    /// The first is the container itself.
    nodes: Vec<Node>,
    /// Counts the others.
    budget: Arc<ExpansionBudget>,
}

impl Drop for MemberIndex {
    fn drop(&mut self) {
        self.budget.forget_members(self.nodes.len() as u64 - 1);
    }
}

impl MemberIndex {
    /// Starts without members.
    pub(super) fn new(budget: Arc<ExpansionBudget>) -> Self {
        let nodes = vec![Node::folder()];
        Self { nodes, budget }
    }

    /// Returns the node at a path below the container.
    pub(super) fn find(&self, path: &[u8]) -> Option<&Node> {
        let mut at = 0;
        for name in path
            .split(|&byte| byte == b'/')
            .filter(|name| !name.is_empty())
        {
            let Node::Folder(children) = &self.nodes[at] else {
                return None;
            };
            at = *children.get(name)? as usize;
        }
        Some(&self.nodes[at])
    }

    /// Returns names and nodes in a folder, in the order of the names.
    pub(super) fn children<'a>(
        &'a self,
        folder: &'a Node,
    ) -> impl Iterator<Item = (&'a [u8], &'a Node)> {
        let children = match folder {
            Node::Folder(children) => Some(children),
            _ => None,
        };
        let children = children.into_iter().flatten();
        children.map(|(name, at)| (&**name, &self.nodes[*at as usize]))
    }
}

/// A folder and a name in it.
type NameInFolder = (u32, Box<[u8]>);

/// Collects members and events while a container is listed.
pub(super) struct MemberIndexBuilder {
    index: MemberIndex,
    pub(super) packing: Packing,
    /// Prefix of names in events.
    prefix: Vec<u8>,
    /// Number of the last member that is named like one before.
    last_numbers: HashMap<NameInFolder, u64>,
    /// Name and node of each folder that got a number.
    numbered_folders: HashMap<NameInFolder, (Vec<u8>, u32)>,
    events: Vec<BoxEvent>,
    /// Stored bytes of all members.
    occupied: u64,
    is_full: bool,
}

impl MemberIndexBuilder {
    /// Starts without members. `prefix` is the path that names in events begin with.
    pub(super) fn new(packing: Packing, prefix: &[u8], budget: Arc<ExpansionBudget>) -> Self {
        Self {
            index: MemberIndex::new(budget),
            packing,
            prefix: prefix.to_vec(),
            last_numbers: HashMap::new(),
            numbered_folders: HashMap::new(),
            events: Vec::new(),
            occupied: 0,
            is_full: false,
        }
    }

    /// Forgets all members and events, to list the container again.
    pub(super) fn start_again(&mut self) {
        let budget = self.index.budget.clone();
        *self = Self::new(self.packing, &self.prefix, budget);
    }

    /// Returns the members and the events.
    pub(super) fn finish(self) -> (MemberIndex, Vec<BoxEvent>) {
        (self.index, self.events)
    }

    /// Counts stored bytes of a member. Returns false if the members have more of them than the container of `size` bytes.
    pub(super) fn occupy(&mut self, stored: u64, size: u64) -> bool {
        let occupied = self.occupied.saturating_add(stored);
        if occupied > size {
            return false;
        }
        self.occupied = occupied;
        true
    }

    /// Returns true if no member is accepted any more.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Adds a member whose header is at offset `header`.
    pub(super) fn add(&mut self, header: u64, name: &[u8], node: Node) {
        let (mut path, mut defect) = clean_path(name);
        if path.is_empty() {
            if matches!(node, Node::Folder(_)) {
                return;
            }
            path = b"_".to_vec();
            defect = defect.or(Some(NameDefect::Empty));
        }
        let Some(placed) = self.insert(&path, node) else {
            if !self.is_full {
                self.is_full = true;
                let detail = BoxDetail::MemberLimit(MOST_MEMBERS);
                let event = BoxEvent::new(BoxEventKind::MemberLimit, header, detail);
                self.events.push(event);
            }
            return;
        };
        if placed != path {
            defect = defect.or(Some(NameDefect::Duplicate));
        }
        if let Some(defect) = defect {
            let detail = BoxDetail::RenamedMember {
                stored: name.escape_ascii().to_string(),
                name: self.shown(&placed),
                defect,
            };
            self.event(BoxEventKind::MemberName, header, detail);
        }
    }

    /// Adds another name of an earlier member.
    pub(super) fn add_hard_link(&mut self, header: u64, name: &[u8], target: &[u8]) {
        let (path, _) = clean_path(target);
        let (kind, reason) = match self.index.find(&path) {
            Some(Node::Link) => return self.add(header, name, Node::Link),
            Some(Node::Special) => return self.add(header, name, Node::Special),
            Some(Node::File(place)) => {
                let place = place.clone();
                let mut meter = self.index.budget.meter((&self.prefix, header));
                if meter.count(place.size()) {
                    return self.add(header, name, Node::File(place));
                }
                (BoxEventKind::Expansion, SkipReason::Expansion)
            }
            Some(Node::Folder(_)) | None => (BoxEventKind::MemberSkipped, SkipReason::HardLink),
        };
        let detail = |name| BoxDetail::SkippedMember { name, reason };
        self.member_event(kind, header, name, detail);
    }

    /// Adds an event about a member, with its name.
    pub(super) fn member_event(
        &mut self,
        kind: BoxEventKind,
        header: u64,
        name: &[u8],
        detail: impl FnOnce(String) -> BoxDetail,
    ) {
        let shown = self.shown(&clean_path(name).0);
        self.event(kind, header, detail(shown));
    }

    /// Adds an event. Beyond [`MOST_EVENTS`], the last one says that there are more.
    pub(super) fn event(&mut self, kind: BoxEventKind, offset: u64, detail: BoxDetail) {
        match self.events.len() {
            ..MOST_EVENTS => self.events.push(BoxEvent::new(kind, offset, detail)),
            MOST_EVENTS => {
                let detail = BoxDetail::MoreMembers;
                self.events.push(BoxEvent::new(kind, offset, detail));
            }
            _ => {}
        }
    }

    fn shown(&self, path: &[u8]) -> String {
        String::from_utf8_lossy(&[&self.prefix, path].concat()).into_owned()
    }

    /// Inserts a node and the folders around it. Returns its path, or `None` if there are too many members.
    fn insert(&mut self, path: &[u8], node: Node) -> Option<Vec<u8>> {
        let mut at = 0;
        let mut placed = Vec::new();
        let mut names = path.split(|&byte| byte == b'/').peekable();
        let mut node = Some(node);
        while let Some(name) = names.next() {
            let own = match names.peek() {
                Some(_) => Node::folder(),
                None => node.take()?,
            };
            let (name, child) = self.enter(at, name, own)?;
            if !placed.is_empty() {
                placed.push(b'/');
            }
            placed.extend_from_slice(&name);
            at = child;
        }
        Some(placed)
    }

    /// Finds or creates a node in a folder. A folder joins a folder of its name; anything else gets a number.
    fn enter(&mut self, folder: u32, name: &[u8], node: Node) -> Option<(Vec<u8>, u32)> {
        let is_folder = matches!(node, Node::Folder(_));
        let key = (folder, Box::from(name));
        if let Some(numbered) = self.numbered_folders.get(&key).filter(|_| is_folder) {
            return Some(numbered.clone());
        }
        let mut own = name.to_vec();
        while let Some(child) = self.child(folder, &own) {
            if is_folder && matches!(self.index.nodes[child as usize], Node::Folder(_)) {
                return Some((own, child));
            }
            let number = self.last_numbers.entry(key.clone()).or_insert(1);
            *number += 1;
            own = numbered(name, *number);
        }
        if !self.index.budget.keep_member() {
            return None;
        }
        let child = self.index.nodes.len() as u32;
        self.index.nodes.push(node);
        if let Node::Folder(children) = &mut self.index.nodes[folder as usize] {
            children.insert(own.clone().into(), child);
        }
        if is_folder && own != name {
            self.numbered_folders.insert(key, (own.clone(), child));
        }
        Some((own, child))
    }

    fn child(&self, folder: u32, name: &[u8]) -> Option<u32> {
        match &self.index.nodes[folder as usize] {
            Node::Folder(children) => children.get(name).copied(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_form_a_tree_with_unique_names() {
        let mut builder =
            MemberIndexBuilder::new(Packing::Tar, b"t.tar/", ExpansionBudget::new(0, 1));
        for name in ["a/x", "a/x", "a", "a/x/y", "/a/x", "a/x/z", "a/b/", "a/b/"] {
            let node = if name.ends_with('/') {
                Node::folder()
            } else {
                Node::Link
            };
            builder.add(7, name.as_bytes(), node);
        }
        let (index, events) = builder.finish();
        let folder = index.find(b"a").unwrap();
        let names: Vec<_> = index.children(folder).map(|(name, _)| name).collect();
        assert_eq!(names, [&b"b"[..], b"x", b"x-2", b"x-3", b"x-4"]);
        assert!(matches!(index.find(b"a/x-3/y"), Some(Node::Link)));
        assert!(matches!(index.find(b"a/x-3/z"), Some(Node::Link)));
        assert!(matches!(index.find(b"a-2"), Some(Node::Link)));
        assert!(index.find(b"a/x/y").is_none() && index.find(b"c").is_none());
        let shown: Vec<_> = events
            .iter()
            .map(|event| event.detail.to_string())
            .collect();
        assert_eq!(shown.len(), 5);
        assert_eq!(
            shown[0],
            "member \"a/x\" has the name of another member, read as t.tar/a/x-2"
        );
        assert_eq!(
            shown[3],
            "member \"/a/x\" has an absolute name, read as t.tar/a/x-4"
        );
    }

    #[test]
    fn duplicates_are_numbered_in_linear_time() {
        let mut builder = MemberIndexBuilder::new(Packing::Zip, b"", ExpansionBudget::new(0, 1));
        let start = std::time::Instant::now();
        for _ in 0..=MOST_MEMBERS {
            builder.add(0, b"a.mbox", Node::Link);
        }
        assert!(builder.is_full());
        assert!(start.elapsed().as_secs() < 60);
        let (index, events) = builder.finish();
        assert!(index.find(b"a-1000000.mbox").is_some());
        assert_eq!(events.len(), MOST_EVENTS + 2);
        assert_eq!(events[MOST_EVENTS].detail, BoxDetail::MoreMembers);
        assert_eq!(events[MOST_EVENTS + 1].kind, BoxEventKind::MemberLimit);
    }
}
