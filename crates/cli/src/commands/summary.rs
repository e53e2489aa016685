//! The account of a job in lines for people.
//!
//! # Limits
//!
//! What stands in the lines is for people; programs read `--report` and `--json`.

use super::note;
use crate::exit::{Exit, Failure};
use crate::output::{Console, Level, Style, counted, number, visible};
use mailglot_archive::BoxEventKind;
use mailglot_codec::{Charset, Resolved, View};
use mailglot_mime::{EventKind, Severity};
use mailglot_pipeline::{Example, GuessExample, LedgerPlace, NormalizeJob, SourceSummary, Summary};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Lines of a list that everybody sees; with `-v` all.
const SHORT: usize = 8;
/// Examples of one group of findings.
pub(crate) const EXAMPLES: usize = 3;
/// The same of what was left out.
const NAMED: usize = 4;

/// Prints the summary of a normalization on standard error.
pub(crate) fn report(account: &Summary, job: &NormalizeJob, console: Console) {
    let all = console.level() == Level::Verbose;
    if all {
        for source in &account.sources {
            console.say(profile(source));
        }
    }
    let top = totals(account, console.style()).into_iter();
    for line in top.chain(guesses_of(account, all)).chain(verified(account)) {
        console.say(line);
    }
    for line in findings(account, all, console.style()) {
        console.say(line);
    }
    let doubts = if doubts(account) > 0 {
        ambiguous(account, all)
    } else {
        Vec::new()
    };
    for line in charsets(account, all)
        .into_iter()
        .chain(left_alone(account, all))
        .chain(doubts)
    {
        console.say(line);
    }
    if all {
        let is_listed = |example: &Example| {
            is_left_alone(example) || is_ambiguous(example) || example.code == VERIFY_DISAGREES
        };
        for example in account
            .examples
            .iter()
            .filter(|example| !is_listed(example))
        {
            console.say(format_args!("  e.g. {}", shown(example)));
        }
    }
    for line in reversal(account, job) {
        console.say(line);
    }
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
            " ({} of them in no message)",
            number(source.gap_bytes)
        );
    }
    line
}

/// The identity, and the sizes.
fn totals(account: &Summary, style: Style) -> Vec<String> {
    vec![
        format!(
            "messages    {} in = {} written + {} set aside",
            number(account.messages_in),
            number(account.written),
            number(account.set_aside)
        ),
        doubtful_separators(account, style),
        format!(
            "bytes       {} in, {} out",
            number(account.bytes_in),
            number(account.bytes_out.unwrap_or_default())
        ),
        format!("changed     {}", counted(account.changed, "message")),
    ]
}

/// Number of lines of mailboxes that may or may not begin a message; `ambiguous` names the first.
pub(crate) fn doubtful_separators(account: &Summary, style: Style) -> String {
    let line = format!(
        "doubtful    {}",
        counted(account.doubtful_separators, "separator")
    );
    if account.doubtful_separators > 0 {
        style.repair(line)
    } else {
        line
    }
}

/// Readings of each kind that everybody sees; with `-v` all that are known.
const GUESSES: usize = 3;

/// The number of guessed charsets and overruled labels, and the least certain of each, with `all` all that are known. Overruled labels come first.
pub(crate) fn guesses(
    counts: [u64; 2],
    overruled: &[&GuessExample],
    guessed: &[&GuessExample],
    all: bool,
) -> Vec<String> {
    let numbers = counts
        .into_iter()
        .zip(["overruled label", "guessed charset"]);
    let counts: Vec<_> = numbers
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| counted(n, what))
        .collect();
    if counts.is_empty() {
        return Vec::new();
    }
    let most = if all { usize::MAX } else { GUESSES };
    let more = if overruled.len().max(guessed.len()) > most {
        " (-v shows more)"
    } else {
        ""
    };
    let mut lines = vec![format!(
        "guesses     {}, least certain first{more}",
        counts.join(", ")
    )];
    let shown = overruled.iter().take(most).chain(guessed.iter().take(most));
    lines.extend(shown.map(|guess| format!("  {}", guess_line(guess))));
    lines
}

/// The guesses of a job.
pub(crate) fn guesses_of(account: &Summary, all: bool) -> Vec<String> {
    let known = &account.least_certain;
    let (overruled, guessed): (Vec<_>, Vec<_>) = (
        known.overruled().iter().collect(),
        known.guessed().iter().collect(),
    );
    guesses(
        [account.overruled, account.guessed],
        &overruled,
        &guessed,
        all,
    )
}

