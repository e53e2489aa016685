//! Encodes and decodes quoted-printable (RFC 2045, section 6.7).
//!
//! # Limits
//!
//! Removes and reports trailing blanks of a line, as RFC 2045 6.7 (3) demands. Plain markup under this label is misread as
//! quoted-printable if one line ends in an equals sign for every eight other equals signs.

mod escape;
mod never_encoded;
mod raw_addresses;
mod web_address;
mod well_formed;

use super::base64::text_lines;
use super::decoded::{Decoded, RangeCount, Sink};
use super::encoding::TransferEncoding;
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer::eight_bit_bytes;
use escape::{Escape, escape};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of characters in a line, without its line end.
const WIDTH: usize = 76;

/// Encodes text whose line ends are `eol`, in lines of at most 76 characters.
///
/// Escapes trailing blanks, and CR and LF that are no `eol`. At the start of a line, escapes `From `, a lone `.`, and two hyphens,
/// so that no line is a delimiter.
///
/// If `eol` is LF, both bytes of a CR LF are data: they are escaped, and a soft line break follows. `=0D` before a plain LF would
/// become CR CR LF in a transport that sends LF as CR LF.
///
/// Escapes the first character of text that would look like base64 under a wrong label.
///
/// Escapes the colons of `://` if a web address would look like one that was never encoded: `http=3A//x/?a=01b`.
pub fn encode(bytes: &[u8], eol: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    encode_lines(bytes, eol, Addresses::Readable, out);
    if !raw_addresses::equals_signs(&out[start..]).is_empty() {
        out.truncate(start);
        encode_lines(bytes, eol, Addresses::Hidden, out);
    }
    if text_lines::is_base64_of_letters(&out[start..])
        && let Some(blanks) = out[start..].iter().position(|b| !b.is_ascii_whitespace())
    {
        let first = start + blanks;
        let escape = ESCAPES[usize::from(out[first])];
        let escaped = [&escape[..], b"=", eol].concat();
        out.splice(first..=first, escaped);
    }
}

/// Whether the colons of `://` are escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Addresses {
    Readable,
    Hidden,
}

impl Addresses {
    /// Returns the offset of a colon that is escaped.
    fn hidden_colon(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Readable => None,
            Self::Hidden => memchr::memmem::find(text, raw_addresses::SCHEME_END),
        }
    }
}

fn encode_lines(bytes: &[u8], eol: &[u8], addresses: Addresses, out: &mut Vec<u8>) {
    out.reserve(bytes.len() + bytes.len() / 8);
    let mut rest = bytes;
    loop {
        let (line, tail) = split_line(rest, eol);
        let Some(tail) = tail else {
            return encode_line(line, 0, eol, addresses, out);
        };
        if eol == b"\n" && line.ends_with(b"\r") {
            // At the end of the text, no soft line break is needed.
            let soft = usize::from(!tail.is_empty());
            encode_line(&rest[..=line.len()], soft, eol, addresses, out);
            if soft > 0 {
                out.push(b'=');
                out.extend_from_slice(eol);
            }
        } else {
            encode_line(line, 0, eol, addresses, out);
            out.extend_from_slice(eol);
        }
        rest = tail;
    }
}

/// Returns the first line, and the text after its line end.
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

