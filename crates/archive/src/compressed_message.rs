//! Decides whether a compressed file in the place of a message is one, and decompresses it.
//!
//! Dovecot's plugin mail_compress stores each message of a Maildir compressed, under its usual name. Such a file is a message like any
//! other. A compressed file without mail, such as `backup.tar.gz`, stays as it is.
//!
//! # Limits
//! Examines the first 64 KiB of the content, like [`mail_check`].

use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, CompressionDefect};
use crate::error::Error;
use crate::mail_check;
use crate::packed::{BEGINNING, CompressionEvents, Through, through_message};
use crate::packing::{DOVECOT_LZ4, Packing};

/// What a compressed file in the place of a message is.
pub(crate) enum CompressedFile {
    /// A message.
    Message(Through),
    /// Not mail: it stays compressed.
    Other,
    /// Nothing of it can be read as mail, or it has other bytes behind the message, as these events say. It stays compressed.
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
            inside.defects.put_back(events);
            return Ok(Self::Message(inside));
        }
        Ok(if packing.is_none() && is_any_cut(&events) {
            Self::Unreadable(events)
        } else {
            Self::Other
        })
    }

    /// Keeps a message of at most `limit` bytes compressed if other bytes follow it in its file: no output would have them.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn unless_bytes_follow(self, limit: u64) -> io::Result<Self> {
        let Self::Message(mut inside) = self else {
            return Ok(self);
        };
        let is_small = inside.read_ahead(limit + 1)? <= limit;
        let events = inside.defects.take();
        if is_small && has_bytes_behind(&events) {
            return Ok(Self::Unreadable(events));
        }
        inside.defects.put_back(events);
        Ok(Self::Message(inside))
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
    /// Compressed bytes that stay, as in [`CompressedFile::Unreadable`], with their defects.
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
    // The decompressor and this function share one copy.
    let stored: Arc<[u8]> = bytes[start..].into();
    let expected = expected_size(name.as_os_str().as_encoded_bytes(), &stored);
    let (size, input) = (stored.len() as u64, Cursor::new(Arc::clone(&stored)));
    let defects = CompressionEvents::default();
    let file = through_message(name, input, options.max_expansion, None, &defects)
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
        if has_bytes_behind(&events) {
            bytes.truncate(start);
            bytes.extend_from_slice(&stored);
            return FileContent::Unreadable(events);
        }
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

fn has_bytes_behind(events: &[BoxEvent]) -> bool {
    events.iter().any(|event| {
        matches!(
            event.detail,
            BoxDetail::Compressed {
                defect: CompressionDefect::BytesBehind(_),
                ..
            }
        )
    })
}

fn is_any_cut(events: &[BoxEvent]) -> bool {
    events.iter().any(BoxEvent::is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::FREE_IN_MESSAGE;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    const OPTIONS: DecompressionOptions = DecompressionOptions {
        max_expansion: 200,
        force_format: false,
    };

    fn gzip(size: u64) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::best());
        out.write_all(b"From: a@b.example\nSubject: x\n\n").unwrap();
        io::copy(&mut io::repeat(0).take(size), &mut out).unwrap();
        out.finish().unwrap()
    }

    fn inside(stored: &[u8]) -> Through {
        let (input, defects) = (Cursor::new(stored.to_vec()), CompressionEvents::default());
        through_message(Path::new("1"), input, 200, None, &defects).unwrap()
    }

    #[test]
    fn each_message_expands_within_its_limit() {
        let small = gzip(FREE_IN_MESSAGE / 2);
        let mut bytes = small.clone();
        let content = decompress_small(Path::new("1"), &mut bytes, 0, 16 << 20, OPTIONS);
        assert!(matches!(&content, FileContent::Decompressed(events) if events.is_empty()));
        assert!(bytes.len() as u64 > FREE_IN_MESSAGE / 2);

        let large = gzip(8 << 20);
        let mut whole = Vec::new();
        inside(&large).read_to_end(&mut whole).unwrap();
        assert!((FREE_IN_MESSAGE..FREE_IN_MESSAGE + (32 << 10)).contains(&(whole.len() as u64)));
        // The sizes of reads and buffers do not matter.
        for start in [0, 1, 5000, 70_000] {
            let mut bytes = vec![0; start];
            bytes.extend_from_slice(&large);
            let content = decompress_small(Path::new("1"), &mut bytes, start, 16 << 20, OPTIONS);
            let FileContent::Decompressed(events) = content else {
                panic!("{content:?}");
            };
            assert_eq!(events.len(), 1);
            assert_eq!(events[0].kind, BoxEventKind::Expansion);
            assert!(bytes[start..] == whole);
        }
    }

    #[test]
    fn bytes_behind_a_small_message_keep_it_compressed() {
        let whole = gzip(100_000);
        let stored = [&whole[..], b"further bytes"].concat();
        let read = |stored: &[u8], limit| {
            let mut bytes = stored.to_vec();
            let content = decompress_small(Path::new("1"), &mut bytes, 0, limit, OPTIONS);
            (content, bytes)
        };
        let (content, bytes) = read(&stored, 1 << 20);
        assert!(matches!(&content, FileContent::Unreadable(events) if events.len() == 1));
        assert!(bytes == stored);
        assert!(matches!(
            read(&whole, 1 << 20).0,
            FileContent::Decompressed(_)
        ));
        assert!(matches!(read(&stored, 1000).0, FileContent::Compressed));
        let file = |stored: &[u8], limit| {
            let file = CompressedFile::of(inside(stored), OPTIONS).unwrap();
            file.unless_bytes_follow(limit).unwrap()
        };
        assert!(matches!(
            file(&stored, 1 << 20),
            CompressedFile::Unreadable(events) if events.len() == 1
        ));
        let CompressedFile::Message(mut message) = file(&stored, 1000) else {
            panic!("the message is larger than the limit");
        };
        let read = io::copy(&mut message, &mut io::sink()).unwrap();
        assert!(read > 100_000 && message.defects.take().len() == 1);
        assert!(matches!(file(&whole, 1 << 20), CompressedFile::Message(_)));
    }
}
