//! Tests the decoded text of field values.

use super::*;
use crate::encoded_word::{charsets, decode_text, is_control};
use crate::event::EventKind;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mailglot_codec::{LossLog, Unmappable};

fn read(value: &[u8], kind: FieldKind) -> (String, Vec<&'static str>) {
    let mut findings = Vec::new();
    let text = decode(value, kind, &HeaderContext::default(), &mut findings).into_owned();
    (text, findings.iter().map(|f| f.kind.code()).collect())
}

fn text(value: &str) -> String {
    read(value.as_bytes(), FieldKind::Unstructured).0
}

#[test]
fn languages_are_reported() {
    for (tag, detail) in [
        ("de-AT", Some("de-AT")),
        ("EN ", Some("EN")),
        ("", None),
        ("d_e", Some("")),
    ] {
        let value = format!("=?utf-8*{tag}?Q?x?= =?iso-8859-1?Q?y?=");
        let mut findings = Vec::new();
        decode_text(value.as_bytes(), &HeaderContext::default(), &mut findings);
        let notes = findings
            .iter()
            .filter(|f| f.kind == EventKind::EwLanguage)
            .map(|f| (f.detail.to_string(), f.at.start));
        assert_eq!(
            notes.collect::<Vec<_>>(),
            detail
                .map(|d| (d.to_owned(), 0))
                .into_iter()
                .collect::<Vec<_>>(),
            "{value}"
        );
    }
    let long = format!("=?utf-8*{}?Q?x?=", "x".repeat(40));
    assert_eq!(
        read(long.as_bytes(), FieldKind::Unstructured),
        ("x".into(), vec!["ew.language"])
    );
}

