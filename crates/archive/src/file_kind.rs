//! Classifies files by their first bytes and their names: mailboxes, messages, containers, and files without mail.
//!
//! # Limits
//! Reads the beginning of a file only, and of a container its directory.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::box_event::BoxEvent;
use crate::container::{self, ContainerForm};
use crate::error::{Error, Operation, at};
use crate::file_names::{index_of, is_eml, is_named_mailbox, is_named_zip};
use crate::file_tree::FileTree;
use crate::following_line::FollowingLine;
use crate::line_ends::split_line;
use crate::message_stores::MessageStore;
use crate::packed::{self, CompressionEvents};
use crate::packing::Packing;
use crate::packing_detection::may_be_mail;
use crate::tree_file::TreeFile;
use crate::{layouts, mail_check, mbox, mh};

/// The format of a file that was named by the caller, by its first bytes.
pub(crate) enum FileForm {
    /// A zip or tar archive.
    Container(ContainerForm),
    /// A compressed mailbox or message.
    Packed(Packing),
    /// A format that is not supported.
    NotRead(Packing),
    /// Any other file.
    Other,
}

impl FileForm {
    /// Recognizes a file.
    pub(crate) fn of(tree: &FileTree, path: &Path) -> Result<Self, Error> {
        if !tree.is_file(path) {
            return Ok(Self::Other);
        }
        let failed = at(path, Operation::Read);
        let mut file = tree.open(path).map_err(at(path, Operation::Open))?;
        let start = packed::beginning(&mut file, packed::BEGINNING).map_err(&failed)?;
        let Some(packing) = Packing::of_file(&start) else {
            return Ok(Self::Other);
        };
        if packing.is_container() {
            return Ok(Self::Container(ContainerForm::plain(packing)));
        }
        if !packing.is_read() {
            return Ok(Self::NotRead(packing));
        }
        let file = tree.rewound(file, path).map_err(&failed)?;
        // Damaged compression is reported when the archive is opened.
        let mut inside = tree.through(path, file, u64::MAX)?;
        let inside = packed::beginning(&mut inside, packed::BEGINNING).unwrap_or_default();
        Ok(match Packing::of_file(&inside) {
            Some(inner) if inner.is_container() => Self::Container(ContainerForm {
                compression: Some(packing),
                packing: inner,
            }),
            Some(inner) if !inner.is_read() => Self::NotRead(inner),
            _ => Self::Packed(packing),
        })
    }
}

/// The kind of a file in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A mailbox, by its name or its content, and its compression. Pipes are mailboxes.
    Mailbox(Option<Packing>),
    /// A message: an `.eml` file, or a file of an MH folder.
    Message,
    /// A message store.
    Store(MessageStore),
    /// A zip or tar archive.
    Container(ContainerForm),
    /// May be mail, but in a format that is not supported.
    LeftAlone(Packing),
    /// A damaged member of a container. What can be read of it is not known as mail.
    Damaged(BoxEvent),
    /// Begins with header fields, but no known layout names messages so: `1.` of Cyrus.
    MailLike,
    /// Not mail.
    Other,
}

impl FileKind {
    /// Classifies a file. With `force_format`, a mailbox name is enough, whatever the content.
    pub(crate) fn of(tree: &FileTree, path: &Path, force_format: bool) -> Result<Self, Error> {
        let defects = CompressionEvents::default();
        let kind = Self::look(tree, path, force_format, &defects);
        let kind = kind.map_err(at(path, Operation::Read))?;
        let mut losses = defects.take().into_iter();
        Ok(match losses.find(|event| event.kind.is_loss()) {
            Some(loss) if matches!(kind, Self::Other | Self::MailLike) && tree.is_container() => {
                Self::Damaged(loss)
            }
            _ => kind,
        })
    }

    fn look(
        tree: &FileTree,
        path: &Path,
        force_format: bool,
        defects: &CompressionEvents,
    ) -> io::Result<Self> {
        if is_eml(path) {
            return Ok(Self::Message);
        }
        // A pipe can be opened only once. Containers have no pipes.
        let mut size = 0;
        if !tree.is_container() {
            let metadata = fs::metadata(path)?;
            if !metadata.is_file() {
                return Ok(Self::Mailbox(None));
            }
            size = metadata.len();
        }
        let numbered =
            mh::number(path.file_name().unwrap_or_default().as_encoded_bytes()).is_some();
        if numbered && tree.is_file(&path.with_file_name(mh::SEQUENCES)) {
            return Ok(Self::Message);
        }
        let mut file = tree.open_reporting(path, defects)?;
        let start = packed::beginning(&mut file, packed::BEGINNING)?;
        match Packing::of_file(&start) {
            Some(packing) if packing.is_container() => {
                Ok(Self::Container(ContainerForm::plain(packing)))
            }
            Some(packing) if packing.is_read() => {
                let file = tree.rewound(file, path)?;
                Self::look_inside(tree, path, file, packing, force_format)
            }
            Some(packing) if may_be_mail(&start, packing) => Ok(Self::LeftAlone(packing)),
            _ if layouts::of_mailbox(&start).is_some() => Ok(Self::Mailbox(None)),
            _ if let Some(store) = MessageStore::of_file(&start) => Ok(Self::Store(store)),
            _ if start.is_empty() && tree.is_file(&index_of(path)) => Ok(Self::Mailbox(None)),
            _ => {
                let file = tree.rewound(file, path)?;
                let kind = Self::look_at_text(tree, path, file, size, force_format)?;
                Ok(match kind {
                    Self::Other if numbered && mbox::looks_like_message(&start) => Self::Message,
                    Self::Other if is_mail_like(path, &start) => Self::MailLike,
                    Self::Other => Self::of_other_program(path, &start),
                    kind => kind,
                })
            }
        }
    }

