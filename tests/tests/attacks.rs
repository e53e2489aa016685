//! The attack messages of the shared material: expected text and structure, and the laws.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_mime::header::is_signature;
use mailglot_mime::{
    Message, PartId, Policy, Report, Transfer, apply_undo, process, text_parts, undo_edits,
};
use mailglot_tests::clock::Clock;
use mailglot_tests::shared;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// What an attack must give: beginning of its name, what its text holds, what it must not hold, events.
type AttackRow = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

const SCRIPT: &str = "<script>alert(1)</script>";

const EXPECTED: &[AttackRow] = &[
    // UTF-7 under each of its names, but never without one.
    ("a01-", &[SCRIPT], &["+ADw"], &[]),
    ("a02-", &["+ADw-script+AD4-"], &["<script"], &[]),
    ("a03a", &[SCRIPT], &["+ADw"], &[]),
    ("a03d", &[SCRIPT], &["+ADw"], &[]),
    ("a03i", &[SCRIPT], &["+ADw"], &[]),
    // Ill-formed UTF-8 becomes neither markup nor NUL, and swallows nothing.
    (
        "a06-",
        &[
            "a \u{FFFD}\u{FFFD}script\u{FFFD}\u{FFFD} b ",
            "\u{FFFD} end",
        ],
        &["<script", "\0"],
        &["charset.invalid-bytes"],
    ),
    ("a07-", &["\" onmouseover="], &[], &[]),
    // Shifts and escapes.
    ("a08-", &["\u{a5}"], &["\\"], &[]),
    ("a09-", &["<script>"], &["\u{1b}"], &[]),
    ("a10-", &["src=x onerror=alert(1)"], &["\u{1b}"], &[]),
    ("a11a", &["onclick=alert(1)>"], &["\u{0e}", "\u{0f}"], &[]),
    ("a11b", &["<b>x"], &["~{", "~}"], &[]),
    ("a11c", &[], &["\u{1b}", "\u{0e}"], &[]),
    ("a11d", &[], &["\u{1b}", "\u{0e}"], &[]),
    ("a11e", &[], &["\u{1b}"], &[]),
    // Wide forms.
    ("a13a", &[SCRIPT], &["\0"], &[]),
    ("a13b", &[SCRIPT], &["\0"], &[]),
    (
        "a13d",
        &["<b\u{fffd}>\u{fffd}"],
        &[],
        &["charset.invalid-bytes"],
    ),
    ("a13e", &[SCRIPT], &["\0"], &[]),
    ("a13g", &[], &["\0"], &[]),
    ("a13h", &[SCRIPT], &["\0"], &["cte.nul"]),
    // A bad lead byte does not swallow the quote behind it.
    (
        "a15a",
        &["\u{FFFD}\" onclick", "\u{30BD}\">"],
        &["\\"],
        &["charset.invalid-bytes"],
    ),
    (
        "a15b",
        &["\u{FFFD}\" onclick", "\u{50DC}\">"],
        &["\\"],
        &["charset.invalid-bytes"],
    ),
    (
        "a15c",
        &["\u{FFFD}\" onclick", "\u{529F}\">"],
        &["\\"],
        &["charset.invalid-bytes"],
    ),
    ("a15d", &["\" onclick"], &[], &[]),
    ("a15e", &["\" onclick"], &[], &[]),
    ("a15f", &["\" onclick"], &[], &[]),
    (
        "a17a",
        &["café"],
        &["\u{fffd}"],
        &["charset.utf8-in-legacy"],
    ),
    ("a17b", &["“q”", "…"], &["\u{85}"], &["charset.superset"]),
    ("a17d", &["<a>+ADw-</a>"], &["<a><"], &[]),
    // Several labels: that of RFC 2231, else the first that names a charset.
    (
        "a19a",
        &["+ADw-script"],
        &["<script"],
        &["charset.ambiguous"],
    ),
    ("a19b", &[SCRIPT], &["+ADw"], &["charset.ambiguous"]),
    ("a19c", &[SCRIPT], &["+ADw"], &[]),
    ("a19e", &[SCRIPT], &["+ADw"], &["charset.ambiguous"]),
    (
        "a19f",
        &["+ADw-script"],
        &["<script"],
        &["charset.garbage-label"],
    ),
    ("a19g", &[SCRIPT], &["+ADw"], &[]),
    ("a19i", &[SCRIPT], &["+ADw"], &["charset.garbage-label"]),
    ("a2102", &["abc"], &[], &["charset.alias"]),
    ("a2103", &["abc"], &[], &["charset.alias"]),
    ("a2104", &["abc"], &[], &[]),
    ("a2105", &["abc"], &[], &["charset.garbage-label"]),
    ("a2106", &["abc"], &[], &["charset.garbage-label"]),
    ("a2107", &["abc"], &[], &[]),
    // Labels that say nothing are no fault of text that needs none.
    ("a2108", &["abc"], &[], &["param.no-value"]),
    ("a2109", &["abc"], &[], &[]),
    ("a2111", &["abc"], &[], &["charset.unknown-label"]),
    ("a2112", &["abc"], &[], &[]),
    ("a2113", &["abc"], &[], &[]),
    // ASCII is something else in these two.
    ("a2116", &["/\u{c2}\u{c4}"], &["abc"], &["charset.alias"]),
    ("a2117", &["abc"], &[], &[]),
    ("a2118", &["\u{11}\u{12}\u{13}"], &["abc"], &[]),
    ("a2119", &["abc"], &[], &[]),
    ("a2120", &["abc"], &[], &["charset.alias"]),
    ("a2121", &["abc"], &[], &["charset.unknown-label"]),
    ("a2122", &["abc"], &[], &[]),
    ("a2123", &["abc"], &[], &[]),
    ("a2124", &["abc"], &[], &[]),
    ("a2125", &["abc"], &[], &[]),
    ("a23-", &["a\u{85}b\u{2028}c\u{2029}d"], &[], &[]),
    // Structure.
    ("d60a", &["x"], &[], &["mime.unclosed"]),
    ("d60b", &["boundary=\"b199\""], &[], &["mime.depth"]),
    ("d61a", &[], &[], &["mime.many-parts"]),
    ("d62-", &[], &[], &["hdr.many-fields"]),
    ("d63-", &["x"], &[], &[]),
    (
        "d64-",
        &["1\r\n--ab\r\n\r\n2"],
        &["--a\r\n"],
        &["mime.ambiguous-boundary"],
    ),
    // Transfer encodings: one reading each.
    ("d68a", &["<script>alert"], &[], &["cte.b64-trailing"]),
    ("d68b", &["<script>"], &[], &["cte.b64-trailing"]),
    ("d68c", &["<script>"], &[], &["cte.b64-truncated"]),
    ("d68d", &["<s~ript?"], &[], &[]),
    ("d68e", &["<script> =ZZ =3 "], &[], &["cte.qp-bad-escape"]),
    ("d68f", &["<\r\n.\r\n"], &[], &[]),
    ("d68g", &["<script>"], &[], &[]),
    ("d68j", &["begin 644 x"], &["<script"], &["cte.uuencode"]),
    (
        "d68k",
        &["PHNjcmlwdD4="],
        &["<script"],
        &["cte.wrong-label"],
    ),
    ("d68l", &["x"], &[], &[]),
    ("d68m", &["x"], &[], &[]),
    ("d71-", &[SCRIPT], &["+ADw"], &["mime.unclosed"]),
    ("d72-", &[], &[], &["mime.missing-boundary"]),
    ("d73-", &[SCRIPT], &["+ADw"], &[]),
    ("d74b", &[SCRIPT], &["+ADw"], &["hdr.blank-line"]),
    ("d74c", &[SCRIPT], &["+ADw"], &["hdr.no-colon"]),
    ("d75-", &[], &[], &["hdr.nul"]),
    ("d76-", &["xxxxxxxx"], &["\n\n"], &[]),
    ("d80-", &[SCRIPT], &["+ADw"], &["cte.wrong-label"]),
    ("d83-", &["ПР"], &[], &["mime.signed-untouched"]),
    ("d86-", &["日本 \r\n>> quoted \r\n-- \r\nsig"], &[], &[]),
    ("d87-", &[], &[], &["mime.partial"]),
];

