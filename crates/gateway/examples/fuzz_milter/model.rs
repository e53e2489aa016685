//! What a filter must make of bytes, said a second time: over all of them at once, by a table of commands.
//!
//! # Limits
//! Faults are compared by name.

use mailglot_gateway::milter::{Event, Peer, Wants, protocol};

/// What bytes of a server lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProtocolTrace {
    /// Events, one a line.
    pub(crate) events: Vec<String>,
    /// Letters of the packets that go back; of a negotiation its three numbers too.
    pub(crate) answers: Vec<String>,
    /// Name of what ended it.
    pub(crate) fault: Option<&'static str>,
}

/// How commands look: letter, strings that must be there, the bits that save their answer.
const COMMANDS: [(u8, usize, Option<u32>); 10] = [
    (b'H', 1, Some(protocol::NO_REPLY_HELO)),
    (b'M', 1, Some(protocol::NO_REPLY_MAIL)),
    (b'R', 1, Some(protocol::NO_REPLY_RECIPIENT)),
    (b'T', 0, Some(protocol::NO_REPLY_DATA)),
    (b'L', 2, Some(protocol::NO_REPLY_HEADER)),
    (b'N', 0, Some(protocol::NO_REPLY_END_OF_HEADERS)),
    (b'B', 0, Some(protocol::NO_REPLY_BODY)),
    (b'U', 1, Some(protocol::NO_REPLY_UNKNOWN)),
    (b'A', 0, None),
    (b'Q', 0, None),
];

/// The letters of verdicts, one message after the other.
pub(crate) const VERDICTS: [u8; 5] = *b"carty";

/// What must come of a stream.
pub(crate) fn expected(stream: &[u8], wants: &Wants, refuses: bool) -> ProtocolTrace {
    let mut trace = ProtocolTrace::default();
    trace.fault = follow(
        stream,
        wants,
        refuses,
        &mut trace.events,
        &mut trace.answers,
    )
    .err();
    trace
}

fn follow(
    stream: &[u8],
    wants: &Wants,
    refuses: bool,
    events: &mut Vec<String>,
    answers: &mut Vec<String>,
) -> Result<(), &'static str> {
    let (mut rest, mut agreed, mut may_agree, mut messages) = (stream, 0, true, 0);
    let mut begun = false;
    while rest.len() >= 4 {
        let length = rest[..4]
            .iter()
            .fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        if length == 0 {
            return Err("packet-empty");
        }
        if length > 1_048_577 {
            return Err("packet-too-long");
        }
        if rest.len() - 4 < length {
            break;
        }
        let (letter, data) = (rest[4], &rest[5..4 + length]);
        rest = &rest[4 + length..];
        if letter == b'O' && may_agree {
            let numbers = data.chunks_exact(4).take(3);
            let numbers: Vec<u32> = numbers
                .map(|four| four.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
                .collect();
            let [version, actions, bits] = numbers[..] else {
                return Err("optneg-short");
            };
            if version < 2 {
                return Err("optneg-version");
            }
            agreed = bits & wants.protocol;
            let all = format!(
                "O {} {:x} {agreed:x}",
                version.min(6),
                actions & wants.actions
            );
            events.push(all.clone());
            answers.push(all);
            (may_agree, begun) = (false, true);
            continue;
        }
        if !begun {
            return Err("not-negotiated");
        }
        may_agree = letter == b'K';
        let strings = strings(data);
        let answer = match letter {
            b'O' => return Err("negotiated-twice"),
            b'K' => None,
            b'D' => {
                let (of, data) = data
                    .split_first()
                    .map_or((0, data), |(of, data)| (*of, data));
                let pairs = crate::model::strings(data);
                let pairs = &pairs[..pairs.len() / 2 * 2];
                events.push(line(b'D', &[&[&[of][..]], pairs].concat()));
                continue;
            }
            b'C' => {
                let (Some(host), at) = (strings.first(), data.iter().position(|byte| *byte == 0))
                else {
                    return Err("string-without-end");
                };
                let peer = peer(&data[at.unwrap_or_default() + 1..]).ok_or("connect-data")?;
                events.push(line(b'C', &[host, peer.as_bytes()]));
                answers
                    .extend((agreed & protocol::NO_REPLY_CONNECT == 0).then(|| question(refuses)));
                continue;
            }
            b'E' => {
                events.push(line(b'E', &[data]));
                answers.push(char::from(VERDICTS[messages % VERDICTS.len()]).to_string());
                messages += 1;
                continue;
            }
            _ => {
                let (_, needed, saves) = COMMANDS
                    .iter()
                    .find(|row| row.0 == letter)
                    .ok_or("unknown-command")?;
                if strings.len() < *needed {
                    return Err("string-without-end");
                }
                *saves
            }
        };
        let told = match letter {
            b'B' => vec![data],
            b'M' | b'R' => strings,
            b'L' => strings[..2].to_vec(),
            b'H' | b'U' => strings[..1].to_vec(),
            _ => Vec::new(),
        };
        events.push(line(letter, &told));
        answers.extend(
            answer
                .filter(|bit| agreed & bit == 0)
                .map(|_| question(refuses)),
        );
    }
    Ok(())
}

