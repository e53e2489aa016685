//! Text without a label has a defined reading if the crate is built without its feature `detect`.
//!
//! Run it with `cargo test -p mailglot-mime --no-default-features --test without_detection`.
#![cfg(not(feature = "detect"))]
#![allow(clippy::unwrap_used)]

use mailglot_mime::codec::{Charset, detect};
use mailglot_mime::{Detection, How, Mail, Policy};

/// Decodes a body without a label.
fn read(body: &[u8], policy: Policy) -> (String, Charset, How) {
    let raw = [b"MIME-Version: 1.0\n\n", body].concat();
    let mail = Mail::parse_with(&raw, policy);
    let text = mail.texts().remove(0).into_owned();
    (text.as_str().to_owned(), text.charset(), text.reading.how)
}

#[test]
fn text_without_a_label_is_read_by_rules() {
    assert_eq!(Policy::default().detection, Detection::Off);
    let russian = b"\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0";
    let (text, used, how) = read(russian, Policy::default());
    assert_eq!(
        (&*text, used, how),
        ("Ïðèâåò, ìèð", Charset::WINDOWS_1252, How::Fallback)
    );
    let hinted = Policy::default().default_charset(Charset::WINDOWS_1251);
    assert_eq!(read(russian, hinted).0, "Привет, мир");
    assert_eq!(
        read("Привет".as_bytes(), Policy::default()).1,
        Charset::UTF_8
    );
    let japanese = read(b"\x1b$B$3$s$K$A$O\x1b(B", Policy::default());
    assert_eq!(
        (&*japanese.0, japanese.1),
        ("こんにちは", Charset::ISO_2022_JP)
    );
}

/// No function needs the models, whatever a policy asks for.
#[test]
fn every_question_has_an_answer() {
    let mut state = 7_u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    for length in 0..200 {
        let bytes: Vec<u8> = (0..length).map(|_| byte()).collect();
        let wide: Vec<u8> = bytes.iter().flat_map(|b| [*b, 0x4E]).collect();
        for bytes in [&bytes, &wide] {
            for label in Charset::all() {
                let head = format!(
                    "Subject: =?{label}?Q?=E4=C1=F2?= \u{e4}\nContent-Type: text/html; charset={label}\n\n"
                );
                let raw = [head.as_bytes(), bytes].concat();
                if label.index() % 16 == length % 16 {
                    let mail = Mail::parse_with(
                        &raw,
                        Policy::default().detection(Detection::Contradiction),
                    );
                    assert_eq!(mail.texts().len(), 1);
                    let _ = (
                        mail.subject(),
                        mail.normalize(&Policy::default().detection(Detection::Unlabelled)),
                    );
                }
                assert_eq!(detect::rival(bytes, label, &detect::Hints::default()), None);
            }
            assert_eq!(
                detect::detect_top(bytes, &detect::Hints::default(), 3).len(),
                1
            );
        }
    }
}