/// Encodes a line without its end, and leaves `spare` columns of its last output line free.
fn encode_line(line: &[u8], spare: usize, eol: &[u8], addresses: Addresses, out: &mut Vec<u8>) {
    // Most lines need no escape.
    if line.len() <= WIDTH
        // Checks all bytes without early exit, so that the compiler can use vector registers.
        && line.iter().fold(true, |safe, &b| safe & is_safe(b))
        && !matches!(line.last(), Some(b' ' | b'\t'))
        && !is_special_start(line)
        && addresses.hidden_colon(line).is_none()
    {
        out.extend_from_slice(line);
        return;
    }
    // A blank at the end is escaped.
    let text_end = line.len() - usize::from(matches!(line.last(), Some(b' ' | b'\t')));
    let (mut at, mut column) = (0, 0);
    while at < line.len() {
        if column == 0 && is_special_start(&line[at..]) {
            out.extend_from_slice(&ESCAPES[usize::from(line[at])]);
            (at, column) = (at + 1, 3);
            continue;
        }
        let room = WIDTH - column;
        let window = &line[at..text_end.min(at + room)];
        let safe = window
            .iter()
            .position(|&b| !is_safe(b))
            .unwrap_or(window.len());
        let scheme_end = &line[at..line
            .len()
            .min(at + safe + raw_addresses::SCHEME_END.len() - 1)];
        let colon = addresses.hidden_colon(scheme_end);
        let safe = colon.unwrap_or(safe);
        // The equals sign of a soft line break needs a column, except after the last piece of the line.
        let run = if at + safe == line.len() {
            safe
        } else {
            safe.min(room - 1)
        };
        out.extend_from_slice(&line[at..at + run]);
        (at, column) = (at + run, column + run);
        let Some(&byte) = line.get(at) else {
            return;
        };
        let full = at < text_end && is_safe(byte) && colon != Some(run);
        let needed = if at + 1 < line.len() { 1 } else { spare };
        if full || column + 3 > WIDTH - needed {
            out.push(b'=');
            out.extend_from_slice(eol);
            column = 0;
        } else {
            out.extend_from_slice(&ESCAPES[usize::from(byte)]);
            (at, column) = (at + 1, column + 3);
        }
    }
}

/// Returns true for a line start with a meaning to some program: mbox separators, the end of SMTP data, delimiters.
fn is_special_start(line: &[u8]) -> bool {
    line == b"." || line.starts_with(b"From ") || line.starts_with(b"--")
}

/// Returns true for a byte that needs no escape.
#[inline]
fn is_safe(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'<' | b'>'..=b'~')
}

/// The escape of each byte.
static ESCAPES: [[u8; 3]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut escapes = [[b'='; 3]; 256];
    let mut byte = 0;
    while byte < 256 {
        escapes[byte][1] = DIGITS[byte >> 4];
        escapes[byte][2] = DIGITS[byte & 15];
        byte += 1;
    }
    escapes
};

/// Decodes a quoted-printable body (RFC 2045, section 6.7). Borrows `body` if nothing in it is escaped.
pub(super) fn decode<'a>(body: &'a [u8], findings: &mut Vec<Finding>) -> Decoded<'a> {
    let raw_signs = raw_addresses::equals_signs(body);
    if raw_signs.is_empty()
        && let Some(bytes) = well_formed::decode(body)
    {
        return Decoded::new(TransferEncoding::QuotedPrintable, bytes);
    }
    let mut bytes = BodyWriter {
        body,
        prefix: 0,
        owned: None,
    };
    let damage = read(body, &raw_signs, &mut bytes);
    if damage.is_wrong_label(body) {
        return Decoded::wrongly_labelled(body, Reason::NotQuotedPrintable, findings);
    }
    damage
        .bad
        .report(EventKind::CteQpBadEscape, Detail::None, findings);
    damage.blanks.report(
        EventKind::CteQpTrailingBlanks,
        Reason::TrailingBlanks,
        findings,
    );
    let (at, count) = eight_bit_bytes(body, 0..body.len());
    if count > 0 {
        let (kind, reason) = (EventKind::Cte8bitIn7bit, Reason::InQuotedPrintable);
        findings.add_counted(at, kind, reason, count);
    }
    Decoded::new(TransferEncoding::QuotedPrintable, bytes.finish())
}

/// Passes decoded bytes with their ranges to `sink`. Returns false for a body that is not quoted-printable.
pub(super) fn walk(body: &[u8], sink: &mut impl Sink) -> bool {
    !read(body, &raw_addresses::equals_signs(body), sink).is_wrong_label(body)
}

/// Maximum number of invalid escapes per certain one in a quoted-printable body. Appended plain markup has many of them.
const STRAY: u64 = 8;
/// Like [`STRAY`], for a body with escapes of controls, such as `=00` and `=12`. Numbers and dates behind equals signs look like them.
const STRAY_BESIDE_CONTROLS: u64 = 2;

