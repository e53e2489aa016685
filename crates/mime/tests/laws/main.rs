//! The laws that hold for every message, over mutants of real and built-in ones.
//!
//! `MAILGLOT_MUTANTS`, `MAILGLOT_MESSAGES` and `MAILGLOT_SEED` (decimal) choose how many and which; a failure prints the smallest mutant found that shows it.

#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test tells its reader what failed, by failing"
)]
#![allow(
    clippy::naive_bytecount,
    clippy::format_collect,
    reason = "plain words are worth more than speed in a test"
)]

mod evidence;
mod junk;
mod numbers;
mod policies;
#[path = "../../src/shared_material.rs"]
mod shared_material;

use evidence::message;
use mailglot_mime::encoded_word::{HeaderContext, Repairs};
use mailglot_mime::header::{self, Field, FieldKind, field_kind};
use mailglot_mime::{
    Attachments, CharsetOut, Event, EventKind, Headers, How, Limits, Message, OnLoss, Part, PartId,
    PartKind, Policy, Report, Transfer, apply_undo, header_context, iso_2022_jp_form, params,
    process, text_parts, undo_edits,
};
use numbers::Numbers;
use policies::{HEADERS, LOSSES, OUT, TRANSFERS, policy};
use std::fmt::Write as _;

/// Small messages that touch most of the planner.
const BUILT_IN: [&[u8]; 13] = [
    b"Subject: =?iso-8859-1?Q?Gr=FC=DFe?= =?koi8-r?B?8A==?=\nFrom: \"=?utf-8?Q?=C3=A9?=\" <a@b.example>\n\nx\n",
    b"Subject: Gr\xfc\xdfe\nTo: J\xf6rg <a@b.example>\n\nSch\xf6ne Gr\xfc\xdfe aus K\xf6ln\n",
    b"Content-Type: text/plain; charset=iso-8859-1; format=flowed\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe =\nan alle=20\nFrom here\n",
    b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=\"koi8-r\"\r\nContent-Transfer-Encoding: base64\r\n\r\n8NLJ18XU\r\n8NLJ18XU\r\n\r\n_____\r\nA list of people\r\n",
    b"Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\npre\n--b\nContent-Type: text/html; charset=windows-1252\n\n<html><head><meta charset=windows-1252></head>\x80</html>\n--b\nContent-Type: text/plain; name=\"=?iso-8859-1?Q?=E4?=.txt\"\nContent-Disposition: attachment; filename*=iso-8859-1''%E4.txt\n\nx\n--b--\nepilogue\n",
    b"Content-Type: multipart/signed; boundary=\"s\"; protocol=\"application/pgp-signature\"\n\n--s\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n\xfc\n--s\nContent-Type: application/pgp-signature\n\nx\n--s--\n",
    b"Content-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: =?big5?B?pKQ=?=\nContent-Type: text/plain; charset=big5\n\n\xa4\xa4\xa4\xe5\n--d--\n",
    b"Subject: a\rContent-Type: text/plain; charset=iso-8859-2\rContent-Transfer-Encoding: 8bit\r\r\xb1\xe6\r",
    b"Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B$3$l\x1b(B\n",
    "Subject: =?utf-8?B?5pel5pys6Kqe44CcwqU=?= =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\nFrom: \"日本\" (=?shift_jis?B?k/o=?=) <a@b.example>\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n<meta charset=utf-8>日本ｶﾞ〜\n--b\n".as_bytes(),
    b"Content-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: 8bit\r\n\r\n--b\r\nContent-Type: text/plain; charset=shift_jis\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: inline; filename*=utf-8''%E6%97%A5%E6%9C%AC.txt; x=\"=?euc-jp?B?xvw=?=\"\r\n\r\nk/qWew0KLS1iDQo=\r\n--b\r\nContent-Type: text/plain\r\n\r\n\x1b$BF|\x1b(B\r\n--b--\r\n",
    b"Subject: =?utf-8?Q?=E6=97=A5=E2=82=AC?= =?iso-2022-jp?B?GyRCLSEbKEI=?= x =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\nContent-Type: text/plain; charset=euc-jp\nContent-Transfer-Encoding: quoted-printable\n\n=C6=FC=CB=DC =20\n=AD=A1\n",
    b"Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n//5HAHIA/ADfAGUACgA=\n",
];

