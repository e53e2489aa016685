//! Finds the charsets whose text encodes to the bytes that it was decoded from.
//!
//! # Limits
//! Only single-byte charsets are looked at: there every byte stands for itself.

use crate::generated::charsets::COUNT;
use crate::{Charset, LossLog, Unmappable};
use std::sync::OnceLock;

impl Charset {
    /// Whether all bytes that decode leniently without any record come back when the text is encoded in
    /// [`Charset::superset`]. Found out over all bytes, once; single-byte charsets only, since there every byte stands for itself.
    pub fn comes_back(self) -> bool {
        static KNOWN: [OnceLock<bool>; COUNT] = [const { OnceLock::new() }; COUNT];
        let back = |byte: u8| {
            let mut log = LossLog::new();
            let text = self
                .decode(std::slice::from_ref(&byte), &mut log)
                .into_owned();
            if !log.is_empty() {
                return true;
            }
            let bytes = self
                .superset()
                .encode(&text, Unmappable::Fatal, &mut log)
                .into_owned();
            log.is_empty() && bytes == [byte]
        };
        *KNOWN[self.index()].get_or_init(|| self.is_single_byte() && (0..=255).all(back))
    }
}
