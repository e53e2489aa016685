//! Words and parameters under a label that a body, or a longer word, of the same message disproves.

#![cfg(feature = "detect")]
#![allow(clippy::panic, reason = "a test")]

#[path = "../src/test_charsets.rs"]
mod test_charsets;

use mailglot_codec::Charset;
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{FieldKind, decode};
use mailglot_mime::{Detection, Limits, Mail, Message, Policy, header_context, process};
use test_charsets::encoded;

const RUSSIAN: &str = "Добрый день! Высылаю обещанные снимки с дачи, а договор подпишем на той неделе, когда вернётся Николай из отпуска.";
const UKRAINIAN: &str = "Добрий вечір! Надсилаю розклад занять на наступний місяць, бо минулого разу ми його загубили дорогою додому.";
const GREEK: &str = "Αγαπητοί φίλοι, σας στέλνω το πρόγραμμα της εκδρομής και περιμένω την απάντησή σας μέχρι την Παρασκευή.";
const POLISH: &str = "Dzień dobry, przesyłam zaległe zdjęcia z wycieczki i proszę o wiadomość, czy wszyscy zdążą przyjść na środową próbę.";
const CZECH: &str = "Dobrý den, posílám slíbené fotografie z výletu a prosím o zprávu, jestli všichni stihnou příští středeční zkoušku sboru.";
const TURKISH: &str = "Değerli arkadaşlar, gelecek toplantının gündemini gönderiyorum, görüşlerinizi cuma gününe kadar yazarsanız çok sevinirim.";
const HEBREW: &str =
    "שלום לכולם, אני שולח את סדר היום של הישיבה הבאה ומבקש לקבל את הערותיכם עד סוף השבוע.";
const CHINESE: &str =
    "各位同事：现将下次会议的安排发给大家，请在星期五以前把你们的意见告诉我，非常感谢大家的支持。";
const TRADITIONAL: &str =
    "各位同仁：現將下次會議的安排寄給大家，請在星期五以前把你們的意見告訴我，非常感謝大家的支持。";
const KOREAN: &str = "안녕하세요. 다음 회의 일정을 보내 드리니 금요일까지 의견을 알려 주시면 감사하겠습니다. 좋은 하루 되세요.";
const JAPANESE: &str = "皆様、次回の会議の予定をお送りいたします。金曜日までにご意見をお聞かせくださいますようお願いいたします。";
const THAI: &str =
    "เรียนทุกท่าน ผมขอส่งกำหนดการประชุมครั้งต่อไปมาให้ และหวังว่าจะได้รับคำตอบจากทุกท่านภายในวันศุกร์นี้";
const GERMAN: &str = "Liebe Gäste, die Führung beginnt um zwölf Uhr. Für Getränke ist gesorgt, und danach gibt es Käse, Brötchen und süße Äpfel.";

/// A charset, a wrong label, a body, and names in the charset.
type WrongLabel<'t> = (&'t str, &'t str, &'t str, &'t [&'t str]);

