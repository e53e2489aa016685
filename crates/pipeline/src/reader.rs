//! Reads an archive as numbered batches that can be processed in any order.

use crate::hash::{ArchiveHash, SourceDigest};
use crate::large_message::LARGE;
use crate::selection::Selector;
use crate::skip_scope::SkipScope;
use mailglot_archive::{
    Batch, BoxEvent, BoxEventKind, Entry, EntryKind, Error, ErrorKind, FilesAhead, InputRange,
    Operation, ReadFiles, Source,
};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A batch, and what must be known about its neighbors.
#[derive(Debug, Default)]
pub(crate) struct NumberedBatch {
    /// Number of the batch, from 0.
    pub(crate) number: u64,
    /// The entries.
    pub(crate) batch: Batch,
    /// True for the first batch of the archive.
    pub(crate) first: bool,
    /// True if no batch of the archive follows for certain.
    pub(crate) last: bool,
    /// True if the first entry continues the previous batch.
    pub(crate) continued: bool,
    /// File name of the previous entry. Empty at the start.
    pub(crate) name: Vec<u8>,
    /// For each entry: true if it begins inside a line (only pieces).
    pub(crate) midline: Vec<bool>,
    /// For each entry: true if its message is dropped on request. Empty if no message is.
    dropped: Vec<bool>,
}

impl NumberedBatch {
    /// Returns true if the message of the entry at `index` is dropped on request.
    pub(crate) fn is_dropped(&self, index: usize) -> bool {
        self.dropped.get(index) == Some(&true)
    }

    /// Frees the bytes of a large message, which would otherwise keep its memory until the next batch.
    pub(crate) fn free_large(&mut self) {
        if self.batch.bytes.capacity() > LARGE {
            self.batch.bytes = Vec::new();
        }
    }

    /// Returns true if an event says that a message is too large which was dropped on request.
    pub(crate) fn is_of_dropped(&self, event: &BoxEvent) -> bool {
        let is_of = |entry: &Entry| {
            let end = entry.offset + entry.span.len() as u64;
            (event.name.is_empty() || event.name == entry.name)
                && (entry.offset..end).contains(&event.offset)
        };
        event.kind == BoxEventKind::TooLarge
            && self
                .batch
                .entries
                .iter()
                .position(is_of)
                .is_some_and(|index| self.is_dropped(index))
    }
}

/// Reads one batch ahead, counts messages, and hashes the bytes.
pub(crate) struct Reader {
    path: PathBuf,
    source: Box<dyn Source>,
    hash: Option<ArchiveHash>,
    ahead: Option<Batch>,
    ended: bool,
    spare: Vec<Batch>,
    next: u64,
    name: Vec<u8>,
    more: bool,
    carry: Vec<u8>,
    midline: bool,
    skipped: SkipScope,
    /// True if the last batch that was pulled ends inside a message.
    is_inside: bool,
    /// True if the source includes the start of its archive.
    is_at_start: bool,
    /// True if the source includes the end of its archive.
    is_at_end: bool,
    /// Selects messages. None if all are selected.
    selector: Option<Selector>,
    /// True if reading stops when no further message can be selected.
    stops_at_limit: bool,
    /// True if it stopped there, before the end.
    pub(crate) stopped: bool,
    /// Errors that did not stop the loop.
    pub(crate) unread: Vec<Error>,
    /// Number of messages begun.
    pub(crate) messages: u64,
    /// Bytes of all entries.
    pub(crate) bytes: u64,
}

impl Reader {
    pub(crate) fn new(path: &Path, source: Box<dyn Source>, hash: Option<ArchiveHash>) -> Self {
        Self {
            path: path.to_owned(),
            source,
            hash,
            ahead: None,
            ended: false,
            spare: Vec::new(),
            next: 0,
            name: Vec::new(),
            more: false,
            carry: Vec::new(),
            midline: false,
            skipped: SkipScope::Nothing,
            is_inside: false,
            is_at_start: true,
            is_at_end: true,
            selector: None,
            stops_at_limit: false,
            stopped: false,
            unread: Vec::new(),
            messages: 0,
            bytes: 0,
        }
    }

