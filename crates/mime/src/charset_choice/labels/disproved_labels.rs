//! Keeps the labels that text of a message disproves, and the charsets of text in another alphabet than that of Latin-1.
//!
//! A label counts if one text disproves it and no other text of the message fits it.
//!
//! # Limits
//! Keeps four labels. Later ones count as right.

use crate::charset_choice::labels::alphabet_charsets::{AlphabetCharsets, is_of_other_script};
use crate::charset_choice::text_tests::western_letters::is_latin_1;
use crate::part_id::PartId;
use mailglot_codec::Charset;

/// Number of labels that are kept. Few messages have more than two.
const MAX: usize = 4;

/// Labels that are wrong throughout a message, each with the charset that other text under it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DisprovedLabels {
    pairs: [Option<(Charset, Charset)>; MAX],
    /// The charsets of other text in another alphabet, under a label that fits. No text fits a label of Latin-1.
    others: AlphabetCharsets,
}

impl DisprovedLabels {
    /// Returns the charset of other text under this label; None unless the label is disproved.
    #[inline]
    pub(crate) fn charset_for(&self, label: Charset) -> Option<Charset> {
        let mut pairs = self.pairs.iter().flatten();
        pairs.find(|(known, _)| *known == label).map(|pair| pair.1)
    }

    /// Returns the charset of other text under this label, or the label unless it is disproved.
    pub(crate) fn charset_or_label(&self, label: Charset) -> Charset {
        self.charset_for(label).unwrap_or(label)
    }

    /// Returns the charsets of other text in another alphabet, for text under a label of Latin-1. Returns None under a disproved label, under
    /// other labels, and if they are unknown.
    #[inline]
    pub(crate) fn others(&self, label: Charset) -> Option<AlphabetCharsets> {
        let is_known = !self.others.is_empty() && is_latin_1(label);
        (is_known && self.charset_for(label).is_none()).then_some(self.others)
    }

    /// Sets the charset of other text in another script than Latin, unless charsets are known.
    pub(crate) fn or_script_of(self, charset: Option<Charset>) -> Self {
        let charset = charset.filter(|charset| is_of_other_script(*charset));
        self.or_others(charset.map(AlphabetCharsets::from).unwrap_or_default())
    }

    /// Sets the charsets of other text in another alphabet, unless charsets are known.
    pub(crate) fn or_others(mut self, others: AlphabetCharsets) -> Self {
        if self.others.is_empty() {
            self.others = others;
        }
        self
    }

    /// Adds labels that are not in the list.
    pub(crate) fn with(mut self, others: Self) -> Self {
        for pair in others.pairs.into_iter().flatten() {
            if self.charset_for(pair.0).is_none()
                && let Some(free) = self.pairs.iter_mut().find(|pair| pair.is_none())
            {
                *free = Some(pair);
            }
        }
        self
    }
}

/// What a text says about its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelTest {
    /// The label is right.
    Fits,
    /// The text is in this charset.
    Disproves(Charset),
    /// Like [`Self::Disproves`], by a few letters. They do not speak for text of other people.
    Suggests(Charset),
}

impl LabelTest {
    /// Returns what two texts under one label say together. Returns None if they contradict each other.
    fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Fits, Self::Fits) => Some(self),
            (Self::Suggests(one), Self::Suggests(other)) => common(one, other).map(Self::Suggests),
            (
                Self::Disproves(one) | Self::Suggests(one),
                Self::Disproves(other) | Self::Suggests(other),
            ) => common(one, other).map(Self::Disproves),
            _ => None,
        }
    }
}

/// What the texts of a message say about their labels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LabelEvidence {
    labels: [Option<TestedLabel>; MAX],
}

/// A label and what the texts under it say.
#[derive(Clone, Copy, Debug)]
struct TestedLabel {
    label: Charset,
    /// What all texts say together. None if they contradict each other.
    test: Option<LabelTest>,
    /// The part of the first text.
    part: PartId,
}

impl LabelEvidence {
    /// Notes what a text says about its label. The order of the texts decides which labels are noted, since their number is limited, and which part
    /// stands for a label.
    pub(crate) fn note(&mut self, label: Charset, test: LabelTest, part: PartId) {
        let mut known = self.labels.iter_mut().flatten();
        if let Some(known) = known.find(|known| known.label == label) {
            known.test = known.test.and_then(|known| known.with(test));
        } else if let Some(free) = self.labels.iter_mut().find(|known| known.is_none()) {
            let test = Some(test);
            *free = Some(TestedLabel { label, test, part });
        }
    }

    /// Returns true if a text under this label says whether it is right, or if texts contradict each other.
    pub(crate) fn decides(&self, label: Charset) -> bool {
        let is_suggestion = |test| matches!(test, Some(LabelTest::Suggests(_)));
        let mut known = self.labels.iter().flatten();
        known.any(|known| known.label == label && !is_suggestion(known.test))
    }

    /// Returns true if a text fits a label of Latin-1.
    pub(crate) fn fit_latin_1(&self) -> bool {
        let mut known = self.labels.iter().flatten();
        let is_disproved =
            |test| matches!(test, Some(LabelTest::Disproves(_) | LabelTest::Suggests(_)));
        known.any(|known| is_latin_1(known.label) && !is_disproved(known.test))
    }

