//! Reads what the index says about a message.
//!
//! ```text
//! own offset (4)   length (4)   length (2)   number of fields (1)   changes (1)
//! fields of 4 bytes: bits 0 to 6 number, bit 7 set if the value is in bits 8 to 31; else these are a place behind the fields
//! ```
//!
//! # Limits
//! Reads the flags and the place of the message. The other fields repeat fields of the header.

use std::io;

use super::numbers::{number, number_at};
use crate::file_range::FileRange;
use crate::source::Flags;

/// Bytes before the fields.
const HEAD: u64 = 12;
/// Number of the field with the flags.
const FLAGS: u8 = 0x01;
/// Number of the field with the first segment of the message.
const MESSAGE: u8 = 0x04;
/// Flags that have a counterpart.
const KNOWN_FLAGS: [(u32, u32); 5] = [
    (0x08, Flags::DRAFT),
    (0x20, Flags::FLAGGED),
    (0x80, Flags::SEEN),
    (0x08_0000, Flags::REPLIED),
    (0x10_0000, Flags::PASSED),
];

/// What the index says about a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageInfo {
    pub(super) flags: Flags,
    /// Offset of the first segment. `None` if the message was not downloaded.
    pub(super) message: Option<u32>,
}

impl MessageInfo {
    /// Reads the info at an offset. Returns `None` if no info starts there.
    pub(super) fn read(file: &FileRange, place: u32) -> io::Result<Option<Self>> {
        let at = u64::from(place);
        let Some(head) = file.bytes_at::<{ HEAD as usize }>(at)? else {
            return Ok(None);
        };
        if number(&head, 0) != place {
            return Ok(None);
        }
        let count = usize::from(head[10]);
        let mut fields = vec![0; 4 * count];
        if file.read_at(at + HEAD, &mut fields)? < fields.len() {
            return Ok(None);
        }
        let values = at + HEAD + fields.len() as u64;
        let value = |wanted: u8| -> io::Result<Option<u32>> {
            let mut found = fields.as_chunks::<4>().0.iter();
            let Some(field) = found.find(|field| field[0] & 0x7f == wanted) else {
                return Ok(None);
            };
            let value = number(field, 0) >> 8;
            if field[0] & 0x80 != 0 {
                return Ok(Some(value));
            }
            number_at(file, values + u64::from(value))
        };
        let bits = value(FLAGS)?.unwrap_or(0);
        let set = KNOWN_FLAGS.iter().filter(|(bit, _)| bits & bit != 0);
        Ok(Some(Self {
            flags: Flags(set.fold(0, |flags, (_, flag)| flags | flag)),
            message: value(MESSAGE)?.filter(|&message| message != 0),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Seek, Write};
    use std::sync::Arc;

    fn range(offset: u64, bytes: &[u8]) -> FileRange {
        let mut file: File = tempfile::tempfile().unwrap();
        file.seek(io::SeekFrom::Start(offset)).unwrap();
        file.write_all(bytes).unwrap();
        FileRange::new(Arc::new(file), 0..offset + bytes.len() as u64)
    }

    /// The example of the description of the format ("indexed info"): the message begins at 0x30f0.
    #[test]
    fn the_documented_example_is_read() {
        let bytes = [
            0x00, 0xba, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x01, 0x80, 0x0a,
            0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x04, 0x00, 0x00, 0x84, 0xf0, 0x30, 0x00,
            0x07, 0x09, 0x00, 0x00, 0x80, 0x09, 0x12, 0x56, 0x26, 0x09, 0x81, 0x1b,
        ];
        let file = range(0xba00, &bytes);
        let info = MessageInfo::read(&file, 0xba00).unwrap();
        let expected = MessageInfo {
            flags: Flags::default(),
            message: Some(0x30f0),
        };
        assert_eq!(info, Some(expected));
        // The mark is the offset itself, and all fields must be there.
        assert_eq!(MessageInfo::read(&file, 0xba04).unwrap(), None);
        for end in [0, 11, 12, 27] {
            let cut = file.part(0..0xba00 + end);
            assert_eq!(MessageInfo::read(&cut, 0xba00).unwrap(), None, "{end}");
        }
        // A value behind the end of the file reads as absent.
        let cut = file.part(0..0xba00 + 30);
        let info = MessageInfo::read(&cut, 0xba00).unwrap();
        assert_eq!(info.and_then(|info| info.message), Some(0x30f0));
    }
}
