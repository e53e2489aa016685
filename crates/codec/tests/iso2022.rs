//! ISO 2022 in seven bits and HZ: the answers where decoders differ, what each charset allows, and the way back.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{Random, decode, split_everywhere};
use mailglot_codec::{Charset, LossKind, LossLog, Mode, Unmappable};

/// Input, text, and the kinds recorded with their ranges.
type Case = (
    &'static str,
    Charset,
    &'static [u8],
    &'static str,
    &'static [(u64, u64, &'static str)],
);

const JP: Charset = Charset::ISO_2022_JP;
const JP_1: Charset = Charset::ISO_2022_JP_1;
const JP_2: Charset = Charset::ISO_2022_JP_2;
const JP_3: Charset = Charset::ISO_2022_JP_3;
const KR: Charset = Charset::ISO_2022_KR;
const CN: Charset = Charset::ISO_2022_CN;
const EXT: Charset = Charset::ISO_2022_CN_EXT;
const HZ: Charset = Charset::HZ_GB_2312;

/// Measured inputs on which decoders differ, and what is read leniently.
const CASES: &[Case] = &[
    ("j01", JP, b"\x1b$B8l\x1b(Bx", "語x", &[]),
    ("j02", JP, b"\x1b$@8l\x1b(Bx", "語x", &[]),
    ("j03", JP, b"\x1b&@\x1b$B8l\x1b(B", "語", &[]),
    ("j04", JP, b"\x1b(J\\~\x1b(B\\~", "\u{A5}\u{203E}\\~", &[]),
    (
        "j05",
        JP,
        b"\x1b(I12\x1b(B",
        "ｱｲ",
        &[(0, 3, "katakana-shift")],
    ),
    (
        "j06",
        JP,
        b"\xb1\xb2",
        "ｱｲ",
        &[(0, 2, "halfwidth-katakana")],
    ),
    ("j07", JP, b"\x0e12\x0f", "ｱｲ", &[(0, 1, "katakana-shift")]),
    (
        "j08",
        JP,
        b"\x1b$B8l\r\nabc",
        "語\r\nabc",
        &[(5, 5, "reset-at-line-end")],
    ),
    ("j09", JP, b"\x1b$B8l", "語", &[(5, 5, "unterminated-run")]),
    (
        "j10",
        JP,
        b"\x1b$B8",
        "\u{FFFD}",
        &[(3, 4, "invalid"), (4, 4, "unterminated-run")],
    ),
    (
        "j11",
        JP,
        b"\x1b$B8\x1b(Bx",
        "\u{FFFD}x",
        &[(3, 4, "invalid")],
    ),
    ("j12", JP, b"\x1b$B\x1b(Bx", "x", &[]),
    ("j13", JP, b"\x1b$B-!|q\x1b(B", "①ⅰ", &[]),
    ("j14", JP, b"\x1b$(D0!\x1b(B", "丂", &[]),
    ("j15", JP, b"\x1b$A0!\x1b(B", "啊", &[]),
    ("j16", JP, b"\x1b$(C0!\x1b(B", "가", &[]),
    ("j17", JP, b"\x1b.A\x1bNi\x1b(B", "é", &[]),
    ("j18", JP, b"\x1b$(Q0!\x1b(B", "亜", &[]),
    ("j19", JP, b"\x1b$(O0!\x1b(B", "亜", &[]),
    ("j20", JP, b"\x1b$(B8l\x1b(B", "語", &[]),
    ("j21", JP, b"$B8l(B", "$B8l(B", &[]),
    (
        "j22",
        JP,
        b"\x1b$B~~\x1b(B",
        "\u{FFFD}",
        &[(3, 5, "invalid")],
    ),
    (
        "j23",
        JP,
        b"\x1b(Hx",
        "x",
        &[(0, 3, "foreign-escape"), (4, 4, "unterminated-run")],
    ),
    (
        "j24",
        JP,
        b"\x1b$B!! x\x1b(B",
        "\u{3000} \u{FFFD}",
        &[(5, 6, "space-in-run"), (6, 7, "invalid")],
    ),
    ("j25", JP, b"\x1b$B!A!]\x1b(B", "\u{FF5E}\u{FF0D}", &[]),
    (
        "j26: SO ends",
        JP,
        b"\x0e12\x1b(B\r\n\x1b$B8l\x1b(B",
        "ｱｲ\r\n語",
        &[(0, 1, "katakana-shift")],
    ),
    (
        "j27: G2 ends with the line",
        JP_2,
        b"\x1b.A\x1b(B\r\n\x1b$B8l\x1bN8\x1b(B",
        "\r\n語\u{FFFD}慮",
        &[(13, 14, "unknown-escape")],
    ),
    (
        "j31",
        JP_2,
        b"\x1b$A0!\x1b$(C0!\x1b.A\x1bNi\x1b(B",
        "啊가é",
        &[],
    ),
    ("j32", JP_2, b"\x1b.F\x1bNa", "α", &[]),
    ("j33", JP_1, b"\x1b$(D0!\x1b(B", "丂", &[]),
    ("j34", JP_3, b"\x1b$(O0!\x1b$(P!!\x1b(B", "亜\u{20089}", &[]),
    (
        "unknown escape",
        JP,
        b"\x1b7m8l",
        "\u{FFFD}7m8l",
        &[(0, 1, "unknown-escape")],
    ),
    (
        "control sequence",
        JP,
        b"\x1b[1m8l",
        "\x1b[1m8l",
        &[(0, 2, "foreign-escape")],
    ),
    (
        "control sequence among pairs",
        JP,
        b"\x1b$B8l\x1b[1;31m8l\x1b[m8l\x1b(B",
        "語\x1b[1;31m語\x1b[m語",
        &[(5, 7, "foreign-escape"), (14, 16, "foreign-escape")],
    ),
    (
        "control sequence that ends with its line",
        JP,
        b"\x1b$B8l\x1b[1\n8l\x1b[\x1b(B",
        "語\x1b[1\n8l\x1b[",
        &[
            (5, 7, "foreign-escape"),
            (8, 8, "reset-at-line-end"),
            (11, 13, "foreign-escape"),
        ],
    ),
    (
        "k: control sequence",
        KR,
        b"\x1b$)C\x0e0!\x1b[7m0!\x0f",
        "가\x1b[7m가",
        &[(7, 9, "foreign-escape")],
    ),
    ("k01", KR, b"\x1b$)C\r\n\x0e0!\x0fx", "\r\n가x", &[]),
    ("k02", KR, b"\x0e0!\x0fx", "가x", &[(0, 1, "no-designator")]),
    (
        "k03",
        KR,
        b"\x1b$)C\x0e0!\r\nabc",
        "가\r\nabc",
        &[(7, 7, "reset-at-line-end")],
    ),
    (
        "k04",
        KR,
        b"\x1b$)C\x0e0",
        "\u{FFFD}",
        &[(5, 6, "invalid"), (6, 6, "unterminated-run")],
    ),
    ("k05", KR, b"abc \x1b$)C\x0e0!\x0f", "abc 가", &[]),
    (
        "k06",
        KR,
        b"\xb0\xa1",
        "\u{FFFD}\u{FFFD}",
        &[(0, 2, "8bit")],
    ),
    (
        "k07",
        KR,
        b"\x1b$)C\x0e0! x\x0f",
        "가 \u{FFFD}",
        &[(7, 8, "space-in-run"), (8, 9, "invalid")],
    ),
    (
        "k: unknown escape",
        KR,
        b"\x1b$)D",
        "\u{FFFD}$)D",
        &[(0, 1, "unknown-escape")],
    ),
    ("c01", CN, b"\x1b$)A\x0e0!\x0fx", "啊x", &[]),
    (
        "c02",
        CN,
        b"\x1b$)G\x0e0!\x0fx",
        "\u{FFFD}x",
        &[(5, 7, "invalid")],
    ),
    ("c03", CN, b"\x1b$*H\x1bN0!x", "毦x", &[]),
    (
        "c04",
        CN,
        b"\x1b$)A\x0e0!\x0f\r\n\x0e0!\x0f",
        "啊\r\n啊",
        &[(10, 11, "no-designator")],
    ),
    ("c05", CN, b"\x0e0!\x0f", "啊", &[(0, 1, "no-designator")]),
    ("c06", EXT, b"\x1b$+I\x1bO0!x", "哰x", &[]),
    ("c07", EXT, b"\x1b$)E\x0e0!\x0fx", "啊x", &[]),
    (
        "c08",
        CN,
        b"\x1b$)A\x0e0!\r\nabc",
        "啊\r\nabc",
        &[(7, 7, "reset-at-line-end")],
    ),
    (
        "c: single shift on the next line",
        CN,
        b"\x1b$*H\n\x1bN0!x",
        "\n毦x",
        &[(5, 7, "no-designator")],
    ),
    (
        "c: nothing designated",
        CN,
        b"\x1bN0!\x1bO0!",
        "毦\u{FFFD}O0!",
        &[(0, 2, "no-designator"), (4, 5, "unknown-escape")],
    ),
    (
        "c: broken single shift",
        CN,
        b"\x1b$*H\x1bN0\nx",
        "\u{FFFD}N0\nx",
        &[(4, 5, "unknown-escape")],
    ),
    (
        "c: cut single shift",
        CN,
        b"\x1b$*H\x1bN0",
        "\u{FFFD}N0",
        &[(4, 5, "unknown-escape")],
    ),
    ("h01", HZ, b"~{0!~}x", "啊x", &[]),
    ("h02", HZ, b"a~~b", "a~b", &[]),
    ("h03", HZ, b"a~\nb", "ab", &[]),
    (
        "h04",
        HZ,
        b"~{0!\nabc",
        "啊\nabc",
        &[(4, 4, "reset-at-line-end")],
    ),
    ("h05", HZ, b"~{0!", "啊", &[(4, 4, "unterminated-run")]),
    (
        "h06",
        HZ,
        b"~{0~}x",
        "剥\u{FFFD}\u{FFFD}",
        &[(4, 6, "invalid"), (6, 6, "unterminated-run")],
    ),
    ("h07", HZ, b"a~b", "a~b", &[(1, 2, "tilde-not-escape")]),
    ("h08", HZ, b"~{~}x", "x", &[]),
    (
        "h09",
        HZ,
        b"~{0!~~0!~}",
        "啊~啊",
        &[(4, 6, "foreign-escape")],
    ),
    (
        "h10",
        HZ,
        b"\xb0\xa1",
        "\u{FFFD}\u{FFFD}",
        &[(0, 2, "8bit")],
    ),
    ("h11", HZ, b"a~\r\nb", "ab", &[(1, 4, "foreign-escape")]),
    ("h12", HZ, b"~{0! 0!~}", "啊 啊", &[(4, 5, "space-in-run")]),
    ("h13", HZ, b"x~", "x~", &[(1, 2, "tilde-not-escape")]),
    (
        "h14",
        HZ,
        b"~{~!~}",
        "~〓\u{FFFD}",
        &[
            (2, 3, "tilde-not-escape"),
            (5, 6, "invalid"),
            (6, 6, "unterminated-run"),
        ],
    ),
];

