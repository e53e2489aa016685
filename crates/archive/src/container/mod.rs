//! Reads zip and tar archives as folders: lists their members, and opens them.
//!
//! ```text
//! file on a disk, or member of another container ─ expand ─► content ─ zip, tar ─► MemberIndex ─ open ─► TreeFile
//! ```
//!
//! Nothing is unpacked to a disk under its stored name. A compressed container, and one inside a deflated member, is decompressed
//! once to a temporary file without a name. The reason is that its members are read in any order.
//!
//! # Limits
//! Containers lie in each other up to [`DEEPEST`] deep. Zip: stored and deflated members. The names of all members are kept in
//! memory. A damaged member is read up to the damage.

mod expand;
mod member_index;
mod member_names;
mod member_place;
mod member_reader;
mod name_decoding;
mod name_sample;
mod open_files;
mod tar;
mod zip;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use self::expand::expand;
pub(crate) use self::member_index::{MOST_EVENTS, Node};
use self::member_index::{MemberIndex, MemberIndexBuilder};
use self::member_place::{Coding, MemberPlace};
use self::member_reader::{ExpansionLimit, MemberReader};
pub use self::name_decoding::{NameDecoding, NameSystem};
pub use self::open_files::OpenContainers;
use crate::box_event::BoxEvent;
use crate::disk_identity::DiskIdentity;
use crate::error::ErrorKind;
use crate::expansion::ExpansionBudget;
use crate::file_range::FileRange;
use crate::open_input;
use crate::packed::{CompressionEvents, Through};
use crate::packing::Packing;
use crate::tree_file::TreeFile;

/// Largest number of containers in each other.
pub(crate) const DEEPEST: usize = 4;

/// The format of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContainerForm {
    /// The compression around it.
    pub(crate) compression: Option<Packing>,
    /// zip or tar.
    pub(crate) packing: Packing,
}

impl ContainerForm {
    /// The form of a container that is not compressed.
    pub(crate) fn plain(packing: Packing) -> Self {
        Self {
            compression: None,
            packing,
        }
    }
}

/// Returns true if a file of `size` bytes is a zip archive, maybe after other bytes, such as a program that extracts it.
pub(crate) fn is_zip(file: TreeFile, size: u64) -> io::Result<bool> {
    match file {
        TreeFile::Disk(file) => zip::has_directory(&FileRange::new(Arc::new(file), 0..size)),
        TreeFile::Range(range) => zip::has_directory(&range),
        TreeFile::Stream(..) => Ok(false),
    }
}

/// Where a container lies.
#[derive(Debug)]
enum Origin {
    Disk(DiskIdentity),
    /// In another container.
    Member(Arc<Container>),
}

/// A zip or tar archive whose members are known.
#[derive(Debug)]
pub(crate) struct Container {
    path: PathBuf,
    form: ContainerForm,
    origin: Origin,
    index: MemberIndex,
    /// Limit on the ratio of decompressed to compressed size.
    ratio: u64,
    names: NameDecoding,
    budget: Arc<ExpansionBudget>,
    open_containers: OpenContainers,
    /// The file that has the content, while it is open, and the range of the content in it.
    content: Mutex<Option<(Weak<File>, Range<u64>)>>,
}

/// How to open containers.
#[derive(Clone, Debug)]
pub(crate) struct ContainerOptions {
    /// Limit on the ratio of decompressed to compressed size.
    pub(crate) ratio: u64,
    pub(crate) open_containers: OpenContainers,
    pub(crate) names: NameDecoding,
}

impl Container {
    /// Opens a container on a disk and lists its members. Names in its events begin with `prefix`.
    pub(crate) fn on_disk(
        path: &Path,
        form: ContainerForm,
        prefix: &[u8],
        options: &ContainerOptions,
    ) -> io::Result<(Arc<Self>, Vec<BoxEvent>)> {
        let file = open_input::open(path)?;
        let identity = DiskIdentity::of(path, &file.metadata()?);
        let budget = ExpansionBudget::new(identity.size(), options.ratio);
        let container = Self {
            path: path.to_owned(),
            form,
            origin: Origin::Disk(identity),
            index: MemberIndex::new(budget.clone()),
            ratio: options.ratio,
            names: options.names,
            budget,
            open_containers: options.open_containers.clone(),
            content: Mutex::default(),
        };
        container.listed(prefix)
    }

    /// Opens a container that is a member of this one, and lists its members.
    pub(crate) fn inside(
        self: &Arc<Self>,
        path: &Path,
        form: ContainerForm,
        prefix: &[u8],
    ) -> io::Result<(Arc<Self>, Vec<BoxEvent>)> {
        let container = Self {
            path: path.to_owned(),
            form,
            origin: Origin::Member(self.clone()),
            index: MemberIndex::new(self.budget.clone()),
            ratio: self.ratio,
            names: self.names,
            budget: self.budget.clone(),
            open_containers: self.open_containers.clone(),
            content: Mutex::default(),
        };
        container.listed(prefix)
    }

    /// Lists the members.
    fn listed(mut self, prefix: &[u8]) -> io::Result<(Arc<Self>, Vec<BoxEvent>)> {
        let events = CompressionEvents::default();
        let content = self.open_content(&events)?;
        let mut members = MemberIndexBuilder::new(self.form.packing, prefix, self.budget.clone());
        match self.form.packing {
            Packing::Zip => zip::list(&content, self.names, &mut members)?,
            _ => tar::list(&content, self.names, &mut members)?,
        }
        let (index, found) = members.finish();
        self.index = index;
        let mut events = events.take();
        events.extend(found);
        // Events about the container itself name it, if it lies below the root of the search.
        let name = prefix.strip_suffix(b"/").unwrap_or(prefix);
        for event in &mut events {
            if event.detail.file().is_none_or(str::is_empty) {
                event.name = name.to_vec();
            }
        }
        Ok((Arc::new(self), events))
    }

