//! `mailglot header encode`: encodes text as the value of a header field.
//!
//! # Limits
//!
//! An address beyond ASCII cannot be encoded. If one of several values cannot be encoded, an empty line is written for it. So
//! lines of output match arguments, or lines of standard input. In a list words that are there stay, in UTF-8.

use super::super::values::{ValueEnd, each, put};
use crate::args::{CompatForm, EncodeArgs, WordEncoding};
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_codec::Charset;
use mailglot_mime::encoded_word::{Encoding, Place, Unencodable, encode_as};
use mailglot_mime::header::{self, Style};
use mailglot_mime::params::{self, Compat};

pub(super) fn run(args: &EncodeArgs, console: Console) -> Result<Exit, Failure> {
    let is_stream = args.texts.is_empty() || args.texts.iter().any(|text| text == "-");
    let (mut number, mut exit) = (0_u64, Exit::Done);
    each(&args.texts, ValueEnd::Line, |value, out| {
        number += 1;
        match encoded(args, value) {
            Ok(encoded) => put(out, &[encoded.as_bytes(), b"\n"]),
            Err(failure) if is_stream => {
                exit = failure.exit;
                console.error(format_args!(
                    "{} (value {number} of standard input)",
                    failure.message
                ));
                put(out, &[b"\n"])
            }
            Err(failure) if args.texts.len() > 1 => {
                exit = failure.exit;
                console.error(format_args!("{} (argument {number})", failure.message));
                put(out, &[b"\n"])
            }
            Err(failure) => {
                exit = failure.exit;
                console.error(failure.message);
                Ok(())
            }
        }
    })?;
    Ok(exit)
}

fn encoded(args: &EncodeArgs, value: &[u8]) -> Result<String, Failure> {
    let text = std::str::from_utf8(value).map_err(|error| {
        let at = error.valid_up_to();
        Failure::usage(format!("header encode: the text is not UTF-8 at byte {at}"))
    })?;
    let text = &unfolded(text);
    match &args.param {
        Some(name) => parameter(args, name, text),
        None => words(args, text),
    }
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
    let style = Style {
        charsets: &args.charset,
        encoding,
        eol: if args.fold { "\n" } else { "" },
    };
    let encoded = match &args.name {
        Some(name) => header::encode_field(name, text, &style),
        None => style.text(text, Place::Text, 0),
    };
    let encoded = encoded.and_then(|words| {
        check_charsets(&args.charset, text, encoding)?;
        Ok(words)
    });
    encoded.map_err(|error| {
        let place = match (&args.name, error) {
            (Some(name), Unencodable::Place) => format!("in a field {name} "),
            _ => String::new(),
        };
        Failure::usage(format!("header encode: {place}{error}"))
    })
}

/// Returns the error of the first charset if none of a list can encode the text. UTF-8 can encode every text.
fn check_charsets(charsets: &[Charset], text: &str, encoding: Encoding) -> Result<(), Unencodable> {
    if charsets.contains(&Charset::UTF_8) {
        return Ok(());
    }
    let error = |charset: &Charset| encode_as(text, *charset, Place::Text, encoding, 0, "").err();
    let mut errors = charsets.iter().map(error);
    let Some(Some(first)) = errors.next() else {
        return Ok(());
    };
    if errors.all(|error| error.is_some()) {
        Err(first)
    } else {
        Ok(())
    }
}

fn parameter(args: &EncodeArgs, name: &str, text: &str) -> Result<String, Failure> {
    let compat = match args.compat {
        None => Compat::None,
        Some(CompatForm::Ascii) => Compat::Ascii,
        Some(CompatForm::Words) => Compat::Words,
    };
    let eol = if args.fold { "\n" } else { "" };
    params::encode(name, text, compat, 1, eol).ok_or_else(|| {
        Failure::usage(format!(
            "header encode: the parameter name {name:?} is not valid"
        ))
    })
}