#[test]
fn answers_where_decoders_differ() {
    let mut random = Random(22);
    for (id, charset, bytes, text, records) in CASES {
        let (got, log) = decode(*charset, Mode::Lenient, bytes);
        let kinds: Vec<_> = log
            .kept()
            .iter()
            .map(|l| (l.bytes.start, l.bytes.end, l.kind.name()))
            .collect();
        assert_eq!((got.as_str(), kinds.as_slice()), (*text, *records), "{id}");
        assert_eq!(log.losses() > 0, text.contains('\u{FFFD}'), "{id}");
        for mode in [Mode::Lenient, Mode::Strict] {
            split_everywhere(*charset, mode, bytes, &mut random);
        }
    }
}

#[test]
fn no_byte_below_21_is_swallowed_and_ascii_comes_back_behind_damage() {
    for charset in [JP, KR, EXT, HZ] {
        let opening: &[&[u8]] = match charset {
            JP => &[
                b"\x1b$B", b"\x1b$A", b"\x1b$(C", b"\x1b$(D", b"\x1b$(Q", b"\x1b$(P", b"\x1b(J",
                b"\x1b(I", b"\x0e",
            ],
            KR => &[b"\x1b$)C\x0e"],
            EXT => &[
                b"\x1b$)A\x0e",
                b"\x1b$)G\x0e",
                b"\x1b$)E\x0e",
                b"\x1b$*H\x1bN",
                b"\x1b$+I\x1bO",
            ],
            _ => &[b"~{"],
        };
        for open in opening {
            for lead in 0x21..=if charset == HZ { 0x7D } else { 0x7E_u8 } {
                for control in (0..0x21_u8).filter(|b| ![0x1B, 0x0E, 0x0F].contains(b)) {
                    let bytes = [open, &[lead, control][..], b"\n<p>"].concat();
                    let (text, _) = decode(charset, Mode::Lenient, &bytes);
                    let kept = text.ends_with(&format!("{}\n<p>", char::from(control)));
                    assert!(kept, "{charset} {bytes:x?} {text:?}");
                }
            }
        }
    }
}

