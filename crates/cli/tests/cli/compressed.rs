//! Compressed mailboxes and messages.

use crate::sandbox::{LATIN, Sandbox, mbox};
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const GZIP: &str = "gzip -n";

#[test]
fn a_compressed_mailbox_is_read_like_what_is_in_it() {
    let sandbox = Sandbox::new();
    let inside = sandbox.read("archive.mbox");
    sandbox
        .shell("gzip -n < archive.mbox > archive.mbox.gz")
        .ended(0);
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "plain.mbox"])
        .ended(0);
    sandbox
        .run(&["normalize", "archive.mbox.gz", "-o", "out.mbox"])
        .ended(0);
    assert_eq!(sandbox.read("out.mbox"), sandbox.read("plain.mbox"));
    sandbox
        .run(&["restore", "out.mbox", "-o", "back.mbox"])
        .ended(0);
    assert_eq!(sandbox.read("back.mbox"), inside);

    assert_eq!(
        sandbox.run(&["count", "archive.mbox.gz"]).ended(0).text(),
        "2\tarchive.mbox.gz\n"
    );
    let texts = |run: &str| {
        run.replace("archive.mbox.gz", "archive.mbox")
            .replace("\"-\"", "\"archive.mbox\"")
    };
    let plain = sandbox.run(&["text", "--json", "archive.mbox"]).ended(0);
    let through = sandbox.run(&["text", "--json", "archive.mbox.gz"]).ended(0);
    assert_eq!(texts(through.text()), plain.text());
    let piped = sandbox
        .pipe(&["text", "--json", "-"], &sandbox.read("archive.mbox.gz"))
        .ended(0);
    assert_eq!(texts(piped.text()), plain.text());
    let told = sandbox.run(&["check", "archive.mbox.gz"]).ended(0);
    assert!(
        told.text()
            .contains("archive.mbox.gz: 2 messages, mbox, compressed with gzip, LF, "),
        "{told:?}"
    );
    assert!(
        told.text()
            .ends_with("mailglot normalize archive.mbox.gz -o archive.utf8.mbox\n"),
        "{told:?}"
    );
    sandbox.run(&["inspect", "archive.mbox.gz:1"]).ended(0);
}

#[test]
fn a_folder_of_compressed_mailboxes_comes_back_without_compression() {
    let sandbox = Sandbox::new();
    let inside = sandbox.read("archive.mbox");
    fs::create_dir_all(sandbox.path("list/old")).unwrap();
    for name in ["list/2001-May.txt", "list/old/2000.mbox", "list/twice.mbox"] {
        sandbox.write(name, &inside);
        sandbox.shell(&format!("{GZIP} {name}")).ended(0);
    }
    // Both the mailbox and what was compressed of it.
    sandbox.write("list/twice.mbox", &mbox(&[LATIN]));
    sandbox.run(&["normalize", "list", "-o", "out"]).ended(0);
    let mut names: Vec<_> = fs::read_dir(sandbox.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["2000.mbox", "2001-May.txt", "twice-2.mbox", "twice.mbox"]
    );
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    for name in ["2001-May.txt", "old/2000.mbox", "twice.mbox.gz"] {
        assert_eq!(sandbox.read(&format!("back/{name}")), inside, "{name}");
    }
    assert_eq!(sandbox.read("back/twice.mbox"), mbox(&[LATIN]));
}