    /// Sets what is skipped if it cannot be read.
    pub(crate) fn skipping(mut self, skipped: SkipScope) -> Self {
        self.skipped = skipped;
        self
    }

    /// Sets the range of the archive that the source has. None is all of it.
    pub(crate) fn of_range(mut self, range: Option<&InputRange>) -> Self {
        self.is_at_start = range.is_none_or(InputRange::is_at_start);
        self.is_at_end = range.is_none_or(InputRange::is_at_end);
        self
    }

    /// Sets what selects messages, and whether reading stops when no further message can be selected.
    pub(crate) fn selecting(mut self, selector: Option<Selector>, stops_at_limit: bool) -> Self {
        self.selector = selector;
        self.stops_at_limit = stops_at_limit;
        self
    }

    /// Returns the number of selected messages so far.
    pub(crate) fn selected(&self) -> u64 {
        self.selector
            .as_ref()
            .map_or(self.messages, |selector| selector.selected)
    }

    /// Returns files that any thread can open and read before [`Self::next`] needs them. `threads` is the number of threads that ask.
    pub(crate) fn files_ahead(&mut self, threads: usize) -> FilesAhead {
        if self.ended || self.is_at_limit() {
            return FilesAhead::Enough;
        }
        // The first batch is read with the one after it.
        let batches = if self.ahead.is_none() { 2 } else { 1 };
        self.source.files_ahead(batches, threads)
    }

    /// Returns true if files that are read ahead are to be hashed, too.
    pub(crate) fn hashes_files(&self) -> bool {
        self.hash.as_ref().is_some_and(ArchiveHash::is_folder)
    }

    /// Takes back files that were read.
    pub(crate) fn give(&mut self, files: ReadFiles) {
        self.source.give(files);
    }

    /// Returns true if reading stops because no further message can be selected. The rest of a large message must be read.
    fn is_at_limit(&self) -> bool {
        let is_full = self.selector.as_ref().is_some_and(Selector::is_full);
        self.stops_at_limit && is_full && !self.more
    }

    /// Fills `feed` with the next batch. Returns false at the end, and after an error.
    pub(crate) fn next(&mut self, feed: &mut NumberedBatch) -> Result<bool, Error> {
        let read = self.read_next(feed);
        if read.is_err() {
            // The job fails with this error. Another worker that read on could report a later one first.
            (self.ended, self.ahead) = (true, None);
        }
        read
    }

    fn read_next(&mut self, feed: &mut NumberedBatch) -> Result<bool, Error> {
        if self.is_at_limit() && !self.ended {
            self.stopped = true;
            return Ok(false);
        }
        self.spare.push(std::mem::take(&mut feed.batch));
        if self.ahead.is_none() && !self.ended {
            self.ahead = self.pull()?;
        }
        let Some(batch) = self.ahead.take() else {
            return Ok(false);
        };
        feed.batch = batch;
        // Does not read ahead of a large message: two of them in memory would be too much.
        if feed.batch.bytes.len() < LARGE {
            self.ahead = self.pull()?;
        }
        feed.number = self.next;
        feed.first = self.next == 0 && self.is_at_start;
        feed.last = self.ended && self.is_at_end;
        feed.continued = self.more;
        feed.name.clone_from(&self.name);
        self.next += 1;
        self.count_and_hash(feed)?;
        Ok(true)
    }

    /// Returns the size of the archive in bytes, if known before reading.
    pub(crate) fn size_hint(&self) -> Option<u64> {
        self.source.size_hint()
    }

    /// Returns the dialect of the mailbox, as sniffed.
    pub(crate) fn dialect(&self) -> &str {
        &self.source.profile().dialect
    }

    /// Returns true for a stream that is one message.
    pub(crate) fn is_one_message(&self) -> bool {
        self.source.is_one_message()
    }

    /// Returns the source and its digest after the end.
    pub(crate) fn finish(self) -> (Box<dyn Source>, SourceDigest) {
        let digest = self.hash.map(ArchiveHash::finish_source);
        (self.source, digest.unwrap_or_default())
    }

