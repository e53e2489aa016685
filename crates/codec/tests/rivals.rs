//! Defects seen in other decoders, each a regression test here.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{Random, decode};
use mailglot_codec::{Charset, LossKind, LossLog, Mode, View, imap_utf7};

fn lenient(charset: Charset, bytes: &[u8]) -> (String, u64) {
    let (text, log) = decode(charset, Mode::Lenient, bytes);
    (text, log.losses())
}

#[test]
fn joined_words_of_iso_2022_jp_have_no_replacement_at_the_joint() {
    let joined = b"\x1b$B%F%9%H\x1b(B\x1b$B$G$9\x1b(B";
    assert_eq!(
        lenient(Charset::ISO_2022_JP, joined),
        ("テストです".into(), 0)
    );
}

#[test]
fn utf_7_runs_left_open_are_kept_and_make_no_nul() {
    assert_eq!(lenient(Charset::UTF_7, b"+ZeVnLIqe"), ("日本語".into(), 0));
    assert_eq!(lenient(Charset::UTF_7, b"+AKMAAA-x"), ("£\0x".into(), 0));
    assert_eq!(lenient(Charset::UTF_7, b"+AKMAA-x"), ("£x".into(), 0));
    assert_eq!(lenient(Charset::UTF_7, b"A+ImIDkQ."), ("A≢Α.".into(), 0));
    assert_eq!(lenient(Charset::UTF_7, b"+-"), ("+".into(), 0));
    assert_eq!(
        lenient(Charset::UTF_7, b"caf\xE9"),
        ("caf\u{FFFD}".into(), 1)
    );
    assert_eq!(
        lenient(Charset::UTF_7, b"C++ and 1 + 1"),
        ("C++ and 1 + 1".into(), 0)
    );
    assert_eq!(
        lenient(Charset::UTF_7, b"+AKM-+/v8-+/v8-"),
        ("£\u{FEFF}\u{FEFF}".into(), 0)
    );
}

#[test]
fn stateful_text_is_no_single_replacement() {
    assert_eq!(
        lenient(Charset::ISO_2022_KR, b"\x1b$)C\x0eGQ1[\x0f"),
        ("한글".into(), 0)
    );
    assert_eq!(
        lenient(Charset::HZ_GB_2312, b"~{VPND~}"),
        ("中文".into(), 0)
    );
    assert_eq!(
        lenient(Charset::ISO_2022_JP, b"\x1b$(D0!\x1b(B"),
        ("丂".into(), 0)
    );
    assert_eq!(
        lenient(Charset::ISO_2022_JP, b"\x1b$B$3\n<b>"),
        ("こ\n<b>".into(), 0)
    );
}

#[test]
fn only_unicode_charsets_look_for_a_byte_order_mark() {
    assert_eq!(
        lenient(Charset::WINDOWS_1252, b"\xFF\xFEa\0"),
        ("ÿþa\0".into(), 0)
    );
    assert_eq!(
        lenient(Charset::WINDOWS_1252, b"\xEF\xBB\xBFa"),
        ("ï»¿a".into(), 0)
    );
}

#[test]
fn holes_of_windows_pages_are_controls() {
    assert_eq!(
        lenient(Charset::WINDOWS_1252, b"\x81\x8D"),
        ("\u{81}\u{8D}".into(), 0)
    );
    assert_eq!(
        lenient(Charset::ISO_8859_1, b"\x93\x81\x94"),
        ("“\u{81}”".into(), 0)
    );
}

#[test]
fn pages_of_dos_keep_their_controls() {
    for charset in [
        Charset::IBM437,
        Charset::IBM850,
        Charset::IBM852,
        Charset::IBM00858,
        Charset::IBM866,
    ] {
        assert_eq!(
            lenient(charset, b"\x1A\x1C\x7F\x80\x1A\x1C\x7F")
                .0
                .matches("\x1A\x1C\x7F")
                .count(),
            2
        );
    }
}

