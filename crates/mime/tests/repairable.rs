//! Tests that damage of header fields is reported if nobody asked for its repair, and that the text stays.

use mailglot_mime::encoded_word::{HeaderContext, Repairs};
use mailglot_mime::header::{FieldKind, decode};
use mailglot_mime::{Event, EventKind, Headers, Policy, plan, process};

/// A header field, the repair in the detail of its event, and the number of damaged places.
const DAMAGED: [(&str, &str, u64); 23] = [
    ("Subject: Gr&uuml;&szlig;e aus K&ouml;ln", "entities", 3),
    ("Subject: caf&#233; &#x20AC;", "entities", 2),
    ("Subject: =?utf-8?Q?Gr&uuml;n?=", "entities", 1),
    (
        "Subject: =?utf-8?Q?Gr=C3=83=C2=BC=C3=83=C5=B8e?=",
        "mojibake",
        1,
    ),
    ("Subject: Re: =?utf-8?B?R3LDg8K8bg==?= x", "mojibake", 1),
    ("Subject: Gr\u{c3}\u{bc}n", "mojibake", 1),
    ("Subject: a\n Gr\u{c3}\u{bc}n b", "mojibake", 1),
    ("Subject: informa\u{c3}\u{a7}\u{c3}\u{a3}o", "mojibake", 1),
    ("Subject: Espa\u{c3}\u{b1}a", "mojibake", 1),
    ("Subject: d\u{c3}\u{a9}j\u{c3}\u{a0} vu", "mojibake", 2),
    (
        "Subject: Za\u{c5}\u{bc}\u{c3}\u{b3}\u{c5}\u{201a}\u{c4}\u{2021}",
        "mojibake",
        1,
    ),
    (
        "Subject: \u{d0}\u{178}\u{d1}\u{20ac}\u{d0}\u{b8}\u{d0}\u{b2}\u{d0}\u{b5}\u{d1}\u{201a}",
        "mojibake",
        1,
    ),
    (
        "Subject: \u{e6}\u{2014}\u{a5}\u{e6}\u{153}\u{ac}\u{e8}\u{aa}\u{17e}",
        "mojibake",
        1,
    ),
    (
        "From: =?utf-8?Q?Gr=C3=83=C2=BCn?= <a@b.example>",
        "mojibake",
        1,
    ),
    ("From: \"Gr\u{c3}\u{bc}n\" <a@b.example>", "mojibake", 1),
    ("To: a@b.example (Gr\u{c3}\u{bc}n)", "mojibake", 1),
    ("Subject: $BF|K\\8l$N7oL>$G$9(B", "escapes", 1),
    (
        "Subject: Re: $BF|K\\8l$N7oL>$G$9(B =?utf-8?Q?=C3=BC?=",
        "escapes",
        1,
    ),
    (
        "Subject: =?utf-8?Q?=3D=3Fiso-8859-1=3FQ=3FCaf=3DE9=3F=3D?=",
        "nested",
        1,
    ),
    (
        "Subject: x =?utf-8?B?PT9pc28tODg1OS0xP1E/Q2FmPUU5Pz0=?=",
        "nested",
        1,
    ),
    (
        "Content-Disposition: attachment; filename*=utf-8''Gr%C3%83%C2%BCn.txt",
        "mojibake",
        1,
    ),
    (
        "Content-Type: application/pdf; name=\"&#1054;&#1090;.doc\"",
        "entities",
        2,
    ),
    (
        "Content-Disposition: attachment; filename=\"Gr&ouml;&szlig;e.txt\"",
        "entities",
        2,
    ),
];

const SOUND: [&str; 20] = [
    "Subject: AT&T; R&D; &amp; &lt;b&gt; &copy &nosuch; a&b=c;",
    "Subject: $BASH $Bonds(B) $B(B 10$ $@",
    "Subject: my ($A, $B) = @_; $B{x}(B)",
    "Subject: CAF\u{c9}\u{ae} NESCAF\u{c9}\u{ae} \u{c9}T\u{c9}\u{2026}",
    "Subject: QUALIT\u{c9}\u{a0}: CH\u{c2}TEAU, \u{c2}ME",
    "Subject: N\u{e3}o, \u{c3} \u{e9} letra, IRM\u{c3}, AMANH\u{c3}\u{2026}",
    "Subject: informa\u{e7}\u{e3}o, cora\u{e7}\u{f5}es",
    "Subject: Tr\u{e2}n tr\u{1ecd}ng, C\u{1ea3}m \u{1a1}n, \u{c2}M NH\u{1ea0}C",
    "Subject: Gr\u{f6}\u{df}e, Stra\u{df}e \u{201e}K\u{f6}ln\u{201c}",
    "Subject: \u{41f}\u{440}\u{438}\u{432}\u{435}\u{442} \u{2014} \u{442}\u{435}\u{441}\u{442}",
    "Subject: \u{65e5}\u{672c}\u{8a9e}\u{306e}\u{4ef6}\u{540d}",
    "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=",
    "Subject: =?iso-8859-1?Q?CAF=C9=AE?=",
    "Subject: =?utf-8?Q?a_=3D=3F_b?=",
    "Subject: =?utf-8?Q?=3D=3Futf-8=3FQ=3Fno_end?=",
    "From: \"AT&uuml;T\" <a@b.example>",
    "To: Gr&uuml;n <a@b.example>",
    "Received: from Gr&uuml;n by b.example",
    "Content-Type: text/plain; name=\"a&b;c.txt\"",
    "X-Url: http://a.example/?a=1&b=2;c",
];

