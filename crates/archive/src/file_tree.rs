//! The files below a path: on a disk, or in a container.
//!
//! # Limits
//! Paths in a container begin with the path of the container.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use crate::box_event::BoxEvent;
use crate::container::{Container, ContainerForm, ContainerOptions, DEEPEST, Node};
use crate::entry_type::EntryType;
use crate::error::Error;
use crate::expansion::{FREE, Meter};
use crate::file_range::FileRange;
use crate::followed_links::FollowedLinks;
use crate::open_input;
use crate::packed::{CompressionEvents, ExpansionLimits, Through, through_message, through_within};
use crate::path_cache::PathCache;
use crate::repository_kind::RepositoryKind;
use crate::tree_file::TreeFile;

/// Where the files of an [`Input`](crate::Input) are: on a disk (the default), or in a zip or tar archive.
#[derive(Clone, Debug, Default)]
pub struct FileTree {
    container: Option<Arc<Container>>,
    /// The symbolic links that are followed on a disk, or around a container on it.
    links: Option<Arc<FollowedLinks>>,
    /// The containers that were searched.
    searched: Arc<PathCache<ContainerMail>>,
    /// The git repositories that were looked at. Each costs a process.
    pub(crate) repositories: Arc<PathCache<RepositoryKind>>,
    /// Whether the repositories below a folder make it an inbox. True if they cannot be read.
    pub(crate) inboxes: Arc<PathCache<bool>>,
}

/// What the search of a container found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContainerMail {
    /// It has mail.
    Found,
    /// All of it was read, and is not mail.
    Absent,
    /// The part that was not read may have mail.
    Unknown,
}

/// Two trees are equal if they are on a disk, or in the same opened container.
impl PartialEq for FileTree {
    fn eq(&self, other: &Self) -> bool {
        match (&self.container, &other.container) {
            (None, None) => true,
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }
}

impl Eq for FileTree {}

/// A file or folder in a folder.
pub(crate) struct TreeEntry {
    pub(crate) name: OsString,
    pub(crate) kind: EntryType,
}

impl FileTree {
    /// Returns true if the files are members of a zip or tar archive.
    pub fn is_container(&self) -> bool {
        self.container.is_some()
    }

    /// Returns a tree in which the symbolic links below a folder on a disk are followed.
    pub(crate) fn following_links(root: &Path) -> Self {
        Self {
            links: Some(Arc::new(FollowedLinks::below(root))),
            ..Self::default()
        }
    }

    /// Returns true if symbolic links in this tree are followed.
    pub(crate) fn follows_links(&self) -> bool {
        self.links.is_some() && !self.is_container()
    }

    /// Returns the symbolic links to files and folders that are followed. Those of a container are the links around it.
    pub fn followed_links(&self) -> impl Iterator<Item = &Path> {
        self.links.iter().flat_map(|links| links.followed())
    }

    /// Returns the metadata of an entry on a disk: of the target for a link that is followed, else of the link itself.
    ///
    /// Returns `None` for a folder that is read at another path.
    ///
    /// # Errors
    /// It cannot be inspected.
    pub fn metadata(&self, path: &Path) -> io::Result<Option<fs::Metadata>> {
        let metadata = match self.followed(path) {
            Some(EntryType::Repeated) => return Ok(None),
            Some(EntryType::Folder | EntryType::File) => fs::metadata(path)?,
            _ => fs::symlink_metadata(path)?,
        };
        Ok(Some(metadata))
    }

    /// Returns what the entry at a path counts as, if links are followed and that differs from what it is.
    fn followed(&self, path: &Path) -> Option<EntryType> {
        self.links.as_ref().and_then(|links| links.kind(path))
    }

    /// Opens a container that is a file of this tree. Names in its events begin with `prefix`.
    ///
    /// Returns `None` for a container inside as many others as are opened.
    pub(crate) fn enter(
        &self,
        path: &Path,
        form: ContainerForm,
        prefix: &[u8],
        options: &ContainerOptions,
    ) -> io::Result<Option<(Self, Vec<BoxEvent>)>> {
        let (container, events) = match &self.container {
            None => Container::on_disk(path, form, prefix, options)?,
            Some(container) if container.depth() >= DEEPEST => return Ok(None),
            Some(container) => container.inside(path, form, prefix)?,
        };
        let tree = Self {
            container: Some(container),
            links: self.links.clone(),
            ..Self::default()
        };
        Ok(Some((tree, events)))
    }

