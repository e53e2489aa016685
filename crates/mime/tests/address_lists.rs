//! Lists of addresses, in fields that are known for them and in others: who is addressed stays who was.

use mailglot_mime::encoded_word::{Form, HeaderContext, RewriteTarget};
use mailglot_mime::fields::{Entry, addresses};
use mailglot_mime::header::{self, FieldKind, field_kind};

fn rewritten(value: &[u8], kind: FieldKind, form: Form) -> Vec<u8> {
    let list = header::rewrite(
        value,
        kind,
        RewriteTarget {
            form,
            column: 8,
            eol: "\n",
        },
        &HeaderContext::default(),
        &mut Vec::new(),
    );
    header::apply(value, &list)
}

/// All addresses of a value, with the names beside them where asked for.
fn addressed(value: &[u8], names: bool) -> Vec<(Option<String>, String)> {
    let list = addresses(value, &HeaderContext::default(), &mut Vec::new());
    let boxes = list.into_iter().flat_map(|entry| match entry {
        Entry::Mailbox(mailbox) => vec![mailbox],
        Entry::Group { list, .. } => list,
    });
    boxes
        .map(|mailbox| (mailbox.name.filter(|_| names), mailbox.address))
        .collect()
}

/// A name or a comment, and where it stands; all that is written has one form.
const NAMES: [&str; 12] = [
    "Jörg ",
    "Jörg",
    "\"Müller, Max\" ",
    "\"Müller, Max\"",
    "\"K, J\\\"ö\" x ",
    "Dr. \"Ä; <ö>\" ",
    "",
    "Max ",
    "\"@Jörg\" ",
    "(ü) Jörg ",
    "\"ü <x>\" ",
    "ä \"Max\" ö ",
];

const ADDRESSES: [&str; 12] = [
    "<a@b.de>",
    "<\"a b\"@b.de>",
    "<\"a>b\" @ b.de>",
    "<\"a>b\".\"c\"@b.de>",
    "<\"a\" . b@b.de>",
    "<a(>)@b.de>",
    "<a@b.de(\">\")>",
    "<a@b.de> (ü)",
    "<(c)a@b.de>",
    "<@r.de:\"a>,\"@b.de>",
    "<a(x \"y)@b.de>",
    "<a@[1.2.3.4]>",
];

/// Calls for lists of three of these.
fn lists(mut call: impl FnMut(&str)) {
    for first in NAMES {
        for second in NAMES {
            for (at, address) in ADDRESSES.iter().enumerate() {
                for comma in [", ", ",", ",\n "] {
                    let other = ADDRESSES[(at * 5 + first.len()) % ADDRESSES.len()];
                    call(&format!(
                        "{first}{address}{comma}{second}{other}{comma}Zoë <z@z.de>"
                    ));
                }
            }
        }
    }
}

#[test]
fn addresses_of_known_fields_stay() {
    lists(|value| {
        for form in [Form::Words, Form::RawUtf8, Form::Iso2022Jp] {
            let after = rewritten(value.as_bytes(), FieldKind::Structured, form);
            assert_eq!(
                addressed(&after, form != Form::Iso2022Jp),
                addressed(value.as_bytes(), form != Form::Iso2022Jp),
                "{value}\n{}",
                after.escape_ascii()
            );
            assert_eq!(
                rewritten(&after, FieldKind::Structured, form),
                after,
                "{value}"
            );
            assert!(
                form == Form::RawUtf8 || after.is_ascii(),
                "{value}\n{}",
                after.escape_ascii()
            );
        }
    });
}

