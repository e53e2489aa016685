//! SCSU, BOCU-1, UTF-1, UTF-EBCDIC and UTF-7 against what others write (`data/oracles/unicode_forms.tsv`) and what the
//! definitions of the forms print.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{Random, decode, hex, split_everywhere};
use mailglot_codec::{Charset, EncodeOptions, Encoder, LossKind, LossLog, Mode, Unmappable};

const ORACLES: &str = include_str!("../../../data/oracles/unicode_forms.tsv");

fn oracles(what: &str) -> Vec<Vec<&'static str>> {
    let rows = ORACLES
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let rows: Vec<_> = rows.filter(|row| row[0] == what).collect();
    assert!(!rows.is_empty());
    rows
}

fn encode(charset: Charset, text: &str) -> Vec<u8> {
    let mut log = LossLog::new();
    let bytes = charset
        .encode(text, Unmappable::Skip, &mut log)
        .into_owned();
    assert!(log.is_empty(), "{charset} {text:?}");
    bytes
}

fn fnv(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3)
    })
}

const FNV: u64 = 0xCBF2_9CE4_8422_2325;

/// The text without a mark at its start, which is no text.
fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

#[test]
fn icu_and_we_read_each_other() {
    let (mut ours, mut theirs) = (0, 0);
    for row in oracles("encode") {
        let charset = Charset::for_name(row[1]).unwrap();
        let code = |digits| char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap();
        let text: String = row[2].split(' ').map(code).collect();
        let bytes = hex(row[3]);
        let (got, log) = decode(charset, Mode::Lenient, &bytes);
        assert_eq!(got, unmarked(&text), "{charset}");
        assert_eq!(
            (log.losses(), decode(charset, Mode::Strict, &bytes).0),
            (0, text.clone()),
            "{charset}"
        );
        let written = encode(charset, &text);
        assert_eq!(
            decode(charset, Mode::Lenient, &written).0,
            unmarked(&text),
            "{charset}"
        );
        if charset == Charset::BOCU_1 {
            assert_eq!(written, bytes, "{text:?}");
        } else {
            assert!(
                written.len() <= bytes.len() + 1,
                "{text:?} {written:x?} {bytes:x?}"
            );
            ours += written.len();
            theirs += bytes.len();
        }
    }
    assert!(ours <= theirs, "{ours} bytes of SCSU, by ICU {theirs}");
}

#[test]
fn bocu_1_of_all_characters_is_that_of_icu() {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    for row in oracles("order") {
        let step = if row[2] == "up" { 1 } else { 435_937 };
        let text: String = (0..all.len()).map(|i| all[i * step % all.len()]).collect();
        let bytes = encode(Charset::BOCU_1, &text);
        assert_eq!(
            (
                bytes.len().to_string(),
                format!("{:016X}", fnv(FNV, &bytes))
            ),
            (row[3].into(), row[4].into())
        );
        assert!(
            decode(Charset::BOCU_1, Mode::Strict, &bytes) == (text, LossLog::with_limit(10_000))
        );
    }
}

/// Text of the characters that UTF-7 has rules for, and others; the oracle draws the same.
fn random_text(random: &mut Random) -> String {
    (0..random.below(24))
        .map(|_| match random.below(8) {
            0..3 => random.below(0x80),
            3..5 => u32::from(b"+-/\\~=&<\r\n"[random.below(10) as usize]),
            5..7 => random.below(0x1_0000),
            _ => 0x1_0000 + random.below(0x10_0000),
        })
        .map(|code| char::from_u32(code).unwrap_or('\u{FFFD}'))
        .collect()
}

#[test]
fn utf_7_that_python_reads() {
    for row in oracles("random") {
        let mut random = Random(7);
        let mut hash = FNV;
        for _ in 0..row[3].parse().unwrap() {
            let text = random_text(&mut random);
            let options =
                EncodeOptions::new(Unmappable::Skip).utf_7_optional_direct(row[2] == "direct");
            let (mut bytes, mut log) = (Vec::new(), LossLog::new());
            let mut encoder = Encoder::with(Charset::UTF_7, options);
            encoder.push(&text, &mut bytes, &mut log);
            encoder.finish(&mut bytes, &mut log);
            let (back, log) = decode(Charset::UTF_7, Mode::Strict, &bytes);
            assert_eq!((back, log.is_empty()), (text, true));
            bytes.push(b'\n');
            hash = fnv(hash, &bytes);
        }
        assert_eq!(format!("{hash:016X}"), row[4], "{}", row[2]);
    }
}

