//! What was found and done, each with a place.

use crate::guess::certainty;
use crate::{GUESSES, Guess, GuessKind, Limits, PartId, Reading, Span};
use std::borrow::Cow;

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing was repaired or lost.
    Info,
    /// Damaged or wrong input that was read all the same.
    Repair,
    /// Text that could not be read or written.
    Loss,
}

impl Severity {
    /// `info`, `repair` or `loss`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Repair => "repair",
            Self::Loss => "loss",
        }
    }
}

/// Kind of an event. The codes are stable and described in EVENTS.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventKind {
    /// The label is an alias or a repaired spelling of the charset that was used.
    CharsetAlias,
    /// A byte outside the labelled charset was read by its superset.
    CharsetSuperset,
    /// The charset was guessed from the bytes.
    CharsetDetected,
    /// Non-ASCII text without a label.
    CharsetUnlabelled,
    /// Valid UTF-8 under another label was read as UTF-8.
    CharsetUtf8InLegacy,
    /// Bytes labelled UTF-8 were read in a legacy charset.
    CharsetLegacyInUtf8,
    /// The label had to be cleaned before it named a charset.
    CharsetGarbageLabel,
    /// The label names no known charset, or says nothing.
    CharsetUnknownLabel,
    /// Several charset parameters; one of them counts.
    CharsetAmbiguous,
    /// The caller said what the label means.
    CharsetMapped,
    /// Text in two encodings: runs of UTF-8 in single-byte text, or lines of a single-byte charset in UTF-8.
    CharsetMixed,
    /// The text decodes under its label, but another charset is likelier.
    CharsetSuspected,
    /// Hebrew in visual order: the last letter of each line comes first, and stays there.
    CharsetVisualOrder,
    /// Bytes that the charset cannot read; U+FFFD stands for them.
    CharsetInvalidBytes,
    /// Characters that the target charset cannot carry.
    CharsetUnmapped,
    /// Text that the charset asked for cannot carry; it is in UTF-8.
    CharsetBeyondOut,
    /// Characters were written as others, which the charset asked for has.
    CharsetLookAlike,
    /// A character was cut between two encoded words.
    EwSplitChar,
    /// Raw 8-bit bytes in a header field.
    EwRaw8bit,
    /// A damaged encoded word (padding, escapes, foreign bytes, length).
    EwBadToken,
    /// An encoded word without white space around it.
    EwGlued,
    /// An encoded word inside a quoted string.
    EwInQuotes,
    /// An encoded word inside an address; left as it is.
    EwInAddress,
    /// A control character came out of a header value; a space stands for it.
    EwControlChar,
    /// Characters that turn the direction of writing, or that nobody sees.
    EwHiddenChar,
    /// An encoded word names the language of its text, which a rewritten one does not.
    EwLanguage,
    /// UTF-8 that was once read as windows-1252; undone on request.
    EwMojibake,
    /// Entities of HTML in a header; undone on request.
    EwEntity,
    /// ISO-2022-JP without its escape characters; undone on request.
    EwLostEscape,
    /// Encoded words inside encoded words; undone on request.
    EwNested,
    /// An encoded word inside a parameter.
    ParamRfc2047,
    /// A missing segment of a continued parameter.
    ParamGap,
    /// A percent sign without two hexadecimal digits.
    ParamBadPercent,
    /// A parameter or a segment that occurs twice.
    ParamDuplicate,
    /// A value with white space or specials, without quotes.
    ParamUnquoted,
    /// A parameter without a semicolon before it.
    ParamNoSemicolon,
    /// A quoted value without its closing quote.
    ParamUnclosedQuote,
    /// Text between a value and the next semicolon, skipped.
    ParamJunk,
    /// A backslash in the path of a Windows file, which is itself there.
    ParamBackslash,
    /// An extended value without charset or language.
    ParamNoCharset,
    /// An asterisk in a name that marks no segment.
    ParamBadMark,
    /// An extended value in quotes.
    ParamQuotedExtended,
    /// A parameter without a value.
    ParamNoValue,
    /// Nothing between two semicolons.
    ParamEmpty,
    /// White space beside the equals sign of a parameter.
    ParamBlank,
    /// The name of a file holds a path separator.
    ParamPath,
    /// An equals sign that is no escape in quoted-printable.
    CteQpBadEscape,
    /// Blanks at the ends of lines in quoted-printable, which are no text.
    CteQpTrailingBlanks,
    /// Foreign bytes in, or plain text after, base64.
    CteB64Trailing,
    /// Base64 that ends in the middle of a quantum.
    CteB64Truncated,
    /// Base64 that goes on behind its padding.
    CteB64Several,
    /// The body is not in the transfer encoding that it names.
    CteWrongLabel,
    /// 8-bit bytes under a 7bit label.
    Cte8bitIn7bit,
    /// A uuencoded block, left alone.
    CteUuencode,
    /// A yEnc block, left alone.
    CteYenc,
    /// A NUL byte in a text body.
    CteNul,
    /// An encoded text without a line end at its end has one as plain lines.
    CteLineEndAdded,
    /// A multipart without a boundary, or whose boundary never occurs; opaque.
    MimeMissingBoundary,
    /// A multipart without its closing delimiter.
    MimeUnclosed,
    /// A line that begins as a delimiter does, but is none.
    MimeAmbiguousBoundary,
    /// Nesting or number of parts beyond the limit; the rest is not read.
    MimeDepth,
    /// More parts than mail has (over 1,000); all are read.
    MimeManyParts,
    /// A header that is not ended by an empty line.
    MimeNoBlankLine,
    /// Content-Type and Content-Disposition give different names.
    MimeAmbiguousName,
    /// A fragment of a message (message/partial), left alone.
    MimePartial,
    /// A TNEF container (winmail.dat), left alone.
    MimeTnef,
    /// A text attachment in a legacy charset was left alone.
    MimeAttachmentUntouched,
    /// A signed or encrypted part was left alone.
    MimeSignedUntouched,
    /// A part of a text type that holds a file of another kind; left alone.
    MimeNotText,
    /// A message or part that would read otherwise after its rewriting; left alone.
    MimeUnsettled,
    /// A message with a signature over the whole message was rewritten.
    SignatureVoided,
    /// A NUL byte in a header.
    HdrNul,
    /// A line in a header that is no field.
    HdrNoColon,
    /// A line of nothing but blanks in a header.
    HdrBlankLine,
    /// A field that may occur once occurs again; the first counts.
    HdrDuplicate,
    /// From has more addresses than a reader of one mailbox takes.
    HdrAmbiguousFrom,
    /// A CR without LF in a header.
    HdrBareCr,
    /// A header line of more than 998 bytes.
    HdrTooLong,
    /// Content-MD5 is that of text that was changed.
    HdrStaleDigest,
    /// More fields in a header than mail has (over 1,000).
    HdrManyFields,
    /// A field, fields of a header or parameters of a field beyond the limit; not read.
    HdrBeyondLimit,
    /// A message beyond the limit; not read.
    MsgTooLarge,
    /// A date that cannot be read.
    DateUnparsable,
}

