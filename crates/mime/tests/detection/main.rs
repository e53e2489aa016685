//! What each value of `--detect` ([`Detection`]) does to labels, bodies, header fields and appended text.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod mixed_text;
#[path = "../../src/test_charsets.rs"]
mod test_charsets;

use mailglot_codec::{Charset, LossLog};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{self, FieldKind};
use mailglot_mime::{
    CharsetMap, Detection, EventKind, Limits, Message, Policy, Report, header_context, text_parts,
};
use test_charsets::encoded;

const ALL: [Detection; 3] = [
    Detection::Off,
    Detection::Unlabelled,
    Detection::Contradiction,
];

fn policy(detection: Detection) -> Policy {
    Policy::default().detection(detection)
}

/// The text of the only text part, and what was reported.
fn body(raw: &[u8], policy: &Policy) -> (String, Report) {
    let message = Message::parse(raw, &Limits::default());
    let mut report = Report::default();
    let parts = text_parts(&message, policy, &mut report);
    (parts[0].as_str().to_owned(), report)
}

fn subject(value: &[u8], detection: Detection) -> String {
    let raw = [b"Subject: ", value, b"\n\nx\n"].concat();
    let message = Message::parse(&raw, &Limits::default());
    let policy = policy(detection);
    let context = header_context(&message, &policy);
    header::decode(value, FieldKind::Unstructured, &context, &mut Vec::new()).into_owned()
}

/// Without detection a label is read as written, and raw bytes that are not UTF-8 are windows-1252.
#[test]
fn header_values_obey_as_bodies_do() {
    let russian = "Привет, как дела у вас";
    let koi8 = encoded("KOI8-R", russian);
    let misread = Charset::WINDOWS_1252
        .decode(&koi8, &mut LossLog::new())
        .into_owned();
    let words: Vec<u8> = koi8
        .iter()
        .flat_map(|byte| format!("={byte:02X}").into_bytes())
        .collect();
    let under = |label: &str| [b"=?", label.as_bytes(), b"?Q?", &words, b"?="].concat();
    let utf8 = b"=?iso-8859-1?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=";
    for (value, off, unlabelled, contradiction) in [
        (&koi8[..], misread.as_str(), russian, russian),
        (&under("unknown-8bit"), &misread, russian, russian),
        (&under("utf-8"), "\u{FFFD}", russian, russian),
        (
            utf8,
            "GrÃ¼Ã\u{178}e aus KÃ¶ln",
            "GrÃ¼Ã\u{178}e aus KÃ¶ln",
            "Grüße aus Köln",
        ),
        ("Grüße".as_bytes(), "Grüße", "Grüße", "Grüße"),
        (b"=?us-ascii?Q?Gr=C3=BC=C3=9Fe?=", "Grüße", "Grüße", "Grüße"),
    ] {
        for (detection, want) in ALL.into_iter().zip([off, unlabelled, contradiction]) {
            let text = subject(value, detection);
            let is_damage = want == "\u{FFFD}";
            assert!(
                text == want || is_damage && text.contains(want),
                "{detection:?} {text} {want}"
            );
        }
    }
}

/// Words of one charset do not say what raw bytes of another field are where nothing may be guessed.
#[test]
fn raw_bytes_of_fields_are_windows_1252_without_detection() {
    let raw = b"Subject: =?koi8-r?Q?=F0=D2=C9?=\nX-A: \xF0\xD2\xC9\xD7\n\nx\n";
    let message = Message::parse(raw, &Limits::default());
    for (detection, want) in [(Detection::Off, "ðÒÉ×"), (Detection::Unlabelled, "Прив")] {
        let policy = policy(detection);
        let context = header_context(&message, &policy);
        let text = header::decode(
            b"\xF0\xD2\xC9\xD7",
            FieldKind::Unstructured,
            &context,
            &mut Vec::new(),
        );
        assert_eq!(text, want);
    }
    let params = header::decode(
        b"attachment; filename*=iso-8859-1''Gr%C3%BC%C3%9Fe",
        FieldKind::Parameters,
        &HeaderContext::default().detection(Detection::Off),
        &mut Vec::new(),
    );
    assert!(params.contains("GrÃ¼Ã"), "{params}");
}

