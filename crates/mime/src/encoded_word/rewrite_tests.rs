//! Tests rewriting with examples, with a caller's map of labels, and for its time.
//!
//! # Limits
//!
//! `laws` tests what holds for every value.

use super::law_test_values::KINDS;
use super::rewrite::apply;
use super::rewrite_target::RewriteTarget;
use super::{Form, HeaderContext};
use crate::event::EventKind;
use crate::field_kind::FieldKind;
use crate::header::{decode, rewrite};
use crate::linear::assert_linear;
use crate::policy::CharsetMap;
use crate::test_charsets::charset_named;

#[test]
fn examples() {
    for (kind, value, words, raw) in [
        (
            "u",
            "Re: =?koi8-r?B?8A==?= (1)",
            "Re: =?UTF-8?B?0J8=?= (1)",
            "Re: П (1)",
        ),
        ("u", "=?utf-8?Q?=D0=9F?= a", "=?utf-8?Q?=D0=9F?= a", "П a"),
        ("u", "=?UTF8?Q?=D0=9F?= a", "=?UTF8?Q?=D0=9F?= a", "П a"),
        ("u", "=?utf8mb4?Q?=D0=9F?= a", "=?UTF-8?B?0J8=?= a", "П a"),
        (
            "s",
            "=?ibm-1208?Q?=D0=9F?= <a@b>",
            "=?UTF-8?B?0J8=?= <a@b>",
            "П <a@b>",
        ),
        (
            "u",
            "=?iso-8859-1?Q?Ren=C3=A9e?= a",
            "=?UTF-8?B?UmVuw6ll?= a",
            "Renée a",
        ),
        (
            "s",
            "=?latin1?Q?Ren=C3?= =?latin1?Q?=A9e?= <a@b>",
            "=?UTF-8?B?UmVuw6ll?= <a@b>",
            "Renée <a@b>",
        ),
        (
            "u",
            "Re: \x1B$B%F\x1B(B (1)",
            "Re: =?UTF-8?B?44OG?= (1)",
            "Re: テ (1)",
        ),
        (
            "s",
            "\x1B$B%F\x1B(B <a@b>",
            "=?UTF-8?B?44OG?= <a@b>",
            "テ <a@b>",
        ),
        ("u", "a П b", "a =?UTF-8?B?0J8=?= b", "a П b"),
        ("u", "П  =?utf-8?Q?x?=", "=?UTF-8?B?0J8gIHg=?=", "П  x"),
        (
            "u",
            "=?x-y?Q?=FE?= =?koi8-r?B?8A==?=",
            "=?x-y?Q?=FE?= =?UTF-8?B?0J8=?=",
            "=?x-y?Q?=FE?= П",
        ),
        (
            "s",
            "\"П, x\" <a@b>",
            "=?UTF-8?B?0J8sIHg=?= <a@b>",
            "\"П, x\" <a@b>",
        ),
        (
            "s",
            "=?koi8-r?Q?=F0=2C_x?= <a@b>",
            "=?UTF-8?B?0J8sIHg=?= <a@b>",
            "\"П, x\" <a@b>",
        ),
        ("s", "<П@b> (П)", "<П@b> (=?UTF-8?B?0J8=?=)", "<П@b> (П)"),
        (
            "s",
            "\"=?koi8-r?Q?=F0?=\" <a@b>",
            "=?UTF-8?B?0J8=?= <a@b>",
            "П <a@b>",
        ),
        (
            "o",
            "=?koi8-r?Q?=F0?=",
            "=?koi8-r?Q?=F0?=",
            "=?koi8-r?Q?=F0?=",
        ),
    ] {
        let kind = match kind {
            "u" => FieldKind::Unstructured,
            "s" => FieldKind::Structured,
            _ => FieldKind::Opaque,
        };
        for (form, want) in [(Form::Words, words), (Form::RawUtf8, raw)] {
            let list = rewrite(
                value.as_bytes(),
                kind,
                RewriteTarget {
                    form,
                    column: 9,
                    eol: "\n",
                },
                &HeaderContext::default(),
                &mut Vec::new(),
            );
            assert_eq!(
                String::from_utf8_lossy(&apply(value.as_bytes(), &list)),
                want,
                "{value} {form:?}"
            );
        }
    }
}

#[test]
fn a_label_has_the_meaning_that_the_caller_gives() {
    let mut map = CharsetMap::default();
    map.add("iso-8859-1", charset_named("KOI8-R"));
    let context = HeaderContext {
        map: Some(&map),
        ..HeaderContext::default()
    };
    let value = b"Re: =?iso-8859-1?Q?=F0?=";
    let mut findings = Vec::new();
    assert_eq!(
        decode(value, FieldKind::Unstructured, &context, &mut findings),
        "Re: \u{41f}"
    );
    assert_eq!(findings[0].kind, EventKind::CharsetMapped);
    let list = rewrite(
        value,
        FieldKind::Unstructured,
        RewriteTarget {
            form: Form::RawUtf8,
            column: 9,
            eol: "\n",
        },
        &context,
        &mut Vec::new(),
    );
    assert_eq!(apply(value, &list), "Re: \u{41f}".as_bytes());
    let list = rewrite(
        value,
        FieldKind::Unstructured,
        RewriteTarget {
            form: Form::Words,
            column: 9,
            eol: "\n",
        },
        &context,
        &mut Vec::new(),
    );
    assert_eq!(apply(value, &list), b"Re: =?UTF-8?B?0J8=?=");
}

#[test]
fn long_input_is_rewritten_in_linear_time() {
    let units: [&[u8]; 18] = [
        "\u{fc} ".as_bytes(),
        b"=?koi8-r?Q?=F0?= ",
        b"=?koi8-r?Q?=F0?= x ",
        "(\u{fc}".as_bytes(),
        "\"\u{fc}\" ".as_bytes(),
        b"=?",
        b"=?utf-7?Q?+Jg?= ",
        "; a=\u{fc}".as_bytes(),
        // Folds that may stand within characters.
        b"\x80 ",
        b"\xC3 \x80 ",
        b"\xC3\n \x80",
        b"a\xB9\n \xD0",
        b"=?utf-8?Q?=C3=\n =BC?=",
        b"\xE6\x96\xB0\xE6\n \x9C\xAC",
        b"\xB9\xAB\xCB\xBE\xD7\n \xEE\xD0\xC2 ",
        // Soft breaks before digits, within one word.
        b"=\n a0",
        b"=\n e9x",
        b"=\n 21x",
    ];
    for unit in units {
        for kind in KINDS {
            assert_linear(&(unit.escape_ascii().to_string(), kind), 20_000, |n| {
                let value = match unit {
                    [b'=', b'\n', ..] => [b"=?utf-8?Q?", &unit.repeat(n)[..], b"?="].concat(),
                    _ => unit.repeat(n),
                };
                let context = HeaderContext::default();
                let _ = rewrite(
                    &value,
                    kind,
                    RewriteTarget {
                        form: Form::Words,
                        column: 9,
                        eol: "\n",
                    },
                    &context,
                    &mut Vec::new(),
                );
            });
        }
    }
}
