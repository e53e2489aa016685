//! What is fuzzed, and the laws that each input must keep.
//!
//! # Limits
//! Counts of records are compared up to a bound.

use mailglot_codec::{
    Charset, Choice, EncodeOptions, Encoder, LossLog, Mode, Unmappable, View, detect, imap_utf7,
    smallest_sufficient, utf7_carries_utf8, whatwg,
};
use mailglot_fuzz::{Random, fold, lines, size};

/// Records that are compared.
const RECORDS: usize = 2000;

/// One thing to fuzz.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Decoder(Charset),
    Encoder(Charset),
    Labels,
    Detect,
    Imap,
    Whatwg,
}

impl mailglot_fuzz::Target for Target {
    fn all() -> Vec<Self> {
        let fixed = [Self::Labels, Self::Detect, Self::Imap, Self::Whatwg];
        let coders = Charset::all().flat_map(|c| [Self::Decoder(c), Self::Encoder(c)]);
        fixed.into_iter().chain(coders).collect()
    }

    fn name(self) -> String {
        match self {
            Self::Decoder(charset) => format!("decode {charset}"),
            Self::Encoder(charset) => format!("encode {charset}"),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    fn answers_to(self, name: &str) -> bool {
        let group = |charset: Charset| {
            let unicode = ["UTF", "CESU", "SCSU", "BOCU", "ISO-10646"]
                .iter()
                .any(|p| charset.name().starts_with(p));
            match () {
                () if charset.is_single_byte() => "single",
                () if unicode => "unicode",
                () if charset.is_stateful() => "stateful",
                () => "multibyte",
            }
        };
        name == "all"
            || match self {
                // A charset read by another's machine needs no turn of its own; a few single-byte tables stand for all.
                Self::Decoder(charset) if name == "decoders" || name == group(charset) => {
                    charset.superset() == charset
                        && !(charset.is_single_byte() && charset.mib().is_none_or(|m| m > 20))
                }
                Self::Encoder(charset) if name == "encoders" => {
                    !(charset.is_single_byte() && charset.mib().is_none_or(|m| m > 20))
                }
                Self::Decoder(charset) | Self::Encoder(charset) => name == charset.name(),
                _ => name == self.name(),
            }
    }

    fn seeds(self) -> Vec<Vec<u8>> {
        let text = lines(include_str!("../../../../tests/seeds/texts.txt"));
        let texts = text.map(|line| {
            line.replace("\\n", "\n")
                .replace("\\r", "\r")
                .replace("\\0", "\0")
                .replace("\\e", "\x1b")
        });
        let bytes = lines(include_str!("../../../../tests/seeds/bytes.txt"));
        let bytes = bytes.map(|line| {
            let digits = line.trim_start_matches('-').as_bytes().chunks(2);
            digits
                .filter_map(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 16).ok())
                .collect()
        });
        match self {
            Self::Decoder(charset) => {
                let encoded = texts.map(|text| {
                    charset
                        .encode(&text, Unmappable::Skip, &mut LossLog::with_limit(0))
                        .into_owned()
                });
                encoded.chain(bytes).collect()
            }
            Self::Encoder(_) => texts.map(String::into_bytes).collect(),
            Self::Labels => Charset::all()
                .map(|charset| charset.name().as_bytes().to_vec())
                .collect(),
            Self::Imap => {
                let names = texts
                    .filter_map(|text| imap_utf7::encode_mailbox(&text).map(String::into_bytes));
                names
                    .chain(["&-", "&AKM-", "&U,BTFw-", "&2D3cqQ-"].map(|n| n.as_bytes().to_vec()))
                    .collect()
            }
            Self::Detect | Self::Whatwg => texts.map(String::into_bytes).chain(bytes).collect(),
        }
    }

    fn longest(self) -> usize {
        600
    }

    /// A byte that machines trip over.
    fn token(self, number: usize) -> &'static [u8] {
        let bytes = b"\0\t\n\r\x0E\x0F\x1B $&'(+-@BIJ`~\x80\x8E\x8F\xA0\xFF";
        let at = number % bytes.len();
        &bytes[at..=at]
    }

