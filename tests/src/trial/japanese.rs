//! Builds Japanese letters of known text, and checks mail in ISO-2022-JP against RFC 1468.
//!
//! Bytes come from `encoding_rs`. The rules are checked byte by byte here, without the crates under test.
//!
//! # Limits
//! Recognizes only the character sets of RFC 1468.

use super::smtp::Letter;
use crate::generate::{base64, base64_words, encode, quoted_printable};
use mail_parser::{Encoding, MessageParser, MimeHeaders, PartType};

const ESCAPE: u8 = 0x1B;
/// Length limits in bytes of a line (RFC 5322, section 2.1.1) and of an encoded word (RFC 2047, section 2).
const LONGEST_LINE: usize = 998;
const LONGEST_WORD: usize = 75;

/// Sentences that RFC 1468 can represent, as they are sent and as they arrive.
const TEXTS: [(&str, &str); 4] = [
    (
        "本日の会議は三階の会議室で行います。",
        "本日の会議は三階の会議室で行います。",
    ),
    (
        "ソフトウェアの表示をご確認ください。能力・予定・十分",
        "ソフトウェアの表示をご確認ください。能力・予定・十分",
    ),
    // Half-width letters arrive in full width.
    ("ﾃｽﾄをｶﾞｲﾄﾞの通りに", "テストをガイドの通りに"),
    (
        "Price (2004): 100 \"kakaku\" ~ 価格表\\",
        "Price (2004): 100 \"kakaku\" ~ 価格表\\",
    ),
];

/// Transfer of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TransferForm {
    Plain,
    Base64,
    QuotedPrintable,
}

/// Encoding of non-ASCII text in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fields {
    /// Encoded words, and RFC 2231 parameters.
    Words,
    /// Raw bytes in the body's charset.
    Raw,
}

/// The expected result for a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedChange {
    /// It arrives in ISO-2022-JP.
    Japanese,
    /// RFC 1468 lacks some of its characters: it is in UTF-8, and stays so.
    Beyond,
    /// No byte of it changes.
    Same,
}

/// A letter and the truth about it.
#[derive(Clone, Debug)]
pub struct JapaneseLetter {
    /// The letter as sent.
    pub letter: Letter,
    /// The expected result.
    pub fate: ExpectedChange,
    /// The expected subject, name of the sender and of the file, and texts.
    pub said: LetterText,
}

/// What a reader reads in a letter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LetterText {
    /// The subject.
    pub subject: String,
    /// The sender's name.
    pub sender: String,
    /// The name of the attached file.
    pub file: String,
    /// Text parts with LF line ends, without trailing ones.
    pub texts: Vec<String>,
}

/// Returns letters in each charset, transfer encoding and kind of header, numbered in the field of
/// [`number`](super::letters::number).
pub fn letters() -> Vec<JapaneseLetter> {
    let mut all = Vec::new();
    for charset in ["utf-8", "shift_jis", "euc-jp", "iso-2022-jp"] {
        for travels in [
            TransferForm::Plain,
            TransferForm::Base64,
            TransferForm::QuotedPrintable,
        ] {
            for fields in [Fields::Words, Fields::Raw] {
                let japanese = charset == "iso-2022-jp";
                if japanese && fields == Fields::Raw {
                    // Escape sequences in raw fields identify no charset.
                    continue;
                }
                // Encoded unnecessarily, and correct already.
                let fate = if japanese {
                    ExpectedChange::Same
                } else {
                    ExpectedChange::Japanese
                };
                all.push(letter(all.len(), charset, travels, fields, fate, ""));
            }
        }
    }
    all.push(letter(
        all.len(),
        "utf-8",
        TransferForm::Plain,
        Fields::Words,
        ExpectedChange::Beyond,
        "😀",
    ));
    for charset in ["shift_jis", "euc-jp", "utf-8"] {
        let mut known = letter(
            all.len(),
            charset,
            TransferForm::Plain,
            Fields::Words,
            ExpectedChange::Same,
            "",
        );
        let signature =
            "DKIM-Signature: v=1; a=rsa-sha256; d=test.invalid; s=a; h=from; bh=AAAA; b=AAAA\r\n";
        known.letter.data.splice(..0, signature.bytes());
        all.push(known);
    }
    all
}

