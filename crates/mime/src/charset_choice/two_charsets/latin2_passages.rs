//! Decodes text of Central Europe whose passages are in ISO-8859-2 or windows-1250.
//!
//! ```text
//! \x8Eivjo, sporo\xE8ilo \x8Apele        Živjo, sporočilo Špele   windows-1250
//! > \xAEivjo Matja\xBE, lahko no\xE8      > Živjo Matjaž, ...      ISO-8859-2
//! ```
//!
//! Both charsets have the letters `Ššžž` and `Śśąľť`, with other bytes. Programs for Unix and for Windows quote each other without converting.
//! A passage ends where quoted lines begin or end, and at a line that separates sections. Bytes 80-9F are letters of windows-1250 only. Signs of
//! windows-1250 within words show ISO-8859-2: `Matja\xAE`, `w\xB3a\xB6nie`.
//!
//! # Limits
//! A passage without such bytes follows the label. Where the bytes of a passage contradict each other, the label decides about all passages.

use super::mixed_text::{MixedText, RestCharset};
use super::windows_signs::{LabelAndPage, LettersOfText, Votes, is_letter};
use crate::charset_choice::labels::superset::has_c1;
use crate::charset_choice::text_tests::byte_set::set;
use crate::charset_choice::text_tests::line_kinds::{is_quoted, lines, separators};
use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;
use std::ops::Range;

/// Number of bytes for ISO-8859-2 that outweigh a label of windows-1250, unless one stands within a word.
const MIN_STRONG: usize = 2;

/// Letters of windows-1250 that are controls in ISO-8859-2.
const OF_PAGE: [bool; 256] = set(b"\x8A\x8C\x8D\x8E\x8F\x9A\x9C\x9D\x9E\x9F");
/// Letters of ISO-8859-2 that are others, or signs, in windows-1250.
const OF_ISO: [bool; 256] = set(b"\xA1\xA5\xA6\xA9\xAB\xAC\xAE\xB1\xB5\xB6\xB9\xBB\xBC\xBE");

/// Decodes text in either charset, by its label or by detection, that has passages in both. Returns None unless both kinds show their letters.
pub(crate) fn in_latin2_passages(bytes: &[u8], own: RestCharset) -> Option<MixedText> {
    let label = own.charset;
    let is_latin2 = matches!(label, Charset::ISO_8859_2 | Charset::WINDOWS_1250);
    if !is_latin2 || !has_c1(bytes) {
        return None;
    }
    let passages = passages(bytes);
    // Most text has letters of one charset only.
    let has = |passage: &Range<usize>, set: &[bool; 256]| {
        let text = &bytes[passage.clone()];
        high_bytes(text).any(|at| set[usize::from(text[at])])
    };
    let may_be_iso = |passage: &Range<usize>| has(passage, &OF_ISO) && !has(passage, &OF_PAGE);
    if !passages.iter().any(may_be_iso) {
        return None;
    }
    let charsets = LabelAndPage::new(Charset::ISO_8859_2, Charset::WINDOWS_1250)?;
    let whole = LettersOfText::new(Charset::ISO_8859_2, bytes);
    let (mut of_iso, mut of_page) = (Vec::new(), Vec::new());
    for passage in passages {
        let text = &bytes[passage.clone()];
        // Slovak `ľ` beside Czech text is no `ž` of ISO-8859-2, so the letters of a passage must contradict the label themselves.
        let votes = match label {
            Charset::WINDOWS_1250 => charsets.votes(text),
            _ => charsets.votes_within(text, &whole),
        };
        let is_proven = label == Charset::ISO_8859_2
            || votes.strong >= MIN_STRONG
            || has_sign_within_word(&charsets, text);
        match PassageCharset::of(&votes)? {
            PassageCharset::Page => of_page.push(passage),
            PassageCharset::Iso if is_proven => of_iso.push(passage),
            PassageCharset::Iso | PassageCharset::Any => {}
        }
    }
    if of_iso.is_empty() || of_page.is_empty() {
        return None;
    }
    let is_in = |passages: &[Range<usize>], line: &Range<usize>| {
        let at = passages.partition_point(|passage| passage.end <= line.start);
        passages
            .get(at)
            .is_some_and(|passage| passage.start <= line.start)
    };
    let mut mixed = charsets.decode(bytes, |line| match label {
        Charset::WINDOWS_1250 => !is_in(&of_iso, line),
        _ => is_in(&of_page, line),
    });
    mixed.other.confidence = own.confidence;
    Some(mixed)
}

