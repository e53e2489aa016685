//! Makes the file names of messages in an output folder: Maildir, and folders of `.eml` files.

use mailglot_archive::{Flags, Format};
use mailglot_codec::imap_utf7::encode_mailbox;

/// Returns the path of a message below its output's root. Empty if the output is one file.
///
/// `digest` is the [`digest`] of the message.
pub(crate) fn message_name(
    format: Format,
    ordinal: u64,
    folder: &str,
    flagged: Flags,
    digest: impl FnOnce() -> String,
) -> String {
    let written = written_folder(format)
        .map(|written| written(folder))
        .unwrap_or_default();
    let slash = if written.is_empty() { "" } else { "/" };
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

/// Returns the function that converts a folder's display name to its path, if the output has folders.
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
            // Folders with these names would make the tree a Maildir.
            if matches!(&*level, "cur" | "new" | "tmp") {
                level + "_"
            } else {
                level
            }
        });
    levels.collect::<Vec<_>>().join("/")
}

/// Returns true if a file has a name in our format with the digest of different content.
pub(crate) fn is_altered(name: &str, message: &[u8]) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let stored = match name.split_once(".mailglot:2,") {
        Some((ours, _)) => ours.split_once('.'),
        None => name
            .strip_suffix(".eml")
            .and_then(|ours| ours.split_once('-')),
    };
    stored.is_some_and(|(ordinal, stored)| {
        ordinal.len() >= 8
            && stored.len() == 12
            && digits(ordinal)
            && digits(stored)
            && stored != digest([message])
    })
}

/// Like [`clean`], and replaces invisible characters that change the direction of writing, so that a name reads as it is.
pub(crate) fn readable(key: &str) -> String {
    let is_mark = |c| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = key.chars().map(|c| if is_mark(c) { '_' } else { c });
    clean(&shown.collect::<String>())
}

/// Returns a single path component that every file system accepts.
///
/// Replaces separators, controls and reserved characters, and dots at its ends.
pub(crate) fn clean(component: &str) -> String {
    String::from_utf8_lossy(&clean_bytes(component.as_bytes())).into_owned()
}

/// Like [`clean`], for a name that may be not UTF-8. Bytes that are no characters stay.
pub(crate) fn clean_bytes(component: &[u8]) -> Vec<u8> {
    const LONGEST: usize = 200;
    let mut name = Vec::with_capacity(component.len());
    'name: for chunk in component.utf8_chunks() {
        for c in chunk.valid().chars() {
            let reserved =
                c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
            let c = if reserved || (c == '.' && name.is_empty()) {
                '_'
            } else {
                c
            };
            if name.len() + c.len_utf8() > LONGEST {
                break 'name;
            }
            name.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if name.len() + chunk.invalid().len() > LONGEST {
            break;
        }
        name.extend_from_slice(chunk.invalid());
    }
    let last = name.iter().rposition(|byte| !matches!(byte, b'.' | b' '));
    name.truncate(last.map_or(0, |last| last + 1));
    if name.is_empty() {
        name.push(b'_');
    }
    name
}

/// Returns the first 12 hexadecimal digits of the BLAKE3 of a message in pieces.
pub(crate) fn digest<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = blake3::Hasher::new();
    for piece in pieces {
        hasher.update(piece);
    }
    crate::hash::hex(&hasher.finalize().as_bytes()[..6])
}

/// Returns `.A.B` for folder A/B. Replaces dots in a name, because they would start another level.
///
/// Truncates what is too long for a file system, and appends a digest of the whole.
fn maildir_folder(folder: &str) -> String {
    const LONGEST: usize = 255;
    let name = maildir_levels(folder);
    if name.len() <= LONGEST {
        return name;
    }
    let digest = digest([folder.as_bytes()]);
    let fits = |end: usize| maildir_levels(&folder[..end]).len() + 1 + digest.len() <= LONGEST;
    // Each character takes at least a byte of the name, so this many are enough to try.
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
        // Every text without controls and NUL can be encoded.
        name.push_str(&encode_mailbox(&level).unwrap_or(level));
    }
    name
}

/// Returns true for a file name in Maildir form: with flags, or `time.unique.host`.
pub(crate) fn is_maildir_message(name: &str) -> bool {
    if name.contains(":2,") {
        return true;
    }
    let mut parts = name.splitn(3, '.');
    let time = parts.next().unwrap_or_default();
    !time.is_empty() && time.bytes().all(|b| b.is_ascii_digit()) && parts.count() == 2
}

/// Returns Maildir flags and keywords in their order.
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
    fn nested_folders_get_distinct_names() {
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
    fn altered_content_contradicts_its_name() {
        for format in [Format::Maildir, Format::EmlTree] {
            let path = message_name(format, 7, "a/b", Flags(Flags::SEEN), || {
                digest([&b"text"[..]])
            });
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
    fn tree_levels_do_not_form_a_maildir() {
        assert_eq!(tree_folder("a/cur/b:c/new"), "a/cur_/b_c/new_");
        assert_eq!(tree_folder(""), "");
    }
}
