//! Negotiates version, actions and protocol options at the start of a milter connection (`SMFIC_OPTNEG`).

use super::wire::{self, ProtocolError};

/// Bits for what a filter may do to a message (`SMFIF_`).
pub mod action {
    /// Adds header fields.
    pub const ADD_HEADERS: u32 = 0x01;
    /// Replaces the body.
    pub const CHANGE_BODY: u32 = 0x02;
    /// Changes and deletes header fields.
    pub const CHANGE_HEADERS: u32 = 0x10;
    /// Quarantines a message.
    pub const QUARANTINE: u32 = 0x20;
    /// Requests macros by name.
    pub const SET_MACROS: u32 = 0x100;
}

/// Bits for the packets that the mail server sends, and those that the filter answers (`SMFIP_`).
pub mod protocol {
    /// The mail server sends no connect packets.
    pub const NO_CONNECT: u32 = 0x01;
    /// The mail server sends no HELO packets.
    pub const NO_HELO: u32 = 0x02;
    /// The mail server sends no unknown commands.
    pub const NO_UNKNOWN: u32 = 0x100;
    /// The mail server sends no DATA packets.
    pub const NO_DATA: u32 = 0x200;
    /// The filter answers no header fields.
    pub const NO_REPLY_HEADER: u32 = 0x80;
    /// The filter may skip the rest of a body.
    pub const SKIP: u32 = 0x400;
    /// The filter answers no connect packets.
    pub const NO_REPLY_CONNECT: u32 = 0x1000;
    /// The filter does not answer HELO.
    pub const NO_REPLY_HELO: u32 = 0x2000;
    /// The filter does not answer MAIL.
    pub const NO_REPLY_MAIL: u32 = 0x4000;
    /// The filter does not answer RCPT.
    pub const NO_REPLY_RECIPIENT: u32 = 0x8000;
    /// The filter does not answer DATA.
    pub const NO_REPLY_DATA: u32 = 0x1_0000;
    /// The filter does not answer unknown commands.
    pub const NO_REPLY_UNKNOWN: u32 = 0x2_0000;
    /// The filter does not answer the end of the header.
    pub const NO_REPLY_END_OF_HEADERS: u32 = 0x4_0000;
    /// The filter does not answer pieces of the body.
    pub const NO_REPLY_BODY: u32 = 0x8_0000;
    /// Field values include the space behind the colon, in both directions.
    pub const LEADING_SPACE: u32 = 0x10_0000;
}

/// The protocol version that the filter offers.
const VERSION: u32 = 6;
/// The oldest protocol version that the filter accepts.
const OLDEST: u32 = 2;
/// Bytes of version, actions and protocol options in an offer.
const NUMBERS: usize = 12;

/// The command with which the mail server sends macros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MacroStage {
    /// With the connection.
    Connect = 0,
    /// With HELO.
    Helo = 1,
    /// With MAIL.
    Mail = 2,
    /// With each RCPT.
    Recipient = 3,
    /// With DATA.
    Data = 4,
    /// With the end of the message.
    EndOfMessage = 5,
    /// With the end of the header.
    EndOfHeaders = 6,
}

/// The options that a filter requests. The filter gets those that the mail server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Bits of [`action`].
    pub actions: u32,
    /// Bits of [`protocol`].
    pub protocol: u32,
    /// Names of macros, separated by spaces, for each stage.
    pub macros: Vec<(MacroStage, String)>,
}

impl Default for Wants {
    /// Requests everything that edits need, and no packet or answer that the filter can do without.
    fn default() -> Self {
        Self {
            actions: action::ADD_HEADERS
                | action::CHANGE_HEADERS
                | action::CHANGE_BODY
                | action::SET_MACROS,
            protocol: protocol::NO_UNKNOWN
                | protocol::NO_DATA
                | protocol::NO_HELO
                | protocol::NO_REPLY_CONNECT
                | protocol::NO_REPLY_HELO
                | protocol::NO_REPLY_MAIL
                | protocol::NO_REPLY_RECIPIENT
                | protocol::NO_REPLY_DATA
                | protocol::NO_REPLY_UNKNOWN
                | protocol::NO_REPLY_HEADER
                | protocol::NO_REPLY_END_OF_HEADERS
                | protocol::NO_REPLY_BODY
                | protocol::SKIP
                | protocol::LEADING_SPACE,
            macros: vec![
                (
                    MacroStage::Mail,
                    "{auth_authen} {client_addr} {daemon_name} {mail_addr} j".to_owned(),
                ),
                (MacroStage::Recipient, "{rcpt_addr}".to_owned()),
                (MacroStage::EndOfHeaders, "i".to_owned()),
                (MacroStage::EndOfMessage, "i".to_owned()),
            ],
        }
    }
}

