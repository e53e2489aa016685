//! Finds and decodes files in uuencode or yEnc inside text parts.
//!
//! # Limits
//!
//! A block that quoting marks (`> begin 644 x`) is not found. Parts of a file that yEnc splits over several messages are not joined.

use crate::encoded_word::{HeaderContext, decode_text};
use crate::event::EventKind;
use crate::message::Message;
use crate::part_id::PartId;
use crate::span::Span;
use crate::transfer::{self, blocks};

/// A file in uuencode or yEnc inside a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodedBlock {
    /// The place in the message, from the first line of the block to the last.
    pub at: Span,
    /// The encoding: `uuencode` or `yenc`.
    pub encoding: &'static str,
    /// The decoded file name. It may be empty.
    pub name: String,
    /// The decoded bytes of the file, or of the part of it that the block contains.
    pub bytes: Vec<u8>,
    /// The length that the lines of the block state or have, in bytes.
    pub size: u64,
    /// True if the last line of the block exists.
    pub ended: bool,
    /// True if `size` is the size that the block states; `None` if it states none, as in uuencode.
    pub size_fits: Option<bool>,
    /// True if the bytes have the checksum (CRC-32) that the block states; `None` if it states none.
    pub checksum_fits: Option<bool>,
}

/// Returns the blocks of uuencode and yEnc in a text part, in order. Other parts have none.
///
/// ```
/// use mailglot_mime::{Limits, Message, PartId, encoded_blocks};
///
/// let raw = b"Content-Type: text/plain\n\nsee here:\nbegin 644 cat.txt\n#0V%T\n`\nend\n";
/// let message = Message::parse(raw, &Limits::default());
/// let blocks = encoded_blocks(&message, PartId::ROOT);
/// assert_eq!((&*blocks[0].name, &*blocks[0].bytes), ("cat.txt", &b"Cat"[..]));
/// ```
pub fn encoded_blocks(message: &Message<'_>, id: PartId) -> Vec<EncodedBlock> {
    let Some(part) = message.part(id).filter(|part| part.is_text()) else {
        return Vec::new();
    };
    let body = part.body.of(message.raw());
    let decoded = transfer::decode(part.transfer, body, &mut Vec::new());
    let found = blocks::blocks(&decoded.bytes);
    let ranges: Vec<_> = found.iter().map(|block| block.at.clone()).collect();
    let places = transfer::locate_any(decoded.used, body, &ranges);
    let shown = found
        .into_iter()
        .zip(&places)
        .map(|(block, place)| (blocks::content(&decoded.bytes, &block), block, place))
        .map(|(bytes, block, place)| EncodedBlock {
            at: part.body.at(place),
            encoding: if block.kind == EventKind::CteYenc {
                "yenc"
            } else {
                "uuencode"
            },
            name: decode_text(
                &decoded.bytes[block.name],
                &HeaderContext::default(),
                &mut Vec::new(),
            )
            .into_owned(),
            bytes,
            size: block.size,
            ended: block.ended,
            size_fits: block.size_fits,
            checksum_fits: block.sum_fits,
        });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn files_in_a_text() {
        let raw = b"Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\nsee =\nhere:\n\
            begin 644 =FCbung.txt\n#0V%T\n`\nend\nbye\n";
        let message = Message::parse(raw, &Limits::default());
        let list = encoded_blocks(&message, PartId::ROOT);
        let [block] = &list[..] else {
            panic!("{list:?}")
        };
        assert_eq!(
            (&*block.name, block.size, block.ended),
            ("\u{fc}bung.txt", 3, true)
        );
        assert!(block.at.of(raw).starts_with(b"begin ") && block.at.of(raw).ends_with(b"end\n"));
        let image = Message::parse(
            b"Content-Type: image/png\n\nbegin 644 a\n`\nend\n",
            &Limits::default(),
        );
        assert_eq!(encoded_blocks(&image, PartId::ROOT), []);
    }
}
