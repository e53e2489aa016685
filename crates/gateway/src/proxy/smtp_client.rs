//! Sends one message to an SMTP server, unchanged.
//!
//! The server takes the message for all recipients or for none: the client ends the session before DATA if the server refuses one.
//!
//! # Limits
//! No TLS, no AUTH and no pipelining. If the connection breaks after the end of the message, the server may have taken it: the error says so.

use super::capabilities::Capabilities;
use super::content::{Stuffer, is_clean};
use super::reply::{Replies, ReplyLines};
use crate::address::Address;
use crate::limits::Limits;
use crate::stream::Stream;
use memchr::memchr2;
use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

/// Most time for the connection alone.
const CONNECT: Duration = Duration::from_secs(10);

/// A message with its envelope.
#[derive(Clone, Copy, Debug)]
pub struct SmtpMessage<'a> {
    /// The sender without angle brackets; empty for the null sender.
    pub sender: &'a [u8],
    /// Recipients without angle brackets.
    pub recipients: &'a [Vec<u8>],
    /// Header and body. Lines end with CRLF, or all with LF.
    pub content: &'a [u8],
}

impl SmtpMessage<'_> {
    /// Sends the message and returns the text of the server's last reply.
    ///
    /// # Errors
    /// The message cannot be sent unchanged, the server cannot be reached, it refuses the message or a recipient, or `deadline` passes.
    pub fn send(&self, server: &Address, deadline: Instant) -> io::Result<String> {
        let content = self.content()?;
        self.check_envelope()?;
        let mut session = SmtpConnection::connect(server, deadline)?;
        let capabilities = session.greet()?;
        let mail = self.mail_command(&capabilities, content.len(), server)?;
        session.command(&mail, 2)?;
        for recipient in self.recipients {
            session.command(&[b"RCPT TO:<", recipient.as_slice(), b">"].concat(), 2)?;
        }
        session.command(b"DATA", 3)?;
        let mut data = Vec::with_capacity(content.len() + 64);
        let mut stuffer = Stuffer::default();
        stuffer.write(&content, &mut data);
        stuffer.finish(&mut data);
        session.write(&data)?;
        let reply = session.reply().map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("{error} after the end of the message; the server may have taken it"),
            )
        })?;
        let text = session.expect("the end of the message", &reply, 2)?;
        // The server has the message; its answer to QUIT changes nothing.
        let _ = session.write(b"QUIT\r\n");
        Ok(text)
    }

    /// The content with CRLF at each line end.
    fn content(&self) -> io::Result<Cow<'_, [u8]>> {
        if is_clean(self.content) {
            return Ok(Cow::Borrowed(self.content));
        }
        if memchr2(b'\r', 0, self.content).is_some() {
            return Err(invalid(
                "SMTP cannot transport a NUL byte, or a CR or LF that stands alone, unchanged; use -o to write the original to a file"
                    .to_owned(),
            ));
        }
        let mut lines = Vec::with_capacity(self.content.len() + self.content.len() / 32);
        for line in self.content.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(text) => lines.extend_from_slice(&[text, b"\r\n"].concat()),
                None => lines.extend_from_slice(line),
            }
        }
        Ok(Cow::Owned(lines))
    }

    fn check_envelope(&self) -> io::Result<()> {
        let mut addresses =
            std::iter::once(self.sender).chain(self.recipients.iter().map(Vec::as_slice));
        if let Some(address) = addresses.find(|address| address.iter().any(u8::is_ascii_control)) {
            return Err(invalid(format!(
                "the address {} has control characters",
                address.escape_ascii()
            )));
        }
        if self.recipients.iter().any(Vec::is_empty) {
            return Err(invalid("a recipient is empty".to_owned()));
        }
        Ok(())
    }

    fn mail_command(
        &self,
        capabilities: &Capabilities,
        size: usize,
        server: &Address,
    ) -> io::Result<Vec<u8>> {
        let mut command = [b"MAIL FROM:<", self.sender, b">"].concat();
        if capabilities.size.is_some() {
            command.extend_from_slice(format!(" SIZE={size}").as_bytes());
        }
        let lacks = |extension: &str, what: &str| {
            io::Error::new(
                ErrorKind::Unsupported,
                format!("{server} does not offer {extension}, which {what} needs"),
            )
        };
        if !self.content.is_ascii() {
            if !capabilities.eight_bit {
                return Err(lacks("8BITMIME", "this message"));
            }
            command.extend_from_slice(b" BODY=8BITMIME");
        }
        if !self.sender.is_ascii() || !self.recipients.iter().all(|address| address.is_ascii()) {
            if !capabilities.smtputf8 {
                return Err(lacks("SMTPUTF8", "an address of this message"));
            }
            command.extend_from_slice(b" SMTPUTF8");
        }
        Ok(command)
    }
}