/// `list.mbox:311 part 1  "…Ünlüler…"  no label, read as windows-1254 (0.71)`
fn guess_line(guess: &GuessExample) -> String {
    let mut line = visible(&guess.message).into_owned();
    if let Some(path) = &guess.path {
        let _ = write!(line, " ({})", visible(&path.to_string()));
    }
    if !guess.part.is_empty() {
        let _ = write!(line, " part {}", guess.part);
    }
    if let Some(field) = &guess.field {
        let _ = write!(line, " {}", visible(field));
    }
    let _ = write!(line, "  \"{}\"  ", visible(&guess.excerpt));
    match &guess.declared {
        None => line.push_str("no label"),
        Some(label) if label.trim().is_empty() => line.push_str("empty label"),
        Some(label) => {
            let unknown = if is_unknown(label) { "unknown " } else { "" };
            let _ = write!(line, "{unknown}label {}", visible(label));
        }
    }
    line.push_str(if guess.is_overruled() {
        " overruled, read as "
    } else {
        ", read as "
    });
    line.push_str(guess.used);
    if let Some(confidence) = guess.confidence {
        // No guess is certain: 0.999 is not shown as 1.
        let shown = (confidence * 100.0).floor() / 100.0;
        let _ = write!(line, " ({shown:.2})");
    }
    line
}

/// True for a label that names no charset.
fn is_unknown(label: &str) -> bool {
    Charset::for_label(label.as_bytes(), View::Mail) == Resolved::Unknown
}

/// What the second reader made of the rewritten messages, and the first that it reads otherwise.
pub(crate) fn verified(account: &Summary) -> Vec<String> {
    let Some(verify) = &account.verify else {
        return Vec::new();
    };
    let all = verify.agreed + verify.excused + verify.disagreed;
    let mut lines = vec![format!(
        "verified    {} by {}: {} agree, {} but for known defects of these readers, {} disagree",
        counted(all, "rewritten message"),
        verify.readers.join(" and "),
        number(verify.agreed),
        number(verify.excused),
        number(verify.disagreed)
    )];
    let disagreed = account
        .examples
        .iter()
        .filter(|example| example.code == VERIFY_DISAGREES);
    lines.extend(
        disagreed
            .take(NAMED)
            .map(|example| format!("  {}", shown(example))),
    );
    lines
}

/// The code of a message that the second reader reads otherwise.
const VERIFY_DISAGREES: &str = "verify.disagrees";

/// Repairs and losses by code, and with `all` what is only worth knowing.
pub(crate) fn findings(account: &Summary, all: bool, style: Style) -> Vec<String> {
    let mut lines = vec![];
    let mut group =
        |title: &str, total: u64, severity: Severity, paint: &dyn Fn(String) -> String| {
            let line = format!("{title:<12}{}", number(total));
            lines.push(if total > 0 { paint(line) } else { line });
            let codes = account
                .events
                .iter()
                .filter(|(code, _)| severity_of(code) == severity);
            lines.extend(codes.map(|(code, count)| format!("{:>12}  {code}", number(*count))));
        };
    group("repairs", account.repairs, Severity::Repair, &|line| {
        style.repair(line)
    });
    group("losses", account.losses, Severity::Loss, &|line| {
        style.loss(line)
    });
    if all {
        let notes = account
            .events
            .iter()
            .filter(|(code, _)| severity_of(code) == Severity::Info);
        group(
            "notes",
            notes.map(|(_, count)| count).sum(),
            Severity::Info,
            &|line| line,
        );
    }
    lines
}

/// Codes of findings about whole files, which the detail names.
const OF_FILES: [&str; 4] = [
    "box.no-header",
    "box.no-mail",
    "box.not-followed",
    "box.packed",
];

/// Codes of findings that a person may see otherwise.
const AMBIGUOUS: [&str; 4] = [
    "mbox.ambiguous-from",
    "mbox.quoting-guess",
    "mbox.single",
    "charset.suspected",
];

