//! Serializes reports (feature `serde`).
//!
//! # Limits
//! Details become the sentences that `Display` writes, so events cannot be deserialized. Codes, severities, spans and part numbers can.

use crate::event::{Detail, Event, EventKind, Severity};
use crate::guess::{Guess, GuessKind};
use crate::media_type::MediaType;
use crate::part_id::PartId;
use crate::reading::{How, Reading};
use crate::report::Report;
use crate::span::Span;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::borrow::Cow;

/// Implements `Serialize` by a function that gives a string.
macro_rules! serialize_as_string {
    ($($type:ty => $name:expr,)*) => {
        $(impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let name: fn(&Self) -> Cow<'_, str> = $name;
                serializer.serialize_str(&name(self))
            }
        })*
    };
}

serialize_as_string! {
    EventKind => |kind| kind.code().into(),
    Severity => |severity| severity.name().into(),
    GuessKind => |kind| kind.name().into(),
    How => |how| how.name().into(),
    Detail => |detail| detail.to_string().into(),
    MediaType => |media| media.to_string().into(),
}

/// Reads a code, such as `"ew.raw8bit"`.
impl<'de> Deserialize<'de> for EventKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = <Cow<'_, str>>::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format_args!("unknown event code {code:?}"));
        Self::for_code(&code).ok_or_else(unknown)
    }
}

/// Reads `"info"`, `"repair"` or `"loss"`.
impl<'de> Deserialize<'de> for Severity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <Cow<'_, str>>::deserialize(deserializer)?;
        let all = [Self::Info, Self::Repair, Self::Loss];
        let found = all.into_iter().find(|severity| severity.name() == name);
        found.ok_or_else(|| D::Error::custom(format_args!("unknown severity {name:?}")))
    }
}

/// Writes `[start, end]`.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.start, self.end].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let [start, end] = <[usize; 2]>::deserialize(deserializer)?;
        Ok(Self { start, end })
    }
}

impl Serialize for PartId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0)
    }
}

impl<'de> Deserialize<'de> for PartId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::deserialize(deserializer).map(Self)
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Event", 6)?;
        fields.serialize_field("code", &self.kind)?;
        fields.serialize_field("severity", &self.kind.severity())?;
        fields.serialize_field("part", &self.part)?;
        fields.serialize_field("at", &self.at)?;
        fields.serialize_field("detail", &self.detail)?;
        fields.serialize_field("count", &self.count)?;
        fields.end()
    }
}

impl Serialize for Reading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Reading", 5)?;
        fields.serialize_field("part", &self.part)?;
        fields.serialize_field("declared", &self.declared)?;
        fields.serialize_field("used", &self.used)?;
        fields.serialize_field("how", &self.how)?;
        fields.serialize_field("confidence", &self.confidence)?;
        fields.end()
    }
}

impl Serialize for Guess {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Guess", 8)?;
        fields.serialize_field("part", &self.part)?;
        fields.serialize_field("field", &self.field)?;
        fields.serialize_field("at", &self.at)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("declared", &self.declared)?;
        fields.serialize_field("used", &self.used)?;
        fields.serialize_field("confidence", &self.confidence)?;
        fields.serialize_field("excerpt", &self.excerpt)?;
        fields.end()
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Report", 9)?;
        fields.serialize_field("losses", &self.losses())?;
        fields.serialize_field("repairs", &self.repairs())?;
        fields.serialize_field("guessed", &self.guessed())?;
        fields.serialize_field("overruled", &self.overruled())?;
        fields.serialize_field("events", &self.events)?;
        fields.serialize_field("dropped", &self.dropped)?;
        fields.serialize_field("withdrawn", &self.withdrawn)?;
        fields.serialize_field("readings", &self.readings)?;
        fields.serialize_field("guesses", &self.guesses)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::process;
    use crate::policy::Policy;
    use serde_json::{from_value, json, to_value};

    #[test]
    fn reports_are_serialized() {
        let raw = b"Content-Type: text/plain; charset=utf-8\n\n\xC3\xBC \xFF\n";
        let report = to_value(process(raw, &Policy::default()).report).unwrap_or_default();
        assert_eq!(
            report["events"][1],
            json!({
                "code": "charset.invalid-bytes", "severity": "loss", "part": 0, "at": [44, 45],
                "detail": "invalid-byte in UTF-8", "count": 1,
            })
        );
        assert_eq!(report["losses"], 1);
        assert_eq!(
            report["readings"],
            json!([{"part": 0, "declared": "utf-8", "used": "UTF-8", "how": "label", "confidence": null}])
        );
    }

    #[test]
    fn codes_and_places_come_back() {
        for kind in EventKind::ALL {
            let value = to_value(kind).unwrap_or_default();
            assert_eq!(from_value::<EventKind>(value).ok(), Some(*kind));
        }
        for severity in [Severity::Info, Severity::Repair, Severity::Loss] {
            let value = to_value(severity).unwrap_or_default();
            assert_eq!(from_value::<Severity>(value).ok(), Some(severity));
        }
        let (span, part) = (Span::new(3, 7), PartId(2));
        assert_eq!(from_value::<Span>(json!([3, 7])).ok(), Some(span));
        assert_eq!(from_value::<PartId>(json!(2)).ok(), Some(part));
        assert!(from_value::<EventKind>(json!("no.such-code")).is_err());
    }
}
