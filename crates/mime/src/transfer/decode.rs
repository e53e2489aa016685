//! Decodes any transfer encoding, and maps decoded ranges back to the body.

use super::actual_encoding::actual_encoding;
use super::decoded::Decoded;
use super::encoding::TransferEncoding;
use super::locator::Locator;
use super::{base64, quoted_printable};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use std::ops::Range;

/// Decodes a transfer encoding in linear time. Decodes base64 under the label of quoted-printable, and the reverse, as what it is.
/// Never fails. Ranges of findings are relative to `body`.
///
/// ```
/// use mailglot_mime::transfer::{TransferEncoding, decode};
///
/// let mut findings = Vec::new();
/// let decoded = decode(TransferEncoding::QuotedPrintable, b"a=3Db =X", &mut findings);
/// assert_eq!(&*decoded.bytes, b"a=b =X");
/// assert_eq!(findings[0].kind.code(), "cte.qp-bad-escape");
/// ```
///
/// Findings are `cte.b64-trailing`, `cte.b64-text-lost`, `cte.b64-truncated`, `cte.b64-several`, `cte.qp-bad-escape`,
/// `cte.qp-trailing-blanks`, `cte.8bit-in-7bit` (in quoted-printable), `cte.wrong-label` (also for an unknown encoding) and
/// `cte.uuencode`. All but the first occur at most once.
pub fn decode<'a>(
    encoding: TransferEncoding,
    body: &'a [u8],
    findings: &mut Vec<Finding>,
) -> Decoded<'a> {
    if let Some(actual) = actual_encoding(encoding, body) {
        let reason = match encoding {
            TransferEncoding::Base64 => Reason::QuotedPrintableUnderBase64,
            _ => Reason::Base64UnderQuotedPrintable,
        };
        findings.add(0..body.len(), EventKind::CteWrongLabel, reason);
        return decode_as(actual, body, findings);
    }
    decode_as(encoding, body, findings)
}

/// Decodes a body in the transfer encoding that its label names.
fn decode_as<'a>(
    encoding: TransferEncoding,
    body: &'a [u8],
    findings: &mut Vec<Finding>,
) -> Decoded<'a> {
    match encoding {
        TransferEncoding::Base64 => base64::decode(body, findings),
        TransferEncoding::QuotedPrintable => quoted_printable::decode(body, findings),
        TransferEncoding::Identity => Decoded::identity(body),
        TransferEncoding::Uuencode => {
            findings.add(0..body.len(), EventKind::CteUuencode, Detail::None);
            Decoded::identity(body)
        }
        TransferEncoding::Unknown => {
            Decoded::wrongly_labelled(body, Reason::UnknownEncoding, findings)
        }
    }
}

/// Returns the range of `body` from which each range of decoded bytes came, in one pass.
///
/// `decoded` must be sorted, without overlap. Ranges behind the end of the decoded bytes are cut at the end of `body`.
pub fn locate(
    encoding: TransferEncoding,
    body: &[u8],
    decoded: &[Range<usize>],
) -> Vec<Range<usize>> {
    let mut locator = Locator::new(decoded);
    let in_it = match actual_encoding(encoding, body).unwrap_or(encoding) {
        TransferEncoding::Base64 => base64::walk(body, &mut locator),
        TransferEncoding::QuotedPrintable => quoted_printable::walk(body, &mut locator),
        _ => false,
    };
    if in_it {
        locator.finish(body.len())
    } else {
        let place = |at: usize| at.min(body.len());
        let places = decoded.iter();
        places
            .map(|range| place(range.start)..place(range.end))
            .collect()
    }
}

