//! A mailbox of a small museum of computing, 1993 to 2025.

use super::message::message;
use crate::generate::{base64, base64_words, encode, quoted_printable, utf7};
use std::fmt::Write as _;

/// Returns the mailbox: mboxrd, LF.
pub(super) fn mailbox() -> Vec<u8> {
    let mut mailbox = Vec::new();
    for (separator, message) in messages() {
        mailbox.extend_from_slice(format!("From {separator}\n").as_bytes());
        for line in message.split_inclusive(|byte| *byte == b'\n') {
            let quotes = line.iter().take_while(|byte| **byte == b'>').count();
            if line[quotes..].starts_with(b"From ") {
                mailbox.push(b'>');
            }
            mailbox.extend_from_slice(line);
        }
        mailbox.extend_from_slice(b"\n");
    }
    mailbox
}

/// Returns the messages, each with the rest of its separator line.
pub(super) fn messages() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (
            "anna@museum.example Tue Mar  9 09:12:00 1993",
            plain_ascii(),
        ),
        (
            "birgit@museum.example Wed Nov 16 10:01:33 1994",
            latin1_quoted(),
        ),
        ("ivan@museum.example Mon May 22 18:40:10 1995", koi8_raw()),
        (
            "sato@museum.example Thu Feb  8 08:00:00 1996",
            iso_2022_jp(),
        ),
        ("lukas@museum.example Fri Aug 29 12:30:00 1997", uuencoded()),
        (
            "anna@museum.example Tue Jun 30 16:45:00 1998",
            cp1252_as_latin1(),
        ),
        (
            "ivan@museum.example Mon Jan 18 11:11:11 1999",
            windows_1251_base64(),
        ),
        ("chen@museum.example Wed Oct 11 07:20:00 2000", gb2312()),
        ("lin@museum.example Sat Apr 14 09:09:09 2001", big5()),
        ("kim@museum.example Tue Dec  3 13:00:00 2002", euc_kr()),
        ("sato@museum.example Fri Jul 11 17:30:00 2003", shift_jis()),
        ("lukas@museum.example Mon Sep 20 08:15:00 2004", utf7_body()),
        ("eleni@museum.example Thu Jan 27 19:00:00 2005", greek()),
        (
            "maria@museum.example Sun Oct  8 10:10:10 2006",
            split_words(),
        ),
        (
            "birgit@museum.example Wed Mar 21 14:00:00 2007",
            utf8_as_latin1(),
        ),
        (
            "birgit@museum.example Thu Apr 24 15:00:00 2008",
            latin1_as_utf8(),
        ),
        (
            "ivan@museum.example Fri Sep 11 09:00:00 2009",
            unlabelled_cyrillic(),
        ),
        (
            "jozef@museum.example Mon Nov 29 12:00:00 2010",
            iso_8859_2(),
        ),
        (
            "sato@museum.example Tue Mar 15 06:00:00 2011",
            rfc2231_name(),
        ),
        (
            "anna@museum.example Wed Jun  6 20:00:00 2012",
            html_with_meta(),
        ),
        (
            "lukas@museum.example Thu May  8 10:00:00 2014",
            garbage_label(),
        ),
        (
            "anna@museum.example Fri Jan 15 11:00:00 2016",
            quoted_from(),
        ),
        ("birgit@museum.example Mon Oct 22 09:30:00 2018", signed()),
        ("maria@museum.example Tue Apr 20 16:00:00 2021", forwarded()),
        ("noor@museum.example Wed Jul 19 13:37:00 2023", utf8_clean()),
        (
            "noor@museum.example Sun Mar 30 18:00:00 2025",
            raw_utf8_header(),
        ),
    ]
}

fn header(from: &str, subject: &str, date: &str, id: u32, more: &str) -> Vec<u8> {
    format!(
        "From: {from}\nTo: archive@museum.example\nSubject: {subject}\nDate: {date}\nMessage-ID: <m{id}@museum.example>\n{more}"
    )
    .into_bytes()
}

fn text(label: &str, transfer: &str) -> String {
    format!(
        "MIME-Version: 1.0\nContent-Type: text/plain; charset={label}\nContent-Transfer-Encoding: {transfer}\n"
    )
}

