//! The server's side of the milter protocol, version 6: sends messages, and applies the filter's edits.
//!
//! Applies edits as Postfix does. Fields of a name are counted again after each deletion, and all pieces of a body together replace
//! the old one.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use std::io::{self, BufReader, Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Every action of version 6.
pub const ACTIONS: u32 = 0x1ff;
/// Every protocol bit of version 6.
pub const PROTOCOL: u32 = 0x1f_ffff;
/// Values keep the space after the colon.
pub const LEADING_SPACE: u32 = 0x10_0000;
/// Bits that omit replies: to CONNECT, HELO, MAIL, RCPT, DATA, unknown commands, end of header, body, and to fields.
pub const NO_REPLIES: u32 = 0xf_f080;

/// Largest data of a packet in bytes.
const LONGEST: usize = 65_535;

/// Bytes that Postfix collects before it writes: its buffer for a Unix socket, four times the largest segment over TCP.
///
/// See `vstream_tweak_tcp`; the loopback reports 32,768. So a message of usual size is one write over TCP.
const POSTFIX_UNIX: usize = 4_096;
const POSTFIX_TCP: usize = 131_072;

/// Time limit for the filter.
const PATIENCE: Duration = Duration::from_mins(1);

/// Steps that a filter may decline (`SMFIP_NO...`) or leave unanswered (`SMFIP_NR_...`): command, both bits.
const STEPS: [(u8, u32, u32); 8] = [
    (b'C', 0x01, 0x1000),
    (b'H', 0x02, 0x2000),
    (b'M', 0x04, 0x4000),
    (b'R', 0x08, 0x8000),
    (b'B', 0x10, 0x8_0000),
    (b'L', 0x20, 0x80),
    (b'N', 0x40, 0x4_0000),
    (b'T', 0x200, 0x1_0000),
];

/// Either kind of connection.
pub trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A packet: command and data.
pub type Packet = (u8, Vec<u8>);

/// Connects to `unix:PATH` or `tcp:HOST:PORT` as a server does: small packets wait for an answer (Nagle).
pub fn connect(address: &str) -> io::Result<Box<dyn Stream>> {
    match address.split_once(':') {
        Some(("unix", path)) => Ok(Box::new(Polled(UnixStream::connect(path)?))),
        Some(("tcp", place)) => Ok(Box::new(Polled(TcpStream::connect(place)?))),
        _ => Err(Error::new(ErrorKind::InvalidInput, address.to_owned())),
    }
}

/// A stream that is polled before reading, as Postfix and Sendmail do.
///
/// A process that blocks in the read itself also wakes up when the other end reads, for nothing, which slows both.
struct Polled<S>(S);

impl<S: Read + AsFd> Read for Polled<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let time = Timespec {
            tv_sec: PATIENCE.as_secs() as i64,
            tv_nsec: 0,
        };
        let mut waiting = [PollFd::new(&self.0, PollFlags::IN)];
        if rustix::io::retry_on_intr(|| poll(&mut waiting, Some(&time)))? == 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        self.0.read(bytes)
    }
}

impl<S: Write> Write for Polled<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A message as a server keeps it: fields with the text after the colon, folds as LF, and a body with CR LF.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mail {
    /// Name, and value with its leading space.
    pub fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Mail {
    /// Parses a message with CR LF line ends.
    pub fn new(raw: &[u8]) -> Self {
        let mut mail = Self::default();
        let mut rest = raw;
        while !rest.is_empty() {
            let end = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at(end);
            rest = after;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                break;
            }
            if let (b' ' | b'\t', Some((_, value))) = (line[0], mail.fields.last_mut()) {
                value.push(b'\n');
                value.extend_from_slice(line);
            } else if let Some(colon) = line.iter().position(|byte| *byte == b':') {
                mail.fields
                    .push((line[..colon].to_vec(), line[colon + 1..].to_vec()));
            }
        }
        mail.body = rest.to_vec();
        mail
    }

