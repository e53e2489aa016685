//! Clients: one that sends given bytes, and one that speaks a grammar and reads replies.
//!
//! # Limits
//! A client that reads replies waits for them only behind DATA, as RFC 2920 allows.

use crate::driver::{Act, FuzzClient, Judge};
use crate::next_hop::Mood;
use std::collections::VecDeque;

/// A client that does what it was given, whatever it hears.
#[derive(Debug)]
pub(crate) struct Blind(pub(crate) VecDeque<Act>);

impl FuzzClient for Blind {
    fn act(&mut self, _: &[u8]) -> Act {
        self.0.pop_front().unwrap_or(Act::Gone)
    }
}

/// A line that is longer than RFC 5321 and its extensions allow. What stands behind the limit looks like a command.
static LONG: [u8; 4_102] = {
    let mut line = [b'a'; 4_102];
    let (verb, end) = (*b"NOOP ", *b"QUIT\r\n");
    let mut at = 0;
    while at < verb.len() {
        line[at] = verb[at];
        at += 1;
    }
    at = 0;
    while at < end.len() {
        line[4_096 + at] = end[at];
        at += 1;
    }
    line
};

/// Command lines; some are no commands, and some are no lines.
pub(crate) static COMMANDS: [&[u8]; 48] = [
    b"EHLO client.invalid\r\n",
    b"LHLO client.invalid\r\n",
    b"MAIL FROM:<a@b.invalid>\r\n",
    b"RCPT TO:<c@d.invalid>\r\n",
    b"DATA\r\n",
    b"QUIT\r\n",
    b"RSET\r\n",
    b"NOOP\r\n",
    b"HELO client.invalid\r\n",
    b"MAIL FROM:<> BODY=8BITMIME SMTPUTF8 SIZE=100\r\n",
    b"RCPT TO:<e@d.invalid> NOTIFY=NEVER\r\n",
    b"RCPT TO:<f@d.invalid>\r\n",
    b"XFORWARD NAME=a ADDR=192.0.2.1 IDENT=q1\r\n",
    b"XCLIENT NAME=a ADDR=192.0.2.1\r\n",
    b"STARTTLS\r\n",
    b"AUTH PLAIN AAAA\r\n",
    b"BDAT 30\r\nMAIL FROM:<x@b.invalid>\r\n",
    b"BDAT 0 LAST\r\n",
    b"VRFY c\r\n",
    b"HELP\r\n",
    b"EXPN list\r\n",
    b"ETRN d.invalid\r\n",
    b"MAIL FROM:<a@b.invalid> BODY=BINARYMIME\r\n",
    b"MAIL FROM: <g@b.invalid>\r\n",
    b"mail from:<\"> \"@b.invalid>\r\n",
    b"RCPT TO:c@d.invalid\r\n",
    b"RCPT TO:<\"a\\\"> b\"@d.invalid>\r\n",
    b"data\r\n",
    b"DATA \r\n",
    b"DATA now\r\n",
    b"rset\r\n",
    b"NOOP DATA\r\n",
    b"\r\n",
    b"\n",
    b"RCPT TO:<h@d.invalid>\n",
    b"RCPT TO:<i@d.invalid>\rRSET\r\n",
    b"RCPT TO:<j@d.invalid>\0\r\n",
    b"MAIL FROM:<k@b.invalid>\nDATA\n",
    b"DATA\n",
    b"DATA\r\r\n",
    b" DATA\r\n",
    b"DATA\t\r\n",
    b"JUNK\r\n",
    b"Subject: x\r\n",
    b".\r\n",
    &LONG,
    b"RCPT TO:<\xc3\xa4@d.invalid>\r\n",
    b"MAIL\r\n",
];

/// Pieces of content.
pub(crate) const CONTENT: [&[u8]; 32] = [
    b"Subject: x\r\n\r\ntext\r\n",
    b"text\r\n",
    b"text",
    b"\r\n",
    b".",
    b"..",
    b"..\r\n",
    b".text\r\n",
    b"...\r\n",
    b"\r\n.",
    b"\n",
    b"\r",
    b"\n.\n",
    b"\n.\r\n",
    b"\r.\r",
    b"\r.\r\n",
    b"\r\n.\n",
    b"\r\n.\r",
    b"\r\n.\r\r\n",
    b"\r\r\n.\r\n",
    b"\n.\nMAIL FROM:<smuggled@b.invalid>\nRCPT TO:<c@d.invalid>\nDATA\nx\n.\n",
    b"\r\n.\nMAIL FROM:<smuggled@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nx\r\n.\r\n",
    b"\n.\r\nMAIL FROM:<smuggled@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nx\r\n.\r\n",
    b"\r\n.\r\n",
    b"\r\n.\r\nRSET\r\n",
    b"MAIL FROM:<in@b.invalid>\r\nRCPT TO:<in@d.invalid>\r\nDATA\r\n",
    b"QUIT\r\n",
    b"\0",
    b"\xff\xfe\r\n",
    b"\r\r\r",
    b".\r\n..\r\n",
    b"\r\n\r\n",
];

