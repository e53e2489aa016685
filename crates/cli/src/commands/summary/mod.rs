//! Formats the summary of a job for people.
//!
//! # Limits
//!
//! Programs read `--report` and `--json` instead.

mod events;
mod guesses;

pub(crate) use events::*;
pub(crate) use guesses::*;

use events::{NAMED, VERIFY_DISAGREES, is_decompressed, is_duplicate, is_exception, is_to_review};

use super::job_exit::note;
use crate::error_text::{files_command, not_read_advice};
use crate::exit::{Exit, Failure};
use crate::output::{Console, Level, Style, counted, visible};
use crate::shell_words::quoted;
use mailglot_archive::{BoxEventKind, Packing};
use mailglot_pipeline::{
    Example, FileName, LedgerPlace, NormalizeJob, SourceSummary, Summary, with_thousands,
};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Prints the summary of a normalization on standard error.
pub(crate) fn report(account: &Summary, job: &NormalizeJob, console: Console) {
    let all = console.level() == Level::Verbose;
    if all {
        for source in &account.sources {
            console.say(profile(source));
        }
    }
    let mut lines = totals(account, console.style());
    lines.extend(guesses_of(account, all));
    lines.extend(verified(account));
    lines.extend(findings(account, all, console.style()));
    lines.extend(charsets(account, all));
    lines.extend(decompressed(account));
    lines.extend(exceptions(account, all));
    lines.extend(duplicates(account, all));
    lines.extend(review_examples(account, all));
    if all {
        let is_listed = |example: &&Example| {
            is_exception(example)
                || is_decompressed(example)
                || is_duplicate(example)
                || is_to_review(example)
                || example.code == VERIFY_DISAGREES
        };
        let others = account.examples.iter().filter(|other| !is_listed(other));
        let mut others = others
            .map(|example| format!("  {}", shown(example)))
            .peekable();
        if others.peek().is_some() {
            lines.push("other examples".to_owned());
        }
        lines.extend(others);
    }
    lines.extend(outputs(account, all));
    lines.extend(new_names(account, job));
    lines.extend(reversal(account, job));
    for line in lines {
        console.say(line);
    }
}

/// Names the outputs that have not the names of their inputs. The outputs of a tree are siblings, so names may occur twice.
fn outputs(account: &Summary, all: bool) -> Vec<String> {
    let sources = account.sources.iter();
    let renamed: Vec<(&SourceSummary, &FileName)> = sources
        .filter_map(|source| Some((source, source.output.as_ref()?)))
        .filter(|(source, output)| {
            let [output, input] = [output, &source.path].map(|name| name.path().into_os_string());
            !has_name_of(output.as_bytes(), input.as_bytes())
        })
        .collect();
    if renamed.is_empty() {
        return Vec::new();
    }
    let shown = if all { renamed.len() } else { NAMED };
    let more = if shown < renamed.len() {
        " (-v and --report name all)"
    } else {
        ""
    };
    let mut lines = vec![format!(
        "outputs     {} in one folder, {} under another name{more}",
        with_thousands(account.sources.len() as u64),
        with_thousands(renamed.len() as u64)
    )];
    lines.extend(renamed.iter().take(shown).map(|(source, output)| {
        let path = source.path.to_string();
        let output = output.to_string();
        format!("  {} is from {}", visible(&output), visible(&path))
    }));
    lines
}

/// Returns true if an output has the name of its input, byte for byte, apart from the ending.
fn has_name_of(output: &[u8], input: &[u8]) -> bool {
    let mut parts = input.rsplit(|&byte| byte == b'/');
    let name = match (parts.next(), parts.next()) {
        // The file of an Apple mailbox.
        (Some(b"mbox"), Some(parent)) if parent.ends_with(b".mbox") => parent,
        (name, _) => name.unwrap_or_default(),
    };
    let endings = [&b".mbox"[..], b".eml"];
    let stem = endings.iter().find_map(|end| output.strip_suffix(*end));
    name.starts_with(stem.unwrap_or(output))
}

/// Says that messages have new file names, and how to list the old ones.
fn new_names(account: &Summary, job: &NormalizeJob) -> Option<String> {
    let is_mailbox = |source: &SourceSummary| source.dialect.starts_with("mbox");
    let is_written_as_folder = |source: &SourceSummary| match &source.output {
        Some(name) => job.output.join(name.path()).is_dir(),
        None => job.output.is_dir(),
    };
    let folders: Vec<String> = account
        .sources
        .iter()
        .filter(|source| source.messages > 0 && !source.dialect.is_empty() && !is_mailbox(source))
        .filter(|source| is_written_as_folder(source))
        .map(|source| quoted(Path::new(&source.path.to_string())))
        .collect();
    (!folders.is_empty()).then(|| {
        format!(
            "file names  new, they begin with the message number; `mailglot inspect --json {}` lists numbers and old names",
            folders.join(" ")
        )
    })
}

