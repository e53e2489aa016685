//! Raw header fields beside a body: when its charset or its label decides how they are decoded.

use crate::{encoded, message, text};

/// Asserts that a Subject of raw bytes in `charset` is decoded without losses in a message with these bytes under `label` as its body.
fn assert_subject_is_read(charset: &str, subject: &str, label: &str, body: &[u8]) {
    let mut raw = message("Subject", &encoded(charset, subject), label, "");
    raw.extend_from_slice(body);
    let (read, report) = text(&raw, "subject");
    assert_eq!(
        (&*read, report.losses()),
        (subject, 0),
        "a Subject in {charset}, a body under {label}"
    );
}

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
        assert_subject_is_read(label, value, label, &encoded(label, body));
    }
}

/// Programs label text in ASCII as Latin-1 by default. Every other label shows where the message is from, even if the body is ASCII.
#[test]
fn labels_of_ascii_bodies_are_weighed() {
    for (charset, subject, label) in [
        ("windows-1251", "Новые цены", "iso-8859-1"),
        ("gb2312", "谢谢", "gb2312"),
        ("euc-kr", "천체", "euc-kr"),
        ("windows-1251", "ЦІЛІ", "windows-1251"),
        ("iso-8859-1", "NESCAFÉ®", "iso-8859-1"),
        ("iso-8859-1", "QUALITÉ\u{a0}: BON", "iso-8859-1"),
    ] {
        assert_subject_is_read(charset, subject, label, b"Hello\n");
    }
}

/// The first part counts whose label or bytes name a charset. Text in escape sequences is no ASCII.
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
        assert_eq!(text(&raw, "subject").0, subject, "{charset}");
    }
}

/// A label of Latin-1 proves little about raw fields if the body is ASCII, or if some of its lines are in another charset.
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
            assert_subject_is_read(charset, subject, label, &body);
        }
    }
}

/// A body may read alike in ISO-8859-2 and windows-1250, a name may not.
#[test]
fn raw_names_may_be_in_the_relative_of_the_charset_of_the_body() {
    let body = "Děkuji za rychlou odpověď. Mohl byste mi prosím poslat poslední verzi dokumentu?\n";
    for charset in ["ISO-8859-2", "windows-1250"] {
        let body = encoded(charset, body);
        assert_subject_is_read(charset, "Lukáš Švejda", "iso-8859-1", &body);
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
        ("KOI8-U", "Зустріч і події", "koi8-r", "Привет\n"),
    ] {
        assert_subject_is_read(charset, value, label, &encoded(label, body));
    }
    // A cut character does not prevent the charset of the body.
    let value = encoded("GBK", "关于会议的通知");
    let raw = message("Subject", &value[..value.len() - 1], "gb2312", "大家好\n");
    assert_eq!(text(&raw, "subject").0, "关于会议的通\u{FFFD}");
}
