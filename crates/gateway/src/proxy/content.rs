//! Reads the content after DATA: finds its end and removes dot stuffing.
//!
//! Only CRLF, dot, CRLF ends the content. Programs that accepted less let a message contain a second one with its own envelope
//! (CVE-2023-51764 to 51766). Therefore a CR or LF alone is never passed on.

use super::field_lines::FieldLines;
use memchr::{memchr3, memmem};

/// What the proxy does with a bare CR or LF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BareLines {
    /// The message is refused.
    #[default]
    Reject,
    /// LF and CR become CRLF, and a CR before a line end is deleted. A CR becomes a space where a line end would make a field or a delimiter
    /// of what follows. It would in header fields, in parts of a type `message/`, and before `--`. Dot stuffing is removed after LF, not
    /// after CR. A dot between such line ends never ends the message.
    Normalize,
}

/// Reasons to refuse content under every policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unacceptable {
    /// A CR or LF stands alone (RFC 5321 2.3.8).
    BareLine,
    /// A NUL is in it (RFC 5321 4.5.2 and RFC 5322 4.1).
    Nul,
}

/// Reads content up to its end, and removes dot stuffing.
#[derive(Debug)]
pub(super) struct Content {
    place: LinePlace,
    bare: BareLines,
    /// The corrected content, up to the last bytes that were written.
    fields: FieldLines,
    unacceptable: Option<Unacceptable>,
    line_ends_corrected: bool,
    /// Number of bytes that corrections added.
    grown: i64,
    /// The original bytes from the first corrected line end on, without dot stuffing.
    raw: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinePlace {
    /// At the start of a line; `hard` where a CRLF of the client stands before it.
    Start {
        hard: bool,
    },
    /// Behind a dot at the start of a line.
    Dot {
        hard: bool,
    },
    Text,
    /// Behind a CR, and `strays` others before it; `dot` where only a dot stands before them.
    Cr {
        dot: Option<bool>,
        strays: usize,
    },
    /// Behind CRs that stand alone, and a hyphen.
    Hyphen {
        returns: usize,
    },
}

impl Content {
    pub(super) fn new(bare: BareLines) -> Self {
        // The CRLF of DATA itself stands before the first line.
        Self {
            place: LinePlace::Start { hard: true },
            bare,
            fields: FieldLines::default(),
            unacceptable: None,
            line_ends_corrected: false,
            grown: 0,
            raw: Vec::new(),
        }
    }

    /// Returns why the content must be rejected, as far as it was read.
    pub(super) fn unacceptable(&self) -> Option<Unacceptable> {
        self.unacceptable
    }

    /// Returns true if a bare CR or LF was corrected.
    pub(super) fn has_corrected_line_ends(&self) -> bool {
        self.line_ends_corrected
    }

    /// Returns how many bytes the corrections of bare CR and LF have added; negative if they removed more.
    pub(super) fn grown(&self) -> i64 {
        self.grown
    }

    /// Takes the original bytes since the last call. The first call that returns any includes the bytes that `out` of [`Content::read`] held then.
    pub(super) fn take_raw(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.raw)
    }