impl EventKind {
    /// Every kind, in the order of EVENTS.md.
    pub const ALL: [Self; 83] = [
        Self::CharsetAlias,
        Self::CharsetSuperset,
        Self::CharsetDetected,
        Self::CharsetUnlabelled,
        Self::CharsetUtf8InLegacy,
        Self::CharsetLegacyInUtf8,
        Self::CharsetGarbageLabel,
        Self::CharsetUnknownLabel,
        Self::CharsetAmbiguous,
        Self::CharsetMapped,
        Self::CharsetMixed,
        Self::CharsetSuspected,
        Self::CharsetVisualOrder,
        Self::CharsetInvalidBytes,
        Self::CharsetUnmapped,
        Self::CharsetBeyondOut,
        Self::CharsetLookAlike,
        Self::EwSplitChar,
        Self::EwRaw8bit,
        Self::EwBadToken,
        Self::EwGlued,
        Self::EwInQuotes,
        Self::EwInAddress,
        Self::EwControlChar,
        Self::EwHiddenChar,
        Self::EwLanguage,
        Self::EwMojibake,
        Self::EwEntity,
        Self::EwLostEscape,
        Self::EwNested,
        Self::ParamRfc2047,
        Self::ParamGap,
        Self::ParamBadPercent,
        Self::ParamDuplicate,
        Self::ParamUnquoted,
        Self::ParamNoSemicolon,
        Self::ParamUnclosedQuote,
        Self::ParamJunk,
        Self::ParamBackslash,
        Self::ParamNoCharset,
        Self::ParamBadMark,
        Self::ParamQuotedExtended,
        Self::ParamNoValue,
        Self::ParamEmpty,
        Self::ParamBlank,
        Self::ParamPath,
        Self::CteQpBadEscape,
        Self::CteQpTrailingBlanks,
        Self::CteB64Trailing,
        Self::CteB64Truncated,
        Self::CteB64Several,
        Self::CteWrongLabel,
        Self::Cte8bitIn7bit,
        Self::CteUuencode,
        Self::CteYenc,
        Self::CteNul,
        Self::CteLineEndAdded,
        Self::MimeMissingBoundary,
        Self::MimeUnclosed,
        Self::MimeAmbiguousBoundary,
        Self::MimeDepth,
        Self::MimeManyParts,
        Self::MimeNoBlankLine,
        Self::MimeAmbiguousName,
        Self::MimePartial,
        Self::MimeTnef,
        Self::MimeAttachmentUntouched,
        Self::MimeSignedUntouched,
        Self::MimeNotText,
        Self::MimeUnsettled,
        Self::SignatureVoided,
        Self::HdrNul,
        Self::HdrNoColon,
        Self::HdrBlankLine,
        Self::HdrDuplicate,
        Self::HdrAmbiguousFrom,
        Self::HdrBareCr,
        Self::HdrTooLong,
        Self::HdrStaleDigest,
        Self::HdrManyFields,
        Self::HdrBeyondLimit,
        Self::MsgTooLarge,
        Self::DateUnparsable,
    ];

