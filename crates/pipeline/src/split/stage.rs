//! Finds the outputs of each message, and makes its bytes for them: the stage of a split.
//!
//! # Limits
//!
//! A label ends at a comma, also inside quotes, as Gmail writes them.

use super::job::{SplitBy, SplitJob};
use super::mboxrd_message::{MboxrdMessage, WrittenLengths};
use super::split_batch::{Convention, OpenEnd, SplitBatch, SplitPiece, digest};
use crate::discover::escaped_name;
use crate::envelope;
use crate::file_time::file_time;
use crate::json_file_name::Address;
use crate::reader::{NumberedBatch, begins_message};
use crate::restore_quoting::line_end;
use crate::run::{OpenSource, Stage};
use crate::selection::folder_path;
use crate::separator::{
    LINE_END_ADDED, NO_LINE_END, SEPARATOR_REPLACED, replaced_separator, separator_line,
};
use crate::status;
use crate::tally::Tally;
use mailglot_archive::mbox::{trailer_for, unquote, without_padding};
use mailglot_archive::{Entry, EntryKind, Format, MailboxOptions};
use mailglot_mime::{Policy, Severity};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The output of messages without a year, label or sender.
const UNKNOWN: &str = "unknown";

/// Labels of one message for which it is written. More are ignored.
const MOST_COPIES: usize = 1000;

/// Makes the bytes of all messages.
pub(super) struct SplitStage<'a> {
    pub(super) job: &'a SplitJob,
    pub(super) policy: Policy,
}

impl Stage for SplitStage<'_> {
    type Output = SplitBatch;
    /// Path of the source below the given folder.
    type State = String;

    fn takes_pieces(&self) -> bool {
        true
    }

    fn state(&self, source: &OpenSource<'_>) -> io::Result<String> {
        Ok(source.input.place())
    }

    fn work(
        &self,
        source: &OpenSource<'_>,
        place: &mut String,
        feed: &mut NumberedBatch,
        tally: &mut Tally,
        out: &mut SplitBatch,
    ) -> io::Result<()> {
        out.bytes.clear();
        out.bytes.shrink_to(8 << 20);
        out.pieces.clear();
        let pieces = SourcePieces {
            stage: self,
            source,
            place,
        };
        let mut more = feed.continued;
        for (index, entry) in feed.batch.entries.iter().enumerate() {
            let continued = std::mem::replace(&mut more, entry.more);
            tally.messages += u64::from(begins_message(entry, continued));
            let is_message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            if !is_message || feed.is_dropped(index) {
                if !is_message {
                    tally.gap_bytes += entry.span.len() as u64;
                }
                continue;
            }
            let message =
                SourceEntry::new(entry, &feed.batch.bytes, continued, feed.midline[index]);
            let piece = pieces.piece(&message, tally, &mut out.bytes);
            out.pieces.push(piece);
        }
        Ok(())
    }
}

/// An entry of the source.
struct SourceEntry<'b> {
    entry: &'b Entry,
    separator: &'b [u8],
    /// The message as stored and quoted, without the omitted bytes.
    old: Cow<'b, [u8]>,
    trailer: &'b [u8],
    continued: bool,
    /// True if a piece begins inside a line.
    midline: bool,
}

impl<'b> SourceEntry<'b> {
    fn new(entry: &'b Entry, batch: &'b [u8], continued: bool, midline: bool) -> Self {
        Self {
            entry,
            separator: &batch[entry.span.start..entry.message.start],
            old: entry.message_in(batch),
            trailer: without_padding(&batch[entry.message.end..entry.span.end]),
            continued,
            midline,
        }
    }

    /// Returns the message without quoting: the part before the first whole line, and the lines.
    fn unquoted(&self) -> (&[u8], Cow<'_, [u8]>) {
        let (head, lines) = self
            .old
            .split_at(if self.midline { line_end(&self.old) } else { 0 });
        (head, unquote(lines, self.entry.quoting))
    }
}

/// Makes the pieces of one source.
struct SourcePieces<'a> {
    stage: &'a SplitStage<'a>,
    source: &'a OpenSource<'a>,
    /// Path of the source below the given folder.
    place: &'a str,
}

