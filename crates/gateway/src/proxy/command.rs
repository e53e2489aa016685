//! Parses commands of a client and the parameters of MAIL. Lines go to the next hop unchanged; only the next hop judges addresses.

use smtp_proto::Request;

/// The verb of a command line.
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
    /// A registered command that is never announced.
    Unoffered,
    Unknown,
}

impl Verb {
    /// The first word of a line.
    pub(super) fn of(line: &[u8]) -> Self {
        let end = line
            .iter()
            .position(|byte| *byte == b' ')
            .unwrap_or(line.len());
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
            b"AUTH" | b"BURL" | b"EXPN" | b"ETRN" | b"ATRN" | b"STARTTLS" | b"TURN"
            | b"XCLIENT" => Self::Unoffered,
            _ => Self::Unknown,
        }
    }
}

/// The path and the parameters of MAIL. Without a path there are no parameters, and only 7-bit data are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mail {
    /// The path in angle brackets, for the log only. Empty if it cannot be parsed.
    pub(super) sender: Vec<u8>,
    /// True for `BODY=8BITMIME` (RFC 6152).
    pub(super) eight_bit: bool,
    /// Data without lines are announced (RFC 3030).
    pub(super) binary: bool,
    /// True for SMTPUTF8 (RFC 6531).
    pub(super) smtputf8: bool,
}

impl Mail {
    /// Parameters count wherever they stand among others, known here or not: the next hop may know them.
    pub(super) fn read(line: &[u8]) -> Self {
        let (path, parameters) = parts(line).unwrap_or_default();
        let has = |text: &[u8], wanted: &str| {
            text.split(u8::is_ascii_whitespace)
                .any(|word| word.eq_ignore_ascii_case(wanted.as_bytes()))
        };
        Self {
            sender: sender(line, path),
            eight_bit: has(parameters, "BODY=8BITMIME"),
            // Anywhere in the line: the next hop may parse the path differently, and binary data would have no end here.
            binary: has(line, "BODY=BINARYMIME"),
            smtputf8: has(parameters, "SMTPUTF8"),
        }
    }
}

/// Returns the path of RCPT as it stands, for the record; empty if the line has none.
pub(super) fn recipient(line: &[u8]) -> &[u8] {
    path_behind(line, "RCPT", b"TO").map_or(b"", |(path, _)| path)
}

/// The path of MAIL and its parameters; none where there is no path. As several servers have it, blanks may stand before the path, and
/// its angle brackets may be missing.
fn parts(line: &[u8]) -> Option<(&[u8], &[u8])> {
    path_behind(line, "MAIL", b"FROM")
}

/// The path behind a verb and the word that follows it, and what stands behind the path.
fn path_behind<'a>(line: &'a [u8], verb: &str, word: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let (_, rest) = line.split_at_checked(verb.len())?;
    let (said, rest) = rest.trim_ascii_start().split_at_checked(word.len())?;
    let rest = rest
        .trim_ascii_start()
        .strip_prefix(b":")?
        .trim_ascii_start();
    if !said.eq_ignore_ascii_case(word) || rest.is_empty() {
        return None;
    }
    let end = if rest.starts_with(b"<") {
        path_end(rest)?
    } else {
        rest.iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len())
    };
    Some(rest.split_at(end))
}

/// Behind the bracket that closes a path; one in quotes, or behind a backslash, does not.
fn path_end(path: &[u8]) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in path.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'>' if !quoted => return Some(at + 1),
            _ => (),
        }
    }
    None
}

/// Returns the path for the log; unparsed if it is malformed.
fn sender(line: &[u8], path: &[u8]) -> Vec<u8> {
    let ended = [line, b"\r\n"].concat();
    match Request::parse(&mut ended.iter()) {
        Ok(Request::Mail { from }) => format!("<{}>", from.address).into_bytes(),
        _ if path.is_empty() || path.starts_with(b"<") => path.to_vec(),
        _ => [b"<", path, b">"].concat(),
    }
}

/// Returns the value of an attribute of XFORWARD. Returns `None` if the line does not name it, and an empty value if the line says
/// that it is not known.
pub(super) fn forwarded<'a>(line: &'a [u8], name: &str) -> Option<&'a [u8]> {
    line.split(|byte| *byte == b' ').skip(1).find_map(|word| {
        let (key, value) = word.split_at_checked(name.len())?;
        let value = value
            .strip_prefix(b"=")
            .filter(|_| key.eq_ignore_ascii_case(name.as_bytes()))?;
        Some(if value == b"[UNAVAILABLE]" {
            &[]
        } else {
            value
        })
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
            (
                "MAIL FROM:<a@b.invalid>",
                mail("<a@b.invalid>", false, false, false),
            ),
            ("MAIL FROM:<> BODY=8BITMIME", mail("<>", true, false, false)),
            (
                "mail from:<a@b.invalid> size=10 body=8bitmime smtputf8 RET=HDRS ENVID=x",
                { mail("<a@b.invalid>", true, false, true) },
            ),
            (
                "MAIL FROM:<a@b.invalid> BODY=7BIT",
                mail("<a@b.invalid>", false, false, false),
            ),
            (
                "MAIL FROM:<a@b.invalid> BODY=BINARYMIME",
                mail("<a@b.invalid>", false, true, false),
            ),
            ("MAIL FROM:<\"SMTPUTF8> BODY=8BITMIME\"@b.invalid>", {
                mail("<SMTPUTF8> BODY=8BITMIME@b.invalid>", false, false, false)
            }),
            // Parameters that nobody knows here hide none.
            (
                "MAIL FROM:<a@b.invalid> XOTHER=1 BODY=8BITMIME",
                mail("<a@b.invalid>", true, false, false),
            ),
            (
                "MAIL FROM:<a@b.invalid> XOTHER=1 BODY=BINARYMIME",
                mail("<a@b.invalid>", false, true, false),
            ),
            (
                "MAIL FROM:<a@b.invalid>  SMTPUTF8  X\t body=binarymime ",
                mail("<a@b.invalid>", false, true, true),
            ),
            (
                "MAIL FROM: a@b.invalid SMTPUTF8 X=",
                mail("<a@b.invalid>", false, false, true),
            ),
            (
                "MAIL FROM:<\"a\\\"> BODY=8BITMIME \"@b.invalid> X= SMTPUTF8",
                { mail("<\"a\\\"> BODY=8BITMIME \"@b.invalid>", false, false, true) },
            ),
            // Without a path nothing is announced, but nothing without lines goes through.
            (
                "MAIL FROM a@b.invalid BODY=8BITMIME",
                mail("", false, false, false),
            ),
            (
                "MAIL FROM:<\"a> BODY=BINARYMIME SMTPUTF8",
                mail("", false, true, false),
            ),
            ("MAIL BODY=BINARYMIME", mail("", false, true, false)),
            ("MAIL FROM:", mail("", false, false, false)),
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
        assert_eq!(forwarded(line, "PROTO"), Some(&b""[..]));
        assert_eq!(forwarded(line, "PORT"), None);
        assert_eq!(forwarded(b"XFORWARD ADDR", "ADDR"), None);
    }
}
