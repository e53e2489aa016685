//! Tests the laws of rewriting on written values, corpus values, and seeded mutants of both.

use super::rewrite::{Rewriting, apply};
use super::rewrite_target::RewriteTarget;
use super::{Encoding, Form, HeaderContext, Place, Repairs, encode, rewrite_usual};
use crate::CharsetMap;
use crate::charset_choice::LabelScope;
use crate::event::EventKind;
use crate::event::Reason;
use crate::header::{FieldKind, decode, rewrite};
use crate::linear::assert_linear;
use crate::random::Random;
use base64::Engine;
use mailglot_codec::Charset;
use std::fs;

const KINDS: [FieldKind; 4] = [
    FieldKind::Unstructured,
    FieldKind::Structured,
    FieldKind::Parameters,
    FieldKind::Opaque,
];
const FORMS: [Form; 2] = [Form::Words, Form::RawUtf8];

const PIECES: [&[u8]; 84] = [
    b" ",
    b" ",
    b"\r\n ",
    b"\t",
    b"  ",
    b"a",
    b"word",
    b"=?",
    b"?=",
    b"?",
    b"=",
    b"\"",
    b"(",
    b")",
    b"<",
    b">",
    b"<a@b.example>",
    b"x@y.example",
    b"@",
    b",",
    b";",
    b"\\",
    b"=?utf-8?Q?=C3=BC?=",
    b"=?utf-8?Q?=C3?=",
    b"=?utf-8?Q?=BC?=",
    b"=?UTF-8?B?w7w=?=",
    b"=?UTF-8?B?w7w?=",
    b"=?utf-8?B?w7w?x?=",
    b"=?utf-8?Q?a,_\"b\"?=",
    b"=?utf-8?Q?_?=",
    b"=?utf-8?Q??=",
    b"=?utf-8?Q?=3D=3Futf-8=3FQ=3Fx=3F=3D?=",
    b"=?utf-8?Q?a=0D=0Ab?=",
    b"=?utf-8?Q?=EF=BB=BFa?=",
    b"=?koi8-r?B?8NLJ18XU?=",
    b"=?koi8-r?Q?=F0?=",
    b"=?iso-8859-1*de?Q?J=E4n?=",
    b"=?iso-8859-1?Q?a_b?=",
    b"=?us-ascii?Q?Keith?=",
    b"=?us-ascii?Q?na=EFve?=",
    b"=?x-gibberish?Q?abc?=",
    b"=??Q?abc?=",
    b"=?unknown-8bit?Q?=E4?=",
    b"=?iso-2022-jp?B?GyRCRnwbKEI=?=",
    b"=?iso-2022-jp?B?GyRCRnw=?=",
    b"=?utf-7?Q?+JgM-?=",
    b"=?utf-7?Q?+Jg?=",
    b"=?utf-16?B?AGE=?=",
    b"=?utf-16?B?/v8AYQ==?=",
    b"=?shift_jis?B?g0E=?=",
    b"=?gb18030?Q?=81=30?=",
    b"\xC3\xBC",
    b"\xFC",
    b"Gr\xFC\xDFe",
    b"\xD0\x9F",
    b"\x81\x30",
    b"\x95\x5C",
    b"\xE2\x80\xA8",
    b"\x00",
    b"\x07",
    b"&uuml;",
    b"&#8364;",
    b"$B%F%9%H(B",
    b"\x1B$B%F%9%H\x1B(B",
    b"\x1B$@%F%9%H\x1B(J",
    b"\x1B$B",
    b"; k=\"\x1B$B%F%9%H\x1B(B.txt\"",
    "\u{c3}\u{bc}".as_bytes(),
    "\u{c3}\u{192}\u{c2}\u{bc}".as_bytes(),
    b"=?iso-8859-1?Q?=C3=BC?=",
    b"=?iso-8859-1?Q?Ren=C3=A9e_M=C3=BCller?=",
    b"=?latin1?Q?a=C3?=",
    b"=?iso-8859-1?Q?=BCb?=",
    b"=?windows-1251?Q?=D0=9F?=",
    b"=?gb2312?B?5Lya6K6u6YCa55+l?=",
    b"=?iso-2022-jp?B?5pel5pys?=",
    b"=?iso-8859-1?B?77u/w7w=?=",
    b"=?utf-8?Q?=C3=83=C2=BC?=",
    b"\r\n \t",
    b"; name=",
    b"; f*0*=koi8-r''%F0",
    b"; f*1*=%C0",
    b"; g*=iso-8859-1'de'%E4%20x",
    b"; h*=iso-8859-1''R%C3%A9union.txt",
];

