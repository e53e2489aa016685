//! Detection of charsets: shares of right answers, and what must never happen.

#[path = "common/samples.rs"]
#[allow(dead_code, reason = "the tool that prints the shares uses the rest")]
mod samples;
#[path = "common/shared_material.rs"]
mod shared_material;

use mailglot_codec::detect::{Detector, Evidence, Hints, Weighed, detect, detect_top, rival};
use mailglot_codec::{Charset, LossLog, Unmappable};
use samples::{NON_WEB, country, encoded, from_country, is_right, noise, reads};
use std::collections::BTreeMap;

/// Sentences of mail in many languages, with the charsets that they are read from.
const SENTENCES: [(&str, &str, &str); 24] = [
    (
        "de",
        "windows-1252 ISO-8859-15 IBM850 macintosh UTF-7 UTF-16LE UTF-16BE",
        "Schöne Grüße aus Köln, und vergiß nicht, mir die Fotos von der Geburtstagsfeier zu schicken. Wir hören später voneinander.",
    ),
    (
        "fr",
        "windows-1252 ISO-8859-15 IBM850 macintosh",
        "Bonjour à tous, la réunion est déplacée à mercredi après-midi. Merci de me prévenir si vous êtes empêchés, à très bientôt.",
    ),
    (
        "es",
        "windows-1252 IBM850 macintosh",
        "Mañana por la mañana llegaré a la estación. ¿Podrías recogerme? El niño está muy contento de ver a su tía otra vez.",
    ),
    (
        "pt",
        "windows-1252 IBM850 macintosh",
        "Não posso ir à reunião de amanhã, mas já enviei as informações que você pediu. Até à próxima semana, um abraço do João.",
    ),
    (
        "sv",
        "windows-1252 IBM850",
        "Hej, vi ses på lördag när båten går från hamnen. Glöm inte att ta med kläder för dåligt väder och något att äta på vägen.",
    ),
    (
        "da",
        "windows-1252 IBM850",
        "Kære alle, vi mødes på lørdag hos Søren. Husk at tage både brød og øl med, så skal vi nok få en god aften sammen på øen.",
    ),
    (
        "pl",
        "ISO-8859-2 windows-1250 IBM852",
        "Dziękuję bardzo za wczorajszą wiadomość. Spotkamy się w środę po południu, jeśli pogoda będzie ładna, a potem pójdziemy na kolację.",
    ),
    (
        "cs",
        "ISO-8859-2 windows-1250 IBM852",
        "Děkuji za včerejší dopis. Příští týden přijedu vlakem do Brna a rád bych se s tebou sešel u řeky, jestli budeš mít chvíli času.",
    ),
    (
        "hu",
        "ISO-8859-2 windows-1250 IBM852",
        "Köszönöm szépen a levelet. A jövő héten biztosan elküldöm a fényképeket, és remélem, hogy nemsokára újra találkozunk nálunk.",
    ),
    (
        "ro",
        "ISO-8859-2 windows-1250 IBM852",
        "Mulţumesc pentru veşti. Săptămâna viitoare ajung în Bucureşti şi aş vrea să ne întâlnim, dacă ai puţin timp după serviciu.",
    ),
    (
        "hr",
        "ISO-8859-2 windows-1250 IBM852",
        "Hvala ti što si mi poslao slike s ljetovanja. Sljedeći tjedan dolazim u Zagreb, pa bismo mogli otići na kavu ili večeru.",
    ),
    (
        "lt",
        "windows-1257 ISO-8859-13",
        "Ačiū už laišką. Kitą savaitę atvažiuosiu į Vilnių ir labai norėčiau su tavimi susitikti, jeigu turėsi šiek tiek laiko vakare.",
    ),
    (
        "et",
        "windows-1257",
        "Tänan kirja eest. Järgmisel nädalal sõidan Tartusse ja tahaksin sinuga kohtuda, kui sul õhtul pärast tööd veidi aega on.",
    ),
    (
        "tr",
        "windows-1254 IBM857",
        "Geçen hafta gönderdiğin mektup için teşekkür ederim. Önümüzdeki salı günü İstanbul'a geliyorum, akşam görüşebilir miyiz?",
    ),
    (
        "ru",
        "windows-1251 KOI8-R ISO-8859-5 IBM866 x-mac-cyrillic UTF-7 UTF-16LE",
        "Спасибо за письмо. На следующей неделе я приеду в Москву и хотел бы встретиться с тобой, если у тебя будет немного времени.",
    ),
    (
        "uk",
        "windows-1251 KOI8-U",
        "Дякую за листа. Наступного тижня я приїду до Києва і хотів би зустрітися з тобою, якщо ти матимеш трохи вільного часу.",
    ),
    (
        "el",
        "windows-1253 ISO-8859-7 CP737",
        "Σε ευχαριστώ πολύ για το γράμμα. Την επόμενη εβδομάδα θα έρθω στην Αθήνα και θα ήθελα να σε δω, αν έχεις λίγο χρόνο.",
    ),
    (
        "he",
        "windows-1255 IBM862",
        "תודה רבה על המכתב. בשבוע הבא אגיע לירושלים ואשמח להיפגש איתך, אם יהיה לך קצת זמן פנוי בערב אחרי העבודה.",
    ),
    (
        "ar",
        "windows-1256 ISO-8859-6",
        "شكرا جزيلا على رسالتك. سأصل إلى القاهرة في الأسبوع القادم وأود أن ألتقي بك إذا كان لديك بعض الوقت في المساء.",
    ),
    (
        "th",
        "windows-874",
        "ขอบคุณมากสำหรับจดหมาย สัปดาห์หน้าฉันจะไปกรุงเทพและอยากพบคุณถ้าคุณพอมีเวลาว่างในตอนเย็นหลังเลิกงาน",
    ),
    (
        "ja",
        "Shift_JIS EUC-JP ISO-2022-JP UTF-7 UTF-16BE",
        "お手紙ありがとうございました。来週東京に行きますので、夕方に少しお時間がありましたら、お会いできればうれしいです。",
    ),
    (
        "ko",
        "windows-949 ISO-2022-KR JOHAB",
        "편지 보내 주셔서 감사합니다. 다음 주에 서울에 가는데 저녁에 시간이 있으시면 만나 뵙고 싶습니다. 답장 기다리겠습니다.",
    ),
    (
        "zh_CN",
        "GBK HZ-GB-2312",
        "谢谢你的来信。我下个星期要到北京去，如果你晚上有时间的话，我们可以一起吃饭。请你早一点告诉我你的安排。",
    ),
    (
        "zh_TW",
        "Big5",
        "謝謝你的來信。我下個星期要到臺北去，如果你晚上有時間的話，我們可以一起吃飯。請你早一點告訴我你的安排。",
    ),
];