/// Files of families a and d that are asked of elsewhere. Families b and c: `attack_headers.rs`; e and f are dialogues of a gateway.
const OTHERWISE: &[(&str, &str)] = &[
    ("a05-", "a header: `attack_headers.rs`"),
    ("a24-", "a header: `attack_headers.rs`"),
];

/// Attacks that leave the message as it is.
const UNTOUCHED: &[&str] = &[
    "a02-", "a2111", "a2121", "a2122", "a2123", "a17d", "d60b", "d64-", "d68j", "d68k", "d72-",
    "d80-", "d83-", "d87-",
];

fn attacks() -> Option<Vec<(String, Vec<u8>)>> {
    let folder = shared::folder()?.join("attacks");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
    files.sort();
    assert!(
        files.len() > 120,
        "{} attacks in {}",
        files.len(),
        folder.display()
    );
    let named = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    Some(
        files
            .iter()
            .map(|path| (named(path), fs::read(path).unwrap()))
            .collect(),
    )
}

/// All text of a message, and the codes of what was found in reading and in planning.
fn read(raw: &[u8]) -> (String, BTreeSet<&'static str>) {
    let policy = Policy::default();
    let message = Message::parse(raw, &policy.limits);
    let mut report = Report::with_limit(10_000);
    let parts = text_parts(&message, &policy, &mut report);
    let text: Vec<String> = parts
        .into_iter()
        .map(|part| part.text.into_owned())
        .collect();
    let planned = process(raw, &policy).report;
    let codes = report
        .events
        .iter()
        .chain(&planned.events)
        .map(|event| event.kind.code());
    (text.join("\n"), codes.collect())
}