/// UTS 6 section 9: the sample strings.
#[test]
fn uts_6_samples() {
    for (bytes, text) in [
        ("D66C20666C6965DF74", "Öl fließt"),
        ("129CBEC1BAB2B0", "Москва"),
        // All features at once.
        (
            "41DF1281035F10DF1B03DF1C88800BBFFFFF0D0A4110DF1281035F10DF13DF148015FF",
            "Aßё\u{15F}ß\u{1DF}\u{F000}\u{10FFFF}\r\nAßё\u{15F}ß\u{1DF}\u{F000}\u{10FFFF}",
        ),
    ] {
        // The printed example has capital IO.
        let text = text.replace('ё', "\u{401}");
        let (got, log) = decode(Charset::SCSU, Mode::Strict, &hex(bytes));
        assert_eq!((got, log.is_empty()), (text, true), "{bytes}");
    }
}

#[test]
fn scsu_reads_every_command() {
    let read = |bytes: &[u8]| {
        let (text, log) = decode(Charset::SCSU, Mode::Strict, bytes);
        assert!(log.is_empty(), "{bytes:x?} {log:?}");
        text
    };
    let fixed = [0, 0x80, 0x100, 0x300, 0x2000, 0x2080, 0x2100, 0x3000];
    let moved = [0x80, 0xC0, 0x400, 0x600, 0x900, 0x3040, 0x30A0, 0xFF00];
    let char_of = |code: u32| char::from_u32(code).unwrap().to_string();
    for window in 0..8_u8 {
        let (fixed, moved) = (fixed[usize::from(window)], moved[usize::from(window)]);
        for low in 0..0x80_u8 {
            let (fixed, moved) = (
                char_of(fixed + u32::from(low)),
                char_of(moved + u32::from(low)),
            );
            assert_eq!(read(&[0x01 + window, low]), fixed);
            assert_eq!(read(&[0x01 + window, low | 0x80]), moved);
            assert_eq!(read(&[0x10 + window, low | 0x80]), moved);
            assert_eq!(read(&[0x0F, 0xE0 + window, low | 0x80]), moved);
        }
        for byte in 0..=0xFF_u8 {
            let start = match byte {
                0x01..=0x67 => u32::from(byte) * 0x80,
                0x68..=0xA7 => u32::from(byte) * 0x80 + 0xAC00,
                0xF9 => 0xC0,
                0xFA => 0x250,
                0xFB => 0x370,
                0xFC => 0x530,
                0xFD => 0x3040,
                0xFE => 0x30A0,
                0xFF => 0xFF60,
                _ => {
                    for bytes in [&[0x18 + window, byte][..], &[0x0F, 0xE8 + window, byte]] {
                        let (text, log) = decode(Charset::SCSU, Mode::Lenient, bytes);
                        assert_eq!(
                            (text.as_str(), log.count(LossKind::Invalid)),
                            ("\u{FFFD}", 1)
                        );
                    }
                    continue;
                }
            };
            let text = format!("{}{}", char_of(start), char_of(start + 0x7F));
            assert_eq!(read(&[0x18 + window, byte, 0x80, 0xFF]), text);
            assert_eq!(read(&[0x0F, 0xE8 + window, byte, 0x80, 0xFF]), text);
            // The definition stays when another window is active.
            let quoted = [
                0x18 + window,
                byte,
                0x10 + (window + 1) % 8,
                0x01 + window,
                0x80,
                0x10 + window,
                0xFF,
            ];
            assert_eq!(read(&quoted), text);
        }
        for place in (0..0x2000_u16).step_by(7).chain([0x1FFF]) {
            let [high, low] = (u16::from(window) << 13 | place).to_be_bytes();
            let text = char_of(0x1_0000 + (u32::from(place) << 7) + 0x7F);
            assert_eq!(read(&[0x0B, high, low, 0xFF]), text);
            assert_eq!(read(&[0x0F, 0xF1, high, low, 0xFF]), text);
        }
    }
    assert_eq!(
        read(b"\x0E\xE0\x00\x0F\xF0\xE0\x01\x4E\x00\xE0A"),
        "\u{E000}\u{E001}一A"
    );
    assert_eq!(
        read(b"\x0E\xD8\x00\x0E\xDC\x00\x0F\xD8\x00\xDC\x01"),
        "\u{10000}\u{10001}"
    );
}

