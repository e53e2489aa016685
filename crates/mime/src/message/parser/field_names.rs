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
    let candidates: &[usize] = match name.len() {
        2 => &[6, 7],
        3 => &[8],
        4 => &[3, 5],
        6 => &[9],
        7 => &[4],
        8 => &[10],
        10 => &[11, 13, 15],
        11 => &[12],
        12 => &[0, 14],
        16 => &[17],
        19 => &[2, 16],
        25 => &[1],
        _ => return None,
    };
    let begins = |index: usize| (SINGLE[index].as_bytes()[0] ^ name[0]) & 0xDF == 0;
    let is = |index: &usize| begins(*index) && SINGLE[*index].as_bytes().eq_ignore_ascii_case(name);
    candidates.iter().copied().find(is)
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
