//! Writes the answer of a filter to the end of a message: edits and verdict.

use super::negotiation::{Granted, action};
use super::wire::{self, LONGEST_DATA};
use std::fmt;

/// The edits of one message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions<'a> {
    /// Changed and deleted fields, in any order.
    pub changes: Vec<HeaderChange>,
    /// New fields on top of the header, the topmost first.
    pub inserted: Vec<(FieldValue, FieldValue)>,
    /// New fields at the end of the header.
    pub appended: Vec<(FieldValue, FieldValue)>,
    /// The new body with CRLF line ends, in pieces. Without bytes it empties the body. `None` keeps the old body.
    pub body: Option<Vec<&'a [u8]>>,
    /// The reason of a quarantine.
    pub quarantine: Option<FieldValue>,
}

/// One changed or deleted field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderChange {
    /// The name. Mail servers ignore its case.
    pub name: FieldValue,
    /// The number among the fields of this name, from 1.
    pub index: u32,
    /// Number of fields above it in the message.
    pub position: u32,
    /// The new value; `None` deletes the field. With [`protocol::LEADING_SPACE`](super::protocol::LEADING_SPACE) it begins with the space behind the colon.
    pub value: Option<FieldValue>,
}

/// Text that may stand in a field: no NUL, no CR, and after each LF a space or a tab.
///
/// All names and values that the filter writes into a header have this type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValue(Vec<u8>);

impl FieldValue {
    /// Returns `None` if the bytes would end the field or the message.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Option<Self> {
        let bytes = bytes.into();
        let folds =
            |at: usize| bytes[at] == b'\n' && matches!(bytes.get(at + 1), Some(b' ' | b'\t'));
        memchr::memchr3_iter(0, b'\r', b'\n', &bytes)
            .all(folds)
            .then_some(Self(bytes))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Actions<'_> {
    /// Returns true if nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if bytes of the message change, apart from new fields on top.
    pub(crate) fn rewrite(&self) -> bool {
        !self.changes.is_empty() || !self.appended.is_empty() || self.body.is_some()
    }

    /// Returns the bits of [`action`] that the mail server must have granted.
    fn needs(&self) -> u32 {
        let add = !self.inserted.is_empty() || !self.appended.is_empty();
        [
            (add, action::ADD_HEADERS),
            (!self.changes.is_empty(), action::CHANGE_HEADERS),
            (self.body.is_some(), action::CHANGE_BODY),
            (self.quarantine.is_some(), action::QUARANTINE),
        ]
        .iter()
        .filter(|(used, _)| *used)
        .fold(0, |all, (_, bits)| all | bits)
    }

    /// Returns the packets of these edits; `None` if one was not granted or is too long.
    pub(crate) fn packets(&self, granted: Granted) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        self.write(granted, true, &mut out).ok().map(|()| out)
    }

    /// Writes the edits: changed fields from the last to the first, new fields, and the body at the end. For Postfix any other request after
    /// the first piece of a body ends the body.
    ///
    /// The order keeps Postfix fast. For each change Postfix reads the header from its top and follows a jump for each changed field on the way.
    /// It rejects a message with more than 10,000 jumps, which 142 changes from the top down make. Fields of one name are written from the highest
    /// index down, because some mail servers renumber them after a deletion.
    ///
    /// Omits the body unless `whole`. After an error `out` holds the edits before the failing one.
    pub(super) fn write(
        &self,
        granted: Granted,
        whole: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let missing = self.needs() & !granted.actions;
        if missing != 0 {
            return Err(Refusal::NotGranted(missing));
        }
        let mut changes: Vec<&HeaderChange> = self.changes.iter().collect();
        if changes.iter().any(|change| change.index == 0) {
            return Err(Refusal::NoSuchField);
        }
        changes.sort_unstable_by_key(|change| std::cmp::Reverse((change.position, change.index)));
        for HeaderChange {
            name, index, value, ..
        } in changes
        {
            let value = value.as_ref().map_or(&b""[..], FieldValue::as_bytes);
            put_one(
                out,
                b'm',
                &[&index.to_be_bytes(), name.as_bytes(), b"\0", value, b"\0"],
            )?;
        }
        // Each goes to the top, so the topmost is written last.
        for (name, value) in self.inserted.iter().rev() {
            put_one(
                out,
                b'i',
                &[
                    &0_u32.to_be_bytes(),
                    name.as_bytes(),
                    b"\0",
                    value.as_bytes(),
                    b"\0",
                ],
            )?;
        }
        for (name, value) in &self.appended {
            put_one(
                out,
                b'h',
                &[name.as_bytes(), b"\0", value.as_bytes(), b"\0"],
            )?;
        }
        if let Some(reason) = &self.quarantine {
            put_one(out, b'q', &[reason.as_bytes(), b"\0"])?;
        }
        if let (true, Some(body)) = (whole, &self.body) {
            put_body(body, out);
        }
        Ok(())
    }
}