/// Codes of what was not read, not changed or left out, in words for one and for many.
const LEFT_ALONE: [(&str, &str, &str); 11] = [
    (
        "box.no-header",
        "message without a header",
        "messages without a header",
    ),
    (
        "box.no-mail",
        "file that is no mail",
        "files that are no mail",
    ),
    (
        "box.not-followed",
        "link or special file",
        "links and special files",
    ),
    (
        "box.packed",
        "compressed or UTF-16 file",
        "compressed or UTF-16 files",
    ),
    (
        "box.trailing-bytes",
        "run of bytes beside compressed data",
        "runs of bytes beside compressed data",
    ),
    (
        "hdr.beyond-limit",
        "header or field beyond the limits",
        "headers and fields beyond the limits",
    ),
    (
        "mime.attachment-untouched",
        "text attachment in another charset",
        "text attachments in other charsets",
    ),
    (
        "mime.depth",
        "run of parts beyond the limits",
        "runs of parts beyond the limits",
    ),
    (
        "mime.unsettled",
        "message or part that would read otherwise",
        "messages and parts that would read otherwise",
    ),
    (
        "msg.flags",
        "message that loses its flags",
        "messages that lose their flags",
    ),
    ("msg.too-large", "too large message", "too large messages"),
];

fn is_left_alone(example: &Example) -> bool {
    LEFT_ALONE.iter().any(|(code, ..)| example.code == *code)
}

/// What was not looked into or left out, which nobody should miss: the numbers, and the first ones, with `all` all that are known.
pub(crate) fn left_alone(account: &Summary, all: bool) -> Vec<String> {
    let told =
        LEFT_ALONE
            .iter()
            .filter_map(|(code, one, many)| match account.events.get(*code)? {
                1 => Some(format!("1 {one}")),
                count => Some(format!("{} {many}", number(*count))),
            });
    let told = told.collect::<Vec<_>>();
    if told.is_empty() {
        return Vec::new();
    }
    let examples = varied(
        account
            .examples
            .iter()
            .filter(|example| is_left_alone(example))
            .collect(),
    );
    let shown_of = if all {
        examples.len()
    } else {
        examples.len().min(NAMED)
    };
    let more = if shown_of < examples.len() {
        " (-v names them)"
    } else {
        ""
    };
    let mut lines = vec![format!("left alone  {}{more}", told.join(", "))];
    lines.extend(
        examples[..shown_of]
            .iter()
            .map(|example| format!("  {}", shown(example))),
    );
    lines
}

fn is_ambiguous(example: &Example) -> bool {
    AMBIGUOUS.contains(&example.code.as_str())
}

fn doubts(account: &Summary) -> u64 {
    AMBIGUOUS
        .iter()
        .filter_map(|code| account.events.get(*code))
        .sum()
}

/// What a person may see otherwise: the number, and the first ones, with `all` all that are known.
pub(crate) fn ambiguous(account: &Summary, all: bool) -> Vec<String> {
    let mut lines = vec![format!("ambiguous   {}", number(doubts(account)))];
    let examples = varied(
        account
            .examples
            .iter()
            .filter(|example| is_ambiguous(example))
            .collect(),
    );
    if !examples.is_empty() {
        lines.push("e.g. ambiguous".to_owned());
    }
    let most = if all { usize::MAX } else { EXAMPLES };
    lines.extend(
        examples
            .into_iter()
            .take(most)
            .map(|example| format!("  {}", shown(example))),
    );
    lines
}

/// What a command that normalizes nothing left out or could not read to its end; the latter is an input that could not be read.
pub(crate) fn report_left_out(account: &Summary, worst: &mut Exit, console: Console) {
    for line in left_alone(account, console.level() == Level::Verbose) {
        console.say(line);
    }
    report_damaged(account, worst, console);
}

