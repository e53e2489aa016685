//! Chooses names and formats of outputs.
//!
//! # Limits
//!
//! The outputs of a folder of archives are siblings, whatever folders the archives came from. Restoring recreates the folders.

use crate::discover::SourceInput;
use crate::unique_name::unique;
use mailglot_archive::{Format, Input};
use std::collections::HashSet;

/// Returns the output format of an input. A single message stays a single file unless a mailbox is requested.
///
/// A message store, such as a public-inbox, becomes a mailbox.
pub(crate) fn output_format(input: &Input, to: Option<Format>) -> Format {
    match (to, input.format) {
        (None, _) => input.default_output(),
        (Some(Format::Eml | Format::EmlTree), Format::Eml) => Format::Eml,
        (Some(Format::Eml), _) => Format::EmlTree,
        (Some(to), _) => to,
    }
}

/// Returns the name of one of several outputs: that of the source, with the extension of its new format.
pub(crate) fn output_name(
    input: &SourceInput,
    to: Format,
    taken: &mut HashSet<Vec<u8>>,
) -> Vec<u8> {
    // A folder with such a name would make its output a Maildir.
    if is_folder(to) {
        taken.extend(["cur", "new", "tmp"].map(Vec::from));
    }
    // The message of an emlx file is written without its first line and its property list.
    let emlx = input.name.strip_suffix(b".emlx");
    let is_emlx = to == Format::Eml && emlx.is_some();
    if to == input.found.format && !is_emlx && input.found.store.is_none() {
        return unique(&input.name, taken);
    }
    let stem = [".mbox", ".mbx", ".dbx", ".git", ".emlx", ".eml"]
        .iter()
        .find_map(|end| input.name.strip_suffix(end.as_bytes()))
        .or_else(|| without_dbx(&input.name));
    let stem = stem.filter(|stem| !stem.is_empty()).unwrap_or(&input.name);
    let ending = match to {
        Format::Mbox => &b".mbox"[..],
        Format::Eml => b".eml",
        Format::Maildir | Format::EmlTree => b"",
    };
    let name = [stem, ending].concat();
    unique(&name, taken)
}

/// Returns a name without `.dbx`, which Windows writes in any case.
fn without_dbx(name: &[u8]) -> Option<&[u8]> {
    let (stem, end) = name.split_at_checked(name.len().checked_sub(".dbx".len())?)?;
    end.eq_ignore_ascii_case(b".dbx").then_some(stem)
}

/// Returns true for formats that are a folder.
pub(crate) fn is_folder(format: Format) -> bool {
    matches!(format, Format::Maildir | Format::EmlTree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_follow_the_form() {
        let mut taken = HashSet::new();
        let output_name = |input: &SourceInput, to: Format, taken: &mut HashSet<Vec<u8>>| {
            String::from_utf8(output_name(input, to, taken)).unwrap()
        };
        let input = |name: &str, format| SourceInput {
            given: name.into(),
            found: Input::on_disk(name, format),
            opening: crate::discover::Opening::from(false),
            folder: false,
            number: 0,
            name: name.into(),
            original: Vec::new(),
        };
        let mbox = input("a.mbox", Format::Mbox);
        assert_eq!(output_name(&mbox, Format::Mbox, &mut taken), "a.mbox");
        assert_eq!(output_name(&mbox, Format::Mbox, &mut taken), "a-2.mbox");
        assert_eq!(output_name(&mbox, Format::Maildir, &mut taken), "a");
        let dbx = input("Inbox.DBX", Format::EmlTree);
        assert_eq!(output_name(&dbx, Format::Mbox, &mut taken), "Inbox.mbox");
        let emlx = input("1.emlx", Format::Eml);
        assert_eq!(output_name(&emlx, Format::Eml, &mut taken), "1.eml");
        assert_eq!(output_name(&emlx, Format::Mbox, &mut taken), "1.mbox");
        assert_eq!(
            output_name(&input("list", Format::EmlTree), Format::Mbox, &mut taken),
            "list.mbox"
        );
        assert_eq!(
            output_name(&input("A", Format::EmlTree), Format::Maildir, &mut taken),
            "A-2"
        );
        assert_eq!(
            output_name(&input("cur", Format::Mbox), Format::EmlTree, &mut taken),
            "cur-2"
        );
        assert_eq!(
            output_name(
                &input("new.mbox", Format::Mbox),
                Format::Maildir,
                &mut taken
            ),
            "new-2"
        );
    }

    #[test]
    fn one_message_stays_one_file() {
        assert_eq!(
            output_format(&Input::on_disk("a", Format::Eml), None),
            Format::Eml
        );
        assert_eq!(
            output_format(&Input::on_disk("a", Format::Eml), Some(Format::EmlTree)),
            Format::Eml
        );
        assert_eq!(
            output_format(&Input::on_disk("a", Format::Mbox), Some(Format::Eml)),
            Format::EmlTree
        );
        assert_eq!(
            output_format(&Input::on_disk("a", Format::Eml), Some(Format::Mbox)),
            Format::Mbox
        );
    }
}
