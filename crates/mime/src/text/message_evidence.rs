//! Collects evidence about text without a label: encoded words, labels of other parts, languages, the sender's country, and all
//! undeclared bytes together.
//!
//! Some parts are never rewritten: attachments, signed and encrypted parts, PGP blocks, yEnc, unknown transfer encodings. For
//! these, only evidence that no rewriting changes counts: each other's labels, languages, the country. So they decode alike after
//! other text becomes UTF-8.
//!
//! # Limits
//! Parts of an embedded message count like others. A second pass may guess differently for text that the policy keeps, and for text
//! that is too uncertain to rewrite.

use super::body_alphabets::{BodyAlphabets, has_latin_1_label};
use super::decoded_body::DecodedBody;
use crate::charset_choice::{
    LabelEvidence, MAIL_HINTS, MailEvidence, detect_language, font_language, has_letters, is_legacy,
};
use crate::field_kind::FieldKind;
use crate::header::{self, field_kind};
use crate::message::{Message, Part};
use crate::part_id::PartId;
use crate::policy::Policy;
use crate::transfer::blocks::has_yenc;
use crate::{document_charset, encoded_word};
use mailglot_codec::detect::{self, Detector, Guess};
use mailglot_codec::{Charset, Resolved, View};
use std::cell::OnceCell;

/// Maximum number of labels of other parts that are tried. A message in more charsets proves nothing.
const MAX_LABELS: usize = 4;
/// Number of bytes of text from which on no further part is read for the detection of the language. Also the number of characters that are used
/// of a part.
const MAX_LANGUAGE_TEXT: usize = 2000;

/// Evidence from the whole message, computed on first use, and from the parts read so far.
#[derive(Debug, Default)]
pub(crate) struct MessageEvidence {
    words: OnceCell<Option<Charset>>,
    labels: OnceCell<Vec<Charset>>,
    /// Labels of parts that are never rewritten.
    kept: OnceCell<Vec<Charset>>,
    /// The first tag of Content-Language in the header of the message.
    root_language: OnceCell<Option<String>>,
    country: OnceCell<Option<String>>,
    time_zone: OnceCell<Option<i16>>,
    text_language: OnceCell<Option<&'static str>>,
    pooled_guess: OnceCell<Option<Guess>>,
    latin_1_label: OnceCell<bool>,
    /// The charset of the first text part that is not labelled ASCII. A part that proves little counts only if there is no other one.
    pub body: Option<BodyCharset>,
    /// What the text parts say about their labels.
    pub labels_of_bodies: LabelEvidence,
    /// The alphabets of the text parts, if a word or parameter has a label of Latin-1.
    pub alphabets: BodyAlphabets,
}

impl MessageEvidence {
    /// Returns the charset of the message's encoded words; Subject, From and To in this order.
    pub(crate) fn words(&self, message: &Message<'_>) -> Option<Charset> {
        *self.words.get_or_init(|| {
            let charsets = fields_with_words(message).flat_map(encoded_word::charsets);
            let mut charsets = charsets.filter(|c| *c != Charset::US_ASCII);
            charsets.next()
        })
    }

    /// Returns true if a word or a parameter of the message has a label of Latin-1.
    pub(super) fn has_latin_1_label(&self, message: &Message<'_>) -> bool {
        *self
            .latin_1_label
            .get_or_init(|| has_latin_1_label(message))
    }

    /// Records the charset of a decoded part.
    pub(crate) fn note_body_charset(&mut self, body: BodyCharset) {
        let is_better = self
            .body
            .is_none_or(|known| known.is_default && !body.is_default);
        if body.charset != Charset::US_ASCII && is_better {
            self.body = Some(body);
        }
    }
}

/// The charset of a text part, as evidence about other text of the message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyCharset {
    pub part: PartId,
    pub charset: Charset,
    /// True for text of Latin-1 in ASCII, or beside lines in a charset that reads it alike. Programs write this label by default, so it proves little.
    pub is_default: bool,
    /// True for text in Latin-1 that has hardly any letter beyond ASCII, or none.
    pub proves_little: bool,
    /// 0 to 1 for a guess.
    pub confidence: Option<f32>,
}