#[test]
fn every_loss_has_its_place() {
    let (_, log) = decode(Charset::UTF_8, Mode::Lenient, b"a\xFFb\xC3(c\xE2\x82");
    let ranges: Vec<_> = log
        .kept()
        .iter()
        .map(|l| (l.bytes.clone(), l.kind))
        .collect();
    assert_eq!(
        ranges,
        [
            (1..2, LossKind::InvalidByte),
            (3..4, LossKind::Truncated),
            (6..8, LossKind::Truncated)
        ]
    );
}

#[test]
fn labels_that_others_do_not_know() {
    for (label, charset) in [
        ("UTF-8\"", Charset::UTF_8),
        ("'utf-8'", Charset::UTF_8),
        ("utf-8;", Charset::UTF_8),
        ("cp-850", Charset::IBM850),
        ("win-1251", Charset::WINDOWS_1251),
        ("utf7", Charset::UTF_7),
        ("ANSI_CHARSET", Charset::WINDOWS_1252),
        ("TURKISH_CHARSET", Charset::WINDOWS_1254),
        ("GREEK_CHARSET", Charset::WINDOWS_1253),
        ("HEBREW_CHARSET", Charset::WINDOWS_1255),
        ("THAI_CHARSET", Charset::WINDOWS_874),
        ("HANGUL_CHARSET", Charset::EUC_KR),
        ("MAC_CHARSET", Charset::MACINTOSH),
        ("8859_1", Charset::ISO_8859_1),
        ("latin-1", Charset::ISO_8859_1),
        ("cp437", Charset::IBM437),
        ("cp852", Charset::IBM852),
        ("cp932", Charset::WINDOWS_31J),
        ("cp950", Charset::BIG5),
        ("eucjp", Charset::EUC_JP),
        ("utf-32", Charset::UTF_32),
        ("ucs-4", Charset::ISO_10646_UCS_4),
    ] {
        assert_eq!(
            Charset::for_label(label.as_bytes(), View::Mail).charset(),
            Some(charset),
            "{label}"
        );
    }
}

#[test]
fn malformed_labels_and_names_do_not_panic() {
    let mut random = Random(11);
    let pieces: [&[u8]; 22] = [
        b"utf",
        b"-",
        b"8",
        b"iso",
        b"8859",
        b"1",
        b"x-",
        b"cp",
        b"00",
        b"charset=",
        b"\"",
        b"(",
        b")",
        b";",
        b" ",
        b"\xC2",
        b"\xA0",
        b"\xFF",
        b"//",
        b"3d",
        b"windows",
        b".",
    ];
    for _ in 0..50_000 {
        let n = random.below(8);
        let label: Vec<u8> = (0..n).flat_map(|_| random.pick(&pieces).to_vec()).collect();
        for view in [View::Mail, View::Whatwg, View::Iana] {
            let answer = Charset::for_label(&label, view);
            assert_eq!(
                answer,
                Charset::for_label(&label.to_ascii_uppercase(), view),
                "{label:?}"
            );
        }
    }
    for _ in 0..50_000 {
        let n = random.below(12);
        let name: Vec<u8> = (0..n)
            .map(|_| *random.pick(b"&-ABU,BTFw/+=~\x80\0"))
            .collect();
        let shown = imap_utf7::decode_mailbox_display(&name);
        if let Ok(text) = imap_utf7::decode_mailbox(&name) {
            assert_eq!(imap_utf7::encode_mailbox(&text).unwrap().as_bytes(), name);
            assert_eq!(shown, text.replace('\\', "\\\\"));
        }
    }
}

#[test]
fn a_log_of_a_damaged_text_stays_small() {
    let damaged = b"a\xFF".repeat(100_000);
    let mut log = LossLog::new();
    Charset::UTF_8.decode(&damaged, &mut log);
    assert_eq!((log.losses(), log.kept().len()), (100_000, 64));
}
