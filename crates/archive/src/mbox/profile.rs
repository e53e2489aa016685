//! The file profile: what samples of a mailbox show about the whole file.
//!
//! Sniffs the first 16 MiB once and, in a larger file, 16 samples of 256 KiB. All splitting decisions then depend on the profile
//! and on bytes nearby.
//!
//! # Limits
//! Sniffs only the first 2 MiB of standard input, because it cannot be read twice, and the first 16 MiB of decompressed data. A
//! file with only `>From ` lines may be mboxo or mboxrd. It is read as mboxrd, or as mboxo if it also has unquoted lines; an event
//! reports the guess.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use memchr::memmem::Finder;

use super::from_line::{FromLine, KINDS, Shape, Shapes, UNDATED_WORD, is_git, starts_line};
use super::split::{BEHIND, Evidence, Follower, NEAR, is_quoted_by_mailbox, quoted};
use super::write::Fields;
use crate::packed::beginning;
use crate::{Profile, Quoting};

/// Number of bytes at the start of a file that are sniffed.
pub(super) const HEAD: u64 = 16 << 20;
/// Number of further samples of a larger file.
const PROBES: u64 = 16;
const PROBE: u64 = 256 << 10;
/// Number of bytes in which blank lines may precede the first separator.
const PRELUDE: usize = 64 << 10;
/// Longest header in which a Content-Length is searched.
pub(super) const HEADER: usize = 64 << 10;

/// Number of bytes to sniff of an input that cannot be read twice.
pub(super) const STREAM_HEAD: u64 = 2 << 20;

/// Where the sniffer reads.
pub(super) enum SniffInput<'a> {
    /// A file of this many bytes.
    File(&'a File, u64),
    /// The start of a stream, and whether it is the whole stream.
    Start(&'a [u8], bool),
}

impl SniffInput<'_> {
    fn size(&self) -> u64 {
        match self {
            Self::File(_, size) => *size,
            Self::Start(bytes, _) => bytes.len() as u64,
        }
    }

    /// Returns true if [`Self::size`] is the end of the input.
    fn is_whole(&self) -> bool {
        !matches!(self, Self::Start(_, false))
    }

    /// Reads the bytes of a range, as far as they exist.
    fn read(&self, from: u64, to: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        let to = to.min(self.size());
        let length = to.saturating_sub(from) as usize;
        match self {
            Self::Start(bytes, _) => {
                buffer.clear();
                buffer.extend_from_slice(bytes.get(from as usize..to as usize).unwrap_or_default());
            }
            Self::File(file, _) => {
                buffer.resize(length, 0);
                let filled = read_at(file, from, buffer)?;
                buffer.truncate(filled);
            }
        }
        Ok(())
    }
}

