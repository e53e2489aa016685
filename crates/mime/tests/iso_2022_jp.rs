//! Messages for readers that know ISO-2022-JP only: what is written, and what cannot be.

#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    reason = "a test tells its reader what failed, by failing"
)]

#[path = "../src/test_charsets.rs"]
mod test_charsets;

use mailglot_codec::{Charset, LossLog};
use mailglot_mime::encoded_word::Repairs;
use mailglot_mime::{
    CharsetOut, Event, Message, OnLoss, Policy, Report, Transfer, apply_undo, process, text_parts,
    undo_edits,
};
use test_charsets::encoded;

fn policy(transfer: Transfer) -> Policy {
    Policy::default()
        .charset_out(CharsetOut::Iso2022Jp)
        .transfer(transfer)
}

/// The message in ISO-2022-JP, and the events that tell of that; a second pass finds nothing to do, and the way back leads back.
fn written(raw: &[u8], policy: &Policy) -> (String, Vec<(&'static str, u64)>) {
    let once = process(raw, policy);
    let twice = process(&once.bytes, policy);
    assert_eq!(twice.edits, [], "{}", once.bytes.escape_ascii());
    let back = apply_undo(&once.bytes, &undo_edits(raw, &once.edits));
    assert_eq!(back.as_deref(), Some(raw));
    let of_out = |event: &&Event| {
        matches!(
            event.kind.code(),
            "charset.beyond-out" | "charset.look-alike"
        )
    };
    let told = once
        .report
        .events
        .iter()
        .filter(of_out)
        .map(|e| (e.kind.code(), e.count))
        .collect();
    (String::from_utf8(once.bytes.into_owned()).unwrap(), told)
}

#[test]
fn bodies_of_every_japanese_charset() {
    let text = "日本語の手紙です。\r\nABC カタカナ、ひらがな。\r\n";
    let jis = encoded("ISO-2022-JP", text);
    let body = std::str::from_utf8(&jis).unwrap();
    for charset in [
        "UTF-8",
        "Shift_JIS",
        "EUC-JP",
        "CP50220",
        "ISO-2022-JP-2",
        "GB18030",
        "UTF-16",
    ] {
        for transfer in [
            Transfer::Keep,
            Transfer::Clean,
            Transfer::SevenBit,
            Transfer::EightBit,
        ] {
            let bytes = encoded(charset, text);
            for (cte, coded) in [("8bit", bytes.clone()), ("base64", base64(&bytes))] {
                if charset == "UTF-16" && cte == "8bit" {
                    continue;
                }
                let head = format!(
                    "MIME-Version: 1.0\r\nContent-Type: text/plain; charset={charset}; format=flowed\r\n\
                     Content-Transfer-Encoding: {cte}\r\n\r\n"
                );
                let raw = [head.as_bytes(), &coded].concat();
                let want = format!(
                    "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-2022-jp; format=flowed\r\n\
                     Content-Transfer-Encoding: 7bit\r\n\r\n{body}"
                );
                assert_eq!(
                    written(&raw, &policy(transfer)),
                    (want, vec![]),
                    "{charset} {cte} {transfer:?}"
                );
            }
        }
    }
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    mailglot_mime::transfer::base64::encode_lines(bytes, 76, b"\r\n", &mut out);
    out
}

#[test]
fn what_is_in_iso_2022_jp_stays() {
    for raw in [
        &b"Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\n\nx\n"[..],
        b"Subject: =?iso-2022-jp?Q?=1B$BF|K\\=1B(J?= and =?csISO2022JP?B?GyRCRnxLXBsoQg==?=\n\nx\n",
        // Rows and sets that RFC 1468 does not have.
        b"Subject: =?ISO-2022-JP?B?GyRCLSEbKEI=?=\nContent-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B-!\x1b(I1\x1b(B\n",
        b"Content-Type: text/plain; charset=\"ISO-2022-JP\"\nContent-Transfer-Encoding: base64\n\nGyRCRnxLXBsoQg0K\n",
        b"Content-Type: text/html; charset=csiso2022jp\n\n<meta charset=utf-8>\x1b$@F|\x1b(J\n",
        b"Content-Type: application/x; name=\"=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\"\n\nx\n",
        b"Content-Type: application/x; name*=iso-2022-jp''%1B$BF|K%5C%1B%28B\n\nx\n",
        // Nothing but ASCII.
        b"Content-Type: text/plain; charset=utf-8; name*=utf-8''a\n\nx\n",
    ] {
        for transfer in [Transfer::Keep, Transfer::Clean] {
            let (after, told) = written(raw, &policy(transfer));
            assert_eq!((after.as_bytes(), told), (raw, vec![]), "{}", raw.escape_ascii());
        }
    }
}

#[test]
fn lines_that_end_in_another_state_are_written_anew() {
    let head = "Content-Type: text/plain; charset=iso-2022-jp\n\n";
    let raw = format!("{head}\x1b$BF|K\\\nx\x1b(I1\x1b(B\n");
    let (after, told) = written(raw.as_bytes(), &policy(Transfer::Clean));
    assert_eq!(
        after,
        format!("{head}\x1b$BF|K\\\x1b(B\nx\x1b$B%\"\x1b(B\n")
    );
    assert_eq!(told, [("charset.look-alike", 1)]);
}

#[test]
fn fields_and_parameters() {
    for (before, after, told) in [
        (
            "Subject: =?utf-8?B?5pel5pys?= x",
            "Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?= x",
            vec![],
        ),
        (
            "Subject: 日本",
            "Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=",
            vec![],
        ),
        // One charset a value: the euro is in no part of it.
        (
            "Subject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?= a =?utf-8?B?4oKs?=",
            "Subject: =?UTF-8?B?5pel5pys?= a =?utf-8?B?4oKs?=",
            vec![("charset.beyond-out", 1)],
        ),
        (
            "From: \"=?shift_jis?B?k/qWew==?=\" <a@b.example> (=?euc-jp?B?xvw=?=)",
            "From: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?= <a@b.example> (=?ISO-2022-JP?B?GyRCRnwbKEI=?=)",
            vec![],
        ),
        (
            "Subject: =?utf-8?B?7722776e44Cc?=",
            "Subject: =?ISO-2022-JP?B?GyRCJSwhQRsoQg==?=",
            vec![("charset.look-alike", 3)],
        ),
        (
            "Content-Disposition: inline; filename*=utf-8'ja'%E6%97%A5%E6%9C%AC.txt; x=y",
            "Content-Disposition: inline; filename*=iso-2022-jp'ja'%1B$BF|K%5C%1B%28B.txt; x=y",
            vec![],
        ),
        (
            "Content-Disposition: inline; filename=\"日本.txt\"",
            "Content-Disposition: inline; filename*=iso-2022-jp''%1B$BF|K%5C%1B%28B.txt",
            vec![],
        ),
        (
            "Content-Type: application/x; name=\"=?utf-8?B?5pel5pys?=.txt\"",
            "Content-Type: application/x; name=\"=?ISO-2022-JP?B?GyRCRnxLXBsoQi50eHQ=?=\"",
            vec![],
        ),
        (
            "Content-Type: application/x; name=\"=?utf-8?B?5pel5pys?=\"; y*=iso-8859-1''%FC",
            "Content-Type: application/x; name=\"=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\"; y*=utf-8''%C3%BC",
            vec![("charset.beyond-out", 1)],
        ),
    ] {
        let raw = format!("{before}\n\nx\n");
        assert_eq!(
            written(raw.as_bytes(), &policy(Transfer::Clean)),
            (format!("{after}\n\nx\n"), told)
        );
    }
}

#[test]
fn long_values_are_cut_between_characters_and_in_ascii() {
    let text = "長い件名がここにありますので改行されるはずです。".repeat(8);
    let name = "名前は2026年の10月です。".repeat(8);
    let raw = format!(
        "Subject: {text}\r\nContent-Type: application/x; name=\"{name}\";\r\n z=\"=?utf-8?B?{}?=\"\r\n\r\nx\r\n",
        String::from_utf8(base64(text.as_bytes()))
            .unwrap()
            .replace("\r\n", "")
    );
    let (after, told) = written(raw.as_bytes(), &policy(Transfer::Clean));
    assert_eq!(told, []);
    let header = after.split("\r\n\r\n").next().unwrap();
    assert!(header.lines().all(|line| line.len() <= 78), "{header}");
    let alone = |bytes: &[u8]| {
        let mut log = LossLog::new();
        let text = Charset::ISO_2022_JP.decode(bytes, &mut log).into_owned();
        assert_eq!(log.losses(), 0);
        let last = bytes.rsplit(|&byte| byte == 0x1B).next().unwrap();
        assert!(
            last.starts_with(b"(B") || last.len() == bytes.len(),
            "{}",
            bytes.escape_ascii()
        );
        text
    };
    let (mut words, mut segments, mut joined) = (String::new(), String::new(), Vec::new());
    let mut count = 0;
    for word in header
        .split("=?ISO-2022-JP?B?")
        .skip(1)
        .map(|rest| rest.split("?=").next().unwrap())
    {
        let mut findings = Vec::new();
        let kind = mailglot_mime::transfer::TransferEncoding::Base64;
        words +=
            &alone(&mailglot_mime::transfer::decode(kind, word.as_bytes(), &mut findings).bytes);
        count += 1;
    }
    for segment in header
        .split("name*")
        .skip(1)
        .map(|rest| rest.split_once("*=").unwrap().1)
    {
        let segment = segment.split(';').next().unwrap();
        let value = segment.strip_prefix("iso-2022-jp''").unwrap_or(segment);
        let mut bytes = Vec::new();
        let mut rest = value.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            if byte == b'%' {
                bytes.push(
                    u8::from_str_radix(std::str::from_utf8(&after[..2]).unwrap(), 16).unwrap(),
                );
                rest = &after[2..];
            } else {
                bytes.push(byte);
                rest = after;
            }
        }
        segments += &alone(&bytes);
        joined.extend_from_slice(&bytes);
        count += 1;
    }
    assert!(count > 30, "{count}");
    assert_eq!((words, segments), (text.repeat(2), name));
    // Whoever joins the segments first has no sequence after which another one follows at once.
    assert!(
        !joined.windows(6).any(|w| w == b"\x1b(B\x1b$B"),
        "{}",
        joined.escape_ascii()
    );
}

