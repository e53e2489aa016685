//! What other readers of mail read in messages that were rewritten: Python's package email, GMime 3, mail-parser.
//!
//! Each text part that became UTF-8, and each rewritten subject, must be read as this project reads it. Where a reader
//! does not, `tests/readers/exceptions.tsv` names its defect; a line there that is no longer needed fails as well.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_codec::{Charset, LossLog};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::decode;
use mailglot_mime::header::field_kind;
use mailglot_mime::transfer::{base64, quoted_printable};
use mailglot_mime::{
    CharsetOut, Message, PartId, Policy, Report, iso_2022_jp_form, process, text_parts,
};
use mailglot_tests::{generate, reader, rival, shared};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A message that was rewritten, and what any reader should read in it.
struct Rewritten {
    name: String,
    bytes: Vec<u8>,
    subject: Option<String>,
    texts: Vec<String>,
    /// In ISO-2022-JP.
    japanese: bool,
}

/// What a reader read.
#[derive(Debug, Default, Deserialize)]
struct ReaderResult {
    error: Option<String>,
    subject: Option<String>,
    #[serde(default)]
    texts: Vec<Option<String>>,
}

#[test]
fn three_readers_read_what_was_rewritten() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let mut messages: Vec<Rewritten> = shared::messages()
        .into_iter()
        .filter_map(|path| {
            let name = path
                .strip_prefix(&shared)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            rewritten(name, &fs::read(&path).unwrap(), &Policy::default())
        })
        .collect();
    let of_corpus = messages.len();
    let mut japanese: Vec<Rewritten> = shared::messages()
        .into_iter()
        .filter_map(|path| {
            let name = path
                .strip_prefix(&shared)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            in_japanese(name, &fs::read(&path).unwrap())
        })
        .collect();
    let japanese_of_corpus = japanese.len();
    for (profile, name) in [
        (generate::Profile::List, "list"),
        (generate::Profile::Mixed, "mixed"),
    ] {
        let options = generate::Options {
            profile,
            dialect: generate::Dialect::Mboxrd,
            crlf: false,
            flaws: generate::Flaws::Few,
            size: 4_000_000,
            seed: 7,
        };
        let mut mailbox = Vec::new();
        generate::write(&options, &mut mailbox, None).unwrap();
        for (number, raw) in rival::split(&mailbox).enumerate() {
            let name = format!("generated/{name}/{number}");
            messages.extend(rewritten(name.clone(), raw, &Policy::default()));
            japanese.extend(in_japanese(name, raw));
        }
    }
    assert!(
        japanese_of_corpus > 5 && japanese.len() - japanese_of_corpus > 50,
        "{}",
        japanese.len()
    );
    let signs = of_jis_x_0208();
    println!(
        "{} messages and {} of all of JIS X 0208 in ISO-2022-JP",
        japanese.len(),
        signs.len()
    );
    messages.extend(japanese);
    messages.extend(signs);
    let (subjects, texts) = (
        messages.iter().filter(|m| m.subject.is_some()).count(),
        messages.iter().map(|m| m.texts.len()).sum::<usize>(),
    );
    println!(
        "{} messages, {texts} texts and {subjects} subjects rewritten",
        messages.len()
    );
    assert!(
        of_corpus > 200 && messages.len() - of_corpus > 200,
        "{of_corpus} of {}",
        messages.len()
    );

    let known = exceptions();
    let mut found = BTreeSet::new();
    let mut unknown = Vec::new();
    for reader in ["python", "gmime", "mail-parser"] {
        let read = match reader {
            "mail-parser" => messages.iter().map(|m| mail_parser(&m.bytes)).collect(),
            _ => script(reader, &messages),
        };
        assert_eq!(
            read.len(),
            messages.len(),
            "{reader}: an answer for each message"
        );
        for (message, read) in messages.iter().zip(&read) {
            let Some(difference) = difference(message, read) else {
                continue;
            };
            let key = (reader.to_owned(), message.name.clone());
            if !known.contains_key(&key) {
                unknown.push(format!("{reader}\t{}\t{difference}", message.name));
            }
            found.insert(key);
        }
    }
    assert!(
        unknown.is_empty(),
        "{} differences:\n{}",
        unknown.len(),
        unknown.join("\n")
    );
    let stale: Vec<_> = known.keys().filter(|key| !found.contains(*key)).collect();
    assert!(stale.is_empty(), "no longer needed: {stale:?}");
}