/// Messages that broke a law once.
const ONCE_BROKEN: [&[u8]; 32] = [
    b"From: =?koi8-r?B?8A?=R\n\n\x1b$B$3\x1b(B\xd0\x9f\xa0",
    b"From: =?koi?B?8A?=\xcf\xf0\xe0\n\n\x1b$B?=\x94",
    b"From: \xe9=?8859?B??=\nContent-Type:;charset=gbk\n\n\xc3\x1b$B$3\x1b(B",
    b"e:\xc5\nFrom:=??Q?=?u8?B?w\xf57w?=<?=\xa8>\xa8",
    b"Subject:=??8859?Q??=\n\nx\n=?so\0-",
    b"Subject:=?8859?Q??=\n\nx\n=?so\0-",
    b"Subject:=?8859?Q??=\nm:=?asci?Q?=81=EF=BB=BF?=",
    b"Subject: =?8859?Q?=E4?=\n\nx\x1b(\n=?so\0-",
    b"Content-Type:. t=\"\xee\t\n\xd4",
    b"0\nContent-Type:/;charset=\"\"t=;charset=",
    b"Content-Type:\nContent-Transfer-Encoding:quoted\n--\nContent-Type:=Fe",
    b"Content-Type:;charset=x-sjis\nContent-Transfer-Encoding:8bit\n\n<aick=alert(1\x00) x=\"\x83\\",
    b"n:\nContent-Type:;charset=s\nContent-Transfer-Encoding:8bit\n\n\x93\xfa\x96\x00{",
    b"n:\rContent-Type:;charset=8\rContent-Transfer-Encoding:quoted\r\r=3c=0D=0A.=0D=0A=00 x=\r\xf9\r",
    b"0\rContent-Type:multipart/-\tboundary=b\r\r--b\rA:\n\n-:\x9f",
    b" \nCy\x1b(Bpe: s\xbb",
    b"0\nContent-Type:\nContent-Transfer-Encoding:8bit\nXE\x1b(B:\xdflich",
    b"e\nContent-Type:n d=\nContent-Transfer-Encoding:base64\nPABzAGMAcgB",
    b"Content-Type:text/plain name=x\n\nGr\xfc\xdfe\n",
    b">\nContent-Type:multipart/d boundary=b\n\n--b\nContent-Type:message/rfc822\nContent-Transfer-Encoding:\n\xbc",
    b"Content-Type:e charset=UTF7\nContent-Transfer-Encoding:7bit\n\n+ADw-srip\x00t+",
    b"n:\nContent-Type:multipart/a boundary=bound\n\n--bound\nContent-Transfer-Encoding:base64\n\ndU\n\xff\n--bound--",
    b"n:\rContent-Type:;charset=UTF7\rC:\r\r+ADw\x1b$B4-",
    b"e:\nContent-Transfer-Encoding:base64\n\n=\r\x82",
    b"\xff\xfe\xff\xfe",
    b"e:\r\nContent-Type:;charset=UTF7\nContent-Transfer-Encoding:7bit\n\n+ADw\n",
    b"i\nContent-Type:multipart/i boundary=xxx\n--xxx\nContent-Transfer-Encoding:base64\nContent-Disposition:attachment\nAo-E7bt\n--xxx\nContent-Transfer-Encoding:base64\nContent-",
    b"Content-Type:multipart/d boundary=ab\nM\nn:\n--ab\n\xbc",
    b"n:\rSubject: x\rContent-Type: text/plain; charset=cp1026\r\r%%\xa3\xa6\x96%",
    b"n:\rContent-Type: text/plain; charset=iso-2022-kr\r\r\x1b$)C\r\r\n--b\n",
    b"n:\rContent-Type: text/plain; charset=utf-16\rContent-Transfer-Encoding: 8bit\r\r\xfe\xff\0\n\0o\0\r\0",
    b"n:\r\nContent-Type: text/csv; charset=cp1026\r\nContent-Transfer-Encoding: base64\r\n\r\n\n",
];

