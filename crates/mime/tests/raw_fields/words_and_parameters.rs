//! Words and parameters with damage that raw fields have, too: escape sequences, soft breaks, cuts, missing semicolons.

use super::*;

#[test]
fn escape_sequences_outweigh_the_label_of_a_word() {
    for label in [
        "us-ascii",
        "iso-8859-1",
        "utf-8",
        "windows-1252",
        "shift_jis",
        "x-unknown",
        "euc-kr",
    ] {
        let value = format!("Re: =?{label}?B?GyRCMnE1RCROJCpDTiRpJDsbKEI=?= x");
        let raw = message("Subject", value.as_bytes(), "", "hi\n");
        let (read, report) = text(&raw, "subject");
        assert_eq!(read, "Re: 会議のお知らせ x", "{label}");
        assert!(codes(&report).contains(&"charset.detected"), "{label}");
    }
    let value = b"=?us-ascii?Q?=1B[31mred=1B[0m?= =?koi8-r?B?8A==?=";
    let raw = message("Subject", value, "", "hi\n");
    assert!(!text(&raw, "subject").0.contains('\u{FFFD}'));
    let value = b"attachment; filename*=iso-8859-1''%1B$B2q5D%1B(B.pdf";
    assert_eq!(file_name(value), "会議.pdf");
}

#[test]
fn soft_breaks_in_words_are_dropped() {
    let value = b"=?utf-8?Q?Sommerfest f=\n =C3=BCr alle?=";
    let (read, report) = text(&message("Subject", value, "", "hi\n"), "subject");
    assert_eq!(read, "Sommerfest für alle");
    assert!(codes(&report).contains(&"ew.bad-token"));
}

#[test]
fn words_cut_within_base64_are_reported_and_written_anew() {
    let value = b"=?utf-8?B?R3LDtsOfZSDwn46JI?=\n =?utf-8?B?MOcbsOv?=";
    let raw = message("Subject", value, "", "hi\n");
    let (_, report) = text(&raw, "subject");
    assert!(codes(&report).contains(&"ew.bad-token"));
    assert!(!process(&raw, &Policy::default()).edits.is_empty());
}

#[test]
fn a_missing_semicolon_is_written() {
    let body = encoded("KOI8-R", "Привет, как дела?\n");
    for (value, want) in [
        ("text/plain charset=koi8-r", "text/plain; charset=utf-8"),
        (
            "text/plain (c) charset = koi8-r",
            "text/plain (c); charset = utf-8",
        ),
        (
            "text/plain; format=flowed\n\tcharset=\"koi8-r\"",
            "text/plain; format=flowed;\n\tcharset=\"utf-8\"",
        ),
        ("text/plain; charset=koi8-r", "text/plain; charset=utf-8"),
    ] {
        let head = format!("MIME-Version: 1.0\nContent-Type: {value}\n\n");
        let raw = [head.as_bytes(), &body].concat();
        let outcome = process(&raw, &Policy::default());
        let written = String::from_utf8_lossy(&outcome.bytes);
        assert!(
            written.contains(&format!("Content-Type: {want}\n")),
            "{written}"
        );
        let is_reported = codes(&outcome.report).contains(&"param.no-semicolon");
        assert_eq!(
            is_reported,
            value != "text/plain; charset=koi8-r",
            "{value}"
        );
        assert!(process(&outcome.bytes, &Policy::default()).edits.is_empty());
    }
}
