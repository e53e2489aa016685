//! The value of the Message-ID field.

/// Bytes of the longest value that is returned whole (RFC 5322 2.1.1).
const LONGEST: usize = 998;

/// Returns the value of the first Message-ID field (RFC 5322 3.6.4) without white space around it, at most 998 bytes; empty if there is none.
///
/// A value of several lines ends with the first of them that is not empty.
pub(crate) fn message_id(raw: &[u8]) -> &[u8] {
    const NAME: &[u8] = b"message-id";
    let mut lines = raw.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        if line.is_empty() || line == b"\r" {
            break;
        }
        let Some((name, value)) = line.split_at_checked(NAME.len()) else {
            continue;
        };
        let Some(value) = value.trim_ascii_start().strip_prefix(b":") else {
            continue;
        };
        if !name.eq_ignore_ascii_case(NAME) {
            continue;
        }
        let mut value = value.trim_ascii();
        while value.is_empty() {
            match lines.next() {
                Some(line) if matches!(line.first(), Some(b' ' | b'\t')) => {
                    value = line.trim_ascii();
                }
                _ => break,
            }
        }
        return &value[..value.len().min(LONGEST)];
    }
    b""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_is_taken() {
        for (raw, want) in [
            ("Message-ID: <a@b>\r\nMessage-ID: <c@d>\r\n\r\n", "<a@b>"),
            ("Subject: x\r\nMESSAGE-id:\r\n\t<a@b>\r\n\r\n", "<a@b>"),
            ("Message-ID :<a@b>\n\n", "<a@b>"),
            ("Message-ID:\r\n \r\n <a@b> \r\n\r\n", "<a@b>"),
            ("Subject: x\r\n\r\nMessage-ID: <a@b>\r\n", ""),
            ("Message-IDs: <a@b>\r\n\r\n", ""),
            ("Message-ID", ""),
            ("", ""),
        ] {
            assert_eq!(message_id(raw.as_bytes()), want.as_bytes(), "{raw:?}");
        }
        let long = format!("Message-ID: {}\r\n\r\n", "x".repeat(5_000));
        assert_eq!(message_id(long.as_bytes()).len(), LONGEST);
    }
}