    /// Reads more bytes. Returns how many belong to the content, and true if the content has ended with them.
    pub(super) fn read(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> (usize, bool) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match (self.place, byte) {
                (LinePlace::Start { hard }, b'.') => self.place = LinePlace::Dot { hard },
                (LinePlace::Dot { hard }, b'\r') => {
                    self.place = LinePlace::Cr {
                        dot: Some(hard),
                        strays: 0,
                    }
                }
                (LinePlace::Dot { .. }, b'\n') => {
                    // A line of a dot alone that is no end: the dot is text.
                    self.put(b".", out);
                    self.place = LinePlace::Text;
                    continue;
                }
                (LinePlace::Start { .. } | LinePlace::Dot { .. }, _) => {
                    self.place = LinePlace::Text;
                    continue;
                }
                (
                    LinePlace::Cr {
                        dot: Some(true),
                        strays: 0,
                    },
                    b'\n',
                ) => return (at + 1, true),
                (LinePlace::Cr { dot, strays }, b'\n') => {
                    if dot.is_some() {
                        self.put(b".", out);
                    }
                    self.end_line(strays, out);
                }
                (LinePlace::Cr { dot, strays }, b'\r') => {
                    self.place = LinePlace::Cr {
                        dot,
                        strays: strays + 1,
                    }
                }
                (LinePlace::Cr { strays, .. }, b'-') => {
                    self.place = LinePlace::Hyphen {
                        returns: strays + 1,
                    }
                }
                (LinePlace::Cr { strays, .. }, _) => {
                    self.end_lines(strays + 1, false, out);
                    continue;
                }
                (LinePlace::Hyphen { returns }, _) => {
                    self.end_lines(returns, byte == b'-', out);
                    self.put(b"-", out);
                    continue;
                }
                (LinePlace::Text, b'\r') => {
                    self.place = LinePlace::Cr {
                        dot: None,
                        strays: 0,
                    }
                }
                (LinePlace::Text, b'\n') => {
                    self.correct(1, b'\n', out);
                    self.grown += 1;
                    out.extend_from_slice(b"\r\n");
                    self.fields.end_line();
                    self.place = LinePlace::Start { hard: false };
                }
                (LinePlace::Text, 0) => {
                    self.unacceptable.get_or_insert(Unacceptable::Nul);
                    self.put(&[0], out);
                }
                (LinePlace::Text, _) => {
                    let rest = &bytes[at..];
                    let run = memchr3(b'\r', b'\n', 0, rest).unwrap_or(rest.len());
                    self.put(&rest[..run], out);
                    at += run;
                    continue;
                }
            }
            at += 1;
        }
        (at, false)
    }

    /// Adds bytes that need no correction.
    fn put(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match bytes {
            b"\r\n" => self.fields.end_line(),
            _ => self.fields.read(bytes),
        }
        out.extend_from_slice(bytes);
        if self.line_ends_corrected {
            self.raw.extend_from_slice(bytes);
        }
    }

    /// Ends a line with CR LF. `strays` is the number of CRs before them, which are left out.
    fn end_line(&mut self, strays: usize, out: &mut Vec<u8>) {
        if strays > 0 {
            self.correct(strays, b'\r', out);
            self.grown -= strays as i64;
        }
        self.put(b"\r\n", out);
        self.place = LinePlace::Start { hard: true };
    }

    /// Writes what stands for CRs that stand alone. `joins` is true if the last of them may not end a line.
    fn end_lines(&mut self, returns: usize, joins: bool, out: &mut Vec<u8>) {
        self.correct(returns, b'\r', out);
        let ended = if self.fields.is_within() {
            0
        } else {
            returns - usize::from(joins)
        };
        for _ in 0..ended {
            out.extend_from_slice(b"\r\n");
            self.fields.end_line();
        }
        self.grown += ended as i64;
        for _ in ended..returns {
            out.push(b' ');
            self.fields.read(b" ");
        }
        self.place = LinePlace::Text;
    }

    /// Counts `count` bare CR or LF, which are rejected, or corrected by the caller.
    fn correct(&mut self, count: usize, byte: u8, out: &[u8]) {
        if self.bare == BareLines::Reject {
            self.unacceptable.get_or_insert(Unacceptable::BareLine);
            return;
        }
        if !self.line_ends_corrected {
            self.line_ends_corrected = true;
            self.raw.extend_from_slice(out);
        }
        self.raw.resize(self.raw.len() + count, byte);
    }
}

/// Writes content for DATA: adds dot stuffing and the final dot.
///
/// The content must not have a bare CR or LF.
#[derive(Debug)]
pub struct Stuffer {
    start: bool,
    /// The last two bytes.
    last: [u8; 2],
}

impl Default for Stuffer {
    fn default() -> Self {
        Self {
            start: true,
            last: *b"\r\n",
        }
    }
}

impl Stuffer {
    /// Adds a piece.
    pub fn write(&mut self, mut piece: &[u8], out: &mut Vec<u8>) {
        match piece {
            [] => return,
            [only] => self.last = [self.last[1], *only],
            [.., before, last] => self.last = [*before, *last],
        }
        if self.start && piece.starts_with(b".") {
            out.push(b'.');
        }
        while let Some(at) = memmem::find(piece, b"\n.") {
            out.extend_from_slice(&piece[..=at]);
            out.push(b'.');
            piece = &piece[at + 1..];
        }
        out.extend_from_slice(piece);
        self.start = self.last[1] == b'\n';
    }

