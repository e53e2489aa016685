#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::transfer::base64;

/// A message with a text, a named inline picture, a text attachment, and an unnamed PDF.
const MIXED: &str = "From: =?utf-8?Q?J=C3=B6rg?= <j@example.org>, \"B, C\" <b@example.org>\n\
    To: friends: x@example.org, y@example.org;\n\
    To: z@example.org\n\
    Subject:  =?utf-8?Q?=C3=9C?=\n ber \n\
    Date: Mon, 2 Mar 1998 10:00:00 +0100\n\
    Message-ID: <1@example.org>\n\
    Content-Type: multipart/mixed; boundary=b\n\n\
    --b\nContent-Type: text/plain; charset=utf-8\n\nsee there\n\
    --b\nContent-Type: image/png; name=\"p.png\"\nContent-ID: <c@d>\nContent-Disposition: inline\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n\
    --b\nContent-Type: text/csv; charset=koi8-r\nContent-Disposition: attachment; filename*=utf-8''%D0%B4.csv\n\nabc\n\
    --b\nContent-Type: application/pdf\n\n%PDF\n\
    --b--\n";

fn names(mail: &Mail<'_>) -> Vec<(String, String)> {
    let files = mail.attachments();
    let shown = |file: &Attachment<'_>| (file.section().to_owned(), file.safe_name());
    files.iter().map(shown).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
    list.iter().map(owned).collect()
}

#[test]
fn bodies_are_the_messages_own() {
    let message = "Content-Type: multipart/mixed; boundary=b\n\n\
        --b\nContent-Type: message/rfc822\n\n\
        Subject: other\n\nforwarded\n\
        --b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeAoKaW4gYmFzZTY0Cg==\n\
        --b\nContent-Disposition: attachment\n\nattached\n\
        --b\nContent-Type: multipart/related; boundary=c\n\n\
        --c\nContent-Type: text/html; charset=koi8-r\n\n\u{440}\n--c--\n\
        --b\n\nown\n\
        --b\n\nfooter\n\
        --b--\n";
    let mail = Mail::parse(message);
    assert_eq!(mail.texts().len(), 5);
    assert_eq!(mail.body_text().unwrap().as_str(), "own");
    assert_eq!(mail.body_html().unwrap().section, "4.1");
    let mail = Mail::parse("Content-Type: text/html\n\n<p>");
    assert!(mail.body_text().is_none());
    assert_eq!(mail.body_html().unwrap().as_str(), "<p>");
    let mail = Mail::parse("Bcc: a@b\nReply-To: c@d, e@f\nSender: g@h\n\n");
    let shown = |list: &[Mailbox]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(shown(&mail.bcc()), ["a@b"]);
    assert_eq!(shown(&mail.reply_to()), ["c@d", "e@f"]);
    assert_eq!(mail.sender().unwrap().to_string(), "g@h");
}

#[test]
fn fields_are_decoded() {
    let mail = Mail::parse(MIXED);
    assert_eq!(mail.subject().as_deref(), Some("Ü ber"));
    let show = |list: Vec<Mailbox>| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        show(mail.from()),
        ["Jörg <j@example.org>", "\"B, C\" <b@example.org>"]
    );
    assert_eq!(
        show(mail.to()),
        ["x@example.org", "y@example.org", "z@example.org"]
    );
    assert!(mail.cc().is_empty() && mail.header("Cc").is_none());
    assert_eq!(mail.message_id().as_deref(), Some("1@example.org"));
    assert_eq!(mail.date().unwrap().timestamp(), 888_829_200);
    assert_eq!(mail.headers().count(), 7);
    assert!(mail.media_type() == "multipart/mixed");
}

#[test]
fn nothing_is_a_message_too() {
    for raw in ["", "\n", "no field at all", "Subject", "Date: x\nFrom:\n"] {
        let mail = Mail::parse(raw);
        assert_eq!((mail.subject(), mail.date()), (None, None), "{raw:?}");
        assert!(mail.from().iter().all(|from| from.address.is_empty()));
        assert!(mail.attachments().is_empty() && mail.embedded_messages().is_empty());
        assert_eq!(&*mail.normalize(&Policy::default()).bytes(), raw.as_bytes());
    }
}