    /// The stable code, such as `charset.invalid-bytes`.
    pub fn code(self) -> &'static str {
        match self {
            Self::CharsetAlias => "charset.alias",
            Self::CharsetSuperset => "charset.superset",
            Self::CharsetDetected => "charset.detected",
            Self::CharsetUnlabelled => "charset.unlabelled",
            Self::CharsetUtf8InLegacy => "charset.utf8-in-legacy",
            Self::CharsetLegacyInUtf8 => "charset.legacy-in-utf8",
            Self::CharsetGarbageLabel => "charset.garbage-label",
            Self::CharsetUnknownLabel => "charset.unknown-label",
            Self::CharsetAmbiguous => "charset.ambiguous",
            Self::CharsetMapped => "charset.mapped",
            Self::CharsetMixed => "charset.mixed",
            Self::CharsetSuspected => "charset.suspected",
            Self::CharsetVisualOrder => "charset.visual-order",
            Self::CharsetInvalidBytes => "charset.invalid-bytes",
            Self::CharsetUnmapped => "charset.unmapped",
            Self::CharsetBeyondOut => "charset.beyond-out",
            Self::CharsetLookAlike => "charset.look-alike",
            Self::EwSplitChar => "ew.split-char",
            Self::EwRaw8bit => "ew.raw8bit",
            Self::EwBadToken => "ew.bad-token",
            Self::EwGlued => "ew.glued",
            Self::EwInQuotes => "ew.in-quotes",
            Self::EwInAddress => "ew.in-address",
            Self::EwControlChar => "ew.control-char",
            Self::EwHiddenChar => "ew.hidden-char",
            Self::EwLanguage => "ew.language",
            Self::EwMojibake => "ew.mojibake",
            Self::EwEntity => "ew.entity",
            Self::EwLostEscape => "ew.lost-escape",
            Self::EwNested => "ew.nested",
            Self::ParamRfc2047 => "param.rfc2047",
            Self::ParamGap => "param.gap",
            Self::ParamBadPercent => "param.bad-percent",
            Self::ParamDuplicate => "param.duplicate",
            Self::ParamUnquoted => "param.unquoted",
            Self::ParamNoSemicolon => "param.no-semicolon",
            Self::ParamUnclosedQuote => "param.unclosed-quote",
            Self::ParamJunk => "param.junk",
            Self::ParamBackslash => "param.backslash",
            Self::ParamNoCharset => "param.no-charset",
            Self::ParamBadMark => "param.bad-mark",
            Self::ParamQuotedExtended => "param.quoted-extended",
            Self::ParamNoValue => "param.no-value",
            Self::ParamEmpty => "param.empty",
            Self::ParamBlank => "param.blank",
            Self::ParamPath => "param.path",
            Self::CteQpBadEscape => "cte.qp-bad-escape",
            Self::CteQpTrailingBlanks => "cte.qp-trailing-blanks",
            Self::CteB64Trailing => "cte.b64-trailing",
            Self::CteB64Truncated => "cte.b64-truncated",
            Self::CteB64Several => "cte.b64-several",
            Self::CteWrongLabel => "cte.wrong-label",
            Self::Cte8bitIn7bit => "cte.8bit-in-7bit",
            Self::CteUuencode => "cte.uuencode",
            Self::CteYenc => "cte.yenc",
            Self::CteNul => "cte.nul",
            Self::CteLineEndAdded => "cte.line-end-added",
            Self::MimeMissingBoundary => "mime.missing-boundary",
            Self::MimeUnclosed => "mime.unclosed",
            Self::MimeAmbiguousBoundary => "mime.ambiguous-boundary",
            Self::MimeDepth => "mime.depth",
            Self::MimeManyParts => "mime.many-parts",
            Self::MimeNoBlankLine => "mime.no-blank-line",
            Self::MimeAmbiguousName => "mime.ambiguous-name",
            Self::MimePartial => "mime.partial",
            Self::MimeTnef => "mime.tnef",
            Self::MimeAttachmentUntouched => "mime.attachment-untouched",
            Self::MimeSignedUntouched => "mime.signed-untouched",
            Self::MimeNotText => "mime.not-text",
            Self::MimeUnsettled => "mime.unsettled",
            Self::SignatureVoided => "signature.voided",
            Self::HdrNul => "hdr.nul",
            Self::HdrNoColon => "hdr.no-colon",
            Self::HdrBlankLine => "hdr.blank-line",
            Self::HdrDuplicate => "hdr.duplicate",
            Self::HdrAmbiguousFrom => "hdr.ambiguous-from",
            Self::HdrBareCr => "hdr.bare-cr",
            Self::HdrTooLong => "hdr.too-long",
            Self::HdrStaleDigest => "hdr.stale-digest",
            Self::HdrManyFields => "hdr.many-fields",
            Self::HdrBeyondLimit => "hdr.beyond-limit",
            Self::MsgTooLarge => "msg.too-large",
            Self::DateUnparsable => "date.unparsable",
        }
    }

    /// How much it matters.
    pub fn severity(self) -> Severity {
        match self {
            Self::CharsetInvalidBytes
            | Self::CharsetUnmapped
            | Self::MimeDepth
            | Self::HdrBeyondLimit
            | Self::MsgTooLarge => Severity::Loss,
            Self::CharsetSuperset
            | Self::CharsetDetected
            | Self::CharsetUtf8InLegacy
            | Self::CharsetLegacyInUtf8
            | Self::CharsetGarbageLabel
            | Self::CharsetUnknownLabel
            | Self::CharsetMapped
            | Self::CharsetMixed
            | Self::EwSplitChar
            | Self::EwRaw8bit
            | Self::EwBadToken
            | Self::EwControlChar
            | Self::EwMojibake
            | Self::EwEntity
            | Self::EwLostEscape
            | Self::EwNested
            | Self::ParamRfc2047
            | Self::ParamGap
            | Self::ParamBadPercent
            | Self::ParamDuplicate
            | Self::ParamUnquoted
            | Self::ParamNoSemicolon
            | Self::ParamUnclosedQuote
            | Self::ParamJunk
            | Self::ParamBackslash
            | Self::ParamNoCharset
            | Self::CteQpBadEscape
            | Self::CteQpTrailingBlanks
            | Self::CteB64Trailing
            | Self::CteB64Truncated
            | Self::CteB64Several
            | Self::CteWrongLabel => Severity::Repair,
            _ => Severity::Info,
        }
    }
}