#[test]
fn words_decode_as_senders_intended() {
    for (value, want) in [
        ("=?utf-8?B?5pel5pw=?= =?utf-8?B?rOiqng==?=", "日本語"),
        ("=?UTF-8?Q?Gr=C3?= =?utf8?B?tsOfZQ==?=", "Größe"),
        ("(=?utf-8?q?=C3=A9?=) x=?utf-8?q?=C3=A9?=y", "(é) xéy"),
        ("=?utf-8?Q?a?= =?koi8-r?B?8A==?= b", "aП b"),
        (
            "=?utf-8?Q?a?= \r\n =?x-gibberish?Q?=FE?= =?utf-8?Q?c?=",
            "a  =?x-gibberish?Q?=FE?= c",
        ),
        (
            "=?utf-8?B?SGVsbG8g?= =?utf-8?B?d29ybGQ?= !",
            "Hello world !",
        ),
        ("=?utf-8?B?SGVsb?= =?utf-8?B?G8=?=", "Hello"),
        (
            "=?X-IAS-German?B?U3VibWl0IHlvdXIgdGF4IHJlZnVuZA==?=",
            "Submit your tax refund",
        ),
        ("=?foo-bar?Q?caf=C3=A9?= =?foo-bar?Q?bar?=", "cafébar"),
        // Words are decoded or kept together.
        (
            "=?foo-bar?Q?caf=E9?= =?foo-bar?Q?bar?= =?foo?Q?a?=",
            "=?foo-bar?Q?caf=E9?= =?foo-bar?Q?bar?= =?foo?Q?a?=",
        ),
        (
            "=?foo-bar?Q?bar?= =?foo-bar?Q?caf=E9?= x =?foo?Q?a?=",
            "=?foo-bar?Q?bar?= =?foo-bar?Q?caf=E9?= x a",
        ),
        // Escape sequences of ISO-2022-JP need no label, in either order.
        ("=?foo?B?GyRCRnxLXBsoQg==?= =?foo?Q?abc?=", "日本abc"),
        ("=?foo?Q?abc?= =?foo?B?GyRCRnxLXBsoQg==?=", "abc日本"),
        ("=?foo-bar?Q?x=00?=", "=?foo-bar?Q?x=00?="),
        ("=?foo-bar?Q?caf+AOk-?=", "=?foo-bar?Q?caf+AOk-?="),
        ("=?foo-bar?Q??=", "=?foo-bar?Q??="),
        ("=?utf-8?Q?caf=C3=?= =?utf-8?Q?A9?=", "café"),
        ("=?utf-8?Q?caf=C3=A?= =?utf-8?Q?9s?=", "cafés"),
        (
            "=?iso-8859-1?Q?Gr=FC=DFe_aus_K=?= =?iso-8859-1?Q?F6ln?=",
            "Grüße aus Köln",
        ),
        (
            "=?UTF-8?Q?J=C3=B6rg_M=C3=BCller_=E2=80=?=\r\n =?UTF-8?Q?93_Verkauf?=",
            "Jörg Müller – Verkauf",
        ),
        // Letters and digits need no escape, and another charset or encoding no byte.
        ("=?utf-8?Q?1+1=?= =?utf-8?Q?42?=", "1+1=42"),
        // Only damage has the byte FF alone.
        ("=?utf-8?Q?a=FFb?=", "a\u{FFFD}b"),
        ("=?utf-8?Q?caf=E9s?=", "cafés"),
        ("=?utf-8?Q?1+1=?= =?utf-8?Q?C4x?=", "1+1=C4x"),
        ("=?utf-8?Q?1+1=?= =?iso-8859-1?Q?F6?=", "1+1=F6"),
        ("=?utf-8?Q?1+1=?= =?utf-8?B?QzQ=?=", "1+1=C4"),
        ("=?iso-8859-1?Q?1+1=?= x =?iso-8859-1?Q?F6?=", "1+1= x F6"),
        ("=?utf-8?B?w7w?= =?utf-8?B?w7w?=", "üü"),
        ("=?iso-8859-1?Q?=805?=", "€5"),
        ("=?us-ascii?Q?na=C3=AFve?=", "naïve"),
        ("=?unknown-8bit?Q?na=C3=AFve?=", "naïve"),
        (
            "=?utf-8?B?\u{e4}\u{f6}\u{fc} a?=",
            "=?utf-8?B?\u{e4}\u{f6}\u{fc} a?=",
        ),
        ("=?utf-8?B?w6Q", "=?utf-8?B?w6Q"),
        ("=?utf-8?Q?a=0D=0AX:_b=00?=", "a  X: b "),
        ("=?utf-8?B?PT9VVEYtOD9RP3g/PQ==?=", "=?UTF-8?Q?x?="),
        ("=?utf-16?B?/v8AYQ==?= =?utf-16?B?/v8AYg==?=", "ab"),
        (
            "=?utf-16?B?/v8AYQ==?= =?utf-16?B?//5iAA==?= =?utf-16?B?YwA=?= =?utf-16?B?/v8AZA==?=",
            "abcd",
        ),
        ("=?utf-32?B?AAD+/wAAAGE=?= =?utf-32?B?//4AAGIAAAA=?=", "ab"),
        (
            "=?utf-16?Q??= =?utf-16?B?//4RYg==?= =?utf-16?B?5WUsZw==?=",
            "我日本",
        ),
        ("=?utf-7?Q?+AOQ-x?= =?utf-7?Q?+AOQ-?=", "äxä"),
        ("=?utf-7?B?K0FP?= =?utf-7?B?US0=?=", "ä"),
        (
            "=?iso-2022-jp?B?GyRCRnwbKEI=?= =?iso-2022-jp?B?GyRCS1wbKEI=?=",
            "日本",
        ),
        (
            "=?iso-2022-jp?B?GyRCRnw=?= =?iso-2022-jp?B?S1wbKEI=?=",
            "日本",
        ),
        ("a\r\n\tb\r\n", "a b"),
        ("", ""),
    ] {
        assert_eq!(text(value), want, "{value:?}");
    }
}

