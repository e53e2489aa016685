//! Decides whether a compressed file in the place of a message is one, and decompresses it.
//!
//! Dovecot's plugin mail_compress stores each message of a Maildir compressed, under its usual name. Such a file is a message like any
//! other. A compressed file without mail, such as `backup.tar.gz`, stays as it is.
//!
//! # Limits
//! Examines the first 64 KiB of the content, like [`mail_check`].

use std::io::{self, Cursor, Read};
use std::path::Path;

use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, CompressionDefect};
use crate::error::Error;
use crate::mail_check;
use crate::packed::{BEGINNING, Through, through};
use crate::packing::{DOVECOT_LZ4, Packing};

/// What a compressed file in the place of a message is.
pub(crate) enum CompressedFile {
    /// A message.
    Message(Through),
    /// Not mail: it stays compressed.
    Other,
    /// Nothing of it can be read as mail, as these events say. It stays compressed.
    Unreadable(Vec<BoxEvent>),
}

/// How messages are decompressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecompressionOptions {
    /// Limit on the ratio of decompressed to compressed size.
    pub(crate) max_expansion: u64,
    /// Reads files as messages even if they have no header field.
    pub(crate) force_format: bool,
}

impl CompressedFile {
    /// Examines the content of a compressed file.
    ///
    /// # Errors
    /// It cannot be read, or its dictionary is too large.
    pub(crate) fn of(mut inside: Through, options: DecompressionOptions) -> io::Result<Self> {
        let start = inside.peek(mail_check::BEGINNING)?;
        let packing = Packing::of_file(&start[..start.len().min(BEGINNING)]);
        let is_mail = options.force_format || mail_check::is_mail(&start);
        let events = inside.defects.take();
        if packing.is_none() && is_mail && !(start.is_empty() && is_any_cut(&events)) {
            for event in events {
                inside.defects.event(event.kind, event.offset, event.detail);
            }
            return Ok(Self::Message(inside));
        }
        Ok(if packing.is_none() && is_any_cut(&events) {
            Self::Unreadable(events)
        } else {
            Self::Other
        })
    }
}

/// Returns true if the first bytes of a file are those of a compression that is read.
pub(crate) fn is_compressed(start: &[u8]) -> bool {
    Packing::of(start).is_some_and(Packing::is_read)
}

/// What a thread made of a small file that it read whole.
#[derive(Clone, Debug)]
pub(crate) enum FileContent {
    /// The bytes as they are stored.
    Stored,
    /// Compressed bytes, which the reader of the folder decompresses.
    Compressed,
    /// The bytes of a message that was decompressed, with its defects.
    Decompressed(Vec<BoxEvent>),
    /// Compressed bytes in which no mail can be read, with their defects.
    Unreadable(Vec<BoxEvent>),
}

/// Decompresses the message in `bytes` from `start` on, if it then has at most `limit` bytes. Leaves the bytes as they are otherwise.
pub(crate) fn decompress_small(
    name: &Path,
    bytes: &mut Vec<u8>,
    start: usize,
    limit: u64,
    options: DecompressionOptions,
) -> FileContent {
    if !is_compressed(&bytes[start..]) {
        return FileContent::Stored;
    }
    let stored = bytes[start..].to_vec();
    let expected = expected_size(name.as_os_str().as_encoded_bytes(), &stored);
    let (size, input) = (stored.len() as u64, Cursor::new(stored.clone()));
    let file = through(name, input, options.max_expansion)
        .map_err(Error::into)
        .and_then(|inside| CompressedFile::of(inside, options));
    // The reader of the folder returns an error at its place.
    let mut inside = match file {
        Ok(CompressedFile::Message(inside)) => inside,
        Ok(CompressedFile::Other) => return FileContent::Stored,
        Ok(CompressedFile::Unreadable(events)) => return FileContent::Unreadable(events),
        Err(_) => return FileContent::Compressed,
    };
    bytes.truncate(start);
    let read = inside.by_ref().take(limit + 1).read_to_end(bytes);
    if read.as_ref().is_ok_and(|&read| read as u64 <= limit) {
        let given = (bytes.len() - start) as u64;
        let mut events = inside.defects.take();
        events.extend(missing_end(expected, given, size, &events));
        return FileContent::Decompressed(events);
    }
    bytes.truncate(start);
    bytes.extend_from_slice(&stored);
    FileContent::Compressed
}

/// Returns the size that the name of a file declares for its content (`1.host,S=5210:2,S`), if the format of its first bytes has no end
/// mark.
pub(crate) fn expected_size(name: &[u8], start: &[u8]) -> Option<u64> {
    if !start.starts_with(&DOVECOT_LZ4) {
        return None;
    }
    let at = memchr::memmem::rfind(name, b",S=")? + 3;
    let digits = name[at..].iter().take_while(|byte| byte.is_ascii_digit());
    let digits = &name[at..][..digits.count()];
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns the event for content that is shorter than the name of its file declares, unless other events tell that the end is missing.
pub(crate) fn missing_end(
    expected: Option<u64>,
    given: u64,
    offset: u64,
    events: &[BoxEvent],
) -> Option<BoxEvent> {
    if expected.is_none_or(|expected| given >= expected) || is_any_cut(events) {
        return None;
    }
    let detail = BoxDetail::Compressed {
        packing: Packing::Lz4,
        defect: CompressionDefect::CutOff { given },
    };
    Some(BoxEvent::new(BoxEventKind::Damaged, offset, detail))
}

fn is_any_cut(events: &[BoxEvent]) -> bool {
    events.iter().any(BoxEvent::is_cut)
}
