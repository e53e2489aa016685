//! Selects messages by date, folder, bytes and number.
//!
//! # Limits
//!
//! Dates are compared as moments in UTC. A pattern of folders has only `*` and `?`.

use crate::duplicates::{Dedupe, SeenMessages};
use crate::envelope;
use crate::lock::lock;
use mailglot_archive::{Batch, BoxEvent, Entry, EntryKind};
use std::sync::{Arc, Mutex};

/// The messages that a job processes. The default selects all.
///
/// A message that is not selected counts as dropped on request. A normalization keeps its bytes in the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only messages at or after this moment, in seconds since 1970.
    pub since: Option<i64>,
    /// Only messages before this moment, in seconds since 1970.
    pub until: Option<i64>,
    /// Drops messages without a readable date if `since` or `until` is set. By default they are selected.
    pub dated_only: bool,
    /// Only messages of folders whose path matches this pattern: `*` stands for any characters, `?` for one.
    ///
    /// The folder of a message in a mailbox below a given folder is the path of that mailbox. In a Maildir below a given folder, the
    /// folder in the Maildir matches, too.
    pub folder: Option<String>,
    /// What happens to messages whose bytes were read before, over all inputs. Only messages that the fields above select count.
    pub dedupe: Option<Dedupe>,
    /// The number of messages, over all inputs.
    pub limit: Option<u64>,
}

impl Selection {
    /// Returns true if every message is selected.
    pub fn is_all(&self) -> bool {
        let Self {
            since,
            until,
            dated_only: _,
            folder,
            dedupe,
            limit,
        } = self;
        since.is_none()
            && until.is_none()
            && folder.is_none()
            && dedupe.is_none()
            && limit.is_none()
    }

    /// Returns true if a message of this date is selected.
    fn has_date(&self, raw: &[u8], separator: &[u8]) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Some((date, _)) = envelope::dated(raw, separator) else {
            return !self.dated_only;
        };
        let moment = date.timestamp();
        self.since.is_none_or(|since| since <= moment)
            && self.until.is_none_or(|until| moment < until)
    }
}

/// Applies a selection to the entries of one source, in order.
#[derive(Debug)]
pub(crate) struct Selector {
    selection: Selection,
    /// Path of the source below the given folder.
    place: String,
    /// The messages of the job so far. None if duplicates are not searched.
    seen: Option<Arc<Mutex<SeenMessages>>>,
    /// Messages that may still be selected. None without a limit.
    left: Option<u64>,
    /// True if the current message is dropped, so that its further pieces are, too.
    drops: bool,
    /// Number of messages selected.
    pub(crate) selected: u64,
}

impl Selector {
    /// Creates the selector of a source. `before` is the number of messages selected from earlier sources.
    pub(crate) fn new(selection: &Selection, place: String, before: u64) -> Self {
        Self {
            left: selection.limit.map(|limit| limit.saturating_sub(before)),
            selection: selection.clone(),
            place,
            seen: None,
            drops: false,
            selected: 0,
        }
    }

    /// Sets the messages of the job so far, among which duplicates are searched.
    pub(crate) fn after(mut self, seen: Option<Arc<Mutex<SeenMessages>>>) -> Self {
        self.seen = seen;
        self
    }

    /// Returns true if no further message can be selected.
    pub(crate) fn is_full(&self) -> bool {
        self.left == Some(0)
    }

    /// Fills `dropped` with true for each entry of a message that is not selected. Adds the events of duplicates.
    ///
    /// `more` means that the first entry continues the previous batch.
    pub(crate) fn apply(&mut self, batch: &mut Batch, more: bool, dropped: &mut Vec<bool>) {
        dropped.clear();
        let mut events = Vec::new();
        let mut continued = more;
        for entry in &batch.entries {
            let is_message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            if is_message && !continued {
                self.drops = !self.selects(entry, &batch.bytes);
                if !self.drops
                    && let Some(event) = self.duplicate(entry, batch)
                {
                    events.push(event);
                    self.drops = self.selection.dedupe == Some(Dedupe::Drop);
                }
                if !self.drops {
                    self.selected += 1;
                    self.left = self.left.map(|left| left - 1);
                }
            }
            dropped.push(is_message && self.drops);
            continued = entry.more;
        }
        batch.events.append(&mut events);
    }

    /// Returns the event of a message whose bytes were read before.
    fn duplicate(&self, entry: &Entry, batch: &Batch) -> Option<BoxEvent> {
        let seen = self.seen.as_ref()?;
        let mut seen = lock(seen);
        seen.duplicate(entry, batch)
    }

    fn selects(&self, entry: &Entry, batch: &[u8]) -> bool {
        if self.is_full() {
            return false;
        }
        if let Some(pattern) = &self.selection.folder {
            // `ls` shows the folder in the archive.
            let is_shown = !entry.folder.is_empty() && matches(pattern, &entry.folder);
            if !is_shown && !matches(pattern, &folder_path(&self.place, &entry.folder)) {
                return false;
            }
        }
        let separator = &batch[entry.span.start..entry.message.start];
        self.selection.has_date(&entry.message_in(batch), separator)
    }
}

/// Returns the folder of a message: the path of its archive below the given folder, and its folder in the archive.
pub(crate) fn folder_path(place: &str, folder: &str) -> String {
    match (place, folder) {
        ("", folder) => folder.to_owned(),
        (place, "") => place.to_owned(),
        (place, folder) => format!("{place}/{folder}"),
    }
}

/// Returns true if `text` matches a pattern of `*` and `?`. Takes time proportional to the product of their lengths at most.
fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // The last star, and where the text after it was tried.
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                p = at + 1;
                t = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_stars_and_question_marks() {
        for (pattern, text, is_match) in [
            ("", "", true),
            ("*", "", true),
            ("*", "a/b", true),
            ("a?c", "a\u{fc}c", true),
            ("a?c", "ac", false),
            ("*/2001*", "lists/2001-05", true),
            ("*.mbox", "a.mbox.gz", false),
            ("a*b*c", "aXbXbc", true),
            ("a*b", "ab/", false),
            ("A", "a", false),
        ] {
            assert_eq!(matches(pattern, text), is_match, "{pattern} {text}");
        }
        let (pattern, text) = ("*a".repeat(200) + "b", "a".repeat(4000));
        assert!(!matches(&pattern, &text));
    }

    #[test]
    fn dates_are_bounds_of_a_half_open_range() {
        let range = Selection {
            since: Some(888_829_200),
            until: Some(888_829_201),
            ..Selection::default()
        };
        let strict = Selection {
            dated_only: true,
            ..range.clone()
        };
        for (raw, loose, exact) in [
            ("Date: Mon, 2 Mar 1998 10:00:00 +0100\n\n", true, true),
            ("Date: Mon, 2 Mar 1998 10:00:01 +0100\n\n", false, false),
            ("Date: Mon, 2 Mar 1998 09:59:59 +0100\n\n", false, false),
            ("Date: someday\n\n", true, false),
        ] {
            assert_eq!(range.has_date(raw.as_bytes(), b""), loose, "{raw}");
            assert_eq!(strict.has_date(raw.as_bytes(), b""), exact, "{raw}");
        }
        assert!(Selection::default().is_all() && !range.is_all());
    }
}
