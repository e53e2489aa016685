//! What is fuzzed, and the laws that each input must keep.
//!
//! # Limits
//! Messages in `talk` are those that a server can tell: fields with NUL are left out.

use crate::model::{self, ProtocolTrace, VERDICTS};
use crate::server::{Due, ServerMessage, ServerSide, feed};
use mailglot_fuzz::{Random, fold, lines, size, unescaped};
use mailglot_gateway::MessageBuilder;
use mailglot_gateway::milter::{
    Actions, Event, Incoming, MilterSession, ReplyText, Verdict, Wants, action, protocol, put,
};
use mailglot_mime::{Policy, Transfer, process};

/// One thing to fuzz.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MilterTarget {
    /// Any bytes of a server, at every split, beside a second reading of them.
    Wire,
    /// A message through a server that holds us to the protocol.
    Talk,
}

/// What a server says, and what it never would.
const PACKETS: [&[u8]; 24] = [
    b"\0\0\0\x0dO\0\0\0\x06\0\0\x01\xff\0\x1f\xff\xff",
    b"\0\0\0\x0dO\0\0\0\x02\0\0\0\x3f\0\0\0\x7f",
    b"\0\0\0\x0dO\0\0\0\x01\0\0\0\x3f\0\0\0\x7f",
    b"\0\0\0\x0cO\0\0\0\x06\0\0\x01\xff\0\x1f\xff",
    b"\0\0\0\x17Cmx.example\x004\x04\xd2192.0.2.1\0",
    b"\0\0\0\x04Ca\0U",
    b"\0\0\0\x0bCa\0L\0\0/sock\0",
    b"\0\0\0\x05Ca\x006\0",
    b"\0\0\0\x04Ha.\0",
    b"\0\0\0\x0bM<a@b>\0X=1\0",
    b"\0\0\0\x07R<a@b>\0",
    b"\0\0\0\x08DMi\x004F2\0",
    b"\0\0\0\x01D",
    b"\0\0\0\x01T",
    b"\0\0\0\x0eLSubject\0 a\n b\0",
    b"\0\0\0\x01N",
    b"\0\0\0\x06Bab\r\n\0",
    b"\0\0\0\x01E",
    b"\0\0\0\x04Eend",
    b"\0\0\0\x01A",
    b"\0\0\0\x01K",
    b"\0\0\0\x01Q",
    b"\0\0\0\0",
    b"\0\x10\0\x02B",
];

/// What parsers of messages trip over.
const TOKENS: [&[u8]; 32] = [
    b"\0",
    b"\r",
    b"\n",
    b"\r\n",
    b"\n ",
    b"\r\n\t",
    b"\n\n",
    b" ",
    b":",
    b";",
    b"\"",
    b"=?",
    b"?=",
    b"--",
    b"=\n",
    b"\xff",
    b"\xc3\xbc",
    b"=?utf-8?Q?=C3=BC?=",
    b"=?koi8-r?B?8NLJ18XU?=",
    b"=?iso-2022-jp?B?GyRCRnwbKEI=?=",
    b"Subject: ",
    b"SUBJECT:",
    b"subject :",
    b"\nX: =?koi8-r?Q?=C1?=\n",
    b"charset=",
    b"boundary=b",
    b"\n--b\n",
    b"\n--b--\n",
    b"Content-Type: text/plain; charset=koi8-r\n",
    b"Content-Type: multipart/mixed; boundary=b\n\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
];

impl mailglot_fuzz::Target for MilterTarget {
    fn all() -> Vec<Self> {
        [Self::Wire, Self::Talk].into()
    }

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn longest(self) -> usize {
        match self {
            Self::Wire => 300,
            Self::Talk => 1_500,
        }
    }

