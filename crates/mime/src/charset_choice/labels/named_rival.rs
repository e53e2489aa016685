//! Weighs charsets that the document and the message name against the label of a part.
//!
//! ```text
//! Content-Type: text/html; charset=windows-1251
//!
//! <meta charset="windows-1252">f\xFCr     für, not fьr
//! ```
//!
//! # Rules
//! Between two named charsets, one or two words suffice to tell which of them made the text. So a named charset needs a smaller margin
//! over the label than a guess. Where the margin is small, the label stands, and a declaration inside the document is reported.
//!
//! # Limits
//! Compares charsets that have a model, except UTF-8, which an earlier step has tested. Charsets that the message names are compared
//! with short or suspected text only.

use super::label_events::detected_event;
use super::label_scope::LabelScope;
use super::superset::better_by_bytes;
use super::utf8_vs_label::utf8_outweighs_label;
use crate::charset_choice::choice::Choice;
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::text_tests::case_faults::outweighs;
use crate::charset_choice::text_tests::cjk_level1::is_level1;
use crate::charset_choice::text_tests::contested_words::outweighs_declaration;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::foreign_letters::{
    has_other_script, latin_words_with_foreign_letters,
};
use crate::charset_choice::text_tests::mojibake_score::mojibake_score;
use crate::charset_choice::text_tests::repetitions::different_pairs;
use crate::charset_choice::text_tests::utf8_sequences::SequenceCount;
use crate::charset_choice::thresholds::window;
use crate::document_charset;
use crate::event::{ChosenBy, Detail, EventKind};
use crate::reading::How;
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{self, Hints, WINDOW, Weighed};
use mailglot_codec::{Charset, LossLog, is_alphabetic};

/// Margin of likelihood (natural logarithm) from which on the charset that the document declares replaces the label.
///
/// Of 40,000 texts of one to eight words under right labels, 22 exceed it: nearly all are single words in Thai. Units and gene names in
/// Greek letters (`10 kΩ`, `TNFα`) exceed it, too, so [`has_words`] keeps their label.
const DOCUMENT_MARGIN: f32 = 12.0;
/// Margin of likelihood from which on a charset that another part or an encoded word names replaces the label.
///
/// Of 40,000 texts under right labels, one exceeds it.
const MESSAGE_MARGIN: f32 = 20.0;
/// Margins from which on a named charset that does not replace the label is reported: of the document, and of the message.
const DOCUMENT_DOUBT: f32 = -3.0;
const MESSAGE_DOUBT: f32 = 3.0;
/// Text is short if it has fewer bytes above 7F. The check of the label tells more of longer text.
const SHORT: usize = 8;
/// Number of charsets named by the message that are compared.
const MAX_NAMED: usize = 3;

type Events = Vec<(EventKind, Detail)>;

/// Returns the text in the charset that the document declares if it is far likelier than under the label. Adds an event for a
/// declaration that may be right.
pub(crate) fn by_declaration<'a>(
    bytes: &'a [u8],
    label: Charset,
    evidence: &Evidence<'_>,
    events: &mut Events,
) -> Option<Choice<'a>> {
    if !may_be_compared(label, evidence) {
        return None;
    }
    let declared = document_charset::declared_charset(bytes, evidence.document?)?;
    if !is_other(declared, label) {
        return None;
    }
    let hints = evidence.hints(bytes);
    let margin = margin(bytes, label, declared, &hints)?;
    let choice =
        (margin >= DOCUMENT_MARGIN && is_common(label) && has_words(bytes, label, declared))
            .then(|| read(bytes, label, (declared, How::Document), &hints))
            .flatten();
    if choice.is_none() && margin > DOCUMENT_DOUBT {
        let detail = Detail::Declares { label, declared };
        events.push((EventKind::CharsetSuspected, detail));
    }
    choice
}

