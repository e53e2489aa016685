//! `filter`: what comes out, and 75 for every failure, beside each kind of caller

use crate::sandbox::{LATIN, Run, Sandbox, lossy};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn one_message_through() {
    let sandbox = Sandbox::new();
    for args in [
        &["filter"][..],
        &["filter", "-"],
        &["-q", "filter"],
        &["filter", "-v"],
    ] {
        let run = sandbox.pipe(args, LATIN).ended(0);
        assert!(
            run.text().contains("It’s grün.") && run.text().contains("Subject: =?UTF-8?"),
            "{}",
            run.text()
        );
    }
    let run = sandbox
        .pipe(&["filter", "--headers", "raw-utf8"], LATIN)
        .ended(0);
    assert!(run.text().contains("Subject: Grüße"), "{}", run.text());
    let run = sandbox
        .pipe(&["filter", "--transfer", "7bit"], LATIN)
        .ended(0);
    assert!(run.out.is_ascii(), "{}", run.text());
    let run = sandbox
        .pipe(
            &["filter", "--default-charset", "koi8-r"],
            b"Subject: x\n\n\xf0\xd2\xc9\xd7\n",
        )
        .ended(0);
    assert!(run.text().contains("Прив"), "{}", run.text());
}

#[test]
fn readers_of_iso_2022_jp_get_that() {
    let sandbox = Sandbox::new();
    let message =
        "Subject: =?utf-8?B?5pel5pys?=\nContent-Type: text/plain; charset=utf-8\n\n日本\n"
            .as_bytes();
    let want = b"Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\nContent-Type: text/plain; charset=iso-2022-jp\n\n\x1b$BF|K\\\x1b(B\n";
    for more in [&[][..], &["--judge", "default"]] {
        let args = [&["filter", "--charset-out", "iso-2022-jp"], more].concat();
        assert_eq!(sandbox.pipe(&args, message).ended(0).out, want, "{args:?}");
        assert_eq!(sandbox.pipe(&args, want).ended(0).out, want, "{args:?}");
    }
    sandbox.write("a.eml", message);
    sandbox
        .run(&[
            "normalize",
            "a.eml",
            "-o",
            "b.eml",
            "--charset-out",
            "iso-2022-jp",
        ])
        .ended(0);
    assert_eq!(sandbox.read("b.eml"), want);
    sandbox.run(&["restore", "b.eml", "-o", "c.eml"]).ended(0);
    assert_eq!(sandbox.read("c.eml"), message);
}

#[test]
fn what_it_must_not_touch_stays() {
    let sandbox = Sandbox::new();
    let signed = [b"DKIM-Signature: v=1; a=rsa-sha256\n", LATIN].concat();
    let lossy = lossy();
    for message in [
        &signed[..],
        &lossy,
        b"",
        b"no header at all",
        b"\xff\0\r\n\n\xfe",
    ] {
        let run = sandbox.pipe(&["filter"], message).ended(0);
        assert_eq!(run.out, message, "{}", message.escape_ascii());
    }
    let run = sandbox
        .pipe(&["filter", "--on-loss", "replace"], &lossy)
        .ended(0);
    assert!(run.text().contains('\u{FFFD}'));
}