/// Fills `buffer` from an offset, up to the end of the file. Returns the number of bytes.
pub(super) fn read_at(file: &File, mut from: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], from) {
            Ok(0) => break,
            Ok(read) => {
                filled += read;
                from += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// How messages are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    /// By `From ` lines.
    FromLines,
    /// By lines of four ^A.
    Mmdf,
}

/// Results of sniffing a file.
#[derive(Clone, Debug)]
pub(super) struct FileProfile {
    pub division: Division,
    /// Bytes before the first line that is not blank (byte order mark, blank lines).
    pub prelude: u64,
    /// True if the first line that is not blank is a separator.
    pub begins: bool,
    /// True if the first line that is not blank is a header field.
    pub begins_with_field: bool,
    /// Dominant kinds of separators, with the end offset of their region.
    regions: Vec<(u64, Shapes)>,
    pub quoting: Quoting,
    /// The first separator of the file.
    pub first: Option<FromLine>,
    /// The mailbox quotes `From ` lines in bodies, and has no unquoted ones in prose: an unquoted one is a separator.
    pub quotes: bool,
    /// True if unquoting is a guess.
    pub quoting_guess: bool,
    /// True if Content-Length is trusted when a separator or the end of the file follows the body.
    pub trust_length: bool,
    /// True if lengths occur but are wrong.
    pub bad_length: bool,
    /// True if only lone CRs end lines.
    pub bare_cr: bool,
    /// Number of candidates with a blank line before and a known field after them.
    pub strong: u32,
    /// Offset of the first of them.
    pub first_strong: u64,
    /// Those with a date, except patches.
    dated: u32,
    dated_mail: u32,
    pub shown: Profile,
}

impl FileProfile {
    /// Returns the dominant kinds at an offset.
    pub(super) fn dominant(&self, at: u64) -> Shapes {
        let region = self
            .regions
            .iter()
            .find(|(end, _)| at < *end)
            .or(self.regions.last());
        region.map(|(_, shapes)| *shapes).unwrap_or_default()
    }

    /// Returns true for a file that begins like a mailbox, or has dated separators further on.
    ///
    /// Text needs two of them. A message needs three; its own separator was truncated then. People paste one or two into mail, and
    /// dozens of patches, which do not count here.
    pub(super) fn is_mailbox(&self) -> bool {
        self.begins
            || if self.begins_with_field {
                self.dated_mail >= 3
            } else {
                self.dated >= 2
            }
    }

    /// Returns true for a file without any separator.
    pub(super) fn is_one_message(&self) -> bool {
        self.division == Division::FromLines && !self.begins && self.strong == 0
    }

    /// Sniffs the first [`HEAD`] bytes of an input that cannot seek.
    pub(super) fn of_start(head: &[u8]) -> io::Result<Self> {
        Self::sniff(&SniffInput::Start(head, (head.len() as u64) < HEAD))
    }

    /// Sniffs a file or the start of a stream.
    pub(super) fn sniff(look: &SniffInput<'_>) -> io::Result<Self> {
        let mut buffer = Vec::new();
        look.read(0, PRELUDE as u64, &mut buffer)?;
        let prelude = prelude(&buffer);
        let rest = &buffer[prelude..];
        let division = if mmdf_line(rest).is_some() {
            Division::Mmdf
        } else {
            Division::FromLines
        };
        let begins_with_field = Follower::of(super::write::split_line(rest).0) != Follower::Other;
        let prelude = prelude as u64;

        let mut head = Tally::default();
        let size = look.size();
        let mut at = 0;
        while at < size.min(HEAD) {
            let end = (at + (1 << 20)).min(size.min(HEAD));
            head.count(look, &mut buffer, at, end, prelude)?;
            at = end;
        }
        let first = head.first;
        let mut common = head.dominant();
        if let Some(line) = first {
            common.insert(line);
        }
        let mut regions = vec![(size.min(HEAD), common)];
        let mut all = head.clone();
        if size > HEAD {
            for probe in 0..PROBES {
                // Regions of equal length follow the head. Each sample is at the start of its region.
                let start = HEAD + (size - HEAD) / PROBES * probe;
                let end = if probe + 1 == PROBES {
                    size
                } else {
                    HEAD + (size - HEAD) / PROBES * (probe + 1)
                };
                let mut tally = Tally {
                    looked: head.looked,
                    ..Tally::default()
                };
                tally.count(look, &mut buffer, start, (start + PROBE).min(end), prelude)?;
                let mut shapes = tally.dominant().union(head.dominant_without_git());
                if let Some(line) = first {
                    shapes.insert(line);
                }
                regions.push((end, shapes));
                all.add(&tally);
            }
        }
        let begins = division == Division::Mmdf || head.begins;
        // In a single message, a length may be right by accident or by intent of the sender.
        let most_have = all.good_lengths > all.bad_lengths + all.without_length;
        let trust_length = division == Division::FromLines && most_have;
        let (dialect, quoting, quoting_guess) = all.dialect(division, trust_length);
        Ok(Self {
            division,
            prelude,
            begins,
            begins_with_field,
            regions,
            quoting,
            first,
            quotes: all.quoted_by_mailbox > 0 && all.prose == 0,
            quoting_guess,
            trust_length,
            bad_length: all.bad_lengths > 0 && !trust_length,
            bare_cr: all.bare_cr > 0 && all.lf + all.crlf == 0,
            strong: all.strong.iter().sum(),
            first_strong: all.first_strong.unwrap_or(prelude),
            dated: all.strong.iter().skip(1).step_by(2).sum(),
            dated_mail: (1..KINDS)
                .step_by(2)
                .filter(|kind| !is_git(*kind))
                .map(|kind| all.strong[kind])
                .sum(),
            shown: Profile {
                dialect: dialect.to_owned(),
                line_end: all.line_end(),
            },
        })
    }
}

/// Number of bytes that show for most files whether they are mailboxes.
const BEGINNING: usize = PRELUDE + NEAR;

/// Returns true for a file of `size` bytes that begins like a mailbox, or has separators further on.
pub(crate) fn is_mailbox(file: &File, size: u64) -> io::Result<bool> {
    let mut start = vec![0; BEGINNING];
    let filled = read_at(file, 0, &mut start)?;
    let profile = FileProfile::sniff(&SniffInput::Start(&start[..filled], filled as u64 == size))?;
    if profile.is_mailbox() || filled as u64 == size {
        return Ok(profile.is_mailbox());
    }
    Ok(FileProfile::sniff(&SniffInput::File(file, size))?.is_mailbox())
}

/// Like [`is_mailbox`], for a decompressed stream. Examines as many bytes as of a file.
pub(crate) fn is_mailbox_inside(input: &mut impl Read) -> io::Result<bool> {
    let mut head = beginning(input, BEGINNING)?;
    let whole = head.len() < BEGINNING;
    let profile = FileProfile::sniff(&SniffInput::Start(&head, whole))?;
    if whole || profile.is_mailbox() {
        return Ok(profile.is_mailbox());
    }
    input
        .by_ref()
        .take(HEAD - head.len() as u64)
        .read_to_end(&mut head)?;
    Ok(FileProfile::of_start(&head)?.is_mailbox())
}

/// Returns the number of lines in a file of `size` bytes that look like mailbox separators, and the offset of the first.
pub(crate) fn separators(file: &File, size: u64) -> io::Result<(u32, u64)> {
    let profile = FileProfile::sniff(&SniffInput::File(file, size))?;
    Ok((profile.strong, profile.first_strong))
}

/// Returns true if the first line is a header field.
pub(crate) fn looks_like_message(bytes: &[u8]) -> bool {
    let rest = &bytes[prelude(bytes)..];
    rest.starts_with(b"From ") || Follower::of(super::write::split_line(rest).0) != Follower::Other
}

/// Returns the length of a byte order mark and blank lines at the start.
fn prelude(bytes: &[u8]) -> usize {
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    mark + bytes[mark..]
        .iter()
        .take_while(|byte| matches!(byte, b'\n' | b'\r'))
        .count()
}

/// Returns the length of a line of four ^A with its line end, if `bytes` starts with one.
pub(super) fn mmdf_line(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"\x01\x01\x01\x01")?;
    match rest {
        [] => Some(4),
        [b'\r', b'\n', ..] => Some(6),
        [b'\r' | b'\n', ..] => Some(5),
        _ => None,
    }
}

