//! Detection of charsets: which answers single texts must have, and which must never be given.
//!
//! # Limits
//!
//! Whether most real text is read right is tested in `main.rs`.

use crate::samples::{from_country, noise, reads};
use crate::sentences::SENTENCES;
use mailglot_codec::detect::{Detector, Evidence, Hints, Weighed, detect, detect_top, rival};
use mailglot_codec::{Charset, LossLog};

/// Capitals have no accents, and laughter is one letter.
#[test]
fn capitals_and_chat_are_text() {
    for (charset, text) in [
        ("windows-1253", "ΠΡΟΣΚΛΗΣΗ ΣΕ ΓΕΝΙΚΗ ΣΥΝΕΛΕΥΣΗ ΤΩΝ ΜΕΛΩΝ"),
        ("CP737", "Ο ΑΡΙΘΜΟΣ ΤΟΥ ΛΟΓΑΡΙΑΣΜΟΥ ΣΑΣ ΑΛΛΑΞΕ"),
        ("KOI8-R", "ПРОФСОЮЗНОЕ СОБРАНИЕ СОСТОИТСЯ В СРЕДУ"),
        ("windows-1251", "ПРОФСОЮЗНОЕ СОБРАНИЕ СОСТОИТСЯ В СРЕДУ"),
        ("EUC-KR", "오늘 저녁에 봐요 ㅋㅋㅋ 늦지 마세요 ㅠㅠ"),
    ] {
        let charset = Charset::for_name(charset).unwrap_or_else(|| panic!("{charset}"));
        let bytes = charset
            .encode_exact(text)
            .expect("the charset has every character");
        let guess = detect(&bytes, &Hints::default());
        let read = guess.charset.decode(&bytes, &mut LossLog::new());
        assert_eq!(read, text, "{charset} {guess:?}");
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

#[test]
fn a_declared_charset_must_keep_ascii_text_where_asked() {
    let declared = |charset, ascii_compatible| {
        let hints = Hints {
            declared: Some(charset),
            ascii_compatible,
            ..Hints::default()
        };
        let guess = detect(b"na\xEFve caf\xE9", &hints);
        (guess.charset, guess.evidence)
    };
    for charset in [Charset::UTF_16LE, Charset::KOI8_R] {
        assert_eq!(declared(charset, false), (charset, Evidence::Declared));
    }
    assert_eq!(
        declared(Charset::UTF_16LE, true),
        (Charset::WINDOWS_1252, Evidence::Model)
    );
    assert_eq!(
        declared(Charset::KOI8_R, true),
        (Charset::KOI8_R, Evidence::Declared)
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
