//! Reads what a client sent and heard a second time, by the definitions of RFC 5321, RFC 2033 and RFC 2920.
//!
//! # Limits
//! It reads whole streams after the end, and keeps all of them.

use memchr::memmem::find;

/// A reply that the client heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeardReply {
    pub(crate) code: u16,
    /// All of its lines, with their ends.
    pub(crate) bytes: Vec<u8>,
    /// Where it begins in what the client heard.
    pub(crate) at: usize,
}

impl HeardReply {
    pub(crate) fn is_positive(&self) -> bool {
        self.code / 100 == 2
    }

    /// The index in the log of the next hop that the reply names.
    pub(crate) fn tag(&self) -> Option<usize> {
        let text = std::str::from_utf8(&self.bytes).ok()?;
        let digits = text.split_once('#')?.1;
        let end = digits.find(|letter: char| !letter.is_ascii_digit());
        digits[..end.unwrap_or(digits.len())].parse().ok()
    }

    /// The words behind the code on each line.
    pub(crate) fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| line.strip_suffix(b"\r")?.get(4..))
    }
}

/// Splits bytes into replies, strictly.
pub(crate) fn replies(bytes: &[u8]) -> Result<Vec<HeardReply>, String> {
    let (mut found, mut begun): (Vec<HeardReply>, Option<HeardReply>) = (Vec::new(), None);
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let bad = || format!("reply line {}", line.escape_ascii());
        let inner = line.strip_suffix(b"\r\n").ok_or_else(bad)?;
        let (code, rest) = inner.split_at_checked(3).ok_or_else(bad)?;
        let code = std::str::from_utf8(code)
            .ok()
            .and_then(|code| code.parse().ok());
        let code = code
            .filter(|code| (200..600).contains(code))
            .ok_or_else(bad)?;
        if inner.iter().any(|byte| matches!(byte, b'\r' | 0)) {
            return Err(bad());
        }
        let reply = begun.get_or_insert(HeardReply {
            code,
            bytes: Vec::new(),
            at,
        });
        reply.bytes.extend_from_slice(line);
        at += line.len();
        match rest.first() {
            _ if reply.code != code => return Err(bad()),
            Some(b' ') => found.extend(begun.take()),
            Some(b'-') => (),
            _ => return Err(bad()),
        }
    }
    if begun.is_some() {
        return Err("the last reply has no end".into());
    }
    Ok(found)
}

/// A command line of the client.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// Without its end; empty if the line is too long or unclean.
    pub(crate) line: Vec<u8>,
    /// Codes of the proxy's own reply, or `None` if the line goes to the next hop.
    pub(crate) own: Option<&'static [u16]>,
    /// The client has no message open before this command.
    pub(crate) is_between_messages: bool,
    pub(crate) reply: Option<HeardReply>,
}

/// A message that the client ended.
#[derive(Clone, Debug)]
pub(crate) struct Transaction {
    pub(crate) mail: Vec<u8>,
    pub(crate) recipients: Vec<Vec<u8>>,
    /// Queue id and client address that XFORWARD named.
    pub(crate) forwarded: [Vec<u8>; 2],
    /// The content as it came, without the end.
    pub(crate) raw: Vec<u8>,
    pub(crate) finals: Vec<HeardReply>,
}

/// What the client said and heard.
#[derive(Debug, Default)]
pub(crate) struct ObservedDialogue {
    pub(crate) commands: Vec<Command>,
    pub(crate) transactions: Vec<Transaction>,
    /// Replies to commands and messages; the greeting is none.
    pub(crate) replies: usize,
    /// A reply that no command asked for, at the end.
    pub(crate) farewell: Option<HeardReply>,
    /// Complete command lines without a reply.
    pub(crate) unanswered: usize,
    /// Content has begun and not ended.
    pub(crate) in_content: bool,
}

#[derive(Debug, Default)]
struct State {
    lmtp: bool,
    greeted: bool,
    forward: bool,
    mail: Option<Vec<u8>>,
    recipients: Vec<Vec<u8>>,
    forwarded: [Vec<u8>; 2],
}

impl State {
    fn forget(&mut self) {
        (self.mail, self.recipients) = (None, Vec::new());
        self.forwarded = Default::default();
    }