/// The result of a negotiation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// The protocol version, 2 to 6.
    pub version: u32,
    /// Bits of [`action`].
    pub actions: u32,
    /// Bits of [`protocol`].
    pub protocol: u32,
}

impl Granted {
    /// Returns true if all of these bits of [`action`] may be used.
    pub fn may(self, actions: u32) -> bool {
        self.actions & actions == actions
    }

    /// Returns true if all of these bits of [`protocol`] were negotiated.
    pub fn has(self, protocol: u32) -> bool {
        self.protocol & protocol == protocol
    }
}

/// Parses the offer of a mail server, and writes the answer to `out`.
pub(super) fn negotiate(
    data: &[u8],
    wants: &Wants,
    out: &mut Vec<u8>,
) -> Result<Granted, ProtocolError> {
    let number = |at: usize| {
        let bytes = data.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(u32::from_be_bytes)
            .ok_or(ProtocolError::ShortNegotiation)
    };
    let (version, actions, protocol) = (number(0)?, number(4)?, number(8)?);
    if version < OLDEST {
        return Err(ProtocolError::OldVersion(version));
    }
    let granted = Granted {
        version: version.min(VERSION),
        actions: wants.actions & actions,
        protocol: wants.protocol & protocol,
    };
    let mut answer = Vec::with_capacity(NUMBERS);
    for number in [granted.version, granted.actions, granted.protocol] {
        answer.extend_from_slice(&number.to_be_bytes());
    }
    if granted.may(action::SET_MACROS) {
        for (stage, names) in &wants.macros {
            answer.extend_from_slice(&(*stage as u32).to_be_bytes());
            answer.extend_from_slice(names.as_bytes());
            answer.push(0);
        }
    }
    wire::put(out, b'O', &[&answer]);
    Ok(granted)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn offer(version: u32, actions: u32, protocol: u32) -> Vec<u8> {
        [version, actions, protocol]
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect()
    }

    #[test]
    fn only_what_is_offered_is_asked_for() {
        let wants = Wants::default();
        // Every single bit that a server may offer, and all of them.
        for bits in (0..32)
            .map(|bit| 1_u32 << bit)
            .chain([0, u32::MAX, 0x1f_ffff])
        {
            let mut out = Vec::new();
            let granted = negotiate(&offer(6, bits, bits), &wants, &mut out).unwrap();
            assert_eq!(granted.actions, bits & wants.actions);
            assert_eq!(granted.protocol, bits & wants.protocol);
            assert_eq!(&out[5..17], offer(6, granted.actions, granted.protocol));
            assert_eq!(
                out.len() > 17,
                granted.may(action::SET_MACROS),
                "macros only where they may be set"
            );
        }
    }

    #[test]
    fn versions_meet_at_the_lower_one() {
        for (offered, agreed) in [
            (2, Ok(2)),
            (6, Ok(6)),
            (99, Ok(6)),
            (1, Err(ProtocolError::OldVersion(1))),
        ] {
            let got = negotiate(&offer(offered, 0, 0), &Wants::default(), &mut Vec::new());
            assert_eq!(got.map(|granted| granted.version), agreed);
        }
    }

    #[test]
    fn a_short_offer_is_a_fault() {
        let whole = offer(6, 0x1ff, 0x1f_ffff);
        for length in 0..NUMBERS {
            let got = negotiate(&whole[..length], &Wants::default(), &mut Vec::new());
            assert_eq!(got, Err(ProtocolError::ShortNegotiation), "{length}");
        }
    }
}