    /// Returns the labels that texts of the parts in `counts` disprove, and the charset of other text in another script than Latin.
    pub(crate) fn disproved(&self, counts: impl Fn(PartId) -> bool + Copy) -> DisprovedLabels {
        let known = || self.labels.iter().flatten();
        let mut others = known().filter(|known| {
            known.test == Some(LabelTest::Fits)
                && is_of_other_script(known.label)
                && counts(known.part)
        });
        let other = others.next().filter(|_| !self.fit_latin_1());
        let found = DisprovedLabels {
            others: AlphabetCharsets::default(),
            pairs: self.labels.map(|known| {
                let known = known.filter(|known| counts(known.part))?;
                match known.test? {
                    LabelTest::Fits | LabelTest::Suggests(_) => None,
                    LabelTest::Disproves(used) => Some((known.label, used)),
                }
            }),
        };
        found
            .or_script_of(other.map(|known| known.label))
            .or_others(self.suggested(counts))
    }

    /// Returns the charset that a few letters in a text of the parts in `counts` suggest, unless a text fits a label of Latin-1.
    pub(crate) fn suggested(&self, counts: impl Fn(PartId) -> bool) -> AlphabetCharsets {
        if self.fit_latin_1() {
            return AlphabetCharsets::default();
        }
        let mut known = self
            .labels
            .iter()
            .flatten()
            .filter(|known| counts(known.part));
        let suggested = known.find_map(|known| match known.test? {
            LabelTest::Suggests(charset) => Some(charset),
            LabelTest::Fits | LabelTest::Disproves(_) => None,
        });
        suggested.map(AlphabetCharsets::from).unwrap_or_default()
    }
}

/// Returns the charset of two texts if both are in it or in its Windows code page.
fn common(one: Charset, other: Charset) -> Option<Charset> {
    let page = |charset: Charset| charset.windows_page().unwrap_or(charset.superset());
    let first = if one.index() <= other.index() {
        one
    } else {
        other
    };
    (page(one) == page(other)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATIN_1: Charset = Charset::ISO_8859_1;
    const KOI8: Charset = Charset::KOI8_R;

    fn found(notes: &[(Charset, Option<Charset>)]) -> Option<Charset> {
        let mut evidence = LabelEvidence::default();
        for (label, used) in notes {
            let test = used.map_or(LabelTest::Fits, LabelTest::Disproves);
            evidence.note(*label, test, PartId::ROOT);
        }
        evidence.disproved(|_| true).charset_for(LATIN_1)
    }

    #[test]
    fn texts_that_contradict_each_other_disprove_nothing() {
        let (polish, page) = (Charset::ISO_8859_2, Charset::WINDOWS_1250);
        for (notes, want) in [
            (&[(LATIN_1, Some(KOI8))][..], Some(KOI8)),
            (&[(LATIN_1, Some(KOI8)), (KOI8, None)], Some(KOI8)),
            (&[(LATIN_1, Some(KOI8)), (LATIN_1, None)], None),
            (&[(LATIN_1, Some(KOI8)), (LATIN_1, Some(polish))], None),
            (
                &[(LATIN_1, Some(page)), (LATIN_1, Some(polish))],
                Some(polish),
            ),
            (&[(polish, Some(page))], None),
        ] {
            assert_eq!(found(notes), want, "{notes:?}");
            let reversed: Vec<_> = notes.iter().rev().copied().collect();
            assert_eq!(found(&reversed), want, "{reversed:?}");
        }
    }

    #[test]
    fn known_labels_stay() {
        let (mut one, mut other) = (LabelEvidence::default(), LabelEvidence::default());
        one.note(LATIN_1, LabelTest::Disproves(KOI8), PartId::ROOT);
        let cyrillic = Charset::ISO_8859_5;
        other.note(LATIN_1, LabelTest::Disproves(cyrillic), PartId::ROOT);
        other.note(Charset::WINDOWS_1252, LabelTest::Disproves(KOI8), PartId(1));
        let both = one.disproved(|_| true).with(other.disproved(|_| true));
        assert_eq!(both.charset_for(LATIN_1), Some(KOI8));
        assert_eq!(both.charset_for(Charset::WINDOWS_1252), Some(KOI8));
        assert_eq!(both.charset_or_label(Charset::UTF_8), Charset::UTF_8);
        let stays = other.disproved(|part| part == PartId::ROOT);
        assert_eq!(stays.charset_for(Charset::WINDOWS_1252), None);
        assert!(other.decides(LATIN_1) && !one.decides(KOI8));
        let mut few = LabelEvidence::default();
        few.note(LATIN_1, LabelTest::Suggests(cyrillic), PartId::ROOT);
        assert!(!few.decides(LATIN_1) && !few.fit_latin_1());
        assert_eq!(few.disproved(|_| true).charset_for(LATIN_1), None);
        assert_eq!(few.suggested(|_| true), cyrillic.into());
        few.note(Charset::WINDOWS_1252, LabelTest::Fits, PartId(1));
        assert!(few.suggested(|_| true).is_empty());
    }
}