    /// The proxy's own reply to a line, or `None` if the line goes to the next hop.
    fn own(&self, line: Option<&[u8]>) -> Option<&'static [u16]> {
        let Some(line) = line else {
            return Some(&[500]);
        };
        let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let own: &[u16] = match words[0].to_ascii_uppercase().as_slice() {
            b"EHLO" | b"HELO" if !self.lmtp => return None,
            b"LHLO" if self.lmtp => return None,
            b"NOOP" => &[250],
            b"HELP" => &[214],
            b"QUIT" => &[221],
            b"BDAT" => &[421],
            b"RSET" if !self.greeted => &[250],
            b"RSET" => return None,
            b"MAIL" | b"RCPT" | b"VRFY" | b"DATA" | b"XFORWARD" if !self.greeted => &[503],
            b"DATA" if line.trim_ascii_end().len() > 4 => &[501],
            b"DATA" if self.mail.is_none() => &[503],
            b"DATA" if self.recipients.is_empty() => &[503, 554],
            b"DATA" => &[354],
            b"MAIL" => {
                let mut words = line.split(u8::is_ascii_whitespace);
                if !words.any(|word| word.eq_ignore_ascii_case(b"BODY=BINARYMIME")) {
                    return None;
                }
                &[555]
            }
            b"RCPT" | b"VRFY" => return None,
            b"XFORWARD" if self.forward => return None,
            b"XFORWARD" | b"AUTH" | b"BURL" | b"EXPN" | b"ETRN" | b"ATRN" | b"STARTTLS"
            | b"TURN" | b"XCLIENT" => &[502],
            _ => &[500],
        };
        Some(own)
    }

    fn replied(&mut self, line: &[u8], reply: &HeardReply) {
        if !reply.is_positive() {
            return;
        }
        let end = line.iter().position(|byte| *byte == b' ');
        match line[..end.unwrap_or(line.len())]
            .to_ascii_uppercase()
            .as_slice()
        {
            verb @ (b"EHLO" | b"LHLO" | b"HELO") => {
                self.greeted = true;
                self.forward = verb != b"HELO"
                    && reply
                        .words()
                        .skip(1)
                        .any(|text| text.starts_with(b"XFORWARD"));
                self.forget();
            }
            b"RSET" => self.forget(),
            b"MAIL" => (self.mail, self.recipients) = (Some(line.to_vec()), Vec::new()),
            b"RCPT" => self.recipients.push(line.to_vec()),
            b"XFORWARD" => {
                for word in line.split(|byte| *byte == b' ') {
                    for (kept, name) in self.forwarded.iter_mut().zip([&b"IDENT="[..], b"ADDR="]) {
                        if let Some(value) = word.strip_prefix(name) {
                            *kept = value.to_vec();
                        }
                    }
                }
            }
            _ => (),
        }
    }
}

