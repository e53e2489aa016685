//! Names of the files that an output folder holds.

use mailglot_archive::{Entry, Flags, Format};
use mailglot_codec::imap_utf7::encode_mailbox;

/// Path of a message below its output's root; empty where the output is one file.
pub(crate) fn message_name(format: Format, entry: &Entry, message: &[u8]) -> String {
    match format {
        Format::Mbox | Format::Eml => String::new(),
        Format::Maildir => {
            let folder = maildir_folder(&entry.folder);
            let slash = if folder.is_empty() { "" } else { "/" };
            format!(
                "{folder}{slash}cur/{:08}.{}.mailglot:2,{}",
                entry.ordinal,
                digest(message),
                flags(entry.flags)
            )
        }
        Format::EmlTree => {
            let mut name = String::new();
            for level in entry.folder.split('/').filter(|level| !level.is_empty()) {
                name.push_str(&clean(level));
                name.push('/');
            }
            name + &format!("{:08}-{}.eml", entry.ordinal, digest(message))
        }
    }
}

/// A single path component that every file system takes: no separators, controls, reserved characters or dots at its ends.
pub(crate) fn clean(component: &str) -> String {
    const LONGEST: usize = 200;
    let mut name = String::with_capacity(component.len());
    for c in component.chars() {
        let reserved = c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
        let c = if reserved || (c == '.' && name.is_empty()) { '_' } else { c };
        if name.len() + c.len_utf8() > LONGEST {
            break;
        }
        name.push(c);
    }
    let kept = name.trim_end_matches(['.', ' ']).len();
    name.truncate(kept);
    if name.is_empty() { "_".to_owned() } else { name }
}

/// First 12 hexadecimal digits of the BLAKE3.
fn digest(message: &[u8]) -> String {
    crate::hash::hex(&blake3::hash(message).as_bytes()[..6])
}

/// `.A.B` for folder A/B; a dot in a name would be another level.
fn maildir_folder(folder: &str) -> String {
    let mut name = String::new();
    for level in folder.split('/').filter(|level| !level.is_empty()) {
        name.push('.');
        let level: String = level.chars().map(|c| if c == '.' || c.is_control() { '_' } else { c }).collect();
        // Without controls, NUL among them, every text has a name.
        name.push_str(&encode_mailbox(&level).unwrap_or(level));
    }
    name
}

/// Maildir flags in their order.
fn flags(flags: Flags) -> String {
    [
        (Flags::DRAFT, 'D'),
        (Flags::FLAGGED, 'F'),
        (Flags::PASSED, 'P'),
        (Flags::REPLIED, 'R'),
        (Flags::SEEN, 'S'),
        (Flags::TRASHED, 'T'),
    ]
    .into_iter()
    .filter_map(|(bit, letter)| (flags.0 & bit != 0).then_some(letter))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_safe() {
        for (from, to) in [
            ("Entwürfe", "Entwürfe"),
            ("..", "_"),
            (".", "_"),
            (".hidden", "_hidden"),
            ("a/b\\c:d\u{7}", "a_b_c_d_"),
            ("trailing. ", "trailing"),
            ("", "_"),
        ] {
            assert_eq!(clean(from), to, "{from:?}");
        }
        assert!(clean(&"ü".repeat(300)).len() <= 200);
    }

    #[test]
    fn flags_are_sorted() {
        assert_eq!(flags(Flags(Flags::SEEN | Flags::REPLIED | Flags::DRAFT)), "DRS");
        assert_eq!(flags(Flags(0)), "");
    }
}
