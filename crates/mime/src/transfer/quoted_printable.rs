//! Quoted-printable (RFC 2045 6.7).
//!
//! # Limits
//!
//! Trailing blanks of a line are removed as RFC 2045 6.7 (3) demands, whoever put them there.

use super::{Decoded, Sink, Tally, TransferEncoding, finding};
use crate::EventKind;
use crate::encoded_word::Finding;
use std::borrow::Cow;
use std::ops::Range;

/// Characters of a line without its line end.
const WIDTH: usize = 76;

/// Encodes text whose line ends are `eol`: lines of at most 76 characters, trailing blanks encoded, `From ` at a line start and a lone `.` escaped,
/// CR and LF that are no `eol` escaped. Two hyphens at a line start are escaped too, so that no line is a delimiter of any multipart.
pub fn encode(bytes: &[u8], eol: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + bytes.len() / 8);
    let mut rest = bytes;
    loop {
        let (line, tail) = split_line(rest, eol);
        encode_line(line, eol, out);
        let Some(tail) = tail else {
            return;
        };
        out.extend_from_slice(eol);
        rest = tail;
    }
}

/// The first line, and what follows its line end.
fn split_line<'a>(bytes: &'a [u8], eol: &[u8]) -> (&'a [u8], Option<&'a [u8]>) {
    let (Some(&last), mut at) = (eol.last(), 0) else {
        return (bytes, None);
    };
    while let Some(found) = memchr::memchr(last, &bytes[at..]) {
        at += found + 1;
        if let Some(line) = bytes[..at].strip_suffix(eol) {
            return (line, Some(&bytes[at..]));
        }
    }
    (bytes, None)
}

fn encode_line(line: &[u8], eol: &[u8], out: &mut Vec<u8>) {
    // A line that needs nothing, as most do.
    if line.len() <= WIDTH
        && line.iter().all(|&b| SAFE[usize::from(b)])
        && !matches!(line.last(), Some(b' ' | b'\t'))
        && !is_special_start(line)
    {
        out.extend_from_slice(line);
        return;
    }
    let mut column = 0;
    for (at, &byte) in line.iter().enumerate() {
        let last = at + 1 == line.len();
        let escape = |column: usize| {
            !SAFE[usize::from(byte)]
                || (last && matches!(byte, b' ' | b'\t'))
                || (column == 0 && is_special_start(&line[at..]))
        };
        let width = if escape(column) { 3 } else { 1 };
        // The equals sign of a soft line break needs a column, but on the last piece of the line.
        if column + width > WIDTH - usize::from(!last) {
            out.push(b'=');
            out.extend_from_slice(eol);
            column = 0;
        }
        if escape(column) {
            out.extend_from_slice(&[b'=', hex_digit(byte >> 4), hex_digit(byte & 15)]);
            column += 3;
        } else {
            out.push(byte);
            column += 1;
        }
    }
}

/// What some program takes for more than text at the start of a line: mbox separators, the end of SMTP data, delimiters.
fn is_special_start(line: &[u8]) -> bool {
    line == b"." || line.starts_with(b"From ") || line.starts_with(b"--")
}

/// Bytes that stand for themselves.
static SAFE: [bool; 256] = {
    let mut safe = [false; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        safe[byte as usize] = byte != b'=';
        byte += 1;
    }
    safe[b'\t' as usize] = true;
    safe
};

fn hex_digit(value: u8) -> u8 {
    b"0123456789ABCDEF"[usize::from(value & 15)]
}

/// Decodes a body (mime.md 4). Borrowed when nothing is escaped.
pub(super) fn decode<'a>(body: &'a [u8], findings: &mut Vec<Finding>) -> Decoded<'a> {
    let mut bytes = Bytes { body, prefix: 0, owned: None };
    let damage = read(body, &mut bytes);
    if damage.is_wrong_label() {
        findings.push(finding(EventKind::CteWrongLabel, 0..body.len(), "not quoted-printable", 1));
        return Decoded::identity(body);
    }
    damage.bad.report(EventKind::CteQpBadEscape, "", findings);
    if let Some(first) = body.iter().position(|b| !b.is_ascii()) {
        let last = body.iter().rposition(|b| !b.is_ascii()).unwrap_or(first);
        let count = body[first..=last].iter().filter(|b| !b.is_ascii()).count() as u64;
        findings.push(finding(EventKind::Cte8bitIn7bit, first..last + 1, "in quoted-printable", count));
    }
    Decoded { bytes: bytes.finish(), footer: None, used: TransferEncoding::QuotedPrintable }
}

