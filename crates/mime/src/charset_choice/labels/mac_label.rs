//! Reads text under a label of Latin-1 as macintosh if its apostrophes and quotation marks are capitals under the label.
//!
//! ```text
//! label iso-8859-1   "It\xD5s late, I don\xD5t know"    `It’s late, I don’t know` instead of `ItÕs late, I donÕt know`
//! label iso-8859-1   "I don\xD5t know"                  one place: the label stays, with charset.suspected
//! ```
//!
//! # Limits
//! [`detect::mac_signs`] has the places that count.

use crate::charset_choice::text_tests::likelier_charset::LikelierCharset;
use crate::charset_choice::text_tests::western_letters::is_latin_1;
use mailglot_codec::Charset;
use mailglot_codec::detect;

/// Number of places that overrule the label.
const PLACES_TO_OVERRULE: usize = 2;

/// Returns macintosh if signs of it stand where Latin-1 has capitals within words.
pub(super) fn likelier_by_mac_signs(label: Charset, bytes: &[u8]) -> Option<LikelierCharset> {
    if !is_latin_1(label) {
        return None;
    }
    let places = detect::mac_signs(bytes);
    let decides = places >= PLACES_TO_OVERRULE;
    (places > 0).then(|| LikelierCharset::by_model(Charset::MACINTOSH, decides))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_places_overrule_labels_of_latin_1() {
        for (bytes, expected) in [
            (&b"It\xD5s late, I don\xD5t know"[..], Some(true)),
            (b"don\xD5t don\xD5t", Some(true)),
            (
                b"\xD2hello\xD3 he said, \xD2never\xD3 \xD0 twice",
                Some(true),
            ),
            (b"\xD2hello\xD3 he said \xD0 twice", Some(false)),
            (b"I don\xD5t know", Some(false)),
            (b"OP\xD5E, LIM\xD5ES", None),
            (b"It\xD5s late, I don\xD5t know, Jos\xE9", None),
        ] {
            for (label, is_latin) in [
                (Charset::ISO_8859_1, true),
                (Charset::WINDOWS_1252, true),
                (Charset::ISO_8859_15, true),
                (Charset::ISO_8859_2, false),
                (Charset::KOI8_R, false),
            ] {
                let found = likelier_by_mac_signs(label, bytes).map(|likelier| likelier.decides);
                let text = bytes.escape_ascii();
                assert_eq!(found, expected.filter(|_| is_latin), "{label} {text}");
            }
        }
    }
}
