//! Recognizes messages and mailboxes by their file names.
//!
//! # Limits
//! None.

use std::path::{Path, PathBuf};

/// Returns true for the file extensions of single messages: `eml`, `emlx` (Apple Mail), `mht` and `mhtml` (RFC 2557).
///
/// Not for the AppleDouble files that macOS adds to archives (`._1.eml`). They have attributes of the file beside them, and no mail.
pub(crate) fn is_eml(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    extension_is(path, &["eml", "emlx", "mht", "mhtml"])
        && !name.as_encoded_bytes().starts_with(b"._")
}

/// Returns true for the file extensions of mailboxes, and for `mbox` in an Apple Mail folder (`X.mbox/mbox`).
pub(crate) fn is_named_mailbox(path: &Path) -> bool {
    let apple = || {
        path.ends_with("mbox")
            && path
                .parent()
                .is_some_and(|folder| extension_is(folder, &["mbox"]))
    };
    extension_is(
        path,
        &["mbox", "mbx", "mboxrd", "mboxo", "mboxcl", "mboxcl2"],
    ) || apple()
}

/// Returns true for the index that Thunderbird keeps beside a mailbox (`Inbox.msf`). It has no mail.
pub(crate) fn is_index(path: &Path) -> bool {
    extension_is(path, &["msf"])
}

/// Returns the path of the index that Thunderbird keeps beside a mailbox. A file that has one is a mailbox, also if it is empty.
pub(crate) fn index_of(path: &Path) -> PathBuf {
    let mut index = path.as_os_str().to_owned();
    index.push(".msf");
    index.into()
}

/// Returns true for a name that this program gives to a message in a Maildir or in a folder of `.eml` files.
///
/// Such a file is a message even if it has no header, as its message had none:
///
/// ```text
/// 00000017.0123456789ab.mailglot:2,S
/// 00000017-0123456789ab.eml
/// ```
pub(crate) fn is_written_message(path: &[u8]) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let Some((mark, rest)) = name[digits..].split_first() else {
        return false;
    };
    let Some((digest, rest)) = rest.split_at_checked(12) else {
        return false;
    };
    let is_named = match mark {
        b'.' => rest == b".mailglot" || rest.starts_with(b".mailglot:2,"),
        b'-' => rest == b".eml",
        _ => false,
    };
    digits >= 8 && is_named && digest.iter().all(u8::is_ascii_hexdigit)
}

/// Returns true for `*.zip`.
pub(crate) fn is_named_zip(path: &Path) -> bool {
    extension_is(path, &["zip"])
}

fn extension_is(path: &Path, wanted: &[&str]) -> bool {
    path.extension().is_some_and(|extension| {
        wanted
            .iter()
            .any(|wanted| extension.eq_ignore_ascii_case(wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_messages_are_known_by_name() {
        for (name, expected) in [
            ("a/cur/00000017.0123456789ab.mailglot:2,S", true),
            ("00000017.0123456789ab.mailglot", true),
            ("a/100000000-0123456789ab.eml", true),
            ("0000017-0123456789ab.eml", false),
            ("00000017-0123456789ab.txt", false),
            ("00000017-0123456789a.eml", false),
            ("00000017-0123456789ag.eml", false),
            ("00000017.0123456789ab.host:2,S", false),
            ("00000017", false),
            ("", false),
        ] {
            assert_eq!(is_written_message(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn messages_are_known_by_name() {
        for (name, expected) in [
            ("a/1.eml", true),
            ("a/1.EMLX", true),
            ("a/1.mht", true),
            ("a/1.partial.emlx", true),
            ("__MACOSX/a/._1.eml", false),
            ("a/1.txt", false),
            ("eml", false),
        ] {
            assert_eq!(is_eml(Path::new(name)), expected, "{name}");
        }
    }
}
