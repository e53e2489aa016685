//! Apostrophes of windows-1252 under labels that make letters of them, and text in which such letters are right.

use super::{doubtful, encoded, read, read_word};
use mailglot_codec::{Charset, View};
use mailglot_mime::Mail;

const LABELS: [&str; 13] = [
    "gb2312",
    "gbk",
    "gb18030",
    "big5",
    "big5-hkscs",
    "euc-kr",
    "ks_c_5601-1987",
    "shift_jis",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "cp866",
    "ibm850",
];

fn charset(label: &str) -> Charset {
    let resolved = Charset::for_label(label.as_bytes(), View::Mail);
    resolved.charset().unwrap_or_else(|| panic!("{label}"))
}

/// Asserts that bytes are read as windows-1252, in a body and in a word, with an event.
fn assert_overruled(label: &str, bytes: &[u8]) {
    let text = charset("windows-1252")
        .decode_exact(bytes)
        .expect("windows-1252");
    for (read, told) in [read(label, bytes), read_word(label, bytes, &doubtful())] {
        assert_eq!(read, text, "{label} {told:?}");
        let is_told = |told: &String| told.starts_with("charset.detected");
        assert!(told.iter().any(is_told), "{label} {told:?}");
    }
}

#[test]
fn apostrophes_alone_disprove_a_label() {
    for label in LABELS {
        assert_overruled(
            label,
            b"I don\x92t know whether it\x92s the right list, but we couldn\x92t find another one.",
        );
        assert_overruled(label, b"They\x92ve gone");
    }
    for label in &LABELS[..10] {
        assert_overruled(label, b"RE: China\x92s growth");
    }
    for label in ["koi8-r", "koi8-u"] {
        assert_overruled(label, b"He said \x93no\x94");
        assert_overruled(label, b"Today \x96 or tomorrow");
    }
}

#[test]
fn text_of_the_label_keeps_it() {
    for (label, text) in [
        ("gbk", "我们的 don抰 是乱码"),
        ("gbk", "Re: don抰 的问题"),
        ("gbk", "A股 T恤s"),
        ("gbk", "T恤s"),
        ("big5", "這件T恤's"),
        ("euc-kr", "A형 don't"),
        ("shift_jis", "p値"),
        ("shift_jis", "t値s, I知 p値ll"),
        ("koi8-r", "▒▓█ Menu █▓▒"),
        ("koi8-r", "Привет, don't ▓"),
        ("macintosh", "mi país es más"),
        ("x-mac-ce", "zaznít"),
        ("cp866", "Тест don't"),
    ] {
        let bytes = encoded(text, charset(label)).unwrap_or_else(|| panic!("{label} {text}"));
        assert_eq!(read(label, &bytes).0, text, "{label}");
        assert_eq!(read_word(label, &bytes, &doubtful()).0, text, "{label}");
    }
}

/// An English body does not make mojibake of the sender's name, which is under the same label.
#[test]
fn names_in_the_charset_of_the_label_stay() {
    for (label, name) in [
        ("gb2312", "王芳"),
        ("gb2312", "李明"),
        ("gbk", "张伟"),
        ("big5", "王大明"),
        ("euc-kr", "김철수"),
        ("shift_jis", "鈴木"),
        ("koi8-r", "Катя"),
        ("koi8-u", "Їжак"),
    ] {
        let bytes = encoded(name, charset(label)).unwrap_or_else(|| panic!("{label} {name}"));
        let word: Vec<String> = bytes.iter().map(|byte| format!("={byte:02X}")).collect();
        let word = word.concat();
        let head = format!(
            "From: =?{label}?Q?{word}?= <a@b.example>\nContent-Type: text/plain; charset={label}\n\n"
        );
        let raw = [head.as_bytes(), b"I don\x92t know, it\x92s late.\n"].concat();
        let from = Mail::parse(&raw)
            .header("From")
            .unwrap_or_default()
            .into_owned();
        assert_eq!(from, format!("{name} <a@b.example>"), "{label}");
    }
}
