//! Tests that right labels are left in peace, however little or odd the text is.

use crate::{SENTENCES, assert_quiet, charset, doubtful, encoded, read, read_word};

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

/// Words in capitals lose their accents, and names of one or two words have rare letters beside each other. A row of one character is one piece
/// of evidence.
#[test]
fn right_labels_of_few_words_are_not_overruled() {
    for (charsets, texts) in [
        (
            "windows-1253 ISO-8859-7 CP737 x-mac-greek",
            "ΜΑΡΙΑ ΜΠΑΛΑΦΑ|ΑΝΑΣΤΑΣΙΟΣ ΚΑΡΑΜΑΝΗΣ|ΒΑΣΙΛΗΣ|ΠΡΟΣ ΟΛΟΥΣ|ΑΡΗΣ - ΟΦΗ 3-0|ΨΩΜΙ, ΜΕΛΙ|ΣΑΒΒΑΣ ΣΑΒΒΑΣ|λαθη στο τελος",
        ),
        (
            "KOI8-R windows-1251 IBM866 x-mac-cyrillic",
            "ИЯ ХОН|ЯНЫШ|ЭЛЛА ЮН|ОБЪЕЗД|ЩУЧЬЕ|Чжоу Эньлай",
        ),
        ("KOI8-U windows-1251", "ЮЛЯ ЇЖАК|ҐАЛЯ|ЇЇ ЄВА|ІЯ ГНИЛЮК"),
        (
            "windows-1251 x-mac-cyrillic ISO-8859-5",
            "Ѓурчин Ѓ.|Ќире Џајковски|Њего Љ.|ЃОРЧЕ ПЕТРОВ|Џепароски Ќ.|Љупчо Ќулумов",
        ),
        ("windows-1251 IBM866 x-mac-cyrillic", "ЪГЪЛ ООД|ВЕЦ ЧАИРА"),
        (
            "EUC-KR windows-949",
            "ㅋㅋ|ㅎㅎㅎ|ㅠㅠㅠㅠ|네 ㅋㅋㅋ|정말 ㅎㅎ ㅋㅋ|ㄱㅅ ㅋㅋ|ㅇㅇ ㅠㅠ ㅋㅋㅋ",
        ),
        ("GB2312 GBK", "哈哈哈|呵呵呵|啊啊|嗯嗯嗯|嘿嘿嘿 哈哈哈"),
    ] {
        for label in charsets.split(' ') {
            for text in texts.split('|') {
                let Some(bytes) = encoded(text, charset(label)) else {
                    continue;
                };
                let (got, told) = read(label, &bytes);
                assert_eq!(got, text, "{label} {told:?}");
                let word = read_word(label, &bytes, &doubtful());
                assert_eq!(word.0, text, "{label} {:?}", word.1);
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