    fn token(self, number: usize) -> &'static [u8] {
        match self {
            Self::Wire => PACKETS[number % PACKETS.len()],
            Self::Talk => TOKENS[number % TOKENS.len()],
        }
    }

    fn seeds(self) -> Vec<Vec<u8>> {
        match self {
            Self::Wire => {
                let whole = [
                    0, 4, 8, 11, 9, 10, 13, 14, 15, 16, 18, 19, 9, 14, 17, 20, 1, 9, 17, 21,
                ];
                let whole = whole.map(|at| PACKETS[at]).concat();
                PACKETS
                    .iter()
                    .map(|packet| [PACKETS[0], packet].concat())
                    .chain([whole])
                    .collect()
            }
            Self::Talk => {
                let text = include_str!("../../../../tests/seeds/messages.txt");
                lines(text).map(unescaped).collect()
            }
        }
    }

    fn laws(self, input: &[u8], random: &mut Random) -> Result<u64, String> {
        match self {
            // With lengths as they are; and with lengths that fit, to come deeper.
            Self::Wire if random.below(2) == 0 => wire(input, random),
            Self::Wire => wire(&framed(input), random),
            Self::Talk => talk(input, random),
        }
    }
}

/// Makes each line of the input a packet.
fn framed(input: &[u8]) -> Vec<u8> {
    let mut stream = PACKETS[0].to_vec();
    for line in input.split(|byte| *byte == 0xFE) {
        if let Some((command, data)) = line.split_first() {
            // Mostly a command that there is: any letter stands for one.
            let letters = b"CDHMRTLNBEAKQUO";
            let command = if *command < 0xC0 {
                letters[*command as usize % letters.len()]
            } else {
                *command
            };
            put(&mut stream, command, &[data]);
        }
    }
    stream
}

fn wire(stream: &[u8], random: &mut Random) -> Result<u64, String> {
    let refuses = random.below(8) == 0;
    let mut wants = Wants::default();
    if refuses {
        wants.protocol &= !(protocol::NO_CONNECT | protocol::NO_REPLY_CONNECT);
    } else if random.below(2) == 0 {
        wants.protocol = random.next() as u32;
        wants.actions = random.next() as u32;
    }
    let session = || {
        if refuses {
            MilterSession::refusing()
        } else {
            MilterSession::with_wants(wants.clone())
        }
    };
    let expected = model::expected(stream, &wants, refuses);
    let same = |got: ProtocolTrace, how: &str| {
        if got == expected {
            Ok(())
        } else {
            Err(format!("{how}: {got:?}\nnot {expected:?}"))
        }
    };
    same(heard(session(), [stream])?, "whole")?;
    same(heard(session(), stream.chunks(1))?, "byte by byte")?;
    for at in 0..=stream.len() {
        same(
            heard(session(), [&stream[..at], &stream[at..]])?,
            &format!("cut at {at}"),
        )?;
    }
    let some = 1 + random.below(9);
    same(
        heard(session(), stream.chunks(some))?,
        &format!("pieces of {some}"),
    )?;
    let kinds: String = expected
        .events
        .iter()
        .take(8)
        .map(|line| &line[..1])
        .collect();
    Ok(fold(
        size(expected.events.len() as u64),
        format!("{kinds}{:?}", expected.fault).as_bytes(),
    ))
}

/// What a session makes of pieces, message by message with another verdict.
fn heard<'a>(
    mut session: MilterSession,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<ProtocolTrace, String> {
    let (mut trace, mut output, mut messages) = (ProtocolTrace::default(), Vec::new(), 0);
    'all: for piece in pieces {
        session.feed(piece);
        loop {
            if session.owes_verdict() {
                let verdict = verdict(VERDICTS[messages % VERDICTS.len()])?;
                session
                    .decide(&Actions::default(), &verdict)
                    .map_err(|refusal| refusal.to_string())?;
                messages += 1;
            }
            if session
                .decide(&Actions::default(), &Verdict::Accept)
                .is_ok()
            {
                return Err("a verdict before the end of the message".into());
            }
            match session.event() {
                Ok(Some(event)) => trace.events.push(model::told(&event)),
                Ok(None) => break,
                Err(fault) => {
                    trace.fault = Some(fault.kind());
                    break 'all;
                }
            }
        }
        output.append(&mut session.take_output());
    }
    output.append(&mut session.take_output());
    let mut answers = Incoming::default();
    answers.push(&output);
    while let Some(packet) = answers.packet().map_err(|fault| fault.to_string())? {
        let numbers = || {
            packet.data.chunks_exact(4).map(|n| {
                n.iter()
                    .fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte))
            })
        };
        let n: Vec<u32> = numbers().take(3).collect();
        trace.answers.push(match (packet.command, &n[..]) {
            (b'O', [version, actions, bits]) => format!("O {version} {actions:x} {bits:x}"),
            (letter, _) => char::from(letter).to_string(),
        });
    }
    Ok(trace)
}

