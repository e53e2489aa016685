//! Lists encoded blocks (uuencode, yEnc) in text parts.
//!
//! # Limits
//!
//! Shares the limits of `transfer/blocks.rs`. Does not return the bytes of a block.

use crate::encoded_word::{HeaderContext, decode_text};
use crate::event::EventKind;
use crate::transfer::{self, blocks::blocks};
use crate::{Message, PartId, Span};

/// An encoded file inside a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedBlock {
    /// Span in the message, from its first line to its last.
    pub at: Span,
    /// The encoding: `uuencode` or `yenc`.
    pub encoding: &'static str,
    /// The decoded name of the file; may be empty.
    pub name: String,
    /// Number of bytes of the file, or of the part of it in this block.
    pub size: u64,
    /// True if its last line is present.
    pub ended: bool,
    /// True if `size` is the size that the block declares. None if it declares none, as in uuencode.
    pub size_fits: Option<bool>,
    /// True if the bytes have the CRC-32 that the block declares; None if it declares none.
    pub checksum_fits: Option<bool>,
}

/// Returns the uuencode and yEnc blocks of a text part, in order; none in other parts.
pub fn encoded_blocks(message: &Message<'_>, id: PartId) -> Vec<EncodedBlock> {
    let part = message.part(id);
    if !part.is_text() {
        return Vec::new();
    }
    let body = part.body.of(message.raw());
    let decoded = transfer::decode(part.transfer, body, &mut Vec::new());
    let found = blocks(&decoded.bytes);
    let ranges: Vec<_> = found.iter().map(|block| block.at.clone()).collect();
    let places = transfer::locate_any(decoded.used, body, &ranges);
    let shown = found
        .into_iter()
        .zip(&places)
        .map(|(block, place)| EncodedBlock {
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
    use crate::Limits;

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
