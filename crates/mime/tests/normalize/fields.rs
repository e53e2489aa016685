//! Encoded words, parameters and digests in header fields, and fields that parts get.

use super::{case, codes, keeps_the_laws, latin1};
use mailglot_mime::encoded_word::{HeaderContext, Repairs};
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode;
use mailglot_mime::{Event, Headers, Limits, Message, Policy, Report, process, text_parts};

#[test]
fn composites_stop_saying_7bit() {
    case(
        "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\n--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw7w=\n--b--\n",
        "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 8bit\n\n--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nü\n--b--\n",
    );
}

#[test]
fn an_attached_message_without_header_gets_fields_of_its_own() {
    let head = "MIME-Version: 1.0\nContent-Type: message/rfc822\n";
    let text = "\u{201e}Gr\u{fc}\u{df}e\u{201c}, sagte er, und noch mehr Gr\u{fc}\u{df}e\n";
    let fields = "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n";
    // The enclosing header ends in a line of blanks, in none, and in an empty line.
    for (end, written) in [(" \n", " \n\n"), ("", "\n"), ("\n", "\n")] {
        let raw = latin1(&format!("{head}{end}{text}"));
        let outcome = process(&raw, &Policy::default());
        let expected = format!("{head}{written}{fields}{text}");
        assert_eq!(
            outcome.bytes.escape_ascii().to_string(),
            expected.as_bytes().escape_ascii().to_string()
        );
        assert!(process(&outcome.bytes, &Policy::default()).edits.is_empty());
        keeps_the_laws(&raw);
    }
}

#[test]
fn headers_become_utf8_words() {
    case(
        "Subject: =?iso-8859-1?Q?Gr=FC=DFe_an_alle_zu_Hause?=\n\nx\n",
        "Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_an_alle_zu_Hause?=\n\nx\n",
    );
    case(
        "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\n\nx\n",
        "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\n\nx\n",
    );
}

#[test]
fn fields_that_are_kept_are_not_repaired() {
    let raw = b"Subject: =?utf-8?q?Gr=C3=83=C2=BC=C3=83=C2=9Fe?=\n\nx\n";
    let repaired = |headers| {
        let policy = Policy::default().headers(headers).repairs(Repairs::ALL);
        let done = process(raw, &policy);
        (
            done.edits.len(),
            done.report
                .events
                .iter()
                .any(|event| event.kind.code() == "ew.mojibake"),
        )
    };
    assert_eq!(repaired(Headers::Words), (1, true));
    assert_eq!(repaired(Headers::Keep), (0, false));
}

#[test]
fn misread_utf8_can_still_be_mended_afterwards() {
    let read = |raw: &[u8]| {
        let value = raw
            .strip_prefix(b"Subject: ")
            .unwrap()
            .split(|b| *b == b'\n')
            .next()
            .unwrap();
        let context = HeaderContext::default().repairs(Repairs::ALL);
        decode(value, FieldKind::Unstructured, &context, &mut Vec::new()).into_owned()
    };
    for (raw, want) in [
        (
            "Subject: =?utf-8?q?Gr=C3=83=C2=BC=C3=83=C2=9Fe?=\n\nx\n",
            "Gr\u{fc}\u{df}e",
        ),
        (
            "Subject: =?utf8?B?R3LDg8K8w4PCn2U=?=\n\nx\n",
            "Gr\u{fc}\u{df}e",
        ),
        (
            "Subject: Gr\u{c3}\u{bc}\u{c3}\u{9f}e\n\nx\n",
            "Gr\u{fc}\u{df}e",
        ),
        (
            "Subject: Gr\u{c3}\u{bc}\u{c3}\u{9f}e \u{85}\n\nx\n",
            "Gr\u{fc}\u{df}e  ",
        ),
    ] {
        for headers in [Headers::Words, Headers::RawUtf8] {
            let policy = Policy::default().headers(headers);
            let done = process(raw.as_bytes(), &policy).bytes.into_owned();
            assert_eq!(read(&done), want, "{}", done.escape_ascii());
            assert!(
                process(&done, &policy).edits.is_empty(),
                "{}",
                done.escape_ascii()
            );
        }
        keeps_the_laws(raw.as_bytes());
    }
}

#[test]
fn japanese_without_words_becomes_words() {
    let raw =
        b"Subject: Re: \x1B$B2q5D\x1B(B (1)\r\nX-A: \x1B[1mbold\x1B[0m\r\nMIME-Version: 1.0\r\n\
        Content-Type: text/plain; charset=iso-2022-jp\r\n\
        Content-Disposition: inline; filename=\"\x1B$B2q5D\x1B(B.txt\"\r\n\r\n\x1B$B2q5D\x1B(B\r\n";
    keeps_the_laws(raw);
    let done = process(raw, &Policy::default());
    let text = String::from_utf8_lossy(&done.bytes);
    assert!(
        text.starts_with("Subject: Re: =?UTF-8?B?5Lya6K2w?= (1)\r\nX-A: \u{1B}[1mbold"),
        "{text}"
    );
    assert!(
        text.contains("; filename*=utf-8''%E4%BC%9A%E8%AD%B0.txt\r\n"),
        "{text}"
    );
    let told = done
        .report
        .events
        .iter()
        .filter(|event| event.kind.code() == "charset.detected");
    let places: Vec<_> = told
        .map(|event| &raw[event.at.start..event.at.end])
        .collect();
    assert_eq!(places, [&b"\x1B$B2q5D\x1B(B"[..]; 2]);
}

