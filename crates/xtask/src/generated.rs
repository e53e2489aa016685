//! Generated files are committed; this checks that they are current.

use crate::run::{cargo, output, root};
use anyhow::{Context, bail};
use std::fs::{self, File};

/// A generator reads its data on stdin and writes the source on stdout.
struct Generator {
    package: &'static str,
    example: &'static str,
    data: &'static str,
    source: &'static str,
}

const GENERATORS: &[Generator] = &[Generator {
    package: "mailglot-codec",
    example: "labels",
    data: "data/labels.tsv",
    source: "crates/codec/src/generated/labels.rs",
}];

/// Runs every generator and compares what it writes with what is committed; changes nothing.
pub(crate) fn check() -> anyhow::Result<()> {
    for generator in GENERATORS {
        let data = File::open(root().join(generator.data)).with_context(|| generator.data.to_owned())?;
        let arguments = ["run", "--quiet", "--package", generator.package, "--example", generator.example];
        let made = output(cargo().args(arguments).stdin(data))?;
        let committed =
            fs::read(root().join(generator.source)).with_context(|| generator.source.to_owned())?;
        if made != committed {
            bail!(
                "{0} is not current; run `cargo {1} <{2} >{0}` and commit the result",
                generator.source,
                arguments.join(" "),
                generator.data
            );
        }
        println!("{}: current", generator.source);
    }
    Ok(())
}