/// Returns text under a label of UTF-8 in the charset that the document declares, if only that decodes all bytes, and to plausible text.
/// Adds an event for valid UTF-8, another one if it is as plausible in the declared charset.
pub(crate) fn by_declaration_beside_utf8<'a>(
    bytes: &'a [u8],
    evidence: &Evidence<'_>,
    events: &mut Events,
) -> Option<Choice<'a>> {
    let label = Charset::UTF_8;
    let document = evidence.document.filter(|_| !bytes.is_ascii())?;
    let has_scope = LabelScope::of(evidence.detection()) != LabelScope::None && !evidence.mapped;
    if let Ok(text) = std::str::from_utf8(bytes) {
        let declared = document_charset::declared_beside_utf8(bytes, document)?;
        let is_rival = has_scope && is_other(declared, label);
        let kind = if is_rival && !utf8_outweighs_label(Some(declared), bytes, text) {
            EventKind::CharsetSuspected
        } else {
            EventKind::CharsetDeclared
        };
        events.push((kind, Detail::Declares { label, declared }));
        return None;
    }
    let declared = document_charset::declared_charset(bytes, document)
        .filter(|declared| has_scope && is_other(*declared, label))?;
    // Damaged UTF-8 may be valid in charsets of two bytes.
    let is_damaged_utf8 = || {
        let count = SequenceCount::of(bytes);
        let valid = || bytes.utf8_chunks().map(|chunk| chunk.valid());
        // EUC-KR letters that are valid UTF-8 by chance give rare characters.
        let are_odd = || valid().any(|text| mojibake_score(text) > 0);
        count.within > count.malformed
            || count.within == count.malformed && !(is_level1(declared, bytes) && are_odd())
    };
    if !declared.is_single_byte() && is_damaged_utf8() {
        return None;
    }
    read(
        bytes,
        label,
        (declared, How::Document),
        &evidence.hints(bytes),
    )
    .filter(|choice| mojibake_score(&choice.text) == 0)
}

/// Returns short or suspected text in a charset that the message names if it is far likelier than under the label. Adds an event for a
/// charset that is likelier.
pub(crate) fn by_message<'a>(
    bytes: &'a [u8],
    label: Charset,
    evidence: &Evidence<'_>,
    events: &mut Events,
) -> Option<Choice<'a>> {
    let is_suspected = |(kind, _): &(EventKind, Detail)| *kind == EventKind::CharsetSuspected;
    let is_suspected = events.iter().any(is_suspected);
    let is_short = || detect::high_bytes(bytes).nth(SHORT - 1).is_none();
    if !may_be_compared(label, evidence) || !is_common(label) || !is_suspected && !is_short() {
        return None;
    }
    let named = evidence.mail?.named_charsets().take(MAX_NAMED);
    let mut doubt = None;
    let mut others = named.filter(|named| is_common(*named) && is_other(*named, label));
    let choice = others.find_map(|named| {
        let hints = evidence.hints(bytes);
        let margin = margin(bytes, label, named, &hints)?;
        let choice = (margin >= MESSAGE_MARGIN && has_words(bytes, label, named))
            .then(|| read(bytes, label, (named, How::Message), &hints))
            .flatten();
        if choice.is_none() && margin >= MESSAGE_DOUBT {
            doubt.get_or_insert(named);
        }
        choice
    });
    if let Some(likelier) = doubt.filter(|_| choice.is_none() && !is_suspected) {
        let detail = Detail::Likelier { label, likelier };
        events.push((EventKind::CharsetSuspected, detail));
    }
    choice
}

fn may_be_compared(label: Charset, evidence: &Evidence<'_>) -> bool {
    !evidence.mapped
        && label != Charset::UTF_8
        && label.is_ascii_compatible()
        && !label.is_stateful()
        && LabelScope::of(evidence.detection()) != LabelScope::None
}

fn is_other(named: Charset, label: Charset) -> bool {
    let has_own_letters = named.is_ascii_compatible()
        && !named.is_stateful()
        && !matches!(named, Charset::US_ASCII | Charset::UTF_8);
    has_own_letters && named.superset() != label.superset()
}

/// Returns true for charsets that mail programs write over text of other charsets. Somebody chose the label of a rare charset,
/// for a language that the models may not know. Examples are Maltese in ISO-8859-3 and Tajik in KOI8-T.
fn is_common(charset: Charset) -> bool {
    matches!(
        charset.superset(),
        Charset::WINDOWS_1250
            | Charset::WINDOWS_1251
            | Charset::WINDOWS_1252
            | Charset::WINDOWS_1253
            | Charset::WINDOWS_1254
            | Charset::WINDOWS_1255
            | Charset::WINDOWS_1256
            | Charset::WINDOWS_1257
            | Charset::ISO_8859_2
            | Charset::ISO_8859_5
            | Charset::ISO_8859_7
            | Charset::ISO_8859_8
            | Charset::ISO_8859_15
            | Charset::KOI8_R
            | Charset::KOI8_U
            | Charset::IBM866
    ) || charset != Charset::UTF_8
        && !charset.is_single_byte()
        && charset.is_ascii_compatible()
        && !charset.is_stateful()
}

