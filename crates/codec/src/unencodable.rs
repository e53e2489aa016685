//! Defines the error of encoders that stop at the first character that they cannot encode.
//!
//! # Limits
//! Names one character, not all of them.

/// A character that a charset or encoding lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unencodable {
    /// The character. The WHATWG Encoding Standard reports U+FFFD for U+000E, U+000F and U+001B in ISO-2022-JP.
    pub character: char,
    /// Its offset in the text, in bytes.
    pub at: u64,
}

impl std::fmt::Display for Unencodable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "cannot encode U+{:04X} at byte {}",
            self.character as u32, self.at
        )
    }
}

impl std::error::Error for Unencodable {}
