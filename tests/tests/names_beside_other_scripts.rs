//! Western names in words under a label of Latin-1 keep their label above bodies in other alphabets. Names in the alphabet of the body do not.

use mailglot_codec::{Charset, LossLog, View};
use mailglot_mime::{EventKind, Policy, plan};
use mailglot_tests::faker::{self, FakerText};

/// Labels, bodies under them, and the locales of names in them.
const BODIES: [(&str, &str, &[&str]); 12] = [
    (
        "windows-1256",
        "مرفق محضر اجتماع الأسبوع الماضي",
        &["ar_", "fa_"],
    ),
    ("iso-8859-6", "مرفق محضر اجتماع الأسبوع الماضي", &["ar_"]),
    (
        "windows-1255",
        "מצורף פרוטוקול הישיבה מהשבוע שעבר",
        &["he_"],
    ),
    ("tis-620", "ผมส่งรายงานการประชุมมาให้ครับ", &["th_"]),
    (
        "windows-1251",
        "Отправляю протокол прошлого собрания",
        &["ru_", "bg_", "uk_"],
    ),
    ("koi8-r", "Отправляю протокол прошлого собрания", &["ru_"]),
    (
        "iso-8859-7",
        "Σας στέλνω τα πρακτικά της συνάντησης",
        &["el_"],
    ),
    ("gb2312", "附件是上周会议的记录请查收", &["zh_CN"]),
    ("big5", "附上上週會議的紀錄請查收", &["zh_TW"]),
    ("euc-kr", "지난주 회의록을 보내 드립니다", &["ko_"]),
    ("shift_jis", "先週の会議の議事録を送ります", &["ja_"]),
    ("euc-jp", "先週の会議の議事録を送ります", &["ja_"]),
];

/// Bodies in UTF-8 with charsets of names in their script, and the locales of those.
const UTF8_BODIES: [(&str, &[&str], &[&str]); 9] = [
    (
        "مرفق محضر اجتماع الأسبوع الماضي",
        &["windows-1256", "iso-8859-6"],
        &["ar_"],
    ),
    (
        "מצורף פרוטוקול הישיבה מהשבוע שעבר",
        &["windows-1255"],
        &["he_"],
    ),
    ("ผมส่งรายงานการประชุมมาให้ครับ", &["tis-620"], &["th_"]),
    (
        "Отправляю протокол прошлого собрания",
        &["windows-1251", "koi8-r", "iso-8859-5"],
        &["ru_"],
    ),
    (
        "Σας στέλνω τα πρακτικά της συνάντησης",
        &["iso-8859-7"],
        &["el_"],
    ),
    ("附件是上周会议的记录请查收", &["gb2312"], &["zh_CN"]),
    ("附上上週會議的紀錄請查收", &["big5"], &["zh_TW"]),
    ("지난주 회의록을 보내 드립니다", &["euc-kr"], &["ko_"]),
    (
        "先週の会議の議事録を送ります",
        &["shift_jis", "euc-jp"],
        &["ja_"],
    ),
];

/// Bodies in other Latin alphabets with a charset of them, and the locales of names in it. The number is the maximum of Western names that
/// are read in that charset.
///
/// Turkish and Baltic letters stand where Czech, Icelandic and Turkish names have `ý` and `â`: `Mlýn`, `Kâtip`.
const LATIN_BODIES: [(&str, &str, &[&str], usize); 4] = [
    (
        "Dobrý den, posílám Vám zápis ze včerejší schůze, kterou řídil předseda.",
        "iso-8859-2",
        &["cs_", "sk_", "pl_", "hr_", "ro_", "hu_"],
        0,
    ),
    (
        "Dzień dobry, przesyłam protokół z wczorajszego spotkania, proszę o uwagi.",
        "windows-1250",
        &["cs_", "sk_", "pl_", "hr_", "hu_"],
        0,
    ),
    (
        "Merhaba, dünkü toplantının tutanağını gönderiyorum, görüşlerinizi bekliyorum.",
        "windows-1254",
        &["tr_"],
        5,
    ),
    (
        "Laba diena, siunčiu vakarykščio susirinkimo protokolą, laukiu jūsų pastabų.",
        "windows-1257",
        &["lt_", "lv_"],
        2,
    ),
];

/// Number of the 38,693 names that may be reported above one body in another Latin alphabet, such as `Boldù` beside Czech and `Týn` beside
/// Turkish.
const MOST_REPORTED_LATIN: usize = 50;

/// Number of the 38,693 names that may be reported above one body. All their bytes may be halves of Shift_JIS characters (`Één`), or stand in
/// rare places (`AV IRMÃ LÚCIA`).
const MOST_REPORTED: usize = 10;

/// What became of the names of many messages.
#[derive(Debug, Default)]
struct Count {
    names: usize,
    read: usize,
    reported: usize,
}

impl Count {
    /// Fails unless these percentages of the names are read, and read or reported.
    fn reaches(&self, [read, told]: [usize; 2], label: &str) {
        let is_enough = |count: usize, percent| count * 100 >= self.names * percent;
        assert!(is_enough(self.read, read), "{label} {self:?}");
        assert!(
            is_enough(self.read + self.reported, told),
            "{label} {self:?}"
        );
    }
}