#[test]
fn addresses_of_unknown_fields_stay() {
    let kind = field_kind(b"X-Nobody-Knows");
    assert_eq!(kind, FieldKind::Unstructured);
    lists(|value| {
        // What touches raw text goes into its word, and strings and comments in angles are no such thing in a text.
        if ["<\"a", ":\"a", "(", "\"<", "g<", ">,"]
            .iter()
            .any(|part| value.contains(part))
        {
            return;
        }
        for form in [Form::Words, Form::RawUtf8] {
            let after = rewritten(value.as_bytes(), kind, form);
            assert_eq!(
                addressed(&after, false),
                addressed(value.as_bytes(), false),
                "{value}\n{}",
                after.escape_ascii()
            );
            assert_eq!(rewritten(&after, kind, form), after, "{value}");
            let read = |value: &[u8]| {
                header::decode(value, kind, &HeaderContext::default(), &mut Vec::new()).into_owned()
            };
            assert_eq!(read(&after), read(value.as_bytes()), "{value}");
        }
    });
}

#[test]
fn fields_of_addresses_are_known() {
    for name in [
        "Author",
        "X-Sender",
        "X-Confirm-Reading-To",
        "X-Envelope-From",
        "Original-From",
    ] {
        let value = "\"Müller, Max\" <a@b.de>, \"K, Jörg\" <c@d.de>";
        let after = rewritten(value.as_bytes(), field_kind(name.as_bytes()), Form::Words);
        assert_eq!(
            String::from_utf8_lossy(&after),
            "=?UTF-8?B?TcO8bGxlciwgTWF4?= <a@b.de>, =?UTF-8?B?SywgSsO2cmc=?=\n <c@d.de>",
            "{name}"
        );
    }
}

#[test]
fn an_at_sign_makes_no_address_of_a_phrase() {
    for (name, value, want) in [
        (
            "Keywords",
            "Fußball@Schule, Köln",
            "=?UTF-8?B?RnXDn2JhbGxAU2NodWxl?=, =?UTF-8?B?S8O2bG4=?=",
        ),
        (
            "List-Id",
            "Fußball@Schule <x.y.z>",
            "=?UTF-8?B?RnXDn2JhbGxAU2NodWxl?= <x.y.z>",
        ),
        (
            "Keywords",
            "\"ü\"@x, a @ ö",
            "=?UTF-8?B?w7w=?=@x, a @ =?UTF-8?B?w7Y=?=",
        ),
    ] {
        let after = rewritten(value.as_bytes(), field_kind(name.as_bytes()), Form::Words);
        assert_eq!(String::from_utf8_lossy(&after), want, "{name}");
    }
}

#[test]
fn names_with_a_comma_without_quotes_are_reported() {
    use mailglot_mime::{EventKind, Mail, Policy};
    for (header, want) in [
        (
            "To: a@b.example, Smith, John <js@x.example>\n",
            &["Smith, John <js@x.example>"][..],
        ),
        (
            "Cc: M\u{fc}ller, Hans <m@x.example>, =?utf-8?Q?J=C3=B6rg?=, Max <j@x.example>\n",
            &[
                "M\u{fc}ller, Hans <m@x.example>",
                "=?utf-8?Q?J=C3=B6rg?=, Max <j@x.example>",
            ],
        ),
        ("Cc: postmaster, John <js@x.example>\n", &[]),
        ("Subject: Smith, John <js@x.example>\n", &[]),
        ("To: \"Smith, John\" <js@x.example>\n", &[]),
    ] {
        let raw = format!("{header}\nhello\n");
        let mail = Mail::parse(raw.as_bytes());
        let normalized = mail.normalize(&Policy::default());
        let events = normalized.events();
        let found: Vec<_> = events
            .iter()
            .filter(|event| event.kind == EventKind::HdrUnquotedComma)
            .map(|event| {
                String::from_utf8_lossy(event.at.of(raw.as_bytes()))
                    .trim()
                    .to_owned()
            })
            .collect();
        assert_eq!(found, want, "{header}");
        let names = |mail: &Mail| [mail.to(), mail.cc()].concat();
        let bytes = normalized.bytes().into_owned();
        let after = Mail::parse(&bytes[..]);
        let shown = |list: Vec<mailglot_mime::fields::Mailbox>| {
            list.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(shown(names(&after)), shown(names(&mail)), "{header}");
    }
}
