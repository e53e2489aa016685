//! Lists the sentences that explain an event and need no data.

use crate::named_enum::named;

named! {
    /// A fixed explanation of an event.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Reason {
        /// The bytes are valid UTF-8.
        ValidUtf8 = "valid UTF-8",
        /// The text contains bytes above 0x7F.
        EightBitText = "8-bit text",
        /// Final letter forms begin words more often than they end words.
        VisualOrderByLetters = "visual order, detected by final letter forms",
        /// The label means visual order (RFC 1556).
        VisualOrderByLabel = "visual order, as the label says",
        /// An extended value was decoded without its unknown label.
        LabelIgnored = "the value is read without it",
        /// A document without a label names UTF-7, which may hide scripts from a check of the text (WHATWG HTML, 13.2.3.3).
        DocumentNamesUtf7 = "the document names UTF-7, which needs a label in the header",
        /// The label says nothing, such as `unknown`.
        LabelSaysNothing = "the label says nothing",
        /// An encoded word with an unknown label stays as written.
        WordKept = "the word stays as written",
        /// An encoded word with an empty label stays as written.
        WordWithoutCharset = "a word without a charset stays as written",
        /// The payload of an encoded word is not base64, so the word stays as written.
        WordNotBase64 = "no base64: the word stays as written",
        /// An encoded word names the B encoding and is in the Q encoding.
        QUnderB = "the Q encoding under the letter B",
        /// An encoded word exceeds the limit of 75 bytes (RFC 2047, section 2).
        LongWord = "longer than 75 bytes",
        /// A header line exceeds the limit of 998 bytes (RFC 5322, section 2.1.1).
        LongLine = "a line of more than 998 bytes",
        /// An encoded word in a stream exceeds the search window.
        LongerThanSearched = "encoded word too long to decode",
        /// The base64 of an encoded word ends within a quantum of four characters.
        Base64Incomplete = "incomplete base64",
        /// The base64 of an encoded word contains bytes outside its alphabet.
        Base64ForeignBytes = "bytes outside the base64 alphabet",
        /// The base64 of an encoded word has too little or too much padding.
        Base64Padding = "wrong base64 padding",
        /// UTF-8 was decoded as windows-1252 or ISO-8859-1. [`Repairs::mojibake`](crate::encoded_word::Repairs) restores it.
        RepairableMojibake = "UTF-8 decoded as windows-1252; repair with mojibake",
        /// HTML entities stand for characters outside ASCII. [`Repairs::entities`](crate::encoded_word::Repairs) decodes them.
        RepairableEntities = "HTML entities; repair with entities",
        /// ISO-2022-JP lost its escape characters. [`Repairs::escapes`](crate::encoded_word::Repairs) restores them.
        RepairableEscapes = "ISO-2022-JP without escape characters; repair with escapes",
        /// The text of an encoded word is encoded words. [`Repairs::nested`](crate::encoded_word::Repairs) decodes them.
        RepairableNested = "encoded words within a word; repair with nested",
        /// A body is UTF-8 that was decoded as windows-1252 or ISO-8859-1 and encoded again. It stays.
        BodyMojibake = "UTF-8 decoded as windows-1252, and encoded again",
        /// A body is ISO-2022-JP that lost its escape characters. It stays.
        BodyLostEscapes = "ISO-2022-JP without escape characters",
        /// Latin words have a character of another script, which is a Western letter in windows-1252: `Mьller` for `Müller`, `Josי` for `José`.
        ForeignLetters = "Latin words with letters of another script; windows-1252 gives Western letters",
        /// Text in KOI8 has lines of tables where windows-1251 has dashes: `это ≈ новая версия`.
        TableLines = "lines of tables within words of KOI8; windows-1251 gives dashes",
        /// The text has U+FFFD in UTF-8 under the label of another charset: an earlier program could not decode some characters.
        LostCharacters = "U+FFFD for characters that an earlier program lost",
        /// The text has a byte order mark of UTF-8 within text of another charset, which decodes it to two characters: `锘` and another one.
        InnerByteOrderMark = "a byte order mark of UTF-8 within the text",
        /// The text has runs of HZ (`~{VPND~}`), but its label names another charset.
        LooksLikeHz = "text between ~{ and ~} looks like HZ-GB-2312",
        /// An equals sign in an encoded word begins no escape.
        EqualsSign = "an equals sign that is no escape",
        /// White space splits an escape in an encoded word.
        SplitEscape = "white space inside an escape",
        /// An escape begins in an encoded word and ends in the next one.
        CutEscape = "an escape that continues in the next word",
        /// An equals sign stands before a fold inside a Q word.
        SoftBreak = "a soft line break inside a word",
        /// An encoded word contains bytes above 0x7F.
        EightBitInWord = "8-bit bytes inside a word",
        /// An encoded word contains white space.
        SpaceInWord = "white space inside a word",
        /// An encoded word within an address stays as written.
        KeptAsWritten = "left as it is",
        /// The value stays, because its text would change.
        WouldReadDifferently = "left as it is: it would not read the same",
        /// The value stays, because a quoted string without an end contains an address.
        OpenQuoteHoldsAddress = "left as it is: a quoted string without its end holds an address",
        /// Spaces replaced the characters.
        ReplacedBySpaces = "replaced by spaces",
        /// Raw bytes outside values stay.
        RawBytesKept = "raw bytes outside values stay",
        /// An asterisk that marks no segment is part of the name.
        PartOfName = "part of the name",
        /// A plain value has the syntax of an extended one.
        NoAsterisk = "an extended value without an asterisk",
        /// The number of a segment has leading zeros (RFC 2231, section 3, forbids them).
        LeadingZeros = "a number with leading zeros",
        /// A byte order mark of UTF-8 before the first line of a message.
        ByteOrderMark = "a byte order mark before the first field",
        /// A line of parameters without a blank before it continues its Content-Type.
        ContinuesField = "read as a continuation of the field before it",
        /// A later segment repeats the charset of the first one.
        RepeatedCharset = "the charset again in a later segment",
        /// The charset stands in a later segment instead of the first one.
        LaterCharset = "the charset in a later segment",
        /// The first segment has the number 1 instead of 0.
        CountedFromOne = "segments counted from 1",
        /// The quotes were ignored.
        Unquoted = "unquoted",
        /// Quotes stand for the apostrophes after a charset: `utf-8"a%20b"`.
        QuotesForApostrophes = "quotes for the apostrophes",
        /// Each quote of a value is doubled.
        DoubledQuotes = "doubled quotes",
        /// A value has several quoted strings of encoded words.
        JoinedStrings = "quoted strings joined",
        /// The first of several parameters or segments counts.
        FirstCounts = "the first one counts",
        /// A segment after a missing one is not decoded.
        BehindGap = "a segment after a gap is not read",
        /// This form of a parameter counts, because the preferred form is damaged.
        OtherFormDamaged = "used, because the other form is damaged",
        /// Another form of the parameter counts.
        OtherFormCounts = "another form of the parameter counts",
        /// The field has more parameters than are decoded.
        ParameterLimit = "too many parameters",
        /// The value was truncated to 1 MiB.
        ValueLimit = "the value is cut at 1 MiB",
        /// An extended value has one apostrophe instead of two (RFC 2231, section 4).
        OneApostrophe = "one apostrophe",
        /// A percent sign without two hexadecimal digits stays.
        PercentKept = "the percent sign stays",
        /// The text was skipped.
        Skipped = "skipped",
        /// The backslash stays.
        BackslashKept = "backslash kept",
        /// The value counts as empty.
        EmptyValue = "empty value",
        /// The quoted value extends to the end of the field.
        UpToEnd = "up to the end of the field",
        /// A value without quotes contains white space.
        UnquotedSpace = "white space without quotes",
        /// A value without quotes contains specials (RFC 2045, section 5.1).
        UnquotedSpecials = "specials without quotes",
        /// A quoted string contains a tab.
        TabInQuotes = "a tab in a quoted string",
        /// A colon stands for the equals sign of a parameter.
        Colon = "a colon for the equals sign",
        /// The bytes are in the name of a parameter.
        ParameterName = "in the name of a parameter",
        /// A line end in a value has no white space after it, so it is no fold.
        BareLineEnd = "a line end that is no fold",
        /// The header has more fields than are decoded.
        FieldLimit = "number of fields",
        /// The media type is in a field that exceeds the limit.
        MediaTypeNotRead = "the media type is not read",
        /// The message has more parts than are parsed.
        PartLimit = "number of parts",
        /// A multipart has a transfer encoding, which RFC 2045, section 6.4, forbids.
        CompositeEncoding = "transfer encoding of a composite part",
        /// An embedded message is labelled base64 or quoted-printable, but is not encoded.
        MessageNotEncoded = "the embedded message is not encoded",
        /// An embedded message stays encoded, because its base64 or quoted-printable is damaged.
        EncodingDamaged = "left encoded: the transfer encoding of the embedded message is damaged",
        /// An embedded message stays encoded, because some of its line ends are data.
        LineEndsAreData = "left encoded: the embedded message has both forms of line ends or a CR alone",
        /// The decoded body of an embedded message begins with no header field.
        NoHeader = "left encoded: the embedded message has no header",
        /// An embedded message stays encoded, because it contains NUL.
        HasNul = "left encoded: the embedded message has a NUL byte",
        /// An embedded message stays encoded, because a line is too long (RFC 2045, section 2.8).
        HasLongLine = "left encoded: the embedded message has a line of more than 998 bytes",
        /// An embedded message stays encoded, because it has a line like a delimiter of a multipart around it.
        HasDelimiter = "left encoded: the embedded message has a line like a delimiter around it",
        /// An embedded message stays encoded, because a mailbox would quote a line of it.
        HasFromLine = "left encoded: the embedded message has a line that begins with From",
        /// An embedded message stays encoded, because the policy wants 7-bit data.
        WouldNeedEightBit = "left encoded: the embedded message needs 8-bit data",
        /// An embedded message stays encoded, because a text, a field or a part of the message would be read differently.
        LeftEncoded = "left encoded: decoded, the message would not read the same",
        /// A multipart has no boundary parameter.
        NoBoundary = "no boundary",
        /// The first delimiter is the closing one.
        NoPart = "no part before the closing delimiter",
        /// No line of the body is a delimiter.
        BoundaryNeverOccurs = "the boundary never occurs",
        /// The line begins like a delimiter, but more text follows the boundary.
        NotDelimiter = "not a delimiter",
        /// The body was parsed by the delimiters that it contains.
        FoundDelimiters = "read by the delimiters in its body",
        /// The field or message stays.
        LeftAlone = "left alone",
        /// The message has a DKIM, DomainKeys or ARC signature.
        SignedMessage = "signature over the whole message",
        /// The text contains a PGP block.
        InlinePgp = "inline PGP",
        /// The text has no Content-Type, so it stays.
        NoTypeInvented = "no header field says what it is, and none is invented",
        /// The text stays, because its escape sequences, NULs or byte order mark would outweigh a label of UTF-8.
        WouldReadAsUtf8 = "not converted: its escape sequences, NULs or byte order mark would outweigh a label of UTF-8",
        /// Text before or after the parts of a multipart has fields of a part, which may label it.
        FieldsOutsideParts = "text outside the parts has header fields of its own",
        /// A vCard or calendar contains quoted-printable text in its charset, so it stays.
        EncodedInCharset = "text in quoted-printable within it is in the charset of the part",
        /// An RTF document names its code page, so it stays.
        OwnCodePage = "the text names its own code page",
        /// The transfer encoding is unknown.
        UnknownEncoding = "unknown transfer encoding",
        /// The body has no block of uuencode.
        NotUuencode = "not uuencode",
        /// The body is not base64.
        NotBase64 = "not base64",
        /// The body is not quoted-printable.
        NotQuotedPrintable = "not quoted-printable",
        /// The body is base64 under the label of quoted-printable.
        Base64UnderQuotedPrintable = "base64 under the label quoted-printable",
        /// The body is quoted-printable under the label of base64.
        QuotedPrintableUnderBase64 = "quoted-printable under the label base64",
        /// The body seems to be base64 that no label names.
        LooksLikeBase64 = "looks like base64",
        /// The body seems to be quoted-printable that no label names.
        LooksLikeQuotedPrintable = "looks like quoted-printable",
        /// Blanks at line ends are not part of the text.
        TrailingBlanks = "trailing blanks dropped",
        /// Quoted-printable contains bytes above 0x7F.
        InQuotedPrintable = "in quoted-printable",
        /// The body contains bytes outside the base64 alphabet.
        ForeignBytes = "foreign bytes",
        /// A line of text stands before or within base64.
        TextWithinBase64 = "text within base64",
        /// Base64 continues after its padding.
        BehindPadding = "continues after padding",
        /// Plain text stands before base64, as the warning of a gateway does.
        TextBeforeBase64 = "text before base64",
        /// Plain text follows base64.
        TextAfterBase64 = "text after base64",
    }
}
