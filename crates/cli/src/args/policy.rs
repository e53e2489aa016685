//! The options that say how messages are read and rewritten.

use super::by_name::by_name;
use super::repair::{Repair, repairs};
use clap::{Args as Group, ValueEnum};
use mailglot_codec::Charset;
use mailglot_mime::{
    Attachments, CharsetMap, CharsetOut, Detection, Headers, OnLoss, Policy, Transfer,
};

/// How messages are rewritten, for `normalize` and `filter` and for the commands that report what these would do.
#[derive(Debug, Group)]
pub(crate) struct PolicyArgs {
    /// How non-ASCII text in header fields is written.
    #[arg(long, value_name = "FORM", default_value = "words", value_parser = by_name(HEADERS, Headers::name))]
    headers: Headers,
    /// Transfer encoding of text parts. Default: `8bit`; with `filter --judge`, as the policy says.
    #[arg(long, value_name = "ENCODING", value_parser = by_name(TRANSFERS, Transfer::name))]
    pub(crate) transfer: Option<Transfer>,
    /// Charset to write. ISO-2022-JP is for old mail programs in Japan; text that it cannot encode is written in UTF-8.
    #[arg(long, value_name = "CHARSET", default_value = "utf-8", value_parser = by_name(CHARSETS, CharsetOut::name))]
    charset_out: CharsetOut,
    /// Text attachments: keep their bytes, or convert them to UTF-8.
    #[arg(long, value_name = "WAY", default_value = "keep", value_parser = by_name(ATTACHMENTS, Attachments::name))]
    attachments: Attachments,
    #[command(flatten)]
    reading: ReadingArgs,
    /// What happens to parts and header fields with bytes that cannot be decoded. Default: `replace` if a ledger stores the old bytes,
    /// otherwise `keep`.
    #[arg(long, value_name = "WAY", value_parser = by_name(LOSSES, OnLoss::name))]
    on_loss: Option<OnLoss>,
    /// Damage in header fields to repair if the repair is unambiguous.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    repair: Vec<Repair>,
}

impl PolicyArgs {
    /// Returns the policy. `on_loss` is the default of --on-loss.
    pub(crate) fn policy(&self, keep_signed: bool, on_loss: OnLoss) -> Policy {
        self.reading
            .policy()
            .headers(self.headers)
            .transfer(self.transfer.unwrap_or_default())
            .charset_out(self.charset_out)
            .attachments(self.attachments)
            .on_loss(self.on_loss.unwrap_or(on_loss))
            .keep_signed(keep_signed)
            .repairs(repairs(&self.repair))
    }

    /// Returns the options that were given as words of a command line, without shell quotes.
    pub(crate) fn words(&self) -> Vec<String> {
        let with_default = [
            ("--headers", self.headers.name(), "words"),
            ("--charset-out", self.charset_out.name(), "utf-8"),
            ("--attachments", self.attachments.name(), "keep"),
        ];
        let with_default = with_default
            .into_iter()
            .filter(|(_, value, default)| value != default)
            .map(|(option, value, _)| (option, value.to_owned()));
        let transfer = self.transfer.map(|form| ("--transfer", form.to_string()));
        let on_loss = self.on_loss.map(|way| ("--on-loss", way.to_string()));
        let repairs: Vec<_> = self.repair.iter().map(value_name).collect();
        let repair = (!repairs.is_empty()).then(|| ("--repair", repairs.join(",")));
        let rewriting = with_default.chain(transfer).chain(on_loss).chain(repair);
        let rewriting = rewriting.flat_map(|(option, value)| [option.to_owned(), value]);
        rewriting.chain(self.reading.words()).collect()
    }
}

