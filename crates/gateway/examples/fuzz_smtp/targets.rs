//! What is fuzzed: how an input becomes a client and a next hop, and the laws that each run must keep.
//!
//! # Limits
//! A next hop that replies out of turn is believed where a session cannot know better.

use crate::client::{Blind, COMMANDS, ScriptedDialogue};
use crate::driver::{Act, Cut, Judge, SessionTrace, run};
use crate::laws;
use crate::next_hop::{Raw, Strict};
use mailglot_fuzz::{Random, fold, size};
use mailglot_gateway::proxy::{BareLines, Options, ProxySession, ProxyVerdict, Step};
use std::collections::VecDeque;

/// One thing to fuzz.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SmtpTarget {
    /// Any bytes of a client and of a next hop.
    Bytes,
    /// Dialogues of a grammar with a strict next hop.
    Talk,
}

/// Begins bytes of the client, bytes of the next hop, and the next connection of it.
const CLIENT: u8 = 0xFE;
const HOP: u8 = 0xFD;
const CONNECTION: u8 = 0xFC;
/// The server stops; the client is too slow.
const STOP: u8 = 0xFB;
const SLOW: u8 = 0xFA;

/// Bytes that the session may keep for a client beyond what was read at once: lines of the envelope, a reply, numbers.
const KEPT: usize = 6 * 4_096 + 70_000;

const REPLIES: [&[u8]; 20] = [
    b"\xfd220 hop ESMTP\r\n",
    b"\xfd250-hop\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 XFORWARD NAME ADDR\r\n",
    b"\xfd250 2.0.0 Ok\r\n",
    b"\xfd250-2.0.0 Ok\r\n250 2.0.0 Ok\r\n",
    b"\xfd354 go\r\n",
    b"\xfd451 4.0.0 Later\r\n",
    b"\xfd550 5.0.0 No\r\n",
    b"\xfd421 4.3.2 Closing\r\n",
    b"\xfd221 Bye\r\n",
    b"\xfd250 hop\r\n",
    b"\xfd250\r\n",
    b"\xfd250-a\r\n251 b\r\n",
    b"\xfd150 a\r\n",
    b"\xfdjunk\r\n",
    b"\xfc",
    b"\xfb",
    b"\xfa",
    b"\xfe",
    b"\xfeMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n",
    b"\xfeSubject: x\r\n\r\ntext\r\n.\r\n",
];

/// Operations of a dialogue: hello; a message with one and two recipients; its parts; QUIT; the judge; moods of the next hop.
const TALKS: [&[u8]; 16] = [
    b"\x00",
    b"\x01",
    b"\xe6",
    b"\xe7",
    b"\x02\x03\x04\x60",
    b"\x05",
    b"\x06",
    b"\xc2",
    b"\xc4",
    b"\xad\xa6",
    b"\xae\xa7",
    b"\xb2\xa4",
    b"\xb2\xa5",
    b"\xb2\xa1",
    b"\x72\x73\x74",
    b"\x60\x6a\x64",
];

impl mailglot_fuzz::Target for SmtpTarget {
    fn all() -> Vec<Self> {
        [Self::Bytes, Self::Talk].into()
    }

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn longest(self) -> usize {
        match self {
            Self::Bytes => 1_200,
            Self::Talk => 160,
        }
    }

    fn token(self, number: usize) -> &'static [u8] {
        match self {
            Self::Bytes if number.is_multiple_of(2) => REPLIES[number / 2 % REPLIES.len()],
            Self::Bytes => COMMANDS[number / 2 % COMMANDS.len()],
            Self::Talk => TALKS[number % TALKS.len()],
        }
    }

    fn seeds(self) -> Vec<Vec<u8>> {
        match self {
            Self::Bytes => {
                let hop = [0, 1, 2, 2, 4, 2, 2, 2, 4, 6]
                    .map(|at| REPLIES[at])
                    .concat();
                let dead = [0, 1, 2, 2, 4].map(|at| REPLIES[at]).concat();
                let both = [&hop[..], b"\xfc", &hop].concat();
                let mut seeds = Vec::new();
                for hello in [COMMANDS[0], COMMANDS[1]] {
                    let message = [REPLIES[18], &REPLIES[19][1..]].concat();
                    let client = [b"\0\xfe", hello, &message, &message, COMMANDS[5]].concat();
                    seeds.extend([&hop, &dead, &both].map(|hop| [&client[..], hop].concat()));
                }
                seeds
            }
            Self::Talk => TALKS
                .iter()
                .flat_map(|talk| {
                    [b"\0\0".as_slice(), b"\x01\x01"]
                        .map(|hello| [hello, talk, b"\xe6", talk, b"\xe7", talk, b"\x05"].concat())
                })
                .collect(),
        }
    }

    fn laws(self, input: &[u8], random: &mut Random) -> Result<u64, String> {
        let (first, rest) = input.split_first().unwrap_or((&0, &[]));
        let options = Options {
            lmtp: first & 1 != 0,
            bare_lines: if first & 2 != 0 {
                BareLines::Normalize
            } else {
                BareLines::Reject
            },
        };
        match self {
            Self::Bytes if random.below(4) == 0 => any_order(options, rest, random),
            Self::Bytes => in_order(options, rest, random),
            Self::Talk => talk(options, *first, rest, random),
        }
    }
}