/// Messages that were embedded in base64 or quoted-printable are read by Python and mail-parser after their rewriting.
#[test]
fn readers_read_decoded_messages() {
    let texts = [
        "Content-Type: text/plain; charset=iso-8859-1\n\nsch\u{f6}ne Gr\u{fc}\u{df}e\n",
        "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nsch=F6n =3D\n",
        "Content-Type: multipart/mixed; boundary=i\n\n--i\nContent-Type: text/plain; charset=iso-8859-1\n\n\u{e9}t\u{e9}\n\
         --i\nContent-Type: text/html; charset=iso-8859-1\n\n<p>\u{fc}</p>\n--i--\n",
        "\nASCII only\n",
    ];
    let mut messages = Vec::new();
    for (text, media) in texts.iter().zip(["rfc822", "global", "rfc822", "rfc822"]) {
        let inner = format!("From: J\u{f6}rg <j@x.example>\nSubject: Gr\u{fc}\u{df}e\n{text}");
        let inner = Charset::WINDOWS_1252.encode_exact(&inner).unwrap();
        for eol in ["\n", "\r\n"] {
            for name in ["base64", "quoted-printable"] {
                if name != "base64" && !text.contains("charset") {
                    // `charset=3D` shows that a header is in quoted-printable.
                    continue;
                }
                let mut body = Vec::new();
                if name == "base64" {
                    base64::encode_lines(&inner, 76, eol.as_bytes(), &mut body);
                } else {
                    quoted_printable::encode(&inner, eol.as_bytes(), &mut body);
                }
                let head = format!(
                    "Subject: =?iso-8859-1?Q?=FC?=\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n\
                     --b\nContent-Type: message/{media}\nContent-Transfer-Encoding: {name}\n\n"
                );
                let head = head.replace('\n', eol);
                let raw = [
                    head.as_bytes(),
                    &body,
                    format!("{eol}--b--{eol}").as_bytes(),
                ]
                .concat();
                let label = format!("{media} {name} {eol:?} {text}");
                let message = rewritten(label, &raw, &Policy::default()).unwrap();
                let old = texts_of(&raw);
                assert_eq!(texts_of(&message.bytes), old, "{}", message.name);
                let is_open = memchr::memmem::find(&message.bytes, b"charset=utf-8").is_some();
                assert_eq!(is_open, text.contains("charset"), "{}", message.name);
                messages.push(Rewritten {
                    texts: old,
                    ..message
                });
            }
        }
    }
    let python = script("python", &messages);
    let third = messages.iter().map(|message| mail_parser(&message.bytes));
    for (message, read) in messages
        .iter()
        .chain(&messages)
        .zip(python.into_iter().chain(third))
    {
        assert_eq!(difference(message, &read), None, "{}", message.name);
    }
}

/// Returns the texts of a message, as `difference` compares them.
fn texts_of(raw: &[u8]) -> Vec<String> {
    let policy = Policy::default();
    let message = Message::parse(raw, &policy.limits);
    let texts = text_parts(&message, &policy, &mut Report::default());
    texts.iter().map(|text| plain(&text.text)).collect()
}

/// The message in ISO-2022-JP, where that is something else than in UTF-8.
fn in_japanese(name: String, raw: &[u8]) -> Option<Rewritten> {
    let policy = Policy::default().charset_out(CharsetOut::Iso2022Jp);
    let other = process(raw, &policy).bytes != process(raw, &Policy::default()).bytes;
    rewritten(name, raw, &policy).filter(|_| other)
}

/// Messages with each character of JIS X 0208 alone and beside others, in subject and text.
fn of_jis_x_0208() -> Vec<Rewritten> {
    let codes = (0x21..=0x74_u8).flat_map(|row| (0x21..=0x7E).map(move |cell| [row, cell]));
    let chars: Vec<char> = codes
        .filter(|[row, _]| !(0x29..=0x2F).contains(row))
        .filter_map(|code| {
            let mut log = LossLog::new();
            let text = Charset::ISO_2022_JP
                .decode(&[b"\x1b$B", &code[..]].concat(), &mut log)
                .into_owned();
            text.chars().next().filter(|_| log.losses() == 0)
        })
        .collect();
    assert_eq!(chars.len(), 6_879);
    let policy = Policy::default().charset_out(CharsetOut::Iso2022Jp);
    let mut messages = Vec::new();
    for (number, few) in chars.chunks(60).enumerate() {
        let subject: String = few.iter().collect();
        let mut text = String::new();
        for (at, c) in few.iter().enumerate() {
            let other = |step: usize| chars[((number * 60 + at) * step + 1) % chars.len()];
            let pairs = [1, 7, 61, 977, 3_457]
                .map(other)
                .map(|d| format!("{c}{d} {d}a{c}"));
            text.extend([
                c.to_string(),
                "\n".to_owned(),
                pairs.join("."),
                "\n".to_owned(),
            ]);
        }
        let raw = format!("Subject: {subject}\nContent-Type: text/plain; charset=utf-8\n\n{text}");
        let message = rewritten(format!("jis-x-0208/{number}"), raw.as_bytes(), &policy).unwrap();
        assert!(message.bytes.is_ascii() && message.texts == [plain(&text)]);
        messages.push(message);
    }
    messages
}