/// Exim, Sieve and pipe(8) hand on lines that end in LF, LMTP and proxies in CRLF; mail drops put a line before the message.
#[test]
fn line_ends_are_those_of_the_caller() {
    let sandbox = Sandbox::new();
    let message = b"Subject: =?koi8-r?Q?=C1?= =?koi8-r?Q?=C2?=\nContent-Type: text/plain;\n charset=koi8-r\n\nA\xc1\nB\n";
    let crlf: Vec<u8> = message
        .iter()
        .flat_map(|b| {
            if *b == b'\n' {
                b"\r\n".to_vec()
            } else {
                vec![*b]
            }
        })
        .collect();
    let from = b"From a@example.org Mon Jan  1 00:00:00 2001\n";
    for args in [&["filter"][..], &["filter", "--transfer", "7bit"]] {
        let run = sandbox.pipe(args, message).ended(0);
        assert!(
            run.text().contains("=?UTF-8?") && !run.text().contains('\r'),
            "{}",
            run.text()
        );
        let with_crlf = sandbox.pipe(args, &crlf).ended(0);
        assert_eq!(with_crlf.text().replace("\r\n", "\n"), run.text());
        assert_eq!(
            with_crlf.text().matches('\n').count(),
            with_crlf.text().matches("\r\n").count()
        );
        let dropped = sandbox.pipe(args, &[from, &message[..]].concat()).ended(0);
        assert_eq!(dropped.out, [from, &run.out[..]].concat());
    }
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
        &["filter", "--timeout", "0"],
        &["filter", "--", "-f", "a"],
    ] {
        let run = sandbox.pipe(args, LATIN).ended(75);
        assert!(run.out.is_empty(), "{args:?}: {run:?}");
        // Nothing is delivered, so the error cannot become part of a mail.
        assert!(!run.err.is_empty(), "{args:?}: {run:?}");
        let run = sandbox.pipe(&[&["-v"], args].concat(), LATIN).ended(75);
        assert!(
            run.out.is_empty() && !run.err.is_empty(),
            "{args:?}: {run:?}"
        );
    }
    let run = sandbox.pipe(&["filter", "message.eml"], LATIN).ended(75);
    assert!(
        run.err.starts_with("mailglot: filter: ")
            && run.err.ends_with(": mailglot filter < message.eml\n"),
        "{run:?}"
    );
    // Standard input that cannot be read, standard output that cannot be written.
    for line in [
        "mailglot filter -v < .",
        "mailglot -v filter < message.eml > /dev/full",
    ] {
        let run = sandbox.shell(line).ended(75);
        assert!(
            run.out.is_empty() && run.err.starts_with("mailglot: filter: standard "),
            "{line}: {run:?}"
        );
        let run = sandbox.shell(&line.replace("-v", "")).ended(75);
        assert!(run.out.is_empty() && run.err.is_empty(), "{line}: {run:?}");
    }
    sandbox.write("big.eml", &[LATIN, &b"text\n".repeat(1 << 20)].concat());
    let run = sandbox.shell("{ mailglot filter < big.eml; echo $? >&2; } | true");
    assert!(
        run.err.ends_with("75\n"),
        "the reader did not get the mail: {run:?}"
    );
}

/// Nobody gets what is written there. Who throws it away on purpose opens it to be written only.
#[test]
fn a_closed_output_is_75() {
    let sandbox = Sandbox::new();
    for line in [
        "mailglot -v filter < message.eml >&-",
        "mailglot -v filter --judge strict < message.eml >&-",
        "mailglot -v filter --fail-open --no-such < message.eml >&-",
        "mailglot -v filter < message.eml 1<>/dev/null",
    ] {
        let run = sandbox.shell(line).ended(75);
        assert!(
            run.err.contains("standard output: it is closed"),
            "{line}: {run:?}"
        );
    }
    for line in [
        "mailglot filter < message.eml > /dev/null",
        "mailglot filter < message.eml 1<> out.eml",
        "mailglot filter < message.eml 1<> /dev/zero",
    ] {
        sandbox.shell(line).ended(0);
    }
}

/// A filter that ends without reading is one that delivered, to some callers; others fail on the pipe.
#[test]
fn input_is_read_to_its_end_whatever_happens() {
    let sandbox = Sandbox::new();
    for args in [
        "",
        "--no-such-option",
        "--fail-open --headers pretty",
        "--reinject --sendmail /no/such",
        "message.eml",
    ] {
        // Larger than what a pipe holds: the writer ends only when all was read.
        let line = format!(
            "{{ head -c 1000000 /dev/zero && echo whole >&2; }} | mailglot filter {args} > /dev/null; exit 0"
        );
        let run = sandbox.shell(&line).ended(0);
        assert!(run.err.ends_with("whole\n"), "{args}: {run:?}");
    }
}

#[test]
fn memory_that_is_not_there_is_75() {
    let sandbox = Sandbox::new();
    sandbox.write("big.eml", &[LATIN, &b"text\n".repeat(20 << 20)].concat());
    // 100 MB of message in 60 MB of memory.
    let run = sandbox
        .shell("ulimit -v 60000; mailglot filter < big.eml")
        .ended(75);
    assert!(run.out.is_empty());
}

#[test]
fn a_message_that_does_not_end_is_75() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .shell("{ cat message.eml; sleep 3; } | mailglot filter -v --timeout 1")
        .ended(75);
    assert!(
        run.out.is_empty() && run.err.contains("took too long"),
        "{run:?}"
    );
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
        assert!(run.err.is_empty());
    }
    let run = sandbox.pipe(&["filter", "--fail-open"], LATIN).ended(0);
    assert!(run.text().contains("It’s"));
    // What was not read, or not taken, is not passed through.
    sandbox.shell("mailglot filter --fail-open < .").ended(75);
    sandbox
        .shell("mailglot filter --fail-open < message.eml > /dev/full")
        .ended(75);
}

/// A `sendmail` that leaves what it was given in the sandbox.
fn sendmail(sandbox: &Sandbox, script: &str) {
    sandbox.write("sendmail", format!("#!/bin/sh\n{script}\n").as_bytes());
    fs::set_permissions(sandbox.path("sendmail"), fs::Permissions::from_mode(0o755)).unwrap();
}

