use super::*;
use crate::document_charset::Document;
use crate::event::{EventKind, Reason};
use crate::test_charsets::{charset_named, encoded};
use mailglot_codec::{LossLog, View};

fn choose_under<'b>(label: &str, bytes: &'b [u8]) -> Choice<'b> {
    let resolved = Some(Charset::for_label(label.as_bytes(), View::Mail));
    choose(
        bytes,
        &Evidence {
            label: Some(label.as_bytes()),
            resolved,
            ..Evidence::default()
        },
    )
}

fn used(label: &str, bytes: &[u8]) -> (&'static str, How) {
    let choice = choose_under(label, bytes);
    (choice.used.name(), choice.how)
}

#[test]
fn a_stateful_label_over_text_without_any_shift() {
    let text = "このメールは「m-FILTER」が自動的に生成しました。\n";
    let mut log = LossLog::new();
    for label in [
        "iso-2022-jp",
        "iso-2022-kr",
        "iso-2022-cn",
        "hz-gb-2312",
        "utf-7",
    ] {
        assert_eq!(
            used(label, text.as_bytes()),
            ("UTF-8", How::Utf8),
            "{label}"
        );
    }
    let shift_jis = Charset::SHIFT_JIS.encode(text, mailglot_codec::Unmappable::Skip, &mut log);
    assert_eq!(
        used("iso-2022-jp", &shift_jis),
        ("Shift_JIS", How::Detected)
    );
    for (label, bytes) in [
        ("iso-2022-jp", "\x1b$B8-\x1b(B \u{E9}\u{E9}".as_bytes()),
        ("hz-gb-2312", "~{8-~} \u{E9}\u{E9}".as_bytes()),
        ("utf-7", "+AOk- \u{E9}\u{E9}".as_bytes()),
    ] {
        assert_eq!(used(label, bytes).1, How::Label, "{label}");
    }
}

#[test]
fn damaged_escape_sequences_outweigh_labels() {
    const JAPANESE: &str = "\x1b$BF|K\\8l$N%F%-%9%H$G$9!#\x1b(B\n";
    let read = ("ISO-2022-JP", How::Structure);
    for damage in ["\x1b$BF|K\n", "\x1b", "\0", "\x1b[7m", "\x1b$B/~\x1b(B"] {
        let bytes = [JAPANESE, damage].concat();
        for label in ["us-ascii", "iso-8859-1", "utf-8", "koi8-r", "x-unknown"] {
            assert_eq!(used(label, bytes.as_bytes()), read, "{label} {damage:?}");
        }
    }
    let with_latin = [JAPANESE.as_bytes(), b"\x1b$BF|K\n-- \nJos\xE9 Mu\xF1oz\n"].concat();
    let (charset, how) = used("iso-8859-1", &with_latin);
    assert_eq!((charset, how), ("windows-1252", How::Detected));
    let within = [JAPANESE.as_bytes(), b"\x1b$BF|\xFFK\\\x1b(B\n"].concat();
    assert_eq!(used("iso-8859-1", &within), read);
    // ASCII with one sequence, and text of a terminal.
    for text in ["\x1b$B begins Japanese text\x1b\n", "\x1b(B\x1b)0\x1b=\n"] {
        assert_ne!(
            used("us-ascii", text.as_bytes()).0,
            "ISO-2022-JP",
            "{text:?}"
        );
    }
}

#[test]
fn sequences_of_hz_are_judged_together() {
    const CHINESE: &str = "~{NRCG=qLlTZ11>)?*;a#,4s<R6<:\\8_PK~}\n";
    let unlabelled = |bytes: &[u8]| choose(bytes, &Evidence::default()).used.name();
    for beside in [
        "DOS~{!\"~}Windows\n",
        "~{#!~}\n",
        "x ~{ y\n",
        "~{NRCG=qLlTZ1\n",
        "\0\n",
    ] {
        let bytes = [CHINESE, beside].concat();
        assert_eq!(unlabelled(bytes.as_bytes()), "HZ-GB-2312", "{beside}");
        assert_eq!(
            used("us-ascii", bytes.as_bytes()).0,
            "HZ-GB-2312",
            "{beside}"
        );
        assert_eq!(used("gb2312", bytes.as_bytes()).0, "HZ-GB-2312", "{beside}");
        assert_eq!(used("koi8-r", bytes.as_bytes()).0, "KOI8-R", "{beside}");
    }
    let latin = [CHINESE.as_bytes(), b"-- \nJos\xE9 Mu\xF1oz\n"].concat();
    let choice = choose(&latin, &Evidence::default());
    assert_eq!(
        (&*choice.text, choice.log.losses()),
        ("我们今天在北京开会，大家都很高兴\n-- \nJosé Muñoz\n", 0)
    );
    assert_eq!(
        unlabelled("DOS~{!\"~}Windows ~{#!~}\n".as_bytes()),
        "US-ASCII"
    );
    assert_eq!(unlabelled("~{VPND~} für ~{VPND~}\n".as_bytes()), "UTF-8");
}

