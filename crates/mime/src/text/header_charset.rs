//! Chooses the charset of raw bytes in header fields.

use super::decoded_body::DecodedBody;
use super::label_evidence::disproved_labels;
use super::message_evidence::{BodyCharset, MailContext, MessageEvidence, raw_fields};
use crate::charset_choice::{
    DisprovedLabels, MailEvidence, SURE_CONFIDENCE, has_letters, outweighs,
};
use crate::encoded_word::HeaderContext;
use crate::message::Message;
use crate::part_id::PartId;
use crate::policy::{Detection, Policy};
use crate::unlogged::decode_lossless;
use mailglot_codec::Charset;
use mailglot_codec::detect::{Detector, Guess, Weighed, high_bytes};

/// Returns the context for decoding header fields of a message. It has the charset of its raw bytes, from its words, texts and raw
/// bytes, and the labels that its texts disprove.
///
/// Use it with [`crate::header::decode`] to decode single fields of a message or of a header alone.
pub fn header_context<'p>(message: &Message<'_>, policy: &'p Policy) -> HeaderContext<'p> {
    let mut context = HeaderContext::of(policy);
    header_evidence(message, policy).set(&mut context);
    context
}

/// Reads the text parts, and returns what the message says about its header fields.
pub(crate) fn header_evidence(message: &Message<'_>, policy: &Policy) -> HeaderEvidence {
    let mut hints = MessageEvidence::default();
    for (id, part) in message.numbered_parts() {
        if part.is_text() {
            let _ = DecodedBody::read(message, id).choose(message, id, policy, &mut hints);
        }
    }
    let disproved = disproved_labels(message, &hints, policy);
    let raw = raw_header_charset(message, &hints, disproved, policy);
    HeaderEvidence { raw, disproved }
}

/// What a message says about its header fields.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeaderEvidence {
    pub raw: RawCharset,
    pub disproved: DisprovedLabels,
}

impl HeaderEvidence {
    /// Sets the evidence in a context.
    pub(crate) fn set(self, context: &mut HeaderContext<'_>) {
        self.raw.set(context);
        context.disproved = self.disproved;
    }
}

/// The charset for raw 8-bit bytes in the headers of a message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawCharset {
    /// None if no ASCII-compatible charset was found.
    pub charset: Option<Charset>,
    /// 0 to 1 for a guess; None if the message or the caller names the charset.
    pub confidence: Option<f32>,
    /// True for a guess from little text, which valid UTF-8 overrules.
    pub is_uncertain: bool,
    /// True if other text of the message gives the charset, rather than the caller.
    pub is_inferred: bool,
    /// True for Latin-1 of a body that proves little, such as one in ASCII. A likelier charset overrules it.
    pub is_default: bool,
}

impl RawCharset {
    /// Sets the charset of raw bytes in a context.
    pub(crate) fn set(self, context: &mut HeaderContext<'_>) {
        context.raw = self.charset;
        context.raw_is_uncertain = self.is_uncertain;
        context.raw_is_inferred = self.is_inferred;
        context.raw_is_default = self.is_default;
    }
}

/// The confidence of windows-1252 if nothing was detected.
pub(crate) const LAST_RESORT: f32 = 0.1;

/// Returns the charset for raw 8-bit bytes in the headers.
///
/// Tries the charset of the encoded words, then that of the first text part, then detection over all raw bytes. Words under a
/// disproved label are in the charset of the text that disproved it. A text part that proves little is weighed against the raw bytes.
pub(crate) fn raw_header_charset(
    message: &Message<'_>,
    hints: &MessageEvidence,
    disproved: DisprovedLabels,
    policy: &Policy,
) -> RawCharset {
    let may_guess = policy.detection != Detection::Off;
    let is_named = |c: &Charset| may_guess && *c != Charset::UTF_8 && c.keeps_ascii_text();
    let words = hints
        .words(message)
        .map(|label| disproved.charset_or_label(label))
        .filter(is_named);
    let body = hints.body.filter(|body| is_named(&body.charset));
    let mail = MailContext {
        message,
        part: PartId::ROOT,
        policy,
        evidence: hints,
        body: None,
    };
    if let (None, Some(_)) = (words, body.filter(|body| body.is_default)) {
        let found = detected(mail);
        if !found.is_uncertain {
            return found;
        }
    }
    match (words, body, policy.default_charset) {
        (None, Some(body), _) => likelier_than_body(mail, body).unwrap_or(RawCharset {
            charset: Some(body.charset),
            confidence: body.confidence,
            is_inferred: true,
            is_default: body.is_default,
            is_uncertain: false,
        }),
        (Some(charset), ..) | (None, None, Some(charset)) => RawCharset {
            charset: Some(charset),
            is_inferred: words.is_some(),
            ..RawCharset::default()
        },
        (None, None, None) if may_guess => detected(mail),
        (None, None, None) => RawCharset {
            charset: Some(Charset::WINDOWS_1252),
            confidence: Some(LAST_RESORT),
            is_uncertain: true,
            ..RawCharset::default()
        },
    }
}

