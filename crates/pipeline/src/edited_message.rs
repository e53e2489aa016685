//! Appends an edited message, quoted for the output format.

use crate::restore_quoting::may_contain_from;
use mailglot_archive::Format;
use mailglot_archive::mbox::quote_mboxrd;
use mailglot_mime::{Edit, splice};

/// Appends an edited message, quoted for an output. With `froms`, it is known to contain `From `.
///
/// Returns true if the message was searched for lines to quote. Otherwise there are none.
pub(crate) fn put_message(
    to: Format,
    froms: bool,
    raw: &[u8],
    edits: &[Edit],
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    out.reserve(raw.len() + edits.iter().map(|edit| edit.with.len()).sum::<usize>());
    // A panic sets the message aside.
    assert!(
        splice(raw, edits, out).is_ok(),
        "edits overlap or lie outside of the message"
    );
    let quotes = froms || may_contain_from(&out[start..], edits);
    if to == Format::Mbox && quotes {
        let message = out[start..].to_vec();
        out.truncate(start);
        quote_mboxrd(&message, out);
    }
    quotes
}

/// Returns true if an edited message does not end in LF.
pub(crate) fn ends_open(raw: &[u8], edits: &[Edit]) -> bool {
    match edits
        .last()
        .filter(|edit| edit.span.end == raw.len() && !edit.with.is_empty())
    {
        Some(edit) => !edit.with.ends_with(b"\n"),
        None => {
            !raw.ends_with(b"\n") || edits.last().is_some_and(|edit| edit.span.end == raw.len())
        }
    }
}
