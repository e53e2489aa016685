//! Chooses the charset of a body and records which step decided. The first decisive step wins.
//!
//! # Limits
//! Evidence from other parts of the message counts only where a part proves too little itself.

mod cjk_level1;
mod damage;
mod evidence_words;
mod font_names;
mod hebrew_visual_order;
mod insufficient_evidence;
mod label_check;
mod label_plausibility;
mod language_hint;
mod message_evidence;
mod mixed_utf8;
mod mojibake_score;
mod redecode;
mod structure;
mod superset;
mod utf8_vs_label;

use damage::{begins_as_damaged_utf8, is_damaged};
pub(crate) use label_check::{LabelVerdict, OtherReading, check_label, needs_label_check};
pub(crate) use label_plausibility::is_private;
pub(crate) use message_evidence::{MailContext, MessageEvidence, has_letters, is_legacy};
pub(crate) use redecode::redecode;
pub(crate) use structure::is_misread_under_utf8;
use structure::{by_bom_or_structure, may_be_iso2022, may_be_wide, uses_shifts};
pub(crate) use superset::{EvidenceTest, better_charset_and_test};

use crate::document_charset::{self, Document};
use crate::{Detection, EventKind, PartId, Policy};
pub(crate) use hebrew_visual_order::{label_states_order, visual_order_note};
use mailglot_codec::detect::{self, Guess, Weighed};
use mailglot_codec::{Charset, LossLog, Resolved};
use mixed_utf8::{MixedText, OtherCharset};
use std::borrow::Cow;
use std::cell::OnceCell;
pub(crate) use utf8_vs_label::{utf8_outweighs_label, utf8_outweighs_message};

/// The step that decided the charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// 7-bit text without a label, or with one that agrees.
    Ascii,
    /// A byte order mark decided.
    Bom,
    /// Escape sequences or NUL patterns decided.
    Structure,
    /// Valid UTF-8 outweighed the label.
    Utf8,
    /// The label was right.
    Label,
    /// The label's superset explains bytes that the label does not.
    Superset,
    /// A declaration inside the document (HTML, XML, CSS) decided.
    Document,
    /// Another part or a header of the message decided.
    Message,
    /// The caller's default charset decided.
    Hint,
    /// Detection decided.
    Detected,
    /// Nothing decided: windows-1252, or the caller's default charset.
    Fallback,
}

impl How {
    /// Returns the stable lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascii => "ascii",
            Self::Bom => "bom",
            Self::Structure => "structure",
            Self::Utf8 => "utf-8",
            Self::Label => "label",
            Self::Superset => "superset",
            Self::Document => "document",
            Self::Message => "message",
            Self::Hint => "hint",
            Self::Detected => "detected",
            Self::Fallback => "fallback",
        }
    }
}

/// How a text part was decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The part.
    pub part: PartId,
    /// The label as written; None without a label.
    pub declared: Option<String>,
    /// The charset that decoded the part.
    pub used: Charset,
    /// The step that decided it.
    pub how: How,
    /// 0 to 1 for a guess; None where a rule decided.
    pub confidence: Option<f32>,
}

/// What is known about a body before its bytes are examined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence<'a> {
    /// The label as written, unquoted.
    pub label: Option<&'a [u8]>,
    /// The charset that the label names.
    pub resolved: Option<Resolved>,
    /// The document type, if declarations inside the document may count.
    pub document: Option<Document>,
    /// Whether the caller mapped this label to a charset.
    pub mapped: bool,
    /// The message that contains the body.
    pub mail: Option<MailContext<'a>>,
}

