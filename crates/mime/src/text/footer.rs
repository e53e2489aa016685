//! Decodes plain text that was appended after an encoded body.

use crate::charset_choice::choose_for_footer;
use crate::message::Message;
use crate::policy::Policy;
use crate::recipe::{to_crlf, to_lf};
use mailglot_codec::Charset;

/// Decodes a footer as it follows the decoded text; returns it with its number of losses.
///
/// Adds a line end if the text has none at its end. Uses the line ends of the text, since those outside an encoding belong to the
/// message.
pub(crate) fn footer_text(
    text: &[u8],
    footer: &[u8],
    used: Charset,
    message: &Message<'_>,
    policy: &Policy,
) -> (Vec<u8>, u64) {
    let seam = match text.last() {
        None | Some(b'\n' | b'\r') => b"",
        Some(_) => message.eol().bytes(),
    };
    let footer = choose_for_footer(footer, used, policy);
    let more = [seam, footer.text.as_bytes()].concat();
    let more = match memchr::memchr(b'\n', text) {
        Some(end) if text[..end].ends_with(b"\r") => to_crlf(&more),
        Some(_) => to_lf(&more),
        None => more,
    };
    (more, footer.log.losses())
}