fn reinjected(sandbox: &Sandbox, more: &[&str], arguments: &[&str]) -> Run {
    let path = sandbox.path("sendmail");
    let args = ["filter", "--reinject", "--sendmail", path.to_str().unwrap()];
    sandbox.pipe(&[&args, more, &["--"], arguments].concat(), LATIN)
}

/// As pipe(8) of Postfix calls it, with `null_sender=` for a bounce.
#[test]
fn a_message_is_handed_back_to_the_server() {
    let sandbox = Sandbox::new();
    sendmail(
        &sandbox,
        "cat > message; for a; do echo \"<$a>\"; done > arguments",
    );
    let run = reinjected(
        &sandbox,
        &[],
        &["-f", "", "--", "b@example.org", "-c@example.org"],
    )
    .ended(0);
    assert!(run.out.is_empty() && run.err.is_empty(), "{run:?}");
    assert_eq!(
        String::from_utf8(sandbox.read("arguments")).unwrap(),
        "<-G>\n<-i>\n<-f>\n<>\n<-->\n<b@example.org>\n<-c@example.org>\n"
    );
    assert_eq!(
        sandbox.read("message"),
        sandbox.pipe(&["filter"], LATIN).ended(0).out
    );
    let run = sandbox
        .pipe(&["filter", "--no-such-option", "--reinject"], LATIN)
        .ended(75);
    assert_eq!((run.text(), &run.err[..]), ("4.3.0 wrong usage\n", ""));
}

/// What the table of faults in `docs/outcomes.md` says of the stdin filter. That of a panic is tried inside the program.
#[test]
fn faults_end_as_documented() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A crate from a package lacks the page.
    if folder.join("Cargo.toml.orig").exists() {
        return;
    }
    let page = fs::read_to_string(folder.join("../../docs/outcomes.md")).unwrap();
    let rows = page
        .split("\n## Faults")
        .nth(1)
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("| `"));
    let mut named: Vec<&str> = rows
        .filter(|row| row.ends_with("| exit code 75, `4.3.0` and the cause |"))
        .map(|row| row.split('`').nth(1).unwrap())
        .collect();
    assert_eq!(named, ["io", "panic", "slow", "usage"]);
    let sandbox = Sandbox::new();
    sandbox.write("message.eml", LATIN);
    named.retain(|name| *name != "panic");
    for name in named {
        let (line, cause, error) = match name {
            "io" => {
                let cause = "standard input: ";
                ("mailglot filter --reinject -v < .", cause, cause)
            }
            "slow" => (
                "{ cat message.eml; sleep 3; } | mailglot filter --reinject -v --timeout 1",
                "took too long",
                "took too long",
            ),
            _ => (
                "mailglot filter --reinject -v --no-such-option < message.eml",
                "wrong usage",
                "unexpected argument",
            ),
        };
        let run = sandbox.shell(line).ended(75);
        let said = run.text();
        assert!(
            said.starts_with(&format!("4.3.0 {cause}")) && said.lines().count() == 1,
            "{line}: {run:?}"
        );
        assert!(run.err.contains(error), "{line}: {run:?}");
    }
}

#[test]
fn a_server_that_does_not_take_it_defers() {
    let sandbox = Sandbox::new();
    // Its own codes are not ours: with 67 the caller would send the mail back.
    for script in [
        "cat > /dev/null; exit 67",
        "exit 1",
        "echo words; echo words >&2; kill -9 $$",
    ] {
        sendmail(&sandbox, script);
        let run = reinjected(&sandbox, &[], &["b@example.org"]).ended(75);
        assert!(
            run.text().starts_with("4.3.0 ") && run.text().lines().count() == 1,
            "{run:?}"
        );
        assert!(run.err.is_empty(), "{run:?}");
    }
    // If sendmail ends without reading the whole message, its exit code 0 counts as a failure.
    for (script, words) in [
        ("exit 0", "read only 0 of the "),
        (
            "echo 'sendmail: fatal: no queue' >&2; exit 75",
            "75: sendmail: fatal: no queue\n",
        ),
    ] {
        sendmail(&sandbox, script);
        let run = reinjected(&sandbox, &[], &["b@example.org"]).ended(75);
        assert!(run.text().contains(words) && run.err.is_empty(), "{run:?}");
    }
    sendmail(&sandbox, "sleep 30; touch late");
    let run = reinjected(&sandbox, &["--timeout", "2"], &["b@example.org"]).ended(75);
    assert!(run.text().contains("took too long"), "{run:?}");
    fs::remove_file(sandbox.path("sendmail")).unwrap();
    let run = reinjected(&sandbox, &[], &[]).ended(75);
    assert!(
        run.text().starts_with("4.3.0 ") && run.text().contains("no such file"),
        "{run:?}"
    );
}

