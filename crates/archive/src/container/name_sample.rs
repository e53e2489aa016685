//! Gathers names of an archive from which their charset is chosen.
//!
//! # Limits
//! A charset is chosen by the first 64 KiB of different names.

use std::collections::HashSet;

use super::name_decoding::{NameDecoding, NameSystem};

/// Largest number of bytes that are gathered.
const LARGEST_SAMPLE: usize = 64 << 10;

/// Names of an archive that do not say their charset.
#[derive(Debug, Default)]
pub(super) struct NameSample {
    components: HashSet<Vec<u8>>,
    text: Vec<u8>,
    is_other_than_utf8: bool,
    /// Number of names from DOS or Windows, and of others.
    systems: [usize; 2],
}

impl NameSample {
    /// Adds a name. Returns false if no more names are needed.
    pub(super) fn add(&mut self, name: &[u8], system: NameSystem) -> bool {
        if std::str::from_utf8(name).is_err() {
            self.is_other_than_utf8 = true;
            self.systems[usize::from(system != NameSystem::Dos)] += 1;
        }
        // No charset of names has the byte 2F within a character of two bytes, so each slash separates folders.
        for component in name.split(|&byte| byte == b'/') {
            if !component.is_ascii() && self.components.insert(component.to_vec()) {
                self.text.extend_from_slice(component);
                self.text.push(b'\n');
            }
        }
        self.text.len() < LARGEST_SAMPLE
    }

    /// Chooses the charset of the names. `None` if all are UTF-8, or if no charset is likely.
    pub(super) fn choose(mut self, decoding: NameDecoding) -> Option<&'static str> {
        self.text.truncate(LARGEST_SAMPLE);
        let [dos, other] = self.systems;
        let system = if dos >= other {
            NameSystem::Dos
        } else {
            NameSystem::Other
        };
        let chosen = self.is_other_than_utf8;
        chosen
            .then(|| (decoding.choose)(&self.text, system))
            .flatten()
    }
}
