//! The sets of names in which labels are looked up.

/// The set of names in which a label is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Prefers the names of mail to those of the web, and repairs damaged labels. The default.
    Mail,
    /// Follows "get an encoding" of the WHATWG Encoding Standard (section 4.2) exactly.
    Whatwg,
    /// Accepts names and aliases of the IANA registry only.
    Iana,
}
