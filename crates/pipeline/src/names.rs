//! Names of the files that an output folder holds.

use mailglot_archive::{Flags, Format};
use mailglot_codec::imap_utf7::encode_mailbox;

/// Path of a message below its output's root; empty where the output is one file.
pub(crate) fn message_name(
    format: Format,
    ordinal: u64,
    folder: &str,
    flagged: Flags,
    message: &[u8],
) -> String {
    let written = written_folder(format)
        .map(|written| written(folder))
        .unwrap_or_default();
    let slash = if written.is_empty() { "" } else { "/" };
    let digest = || digest(message);
    match format {
        Format::Mbox | Format::Eml => String::new(),
        Format::Maildir => {
            format!(
                "{written}{slash}cur/{ordinal:08}.{}.mailglot:2,{}",
                digest(),
                flags(flagged)
            )
        }
        Format::EmlTree => format!("{written}{slash}{ordinal:08}-{}.eml", digest()),
    }
}

/// How the path of a folder is made of its display form, where the output has folders.
pub(crate) fn written_folder(format: Format) -> Option<fn(&str) -> String> {
    match format {
        Format::Mbox | Format::Eml => None,
        Format::Maildir => Some(maildir_folder),
        Format::EmlTree => Some(tree_folder),
    }
}

fn tree_folder(folder: &str) -> String {
    let levels = folder
        .split('/')
        .filter(|level| !level.is_empty())
        .map(|level| {
            let level = clean(level);
            // Folders of these names would make a Maildir of the tree.
            if matches!(&*level, "cur" | "new" | "tmp") {
                level + "_"
            } else {
                level
            }
        });
    levels.collect::<Vec<_>>().join("/")
}

/// True for a file whose name is one of ours and holds the digest of another content.
pub(crate) fn is_altered(name: &str, message: &[u8]) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let told = match name.split_once(".mailglot:2,") {
        Some((ours, _)) => ours.split_once('.'),
        None => name
            .strip_suffix(".eml")
            .and_then(|ours| ours.split_once('-')),
    };
    told.is_some_and(|(ordinal, told)| {
        ordinal.len() >= 8
            && told.len() == 12
            && digits(ordinal)
            && digits(told)
            && told != digest(message)
    })
}

/// A single path component that every file system takes: no separators, controls, reserved characters or dots at its ends.
pub(crate) fn clean(component: &str) -> String {
    const LONGEST: usize = 200;
    let mut name = String::with_capacity(component.len());
    for c in component.chars() {
        let reserved =
            c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
        let c = if reserved || (c == '.' && name.is_empty()) {
            '_'
        } else {
            c
        };
        if name.len() + c.len_utf8() > LONGEST {
            break;
        }
        name.push(c);
    }
    let kept = name.trim_end_matches(['.', ' ']).len();
    name.truncate(kept);
    if name.is_empty() {
        "_".to_owned()
    } else {
        name
    }
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
    let ends: Vec<usize> = folder
        .char_indices()
        .map(|(at, _)| at)
        .take(LONGEST)
        .collect();
    let end = ends[ends.partition_point(|&end| fits(end)).saturating_sub(1)];
    format!(
        "{}-{digest}",
        maildir_levels(folder[..end].trim_end_matches('/'))
    )
}

fn maildir_levels(folder: &str) -> String {
    let mut name = String::new();
    for level in folder.split('/').filter(|level| !level.is_empty()) {
        name.push('.');
        let level: String = level
            .chars()
            .map(|c| if c == '.' || c.is_control() { '_' } else { c })
            .collect();
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

/// Maildir flags and keywords in their order.
pub(crate) fn flags(flags: Flags) -> String {
    [
        (Flags::DRAFT, 'D'),
        (Flags::FLAGGED, 'F'),
        (Flags::PASSED, 'P'),
        (Flags::REPLIED, 'R'),
        (Flags::SEEN, 'S'),
        (Flags::TRASHED, 'T'),
    ]
    .into_iter()
    .chain((b'a'..=b'z').filter_map(|letter| Some((Flags::keyword(letter)?, char::from(letter)))))
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
        let deep =
            |letter: &str| [letter.repeat(100), letter.repeat(100), letter.repeat(100)].join("/");
        for letter in ["a", "ü", "&", "漢", "😀"] {
            let folder = deep(letter);
            let (name, other) = (
                maildir_folder(&folder),
                maildir_folder(&(folder.clone() + "x")),
            );
            assert!(
                (200..=255).contains(&name.len()),
                "{letter}: {}",
                name.len()
            );
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
        assert_eq!(
            flags(Flags(Flags::SEEN | Flags::REPLIED | Flags::DRAFT)),
            "DRS"
        );
        assert_eq!(flags(Flags(0)), "");
        let keywords = Flags::keyword(b'z').unwrap() | Flags::keyword(b'a').unwrap();
        assert_eq!(flags(Flags(Flags::TRASHED | keywords)), "Taz");
        assert_eq!(Flags::keyword(b'A'), None);
    }

    #[test]
    fn a_name_tells_of_another_content() {
        for format in [Format::Maildir, Format::EmlTree] {
            let path = message_name(format, 7, "a/b", Flags(Flags::SEEN), b"text");
            let (_, name) = path.rsplit_once('/').unwrap();
            assert!(!is_altered(name, b"text"), "{name}");
            assert!(is_altered(name, b"tex"), "{name}");
        }
        for name in [
            "1.eml",
            "00000001-notes.eml",
            "00000001.0123456789ab.host:2,S",
            "0123456789ab.eml",
        ] {
            assert!(!is_altered(name, b"x"), "{name}");
        }
    }

    #[test]
    fn levels_of_trees_make_no_maildir() {
        assert_eq!(tree_folder("a/cur/b:c/new"), "a/cur_/b_c/new_");
        assert_eq!(tree_folder(""), "");
    }
}