/// There is no place within it where a segment may end for all readers.
#[test]
fn a_long_name_without_ascii_stays_in_one_line() {
    let name = "長い名前".repeat(20);
    let raw = format!("Content-Disposition: attachment; filename=\"{name}.txt\"\r\n\r\nx\r\n");
    let (after, _) = written(raw.as_bytes(), &policy(Transfer::Clean));
    let line = after
        .lines()
        .find(|line| line.contains("filename"))
        .unwrap();
    assert!(
        line.contains("filename*=iso-2022-jp''%1B$B") && line.ends_with("%1B%28B.txt"),
        "{after}"
    );
    assert!(
        line.len() > 200 && line.matches("%1B").count() == 2,
        "{after}"
    );
}

#[test]
fn documents_say_what_they_are_in() {
    let raw = "Content-Type: text/html; charset=\"utf-8\"\nContent-Transfer-Encoding: 8bit\n\n\
               <html><head><meta charset=\"UTF-8\"></head><p>日本</html>\n";
    let want = "Content-Type: text/html; charset=\"iso-2022-jp\"\nContent-Transfer-Encoding: 7bit\n\n\
                <html><head><meta charset=\"iso-2022-jp\"></head><p>\u{1b}$BF|K\\\u{1b}(B</html>\n";
    assert_eq!(
        written(raw.as_bytes(), &policy(Transfer::Clean)),
        (want.to_owned(), vec![])
    );
}

