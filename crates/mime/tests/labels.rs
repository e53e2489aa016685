//! Labels that contradict the bytes are told or give way; labels that are right are left in peace, however little or odd the text is.

#![allow(clippy::panic, reason = "a test")]

#[path = "../src/shared_material.rs"]
mod shared_material;

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

/// How many of these are in other scripts than Latin: their letters are never taken for those of another charset.
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

/// Names, as they stand in address fields.
#[test]
fn right_labels_of_names_are_left_in_peace() {
    for (charsets, names) in [
        (
            "windows-1252 ISO-8859-1 ISO-8859-15",
            "Sigurður Guðmundsson|Þórhildur Elín Ævarsdóttir|Jóhanna Sigurðardóttir|François Lefèvre|Håkan Sjöström|Jørgen Ægidius Østergård|Núñez Peña, María|João Conceição|Zoë Müller-Lüdenscheidt|ÅSA ÖBERG|Mäkelä, Väinö Äyräpää|Señor Ñandú|Beyoncé® GmbH & Cº|Ýmir Ðuríksson|ÞÓRÐUR",
        ),
        (
            "windows-1250 ISO-8859-2",
            "Łukasz Żółć|Jiří Dvořák|Győző Szűcs|Škoda Auto a.s. Mladá Boleslav|Đorđe Čović|Małgorzata Śląska|ŽIŽKA, Božena|Ľubomír Ďurica|Ştefan Ţînţar",
        ),
        (
            "windows-1254 ISO-8859-9",
            "Özgür Şahin|Işıl Çağlayan|İBRAHİM GÜNEŞ|Ayşe Öğüt|Tuğba Ünlü",
        ),
        (
            "windows-1257 ISO-8859-13",
            "Žydrūnas Šarūnas Ąžuolas|Jānis Bērziņš|Ülle Õunapuu|Ķēniņš",
        ),
        (
            "windows-1251 KOI8-R ISO-8859-5",
            "Щукин Ёж|Юлия Ъ|ООО «Рога и копыта»|Отдел № 5|ИВАНОВ И.И.|Ян Цой",
        ),
        ("windows-1251 KOI8-U", "Їжак Ґудзь|Євген Щур|Ілля"),
        (
            "windows-1253 ISO-8859-7",
            "Ωραία Ψαρρά|ΓΙΏΡΓΟΣ|Άρης Ξύδης|Ο.Τ.Ε.",
        ),
        ("windows-1255 ISO-8859-8-I", "צחי כץ|עו״ד לוי|בע\"מ"),
        ("windows-1256", "محمد عبد الله|شركة ذ.م.م|ژاله پرویز گلچین"),
        ("windows-874", "สมชาย ใจดี|บจก. ฎฐฑ"),
        ("GBK", "龚琳娜|翟墨|饕餮|㕛爨|王のお姉|欧阳娜娜|李明 经理"),
        ("Big5", "龔琳娜|粘錦麗|歐陽|王一明 經理"),
        ("EUC-KR", "홍길동|뷁|남궁옥분|金大中|주식회사 ㈜삼성"),
        (
            "Shift_JIS EUC-JP",
            "髙橋|齋藤 彅|ゐゑ|㈱日立|ｱｲｳ商店|株式会社 ソニー",
        ),
    ] {
        for label in charsets.split(' ') {
            for name in names.split('|') {
                assert_quiet(label, name);
            }
        }
    }
}

#[test]
fn right_labels_are_left_in_peace() {
    for (charsets, sentence) in SENTENCES {
        let words: Vec<&str> = sentence.split(' ').collect();
        for label in charsets.split(' ') {
            assert_quiet(label, sentence);
            assert_quiet(label, &sentence.to_uppercase());
            for count in [1, 2, 3, 5, 8] {
                for some in words.windows(count) {
                    assert_quiet(label, &some.join(" "));
                }
            }
            for characters in 1..4 {
                let all: Vec<char> = sentence.chars().collect();
                for few in all.chunks(characters) {
                    assert_quiet(label, &few.iter().collect::<String>());
                }
            }
        }
    }
}