/// One thing found in, or done to, a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The part in whose header or body it lies.
    pub part: PartId,
    /// Where, in the raw message.
    pub at: Span,
    /// What.
    pub kind: EventKind,
    /// More words for people and logs, such as `iso-8859-1 read as windows-1252`; may be empty.
    pub detail: Cow<'static, str>,
    /// How many bytes, characters or words it stands for (1 where it is a single thing).
    pub count: u64,
}

/// All that is to tell about one message.
#[derive(Clone, Debug)]
pub struct Report {
    /// The first events, in the order in which they were found.
    pub events: Vec<Event>,
    /// Repairs and changes that were planned and then dropped (`mime.unsettled`, or `--on-loss keep`). No number counts them.
    pub withdrawn: Vec<Event>,
    /// The same of events that were not kept.
    pub withdrawn_dropped: u64,
    /// Events that were counted but not kept.
    pub dropped: u64,
    /// How each text part was read.
    pub readings: Vec<Reading>,
    /// Guessed charsets and overruled labels: the [`GUESSES`] least certain ones, these first.
    pub guesses: Vec<Guess>,
    guessed: u64,
    overruled: u64,
    limit: usize,
    losses: u64,
    repairs: u64,
    /// Kinds that occurred, as bits of their discriminants.
    kinds: u128,
    /// Events that were not kept: none in nearly all mail.
    pub(crate) unkept: Vec<(EventKind, u64)>,
}