/// Returns how much likelier (natural logarithm) text in `named` is. Returns None if the text seems to be the same, or without a model.
fn margin(bytes: &[u8], label: Charset, named: Charset, hints: &Hints<'_>) -> Option<f32> {
    let window = window(bytes);
    let text = |charset: Charset| {
        let mut log = LossLog::with_limit(0);
        charset.superset().decode(window, &mut log)
    };
    if text(label) == text(named) {
        return None;
    }
    detect::margin_over(bytes, label, named, hints)
}

/// Returns true if the text has words that tell one script from another. Single letters, units and words in capitals tell little: `kΩ`
/// in ISO-8859-7, `ÄÖÜß`.
fn has_words(bytes: &[u8], label: Charset, named: Charset) -> bool {
    /// Number of different characters of two bytes.
    const PAIRS: usize = 4;
    let first = detect::high_bytes(bytes).next().unwrap_or_default();
    let window = &bytes[first..bytes.len().min(first + WINDOW)];
    let read = |charset: Charset| decode_unlogged(charset.superset(), window);
    let has_small = |charset: Charset| {
        let is_small = |c: char| !c.is_ascii() && is_alphabetic(c) && !c.is_uppercase();
        read(charset).chars().any(is_small)
    };
    if !has_small(named) {
        return false;
    }
    match (label.is_single_byte(), named.is_single_byte()) {
        (true, true) if !has_other_script(label) && !has_other_script(named) => true,
        (true, true) if has_other_script(label) && !has_other_script(named) => {
            latin_words_with_foreign_letters(label, bytes) > 0
        }
        (true, true) => (has_other_script(label) || has_small(label)) && has_run(window, 3),
        _ => different_pairs(window) >= PAIRS || has_run(window, 2 * PAIRS),
    }
}

/// Returns true if so many bytes above 7F stand side by side.
fn has_run(bytes: &[u8], length: usize) -> bool {
    let runs = bytes.chunk_by(|one, other| one.is_ascii() == other.is_ascii());
    runs.into_iter()
        .any(|run| !run[0].is_ascii() && run.len() >= length)
}

