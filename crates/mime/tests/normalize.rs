//! What the planner makes of whole messages, and the laws that hold for each of them.

use base64::Engine as _;
use mailglot_codec::{Charset, LossLog, Unmappable, View};
use mailglot_mime::encoded_word::{HeaderContext, Repairs, decode};
use mailglot_mime::header::FieldKind;
use mailglot_mime::{
    EventKind, Headers, Limits, Message, OnLoss, PartId, PartKind, Policy, Report, Transfer, apply_undo,
    params, process, text_parts, undo_edits,
};

/// Policies that every message of this file is put through.
fn policies() -> Vec<Policy> {
    let mut all = Vec::new();
    for headers in [Headers::Keep, Headers::Words, Headers::RawUtf8] {
        for transfer in [Transfer::Keep, Transfer::Clean, Transfer::SevenBit, Transfer::EightBit] {
            for on_loss in [OnLoss::Replace, OnLoss::Keep] {
                all.push(Policy { headers, transfer, on_loss, ..Policy::default() });
            }
        }
    }
    all
}

fn texts(raw: &[u8]) -> Vec<(String, Option<String>)> {
    let message = Message::parse(raw, &Limits::default());
    text_parts(&message, &Policy::default(), &mut Report::default())
        .into_iter()
        .map(|p| {
            let text = p.text.map(|t| t.replace("\r\n", "\n").trim_end_matches('\n').to_owned());
            (message.section(p.part), text)
        })
        .collect()
}

/// Laws 2, 3, 4 and 7, and that the text stays as it was, for one message under every policy.
fn keeps_the_laws(raw: &[u8]) {
    for policy in policies() {
        let once = process(raw, &policy);
        let shown = || format!("{policy:?}\n{}\n->\n{}", raw.escape_ascii(), once.bytes.escape_ascii());
        let twice = process(&once.bytes, &policy);
        assert!(twice.edits.is_empty(), "a second pass edits: {:?}\n{}", twice.edits, shown());
        let undo = undo_edits(raw, &once.edits);
        assert_eq!(apply_undo(&once.bytes, &undo).as_deref(), Some(raw), "{}", shown());
        let (before, after) =
            (Message::parse(raw, &Limits::default()), Message::parse(&once.bytes, &Limits::default()));
        assert_eq!(before.parts().len(), after.parts().len(), "{}", shown());
        for (b, a) in before.parts().iter().zip(after.parts()) {
            assert_eq!((b.parent, b.kind), (a.parent, a.kind), "{}", shown());
            // Raw UTF-8 in its header makes message/rfc822 message/global.
            assert!(b.media == a.media || b.kind == PartKind::Message, "{}", shown());
        }
        if !raw.windows(5).any(|w| w == b"<meta") {
            assert_eq!(texts(raw), texts(&once.bytes), "{}", shown());
        }
        if policy.transfer == Transfer::SevenBit && raw.is_ascii() {
            assert!(once.bytes.is_ascii(), "{}", shown());
        }
    }
}

/// The bytes that Latin-1 text stands for.
fn latin1(text: &str) -> Vec<u8> {
    let mut log = mailglot_codec::LossLog::new();
    Charset::WINDOWS_1252.encode(text, mailglot_codec::Unmappable::Fatal, &mut log).into_owned()
}

/// Input (latin-1 text stands for bytes) and the output of the default policy.
fn case(raw: &str, expected: &str) {
    let raw = Charset::WINDOWS_1252
        .encode(raw, mailglot_codec::Unmappable::Fatal, &mut mailglot_codec::LossLog::new())
        .into_owned();
    for crlf in [false, true] {
        let (raw, expected) = if crlf {
            let text: Vec<u8> =
                raw.iter().flat_map(|b| if *b == b'\n' { vec![b'\r', b'\n'] } else { vec![*b] }).collect();
            (text, expected.replace('\n', "\r\n"))
        } else {
            (raw.clone(), expected.to_owned())
        };
        let outcome = process(&raw, &Policy::default());
        assert_eq!(String::from_utf8_lossy(&outcome.bytes), expected);
        keeps_the_laws(&raw);
    }
}

