//! Raw header fields: damaged UTF-8, and charsets that the rest of the message names rightly or wrongly.

mod charset_of_the_body;
#[path = "../common/event_codes.rs"]
mod event_codes;
mod words_and_parameters;

use event_codes::codes;
use mailglot_codec::{Charset, View};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{FieldKind, decode};
use mailglot_mime::{Detection, EventKind, Mail, Policy, Report, params, process};

/// Encodes text in the charset of a label.
fn encoded(label: &str, text: &str) -> Vec<u8> {
    let charset = Charset::for_label(label.as_bytes(), View::Mail).charset();
    let bytes = charset.expect("a known label").encode_exact(text);
    bytes.expect("the charset has every character").into_owned()
}

/// Returns a message with one field of raw bytes and a body in the charset of `label`. Without a label the body is UTF-8.
fn message(field: &str, value: &[u8], label: &str, body: &str) -> Vec<u8> {
    let mut raw = [field.as_bytes(), b": ", value, b"\n"].concat();
    if !label.is_empty() {
        raw.extend_from_slice(
            format!("MIME-Version: 1.0\nContent-Type: text/plain; charset={label}\n").as_bytes(),
        );
        raw.extend_from_slice(b"Content-Transfer-Encoding: 8bit\n");
    }
    raw.push(b'\n');
    let body = if label.is_empty() {
        body.as_bytes().to_vec()
    } else {
        encoded(label, body)
    };
    raw.extend_from_slice(&body);
    raw
}

/// Returns the decoded field. Asserts that rewriting keeps the text and that a second pass changes nothing.
fn text(raw: &[u8], field: &str) -> (String, Report) {
    let policy = Policy::default();
    let read = |raw: &[u8]| {
        let mail = Mail::parse(raw);
        mail.header(field).expect("the field is there").into_owned()
    };
    let before = read(raw);
    let outcome = process(raw, &policy);
    let once = &*outcome.bytes;
    let shown = raw.escape_ascii();
    assert_eq!(read(once), before, "{shown}");
    let twice = process(once, &policy).edits;
    assert!(twice.is_empty(), "{shown} {twice:?}");
    (before, outcome.report)
}

fn file_name(value: &[u8]) -> String {
    let params = params::parse(value, &HeaderContext::default(), &mut Vec::new());
    params.get("filename").unwrap_or_default().to_owned()
}

#[test]
fn cut_utf8_stays_utf8() {
    for (value, want) in [
        (
            &b"Einladung zum \xC3\x9Cbungsabend f\xC3\xBCr die Lehrkr\xC3"[..],
            "Einladung zum Übungsabend für die Lehrkr\u{FFFD}",
        ),
        (
            b"Termin mit den Lehrkr\xC3",
            "Termin mit den Lehrkr\u{FFFD}",
        ),
        (b"f\xC3\xBCr die Lehrkr\xC3...", "für die Lehrkr\u{FFFD}..."),
        (
            b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr J\xC3...",
            "Größe für J\u{FFFD}...",
        ),
        (b"Gr\xC3\xB6\xC3\x9Fe \xFF", "Größe \u{FFFD}"),
        (
            b"\xD0\x9B\xD0\xB8 \xD0\x9A\xD1\x81 \xD0\xB4\xD0\xBE\xD0\xBA\xD1",
            "Ли Кс док\u{FFFD}",
        ),
        (b"=?UTF-8?B?U2VuIHN1ZmnELi4u?=", "Sen sufi\u{FFFD}..."),
    ] {
        let raw = message("Subject", value, "", "hi\n");
        let (read, report) = text(&raw, "subject");
        assert_eq!(read, want);
        assert!(codes(&report).contains(&"charset.invalid-bytes"), "{want}");
        assert_eq!(report.guessed(), 0, "{want}");
    }
    let whole = "Приглашение 会議のお知らせ";
    for end in 1..whole.len() {
        if whole.is_char_boundary(end) {
            continue;
        }
        let raw = message("Subject", &whole.as_bytes()[..end], "", "hi\n");
        let start = (0..end).rev().find(|at| whole.is_char_boundary(*at));
        let want = &whole[..start.unwrap_or(0)];
        if want.len() > 3 {
            assert_eq!(text(&raw, "subject").0, format!("{want}\u{FFFD}"));
        }
    }
}

