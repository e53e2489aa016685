//! `mailglot check`: reports what `normalize` would change or lose, without writing anything.

use super::job_exit::judged;
use super::stats::timed;
use super::summary::{
    EXAMPLES, charsets, decompressed, duplicates, exceptions, findings, guesses_of, profile,
    replaced_separators, report_damaged, report_unread, review_examples, severity_of, shown,
    to_review, varied, verified,
};
use super::worker_threads::worker_threads;
use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, Level, Style, counted, print};
use crate::progress::watched;
use crate::shell_words::{quoted, shell_word};
use crate::signals::stoppable;
use mailglot_archive::BoxEventKind;
use mailglot_mime::{OnLoss, Severity};
use mailglot_pipeline::{CheckJob, Example, Summary, check, with_thousands};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &CheckArgs, console: Console) -> Result<Exit, Failure> {
    let mut policy = args.policy.policy(args.keep_signed, OnLoss::Replace);
    policy.limits.message = args.largest.bytes();
    let job = CheckJob {
        inputs: args.inputs.paths()?,
        policy,
        threads: worker_threads(None),
        opening: args.opening.opening(),
        selection: args.selection.selection(),
        verify: args.verify.verify,
    };
    let account = stoppable(|progress| {
        let work = || watched(console, progress, || check(&job, progress));
        timed(args.stats, console, progress, work)
    })?;
    let mut worst = Exit::Done;
    report_unread(&account, &mut worst, console);
    report_damaged(&account, &mut worst, console);
    if account.sources.is_empty() && !args.json {
        return Ok(worst);
    }
    let text = if args.json {
        let json = serde_json::to_string(&account);
        json.map_err(|error| Failure::new(Exit::Output, error.to_string()))? + "\n"
    } else {
        let verbose = console.level() == Level::Verbose;
        let inputs = readable(&job.inputs, &account);
        let next = (!inputs.is_empty()).then(|| next(&inputs, &options(args)));
        lines(&account, next.as_deref(), verbose, Style::stdout()).join("\n") + "\n"
    };
    print(text.as_bytes())?;
    Ok(worst.max(judged(&account, args.fail_on.fail_on)))
}

fn lines(account: &Summary, next: Option<&str>, all: bool, style: Style) -> Vec<String> {
    let mut lines: Vec<String> = account
        .sources
        .iter()
        .map(|source| style.strong(profile(source)))
        .collect();
    lines.push(to_review(account, style));
    lines.push(String::new());
    lines.push(format!(
        "would change {} of {}",
        with_thousands(account.changed),
        counted(account.messages_in, "message")
    ));
    lines.extend(replaced_separators(account));
    lines.extend(guesses_of(account, all));
    lines.extend(verified(account));
    lines.extend(charsets(account, all));
    lines.extend(findings(account, all, style));
    lines.extend(decompressed(account));
    lines.extend(exceptions(account, all));
    lines.extend(duplicates(account, all));
    let examples = |title: &str, most: usize, wanted: &dyn Fn(&Example) -> bool| {
        let found: Vec<_> = varied(account.examples.iter().filter(|e| wanted(e)).collect());
        let head = (!found.is_empty()).then(|| title.to_owned());
        let shown = found
            .into_iter()
            .take(most)
            .map(|e| format!("  {}", shown(e)));
        head.into_iter().chain(shown).collect::<Vec<_>>()
    };
    let most = if all { usize::MAX } else { EXAMPLES };
    lines.extend(examples("examples of repairs", most, &|e| {
        severity_of(&e.code) == Severity::Repair
    }));
    lines.extend(examples("examples of losses", most, &|e| {
        severity_of(&e.code) == Severity::Loss
    }));
    lines.extend(review_examples(account, all));
    if let Some(next) = next {
        lines.push(String::new());
        if lacks_inputs(account) {
            lines.push("first: see standard error for inputs that were not read; the output would lack them".to_owned());
        }
        lines.push(format!("next: {}", style.strong(next)));
    }
    lines
}

/// Returns true if an input was not read, or not completely.
fn lacks_inputs(account: &Summary) -> bool {
    let mail_like = BoxEventKind::MailLike.code();
    !account.unread.is_empty()
        || !account.incomplete.is_empty()
        || !account.without_header.is_empty()
        || !account.not_read.is_empty()
        || account.events.contains_key(mail_like)
}

/// Returns the inputs that a normalization takes: those that can be read, with all files below them.
fn readable(inputs: &[PathBuf], account: &Summary) -> Vec<PathBuf> {
    let is_whole = |path: &&PathBuf| account.unread.iter().all(|unread| unread.input != **path);
    inputs.iter().filter(is_whole).cloned().collect()
}