impl Evidence<'_> {
    /// Returns the caller's default charset.
    fn fallback(&self) -> Option<Charset> {
        self.mail.and_then(|mail| mail.policy.default_charset)
    }

    /// Returns what the policy allows detection to do.
    fn detection(&self) -> Detection {
        self.mail
            .map_or(Detection::default(), |mail| mail.policy.detection)
    }

    /// Returns true if the policy allows the search for text in two encodings.
    fn may_find_mixed(&self) -> bool {
        self.detection() != Detection::Off && self.rules().has(detect::Rules::MIXED_RUNS)
    }

    /// Returns the rules of charset detection that are in force.
    fn rules(&self) -> detect::Rules {
        self.mail
            .map_or(detect::Rules::ALL_RULES, |mail| mail.policy.charset_rules)
    }

    /// Returns the hints that detection gets for these bytes.
    fn hints<'b>(&'b self, bytes: &'b [u8]) -> detect::Hints<'b> {
        self.mail.map_or(MAIL_HINTS, |mail: MailContext<'b>| {
            mail.detection(self.document.map(|_| bytes))
        })
    }
}

/// A chosen charset and the decoded text.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    pub used: Charset,
    pub how: How,
    pub confidence: Option<f32>,
    /// The decoded text; borrowed if the bytes are valid UTF-8 already.
    pub text: Cow<'a, str>,
    /// The losses. Their offsets refer to the input bytes.
    pub log: LossLog,
    /// Events about the label.
    pub events: Vec<(EventKind, Cow<'static, str>)>,
    /// The other charset of text in two encodings, one of which is UTF-8. One charset alone cannot restore such bytes.
    pub mixed: Option<Charset>,
}

/// The hints of detection for raw bytes in mail.
pub(crate) const MAIL_HINTS: detect::Hints<'static> = detect::Hints {
    declared: None,
    language: None,
    country: None,
    time_zone: None,
    ascii_compatible: true,
    rules: detect::Rules::ALL_RULES,
};

/// The confidence from which on a guess needs no further evidence.
pub(crate) const SURE_CONFIDENCE: f32 = 0.9;
/// The confidence from which on a guess may replace a label that decodes its bytes with losses.
const LIKELY_CONFIDENCE: f32 = 0.8;

/// The confidence in windows-1252 if the bytes prove nothing: most such mail uses it.
const FALLBACK_CONFIDENCE: f32 = 0.6;

/// A label is accepted up to one unreadable character in this many.
const MAX_DAMAGE_SHARE: u64 = 50;

