//! Encoders against `encoding_rs`, and against the decoders.

use encoding_rs::Encoding;
use mailglot_codec::{Charset, LossKind, LossLog, Unmappable};

/// Characters that WHATWG does not encode and that the codec encodes in an equivalent spelling: 104 letters of Vietnamese in windows-1258, and signs.
const SPELLED: u32 = 104 + 36;

#[test]
fn encoders_agree_with_whatwg() {
    let (mut beyond, mut spelled) = (0, 0);
    for charset in Charset::all().filter(|c| c.superset() == *c) {
        let Some(encoding) = Encoding::for_label(charset.name().as_bytes()) else {
            continue;
        };
        if charset.is_stateful() || charset == Charset::UTF_8 || charset == Charset::US_ASCII {
            continue;
        }
        for c in '\u{80}'..='\u{3FFFF}' {
            // Its C1 controls would be read as letters of windows-1255.
            if charset == Charset::ISO_8859_8 && c < '\u{A0}' {
                continue;
            }
            let text = c.encode_utf8(&mut [0; 4]).to_owned();
            let mut log = LossLog::new();
            let bytes = charset.encode(&text, Unmappable::Skip, &mut log);
            let (theirs, _, damaged) = encoding.encode(&text);
            // Japanese sets that WHATWG reads are written, too.
            let more = damaged
                && matches!(charset, Charset::EUC_JP | Charset::WINDOWS_31J)
                && log.is_empty();
            if more {
                beyond += 1;
                assert_eq!(
                    charset.decode(&bytes, &mut log),
                    text,
                    "{charset} {bytes:x?}"
                );
                continue;
            }
            // So are the twins of what they have, and letters by base and tone.
            if damaged && log.count(LossKind::Substituted) == 1 {
                spelled += 1;
                continue;
            }
            assert_eq!(log.losses() > 0, damaged, "{charset} {c:?}");
            if damaged {
                assert_eq!(log.kept()[0].bytes, 0..text.len() as u64);
                continue;
            }
            assert_eq!(bytes, theirs, "{charset} {c:?}");
            if log.is_empty() {
                assert_eq!(
                    charset.decode(&bytes, &mut log),
                    text,
                    "{charset} {bytes:x?}"
                );
                assert!(log.is_empty());
            }
        }
    }
    // JIS X 0212 without what JIS X 0208 and its vendor rows have, and the private characters of ten lead bytes.
    assert_eq!(beyond, 5786 + 1880);
    assert_eq!(spelled, SPELLED);
}

#[test]
fn unicode_charsets_encode_every_character() {
    let all: String = ('\0'..=char::MAX).collect();
    for charset in Charset::all() {
        let unicode = [
            "UTF-",
            "CESU",
            "ISO-10646",
            "ISO-Unicode",
            "UNICODE",
            "SCSU",
            "BOCU",
        ];
        if !unicode.iter().any(|p| charset.name().starts_with(p)) {
            continue;
        }
        // UCS-2 and its parts end where they end.
        if charset.superset() != charset && charset.superset().name().starts_with("UTF-16") {
            continue;
        }
        // No mailbox name holds NUL.
        let first = usize::from(charset == Charset::UTF_7_IMAP);
        let all = &all[first..];
        let mut log = LossLog::new();
        let bytes = charset.encode(all, Unmappable::Skip, &mut log);
        assert!(charset.decode(&bytes, &mut log) == all, "{charset}");
        assert!(
            log.kept().iter().all(|l| l.kind == LossKind::ByteOrderMark),
            "{charset} {log:?}"
        );
        for c in ('\0'..='\u{2FFFF}').skip(first) {
            // At the start these are byte order marks; in the text they were tested above.
            if matches!(c, '\u{FEFF}' | '\u{FFFE}') {
                continue;
            }
            let text = String::from(c);
            let mut log = LossLog::new();
            let bytes = charset.encode(&text, Unmappable::Skip, &mut log);
            assert_eq!(
                charset.decode(&bytes, &mut log),
                text,
                "{charset} {bytes:x?}"
            );
        }
    }
}

#[test]
fn utf8_and_ascii_are_decoded_without_a_copy() {
    use std::borrow::Cow;
    for charset in Charset::all() {
        let mut log = LossLog::new();
        let plain = "Plain text, 100 %.\r\n";
        let text = charset.decode(plain.as_bytes(), &mut log);
        // Where ASCII is not ASCII, these bytes may still be.
        let known = !charset.is_single_byte() || charset.is_ascii_compatible();
        assert_eq!(
            matches!(text, Cow::Borrowed(_)),
            known && text == plain && log.is_empty(),
            "{charset}"
        );
    }
    let mut log = LossLog::new();
    assert!(matches!(
        Charset::UTF_8.decode("日本".as_bytes(), &mut log),
        Cow::Borrowed(_)
    ));
    assert!(matches!(
        Charset::UTF_8.decode(b"\xEF\xBB\xBFa", &mut log),
        Cow::Owned(_)
    ));
}

#[test]
fn iso_2022_jp_is_written_as_whatwg_writes_it() {
    let mut log = LossLog::new();
    for c in ('\0'..='\u{FFFF}').filter(|c| !matches!(c, '\r' | '\n')) {
        let text = format!("a{c}b\u{A5}あ{c}");
        let bytes = Charset::ISO_2022_JP.encode(&text, Unmappable::HtmlDecimal, &mut log);
        if matches!(c, '\x0E' | '\x0F' | '\x1B') {
            assert!(!bytes.contains(&(c as u8)) || c == '\x1B');
            continue;
        }
        assert_eq!(bytes, encoding_rs::ISO_2022_JP.encode(&text).0, "{c:?}");
    }
}

#[test]
fn text_encoded_without_a_loss_is_decoded_again() {
    let characters: Vec<char> = ('\0'..='\u{FFFF}')
        .chain('\u{1F600}'..='\u{1F640}')
        .collect();
    for charset in Charset::all() {
        for window in characters.chunks(7) {
            let text: String = window.iter().collect();
            let whole = format!("a{text}b\n{text}~+");
            let mut log = LossLog::new();
            let bytes = charset.encode(&whole, Unmappable::Skip, &mut log);
            if log.is_empty() {
                let back = charset.decode(&bytes, &mut log);
                // A CR or LF between the characters ends lines where it stands.
                assert!(back == whole, "{charset} {whole:?} {bytes:x?} {back:?}");
                continue;
            }
            // Without what it cannot carry, the rest is as good.
            let mut kept = String::new();
            let mut at = 0;
            for loss in log.kept().iter().filter(|l| l.kind == LossKind::Unmappable) {
                kept.push_str(&whole[at..loss.bytes.start as usize]);
                at = loss.bytes.end as usize;
            }
            kept.push_str(&whole[at..]);
            if log.count(LossKind::Substituted) == 0 {
                assert!(
                    charset.decode(&bytes, &mut LossLog::new()) == kept,
                    "{charset} {whole:?}"
                );
            }
        }
    }
}