/// `list.mbox: 120 messages, mboxrd, LF, 81,233 bytes`
pub(crate) fn profile(source: &SourceSummary) -> String {
    let mut line = format!(
        "{}: {}",
        visible(&source.path.to_string()),
        counted(source.messages, "message")
    );
    for word in [&source.dialect, &source.line_end] {
        if !word.is_empty() {
            let _ = write!(line, ", {}", visible(word));
        }
    }
    let _ = write!(line, ", {}", counted(source.bytes, "byte"));
    if source.gap_bytes > 0 {
        let _ = write!(
            line,
            " ({} outside messages)",
            with_thousands(source.gap_bytes)
        );
    }
    if let Some(output) = &source.output {
        let _ = write!(line, ", output {}", visible(&output.to_string()));
    }
    line
}

/// The identity, and the sizes.
fn totals(account: &Summary, style: Style) -> Vec<String> {
    let mut lines = vec![
        identity(account),
        to_review(account, style),
        format!(
            "bytes       {} in, {} out",
            with_thousands(account.bytes_in),
            with_thousands(account.bytes_out.unwrap_or_default())
        ),
        format!("changed     {}", counted(account.changed, "message")),
    ];
    lines.extend(replaced_separators(account));
    lines
}

/// Number of separators whose sender or time is another text in the output, if there are any.
pub(crate) fn replaced_separators(account: &Summary) -> Option<String> {
    const CODE: &str = "mbox.separator-replaced";
    let count = account.events.get(CODE)?;
    let count = counted(*count, "separator");
    Some(format!(
        "separators  {count} with sender or time in another form ({CODE})"
    ))
}

/// `messages    26 in = 20 written + 0 set aside + 6 left out on request`
pub(crate) fn identity(account: &Summary) -> String {
    let mut line = format!(
        "messages    {} in = {} written + {} set aside",
        with_thousands(account.messages_in),
        with_thousands(account.written),
        with_thousands(account.set_aside)
    );
    if account.dropped > 0 {
        let dropped = with_thousands(account.dropped);
        let _ = write!(line, " + {dropped} left out on request");
    }
    line
}

/// Reports what a command that normalizes nothing left out, read twice or could not read to its end. An input that was not read to its end
/// counts as one that could not be read.
pub(crate) fn report_left_out(account: &Summary, worst: &mut Exit, console: Console) {
    let all = console.level() == Level::Verbose;
    for line in exceptions(account, all)
        .into_iter()
        .chain(duplicates(account, all))
    {
        console.say(line);
    }
    report_damaged(account, worst, console);
}

/// Reports files and folders that could not be read.
pub(crate) fn report_unread(account: &Summary, worst: &mut Exit, console: Console) {
    for unread in &account.unread {
        note(&Failure::from(&*unread.error), worst, console);
    }
}

/// Names what stays in the folder of parts, because it does not belong to the job.
pub(crate) fn report_kept(kept: &[PathBuf], console: Console) {
    if let Some(first) = kept.first() {
        let more = match kept.len() - 1 {
            0 => String::new(),
            more => format!(" and {} more", with_thousands(more as u64)),
        };
        let first = first.display().to_string();
        let first = visible(&first);
        console.say(format_args!("kept        {first}{more}, not of this job"));
    }
}

/// Reports inputs that were not read to their end, and the number of files in each folder that are not mail.
pub(crate) fn report_damaged(account: &Summary, worst: &mut Exit, console: Console) {
    for (path, files) in &account.without_header {
        let (one_or_many, them) = match files {
            1 => ("file does not begin with a header field and was", "it"),
            _ => ("files do not begin with a header field and were", "them"),
        };
        let path = visible(path);
        let text = format!(
            "{path}: {} {one_or_many} left out (--force-format reads {them})",
            with_thousands(*files)
        );
        note(&Failure::new(Exit::Unread, text), worst, console);
    }
    if let Some(text) = mail_like(account) {
        note(&Failure::new(Exit::Unread, text), worst, console);
    }
    for (path, files) in &account.not_read {
        let text = not_read(account, path, *files);
        note(&Failure::new(Exit::Unread, text), worst, console);
    }
    for input in &account.incomplete {
        note(
            &Failure::new(Exit::Unread, visible(&input.to_string())),
            worst,
            console,
        );
    }
}

