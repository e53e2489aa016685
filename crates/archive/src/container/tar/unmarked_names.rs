//! Decodes names of members that are not UTF-8. Pax names are UTF-8; older formats store the bytes of the file system.
//!
//! All such names of an archive are in one charset, which the caller chooses.
//!
//! # Limits
//! A component that is UTF-8 stays, since folders may have been renamed when their system changed to UTF-8. Without a likely charset,
//! and for a component that is not text in it, the bytes stay.

use std::borrow::Cow;

use crate::box_event::{BoxDetail, BoxEventKind};
use crate::container::member_index::MemberIndexBuilder;
use crate::container::name_decoding::{NameDecoding, NameSystem};
use crate::container::name_sample::NameSample;

/// The names of an archive.
pub(super) enum TarNames {
    /// The archive is read to gather names that are not UTF-8. They keep their bytes.
    Gather { sample: NameSample, is_full: bool },
    /// The names are decoded.
    Decode(DecodedNames),
}

/// Names that are decoded in one charset.
pub(super) struct DecodedNames {
    charset: &'static str,
    decode: fn(&[u8], &str) -> Option<String>,
    /// Offset and decoded name of the first one.
    first: Option<(u64, Vec<u8>)>,
    names: u64,
}

impl TarNames {
    /// Starts to gather names.
    pub(super) fn gather() -> Self {
        Self::Gather {
            sample: NameSample::default(),
            is_full: false,
        }
    }

    /// Returns the names with the charset that is chosen, if one is likely and the names are not decoded yet.
    pub(super) fn chosen(self, decoding: NameDecoding) -> Option<Self> {
        let Self::Gather { sample, .. } = self else {
            return None;
        };
        let charset = sample.choose(decoding)?;
        Some(Self::Decode(DecodedNames {
            charset,
            decode: decoding.decode,
            first: None,
            names: 0,
        }))
    }

    /// Returns the name of the member at offset `header`, and counts it.
    pub(super) fn member<'n>(&mut self, name: &'n [u8], header: u64) -> Cow<'n, [u8]> {
        let decoded = self.decode(name);
        match self {
            Self::Gather { sample, is_full } => {
                let components = name.split(|&byte| byte == b'/');
                for other in components.filter(|component| !is_utf8(component)) {
                    *is_full = *is_full || !sample.add(other, NameSystem::Other);
                }
            }
            Self::Decode(names) if decoded != name => {
                names.names += 1;
                names
                    .first
                    .get_or_insert_with(|| (header, decoded.to_vec()));
            }
            Self::Decode(_) => {}
        }
        decoded
    }

    /// Returns the name of a member or of the target of a link.
    pub(super) fn decode<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        let Self::Decode(names) = self else {
            return Cow::Borrowed(name);
        };
        if is_utf8(name) {
            return Cow::Borrowed(name);
        }
        let components = name.split(|&byte| byte == b'/');
        let decoded = components.map(|component| {
            let text = if is_utf8(component) {
                None
            } else {
                (names.decode)(component, names.charset)
            };
            text.map_or(Cow::Borrowed(component), |text| {
                Cow::Owned(text.into_bytes())
            })
        });
        Cow::Owned(decoded.collect::<Vec<_>>().join(&b'/'))
    }

    /// Reports the charset.
    pub(super) fn report(self, members: &mut MemberIndexBuilder) {
        let Self::Decode(DecodedNames {
            charset,
            first: Some((offset, first)),
            names,
            ..
        }) = self
        else {
            return;
        };
        let detail = |first| BoxDetail::NameCharset {
            names,
            charset: Some(charset),
            first,
        };
        members.member_event(BoxEventKind::NameCharset, offset, &first, detail);
    }
}

fn is_utf8(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok()
}
