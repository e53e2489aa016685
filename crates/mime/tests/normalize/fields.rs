//! Header fields, signatures over them, and what they say of bodies.

use super::{case, codes, keeps_the_laws, latin1, policies};
use mailglot_codec::{Charset, View};
use mailglot_mime::encoded_word::{HeaderContext, Repairs};
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode;
use mailglot_mime::{
    Event, Headers, Limits, Message, OnLoss, PartId, Policy, Report, Transfer, params, process,
    text_parts,
};

#[test]
fn signed_parts_are_untouched() {
    let signed = "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nü\n--o\n\
        Content-Type: multipart/signed; boundary=i\n\n--i\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nü\n--i\n\
        Content-Type: application/pgp-signature\n\nx\n--i--\n--o--\n";
    let raw = Charset::ISO_8859_1
        .encode_exact(signed)
        .expect("the charset has every character");
    let outcome = process(&raw, &Policy::default());
    let inner = raw
        .windows(2)
        .position(|w| w == b"--i")
        .map_or_else(|| raw.windows(3).position(|w| w == b"--i"), Some);
    let start = inner.expect("the signed part is there");
    assert!(
        outcome.bytes.ends_with(&raw[start..]),
        "{}",
        outcome.bytes.escape_ascii()
    );
    assert_eq!(outcome.edits.len(), 2);
    assert!(
        outcome
            .report
            .events
            .iter()
            .any(|e| e.kind.code() == "mime.signed-untouched")
    );
    keeps_the_laws(&raw);
}

#[test]
fn signed_messages_by_policy() {
    let raw = b"DKIM-Signature: v=1; b=x\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n\xfc\n";
    let archive = process(raw, &Policy::default());
    assert!(
        archive
            .report
            .events
            .iter()
            .any(|e| e.kind.code() == "signature.voided")
    );
    let gateway = process(raw, &Policy::default().keep_signed(true));
    assert_eq!(&*gateway.bytes, raw);
    assert!(
        gateway
            .report
            .events
            .iter()
            .any(|e| e.kind.code() == "mime.signed-untouched")
    );
}

#[test]
fn attached_messages_under_a_signature() {
    let inner = "DKIM-Signature: v=1; a=b; bh=x\nFrom: x@y.example\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nGr\u{fc}\u{df}e f\u{fc}r alle\n";
    let head =
        "From: a@b.example\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\nMIME-Version: 1.0\nContent-Type: ";
    let multipart = format!(
        "{head}multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\nGr\u{fc}\u{df}e\n--b\nContent-Type: message/rfc822\n\n{inner}--b--\n"
    );
    for raw in [
        latin1(&format!("{head}message/rfc822\n\n{inner}")),
        latin1(&multipart),
    ] {
        let message = Message::parse(&raw, &Limits::default());
        let last = PartId(message.parts().len() as u32 - 1);
        let inner =
            &raw[message.part(last).unwrap().header.start..message.part(last).unwrap().body.end];
        let told = |policy: &Policy, code: &str| -> Vec<PartId> {
            let report = process(&raw, policy).report;
            report
                .events
                .iter()
                .filter(|event| event.kind.code() == code)
                .map(|event| event.part)
                .collect()
        };
        for headers in [Headers::Words, Headers::RawUtf8] {
            let keep = Policy::default().keep_signed(true).headers(headers);
            let kept = process(&raw, &keep);
            assert!(
                kept.bytes
                    .windows(inner.len())
                    .any(|window| window == inner)
            );
            assert!(!kept.edits.is_empty(), "what is around it is rewritten");
            assert!(process(&kept.bytes, &keep).edits.is_empty());
            assert_eq!(told(&keep, "mime.signed-untouched"), [last]);
            assert_eq!(told(&keep, "signature.voided"), []);
        }
        assert_eq!(told(&Policy::default(), "signature.voided"), [last]);
        assert_eq!(told(&Policy::default(), "mime.signed-untouched"), []);
        keeps_the_laws(&raw);
    }
    // Nothing in it changes.
    let plain = "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\nContent-Type: message/rfc822\n\nDKIM-Signature: v=1\n\nplain\n";
    assert!(
        !process(plain.as_bytes(), &Policy::default())
            .edits
            .is_empty()
    );
    assert_eq!(codes(plain.as_bytes()), [""; 0]);
}

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
fn raw_bytes_that_stay_are_not_read_anew_by_a_second_pass() {
    let repairs = Repairs::ALL;
    let policy = Policy::default()
        .headers(Headers::RawUtf8)
        .transfer(Transfer::Keep)
        .repairs(repairs);
    let once = process(b"a:aA\x92\xbd=\nr:8a\xc2\xbc\x90;", &policy);
    assert!(
        process(&once.bytes, &policy).edits.is_empty(),
        "{}",
        once.bytes.escape_ascii()
    );
}

