//! Serializes the [`Profile`] of a mailbox, for plans of jobs in parts.
//!
//! # Limits
//! An unknown line end becomes `mixed`.

use crate::source::Profile;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Shown {
    dialect: String,
    line_end: String,
}

pub(super) fn serialize<S: Serializer>(
    profile: &Profile,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let shown = Shown {
        dialect: profile.dialect.clone(),
        line_end: profile.line_end.to_owned(),
    };
    shown.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Profile, D::Error> {
    let shown = Shown::deserialize(deserializer)?;
    let line_end = ["LF", "CRLF", "CR"]
        .into_iter()
        .find(|known| *known == shown.line_end)
        .unwrap_or("mixed");
    Ok(Profile {
        dialect: shown.dialect,
        line_end,
    })
}
