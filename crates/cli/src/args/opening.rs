//! The arguments that say which inputs are opened, for all commands that read archives.

use super::mailbox::MailboxArgs;
use super::size::size;
use clap::Args as Group;
use mailglot_archive::MAX_EXPANSION;
use mailglot_pipeline::Opening;

/// How inputs are opened.
#[derive(Debug, Group)]
pub(crate) struct OpeningArgs {
    /// Read files without any header field as messages. By default they are rejected, since they are not mail.
    #[arg(long)]
    pub(crate) force_format: bool,
    /// Stop reading a compressed input, or a zip or tar archive, that expands to more than N times its size, with exit code 2.
    /// The first 64 MiB do not count.
    #[arg(long, value_name = "N", default_value_t = MAX_EXPANSION, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_expansion: u64,
    /// Follow symbolic links in folders, also links that lead out of them. A folder that several paths lead to is read once; a link to a
    /// file is always read. By default links are reported and not followed.
    #[arg(long)]
    pub(crate) follow_links: bool,
    #[command(flatten)]
    pub(crate) mailbox: MailboxArgs,
}

/// Bytes of the largest message that is parsed without the option.
pub(crate) const LARGEST_MESSAGE: usize = 1 << 30;

/// The largest message that is read.
#[derive(Debug, Group)]
pub(crate) struct LargestArgs {
    /// Largest message that is parsed. Example: `100M`. `normalize` copies larger messages unchanged, and text beyond 64 MiB of one
    /// message. Memory is 64 MiB, 1.3 times the largest message, and four times its text.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    max_message: u64,
}

impl LargestArgs {
    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(self.max_message).unwrap_or(usize::MAX)
    }

    /// Returns the option as words of a command line, unless it is the default.
    pub(crate) fn words(&self) -> Vec<String> {
        if self.bytes() == LARGEST_MESSAGE {
            return Vec::new();
        }
        vec!["--max-message".to_owned(), self.max_message.to_string()]
    }
}

impl OpeningArgs {
    /// Returns how inputs are opened.
    pub(crate) fn opening(&self) -> Opening {
        Opening {
            force_format: self.force_format,
            max_expansion: self.max_expansion,
            follow_links: self.follow_links,
            divides_maildirs: false,
            mailbox: self.mailbox.options(),
        }
    }
}
