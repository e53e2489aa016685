//! Tests the mailboxes and groups of address lists.

use super::*;
use crate::encoded_word::{Form, RewriteTarget, apply};
use crate::field_kind::FieldKind;
use crate::header;
use crate::linear::assert_linear;

/// Formats mailboxes as `name <address> (comment)` with `|` between them, and groups as `name{…}`.
pub(super) fn shown(value: &str) -> String {
    let mailbox = |m: &Mailbox| {
        let name = m
            .name
            .as_ref()
            .map_or(String::new(), |name| format!("{name} "));
        let comments: String = m.comments.iter().flat_map(|c| [" (", c, ")"]).collect();
        format!("{name}<{}>{comments}", m.address)
    };
    let list = addresses(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
    let entries = list.iter().map(|entry| match entry {
        Entry::Mailbox(m) => mailbox(m),
        Entry::Group { name, list } => {
            format!(
                "{name}{{{}}}",
                list.iter().map(mailbox).collect::<Vec<_>>().join("|")
            )
        }
    });
    entries.collect::<Vec<_>>().join("|")
}

#[test]
fn displayed_names_are_quoted_where_they_need_quotes() {
    for value in [
        "\"a, b: c\": \"d; e\" <d@e>, f@g;",
        "\"a \\\\ \\\"b\\\"\" <c@d>",
        "team: a@b, c <d@e>;",
    ] {
        let list = addresses(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
        let [entry] = &list[..] else {
            panic!("{list:?}")
        };
        assert_eq!(entry.to_string(), value);
    }
}

#[test]
fn rewritten_comments_and_strings_have_no_quoted_pairs() {
    for (value, want, name) in [
        (
            &b"b@x.org (\\\"M\xfcller\\\")"[..],
            "b@x.org (=?UTF-8?B?Ik3DvGxsZXIi?=)",
            "\"Müller\"",
        ),
        (
            b"b@x.org (a\\)b \\\\\xfc \\c)",
            "b@x.org (a\\)b =?UTF-8?B?XMO8?= \\c)",
            "a)b \\ü c",
        ),
        (
            b"b@x.org (\xfc\\ \xe4\\\\ c)",
            "b@x.org (=?UTF-8?B?w7wgw6Rc?= c)",
            "ü ä\\ c",
        ),
        // The backslash may be a trail byte.
        (b"b@x.org (\xe9\\)", "b@x.org (=?UTF-8?B?w6lc?=)", "é\\"),
        (
            b"b@x.org (c (\xe9\\)), (d\\)e)",
            "b@x.org (c (=?UTF-8?B?w6lc?=)), (d\\)e)",
            "c (é\\)",
        ),
        (
            b"\"\\\"M\xfcller\\\"\" <b@x.org>",
            "=?UTF-8?B?Ik3DvGxsZXIi?= <b@x.org>",
            "\"Müller\"",
        ),
        (
            b"\"a\\\\b\\ \xfc\" <b@x.org>",
            "=?UTF-8?B?YVxiIMO8?= <b@x.org>",
            "a\\b ü",
        ),
    ] {
        for form in [Form::Words, Form::RawUtf8, Form::Iso2022Jp] {
            let target = RewriteTarget {
                form,
                column: 9,
                eol: "\n",
            };
            let (kind, context) = (FieldKind::Structured, HeaderContext::default());
            let list = header::rewrite(value, kind, target, &context, &mut Vec::new());
            let after = apply(value, &list);
            let read = |value: &[u8]| {
                let text = header::decode(value, kind, &context, &mut Vec::new()).into_owned();
                let list = addresses(value, &context, &mut Vec::new());
                let Some(Entry::Mailbox(mailbox)) = list.into_iter().next() else {
                    panic!("no mailbox in {text}")
                };
                (text, mailbox.name, mailbox.address)
            };
            let shown = String::from_utf8_lossy(&after);
            if form == Form::Words {
                assert_eq!(shown, want);
            }
            assert_eq!(read(&after).1.as_deref(), Some(name), "{shown} {form:?}");
            assert_eq!(read(&after), read(value), "{shown} {form:?}");
        }
    }
}

#[test]
fn lists_are_split_before_words_are_decoded() {
    for (value, want) in [
        ("a@b.example", "<a@b.example>"),
        (
            " Joe Q. Public <john.q@example.com>, <c@d>",
            "Joe Q. Public <john.q@example.com>|<c@d>",
        ),
        (
            "\"Giant; \\\"Big\\\" Box\" <s@b.example>",
            "Giant; \"Big\" Box <s@b.example>",
        ),
        (
            "=?utf-8?Q?M=C3=BCller=2C_Max_=3Cx=40y=3E?= <a@b>",
            "Müller, Max <x@y> <a@b>",
        ),
        (
            "=?utf-8?Q?=C3=BC?= =?utf-8?Q?=C3=A4?= x <a@b>",
            "üä x <a@b>",
        ),
        ("\"=?utf-8?Q?=C3=BC?=\" <a@b>", "ü <a@b>"),
        ("A Group:Ed <e@x>,j@y (Joe);", "A Group{Ed <e@x>|Joe <j@y>}"),
        ("Undisclosed recipients:;", "Undisclosed recipients{}"),
        (
            "=?utf-8?Q?Gr=C3=BC=C3=9Fe?=: a@b, c@d; e@f",
            "Grüße{<a@b>|<c@d>}|<e@f>",
        ),
        (
            "Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>",
            "Pete <pete@silly.test> (A nice ) chap)",
        ),
        ("a@b (=?utf-8?Q?J=C3=B6rg?=)", "Jörg <a@b>"),
        ("joe @ x.example", "<joe@x.example>"),
        ("joe@ x.example", "<joe@x.example>"),
        ("<@a.example,@b.example:c@d>", "<c@d>"),
        ("@a.example:c@d", "<c@d>"),
        ("n <@a.example:c@d>, @b.example: e@f", "n <c@d>|<e@f>"),
        ("\"a b\"@c.example", "<\"a b\"@c.example>"),
        ("x <\"a>b\"@c.example>", "x <\"a>b\"@c.example>"),
        (
            "<\"a>b\" @ x.de>, J\u{f6}rg \"x\" <c@d.de>",
            "<\"a>b\"@x.de>|J\u{f6}rg x <c@d.de>",
        ),
        (
            "<\"a b\" @ x.de>, \"@J\u{f6}rg\" <c@d.de>",
            "<\"a b\"@x.de>|@J\u{f6}rg <c@d.de>",
        ),
        ("n <a(>)@b>", "n <a@b>"),
        (
            "u@[IPv6:2001:db8::1], v@[192.0.2.1]",
            "<u@[IPv6:2001:db8::1]>|<v@[192.0.2.1]>",
        ),
        ("a@b <c@d>", "a@b <c@d>"),
        ("a@b c@d", "<a@b>|<c@d>"),
        ("root, Joe Public", "<root>|Joe Public <>"),
        (",, a@b,", "<a@b>"),
        ("", ""),
        ("=?utf-8?Q?a?=@b.example", "<=?utf-8?Q?a?=@b.example>"),
        ("Open \"quote <a@b>", "Open \"quote <a@b>"),
        (
            "Gr\u{fc}n <gr\u{fc}n@b.example>",
            "Gr\u{fc}n <gr\u{fc}n@b.example>",
        ),
        ("G: =?utf-8?Q?=3B?= <a@b>;", "G{; <a@b>}"),
        ("<>", ""),
        ("a . b @ c . example", "<a.b@c.example>"),
        ("x y @ z", "x <y@z>"),
        ("\"a\".b@c.d", "<\"a\".b@c.d>"),
        ("a.\"b c\".d@e", "<a.\"b c\".d@e>"),
        ("\"a\" . \"b\"@c.d", "<\"a\".\"b\"@c.d>"),
        ("a@c .d", "<a@c.d>"),
        ("hans @ home <a@b.c>", "hans @ home <a@b.c>"),
        (
            "Mr. hans @home sweet <a@b.c>",
            "Mr. hans @home sweet <a@b.c>",
        ),
        ("a@b \"n\" <c@d>", "a@b n <c@d>"),
        ("x a@b y <c@d>", "x a@b y <c@d>"),
        (
            "=?utf-8?q?boss=40bank?= @ evil.example",
            "<=?utf-8?q?boss=40bank?=@evil.example>",
        ),
        (
            "=?utf-8?q?boss=40bank?= @ evil.example x",
            "boss@bank @ evil.example x <>",
        ),
        (
            "a @ =?utf-8?q?bank.example?=",
            "<a@=?utf-8?q?bank.example?=>",
        ),
        ("a @ =?utf-8?q?bank.example?= x", "a @ bank.example x <>"),
        ("G: a . b@c, d@e .f;", "G{<a.b@c>|<d@e.f>}"),
        ("\"x y\" @ b.example", "<\"x y\"@b.example>"),
        ("x . \"y\" @ b.example (n)", "n <x.\"y\"@b.example>"),
        ("J\u{f6}rg @ b.example", "<J\u{f6}rg@b.example>"),
        ("=?utf-8?Q?=C3=BC?= (c) Bob <a@b>", "\u{fc} Bob <a@b> (c)"),
        ("\u{fc} (c)(d)  Bob <a@b>", "\u{fc} Bob <a@b> (c) (d)"),
    ] {
        assert_eq!(shown(value), want, "{value:?}");
    }
}

/// Formats the mailboxes of a value with raw bytes.
fn shown_raw(value: &[u8], context: &HeaderContext) -> String {
    let list = addresses(value, context, &mut Vec::new());
    let entries: Vec<String> = list.iter().map(ToString::to_string).collect();
    entries.join("|")
}

#[test]
fn addresses_of_list_archives_are_addresses() {
    for (value, want) in [
        (
            "joe at example.org (Joe Doe)",
            "Joe Doe <joe at example.org>",
        ),
        ("joe at example.org", "<joe at example.org>"),
        (
            "joe.doe AT mail.example.org\n (=?utf-8?Q?J=C3=B6rg=2C_M?=)",
            "J\u{f6}rg, M <joe.doe AT mail.example.org>",
        ),
        (
            "joe at a.example (Joe), G: ann at b.example (Ann);",
            "Joe <joe at a.example>|G{Ann <ann at b.example>}",
        ),
        ("joe at example.org (a) (b)", "b <joe at example.org> (a)"),
        ("Joe at example.org (Joe)", "Joe <Joe at example.org>"),
        // Names.
        ("Meet at noon (x)", "Meet at noon <> (x)"),
        ("joe at example. (x)", "joe at example. <> (x)"),
        ("lunch at 12.30 (x)", "lunch at 12.30 <> (x)"),
        ("Dinner at No.5", "Dinner at No.5 <>"),
        ("joe at example.o", "joe at example.o <>"),
        ("joe at example.mp3", "joe at example.mp3 <>"),
        ("Everyone at example.org", "Everyone at example.org <>"),
        (
            "Uncle joe at example.org (x)",
            "Uncle joe at example.org <> (x)",
        ),
        ("joe at example.org x", "joe at example.org x <>"),
        ("joe (x) at example.org", "joe at example.org <> (x)"),
        ("(x) joe at example.org", "joe at example.org <> (x)"),
        ("\"joe\" at example.org (x)", "joe at example.org <> (x)"),
        (
            "=?utf-8?Q?joe?= at example.org (x)",
            "joe at example.org <> (x)",
        ),
        (
            "J\u{f6}rg at example.org (x)",
            "J\u{f6}rg at example.org <> (x)",
        ),
        ("joe at example.org <a@b>", "joe at example.org <a@b>"),
    ] {
        assert_eq!(shown(value), want, "{value:?}");
    }
    assert_eq!(
        shown_raw(
            b"joe at example.org (J\xf6rg M\xfcller)",
            &HeaderContext::default()
        ),
        "J\u{f6}rg M\u{fc}ller <joe at example.org>"
    );
}

#[test]
fn the_only_comment_may_be_the_address() {
    for (value, want) in [
        ("Joe (joe@example.org)", "Joe <joe@example.org>"),
        (
            "J\u{f6}rg M. ( joe@example.org )",
            "J\u{f6}rg M. <joe@example.org>",
        ),
        (
            "\"M, J\" (joe@example.org), b@c",
            "M, J <joe@example.org>|<b@c>",
        ),
        (
            "=?utf-8?Q?J=C3=B6rg?= (joe@example.org)",
            "J\u{f6}rg <joe@example.org>",
        ),
        (
            "joe at example.org (joe@example.org)",
            "joe at example.org <joe@example.org>",
        ),
        // Comments.
        ("(joe@example.org)", ""),
        ("a@b (joe@example.org)", "joe@example.org <a@b>"),
        ("Joe (joe@example.org) <a@b>", "Joe <a@b> (joe@example.org)"),
        ("Joe (joe@example.org) (x)", "x <Joe> (joe@example.org)"),
        ("Joe (x) (joe@example.org)", "joe@example.org <Joe> (x)"),
        ("Joe (joe@example.org x)", "joe@example.org x <Joe>"),
        ("Joe (joe@night)", "joe@night <Joe>"),
        ("Joe (a@b@example.org)", "a@b@example.org <Joe>"),
        ("Joe (=?utf-8?Q?joe=40x.example?=)", "joe@x.example <Joe>"),
        (
            "Joe (=?x?Q?jo=FE?=@x.example)",
            "=?x?Q?jo=FE?=@x.example <Joe>",
        ),
    ] {
        assert_eq!(shown(value), want, "{value:?}");
    }
    assert_eq!(
        shown_raw(b"J\xf6rg (joe@example.org)", &HeaderContext::default()),
        "J\u{f6}rg <joe@example.org>"
    );
}

#[test]
fn stray_angles_are_no_part_of_names_and_addresses() {
    for (value, want) in [
        (
            "=?utf-8?Q?J=C3=B6rg?= <a@b.example",
            "J\u{f6}rg <a@b.example>",
        ),
        ("Bob <<a@b.example>>", "Bob <a@b.example>"),
        ("Bob <<a@b.example>", "Bob <a@b.example>"),
        ("Bob<a@b.example>>x", "Bob x <a@b.example>"),
        ("Bob < <a@b.example> > x", "Bob x <a@b.example>"),
        ("J\u{f6}rg a@b.example>", "J\u{f6}rg <a@b.example>"),
        ("<a@b.example", "<a@b.example>"),
        ("a@b.example>, <<c@d>>", "<a@b.example>|<c@d>"),
        ("a b <c@d, e f <g@h", "a b <c@d>|e f <g@h>"),
        // Other angles stay.
        ("\"x <\" a@b.example", "x < <a@b.example>"),
        ("\"x <\" <a@b.example", "x < <a@b.example>"),
        ("=?utf-8?Q?x_=3C?= a@b.example", "x < <a@b.example>"),
        ("a@b.example \"> x\"", "> x <a@b.example>"),
        ("a@b.example =?utf-8?Q?=3E?= x", "> x <a@b.example>"),
        ("a > b a@b.example", "a > b <a@b.example>"),
        ("a@b.example x>", "x> <a@b.example>"),
    ] {
        assert_eq!(shown(value), want, "{value:?}");
    }
}

#[test]
fn addresses_without_a_comma_are_mailboxes() {
    for (value, want) in [
        (
            "Bob <a@b.example>\n\tAnn <c@d.example>",
            "Bob <a@b.example>|Ann <c@d.example>",
        ),
        ("<a@b> <c@d> <e@f>", "<a@b>|<c@d>|<e@f>"),
        ("x <a@b> y c@d", "x <a@b>|y <c@d>"),
        ("x <a@b> y@z <c@d>", "x <a@b>|y@z <c@d>"),
        (
            "x <a@b> (m) \"y  z\" (n) <c@d> (o)",
            "x <a@b> (m)|y  z <c@d> (n) (o)",
        ),
        ("\"x  x\" <a@b> y  z <c@d>", "x  x <a@b>|y z <c@d>"),
        ("x <a@b> y c@d>", "x <a@b>|y <c@d>"),
        ("x <a@b> \"y <\" c@d", "x <a@b>|y < <c@d>"),
        ("x <a@b> y <c@d", "x <a@b>|y <c@d>"),
        ("G: x <a@b> y <c@d>;", "G{x <a@b>|y <c@d>}"),
        ("x <> <a@b>", "x <a@b>"),
        ("x <a@b> <>", "x <a@b>"),
        ("<a@b>\" \"(c)<d@e>", "<a@b>|c <d@e>"),
        // One address.
        ("x <a@b> y", "x y <a@b>"),
        ("\"x\" <a@b> (c) y", "x y <a@b> (c)"),
        ("x <a@b> @ y", "x  @y <a@b>"),
    ] {
        assert_eq!(shown(value), want, "{value:?}");
    }
    // The last one counts in From.
    let value = b"x <a@b>\n y <c@d>, z <e@f> g@h";
    for (name, want) in [
        (&b"FROM"[..], "\"x  y a@b\" <c@d>|\"z  g@h\" <e@f>"),
        (b"To", "x <a@b>|y <c@d>|z <e@f>|g@h"),
    ] {
        let list = addresses_of(name, value, &HeaderContext::default(), &mut Vec::new());
        let entries: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(entries.join("|"), want);
    }
    let value = b"Bob <a@b> (x)\n Ann (y) <c@d> (z)";
    let list = addresses(value, &HeaderContext::default(), &mut Vec::new());
    let places: Vec<_> = list
        .iter()
        .filter_map(|entry| match entry {
            Entry::Mailbox(m) => Some(value[m.at.clone()].trim_ascii()),
            Entry::Group { .. } => None,
        })
        .collect();
    assert_eq!(places, [&b"Bob <a@b> (x)"[..], b"Ann (y) <c@d> (z)"]);
}

/// Outlook repeats the address in brackets.
#[test]
fn addresses_in_brackets_are_no_mailboxes() {
    for (value, want) in [
        (
            "Bob <a@b.example> [mailto:a@b.example]",
            "Bob  [mailto:a@b.example] <a@b.example>",
        ),
        ("<a@b.c> [mailto:a@b.c]", "[mailto:a@b.c] <a@b.c>"),
        (
            "Bob [mailto:a@b.example], c@d.example",
            "Bob <a@b.example>|<c@d.example>",
        ),
        (
            "=?utf-8?Q?=C3=9C?= [mailto:a@b.example]",
            "\u{dc} <a@b.example>",
        ),
        ("mailto:a@b.example", "<a@b.example>"),
        ("hotmailto: a@b;", "hotmailto{<a@b>}"),
        ("<a@b.c> [a@b.c], d@e.f", "[a@b.c] <a@b.c>|<d@e.f>"),
        ("<a@b.c> [ a@b.c ]", "[ a@b.c ] <a@b.c>"),
        ("<a@b.c> MAILTO:a@b.c", "MAILTO:a@b.c <a@b.c>"),
        // Other mailboxes.
        ("<a@b.c> d@[192.0.2.1]", "<a@b.c>|<d@[192.0.2.1]>"),
        ("<a@b.c> [x] d@e.f", "<a@b.c>|[x] <d@e.f>"),
        ("<a@b.c> [x] Ann <d@e.f>", "<a@b.c>|[x] Ann <d@e.f>"),
    ] {
        assert_eq!(shown(value), want, "{value:?}");
    }
}

#[test]
fn raw_bytes_of_addresses_are_decoded_as_in_the_text() {
    use crate::field_kind::FieldKind;
    use crate::header::decode;
    use mailglot_codec::Charset;
    let koi8 = HeaderContext::default().raw(Charset::KOI8_R);
    for (value, context, want) in [
        (
            &b"<j\xf6rg@example.com>"[..],
            HeaderContext::default(),
            "j\u{f6}rg@example.com",
        ),
        (b"\xe4\xc1@example.com", koi8, "\u{414}\u{430}@example.com"),
        (
            b"<\xe4\xc1@\xc3\xbc.example>",
            koi8,
            "\u{414}\u{430}@\u{446}\u{256a}.example",
        ),
        ("<\u{fc}@b.example>".as_bytes(), koi8, "\u{fc}@b.example"),
    ] {
        let list = addresses(value, &context, &mut Vec::new());
        let [Entry::Mailbox(mailbox)] = &list[..] else {
            panic!("{list:?}")
        };
        let text = decode(value, FieldKind::Structured, &context, &mut Vec::new());
        assert_eq!(mailbox.address, text.trim_matches(['<', '>']));
        assert_eq!(mailbox.address, want);
    }
}

#[test]
fn addresses_of_decnet_are_no_groups() {
    for (value, want) in [
        ("HOST::USER", "<HOST::USER>"),
        (" HOST::USER (Joe Doe), b@c", "Joe Doe <HOST::USER>|<b@c>"),
        ("A1::B2::USER", "<A1::B2::USER>"),
        ("G: HOST::USER;", "G{<HOST::USER>}"),
        // Groups.
        ("A::B: c@d;", "A{:B: <c@d>}"),
        ("A:: b@c;", "A{: <b@c>}"),
        ("A::;", "A{<:>}"),
        ("A B::C;", "A B{<:C>}"),
        ("\"A\"::C;", "A{<:C>}"),
        ("A::b c;", "A{:b c <>}"),
    ] {
        assert_eq!(shown(value), want, "{value:?}");
    }
}

#[test]
fn mailboxes_with_rival_addresses() {
    for (value, want) in [
        ("x <a@b>", false),
        ("a@b <a@b>", false),
        ("x <a@b>, y <c@d>", false),
        ("G: a@b, c@d;", false),
        ("a @ b", false),
        ("\"x <a@b>\" <c@d>", false),
        ("=?utf-8?Q?<a@b>?= <c@d> (<e@f>)", false),
        ("<a@b> <c@d>", true),
        ("x <a@b(c)> <d@e>", true),
        ("x <a@b> c@d", true),
        ("a@b c@d", true),
    ] {
        assert_eq!(has_several_addresses(value.as_bytes()), want, "{value:?}");
    }
}

#[test]
fn places_are_those_of_the_mailboxes() {
    let value = b"x <a@b>, =?utf-8?Q?=C3=BC?= <c@d> (e)";
    let list = addresses(value, &HeaderContext::default(), &mut Vec::new());
    let places: Vec<_> = list
        .iter()
        .map(|entry| match entry {
            Entry::Mailbox(m) => &value[m.at.clone()],
            Entry::Group { .. } => &[],
        })
        .collect();
    assert_eq!(places, [&b"x <a@b>"[..], b"=?utf-8?Q?=C3=BC?= <c@d> (e)"]);
}

/// Any tokens in any order have a reading, in characters of one to four bytes.
#[test]
fn every_value_is_read() {
    const PIECES: [&str; 24] = [
        "\u{b2}",
        "\u{448}",
        "\u{1F600}",
        "\u{feff}",
        "a",
        "Joe",
        "@",
        "<",
        ">",
        "<>",
        "<a@b>",
        "a@b",
        " ",
        ",",
        ";",
        ":",
        "(",
        ")",
        "\"",
        "[mailto:",
        "]",
        "\\",
        " at ",
        "=?utf-8?Q?=C3=BC?=",
    ];
    let mut random = crate::random::Random(7);
    for _ in 0..100_000 {
        let length = 1 + random.below(10);
        let value: String = (0..length).map(|_| *random.pick(&PIECES)).collect();
        let list = addresses(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
        for entry in &list {
            if let Entry::Mailbox(mailbox) = entry {
                assert!(
                    mailbox.at.start < mailbox.at.end && mailbox.at.end <= value.len(),
                    "{value}"
                );
            }
        }
    }
}

#[test]
fn long_input_takes_linear_time() {
    for unit in [
        "a@b,",
        "(",
        "\"",
        "<",
        "a:",
        ";",
        "=?utf-8?Q?a?= ",
        "@",
        "<@",
        "a ",
        "<a(b",
        "<\"a\"(",
        "[",
        "a@[",
        "a::",
        "a <b@c> ",
        "x <b@c> (d) ",
        "<<a@b>>",
        "a at b.c (d@e.f)",
        "<a@b> [mailto:a@b] ",
    ] {
        assert_linear(&unit, 100_000, |n| {
            let _ = addresses(
                unit.repeat(n).as_bytes(),
                &HeaderContext::default(),
                &mut Vec::new(),
            );
        });
    }
}