#[test]
fn ascii_is_not_touched() {
    for raw in [
        "Subject: a\n\nb\n",
        "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nb\n",
        "Content-Type: text/plain; charset=x-nobody-knows\n\nb\n",
        "",
        "\n",
        "no header at all",
    ] {
        case(raw, raw);
    }
}

#[test]
fn legacy_bodies_become_utf8() {
    case(
        "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nGrüße\n",
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße\n",
    );
    case(
        "Content-Type: text/plain; charset=\"iso-8859-1\"; format=flowed\n\n\u{201c}Grüße\u{201d} \nx\n",
        "Content-Type: text/plain; charset=\"utf-8\"; format=flowed\nContent-Transfer-Encoding: 8bit\n\n\u{201c}Grüße\u{201d} \nx\n",
    );
}

#[test]
fn encoded_bodies_become_readable() {
    case(
        "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe =\nan alle=20\n",
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße an alle \n",
    );
    case(
        "Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: base64\n\naGVsbG8K\n",
        "Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: 7bit\n\nhello\n",
    );
    // No line end inside, but the message has one.
    case(
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw7w=\n",
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nü\n",
    );
}

#[test]
fn missing_labels_are_added() {
    case(
        "Subject: a\n\nGrüße aus Köln, schöne Grüße\n",
        "Subject: a\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße aus Köln, schöne Grüße\n",
    );
    case(
        "Content-Type: text/plain\n\nGrüße aus Köln, schöne Grüße\n",
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße aus Köln, schöne Grüße\n",
    );
}

#[test]
fn what_has_no_header_gets_none() {
    for raw in ["Grüße aus Köln, schöne Grüße\n", "\nGrüße aus Köln, schöne Grüße\n", "\0\u{81}ÿ\0"]
    {
        let raw = latin1(raw);
        assert_eq!(&*process(&raw, &Policy::default()).bytes, raw);
        keeps_the_laws(&raw);
    }
}

#[test]
fn damaged_utf8_stays_utf8() {
    let raw =
        b"Content-Type: text/plain; charset=utf-8\n\n\xc3\xa4 \xc3\xb6 \xc3\xbc \xe6\x97 \xff \xe2\x82\n";
    let outcome = process(raw, &Policy::default());
    let text = String::from_utf8_lossy(&outcome.bytes);
    assert!(text.ends_with("ä ö ü \u{fffd} \u{fffd} \u{fffd}\n"), "{text}");
    assert_eq!(outcome.report.losses(), 3);
    keeps_the_laws(raw);
}

#[test]
fn ebcdic_and_text_that_only_says_so() {
    let header = "Content-Type: text/plain; charset=ibm037\nContent-Transfer-Encoding: base64\n\n";
    // "Hello, world" and NEL.
    let real = format!("{header}yIWTk5ZrQKaWmZOEFQ==\n");
    let message = Message::parse(real.as_bytes(), &Limits::default());
    let mut report = Report::with_limit(9);
    let parts = text_parts(&message, &Policy::default(), &mut report);
    assert_eq!(parts[0].text.as_deref(), Some("Hello, world\u{85}"));
    keeps_the_laws(real.as_bytes());
    let lie = "Content-Type: text/plain; charset=ibm037\n\nHello, world\n";
    let message = Message::parse(lie.as_bytes(), &Limits::default());
    let mut report = Report::with_limit(9);
    let parts = text_parts(&message, &Policy::default(), &mut report);
    assert_eq!(parts[0].text.as_deref(), Some("Hello, world\n"));
    assert!(report.events.iter().any(|e| e.kind.code() == "charset.detected"));
    keeps_the_laws(lie.as_bytes());
}

