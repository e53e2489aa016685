//! Reads files of a repository from `git cat-file --batch`.
//!
//! # Limits
//! A file at which `git` fails is left out, or cut off. After a thousand of them reading ends with an error.

use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::sync::Arc;

use super::damaged_objects::DamagedObjects;
use super::epoch::Epoch;
use super::git::{GitProcess, read_field};
use super::object_id::ObjectId;
use crate::box_event::BoxEvent;
use crate::error::ErrorKind;

/// Number of files that are requested ahead. Their names fit into a pipe.
pub(super) const AHEAD: usize = 64;
/// Largest number of bytes of the line before a file.
const LONGEST: usize = 256;

/// The line before a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlobLine {
    /// A file of so many bytes follows, and a line end.
    Blob(ObjectId, u64),
    /// Another object of so many bytes follows, and a line end.
    Other(ObjectId, u64),
    /// The object cannot be read.
    Missing(ObjectId),
    /// `git` has ended.
    End,
}

/// The requested files of a repository, in order.
pub(super) struct Blobs {
    epoch: Arc<Epoch>,
    process: Option<GitProcess>,
    /// Requests without an answer.
    pending: VecDeque<ObjectId>,
    /// Bytes of the current file that were not read, and its name.
    current: Option<(ObjectId, u64)>,
    damaged: DamagedObjects,
}

impl Blobs {
    pub(super) fn of(epoch: &Arc<Epoch>) -> Self {
        Self {
            epoch: epoch.clone(),
            process: None,
            pending: VecDeque::new(),
            current: None,
            damaged: DamagedObjects::new("object"),
        }
    }

    /// Returns the number of requests without an answer.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Requests a file.
    pub(super) fn request(&mut self, id: ObjectId) -> Result<(), ErrorKind> {
        self.pending.push_back(id);
        if self.process.is_none() {
            return self.send_again();
        }
        self.send(&format!("{id}\n"))
    }

    /// Goes to the next requested file. Returns its name and its size. `None` if no request is left.
    pub(super) fn next(
        &mut self,
        events: &mut Vec<BoxEvent>,
    ) -> Result<Option<(ObjectId, u64)>, ErrorKind> {
        self.skip(events)?;
        while let Some(&wanted) = self.pending.front() {
            let Some(process) = &mut self.process else {
                self.send_again()?;
                continue;
            };
            match read_line(process)? {
                BlobLine::End => {
                    self.pending.pop_front();
                    self.fail(wanted, None, events)?;
                }
                BlobLine::Blob(id, size) if id == wanted => {
                    self.pending.pop_front();
                    self.current = Some((id, size));
                    return Ok(self.current);
                }
                BlobLine::Other(id, size) if id == wanted => {
                    self.pending.pop_front();
                    self.damaged.report(id, "it is not a file", events)?;
                    self.current = Some((id, size));
                    self.skip(events)?;
                }
                BlobLine::Missing(id) if id == wanted => {
                    self.pending.pop_front();
                    self.damaged
                        .report(id, "it is missing or damaged", events)?;
                }
                _ => return Err(unknown_output()),
            }
        }
        Ok(None)
    }

    /// Appends the next `wanted` bytes of the current file. Fewer bytes mean that it ends there.
    pub(super) fn read(
        &mut self,
        wanted: usize,
        bytes: &mut Vec<u8>,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), ErrorKind> {
        let (Some((id, left)), Some(process)) = (self.current, &mut self.process) else {
            return Ok(());
        };
        let most = left.min(wanted as u64);
        let read = process.by_ref().take(most).read_to_end(bytes)? as u64;
        self.current = Some((id, left - read));
        if read < most {
            self.current = None;
            return self.fail(id, Some(left - read), events);
        }
        Ok(())
    }

    /// Reads the rest of the current file.
    fn skip(&mut self, events: &mut Vec<BoxEvent>) -> Result<(), ErrorKind> {
        let (Some((id, left)), Some(process)) = (self.current.take(), &mut self.process) else {
            return Ok(());
        };
        let mut rest = process.by_ref().take(left);
        let skipped = std::io::copy(&mut rest, &mut std::io::sink())?;
        let mut line_end = [0];
        let is_whole = skipped == left && process.read_exact(&mut line_end).is_ok();
        match is_whole {
            true if line_end == *b"\n" => Ok(()),
            true => Err(unknown_output()),
            false => self.fail(id, Some(left - skipped), events),
        }
    }

    /// Reports the file at which `git` ended. `left` is the number of its bytes that are missing, if some were read.
    fn fail(
        &mut self,
        id: ObjectId,
        left: Option<u64>,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), ErrorKind> {
        let Some(process) = self.process.take() else {
            return Ok(());
        };
        let mut reason = process.end()?.failure()?;
        if let Some(left) = left {
            reason = format!("its last {left} bytes are missing: {reason}");
        }
        self.damaged.report(id, &reason, events)
    }

    /// Starts `git`, and sends all requests that have no answer.
    fn send_again(&mut self) -> Result<(), ErrorKind> {
        self.process = Some(self.epoch.git.start(&["cat-file", "--batch"])?);
        let requests: Vec<_> = self.pending.iter().map(|id| format!("{id}\n")).collect();
        self.send(&requests.concat())
    }

    fn send(&mut self, requests: &str) -> Result<(), ErrorKind> {
        if let Some(process) = &mut self.process {
            process.send(requests.as_bytes())?;
        }
        Ok(())
    }
}

/// Reads the line before a file.
pub(super) fn read_line(output: &mut impl BufRead) -> Result<BlobLine, ErrorKind> {
    let Some(line) = read_field(output, b'\n', LONGEST)? else {
        return Ok(BlobLine::End);
    };
    parse_line(&line).ok_or_else(unknown_output)
}

/// Parses `<id> blob <size>` or `<id> missing`.
fn parse_line(line: &[u8]) -> Option<BlobLine> {
    let mut words = line.split(|&byte| byte == b' ');
    let id = ObjectId::parse(words.next()?)?;
    let kind = words.next()?;
    let size = words.next().map(std::str::from_utf8);
    Some(match (kind, size, words.next()) {
        (b"missing", None, None) => BlobLine::Missing(id),
        (b"blob", Some(size), None) => BlobLine::Blob(id, size.ok()?.parse().ok()?),
        (_, Some(size), None) => BlobLine::Other(id, size.ok()?.parse().ok()?),
        _ => return None,
    })
}

fn unknown_output() -> ErrorKind {
    ErrorKind::Git("git wrote an unknown object".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_objects_are_read() {
        let name = "a".repeat(40);
        let id = ObjectId::parse(name.as_bytes()).unwrap();
        for (line, expected) in [
            (format!("{name} blob 12\n"), Some(BlobLine::Blob(id, 12))),
            (format!("{name} tree 0\n"), Some(BlobLine::Other(id, 0))),
            (format!("{name} missing\n"), Some(BlobLine::Missing(id))),
            (String::new(), Some(BlobLine::End)),
            (format!("{name} blob 1"), Some(BlobLine::End)),
            (format!("{name} blob\n"), None),
            (format!("{name} blob -1\n"), None),
            (format!("{name} blob 18446744073709551616\n"), None),
            (format!("{name} blob 1 2\n"), None),
            (format!("{name} ambiguous\n"), None),
            ("x".repeat(LONGEST + 1), None),
        ] {
            assert_eq!(read_line(&mut line.as_bytes()).ok(), expected, "{line}");
        }
    }
}
