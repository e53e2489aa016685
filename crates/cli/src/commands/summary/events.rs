//! Formats the lines of a summary about events, charsets and the second reader.

use crate::output::{Style, counted, visible};
use mailglot_archive::BoxEventKind;
use mailglot_mime::{EventKind, Severity};
use mailglot_pipeline::{Example, Summary, with_thousands};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// Lines of a list that everybody sees; with `-v` all.
const SHORT: usize = 8;
/// Examples of one group of findings.
pub(crate) const EXAMPLES: usize = 3;
/// Examples of each kind of exceptions.
pub(super) const NAMED: usize = 4;

/// What the second reader made of the rewritten messages, and the first that it reads otherwise.
pub(crate) fn verified(account: &Summary) -> Vec<String> {
    let Some(verify) = &account.verify else {
        return Vec::new();
    };
    let all = verify.agreed + verify.excused + verify.disagreed;
    let mut lines = vec![format!(
        "verified    {} by {}: {} agree, {} differ only by known reader defects, {} disagree",
        counted(all, "rewritten message"),
        verify.readers.join(" and "),
        with_thousands(verify.agreed),
        with_thousands(verify.excused),
        with_thousands(verify.disagreed)
    )];
    let disagreed = examples_of(account, |example| example.code == VERIFY_DISAGREES);
    lines.extend(example_lines(&disagreed, NAMED));
    lines
}

/// Returns the examples for which `is_wanted` is true.
fn examples_of(account: &Summary, is_wanted: impl Fn(&Example) -> bool) -> Vec<&Example> {
    let examples = account.examples.iter();
    examples.filter(|example| is_wanted(example)).collect()
}

/// Formats the first `most` examples.
fn example_lines(examples: &[&Example], most: usize) -> impl Iterator<Item = String> {
    let examples = examples.iter().take(most);
    examples.map(|example| format!("  {}", shown(example)))
}

/// Returns ` (-v names them)` if there are more than `most` examples, otherwise an empty text.
fn hint_of_more(examples: &[&Example], most: usize) -> &'static str {
    if most < examples.len() {
        " (-v names them)"
    } else {
        ""
    }
}

/// The code of a message that the second reader reads otherwise.
pub(super) const VERIFY_DISAGREES: &str = "verify.disagrees";

/// Repairs and losses by code, and with `all` what is only worth knowing.
pub(crate) fn findings(account: &Summary, all: bool, style: Style) -> Vec<String> {
    let mut lines = vec![];
    let mut group = |title: &str,
                     total: u64,
                     severity: Severity,
                     paint: &dyn Fn(String) -> String| {
        let line = format!("{title:<12}{}", with_thousands(total));
        lines.push(if total > 0 { paint(line) } else { line });
        let codes = account
            .events
            .iter()
            .filter(|(code, _)| severity_of(code) == severity);
        lines.extend(codes.map(|(code, count)| format!("{:>12}  {code}", with_thousands(*count))));
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
const OF_FILES: [&str; 5] = [
    "box.mail-like",
    "box.no-header",
    "box.no-mail",
    "box.not-followed",
    "box.packed",
];

/// Codes of findings that a person may decide otherwise.
const TO_REVIEW: [&str; 4] = [
    "mbox.ambiguous-from",
    "mbox.quoting-guess",
    "mbox.single",
    "charset.suspected",
];

/// A line of a summary that counts events of several codes.
struct ExceptionGroup {
    title: &'static str,
    /// The codes, with the words for one event and for many. `{}` stands for the number of many.
    codes: &'static [(&'static str, &'static str, &'static str)],
}

impl ExceptionGroup {
    fn has(&self, example: &Example) -> bool {
        self.codes.iter().any(|(code, ..)| example.code == *code)
    }
}

/// What was not read, not changed or not kept, and other exceptions.
const EXCEPTIONS: [ExceptionGroup; 5] = [
    ExceptionGroup {
        title: "not read",
        codes: &[
            (
                "box.left-out",
                "1 deleted or missing message",
                "{} deleted or missing messages",
            ),
            (
                "box.mail-like",
                "1 file that looks like mail",
                "{} files that look like mail",
            ),
            (
                "box.no-header",
                "1 file without a header field",
                "{} files without a header field",
            ),
            (
                "box.no-mail",
                "1 file that is not mail",
                "{} files that are not mail",
            ),
            (
                "box.not-followed",
                "1 link or special file",
                "{} links and special files",
            ),
            (
                "box.packed",
                "1 compressed or UTF-16 file",
                "{} compressed or UTF-16 files",
            ),
            (
                "box.member-skipped",
                "1 member of an archive",
                "{} members of archives",
            ),
            (
                "box.trailing-bytes",
                "1 run of bytes after compressed data",
                "{} runs of bytes after compressed data",
            ),
            (
                "hdr.beyond-limit",
                "1 header or field beyond the limits",
                "{} headers and fields beyond the limits",
            ),
            (
                "mime.depth",
                "1 run of parts beyond the limits",
                "{} runs of parts beyond the limits",
            ),
            (
                "msg.too-large",
                "1 too large message or text",
                "{} too large messages or texts",
            ),
        ],
    },
    ExceptionGroup {
        title: "unchanged",
        codes: &[
            (
                "mime.attachment-untouched",
                "1 text attachment in another charset",
                "{} text attachments in other charsets",
            ),
            (
                "mime.unsettled",
                "1 message or part whose text rewriting would change",
                "{} messages and parts whose text rewriting would change",
            ),
        ],
    },
    ExceptionGroup {
        title: "not kept",
        codes: &[
            ("msg.flags", "flags of 1 message", "flags of {} messages"),
            (
                "msg.folder",
                "folder of 1 message",
                "folders of {} messages",
            ),
        ],
    },
    ExceptionGroup {
        title: "included",
        codes: &[(
            "msg.deleted",
            "1 message that is marked as deleted",
            "{} messages that are marked as deleted",
        )],
    },
    ExceptionGroup {
        title: "no effect",
        codes: &[(
            "mbox.unused-override",
            "1 override of an offset where no separator can begin",
            "{} overrides of offsets where no separators can begin",
        )],
    },
];