#[test]
fn scsu_damage() {
    for (bytes, text, losses) in [
        (&b"\x0CA"[..], "\u{FFFD}A", &[(0, 1, LossKind::Invalid)][..]),
        (b"\x0F\xF2\0A", "\u{FFFD}A", &[(1, 2, LossKind::Invalid)]),
        (b"\x0EA", "\u{FFFD}", &[(0, 2, LossKind::Truncated)]),
        (b"a\x01", "a\u{FFFD}", &[(1, 2, LossKind::Truncated)]),
        (b"\x0F\0A\x4E", "A\u{FFFD}", &[(3, 4, LossKind::Truncated)]),
        (
            b"\x0F\xD8\0\0A",
            "\u{FFFD}A",
            &[(1, 3, LossKind::LoneSurrogate)],
        ),
        (
            b"\x0F\xDC\0\0A",
            "\u{FFFD}A",
            &[(1, 3, LossKind::LoneSurrogate)],
        ),
        (
            b"\x0E\xD8\0",
            "\u{FFFD}",
            &[(0, 3, LossKind::LoneSurrogate)],
        ),
        (
            b"\x0E\xD8\0A\x0E\xDC\0",
            "\u{FFFD}A\u{FFFD}",
            &[
                (0, 3, LossKind::LoneSurrogate),
                (4, 7, LossKind::LoneSurrogate),
            ],
        ),
        (b"\x0E\xFE\xFFA", "A", &[(0, 3, LossKind::ByteOrderMark)]),
        (b"A\x0E\xFE\xFF", "A\u{FEFF}", &[]),
    ] {
        check(Charset::SCSU, bytes, text, losses);
    }
    let (_, log) = decode(
        Charset::SCSU,
        Mode::Lenient,
        b"ab\x0F\0c\0\x0A\xE0\x01\x0Ed",
    );
    assert_eq!((log.ascii_from_shift(), log.controls_from_shift()), (1, 2));
}

/// Unicode Technical Note 6: lines stay lines, and damage ends with its line.
#[test]
fn bocu_1_damage() {
    let line = encode(Charset::BOCU_1, "日本\r\nä b");
    assert!(line.windows(2).any(|w| w == b"\r\n") && line.contains(&b' '));
    for (bytes, text, losses) in [
        (&b"\xD0"[..], "\u{FFFD}", &[(0, 1, LossKind::Truncated)][..]),
        (
            b"\xD0\r\n\xB1",
            "\u{FFFD}\r\na",
            &[(0, 1, LossKind::Truncated)],
        ),
        (
            b"\xFB\x4C \xB1",
            "\u{FFFD} a",
            &[(0, 2, LossKind::Truncated)],
        ),
        (
            b"\xD0\0\x1B",
            "\u{FFFD}\0\x1B",
            &[(0, 1, LossKind::Truncated)],
        ),
        (
            b"\xFE\xFF\xFF\xFF\xB1",
            "\u{FFFD}a",
            &[(0, 4, LossKind::TooLarge)],
        ),
        (
            b"\x21\x01\x01\x01\xB1",
            "\u{FFFD}a",
            &[(0, 4, LossKind::TooLarge)],
        ),
        (b"\xD0\x76\xFF\xB1", "\u{E9}a", &[]),
        (
            b"\xFB\xEE\x28\x24\x1E\x52",
            "a",
            &[(0, 3, LossKind::ByteOrderMark)],
        ),
    ] {
        check(Charset::BOCU_1, bytes, text, losses);
    }
    let mut broken = encode(Charset::BOCU_1, "日本語");
    broken[1] = b'\n';
    broken.extend_from_slice(&encode(Charset::BOCU_1, "\nПривет"));
    assert!(
        decode(Charset::BOCU_1, Mode::Lenient, &broken)
            .0
            .ends_with("\nПривет")
    );
}

