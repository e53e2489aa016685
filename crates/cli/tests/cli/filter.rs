//! `filter`: what comes out, and 75 for every failure

use crate::sandbox::{LATIN, Sandbox, lossy};

#[test]
fn one_message_through() {
    let sandbox = Sandbox::new();
    for args in [&["filter"][..], &["filter", "-"], &["-q", "filter"], &["filter", "-v"]] {
        let run = sandbox.pipe(args, LATIN).ended(0);
        assert!(
            run.text().contains("It’s grün.") && run.text().contains("Subject: =?UTF-8?"),
            "{}",
            run.text()
        );
    }
    let run = sandbox.pipe(&["filter", "--headers", "raw-utf8"], LATIN).ended(0);
    assert!(run.text().contains("Subject: Grüße"), "{}", run.text());
    let run = sandbox.pipe(&["filter", "--transfer", "7bit"], LATIN).ended(0);
    assert!(run.out.is_ascii(), "{}", run.text());
    let run = sandbox
        .pipe(&["filter", "--default-charset", "koi8-r"], b"Subject: x\n\n\xf0\xd2\xc9\xd7\n")
        .ended(0);
    assert!(run.text().contains("Прив"), "{}", run.text());
}

#[test]
fn what_it_must_not_touch_stays() {
    let sandbox = Sandbox::new();
    let signed = [b"DKIM-Signature: v=1; a=rsa-sha256\n", LATIN].concat();
    let lossy = lossy();
    for message in [&signed[..], &lossy, b"", b"no header at all", b"\xff\0\r\n\n\xfe"] {
        let run = sandbox.pipe(&["filter"], message).ended(0);
        assert_eq!(run.out, message, "{}", message.escape_ascii());
    }
    let run = sandbox.pipe(&["filter", "--on-loss", "replace"], &lossy).ended(0);
    assert!(run.text().contains('\u{FFFD}'));
    // As procmail hands it on.
    let envelope = b"From a@example.org Mon Jan  1 00:00:00 2001\n";
    let run = sandbox.pipe(&["filter"], &[envelope, LATIN].concat()).ended(0);
    assert!(run.out.starts_with(envelope) && run.text().contains("It’s"), "{}", run.text());
}

#[test]
fn every_failure_is_75() {
    let sandbox = Sandbox::new();
    for args in [
        &["filter", "--no-such-option"][..],
        &["filter", "message.eml"],
        &["filter", "--default-charset", "klingon"],
        &["filter", "--headers", "pretty"],
        &["--no-such-option", "filter"],
        &["-q", "filter", "-", "-"],
    ] {
        let run = sandbox.pipe(args, LATIN);
        assert_eq!(run.code, 75, "{args:?}: {run:?}");
        assert!(run.out.is_empty() && !run.err.is_empty(), "{args:?}: {run:?}");
    }
    // Standard input that cannot be read, standard output that cannot be written.
    for line in ["mailglot filter < .", "mailglot filter < message.eml > /dev/full"] {
        let run = sandbox.shell(line);
        assert_eq!(run.code, 75, "{line}: {run:?}");
        assert!(run.out.is_empty() && run.err.starts_with("mailglot: filter: standard "), "{line}: {run:?}");
    }
    sandbox.write("big.eml", &[LATIN, &b"text\n".repeat(1 << 20)].concat());
    let run = sandbox.shell("{ mailglot filter < big.eml; echo $? >&2; } | true");
    assert!(run.err.ends_with("75\n"), "the reader did not get the mail: {run:?}");
}

#[test]
fn memory_that_is_not_there_is_75() {
    let sandbox = Sandbox::new();
    sandbox.write("big.eml", &[LATIN, &b"text\n".repeat(20 << 20)].concat());
    // 100 MB of message in 60 MB of memory.
    let run = sandbox.shell("ulimit -v 60000; mailglot filter < big.eml");
    assert_eq!(run.code, 75, "{run:?}");
    assert!(run.out.is_empty());
}

#[test]
fn fail_open_passes_the_mail_through() {
    let sandbox = Sandbox::new();
    for args in [
        &["filter", "--fail-open", "--no-such-option"][..],
        &["filter", "--headers", "pretty", "--fail-open"],
    ] {
        let run = sandbox.pipe(args, LATIN).ended(0);
        assert_eq!(run.out, LATIN);
        assert!(!run.err.is_empty());
    }
    let run = sandbox.pipe(&["filter", "--fail-open"], LATIN).ended(0);
    assert!(run.text().contains("It’s"));
    // What was not read, or not taken, is not passed through.
    sandbox.shell("mailglot filter --fail-open < .").ended(75);
    sandbox.shell("mailglot filter --fail-open < message.eml > /dev/full").ended(75);
}

#[test]
fn help_is_no_failure() {
    let run = Sandbox::new().run(&["filter", "--help"]).ended(0);
    assert!(run.text().contains("procmail"));
}