pub(super) fn is_exception(example: &Example) -> bool {
    EXCEPTIONS.iter().any(|group| group.has(example))
}

/// Lists what was not read, not changed or not kept: the numbers, and the first examples of each line, with `all` all that are known.
pub(crate) fn exceptions(account: &Summary, all: bool) -> Vec<String> {
    let most = if all { usize::MAX } else { NAMED };
    let mut lines = Vec::new();
    for group in &EXCEPTIONS {
        let codes = group.codes.iter();
        let counts: Vec<_> = codes
            .filter_map(|(code, one, many)| match account.events.get(*code)? {
                1 => Some((*one).to_owned()),
                count => Some(many.replace("{}", &with_thousands(*count))),
            })
            .collect();
        if counts.is_empty() {
            continue;
        }
        let examples = varied(examples_of(account, |example| group.has(example)));
        let more = hint_of_more(&examples, most);
        lines.push(format!("{:<12}{}{more}", group.title, counts.join(", ")));
        lines.extend(example_lines(&examples, most));
    }
    lines
}

/// Returns the lines about compressed message files that were read, one for each example.
pub(crate) fn decompressed(account: &Summary) -> Vec<String> {
    let line = |example: &Example| {
        format!(
            "compressed  {}: {}",
            visible(&example.message),
            example.detail
        )
    };
    let examples = examples_of(account, is_decompressed);
    examples.into_iter().map(line).collect()
}

pub(super) fn is_decompressed(example: &Example) -> bool {
    example.code == BoxEventKind::Decompressed.code()
}

/// The code of a message whose bytes were read before.
const DUPLICATE: &str = "box.duplicate";

/// The number of messages whose bytes were read before, and the first ones; with `all` all that are known.
pub(crate) fn duplicates(account: &Summary, all: bool) -> Vec<String> {
    let Some(count) = account.events.get(DUPLICATE) else {
        return Vec::new();
    };
    let examples = examples_of(account, is_duplicate);
    let most = if all { usize::MAX } else { NAMED };
    let more = hint_of_more(&examples, most);
    let count = counted(*count, "message");
    let mut lines = vec![format!("duplicates  {count} read before{more}")];
    lines.extend(example_lines(&examples, most));
    lines
}

pub(super) fn is_duplicate(example: &Example) -> bool {
    example.code == DUPLICATE
}

pub(super) fn is_to_review(example: &Example) -> bool {
    TO_REVIEW.contains(&example.code.as_str())
}

/// `to review   1 doubtful separator, 0 suspected charsets`
pub(crate) fn to_review(account: &Summary, style: Style) -> String {
    let count = |code: &str| account.events.get(code).copied().unwrap_or_default();
    let suspected = count("charset.suspected");
    let mut words = vec![
        counted(account.doubtful_separators, "doubtful separator"),
        counted(suspected, "suspected charset"),
    ];
    let quotings = count("mbox.quoting-guess");
    let singles = count("mbox.single");
    if quotings > 0 {
        words.push(format!("quoting of {}", counted(quotings, "file")));
    }
    if singles > 0 {
        words.push(format!("{} read as one message", counted(singles, "input")));
    }
    let line = format!("to review   {}", words.join(", "));
    let total = account.doubtful_separators + suspected + quotings + singles;
    if total > 0 { style.repair(line) } else { line }
}

/// Lists the first examples of what a person may decide otherwise, with `all` all that are known.
pub(crate) fn review_examples(account: &Summary, all: bool) -> Vec<String> {
    let examples = varied(examples_of(account, is_to_review));
    let most = if all { usize::MAX } else { EXAMPLES };
    let title = (!examples.is_empty()).then(|| "examples to review".to_owned());
    title
        .into_iter()
        .chain(example_lines(&examples, most))
        .collect()
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
        with_thousands(account.charsets.values().sum())
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
        .map(|(name, count)| format!("{:>12}  {}", with_thousands(**count), visible(name)))
        .collect();
    if sorted.len() > shown {
        let rest: u64 = sorted[shown..].iter().map(|(_, count)| **count).sum();
        lines.push(format!("{:>12}  others", with_thousands(rest)));
    }
    lines
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
        let _ = write!(line, " × {}", with_thousands(example.count));
    }
    if !example.detail.is_empty() {
        let _ = write!(line, ": {}", visible(&example.detail));
    }
    line
}

/// Severity of a code: of a message, of an archive, or that of a message that could not be worked on.
pub(crate) fn severity_of(code: &str) -> Severity {
    let known = EventKind::ALL.iter().find(|kind| kind.code() == code);
    let of_archive = BoxEventKind::ALL.iter().find(|kind| kind.code() == code);
    match (known, of_archive) {
        (Some(kind), _) => kind.severity(),
        (_, Some(kind)) if kind.is_loss() => Severity::Loss,
        (_, Some(kind)) if kind.is_repair() => Severity::Repair,
        (_, None) if matches!(code, "msg.set-aside" | VERIFY_DISAGREES) => Severity::Loss,
        _ => Severity::Info,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Console;

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
}
