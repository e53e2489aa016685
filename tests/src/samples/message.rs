//! Builds the messages of the samples.

/// Builds a message from its header text and its body.
pub(super) fn message(header: impl AsRef<[u8]>, body: impl AsRef<[u8]>) -> Vec<u8> {
    [header.as_ref(), b"\n", body.as_ref()].concat()
}
