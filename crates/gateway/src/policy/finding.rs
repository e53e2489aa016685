//! Lists the findings: everything that a policy can have an action for. docs/policies.md describes each.

use super::Action;
use std::fmt;

/// Makes the enum, its names and its default actions from one list.
macro_rules! findings {
    ($($(#[doc = $words:literal])+ $name:ident = $id:literal, $action:ident;)+) => {
        /// A finding about a message. A policy has an action for each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Finding {
            $($(#[doc = $words])+ $name,)+
        }

        impl Finding {
            /// All findings, in the order of the list.
            pub const ALL: [Self; [$($id),+].len()] = [$(Self::$name),+];

            /// Returns the stable name for configurations, logs, counters and header fields.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id),+ }
            }

            /// Returns the action of the policy `default`.
            pub fn usual(self) -> Action {
                match self { $(Self::$name => Action::$action),+ }
            }
        }
    };
}

findings! {
    /// Text in another charset than its label, or non-ASCII text without a label.
    MislabelledCharset = "mislabelled-charset", Normalize;
    /// Bytes that the charset cannot decode.
    MalformedCharset = "malformed-charset", Normalize;
    /// A label that names no charset. Such a part stays unchanged.
    UnknownCharset = "unknown-charset", Pass;
    /// UTF-7 in HTML.
    Utf7InHtml = "utf7-in-html", Normalize;
    /// An encoded word in UTF-7.
    Utf7InHeader = "utf7-in-header", Normalize;
    /// A charset with escape sequences or shifts (ISO-2022, HZ, UTF-7).
    StatefulCharset = "stateful-charset", Normalize;
    /// Such a charset that hides ASCII text from scanners.
    Iso2022StateAbuse = "iso2022-state-abuse", Normalize;
    /// An escape sequence that changes nothing.
    RedundantEscape = "redundant-escape", Normalize;
    /// A byte order mark that contradicts the label.
    BomConflict = "bom-conflict", Normalize;
    /// A charset declaration inside the document that contradicts the label.
    MetaConflict = "meta-conflict", Normalize;
    /// Raw 8-bit bytes in a header field, which the envelope does not allow.
    Raw8bitHeader = "raw-8bit-header", Normalize;
    /// A character cut between two encoded words.
    SplitCharacter = "split-character", Normalize;
    /// A damaged encoded word, or one in a place where encoded words are not allowed.
    MisplacedEncodedWord = "misplaced-encoded-word", Normalize;
    /// A control character inside an encoded word.
    ControlInEncodedWord = "control-in-encoded-word", Normalize;
    /// Several charsets for one part.
    AmbiguousCharset = "ambiguous-charset", Normalize;
    /// Several names for one file.
    AmbiguousFilename = "ambiguous-filename", Normalize;
    /// Damage in base64, quoted-printable, or their label.
    MalformedCte = "malformed-cte", Normalize;
    /// A repeated field that may occur only once.
    DuplicateHeader = "duplicate-header", Normalize;
    /// CR or LF alone in a message whose lines end in CRLF.
    BareLf = "bare-lf", Normalize;
    /// A line of only white space in a header.
    WhitespaceLine = "whitespace-line", Normalize;
    /// A header without an empty line behind it. Readers see its end at different places.
    UnendedHeader = "unended-header", Normalize;
    /// A multipart without its closing delimiter.
    UnterminatedMultipart = "unterminated-multipart", Normalize;
    /// Text without a label, also in a header, that some programs would read as UTF-7.
    Utf7Lookalike = "utf7-lookalike", Tag;
    /// Escape sequences or shifts of ISO 2022 without a label; in a header also those of HZ.
    UndeclaredEscape = "undeclared-escape", Tag;
    /// NUL in a body that is not encoded.
    NulIn8bit = "nul-in-8bit", Tag;
    /// NUL in a header.
    NulInHeader = "nul-in-header", Tag;
    /// An unknown transfer encoding.
    UnknownCte = "unknown-cte", Tag;
    /// A multipart without a boundary, or whose boundary never occurs.
    MissingBoundary = "missing-boundary", Tag;
    /// A line that begins like a delimiter but continues differently.
    BoundaryPrefix = "boundary-prefix", Tag;
    /// Several boundaries for one multipart, or one for several.
    AmbiguousBoundary = "ambiguous-boundary", Tag;
    /// A From field that shows different senders to different readers.
    AmbiguousFrom = "ambiguous-from", Tag;
    /// A line in a header that is not a field.
    MalformedHeaderLine = "malformed-header-line", Tag;
    /// An encoded word inside an address.
    EncodedWordInAddrSpec = "encoded-word-in-addr-spec", Tag;
    /// An address with non-ASCII bytes.
    NonAsciiAddr = "non-ascii-addr", Tag;
    /// A Punycode domain that cannot be decoded, or decodes to an invalid domain.
    MalformedIdna = "malformed-idna", Tag;
    /// A multipart or message in base64 or quoted-printable.
    CteOnComposite = "cte-on-composite", Tag;
    /// A fragment of a message (`message/partial`).
    MessagePartial = "message-partial", Tag;
    /// A domain or name that mixes letters of confusable scripts.
    MixedScript = "mixed-script", Tag;
    /// An internationalized domain.
    IdnDomain = "idn-domain", Tag;
    /// Characters that change the direction of text.
    BidiControl = "bidi-control", Tag;
    /// Invisible characters.
    InvisibleCharacters = "invisible-characters", Tag;
    /// Text that would be rewritten, but stays because of a signature.
    SignedNotNormalised = "signed-not-normalised", Pass;
    /// An inline PGP block in a text.
    InlinePgp = "inline-pgp", Pass;
    /// A DKIM signature that covers only the beginning of the body.
    DkimLTag = "dkim-l-tag", Pass;
    /// Parts nested deeper than the limit.
    TooDeep = "too-deep", Pass;
    /// More parts than the limit.
    TooManyParts = "too-many-parts", Pass;
    /// More parameters of a field, or deeper nested comments, than the limit.
    TooManyParams = "too-many-params", Pass;
    /// More header fields, or more bytes of them, than the limit.
    TooManyHeaders = "too-many-headers", Pass;
    /// A message larger than the limit.
    TooLarge = "too-large", Pass;
    /// A field that is longer than the limit, as received or as rewritten. It stays unchanged.
    HeaderTooLong = "header-too-long", Pass;
    /// Text that the charset of `charset_out` cannot encode. It is written in UTF-8.
    BeyondCharsetOut = "beyond-charset-out", Pass;
    /// Characters that were replaced by look-alikes in the charset of `charset_out`.
    LookAlike = "look-alike", Pass;
}

impl Finding {
    /// Returns the finding with this name.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|finding| finding.id() == id)
    }

    /// Returns true if the action `normalize` can remove this finding.
    pub fn can_be_normalized(self) -> bool {
        self.usual() == Action::Normalize
            || matches!(self, Self::UnknownCharset | Self::MalformedHeaderLine)
    }

    /// Returns the action of the policy `strict`.
    pub fn strictly(self) -> Action {
        match self {
            Self::Utf7InHtml
            | Self::AmbiguousCharset
            | Self::AmbiguousBoundary
            | Self::AmbiguousFrom
            | Self::DuplicateHeader
            | Self::CteOnComposite
            | Self::MessagePartial
            | Self::BareLf
            | Self::NulInHeader
            | Self::EncodedWordInAddrSpec => Action::Reject,
            _ => self.usual(),
        }
    }

    /// Returns true if mail with right labels and structure can have this finding. Programs read the same characters
    /// then; people may still be misled ([`Self::is_ambiguous`]).
    pub fn occurs_in_correct_mail(self) -> bool {
        matches!(
            self,
            Self::StatefulCharset
                | Self::Utf7Lookalike
                | Self::MessagePartial
                | Self::MixedScript
                | Self::IdnDomain
                | Self::NonAsciiAddr
                | Self::BidiControl
                | Self::InvisibleCharacters
                | Self::SignedNotNormalised
                | Self::InlinePgp
                | Self::DkimLTag
                | Self::TooLarge
                | Self::HeaderTooLong
                | Self::BeyondCharsetOut
                | Self::LookAlike
        )
    }

    /// Returns true if two programs may read different messages, or if characters mislead people: `раypal.com` with Cyrillic letters.
    pub fn is_ambiguous(self) -> bool {
        let misleads = matches!(
            self,
            Self::Utf7Lookalike | Self::MixedScript | Self::BidiControl | Self::InvisibleCharacters
        );
        misleads || !self.occurs_in_correct_mail()
    }
}

/// Writes the stable name, as [`Finding::id`] returns it.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The findings of one message: the count of each, and the places of the first ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    counts: [u32; Finding::ALL.len()],
    /// Each finding with the IMAP section number of its part (empty for the message itself); the first ones only.
    places: Vec<(Finding, String)>,
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            counts: [0; Finding::ALL.len()],
            places: Vec::new(),
        }
    }
}