/// Chooses the charset of one body and decodes it.
pub(crate) fn choose<'a>(bytes: &'a [u8], evidence: &Evidence<'_>) -> Choice<'a> {
    let mut events = Vec::new();
    let resolved = evidence.resolved;
    let declared = note_label(evidence.label, resolved, &mut events);
    if let Some(charset) = declared.filter(|_| evidence.mapped && !bytes.is_ascii()) {
        let written = String::from_utf8_lossy(evidence.label.unwrap_or_default());
        events.push((
            EventKind::CharsetMapped,
            Cow::Owned(format!("{written} means {}", charset.name())),
        ));
    }
    let ascii = bytes.is_ascii();
    if let Some(charset) =
        declared.filter(|charset| ascii && utf8_vs_label::is_hz_under(*charset, bytes))
    {
        events.push(detected_event(
            Some(charset),
            Charset::HZ_GB_2312,
            How::Structure.name(),
        ));
        return decode_as(bytes, Charset::HZ_GB_2312, How::Structure, None, events);
    }
    let plain = ascii && memchr::memchr2(0x1b, 0, bytes).is_none();
    if plain && declared.is_none_or(|c| c.is_ascii_compatible() || c == Charset::ISO_2022_JP) {
        if declared.is_none() {
            drop_label_events(resolved, &mut events);
        }
        let used = declared.unwrap_or(Charset::US_ASCII);
        return decode_as(
            bytes,
            used,
            if declared.is_some() {
                How::Label
            } else {
                How::Ascii
            },
            None,
            events,
        );
    }
    // EBCDIC encodes letters and digits above 7F. Here are none, so a gateway has translated the text and kept the label.
    let letters = || {
        bytes
            .iter()
            .filter(|b| b.is_ascii_alphabetic())
            .nth(3)
            .is_some()
    };
    if let Some(charset) = declared.filter(|c| plain && c.is_ebcdic() && letters()) {
        events.push((
            EventKind::CharsetDetected,
            Cow::Owned(format!("{} read as US-ASCII", charset.name())),
        ));
        return decode_as(bytes, Charset::US_ASCII, How::Structure, None, events);
    }
    // ASCII with the escape sequences of a terminal.
    if ascii
        && !plain
        && declared.is_none()
        && memchr::memchr(0, bytes).is_none()
        && !may_be_iso2022(bytes)
    {
        drop_label_events(resolved, &mut events);
        return decode_as(bytes, Charset::US_ASCII, How::Ascii, None, events);
    }
    if let Some((charset, how)) = by_bom_or_structure(bytes, declared, resolved) {
        if declared != Some(charset) {
            events.push((
                EventKind::CharsetDetected,
                Cow::Owned(format!("read as {} by its {}", charset.name(), how.name())),
            ));
        }
        // Programs append text in another encoding even after a byte order mark.
        if charset == Charset::UTF_8
            && how == How::Bom
            && let Some(mixed) = mixed_by_label(bytes, charset, evidence)
        {
            return mixed.choice(charset, events);
        }
        return decode_as(bytes, charset, how, None, events);
    }
    let is_open = declared.is_none_or(|charset| charset == Charset::US_ASCII);
    let may_overrule = is_open || evidence.detection() == Detection::Contradiction;
    if !ascii && declared != Some(Charset::UTF_8) && may_overrule && !is_early_invalid_utf8(bytes) {
        let mut log = LossLog::new();
        let text = Charset::UTF_8.decode(bytes, &mut log);
        // Without a label of its own, text competes with the charset that the message names.
        let message_charset = || {
            evidence
                .mail
                .and_then(|mail| mail.named_charsets().next())
                .filter(|c| !c.is_stateful())
        };
        let named = declared
            .filter(|c| *c != Charset::US_ASCII)
            .or_else(message_charset);
        if log.is_empty() && utf8_outweighs_label(named, bytes, &text) {
            events.push(match (evidence.label, declared) {
                (None, _) => (EventKind::CharsetUnlabelled, Cow::Borrowed("valid UTF-8")),
                (_, Some(c)) => (
                    EventKind::CharsetUtf8InLegacy,
                    Cow::Owned(format!("{} read as UTF-8", c.name())),
                ),
                (_, None) => (EventKind::CharsetDetected, Cow::Borrowed("valid UTF-8")),
            });
            return Choice {
                used: Charset::UTF_8,
                how: How::Utf8,
                confidence: None,
                text,
                log,
                events,
                mixed: None,
            };
        }
    }
    if ascii && declared.is_none() && !may_be_iso2022(bytes) && !may_be_wide(bytes) {
        // ASCII with stray NULs.
        return decode_as(bytes, Charset::US_ASCII, How::Ascii, None, events);
    }
    match declared.filter(|c| *c != Charset::US_ASCII || ascii) {
        Some(charset) => {
            let mut choice = by_label(bytes, charset, evidence, events);
            let believed =
                matches!(choice.how, How::Label | How::Superset) && charset != Charset::UTF_8;
            let is_reported = choice
                .events
                .iter()
                .any(|(kind, _)| *kind == EventKind::CharsetSuspected);
            if let Some(odd) = label_plausibility::non_text_characters(&choice.text)
                .filter(|_| believed && !is_reported)
            {
                let detail = Cow::Owned(format!("{} gives {odd}", choice.used.name()));
                choice.events.push((EventKind::CharsetSuspected, detail));
            }
            if let Some(order) = visual_order_note(charset, &choice.text).filter(|_| believed) {
                choice
                    .events
                    .push((EventKind::CharsetVisualOrder, Cow::Borrowed(order)));
            }
            choice
        }
        None => by_evidence(bytes, evidence, declared, events),
    }
}

/// Like [`choose`], but chooses the charset from `text`, which is a part of `bytes`.
pub(crate) fn choose_by_sample<'a>(
    bytes: &'a [u8],
    text: &[u8],
    evidence: &Evidence<'_>,
) -> Choice<'a> {
    let Choice {
        used,
        how,
        confidence,
        events,
        ..
    } = choose(text, evidence);
    decode_as(bytes, used, how, confidence, events)
}