/// Returns the end of the body that a Content-Length field declares, as an offset from the start of the message.
pub(super) fn declared_end(message: &[u8]) -> Option<u64> {
    let mut fields = Fields::new(&message[..message.len().min(HEADER)]);
    let length = fields
        .by_ref()
        .find(|(name, _)| name.eq_ignore_ascii_case(b"content-length"))?
        .1;
    let length: u64 = std::str::from_utf8(length.trim_ascii())
        .ok()?
        .parse()
        .ok()?;
    fields.by_ref().for_each(drop);
    let header = message.len().min(HEADER) - fields.rest().len();
    let (line, step) = super::write::split_line(fields.rest());
    (line.is_empty() && step > 0)
        .then(|| (header + step) as u64)?
        .checked_add(length)
}

/// Checks that a separator or the end of the file follows a declared body, after up to two line ends.
///
/// Returns the number of bytes before that.
pub(super) fn confirms(after: &[u8], whole: bool) -> Option<usize> {
    let mut at = 0;
    for _ in 0..3 {
        if after[at..].starts_with(b"From ") || (whole && at == after.len()) {
            return Some(at);
        }
        match &after[at..] {
            [b'\r', b'\n', ..] => at += 2,
            [b'\n' | b'\r', ..] => at += 1,
            _ => return None,
        }
    }
    None
}

/// Largest number of lengths examined in the head of a file, and in each sample.
const MOST_LENGTHS: u32 = 4096;

/// Number of bytes that [`confirms`] examines.
pub(super) const CONFIRM: u64 = 16;