struct SmtpConnection<'a> {
    server: &'a Address,
    stream: Stream,
    replies: Replies,
    deadline: Instant,
}

impl<'a> SmtpConnection<'a> {
    fn connect(server: &'a Address, deadline: Instant) -> io::Result<Self> {
        let limits = Limits {
            // The caller names the server on purpose.
            allow_remote: true,
            ..Limits::default()
        };
        let time = CONNECT.min(left(deadline)?);
        let stream = Stream::connect(server, time, &limits).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot connect to {server}: {error}"))
        })?;
        Ok(Self {
            server,
            stream,
            replies: Replies::default(),
            deadline,
        })
    }

    /// Reads the greeting and asks for the server's extensions.
    fn greet(&mut self) -> io::Result<Capabilities> {
        let greeting = self.reply()?;
        self.expect("the connection", &greeting, 2)?;
        // An address literal names this client on any network (RFC 5321, section 4.1.3).
        let hello = self.command(b"EHLO [127.0.0.1]", 2)?;
        Ok(Capabilities::read(&hello))
    }

    /// Sends a command. A reply whose code does not begin with `class` is an error.
    fn command(&mut self, command: &[u8], class: u16) -> io::Result<ReplyLines> {
        self.write(&[command, b"\r\n"].concat())?;
        let reply = self.reply()?;
        self.expect(&String::from_utf8_lossy(command), &reply, class)?;
        Ok(reply)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream
            .write_until(bytes, self.deadline)
            .map_err(|error| self.lost(&error))
    }

    fn reply(&mut self) -> io::Result<ReplyLines> {
        let mut bytes = [0; 4096];
        loop {
            let bad = |error| invalid(format!("{}: {error}", self.server));
            if let Some(reply) = self.replies.next().map_err(bad)? {
                return Ok(reply);
            }
            let count = left(self.deadline)
                .and_then(|left| self.stream.set_read_timeout(left))
                .and_then(|()| self.stream.read(&mut bytes));
            match count {
                Ok(0) => {
                    let end = io::Error::new(ErrorKind::UnexpectedEof, "it closed the connection");
                    return Err(self.lost(&end));
                }
                Ok(count) => self.replies.push(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let late = io::Error::new(ErrorKind::TimedOut, "it took too long");
                    return Err(self.lost(&late));
                }
                Err(error) => return Err(self.lost(&error)),
            }
        }
    }

    /// Returns the text of a reply in this class.
    fn expect(&self, what: &str, reply: &ReplyLines, class: u16) -> io::Result<String> {
        let texts: Vec<_> = reply
            .texts
            .iter()
            .map(|text| String::from_utf8_lossy(text))
            .collect();
        let text = format!("{} {}", reply.code, texts.join(" "));
        if reply.code / 100 == class {
            return Ok(text);
        }
        Err(io::Error::other(format!(
            "{} answers {what} with {text}",
            self.server
        )))
    }

    fn lost(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.server))
    }
}

fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::Error::new(ErrorKind::TimedOut, "it took too long"));
    }
    Ok(left)
}

