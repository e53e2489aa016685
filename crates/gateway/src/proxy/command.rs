//! Commands of a client: what they are, and what MAIL announces. Lines go to the next hop as they came; only it judges addresses.

use smtp_proto::{MAIL_BODY_8BITMIME, MAIL_BODY_BINARYMIME, MAIL_SMTPUTF8, Request};

/// What a line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Helo,
    Ehlo,
    Lhlo,
    Mail,
    Rcpt,
    Data,
    Reset,
    Noop,
    Quit,
    Verify,
    Help,
    Forward,
    /// Content follows it at once.
    Bdat,
    /// Known, and never announced.
    Unoffered,
    Unknown,
}

impl Verb {
    /// The first word of a line.
    pub(super) fn of(line: &[u8]) -> Self {
        let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        match line[..end].to_ascii_uppercase().as_slice() {
            b"HELO" => Self::Helo,
            b"EHLO" => Self::Ehlo,
            b"LHLO" => Self::Lhlo,
            b"MAIL" => Self::Mail,
            b"RCPT" => Self::Rcpt,
            b"DATA" => Self::Data,
            b"RSET" => Self::Reset,
            b"NOOP" => Self::Noop,
            b"QUIT" => Self::Quit,
            b"VRFY" => Self::Verify,
            b"HELP" => Self::Help,
            b"XFORWARD" => Self::Forward,
            b"BDAT" => Self::Bdat,
            b"AUTH" | b"BURL" | b"EXPN" | b"ETRN" | b"ATRN" | b"STARTTLS" | b"TURN" | b"XCLIENT" => {
                Self::Unoffered
            }
            _ => Self::Unknown,
        }
    }
}

/// What MAIL says about a message. Where the line cannot be read, it says nothing: then only 7-bit data goes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mail {
    /// In angle brackets, without the quotes of a local part: for the record, not for the way.
    pub(super) sender: Vec<u8>,
    /// Eight bits are announced (RFC 6152).
    pub(super) eight_bit: bool,
    /// Data without lines are announced (RFC 3030).
    pub(super) binary: bool,
    /// UTF-8 in header fields is announced (RFC 6531).
    pub(super) smtputf8: bool,
}

impl Mail {
    pub(super) fn read(line: &[u8]) -> Self {
        let ended = [line, b"\r\n"].concat();
        if let Ok(Request::Mail { from }) = Request::parse(&mut ended.iter()) {
            return Self {
                sender: format!("<{}>", from.address).into_bytes(),
                eight_bit: from.flags & MAIL_BODY_8BITMIME != 0,
                binary: from.flags & MAIL_BODY_BINARYMIME != 0,
                smtputf8: from.flags & MAIL_SMTPUTF8 != 0,
            };
        }
        let start = line.iter().position(|byte| *byte == b'<').unwrap_or(line.len());
        let end = line.iter().position(|byte| *byte == b'>').map_or(line.len(), |at| at + 1);
        Self { sender: line.get(start..end).unwrap_or_default().to_vec(), ..Self::default() }
    }
}

/// The value of an attribute of XFORWARD; none where it says that it does not know.
pub(super) fn forwarded<'a>(line: &'a [u8], name: &str) -> Option<&'a [u8]> {
    line.split(|byte| *byte == b' ').skip(1).find_map(|word| {
        let (key, value) = word.split_at_checked(name.len())?;
        let value = value.strip_prefix(b"=").filter(|_| key.eq_ignore_ascii_case(name.as_bytes()))?;
        (!value.is_empty() && value != b"[UNAVAILABLE]").then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_counts() {
        for (line, verb) in [
            ("MAIL FROM:<a@b.invalid>", Verb::Mail),
            ("mail FROM:<>", Verb::Mail),
            ("DATA", Verb::Data),
            ("DATA ", Verb::Data),
            ("MAIL\tFROM:<>", Verb::Unknown),
            (" DATA", Verb::Unknown),
            ("DATABASE", Verb::Unknown),
            ("", Verb::Unknown),
            ("bdat 10 LAST", Verb::Bdat),
            ("StartTLS", Verb::Unoffered),
        ] {
            assert_eq!(Verb::of(line.as_bytes()), verb, "{line}");
        }
    }

    #[test]
    fn announcements_are_read() {
        let mail = |sender: &str, eight_bit, binary, smtputf8| Mail {
            sender: sender.as_bytes().to_vec(),
            eight_bit,
            binary,
            smtputf8,
        };
        for (line, want) in [
            ("MAIL FROM:<a@b.invalid>", mail("<a@b.invalid>", false, false, false)),
            ("MAIL FROM:<> BODY=8BITMIME", mail("<>", true, false, false)),
            ("mail from:<a@b.invalid> size=10 body=8bitmime smtputf8 RET=HDRS ENVID=x", {
                mail("<a@b.invalid>", true, false, true)
            }),
            ("MAIL FROM:<a@b.invalid> BODY=7BIT", mail("<a@b.invalid>", false, false, false)),
            ("MAIL FROM:<a@b.invalid> BODY=BINARYMIME", mail("<a@b.invalid>", false, true, false)),
            ("MAIL FROM:<\"SMTPUTF8> BODY=8BITMIME\"@b.invalid>", {
                mail("<SMTPUTF8> BODY=8BITMIME@b.invalid>", false, false, false)
            }),
            // What cannot be read announces nothing.
            ("MAIL FROM:<a@b.invalid> XOTHER=1 BODY=8BITMIME", mail("<a@b.invalid>", false, false, false)),
            ("MAIL FROM a@b.invalid BODY=8BITMIME", mail("", false, false, false)),
            ("MAIL > <", mail("", false, false, false)),
        ] {
            assert_eq!(Mail::read(line.as_bytes()), want, "{line}");
        }
    }

    #[test]
    fn attributes_are_found() {
        let line = b"XFORWARD NAME=spike.example ADDR=192.0.2.1 IDENT=4ABC PROTO=[UNAVAILABLE]";
        assert_eq!(forwarded(line, "ADDR"), Some(&b"192.0.2.1"[..]));
        assert_eq!(forwarded(line, "IDENT"), Some(&b"4ABC"[..]));
        assert_eq!(forwarded(line, "PROTO"), None);
        assert_eq!(forwarded(line, "PORT"), None);
        assert_eq!(forwarded(b"XFORWARD ADDR", "ADDR"), None);
    }
}
