//! Records the bytes or characters that a decoder or encoder could not convert.
//!
//! Every defect is a [`Loss`]: a byte range of the input and a [`LossKind`]. A [`LossLog`] counts all of them, and keeps the
//! ranges of the first losses and of the first notes. So a damaged megabyte needs no megabyte of records.
//!
//! # Limits
//! A log has offsets of the input only, not those of the replacements in the output.

use std::fmt;
use std::ops::Range;

/// Number of ranges of losses, and of notes, that [`LossLog::new`] keeps.
const DEFAULT_LIMIT: usize = 64;

/// Defines [`LossKind`] from one line for each kind: variant, grade and stable name.
macro_rules! loss_kinds {
    ($($(#[$doc:meta])* $kind:ident = $grade:ident $name:literal,)*) => {
        /// The kind of defect in a range of the input. [`LossKind::name`] is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum LossKind {
            $($(#[$doc])* $kind,)*
        }

        impl LossKind {
            /// Every kind, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Returns the stable name, in lower case with hyphens.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            fn grade(self) -> Grade {
                match self {
                    $(Self::$kind => Grade::$grade,)*
                }
            }
        }
    };
}

/// What a kind means for the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grade {
    /// Text was lost.
    Loss,
    /// A repair or a look-alike.
    Note,
    /// No defect.
    Info,
}

loss_kinds! {
    /// The charset has no character for some bytes, or they are malformed.
    Invalid = Loss "invalid",
    /// The target charset lacks a character of the text (encoders only).
    Unmappable = Loss "unmappable",
    /// An encoder wrote a look-alike that the target charset has (encoders only).
    Substituted = Note "substituted",

    /// UTF-8: a character has a longer form than needed, such as `C0 80` (RFC 3629, section 3).
    Overlong = Loss "overlong",
    /// UTF-8, UTF-32: a surrogate code point stands as a character (RFC 3629, section 3).
    Surrogate = Loss "surrogate",
    /// UTF-8: two surrogates of three bytes each stand for one character (CESU-8, Unicode Technical Report 26).
    CesuPair = Loss "cesu-pair",
    /// UTF-8: a character has the five-byte form of RFC 2279.
    Obsolete5 = Loss "obsolete-5",
    /// UTF-8: a character has the six-byte form of RFC 2279.
    Obsolete6 = Loss "obsolete-6",
    /// UTF-8, UTF-32: a number exceeds U+10FFFF.
    TooLarge = Loss "too-large",
    /// UTF-8, UTF-16, UTF-32: a character lacks its last bytes.
    Truncated = Loss "truncated",
    /// UTF-8: a continuation byte has no lead byte before it.
    StrayContinuation = Loss "stray-continuation",
    /// UTF-8: a byte occurs that UTF-8 never uses (C0, C1, F5 to FF).
    InvalidByte = Loss "invalid-byte",
    /// UTF-8: two surrogates of three bytes each were decoded as one character, as [`Repair::Cesu8`](crate::Repair::Cesu8) asks.
    CesuPairRepaired = Note "cesu-pair-repaired",
    /// UTF-8: an overlong form was decoded, as [`Repair::Rfc2279`](crate::Repair::Rfc2279) asks.
    Rfc2279Repaired = Note "rfc-2279-repaired",

    /// The decoder removed a byte order mark.
    ByteOrderMark = Note "bom",
    /// UTF-16, UTF-32: a byte order mark contradicts the label, and was followed.
    OppositeByteOrderMark = Note "opposite-bom",
    /// UTF-16: the bytes are UTF-8, and were decoded as UTF-8.
    LabelLied = Note "label-lied",
    /// UTF-16, UTF-7: one half of a surrogate pair stands alone.
    LoneSurrogate = Loss "lone-surrogate",

    /// UTF-7: `+` begins no run, and was decoded as itself.
    PlusNotShift = Note "plus-not-shift",
    /// UTF-7: a character stands outside base64 that must not (RFC 2152, rule 1).
    DirectNotAllowed = Note "direct-not-allowed",
    /// A byte above 7F occurs in a seven-bit charset.
    EightBit = Loss "8bit",
    /// UTF-7: a run has one or two base64 characters, and was decoded as plain text.
    RunTooShort = Note "run-too-short",
    /// UTF-7: the bits that fill the last base64 character are not zero (RFC 2152, rule 2).
    NonzeroPadBits = Note "nonzero-pad-bits",
    /// UTF-7: a run ends with base64 characters that contain only zero bits.
    SurplusZeroBits = Note "surplus-zero-bits",
    /// UTF-7: a run ends within a UTF-16 unit.
    TruncatedUnit = Loss "truncated-unit",
    /// UTF-7: two runs share one surrogate pair, and were joined.
    PairSplitOverRuns = Note "pair-split-over-runs",
    /// UTF-7: bytes above 7F were decoded as UTF-8, as [`Repair::Utf7EightBit`](crate::Repair::Utf7EightBit) asks.
    Utf8InUtf7 = Note "utf8-in-utf7",
    /// UTF-7: `=` pads a run, and was dropped, as [`Repair::Utf7Padding`](crate::Repair::Utf7Padding) asks.
    PaddedRun = Note "padded-run",
    /// Modified UTF-7: another form is required (RFC 3501, section 5.1.3): a run has no `-`, follows a run, or contains printable ASCII.
    NotCanonical = Note "not-canonical",

    /// The text ends in a shifted state. For information.
    UnterminatedRun = Info "unterminated-run",
    /// ISO-2022, HZ: a line ends in a shifted state, and the next one begins in ASCII.
    ResetAtLineEnd = Note "reset-at-line-end",
    /// ISO-2022: an escape sequence is unknown. U+FFFD replaced the ESC, and the rest was decoded as text.
    UnknownEscape = Loss "unknown-escape",
    /// ISO-2022, HZ: an escape sequence of another standard has a clear meaning, and was followed, or kept if it is for a terminal.
    ForeignEscape = Note "foreign-escape",
    /// ISO-2022, HZ: a space or control stands between two-byte characters. For information.
    SpaceInRun = Info "space-in-run",
    /// ISO-2022-JP: half-width katakana stand as 8-bit bytes.
    HalfwidthKatakana = Note "halfwidth-katakana",
    /// ISO-2022-JP: SO or `ESC ( I` begins half-width katakana. For information.
    KatakanaShift = Info "katakana-shift",
    /// ISO-2022-KR, ISO-2022-CN: no designator stands before a shift (RFC 1557; RFC 1922: on the same line).
    NoDesignator = Note "no-designator",
    /// HZ: a tilde begins no escape (RFC 1843), and was decoded as itself.
    TildeNotEscape = Note "tilde-not-escape",
    /// T.61 and related charsets, RFC 1345: the charset does not define a sequence, but its meaning is clear.
    Irregular = Note "irregular",
}

impl LossKind {
    /// Returns the kind with this [`Self::name`].
    pub fn for_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Returns true if text was lost (U+FFFD written, characters dropped); false for a repair or a note.
    pub fn is_loss(self) -> bool {
        self.grade() == Grade::Loss
    }

    /// Returns true for kinds that are no defect, only information.
    pub fn is_info(self) -> bool {
        self.grade() == Grade::Info
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One defect, or several adjacent ones of one kind. `bytes` are offsets in the whole input of the decoder or encoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Half-open byte range in the input; empty for something that is missing.
    pub bytes: Range<u64>,
    /// The kind of defect.
    pub kind: LossKind,
    /// Number of U+FFFD that a decoder wrote for it.
    pub replaced: u64,
}

/// Writes kind and range: `invalid at 4..5`.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at {}..{}",
            self.kind, self.bytes.start, self.bytes.end
        )
    }
}

