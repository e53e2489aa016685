//! Tests of names that programs wrote without quotes or with an address.

use super::tests::shown;
use super::*;
use crate::encoded_word::{Form, RewriteTarget, apply};
use crate::field_kind::FieldKind;
use crate::header;
use crate::linear::assert_linear;

#[test]
fn a_comma_without_quotes_may_be_part_of_a_name() {
    for (value, want, joined) in [
        (
            "Smith, John <js@x.example>",
            "Smith, John <js@x.example>",
            1,
        ),
        (
            "M\u{fc}ller, Dr. J. <m@b.example>",
            "M\u{fc}ller, Dr. J. <m@b.example>",
            1,
        ),
        (
            "=?iso-8859-1?Q?M=FCller?=, Hans <m@x.example>",
            "M\u{fc}ller, Hans <m@x.example>",
            1,
        ),
        (
            "Smith, =?iso-8859-1?Q?J=F6rg?= <m@x.example>, a@b.example",
            "Smith, J\u{f6}rg <m@x.example>|<a@b.example>",
            1,
        ),
        (
            "a@b.example, Smith,John <js@x.example> (home),\r\n van den Berg, Jan <jb@x.example>",
            "<a@b.example>|Smith, John <js@x.example> (home)|van den Berg, Jan <jb@x.example>",
            2,
        ),
        (
            "team: Smith, John <js@x.example>, a@b;",
            "team{Smith, John <js@x.example>|<a@b>}",
            1,
        ),
        (
            "Smith, John, Jr. <js@x.example>",
            "Smith, John, Jr. <js@x.example>",
            1,
        ),
        (
            "\"Smith\", John <js@x.example>",
            "Smith, John <js@x.example>",
            1,
        ),
        // Others stay two.
        (
            "postmaster, John <j@x.example>",
            "<postmaster>|John <j@x.example>",
            0,
        ),
        (
            "Postmaster, John <j@x.example>",
            "<Postmaster>|John <j@x.example>",
            0,
        ),
        ("joe, fred <f@x.example>", "<joe>|fred <f@x.example>", 0),
        ("Joe, fred <f@x.example>", "<Joe>|fred <f@x.example>", 0),
        (
            "John.Smith, Fred <f@x.example>",
            "<John.Smith>|Fred <f@x.example>",
            0,
        ),
        (
            "Host!Joe, Fred <f@x.example>",
            "<Host!Joe>|Fred <f@x.example>",
            0,
        ),
        (
            "Joe (x), Fred <f@x.example>",
            "x <Joe>|Fred <f@x.example>",
            0,
        ),
        ("Joe, <f@x.example>", "<Joe>|<f@x.example>", 0),
        ("Joe, Fred <>", "<Joe>|Fred <>", 0),
        ("Joe, f@x.example (Fred)", "<Joe>|Fred <f@x.example>", 0),
        ("Joe <>, Fred <f@x.example>", "Joe <>|Fred <f@x.example>", 0),
        ("Joe, , Fred <f@x.example>", "<Joe>|Fred <f@x.example>", 0),
        (
            "Ann, Bob, Carl <c@x.example>",
            "<Ann>|<Bob>|Carl <c@x.example>",
            0,
        ),
        (
            "Maria Lopez, Peter Jones <p@x.example>",
            "Maria Lopez <>|Peter Jones <p@x.example>",
            0,
        ),
        ("Smith, team: a@b;", "<Smith>|team{<a@b>}", 0),
        ("Smith; John <j@x.example>", "<Smith>|John <j@x.example>", 0),
    ] {
        assert_eq!(shown(value), want, "{value}");
        let mut findings = Vec::new();
        let list = addresses(value.as_bytes(), &HeaderContext::default(), &mut findings);
        let of_comma = |finding: &&Finding| finding.kind == EventKind::HdrUnquotedComma;
        assert_eq!(findings.iter().filter(of_comma).count(), joined, "{value}");
        // Every list is read the same after the rewriting.
        let target = RewriteTarget {
            form: Form::Words,
            column: 4,
            eol: "\n",
        };
        let (kind, context) = (FieldKind::Structured, HeaderContext::default());
        let edits = header::rewrite(value.as_bytes(), kind, target, &context, &mut Vec::new());
        let after = String::from_utf8(apply(value.as_bytes(), &edits)).expect("ASCII");
        assert_eq!(shown(&after), want, "{after}");
        if let [entry] = &list[..]
            && joined == 1
        {
            let written = entry.to_string();
            assert_eq!(shown(&written), want, "{written}");
        }
    }
    assert_linear(&"Smith, ", 100_000, |size| {
        let value = "Smith, ".repeat(size) + "John <j@x.example>";
        let _ = addresses(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
    });
}

#[test]
fn a_whole_mailbox_within_a_word_is_reported() {
    for (value, expected) in [
        ("=?utf-8?Q?J=C3=B6rg_<j@b.example>?=", 1),
        ("=?utf-8?B?SsO2cmcgPGpAYi5leGFtcGxlPg==?=, a@b.example", 1),
        ("\"Joe <j@b.example>\"", 1),
        ("=?utf-8?Q?J=C3=B6rg_<j@b.example>?= <j@b.example>", 0),
        ("=?utf-8?Q?J=C3=B6rg_<3?=", 0),
        ("=?utf-8?Q?<j@b>?=", 0),
    ] {
        let mut findings = Vec::new();
        let _ = addresses(value.as_bytes(), &HeaderContext::default(), &mut findings);
        let is_address = |finding: &&Finding| finding.kind == EventKind::HdrEncodedAddress;
        let found = findings.iter().filter(is_address).count();
        assert_eq!(found, expected, "{value}");
    }
}