/// Names the number of files or members of an input that may be mail and cannot be read, the first one, and what to do.
fn not_read(account: &Summary, path: &str, files: u64) -> String {
    // A compressed file in the place of a message has no name, and does not count.
    let is_counted = |example: &&Example| {
        let detail = &example.detail;
        example.code == BoxEventKind::MemberSkipped.code()
            || example.code == BoxEventKind::Packed.code()
                && (detail.contains(LEFT_AS_IT_IS) || detail.starts_with(Packing::Utf16.words()))
    };
    let is_of_input = |example: &&Example| {
        let rest = example.message.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    let mut examples = account.examples.iter().filter(is_counted);
    let Some(example) = examples.find(is_of_input) else {
        let files = counted(files, "file");
        return format!("{}: not read: {files}", visible(path));
    };
    let first = &*example.detail;
    let name = first.split_once(LEFT_AS_IT_IS).map(|(_, name)| name);
    let file = match example.path.as_ref() {
        Some(file) => Some(file.path()),
        None => name.map(|name| Path::new(path).join(name)),
    };
    let advice = match file {
        Some(file) if file.exists() => not_read_advice(&file),
        _ => "; unpack the archive, and give the name of the folder".to_owned(),
    };
    let words = match files {
        1 => "1 file was not read".to_owned(),
        _ => format!("{} files were not read, the first", with_thousands(files)),
    };
    let first = match first.split_once(LEFT_AS_IT_IS) {
        Some((what, name)) => format!("{name}: {what}"),
        None => first.to_owned(),
    };
    format!("{}: {words}: {}{advice}", visible(path), visible(&first))
}

/// Stands before the name in the details of such events.
const LEFT_AS_IT_IS: &str = ", left as it is: ";

/// Names the number of files that look like mail and were not read, and the command that reads those of the first folder.
fn mail_like(account: &Summary) -> Option<String> {
    let code = BoxEventKind::MailLike.code();
    let files = *account.events.get(code)?;
    let mut examples = account.examples.iter();
    let first = examples.find(|example| example.code == code);
    let archive = first.map_or("", |example| &*example.message);
    let (words, them) = match files {
        1 => (
            "file looks like mail and was not read, because of its name",
            "it",
        ),
        _ => (
            "files look like mail and were not read, because of their names",
            "them",
        ),
    };
    let folder = Path::new(archive);
    let command = if folder.is_dir() {
        format!("; read {them} with: {}", files_command(folder))
    } else {
        String::new()
    };
    let text = format!("{} {words}{command}", with_thousands(files));
    Some(match archive {
        "" => text,
        _ => format!("{}: {text}", visible(archive)),
    })
}

/// The ledger, its size, and what may be said about reversal: not more than is known.
fn reversal(account: &Summary, job: &NormalizeJob) -> Vec<String> {
    let mut lines = Vec::new();
    if account.set_aside > 0 {
        lines.push(format!(
            "set aside   {}",
            visible(&with_suffix(&job.output, ".set-aside").to_string_lossy())
        ));
    }
    let bounded = || account.incomplete.iter().filter(|input| input.is_bounded);
    for input in bounded() {
        lines.push(format!(
            "incomplete  {}: input left out from compressed byte {}",
            visible(&input.path),
            input.offset
        ));
    }
    let Some(ledger) = job.ledger_place() else {
        lines.push("reversible: no (no ledger was written)".to_owned());
        return lines;
    };
    let bytes = account.ledger_bytes.unwrap_or_default();
    let mut line = format!("ledger      {}", counted(bytes, "byte"));
    if account.bytes_in > 0 {
        let share = bytes as f64 * 100.0 / account.bytes_in as f64;
        let _ = write!(line, " ({share:.1} % of the input)");
    }
    lines.push(line);
    let option = match &job.ledger {
        LedgerPlace::File(path) => format!(" --ledger {}", quoted(path)),
        _ => String::new(),
    };
    lines.push(format!(
        "reversible: {}with {} (check: mailglot restore {}{option} --verify-only)",
        if account.incomplete.is_empty() && account.unread.is_empty() {
            ""
        } else {
            "only what was read, "
        },
        visible(&ledger.to_string_lossy()),
        quoted(&job.output)
    ));
    lines
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_mime::Policy;
    use mailglot_pipeline::{FileName, IncompleteInput};

    fn job(ledger: LedgerPlace) -> NormalizeJob {
        NormalizeJob {
            inputs: vec!["a".into()],
            output: "out dir/o".into(),
            to: None,
            policy: Policy::default(),
            ledger,
            report: None,
            threads: 1,
            deterministic: false,
            force: false,
            opening: false.into(),
            selection: mailglot_pipeline::Selection::default(),
            verify: false,
        }
    }

    #[test]
    fn paths_steer_no_terminal() {
        let account = Summary {
            set_aside: 1,
            ..Summary::default()
        };
        let job = NormalizeJob {
            output: "o\u{1b}[2J".into(),
            ..job(LedgerPlace::Nowhere)
        };
        assert_eq!(
            reversal(&account, &job)[0],
            "set aside   o\u{241b}[2J.set-aside"
        );
    }

    #[test]
    fn new_names_are_announced_for_folders() {
        let folder = tempfile::tempdir().unwrap();
        let job = NormalizeJob {
            output: folder.path().to_owned(),
            ..job(LedgerPlace::Beside)
        };
        let summary = |dialect: &str| Summary {
            sources: ["a", "b c"]
                .map(|path| SourceSummary {
                    path: FileName::of(Path::new(path)),
                    dialect: dialect.to_owned(),
                    messages: 1,
                    ..SourceSummary::default()
                })
                .into(),
            ..Summary::default()
        };
        let said = new_names(&summary("eml tree"), &job).unwrap_or_default();
        let list = "`mailglot inspect --json a 'b c'` lists numbers and old names";
        assert!(said.contains(list), "{said}");
        assert_eq!(new_names(&summary("mboxrd"), &job), None);
        let missing = NormalizeJob {
            output: folder.path().join("none"),
            ..job
        };
        assert_eq!(new_names(&summary("Maildir"), &missing), None);
    }

    #[test]
    fn outputs_under_another_name_are_listed() {
        for (output, input, expected) in [
            ("Inbox", "t/2001/Inbox", true),
            ("Inbox-2", "t/2002/Inbox", false),
            ("a.mbox", "a.dbx", true),
            ("a-2.mbox", "b/a.mbox", false),
            ("Inbox-2.old", "Inbox.old", false),
            ("2001-May.txt", "list/2001-May.txt.gz", true),
            ("1.eml", "Messages/1.emlx", true),
            ("Sent.mbox", "x/Sent.mbox/mbox", true),
            ("Sent-2.mbox", "y/Sent.mbox/mbox", false),
        ] {
            let has_name = has_name_of(output.as_bytes(), input.as_bytes());
            assert_eq!(has_name, expected, "{output} {input}");
        }
        let source = |number: u32| SourceSummary {
            path: FileName::of(Path::new(&format!("{number}/Inbox"))),
            output: Some(FileName::of(Path::new(&format!("Inbox-{number}")))),
            ..SourceSummary::default()
        };
        let account = Summary {
            sources: (2..9).map(source).collect(),
            ..Summary::default()
        };
        let lines = outputs(&account, false);
        assert_eq!(lines.len(), 5);
        assert_eq!(
            lines[0],
            "outputs     7 in one folder, 7 under another name (-v and --report name all)"
        );
        assert_eq!(lines[1], "  Inbox-2 is from 2/Inbox");
        assert_eq!(outputs(&account, true).len(), 8);
        assert!(outputs(&Summary::default(), true).is_empty());
    }

    #[test]
    fn reversal_says_what_is_true() {
        let account = Summary {
            bytes_in: 2000,
            ledger_bytes: Some(30),
            ..Summary::default()
        };
        assert_eq!(
            reversal(&account, &job(LedgerPlace::Beside)),
            [
                "ledger      30 bytes (1.5 % of the input)",
                "reversible: with out dir/o.ledger (check: mailglot restore 'out dir/o' --verify-only)"
            ]
        );
        let empty = Summary {
            ledger_bytes: Some(159),
            ..Summary::default()
        };
        assert_eq!(
            reversal(&empty, &job(LedgerPlace::Beside))[0],
            "ledger      159 bytes"
        );
        let lines = reversal(&account, &job(LedgerPlace::File("l".into())));
        assert_eq!(
            lines[1],
            "reversible: with l (check: mailglot restore 'out dir/o' --ledger l --verify-only)"
        );
        let cut = Summary {
            incomplete: vec![IncompleteInput {
                path: "a.gz".into(),
                offset: 230_564,
                reason: "r".into(),
                is_bounded: true,
                is_unread: false,
            }],
            ..account.clone()
        };
        let lines = reversal(&cut, &job(LedgerPlace::File("l".into())));
        assert_eq!(
            lines[0],
            "incomplete  a.gz: input left out from compressed byte 230564"
        );
        assert!(lines[2].starts_with("reversible: only what was read, with l "));
        let lines = reversal(&account, &job(LedgerPlace::Nowhere));
        assert_eq!(lines, ["reversible: no (no ledger was written)"]);
    }
}
