//! Makes names of attachments safe for a file system.
//!
//! # Limits
//! Two attachments may get the same name. Names are compared by no rule of a file system.

use std::borrow::Cow;

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
    // The end of a shortened name may be a dot or blank that stood inside.
    let mut name = trimmed(&shortened(trimmed(&name))).to_owned();
    if is_device(&name) {
        name.insert(0, '_');
    }
    (!name.is_empty()).then_some(name)
}

/// Removes leading dots, which hide a file, and dots and blanks at the end, which Windows drops.
fn trimmed(name: &str) -> &str {
    name.trim_matches(|c: char| c == '.' || c.is_whitespace())
}

/// Shortens a name so that [`LONGEST`] bytes have room for it and for a character in front, and keeps its extension.
fn shortened(name: &str) -> Cow<'_, str> {
    let longest = LONGEST - 1;
    if name.len() <= longest {
        return Cow::Borrowed(name);
    }
    let extension = name.rfind('.').map(|at| &name[at..]);
    let extension = extension.filter(|it| it.len() <= 16).unwrap_or_default();
    let mut end = longest - extension.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}{extension}", &name[..end]))
}

/// Returns true for characters that turn the direction of writing, or that nobody sees: Default_Ignorable_Code_Point of Unicode without
/// the variation selectors, which belong to a visible character.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e00ff}'
            | '\u{e01f0}'..='\u{e0fff}'
    )
}

/// Returns true for names that Windows reserves for devices, with any extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let upper = stem.to_ascii_uppercase();
    let numbered = |device: &str| {
        let number = upper.strip_prefix(device);
        number.is_some_and(|number| {
            matches!(number.as_bytes(), [b'1'..=b'9']) || matches!(number, "¹" | "²" | "³")
        })
    };
    let is_named = matches!(
        upper.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    );
    is_named || numbered("COM") || numbered("LPT")
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
            ("COM\u{b9}.log", "_COM\u{b9}.log"),
            ("lpt\u{b3}", "_lpt\u{b3}"),
            ("conin$", "_conin$"),
            ("CONOUT$ .txt", "_CONOUT$ .txt"),
            ("a\u{ad}b\u{34f}c\u{180e}d", "a_b_c_d"),
            ("\u{115f}\u{1160}\u{3164}\u{ffa0}x", "____x"),
            ("x\u{e0001}\u{e0041}\u{e007f}y", "x___y"),
            ("❤\u{fe0f}.png", "❤\u{fe0f}.png"),
            ("folder/", ""),
            ("", ""),
        ] {
            assert_eq!(safe(name).unwrap_or_default(), want, "{name:?}");
        }
        for (name, want) in [
            // Cut before the dot and the blank, which must not become the end.
            (
                format!("{}. {}", "x".repeat(197), "y".repeat(50)),
                "x".repeat(197),
            ),
            // A device with the longest name has room for the underscore.
            (
                format!("nul{}.txt", " ".repeat(300)),
                format!("_nul{}.txt", " ".repeat(192)),
            ),
            // The device appears when the middle is cut out.
            (
                format!("com1{}x.txt", " ".repeat(300)),
                format!("_com1{}.txt", " ".repeat(191)),
            ),
        ] {
            let safe = safe(&name).unwrap_or_default();
            assert_eq!(safe, want, "{name:?}");
            assert!(safe.len() <= LONGEST);
        }
        let long = format!("{}.tar", "ü".repeat(300));
        let short = safe(&long).unwrap_or_default();
        assert!(
            short.len() <= LONGEST && short.ends_with("ü.tar"),
            "{short}"
        );
    }
}
