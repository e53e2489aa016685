//! The laws of a run: what the client heard, what the judge saw, and what the next hop got, against the model.
//!
//! # Limits
//! After a reply that no command asked for, only the laws of the client's side are checked.

use crate::driver::{End, Judged, SessionTrace};
use crate::model::{self, Command, HeardReply, ObservedDialogue, Transaction};
use crate::next_hop::{Attempt, Raw, Strict, strict_line};
use mailglot_gateway::proxy::BareLines;

type Checked = Result<(), String>;

fn law(holds: bool, fault: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(fault()) }
}

/// Reads the client's side, and checks its end and its messages.
pub(crate) fn client_side(trace: &SessionTrace) -> Result<ObservedDialogue, String> {
    let lmtp = trace.options.lmtp;
    let dialogue = model::read(&trace.fed, &trace.heard, lmtp)
        .map_err(|fault| format!("{fault}\nheard: {}", trace.heard.escape_ascii()))?;
    let said_bye = dialogue
        .commands
        .iter()
        .any(|command| command.own == Some(&[221]) && command.reply.is_some());
    let last = model::replies(&trace.heard)?.pop();
    let ended = last.is_some_and(|reply| reply.code == 421) || said_bye;
    match trace.end {
        End::Closed => law(ended, || "the session closed without a word".into())?,
        End::Slow => law(ended, || "a slow client hears nothing".into())?,
        End::Gone => law(
            dialogue.unanswered == 0 && dialogue.farewell.is_none(),
            || format!("{} commands have no reply", dialogue.unanswered),
        )?,
    }
    announced(&dialogue.commands)?;
    mistakes(&dialogue.commands)?;
    let (ended, judged) = (dialogue.transactions.len(), trace.judged.len());
    law(ended == judged, || {
        format!("{ended} messages were ended, {judged} judged")
    })?;
    for (transaction, judged) in dialogue.transactions.iter().zip(&trace.judged) {
        message(transaction, judged, trace)?;
    }
    Ok(dialogue)
}

/// Checks that no extension is announced that the proxy cannot carry (STARTTLS, AUTH, CHUNKING, BINARYMIME, XCLIENT).
fn announced(commands: &[Command]) -> Checked {
    const CARRIED: [&[u8]; 7] = [
        b"PIPELINING",
        b"8BITMIME",
        b"SMTPUTF8",
        b"ENHANCEDSTATUSCODES",
        b"DSN",
        b"SIZE",
        b"XFORWARD",
    ];
    for command in commands.iter().filter(|command| is_extended_hello(command)) {
        let reply = command.reply.as_ref().filter(|reply| reply.is_positive());
        for text in reply.iter().flat_map(|reply| reply.words().skip(1)) {
            let name = text.split(|byte| *byte == b' ').next().unwrap_or_default();
            law(CARRIED.contains(&name), || {
                format!("{} is announced", text.escape_ascii())
            })?;
        }
    }
    Ok(())
}

/// Returns true for EHLO and LHLO, whose replies list extensions.
fn is_extended_hello(command: &Command) -> bool {
    is_hello(&command.line) && !command.line.to_ascii_uppercase().starts_with(b"HELO")
}

fn is_hello(line: &[u8]) -> bool {
    let verb = line.split(|byte| *byte == b' ').next().unwrap_or_default();
    let hellos: [&[u8]; 3] = [b"EHLO", b"LHLO", b"HELO"];
    hellos.iter().any(|hello| verb.eq_ignore_ascii_case(hello))
}

/// Checks that a client that makes mistakes alone is sent away.
fn mistakes(commands: &[Command]) -> Checked {
    let refused = |command: &&Command| {
        let reply = command.reply.as_ref();
        command.own.is_some() && reply.is_some_and(|reply| reply.code >= 500)
    };
    let count = commands.iter().filter(refused).count();
    law(count <= 21, || format!("{count} mistakes are allowed"))
}

