//! Quotes words and paths for a POSIX shell.

use crate::visible_text::visible;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Quotes a path. A name that begins with `-` gets `./` in front.
pub(crate) fn quoted(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    if bytes.starts_with(b"-") && bytes != b"-" {
        return shell_word(&[b"./", bytes].concat());
    }
    shell_word(bytes)
}

/// Quotes a word if it needs quotes, with `$'\n'` (POSIX.1-2024) if it has control characters or is not UTF-8.
pub(crate) fn shell_word(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes)
        .ok()
        .filter(|text| matches!(visible(text), Cow::Borrowed(_)));
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+:,@%=".contains(c);
    match text {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => return text.to_owned(),
        Some(text) => return single_quoted(text),
        None => {}
    }
    let mut word = "$'".to_owned();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let utf8 = c.encode_utf8(&mut buffer);
            match c {
                '\n' => word.push_str(r"\n"),
                '\t' => word.push_str(r"\t"),
                '\'' | '\\' => word.extend(['\\', c]),
                _ if matches!(visible(utf8), Cow::Owned(_)) => octal(utf8.as_bytes(), &mut word),
                _ => word.push(c),
            }
        }
        octal(chunk.invalid(), &mut word);
    }
    word + "'"
}

/// Puts a text without control characters between single quotes.
pub(crate) fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn octal(bytes: &[u8], word: &mut String) {
    for byte in bytes {
        let _ = write!(word, "\\{byte:03o}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_for_the_shell() {
        for (path, shell) in [
            ("a.mbox", "a.mbox"),
            ("-", "-"),
            ("-a", "./-a"),
            ("it's", r"'it'\''s'"),
            ("a b", "'a b'"),
            ("", "''"),
            ("Entwürfe", "Entwürfe"),
            ("-a b", "'./-a b'"),
            (
                "a\nb\t\u{1b}7'\\ü\u{202e}",
                r"$'a\nb\t\0337\'\\ü\342\200\256'",
            ),
        ] {
            assert_eq!(quoted(Path::new(path)), shell);
        }
        assert_eq!(shell_word(b"a\xe97"), r"$'a\3517'");
    }

    /// What a shell reads is what was meant, for every byte but NUL.
    #[test]
    fn a_shell_reads_what_was_meant() {
        for byte in 1..=255_u8 {
            for word in [
                vec![byte],
                vec![b'a', byte, b'7', b' '],
                vec![b'\'', byte, b'\\', 0xc3],
            ] {
                let script = format!("printf %s {}", shell_word(&word));
                let run = std::process::Command::new("bash")
                    .args(["-c", &script])
                    .output()
                    .unwrap();
                assert_eq!(run.stdout, word, "{script}");
            }
        }
    }
}
