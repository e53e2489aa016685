//! Decodes names of members that have no flag for UTF-8 and no field with their Unicode path.
//!
//! All such names of an archive are read alike: as UTF-8 if all of them are UTF-8, else in the charset that the caller chooses.
//!
//! # Limits
//! A charset is chosen by the first 64 KiB of different names. A name that is not text in it is read as UTF-8 or code page 437.

use std::collections::HashSet;

use super::member_header::MemberHeader;
use crate::box_event::{BoxDetail, BoxEventKind};
use crate::container::member_index::MemberIndexBuilder;
use crate::container::member_names::decode_zip_name;
use crate::container::name_decoding::{NameDecoding, NameSystem};

/// Largest number of bytes that are gathered.
const LARGEST_SAMPLE: usize = 64 << 10;

/// Names of an archive from which its charset is chosen.
#[derive(Debug, Default)]
pub(super) struct NameSample {
    components: HashSet<Vec<u8>>,
    text: Vec<u8>,
    is_other_than_utf8: bool,
    /// Number of names from DOS or Windows, and of others.
    systems: [usize; 2],
}

impl NameSample {
    /// Adds the name of a member. Returns false if no more names are needed.
    pub(super) fn add(&mut self, header: &MemberHeader) -> bool {
        if header.unmarked_name().is_none_or(<[u8]>::is_ascii) {
            return true;
        }
        let name = &header.name;
        if std::str::from_utf8(name).is_err() {
            self.is_other_than_utf8 = true;
            self.systems[usize::from(header.system != NameSystem::Dos)] += 1;
        }
        // No charset of zip names has the byte 2F within a character of two bytes, so each slash separates folders.
        for component in name.split(|&byte| byte == b'/') {
            if !component.is_ascii() && self.components.insert(component.to_vec()) {
                self.text.extend_from_slice(component);
                self.text.push(b'\n');
            }
        }
        self.text.len() < LARGEST_SAMPLE
    }

    /// Chooses the charset of the names.
    pub(super) fn choose(mut self, decoding: NameDecoding) -> UnmarkedNames {
        self.text.truncate(LARGEST_SAMPLE);
        let [dos, other] = self.systems;
        let system = if dos >= other {
            NameSystem::Dos
        } else {
            NameSystem::Other
        };
        let chosen = self.is_other_than_utf8;
        UnmarkedNames {
            charset: chosen
                .then(|| (decoding.choose)(&self.text, system))
                .flatten(),
            decode: decoding.decode,
            first: None,
            names: 0,
        }
    }
}

/// Decodes the names of an archive, and counts those whose charset is not certain.
#[derive(Debug)]
pub(super) struct UnmarkedNames {
    charset: Option<&'static str>,
    decode: fn(&[u8], &str) -> Option<String>,
    /// Offset and decoded name of the first one.
    first: Option<(u64, Vec<u8>)>,
    names: u64,
}

impl UnmarkedNames {
    /// Decodes the name of a member, and makes backslashes of Windows slashes.
    pub(super) fn decode(&mut self, header: &MemberHeader) -> Vec<u8> {
        let mut name = match header.unmarked_name() {
            Some(name) if !name.is_ascii() => self.decode_unmarked(name, header.offset),
            _ => header.unicode_name().to_vec(),
        };
        // Some programs for Windows separate folders by backslashes. The name is decoded before: 表 in Shift_JIS (95 5C) has no backslash.
        if header.may_have_backslashes && !name.contains(&b'/') {
            name.iter_mut()
                .filter(|byte| **byte == b'\\')
                .for_each(|byte| *byte = b'/');
        }
        name
    }

    fn decode_unmarked(&mut self, name: &[u8], header: u64) -> Vec<u8> {
        let in_charset = self
            .charset
            .and_then(|charset| (self.decode)(name, charset));
        let (decoded, is_utf8) = match in_charset {
            Some(text) => (text.into_bytes(), false),
            None => (decode_zip_name(name), std::str::from_utf8(name).is_ok()),
        };
        if !is_utf8 {
            self.names += 1;
            self.first.get_or_insert_with(|| (header, decoded.clone()));
        }
        decoded
    }

    /// Reports the charset.
    pub(super) fn report(self, members: &mut MemberIndexBuilder) {
        let Some((offset, first)) = self.first else {
            return;
        };
        let (names, charset) = (self.names, self.charset);
        let detail = |first| BoxDetail::NameCharset {
            names,
            charset,
            first,
        };
        members.member_event(BoxEventKind::NameCharset, offset, &first, detail);
    }
}
