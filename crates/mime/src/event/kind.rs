//! Defines the kinds of events with their stable codes and severities. EVENTS.md describes each.

use std::fmt;

/// The importance of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// For information: nothing was repaired or lost.
    Info,
    /// Input was damaged or mislabelled, and was decoded anyway.
    Repair,
    /// Text could not be decoded or encoded.
    Loss,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Writes the code, such as `charset.invalid-bytes`.
impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl Severity {
    /// Returns `info`, `repair` or `loss`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Repair => "repair",
            Self::Loss => "loss",
        }
    }
}

/// Defines [`EventKind`] from one line for each kind: name, severity, code.
macro_rules! event_kinds {
    ($($(#[$doc:meta])* $name:ident = $severity:ident $code:literal,)*) => {
        /// The kind of an event. Codes are stable; EVENTS.md describes each with an example.
        ///
        /// ```
        /// use mailglot_mime::EventKind;
        ///
        /// let losses = EventKind::ALL.iter().filter(|kind| kind.severity().name() == "loss");
        /// assert!(losses.count() > 3);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum EventKind {
            $($(#[$doc])* $name,)*
        }

        impl EventKind {
            /// All kinds, in the order of EVENTS.md.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the stable code, such as `charset.invalid-bytes`.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }

            /// Returns the kind with this code.
            ///
            /// ```
            /// use mailglot_mime::EventKind;
            ///
            /// let kind = EventKind::for_code("charset.invalid-bytes").expect("a stable code");
            /// assert_eq!((kind, kind.severity().name()), (EventKind::CharsetInvalidBytes, "loss"));
            /// ```
            pub fn for_code(code: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.code() == code)
            }

            /// Returns how much the kind matters.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$name => Severity::$severity,)*
                }
            }
        }
    };
}

