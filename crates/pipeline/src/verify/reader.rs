//! The second reader: mail-parser for structure, header fields and charsets, quoted_printable for quoted-printable.
//!
//! mail-parser first finds the fields and parts of the whole message, without reading fields other than those of MIME and without
//! decoding transfer encodings. So attachments cost only a scan, and no encoded embedded message is opened, which would make
//! mail-parser recurse. Edited fields and bodies are then decoded one by one.
//!
//! # Limits
//!
//! See [`is_too_costly`]: does not read a message for which mail-parser may need more than linear time or stack.

use super::expected::Expected;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::parsers::MessageStream;
use mail_parser::{
    Address, ContentType, Header, HeaderName, HeaderValue, Message as ParsedMessage, MessageParser,
    MessagePart, PartType,
};
use mailglot_codec::{Charset, View};
use mailglot_mime::transfer::TransferEncoding;
use mailglot_mime::{Message, PartKind};
use memchr::memmem;
use quoted_printable::ParseMode;
use std::borrow::Cow;

/// Deepest nesting of messages that mail-parser may build. It frees them by recursion.
const NESTING: usize = 1_000;

/// Number of steps that mail-parser may take for each byte of a message, and for any message.
const STEPS_PER_BYTE: u64 = 512;
const STEPS: u64 = 1 << 24;

/// A configured mail-parser.
pub(super) struct SecondReader {
    parser: MessageParser,
}

impl SecondReader {
    pub(super) fn new() -> Self {
        let parser = MessageParser::new()
            .header_content_type(HeaderName::ContentType)
            .header_content_type(HeaderName::ContentDisposition)
            // Not as text, so that mail-parser decodes no transfer encoding.
            .header_content_type(HeaderName::ContentTransferEncoding)
            .default_header_ignore();
        Self { parser }
    }

    /// Finds the fields and bodies of a message, or only the fields of its own header.
    pub(super) fn read<'x>(&self, bytes: &'x [u8], header: bool) -> SecondReading<'x> {
        let mut reading = SecondReading {
            bytes,
            fields: Vec::new(),
            bodies: Vec::new(),
        };
        if header && let Some(end) = header_end(bytes) {
            let mut stream = MessageStream::new(&bytes[..end]);
            let mut headers = Vec::new();
            if stream.parse_headers(&self.parser, &mut headers) {
                reading.fields.extend(headers.iter().map(FoundField::of));
                return reading;
            }
        }
        let mut open: Vec<ParsedMessage<'x>> = self.parser.parse(bytes).into_iter().collect();
        // Takes nested messages apart, because dropping them as they are would recurse.
        while let Some(message) = open.pop() {
            for part in message.parts {
                reading.take(part, &mut open);
            }
        }
        reading.fields.sort_unstable_by_key(|field| field.start);
        reading.bodies.sort_by_key(|body| body.start);
        reading
    }
}

/// What mail-parser found in a message. Offsets refer to the message.
pub(super) struct SecondReading<'x> {
    bytes: &'x [u8],
    fields: Vec<FoundField>,
    bodies: Vec<FoundBody<'x>>,
}

/// A field: start of its name and of its value, and its end.
struct FoundField {
    start: usize,
    value: usize,
    end: usize,
}

impl FoundField {
    fn of(header: &Header<'_>) -> Self {
        Self {
            start: header.offset_field as usize,
            value: header.offset_start as usize,
            end: header.offset_end as usize,
        }
    }
}

/// Returns the latest possible end of a message's header.
fn header_end(bytes: &[u8]) -> Option<usize> {
    let [lf, crlf] =
        [&b"\n\n"[..], b"\n\r\n"].map(|end| memmem::find(bytes, end).map(|at| at + end.len()));
    lf.into_iter().chain(crlf).min()
}

/// A body that is neither a multipart nor a message.
pub(super) struct FoundBody<'x> {
    /// Start of the header of its part.
    pub(super) header: usize,
    start: usize,
    pub(super) end: usize,
    encoding: ReaderEncoding,
    charset: Option<String>,
    pub(super) is_text: bool,
    /// Its text by mail-parser, ignoring the transfer encoding. None if several fields declare its charset.
    text: Option<Cow<'x, str>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderEncoding {
    None,
    QuotedPrintable,
    Base64,
}