    fn laws(self, input: &[u8], random: &mut Random) -> Result<u64, String> {
        match self {
            Self::Decoder(charset) => {
                let lenient = decoder(charset, Mode::Lenient, input, random)?;
                Ok(lenient ^ decoder(charset, Mode::Strict, input, random)?.rotate_left(32))
            }
            Self::Encoder(charset) => {
                let mode = if random.below(2) == 0 {
                    Mode::Lenient
                } else {
                    Mode::Strict
                };
                encoder(charset, mode, &String::from_utf8_lossy(input), random)
            }
            Self::Labels => labels(input),
            Self::Detect => {
                let guess = detect::detect(input, &detect::Hints::default());
                let found = detect::structure(input).map_or("", Charset::name);
                Ok(fold(format!("{guess:?}").len() as u64, found.as_bytes()))
            }
            Self::Imap => imap(input),
            Self::Whatwg => web(input, random),
        }
    }
}

/// Text and records of one decoding.
fn decode(
    charset: Charset,
    mode: Mode,
    input: &[u8],
    mut piece: impl FnMut() -> usize,
) -> (String, LossLog) {
    let (mut text, mut log) = (String::new(), LossLog::with_limit(RECORDS));
    let mut decoder = charset.new_decoder(mode);
    let mut rest = input;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(piece().clamp(1, rest.len()));
        decoder.push(now, &mut text, &mut log);
        rest = later;
    }
    decoder.finish(&mut text, &mut log);
    (text, log)
}

fn encode(
    charset: Charset,
    mode: Mode,
    text: &str,
    way: Option<&Unmappable>,
    mut piece: impl FnMut() -> usize,
) -> (Vec<u8>, LossLog) {
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(RECORDS));
    let mut encoder = match way {
        None => charset.new_exact_encoder(mode),
        Some(way) => Encoder::with(charset, EncodeOptions::new(way.clone()).mode(mode)),
    };
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.ceil_char_boundary(piece().clamp(1, rest.len()));
        encoder.push(&rest[..at], &mut bytes, &mut log);
        rest = &rest[at..];
    }
    encoder.finish(&mut bytes, &mut log);
    (bytes, log)
}

fn decoder(charset: Charset, mode: Mode, input: &[u8], random: &mut Random) -> Result<u64, String> {
    let whole = decode(charset, mode, input, || usize::MAX);
    let fault = |what: &str| Err(format!("{charset} {mode:?}: {what}"));
    if decode(charset, mode, input, || 1 + random.below(9)) != whole {
        return fault("pieces differ from the whole");
    }
    if decode(charset, mode, input, || 1) != whole {
        return fault("bytes differ from the whole");
    }
    let (text, log) = whole;
    if mode == Mode::Lenient {
        let mut at_once = LossLog::with_limit(RECORDS);
        if charset.decode(input, &mut at_once) != text || at_once != log {
            return fault("decoding at once differs from the stream");
        }
    }
    let ranges = log.kept().iter().map(|loss| &loss.bytes);
    if !ranges
        .clone()
        .all(|r| r.start <= r.end && r.end <= input.len() as u64)
    {
        return fault("a record beyond the input");
    }
    if !ranges.map(|r| r.start).is_sorted() {
        return fault("records are not sorted");
    }
    if log.is_empty() {
        let writer = if mode == Mode::Lenient {
            charset.superset()
        } else {
            charset
        };
        let (bytes, missing) = encode(writer, mode, &text, None, || usize::MAX);
        if missing.is_empty() && decode(charset, mode, &bytes, || usize::MAX).0 != text {
            return fault("what was decoded and encoded is another text");
        }
    }
    Ok(signature(&log) ^ u64::from(text.is_ascii()) << 7)
}

