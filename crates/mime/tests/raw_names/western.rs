//! Western names in raw bytes, in mail whose body is Chinese or Korean.

use mailglot_mime::Mail;

fn sender(name: &[u8], label: &str, body: &[u8]) -> String {
    let mut raw = b"From: ".to_vec();
    raw.extend_from_slice(name);
    raw.extend_from_slice(b" <j@example.com>\nContent-Type: text/plain; charset=");
    raw.extend_from_slice(label.as_bytes());
    raw.extend_from_slice(b"\n\n");
    raw.extend_from_slice(body);
    let mail = Mail::parse(&raw[..]);
    let names = |mail: &Mail<'_>| -> Vec<_> {
        mail.from()
            .into_iter()
            .filter_map(|mailbox| mailbox.name)
            .collect()
    };
    let before = names(&mail);
    let after = mail
        .normalize(&mailglot_mime::Policy::default())
        .bytes()
        .into_owned();
    assert_eq!(names(&Mail::parse(&after[..])), before);
    before.concat()
}

const GB_BODY: &[u8] =
    b"\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7\xa3\xac\xce\xd2\xca\xc7\xd6\xd0\xb9\xfa\xc8\xcb\xa1\xa3\n";
const BIG5_BODY: &[u8] = b"\xa7A\xa6n\xa5@\xac\xc9\xa1A\xa7\xda\xacO\xa4\xa4\xb0\xea\xa4H\xa1C\n";
const KOREAN_BODY: &[u8] =
    b"\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4. \xb9\xdd\xb0\xa9\xbd\xc0\xb4\xcf\xb4\xd9.\n";

#[test]
fn western_names_are_no_ideographs() {
    for (label, body) in [
        ("gb2312", GB_BODY),
        ("gbk", GB_BODY),
        ("big5", BIG5_BODY),
        ("euc-kr", KOREAN_BODY),
        ("ks_c_5601-1987", KOREAN_BODY),
    ] {
        for (name, want) in [
            (&b"J\xf6rg M\xfcller"[..], "J\u{f6}rg M\u{fc}ller"),
            (b"M\xfcller", "M\u{fc}ller"),
            (b"S\xf8ren", "S\u{f8}ren"),
            (b"Fran\xe7ois", "Fran\u{e7}ois"),
        ] {
            assert_eq!(sender(name, label, body), want, "{label}");
        }
    }
}

#[test]
fn ideographs_stay() {
    for (name, label, body, want) in [
        (
            &b"\xcd\xf5\xd0\xa1\xc3\xf7"[..],
            "gb2312",
            GB_BODY,
            "王小明",
        ),
        (b"\xd6\xec\xe9F\xbb\xf9", "gbk", GB_BODY, "朱镕基"),
        (b"\xe9F\xbb\xf9 Zhu", "gbk", GB_BODY, "镕基 Zhu"),
        (b"\xb3\xaf\xa4j\xa4\xe5", "big5", BIG5_BODY, "陳大文"),
        (b"\xa4\xfd\xa4p\xa9\xfa", "big5", BIG5_BODY, "王小明"),
    ] {
        assert_eq!(sender(name, label, body), want, "{label}");
    }
}