/// The options of a check that `mailglot normalize` has, too.
fn options(args: &CheckArgs) -> Vec<String> {
    let flags = [
        (args.opening.force_format, "--force-format"),
        (args.opening.follow_links, "--follow-links"),
        (args.verify.verify, "--verify"),
        (args.keep_signed, "--keep-signed"),
    ];
    let given = flags
        .into_iter()
        .filter(|(given, _)| *given)
        .map(|(_, flag)| flag.to_owned());
    let mailbox = args.opening.mailbox.words().into_iter();
    let selected = mailbox
        .chain(args.largest.words())
        .chain(args.selection.words());
    let policy = args.policy.words().into_iter();
    policy.chain(given).chain(selected).collect()
}

/// The command that would do what was checked, with the options that it was checked with. The output does not lie inside an input.
fn next(inputs: &[PathBuf], options: &[String]) -> String {
    let mut words = vec!["mailglot normalize".to_owned()];
    words.extend(options.iter().map(|option| shell_word(option.as_bytes())));
    words.extend(inputs.iter().map(|path| quoted(path)));
    let output = match inputs {
        [one] => output_name(one),
        _ => PathBuf::from("normalized"),
    };
    format!("{} -o {}", words.join(" "), quoted(&output))
}

/// `list.mbox` → `list.utf8.mbox`, `Maildir` → `Maildir.utf8`; beside the input.
fn output_name(input: &Path) -> PathBuf {
    if input.as_os_str() == "-" {
        return PathBuf::from("normalized.mbox");
    }
    // `.` and `..` have no name of their own.
    let named = if input.file_name().is_some() {
        input.to_owned()
    } else {
        fs::canonicalize(input).unwrap_or_default()
    };
    // What was compressed comes out as it is inside.
    let packed = ["gz", "bz2", "xz", "zst", "lz4"];
    let is_packed = named
        .extension()
        .is_some_and(|end| packed.iter().any(|packed| end == *packed));
    let named = if is_packed && !named.is_dir() {
        named.with_extension("")
    } else {
        named
    };
    // Nothing is written into a zip or tar archive, and what it has in it becomes a folder.
    let named = match (named.parent(), named.file_name()) {
        (Some(parent), Some(name)) if parent.ancestors().any(Path::is_file) => PathBuf::from(name),
        _ => named,
    };
    let is_container = named
        .extension()
        .is_some_and(|end| CONTAINERS.iter().any(|known| end == *known));
    if is_container && !named.is_dir() {
        let mut output = named.with_extension("").into_os_string();
        output.push(".utf8");
        return output.into();
    }
    let Some(name) = named.file_name() else {
        return PathBuf::from("normalized");
    };
    let stem_and_end = (named.file_stem(), named.extension());
    let (stem, end) = match stem_and_end {
        // The message of an emlx file is written without its first line and its property list.
        (Some(stem), Some(end)) if end == "emlx" && !named.is_dir() => {
            (stem, b".utf8.eml".to_vec())
        }
        // A mail folder of Outlook Express becomes a mailbox.
        (Some(stem), Some(end)) if end.eq_ignore_ascii_case("dbx") && !named.is_dir() => {
            (stem, b".utf8.mbox".to_vec())
        }
        (Some(stem), Some(end)) if !named.is_dir() => (stem, [b".utf8.", end.as_bytes()].concat()),
        _ => (name, b".utf8".to_vec()),
    };
    let output = [
        within(stem.as_bytes(), LONGEST.saturating_sub(end.len())),
        &end,
    ]
    .concat();
    named.with_file_name(OsStr::from_bytes(&output))
}

/// Extensions of zip and tar archives, without those of compressions.
const CONTAINERS: [&str; 5] = ["zip", "tar", "tgz", "tbz2", "txz"];

/// Bytes of a name for which there is room for `.set-aside` behind it.
const LONGEST: usize = 255 - 10;