/// ISO-IR 178: the borders of the forms, and some between.
#[test]
fn utf_1_vectors() {
    for (code, bytes) in [
        (0x7F, "7F"),
        (0x80, "80"),
        (0x9F, "9F"),
        (0xA0, "A0A0"),
        (0xBF, "A0BF"),
        (0xFF, "A0FF"),
        (0x100, "A121"),
        (0x15D, "A17E"),
        (0x15E, "A1A0"),
        (0x1BD, "A1FF"),
        (0x1BE, "A221"),
        (0x7FF, "AA72"),
        (0x800, "AA73"),
        (0xFFF, "B548"),
        (0x1000, "B549"),
        (0x4015, "F5FF"),
        (0x4016, "F62121"),
        (0xD7FF, "F72FC3"),
        (0xE000, "F73A79"),
        (0xF8FF, "F75C3C"),
        (0xFFFD, "F765AD"),
        (0xFFFF, "F765AF"),
        (0x1_0000, "F765B0"),
        (0x3_8E2D, "FBFFFF"),
        (0x3_8E2E, "FC21212121"),
        (0xF_FFFF, "FC2137B27A"),
        (0x10_0000, "FC2137B27B"),
        (0x10_FFFF, "FC21396E6C"),
    ] {
        let text = char::from_u32(code).unwrap().to_string();
        assert_eq!(
            encode(Charset::ISO_10646_UTF_1, &text),
            hex(bytes),
            "{code:X}"
        );
        let (got, log) = decode(Charset::ISO_10646_UTF_1, Mode::Strict, &hex(bytes));
        assert_eq!((got, log.is_empty()), (text, true), "{bytes}");
    }
    for (bytes, text, losses) in [
        ("A1", "\u{FFFD}", &[(0, 1, LossKind::Truncated)][..]),
        ("A10A", "\u{FFFD}\n", &[(0, 1, LossKind::Truncated)]),
        ("A041", "\u{FFFD}A", &[(0, 1, LossKind::Truncated)]),
        // What of a broken form is ASCII is read as text.
        ("F63C20", "\u{FFFD}< ", &[(0, 1, LossKind::Truncated)]),
        ("F6A020", "\u{FFFD} ", &[(0, 2, LossKind::Truncated)]),
        ("FFFFFFFFFF", "\u{FFFD}", &[(0, 5, LossKind::TooLarge)]),
        ("FC21396E6D", "\u{FFFD}!9nm", &[(0, 1, LossKind::TooLarge)]),
        // U+D800.
        (
            "F72FC4",
            "\u{FFFD}/\u{FFFD}",
            &[(0, 1, LossKind::Surrogate), (2, 3, LossKind::Truncated)],
        ),
        ("F7644C41", "A", &[(0, 3, LossKind::ByteOrderMark)]),
    ] {
        check(Charset::ISO_10646_UTF_1, &hex(bytes), text, losses);
    }
}

/// UTR 16: the borders of the forms, by the first form and the table.
#[test]
fn utf_ebcdic_vectors() {
    for (text, bytes) in [
        ("A\r\n", "C10D15"),
        ("\u{85}", "25"),
        ("\u{9F}", "FF"),
        ("\u{A0}", "8041"),
        ("é", "8B4A"),
        ("\u{3FF}", "B673"),
        ("\u{400}", "B84141"),
        ("\u{3FFF}", "DB7373"),
        ("\u{4000}", "DC574141"),
        ("\u{FFFF}", "DD737373"),
        ("\u{10FFFF}", "EE42737373"),
    ] {
        let bytes = hex(bytes);
        let first: Vec<u8> = text.chars().flat_map(first_form).collect();
        assert_eq!(first.len(), bytes.len(), "{text:?}");
        assert_eq!(encode(Charset::UTF_EBCDIC, text), bytes, "{text:?}");
        let (got, log) = decode(Charset::UTF_EBCDIC, Mode::Strict, &bytes);
        assert_eq!((got.as_str(), log.is_empty()), (text, true), "{bytes:x?}");
    }
    for (bytes, text, losses) in [
        ("41", "\u{FFFD}", &[(0, 1, LossKind::StrayContinuation)][..]),
        ("7441", "\u{FFFD}", &[(0, 2, LossKind::Overlong)]),
        ("B741C1", "\u{FFFD}A", &[(0, 2, LossKind::Truncated)]),
        ("B74141", "\u{FFFD}", &[(0, 3, LossKind::Overlong)]),
        ("DE", "\u{FFFD}", &[(0, 1, LossKind::Truncated)]),
        // U+110000 and U+D800.
        ("EE43414141", "\u{FFFD}", &[(0, 5, LossKind::TooLarge)]),
        ("DD654141", "\u{FFFD}", &[(0, 4, LossKind::Surrogate)]),
    ] {
        check(Charset::UTF_EBCDIC, &hex(bytes), text, losses);
    }
}

/// The first form of UTR 16, written down once more.
fn first_form(c: char) -> Vec<u8> {
    let code = c as u32;
    let trail = |shift: u32| 0xA0 | (code >> shift & 0x1F) as u8;
    match code {
        0..0xA0 => vec![code as u8],
        0xA0..0x400 => vec![0xC0 | (code >> 5) as u8, trail(0)],
        0x400..0x4000 => vec![0xE0 | (code >> 10) as u8, trail(5), trail(0)],
        0x4000..0x4_0000 => vec![0xF0 | (code >> 15) as u8, trail(10), trail(5), trail(0)],
        _ => vec![
            0xF8 | (code >> 20) as u8,
            trail(15),
            trail(10),
            trail(5),
            trail(0),
        ],
    }
}