fn letter(
    number: usize,
    charset: &str,
    travels: TransferForm,
    fields: Fields,
    fate: ExpectedChange,
    more: &str,
) -> JapaneseLetter {
    let japanese = charset == "iso-2022-jp";
    // Text already in ISO-2022-JP has no half-width letters in these trials. It keeps its text.
    let texts: Vec<_> = TEXTS
        .into_iter()
        .filter(|(sent, read)| !japanese || sent == read)
        .collect();
    let sent: Vec<String> = texts
        .iter()
        .map(|(sent, _)| format!("{sent}{more}"))
        .collect();
    let read = texts.iter().map(|(sent, read)| {
        if fate == ExpectedChange::Japanese {
            read
        } else {
            sent
        }
    });
    let read: Vec<String> = read.map(|text| format!("{text}{more}")).collect();
    // Raw Shift_JIS bytes that look like a backslash or an at sign are only used in encoded words.
    let (sender, file) = match fields {
        Fields::Words => ("山田　太郎", "価格表"),
        Fields::Raw => ("佐藤 次郎", "価格案"),
    };
    let (subject, sender, file) = (
        format!("会議の議事録{more}"),
        format!("{sender}{more}"),
        format!("{file}{more}.txt"),
    );
    let mut data = format!("X-Trial: {number}\r\n").into_bytes();
    let named = |field: &str, text: &str, rest: &str, data: &mut Vec<u8>| {
        data.extend_from_slice(format!("{field}: ").as_bytes());
        match fields {
            Fields::Words => {
                let word = base64_words(&encode(text, charset));
                data.extend_from_slice(format!("=?{charset}?B?{word}?=").as_bytes());
            }
            Fields::Raw => data.extend(encode(text, charset)),
        }
        data.extend_from_slice(format!("{rest}\r\n").as_bytes());
    };
    named("From", &sender, " <taro@test.invalid>", &mut data);
    named("Subject", &subject, "", &mut data);
    data.extend_from_slice(
        b"To: b@test.invalid\r\nDate: Mon, 1 Mar 2004 10:00:00 +0900\r\nMessage-ID: <1@test.invalid>\r\n\
          MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"cut\"\r\n\r\n",
    );
    part(
        &mut data,
        charset,
        travels,
        &format!("text/plain; charset={charset}"),
        &sent.join("\r\n"),
    );
    let page = |text: &str| {
        format!("<html><head><meta charset=\"{charset}\"></head><body>{text}</body></html>")
    };
    part(
        &mut data,
        charset,
        travels,
        &format!("text/html; charset={charset}"),
        &page(&sent[0]),
    );
    attachment(&mut data, &file, charset, fields);
    data.extend_from_slice(b"\r\n\r\nnothing\r\n--cut--\r\n");
    let texts = vec![read.join("\n"), read[0].clone()];
    JapaneseLetter {
        letter: Letter::new(data),
        fate,
        said: LetterText {
            subject,
            sender,
            file,
            texts,
        },
    }
}

/// Adds the header of an attachment, up to its file name.
fn attachment(data: &mut Vec<u8>, file: &str, charset: &str, fields: Fields) {
    data.extend_from_slice(
        b"--cut\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename",
    );
    match fields {
        Fields::Words => {
            let octets = encode(file, charset)
                .iter()
                .fold(String::new(), |all, byte| all + &format!("%{byte:02X}"));
            data.extend_from_slice(format!("*={charset}''{octets}").as_bytes());
        }
        Fields::Raw => {
            data.extend([b"=\"".to_vec(), encode(file, charset), b"\"".to_vec()].concat());
        }
    }
}

/// Adds a part of a multipart.
fn part(data: &mut Vec<u8>, charset: &str, travels: TransferForm, kind: &str, text: &str) {
    let label = match travels {
        TransferForm::Plain if charset == "iso-2022-jp" => "7bit",
        TransferForm::Plain => "8bit",
        TransferForm::Base64 => "base64",
        TransferForm::QuotedPrintable => "quoted-printable",
    };
    data.extend_from_slice(
        format!("--cut\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: {label}\r\n\r\n")
            .as_bytes(),
    );
    match travels {
        TransferForm::Plain => data.extend(encode(text, charset)),
        TransferForm::Base64 => base64(&encode(&format!("{text}\r\n"), charset), "\r\n", data),
        TransferForm::QuotedPrintable => {
            for line in text.split("\r\n") {
                quoted_printable(&encode(line, charset), "\r\n", data);
                data.extend_from_slice(b"\r\n");
            }
        }
    }
    data.extend_from_slice(b"\r\n");
}