    /// Ends the last line if necessary, and the content.
    pub fn finish(self, out: &mut Vec<u8>) {
        if self.last != *b"\r\n" {
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b".\r\n");
    }
}

/// Returns true if DATA can carry a message: it has no NUL, and no bare CR or LF.
pub(super) fn is_clean(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr3(b'\r', b'\n', 0, rest) {
        if !rest[at..].starts_with(b"\r\n") {
            return false;
        }
        rest = &rest[at + 2..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads in pieces; what the content is, why it is refused, how many bytes it took.
    fn read(
        input: &[u8],
        step: usize,
        bare: BareLines,
    ) -> (Vec<u8>, Option<Unacceptable>, Option<usize>) {
        let (mut content, mut out, mut used) = (Content::new(bare), Vec::new(), 0);
        for piece in input.chunks(step) {
            let (count, ended) = content.read(piece, &mut out);
            used += count;
            if ended {
                return (out, content.unacceptable(), Some(used));
            }
            assert_eq!(count, piece.len());
        }
        (out, content.unacceptable(), None)
    }

    /// The same by its definition, slowly: where the end is, and what stands before it line by line.
    fn slow(input: &[u8]) -> Option<(Vec<u8>, Option<Unacceptable>, Option<usize>)> {
        let whole = [b"\r\n", input].concat();
        let end = memmem::find(&whole, b"\r\n.\r\n")?;
        let raw = &whole[2..(end + 2).max(2)];
        let mut unacceptable = None;
        for (at, byte) in raw.iter().enumerate() {
            let alone = match byte {
                b'\r' => raw.get(at + 1) != Some(&b'\n'),
                b'\n' => at == 0 || raw[at - 1] != b'\r',
                _ => false,
            };
            let why = if alone {
                Some(Unacceptable::BareLine)
            } else {
                (*byte == 0).then_some(Unacceptable::Nul)
            };
            unacceptable = unacceptable.or(why);
        }
        let (mut text, mut in_fields) = (Vec::new(), true);
        for line in raw.split_inclusive(|byte| *byte == b'\n') {
            let end = line
                .iter()
                .rposition(|byte| !matches!(byte, b'\r' | b'\n'))
                .map_or(0, |at| at + 1);
            let (inner, ended) = (&line[..end], line.ends_with(b"\n"));
            let inner = if inner.len() > 1 {
                inner.strip_prefix(b".").unwrap_or(inner)
            } else {
                inner
            };
            let is_delimiter = inner.starts_with(b"--");
            for (at, byte) in inner.iter().enumerate() {
                let joins = in_fields || is_delimiter || inner[at + 1..].starts_with(b"--");
                match byte {
                    b'\r' if joins => text.push(b' '),
                    b'\r' => text.extend_from_slice(b"\r\n"),
                    _ => text.push(*byte),
                }
            }
            in_fields = is_delimiter || in_fields && !inner.is_empty();
            text.extend_from_slice(if ended { b"\r\n" } else { b"" });
        }
        Some((text, unacceptable, Some(end + 3)))
    }

    /// By how many bytes the content grows while it is read.
    fn grown(input: &[u8], step: usize, bare: BareLines) -> i64 {
        let (mut content, mut out) = (Content::new(bare), Vec::new());
        input
            .chunks(step)
            .any(|piece| content.read(piece, &mut out).1);
        content.grown()
    }

    /// Reads in pieces; the bytes as they came, where line ends were set right.
    fn raw(input: &[u8], step: usize) -> Option<Vec<u8>> {
        let (mut content, mut all, mut text) =
            (Content::new(BareLines::Normalize), None, Vec::new());
        for piece in input.chunks(step) {
            let mut out = Vec::new();
            let (_, ended) = content.read(piece, &mut out);
            if content.has_corrected_line_ends() {
                all.get_or_insert_with(|| text.clone())
                    .extend(content.take_raw());
            } else {
                text.extend(out);
            }
            if ended {
                break;
            }
        }
        all
    }

    #[test]
    fn what_came_is_known_where_line_ends_were_set_right() {
        for (input, want) in [
            (
                "a\r\n..b\r\n\r\nc\nd\re\r\r\n.\r\n",
                Some("a\r\n.b\r\n\r\nc\nd\re\r\r\n"),
            ),
            ("\n..a\r\n.\r\n", Some("\n.a\r\n")),
            ("a\n.\nb\r\n.\r\n", Some("a\n.\nb\r\n")),
            ("a\r\n.\r\r\nb\r\n.\r\n", Some("a\r\n.\r\r\nb\r\n")),
            ("a\r\r\rb\r\n.\r\n", Some("a\r\r\rb\r\n")),
            ("a\r\n..\r\n.\r\n", None),
        ] {
            for step in [1, 2, 3, usize::MAX] {
                assert_eq!(
                    raw(input.as_bytes(), step),
                    want.map(|text| text.as_bytes().to_vec()),
                    "{input:?} {step}"
                );
            }
        }
    }

    #[test]
    fn only_one_ending_ends() {
        for inner in [
            "\n.\n",
            "\r.\r",
            "\r\n.\n",
            "\n.\r\n",
            "\r.\r\n",
            "\r\n.\r",
            "\r\n.\r\r\n",
            "\n.\r\r\n",
        ] {
            let input = format!("a{inner}b\r\n.\r\n");
            let (_, why, used) = read(input.as_bytes(), 1, BareLines::Reject);
            assert_eq!(
                (why, used),
                (Some(Unacceptable::BareLine), Some(input.len())),
                "{inner:?}"
            );
            let (text, why, used) = read(input.as_bytes(), 1, BareLines::Normalize);
            assert_eq!((why, used), (None, Some(input.len())), "{inner:?}");
            assert!(
                is_clean(&text) && text.starts_with(b"a") && text.ends_with(b"b\r\n"),
                "{text:?}"
            );
        }
        for (inner, want) in [
            ("\r\n..\r\n", "\r\n.\r\n"),
            ("\r\n. \r\n", "\r\n \r\n"),
            ("\r\n...\r\n", "\r\n..\r\n"),
            ("\r\n", "\r\n"),
        ] {
            let (text, why, _) = read(
                format!("a{inner}b\r\n.\r\n").as_bytes(),
                1,
                BareLines::Reject,
            );
            assert_eq!((text, why), (format!("a{want}b\r\n").into_bytes(), None));
        }
        let (_, why, used) = read(b"a\r\n.\0\r\n.\r\n", 1, BareLines::Normalize);
        assert_eq!((why, used), (Some(Unacceptable::Nul), Some(10)));
        assert_eq!(
            read(b".\r\nQUIT\r\n", 99, BareLines::Reject),
            (vec![], None, Some(3))
        );
    }

    #[test]
    fn a_return_ends_a_line_where_that_makes_no_structure() {
        for (input, want) in [
            // Header fields, also of a part.
            ("A: b\rC: d\r\n\r\nx\r\n", "A: b C: d\r\n\r\nx\r\n"),
            (
                "\r\n--b\rA: b\r\nC: d\rE: f\r\n\r\nx\ry\r\n",
                "\r\n--b A: b\r\nC: d E: f\r\n\r\nx\r\ny\r\n",
            ),
            // Fields of a message in a message.
            (
                "A: message/rfc822\r\n\r\nB: c\rD: e\r\n\r\nx\ry\r\n--b\r\n\r\nx\ry\r\n",
                "A: message/rfc822\r\n\r\nB: c D: e\r\n\r\nx y\r\n--b\r\n\r\nx\r\ny\r\n",
            ),
            // Text.
            ("\r\none\rtwo\rthree\r\n", "\r\none\r\ntwo\r\nthree\r\n"),
            ("\r\none\r\rtwo\r\n", "\r\none\r\n\r\ntwo\r\n"),
            ("\r\none\r\r\r\ntwo\r\n", "\r\none\r\ntwo\r\n"),
            ("\r\n\rone\r- two\r\n", "\r\n\r\none\r\n- two\r\n"),
            // A line end after CR is no line end of the client: its dots are text.
            ("\r\none\r..two\r.\r\n", "\r\none\r\n..two\r\n.\r\n"),
            // A delimiter.
            ("\r\none\r--b\rA: b\r\n", "\r\none --b\r\nA: b\r\n"),
            ("\r\n\r\r--b\r\n", "\r\n\r\n --b\r\n"),
        ] {
            for step in [1, 2, 3, usize::MAX] {
                let whole = [input, ".\r\n"].concat();
                let (text, why, used) = read(whole.as_bytes(), step, BareLines::Normalize);
                assert_eq!(
                    text.escape_ascii().to_string(),
                    want.as_bytes().escape_ascii().to_string()
                );
                assert_eq!((why, used), (None, Some(whole.len())), "{input:?}");
            }
        }
    }

    /// All inputs of up to `longest` of four bytes, between two texts.
    fn short_inputs(
        bytes: [u8; 4],
        before: &'static str,
        after: &'static str,
        longest: u32,
    ) -> impl Iterator<Item = Vec<u8>> {
        (0..=longest).flat_map(move |length| {
            (0..4_usize.pow(length)).map(move |number| {
                let middle = (0..length).map(|at| bytes[number >> (2 * at) & 3]);
                let middle: Vec<u8> = middle.collect();
                [before.as_bytes(), &middle, after.as_bytes()].concat()
            })
        })
    }

    /// Every short input of the bytes that count, at the start of a header and of a body.
    #[test]
    fn all_short_inputs_are_read_as_defined() {
        let inputs = short_inputs(*b"\r\n.a", "", "", 9)
            .chain(short_inputs(*b"\r\n.a", "\r\n", "\r\n.\r\n", 7))
            .chain(short_inputs(*b"\r\n-a", "", "\r\n.\r\n", 7))
            .chain(short_inputs(*b"\r\n-a", "\r\n", "\r\n.\r\n", 8));
        let mut ended = 0;
        for input in inputs {
            let whole = read(&input, usize::MAX, BareLines::Reject);
            assert_eq!(read(&input, 1, BareLines::Reject), whole, "{input:?}");
            let normal = read(&input, 2, BareLines::Normalize);
            assert_eq!(raw(&input, 2), raw(&input, usize::MAX), "{input:?}");
            assert_eq!((normal.2, &normal.0), (whole.2, &whole.0), "{input:?}");
            assert_eq!(whole.2.is_some(), slow(&input).is_some(), "{input:?}");
            if let Some((text, why, used)) = slow(&input) {
                ended += 1;
                let came = raw(&input, 1).map_or(text.len(), |came| came.len());
                let more = text.len() as i64 - came as i64;
                assert_eq!(grown(&input, 1, BareLines::Normalize), more, "{input:?}");
                assert_eq!(
                    grown(&input, usize::MAX, BareLines::Reject),
                    more,
                    "{input:?}"
                );
                assert_eq!(whole, (text.clone(), why, used), "{input:?}");
                assert!(is_clean(&text));
                if let Some(came) = raw(&input, 1) {
                    // No byte but dots of the way was added or taken.
                    let plain =
                        |bytes: &[u8]| bytes.iter().copied().filter(|byte| *byte != b'.').collect();
                    let (came, input): (Vec<u8>, Vec<u8>) =
                        (plain(&came), plain(&input[..used.unwrap() - 3]));
                    assert!(why.is_some());
                    assert_eq!(came, input);
                }
                // What leaves is read back the same, at once and in pieces.
                let mut out = Vec::new();
                let mut stuffer = Stuffer::default();
                text.chunks(1)
                    .for_each(|piece| stuffer.write(piece, &mut out));
                stuffer.finish(&mut out);
                let mut at_once = Vec::new();
                let mut stuffer = Stuffer::default();
                stuffer.write(&text, &mut at_once);
                stuffer.finish(&mut at_once);
                assert_eq!(out, at_once);
                assert_eq!(
                    memmem::find(&[b"\r\n", &*out].concat(), b"\r\n.\r\n"),
                    Some(out.len() - 3)
                );
                assert_eq!(
                    read(&out, 3, BareLines::Reject),
                    (text, None, Some(out.len()))
                );
            }
        }
        assert!(ended > 5_000, "{ended}");
    }
}
