//! Finds the labels under which a text is right, and those that mailers write over it although they are wrong.
//!
//! # Limits
//!
//! Uses wrong labels that occur in mail: the Western ones over everything, and charsets of the same script.

use crate::charset_decisions::Label;
use mailglot_codec::{Charset, LossLog, View};
use std::collections::HashMap;

/// Labels that may also be right for charsets other than their own.
const RIGHT: &[&str] = &[
    "iso-8859-1",
    "windows-1252",
    "iso-8859-15",
    "iso-8859-2",
    "windows-1250",
    "iso-8859-9",
    "windows-1254",
    "iso-8859-7",
    "windows-1253",
    "iso-8859-8-i",
    "windows-1255",
    "iso-8859-6",
    "windows-1256",
    "iso-8859-13",
    "iso-8859-4",
    "windows-1257",
    "koi8-r",
    "koi8-u",
    "windows-1251",
    "tis-620",
    "gb2312",
    "gbk",
    "ks_c_5601-1987",
    "euc-kr",
];

/// Labels that mailers write over text of any charset.
const OVER_ALL: &[&str] = &["iso-8859-1", "windows-1252", "us-ascii", "utf-8"];

/// Charsets that are mistaken for each other.
const NEIGHBORS: &[&[&str]] = &[
    &["windows-1251", "koi8-r", "iso-8859-5", "koi8-u", "ibm866"],
    &["windows-1250", "iso-8859-2"],
    &["windows-1257", "iso-8859-13", "iso-8859-4"],
    &["windows-1254", "iso-8859-9"],
    &["windows-1253", "iso-8859-7"],
    &["windows-1255", "iso-8859-8-i"],
    &["windows-1256", "iso-8859-6"],
    &["gbk", "big5", "euc-kr", "shift_jis", "euc-jp"],
];

/// Caches which charsets the labels stand for.
#[derive(Default)]
pub(super) struct Labels {
    known: HashMap<&'static str, Charset>,
}

pub(super) struct LabelsOf {
    pub(super) right: Vec<Label>,
    pub(super) wrong: Vec<Label>,
}

impl Labels {
    /// Returns labels under which these bytes decode to the text, own label first, and labels under which they do not.
    pub(super) fn of(&mut self, charset: Charset, bytes: &[u8], text: &str) -> LabelsOf {
        let mut gives = |label: &'static str| {
            let named = self.known.entry(label).or_insert_with(|| {
                Charset::for_label(label.as_bytes(), View::Mail)
                    .charset()
                    .expect("labels here are known")
            });
            let mut log = LossLog::with_limit(0);
            named.decode(bytes, &mut log) == text && log.losses() == 0
        };
        let mut right = vec![Label::Right(charset.name())];
        right.extend(
            RIGHT
                .iter()
                .filter(|label| gives(label))
                .map(|label| Label::Right(label)),
        );
        // Mailers write ISO-8859-1 over windows-1252 text: in practice the label is right.
        if charset == Charset::WINDOWS_1252 && !right.contains(&Label::Right("iso-8859-1")) {
            right.push(Label::Right("iso-8859-1"));
        }
        let near = NEIGHBORS
            .iter()
            .filter(|group| {
                group
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(charset.name()))
            })
            .flat_map(|group| group.iter());
        let wrong = OVER_ALL
            .iter()
            .chain(near)
            .filter(|label| !gives(label) && !right.contains(&Label::Right(label)))
            .map(|label| Label::Wrong(label))
            .collect();
        LabelsOf { right, wrong }
    }
}