#[test]
fn documents_that_name_their_charset() {
    case(
        "Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n<html><head><meta charset=iso-8859-1></head>ü</html>\n",
        "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n<html><head><meta charset=utf-8></head>ü</html>\n",
    );
}

#[test]
fn text_that_looks_like_a_declaration_stays() {
    let text = "Schreib an info@charset.org, die @charset \"latin1\"; muß für Größe";
    let meta = "<meta name=description content='text/html; charset=latin1'>";
    for kind in ["html", "css", "xml", "plain", "x-vcard"] {
        let head = |charset: &str| {
            format!(
                "MIME-Version: 1.0\nContent-Type: text/{kind}; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
            )
        };
        let raw = latin1(&format!("{}{text}{meta}\n", head("iso-8859-1")));
        let out = process(&raw, &Policy::default()).bytes;
        assert_eq!(std::str::from_utf8(&out).unwrap(), format!("{}{text}{meta}\n", head("utf-8")));
    }
}

#[test]
fn each_kind_of_document_says_its_charset_in_its_own_way() {
    let title = "ü".repeat(970);
    for (kind, old, new) in [
        ("css", "@charset \"latin1\"; /* ü */", "@charset \"utf-8\"; /* ü */"),
        ("svg+xml", "<?xml encoding='latin1'?><ü/>", "<?xml encoding='utf-8'?><ü/>"),
        ("vnd.wap.wml", "<?xml encoding='latin1'?><ü/>", "<?xml encoding='utf-8'?><ü/>"),
        ("x-vcard", "FN;CHARSET=ISO-8859-1:ü", "FN;CHARSET=utf-8:ü"),
        ("plain", "<meta charset=latin1>ü", "<meta charset=latin1>ü"),
        ("html", &format!("<p>{title}<meta charset=latin1>"), &format!("<p>{title}<meta charset=utf-8>")),
    ] {
        let head = format!("MIME-Version: 1.0\nContent-Type: text/{kind}; charset=");
        let rest = "\nContent-Transfer-Encoding: 8bit\n\n";
        let raw = latin1(&format!("{head}iso-8859-1{rest}{old}\n"));
        let out = process(&raw, &Policy::default()).bytes;
        if kind == "html" {
            // One line is longer than any may be.
            assert!(texts(&out)[0].1.as_deref().unwrap().ends_with("<meta charset=utf-8>"));
        } else {
            assert_eq!(std::str::from_utf8(&out).unwrap(), format!("{head}utf-8{rest}{new}\n"));
        }
    }
}