/// Decodes text that was appended to a part. Uses the charset of the part if that decodes the text and is not UTF-8.
pub(crate) fn choose_for_footer<'b>(bytes: &'b [u8], part: Charset, policy: &Policy) -> Choice<'b> {
    let may_be = part.is_ascii_compatible() && ![Charset::UTF_8, Charset::US_ASCII].contains(&part);
    if !may_be
        || !is_legacy(bytes)
        || !decodes_without_loss(part, bytes)
        || detect::is_odd(bytes, part)
    {
        if policy.detection != Detection::Off || !is_legacy(bytes) {
            return choose(bytes, &Evidence::default());
        }
        let used = policy
            .default_charset
            .filter(|charset| decodes_without_loss(*charset, bytes));
        return decode_as(
            bytes,
            used.unwrap_or(Charset::WINDOWS_1252),
            How::Fallback,
            Some(FALLBACK_CONFIDENCE),
            Vec::new(),
        );
    }
    let mut log = LossLog::new();
    let text = part.decode(bytes, &mut log);
    Choice {
        used: part,
        how: How::Message,
        confidence: None,
        text,
        log,
        events: Vec::new(),
        mixed: None,
    }
}

/// Drops label events of pure ASCII, which needs no label. Keeps those about garbage and about unknown labels.
fn drop_label_events(resolved: Option<Resolved>, events: &mut Vec<(EventKind, Cow<'static, str>)>) {
    let unknown = resolved == Some(Resolved::Unknown);
    events.retain(|(kind, _)| unknown || *kind == EventKind::CharsetGarbageLabel);
}

/// Returns true if the first 512 bytes already rule out UTF-8. They do in nearly all legacy text.
fn is_early_invalid_utf8(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
    // Checks complete characters with the fast test. The last character may be cut.
    let last = start
        .iter()
        .rev()
        .take(4)
        .position(|b| b & 0xC0 != 0x80)
        .map_or(0, |at| at + 1);
    let (whole, last) = start.split_at(start.len() - last);
    let rest = if detect::is_utf8(whole) { last } else { start };
    std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_some())
}

/// Reports what is wrong with the label and returns the charset that it names.
fn note_label(
    label: Option<&[u8]>,
    resolved: Option<Resolved>,
    events: &mut Vec<(EventKind, Cow<'static, str>)>,
) -> Option<Charset> {
    let written = || String::from_utf8_lossy(label.unwrap_or_default()).into_owned();
    match resolved? {
        Resolved::Exact(charset) => Some(charset),
        Resolved::Alias(charset) => {
            events.push((EventKind::CharsetAlias, Cow::Borrowed(charset.name())));
            Some(charset)
        }
        Resolved::Repaired(charset) => {
            events.push((
                EventKind::CharsetGarbageLabel,
                Cow::Owned(format!("{} taken for {}", written(), charset.name())),
            ));
            Some(charset)
        }
        Resolved::NoInformation | Resolved::Unknown => {
            events.push((EventKind::CharsetUnknownLabel, Cow::Owned(written())));
            None
        }
    }
}

/// Step 4: uses the label or its superset. Searches further if the label cannot decode the bytes.
fn by_label<'a>(
    bytes: &'a [u8],
    charset: Charset,
    evidence: &Evidence<'_>,
    mut events: Vec<(EventKind, Cow<'static, str>)>,
) -> Choice<'a> {
    if let Some(mixed) = mixed_by_label(bytes, charset, evidence) {
        return mixed.choice(charset, events);
    }
    let may_overrule = evidence.detection() == Detection::Contradiction;
    // Repeats of one byte do not prove that text is not UTF-8.
    let lacks_evidence = |other: &Choice<'_>| {
        charset == Charset::UTF_8
            && other.how == How::Fallback
            && insufficient_evidence::only_high_byte(bytes).is_some()
    };
    if !evidence.mapped
        && let Some(LabelVerdict {
            read,
            events: label_events,
        }) = check_label(
            charset,
            bytes,
            None,
            may_overrule.then_some(|| evidence.hints(bytes)),
        )
    {
        events.extend(label_events);
        if let Some(OtherReading {
            used,
            how,
            confidence,
            ..
        }) = read
        {
            return decode_as(bytes, used, how, confidence, events);
        }
    }
    let may_search = evidence.detection() != Detection::Off;
    if charset == Charset::UTF_8
        && may_search
        && is_early_invalid_utf8(bytes)
        && !begins_as_damaged_utf8(bytes)
    {
        // The bytes are legacy text. Decoding all of them as UTF-8 would waste time.
        let other = by_evidence(bytes, evidence, Some(charset), Vec::new());
        if other.log.losses() == 0 && !lacks_evidence(&other) {
            events.extend(other.events);
            return Choice { events, ..other };
        }
    }
    let mut log = LossLog::new();
    let text = charset.decode(bytes, &mut log);
    if may_search && is_damaged(charset, bytes, &text, &log) {
        let other = by_evidence(bytes, evidence, Some(charset), Vec::new());
        // A single-byte charset decodes any bytes, so it must be likely before it replaces a multi-byte label.
        let likely = charset == Charset::UTF_8
            || charset.is_single_byte()
            || other
                .confidence
                .is_none_or(|confidence| confidence >= LIKELY_CONFIDENCE);
        if other.log.losses() < log.losses() && likely && !lacks_evidence(&other) {
            events.extend(other.events);
            return Choice { events, ..other };
        }
    }
    let wider = charset.superset();
    if wider != charset && log.losses() == 0 && superset::needs_superset(charset, bytes) {
        events.push((
            EventKind::CharsetSuperset,
            Cow::Owned(format!("{} read as {}", charset.name(), wider.name())),
        ));
        return Choice {
            used: wider,
            how: How::Superset,
            confidence: None,
            text,
            log,
            events,
            mixed: None,
        };
    }
    Choice {
        used: charset,
        how: How::Label,
        confidence: None,
        text,
        log,
        events,
        mixed: None,
    }
}

