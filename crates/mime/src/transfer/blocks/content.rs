//! Decodes the content of a block of uuencode or yEnc.
//!
//! # Limits
//! Each part of a file that yEnc splits over several messages is decoded alone.

use super::{Block, line, uuencoded_length, yenc_bytes};
use crate::event::EventKind;

/// Decodes a block of `text`. Never fails: a line that breaks off gives the bytes that it has.
pub(crate) fn content(text: &[u8], block: &Block) -> Vec<u8> {
    let text = &text[..block.at.end];
    let mut bytes = Vec::with_capacity(usize::try_from(block.size).unwrap_or(0).min(text.len()));
    let (_, mut at) = line(text, block.at.start);
    while at < text.len() {
        let (content, next) = line(text, at);
        at = next;
        if block.kind == EventKind::CteYenc {
            if content.starts_with(b"=yend ") {
                break;
            }
            if !content.starts_with(b"=ypart ") {
                bytes.extend(yenc_bytes(content));
            }
        } else if content.trim_ascii_end() == b"end" {
            break;
        } else {
            uudecode_line(content, &mut bytes);
        }
    }
    bytes
}

/// Decodes a line of uuencode. Characters that are missing at its end are spaces, which some programs remove.
fn uudecode_line(line: &[u8], bytes: &mut Vec<u8>) {
    let Some(length) = uuencoded_length(line) else {
        return;
    };
    let end = bytes.len() + length;
    let data = &line[1..];
    let sextet =
        |index: usize| u32::from(data.get(index).unwrap_or(&b' ').wrapping_sub(b' ') & 0x3F);
    for group in (0..length.div_ceil(3)).map(|group| 4 * group) {
        let bits = (0..4).fold(0, |bits, index| bits << 6 | sextet(group + index));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    bytes.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::super::blocks;
    use super::*;

    fn contents(text: &[u8]) -> Vec<Vec<u8>> {
        let blocks = blocks(text);
        blocks.iter().map(|block| content(text, block)).collect()
    }

    #[test]
    fn uuencode_is_decoded() {
        let full = "M1&EE($AA<V5N(\'5N9\"!D:64@1G+V<V-H90T*#0I$:64@2&%S96X@:VQA9W1E\n";
        let text = format!("a\nbegin 644 x\n{full}#0V%T\n`\nend\nb\n");
        let want = b"Die Hasen und die Fr\xF6sche\r\n\r\nDie Hasen klagteCat";
        assert_eq!(contents(text.as_bytes()), [want]);
        // Four zero bytes, the spaces at the end of the line removed.
        assert_eq!(contents(b"begin 644 x\r\n$\r\n`\r\nend\r\n"), [[0; 4]]);
        // A block that breaks off has full lines only.
        assert_eq!(
            contents(format!("begin 644 x\n{full}").as_bytes())[0].len(),
            45
        );
    }

    #[test]
    fn yenc_is_decoded() {
        let text = b"x\n=ybegin part=1 line=128 size=3 name=a\n=ypart begin=1 end=3\n\x8b=n\x8d=\n=yend size=3\n";
        assert_eq!(contents(text), [b"a\x04c"]);
    }
}