impl<'x> SecondReading<'x> {
    fn take(&mut self, part: MessagePart<'x>, open: &mut Vec<ParsedMessage<'x>>) {
        self.fields.extend(part.headers.iter().map(FoundField::of));
        let (start, end) = (part.offset_body as usize, part.offset_end as usize);
        let mut is_text = true;
        // The first of several fields counts, but mail-parser uses the last.
        let named = |name: &HeaderName<'_>| {
            // mail-parser accepts names with white space in them.
            let is_solid = |header: &Header<'_>| {
                let written = self
                    .bytes
                    .get(header.offset_field as usize..header.offset_start as usize);
                written.is_some_and(|written| {
                    written
                        .strip_suffix(b":")
                        .unwrap_or(written)
                        .trim_ascii()
                        .len()
                        == name.as_str().len()
                })
            };
            let mut fields = part
                .headers
                .iter()
                .filter(|header| header.name == *name && is_solid(header));
            (
                fields
                    .next()
                    .and_then(|header| header.value.as_content_type()),
                fields.next().is_some(),
            )
        };
        let (media, several) = named(&HeaderName::ContentType);
        let encoding = match named(&HeaderName::ContentTransferEncoding)
            .0
            .map(ContentType::ctype)
        {
            Some(name) if name.eq_ignore_ascii_case("quoted-printable") => {
                ReaderEncoding::QuotedPrintable
            }
            Some(name) if name.eq_ignore_ascii_case("base64") => ReaderEncoding::Base64,
            _ => ReaderEncoding::None,
        };
        let charset = media
            .and_then(|media| media.attribute("charset"))
            .map(str::to_owned);
        let text = match part.body {
            PartType::Text(text) | PartType::Html(text) => Some(text).filter(|_| !several),
            PartType::Binary(_) | PartType::InlineBinary(_) => {
                is_text = false;
                None
            }
            PartType::Message(inner) => return open.push(inner),
            PartType::Multipart(_) => return,
        };
        let header = part.offset_header as usize;
        self.bodies.push(FoundBody {
            header,
            start,
            end,
            encoding,
            charset,
            is_text,
            text,
        });
    }

    /// Returns the body that starts at an offset.
    pub(super) fn body(&self, start: usize) -> Option<&FoundBody<'x>> {
        let index = self
            .bodies
            .binary_search_by_key(&start, |body| body.start)
            .ok()?;
        Some(&self.bodies[index])
    }

    /// Returns the decoded text of a body.
    ///
    /// None if it is not text, cannot be decoded, or is non-ASCII without a charset that the reader knows.
    pub(super) fn text<'r>(&'r self, body: &'r FoundBody<'x>) -> Option<Cow<'r, str>> {
        let decoded = self.decoded(body).filter(|_| body.is_text)?;
        let label = body.charset.as_deref().unwrap_or_default();
        let decoder = charset_decoder(label.as_bytes());
        let is_utf8 =
            Charset::for_label(label.as_bytes(), View::Mail).charset() == Some(Charset::UTF_8);
        if !decoded.is_ascii() && decoder.is_none() && !is_utf8 {
            return None;
        }
        Some(match (decoder, &body.text) {
            (_, Some(text)) if body.encoding == ReaderEncoding::None => Cow::Borrowed(text),
            (Some(decoder), _) => Cow::Owned(decoder(&decoded)),
            (None, _) => Cow::Owned(String::from_utf8_lossy(&decoded).into_owned()),
        })
    }

    /// Returns a body without its transfer encoding.
    fn decoded(&self, body: &FoundBody<'x>) -> Option<Cow<'x, [u8]>> {
        let raw = self.bytes.get(body.start..body.end)?;
        Some(match body.encoding {
            ReaderEncoding::None => Cow::Borrowed(raw),
            ReaderEncoding::Base64 => Cow::Owned(base64_decode(raw)?),
            ReaderEncoding::QuotedPrintable => Cow::Owned(quoted_printable(raw)?),
        })
    }

    /// Returns true if the body that starts at an offset has these bytes. CR LF equals LF, and line ends at the end do not count.
    pub(super) fn has_bytes(&self, start: usize, expected: &[u8]) -> bool {
        let decoded = self.body(start).and_then(|body| self.decoded(body));
        decoded.is_some_and(|decoded| lines(&decoded) == lines(expected))
    }

    /// Returns the end of the field that starts at an offset.
    pub(super) fn field(&self, start: usize) -> Option<usize> {
        let index = self
            .fields
            .binary_search_by_key(&start, |field| field.start)
            .ok()?;
        Some(self.fields[index].end)
    }

    /// Returns the charset label of a body.
    pub(super) fn label(&self, start: usize) -> Option<&str> {
        self.body(start)?.charset.as_deref()
    }

    /// Returns the value of the field that starts at an offset.
    pub(super) fn value(&self, start: usize) -> Option<&'x [u8]> {
        let index = self
            .fields
            .binary_search_by_key(&start, |field| field.start)
            .ok()?;
        let field = &self.fields[index];
        self.bytes.get(field.value..field.end)
    }
}