/// Finds text in two encodings under a label of one of them. Runs of UTF-8 contradict a label that decodes all bytes.
fn mixed_by_label(bytes: &[u8], charset: Charset, evidence: &Evidence<'_>) -> Option<MixedText> {
    if evidence.mapped || !evidence.may_find_mixed() {
        return None;
    }
    if charset == Charset::UTF_8 {
        return mixed_utf8::in_utf8(bytes, |rest| {
            let any = |charset: Charset| charset.is_ascii_compatible() && !charset.is_stateful();
            rest_charset(rest, evidence, &evidence.hints(bytes), any)
        });
    }
    if evidence.detection() != Detection::Contradiction || !mixed_utf8::may_be_mixed(bytes, charset)
    {
        return None;
    }
    let charset = superset::better_by_bytes(charset, bytes).unwrap_or(charset.superset());
    let other = OtherCharset {
        charset,
        confidence: None,
    };
    mixed_utf8::in_single_byte(bytes, other)
}

/// Returns the charset of the bytes that are not UTF-8 in text that mixes both.
///
/// Prefers the charset of the message or the caller if it makes plausible text, then a guess, then windows-1252. `may_be` selects the
/// candidates.
fn rest_charset(
    rest: &[u8],
    evidence: &Evidence<'_>,
    hints: &detect::Hints<'_>,
    may_be: impl Fn(Charset) -> bool,
) -> OtherCharset {
    let is_other = |charset: &Charset| *charset != Charset::UTF_8 && may_be(*charset);
    let named = evidence
        .mail
        .into_iter()
        .flat_map(MailContext::named_charsets)
        .filter(is_other);
    let mut named = named
        .filter(|charset| decodes_without_loss(*charset, rest) && !detect::is_odd(rest, *charset));
    if let Some(charset) = named.next().or(evidence.fallback().filter(is_other)) {
        return OtherCharset {
            charset,
            confidence: None,
        };
    }
    let guess = detect::detect(rest, hints);
    let is_found = guess.confidence >= LIKELY_CONFIDENCE && is_other(&guess.charset);
    let (charset, confidence) = if is_found {
        (guess.charset, guess.confidence)
    } else {
        (Charset::WINDOWS_1252, FALLBACK_CONFIDENCE)
    };
    OtherCharset {
        charset,
        confidence: Some(confidence),
    }
}