/// The server reads the message from a file: whoever kills us, it never takes a part for the whole.
#[test]
fn a_filter_that_is_killed_hands_on_all_or_nothing() {
    let sandbox = Sandbox::new();
    sendmail(&sandbox, "sleep 1; cat > message; touch done");
    sandbox.write("big.eml", &[LATIN, &b"text\n".repeat(1 << 18)].concat());
    let whole = sandbox.shell("mailglot filter < big.eml").ended(0).out;
    sandbox
        .shell(
            "mailglot filter --reinject --sendmail ./sendmail < big.eml & sleep 0.5; kill -9 $!; \
         for i in $(seq 100); do test -e done && exit; sleep 0.1; done; exit 1",
        )
        .ended(0);
    assert!(sandbox.read("message") == whole);
}

/// Only a policy may send mail back.
#[test]
fn what_the_policy_refuses_is_65() {
    let sandbox = Sandbox::new();
    let twice = b"Subject: x\nContent-Type: text/plain\nContent-Type: text/html\n\nx\n";
    let run = sandbox
        .pipe(&["filter", "--judge", "strict", "--fail-open"], twice)
        .ended(65);
    assert!(run.out.is_empty() && run.err.is_empty(), "{run:?}");
    let run = sandbox
        .pipe(&["filter", "--judge", "strict", "--reinject"], twice)
        .ended(65);
    assert_eq!(run.text(), "5.6.0 message refused: duplicate-header\n");
    let run = sandbox
        .pipe(&["filter", "--judge", "default"], twice)
        .ended(0);
    assert_eq!(
        run.text().matches("Content-Type").count(),
        1,
        "{}",
        run.text()
    );
    let run = sandbox
        .pipe(&["filter", "--judge", "monitor"], twice)
        .ended(0);
    assert!(
        run.out.ends_with(twice) && run.text().starts_with("MIME-Ambiguity-Results: "),
        "{}",
        run.text()
    );
    assert!(!run.text().contains('\r'));
    let run = sandbox
        .pipe(&["filter", "--judge", "default"], LATIN)
        .ended(0);
    assert!(run.text().contains("Subject: =?UTF-8?"), "{}", run.text());
    // What is known of reading and writing counts here too.
    let undeclared = b"Subject: x\n\n\xf0\xd2\xc9\xd7\n";
    let args = [
        "filter",
        "--judge",
        "default",
        "--default-charset",
        "koi8-r",
        "--transfer",
        "8bit",
    ];
    let run = sandbox.pipe(&args, undeclared).ended(0);
    assert!(run.text().contains("Прив"), "{}", run.text());
    // Of transfer encodings the policy has its own idea, where nothing is asked for.
    let quoted = b"Subject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n\
        Content-Transfer-Encoding: quoted-printable\n\n=E9t=E9\n";
    let judged = |more: &[&str]| {
        sandbox
            .pipe(&[&["filter", "--judge", "default"], more].concat(), quoted)
            .ended(0)
            .text()
            .to_owned()
    };
    assert!(
        judged(&[]).ends_with("\n=C3=A9t=C3=A9\n"),
        "{}",
        judged(&[])
    );
    assert!(
        judged(&["--transfer", "8bit"]).ends_with("\nété\n"),
        "{}",
        judged(&["--transfer", "8bit"])
    );
    sandbox
        .pipe(&["filter", "--judge", "lenient"], LATIN)
        .ended(75);
}

/// procmail, maildrop and Exim run a line of the kind through a shell or not; what counts is the exit code beside the output.
#[test]
fn callers_keep_the_mail_where_the_filter_fails() {
    let sandbox = Sandbox::new();
    // `:0 fw` of procmail: the output replaces the mail where the code is 0.
    let caller = |filter: &str| {
        let line = format!(
            "if {filter} < message.eml > out; then cp out kept; else cp message.eml kept; fi"
        );
        sandbox.shell(&line).ended(0);
        sandbox.read("kept")
    };
    assert_ne!(caller("mailglot filter"), LATIN);
    assert_eq!(caller("mailglot filter --no-such-option"), LATIN);
    assert_eq!(caller("mailglot filter --timeout 0"), LATIN);
}

#[test]
fn help_is_no_failure() {
    let run = Sandbox::new().run(&["filter", "--help"]).ended(0);
    assert!(run.text().contains("procmail") && run.text().contains("master.cf"));
}