    /// Classifies a file of another program. Files of Office begin as messages of Outlook do, but have other names.
    fn of_other_program(path: &Path, start: &[u8]) -> Self {
        let is_message = || {
            path.extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("msg"))
        };
        match Packing::of_other_program(start) {
            Some(Packing::OutlookMessage) if !is_message() => Self::Other,
            Some(packing) => Self::LeftAlone(packing),
            None => Self::Other,
        }
    }

    /// Classifies a compressed file.
    fn look_inside(
        tree: &FileTree,
        path: &Path,
        file: TreeFile,
        packing: Packing,
        force_format: bool,
    ) -> io::Result<Self> {
        let inner = path.with_extension("");
        if is_eml(&inner) {
            return Ok(Self::LeftAlone(packing));
        }
        let mut inside = tree.through(path, file, u64::MAX)?;
        let mut start = packed::beginning(&mut inside, packed::BEGINNING)?;
        if start.is_empty() && !inside.defects.take().is_empty() {
            return Ok(Self::LeftAlone(packing));
        }
        match Packing::of_file(&start) {
            Some(inner) if inner.is_container() => {
                return Ok(Self::Container(ContainerForm {
                    compression: Some(packing),
                    packing: inner,
                }));
            }
            Some(inner) if !inner.is_read() => return Ok(Self::LeftAlone(inner)),
            _ if MessageStore::of_file(&start).is_some() => return Ok(Self::LeftAlone(packing)),
            _ if layouts::of_mailbox(&start).is_some() => {
                return Ok(Self::Mailbox(Some(packing)));
            }
            _ if is_named_mailbox(&inner) => {
                let rest = mail_check::BEGINNING - packed::BEGINNING;
                start.append(&mut packed::beginning(&mut inside, rest)?);
                if force_format || mail_check::is_mail(&start) {
                    return Ok(Self::Mailbox(Some(packing)));
                }
            }
            _ => {}
        }
        let mut all = Read::chain(&start[..], inside);
        let mailbox = mbox::is_mailbox_inside(&mut all, is_named_mailbox(&inner))?;
        Ok(if mailbox {
            Self::Mailbox(Some(packing))
        } else {
            Self::Other
        })
    }

    /// Classifies a file in no known format: a mailbox, a zip archive after other bytes, or something else.
    fn look_at_text(
        tree: &FileTree,
        path: &Path,
        mut file: TreeFile,
        size: u64,
        force_format: bool,
    ) -> io::Result<Self> {
        let is_named = is_named_mailbox(path);
        if is_named {
            let is_mail = force_format
                || mail_check::is_mail(&packed::beginning(&mut file, mail_check::BEGINNING)?);
            if is_mail {
                return Ok(Self::Mailbox(None));
            }
            file = tree.rewound(file, path)?;
        }
        let is_mailbox = match &mut file {
            TreeFile::Disk(file) => mbox::is_mailbox(file, 0, size, is_named)?,
            TreeFile::Range(range) => {
                mbox::is_mailbox(range.file(), range.range().start, range.len(), is_named)?
            }
            TreeFile::Stream(stream, _) => mbox::is_mailbox_inside(stream, is_named)?,
        };
        if is_mailbox {
            return Ok(Self::Mailbox(None));
        }
        if is_named_zip(path) && container::is_zip(file, size)? {
            return Ok(Self::Container(ContainerForm::plain(Packing::Zip)));
        }
        Ok(Self::Other)
    }
}

/// Returns true if a file begins with two header fields: `From: a@b.example`, `Subject: x`. Cyrus stores messages in files such as `1.`, Zimbra in
/// `257-4.msg`; mailglot does not know these names.
///
/// Excludes hidden files, backup files, and deleted messages of MH (`,1`, `#1`).
fn is_mail_like(path: &Path, start: &[u8]) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let (first, step) = split_line(start);
    let (second, _) = split_line(&start[step..]);
    !matches!(name, [b',' | b'#' | b'.', ..] | [.., b'~'])
        && FollowingLine::of(first) == FollowingLine::Known
        && (matches!(second, [b' ' | b'\t', ..])
            || FollowingLine::of(second) != FollowingLine::Other)
}
