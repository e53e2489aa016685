//! Decodes vCards and calendars whose properties name charsets of their own (vCard 2.1, vCalendar 1.0).
//!
//! ```text
//! Content-Type: text/x-vcard; charset=iso-8859-1
//!
//! N;CHARSET=windows-1251:\xCF\xE5\xF2\xF0\xEE\xE2     Петров
//! ADR:;;Stra\xDFe 5                            Straße 5, by the label
//! ```
//!
//! # Limits
//! Text in quoted-printable within a card stays as it is. If all properties have one charset, [`declared_charset`] finds it. Stateful
//! charsets do not count, and neither do folds within characters.
//!
//! [`declared_charset`]: crate::document_charset::declared_charset

use super::mixed_text::{MixedText, RestCharset, decode_runs, join};
use crate::charset_choice::choice::Choice;
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::labels::superset::better_by_bytes;
use crate::charset_choice::labels::utf8_vs_label::utf8_outweighs_label;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::document_charset::{Property, non_ascii_properties};
use mailglot_codec::{Charset, Resolved};

/// Decodes each property by the charset that it names. `choose` chooses the charset of properties that name none.
///
/// Returns `None` if the text has one charset.
pub(crate) fn by_properties(
    bytes: &[u8],
    evidence: &Evidence<'_>,
    choose: impl FnOnce(&[u8]) -> Choice<'static>,
) -> Option<MixedText> {
    if evidence.mapped || !evidence.may_find_mixed() || bytes.is_ascii() {
        return None;
    }
    let properties = non_ascii_properties(bytes);
    let named: Vec<Option<Charset>> = properties
        .iter()
        .map(|property| own_charset(bytes, property))
        .collect();
    let first = named.iter().flatten().next()?;
    let is_first = |charset: &Charset| charset.superset() == first.superset();
    if named
        .iter()
        .all(|charset| charset.is_some_and(|charset| is_first(&charset)))
    {
        return None;
    }
    let other = charset_of_rest(bytes, &properties, &named, evidence, choose)?;
    let is_run = |(property, charset): (&Property, &Option<Charset>)| {
        let charset = charset.filter(|charset| *charset != other.charset)?;
        Some((property.lines.clone(), charset))
    };
    let runs: Vec<_> = properties.iter().zip(&named).filter_map(is_run).collect();
    (!runs.is_empty()).then(|| decode_runs(bytes, &runs, other))
}

/// Returns the charset that a property names if it decodes the text, or UTF-8 if the text was converted and kept the name.
fn own_charset(bytes: &[u8], property: &Property) -> Option<Charset> {
    let named = property.charset(bytes)?;
    let lines = &bytes[property.lines.clone()];
    if named != Charset::UTF_8
        && let Ok(text) = std::str::from_utf8(lines)
        && utf8_outweighs_label(Some(named), lines, text)
    {
        return Some(Charset::UTF_8);
    }
    let named = better_by_bytes(named, lines).unwrap_or(named);
    (named.may_stand_beside_ascii()
        && named != Charset::US_ASCII
        && decodes_without_loss(named, lines))
    .then_some(named)
}

/// Returns the charset of the properties that name none, or of the first one if all name one.
fn charset_of_rest(
    bytes: &[u8],
    properties: &[Property],
    named: &[Option<Charset>],
    evidence: &Evidence<'_>,
    choose: impl FnOnce(&[u8]) -> Choice<'static>,
) -> Option<RestCharset> {
    let unnamed = properties.iter().zip(named);
    let unnamed: Vec<_> = unnamed
        .filter(|(_, charset)| charset.is_none())
        .map(|(property, _)| property.lines.clone())
        .collect();
    if unnamed.is_empty() {
        let label = evidence.resolved.and_then(Resolved::charset);
        let is_named = |label: &Charset| named.contains(&Some(*label));
        let charset = label.filter(is_named).or(*named.first()?)?;
        let confidence = None;
        return Some(RestCharset {
            charset,
            confidence,
        });
    }
    let choice = choose(&join(bytes, &unnamed));
    let is_usable =
        choice.mixed.is_none() && choice.log.losses() == 0 && choice.used.may_stand_beside_ascii();
    is_usable.then_some(RestCharset {
        charset: choice.used,
        confidence: choice.confidence,
    })
}