/// Splits an input into what a client does and what a next hop says.
fn sides(input: &[u8]) -> (VecDeque<Act>, VecDeque<Vec<u8>>) {
    let (mut acts, mut hops) = (VecDeque::new(), VecDeque::from([Vec::new()]));
    let mut to_hop = false;
    for byte in input {
        match *byte {
            CLIENT => to_hop = false,
            HOP => to_hop = true,
            CONNECTION => hops.push_back(Vec::new()),
            STOP => acts.push_back(Act::Stop),
            SLOW => acts.push_back(Act::Slow),
            byte if to_hop => hops.back_mut().into_iter().for_each(|hop| hop.push(byte)),
            byte => match acts.back_mut() {
                Some(Act::Bytes(bytes)) => bytes.push(byte),
                _ => acts.push_back(Act::Bytes(vec![byte])),
            },
        }
    }
    (acts, hops)
}

fn some_cut(random: &mut Random) -> Cut {
    let size = |random: &mut Random| match random.below(4) {
        0 => usize::MAX,
        1 => 1,
        _ => 1 + random.below(60),
    };
    Cut {
        client: size(random),
        hop: size(random),
        measures: false,
    }
}

/// Runs given bytes as the proxy's connection would.
fn in_order(options: Options, input: &[u8], random: &mut Random) -> Result<u64, String> {
    let (mut acts, mut connections) = sides(input);
    let judges: Vec<Judge> = (0..8)
        .map(|_| Judge::ALL[random.below(Judge::ALL.len())])
        .collect();
    let mut cut = some_cut(random);
    if random.below(16) == 0 {
        // Much of the same: nothing may pile up.
        cut = Cut {
            client: 2_048,
            hop: 2_048,
            measures: true,
        };
        let bytes: Vec<u8> = acts
            .drain(..)
            .flat_map(|act| {
                if let Act::Bytes(bytes) = act {
                    bytes
                } else {
                    Vec::new()
                }
            })
            .collect();
        acts.push_back(Act::Bytes(bytes.repeat(20_000 / bytes.len().max(1))));
        for hop in &mut connections {
            *hop = hop.repeat(20_000 / hop.len().max(1));
        }
    }
    let mut hop = Raw::new(connections);
    let trace = run(options, &mut Blind(acts), &mut hop, &judges, cut)?;
    let most = cut.client.saturating_add(cut.hop).saturating_mul(4);
    if cut.measures && trace.kept > most.saturating_add(KEPT) {
        return Err(format!("the session keeps {} bytes", trace.kept));
    }
    let dialogue = laws::client_side(&trace)?;
    laws::raw_side(&trace, &dialogue, &hop)?;
    Ok(signature(&trace))
}