    /// Returns the message with CR LF line ends.
    pub fn raw(&self) -> Vec<u8> {
        let mut raw = Vec::with_capacity(self.body.len() + 4_000);
        for (name, value) in &self.fields {
            raw.extend_from_slice(name);
            raw.push(b':');
            for byte in value {
                raw.extend_from_slice(if *byte == b'\n' {
                    b"\r\n"
                } else {
                    std::slice::from_ref(byte)
                });
            }
            raw.extend_from_slice(b"\r\n");
        }
        raw.extend_from_slice(b"\r\n");
        raw.extend_from_slice(&self.body);
        raw
    }

    /// Applies the filter's edits.
    ///
    /// # Errors
    /// Describes an invalid edit.
    pub fn apply(&mut self, edits: &[Packet]) -> Result<(), String> {
        let mut body: Option<Vec<u8>> = None;
        for (command, data) in edits {
            if body.is_some() && *command != b'b' {
                return Err(format!("{:?} after the body", char::from(*command)));
            }
            match command {
                b'p' => (),
                b'b' => body.get_or_insert_default().extend_from_slice(data),
                b'm' | b'i' => {
                    let (index, rest) = data.split_first_chunk().ok_or("an edit without index")?;
                    let (name, value) = field(rest)?;
                    self.place(*command, u32::from_be_bytes(*index) as usize, name, value)?;
                }
                b'h' => self.fields.push(field(data)?),
                b'q' => (),
                _ => return Err(format!("unknown request {command}")),
            }
        }
        self.body = body.unwrap_or_else(|| std::mem::take(&mut self.body));
        Ok(())
    }

    fn place(
        &mut self,
        command: u8,
        index: usize,
        name: Vec<u8>,
        value: Vec<u8>,
    ) -> Result<(), String> {
        if command == b'i' {
            let at = index.min(self.fields.len());
            self.fields.insert(at, (name, value));
            return Ok(());
        }
        let same = |field: &&(usize, &(Vec<u8>, Vec<u8>))| field.1.0.eq_ignore_ascii_case(&name);
        let found = self
            .fields
            .iter()
            .enumerate()
            .filter(|field| same(&field))
            .nth(index.wrapping_sub(1));
        let Some((at, _)) = found else {
            return Err(format!(
                "no field {} {index}",
                String::from_utf8_lossy(&name)
            ));
        };
        if value.is_empty() {
            self.fields.remove(at);
        } else {
            self.fields[at].1 = value;
        }
        Ok(())
    }
}

/// Parses name and value, both ending in NUL.
fn field(data: &[u8]) -> Result<(Vec<u8>, Vec<u8>), String> {
    let strings: Vec<&[u8]> = data.split(|byte| *byte == 0).collect();
    match strings[..] {
        [name, value, b""] => Ok((name.to_vec(), value.to_vec())),
        _ => Err(format!("not name and value: {}", data.escape_ascii())),
    }
}

/// The result of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The letter of the final reply.
    pub letter: u8,
    /// Data of that reply.
    pub data: Vec<u8>,
    /// The replies before it.
    pub edits: Vec<Packet>,
}

/// A connection that acts as the server.
pub struct Mta {
    stream: BufReader<Box<dyn Stream>>,
    out: Vec<u8>,
    actions: u32,
    protocol: u32,
    /// Bytes per write.
    piece: usize,
    /// True to write the envelope separately from the header.
    splits_envelope: bool,
}

impl Mta {
    /// Connects and offers these bits. Also sends the client's name.
    ///
    /// # Errors
    /// The filter replies incorrectly.
    pub fn open(address: &str, actions: u32, protocol: u32) -> io::Result<Self> {
        let stream = BufReader::with_capacity(1 << 17, connect(address)?);
        let mut mta = Self {
            stream,
            out: Vec::new(),
            actions: 0,
            protocol: 0,
            piece: usize::MAX,
            splits_envelope: false,
        };
        let offer = [6, actions, protocol].map(u32::to_be_bytes).concat();
        mta.put(b'O', &[&offer]);
        mta.flush()?;
        let (letter, data) = mta.packet()?;
        let word = |at: usize| {
            data.get(at..at + 4)
                .and_then(|bytes| bytes.try_into().ok())
                .map(u32::from_be_bytes)
        };
        let (Some(b'O'), Some(got), Some(agreed)) = (Some(letter), word(4), word(8)) else {
            return Err(wrong("no negotiation"));
        };
        if got & !actions != 0 || agreed & !protocol != 0 {
            return Err(wrong("asked for what was not offered"));
        }
        (mta.actions, mta.protocol) = (got, agreed);
        mta.send_command(b'C', &[b"client.test.invalid\x004\x00\x19192.0.2.7\0"])?;
        mta.send_command(b'H', &[b"client.test.invalid\0"])?;
        Ok(mta)
    }