/// Runs of UTF-8 contradict a label that reads all bytes; bytes that UTF-8 cannot read do not.
#[test]
fn text_in_two_encodings_is_read_as_far_as_detection_may() {
    let single =
        b"Content-Type: text/plain; charset=iso-8859-1\n\nCommuniqu\xC3\xA9, caf\xE9 na\xEFve\n";
    let utf8 =
        b"Content-Type: text/plain; charset=utf-8\n\nGr\xC3\xBC\xC3\x9Fe\n-- \nJos\xE9 Garc\xEDa\n";
    for (detection, is_single, is_utf8) in [
        (Detection::Off, false, false),
        (Detection::Unlabelled, false, true),
        (Detection::Contradiction, true, true),
    ] {
        let (text, report) = body(single, &policy(detection));
        assert_eq!(
            text.contains("Communiqué"),
            is_single,
            "{detection:?} {text}"
        );
        assert_eq!(report.has(EventKind::CharsetMixed), is_single);
        assert_eq!(
            report.guessed(),
            0,
            "the label names the charset of what is not UTF-8"
        );
        let (text, report) = body(utf8, &policy(detection));
        assert_eq!(
            text.contains("José García"),
            is_utf8,
            "{detection:?} {text}"
        );
        assert_eq!(report.guessed(), u64::from(is_utf8));
        if is_utf8 {
            assert_eq!(report.guesses[0].used, Charset::WINDOWS_1252);
            assert!(
                report.guesses[0]
                    .confidence
                    .is_some_and(|confidence| confidence < 1.0)
            );
        }
    }
}

/// Words beside a name may be of a language that is rare in its charset.
#[test]
fn signs_within_words_are_letters_of_other_charsets() {
    let english = "This is out and has been forwarded to the list for review.\n\
                   Burning a disc works better, with all of the drivers enabled:\n\n";
    for (bytes, text) in [
        (
            &b"Copyright (C) 1995-2001 J\x94rg Schilling"[..],
            "Jörg Schilling",
        ),
        (b"He said \x93hello\x94and left", "“hello”and left"),
        (b"the quoted\x94text is here", "quoted”text"),
        (b"don\x94t worry about it", "don”t worry"),
    ] {
        let raw = [
            b"Content-Type: text/plain\n\n",
            english.as_bytes(),
            bytes,
            b"\n",
        ]
        .concat();
        let (got, report) = body(&raw, &Policy::default());
        assert!(got.contains(text), "{got}");
        assert!(
            report
                .events
                .iter()
                .any(|event| event.kind == EventKind::CharsetDetected)
        );
    }
}

/// A few shifts of HZ may be in any ASCII text, so without a label they count in Chinese mail only.
#[test]
fn hz_without_a_label_is_read_in_chinese_mail() {
    let hz = b"Subject: x\n\n~{VPND~} text\n";
    let words = b"Subject: =?gb2312?B?1tDOxA==?=\n\n~{VPND~} text\n";
    let chinese = Policy::default().language("zh".to_owned());
    let (read, plain) = ("中文 text\n".to_owned(), "~{VPND~} text\n".to_owned());
    for (raw, policy, text) in [
        (&hz[..], &chinese, &read),
        (words, &Policy::default(), &read),
        (hz, &Policy::default(), &plain),
        (words, &policy(Detection::Off), &plain),
    ] {
        assert_eq!(&body(raw, policy).0, text, "{}", raw.escape_ascii());
        let once = mailglot_mime::process(raw, policy);
        assert_eq!(&body(&once.bytes, policy).0, text);
        assert_eq!(mailglot_mime::process(&once.bytes, policy).edits, []);
    }
}

/// Pine labelled all text US-ASCII.
#[test]
fn several_characters_of_hz_are_read_without_a_label_of_chinese() {
    let hz = "~{9XSZOBV\\;aRi5DM(V*~}\nsee http://example.org/~user\n";
    let read = "关于下周会议的通知\nsee http://example.org/~user\n";
    let ascii = "Content-Type: text/plain; charset=us-ascii\n";
    let lisp = "(format t \"~{~a~^, ~}\" list) ~{LOOK~} ~{here~}\n";
    let utf8 = "Content-Type: text/plain; charset=utf-8\n";
    for (fields, text, want) in [
        ("", hz, read),
        (ascii, hz, read),
        (utf8, hz, hz),
        ("", lisp, lisp),
        ("", "~{LOOK~}\n", "~{LOOK~}\n"),
    ] {
        let raw = format!("{fields}Subject: x\n\n{text}");
        let policy = Policy::default();
        assert_eq!(body(raw.as_bytes(), &policy).0, want, "{raw}");
        let once = mailglot_mime::process(raw.as_bytes(), &policy);
        assert_eq!(body(&once.bytes, &policy).0, want);
        assert_eq!(mailglot_mime::process(&once.bytes, &policy).edits, []);
        let off = self::policy(Detection::Off);
        assert_eq!(body(raw.as_bytes(), &off).0, text);
    }
}