/// Pieces that change what stands around them.
const PIECES: [&[u8]; 46] = [
    b"\r\r\n",
    b"=0D=0A",
    b"=0D=\n",
    b"=0D",
    b"=0A",
    b"=\n",
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\n",
    b"\r\n\r\n",
    b" ",
    b"\t",
    b"--",
    b"=",
    b"=?utf-8?Q?=C3=A9?=",
    b"=?iso-8859-1?B?5A==?=",
    b"=?",
    b"?=",
    b"\"",
    b";",
    b"(",
    b"\\",
    b"*0*=",
    b"\0",
    b"\xff",
    b"\xc3\xbc",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1b$B",
    b"\x1b(B",
    b"+AOQ-",
    b"From ",
    b"-----BEGIN PGP MESSAGE-----\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Transfer-Encoding: x-nobody\n",
    b"Content-Type: text/html\n",
    b"Content-Type: text/plain; charset=koi8-r\n",
    b"<meta charset=koi8-r>",
    b"; charset*=''koi8-r",
    b"; charset=koi8-r",
    b"; charset*0=koi8-; charset*1=r",
    b"; charset*1*=%2Dr",
    b"\n=ybegin line=128 size=3 name=a\n",
    b"Content-Type: message/rfc822\n",
];

fn mutate(seed: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut raw = seed.to_vec();
    for _ in 0..=numbers.below(5) {
        let at = numbers.below(raw.len() + 1);
        match numbers.below(9) {
            0 => {
                if let Some(byte) = raw.get_mut(at) {
                    *byte ^= 1 << numbers.below(8);
                }
            }
            1 => {
                if let Some(byte) = raw.get_mut(at) {
                    *byte = numbers.next() as u8;
                }
            }
            2 | 3 => {
                let piece = PIECES[numbers.below(PIECES.len())];
                raw.splice(at..at, piece.iter().copied());
            }
            4 => {
                let range = numbers.range(raw.len());
                raw.drain(range);
            }
            5 => {
                let chunk = raw[numbers.range(raw.len())].to_vec();
                raw.splice(at..at, chunk);
            }
            6 => {
                let chunk = &other[numbers.range(other.len())];
                raw.splice(at..at, chunk.iter().copied());
            }
            7 => {
                let lf: Vec<u8> = raw.iter().copied().filter(|b| *b != b'\r').collect();
                raw = match numbers.below(3) {
                    0 => lf,
                    1 => lf
                        .split(|b| *b == b'\n')
                        .collect::<Vec<_>>()
                        .join(&b"\r\n"[..]),
                    _ => lf
                        .iter()
                        .map(|b| if *b == b'\n' { b'\r' } else { *b })
                        .collect(),
                };
            }
            _ => raw.truncate(at),
        }
    }
    raw
}

/// The law that a message breaks under a policy, with what shows it.
fn broken(raw: &[u8], policy: &Policy) -> Option<(&'static str, String)> {
    let checked = std::panic::catch_unwind(|| check(raw, policy).err());
    checked.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        Some(("no panic", text))
    })
}

