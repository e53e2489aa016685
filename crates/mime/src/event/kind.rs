//! Defines the kinds of events with their stable codes and severities. EVENTS.md describes each.

use crate::named_enum::named;
use std::fmt;

named! {
    /// The importance of an event.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// For information: nothing was repaired or lost.
        Info = "info",
        /// Input was damaged or mislabelled, and was decoded anyway.
        Repair = "repair",
        /// Text could not be decoded or encoded.
        Loss = "loss",
    }
}

/// Writes the code, such as `charset.invalid-bytes`.
impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
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
    /// The label is an alias or another spelling of the charset that decoded the text.
    CharsetAlias = Info "charset.alias",
    /// The text has bytes that its charset lacks, and the charset's superset decoded them: 0x92 of windows-1252 in ISO-8859-1.
    CharsetSuperset = Repair "charset.superset",
    /// mailglot guessed the charset from the bytes.
    CharsetDetected = Repair "charset.detected",
    /// Text with bytes above 0x7F has no label.
    CharsetUnlabelled = Info "charset.unlabelled",
    /// Text under another label is valid UTF-8 and was decoded as UTF-8.
    CharsetUtf8InLegacy = Repair "charset.utf8-in-legacy",
    /// Text labelled UTF-8 is not UTF-8 and was decoded in another charset.
    CharsetLegacyInUtf8 = Repair "charset.legacy-in-utf8",
    /// The label names a charset only after stray characters were removed.
    CharsetGarbageLabel = Repair "charset.garbage-label",
    /// The label names no known charset, is empty, or says nothing, such as `unknown`.
    CharsetUnknownLabel = Repair "charset.unknown-label",
    /// A part has several charset parameters. The extended one counts (RFC 2231, section 4), otherwise the first that names a charset.
    CharsetAmbiguous = Info "charset.ambiguous",
    /// [`Policy::charset_map`](crate::Policy::charset_map()) gave the label its meaning.
    CharsetMapped = Repair "charset.mapped",
    /// Text mixes UTF-8 with another charset, and each run was decoded in its own.
    CharsetMixed = Repair "charset.mixed",
    /// The label decoded the text, but another charset is likelier, or the text contains control characters or looks damaged.
    CharsetSuspected = Info "charset.suspected",
    /// A document in UTF-8, as its label says, declares another charset. The declaration follows the label if the body is rewritten.
    CharsetDeclared = Info "charset.declared",
    /// Hebrew text has its letters in visual order (RFC 1556) and keeps that order.
    CharsetVisualOrder = Info "charset.visual-order",
    /// The charset cannot decode some bytes, and U+FFFD replaces each malformed sequence.
    CharsetInvalidBytes = Loss "charset.invalid-bytes",
    /// The target charset lacks a character. No function reports this kind in this version.
    CharsetUnmapped = Loss "charset.unmapped",
    /// The charset of [`Policy::charset_out`](crate::Policy::charset_out()) lacks characters of the text, so the text became UTF-8.
    CharsetBeyondOut = Info "charset.beyond-out",
    /// Equivalent characters replaced those that the charset of [`Policy::charset_out`](crate::Policy::charset_out()) lacks.
    CharsetLookAlike = Info "charset.look-alike",
    /// Two encoded words share one character, which RFC 2047, section 5, forbids, or a fold stands within a character. In a calendar or
    /// vCard the fold moves before the character (RFC 5545, section 3.1).
    EwSplitChar = Repair "ew.split-char",
    /// A header field contains raw bytes above 0x7F.
    EwRaw8bit = Repair "ew.raw8bit",
    /// An encoded word or a field is damaged: padding, escapes, foreign bytes, length or an open quote (RFC 2047, section 2).
    EwBadToken = Repair "ew.bad-token",
    /// An encoded word at the end of a value has no end, and stays (RFC 2047, section 2).
    EwUnclosed = Info "ew.unclosed",
    /// An encoded word has no white space around it (RFC 2047, section 5).
    EwGlued = Info "ew.glued",
    /// A quoted string contains an encoded word, which RFC 2047, section 5, forbids. The word was decoded.
    EwInQuotes = Info "ew.in-quotes",
    /// An address contains an encoded word, which stays as written (RFC 2047, section 5).
    EwInAddress = Info "ew.in-address",
    /// A header value contains a control character, which a space replaced.
    EwControlChar = Repair "ew.control-char",
    /// A header value contains invisible characters, or characters that change the direction of writing. They stay.
    EwHiddenChar = Info "ew.hidden-char",
    /// An encoded word names its language (RFC 2231, section 5). A rewritten word does not.
    EwLanguage = Info "ew.language",
    /// A header value was UTF-8 misread as windows-1252, and was repaired on request.
    EwMojibake = Repair "ew.mojibake",
    /// A header value contains HTML entities, which were decoded on request.
    EwEntity = Repair "ew.entity",
    /// A header value is ISO-2022-JP without its escape characters, and was repaired on request.
    EwLostEscape = Repair "ew.lost-escape",
    /// An encoded word contains encoded words, which were decoded on request.
    EwNested = Repair "ew.nested",
    /// A header value has damage that [`Repairs`](crate::encoded_word::Repairs) can undo, and no caller asked for it. The text stays.
    EwRepairable = Info "ew.repairable",
    /// A parameter contains an encoded word, which RFC 2047, section 5, forbids. The word was decoded.
    ParamRfc2047 = Info "param.rfc2047",
    /// A continued parameter lacks a segment (RFC 2231, section 3). Later segments are ignored.
    ParamGap = Repair "param.gap",
    /// A percent sign in an extended value has no two hexadecimal digits (RFC 2231, section 4) and stays.
    ParamBadPercent = Repair "param.bad-percent",
    /// A parameter or a segment occurs twice. The first counts.
    ParamDuplicate = Repair "param.duplicate",
    /// An ASCII name stands beside a non-ASCII one in extended form, for old readers (RFC 6266, section 4.3). The extended one counts.
    ParamFallback = Info "param.fallback",
    /// A value with white space or specials has no quotes (RFC 2045, section 5.1).
    ParamUnquoted = Repair "param.unquoted",
    /// A parameter has no semicolon before it.
    ParamNoSemicolon = Repair "param.no-semicolon",
    /// A quoted value has no closing quote and extends to the end of the field.
    ParamUnclosedQuote = Repair "param.unclosed-quote",
    /// Text between a value and the next semicolon was skipped.
    ParamJunk = Repair "param.junk",
    /// A backslash in a Windows path is kept as a character and does not quote.
    ParamBackslash = Repair "param.backslash",
    /// An extended value has no charset and language (RFC 2231, section 4).
    ParamNoCharset = Repair "param.no-charset",
    /// A mark of RFC 2231 (asterisk, number, charset) is missing or misplaced. An asterisk without a meaning is part of the name.
    ParamBadMark = Info "param.bad-mark",
    /// An extended value has quotes, which RFC 2231, section 7, forbids. It was decoded.
    ParamQuotedExtended = Info "param.quoted-extended",
    /// A parameter has no value and was skipped.
    ParamNoValue = Info "param.no-value",
    /// Two semicolons have no parameter between them.
    ParamEmpty = Info "param.empty",
    /// White space stands beside the equals sign of a parameter.
    ParamBlank = Info "param.blank",
    /// A plain file name contains percent-encoded UTF-8, as in a URL. It stays, since a file may have this name.
    ParamUrlEncoded = Info "param.url-encoded",
    /// A file name contains a path separator, which stays. Use [`Attachment::safe_name`](crate::Attachment::safe_name) for files.
    ParamPath = Info "param.path",
    /// An equals sign in quoted-printable begins no escape and stays (RFC 2045, section 6.7).
    CteQpBadEscape = Repair "cte.qp-bad-escape",
    /// Blanks end lines of quoted-printable and are not part of the text (RFC 2045, section 6.7). The count is in bytes.
    CteQpTrailingBlanks = Repair "cte.qp-trailing-blanks",
    /// Base64 contains foreign bytes, or plain text stands before or behind it (RFC 2045, section 6.8).
    CteB64Trailing = Repair "cte.b64-trailing",
    /// A line of text is lost. It stands within base64, or before base64 that encodes a file (RFC 2045, section 6.8). The count is in bytes.
    CteB64TextLost = Loss "cte.b64-text-lost",
    /// Base64 ends within a quantum of four characters, so the end of the text is missing.
    CteB64Truncated = Repair "cte.b64-truncated",
    /// Base64 continues after its padding, and was decoded as one text.
    CteB64Several = Repair "cte.b64-several",
    /// The body is not in the transfer encoding that its header names.
    CteWrongLabel = Repair "cte.wrong-label",
    /// An embedded message is in base64 or quoted-printable, which RFC 2046, section 5.2.1, forbids. Its text is read, and [`Policy::keep_encoded_messages`](crate::Policy::keep_encoded_messages)
    /// says whether it is written without the encoding.
    CteEncodedMessage = Repair "cte.encoded-message",
    /// The label of the transfer encoding is misspelled, and was read as what it resembles.
    CteMisspelled = Info "cte.misspelled",
    /// ASCII text looks like base64 or quoted-printable, which its header does not name. It stays.
    CteUnlabelled = Info "cte.unlabelled",
    /// A body labelled 7bit contains bytes above 0x7F (RFC 2045, section 2.7).
    Cte8bitIn7bit = Info "cte.8bit-in-7bit",
    /// A body contains a uuencoded block, which stays. The range is the block.
    CteUuencode = Info "cte.uuencode",
    /// A body contains a yEnc block. The whole body stays.
    CteYenc = Info "cte.yenc",
    /// A text body contains a NUL byte, which RFC 5322, section 2.3, forbids.
    CteNul = Info "cte.nul",
    /// Decoded text had no line end at its end, and got one as plain text.
    CteLineEndAdded = Info "cte.line-end-added",
    /// A multipart has no boundary, or the boundary never occurs (RFC 2046, section 5.1). Its body has no parts.
    MimeMissingBoundary = Info "mime.missing-boundary",
    /// A multipart has no closing delimiter (RFC 2046, section 5.1.1).
    MimeUnclosed = Info "mime.unclosed",
    /// A line begins like a delimiter, but more text follows the boundary.
    MimeAmbiguousBoundary = Info "mime.ambiguous-boundary",
    /// The text before the first part of a multipart or behind the last one has the header of a part. Readers do not show it.
    MimeLostPart = Info "mime.lost-part",
    /// Nesting or the number of parts exceeds [`Limits`](crate::Limits). The rest is not parsed.
    MimeDepth = Loss "mime.depth",
    /// A message has more than 1,000 parts, which is unusual. All are parsed.
    MimeManyParts = Info "mime.many-parts",
    /// A header ends without an empty line (RFC 5322, section 2.1).
    MimeNoBlankLine = Info "mime.no-blank-line",
    /// Content-Type and Content-Disposition give different names of a file.
    MimeAmbiguousName = Info "mime.ambiguous-name",
    /// A part is a fragment of a message (message/partial; RFC 2046, section 5.2.2), and stays.
    MimePartial = Info "mime.partial",
    /// A part is a TNEF container (winmail.dat), and stays.
    MimeTnef = Info "mime.tnef",
    /// A text attachment in a legacy charset stays, as [`Attachments::Keep`](crate::Attachments::Keep) asks.
    MimeAttachmentUntouched = Info "mime.attachment-untouched",
    /// A signed or encrypted part stays byte for byte (RFC 1847).
    MimeSignedUntouched = Info "mime.signed-untouched",
    /// A part of a text type contains a binary file, and stays.
    MimeNotText = Info "mime.not-text",
    /// A message or part stays, because rewriting would change its text.
    MimeUnsettled = Info "mime.unsettled",
    /// A message with a signature over the whole message, such as DKIM (RFC 6376), was rewritten.
    SignatureVoided = Info "signature.voided",
    /// A header contains a NUL byte, which RFC 5322, section 2.2, forbids.
    HdrNul = Info "hdr.nul",
    /// A field that is never rewritten, such as Received, contains bytes that are not UTF-8, or a field name or a delivery status does.
    /// They stay.
    HdrNotUtf8 = Info "hdr.not-utf8",
    /// A line of a header is not a field (RFC 5322, section 2.2).
    HdrNoColon = Info "hdr.no-colon",
    /// A header contains a line of blanks only.
    HdrBlankLine = Info "hdr.blank-line",
    /// A field that may occur once is repeated (RFC 5322, section 3.6). The first counts.
    HdrDuplicate = Info "hdr.duplicate",
    /// One mailbox of From contains several addresses, so readers may show different senders.
    HdrAmbiguousFrom = Info "hdr.ambiguous-from",
    /// A name has a comma without quotes (RFC 5322, section 3.4): `Smith, John <js@x.example>`. It is read as one mailbox.
    HdrUnquotedComma = Info "hdr.unquoted-comma",
    /// An encoded word contains a whole mailbox, which RFC 2047, section 5, forbids. It is read as a name, so the address is missing.
    HdrEncodedAddress = Info "hdr.encoded-address",
    /// A header contains a CR without LF (RFC 5322, section 2.2).
    HdrBareCr = Info "hdr.bare-cr",
    /// A header line has more than 998 bytes (RFC 5322, section 2.1.1).
    HdrTooLong = Info "hdr.too-long",
    /// A part was rewritten, and its Content-MD5 (RFC 1864) no longer matches.
    HdrStaleDigest = Info "hdr.stale-digest",
    /// A header has more than 1,000 fields, which is unusual. All are parsed.
    HdrManyFields = Info "hdr.many-fields",
    /// A field, the fields of a header or the parameters of a field exceed a limit. The rest is not decoded.
    HdrBeyondLimit = Loss "hdr.beyond-limit",
    /// A message exceeds [`Limits`](crate::Limits) and is not parsed.
    MsgTooLarge = Loss "msg.too-large",
    /// A date cannot be parsed (RFC 5322, section 3.3).
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