/// Escapes, and the charsets whose own standard has them.
#[test]
fn strict_decoding_knows_the_escapes_of_each_charset() {
    let all = [
        JP,
        JP_1,
        JP_2,
        JP_3,
        Charset::ISO_2022_JP_2004,
        Charset::CP50220,
        Charset::CP50221,
        Charset::CP50222,
    ];
    let windows = &all[5..];
    let has: &[(&[u8], &str, &[Charset])] = &[
        (b"\x1b$B8l\x1b(B", "語", &all),
        (b"\x1b$@8l\x1b(B", "語", &all),
        (b"\x1b(J~\x1b(B", "\u{203E}", &all),
        (
            b"\x1b$(D0!\x1b(B",
            "丂",
            &[JP_1, JP_2, windows[0], windows[1], windows[2]],
        ),
        (b"\x1b$A0!\x1b(B", "啊", &[JP_2]),
        (b"\x1b$(C0!\x1b(B", "가", &[JP_2]),
        (b"\x1b.A\x1bNi", "é", &[JP_2]),
        (b"\x1b.F\x1bNa", "α", &[JP_2]),
        (b"\x1b$(O0!\x1b(B", "亜", &[JP_3, all[4]]),
        (b"\x1b$(P!!\x1b(B", "\u{20089}", &[JP_3, all[4]]),
        (b"\x1b$(Q.!\x1b(B", "俱", &[all[4]]),
        (
            b"\x1b(I1\x1b(B",
            "ｱ",
            &[JP_3, all[4], windows[0], windows[1], windows[2]],
        ),
        (b"\x0e1\x0f", "ｱ", &[Charset::CP50222]),
        (b"\x1b$B-!\x1b(B", "①", windows),
        (b"\x1b(Hx\x1b(B", "x", &[]),
        (b"\xb1", "ｱ", &[]),
        (b"\x1b$B8l\n", "語\n", &[]),
        (b"\x1b$(O.!\x1b(B", "俱", &[]),
    ];
    for (bytes, text, charsets) in has {
        for charset in all {
            let (got, log) = decode(charset, Mode::Strict, bytes);
            let sound = got == *text && log.losses() == 0;
            assert_eq!(
                sound,
                charsets.contains(&charset),
                "{charset} {bytes:x?} {got:?}"
            );
        }
        assert_eq!(decode(JP, Mode::Lenient, bytes).0, *text, "{bytes:x?}");
    }
    let pairs: &[(&[u8], &[Charset])] = &[
        (b"\x1b$)A\x0e0!\x0f", &[CN, EXT]),
        (b"\x1b$)G\x0eD!\x0f", &[CN, EXT]),
        (b"\x1b$*H\x1bN0!", &[CN, EXT]),
        (b"\x1b$)E\x0e0!\x0f", &[EXT]),
        (b"\x1b$+I\x1bO0!", &[EXT]),
        (b"\x1b$+M\x1bO0!", &[EXT]),
        (b"\x0e0!\x0f", &[]),
    ];
    for (bytes, charsets) in pairs {
        for charset in [CN, EXT] {
            let sound = decode(charset, Mode::Strict, bytes).1.losses() == 0;
            assert_eq!(sound, charsets.contains(&charset), "{charset} {bytes:x?}");
            assert_eq!(
                decode(charset, Mode::Lenient, bytes).1.losses(),
                0,
                "{charset} {bytes:x?}"
            );
        }
    }
}

