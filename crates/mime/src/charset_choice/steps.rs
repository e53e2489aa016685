//! Lists the steps that choose the charset of a body, in order.
//!
//! # Limits
//! A step sees only its own body and what [`Evidence`] says of the message.

use super::choice::Choice;
use super::evidence::Evidence;
use super::known_label::known_label;
use super::labels::certain_utf8;
use super::labels::label_events::{detected_event, drop_label_events, label_means, note_label};
use super::labels::label_scope::{LabelScope, is_open_label};
use super::labels::utf8_vs_label::{is_hz, is_label_of_hz, utf8_outweighs_label};
use super::text_tests::damage::{decodes_without_loss, is_cesu8};
use super::text_tests::truncated_utf8::{before_truncation, is_truncated_utf8};
use super::text_tests::vni::is_vni;
use super::two_charsets::card_properties::by_properties;
use super::two_charsets::lost_characters::read_lost_characters;
use super::two_charsets::mixed_choice::{
    label_or_wider, lines_beside_utf8, mixed_by_label, rest_of_label,
};
use super::two_charsets::mixed_hz::{in_hz, is_hz_with_losses};
use super::two_charsets::mixed_iso2022jp::{in_iso2022jp, is_japanese};
use super::two_charsets::mixed_text::{MixedText, RestCharset, decode_runs};
use super::without_label::without_label;
use crate::charset_choice::by_structure::{
    by_bom_or_structure, by_damaged_escapes, may_be_iso2022, may_be_wide,
};
use crate::charset_choice::text_tests::utf8_sequences::{SequenceCount, is_early_invalid_utf8};
use crate::document_charset::{Document, declared_charset, is_named_utf7, named_charset};
use crate::event::{ChosenBy, Detail, EventKind, Reason};
use crate::policy::Detection;
use crate::reading::How;
use mailglot_codec::detect::{self, high_bytes};
use mailglot_codec::{Charset, LossLog, bom};
use mailglot_kernel::ByteClasses;
use std::mem;

/// Minimum number of bytes above 7F in UTF-8 that was cut within its last character.
const MIN_BEFORE_CUT: usize = 8;

/// A body whose charset no step has decided yet.
pub(super) struct Undecided<'a, 'e> {
    bytes: &'a [u8],
    evidence: &'e Evidence<'e>,
    /// The charset that the label names.
    declared: Option<Charset>,
    classes: ByteClasses,
    is_ascii: bool,
    /// ASCII without ESC and NUL.
    is_plain: bool,
    events: Vec<(EventKind, Detail)>,
}

/// Chooses the charset of one body and decodes it.
pub(crate) fn choose<'a>(bytes: &'a [u8], evidence: &Evidence<'_>) -> Choice<'a> {
    let body = Undecided::new(bytes, evidence);
    let may_have_lost_characters = body.classes.has_continuation();
    let choice = body.choose();
    if !may_have_lost_characters {
        return choice;
    }
    read_lost_characters(bytes, choice, evidence, |rest| {
        choose_for_all(rest, evidence).into_owned()
    })
}

/// Like [`choose`], without a look at lost characters.
fn choose_for_all<'a>(bytes: &'a [u8], evidence: &Evidence<'_>) -> Choice<'a> {
    Undecided::new(bytes, evidence).choose()
}

impl<'a, 'e> Undecided<'a, 'e> {
    /// The steps in their order. Each one decides or leaves the body to the next one, and the last one to [`Self::without_label`].
    const STEPS: [fn(&mut Self) -> Option<Choice<'a>>; 13] = [
        // RFC 1843: HZ is ASCII by its bytes, and many labels say GB2312.
        Self::hz,
        // Needs no label. Nearly half of all parts.
        Self::plain_ascii,
        // A gateway translated EBCDIC and kept the label.
        Self::ascii_under_ebcdic,
        Self::ascii_of_terminals,
        // Byte order marks (RFC 2781, section 3.2), escape sequences (ISO 2022), NUL patterns (UTF-16, UTF-32).
        Self::bom_or_structure,
        // Japanese mail with a footer or a name in UTF-8.
        Self::mixed_iso2022jp,
        // Old newsreaders cut lines within characters.
        Self::damaged_iso2022,
        // Legacy text is hardly ever valid UTF-8 (docs/adr/0010 has the shares).
        Self::valid_utf8,
        // Java and old databases write characters beyond the basic plane as two surrogates (Unicode Technical Report 26).
        Self::cesu8,
        Self::ascii_with_nuls,
        // vCard 2.1: a property may name another charset than the label.
        Self::properties_of_card,
        // Western mail programs label Vietnamese in VNI as iso-8859-1, windows-1252 or utf-8.
        Self::vni,
        Self::label,
    ];