    /// Returns the number of containers around the members: 1 for a container on a disk.
    pub(crate) fn depth(&self) -> usize {
        match &self.origin {
            Origin::Disk(_) => 1,
            Origin::Member(container) => container.depth() + 1,
        }
    }

    /// Returns the file on a disk that has all of it.
    pub(crate) fn disk_identity(&self) -> &DiskIdentity {
        match &self.origin {
            Origin::Disk(identity) => identity,
            Origin::Member(container) => container.disk_identity(),
        }
    }

    /// Returns the member, or the folder, at a path that begins with the path of the container.
    pub(crate) fn find(&self, path: &Path) -> Option<&Node> {
        path.strip_prefix(&self.path).ok()?;
        self.index.find(self.below(path))
    }

    /// Returns names and nodes in a folder, in the order of the names.
    pub(crate) fn children<'a>(
        &'a self,
        folder: &'a Node,
    ) -> impl Iterator<Item = (&'a [u8], &'a Node)> {
        self.index.children(folder)
    }

    /// Returns the limit on the bytes that members of this container may decompress to in all.
    pub(crate) fn budget(&self) -> &Arc<ExpansionBudget> {
        &self.budget
    }

    /// Opens a member for reading. `events` gets the defects of the member.
    pub(crate) fn open_reporting(
        &self,
        path: &Path,
        events: &CompressionEvents,
    ) -> io::Result<TreeFile> {
        let Some(Node::File(place)) = self.find(path) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let data = self.content()?.part(place.data.clone());
        Ok(match place.coding {
            Coding::Plain => TreeFile::Range(data),
            Coding::Zip {
                is_deflated,
                size,
                crc,
            } => {
                let ratio = self.ratio;
                let meter = self.budget.meter(path);
                let limit = ExpansionLimit { ratio, meter };
                let coding = (is_deflated, size, crc);
                let reader = MemberReader::new(data, place.data.start, coding, limit, events);
                TreeFile::Stream(Through::plain(reader, events.clone()), size)
            }
        })
    }

    /// Returns where the bytes of a member lie. `None` if it is compressed, or has not its declared size.
    pub(crate) fn stored(&self, path: &Path) -> io::Result<Option<FileRange>> {
        let Some(Node::File(place)) = self.find(path) else {
            return Ok(None);
        };
        let is_whole = place.size() == place.data.end - place.data.start;
        match place.coding {
            Coding::Zip {
                is_deflated: true, ..
            } => Ok(None),
            _ if !is_whole => Ok(None),
            _ => Ok(Some(self.content()?.part(place.data.clone()))),
        }
    }

    /// Returns the declared size of a member.
    pub(crate) fn size_of(&self, path: &Path) -> Option<u64> {
        match self.find(path)? {
            Node::File(place) => Some(place.size()),
            _ => None,
        }
    }

    /// Returns the path of a member below the container.
    fn below<'p>(&self, path: &'p Path) -> &'p [u8] {
        let below = path.strip_prefix(&self.path);
        below.map_or(b"", |below| below.as_os_str().as_encoded_bytes())
    }

    /// Returns the content, which was opened before.
    fn content(&self) -> io::Result<FileRange> {
        // Defects were reported when the members were listed.
        self.open_content(&CompressionEvents::default())
    }

    /// Opens the content unless it is open. `events` gets the defects of its compression.
    fn open_content(&self, events: &CompressionEvents) -> io::Result<FileRange> {
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((file, range)) = &*content
            && let Some(file) = file.upgrade()
        {
            self.open_containers.keep(&file);
            return Ok(FileRange::new(file, range.clone()));
        }
        let outside = self.outside(events)?;
        let opened = match (outside, self.form.compression) {
            (TreeFile::Range(range), None) => range,
            (outside, compression) => {
                let meter = self.budget.meter((&self.path, "content"));
                let is_compressed = compression.is_some();
                expand(
                    &self.path,
                    outside,
                    is_compressed,
                    (self.ratio, meter),
                    events,
                )?
            }
        };
        self.open_containers.keep(opened.file());
        *content = Some((Arc::downgrade(opened.file()), opened.range()));
        Ok(opened)
    }

    /// Opens the file or member that has the container.
    fn outside(&self, events: &CompressionEvents) -> io::Result<TreeFile> {
        match &self.origin {
            Origin::Disk(identity) => {
                let file = open_input::open(identity.path())?;
                if DiskIdentity::of(identity.path(), &file.metadata()?) != *identity {
                    return Err(ErrorKind::Changed.into());
                }
                let whole = 0..identity.size();
                Ok(TreeFile::Range(FileRange::new(Arc::new(file), whole)))
            }
            Origin::Member(container) => {
                // A stored container is read where it lies.
                if self.form.compression.is_none()
                    && let Some(Node::File(MemberPlace {
                        data,
                        coding:
                            Coding::Zip {
                                is_deflated: false, ..
                            },
                    })) = container.find(&self.path)
                {
                    return Ok(TreeFile::Range(container.content()?.part(data.clone())));
                }
                container.open_reporting(&self.path, events)
            }
        }
    }
}