#[cfg(test)]
mod tests {
    use crate::charset_choice::{Evidence, choose};
    use crate::document_charset::Document;
    use crate::event::EventKind;
    use crate::linear::assert_linear;
    use crate::test_charsets::charset_named;
    use mailglot_codec::{Charset, View};

    fn read(label: Option<&str>, card: &[u8]) -> (String, bool) {
        let label = label.map(str::as_bytes);
        let evidence = Evidence {
            label,
            resolved: label.map(|label| Charset::for_label(label, View::Mail)),
            document: Some(Document::Card),
            ..Evidence::default()
        };
        let choice = choose(card, &evidence);
        let is_mixed = |(kind, _): &(EventKind, _)| *kind == EventKind::CharsetMixed;
        let is_mixed = choice.events.iter().any(is_mixed);
        (choice.text.into_owned(), is_mixed)
    }

    fn property(head: &str, charset: &str, text: &str) -> Vec<u8> {
        let charset = charset_named(charset);
        let line = format!("{head}:{text}\r\n");
        charset.encode_exact(&line).expect("exact").into_owned()
    }

    #[test]
    fn each_property_has_its_charset() {
        let cyrillic = property("N;CHARSET=windows-1251", "windows-1251", "Петров;Иван");
        let koi8 = property("ORG;CHARSET=koi8-r", "KOI8-R", "Институт физики");
        let german = property("ADR", "ISO-8859-1", ";;Straße 5;Köln");
        let german_utf8 = property("ADR", "UTF-8", ";;Straße 5;Köln");
        let japanese = property("NOTE;CHARSET=Shift_JIS", "Shift_JIS", "日本語");
        let converted = property("N;CHARSET=windows-1251", "UTF-8", "Петров;Иван");
        let want = [
            "N;CHARSET=windows-1251:Петров;Иван\r\n",
            "ORG;CHARSET=koi8-r:Институт физики\r\n",
            "ADR:;;Straße 5;Köln\r\n",
            "NOTE;CHARSET=Shift_JIS:日本語\r\n",
        ];
        let [n, org, adr, note] = want;
        for (label, card, want) in [
            (
                Some("iso-8859-1"),
                [&cyrillic[..], &koi8, &german, &japanese].concat(),
                [n, org, adr, note].concat(),
            ),
            (None, [&cyrillic[..], &koi8].concat(), [n, org].concat()),
            (
                Some("utf-8"),
                [&cyrillic[..], &german_utf8].concat(),
                [n, adr].concat(),
            ),
            (
                Some("us-ascii"),
                [&cyrillic[..], &japanese].concat(),
                [n, note].concat(),
            ),
            (
                Some("iso-8859-1"),
                [&converted[..], &german].concat(),
                [n, adr].concat(),
            ),
        ] {
            assert_eq!(read(label, &card), (want, true), "{label:?}");
        }
    }

    #[test]
    fn cards_in_one_charset_stay() {
        let cyrillic = property("N;CHARSET=windows-1251", "windows-1251", "Петров;Иван");
        let encoded = b"FN;CHARSET=koi8-r;ENCODING=QUOTED-PRINTABLE:=CF\r\n";
        let card = [&cyrillic[..], encoded].concat();
        assert!(!read(Some("windows-1251"), &card).1);
        let german = property("ADR", "ISO-8859-1", ";;Straße 5;Köln");
        assert!(!read(Some("iso-8859-1"), &german).1);
        let converted = property("N;CHARSET=windows-1251", "UTF-8", "Петров;Иван");
        assert!(!read(Some("utf-8"), &converted).1);
    }

    #[test]
    fn properties_take_linear_time() {
        for unit in [
            &b"N;CHARSET=koi8-r:\xC1\r\n"[..],
            b"A;CHARSET=x:\xC1\n",
            b"\xC1\n ",
        ] {
            assert_linear(&unit.escape_ascii(), 10_000, |n| {
                let card = [&b"N;CHARSET=windows-1251:\xCF\n"[..], &unit.repeat(n)].concat();
                drop(read(Some("iso-8859-1"), &card));
            });
        }
    }
}