#[test]
fn of_compression_that_is_cut_off_all_that_is_there_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write("large.mbox", &mbox(&vec![LATIN; 20_000]));
    let inside = sandbox.read("large.mbox");
    let name = "large.mbox.gz";
    sandbox.shell(&format!("{GZIP} large.mbox")).ended(0);
    let whole = sandbox.read(name);
    let half = whole.len() / 2;
    sandbox.write(name, &whole[..half]);
    let words = format!("mailglot: {name}: compressed with ");
    let place = format!(" bytes of the content were read (at byte {half})");
    let run = sandbox.run(&["normalize", name, "-o", "out"]).ended(2);
    assert!(
        run.err.contains(&words) && run.err.contains(&place),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("losses      2\n           1  box.damaged\n           1  msg.set-aside\n"),
        "{}",
        run.err
    );
    sandbox.run(&["restore", "out", "-o", "back"]).ended(2);
    let back = sandbox.read("back");
    assert!(inside.starts_with(&back) && !back.is_empty());
    for args in [
        &["check", name][..],
        &["count", name],
        &["text", name],
        &["inspect", "--json", name],
    ] {
        let run = sandbox.run(args).ended(2);
        assert!(
            run.err.contains(&words) && run.err.contains(&place),
            "{args:?}: {}",
            run.err
        );
        assert!(!run.out.is_empty());
    }
    let piped = sandbox.pipe(&["count", "-"], &whole[..half]).ended(2);
    let messages = sandbox
        .run(&["count", "back"])
        .ended(0)
        .text()
        .replace("\tback", "\t-");
    assert_eq!(piped.text(), messages);
    // A finding of an archive that was read in part does not replace the exit code.
    for what in ["loss", "guess", "any"] {
        sandbox.run(&["check", "--fail-on", what, name]).ended(2);
        let mut words = vec!["normalize", name, "-o", "failing", "--force"];
        words.extend(["--fail-on", what]);
        sandbox.run(&words).ended(2);
    }
    fs::remove_file(sandbox.path("out")).unwrap();
    fs::remove_file(sandbox.path("out.ledger")).unwrap();
    fs::remove_dir_all(sandbox.path("out.set-aside")).unwrap();
    // Where nothing at all comes out, it is an input that cannot be read.
    sandbox.write(name, &whole[..12]);
    let run = sandbox.run(&["normalize", name, "-o", "out"]).ended(2);
    assert!(run.err.contains("and cut off: 0 bytes"), "{}", run.err);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn what_lies_behind_compression_is_told_with_its_place_and_number() {
    let sandbox = Sandbox::new();
    let inside = sandbox.read("archive.mbox");
    sandbox
        .shell(&format!("{GZIP} archive.mbox && mv archive.mbox.gz whole"))
        .ended(0);
    let whole = sandbox.read("whole");
    let at = whole.len();
    for (rest, detail) in [
        (
            vec![0; 700],
            "compressed with gzip, and followed by 700 zero bytes, which are left out",
        ),
        (
            b"\nsome junk".to_vec(),
            "compressed with gzip, and followed by 10 bytes that belong to no member",
        ),
    ] {
        sandbox.write("box.gz", &[&whole[..], &rest].concat());
        let line = format!("  box.trailing-bytes  box.gz at {at}: {detail}");
        let run = sandbox
            .run(&["normalize", "box.gz", "-o", "out", "--force"])
            .ended(0);
        assert!(run.err.contains(&line), "{}", run.err);
        sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
        assert_eq!(sandbox.read("back"), inside);
        fs::remove_file(sandbox.path("back")).unwrap();
        for command in ["count", "text", "inspect", "check"] {
            let run = sandbox.run(&[command, "box.gz"]).ended(0);
            assert!(
                run.err.contains(&line) || run.text().contains(&line),
                "{command}: {run:?}"
            );
        }
        sandbox
            .run(&["check", "--fail-on", "repair", "box.gz"])
            .ended(3);
    }
}

/// Dovecot's plugin mail_compress compresses the messages of a Maildir, under their usual names.
#[test]
fn compressed_messages_of_a_maildir_are_read_and_counted() {
    let sandbox = Sandbox::new();
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir_all(sandbox.path("Box").join(folder)).unwrap();
    }
    let name = format!("cur/2.host,S={}:2,S", LATIN.len());
    sandbox.write(&format!("Box/{name}"), LATIN);
    let pack = format!("{GZIP} < Box/{name} > z && mv z Box/{name}");
    sandbox.shell(&pack).ended(0);
    let line = "compressed  Box: 1 compressed message file read; restored without compression\n";
    let run = sandbox.run(&["check", "Box"]).ended(0);
    assert!(run.text().contains(line), "{run:?}");
    for form in ["maildir", "mbox", "eml"] {
        let run = sandbox
            .run(&["normalize", "Box", "-o", form, "--to", form])
            .ended(0);
        assert!(run.err.contains(line), "{}", run.err);
        let back = format!("back-{form}");
        sandbox.run(&["restore", form, "-o", &back]).ended(0);
        assert_eq!(sandbox.read(&format!("{back}/{name}")), LATIN);
    }
    sandbox
        .run(&["normalize", "Box", "-o", "parts", "--resume"])
        .ended(0);
    assert_eq!(sandbox.read("parts.ledger"), sandbox.read("maildir.ledger"));
    let text = sandbox.run(&["cat", "Box:0"]).ended(0);
    assert_eq!(text.out, LATIN);
}

