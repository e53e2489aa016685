//! Finds problems of charsets: labels, byte order marks, declarations, escape sequences.
//!
//! # Limits
//! Follows only the escape sequences of ISO 2022 for G0 (RFC 1468, RFC 2237, RFC 1554), not the shifts of KR and CN.

use super::kept_spans::KeptSpans;
use super::raw_shifts;
use crate::policy::{Action, Finding, Findings, Rules};
use mailglot_codec::{Charset, View};
use mailglot_mime::header::Field;
use mailglot_mime::params;
use mailglot_mime::transfer::{self, TransferEncoding};
use mailglot_mime::{
    CharsetOut, How, Message, Part, PartId, Reading, Report, Span, declares_charset,
};
use memchr::memmem;
use std::borrow::Cow;
use std::sync::OnceLock;

const ESCAPE: u8 = 0x1B;
/// Number of bytes of a document in which its declaration must be (HTML 4.8.4.2.2 of WHATWG).
const DECLARED: usize = 1_024;

/// Returns the charset of each part, by the number of the part; None for parts that are no text.
pub(super) fn readings_by_part<'r>(
    message: &Message<'_>,
    report: &'r Report,
) -> Vec<Option<&'r Reading>> {
    let mut by_part = vec![None; message.parts().len()];
    for reading in &report.readings {
        if let Some(first) = by_part.get_mut(reading.part.0 as usize) {
            first.get_or_insert(reading);
        }
    }
    by_part
}

/// Adds the findings of labels and bytes. Parts whose charset must not be guessed stay unchanged.
pub(super) fn find(
    message: &Message<'_>,
    report: &Report,
    rules: &Rules,
    findings: &mut Findings,
    kept: &mut KeptSpans,
) {
    let raw = message.raw();
    let readings = readings_by_part(message, report);
    for (id, part) in message.numbered_parts() {
        words(part.header.of(raw), rules, findings);
        raw_shifts::find(message, id, report, findings);
        if part.media.top != "text" {
            continue;
        }
        let written = || part.charset.map(|span| unquoted(span.of(raw)));
        let label = part
            .joined_charset
            .as_deref()
            .map(str::as_bytes)
            .or_else(written);
        let charset = label.and_then(resolved);
        let reading = readings[id.0 as usize];
        let body = part.body.of(raw);
        let bytes = match part.transfer {
            TransferEncoding::Base64 | TransferEncoding::QuotedPrintable => {
                transfer::decode(part.transfer, body, &mut Vec::new()).bytes
            }
            _ => Cow::Borrowed(body),
        };
        let text = Text {
            message,
            id,
            part,
            label,
            charset,
            reading,
            bytes: &bytes,
        };
        text.find(rules, findings, kept);
    }
}

/// One text part.
struct Text<'a> {
    message: &'a Message<'a>,
    id: PartId,
    part: &'a Part,
    label: Option<&'a [u8]>,
    /// The charset of the label.
    charset: Option<Charset>,
    reading: Option<&'a Reading>,
    /// The body after decoding of its transfer encoding.
    bytes: &'a [u8],
}