#[test]
fn right_labels_are_left_in_peace_among_other_things() {
    for (charsets, sentence) in SENTENCES {
        let word = sentence.split(' ').next().unwrap_or_default();
        for label in charsets.split(' ') {
            for text in [
                format!(
                    "On Monday somebody wrote:\n> {sentence}\n> {sentence}\n\nThanks, that is what I wanted to know.\n"
                ),
                format!(
                    "fn main() {{ println!(\"{word}\"); }} // {word}\nif (x[i] != '{word}') return -1;\n"
                ),
                format!(
                    "see https://example.org/a?b=c&d=%20 and <a@b.example> {word} 12.03.2004 10:15 +0300"
                ),
                format!(
                    "{word}: TWFpbGdsb3QgcmVhZHMgbWFpbCBpbiBhbnkgY2hhcnNldCBhbmQgd3JpdGVz\nTWFpbGdsb3QgcmVhZHM= {word}"
                ),
                format!("{word}\n{word}\n{word}\n1) {word}\n2) {word}; {word}/{word}-{word}"),
                format!(
                    "{} {}",
                    word.repeat(3),
                    sentence.chars().rev().take(20).collect::<String>()
                ),
            ] {
                assert_quiet(label, &text);
            }
        }
    }
}

#[test]
fn lines_and_boxes_are_no_text_and_speak_against_no_label() {
    for (label, text) in [
        (
            "KOI8-R",
            "┌──────┬──────┐\n│ Имя  │ Дом  │\n├──────┼──────┤\n│ Иван │ 12   │\n└──────┴──────┘\n",
        ),
        (
            "IBM866",
            "╔══════╦══════╗\n║ Имя  ║ Дом  ║\n╠══════╬══════╣\n║ Иван ║ 12   ║\n╚══════╩══════╝\n",
        ),
        ("KOI8-R", "────────────────\n════════════════\n"),
        (
            "GBK",
            "————————————————\n★★★★★★★★★★\n┏━━━━┓\n┃通知┃\n┗━━━━┛\n",
        ),
        (
            "Shift_JIS",
            "━━━━━━━━━━━━\n■□■□■□ お知らせ ■□■□■□\n――――――――――――\n",
        ),
        ("EUC-JP", "＊＊＊＊＊＊＊＊\n（＾＿＾）ノ　☆彡\n"),
        ("EUC-KR", "━━━━━━━━━━━━\n▶ 안내 ◀ ※ 주의 ※\n"),
        ("Big5", "＝＝＝＝＝＝＝＝＝\n【公告】◎注意◎\n"),
        (
            "GBK",
            "Привет, как дела? Встречаемся завтра в шесть часов у входа в метро",
        ),
        (
            "EUC-JP",
            "Здравствуйте, это письмо написано по-русски в японской кодировке",
        ),
        (
            "Shift_JIS",
            "Καλημέρα σας φίλοι μου, αυτό είναι ένα γράμμα στα ελληνικά",
        ),
        ("windows-1251", "© 2004 «Рога и копыта»™ — №1 § 5 ± 3°"),
        ("windows-1253", "© 2004 10 °C ± 3 µm £5 §2 «α» ½"),
    ] {
        assert_quiet(label, text);
    }
}

/// Languages that no model was made of.
#[test]
fn unknown_languages_are_left_in_peace() {
    for (label, text) in [
        (
            "windows-1256",
            "دوستو، میں آپ کو اگلی ملاقات کا پروگرام بھیج رہا ہوں اور جواب کا انتظار کروں گا",
        ),
        (
            "windows-1255",
            "טײַערע פרײַנד, איך שיק אײַך דעם סדר־היום פון דער קומעדיקער זיצונג און וואַרט אויף אַן ענטפער",
        ),
        (
            "windows-1251",
            "Дорогие ушат вал, тонь сёрматъ сась, минь пек кенярдынек сонензэ, учотано тынк инжекс",
        ),
        (
            "ISO-8859-3",
            "Għeżież ħbieb, qed nibgħatilkom l-aġenda tal-laqgħa li jmiss u nistenna t-tweġiba tagħkom",
        ),
        (
            "windows-1254",
            "Qalbingizdan salom, yangi yıl bilan tabriklaymız, ömür uzun bolsın, ğayrat va şijoat tilayman",
        ),
        (
            "ISO-8859-4",
            "Gula ustibat, mun sáddejuvvon didjiide čoahkkima áigeplána ja vuorddán vástádusa ovdal bearjadaga",
        ),
        (
            "windows-1252",
            "Kæru vinir, eg sendi tykkum skránna til næsta fundin og vænti svar fyri fríggjadag, tí síðani fari eg",
        ),
    ] {
        assert_quiet(label, text);
    }
}