/// A part within its message, with the evidence of the message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MailContext<'a> {
    pub message: &'a Message<'a>,
    /// The part to decode.
    pub part: PartId,
    pub policy: &'a Policy,
    pub evidence: &'a MessageEvidence,
    /// The body to decode; None for header fields.
    pub body: Option<&'a DecodedBody<'a>>,
}

impl<'a> MailContext<'a> {
    /// Returns true if the body is never rewritten.
    fn is_kept(self) -> bool {
        self.body.is_some_and(|body| {
            self.message.stays(self.part) || has_yenc(&body.blocks) || body.has_armour()
        })
    }

    /// Returns the labels of all text parts, or of those that are never rewritten.
    fn labels(self, kept: bool) -> &'a [Charset] {
        let cell = if kept {
            &self.evidence.kept
        } else {
            &self.evidence.labels
        };
        cell.get_or_init(|| {
            let mut found = Vec::new();
            for (id, _) in self.texts() {
                if kept && !self.message.stays(id) {
                    continue;
                }
                let label = self.message.charset_label(id);
                if let Some(charset) =
                    label.and_then(|label| self.policy.charset_map.resolve(&label).0.charset())
                    && ![Charset::US_ASCII, Charset::UTF_8].contains(&charset)
                    && !found.contains(&charset)
                    && found.len() < MAX_LABELS
                {
                    found.push(charset);
                }
            }
            found
        })
    }

    fn texts(self) -> impl Iterator<Item = (PartId, &'a Part)> {
        let parts = self.message.numbered_parts();
        parts.filter(|(_, part)| part.is_text())
    }

    /// Resolves the label of a text part.
    fn label(self, id: PartId) -> Option<Resolved> {
        self.message
            .charset_label(id)
            .map(|label| Charset::for_label(&label, View::Mail))
    }

    /// Calls `see` with the transfer-decoded bytes of a part. Reuses the decoded body of this part.
    fn with_bytes(self, id: PartId, see: impl FnOnce(&[u8])) {
        match self.body.filter(|_| id == self.part) {
            Some(body) => see(&body.decoded.bytes),
            None => see(&DecodedBody::read(self.message, id).decoded.bytes),
        }
    }

    /// Returns the language of the message's encoded words and of its text in UTF-8.
    fn text_language(self) -> Option<&'static str> {
        *self.evidence.text_language.get_or_init(|| {
            let mut text = String::new();
            for value in fields_with_words(self.message) {
                let context = encoded_word::HeaderContext::default();
                text += &header::decode(value, FieldKind::Unstructured, &context, &mut Vec::new());
            }
            for (id, _) in self.texts() {
                if text.len() > MAX_LANGUAGE_TEXT {
                    break;
                }
                if self.label(id).and_then(Resolved::charset) != Some(Charset::UTF_8) {
                    continue;
                }
                self.with_bytes(id, |bytes| {
                    if let Some(utf8) = std::str::from_utf8(bytes)
                        .ok()
                        .filter(|_| !bytes.is_ascii())
                    {
                        text.extend(
                            utf8.chars()
                                .filter(|c| !c.is_ascii())
                                .take(MAX_LANGUAGE_TEXT),
                        );
                    }
                });
            }
            detect_language(&text)
        })
    }

    /// Returns the language of a body in ISO 2022 or HZ. Raw header fields of such mail use another charset of this language, such as EUC-JP.
    fn language_of_escapes(self) -> Option<&'static str> {
        match self.evidence.body?.charset.superset() {
            Charset::ISO_2022_JP => Some("ja"),
            Charset::ISO_2022_KR => Some("ko"),
            Charset::HZ_GB_2312 => Some("zh-CN"),
            _ => None,
        }
    }

    /// Returns the first tag of Content-Language.
    fn language(self, part: PartId) -> Option<&'a str> {
        let value = self
            .message
            .field(part, b"content-language")?
            .value
            .of(self.message.raw());
        let first = std::str::from_utf8(value).ok()?.split(',').next()?.trim();
        (!first.is_empty()).then_some(first)
    }

    /// Returns the first tag of Content-Language of the message. Searches its fields once.
    fn root_language(&self) -> Option<&str> {
        let language = || self.language(PartId::ROOT).map(Into::into);
        self.evidence.root_language.get_or_init(language).as_deref()
    }

    fn pool_undeclared_text(self) -> Option<Detector> {
        let mut detector = Detector::new();
        let (mut pieces, mut is_fed) = (0, false);
        let mut feed = |bytes: &[u8]| {
            pieces += 1;
            if has_letters(bytes) {
                detector.feed(bytes);
                is_fed = true;
            }
        };
        for (id, _) in self.texts() {
            let open = match self.label(id) {
                None | Some(Resolved::NoInformation | Resolved::Unknown) => true,
                Some(resolved) => resolved
                    .charset()
                    .is_some_and(|c| [Charset::US_ASCII, Charset::UTF_8].contains(&c)),
            };
            if !open {
                continue;
            }
            self.with_bytes(id, |bytes| {
                if is_legacy(bytes) {
                    feed(bytes);
                }
            });
        }
        raw_fields(self.message).for_each(feed);
        (pieces > 1 && is_fed).then_some(detector)
    }
}

