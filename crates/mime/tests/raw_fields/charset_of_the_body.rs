//! Raw header fields beside a body: how far its charset, or its label, decides about them.

use crate::{encoded, message, text};

/// Most headers are in the charset of the body. A few letters do not prove otherwise.
#[test]
fn short_fields_are_in_the_charset_of_the_body() {
    for (label, value, body) in [
        ("shift_jis", "ｼｽﾃﾑ", "会議のお知らせ\n"),
        ("shift_jis", "ﾃｽﾄﾒｰﾙ", "会議のお知らせ\n"),
        ("shift_jis", "ｶﾅ", "会議のお知らせ\n"),
        ("windows-1252", "ÁÉÍÓÚ", "Não há reunião amanhã.\n"),
        (
            "windows-1254",
            "ığş",
            "Toplantı yarın saat üçte başlıyor.\n",
        ),
        ("iso-8859-5", "Re: Ёж", "Привет, как дела?\n"),
        ("windows-1251", "Ъ", "Привет, как дела?\n"),
    ] {
        let raw = message("Subject", &encoded(label, value), label, body);
        assert_eq!(text(&raw, "subject").0, value, "{label}");
    }
}

/// Programs label text in ASCII as Latin-1 by default. Every other label tells where the message is from, whatever the body has.
#[test]
fn labels_of_ascii_bodies_are_weighed() {
    let read = |label: &str, value: &[u8], body: &str| {
        let raw = message("Subject", value, label, body);
        text(&raw, "subject").0
    };
    let cyrillic = encoded("windows-1251", "Новые цены");
    assert_eq!(read("iso-8859-1", &cyrillic, "Hello\n"), "Новые цены");
    for (label, value) in [
        ("gb2312", "谢谢"),
        ("euc-kr", "천체"),
        ("windows-1251", "ЦІЛІ"),
        ("iso-8859-1", "NESCAFÉ®"),
        ("iso-8859-1", "QUALITÉ\u{a0}: BON"),
    ] {
        assert_eq!(
            read(label, &encoded(label, value), "Hello\n"),
            value,
            "{label}"
        );
    }
}

/// The first part that says something of the charset counts, and text in escape sequences is no ASCII.
#[test]
fn later_parts_do_not_replace_the_charset_of_the_first() {
    let message = |subject: &[u8], first: &[u8], second: &[u8]| {
        let parts = [first, second]
            .map(|part| [b"--b\nContent-Type: text/plain; charset=", part, b"\n"].concat());
        let header = b"Subject: ";
        let kind = b"\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n";
        [&header[..], subject, kind, &parts.concat(), b"--b--\n"].concat()
    };
    let french = b"iso-8859-1\n\n\xE0 caf\xE9, d\xE9j\xE0 vu\n";
    for (subject, charset, first) in [
        (
            "日本",
            "shift_jis",
            &b"iso-2022-jp\n\n\x1b$BF|K\\8l\x1b(B\n"[..],
        ),
        ("Привет", "windows-1251", b"windows-1251\n\nHello\n"),
    ] {
        let raw = message(&encoded(charset, subject), first, french);
        assert_eq!(text(&raw, "subject").0, subject);
    }
}

