//! Reads message flags from mailbox header fields: `Status` and `X-Status` (elm, Pine, Dovecot), and `X-Mozilla-Status`.
//!
//! # Limits
//!
//! Ignores keywords (`X-Keywords`, `X-Mozilla-Keys`) and `X-Mozilla-Status2`. The fields stay in the message. Writes no such
//! fields: a mailbox made from a Maildir has no flags, and an event reports that.

use mailglot_archive::Flags;
use mailglot_archive::mbox::line_end_length;

/// Returns the flags in the fields of a header, combined if there are several fields.
pub(crate) fn flags(message: &[u8]) -> Flags {
    let mut flags = 0;
    let mut rest = message;
    while !matches!(rest.first(), None | Some(b'\r' | b'\n')) {
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let (line, next) = rest.split_at(end);
        rest = &next[line_end_length(next)..];
        if !matches!(line[0], b'S' | b's' | b'X' | b'x') {
            continue;
        }
        let Some(colon) = memchr::memchr(b':', line) else {
            continue;
        };
        let (name, value) = (
            line[..colon].trim_ascii_end(),
            line[colon + 1..].trim_ascii(),
        );
        if name.eq_ignore_ascii_case(b"status") {
            flags |= letters(value, |letter| if letter == b'R' { Flags::SEEN } else { 0 });
        } else if name.eq_ignore_ascii_case(b"x-status") {
            flags |= letters(value, |letter| match letter {
                b'A' => Flags::REPLIED,
                b'F' => Flags::FLAGGED,
                b'D' => Flags::TRASHED,
                b'T' => Flags::DRAFT,
                _ => 0,
            });
        } else if name.eq_ignore_ascii_case(b"x-mozilla-status") {
            flags |= mozilla(value);
        }
    }
    Flags(flags)
}

fn letters(value: &[u8], flag: impl Fn(u8) -> u32) -> u32 {
    // Other values are not flags but somebody's text.
    let plain = value.len() <= 16 && value.iter().all(u8::is_ascii_uppercase);
    if plain {
        value.iter().fold(0, |flags, letter| flags | flag(*letter))
    } else {
        0
    }
}

/// Decodes hexadecimal bits (nsMsgMessageFlags.idl): read, replied to, marked, deleted but not yet removed, forwarded.
fn mozilla(value: &[u8]) -> u32 {
    let number = std::str::from_utf8(value)
        .ok()
        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let bits = [
        (0x0001, Flags::SEEN),
        (0x0002, Flags::REPLIED),
        (0x0004, Flags::FLAGGED),
        (0x0008, Flags::TRASHED),
        (0x1000, Flags::PASSED),
    ];
    let found = bits
        .into_iter()
        .filter(|(bit, _)| number.unwrap_or(0) & bit != 0);
    found.fold(0, |flags, (_, flag)| flags | flag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message_file_names;

    #[test]
    fn fields_give_flags() {
        for (header, expected) in [
            ("Status: RO", "S"),
            ("Status: O", ""),
            ("Status: Resolved", ""),
            ("STATUS : RO\r\nX-Status: AF", "FRS"),
            ("X-Status: DT\rStatus: U", "DT"),
            ("X-Mozilla-Status: 0009", "ST"),
            ("X-Mozilla-Status: 1007", "FPRS"),
            ("X-Mozilla-Status: what", ""),
            ("X-Mozilla-Status2: 00000001", ""),
            ("Subject: x\n Status: RO\nX-Mozilla-Status: 0001", "S"),
            ("no field\nStatus: R", "S"),
            ("To: x\r\r\nStatus: RO\r\r\nX-Status: A", "RS"),
            ("Subject: x\n\nStatus: RO", ""),
            ("", ""),
        ] {
            assert_eq!(
                message_file_names::flags(flags(header.as_bytes())),
                expected,
                "{header}"
            );
            assert_eq!(
                message_file_names::flags(flags(format!("{header}\n\nX-Status: A\n").as_bytes())),
                expected
            );
        }
    }
}