/// What was read of a damaged message is set aside, and errors name its file.
#[test]
fn damaged_compressed_messages_of_a_maildir_are_named() {
    let sandbox = Sandbox::new();
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir_all(sandbox.path("Box").join(folder)).unwrap();
    }
    let message = [LATIN, &b"words of a line\n".repeat(5_000)].concat();
    sandbox.write("Box/cur/1.host:2,S", &message);
    sandbox.write("Box/cur/2.host:2,S", LATIN);
    sandbox
        .shell(&format!(
            "cd Box/cur && {GZIP} 1.host:2,S && head -c 150 1.host:2,S.gz > 1.host:2,S && rm *.gz"
        ))
        .ended(0);
    let run = sandbox.run(&["normalize", "Box", "-o", "out"]).ended(2);
    let words = "mailglot: Box/cur/1.host:2,S: compressed with gzip, and cut off: ";
    assert!(run.err.contains(words), "{}", run.err);
    assert!(run.err.contains("1 written + 1 set aside"), "{}", run.err);
    let aside = sandbox.read("out.set-aside/00000000.eml");
    assert!(message.starts_with(&aside) && !aside.is_empty());
    let run = sandbox.run(&["restore", "out", "-o", "back"]).ended(2);
    assert!(
        run.err.contains("Box/cur/1.host:2,S: incomplete: "),
        "{}",
        run.err
    );
    assert_eq!(sandbox.read("back/cur/1.host:2,S"), aside);
    for command in ["count", "ls", "text", "check"] {
        let run = sandbox.run(&[command, "Box"]).ended(2);
        assert!(run.err.contains(words), "{command}: {}", run.err);
    }
}

#[test]
fn a_compressed_file_without_mail_in_a_maildir_stays_and_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("Maildir/cur/2.a.host:2,S", b"a list of words\n");
    sandbox
        .shell(&format!(
            "{GZIP} < Maildir/cur/2.a.host:2,S > z && mv z Maildir/cur/2.a.host:2,S"
        ))
        .ended(0);
    let packed = sandbox.read("Maildir/cur/2.a.host:2,S");
    let told = sandbox.run(&["check", "Maildir"]).ended(0);
    assert!(
        told.text()
            .contains("not read    1 compressed or UTF-16 file\n"),
        "{told:?}"
    );
    let told = sandbox.run(&["-v", "check", "Maildir"]).ended(0);
    assert!(
        told.text().contains(
            "box.packed  Maildir:1 (Maildir/cur/2.a.host:2,S): compressed with gzip, left as it is"
        ),
        "{told:?}"
    );
    for form in ["maildir", "mbox", "eml"] {
        // A mailbox cannot store compressed bytes.
        let exit = if form == "mbox" { 2 } else { 0 };
        let run = sandbox
            .run(&["normalize", "Maildir", "-o", form, "--to", form])
            .ended(exit);
        assert!(
            run.err.contains("not read    1 compressed or UTF-16 file"),
            "{}",
            run.err
        );
        sandbox
            .run(&["restore", form, "-o", &format!("back-{form}")])
            .ended(0);
        assert_eq!(
            sandbox.read(&format!("back-{form}/cur/2.a.host:2,S")),
            packed
        );
        // A second pass leaves it alone, too.
        sandbox
            .run(&["normalize", form, "-o", &format!("again-{form}")])
            .ended(0);
    }
    assert_eq!(sandbox.read("again-mbox"), sandbox.read("mbox"));
    let mbox = sandbox.read("mbox");
    assert!(!mbox.windows(2).any(|bytes| bytes == b"\x1F\x8B"));
    let kept = fs::read_dir(sandbox.path("maildir/cur")).unwrap();
    assert!(
        kept.into_iter()
            .any(|entry| fs::read(entry.unwrap().path()).unwrap() == packed)
    );
    assert_eq!(
        sandbox.run(&["text", "Maildir"]).ended(0).text(),
        "Привет, мир!\n"
    );
}

