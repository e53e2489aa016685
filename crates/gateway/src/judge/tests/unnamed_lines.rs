//! Tests of lines in headers that are not fields, in any place and with any content: a second pass changes nothing.

use super::*;

/// Lines that are not fields, at least in some places.
const LINES: &[&[u8]] = &[
    b"From x\xe4y Mon",
    b">From \xc3\xa4",
    b"From ",
    b"From x Mon Nov 22",
    b":",
    b": a\xe4",
    b":\xe4",
    b" : a\xe4",
    b"::",
    b":x=?utf-8?q?=C3=A4?=",
    b"no field",
    b"no field \xfc here",
    b" begins \xe4",
    b"\tbegins",
    b" \t",
    b"x\x01y z\xe4",
    b"y \x7f\xe4",
    b"nul \0\xe4",
    b"=?iso-8859-1?q?=E4?= b",
    b"=?koi8-r?q?=C1?= =?koi8-r?q?=C2?=",
    b"a b: c\xe4",
    b"\xe4\xe4 \xe4",
    b"--x",
    b"--b\xe4",
    b"\"\xe4 not ended",
    b"a (\xe4",
    b"\x1b$B8+\x1b(B x",
    b"X-Unnamed-Line",
    b"X-Unnamed-Line: \xe4 y",
    b"x MIME-Ambiguity-Results: q",
    b"cr \r\xe4",
    b"\rMIME-Ambiguity-Results: q",
    b"LONG",
    b" Content-Type: text/html; charset=koi8-r",
    b" Content-Type: multipart/mixed; boundary=b",
    b" MIME-Version: 1.0",
    b" Content-Transfer-Encoding: quoted-printable",
    b" Subject: x\xe4",
    b"charset=koi8-r",
    b"boundary=b",
    b"name=\"\xe4\";",
];
/// Lines that are fields.
const FIELDS: &[&[u8]] = &[
    b"From: a@b.invalid",
    b"Subject: hi",
    b"Subject: h\xe4i",
    b"To: c@d.invalid",
    b"Content-Type: text/plain; charset=iso-8859-1",
    b"Content-Type: multipart/mixed; boundary=b\xe4",
    b"Content-Transfer-Encoding: 8 bit",
    b"Content-Type: text/plain;",
    b"Content-Type: multipart/mixed;",
    b"X-A: b",
    b"X-B: \xe4",
    b"MIME-Version: 1.0",
    b"MIME-Ambiguity-Results: q\xe4",
    b"mime-ambiguity-results : q\r\n\t\xe4",
];
const BEHIND: &[&[u8]] = &[
    b"  ",
    b"\t",
    b" c\xe4",
    b" c",
    b" MIME-Ambiguity-Results: q",
];
const BODIES: &[&[u8]] = &[
    b"text\r\n",
    b"t\xe4xt\r\n",
    b"",
    b"MIME-Ambiguity-Results: t\r\n",
    b"--b\xe4\r\n\r\nx\xe4",
    b"=E4\r\n",
    b"--b\r\nContent-Type: text/plain\r\n\r\n\xe4\r\n--b--\r\n",
];

/// Returns a pseudo-random number below `most`.
fn roll(state: &mut u64, most: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 33) as usize % most
}

fn pick<'a>(state: &mut u64, of: &[&'a [u8]]) -> &'a [u8] {
    of[roll(state, of.len())]
}

fn generated(state: &mut u64) -> Vec<u8> {
    let mut raw = Vec::new();
    for _ in 0..=roll(state, 6) {
        let line = if roll(state, 2) == 0 {
            pick(state, FIELDS)
        } else {
            pick(state, LINES)
        };
        match (line, roll(state, 2)) {
            (b"LONG", 0) => raw.extend([&b"x "[..], &[0xe4; 950]].concat()),
            (b"LONG", _) => raw.extend(b"ab\xe4 ".repeat(200)),
            _ => raw.extend_from_slice(line),
        }
        raw.extend_from_slice(b"\r\n");
        if roll(state, 6) == 0 {
            raw.extend([pick(state, BEHIND), b"\r\n"].concat());
        }
    }
    if roll(state, 10) > 0 {
        raw.extend_from_slice(b"\r\n");
    }
    raw.extend_from_slice(pick(state, BODIES));
    match roll(state, 12) {
        0 => raw.retain(|byte| *byte != b'\r'),
        1 => raw.retain(|byte| *byte != b'\n'),
        _ => (),
    }
    raw
}

