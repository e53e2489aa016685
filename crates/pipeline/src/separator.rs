//! Chooses the separator line of a message in a mailbox that is written, and reports what the old line loses.
//!
//! # Limits
//!
//! Zones without a known offset count as UTC, as they do in `ls`.

use crate::envelope::separator_date;
use mailglot_archive::mbox::{
    SeparatorWords, is_separator_kept, separator_for, without_mmdf_lines,
};
use mailglot_mime::fields::Date;
use std::borrow::Cow;

/// Code of the event that reports [`replaced_separator`].
pub(crate) const SEPARATOR_REPLACED: &str = "mbox.separator-replaced";
/// Code and detail of the event for a line end that a mailbox adds to a message.
pub(crate) const LINE_END_ADDED: &str = "mbox.line-end-added";
pub(crate) const NO_LINE_END: &str = "the last line of the message had no line end";

/// Returns the separator line of a message: the old one, or one with its sender and its date in UTC.
pub(crate) fn separator_line<'a>(old: &'a [u8], message: &[u8]) -> Cow<'a, [u8]> {
    let old = without_mmdf_lines(old);
    if is_separator_kept(old) {
        return Cow::Borrowed(old);
    }
    let date = separator_date(old).map(|date| date.timestamp());
    separator_for(old, date, message)
}

/// Replaces a CR at the end of a separator by LF.
///
/// Mailboxes written from single files need this: Python's `mailbox` and others find a separator only behind LF.
pub(crate) fn end_in_lf(separator: &mut [u8]) {
    if let Some(last @ b'\r') = separator.last_mut() {
        *last = b'\n';
    }
}

/// Returns what to report if the separator line of a mailbox gets another sender or another time: the old line.
///
/// Other changes are not reported: the line loses the zone `+0000` or the mark ` -0000`, or gets another line end.
pub(crate) fn replaced_separator(old: &[u8]) -> Option<String> {
    let old = without_mmdf_lines(old);
    if is_separator_kept(old) || !old.starts_with(b"From ") {
        return None;
    }
    let date = separator_date(old);
    let words = SeparatorWords::of(old);
    let keeps_sender = words.sender_text == words.sender.as_deref().unwrap_or_default();
    let keeps_time = match date {
        // Times that no separator can have are replaced, too.
        Some(date @ Date { offset, .. }) => {
            let written = separator_for(old, Some(date.timestamp()), b"");
            let is_same =
                separator_date(&written).is_some_and(|new| new.timestamp() == date.timestamp());
            offset.unwrap_or(0) == 0 && is_same
        }
        None => words.date.is_empty(),
    };
    if keeps_sender && keeps_time {
        return None;
    }
    let line = old.trim_ascii_end();
    let shown = String::from_utf8_lossy(&line[..line.len().min(LONGEST_SHOWN)]);
    Some(format!("the line was {shown:?}"))
}

/// Bytes of an old line that are reported.
const LONGEST_SHOWN: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    /// What the line becomes, and whether that is reported.
    #[test]
    fn separators_keep_sender_and_time() {
        let day = "Wed Feb 14 09:49:48 2001";
        let message = b"From: Author <author@b.c>\nDate: Tue, 13 Feb 2001 10:00:00 +0000\n\n";
        for (old, new, is_reported) in [
            (format!("root {day}"), format!("root {day}"), false),
            (format!("- {day}"), format!("- {day}"), false),
            (format!("- {day} -0000"), format!("- {day}"), false),
            (format!("- {day} +0000"), format!("author@b.c {day}"), false),
            (
                "1@xxx Wed Feb 14 09:49:48 +0000 2001".to_string(),
                format!("1@xxx {day}"),
                false,
            ),
            (format!("z at y.x  {day}"), format!("z@y.x {day}"), true),
            (
                format!("a@b.c {day} +0100"),
                "a@b.c Wed Feb 14 08:49:48 2001".into(),
                true,
            ),
            (
                "a@b.c Wed Feb 14 09:49:48 MET 2001".into(),
                "a@b.c Wed Feb 14 08:49:48 2001".into(),
                true,
            ),
            (
                "a@b.c Wed Aug 14 09:49:48 MET DST 2002".into(),
                "a@b.c Wed Aug 14 07:49:48 2002".into(),
                true,
            ),
            (
                "a@b.c Mi M\u{e4}r 14 09:49:48 2001".into(),
                "a@b.c Wed Mar 14 09:49:48 2001".into(),
                false,
            ),
            (
                format!("joe {day} remote from uunet"),
                format!("uunet!joe {day}"),
                true,
            ),
            (
                "a@b.c 2001-02-14T09:49:48Z".into(),
                format!("a@b.c {day}"),
                false,
            ),
            (
                String::new(),
                "author@b.c Tue Feb 13 10:00:00 2001".into(),
                false,
            ),
            (
                "nobody".into(),
                "nobody Tue Feb 13 10:00:00 2001".into(),
                false,
            ),
            (
                "John Doe said so".into(),
                "author@b.c Tue Feb 13 10:00:00 2001".into(),
                true,
            ),
            (
                format!("{} Mon Sep 17 00:00:00 2001", "a1".repeat(20)),
                "author@b.c Tue Feb 13 10:00:00 2001".into(),
                true,
            ),
            (
                "a@b.c Thu Jan  1 00:00:00 1970 +0100".into(),
                "a@b.c Tue Feb 13 10:00:00 2001".into(),
                true,
            ),
        ] {
            let old = format!("From {old}\n");
            let written = separator_line(old.as_bytes(), message).into_owned();
            assert_eq!(written, format!("From {new}\n").as_bytes(), "{old}");
            assert_eq!(
                replaced_separator(old.as_bytes()).is_some(),
                is_reported,
                "{old}"
            );
            assert_eq!(separator_line(&written, message), written);
            assert_eq!(replaced_separator(&written), None, "{new}");
            let in_mmdf = ["\x01\x01\x01\x01\n", &old].concat();
            assert_eq!(separator_line(in_mmdf.as_bytes(), message), written);
        }
        assert_eq!(replaced_separator(b"\x01\x01\x01\x01\n"), None);
        assert_eq!(
            replaced_separator(b"From z at \xe9  Wed Feb 14 09:49:48 2001\r\n").as_deref(),
            Some("the line was \"From z at \u{fffd}  Wed Feb 14 09:49:48 2001\"")
        );
    }
}
