//! Labels that contradict the bytes are told or give way; labels that are right are left in peace, however little or odd the text is.

#![allow(clippy::panic, reason = "a test")]

mod apostrophes;
#[path = "../common/detection_samples.rs"]
mod detection_samples;
mod euc_jp;
mod right_labels;
#[path = "../../src/shared_material.rs"]
mod shared_material;
mod shared_samples;
mod wrong_labels;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mailglot_codec::{Charset, LossLog, Unmappable};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode;
use mailglot_mime::{EventKind, Limits, Message, Policy, Report, text_parts};

/// Sentences of mail, with the charsets that mail in their language is written in.
const SENTENCES: [(&str, &str); 20] = [
    (
        "windows-1251 KOI8-R ISO-8859-5 IBM866",
        "Добрый день! Высылаю обещанные фотографии с дачи, а договор подпишем на следующей неделе, когда вернётся Николай.",
    ),
    (
        "windows-1251 KOI8-U ISO-8859-5",
        "Добрий вечір! Надсилаю вам розклад занять на наступний місяць, бо минулого разу ми його загубили дорогою додому.",
    ),
    (
        "windows-1251 ISO-8859-5",
        "Здравейте, изпращам ви поканата за сватбата и ви моля да потвърдите дали ще дойдете с децата през юли.",
    ),
    (
        "windows-1253 ISO-8859-7",
        "Αγαπητοί φίλοι, σας στέλνω το πρόγραμμα της εκδρομής και περιμένω την απάντησή σας μέχρι την Παρασκευή το βράδυ.",
    ),
    (
        "windows-1255 ISO-8859-8",
        "שלום לכולם, אני שולח לכם את סדר היום של הישיבה הבאה ומבקש לקבל את הערותיכם עד סוף השבוע.",
    ),
    (
        "windows-1256 ISO-8859-6",
        "السلام عليكم، أرسل إليكم جدول الاجتماع القادم وأرجو أن تصلني ملاحظاتكم قبل نهاية الأسبوع مع جزيل الشكر.",
    ),
    (
        "windows-874",
        "เรียนทุกท่าน ผมขอส่งกำหนดการประชุมครั้งต่อไปมาให้ และหวังว่าจะได้รับคำตอบจากทุกท่านภายในวันศุกร์นี้",
    ),
    (
        "GBK",
        "各位同事：现将下次会议的安排发给大家，请在星期五以前把你们的意见告诉我，非常感谢大家的支持。",
    ),
    (
        "Big5",
        "各位同仁：現將下次會議的安排寄給大家，請在星期五以前把你們的意見告訴我，非常感謝大家的支持。",
    ),
    (
        "Shift_JIS EUC-JP",
        "皆様、次回の会議の予定をお送りいたします。金曜日までにご意見をお聞かせくださいますようお願いいたします。",
    ),
    (
        "EUC-KR",
        "여러분 안녕하십니까. 다음 회의 일정을 보내 드리오니 금요일까지 의견을 알려 주시면 대단히 고맙겠습니다.",
    ),
    (
        "windows-1250 ISO-8859-2",
        "Szanowni Państwo, przesyłam porządek następnego spotkania i proszę o odpowiedź do piątku, bo później wyjeżdżam na dłużej.",
    ),
    (
        "windows-1250 ISO-8859-2",
        "Vážení přátelé, posílám vám pořad příští schůze a prosím o odpověď do pátku, protože potom odjíždím na delší dobu.",
    ),
    (
        "windows-1250 ISO-8859-2",
        "Kedves barátaim, küldöm a következő gyűlés napirendjét, és kérem, hogy péntekig válaszoljatok, mert utána hosszú időre elutazom.",
    ),
    (
        "windows-1254 ISO-8859-9",
        "Değerli arkadaşlar, gelecek toplantının gündemini gönderiyorum; cuma gününe kadar görüşlerinizi bildirirseniz çok sevinirim.",
    ),
    (
        "windows-1257 ISO-8859-13",
        "Gerbiami draugai, siunčiu kito susirinkimo darbotvarkę ir prašau atsakyti iki penktadienio, nes vėliau išvažiuoju ilgesniam laikui.",
    ),
    (
        "windows-1252 ISO-8859-1 ISO-8859-15 windows-1254",
        "Chers amis, je vous envoie l'ordre du jour de la réunion prochaine; répondez-moi avant vendredi, car après je serai très occupé à l'étranger.",
    ),
    (
        "windows-1252 ISO-8859-1 ISO-8859-15 windows-1250 ISO-8859-2 windows-1254 windows-1257",
        "Liebe Freunde, ich schicke euch die Tagesordnung für die nächste Sitzung; antwortet bitte bis Freitag, danach bin ich länger außer Haus.",
    ),
    (
        "windows-1252 ISO-8859-1 ISO-8859-15 windows-1254",
        "Queridos amigos: os envío el orden del día de la próxima reunión; contestadme antes del viernes, porque después estaré mucho más ocupado mañana.",
    ),
    (
        "windows-1252 ISO-8859-1 ISO-8859-15 windows-1254",
        "Kære venner, jeg sender jer dagsordenen for det næste møde; svar venligst inden fredag, for derefter er jeg på længere rejse.",
    ),
];

