//! A Japanese Maildir++: folder names in modified UTF-7, mail in five charsets.

use super::message::message;
use crate::generate::{base64, base64_words, encode};

/// Returns contents by name below the Maildir.
pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let folder = |name: &str| format!(".{}", modified_utf7(name));
    let (meetings, photos) = (folder("会議"), folder("写真.2004年"));
    vec![
        (
            "cur/1000000001.M1.museum:2,S".to_owned(),
            jis(
                "鈴木",
                "春の予定",
                "iso-2022-jp",
                "春の展示は三月からです。\n",
            ),
        ),
        (
            "cur/1000000002.M2.museum:2,RS".to_owned(),
            jis(
                "田中",
                "返信：春の予定",
                "euc-jp",
                "了解しました。受付を担当します。\n",
            ),
        ),
        ("cur/1000000003.M3.museum:2,".to_owned(), raw_shift_jis()),
        ("new/1000000004.M4.museum".to_owned(), half_width()),
        (
            format!("{meetings}/cur/1000000005.M5.museum:2,S"),
            jis(
                "鈴木",
                "議事録",
                "shift_jis",
                "議事録を添えます。表の数字を確かめてください。\n",
            ),
        ),
        (
            format!("{meetings}/new/1000000006.M6.museum"),
            unlabelled_jis(),
        ),
        (format!("{meetings}/maildirfolder"), Vec::new()),
        (
            format!("{photos}/cur/1000000007.M7.museum:2,FS"),
            utf8_base64(),
        ),
        (format!("{photos}/maildirfolder"), Vec::new()),
    ]
}

/// Encodes names as modified UTF-7 (RFC 3501, section 5.1.3). Keeps `.`, which separates levels.
fn modified_utf7(name: &str) -> String {
    let mut out = String::new();
    for run in name.split_inclusive(|c: char| c.is_ascii()) {
        let letters = run.trim_end_matches(|c: char| c.is_ascii());
        if !letters.is_empty() {
            let units = letters
                .encode_utf16()
                .flat_map(u16::to_be_bytes)
                .collect::<Vec<_>>();
            out.push('&');
            out.push_str(&base64_words(&units).trim_end_matches('=').replace('/', ","));
            out.push('-');
        }
        out.push_str(&run[letters.len()..]);
    }
    // Digits of a name stand between shifted runs.
    out
}

fn word(charset: &str, text: &str) -> String {
    format!("=?{charset}?B?{}?=", base64_words(&encode(text, charset)))
}

fn jis(name: &str, subject: &str, charset: &str, text: &str) -> Vec<u8> {
    message(
        format!(
            "From: {} <{}@museum.example>\nTo: {} <archive@museum.example>\nSubject: {}\nDate: Mon, 1 Mar 2004 10:00:00 +0900\nMIME-Version: 1.0\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {}\n",
            word(charset, name),
            name.len(),
            word(charset, "記録係"),
            word(charset, subject),
            if charset == "iso-2022-jp" {
                "7bit"
            } else {
                "8bit"
            },
        ),
        encode(text, charset),
    )
}

/// `Shift_JIS` bytes in the header, named only by the body's label.
fn raw_shift_jis() -> Vec<u8> {
    let mut head = b"From: ".to_vec();
    head.extend_from_slice(&encode("高橋", "shift_jis"));
    head.extend_from_slice(b" <takahashi@museum.example>\nSubject: ");
    head.extend_from_slice(&encode("表札の件", "shift_jis"));
    head.extend_from_slice(b"\nDate: Tue, 2 Mar 2004 10:00:00 +0900\nMIME-Version: 1.0\nContent-Type: text/plain; charset=Shift_JIS\nContent-Transfer-Encoding: 8bit\n");
    message(
        head,
        encode("新しい表札は№３の棚にあります。\n", "shift_jis"),
    )
}

/// Half-width katakana, which ISO-2022-JP lacks but CP50221 writes nevertheless.
fn half_width() -> Vec<u8> {
    let mut body = encode("部品名：", "iso-2022-jp");
    body.extend_from_slice(b"\x1b(I6@;\x1b(B\n");
    message(
        "From: parts@museum.example\nSubject: =?ISO-2022-JP?B?GyRCSXRJShsoQg==?=\nDate: Wed, 3 Mar 2004 10:00:00 +0900\nMIME-Version: 1.0\nContent-Type: text/plain; charset=\"iso-2022-jp\"\n",
        body,
    )
}

/// No label at all: the escape sequences identify the charset.
fn unlabelled_jis() -> Vec<u8> {
    message(
        "From: old@museum.example\nSubject: test\nDate: Thu, 4 Mar 2004 10:00:00 +0900\n",
        encode("文字コードの指定がない手紙です。\n", "iso-2022-jp"),
    )
}

fn utf8_base64() -> Vec<u8> {
    let mut body = Vec::new();
    base64(
        "写真を三枚選びました。\n夏の号に使ってください。\n".as_bytes(),
        "\n",
        &mut body,
    );
    message(
        format!(
            "From: {} <suzuki@museum.example>\nSubject: {}\nDate: Fri, 5 Mar 2004 10:00:00 +0900\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: base64\n",
            word("utf-8", "鈴木"),
            word("utf-8", "写真")
        ),
        body,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_modified_utf7() {
        assert_eq!(modified_utf7("Entwürfe"), "Entw&APw-rfe");
        assert_eq!(modified_utf7("会議"), "&TxqLcA-");
    }
}