/// A mailbox that is a thousand times as long as what it is compressed to.
#[test]
fn what_expands_beyond_all_measure_is_stopped_and_told() {
    let sandbox = Sandbox::new();
    let bomb = "{ printf 'From a@b.c Mon Jan  1 00:00:00 2001\\nFrom: a@b.c\\nSubject: x\\n\\n'; \
        yes words | head -c 100000000; } | gzip > bomb.mbox.gz";
    sandbox.shell(bomb).ended(0);
    let run = sandbox.shell("mailglot check bomb.mbox.gz").ended(2);
    assert!(
        run.text().contains("box.expansion") && run.err.contains("--max-expansion"),
        "{run:?}"
    );
    for command in ["count", "text"] {
        let run = sandbox
            .shell(&format!("mailglot {command} bomb.mbox.gz > /dev/null"))
            .ended(2);
        assert!(
            run.err.contains("expands to more than 200 times its size"),
            "{command}: {}",
            run.err
        );
    }
    // The cut message is set aside, unless it is too large and copied in pieces.
    for (most, kept) in [("1G", 0..1), ("64M", 64 << 20..70 << 20)] {
        let line =
            format!("mailglot normalize bomb.mbox.gz -o {most} --max-message {most} --ledger none");
        let run = sandbox.shell(&line).ended(2);
        assert!(run.err.contains("box.expansion"), "{}", run.err);
        let length = std::fs::metadata(sandbox.path(most)).unwrap().len();
        assert!(kept.contains(&length), "{length}");
    }
    let run = sandbox.shell("mailglot check --max-expansion 100000 bomb.mbox.gz");
    assert!(
        !run.text().contains("box.expansion") && run.err.is_empty(),
        "{run:?}"
    );
}

/// A damaged input ends within a message. The output does not contain that message, and the summary does not promise a full restore.
#[test]
fn a_message_that_the_bound_cuts_is_set_aside() {
    let sandbox = Sandbox::new();
    let mailbox = "for n in $(seq 100); do printf 'From a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\nSubject: x\n\n'; \
        yes words | head -c 1000000; printf '\n\n'; done > box.mbox; gzip -k box.mbox";
    sandbox.shell(mailbox).ended(0);
    let run = sandbox
        .shell("mailglot normalize box.mbox.gz -o out.mbox")
        .ended(2);
    let whole = sandbox.read("box.mbox");
    let out = sandbox.read("out.mbox");
    let count = memchr::memmem::find_iter(&out, b"From a@b.c ").count();
    let words = format!(
        "messages    {} in = {count} written + 1 set aside",
        count + 1
    );
    assert!(run.err.contains(&words), "{}", run.err);
    assert!(out == whole[..out.len()] && whole[out.len()..].starts_with(b"From a@b.c "));
    assert!(
        run.err
            .contains("incomplete  box.mbox.gz: input left out from compressed byte ")
            && run.err.contains("reversible: only what was read, with "),
        "{}",
        run.err
    );
    let aside = sandbox.read("out.mbox.set-aside/00000000.eml");
    let message = &whole[out.len()..][b"From a@b.c Mon Jan  1 00:00:00 2001\n".len()..];
    assert!(!aside.is_empty() && message.starts_with(&aside) && aside.len() < 1_000_000);
    // What was read comes back, and no more is claimed.
    let run = sandbox
        .shell("mailglot restore out.mbox --verify-only")
        .ended(2);
    assert_eq!(run.text(), "reversible: only what was read (checked)\n");
    assert!(
        run.err
            .contains("incomplete: input left out from compressed byte "),
        "{}",
        run.err
    );
    sandbox
        .shell("mailglot restore out.mbox -o back.mbox")
        .ended(2);
    let back = sandbox.read("back.mbox");
    assert!(back.len() > out.len() && whole.starts_with(&back));
    // Without the bound all is there.
    let run = sandbox
        .shell("mailglot normalize --max-expansion 100000 box.mbox.gz -o all.mbox")
        .ended(0);
    assert!(run.err.contains("100 written + 0 set aside"), "{}", run.err);
    sandbox
        .shell("mailglot restore all.mbox --verify-only")
        .ended(0);
}

