//! Chooses the modification time of a message's file. IMAP servers take it as the date of receipt.
//!
//! # Limits
//!
//! Zones without a known offset count as UTC, as they do in `ls`.

use crate::envelope::{message_date, separator_date};
use mailglot_archive::Entry;
use mailglot_mime::fields::{Date, date};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the time of the file of a message: that of its file in the source, else of its separator, else of its Date field.
///
/// Returns None for dates before 1970, as no mail is that old.
pub(crate) fn file_time(entry: &Entry, separator: &[u8], raw: &[u8]) -> Option<SystemTime> {
    let after_1970 = |date: Date| date.system_time().filter(|time| *time > UNIX_EPOCH);
    entry
        .modified
        .or_else(|| separator_date(separator).and_then(after_1970))
        .or_else(|| internal_date(separator).and_then(after_1970))
        .or_else(|| message_date(raw).and_then(after_1970))
}

/// Parses the date of receipt in the line before a message of a UW mbx file.
///
/// ```text
///  7-Jul-2001 12:00:00 +0000,1234;000000000001-00000003
/// ```
fn internal_date(separator: &[u8]) -> Option<Date> {
    /// Number of bytes of the date.
    const LENGTH: usize = 26;
    let (text, rest) = separator.split_at_checked(LENGTH)?;
    date(text).filter(|_| rest.starts_with(b",") && rest.contains(&b';'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::EntryKind;
    use std::time::Duration;

    #[test]
    fn times_come_from_the_best_source() {
        let dated = b"Date: Fri, 2 Feb 2001 10:00:00 +0100\n\nx\n";
        let mbx = b" 7-Jul-2001 12:00:00 +0200,1234;000000000001-00000003\r\n";
        for (modified, separator, raw, expected) in [
            (
                Some(5),
                &b"From a@b Thu Jan  1 00:00:09 2004\n"[..],
                &dated[..],
                Some(5),
            ),
            (
                None,
                b"From a@b Thu Jan  1 00:00:09 2004\n",
                dated,
                Some(1_072_915_209),
            ),
            (
                None,
                b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n",
                dated,
                Some(981_104_400),
            ),
            (None, b"From nobody\n", dated, Some(981_104_400)),
            (None, mbx, dated, Some(994_500_000)),
            (None, b"", dated, Some(981_104_400)),
            (
                None,
                b"",
                b"Date: Fri, 2 Feb 1951 10:00:00 +0100\n\nx\n",
                None,
            ),
            (
                None,
                b"",
                b"Subject: x\n\nDate: Fri, 2 Feb 2001 10:00:00 +0100\n",
                None,
            ),
        ] {
            let time = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
            let entry = Entry {
                modified: modified.map(time),
                ..Entry::new(EntryKind::Message, 0, 0, 0..0)
            };
            let found = file_time(&entry, separator, raw);
            assert_eq!(found, expected.map(time), "{}", separator.escape_ascii());
        }
    }
}