/// Returns the lines of a body without their ends, and without empty ones at its end.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let end = bytes
        .iter()
        .rposition(|byte| !matches!(byte, b'\r' | b'\n'));
    let text = &bytes[..end.map_or(0, |last| last + 1)];
    text.split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect()
}

/// Decodes quoted-printable line by line, because quoted_printable changes each line end to CR LF.
fn quoted_printable(raw: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(raw.len());
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        decoded.extend(quoted_printable::decode(text, ParseMode::Robust).ok()?);
        if !text.trim_ascii_end().ends_with(b"=") {
            decoded.extend_from_slice(&line[text.len()..]);
        }
    }
    Some(decoded)
}

/// Decodes an unstructured value.
pub(super) fn unstructured(value: &[u8]) -> String {
    with_end(value, |value| {
        match MessageStream::new(value).parse_unstructured() {
            HeaderValue::Text(text) => text.into_owned(),
            _ => String::new(),
        }
    })
}

/// Returns names and texts of parameters.
pub(super) fn parameters(value: &[u8]) -> Vec<(String, String)> {
    let mut list = written_parameters(value);
    if !value.contains(&0x1B) && memmem::find(value, b"*1*=").is_some() {
        for (_, text) in list.iter_mut().filter(|(_, text)| text.contains('\x1B')) {
            *text = with_segments_decoded(text);
        }
    }
    list
}

/// Decodes percent-encoded ISO-2022-JP in a text. Of several segments (RFC 2231, section 3), mail-parser decodes only the first.
fn with_segments_decoded(text: &str) -> String {
    let Some(decoder) = charset_decoder(b"iso-2022-jp") else {
        return text.to_owned();
    };
    let mut decoded = String::new();
    for piece in text
        .as_bytes()
        .chunk_by(|a, b| a.is_ascii() == b.is_ascii())
    {
        if piece.is_ascii() {
            decoded += &decoder(piece);
        } else {
            decoded += &String::from_utf8_lossy(piece);
        }
    }
    decoded
}

fn written_parameters(value: &[u8]) -> Vec<(String, String)> {
    with_end(value, |value| {
        match MessageStream::new(value).parse_content_type() {
            HeaderValue::ContentType(ContentType {
                attributes: Some(list),
                ..
            }) => list
                .into_iter()
                .map(|each| (each.name.into_owned(), each.value.into_owned()))
                .collect(),
            _ => Vec::new(),
        }
    })
}

/// Returns names and addresses of mailboxes, including those in groups, and the names of groups.
pub(super) fn mailboxes(value: &[u8]) -> (Vec<(String, String)>, Vec<String>) {
    let owned = |text: Option<Cow<'_, str>>| text.map_or_else(String::new, Cow::into_owned);
    with_end(value, |value| {
        match MessageStream::new(value).parse_address() {
            HeaderValue::Address(Address::List(list)) => (
                list.into_iter()
                    .map(|each| (owned(each.name), owned(each.address)))
                    .collect(),
                Vec::new(),
            ),
            HeaderValue::Address(Address::Group(groups)) => {
                let (mut all, mut names) = (Vec::new(), Vec::new());
                for group in groups {
                    names.extend(group.name.map(Cow::into_owned));
                    all.extend(
                        group
                            .addresses
                            .into_iter()
                            .map(|each| (owned(each.name), owned(each.address))),
                    );
                }
                (all, names)
            }
            _ => (Vec::new(), Vec::new()),
        }
    })
}

/// Adds a line end, because mail-parser rejects a value without one.
fn with_end<T>(value: &[u8], read: impl FnOnce(&[u8]) -> T) -> T {
    if value.ends_with(b"\n") {
        read(value)
    } else {
        read(&[value, b"\n"].concat())
    }
}