#[test]
fn attachments_are_named_inline_or_no_text() {
    let mail = Mail::parse(MIXED);
    assert_eq!(
        names(&mail),
        pairs(&[("2", "p.png"), ("3", "д.csv"), ("4", "part-4")])
    );
    let files = mail.attachments();
    assert_eq!(&*files[0].decoded(), b"\x89PNG\r\n\x1a\n");
    assert_eq!(files[0].content_id(), Some("c@d"));
    assert!(files[0].is_inline() && !files[1].is_inline());
    assert!(files.iter().all(|file| file.defects().is_empty()));
    let texts = mail.texts();
    assert_eq!(texts.len(), 1);
    assert_eq!(texts[0].as_str(), "see there");
    let others = mail.attachment_texts();
    assert_eq!(others.len(), 1);
    assert_eq!((others[0].as_str(), &*others[0].section), ("abc", "3"));
}

/// The message's own text with a name is both; a name alone makes a file of later parts only.
#[test]
fn a_named_text_is_text_and_file() {
    let mail = Mail::parse("Content-Type: text/plain; name=a.txt\n\nhello\n");
    assert_eq!(names(&mail), pairs(&[("1", "a.txt")]));
    assert_eq!(mail.texts()[0].as_str(), "hello\n");
}

#[test]
fn blocks_in_a_text_are_files() {
    let mail = Mail::parse("Subject: x\n\na\nbegin 644 =?utf-8?Q?=C3=A9?=.txt\n#0V%T\n`\nend\nb\n");
    assert_eq!(names(&mail), pairs(&[("1", "é.txt")]));
    assert_eq!(&*mail.attachments()[0].decoded(), b"Cat");
    assert_eq!(mail.texts().len(), 1);
    let whole = "Content-Type: image/gif; name=a.gif\nContent-Transfer-Encoding: x-uuencode\n\n\
        begin 644 b.gif\n#0V%T\n`\nend\n";
    let mail = Mail::parse(whole);
    assert_eq!(names(&mail), pairs(&[("1", "a.gif")]));
    assert_eq!(&*mail.attachments()[0].decoded(), b"Cat");
    assert!(mail.attachments()[0].defects().is_empty());
}

#[test]
fn a_file_name_without_a_disposition_counts() {
    let part = "Content-Type: text/plain; charset=koi8-r\nContent-Disposition: filename=\"d.txt\"\n\nabc\n";
    let root = Mail::parse(part);
    // It may be the text of the message.
    assert_eq!(names(&root), pairs(&[("1", "d.txt")]));
    assert!(!root.message.part_at(PartId(0)).attachment);
    let raw = format!(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\n{part}--b\n\
         Content-Type: image/png\nContent-Disposition: filename*=utf-8''%D0%B4.png\n\nx\n--b--\n"
    );
    let mail = Mail::parse(&raw);
    assert_eq!(names(&mail), pairs(&[("2", "d.txt"), ("3", "д.png")]));
    assert!(mail.message.part_at(PartId(2)).attachment);
    // The field names no disposition.
    assert!(mail.attachments().iter().all(Attachment::is_inline));
}

#[test]
fn every_block_of_a_uuencoded_body_is_a_file() {
    let head = "Content-Type: image/gif; name=a.gif\nContent-Transfer-Encoding: x-uuencode\n\n";
    let first = "begin 644 b.gif\n#0V%T\n`\nend\n";
    let full = "M1&EE($AA<V5N('5N9\"!D:64@1G+V<V-H90T*#0I$:64@2&%S96X@:VQA9W1E\n";
    let raw = format!("{head}{first}begin 644 c.gif\n{full}");
    let mail = Mail::parse(&raw);
    assert_eq!(names(&mail), pairs(&[("1", "a.gif"), ("1", "c.gif")]));
    let files = mail.attachments();
    assert!(files[0].media_type() == "image/gif" && files[0].defects().is_empty());
    assert_eq!(&*files[0].decoded(), b"Cat");
    assert!(files[1].decoded().starts_with(b"Die Hasen") && files[1].decoded().len() == 45);
    let defects = files[1].defects();
    let [defect] = &defects[..] else {
        panic!("{defects:?}")
    };
    assert_eq!(defect.at, first.len()..raw.len() - head.len());
    assert_eq!(
        (defect.kind.code(), defect.detail.to_string()),
        ("cte.uuencode", "45 bytes, without its end".to_owned())
    );
}