#[test]
fn sequences_that_a_newsreader_cut_become_words() {
    let raw = b"Subject: \x1B$B2q5D2q5D\r\nFrom: t@x.example (\x1B$B2q5D)\r\nOrganization: ~{NRCG=qLl~}\r\nSummary: Re: ~{NRCG=qLlTZ11\r\n\
        X-Odd: \x1B$B2q5D2\r\nX-A: ~{HOMEPATH} ~{a b~}\r\n\r\nbody\r\n";
    keeps_the_laws(raw);
    let policy = Policy::default().headers(Headers::RawUtf8);
    let done = process(raw, &policy);
    assert_eq!(
        String::from_utf8_lossy(&done.bytes),
        "Subject: 会議会議\r\nFrom: t@x.example (会議)\r\nOrganization: 我们今天\r\nSummary: Re: 我们今天在北\r\n\
        X-Odd: 会議\u{FFFD}\r\nX-A: ~{HOMEPATH} ~{a b~}\r\n\r\nbody\r\n"
    );
    let is_loss = |event: &&Event| event.kind.code() == "charset.invalid-bytes";
    assert_eq!(done.report.events.iter().filter(is_loss).count(), 1);
}

#[test]
fn labels_in_segments_are_joined_and_go_together() {
    let raw = b"Content-Type: text/plain; charset*0=iso-8859-; charset*1=2\nContent-Transfer-Encoding: 8bit\n\n\xb3\xf3d\xbc za\xbf\xf3\xb3\xe6\n";
    let after =
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nłódź zażółć\n";
    assert_eq!(
        String::from_utf8_lossy(&process(raw, &Policy::default()).bytes),
        after
    );
    keeps_the_laws(raw);
    let message = Message::parse(raw, &Limits::default());
    let parts = text_parts(&message, &Policy::default(), &mut Report::default());
    assert_eq!(parts[0].reading.declared.as_deref(), Some("iso-8859-2"));
    for (label, rest) in [
        ("charset*0*=''koi8; charset*1=-u", ""),
        (
            "charset*0*=''koi8; charset*1*=%2Du; format=flowed",
            "; format=flowed",
        ),
        ("charset*1=-u; charset*0=\"koi8\"", ""),
        ("charset*=us-ascii'en'koi8%2Du", ""),
    ] {
        let head =
            format!("Content-Type: text/plain; {label}\nContent-Transfer-Encoding: 8bit\n\n");
        let raw = [head.as_bytes(), b"\xf0\xd2\xc9\xd7\xa6\xd4\n"].concat();
        let after = format!(
            "Content-Type: text/plain; charset=utf-8{rest}\nContent-Transfer-Encoding: 8bit\n\nПривіт\n"
        );
        assert_eq!(
            String::from_utf8_lossy(&process(&raw, &Policy::default()).bytes),
            after,
            "{label}"
        );
        keeps_the_laws(&raw);
    }
    // Text in UTF-8 that says so stays as it is.
    let raw = "Content-Type: text/plain; charset*0=utf-; charset*1=8\nContent-Transfer-Encoding: 8bit\n\ną\n";
    assert!(process(raw.as_bytes(), &Policy::default()).edits.is_empty());
}

#[test]
fn a_digest_of_changed_text_is_told() {
    let head = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\nContent-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\n\n";
    case(
        &format!("{head}Gr\u{fc}\u{df}e\n"),
        &format!("{}Gr\u{fc}\u{df}e\n", head.replace("iso-8859-1", "utf-8")),
    );
    let raw = latin1(&format!("{head}Gr\u{fc}\u{df}e\n"));
    assert_eq!(codes(&raw), ["hdr.stale-digest"]);
    let event = process(&raw, &Policy::default()).report.events.remove(0);
    assert!(event.at.of(&raw).starts_with(b"Content-MD5:"));
    // Another transfer encoding changes nothing of what it is made of.
    let encoded = head
        .replace("iso-8859-1", "utf-8")
        .replace("8bit", "quoted-printable");
    let raw = format!("{encoded}Gr=C3=BC=C3=9Fe\n");
    assert!(!process(raw.as_bytes(), &Policy::default()).edits.is_empty());
    assert_eq!(codes(raw.as_bytes()), [""; 0]);
}
