//! Opens a range of a mailbox.
//!
//! # Limits
//! The range begins at a known message.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::mailbox::{Current, Mailbox, ReadState};
use crate::error::ErrorKind;
use crate::file_identity::FileIdentity;
use crate::file_range::FileRange;
use crate::mbox::division::Division;
use crate::mbox::range::MailboxRange;
use crate::mbox::split::NEAR;
use crate::source::ReadOptions;
use crate::window::Window;

impl Mailbox<FileRange> {
    /// Opens the messages of a range.
    ///
    /// # Errors
    /// The file has not the size that it had when its profile was sniffed.
    pub(crate) fn of_range(
        path: &Path,
        file: File,
        range: &MailboxRange,
        options: &ReadOptions,
    ) -> io::Result<Self> {
        let identity = FileIdentity::of(&file)?;
        if identity.size != range.size {
            return Err(ErrorKind::Changed.into());
        }
        let from = range.start.map_or(0, |start| start.offset);
        let mut input = FileRange::new(Arc::new(file), 0..range.size);
        input.go_to(from);
        let window = Window::at(input, options.batch, from);
        let profile = range.profile.0.clone();
        let mut mailbox = Self::new(path, window, Some(identity), profile, options);
        mailbox.from = from;
        mailbox.until = range.end.unwrap_or(u64::MAX);
        mailbox.ordinal = range.ordinal;
        let Some(start) = range.start else {
            if mailbox.profile.is_one_message() {
                mailbox.check_mail(options)?;
            }
            return Ok(mailbox);
        };
        // Events about the whole file belong to its first range.
        mailbox.events.clear();
        if start.offset == mailbox.profile.prelude {
            // The first message of the file may have no separator.
            return Ok(mailbox);
        }
        mailbox.window.reach(start.message + NEAR as u64)?;
        let current = if mailbox.profile.division == Division::Mmdf {
            mailbox.scan = start.message;
            Current {
                start: start.offset,
                message: start.message,
                declared: None,
                pieces_to: 0,
            }
        } else {
            mailbox.open_message(start.offset, start.message)?
        };
        mailbox.state = ReadState::Message(current);
        Ok(mailbox)
    }
}

impl<R> Mailbox<R> {
    /// Returns true if the line at an offset is decided in this range. That includes the line that ends the last message, but
    /// not the line that begins the first.
    pub(super) fn decides(&self, offset: u64) -> bool {
        let prelude = self.profile.prelude;
        let begins_file = self.from <= prelude && prelude < self.until;
        let is_after = offset > self.from || begins_file;
        let is_before = offset < self.until || offset == self.until && self.until > prelude;
        is_after && is_before
    }
}
