//! Reads a message the way a mail reader shows it: decoded fields, texts and attachments.
//!
//! # Limits
//! Messages in base64 or quoted-printable inside each other are opened four levels deep, as [`text_parts`] does.

mod attachment;
mod embedded;
mod file_name;
mod normalized;

pub use attachment::Attachment;
pub use embedded::EmbeddedMessage;
pub use normalized::Normalized;

use crate::encoded_word::{self, HeaderContext};
use crate::field_kind::FieldKind;
use crate::fields::{self, Date, Entry, Mailbox, Value};
use crate::header::{self, Field, field_kind};
use crate::media_type::MediaType;
use crate::message::{Message, PartKind};
use crate::part_id::PartId;
use crate::policy::Policy;
use crate::report::Report;
use crate::text::{HeaderEvidence, TextPart, header_evidence, text_parts};
use crate::{lexer, normalize, params};
use mailglot_codec::Charset;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A message whose fields, texts and attachments are read on demand.
///
/// Parsing never fails: any bytes are a message. Each method decodes what it returns, with the same rules as [`Mail::normalize`] writes.
///
/// ```
/// use mailglot_mime::Mail;
///
/// let raw = b"From: J\xF6rg <joerg@example.org>\n\
///     Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\n\
///     Date: Mon, 2 Mar 1998 10:00:00 +0100\n\
///     Content-Type: text/plain; charset=iso-8859-1\n\n\
///     sch\xF6n\n";
/// let mail = Mail::parse(raw);
/// assert_eq!(mail.subject().as_deref(), Some("Grüße"));
/// assert_eq!(mail.from()[0].to_string(), "Jörg <joerg@example.org>");
/// assert_eq!(mail.date().map(|date| date.to_string()).as_deref(), Some("1998-03-02T10:00:00+01:00"));
/// assert_eq!(mail.texts()[0].as_str(), "schön\n");
/// assert!(mail.attachments().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Mail<'a> {
    message: Message<'a>,
    policy: Policy,
    /// What the message says about its header fields; found at first use.
    header_evidence: OnceLock<HeaderEvidence>,
}

impl<'a> Mail<'a> {
    /// Parses a message with the default [`Policy`].
    ///
    /// Takes any bytes that convert to a slice: `&[u8]`, `&Vec<u8>`, `&str`.
    pub fn parse<B: AsRef<[u8]> + ?Sized>(raw: &'a B) -> Self {
        Self::parse_with(raw, Policy::default())
    }

    /// Parses a message with `policy`, which sets limits, charset detection, the default charset and repairs.
    ///
    /// ```
    /// use mailglot_codec::Charset;
    /// use mailglot_mime::{Mail, Policy};
    ///
    /// let policy = Policy::default().default_charset(Charset::KOI8_R);
    /// let mail = Mail::parse_with(b"Subject: \xE4\xC1\n\n", policy);
    /// assert_eq!(mail.subject().as_deref(), Some("Да"));
    /// ```
    pub fn parse_with<B: AsRef<[u8]> + ?Sized>(raw: &'a B, policy: Policy) -> Self {
        let message = Message::parse(raw.as_ref(), &policy.limits);
        Self::of(message, policy)
    }

    fn of(message: Message<'a>, policy: Policy) -> Self {
        Self {
            message,
            policy,
            header_evidence: OnceLock::new(),
        }
    }