/// The other charsets that mail is labelled with.
const LABELS: &str = "windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-874 \
    windows-1252 ISO-8859-1 ISO-8859-2 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-9 ISO-8859-13 ISO-8859-15 \
    KOI8-R KOI8-U IBM866 IBM852 GBK Big5 EUC-KR Shift_JIS EUC-JP";

/// What becomes of a sentence under all labels that read it otherwise: how many there were, and how many gave way to the right text; the
/// silent ones.
fn under_wrong_labels(charsets: &str, text: &str) -> (usize, usize, Vec<String>) {
    let (mut all, mut right, mut silent) = (0, 0, Vec::new());
    for truth in charsets.split(' ') {
        let Some(bytes) = encoded(text, charset(truth)) else {
            continue;
        };
        for label in LABELS.split_ascii_whitespace() {
            if charset(label).decode(&bytes, &mut LossLog::new()) == text {
                continue;
            }
            let (read, told) = read(label, &bytes);
            all += 1;
            right += usize::from(read == text);
            if read != text && !told.iter().any(|told| is_about_the_text(told)) {
                silent.push(format!("{truth} as {label}: {read}"));
            }
        }
    }
    (all, right, silent)
}

#[test]
fn wrong_labels_over_other_scripts_are_never_silent() {
    for (charsets, sentence) in &SENTENCES[..FAR] {
        let (all, right, silent) = under_wrong_labels(charsets, sentence);
        assert!(silent.is_empty() && all > 20, "{silent:#?}");
        assert!(right * 100 >= all * 95, "{sentence}: {right} of {all}");
        // Half as much tells nearly as much.
        let half: String = sentence
            .chars()
            .take(sentence.chars().count() / 2)
            .collect();
        let (all, right, silent) = under_wrong_labels(charsets, &half);
        assert!(silent.is_empty(), "{silent:#?}");
        assert!(right * 100 >= all * 90, "{half}: {right} of {all}");
    }
}

/// Words and parameters are doubted as bodies are; what the message tells decides where they alone leave a doubt.
#[test]
fn wrong_labels_of_words_are_told() {
    let (mut all, mut right, mut silent, mut helped) = (0, 0, 0, 0);
    for (charsets, sentence) in &SENTENCES[..FAR] {
        let words: String = sentence.chars().take(24).collect();
        for truth in charsets.split(' ') {
            let Some(bytes) = encoded(&words, charset(truth)) else {
                continue;
            };
            for label in LABELS.split_ascii_whitespace() {
                let plain = charset(label)
                    .decode(&bytes, &mut LossLog::new())
                    .into_owned();
                if plain == words || plain.contains(|c: char| c.is_control() || c == '\u{FFFD}') {
                    continue;
                }
                let (read, told) = read_word(label, &bytes, &doubtful());
                all += 1;
                right += usize::from(read == words);
                if read != words && told.is_empty() {
                    silent += 1;
                    println!("{truth} as {label}: {words:?} {read:?}");
                }
                let context = doubtful().raw(Some(charset(truth)));
                helped += usize::from(read_word(label, &bytes, &context).0 == words);
            }
        }
    }
    println!(
        "{right} of {all} words read right, {helped} with what the message tells, {silent} silent"
    );
    assert!(all > 300 && silent * 100 <= all, "{all} {silent}");
    assert!(
        right * 100 >= all * 90 && helped * 100 >= all * 95,
        "{right} {helped} {all}"
    );
}

/// Letters and signs of a page of Windows under the label of an ISO page that has controls there.
#[test]
fn words_are_read_by_the_page_that_was_meant() {
    for (label, truth, text) in [
        ("iso-8859-2", "windows-1250", "Šestnáct žluťoučkých"),
        ("iso-8859-7", "windows-1253", "Άρης “abc” …"),
        ("iso-8859-13", "windows-1257", "“Žydrūnas”"),
        ("iso-8859-15", "windows-1252", "“abc” – d"),
        ("iso-8859-6", "windows-1256", "محمد گل چاي"),
        ("koi8-r", "KOI8-U", "між нами"),
    ] {
        let Some(bytes) = encoded(text, charset(truth)) else {
            panic!("{text}")
        };
        assert_eq!(
            read_word(label, &bytes, &doubtful()),
            (text.to_owned(), vec![]),
            "{label}"
        );
    }
}

