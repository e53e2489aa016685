//! The arguments that say which inputs are opened, for all commands that read archives.

use clap::Args as Group;
use mailglot_archive::MAX_EXPANSION;
use mailglot_pipeline::Opening;

/// How inputs are opened.
#[derive(Debug, Group)]
pub(crate) struct OpeningArgs {
    /// Read files without any header field as messages. By default they are rejected, since they are not mail.
    #[arg(long)]
    pub(crate) force_format: bool,
    /// Stop reading a compressed input that expands to more than N times its size, with exit code 2. The first 64 MiB do not count.
    #[arg(long, value_name = "N", default_value_t = MAX_EXPANSION, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_expansion: u64,
}

impl OpeningArgs {
    /// Returns how inputs are opened.
    pub(crate) fn opening(&self) -> Opening {
        Opening {
            force_format: self.force_format,
            max_expansion: self.max_expansion,
        }
    }
}