    fn pull(&mut self) -> Result<Option<Batch>, Error> {
        if self.ended {
            return Ok(None);
        }
        let mut batch = self.spare.pop().unwrap_or_default();
        self.ended = loop {
            match self.source.next(&mut batch) {
                Ok(more) => break !more,
                // The beginning of a message must not pass for all of it.
                Err(error)
                    if self.skipped == SkipScope::Files
                        && (self.is_inside || error.lacks_resources()) =>
                {
                    return Err(error);
                }
                Err(error) if self.skipped != SkipScope::Nothing => self.unread.push(error),
                Err(error) => return Err(error),
            }
        };
        self.is_inside = batch.entries.last().is_some_and(|entry| entry.more);
        Ok((!self.ended).then_some(batch))
    }

    /// Counts and hashes a batch, and moves the ends of pieces so that they split no `>From `.
    fn count_and_hash(&mut self, feed: &mut NumberedBatch) -> Result<(), Error> {
        let batch = &mut feed.batch;
        if !self.carry.is_empty() {
            prepend(batch, &self.carry);
            self.carry.clear();
        }
        feed.midline.clear();
        match &mut self.selector {
            Some(selector) => selector.apply(batch, self.more, &mut feed.dropped),
            None => feed.dropped.clear(),
        }
        let mut at = 0;
        for index in 0..batch.entries.len() {
            feed.midline.push(self.more && self.midline);
            if batch.entries[index].kind == EntryKind::Oversize && batch.entries[index].more {
                self.move_end(batch, index);
            }
            let entry = &batch.entries[index];
            if entry.span.start != at || !within(&entry.message, &entry.span) {
                return Err(self.untiled());
            }
            at = entry.span.end;
            let bytes = &batch.bytes[entry.span.clone()];
            if let Some(hash) = &mut self.hash {
                if entry.kind == EntryKind::Directory {
                    hash.directory(&entry.name);
                } else if let Some(digest) = &entry.digest {
                    hash.whole_file(&entry.name, digest, bytes.len() as u64);
                } else if entry.name != self.name {
                    hash.file(&entry.name);
                }
                if hash.is_folder() && entry.digest.is_none() {
                    hash.update(bytes);
                }
            }
            self.bytes += bytes.len() as u64;
            self.messages += u64::from(begins_message(entry, self.more));
            self.more = entry.more;
            self.name.clone_from(&entry.name);
        }
        if at != batch.bytes.len() {
            return Err(self.untiled());
        }
        // Long runs are hashed several times as fast as short ones.
        if let Some(hash) = self.hash.as_mut().filter(|hash| !hash.is_folder()) {
            hash.update(&batch.bytes);
        }
        Ok(())
    }

    fn untiled(&self) -> Error {
        Error::new(&self.path, Operation::Read, ErrorKind::Untiled)
    }

    /// Moves the tail of a piece to the next one if it may be the beginning of a `From ` line.
    fn move_end(&mut self, batch: &mut Batch, index: usize) {
        let span = batch.entries[index].span.clone();
        let piece = &batch.bytes[span.clone()];
        let moved = open_end(piece, self.more && self.midline);
        let end = span.end - moved;
        // The next piece begins with the first `>` of a line, or with later ones: quoting is removed from any of them.
        self.midline = moved == 0 && !matches!(piece.last(), Some(b'\n' | b'\r'));
        if moved == 0 {
            return;
        }
        batch.entries[index].span.end = end;
        batch.entries[index].message.end = end;
        if let Some(next) = batch.entries.get_mut(index + 1) {
            next.span.start = end;
            next.message.start = end;
            next.offset -= moved as u64;
        } else {
            self.carry.extend_from_slice(&batch.bytes[end..]);
            batch.bytes.truncate(end);
        }
    }
}

/// Returns true if a message begins with `entry`. `continued` means that it continues the previous entry.
pub(crate) fn begins_message(entry: &Entry, continued: bool) -> bool {
    matches!(entry.kind, EntryKind::Message | EntryKind::Oversize) && !continued
}

fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end
}