/// Passes the decoded bytes with their places to `sink`; false for a body that is not quoted-printable.
pub(super) fn walk(body: &[u8], sink: &mut impl Sink) -> bool {
    !read(body, sink).is_wrong_label()
}

#[derive(Default)]
struct Damage {
    good: u64,
    bad: Tally,
}

impl Damage {
    /// Most equals signs are no escapes: `a=b`, addresses of pages.
    fn is_wrong_label(&self) -> bool {
        self.bad.count > self.good
    }
}

fn read(body: &[u8], sink: &mut impl Sink) -> Damage {
    let mut damage = Damage::default();
    let cr_only = memchr::memchr(b'\n', body).is_none() && memchr::memchr(b'\r', body).is_some();
    let line_end = if cr_only { b'\r' } else { b'\n' };
    // Bytes from here on stand for themselves, up to a blank before a line end.
    let mut run = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'=', line_end, &body[at..]) {
        at += found;
        if body[at] == line_end {
            let before = if cr_only || at == run || body[at - 1] != b'\r' { at } else { at - 1 };
            let text = trim_blanks(body, run, before);
            if text < before {
                emit(sink, run..text);
                run = before;
            }
            at += 1;
            continue;
        }
        emit(sink, run..at);
        run = at;
        while body.get(at) == Some(&b'=') {
            match escape(body, at) {
                Escape::Byte(byte) => {
                    sink.byte(byte, at..at + 3);
                    at += 3;
                }
                Escape::SoftBreak(next) => at = next,
                Escape::Bad => {
                    damage.bad.add(at..at + 1, 1);
                    at += 1;
                    break;
                }
            }
            damage.good += 1;
            run = at;
        }
    }
    emit(sink, run..trim_blanks(body, run, body.len()));
    damage
}

fn emit(sink: &mut impl Sink, run: Range<usize>) {
    if !run.is_empty() {
        sink.run(run);
    }
}

/// End of `body[start..end]` without trailing blanks.
fn trim_blanks(body: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && matches!(body[end - 1], b' ' | b'\t') {
        end -= 1;
    }
    end
}

enum Escape {
    Byte(u8),
    /// With the place where the text goes on.
    SoftBreak(usize),
    Bad,
}

/// What the equals sign at `at` stands for.
#[inline]
fn escape(body: &[u8], at: usize) -> Escape {
    let rest = &body[at + 1..];
    if let [high, low, ..] = *rest
        && let (Some(high), Some(low)) = (hex_value(high), hex_value(low))
    {
        return Escape::Byte(high << 4 | low);
    }
    let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let returns = rest[blanks..].iter().take_while(|&&b| b == b'\r').count();
    let place = at + 1 + blanks;
    match rest.get(blanks + returns) {
        Some(b'\n') => Escape::SoftBreak(place + returns + 1),
        _ if returns > 0 => Escape::SoftBreak(place + 1),
        // At the end of the body the line end went to the delimiter.
        None => Escape::SoftBreak(place),
        Some(_) => Escape::Bad,
    }
}

#[inline]
fn hex_value(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// Collects decoded bytes; copies nothing while they are those of the body.
struct Bytes<'a> {
    body: &'a [u8],
    prefix: usize,
    owned: Option<Vec<u8>>,
}

impl<'a> Bytes<'a> {
    #[inline]
    fn owned(&mut self) -> &mut Vec<u8> {
        let (body, prefix) = (self.body, self.prefix);
        self.owned.get_or_insert_with(|| {
            let mut bytes = Vec::with_capacity(body.len());
            bytes.extend_from_slice(&body[..prefix]);
            bytes
        })
    }

    fn finish(self) -> Cow<'a, [u8]> {
        match self.owned {
            Some(bytes) => Cow::Owned(bytes),
            None => Cow::Borrowed(&self.body[..self.prefix]),
        }
    }
}

impl Sink for Bytes<'_> {
    #[inline]
    fn run(&mut self, from: Range<usize>) {
        if self.owned.is_none() && from.start == self.prefix {
            self.prefix = from.end;
        } else {
            let body = self.body;
            self.owned().extend_from_slice(&body[from]);
        }
    }

    #[inline]
    fn byte(&mut self, byte: u8, _: Range<usize>) {
        self.owned().push(byte);
    }
}
