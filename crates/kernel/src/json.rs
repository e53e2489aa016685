//! Escapes text for JSON strings (RFC 8259, section 7).
//!
//! # Limits
//! Of the short escapes only those for line ends, tabs, quotes and backslashes are written; other controls become `\u00XX`.

use super::portable::json::portable_json;

/// How line ends are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// Unchanged.
    Kept,
    /// Each CR LF, CR and LF becomes one LF.
    Lf,
}

/// Appends `text` to `out` as it stands inside a JSON string, without quotes around it.
///
/// ```
/// use mailglot_kernel::json::{LineEnds, append_escaped};
///
/// let mut out = Vec::new();
/// append_escaped("a \"b\"\r\nc", LineEnds::Lf, &mut out);
/// assert_eq!(out, br#"a \"b\"\nc"#);
/// ```
pub fn append_escaped(text: &str, line_ends: LineEnds, out: &mut Vec<u8>) {
    json(text.as_bytes(), line_ends == LineEnds::Lf, out);
}

/// With `lines`, CR LF and CR become LF.
#[inline]
fn json(text: &[u8], lines: bool, out: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::json(text, lines, out) };
    }
    portable_json(text, lines, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Character for character.
    fn twin(text: &str, lines: bool) -> String {
        let text = if lines {
            text.replace("\r\n", "\n").replace('\r', "\n")
        } else {
            text.to_owned()
        };
        let escaped = |c: char| match c {
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            '"' | '\\' => format!("\\{c}"),
            '\0'..='\x1f' => format!("\\u{:04x}", u32::from(c)),
            other => other.to_string(),
        };
        text.chars().map(escaped).collect()
    }

    fn same(text: &str) {
        for lines in [false, true] {
            let want = format!("before {}", twin(text, lines));
            for write in [json, portable_json] {
                let mut out = b"before ".to_vec();
                write(text.as_bytes(), lines, &mut out);
                assert_eq!(String::from_utf8_lossy(&out), want, "{text:?} {lines}");
            }
        }
    }

    #[test]
    fn every_character_at_every_place_of_every_length() {
        for len in 0..=100 {
            same(&"x".repeat(len));
            for c in ('\0'..'\u{100}').chain(['\u{2028}', '\u{FFFD}', '\u{1F600}']) {
                same(&format!("{}{c}", "x".repeat(len)));
                same(&format!("{}{c}{c}äöü-0123456789{c}", "x".repeat(len)));
            }
        }
    }

    #[test]
    fn line_ends_at_every_place() {
        for len in 0..=70 {
            for ends in ["\r\n", "\r\r\n", "\n\r", "\r\r", "\r\n\r\n", "\"\r\n\t\\\r"] {
                same(&format!("{}{ends}", "x".repeat(len)));
                same(&format!("{}{ends}{}", "x".repeat(len), "y\n".repeat(len)));
            }
        }
    }
}