const WRITTEN: [&str; 16] = [
    "=?utf-8?Q?=C3=BC?= <a@b.example>, \"M\u{fc}ller, Max\" <c@d.example>",
    "\"=?koi8-r?B?8NLJ18XU?=\" <a@b.example> (=?iso-8859-1?Q?J=E4nner?=)",
    "Re: =?iso-8859-1?Q?Gr=FC=DFe?= =?iso-8859-1?Q?_aus?= K\u{f6}ln",
    "M\u{fc}ller =?utf-8?Q?Max?= (K\u{f6}ln (am Rhein)) <m@x.example>",
    "text/plain; name=\"=?koi8-r?B?8NLJ18XU?=\"",
    "a/b; name*0*=koi8-r'ru'%F0; name*1*=%D2; charset=\"\u{fc}\"",
    "a/b; name=\"\u{fc}ber.txt\"; x=y",
    "=?koi8-r?Q?=F0?=glued, and=?koi8-r?Q?=F0?=",
    "=?iso-8859-1?Q?What?= now?= =?iso-8859-1?Q?=E4?=x",
    "Gruppe \u{fc}: a@b.example, =?iso-8859-1?Q?=E4,b?= <c@d.example>;",
    "=?iso-8859-1?Q?Smith,_John?= <a@b.example>",
    "\"\"\u{fc}\"\" <a@b.example>",
    "\\\u{fc} (\\\u{fc}\\)) \"\\\u{fc}\\\"\"",
    "=?utf-8?Q?a?=   =?x-unknown?Q?b?=   =?koi8-r?Q?=F0?=",
    "",
    " ",
];

struct Count {
    checked: usize,
    changed: usize,
    plain: usize,
    unsafe_: usize,
    long: usize,
}

/// Checks that decoding piece by piece gives the same text and findings as the reader alone.
fn check_pieces(value: &[u8]) {
    for raw in [None, Some(Charset::WINDOWS_1252), Some(Charset::KOI8_R)] {
        let (mut findings, mut others) = (Vec::new(), Vec::new());
        let (kind, context) = (
            FieldKind::Unstructured,
            HeaderContext {
                raw,
                check_labels: true,
                ..HeaderContext::default()
            },
        );
        let text = decode(value, kind, &context, &mut findings);
        let other = super::reader::decode_segments(value, kind, &context, &mut others);
        assert_eq!(
            (&*text, findings),
            (&*other, others),
            "{raw:?} {}",
            value.escape_ascii()
        );
    }
}

/// Checks that rewriting in one pass, if the value is plain, gives the same changes and findings as the general rewriter.
fn check_plain(value: &[u8], kind: FieldKind, form: Form) -> bool {
    let target = RewriteTarget {
        form,
        column: 9,
        eol: "\r\n",
    };
    let (mut fast_findings, mut findings) = (Vec::new(), Vec::new());
    let Some(list) = rewrite_usual::plan(
        value,
        kind,
        &target,
        LabelScope::Implausible,
        &mut fast_findings,
    ) else {
        assert_eq!(fast_findings, []);
        return false;
    };
    let context = &HeaderContext {
        raw: Some(Charset::WINDOWS_1252),
        check_labels: true,
        ..HeaderContext::default()
    };
    assert_eq!(
        Rewriting {
            value,
            kind,
            target,
            context,
            then: context
        }
        .changes_of_any_value(&mut findings),
        list,
        "{:?}",
        String::from_utf8_lossy(value)
    );
    assert_eq!(
        findings,
        fast_findings,
        "{:?}",
        String::from_utf8_lossy(value)
    );
    let after = apply(value, &list);
    assert_eq!(
        rewrite_usual::plan(
            &after,
            kind,
            &target,
            LabelScope::Implausible,
            &mut fast_findings
        ),
        Some(Vec::new()),
        "{:?}",
        String::from_utf8_lossy(value)
    );
    true
}