#[derive(Clone, Copy, Debug)]
enum Op {
    Command(&'static [u8]),
    Content(&'static [u8]),
    Stop,
    Slow,
}

/// A dialogue, read from bytes: each byte is one operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptedDialogue {
    ops: VecDeque<Op>,
    pub(crate) moods: VecDeque<Mood>,
    pub(crate) greetings: VecDeque<Mood>,
    pub(crate) judges: Vec<Judge>,
    /// False if the client sends content even if DATA was refused.
    polite: bool,
    waits: bool,
    in_content: bool,
    /// The last byte that was sent.
    last: u8,
}

impl ScriptedDialogue {
    pub(crate) fn read(bytes: &[u8], polite: bool) -> Self {
        let mut new = Self {
            polite,
            ..Self::default()
        };
        for byte in bytes {
            let at = *byte as usize;
            match byte {
                0..0x60 => new
                    .ops
                    .push_back(Op::Command(COMMANDS[at % COMMANDS.len()])),
                0x60..0xA0 => new.ops.push_back(Op::Content(CONTENT[at % CONTENT.len()])),
                0xA0..0xAD => new.moods.push_back(Mood::ALL[at - 0xA0]),
                0xAD..0xC0 => new
                    .moods
                    .extend(std::iter::repeat_n(Mood::Normal, 1 + at % 6)),
                0xC0..0xD0 => new.judges.push(Judge::ALL[at % Judge::ALL.len()]),
                0xD0..0xDD => new.greetings.push_back(Mood::ALL[at - 0xD0]),
                0xDD..0xE4 => new.greetings.push_back(Mood::Normal),
                0xE4 => new.ops.push_back(Op::Stop),
                0xE5 => new.ops.push_back(Op::Slow),
                // A whole message, as it occurs most often.
                _ => {
                    let message = [COMMANDS[2], COMMANDS[3], COMMANDS[10], COMMANDS[4]];
                    let first = message.map(Op::Command);
                    new.ops.extend(first.iter().take(2));
                    new.ops.extend(&first[2 + at % 2..]);
                    new.ops.push_back(Op::Content(CONTENT[at % 10]));
                }
            }
        }
        new
    }

    /// Returns true if the outcome cannot depend on where bytes are cut.
    pub(crate) fn is_regular(&self) -> bool {
        let regular = |moods: &VecDeque<Mood>| moods.iter().all(|mood| mood.is_regular());
        regular(&self.moods)
            && regular(&self.greetings)
            && !self.ops.iter().any(|op| matches!(op, Op::Stop | Op::Slow))
    }

    fn end_content(&mut self, out: &mut Vec<u8>) {
        if self.in_content {
            let last = out.last().copied().unwrap_or(self.last);
            out.extend_from_slice(if last == b'\n' {
                b".\r\n"
            } else {
                b"\r\n.\r\n"
            });
            self.in_content = false;
        }
    }
}

impl FuzzClient for ScriptedDialogue {
    fn act(&mut self, heard: &[u8]) -> Act {
        if std::mem::take(&mut self.waits) {
            let line = heard.strip_suffix(b"\r\n").unwrap_or_default();
            let start = memchr::memrchr(b'\n', line).map_or(0, |at| at + 1);
            self.in_content = line[start..].starts_with(b"354") || !self.polite;
            self.last = b'\n';
        }
        let mut out = Vec::new();
        while let Some(op) = self.ops.front().copied() {
            match op {
                Op::Command(line) => {
                    self.end_content(&mut out);
                    out.extend_from_slice(line);
                    if line.eq_ignore_ascii_case(b"DATA\r\n") {
                        self.ops.pop_front();
                        self.waits = true;
                        break;
                    }
                }
                Op::Content(piece) if self.in_content => out.extend_from_slice(piece),
                Op::Content(_) => (),
                Op::Stop | Op::Slow if !out.is_empty() => break,
                Op::Stop | Op::Slow => {
                    self.ops.pop_front();
                    return if matches!(op, Op::Stop) {
                        Act::Stop
                    } else {
                        Act::Slow
                    };
                }
            }
            self.ops.pop_front();
        }
        self.last = out.last().copied().unwrap_or(self.last);
        if out.is_empty() {
            Act::Gone
        } else {
            Act::Bytes(out)
        }
    }
}