fn check(charset: Charset, bytes: &[u8], text: &str, losses: &[(u64, u64, LossKind)]) {
    let (got, log) = decode(charset, Mode::Lenient, bytes);
    let kept: Vec<_> = log
        .kept()
        .iter()
        .map(|l| (l.bytes.start, l.bytes.end, l.kind))
        .collect();
    assert_eq!(
        (got.as_str(), kept.as_slice()),
        (text, losses),
        "{charset} {bytes:x?}"
    );
}

#[test]
fn every_split_with_ascii_in_front() {
    let mut random = Random(5);
    let text = "Ä日本\r\n語 Привет \u{1F600}x";
    for charset in [
        Charset::SCSU,
        Charset::BOCU_1,
        Charset::ISO_10646_UTF_1,
        Charset::UTF_EBCDIC,
    ] {
        for front in 0..32 {
            let bytes = encode(charset, &format!("{}{text}", "a".repeat(front)));
            split_everywhere(charset, Mode::Lenient, &bytes, &mut random);
        }
    }
}

#[test]
fn pieces_of_limited_length_decode_alone() {
    let text = "Grüße+aus (Köln)\\~ \r\nПривет 日本語 \u{1F600}\u{1F601}+é++é 한국어";
    let options = EncodeOptions::new(Unmappable::HtmlDecimal);
    // Sets without ASCII cannot write what stands for a missing character.
    let carries_ascii = |c: &Charset| {
        !c.encode("a", Unmappable::Skip, &mut LossLog::new())
            .is_empty()
    };
    for charset in Charset::all().filter(carries_ascii) {
        for max in [1, 3, 7, 12, 16, 40, 75, 1000] {
            let mut log = LossLog::with_limit(1000);
            let pieces = charset.encode_limited(text, max, &options, &mut log);
            let mut end = 0;
            for piece in &pieces {
                assert_eq!(piece.text.start, end, "{charset}");
                end = piece.text.end;
                let part = &text[piece.text.clone()];
                assert!(
                    piece.bytes.len() <= max || part.chars().count() == 1,
                    "{charset} {max} {part:?}"
                );
                let mut alone = LossLog::new();
                assert_eq!(
                    charset.encode(part, Unmappable::HtmlDecimal, &mut alone),
                    piece.bytes,
                    "{charset}"
                );
            }
            assert_eq!(end, text.len(), "{charset}");
            // The records are those of the whole text.
            let mut whole = LossLog::with_limit(1000);
            charset.encode(text, Unmappable::HtmlDecimal, &mut whole);
            assert_eq!(log, whole, "{charset}");
            // As long as can be: each is too short for the next one's first character.
            // Charsets without `&` may write nothing at all for a character.
            let counts = !charset.is_single_byte() || charset.is_ascii_compatible();
            for pair in pieces.windows(2).filter(|_| counts) {
                let next = text[pair[1].text.clone()].chars().next().unwrap();
                let longer = &text[pair[0].text.start..pair[1].text.start + next.len_utf8()];
                let mut log = LossLog::new();
                assert!(
                    charset
                        .encode(longer, Unmappable::HtmlDecimal, &mut log)
                        .len()
                        > max,
                    "{charset} {longer:?}"
                );
            }
        }
    }
    let mut log = LossLog::new();
    let pieces = Charset::UTF_7.encode_limited("日本語日本語", 10, &options, &mut log);
    let bytes: Vec<_> = pieces
        .iter()
        .map(|p| String::from_utf8_lossy(&p.bytes))
        .collect();
    assert_eq!(bytes, ["+ZeVnLIqe-", "+ZeVnLIqe-"]);
}

#[test]
fn what_the_forms_are_like() {
    for (charset, ascii, stateful, ebcdic) in [
        (Charset::UTF_8_MAC, true, false, false),
        (Charset::UTF_7_IMAP, false, true, false),
        (Charset::SCSU, false, true, false),
        (Charset::BOCU_1, false, true, false),
        (Charset::ISO_10646_UTF_1, false, false, false),
        (Charset::UTF_EBCDIC, false, false, true),
        (Charset::UNICODE_1_1, false, true, false),
    ] {
        let properties = (
            charset.is_ascii_compatible(),
            charset.is_stateful(),
            charset.is_ebcdic(),
        );
        assert_eq!(properties, (ascii, stateful, ebcdic), "{charset}");
    }
    // Decomposed letters stay so.
    let text = "Zu\u{308}rich";
    assert_eq!(encode(Charset::UTF_8_MAC, text), text.as_bytes());
    assert_eq!(
        decode(Charset::UTF_8_MAC, Mode::Lenient, text.as_bytes()).0,
        text
    );
}