fn question(refuses: bool) -> String {
    if refuses { "t" } else { "c" }.to_owned()
}

/// Strings with their ends; what has none is left out.
fn strings(data: &[u8]) -> Vec<&[u8]> {
    let mut all: Vec<_> = data.split(|byte| *byte == 0).collect();
    all.pop();
    all
}

fn peer(data: &[u8]) -> Option<String> {
    match data {
        [b'U', ..] => Some("unknown".to_owned()),
        [family @ (b'L' | b'4' | b'6'), high, low, rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == 0)?;
            let port = if *family == b'L' {
                0
            } else {
                u32::from(*high) * 256 + u32::from(*low)
            };
            Some(format!("{} {port}", rest[..end].escape_ascii()))
        }
        _ => None,
    }
}

fn line(letter: u8, words: &[&[u8]]) -> String {
    words
        .iter()
        .fold(char::from(letter).to_string(), |line, word| {
            format!("{line} [{}]", word.escape_ascii())
        })
}

/// An event as a line.
pub(crate) fn told(event: &Event<'_>) -> String {
    match event {
        Event::Negotiated(granted) => {
            format!(
                "O {} {:x} {:x}",
                granted.version, granted.actions, granted.protocol
            )
        }
        Event::Connect { host, peer } => {
            let peer = match peer {
                Peer::Unknown => "unknown".to_owned(),
                Peer::Local(path) => format!("{} 0", path.escape_ascii()),
                Peer::Inet(address, port) => format!("{} {port}", address.escape_ascii()),
            };
            line(b'C', &[host, peer.as_bytes()])
        }
        Event::Helo(name) => line(b'H', &[name]),
        Event::Mail(sender, more) => line(
            b'M',
            &[sender]
                .into_iter()
                .copied()
                .chain(more.clone())
                .collect::<Vec<_>>(),
        ),
        Event::Recipient(to, more) => line(
            b'R',
            &[to]
                .into_iter()
                .copied()
                .chain(more.clone())
                .collect::<Vec<_>>(),
        ),
        Event::Data => line(b'T', &[]),
        Event::Header(name, value) => line(b'L', &[name, value]),
        Event::EndOfHeaders => line(b'N', &[]),
        Event::Body(piece) => line(b'B', &[piece]),
        Event::EndOfMessage(piece) => line(b'E', &[piece]),
        Event::Abort => line(b'A', &[]),
        Event::Macros(of, pairs) => {
            let pairs = pairs.clone().flat_map(|(name, value)| [name, value]);
            let all: Vec<Vec<u8>> = [vec![*of]]
                .into_iter()
                .chain(pairs.map(<[u8]>::to_vec))
                .collect();
            line(b'D', &all.iter().map(Vec::as_slice).collect::<Vec<_>>())
        }
        Event::Unknown(text) => line(b'U', &[text]),
        Event::NewClient => line(b'K', &[]),
        Event::Quit => line(b'Q', &[]),
    }
}
