//! An SMTP client that sends exactly the given commands (RFC 5321).

use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Time limit for a reply.
const PATIENCE: Duration = Duration::from_mins(1);

/// A message and its envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letter {
    /// Sender, without brackets.
    pub sender: String,
    /// Recipients, without brackets.
    pub recipients: Vec<String>,
    /// Parameters of MAIL, after a blank.
    pub arguments: String,
    /// Header and body, with CRLF line ends.
    pub data: Vec<u8>,
}

impl Letter {
    /// Creates a letter with 8-bit data for one recipient.
    pub fn new(data: impl Into<Vec<u8>>) -> Self {
        Self {
            sender: "a@test.invalid".to_owned(),
            recipients: vec!["b@test.invalid".to_owned()],
            arguments: " BODY=8BITMIME".to_owned(),
            data: data.into(),
        }
    }
}

/// A reply of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Three digits.
    pub code: u16,
    /// The text of all lines.
    pub text: String,
}

impl Reply {
    /// Returns true if the command succeeded (2xx or 3xx).
    pub fn is_good(&self) -> bool {
        (200..400).contains(&self.code)
    }

    /// Returns true for a temporary failure (4xx).
    pub fn is_temporary(&self) -> bool {
        (400..500).contains(&self.code)
    }
}

/// A connection to a server.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<TcpStream>,
    /// The server's extensions, a line each.
    pub offers: Vec<String>,
}

impl Client {
    /// Connects and sends EHLO.
    pub fn connect(port: u16) -> io::Result<Self> {
        Self::greet(port, "EHLO client.test.invalid")
    }

    /// Connects and sends this greeting.
    pub fn greet(port: u16, greeting: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut client = Self {
            stream: BufReader::new(stream),
            offers: Vec::new(),
        };
        good(client.reply()?)?;
        let reply = good(client.command(greeting)?)?;
        client.offers = reply.text.lines().skip(1).map(str::to_owned).collect();
        Ok(client)
    }

    /// Sends a command, and waits for its reply.
    pub fn command(&mut self, line: &str) -> io::Result<Reply> {
        self.write(format!("{line}\r\n").as_bytes())?;
        self.reply()
    }

    /// Sends a letter. Returns the reply to its end, or the first rejection.
    pub fn send(&mut self, letter: &Letter) -> io::Result<Reply> {
        let mut commands = vec![format!("MAIL FROM:<{}>{}", letter.sender, letter.arguments)];
        commands.extend(letter.recipients.iter().map(|to| format!("RCPT TO:<{to}>")));
        commands.push("DATA".to_owned());
        for command in commands {
            let reply = self.command(&command)?;
            if !reply.is_good() {
                // Resets the session for the next letter.
                self.command("RSET")?;
                return Ok(reply);
            }
        }
        self.write(&stuffed(&letter.data))?;
        self.reply()
    }

    /// Sends bytes as they are.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Waits for a reply.
    pub fn reply(&mut self) -> io::Result<Reply> {
        let mut text = String::new();
        loop {
            let mut line = Vec::new();
            if (&mut self.stream)
                .take(10_000)
                .read_until(b'\n', &mut line)?
                == 0
            {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            let code = line.get(..3).and_then(|code| code.parse().ok());
            let code = code.ok_or_else(|| Error::new(ErrorKind::InvalidData, line.to_owned()))?;
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line.get(4..).unwrap_or_default());
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(Reply { code, text });
            }
        }
    }
}

fn good(reply: Reply) -> io::Result<Reply> {
    if reply.is_good() {
        return Ok(reply);
    }
    Err(Error::other(format!("{} {}", reply.code, reply.text)))
}

/// Encodes data for sending: dot-stuffed, with the end of data (RFC 5321, section 4.5.2). Only CR LF ends a line.
pub fn stuffed(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + 16);
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        if line[0] == b'.' && (out.is_empty() || out.ends_with(b"\r\n")) {
            out.push(b'.');
        }
        out.extend_from_slice(line);
    }
    if !out.ends_with(b"\r\n") && !out.is_empty() {
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b".\r\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_doubled_at_the_beginning_of_lines() {
        assert_eq!(stuffed(b"a.\r\n.\r\n..b\r\n"), b"a.\r\n..\r\n...b\r\n.\r\n");
        assert_eq!(stuffed(b""), b".\r\n");
        assert_eq!(stuffed(b"a"), b"a\r\n.\r\n");
    }
}
