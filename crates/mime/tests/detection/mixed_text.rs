//! Text in UTF-8 and another charset: lines, words, cut characters, damage.

use crate::{body, encoded, policy};
use mailglot_codec::Charset;
use mailglot_mime::{Detection, EventKind, Policy};

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

/// Programs cut UTF-8 at a number of bytes. The first two bytes of `’` (E2 80 99) become U+FFFD, and do not make the text Latin or Chinese.
#[test]
fn cut_signs_are_lost_under_a_label_and_without_one() {
    for (start, cut, end) in [
        ("we hope you like it", &b"\xE2\x80"[..], "...\n"),
        (
            "we hope you like it",
            b"\xE2\x80",
            "\n\n-- \nlist@example.org\n",
        ),
        ("we hope you like it", b"\xE2\x80", " [more]\n"),
        ("Great news for all members ", b"\xF0\x9F", "...\n"),
        ("Great news for all members ", b"\xF0\x9F\x8E", "\n"),
        ("The price is 25 ", b"\xE2\x82", " per person\n"),
    ] {
        let bytes = [start.as_bytes(), cut, end.as_bytes()].concat();
        for label in ["utf-8", "", "us-ascii"] {
            let text = mixed_body(label, &bytes).0;
            assert_eq!(text, format!("{start}\u{FFFD}{end}"), "{label}");
        }
    }
    // French in windows-1252 has such bytes, too.
    for bytes in [&b"Et voil\xE0\xA0!\n"[..], b"le \x93caf\xE9\x94\n"] {
        let text = Charset::WINDOWS_1252
            .decode_exact(bytes)
            .expect("windows-1252");
        assert_eq!(mixed_body("utf-8", bytes).0, text);
    }
}

/// Base64 that lost a character is noise from there on. Noise is in no charset.
#[test]
fn noise_behind_utf8_is_lost() {
    for start in [
        "Es ist schön und für alle.\n",
        "予定表を送ります。\n",
        "Привет, как дела?\n",
    ] {
        let noise: Vec<u8> = (1..=255u8)
            .map(|n| n.wrapping_mul(167).wrapping_add(11))
            .collect();
        let bytes = [start.as_bytes(), &noise].concat();
        let text = mixed_body("utf-8", &bytes).0;
        assert!(
            text.starts_with(start) && text.contains('\u{FFFD}'),
            "{text}"
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

/// A digest has the messages of several senders as they were sent.
#[test]
fn japanese_by_escape_sequences_stands_beside_other_charsets() {
    for (charset, text) in [
        ("windows-1252", "Grüße aus Köln"),
        ("Shift_JIS", "資料を送ります。よろしくお願いします。"),
        ("EUC-JP", "資料を送ります。よろしくお願いします。"),
        ("windows-1251", "Привет, как дела?"),
    ] {
        for label in ["", "us-ascii", "utf-8", "iso-2022-jp"] {
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

/// The text of a part, with a check that a second pass changes nothing.
fn text_of(label: &str, bytes: &[u8]) -> String {
    mixed_body(label, bytes).0
}

/// Quotations in another charset than the answer, under a label that suits neither, and without one.
#[test]
fn quotations_are_read_whatever_the_label_says() {
    let answer = "Здравствуйте, Иван!\n\nСпасибо за письмо, я посмотрю документы завтра утром и отвечу подробно.\n\n";
    let quotation = "> Добрый день, высылаю вам договор на подпись.\n> Пожалуйста, проверьте реквизиты и сроки поставки.\n";
    let [japanese, japanese_quotation] = [
        "お世話になっております。\n資料を受け取りました。明日までに返事をします。\n",
        "> 見積書をお送りします。\n> ご確認のほどよろしくお願いいたします。\n",
    ];
    for (own, other, texts) in [
        ("KOI8-R", "windows-1251", [answer, quotation]),
        ("windows-1251", "KOI8-R", [answer, quotation]),
        ("windows-1251", "IBM866", [answer, quotation]),
        ("EUC-JP", "Shift_JIS", [japanese, japanese_quotation]),
        ("Shift_JIS", "EUC-JP", [japanese, japanese_quotation]),
    ] {
        let bytes = [encoded(own, texts[0]), encoded(other, texts[1])].concat();
        for label in ["", "us-ascii", "utf-8", "iso-8859-1", "windows-1252"] {
            let is_read = text_of(label, &bytes) == texts.concat();
            assert!(is_read, "{own} {other} {label}");
        }
        // In one charset, no text is divided.
        let same = [texts[0], texts[1]].concat();
        for label in ["", "us-ascii", "utf-8", own] {
            let read = mixed_body(label, &encoded(own, &same));
            assert_eq!(read, (same.clone(), false), "{own} {label}");
        }
    }
}

/// A few Western letters beside text in another script: an answer, a quotation, a signature.
#[test]
fn few_western_letters_are_read_beside_other_scripts() {
    let western = "Vielen Dank für die Prüfung, wir hören uns nächste Woche.\n";
    for (charset, other) in [
        (
            "KOI8-R",
            "Добрый день, высылаю вам договор на подпись.\nПожалуйста, проверьте сроки поставки.\n",
        ),
        (
            "windows-1251",
            "Добрый день, высылаю вам договор на подпись.\nПожалуйста, проверьте сроки поставки.\n",
        ),
        (
            "ISO-8859-7",
            "Σας στέλνω το συμβόλαιο για υπογραφή.\nΠαρακαλώ ελέγξτε τα στοιχεία.\n",
        ),
        (
            "windows-1255",
            "שלום לכולם, מצורף פרוטוקול הישיבה של אתמול.\nאנא בדקו את הפרטים.\n",
        ),
        (
            "EUC-JP",
            "見積書をお送りします。\nご確認のほどよろしくお願いいたします。\n",
        ),
        (
            "EUC-KR",
            "지난주 회의록을 보냅니다.\n확인 부탁드립니다. 감사합니다.\n",
        ),
    ] {
        let quoted = |text: &str| {
            let lines = text.lines().map(|line| format!("> {line}\n"));
            lines.collect::<Vec<_>>().concat()
        };
        for texts in [
            [
                (western.to_owned(), "windows-1252"),
                (quoted(other), charset),
            ],
            [
                (other.to_owned(), charset),
                (quoted(western), "windows-1252"),
            ],
            [
                (other.to_owned(), charset),
                (format!("-- \n{western}"), "windows-1252"),
            ],
        ] {
            let bytes: Vec<u8> = texts
                .iter()
                .flat_map(|(text, charset)| encoded(charset, text))
                .collect();
            let want: String = texts.iter().map(|(text, _)| text.as_str()).collect();
            for label in ["", "us-ascii", "utf-8"] {
                assert_eq!(text_of(label, &bytes), want, "{charset} {label}");
            }
        }
    }
}

/// Letters that look like Latin ones deceive filters. The label is right.
#[test]
fn look_alikes_in_a_quotation_stay() {
    let text =
        "Здравствуйте, коллеги, высылаю договор на подпись.\n\n> Hеllo wоrld, thе bеst оffer\n";
    for charset in ["windows-1251", "KOI8-R"] {
        let bytes = encoded(charset, text);
        assert_eq!(mixed_body(charset, &bytes), (text.to_owned(), false));
    }
}
