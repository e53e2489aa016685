//! The argument that limits the expansion of compressed inputs.

use clap::Args as Group;
use mailglot_archive::MAX_EXPANSION;
use mailglot_pipeline::Opening;

/// The limit on compressed inputs.
#[derive(Debug, Group)]
pub(crate) struct ExpansionArgs {
    /// Stop reading a compressed input that expands to more than N times its size, with exit code 2. The first 64 MiB do not count.
    #[arg(long, value_name = "N", default_value_t = MAX_EXPANSION, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_expansion: u64,
}

impl ExpansionArgs {
    /// Returns how inputs are opened.
    pub(crate) fn opening(&self, force_format: bool) -> Opening {
        Opening {
            force_format,
            max_expansion: self.max_expansion,
        }
    }
}