#[test]
fn byte_order_marks_between_words_are_dropped_in_all_wide_charsets() {
    let encode = |charset: Charset, text: &str| {
        let mut log = LossLog::new();
        charset
            .encode(text, Unmappable::Skip, &mut log)
            .into_owned()
    };
    let is_form = |c: &Charset| c.is_unicode() && c.is_wide();
    let mut count = 0;
    for charset in Charset::all().filter(is_form) {
        let word = |letter: &str| {
            // Encoders write a byte order mark if the charset leaves the byte order open.
            let letter = encode(charset, letter);
            let is_open = [Charset::UTF_16, Charset::UTF_32].contains(&charset.superset());
            let bytes = if is_open {
                letter
            } else {
                [encode(charset.superset(), "\u{FEFF}"), letter].concat()
            };
            format!("=?{charset}?B?{}?=", STANDARD.encode(bytes))
        };
        let value = ["a", "b", "c"].map(word).join(" ");
        assert_eq!(text(&value), "abc", "{value}");
        count += 1;
    }
    assert!(count > 15, "{count}");
}

#[test]
fn utf8_is_decoded_under_any_label() {
    let (utf8, split, raw) = ("charset.utf8-in-legacy", "ew.split-char", "ew.raw8bit");
    for (value, want, codes) in [
        (
            "=?iso-8859-1?Q?Ren=C3=A9e_M=C3=BCller?=",
            "Renée Müller",
            vec![utf8],
        ),
        ("=?windows-1251?B?0J/RgNC40LLQtdGC?=", "Привет", vec![utf8]),
        (
            "=?iso-8859-1?Q?Ren=C3=A9e?= =?windows-1251?B?0J/RgNC40LLQtdGC?=",
            "RenéeПривет",
            vec![utf8, utf8],
        ),
        // A sequence may be cut; a run counts as a whole.
        (
            "=?iso-8859-1?Q?Ren=C3?= =?iso-8859-1?Q?=A9e?=",
            "Renée",
            vec![utf8],
        ),
        (
            "=?windows-1251?Q?=D0=9F?= =?windows-1251?Q?=D1=80?=",
            "Пр",
            vec![utf8],
        ),
        (
            "=?windows-1251?Q?=D0=9F?= x =?windows-1251?Q?=D0=9F?=",
            "Рџ x Рџ",
            vec![],
        ),
        ("=?iso-2022-jp?B?5pel5pys?=", "日本", vec![utf8]),
        ("=?us-ascii?Q?na=C3=AFve?= é", "naïve é", vec![utf8, raw]),
        ("=?utf-8?Q?na=C3?= =?utf-8?Q?=AFve?=", "naïve", vec![split]),
        ("=?iso-8859-1?Q?na=EFve?=", "naïve", vec![]),
        (
            "=?iso-8859-1?Q?caf=E9?= =?iso-8859-1?Q?_na=C3=AFf?=",
            "café naÃ¯f",
            vec!["ew.repairable"],
        ),
        ("=?gb2312?B?xOO6ww==?=", "你好", vec![]),
        ("=?gb2312?B?5Lya6K6u6YCa55+l?=", "会议通知", vec![utf8]),
        ("=?koi8-r?B?8NLJ18XU?=", "Привет", vec![]),
    ] {
        for kind in [FieldKind::Unstructured, FieldKind::Structured] {
            assert_eq!(
                read(value.as_bytes(), kind),
                (want.to_owned(), codes.clone()),
                "{value}"
            );
        }
    }
    let mut findings = Vec::new();
    let value = b"ab =?iso-8859-1?Q?Ren=C3=A9e?= =?iso-8859-1?Q?x?= d";
    let _ = decode(
        value,
        FieldKind::Unstructured,
        &HeaderContext::default(),
        &mut findings,
    );
    assert_eq!(
        (findings[0].at.clone(), findings[0].detail.to_string()),
        (3..49, "ISO-8859-1 read as UTF-8".to_owned())
    );
}