#[test]
fn stray_bytes_stand_in_utf8() {
    for (value, want) in [
        (
            &b"\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82 \x96 x"[..],
            "Привет – x",
        ),
        (b"R\xC3\xA9union \xC3\xA0 Caf\xE9", "Réunion à Café"),
        (b"caf\xC3\xA9 caf\xE9", "café café"),
        (b"R\xC3\xA9union \xE0 9 h", "Réunion à 9 h"),
    ] {
        let raw = message("Subject", value, "", "hi\n");
        let (read, report) = text(&raw, "subject");
        assert_eq!(read, want);
        assert!(codes(&report).contains(&"charset.mixed"), "{want}");
        assert_eq!((report.guessed(), report.losses()), (1, 0), "{want}");
    }
    let value = b"attachment; filename=\"R\xC3\xA9union Caf\xE9.pdf\"";
    assert_eq!(file_name(value), "Réunion Café.pdf");
    assert_eq!(
        file_name(b"attachment; filename=\"\xC3\x9Cbersicht \xC3.doc\""),
        "Übersicht \u{FFFD}.doc"
    );
    assert_eq!(
        file_name(b"attachment; filename=\"f\xC3\xBCr Lehrkr\xC3\""),
        "für Lehrkr\u{FFFD}"
    );
}

/// Programs fold long lines at a number of bytes.
#[test]
fn a_fold_within_a_character_is_removed() {
    for (charset, whole) in [
        ("UTF-8", "新版本，Größe"),
        ("GBK", "公司最新产品目录"),
        ("Big5", "請查收附件中的資料"),
        ("EUC-KR", "자료를보내드립니다"),
        ("Shift_JIS", "来週の予定の変更について"),
        ("EUC-JP", "未使用の依存関係を自動的に削除"),
    ] {
        let mut at = 0;
        let bytes = encoded(charset, whole);
        for c in whole.chars() {
            let length = encoded(charset, &c.to_string()).len();
            // A fold between characters stays a space.
            for (within, fold) in [(1, "\n "), (length - 1, "\r\n\t"), (length, "\n ")] {
                if at < 8 || within == 0 || at + within == bytes.len() {
                    continue;
                }
                let (before, after) = bytes.split_at(at + within);
                let value = [before, fold.as_bytes(), after].concat();
                let (read, report) = text(&message("Subject", &value, "", "hi\n"), "subject");
                let is_split = within < length;
                let want = if is_split {
                    whole.to_owned()
                } else {
                    let is_end = |place: &usize| {
                        whole.is_char_boundary(*place)
                            && encoded(charset, &whole[..*place]).len() == at + within
                    };
                    let place = (0..whole.len()).find(is_end);
                    let (one, other) = whole.split_at(place.expect("a boundary"));
                    format!("{one} {other}")
                };
                let shown = value.escape_ascii();
                assert_eq!(read, want, "{charset} {shown}");
                let is_reported = codes(&report).contains(&"ew.split-char");
                assert_eq!(is_reported, is_split, "{charset} {shown}");
            }
            at += length;
        }
    }
    // A name, and one blank in place of a fold.
    let raw = message(
        "From",
        b"\xE6\x96\xB0\xE7\n \x89\x88 <a@b.example>",
        "",
        "hi\n",
    );
    assert_eq!(text(&raw, "from").0, "新版 <a@b.example>");
    let raw = message(
        "Subject",
        b"Perch\xC3\xA9 \xC3\xA8 pi\xC3 \xB9 l\xC3\xA0, cos\xC3\xAC",
        "",
        "hi\n",
    );
    assert_eq!(text(&raw, "subject").0, "Perché è più là, così");
    // UTF-8 by chance.
    let raw = message("Subject", b"\xE9\xB0 \x9F\\", "", "hi\n");
    assert_ne!(text(&raw, "subject").0, "鰟\\");
    // Text in single bytes, whose folds are between words.
    for (charset, one, other) in [
        ("windows-1252", "voilà", "été à Genève"),
        ("windows-1251", "При", "Мир вам всем"),
        ("KOI8-R", "Как", "дела у вас"),
        ("windows-1253", "Καλημέρα", "και ευχαριστώ"),
    ] {
        let value = [
            encoded(charset, one),
            b"\n ".to_vec(),
            encoded(charset, other),
        ]
        .concat();
        let (read, report) = text(&message("Subject", &value, "", "hi\n"), "subject");
        assert_eq!(read, format!("{one} {other}"));
        assert!(!codes(&report).contains(&"ew.split-char"), "{one}");
    }
}

/// Legacy text contains UTF-8 sequences by chance.
#[test]
fn legacy_text_stays_legacy() {
    for (charset, value) in [
        ("windows-1252", "NESCAFÉ® GOLD, café"),
        ("windows-1252", "QUALITÉ\u{a0}: BON, été"),
        ("windows-1252", "AMANHÃ"),
        ("ISO-8859-2", "PÓŁKA I PÓŁ, wódka, książka"),
        ("KOI8-R", "её подъезд и другие слова"),
        ("windows-1251", "Приветствую всех, её здесь нет"),
        ("GBK", "小明你好，请看附件"),
        ("GBK", "谢谢大家的支持"),
    ] {
        let raw = message("Subject", &encoded(charset, value), "", "hi\n");
        assert_eq!(text(&raw, "subject").0, value);
    }
}

