//! What each value of `--detect` ([`Detection`]) does to labels, bodies, header fields and appended text.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use mailglot_codec::{Charset, LossLog};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{self, FieldKind};
use mailglot_mime::{
    CharsetMap, Detection, EventKind, Limits, Message, Policy, Report, header_context, text_parts,
};

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

fn encoded(charset: &str, text: &str) -> Vec<u8> {
    let charset = Charset::for_name(charset).expect("a known charset");
    charset
        .encode_exact(text)
        .expect("the charset has every character")
        .into_owned()
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

/// The text, whether it was told to be mixed, and that a second pass changes nothing.
fn mixed_body(label: &str, bytes: &[u8]) -> (String, bool) {
    let head = match label {
        "" => "Subject: x\n\n".to_owned(),
        _ => format!("Content-Type: text/plain; charset={label}\n\n"),
    };
    let raw = [head.as_bytes(), bytes].concat();
    let (text, report) = body(&raw, &Policy::default());
    let once = mailglot_mime::process(&raw, &Policy::default());
    let twice = mailglot_mime::process(&once.bytes, &Policy::default());
    assert_eq!(twice.edits, [], "{label} {}", once.bytes.escape_ascii());
    assert_eq!(body(&once.bytes, &Policy::default()).0, text, "{label}");
    (text, report.has(EventKind::CharsetMixed))
}

/// Footers in UTF-8 are read under each label and without one, whatever charset the text before them has.
#[test]
fn footers_in_utf8_are_read_in_text_of_each_charset() {
    let korean = "오늘 저녁에 뭐 해? 집에서 숙제해. 너는?\n";
    let chinese = "你今天會來上課嗎？會啊，可是會晚一點到，路上塞車。\n";
    let japanese = "このメールは会議のお知らせです。ご返事をお待ちしております。\n";
    let russian = "Привет всем, пишите, как у вас дела на новом месте!\n";
    let polish = "> idziesz dziś na piwo? weź książkę\n";
    for (charset, text, footer) in [
        (
            "ISO-8859-2",
            polish,
            "Lista dyskusyjna użytkowników, wypisz się\n",
        ),
        ("windows-1251", russian, "Список рассылки\n"),
        ("windows-1251", russian, "Рассылка и архив о нём\n"),
        ("KOI8-R", russian, "Mailingliste für Nutzer\n"),
        ("IBM866", russian, "Список рассылки\n"),
        ("ISO-8859-5", russian, "Список рассылки\n"),
        ("EUC-KR", korean, "메일링 리스트 탈퇴 안내\n"),
        ("Big5", chinese, "郵件列表退訂請寫信\n"),
        ("EUC-JP", japanese, "Mailingliste für Nutzer\n"),
        ("Shift_JIS", japanese, "メーリングリスト\n"),
    ] {
        let bytes = [encoded(charset, text), footer.as_bytes().to_vec()].concat();
        let want = format!("{text}{footer}");
        assert_eq!(
            mixed_body(charset, &bytes),
            (want.clone(), true),
            "{charset}"
        );
        // Two letters of Polish and one footer do not prove ISO-8859-2.
        if charset != "ISO-8859-2" {
            assert_eq!(
                mixed_body("", &bytes),
                (want, true),
                "{charset} without label"
            );
        }
    }
}

/// Where nearly all of a text is UTF-8, its short words are, too.
#[test]
fn short_words_of_utf8_are_read_beside_one_other_byte() {
    let text = "Я и ты, а он с ней\nПривет, как дела? И сообщить о себе\n";
    for label in ["", "iso-8859-1", "windows-1252", "iso-8859-2"] {
        let bytes = [text.as_bytes(), b"a\xA0b\n"].concat();
        let want = format!("{text}a\u{A0}b\n");
        assert_eq!(mixed_body(label, &bytes), (want, true), "{label}");
    }
    // Half a character is damage.
    let bytes = [text.as_bytes(), b"x \xD0 y\n"].concat();
    assert_eq!(mixed_body("", &bytes).0, format!("{text}x \u{FFFD} y\n"));
}

/// Text in a wrong charset has a sequence of UTF-8 by chance.
#[test]
fn a_chance_sequence_in_mislabelled_text_is_not_mixed() {
    let text = "Labdien! Paldies par Jūsu vēstuli. Diemžēl šobrīd nevaram apstiprināt pasūtījumu,\n\
                jo noliktavā trūkst vajadzīgo preču. Lūdzu, sazinieties ar mums nākamnedēļ.\n";
    let bytes = encoded("IBM775", text);
    assert_eq!(mixed_body("iso-8859-1", &bytes), (text.to_owned(), false));
}

/// Escape sequences of ISO-2022-JP count beside UTF-8, and 8-bit bytes under its label are told.
#[test]
fn iso_2022_jp_is_read_beside_other_bytes() {
    let japanese = "こんにちは、皆さん。\n";
    let jis = encoded("ISO-2022-JP", japanese);
    for label in [
        "",
        "utf-8",
        "us-ascii",
        "iso-8859-1",
        "iso-2022-jp",
        "x-unknown",
    ] {
        for other in ["Grüße\n", "メーリングリスト\n", "José\n"] {
            let bytes = [&jis[..], other.as_bytes()].concat();
            let want = format!("{japanese}{other}");
            assert_eq!(mixed_body(label, &bytes), (want, true), "{label}");
        }
    }
    let codes = |bytes: &[u8]| {
        let raw = [
            &b"Content-Type: text/plain; charset=iso-2022-jp\n\n"[..],
            bytes,
        ]
        .concat();
        let (text, report) = body(&raw, &Policy::default());
        let codes = report.events.iter().map(|event| event.kind.code());
        (
            text,
            codes
                .filter(|code| code.starts_with("charset."))
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        codes(&encoded("EUC-JP", "山田太郎\n")),
        ("山田太郎\n".to_owned(), vec!["charset.detected"])
    );
    for kana in ["テスト\n", "サーバ\n", "データ\n"] {
        assert_eq!(
            codes(&encoded("EUC-JP", kana)),
            (kana.to_owned(), vec!["charset.detected"])
        );
    }
    for (bytes, kana) in [
        (&b"\xB1\xB2\xB3\xB4\n"[..], "ｱｲｳｴ\n"),
        (b"\xBA\xB3\xBA\xB8\n", "ｺｳｺｸ\n"),
        (b"\xBB\xB2\xBA\xB3 \xB6\xC5\n", "ｻｲｺｳ ｶﾅ\n"),
    ] {
        assert_eq!(codes(bytes), (kana.to_owned(), vec!["charset.superset"]));
    }
    assert_eq!(
        codes(&[&jis[..], b"\xB1\xB2\xB3\n"].concat()),
        (format!("{japanese}ｱｲｳ\n"), vec!["charset.superset"])
    );
}

/// Programs cut UTF-8 at a number of bytes, and go on.
#[test]
fn cut_characters_do_not_make_utf8_another_charset() {
    let bytes = b"Einladung zum \xC3\x9Cbungsabend f\xC3\xBCr die Lehrkr\xC3...\nmore\n";
    assert_eq!(
        mixed_body("", bytes).0,
        "Einladung zum Übungsabend für die Lehrkr\u{FFFD}...\nmore\n"
    );
}

/// Half characters of each script are losses, not Latin letters.
#[test]
fn cut_characters_of_each_script_are_lost() {
    for text in [
        "Η συνάντηση θα γίνει σήμερα",
        "الاجتماع سيكون غدا صباحا",
        "בבקשה לאשר את ההזמנה",
        "कृपया इस पत्र का उत्तर दें",
        "회의는 내일 오전에 시작합니다",
        "会议将于明天上午开始",
        "Собрание начнётся завтра",
    ] {
        let lead = text.chars().next_back().expect("not empty").to_string();
        let bytes = [text.as_bytes(), b" ", &lead.as_bytes()[..1], b"...\nmore\n"].concat();
        assert_eq!(
            mixed_body("", &bytes).0,
            format!("{text} \u{FFFD}...\nmore\n")
        );
    }
}

/// A Latin letter alone between words of UTF-8 is a word of the other charset.
#[test]
fn words_of_one_letter_are_read_beside_utf8() {
    for (bytes, text) in [
        (
            &b"R\xC3\xA9union \xC3\xA9 \xE0 Gen\xC3\xA8ve pr\xC3\xA9vue\n"[..],
            "Réunion é à Genève prévue\n",
        ),
        (
            b"Ge\xC3\xAFnteresseerd? \xE9\xE9n co\xC3\xB6rdinator, idee\xC3\xABn welkom\n",
            "Geïnteresseerd? één coördinator, ideeën welkom\n",
        ),
    ] {
        assert_eq!(mixed_body("", bytes), (text.to_owned(), true));
    }
}

#[test]
fn stray_bytes_that_are_no_word_are_damage() {
    for text in [
        "> 오늘 저녁에 뭐 해?\n\u{E0FF}\n집에서 숙제해. 너는?\n",
        "Привет! \u{E0FF} Как дела?\n",
    ] {
        let bytes = text.replace('\u{E0FF}', "~");
        let bytes: Vec<u8> = bytes
            .bytes()
            .map(|b| if b == b'~' { 0xFF } else { b })
            .collect();
        let mail = [b"\n", &bytes[..]].concat();
        let report = mailglot_mime::process(&mail, &Policy::default()).report;
        assert!(report.has(EventKind::CharsetInvalidBytes), "{text}");
        assert!(!report.has(EventKind::CharsetMixed), "{text}");
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

/// A digest has the messages of several senders as they were sent.
#[test]
fn japanese_by_escape_sequences_stands_beside_other_charsets() {
    for (charset, text) in [
        ("windows-1252", "Grüße aus Köln"),
        ("Shift_JIS", "資料を送ります。よろしくお願いします。"),
        ("EUC-JP", "資料を送ります。よろしくお願いします。"),
        ("windows-1251", "Привет, как дела?"),
    ] {
        for label in ["", "us-ascii", "utf-8"] {
            let body = [
                b"\x1b$B$3$s$K$A$O\x1b(B\n",
                &encoded(charset, text)[..],
                b"\n",
            ]
            .concat();
            let expected = format!("こんにちは\n{text}\n");
            assert_eq!(
                mixed_body(label, &body),
                (expected, true),
                "{charset} {label}"
            );
        }
    }
}

#[test]
fn damaged_utf8_beside_escape_sequences_stays_utf8() {
    for stray in [&b"caf\xE9"[..], b"M\xC3", b"\xFF", b"\x95"] {
        for label in ["", "us-ascii", "utf-8", "iso-8859-1"] {
            let head = format!("Content-Type: text/plain; charset={label}\n\n");
            let head = if label.is_empty() { "\n" } else { &head };
            let japanese = b"\x1b$B$3$s\x1b(B\n";
            let utf8 = "Grüße aus Köln, Привет\n".as_bytes();
            let raw = [head.as_bytes(), japanese, utf8, stray, b"\n"].concat();
            let (text, _) = body(&raw, &Policy::default());
            assert!(text.contains("Grüße aus Köln, Привет"), "{label} {text:?}");
        }
    }
}

/// Accented letters in words, and signs of typography, are UTF-8 in no text of another charset.
#[test]
fn certain_utf8_stays_beside_damage_and_lines_of_other_charsets() {
    let (kept, lost) = (
        "Ma\u{fffd}\u{fffd}ana, señor\n",
        "It’s fine.\n\n> \u{fffd}\u{fffd}\u{fffd}\n",
    );
    for (bytes, text) in [
        (b"Ma\xFF\xB1ana, se\xC3\xB1or\n".to_vec(), kept.to_owned()),
        (
            "It’s fine.\n\n> "
                .bytes()
                .chain(*b"\xE6\xA3\xC4\xCF\n")
                .collect(),
            lost.to_owned(),
        ),
    ] {
        assert_eq!(mixed_body("utf-8", &bytes).0, text);
    }
    for (charset, line) in [
        ("GBK", "王小明"),
        ("EUC-KR", "이영희"),
        ("windows-1253", "Άγγελος Ψαρράς"),
        ("KOI8-R", "Юлия Ежова"),
    ] {
        let own = "Grüße, Jürgen\n-- \n";
        let bytes = [own.as_bytes(), &encoded(charset, line)].concat();
        let (text, _) = mixed_body("utf-8", &bytes);
        assert_eq!(text, format!("{own}{line}"), "{charset}");
    }
}

/// Quotation marks are in every script: they do not make `à` the start of a character.
#[test]
fn letters_beside_quotation_marks_in_utf8_are_letters() {
    for (bytes, text) in [
        (
            &b"It\xE2\x80\x99s \xE2\x80\x9Cfine\xE2\x80\x9D vis-\xE0-vis\n"[..],
            "It’s “fine” vis-à-vis\n",
        ),
        (b"L\xE2\x80\x99Italia \xE8 bella\n", "L’Italia è bella\n"),
        (
            b"\xE2\x80\x9CNe\xE2\x80\x9D \xE7'kemi sot \xE2\x80\x93 asgj\xC3\xAB\n",
            "“Ne” ç'kemi sot – asgjë\n",
        ),
        (
            b"\xE2\x80\x9Cm\xC3\xBCde\xE2\x80\x9D: \xDF-Carotin\n",
            "“müde”: ß-Carotin\n",
        ),
    ] {
        assert_eq!(mixed_body("", bytes), (text.to_owned(), true));
    }
}

/// The charset that the caller names is asked before a guess, for lines beside UTF-8, too.
#[test]
fn the_charset_of_the_caller_comes_first() {
    let line = encoded("ISO-8859-2", "Pozdrawiam, Łukasz Wróbel");
    let raw = [
        b"Content-Type: text/plain; charset=utf-8\n\nGr\xC3\xBC\xC3\x9Fe\n-- \n",
        &line[..],
        b"\n",
    ]
    .concat();
    let named = policy(Detection::Contradiction).default_charset(Charset::for_name("ISO-8859-2"));
    assert!(body(&raw, &named).0.ends_with("Łukasz Wróbel\n"));
}

/// A byte order mark says that text is UTF-8, and a program may still append a line in another encoding.
#[test]
fn lines_behind_a_byte_order_mark_are_read() {
    let raw =
        b"Content-Type: text/plain\n\n\xEF\xBB\xBFGr\xC3\xBC\xC3\x9Fe\n-- \nJos\xE9 Garc\xEDa\n";
    assert_eq!(body(raw, &Policy::default()).0, "Grüße\n-- \nJosé García\n");
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

/// Damage is no proof of a superset.
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
