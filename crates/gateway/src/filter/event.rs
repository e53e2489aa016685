//! Applies the events of a milter session to the envelope, the message and the activity of a connection. No I/O.

use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::ledgers::message_id;
use crate::message_builder::MessageBuilder;
use crate::milter::{Event, Peer};
use crate::server::Activity;
use std::net::IpAddr;
use std::sync::Arc;

/// Returns true if a message is in progress after the event. Events that are legal anywhere keep the state.
pub(super) fn is_within(event: &Event<'_>, before: bool) -> bool {
    match event {
        Event::Mail(..) | Event::Header(..) | Event::Body(_) | Event::EndOfMessage(_) => true,
        Event::Abort | Event::NewClient | Event::Quit => false,
        Event::Recipient(..) | Event::Data | Event::EndOfHeaders => true,
        _ => before,
    }
}

/// Records the address of the SMTP client if the event has one, or that there is no client any more.
pub(super) fn note_client(event: &Event<'_>, activity: &Activity) {
    let address = |text: &[u8]| {
        let text = std::str::from_utf8(text).ok()?;
        // Sendmail writes this prefix.
        text.strip_prefix("IPv6:")
            .unwrap_or(text)
            .parse::<IpAddr>()
            .ok()
            .map(|address| address.to_canonical())
    };
    match event {
        Event::Connect {
            peer: Peer::Inet(text, _),
            ..
        } => activity.set_client(address(text)),
        Event::Connect { .. } | Event::NewClient => activity.set_client(None),
        Event::Macros(_, pairs) => {
            let address_macro = pairs.clone().find(|(name, _)| *name == b"{client_addr}");
            if let Some(client) = address_macro.and_then(|(_, text)| address(text)) {
                activity.set_client(Some(client));
            }
        }
        _ => (),
    }
}

/// Adds an event to the message. Returns false at the end of the connection.
pub(super) fn take_event(
    event: Event<'_>,
    new: impl Fn() -> MessageBuilder,
    engine: impl Fn() -> Arc<Engine>,
    envelope: &mut Envelope,
    message: &mut Option<MessageBuilder>,
    peer: &mut String,
) -> bool {
    match event {
        Event::Quit => return false,
        Event::Connect { host, .. } => *peer = String::from_utf8_lossy(host).into_owned(),
        Event::Mail(sender, arguments) => {
            *message = None;
            let has = |wanted: &[u8]| {
                arguments
                    .clone()
                    .any(|argument| argument.eq_ignore_ascii_case(wanted))
            };
            let (smtputf8, eight_bit) = (has(b"SMTPUTF8"), has(b"BODY=8BITMIME"));
            // Sendmail sends the queue id before MAIL.
            let queue_id = std::mem::take(&mut envelope.queue_id);
            *envelope = Envelope {
                sender: sender.to_vec(),
                smtputf8,
                eight_bit,
                queue_id,
                ..Envelope::default()
            };
        }
        Event::Recipient(address, _) => envelope.recipient(address),
        Event::Macros(_, pairs) => {
            for (name, value) in pairs {
                if matches!(name, b"i" | b"{i}") {
                    envelope.queue_id = value.to_vec();
                }
            }
        }
        Event::Header(name, value) => {
            if envelope.message_id.is_empty() && name.eq_ignore_ascii_case(b"message-id") {
                envelope.message_id = message_id(&[b"Message-ID:", value].concat()).to_vec();
            }
            let message = message.get_or_insert_with(new);
            message.field(name, value);
            if message.needs_scan() {
                message.scan(engine());
            }
        }
        Event::Body(piece) | Event::EndOfMessage(piece) => {
            let message = message.get_or_insert_with(new);
            message.body(piece);
            if message.needs_scan() {
                message.scan(engine());
            }
        }
        Event::Abort | Event::NewClient => (*message, *envelope) = (None, Envelope::default()),
        _ => (),
    }
    true
}