/// Checks that rewriting keeps the text, that a second pass changes nothing, and that the result has the form.
fn check(value: &[u8], count: &mut Count) {
    check_pieces(value);
    check_with(value, &HeaderContext::default(), count);
    check_with(
        value,
        &HeaderContext {
            repairs: Repairs::ALL,
            ..HeaderContext::default()
        },
        count,
    );
}

fn check_with(value: &[u8], context: &HeaderContext, count: &mut Count) {
    for kind in KINDS {
        for form in FORMS {
            let mut findings = Vec::new();
            let list = rewrite(
                value,
                kind,
                RewriteTarget {
                    form,
                    column: 9,
                    eol: "\r\n",
                },
                context,
                &mut findings,
            );
            count.plain += usize::from(check_plain(value, kind, form));
            count.checked += 1;
            count.changed += usize::from(!list.is_empty());
            if findings
                .iter()
                .any(|f| f.detail == Reason::WouldReadDifferently)
            {
                count.unsafe_ += 1;
                if count.unsafe_ <= 10 {
                    println!(
                        "left alone: {kind:?} {form:?} {:?}",
                        String::from_utf8_lossy(value)
                    );
                }
                assert!(list.is_empty());
            }
            for finding in &findings {
                assert!(
                    finding.at.start <= finding.at.end && finding.at.end <= value.len(),
                    "{finding:?}"
                );
            }
            let mut at = 0;
            for replacement in &list {
                assert!(at <= replacement.at.start && replacement.at.start <= replacement.at.end);
                at = replacement.at.end;
                let with = &replacement.with;
                // Replacements add no NUL. One that spans several changes may contain old ones.
                assert!(
                    !with.contains(&0) || value[replacement.at.clone()].contains(&0),
                    "{with:?}"
                );
                // New line ends occur in folds only.
                let folds = memchr::memchr_iter(b'\n', with)
                    .all(|n| with[..n].ends_with(b"\r") && with.get(n + 1) == Some(&b' '));
                assert!(
                    folds
                        || memchr::memchr2(b'\r', b'\n', &value[replacement.at.clone()]).is_some()
                );
                count.long += usize::from(
                    with.split(|&b| b == b'\n')
                        .skip(1)
                        .any(|line| line.len() > 78),
                );
            }
            let after = apply(value, &list);
            // A space separates a new word from the address after it.
            let text = |value: &[u8]| {
                let text = decode(value, kind, context, &mut Vec::new()).into_owned();
                if kind.has_syntax() {
                    text.replace(" <", "<")
                } else {
                    text
                }
            };
            assert_eq!(
                text(value),
                text(&after),
                "{kind:?} {form:?} {:?}",
                String::from_utf8_lossy(value)
            );
            let again = rewrite(
                &after,
                kind,
                RewriteTarget {
                    form,
                    column: 9,
                    eol: "\r\n",
                },
                context,
                &mut Vec::new(),
            );
            assert!(
                again.is_empty(),
                "{kind:?} {form:?} {:?}",
                String::from_utf8_lossy(value)
            );
        }
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let Some(shared) = crate::shared_material::folder() else {
        return Vec::new();
    };
    ["rfc2047.jsonl", "rfc2231.jsonl"]
        .into_iter()
        .flat_map(|name| {
            let path = shared.join("corpus").join(name);
            let text =
                fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            text.lines()
                .map(|line| {
                    let row: serde_json::Value =
                        serde_json::from_str(line).expect("a JSON object a line");
                    let raw = row["raw_base64"].as_str().expect("raw_base64 is a string");
                    base64::engine::general_purpose::STANDARD
                        .decode(raw)
                        .expect("raw_base64 is base64")
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn rewriting_keeps_the_text_and_ends_after_one_pass() {
    let mut count = Count {
        checked: 0,
        changed: 0,
        plain: 0,
        unsafe_: 0,
        long: 0,
    };
    let mut seeds: Vec<Vec<u8>> = WRITTEN.iter().map(|v| v.as_bytes().to_vec()).collect();
    seeds.extend(WRITTEN.iter().map(|v| v.chars().map(|c| c as u8).collect()));
    seeds.extend(corpus());
    for seed in &seeds {
        check(seed, &mut count);
    }
    println!(
        "values: {} checked, {} changed, {} left alone",
        count.checked, count.changed, count.unsafe_
    );
    assert!(
        count.unsafe_ * 100 <= count.changed,
        "{} of {}",
        count.unsafe_,
        count.changed
    );

    let mut random = Random(0x5EED_CAFE_F00D_BEEF);
    for _ in 0..4_000 {
        let mut value = random.pick(&seeds).clone();
        value.truncate(2_000);
        for _ in 0..=random.below(3) {
            let at = random.below(value.len() + 1);
            match random.below(4) {
                0 => value.truncate(at),
                1 if at < value.len() => {
                    value.remove(at);
                }
                2 if at < value.len() => value[at] ^= 1 << random.below(8),
                _ => {
                    value.splice(at..at, random.pick(&PIECES).iter().copied());
                }
            }
        }
        check(&value, &mut count);
    }
    for _ in 0..6_000 {
        let value: Vec<u8> = (0..random.below(9))
            .flat_map(|_| *random.pick(&PIECES))
            .copied()
            .collect();
        check(&value, &mut count);
    }
    println!(
        "with mutants: {} checked, {} changed, {} plain, {} left alone, {} with long lines",
        count.checked, count.changed, count.plain, count.unsafe_, count.long
    );
    assert!(
        count.plain * 33 >= count.checked,
        "{} of {}",
        count.plain,
        count.checked
    );
    assert!(
        count.unsafe_ * 20 <= count.changed,
        "{} of {}",
        count.unsafe_,
        count.changed
    );
}

#[test]
fn words_decode_to_the_same_text_in_every_place() {
    let mut random = Random(42);
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..random.below(12))
            .flat_map(|_| *random.pick(&PIECES))
            .copied()
            .collect();
        let text: String = String::from_utf8_lossy(&bytes)
            .chars()
            .map(|c| if super::is_control(c) { ' ' } else { c })
            .collect();
        for place in [Place::Text, Place::Comment, Place::Phrase] {
            for encoding in [Encoding::B, Encoding::Q, Encoding::Shorter] {
                let words = encode(&text, place, encoding, random.below(80), "\n");
                let back = decode(
                    words.as_bytes(),
                    FieldKind::Unstructured,
                    &HeaderContext::default(),
                    &mut Vec::new(),
                );
                assert_eq!(back, text, "{words:?}");
            }
        }
    }
}

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
            "=?x-y?Q?a?= =?koi8-r?B?8A==?=",
            "=?x-y?Q?a?= =?UTF-8?B?0J8=?=",
            "=?x-y?Q?a?= П",
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
    map.add(
        "iso-8859-1",
        Charset::for_name("KOI8-R").expect("a known name"),
    );
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
    for unit in [
        "\u{fc} ",
        "=?koi8-r?Q?=F0?= ",
        "=?koi8-r?Q?=F0?= x ",
        "(\u{fc}",
        "\"\u{fc}\" ",
        "=?",
        "=?utf-7?Q?+Jg?= ",
        "; a=\u{fc}",
    ] {
        for kind in KINDS {
            assert_linear(&(unit, kind), 20_000, |n| {
                let (value, context) = (unit.repeat(n), HeaderContext::default());
                let _ = rewrite(
                    value.as_bytes(),
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