#[test]
fn wrong_labels_over_latin_text_are_mostly_told() {
    let (mut all, mut right, mut silent) = (0, 0, Vec::new());
    for (charsets, sentence) in &SENTENCES[FAR..] {
        let (n, read, quiet) = under_wrong_labels(charsets, sentence);
        all += n;
        right += read;
        silent.extend(quiet);
    }
    assert!(
        silent.len() * 100 <= all * 12,
        "{} of {all}: {silent:#?}",
        silent.len()
    );
    // A sentence has two or three letters in which these charsets differ: less than a label yields to, which is then told.
    assert!(right * 100 >= all * 60, "{right} of {all}");
}

/// Of a letter that is quoted in another charset nothing may become unreadable that the label reads.
/// Letters of DOS and Mac charsets are holes, quotation marks and capitals inside the words of windows-1252: few of them are proof.
#[test]
fn dos_and_mac_text_with_few_letters_is_read() {
    let german =
        "Hallo Jörg, für Dich überprüfe ich die Größe. Schöne Grüße aus München, Günther\n\
                  Äpfel, Öl und Süßes hätten wir später nötig. Tschüß!\n"
            .repeat(5);
    let finnish =
        "Mieleni minun tekevi, lähteäni laulamahan, älä jätä yöllä äitiä hämärään, hän pelkää.\n"
            .repeat(5);
    for (own, text) in [
        ("IBM850", &german),
        ("macintosh", &german),
        ("IBM850", &finnish),
    ] {
        let bytes = encoded(text, charset(own)).expect("the charset has every character");
        for label in ["iso-8859-1", "windows-1252"] {
            let (got, told) = read(label, &bytes);
            assert_eq!(&got, text, "{own} {label}");
            assert!(told.iter().any(|told| told.starts_with("charset.detected")));
        }
    }
    // Right text with such signs.
    for text in [
        "Er sagte: „Größe“ und „Übung“, ‚so‘ – 5\u{2030}, Müller\u{2020}, ‹ja›.\n",
        "Škoda, Žižkov, Œuvre, Ÿ; l’œuvre de Šárka\n",
    ] {
        let bytes = encoded(&text.repeat(9), Charset::WINDOWS_1252).expect("in windows-1252");
        assert_eq!(read("windows-1252", &bytes), (text.repeat(9), vec![]));
    }
}

/// Hungarian under Latin-1 has no odd letter: `õ` stands for `ő`. Longer text is told. Languages that have these letters are not.
#[test]
fn hungarian_under_latin_1_is_told() {
    let hungarian = "Kedves Barátaim! Tegnap délután elmentünk a nagymamához, és ő nagyon örült nekünk. \
                     Főzött egy bőséges ebédet: húslevest, töltött káposztát és gyümölcsös süteményt. \
                     Utána a fiúk az erdőben fűrészeltek, a nők pedig a kertben ültek.\n";
    for own in ["ISO-8859-2", "windows-1250"] {
        let bytes = encoded(hungarian, charset(own)).expect("the charset has every character");
        for label in ["iso-8859-1", "windows-1252", "iso-8859-15"] {
            let (text, told) = read(label, &bytes);
            let is_told = told
                .iter()
                .any(|told| told.starts_with("charset.suspected"));
            assert!(is_told || text == hungarian, "{own} {label} {told:?}");
        }
    }
    for text in [
        "Olá, põe as canções e os botões; não há razão, avó, pé, amanhã às três.\n",
        "Tere, kuidas läheb? Homme õhtul on külas tähtpäev; õunakooki jääme sööma, Õie.\n",
        "Où êtes-vous? Août, goût, sûr, dû, mûr: déjà là-bas, ça va très bien.\n",
    ] {
        let bytes = encoded(&text.repeat(6), Charset::ISO_8859_1).expect("in Latin-1");
        assert_eq!(read("iso-8859-1", &bytes), (text.repeat(6), vec![]));
    }
}

