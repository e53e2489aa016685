//! How seeds are written in files.
//!
//! # Limits
//! An unknown escape stands for its letter.

/// Returns the seeds in a file: its lines without comments (`#`).
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// Decodes a line of a file of seeds, with `\n`, `\r`, `\t`, `\\` and `\xNN`.
pub fn unescaped(line: &str) -> Vec<u8> {
    let (mut out, bytes, mut at) = (Vec::new(), line.as_bytes(), 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let hex = bytes
            .get(at + 1..at + 3)
            .and_then(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 16).ok());
        match (bytes.get(at), hex) {
            (Some(b'x'), Some(value)) => {
                out.push(value);
                at += 2;
            }
            (Some(b'n'), _) => out.push(b'\n'),
            (Some(b'r'), _) => out.push(b'\r'),
            (Some(b't'), _) => out.push(b'\t'),
            (Some(&other), _) => out.push(other),
            (None, _) => {}
        }
        at += 1;
    }
    out
}