/// A message with a name under a label of Latin-1, and a body under its right label.
fn message(name: &[u8], charset: &str, body: &[u8]) -> Vec<u8> {
    let escaped: Vec<String> = name.iter().map(|byte| format!("={byte:02X}")).collect();
    let word = escaped.concat();
    let mut raw = format!(
        "From: =?iso-8859-1?Q?{word}?= <a@example.org>\nSubject: x\nMIME-Version: 1.0\n\
         Content-Type: text/plain; charset={charset}\n\n"
    )
    .into_bytes();
    raw.extend(body);
    raw.push(b'\n');
    raw
}

/// Counts the names that are read in another charset than Latin-1, and those that are reported.
fn count(names: &[Vec<u8>], label: &str, body: &[u8]) -> Count {
    let mut counted = Count::default();
    for name in names {
        let raw = message(name, label, body);
        let from = raw.iter().position(|byte| *byte == b'\n').expect("a field");
        let events = plan(&raw, &Policy::default()).report.events;
        let has = |kind: EventKind| {
            let mut events = events.iter().filter(|event| event.at.start < from);
            events.any(|event| event.kind == kind)
        };
        counted.names += 1;
        counted.read += usize::from(has(EventKind::CharsetDetected));
        counted.reported += usize::from(has(EventKind::CharsetSuspected));
    }
    counted
}

/// Texts of Faker in Latin-1, the same in capitals, and their first words.
fn western_names(texts: &[FakerText]) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = texts
        .iter()
        .flat_map(|text| {
            let first = text.text.split(' ').next().unwrap_or_default();
            [
                text.text.clone(),
                text.text.to_uppercase(),
                first.to_owned(),
            ]
        })
        .filter_map(|text| Some(faker::encoded(&text, Charset::ISO_8859_1)?.0))
        .collect();
    names.sort();
    names.dedup();
    names
}

fn charset_of(label: &str) -> Charset {
    let charset = Charset::for_label(label.as_bytes(), View::Mail).charset();
    charset.expect("a known label")
}

/// Names of some locales in a charset, if Latin-1 decodes them otherwise.
fn own_names(texts: &[FakerText], locales: &[&str], charset: Charset) -> Vec<Vec<u8>> {
    let is_own = |text: &&FakerText| {
        text.kind == "name" && locales.iter().any(|locale| text.locale.starts_with(locale))
    };
    let decoded =
        |charset: Charset, bytes: &[u8]| charset.decode(bytes, &mut LossLog::new()).into_owned();
    texts
        .iter()
        .filter(is_own)
        .filter_map(|text| Some(faker::encoded(&text.text, charset)?.0))
        .filter(|bytes| decoded(charset, bytes) != decoded(Charset::WINDOWS_1252, bytes))
        .collect()
}

#[test]
fn bodies_in_utf8_name_the_script_of_names() {
    let texts = faker::texts();
    let western = western_names(&texts);
    for (body, charsets, locales) in UTF8_BODIES {
        let found = count(&western, "utf-8", body.as_bytes());
        assert_eq!(found.read, 0, "{body}");
        assert!(found.reported <= MOST_REPORTED, "{body} {found:?}");
        for label in charsets {
            let own = own_names(&texts, locales, charset_of(label));
            let found = count(&own, "utf-8", body.as_bytes());
            assert!(found.names > 200, "{label} {found:?}");
            found.reaches([90, 99], label);
        }
    }
}

#[test]
fn bodies_name_the_latin_alphabet_of_names() {
    let texts = faker::texts();
    let western = western_names(&texts);
    for (body, label, locales, most_read) in LATIN_BODIES {
        let legacy = charset_of(label).encode_exact(body).expect("encodable");
        for (declared, body) in [(label, &*legacy), ("utf-8", body.as_bytes())] {
            let found = count(&western, declared, body);
            assert!(found.read <= most_read, "{label} {found:?}");
            assert!(found.reported <= MOST_REPORTED_LATIN, "{label} {found:?}");
            let own = own_names(&texts, locales, charset_of(label));
            let found = count(&own, declared, body);
            assert!(found.names > 150, "{label} {found:?}");
            found.reaches([65, 85], label);
        }
    }
}

#[test]
fn names_are_in_the_script_of_the_body_if_they_are_no_latin_words() {
    let texts = faker::texts();
    let western = western_names(&texts);
    assert!(western.len() > 35_000, "{}", western.len());
    for (label, body, locales) in BODIES {
        let charset = charset_of(label);
        let body = charset.encode_exact(body).expect("encodable");
        let found = count(&western, label, &body);
        assert_eq!(found.read, 0, "{label}");
        assert!(found.reported <= MOST_REPORTED, "{label} {found:?}");
        let own = own_names(&texts, locales, charset);
        let found = count(&own, label, &body);
        assert!(found.names > 200, "{label} {found:?}");
        found.reaches([95, 95], label);
    }
}