#[test]
fn font_names_reveal_the_charset() {
    for (name, font) in [
        ("GBK", "仿宋_GB2312"),
        ("Big5", "新細明體"),
        ("EUC-KR", "굴림"),
        ("Shift_JIS", "ＭＳ 明朝"),
    ] {
        for html in [
            "<font face=FONT size=2>Save up to 40 on</font>",
            "<p style='font-family: \"FONT\"'>one</p>",
        ] {
            let charset = charset_named(name);
            let html = html.replace("FONT", font);
            let bytes = charset
                .encode_exact(&html)
                .expect("the charset has every character");
            let evidence = Evidence {
                document: Some(Document::Html),
                ..Evidence::default()
            };
            let choice = choose(&bytes, &evidence);
            assert_eq!((choice.how, &*choice.text), (How::Document, &*html));
        }
    }
}

#[test]
fn utf_16_without_a_mark_is_read_in_mail() {
    for text in [
        "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。\n",
        "道可道，非常道。名可名，非常名。无名天地之始；有名万物之母。故常无，欲以观其妙；常有，欲以观其徼。\n",
        "안녕하세요. 내일 회의는 열 시부터입니다. 잘 부탁드립니다.\n",
    ] {
        for charset in [Charset::UTF_16BE, Charset::UTF_16LE] {
            let bytes = charset
                .encode_exact(text)
                .expect("the charset has every character");
            let choice = choose(&bytes, &Evidence::default());
            assert_eq!(
                (choice.used, choice.how, &*choice.text),
                (charset, How::Structure, text)
            );
            assert_eq!(
                used("unknown-8bit", &bytes),
                (charset.name(), How::Structure)
            );
        }
    }
}

#[test]
fn utf16_without_nul_bytes_keeps_its_label() {
    let wide = |text: &str, little: bool| -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| {
                if little {
                    unit.to_le_bytes()
                } else {
                    unit.to_be_bytes()
                }
            })
            .collect()
    };
    for text in [
        "你好世界",
        "안녕하세요",
        "こんにちは、世界。",
        "Привет",
        "天气很好",
    ] {
        let text = text.replace(' ', "\u{3000}");
        for (label, little) in [("utf-16le", true), ("utf-16be", false)] {
            assert_eq!(
                used(label, &wide(&text, little)).1,
                How::Label,
                "{label} {text}"
            );
        }
    }
    for text in [
        "Hello, world",
        "Hello",
        "Größe und Länge",
        "会议通知",
        "\u{1B}[1mbold\u{1B}[0m",
    ] {
        assert_eq!(
            used("utf-16le", text.as_bytes()),
            ("UTF-8", How::Structure),
            "{text}"
        );
    }
}

#[test]
fn escape_sequences_of_terminals_are_ascii() {
    for bytes in [
        &b"$ ls\n\x1b[1mbold\x1b[0m\n"[..],
        b"a\x1b(B\x1b[m",
        b"\x1b",
        b"x\x1b]0;title\x07",
    ] {
        let choice = choose(bytes, &Evidence::default());
        assert_eq!(
            (choice.used, choice.how),
            (Charset::US_ASCII, How::Ascii),
            "{}",
            bytes.escape_ascii()
        );
        assert_eq!(choice.events, [], "{}", bytes.escape_ascii());
    }
    assert_eq!(
        choose(b"\x1b$B8-\x1b(B", &Evidence::default()).how,
        How::Structure
    );
}

/// Returns the text under a UTF-8 label, its charset and the number of losses.
fn under_utf8(bytes: &[u8]) -> (String, &'static str, u64) {
    let evidence = Evidence {
        label: Some(b"utf-8"),
        resolved: Some(Charset::for_label(b"utf-8", View::Mail)),
        ..Evidence::default()
    };
    let choice = choose(bytes, &evidence);
    let (name, losses) = (choice.used.name(), choice.log.losses());
    (choice.text.into_owned(), name, losses)
}