/// Returns the length of an unfinished last line that may still become `>*From `, or of the end of a longer one.
///
/// `midline` means that the piece begins inside a line.
fn open_end(piece: &[u8], midline: bool) -> usize {
    const LONGEST: usize = 4096;
    let window = &piece[piece.len().saturating_sub(LONGEST)..];
    let line_end = memchr::memrchr2(b'\n', b'\r', window);
    let line = line_end.map_or(window, |at| &window[at + 1..]);
    let marks = line.iter().take_while(|&&b| b == b'>').count();
    if !b"From ".starts_with(&line[marks..]) {
        return 0;
    }
    let begins_line = line_end.is_some() || {
        let before = &piece[..piece.len() - line.len()];
        let other = before.iter().rposition(|&byte| byte != b'>');
        other.map_or(!midline, |at| matches!(before[at], b'\n' | b'\r'))
    };
    if begins_line { line.len() } else { 0 }
}

fn prepend(batch: &mut Batch, carry: &[u8]) {
    batch.bytes.splice(0..0, carry.iter().copied());
    for (index, entry) in batch.entries.iter_mut().enumerate() {
        if index > 0 {
            entry.span.start += carry.len();
            entry.message.start += carry.len();
        } else {
            entry.offset -= carry.len() as u64;
            // The carry is part of the message, even if the piece begins with its trailer.
            entry.message.start = 0;
        }
        entry.span.end += carry.len();
        entry.message.end += carry.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::Profile;

    /// A folder of four messages. The third one cannot be read.
    struct BrokenFolder {
        next: u64,
        /// True if the beginning of the third message was read.
        is_begun: bool,
        profile: Profile,
    }

    impl Source for BrokenFolder {
        fn next(&mut self, batch: &mut Batch) -> Result<bool, Error> {
            let number = self.next;
            self.next += 1;
            *batch = Batch::default();
            if number == 2 {
                return Err(Error::new("2.eml", Operation::Read, ErrorKind::NoHeader));
            }
            let mut entry = Entry::new(EntryKind::Message, number, 0, 0..0);
            entry.more = number == 1 && self.is_begun;
            batch.entries.push(entry);
            Ok(number < 4)
        }

        fn profile(&self) -> &Profile {
            &self.profile
        }

        fn size_hint(&self) -> Option<u64> {
            None
        }

        fn changed(&self) -> Result<bool, Error> {
            Ok(false)
        }
    }

    #[test]
    fn nothing_is_read_after_an_error() {
        let stopped = [Some(true), None, Some(false), Some(false), Some(false)];
        let whole = [Some(true), Some(true), Some(true), Some(false), Some(false)];
        for (skipped, is_begun, expected) in [
            (SkipScope::Nothing, false, stopped),
            (SkipScope::Files, false, whole),
            (SkipScope::Files, true, stopped),
            (SkipScope::Inputs, false, whole),
            (SkipScope::Inputs, true, whole),
        ] {
            let source = Box::new(BrokenFolder {
                next: 0,
                is_begun,
                profile: Profile {
                    dialect: String::new(),
                    line_end: "LF",
                },
            });
            let mut reader = Reader::new(Path::new("mail"), source, None).skipping(skipped);
            let mut feed = NumberedBatch::default();
            let read: Vec<_> = (0..5).map(|_| reader.next(&mut feed).ok()).collect();
            assert_eq!(read, expected, "{skipped:?} {is_begun}");
        }
    }

    #[test]
    fn only_possible_from_lines_are_moved() {
        for (piece, moved) in [
            (&b"text\n"[..], 0),
            (b"text\n>>", 2),
            (b"text\nFr", 2),
            (b"text\n>From ", 6),
            (b"text\nFrom x", 0),
            (b"text\nFrx", 0),
            (b"text", 0),
            (b"", 0),
        ] {
            assert_eq!(open_end(piece, true), moved, "{piece:?}");
        }
        // A piece that begins with a line.
        assert_eq!([open_end(b">>Fr", false), open_end(b"x>Fr", false)], [4, 0]);
        // Of a longer run of `>`, the end is moved, if the run begins a line.
        let marks = ">".repeat(9000);
        for (before, midline, moved) in [
            ("\n", true, 4096),
            ("x", false, 0),
            ("", false, 4096),
            ("", true, 0),
        ] {
            let piece = format!("{before}{marks}");
            assert_eq!(open_end(piece.as_bytes(), midline), moved, "{before:?}");
            let piece = format!("{piece}From");
            assert_eq!(open_end(piece.as_bytes(), midline), moved, "{before:?}");
        }
    }
}
