//! Which charsets give every byte back, and that they do so for any sequence of bytes.

use mailglot_codec::{Charset, LossLog, Unmappable};

#[test]
fn reversible_charsets_give_any_bytes_back() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut reversible = 0;
    for charset in Charset::all().filter(|c| c.comes_back()) {
        assert!(charset.is_single_byte(), "{charset}");
        reversible += 1;
        for _ in 0..200 {
            let bytes: Vec<u8> = (0..97)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    (state >> 32) as u8
                })
                .collect();
            let mut log = LossLog::new();
            let text = charset.decode(&bytes, &mut log).into_owned();
            if log.is_empty() {
                let back = charset
                    .superset()
                    .encode(&text, Unmappable::Skip, &mut log)
                    .into_owned();
                assert_eq!(back, bytes, "{charset}");
                assert!(log.is_empty(), "{charset}");
            }
        }
    }
    assert!(reversible >= 25, "{reversible} charsets");
    for charset in [
        Charset::ISO_8859_1,
        Charset::WINDOWS_1252,
        Charset::KOI8_R,
        Charset::ISO_8859_2,
    ] {
        assert!(charset.comes_back(), "{charset}");
    }
    for charset in [
        Charset::UTF_8,
        Charset::UTF_7,
        Charset::ISO_2022_JP,
        Charset::SHIFT_JIS,
    ] {
        assert!(!charset.comes_back(), "{charset}");
    }
}