    /// Connects and offers everything.
    ///
    /// # Errors
    /// As [`Mta::open`].
    pub fn connect(address: &str) -> io::Result<Self> {
        Self::open(address, ACTIONS, PROTOCOL)
    }

    /// Sets the size of writes.
    pub fn write_by(&mut self, piece: usize) {
        self.piece = piece.max(1);
    }

    /// Writes to `address` as Postfix does: in pieces of its buffer size, with a separate write for the envelope.
    ///
    /// The process that received the envelope passes the connection on to the one with the message.
    pub fn write_as_postfix(&mut self, address: &str) {
        self.piece = if address.starts_with("tcp:") {
            POSTFIX_TCP
        } else {
            POSTFIX_UNIX
        };
        self.splits_envelope = true;
    }

    /// Returns the actions and protocol bits that the filter requested.
    pub fn agreed(&self) -> (u32, u32) {
        (self.actions, self.protocol)
    }

    /// Sends a message from MAIL to its end.
    ///
    /// # Errors
    /// The connection failed.
    pub fn send(&mut self, mail: &Mail) -> io::Result<Verdict> {
        match self.begin(mail)? {
            Some(early) => Ok(early),
            None => self.finish(),
        }
    }

    /// Sends a message without its end. Returns a verdict if the filter ended it early.
    ///
    /// # Errors
    /// The connection failed.
    pub fn begin(&mut self, mail: &Mail) -> io::Result<Option<Verdict>> {
        self.put(b'D', &[b"Mi\0", b"TRIAL", b"\0"]);
        let steps: [(u8, &[&[u8]]); 3] = [
            (b'M', &[b"<a@test.invalid>\0", b"BODY=8BITMIME\0"]),
            (b'R', &[b"<b@test.invalid>\0"]),
            (b'T', &[]),
        ];
        for (command, data) in steps {
            if let Some(early) = self.send_command(command, data)? {
                return Ok(Some(early));
            }
        }
        if self.splits_envelope {
            self.flush()?;
        }
        let lead = self.protocol & LEADING_SPACE != 0;
        for (name, value) in &mail.fields {
            let value = if lead {
                value
            } else {
                value.strip_prefix(b" ").unwrap_or(value)
            };
            if let Some(early) = self.send_command(b'L', &[name, b"\0", value, b"\0"])? {
                return Ok(Some(early));
            }
        }
        if let Some(early) = self.send_command(b'N', &[])? {
            return Ok(Some(early));
        }
        for piece in mail.body.chunks(LONGEST) {
            match self.send_command(b'B', &[piece])? {
                Some(Verdict { letter: b's', .. }) => break,
                Some(early) => return Ok(Some(early)),
                None => (),
            }
        }
        Ok(None)
    }

    /// Sends another piece of the body, after [`Mta::begin`].
    ///
    /// # Errors
    /// The connection failed.
    pub fn more(&mut self, piece: &[u8]) -> io::Result<Option<Verdict>> {
        self.send_command(b'B', &[piece])
    }

    /// Sends the end of a message, and waits for the verdict.
    ///
    /// # Errors
    /// The connection failed.
    pub fn finish(&mut self) -> io::Result<Verdict> {
        self.put(b'E', &[]);
        self.flush()?;
        let mut edits = Vec::new();
        loop {
            let (letter, data) = self.packet()?;
            if b"cadrty4".contains(&letter) {
                // Servers send this after each message.
                self.put(b'A', &[]);
                return Ok(Verdict {
                    letter,
                    data,
                    edits,
                });
            }
            edits.push((letter, data));
        }
    }

