//! Finds encoded blocks in text: uuencode (POSIX) and yEnc (draft of 2002). Checks them, but does not decode or change them.
//!
//! # Limits
//!
//! uuencode has neither size nor checksum: the reported size is the sum of its line lengths. If a file consists of several yEnc
//! parts, the checksum of each part is checked, that of the whole file is not.
//!
//! A block begins at the start of a line, so quoted blocks (`> begin 644 x`) are not found. `begin-base64` is not supported.

mod content;

pub(crate) use content::content;

use crate::event::{BlockCheck, EventKind};
use crate::lexer::line_end_length;
use mailglot_kernel::TextFinder;
use std::ops::Range;

/// An encoded block, from its first line to its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// `cte.uuencode` or `cte.yenc`.
    pub(crate) kind: EventKind,
    pub(crate) at: Range<usize>,
    /// True if its last line is present.
    pub(crate) ended: bool,
    /// Range of the file name, as written.
    pub(crate) name: Range<usize>,
    /// Number of bytes of the file, or of the part of it in this block.
    pub(crate) size: u64,
    /// True if the declared size is correct; None without one.
    pub(crate) size_fits: Option<bool>,
    /// True if the declared checksum is correct; None without one.
    pub(crate) sum_fits: Option<bool>,
}

impl Block {
    /// Returns the details for an event.
    pub(crate) fn check(&self) -> BlockCheck {
        BlockCheck {
            size: self.size,
            ended: self.ended,
            size_fits: self.size_fits,
            sum_fits: self.sum_fits,
        }
    }
}

/// `begin` of uuencode and `=ybegin` of yEnc both contain this, so one search finds both.
static BEGIN: TextFinder = TextFinder::new(b"begin ", [0, 2]);

/// Precedes `begin` in yEnc.
const YENC: &[u8] = b"=y";

/// Returns the blocks of a text, in order. Linear time.
pub(crate) fn blocks(text: &[u8]) -> Vec<Block> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = BEGIN.find(&text[at..]) {
        let word = at + step;
        at = word + BEGIN.text().len();
        let yenc = text[..word].ends_with(YENC);
        let start = if yenc { word - YENC.len() } else { word };
        if start > 0 && !matches!(text[start - 1], b'\n' | b'\r') {
            continue;
        }
        if let Some(block) = if yenc {
            yencoded(text, start)
        } else {
            uuencoded(text, start)
        } {
            // Anything inside a block is data.
            at = at.max(block.at.end);
            found.push(block);
        }
    }
    found
}

/// Returns true if a text contains binary data: a yEnc block.
pub(crate) fn has_yenc(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| block.kind == EventKind::CteYenc)
}

/// Returns the line at `start` without its line end, and the start of the next line.
fn line(text: &[u8], start: usize) -> (&[u8], usize) {
    let rest = &text[start..];
    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let next = start + end + line_end_length(&rest[end..]);
    (&rest[..end], next)
}

/// Parses a uuencode block: `begin`, three or four octal digits and a name, then lines that begin with their length.
fn uuencoded(text: &[u8], start: usize) -> Option<Block> {
    let (first, mut at) = line(text, start);
    let mode = first.get(BEGIN.text().len()..)?;
    let digits = mode.iter().take_while(|b| matches!(b, b'0'..=b'7')).count();
    if !(3..=4).contains(&digits) || mode.get(digits) != Some(&b' ') {
        return None;
    }
    let name = start + BEGIN.text().len() + digits + 1..start + first.len();
    let block = |end, ended, size| Block {
        kind: EventKind::CteUuencode,
        at: start..end,
        ended,
        name: name.clone(),
        size,
        size_fits: None,
        sum_fits: None,
    };
    let (mut full, mut size) = (false, 0_u64);
    while at < text.len() {
        let (content, next) = line(text, at);
        if content.trim_ascii_end() == b"end" {
            return Some(block(next, true, size));
        }
        let Some(length) = uuencoded_length(content) else {
            break;
        };
        full |= length == 45;
        size += length as u64;
        at = next;
    }
    // Without an end, only a line of full length distinguishes a block from text after "begin 644 x".
    full.then(|| block(at, false, size))
}

/// Returns the number of bytes that a uuencode line encodes; None for other lines.
fn uuencoded_length(line: &[u8]) -> Option<usize> {
    let (&first, data) = line.split_first()?;
    let length = usize::from(first.checked_sub(b' ').filter(|n| *n <= 64)?) & 63;
    let characters = length.div_ceil(3) * 4;
    // Trailing blanks are often lost; some programs add a checksum character.
    let data_end = data.trim_ascii_end().len();
    let fits = data_end <= characters + 1 && data.iter().all(|b| matches!(b, b' '..=b'`'));
    fits.then_some(length)
}

