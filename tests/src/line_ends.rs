//! Builds messages whose parts mix line ends: CR, LF, CR LF and CR CR LF, escaped or not, in many charsets and kinds of messages.

use crate::rng::Rng;
use mailglot_codec::{Charset, LossLog, Unmappable, View};
use mailglot_mime::transfer::base64::encode_lines;

/// Labels of charsets. The empty one stands for none.
const LABELS: [&str; 34] = [
    "",
    "us-ascii",
    "utf-8",
    "utf-8",
    "iso-8859-1",
    "iso-8859-1",
    "iso-8859-2",
    "iso-8859-8",
    "windows-1252",
    "windows-1251",
    "koi8-r",
    "ibm437",
    "macintosh",
    "iso-2022-jp",
    "iso-2022-jp",
    "iso-2022-kr",
    "iso-2022-cn",
    "shift_jis",
    "euc-jp",
    "gbk",
    "gb18030",
    "hz-gb-2312",
    "hz-gb-2312",
    "big5",
    "euc-kr",
    "utf-7",
    "utf-7",
    "utf-16",
    "utf-16le",
    "utf-16be",
    "utf-32",
    "scsu",
    "cp1026",
    "x-unknown",
];

/// Words of texts. Characters that a charset lacks become question marks.
const WORDS: [&str; 20] = [
    "one",
    "two words",
    "Gr\u{fc}\u{df}e",
    "caf\u{e9} \u{e0} la carte",
    "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}",
    "\u{65e5}\u{672c}\u{8a9e}",
    "\u{4e2d}\u{6587}",
    "\u{d55c}\u{ad6d}\u{c5b4}",
    "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
    "\u{20ac}",
    "a;b;c",
    "From here on",
    ">From there",
    "--b",
    "--",
    ".",
    "a=b",
    "end ",
    "\t",
    "<meta charset=koi8-r>",
];

/// Line ends that a text may mix.
const ENDS: [&str; 8] = [
    "\n", "\r\n", "\r", "\r\r\n", "\n\r", "\n\n", "\r\n\r\n", "\n",
];

/// Returns a message of one to four parts.
///
/// # Panics
///
/// If a label of this module names no charset.
pub fn message(rng: &mut Rng) -> Vec<u8> {
    let eol = *rng.pick(&["\n", "\n", "\n", "\n", "\r\n", "\r\n", "\r\n", "\r"]);
    let mut raw = Vec::new();
    line(&mut raw, "From: a@example.org", eol);
    line(&mut raw, "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=", eol);
    if rng.chance(80) {
        line(&mut raw, "MIME-Version: 1.0", eol);
    }
    if rng.chance(60) {
        part(&mut raw, eol, rng);
    } else {
        multipart(&mut raw, eol, rng);
    }
    // A truncated message, or one without its last line end.
    match rng.below(12) {
        0 => raw.truncate(raw.trim_ascii_end().len()),
        1 => raw.push(b'\r'),
        2 => raw.truncate(raw.len() - rng.below(raw.len().min(8))),
        _ => {}
    }
    raw
}

/// Returns a copy of a message with one to six other line ends.
///
/// # Panics
///
/// If there are no seeds.
pub fn mutant(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&[u8]; 14] = [
        b"\r",
        b"\n",
        b"\r\n",
        b"\r\r\n",
        b"\n\r",
        b"=0D",
        b"=0A",
        b"=0D=0A",
        b"=0D=\n",
        b"=\n",
        b"=\r\n",
        b"=0D\n",
        b"=0D=0A=\n",
        b"\r\n\r\n",
    ];
    let mut bytes = rng.pick(seeds).clone();
    if rng.chance(30) {
        bytes.retain(|byte| *byte != b'\r');
    }
    for _ in 0..=rng.below(6) {
        let from = rng.below(bytes.len() + 1);
        let Some(at) = bytes[from..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map(|at| from + at)
        else {
            continue;
        };
        let start = at - usize::from(at > 0 && bytes[at - 1] == b'\r');
        let piece = rng.pick(&PIECES).iter().copied();
        // Replaces a line end, or precedes it.
        let end = if rng.chance(50) { at + 1 } else { start };
        bytes.splice(start..end, piece);
    }
    if rng.chance(20) {
        bytes.truncate(bytes.trim_ascii_end().len());
    }
    bytes
}

fn line(raw: &mut Vec<u8>, text: &str, eol: &str) {
    raw.extend_from_slice(text.as_bytes());
    raw.extend_from_slice(eol.as_bytes());
}

fn multipart(raw: &mut Vec<u8>, eol: &str, rng: &mut Rng) {
    // Two messages of a mailbox hardly ever share a boundary.
    let boundary = format!("b{:x}", rng.bits());
    line(
        raw,
        &format!("Content-Type: multipart/mixed; boundary={boundary}"),
        eol,
    );
    line(raw, "", eol);
    for _ in 0..=rng.below(3) {
        line(raw, &format!("--{boundary}"), eol);
        if rng.chance(10) {
            line(raw, "Content-Type: message/rfc822", eol);
            line(raw, "", eol);
        }
        part(raw, eol, rng);
        line(raw, "", eol);
    }
    if rng.chance(90) {
        line(raw, &format!("--{boundary}--"), eol);
    }
}