fn verdict(letter: u8) -> Result<Verdict, String> {
    Ok(match letter {
        b'c' => Verdict::Continue,
        b'a' => Verdict::Accept,
        b'r' => Verdict::Reject,
        b't' => Verdict::Tempfail,
        _ => {
            Verdict::Reply(ReplyText::new(550, (5, 6, 0), "no").ok_or("a reply that is not valid")?)
        }
    })
}

fn talk(raw: &[u8], random: &mut Random) -> Result<u64, String> {
    let (mut server, mut session) = (ServerSide::default(), MilterSession::new());
    let (offer, packet) = ServerSide::offer(random);
    feed(&mut session, &packet, random, |session| {
        session.event().map(drop).map_err(|fault| fault.to_string())
    })?;
    server.agree(offer, &session.take_output())?;
    let policy = Policy::default()
        .keep_signed(random.below(2) == 0)
        .transfer(if random.below(2) == 0 {
            Transfer::SevenBit
        } else {
            Transfer::default()
        });
    let mut signature = 0;
    for _ in 0..=random.below(2) {
        let mut message = ServerMessage::of(raw);
        let before = message.bytes();
        let mut received = None;
        for (packet, due) in server.tell(&message, random) {
            feed(&mut session, &packet, random, |session| {
                listen(session, &mut received)
            })?;
            if due == Due::Verdict && !session.owes_verdict() {
                return Err("the end of a message was not heard".into());
            }
            server.hear(&session.take_output(), due)?;
        }
        signature ^= decide(
            &mut session,
            &mut server,
            received,
            &mut message,
            &policy,
            (&before, random),
        )?;
        if random.below(2) == 0 {
            feed(&mut session, b"\0\0\0\x01A", random, |session| {
                listen(session, &mut None)
            })?;
            server.hear(&session.take_output(), Due::Nothing)?;
        }
    }
    Ok(signature)
}

/// Collects the message as a driver does.
fn listen(session: &mut MilterSession, message: &mut Option<MessageBuilder>) -> Result<(), String> {
    let leads = session
        .granted()
        .is_some_and(|granted| granted.has(protocol::LEADING_SPACE));
    let new = || MessageBuilder::new(leads, u64::MAX, std::env::temp_dir());
    while let Some(event) = session.event().map_err(|fault| fault.to_string())? {
        match event {
            Event::Mail(..) | Event::Abort => *message = None,
            Event::Header(name, value) => message.get_or_insert_with(new).field(name, value),
            Event::Body(piece) | Event::EndOfMessage(piece) => {
                message.get_or_insert_with(new).body(piece);
            }
            _ => (),
        }
    }
    Ok(())
}