/// Plain text behind a base64 body obeys, too.
#[test]
fn appended_text_obeys() {
    let russian = "Привет, как дела у вас, пишите нам";
    let koi8 = encoded("KOI8-R", russian);
    let head = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n\
        R3LDvMOfZSBhdXMgS8O2bG4sIGRhcyBpc3QgVGV4dC4=\n\n-- \n";
    let raw = [&head[..], &koi8, b" (end)\n"].concat();
    for (detection, is_read) in [
        (Detection::Off, false),
        (Detection::Unlabelled, true),
        (Detection::Contradiction, true),
    ] {
        let new = mailglot_mime::process(&raw, &policy(detection))
            .bytes
            .into_owned();
        let (text, _) = body(&new, &Policy::default());
        assert!(text.starts_with("Grüße aus Köln"), "{text}");
        assert_eq!(text.contains(russian), is_read, "{detection:?} {text}");
    }
}

/// Bytes that neither GB 2312 nor its superset GBK decodes are reported as losses, not as `charset.superset`.
#[test]
fn damage_is_not_reported_as_a_superset() {
    for (value, is_superset) in [
        (&b"=?gb2312?B?xOO6w8rAvec=?="[..], false),
        (b"=?gb2312?B?xOO6w8rAvQ==?=", false),
        (b"=?gb2312?B?xOO6w4FA?=", true),
    ] {
        let mut findings = Vec::new();
        let context = HeaderContext::default();
        let _ = header::decode(value, FieldKind::Unstructured, &context, &mut findings);
        let has = findings
            .iter()
            .any(|finding| finding.kind == EventKind::CharsetSuperset);
        assert_eq!(has, is_superset, "{} {findings:?}", value.escape_ascii());
    }
}

/// The last line of base64 stays base64 where its first byte is damaged.
#[test]
fn a_damaged_last_line_of_base64_is_not_visible() {
    let line = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAx";
    for last in [
        "!GVzdA==",
        "*GVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q=",
        "%GVzdA==",
    ] {
        let raw = format!(
            "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{line}\n{line}\n{last}\n"
        );
        let (text, _) = body(raw.as_bytes(), &Policy::default());
        assert!(!text.contains(&last[1..7]), "{text}");
    }
    let raw = format!(
        "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{line}\n{line}\n*** a footer ***\n"
    );
    let (_, report) = body(raw.as_bytes(), &Policy::default());
    assert!(report.has(EventKind::CteB64Trailing));
}

/// With `always` a label is a hint: the bytes decide where detection is sure of them.
#[test]
fn labels_are_hints_where_all_text_is_detected() {
    let german = "Schöne Grüße aus Köln, bis später, für Jürgen und Frau Müller";
    let russian = "Привет, как дела у вас, давно не виделись";
    for (text, charset, label) in [
        (german, "ISO-8859-1", "koi8-r"),
        (german, "ISO-8859-1", "windows-1251"),
        (german, "windows-1252", "gbk"),
        (russian, "KOI8-R", "iso-8859-2"),
        (russian, "windows-1251", "windows-1252"),
        ("It’s a “test”, and that’s all", "windows-1252", "koi8-r"),
        // Right labels.
        (german, "ISO-8859-1", "iso-8859-1"),
        (russian, "KOI8-R", "koi8-r"),
        ("20 °C ± 5", "ISO-8859-1", "iso-8859-1"),
        ("20 °C", "KOI8-R", "koi8-r"),
        ("╔══╗ ║ok║ ╚══╝", "IBM437", "ibm437"),
        ("日本語のテキスト", "Shift_JIS", "shift_jis"),
    ] {
        let header = format!("Content-Type: text/plain; charset={label}\n\n");
        let raw = [header.as_bytes(), &encoded(charset, text), b"\n"].concat();
        let (decoded, report) = body(&raw, &policy(Detection::Always));
        assert_eq!(decoded.trim_end(), text, "{label}");
        let is_right = charset.eq_ignore_ascii_case(label);
        assert_eq!(report.overruled() == 0, is_right, "{label} {text}");
        assert_eq!(report.has(EventKind::CharsetDetected), !is_right, "{label}");
    }
    // What the caller says of a label counts.
    let mut map = CharsetMap::default();
    map.add("koi8-r", Charset::KOI8_R);
    let raw = [
        b"Content-Type: text/plain; charset=koi8-r\n\n",
        &encoded("ISO-8859-1", german)[..],
    ]
    .concat();
    let (decoded, _) = body(&raw, &policy(Detection::Always).charset_map(map));
    assert!(decoded.starts_with("SchЖne"), "{decoded}");
    // The words of header fields are bytes under a label, too.
    let words: Vec<u8> = encoded("ISO-8859-1", german)
        .iter()
        .flat_map(|byte| format!("={byte:02X}").into_bytes())
        .collect();
    let value = [b"=?windows-1251?Q?", &words[..], b"?="].concat();
    assert_eq!(subject(&value, Detection::Always), german);
    assert_ne!(subject(&value, Detection::Unlabelled), german);
}