/// Changes the types of embedded messages in a transfer encoding to unknown ones, so that they are leaves. Nothing in them was
/// edited.
///
/// mail-parser does not decode them here, and would read the encoded bytes as their header fields.
pub(super) fn without_encoded_messages<'x>(
    message: &Message<'_>,
    expected: &Expected<'_>,
    rewritten: &'x [u8],
) -> Cow<'x, [u8]> {
    let mut bytes = Cow::Borrowed(rewritten);
    for part in message.parts() {
        let encoded = matches!(
            part.transfer,
            TransferEncoding::Base64 | TransferEncoding::QuotedPrintable
        );
        let Some(index) = part.content_type.filter(|_| {
            encoded
                && part.kind != PartKind::Multipart
                && matches!(&*part.media.top, "message" | "multipart")
        }) else {
            continue;
        };
        let field = message.all_fields()[index as usize];
        let place =
            expected.offsets.after(field.value.start)..expected.offsets.after(field.value.end);
        let Some(value) = bytes.to_mut().get_mut(place) else {
            continue;
        };
        let top = part.media.top.as_bytes();
        let found = value
            .windows(top.len())
            .position(|bytes| bytes.eq_ignore_ascii_case(top));
        if let Some(at) = found {
            value[at] = b'x';
        }
    }
    bytes
}

/// Returns true if mail-parser may need more than linear time or recurse too deep for `bytes`.
///
/// It searches the whole rest for the boundary of each multipart, and the rest of a value for the end of each apparent encoded
/// word. It searches all parameters of a field for each RFC 2231 segment.
pub(super) fn is_too_costly(bytes: &[u8]) -> bool {
    // Too few bytes to be costly.
    if bytes.len() < 1 << 13 {
        return false;
    }
    let length = bytes.len() as u64;
    let most = STEPS.saturating_add(STEPS_PER_BYTE.saturating_mul(length));
    // One pass that skips base64: names that end as Content-Type does, words, segments.
    let (mut types, mut words, mut segments) = (0_u64, 0_u64, 0_u64);
    for at in memchr::memchr3_iter(b':', b'?', b'*', bytes) {
        match (bytes[at], bytes[..at].last()) {
            (b':', Some(b'e' | b'E' | b' ' | b'\t' | b'\r')) => types += 1,
            (b'?', Some(b'=')) => words += 1,
            (b'*', _) => segments += 1,
            _ => {}
        }
    }
    let line = |count: fn(&[u8]) -> u64| steps_in_lines(bytes, count) > most;
    types as usize > NESTING.min(STEPS_PER_BYTE as usize) && {
        let NestingCounts { nested, multiparts } = counts(bytes);
        nested > NESTING || multiparts.saturating_mul(length) > most
    } || words.saturating_mul(length) > most
        && line(|line| {
            (memmem::find_iter(line, b"=?").count() as u64).saturating_mul(line.len() as u64)
        })
        || segments.saturating_mul(segments) > most
            && line(|line| {
                let segments = memchr::memchr_iter(b'*', line).count() as u64;
                segments.saturating_mul(memchr::memchr_iter(b';', line).count() as u64)
            })
}

struct NestingCounts {
    /// Number of places that may name the type of an embedded message or of a digest.
    nested: usize,
    /// Number of places that may name a multipart.
    multiparts: u64,
}

/// Counts possible media types, ignoring case. A comment beside the slash may hide one half.
fn counts(bytes: &[u8]) -> NestingCounts {
    let mut counts = NestingCounts {
        nested: 0,
        multiparts: 0,
    };
    for slash in memchr::memchr_iter(b'/', bytes) {
        let (before, after) = (
            bytes[..slash].trim_ascii_end(),
            bytes[slash + 1..].trim_ascii_start(),
        );
        let is = |name: &[u8]| {
            after
                .get(..name.len())
                .is_some_and(|found| found.eq_ignore_ascii_case(name))
        };
        let hidden = before.ends_with(b")") || after.starts_with(b"(");
        counts.multiparts += u64::from(hidden || ends_with_ignoring_case(before, b"multipart"));
        counts.nested += usize::from(hidden || is(b"rfc822") || is(b"global") || is(b"digest"));
    }
    counts
}

fn ends_with_ignoring_case(bytes: &[u8], end: &[u8]) -> bool {
    bytes.len() >= end.len() && bytes[bytes.len() - end.len()..].eq_ignore_ascii_case(end)
}

/// Returns the sum of `steps` over all lines, each with its continuation lines.
fn steps_in_lines(bytes: &[u8], steps: impl Fn(&[u8]) -> u64) -> u64 {
    let (mut start, mut sum) = (0, 0_u64);
    for end in memchr::memchr_iter(b'\n', bytes) {
        if !matches!(bytes.get(end + 1), Some(b' ' | b'\t')) {
            sum = sum.saturating_add(steps(&bytes[start..=end]));
            start = end + 1;
        }
    }
    sum.saturating_add(steps(&bytes[start..]))
}
