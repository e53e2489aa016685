//! Decodes names of members that have no flag for UTF-8 and no field with their Unicode path.
//!
//! All such names of an archive are read alike: as UTF-8 if all of them are UTF-8, else in the charset that the caller chooses.
//!
//! # Limits
//! A name that is not text in it is read as UTF-8 or code page 437.

use super::member_header::MemberHeader;
use crate::box_event::{BoxDetail, BoxEventKind};
use crate::container::member_index::MemberIndexBuilder;
use crate::container::member_names::decode_zip_name;
use crate::container::name_decoding::NameDecoding;
use crate::container::name_sample::NameSample;

/// Adds the name of a member to the names from which their charset is chosen. Returns false if no more names are needed.
pub(super) fn add_name(sample: &mut NameSample, header: &MemberHeader) -> bool {
    if header.unmarked_name().is_none_or(<[u8]>::is_ascii) {
        return true;
    }
    sample.add(&header.name, header.system)
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
    /// Chooses the charset of the names.
    pub(super) fn new(sample: NameSample, decoding: NameDecoding) -> Self {
        Self {
            charset: sample.choose(decoding),
            decode: decoding.decode,
            first: None,
            names: 0,
        }
    }

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