    /// Reports problems of the label.
    fn new(bytes: &'a [u8], evidence: &'e Evidence<'e>) -> Self {
        let mut events = Vec::new();
        let declared = note_label(evidence.label, evidence.resolved, &mut events);
        let classes = ByteClasses::of(bytes);
        let is_ascii = classes.is_ascii();
        if let Some(charset) = declared.filter(|_| evidence.mapped && !is_ascii) {
            events.push((
                EventKind::CharsetMapped,
                label_means(evidence.label, charset),
            ));
        }
        Self {
            bytes,
            evidence,
            declared,
            classes,
            is_ascii,
            is_plain: is_ascii && !classes.has_escape() && !classes.has_nul(),
            events,
        }
    }

    /// Chooses by the first step that decides.
    fn choose(mut self) -> Choice<'a> {
        let decided = Self::STEPS.iter().find_map(|step| step(&mut self));
        decided.unwrap_or_else(|| self.without_label())
    }

    /// Step for HZ under a label of GB 2312. Without a label and in US-ASCII, it takes Chinese mail, a document that names it, or more
    /// characters.
    fn hz(&mut self) -> Option<Choice<'a>> {
        if !self.is_ascii {
            return self.hz_beside_eight_bits();
        }
        let how = if self.may_be_hz() {
            (is_hz(self.bytes) || self.has_hz_text()).then_some(How::Structure)
        } else {
            self.unlabelled_hz()
        }?;
        Some(self.decode_hz(how))
    }

    fn decode_hz(&mut self, how: How) -> Choice<'a> {
        let by = ChosenBy::Step(how);
        self.events
            .push(detected_event(self.declared, Charset::HZ_GB_2312, by));
        self.decode(Charset::HZ_GB_2312, how)
    }

    /// Returns true if the characters between `~{` and `~}` prove HZ in any mail. Other texts have small letters or white space there.
    fn has_hz_text(&self) -> bool {
        const CERTAIN: usize = 4;
        detect::hz_characters(self.bytes) >= CERTAIN
    }

    /// Decodes HZ without a label that has lines in another charset, or damaged bytes.
    fn hz_beside_eight_bits(&mut self) -> Option<Choice<'a>> {
        let may_be = self.is_unlabelled_ascii()
            && self.evidence.document.is_none()
            && self.evidence.may_find_mixed();
        if !may_be || !self.has_hz_text() || detect::is_utf8(self.bytes) {
            return None;
        }
        if is_hz_with_losses(self.bytes) {
            return Some(self.decode_hz(How::Structure));
        }
        let mixed = in_hz(self.bytes, |rest| {
            rest_of_label(rest, self.declared, self.evidence)
        })?;
        let used = mixed.other.charset;
        Some(mixed.choice(used, mem::take(&mut self.events)))
    }

    /// Returns what shows that ASCII without a label is HZ: the charset that a document names, or the characters.
    fn unlabelled_hz(&self) -> Option<How> {
        // Most texts have a label that excludes HZ, and need no search.
        let is_other = |label| label != Charset::US_ASCII;
        if self.declared.is_some_and(is_other) || detect::find_hz_shift(self.bytes).is_none() {
            return None;
        }
        let has_no_label = self.declared.is_none();
        let document = self.evidence.document.filter(|_| has_no_label);
        let named = document.and_then(|document| named_charset(self.bytes, document));
        let is_named = |charset| is_label_of_hz(charset) || charset == Charset::HZ_GB_2312;
        if named.is_some_and(is_named) && is_hz(self.bytes) {
            return Some(How::Document);
        }
        let is_open = self.is_unlabelled_ascii()
            && named.is_none_or(|charset| charset == Charset::US_ASCII)
            && document != Some(Document::Css);
        (is_open && self.has_hz_text()).then_some(How::Structure)
    }

    /// Returns true if a label allows HZ or, without a label, if the caller's language or the message does. A few signs of HZ may be
    /// in any ASCII text. What only a guess says of a message does not count: text that became UTF-8 would say more.
    fn may_be_hz(&self) -> bool {
        if let Some(label) = self.declared {
            return is_label_of_hz(label);
        }
        let is_chinese = |charset| is_label_of_hz(charset) || charset == Charset::HZ_GB_2312;
        self.evidence.document.is_none()
            && self.evidence.detection() != Detection::Off
            && self.evidence.mail.is_some_and(|mail| {
                let language = mail.policy().language.as_deref();
                language.is_some_and(|tag| tag.starts_with("zh"))
                    || mail.named_charsets().any(is_chinese)
            })
    }

    /// Returns true if no label names another charset than US-ASCII, and detection is on.
    fn is_unlabelled_ascii(&self) -> bool {
        let is_open = |label| label == Charset::US_ASCII;
        self.declared.is_none_or(is_open) && self.evidence.detection() != Detection::Off
    }

    fn plain_ascii(&mut self) -> Option<Choice<'a>> {
        if !self.is_plain {
            return None;
        }
        let Some(charset) = self.declared else {
            let mut choice = self.unlabelled_ascii();
            if let Some(document) = self.evidence.document
                && is_named_utf7(self.bytes, document)
            {
                let event = (
                    EventKind::CharsetSuspected,
                    Reason::DocumentNamesUtf7.into(),
                );
                choice.events.push(event);
            }
            return Some(choice);
        };
        let agrees = charset.is_ascii_compatible() || charset == Charset::ISO_2022_JP;
        if agrees && self.evidence.detection() != Detection::Off && self.has_hz_text() {
            let reason = Reason::LooksLikeHz.into();
            self.events.push((EventKind::CharsetSuspected, reason));
        }
        agrees.then(|| self.decode(charset, How::Label))
    }

    /// Step for ASCII under an EBCDIC label. EBCDIC encodes letters and digits above 7F: text without such bytes is ASCII.
    fn ascii_under_ebcdic(&mut self) -> Option<Choice<'a>> {
        let charset = self.declared.filter(|c| self.is_plain && c.is_ebcdic())?;
        let mut letters = self.bytes.iter().filter(|b| b.is_ascii_alphabetic());
        letters.nth(3)?;
        let detail = Detail::read_as(Some(charset), Charset::US_ASCII);
        self.events.push((EventKind::CharsetDetected, detail));
        Some(self.decode(Charset::US_ASCII, How::Structure))
    }

    /// Step for ASCII with the escape sequences of a terminal.
    fn ascii_of_terminals(&mut self) -> Option<Choice<'a>> {
        let may_be = self.is_ascii
            && !self.is_plain
            && self.declared.is_none()
            && !self.classes.has_nul()
            && !may_be_iso2022(self.bytes);
        may_be.then(|| self.unlabelled_ascii())
    }

    fn bom_or_structure(&mut self) -> Option<Choice<'a>> {
        let (charset, how) = by_bom_or_structure(
            self.bytes,
            self.classes,
            self.declared,
            self.evidence.resolved,
        )?;
        if let Some(mixed) = self.mark_before_other_text(how) {
            return Some(mixed.choice_of_rest(mem::take(&mut self.events)));
        }
        if self.declared != Some(charset) {
            let detail = Detail::ShownBy { used: charset, how };
            self.events.push((EventKind::CharsetDetected, detail));
        }
        // Programs append text in another encoding even after a byte order mark.
        if charset == Charset::UTF_8
            && how == How::Bom
            && let Some(mixed) = mixed_by_label(self.bytes, charset, self.evidence)
        {
            return Some(mixed.choice(charset, mem::take(&mut self.events)));
        }
        Some(self.decode(charset, how))
    }

    /// Decodes text of the label after a byte order mark of UTF-8: `\xEF\xBB\xBF` before Chinese in GBK.
    ///
    /// Malformed sequences of UTF-8 must outweigh complete ones.
    fn mark_before_other_text(&self, how: How) -> Option<MixedText> {
        let label = self.declared.filter(|label| {
            label.may_stand_beside_ascii() && ![Charset::UTF_8, Charset::US_ASCII].contains(label)
        })?;
        let rest = self
            .bytes
            .strip_prefix(&bom::UTF_8)
            .filter(|_| how == How::Bom)?;
        let count = SequenceCount::of(rest);
        // One in five frequent characters of double-byte text is valid UTF-8.
        let weight = if label.is_single_byte() { 1 } else { 2 };
        let is_of_label =
            count.malformed * weight > count.within && decodes_without_loss(label, rest);
        let mark = 0..bom::UTF_8.len();
        is_of_label.then(|| {
            let other = RestCharset::named(label_or_wider(label, rest));
            decode_runs(self.bytes, &[(mark, Charset::UTF_8)], other)
        })
    }

    /// Step for ISO-2022-JP with characters in UTF-8 or another charset, as where a Japanese mailing list appended its footer. Another label
    /// names the charset outside the escape sequences.
    fn mixed_iso2022jp(&mut self) -> Option<Choice<'a>> {
        let may_find_runs = LabelScope::of(self.evidence.detection()) != LabelScope::None;
        let is_of_rest = |label: Charset| {
            may_find_runs && !self.evidence.mapped && label.may_stand_beside_ascii()
        };
        let may_be =
            |label: Charset| is_open_label(label) || is_japanese(label) || is_of_rest(label);
        let is_possible = self.classes.has_escape() && self.evidence.may_find_mixed();
        if !is_possible || !self.declared.is_none_or(may_be) {
            return None;
        }
        let mixed = in_iso2022jp(self.bytes, self.declared, |rest| {
            rest_of_label(rest, self.declared, self.evidence)
        })?;
        let used = match self.declared {
            _ if mixed.run_charset.is_some() => mixed.other.charset,
            Some(label) if label == Charset::UTF_8 || is_japanese(label) => label,
            _ => Charset::ISO_2022_JP,
        };
        self.note_unlabelled();
        Some(mixed.choice(used, mem::take(&mut self.events)))
    }

    /// Step for ISO-2022-JP, -KR and -CN with losses, where most text between the escape sequences is whole.
    fn damaged_iso2022(&mut self) -> Option<Choice<'a>> {
        let charset = by_damaged_escapes(
            self.bytes,
            self.classes,
            self.declared,
            self.evidence.resolved,
        )?;
        Some(self.decode_shown(charset))
    }

    /// Step for valid UTF-8, unless the label or the message makes better text of it. Under a label, the last character may be cut.
    fn valid_utf8(&mut self) -> Option<Choice<'a>> {
        let is_open = self
            .declared
            .is_none_or(|charset| charset == Charset::US_ASCII);
        let may_overrule = is_open || LabelScope::of(self.evidence.detection()) != LabelScope::None;
        if self.is_ascii
            || self.declared == Some(Charset::UTF_8)
            || !may_overrule
            || is_early_invalid_utf8(self.bytes) && (is_open || !is_truncated_utf8(self.bytes))
        {
            return None;
        }
        let mut log = LossLog::new();
        let text = Charset::UTF_8.decode(self.bytes, &mut log);
        let has_enough = |whole: &&str| {
            let mut high = high_bytes(whole.as_bytes());
            high.nth(MIN_BEFORE_CUT - 1).is_some()
        };
        let whole = if log.is_empty() {
            &*text
        } else if is_open {
            return None;
        } else {
            before_truncation(self.bytes).filter(has_enough)?
        };
        if !utf8_outweighs_label(self.named_charset(), whole.as_bytes(), whole) {
            return None;
        }
        self.events
            .push(match (self.evidence.label, self.declared) {
                (None, _) => (EventKind::CharsetUnlabelled, Reason::ValidUtf8.into()),
                (_, Some(c)) => (
                    EventKind::CharsetUtf8InLegacy,
                    Detail::read_as(Some(c), Charset::UTF_8),
                ),
                (_, None) => (EventKind::CharsetDetected, Reason::ValidUtf8.into()),
            });
        let events = mem::take(&mut self.events);
        Some(Choice::of_text(
            text,
            log,
            Charset::UTF_8,
            How::Utf8,
            events,
        ))
    }

    /// Step for CESU-8 under the label UTF-8, or without a label: pairs of surrogates, and no byte that it cannot decode.
    fn cesu8(&mut self) -> Option<Choice<'a>> {
        let is_open = self.declared.is_none_or(|label| label == Charset::UTF_8);
        let may_be = is_open && !self.is_ascii && self.evidence.detection() != Detection::Off;
        if !may_be || !is_cesu8(self.bytes) {
            return None;
        }
        self.note_unlabelled();
        let by = ChosenBy::Step(How::Structure);
        self.events
            .push(detected_event(self.declared, Charset::CESU_8, by));
        Some(self.decode(Charset::CESU_8, How::Structure))
    }

    /// Returns the charset of the label. Text without one competes with the charset that the document declares, or the message names.
    fn named_charset(&self) -> Option<Charset> {
        let is_label = |charset: &Charset| *charset != Charset::US_ASCII;
        if let Some(label) = self.declared.filter(is_label) {
            return Some(label);
        }
        let document = self.evidence.document;
        let of_document = document.and_then(|document| declared_charset(self.bytes, document));
        match of_document.filter(|charset| is_label(charset) && !charset.is_stateful()) {
            Some(Charset::UTF_8) => None,
            Some(declared) => Some(declared),
            None => self.message_charset(),
        }
    }

    /// Returns the first charset that the message names, if it has no escape sequences.
    fn message_charset(&self) -> Option<Charset> {
        let mut named = self.evidence.mail?.named_charsets();
        named.next().filter(|charset| !charset.is_stateful())
    }

    /// Step for ASCII with stray NULs.
    fn ascii_with_nuls(&mut self) -> Option<Choice<'a>> {
        let may_be = self.is_ascii
            && self.declared.is_none()
            && !may_be_iso2022(self.bytes)
            && !may_be_wide(self.bytes);
        may_be.then(|| self.decode(Charset::US_ASCII, How::Ascii))
    }

    fn properties_of_card(&mut self) -> Option<Choice<'a>> {
        let is_card = self.evidence.document == Some(Document::Card);
        let is_valid = || self.declared == Some(Charset::UTF_8) && detect::is_utf8(self.bytes);
        if self.is_ascii || !is_card || is_valid() {
            return None;
        }
        let choose_rest = |rest: &[u8]| choose_for_all(rest, self.evidence).into_owned();
        let mixed = by_properties(self.bytes, self.evidence, choose_rest)?;
        self.note_unlabelled();
        Some(mixed.choice_of_rest(mem::take(&mut self.events)))
    }

    /// Step for Vietnamese in VNI: `Chaøo anh` is `Chào anh`. Hardly any mail program writes the label `vni`.
    fn vni(&mut self) -> Option<Choice<'a>> {
        let may_be = |label: Charset| {
            let is_readable = label == Charset::UTF_8 && !is_early_invalid_utf8(self.bytes);
            (is_open_label(label) || label == Charset::WINDOWS_1258) && !is_readable
        };
        let detection = self.evidence.detection();
        let is_possible = match self.declared {
            None => detection != Detection::Off,
            Some(label) => may_be(label) && LabelScope::of(detection) != LabelScope::None,
        };
        if self.is_ascii || !is_possible || !is_vni(self.bytes) || detect::is_utf8(self.bytes) {
            return None;
        }
        self.note_unlabelled();
        Some(self.decode_shown(Charset::VNI))
    }

    /// Decodes the body in a charset that its structure shows, and reports that.
    fn decode_shown(&mut self, used: Charset) -> Choice<'a> {
        let how = How::Structure;
        let detail = Detail::ShownBy { used, how };
        self.events.push((EventKind::CharsetDetected, detail));
        self.decode(used, how)
    }

    /// Reports text beyond ASCII without a label.
    fn note_unlabelled(&mut self) {
        if self.evidence.label.is_none() {
            let detail = Reason::EightBitText.into();
            self.events.push((EventKind::CharsetUnlabelled, detail));
        }
    }

    fn label(&mut self) -> Option<Choice<'a>> {
        let is_possible = |charset: &Charset| *charset != Charset::US_ASCII || self.is_ascii;
        let charset = self.declared.filter(is_possible)?;
        let events = mem::take(&mut self.events);
        Some(known_label(
            self.bytes,
            self.classes,
            charset,
            self.evidence,
            events,
        ))
    }

    /// The last step: document, message, caller, detection, windows-1252.
    fn without_label(self) -> Choice<'a> {
        let of_label = self.events.clone();
        let (bytes, evidence) = (self.bytes, self.evidence);
        let choice = without_label(bytes, evidence, self.declared, self.events);
        let is_contradicted = certain_utf8::contradicts(bytes, &choice);
        if !is_contradicted && !certain_utf8::stands_beside_losses(bytes, &choice) {
            return choice;
        }
        match lines_beside_utf8(bytes, evidence) {
            Some(mixed) => mixed.choice(Charset::UTF_8, of_label),
            None if is_contradicted && certain_utf8::is_weak(&choice) => {
                let by = ChosenBy::Detection(detect::Evidence::Utf8);
                let mut events = of_label;
                if evidence.label.is_none() {
                    events.push((EventKind::CharsetUnlabelled, Reason::EightBitText.into()));
                }
                events.push(detected_event(self.declared, Charset::UTF_8, by));
                Choice::decode(bytes, Charset::UTF_8, How::Detected, events)
                    .with_confidence(choice.confidence)
            }
            None => choice,
        }
    }

    /// Decodes as ASCII, which needs no label.
    fn unlabelled_ascii(&mut self) -> Choice<'a> {
        drop_label_events(self.evidence.resolved, &mut self.events);
        self.decode(Charset::US_ASCII, How::Ascii)
    }

    fn decode(&mut self, used: Charset, how: How) -> Choice<'a> {
        Choice::decode(self.bytes, used, how, mem::take(&mut self.events))
    }
}