impl SourcePieces<'_> {
    /// Appends a message to `out` as its output needs it.
    fn piece(&self, source: &SourceEntry<'_>, tally: &mut Tally, out: &mut Vec<u8>) -> SplitPiece {
        let entry = source.entry;
        let start = out.len();
        let is_whole = !source.continued && !entry.more;
        let input = self.source.input;
        let is_mailbox = input.found.format == Format::Mbox;
        // The parts are read without the rules of the caller, so they must not need them.
        let is_copied = is_mailbox && input.opening.mailbox == MailboxOptions::default();
        let (mut convention, mut open_end) = (Convention::Mboxrd, OpenEnd::default());
        let (mut flags, mut modified) = (entry.flags, None);
        let mut written = WrittenLengths::default();
        if self.stage.job.to != Format::Mbox {
            let (head, lines) = source.unquoted();
            out.extend_from_slice(head);
            out.extend_from_slice(&lines);
            if is_mailbox {
                flags.0 |= status::flags(&lines).0;
            }
            if !source.continued {
                modified = file_time(entry, source.separator, &lines);
            }
        } else if let Some(copied) =
            Convention::of(&self.source.dialect, entry.quoting).filter(|_| is_copied)
        {
            convention = copied;
            open_end = copy(source, out);
            written.message = source.old.len();
            written.trailer = source.trailer.len();
        } else {
            written = self.requote(source, tally, out);
        }
        let end = out.len() - written.trailer;
        let digest = if is_whole {
            let (_, lines) = source.unquoted();
            digest(&lines)
        } else {
            0
        };
        let keys = if source.continued {
            Vec::new()
        } else {
            self.keys(source)
        };
        SplitPiece {
            span: start..out.len(),
            message: end - written.message..end,
            ordinal: entry.ordinal,
            keys,
            continued: source.continued,
            more: entry.more,
            convention,
            open_end,
            digest,
            flags,
            modified,
        }
    }

    /// Appends a message with a plain separator and a trailer, quoted as in mboxrd. Reports what the message loses or gains.
    fn requote(
        &self,
        source: &SourceEntry<'_>,
        tally: &mut Tally,
        out: &mut Vec<u8>,
    ) -> WrittenLengths {
        let separator = (!source.continued).then_some(source.separator);
        if let Some(detail) = separator.and_then(replaced_separator) {
            self.event(source, SEPARATOR_REPLACED, &detail, tally);
        }
        let (line_rest, lines) = source.unquoted();
        let message = MboxrdMessage {
            separator,
            line_rest,
            lines: &lines,
            more: source.entry.more,
            from_mailbox: self.source.input.found.format == Format::Mbox,
            has_from: source.entry.froms != Some(false),
        };
        let written = message.append(out);
        let last = lines.last().or(line_rest.last());
        if !source.entry.more && !matches!(last, None | Some(b'\n' | b'\r')) {
            self.event(source, LINE_END_ADDED, NO_LINE_END, tally);
        }
        written
    }

    /// Reports an event at the start of a message.
    fn event(&self, source: &SourceEntry<'_>, code: &'static str, detail: &str, tally: &mut Tally) {
        let path = &self.source.path;
        let address = || Address::of(path, self.source.folder(), source.entry);
        tally.event(code, Severity::Info, address, source.entry.offset, detail);
    }

    /// Returns the names of the outputs of a message. Empty if its size decides.
    fn keys(&self, source: &SourceEntry<'_>) -> Vec<String> {
        let found = catch_unwind(AssertUnwindSafe(|| match self.stage.job.by {
            SplitBy::Size(_) => Vec::new(),
            SplitBy::Year => {
                let dated = envelope::dated(&source.old, source.separator);
                dated
                    .map(|(date, _)| format!("{:04}", date.year))
                    .into_iter()
                    .collect()
            }
            SplitBy::Label => self.labels(source),
            SplitBy::Folder => vec![self.folder(source.entry)],
            SplitBy::From => {
                let mail = envelope::mail(&source.old, &self.stage.policy);
                let from = mail.from().into_iter().next();
                from.map(|mailbox| mailbox.address.to_lowercase())
                    .filter(|address| !address.is_empty())
                    .into_iter()
                    .collect()
            }
        }));
        // A panic in one message must not end the job.
        let mut keys = found.unwrap_or_default();
        if keys.is_empty() && !matches!(self.stage.job.by, SplitBy::Size(_)) {
            keys.push(UNKNOWN.to_owned());
        }
        keys
    }

    /// Returns the labels of a message, or the first of them.
    fn labels(&self, source: &SourceEntry<'_>) -> Vec<String> {
        let mail = envelope::mail(&source.old, &self.stage.policy);
        let text = mail.header("X-Gmail-Labels").unwrap_or_default();
        // The field is decoded as a whole, because an encoded word may contain commas.
        let labels = text.split(',').map(str::trim);
        let mut known = HashSet::new();
        labels
            .filter(|label| !label.is_empty() && known.insert(*label))
            .take(if self.stage.job.copies {
                MOST_COPIES
            } else {
                1
            })
            .map(str::to_owned)
            .collect()
    }

    /// Returns the folder of a message: its folder in a Maildir or tree, or its mailbox. The root has the name of its archive.
    fn folder(&self, entry: &Entry) -> String {
        let folder = folder_path(self.place, &entry.folder);
        let folder = if folder.is_empty() {
            escaped_name(&self.source.input.name)
        } else {
            folder
        };
        let stem = [".mbox", ".mbx", ".eml"]
            .iter()
            .find_map(|end| folder.strip_suffix(end));
        stem.filter(|stem| !stem.is_empty() && !stem.ends_with('/'))
            .map_or_else(|| folder.clone(), str::to_owned)
    }
}

/// Appends a message with its separator as it stands in its mailbox. Returns what it lacks before another message.
fn copy(source: &SourceEntry<'_>, out: &mut Vec<u8>) -> OpenEnd {
    if source.separator.is_empty() && !source.continued {
        // The first message of a truncated mailbox.
        out.extend_from_slice(&separator_line(b"", &source.old));
    }
    out.extend_from_slice(source.separator);
    out.extend_from_slice(&source.old);
    out.extend_from_slice(source.trailer);
    let is_closed = matches!(
        out[..],
        [.., b'\n', b'\n'] | [.., b'\n', b'\r', b'\n'] | [.., b'\r', b'\r']
    );
    if source.entry.more || is_closed || !source.trailer.is_empty() {
        return OpenEnd::default();
    }
    OpenEnd {
        line_ends: trailer_for(&source.old),
        ends_line: !matches!(source.old.last(), None | Some(b'\n' | b'\r')),
    }
}