impl MailEvidence for MailContext<'_> {
    fn policy(&self) -> &Policy {
        self.policy
    }

    fn named_charsets(&self) -> Box<dyn Iterator<Item = Charset> + '_> {
        let kept = self.is_kept();
        let body = self.evidence.body.map(|body| body.charset);
        let nearest = || [body, self.evidence.words(self.message)];
        let nearest = if kept { [None; 2] } else { nearest() };
        let labels = self.labels(kept).iter().copied();
        Box::new(nearest.into_iter().flatten().chain(labels))
    }

    fn transfer_charset(&self) -> Option<Charset> {
        self.body?;
        // A body that stays may get another Content-Transfer-Encoding, which no longer names the charset.
        if self.is_kept() || self.message.part_at(self.part).attachment {
            return None;
        }
        let value = self.message.transfer_encoding_value(self.part)?;
        let name = value.of(self.message.raw()).trim_ascii();
        match Charset::for_label(name, View::Mail) {
            Resolved::Exact(charset) | Resolved::Alias(charset) => Some(charset),
            _ => None,
        }
    }

    fn hints<'b>(&'b self, document: Option<&'b [u8]>) -> detect::Hints<'b> {
        let language = self
            .language(self.part)
            .or_else(|| document.and_then(document_charset::language));
        let language = language
            .or_else(|| self.root_language())
            .or(self.policy.language.as_deref());
        // Text that became UTF-8 would give more evidence than before.
        let language = language.or_else(|| {
            if self.is_kept() {
                None
            } else {
                self.text_language().or_else(|| self.language_of_escapes())
            }
        });
        let reads_fonts = self.policy.charset_rules.has(detect::Rules::FONT_NAMES);
        let language = language.or_else(|| {
            document
                .filter(|_| reads_fonts)
                .and_then(font_language)
                .map(|(language, _)| language)
        });
        let country = self
            .evidence
            .country
            .get_or_init(|| country(self.message))
            .as_deref();
        let time_zone = *self
            .evidence
            .time_zone
            .get_or_init(|| time_zone(self.message));
        detect::Hints {
            language,
            country,
            time_zone,
            rules: self.policy.charset_rules,
            ..MAIL_HINTS
        }
    }

    fn pooled_guess(&self) -> Option<Guess> {
        // The guess belongs to the message and is the same for every part.
        let whole = MailContext {
            part: PartId::ROOT,
            body: None,
            ..*self
        };
        let guess = || {
            self.pool_undeclared_text()
                .map(|detector| detector.guess(&whole.hints(None)))
        };
        if self.is_kept() {
            return None;
        }
        *self.evidence.pooled_guess.get_or_init(guess)
    }
}

/// Returns the values of Subject, From and To that have encoded words.
fn fields_with_words<'m>(message: &'m Message<'_>) -> impl Iterator<Item = &'m [u8]> {
    let names = [b"subject".as_slice(), b"from", b"to"].into_iter();
    let fields = names.filter_map(|name| message.field(PartId::ROOT, name));
    let values = fields.map(|field| field.value.of(message.raw()));
    values.filter(|value| memchr::memmem::find(value, b"=?").is_some())
}

