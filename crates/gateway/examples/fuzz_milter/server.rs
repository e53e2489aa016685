//! A mail server that tells messages as one does, holds the filter to the protocol, and does what it is asked.
//!
//! # Limits
//! It keeps no time: a sign of work is only known as such.

use mailglot_fuzz::Random;
use mailglot_gateway::milter::{Incoming, LONGEST_DATA, MilterSession, action, protocol, put};

/// Bits of all commands that may be declined.
const DECLINED: [(u8, u32); 4] = [
    (b'C', protocol::NO_CONNECT),
    (b'H', protocol::NO_HELO),
    (b'T', protocol::NO_DATA),
    (b'U', protocol::NO_UNKNOWN),
];
/// Bits of all commands whose answer may be saved.
const SAVED: [(u8, u32); 9] = [
    (b'C', protocol::NO_REPLY_CONNECT),
    (b'H', protocol::NO_REPLY_HELO),
    (b'M', protocol::NO_REPLY_MAIL),
    (b'R', protocol::NO_REPLY_RECIPIENT),
    (b'T', protocol::NO_REPLY_DATA),
    (b'U', protocol::NO_REPLY_UNKNOWN),
    (b'L', protocol::NO_REPLY_HEADER),
    (b'N', protocol::NO_REPLY_END_OF_HEADERS),
    (b'B', protocol::NO_REPLY_BODY),
];

/// A message as a server holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerMessage {
    pub(crate) fields: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

impl ServerMessage {
    /// Cuts bytes as a server does: fields while they last. All line ends become CRLF.
    pub(crate) fn of(raw: &[u8]) -> Self {
        let mut held = Self::default();
        let mut lines = raw.split_inclusive(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.peek() {
            let text = ended(line);
            let colon = text
                .iter()
                .position(|byte| *byte == b':')
                .filter(|at| is_name(&text[..*at]));
            match (text.first(), held.fields.last_mut(), colon) {
                (Some(b' ' | b'\t'), Some((_, value)), _) => {
                    value.push(b'\n');
                    value.extend_from_slice(text);
                }
                (Some(first), _, Some(colon)) if !b" \t".contains(first) => {
                    held.fields
                        .push((text[..colon].to_vec(), text[colon + 1..].to_vec()));
                }
                (None, ..) => {
                    lines.next();
                    break;
                }
                _ => break,
            }
            lines.next();
        }
        for line in lines {
            held.body.extend_from_slice(ended(line));
            if line.ends_with(b"\n") {
                held.body.extend_from_slice(b"\r\n");
            }
        }
        // No field can carry it: its bytes end there.
        held.fields
            .retain(|(name, value)| !name.contains(&0) && !value.contains(&0));
        held
    }

    /// The message as bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut raw = Vec::new();
        for (name, value) in &self.fields {
            raw.extend_from_slice(name);
            raw.push(b':');
            for (at, line) in value.split(|byte| *byte == b'\n').enumerate() {
                raw.extend_from_slice(if at > 0 { b"\r\n" } else { b"" });
                raw.extend_from_slice(line);
            }
            raw.extend_from_slice(b"\r\n");
        }
        [&raw[..], b"\r\n", &self.body].concat()
    }
}

/// RFC 5322 3.6.8, and blanks before the colon, as servers take them.
fn is_name(name: &[u8]) -> bool {
    let blanks = name
        .iter()
        .rev()
        .take_while(|byte| b" \t".contains(byte))
        .count();
    let name = &name[..name.len() - blanks];
    !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
}

fn ended(line: &[u8]) -> &[u8] {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    text.strip_suffix(b"\r").unwrap_or(text)
}

/// What must come back at once for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Nothing,
    Question,
    Verdict,
}

/// One connection, from the server's side.
#[derive(Debug, Default)]
pub(crate) struct ServerSide {
    /// What was agreed.
    pub(crate) actions: u32,
    /// What was agreed.
    pub(crate) protocol: u32,
    answers: Incoming,
}

impl ServerSide {
    /// An offer of some bits; most servers offer all.
    pub(crate) fn offer(random: &mut Random) -> ([u32; 3], Vec<u8>) {
        let some = |random: &mut Random, all: u32| match random.below(4) {
            0 => random.next() as u32,
            _ => all,
        };
        let numbers = [
            2 + random.below(6) as u32,
            some(random, 0x1ff),
            some(random, 0x1f_ffff),
        ];
        let mut packet = Vec::new();
        put(
            &mut packet,
            b'O',
            &[&numbers.map(u32::to_be_bytes).concat()],
        );
        (numbers, packet)
    }