fn b(charset: &str, text: &str) -> String {
    format!("=?{charset}?B?{}?=", base64_words(&encode(text, charset)))
}

fn base64_body(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    base64(bytes, "\n", &mut out);
    out
}

fn quoted_body(text: &str, charset: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for line in text.lines() {
        quoted_printable(&encode(line, charset), "\n", &mut out);
        out.push(b'\n');
    }
    out
}

/// Before MIME: nothing to do.
fn plain_ascii() -> Vec<u8> {
    message(
        header(
            "Anna Blom <anna@museum.example>",
            "First machine in the hall",
            "Tue, 9 Mar 1993 09:12:00 +0100",
            1,
            "",
        ),
        "The tape unit stands by the window now. Please do not lean on it.\n",
    )
}

fn latin1_quoted() -> Vec<u8> {
    message(
        header(
            "=?iso-8859-1?Q?Birgit_G=F6ransson?= <birgit@museum.example>",
            "=?iso-8859-1?Q?N=E4sta_m=F6te?=",
            "Wed, 16 Nov 1994 10:01:33 +0100",
            2,
            &text("iso-8859-1", "quoted-printable"),
        ),
        quoted_body(
            "Vi träffas på måndag klockan åtta. Tag med ritningarna för skåpet!\n",
            "iso-8859-1",
        ),
    )
}

/// Raw 8-bit bytes in header and body, with a right label.
fn koi8_raw() -> Vec<u8> {
    let mut head = b"From: ".to_vec();
    head.extend_from_slice(&encode("Иван Петров", "koi8-r"));
    head.extend_from_slice(b" <ivan@museum.example>\nTo: archive@museum.example\nSubject: ");
    head.extend_from_slice(&encode("Перфокарты", "koi8-r"));
    head.extend_from_slice(
        b"\nDate: Mon, 22 May 1995 18:40:10 +0400\nMessage-ID: <m3@museum.example>\n",
    );
    head.extend_from_slice(text("koi8-r", "8bit").as_bytes());
    message(
        head,
        encode(
            "Коробку с перфокартами передали вчера.\nСчитыватель пока не работает.\n",
            "koi8-r",
        ),
    )
}

fn iso_2022_jp() -> Vec<u8> {
    message(
        header(
            &format!("{} <sato@museum.example>", b("iso-2022-jp", "佐藤")),
            &b("iso-2022-jp", "磁気ドラムの写真"),
            "Thu, 8 Feb 1996 08:00:00 +0900",
            4,
            &text("ISO-2022-JP", "7bit"),
        ),
        encode(
            "写真は来週お送りします。\nレンズを修理に出しました。\n",
            "iso-2022-jp",
        ),
    )
}

/// A uuencoded block inside text stays as it is.
fn uuencoded() -> Vec<u8> {
    message(
        header(
            "Lukas Vogt <lukas@museum.example>",
            "label.txt",
            "Fri, 29 Aug 1997 12:30:00 +0200",
            5,
            "",
        ),
        "The label for the drum, as a file:\n\nbegin 644 label.txt\n#0V%T\n`\nend\n\nLukas\n",
    )
}

/// Curly quotes, a dash and a euro sign that ISO-8859-1 does not have.
fn cp1252_as_latin1() -> Vec<u8> {
    message(
        header(
            "Anna Blom <anna@museum.example>",
            "=?iso-8859-1?Q?The_museum=92s_shop?=",
            "Tue, 30 Jun 1998 16:45:00 +0200",
            6,
            &text("iso-8859-1", "8bit"),
        ),
        encode(
            "“Don’t touch” – the new sign costs €5… and everyone touches it.\n",
            "windows-1252",
        ),
    )
}

fn windows_1251_base64() -> Vec<u8> {
    message(
        header(
            &format!("{} <ivan@museum.example>", b("windows-1251", "Иван Петров")),
            &b("windows-1251", "Терминал отремонтирован"),
            "Mon, 18 Jan 1999 11:11:11 +0300",
            7,
            &text("windows-1251", "base64"),
        ),
        base64_body(&encode(
            "Экран снова светится зелёным.\r\nКлавиатуру привезут в среду.\r\n",
            "windows-1251",
        )),
    )
}

