//! Lists the sentences that explain an event and need no data.

use std::fmt;

/// Defines [`Reason`] from one line for each: name and sentence.
macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A fixed explanation of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl fmt::Display for Reason {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$name => $text,)*
                })
            }
        }
    };
}

reasons! {
    /// The bytes are valid UTF-8.
    ValidUtf8 = "valid UTF-8",
    /// Non-ASCII text without a label.
    EightBitText = "8-bit text",
    /// Final letter forms begin words.
    VisualOrderByLetters = "in visual order, as letters show that end words",
    /// The label says visual order.
    VisualOrderByLabel = "in visual order, as the label says",
    /// An unknown label of a parameter is ignored.
    LabelIgnored = "the value is read without it",
    /// A label such as `unknown`.
    LabelSaysNothing = "the label says nothing",
    /// An encoded word with an unknown label.
    WordKept = "the word stays as written",
    /// An encoded word with an empty label.
    WordWithoutCharset = "a word without a charset stays as written",
    /// The payload of an encoded word is not base64.
    WordNotBase64 = "no base64: the word stays as written",
    /// An encoded word beyond the limit of RFC 2047.
    LongWord = "longer than 75 bytes",
    /// A header line beyond the limit of RFC 5322.
    LongLine = "a line of more than 998 bytes",
    /// An encoded word beyond the search window of a stream.
    LongerThanSearched = "longer than words are looked at",
    /// A quantum of base64 breaks off.
    Base64Incomplete = "incomplete base64",
    /// Base64 of a word contains other bytes.
    Base64ForeignBytes = "bytes outside the base64 alphabet",
    /// Base64 of a word has too little or too much padding.
    Base64Padding = "wrong base64 padding",
    /// An equals sign without two hexadecimal digits in a word.
    EqualsSign = "an equals sign that is no escape",
    /// White space splits an escape in a word.
    SplitEscape = "white space inside an escape",
    /// A word contains raw bytes above 7F.
    EightBitInWord = "8-bit bytes inside a word",
    /// A word contains white space.
    SpaceInWord = "white space inside a word",
    /// An encoded word within an address is kept.
    KeptAsWritten = "left as it is",
    /// The value would not read the same after rewriting.
    WouldReadDifferently = "left as it is: it would not read the same",
    /// A quoted string without an end swallows an address.
    OpenQuoteHoldsAddress = "left as it is: a quoted string without its end holds an address",
    /// Spaces replace the characters.
    ReplacedBySpaces = "spaces stand for them",
    /// Raw bytes between parameters are kept.
    RawBytesKept = "raw bytes outside values stay",
    /// An asterisk that marks nothing belongs to the name.
    PartOfName = "part of the name",
    /// The quotes were removed.
    Unquoted = "unquoted",
    /// The first of several parameters or segments counts.
    FirstCounts = "the first one counts",
    /// A segment is missing before this one.
    BehindGap = "a segment behind a gap is not read",
    /// This form of a parameter counts, although it is not the preferred one.
    OtherFormDamaged = "counts, since the other form is damaged",
    /// Another form of the parameter counts.
    OtherFormCounts = "another form of the parameter counts",
    /// The field has more parameters than are read.
    ParameterLimit = "too many parameters",
    /// The value is longer than 1 MiB.
    ValueLimit = "the value is cut at 1 MiB",
    /// An extended value has one apostrophe instead of two.
    OneApostrophe = "one apostrophe",
    /// A percent sign without two hexadecimal digits is kept.
    PercentKept = "the percent sign stays",
    /// The text was skipped.
    Skipped = "skipped",
    /// The backslash is kept.
    BackslashKept = "kept",
    /// The value is empty.
    EmptyValue = "taken as empty",
    /// The quoted value reaches the end of the field.
    UpToEnd = "up to the end of the field",
    /// An unquoted value contains white space.
    UnquotedSpace = "white space without quotes",
    /// An unquoted value contains specials.
    UnquotedSpecials = "specials without quotes",
    /// A quoted string contains a tab.
    TabInQuotes = "a tab in a quoted string",
    /// The bytes are in the name of a parameter.
    ParameterName = "in the name of a parameter",
    /// A line end in a value that is not followed by white space.
    BareLineEnd = "a line end that is no fold",
    /// The header has more fields than are read.
    FieldLimit = "number of fields",
    /// The field is longer than is read.
    MediaTypeNotRead = "the media type is not read",
    /// The message has more parts than are read.
    PartLimit = "number of parts",
    /// A multipart or message has a transfer encoding.
    CompositeEncoding = "transfer encoding of a composite part",
    /// A multipart without a boundary parameter.
    NoBoundary = "no boundary",
    /// The first delimiter is the closing one.
    NoPart = "no part before the closing delimiter",
    /// No line of the body is a delimiter.
    BoundaryNeverOccurs = "the boundary never occurs",
    /// The line begins like a delimiter.
    NotDelimiter = "not a delimiter",
    /// The boundary was found in the body.
    FoundDelimiters = "read by the delimiters in its body",
    /// The field or message is unchanged.
    LeftAlone = "left alone",
    /// The message carries DKIM, DomainKey or ARC signatures.
    SignedMessage = "signature over the whole message",
    /// The text contains a PGP block.
    InlinePgp = "inline PGP",
    /// A text without a Content-Type is unchanged.
    NoTypeInvented = "no header field says what it is, and none is invented",
    /// A label of UTF-8 would change how the document is read.
    WouldReadAsUtf8 = "under a label of UTF-8 the text would be read otherwise",
    /// A vCard or calendar contains encoded text.
    EncodedInCharset = "text in quoted-printable within it is in the charset of the part",
    /// An RTF document names its code page.
    OwnCodePage = "the text names its own code page",
    /// The transfer encoding is unknown.
    UnknownEncoding = "unknown transfer encoding",
    /// The body has no block of uuencode.
    NotUuencode = "not uuencode",
    /// The body is not base64.
    NotBase64 = "not base64",
    /// The body is not quoted-printable.
    NotQuotedPrintable = "not quoted-printable",
    /// Blanks at line ends are not text.
    TrailingBlanks = "no part of the text",
    /// 8-bit bytes in quoted-printable.
    InQuotedPrintable = "in quoted-printable",
    /// The body contains bytes outside the base64 alphabet.
    ForeignBytes = "foreign bytes",
    /// Base64 continues after its padding.
    BehindPadding = "goes on behind padding",
    /// Plain text follows base64.
    TextAfterBase64 = "text after base64",
}