/// The first bytes of a name, so many at most, without half a character at the end.
fn within(name: &[u8], most: usize) -> &[u8] {
    let mut end = name.len().min(most);
    while end < name.len() && end > most.saturating_sub(4) && name[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command() {
        for (inputs, command) in [
            (
                &["list.mbox"][..],
                "mailglot normalize list.mbox -o list.utf8.mbox",
            ),
            (
                &["a b/inbox"],
                "mailglot normalize 'a b/inbox' -o 'a b/inbox.utf8'",
            ),
            (
                &["Inbox.dbx"],
                "mailglot normalize Inbox.dbx -o Inbox.utf8.mbox",
            ),
            (
                &["7.partial.emlx"],
                "mailglot normalize 7.partial.emlx -o 7.partial.utf8.eml",
            ),
            (
                &["2001-May.txt.gz"],
                "mailglot normalize 2001-May.txt.gz -o 2001-May.utf8.txt",
            ),
            (
                &["h.mbox.xz"],
                "mailglot normalize h.mbox.xz -o h.utf8.mbox",
            ),
            (
                &["h.mbox.bz2"],
                "mailglot normalize h.mbox.bz2 -o h.utf8.mbox",
            ),
            (
                &["a\nb.mbox"],
                r"mailglot normalize $'a\nb.mbox' -o $'a\nb.utf8.mbox'",
            ),
            (
                &["takeout.zip"],
                "mailglot normalize takeout.zip -o takeout.utf8",
            ),
            (&["box.tar.gz"], "mailglot normalize box.tar.gz -o box.utf8"),
            (&["-"], "mailglot normalize - -o normalized.mbox"),
            (&["a", "b"], "mailglot normalize a b -o normalized"),
        ] {
            let inputs: Vec<_> = inputs.iter().map(PathBuf::from).collect();
            assert_eq!(next(&inputs, &[]), command);
        }
        let folder = tempfile::tempdir().unwrap();
        let maildir = folder.path().join("Mail.dir");
        fs::create_dir(&maildir).unwrap();
        assert_eq!(output_name(&maildir), folder.path().join("Mail.dir.utf8"));
    }

    /// What is asked for by the command is what was checked, whatever the charset.
    #[test]
    fn the_next_command_has_the_options_of_the_check() {
        use crate::args::{Args, Command};
        use clap::Parser;
        use mailglot_codec::Charset;
        let parsed = |words: &[&str]| match Args::try_parse_from(words).unwrap().command {
            Command::Check(args) => args,
            other => panic!("{other:?}"),
        };
        // That of mailbox names is none of text.
        let charsets = Charset::all().filter(|charset| *charset != Charset::UTF_7_IMAP);
        let names = charsets.map(Charset::name);
        for name in names {
            let map = format!("a={name}");
            let given = [
                "--default-charset",
                name,
                "--charset-map",
                &map,
                "--charset-map",
                "b c=utf-8",
                "--lang-hint",
                "tr",
                "--detect",
                "off",
                "--headers",
                "raw-utf8",
                "--transfer",
                "7bit",
                "--charset-out",
                "iso-2022-jp",
                "--attachments",
                "utf-8",
                "--on-loss",
                "keep",
                "--repair",
                "mojibake,nested",
                "--keep-signed",
            ];
            let first = parsed(&[&["mailglot", "check", "x"], &given[..]].concat());
            let words = options(&first);
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            let second = parsed(&[&["mailglot", "check", "x"], &words[..]].concat());
            let [first, second] =
                [first, second].map(|args| args.policy.policy(args.keep_signed, OnLoss::Replace));
            assert_eq!(format!("{first:?}"), format!("{second:?}"), "{name}");
        }
        for flags in [
            &[][..],
            &["--force-format"],
            &["--verify"],
            &["--force-format", "--verify"],
        ] {
            let given = ["--charset-map", "a b=latin1", "--lang-hint", "tr"];
            let args = parsed(&[&["mailglot", "check", "x"], &given[..], flags].concat());
            let flags = [&[""][..], flags].concat().join(" ");
            assert_eq!(
                next(&["h.mbox".into()], &options(&args)),
                format!(
                    "mailglot normalize --charset-map 'a b=ISO-8859-1' --lang-hint tr{flags} h.mbox -o h.utf8.mbox"
                )
            );
        }
    }

    #[test]
    fn suggested_names_can_be_written() {
        for letter in ["a", "\u{fc}", "\u{1f600}"] {
            for length in 200..=255 {
                let name = letter.repeat((length - 5) / letter.len()) + ".mbox";
                let output = output_name(Path::new(&name));
                let output = output.to_str().unwrap();
                assert!(
                    output.len() <= LONGEST && output.ends_with(".utf8.mbox"),
                    "{length} {output}"
                );
                assert!(
                    length > 240 || output.len() == name.len() + 5,
                    "{length} {output}"
                );
            }
        }
        let long = [b'a'; 254];
        assert_eq!(
            output_name(Path::new(OsStr::from_bytes(&long)))
                .as_os_str()
                .len(),
            LONGEST
        );
    }

    #[test]
    fn three_examples_of_repairs() {
        let example = |code: &str| Example {
            code: code.into(),
            message: "a:0".into(),
            path: None,
            part: "1".into(),
            offset: 3,
            length: 1,
            count: 1,
            detail: "\u{1b}x".into(),
        };
        let account = Summary {
            examples: vec![
                example("ew.raw8bit"),
                example("ew.raw8bit"),
                example("charset.superset"),
                example("mbox.ambiguous-from"),
                example("ew.glued"),
                example("ew.bad-token"),
                example("cte.wrong-label"),
            ],
            doubtful_separators: 2,
            events: [("mbox.ambiguous-from".into(), 2)].into(),
            ..Summary::default()
        };
        let text = lines(&account, None, false, Style::stdout()).join("\n");
        assert_eq!(
            text.matches("a:0 part 1 at 3, 1 byte: ␛x").count(),
            4,
            "{text}"
        );
        assert!(
            text.contains("\nexamples to review\n  mbox.ambiguous-from"),
            "{text}"
        );
        assert!(!text.contains("cte.wrong-label"));
        let review = "to review   2 doubtful separators, 0 suspected charsets\n";
        assert!(text.contains(review), "{text}");
    }
}