impl Text<'_> {
    fn find(&self, rules: &Rules, findings: &mut Findings, kept: &mut KeptSpans) {
        let place = || self.message.section(self.id);
        let markup = matches!(&*self.part.media.sub, "html" | "xhtml" | "xhtml+xml");
        let utf7 = self.charset.is_some_and(is_utf7);
        let shifting = self.charset.is_some_and(is_shifting);
        if utf7 && markup {
            findings.add(Finding::Utf7InHtml, place);
        }
        if self.is_disputed() {
            findings.add(Finding::AmbiguousCharset, place);
        }
        if shifting
            && !(utf7 && markup)
            && !self
                .charset
                .is_some_and(|charset| is_asked_for(charset, rules))
        {
            findings.add(Finding::StatefulCharset, place);
        }
        // The shift of IMAP's variant is `&`.
        let is_imap = self.charset == Some(Charset::UTF_7_IMAP);
        if (!utf7 || is_imap) && looks_like_utf7(self.bytes) {
            findings.add(Finding::Utf7Lookalike, place);
        }
        if let Some(first) = memchr::memchr(ESCAPE, self.bytes) {
            let marks = Escapes::of(&self.bytes[first..]);
            if shifting {
                if marks.redundant {
                    findings.add(Finding::RedundantEscape, place);
                }
                if marks.abused {
                    findings.add(Finding::Iso2022StateAbuse, place);
                }
            } else if marks.any {
                findings.add(Finding::UndeclaredEscape, place);
            }
        }
        if let Some(reading) = self.reading {
            self.compare(reading, markup, rules, findings, kept);
        }
        if self.contradicts_itself() {
            findings.add(Finding::MetaConflict, place);
        }
    }

    /// Compares the charset that was used with the label.
    fn compare(
        &self,
        reading: &Reading,
        markup: bool,
        rules: &Rules,
        findings: &mut Findings,
        kept: &mut KeptSpans,
    ) {
        let place = || self.message.section(self.id);
        let other = self
            .charset
            .filter(|charset| !is_same(*charset, reading.used));
        match reading.how {
            How::Bom if other.is_some() => findings.add(Finding::BomConflict, place),
            How::Structure if other.is_some_and(Charset::is_wide) => {
                findings.add(Finding::AmbiguousCharset, place);
            }
            // The charset was detected without a label, or against a known one.
            How::Detected
                if (self.label.is_none() || self.charset.is_some())
                    && !self.bytes.is_ascii()
                    && !findings.has(Finding::MislabelledCharset) =>
            {
                findings.add(Finding::MislabelledCharset, place);
            }
            _ => (),
        }
        let undeclared =
            self.label.is_none() && markup && reading.used.is_stateful() && reading.how != How::Bom;
        let unknown = self.label.is_some() && self.charset.is_none();
        if undeclared || unknown && rules.action(Finding::UnknownCharset) < Action::Normalize {
            // Unlabelled data must not become text for programs behind the gateway.
            kept.body(self.message, self.id);
        }
    }

    /// Returns true if readers see different labels: the label has the form of RFC 2231, which many do not decode, or contains comments or quoting.
    fn is_disputed(&self) -> bool {
        let Some(span) = self.part.charset else {
            return false;
        };
        let odd = |byte: &u8| {
            matches!(
                byte,
                b'(' | b')' | b';' | b'\\' | b'\'' | b'=' | b',' | b'"'
            )
        };
        self.is_extended(span) || self.label.is_some_and(|label| label.iter().any(odd))
    }

    /// Returns true if the label has the form of RFC 2231: `charset*=us-ascii''utf-8`.
    fn is_extended(&self, label: Span) -> bool {
        let is_around =
            |field: &&Field| field.value.start <= label.start && label.end <= field.value.end;
        let Some(field) = self.message.fields(self.id).iter().find(is_around) else {
            return false;
        };
        let value = field.value.of(self.message.raw());
        if memchr::memchr(b'*', value).is_none() {
            return false;
        }
        let at = label.start - field.value.start;
        let (_, list) = params::scan(value);
        let behind = list.partition_point(|param| param.range.start <= at);
        let param = behind.checked_sub(1).map(|index| &list[index]);
        param.is_some_and(|param| param.name.contains(&b'*'))
    }

    /// Returns true if the document names another charset than its label.
    fn contradicts_itself(&self) -> bool {
        let documents = declares_charset(&self.part.media.sub);
        let (true, Some(label)) = (documents, self.charset) else {
            return false;
        };
        let Some(own) = declaration(&self.bytes[..self.bytes.len().min(DECLARED)]) else {
            return false;
        };
        Charset::for_label(own, View::Mail)
            .charset()
            .is_none_or(|own| {
                // A document whose declaration of UTF-16 can be read as ASCII is not in UTF-16 (HTML 4.2.5.4 of WHATWG).
                !is_same(own, label) && !own.is_wide()
            })
    }
}