/// The ledger of a damaged input knows that it is incomplete. A message that the damage cuts is in no output.
#[test]
fn a_restore_of_a_damaged_input_says_that_it_is_incomplete() {
    let sandbox = Sandbox::new();
    let messages: Vec<_> = (0..3_000u32)
        .map(|number| {
            format!(
                "Subject: {number}\n\n{:x}\n",
                number.wrapping_mul(2_654_435_761)
            )
        })
        .collect();
    let messages: Vec<_> = messages.iter().map(String::as_bytes).collect();
    sandbox.write("list.mbox", &mbox(&messages));
    let whole = sandbox.read("list.mbox");
    let pack = "import bz2, gzip, zipfile; f = open('list.mbox', 'rb').read(); \
                open('list.gz', 'wb').write(gzip.compress(f)); open('list.bz2', 'wb').write(bz2.compress(f, 1)); \
                z = zipfile.ZipFile('list.zip', 'w', zipfile.ZIP_DEFLATED); z.write('list.mbox'); z.close()";
    sandbox.shell(&format!("python3 -c \"{pack}\"")).ended(0);
    let cut = |name: &str| {
        let bytes = sandbox.read(name);
        bytes[..bytes.len() / 2].to_vec()
    };
    let mut wrong = sandbox.read("list.gz");
    let sum = wrong.len() - 8;
    wrong[sum] ^= 1;
    // Only a wrong checksum cuts no message.
    for (name, bytes, aside) in [
        ("a.mbox.gz", cut("list.gz"), 1),
        ("b.mbox.bz2", cut("list.bz2"), 1),
        ("c.zip", cut("list.zip"), 1),
        ("d.mbox.gz", wrong, 0),
    ] {
        sandbox.write(name, &bytes);
        let out = format!("{name}.out");
        let run = sandbox.run(&["normalize", name, "-o", &out]).ended(2);
        let said = format!(" written + {aside} set aside");
        assert!(run.err.contains(&said), "{name}: {}", run.err);
        let said = "reversible: only what was read, with ";
        assert!(run.err.contains(said), "{name}: {}", run.err);
        let output = sandbox.read(&out);
        assert!(whole.starts_with(&output) && !output.is_empty(), "{name}");
        assert!(whole[output.len()..].is_empty() || whole[output.len()..].starts_with(b"From "));
        let run = sandbox.run(&["restore", &out, "--verify-only"]).ended(2);
        assert_eq!(run.text(), "reversible: only what was read (checked)\n");
        assert!(
            run.err.contains(&format!("mailglot: {name}: incomplete: "))
                || run
                    .err
                    .contains(&format!("mailglot: {name}/list.mbox: incomplete: ")),
            "{}",
            run.err
        );
        let back = format!("{name}.back");
        sandbox.run(&["restore", &out, "-o", &back]).ended(2);
        assert!(sandbox.path(&back).exists());
        // A job in parts has the same ledger.
        let parts = format!("{name}.parts-out");
        sandbox
            .run(&["normalize", "--resume", name, "-o", &parts])
            .ended(2);
        assert_eq!(
            sandbox.read(&format!("{parts}.ledger")),
            sandbox.read(&format!("{out}.ledger"))
        );
    }
    // Damage of the list of members is noted, too.
    sandbox.write("two.mbox", &mbox(&messages[..2]));
    sandbox.shell("zip -q -0 two.zip two.mbox").ended(0);
    let bytes = sandbox.read("two.zip");
    let end = memchr::memmem::rfind(&bytes, b"PK\x05\x06").unwrap();
    sandbox.write("two.zip", &bytes[..end]);
    sandbox.run(&["normalize", "two.zip", "-o", "two"]).ended(2);
    let run = sandbox.run(&["restore", "two", "-o", "two-back"]).ended(2);
    assert!(run.err.contains("two.zip: incomplete: "), "{}", run.err);
    // What is complete is still said to be so.
    sandbox
        .run(&["normalize", "list.zip", "-o", "all"])
        .ended(0);
    let run = sandbox.run(&["restore", "all", "--verify-only"]).ended(0);
    assert_eq!(run.text(), "reversible: yes (checked)\n");
}