event_kinds! {
    /// The label is an alias or a repaired spelling of the charset that was used.
    CharsetAlias = Info "charset.alias",
    /// A byte that the declared charset lacks was decoded by its superset.
    CharsetSuperset = Repair "charset.superset",
    /// The charset was guessed from the bytes.
    CharsetDetected = Repair "charset.detected",
    /// Non-ASCII text without a label.
    CharsetUnlabelled = Info "charset.unlabelled",
    /// Valid UTF-8 under another label was decoded as UTF-8.
    CharsetUtf8InLegacy = Repair "charset.utf8-in-legacy",
    /// Bytes labelled UTF-8 were decoded in a legacy charset.
    CharsetLegacyInUtf8 = Repair "charset.legacy-in-utf8",
    /// The label had to be cleaned before it named a charset.
    CharsetGarbageLabel = Repair "charset.garbage-label",
    /// The label names no known charset, or is a placeholder such as `unknown`.
    CharsetUnknownLabel = Repair "charset.unknown-label",
    /// Several charset parameters; one of them counts.
    CharsetAmbiguous = Info "charset.ambiguous",
    /// The caller's charset map gave the meaning of the label.
    CharsetMapped = Repair "charset.mapped",
    /// Text in two encodings: runs of UTF-8 in single-byte text, or lines of a single-byte charset in UTF-8.
    CharsetMixed = Repair "charset.mixed",
    /// The text decodes under its label, but another charset is likelier.
    CharsetSuspected = Info "charset.suspected",
    /// Hebrew in visual order: the last letter of each line comes first, and stays there.
    CharsetVisualOrder = Info "charset.visual-order",
    /// Bytes that are invalid in the charset, replaced by U+FFFD.
    CharsetInvalidBytes = Loss "charset.invalid-bytes",
    /// Characters that the target charset lacks.
    CharsetUnmapped = Loss "charset.unmapped",
    /// Text that the requested charset cannot encode, written in UTF-8.
    CharsetBeyondOut = Info "charset.beyond-out",
    /// Characters that the requested charset lacks, replaced by equivalent ones.
    CharsetLookAlike = Info "charset.look-alike",
    /// A character was cut between two encoded words.
    EwSplitChar = Repair "ew.split-char",
    /// Raw 8-bit bytes in a header field.
    EwRaw8bit = Repair "ew.raw8bit",
    /// A damaged encoded word (padding, escapes, foreign bytes, length).
    EwBadToken = Repair "ew.bad-token",
    /// An encoded word without white space around it.
    EwGlued = Info "ew.glued",
    /// An encoded word inside a quoted string.
    EwInQuotes = Info "ew.in-quotes",
    /// An encoded word inside an address, kept unchanged.
    EwInAddress = Info "ew.in-address",
    /// A control character in a decoded header value, replaced by a space.
    EwControlChar = Repair "ew.control-char",
    /// Invisible characters, or characters that change the direction of writing.
    EwHiddenChar = Info "ew.hidden-char",
    /// An encoded word with a language tag, which a rewritten word lacks.
    EwLanguage = Info "ew.language",
    /// UTF-8 that was misread as windows-1252; repaired on request.
    EwMojibake = Repair "ew.mojibake",
    /// HTML entities in a header; replaced on request.
    EwEntity = Repair "ew.entity",
    /// ISO-2022-JP without its escape characters; repaired on request.
    EwLostEscape = Repair "ew.lost-escape",
    /// Encoded words inside encoded words; decoded on request.
    EwNested = Repair "ew.nested",
    /// An encoded word inside a parameter.
    ParamRfc2047 = Repair "param.rfc2047",
    /// A missing segment of a continued parameter.
    ParamGap = Repair "param.gap",
    /// A percent sign without two hexadecimal digits.
    ParamBadPercent = Repair "param.bad-percent",
    /// A parameter or a segment that occurs twice.
    ParamDuplicate = Repair "param.duplicate",
    /// A value with white space or specials, without quotes.
    ParamUnquoted = Repair "param.unquoted",
    /// A parameter without a semicolon before it.
    ParamNoSemicolon = Repair "param.no-semicolon",
    /// A quoted value without its closing quote.
    ParamUnclosedQuote = Repair "param.unclosed-quote",
    /// Text between a value and the next semicolon; skipped.
    ParamJunk = Repair "param.junk",
    /// A backslash in a Windows path, kept literally.
    ParamBackslash = Repair "param.backslash",
    /// An extended value without charset or language.
    ParamNoCharset = Repair "param.no-charset",
    /// An asterisk in a parameter name that does not mark a segment.
    ParamBadMark = Info "param.bad-mark",
    /// An extended value in quotes.
    ParamQuotedExtended = Info "param.quoted-extended",
    /// A parameter without a value.
    ParamNoValue = Info "param.no-value",
    /// Nothing between two semicolons.
    ParamEmpty = Info "param.empty",
    /// White space beside the equals sign of a parameter.
    ParamBlank = Info "param.blank",
    /// A file name that contains a path separator.
    ParamPath = Info "param.path",
    /// An invalid escape in quoted-printable.
    CteQpBadEscape = Repair "cte.qp-bad-escape",
    /// Trailing blanks of lines in quoted-printable, which are not part of the text.
    CteQpTrailingBlanks = Repair "cte.qp-trailing-blanks",
    /// Foreign bytes in, or plain text after, base64.
    CteB64Trailing = Repair "cte.b64-trailing",
    /// Base64 that ends in the middle of a quantum.
    CteB64Truncated = Repair "cte.b64-truncated",
    /// Base64 that continues after its padding.
    CteB64Several = Repair "cte.b64-several",
    /// A body that is not in its declared transfer encoding.
    CteWrongLabel = Repair "cte.wrong-label",
    /// 8-bit bytes under a 7bit label.
    Cte8bitIn7bit = Info "cte.8bit-in-7bit",
    /// A uuencoded block, kept unchanged.
    CteUuencode = Info "cte.uuencode",
    /// A yEnc block, kept unchanged.
    CteYenc = Info "cte.yenc",
    /// A NUL byte in a text body.
    CteNul = Info "cte.nul",
    /// A line end added to decoded text whose last line had none.
    CteLineEndAdded = Info "cte.line-end-added",
    /// A multipart without a boundary, or whose boundary never occurs. It is opaque.
    MimeMissingBoundary = Info "mime.missing-boundary",
    /// A multipart without its closing delimiter.
    MimeUnclosed = Info "mime.unclosed",
    /// A line that begins like a delimiter but is none.
    MimeAmbiguousBoundary = Info "mime.ambiguous-boundary",
    /// Nesting or number of parts beyond the limit; the rest is not parsed.
    MimeDepth = Loss "mime.depth",
    /// More than 1,000 parts, which is unusual; all are parsed.
    MimeManyParts = Info "mime.many-parts",
    /// A header without an empty line at its end.
    MimeNoBlankLine = Info "mime.no-blank-line",
    /// Content-Type and Content-Disposition give different names.
    MimeAmbiguousName = Info "mime.ambiguous-name",
    /// A fragment of a message (message/partial), kept unchanged.
    MimePartial = Info "mime.partial",
    /// A TNEF container (winmail.dat), kept unchanged.
    MimeTnef = Info "mime.tnef",
    /// A text attachment in a legacy charset, kept unchanged.
    MimeAttachmentUntouched = Info "mime.attachment-untouched",
    /// A signed or encrypted part, kept unchanged.
    MimeSignedUntouched = Info "mime.signed-untouched",
    /// A part of a text type that contains a binary file, kept unchanged.
    MimeNotText = Info "mime.not-text",
    /// A message or part whose text would change by its rewriting, kept unchanged.
    MimeUnsettled = Info "mime.unsettled",
    /// A message with a signature over the whole message was rewritten.
    SignatureVoided = Info "signature.voided",
    /// A NUL byte in a header.
    HdrNul = Info "hdr.nul",
    /// A line in a header that is not a field.
    HdrNoColon = Info "hdr.no-colon",
    /// A line of blanks in a header.
    HdrBlankLine = Info "hdr.blank-line",
    /// A repeated field that may occur only once; the first counts.
    HdrDuplicate = Info "hdr.duplicate",
    /// A From field with several addresses in one mailbox.
    HdrAmbiguousFrom = Info "hdr.ambiguous-from",
    /// A CR without LF in a header.
    HdrBareCr = Info "hdr.bare-cr",
    /// A header line of more than 998 bytes.
    HdrTooLong = Info "hdr.too-long",
    /// A Content-MD5 of text that was changed.
    HdrStaleDigest = Info "hdr.stale-digest",
    /// More than 1,000 fields in a header, which is unusual.
    HdrManyFields = Info "hdr.many-fields",
    /// A field, or fields of a header, or parameters of a field, beyond the limit; not decoded.
    HdrBeyondLimit = Loss "hdr.beyond-limit",
    /// A message beyond the limit; not parsed.
    MsgTooLarge = Loss "msg.too-large",
    /// A date that cannot be parsed.
    DateUnparsable = Info "date.unparsable",
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
}