/// Parses a yEnc block, from `=ybegin` with `line=` and `size=` to `=yend`.
fn yencoded(text: &[u8], start: usize) -> Option<Block> {
    let (first, mut at) = line(text, start);
    let has = |word: &[u8]| memchr::memmem::find(first, word).is_some();
    if !has(b" line=") || !has(b" size=") {
        return None;
    }
    // The name is the last item of the line and may contain anything.
    let name = memchr::memmem::find(first, b" name=").map_or(first.len(), |found| found + 6);
    let head = &first[..name];
    let mut block = Block {
        kind: EventKind::CteYenc,
        at: start..text.len(),
        ended: false,
        name: start + name..start + first.len(),
        size: 0,
        size_fits: None,
        sum_fits: None,
    };
    let mut data = YencData::default();
    let mut last: &[u8] = b"";
    while at < text.len() && !block.ended {
        let (content, next) = line(text, at);
        at = next;
        if content.starts_with(b"=yend ") {
            (block.at.end, block.ended, last) = (at, true, content);
        } else if !content.starts_with(b"=ypart ") {
            data.add(content);
        }
    }
    block.size = data.size;
    let parts = number(head, b" part=", 10).is_some();
    let whole = number(head, b" size=", 10).filter(|_| !parts);
    let declared = [whole, number(last, b" size=", 10)];
    let mut declared = declared.into_iter().flatten().peekable();
    block.size_fits = declared
        .peek()
        .is_some()
        .then(|| declared.all(|size| size == data.size));
    let sum = if parts {
        number(last, b" pcrc32=", 16)
    } else {
        number(last, b" crc32=", 16)
    };
    block.sum_fits = sum.map(|sum| sum == u64::from(!data.sum));
    Some(block)
}

/// Returns the number after a keyword in a yEnc line.
fn number(line: &[u8], word: &[u8], radix: u32) -> Option<u64> {
    let start = memchr::memmem::find(line, word)? + word.len();
    let digits = line[start..]
        .iter()
        .take_while(|b| char::from(**b).is_digit(radix))
        .count();
    u64::from_str_radix(
        std::str::from_utf8(&line[start..start + digits]).ok()?,
        radix,
    )
    .ok()
}

/// Decodes a line of yEnc. An escape sign at the end of the line is dropped.
fn yenc_bytes(line: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut bytes = line.iter();
    std::iter::from_fn(move || {
        let byte = match bytes.next()? {
            b'=' => bytes.next()?.wrapping_sub(64),
            byte => *byte,
        };
        Some(byte.wrapping_sub(42))
    })
}

/// Bytes decoded from yEnc, counted and summed.
struct YencData {
    size: u64,
    /// CRC-32 (ISO 3309), inverted.
    sum: u32,
}

impl Default for YencData {
    fn default() -> Self {
        Self { size: 0, sum: !0 }
    }
}

impl YencData {
    fn add(&mut self, line: &[u8]) {
        for byte in yenc_bytes(line) {
            self.size += 1;
            self.sum = CRC[usize::from(self.sum as u8 ^ byte)] ^ self.sum >> 8;
        }
    }
}