/// Bytes above 7F of raw fields that may outweigh a body.
const MIN_TO_OUTWEIGH: usize = 5;

/// Returns a charset that is likelier than that of a body which proves little.
///
/// Two kinds of bodies do: a guess, beside which all undeclared text together is more certain, and Latin-1 with hardly any letter. Beside
/// `It’s` in windows-1252, `deðiþti` is `değişti` in windows-1254. Beside `mo\x9Ee`, which windows-1252 and windows-1250 read alike,
/// `uve\xE8` is `uveč`.
fn likelier_than_body(mail: MailContext<'_>, body: BodyCharset) -> Option<RawCharset> {
    let likelier = |guess: Guess| RawCharset {
        charset: Some(guess.charset),
        confidence: Some(guess.confidence),
        is_inferred: true,
        ..RawCharset::default()
    };
    if let Some(own) = body.confidence
        && let Some(guess) = mail.pooled_guess()
        && guess.confidence >= own
        && are_of_one_pair(guess.charset, body.charset)
        && reads_body_alike(mail.message, body, guess.charset)
    {
        return Some(likelier(guess));
    }
    if body.charset.superset() != Charset::WINDOWS_1252 {
        return None;
    }
    let raw: Vec<&[u8]> = raw_fields(mail.message).collect();
    let raw = raw.join(&b' ');
    high_bytes(&raw).nth(MIN_TO_OUTWEIGH - 1)?;
    let hints = mail.hints(None);
    let weighed = Weighed::new(&raw, &hints);
    let rival = weighed.rival(body.charset)?;
    let guess = rival.guess;
    let is_likelier = guess.confidence >= SURE_CONFIDENCE
        && outweighs(&rival, body.charset, &raw)
        && (body.proves_little || reads_body_alike(mail.message, body, guess.charset));
    is_likelier.then(|| likelier(guess))
}

/// Returns true if one charset is the Windows code page of the other.
fn are_of_one_pair(one: Charset, other: Charset) -> bool {
    one.windows_page() == Some(other) || other.windows_page() == Some(one)
}

/// Returns true if a charset gives the same text of the body as its own.
fn reads_body_alike(message: &Message<'_>, body: BodyCharset, charset: Charset) -> bool {
    let decoded = DecodedBody::read(message, body.part);
    let text = |charset: Charset| decode_lossless(charset, &decoded.decoded.bytes);
    text(charset).is_some_and(|same| text(body.charset) == Some(same))
}

/// Guesses the charset of all raw fields, or of all undeclared text of the message if that is surer.
fn detected(mail: MailContext<'_>) -> RawCharset {
    let (mut raw, mut has_evidence) = (Detector::new(), false);
    for value in raw_fields(mail.message) {
        raw.feed(value);
        has_evidence |= has_letters(value);
    }
    let own = raw.guess(&mail.hints(None));
    let all = if own.confidence < SURE_CONFIDENCE {
        mail.pooled_guess()
            .filter(|all| all.confidence > own.confidence)
    } else {
        None
    };
    let is_uncertain = match &all {
        Some(all) => all.confidence < SURE_CONFIDENCE,
        None => own.confidence < SURE_CONFIDENCE || !has_evidence,
    };
    let guess = all.unwrap_or(own);
    let charset = Some(guess.charset).filter(|c| c.keeps_ascii_text());
    RawCharset {
        charset,
        confidence: charset.map(|_| guess.confidence),
        is_uncertain,
        is_inferred: true,
        is_default: false,
    }
}

