//! Encodes to ISO 2022 and HZ: each line begins and ends in ASCII, and decodes to the same text.

use super::common::decode;
use super::{CN, EXT, HZ, JAPANESE, JP, JP_1, JP_2, JP_3, KR};
use mailglot_codec::{Charset, LossKind, LossLog, Mode, Unmappable};

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
    for charset in JAPANESE.into_iter().chain([KR, CN, EXT, HZ]) {
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