#[test]
fn what_does_not_fit_is_in_utf_8_as_ever() {
    for (charset, text) in [
        ("Shift_JIS", "日本①"),
        ("UTF-16", "日本€"),
        ("UTF-8", "日本😀"),
        ("ISO-8859-1", "ü"),
    ] {
        let bytes = base64(&encoded(charset, text));
        let head = format!(
            "Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n\n"
        );
        let raw = [head.as_bytes(), &bytes].concat();
        let (after, told) = written(&raw, &policy(Transfer::Clean));
        let usual = process(&raw, &Policy::default().transfer(Transfer::Clean));
        assert_eq!(
            (after.as_bytes(), told),
            (&*usual.bytes, vec![("charset.beyond-out", 1)]),
            "{charset}"
        );
    }
}

#[test]
fn lines_that_may_not_stand_are_in_base64() {
    let boundary = "--b日本";
    let long = "日本a".repeat(300);
    for text in [
        boundary.to_owned(),
        long,
        "日本\rx".to_owned(),
        "日本\0".to_owned(),
    ] {
        let part = base64(text.as_bytes());
        let head = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\
                    Content-Transfer-Encoding: base64\r\n\r\n";
        let raw = [head.as_bytes(), &part, b"--b--\r\n"].concat();
        for transfer in [
            Transfer::Keep,
            Transfer::Clean,
            Transfer::SevenBit,
            Transfer::EightBit,
        ] {
            let (after, _) = written(&raw, &policy(transfer));
            assert!(
                after.contains("charset=iso-2022-jp\r\nContent-Transfer-Encoding: base64\r\n\r\n"),
                "{after}"
            );
            let policy = policy(transfer);
            let message = Message::parse(after.as_bytes(), &policy.limits);
            let texts = text_parts(&message, &policy, &mut Report::default());
            assert_eq!(texts[0].text.trim_end(), text.trim_end());
        }
    }
}

