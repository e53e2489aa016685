//! Tests ISO 2022 in seven bits and HZ: inputs that decoders decode differently, the escapes of each charset, and encoding.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

#[path = "../common/mod.rs"]
mod common;

mod cases;
mod encoding;

use cases::CASES;
use common::{Random, decode, split_everywhere};
use mailglot_codec::{Charset, Mode};

const JP: Charset = Charset::ISO_2022_JP;
const JP_1: Charset = Charset::ISO_2022_JP_1;
const JP_2: Charset = Charset::ISO_2022_JP_2;
const JP_3: Charset = Charset::ISO_2022_JP_3;
/// ISO-2022-JP and its relatives; the last three are those of Microsoft.
const JAPANESE: [Charset; 8] = [
    JP,
    JP_1,
    JP_2,
    JP_3,
    Charset::ISO_2022_JP_2004,
    Charset::CP50220,
    Charset::CP50221,
    Charset::CP50222,
];
const KR: Charset = Charset::ISO_2022_KR;
const CN: Charset = Charset::ISO_2022_CN;
const EXT: Charset = Charset::ISO_2022_CN_EXT;
const HZ: Charset = Charset::HZ_GB_2312;

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
    let all = JAPANESE;
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