const WRONG: [WrongLabel<'_>; 20] = [
    (
        "KOI8-R",
        "iso-8859-1",
        RUSSIAN,
        &["Катя", "Оля", "Юлия Щукина", "Ёлка", "Да"],
    ),
    (
        "windows-1251",
        "iso-8859-1",
        RUSSIAN,
        &["Саша", "Яна", "СРОЧНО", "Щи да каша"],
    ),
    (
        "windows-1251",
        "koi8-r",
        RUSSIAN,
        &["Саша", "Жанна", "Ещё раз"],
    ),
    ("ISO-8859-5", "windows-1252", RUSSIAN, &["Борис", "Женя"]),
    ("KOI8-U", "iso-8859-1", UKRAINIAN, &["Ївга", "Єва і Остап"]),
    (
        "windows-1253",
        "iso-8859-1",
        GREEK,
        &["Άννα", "ΟΧΙ", "Ναι", "Γιώργος"],
    ),
    (
        "ISO-8859-2",
        "iso-8859-1",
        POLISH,
        &["Łukasz", "Paweł Ćwik", "środa", "Zażółć"],
    ),
    (
        "windows-1250",
        "windows-1252",
        POLISH,
        &["Wyślij", "Kołodziejska"],
    ),
    (
        "windows-1250",
        "iso-8859-1",
        CZECH,
        &["Re: oběd", "Šárka Černá", "Řehoř"],
    ),
    (
        "windows-1254",
        "iso-8859-1",
        TURKISH,
        &["Ayşe", "Işık", "Doğan Şahin"],
    ),
    ("windows-1255", "iso-8859-1", HEBREW, &["דנה", "משה כהן"]),
    ("GBK", "iso-8859-1", CHINESE, &["北京", "王芳"]),
    ("GBK", "windows-1252", CHINESE, &["李明", "会议"]),
    ("Big5", "iso-8859-1", TRADITIONAL, &["台灣", "王大明"]),
    ("EUC-KR", "iso-8859-1", KOREAN, &["철수", "민지"]),
    ("Shift_JIS", "iso-8859-1", JAPANESE, &["鈴木さん", "会議"]),
    ("EUC-JP", "iso-2022-jp", JAPANESE, &["田中", "花子"]),
    ("TIS-620", "iso-8859-1", THAI, &["น้อย", "สมชาย"]),
    (
        "windows-1252",
        "gb2312",
        GERMAN,
        &["Käthe", "Grüße", "Lösungswort"],
    ),
    ("KOI8-R", "utf-8", RUSSIAN, &["Катя", "Оля"]),
];

fn escaped(sign: char, bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| {
        format!("{text}{sign}{byte:02X}")
    })
}

fn word(label: &str, bytes: &[u8]) -> String {
    format!("=?{label}?Q?{}?=", escaped('=', bytes))
}

/// A message with some fields, and a body under a label.
fn mail(fields: &str, label: &str, body: &[u8]) -> Vec<u8> {
    let mut raw = format!("{fields}Content-Type: text/plain; charset={label}\n\n").into_bytes();
    raw.extend_from_slice(body);
    raw.push(b'\n');
    raw
}

fn subject(raw: &[u8]) -> String {
    Mail::parse(raw).subject().unwrap_or_default().into_owned()
}

/// Asserts that all readers, and a second pass, read a field alike. Returns its text.
fn read(raw: &[u8], name: &str) -> String {
    let text = Mail::parse(raw)
        .header(name)
        .unwrap_or_default()
        .into_owned();
    let message = Message::parse(raw, &Limits::default());
    let policy = Policy::default();
    let field = message
        .field(
            mailglot_mime::PartId::ROOT,
            name.to_ascii_lowercase().as_bytes(),
        )
        .unwrap_or_else(|| panic!("no {name}"));
    let context = header_context(&message, &policy);
    let kind = mailglot_mime::header::field_kind(name.as_bytes());
    let value = field.value.of(raw);
    let shown = raw.escape_ascii();
    assert_eq!(
        decode(value, kind, &context, &mut Vec::new()).trim(),
        text,
        "{shown}"
    );
    let once = process(raw, &policy).bytes.into_owned();
    let after = Mail::parse(&once)
        .header(name)
        .unwrap_or_default()
        .into_owned();
    assert_eq!(after, text, "{}", once.escape_ascii());
    assert_eq!(*process(&once, &policy).bytes, *once);
    text
}

#[test]
fn short_words_are_in_the_charset_of_the_body() {
    for (charset, label, body, names) in WRONG {
        let body = encoded(charset, body);
        for name in names {
            let word = word(label, &encoded(charset, name));
            let fields = format!("From: {word} <a@b.example>\nSubject: {word}\nX-Name: {word}\n");
            let raw = mail(&fields, label, &body);
            assert_eq!(read(&raw, "Subject"), *name, "{charset} {label}");
            assert_eq!(read(&raw, "X-Name"), *name, "{charset} {label}");
            assert_eq!(
                read(&raw, "From"),
                format!("{name} <a@b.example>"),
                "{charset} {label}"
            );
            let events = process(&raw, &Policy::default()).report.events;
            let is_told = |e: &&mailglot_mime::Event| {
                let code = e.kind.code();
                ["charset.detected", "charset.legacy-in-utf8"].contains(&code)
            };
            // The body and the three words.
            assert_eq!(
                events.iter().filter(is_told).count(),
                4,
                "{charset} {label} {name}"
            );
        }
    }
}

