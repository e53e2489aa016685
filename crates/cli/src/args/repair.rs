//! The values of `--repair`.

use clap::ValueEnum;
use mailglot_mime::encoded_word::Repairs;

/// What `--repair` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Repair {
    /// UTF-8 that was read as windows-1252 or ISO-8859-1
    Mojibake,
    /// HTML entities of non-ASCII characters, such as `&uuml;`; `&amp;` stays
    Entities,
    /// ISO-2022-JP without its escape characters
    Escapes,
    /// Encoded words inside encoded words, once
    Nested,
    /// All of them
    All,
}

/// The repairs of a list.
pub(crate) fn repairs(list: &[Repair]) -> Repairs {
    let asked = |what| list.contains(&what) || list.contains(&Repair::All);
    Repairs::default()
        .mojibake(asked(Repair::Mojibake))
        .entities(asked(Repair::Entities))
        .escapes(asked(Repair::Escapes))
        .nested(asked(Repair::Nested))
}
