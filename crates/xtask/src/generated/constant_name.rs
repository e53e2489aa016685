//! The name of the Rust constant of a charset.

/// Returns the name: `ISO-8859-1` gives `ISO_8859_1`.
pub(super) fn constant_name(charset: &str) -> String {
    charset
        .to_uppercase()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}