/// Returns the message without the added fields.
fn below<'m>(bytes: &'m [u8], added: &[(FieldValue, FieldValue)]) -> &'m [u8] {
    let mut rest = bytes;
    for (name, _) in added {
        assert!(rest.starts_with(name.as_bytes()));
        let eol = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
        let ends = |at: &usize| !matches!(rest.get(at + 1), Some(b' ' | b'\t'));
        let end = memchr::memchr_iter(eol, rest).find(ends).unwrap();
        rest = &rest[end + 1..];
    }
    rest
}

#[test]
fn a_second_pass_changes_no_line_that_is_not_a_field() {
    let mut named = Rules::default();
    named.set(Finding::MalformedHeaderLine, Action::Normalize);
    let mut told = Rules::default();
    told.set(Finding::Raw8bitHeader, Action::Tag);
    let mut open = named.clone();
    open.set(Finding::UnendedHeader, Action::Pass);
    let mut original = named.clone();
    original.original_header = Some("X-Original".to_owned());
    let sets = [
        Rules::default(),
        silent(Rules::default()),
        named,
        told,
        open,
        original,
        Rules::monitor(),
    ];
    let envelopes =
        [(false, false), (true, false), (true, true)].map(|(eight_bit, smtputf8)| Envelope {
            smtputf8,
            eight_bit,
            ..Envelope::default()
        });
    let (mut state, mut put, mut rewritten) = (0x9e37_79b9_7f4a_7c15, 0, 0);
    for number in 0..20_000 {
        let raw = generated(&mut state);
        let (rules, envelope) = (&sets[number % sets.len()], &envelopes[roll(&mut state, 3)]);
        let first = judge(&raw, envelope, rules);
        let bytes = first.bytes();
        let left = below(&bytes, &first.added);
        let second = judge(&bytes, envelope, rules);
        let again = second.bytes();
        let shown = || {
            format!(
                "{number} {}\n{}\n{}",
                raw.escape_ascii(),
                bytes.escape_ascii(),
                again.escape_ascii()
            )
        };
        assert_eq!(
            left.escape_ascii().to_string(),
            below(&again, &second.added).escape_ascii().to_string(),
            "{}",
            shown()
        );
        // If the message was repaired, no line that got a name has raw bytes. Messages whose lines end in CR alone are excepted.
        let parsed = Message::parse(&bytes, &rules.rewriting.limits);
        // Text that cannot be decoded stays unchanged, because no ledger keeps its bytes.
        let unread = first.findings.has(Finding::MalformedCharset);
        let mends = first.action == Action::Normalize && !first.edits.is_empty() && !unread;
        for field in parsed.fields(PartId::ROOT) {
            let unnamed = field
                .name
                .of(&bytes)
                .eq_ignore_ascii_case(b"x-unnamed-line");
            if unnamed && mends && !envelope.smtputf8 && raw.contains(&b'\n') {
                put += 1;
                assert!(field.value.of(&bytes).is_ascii(), "{}", shown());
            }
        }
        rewritten += usize::from(mends);
        for edit in &first.edits {
            assert!(edit.span.end <= raw.len(), "{}", shown());
        }
    }
    assert!(put > 100 && rewritten > 1_000, "{put} {rewritten}");
}

/// A mail drop puts such lines before a message.
#[test]
fn a_first_line_that_gets_a_name_is_read_as_a_field() {
    for (start, want) in [
        (
            "From J\u{e4}ger Mon",
            "X-Unnamed-Line: From =?UTF-8?B?SsOkZ2Vy?= Mon",
        ),
        (" J\u{e4}ger", "X-Leading-Line: =?UTF-8?B?SsOkZ2Vy?="),
    ] {
        let text = format!("{start}\r\nFrom: a@b.invalid\r\nSubject: x\r\n\r\nx\r\n");
        let raw: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let judgement = judged(&raw);
        assert_eq!(judgement.action, Action::Normalize);
        assert!(judgement.findings.has(Finding::MalformedHeaderLine));
        assert!(judgement.findings.has(Finding::Raw8bitHeader));
        let bytes = judgement.bytes();
        let left = String::from_utf8_lossy(below(&bytes, &judgement.added));
        assert_eq!(left.lines().next(), Some(want), "{left}");
        // Without an added field above it, the line stays unchanged.
        let silent = judge(&raw, &Envelope::default(), &silent(Rules::default()));
        assert_eq!(silent.bytes(), raw);
    }
}