#[test]
fn strict_repertoires_are_those_of_the_standards() {
    let count = |charset: Charset, open: &[u8], close: &[u8]| {
        let pairs = (0x2121..=0x7E7E_u16).map(u16::to_be_bytes);
        pairs
            .filter(|pair| {
                let (text, log) = decode(charset, Mode::Strict, &[open, &pair[..], close].concat());
                (0x21..=0x7E).contains(&pair[1]) && log.is_empty() && !text.is_empty()
            })
            .count()
    };
    assert_eq!(count(JP, b"\x1b$B", b"\x1b(B"), 6879);
    assert_eq!(count(Charset::CP50221, b"\x1b$B", b"\x1b(B"), 7336);
    assert_eq!(count(JP_1, b"\x1b$(D", b"\x1b(B"), 6067);
    assert_eq!(count(JP_2, b"\x1b$A", b"\x1b(B"), 7445);
    assert_eq!(count(HZ, b"~{", b"~}"), 7445);
    let of_2004 = count(Charset::ISO_2022_JP_2004, b"\x1b$(Q", b"\x1b(B");
    assert_eq!((of_2004, count(JP_3, b"\x1b$(O", b"\x1b(B")), (8797, 8787));
    assert_eq!(count(JP_3, b"\x1b$(P", b"\x1b(B"), 2436);
    assert_eq!(count(KR, b"\x1b$)C\x0e", b"\x0f"), 8226);
}

