//! Tests the mailboxes and groups of address lists.

use super::*;
use crate::linear::assert_linear;

/// Formats mailboxes as `name <address> (comment)` with `|` between them, and groups as `name{…}`.
fn shown(value: &str) -> String {
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
