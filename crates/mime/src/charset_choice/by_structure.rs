//! Detects charsets by structure: byte order marks, escape sequences, NULs.

use crate::charset_choice::labels::label_scope::is_open_label;
use crate::charset_choice::two_charsets::mixed_iso2022jp::has_iso2022jp;
use crate::policy::Detection;
use crate::reading::How;
use mailglot_codec::{Charset, Resolved, bom, detect};
use mailglot_kernel::ByteClasses;

/// Returns the charset of a byte order mark, or of escape sequences and NUL patterns that the label does not rule out.
///
/// `classes` are those of all bytes.
pub(crate) fn by_bom_or_structure(
    bytes: &[u8],
    classes: ByteClasses,
    declared: Option<Charset>,
    resolved: Option<Resolved>,
) -> Option<(Charset, How)> {
    let wide = declared.is_some_and(|c| {
        [
            Charset::UTF_16,
            Charset::UTF_16BE,
            Charset::UTF_16LE,
            Charset::UTF_32,
        ]
        .contains(&c)
    });
    // Under a UTF-16 or UTF-32 label the decoder itself obeys byte order marks.
    if let Some((charset, _)) = bom::sniff(bytes).filter(|_| !wide) {
        let sixteen = charset != Charset::UTF_8;
        let single = declared.is_some_and(Charset::is_single_byte);
        if !(sixteen && single) || has_nul_parity(bytes) {
            return Some((charset, How::Bom));
        }
    }
    if let Some(label) = declared.filter(|_| wide && !classes.has_nul()) {
        let is_utf8 = std::str::from_utf8(bytes).is_ok() && !detect::is_text_in_pairs(label, bytes);
        return is_utf8.then_some((Charset::UTF_8, How::Structure));
    }
    // The structures below consist of controls.
    if !classes.has_escape() && !classes.has_control() {
        return None;
    }
    let open = is_open(declared, resolved);
    let charset = match declared {
        // Escape sequences in 7-bit text outweigh a label of another kind.
        Some(label) if !open && !label.is_stateful() && !wide && classes.is_ascii() => {
            detect::structure(bytes).filter(|charset| charset.is_stateful())?
        }
        _ if open => detect::structure(bytes)?,
        _ => return None,
    };
    (!classes.has_nul() || may_be_wide(bytes)).then_some((charset, How::Structure))
}

/// Returns true if there is no label, an unknown one, or one that any structure outweighs.
fn is_open(declared: Option<Charset>, resolved: Option<Resolved>) -> bool {
    match resolved {
        None | Some(Resolved::NoInformation | Resolved::Unknown) => true,
        Some(_) => declared.is_some_and(is_open_label),
    }
}

/// Returns the ISO 2022 of damaged text, if the label does not rule it out. Some lines may be cut, and some bytes undefined.
///
/// `classes` are those of all bytes.
pub(crate) fn by_damaged_escapes(
    bytes: &[u8],
    classes: ByteClasses,
    declared: Option<Charset>,
    resolved: Option<Resolved>,
) -> Option<Charset> {
    let is_overruled =
        |label: Charset| classes.is_ascii() && !label.is_stateful() && !label.is_wide();
    let may_be = is_open(declared, resolved) || declared.is_some_and(is_overruled);
    (may_be && classes.has_escape())
        .then(|| detect::damaged_iso2022(bytes))
        .flatten()
}

/// Returns true if text would not be read as UTF-8 although its label says UTF-8: a leading U+FEFF, escape sequences, NULs.
///
/// `classes` are those of the text.
pub(crate) fn is_misread_under_utf8(text: &[u8], classes: ByteClasses) -> bool {
    if text.starts_with("\u{feff}".as_bytes()) {
        return true;
    }
    let is_utf8 = (Some(Charset::UTF_8), Some(Resolved::Exact(Charset::UTF_8)));
    classes.has_escape() && has_iso2022jp(text)
        || by_damaged_escapes(text, classes, is_utf8.0, is_utf8.1).is_some()
        || (classes.has_escape() || classes.has_nul())
            && by_bom_or_structure(text, classes, is_utf8.0, is_utf8.1)
                .is_some_and(|(charset, _)| charset != Charset::UTF_8)
}

/// Returns true if bytes with NULs may be UTF-16 or UTF-32 rather than UTF-8 with stray NULs.
///
/// Wide non-ASCII text is hardly ever valid UTF-8. If all its bytes are below 80, every second one is a control.
pub(crate) fn may_be_wide(bytes: &[u8]) -> bool {
    if !bytes.is_ascii() {
        return std::str::from_utf8(bytes).is_err();
    }
    let controls = bytes
        .iter()
        .filter(|b| b.is_ascii_control() && !b.is_ascii_whitespace())
        .count();
    controls * 4 >= bytes.len()
}

/// Returns true if escape sequences may select a character set (ISO 2022). Those of terminals do not: colors, its own ASCII, line
/// drawing.
pub(crate) fn may_be_iso2022(bytes: &[u8]) -> bool {
    memchr::memchr2(0x0E, 0x0F, bytes).is_some()
        || memchr::memchr_iter(0x1B, bytes).any(|at| match bytes.get(at + 1..) {
            Some([b'(' | b')', set, ..]) => !matches!(set, b'0' | b'B'),
            Some([intermediate, ..]) => matches!(intermediate, b' '..=b'/' | b'N' | b'O'),
            _ => false,
        })
}

/// Returns true if nearly all NULs are at even offsets, or nearly all at odd ones.
fn has_nul_parity(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(1024)];
    let (mut even, mut odd) = (0usize, 0usize);
    for (i, b) in sample.iter().enumerate() {
        if *b == 0 {
            if i % 2 == 0 { even += 1 } else { odd += 1 }
        }
    }
    even.max(odd) >= 2 && even.max(odd) >= 4 * even.min(odd)
}

/// Returns the charset whose escape sequences (ISO 2022) the bytes contain. They outweigh every label of another kind, unless
/// detection is off.
pub(crate) fn by_escapes(
    label: Option<Charset>,
    bytes: &[u8],
    detection: Detection,
) -> Option<Charset> {
    memchr::memchr(0x1B, bytes)?;
    let may_be = |label: Charset| {
        let is_on = detection != Detection::Off;
        is_on && label.is_ascii_compatible() && !label.is_stateful()
    };
    let is_open = label.is_none_or(may_be) && bytes.is_ascii();
    detect::structure(bytes).filter(|used| is_open && used.is_stateful())
}
