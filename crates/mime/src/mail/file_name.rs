//! Makes names of attachments safe for a file system.
//!
//! # Limits
//! Two attachments may get the same name. Names are compared by no rule of a file system.

/// Longest name, in bytes; file systems allow 255.
const LONGEST: usize = 200;

/// Returns the last component of a path without characters that a file system or terminal interprets, or `None` if nothing is left.
pub(super) fn safe(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let replaced = |c: char| match c {
        ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        c if c.is_control() || is_invisible(c) => '_',
        c => c,
    };
    let name: String = last.chars().map(replaced).collect();
    // Leading dots hide a file, and Windows drops dots and blanks at the end.
    let name = name.trim_matches(|c: char| c == '.' || c.is_whitespace());
    let reserved = is_device(name);
    let mut name = shortened(name);
    if reserved {
        name.insert(0, '_');
    }
    (!name.is_empty()).then_some(name)
}

/// Shortens a name to [`LONGEST`] bytes and keeps its extension.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let extension = name
        .rfind('.')
        .map_or("", |at| &name[at..])
        .get(..)
        .filter(|extension| extension.len() <= 16)
        .unwrap_or("");
    let mut end = LONGEST - extension.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{extension}", &name[..end])
}

/// Returns true for characters that turn the direction of writing, or that nobody sees.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// Returns true for names that Windows reserves for devices, with any extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let upper = stem.to_ascii_uppercase();
    let numbered = |device: &str| {
        upper
            .strip_prefix(device)
            .is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
    };
    matches!(upper.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        for (name, want) in [
            ("report.pdf", "report.pdf"),
            ("Übersicht 2.pdf", "Übersicht 2.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\x\\a.doc", "a.doc"),
            ("..", ""),
            (" .hidden. ", "hidden"),
            ("a\u{202e}gpj.exe", "a_gpj.exe"),
            ("a\r\nb\0", "a__b_"),
            ("what?<x>|\"*:", "what__x_____"),
            ("nul.txt", "_nul.txt"),
            ("com1", "_com1"),
            ("com10", "com10"),
            ("folder/", ""),
            ("", ""),
        ] {
            assert_eq!(safe(name).unwrap_or_default(), want, "{name:?}");
        }
        let long = format!("{}.tar", "ü".repeat(300));
        let short = safe(&long).unwrap_or_default();
        assert!(
            short.len() <= LONGEST && short.ends_with("ü.tar"),
            "{short}"
        );
    }
}