#[test]
fn parameters_are_in_the_charset_of_the_body() {
    for (charset, label, body, names) in WRONG {
        let body = encoded(charset, body);
        for name in names {
            let bytes = encoded(charset, name);
            for value in [
                format!("filename*={label}''{}", escaped('%', &bytes)),
                format!("filename*0*={label}''{}; filename*1=", escaped('%', &bytes)),
                format!("filename=\"{}\"", word(label, &bytes)),
            ] {
                let fields = format!(
                    "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
                     Content-Type: text/plain; charset={label}\n\n"
                );
                let mut raw = fields.into_bytes();
                raw.extend_from_slice(&body);
                raw.extend_from_slice(
                    format!("\n--b\nContent-Type: image/png\nContent-Disposition: attachment; {value}\n\nx\n--b--\n")
                        .as_bytes(),
                );
                let name_in = |raw: &[u8]| {
                    let attachments = Mail::parse(raw).attachments();
                    attachments[0].name().unwrap_or_default().to_owned()
                };
                assert_eq!(name_in(&raw), *name, "{charset} {value}");
                let once = process(&raw, &Policy::default()).bytes.into_owned();
                assert_eq!(name_in(&once), *name, "{charset} {value}");
            }
        }
    }
}

#[test]
fn names_from_other_mail_stay() {
    const NAMES: [&str; 24] = [
        "José",
        "Müller",
        "François",
        "Muñoz",
        "Jürgen Weiß",
        "Björn",
        "Søren Ærø",
        "João Conceição",
        "Hélène",
        "Großmann",
        "García",
        "Núñez",
        "Réunion à 9 h",
        "Grüße aus Köln",
        "Åsa Öberg",
        "Mäkinen",
        "Città",
        "Zoé",
        "Übung",
        "20 °C",
        "© 2004",
        "«oui»",
        "“Smith”",
        "don’t",
    ];
    for (charset, label, body, _) in WRONG {
        if !["iso-8859-1", "windows-1252"].contains(&label) {
            continue;
        }
        for name in NAMES {
            let raw = mail(
                &format!("Subject: {}\n", word(label, &encoded("windows-1252", name))),
                label,
                &encoded(charset, body),
            );
            assert_eq!(read(&raw, "Subject"), name, "{charset}");
        }
    }
}

#[test]
fn words_beside_a_right_body_or_none_stay() {
    for (charset, label, body, names) in WRONG {
        let context = HeaderContext::default().check_labels(true);
        for name in names {
            let word = word(label, &encoded(charset, name));
            let alone = decode(
                word.as_bytes(),
                FieldKind::Unstructured,
                &context,
                &mut Vec::new(),
            )
            .into_owned();
            let fields = format!("Subject: {word}\n");
            let other = word_label(label);
            // A body under another label, and one in ASCII.
            for (label, body) in [
                (other, &*encoded(charset, body)),
                (label, b"see attachment"),
            ] {
                if label != charset && label != "utf-8" {
                    let raw = mail(&fields, label, body);
                    assert!(
                        [&*alone, *name].contains(&&*subject(&raw)),
                        "{charset} {label} {name}"
                    );
                }
            }
            for detection in [Detection::Off, Detection::Unlabelled] {
                let policy = Policy::default().detection(detection);
                let raw = mail(&fields, label, &encoded(charset, body));
                let read = Mail::parse_with(&raw, policy.clone())
                    .subject()
                    .unwrap_or_default()
                    .into_owned();
                let own = HeaderContext::of(&policy).raw(Charset::for_name(charset));
                let want = decode(
                    word.as_bytes(),
                    FieldKind::Unstructured,
                    &own,
                    &mut Vec::new(),
                );
                assert_eq!(read, want, "{charset} {label} {detection:?}");
            }
        }
    }
}