fn check(raw: &[u8], policy: &Policy) -> Result<(), (&'static str, String)> {
    let law = |name: &'static str, holds: bool, shown: &dyn Fn() -> String| {
        if holds { Ok(()) } else { Err((name, shown())) }
    };
    let once = process(raw, policy);
    let new = &*once.bytes;
    let twice = process(new, policy);
    law(
        "a second pass changes nothing",
        twice.edits.is_empty() && *twice.bytes == *new,
        &|| {
            twice
                .edits
                .iter()
                .map(|e| {
                    format!(
                        "{} -> {}\n",
                        e.span.of(new).escape_ascii(),
                        e.with.escape_ascii()
                    )
                })
                .collect()
        },
    )?;
    law(
        "no edits, no change",
        !once.edits.is_empty() || new == raw,
        &String::new,
    )?;
    let undone = apply_undo(new, &undo_edits(raw, &once.edits));
    law(
        "what was changed comes back",
        undone.as_deref() == Some(raw),
        &String::new,
    )?;
    let (before, after) = (
        Message::parse(raw, &policy.limits),
        Message::parse(new, &policy.limits),
    );
    let tree = |m: &Message<'_>| -> Vec<String> {
        // Raw UTF-8 in its header makes message/rfc822 message/global.
        let media = |p: &Part| Some(p.media.clone()).filter(|_| p.kind != PartKind::Message);
        m.parts()
            .iter()
            .map(|p| format!("{:?} {:?} {:?}", p.parent, p.kind, media(p)))
            .collect()
    };
    law("the tree stays", tree(&before) == tree(&after), &|| {
        format!("{:?}\n{:?}", tree(&before), tree(&after))
    })?;
    signed_parts(&before, &after)?;
    for index in 0..before.parts().len() {
        fields(&before, &after, PartId(index as u32), policy)?;
    }
    let (old, new_texts) = (texts(&before, policy), texts(&after, policy));
    for (old, new) in old.iter().zip(&new_texts) {
        law(
            "the text stays",
            old.part == new.part && same_text(old, new, &once.report)
                || kept_guess(old, new, &once.report, policy),
            &|| format!("{old:?}\n{new:?}"),
        )?;
    }
    if policy.transfer == Transfer::SevenBit && raw.is_ascii() {
        law("7bit stays 7bit", new.is_ascii(), &String::new)?;
    }
    Ok(())
}

/// Signed and encrypted parts are the same bytes.
fn signed_parts(before: &Message<'_>, after: &Message<'_>) -> Result<(), (&'static str, String)> {
    for (b, a) in before.parts().iter().zip(after.parts()) {
        let sealed = match &*b.media.top {
            "multipart" => matches!(&*b.media.sub, "signed" | "encrypted"),
            "application" => b.media.sub.contains("pkcs7-"),
            _ => false,
        };
        let bytes =
            |m: &Message<'_>, p: &mailglot_mime::Part| m.raw()[p.header.start..p.body.end].to_vec();
        if sealed && bytes(before, b) != bytes(after, a) {
            return Err((
                "signed parts stay",
                bytes(after, a).escape_ascii().to_string(),
            ));
        }
    }
    Ok(())
}

