//! Finds problems of parts, fields and lines, from their spans.

use super::kept_spans::KeptSpans;
use crate::policy::{Finding, Findings};
use mailglot_mime::transfer::TransferEncoding;
use mailglot_mime::{Edit, Eol, Message, Part, PartId, params, quoted_end};

/// Limit on the parameters of a field, and on the depth of comments. A field with more stays unchanged.
const PARAMETERS: usize = 100;
/// Shorter values cannot exceed the limits on parameters and parentheses.
const SHORT: usize = 2 * PARAMETERS;

/// Adds the findings of the structure. Fields beyond the limits stay unchanged.
pub(super) fn find(message: &Message<'_>, findings: &mut Findings, kept: &mut KeptSpans) {
    let raw = message.raw();
    if message.eol() == Eol::CrLf && has_bare_ends(raw) {
        findings.add(Finding::BareLf, String::new);
    }
    for field in message.all_fields() {
        let value = field.value.of(raw);
        if value.len() > SHORT && is_overloaded(value) {
            findings.add(Finding::TooManyParams, String::new);
            kept.field(field);
        }
    }
    for (id, part) in message.numbered_parts() {
        let coded = matches!(
            part.transfer,
            TransferEncoding::Base64
                | TransferEncoding::QuotedPrintable
                | TransferEncoding::Uuencode
        );
        if coded && is_composite(part) {
            findings.add(Finding::CteOnComposite, || message.section(id));
        }
        match part.transfer {
            TransferEncoding::Unknown | TransferEncoding::Uuencode => {
                findings.add(Finding::UnknownCte, || message.section(id));
            }
            _ if canonical(message, part).is_some() => {
                findings.add(Finding::MalformedCte, || message.section(id));
            }
            // Characters of the URL-safe alphabet (RFC 4648, section 5), which some readers skip.
            TransferEncoding::Base64
                if memchr::memchr2(b'-', b'_', part.body.of(raw)).is_some() =>
            {
                findings.add(Finding::MalformedCte, || message.section(id));
            }
            _ => (),
        }
        if part.media.top == "multipart" && has_rival_boundary(message, part, id) {
            findings.add(Finding::AmbiguousBoundary, || message.section(id));
        }
    }
}

/// Returns the edit that gives a transfer encoding its spelling of RFC 2045, section 6.1. `None` if it has that spelling already, or is unknown.
pub(super) fn canonical(message: &Message<'_>, part: &Part) -> Option<Edit> {
    const LABELS: [&[u8]; 5] = [b"7bit", b"8bit", b"binary", b"base64", b"quoted-printable"];
    let field = message
        .all_fields()
        .get(part.content_transfer_encoding? as usize)?;
    let value = field.value.of(message.raw());
    if LABELS
        .iter()
        .any(|label| value.trim_ascii().eq_ignore_ascii_case(label))
    {
        return None;
    }
    let label: &[u8] = match part.transfer {
        TransferEncoding::Base64 => b" base64",
        TransferEncoding::QuotedPrintable => b" quoted-printable",
        TransferEncoding::Identity if part.body.of(message.raw()).is_ascii() => b" 7bit",
        TransferEncoding::Identity => b" 8bit",
        _ => return None,
    };
    Some(Edit::new(field.value, label))
}

/// RFC 2045, section 6.4, forbids an encoding there; RFC 6532, section 3.5, allows it for message/global.
fn is_composite(part: &Part) -> bool {
    part.media.top == "multipart"
        || part.media.top == "message" && !part.media.sub.starts_with("global")
}

/// Returns true if the bytes have a CR or LF that is not part of a CR LF.
fn has_bare_ends(raw: &[u8]) -> bool {
    /// Number of bytes that are tested without a branch, so that the compiler uses vector instructions. Pieces overlap by one byte.
    const PIECE: usize = 1_024;
    let (Some(first), Some(last)) = (raw.first(), raw.last()) else {
        return false;
    };
    let apart = |piece: &[u8]| {
        let pairs = piece.iter().zip(piece.get(1..).unwrap_or_default());
        pairs.fold(0, |all, (one, next)| {
            all | u8::from((*one == b'\r') != (*next == b'\n'))
        }) > 0
    };
    *first == b'\n'
        || *last == b'\r'
        || (0..raw.len())
            .step_by(PIECE)
            .any(|at| apart(&raw[at..raw.len().min(at + PIECE + 1)]))
}

/// Returns true if a value has more parameters, or deeper nested comments, than any mail needs. Quoted strings contain neither (RFC 5322,
/// section 3.2.4).
fn is_overloaded(value: &[u8]) -> bool {
    let (mut depth, mut deepest, mut parameters) = (0_usize, 0, 0);
    let (mut at, mut unclosed_quote) = (0, false);
    while let Some(byte) = value.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            // Without a closing quote it is an ordinary character. In a comment it always is.
            b'"' if depth == 0 && !unclosed_quote => match quoted_end(value, at - 1) {
                Some(end) => at = end,
                None => unclosed_quote = true,
            },
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b';' => parameters += 1,
            _ => continue,
        }
        deepest = deepest.max(depth);
    }
    parameters > PARAMETERS || deepest > PARAMETERS
}

/// Returns true if the multipart names several boundaries, or one that an outer multipart uses.
fn has_rival_boundary(message: &Message<'_>, part: &Part, id: PartId) -> bool {
    let field = part
        .content_type
        .and_then(|index| message.all_fields().get(index as usize));
    let value = field.map_or(&b""[..], |field| field.value.of(message.raw()));
    let named = |name: &[u8]| {
        let plain = name.split(|byte| *byte == b'*').next().unwrap_or(name);
        plain.eq_ignore_ascii_case(b"boundary")
    };
    // A second semicolon is needed for a second parameter.
    let several = memchr::memchr_iter(b';', value).nth(1).is_some()
        && value.len() <= 102_400
        && params::scan(value)
            .1
            .iter()
            .filter(|param| named(param.name))
            .count()
            > 1;
    if several {
        return true;
    }
    let Some(own) = message.boundary(id) else {
        return false;
    };
    let mut outer = part.parent;
    while let Some(parent) = outer {
        if message.boundary(parent) == Some(own) {
            return true;
        }
        outer = message.part(parent).and_then(|part| part.parent);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests byte by byte, for comparison.
    fn slow(raw: &[u8]) -> bool {
        (0..raw.len()).any(|at| match raw[at] {
            b'\n' => at == 0 || raw[at - 1] != b'\r',
            b'\r' => raw.get(at + 1) != Some(&b'\n'),
            _ => false,
        })
    }

    #[test]
    fn bare_line_ends_are_found_at_every_offset() {
        for length in [0, 1, 2, 3, 1_023, 1_024, 1_025, 1_026, 2_048, 2_049, 3_000] {
            let text = vec![b'a'; length];
            assert!(!has_bare_ends(&text));
            for at in 0..length {
                for end in [&b"\r"[..], b"\n", b"\r\n", b"\n\r", b"\r\r\n"] {
                    let mut raw = text.clone();
                    let fits = end.len().min(length - at);
                    raw[at..at + fits].copy_from_slice(&end[..fits]);
                    assert_eq!(has_bare_ends(&raw), slow(&raw), "{length} {at} {end:?}");
                }
            }
        }
    }
}
