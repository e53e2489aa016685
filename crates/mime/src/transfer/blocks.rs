//! Encoded blocks inside text: uuencode (POSIX) and yEnc (the draft of 2002). They are found and checked, and stay as they are.
//!
//! # Limits
//!
//! uuencode has neither size nor sum to check: its size is the sum of what its lines tell. The sum of a whole file that comes in several
//! parts of yEnc is not checked, that of each part is.
//!
//! A block begins at the start of a line; what quotes it (`> begin 644 x`) hides it. Base64 in the frame of uuencode (`begin-base64`) is
//! not looked for.

mod content;

pub(crate) use content::content;

use crate::event::{BlockCheck, EventKind};
use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::LazyLock;

/// A block, from its first line to its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// `cte.uuencode` or `cte.yenc`.
    pub(crate) kind: EventKind,
    pub(crate) at: Range<usize>,
    /// Its last line is there.
    pub(crate) ended: bool,
    /// The name of the file, as written.
    pub(crate) name: Range<usize>,
    /// Bytes of the file, or of the part of it, that the block stands for.
    pub(crate) size: u64,
    /// Whether that is the size that the block tells; None where it tells none.
    pub(crate) size_fits: Option<bool>,
    /// Whether the bytes have the checksum that the block tells.
    pub(crate) sum_fits: Option<bool>,
}

impl Block {
    /// Returns what an event says about it.
    pub(crate) fn check(&self) -> BlockCheck {
        BlockCheck {
            size: self.size,
            ended: self.ended,
            size_fits: self.size_fits,
            sum_fits: self.sum_fits,
        }
    }
}

/// Both words have it in them: one search does.
static BEGIN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"begin "));

/// What stands before it in yEnc.
const YENC: &[u8] = b"=y";

/// The blocks of a text, in order. Linear time.
pub(crate) fn blocks(text: &[u8]) -> Vec<Block> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = BEGIN.find(&text[at..]) {
        let word = at + step;
        at = word + BEGIN.needle().len();
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
            // What looks like a block within a block is data.
            at = at.max(block.at.end);
            found.push(block);
        }
    }
    found
}

/// What of a text stands in no block.
pub(crate) fn beside(blocks: &[Block], text: &[u8]) -> Vec<u8> {
    let (mut rest, mut at) = (Vec::new(), 0);
    for block in blocks {
        rest.extend_from_slice(&text[at..block.at.start]);
        at = block.at.end;
    }
    rest.extend_from_slice(&text[at..]);
    rest
}

/// Whether binary data stands in a text: a yEnc block.
pub(crate) fn has_yenc(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| block.kind == EventKind::CteYenc)
}

/// The line at `start` without its line end and blanks before that, and the start of the next.
fn line(text: &[u8], start: usize) -> (&[u8], usize) {
    let rest = &text[start..];
    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let width = if rest[end..].starts_with(b"\r\n") {
        2
    } else {
        usize::from(end < rest.len())
    };
    (&rest[..end], start + end + width)
}

/// `begin`, three or four octal digits, a name; then lines whose first character tells their length.
fn uuencoded(text: &[u8], start: usize) -> Option<Block> {
    let (first, mut at) = line(text, start);
    let mode = first.get(BEGIN.needle().len()..)?;
    let digits = mode.iter().take_while(|b| matches!(b, b'0'..=b'7')).count();
    if !(3..=4).contains(&digits) || mode.get(digits) != Some(&b' ') {
        return None;
    }
    let name = start + BEGIN.needle().len() + digits + 1..start + first.len();
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
    // Words that happen to follow "begin 644 x" are no block; a line of full length is.
    full.then(|| block(at, false, size))
}

/// Number of bytes that a line of uuencode stands for; None for another line.
fn uuencoded_length(line: &[u8]) -> Option<usize> {
    let (&first, data) = line.split_first()?;
    let length = usize::from(first.checked_sub(b' ').filter(|n| *n <= 64)?) & 63;
    let characters = length.div_ceil(3) * 4;
    // Blanks at the end are often gone; some programs add a character as a check.
    let data_end = data.trim_ascii_end().len();
    let fits = data_end <= characters + 1 && data.iter().all(|b| matches!(b, b' '..=b'`'));
    fits.then_some(length)
}

/// `=ybegin` with `line=` and `size=`; up to `=yend`.
fn yencoded(text: &[u8], start: usize) -> Option<Block> {
    let (first, mut at) = line(text, start);
    let has = |word: &[u8]| memchr::memmem::find(first, word).is_some();
    if !has(b" line=") || !has(b" size=") {
        return None;
    }
    // The name is the last of the line and may hold anything.
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
    let told = [whole, number(last, b" size=", 10)];
    let mut told = told.into_iter().flatten().peekable();
    block.size_fits = told
        .peek()
        .is_some()
        .then(|| told.all(|size| size == data.size));
    let sum = if parts {
        number(last, b" pcrc32=", 16)
    } else {
        number(last, b" crc32=", 16)
    };
    block.sum_fits = sum.map(|sum| sum == u64::from(!data.sum));
    Some(block)
}

/// The number behind a word of a line of yEnc.
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

/// The remainders of all bytes (ISO 3309, polynomial EDB88320).
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
            // Not at the start of a line it is text.
            assert_eq!(
                found(&format!("> {block}").replace('\n', "\n> ")),
                [],
                "{block:?}"
            );
        }
    }

    #[test]
    fn words_are_no_blocks() {
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

    /// yEnc as its draft has it: 42 more, and an escape before the four critical characters.
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
        let told = |size: usize, end: &str, data: &[u8]| {
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
                told(9, "size=9 crc32=cbf43926", &digits),
                (9, Some(true), Some(true)),
            ),
            (
                told(9, "size=9 crc32=CBF43926", &digits),
                (9, Some(true), Some(true)),
            ),
            (told(9, "size=9", &digits), (9, Some(true), None)),
            (
                told(9, "size=8 crc32=00000000", &digits),
                (9, Some(false), Some(false)),
            ),
            (
                told(10, "size=9 crc32=cbf43926", &digits),
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
        // Every byte comes through, whatever it becomes.
        let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
        assert_eq!(checked(&told(1000, "size=1000", &yenc(&all))).2, Some(true));
    }

    #[test]
    fn uuencode_tells_name_and_size() {
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