/// Fields stay as many and in order, but for added ones; what is written anew reads the same; NUL and line ends do not
/// come in.
fn fields(
    before: &Message<'_>,
    after: &Message<'_>,
    id: PartId,
    policy: &Policy,
) -> Result<(), (&'static str, String)> {
    let name = |m: &Message<'_>, f: &Field| m.raw()[f.name.start..f.name.end].to_ascii_lowercase();
    let (context, now) = (
        header_context(before, policy),
        header_context(after, policy),
    );
    let mut new = after.fields(id).iter();
    for field in before.fields(id) {
        let (old_name, old) = (name(before, field), field.value.of(before.raw()));
        let Some(other) = new.next().filter(|f| name(after, f) == old_name) else {
            return Err(("fields stay", old_name.escape_ascii().to_string()));
        };
        let value = other.value.of(after.raw());
        let ends = |value: &[u8]| {
            let ends = value
                .iter()
                .enumerate()
                .filter(|(_, b)| matches!(b, b'\n' | b'\r'));
            ends.filter(|(at, _)| {
                !value[at + 1..]
                    .first()
                    .is_some_and(|b| b" \t\r\n".contains(b))
            })
            .count()
        };
        let nuls = |value: &[u8]| value.iter().filter(|b| **b == 0).count();
        let (shown_old, shown) = (old.escape_ascii(), value.escape_ascii());
        let shown = format!("{}: {shown_old}\n{shown}", old_name.escape_ascii());
        if ends(value) > ends(old) || nuls(value) > nuls(old) {
            return Err(("no line end and no NUL comes into a header", shown));
        }
        // Raw bytes that stay, in addresses, may be guessed otherwise where others do not.
        if old == value
            || std::str::from_utf8(value).is_err()
            || old.len() > Limits::default().field
        {
            continue;
        }
        let same = match (field_kind(&old_name), &*old_name) {
            (_, b"content-transfer-encoding") => true,
            (FieldKind::Opaque, _) => old == value,
            // What is no media type has no parameters.
            (FieldKind::Parameters, b"content-type")
                if !parameters(old, &context).0.contains('/') =>
            {
                true
            }
            (FieldKind::Parameters, _) => {
                let (old, new) = (parameters(old, &context), parameters(value, &now));
                let global = old.0 == "message/rfc822" && new.0 == "message/global";
                let same = old
                    .1
                    .iter()
                    .map(|(name, text)| (name, read_as(text, policy)))
                    .eq(new
                        .1
                        .iter()
                        .map(|(name, text)| (name, read_as(text, policy))));
                same && (old.0 == new.0 || global && policy.headers == Headers::RawUtf8)
            }
            (kind, _) => {
                let read = |value, context| {
                    let text = header::decode(value, kind, context, &mut Vec::new());
                    without_gaps(&read_as(&text, policy), kind)
                };
                read(old, &context) == read(value, &now)
            }
        };
        if !same {
            return Err(("fields read the same", shown));
        }
    }
    let added: [&[u8]; 3] = [
        b"mime-version",
        b"content-type",
        b"content-transfer-encoding",
    ];
    match new.find(|f| !added.contains(&&*name(after, f))) {
        Some(field) => Err((
            "no field is added",
            name(after, field).escape_ascii().to_string(),
        )),
        None => Ok(()),
    }
}

/// The text of a field without spaces before `<`: a word that is written gets one there (RFC 2047, section 5, rule 3).
fn without_gaps(text: &str, kind: FieldKind) -> String {
    if matches!(kind, FieldKind::Structured | FieldKind::Phrases) {
        text.replace(" <", "<")
    } else {
        text.to_owned()
    }
}

/// A text in the characters that the policy writes.
fn read_as(text: &str, policy: &Policy) -> String {
    match policy.charset_out {
        CharsetOut::Iso2022Jp => iso_2022_jp_form(text).into_owned(),
        _ => text.to_owned(),
    }
}

/// The value, and all parameters but the charset.
fn parameters(value: &[u8], context: &HeaderContext) -> (String, Vec<(String, String)>) {
    let params = params::parse(value, context, &mut Vec::new());
    let list = params.list.into_iter().filter(|p| p.name != "charset");
    (params.value, list.map(|p| (p.name, p.text)).collect())
}

/// A text part for comparison.
#[derive(Debug)]
struct Text {
    part: PartId,
    /// None for documents that name their charset.
    content: Option<String>,
    how: How,
    /// Some of it could not be read.
    lossy: bool,
    body: Vec<u8>,
}

fn texts(message: &Message<'_>, policy: &Policy) -> Vec<Text> {
    let parts = text_parts(message, policy, &mut Report::default());
    let text = |p: mailglot_mime::TextPart| {
        let part = message.part(p.part).unwrap();
        let named = |text: &str| {
            let text = text.to_lowercase();
            part.media.sub != "plain" && (text.contains("charset") || text.contains("encoding"))
        };
        let text = (!named(&p.text)).then(|| read_as(&p.text, policy));
        let body = part.body.of(message.raw()).to_vec();
        Text {
            part: p.part,
            content: text,
            how: p.reading.how,
            lossy: !p.losses.is_empty(),
            body,
        }
    };
    parts.into_iter().map(text).collect()
}

