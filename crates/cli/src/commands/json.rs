//! Formats JSON lines.

use crate::exit::{Exit, Failure};
use serde::Serialize;

/// Returns a value as JSON on one line, without the line end.
pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(value).map_err(|error| Failure::new(Exit::Output, error.to_string()))
}
