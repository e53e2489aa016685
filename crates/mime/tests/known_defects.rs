//! Input on which a reader in wide use is known to err, one row each: mailglot must be right on all of it.
//!
//! The readers are those of mail-parser, mailparse, rfc2047-decoder, quoted_printable, charset, encoding_rs, GMime, Python's
//! email package, libmime, postal-mime, Dovecot, libetpan and JavaMail. The versions are of 2023 to 2025.

#![forbid(unsafe_code)]

use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode_lines;
use mailglot_mime::{EventKind, Limits, Message, Policy, Report, params, text_parts};

/// What is decoded, and what it says.
type Row = (&'static str, &'static [u8], &'static str);

/// Values of unstructured fields.
const VALUES: &[Row] = &[
    (
        "words that end in ASCII and begin with an escape",
        b"=?iso-2022-jp?B?GyRCRnxLXBsoQg==?= =?iso-2022-jp?B?GyRCOGwbKEI=?=",
        "日本語",
    ),
    (
        "words that end in the Roman set",
        b"=?iso-2022-jp?B?GyRCRnxLXBsoSg==?= =?iso-2022-jp?B?GyRCOGwbKEo=?=",
        "日本語",
    ),
    (
        "a bad escape leaves the rest of a word decoded",
        b"=?utf-8?Q?=ZZ_=C3=A9?=",
        "=ZZ é",
    ),
    ("the alphabet of URLs", b"=?utf-8?B?w6nigKY_w78-?=", "é…?ÿ>"),
    (
        "a quantum over two words",
        b"=?utf-8?B?5pel5pw=?= =?utf-8?B?rOiqng==?=",
        "日本語",
    ),
    (
        "a character over two words",
        b"=?utf-8?Q?=E6=97?= =?utf-8?Q?=A5?=",
        "日",
    ),
    (
        "a character over words with two names of one charset",
        b"=?gb2312?Q?=D6?= =?GBK?Q?=D0?=",
        "中",
    ),
    (
        "a character over words in B and Q",
        b"=?utf-8?B?5pc=?= =?utf-8?Q?=A5?=",
        "日",
    ),
    (
        "a byte order mark in each word",
        b"=?utf-16?B?//7lZQ==?= =?utf-16?B?//4sZw==?=",
        "日本",
    ),
    (
        "UTF-16 without a mark",
        b"=?utf-16?B?AEcAcgD8AN8AZQ==?=",
        "Grüße",
    ),
    (
        "words in quotes are joined",
        b"\"=?utf-8?B?5pc=?= =?utf-8?B?pQ==?=\" rest",
        "\"日\" rest",
    ),
    (
        "no space is added around words",
        b"(=?utf-8?q?=C3=A9?=)",
        "(é)",
    ),
    ("words glued to text", b"x=?utf-8?q?=C3=BC?=y", "xüy"),
    (
        "words glued to each other",
        b"=?utf-8?q?=C3=BC?==?utf-8?q?=C3=BC?=",
        "üü",
    ),
    (
        "a raw byte beside a word",
        b"Gr\xfc\xdfe =?utf-8?Q?=C3=A9?=",
        "Grüße é",
    ),
    (
        "raw UTF-8 beside a word",
        b"Gr\xc3\xbc\xc3\x9fe =?iso-8859-1?Q?=E9?=",
        "Grüße é",
    ),
    (
        "a raw byte in a Q word",
        b"=?iso-8859-1?Q?Gr\xfc=DFe?=",
        "Grüße",
    ),
    ("a language", b"=?iso-8859-1*de-AT?Q?J=E4nner?=", "Jänner"),
    ("padding is missing", b"=?utf-8?B?w7w?=", "ü"),
    ("padding is too long", b"=?utf-8?B?w6k===?=", "é"),
    ("padding in the middle", b"=?utf-8?B?Zg==Zm8=?=", "ffo"),
    (
        "text after a padded word of the same charset",
        b"=?utf-8?B?YQ==?= =?utf-8?B?Yg==?= c",
        "ab c",
    ),
    ("blanks in B", b"=?utf-8?B?w6 k=?=", "é"),
    ("foreign bytes in B", b"=?utf-8?B?w6!k?=", "é"),
    ("blanks in Q", b"=?utf-8?Q?zwei Worte?=", "zwei Worte"),
    (
        "a fold in a word",
        b"=?utf-8?Q?zwei\r\n Worte?=",
        "zwei Worte",
    ),
    ("question marks in Q", b"=?UTF-8?Q?Wer?_Wo?=", "Wer? Wo"),
    (
        "a question mark at the end",
        b"=?utf-8?Q?Kommst_du??=",
        "Kommst du?",
    ),
    (
        "an unknown charset stays as written, what is beside it is read",
        b"=?x-foo?Q?abc=E9?= =?utf-8?Q?=C3=A9?=",
        "=?x-foo?Q?abc=E9?= é",
    ),
    (
        "an unknown charset over ASCII",
        b"=?x-foo?Q?abc?= =?utf-8?Q?=C3=A9?=",
        "abcé",
    ),
    (
        "an unknown charset over UTF-8",
        b"=?utf-9?b?UMOkaXbDpMOk?=",
        "Päivää",
    ),
    ("a word without charset stays", b"=??Q?abc?=", "=??Q?abc?="),
    (
        "an unknown encoding stays",
        b"=?utf-8?X?abc?=",
        "=?utf-8?X?abc?=",
    ),
    ("no end", b"=?utf-8?B?w6Q", "=?utf-8?B?w6Q"),
    ("empty text", b"a =?utf-8?Q??= b", "a  b"),
    (
        "a superset of Latin-1",
        b"=?iso-8859-1?Q?=93We=92ve=94?=",
        "“We’ve”",
    ),
    (
        "syllables of Windows under KS C 5601",
        b"=?ks_c_5601-1987?B?jGO55sfQ?=",
        "똠방학",
    ),
    (
        "line ends from a word become spaces",
        b"=?utf-8?Q?a=0D=0AX:_b=00c=1B?=",
        "a  X: b c ",
    ),
    (
        "a word in a word is decoded once",
        b"=?utf-8?Q?=3D=3Futf-8=3FQ=3Fa=3F=3D?=",
        "=?utf-8?Q?a?=",
    ),
    (
        "a mark that is text in windows-1252",
        b"=?windows-1252?Q?=FF=FEa?=",
        "ÿþa",
    ),
    (
        "a bad word before a good one",
        b"=?utf-8?B?????= =?utf-8?Q?=C3=A9?=",
        "=?utf-8?B?????= é",
    ),
    ("mark of UTF-8", b"=?utf-8?B?77u/w6k=?=", "é"),
];

/// Values of Content-Type or Content-Disposition; the name is of the one parameter that is asked for.
const PARAMETERS: &[Row] = &[
    (
        "a blank before the asterisk",
        b"x/y; name *=UTF-8''foo-%c3%a4.html",
        "foo-ä.html",
    ),
    (
        "a word over segments",
        b"x/y; name*0=\"=?utf-8?Q?a=C3\"; name*1=\"=A9?=\"",
        "aé",
    ),
    (
        "a character over segments",
        b"x/y; name*0*=utf-8''a%C3; name*1*=%A4",
        "aä",
    ),
    (
        "segments out of order",
        b"x/y; name*1*=%A4; name*0*=utf-8''a%C3",
        "aä",
    ),
    (
        "segments with and without escapes",
        b"x/y; name*0*=utf-8''%C3%A4; name*1=\"%41\"",
        "ä%41",
    ),
    ("a gap ends a value", b"x/y; name*0=a; name*2=c", "a"),
    (
        "the extended form wins over the plain one before it",
        b"x/y; name=plain; name*=utf-8''%C3%A9",
        "é",
    ),
    (
        "a path of Windows",
        b"x/y; name=\"C:\\dir\\f.txt\"",
        "C:\\dir\\f.txt",
    ),
    (
        "blanks without quotes",
        b"x/y; name=Monatsplan Mai.pdf",
        "Monatsplan Mai.pdf",
    ),
    (
        "a semicolon is missing",
        b"x/y charset=utf-8 name=a.txt",
        "a.txt",
    ),
    (
        "words in quotes are joined",
        b"x/y; name=\"=?utf-8?B?5pc=?= =?utf-8?B?pQ==?=\"",
        "日",
    ),
    ("a word", b"x/y; name=\"=?koi8-r?B?8NLJ18XU?=\"", "Привет"),
    (
        "a superset of Latin-1",
        b"x/y; name*=iso-8859-1''%93a%94",
        "“a”",
    ),
    ("raw bytes", b"x/y; name=\"Gr\xc3\xbc\xc3\x9fe\"", "Grüße"),
    ("no charset", b"x/y; name*=''%C3%A9", "é"),
    ("a bad escape", b"x/y; name*=utf-8''%zz%C3%A9", "%zzé"),
    (
        "line ends become spaces",
        b"x/y; name*=utf-8''a%0D%0Ab",
        "a  b",
    ),
];

/// Whole messages of one text part.
const MESSAGES: &[Row] = &[
    ("escapes back to back", b"Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$BF|\x1b(B\x1b$BK\\\x1b(B\n", "日本\n"),
    ("a label of ISO-2022-KR", b"Content-Type: text/plain; charset=iso-2022-kr\n\n\x1b$)C\x0eGQ19\x0f a\n", "한국 a\n"),
    ("a label of ISO-2022-CN", b"Content-Type: text/plain; charset=iso-2022-cn\n\n\x1b$)A\x0eVP9z\x0f a\n", "中国 a\n"),
    ("a label of HZ", b"Content-Type: text/plain; charset=hz-gb-2312\n\n~{VP9z~} a\n", "中国 a\n"),
    ("a state ends with its line", b"Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$BF|\nASCII\n", "日\nASCII\n"),
    ("no label, 7 bits and escapes", b"Subject: a\n\n\x1b$BF|K\\8l\x1b(B\n", "日本語\n"),
    ("the last shift of UTF-7 is closed by the end", b"Content-Type: text/plain; charset=utf-7\n\nGr+APw", "Grü"),
    ("a shift of UTF-7 is closed by a letter that stays", b"Content-Type: text/plain; charset=utf-7\n\nGr+APw!e\n", "Grü!e\n"),
    ("UTF-7 by its old names", b"Content-Type: text/plain; charset=x-unicode-2-0-utf-7\n\nGr+APwA3w-e\n", "Grüße\n"),
    ("UTF-8 under windows-1251", "Content-Type: text/plain; charset=windows-1251\n\nПривет всем\n".as_bytes(), "Привет всем\n"),
    ("UTF-8 under no label", "Subject: a\n\nGrüße\n".as_bytes(), "Grüße\n"),
    ("a mark of UTF-8 is no text", b"Content-Type: text/plain; charset=utf-8\n\n\xef\xbb\xbfa\n", "a\n"),
    ("a mark that is text in windows-1252", b"Content-Type: text/plain; charset=windows-1252\n\n\xff\xfe est\n", "ÿþ est\n"),
    ("UTF-16 on bytes of ASCII", b"Content-Type: text/plain; charset=utf-16\n\nplain\n", "plain\n"),
    ("the range of controls under Latin-1", b"Content-Type: text/plain; charset=iso-8859-1\n\n\x93We\x92ve\x94\n", "“We’ve”\n"),
    ("HTML tells its charset", b"Content-Type: text/html\n\n<meta charset=koi8-r>\xf0\xd2\xc9\xd7\xc5\xd4\n", "<meta charset=koi8-r>Привет\n"),
    ("a footer behind base64", b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw6kK\n_______\nlist footer\n", "é\n_______\nlist footer\n"),
    ("text under a label of base64", b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nThis is no base64, but text.\n", "This is no base64, but text.\n"),
    ("base64 without padding", b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw6nDqQ\n", "éé"),
    ("foreign bytes in base64", b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw6n!DqQ==\n", "éé"),
    ("blanks behind `=`", b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nsoft= \nly =C3=A9\n", "softly é\n"),
    ("raw bytes in quoted-printable", b"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr\xfc=DFe\n", "Grüße\n"),
    ("line ends in quoted-printable stay", b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na=C3=A9\r\nb\r\n", "aé\r\nb\r\n"),
    ("URLs under a label of quoted-printable", b"Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\nsee http://example.org/?a=b&c=d&e=f\n", "see http://example.org/?a=b&c=d&e=f\n"),
    ("a transfer encoding that nobody knows", b"Content-Type: text/plain\nContent-Transfer-Encoding: x-nobody\n\ntext\n", "text\n"),
    ("a transfer encoding with a semicolon", b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable;\n\n=C3=A9\n", "é\n"),
    ("lines that end in CR only", b"Subject: a\rContent-Type: text/plain; charset=koi8-r\r\r\xf0\xd2\xc9\xd7\xc5\xd4\r", "Привет\r"),
    ("a part without blank line", b"Content-Type: multipart/mixed; boundary=b\n\n--b\nno field, but text\n--b--\n", "no field, but text"),
    ("a boundary that begins another", b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--bb\nstill one\n--b--\n", "one\n--bb\nstill one"),
    ("a boundary in the middle of a line", b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none --b\nstill one\n--b--\n", "one --b\nstill one"),
    ("a message that begins with a blank", b" Subject: a\nContent-Type: text/plain; charset=utf-8\n\n\xc3\xa9\n", "é\n"),
    ("line ends of CR CR LF", b"Subject: a\r\r\nContent-Type: text/plain; charset=utf-8\r\r\n\r\r\n\xc3\xa9\r\r\n", "é\r\r\n"),
    ("a message in quoted-printable", b"Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\nSubject: y\nContent-Type: text/plain; charset=3Dkoi8-r\n\n=F0=D2=C9=D7=C5=D4\n", "Привет\n"),
    ("quoted-printable with an x", b"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: x-quoted-printable\n\nGr=FC=DFe\n", "Grüße\n"),
    ("an unknown charset", b"Content-Type: text/plain; charset=nobody-knows\n\nplain\n", "plain\n"),
];

/// Labels that a reader in wide use does not know, bytes under them, and their text.
const LABELS: &[Row] = &[
    ("cp437", b"\x82t\x82", "été"),
    ("cp-850", b"\x82t\x82", "été"),
    ("cp852", b"g\x88\xa2wny", "główny"),
    ("cp932", b"\x93\xfa\x96{\x8c\xea", "日本語"),
    ("eucjp", b"\xc6\xfc\xcb\xdc", "日本"),
    ("euc-tw", b"\xc4\xe3\xc5\xc6", "中文"),
    ("johab", b"\xd0e\x8bi", "한글"),
    ("viscii", b"Ti\xaang Vi\xaet", "Tiếng Việt"),
    ("koi8-t", b"\x80", "қ"),
    ("utf-32", b"\0\0\x04\x36\0\0\x04\x36", "жж"),
    ("t.61", b"\xc2et\xc2e", "été"),
    ("x-mac-roman", b"\x8et\x8e", "été"),
    ("x-mac-cyrillic", b"\x8f\xf0\xe8\xe2\xe5\xf2", "Привет"),
    ("ibm037", b"\xc8\x85\x93\x93\x96", "Hello"),
    ("\"utf-8;\"", b"\xc3\xa9", "é"),
    ("windows1251", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
    ("latin-1", b"\xe9t\xe9", "été"),
    ("8859_1", b"\xe9t\xe9", "été"),
    ("utf7", b"Gr+APw-n", "Grün"),
    ("utf8mb4", b"\xc3\xa9", "é"),
    ("us-askey", b"plain", "plain"),
    ("chinesebig5", b"\xa4\xa4\xa4\xe5", "中文"),
    ("gb2312_charset", b"\xd6\xd0\xce\xc4", "中文"),
    ("1252", b"\xe9t\xe9", "été"),
    ("204", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
];

#[test]
fn values() {
    all(VALUES, |raw| {
        decode_lines(
            raw,
            FieldKind::Unstructured,
            &HeaderContext::default(),
            &mut Vec::new(),
        )
        .into_owned()
    });
}

#[test]
fn parameters() {
    all(PARAMETERS, |raw| {
        let params = params::parse(raw, &HeaderContext::default(), &mut Vec::new());
        params
            .list
            .iter()
            .find(|p| p.name == "name")
            .map(|p| p.text.clone())
            .unwrap_or_default()
    });
}

#[test]
fn messages() {
    all(MESSAGES, text);
}

#[test]
fn labels() {
    let of = |label: &str, bytes: &[u8]| {
        [
            format!("Content-Type: text/plain; charset={label}\n\n").as_bytes(),
            bytes,
        ]
        .concat()
    };
    let wrong: Vec<_> = LABELS
        .iter()
        .filter(|(label, bytes, want)| text(&of(label, bytes)) != *want)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_long_word_is_a_word() {
    let raw = [b"=?utf-8?Q?".as_slice(), &b"=C3=A9".repeat(500), b"?="].concat();
    let got = decode_lines(
        &raw,
        FieldKind::Unstructured,
        &HeaderContext::default(),
        &mut Vec::new(),
    );
    assert_eq!(got, "é".repeat(500));
}

#[test]
fn an_open_multipart_swallows_no_part_of_the_outer_one() {
    let raw = b"Content-Type: multipart/mixed; boundary=out\n\n--out\nContent-Type: multipart/alternative; boundary=in\n\n\
        --in\n\none\n--out\n\ntwo\n--out--\n";
    assert_eq!(texts(raw), ["one", "two"]);
}

#[test]
fn a_hundred_thousand_nested_messages_do_not_end_the_program() {
    let raw = [
        &b"Content-Type: message/rfc822\n\n".repeat(100_000)[..],
        b"Subject: a\n\ntext\n",
    ]
    .concat();
    let message = Message::parse(&raw, &Limits::default());
    assert!(
        message
            .defects()
            .iter()
            .any(|e| e.kind == EventKind::MimeDepth),
        "{:?}",
        message.defects()
    );
}

fn all(rows: &[Row], decode: impl Fn(&[u8]) -> String) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(why, raw, want)| (why, want, decode(raw)))
        .filter(|(_, want, got)| got != **want)
        .map(|(why, want, got)| format!("{why}: {got:?}, not {want:?}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn text(raw: &[u8]) -> String {
    texts(raw).concat()
}

fn texts(raw: &[u8]) -> Vec<String> {
    let message = Message::parse(raw, &Limits::default());
    text_parts(&message, &Policy::default(), &mut Report::default())
        .into_iter()
        .map(|part| part.text.into_owned())
        .collect()
}
