//! Tests with mailboxes of known content: the splitter cases, ground truth, and another reader.

use std::path::Path;
use std::process::Command;

use super::*;
use crate::box_event::BoxDetail;
use crate::input::Input;
use crate::open::open;
use crate::shared_material;
use crate::source::Format;

fn python(script: &Path, arguments: &[&std::ffi::OsStr]) {
    let status = Command::new("python3")
        .arg(script)
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .status();
    assert!(
        status.expect("python3 runs").success(),
        "{}",
        script.display()
    );
}

#[test]
fn the_seventeen_cases() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    python(
        &shared.join("tools/tricky.py"),
        &[folder.path().as_os_str()],
    );
    let expected = std::fs::read_to_string(folder.path().join("expected.json")).unwrap();
    let mut cases = 0;
    for line in expected.lines() {
        let Some((name, count)) = line.trim().trim_end_matches(',').split_once(": ") else {
            continue;
        };
        let path = folder
            .path()
            .join(format!("{}.mbox", name.trim_matches('"')));
        let mut source =
            open(&Input::on_disk(path, Format::Mbox), &ReadOptions::default()).unwrap();
        let (entries, events) = drain(source.as_mut());
        assert_eq!(
            messages(&entries).len(),
            count.parse::<usize>().unwrap(),
            "{name} {events:?}"
        );
        cases += 1;
    }
    assert_eq!(cases, 17);
}

#[test]
fn generated_mailboxes_match_their_ground_truth() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for (form, crlf, profile) in [
        ("mboxrd", false, "list"),
        ("mboxrd", true, "mixed"),
        ("mboxo", false, "mixed"),
        ("mboxo", true, "list"),
        ("mboxcl2", false, "list"),
        ("mboxcl2", true, "mixed"),
    ] {
        let (path, truth) = (folder.path().join("box"), folder.path().join("truth"));
        let mut arguments = vec!["--size", "3M", "--format", form, "--profile", profile];
        arguments.extend(crlf.then_some("--crlf"));
        arguments.extend([
            "--out",
            path.to_str().unwrap(),
            "--truth",
            truth.to_str().unwrap(),
        ]);
        let arguments: Vec<_> = arguments.iter().map(std::ffi::OsStr::new).collect();
        python(&shared.join("tools/gen_mbox.py"), &arguments);
        let mut source =
            open(&Input::on_disk(path, Format::Mbox), &ReadOptions::default()).unwrap();
        let (entries, events) = drain(source.as_mut());
        let truth = std::fs::read_to_string(truth).unwrap();
        let number = |line: &str, name: &str| -> u64 {
            let at = line.find(&format!("\"{name}\": ")).unwrap() + name.len() + 4;
            line[at..]
                .split([',', '}'])
                .next()
                .unwrap()
                .parse()
                .unwrap()
        };
        let expected: Vec<_> = truth
            .lines()
            .map(|l| (number(l, "n"), number(l, "offset"), number(l, "length")))
            .collect();
        let length = |entry: &Read1| {
            (entry.separator.len() + entry.message.len() + entry.trailer.len()) as u64
        };
        let found: Vec<_> = messages(&entries)
            .iter()
            .map(|e| (e.ordinal, e.offset, length(e)))
            .collect();
        assert_eq!(found, expected, "{form} {crlf} {events:?}");
        let quoting = if form == "mboxcl2" {
            Quoting::None
        } else {
            Quoting::Mboxrd
        };
        assert!(
            entries.iter().all(|entry| entry.quoting == quoting),
            "{form}"
        );
    }
}

/// Returns mailboxes of multipart messages that are truncated, closed, or show the delimiters of others.
///
/// Also returns the number of messages, and whether one was truncated where another mailbox could be attached.
fn cut_off(random: &mut Random) -> (String, usize, bool) {
    let (mut text, mut doubtful) = (String::new(), false);
    let count = 2 + random.below(8);
    for _ in 0..count {
        let b = random.pick(&["b1", "b2"]);
        let open =
            format!("Content-Type: multipart/mixed; boundary={b}\n\n--{b}\n\nsee\n\n--{b}\n");
        let lines =
            "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\n".repeat(2);
        let kind = random.below(7);
        doubtful |= kind == 3;
        let message = match kind {
            0 => "\nwords\n>From here\n".to_owned(),
            1 => format!("{open}\nwords\n--{b}--\n"),
            2 => format!(
                "{open}Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n{lines}"
            ),
            3 => format!("{open}Content-Type: text/plain\n\ncut off\n"),
            4 => format!("\nas it came:\n\n--{b}\nContent-Type: text/plain\n\nsee\n"),
            5 => format!("\n--{b}--\n"),
            _ => format!("\nContent-Type: multipart/mixed; boundary={b}\n\n--{b}\n\nsee\n"),
        };
        let blank = if random.below(3) == 0 { "" } else { "\n" };
        text += &[
            SEPARATOR,
            "From: a@example.org\nSubject: s\n",
            &message,
            blank,
        ]
        .concat();
    }
    (text, count, doubtful)
}

/// Python's module reads each line that begins with `From ` as a separator. In these mailboxes all others are quoted.
#[test]
fn truncated_messages_match_another_reader() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0xc0f);
    let made: Vec<_> = (0..500).map(|_| cut_off(&mut random)).collect();
    for (number, (text, ..)) in made.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{number}.mbox")), text).unwrap();
    }
    let script = "import mailbox, sys\nfor n in range(int(sys.argv[2])):\n    print(len(mailbox.mbox(f'{sys.argv[1]}/{n}.mbox')))";
    let arguments = [folder.path().as_os_str(), "500".as_ref()];
    let python = Command::new("python3")
        .args(["-c", script])
        .args(arguments)
        .output();
    let python = python
        .map(|done| String::from_utf8(done.stdout).unwrap())
        .unwrap_or_default();
    if python.is_empty() {
        assert!(shared_material::folder().is_none(), "python3 runs");
    }
    let mut others = python.lines();
    let (mut clear, mut passed_over) = (0, 0);
    for (text, count, doubtful) in &made {
        if let Some(other) = others.next() {
            assert_eq!(other.parse(), Ok(*count), "{text}");
        }
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        let reported = events
            .iter()
            .filter(|event| is_inside_multipart(&event.detail))
            .count();
        assert_eq!(
            messages(&entries).len() + reported,
            *count,
            "{events:?} {text}"
        );
        assert!(*doubtful || reported == 0, "{events:?} {text}");
        clear +=
            usize::from(!doubtful && text.contains("image/png") && text.contains("as it came"));
        passed_over += reported;
    }
    assert!(clear > 20 && passed_over > 20, "{clear} {passed_over}");
}

/// Returns true for a candidate that belongs to an open multipart.
fn is_inside_multipart(detail: &BoxDetail) -> bool {
    matches!(detail, BoxDetail::OpenMultipart { decision, .. } if !decision.accepts())
}