/// The message after its rewriting; None if it was left alone.
fn rewritten(name: String, raw: &[u8], policy: &Policy) -> Option<Rewritten> {
    let outcome = process(raw, policy);
    if outcome.edits.is_empty() {
        return None;
    }
    let (before, after) = (
        Message::parse(raw, &policy.limits),
        Message::parse(&outcome.bytes, &policy.limits),
    );
    let texts = text_parts(&after, policy, &mut Report::with_limit(0))
        .into_iter()
        .filter(|text| {
            let body = |message: &Message<'_>| {
                // Decoded messages have parts of their own.
                let part = message.part(text.part)?;
                Some(part.body.of(message.raw()).to_vec())
            };
            body(&before) != body(&after)
        })
        .map(|text| plain(&text.text))
        .collect();
    let subject = |message: &Message<'_>| {
        message
            .field(PartId::ROOT, b"subject")
            .map(|field| field.value.of(message.raw()).to_vec())
    };
    let subject = subject(&after)
        .filter(|now| subject(&before).as_ref() != Some(now))
        .map(|value| {
            words(&decode(
                &value,
                field_kind(b"subject"),
                &HeaderContext::default(),
                &mut Vec::new(),
            ))
        });
    // Of two signs for one code of JIS X 0208 readers take either.
    let japanese = policy.charset_out == CharsetOut::Iso2022Jp;
    Some(Rewritten {
        name,
        bytes: outcome.bytes.into_owned(),
        subject,
        texts,
        japanese,
    })
}

/// What a reader read otherwise; None if it read everything.
fn difference(message: &Rewritten, read: &ReaderResult) -> Option<String> {
    if let Some(error) = &read.error {
        return Some(error.clone());
    }
    let form = |text: &str| {
        if message.japanese {
            iso_2022_jp_form(text).into_owned()
        } else {
            text.to_owned()
        }
    };
    if let Some(subject) = &message.subject {
        let theirs = read.subject.as_deref().map(form).as_deref().map(words);
        if theirs.as_ref() != Some(subject) {
            return Some(format!("subject {subject:?}, not {theirs:?}"));
        }
    }
    let mut theirs: Vec<String> = read
        .texts
        .iter()
        .flatten()
        .map(|text| plain(&form(text)))
        .collect();
    for text in &message.texts {
        let text = &form(text);
        let Some(at) = theirs.iter().position(|their| their == text) else {
            let near = theirs.iter().max_by_key(|their| common(their, text));
            let at = near.map_or(0, |near| common(near, text));
            let around = |text: &str| {
                text.chars()
                    .skip(at.saturating_sub(10))
                    .take(40)
                    .collect::<String>()
            };
            return Some(format!(
                "text at character {at}: {:?}, not {:?}",
                around(text),
                near.map(|near| around(near))
            ));
        };
        theirs.swap_remove(at);
    }
    None
}

/// Characters that two texts begin with alike.
fn common(one: &str, other: &str) -> usize {
    one.chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count()
}

/// A text without what readers may treat as they like: line ends, and blanks at the end.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
        .trim_end()
        .trim_start_matches('\u{FEFF}')
        .to_owned()
}

/// A header value without what folding may change.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What `tests/readers/read.py` reads. Debian's interpreter: GMime's introspection is a package of Debian's.
fn script(name: &str, messages: &[Rewritten]) -> Vec<ReaderResult> {
    let messages: Vec<&[u8]> = messages.iter().map(|message| &message.bytes[..]).collect();
    let lines = reader::lines(&[name], &messages);
    lines
        .iter()
        .map(|line| serde_json::from_str(&surrogates_out(line)).unwrap())
        .collect()
}

/// Lone surrogates, by which Python names raw bytes, as U+FFFD.
fn surrogates_out(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("\\udc") {
        let high = at >= 6
            && rest[at - 6..at].starts_with("\\ud")
            && matches!(rest.as_bytes()[at - 3], b'8'..=b'b');
        out.push_str(&rest[..at]);
        out.push_str(if high { &rest[at..at + 6] } else { "\\ufffd" });
        rest = &rest[at + 6..];
    }
    out + rest
}

fn mail_parser(raw: &[u8]) -> ReaderResult {
    let Some(message) = mail_parser::MessageParser::default().parse(raw) else {
        return ReaderResult {
            error: Some("no message".to_owned()),
            ..ReaderResult::default()
        };
    };
    let mut texts = Vec::new();
    rival::read(rival::Reader::MailParser, raw, &mut |part, text| {
        if part {
            texts.push(Some(text.to_owned()));
        }
    });
    ReaderResult {
        error: None,
        subject: message.subject().map(str::to_owned),
        texts,
    }
}

/// Reader and message of each known difference, with the reader's defect.
fn exceptions() -> BTreeMap<(String, String), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("readers/exceptions.tsv");
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let cells: Vec<_> = line.split('\t').collect();
            let [reader, message, defect] = cells[..] else {
                panic!("not three cells: {line}")
            };
            assert!(!defect.is_empty(), "{line}");
            ((reader.to_owned(), message.to_owned()), defect.to_owned())
        })
        .collect()
}
