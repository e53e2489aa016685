//! Runs the recipes of ledgers with a program written from `docs/ledger-format.md`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use mailglot_codec::{Charset, LossLog, Unmappable};
use mailglot_mime::transfer::base64::encode_lines;
use mailglot_mime::{OldBytes, Policy, Recipe, process, undo_edits};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Charsets of mail, and a text that each can represent.
const TEXTS: [(&[&str], &str); 7] = [
    (
        &[
            "windows-1252",
            "ISO-8859-1",
            "ISO-8859-15",
            "macintosh",
            "IBM850",
        ],
        "Les élèves où l'été a été gâché à Noël.\n",
    ),
    (
        &["ISO-8859-2", "windows-1250"],
        "Žluťoučký kůň úpěl ďábelské ódy o šesté hodině.\n",
    ),
    (
        &["KOI8-R", "windows-1251", "ISO-8859-5"],
        "Съешь же ещё этих мягких французских булок.\n",
    ),
    (
        &["Shift_JIS", "EUC-JP", "ISO-2022-JP"],
        "日本語のテキストです。これは漢字とかなの文章でございます。\n",
    ),
    (
        &["GBK", "GB18030", "GB2312", "HZ-GB-2312"],
        "这是一个简单的中文句子，我们在这里测试编码。\n",
    ),
    (&["Big5"], "這是一個簡單的中文句子，我們在這裡測試編碼。\n"),
    (
        &["EUC-KR", "ISO-2022-KR"],
        "이것은 한국어로 쓴 간단한 문장입니다. 우리는 여기에서 시험합니다.\n",
    ),
];

/// Returns messages in every form that has recipes.
///
/// They vary in charsets, line ends, widths of base64, charset names in documents, and ends without a line end.
fn messages() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (names, sentence) in TEXTS {
        for name in names {
            let charset = Charset::for_name(name).unwrap();
            let html = format!(
                "<html><head><meta charset=\"{name}\"></head><body>{}</body></html>\n",
                sentence.repeat(4)
            );
            for (media, text) in [("text/plain", sentence.repeat(9)), ("text/html", html)] {
                for form in 0..16 {
                    let text = if form & 1 == 0 {
                        text.clone()
                    } else {
                        text.replace('\n', "\r\n")
                    };
                    let text = if form & 2 == 0 {
                        &text
                    } else {
                        text.trim_end()
                    };
                    let mut log = LossLog::new();
                    let body = charset
                        .encode(text, Unmappable::Skip, &mut log)
                        .into_owned();
                    assert_eq!(log.losses(), 0, "{name}");
                    let eol = if form & 4 == 0 { "\n" } else { "\r\n" };
                    let (transfer, body) = if form & 8 == 0 {
                        ("8bit", body)
                    } else {
                        let mut lines = Vec::new();
                        encode_lines(
                            &body,
                            if form & 2 == 0 { 76 } else { 60 },
                            eol.as_bytes(),
                            &mut lines,
                        );
                        if form & 3 == 3 {
                            lines.truncate(lines.len() - eol.len());
                        }
                        ("base64", lines)
                    };
                    let header = format!(
                        "MIME-Version: 1.0\nContent-Type: {media}; charset={name}\nContent-Transfer-Encoding: {transfer}\n\n"
                    );
                    all.push([header.replace('\n', eol).as_bytes(), &body].concat());
                }
            }
        }
    }
    all
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[test]
fn independent_reader_gives_the_same_bytes() {
    let mut lines = String::new();
    let mut seen = BTreeSet::new();
    let mut charsets = BTreeSet::new();
    for raw in messages() {
        let outcome = process(&raw, &Policy::default());
        for (edit, undo) in outcome.edits.iter().zip(undo_edits(&raw, &outcome.edits)) {
            let OldBytes::Computed(recipe) = undo.old else {
                continue;
            };
            let bytes: &[u8] = Recipe::as_bytes(&recipe);
            let _ = writeln!(
                lines,
                "{} {} {}",
                hex(bytes),
                hex(&edit.with),
                hex(edit.span.of(&raw))
            );
            seen.extend([
                ("added", bytes[1]),
                ("line ends", bytes[2]),
                ("transfer", bytes[3]),
            ]);
            let name = &bytes[if bytes[3] == 0 { 4 } else { 5 }..];
            let (name, patches) = name[1..].split_at(usize::from(name[0]));
            charsets.insert(String::from_utf8(name.to_vec()).unwrap());
            seen.extend((!patches.is_empty()).then_some(("patches", 1)));
        }
    }
    for kind in [
        ("added", 1),
        ("line ends", 1),
        ("line ends", 2),
        ("transfer", 1),
        ("transfer", 5),
        ("transfer", 7),
        ("patches", 1),
    ] {
        assert!(seen.contains(&kind), "no sample has {kind:?}: {seen:?}");
    }
    assert!(charsets.len() >= 15, "{charsets:?}");
    let mut reader = Command::new("/usr/bin/python3")
        .args(["-c", include_str!("recipe.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("/usr/bin/python3 can be started");
    reader
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let told = reader.wait_with_output().unwrap();
    assert!(
        told.status.success(),
        "{seen:?} {charsets:?} {}",
        String::from_utf8_lossy(&told.stdout)
    );
}