impl Findings {
    /// Maximum number of places. Further findings are only counted.
    pub const LISTED: usize = 32;

    /// Counts a finding. Calls `place` only if the place is kept.
    pub fn add(&mut self, finding: Finding, place: impl FnOnce() -> String) {
        let count = &mut self.counts[finding as usize];
        *count = count.saturating_add(1);
        if self.places.len() < Self::LISTED {
            let entry = (finding, place());
            if !self.places.contains(&entry) {
                self.places.push(entry);
            }
        }
    }

    /// Merges the findings of another reading of the same message: keeps the greater count of each.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        for (count, other) in self.counts.iter_mut().zip(other.counts) {
            *count = other.max(*count);
        }
        for entry in &other.places {
            if self.places.len() < Self::LISTED && !self.places.contains(entry) {
                self.places.push(entry.clone());
            }
        }
    }

    /// Returns how often a finding occurred.
    pub fn count(&self, finding: Finding) -> u32 {
        self.counts[finding as usize]
    }

    /// Returns true if a finding occurred.
    pub fn has(&self, finding: Finding) -> bool {
        self.count(finding) > 0
    }

    /// Returns true if nothing was found.
    pub fn is_empty(&self) -> bool {
        // The first of any has its place.
        self.places.is_empty()
    }

    /// Returns each finding that occurred with its count, in the order of [`Finding::ALL`].
    pub fn counted(&self) -> impl Iterator<Item = (Finding, u32)> + '_ {
        // Most messages have none, and are asked several times.
        let counts = if self.is_empty() {
            &[][..]
        } else {
            &self.counts[..]
        };
        let all = Finding::ALL.iter().zip(counts);
        all.filter(|(_, count)| **count > 0)
            .map(|(finding, count)| (*finding, *count))
    }

    /// Returns the first findings, each with the IMAP section number of its part.
    pub fn places(&self) -> &[(Finding, String)] {
        &self.places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_lead_back() {
        for (at, finding) in Finding::ALL.into_iter().enumerate() {
            assert_eq!(Finding::named(finding.id()), Some(finding));
            assert_eq!(finding.to_string(), finding.id());
            assert_eq!(finding as usize, at);
            assert!(finding.strictly() >= finding.usual(), "{}", finding.id());
        }
        assert_eq!(Finding::named("no-such"), None);
    }

    /// `docs/policies.md` lists the findings in this order, with the actions of both policies.
    #[test]
    fn the_document_has_each_finding_with_its_actions() {
        let Some(page) = crate::repository_file::read("docs/policies.md") else {
            return;
        };
        let section = page.split("\n## Findings\n").nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        let listed: Vec<Vec<&str>> = rows
            .map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
            .collect();
        let expected: Vec<[String; 3]> = Finding::ALL
            .map(|finding| {
                [
                    format!("`{}`", finding.id()),
                    format!("`{}`", finding.usual().name()),
                    format!("`{}`", finding.strictly().name()),
                ]
            })
            .into();
        let listed: Vec<[String; 3]> = listed
            .iter()
            .map(|cells| [cells[0], cells[2], cells[3]].map(str::to_owned))
            .collect();
        assert_eq!(listed, expected);
    }

    #[test]
    fn each_finding_is_counted_by_itself() {
        for finding in Finding::ALL {
            let mut findings = Findings::default();
            assert_eq!((findings.is_empty(), findings.counted().count()), (true, 0));
            findings.add(finding, String::new);
            findings.add(finding, String::new);
            assert_eq!((findings.is_empty(), findings.count(finding)), (false, 2));
            assert_eq!(findings.counted().collect::<Vec<_>>(), [(finding, 2)]);
        }
    }

    #[test]
    fn places_are_kept_up_to_the_limit_and_counts_beyond() {
        let mut findings = Findings::default();
        assert!(findings.is_empty());
        for number in 0..100 {
            findings.add(Finding::BareLf, || format!("1.{number}"));
        }
        assert_eq!(
            (findings.count(Finding::BareLf), findings.places().len()),
            (100, Findings::LISTED)
        );
        assert_eq!(
            findings.counted().collect::<Vec<_>>(),
            [(Finding::BareLf, 100)]
        );
    }
}