    /// Returns the entries of a folder in any order.
    pub(crate) fn entries(&self, folder: &Path) -> io::Result<TreeEntries<'_>> {
        let Some(container) = &self.container else {
            let folder = folder.to_owned();
            let entries = fs::read_dir(&folder)?.map(move |entry| {
                let entry = entry?;
                let (kind, name) = (EntryType::of(entry.file_type()?), entry.file_name());
                let may_differ = matches!(kind, EntryType::Folder | EntryType::Link);
                let followed = match &self.links {
                    Some(links) if may_differ => links.kind(&folder.join(&name)),
                    _ => None,
                };
                Ok(TreeEntry {
                    kind: followed.unwrap_or(kind),
                    name,
                })
            });
            return Ok(Box::new(entries));
        };
        match container.find(folder) {
            None => Err(io::ErrorKind::NotFound.into()),
            Some(node @ Node::Folder(_)) => {
                let entries = container.children(node).map(|(name, node)| {
                    Ok(TreeEntry {
                        name: OsStr::from_bytes(name).to_owned(),
                        kind: type_of_node(node),
                    })
                });
                Ok(Box::new(entries))
            }
            Some(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Returns true if a file, a folder or a link has this path.
    pub fn has(&self, path: &Path) -> bool {
        match &self.container {
            None => path.symlink_metadata().is_ok(),
            Some(container) => container.find(path).is_some(),
        }
    }

    /// Returns true for a folder, but not for a link to one unless it is followed.
    pub(crate) fn is_folder(&self, path: &Path) -> bool {
        if let Some(kind) = self.followed(path) {
            return kind == EntryType::Folder;
        }
        match &self.container {
            None => path
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_dir()),
            Some(container) => matches!(container.find(path), Some(Node::Folder(_))),
        }
    }

    /// Returns true for a regular file, and on a disk for a link to one.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        match &self.container {
            None => path.is_file(),
            Some(container) => matches!(container.find(path), Some(Node::File(_))),
        }
    }

    /// Returns true for a regular file, but not for a link to one unless it is followed.
    pub(crate) fn is_own_file(&self, path: &Path) -> bool {
        if let Some(kind) = self.followed(path) {
            return kind == EntryType::File;
        }
        match &self.container {
            None => path
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_file()),
            Some(_) => self.is_file(path),
        }
    }

    /// Returns the modification time of a folder on a disk.
    pub(crate) fn modified(&self, path: &Path) -> Option<SystemTime> {
        if self.is_container() {
            return None;
        }
        fs::metadata(path)
            .and_then(|metadata| metadata.modified())
            .ok()
    }

    /// Opens a file for reading.
    pub(crate) fn open(&self, path: &Path) -> io::Result<TreeFile> {
        self.open_reporting(path, &CompressionEvents::default())
    }

    /// Like [`Self::open`]. `defects` gets the defects of a member as they are read.
    pub(crate) fn open_reporting(
        &self,
        path: &Path,
        defects: &CompressionEvents,
    ) -> io::Result<TreeFile> {
        match &self.container {
            None => open_input::open(path).map(TreeFile::Disk),
            Some(container) => container.open_reporting(path, defects),
        }
    }

    /// Goes back to the beginning of a file. A stream is opened again, and adds its defects to the same list.
    pub(crate) fn rewound(&self, mut file: TreeFile, path: &Path) -> io::Result<TreeFile> {
        match &mut file {
            TreeFile::Disk(file) => file.rewind()?,
            TreeFile::Range(range) => range.go_to(0),
            TreeFile::Stream(stream, _) => return self.open_reporting(path, &stream.defects),
        }
        Ok(file)
    }

    /// Returns where the bytes of a member lie, if it is stored as it is. `None` on a disk.
    pub(crate) fn stored(&self, path: &Path) -> io::Result<Option<FileRange>> {
        match &self.container {
            None => Ok(None),
            Some(container) => container.stored(path),
        }
    }

    /// Opens a file that may be compressed, and decompresses it to at most `ratio` times its size.
    pub(crate) fn through(
        &self,
        path: &Path,
        file: TreeFile,
        ratio: u64,
    ) -> Result<Through, Error> {
        let defects = match &file {
            TreeFile::Stream(stream, _) => stream.defects.clone(),
            _ => CompressionEvents::default(),
        };
        let limits = ExpansionLimits {
            ratio,
            free: FREE,
            meter: self.meter(path),
        };
        through_within(path, file, limits, &defects)
    }

    /// Like [`Self::through`], for the bytes of a compressed message file.
    pub(crate) fn through_message(
        &self,
        path: &Path,
        file: impl Read + Send + 'static,
        ratio: u64,
    ) -> Result<Through, Error> {
        let defects = CompressionEvents::default();
        through_message(path, file, ratio, self.meter(path), &defects)
    }

    fn meter(&self, path: &Path) -> Option<Meter> {
        let budget = self.container.as_ref()?.budget();
        Some(budget.meter((path, "decompressed")))
    }

    /// Returns the size of a file in bytes, if known without opening it.
    pub(crate) fn size_of(&self, path: &Path) -> Option<u64> {
        match &self.container {
            None => fs::metadata(path).ok().map(|metadata| metadata.len()),
            Some(container) => container.size_of(path),
        }
    }

    /// Returns true if the file of the container was changed since its members were listed.
    pub(crate) fn is_changed(&self) -> Result<bool, Error> {
        let container = self.container.as_ref();
        container.map_or(Ok(false), |container| {
            container.disk_identity().is_changed()
        })
    }

    /// Returns what the search of a container found. `None` if it was not searched.
    pub(crate) fn mail_in(&self, container: &Path) -> Option<ContainerMail> {
        self.searched.get(container)
    }

    /// Remembers what the search of a container found.
    pub(crate) fn remember(&self, container: &Path, mail: ContainerMail) {
        self.searched.insert(container, mail);
    }
}

/// The entries of a folder.
pub(crate) type TreeEntries<'a> = Box<dyn Iterator<Item = io::Result<TreeEntry>> + 'a>;

/// Returns the type of a member of a container.
fn type_of_node(node: &Node) -> EntryType {
    match node {
        Node::Folder(_) => EntryType::Folder,
        Node::File(_) => EntryType::File,
        Node::Link => EntryType::Link,
        Node::Special => EntryType::Special,
    }
}
