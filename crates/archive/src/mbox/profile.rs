//! The file profile: what samples of a mailbox show about the whole file.
//!
//! Sniffs the first 16 MiB once and, in a larger file, 16 samples of 256 KiB. All splitting decisions then depend on the profile
//! and on bytes nearby.
//!
//! # Limits
//! Sniffs only the first 2 MiB of standard input, because it cannot be read twice, and the first 16 MiB of decompressed data. Blank
//! lines and NUL bytes beyond these count as text. A file with only `>From ` lines may be mboxo or mboxrd. It is read as mboxrd, or as
//! mboxo if it also has unquoted lines; an event reports the guess.

mod content_length;
mod sample_counts;
mod serialized;
mod sniff_input;

use std::fs::File;
use std::io::{self, Read};

pub(super) use self::content_length::{CONFIRM, HEADER, confirms, declared_end};
use self::sample_counts::SampleCounts;
pub(super) use self::sniff_input::{SniffInput, read_at};
use super::division::{Division, mmdf_line};
use super::from_line::{FromLine, Shapes};
use super::split::NEAR;
use crate::following_line::FollowingLine;
use crate::line_ends::{open_line, split_line};
use crate::mailbox_options::MboxRule;
use crate::packed::beginning;
use crate::source::{Profile, Quoting};
use crate::tree_file::TreeFile;

/// Number of bytes at the start of a file that are sniffed.
pub(super) const HEAD: u64 = 16 << 20;
/// Number of further samples of a larger file.
const PROBES: u64 = 16;
const PROBE: u64 = 256 << 10;
/// Number of bytes at the start of a file in which its first line is searched. More are read if all of them are blank or NUL.
const PRELUDE: usize = 64 << 10;
/// Number of bytes to sniff of an input that cannot be read twice.
pub(super) const STREAM_HEAD: u64 = 2 << 20;