/// Gives the edits of a message to the server, and compares what it makes of them with what was planned.
fn decide(
    session: &mut MilterSession,
    server: &mut ServerSide,
    received: Option<MessageBuilder>,
    message: &mut ServerMessage,
    policy: &Policy,
    (before, random): (&[u8], &mut Random),
) -> Result<u64, String> {
    let complete = received
        .ok_or("no message came")?
        .complete()
        .map_err(|error| error.to_string())?;
    let leads = server.protocol & protocol::LEADING_SPACE != 0;
    if leads && complete.raw() != before {
        return Err("another message came than was told".into());
    }
    let outcome = process(complete.raw(), policy);
    let odd = message
        .fields
        .iter()
        .any(|(_, value)| value.contains(&b'\r'));
    let actions = complete
        .actions(&outcome.edits)
        .map_err(|why| why.to_string())?;
    for _ in 0..random.below(3) {
        session.progress();
    }
    let letter = VERDICTS[random.below(VERDICTS.len())];
    let needs = [
        (!actions.changes.is_empty(), action::CHANGE_HEADERS),
        (
            !actions.appended.is_empty() || !actions.inserted.is_empty(),
            action::ADD_HEADERS,
        ),
        (actions.body.is_some(), action::CHANGE_BODY),
    ];
    let granted = needs
        .iter()
        .all(|(used, bit)| !used || server.actions & bit != 0);
    let edits = letter == b'c' || letter == b'a';
    match session.decide(&actions, &verdict(letter)?) {
        Ok(()) if !edits || granted => (),
        Ok(()) => return Err("edits that were not granted were written".into()),
        Err(refusal) if granted || !edits => return Err(refusal.to_string()),
        Err(_) => {
            session
                .decide(&Actions::default(), &verdict(letter)?)
                .map_err(|refusal| refusal.to_string())?;
        }
    }
    let told = server.apply(&session.take_output(), message)?;
    if told != letter {
        return Err(format!(
            "{} became {}",
            char::from(letter),
            char::from(told)
        ));
    }
    let done = edits && granted;
    let want = if done { &outcome.bytes[..] } else { before };
    if odd && done {
        let (mut was, mut planned) = (ServerMessage::of(before), ServerMessage::of(want));
        // The last line may end with CR, which is no end of a line there.
        (was.body, planned.body) = (body(before).to_vec(), body(want).to_vec());
        let kinds = odd_fields(message, &was, &planned)?;
        return Ok(fold(kinds, format!("odd{letter}").as_bytes()));
    }
    // The space behind a colon is the server's own where it was not agreed on.
    let squeezed = |bytes: &[u8]| {
        bytes
            .iter()
            .copied()
            .filter(|byte| leads || *byte != b' ')
            .collect::<Vec<_>>()
    };
    if squeezed(&message.bytes()) != squeezed(want) {
        return Err(format!(
            "the server has {}\nnot {}",
            message.bytes().escape_ascii(),
            want.escape_ascii()
        ));
    }
    let kinds = (
        size(actions.changes.len() as u64),
        actions.appended.len(),
        actions.body.is_some(),
        granted,
    );
    Ok(fold(
        size(outcome.report.events.len() as u64),
        format!("{kinds:?}{letter}").as_bytes(),
    ))
}

/// What stands behind the header.
fn body(raw: &[u8]) -> &[u8] {
    let end = raw
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .map_or(raw.len(), |at| at + 4);
    raw.strip_prefix(b"\r\n").unwrap_or(&raw[end..])
}

/// A field with a CR cannot go back, so it stays. With it, the body and all fields that tell how the body is read stay. Or the whole
/// message stays.
fn odd_fields(
    message: &ServerMessage,
    before: &ServerMessage,
    want: &ServerMessage,
) -> Result<u64, String> {
    if message == before {
        return Ok(0);
    }
    let same = |one: &[u8], other: &[u8]| {
        one.iter()
            .filter(|byte| **byte != b' ')
            .eq(other.iter().filter(|byte| **byte != b' '))
    };
    let has = |held: &ServerMessage, (name, value): &(Vec<u8>, Vec<u8>)| {
        held.fields
            .iter()
            .any(|field| field.0 == *name && same(&field.1, value))
    };
    let odd: Vec<_> = message
        .fields
        .iter()
        .filter(|(_, value)| value.contains(&b'\r'))
        .collect();
    if let Some((name, value)) = odd.iter().find(|field| !has(before, field)) {
        return Err(format!(
            "{}:{} did not stay",
            name.escape_ascii(),
            value.escape_ascii()
        ));
    }
    let tells = |name: &[u8]| {
        let name = name.to_ascii_lowercase();
        name.starts_with(b"content-") || name.starts_with(b"mime-version")
    };
    let stale = odd.iter().any(|field| tells(&field.0) && !has(want, field));
    let body = if stale { &before.body } else { &want.body };
    if message.body != *body {
        return Err(format!(
            "the body is {}\nnot {}",
            message.body.escape_ascii(),
            body.escape_ascii()
        ));
    }
    Ok(size(odd.len() as u64) + u64::from(stale))
}
