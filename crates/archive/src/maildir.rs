//! Recognizes Maildir and Maildir++ folders, and parses their names and flags.
//!
//! # Limits
//! Reads server keywords (`a` to `z` after `:2,`) as letters only. The files with their names are kept unread.

use std::path::Path;

use crate::entry_type::EntryType;
use crate::file_names::{is_eml, is_named_mailbox};
use crate::file_tree::FileTree;
use crate::mh;
use crate::source::Flags;

/// Returns true for a folder with messages in `cur` and `new`: it has two of `cur`, `new` and `tmp`.
///
/// A `cur` without `new` may remain from an incomplete copy. It counts only if no mail of another format lies in it or beside it.
pub(crate) fn is_folder(tree: &FileTree, path: &Path) -> bool {
    let has = |name: &str| tree.is_folder(&path.join(name));
    let cur = has("cur");
    match (cur, has("new"), has("tmp")) {
        (true, true, _) | (true, _, true) | (_, true, true) => true,
        _ => cur && !has_other_mail(tree, path) && !has_other_mail(tree, &path.join("cur")),
    }
}

/// Returns true for `cur`, `new` and `tmp`.
pub(crate) fn is_part(name: &[u8]) -> bool {
    matches!(name, b"cur" | b"new" | b"tmp")
}

/// Returns true if a folder has files that cannot be messages of a Maildir by name.
fn has_other_mail(tree: &FileTree, folder: &Path) -> bool {
    let Ok(entries) = tree.entries(folder) else {
        return false;
    };
    let mut files = entries.flatten().map(|entry| folder.join(entry.name));
    files.any(|file| {
        (is_eml(&file) || is_named_mailbox(&file) || file.ends_with(mh::SEQUENCES))
            && tree.is_file(&file)
    })
}

/// Returns true for the root of a Maildir, even if only its Maildir++ folders have messages.
pub(crate) fn is_root(tree: &FileTree, path: &Path) -> bool {
    is_folder(tree, path) || has_dotted_folders(tree, path)
}

/// Returns true if a folder has Maildir++ folders below it.
pub(crate) fn has_dotted_folders(tree: &FileTree, path: &Path) -> bool {
    let Ok(entries) = tree.entries(path) else {
        return false;
    };
    entries.flatten().any(|entry| {
        entry.name.as_encoded_bytes().starts_with(b".")
            && entry.kind == EntryType::Folder
            && is_folder(tree, &path.join(entry.name))
    })
}

/// Returns the part of a file name that stays when the flags change: all before `:2,`, `;2,` or `!2,`.
pub(crate) fn unique_name(name: &[u8]) -> &[u8] {
    &name[..info(name).unwrap_or(name.len())]
}

/// Returns where `:2,` begins.
fn info(name: &[u8]) -> Option<usize> {
    name.windows(3)
        .rposition(|three| matches!(three, [b':' | b';' | b'!', b'2', b',']))
}

/// Parses the flags of a file name: the letters after `:2,`, `;2,` or `!2,` (for file systems without colons).
pub(crate) fn flags(name: &[u8]) -> Flags {
    let info = info(name);
    let mut flags = Flags::default();
    for letter in info.map(|at| &name[at + 3..]).unwrap_or_default() {
        flags.0 |= match letter {
            b'S' => Flags::SEEN,
            b'R' => Flags::REPLIED,
            b'F' => Flags::FLAGGED,
            b'T' => Flags::TRASHED,
            b'D' => Flags::DRAFT,
            b'P' => Flags::PASSED,
            letter => Flags::keyword(*letter).unwrap_or(0),
        };
    }
    flags
}

/// Returns the display name of a folder below the root, given with `/`. Splits `.A.B` into levels and decodes each.
pub(crate) fn folder_name(path: &[u8], decode: fn(&[u8]) -> String) -> String {
    let mut out = String::new();
    let components = path.split(|&byte| byte == b'/');
    let levels = components.flat_map(|component| match component.strip_prefix(b".") {
        Some(dotted) => dotted.split(|&byte| byte == b'.').collect::<Vec<_>>(),
        None => vec![component],
    });
    for level in levels.filter(|level| !level.is_empty()) {
        if !out.is_empty() {
            out.push('/');
        }
        match std::str::from_utf8(level) {
            Ok(text) if !text.is_ascii() => out.push_str(text),
            _ => out.push_str(&decode(level)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_folder_is_not_a_maildir() {
        for (folders, file, expected) in [
            (&["cur", "new"][..], "", true),
            (&["cur", "tmp"], "cur/1.eml", true),
            (&["new", "tmp"], "", true),
            (&["new"], "new/1.host", false),
            (&["cur"], "", true),
            (&["cur"], "cur/1.host:2,S", true),
            (&["cur"], "cur/3.eml", false),
            (&["cur"], "1.eml", false),
            (&["cur"], "old.mbox", false),
            (&["cur"], "cur/.mh_sequences", false),
            (&["cur/x.mbox"], "", true),
        ] {
            let root = tempfile::tempdir().unwrap();
            for name in folders {
                std::fs::create_dir_all(root.path().join(name)).unwrap();
            }
            if !file.is_empty() {
                std::fs::write(root.path().join(file), b"").unwrap();
            }
            let tree = FileTree::default();
            assert_eq!(
                is_folder(&tree, root.path()),
                expected,
                "{folders:?} {file}"
            );
        }
    }

    #[test]
    fn flags_after_any_separator() {
        assert_eq!(flags(b"1.host:2,FS"), Flags(Flags::FLAGGED | Flags::SEEN));
        assert_eq!(
            flags(b"1.host;2,RTDP"),
            Flags(Flags::REPLIED | Flags::TRASHED | Flags::DRAFT | Flags::PASSED)
        );
        assert_eq!(flags(b"1.host,S=12!2,S\xe4"), Flags(Flags::SEEN));
        assert_eq!(
            flags(b"1.host:2,Saz"),
            Flags(Flags::SEEN | 1 << 6 | 1 << 31)
        );
        assert_eq!(flags(b"1.host"), Flags::default());
        assert_eq!(flags(b"1.2,S"), Flags::default());
        for name in [&b"1.host"[..], b"1.host:2,", b"1.host;2,FS", b"1.host!2,S"] {
            assert_eq!(unique_name(name), b"1.host");
        }
    }

    #[test]
    fn folder_names_are_divided_and_decoded() {
        let decode: fn(&[u8]) -> String = |raw| format!("<{}>", String::from_utf8_lossy(raw));
        assert_eq!(folder_name(b"", decode), "");
        assert_eq!(folder_name(b".Sent.2001", decode), "<Sent>/<2001>");
        assert_eq!(
            folder_name(".Entw\u{fc}rfe.a".as_bytes(), decode),
            "Entw\u{fc}rfe/<a>"
        );
        assert_eq!(folder_name(b"lists/.a", decode), "<lists>/<a>");
        assert_eq!(folder_name(b".a\xff", decode), "<a\u{fffd}>");
    }
}