fn invalid(words: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    /// A server that gives these replies, one for the connection and one for each line, and returns what it read.
    fn server(replies: &[&str]) -> (Address, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap().to_string());
        let replies: Vec<String> = replies.iter().map(|&reply| reply.to_owned()).collect();
        let thread = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let (mut reader, mut seen) = (BufReader::new(&stream), Vec::new());
            for (at, reply) in replies.iter().enumerate() {
                if at > 0 {
                    let is_content = seen.ends_with(b"DATA\r\n");
                    loop {
                        let start = seen.len();
                        let count = reader.read_until(b'\n', &mut seen).unwrap();
                        if count == 0 || !is_content || seen[start..] == *b".\r\n" {
                            break;
                        }
                    }
                }
                (&stream).write_all(reply.as_bytes()).unwrap();
            }
            String::from_utf8_lossy(&seen).into_owned()
        });
        (address, thread)
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    const ALL: [&str; 7] = [
        "220 mx\r\n",
        "250-mx\r\n250-SIZE 1000\r\n250-SMTPUTF8\r\n250 8BITMIME\r\n",
        "250 ok\r\n",
        "250 ok\r\n",
        "250 ok\r\n",
        "354 go\r\n",
        "250 queued as X\r\n",
    ];

    fn two() -> Vec<Vec<u8>> {
        vec![b"b@example.net".to_vec(), b"c@example.net".to_vec()]
    }

    #[test]
    fn content_and_envelope_arrive_as_they_are() {
        let recipients = two();
        for (content, sent) in [
            (&b"A: b\r\n\r\n.c\r\n"[..], "A: b\r\n\r\n..c\r\n"),
            (b"A: b\n\n.c\nd", "A: b\r\n\r\n..c\r\nd\r\n"),
        ] {
            let (address, thread) = server(&ALL);
            let message = SmtpMessage {
                sender: b"",
                recipients: &recipients,
                content,
            };
            let reply = message.send(&address, soon()).unwrap();
            assert_eq!(reply, "250 queued as X");
            let size = sent.len() - 1 - usize::from(!content.ends_with(b"\n")) * 2;
            assert_eq!(
                thread.join().unwrap(),
                format!(
                    "EHLO [127.0.0.1]\r\nMAIL FROM:<> SIZE={size}\r\nRCPT TO:<b@example.net>\r\n\
                     RCPT TO:<c@example.net>\r\nDATA\r\n{sent}.\r\n"
                )
            );
        }
        let (address, thread) = server(&ALL);
        let message = SmtpMessage {
            sender: "ä@example.org".as_bytes(),
            recipients: &recipients,
            content: b"A: \xe4\r\n",
        };
        message.send(&address, soon()).unwrap();
        let seen = thread.join().unwrap();
        assert!(
            seen.contains(" SIZE=6 BODY=8BITMIME SMTPUTF8\r\n"),
            "{seen}"
        );
    }

    /// A server that takes only a part, at any step, is an error that names the step.
    #[test]
    fn any_refusal_is_an_error() {
        let recipients = two();
        let message = SmtpMessage {
            sender: b"a@example.org",
            recipients: &recipients,
            content: b"A: b\r\n",
        };
        let steps = [
            "connection",
            "EHLO",
            "MAIL",
            "<b@",
            "<c@",
            "DATA",
            "end of the message",
        ];
        for (at, step) in steps.iter().enumerate() {
            for refusal in ["421 closing\r\n", "550 5.1.1 no\r\n"] {
                let mut replies = ALL[..at].to_vec();
                replies.push(refusal);
                let (address, thread) = server(&replies);
                let error = message.send(&address, soon()).unwrap_err().to_string();
                assert!(
                    error.contains(step) && error.contains(&refusal[..3]),
                    "{error}"
                );
                thread.join().unwrap();
            }
            // A connection that ends.
            let (address, thread) = server(&ALL[..at]);
            let error = message.send(&address, soon()).unwrap_err().to_string();
            assert_eq!(error.contains("may have taken it"), at == 6, "{error}");
            thread.join().unwrap();
        }
    }

    #[test]
    fn what_would_change_is_not_sent() {
        let recipients = two();
        let nowhere: Address = "tcp:127.0.0.1:1".parse().unwrap();
        for content in [&b"a\0b\r\n"[..], b"a\rb\r\n", b"a\nb\r\n"] {
            let message = SmtpMessage {
                sender: b"",
                recipients: &recipients,
                content,
            };
            let error = message.send(&nowhere, soon()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        }
        for (sender, recipient) in [(&b"a\r\nDATA"[..], &b"b"[..]), (b"", b"b>\nX"), (b"", b"")] {
            let message = SmtpMessage {
                sender,
                recipients: &[recipient.to_vec()],
                content: b"",
            };
            let error = message.send(&nowhere, soon()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        }
        let (address, thread) = server(&["220 mx\r\n", "250 mx\r\n"]);
        let message = SmtpMessage {
            sender: b"",
            recipients: &recipients,
            content: b"\xe4",
        };
        let error = message.send(&address, soon()).unwrap_err().to_string();
        assert!(error.contains("does not offer 8BITMIME"), "{error}");
        thread.join().unwrap();
    }
}