fn gb2312() -> Vec<u8> {
    message(
        header(
            &format!("{} <chen@museum.example>", b("gb2312", "陈伟")),
            &b("gb2312", "算盘已经寄出"),
            "Wed, 11 Oct 2000 07:20:00 +0800",
            8,
            &text("gb2312", "base64"),
        ),
        // The second line needs GBK, labelled as its subset.
        base64_body(&encode("两把算盘今天寄出。\n朱镕基参观过这里。\n", "gbk")),
    )
}

fn big5() -> Vec<u8> {
    message(
        header(
            &format!("{} <lin@museum.example>", b("big5", "林怡君")),
            &b("big5", "打字機"),
            "Sat, 14 Apr 2001 09:09:09 +0800",
            9,
            &text("big5", "8bit"),
        ),
        encode("這台打字機功能完好，許多人來看。\n", "big5"),
    )
}

fn euc_kr() -> Vec<u8> {
    message(
        header(
            &format!("{} <kim@museum.example>", b("euc-kr", "김하늘")),
            &b("euc-kr", "전시 안내"),
            "Tue, 3 Dec 2002 13:00:00 +0900",
            10,
            &text("ks_c_5601-1987", "8bit"),
        ),
        encode(
            "새 전시가 금요일에 시작됩니다.\n똠방각하라는 연극도 있습니다.\n",
            "euc-kr",
        ),
    )
}

fn shift_jis() -> Vec<u8> {
    message(
        header(
            &format!("{} <sato@museum.example>", b("shift_jis", "佐藤")),
            // Two words that split a character between its bytes.
            &{
                let bytes = encode("電卓の表示", "shift_jis");
                let (one, two) = bytes.split_at(3);
                format!(
                    "=?shift_jis?B?{}?=\n =?shift_jis?B?{}?=",
                    base64_words(one),
                    base64_words(two)
                )
            },
            "Fri, 11 Jul 2003 17:30:00 +0900",
            11,
            &text("shift_jis", "8bit"),
        ),
        encode(
            "①番の電卓は㈱ヤマダの製品です。\n表示が消えたままです。\n",
            "shift_jis",
        ),
    )
}

fn utf7_body() -> Vec<u8> {
    message(
        header(
            "Lukas Vogt <lukas@museum.example>",
            "=?utf-7?Q?Gr+APwA3w-e?=",
            "Mon, 20 Sep 2004 08:15:00 +0200",
            12,
            &text("utf-7", "7bit"),
        ),
        utf7("Schöne Grüße aus der Werkstatt. 1 + 1 = 10.\n"),
    )
}

fn greek() -> Vec<u8> {
    message(
        header(
            &format!("{} <eleni@museum.example>", b("iso-8859-7", "Ελένη")),
            &b("iso-8859-7", "Ο πρώτος υπολογιστής"),
            "Thu, 27 Jan 2005 19:00:00 +0200",
            13,
            &text("\"ISO-8859-7\"", "8bit"),
        ),
        encode("Ο υπολογιστής λειτουργεί ξανά.\n", "iso-8859-7"),
    )
}

/// UTF-8 words that split a character, and one that is folded in the middle of a name.
fn split_words() -> Vec<u8> {
    let name = "María José Ñuñez".as_bytes();
    let subject = "Réservation confirmée à Orléans".as_bytes();
    let word = |bytes: &[u8]| format!("=?UTF-8?B?{}?=", base64_words(bytes));
    message(
        header(
            &format!(
                "{}\n {} <maria@museum.example>",
                word(&name[..4]),
                word(&name[4..])
            ),
            &format!(
                "{}\n {}\n {}",
                word(&subject[..2]),
                word(&subject[2..21]),
                word(&subject[21..])
            ),
            "Sun, 8 Oct 2006 10:10:10 +0200",
            14,
            &text("utf-8", "base64"),
        ),
        base64_body("La réservation est confirmée. À bientôt !\n".as_bytes()),
    )
}

