//! Decodes the text parts of a message.

mod as_read;
mod body_alphabets;
mod body_charset;
mod body_damage;
mod decoded_body;
mod delimiters;
mod encoded_blocks;
mod footer;
mod header_charset;
mod label_evidence;
mod message_evidence;
mod parts;
mod report;

pub use as_read::text_as_read;
pub(crate) use decoded_body::{DecodedBody, has_armour};
pub use encoded_blocks::{EncodedBlock, encoded_blocks};
pub(crate) use footer::footer_text;
pub use header_charset::header_context;
pub(crate) use header_charset::{
    HeaderEvidence, LAST_RESORT, RawCharset, header_evidence, raw_header_charset,
};
pub(crate) use label_evidence::{disproved_labels, labels_of_bodies};
pub(crate) use message_evidence::MessageEvidence;
pub(crate) use parts::{ENCODED_LEVELS, open, parse_embedded};
pub use parts::{TextPart, text_parts};
pub(crate) use report::reading;