#[test]
fn what_lost_bytes_stays_or_is_in_utf_8() {
    let raw = b"Content-Type: text/plain; charset=shift_jis\nContent-Transfer-Encoding: 8bit\n\n\x93\xfa\x96\x7b\x81\n";
    let keep = policy(Transfer::Clean).on_loss(OnLoss::Keep);
    assert!(process(raw, &keep).edits.is_empty());
    let (after, told) = written(raw, &policy(Transfer::EightBit));
    assert!(
        after.contains("charset=utf-8") && after.contains("日本\u{fffd}"),
        "{after}"
    );
    assert_eq!(told, [("charset.beyond-out", 1)]);
}

#[test]
fn repairs_leave_what_is_right_and_rewrite_the_rest() {
    let policy = policy(Transfer::Keep).repairs(Repairs::ALL);
    for parameter in [
        "filename*=shift_jis''%93%FA.txt",
        "filename*=utf-8''%E6%97%A5.txt",
    ] {
        let raw = format!(
            "Content-Disposition: attachment; {parameter}; x=\"=?koi8-r?B?8A==?=\"\r\n\r\n"
        );
        let (text, told) = written(raw.as_bytes(), &policy);
        assert!(text.contains("filename*=iso-2022-jp''"), "{text}");
        assert!(!text.contains("koi8"), "{text}");
        assert_eq!(told, []);
    }
}

#[test]
fn a_mark_joins_no_letter_before_a_space() {
    let (_, told) = written(
        "Subject: カ \u{3099}\r\n\r\n".as_bytes(),
        &policy(Transfer::Keep),
    );
    assert_eq!(told, [("charset.beyond-out", 1)]);
}

#[test]
fn long_names_are_not_written_again_and_again() {
    for name in [20, 40, 99, 101, 340, 480, 481, 5_000] {
        for (label, byte) in [("iso-8859-1", "%FC"), ("shift_jis", "%B1")] {
            let raw = format!(
                "Content-Disposition: inline; {}*={label}''{}\r\n\r\n",
                "n".repeat(name),
                byte.repeat(3_000)
            );
            for charset_out in [CharsetOut::default(), CharsetOut::Iso2022Jp] {
                let policy = policy(Transfer::Keep).charset_out(charset_out);
                let (text, _) = written(raw.as_bytes(), &policy);
                assert!(!text.contains(label), "{name} {label}");
                assert!(
                    text.len() < 6 * raw.len(),
                    "{name} {label}: {} of {}",
                    text.len(),
                    raw.len()
                );
                let longest = text.lines().map(str::len).max();
                assert!(
                    name > 480 || longest <= Some(998),
                    "{name} {label}: {longest:?}"
                );
            }
        }
    }
}
