//! The attacks on header fields (families b and c of the shared material): expected text and structure.
//!
//! Each file of these families stands in the table. `Row::left` tells what of its expectation is not asked here, and why.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::fields::{Entry, Mailbox, Value, addresses, read};
use mailglot_mime::header::{self, FieldKind};
use mailglot_mime::{Headers, Message, PartId, Policy, params, process};
use mailglot_tests::clock::Clock;
use mailglot_tests::shared;
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

/// What an attack must give.
struct HeaderAttack {
    /// Beginning of the file's name.
    name: &'static str,
    /// The fields as they read, before and after: lower-case name, text.
    reads: &'static [(&'static str, &'static str)],
    /// Codes that must be told.
    events: &'static [&'static str],
    /// A field as it stands afterwards, in the form with encoded words.
    written: Option<&'static str>,
    /// What of the expectation is left out, and why.
    left: &'static str,
}

const fn row(
    name: &'static str,
    reads: &'static [(&'static str, &'static str)],
    events: &'static [&'static str],
) -> HeaderAttack {
    HeaderAttack {
        name,
        reads,
        events,
        written: None,
        left: "",
    }
}

impl HeaderAttack {
    const fn written(self, written: &'static str) -> Self {
        Self {
            written: Some(written),
            ..self
        }
    }
    const fn left(self, left: &'static str) -> Self {
        Self { left, ..self }
    }
}

const CONTROL: &[(&str, &str)] = &[("subject", "a b"), ("from", "a b <a@test.invalid>")];