#[test]
fn line_ends_that_only_decoding_makes_open_no_part() {
    let inner = "\r--b\rContent-Type: text/html\r\r<p>\r--b\r";
    let utf16: Vec<u8> = format!("ä{inner}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (charset, body) in
        [("utf-7", b"+AOQADQ--b+AA0-Content-Type: text/html+AA0ADQ-<p>".to_vec()), ("utf-16le", utf16)]
    {
        for eol in ["\n", "\r\n"] {
            let head = format!(
                "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
            );
            let raw =
                [head.replace('\n', eol).as_bytes(), &body[..], eol.as_bytes(), b"--b--", eol.as_bytes()]
                    .concat();
            let out = process(&raw, &Policy::default()).bytes;
            let bare = memchr::memmem::find_iter(&out, b"\r").filter(|at| out.get(at + 1) != Some(&b'\n'));
            assert_eq!(bare.count(), 0, "{}", out.escape_ascii());
            assert_eq!(texts(&raw), texts(&out));
            assert!(process(&out, &Policy::default()).edits.is_empty());
        }
    }
}

#[test]
fn lines_in_base64_end_as_rfc_2045_says() {
    let line = "щ".repeat(600);
    let raw = format!(
        "MIME-Version: 1.0\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable\n\n{}\n=DD=\n=DD\n",
        "=DD".repeat(600)
    );
    let raw = raw.as_bytes();
    let out = process(raw, &Policy::default()).bytes;
    let out = std::str::from_utf8(&out).unwrap();
    let (head, body) = out.split_once("\n\n").unwrap();
    assert!(head.ends_with("Content-Transfer-Encoding: base64"), "{out}");
    let decoded = base64::engine::general_purpose::STANDARD.decode(body.replace('\n', "")).unwrap();
    assert_eq!(String::from_utf8(decoded).unwrap(), format!("{line}\r\nщщ\r\n"));
}

#[test]
fn dangerous_lines_stay_encoded() {
    // A line that an enclosing boundary would cut, one that a mailbox would quote, one too long.
    case(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n=2D-b=C3=BC\n--b--\n",
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n=2D-b=C3=BC\n--b--\n",
    );
    let from = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n=46rom here\n";
    case(from, from);
    let long = format!(
        "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nü{}\n",
        "x".repeat(1200)
    );
    let raw = Charset::ISO_8859_1.encode(
        &long,
        mailglot_codec::Unmappable::Fatal,
        &mut mailglot_codec::LossLog::new(),
    );
    let outcome = process(&raw, &Policy::default());
    assert!(outcome.bytes.split(|b| *b == b'\n').all(|line| line.len() <= 998));
    keeps_the_laws(&raw);
}

#[test]
fn signed_parts_are_untouched() {
    let signed = "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nü\n--o\n\
        Content-Type: multipart/signed; boundary=i\n\n--i\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nü\n--i\n\
        Content-Type: application/pgp-signature\n\nx\n--i--\n--o--\n";
    let raw = Charset::ISO_8859_1.encode(
        signed,
        mailglot_codec::Unmappable::Fatal,
        &mut mailglot_codec::LossLog::new(),
    );
    let outcome = process(&raw, &Policy::default());
    let inner = raw
        .windows(2)
        .position(|w| w == b"--i")
        .map_or_else(|| raw.windows(3).position(|w| w == b"--i"), Some);
    let start = inner.expect("the signed part is there");
    assert!(outcome.bytes.ends_with(&raw[start..]), "{}", outcome.bytes.escape_ascii());
    assert_eq!(outcome.edits.len(), 2);
    assert!(outcome.report.events.iter().any(|e| e.kind.code() == "mime.signed-untouched"));
    keeps_the_laws(&raw);
}

#[test]
fn signed_messages_by_policy() {
    let raw = b"DKIM-Signature: v=1; b=x\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n\xfc\n";
    let archive = process(raw, &Policy::default());
    assert!(archive.report.events.iter().any(|e| e.kind.code() == "signature.voided"));
    let gateway = process(raw, &Policy { keep_signed: true, ..Policy::default() });
    assert_eq!(&*gateway.bytes, raw);
    assert!(gateway.report.events.iter().any(|e| e.kind.code() == "mime.signed-untouched"));
}

#[test]
fn losses_have_places() {
    let raw = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nJa, gr=C3=BCn; und hier steht noch mehr Text, =FF, der gut ist: =C3=A4=C3=B6=C3=BC =C3=A4=C3=B6=C3=BC\n\
        =C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC\n";
    let outcome = process(raw, &Policy::default());
    let loss =
        outcome.report.events.iter().find(|e| e.kind.code() == "charset.invalid-bytes").expect("one loss");
    assert_eq!(loss.at.of(raw), b"=FF");
    assert!(String::from_utf8_lossy(&outcome.bytes).contains("Text, \u{fffd}, der"));
    let keep = process(raw, &Policy { on_loss: OnLoss::Keep, ..Policy::default() });
    assert_eq!(&*keep.bytes, raw);
    keeps_the_laws(raw);
}

#[test]
fn composites_stop_saying_7bit() {
    case(
        "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\n--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw7w=\n--b--\n",
        "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 8bit\n\n--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nü\n--b--\n",
    );
}

#[test]
fn bodies_that_are_not_in_their_encoding() {
    case(
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nThis is just text, and nobody encoded it.\n",
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 7bit\n\nThis is just text, and nobody encoded it.\n",
    );
}

#[test]
fn headers_become_utf8_words() {
    case(
        "Subject: =?iso-8859-1?Q?Gr=FC=DFe_an_alle_zu_Hause?=\n\nx\n",
        "Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_an_alle_zu_Hause?=\n\nx\n",
    );
    case("Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\n\nx\n", "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\n\nx\n");
}

#[test]
fn raw_bytes_that_stay_are_not_read_anew_by_a_second_pass() {
    let repairs = Repairs::ALL;
    let policy = Policy { headers: Headers::RawUtf8, transfer: Transfer::Keep, repairs, ..Policy::default() };
    let once = process(b"a:aA\x92\xbd=\nr:8a\xc2\xbc\x90;", &policy);
    assert!(process(&once.bytes, &policy).edits.is_empty(), "{}", once.bytes.escape_ascii());
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
        let charset = Charset::for_label(label.as_bytes(), View::Mail).charset().unwrap();
        let raw = charset.encode(text, Unmappable::Fatal, &mut LossLog::new());
        let policy = Policy { default_charset: Some(charset), ..Policy::default() };
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
        let text_of = String::from_utf8(done.bytes.to_vec()).unwrap().replace("\n ", " ");
        let value = |name: &str| {
            let line = text_of.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_once(": ").unwrap().1.as_bytes()
        };
        let context = HeaderContext::default();
        let from = decode(value("From"), FieldKind::Structured, &context, &mut Vec::new());
        assert_eq!(from, format!("{text} <a@b.example>"), "{}", done.bytes.escape_ascii());
        let to = decode(value("To"), FieldKind::Structured, &context, &mut Vec::new());
        assert_eq!(to, format!("c@d.example, {text}"));
        let name = params::parse(value("Content-Type"), &context, &mut Vec::new());
        assert_eq!(name.get("name"), Some(&*format!("{text}.txt")));
        let file = params::parse(value("Content-Disposition"), &context, &mut Vec::new());
        assert_eq!((file.get("filename"), file.get("size")), (Some(text), Some("1")));
    }
}