fn utf8_as_latin1() -> Vec<u8> {
    message(
        header(
            "=?iso-8859-1?Q?Birgit_G=F6ransson?= <birgit@museum.example>",
            "Katalog",
            "Wed, 21 Mar 2007 14:00:00 +0100",
            15,
            &text("iso-8859-1", "8bit"),
        ),
        "Katalogen är färdig på svenska och på franska – äntligen.\n",
    )
}

fn latin1_as_utf8() -> Vec<u8> {
    message(
        header(
            "=?iso-8859-1?Q?Birgit_G=F6ransson?= <birgit@museum.example>",
            "Katalog igen",
            "Thu, 24 Apr 2008 15:00:00 +0200",
            16,
            &text("utf-8", "8bit"),
        ),
        encode(
            "Nu är även den andra upplagan på väg till tryckeriet i Malmö.\n",
            "iso-8859-1",
        ),
    )
}

fn unlabelled_cyrillic() -> Vec<u8> {
    message(
        header(
            "ivan@museum.example",
            "bez temy",
            "Fri, 11 Sep 2009 09:00:00 +0400",
            17,
            "",
        ),
        encode(
            "Здравствуйте! Посылаю описание пульта управления, которое мы нашли в архиве завода.\nПожалуйста, сообщите, когда удобно встретиться.\n",
            "windows-1251",
        ),
    )
}

fn iso_8859_2() -> Vec<u8> {
    message(
        header(
            "=?iso-8859-2?Q?J=F3zef_=A6wi=B1tek?= <jozef@museum.example>",
            "=?iso-8859-2?Q?Ksi=B1=BFka_dla_go=B6ci?=",
            "Mon, 29 Nov 2010 12:00:00 +0100",
            18,
            &text("iso-8859-2", "quoted-printable"),
        ),
        quoted_body(
            "Księga gości leży przy wejściu, obok źródła światła.\n",
            "iso-8859-2",
        ),
    )
}

/// A file name in two segments, in the charset of its sender.
fn rfc2231_name() -> Vec<u8> {
    let percent = |text: &str| {
        encode(text, "iso-2022-jp")
            .iter()
            .fold(String::new(), |mut all, byte| {
                let _ = write!(all, "%{byte:02X}");
                all
            })
    };
    let mut body = encode("添付の一覧をご確認ください。\n", "iso-2022-jp");
    let mut whole = b"--=_drum\nContent-Type: text/plain; charset=iso-2022-jp\n\n".to_vec();
    whole.append(&mut body);
    whole.extend_from_slice(
        format!(
            "\n--=_drum\nContent-Type: application/octet-stream;\n name*0*=iso-2022-jp'ja'{};\n name*1*={}\nContent-Disposition: attachment;\n filename=\"=?iso-2022-jp?B?{}?=\"\nContent-Transfer-Encoding: base64\n\n",
            percent("一覧"),
            percent("表.bin"),
            base64_words(&encode("一覧表.bin", "iso-2022-jp")),
        )
        .as_bytes(),
    );
    whole.extend_from_slice(&base64_body(&(0..=255).collect::<Vec<u8>>()));
    whole.extend_from_slice(b"--=_drum--\n");
    message(
        header(
            &format!("{} <sato@museum.example>", b("iso-2022-jp", "佐藤")),
            &b("iso-2022-jp", "一覧表"),
            "Tue, 15 Mar 2011 06:00:00 +0900",
            19,
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"=_drum\"\n",
        ),
        whole,
    )
}

/// The document declares the charset, too.
fn html_with_meta() -> Vec<u8> {
    let page = "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1252\"></head>\n<body><p>Øl og smørrebrød i caféen – “velkommen”</p></body></html>\n";
    let mut body =
        b"--alt\nContent-Type: text/plain; charset=windows-1252\nContent-Transfer-Encoding: 8bit\n\n"
            .to_vec();
    body.extend_from_slice(&encode(
        "Øl og smørrebrød i caféen – “velkommen”\n",
        "windows-1252",
    ));
    body.extend_from_slice(b"\n--alt\nContent-Type: text/html; charset=windows-1252\nContent-Transfer-Encoding: quoted-printable\n\n");
    body.extend_from_slice(&quoted_body(page, "windows-1252"));
    body.extend_from_slice(b"\n--alt--\n");
    message(
        header(
            "Anna Blom <anna@museum.example>",
            "=?windows-1252?Q?=D8l_i_caf=E9en?=",
            "Wed, 6 Jun 2012 20:00:00 +0200",
            20,
            "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=alt\n",
        ),
        body,
    )
}