impl MixedText {
    /// Turns the text into a [`Choice`] with charset `used`.
    fn choice<'a>(
        self,
        used: Charset,
        mut events: Vec<(EventKind, Cow<'static, str>)>,
    ) -> Choice<'a> {
        let Self {
            text,
            log,
            runs,
            first,
            other,
        } = self;
        let many = if runs == 1 { "" } else { "s" };
        let name = other.charset.name();
        let within = if used == Charset::UTF_8 {
            format!("{runs} line{many} of {name} within UTF-8 text")
        } else {
            format!("{runs} run{many} of UTF-8 within {name} text")
        };
        let detail = format!("{within}, the first at byte {first} of the decoded part");
        events.push((EventKind::CharsetMixed, Cow::Owned(detail)));
        Choice {
            used,
            how: How::Detected,
            confidence: other.confidence,
            text: Cow::Owned(text),
            log,
            events,
            mixed: Some(other.charset),
        }
    }
}

/// Steps 5 to 9: document, message, caller, detection, fallback.
fn by_evidence<'a>(
    bytes: &'a [u8],
    evidence: &Evidence<'_>,
    declared: Option<Charset>,
    mut events: Vec<(EventKind, Cow<'static, str>)>,
) -> Choice<'a> {
    if evidence.label.is_none() {
        events.push((EventKind::CharsetUnlabelled, Cow::Borrowed("8-bit text")));
    }
    let hints = evidence.hints(bytes);
    if evidence.may_find_mixed()
        && declared.is_none_or(|charset| charset == Charset::US_ASCII)
        && let Some(mixed) = mixed_utf8::in_unlabelled_text(bytes, |rest| {
            rest_charset(rest, evidence, &hints, mixed_utf8::is_single_byte_ascii)
        })
    {
        let used = mixed.other.charset;
        return mixed.choice(used, events);
    }
    let cell = OnceCell::new();
    let weighed = || cell.get_or_init(|| Weighed::new(bytes, &hints));
    let fonts = || {
        let reads_fonts = evidence.document.is_some() && hints.rules.has(detect::Rules::FONT_NAMES);
        font_names::language(bytes)
            .filter(|_| reads_fonts)
            .map(|(_, charset)| charset)
    };
    let document = evidence
        .document
        .and_then(|document| document_charset::declared_charset(bytes, document));
    let document = document.or_else(fonts);
    let may_search = evidence.detection() != Detection::Off;
    let mail = evidence.mail.filter(|_| may_search);
    let message = mail
        .into_iter()
        .flat_map(MailContext::named_charsets)
        .map(|charset| (charset, How::Message));
    let default = evidence.fallback().map(|charset| (charset, How::Hint));
    let mut tried = vec![Charset::US_ASCII, Charset::UTF_8];
    tried.extend(declared);
    for (charset, how) in document
        .map(|charset| (charset, How::Document))
        .into_iter()
        .chain(message)
        .chain(default)
    {
        // Step 3 has shown that these bytes are not valid UTF-8.
        if tried.contains(&charset) {
            continue;
        }
        let mut log = LossLog::new();
        let text = charset.decode(bytes, &mut log);
        // A single-byte charset decodes any bytes, so the result must be plausible text. The caller's default needs no proof.
        let absurd = || {
            weighed()
                .rival(charset)
                .is_some_and(|rival| rival.outweighs)
        };
        // A charset that decodes ASCII unchanged proves nothing about it. Once the header is UTF-8, it would not name this charset any
        // more.
        if how != How::Hint && bytes.is_ascii() && text.as_bytes() == bytes {
            tried.push(charset);
            continue;
        }
        if log.losses() == 0 && (how == How::Hint || !absurd()) {
            events.push(detected_event(declared, charset, how.name()));
            return Choice {
                used: charset,
                how,
                confidence: None,
                text,
                log,
                events,
                mixed: None,
            };
        }
        tried.push(charset);
    }
    if !may_search {
        let used = evidence.fallback().unwrap_or(Charset::WINDOWS_1252);
        events.push(detected_event(declared, used, How::Fallback.name()));
        return decode_as(
            bytes,
            used,
            How::Fallback,
            Some(FALLBACK_CONFIDENCE),
            events,
        );
    }
    let (mut guess, mut by) = detected(bytes, weighed().guess(), evidence);
    if hints.language.is_none()
        && hints.country.is_none()
        && insufficient_evidence::is_insufficient(bytes, guess.charset)
    {
        guess = Guess {
            charset: Charset::WINDOWS_1252,
            confidence: FALLBACK_CONFIDENCE,
            evidence: detect::Evidence::Fallback,
        };
        by = guess.evidence.name();
    }
    let how = if guess.evidence == detect::Evidence::Fallback {
        How::Fallback
    } else {
        How::Detected
    };
    let used = if how == How::Fallback {
        evidence.fallback().unwrap_or(guess.charset)
    } else {
        guess.charset
    };
    events.push(detected_event(declared, used, by));
    decode_as(bytes, used, how, Some(guess.confidence), events)
}

