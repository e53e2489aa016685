//! The argument that bounds compressed inputs.

use clap::Args as Group;
use mailglot_archive::MAX_EXPANSION;
use mailglot_pipeline::Opening;

/// How far compressed inputs are read.
#[derive(Debug, Group)]
pub(crate) struct ExpansionArgs {
    /// Stop reading a compressed input where it becomes more than N times its own size; exit code 2. The first 64 MiB are free.
    #[arg(long, value_name = "N", default_value_t = MAX_EXPANSION, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_expansion: u64,
}

impl ExpansionArgs {
    /// How inputs are opened.
    pub(crate) fn opening(&self, force_format: bool) -> Opening {
        Opening {
            force_format,
            max_expansion: self.max_expansion,
        }
    }
}
