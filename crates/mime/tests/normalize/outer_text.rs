//! Preambles and epilogues, such as the footers of mailing lists behind the closing delimiter.

#![allow(clippy::unwrap_used)]

use super::test_charsets::encoded;
use super::{codes, keeps_the_laws};
use mailglot_codec::Charset;
use mailglot_mime::{
    Bodies, CharsetOut, EventKind, Limits, OnLoss, Outcome, Policy, Transfer, process,
};

/// A multipart with one text part in a charset, a preamble and an epilogue.
fn message(preamble: &[u8], charset: &str, text: &[u8], epilogue: &[u8]) -> Vec<u8> {
    let part = format!("--b\nContent-Type: text/plain; charset={charset}\n\n");
    [
        b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\n",
        preamble,
        part.as_bytes(),
        text,
        b"\n--b--\n",
        epilogue,
    ]
    .concat()
}

/// The events about charsets with the bytes of their ranges.
fn events<'r>(raw: &'r [u8], outcome: &Outcome<'_>) -> Vec<(&'static str, String, &'r [u8])> {
    let events = outcome.report.events.iter();
    events
        .filter(|event| event.kind != EventKind::Cte8bitIn7bit)
        .map(|event| {
            (
                event.kind.code(),
                event.detail.to_string(),
                event.at.of(raw),
            )
        })
        .collect()
}

#[test]
fn text_around_the_parts_becomes_utf_8() {
    for (charset, name, text, outer) in [
        (
            "iso-8859-1",
            "ISO-8859-1",
            "Schöne Grüße aus Köln",
            "-- \nDiese Liste wird für alle geführt\n",
        ),
        ("koi8-r", "KOI8-R", "Привет, как дела?", "Вы подписаны\n"),
        ("big5", "Big5", "您好，請看附件，謝謝您的幫助", "取消訂閱\n"),
        (
            "shift_jis",
            "Shift_JIS",
            "お世話になっております。",
            "配信停止はこちら\n",
        ),
    ] {
        let (body, around) = (encoded(name, text), encoded(name, outer));
        for (preamble, epilogue) in [(&b""[..], &around[..]), (&around, b""), (&around, &around)] {
            let raw = message(preamble, charset, &body, epilogue);
            let outcome = process(&raw, &Policy::default());
            let new = std::str::from_utf8(&outcome.bytes).unwrap();
            assert_eq!(
                new.matches(outer).count(),
                usize::from(!preamble.is_empty()) + usize::from(!epilogue.is_empty()),
                "{new}"
            );
            assert!(new.contains("Content-Transfer-Encoding: 8bit\n\n"), "{new}");
            let found = events(&raw, &outcome);
            let codes: Vec<_> = found
                .iter()
                .filter(|(.., at)| around.starts_with(at))
                .map(|(code, ..)| *code)
                .collect();
            let each = ["charset.unlabelled", "charset.detected"];
            assert!(
                codes.len() >= 2 && codes.chunks(2).all(|pair| pair == each),
                "{found:?}"
            );
            keeps_the_laws(&raw);
        }
    }
}

/// Eudora stores the text of a multipart without its delimiters, and keeps the header.
#[test]
fn a_multipart_without_parts_is_converted_as_one_text() {
    let text = "Wir treffen uns um zwölf Uhr im Büro, schöne Grüße\n\nAttachment Converted: \"C:\\ATTACH\\Brief.doc\"\n";
    let body = encoded("windows-1252", text);
    for (fields, is_converted) in [
        ("multipart/mixed; boundary=\"=_x\"", true),
        ("multipart/alternative", true),
        // A label, a transfer encoding or parts with another boundary make it more than text.
        ("multipart/mixed; boundary=x; charset=koi8-r", false),
        (
            "multipart/mixed; boundary=x\nContent-Transfer-Encoding: base64",
            false,
        ),
        (
            "multipart/mixed; boundary=x\n\n--y\nContent-Type: text/plain",
            false,
        ),
        (
            "multipart/mixed\n\n--y\nContent-Transfer-Encoding: 8bit",
            false,
        ),
        ("multipart/mixed\nContent-Disposition: attachment", false),
        ("multipart/mixed\n\n<html><META CHARSET=koi8-r>", false),
        // Signatures and rulers are no delimiters.
        ("multipart/mixed\n\n-- \n-----", true),
    ] {
        let head = format!("From: a@b.example\nContent-Type: {fields}\n\n");
        let raw = [head.as_bytes(), &body].concat();
        let outcome = process(&raw, &Policy::default());
        let is_new = std::str::from_utf8(&outcome.bytes).is_ok_and(|new| new.contains(text));
        assert_eq!(is_new, is_converted, "{fields}");
        keeps_the_laws(&raw);
    }
}