/// The charset that the bytes of a passage show.
enum PassageCharset {
    Iso,
    Page,
    Any,
}

impl PassageCharset {
    /// Returns None if they show both.
    fn of(votes: &Votes) -> Option<Self> {
        match (votes.strong, votes.against) {
            (0, 0) => Some(Self::Any),
            (0, _) => Some(Self::Page),
            _ if votes.are_for_label() => Some(Self::Iso),
            _ => None,
        }
    }
}

/// Returns the passages of a text that have bytes above 7F, in order.
fn passages(bytes: &[u8]) -> Vec<Range<usize>> {
    let separators = separators(bytes);
    let mut passages: Vec<(Range<usize>, bool)> = Vec::new();
    for line in lines(bytes) {
        let kind = is_quoted(&bytes[line.clone()]);
        let begins_section = separators.binary_search(&line.start).is_ok();
        match passages.last_mut() {
            Some((passage, last)) if *last == kind && !begins_section => passage.end = line.end,
            _ => passages.push((line, kind)),
        }
    }
    let ranges = passages.into_iter().map(|(passage, _)| passage);
    ranges
        .filter(|passage| !bytes[passage.clone()].is_ascii())
        .collect()
}

/// Returns true if a byte stands between letters that is a letter in ISO-8859-2 and a sign in windows-1250: `w\xB3a\xB6nie`. Also for `\xA6`
/// before small letters: `\xA6wietnie` is `Świetnie`, and nobody writes `¦wietnie`.
fn has_sign_within_word(charsets: &LabelAndPage, text: &[u8]) -> bool {
    const BROKEN_BAR: u8 = 0xA6;
    let character = |at: Option<usize>| charsets.character(at.and_then(|at| text.get(at)));
    high_bytes(text).any(|at| {
        let is_sign =
            is_letter(character(Some(at))) && !is_letter(charsets.of_page[usize::from(text[at])]);
        let after = [1, 2, 3].map(|step| character(Some(at + step)));
        let is_within = is_letter(character(at.checked_sub(1))) && is_letter(after[0]);
        let begins_word = text[at] == BROKEN_BAR && after.iter().all(|c| c.is_lowercase());
        is_sign && (is_within || begins_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::choose;
    use crate::charset_choice::evidence::Evidence;
    use crate::linear::assert_linear;
    use crate::test_charsets::{charset_named, encoded};
    use mailglot_codec::View;

    const ANSWERS: [(&str, &str); 5] = [
        (
            "Živjo Matjaž, hvala za sporočilo. Špela\n",
            "Živjo Špela, se vidimo v četrtek, Matjaž že ve.\n",
        ),
        (
            "Dziękuję, właśnie wysłałem.\n",
            "Cześć, przesyłam raport, daj znać, co sądzisz. Śpieszę się.\n",
        ),
        (
            "Chciałbym zapytać, właściwie jak to zrobić?\n",
            "Dzień dobry, już działa. Świetnie, źle nie było.\n",
        ),
        (
            "Děkuji za zprávu, těším se na viděnou ještě dnes.\n",
            "Ahoj Tomáši, pošlu ti to zítra. Můžeš mi zavolat?\n",
        ),
        (
            "Ahoj, môžeš prísť? Šéf už vie, že nemôžem ľahko odísť.\n",
            "Dobrý deň, zavolajte mi ešte dnes, šťastnú cestu.\n",
        ),
    ];

    #[test]
    fn passages_keep_their_charset() {
        const CHARSETS: [&str; 2] = ["ISO-8859-2", "windows-1250"];
        for (answer, question) in ANSWERS {
            let quotation = format!("\n> {question}");
            let section = format!("\n-----Original Message-----\nFrom: a\n\n{question}");
            for behind in [quotation, section] {
                for (own, other) in [(0, 1), (1, 0)] {
                    let bytes = [
                        encoded(CHARSETS[own], answer),
                        encoded(CHARSETS[other], &behind),
                    ]
                    .concat();
                    for label in CHARSETS {
                        let mixed =
                            in_latin2_passages(&bytes, RestCharset::named(charset_named(label)));
                        let text = mixed.map(|mixed| mixed.text);
                        assert_eq!(text, Some(format!("{answer}{behind}")), "{label}");
                    }
                }
            }
        }
    }

    /// Without a label, and under wrong ones.
    #[test]
    fn passages_are_found_without_their_label() {
        for (answer, question) in ANSWERS {
            let question = format!("\n> {question}");
            for (own, other) in [
                ("ISO-8859-2", "windows-1250"),
                ("windows-1250", "ISO-8859-2"),
            ] {
                let bytes = [encoded(own, answer), encoded(other, &question)].concat();
                for label in [None, Some("us-ascii"), Some("utf-8"), Some("x-unknown")] {
                    let label = label.map(str::as_bytes);
                    let evidence = Evidence {
                        label,
                        resolved: label.map(|label| Charset::for_label(label, View::Mail)),
                        ..Evidence::default()
                    };
                    let choice = choose(&bytes, &evidence);
                    assert_eq!(choice.text, format!("{answer}{question}"), "{label:?}");
                    assert!(choice.mixed.is_some(), "{label:?}");
                }
            }
        }
    }

    #[test]
    fn text_in_one_charset_stays() {
        for (answer, question) in ANSWERS {
            for other in [
                "> © 2004 Firma\n",
                "> ©Firma s.r.o.\n",
                "> Dąbrowska\n",
                "> Voľby vykresľovania\n",
                "> ±5 °C\n",
            ] {
                let text = format!("{answer}\n> {question}\n\n{other}");
                let bytes = encoded("windows-1250", &text);
                let mixed = in_latin2_passages(&bytes, RestCharset::named(Charset::WINDOWS_1250));
                assert!(mixed.is_none(), "{text}");
            }
            let bytes = encoded("ISO-8859-2", &format!("{answer}> {question}"));
            assert!(in_latin2_passages(&bytes, RestCharset::named(Charset::ISO_8859_2)).is_none());
        }
    }

    #[test]
    fn sets_have_the_letters_that_differ() {
        let charsets = LabelAndPage::new(Charset::ISO_8859_2, Charset::WINDOWS_1250);
        let charsets = charsets.expect("both have a table");
        for byte in 0x80..=0xFF_u8 {
            let at = usize::from(byte);
            let (own, other) = (charsets.character(Some(&byte)), charsets.of_page[at]);
            let is_c1 = byte < 0xA0;
            assert_eq!(OF_PAGE[at], is_c1 && is_letter(other), "{byte:02X}");
            let differs = !is_c1 && own != other && is_letter(own);
            assert_eq!(OF_ISO[at], differs, "{byte:02X}");
        }
    }

    #[test]
    fn passages_take_linear_time() {
        for unit in [
            &b"\x9Aa\n> \xB9a\n"[..],
            b"\x9A\n---\n\xB9a\n",
            b"> \x9A\xA9",
        ] {
            assert_linear(&unit.escape_ascii(), 20_000, |n| {
                drop(in_latin2_passages(
                    &unit.repeat(n),
                    RestCharset::named(Charset::ISO_8859_2),
                ));
            });
        }
    }
}