impl Report {
    /// An empty report that keeps `limit` events.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            events: Vec::new(),
            withdrawn: Vec::new(),
            withdrawn_dropped: 0,
            dropped: 0,
            readings: Vec::new(),
            guesses: Vec::new(),
            guessed: 0,
            overruled: 0,
            limit,
            losses: 0,
            repairs: 0,
            kinds: 0,
            unkept: Vec::new(),
        }
    }

    /// Counts a guess, and keeps it if it is among the least certain ones; `make` is called only then. Half of the places are for each kind as
    /// long as the other kind has enough for its half.
    pub(crate) fn guess(
        &mut self,
        kind: GuessKind,
        confidence: Option<f32>,
        make: impl FnOnce() -> Guess,
    ) {
        match kind {
            GuessKind::Detected => self.guessed += 1,
            GuessKind::Overruled => self.overruled += 1,
        }
        let is_below = |known: &Guess| certainty(known.confidence) <= certainty(confidence);
        let mut place = self.guesses.partition_point(is_below);
        let most = GUESSES.min(self.limit);
        if self.guesses.len() >= most {
            let of_kind = self
                .guesses
                .iter()
                .filter(|known| known.kind == kind)
                .count();
            let gives_up = |known: &Guess| (known.kind == kind) == (of_kind >= most / 2);
            // The most certain one of the kind that has its half, or more, gives up its place.
            let Some(last) = self.guesses.iter().rposition(gives_up) else {
                return;
            };
            if of_kind >= most / 2 && place > last {
                return;
            }
            self.guesses.remove(last);
            place -= usize::from(last < place);
        }
        self.guesses.insert(place, make());
    }

    /// Number of texts whose charset was guessed, kept or not.
    pub fn guessed(&self) -> u64 {
        self.guessed
    }

    /// Number of labels that were overruled, kept or not.
    pub fn overruled(&self) -> u64 {
        self.overruled
    }

    /// Adds the guesses of an embedded message; `moved` gives each its place in this one.
    pub(crate) fn extend_guesses(&mut self, inner: &mut Self, moved: impl Fn(Guess) -> Guess) {
        for guess in std::mem::take(&mut inner.guesses) {
            let (kind, confidence) = (guess.kind, guess.confidence);
            self.guess(kind, confidence, || moved(guess));
            match kind {
                GuessKind::Detected => inner.guessed -= 1,
                GuessKind::Overruled => inner.overruled -= 1,
            }
        }
        self.guessed += std::mem::take(&mut inner.guessed);
        self.overruled += std::mem::take(&mut inner.overruled);
    }

    /// Marks a place to which [`Self::withdraw`] goes back.
    pub(crate) fn mark(&self) -> ReportMark {
        ReportMark {
            events: self.events.len(),
            unkept: self.unkept.clone(),
            repairs: self.repairs,
        }
    }

    /// Moves the repairs and changes since `mark` to [`Self::withdrawn`], since their edits are dropped. Losses, guesses and notes stay.
    pub(crate) fn withdraw(&mut self, mark: &ReportMark) {
        let later = self.events.split_off(mark.events);
        for event in later {
            if describes_edit(event.kind) {
                self.withdrawn.push(event);
            } else {
                self.events.push(event);
            }
        }
        for (kind, times) in &mut self.unkept {
            if describes_edit(*kind) {
                let before = mark
                    .unkept
                    .iter()
                    .find(|(known, _)| known == kind)
                    .map_or(0, |(_, before)| *before);
                self.dropped -= *times - before;
                self.withdrawn_dropped += *times - before;
                *times = before;
            }
        }
        self.unkept.retain(|(_, times)| *times > 0);
        self.repairs = mark.repairs;
    }

    /// Adds an event, if there is one.
    pub(crate) fn extend(&mut self, event: Option<Event>) {
        if let Some(event) = event {
            self.push(event);
        }
    }

    /// Adds an event; beyond the limit it is only counted.
    pub fn push(&mut self, event: Event) {
        if self.events.len() < self.limit {
            self.count(event.kind, 1);
            self.events.push(event);
        } else {
            self.push_unkept(event.kind, 1);
        }
    }

    /// Counts events of which no place is known.
    fn push_unkept(&mut self, kind: EventKind, times: u64) {
        self.count(kind, times);
        self.dropped += times;
        match self.unkept.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, all)) => *all += times,
            None => self.unkept.push((kind, times)),
        }
    }

    /// Counts what another report counted and did not keep.
    pub(crate) fn extend_unkept(&mut self, unkept: Vec<(EventKind, u64)>) {
        for (kind, times) in unkept {
            self.push_unkept(kind, times);
        }
    }

    fn count(&mut self, kind: EventKind, times: u64) {
        self.kinds |= 1 << kind as u32;
        match kind.severity() {
            Severity::Loss => self.losses += times,
            Severity::Repair => self.repairs += times,
            Severity::Info => {}
        }
    }

    /// How many events of each kind were counted but not kept.
    pub fn unkept(&self) -> impl Iterator<Item = (EventKind, u64)> {
        self.unkept.iter().copied()
    }

    /// Whether an event of this kind occurred, kept or not.
    pub fn has(&self, kind: EventKind) -> bool {
        self.kinds >> kind as u32 & 1 == 1
    }

    /// Number of events of severity loss, kept or not.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    /// Number of events of severity repair, kept or not.
    pub fn repairs(&self) -> u64 {
        self.repairs
    }
}