/// A label of Latin-1 over a body in ASCII, or beside lines in a charset that reads it alike, proves little about raw fields.
#[test]
fn labels_of_latin_1_that_prove_little_are_weighed() {
    let hello = || b"Hello\n".to_vec();
    let turkish = [
        encoded(
            "windows-1252",
            "Belgenin son halini bana gönderebilir misiniz?\n\n",
        ),
        encoded(
            "windows-1254",
            "> Maalesef programı çalıştıramadım, bağlanırken hata veriyor.\n",
        ),
    ];
    let german = [
        encoded(
            "windows-1252",
            "Vielen Dank für die Prüfung, wir hören uns nächste Woche. Schöne Grüße, Jürgen\n\n",
        ),
        encoded(
            "KOI8-R",
            "> Добрый день, высылаю вам договор на подпись.\n> Пожалуйста, проверьте реквизиты.\n",
        ),
    ];
    for (subject, charset, body) in [
        ("Schůzka", "windows-1250", hello()),
        ("Děkuji", "ISO-8859-2", hello()),
        ("Değil, Yıldız", "windows-1254", hello()),
        ("İlginize teşekkür ederiz", "windows-1254", turkish.concat()),
        ("Réunion à 9 h", "windows-1252", hello()),
        ("Mañana", "windows-1252", hello()),
        ("Åsa Öberg", "windows-1252", hello()),
        ("Öl and more of it", "windows-1252", hello()),
        ("Öl and more of it", "windows-1252", german.concat()),
        ("Re: Cataluña", "windows-1252", hello()),
        ("Re: Cataluña", "windows-1252", german.concat()),
        ("Forlì and more of it", "windows-1252", hello()),
        ("Íñigo and more of it", "windows-1252", hello()),
        ("Õie", "windows-1252", hello()),
        ("Cantù", "windows-1252", hello()),
        ("Açò and more of it", "windows-1252", hello()),
        ("Ñandú and more of it", "windows-1252", hello()),
        ("Davõdov", "windows-1252", hello()),
    ] {
        for label in ["iso-8859-1", "windows-1252"] {
            let mut raw = message("Subject", &encoded(charset, subject), label, "");
            raw.extend_from_slice(&body);
            assert_eq!(text(&raw, "subject").0, subject, "{label}");
        }
    }
}

/// A body may read alike in ISO-8859-2 and windows-1250, a name may not.
#[test]
fn raw_names_may_be_in_the_relative_of_the_charset_of_the_body() {
    let body = "Děkuji za rychlou odpověď. Mohl byste mi prosím poslat poslední verzi dokumentu?\n";
    for charset in ["ISO-8859-2", "windows-1250"] {
        let mut raw = message(
            "Subject",
            &encoded(charset, "Lukáš Švejda"),
            "iso-8859-1",
            "",
        );
        raw.extend_from_slice(&encoded(charset, body));
        assert_eq!(text(&raw, "subject").0, "Lukáš Švejda", "{charset}");
    }
}

#[test]
fn the_charset_of_a_body_must_fit() {
    for (charset, value, label, body) in [
        (
            "KOI8-R",
            "Приглашение на конференцию разработчиков",
            "windows-1251",
            "Уважаемый Сергей Петрович!\n",
        ),
        ("ISO-8859-1", "Jörg Müller", "koi8-r", "Привет\n"),
        ("Shift_JIS", "会議のお知らせ", "euc-jp", "会議のお知らせ\n"),
        ("ISO-8859-1", "Café", "gb2312", "大家好\n"),
        (
            "windows-1250",
            "Wiśniewski: środa",
            "iso-8859-2",
            "Zażółć gęślą jaźń\n",
        ),
        (
            "windows-1252",
            "It’s “ok”",
            "iso-8859-15",
            "Grüße für Zoë\n",
        ),
        // The body is right.
        ("ISO-8859-2", "Łódź", "iso-8859-2", "Zażółć gęślą jaźń\n"),
        ("KOI8-R", "Да", "koi8-r", "Привет, как дела?\n"),
        ("GBK", "通知", "gb2312", "大家好\n"),
        (
            "KOI8-U",
            "Зустріч і події",
            "koi8-r",
            "Привіт, як справи?\n",
        ),
    ] {
        let body = if charset == "KOI8-U" {
            "Привет\n"
        } else {
            body
        };
        let raw = message("Subject", &encoded(charset, value), label, body);
        let (read, report) = text(&raw, "subject");
        assert_eq!((&*read, report.losses()), (value, 0), "{label}");
    }
    // A cut character does not prevent the charset of the body.
    let value = encoded("GBK", "关于会议的通知");
    let raw = message("Subject", &value[..value.len() - 1], "gb2312", "大家好\n");
    assert_eq!(text(&raw, "subject").0, "关于会议的通\u{FFFD}");
}