fn mail(field: &str) -> Vec<u8> {
    format!("{field}\nDate: Mon, 1 Jan 2001 10:00:00 +0000\n\nx\n").into_bytes()
}

fn repairable(events: &[Event]) -> Vec<&Event> {
    events
        .iter()
        .filter(|event| event.kind == EventKind::EwRepairable)
        .collect()
}

fn is_repair(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::EwMojibake | EventKind::EwEntity | EventKind::EwLostEscape | EventKind::EwNested
    )
}

#[test]
fn damage_is_reported_and_stays() {
    for (field, repair, count) in DAMAGED {
        let raw = mail(field);
        for headers in [Headers::Words, Headers::RawUtf8, Headers::Keep] {
            let plan = plan(&raw, &Policy::default().headers(headers));
            let found = repairable(&plan.report.events);
            let detail = format!("; repair with {repair}");
            let is_named = |event: &&Event| event.detail.to_string().ends_with(&detail);
            assert!(found.iter().all(is_named), "{field} {found:?}");
            let counts: u64 = found.iter().map(|event| event.count).sum();
            assert_eq!(counts, count, "{field} {headers:?} {found:?}");
            assert!(!plan.report.events.iter().any(is_repair), "{field}");
            // The event is also there after the rewriting: the text is the same.
            let after = process(&raw, &Policy::default().headers(headers)).bytes;
            let again = mailglot_mime::plan(&after, &Policy::default().headers(headers));
            assert!(again.edits.is_empty(), "{field} {headers:?}");
            let found = repairable(&again.report.events);
            assert!(!found.is_empty(), "{field} {headers:?}");
        }
    }
}

#[test]
fn repaired_damage_is_not_reported_again() {
    let policy = Policy::default().repairs(Repairs::ALL);
    for (field, ..) in DAMAGED {
        let plan = plan(&mail(field), &policy);
        let events = &plan.report.events;
        assert!(repairable(events).is_empty(), "{field} {events:?}");
        assert!(events.iter().any(is_repair), "{field} {events:?}");
    }
    // Of two kinds of damage only one is undone.
    let policy = Policy::default().repairs(Repairs::default().entities(true));
    let plan = plan(&mail("Subject: Gr&uuml;n Gr\u{c3}\u{bc}n"), &policy);
    let details: Vec<String> = repairable(&plan.report.events)
        .iter()
        .map(|event| event.detail.to_string())
        .collect();
    assert_eq!(
        details,
        ["UTF-8 decoded as windows-1252; repair with mojibake"]
    );
}

#[test]
fn sound_text_is_not_reported() {
    for field in SOUND {
        for headers in [Headers::Words, Headers::RawUtf8, Headers::Keep] {
            let plan = plan(&mail(field), &Policy::default().headers(headers));
            let events = &plan.report.events;
            assert!(repairable(events).is_empty(), "{field} {events:?}");
        }
    }
}

#[test]
fn decoded_values_tell_their_damage() {
    for (value, text, at) in [
        ("a $B%F%9%H(B", "a $B%F%9%H(B", 0..12),
        ("Gr&uuml;n", "Gr&uuml;n", 0..9),
        ("x =?utf-8?Q?Gr=C3=83=C2=BCn?=", "x Gr\u{c3}\u{bc}n", 2..29),
    ] {
        let mut findings = Vec::new();
        let context = HeaderContext::default();
        let kind = FieldKind::Unstructured;
        assert_eq!(
            decode(value.as_bytes(), kind, &context, &mut findings),
            text
        );
        let found: Vec<_> = findings
            .iter()
            .map(|finding| (finding.kind, finding.at.clone()))
            .collect();
        assert_eq!(found, [(EventKind::EwRepairable, at)], "{value}");
    }
}