/// Calls the session in any order; nothing may panic, and it ends when the client has gone.
fn any_order(options: Options, input: &[u8], random: &mut Random) -> Result<u64, String> {
    let (acts, hops) = sides(input);
    let client: Vec<u8> = acts
        .into_iter()
        .flat_map(|act| {
            if let Act::Bytes(bytes) = act {
                bytes
            } else {
                Vec::new()
            }
        })
        .collect();
    let said = Vec::from(hops).concat();
    let (mut from_client, mut from_hop) = (&client[..], &said[..]);
    let (mut session, mut commands) = (ProxySession::new(options), Vec::new());
    let mut kinds = 0;
    for _ in 0..4 * (client.len() + said.len()) + 20 {
        let step = session.step();
        kinds = fold(kinds, format!("{step:?}").as_bytes());
        commands.extend(session.take_hop());
        session.take_client();
        session.take_text();
        let count = 1 + random.below(40);
        match (random.below(60), step) {
            (0, _) => session.hop_lost(),
            (1, _) => session.connected(),
            (2, _) => session.decide(ProxyVerdict::Deliver),
            (3, _) => session.decide(ProxyVerdict::Refuse(451, "4.0.0 Later")),
            (4, _) => session.sent(),
            (5, _) if random.below(8) == 0 => session.stop(),
            (6, _) if random.below(8) == 0 => session.client_slow(),
            (7..12, _) | (_, Step::Client) if !from_client.is_empty() => {
                let (piece, rest) = from_client.split_at(count.min(from_client.len()));
                session.client(piece);
                from_client = rest;
            }
            (12..16, _) | (_, Step::Hop) if !from_hop.is_empty() => {
                let (piece, rest) = from_hop.split_at(count.min(from_hop.len()));
                session.hop(piece);
                from_hop = rest;
            }
            (_, Step::Connect) => session.connected(),
            (_, Step::Judge) => session.decide(ProxyVerdict::Deliver),
            (_, Step::Send) => session.sent(),
            (_, Step::Hop) => session.hop_lost(),
            (_, Step::Client) => session.client_gone(),
            (_, Step::Close) => break,
        }
    }
    session.client_gone();
    if session.step() != Step::Close {
        return Err("the session goes on without a client".into());
    }
    commands.extend(session.take_hop());
    laws::raw_commands(&commands, &client)?;
    Ok(kinds)
}

/// Runs a dialogue with a strict next hop, at several cuts.
fn talk(options: Options, first: u8, input: &[u8], random: &mut Random) -> Result<u64, String> {
    let dialogue = ScriptedDialogue::read(input, first & 4 == 0);
    let mut extensions = vec![
        "SIZE 100000",
        "CHUNKING",
        "STARTTLS",
        "BINARYMIME",
        "XCLIENT NAME",
    ];
    for (bit, name) in [
        (8, "PIPELINING"),
        (16, "8BITMIME"),
        (32, "XFORWARD NAME ADDR IDENT"),
    ] {
        // An input of zeros has them all.
        if first & bit == 0 {
            extensions.push(name);
        }
    }
    let talked = |cut: Cut| -> Result<(SessionTrace, bool), String> {
        let mut client = dialogue.clone();
        let mut hop = Strict::new(options.lmtp, &extensions);
        hop.moods.clone_from(&dialogue.moods);
        hop.greetings.clone_from(&dialogue.greetings);
        hop.answers_one_by_one = cut.hop == usize::MAX && !extensions.contains(&"PIPELINING");
        let show = |fault: String, trace: &SessionTrace, hop: &Strict| {
            let lines: Vec<String> = hop
                .log
                .iter()
                .map(|logged| format!("{} {}", logged.connection, logged.line.escape_ascii()))
                .collect();
            let (fed, heard) = (trace.fed.escape_ascii(), trace.heard.escape_ascii());
            format!(
                "{fault}\n{cut:?} {options:?}\nsent: {fed}\nheard: {heard}\nnext hop: {lines:?}"
            )
        };
        let trace = run(options, &mut client, &mut hop, &dialogue.judges, cut)?;
        laws::client_side(&trace)
            .and_then(|dialogue| laws::strict_side(&trace, &dialogue, &hop))
            .map_err(|fault| show(fault, &trace, &hop))?;
        Ok((trace, hop.connections < 2))
    };
    let (whole, at_once) = talked(Cut::WHOLE)?;
    let single = Cut {
        client: 1,
        hop: 1,
        measures: false,
    };
    for cut in [single, some_cut(random), some_cut(random)] {
        let (other, also_at_once) = talked(cut)?;
        // A second connection gets again what was not answered, and that depends on the cut.
        let comparable = dialogue.is_regular() && at_once && also_at_once;
        if comparable && other.heard != whole.heard {
            let (one, two) = (whole.heard.escape_ascii(), other.heard.escape_ascii());
            return Err(format!("{cut:?}: heard {two}\nnot {one}"));
        }
    }
    Ok(signature(&whole))
}

/// The kinds of replies, of judgements, and of the end.
fn signature(trace: &SessionTrace) -> u64 {
    let codes = trace
        .heard
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.get(..5));
    let hash = codes.take(24).fold(0, fold);
    let kinds = trace.judged.iter().take(4).map(|judged| {
        let sent = judged.sent.is_some();
        let length = size(judged.text.len() as u64);
        (
            judged.unacceptable,
            judged.line_ends_corrected,
            sent,
            length,
            judged.sender.len() > 2,
        )
    });
    let kinds = format!(
        "{:?}{:?}{}",
        kinds.collect::<Vec<_>>(),
        trace.end,
        trace.stopped
    );
    fold(hash, kinds.as_bytes())
}
