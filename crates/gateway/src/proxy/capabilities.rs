//! Selects the extensions to announce: those of the next hop that the proxy supports.

use super::reply::ReplyLines;

/// The extensions of one side that this proxy supports.
///
/// CHUNKING, BINARYMIME, STARTTLS and AUTH are not among them. The proxy cannot find the end of data of the first two, and cannot
/// read a session protected by the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// 8BITMIME (RFC 6152).
    pub eight_bit: bool,
    /// SMTPUTF8 (RFC 6531).
    pub smtputf8: bool,
    /// PIPELINING (RFC 2920).
    pub pipelining: bool,
    /// DSN (RFC 3461).
    pub dsn: bool,
    /// ENHANCEDSTATUSCODES (RFC 2034).
    pub enhanced: bool,
    /// SIZE and its value (RFC 1870).
    pub size: Option<Vec<u8>>,
    /// XFORWARD of Postfix, and its attributes.
    pub forward: Option<Vec<u8>>,
}

impl Capabilities {
    /// Parses a reply to EHLO or LHLO.
    pub(super) fn read(reply: &ReplyLines) -> Self {
        let mut found = Self::default();
        for text in reply.texts.iter().skip(1) {
            let text = text.trim_ascii();
            let end = text
                .iter()
                .position(|byte| *byte == b' ')
                .unwrap_or(text.len());
            let value = || Some(text[end..].trim_ascii().to_vec());
            match text[..end].to_ascii_uppercase().as_slice() {
                b"8BITMIME" => found.eight_bit = true,
                b"SMTPUTF8" => found.smtputf8 = true,
                b"PIPELINING" => found.pipelining = true,
                b"DSN" => found.dsn = true,
                b"ENHANCEDSTATUSCODES" => found.enhanced = true,
                b"SIZE" => found.size = value(),
                b"XFORWARD" => found.forward = value(),
                _ => (),
            }
        }
        found
    }

    /// Writes a reply that announces them, with the first line of the next hop.
    pub(super) fn reply(&self, reply: &ReplyLines) -> ReplyLines {
        let mut texts: Vec<Vec<u8>> = reply.texts.first().cloned().into_iter().collect();
        let valued = |name: &[u8], value: &Vec<u8>| {
            if value.is_empty() {
                name.to_vec()
            } else {
                [name, b" ", value].concat()
            }
        };
        for (has, name) in [
            (self.pipelining, "PIPELINING"),
            (self.eight_bit, "8BITMIME"),
            (self.smtputf8, "SMTPUTF8"),
            (self.enhanced, "ENHANCEDSTATUSCODES"),
            (self.dsn, "DSN"),
        ] {
            if has {
                texts.push(name.as_bytes().to_vec());
            }
        }
        texts.extend(self.size.as_ref().map(|size| valued(b"SIZE", size)));
        texts.extend(
            self.forward
                .as_ref()
                .map(|names| valued(b"XFORWARD", names)),
        );
        ReplyLines {
            code: reply.code,
            texts,
        }
    }

    /// Returns the maximum size of a message in bytes; `None` without a limit (RFC 1870, section 4: also for 0).
    pub(super) fn most(&self) -> Option<u64> {
        let digits = std::str::from_utf8(self.size.as_deref()?).ok()?;
        digits.parse().ok().filter(|most| *most > 0)
    }

    /// Returns true if these include all extensions in `announced`.
    pub(super) fn covers(&self, announced: &Self) -> bool {
        (self.eight_bit || !announced.eight_bit)
            && (self.pipelining || !announced.pipelining)
            && (self.smtputf8 || !announced.smtputf8)
            && (self.dsn || !announced.dsn)
            && (self.size.is_some() || announced.size.is_none())
            && (self.forward == announced.forward || announced.forward.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_goes_through() {
        let lines = "mx.example.org\nPIPELINING\nsize 1000\nVRFY\nETRN\nSTARTTLS\nAUTH PLAIN LOGIN\nAUTH=PLAIN\nENHANCEDSTATUSCODES\n\
                     8BITMIME\nDSN\nSMTPUTF8\nCHUNKING\nBINARYMIME\nXFORWARD NAME ADDR\nXCLIENT NAME\nREQUIRETLS\nLIMITS RCPTMAX=1";
        let reply = ReplyLines {
            code: 250,
            texts: lines
                .split('\n')
                .map(|line| line.as_bytes().to_vec())
                .collect(),
        };
        let found = Capabilities::read(&reply);
        let mut out = Vec::new();
        found.reply(&reply).write(&mut out);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "250-mx.example.org\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-ENHANCEDSTATUSCODES\r\n250-DSN\r\n\
             250-SIZE 1000\r\n250 XFORWARD NAME ADDR\r\n"
        );
        assert!(found.covers(&found) && found.covers(&Capabilities::default()));
        assert!(!Capabilities::default().covers(&found));
        // The client pipelines if PIPELINING was announced to it.
        let one_by_one = Capabilities {
            pipelining: false,
            ..found.clone()
        };
        assert!(found.covers(&one_by_one) && !one_by_one.covers(&found));
        let none = ReplyLines {
            code: 250,
            texts: vec![b"mx".to_vec()],
        };
        assert_eq!(Capabilities::read(&none), Capabilities::default());
        assert_eq!(Capabilities::default().reply(&none), none);
    }

    #[test]
    fn a_bound_of_sizes_is_a_number_above_zero() {
        let most = |size: Option<&str>| {
            let size = size.map(|size| size.as_bytes().to_vec());
            Capabilities {
                size,
                ..Capabilities::default()
            }
            .most()
        };
        assert_eq!(most(Some("2000")), Some(2_000));
        for none in [
            None,
            Some(""),
            Some("0"),
            Some("x"),
            Some("1 2"),
            Some("99999999999999999999"),
        ] {
            assert_eq!(most(none), None, "{none:?}");
        }
    }
}