#[test]
fn a_body_without_a_block_of_uuencode_is_a_defect() {
    let head = "Content-Type: image/gif\nContent-Transfer-Encoding: x-uuencode\n\n";
    for (body, code) in [("#0V%T\n`\nend\n", Some("cte.wrong-label")), ("\n", None)] {
        let raw = format!("{head}{body}");
        let files = Mail::parse(&raw).attachments();
        let defects = files[0].defects();
        assert_eq!(&*files[0].decoded(), body.as_bytes());
        assert_eq!(defects.first().map(|defect| defect.kind.code()), code);
    }
}

#[test]
fn damaged_blocks_in_a_text_are_defects() {
    let head = "Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n";
    let block = "=3Dybegin line=3D128 size=3D4 name=3Da\nabc\n=3Dyend size=3D4\n";
    let raw = format!("{head}=C3=A9\n{block}");
    let files = Mail::parse(&raw).attachments();
    let defects = files[0].defects();
    assert_eq!(defects[0].kind.code(), "cte.yenc");
    let start = raw.len() - head.len() - block.len();
    assert_eq!(defects[0].at, start..raw.len() - head.len());
}

fn wrapped(inner: &str, encoded: bool) -> String {
    let head = "Subject: outer\nContent-Type: multipart/mixed; boundary=o\n\n--o\n\nnote\n--o\nContent-Type: message/rfc822\n";
    if encoded {
        let mut body = Vec::new();
        base64::encode_lines(inner.as_bytes(), 76, b"\n", &mut body);
        let body = String::from_utf8(body).unwrap();
        format!("{head}Content-Transfer-Encoding: base64\n\n{body}\n--o--\n")
    } else {
        format!("{head}\n{inner}\n--o--\n")
    }
}

/// An embedded message reads the same in base64 and as it is, with the same section numbers.
#[test]
fn embedded_messages_are_read_in_any_transfer_encoding() {
    for (raw, depth) in [
        (wrapped(MIXED, false), 1),
        (wrapped(MIXED, true), 1),
        (wrapped(&wrapped(MIXED, true), true), 2),
        (wrapped(&wrapped(MIXED, false), true), 2),
        (wrapped(&wrapped(MIXED, true), false), 2),
    ] {
        let mail = Mail::parse(&raw);
        let prefix = vec!["2"; depth].join(".");
        let want: Vec<_> = [("2", "p.png"), ("3", "д.csv"), ("4", "part-")]
            .iter()
            .map(|(number, name)| match *name {
                "part-" => (format!("{prefix}.{number}"), format!("part-{prefix}.4")),
                name => (format!("{prefix}.{number}"), name.to_owned()),
            })
            .collect();
        assert_eq!(names(&mail), want, "{raw}");
        let texts: Vec<_> = mail.texts().iter().map(|t| t.as_str().to_owned()).collect();
        let notes = vec!["note"; depth];
        assert_eq!(texts, [notes, vec!["see there"]].concat());
        // Each level gives the next one.
        let mut message = mail.embedded_messages().remove(0).into_owned();
        for _ in 1..depth {
            assert_eq!(message.mail().subject().as_deref(), Some("outer"));
            let next = message.mail().embedded_messages().remove(0).into_owned();
            message = next;
        }
        assert_eq!(message.section(), "2");
        assert_eq!(message.mail().subject().as_deref(), Some("Ü ber"));
        assert_eq!(message.mail().attachments().len(), 3);
        assert!(message.mail().embedded_messages().is_empty());
    }
}