/// Reports inputs that were not read to their end, and the number of files in each folder that are no mail.
pub(crate) fn report_damaged(account: &Summary, worst: &mut Exit, console: Console) {
    for (path, files) in &account.without_header {
        let (one_or_many, them) = match files {
            1 => ("file does not begin with a header field and was", "it"),
            _ => ("files do not begin with a header field and were", "them"),
        };
        let path = visible(path);
        let text = format!(
            "{path}: {} {one_or_many} left out (--force-format reads {them})",
            number(*files)
        );
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

/// Examples so ordered that the first of each code come first: three of one kind teach less than three kinds.
pub(crate) fn varied(examples: Vec<&Example>) -> Vec<&Example> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut ranked: Vec<_> = examples
        .into_iter()
        .map(|example| {
            let rank = seen.entry(&example.code).or_default();
            *rank += 1;
            (*rank, example)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, example)| example).collect()
}

/// The charsets of text parts, most used first.
pub(crate) fn charsets(account: &Summary, all: bool) -> Vec<String> {
    let mut lines = vec![format!(
        "text parts  {}",
        number(account.charsets.values().sum())
    )];
    lines.extend(most_used(&account.charsets, all));
    lines
}

fn most_used(counts: &BTreeMap<String, u64>, all: bool) -> Vec<String> {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    let shown = if all { sorted.len() } else { SHORT };
    let mut lines: Vec<_> = sorted
        .iter()
        .take(shown)
        .map(|(name, count)| format!("{:>12}  {}", number(**count), visible(name)))
        .collect();
    if sorted.len() > shown {
        let rest: u64 = sorted[shown..].iter().map(|(_, count)| **count).sum();
        lines.push(format!("{:>12}  others", number(rest)));
    }
    lines
}

/// The ledger, its size, and what may be said about reversal: not more than is known.
fn reversal(account: &Summary, job: &NormalizeJob) -> Vec<String> {
    let mut lines = Vec::new();
    if account.set_aside > 0 {
        lines.push(format!(
            "set aside   {}",
            with_suffix(&job.output, ".set-aside").display()
        ));
    }
    let bounded = || account.incomplete.iter().filter(|input| input.is_bounded);
    for input in bounded() {
        lines.push(format!(
            "incomplete  {}: input left out from compressed byte {}",
            visible(&input.path),
            number(input.offset)
        ));
    }
    let Some(ledger) = ledger_path(job) else {
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
        if bounded().next().is_none() {
            ""
        } else {
            "only what was read, "
        },
        visible(&ledger.to_string_lossy()),
        quoted(&job.output)
    ));
    lines
}

fn ledger_path(job: &NormalizeJob) -> Option<PathBuf> {
    match &job.ledger {
        LedgerPlace::Beside => Some(with_suffix(&job.output, ".ledger")),
        LedgerPlace::File(path) => Some(path.clone()),
        LedgerPlace::Nowhere => None,
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// `charset.superset  list.mbox:17 part 1.2 at 812, 2 bytes: iso-8859-1 read as windows-1252`
pub(crate) fn shown(example: &Example) -> String {
    let mut line = format!("{}  {}", example.code, visible(&example.message));
    if let Some(path) = &example.path {
        let _ = write!(line, " ({})", visible(&path.to_string()));
    }
    if !example.part.is_empty() {
        let _ = write!(line, " part {}", example.part);
    }
    // What is told of a whole file has no place in it.
    if !OF_FILES.contains(&example.code.as_str()) {
        let _ = write!(line, " at {}", example.offset);
    }
    if example.length > 0 {
        let _ = write!(line, ", {}", counted(example.length, "byte"));
    }
    if example.count > 1 {
        let _ = write!(line, " × {}", number(example.count));
    }
    if !example.detail.is_empty() {
        let _ = write!(line, ": {}", visible(&example.detail));
    }
    line
}

/// Severity of a code: of a message, of an archive, or that of a message that could not be worked on.
pub(crate) fn severity_of(code: &str) -> Severity {
    let known = EventKind::ALL.into_iter().find(|kind| kind.code() == code);
    let of_archive = BoxEventKind::ALL
        .into_iter()
        .find(|kind| kind.code() == code);
    match (known, of_archive) {
        (Some(kind), _) => kind.severity(),
        (_, Some(kind)) if kind.is_loss() => Severity::Loss,
        (_, Some(kind)) if kind.is_repair() => Severity::Repair,
        (_, None) if matches!(code, "msg.set-aside" | VERIFY_DISAGREES) => Severity::Loss,
        _ => Severity::Info,
    }
}

/// A path as a shell takes it. A name that begins like an option is no option behind `./`.
pub(crate) fn quoted(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    if bytes.starts_with(b"-") && bytes != b"-" {
        return shell_word(&[b"./", bytes].concat());
    }
    shell_word(bytes)
}

/// A word as a shell takes it: as it is, in quotes, or where it has controls or is no text in the quotes of `$'\n'` (POSIX.1-2024).
pub(crate) fn shell_word(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes)
        .ok()
        .filter(|text| matches!(visible(text), Cow::Borrowed(_)));
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+:,@%=".contains(c);
    match text {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => return text.to_owned(),
        Some(text) => return format!("'{}'", text.replace('\'', r"'\''")),
        None => {}
    }
    let mut word = "$'".to_owned();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let utf8 = c.encode_utf8(&mut buffer);
            match c {
                '\n' => word.push_str(r"\n"),
                '\t' => word.push_str(r"\t"),
                '\'' | '\\' => word.extend(['\\', c]),
                _ if matches!(visible(utf8), Cow::Owned(_)) => octal(utf8.as_bytes(), &mut word),
                _ => word.push(c),
            }
        }
        octal(chunk.invalid(), &mut word);
    }
    word + "'"
}