#[test]
fn japanese_without_words_becomes_words() {
    let raw = b"Subject: Re: \x1B$B2q5D\x1B(B (1)\r\nX-A: \x1B[1mbold\x1B[0m\r\nMIME-Version: 1.0\r\n\
        Content-Type: text/plain; charset=iso-2022-jp\r\n\
        Content-Disposition: inline; filename=\"\x1B$B2q5D\x1B(B.txt\"\r\n\r\n\x1B$B2q5D\x1B(B\r\n";
    keeps_the_laws(raw);
    let done = process(raw, &Policy::default());
    let text = String::from_utf8_lossy(&done.bytes);
    assert!(text.starts_with("Subject: Re: =?UTF-8?B?5Lya6K2w?= (1)\r\nX-A: \u{1B}[1mbold"), "{text}");
    assert!(text.contains("; filename*=utf-8''%E4%BC%9A%E8%AD%B0.txt\r\n"), "{text}");
    let told = done.report.events.iter().filter(|event| event.kind.code() == "charset.detected");
    let places: Vec<_> = told.map(|event| &raw[event.at.start..event.at.end]).collect();
    assert_eq!(places, [&b"\x1B$B2q5D\x1B(B"[..]; 2]);
}

/// A mailbox ends the last line of each message; that makes nothing else of it.
#[test]
fn a_line_end_that_is_added_at_the_end_changes_no_more() {
    let message = |end: &str, text: &[u8]| {
        let body = base64::engine::general_purpose::STANDARD.encode(text);
        format!(
            "MIME-Version: 1.0{end}Content-Type: text/plain; charset=iso-8859-1{end}Content-Transfer-Encoding: base64{end}{end}{body}{end}"
        )
    };
    for end in ["\n", "\r\n"] {
        for text in
            [&b"d\xe9j\xe0 vu"[..], b"d\xe9j\xe0\r\nvu\r\n", b"d\xe9j\xe0\r\nvu\r", b"\xe9\r", b"\xe9\n\r"]
        {
            let raw = message(end, text);
            for policy in policies() {
                let once = process(raw.as_bytes(), &policy).bytes.into_owned();
                let ended = [&once[..], end.as_bytes()].concat();
                for again in [once.clone(), ended] {
                    let edits = process(&again, &policy).edits;
                    assert!(edits.is_empty(), "{policy:?} {} {edits:?}", again.escape_ascii());
                }
            }
        }
    }
}