/// A log of defects: counts all of them, and keeps the ranges of the first losses and of the first notes.
///
/// Losses and notes ([`LossKind::is_loss`]) have a limit each, so that many notes hide no loss. Adjacent ranges of one kind are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossLog {
    kept: Vec<Loss>,
    /// Number of losses in `kept`; the others are notes.
    kept_losses: usize,
    limit: usize,
    losses: u64,
    notes: u64,
    replaced: u64,
    counts: Vec<(LossKind, u64)>,
    ascii_from_shift: u64,
    controls_from_shift: u64,
}

impl Default for LossLog {
    fn default() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }
}

impl LossLog {
    /// Returns an empty log that keeps the first 64 ranges of losses and the first 64 of notes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty log that keeps the first `limit` ranges of losses and the first `limit` of notes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            kept: Vec::new(),
            kept_losses: 0,
            limit,
            losses: 0,
            notes: 0,
            replaced: 0,
            counts: Vec::new(),
            ascii_from_shift: 0,
            controls_from_shift: 0,
        }
    }

    /// Returns the number of defects that lost text.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    /// Returns the number of defects that lost nothing (repairs, notes).
    pub fn notes(&self) -> u64 {
        self.notes
    }

    /// Returns the number of U+FFFD that a decoder wrote for defects, without those of the text itself.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Returns the number of defects of one kind.
    pub fn count(&self, kind: LossKind) -> u64 {
        self.counts
            .iter()
            .find(|(k, _)| *k == kind)
            .map_or(0, |(_, n)| *n)
    }

    /// Returns the number of printable ASCII characters that were in a shifted state (base64 of UTF-7, two-byte modes).
    ///
    /// A filter of the raw bytes does not see them. They are neither losses nor notes.
    pub fn ascii_from_shift(&self) -> u64 {
        self.ascii_from_shift
    }

    /// Returns the number of control characters (U+0000 to U+001F, U+007F) that were in a shifted state.
    pub fn controls_from_shift(&self) -> u64 {
        self.controls_from_shift
    }

    /// Returns true if nothing was logged.
    pub fn is_empty(&self) -> bool {
        self.losses + self.notes == 0
    }

    /// Returns the kept ranges, sorted by start.
    pub fn kept(&self) -> &[Loss] {
        &self.kept
    }

    /// Adds one defect. Its kind decides whether it is a loss, which is replaced by one U+FFFD.
    pub fn record(&mut self, bytes: Range<u64>, kind: LossKind) {
        let is_loss = kind.is_loss();
        self.add(bytes, kind, is_loss, u64::from(is_loss));
    }

    /// Adds a defect that was replaced by `replaced` U+FFFD. In strict decoding every kind may be a loss.
    pub(crate) fn add(&mut self, bytes: Range<u64>, kind: LossKind, is_loss: bool, replaced: u64) {
        if is_loss {
            self.losses += 1;
        } else {
            self.notes += 1;
        }
        self.replaced += replaced;
        self.keep(bytes, kind, replaced);
    }

    /// Adds the entries of `other`, the log of a piece of the same input that starts at `offset`. Ranges that touch are not joined.
    ///
    /// ```
    /// use mailglot_codec::{Charset, LossLog};
    ///
    /// let (mut log, mut piece) = (LossLog::new(), LossLog::new());
    /// let _ = Charset::UTF_8.decode(b"a\xFF", &mut piece);
    /// log.append(&piece, 10);
    /// assert_eq!((log.kept()[0].bytes.clone(), log.losses()), (11..12, 1));
    /// ```
    pub fn append(&mut self, other: &Self, offset: u64) {
        self.losses += other.losses;
        self.notes += other.notes;
        self.replaced += other.replaced;
        self.ascii_from_shift += other.ascii_from_shift;
        self.controls_from_shift += other.controls_from_shift;
        for (kind, count) in &other.counts {
            match self.counts.iter_mut().find(|(known, _)| known == kind) {
                Some((_, all)) => *all += count,
                None => self.counts.push((*kind, *count)),
            }
        }
        for loss in &other.kept {
            let is_loss = loss.kind.is_loss();
            if self.has_room(is_loss) {
                self.kept_losses += usize::from(is_loss);
                self.kept.push(Loss {
                    bytes: loss.bytes.start + offset..loss.bytes.end + offset,
                    ..loss.clone()
                });
            }
        }
    }

    /// Returns the log of the same defects in another input. `place` gives the offset there of the byte at an offset.
    // For the charset choice of mailglot-mime only.
    #[doc(hidden)]
    #[must_use]
    pub fn moved(mut self, place: impl Fn(u64) -> u64) -> Self {
        for Loss { bytes, .. } in &mut self.kept {
            let last = bytes.end.max(bytes.start + 1) - 1;
            *bytes = place(bytes.start)..place(last) + (bytes.end - last);
        }
        self
    }

    /// Counts a character that came out of a shifted state, if it is ASCII.
    pub(crate) fn count_shifted(&mut self, character: u32) {
        match character {
            0x20..0x7F => self.ascii_from_shift += 1,
            0..=0x7F => self.controls_from_shift += 1,
            _ => {}
        }
    }

    /// Counts many of them: printable ones, and controls.
    pub(crate) fn add_shifted(&mut self, ascii: u64, controls: u64) {
        self.ascii_from_shift += ascii;
        self.controls_from_shift += controls;
    }

    fn keep(&mut self, bytes: Range<u64>, kind: LossKind, replaced: u64) {
        match self.counts.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, n)) => *n += 1,
            None => self.counts.push((kind, 1)),
        }
        // A record may start before the last one (a pair that is joined late); it moves back past few.
        let mut at = self.kept.len();
        while at > 0 && self.kept[at - 1].bytes.start > bytes.start {
            at -= 1;
        }
        if let Some(before) = at.checked_sub(1).map(|i| &mut self.kept[i])
            && before.kind == kind
            && before.bytes.end == bytes.start
            && !bytes.is_empty()
        {
            before.bytes.end = bytes.end;
            before.replaced += replaced;
        } else if self.make_room(at, kind.is_loss()) {
            self.kept_losses += usize::from(kind.is_loss());
            let loss = Loss {
                bytes,
                kind,
                replaced,
            };
            self.kept.insert(at, loss);
        }
    }

    /// Returns true if another loss, or another note, can be kept.
    fn has_room(&self, is_loss: bool) -> bool {
        let losses = self.kept_losses;
        let kept = if is_loss {
            losses
        } else {
            self.kept.len() - losses
        };
        kept < self.limit
    }

    /// Removes the last loss, or note, if there is no room for one at `at` before it. Returns false if it comes too late.
    fn make_room(&mut self, at: usize, is_loss: bool) -> bool {
        if self.has_room(is_loss) {
            return true;
        }
        let mut later = self.kept[at..].iter();
        let Some(last) = later.rposition(|loss| loss.kind.is_loss() == is_loss) else {
            return false;
        };
        self.kept.remove(at + last);
        self.kept_losses -= usize::from(is_loss);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for kind in LossKind::ALL {
            assert_eq!(LossKind::for_name(kind.name()), Some(*kind));
        }
    }
    use crate::charset::Charset;

    fn ranges(log: &LossLog) -> Vec<(u64, u64, &'static str)> {
        log.kept()
            .iter()
            .map(|l| (l.bytes.start, l.bytes.end, l.kind.name()))
            .collect()
    }

    #[test]
    fn touching_ranges_of_one_kind_become_one_and_all_are_counted() {
        let mut log = LossLog::new();
        log.record(0..1, LossKind::Invalid);
        log.record(1..2, LossKind::Invalid);
        log.record(2..3, LossKind::Overlong);
        log.record(4..5, LossKind::Overlong);
        log.record(5..5, LossKind::UnterminatedRun);
        assert_eq!(
            ranges(&log),
            [
                (0, 2, "invalid"),
                (2, 3, "overlong"),
                (4, 5, "overlong"),
                (5, 5, "unterminated-run")
            ]
        );
        assert_eq!(
            (log.losses(), log.notes(), log.count(LossKind::Invalid)),
            (4, 1, 2)
        );
        assert_eq!(
            log.kept()
                .iter()
                .map(|loss| loss.replaced)
                .collect::<Vec<_>>(),
            [2, 1, 1, 0]
        );
        assert_eq!(log.replaced(), 4);
    }

    #[test]
    fn the_limit_bounds_the_records_and_not_the_count() {
        let mut log = LossLog::with_limit(2);
        for i in 0..10 {
            log.record(i * 2..i * 2 + 1, LossKind::Invalid);
        }
        assert_eq!(ranges(&log), [(0, 1, "invalid"), (2, 3, "invalid")]);
        assert_eq!(log.losses(), 10);
        let mut none = LossLog::with_limit(0);
        none.record(0..1, LossKind::Invalid);
        assert!(none.kept().is_empty() && !none.is_empty());
    }

    /// Pieces of an input and the whole of it lose the same, whatever a log keeps.
    #[test]
    fn logs_of_pieces_add_up_to_that_of_the_whole() {
        let input = b"a\xFFb\xE2\x82c\xFF\xFE ".repeat(40);
        for limit in [0, 1, 7, 64, 1000] {
            let (mut whole, mut all) = (LossLog::with_limit(limit), LossLog::with_limit(limit));
            let _ = Charset::UTF_8.decode(&input, &mut whole);
            for (at, piece) in input.chunks(9).enumerate() {
                let mut log = LossLog::with_limit(3);
                let _ = Charset::UTF_8.decode(piece, &mut log);
                all.append(&log, 9 * at as u64);
            }
            assert_eq!(ranges(&all), ranges(&whole));
            assert_eq!(
                (all.losses(), all.replaced()),
                (whole.losses(), whole.replaced())
            );
            assert_eq!(
                all.count(LossKind::Truncated),
                whole.count(LossKind::Truncated)
            );
        }
    }

    #[test]
    fn a_late_record_is_sorted_in() {
        let mut log = LossLog::with_limit(2);
        log.record(3..4, LossKind::NonzeroPadBits);
        log.record(1..9, LossKind::PairSplitOverRuns);
        log.record(9..10, LossKind::EightBit);
        log.record(11..12, LossKind::EightBit);
        log.record(0..1, LossKind::EightBit);
        log.record(8..8, LossKind::ForeignEscape);
        assert_eq!(
            ranges(&log),
            [
                (0, 1, "8bit"),
                (1, 9, "pair-split-over-runs"),
                (3, 4, "nonzero-pad-bits"),
                (9, 10, "8bit"),
            ]
        );
    }

    #[test]
    fn notes_leave_room_for_losses_and_losses_for_notes() {
        let (note, loss) = (LossKind::TildeNotEscape, LossKind::Invalid);
        for (many, one) in [(note, loss), (loss, note)] {
            let mut log = LossLog::with_limit(3);
            let mut all = LossLog::with_limit(3);
            for i in 0..9 {
                log.record(i * 2..i * 2 + 1, many);
            }
            log.record(20..21, one);
            assert_eq!(log.kept().len(), 4);
            assert_eq!(
                (log.kept()[3].bytes.clone(), log.kept()[3].kind),
                (20..21, one)
            );
            all.append(&log, 0);
            all.append(&log, 30);
            let kinds = |kind| all.kept().iter().filter(|loss| loss.kind == kind).count();
            assert_eq!((kinds(many), kinds(one)), (3, 2));
        }
    }
}