/// Returns the declaration of a document: `charset=` or `encoding=` and the label.
fn declaration(start: &[u8]) -> Option<&[u8]> {
    static CHARSET: OnceLock<memmem::Finder<'static>> = OnceLock::new();
    let finder = CHARSET.get_or_init(|| memmem::Finder::new(b"="));
    let named = |at: usize, name: &[u8]| {
        let before = start[..at].trim_ascii_end();
        before.len() >= name.len() && before[before.len() - name.len()..].eq_ignore_ascii_case(name)
    };
    let at = finder
        .find_iter(start)
        .find(|at| named(*at, b"charset") || named(*at, b"encoding"))?;
    let rest = start[at + 1..].trim_ascii_start();
    let rest = rest
        .strip_prefix(b"\"")
        .or_else(|| rest.strip_prefix(b"'"))
        .unwrap_or(rest);
    let end = rest
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !b"-_:.+".contains(byte));
    Some(&rest[..end.unwrap_or(rest.len())]).filter(|label| !label.is_empty())
}

/// Defects in the escape sequences of one text.
#[derive(Debug, Default, PartialEq, Eq)]
struct Escapes {
    any: bool,
    /// A sequence that changes nothing, or is followed by no text.
    redundant: bool,
    /// A run has invalid pairs, or does not end on its line. Or a backslash or tilde is displayed as a currency sign or an overline.
    abused: bool,
}

/// The character set of bytes below 0x80.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    Ascii,
    /// A national variant of ISO 646.
    National(u8),
    /// A two-byte set, by the final byte of its escape sequence.
    Pairs(u8),
}

impl Escapes {
    /// Follows `bytes` from the first escape sequence on. Bytes before it are ASCII.
    fn of(mut bytes: &[u8]) -> Self {
        let (mut found, mut set) = (Self::default(), Set::Ascii);
        let mut empty = false;
        while let Some((&byte, rest)) = bytes.split_first() {
            if byte != ESCAPE {
                let run = memchr::memchr(ESCAPE, bytes).unwrap_or(bytes.len());
                found.abused |= set.is_abused(&bytes[..run], run == bytes.len());
                (bytes, empty) = (&bytes[run..], false);
                continue;
            }
            let (next, length) = match rest {
                [b'(', b'B', ..] => (Set::Ascii, 2),
                [b'(', last @ b'@'..=b'~', ..] => (Set::National(*last), 2),
                [b'$', last @ (b'@' | b'A' | b'B'), ..] => (Set::Pairs(*last), 2),
                [b'$', b'(', last @ b'@'..=b'~', ..] => (Set::Pairs(*last), 3),
                [b'$', b')' | b'*' | b'+', b'@'..=b'~', ..] => {
                    (found.any, bytes) = (true, &rest[3..]);
                    continue;
                }
                _ => {
                    bytes = rest;
                    continue;
                }
            };
            found.any = true;
            found.redundant |= next == set || empty;
            (set, empty) = (next, true);
            bytes = &rest[length..];
        }
        found.abused |= matches!(set, Set::Pairs(_));
        found
    }
}

impl Set {
    /// Returns true if a run is not valid text in this set.
    fn is_abused(self, run: &[u8], last: bool) -> bool {
        match self {
            Self::Ascii => false,
            Self::National(_) => run.iter().any(|byte| matches!(byte, b'\\' | b'~')),
            Self::Pairs(_) => {
                let pairs = run.len().is_multiple_of(2)
                    && run.iter().all(|byte| (0x21..=0x7E).contains(byte));
                last || !pairs
            }
        }
    }
}

/// Charsets of encoded words.
fn words(header: &[u8], rules: &Rules, findings: &mut Findings) {
    static WORD: OnceLock<memmem::Finder<'static>> = OnceLock::new();
    // Most words of a message have one label.
    let mut last: (&[u8], Option<Finding>) = (b"", None);
    for at in WORD
        .get_or_init(|| memmem::Finder::new(b"=?"))
        .find_iter(header)
    {
        let rest = &header[at + 2..];
        // Longer than every known label.
        let rest = &rest[..rest.len().min(64)];
        let Some(end) = rest.iter().position(|byte| matches!(byte, b'?' | b'*')) else {
            continue;
        };
        let label = &rest[..end];
        if label != last.0 {
            let plain = label
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_:.+".contains(byte));
            let counts =
                |charset: &Charset| is_shifting(*charset) && !is_asked_for(*charset, rules);
            let charset = if plain {
                resolved(label).filter(counts)
            } else {
                None
            };
            let finding = |charset| {
                if is_utf7(charset) {
                    Finding::Utf7InHeader
                } else {
                    Finding::StatefulCharset
                }
            };
            last = (label, charset.map(finding));
        }
        if let Some(finding) = last.1 {
            findings.add(finding, String::new);
        }
    }
}