    /// Takes the answer to an offer.
    pub(crate) fn agree(&mut self, offer: [u32; 3], output: &[u8]) -> Result<(), String> {
        let answers = self.packets(output)?;
        let [(b'O', data)] = &answers[..] else {
            return Err(format!("an offer was answered by {answers:?}"));
        };
        let numbers: Vec<u32> = data
            .chunks_exact(4)
            .take(3)
            .filter_map(|n| Some(u32::from_be_bytes(n.try_into().ok()?)))
            .collect();
        let [version, actions, bits] = numbers[..] else {
            return Err("a short answer to an offer".into());
        };
        if version > offer[0].min(6) || actions & !offer[1] != 0 || bits & !offer[2] != 0 {
            return Err(format!(
                "{numbers:x?} was taken where {offer:x?} was offered"
            ));
        }
        if data.len() > 12 && actions & action::SET_MACROS == 0 {
            return Err("macros were asked for that may not be".into());
        }
        (self.actions, self.protocol) = (actions, bits);
        Ok(())
    }

    /// The commands of a message, with what is due for each.
    pub(crate) fn tell(&self, message: &ServerMessage, random: &mut Random) -> Vec<(Vec<u8>, Due)> {
        let mut all: Vec<(u8, Vec<u8>)> = Vec::new();
        let mut add = |command, data: &[u8]| all.push((command, data.to_vec()));
        if random.below(2) == 0 {
            add(b'D', b"Cj\0mx.example.org\0{daemon_name}\0smtpd\0odd\0");
            add(b'C', b"client.example.org\x004\x04\xd2192.0.2.1\0");
            add(b'H', b"client.example.org\0");
        }
        add(b'M', b"<a@example.org>\0BODY=8BITMIME\0SIZE=1\0");
        for _ in 0..random.below(3) {
            add(b'D', b"R{rcpt_addr}\0b@example.org\0");
            add(b'R', b"<b@example.org>\0");
        }
        if random.below(8) == 0 {
            // Given up, and begun again.
            add(b'L', b"Subject\0 gone\0");
            add(b'A', b"");
            add(b'M', b"<a@example.org>\0");
        }
        add(b'T', b"");
        for (name, value) in &message.fields {
            let leads = self.protocol & protocol::LEADING_SPACE != 0;
            let value = if leads {
                value
            } else {
                value.strip_prefix(b" ").unwrap_or(value)
            };
            add(b'L', &[name, &b"\0"[..], value, b"\0"].concat());
        }
        add(b'D', b"Ni\x004F2\0");
        add(b'N', b"");
        let mut body = &message.body[..];
        let piece = [1, 7, 100, LONGEST_DATA][random.below(4)];
        while body.len() > piece {
            add(b'B', &body[..piece]);
            body = &body[piece..];
        }
        if random.below(2) == 0 {
            add(b'B', body);
            body = b"";
        }
        add(b'E', body);
        let agreed = |list: &[(u8, u32)], command| {
            list.iter()
                .any(|(letter, bit)| *letter == command && self.protocol & bit != 0)
        };
        all.retain(|(command, _)| !agreed(&DECLINED, *command));
        let packet = |(command, data): (u8, Vec<u8>)| {
            let due = match command {
                b'E' => Due::Verdict,
                b'D' | b'A' => Due::Nothing,
                _ if agreed(&SAVED, command) => Due::Nothing,
                _ => Due::Question,
            };
            let mut packet = Vec::new();
            put(&mut packet, command, &[&data]);
            (packet, due)
        };
        all.into_iter().map(packet).collect()
    }

    /// Holds what came back for a command to what is due.
    pub(crate) fn hear(&mut self, output: &[u8], due: Due) -> Result<(), String> {
        let answers = self.packets(output)?;
        match (due, &answers[..]) {
            (Due::Nothing | Due::Verdict, []) => Ok(()),
            (Due::Question, [(b'c', data)]) if data.is_empty() => Ok(()),
            _ => Err(format!("{due:?} was answered by {answers:?}")),
        }
    }