#[test]
fn attacks_give_what_is_expected_of_them() {
    let Some(attacks) = attacks() else { return };
    let mut wrong = Vec::new();
    for (file, _) in attacks
        .iter()
        .filter(|(file, _)| file.starts_with(['a', 'd']))
    {
        let rows = EXPECTED
            .iter()
            .filter(|(name, ..)| file.starts_with(name))
            .count();
        let apart = OTHERWISE
            .iter()
            .filter(|(name, _)| file.starts_with(name))
            .count();
        if rows + apart != 1 {
            wrong.push(format!(
                "{file} stands in {rows} rows, and {apart} times among the others"
            ));
        }
    }
    for (name, has, lacks, codes) in EXPECTED {
        let (file, raw) = attacks
            .iter()
            .find(|(file, _)| file.starts_with(name))
            .unwrap_or_else(|| panic!("no {name}"));
        let (text, found) = read(raw);
        for piece in *has {
            if !text.contains(piece) {
                wrong.push(format!(
                    "{file}: no {piece:?} in {:?}",
                    &text.chars().take(200).collect::<String>()
                ));
            }
        }
        for piece in *lacks {
            if text.contains(piece) {
                wrong.push(format!(
                    "{file}: {piece:?} in {:?}",
                    &text.chars().take(200).collect::<String>()
                ));
            }
        }
        for code in *codes {
            if !found.contains(code) {
                wrong.push(format!("{file}: no {code} in {found:?}"));
            }
        }
    }
    for name in UNTOUCHED {
        let (file, raw) = attacks
            .iter()
            .find(|(file, _)| file.starts_with(name))
            .unwrap();
        if *process(raw, &Policy::default()).bytes != **raw {
            wrong.push(format!("{file} is touched"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every attack, and its output: idempotent, restorable, one label, true names of transfer encodings, no line too long that was written.
#[test]
fn attacks_keep_the_laws() {
    let Some(attacks) = attacks() else { return };
    for (name, raw) in &attacks {
        for transfer in [Transfer::EightBit, Transfer::SevenBit, Transfer::Keep] {
            let policy = Policy::default().transfer(transfer);
            let outcome = process(raw, &policy);
            let again = process(&outcome.bytes, &policy);
            assert!(again.edits.is_empty(), "{name}: a second pass edits");
            let undone = apply_undo(&outcome.bytes, &undo_edits(raw, &outcome.edits));
            assert_eq!(
                undone.as_deref(),
                Some(raw.as_slice()),
                "{name}: does not come back"
            );
            let (before, after) = (
                Message::parse(raw, &policy.limits),
                Message::parse(&outcome.bytes, &policy.limits),
            );
            assert_eq!(before.parts().len(), after.parts().len(), "{name}");
            for (index, (old, new)) in before.parts().iter().zip(after.parts()).enumerate() {
                assert_eq!(
                    (old.parent, &old.media, old.kind),
                    (new.parent, &new.media, new.kind),
                    "{name}"
                );
                let id = PartId(index as u32);
                let changed = old.body.of(raw) != new.body.of(&outcome.bytes);
                if changed {
                    one_label(name, &after, id);
                    let long = new
                        .body
                        .of(&outcome.bytes)
                        .split(|b| *b == b'\n')
                        .any(|line| line.len() > 999);
                    assert!(!long, "{name}: a line of more than 998 bytes was written");
                }
                same_addresses(name, &before, &after, id);
            }
        }
    }
}

/// A rewritten part has one charset, UTF-8, and one transfer encoding that every program knows.
fn one_label(name: &str, message: &Message<'_>, id: PartId) {
    let raw = message.raw();
    let value = |field: &[u8]| {
        message
            .field(id, field)
            .map(|f| f.value.of(raw).to_ascii_lowercase())
    };
    if let Some(content_type) = value(b"content-type") {
        let text = String::from_utf8_lossy(&content_type).into_owned();
        let labels = text.matches("charset").count();
        let utf8 = text.contains("utf-8");
        assert!(
            labels <= 1
                && (utf8 || labels == 0 || message.part(id).unwrap().body.of(raw).is_ascii()),
            "{name}: {text}"
        );
    }
    if let Some(transfer) = value(b"content-transfer-encoding") {
        let known: [&[u8]; 5] = [b"7bit", b"8bit", b"binary", b"base64", b"quoted-printable"];
        assert!(
            known.contains(&transfer.trim_ascii()),
            "{name}: {}",
            transfer.escape_ascii()
        );
    }
}

/// Fields stay as many; no line end comes into them; what stands in angle brackets stays, byte for byte.
fn same_addresses(name: &str, before: &Message<'_>, after: &Message<'_>, id: PartId) {
    let added: [&[u8]; 3] = [
        b"mime-version",
        b"content-type",
        b"content-transfer-encoding",
    ];
    let mut new = after.fields(id).iter();
    for old in before.fields(id) {
        let Some(field) = new.next() else {
            panic!("{name}: a field is gone")
        };
        let (field_name, value) = (field.name.of(after.raw()), field.value.of(after.raw()));
        assert_eq!(old.name.of(before.raw()), field_name, "{name}");
        if is_signature(field_name) {
            continue;
        }
        let angle = |value: &[u8]| -> Vec<Vec<u8>> {
            let inner = value.split(|b| *b == b'<').skip(1);
            inner
                .map(|rest| {
                    rest.split(|b| *b == b'>')
                        .next()
                        .unwrap_or_default()
                        .to_vec()
                })
                .collect()
        };
        if field_name.eq_ignore_ascii_case(b"to") || field_name.eq_ignore_ascii_case(b"from") {
            assert_eq!(angle(old.value.of(before.raw())), angle(value), "{name}");
        }
    }
    assert!(
        new.all(|field| added.contains(&&*field.name.of(after.raw()).to_ascii_lowercase())),
        "{name}"
    );
}

/// The attacks of many megabytes (family g): name, and what they must tell.
const BIG: &[(&str, &[&str])] = &[
    ("g01-", &["mime.depth"]),
    ("g02-", &["mime.many-parts", "mime.depth"]),
    ("g03-", &["hdr.many-fields"]),
    // Ten megabytes of To are beyond what is read of one field.
    ("g04-", &[]),
];

/// What must be told is told, and the whole takes at most thirty times as long as its first tenth, which fits a cache. The same families in
/// sizes that do, held to the ratio of the law, are in `linear.rs`.
#[test]
fn big_attacks_are_read_in_linear_time() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("python3")
        .arg(shared.join("attacks/gen_attacks.py"))
        .arg(folder.path())
        .arg("--big")
        .output()
        .expect("python3 can be started");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let mut seen = 0;
    for path in fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with('g') || path.extension().is_none_or(|extension| extension != "eml") {
            continue;
        }
        seen += 1;
        let row = BIG.iter().find(|(row, _)| name.starts_with(row));
        let (_, codes) = row.unwrap_or_else(|| panic!("{name} stands in no row"));
        let raw = fs::read(&path).unwrap();
        let outcome = process(&raw, &Policy::default());
        for code in *codes {
            let told = outcome
                .report
                .events
                .iter()
                .any(|event| event.kind.code() == *code);
            assert!(told, "{name}: no {code}");
        }
        let best = |raw: &[u8]| {
            let once = |_| {
                let start = Clock::start();
                std::hint::black_box(process(raw, &Policy::default()));
                start.elapsed()
            };
            (0..5).map(once).min().unwrap_or_default()
        };
        let (tenth, whole) = (best(&raw[..raw.len() / 10]), best(&raw));
        println!("{name} {tenth:?} for a tenth, {whole:?}");
        // What takes next to no time cannot be much more than linear.
        assert!(
            whole < 30 * tenth + Duration::from_millis(20),
            "{name}: {tenth:?} for a tenth, {whole:?}"
        );
    }
    assert_eq!(seen, BIG.len());
}