/// Returns the charset of a label. The most common labels need no search.
fn resolved(label: &[u8]) -> Option<Charset> {
    if label.eq_ignore_ascii_case(b"utf-8") {
        return Some(Charset::UTF_8);
    }
    Charset::for_label(label, View::Mail).charset()
}

fn unquoted(label: &[u8]) -> &[u8] {
    let label = label.trim_ascii();
    label
        .strip_prefix(b"\"")
        .map_or(label, |label| label.strip_suffix(b"\"").unwrap_or(label))
}

/// Returns true if the charset is the output charset.
fn is_asked_for(charset: Charset, rules: &Rules) -> bool {
    rules.rewriting.charset_out == CharsetOut::Iso2022Jp && charset == Charset::ISO_2022_JP
}

fn is_utf7(charset: Charset) -> bool {
    matches!(
        charset,
        Charset::UTF_7 | Charset::UNICODE_1_1_UTF_7 | Charset::UTF_7_IMAP
    )
}

fn is_shifting(charset: Charset) -> bool {
    charset != Charset::UTF_8 && charset.is_stateful() && !charset.is_wide()
}

/// Returns true if a mail reader takes two names for the same charset: `UTF-16` stands for both byte orders.
fn is_same(one: Charset, other: Charset) -> bool {
    // The charset without a fixed byte order.
    let family = |charset: Charset| match charset {
        Charset::UTF_16 | Charset::UTF_16BE | Charset::UTF_16LE => Some(Charset::UTF_16),
        Charset::UTF_32 | Charset::UTF_32BE | Charset::UTF_32LE => Some(Charset::UTF_32),
        _ => None,
    };
    let ascii = |charset: Charset| charset == Charset::US_ASCII;
    one.superset() == other.superset()
        || ascii(one) && other.is_ascii_compatible()
        || ascii(other) && one.is_ascii_compatible()
        || family(one).is_some()
            && family(one) == family(other)
            && [Some(one), Some(other)].contains(&family(one))
}

/// `<` in UTF-7, which begins hidden markup.
fn looks_like_utf7(bytes: &[u8]) -> bool {
    static OPENING: OnceLock<memmem::Finder<'static>> = OnceLock::new();
    OPENING
        .get_or_init(|| memmem::Finder::new(b"+ADw"))
        .find(bytes)
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_followed() {
        let found = |any, redundant, abused| Escapes {
            any,
            redundant,
            abused,
        };
        for (bytes, want) in [
            (&b"\x1b[31m"[..], found(false, false, false)),
            (b"\x1b$B8+\x1b(B x", found(true, false, false)),
            (b"\x1b(B", found(true, true, false)),
            (b"\x1b$B\x1b(Bx", found(true, true, false)),
            (b"\x1b$B8+", found(true, false, true)),
            (b"\x1b$B8+\r\n\x1b(B", found(true, false, true)),
            (b"\x1b$B\"><img alt=\"\x1b(B", found(true, false, true)),
            (b"\x1b(J\\\x1b(B", found(true, false, true)),
            (b"\x1b(Jyen\x1b(B", found(true, false, false)),
            (b"\x1b$)C\x0e8+\x0f", found(true, false, false)),
            (b"\x1b$(D8+\x1b(B.", found(true, false, false)),
            (b"\x1b", found(false, false, false)),
        ] {
            assert_eq!(Escapes::of(bytes), want, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn declarations_are_found() {
        for (start, want) in [
            (&b"<meta charset=koi8-r>"[..], Some(&b"koi8-r"[..])),
            (
                b"<meta http-equiv=x content='text/html; CHARSET = \"utf-7\"'>",
                Some(b"utf-7"),
            ),
            (b"<?xml version=\"1.0\" encoding='utf-7'?>", Some(b"utf-7")),
            (b"<p a=b>charset</p>", None),
            (b"charset=", None),
        ] {
            assert_eq!(declaration(start), want, "{}", start.escape_ascii());
        }
    }
}