#[test]
fn ascii_out_of_a_shifted_state_is_counted() {
    for (charset, bytes, ascii, controls) in [
        (JP, &b"abc\x1b(B<p>\r\n"[..], 0, 0),
        (JP, b"\x1b(Ja\\b\x1b(Bc", 2, 0),
        (JP, b"\x1b$B8l \t8l\x1b(B", 1, 1),
        (JP, b"\x1b$B8l\nabc", 0, 0),
        (HZ, b"~{0!~~0!~} ~~", 1, 0),
        (KR, b"\x1b$)C\x0e0! 0!\x0f ", 1, 0),
        (EXT, b"\x1b$)E\x0e*C*!\x0f", 2, 0),
    ] {
        let (_, log) = decode(charset, Mode::Lenient, bytes);
        assert_eq!(
            (log.ascii_from_shift(), log.controls_from_shift()),
            (ascii, controls),
            "{bytes:x?}"
        );
    }
}

fn encode(charset: Charset, text: &str) -> (Vec<u8>, LossLog) {
    let mut log = LossLog::with_limit(1000);
    (
        charset
            .encode(text, Unmappable::QuestionMark, &mut log)
            .into_owned(),
        log,
    )
}

#[test]
fn every_line_is_written_from_ascii_to_ascii() {
    for (charset, text, bytes) in [
        (JP_1, "丂\r\n語", &b"\x1b$(D0!\x1b(B\r\n\x1b$B8l\x1b(B"[..]),
        (
            JP_2,
            "é語é\né가们",
            b"\x1b.A\x1bNi\x1b$B8l\x1bNi\x1b(B\n\x1b.A\x1bNi\x1b$(C0!\x1b$ACG\x1b(B",
        ),
        (
            Charset::ISO_2022_JP_2004,
            "俱か\u{309A}か",
            b"\x1b$(Q.!$w\x1b$B$+\x1b(B",
        ),
        (Charset::CP50221, "ｱ語①", b"\x1b(I1\x1b$B8l-!\x1b(B"),
        (
            Charset::CP50222,
            "ｱa語ｱ語",
            b"\x0e1\x0fa\x1b$B8l\x0e1\x0f8l\x1b(B",
        ),
        (KR, "가a\n가", b"\x1b$)C\x0e0!\x0fa\n\x0e0!\x0f"),
        (
            CN,
            "啊啊x啊\n啊",
            b"\x1b$)A\x0e0!0!\x0fx\x0e0!\x0f\n\x1b$)A\x0e0!\x0f",
        ),
        (
            CN,
            "毦啊\n毦毦",
            b"\x1b$*H\x1bN0!\x1b$)A\x0e0!\x0f\n\x1b$*H\x1bN0!\x1bN0!",
        ),
        (EXT, "哰", b"\x1b$+I\x1bO0!"),
        (HZ, "a~啊\n啊", b"a~~~{0!~}\n~{0!~}"),
    ] {
        let (got, log) = encode(charset, text);
        let (got_shown, shown) = (
            String::from_utf8_lossy(&got),
            String::from_utf8_lossy(bytes),
        );
        assert_eq!((got_shown, log.is_empty()), (shown, true), "{charset}");
        assert_eq!(decode(charset, Mode::Lenient, bytes).0, text, "{charset}");
        assert_eq!(
            decode(charset, Mode::Strict, bytes).1.losses(),
            0,
            "{charset}"
        );
    }
    // What came in 2004 is not written in the charset of 2000.
    let (bytes, log) = encode(JP_3, "俱亜");
    assert_eq!(
        (bytes.as_slice(), log.count(LossKind::Unmappable)),
        (&b"?\x1b$B0!\x1b(B"[..], 1)
    );
}

