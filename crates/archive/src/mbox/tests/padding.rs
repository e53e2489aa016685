//! Tests of NUL bytes between messages, and at both ends of a mailbox.

use super::*;

/// Returns the messages, and the events of padding with their offsets. Streams and small batches give the same.
fn read(text: &str) -> (Vec<String>, Vec<(u64, BoxDetail)>) {
    let options = ReadOptions::default();
    let (entries, events) = file(text.as_bytes(), &options);
    assert_eq!(concatenated(&entries), text.as_bytes());
    assert_eq!(
        stream(text.as_bytes(), &options),
        (entries.clone(), events.clone())
    );
    let small = ReadOptions {
        batch: 1,
        ..options
    };
    assert_eq!(
        file(text.as_bytes(), &small),
        (entries.clone(), events.clone())
    );
    let message = |entry: &&Read1| String::from_utf8(entry.message.clone()).unwrap();
    let padding = events
        .into_iter()
        .filter(|event| event.kind == BoxEventKind::Padding);
    (
        messages(&entries).iter().map(message).collect(),
        padding.map(|event| (event.offset, event.detail)).collect(),
    )
}

#[test]
fn padding_belongs_to_no_message() {
    let nuls = "\0".repeat(3000);
    let message = |text: &str| format!("{HEADER}{text}");
    let start = SEPARATOR.len() + HEADER.len();
    let bytes = nuls.len() as u64;
    for blank in ["\n", ""] {
        let text = format!("{SEPARATOR}{HEADER}one\n{blank}{nuls}");
        let padding = (start + 4 + blank.len()) as u64;
        let expected = (
            vec![message("one\n")],
            vec![(padding, BoxDetail::Padding { bytes })],
        );
        assert_eq!(read(&text), expected, "{blank:?}");
        let text = format!("{text}{SEPARATOR}{HEADER}two\n");
        let expected = (vec![message("one\n"), message("two\n")], expected.1);
        assert_eq!(read(&text), expected, "{blank:?}");
    }
    let text = format!("{nuls}{SEPARATOR}{HEADER}one\n");
    assert_eq!(read(&text), (vec![message("one\n")], Vec::new()));
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!((entries[0].kind, entries[0].offset), (EntryKind::Gap, 0));
    assert_eq!(kinds(&events), [BoxEventKind::Prelude]);
    // A separator at the end, whose message was never written.
    let text = format!("{SEPARATOR}{HEADER}one\n\n{SEPARATOR}{nuls}");
    assert_eq!(read(&text).0, [message("one\n"), String::new()]);
}

/// NUL bytes of any number, also between blank lines, precede the first separator.
#[test]
fn padding_before_the_first_separator_is_no_message() {
    let nuls = "\0".repeat(50);
    for before in [
        "\0".repeat(65_535),
        "\0".repeat(65_536),
        "\0".repeat(1_500_000),
        format!("{nuls}\n"),
        format!("\n{nuls}"),
        format!("\u{feff}\n{nuls} \r\n{nuls}"),
        "\n".repeat(70_000),
    ] {
        let text = format!("{before}{SEPARATOR}{HEADER}one\n\n{SEPARATOR}{HEADER}two\n");
        let expected = [format!("{HEADER}one\n"), format!("{HEADER}two\n")];
        assert_eq!(read(&text), (expected.to_vec(), Vec::new()));
        let (_, events) = file(text.as_bytes(), &ReadOptions::default());
        let bytes = before.len() as u64;
        let prelude = BoxDetail::Prelude { bytes };
        assert_eq!(events, [BoxEvent::new(BoxEventKind::Prelude, 0, prelude)]);
    }
    // Blanks before `From ` make it text.
    let two = format!("{SEPARATOR}{HEADER}two\n\n").repeat(2);
    let messages = read(&format!("{nuls} {SEPARATOR}{HEADER}one\n\n{two}")).0;
    assert_eq!(
        messages[1..],
        [format!("{HEADER}two\n"), format!("{HEADER}two\n")]
    );
}

#[test]
fn nul_bytes_in_text_are_no_padding() {
    for text in [
        "one\0\0\0",
        "one\n\0\0\0\n",
        "\0\0two\n",
        "one\n\0\0\0two\n",
    ] {
        let mailbox = format!("{SEPARATOR}{HEADER}{text}");
        assert_eq!(
            read(&mailbox),
            (vec![format!("{HEADER}{text}")], Vec::new())
        );
    }
}
