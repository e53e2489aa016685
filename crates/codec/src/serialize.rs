//! Serializes charsets and losses by their names (feature `serde`).
//!
//! # Limits
//! A log is not serialized as a whole: [`LossLog::kept`](crate::LossLog::kept) gives its losses.

use crate::charset::Charset;
use crate::loss::{Loss, LossKind};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::borrow::Cow;

/// Writes the name, such as `"ISO-8859-1"`.
impl Serialize for Charset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Reads a name, or any label of mail.
impl<'de> Deserialize<'de> for Charset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <Cow<'_, str>>::deserialize(deserializer)?;
        Self::for_name(&name).map_or_else(|| name.parse().map_err(D::Error::custom), Ok)
    }
}

/// Writes the name, such as `"truncated"`.
impl Serialize for LossKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for LossKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <Cow<'_, str>>::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format_args!("unknown kind of loss {name:?}"));
        Self::for_name(&name).ok_or_else(unknown)
    }
}

/// Writes kind, range and number of replacements.
impl Serialize for Loss {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Loss", 4)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("start", &self.bytes.start)?;
        fields.serialize_field("end", &self.bytes.end)?;
        fields.serialize_field("replaced", &self.replaced)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossLog;

    #[test]
    fn names_come_back() {
        for charset in Charset::all() {
            let json = serde_json::to_string(&charset).unwrap_or_default();
            assert_eq!(serde_json::from_str::<Charset>(&json).ok(), Some(charset));
        }
        for kind in LossKind::ALL {
            let json = serde_json::to_string(kind).unwrap_or_default();
            assert_eq!(serde_json::from_str::<LossKind>(&json).ok(), Some(*kind));
        }
        let error = serde_json::from_str::<Charset>("\"klingon\"").unwrap_err();
        assert!(error.to_string().starts_with("unknown charset"), "{error}");
    }

    #[test]
    fn losses_have_ranges() {
        let mut log = LossLog::new();
        let _ = Charset::UTF_8.decode(b"a\xFF", &mut log);
        assert_eq!(
            serde_json::to_string(log.kept()).unwrap_or_default(),
            r#"[{"kind":"invalid-byte","start":1,"end":2,"replaced":1}]"#
        );
    }
}
