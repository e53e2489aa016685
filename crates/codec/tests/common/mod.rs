//! What the tests of every decoder share.
#![allow(dead_code)]

mod random;
pub(crate) mod shared_material;

use mailglot_codec::{Charset, Decoder, LossLog, Mode};
pub(crate) use random::Random;
use std::path::PathBuf;

/// Text and losses of one decoding, comparable.
pub(crate) type Answer = (String, LossLog);

/// Decodes the pieces one after another.
pub(crate) fn decode_pieces<'a>(
    charset: Charset,
    mode: Mode,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Answer {
    decode_behind(charset, mode, pieces, |_, _| "")
}

/// Like [`decode_pieces`], but calls `take` on each piece first, and decodes only what follows the text that it returns.
fn decode_behind<'a>(
    charset: Charset,
    mode: Mode,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    take: impl Fn(&mut Decoder, &'a [u8]) -> &'a str,
) -> Answer {
    let (mut text, mut log) = (String::new(), LossLog::with_limit(10_000));
    let mut decoder = charset.new_decoder(mode);
    for piece in pieces {
        let taken = take(&mut decoder, piece);
        text.push_str(taken);
        decoder.push(&piece[taken.len()..], &mut text, &mut log);
    }
    decoder.finish(&mut text, &mut log);
    (text, log)
}

/// Decodes in one piece.
pub(crate) fn decode(charset: Charset, mode: Mode, bytes: &[u8]) -> Answer {
    decode_pieces(charset, mode, [bytes])
}

/// The split law: cut anywhere, at any number of places, the input gives the same text and the same losses.
pub(crate) fn split_everywhere(charset: Charset, mode: Mode, bytes: &[u8], random: &mut Random) {
    let whole = decode(charset, mode, bytes);
    let check = |how: &str, split: &Answer| {
        assert!(
            *split == whole,
            "{charset} {mode:?} {how} {bytes:x?}\nwhole {whole:?}\nsplit {split:?}"
        );
    };
    let step = (bytes.len() / 64).max(1);
    for at in (0..=bytes.len()).step_by(step) {
        let (a, b) = bytes.split_at(at);
        check("two pieces", &decode_pieces(charset, mode, [a, b]));
        let taken = decode_behind(charset, mode, [a, b], Decoder::take_text);
        check("two pieces with text", &taken);
    }
    check(
        "byte by byte",
        &decode_pieces(charset, mode, bytes.chunks(1)),
    );
    for _ in 0..4 {
        let mut pieces = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (a, b) = rest.split_at(random.below(rest.len().min(9) as u32 + 1) as usize);
            pieces.push(a);
            rest = b;
        }
        check("random pieces", &decode_pieces(charset, mode, pieces));
    }
    if mode == Mode::Lenient {
        let mut log = LossLog::with_limit(10_000);
        let text = charset.decode(bytes, &mut log).into_owned();
        check("whole input", &(text, log));
    }
}

impl Random {
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u32) as usize]
    }
}

/// Returns a file of the shared test material, if the environment names its folder.
pub(crate) fn shared(what: &str) -> Option<PathBuf> {
    Some(shared_material::folder()?.join(what))
}

/// The records of a file of comma-separated values, without the head line.
pub(crate) fn csv(path: &std::path::Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.push(c),
        }
    }
    rows.split_off(1)
}

/// Bytes from hexadecimal digits.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    digits
        .as_bytes()
        .chunks(2)
        .map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap())
        .collect()
}

/// Text from Python's escapes.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let digits = match chars.next().unwrap() {
            'n' => "A".to_owned(),
            'r' => "D".to_owned(),
            't' => "9".to_owned(),
            '\\' => "5C".to_owned(),
            'x' => chars.by_ref().take(2).collect(),
            'u' => chars.by_ref().take(4).collect(),
            'U' => chars.by_ref().take(8).collect(),
            other => panic!("escape {other}"),
        };
        out.push(char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap());
    }
    out
}