/// Reads what a client sent and heard.
///
/// # Errors
/// A reply is missing, has no command, or is not what RFC 5321 allows.
pub(crate) fn read(sent: &[u8], heard: &[u8], lmtp: bool) -> Result<ObservedDialogue, String> {
    let mut heard = replies(heard)?.into_iter().peekable();
    let mut found = ObservedDialogue::default();
    match heard.next() {
        Some(greeting) if greeting.code == 220 => (),
        Some(refusal) if refusal.code == 421 && heard.peek().is_none() => {
            found.farewell = Some(refusal);
            return Ok(found);
        }
        None => return Ok(found),
        Some(other) => return Err(format!("greeted with {}", other.bytes.escape_ascii())),
    }
    let mut state = State {
        lmtp,
        ..State::default()
    };
    let (mut rest, mut after_refused_data) = (sent, false);
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let (line, behind) = rest.split_at(end + 1);
        rest = behind;
        let line = crate::next_hop::strict_line(line);
        let own = state.own(line);
        let reply = heard.next();
        let line = line.unwrap_or_default().to_vec();
        let is_data = own == Some(&[354]);
        let named = |name: &[u8]| {
            let word = line.split(|byte| *byte == b' ').next();
            word.is_some_and(|word| word.eq_ignore_ascii_case(name))
        };
        let is_hello = [&b"EHLO"[..], b"HELO", b"LHLO"].into_iter().any(named);
        // A client that did not wait for 354 sends content: the first line that is no command ends the session.
        let must_end = after_refused_data && own == Some(&[500]) && !is_hello;
        after_refused_data =
            named(b"DATA") && reply.as_ref().is_some_and(|reply| reply.code != 354);
        if must_end && reply.as_ref().is_some_and(|reply| reply.code != 421) {
            return Err(format!("{} follows a refused DATA", line.escape_ascii()));
        }
        found.commands.push(Command {
            line: line.clone(),
            own,
            is_between_messages: state.mail.is_none(),
            reply: reply.clone(),
        });
        let Some(reply) = reply else {
            found.unanswered += 1;
            if is_data || line.eq_ignore_ascii_case(b"DATA") {
                break;
            }
            continue;
        };
        found.replies += 1;
        let allowed = own.is_none_or(|codes| codes.contains(&reply.code));
        if !(allowed || reply.code == 421 && heard.peek().is_none()) {
            let (line, reply) = (line.escape_ascii(), reply.bytes.escape_ascii());
            return Err(format!("{line} is answered {reply}, not {own:?}"));
        }
        let ends = reply.code == 421 || own == Some(&[221]);
        if ends && heard.peek().is_some() {
            return Err(format!(
                "{} is not the last reply",
                reply.bytes.escape_ascii()
            ));
        }
        if own.is_none() {
            state.replied(&line, &reply);
        }
        if !is_data || reply.code != 354 {
            continue;
        }
        let whole = [b"\r\n", rest].concat();
        let Some(end) = find(&whole, b"\r\n.\r\n") else {
            found.in_content = true;
            break;
        };
        rest = &rest[end + 3..];
        let shares = if lmtp { state.recipients.len() } else { 1 };
        let finals: Vec<HeardReply> = heard.by_ref().take(shares).collect();
        found.replies += finals.len();
        if finals.len() < shares {
            return Err(format!(
                "a message has {} of {shares} replies",
                finals.len()
            ));
        }
        if finals.last().is_some_and(|reply| reply.code == 421) && heard.peek().is_some() {
            return Err("a message was answered 421, and the session goes on".into());
        }
        found.transactions.push(Transaction {
            mail: state.mail.take().unwrap_or_default(),
            recipients: std::mem::take(&mut state.recipients),
            forwarded: std::mem::take(&mut state.forwarded),
            raw: whole[2..(end + 2).max(2)].to_vec(),
            finals,
        });
    }
    match (heard.next(), heard.next()) {
        (None, _) => (),
        (Some(reply), None) if reply.code == 421 => found.farewell = Some(reply),
        (Some(reply), _) => {
            return Err(format!("{} answers nothing", reply.bytes.escape_ascii()));
        }
    }
    Ok(found)
}

/// The text of a message: what line ends become, and dot-stuffing removed.
pub(crate) fn text(raw: &[u8]) -> Vec<u8> {
    let (mut out, mut in_fields) = (Vec::new(), true);
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        let ended = line.ends_with(b"\n");
        let mut inner = line.strip_suffix(b"\n").unwrap_or(line);
        while ended && let Some(less) = inner.strip_suffix(b"\r") {
            inner = less;
        }
        if inner != b"." {
            inner = inner.strip_prefix(b".").unwrap_or(inner);
        }
        let is_delimiter = inner.starts_with(b"--");
        for (at, byte) in inner.iter().enumerate() {
            let joins = in_fields || is_delimiter || inner[at + 1..].starts_with(b"--");
            match byte {
                b'\r' if joins => out.push(b' '),
                b'\r' => out.extend_from_slice(b"\r\n"),
                _ => out.push(*byte),
            }
        }
        in_fields = is_delimiter || in_fields && !inner.is_empty();
        out.extend_from_slice(if ended { b"\r\n" } else { b"" });
    }
    out
}

/// Returns true if a CR or LF stands alone.
pub(crate) fn has_bare_line_end(raw: &[u8]) -> bool {
    raw.iter().enumerate().any(|(at, byte)| match byte {
        b'\r' => raw.get(at + 1) != Some(&b'\n'),
        b'\n' => at == 0 || raw[at - 1] != b'\r',
        _ => false,
    })
}