impl Default for Report {
    /// An empty report that keeps as many events as [`Limits::default`] says.
    fn default() -> Self {
        Self::with_limit(Limits::default().events)
    }
}

/// The state of a report before edits that may be dropped were planned; by default that of an empty one.
#[derive(Default)]
pub(crate) struct ReportMark {
    events: usize,
    unkept: Vec<(EventKind, u64)>,
    repairs: u64,
}

/// Returns true for kinds that describe an edit, and are untrue when it is dropped.
fn describes_edit(kind: EventKind) -> bool {
    kind.severity() == Severity::Repair
        || matches!(
            kind,
            EventKind::CharsetBeyondOut
                | EventKind::CharsetLookAlike
                | EventKind::CteLineEndAdded
                | EventKind::SignatureVoided
                | EventKind::HdrStaleDigest
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_grouped() {
        let mut codes: Vec<_> = EventKind::ALL.iter().map(|k| k.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), EventKind::ALL.len());
        assert!(codes.iter().all(|c| c.split('.').count() == 2));
    }

    /// Many guesses of one kind leave the other kind its places, the least certain ones first.
    #[test]
    fn guesses_of_both_kinds_are_kept() {
        for limit in [0, 1, 2, 5, GUESSES, 10 * GUESSES] {
            for first in [GuessKind::Detected, GuessKind::Overruled] {
                let mut report = Report::with_limit(limit);
                let most = GUESSES.min(limit);
                let mut add = |kind, number: u64| {
                    let confidence = Some(0.2 + (number * 7 % 300) as f32 / 1000.0);
                    report.guess(kind, confidence, || Guess {
                        part: PartId::ROOT,
                        field: None,
                        at: Span::default(),
                        kind,
                        declared: None,
                        used: mailglot_codec::Charset::UTF_8,
                        confidence,
                        excerpt: String::new(),
                    });
                };
                for number in 0..300 {
                    add(first, number);
                }
                let other = match first {
                    GuessKind::Detected => GuessKind::Overruled,
                    GuessKind::Overruled => GuessKind::Detected,
                };
                for number in 0..300 {
                    add(other, number);
                }
                assert_eq!(report.guesses.len(), most);
                assert_eq!(report.guessed() + report.overruled(), 600);
                assert!(
                    report
                        .guesses
                        .is_sorted_by_key(|guess| certainty(guess.confidence))
                );
                let others = report.guesses.iter().filter(|guess| guess.kind == other);
                assert_eq!(others.clone().count(), most / 2);
                assert!(
                    others.clone().all(|guess| guess.confidence < Some(0.26)),
                    "{limit}"
                );
            }
        }
    }

    #[test]
    fn report_counts_beyond_its_limit() {
        let mut report = Report::with_limit(1);
        for kind in [
            EventKind::CharsetInvalidBytes,
            EventKind::EwRaw8bit,
            EventKind::CharsetAlias,
        ] {
            report.push(Event {
                part: PartId::ROOT,
                at: Span::default(),
                kind,
                detail: Cow::Borrowed(""),
                count: 1,
            });
        }
        assert_eq!((report.events.len(), report.dropped), (1, 2));
        assert_eq!((report.losses(), report.repairs()), (1, 1));
        let unkept: Vec<_> = report.unkept().collect();
        assert_eq!(
            unkept,
            [(EventKind::EwRaw8bit, 1), (EventKind::CharsetAlias, 1)]
        );
        let mut outer = Report::with_limit(9);
        outer.extend_unkept(report.unkept.clone());
        assert_eq!(
            (outer.dropped, outer.repairs(), outer.unkept().count()),
            (2, 1, 2)
        );
        for kind in EventKind::ALL {
            let pushed = [
                EventKind::CharsetInvalidBytes,
                EventKind::EwRaw8bit,
                EventKind::CharsetAlias,
            ]
            .contains(&kind);
            assert_eq!(report.has(kind), pushed, "{}", kind.code());
        }
    }
}