/// A label of Latin-1 that is not `label`.
fn word_label(label: &str) -> &'static str {
    if label == "windows-1252" {
        "iso-8859-15"
    } else {
        "windows-1252"
    }
}

#[test]
fn a_long_word_disproves_the_label_of_short_ones() {
    for (charset, label, long, short) in [
        (
            "KOI8-R",
            "iso-8859-1",
            "Приглашение на собрание жильцов",
            "Катя",
        ),
        (
            "windows-1251",
            "koi8-r",
            "Приглашение на собрание жильцов",
            "Жанна",
        ),
        (
            "windows-1253",
            "iso-8859-1",
            "Πρόσκληση σε συνέλευση",
            "Άννα",
        ),
        ("GBK", "iso-8859-1", "关于下次会议的安排和通知", "北京"),
        (
            "EUC-KR",
            "iso-8859-1",
            "다음 회의 일정을 보내 드립니다",
            "철수",
        ),
    ] {
        let [long_word, short_word] =
            [long, short].map(|text| word(label, &encoded(charset, text)));
        let fields = [
            format!("From: {short_word} <a@b.example>\n"),
            format!("Subject: {long_word}\n"),
            format!("X-Name: {short_word}\n"),
        ];
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let fields = order.map(|at: usize| &*fields[at]).concat();
            let raw = mail(&fields, "us-ascii", b"see attachment");
            assert_eq!(read(&raw, "Subject"), long, "{charset} {order:?}");
            assert_eq!(read(&raw, "X-Name"), short, "{charset} {order:?}");
            assert_eq!(
                read(&raw, "From"),
                format!("{short} <a@b.example>"),
                "{charset} {order:?}"
            );
            let events = process(&raw, &Policy::default()).report.events;
            let told = events
                .iter()
                .filter(|e| e.kind.code() == "charset.detected");
            let told: Vec<_> = told.map(|e| e.detail.to_string()).collect();
            let by_others = told.iter().filter(|detail| detail.ends_with("(message)"));
            // The long word proves it alone. Five letters are a doubt that the other text decides.
            let want = if short == "Жанна" { 0 } else { 2 };
            assert_eq!(by_others.count(), want, "{charset} {order:?} {told:?}");
            assert_eq!(told.len(), 3, "{charset} {order:?}");
        }
        // Another long word fits the label.
        if label == "iso-8859-1" {
            let right = word(
                label,
                &encoded(
                    "windows-1252",
                    "Grüße an alle Gäste, schöne Tage und süße Äpfel, größer",
                ),
            );
            let fields = format!("{}X-Other: {right}\n", fields.concat());
            let raw = mail(&fields, "us-ascii", b"see attachment");
            assert_ne!(read(&raw, "X-Name"), short, "{charset}");
            assert_eq!(read(&raw, "Subject"), long, "{charset}");
        }
    }
}