fn octal(bytes: &[u8], word: &mut String) {
    for byte in bytes {
        let _ = write!(word, "\\{byte:03o}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_mime::Policy;
    use mailglot_pipeline::IncompleteInput;

    fn job(ledger: LedgerPlace) -> NormalizeJob {
        NormalizeJob {
            inputs: vec!["a".into()],
            output: "out dir/o".into(),
            to: None,
            policy: Policy::default(),
            ledger,
            report: None,
            threads: 1,
            force: false,
            force_format: false,
            max_expansion: 200,
            verify: false,
        }
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
            }],
            ..account.clone()
        };
        let lines = reversal(&cut, &job(LedgerPlace::File("l".into())));
        assert_eq!(
            lines[0],
            "incomplete  a.gz: input left out from compressed byte 230,564"
        );
        assert!(lines[2].starts_with("reversible: only what was read, with l "));
        let lines = reversal(&account, &job(LedgerPlace::Nowhere));
        assert_eq!(lines, ["reversible: no (no ledger was written)"]);
    }

    #[test]
    fn guesses_name_their_labels() {
        for (declared, shown) in [
            (None, "no label, read as windows-1254 (0.71)"),
            (Some(""), "empty label, read as windows-1254 (0.71)"),
            (Some(" "), "empty label, read as windows-1254 (0.71)"),
            (
                Some("x-y"),
                "unknown label x-y, read as windows-1254 (0.71)",
            ),
            (
                Some("us-ascii"),
                "label us-ascii, read as windows-1254 (0.71)",
            ),
        ] {
            let guess = GuessExample {
                message: "list.mbox:311".into(),
                path: None,
                part: "1".into(),
                field: None,
                offset: 0,
                length: 7,
                kind: "guessed",
                declared: declared.map(str::to_owned),
                used: "windows-1254",
                confidence: Some(0.71),
                excerpt: "Ünlüler".into(),
            };
            assert_eq!(
                guess_line(&guess),
                format!("list.mbox:311 part 1  \"Ünlüler\"  {shown}")
            );
        }
    }

    #[test]
    fn lists_are_cut_and_sorted() {
        let counts: BTreeMap<_, _> = (0..12u64).map(|n| (format!("c{n:02}"), n + 1)).collect();
        let short = most_used(&counts, false);
        assert_eq!(short.len(), SHORT + 1);
        assert_eq!(short[0].trim(), "12  c11");
        assert_eq!(short[SHORT].trim(), "10  others");
        assert_eq!(most_used(&counts, true).len(), 12);
    }

    #[test]
    fn findings_stand_in_their_groups() {
        let account = Summary {
            repairs: 2,
            events: [("cte.wrong-label".into(), 2), ("mbox.single".into(), 1)].into(),
            ..Summary::default()
        };
        let lines = findings(&account, true, Console::new(false, false).style());
        assert_eq!(
            lines,
            [
                "repairs     2",
                "           2  cte.wrong-label",
                "losses      0",
                "notes       1",
                "           1  mbox.single"
            ]
        );
    }

    #[test]
    fn paths_for_the_shell() {
        for (path, shell) in [
            ("a.mbox", "a.mbox"),
            ("-", "-"),
            ("-a", "./-a"),
            ("it's", r"'it'\''s'"),
            ("a b", "'a b'"),
            ("", "''"),
            ("Entwürfe", "Entwürfe"),
            ("-a b", "'./-a b'"),
            (
                "a\nb\t\u{1b}7'\\ü\u{202e}",
                r"$'a\nb\t\0337\'\\ü\342\200\256'",
            ),
        ] {
            assert_eq!(quoted(Path::new(path)), shell);
        }
        assert_eq!(shell_word(b"a\xe97"), r"$'a\3517'");
    }

    /// What a shell reads is what was meant, for every byte but NUL.
    #[test]
    fn a_shell_reads_what_was_meant() {
        for byte in 1..=255_u8 {
            for word in [
                vec![byte],
                vec![b'a', byte, b'7', b' '],
                vec![b'\'', byte, b'\\', 0xc3],
            ] {
                let script = format!("printf %s {}", shell_word(&word));
                let run = std::process::Command::new("bash")
                    .args(["-c", &script])
                    .output()
                    .unwrap();
                assert_eq!(run.stdout, word, "{script}");
            }
        }
    }
}