/// Returns the values of the fields that are neither ASCII nor UTF-8 and may be text.
pub(super) fn raw_fields<'m>(message: &'m Message<'_>) -> impl Iterator<Item = &'m [u8]> {
    let raw = message.raw();
    message.all_fields().iter().filter_map(move |field| {
        let value = Some(field.value.of(raw)).filter(|value| is_legacy(value))?;
        (field_kind(field.name.of(raw)) != FieldKind::Opaque).then_some(value)
    })
}

/// Returns the country of the sender's domain or, if that has none, of the Message-ID.
fn country(message: &Message<'_>) -> Option<String> {
    [b"from".as_slice(), b"sender", b"reply-to", b"message-id"]
        .into_iter()
        .find_map(|name| {
            let value = message.field(PartId::ROOT, name)?.value.of(message.raw());
            let domain = &value[memchr::memrchr(b'@', value)? + 1..];
            let end = domain
                .iter()
                .position(|b| !b.is_ascii_alphanumeric() && !b"-.".contains(b));
            let domain = domain[..end.unwrap_or(domain.len())].trim_ascii();
            let top = domain
                .rsplit(|b| *b == b'.')
                .next()
                .filter(|top| top.len() == 2 && top.len() < domain.len())?;
            Some(String::from_utf8_lossy(top).to_ascii_lowercase())
        })
}

/// Returns the zone of the Date field in minutes ahead of UTC: 540 for `+0900`.
fn time_zone(message: &Message<'_>) -> Option<i16> {
    /// The time zone of Kiribati.
    const MOST: i16 = 14 * 60;
    let value = message
        .field(PartId::ROOT, b"date")?
        .value
        .of(message.raw());
    let is_sign = |pair: &[u8]| pair[0].is_ascii_whitespace() && matches!(pair[1], b'+' | b'-');
    let sign = value.windows(2).rposition(is_sign)? + 1;
    let digits = value
        .get(sign + 1..sign + 5)
        .filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    let number = |digits: &[u8]| {
        digits
            .iter()
            .fold(0, |number, digit| number * 10 + i16::from(digit - b'0'))
    };
    let minutes = number(&digits[..2]) * 60 + number(&digits[2..]);
    (minutes <= MOST).then_some(if value[sign] == b'-' {
        -minutes
    } else {
        minutes
    })
}

#[cfg(test)]
mod tests {
    use super::{MailContext, MessageEvidence};
    use crate::charset_choice::MailEvidence;
    use crate::event::EventKind;
    use crate::limits::Limits;
    use crate::message::Message;
    use crate::part_id::PartId;
    use crate::policy::{CharsetMap, Policy};
    use crate::report::Report;
    use crate::test_charsets::charset_named;
    use crate::text::{DecodedBody, text_parts};
    use mailglot_codec::Charset;

