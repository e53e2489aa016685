//! The options that say how messages are read and rewritten.

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
    #[arg(long, value_name = "FORM", default_value = "words")]
    headers: HeaderForm,
    /// Transfer encoding of text parts. Default: `8bit`; with `filter --judge`, as the policy says.
    #[arg(long, value_name = "ENCODING")]
    transfer: Option<TransferForm>,
    /// Charset to write. ISO-2022-JP is for old mail programs in Japan; text that it cannot encode is written in UTF-8.
    #[arg(long, value_name = "CHARSET", default_value = "utf-8")]
    charset_out: CharsetOutForm,
    /// Text attachments: keep their bytes, or convert them to UTF-8.
    #[arg(long, value_name = "WAY", default_value = "keep")]
    attachments: AttachmentForm,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Parts and header fields with bytes that cannot be decoded: replace these bytes by U+FFFD, or keep the part or field. Default:
    /// `replace` if a ledger stores the old bytes, else `keep`.
    #[arg(long, value_name = "WAY")]
    on_loss: Option<LossWay>,
    /// Damage in header fields to repair if the repair is unambiguous.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    repair: Vec<Repair>,
}

impl PolicyArgs {
    /// Returns the policy. `on_loss` is the default of --on-loss.
    pub(crate) fn policy(&self, keep_signed: bool, on_loss: OnLoss) -> Policy {
        self.reading
            .policy()
            .headers(match self.headers {
                HeaderForm::Words => Headers::Words,
                HeaderForm::RawUtf8 => Headers::RawUtf8,
                HeaderForm::Keep => Headers::Keep,
            })
            .transfer(self.transfer().unwrap_or_default())
            .charset_out(match self.charset_out {
                CharsetOutForm::Utf8 => CharsetOut::Utf8,
                CharsetOutForm::Iso2022Jp => CharsetOut::Iso2022Jp,
            })
            .attachments(match self.attachments {
                AttachmentForm::Keep => Attachments::Keep,
                AttachmentForm::Utf8 => Attachments::Utf8,
            })
            .on_loss(match self.on_loss {
                None => on_loss,
                Some(LossWay::Replace) => OnLoss::Replace,
                Some(LossWay::Keep) => OnLoss::Keep,
            })
            .keep_signed(keep_signed)
            .repairs(repairs(&self.repair))
    }

    /// Returns the options that were given as words of a command line, without shell quotes.
    pub(crate) fn words(&self) -> Vec<String> {
        let with_default = [
            ("--headers", value_name(&self.headers), "words"),
            ("--charset-out", value_name(&self.charset_out), "utf-8"),
            ("--attachments", value_name(&self.attachments), "keep"),
        ];
        let with_default = with_default
            .into_iter()
            .filter(|(_, value, default)| value != default)
            .map(|(option, value, _)| (option, value));
        let transfer = self.transfer.map(|form| ("--transfer", value_name(&form)));
        let on_loss = self.on_loss.map(|way| ("--on-loss", value_name(&way)));
        let repairs: Vec<_> = self.repair.iter().map(value_name).collect();
        let repair = (!repairs.is_empty()).then(|| ("--repair", repairs.join(",")));
        let rewriting = with_default.chain(transfer).chain(on_loss).chain(repair);
        let rewriting = rewriting.flat_map(|(option, value)| [option.to_owned(), value]);
        rewriting.chain(self.reading.words()).collect()
    }

    /// Returns the transfer encoding that was given.
    pub(crate) fn transfer(&self) -> Option<Transfer> {
        self.transfer.map(|form| match form {
            TransferForm::EightBit => Transfer::EightBit,
            TransferForm::SevenBit => Transfer::SevenBit,
            TransferForm::Keep => Transfer::Keep,
        })
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
    /// Charset of text without a usable label whose charset cannot be detected (`mailglot convert -l` lists names).
    #[arg(long, value_name = "LABEL", value_parser = crate::value_parsers::charset)]
    default_charset: Option<Charset>,
    /// Treat the label A as the charset B; repeatable. Example: `iso-8859-1=windows-1254`.
    #[arg(long, value_name = "A=B", value_parser = crate::value_parsers::mapping)]
    charset_map: Vec<(String, Charset)>,
    /// Language of text that declares none, as in Content-Language. Example: `pt-BR`.
    #[arg(long, value_name = "TAG", value_parser = crate::value_parsers::language)]
    lang_hint: Option<String>,
    /// When charsets are detected from the bytes.
    #[arg(long, value_name = "WHEN", default_value = "contradiction")]
    detect: DetectionForm,
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
            .detection(self.detect.detection());
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
        let detection = self.detect.detection();
        let detect =
            (detection != Detection::default()).then(|| ("--detect", detection.name().to_owned()));
        let all = default.into_iter().chain(map).chain(language).chain(detect);
        all.flat_map(|(option, value)| [option.to_owned(), value])
            .collect()
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HeaderForm {
    /// Encoded words (RFC 2047) in UTF-8
    Words,
    /// Raw UTF-8 (RFC 6532)
    #[value(name = "raw-utf8")]
    RawUtf8,
    /// Unchanged
    Keep,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TransferForm {
    /// 8-bit text, which text search can read
    #[value(name = "8bit")]
    EightBit,
    /// Quoted-printable or base64 where needed
    #[value(name = "7bit")]
    SevenBit,
    /// Unchanged if it can carry the new bytes
    Keep,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CharsetOutForm {
    /// UTF-8
    #[value(name = "utf-8")]
    Utf8,
    /// 7-bit text in ASCII and JIS X 0208 (RFC 1468)
    #[value(name = "iso-2022-jp")]
    Iso2022Jp,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AttachmentForm {
    /// Unchanged
    Keep,
    /// Converted to UTF-8, as other text
    #[value(name = "utf-8")]
    Utf8,
}

/// What `--detect` takes.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DetectionForm {
    /// Never: labels are trusted; text without a label is UTF-8 if it is valid UTF-8, else windows-1252 or the default charset
    Off,
    /// For text without a usable label, and text that its label cannot decode
    Unlabelled,
    /// Also for text whose words contradict a label that decodes all bytes
    Contradiction,
    /// For all text whose bytes do not prove their charset: the label decides only where detection is not sure
    Always,
}

impl DetectionForm {
    fn detection(self) -> Detection {
        match self {
            Self::Off => Detection::Off,
            Self::Unlabelled => Detection::Unlabelled,
            Self::Contradiction => Detection::Contradiction,
            Self::Always => Detection::Always,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LossWay {
    Replace,
    Keep,
}