/// Whole sentences and their halves are read right in each of their charsets, without hints and with them.
#[test]
fn sentences_are_read_right() {
    let (mut all, mut wrong) = (0, Vec::new());
    for (language, charsets, sentence) in SENTENCES {
        let half: String = sentence
            .chars()
            .take(sentence.chars().count() / 2)
            .collect();
        for name in charsets.split(' ') {
            let charset = Charset::for_name(name).unwrap_or_else(|| panic!("{name}"));
            for text in [sentence, &half] {
                let mut log = LossLog::new();
                let bytes = charset.encode(text, Unmappable::Skip, &mut log);
                assert!(log.is_empty(), "{language} {name}: {:?}", log.kept());
                let by_tag = Hints {
                    language: Some(language),
                    ..Hints::default()
                };
                for hints in [Hints::default(), from_country(country(language)), by_tag] {
                    all += 1;
                    if !is_right(&bytes, text, &hints) {
                        wrong.push(format!(
                            "{name} {hints:?}: {}",
                            detect(&bytes, &hints).charset
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.len() * 50 <= all,
        "{} of {all}: {wrong:#?}",
        wrong.len()
    );
}

/// The goals, in tenths of a per cent: length, without hints, with the country.
const GOALS: [(u64, u32, u32); 4] = [
    (20, 960, 980),
    (50, 970, 985),
    (200, 990, 995),
    (1000, 990, 995),
];

#[test]
fn real_text_is_read_right() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let samples = samples::read(&shared);
    assert!(samples.len() > 4000);
    let mut shares: BTreeMap<u64, [u32; 3]> = BTreeMap::new();
    let mut dos = 0;
    for sample in &samples {
        let hints = from_country(country(&sample.language));
        let right = is_right(&sample.bytes, &sample.text, &Hints::default());
        if sample.encoding == "utf-8" {
            assert!(right, "{}", sample.text);
            continue;
        }
        let [all, plain, with_country] = shares.entry(sample.length).or_default();
        *all += 1;
        *plain += u32::from(right);
        *with_country += u32::from(is_right(&sample.bytes, &sample.text, &hints));
        let name = detect(&sample.bytes, &Hints::default()).charset.name();
        let windows =
            sample.encoding.starts_with("cp125") || sample.encoding.starts_with("iso8859");
        dos +=
            u32::from(windows && !name.starts_with("windows-") && !name.starts_with("ISO-8859-"));
    }
    for (length, goal, goal_country) in GOALS {
        let [all, plain, with_country] = shares[&length];
        assert!(plain * 1000 >= goal * all, "{length}: {plain} of {all}");
        assert!(
            with_country * 1000 >= goal_country * all,
            "{length} with country: {with_country} of {all}"
        );
    }
    assert!(
        dos <= 2,
        "{dos} samples of windows-125x and ISO 8859 taken for something else"
    );
}

#[test]
fn real_text_beyond_the_web_is_read_right() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let samples = samples::read(&shared);
    for (language, name) in NON_WEB {
        let charset = Charset::for_name(name).unwrap_or_else(|| panic!("{name}"));
        for characters in [50, 300] {
            let (mut all, mut right) = (0, 0);
            for sample in samples
                .iter()
                .filter(|s| s.language == language && s.length == 1000)
            {
                let Some((bytes, text)) = encoded(&sample.text, characters, charset) else {
                    continue;
                };
                all += 1;
                right += usize::from(is_right(&bytes, &text, &Hints::default()));
            }
            assert!(
                all >= 10 && right * 10 >= all * 9,
                "{language} {name} {characters}: {right} of {all}"
            );
        }
    }
}

/// A label gives way to what makes no text under it, and to nothing else.
#[test]
fn labels_are_believed_unless_they_make_no_text() {
    let under = |text: &str, charset: &str| {
        let charset = Charset::for_name(charset).unwrap_or_else(|| panic!("{charset}"));
        let bytes = charset
            .encode_exact(text)
            .expect("the charset has every character")
            .into_owned();
        let rival =
            rival(&bytes, Charset::ISO_8859_1, &Hints::default()).filter(|rival| rival.outweighs);
        rival.map(|rival| {
            rival
                .guess
                .charset
                .decode(&bytes, &mut LossLog::new())
                .into_owned()
        })
    };
    for text in [
        "Sigurður Guðmundsson wrote:",
        "On Monday Björk Guðmundsdóttir sang in Reykjavík",
        "Thanks, Þórður",
        "Hafþór Júlíus Björnsson",
        "Kind regards, Václav Nový",
        "Seyðisfjörður",
        "Jógvan á Lakjuni og Eyðun í Tórshavn",
        "x² + y² = z³, 5 µm, 1½ cups, 10 °C ± 1",
        "see note¹ and note²",
        "Ðe olde text: þæt wæs god cyning",
        "a¬b, c×d, e÷f, £5, ¥7, ¢9, §§ 3–4",
        "ÄÖÜ ÉÈÊ ÀÂÇ",
        "El Niño, São Tomé, Århus, Besançon",
    ] {
        let read = under(text, "windows-1252");
        assert_eq!(read, None, "{text}");
    }
    for (text, charset) in [
        (
            "Lütfen ekteki dosyayı inceleyip görüşlerinizi en geç cumaya kadar bildirin",
            "windows-1254",
        ),
        ("Yarın şehirde görüşelim mi?", "windows-1254"),
        ("Привет, как дела?", "windows-1251"),
        ("Привет, как дела?", "KOI8-R"),
        ("Καλημέρα σας", "ISO-8859-7"),
        ("Dziękuję za wiadomość, którą wysłałeś", "ISO-8859-2"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy", "windows-1250"),
        ("你好，明天见面吧", "GBK"),
    ] {
        assert_eq!(under(text, charset).as_deref(), Some(text), "{charset}");
    }
}

/// Of what is said to be sure nearly all is right, of what is said to be doubtful less.
#[test]
fn confidence_is_what_it_says() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let mut buckets = [[0_u32; 2]; 10];
    for sample in samples::read(&shared) {
        // Long samples leave no doubt: their first bytes do.
        for length in [8, 12, sample.bytes.len()] {
            let Some(text) = sample.text.get(..).filter(|_| length <= sample.bytes.len()) else {
                continue;
            };
            let bytes = &sample.bytes[..length];
            if bytes.is_ascii() {
                continue;
            }
            let guess = detect(bytes, &Hints::default());
            let read = guess
                .charset
                .decode(bytes, &mut LossLog::with_limit(0))
                .into_owned();
            // Half a character at the end may be anything.
            let start = read.trim_end_matches(char::REPLACEMENT_CHARACTER);
            let bucket = &mut buckets[((guess.confidence * 10.0) as usize).min(9)];
            bucket[0] += 1;
            bucket[1] += u32::from(text.starts_with(start));
        }
    }
    for (low, least) in [(9, 90), (8, 70), (7, 60), (6, 45)] {
        let [all, right] = buckets[low];
        assert!(
            right * 100 >= least * all && all >= 10,
            "from 0.{low}: {right} of {all} right; {buckets:?}"
        );
    }
    let doubtful: u32 = buckets[..6].iter().map(|[all, _]| all).sum();
    let unsure: u32 = buckets[..6].iter().map(|[_, right]| right).sum();
    assert!(unsure * 100 <= doubtful * 75, "{buckets:?}");
}

#[test]
fn what_is_no_text_is_never_sure() {
    for (name, bytes) in noise() {
        for ascii_compatible in [false, true] {
            let guess = detect(
                &bytes,
                &Hints {
                    ascii_compatible,
                    ..Hints::default()
                },
            );
            assert!(guess.confidence < 0.3, "{name}: {guess:?}");
        }
    }
}

/// A few characters of other charsets may be sequences of UTF-8 with some damage; what they say decides.
#[test]
fn short_text_is_not_taken_for_damaged_utf8() {
    let (mut all, mut taken) = (0, 0);
    for (_, charsets, sentence) in SENTENCES {
        let characters: Vec<char> = sentence.chars().collect();
        for charset in charsets
            .split(' ')
            .filter_map(Charset::for_name)
            .filter(|c| c.is_ascii_compatible())
        {
            for length in 2..10 {
                for window in characters.windows(length) {
                    let text: String = window.iter().collect();
                    let bytes = charset
                        .encode_exact(&text)
                        .expect("the charset has every character");
                    let sequences = String::from_utf8_lossy(&bytes)
                        .chars()
                        .filter(|c| !c.is_ascii() && *c != '\u{FFFD}')
                        .count();
                    if sequences == 0 || std::str::from_utf8(&bytes).is_ok() {
                        continue;
                    }
                    all += 1;
                    taken +=
                        usize::from(detect(&bytes, &Hints::default()).charset == Charset::UTF_8);
                }
            }
        }
    }
    assert!(all > 500 && taken * 500 <= all, "{taken} of {all}");
}

#[test]
fn half_a_unit_does_not_hide_utf16() {
    for (language, charsets, sentence) in SENTENCES {
        for charset in charsets
            .split(' ')
            .filter_map(Charset::for_name)
            .filter(|c| c.name().starts_with("UTF-16"))
        {
            let mut bytes = charset
                .encode_exact(sentence)
                .expect("the charset has every character")
                .into_owned();
            bytes.push(b'\n');
            assert_eq!(
                detect(&bytes, &Hints::default()).charset,
                charset,
                "{language}"
            );
            bytes.truncate(bytes.len() - 2);
            assert_eq!(
                detect(&bytes, &Hints::default()).charset,
                charset,
                "{language}"
            );
        }
    }
}

/// A line that comes again and again tells no less than one.
#[test]
fn repeated_lines_stay_utf16() {
    let more = [(
        "ja",
        "",
        "こんにちは。明日の会議は十時からです。よろしくお願いします。",
    )];
    for (language, _, sentence) in SENTENCES.iter().chain(&more) {
        for charset in [Charset::UTF_16BE, Charset::UTF_16LE] {
            for times in [1, 2, 5, 20, 100] {
                for end in ["\n", "\u{2028}"] {
                    let text = format!("{sentence}{end}").repeat(times);
                    let bytes = charset
                        .encode_exact(&text)
                        .expect("the charset has every character");
                    let guess = detect(&bytes, &Hints::default());
                    let is_right = guess.charset == charset && guess.confidence > 0.9;
                    assert!(is_right, "{language} {times}: {guess:?}");
                }
            }
        }
    }
}

/// ASCII text with the signs of UTF-7, HZ and ISO-2022 stays ASCII.
#[test]
fn ascii_stays_ascii() {
    for text in [
        "1+1=2, C++, a+b-c, +49-221-1234, user+tag@example.org",
        "see +ABC- and +xyz+ and http://example.org/?q=a+b+c-d",
        "~{ in shells: cd ~{user,other}; ~} ~~",
        "base64: R3L8w59l+ABCDEFGH/ijklmnop==",
        "an escape \x1b[31mred\x1b[0m and \x1b$B not closed",
        "Message-ID: <CAF+8AoQ-Zx+ACc-@example.org>",
        "",
        " ",
    ] {
        let guess = detect(text.as_bytes(), &Hints::default());
        assert_eq!(
            (guess.charset, guess.evidence),
            (Charset::US_ASCII, Evidence::Ascii),
            "{text}"
        );
    }
}

#[test]
fn utf8_beats_all_but_marks() {
    for (_, _, sentence) in SENTENCES {
        for hints in [
            Hints::default(),
            from_country("cn"),
            Hints {
                declared: Some(Charset::KOI8_R),
                ..Hints::default()
            },
        ] {
            let guess = detect(sentence.as_bytes(), &hints);
            assert_eq!(
                (guess.charset, guess.evidence),
                (Charset::UTF_8, Evidence::Utf8)
            );
        }
    }
}

#[test]
fn mail_gets_ascii_compatible_charsets() {
    let hints = Hints {
        ascii_compatible: true,
        ..Hints::default()
    };
    for (_, charsets, sentence) in SENTENCES {
        for charset in charsets.split(' ').filter_map(Charset::for_name) {
            let bytes = charset
                .encode_exact(sentence)
                .expect("the charset has every character");
            let guess = detect(&bytes, &hints);
            assert!(
                guess.charset.is_ascii_compatible() || guess.evidence == Evidence::Structure,
                "{charset}"
            );
            assert!(!["UTF-7", "HZ-GB-2312"].contains(&guess.charset.name()));
        }
    }
}

#[test]
fn a_declared_charset_that_reads_all_is_believed() {
    let hints = Hints {
        declared: Some(Charset::ISO_8859_5),
        ..Hints::default()
    };
    let guess = detect(b"\xD4\xD0", &hints);
    assert_eq!(
        (guess.charset, guess.evidence),
        (Charset::ISO_8859_5, Evidence::Declared)
    );
    // C1 controls speak against it.
    assert_ne!(
        detect(b"\xCF\xF0\xE8\xE2\xE5\xF2 \x96 \x93\xDF\x94", &hints).evidence,
        Evidence::Declared
    );
}

/// Short fields of one message tell together what none of them tells alone.
#[test]
fn pieces_are_judged_together() {
    let (_, _, russian) = SENTENCES[14];
    let bytes = Charset::KOI8_R
        .encode_exact(russian)
        .expect("the charset has every character");
    let mut detector = Detector::new();
    assert_eq!(detector.guess(&Hints::default()).charset, Charset::US_ASCII);
    for word in bytes.split(|b| *b == b' ') {
        detector.feed(word);
    }
    let guess = detector.guess(&Hints::default());
    assert!(
        reads(guess.charset, &bytes, russian) && guess.confidence > 0.9,
        "{guess:?}"
    );
    for _ in 0..10_000 {
        detector.feed(&bytes);
    }
    assert!(reads(
        detector.guess(&Hints::default()).charset,
        &bytes,
        russian
    ));
}

/// Any bytes get an answer, confidences are probabilities, and the first of the list is the answer.
#[test]
fn answers_are_total() {
    let mut state = 1_u32;
    for length in 0..600 {
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        for hints in [
            Hints::default(),
            Hints {
                country: Some("\u{e9}!"),
                language: Some("-"),
                ..Hints::default()
            },
        ] {
            let guess = detect(&bytes, &hints);
            let top = detect_top(&bytes, &hints, 3);
            assert_eq!(top.first(), Some(&guess));
            assert!(
                top.len() <= 3 && top.iter().all(|g| (0.0..=1.0).contains(&g.confidence)),
                "{top:?}"
            );
            let weighed = Weighed::new(&bytes, &hints);
            assert_eq!(weighed.guess(), guess);
            for label in [
                Charset::ISO_8859_1,
                Charset::KOI8_R,
                Charset::GBK,
                Charset::UTF_8,
                Charset::UTF_16LE,
            ] {
                let rival = weighed.rival(label);
                assert!(
                    rival.is_none_or(|r| r.guess.charset != label && r.guess.confidence > 0.5),
                    "{rival:?}"
                );
            }
        }
    }
    assert!(detect_top(b"caf\xE9", &Hints::default(), 0).is_empty());
}