#[test]
fn embedded_messages_keep_the_policy() {
    let inner = b"Subject: =?x-corp?Q?=E4=C1?=\n\nx\n";
    let mut labels = crate::policy::CharsetMap::default();
    labels.add("x-corp", mailglot_codec::Charset::KOI8_R);
    let mut encoded = b"Content-Transfer-Encoding: base64\n\n".to_vec();
    base64::encode_lines(inner, 76, b"\n", &mut encoded);
    for body in [[b"\n", &inner[..]].concat(), encoded] {
        let raw = [b"Content-Type: message/rfc822\n", &body[..]].concat();
        let policy = Policy::default().charset_map(labels.clone());
        let mail = Mail::parse_with(&raw, policy);
        let inner = mail.embedded_messages().remove(0).into_owned();
        assert_eq!(inner.mail().subject().as_deref(), Some("Да"));
    }
}

#[test]
fn a_closed_multipart_gives_its_files() {
    let raw = "Content-Type: multipart/mixed\n\n--x\nContent-Type: text/plain\n\nhi\n\
        --x\nContent-Type: image/png; name=a.png\n\n\u{1}\n--x--\n";
    let mail = Mail::parse(raw);
    assert_eq!(names(&mail), pairs(&[("2", "a.png")]));
    assert_eq!(mail.texts().len(), 1);
}

#[test]
fn losses_have_places_in_the_decoded_part() {
    let raw = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n=C3=BC =FF\n";
    let mail = Mail::parse(raw);
    let texts = mail.texts();
    let [loss] = texts[0].lost_ranges() else {
        panic!("{:?}", texts[0].lost_ranges());
    };
    assert_eq!(
        (texts[0].as_str(), loss.bytes.clone()),
        ("ü \u{FFFD}\n", 3..4)
    );
}

#[test]
fn notes_hide_no_loss() {
    let head = b"Content-Type: text/plain; charset=hz-gb-2312\n\n";
    // A tilde that begins no escape is a note.
    let raw = [head, &b"~x a\n".repeat(80)[..], b"\xFF\n"].concat();
    let texts = Mail::parse(&raw).texts();
    assert_eq!(texts[0].charset().name(), "HZ-GB-2312");
    assert!(!texts[0].losses.is_empty());
    let [loss] = texts[0].lost_ranges() else {
        panic!("{:?}", texts[0].lost_ranges());
    };
    assert_eq!(loss.bytes, 400..401);
}

/// Fields read the same before and after a normalization, whether the message decides or not.
#[test]
fn fields_read_as_the_planner_reads_them() {
    for subject in [
        &b"\xcf\xf0\xe8\xe2\xe5\xf2"[..],
        b"=?utf-8?Q?=CF=F0=E8?=",
        b"=?unknown-8bit?Q?=CF=F0=E8=E2=E5=F2?=",
        b"=?iso-8859-1?Q?=CF=F0=E8=E2=E5=F2?=",
        b"=?us-ascii?Q?=CF=F0=E8=E2=E5=F2?=",
        b"plain",
    ] {
        let raw = [
            b"Subject: ",
            subject,
            b"\nContent-Type: text/plain; charset=windows-1251\n\n\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0!\n",
        ]
        .concat();
        let mail = Mail::parse(&raw);
        let fixed = mail.normalize(&Policy::default());
        let bytes = fixed.bytes();
        let after = Mail::parse(&bytes);
        assert_eq!(
            mail.subject(),
            after.subject(),
            "{}",
            subject.escape_ascii()
        );
    }
}

#[test]
fn results_can_be_sent_and_cloned() {
    fn check<T: Clone + Send + Sync>(_: &T) {}
    let mail = Mail::parse(MIXED);
    check(&mail);
    check(&mail.attachments());
    check(&mail.texts());
    check(&mail.embedded_messages());
    check(&mail.normalize(&Policy::default()));
}

/// No input makes a reader fail, however it is cut.
#[test]
fn every_cut_of_a_message_is_read() {
    let raw = wrapped(MIXED, true);
    for end in 0..raw.len() {
        let mail = Mail::parse(&raw.as_bytes()[..end]);
        for file in mail.attachments() {
            let _ = (file.decoded(), file.safe_name(), file.defects());
        }
        let _ = (
            mail.texts(),
            mail.subject(),
            mail.from(),
            mail.embedded_messages(),
        );
    }
}
