//! JSON objects of `header decode` and `header params`.

use crate::commands::event_row::EventRow;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mailglot_mime::params::Param;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// A decoded value.
#[derive(Serialize)]
pub(super) struct DecodedRow<'a> {
    /// Where the value comes from a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<Raw<'a>>,
    pub(super) value: Raw<'a>,
    pub(super) text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) typed: Option<serde_json::Value>,
    pub(super) events: Vec<EventRow>,
}

/// Bytes as text; if they are not UTF-8, as `{"bytes": base64}`, never as a broken string.
pub(super) struct Raw<'a>(pub(super) &'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(self.0) {
            return serializer.serialize_str(text);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("bytes", &STANDARD.encode(self.0))?;
        map.end()
    }
}

/// The parameters of a value.
#[derive(Serialize)]
pub(super) struct ParamsRow<'a> {
    pub(super) value: &'a str,
    pub(super) params: ParamMap<'a>,
    pub(super) events: Vec<EventRow>,
}

/// Parameters as an object, in the order of the field.
pub(super) struct ParamMap<'a>(pub(super) &'a [Param]);

impl Serialize for ParamMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|param| (&param.name, &param.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::json::json;
    use super::*;

    fn text(row: &impl Serialize) -> String {
        String::from_utf8(json(row).unwrap()).unwrap()
    }

    #[test]
    fn bytes_that_are_no_text_stay_whole() {
        assert_eq!(text(&Raw("ü".as_bytes())), "\"ü\"");
        assert_eq!(text(&Raw(b"a\xff")), "{\"bytes\":\"Yf8=\"}");
    }

    #[test]
    fn parameters_keep_their_order() {
        let param = |name: &str| Param {
            name: name.into(),
            text: "\"".into(),
            language: None,
        };
        let list = [param("z"), param("a")];
        assert_eq!(text(&ParamMap(&list)), r#"{"z":"\"","a":"\""}"#);
    }
}