/// Writes `list.mbox.bz2`, of 20 blocks.
fn bzip2_mailbox(sandbox: &Sandbox) -> Vec<u8> {
    let messages: Vec<_> = (0..18_000u32)
        .map(|number| {
            let word = number.wrapping_mul(2_654_435_761);
            format!("Subject: {number}\n\nGr=FC=DFe {word:x} {word:o} {number:b}\n")
        })
        .collect();
    let messages: Vec<_> = messages.iter().map(String::as_bytes).collect();
    sandbox.write("list.mbox", &mbox(&messages));
    let compress = "import bz2; f = open('list.mbox', 'rb').read(); \
                    open('list.mbox.bz2', 'wb').write(bz2.compress(f, 1))";
    sandbox
        .shell(&format!("python3 -c \"{compress}\""))
        .ended(0);
    sandbox.read("list.mbox.bz2")
}

#[test]
fn threads_do_not_show_in_a_bzip2_mailbox() {
    let sandbox = Sandbox::new();
    let whole = bzip2_mailbox(&sandbox);
    sandbox.write("cut.mbox.bz2", &whole[..whole.len() / 2]);
    let mut bad = whole.clone();
    bad[whole.len() / 3] ^= 1;
    sandbox.write("bad.mbox.bz2", &bad);
    for (name, code) in [("list", 0), ("cut", 2), ("bad", 2)] {
        let input = format!("{name}.mbox.bz2");
        for command in [&["count"][..], &["text", "--json"], &["ls"]] {
            let run = |threads: &str| {
                let args = [command, &["--threads", threads, &input]].concat();
                sandbox.run(&args).ended(code)
            };
            let alone = run("1");
            for threads in ["2", "5"] {
                let run = run(threads);
                assert!(
                    run.out == alone.out && run.err == alone.err,
                    "{run:?} {alone:?}"
                );
            }
        }
    }
    let plain = sandbox.run(&["count", "list.mbox"]).ended(0);
    assert_eq!(plain.text(), "18000\tlist.mbox\n");
}

/// While `count` waits for the rest of its input, the threads that decompress the beginning are there.
#[test]
fn count_decompresses_on_as_many_threads_as_asked_for() {
    let sandbox = Sandbox::new();
    let whole = bzip2_mailbox(&sandbox);
    let mut count = Command::new(env!("CARGO_BIN_EXE_mailglot"))
        .args(["count", "--threads", "3", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = count.stdin.take().unwrap();
    let (start, rest) = whole.split_at(whole.len() / 2);
    input.write_all(start).unwrap();
    let tasks = format!("/proc/{}/task", count.id());
    let decompressing = || {
        let tasks = fs::read_dir(&tasks).unwrap();
        let names =
            tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        names.filter(|name| name.trim_end() == "decompress").count()
    };
    let begin = Instant::now();
    while decompressing() < 3 && begin.elapsed() < Duration::from_mins(1) {
        sleep(Duration::from_millis(5));
    }
    assert_eq!(decompressing(), 3);
    input.write_all(rest).unwrap();
    drop(input);
    let mut out = String::new();
    count
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    assert!(count.wait().unwrap().success());
    assert_eq!(out, "18000\t-\n");
}