/// In Shift_JIS, Big5 and GBK a backslash may be the second half of a character, in quotes too.
#[test]
fn second_halves_that_are_backslashes_stay() {
    for (label, text) in [
        ("shift_jis", "表示"),
        ("shift_jis", "予算表"),
        ("shift_jis", "ソース表.十"),
        ("shift_jis", "能力開発部"),
        ("big5", "許功蓋"),
        ("big5", "成功的許可"),
        ("gbk", "丂乗俓"),
    ] {
        let charset = Charset::for_label(label.as_bytes(), View::Mail)
            .charset()
            .unwrap();
        let raw = charset
            .encode_exact(text)
            .expect("the charset has every character");
        let policy = Policy::default().default_charset(Some(charset));
        let input = [
            b"From: \"",
            &raw[..],
            b"\" <a@b.example>\nTo: c@d.example, \"",
            &raw,
            b"\"\nContent-Type: text/plain; name=\"",
            &raw,
            b".txt\"\nContent-Disposition: attachment; filename=\"",
            &raw,
            b"\"; size=1\n\nx\n",
        ]
        .concat();
        keeps_the_laws(&input);
        let done = process(&input, &policy);
        let text_of = String::from_utf8(done.bytes.to_vec())
            .unwrap()
            .replace("\n ", " ");
        let value = |name: &str| {
            let line = text_of.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_once(": ").unwrap().1.as_bytes()
        };
        let context = HeaderContext::default();
        let from = decode(
            value("From"),
            FieldKind::Structured,
            &context,
            &mut Vec::new(),
        );
        assert_eq!(
            from,
            format!("{text} <a@b.example>"),
            "{}",
            done.bytes.escape_ascii()
        );
        let to = decode(
            value("To"),
            FieldKind::Structured,
            &context,
            &mut Vec::new(),
        );
        assert_eq!(to, format!("c@d.example, {text}"));
        let name = params::parse(value("Content-Type"), &context, &mut Vec::new());
        assert_eq!(name.get("name"), Some(&*format!("{text}.txt")));
        let file = params::parse(value("Content-Disposition"), &context, &mut Vec::new());
        assert_eq!(
            (file.get("filename"), file.get("size")),
            (Some(text), Some("1"))
        );
    }
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

/// A field that would lose bytes for good stays as it is, whatever it is and however it would be written; those beside it do not.
#[test]
fn fields_with_bytes_that_cannot_be_read_are_kept_on_request() {
    let lossy: [&[u8]; 9] = [
        b"Subject: =?utf-8?Q?caf=E9_=FF_rest?=",
        b"Subject: fine =?iso-8859-1?Q?=E4?= and =?utf-8?B?////?= =?iso-8859-1?Q?=F6?=",
        b"From: =?utf-8?B?////?= <a@b.example>",
        b"To: =?iso-2022-jp?B?GyRC/yEhGyhC?= <a@b.example>, =?iso-8859-1?Q?=E4?= <c@d.example>",
        b"Subject: =?shift_jis?B?g/+DQQ==?=",
        b"Content-Type: text/plain; name=\"=?utf-8?Q?x=E9=FF.txt?=\"",
        b"Content-Disposition: attachment; filename*=utf-8''a%E9%FFb",
        b"Comments: (=?euc-jp?Q?=A4=FF=FF?=) x",
        b"X-Long: =?utf-8?Q?a=FF=FE?=\r\n =?utf-8?Q?b=E9?=",
    ];
    let mut lost = 0;
    for field in lossy {
        let clean = b"X-Clean: =?iso-8859-1?Q?gr=FC=DFe?=\r\n";
        let raw = [field, b"\r\n", clean, b"\r\nbody\r\n"].concat();
        keeps_the_laws(&raw);
        for policy in policies()
            .into_iter()
            .filter(|policy| policy.headers != Headers::Keep)
        {
            let once = process(&raw, &policy);
            let out = once.bytes.escape_ascii().to_string();
            assert!(
                !out.contains("X-Clean: =?iso-8859-1"),
                "the other field is written anew: {out}"
            );
            // What another charset can read is no loss.
            if once.report.losses() > 0 {
                lost += 1;
                let kept = once.bytes.starts_with(field);
                assert_eq!(kept, policy.on_loss == OnLoss::Keep, "{policy:?}: {out}");
            }
        }
    }
    assert!(lost >= 40, "{lost}");
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

/// No encoded word takes the angles of an identifier.
#[test]
fn identifiers_in_angles_keep_their_raw_bytes() {
    for field in [
        &b"X-MS-TNEF-Correlator: <\xfc@x>"[..],
        b"X-MS-TNEF-Correlator:\n <\xfc@x>",
        b"X-Anything: <\xfc@x>",
        b"X-Anything: <a@b>\n <\xfc@x>",
        b"X-Anything: <\xc3\xbc@x>",
    ] {
        let raw = [field, b"\n\nx\n"].concat();
        for policy in policies() {
            let written = process(&raw, &policy);
            let line = written
                .bytes
                .split(|byte| *byte == b'\n')
                .collect::<Vec<_>>()
                .join(&b" "[..]);
            assert!(
                line.windows(1).any(|w| w == b"<") && !line.windows(2).any(|w| w == b"=?"),
                "{}",
                line.escape_ascii()
            );
        }
        keeps_the_laws(&raw);
    }
    let raw = b"X-Anything: see <\xfc@x> there\n\nx\n";
    let written = process(raw, &Policy::default());
    assert!(
        written.bytes.windows(2).any(|w| w == b"=?"),
        "{}",
        written.bytes.escape_ascii()
    );
}

/// UTF-8 in one field says nothing about the charset of raw bytes in another one.
#[test]
fn raw_bytes_beside_utf_8_are_read_by_themselves() {
    for (raw, name, want) in [
        (
            &b"Subject: caf\xc3\xa9\nX-A: caf\xe9\n\nx\n"[..],
            "x-a",
            "caf\u{e9}",
        ),
        (
            b"Subject: caf\xc3\xa9\nX-A: caf\xe9\n\nx\n",
            "subject",
            "caf\u{e9}",
        ),
        (
            b"X-A: Gr\xfc\xdfe\nSubject: \xe6\x97\xa5\xe6\x9c\xac\n\nx\n",
            "x-a",
            "Gr\u{fc}\u{df}e",
        ),
        (
            b"Content-Type:\xa0text/plain\nSubject: caf\xc3\xa9\n\nx\n",
            "subject",
            "caf\u{e9}",
        ),
    ] {
        let read = |raw: &[u8]| {
            let (message, policy) = (Message::parse(raw, &Limits::default()), Policy::default());
            let context = mailglot_mime::header_context(&message, &policy);
            let field = message
                .field(PartId::ROOT, name.as_bytes())
                .expect("the field");
            let value = field.value.of(raw);
            decode(value, FieldKind::Unstructured, &context, &mut Vec::new())
                .trim()
                .to_owned()
        };
        assert_eq!(read(raw), want, "{}", raw.escape_ascii());
        let written = process(raw, &Policy::default());
        assert_eq!(
            read(&written.bytes),
            want,
            "{}",
            written.bytes.escape_ascii()
        );
        keeps_the_laws(raw);
    }
}

/// Fields that are never rewritten keep bytes that are not UTF-8, and an event says where. The same holds for names of fields.
#[test]
fn kept_bytes_that_are_not_utf8_are_reported() {
    for (line, place) in [
        ("Received: from M\u{fc}ller-PC by mx.example", " from"),
        ("In-Reply-To: <1@x.example>; from J\u{f6}rg", " <1@x"),
        (
            "List-Unsubscribe: <mailto:x@y.example?body=K\u{fc}ndigen>",
            " <mail",
        ),
        ("Return-Path: <j\u{f6}rg@x.example>", " <j"),
        ("Subj\u{e9}ct: plain", "Subj"),
    ] {
        let latin1: Vec<u8> = line.chars().map(|c| c as u8).collect();
        let raw = [&latin1, &b"\nFrom: a@x.example\n\nbody\n"[..]].concat();
        keeps_the_laws(&raw);
        let normalized = process(&raw, &Policy::default());
        let [event] = normalized.report.events.as_slice() else {
            panic!("{line}: {:?}", normalized.report.events);
        };
        let at = event.at.of(&raw);
        assert!(at.starts_with(place.as_bytes()) && !at.is_ascii(), "{line}");
        assert_eq!(event.kind.code(), "hdr.not-utf8", "{line}");
        // Raw UTF-8 is allowed there (RFC 6532).
        let raw = format!("{line}\nFrom: a@x.example\n\nbody\n");
        let normalized = process(raw.as_bytes(), &Policy::default());
        assert_eq!(normalized.report.events, [], "{line}");
    }
}

/// The fields of a delivery status stay, too.
#[test]
fn a_delivery_status_that_is_not_utf8_is_reported() {
    let status = |diagnostic: &[u8]| {
        let head = b"Content-Type: multipart/report; boundary=b\n\n--b\n\
            Content-Type: message/delivery-status\n\nDiagnostic-Code: smtp; ";
        [&head[..], diagnostic, b"\n--b--\n"].concat()
    };
    for (diagnostic, expected) in [
        (&b"550 \xCF\xEE\xEB\xFC"[..], &["hdr.not-utf8"][..]),
        ("550 Поль".as_bytes(), &[]),
        (b"550 no", &[]),
    ] {
        let raw = status(diagnostic);
        keeps_the_laws(&raw);
        let normalized = process(&raw, &Policy::default());
        let codes = normalized.report.events.iter();
        let codes: Vec<_> = codes.map(|event| event.kind.code()).collect();
        assert_eq!(codes, expected, "{}", diagnostic.escape_ascii());
    }
}

/// Text under an unknown transfer encoding stays, and an event says so.
#[test]
fn text_under_an_unknown_transfer_encoding_is_reported() {
    for (body, expected) in [
        (&b"Gr\xFC\xDFe"[..], &["mime.unsettled"][..]),
        (b"Gr=FC=DFe aus K=F6ln", &["cte.unlabelled"]),
        (b"plain", &[]),
    ] {
        let header = b"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: x-unknown\n\n";
        let raw = [&header[..], body].concat();
        let normalized = process(&raw, &Policy::default());
        let codes: Vec<_> = normalized
            .report
            .events
            .iter()
            .map(|event| event.kind.code())
            .collect();
        assert_eq!((codes.as_slice(), &*normalized.bytes), (expected, &*raw));
    }
}