/// Checks one message: the text and the envelope that the judge saw, and replies of the proxy itself.
fn message(transaction: &Transaction, judged: &Judged, trace: &SessionTrace) -> Checked {
    let raw = &transaction.raw;
    let bare = model::has_bare_line_end(raw);
    let normalizes = trace.options.bare_lines == BareLines::Normalize;
    let unacceptable = raw.contains(&0) || bare && !normalizes;
    law(judged.unacceptable == unacceptable, || {
        format!(
            "unacceptable is {} for {}",
            judged.unacceptable,
            raw.escape_ascii()
        )
    })?;
    law(judged.line_ends_corrected == (bare && normalizes), || {
        format!("line ends of {}", raw.escape_ascii())
    })?;
    let text = model::text(raw);
    law(unacceptable || judged.text == text, || {
        let (got, want) = (judged.text.escape_ascii(), text.escape_ascii());
        format!("the judge read {got}\nnot {want}")
    })?;
    let within = |line: &[u8], part: &[u8]| memchr::memmem::find(line, part).is_some();
    let same = judged.recipients.len() == transaction.recipients.len()
        && judged
            .recipients
            .iter()
            .zip(&transaction.recipients)
            .all(|(path, line)| within(line, path));
    law(same, || format!("recipients {:?}", judged.recipients))?;
    // The record's sender has no quotes, and U+FFFD for what is not UTF-8.
    let sender = judged.sender.strip_prefix(b"<").unwrap_or_default();
    let sender = sender.strip_suffix(b">").unwrap_or(sender);
    let plain =
        std::str::from_utf8(&transaction.mail).is_ok_and(|mail| !mail.contains(['"', '\\']));
    law(!plain || within(&transaction.mail, sender), || {
        format!("sender {}", judged.sender.escape_ascii())
    })?;
    parameters(transaction, judged)?;
    counts(transaction, judged)?;
    for reply in &transaction.finals {
        let bytes = &reply.bytes;
        law(reply.at >= judged.heard, || {
            format!("{} came before the judgement", bytes.escape_ascii())
        })?;
        law(!reply.is_positive() || judged.sent.is_some(), || {
            format!("{} for a message that was not sent", bytes.escape_ascii())
        })?;
        if let Err((code, words)) = judged.result {
            let want = format!("{code} {words}\r\n");
            law(bytes == want.as_bytes(), || {
                format!("a refused message hears {}", bytes.escape_ascii())
            })?;
        }
    }
    Ok(())
}

/// Checks the parameters of MAIL and the attributes of XFORWARD that the record gets.
fn parameters(transaction: &Transaction, judged: &Judged) -> Checked {
    let [queue_id, peer] = &transaction.forwarded;
    let same = judged.queue_id == *queue_id && judged.peer.as_deref().unwrap_or_default() == *peer;
    law(same, || {
        let (id, peer) = (judged.queue_id.escape_ascii(), &judged.peer);
        format!(
            "XFORWARD gave {:?}, not {id} {peer:?}",
            transaction.forwarded
        )
    })?;
    // Quoted paths may hold anything.
    if transaction.mail.contains(&b'"') {
        return Ok(());
    }
    let has = |name: &[u8]| {
        let mut words = transaction.mail.split(u8::is_ascii_whitespace).skip(2);
        words.any(|word| word.eq_ignore_ascii_case(name))
    };
    for (got, name) in [
        (judged.smtputf8, &b"SMTPUTF8"[..]),
        (judged.eight_bit, b"BODY=8BITMIME"),
    ] {
        law(!got || has(name), || {
            let mail = transaction.mail.escape_ascii();
            format!("{} is not in {mail}", name.escape_ascii())
        })?;
    }
    let plain = transaction.mail == b"MAIL FROM:<> BODY=8BITMIME SMTPUTF8 SIZE=100";
    law(!plain || judged.smtputf8 && judged.eight_bit, || {
        "parameters of MAIL are forgotten".into()
    })
}

/// Checks that the session counts what the client hears.
fn counts(transaction: &Transaction, judged: &Judged) -> Checked {
    let (Some(delivery), Ok(_)) = (judged.delivery, &judged.result) else {
        return Ok(());
    };
    let all = transaction.recipients.len();
    let each = if transaction.finals.len() == all {
        1
    } else {
        all
    };
    let class = |class: u16| {
        let replies = transaction.finals.iter();
        each * replies.filter(|reply| reply.code / 100 == class).count()
    };
    let want = (class(2), class(5), class(4));
    let got = (delivery.taken, delivery.refused, delivery.deferred);
    law(got == want, || {
        format!("taken, refused, deferred {got:?}, not {want:?}")
    })
}