#[derive(Default)]
struct QuotedPrintableDamage {
    good: u64,
    /// Valid escapes that are rare in plain text: bytes above 7F in upper-case digits, the equals sign itself, soft line breaks.
    certain: u64,
    bad: RangeCount,
    /// Valid escapes of controls that no text has, such as `=00`.
    controls: u64,
    /// Trailing blanks of lines, in bytes.
    blanks: RangeCount,
}

impl QuotedPrintableDamage {
    /// Returns true if most equals signs are invalid escapes (`a=b`, URLs) and hardly any are certain ones, or if no program encoded
    /// the body.
    fn is_wrong_label(&self, body: &[u8]) -> bool {
        let stray = if self.controls > 1 {
            STRAY_BESIDE_CONTROLS
        } else {
            STRAY
        };
        let is_stray = self.bad.count > self.good && self.bad.count > stray * self.certain;
        is_stray || self.bad.count > 0 && never_encoded::is_never_encoded(body)
    }
}

/// Decodes the body. Equals signs at `raw_signs` are text.
fn read(body: &[u8], raw_signs: &[usize], sink: &mut impl Sink) -> QuotedPrintableDamage {
    let mut damage = QuotedPrintableDamage::default();
    let cr_only = memchr::memchr(b'\n', body).is_none() && memchr::memchr(b'\r', body).is_some();
    let line_end = if cr_only { b'\r' } else { b'\n' };
    // Start of bytes that are copied verbatim, up to a blank before a line end.
    let mut run = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'=', line_end, &body[at..]) {
        at += found;
        if body[at] == line_end {
            let before = if cr_only || at == run || body[at - 1] != b'\r' {
                at
            } else {
                at - 1
            };
            let text = trim_blanks(body, run, before);
            if text < before {
                damage.blanks.add(text..before, (before - text) as u64);
                emit(sink, run..text);
                run = before;
            }
            at += 1;
            continue;
        }
        emit(sink, run..at);
        run = at;
        while body.get(at) == Some(&b'=') {
            let read = match raw_signs.binary_search(&at) {
                Ok(_) => Escape::Bad,
                Err(_) => escape(body, at),
            };
            match read {
                Escape::Byte(byte) => {
                    sink.byte(byte, at..at + 3);
                    let capital =
                        !body[at + 1].is_ascii_lowercase() && !body[at + 2].is_ascii_lowercase();
                    damage.certain += u64::from(capital && (byte >= 0x80 || byte == b'='));
                    damage.controls += u64::from(is_control(byte));
                    at += 3;
                }
                Escape::SoftBreak(next) => {
                    // A line of equals signs is a rule.
                    let rule = at == 0 || matches!(body[at - 1], b'=' | b'\n' | b'\r');
                    damage.certain += u64::from(!rule && next < body.len());
                    at = next;
                }
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
    let text = trim_blanks(body, run, body.len());
    if text < body.len() {
        damage
            .blanks
            .add(text..body.len(), (body.len() - text) as u64);
    }
    emit(sink, run..text);
    damage
}

/// Returns true for controls that no text has. ISO 2022 has ESC, SO and SI.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x0E | 0x0F | 0x1B)
}

fn emit(sink: &mut impl Sink, run: Range<usize>) {
    if !run.is_empty() {
        sink.run(run);
    }
}

/// Returns the end of `body[start..end]` without trailing blanks.
fn trim_blanks(body: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && matches!(body[end - 1], b' ' | b'\t') {
        end -= 1;
    }
    end
}

/// Collects decoded bytes. Copies nothing while they equal the bytes of the body.
struct BodyWriter<'a> {
    body: &'a [u8],
    prefix: usize,
    owned: Option<Vec<u8>>,
}

impl<'a> BodyWriter<'a> {
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

impl Sink for BodyWriter<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;
    use mailglot_kernel::hex_escapes::digit_value;
    use quoted_printable::ParseMode;

    fn decoded(body: &[u8]) -> (Vec<u8>, TransferEncoding, Vec<&'static str>) {
        let mut findings = Vec::new();
        let result = decode(body, &mut findings);
        for finding in &findings {
            assert!(
                finding.at.start <= finding.at.end
                    && finding.at.end <= body.len()
                    && finding.count > 0
            );
        }
        let codes = findings.iter().map(|f| f.kind.code()).collect();
        (result.bytes.into_owned(), result.used, codes)
    }

