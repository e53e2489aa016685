//! No damaged or unfinished character takes the line end or the markup behind it with it.

use crate::common::decode;
use mailglot_codec::{Charset, LossLog, Mode};

/// Bytes that begin, continue or end something in a machine, and one of each other kind.
const TELLING: &[u8] = b"\0\x0A\x0D\x0E\x0F\x1B !$&()*+,-.0@ABDGHINOQY\\]^a~\x7F\x80\x81\x84\x88\x8E\x8F\x90\xA0\xA1\xA2\xA8\xB0\xC2\xC9\xD8\xDF\xE0\xE3\xED\xF0\xF4\xF8\xFC\xFE\xFF";

fn is_iso_2022(charset: Charset) -> bool {
    charset.name().starts_with("ISO-2022")
}

/// Charsets in which a line feed and `<` behind anything must come out.
fn charsets() -> impl Iterator<Item = (Charset, Mode)> {
    let all = Charset::all()
        .filter(|c| c.is_ascii_compatible() || is_iso_2022(*c) || *c == Charset::HZ_GB_2312);
    all.flat_map(|charset| [(charset, Mode::Lenient), (charset, Mode::Strict)])
}

#[test]
fn a_line_end_and_markup_come_out_behind_anything() {
    for (charset, mode) in charsets() {
        let check = |ahead: &[u8]| {
            // HZ's own continuation of lines is a tilde before the line end.
            if charset == Charset::HZ_GB_2312 && (ahead.ends_with(b"~") || ahead.ends_with(b"~\r"))
            {
                return;
            }
            let input = [ahead, b"\n<"].concat();
            let (text, _) = decode(charset, mode, &input);
            assert!(
                text.ends_with("\n<"),
                "{charset} {mode:?} {ahead:x?} {text:?}"
            );
        };
        for a in 0..=255 {
            check(&[a]);
            if charset.is_single_byte() {
                continue;
            }
            for b in 0..=255 {
                check(&[a, b]);
            }
        }
        // Leniently a superset's machine runs, which has its own turn.
        if charset.is_single_byte() || mode == Mode::Lenient && charset.superset() != charset {
            continue;
        }
        for a in TELLING {
            for b in TELLING {
                for c in TELLING {
                    check(&[*a, *b, *c]);
                }
            }
        }
    }
}

#[test]
fn markup_comes_out_behind_a_byte_beyond_ascii() {
    // Johab's second bytes begin at 31.
    for (charset, mode) in
        charsets().filter(|(c, _)| c.is_ascii_compatible() && *c != Charset::JOHAB)
    {
        for lead in 0x80..=0xFF {
            for ascii in b"<>\"'& \t\r\n\0\x1F" {
                let (text, _) = decode(charset, mode, &[b'x', lead, *ascii]);
                assert!(
                    text.ends_with(char::from(*ascii)),
                    "{charset} {mode:?} {lead:x} {ascii:x}"
                );
                let (text, _) = decode(charset, mode, &[b'x', lead, *ascii, b'y']);
                let joined = *ascii > b' ' || text.ends_with(&format!("{}y", char::from(*ascii)));
                assert!(joined, "{charset} {mode:?} {lead:x} {ascii:x}");
            }
        }
    }
}

#[test]
fn ascii_is_ascii_where_a_charset_says_so() {
    for charset in Charset::all().filter(|c| c.is_ascii_compatible()) {
        for mode in [Mode::Lenient, Mode::Strict] {
            for byte in 0..0x80 {
                let (text, log) = decode(charset, mode, &[byte]);
                assert!(
                    text == char::from(byte).to_string() && log.is_empty(),
                    "{charset} {mode:?} {byte:x}"
                );
            }
        }
        let mut log = LossLog::new();
        assert!(
            matches!(
                charset.decode(b"plain", &mut log),
                std::borrow::Cow::Borrowed(_)
            ),
            "{charset}"
        );
    }
}
