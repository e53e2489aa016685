//! Every example of RFC 2152, 2279, 2781 and 3629, by section.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{decode, hex};
use mailglot_codec::{Charset, EncodeOptions, Encoder, LossLog, Mode, Unmappable};

/// Bytes that are the text in both modes without a record, and that the text is written as.
fn same(charset: Charset, bytes: &[u8], text: &str) {
    reads(charset, bytes, text);
    assert_eq!(written(charset, text, false), bytes, "{charset} {text}");
}

/// Bytes that are the text in both modes without a record.
fn reads(charset: Charset, bytes: &[u8], text: &str) {
    for mode in [Mode::Lenient, Mode::Strict] {
        let (got, log) = decode(charset, mode, bytes);
        assert_eq!(
            (got.as_str(), log.is_empty()),
            (text, true),
            "{charset} {mode:?}"
        );
    }
}

/// Bytes that are damage, by which none of the characters comes out.
fn refused(bytes: &[u8], not: &str) {
    for mode in [Mode::Lenient, Mode::Strict] {
        let (got, log) = decode(Charset::UTF_8, mode, bytes);
        assert!(log.losses() > 0 && !got.contains(not), "{bytes:x?}");
    }
}

fn written(charset: Charset, text: &str, optional_direct: bool) -> Vec<u8> {
    let options = EncodeOptions::new(Unmappable::Skip).utf_7_optional_direct(optional_direct);
    let (mut bytes, mut log) = (Vec::new(), LossLog::new());
    let mut encoder = Encoder::with(charset, options);
    encoder.push(text, &mut bytes, &mut log);
    encoder.finish(&mut bytes, &mut log);
    assert!(log.is_empty());
    bytes
}

#[test]
fn rfc_2152_utf_7_definition() {
    // The run ends at the full stop; an encoder may write that, ours ends each run by a hyphen.
    reads(Charset::UTF_7, b"A+ImIDkQ.", "A\u{2262}\u{391}.");
    assert_eq!(
        written(Charset::UTF_7, "A\u{2262}\u{391}.", false),
        b"A+ImIDkQ-."
    );
    reads(Charset::UTF_7, b"Hi Mom -+Jjo--!", "Hi Mom -\u{263A}-!");
    assert_eq!(
        written(Charset::UTF_7, "Hi Mom -\u{263A}-!", true),
        b"Hi Mom -+Jjo--!"
    );
    same(Charset::UTF_7, b"+ZeVnLIqe-", "日本語");
}

#[test]
fn rfc_2152_use_of_character_set_utf_7_within_mime() {
    reads(Charset::UTF_7, b"Hi Mom +Jjo-!", "Hi Mom \u{263A}!");
    assert_eq!(
        written(Charset::UTF_7, "Hi Mom \u{263A}!", true),
        b"Hi Mom +Jjo-!"
    );
    same(Charset::UTF_7, b"+ZeVnLIqe-", "日本語");
    reads(Charset::UTF_7, b"A+ImIDkQ.", "A\u{2262}\u{391}.");
    same(Charset::UTF_7, b"Item 3 is +AKM-1.", "Item 3 is £1.");
}

#[test]
fn rfc_2152_discussion_base64_of_big_endian_units() {
    // `Jjo=` in base64.
    same(Charset::UTF_16BE, b"\x26\x3A", "\u{263A}");
}

#[test]
fn rfc_2152_appendix_a() {
    for (direct, in_base64, text) in [
        ("(+itaKng-)", "(+itaKng-)", "(論語)"),
        (
            "+U/BTFw-:+ZYeB9FH6ckh5Pg-, 1980.",
            "+U/BTFw-:+ZYeB9FH6ckh5Pg-, 1980.",
            "台北:文致出版社, 1980.",
        ),
        ("+Vttm+E6UfZM-,", "+Vttm+E6UfZM-,", "四書五經,"),
        ("+W4tRQ066bOg-,", "+W4tRQ066bOg-,", "宋元人注,"),
        (
            "+UxdOrA-: +Ti1XC2b4Xpc-, 1990.",
            "+UxdOrA-: +Ti1XC2b4Xpc-, 1990.",
            "北京: 中國書店, 1990.",
        ),
        (
            "\"The sayings of Confucius,\"",
            "+ACI-The sayings of Confucius,+ACI-",
            "\"The sayings of Confucius,\"",
        ),
        ("(;)", "(+ADs-)", "(;)"),
        ("+XrdxmVtXUXg-", "+XrdxmVtXUXg-", "康熙字典"),
        (
            "John H. Jenkins +TpVPXGBG-",
            "John H. Jenkins +TpVPXGBG-",
            "John H. Jenkins 井作恆",
        ),
        (
            "jenkins@apple.com",
            "jenkins+AEA-apple.com",
            "jenkins@apple.com",
        ),
        ("U+-9F08", "U+-9F08", "U+9F08"),
    ] {
        reads(Charset::UTF_7, direct.as_bytes(), text);
        reads(Charset::UTF_7, in_base64.as_bytes(), text);
        assert_eq!(written(Charset::UTF_7, text, true), direct.as_bytes());
        assert_eq!(written(Charset::UTF_7, text, false), in_base64.as_bytes());
    }
    // Ours takes the plus into the run of the quotation mark.
    reads(Charset::UTF_7, b"+ACI-U+-+ACI-", "\"U+\"");
    assert_eq!(written(Charset::UTF_7, "\"U+\"", false), b"+ACI-U+ACsAIg-");
}