/// Checks what a next hop got that replies with any bytes.
pub(crate) fn raw_side(trace: &SessionTrace, dialogue: &ObservedDialogue, hop: &Raw) -> Checked {
    raw_commands(&hop.commands, &trace.fed)?;
    for (transaction, judged) in dialogue.transactions.iter().zip(&trace.judged) {
        for reply in transaction
            .finals
            .iter()
            .filter(|reply| reply.is_positive())
        {
            let said = &hop.said[judged.sent.unwrap_or_default()..];
            let code = reply.code.to_string();
            let was_said = said
                .split(|byte| *byte == b'\n')
                .any(|line| line.starts_with(code.as_bytes()));
            law(was_said, || {
                format!("the next hop never said {}", reply.bytes.escape_ascii())
            })?;
        }
    }
    Ok(())
}

/// Checks that commands are whole lines that the client sent, or the proxy's own.
pub(crate) fn raw_commands(commands: &[u8], fed: &[u8]) -> Checked {
    for line in commands.split_inclusive(|byte| *byte == b'\n') {
        let inner = strict_line(line);
        let known = inner.is_some_and(|inner| {
            [&b"DATA"[..], b"RSET", b"QUIT"].contains(&inner)
                || fed
                    .split_inclusive(|byte| *byte == b'\n')
                    .any(|sent| sent == line)
        });
        law(known, || {
            format!("the next hop got {}", line.escape_ascii())
        })?;
    }
    Ok(())
}

/// Checks what a strict next hop got.
pub(crate) fn strict_side(
    trace: &SessionTrace,
    dialogue: &ObservedDialogue,
    hop: &Strict,
) -> Checked {
    if hop.out_of_turn {
        if hop.answers_one_by_one && memchr::memmem::find(&trace.heard, b"Out of turn").is_some() {
            return Err("a reply that no command asked for answers one".into());
        }
        // Each later reply may answer the command before, and nobody can tell: content may even become commands.
        return Ok(());
    }
    if let Some(fault) = &hop.fault {
        return Err(format!("the next hop: {fault}"));
    }
    let transactions = &dialogue.transactions;
    for (at, attempt) in hop.attempts.iter().enumerate() {
        let number = attempt.message;
        let first = hop.attempts[..at]
            .iter()
            .all(|other| other.message != number);
        law(first, || "a message was given to the next hop twice".into())?;
        let pair = transactions.get(number).zip(trace.judged.get(number));
        let (transaction, judged) = pair.ok_or("DATA without a message of the client")?;
        text(attempt, judged)?;
        delivery(attempt, transaction)?;
    }
    for (number, (transaction, judged)) in transactions.iter().zip(&trace.judged).enumerate() {
        let attempted = hop.attempts.iter().any(|attempt| attempt.message == number);
        if judged.result.is_ok() && !attempted {
            law(
                transaction.finals.iter().all(|reply| is_lost(&reply.bytes)),
                || format!("message {number} was not given to the next hop"),
            )?;
        }
    }
    tags(&dialogue.commands, hop)?;
    forgotten(&dialogue.commands)?;
    extensions(&dialogue.commands, hop)?;
    order(&dialogue.commands, hop)
}

fn is_lost(reply: &[u8]) -> bool {
    reply == b"451 4.4.2 Lost the next hop\r\n"
}

/// Checks the text of an attempt against what the judge made.
fn text(attempt: &Attempt, judged: &Judged) -> Checked {
    let Some(text) = &attempt.text else {
        return Ok(());
    };
    let Ok(result) = &judged.result else {
        return Err("a refused message reached the next hop".into());
    };
    let ended = result.is_empty() || result.ends_with(b"\r\n");
    let want = [result.as_slice(), if ended { b"" } else { b"\r\n" }].concat();
    law(*text == want, || {
        let (got, want) = (text.escape_ascii(), want.escape_ascii());
        format!("the next hop got {got}\nnot {want}")
    })
}

/// Checks envelope and replies of an attempt against those of the client.
fn delivery(attempt: &Attempt, transaction: &Transaction) -> Checked {
    let envelope = attempt.mail == transaction.mail && attempt.recipients == transaction.recipients;
    law(envelope, || {
        let mail = attempt.mail.escape_ascii();
        format!("{mail} {:?} is not {transaction:?}", attempt.recipients)
    })?;
    let refused = matches!(attempt.data.first(), Some(b'4' | b'5')) && attempt.text.is_none();
    for (share, reply) in transaction.finals.iter().enumerate() {
        let bytes = &reply.bytes;
        let want = match attempt.finals.get(share) {
            _ if refused => Some(&attempt.data),
            said => said,
        };
        let right = want.map_or(is_lost(bytes), |want| want == bytes);
        law(right, || {
            let want = want.map_or_else(String::new, |want| want.escape_ascii().to_string());
            format!("the client hears {}, not {want}", bytes.escape_ascii())
        })?;
    }
    Ok(())
}