/// Returns what mail-parser reads.
///
/// # Panics
/// If mail-parser rejects the message.
pub fn read(data: &[u8]) -> LetterText {
    let message = MessageParser::default().parse(data).expect("a message");
    let sender = message
        .from()
        .and_then(|from| from.first())
        .and_then(|from| from.name());
    let file = file_name(data).or_else(|| {
        let name = message.parts.iter().find_map(|part| part.attachment_name());
        name.map(str::to_owned)
    });
    let texts = message.parts.iter().filter_map(|part| match &part.body {
        PartType::Text(text) => Some(text.replace("\r\n", "\n").trim_end().to_owned()),
        PartType::Html(text) => {
            let text = text
                .split_once("<body>")
                .and_then(|(_, rest)| rest.split_once("</body>"));
            Some(text.map(|(text, _)| text.to_owned()).unwrap_or_default())
        }
        _ => None,
    });
    LetterText {
        subject: message.subject().unwrap_or_default().to_owned(),
        sender: sender.unwrap_or_default().to_owned(),
        file: file.unwrap_or_default(),
        texts: texts.collect(),
    }
}

/// Returns a file name in the form of RFC 2231. mail-parser decodes only its first segment.
///
/// Decodes each segment on its own, because encoding_rs treats two adjacent escape sequences as an attack.
fn file_name(data: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(data);
    let segments = text
        .split_ascii_whitespace()
        .filter(|word| word.starts_with("filename*"));
    let (mut name, mut encoding) = (String::new(), None);
    for segment in segments.filter_map(|word| Some(word.split_once('=')?.1.trim_end_matches(';'))) {
        let (label, octets) = segment.split_once("''").unwrap_or(("", segment));
        encoding = encoding_rs::Encoding::for_label(label.as_bytes()).or(encoding);
        let octets = percent_read(octets);
        let (text, _, lost) = encoding?.decode(&octets);
        name.push_str(&text);
        if lost {
            return None;
        }
    }
    (!name.is_empty()).then_some(name)
}

/// Describes what a receiver that only supports RFC 1468 cannot read in a message. Returns None if it can read everything.
///
/// # Panics
/// If mail-parser rejects the message.
pub fn illegal(data: &[u8]) -> Option<String> {
    if let Some(at) = data.iter().position(|byte| !byte.is_ascii()) {
        return Some(format!("eight bits at {at}"));
    }
    if let Some(line) = data
        .split(|byte| *byte == b'\n')
        .find(|line| line.len() > LONGEST_LINE + 1)
    {
        return Some(format!("a line of {} bytes", line.len()));
    }
    let message = MessageParser::default().parse(data).expect("a message");
    for part in &message.parts {
        let header = &data[part.offset_header as usize..part.offset_body as usize];
        if let Some(fault) = illegal_header(header) {
            return Some(fault);
        }
        if !matches!(part.body, PartType::Text(_) | PartType::Html(_)) {
            continue;
        }
        let body = &data[part.offset_body as usize..part.offset_end as usize];
        let bytes = match part.encoding {
            Encoding::None => body.to_vec(),
            Encoding::Base64 => base64_read(body),
            Encoding::QuotedPrintable => return Some("text in quoted-printable".to_owned()),
        };
        let label = part
            .content_type()
            .and_then(|kind| kind.attribute("charset"))
            .unwrap_or_default();
        let ascii = bytes.is_ascii() && !bytes.contains(&ESCAPE);
        if !label.eq_ignore_ascii_case("iso-2022-jp") && !ascii {
            return Some(format!("a text in {label:?}"));
        }
        if let Some(fault) = illegal_text(&bytes) {
            return Some(format!("text: {fault}"));
        }
    }
    None
}

/// Checks encoded words and extended parameters of a header.
fn illegal_header(header: &[u8]) -> Option<String> {
    if header.contains(&ESCAPE) {
        return Some("an escape sequence in a header".to_owned());
    }
    let text = String::from_utf8_lossy(header);
    for word in text.split_ascii_whitespace() {
        if let Some((before, rest)) = word.split_once("=?") {
            let inner = rest.trim_end_matches([';', ',']).strip_suffix("?=");
            let Some((charset, "B", text)) = inner.and_then(|inner| {
                let (charset, rest) = inner.split_once('?')?;
                let (encoding, text) = rest.split_once('?')?;
                Some((charset, encoding, text))
            }) else {
                return Some(format!("{word} is no word in B"));
            };
            if !before.is_empty()
                || word.len() > LONGEST_WORD
                || !charset.eq_ignore_ascii_case("iso-2022-jp")
            {
                return Some(format!("the word {word}"));
            }
            if let Some(fault) = illegal_text(&base64_read(text.as_bytes())) {
                return Some(format!("{word}: {fault}"));
            }
        }
        if let Some((name, value)) = word.split_once("*=") {
            // Only the first segment of a parameter has its charset.
            let first = name.split_once('*').is_none_or(|(_, number)| number == "0");
            let octets = if first {
                value.strip_prefix("iso-2022-jp''")
            } else {
                Some(value)
            };
            let Some(octets) = octets else {
                return Some(format!("the parameter {word}"));
            };
            if let Some(fault) = illegal_text(&percent_read(octets)) {
                return Some(format!("{word}: {fault}"));
            }
        }
    }
    None
}