#[test]
fn each_field_has_its_own_charset() {
    let raw = [
        b"From: ",
        &*encoded("windows-1251", "Николай Петров"),
        b" <a@example.com>\nSubject: ",
        &encoded("KOI8-R", "Привет из Москвы"),
        b"\n\nhi\n",
    ]
    .concat();
    let (from, report) = text(&raw, "from");
    assert_eq!(from, "Николай Петров <a@example.com>");
    assert_eq!(text(&raw, "subject").0, "Привет из Москвы");
    assert_eq!(report.guessed(), 2);
}

/// A charset that the message names is not a guess, nor is its Windows code page.
#[test]
fn the_charset_of_the_message_is_no_guess() {
    let polish = ("iso-8859-2", "Zażółć gęślą jaźń\n");
    let russian = ("windows-1251", "Уважаемый Сергей Петрович!\n");
    for (charset, subject, (label, body), guesses) in [
        ("ISO-8859-2", "środa", polish, 0),
        ("windows-1250", "środa", polish, 0),
        ("KOI8-R", "Приглашение на встречу", russian, 1),
    ] {
        let raw = message("Subject", &encoded(charset, subject), label, body);
        assert_eq!(text(&raw, "subject").1.guessed(), guesses, "{charset}");
    }
}

#[test]
fn events_without_a_label_have_the_range_of_the_text() {
    for (charset, text) in [("KOI8-R", "Привет, как дела?\n"), ("UTF-8", "Grüße\n")]
    {
        let body = encoded(charset, text);
        let raw = [b"Subject: x\n\n", &*body].concat();
        let report = process(&raw, &Policy::default()).report;
        assert!(codes(&report).contains(&"charset.unlabelled"));
        for event in &report.events {
            let length = event.at.end - event.at.start;
            assert_eq!((event.at.start, length), (12, body.len()), "{event:?}");
        }
    }
    let raw = b"Content-Type: text/plain; charset=iso-8859-1\n\ncaf\xC3\xA9, na\xEFve\n";
    let report = process(raw, &Policy::default()).report;
    let mixed = report
        .events
        .iter()
        .find(|event| event.kind.code() == "charset.mixed");
    assert_eq!(
        mixed.map(|event| (event.at.start, event.at.end)),
        Some((46, raw.len()))
    );
}

#[test]
fn escape_sequences_do_not_outweigh_labels_without_detection() {
    let raw = b"Subject: =?iso-8859-1?B?GyRCMnE1RBsoQg==?=\n\nx\n";
    let subject = |policy: Policy| {
        let mail = Mail::parse_with(raw, policy);
        mail.subject().map(std::borrow::Cow::into_owned)
    };
    assert_eq!(subject(Policy::default()).as_deref(), Some("会議"));
    let off = Policy::default().detection(Detection::Off);
    assert_ne!(subject(off).as_deref(), Some("会議"));
}

#[test]
fn korean_shifts_in_a_subject_are_decoded() {
    let korean = b"\x1b$)C\x0e;uGX\x0f \x0e:9\x0f, \x0e89@L\x0f!";
    for start in [0, 4] {
        let raw = [b"Subject: ", &korean[start..], b"\n\nx\n"].concat();
        let once = process(&raw, &Policy::default());
        let codes: Vec<_> = once.report.events.iter().map(|e| e.kind.code()).collect();
        assert!(codes.contains(&"charset.detected"), "{codes:?}");
        for raw in [&raw, &*once.bytes] {
            let line = raw.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let value = &line["Subject: ".len()..];
            let context = HeaderContext::default();
            let text = decode(value, FieldKind::Unstructured, &context, &mut Vec::new());
            assert_eq!(text, "새해 복, 많이!");
        }
        assert!(process(&once.bytes, &Policy::default()).edits.is_empty());
    }
}

/// Signs between 80 and 9F are those of windows-1252, as in bodies.
#[test]
fn raw_signs_are_reported_in_windows_1252() {
    for (byte, charset) in [(0x99, "windows-1252"), (0xE9, "ISO-8859-1")] {
        let mut raw =
            b"Subject: cafe\nContent-Type: text/plain; charset=iso-8859-1\n\nBody\n".to_vec();
        raw[12] = byte;
        let report = process(&raw, &Policy::default()).report;
        let event = report
            .events
            .iter()
            .find(|event| event.kind == EventKind::EwRaw8bit);
        assert_eq!(
            event.map(|event| event.detail.to_string()).as_deref(),
            Some(charset)
        );
    }
}
