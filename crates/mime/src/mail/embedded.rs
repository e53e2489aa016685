//! Finds the messages that parts of a message embed.

use super::Mail;
use crate::message::PartKind;
use crate::part_id::PartId;
use crate::policy::Policy;
use crate::text::open;
use std::borrow::Cow;

/// A message that a part embeds, such as a forwarded one (message/rfc822, message/global, message/news).
///
/// ```
/// use mailglot_mime::Mail;
///
/// // The embedded message is in base64: "Subject: inner\n\nhello\n".
/// let raw = "Subject: outer\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n\
///     U3ViamVjdDogaW5uZXIKCmhlbGxvCg==\n";
/// let outer = Mail::parse(raw);
/// let messages = outer.embedded_messages();
/// let inner = messages[0].mail();
/// assert_eq!(inner.subject().as_deref(), Some("inner"));
/// assert_eq!(outer.texts()[0].as_str(), "hello\n");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedMessage<'a> {
    part: PartId,
    section: String,
    raw: Cow<'a, [u8]>,
    policy: Policy,
}

impl EmbeddedMessage<'_> {
    /// Returns the part that embeds the message.
    pub fn part(&self) -> PartId {
        self.part
    }

    /// Returns the IMAP section number of that part (RFC 3501, section 6.4.5).
    pub fn section(&self) -> &str {
        &self.section
    }

    /// Returns the bytes of the message without the transfer encoding of the part.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Parses the message with the policy of the outer message.
    pub fn mail(&self) -> Mail<'_> {
        Mail::parse_with(self.raw(), self.policy.clone())
    }

    /// Copies the bytes that are borrowed from the outer message.
    pub fn into_owned(self) -> EmbeddedMessage<'static> {
        EmbeddedMessage {
            part: self.part,
            section: self.section,
            raw: Cow::Owned(self.raw.into_owned()),
            policy: self.policy,
        }
    }
}

impl<'a> Mail<'a> {
    /// Returns the messages that parts of this message embed, also those in base64 or quoted-printable.
    ///
    /// Messages inside these are not in the list: [`EmbeddedMessage::mail`] reads them.
    pub fn embedded_messages(&self) -> Vec<EmbeddedMessage<'a>> {
        let message = &self.message;
        let is_message = |id: PartId| message.part_at(id).kind == PartKind::Message;
        let mut found = Vec::new();
        for (id, part) in message.numbered_parts() {
            if !part.media.is_message() || message.parents(id).any(is_message) {
                continue;
            }
            let raw = if part.kind == PartKind::Leaf {
                open(message, id, &self.policy.limits, |inner, _| {
                    Cow::Owned(inner.raw().to_vec())
                })
            } else {
                Some(Cow::Borrowed(part.body.of(message.raw())))
            };
            found.extend(raw.map(|raw| EmbeddedMessage {
                part: id,
                section: message.section(id),
                raw,
                policy: self.policy.clone(),
            }));
        }
        found
    }
}
