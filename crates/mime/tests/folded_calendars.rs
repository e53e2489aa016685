//! Checks calendars and vCards whose lines are folded at a number of bytes, also within characters.

use mailglot_codec::Charset;
use mailglot_mime::{
    EventKind, Limits, Message, Policy, Report, TextPart, apply_undo, process, text_as_read,
    text_parts, undo_edits,
};

const RUSSIAN: &str =
    "Здравейте колеги, изпращам ви дневния ред на срещата във вторник и протокола от миналата";
const JAPANESE: &str =
    "お世話になっております。来週の会議の日程と場所をお知らせします。ご確認をお願いいたします";
const CHINESE: &str = "各位同事大家好，现在把昨天的会议记录发给大家，请看附件，如有问题请和我联系";
const TAIWANESE: &str =
    "各位同事大家好，現在把昨天的會議記錄發給大家，請看附件，如有問題請和我聯絡";
const KOREAN: &str =
    "안녕하십니까 여러분 다음 주 회의 일정과 장소를 알려 드립니다 확인해 주시기 바랍니다";

/// Folds a line at `width` bytes.
fn folded(line: &[u8], width: usize, fold: &[u8]) -> Vec<u8> {
    line.chunks(width).collect::<Vec<_>>().join(fold)
}

/// Returns a message with a folded calendar or vCard, and its unfolded text.
fn mail(kind: &str, label: &str, summary: &[u8], width: usize, eol: &str) -> Vec<u8> {
    let fold = format!("{eol} ");
    let line = folded(&[b"SUMMARY:", summary].concat(), width, fold.as_bytes());
    let head = format!(
        "Content-Type: text/{kind}{label}{eol}Content-Transfer-Encoding: 8bit{eol}{eol}BEGIN:VCALENDAR{eol}"
    );
    [
        head.as_bytes(),
        &line,
        format!("{eol}END:VCALENDAR{eol}").as_bytes(),
    ]
    .concat()
}

fn unfolded(text: &str) -> String {
    text.replace("\r\n", "\n").replace("\n ", "")
}

fn texts<'a>(message: &Message<'a>) -> Vec<TextPart<'a>> {
    text_parts(message, &Policy::default(), &mut Report::default())
}

/// Checks what is read and written. Returns true if a fold moved.
fn check(raw: &[u8], want: &str) -> bool {
    let policy = Policy::default();
    let message = Message::parse(raw, &Limits::default());
    let note = raw.escape_ascii();
    let read = texts(&message);
    let text = read.first().expect("one text");
    let body = format!("BEGIN:VCALENDAR\nSUMMARY:{want}\nEND:VCALENDAR\n");
    assert_eq!(unfolded(&text.text), body, "{note}");
    assert_eq!(
        text_as_read(&message, &text.reading).as_deref(),
        Some(text.as_str())
    );
    let outcome = process(raw, &policy);
    let new = std::str::from_utf8(&outcome.bytes).expect("UTF-8 is written");
    assert!(unfolded(new).ends_with(&body), "{note}");
    assert!(unfolded(new).contains("charset=utf-8"), "{note}");
    let again = Message::parse(&outcome.bytes, &Limits::default());
    assert_eq!(texts(&again)[0].text, text.text, "{note}");
    assert_eq!(
        process(&outcome.bytes, &policy).bytes,
        outcome.bytes,
        "{note}"
    );
    let undo = undo_edits(raw, &outcome.edits);
    assert_eq!(apply_undo(&outcome.bytes, &undo).as_deref(), Some(raw));
    let mut splits = outcome
        .report
        .events
        .iter()
        .filter(|e| e.kind == EventKind::EwSplitChar);
    let Some(event) = splits.next() else {
        return false;
    };
    let fold = event.at.of(raw);
    assert!(matches!(fold, b"\n " | b"\r\n "), "{event:?}");
    assert!(raw[event.at.start - 1] > 0x80 && event.count > 0);
    true
}

fn charset(name: &str) -> Charset {
    Charset::for_name(name).expect("a known charset")
}

