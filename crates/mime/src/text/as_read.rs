//! Decodes a body in a charset that was chosen before.

use crate::message::Message;
use crate::reading::Reading;
use crate::split_folds::{MovedFolds, has_folds};
use crate::transfer;
use crate::unlogged::decode_unlogged;
use std::borrow::Cow;

/// Decodes a text body in the charset of its [`Reading`], without choosing the charset again.
///
/// Returns `None` if plain text was appended after an encoded body, and for an unknown part. Text in two charsets is decoded in one of them.
pub fn text_as_read<'a>(message: &Message<'a>, reading: &Reading) -> Option<Cow<'a, str>> {
    let part = message.part(reading.part)?;
    let body = part.body.of(message.raw());
    let decoded = transfer::decode(part.transfer, body, &mut Vec::new());
    if decoded.footer.is_some() {
        return None;
    }
    if has_folds(&part.media)
        && let Some(moved) = MovedFolds::find(&decoded.bytes, reading.used)
    {
        let text = decode_unlogged(reading.used, moved.bytes()).into_owned();
        return Some(Cow::Owned(text));
    }
    Some(match decoded.bytes {
        Cow::Borrowed(bytes) => decode_unlogged(reading.used, bytes),
        Cow::Owned(bytes) => Cow::Owned(decode_unlogged(reading.used, &bytes).into_owned()),
    })
}