/// Checks that each reply of the next hop answers the command that it was given to.
fn tags(commands: &[Command], hop: &Strict) -> Checked {
    let mut next = 0;
    for command in commands {
        let Some(reply) = replied(command) else {
            continue;
        };
        let said = || reply.bytes.escape_ascii();
        let line = || command.line.escape_ascii();
        match reply.tag() {
            None => law(command.own.is_some(), || {
                format!("{} to {} came from nowhere", said(), line())
            })?,
            Some(tag) => {
                let asked = hop.log.get(tag).filter(|_| tag >= next);
                let right = asked.is_some_and(|asked| asked.line == command.line);
                law(right && command.own.is_none(), || {
                    format!("{} does not answer {}", said(), line())
                })?;
                next = tag + 1;
            }
        }
    }
    Ok(())
}

/// Checks that the next hop has forgotten each message that is over for the client: it accepts the next MAIL.
fn forgotten(commands: &[Command]) -> Checked {
    for command in commands {
        let starts =
            command.is_between_messages && command.line.to_ascii_uppercase().starts_with(b"MAIL");
        let Some(reply) = replied(command).filter(|_| starts && command.own.is_none()) else {
            continue;
        };
        law(!reply.bytes.starts_with(b"503 5.5.1 Sequence"), || {
            format!(
                "{}: the next hop still has a message",
                command.line.escape_ascii()
            )
        })?;
    }
    Ok(())
}

/// Checks that no message goes over a connection that lacks an extension announced to the client.
fn extensions(commands: &[Command], hop: &Strict) -> Checked {
    let replied_with = |tag: usize| {
        let mut replies = commands.iter().map(replied);
        replies.any(|reply| reply.and_then(HeardReply::tag) == Some(tag))
    };
    let is_told_by = |end: usize| {
        let hellos = commands.iter().filter_map(|command| {
            let reply = replied(command).filter(|reply| reply.is_positive())?;
            let tag = reply
                .tag()
                .filter(|tag| *tag < end && is_hello(&command.line))?;
            Some((tag, is_extended_hello(command) && reply.words().count() > 1))
        });
        hellos.max().is_some_and(|(_, told)| told)
    };
    let mut hello = None;
    for (tag, logged) in hop.log.iter().enumerate() {
        if is_hello(&logged.line) {
            hello = Some(tag);
        }
        let is_new = hello.is_some_and(|hello| !replied_with(hello));
        let is_plain = hop.plain_connections.contains(&logged.connection);
        let is_mail = logged.line.to_ascii_uppercase().starts_with(b"MAIL");
        law(!(is_mail && is_new && is_plain && is_told_by(tag)), || {
            format!("{} goes on without extensions", logged.line.escape_ascii())
        })?;
    }
    Ok(())
}

/// The reply to a command. A 421 is about the connection: the next hop may say it to a command of the proxy.
fn replied(command: &Command) -> Option<&HeardReply> {
    command.reply.as_ref().filter(|reply| reply.code != 421)
}

/// Checks that each connection got commands of the client in their order, and the proxy's own.
fn order(commands: &[Command], hop: &Strict) -> Checked {
    let (mut connection, mut next) = (0, 0);
    for (tag, logged) in hop.log.iter().enumerate() {
        if logged.connection != connection {
            (connection, next) = (logged.connection, 0);
        }
        let line = &logged.line;
        if [&b"."[..], b"DATA", b"QUIT"].contains(&line.as_slice()) {
            continue;
        }
        let answers = |command: &Command| replied(command).and_then(HeardReply::tag) == Some(tag);
        if line == b"RSET" && !commands.iter().any(answers) {
            // It follows a refused message, or the client never heard the reply.
            continue;
        }
        let found = commands[next..]
            .iter()
            .position(|command| command.own.is_none() && command.line == *line);
        match found {
            Some(at) => next += at + 1,
            None => {
                return Err(format!(
                    "{} is no command of the client",
                    line.escape_ascii()
                ));
            }
        }
    }
    Ok(())
}