/// Counts for a profile.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// True if the first line of the file was examined.
    looked: bool,
    begins: bool,
    first: Option<FromLine>,
    /// Candidates with a blank line before and a known field after, by kind.
    strong: [u32; KINDS],
    /// Number of `>From ` lines.
    quoted: u32,
    /// Number of lines with more than one `>`.
    requoted: u32,
    /// Number of both that the mailbox quoted: in a body, and not in a quoted passage of a reply.
    quoted_by_mailbox: u32,
    /// Number of unquoted `From ` lines after a blank line that are text.
    prose: u32,
    /// Offset of the first strong candidate.
    first_strong: Option<u64>,
    good_lengths: u32,
    bad_lengths: u32,
    /// Messages without a Content-Length.
    without_length: u32,
    /// Number of unquoted `From ` lines inside a declared length.
    embedded: u32,
    takeout: u32,
    mozilla: u32,
    lf: u32,
    crlf: u32,
    bare_cr: u32,
}

impl Tally {
    /// Counts the lines that start in `from..to`.
    fn count(
        &mut self,
        look: &SniffInput<'_>,
        buffer: &mut Vec<u8>,
        from: u64,
        to: u64,
        prelude: u64,
    ) -> io::Result<()> {
        let base = from.saturating_sub(BEHIND as u64);
        look.read(base, to + NEAR as u64, buffer)?;
        let data = buffer.as_slice();
        if from == 0 {
            self.count_line_ends(&data[..data.len().min(to as usize)]);
        }
        let whole = look.is_whole() && base + data.len() as u64 >= look.size();
        let finder = Finder::new("From ");
        let mut at = (from - base) as usize;
        let limit = data.len().min((to - base) as usize + 4);
        let mut declared = 0;
        while let Some(found) = data.get(at..limit).and_then(|part| finder.find(part)) {
            let start = at + found;
            at = start + 5;
            if let Some(depth) = quoted(data, start) {
                self.quoted += u32::from(depth == 1);
                self.requoted += u32::from(depth > 1);
                self.quoted_by_mailbox += u32::from(is_quoted_by_mailbox(data, start - depth));
                continue;
            }
            let offset = base + start as u64;
            if offset != prelude && !starts_line(data, start, base == 0) {
                continue;
            }
            if offset < declared {
                self.embedded += 1;
                continue;
            }
            let near = &data[..data.len().min(start + NEAR)];
            let Some(evidence) = Evidence::gather(
                near,
                start,
                offset == prelude,
                whole && near.len() == data.len(),
            ) else {
                continue;
            };
            self.bare_cr += u32::from(start > 0 && data[start - 1] == b'\r');
            let strong = evidence.blank_before && evidence.follower == Follower::Known;
            self.count_weak(&evidence, offset == prelude, strong);
            if !strong && offset != prelude {
                continue;
            }
            if strong {
                self.strong[evidence.line.index()] += 1;
                self.first_strong = self.first_strong.or(Some(offset));
                self.first = self.first.or(Some(evidence.line));
            }
            let message = &data[evidence.end..data.len().min(evidence.end + HEADER)];
            self.takeout += u32::from(message.starts_with(b"X-GM-THRID:"));
            self.mozilla += u32::from(message.starts_with(b"X-Mozilla-Status:"));
            if self.good_lengths + self.bad_lengths < MOST_LENGTHS {
                let start = base + evidence.end as u64;
                declared = self.count_length(look, message, start)?.unwrap_or(declared);
            }
        }
        Ok(())
    }

    /// Counts a possible separator. `begins` means that only a prelude precedes it; `strong` means that its surroundings prove it.
    fn count_weak(&mut self, evidence: &Evidence, begins: bool, strong: bool) {
        if begins && !self.looked {
            self.looked = true;
            let mut own = Shapes::default();
            own.insert(evidence.line);
            self.begins = evidence.points(own) >= super::split::ACCEPT;
            if self.begins {
                self.first = Some(evidence.line);
            }
        } else if !strong {
            let text = evidence.blank_before
                && evidence.follower == Follower::Other
                && !evidence.line.dated
                && evidence.line.shape == Shape::Word;
            self.prose += u32::from(text);
        }
    }

    /// Checks the Content-Length of a message that begins at `start`. Returns the declared end if a separator follows there.
    fn count_length(
        &mut self,
        look: &SniffInput<'_>,
        message: &[u8],
        start: u64,
    ) -> io::Result<Option<u64>> {
        let Some(length) = declared_end(message) else {
            self.without_length += 1;
            return Ok(None);
        };
        let end = start.saturating_add(length);
        if end > look.size() && !look.is_whole() {
            return Ok(None);
        }
        let mut near = Vec::new();
        look.read(end, end.saturating_add(CONFIRM), &mut near)?;
        let is_file_end = look.is_whole() && end + near.len() as u64 == look.size();
        if end <= look.size() && confirms(&near, is_file_end).is_some() {
            self.good_lengths += 1;
            return Ok(Some(end));
        }
        self.bad_lengths += 1;
        Ok(None)
    }

