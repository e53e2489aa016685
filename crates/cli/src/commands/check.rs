//! `mailglot check`

use super::summary::{
    EXAMPLES, ambiguous, charsets, findings, left_alone, profile, quoted, severity_of, shown, tell_damaged,
    varied,
};
use super::{all_cores, judged, note};
use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::interrupt::stoppable;
use crate::output::{Console, Level, Style, counted, number, print, visible};
use crate::progress::watched;
use mailglot_mime::Severity;
use mailglot_pipeline::{CheckJob, Example, Summary, check};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &CheckArgs, console: Console) -> Result<Exit, Failure> {
    let job = CheckJob { inputs: args.inputs.clone(), policy: args.reading.policy(), threads: all_cores() };
    let account = stoppable(|progress| watched(console, progress, || check(&job, progress)))?;
    let mut worst = Exit::Done;
    for unread in &account.unread {
        note(&Failure::new(Exit::Unread, unread.as_str()), &mut worst, console);
    }
    tell_damaged(&account, &mut worst, console);
    if account.sources.is_empty() && !args.json {
        return Ok(worst);
    }
    let text = if args.json {
        let json = serde_json::to_string(&account);
        json.map_err(|error| Failure::new(Exit::Output, error.to_string()))? + "\n"
    } else {
        let verbose = console.level() == Level::Verbose;
        lines(&account, &readable(&job.inputs, &account.unread), verbose, Style::stdout()).join("\n") + "\n"
    };
    print(text.as_bytes())?;
    // An account that lacks an input is no answer to --fail-on.
    Ok(if account.unread.is_empty() { worst.max(judged(&account, args.fail_on)) } else { worst })
}

fn lines(account: &Summary, inputs: &[PathBuf], all: bool, style: Style) -> Vec<String> {
    let mut lines: Vec<String> = account.sources.iter().map(|source| style.strong(profile(source))).collect();
    lines.push(String::new());
    lines.extend(charsets(account, all));
    lines.push(format!(
        "would change {} of {}",
        number(account.changed),
        counted(account.messages_in, "message")
    ));
    lines.extend(findings(account, all, style));
    lines.extend(left_alone(account, all));
    let examples = |title: &str, most: usize, wanted: &dyn Fn(&Example) -> bool| {
        let found: Vec<_> = varied(account.examples.iter().filter(|e| wanted(e)).collect());
        let head = (!found.is_empty()).then(|| title.to_owned());
        let shown = found.into_iter().take(most).map(|e| format!("  {}", shown(e)));
        head.into_iter().chain(shown).collect::<Vec<_>>()
    };
    let most = if all { usize::MAX } else { EXAMPLES };
    lines.extend(examples("e.g. repairs", most, &|e| severity_of(&e.code) == Severity::Repair));
    lines.extend(examples("e.g. losses", most, &|e| severity_of(&e.code) == Severity::Loss));
    lines.extend(ambiguous(account, all));
    if !inputs.is_empty() {
        lines.push(String::new());
        lines.push(format!("next: {}", style.strong(next(inputs))));
    }
    lines
}

/// The inputs that a normalization takes: one of which, or of what lies below it, nothing was said to be unreadable.
fn readable(inputs: &[PathBuf], unread: &[String]) -> Vec<PathBuf> {
    let is_of = |input: &str, told: &String| {
        told.strip_prefix(input).is_some_and(|rest| rest.starts_with(':') || rest.starts_with('/'))
    };
    let is_whole = |input: &&PathBuf| !unread.iter().any(|told| is_of(&input.to_string_lossy(), told));
    inputs.iter().filter(is_whole).cloned().collect()
}

/// The command that would do it. The output does not lie inside an input.
fn next(inputs: &[PathBuf]) -> String {
    let paths: Vec<_> = inputs.iter().map(|path| quoted(path)).collect();
    let output = match inputs {
        [one] => output_name(one),
        _ => PathBuf::from("normalized"),
    };
    visible(&format!("mailglot normalize {} -o {}", paths.join(" "), quoted(&output))).into_owned()
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
    let packed = named.extension().is_some_and(|end| end == "gz" || end == "zst") && !named.is_dir();
    let named = if packed { named.with_extension("") } else { named };
    let Some(name) = named.file_name() else { return PathBuf::from("normalized") };
    let stem_and_end = (named.file_stem(), named.extension());
    let mut output;
    if let (Some(stem), Some(end), false) = (stem_and_end.0, stem_and_end.1, named.is_dir()) {
        output = stem.to_owned();
        output.push(".utf8.");
        output.push(end);
    } else {
        output = name.to_owned();
        output.push(".utf8");
    }
    named.with_file_name(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command() {
        for (inputs, command) in [
            (&["list.mbox"][..], "mailglot normalize list.mbox -o list.utf8.mbox"),
            (&["a b/inbox"], "mailglot normalize 'a b/inbox' -o 'a b/inbox.utf8'"),
            (&["2001-May.txt.gz"], "mailglot normalize 2001-May.txt.gz -o 2001-May.utf8.txt"),
            (&["-"], "mailglot normalize - -o normalized.mbox"),
            (&["a", "b"], "mailglot normalize a b -o normalized"),
        ] {
            let inputs: Vec<_> = inputs.iter().map(PathBuf::from).collect();
            assert_eq!(next(&inputs), command);
        }
        let folder = tempfile::tempdir().unwrap();
        let maildir = folder.path().join("Mail.dir");
        fs::create_dir(&maildir).unwrap();
        assert_eq!(output_name(&maildir), folder.path().join("Mail.dir.utf8"));
    }

    #[test]
    fn three_examples_of_repairs() {
        let example = |code: &str| Example {
            code: code.into(),
            message: "a:0".into(),
            part: "1".into(),
            offset: 3,
            length: 1,
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
            events: [("mbox.ambiguous-from".into(), 2)].into(),
            ..Summary::default()
        };
        let text = lines(&account, &["a".into()], false, Style::stdout()).join("\n");
        assert_eq!(text.matches("a:0 part 1 at 3, 1 byte: ␛x").count(), 4, "{text}");
        assert!(text.contains("ambiguous   2\ne.g. ambiguous\n  mbox.ambiguous-from"), "{text}");
        assert!(!text.contains("cte.wrong-label"));
    }
}
