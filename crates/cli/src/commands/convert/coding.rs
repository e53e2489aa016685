//! Resolves a label of the command line to a charset or to the encoding of mailbox names.

use crate::exit::Failure;
use crate::value_parsers;
use mailglot_codec::Charset;

/// Name of the encoding of mailbox names, which is not a charset.
pub(super) const IMAP: &str = "IMAP-UTF-7";

/// A charset to decode or encode, or the encoding of mailbox names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Charset(Charset),
    /// Mailbox names in modified UTF-7, one a line.
    ImapNames,
}

impl Coding {
    pub(super) fn for_label(label: &str) -> Result<Self, Failure> {
        if value_parsers::is_imap(label) {
            return Ok(Self::ImapNames);
        }
        let charset = value_parsers::charset(label).map_err(|message| match suffix(label) {
            Some((name, option)) => {
                format!("`{label}`: suffixes are not known; write `{name}` and the option {option}")
            }
            None => message,
        });
        charset
            .map(Self::Charset)
            .map_err(|message| Failure::usage(format!("convert: {message}")))
    }

    /// Returns the charset whose name reports of losses give.
    pub(super) fn charset(self) -> Charset {
        match self {
            Self::Charset(charset) => charset,
            Self::ImapNames => Charset::UTF_7_IMAP,
        }
    }
}

/// Splits a suffix of iconv off a label. Returns the label and the option that replaces the suffix.
fn suffix(label: &str) -> Option<(&str, &'static str)> {
    let (name, suffix) = label.split_once("//")?;
    match suffix.to_ascii_uppercase().as_str() {
        "TRANSLIT" => Some((name, "--unmappable translit")),
        "IGNORE" => Some((name, "-c")),
        _ => None,
    }
}