    fn count_line_ends(&mut self, data: &[u8]) {
        for at in memchr::memchr2_iter(b'\n', b'\r', data).take(100_000) {
            if data[at] == b'\n' {
                *(if at > 0 && data[at - 1] == b'\r' {
                    &mut self.crlf
                } else {
                    &mut self.lf
                }) += 1;
            } else if data.get(at + 1).is_some_and(|&next| next != b'\n') || at + 1 == data.len() {
                self.bare_cr += 1;
            }
        }
    }

    fn add(&mut self, other: &Self) {
        for (sum, more) in self.strong.iter_mut().zip(other.strong) {
            *sum += more;
        }
        for (sum, more) in [
            (&mut self.quoted, other.quoted),
            (&mut self.requoted, other.requoted),
            (&mut self.quoted_by_mailbox, other.quoted_by_mailbox),
            (&mut self.prose, other.prose),
            (&mut self.good_lengths, other.good_lengths),
            (&mut self.bad_lengths, other.bad_lengths),
            (&mut self.without_length, other.without_length),
            (&mut self.embedded, other.embedded),
            (&mut self.bare_cr, other.bare_cr),
        ] {
            *sum += more;
        }
        self.first_strong = self.first_strong.or(other.first_strong);
    }

    /// Returns the kinds of at least two strong candidates.
    ///
    /// Patches must be as frequent as all other kinds together, because patches pasted into mail are strong candidates too.
    fn dominant(&self) -> Shapes {
        let git: u32 = (0..KINDS)
            .filter(|index| is_git(*index))
            .map(|index| self.strong[index])
            .sum();
        let others = self.strong.iter().sum::<u32>() - git;
        let mut shapes = self.dominant_without_git();
        for index in
            (0..KINDS).filter(|index| is_git(*index) && self.strong[*index] >= 2 && git >= others)
        {
            shapes.insert_index(index);
        }
        shapes
    }

    fn dominant_without_git(&self) -> Shapes {
        let mut shapes = Shapes::default();
        for (index, &count) in self.strong.iter().enumerate() {
            if count >= 2 && index != UNDATED_WORD && !is_git(index) {
                shapes.insert_index(index);
            }
        }
        shapes
    }

    /// Returns name, quoting, and whether the quoting is a guess. If so, an event reports each `>From ` line, unquoted or not.
    fn dialect(&self, division: Division, trust_length: bool) -> (&'static str, Quoting, bool) {
        let first = self.first.map(|line| line.shape);
        let any_quoted = self.quoted + self.requoted > 0;
        if division == Division::Mmdf {
            ("MMDF", Quoting::None, false)
        } else if first.is_none() && self.strong.iter().sum::<u32>() == 0 {
            ("single message", Quoting::None, false)
        } else if trust_length && (self.embedded > 0 || !any_quoted) {
            ("mboxcl2", Quoting::None, true)
        } else if trust_length {
            ("mboxcl", Quoting::Mboxo, true)
        } else if self.takeout > 0 {
            ("Takeout", Quoting::Mboxrd, false)
        } else {
            let name = match first {
                Some(Shape::Dash | Shape::Bare) => "Thunderbird",
                Some(Shape::At) => "pipermail",
                _ if self.mozilla > 0 => "Thunderbird",
                _ if self.requoted > 0 => "mboxrd",
                _ if self.quoted > 0 && self.prose > 0 => "mboxo",
                _ => "mbox",
            };
            match (self.requoted > 0, any_quoted, self.prose > 0) {
                (false, true, true) => (name, Quoting::Mboxo, true),
                (false, false, true) => (name, Quoting::None, true),
                (true, _, _) => (name, Quoting::Mboxrd, false),
                (false, guess, false) => (name, Quoting::Mboxrd, guess),
            }
        }
    }

    fn line_end(&self) -> &'static str {
        match (self.lf > 0, self.crlf > 0, self.bare_cr > 0) {
            (false, true, false) => "CRLF",
            (false, false, true) => "CR",
            (true, true, _) | (true, _, true) | (_, true, true) => "mixed",
            _ => "LF",
        }
    }
}
