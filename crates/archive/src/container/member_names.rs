//! Cleans the names of members, so that each is a path below its container.
//!
//! # Limits
//! Names are bytes, as on a disk. Of the code pages of zip names, only 437 is known here (APPNOTE.TXT, appendix D).

use crate::box_event::NameDefect;

/// Longest name of a file or folder on usual file systems, in bytes.
const LONGEST_NAME: usize = 255;
/// Longest path of a member in bytes. The limit of most systems is 4096, and the output folder comes before it.
const LONGEST_PATH: usize = 3072;
/// Largest number of folders around a member.
const DEEPEST: usize = 128;

/// The upper half of code page 437.
const CODE_PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Decodes the name of a zip member. Valid UTF-8 is kept, with or without the flag that says so.
pub(super) fn decode_zip_name(name: &[u8]) -> Vec<u8> {
    if std::str::from_utf8(name).is_ok() {
        return name.to_vec();
    }
    let upper: Vec<char> = CODE_PAGE_437.chars().collect();
    let decode = |byte: &u8| {
        let upper = byte
            .checked_sub(0x80)
            .map(|index| upper[usize::from(index)]);
        upper.unwrap_or(char::from(*byte))
    };
    name.iter().map(decode).collect::<String>().into_bytes()
}

/// Returns the path of a member below its container, and what had to be changed. An empty path is that of the container.
pub(super) fn clean_path(name: &[u8]) -> (Vec<u8>, Option<NameDefect>) {
    let mut defect = name.starts_with(b"/").then_some(NameDefect::Absolute);
    let mut names: Vec<Vec<u8>> = Vec::new();
    for component in name.split(|&byte| byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." => defect = defect.or(Some(NameDefect::Parent)),
            _ => {
                let mut own = component.to_vec();
                for byte in own.iter_mut().filter(|byte| byte.is_ascii_control()) {
                    *byte = b'_';
                    defect = defect.or(Some(NameDefect::Control));
                }
                if own.len() > LONGEST_NAME {
                    own = with_suffix(&own, b"~", LONGEST_NAME);
                    defect = defect.or(Some(NameDefect::Long));
                }
                names.push(own);
            }
        }
    }
    let length: usize = names.iter().map(|name| name.len() + 1).sum();
    if names.len() > DEEPEST || length > LONGEST_PATH {
        names.drain(..names.len() - 1);
        defect = Some(NameDefect::Long);
    }
    (names.join(&b'/'), defect)
}

/// Inserts a suffix before the extension, and shortens the name before it to `longest` bytes in all.
pub(super) fn with_suffix(name: &[u8], suffix: &[u8], longest: usize) -> Vec<u8> {
    const LONGEST_EXTENSION: usize = 16;
    let dot = name.iter().rposition(|&byte| byte == b'.');
    let is_extension = |dot: &usize| *dot > 0 && name.len() - dot <= LONGEST_EXTENSION;
    let (stem, extension) = name.split_at(dot.filter(is_extension).unwrap_or(name.len()));
    let room = longest.saturating_sub(suffix.len() + extension.len());
    let mut end = stem.len().min(room);
    // Not inside a character of UTF-8.
    while end > 0 && end < stem.len() && stem[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    [&stem[..end], suffix, extension].concat()
}

/// Returns the name of the `number`th member that has this name.
pub(super) fn numbered(name: &[u8], number: u64) -> Vec<u8> {
    with_suffix(name, format!("-{number}").as_bytes(), LONGEST_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_their_container() {
        for (name, path, defect) in [
            ("a/b.mbox", "a/b.mbox", None),
            ("./a//b", "a/b", None),
            ("a/", "a", None),
            ("", "", None),
            ("/var/mail/joe", "var/mail/joe", Some(NameDefect::Absolute)),
            ("../../etc/passwd", "etc/passwd", Some(NameDefect::Parent)),
            ("a/../b", "a/b", Some(NameDefect::Parent)),
            ("..", "", Some(NameDefect::Parent)),
            ("a\0b\n.mbox", "a_b_.mbox", Some(NameDefect::Control)),
            ("...", "...", None),
        ] {
            let (cleaned, found) = clean_path(name.as_bytes());
            assert_eq!((&*cleaned, found), (path.as_bytes(), defect), "{name:?}");
        }
        let long = [&"ü".repeat(200), ".mbox"].concat();
        let (cleaned, defect) = clean_path(long.as_bytes());
        assert_eq!((cleaned.len(), defect), (255 - 1, Some(NameDefect::Long)));
        assert!(std::str::from_utf8(&cleaned).unwrap().ends_with("ü~.mbox"));
        for deep in [
            "d/".repeat(200) + "x",
            "dd/".repeat(100) + &"e".repeat(250) + "/",
        ] {
            let (cleaned, _) = clean_path(deep.as_bytes());
            assert!(cleaned.len() <= LONGEST_PATH);
        }
        assert_eq!(clean_path("d/".repeat(200).as_bytes()).0, b"d");
    }

    #[test]
    fn zip_names_are_utf8_or_code_page_437() {
        assert_eq!(CODE_PAGE_437.chars().count(), 128);
        for (name, text) in [
            (&b"Entw\x81rfe.mbox"[..], "Entwürfe.mbox"),
            ("Entwürfe".as_bytes(), "Entwürfe"),
            (b"\xe1\xff", "ß\u{a0}"),
        ] {
            assert_eq!(decode_zip_name(name), text.as_bytes());
        }
    }

    #[test]
    fn numbers_precede_the_extension() {
        for (name, text) in [
            ("a.mbox", "a-2.mbox"),
            ("a", "a-2"),
            (".hidden", ".hidden-2"),
            ("1.host:2,S", "1-2.host:2,S"),
        ] {
            assert_eq!(numbered(name.as_bytes(), 2), text.as_bytes());
        }
        assert_eq!(numbered(&[b'a'; 255], 10).len(), 255);
    }
}
