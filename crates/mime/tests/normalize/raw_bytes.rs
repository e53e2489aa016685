//! Raw bytes above 7F in header fields: those that become words, and those that stay.

use super::{keeps_the_laws, policies};
use mailglot_codec::{Charset, View};
use mailglot_mime::encoded_word::{HeaderContext, Repairs};
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode;
use mailglot_mime::{Headers, Limits, Message, OnLoss, PartId, Policy, Transfer, params, process};

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

/// A field that would lose bytes for good stays as it is, whatever it is and however it would be written. The fields beside it do
/// not stay.
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
        (
            b"Gr=FC=DFe aus K=F6ln",
            &["cte.unlabelled", "mime.unsettled"],
        ),
        (b"plain", &["mime.unsettled"]),
        (b"\n", &[]),
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

#[test]
fn comments_of_list_fields_become_words() {
    for (value, want) in [
        (
            &b"<mailto:a@b.example> (=?iso-8859-2?Q?=A3ukasz?=)"[..],
            &b"<mailto:a@b.example> (=?UTF-8?Q?=C5=81ukasz?=)"[..],
        ),
        (
            b"<mailto:a@b.example> (M\xFCller)",
            b"<mailto:a@b.example> (=?UTF-8?Q?M=C3=BCller?=)",
        ),
        // Raw bytes of a URI, and a word in a URI, stay.
        (
            b"<http://a/\xFC> (M\xFCller)",
            b"<http://a/\xFC> (M\xFCller)",
        ),
        (b"<http://a/?=?utf-8?Q?b?=>", b"<http://a/?=?utf-8?Q?b?=>"),
    ] {
        let message = |value: &[u8]| [b"List-Owner: ", value, b"\n\nx\n"].concat();
        let raw = message(value);
        keeps_the_laws(&raw);
        let once = process(&raw, &Policy::default()).bytes;
        assert_eq!(
            once.escape_ascii().to_string(),
            message(want).escape_ascii().to_string()
        );
    }
}
