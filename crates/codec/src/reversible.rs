//! Finds the charsets whose text encodes to the bytes that it was decoded from.
//!
//! # Limits
//! Checks single-byte charsets only.

use crate::charset::Charset;
use crate::encoder::Unmappable;
use crate::generated::charsets::COUNT;
use crate::loss::LossLog;
use std::sync::OnceLock;

impl Charset {
    /// Returns true if encoding in [`Charset::superset`] gives back all bytes that decode leniently without a log entry. Tested once over all
    /// bytes; true for single-byte charsets only.
    // For the charset choice of mailglot-mime only.
    #[doc(hidden)]
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
                .encode(&text, Unmappable::Skip, &mut log)
                .into_owned();
            log.is_empty() && bytes == [byte]
        };
        *KNOWN[self.index()].get_or_init(|| self.is_single_byte() && (0..=255).all(back))
    }
}