#[test]
fn parts_that_contradict_each_other_disprove_nothing() {
    let katya = word("iso-8859-1", &encoded("KOI8-R", "Катя"));
    let part = |head: &str, body: &[u8]| {
        [
            format!("--b\n{head}Content-Type: text/plain; charset=iso-8859-1\n\n").as_bytes(),
            body,
            b"\n",
        ]
        .concat()
    };
    let mail = |parts: &[Vec<u8>]| {
        let head = format!(
            "Subject: {katya}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        );
        [head.as_bytes(), &parts.concat(), b"--b--\n"].concat()
    };
    let russian = part("", &encoded("KOI8-R", RUSSIAN));
    let greek = part("", &encoded("windows-1253", GREEK));
    let german = part("", &encoded("windows-1252", GERMAN));
    let attached = part(
        "Content-Disposition: attachment\n",
        &encoded("windows-1252", GERMAN),
    );
    for (parts, is_read) in [
        (vec![russian.clone()], true),
        (vec![russian.clone(), russian.clone()], true),
        (vec![russian.clone(), attached.clone()], true),
        (vec![russian.clone(), german.clone()], false),
        (vec![german, russian.clone()], false),
        (vec![russian, greek], false),
        (vec![attached], false),
    ] {
        assert_eq!(subject(&mail(&parts)) == "Катя", is_read, "{}", parts.len());
    }
}

#[test]
fn raw_bytes_beside_such_words_are_in_the_charset_of_the_body() {
    let word = word("iso-8859-1", &encoded("KOI8-R", "Катя"));
    let mut fields = format!("From: {word} <a@b.example>\nSubject: ").into_bytes();
    fields.extend_from_slice(&encoded("KOI8-R", "Привет, Оля"));
    let mut raw = fields;
    raw.extend_from_slice(&mail("\n", "iso-8859-1", b"")[..0]);
    raw.extend_from_slice(b"\nContent-Type: text/plain; charset=iso-8859-1\n\n");
    raw.extend_from_slice(&encoded("KOI8-R", RUSSIAN));
    assert_eq!(read(&raw, "Subject"), "Привет, Оля");
    assert_eq!(read(&raw, "From"), "Катя <a@b.example>");
}

#[test]
fn lone_letters_and_ascii_stay() {
    for (bytes, text) in [
        (&b"\xE1"[..], "á"),
        (b"plain", "plain"),
        (b"1. \xD6", "1. Ö"),
    ] {
        let raw = mail(
            &format!("Subject: {}\n", word("iso-8859-1", bytes)),
            "iso-8859-1",
            &encoded("KOI8-R", RUSSIAN),
        );
        assert_eq!(read(&raw, "Subject"), text);
    }
}

/// A few letters that overrule a label of Latin-1 are certain. Names and sentences with other text keep it.
#[test]
fn short_text_that_overrules_latin_1_speaks_for_other_fields() {
    let mail = |from: &str, subject: &str, charset: &str, body: &[u8]| {
        let [from, subject] =
            [from, subject].map(|text| word("iso-8859-1", &encoded(charset, text)));
        let head = format!("From: {from} <a@b.example>\nSubject: {subject}\n");
        let kind = "MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n\n";
        [head.as_bytes(), kind.as_bytes(), body].concat()
    };
    for (from, subject, charset, body) in [
        (
            "Stanisław Dąbrowski",
            "Czy dalej chcesz je dodać?",
            "ISO-8859-2",
            "Hello\n",
        ),
        (
            "Ana",
            "Vabilo na srečanje",
            "windows-1250",
            "Žal programa ni bilo mogoče zagnati, ker se pojavi napaka pri povezavi.\n",
        ),
        (
            "René Müller",
            "Invitation à déjeuner",
            "windows-1252",
            "Hello\n",
        ),
        (
            "Björn Åkesson",
            "Årsmötet",
            "windows-1252",
            "Vi träffas på måndag, då är alla där.\n",
        ),
        ("José Nuñez", "Mañana sí", "windows-1252", "Hello\n"),
    ] {
        let raw = mail(from, subject, charset, &encoded(charset, body));
        assert_eq!(read(&raw, "From"), format!("{from} <a@b.example>"));
        assert_eq!(read(&raw, "Subject"), subject, "{from}");
    }
}

/// A few letters of one person say nothing of the names that another person wrote.
#[test]
fn a_name_changes_no_foreign_name() {
    for (name, charset) in [
        ("Béla Szőke", "ISO-8859-2"),
        ("Stanisław Dąbrowski", "ISO-8859-2"),
        ("Jiří Dvořák", "windows-1250"),
        ("Jūratė Žukauskienė", "windows-1257"),
    ] {
        for foreign in [
            "Cataluña",
            "Andrè",
            "Cantù",
            "Võsu",
            "Æon",
            "Tromsø",
            "Benoît",
            "Anaïs",
            "Dîner",
        ] {
            let words = [
                word("iso-8859-1", &encoded(charset, name)),
                word("iso-8859-1", &encoded("windows-1252", foreign)),
            ];
            let raw = format!(
                "From: {} <a@b.example>\nSubject: {}\n\nHello\n",
                words[0], words[1]
            );
            assert_eq!(read(raw.as_bytes(), "Subject"), foreign, "{name}");
        }
    }
}