/// The nearest evidence decides, as for a body without a label.
#[test]
fn text_around_the_parts_is_read_like_text_without_a_label() {
    let raw = message(
        b"",
        "koi8-r",
        &encoded("KOI8-R", "Привет"),
        &encoded("KOI8-R", "список"),
    );
    let outcome = process(&raw, &Policy::default());
    let at = &encoded("KOI8-R", "список")[..];
    assert_eq!(
        events(&raw, &outcome),
        [
            ("charset.unlabelled", "8-bit text".to_owned(), at),
            (
                "charset.detected",
                "read as KOI8-R (message)".to_owned(),
                at
            ),
        ]
    );
    // Beside UTF-8 its own letters decide.
    let footer = "Mehr Infos über die Liste für Köln: http://liste.example/";
    let raw = message(
        b"",
        "utf-8",
        "Grüße".as_bytes(),
        &encoded("windows-1252", footer),
    );
    let outcome = process(&raw, &Policy::default());
    assert!(outcome.bytes.ends_with(footer.as_bytes()));
    assert_eq!(outcome.report.guessed(), 1);
    let guess = &outcome.report.guesses[0];
    assert_eq!(
        (guess.used, guess.at.of(&raw)),
        (Charset::WINDOWS_1252, &encoded("windows-1252", footer)[..])
    );
    // A charset parameter of the multipart does not apply to its epilogue: `multipart/mixed; charset=koi8-r`.
    let raw = [
        b"Content-Type: multipart/mixed; charset=koi8-r; boundary=b\n\n--b\n\nx\n--b--\n",
        &encoded("windows-1252", footer)[..],
    ]
    .concat();
    let outcome = process(&raw, &Policy::default());
    assert_eq!(outcome.report.guesses[0].declared, None);
    assert!(outcome.bytes.ends_with(footer.as_bytes()));
    keeps_the_laws(&raw);
}

#[test]
fn utf_8_and_ascii_around_the_parts_stay() {
    for outer in [
        "-- \nliste für alle\n",
        "\u{1b}[1mlist\u{1b}[0m\n",
        "谢谢\n",
    ] {
        let raw = message(outer.as_bytes(), "us-ascii", b"x", outer.as_bytes());
        let outcome = process(&raw, &Policy::default());
        assert_eq!(*outcome.bytes, *raw);
        assert_eq!(events(&raw, &outcome), []);
        keeps_the_laws(&raw);
    }
}

#[test]
fn japanese_in_escape_sequences() {
    let jis = encoded("ISO-2022-JP", "購読の解除");
    let raw = message(
        b"",
        "iso-2022-jp",
        &encoded("ISO-2022-JP", "お知らせ"),
        &jis,
    );
    let outcome = process(&raw, &Policy::default());
    assert!(outcome.bytes.ends_with("購読の解除".as_bytes()));
    keeps_the_laws(&raw);
    // 7-bit mail stays 7-bit.
    for transfer in [Transfer::Clean, Transfer::SevenBit] {
        let outcome = process(&raw, &Policy::default().transfer(transfer));
        assert!(outcome.bytes.ends_with(&jis) && outcome.bytes.is_ascii());
    }
    let policy = Policy::default().charset_out(CharsetOut::Iso2022Jp);
    assert_eq!(*process(&raw, &policy).bytes, *raw);
    for epilogue in ["購読の解除".as_bytes(), &encoded("EUC-JP", "購読の解除")] {
        let raw = message(b"", "euc-jp", &encoded("EUC-JP", "お知らせです"), epilogue);
        let outcome = process(&raw, &policy);
        assert!(outcome.bytes.ends_with(&jis) && outcome.bytes.is_ascii());
        assert_eq!(*process(&outcome.bytes, &policy).bytes, *outcome.bytes);
    }
    let raw = message(b"", "us-ascii", b"x", "10 €".as_bytes());
    let outcome = process(&raw, &policy);
    assert!(outcome.report.has(EventKind::CharsetBeyondOut) && *outcome.bytes == *raw);
}

