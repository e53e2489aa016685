//! Bytes of web addresses in bodies, such as `http://example.org/?id=20`, whose equals signs begin no escape.
//!
//! # Limits
//! Knows no syntax of addresses beyond their ends and the names in their queries.

/// Returns true for a byte of a name in the query of a web address, or of an attribute.
pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']')
}

/// Returns true for a byte that ends a web address.
pub(super) fn ends_address(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'<' | b'>' | b'\'')
}