const TABLE: &[HeaderAttack] = &[
    // Two of the charsets' family stand in a header.
    row("a05-", &[("subject", "&ADw-script&AD4-alert(1)&ADw-/script&AD4-")], &[])
        .left("UTF-7 in a header is reported by a gateway; here it is a label like others"),
    row("a24-", &[("subject", "]0;owned  [2J [31mred\u{fffd}31m")], &["ew.control-char"])
        .left("what a terminal shows of a body is escaped by the program, not by the library"),
    // A control that comes out of a word is a space, and stays one; no field is added.
    row("b30-", &[("subject", "hi  Bcc: victim@test.invalid    body")], &["ew.control-char"]),
    row("b31a", CONTROL, &["ew.control-char"]),
    row("b31b", CONTROL, &["ew.control-char"]),
    row("b31d", CONTROL, &["ew.control-char"]),
    row("b31e", CONTROL, &["ew.control-char"]),
    row("b31f", CONTROL, &["ew.control-char"]),
    // No word is read in an address.
    row(
        "b32a",
        &[(
            "from",
            "<=?utf-8?b?cG90dXNAd2hpdGVob3VzZS5nb3Y=?==?utf-8?Q?=00?==?utf-8?b?cG90dXNAd2hpdGVob3VzZS5nb3Y=?=@mailsploit.invalid>",
        )],
        &["ew.in-address"],
    ),
    row(
        "b32b",
        &[("from", "BEGIN /    /  potus@whitehouse.invalid <x@mailsploit.invalid>")],
        &["hdr.ambiguous-from", "ew.control-char"],
    )
    .left("whether it is rejected is the policy of a gateway"),
    row("b32c", &[("from", "<script>alert(1)</script> <a@test.invalid>")], &[])
        .left("no output here is HTML"),
    row("b33-", &[], &["ew.in-address"])
        .left("its addresses, one by one, are asked below; names of domains (IDNA) are a gateway's policy"),
    // Decoded once, and written so that the next reader decodes once.
    row("b36-", &[("subject", "=?utf-8?q?<script>?=")], &[])
        .written("Subject: =?utf-8?q?=3D=3Futf-8=3Fq=3F=3Cscript=3E=3F=3D?="),
    row(
        "b37-",
        &[("from", "Bank <a@test.invalid>"), ("subject", "abc de (f)")],
        &["ew.in-quotes", "ew.glued"],
    )
    .left("there is one way of reading words, the lenient one"),
    row("b38-", &[("subject", "日本語日本")], &["ew.split-char"]),
    row("b39a", &[], &["hdr.too-long"]),
    row("b39b", &[], &["hdr.too-long"]),
    row("b39c", &[], &["hdr.too-long"]),
    row("b40b", &[], &["hdr.too-long"]),
    row(
        "b42b",
        &[(
            "subject",
            "p\u{200b}ay\u{200c}p\u{200d}al\u{feff} \u{3164}\u{34f}\u{115f}\u{ad}hi\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e0020}\u{e0061}\u{e006c}\u{e006c}",
        )],
        &["ew.hidden-char"],
    )
    .left("the skeleton of a text, and what to do with such mail, are a gateway's"),
    row("b42c", &[("from", "РауРаl Ѕupport <a@xn--pypal-4ve.invalid>")], &[])
        .left("scripts that are mixed and names of domains are findings of a gateway"),
    // One rule for names of files, and one name left where two could be read.
    row("c50a", &[("content-disposition", "evil.exe")], &["param.duplicate"])
        .written("Content-Disposition: attachment; filename*=utf-8''evil.exe"),
    row("c50c", &[("content-disposition", "good.txt")], &["param.duplicate"])
        .written("Content-Disposition: attachment; filename=good.txt"),
    row("c50d", &[("content-disposition", "evil.exe")], &[]),
    row("c50e", &[("content-disposition", "evil.exe")], &[]),
    row("c50f", &[("content-disposition", "evil.")], &["param.gap"])
        .written("Content-Disposition: attachment; filename*0=\"evil.\""),
    row("c50g", &[("content-disposition", "ev%69l.exe")], &[]),
    row(
        "c50i",
        &[("content-disposition", "../../etc/passwd .txt")],
        &["ew.control-char", "param.path"],
    )
    .left("a path stays in the text and is told: what it is saved under is the matter of who saves it"),
    row("c50j", &[("content-disposition", "a  X-Injected: yes")], &["ew.control-char"]),
    row("c50k", &[("content-disposition", "evil.exe")], &["param.rfc2047"]),
    row("c50l", &[("content-disposition", "bad boy.exe")], &["param.unquoted"]),
    row("c50n", &[("content-disposition", "noCharseté")], &["param.duplicate", "param.no-charset"])
        .written("Content-Disposition: attachment; filename*=utf-8''noCharset%C3%A9"),
    row("c50o", &[("content-disposition", "'evil.exe'")], &[]),
    row("c50p", &[("content-disposition", "日.exe")], &[])
        .written("Content-Disposition: attachment; filename*=utf-8''%E6%97%A5.exe"),
    row("c50q", &[("content-disposition", "evil.exe .txt")], &["hdr.nul"])
        .left("the NUL was not decoded, it stands in the message: it is copied and told (finding nul-in-header)"),
    row("c50r", &[("content-disposition", "evil.exe .txt\u{a0}")], &["ew.raw8bit"]),
    row("c52-", &[], &["hdr.too-long"]),
];

fn attacks() -> Option<Vec<(String, Vec<u8>)>> {
    let folder = shared::folder()?.join("attacks");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        let here =
            name.starts_with(['b', 'c']) || TABLE.iter().any(|row| name.starts_with(row.name));
        here && path.extension().is_some_and(|extension| extension == "eml")
    });
    files.sort();
    assert!(!files.is_empty(), "no attacks in {}", folder.display());
    let named =
        |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    Some(
        files
            .iter()
            .map(|path| (named(path), fs::read(path).unwrap()))
            .collect(),
    )
}

/// A field as a person reads it: text, `name <address>` or the name of a file.
fn shown(message: &Message<'_>, name: &str) -> String {
    let field = message
        .field(PartId::ROOT, name.as_bytes())
        .unwrap_or_else(|| panic!("no {name}"));
    let value = field.value.of(message.raw());
    match read(
        name.as_bytes(),
        value,
        &HeaderContext::default(),
        &mut Vec::new(),
    ) {
        Value::Text(text) | Value::Raw(text) => text,
        Value::Parameters(params) => params.get("filename").unwrap_or_default().to_owned(),
        Value::Addresses(list) => mailboxes(list)
            .iter()
            .map(mailbox)
            .collect::<Vec<_>>()
            .join(", "),
        other => panic!("{name}: {other:?}"),
    }
}