/// CRC-32 table (ISO 3309, polynomial EDB88320).
const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut bit) = (byte as u32, 0);
        while bit < 8 {
            rest = if rest & 1 == 1 {
                0xEDB8_8320 ^ rest >> 1
            } else {
                rest >> 1
            };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&'static str, &str, bool)> {
        let shown = |block: Block| (block.kind.code(), &text[block.at], block.ended);
        blocks(text.as_bytes()).into_iter().map(shown).collect()
    }

    #[test]
    fn blocks_of_both_kinds() {
        let full = "M1&EE($AA<V5N(\'5N9\"!D:64@1G+V<V-H90T*#0I$:64@2&%S96X@:VQA9W1E\n";
        let table: &[(&str, &str, &str, &str, bool)] = &[
            (
                "",
                "begin 644 a b.txt\n#0V%T\n`\nend\n",
                "after\n",
                "cte.uuencode",
                true,
            ),
            (
                "before\r\n",
                "begin 0644 x\r\n#0V%T\r\n \r\nend",
                "",
                "cte.uuencode",
                true,
            ),
            (
                "before\n",
                &format!("begin 600 x\n{full}{full}"),
                "\nNo end here\n",
                "cte.uuencode",
                false,
            ),
            (
                "x\n",
                "=ybegin line=128 size=3 name=a b\nr\u{80}\n=yend size=3\n",
                "y",
                "cte.yenc",
                true,
            ),
            (
                "x\n",
                "=ybegin part=1 line=128 size=3 name=a\n=ypart begin=1 end=2\nr",
                "",
                "cte.yenc",
                false,
            ),
        ];
        for (before, block, after, code, ended) in table {
            let text = format!("{before}{block}{after}");
            assert_eq!(found(&text), [(*code, *block, *ended)], "{text:?}");
            // Not at the start of a line, it is text.
            assert_eq!(
                found(&format!("> {block}").replace('\n', "\n> ")),
                [],
                "{block:?}"
            );
        }
    }

    #[test]
    fn words_are_not_blocks() {
        for text in [
            "begin 644\n#0V%T\n`\nend\n",
            "begin 64 x\n#0V%T\nend\n",
            "begin 899 x\n#0V%T\nend\n",
            "begin to end\n",
            "begin 644 x\nHello there\n",
            "begin 644 x\n",
            "=ybegin line=128 name=x\n=yend\n",
            "a =ybegin line=128 size=3 name=x\n",
            "begin ",
            "=ybegin ",
        ] {
            assert_eq!(found(text), [], "{text:?}");
        }
    }

    /// Encodes yEnc: adds 42 to each byte and escapes the four critical characters.
    fn yenc(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for (index, byte) in bytes.iter().enumerate() {
            match byte.wrapping_add(42) {
                critical @ (0 | b'\n' | b'\r' | b'=') => {
                    out.extend([b'=', critical.wrapping_add(64)]);
                }
                plain => out.push(plain),
            }
            if index % 128 == 127 {
                out.extend(b"\r\n");
            }
        }
        out
    }

    fn checked(text: &[u8]) -> (String, u64, Option<bool>, Option<bool>) {
        let list = blocks(text);
        let [block] = &list[..] else {
            panic!("{list:?}")
        };
        let name = String::from_utf8_lossy(&text[block.name.clone()]).into_owned();
        (name, block.size, block.size_fits, block.sum_fits)
    }

    #[test]
    fn sizes_and_sums_are_checked() {
        // The check value of CRC-32: "123456789" gives CBF43926.
        let yenc_block = |size: usize, end: &str, data: &[u8]| {
            let head = format!("=ybegin line=128 size={size} name=a b.bin\r\n");
            [
                head.as_bytes(),
                data,
                format!("\r\n=yend {end}\r\n").as_bytes(),
            ]
            .concat()
        };
        let digits = yenc(b"123456789");
        for (text, want) in [
            (
                yenc_block(9, "size=9 crc32=cbf43926", &digits),
                (9, Some(true), Some(true)),
            ),
            (
                yenc_block(9, "size=9 crc32=CBF43926", &digits),
                (9, Some(true), Some(true)),
            ),
            (yenc_block(9, "size=9", &digits), (9, Some(true), None)),
            (
                yenc_block(9, "size=8 crc32=00000000", &digits),
                (9, Some(false), Some(false)),
            ),
            (
                yenc_block(10, "size=9 crc32=cbf43926", &digits),
                (9, Some(false), Some(true)),
            ),
        ] {
            assert_eq!(
                checked(&text),
                ("a b.bin".to_owned(), want.0, want.1, want.2),
                "{}",
                text.escape_ascii()
            );
        }
        let part = [
            b"=ybegin part=1 total=2 line=128 size=18 name=x\n=ypart begin=1 end=9\n".as_slice(),
            &digits,
            b"\n=yend size=9 part=1 pcrc32=cbf43926 crc32=00000000\n",
        ];
        assert_eq!(
            checked(&part.concat()),
            ("x".to_owned(), 9, Some(true), Some(true))
        );
        let open = [b"=ybegin line=128 size=18 name=x\n".as_slice(), &digits].concat();
        assert_eq!(checked(&open), ("x".to_owned(), 9, Some(false), None));
        // Every byte is decoded correctly.
        let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
        assert_eq!(
            checked(&yenc_block(1000, "size=1000", &yenc(&all))).2,
            Some(true)
        );
    }

    #[test]
    fn uuencode_reports_name_and_size() {
        let text = "begin 644 a b.txt\n#0V%T\n`\nend\n";
        assert_eq!(
            checked(text.as_bytes()),
            ("a b.txt".to_owned(), 3, None, None)
        );
    }

    #[test]
    fn every_cut_of_a_block_is_read() {
        let text = "x\nbegin 644 a\n#0V%T\n`\nend\n=ybegin line=1 size=2 name=x\nr\n=yend size=2\n";
        for end in 0..text.len() {
            for block in blocks(&text.as_bytes()[..end]) {
                assert!(block.at.start < block.at.end && block.at.end <= end);
            }
        }
    }
}