/// Returns the better of the part's own guess and the guess for all undeclared text, and names its evidence.
fn detected(bytes: &[u8], own: Guess, evidence: &Evidence<'_>) -> (Guess, &'static str) {
    if own.confidence < SURE_CONFIDENCE
        && let Some(pooled) = evidence.mail.and_then(MailContext::pooled_guess)
        && pooled.confidence > own.confidence
        && pooled.evidence != detect::Evidence::Fallback
        && decodes_without_loss(pooled.charset, bytes)
    {
        return (pooled, "all undeclared text of the message");
    }
    (own, own.evidence.name())
}

/// Returns true if `charset` decodes all bytes without loss.
fn decodes_without_loss(charset: Charset, bytes: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    let _ = charset.decode(bytes, &mut log);
    log.losses() == 0
}

/// Builds the event for a charset that the label did not name.
fn detected_event(
    declared: Option<Charset>,
    used: Charset,
    by: &str,
) -> (EventKind, Cow<'static, str>) {
    match declared {
        Some(c) if c == Charset::UTF_8 => (
            EventKind::CharsetLegacyInUtf8,
            Cow::Owned(format!("UTF-8 read as {} ({by})", used.name())),
        ),
        Some(c) => (
            EventKind::CharsetDetected,
            Cow::Owned(format!("{} read as {} ({by})", c.name(), used.name())),
        ),
        None => (
            EventKind::CharsetDetected,
            Cow::Owned(format!("read as {} ({by})", used.name())),
        ),
    }
}