#[test]
fn a_line_end_that_a_text_gets_is_told() {
    let raw = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw6k=\n";
    let policy = Policy { transfer: Transfer::EightBit, ..Policy::default() };
    let done = process(raw, &policy);
    assert!(done.bytes.ends_with("\n\n\u{e9}\n".as_bytes()));
    let told = |report: &Report| report.has(EventKind::CteLineEndAdded);
    assert!(told(&done.report));
    let ended = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw6kK\n";
    assert!(!told(&process(ended, &policy).report));
    assert_eq!(apply_undo(&done.bytes, &undo_edits(raw, &done.edits)).as_deref(), Some(&raw[..]));
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
        for policy in policies().into_iter().filter(|policy| policy.headers != Headers::Keep) {
            let once = process(&raw, &policy);
            let out = once.bytes.escape_ascii().to_string();
            assert!(!out.contains("X-Clean: =?iso-8859-1"), "the other field is written anew: {out}");
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
    let after = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nłódź zażółć\n";
    assert_eq!(String::from_utf8_lossy(&process(raw, &Policy::default()).bytes), after);
    keeps_the_laws(raw);
    let message = Message::parse(raw, &Limits::default());
    let parts = text_parts(&message, &Policy::default(), &mut Report::default());
    assert_eq!(parts[0].reading.declared.as_deref(), Some("iso-8859-2"));
    for (label, rest) in [
        ("charset*0*=''koi8; charset*1=-u", ""),
        ("charset*0*=''koi8; charset*1*=%2Du; format=flowed", "; format=flowed"),
        ("charset*1=-u; charset*0=\"koi8\"", ""),
        ("charset*=us-ascii'en'koi8%2Du", ""),
    ] {
        let head = format!("Content-Type: text/plain; {label}\nContent-Transfer-Encoding: 8bit\n\n");
        let raw = [head.as_bytes(), b"\xf0\xd2\xc9\xd7\xa6\xd4\n"].concat();
        let after = format!(
            "Content-Type: text/plain; charset=utf-8{rest}\nContent-Transfer-Encoding: 8bit\n\nПривіт\n"
        );
        assert_eq!(String::from_utf8_lossy(&process(&raw, &Policy::default()).bytes), after, "{label}");
        keeps_the_laws(&raw);
    }
    // Text in UTF-8 that says so stays as it is.
    let raw = "Content-Type: text/plain; charset*0=utf-; charset*1=8\nContent-Transfer-Encoding: 8bit\n\ną\n";
    assert!(process(raw.as_bytes(), &Policy::default()).edits.is_empty());
}

/// Codes of the events of normalising.
fn codes(raw: &[u8]) -> Vec<&'static str> {
    process(raw, &Policy::default()).report.events.iter().map(|event| event.kind.code()).collect()
}

