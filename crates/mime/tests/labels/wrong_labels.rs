//! Tests that wrong labels are reported or give way.

use crate::{
    FAR, LABELS, SENTENCES, charset, doubtful, encoded, is_about_the_text, read, read_word,
};
use mailglot_codec::{Charset, LossLog};

/// Reads a sentence under all labels that read it otherwise. Returns how many there were, how many gave way to the right text, and the
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

/// Labels that hardly any program writes rightly, over text of other languages.
#[test]
fn labels_of_old_systems_yield_to_text() {
    let russian = "Спасибо, ваше сообщение получено.";
    for label in ["ansi_x3.110-1983", "viscii", "tcvn5712-1", "x-viet-vps"] {
        for charset in [Charset::WINDOWS_1251, Charset::KOI8_R] {
            let bytes = encoded(russian, charset).expect("the charset has every character");
            let (got, told) = read(label, &bytes);
            assert_eq!(got, russian, "{label} {charset}");
            assert!(told.iter().any(|told| told.starts_with("charset.detected")));
        }
    }
    let (got, told) = read("ansi_x3.110-1983", b"Gr\xFC\xDFe aus K\xF6ln");
    assert_eq!(got, "Grüße aus Köln");
    assert!(told[0].starts_with("charset.superset"), "{told:?}");
}

#[test]
fn a_currency_sign_beside_a_number_is_told() {
    for (bytes, is_told) in [
        (&b"80 \xA4, and a sign \xA4 without one"[..], true),
        (b"80 \xA4 and \xBD", true),
        (b"\xA4 first item\n\xA4 second item", false),
    ] {
        let (_, told) = read("iso-8859-1", bytes);
        let names_latin_9 = |told: &String| told.contains("ISO-8859-15");
        assert_eq!(told.iter().any(names_latin_9), is_told, "{told:?}");
    }
}

/// One letter of a DOS or Mac charset is reported if windows-1252 has a sign in its place within a word: `dire‡ão` for `direção`.
#[test]
fn one_sign_within_a_word_is_told() {
    for (own, text) in [
        (
            "IBM850",
            "Reunião da direcção na terça-feira: está na hora da eleição",
        ),
        ("macintosh", "Prüfungsgebühr für Schüler und Rentner"),
    ] {
        let bytes = encoded(text, charset(own)).expect("the charset has every character");
        let (got, told) = read("iso-8859-1", &bytes);
        let is_told = told.iter().any(|told| is_about_the_text(told));
        assert!(is_told, "{own} {got} {told:?}");
    }
}

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

/// Few words in capitals, or in small letters, are enough where no language has the letters of the label beside each other.
#[test]
fn wrong_labels_of_few_words_are_overruled() {
    for (own, label, text) in [
        ("windows-1251", "KOI8-R", "заявление о приёме"),
        ("windows-1256", "ISO-8859-6", "مساء الخير"),
        ("KOI8-R", "windows-1251", "Екатерина Смирнова"),
        (
            "windows-1253",
            "iso-8859-1",
            "Η ΣΥΝΑΝΤΗΣΗ ΤΩΝ ΦΙΛΩΝ ΑΝΑΒΑΛΛΕΤΑΙ",
        ),
        ("windows-1251", "ISO-8859-7", "состоится завтра"),
        ("EUC-JP", "EUC-KR", "来週の打ち合わせについて"),
        ("ISO-8859-15", "iso-8859-1", "Eintritt: 8 €, für Kinder 4 €"),
        (
            "ISO-8859-7",
            "iso-8859-1",
            "Το εισιτήριο κοστίζει 8 € για παιδιά και 12 € για μεγάλους",
        ),
        (
            "windows-1252",
            "gb2312",
            "Best\u{E4}tigung der K\u{FC}ndigung",
        ),
        ("windows-1252", "big5", "administraci\u{F3}n"),
        ("windows-1252", "iso-2022-jp", "CITTÀ"),
    ] {
        let bytes = encoded(text, charset(own)).expect("the charset has every character");
        let (got, told) = read(label, &bytes);
        assert_eq!(got, text, "{own} {label} {told:?}");
        let is_told = told.iter().any(|told| told.starts_with("charset.detected"));
        assert!(is_told, "{own} {label} {told:?}");
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
