//! Text of bodies, and how it is encoded.

use super::{case, codes, keeps_the_laws, latin1, policies, texts};
use base64::Engine as _;
use mailglot_codec::{Charset, View};
use mailglot_mime::{
    EventKind, Limits, Message, OnLoss, Policy, Report, Transfer, apply_undo, process, text_parts,
    undo_edits,
};

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
    for raw in [
        "Grüße aus Köln, schöne Grüße\n",
        "\nGrüße aus Köln, schöne Grüße\n",
        "\0\u{81}ÿ\0",
    ] {
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
    assert!(
        text.ends_with("ä ö ü \u{fffd} \u{fffd} \u{fffd}\n"),
        "{text}"
    );
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
    assert_eq!(parts[0].text, "Hello, world\u{85}");
    keeps_the_laws(real.as_bytes());
    let lie = "Content-Type: text/plain; charset=ibm037\n\nHello, world\n";
    let message = Message::parse(lie.as_bytes(), &Limits::default());
    let mut report = Report::with_limit(9);
    let parts = text_parts(&message, &Policy::default(), &mut report);
    assert_eq!(parts[0].text, "Hello, world\n");
    assert!(
        report
            .events
            .iter()
            .any(|e| e.kind.code() == "charset.detected")
    );
    keeps_the_laws(lie.as_bytes());
    let outcome = process(lie.as_bytes(), &Policy::default());
    assert!(
        outcome
            .bytes
            .starts_with(b"Content-Type: text/plain; charset=utf-8\n")
    );
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
        assert_eq!(
            std::str::from_utf8(&out).unwrap(),
            format!("{}{text}{meta}\n", head("utf-8"))
        );
    }
}

#[test]
fn each_kind_of_document_says_its_charset_in_its_own_way() {
    let title = "ü".repeat(970);
    for (kind, old, new) in [
        (
            "css",
            "@charset \"latin1\"; /* ü */",
            "@charset \"utf-8\"; /* ü */",
        ),
        (
            "svg+xml",
            "<?xml encoding='latin1'?><ü/>",
            "<?xml encoding='utf-8'?><ü/>",
        ),
        (
            "vnd.wap.wml",
            "<?xml encoding='latin1'?><ü/>",
            "<?xml encoding='utf-8'?><ü/>",
        ),
        ("x-vcard", "FN;CHARSET=ISO-8859-1:ü", "FN;CHARSET=utf-8:ü"),
        (
            "calendar",
            "SUMMARY;CHARSET=ISO-8859-1:ü",
            "SUMMARY;CHARSET=utf-8:ü",
        ),
        ("plain", "<meta charset=latin1>ü", "<meta charset=latin1>ü"),
        (
            "html",
            &format!("<p>{title}<meta charset=latin1>"),
            &format!("<p>{title}<meta charset=utf-8>"),
        ),
    ] {
        let head = format!("MIME-Version: 1.0\nContent-Type: text/{kind}; charset=");
        let rest = "\nContent-Transfer-Encoding: 8bit\n\n";
        let raw = latin1(&format!("{head}iso-8859-1{rest}{old}\n"));
        let out = process(&raw, &Policy::default()).bytes;
        if kind == "html" {
            // One line is longer than any may be.
            assert!(texts(&out)[0].1.ends_with("<meta charset=utf-8>"));
        } else {
            assert_eq!(
                std::str::from_utf8(&out).unwrap(),
                format!("{head}utf-8{rest}{new}\n")
            );
        }
    }
}