/// Every character that a charset writes without remark is read back, strictly too.
#[test]
fn what_is_written_is_read_back() {
    let mut mapped = Vec::new();
    for charset in [
        JP,
        JP_1,
        JP_2,
        JP_3,
        Charset::ISO_2022_JP_2004,
        Charset::CP50220,
        Charset::CP50221,
        Charset::CP50222,
        KR,
        CN,
        EXT,
        HZ,
    ] {
        let mut count = 0;
        for c in ('\u{80}'..='\u{FFFF}').chain('\u{20000}'..='\u{2FA1F}') {
            let text = format!("a{c}{c}b\n");
            let (bytes, log) = encode(charset, &text);
            assert!(bytes.is_ascii(), "{charset} {c:?}");
            if log.is_empty() {
                count += 1;
                assert_eq!(
                    decode(charset, Mode::Lenient, &bytes).0,
                    text,
                    "{charset} {c:?} {bytes:x?}"
                );
                if charset != JP {
                    let (strict, log) = decode(charset, Mode::Strict, &bytes);
                    assert_eq!(
                        (strict, log.losses()),
                        (text, 0),
                        "{charset} {c:?} {bytes:x?}"
                    );
                }
            }
        }
        mapped.push((charset.name(), count));
    }
    assert_eq!(
        mapped,
        [
            ("ISO-2022-JP", 7328),
            ("ISO-2022-JP-1", 12947),
            ("ISO-2022-JP-2", 18605),
            ("ISO-2022-JP-3", 11267),
            ("ISO-2022-JP-2004", 11277),
            ("CP50220", 7328),
            ("CP50221", 13177),
            ("CP50222", 13177),
            ("ISO-2022-KR", 8226),
            ("ISO-2022-CN", 16299),
            ("ISO-2022-CN-EXT", 51284),
            ("HZ-GB-2312", 7445)
        ]
    );
}