fn mailboxes(entries: Vec<Entry>) -> Vec<Mailbox> {
    let each = |entry| match entry {
        Entry::Mailbox(mailbox) => vec![mailbox],
        Entry::Group { list, .. } => list,
    };
    entries.into_iter().flat_map(each).collect()
}

fn mailbox(mailbox: &Mailbox) -> String {
    let name = mailbox
        .name
        .as_deref()
        .map_or(String::new(), |name| format!("{name} "));
    format!("{name}<{}>", mailbox.address)
}

#[test]
fn attacks_on_headers_give_what_is_expected_of_them() {
    let Some(attacks) = attacks() else { return };
    let mut wrong = Vec::new();
    for (file, raw) in &attacks {
        let rows: Vec<_> = TABLE
            .iter()
            .filter(|row| file.starts_with(row.name))
            .collect();
        let [row] = rows[..] else {
            wrong.push(format!("{file} stands in {} rows", rows.len()));
            continue;
        };
        for headers in [Headers::Words, Headers::RawUtf8, Headers::Keep] {
            wrong.extend(
                faults(row, raw, headers)
                    .into_iter()
                    .map(|fault| format!("{file} {headers:?}: {fault}")),
            );
        }
        if !row.left.is_empty() {
            println!("{file}: {}", row.left);
        }
    }
    for row in TABLE {
        let files = attacks
            .iter()
            .filter(|(file, _)| file.starts_with(row.name))
            .count();
        if files != 1 {
            wrong.push(format!("{} names {files} files", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn faults(row: &HeaderAttack, raw: &[u8], headers: Headers) -> Vec<String> {
    let mut faults = Vec::new();
    let policy = Policy::default().headers(headers);
    let outcome = process(raw, &policy);
    let (before, after) = (
        Message::parse(raw, &policy.limits),
        Message::parse(&outcome.bytes, &policy.limits),
    );
    let names = |message: &Message<'_>| -> Vec<Vec<u8>> {
        message
            .fields(PartId::ROOT)
            .iter()
            .map(|field| field.name.of(message.raw()).to_vec())
            .collect()
    };
    if names(&before) != names(&after) {
        faults.push("a field came or went".to_owned());
    }
    for (name, want) in row.reads {
        for (when, message) in [("before", &before), ("after", &after)] {
            let got = shown(message, name);
            if got != *want {
                faults.push(format!("{name} {when} reads {got:?}, not {want:?}"));
            }
        }
    }
    let found: BTreeSet<_> = outcome
        .report
        .events
        .iter()
        .map(|event| event.kind.code())
        .collect();
    for code in row.events {
        if !found.contains(code) {
            faults.push(format!("no {code} in {found:?}"));
        }
    }
    if let (Some(written), Headers::Words) = (row.written, headers)
        && !after
            .fields(PartId::ROOT)
            .iter()
            .any(|field| String::from_utf8_lossy(field.full.of(after.raw())).trim_end() == written)
    {
        faults.push(format!("no {written:?}"));
    }
    if headers == Headers::Words {
        faults.extend(second_names(&after));
    }
    faults
}

/// The names of files after the rewriting: one form of each, and no line end or NUL that was decoded.
fn second_names(message: &Message<'_>) -> Vec<String> {
    let Some(field) = message.field(PartId::ROOT, b"content-disposition") else {
        return Vec::new();
    };
    let value = field.value.of(message.raw());
    let (_, list) = params::scan(value);
    let mut forms: Vec<_> = list
        .iter()
        .map(|param| param.name.escape_ascii().to_string())
        .collect();
    let segments = forms.iter().all(|form| {
        form.strip_prefix("filename*")
            .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    });
    if segments {
        forms.truncate(1);
    }
    let mut faults = Vec::new();
    if forms.len() != 1 {
        faults.push(format!("forms of a name: {forms:?}"));
    }
    let read = params::parse(value, &HeaderContext::default(), &mut Vec::new());
    if read
        .get("filename")
        .is_some_and(|name| name.contains(['\r', '\n', '\0']))
    {
        faults.push("a control in a name".to_owned());
    }
    faults
}

/// Payloads whose address is not what stands behind the last `@` of the bytes, with the reason; all others are.
const ADDRESSES: &[(&str, &str, &str)] = &[
    (
        "a@evil.invalid(@good.invalid)",
        "a@evil.invalid",
        "what stands in a comment is no part of an address (RFC 5322 3.2.2)",
    ),
    (
        "a\u{240}evil.invalid\u{23e}",
        "a\u{240}evil.invalid\u{23e}",
        "there is no at sign in it",
    ),
];

/// Each line of the list of addresses: read, decoded and rewritten, the address stays what its bytes are.
#[test]
fn no_decoding_changes_an_address() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let list = fs::read_to_string(shared.join("attacks/b33-email-atom-payloads.list")).unwrap();
    let mut wrong = Vec::new();
    let mut lines = 0;
    for line in list.lines() {
        lines += 1;
        let exception = ADDRESSES.iter().find(|(payload, ..)| *payload == line);
        let domain = line.rsplit_once('@').map_or("", |(_, domain)| domain);
        let read =
            |value: &[u8]| mailboxes(addresses(value, &HeaderContext::default(), &mut Vec::new()));
        let right = |value: &[u8]| match (&read(value)[..], exception) {
            ([one], Some((_, address, _))) => one.address == *address,
            ([one], None) => {
                one.address
                    .rsplit_once('@')
                    .is_some_and(|(_, found)| found == domain)
                    && line.contains(&one.address)
            }
            _ => false,
        };
        if !right(line.as_bytes()) {
            wrong.push(format!("{line:?} reads {:?}", read(line.as_bytes())));
        }
        let text = header::decode(
            line.as_bytes(),
            FieldKind::Structured,
            &HeaderContext::default(),
            &mut Vec::new(),
        );
        let spaced = |c: char| c == '\u{200b}' || c == '\u{ad}' || !c.is_control();
        if text != line || !text.chars().all(spaced) {
            wrong.push(format!("{line:?} decodes to {text:?}"));
        }
        for headers in [Headers::Words, Headers::RawUtf8] {
            for value in [line.to_owned(), format!("=?iso-8859-1?Q?=E9?= <{line}>")] {
                let raw = format!("From: {value}\nTo: {value}\n\nx\n");
                let outcome = process(raw.as_bytes(), &Policy::default().headers(headers));
                let after = Message::parse(&outcome.bytes, &Policy::default().limits);
                for name in [&b"from"[..], b"to"] {
                    let value = after
                        .field(PartId::ROOT, name)
                        .unwrap()
                        .value
                        .of(after.raw());
                    let stands = memchr::memmem::find(value, line.as_bytes()).is_some();
                    // Without an at sign it is a name, and may become words that read so.
                    let reads = || {
                        let context = HeaderContext::default();
                        header::decode(value, FieldKind::Structured, &context, &mut Vec::new())
                    };
                    if !stands && (line.contains('@') || !reads().contains(line)) {
                        wrong.push(format!(
                            "{line:?} {headers:?} becomes {}",
                            value.escape_ascii()
                        ));
                    }
                }
            }
        }
    }
    assert!(lines > 50, "{lines} addresses");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Ten times the words take at most fifteen times as long, and an open comment costs what other text does.
#[test]
fn floods_of_words_take_linear_time() {
    let Some(attacks) = attacks() else { return };
    let raw = |name: &str| {
        &attacks
            .iter()
            .find(|(file, _)| file.starts_with(name))
            .unwrap()
            .1
    };
    let best = |raw: &[u8]| {
        let once = |_| {
            let start = Clock::start();
            std::hint::black_box(process(raw, &Policy::default()));
            start.elapsed()
        };
        (0..7).map(once).min().unwrap_or_default()
    };
    let (few, many) = (best(raw("b39a")), best(raw("b39b")));
    println!("{few:?} for 2,000, {many:?} for 20,000");
    assert!(
        many < 15 * few + Duration::from_millis(2),
        "{few:?} for 2,000, {many:?} for 20,000"
    );
    let comments = raw("c52-");
    let (half, whole) = (best(&comments[..comments.len() / 10]), best(comments));
    assert!(
        whole < 15 * half + Duration::from_millis(2),
        "{half:?} for a tenth of the comments, {whole:?}"
    );
}