/// Returns the name of a value on the command line.
fn value_name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// What the user knows about charsets and languages that the mail does not declare.
#[derive(Debug, Group)]
pub(crate) struct ReadingArgs {
    /// Charset of non-UTF-8 text without a usable label, if it decodes all bytes and no label in the message names another. Replaces
    /// detection in bodies. Example: `koi8-r` (`mailglot convert -l` lists names).
    #[arg(long, value_name = "LABEL", value_parser = crate::value_parsers::charset)]
    default_charset: Option<Charset>,
    /// Treat the label A as the charset B; repeatable. Example: `iso-8859-1=windows-1254`.
    #[arg(long, value_name = "A=B", value_parser = crate::value_parsers::mapping)]
    charset_map: Vec<(String, Charset)>,
    /// Language of text that declares none, as in Content-Language. Example: `pt-BR`.
    #[arg(long, value_name = "TAG", value_parser = crate::value_parsers::language)]
    lang_hint: Option<String>,
    /// When charsets are detected from the bytes.
    #[arg(long, value_name = "WHEN", default_value = "contradiction", value_parser = by_name(DETECTIONS, Detection::name))]
    detect: Detection,
}

impl ReadingArgs {
    /// Returns the default policy with these options.
    pub(crate) fn policy(&self) -> Policy {
        let mut charset_map = CharsetMap::default();
        for (label, charset) in &self.charset_map {
            charset_map.add(label, *charset);
        }
        let mut policy = Policy::default()
            .default_charset(self.default_charset)
            .charset_map(charset_map)
            .detection(self.detect);
        policy.language.clone_from(&self.lang_hint);
        policy
    }

    /// Returns the options as words of a command line, without shell quotes.
    pub(crate) fn words(&self) -> Vec<String> {
        let default = self
            .default_charset
            .map(|charset| ("--default-charset", charset.name().to_owned()));
        let map = self.charset_map.iter();
        let map =
            map.map(|(label, charset)| ("--charset-map", format!("{label}={}", charset.name())));
        let language = self.lang_hint.clone().map(|tag| ("--lang-hint", tag));
        let detect = (self.detect != Detection::default())
            .then(|| ("--detect", self.detect.name().to_owned()));
        let all = default.into_iter().chain(map).chain(language).chain(detect);
        all.flat_map(|(option, value)| [option.to_owned(), value])
            .collect()
    }
}

/// The values of `--headers`, with their help.
const HEADERS: &[(Headers, &str)] = &[
    (Headers::Words, "Encoded words (RFC 2047) in UTF-8"),
    (Headers::RawUtf8, "Raw UTF-8 (RFC 6532)"),
    (Headers::Keep, "Unchanged"),
];

/// The values of `--transfer`.
const TRANSFERS: &[(Transfer, &str)] = &[
    (Transfer::EightBit, "8-bit text, which text search can read"),
    (
        Transfer::SevenBit,
        "Quoted-printable or base64 where needed",
    ),
    (Transfer::Keep, "Unchanged if it can carry the new bytes"),
];

/// The values of `--charset-out`.
const CHARSETS: &[(CharsetOut, &str)] = &[
    (CharsetOut::Utf8, "UTF-8"),
    (
        CharsetOut::Iso2022Jp,
        "7-bit text in ASCII and JIS X 0208 (RFC 1468)",
    ),
];

/// The values of `--attachments`.
const ATTACHMENTS: &[(Attachments, &str)] = &[
    (Attachments::Keep, "Unchanged"),
    (Attachments::Utf8, "Converted to UTF-8, as other text"),
];

/// The values of `--detect`.
const DETECTIONS: &[(Detection, &str)] = &[
    (
        Detection::Off,
        "Never: labels are trusted; text without a label is UTF-8 if it is valid UTF-8, else windows-1252 or the default charset",
    ),
    (
        Detection::Unlabelled,
        "For text without a usable label, and text that its label cannot decode",
    ),
    (
        Detection::Contradiction,
        "Also for text whose words contradict a label that decodes all bytes",
    ),
    (
        Detection::Always,
        "For all text whose bytes do not prove their charset: the label decides only where detection is not sure",
    ),
];

/// The values of `--on-loss`.
const LOSSES: &[(OnLoss, &str)] = &[
    (OnLoss::Replace, "Write U+FFFD for the bytes"),
    (OnLoss::Keep, "Leave the part or field unchanged"),
];