/// Writes an edit that is one packet.
fn put_one(out: &mut Vec<u8>, command: u8, data: &[&[u8]]) -> Result<(), Refusal> {
    let length: usize = data.iter().map(|piece| piece.len()).sum();
    if length > LONGEST_DATA {
        return Err(Refusal::TooLong(length));
    }
    wire::put(out, command, data);
    Ok(())
}

/// Writes a body in packets of [`LONGEST_DATA`] bytes. An empty body is one packet.
fn put_body(pieces: &[&[u8]], out: &mut Vec<u8>) {
    let heads = heads(pieces);
    let packets = packets(&heads, pieces);
    out.reserve(packets.iter().map(|piece| piece.len()).sum());
    for piece in packets {
        out.extend_from_slice(piece);
    }
}

/// The start of a packet: length and command.
pub(crate) type Head = [u8; wire::OVERHEAD];

/// Returns the starts of the packets of a body.
pub(crate) fn heads(pieces: &[&[u8]]) -> Vec<Head> {
    let mut left: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut heads = Vec::with_capacity(left / LONGEST_DATA + 1);
    loop {
        let room = left.min(LONGEST_DATA);
        heads.push(wire::head(b'b', room));
        left -= room;
        if left == 0 {
            return heads;
        }
    }
}

/// Returns the packets of a body as slices, without a copy: each of `heads`, followed by its share of `pieces`.
pub(crate) fn packets<'a>(heads: &'a [Head], pieces: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut out = Vec::with_capacity(2 * heads.len() + pieces.len());
    let mut pieces = pieces.iter().copied();
    let mut piece: &[u8] = &[];
    for head in heads {
        out.push(&head[..]);
        let mut room = LONGEST_DATA;
        while room > 0 {
            if piece.is_empty() {
                let Some(next) = pieces.next() else { break };
                piece = next;
            }
            let (now, later) = piece.split_at(room.min(piece.len()));
            if !now.is_empty() {
                out.push(now);
            }
            (room, piece) = (room - now.len(), later);
        }
    }
    out
}

/// The verdict of a filter on a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The message passes to the next filter.
    Continue,
    /// The message is accepted. The mail server asks this filter nothing more about it.
    Accept,
    /// The message is rejected (5xx) with the reply of the mail server.
    Reject,
    /// The message is deferred (4xx) with the reply of the mail server.
    Tempfail,
    /// The message is rejected or deferred with this reply.
    Reply(ReplyText),
}

impl Verdict {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Continue => wire::put(out, b'c', &[]),
            Self::Accept => wire::put(out, b'a', &[]),
            Self::Reject => wire::put(out, b'r', &[]),
            Self::Tempfail => wire::put(out, b't', &[]),
            Self::Reply(ReplyText(text)) => wire::put(out, b'y', &[text.as_bytes(), b"\0"]),
        }
    }

    pub(crate) fn lets_pass(&self) -> bool {
        matches!(self, Self::Continue | Self::Accept)
    }
}

/// An SMTP reply of one line: code, enhanced code (RFC 3463) and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyText(String);

impl ReplyText {
    /// Bytes of the longest reply that Sendmail accepts.
    const LONGEST: usize = 500;

    /// Returns `None` unless `code` has class 4 or 5, and `enhanced` has the same class (RFC 3463, section 2). The `words` must be
    /// printable ASCII without `%`, which mail servers expand. The whole reply must have at most 500 bytes.
    pub fn new(code: u16, enhanced: (u8, u16, u16), words: &str) -> Option<Self> {
        let (class, subject, detail) = enhanced;
        let text = format!("{code} {class}.{subject}.{detail} {words}");
        let printable = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'%';
        let fits = (400..600).contains(&code)
            && u16::from(class) == code / 100
            && subject < 1_000
            && detail < 1_000;
        (fits && words.bytes().all(printable) && text.len() <= Self::LONGEST).then_some(Self(text))
    }