#[test]
fn lines_are_values_or_text() {
    for (input, want) in [
        ("", ""),
        (" a =?utf-8?Q?b?= ", " a b "),
        (" a =?utf-8?Q?b?= \r\n", "a b"),
        (" a\n =?utf-8?Q?_b?=\n", "a  b"),
        ("\n", ""),
        ("a\r\nb", "a\r\nb"),
        ("=?utf-8?Q?a?=\n=?utf-8?Q?b?= \n\n", "ab \n\n"),
        ("=?utf-8?Q?a?= x\n=?utf-8?Q?b?=\n\n", "a x\nb\n\n"),
        ("a\n b\r\nc\r\n", "a b\r\nc\r\n"),
    ] {
        let context = HeaderContext::default();
        let got = decode_lines(
            input.as_bytes(),
            FieldKind::Unstructured,
            &context,
            &mut Vec::new(),
        );
        assert_eq!(got, want, "{input:?}");
    }
    let mut findings = Vec::new();
    let value = b"x\n  =?utf-8?Q?=FF?=\ny =?utf-8?Q?=FF?=\n";
    let _ = decode_lines(
        value,
        FieldKind::Unstructured,
        &HeaderContext::default(),
        &mut findings,
    );
    let notes: Vec<_> = findings.iter().map(|f| &value[f.at.clone()]).collect();
    assert_eq!(notes, [b"=?utf-8?Q?=FF?="; 2]);
}

#[test]
fn damage_stays_where_it_is() {
    for (value, want) in [
        (
            "=?utf-8?Q?=9F=91=A9=E2=80=8D=F0=9F=91=A7?=",
            "\u{fffd}\u{fffd}\u{fffd}\u{200d}\u{1f467}",
        ),
        ("=?utf-8?Q?an_die_B=C3?=", "an die B\u{fffd}"),
        ("=?utf-8?Q?=BCr?=", "\u{fffd}r"),
        ("=?utf-8?q?=CF=81=CE!=B1?=", "ρ\u{fffd}!\u{fffd}"),
        ("=?gbk?q?x=fe?= =?gbk?Q?=d6=f7=cc=e2?=", "x\u{fffd}主题"),
        ("=?big5?q?x=fe?= =?big5?Q?=a4=a4=a4=e5?=", "x\u{fffd}中文"),
        ("=?shift_jis?q?x=83?= =?shift_jis?Q?=83=8b?=", "x\u{fffd}ル"),
        (
            "=?euc-kr?q?x=be?= =?euc-kr?Q?=be=c8=b3=e7?=",
            "x\u{fffd}안녕",
        ),
        // A split character beside a damaged one.
        (
            "=?gbk?q?=fe?= =?gbk?Q?=d6=f7=cc?= =?gbk?Q?=e2?=",
            "\u{fffd}主题",
        ),
        ("=?iso-8859-15?b?aW=U=?=", "ie"),
        ("=?UTF-16?B?MEIwRDBGMEgwSg==?=", "あいうえお"),
        ("=?utf-16?B?Z05XZA==?=", "李坤"),
        ("=?utf-16?Q?Hello_World?=", "Hello World"),
        ("=?iso-8859-1?Q?_=20=e1=e2=E3=09=E4?=", "  áâã ä"),
    ] {
        let (text, codes) = read(value.as_bytes(), FieldKind::Unstructured);
        assert_eq!(text, want, "{value}");
        assert_eq!(
            codes.contains(&"charset.invalid-bytes"),
            want.contains('\u{fffd}'),
            "{value} {codes:?}"
        );
    }
}

#[test]
fn raw_bytes_do_not_stop_words() {
    assert_eq!(text("Grüße =?iso-8859-1?Q?aus_K=F6ln?="), "Grüße aus Köln");
    let context = HeaderContext {
        raw: Charset::for_name("KOI8-R"),
        ..HeaderContext::default()
    };
    let value = b"\xF0\xD2 =?utf-8?Q?=C3=A9?= \xC3\xA9";
    assert_eq!(
        decode(value, FieldKind::Unstructured, &context, &mut Vec::new()),
        "Пр é é"
    );
    let words = b"\xF0 =?koi8-r?Q?=F0?=";
    assert_eq!(read(words, FieldKind::Unstructured).0, "П П");
}

