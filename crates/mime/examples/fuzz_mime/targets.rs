//! What is fuzzed, and the laws that each input must keep.
//!
//! # Limits
//! A text part whose charset is a guess may be guessed otherwise after a rewriting; that law is left to the tests.

#[path = "../../tests/laws/policies.rs"]
mod policies;

use mailglot_fuzz::{Random, fold, lines, size, unescaped};
use mailglot_mime::encoded_word::{
    self, Encoding, Form, HeaderContext, Place, Repairs, Replacement, RewriteTarget, Stream,
};
use mailglot_mime::header::{self, FieldKind};
use mailglot_mime::params::{self, Compat};
use mailglot_mime::{
    Finding, Message, PartId, Policy, Report, apply_undo, fields, process, text_parts, undo_edits,
};

/// One thing to fuzz.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Parse,
    Header,
    Params,
    Process,
}

const KINDS: [FieldKind; 4] = [
    FieldKind::Unstructured,
    FieldKind::Structured,
    FieldKind::Parameters,
    FieldKind::Opaque,
];

/// What parsers of headers and messages trip over.
const TOKENS: [&[u8]; 64] = [
    b"\0",
    b"\r",
    b"\n",
    b"\r\n",
    b"\n ",
    b"\r\n\t",
    b"\n\n",
    b" ",
    b"\t",
    b"=?",
    b"?=",
    b"?",
    b"=",
    b"\"",
    b"\\",
    b"(",
    b")",
    b"<",
    b">",
    b"@",
    b",",
    b";",
    b":",
    b"[",
    b"]",
    b"'",
    b"*",
    b"%",
    b"&",
    b"--",
    b"\xff",
    b"\xc3\xbc",
    b"=?utf-8?Q?=C3=BC?=",
    b"=?utf-8?B?w7w=?=",
    b"=?koi8-r?B?8NLJ18XU?=",
    b"=?iso-2022-jp?B?GyRCRnwbKEI=?=",
    b"=?utf-7?Q?+APw-?=",
    b"=?utf-16?B?/v8AYQ==?=",
    b"=?x-gibberish?Q?a?=",
    b"=?iso-8859-1*de?Q?=FC_?=",
    b"=?utf-8?Q?=C3?=",
    b"=?utf-8?B?w7",
    b"*0*=utf-8''%C3",
    b"*1*=%BC",
    b"*1=",
    b"; name=",
    b"; filename*=",
    b"charset=",
    b"boundary=b",
    b"\n--b\n",
    b"\n--b--\n",
    b"Subject: ",
    b"From: ",
    b"Content-Type: text/plain; charset=koi8-r\n",
    b"Content-Type: multipart/mixed; boundary=b\n\n",
    b"Content-Type: message/rfc822\n\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
    b"=\n",
    b"=C3=BC",
    b"w7w=",
    b"\x1b$B",
    b"&uuml;",
    b"\xc3\x83\xc2\xbc",
];

impl mailglot_fuzz::Target for Target {
    fn all() -> Vec<Self> {
        [Self::Parse, Self::Header, Self::Params, Self::Process].into()
    }

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn longest(self) -> usize {
        match self {
            Self::Header | Self::Params => 600,
            Self::Parse | Self::Process => 1_500,
        }
    }

    fn token(self, number: usize) -> &'static [u8] {
        TOKENS[number % TOKENS.len()]
    }

    fn seeds(self) -> Vec<Vec<u8>> {
        let text = match self {
            Self::Header => include_str!("../../../../tests/seeds/headers.txt"),
            Self::Params => include_str!("../../../../tests/seeds/params.txt"),
            Self::Parse | Self::Process => include_str!("../../../../tests/seeds/messages.txt"),
        };
        lines(text).map(unescaped).collect()
    }

    fn laws(self, input: &[u8], random: &mut Random) -> Result<u64, String> {
        match self {
            Self::Parse => parse(input),
            Self::Header => header(input, random),
            Self::Params => parameters(input, random),
            Self::Process => processed(input, random),
        }
    }
}

fn context(random: &mut Random) -> HeaderContext<'static> {
    let repairs = if random.below(3) == 0 {
        Repairs::ALL
    } else {
        Repairs::default()
    };
    HeaderContext::default().repairs(repairs)
}

fn has_control(text: &str) -> bool {
    text.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
}