#[test]
fn folds_move_out_of_characters() {
    for (name, text, labels) in [
        (
            "UTF-8",
            RUSSIAN,
            &["utf-8", "iso-8859-1", "us-ascii", "windows-1251", ""][..],
        ),
        ("UTF-8", JAPANESE, &["utf-8", "iso-8859-1", "shift_jis", ""]),
        (
            "UTF-8",
            "Grüße aus Köln, 🎂 für Zoë: schöne Geburtstagsfeier bei Jürgen",
            &["utf-8", ""],
        ),
        (
            "Shift_JIS",
            JAPANESE,
            &["shift_jis", "iso-8859-1", "utf-8", ""],
        ),
        ("EUC-JP", JAPANESE, &["euc-jp", "us-ascii", ""]),
        (
            "GBK",
            CHINESE,
            &["gb2312", "gbk", "iso-8859-1", "utf-8", ""],
        ),
        (
            "GB18030",
            "各位同事大家好，现在把昨天的会议记录 \u{e7}\u{20ac2} 发给大家，请看附件",
            &["gb18030"],
        ),
        ("Big5", TAIWANESE, &["big5", "utf-8", ""]),
        (
            "EUC-KR",
            KOREAN,
            &["euc-kr", "ks_c_5601-1987", "iso-8859-1", ""],
        ),
    ] {
        let bytes = charset(name)
            .encode_exact(text)
            .expect("the charset has every character");
        for label in labels {
            let label = match *label {
                "" => String::new(),
                label => format!("; charset={label}"),
            };
            let mut moved = 0;
            for (kind, eol) in [("calendar", "\n"), ("vcard", "\r\n"), ("x-vcard", "\n")] {
                for width in 20..40 {
                    let raw = mail(kind, &label, &bytes, width, eol);
                    moved += u32::from(check(&raw, text));
                }
            }
            assert!(moved > 10, "{name} {label} {moved}");
        }
    }
}

#[test]
fn other_folds_and_bodies_stay() {
    let german = "Grüße aus Köln";
    for (kind, label, body) in [
        // Folds between characters, and blanks that begin lines.
        (
            "calendar",
            "UTF-8",
            "SUMMARY:Grüß\r\n e\r\nX:ü\r\n  ü\r\nY:ü\r\nü\r\n".as_bytes(),
        ),
        (
            "vcard",
            "UTF-8",
            "FN:\u{41f}\n \u{440}\n\t\u{438}\n".as_bytes(),
        ),
        ("calendar", "utf-8", "SUMMARY:plain\n text\n".as_bytes()),
        // Lines of other types are not folded.
        ("plain", "utf-8", german.as_bytes()),
    ] {
        let head = format!(
            "Content-Type: text/{kind}; charset={label}\nContent-Transfer-Encoding: 8bit\n\n"
        );
        let raw = [head.as_bytes(), body].concat();
        let outcome = process(&raw, &Policy::default());
        assert_eq!(outcome.edits, [], "{kind} {label}");
        assert!(
            outcome
                .report
                .events
                .iter()
                .all(|e| e.kind != EventKind::EwSplitChar)
        );
    }
    // A fold within a character of plain text is damage.
    let head =
        b"Content-Type: text/plain; charset=utf-8\n\nGr\xC3\n \xBC\xC3\x9Fe aus K\xC3\xB6ln\n";
    assert!(process(head, &Policy::default()).report.losses() > 0);
}

/// Single-byte text keeps its folds: a line of Cyrillic may end and begin with letters.
#[test]
fn single_byte_text_stays_folded() {
    for (name, text) in [
        ("windows-1251", RUSSIAN),
        ("KOI8-R", RUSSIAN),
        ("ISO-8859-1", "ÄÖÜ äöüß"),
    ] {
        let bytes = charset(name)
            .encode_exact(text)
            .expect("the charset has every character");
        for width in 5..40 {
            let raw = mail(
                "calendar",
                &format!("; charset={name}"),
                &bytes,
                width,
                "\r\n",
            );
            assert!(!check(&raw, text), "{name} {width}");
        }
    }
}

#[test]
fn folds_in_transfer_encodings_have_their_place() {
    let body = "SUMMARY:=D0=9A=D0\r\n =BE=D1=88=D0=BA=D0=B0\r\n";
    let raw = format!(
        "Content-Type: text/calendar; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{body}"
    );
    let outcome = process(raw.as_bytes(), &Policy::default());
    let event = outcome
        .report
        .events
        .iter()
        .find(|e| e.kind == EventKind::EwSplitChar);
    assert_eq!(event.expect("an event").at.of(raw.as_bytes()), b"\r\n ");
    let after = Message::parse(&outcome.bytes, &Limits::default());
    assert_eq!(texts(&after)[0].text, "SUMMARY:К\r\n ошка\r\n");
}

#[test]
fn several_folds_in_one_character() {
    let raw = b"Content-Type: text/calendar; charset=utf-8\n\nX:\xF0\n \x9F\n\t\x8E\n \x82!\n";
    let outcome = process(raw, &Policy::default());
    assert!(
        outcome.bytes.ends_with("X:\n \n\t\n 🎂!\n".as_bytes()),
        "{}",
        outcome.bytes.escape_ascii()
    );
}