/// Returns true if lines and line ends are the same. Text with CR LF alone equals the same text with LF alone. A line end at the very end may be
/// added, which is reported.
fn same_text(old: &Text, new: &Text, told: &Report) -> bool {
    let (Some(one), Some(other)) = (&old.content, &new.content) else {
        return old.content.is_none() && new.content.is_none();
    };
    let uniform =
        |text: &str| !text.contains('\r') || !text.replace("\r\n", "").contains(['\r', '\n']);
    let same = |one: &str, other: &str| {
        let lines = |text: &str| text.replace("\r\n", "\n");
        one == other || uniform(one) && uniform(other) && lines(one) == lines(other)
    };
    let added = |event: &Event| event.kind == EventKind::CteLineEndAdded && event.part == old.part;
    let rest = other
        .strip_suffix("\r\n")
        .or_else(|| other.strip_suffix('\n'));
    same(one, other)
        || !one.ends_with('\n')
            && told.events.iter().any(added)
            && rest.is_some_and(|rest| same(one, rest))
}

/// Returns true if a part kept its bytes because some of them cannot be decoded, or because the new bytes would be decoded differently. If the
/// other parts helped to guess its charset and were rewritten, its guess may be another one now.
fn kept_guess(old: &Text, new: &Text, told: &Report, policy: &Policy) -> bool {
    let unsettled =
        |event: &Event| event.kind == EventKind::MimeUnsettled && event.part == old.part;
    let kept = policy.on_loss == OnLoss::Keep && old.lossy || told.events.iter().any(unsettled);
    kept && old.body == new.body && matches!(old.how, How::Message | How::Detected | How::Fallback)
}

