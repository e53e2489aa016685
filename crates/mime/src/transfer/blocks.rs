//! Encoded blocks inside text: uuencode (POSIX) and yEnc (the draft of 2002). They are found, not decoded.
//!
//! # Limits
//!
//! A block begins at the start of a line; what quotes it (`> begin 644 x`) hides it. Base64 in the frame of uuencode (`begin-base64`) is
//! not looked for.

use crate::EventKind;
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
        if let Some(block) = if yenc { yencoded(text, start) } else { uuencoded(text, start) } {
            // What looks like a block within a block is data.
            at = at.max(block.at.end);
            found.push(block);
        }
    }
    found
}

/// Whether binary data stands in a text: a yEnc block.
pub(crate) fn has_yenc(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| block.kind == EventKind::CteYenc)
}

/// The line at `start` without its line end and blanks before that, and the start of the next.
fn line(text: &[u8], start: usize) -> (&[u8], usize) {
    let rest = &text[start..];
    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let width = if rest[end..].starts_with(b"\r\n") { 2 } else { usize::from(end < rest.len()) };
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
    let (mut full, mut lines) = (false, 0_usize);
    while at < text.len() {
        let (content, next) = line(text, at);
        if content.trim_ascii_end() == b"end" {
            let block = Block { kind: EventKind::CteUuencode, at: start..next, ended: true };
            return Some(block);
        }
        let Some(length) = uuencoded_length(content) else { break };
        full |= length == 45;
        lines += 1;
        at = next;
    }
    // Words that happen to follow "begin 644 x" are no block; a line of full length is.
    (full && lines > 0).then_some(Block { kind: EventKind::CteUuencode, at: start..at, ended: false })
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
    while at < text.len() {
        let (content, next) = line(text, at);
        at = next;
        if content.starts_with(b"=yend ") {
            return Some(Block { kind: EventKind::CteYenc, at: start..at, ended: true });
        }
    }
    Some(Block { kind: EventKind::CteYenc, at: start..text.len(), ended: false })
}

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
            ("", "begin 644 a b.txt\n#0V%T\n`\nend\n", "after\n", "cte.uuencode", true),
            ("before\r\n", "begin 0644 x\r\n#0V%T\r\n \r\nend", "", "cte.uuencode", true),
            ("before\n", &format!("begin 600 x\n{full}{full}"), "\nNo end here\n", "cte.uuencode", false),
            ("x\n", "=ybegin line=128 size=3 name=a b\nr\u{80}\n=yend size=3\n", "y", "cte.yenc", true),
            ("x\n", "=ybegin part=1 line=128 size=3 name=a\n=ypart begin=1 end=2\nr", "", "cte.yenc", false),
        ];
        for (before, block, after, code, ended) in table {
            let text = format!("{before}{block}{after}");
            assert_eq!(found(&text), [(*code, *block, *ended)], "{text:?}");
            // Not at the start of a line it is text.
            assert_eq!(found(&format!("> {block}").replace('\n', "\n> ")), [], "{block:?}");
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
