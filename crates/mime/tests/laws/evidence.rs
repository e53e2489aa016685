//! Messages whose fields and parts tell of each other: with and without labels, in many charsets.

use crate::numbers::Numbers;

/// Labels, also such that name no charset. The empty one stands for a missing label.
const LABELS: [&str; 24] = [
    "",
    "",
    "",
    "us-ascii",
    "utf-8",
    "8859",
    "iso-8859-1",
    "iso-8859-2",
    "iso-8859-5",
    "windows-1252",
    "koi8-r",
    "shift_jis",
    "iso-2022-jp",
    "euc-jp",
    "gb2312",
    "big5",
    "euc-kr",
    "utf-7",
    "utf-16",
    "utf-16le",
    "hz-gb-2312",
    "x-unknown",
    "cp1026",
    "cp437",
];

/// Pieces of bodies and of words: text of several charsets, and what makes readers doubt.
const TEXTS: [&[u8]; 24] = [
    b"a word ",
    b"x",
    b"\n",
    b"\0",
    b"\0a\0b",
    b"a\0b\0",
    b"\x1b",
    b"\x1b$B$3$l\x1b(B",
    b"\x1b$)C",
    b"\x0e",
    b"~{8-~}",
    b"+AOk-",
    b"&uuml;",
    b"Gr\xfc\xdfe ",
    "Gr\u{fc}\u{df}e ".as_bytes(),
    b"\xf0\xd2\xc9\xd7\xc5\xd4 ",
    b"\x93\xfa\x96{\x8c\xea",
    b"\xc6\xfc\xcb\xdc\xb8\xec",
    b"\xd6\xd0\xce\xc4",
    b"\x81",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"<meta charset=koi8-r>",
    b"\xe9",
];

fn some_text(numbers: &mut Numbers) -> Vec<u8> {
    (0..numbers.below(5))
        .flat_map(|_| TEXTS[numbers.below(TEXTS.len())])
        .copied()
        .collect()
}

/// A message of one to three parts, with and without labels, and words in its header.
pub(crate) fn message(numbers: &mut Numbers) -> Vec<u8> {
    let mut raw = Vec::new();
    for name in ["Subject", "From", "X-Other"] {
        raw.extend_from_slice(format!("{name}: ").as_bytes());
        for _ in 0..numbers.below(3) {
            let label = LABELS[numbers.below(LABELS.len())];
            let text = some_text(numbers);
            if numbers.below(4) == 0 {
                raw.extend(
                    text.into_iter()
                        .filter(|byte| !matches!(byte, b'\n' | b'\0')),
                );
            } else {
                let word: String = text.iter().map(|byte| format!("={byte:02X}")).collect();
                raw.extend_from_slice(format!("=?{label}?Q?{word}?=").as_bytes());
            }
            raw.push(b' ');
        }
        raw.push(b'\n');
    }
    let parts = numbers.below(3);
    if parts == 0 {
        part(numbers, &mut raw);
        return raw;
    }
    raw.extend_from_slice(b"Content-Type: multipart/mixed; boundary=b\n\n");
    for _ in 0..=parts {
        raw.extend_from_slice(b"--b\n");
        part(numbers, &mut raw);
        raw.push(b'\n');
    }
    raw.extend_from_slice(b"--b--\n");
    raw
}

/// The rest of a header, and a body.
fn part(numbers: &mut Numbers, raw: &mut Vec<u8>) {
    let label = LABELS[numbers.below(LABELS.len())];
    let kind = ["plain", "html"][numbers.below(2)];
    match (numbers.below(3), label) {
        (0, _) => (),
        (_, "") => raw.extend_from_slice(format!("Content-Type: text/{kind}\n").as_bytes()),
        _ => raw
            .extend_from_slice(format!("Content-Type: text/{kind}; charset={label}\n").as_bytes()),
    }
    let text = some_text(numbers);
    match numbers.below(4) {
        0 => {
            raw.extend_from_slice(b"Content-Transfer-Encoding: quoted-printable\n\n");
            raw.extend(
                text.iter()
                    .flat_map(|byte| format!("={byte:02X}").into_bytes()),
            );
        }
        1 => raw.extend_from_slice(&[b"Content-Transfer-Encoding: 8bit\n\n", &text[..]].concat()),
        _ => raw.extend_from_slice(&[b"\n", &text[..]].concat()),
    }
}