/// Returns the text in a named charset, unless a third charset is far likelier.
fn read<'a>(
    bytes: &'a [u8],
    label: Charset,
    (named, how): (Charset, How),
    hints: &Hints<'_>,
) -> Option<Choice<'a>> {
    let charset = better_by_bytes(named, bytes)
        .filter(|better| decodes_without_loss(*better, bytes))
        .unwrap_or(named);
    let rival = Weighed::new(bytes, hints).rival(charset);
    // A label of UTF-8 does not decode the bytes, so nothing but the text speaks against the declaration.
    let outweighs = |rival| match label {
        Charset::UTF_8 => outweighs_declaration(&rival, charset, bytes, hints),
        _ => outweighs(&rival, charset, bytes),
    };
    if rival.is_some_and(outweighs) {
        return None;
    }
    let mut log = LossLog::new();
    let text = charset.decode(bytes, &mut log);
    let events = vec![detected_event(Some(label), charset, ChosenBy::Step(how))];
    (log.losses() == 0).then(|| Choice::of_text(text, log, charset, how, events))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::choose;
    use crate::document_charset::Document;
    use crate::mail::Mail;
    use crate::normalize::plan;
    use crate::policy::Policy;
    use mailglot_codec::View;

    fn charset(name: &str) -> Charset {
        Charset::for_label(name.as_bytes(), View::Mail)
            .charset()
            .unwrap_or_else(|| panic!("{name}"))
    }

    /// Chooses the charset of a document in `charset` under `label` that declares `declared`.
    fn chosen(
        document: Document,
        label: &str,
        template: &str,
        declared: &str,
        text: (&str, &str),
    ) -> (bool, How, Vec<String>) {
        let whole = template
            .replace("CHARSET", declared)
            .replace("TEXT", text.0);
        let bytes = charset(text.1).encode_exact(&whole).expect("encodable");
        let evidence = Evidence {
            label: Some(label.as_bytes()),
            resolved: Some(Charset::for_label(label.as_bytes(), View::Mail)),
            document: Some(document),
            ..Evidence::default()
        };
        let choice = choose(&bytes, &evidence);
        let events = choice.events.iter();
        let details = events.map(|(kind, detail)| format!("{} {detail}", kind.code()));
        (choice.text == whole, choice.how, details.collect())
    }

    const HTML: &str = "<html><head><meta charset=\"CHARSET\"></head><body>TEXT</body></html>";
    const XML: &str = "<?xml version=\"1.0\" encoding=\"CHARSET\"?>\n<a>TEXT</a>\n";
    const CARD: &str = "BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=CHARSET:TEXT\nEND:VCARD\n";

    #[test]
    fn a_declaration_replaces_a_label_under_which_it_is_far_likelier() {
        for (document, template, label, declared, text) in [
            (
                Document::Html,
                HTML,
                "iso-8859-1",
                "windows-1250",
                "am reuşit să găsim",
            ),
            (
                Document::Html,
                HTML,
                "iso-8859-1",
                "iso-8859-2",
                "zůstávají stejné jako dříve",
            ),
            (
                Document::Html,
                HTML,
                "iso-8859-2",
                "iso-8859-1",
                "El año pasado, señora Núñez",
            ),
            (
                Document::Html,
                HTML,
                "windows-1251",
                "windows-1252",
                "bezahlen Sie die Höhe der Rechnung",
            ),
            (
                Document::Html,
                HTML,
                "windows-1251",
                "koi8-r",
                "Пришлите договор до пятницы",
            ),
            (
                Document::Xml,
                XML,
                "iso-8859-1",
                "iso-8859-2",
                "Środa, czwartek i piątek",
            ),
            (
                Document::Card,
                CARD,
                "windows-1252",
                "windows-1251",
                "Пётр Иванов",
            ),
        ] {
            let (is_right, how, events) =
                chosen(document, label, template, declared, (text, declared));
            assert!(is_right, "{text} {events:?}");
            let is_told = events
                .iter()
                .any(|event| event.starts_with("charset.detected"));
            assert!(is_told && how != How::Label, "{text} {how:?} {events:?}");
        }
    }

    #[test]
    fn a_declaration_weighs_like_a_label_beside_utf_8() {
        for (label, declared, text, (read_by, used)) in [
            ("us-ascii", "gb2312", "谢谢", (How::Document, "gb2312")),
            (
                "us-ascii",
                "windows-1251",
                "Ні, ще ні",
                (How::Document, "windows-1251"),
            ),
            (
                "utf-8",
                "windows-1251",
                "Ні, ще ні",
                (How::Document, "windows-1251"),
            ),
            (
                "utf-8",
                "iso-8859-1",
                "größer",
                (How::Document, "iso-8859-1"),
            ),
            ("us-ascii", "gb2312", "Größe", (How::Utf8, "utf-8")),
            ("us-ascii", "iso-8859-1", "25°C", (How::Utf8, "utf-8")),
            ("us-ascii", "utf-8", "лл", (How::Utf8, "utf-8")),
            ("utf-8", "iso-8859-1", "Größe", (How::Label, "utf-8")),
        ] {
            let (is_right, how, events) =
                chosen(Document::Html, label, HTML, declared, (text, used));
            assert!(
                is_right && how == read_by,
                "{label} {text} {how:?} {events:?}"
            );
        }
    }

    #[test]
    fn valid_utf_8_that_the_document_declares_otherwise_is_reported() {
        for (text, charset, expected) in [
            ("谢谢", "gb2312", true),
            ("Привет, как дела", "utf-8", false),
        ] {
            let (_, how, events) = chosen(Document::Html, "utf-8", HTML, "gb2312", (text, charset));
            let is_reported = events
                .iter()
                .any(|event| event.starts_with("charset.suspected"));
            assert_eq!(
                (how, is_reported),
                (How::Label, expected),
                "{text} {events:?}"
            );
        }
    }

    #[test]
    fn a_right_label_stands_beside_a_wrong_declaration() {
        for (label, declared, text) in [
            (
                "iso-8859-1",
                "windows-1250",
                "zurück nach München, schöne Grüße",
            ),
            ("iso-8859-1", "windows-1251", "für"),
            ("iso-8859-2", "iso-8859-1", "zůstávají stejné jako dříve"),
            ("windows-1251", "koi8-r", "Пришлите договор до пятницы"),
            ("koi8-r", "windows-1251", "Пришлите договор до пятницы"),
            ("windows-1255", "windows-1251", "שלום לכולם"),
            ("shift_jis", "gb2312", "お世話になっております"),
            ("windows-1254", "iso-8859-1", "İyi günler, teşekkür ederim"),
        ] {
            let (is_right, how, events) =
                chosen(Document::Html, label, HTML, declared, (text, label));
            assert!(is_right, "{text} {events:?}");
            let is_told = events
                .iter()
                .any(|event| !event.starts_with("charset.superset"));
            assert!(
                !is_told && matches!(how, How::Label | How::Superset),
                "{text} {how:?} {events:?}"
            );
        }
    }

    #[test]
    fn units_and_capitals_do_not_disprove_a_label() {
        for (label, declared, text) in [
            (
                "iso-8859-7",
                "windows-1252",
                "Levels of TNFα and IFNγ were measured",
            ),
            (
                "iso-8859-7",
                "windows-1252",
                "10kΩ, 22kΩ and 47kΩ resistors",
            ),
            ("iso-8859-7", "gb2312", "ΔE = 5"),
            ("windows-1253", "windows-1252", "ΔT=5, ΔP=3, ΔV=2"),
            ("windows-1253", "windows-1251", "ΔΕΗ ΑΕ"),
            ("iso-8859-1", "koi8-r", "ÁÉÍÓÚ"),
            ("iso-8859-1", "gb2312", "ÄÖÜß"),
            ("windows-1251", "windows-1252", "Cкидкa нa тoвap"),
            ("windows-1254", "gb2312", "ĞÜŞİÖÇ"),
        ] {
            let (is_right, how, events) =
                chosen(Document::Html, label, HTML, declared, (text, label));
            assert!(
                is_right && matches!(how, How::Label | How::Superset),
                "{text} {events:?}"
            );
        }
    }

    #[test]
    fn a_declaration_that_may_be_right_is_reported() {
        let text = ("mógłbyś jeszcze raz", "iso-8859-2");
        let (is_right, how, events) =
            chosen(Document::Html, "iso-8859-2", HTML, "windows-1250", text);
        assert!(is_right && how == How::Label, "{how:?}");
        let doubt = "charset.suspected ISO-8859-2, but the document declares windows-1250";
        assert_eq!(events, [doubt]);
    }

    /// Returns the texts of two parts with labels, and the events about charsets.
    fn two_parts(parts: [(&str, &str, &str); 2]) -> (Vec<String>, Vec<String>) {
        let mut mail = b"Content-Type: multipart/alternative; boundary=b\n\n".to_vec();
        for (label, text, encoded) in parts {
            let head = format!("--b\nContent-Type: text/plain; charset={label}\n\n");
            mail.extend_from_slice(head.as_bytes());
            mail.extend_from_slice(&charset(encoded).encode_exact(text).expect("encodable"));
            mail.push(b'\n');
        }
        mail.extend_from_slice(b"--b--\n");
        let report = plan(&mail, &Policy::default()).report;
        let mail = Mail::parse(&mail);
        let texts = mail.texts();
        let events = report.events.iter();
        let events = events.filter(|event| event.kind.code().starts_with("charset."));
        (
            texts
                .iter()
                .map(|text| text.as_str().trim().to_owned())
                .collect(),
            events
                .map(|event| format!("{} {}", event.kind.code(), event.detail))
                .collect(),
        )
    }

    #[test]
    fn an_earlier_part_names_the_charset() {
        let czech = "zůstávají stejné jako dříve";
        let (texts, events) = two_parts([
            ("iso-8859-2", czech, "iso-8859-2"),
            ("iso-8859-1", czech, "iso-8859-2"),
        ]);
        assert_eq!(texts, [czech, czech], "{events:?}");
        assert_eq!(
            events,
            ["charset.detected ISO-8859-1 read as ISO-8859-2 (message)"]
        );
        // Parts in two languages.
        let german = "schöne Grüße aus München";
        let (texts, events) = two_parts([
            ("iso-8859-2", czech, "iso-8859-2"),
            ("iso-8859-1", german, "iso-8859-1"),
        ]);
        assert_eq!(texts, [czech, german]);
        assert_eq!(events, [""; 0]);
    }
}