    /// Does what came back at the end of a message; gives the letter of the verdict.
    pub(crate) fn apply(
        &mut self,
        output: &[u8],
        message: &mut ServerMessage,
    ) -> Result<u8, String> {
        let answers = self.packets(output)?;
        let rank = |command: u8| b"pmihqb".iter().position(|letter| *letter == command);
        let mut body = None::<Vec<u8>>;
        let (mut at, mut last) = (0, usize::MAX);
        for (number, (command, data)) in answers.iter().enumerate() {
            let Some(place) = rank(*command) else {
                if number + 1 != answers.len() || !b"cartydfs4".contains(command) {
                    return Err(format!("{command} stands where edits and a verdict belong"));
                }
                if !data.is_empty() && *command != b'y' {
                    return Err("a verdict with words".into());
                }
                if let Some(body) = body {
                    message.body = body;
                }
                return Ok(*command);
            };
            if place < at {
                return Err(format!("{} comes too late", char::from(*command)));
            }
            at = place;
            let needs = [
                0,
                action::CHANGE_HEADERS,
                action::ADD_HEADERS,
                action::ADD_HEADERS,
                action::QUARANTINE,
                action::CHANGE_BODY,
            ];
            if self.actions & needs[place] != needs[place] {
                return Err(format!("{} was not granted", char::from(*command)));
            }
            match command {
                b'm' | b'i' => self.numbered(*command, data, &mut last, message)?,
                b'h' => {
                    let (name, value) = self.field(data)?;
                    message.fields.push((name, value));
                }
                b'b' => body.get_or_insert_default().extend_from_slice(data),
                _ => (),
            }
        }
        Err("no verdict".into())
    }

    fn numbered(
        &self,
        command: u8,
        data: &[u8],
        last: &mut usize,
        message: &mut ServerMessage,
    ) -> Result<(), String> {
        let (index, data) = data
            .split_first_chunk::<4>()
            .ok_or("an edit without index")?;
        let (index, (name, value)) = (u32::from_be_bytes(*index), self.field(data)?);
        if command == b'i' {
            message.fields.insert(0, (name, value));
            return if index == 0 {
                Ok(())
            } else {
                Err(format!("a field is put at {index}"))
            };
        }
        let named = |at: &usize| message.fields[*at].0.eq_ignore_ascii_case(&name);
        let nth = (index as usize)
            .checked_sub(1)
            .ok_or("fields are counted from 1")?;
        let at = (0..message.fields.len()).filter(named).nth(nth);
        let at = at.ok_or_else(|| format!("there is no {} {index}", name.escape_ascii()))?;
        // A server reads through all that was changed above.
        if at >= *last {
            return Err(format!(
                "{} {index} stands below a field that was changed before",
                name.escape_ascii()
            ));
        }
        *last = at;
        if data.ends_with(b"\0\0") {
            message.fields.remove(at);
        } else {
            message.fields[at].1 = value;
        }
        Ok(())
    }

    /// Name and value as this server keeps them.
    fn field(&self, data: &[u8]) -> Result<(Vec<u8>, Vec<u8>), String> {
        let strings: Vec<_> = data.split(|byte| *byte == 0).collect();
        let [name, value, b""] = strings[..] else {
            return Err(format!(
                "an edit of other than two strings: {}",
                data.escape_ascii()
            ));
        };
        let open = value.iter().enumerate().any(|(at, byte)| {
            *byte == b'\r' || (*byte == b'\n' && !matches!(value.get(at + 1), Some(b' ' | b'\t')))
        });
        if open || name.is_empty() {
            return Err(format!(
                "a field with an end inside: {}",
                data.escape_ascii()
            ));
        }
        let space: &[u8] = if self.protocol & protocol::LEADING_SPACE != 0 {
            b""
        } else {
            b" "
        };
        Ok((name.to_vec(), [space, value].concat()))
    }

    fn packets(&mut self, output: &[u8]) -> Result<Vec<(u8, Vec<u8>)>, String> {
        self.answers.push(output);
        let mut all = Vec::new();
        while let Some(packet) = self.answers.packet().map_err(|fault| fault.to_string())? {
            if packet.data.len() > LONGEST_DATA {
                return Err(format!("{} bytes of data", packet.data.len()));
            }
            all.push((packet.command, packet.data.to_vec()));
        }
        if self.answers.is_within_packet() {
            Err("half a packet".into())
        } else {
            Ok(all)
        }
    }
}

/// Feeds bytes in pieces; nothing may be answered before the last of them.
pub(crate) fn feed(
    session: &mut MilterSession,
    packet: &[u8],
    random: &mut Random,
    mut hear: impl FnMut(&mut MilterSession) -> Result<(), String>,
) -> Result<(), String> {
    let cuts = random.below(3);
    let mut rest = packet;
    for _ in 0..cuts {
        let (now, later) = rest.split_at(random.below(rest.len()));
        session.feed(now);
        hear(session)?;
        if !session.take_output().is_empty() {
            return Err("half a command was answered".into());
        }
        rest = later;
    }
    session.feed(rest);
    hear(session)
}