/// Results of sniffing a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    #[serde(with = "serialized")]
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

    /// Replaces the sniffed values by those that a rule demands.
    pub(super) fn apply(&mut self, rule: MboxRule) {
        let (division, trust_length) = match rule {
            MboxRule::Auto => return,
            MboxRule::Strict | MboxRule::Loose => (Division::FromLines, false),
            MboxRule::ContentLength => (Division::FromLines, true),
            MboxRule::Mmdf => (Division::Mmdf, false),
        };
        if division == Division::Mmdf && self.division != division {
            self.quoting = Quoting::None;
            "MMDF".clone_into(&mut self.shown.dialect);
        }
        if trust_length {
            self.bad_length = false;
        }
        self.division = division;
        self.trust_length = trust_length;
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

    /// Returns true for a file with the name of a mailbox that has a dated separator before the header of a message.
    ///
    /// The first message of such a mailbox was truncated, or text precedes it.
    fn is_mailbox_by_name(&self) -> bool {
        self.is_mailbox() || self.dated_mail > 0
    }

    /// Returns the test for a file with or without the name of a mailbox.
    fn test_of_mailboxes(is_named: bool) -> fn(&Self) -> bool {
        if is_named {
            Self::is_mailbox_by_name
        } else {
            Self::is_mailbox
        }
    }

    /// Returns true if `From ` lines separate messages.
    pub(super) fn is_split_by_lines(&self) -> bool {
        self.division == Division::FromLines
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
        let prelude = whole_prelude(look, &mut buffer)?;
        look.read(prelude, prelude + PRELUDE as u64, &mut buffer)?;
        let division = if mmdf_line(&buffer).is_some() {
            Division::Mmdf
        } else {
            Division::FromLines
        };
        let begins_with_field = FollowingLine::of(split_line(&buffer).0) != FollowingLine::Other;

        let mut head = SampleCounts::default();
        let size = look.size();
        let mut at = 0;
        while at < size.min(HEAD) {
            let end = (at + (1 << 20)).min(size.min(HEAD));
            head.count(look, &mut buffer, at, end, prelude)?;
            at = end;
        }
        let first = head.first;
        let known = first.filter(|line| head.begins || !head.is_outnumbered(line.index()));
        let mut common = head.dominant();
        if let Some(line) = known {
            common.insert(line);
        }
        if head.first_is_plain {
            common.insert_plain();
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
                let mut tally = head.for_sample((HEAD / PROBE) as u32);
                tally.count(look, &mut buffer, start, (start + PROBE).min(end), prelude)?;
                let mut shapes = tally.dominant().union(head.dominant_without_git());
                if let Some(line) = known {
                    shapes.insert(line);
                }
                if head.first_is_plain {
                    shapes.insert_plain();
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
            dated_mail: all.strong_dated_mail(),
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
///
/// The archive begins at an offset of the file, and has `size` bytes. A file that `is_named` as a mailbox needs one separator.
pub(crate) fn is_mailbox(file: &File, offset: u64, size: u64, is_named: bool) -> io::Result<bool> {
    let is_it = FileProfile::test_of_mailboxes(is_named);
    let mut start = vec![0; BEGINNING.min(size as usize)];
    let filled = read_at(file, offset, &mut start)?;
    let profile = FileProfile::sniff(&SniffInput::Start(&start[..filled], filled as u64 == size))?;
    if is_it(&profile) || filled as u64 == size {
        return Ok(is_it(&profile));
    }
    let profile = FileProfile::sniff(&SniffInput::File(file, offset, size))?;
    Ok(is_it(&profile))
}

/// Like [`is_mailbox`], for a decompressed stream. Examines as many bytes as of a file.
pub(crate) fn is_mailbox_inside(input: &mut impl Read, is_named: bool) -> io::Result<bool> {
    let is_it = FileProfile::test_of_mailboxes(is_named);
    let mut head = beginning(input, BEGINNING)?;
    let whole = head.len() < BEGINNING;
    let profile = FileProfile::sniff(&SniffInput::Start(&head, whole))?;
    if whole || is_it(&profile) {
        return Ok(is_it(&profile));
    }
    input
        .by_ref()
        .take(HEAD - head.len() as u64)
        .read_to_end(&mut head)?;
    Ok(is_it(&FileProfile::of_start(&head)?))
}

/// Returns true if the start of a file has separators with a date: two, or one if the file `is_named` as a mailbox. The file does not
/// begin with a separator. `start` may be the `whole` file.
pub(crate) fn has_dated_separators(start: &[u8], whole: bool, is_named: bool) -> io::Result<bool> {
    let profile = FileProfile::sniff(&SniffInput::Start(start, whole))?;
    Ok(profile.dated_mail >= if is_named { 1 } else { 2 })
}

/// Returns the number of lines in a file that look like mailbox separators, and the offset of the first.
///
/// A file on a disk has `size` bytes. A stream is read from its start, and examined in its first [`HEAD`] bytes.
pub(crate) fn separators(file: &mut TreeFile, size: u64) -> io::Result<(u32, u64)> {
    let profile = match file {
        TreeFile::Disk(file) => FileProfile::sniff(&SniffInput::File(file, 0, size))?,
        TreeFile::Range(range) => {
            let start = range.range().start;
            FileProfile::sniff(&SniffInput::File(range.file(), start, range.len()))?
        }
        TreeFile::Stream(stream, _) => FileProfile::of_start(&beginning(stream, HEAD as usize)?)?,
    };
    Ok((profile.strong, profile.first_strong))
}

/// Returns true if the first line is a header field.
pub(crate) fn looks_like_message(bytes: &[u8]) -> bool {
    let rest = &bytes[prelude(bytes)..];
    rest.starts_with(b"From ") || FollowingLine::of(split_line(rest).0) != FollowingLine::Other
}

/// Returns the [`prelude`] of an input. Reads on while its bytes are blank or NUL, up to [`HEAD`].
fn whole_prelude(look: &SniffInput<'_>, buffer: &mut Vec<u8>) -> io::Result<u64> {
    let most = look.size().min(HEAD);
    let mut length = PRELUDE as u64;
    loop {
        look.read(0, length, buffer)?;
        let text = mark_length(buffer) + padding_length(&buffer[mark_length(buffer)..]);
        if length >= most || buffer[text..].len() >= b"From ".len() {
            return Ok(prelude(buffer) as u64);
        }
        length = (length * 4).min(most);
    }
}

/// Returns the length of a byte order mark and blank lines at the start, with or without blanks in them. NUL bytes, also between these
/// lines, belong to it if a separator follows.
///
/// `bytes` are the whole file, or at least [`PRELUDE`] bytes of it.
fn prelude(bytes: &[u8]) -> usize {
    let mark = mark_length(bytes);
    let (padding, text) = bytes[mark..].split_at(padding_length(&bytes[mark..]));
    if text.starts_with(b"From ") && matches!(padding.last(), None | Some(b'\n' | b'\r' | 0)) {
        return mark + padding.len();
    }
    let blank = bytes[mark..].iter().take_while(|byte| is_blank(**byte));
    let end = mark + blank.count();
    if end == bytes.len() && end < PRELUDE {
        return end;
    }
    // The blanks at the start of a line with text belong to the line.
    end - open_line(&bytes[mark..end]).len()
}

/// Returns the length of a byte order mark at the start, or 0.
fn mark_length(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    }
}

/// Returns the number of blanks, line ends and NUL bytes at the start.
fn padding_length(bytes: &[u8]) -> usize {
    let is_padding = |byte: &&u8| **byte == 0 || is_blank(**byte);
    bytes.iter().take_while(is_padding).count()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b' ' | b'\t')
}