/// Appends the header of a text part and its body.
fn part(raw: &mut Vec<u8>, eol: &str, rng: &mut Rng) {
    let label = *rng.pick(&LABELS);
    let kind = *rng.pick(&["plain", "plain", "plain", "html", "csv"]);
    if !label.is_empty() {
        line(
            raw,
            &format!("Content-Type: text/{kind}; charset={label}"),
            eol,
        );
    }
    if rng.chance(8) {
        line(raw, "Content-Disposition: attachment", eol);
    }
    let mut bytes = encoded(&text(rng), label, rng);
    if rng.chance(5) {
        bytes.extend_from_slice(rng.pick::<&[u8]>(&[&b"\0"[..], b"\x81", b"\xff", b"\x1b$B"]));
    }
    let transfer = *rng.pick(&[
        "",
        "8bit",
        "quoted-printable",
        "quoted-printable",
        "base64",
        "base64",
        "x-uuencode",
    ]);
    if !transfer.is_empty() {
        line(raw, &format!("Content-Transfer-Encoding: {transfer}"), eol);
    }
    line(raw, "", eol);
    match transfer {
        "quoted-printable" => quoted(raw, &bytes, eol, rng),
        "base64" => base64(raw, &bytes, eol, rng),
        _ => raw.extend_from_slice(&bytes),
    }
}

/// Returns text with line ends of one form, or of several.
fn text(rng: &mut Rng) -> String {
    let forms: Vec<&str> = match rng.below(6) {
        0 => vec!["\n"],
        1 => vec!["\r\n"],
        2 => vec!["\r\n", "\n"],
        3 => vec!["\r"],
        _ => ENDS.to_vec(),
    };
    let mut text = String::new();
    for _ in 0..rng.below(7) {
        for _ in 0..rng.below(4) {
            text.push_str(rng.pick::<&str>(&WORDS));
        }
        if rng.chance(3) {
            text.push_str(&"long ".repeat(210));
        }
        text.push_str(rng.pick::<&str>(&forms));
    }
    if rng.chance(30) {
        text.push_str(rng.pick::<&str>(&WORDS));
    }
    text
}

/// Encodes the text in the charset of a label, or in another one.
fn encoded(text: &str, label: &str, rng: &mut Rng) -> Vec<u8> {
    let label = if rng.chance(4) || matches!(label, "" | "x-unknown") {
        *rng.pick(&LABELS)
    } else {
        label
    };
    let charset = match label {
        "" | "x-unknown" => Charset::UTF_8,
        label => Charset::for_label(label.as_bytes(), View::Mail)
            .charset()
            .expect("a known charset"),
    };
    charset
        .encode(text, Unmappable::QuestionMark, &mut LossLog::new())
        .into_owned()
}

/// Appends quoted-printable with line ends in all forms that writers use, and soft line breaks within and at them.
fn quoted(raw: &mut Vec<u8>, bytes: &[u8], eol: &str, rng: &mut Rng) {
    let soft = format!("={eol}");
    let mut rest = bytes;
    while let Some(&byte) = rest.first() {
        let (end, ways): (_, &[&str]) = match rest {
            [b'\r', b'\n', ..] => (
                2,
                &[
                    "E", "E", "=0D=0AS", "=0D=0A", "=0DSE", "=0DE", "=0DS=0AS", "=0D=0AE",
                ],
            ),
            [b'\n', ..] => (1, &["E", "E", "=0A", "=0AS", "S=0A"]),
            [b'\r', ..] => (1, &["=0D", "=0DS", "S=0D", "\r"]),
            _ => (1, &[]),
        };
        rest = &rest[end..];
        if ways.is_empty() {
            let plain = matches!(byte, b' '..=b'<' | b'>'..=b'~') && !rng.chance(3);
            if plain {
                raw.push(byte);
            } else {
                raw.extend_from_slice(format!("={byte:02X}").as_bytes());
            }
            if rng.chance(3) {
                raw.extend_from_slice(soft.as_bytes());
            }
            continue;
        }
        // The usual way, in most bodies.
        let way = if rng.chance(40) {
            ways[0]
        } else {
            *rng.pick(ways)
        };
        raw.extend_from_slice(way.replace('E', eol).replace('S', &soft).as_bytes());
    }
    if rng.chance(40) {
        raw.extend_from_slice(eol.as_bytes());
    }
}

fn base64(raw: &mut Vec<u8>, bytes: &[u8], eol: &str, rng: &mut Rng) {
    let ends = if rng.chance(90) {
        eol
    } else {
        *rng.pick(&["\n", "\r\n"])
    };
    encode_lines(
        bytes,
        *rng.pick(&[76, 76, 76, 72, 64, 60, 8]),
        ends.as_bytes(),
        raw,
    );
    if rng.chance(15) {
        for text in ["_______________", "A list of people", ""]
            .iter()
            .take(1 + rng.below(3))
        {
            line(raw, text, eol);
        }
        raw.extend_from_slice(rng.pick::<&[u8]>(&[&b""[..], b"\r\n", b"Gr\xfc\xdfe\n", b"x\r"]));
    } else if rng.chance(30) {
        raw.truncate(raw.trim_ascii_end().len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_follow_from_the_seed() {
        let make = |seed| {
            let mut rng = Rng::new(seed);
            (0..500).map(|_| message(&mut rng)).collect::<Vec<_>>()
        };
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
    }

    #[test]
    fn all_labels_and_variants_occur() {
        let mut rng = Rng::new(1);
        let all: Vec<u8> = (0..3000).flat_map(|_| message(&mut rng)).collect();
        let holds = |needle: &[u8]| memchr::memmem::find(&all, needle).is_some();
        for label in LABELS {
            assert!(holds(format!("charset={label}").as_bytes()), "{label}");
        }
        for way in [
            "=0D=0A=\n",
            "=0D=\n\n",
            "=0D\n",
            "=0A=\r\n",
            "=0D=\r\n\r\n",
            "\r\r\n",
            "x-uuencode",
            "=\r",
        ] {
            assert!(holds(way.as_bytes()), "{way:?}");
        }
    }
}