    /// Returns the decoded Subject, or `None` without one.
    ///
    /// May read the bodies: the text of a message tells the charset of raw bytes and of doubtful words. [`header::decode`] with
    /// [`HeaderContext::default`] decodes a value alone.
    pub fn subject(&self) -> Option<Cow<'a, str>> {
        self.header("Subject")
    }

    /// Returns the mailboxes of From, with those inside groups. Most messages have one.
    pub fn from(&self) -> Vec<Mailbox> {
        self.mailboxes("From")
    }

    /// Returns the mailboxes of To, with those inside groups.
    pub fn to(&self) -> Vec<Mailbox> {
        self.mailboxes("To")
    }

    /// Returns the mailboxes of Cc, with those inside groups.
    pub fn cc(&self) -> Vec<Mailbox> {
        self.mailboxes("Cc")
    }

    /// Returns the mailboxes of Bcc, with those inside groups.
    pub fn bcc(&self) -> Vec<Mailbox> {
        self.mailboxes("Bcc")
    }

    /// Returns the mailboxes of Reply-To, with those inside groups.
    pub fn reply_to(&self) -> Vec<Mailbox> {
        self.mailboxes("Reply-To")
    }

    /// Returns the mailbox of Sender, or `None` without one.
    pub fn sender(&self) -> Option<Mailbox> {
        self.mailboxes("Sender").into_iter().next()
    }

    /// Returns the mailboxes of all fields with this name, with those inside groups.
    ///
    /// ```
    /// use mailglot_mime::Mail;
    ///
    /// let mail = Mail::parse("Reply-To: friends: a@b.example, =?utf-8?Q?=C3=A9?= <c@d.example>;\n\n");
    /// let names: Vec<_> = mail.mailboxes("Reply-To").iter().map(ToString::to_string).collect();
    /// assert_eq!(names, ["a@b.example", "é <c@d.example>"]);
    /// ```
    pub fn mailboxes(&self, name: &str) -> Vec<Mailbox> {
        let mut list = Vec::new();
        for field in self.named(name) {
            let value = field.value.of(self.raw());
            let context = self.context(value, FieldKind::Structured);
            for entry in fields::addresses_of(name.as_bytes(), value, &context, &mut Vec::new()) {
                match entry {
                    Entry::Mailbox(mailbox) => list.push(mailbox),
                    Entry::Group { list: members, .. } => list.extend(members),
                }
            }
        }
        list
    }

    /// Returns the Date, or `None` if it is missing or cannot be read.
    pub fn date(&self) -> Option<Date> {
        fields::date(self.named("Date").next()?.value.of(self.raw()))
    }

    /// Returns the Message-ID without its angle brackets.
    pub fn message_id(&self) -> Option<String> {
        let field = self.named("Message-ID").next()?;
        let ids = fields::identifiers(field.value.of(self.raw()));
        ids.into_iter().next()
    }

    /// Returns the decoded text of the first field with this name, compared without case.
    ///
    /// ```
    /// use mailglot_mime::Mail;
    ///
    /// let mail = Mail::parse("X-Mailer: =?utf-8?B?4pyJ?= 1.0\n\n");
    /// assert_eq!(mail.header("x-mailer").as_deref(), Some("✉ 1.0"));
    /// assert_eq!(mail.header("Subject"), None);
    /// ```
    pub fn header(&self, name: &str) -> Option<Cow<'a, str>> {
        let field = *self.named(name).next()?;
        Some(self.decode(&field))
    }

    /// Returns name and decoded text of each field of the message, in order.
    ///
    /// ```
    /// use mailglot_mime::Mail;
    ///
    /// let mail = Mail::parse("Received: from a\n by b\nSubject: =?utf-8?Q?=C3=A9?=\n\n");
    /// let fields: Vec<_> = mail.headers().map(|(name, text)| format!("{name}|{text}")).collect();
    /// assert_eq!(fields, ["Received|from a by b", "Subject|é"]);
    /// ```
    pub fn headers(&self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
        self.message.fields(PartId::ROOT).iter().map(|field| {
            let name = String::from_utf8_lossy(field.name.of(self.message.raw()));
            (name, self.decode(field))
        })
    }

    /// Returns the first field with this name as a typed value: addresses, date, identifiers, parameters or text.
    ///
    /// ```
    /// use mailglot_mime::{Mail, fields::Value};
    ///
    /// let mail = Mail::parse("References: <a@b> <c@d>\n\n");
    /// assert_eq!(mail.value("References"), Some(Value::Identifiers(vec!["a@b".into(), "c@d".into()])));
    /// ```
    pub fn value(&self, name: &str) -> Option<Value> {
        let field = self.named(name).next()?;
        let value = field.value.of(self.raw());
        let name = field.name.of(self.raw());
        let context = self.context(value, field_kind(name));
        Some(fields::read(name, value, &context, &mut Vec::new()))
    }

    /// Returns the decoded texts in document order, without attachments.
    ///
    /// Texts inside embedded messages are included, also if the message is in base64. A multipart/alternative gives each of its forms, so
    /// check [`TextPart::media_type`].
    ///
    /// ```
    /// use mailglot_mime::Mail;
    ///
    /// let mail = Mail::parse(b"Content-Type: text/html; charset=windows-1251\n\n<p>\xC4\xE0\x98</p>");
    /// let texts = mail.texts();
    /// let text = &texts[0];
    /// assert_eq!((text.as_str(), text.charset().name()), ("<p>Да\u{98}</p>", "windows-1251"));
    /// assert!(text.media_type() == "text/html");
    /// ```
    pub fn texts(&self) -> Vec<TextPart<'a>> {
        let mut texts = self.read_texts();
        texts.retain(|text| !text.attachment);
        texts
    }

    /// Returns the plain text that the writer sent: the first `text/plain` part. Skips attachments and embedded messages.
    ///
    /// Decodes all texts, as [`Self::texts`] does, which is better for several of them.
    ///
    /// ```
    /// use mailglot_mime::Mail;
    ///
    /// let mail = Mail::parse(
    ///     "Content-Type: multipart/alternative; boundary=b\n\n\
    ///     --b\n\nHello\n\
    ///     --b\nContent-Type: text/html\n\n<p>Hello</p>\n\
    ///     --b--\n",
    /// );
    /// assert_eq!(mail.body_text().expect("a text").as_str(), "Hello");
    /// assert_eq!(mail.body_html().expect("a form in HTML").as_str(), "<p>Hello</p>");
    /// ```
    pub fn body_text(&self) -> Option<TextPart<'a>> {
        self.body("text/plain")
    }

    /// Returns the HTML that the writer sent: the first `text/html` part. Skips attachments and embedded messages.
    pub fn body_html(&self) -> Option<TextPart<'a>> {
        self.body("text/html")
    }

    fn body(&self, media: &str) -> Option<TextPart<'a>> {
        let is_own = |text: &TextPart<'_>| {
            let mut outer = self.message.parents(text.part);
            self.message.part_at(text.part).is_text()
                && outer.all(|id| self.message.part_at(id).kind == PartKind::Multipart)
        };
        let mut texts = self.texts().into_iter();
        texts.find(|text| *text.media_type() == media && is_own(text))
    }

    /// Returns the decoded texts of attachments, such as `.csv` files. [`TextPart::section`] equals [`Attachment::section`].
    pub fn attachment_texts(&self) -> Vec<TextPart<'a>> {
        let mut texts = self.read_texts();
        texts.retain(|text| text.attachment);
        texts
    }

    fn read_texts(&self) -> Vec<TextPart<'a>> {
        // The report is discarded: `normalize` gives one.
        text_parts(&self.message, &self.policy, &mut Report::with_limit(0))
    }

    /// Plans the edits that make the message UTF-8 as `policy` says, and reports its findings.
    ///
    /// ```
    /// use mailglot_mime::{Mail, Policy};
    ///
    /// let fixed = Mail::parse(b"Subject: Caf\xE9\n\n").normalize(&Policy::default());
    /// assert_eq!(&*fixed.bytes(), b"Subject: =?UTF-8?B?Q2Fmw6k=?=\n\n");
    /// assert_eq!(fixed.edits().len(), 1);
    /// assert_eq!(fixed.events()[0].kind.code(), "ew.raw8bit");
    /// let mut file = Vec::new();
    /// fixed.write_to(&mut file)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn normalize(&self, policy: &Policy) -> Normalized<'a> {
        let raw = self.raw();
        let plan = if raw.len() <= policy.limits.message && policy.limits == self.policy.limits {
            normalize::plan_parsed(&self.message, policy)
        } else {
            normalize::plan(raw, policy)
        };
        Normalized::new(raw, plan)
    }

    /// Returns the media type of the message itself, such as `multipart/mixed`.
    pub fn media_type(&self) -> &MediaType {
        &self.message.root().media
    }

    /// Returns the bytes that were parsed.
    pub fn raw(&self) -> &'a [u8] {
        self.message.raw()
    }

    /// Returns the tree of parts with the positions of all fields and bodies.
    pub fn message(&self) -> &Message<'a> {
        &self.message
    }

    fn named<'m>(&'m self, name: &'m str) -> impl Iterator<Item = &'m Field> {
        let raw = self.raw();
        self.message
            .fields(PartId::ROOT)
            .iter()
            .filter(move |field| field.name.of(raw).eq_ignore_ascii_case(name.as_bytes()))
    }

    fn decode(&self, field: &Field) -> Cow<'a, str> {
        let (name, value) = (field.name.of(self.raw()), field.value.of(self.raw()));
        let kind = field_kind(name);
        let context = self.context(value, kind);
        let text = header::decode(value, kind, &context, &mut Vec::new());
        let trim = |text: &str| text.trim_matches([' ', '\t']).len();
        match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches([' ', '\t'])),
            Cow::Owned(text) if trim(&text) == text.len() => Cow::Owned(text),
            Cow::Owned(text) => Cow::Owned(text.trim_matches([' ', '\t']).to_owned()),
        }
    }

    /// Returns the context for a field value. The texts of the message are read only if they affect how the value is decoded.
    fn context(&self, value: &[u8], kind: FieldKind) -> HeaderContext<'_> {
        let alone = HeaderContext::of(&self.policy);
        let asks = kind == FieldKind::Parameters && params::may_need_evidence(value);
        if value.is_ascii() && !asks && is_decoded_alone(value, &alone) {
            return alone;
        }
        let found = &self.header_evidence;
        let found = *found.get_or_init(|| header_evidence(&self.message, &self.policy));
        let mut context = alone;
        found.set(&mut context);
        context
    }
}

/// Returns true if all encoded words of an ASCII value are sound UTF-8. Other labels are checked against the text of the message.
fn is_decoded_alone(value: &[u8], context: &HeaderContext<'_>) -> bool {
    if !lexer::has_open(value) {
        return true;
    }
    let charsets = encoded_word::charsets(value);
    let is_utf8 = |charset: &Charset| [Charset::UTF_8, Charset::US_ASCII].contains(charset);
    let mut findings = Vec::new();
    charsets.len() == memchr::memmem::find_iter(value, b"=?").count()
        && charsets.iter().all(is_utf8)
        && {
            header::decode(value, FieldKind::Unstructured, context, &mut findings);
            findings.is_empty()
        }
}

#[cfg(test)]
mod tests;