/// Number of these texts that are not in Latin script. No detector takes their letters for those of another charset.
const FAR: usize = 11;

fn charset(name: &str) -> Charset {
    Charset::for_name(name).unwrap_or_else(|| panic!("{name}"))
}

fn encoded(text: &str, charset: Charset) -> Option<Vec<u8>> {
    let mut log = LossLog::new();
    let bytes = charset
        .encode(text, Unmappable::Skip, &mut log)
        .into_owned();
    let same = charset.decode(&bytes, &mut LossLog::new()) == text;
    (log.is_empty() && same).then_some(bytes)
}

/// The text of a message with this label, and what its charset gave cause to tell.
fn read(label: &str, bytes: &[u8]) -> (String, Vec<String>) {
    let head =
        format!("Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: 8bit\n\n");
    let raw = [head.as_bytes(), bytes].concat();
    let mut report = Report::with_limit(20);
    let parts = text_parts(
        &Message::parse(&raw, &Limits::default()),
        &Policy::default(),
        &mut report,
    );
    // The order of Hebrew is what the label says, and no word against it.
    let told = report.events.iter().filter(|event| {
        event.kind.code().starts_with("charset.") && event.kind != EventKind::CharsetVisualOrder
    });
    let told = told
        .map(|event| format!("{} {}", event.kind.code(), event.detail))
        .collect();
    (parts.into_iter().map(|part| part.text).collect(), told)
}

/// As in a message without other evidence.
fn doubtful() -> HeaderContext<'static> {
    HeaderContext::default().check_labels(true)
}

/// Decodes the bytes as an encoded word and as a parameter of RFC 2231, and checks that both have the same result.
fn read_word(label: &str, bytes: &[u8], context: &HeaderContext) -> (String, Vec<String>) {
    let word = format!("=?{label}?B?{}?=", STANDARD.encode(bytes));
    let percent: Vec<String> = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
    let percent = percent.concat();
    let parameter = format!("a; b*={label}''{percent}");
    let [word, parameter] = [
        (word, FieldKind::Unstructured),
        (parameter, FieldKind::Parameters),
    ]
    .map(|(value, kind)| {
        let mut findings = Vec::new();
        let text = decode(value.as_bytes(), kind, context, &mut findings).into_owned();
        let told = findings.iter().filter(|finding| {
            let code = finding.kind.code();
            code.starts_with("charset.") && finding.kind != EventKind::CharsetVisualOrder
        });
        let told = told.map(|finding| format!("{} {}", finding.kind.code(), finding.detail));
        (
            text,
            told.filter(|told| is_about_the_text(told))
                .collect::<Vec<_>>(),
        )
    });
    assert_eq!(word.1, parameter.1, "{label} {}", bytes.escape_ascii());
    word
}

/// Whether more is told than names.
fn is_about_the_text(told: &str) -> bool {
    !told.starts_with("charset.superset") && !told.starts_with("charset.alias")
}

fn assert_quiet(label: &str, text: &str) {
    let Some(bytes) = encoded(text, charset(label)) else {
        return;
    };
    // Few letters may be UTF-8 by chance, which is another matter.
    if std::str::from_utf8(&bytes).is_ok() {
        return;
    }
    let (read, told) = read(label, &bytes);
    assert_eq!(read, text, "{label} {told:?}");
    assert!(
        !told.iter().any(|told| is_about_the_text(told)),
        "{label} {text:?}: {told:?}"
    );
    if bytes.len() < 200 && !text.contains(char::is_control) {
        let (read, told) = read_word(label, &bytes, &doubtful());
        assert_eq!((read, told), (text.to_owned(), vec![]), "a word in {label}");
    }
}

/// The other charsets that mail is labelled with.
const LABELS: &str = "windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-874 \
    windows-1252 ISO-8859-1 ISO-8859-2 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-9 ISO-8859-13 ISO-8859-15 \
    KOI8-R KOI8-U IBM866 IBM852 GBK Big5 EUC-KR Shift_JIS EUC-JP";
