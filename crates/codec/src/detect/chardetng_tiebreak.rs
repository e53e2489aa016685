//! Asks the crate `chardetng`, the detector of Firefox, if the costs of the best charsets nearly tie.
//!
//! # Limits
//! chardetng knows only the encodings of the web, and gives no score.

use super::cost::NAT;
use super::score::Scored;
use crate::charset::Charset;
use crate::label;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

/// Costs that differ by less count as a tie.
const TIE: u32 = NAT;
/// Cost that the other charsets get if chardetng names one.
const BONUS: u32 = NAT;

/// Asks chardetng if the costs of the best charsets are close, and sorts them again.
pub(super) fn break_ties(scored: &mut [Scored], sample: &[u8], country: Option<&str>) {
    let Some(best) = scored.first().copied() else {
        return;
    };
    if !knows(best.charset)
        || !scored
            .iter()
            .any(|s| s.text != best.text && s.cost < best.cost + TIE)
    {
        return;
    }
    let Some(charset) = label::of_encoding(ask(sample, country)) else {
        return;
    };
    let same = |s: &&Scored| s.charset.superset() == charset.superset();
    let Some(text) = scored.iter().find(same).map(|s| s.text) else {
        return;
    };
    for other in scored.iter_mut().filter(|s| s.text != text) {
        other.cost += BONUS;
    }
    scored.sort_by_key(|s| s.cost);
}

/// Returns true if chardetng could name this charset. It knows DOS and Mac charsets, but never names them.
fn knows(charset: Charset) -> bool {
    let known = encoding_rs::Encoding::for_label(charset.name().as_bytes());
    known.is_some() && !charset.name().contains("mac")
}

fn ask(sample: &[u8], country: Option<&str>) -> &'static encoding_rs::Encoding {
    // It panics if a label is not lower-case ASCII. It treats an unknown one as generic.
    let country = country.map(|code| code.trim_start_matches('.').to_ascii_lowercase());
    let known = |code: &String| !code.is_empty() && code.bytes().all(|b| b.is_ascii_lowercase());
    let country = country.filter(known);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    detector.guess(country.as_deref().map(str::as_bytes), Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_is_settled_and_certainty_kept() {
        let scored = |difference: u32| {
            [
                (Charset::WINDOWS_1250, 1000, 1),
                (Charset::WINDOWS_1252, 1000 + difference, 2),
            ]
            .map(|(charset, cost, text)| Scored {
                charset,
                cost,
                text,
            })
        };
        let sample = "déjà vu à l’été"
            .chars()
            .map(|c| if c == '’' { 0x92 } else { c as u8 })
            .collect::<Vec<_>>();
        for (difference, country, first) in [
            (NAT / 2, None, Charset::WINDOWS_1252),
            (NAT / 2, Some("FR"), Charset::WINDOWS_1252),
            (NAT / 2, Some("no domain!"), Charset::WINDOWS_1252),
            (3 * NAT, None, Charset::WINDOWS_1250),
            (9 * NAT, None, Charset::WINDOWS_1250),
        ] {
            let mut scored = scored(difference);
            break_ties(&mut scored, &sample, country);
            assert_eq!(scored[0].charset, first, "{difference} {country:?}");
        }
    }
}
