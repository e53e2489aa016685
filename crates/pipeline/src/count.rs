//! How many messages an input holds.

use crate::layout::{Input, Opening, Search};
use crate::tally::Notes;
use crate::{Error, Summary, layout};
use mailglot_archive::{Batch, EntryKind, Source};
use mailglot_mime::Limits;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Number of messages of each archive under `input`, with its path (one line each for a single file; every archive found below a plain folder).
/// What has no header field is refused, unless [`Opening::force_format`] is set.
pub fn count(input: &Path, opening: impl Into<Opening>) -> Result<Vec<(u64, PathBuf)>, Error> {
    let mut counts = Vec::new();
    count_each(input, opening, &mut |count| counts.push(count))?;
    counts.into_iter().collect()
}

/// Hands on what [`count`] gives, archive by archive, and an error for each that cannot be read. What cannot be read inside a
/// folder is not counted, and told before the number of the others. Gives an account of what was left out, in which nothing else is.
pub fn count_each(
    input: &Path,
    opening: impl Into<Opening>,
    each: &mut dyn FnMut(Result<(u64, PathBuf), Error>),
) -> Result<Summary, Error> {
    let (mut unread, mut notes) = (Vec::new(), Notes::default());
    let Search { inputs, left_out } = layout::find_readable(input, opening.into(), &mut unread)?;
    notes.left_out(&left_out);
    let mut told: HashSet<String> = unread.iter().map(Error::to_string).collect();
    for error in unread {
        each(Err(error));
    }
    // The walk through a folder meets again what the search met.
    let each = &mut |count: Result<_, Error>| {
        if count
            .as_ref()
            .err()
            .is_none_or(|error| told.insert(error.to_string()))
        {
            each(count);
        }
    };
    for input in inputs {
        let counted = messages(&input, &mut notes, each);
        each(counted.map(|messages| (messages, input.found.path)));
    }
    Ok(notes.finish())
}

fn messages(
    input: &Input,
    notes: &mut Notes,
    each: &mut dyn FnMut(Result<(u64, PathBuf), Error>),
) -> Result<u64, Error> {
    counted(input, input.open(&Limits::default())?, notes, each)
}

fn counted(
    input: &Input,
    mut source: Box<dyn Source>,
    notes: &mut Notes,
    each: &mut dyn FnMut(Result<(u64, PathBuf), Error>),
) -> Result<u64, Error> {
    let mut batch = Batch::default();
    let (mut messages, mut more) = (0, false);
    loop {
        match source.next(&mut batch) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) if input.folder => {
                each(Err(input.error(error)));
                continue;
            }
            Err(error) => return Err(input.error(error)),
        }
        if !batch.events.is_empty() {
            notes.events(&input.path(), &batch.events);
        }
        for entry in &batch.entries {
            let message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            messages += u64::from(message && !more);
            more = entry.more;
        }
    }
    input.unchanged(&*source)?;
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_cut_while_it_is_read_has_no_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let mail = "From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: s\n\nx\n\n".repeat(10);
        for cut in [false, true] {
            std::fs::write(&path, &mail).unwrap();
            let inputs = layout::find(std::slice::from_ref(&path), false.into())
                .unwrap()
                .inputs;
            let source = inputs[0].open(&Limits::default()).unwrap();
            if cut {
                std::fs::write(&path, &mail[..mail.len() / 2]).unwrap();
            }
            let number = counted(&inputs[0], source, &mut Notes::default(), &mut |_| {});
            match number {
                Ok(number) => assert!(!cut && number == 10),
                Err(error) => {
                    assert!(
                        cut && error.to_string().ends_with("changed while it was read"),
                        "{error}"
                    );
                }
            }
        }
    }
}