    /// Returns code, enhanced code and text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a decision could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// No message waits for a verdict.
    NoMessage,
    /// The server did not grant these bits of [`action`].
    NotGranted(u32),
    /// The index of a field is 0.
    NoSuchField,
    /// An edit longer than [`LONGEST_DATA`], with its length in bytes.
    TooLong(usize),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMessage => f.write_str("no message waits for a decision"),
            Self::NotGranted(bits) => write!(f, "the server did not grant actions {bits:#x}"),
            Self::NoSuchField => f.write_str("fields are counted from 1"),
            Self::TooLong(length) => write!(f, "an edit of {length} bytes, more than servers take"),
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nothing_that_ends_a_field_becomes_a_value() {
        // Every byte alone, at the end, and before each other byte.
        for first in 0..=255_u8 {
            let ends = matches!(first, 0 | b'\r' | b'\n');
            assert_eq!(FieldValue::new([b'a', first]).is_none(), ends, "{first}");
            for second in 0..=255_u8 {
                let fold = first == b'\n' && matches!(second, b' ' | b'\t');
                let bad = (ends && !fold) || matches!(second, 0 | b'\r' | b'\n');
                assert_eq!(
                    FieldValue::new([first, second]).is_none(),
                    bad,
                    "{first} {second}"
                );
            }
        }
    }

    #[test]
    fn no_packet_has_more_data_than_servers_take() {
        let all = u32::MAX;
        let granted = Granted {
            version: 6,
            actions: all,
            protocol: all,
        };
        let name = || FieldValue::new("Subject").unwrap();
        // Before the value: an index and the name with its end; behind it: its end.
        let (changed, added, inserted) = (4 + 8 + 1, 8 + 1, 4 + 8 + 1);
        for length in [
            0,
            1,
            LONGEST_DATA - 14,
            LONGEST_DATA - 13,
            LONGEST_DATA - 9,
            LONGEST_DATA,
            100_000,
        ] {
            let value = || FieldValue::new(vec![b'x'; length]).unwrap();
            let change = HeaderChange {
                name: name(),
                index: 1,
                position: 0,
                value: Some(value()),
            };
            for (before, actions) in [
                (
                    changed,
                    Actions {
                        changes: vec![change],
                        ..Actions::default()
                    },
                ),
                (
                    inserted,
                    Actions {
                        inserted: vec![(name(), value())],
                        ..Actions::default()
                    },
                ),
                (
                    added,
                    Actions {
                        appended: vec![(name(), value())],
                        ..Actions::default()
                    },
                ),
                (
                    1,
                    Actions {
                        quarantine: Some(value()),
                        ..Actions::default()
                    },
                ),
            ] {
                let mut out = Vec::new();
                let data = before + length;
                let want = if data > LONGEST_DATA {
                    Err(Refusal::TooLong(data))
                } else {
                    Ok(())
                };
                assert_eq!(actions.write(granted, true, &mut out), want, "{length}");
                assert_eq!(out.len(), want.map_or(0, |()| data + wire::OVERHEAD));
            }
        }
    }

    #[test]
    fn a_body_is_the_same_however_it_is_cut() {
        for length in [
            0,
            1,
            LONGEST_DATA - 1,
            LONGEST_DATA,
            LONGEST_DATA + 1,
            3 * LONGEST_DATA,
            200_001,
        ] {
            let body: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut whole = Vec::new();
            put_body(&[&body], &mut whole);
            let packets = length.div_ceil(LONGEST_DATA).max(1);
            assert_eq!(whole.len(), length + packets * wire::OVERHEAD);
            for size in [1, 7, 65_534, 65_536] {
                let mut pieces = vec![&b""[..]];
                pieces.extend(body.chunks(size).flat_map(|piece| [piece, b""]));
                let mut out = Vec::new();
                put_body(&pieces, &mut out);
                assert!(out == whole, "{length} {size}");
            }
            let mut incoming = wire::Incoming::default();
            incoming.push(&whole);
            let mut back = Vec::new();
            while let Some(packet) = incoming.packet().unwrap() {
                back.extend_from_slice(packet.data);
            }
            assert!(back == body);
        }
    }

    #[test]
    fn replies_are_what_servers_take() {
        let text =
            |code, class, words| ReplyText::new(code, (class, 6, 1), words).map(|text| text.0);
        assert_eq!(text(550, 5, "no").as_deref(), Some("550 5.6.1 no"));
        for (code, class, words) in [
            (250, 2, "a"),
            (550, 4, "a"),
            (650, 6, "a"),
            (550, 5, "50%"),
            (550, 5, "a\r\n550 b"),
            (550, 5, "\u{e9}"),
        ] {
            assert_eq!(text(code, class, words), None, "{code} {class} {words}");
        }
        let words = "a".repeat(491);
        assert!(text(550, 5, &words[1..]).is_some());
        assert!(text(550, 5, &words).is_none());
    }
}