/// Decodes `bytes` as `used` and builds the [`Choice`].
fn decode_as<'a>(
    bytes: &'a [u8],
    used: Charset,
    how: How,
    confidence: Option<f32>,
    events: Vec<(EventKind, Cow<'static, str>)>,
) -> Choice<'a> {
    let mut log = LossLog::new();
    let text = used.decode(bytes, &mut log);
    Choice {
        used,
        how,
        confidence,
        text,
        log,
        events,
        mixed: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::View;

    fn used(label: &str, bytes: &[u8]) -> (&'static str, How) {
        let resolved = Some(Charset::for_label(label.as_bytes(), View::Mail));
        let choice = choose(
            bytes,
            &Evidence {
                label: Some(label.as_bytes()),
                resolved,
                ..Evidence::default()
            },
        );
        (choice.used.name(), choice.how)
    }

    #[test]
    fn a_stateful_label_over_text_without_any_shift() {
        let text = "このメールは「m-FILTER」が自動的に生成しました。\n";
        let mut log = LossLog::new();
        for label in [
            "iso-2022-jp",
            "iso-2022-kr",
            "iso-2022-cn",
            "hz-gb-2312",
            "utf-7",
        ] {
            assert_eq!(
                used(label, text.as_bytes()),
                ("UTF-8", How::Utf8),
                "{label}"
            );
        }
        let shift_jis =
            Charset::SHIFT_JIS.encode(text, mailglot_codec::Unmappable::Fatal, &mut log);
        assert_eq!(
            used("iso-2022-jp", &shift_jis),
            ("Shift_JIS", How::Detected)
        );
        for (label, bytes) in [
            ("iso-2022-jp", "\x1b$B8-\x1b(B \u{E9}\u{E9}".as_bytes()),
            ("hz-gb-2312", "~{8-~} \u{E9}\u{E9}".as_bytes()),
            ("utf-7", "+AOk- \u{E9}\u{E9}".as_bytes()),
        ] {
            assert_eq!(used(label, bytes).1, How::Label, "{label}");
        }
    }

    #[test]
    fn names_of_fonts_say_the_charset() {
        for (name, font) in [
            ("GBK", "仿宋_GB2312"),
            ("Big5", "新細明體"),
            ("EUC-KR", "굴림"),
            ("Shift_JIS", "ＭＳ 明朝"),
        ] {
            for html in [
                "<font face=FONT size=2>Save up to 40 on</font>",
                "<p style='font-family: \"FONT\"'>one</p>",
            ] {
                let charset = Charset::for_name(name).expect("a known charset");
                let html = html.replace("FONT", font);
                let bytes = charset.encode(
                    &html,
                    mailglot_codec::Unmappable::Fatal,
                    &mut LossLog::new(),
                );
                let evidence = Evidence {
                    document: Some(Document::Html),
                    ..Evidence::default()
                };
                let choice = choose(&bytes, &evidence);
                assert_eq!((choice.how, &*choice.text), (How::Document, &*html));
            }
        }
    }

    #[test]
    fn utf_16_without_a_mark_is_read_in_mail() {
        for text in [
            "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。\n",
            "道可道，非常道。名可名，非常名。无名天地之始；有名万物之母。故常无，欲以观其妙；常有，欲以观其徼。\n",
            "안녕하세요. 내일 회의는 열 시부터입니다. 잘 부탁드립니다.\n",
        ] {
            for charset in [Charset::UTF_16BE, Charset::UTF_16LE] {
                let bytes =
                    charset.encode(text, mailglot_codec::Unmappable::Fatal, &mut LossLog::new());
                let choice = choose(&bytes, &Evidence::default());
                assert_eq!(
                    (choice.used, choice.how, &*choice.text),
                    (charset, How::Structure, text)
                );
                assert_eq!(
                    used("unknown-8bit", &bytes),
                    (charset.name(), How::Structure)
                );
            }
        }
    }

    #[test]
    fn utf_16_without_zeros_keeps_its_label() {
        let wide = |text: &str, little: bool| -> Vec<u8> {
            text.encode_utf16()
                .flat_map(|unit| {
                    if little {
                        unit.to_le_bytes()
                    } else {
                        unit.to_be_bytes()
                    }
                })
                .collect()
        };
        for text in [
            "你好世界",
            "안녕하세요",
            "こんにちは、世界。",
            "Привет",
            "天气很好",
        ] {
            let text = text.replace(' ', "\u{3000}");
            for (label, little) in [("utf-16le", true), ("utf-16be", false)] {
                assert_eq!(
                    used(label, &wide(&text, little)).1,
                    How::Label,
                    "{label} {text}"
                );
            }
        }
        for text in [
            "Hello, world",
            "Hello",
            "Größe und Länge",
            "会议通知",
            "\u{1B}[1mbold\u{1B}[0m",
        ] {
            assert_eq!(
                used("utf-16le", text.as_bytes()),
                ("UTF-8", How::Structure),
                "{text}"
            );
        }
    }

    #[test]
    fn escape_sequences_of_terminals_are_ascii() {
        for bytes in [
            &b"$ ls\n\x1b[1mbold\x1b[0m\n"[..],
            b"a\x1b(B\x1b[m",
            b"\x1b",
            b"x\x1b]0;title\x07",
        ] {
            let choice = choose(bytes, &Evidence::default());
            assert_eq!(
                (choice.used, choice.how),
                (Charset::US_ASCII, How::Ascii),
                "{}",
                bytes.escape_ascii()
            );
            assert_eq!(choice.events, [], "{}", bytes.escape_ascii());
        }
        assert_eq!(
            choose(b"\x1b$B8-\x1b(B", &Evidence::default()).how,
            How::Structure
        );
    }
}