/// Describes the first violation of RFC 1468 in a text.
fn illegal_text(bytes: &[u8]) -> Option<String> {
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let fault = |what: &str| Some(format!("line {number}: {what}: {}", line.escape_ascii()));
        let (mut rest, mut pairs, mut ascii) = (line, false, true);
        while let Some((byte, after)) = rest.split_first() {
            rest = match (*byte, after) {
                (ESCAPE, [b'(', set @ (b'B' | b'J'), rest @ ..]) => {
                    (pairs, ascii) = (false, *set == b'B');
                    rest
                }
                (ESCAPE, [b'$', b'@' | b'B', rest @ ..]) => {
                    (pairs, ascii) = (true, false);
                    rest
                }
                (ESCAPE, _) => return fault("an unknown escape sequence"),
                (0x21..=0x7E, [0x21..=0x7E, rest @ ..]) if pairs => rest,
                _ if pairs => return fault("half a pair"),
                (0x0E | 0x0F | 0x80.., _) => return fault("a byte that none may be"),
                _ => after,
            };
        }
        if !ascii {
            return fault("it does not end in ASCII");
        }
    }
    None
}

fn base64_read(text: &[u8]) -> Vec<u8> {
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

fn percent_read(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text.trim_end_matches(';').as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        let hex = after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        rest = if let (b'%', Some(octet)) = (byte, hex) {
            out.push(octet);
            &after[2..]
        } else {
            out.push(*byte);
            after
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_are_detected() {
        for (text, fault) in [
            (&b"plain\r\n\x1b$B8+\x1b(B\r\n"[..], None),
            (b"\x1b$B8+\x1b(J~\x1b(B", None),
            (b"\x1b$@8+\x1b(B", None),
            (b"\x1b$B8+", Some("does not end")),
            (b"\x1b$B8+\r\n\x1b(B", Some("does not end")),
            (b"\x1b(J~", Some("does not end")),
            (b"\x1b$B8\x1b(B", Some("half")),
            (b"\x1b$B8+ \x1b(B", Some("half")),
            (b"\x1b(I1\x1b(B", Some("unknown")),
            (b"\x1b$(D8+\x1b(B", Some("unknown")),
            (b"\x0e1\x0f", Some("none may be")),
            (b"\xb1", Some("none may be")),
        ] {
            let said = illegal_text(text);
            assert_eq!(
                said.is_some(),
                fault.is_some(),
                "{} {said:?}",
                text.escape_ascii()
            );
            assert!(
                said.unwrap_or_default().contains(fault.unwrap_or_default()),
                "{}",
                text.escape_ascii()
            );
        }
        let plain = |head: &str| illegal(format!("{head}\r\n\r\nx\r\n").as_bytes());
        assert_eq!(plain("Subject: =?ISO-2022-JP?B?GyRCOCsbKEI=?="), None);
        for head in [
            "Subject: =?ISO-2022-JP?B?GyRCOCs=?=",
            "Subject: =?UTF-8?B?44GC?=",
            "Subject: =?ISO-2022-JP?Q?a?=",
            "Subject: \x1b$B8+\x1b(B",
            "Content-Type: text/plain; name*=utf-8''%E3",
            "Content-Type: text/plain; name*=iso-2022-jp''%1B$B8+",
            "Subject: あ",
        ] {
            assert!(plain(head).is_some(), "{head}");
        }
    }

    #[test]
    fn letters_have_the_expected_text() {
        let letters = letters();
        for (at, known) in letters.iter().enumerate() {
            assert_eq!(super::super::letters::number(&known.letter.data), Some(at));
            // mail-parser reads no raw bytes of a legacy charset, and no other reader should.
            let raw =
                known.fate == ExpectedChange::Japanese && illegal(&known.letter.data).is_some();
            assert!(
                raw || known.fate != ExpectedChange::Japanese,
                "{at} needs no work"
            );
            if known.fate == ExpectedChange::Same {
                assert_eq!(read(&known.letter.data), known.said, "{at}");
            }
        }
        assert!(
            letters
                .iter()
                .filter(|known| known.fate == ExpectedChange::Japanese)
                .count()
                >= 18
        );
    }
}