fn within(findings: &[Finding], length: usize) -> Result<(), String> {
    match findings
        .iter()
        .find(|f| f.at.start > f.at.end || f.at.end > length)
    {
        Some(finding) => Err(format!("{finding:?} beyond {length} bytes")),
        None => Ok(()),
    }
}

fn apply(value: &[u8], list: &[Replacement]) -> Result<Vec<u8>, String> {
    let (mut out, mut at) = (Vec::new(), 0);
    for r in list {
        let gap = value
            .get(at..r.at.start)
            .ok_or_else(|| format!("{r:?} overlaps"))?;
        out.extend_from_slice(gap);
        out.extend_from_slice(&r.with);
        at = r.at.end;
    }
    out.extend_from_slice(value.get(at..).ok_or("a replacement beyond the value")?);
    Ok(out)
}

/// Rewriting keeps the text and ends after one pass; gives the kinds of findings.
fn rewriting(value: &[u8], kind: FieldKind, random: &mut Random) -> Result<u64, String> {
    let context = context(random);
    let form = [Form::Words, Form::RawUtf8][random.below(2)];
    let (column, eol) = (random.below(80), ["\n", "\r\n"][random.below(2)]);
    let mut findings = Vec::new();
    let text = header::decode(value, kind, &context, &mut findings);
    within(&findings, value.len())?;
    if has_control(&text) {
        return Err(format!("{kind:?}: a control in {text:?}"));
    }
    let list = header::rewrite(
        value,
        kind,
        RewriteTarget { form, column, eol },
        &context,
        &mut findings,
    );
    within(&findings, value.len())?;
    let after = apply(value, &list)?;
    let read = header::decode(&after, kind, &context, &mut Vec::new());
    // A word that is written is kept apart from an address behind it (RFC 2047, section 5, rule 3).
    let has_syntax = matches!(kind, FieldKind::Structured | FieldKind::Phrases);
    let bare = |text: &str| {
        if has_syntax {
            text.replace(" <", "<")
        } else {
            text.to_owned()
        }
    };
    if bare(&read) != bare(&text) {
        return Err(format!(
            "{kind:?} {form:?}: {text:?} became {read:?}, {}",
            after.escape_ascii()
        ));
    }
    let again = header::rewrite(
        &after,
        kind,
        RewriteTarget { form, column, eol },
        &context,
        &mut Vec::new(),
    );
    if !again.is_empty() {
        return Err(format!(
            "{kind:?} {form:?}: a second pass changes {}",
            after.escape_ascii()
        ));
    }
    let mut codes: Vec<_> = findings.iter().map(|f| f.kind.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    let hash = codes.iter().fold(u64::from(list.is_empty()), |hash, code| {
        fold(hash, code.as_bytes())
    });
    Ok(fold(hash, format!("{kind:?}").as_bytes()))
}

fn header(input: &[u8], random: &mut Random) -> Result<u64, String> {
    let mut signature = 0;
    for kind in KINDS {
        signature = fold(signature, &rewriting(input, kind, random)?.to_le_bytes());
    }
    let context = context(random);
    let kind = KINDS[random.below(2)];
    let (mut told, mut findings) = (Vec::new(), Vec::new());
    let text = header::decode(input, kind, &context, &mut told);
    // Takes the general case for every value.
    let pieces = encoded_word::explain(input, kind, &context, &mut findings);
    if pieces.iter().map(|p| p.text.as_str()).collect::<String>() != text {
        return Err("the pieces make another text".to_owned());
    }
    if told != findings {
        return Err(format!("the pieces tell {findings:?}, the whole {told:?}"));
    }
    let places = [Place::Text, Place::Comment, Place::Phrase];
    let place = places[random.below(3)];
    let encoding = [Encoding::B, Encoding::Q, Encoding::Shorter][random.below(3)];
    let words = encoded_word::encode(&text, place, encoding, random.below(80), "\r\n");
    let plain = HeaderContext::default();
    let (value, kind, want) = match place {
        Place::Text => (words.clone(), FieldKind::Unstructured, text.to_string()),
        Place::Phrase => (words.clone(), FieldKind::Structured, text.to_string()),
        Place::Comment => (
            format!("({words})"),
            FieldKind::Structured,
            format!("({text})"),
        ),
    };
    if header::decode(value.as_bytes(), kind, &plain, &mut Vec::new()) != want {
        return Err(format!(
            "{text:?} is encoded as {words:?}, which reads otherwise"
        ));
    }
    let stream = |random: &mut Option<&mut Random>| {
        let (mut out, mut findings, mut rest) = (Vec::new(), Vec::new(), input);
        let mut stream = Stream::new(context);
        while !rest.is_empty() {
            let step = random
                .as_mut()
                .map_or(usize::MAX, |random| 1 + random.below(9));
            let (now, later) = rest.split_at(step.min(rest.len()));
            stream.push(now, &mut out, &mut findings);
            rest = later;
        }
        stream.finish(&mut out, &mut findings);
        (out, findings)
    };
    let whole = stream(&mut None);
    within(&whole.1, input.len())?;
    if stream(&mut Some(random)) != whole {
        return Err("pieces of a stream differ from the whole".to_owned());
    }
    for name in [
        "From",
        "Date",
        "References",
        "Received",
        "Content-Type",
        "Subject",
    ] {
        let value = fields::read(name.as_bytes(), input, &context, &mut Vec::new());
        if name == "From" {
            signature = fold(
                signature,
                &size(format!("{value:?}").len() as u64).to_le_bytes(),
            );
        }
    }
    Ok(signature)
}

fn parameters(input: &[u8], random: &mut Random) -> Result<u64, String> {
    let signature = rewriting(input, FieldKind::Parameters, random)?;
    let mut findings = Vec::new();
    let params = params::parse(input, &context(random), &mut findings);
    within(&findings, input.len())?;
    for raw in params::scan(input).1 {
        if raw.range.start > raw.range.end || raw.range.end > input.len() {
            return Err(format!("{raw:?} beyond the value"));
        }
    }
    for param in &params.list {
        if has_control(&param.text) || has_control(&param.name) {
            return Err(format!("a control in {param:?}"));
        }
        let compat = [Compat::None, Compat::Ascii, Compat::Words][random.below(3)];
        if let Some(written) = params::encode("p", &param.text, compat, random.below(70), "\r\n") {
            let value = format!("a/b; {written}");
            let read = params::parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
            if read.get("p") != Some(&*param.text) {
                return Err(format!(
                    "{:?} is encoded as {written:?}, which reads otherwise",
                    param.text
                ));
            }
        }
    }
    Ok(signature ^ size(params.list.len() as u64) << 50)
}

fn parse(input: &[u8]) -> Result<u64, String> {
    let policy = Policy::default();
    let message = Message::parse(input, &policy.limits);
    let mut signature = size(message.parts().len() as u64);
    for (index, part) in message.parts().iter().enumerate() {
        let (header, body) = (part.header, part.body);
        if header.start > header.end
            || header.end > body.start
            || body.start > body.end
            || body.end > input.len()
        {
            return Err(format!(
                "part {index}: {header:?}, {body:?} of {}",
                input.len()
            ));
        }
        let mut at = header.start;
        for field in message.fields(PartId(index as u32)) {
            let full = field.full;
            let inside = full.start <= field.name.start
                && field.name.end <= field.value.start
                && field.value.end <= full.end;
            if full.start < at || full.end > header.end || !inside {
                return Err(format!("part {index}: {field:?} of {header:?}"));
            }
            at = full.end;
        }
        signature = fold(signature, format!("{:?}", part.kind).as_bytes());
    }
    let mut report = Report::with_limit(100);
    let texts = text_parts(&message, &policy, &mut report);
    for event in message.defects().iter().chain(&report.events) {
        if event.at.start > event.at.end || event.at.end > input.len() {
            return Err(format!("{event:?} beyond {} bytes", input.len()));
        }
        signature = fold(signature, event.kind.code().as_bytes());
    }
    Ok(signature ^ size(texts.len() as u64) << 40)
}

fn processed(input: &[u8], random: &mut Random) -> Result<u64, String> {
    let policy = policies::policy(&mut |bound| random.below(bound));
    let once = process(input, &policy);
    let twice = process(&once.bytes, &policy);
    if twice.bytes != once.bytes {
        return Err(format!(
            "{policy:?}: a second pass changes {}",
            once.bytes.escape_ascii()
        ));
    }
    if apply_undo(&once.bytes, &undo_edits(input, &once.edits)).as_deref() != Some(input) {
        return Err(format!("{policy:?}: the old bytes do not come back"));
    }
    let mut codes: Vec<_> = once.report.events.iter().map(|e| e.kind.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    Ok(codes
        .iter()
        .fold(size(once.edits.len() as u64), |hash, code| {
            fold(hash, code.as_bytes())
        }))
}
