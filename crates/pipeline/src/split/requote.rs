//! Rewrites a mailbox whose messages would be read otherwise: each gets a plain separator, and the quoting of mboxrd.
//!
//! # Limits
//!
//! One message at a time is in memory. Mailboxes with messages above the size limit are not rewritten.

use super::mboxrd_message::MboxrdMessage;
use super::split_batch::{Convention, SplitPiece};
use crate::progress::Progress;
use crate::separator::replaced_separator;
use mailglot_archive::mbox::unquote;
use mailglot_archive::{FileMode, Quoting};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The place of a message in a mailbox.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessagePlace {
    /// Offset of its separator.
    pub(super) start: u64,
    /// Bytes of its separator.
    pub(super) separator: u32,
    /// Bytes of the message after it, as it is quoted.
    pub(super) message: u32,
    /// Number of its source.
    pub(super) source: u32,
    /// Number of the message in its source, from 0.
    pub(super) ordinal: u64,
}

impl MessagePlace {
    /// Returns the place of a message that begins at an offset. Messages of several pieces are longer.
    pub(super) fn of(piece: &SplitPiece, start: u64, source: usize) -> Self {
        // A whole message is in memory, and far below 4 GiB.
        let bytes = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Self {
            start,
            separator: bytes(piece.message.start - piece.span.start),
            message: bytes(piece.message.len()),
            source: bytes(source),
            ordinal: piece.ordinal,
        }
    }
}

/// What the rewriting of a mailbox changed.
#[derive(Default)]
pub(super) struct Requoted {
    /// Bytes of the new mailbox.
    pub(super) bytes: u64,
    /// Separators with another sender or another time.
    pub(super) replaced: u64,
}

impl Convention {
    /// Returns the quoting of the messages.
    pub(super) fn quoting(self) -> Quoting {
        match self {
            Self::Mboxrd => Quoting::Mboxrd,
            Self::Mboxo | Self::QuotedLengths => Quoting::Mboxo,
            Self::Lengths => Quoting::None,
        }
    }
}

/// Copies the messages of a mailbox to `new`, and gives the copy its name. Changes the places to those in the copy.
///
/// Returns `None` if the caller interrupts the job. The mailbox stays then, and the places are wrong.
pub(super) fn requote(
    path: &Path,
    new: &Path,
    places: &mut [MessagePlace],
    quoting: Quoting,
    mode: FileMode,
    progress: &Progress,
) -> io::Result<Option<Requoted>> {
    let mut old = BufReader::new(File::open(path)?);
    let mut file = BufWriter::new(mode.create_file(new)?);
    let mut done = Requoted::default();
    let (mut separator, mut message, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for place in places {
        if progress.is_interrupted() {
            return Ok(None);
        }
        old.seek(SeekFrom::Start(place.start))?;
        separator.resize(place.separator as usize, 0);
        old.read_exact(&mut separator)?;
        message.resize(place.message as usize, 0);
        old.read_exact(&mut message)?;
        out.clear();
        done.replaced += u64::from(replaced_separator(&separator).is_some());
        let new = MboxrdMessage {
            separator: Some(&separator),
            line_rest: b"",
            lines: &unquote(&message, quoting),
            more: false,
            from_mailbox: true,
            has_from: true,
        };
        let written = new.append(&mut out);
        place.start = done.bytes;
        place.message = written.message as u32;
        place.separator = (out.len() - written.message - written.trailer) as u32;
        file.write_all(&out)?;
        done.bytes += out.len() as u64;
    }
    file.flush()?;
    fs::rename(new, path)?;
    Ok(Some(done))
}