#[test]
fn a_quotation_in_another_charset_does_not_overrule_the_answer() {
    let (charsets, sentence) = SENTENCES[0];
    for truth in charsets.split(' ') {
        for label in charsets.split(' ').filter(|label| *label != truth) {
            let quoted = encoded(sentence, charset(truth)).unwrap_or_default();
            let answer = encoded(&format!("\n\n{sentence}\n"), charset(label)).unwrap_or_default();
            let bytes = [quoted.repeat(3), answer].concat();
            let (text, told) = read(label, &bytes);
            assert!(
                text.ends_with(&format!("\n\n{sentence}\n")),
                "{truth} in {label}: {told:?} {text}"
            );
        }
    }
}

#[test]
fn real_texts_under_their_labels_are_left_in_peace() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let path = shared.join("data/charsets/detect_samples_dev.jsonl.gz");
    let unpacked = std::process::Command::new("gzip")
        .arg("-dc")
        .arg(&path)
        .output()
        .expect("gzip runs");
    assert!(unpacked.status.success(), "{}", path.display());
    let lines = String::from_utf8(unpacked.stdout).expect("samples are UTF-8");
    let (mut all, mut seen) = (0, std::collections::HashSet::new());
    for line in lines.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
        let text = value["text"].as_str().expect("a string");
        if !seen.insert(text.to_owned()) {
            continue;
        }
        for label in LABELS.split_ascii_whitespace() {
            all += 1;
            assert_quiet(label, text);
        }
    }
    assert!(all > 50_000, "{all}");
}

/// The shared samples: language and text.
fn samples() -> Option<Vec<(String, String)>> {
    let path = shared_material::folder()?.join("data/charsets/detect_samples_dev.jsonl.gz");
    let unpacked = std::process::Command::new("gzip")
        .arg("-dc")
        .arg(&path)
        .output()
        .expect("gzip runs");
    assert!(unpacked.status.success(), "{}", path.display());
    let lines = String::from_utf8(unpacked.stdout).expect("samples are UTF-8");
    let read = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
        let [language, text] =
            ["lang", "text"].map(|key| value[key].as_str().expect("a string").to_owned());
        (language, text)
    };
    Some(lines.lines().map(read).collect())
}

const EAST_ASIAN: [&str; 5] = ["GBK", "Big5", "EUC-KR", "Shift_JIS", "EUC-JP"];

/// Of three words, with a letter or two beyond ASCII, in UTF-8 under an East Asian label.
#[test]
fn few_words_of_latin_in_utf8_are_mostly_known_under_east_asian_labels() {
    let Some(samples) = samples() else { return };
    let (mut all, mut right) = (0, 0);
    let mut seen = std::collections::HashSet::new();
    for (language, text) in samples {
        if !["fr", "de", "es", "it", "pt", "sv", "da", "cs", "pl"].contains(&&*language) {
            continue;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        for three in words.chunks_exact(3).take(20) {
            let three = three.join(" ");
            if three.is_ascii() || !seen.insert(three.clone()) {
                continue;
            }
            for label in EAST_ASIAN {
                all += 1;
                right += usize::from(read(label, three.as_bytes()).0 == three);
            }
        }
    }
    println!("{right} of {all}");
    assert!(all > 2_000 && right * 100 >= all * 75, "{right} of {all}");
}

/// What is rightly labelled and valid UTF-8 by chance stays, among words of ASCII, too.
#[test]
fn east_asian_text_that_is_utf8_by_chance_keeps_its_label() {
    let mut all = 0;
    for label in EAST_ASIAN {
        let charset = charset(label);
        for lead in 0xC2..=0xDF_u8 {
            for trail in 0x80..=0xBF {
                let c = charset
                    .decode(&[lead, trail], &mut LossLog::new())
                    .into_owned();
                if c.chars().count() != 1 || c == "\u{FFFD}" {
                    continue;
                }
                for shape in [
                    "@",
                    "Re: @",
                    "ok@",
                    "OK@",
                    "T@",
                    "A@B",
                    "@OK",
                    "Windows@",
                    "the@end",
                    "hello@",
                    "K@ and more words",
                    "see @ and @",
                    "@: report.doc",
                    "Windows@Office",
                ] {
                    let text = shape.replace('@', &c);
                    let Some(bytes) = encoded(&text, charset) else {
                        continue;
                    };
                    all += 1;
                    assert_eq!(read(label, &bytes).0, text, "{label}");
                }
            }
        }
    }
    assert!(all > 50_000, "{all}");
}