/// The smallest message found that breaks the same law.
fn shrink(raw: &[u8], policy: &Policy, name: &str) -> Vec<u8> {
    let mut raw = raw.to_vec();
    let mut length = (raw.len() / 2).max(1);
    loop {
        let mut at = 0;
        let before = raw.len();
        while at < raw.len() {
            let mut less = raw.clone();
            less.drain(at..(at + length).min(raw.len()));
            if broken(&less, policy).is_some_and(|(law, _)| law == name) {
                raw = less;
            } else {
                at += length;
            }
        }
        if length == 1 && raw.len() == before {
            return raw;
        }
        length = (length / 2).max(1);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = BUILT_IN.iter().map(|m| m.to_vec()).collect();
    let Some(shared) = shared_material::folder() else {
        return seeds;
    };
    let mut folders = vec![shared.join("corpus/eml"), shared.join("attacks")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "eml")
                && path.metadata().unwrap().len() < 60_000
            {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 200, "the messages are there");
    seeds.extend(files.iter().map(|path| std::fs::read(path).unwrap()));
    seeds
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a decimal number"))
}

#[test]
fn messages_that_broke_a_law_once_keep_it() {
    for raw in ONCE_BROKEN {
        for headers in HEADERS {
            for transfer in TRANSFERS {
                for on_loss in LOSSES {
                    let each = [Repairs::default(), Repairs::ALL]
                        .into_iter()
                        .flat_map(|r| OUT.map(|out| (r, out)));
                    for (repairs, charset_out) in each {
                        let policy = Policy::default()
                            .headers(headers)
                            .transfer(transfer)
                            .on_loss(on_loss)
                            .repairs(repairs)
                            .charset_out(charset_out)
                            .attachments(Attachments::Utf8);
                        let found = broken(raw, &policy);
                        assert!(
                            found.is_none(),
                            "{} {policy:?}\n{found:?}",
                            raw.escape_ascii()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_told_changes_no_byte() {
    for raw in ONCE_BROKEN {
        let full = Policy::default()
            .headers(Headers::RawUtf8)
            .repairs(Repairs::ALL);
        let silent = full.clone().limits(full.limits.events(0));
        assert_eq!(
            process(raw, &full).bytes,
            process(raw, &silent).bytes,
            "{}",
            raw.escape_ascii()
        );
    }
}

#[test]
fn mutants_keep_the_laws() {
    let seeds = seeds();
    keep_the_laws("MAILGLOT_MUTANTS", 5_000, |number, numbers| {
        let seed = &seeds[numbers.below(seeds.len())];
        let other = &seeds[numbers.below(seeds.len())];
        if number < seeds.len() as u64 {
            seeds[number as usize].clone()
        } else {
            mutate(seed, other, numbers)
        }
    });
}

/// What a field or a part declares is evidence for those that declare nothing, and may be gone after a pass.
#[test]
fn messages_whose_parts_tell_of_each_other_keep_the_laws() {
    keep_the_laws("MAILGLOT_MESSAGES", 3_000, |_, numbers| message(numbers));
}

/// Junk in one field changes no other field.
#[test]
fn messages_with_junk_in_a_field_keep_the_laws() {
    keep_the_laws("MAILGLOT_MESSAGES", 3_000, |_, numbers| {
        junk::message(numbers).0
    });
}

#[test]
fn valid_utf_8_is_not_reread_because_of_junk_in_another_field() {
    let policy = Policy::default();
    for number in 0..5_000_u64 {
        let mut numbers = Numbers(number << 20);
        let (raw, name, text) = junk::message(&mut numbers);
        let message = Message::parse(&raw, &Limits::default());
        let context = header_context(&message, &policy);
        let field = message
            .field(PartId::ROOT, name.to_ascii_lowercase().as_bytes())
            .unwrap();
        let value = field.value.of(&raw);
        let kind = field_kind(name.as_bytes());
        assert_eq!(
            header::decode(value, kind, &context, &mut Vec::new()).trim_start(),
            text,
            "{}",
            raw.escape_ascii()
        );
        let written = process(&raw, &policy);
        let after = Message::parse(&written.bytes, &Limits::default());
        let value = after
            .field(PartId::ROOT, name.to_ascii_lowercase().as_bytes())
            .unwrap();
        let value = value.value.of(&written.bytes);
        let read = header::decode(value, kind, &header_context(&after, &policy), &mut vec![]);
        assert_eq!(read.trim_start(), text, "{}", written.bytes.escape_ascii());
    }
}

/// Tries as many messages as a variable of the environment says, or `usual`.
fn keep_the_laws(variable: &str, usual: u64, make: impl Fn(u64, &mut Numbers) -> Vec<u8>) {
    let first = number("MAILGLOT_SEED", 1);
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    let mut failures = String::new();
    for mutant in 0..number(variable, usual) {
        let mut numbers = Numbers(first.wrapping_mul(0x1_0000_0001).wrapping_add(mutant << 20));
        let raw = make(mutant, &mut numbers);
        let policy = policy(&mut |bound| numbers.below(bound));
        let Some((law, _)) = broken(&raw, &policy) else {
            continue;
        };
        if let Some((_, count)) = kinds.iter_mut().find(|(name, _)| *name == law) {
            *count += 1;
            if *count > 3 {
                continue;
            }
        } else {
            kinds.push((law, 1));
        }
        let small = shrink(&raw, &policy, law);
        let shown = broken(&small, &policy).map_or_else(String::new, |(_, shown)| shown);
        let Policy {
            headers,
            transfer,
            on_loss,
            charset_out,
            ..
        } = policy;
        let _ = write!(
            failures,
            "\n{law} (mutant {mutant}, {headers:?} {transfer:?} {on_loss:?} {charset_out:?})\n{}\n-> {}\n{shown}\n",
            small.escape_ascii(),
            process(&small, &policy).bytes.escape_ascii(),
        );
    }
    assert!(failures.is_empty(), "{kinds:?}\n{failures}");
}