#[test]
fn blanks_at_the_ends_of_lines_in_quoted_printable() {
    let flowed = "Content-Type: text/plain; charset=utf-8; format=flowed\nContent-Transfer-Encoding: quoted-printable\n\n";
    let raw = format!("{flowed}this is flowed \nsig =C3=A4\n-- \nme\n");
    // Only the transfer encoding would change: the reader goes on flowing lines by them.
    case(&raw, &raw);
    assert_eq!(codes(raw.as_bytes()), ["cte.qp-trailing-blanks"]);
    let clean = raw.replace(" \n", "\n");
    case(&clean, &clean.replace("quoted-printable", "8bit").replace("=C3=A4", "ä"));
    assert_eq!(codes(clean.as_bytes()), [""; 0]);
    let legacy = raw.replace("utf-8", "iso-8859-1").replace("=C3=A4", "=E4");
    case(
        &legacy,
        "Content-Type: text/plain; charset=utf-8; format=flowed\nContent-Transfer-Encoding: 8bit\n\nthis is flowed\nsig ä\n--\nme\n",
    );
    let event = process(legacy.as_bytes(), &Policy::default()).report.events.remove(0);
    let place = event.at.of(legacy.as_bytes());
    assert_eq!((event.kind.code(), event.count), ("cte.qp-trailing-blanks", 2));
    assert_eq!(String::from_utf8_lossy(place), " \nsig =E4\n-- ");
}

#[test]
fn what_was_appended_to_base64_begins_a_line() {
    let head = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: ";
    case(
        &format!("{head}base64\n\nR3L832Ugb2huZQ==\n\n_____\nList footer here, to leave go away\n"),
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße ohne\n_____\nList footer here, to leave go away\n",
    );
    // The text has a line end already.
    case(
        &format!("{head}base64\n\nR3L832UK\n\n_____\nList footer here, to leave go away\n"),
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße\n_____\nList footer here, to leave go away\n",
    );
    // Plain without a change of its charset.
    case(
        &format!("{head}base64\n\nYWJjZA==\n\n_____\nList footer here, to leave go away\n"),
        &format!("{head}7bit\n\nabcd\n_____\nList footer here, to leave go away\n"),
    );
}

#[test]
fn several_texts_in_base64_are_told() {
    let raw = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\nR3L832UgZvxyIGFsbGU=R3L832UgZvxyIGFsbGU=\nR3L832Ug\n";
    case(
        raw,
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße für alleGrüße für alleGrüße \n",
    );
    let event = process(raw.as_bytes(), &Policy::default()).report.events.remove(0);
    assert_eq!((event.kind.code(), event.count), ("cte.b64-several", 2));
}

#[test]
fn attached_messages_under_a_signature() {
    let inner = "DKIM-Signature: v=1; a=b; bh=x\nFrom: x@y.example\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nGr\u{fc}\u{df}e f\u{fc}r alle\n";
    let head = "From: a@b.example\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\nMIME-Version: 1.0\nContent-Type: ";
    let multipart = format!(
        "{head}multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\nGr\u{fc}\u{df}e\n--b\nContent-Type: message/rfc822\n\n{inner}--b--\n"
    );
    for raw in [latin1(&format!("{head}message/rfc822\n\n{inner}")), latin1(&multipart)] {
        let message = Message::parse(&raw, &Limits::default());
        let last = PartId(message.parts().len() as u32 - 1);
        let inner = &raw[message.part(last).header.start..message.part(last).body.end];
        let told = |policy: &Policy, code: &str| -> Vec<PartId> {
            let report = process(&raw, policy).report;
            report.events.iter().filter(|event| event.kind.code() == code).map(|event| event.part).collect()
        };
        for headers in [Headers::Words, Headers::RawUtf8] {
            let keep = Policy { keep_signed: true, headers, ..Policy::default() };
            let kept = process(&raw, &keep);
            assert!(kept.bytes.windows(inner.len()).any(|window| window == inner));
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
    let plain =
        "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\nContent-Type: message/rfc822\n\nDKIM-Signature: v=1\n\nplain\n";
    assert!(!process(plain.as_bytes(), &Policy::default()).edits.is_empty());
    assert_eq!(codes(plain.as_bytes()), [""; 0]);
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
    let encoded = head.replace("iso-8859-1", "utf-8").replace("8bit", "quoted-printable");
    let raw = format!("{encoded}Gr=C3=BC=C3=9Fe\n");
    assert!(!process(raw.as_bytes(), &Policy::default()).edits.is_empty());
    assert_eq!(codes(raw.as_bytes()), [""; 0]);
}
