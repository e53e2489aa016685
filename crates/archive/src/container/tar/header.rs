//! Decodes a header block of a tar archive (POSIX.1-2017, pax, "ustar Interchange Format").
//!
//! # Limits
//! Owners, permissions and times are not read.

/// Size of a block in bytes.
pub(super) const BLOCK: usize = 512;

/// Type of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberType {
    File,
    Folder,
    Link,
    /// Another name of an earlier member.
    HardLink,
    /// A device or a pipe.
    Special,
    Sparse,
    /// Extended header of the next member.
    Pax,
    /// Extended header of all later members.
    PaxGlobal,
    /// The name of the next member (GNU).
    LongName,
    /// The target of the next member, which is a link (GNU).
    LongLink,
    /// Any other letter.
    Other(u8),
}

/// A decoded header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    /// The target of a link.
    pub(super) target: Vec<u8>,
    /// Size of the content in bytes. 0 for members without content.
    pub(super) size: u64,
    pub(super) kind: MemberType,
    /// Blocks of the map of a sparse file follow (GNU).
    pub(super) is_extended: bool,
}

impl Header {
    /// Decodes a block. Returns `None` if its checksum or a number is wrong.
    pub(super) fn parse(block: &[u8; BLOCK]) -> Option<Self> {
        let stored = number(&block[148..156])?;
        let outside = |at: &usize| !(148..156).contains(at);
        let bytes = || (0..BLOCK).filter(outside).map(|at| block[at]);
        let blanks = 8 * u64::from(b' ');
        let sum = blanks + bytes().map(u64::from).sum::<u64>();
        // Old programs summed signed bytes.
        let signed = sum.wrapping_sub(256 * bytes().filter(|byte| *byte > 0x7f).count() as u64);
        if stored != sum && stored != signed {
            return None;
        }
        let kind = match block[156] {
            0 | b'0' | b'7' => MemberType::File,
            b'1' => MemberType::HardLink,
            b'2' => MemberType::Link,
            b'3' | b'4' | b'6' => MemberType::Special,
            b'5' => MemberType::Folder,
            b'S' => MemberType::Sparse,
            b'x' | b'X' => MemberType::Pax,
            b'g' => MemberType::PaxGlobal,
            b'L' => MemberType::LongName,
            b'K' => MemberType::LongLink,
            other => MemberType::Other(other),
        };
        let has_content = !matches!(
            kind,
            MemberType::Link | MemberType::HardLink | MemberType::Special | MemberType::Folder
        );
        let size = if has_content {
            number(&block[124..136])?
        } else {
            0
        };
        let mut name = text(&block[..100]).to_vec();
        // In the format of old GNU tar, other fields lie there.
        let prefix = text(&block[345..500]);
        if &block[257..263] == b"ustar\0" && !prefix.is_empty() {
            name = [prefix, b"/", &name].concat();
        }
        let target = text(&block[157..257]).to_vec();
        Some(Self {
            name,
            target,
            size,
            kind,
            is_extended: kind == MemberType::Sparse && block[482] != 0,
        })
    }
}

/// Returns a field up to its NUL.
fn text(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|&byte| byte == 0);
    &field[..end.unwrap_or(field.len())]
}

/// Decodes a number: octal digits between blanks, or in base 256 if the first bit is set (GNU). An empty field is 0.
fn number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        let first = u64::from(field[0] & 0x7f);
        return field[1..].iter().try_fold(first, |all, byte| {
            let shifted = all.checked_mul(256)?;
            shifted.checked_add(u64::from(*byte))
        });
    }
    let digits = text(field).trim_ascii();
    digits.iter().try_fold(0u64, |all, byte| match byte {
        b'0'..=b'7' => all.checked_mul(8)?.checked_add(u64::from(byte - b'0')),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_base_256() {
        for (field, value) in [
            (&b"0000644\0"[..], Some(0o644)),
            (b"   644 \0", Some(0o644)),
            (b"00000000", Some(0)),
            (b"\0\0\0\0\0\0\0\0", Some(0)),
            (b"0000648\0", None),
            (b"-0000001", None),
            (b"\x80\0\0\0\0\0\x01\x02", Some(258)),
            (b"\x80\0\0\0\0\0\0\0\x02\0\0\0", Some(2 << 24)),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", None),
            (b"777777777777", Some(0o777_777_777_777)),
        ] {
            assert_eq!(number(field), value, "{}", field.escape_ascii());
        }
    }
}