#[cfg(test)]
mod tests {
    use crate::mail::Mail;
    use mailglot_codec::Charset;

    /// A message with a raw Subject in one charset, and a body in another one.
    fn message(
        (charset, subject): (Charset, &str),
        label: Option<&str>,
        (body_charset, body): (Charset, &str),
    ) -> Vec<u8> {
        let encode = |charset: Charset, text: &str| {
            let bytes = charset.encode_exact(text);
            bytes.unwrap_or_else(|_| panic!("{text}")).into_owned()
        };
        let label = label.map_or(String::new(), |label| {
            format!("MIME-Version: 1.0\nContent-Type: text/plain; charset={label}\n")
        });
        [
            b"Subject: ".to_vec(),
            encode(charset, subject),
            b"\n".to_vec(),
            label.into_bytes(),
            b"\n".to_vec(),
            encode(body_charset, body),
            b"\n".to_vec(),
        ]
        .concat()
    }

    #[test]
    fn a_body_with_hardly_any_letter_does_not_overrule_raw_fields() {
        let bodies = [
            (None, "It’s fine, thank you."),
            (None, "See you at the café."),
            (Some("iso-8859-1"), "It is\u{A0}fine."),
            (Some("iso-8859-1"), "See you at the café."),
            (Some("windows-1252"), "“Fine”"),
        ];
        for (charset, subject) in [
            (Charset::WINDOWS_1254, "Türkçe açıklama dosyası değişti"),
            (
                Charset::WINDOWS_1257,
                "Klaida paleidžiant programą, kurią įdiegiau šiandien",
            ),
            (Charset::WINDOWS_1255, "שלום לכולם מה נשמע היום"),
            (
                Charset::ISO_8859_2,
                "Chyba při čtení ze souboru, můžete poradit",
            ),
            (Charset::WINDOWS_1252, "Grüße aus Köln"),
            (Charset::WINDOWS_1252, "Réunion à Orléans"),
            (Charset::WINDOWS_1252, "Fête de Noël"),
            (Charset::WINDOWS_1252, "L’età di Žižek"),
        ] {
            for (label, body) in bodies {
                let raw = message((charset, subject), label, (Charset::WINDOWS_1252, body));
                let read = Mail::parse(&raw).subject();
                assert_eq!(read.as_deref(), Some(subject), "{label:?} {body}");
            }
        }
    }

    #[test]
    fn raw_fields_are_in_the_language_of_a_body_with_escape_sequences() {
        for (charset, subject) in [
            (Charset::SHIFT_JIS, "山田"),
            (Charset::SHIFT_JIS, "鈴木一郎"),
            (Charset::EUC_JP, "山田太郎"),
        ] {
            let body = (Charset::ISO_2022_JP, "会議の資料を送ります");
            let raw = message((charset, subject), Some("iso-2022-jp"), body);
            let read = Mail::parse(&raw).subject();
            assert_eq!(read.as_deref(), Some(subject));
        }
    }

    #[test]
    fn a_body_that_other_charsets_read_alike_does_not_decide() {
        let raw = message(
            (
                Charset::WINDOWS_1250,
                "Krešimir Šarić: za koliko treba uveć račun",
            ),
            Some("iso-8859-1"),
            (Charset::WINDOWS_1250, "Može li poštuje"),
        );
        let read = Mail::parse(&raw).subject();
        assert_eq!(
            read.as_deref(),
            Some("Krešimir Šarić: za koliko treba uveć račun")
        );
        // Few letters do not outweigh a body.
        let windows = |text| (Charset::WINDOWS_1252, text);
        let raw = message(windows("Læsø"), None, windows("“Fine”"));
        assert_eq!(Mail::parse(&raw).subject().as_deref(), Some("Læsø"));
        // The letters of the body are those of windows-1252.
        for subject in ["Grüße aus Köln", "René", "Ångström", "Þórður Guðmundsson"] {
            let raw = message(
                (Charset::WINDOWS_1252, subject),
                Some("iso-8859-1"),
                (Charset::WINDOWS_1252, "Möglichst früh, c’est l’été"),
            );
            let read = Mail::parse(&raw).subject();
            assert_eq!(read.as_deref(), Some(subject));
        }
    }
}