fn garbage_label() -> Vec<u8> {
    message(
        header(
            "Lukas Vogt <lukas@museum.example>",
            "Re: Re: label",
            "Thu, 8 May 2014 10:00:00 +0200",
            21,
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=\"utf-8; q8x2\"\nContent-Transfer-Encoding: 8bit\n",
        ),
        "Das Schild hängt. Die Schrift könnte größer sein.\n",
    )
}

/// Lines that a mailbox must quote, at two levels.
fn quoted_from() -> Vec<u8> {
    message(
        header(
            "Anna Blom <anna@museum.example>",
            "Transport",
            "Fri, 15 Jan 2016 11:00:00 +0100",
            22,
            "",
        ),
        "The crate leaves on Monday.\n\nFrom the station it goes by tram.\n>From what I hear, the tram is full.\n",
    )
}

/// Signed: its charset stays, whatever it is.
fn signed() -> Vec<u8> {
    let mut body =
        b"--sig\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n"
            .to_vec();
    body.extend_from_slice(&encode("Gåvobrevet är undertecknat.\n", "iso-8859-1"));
    body.extend_from_slice(
        b"\n--sig\nContent-Type: application/pgp-signature; name=signature.asc\n\n-----BEGIN PGP SIGNATURE-----\n\nbm8gcmVhbCBzaWduYXR1cmU=\n-----END PGP SIGNATURE-----\n\n--sig--\n",
    );
    message(
        header(
            "=?iso-8859-1?Q?Birgit_G=F6ransson?= <birgit@museum.example>",
            "=?iso-8859-1?Q?G=E5vobrev?=",
            "Mon, 22 Oct 2018 09:30:00 +0200",
            23,
            "MIME-Version: 1.0\nContent-Type: multipart/signed; boundary=sig; micalg=pgp-sha256;\n protocol=\"application/pgp-signature\"\n",
        ),
        body,
    )
}

/// A message inside a message, with its own charsets.
fn forwarded() -> Vec<u8> {
    let inner = message(
        "From: =?koi8-r?B?6dfBziDwxdTSz9c=?= <ivan@museum.example>\nSubject: =?koi8-r?B?8MXSxs/LwdLU2Q==?=\nMIME-Version: 1.0\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: 8bit\n",
        encode("Считыватель наконец работает.\n", "koi8-r"),
    );
    let mut body =
        b"--fwd\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
            .to_vec();
    body.extend_from_slice(
        "Esto llegó ayer.\n\n--fwd\nContent-Type: message/rfc822\n\n".as_bytes(),
    );
    body.extend_from_slice(&inner);
    body.extend_from_slice(b"\n--fwd--\n");
    message(
        header(
            "=?utf-8?Q?Mar=C3=ADa_Jos=C3=A9_=C3=91u=C3=B1ez?= <maria@museum.example>",
            "Fwd: card reader",
            "Tue, 20 Apr 2021 16:00:00 +0200",
            24,
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=fwd\n",
        ),
        body,
    )
}

/// Clean already: no byte changes.
fn utf8_clean() -> Vec<u8> {
    message(
        header(
            "Noor Haddad <noor@museum.example>",
            "=?utf-8?Q?Op_de_caf=C3=A9tafel?=",
            "Wed, 19 Jul 2023 13:37:00 +0200",
            25,
            &text("utf-8", "8bit"),
        ),
        "De folder ligt op de cafétafel: één per bezoeker. 🗄️\n",
    )
}

/// RFC 6532: UTF-8 in the header itself.
fn raw_utf8_header() -> Vec<u8> {
    message(
        header(
            "نور حداد <noor@museum.example>",
            "Zomeropening – vijf jaar",
            "Sun, 30 Mar 2025 18:00:00 +0200",
            26,
            &text("utf-8", "quoted-printable"),
        ),
        quoted_body(
            "Vijf jaar, één zaal, ontelbare knöpjes. Tot zondag!\n",
            "utf-8",
        ),
    )
}