/// Text that stays, and the event with its bytes.
#[test]
fn what_stays_is_told() {
    let latin = encoded("ISO-8859-1", "für alle geführt");
    let lines = |before: &str, after: &str| [before.as_bytes(), &latin, after.as_bytes()].concat();
    for (epilogue, code) in [
        (
            lines("\n--b\nContent-type: text/plain\n\n", "\n--b--\n"),
            "mime.unsettled",
        ),
        (
            lines("-----BEGIN PGP MESSAGE-----\n\n", ""),
            "mime.signed-untouched",
        ),
        (
            lines("=ybegin line=128 size=3 name=a\n", "\n=yend size=3\n"),
            "cte.yenc",
        ),
        (
            b"\x1b$B\x1b(B--o\n\x1b$BF|K\\\x1b(B\n".to_vec(),
            "mime.unsettled",
        ),
    ] {
        let inner = message(b"", "iso-8859-1", b"x", &epilogue);
        let raw = [
            &b"Content-Type: multipart/mixed; boundary=o\n\n--o\n"[..],
            &inner,
            b"\n--o--\n",
        ]
        .concat();
        let outcome = process(&raw, &Policy::default());
        assert_eq!(*outcome.bytes, *raw);
        let found = events(&raw, &outcome);
        assert!(
            found
                .iter()
                .any(|(known, _, at)| *known == code
                    && (epilogue.starts_with(at) || code == "cte.yenc")),
            "{code} {found:?}"
        );
        keeps_the_laws(&raw);
    }
    // Undecodable bytes.
    let raw = message(
        b"",
        "us-ascii",
        b"x",
        b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr alle Ma\xC3",
    );
    for (on_loss, is_new) in [(OnLoss::Keep, false), (OnLoss::Replace, true)] {
        let outcome = process(&raw, &Policy::default().on_loss(on_loss));
        assert_eq!(std::str::from_utf8(&outcome.bytes).is_ok(), is_new);
        let found = events(&raw, &outcome);
        let (code, detail) = ("charset.invalid-bytes", "truncated in UTF-8".to_owned());
        assert!(found.contains(&(code, detail, b"\xC3")), "{found:?}");
    }
    keeps_the_laws(&raw);
    // Bodies that the policy keeps, and text beyond the limit.
    let raw = message(b"", "us-ascii", b"x", &latin);
    let kept = process(&raw, &Policy::default().bodies(Bodies::Keep));
    assert_eq!(*kept.bytes, *raw);
    assert!(events(&raw, &kept).contains(&(
        "charset.unlabelled",
        "8-bit text".to_owned(),
        &latin[..]
    )));
    let limits = Limits::default().text(10);
    let unread = process(&raw, &Policy::default().limits(limits));
    assert_eq!(*unread.bytes, *raw);
    assert_eq!(
        events(&raw, &unread),
        [(
            "msg.too-large",
            "more than 10 bytes, left alone".to_owned(),
            &latin[..]
        )]
    );
}

#[test]
fn signed_multiparts_keep_their_epilogues() {
    let latin = encoded("ISO-8859-1", "für alle geführt");
    let inner = message(&latin, "iso-8859-1", &latin, &latin);
    let raw = [
        b"Content-Type: multipart/signed; boundary=s\n\n--s\n",
        &inner[..],
        b"\n--s\nContent-Type: application/pgp-signature\n\nx\n--s--\n",
        &latin,
    ]
    .concat();
    assert_eq!(*process(&raw, &Policy::default()).bytes, *raw);
    // A footer outside the signed part.
    let raw = [
        b"Content-Type: multipart/mixed; boundary=o\n\n--o\n",
        &raw[..],
        b"\n--o--\n",
        &latin,
    ]
    .concat();
    let outcome = process(&raw, &Policy::default());
    assert_eq!(outcome.edits.len(), 1);
    assert!(outcome.bytes.ends_with("für alle geführt".as_bytes()));
    keeps_the_laws(&raw);
}

#[test]
fn each_multipart_has_its_own_text() {
    let latin = encoded("ISO-8859-1", "für alle geführt");
    let cr_lf = |raw: Vec<u8>| {
        let lines: Vec<_> = raw.split(|b| *b == b'\n').collect();
        lines.join(&b"\r\n"[..])
    };
    let inner = message(&[&latin[..], b"\n"].concat(), "iso-8859-1", b"x", &latin);
    let raw = [
        b"Content-Type: multipart/mixed; boundary=o\n\n",
        &latin[..],
        b"\n--o\n",
        &inner,
        b"\n--o--\n",
        &latin,
    ]
    .concat();
    for raw in [cr_lf(raw.clone()), raw] {
        let outcome = process(&raw, &Policy::default());
        let new = std::str::from_utf8(&outcome.bytes).unwrap();
        assert_eq!(new.matches("für alle geführt").count(), 4, "{new}");
        keeps_the_laws(&raw);
    }
}

/// Readers show neither preamble nor epilogue, so a part there is lost.
#[test]
fn parts_around_a_multipart_are_reported() {
    let multipart = |before: &str, behind: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n{before}--b\n\nx\n--b--\n{behind}"
        )
    };
    let part = "Content-Type: text/plain\n\nlost\n";
    let two_fields = format!("Content-ID: <a>\n{part}");
    for (raw, is_lost) in [
        (multipart(&two_fields, ""), true),
        (multipart(part, ""), false),
        (multipart("", &format!("\n--b\n{part}--b--\n")), true),
        (multipart("This is a message in MIME format.\n", ""), false),
        (multipart("", "\n--\nSent to the list\n"), false),
        (multipart("", "\n--b--\n"), false),
    ] {
        keeps_the_laws(raw.as_bytes());
        let expected: &[&str] = if is_lost { &["mime.lost-part"] } else { &[] };
        assert_eq!(codes(raw.as_bytes()), expected, "{raw}");
    }
}