#[test]
fn structured_fields_keep_their_addresses() {
    for (value, want) in [
        (
            "=?utf-8?Q?=C3=A9?= <=?utf-8?Q?a?=@b.example>",
            "é <=?utf-8?Q?a?=@b.example>",
        ),
        ("=?utf-8?Q?a?=@b.example", "=?utf-8?Q?a?=@b.example"),
        (
            "\"=?utf-8?Q?=C3=A9,?= \\\"x\\\"\" <a@b.example>",
            "é, \"x\" <a@b.example>",
        ),
        (
            "a@b.example (=?utf-8?Q?=C3=A9?= (x))",
            "a@b.example (é (x))",
        ),
    ] {
        assert_eq!(
            read(value.as_bytes(), FieldKind::Structured).0,
            want,
            "{value}"
        );
    }
    assert_eq!(read(b"=?utf-8?Q?a?=", FieldKind::Opaque).0, "=?utf-8?Q?a?=");
    let params = read(
        b"Text/Plain; NAME=\"=?utf-8?Q?=C3=A9?=\"",
        FieldKind::Parameters,
    )
    .0;
    assert_eq!(params, "text/plain; name=\"é\"");
}

#[test]
fn findings_are_reported() {
    for (value, want) in [
        ("=?utf-8?Q?a?=", vec![]),
        ("=?utf-8?Q?=C3=B6=FF?=", vec!["charset.invalid-bytes"]),
        ("=?utf-8?Q?=FF?=", vec!["charset.invalid-bytes"]),
        ("=?utf-8?Q?caf=E9?=", vec!["charset.legacy-in-utf8"]),
        ("=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=", vec!["ew.split-char"]),
        (
            "=?iso-2022-jp?Q?=1B$BF?= =?iso-2022-jp?Q?|K=5C=1B(B?=",
            vec!["ew.split-char"],
        ),
        (
            "=?iso-2022-jp?Q?=1B$BF|?= =?iso-2022-jp?Q?K=5C=1B(B?=",
            vec![],
        ),
        (
            "=?utf-16be?Q?=00a=00?= =?utf-16be?Q?b?=",
            vec!["ew.split-char"],
        ),
        ("=?utf-8?B?SGVsb?=", vec!["ew.bad-token"]),
        // The remaining text does not become part of an invalid word.
        (
            "=?utf-8?B?SGVsb?= =?utf-8?B?~~~~?=",
            vec!["ew.bad-token", "ew.bad-token"],
        ),
        ("=?x-gibberish?Q?a?=", vec!["charset.unknown-label"]),
        ("=?x-gibberish?Q?=FE?=", vec!["charset.unknown-label"]),
        ("=?x-gibberish?Q?=C3=A9?=", vec!["charset.unknown-label"]),
        (
            "=?iso-8859-1?Q?K=?= =?iso-8859-1?Q?F6ln?=",
            vec!["ew.bad-token"],
        ),
        ("=?utf8?Q?a?=", vec!["charset.alias"]),
        ("=?iso-8859-1?Q?=80?=", vec!["charset.superset"]),
        ("=?utf-8?B?w6k?=", vec!["ew.bad-token"]),
        ("x=?utf-8?Q?a?=", vec!["ew.glued"]),
        ("é", vec!["ew.raw8bit"]),
        ("=?utf-8?Q?=07?=", vec!["ew.control-char"]),
    ] {
        assert_eq!(
            read(value.as_bytes(), FieldKind::Unstructured).1,
            want,
            "{value}"
        );
    }
    let quoted = read(b"\"=?utf-8?Q?a?=\" <b@c.example>", FieldKind::Structured).1;
    assert_eq!(quoted, ["ew.in-quotes"]);
}

