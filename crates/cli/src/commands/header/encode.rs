//! `mailglot header encode`
//!
//! # Limits
//!
//! A value for a structured field that holds an `@` is a list of addresses, of which phrases and comments alone are encoded (RFC 2047 5); one
//! without is a single phrase. An address beyond ASCII cannot be encoded, and is refused. In a list words that are there stay, in UTF-8.

use super::super::values::{End, each, put};
use crate::args::{CompatForm, EncodeArgs, WordEncoding};
use crate::exit::{Exit, Failure};
use mailglot_codec::{Charset, smallest_sufficient};
use mailglot_mime::encoded_word::{self, Encoding, Form, HeaderContext, Place};
use mailglot_mime::header::{FieldKind, field_kind};
use mailglot_mime::params::{self, Compat};

pub(super) fn run(args: &EncodeArgs) -> Result<Exit, Failure> {
    each(&args.texts, End::Line, |value, out| {
        let text = std::str::from_utf8(value).map_err(|error| {
            let at = error.valid_up_to();
            Failure::new(Exit::Usage, format!("header encode: the text is not UTF-8 at byte {at}"))
        })?;
        let text = &unfolded(text);
        let encoded = match &args.param {
            Some(name) => parameter(args, name, text)?,
            None => words(args, text)?,
        };
        put(out, &[encoded.as_bytes(), b"\n"])
    })
}

/// The text as one line: a line end goes where white space follows, or the end; elsewhere a space stands for it.
fn unfolded(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut rest = text.trim_end_matches(['\r', '\n']);
    while let Some(at) = rest.find(['\r', '\n']) {
        line.push_str(&rest[..at]);
        rest = rest[at..].trim_start_matches(['\r', '\n']);
        if !rest.starts_with([' ', '\t']) {
            line.push(' ');
        }
    }
    line + rest
}

fn words(args: &EncodeArgs, text: &str) -> Result<String, Failure> {
    let encoding = match args.encoding {
        None => Encoding::Shorter,
        Some(WordEncoding::Q) => Encoding::Q,
        Some(WordEncoding::B) => Encoding::B,
    };
    let kind = args.name.as_deref().map_or(FieldKind::Unstructured, |name| field_kind(name.as_bytes()));
    if kind == FieldKind::Opaque
        || kind == FieldKind::Parameters
        || (kind == FieldKind::Structured && text.contains('@'))
    {
        return value(args, text, kind, encoding);
    }
    let place = if kind == FieldKind::Structured { Place::Phrase } else { Place::Text };
    // Name, colon and space. An empty line end folds by the space alone: one value, one line.
    let column = args.name.as_deref().map_or(0, |name| name.len() + 2);
    encoded(args, text, place, encoding, column)
}

/// Words in the first charset that holds all of a text.
fn encoded(
    args: &EncodeArgs,
    text: &str,
    place: Place,
    encoding: Encoding,
    column: usize,
) -> Result<String, Failure> {
    let eol = if args.fold { "\n" } else { "" };
    let charset = smallest_sufficient(text, &args.charset).charset;
    let charset = charset.or_else(|| args.charset.first().copied()).unwrap_or(Charset::UTF_8);
    encoded_word::encode_as(text, charset, place, encoding, column, eol)
        .map_err(|error| Failure::new(Exit::Usage, format!("header encode: {error}")))
}

/// A whole value, of which only what may be words becomes words.
fn value(args: &EncodeArgs, text: &str, kind: FieldKind, encoding: Encoding) -> Result<String, Failure> {
    let (raw, context) =
        (text.as_bytes(), HeaderContext { raw: Some(Charset::UTF_8), ..HeaderContext::default() });
    let name = args.name.as_deref().unwrap_or_default();
    let eol = if args.fold { "\n" } else { "" };
    let column = name.len() + 2;
    let list =
        encoded_word::rewrite(raw, kind, Form::Words, &context, column, eol.as_bytes(), &mut Vec::new());
    let is_as_asked = encoding == Encoding::Shorter && args.charset.first() == Some(&Charset::UTF_8);
    let (mut out, mut at) = (Vec::new(), 0);
    for change in &list {
        out.extend_from_slice(raw.get(at..change.at.start).unwrap_or_default());
        if is_as_asked || kind == FieldKind::Parameters {
            out.extend_from_slice(&change.with);
        } else {
            let phrase =
                encoded_word::decode(&change.with, FieldKind::Unstructured, &context, &mut Vec::new());
            let line = out
                .iter()
                .rposition(|&byte| byte == b'\n')
                .map_or(column + out.len(), |at| out.len() - at - 1);
            out.extend_from_slice(encoded(args, &phrase, Place::Phrase, encoding, line)?.as_bytes());
        }
        at = change.at.end;
    }
    out.extend_from_slice(raw.get(at..).unwrap_or_default());
    let reads = |value: &[u8]| encoded_word::decode(value, kind, &context, &mut Vec::new()).into_owned();
    if !out.is_ascii() || reads(&out) != reads(raw) {
        let text = format!(
            "header encode: in a field {name} this cannot be encoded: words stand in phrases and comments only"
        );
        return Err(Failure::new(Exit::Usage, text));
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
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