#[test]
fn truncated_utf8_keeps_its_label() {
    for (bytes, want) in [
        (&b"an die B\xC3"[..], "an die B\u{FFFD}"),
        (b"an die B\xC3\r\n", "an die B\u{FFFD}\r\n"),
        (
            b"Gr\xC3\xB6\xC3\x9Fe\nan die B\xC3",
            "Größe\nan die B\u{FFFD}",
        ),
        (b"Re: \xE6\x97", "Re: \u{FFFD}"),
        (b"\xE6\x97\xA5\nRe: \xE6\x97\n", "日\nRe: \u{FFFD}\n"),
        (b"He said \xE2\x80", "He said \u{FFFD}"),
    ] {
        let shown = bytes.escape_ascii();
        assert_eq!(under_utf8(bytes), (want.into(), "UTF-8", 1), "{shown}");
    }
    let long = [&b"plain text, \n".repeat(500)[..], b"B\xC3"].concat();
    assert_eq!(under_utf8(&long).1, "UTF-8");
    // Without a label nothing changes, and faults before the end count.
    assert_eq!(
        choose(b"an die B\xC3", &Evidence::default()).used.name(),
        "windows-1250"
    );
    for bytes in [&b"M\xFCller an die B\xC3"[..], b"\xE4\xF6\xFC, B\xC3"] {
        assert_ne!(under_utf8(bytes).1, "UTF-8", "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_single_byte_under_a_utf8_label_may_be_a_letter_or_a_sign() {
    for (bytes, want, used, losses) in [
        (&b"caf\xE9"[..], "café", "windows-1252", 0),
        (b"caf\xE9\n", "café\n", "windows-1252", 0),
        (b"\x95 item", "• item", "windows-1252", 0),
        (b"caf\xC3\xA9 \x95 item", "café \u{FFFD} item", "UTF-8", 1),
    ] {
        let shown = bytes.escape_ascii();
        assert_eq!(under_utf8(bytes), (want.into(), used, losses), "{shown}");
    }
}

#[test]
fn right_labels_of_languages_without_a_model_stand() {
    for (label, text) in [
        (
            "windows-1252",
            "La Regjon e à fat un regolament pe tutele des minorancis; i comuns a puedin domandâ contribûts fin ai 30 di Avrîl.",
        ),
        ("iso-8859-1", "Komara Bolîvarî ya Venezûela"),
        ("iso-8859-9", "Nîjer\nTûnis\nBûrûndî"),
        ("windows-1250", "Saýlanan baglaýyş"),
    ] {
        let charset = Charset::for_label(label.as_bytes(), View::Mail).charset();
        let bytes = charset.unwrap().encode_exact(text).expect("encodable");
        assert_eq!(used(label, &bytes).1, How::Label, "{text}");
    }
    let latvian = "Vai jūs varētu atsūtīt man jaunāko ziņojuma versiju?";
    let baltic = charset_named("windows-1257");
    let bytes = baltic.encode_exact(latvian).expect("encodable");
    assert_eq!(used("iso-8859-1", &bytes), ("windows-1257", How::Detected));
}

#[test]
fn a_cyrillic_name_in_english_text_replaces_a_western_label() {
    let name = Charset::WINDOWS_1251.encode_exact("Фёдор Хрящёв").unwrap();
    let bytes = [b"Thanks to ", &*name, b" for the report."].concat();
    let found = used("windows-1252", &bytes);
    assert_eq!(found, ("windows-1251", How::Detected));
}

#[test]
fn a_raw_field_has_the_charset_of_a_right_label() {
    let body = "Здраво на сите, состанокот е утре.\n";
    let subject = "Срдечен поздрав, Ѓорѓи Џамбазов";
    let encode = |text| Charset::WINDOWS_1251.encode_exact(text).unwrap();
    for header in ["", "Content-Type: text/plain; charset=windows-1251\n"] {
        let raw = [
            b"Subject: ",
            &*encode(subject),
            b"\n",
            header.as_bytes(),
            b"\n",
            &*encode(body),
        ]
        .concat();
        let mail = crate::mail::Mail::parse(&raw);
        assert_eq!(mail.subject().as_deref(), Some(subject), "{header}");
    }
}

#[test]
fn hz_is_read_without_a_usable_label_and_reported_under_others() {
    let bytes = b"~{Dz:C#,8=<~JGIOV\\;aRi5D<GB<#,Gk2iJU!#~}\n";
    let read = |label: &str, bytes: &'static [u8]| {
        let resolved = Charset::for_label(label.as_bytes(), View::Mail);
        let evidence = Evidence {
            label: Some(label.as_bytes()),
            resolved: Some(resolved),
            ..Evidence::default()
        };
        let choice = choose(bytes, &evidence);
        let is_suspected = choice
            .events
            .contains(&(EventKind::CharsetSuspected, Reason::LooksLikeHz.into()));
        (choice.used.name(), is_suspected)
    };
    for label in ["x-unknown", "unknown-8bit", "us-ascii", "gb2312"] {
        assert_eq!(read(label, bytes), ("HZ-GB-2312", false), "{label}");
    }
    for (label, used) in [("utf-8", "UTF-8"), ("iso-8859-1", "ISO-8859-1")] {
        assert_eq!(read(label, bytes), (used, true), "{label}");
        assert_eq!(read(label, b"~{x} and ~{y z~}"), (used, false), "{label}");
    }
}

#[test]
fn text_in_another_charset_has_no_event_that_its_label_was_used() {
    for (label, bytes, used) in [
        (
            "gb2312",
            &b"Le caf\xE9 est pr\xEAt, d\xE9j\xE0 vu \xE0 Paris.\n"[..],
            "windows-1252",
        ),
        ("tis-620", b"Jos\xE9 Garc\xEDa\n", "windows-1252"),
        (
            "iso-8859-11",
            b"Gr\xFC\xDFe aus K\xF6ln, d\xE9j\xE0 vu\n",
            "windows-1252",
        ),
    ] {
        let evidence = Evidence {
            label: Some(label.as_bytes()),
            resolved: Some(Charset::for_label(label.as_bytes(), View::Mail)),
            ..Evidence::default()
        };
        let choice = choose(bytes, &evidence);
        assert_eq!(choice.used.name(), used, "{label}");
        let has = |kind| choice.events.iter().any(|event| event.0 == kind);
        assert!(has(EventKind::CharsetDetected), "{label}");
        assert!(!has(EventKind::CharsetSuspected), "{label}");
    }
}

#[test]
fn pairs_of_surrogates_under_utf8_are_cesu8() {
    let cesu8 = ("CESU-8", How::Structure);
    for bytes in [
        &b"Hallo \xED\xA0\xBD\xED\xB8\x80\n"[..],
        b"\xED\xA0\xBD\xED\xB8\x80 \xC3\xBC",
    ] {
        assert_eq!(used("utf-8", bytes), cesu8, "{}", bytes.escape_ascii());
    }
    for bytes in [
        &b"Hallo \xED\xA0\xBD\n"[..],
        b"Hallo \xED\xB8\x80\xED\xA0\xBD\n",
        "Hallo \u{1F600} \u{D7FF}\u{D55C}\n".as_bytes(),
    ] {
        assert_eq!(used("utf-8", bytes).0, "UTF-8", "{}", bytes.escape_ascii());
    }
    // A label of Latin-1 is not contradicted.
    assert_ne!(used("iso-8859-1", b"\xED\xA0\xBD\xED\xB8\x80").0, "CESU-8");
}

/// Programs cut text at a number of bytes, and a gateway may lose a byte.
#[test]
fn text_that_was_cut_within_a_character_is_read_against_its_label() {
    for (charset, text) in [
        ("GBK", "我们公司专门经营电脑软件和办公设备，欢迎来电咨询。"),
        ("Big5", "我們公司專門經營電腦軟體和辦公設備，歡迎來電洽詢。"),
        (
            "EUC-JP",
            "来週の木曜日に東京へ出張しますので、お会いできると思います。",
        ),
        (
            "Shift_JIS",
            "来週の木曜日に東京へ出張しますので、お会いできると思います。",
        ),
        (
            "EUC-KR",
            "다음 주 목요일에 서울로 출장을 가니까 그때 만날 수 있을 것 같습니다",
        ),
        ("UTF-8", "来週の木曜日に東京へ出張します。"),
        (
            "UTF-8",
            "Спасибо за быстрый ответ, теперь всё работает как надо",
        ),
    ] {
        let whole = encoded(charset, text);
        let cut = &whole[..whole.len() - 1];
        for label in ["iso-8859-1", "windows-1252"] {
            for end in ["", "\n"] {
                let bytes = [cut, end.as_bytes()].concat();
                let choice = choose_under(label, &bytes);
                let expected = charset_named(charset).superset();
                assert_eq!(choice.used.superset(), expected, "{text} as {label}");
                assert_eq!(choice.log.losses(), 1, "{text} as {label}");
            }
        }
    }
    // One letter at the end is no cut character.
    for text in ["Voilà", "Grüße aus Köln, ÄÖÜ Ã", "Até amanhã"] {
        let bytes = encoded("windows-1252", text);
        assert_eq!(choose_under("iso-8859-1", &bytes).text, text);
    }
}

/// The table of a newsletter may stand before the first letter beyond ASCII.
#[test]
fn letters_below_long_markup_count() {
    let row = "<tr><td width=\"120\" bgcolor=\"#ffffcc\"><img src=\"http://www.example.com/spacer.gif\" width=1></td></tr>\n";
    for (charset, text) in [
        (
            "windows-1250",
            "Kérem, küldje el nekem az előző ülés jegyzőkönyvét, mert nem találom a képernyőn.",
        ),
        (
            "windows-1250",
            "Ali mi lahko pošljete še kaj več o tečaju, ki se začne včeraj čez žičnico?",
        ),
    ] {
        for rows in [0, 10, 40, 200] {
            let html = format!(
                "<html><table>\n{}<tr><td>{text}</td></tr></table></html>\n",
                row.repeat(rows)
            );
            let bytes = encoded(charset, &html);
            let choice = choose_under("iso-8859-1", &bytes);
            assert_eq!(choice.text, html, "{rows} rows");
        }
    }
}