    /// Like [`Mta::finish`], but counts the bytes of the edits instead of keeping them.
    ///
    /// # Errors
    /// The connection failed.
    pub fn finish_counting(&mut self) -> io::Result<(u8, u64)> {
        self.put(b'E', &[]);
        self.flush()?;
        let mut bytes = 0;
        loop {
            let (letter, left) = self.head()?;
            bytes += 5 + left;
            io::copy(&mut (&mut self.stream).take(left), &mut io::sink())?;
            if b"cadrty4".contains(&letter) {
                self.put(b'A', &[]);
                return Ok((letter, bytes));
            }
        }
    }

    /// Sends a command, and reads the reply if one is due. Returns a verdict unless the reply is to continue.
    fn send_command(&mut self, command: u8, data: &[&[u8]]) -> io::Result<Option<Verdict>> {
        let (_, no, silent) = STEPS
            .into_iter()
            .find(|step| step.0 == command)
            .unwrap_or_default();
        if self.protocol & no != 0 {
            return Ok(None);
        }
        self.put(command, data);
        if self.protocol & silent != 0 {
            if self.out.len() > LONGEST {
                self.flush()?;
            }
            return Ok(None);
        }
        self.flush()?;
        let (letter, data) = self.packet()?;
        Ok((letter != b'c').then_some(Verdict {
            letter,
            data,
            edits: Vec::new(),
        }))
    }

    /// Appends a packet to the buffer.
    pub fn put(&mut self, command: u8, data: &[&[u8]]) {
        let length = 1 + data.iter().map(|piece| piece.len()).sum::<usize>();
        self.out.extend_from_slice(&(length as u32).to_be_bytes());
        self.out.push(command);
        for piece in data {
            self.out.extend_from_slice(piece);
        }
    }

    /// Sends the buffer.
    ///
    /// # Errors
    /// The connection failed.
    pub fn flush(&mut self) -> io::Result<()> {
        let stream = self.stream.get_mut();
        let written = self
            .out
            .chunks(self.piece)
            .try_for_each(|piece| stream.write_all(piece));
        self.out.clear();
        written
    }

    /// Reads the next packet of the filter.
    ///
    /// # Errors
    /// The connection failed, or the packet has no command.
    pub fn packet(&mut self) -> io::Result<Packet> {
        let (letter, left) = self.head()?;
        let mut data = vec![0; left as usize];
        self.stream.read_exact(&mut data)?;
        Ok((letter, data))
    }

    /// Reads the command of the next packet, and the number of bytes of data that follow.
    fn head(&mut self) -> io::Result<(u8, u64)> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
        if length == 0 || length as usize > LONGEST + 1 {
            return Err(wrong("a packet of a wrong length"));
        }
        Ok((head[4], u64::from(length) - 1))
    }
}

fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_round_trips() {
        let raw = b"A: b\r\nC:\td\r\n e\r\n\r\nbody\r\n";
        assert_eq!(Mail::new(raw).raw(), raw);
        assert_eq!(Mail::new(raw).fields[1].1, b"\td\n e");
    }

    #[test]
    fn edits_follow_postfix() {
        let mut mail = Mail::new(b"A: 1\r\nB: 2\r\na: 3\r\n\r\nx\r\n");
        let edits: Vec<Packet> = vec![
            (b'm', b"\0\0\0\x02A\0 new\0".to_vec()),
            (b'm', b"\0\0\0\x01a\0\0".to_vec()),
            (b'i', b"\0\0\0\0T\0 top\0".to_vec()),
            (b'h', b"E\0 end\0".to_vec()),
            (b'b', b"y".to_vec()),
            (b'b', b"z".to_vec()),
        ];
        assert_eq!(mail.apply(&edits), Ok(()));
        assert_eq!(mail.raw(), b"T: top\r\nB: 2\r\na: new\r\nE: end\r\n\r\nyz");
        for bad in [
            vec![edits[1].clone(), edits[0].clone()],
            vec![edits[4].clone(), edits[3].clone()],
        ] {
            assert!(Mail::new(b"A: 1\r\na: 2\r\n\r\n").apply(&bad).is_err());
        }
    }
}
