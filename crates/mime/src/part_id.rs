//! Identifies the parts of a message.

/// The index of a part in [`Message::parts`](crate::Message::parts); the root is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartId(pub u32);

impl PartId {
    /// The root: the message itself.
    pub const ROOT: Self = Self(0);
}