#[test]
fn line_ends_that_only_decoding_makes_open_no_part() {
    let inner = "\r--b\rContent-Type: text/html\r\r<p>\r--b\r";
    let utf16: Vec<u8> = format!("ä{inner}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (charset, body) in [
        (
            "utf-7",
            b"+AOQADQ--b+AA0-Content-Type: text/html+AA0ADQ-<p>".to_vec(),
        ),
        ("utf-16le", utf16),
    ] {
        for eol in ["\n", "\r\n"] {
            let head = format!(
                "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
            );
            let raw = [
                head.replace('\n', eol).as_bytes(),
                &body[..],
                eol.as_bytes(),
                b"--b--",
                eol.as_bytes(),
            ]
            .concat();
            let out = process(&raw, &Policy::default()).bytes;
            let bare =
                memchr::memmem::find_iter(&out, b"\r").filter(|at| out.get(at + 1) != Some(&b'\n'));
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
    let decoded = base64::engine::general_purpose::STANDARD
        .decode(body.replace('\n', ""))
        .unwrap();
    assert_eq!(
        String::from_utf8(decoded).unwrap(),
        format!("{line}\r\nщщ\r\n")
    );
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
    let raw = Charset::ISO_8859_1
        .encode_exact(&long)
        .expect("the charset has every character");
    let outcome = process(&raw, &Policy::default());
    assert!(
        outcome
            .bytes
            .split(|b| *b == b'\n')
            .all(|line| line.len() <= 998)
    );
    keeps_the_laws(&raw);
}

#[test]
fn losses_have_places() {
    let raw = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nJa, gr=C3=BCn; und hier steht noch mehr Text, =FF, der gut ist: =C3=A4=C3=B6=C3=BC =C3=A4=C3=B6=C3=BC\n\
        =C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC=C3=A4=C3=B6=C3=BC\n";
    let outcome = process(raw, &Policy::default());
    let loss = outcome
        .report
        .events
        .iter()
        .find(|e| e.kind.code() == "charset.invalid-bytes")
        .expect("one loss");
    assert_eq!(loss.at.of(raw), b"=FF");
    assert!(String::from_utf8_lossy(&outcome.bytes).contains("Text, \u{fffd}, der"));
    let keep = process(raw, &Policy::default().on_loss(OnLoss::Keep));
    assert_eq!(&*keep.bytes, raw);
    keeps_the_laws(raw);
}

#[test]
fn bodies_that_are_not_in_their_encoding() {
    case(
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nThis is just text, and nobody encoded it.\n",
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 7bit\n\nThis is just text, and nobody encoded it.\n",
    );
}

/// Scripts label raw HTML as quoted-printable.
#[test]
fn text_that_was_never_encoded_stays() {
    let head = |transfer: &str| {
        format!("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: {transfer}\n\n")
    };
    for text in [
        "<p>Заявка: <a href=\"http://a.ru/?id=15&sum=2500&phone=89001234567\">Иван</a></p>\n",
        "Имя=Иван\nphone=89001234567\n",
    ] {
        let mail = head("quoted-printable") + text;
        keeps_the_laws(mail.as_bytes());
        let once = process(mail.as_bytes(), &Policy::default());
        assert_eq!(String::from_utf8_lossy(&once.bytes), head("8bit") + text);
        let kinds: Vec<_> = once.report.events.iter().map(|event| event.kind).collect();
        assert_eq!(kinds, [EventKind::CteWrongLabel]);
    }
    // One escape that an encoder wrote, beside the markup of a footer.
    let text = "<p>Gr=C3=BC=C3=9Fe</p><a href=\"http://a.ru/?id=15\">Иван</a>\n";
    let mail = head("quoted-printable") + text;
    keeps_the_laws(mail.as_bytes());
    let [(_, text)] = &texts(mail.as_bytes())[..] else {
        panic!("one text");
    };
    assert!(text.starts_with("<p>Grüße</p>"), "{text}");
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
        for text in [
            &b"d\xe9j\xe0 vu"[..],
            b"d\xe9j\xe0\r\nvu\r\n",
            b"d\xe9j\xe0\r\nvu\r",
            b"\xe9\r",
            b"\xe9\n\r",
        ] {
            let raw = message(end, text);
            for policy in policies() {
                let once = process(raw.as_bytes(), &policy).bytes.into_owned();
                let ended = [&once[..], end.as_bytes()].concat();
                for again in [once.clone(), ended] {
                    let edits = process(&again, &policy).edits;
                    assert!(
                        edits.is_empty(),
                        "{policy:?} {} {edits:?}",
                        again.escape_ascii()
                    );
                }
            }
        }
    }
}

#[test]
fn a_line_end_that_a_text_gets_is_told() {
    let raw =
        b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw6k=\n";
    let policy = Policy::default().transfer(Transfer::EightBit);
    let done = process(raw, &policy);
    assert!(done.bytes.ends_with("\n\n\u{e9}\n".as_bytes()));
    let told = |report: &Report| report.has(EventKind::CteLineEndAdded);
    assert!(told(&done.report));
    let ended =
        b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nw6kK\n";
    assert!(!told(&process(ended, &policy).report));
    assert_eq!(
        apply_undo(&done.bytes, &undo_edits(raw, &done.edits)).as_deref(),
        Some(&raw[..])
    );
}

#[test]
fn blanks_at_the_ends_of_lines_in_quoted_printable() {
    let flowed = "Content-Type: text/plain; charset=utf-8; format=flowed\nContent-Transfer-Encoding: quoted-printable\n\n";
    let raw = format!("{flowed}this is flowed \nsig =C3=A4\n-- \nme\n");
    // Only the transfer encoding would change: the reader goes on flowing lines by them.
    case(&raw, &raw);
    assert_eq!(codes(raw.as_bytes()), ["cte.qp-trailing-blanks"]);
    let clean = raw.replace(" \n", "\n");
    case(
        &clean,
        &clean
            .replace("quoted-printable", "8bit")
            .replace("=C3=A4", "ä"),
    );
    assert_eq!(codes(clean.as_bytes()), [""; 0]);
    let legacy = raw.replace("utf-8", "iso-8859-1").replace("=C3=A4", "=E4");
    case(
        &legacy,
        "Content-Type: text/plain; charset=utf-8; format=flowed\nContent-Transfer-Encoding: 8bit\n\nthis is flowed\nsig ä\n--\nme\n",
    );
    let event = process(legacy.as_bytes(), &Policy::default())
        .report
        .events
        .remove(0);
    let place = event.at.of(legacy.as_bytes());
    assert_eq!(
        (event.kind.code(), event.count),
        ("cte.qp-trailing-blanks", 2)
    );
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
    // IBM1026 decodes the ASCII footer as other characters.
    let head = "Content-Type: text/plain; charset=cp1026\nContent-Transfer-Encoding: ";
    case(
        &format!("{head}base64\n\ngYI=\n_______________\n"),
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 7bit\n\nab\n_______________\n",
    );
}

#[test]
fn utf8_within_an_encoding_is_encoded() {
    let text = "Добрый день, это письмо на русском языке.\n";
    let mut base64 = base64::engine::general_purpose::STANDARD.encode(text);
    base64 += "\n\n_____\n";
    let fields = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: ";
    for (encoding, body, want) in [
        (
            "quoted-printable",
            format!("=3D {text}"),
            format!("= {text}"),
        ),
        (
            "base64",
            format!("{base64}{text}"),
            format!("{text}_____\n{text}"),
        ),
        (
            "base64",
            format!("{base64}List footer here, to leave go away\n"),
            format!("{text}_____\nList footer here, to leave go away\n"),
        ),
    ] {
        let raw = format!("{fields}{encoding}\n\n{body}");
        keeps_the_laws(raw.as_bytes());
        let policy = Policy::default().transfer(Transfer::SevenBit);
        let once = process(raw.as_bytes(), &policy).bytes;
        let out = String::from_utf8_lossy(&once);
        assert!(once.is_ascii() && !out.contains("_____"), "{out}");
        assert_eq!(texts(&once), texts(raw.as_bytes()));
        assert!(texts(&once)[0].1.contains(want.trim_end()), "{out}");
        // Other readers cannot read what follows the base64, whatever its bytes are.
        let policy = Policy::default().transfer(Transfer::Keep);
        let once = process(raw.as_bytes(), &policy).bytes;
        let out = String::from_utf8_lossy(&once);
        assert!(!out.contains("_____"), "{out}");
        assert_eq!(*once == *raw.as_bytes(), encoding != "base64", "{out}");
    }
    // A message that keeps its charsets keeps its footers.
    let raw = format!("{fields}base64\n\n{base64}List footer here, to leave go away\n");
    let policy = Policy::default()
        .transfer(Transfer::Keep)
        .bodies(mailglot_mime::Bodies::Keep);
    assert_eq!(*process(raw.as_bytes(), &policy).bytes, *raw.as_bytes());
}

#[test]
fn what_was_appended_to_base64_is_read_as_the_text_before_it() {
    let bytes = |text: &str, label: &str| -> Vec<u8> {
        let charset = Charset::for_label(label.as_bytes(), View::Mail)
            .charset()
            .unwrap();
        charset
            .encode_exact(text)
            .expect("the charset has every character")
            .into_owned()
    };
    let last = |label: &str, text: &str, footer: &[u8]| {
        let head = format!(
            "Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: base64\n\n"
        );
        let encoded = base64::engine::general_purpose::STANDARD.encode(bytes(text, label));
        let raw = [
            head.as_bytes(),
            encoded.as_bytes(),
            b"\n\n_____\nto leave go to ",
            footer,
            b"\n",
        ]
        .concat();
        keeps_the_laws(&raw);
        let written = process(&raw, &Policy::default()).bytes.into_owned();
        String::from_utf8_lossy(&written)
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    for (label, text, footer) in [
        ("windows-1251", "Привет, мир\n", "я"),
        ("iso-8859-9", "Yarın şehirde görüşelim\n", "ağ"),
        ("gb2312", "各位同事\n", "退订"),
        ("iso-8859-1", "Grüße aus Köln\n", "für alle"),
    ] {
        assert_eq!(
            last(label, text, &bytes(footer, label)),
            format!("to leave go to {footer}"),
            "{label}"
        );
        // UTF-8 is that, whatever is before it.
        assert_eq!(
            last(label, text, footer.as_bytes()),
            format!("to leave go to {footer}"),
            "{label}"
        );
    }
}

#[test]
fn several_texts_in_base64_are_told() {
    let raw = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\nR3L832UgZvxyIGFsbGU=R3L832UgZvxyIGFsbGU=\nR3L832Ug\n";
    case(
        raw,
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße für alleGrüße für alleGrüße \n",
    );
    let event = process(raw.as_bytes(), &Policy::default())
        .report
        .events
        .remove(0);
    assert_eq!((event.kind.code(), event.count), ("cte.b64-several", 2));
}

/// Mail scanners write a line before the base64. It is lost, so a policy that keeps what is lost keeps the body.
#[test]
fn a_line_of_text_before_base64_is_a_loss() {
    let header =
        "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\n";
    let raw = format!("{header}[This message was scanned]\n\nR3L832UgZvxyIGFsbGU=\n");
    case(
        &raw,
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße für alle\n",
    );
    let report = process(raw.as_bytes(), &Policy::default()).report;
    let lost = &report.events[0];
    let line = header.len()..header.len() + "[This message was scanned]".len();
    assert_eq!(
        (lost.kind.code(), lost.at.start, lost.at.end, lost.count),
        ("cte.b64-text-lost", line.start, line.end, 26)
    );
    assert_eq!(report.losses(), 1);
    let keep = Policy::default().on_loss(OnLoss::Keep);
    let kept = process(raw.as_bytes(), &keep);
    assert_eq!(&*kept.bytes, raw.as_bytes());
    keeps_the_laws(raw.as_bytes());
}