fn encoder(charset: Charset, mode: Mode, text: &str, random: &mut Random) -> Result<u64, String> {
    let ways = [
        None,
        Some(Unmappable::Skip),
        Some(Unmappable::QuestionMark),
        Some(Unmappable::HtmlDecimal),
        Some(Unmappable::HtmlHex),
        Some(Unmappable::Transliterate),
        Some(Unmappable::Replace("<日~?>".into())),
    ];
    let way = ways[random.below(ways.len())].as_ref();
    let whole = encode(charset, mode, text, way, || usize::MAX);
    let fault = |what: &str| Err(format!("{charset} {mode:?} {way:?}: {what}"));
    if encode(charset, mode, text, way, || 1 + random.below(9)) != whole {
        return fault("pieces differ from the whole");
    }
    let (bytes, log) = whole;
    let ranges = log.kept().iter().map(|loss| &loss.bytes);
    if !ranges.clone().all(|r| {
        text.get(r.start as usize..r.end as usize)
            .is_some_and(|t| !t.is_empty())
    }) {
        return fault("a record that is no characters");
    }
    if !ranges.map(|r| r.start).is_sorted() {
        return fault("records are not sorted");
    }
    // Marks at the start are not text to a decoder.
    let marked = text.starts_with(['\u{FEFF}', '\u{FFFE}']);
    let back = decode(charset, mode, &bytes, || usize::MAX).0;
    if log.is_empty() && back != text && !marked {
        return fault("what was encoded reads as another text");
    }
    let list = [charset, Charset::UTF_8];
    let Choice {
        charset: chosen, ..
    } = smallest_sufficient(text, &list);
    if mode == Mode::Strict && (chosen == Some(charset)) != log.is_empty() {
        return fault("not sufficient, though nothing was recorded");
    }
    Ok(signature(&log) ^ fold(bytes.is_ascii().into(), format!("{way:?}").as_bytes()))
}

fn labels(input: &[u8]) -> Result<u64, String> {
    let mut signature = 0;
    for view in [View::Mail, View::Whatwg, View::Iana] {
        let answer = Charset::for_label(input, view);
        if let Some(charset) = answer.charset()
            && view == View::Mail
            && Charset::for_label(charset.name().as_bytes(), view).charset() != Some(charset)
        {
            return Err(format!("{charset} is not found under its own name"));
        }
        signature = fold(signature, format!("{answer:?}").as_bytes());
    }
    Ok(signature)
}

fn imap(input: &[u8]) -> Result<u64, String> {
    let shown = imap_utf7::decode_mailbox_display(input);
    let name = imap_utf7::decode_mailbox(input);
    if let Ok(text) = &name
        && imap_utf7::encode_mailbox(text).is_none_or(|name| name.as_bytes() != input)
    {
        return Err(format!("{text:?} has two names"));
    }
    let text = String::from_utf8_lossy(input);
    let written = imap_utf7::encode_mailbox(&text);
    if written.is_none() != text.contains('\0') {
        return Err(format!("the name of {text:?} is {written:?}"));
    }
    let back = written.map(|name| imap_utf7::decode_mailbox(name.as_bytes()));
    if back
        .as_ref()
        .is_some_and(|back| back.as_deref() != Ok(&*text))
    {
        return Err(format!("the name of {text:?} reads as {back:?}"));
    }
    Ok(u64::from(name.is_ok()) << 1
        | u64::from(shown.contains("\\x")) << 2
        | u64::from(utf7_carries_utf8(input)))
}

fn web(input: &[u8], random: &mut Random) -> Result<u64, String> {
    let labels = [
        "utf-8",
        "gb18030",
        "big5",
        "euc-jp",
        "iso-2022-jp",
        "shift_jis",
        "euc-kr",
        "utf-16le",
        "koi8-u",
    ];
    let label = labels[random.below(labels.len())];
    let Some(encoding) = whatwg::Encoding::for_label(label.as_bytes()) else {
        return Err(label.to_owned());
    };
    let mut log = LossLog::with_limit(RECORDS);
    let text = whatwg::decode(input, encoding, &mut log);
    if encoding.decode_or_fail(input).is_ok()
        && log.losses() > 0
        && whatwg::bom_sniff(input).is_none()
    {
        return Err(format!("{label}: no fault, but losses"));
    }
    let bytes = whatwg::encode(&text, encoding, &mut LossLog::new());
    if !log
        .kept()
        .iter()
        .all(|loss| loss.bytes.end <= input.len() as u64)
    {
        return Err(format!("{label}: a record beyond the input"));
    }
    Ok(fold(
        signature(&log) ^ u64::from(bytes.is_ascii()),
        label.as_bytes(),
    ))
}

/// The kinds of records and the size of their number.
fn signature(log: &LossLog) -> u64 {
    let mut kinds: Vec<_> = log.kept().iter().map(|loss| loss.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.iter().fold(size(log.losses()), |hash, kind| {
        fold(
            hash.wrapping_add(size(log.count(*kind))),
            kind.name().as_bytes(),
        )
    })
}
