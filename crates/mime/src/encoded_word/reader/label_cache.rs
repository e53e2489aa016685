//! Caches the charset of the last label of a value.
//!
//! # Limits
//!
//! Keeps one label: a value that alternates between two resolves each of them again.

use crate::encoded_word::context::HeaderContext;
use mailglot_codec::Resolved;

/// Caches the last label, since the words of a value mostly share one.
#[derive(Debug)]
pub(super) struct LabelCache<'c> {
    pub(super) context: HeaderContext<'c>,
    pub(super) last: Option<(Vec<u8>, (Resolved, bool))>,
}

impl LabelCache<'_> {
    pub(super) fn resolve(&mut self, label: &[u8]) -> (Resolved, bool) {
        if let Some((known, resolved)) = &self.last
            && known == label
        {
            return *resolved;
        }
        let resolved = self.context.resolve(label);
        self.last = Some((label.to_vec(), resolved));
        resolved
    }
}
