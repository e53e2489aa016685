//! Finds the names of header fields, and those that may occur once.
//!
//! # Limits
//!
//! A name may consist of any bytes but blanks, controls and colons.

/// Fields that may occur once in a header (RFC 5322, section 3.6; RFC 2045, section 3; RFC 2183, section 2).
pub(super) const SINGLE: [&str; 18] = [
    "Content-Type",
    "Content-Transfer-Encoding",
    "Content-Disposition",
    "From",
    "Subject",
    "Date",
    "To",
    "Cc",
    "Bcc",
    "Sender",
    "Reply-To",
    "Message-ID",
    "In-Reply-To",
    "References",
    "MIME-Version",
    "Content-ID",
    "Content-Description",
    "Content-Location",
];

/// Returns the index of a name in [`SINGLE`]. Compares the length first, since this runs for every field.
#[inline]
pub(super) fn single(name: &[u8]) -> Option<usize> {
    match name.len() {
        2 => find::<2>(name, &[6, 7]),
        3 => find::<3>(name, &[8]),
        4 => find::<4>(name, &[3, 5]),
        6 => find::<6>(name, &[9]),
        7 => find::<7>(name, &[4]),
        8 => find::<8>(name, &[10]),
        10 => find::<10>(name, &[11, 13, 15]),
        11 => find::<11>(name, &[12]),
        12 => find::<12>(name, &[0, 14]),
        16 => find::<16>(name, &[17]),
        19 => find::<19>(name, &[2, 16]),
        25 => find::<25>(name, &[1]),
        _ => None,
    }
}

/// Returns the one of these names of [`SINGLE`] that has `LENGTH` bytes and equals `name`. Most are written in the usual case, which a
/// comparison of arrays tells in a few instructions.
#[inline]
fn find<const LENGTH: usize>(name: &[u8], indexes: &[usize]) -> Option<usize> {
    let name: &[u8; LENGTH] = name.first_chunk()?;
    indexes.iter().copied().find(|index| {
        let known = SINGLE[*index].as_bytes().first_chunk::<LENGTH>();
        let begins = |known: &[u8; LENGTH]| (known[0] ^ name[0]) & 0xDF == 0;
        known.is_some_and(|known| {
            begins(known) && (known == name || known.eq_ignore_ascii_case(name))
        })
    })
}

/// Returns the length of the field's name and the offset of its colon, if the line begins a field.
#[inline]
pub(super) fn field_name(content: &[u8]) -> Option<(usize, usize)> {
    let name = name_end(content)?;
    let blanks = content[name..]
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let colon = name + blanks;
    (name > 0 && content.get(colon) == Some(&b':')).then_some((name, colon))
}

/// Returns the offset of the first blank, colon or control other than NUL.
#[inline]
fn name_end(content: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let mut at = 0;
    // Eight bytes at a time. A borrow can only mark bytes after the first marked one, and only the first is used.
    while let Some(word) = content.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*word);
        let colon = word ^ (ONES * u64::from(b':'));
        let low = word.wrapping_sub(ONES * 0x21) & !word;
        let found = (low | colon.wrapping_sub(ONES) & !colon) & (ONES << 7);
        if found != 0 {
            at += (found.trailing_zeros() / 8) as usize;
            break;
        }
        at += 8;
    }
    let ends = |&b: &u8| (b <= b' ' && b != 0) || b == b':';
    content[at..].iter().position(ends).map(|end| at + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_fields_are_found_in_any_case() {
        for (index, name) in SINGLE.iter().enumerate() {
            for spelling in [(*name).to_owned(), name.to_uppercase(), name.to_lowercase()] {
                assert_eq!(single(spelling.as_bytes()), Some(index), "{spelling}");
                for at in 0..spelling.len() {
                    let mut other = spelling.clone().into_bytes();
                    other[at] = b'!';
                    assert_eq!(single(&other), None, "{spelling} at {at}");
                }
            }
        }
    }
}