/// Like [`locate`], for ranges in any order that may overlap. Each result ends where the next decoded byte begins.
pub(crate) fn locate_any(
    encoding: TransferEncoding,
    body: &[u8],
    decoded: &[Range<usize>],
) -> Vec<Range<usize>> {
    let mut offsets: Vec<usize> = decoded
        .iter()
        .flat_map(|range| [range.start, range.end])
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    let points: Vec<_> = offsets.iter().map(|at| *at..*at).collect();
    let places = locate(encoding, body, &points);
    let place = |offset: &usize| match offsets.binary_search(offset) {
        Ok(index) => places.get(index).map_or(body.len(), |place| place.start),
        Err(_) => body.len(),
    };
    decoded
        .iter()
        .map(|range| place(&range.start)..place(&range.end))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cleaned() {
        use TransferEncoding::{Base64, Identity, QuotedPrintable, Unknown, Uuencode};
        let table: &[(&str, TransferEncoding)] = &[
            ("", Identity),
            (" 7bit", Identity),
            ("7-BIT", Identity),
            ("7bits", Identity),
            ("8bit ", Identity),
            ("8 bit", Identity),
            ("8bits;", Identity),
            ("8-bit", Identity),
            ("binary", Identity),
            ("none", Identity),
            ("utf-8", Identity),
            ("us-ascii", Identity),
            ("text/plain; charset=x", Identity),
            ("(nothing)", Identity),
            (" Quoted-Printable", QuotedPrintable),
            ("quoted-printable;", QuotedPrintable),
            ("\"quoted-printable\"", QuotedPrintable),
            ("quoted-printeable", QuotedPrintable),
            ("quoted/printable", QuotedPrintable),
            ("quoted printable", QuotedPrintable),
            ("QP", QuotedPrintable),
            ("x-quoted-printable", QuotedPrintable),
            ("BASE64", Base64),
            ("base64;", Base64),
            ("base-64", Base64),
            ("b64", Base64),
            ("base64 (x)", Base64),
            ("bas64", Base64),
            ("base46", Base64),
            ("bbase64", Base64),
            ("vase64", Base64),
            ("base6", Base64),
            ("base32", Unknown),
            ("base", Unknown),
            ("quited-printable", QuotedPrintable),
            ("printable", QuotedPrintable),
            ("(a (b) c) base64", Base64),
            (" base64\r\n ", Base64),
            ("x-uuencode", Uuencode),
            ("uuencode", Uuencode),
            ("x-uue", Uuencode),
            ("uue", Uuencode),
            ("foo", Unknown),
            ("yenc", Unknown),
            ("x-a-very-long-name-that-nobody-has-heard-of", Unknown),
        ];
        for (value, encoding) in table {
            assert_eq!(
                TransferEncoding::from_value(value.as_bytes()),
                *encoding,
                "{value:?}"
            );
        }
    }

    #[test]
    fn places_of_decoded_bytes_in_base64_and_quoted_printable() {
        let one =
            |encoding, body: &[u8], range: Range<usize>| locate(encoding, body, &[range]).remove(0);
        let base64 = |body: &[u8], range| one(TransferEncoding::Base64, body, range);
        // f o o b a r
        assert_eq!(base64(b"Zm9v\r\nYmFy", 0..1), 0..2);
        assert_eq!(base64(b"Zm9v\r\nYmFy", 2..4), 2..8);
        assert_eq!(base64(b"Zm9v\r\nYmFy", 6..6), 10..10);
        let qp = |body: &[u8], range| one(TransferEncoding::QuotedPrintable, body, range);
        assert_eq!(qp(b"a=C3=\n=A4z", 1..3), 1..9);
        assert_eq!(qp(b"a=C3=\n=A4z", 0..1), 0..1);
        assert_eq!(qp(b"a=C3=\n=A4z", 3..4), 9..10);
        assert_eq!(qp(b"ab  \ncd", 3..4), 5..6);
        assert_eq!(one(TransferEncoding::Identity, b"abc", 1..2), 1..2);
        // Each decoded byte has the range that it was decoded from, and the ranges are in order.
        let body = b"gr=C3=BC=C3=9F=20 \r\nzwei=3D2 =\r\n=zz";
        let length = decode(TransferEncoding::QuotedPrintable, body, &mut Vec::new())
            .bytes
            .len();
        let each: Vec<_> = (0..length).map(|at| at..at + 1).collect();
        let places = locate(TransferEncoding::QuotedPrintable, body, &each);
        assert!(places.windows(2).all(|pair| pair[0].end <= pair[1].start));
        for (place, at) in places.iter().zip(0..) {
            assert_eq!(qp(body, at..at + 1), *place);
        }
    }

    #[test]
    fn unknown_encodings_keep_the_body() {
        let mut findings = Vec::new();
        let decoded = decode(TransferEncoding::Unknown, b"PHNjcmlwdD4=", &mut findings);
        assert_eq!(&*decoded.bytes, b"PHNjcmlwdD4=");
        assert_eq!(decoded.used, TransferEncoding::Identity);
        decode(TransferEncoding::Uuencode, b"begin 644 x", &mut findings);
        let kinds: Vec<_> = findings.iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [EventKind::CteWrongLabel, EventKind::CteUuencode]);
    }

    #[test]
    fn places_lie_inside_the_body() {
        use TransferEncoding::{Base64, Identity, QuotedPrintable, Unknown, Uuencode};
        for encoding in [Base64, Identity, QuotedPrintable, Unknown, Uuencode] {
            for body in [&b""[..], b"YQ==", b"=41=\n", b"abc"] {
                let places = locate(encoding, body, &[0..1, 2..90, 95..usize::MAX]);
                assert_eq!(places.len(), 3, "{encoding:?}");
                for place in places {
                    assert!(place.start <= place.end, "{encoding:?} {place:?}");
                    assert!(place.end <= body.len(), "{encoding:?} {place:?}");
                }
            }
        }
    }

    /// `locate` returns the origin of each decoded byte, even in damaged bodies.
    #[test]
    fn places_hold_for_damaged_bodies() {
        let pieces: [&[u8]; 17] = [
            b"Zm9v",
            b"Zg==",
            b"=",
            b"==",
            b"=4",
            b"=C3=BC",
            b"\n",
            b"\r\n",
            b" ",
            b"\n\n",
            b"____\n",
            b"word ",
            b"Sent",
            b"\xE4",
            b"Zm9vYmFyZm9vYmFyZm9vYmFy\n",
            b"=\n",
            // A full line of text.
            b"R3LDvMOfZSBhdXMgTcO8bmNoZW4gYW4gYWxsZSwgZ3V0IQ0K\n",
        ];
        let mut state = 1_u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % bound
        };
        for _ in 0..20_000 {
            let length = next(12);
            let body: Vec<u8> = (0..length)
                .flat_map(|_| pieces[next(17) as usize])
                .copied()
                .collect();
            for encoding in [TransferEncoding::Base64, TransferEncoding::QuotedPrintable] {
                let decoded = decode(encoding, &body, &mut Vec::new());
                let each: Vec<_> = (0..decoded.bytes.len()).map(|at| at..at + 1).collect();
                let places = locate(encoding, &body, &each);
                assert_eq!(places, locate(decoded.used, &body, &each));
                let mut before = 0;
                let banner = decoded.banner.clone().unwrap_or_default();
                for (place, byte) in places.iter().zip(&*decoded.bytes) {
                    // Two bytes of a quantum share a sextet.
                    assert!(
                        before <= place.start + 1
                            && place.start < place.end
                            && place.end <= body.len()
                    );
                    before = place.end;
                    let from = &body[place.clone()];
                    match decoded.used {
                        TransferEncoding::Base64 if banner.contains(&place.start) => {
                            assert!(from == [*byte] || from.trim_ascii().is_empty());
                        }
                        TransferEncoding::Base64 => assert!(from.len() >= 2),
                        TransferEncoding::QuotedPrintable if from.len() == 3 => {
                            assert_eq!(format!("={byte:02X}").as_bytes(), from);
                        }
                        _ => assert_eq!(from, [*byte]),
                    }
                }
            }
        }
    }

    /// Decodes the attacks on transfer encodings.
    #[test]
    fn attacks_have_one_reading() {
        let Some(shared) = crate::shared_material::folder() else {
            return;
        };
        let table: &[(&str, &str)] = &[
            ("a", "<script>alert"),
            ("b", "<script>"),
            ("c", "<script>"),
            ("d", "<s~ript?"),
            ("e", "<script> =ZZ =3 "),
            ("f", "<\r\n.\r\n\0 xy\r\n"),
            ("g", "<script>"),
            ("j", "begin 644 x\r\n%/'-C<FEP\r\n`\r\nend\r\n"),
            ("k", "PHNjcmlwdD4=\r\n"),
            ("l", "x\r\n"),
            ("m", "x\r\n"),
        ];
        for (letter, text) in table {
            let file = std::path::Path::new(&shared).join(format!("attacks/d68{letter}-cte.eml"));
            let raw = std::fs::read(&file).unwrap();
            let message = crate::message::Message::parse(&raw, &crate::limits::Limits::default());
            let part = message.part_at(crate::part_id::PartId::ROOT);
            let decoded = decode(part.transfer, part.body.of(&raw), &mut Vec::new());
            let found = String::from_utf8_lossy(&decoded.bytes);
            assert_eq!(found, *text, "{letter}");
        }
    }
}