#[test]
fn every_control_of_raw_text_is_reported() {
    for c in ('\0'..='\x1F')
        .chain('\x7F'..='\u{9F}')
        .chain(['\u{2028}', '\u{2029}'])
    {
        let notes = !matches!(c, '\t' | '\n' | '\r');
        for value in [format!("x{c}b"), format!("x é{c}b"), format!("x{c} b")] {
            for kind in [
                FieldKind::Unstructured,
                FieldKind::Structured,
                FieldKind::Phrases,
            ] {
                let (text, codes) = read(value.as_bytes(), kind);
                assert!(!text.contains(is_control), "{value:?}");
                assert_eq!(
                    codes.contains(&"ew.control-char"),
                    notes,
                    "{value:?} {kind:?}"
                );
            }
        }
    }
    let codes = |value: &str| read(value.as_bytes(), FieldKind::Parameters).1;
    assert!(codes("a; name=\"x\u{85}b\"").contains(&"ew.control-char"));
    for fold in ["x\r\n b", "x\n\tb", "x\r\r\n b", "x b\r\n", "x\tb"] {
        assert_eq!(
            read(fold.as_bytes(), FieldKind::Unstructured).1,
            Vec::<&str>::new(),
            "{fold:?}"
        );
    }
}

#[test]
fn base64_may_be_cut_anywhere_and_often() {
    for (text, charset) in [
        ("т123", "utf-8"),
        ("タカナ", "utf-16be"),
        ("日本語 x", "utf-8"),
        ("Привет!", "koi8-r"),
    ] {
        let resolved = Charset::for_label(charset.as_bytes(), View::Mail)
            .charset()
            .unwrap();
        let bytes = resolved
            .encode_exact(text)
            .expect("the charset has every character")
            .into_owned();
        let whole = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
        for first in 1..whole.len() {
            for second in first + 1..whole.len() {
                let pieces = [&whole[..first], &whole[first..second], &whole[second..]];
                let words = pieces
                    .map(|piece| format!("=?{charset}?B?{piece}?="))
                    .join(" ");
                let (got, codes) = read(words.as_bytes(), FieldKind::Unstructured);
                let lost = codes.iter().any(|code| {
                    matches!(*code, "charset.invalid-bytes" | "charset.legacy-in-utf8")
                });
                assert_eq!(got, text, "{words}");
                assert!(!lost, "{words} {codes:?}");
            }
        }
    }
}

#[test]
fn findings_point_at_words() {
    let mut findings = Vec::new();
    let value = b"ab =?utf-8?Q?c?= =?utf-8?Q?=C3=B6=C3=BC=FF=FF?= d";
    let _ = decode(
        value,
        FieldKind::Unstructured,
        &HeaderContext::default(),
        &mut findings,
    );
    assert_eq!(findings.len(), 1);
    assert_eq!(
        (&value[findings[0].at.clone()], findings[0].count),
        (&b"=?utf-8?Q?=C3=B6=C3=BC=FF=FF?="[..], 2)
    );
}

#[test]
fn charsets_of_words() {
    let list = charsets(b"=?utf-8?Q?a?= =?x-gibberish?Q?=FE?= =?koi8-r?Q?c?=");
    assert_eq!(
        list.iter().map(|c| c.name()).collect::<Vec<_>>(),
        ["UTF-8", "KOI8-R"]
    );
}

#[test]
fn only_comments_of_list_fields_are_decoded() {
    let context = HeaderContext::default();
    for (value, want) in [
        (
            "<mailto:o@example.org> (=?iso-8859-2?Q?=A3ukasz?=)",
            "<mailto:o@example.org> (Łukasz)",
        ),
        (
            "<http://a/?=?utf-8?Q?b?=> (c =?utf-8?Q?d?=), <mailto:e@f>",
            "<http://a/?=?utf-8?Q?b?=> (c d), <mailto:e@f>",
        ),
        ("NO (=?utf-8?Q?=C3=BC?=)", "NO (ü)"),
        // A URI without angle brackets, a comment without an end, a word outside comments.
        ("http://a/b_(=?utf-8?Q?c?=)", "http://a/b_(=?utf-8?Q?c?=)"),
        ("<http://a> (=?utf-8?Q?c?=", "<http://a> (=?utf-8?Q?c?="),
        ("=?utf-8?Q?c?= <http://a>", "=?utf-8?Q?c?= <http://a>"),
    ] {
        let kind = crate::header::field_kind(b"List-Owner");
        let read = decode(value.as_bytes(), kind, &context, &mut Vec::new());
        assert_eq!(read, want, "{value}");
    }
}
