//! Characters of IBM under labels of EUC-JP, in three bytes as eucJP-ms has them, and in two as Microsoft has them.

use mailglot_codec::Charset;
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{FieldKind, decode};
use mailglot_mime::{Detection, Policy, process};

/// Encodes text as eucJP-ms, and checks that EUC-JP cannot decode it.
fn eucjp_ms(text: &str) -> Vec<u8> {
    let bytes = Charset::EUCJP_MS.encode_exact(text).expect("a character");
    assert_eq!(Charset::EUC_JP.decode_exact(&bytes), None, "{text}");
    bytes.into_owned()
}

fn letter(head: &str, body: &[u8]) -> Vec<u8> {
    [head.as_bytes(), b"\n\n", body].concat()
}

/// The codes of the events about the charset, and the text.
fn read(raw: &[u8], policy: &Policy) -> (Vec<&'static str>, String) {
    let outcome = process(raw, policy);
    let codes = outcome.report.events.iter().map(|event| event.kind.code());
    let codes = codes.filter(|code| code.starts_with("charset."));
    let text = String::from_utf8_lossy(&outcome.bytes);
    let body = text.split_once("\n\n").map(|(_, body)| body.to_owned());
    (codes.collect(), body.expect("a body"))
}

/// All characters of the rows that only eucJP-ms has, with their bytes.
fn rows_of_ibm() -> Vec<(String, [u8; 3])> {
    let pairs = (0xF3..=0xF4_u8).flat_map(|row| (0xA1..=0xFE_u8).map(move |cell| (row, cell)));
    let read = |(row, cell)| {
        let bytes = [0x8F, row, cell];
        let text = Charset::EUCJP_MS.decode_exact(&bytes)?.into_owned();
        Some((text, bytes))
    };
    pairs.filter_map(read).collect()
}

#[test]
fn bodies_are_read_in_the_superset() {
    let rows = rows_of_ibm();
    assert_eq!(rows.len(), 106);
    for c in ["髙", "﨑", "德", "ⅰ", "＇"] {
        assert!(rows.iter().any(|(known, _)| known == c), "{c}");
    }
    let before = "お世話になっております。";
    for (c, bytes) in rows {
        let body = [
            &Charset::EUC_JP.encode_exact(before).expect("kana")[..],
            &bytes,
        ]
        .concat();
        let raw = letter("Content-Type: text/plain; charset=euc-jp", &body);
        for detection in [Detection::Off, Detection::Contradiction, Detection::Always] {
            let policy = Policy::default().detection(detection);
            let text = format!("{before}{c}");
            assert_eq!(
                read(&raw, &policy),
                (vec!["charset.superset"], text),
                "{c} {detection:?}"
            );
        }
    }
    let raw = letter("Content-Type: text/plain; charset=euc-jp", &eucjp_ms("髙"));
    let outcome = process(&raw, &Policy::default());
    let event = &outcome.report.events[0];
    assert_eq!(event.detail.to_string(), "EUC-JP read as eucJP-ms");
    assert!(outcome.report.guesses.is_empty(), "{:?}", outcome.report);
}

#[test]
fn other_text_keeps_its_reading() {
    for (body, code) in [
        // Rows of NEC in two bytes, and JIS X 0212.
        (&b"\xAD\xA1 \xFC\xE2 \xF9\xAC \x8F\xBC\xF4 \xA4\xA2\xA4\xA4"[..], None),
        // Rows of NEC beside a row of IBM: eucJP-ms has characters of private use there.
        (b"\xFC\xE2 \x8F\xF4\xFB \xA4\xA2\xA4\xA4\xA4\xA6\xA4\xA8\xA4\xAA\xA4\xAB\xA4\xAD\xA4\xAF\xA4\xB1\xA4\xB3\xA4\xB5\xA4\xB7\xA4\xB9\xA4\xBB\xA4\xBD\xA4\xBF\xA4\xC1\xA4\xC4\xA4\xC6\xA4\xC8\xA4\xCA\xA4\xCB\xA4\xCC\xA4\xCD", Some("charset.invalid-bytes")),
        // Characters of private use.
        (b"\x8F\xF5\xA1 \xA4\xA2\xA4\xA4\xA4\xA6\xA4\xA8\xA4\xAA\xA4\xAB\xA4\xAD\xA4\xAF\xA4\xB1\xA4\xB3\xA4\xB5\xA4\xB7\xA4\xB9\xA4\xBB\xA4\xBD\xA4\xBF\xA4\xC1\xA4\xC4\xA4\xC6\xA4\xC8\xA4\xCA\xA4\xCB\xA4\xCC\xA4\xCD", Some("charset.invalid-bytes")),
    ] {
        let raw = letter("Content-Type: text/plain; charset=euc-jp", body);
        let (codes, text) = read(&raw, &Policy::default());
        assert_eq!(codes.first().copied(), code, "{codes:?} {text}");
    }
}

#[test]
fn words_parameters_and_raw_fields_are_read_in_the_superset() {
    let escaped = |text: &str, sign: &str| {
        let bytes = eucjp_ms(text);
        bytes.iter().fold(String::new(), |text, byte| {
            text + &format!("{sign}{byte:02X}")
        })
    };
    let mut findings = Vec::new();
    let context = HeaderContext::default();
    let word = format!("=?euc-jp?Q?{}?=", escaped("髙橋", "="));
    let text = decode(
        word.as_bytes(),
        FieldKind::Unstructured,
        &context,
        &mut findings,
    );
    assert_eq!(text, "髙橋");
    let codes: Vec<_> = findings.iter().map(|finding| finding.kind.code()).collect();
    assert_eq!(codes, ["charset.superset"]);
    let raw = format!(
        "Subject: {word}\nContent-Type: application/pdf; name*=euc-jp''{}\n\n",
        escaped("山﨑", "%")
    );
    let raw = [
        b"From: ".as_slice(),
        &eucjp_ms("髙橋"),
        b" <a@b.example>\n",
        raw.as_bytes(),
    ]
    .concat();
    let outcome = process(&raw, &Policy::default());
    assert_eq!(outcome.report.losses(), 0, "{:?}", outcome.report);
    let mail = mailglot_mime::Mail::parse(&raw);
    assert_eq!(mail.subject().as_deref(), Some("髙橋"));
    assert_eq!(mail.from()[0].name.as_deref(), Some("髙橋"));
    assert_eq!(&*mail.attachments()[0].safe_name(), "山﨑");
}

/// The charset that other text names decides, too.
#[test]
fn text_without_a_label_is_read_in_the_superset() {
    let head = "Subject: =?euc-jp?B?xvzL3A==?=\nContent-Type: text/plain";
    for text in ["髙橋です\n", "お世話になっております。髙橋です。\n"] {
        let (codes, body) = read(&letter(head, &eucjp_ms(text)), &Policy::default());
        assert_eq!(body, text, "{codes:?}");
    }
    let text = "お世話になっております。髙橋と申します。次の会議の予定をお知らせください。\n";
    let (codes, body) = read(
        &letter("Content-Type: text/plain", &eucjp_ms(text)),
        &Policy::default(),
    );
    assert_eq!(body, text, "{codes:?}");
}
