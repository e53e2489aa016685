//! Decodes labels of internationalized domains for display (RFC 3492; RFC 5891, section 4.2 in part).
//!
//! # Limits
//! No table of allowed characters. A label is malformed if Punycode cannot be decoded, decodes to ASCII only, or decodes to a label separator.

/// Longest label (RFC 1035 2.3.4).
const LONGEST: usize = 63;

/// Decodes a label `xn--…`.
///
/// Returns `None` if it decodes to nothing, or to text that is not allowed in a domain.
pub(super) fn decoded(label: &str) -> Option<String> {
    if label.len() > LONGEST {
        return None;
    }
    let code = label.get(4..)?;
    let text = punycode(code)?;
    let stands = |c: char| {
        !c.is_control()
            && !c.is_whitespace()
            && !matches!(
                c,
                '.' | '\u{3002}' | '\u{FF0E}' | '\u{FF61}' | '@' | '/' | '<' | '>' | '\u{FFFD}'
            )
            && (!c.is_ascii() || c.is_ascii_alphanumeric() || c == '-')
    };
    (!text.is_ascii() && text.chars().all(stands)).then_some(text)
}

/// Decodes Punycode (RFC 3492, section 6.2).
fn punycode(code: &str) -> Option<String> {
    const BASE: u32 = 36;
    const LEAST: u32 = 1;
    const MOST: u32 = 26;
    let (plain, digits) = code.rsplit_once('-').unwrap_or(("", code));
    let mut text: Vec<char> = plain.chars().collect();
    if !plain.is_ascii() || digits.is_empty() {
        return None;
    }
    let (mut point, mut at, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = digits.bytes();
    while digits.len() > 0 {
        let (before, mut weight, mut place) = (at, 1_u32, BASE);
        loop {
            let digit = match digits.next()? {
                byte @ b'a'..=b'z' => byte - b'a',
                byte @ b'A'..=b'Z' => byte - b'A',
                byte @ b'0'..=b'9' => byte - b'0' + 26,
                _ => return None,
            };
            at = at.checked_add(u32::from(digit).checked_mul(weight)?)?;
            let threshold = place.saturating_sub(bias).clamp(LEAST, MOST);
            if u32::from(digit) < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            place += BASE;
        }
        let length = text.len() as u32 + 1;
        let mut delta = if before == 0 {
            at / 700
        } else {
            (at - before) / 2
        };
        delta += delta / length;
        let mut steps = 0;
        while delta > (BASE - LEAST) * MOST / 2 {
            delta /= BASE - LEAST;
            steps += BASE;
        }
        bias = steps + (BASE - LEAST + 1) * delta / (delta + 38);
        point = point.checked_add(at / length)?;
        at %= length;
        text.insert(at as usize, char::from_u32(point)?);
        at += 1;
    }
    Some(text.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_rfc_3492_are_decoded() {
        // RFC 3492, section 7.1, samples (A), (D), (I), (L), and common labels.
        for (code, text) in [
            ("egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"),
            ("Proprostnemluvesky-uyb24dma41a", "Pročprostěnemluvíčesky"),
            (
                "b1abfaaepdrnnbgefbaDotcwatmq2g4l",
                "почемужеонинеговорятпорусски",
            ),
            ("3B-ww4c5e180e575a65lsy2b", "3年B組金八先生"),
            ("mnchen-3ya", "münchen"),
            ("pypal-4ve", "pаypal"),
        ] {
            assert_eq!(punycode(code).as_deref(), Some(text), "{code}");
        }
    }

    #[test]
    fn malformed_labels_are_rejected() {
        for label in [
            "xn--",
            "xn--a",
            "xn--abc-",
            "xn--99999999999",
            "xn--\u{fc}",
            "xn--0",
            "xn",
            "xn--a-ecp\0",
        ] {
            assert_eq!(decoded(label), None, "{label}");
        }
        assert_eq!(decoded("xn--mnchen-3ya").as_deref(), Some("münchen"));
        assert_eq!(decoded(&format!("xn--{}-3ya", "a".repeat(60))), None);
    }
}