    fn encoded(text: &[u8], eol: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        encode(text, eol, &mut out);
        out
    }

    #[test]
    fn bodies_clean_and_damaged() {
        const QP: TransferEncoding = TransferEncoding::QuotedPrintable;
        const NONE: TransferEncoding = TransferEncoding::Identity;
        type Row = (
            &'static [u8],
            &'static [u8],
            TransferEncoding,
            &'static [&'static str],
        );
        let table: &[Row] = &[
            (b"", b"", QP, &[]),
            (b"plain\r\ntext\n", b"plain\r\ntext\n", QP, &[]),
            (b"=C3=bc=C3=9F\r\n", "üß\r\n".as_bytes(), QP, &[]),
            // Soft line breaks, also with blanks, with any line end, and at the end of the body.
            (b"a=\r\nb=\nc= \t\r\nd=\r\r\ne=", b"abcde", QP, &[]),
            (b"a=\rb=\rc\r", b"abc\r", QP, &[]),
            (b"a=  ", b"a", QP, &[]),
            (b"a =\nb", b"a b", QP, &[]),
            // Trailing blanks.
            (
                b"a \t\r\nb \n  \nc  ",
                b"a\r\nb\n\nc",
                QP,
                &["cte.qp-trailing-blanks"],
            ),
            (
                b"a=20\nb=20 \n",
                b"a \nb \n",
                QP,
                &["cte.qp-trailing-blanks"],
            ),
            (b"a \rb \r", b"a\rb\r", QP, &["cte.qp-trailing-blanks"]),
            // Invalid escapes stay.
            (
                b"=3Cscript=\r\n=3E =ZZ =3 =\r\r\n",
                b"<script> =ZZ =3 ",
                QP,
                &["cte.qp-bad-escape"],
            ),
            (
                b"=3c=0D=0A.=0D=0A=00 x=    \r\ny\r\n",
                b"<\r\n.\r\n\0 xy\r\n",
                QP,
                &[],
            ),
            (b"=41==42", b"A=B", QP, &["cte.qp-bad-escape"]),
            // Raw 8-bit bytes stay.
            (b"=41 \xE4", b"A \xE4", QP, &["cte.8bit-in-7bit"]),
            // Appended markup does not prevent the decoding of the text before it.
            (
                b"caf=E9 au =\n<p class=\"a\" style=\"b\" id=\"c\">d</p>\n",
                b"caf\xE9 au <p class=\"a\" style=\"b\" id=\"c\">d</p>\n",
                QP,
                &["cte.qp-bad-escape"],
            ),
            // Never quoted-printable, whatever the end.
            (
                b"<a b=\"c\" d=\"e\">\n====\n",
                b"<a b=\"c\" d=\"e\">\n====\n",
                NONE,
                &["cte.wrong-label"],
            ),
            (b"a=b c=d e=f=", b"a=b c=d e=f=", NONE, &["cte.wrong-label"]),
            (
                b"?a=x&b=y&c=e9&d=z",
                b"?a=x&b=y&c=e9&d=z",
                NONE,
                &["cte.wrong-label"],
            ),
            (b"a=b, c=d \n", b"a=b, c=d \n", NONE, &["cte.wrong-label"]),
            // Numbers look like escapes of controls.
            (
                b"str=0001,id=1260,a=b,c=x,d=y,e=z,h=k; ip=94.2 x=\n",
                b"str=0001,id=1260,a=b,c=x,d=y,e=z,h=k; ip=94.2 x=\n",
                NONE,
                &["cte.wrong-label"],
            ),
            (
                b"=00=12,a=b,c=x,d=y caf=E9 au =\nx",
                b"\0\x12,a=b,c=x,d=y caf\xE9 au x",
                QP,
                &["cte.qp-bad-escape"],
            ),
            (
                b"http://example.org/?a=x&b=y&c=20",
                b"http://example.org/?a=x&b=y&c=20",
                NONE,
                &["cte.wrong-label"],
            ),
        ];
        for (body, bytes, used, codes) in table {
            let found = decoded(body);
            assert_eq!(
                found.0.escape_ascii().to_string(),
                bytes.escape_ascii().to_string(),
                "{}",
                body.escape_ascii()
            );
            assert_eq!(
                (found.1, found.2.as_slice()),
                (*used, *codes),
                "{}",
                body.escape_ascii()
            );
        }
        assert!(matches!(
            decode(b"nothing\n", &mut Vec::new()).bytes,
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn trailing_blanks_are_counted() {
        for (body, at, count) in [
            (&b"=C3 \t\r\nb\n  \nc=20  "[..], 3..18, 6),
            (b"x=\n \n", 3..4, 1),
            (b" ", 0..1, 1),
        ] {
            let mut findings = Vec::new();
            decode(body, &mut findings);
            let found: Vec<_> = findings
                .iter()
                .map(|f| (f.kind, f.at.clone(), f.count))
                .collect();
            assert_eq!(
                found,
                [(EventKind::CteQpTrailingBlanks, at, count)],
                "{}",
                body.escape_ascii()
            );
        }
    }

    #[test]
    fn every_pair_after_an_equals_sign() {
        for first in 0..=255_u8 {
            for second in 0..=255_u8 {
                // Enough valid escapes that the body counts as quoted-printable.
                let body = [b"=41=41=41x=".as_slice(), &[first, second], b"y"].concat();
                let (found, used, codes) = decoded(&body);
                assert_eq!(used, TransferEncoding::QuotedPrintable);
                let tail = &found[4..];
                match (digit_value(first), digit_value(second)) {
                    (Some(high), Some(low)) => assert_eq!(tail, [high * 16 + low, b'y']),
                    _ if matches!(first, b'\r' | b'\n') => {
                        assert!(!tail.contains(&b'=') || second == b'=', "{first} {second}");
                    }
                    _ if matches!(first, b' ' | b'\t') && matches!(second, b'\r' | b'\n') => {
                        assert_eq!(tail, b"y");
                    }
                    _ if first == b'=' && matches!(second, b'\r' | b'\n') => {
                        assert_eq!(tail, b"=y");
                    }
                    _ => {
                        assert_eq!(tail, [b'=', first, second, b'y'], "{first} {second}");
                        assert!(codes.contains(&"cte.qp-bad-escape"));
                    }
                }
            }
        }
    }

    #[test]
    fn clean_bodies_are_those_of_the_quoted_printable_crate() {
        let text = "Grüße aus Köln = schön\r\nzweite Zeile, die so lang ist, daß sie nicht in eine Zeile paßt, sondern in zwei\r\n \r\n日本語\t\r\nend";
        let theirs = quoted_printable::encode(text);
        assert_eq!(decoded(&theirs).0, text.as_bytes());
        let ours = encoded(text.as_bytes(), b"\r\n");
        assert_eq!(
            quoted_printable::decode(&ours, ParseMode::Strict).unwrap(),
            text.as_bytes()
        );
    }

    #[test]
    fn line_ends_of_another_form_are_escaped_whole() {
        for (text, eol, body) in [
            (
                &b"a\r\nb\nc\r\n"[..],
                &b"\n"[..],
                &b"a=0D=0A=\nb\nc=0D=0A"[..],
            ),
            (b"a\r\r\nb\r", b"\n", b"a=0D=0D=0A=\nb=0D"),
            (b"a\nb\r\nc\n", b"\r\n", b"a=0Ab\r\nc=0A"),
            (b"\r\n.\r\n", b"\n", b"=0D=0A=\n.=0D=0A"),
        ] {
            assert_eq!(
                encoded(text, eol).escape_ascii().to_string(),
                body.escape_ascii().to_string()
            );
            assert_eq!(decoded(body).0, text);
        }
        // No line is longer than 76 characters, including the soft line break.
        for length in 0..160 {
            let text = [&b"x".repeat(length)[..], b"\r\ny\n"].concat();
            let body = encoded(&text, b"\n");
            assert!(
                body.split(|b| *b == b'\n').all(|line| line.len() <= WIDTH),
                "{}",
                body.escape_ascii()
            );
            assert_eq!(decoded(&body).0, text);
        }
    }

    #[test]
    fn encoder_escapes_special_line_starts() {
        let table: &[(&str, &str)] = &[
            ("", ""),
            ("plain\n", "plain\n"),
            ("a=b\n", "a=3Db\n"),
            ("blank \ntab\t\n", "blank=20\ntab=09\n"),
            ("From me\n>From me\nFrom", "=46rom me\n>From me\nFrom"),
            (".\n..\n.x\n", "=2E\n..\n.x\n"),
            ("--\n-- \n---x\n-x", "=2D-\n=2D-=20\n=2D--x\n-x"),
            ("a\rb\0\u{7f}", "a=0Db=00=7F"),
            ("é", "=C3=A9"),
        ];
        for (text, expected) in table {
            assert_eq!(
                String::from_utf8(encoded(text.as_bytes(), b"\n")).unwrap(),
                *expected
            );
        }
        assert_eq!(encoded(b"a\r\nb\nc\rd", b"\r\n"), b"a\r\nb=0Ac=0Dd");
        assert_eq!(encoded(b"a\r\nb", b"\n"), b"a=0D=0A=\nb");
    }

    #[test]
    fn addresses_with_any_byte_come_back() {
        for byte in 0..=255_u8 {
            for (before, after) in [
                (&b"http://x/?a"[..], &b"887"[..]),
                (b"http://x/?a", b"F0\n"),
                (b"a\xE4 ftp://y/?u=http://x/?b", b" c"),
                (b"http://x/?a&b", b"&c=1"),
            ] {
                let text = [before, &[byte], after].concat();
                let body = encoded(&text, b"\n");
                assert_eq!(decoded(&body).0, text, "{}", body.escape_ascii());
            }
        }
        assert_eq!(
            encoded(b"http://x/?a\x1Ab\n", b"\n"),
            b"http=3A//x/?a=1Ab\n"
        );
        // Addresses at any column: no line is longer than 76 characters, and each text comes back.
        for length in 0..160 {
            let text = [&b"x".repeat(length)[..], b"http://x/?a\x01b\ny\n"].concat();
            let body = encoded(&text, b"\n");
            assert!(body.split(|b| *b == b'\n').all(|line| line.len() <= WIDTH));
            assert_eq!(decoded(&body).0, text);
        }
    }

    #[test]
    fn round_trip_with_short_lines() {
        let mut state = 7_u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % bound
        };
        let pieces: [&[u8]; 14] = [
            b"a",
            b"word ",
            b" ",
            b"\t",
            b"=",
            b".",
            b"-",
            b"From ",
            b"\r",
            b"\n",
            b"\r\n",
            b"\xC3\xA9",
            b"\0",
            b"0123456789012345678901234567890123456789",
        ];
        for eol in [b"\n".as_slice(), b"\r\n", b"\r"] {
            for _ in 0..5_000 {
                let length = next(30);
                let text: Vec<u8> = (0..length)
                    .flat_map(|_| pieces[next(14) as usize])
                    .copied()
                    .collect();
                let body = encoded(&text, eol);
                // Unescaped bytes are line ends or visible: lines are those of `eol`.
                assert!(body.is_ascii());
                for line in String::from_utf8_lossy(&body).split(std::str::from_utf8(eol).unwrap())
                {
                    assert!(line.len() <= WIDTH, "{line:?}");
                    assert!(
                        !line.ends_with([' ', '\t'])
                            && !line.starts_with("From ")
                            && !line.starts_with("--")
                    );
                    assert!(line != "." && !line.contains(['\r', '\n']));
                }
                let (found, used, codes) = decoded(&body);
                assert_eq!(
                    found.escape_ascii().to_string(),
                    text.escape_ascii().to_string()
                );
                assert_eq!((used, codes.len()), (TransferEncoding::QuotedPrintable, 0));
            }
        }
    }

    #[test]
    fn time_is_linear() {
        for unit in ["=", "= ", " ", "=\r"] {
            assert_linear(&unit, 1_000_000, |n| {
                drop(decoded(unit.repeat(n).as_bytes()));
            });
        }
    }
}
