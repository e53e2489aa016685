//! `mailglot header encode`
//!
//! # Limits
//!
//! One text a value: phrases of several addresses are encoded one by one.

use super::super::values::{End, each, put};
use crate::args::{CompatForm, EncodeArgs, WordEncoding};
use crate::exit::{Exit, Failure};
use mailglot_codec::{Charset, smallest_sufficient};
use mailglot_mime::encoded_word::{self, Encoding, Place};
use mailglot_mime::header::{FieldKind, field_kind};
use mailglot_mime::params::{self, Compat};

pub(super) fn run(args: &EncodeArgs) -> Result<Exit, Failure> {
    each(&args.texts, End::Line, |value, out| {
        let text = std::str::from_utf8(value).map_err(|error| {
            let at = error.valid_up_to();
            Failure::new(Exit::Usage, format!("header encode: the text is not UTF-8 at byte {at}"))
        })?;
        let encoded = match &args.param {
            Some(name) => parameter(args, name, text)?,
            None => words(args, text)?,
        };
        put(out, &[encoded.as_bytes(), b"\n"])
    })
}

fn words(args: &EncodeArgs, text: &str) -> Result<String, Failure> {
    let encoding = match args.encoding {
        None => Encoding::Shorter,
        Some(WordEncoding::Q) => Encoding::Q,
        Some(WordEncoding::B) => Encoding::B,
    };
    let kind = args.name.as_deref().map_or(FieldKind::Unstructured, |name| field_kind(name.as_bytes()));
    let place = if kind == FieldKind::Structured { Place::Phrase } else { Place::Text };
    // Name, colon and space. An empty line end folds by the space alone: one value, one line.
    let column = args.name.as_deref().map_or(0, |name| name.len() + 2);
    let eol = if args.fold { "\n" } else { "" };
    let charset = smallest_sufficient(text, &args.charset).charset;
    let charset = charset.or_else(|| args.charset.first().copied()).unwrap_or(Charset::UTF_8);
    encoded_word::encode_as(text, charset, place, encoding, column, eol)
        .map_err(|error| Failure::new(Exit::Usage, format!("header encode: {error}")))
}

fn parameter(args: &EncodeArgs, name: &str, text: &str) -> Result<String, Failure> {
    let compat = match args.compat {
        None => Compat::None,
        Some(CompatForm::Ascii) => Compat::Ascii,
        Some(CompatForm::Words) => Compat::Words,
    };
    let eol = if args.fold { "\n" } else { "" };
    params::encode(name, text, compat, 1, eol).ok_or_else(|| {
        Failure::new(Exit::Usage, format!("header encode: {name:?} is no name of a parameter"))
    })
}
