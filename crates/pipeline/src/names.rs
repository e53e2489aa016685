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
                let level = clean(level);
                name.push_str(&level);
                // Folders of these names would make a Maildir of the tree.
                name.push_str(if matches!(&*level, "cur" | "new" | "tmp") { "_/" } else { "/" });
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

/// `.A.B` for folder A/B; a dot in a name would be another level. What is too long for a file system is cut, and a digest of all of it follows.
fn maildir_folder(folder: &str) -> String {
    const LONGEST: usize = 255;
    let name = maildir_levels(folder);
    if name.len() <= LONGEST {
        return name;
    }
    let digest = digest(folder.as_bytes());
    let fits = |end: usize| maildir_levels(&folder[..end]).len() + 1 + digest.len() <= LONGEST;
    // No character takes less than a byte of a name, so that this many are enough to try.
    let ends: Vec<usize> = folder.char_indices().map(|(at, _)| at).take(LONGEST).collect();
    let end = ends[ends.partition_point(|&end| fits(end)).saturating_sub(1)];
    format!("{}-{digest}", maildir_levels(folder[..end].trim_end_matches('/')))
}

fn maildir_levels(folder: &str) -> String {
    let mut name = String::new();
    for level in folder.split('/').filter(|level| !level.is_empty()) {
        name.push('.');
        let level: String = level.chars().map(|c| if c == '.' || c.is_control() { '_' } else { c }).collect();
        // Without controls, NUL among them, every text has a name.
        name.push_str(&encode_mailbox(&level).unwrap_or(level));
    }
    name
}

/// True for a file name as messages of a Maildir have it: with flags, or `time.unique.host`.
pub(crate) fn is_maildir_message(name: &str) -> bool {
    if name.contains(":2,") {
        return true;
    }
    let mut parts = name.splitn(3, '.');
    let time = parts.next().unwrap_or_default();
    !time.is_empty() && time.bytes().all(|b| b.is_ascii_digit()) && parts.count() == 2
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
    fn folders_of_any_depth_have_a_name_of_their_own() {
        assert_eq!(maildir_folder("A/B.C"), ".A.B_C");
        let deep = |letter: &str| [letter.repeat(100), letter.repeat(100), letter.repeat(100)].join("/");
        for letter in ["a", "ü", "&", "漢", "😀"] {
            let folder = deep(letter);
            let (name, other) = (maildir_folder(&folder), maildir_folder(&(folder.clone() + "x")));
            assert!((200..=255).contains(&name.len()), "{letter}: {}", name.len());
            assert_ne!(name, other);
            let (start, _) = name.rsplit_once('-').unwrap();
            assert!(start.split('.').skip(1).all(|level| {
                mailglot_codec::imap_utf7::decode_mailbox(level.as_bytes())
                    .is_ok_and(|level| folder.contains(&level))
            }));
        }
        assert_eq!(maildir_folder(&"a".repeat(254)).len(), 255);
    }

    #[test]
    fn flags_are_sorted() {
        assert_eq!(flags(Flags(Flags::SEEN | Flags::REPLIED | Flags::DRAFT)), "DRS");
        assert_eq!(flags(Flags(0)), "");
    }
}
