//! Reads what follows an equals sign in quoted-printable (RFC 2045, section 6.7).

use mailglot_kernel::hex_escapes::digit_value;

/// What an equals sign begins.
pub(super) enum Escape {
    Byte(u8),
    /// The offset where the text continues.
    SoftBreak(usize),
    Bad,
}

/// Decodes the equals sign at `at`.
#[inline]
pub(super) fn escape(body: &[u8], at: usize) -> Escape {
    let rest = &body[at + 1..];
    if let [high, low, ..] = *rest
        && let (Some(high), Some(low)) = (digit_value(high), digit_value(low))
    {
        return Escape::Byte(high << 4 | low);
    }
    let blanks = rest
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let returns = rest[blanks..].iter().take_while(|&&b| b == b'\r').count();
    let place = at + 1 + blanks;
    match rest.get(blanks + returns) {
        Some(b'\n') => Escape::SoftBreak(place + returns + 1),
        _ if returns > 0 => Escape::SoftBreak(place + 1),
        // At the end of the body, the line end belongs to the delimiter.
        None => Escape::SoftBreak(place),
        Some(_) => Escape::Bad,
    }
}