    /// Header fields, text and charset of a part.
    type TestPart<'a> = (&'a str, &'a str, &'a str);

    fn mail(head: &str, parts: &[TestPart<'_>]) -> Vec<u8> {
        let mut raw =
            format!("{head}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n")
                .into_bytes();
        for (head, text, charset) in parts {
            let charset = charset_named(charset);
            raw.extend(format!("--b\nContent-Type: text/plain{head}\n\n").bytes());
            raw.extend(
                &*charset
                    .encode_exact(text)
                    .expect("the charset has every character"),
            );
            raw.extend(b"\n");
        }
        raw.extend(b"--b--\n");
        raw
    }

    /// Returns the text of each part and the codes of the charset events.
    fn read(raw: &[u8], policy: &Policy) -> (Vec<String>, Vec<&'static str>) {
        let mut report = Report::with_limit(100);
        let parts = text_parts(
            &Message::parse(raw, &Limits::default()),
            policy,
            &mut report,
        );
        let codes = report
            .events
            .iter()
            .map(|e| e.kind.code())
            .filter(|c| c.starts_with("charset"))
            .collect();
        (
            parts
                .into_iter()
                .map(|p| p.text.trim_end().to_owned())
                .collect(),
            codes,
        )
    }

    #[test]
    fn time_zones_of_dates_are_read() {
        for (date, expected) in [
            ("Mon, 14 Oct 2002 10:30:00 +0900", Some(540)),
            ("Mon, 14 Oct 2002 10:30:00 -0330 (NST)", Some(-210)),
            ("Mon, 14 Oct 2002 10:30:00 GMT", None),
            ("14-10-2002", None),
            ("+09", None),
            ("Mon, 14 Oct 2002 10:30:00 +9999", None),
            ("", None),
        ] {
            let raw = format!("Date: {date}\n\n");
            assert_eq!(
                super::time_zone(&Message::parse(raw.as_bytes(), &Limits::default())),
                expected,
                "{date}"
            );
        }
    }

    #[test]
    fn a_short_part_is_decoded_like_the_rest_of_the_message() {
        let (short, long) = (
            "Да",
            "Спасибо за письмо. На следующей неделе я приеду в Москву и буду рад встретиться.",
        );
        for charset in ["KOI8-R", "windows-1251", "IBM866"] {
            // The long part is undeclared, labelled, or named by the Subject.
            let label = format!("; charset={charset}");
            for (head, label) in [
                ("", ""),
                ("", &*label),
                (&*format!("Subject: =?{charset}?Q?=E4?=\n"), ""),
            ] {
                let raw = mail(head, &[("", short, charset), (label, long, charset)]);
                assert_eq!(
                    read(&raw, &Policy::default()).0,
                    [short, long],
                    "{charset} {head}{label}"
                );
            }
        }
    }

    #[test]
    fn utf8_by_chance_is_decoded_like_the_rest_of_the_message() {
        for (charset, short, long) in [
            ("GBK", "谢谢", "你好，请看附件，谢谢你的帮助"),
            ("GBK", "小学校", "你好，请看附件，谢谢你的帮助"),
            ("EUC-KR", "천체", "안녕하세요 메일을 보냅니다"),
            ("windows-1251", "ЦІЛІ", "Здравствуйте, это письмо о целях."),
            (
                "ISO-8859-2",
                "PÓŁKA I PÓŁ",
                "Dziękuję za wiadomość, którą wysłałeś wczoraj wieczorem",
            ),
        ] {
            let label = format!("; charset={charset}");
            for unknown in ["", "; charset=us-ascii"] {
                let raw = mail("", &[(&label, long, charset), (unknown, short, charset)]);
                assert_eq!(
                    read(&raw, &Policy::default()).0,
                    [long, short],
                    "{charset} {unknown}"
                );
                let raw = mail(
                    "",
                    &[
                        (&label, long, charset),
                        (unknown, "Grüße, 日本語とПривет", "UTF-8"),
                    ],
                );
                assert_eq!(
                    read(&raw, &Policy::default()).0,
                    [long, "Grüße, 日本語とПривет"],
                    "{charset}"
                );
            }
        }
    }

    #[test]
    fn sender_and_language_are_evidence() {
        // Czech and Danish assign different letters to the same byte.
        let policy = |language: Option<&str>| Policy {
            language: language.map(Into::into),
            ..Policy::default()
        };
        for (head, language, text) in [
            ("From: a@example.cz\n", None, "Kuře"),
            ("Content-Language: cs\n", None, "Kuře"),
            ("Message-ID: <1@mail.example.cz>\n", None, "Kuře"),
            ("From: a@example.com\n", Some("cs"), "Kuře"),
            ("From: a@example.dk\n", None, "Kuøe"),
            ("From: a@example.com\n", Some("da"), "Kuøe"),
        ] {
            let raw = mail(head, &[("", "Kuře", "windows-1250")]);
            assert_eq!(
                read(&raw, &policy(language)).0,
                [text],
                "{head} {language:?}"
            );
        }
    }

    #[test]
    fn the_pooled_guess_is_the_same_for_every_part() {
        for (subject, charset, first, second) in [
            (
                "各位同仁：現將下次會議的安排寄給大家",
                "Big5",
                "謝謝",
                "會議",
            ),
            ("Надсилаю вам її розклад", "windows-1251", "Так", "Ні, її"),
            ("会議のお知らせです", "EUC-JP", "会議", "予定"),
            ("다음 회의 일정", "EUC-KR", "회의", "일정"),
        ] {
            let words = subject
                .bytes()
                .fold(String::new(), |text, byte| format!("{text}={byte:02X}"));
            let raw = mail(
                &format!("Subject: =?utf-8?Q?{words}?=\n"),
                &[("", first, charset), ("", second, charset)],
            );
            let (message, policy) = (Message::parse(&raw, &Limits::default()), Policy::default());
            let guess = |body: Option<&DecodedBody<'_>>, part| {
                let hints = MessageEvidence::default();
                MailContext {
                    message: &message,
                    part,
                    policy: &policy,
                    evidence: &hints,
                    body,
                }
                .pooled_guess()
            };
            let named_charsets = guess(None, PartId::ROOT);
            assert!(named_charsets.is_some());
            for part in [1, 2].map(PartId) {
                let body = DecodedBody::read(&message, part);
                assert_eq!(
                    format!("{:?}", guess(Some(&body), part)),
                    format!("{named_charsets:?}"),
                    "{subject}"
                );
            }
        }
    }

    #[test]
    fn charsets_of_other_words_need_plausible_text() {
        let russian = "Спасибо за письмо. На следующей неделе я приеду в Москву.";
        let raw = mail(
            "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\n",
            &[("", russian, "KOI8-R")],
        );
        assert_eq!(read(&raw, &Policy::default()).0, [russian]);
        let polish = "Dziękuję za wiadomość, którą wysłałeś wczoraj wieczorem";
        let raw = mail("", &[("; charset=iso-8859-1", polish, "ISO-8859-2")]);
        assert_eq!(
            read(&raw, &Policy::default()),
            (vec![polish.to_owned()], vec!["charset.detected"])
        );
        let icelandic = "Það er gott að vera hér, sagði hún og brosti til þeirra";
        let raw = mail("", &[("; charset=iso-8859-1", icelandic, "ISO-8859-1")]);
        assert_eq!(
            read(&raw, &Policy::default()),
            (vec![icelandic.to_owned()], vec![])
        );
    }

    #[test]
    fn a_weak_contradiction_is_reported() {
        let name = "Sigurður Guðmundsson wrote:";
        let raw = mail("", &[("; charset=iso-8859-1", name, "ISO-8859-1")]);
        assert_eq!(read(&raw, &Policy::default()).0, [name]);
        let raw = mail(
            "",
            &[(
                "; charset=iso-8859-1",
                "Yarýn þehirde görüþelim",
                "ISO-8859-1",
            )],
        );
        let (texts, codes) = read(&raw, &Policy::default());
        let named_charsets = [
            EventKind::CharsetSuspected.code(),
            EventKind::CharsetDetected.code(),
        ];
        assert!(
            codes.len() == 1 && named_charsets.contains(&codes[0]),
            "{texts:?} {codes:?}"
        );
    }

    #[test]
    fn the_caller_overrules_labels() {
        let text = "Yarın şehirde görüşelim";
        let mut map = CharsetMap::default();
        map.add("latin1", charset_named("windows-1254"));
        map.add("x-mine", charset_named("windows-1254"));
        let policy = Policy {
            charset_map: map,
            ..Policy::default()
        };
        for label in ["iso-8859-1", "X-Mine", "\"x-mine\""] {
            let raw = mail("", &[(&format!("; charset={label}"), text, "windows-1254")]);
            assert_eq!(
                read(&raw, &policy),
                (vec![text.to_owned()], vec!["charset.mapped"]),
                "{label}"
            );
        }
        let raw = mail("", &[("; charset=iso-8859-9", text, "windows-1254")]);
        assert_eq!(read(&raw, &policy), (vec![text.to_owned()], vec![]));
        let default = Policy {
            default_charset: Charset::for_name("IBM866"),
            ..Policy::default()
        };
        let raw = mail("", &[("", "Да", "IBM866")]);
        assert_eq!(read(&raw, &default).0, ["Да"]);
    }
}