#[test]
fn rfc_2279_section_2_naive_decoders() {
    refused(b"\xC0\x80", "\0");
}

#[test]
fn rfc_2279_section_4() {
    same(Charset::UTF_8, &hex("41E289A2CE912E"), "A\u{2262}\u{391}.");
    same(Charset::UTF_8, &hex("ED959CEAB5ADEC96B4"), "한국어");
    same(Charset::UTF_8, &hex("E697A5E69CACE8AA9E"), "日本語");
}

#[test]
fn rfc_2279_section_6() {
    refused(b"\xC0\x80", "\0");
    refused(b"\x2F\xC0\xAE\x2E\x2F", "/../");
}

#[test]
fn rfc_2781_section_3_1_byte_order() {
    same(Charset::UTF_16BE, b"\x01\x02", "\u{102}");
    same(Charset::UTF_16LE, b"\x02\x01", "\u{102}");
}

#[test]
fn rfc_2781_section_5() {
    let text = "\u{12345}=Ra";
    same(Charset::UTF_16BE, &hex("D808DF45003D00520061"), text);
    same(Charset::UTF_16LE, &hex("08D845DF3D0052006100"), text);
    for bytes in ["FEFFD808DF45003D00520061", "FFFE08D845DF3D0052006100"] {
        for mode in [Mode::Lenient, Mode::Strict] {
            let (got, log) = decode(Charset::UTF_16, mode, &hex(bytes));
            assert_eq!((got.as_str(), log.losses()), (text, 0));
        }
    }
    assert_eq!(
        written(Charset::UTF_16, text, false),
        hex("FEFFD808DF45003D00520061")
    );
}

#[test]
fn rfc_3629_section_3() {
    refused(b"\xC0\x80", "\0");
    refused(&hex("EDA18CEDBEB4"), "\u{233B4}");
}

/// The ABNF: all that it derives for the borders of each of its ranges, and nothing beside them.
#[test]
fn rfc_3629_section_4() {
    for (bytes, text) in [
        ("00", "\0"),
        ("7F", "\x7F"),
        ("C280", "\u{80}"),
        ("DFBF", "\u{7FF}"),
        ("E0A080", "\u{800}"),
        ("E0BFBF", "\u{FFF}"),
        ("E18080", "\u{1000}"),
        ("ECBFBF", "\u{CFFF}"),
        ("ED8080", "\u{D000}"),
        ("ED9FBF", "\u{D7FF}"),
        ("EE8080", "\u{E000}"),
        ("EFBFBF", "\u{FFFF}"),
        ("F0908080", "\u{10000}"),
        ("F0BFBFBF", "\u{3FFFF}"),
        ("F1808080", "\u{40000}"),
        ("F3BFBFBF", "\u{FFFFF}"),
        ("F4808080", "\u{100000}"),
        ("F48FBFBF", "\u{10FFFF}"),
    ] {
        same(Charset::UTF_8, &hex(bytes), text);
    }
    for bytes in [
        "80", "C1BF", "C27F", "C2C0", "E09FBF", "EDA080", "F08FBFBF", "F4908080", "F5808080", "FF",
    ] {
        refused(&hex(bytes), "\u{800}");
    }
}

#[test]
fn rfc_3629_section_6_signature() {
    assert_eq!(
        decode(Charset::UTF_8, Mode::Lenient, &hex("EFBBBF61")).0,
        "a"
    );
    assert_eq!(
        decode(Charset::UTF_8, Mode::Strict, &hex("EFBBBF61")).0,
        "\u{FEFF}a"
    );
}

#[test]
fn rfc_3629_section_7() {
    same(Charset::UTF_8, &hex("41E289A2CE912E"), "A\u{2262}\u{391}.");
    same(Charset::UTF_8, &hex("ED959CEAB5ADEC96B4"), "한국어");
    same(Charset::UTF_8, &hex("E697A5E69CACE8AA9E"), "日本語");
    assert_eq!(
        decode(Charset::UTF_8, Mode::Lenient, &hex("EFBBBFF0A38EB4")).0,
        "\u{233B4}"
    );
    assert_eq!(
        decode(Charset::UTF_8, Mode::Strict, &hex("EFBBBFF0A38EB4")).0,
        "\u{FEFF}\u{233B4}"
    );
}

#[test]
fn rfc_3629_section_10() {
    refused(b"\xC0\x80", "\0");
    refused(b"\x2F\xC0\xAE\x2E\x2F", "/../");
    // U+110000 and U+7FFFFFFF, beyond what sixteen-bit pairs reach.
    refused(&hex("F4908080"), "\u{10FFFF}");
    refused(&hex("FDBFBFBFBFBF"), "\u{10FFFF}");
}
