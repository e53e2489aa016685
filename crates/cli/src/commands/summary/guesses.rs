//! Formats the lines of a summary about guessed charsets and overruled labels, the least certain first.

use crate::output::{counted, visible};
use mailglot_codec::{Charset, Resolved, View};
use mailglot_pipeline::{GuessExample, Summary};
use std::fmt::Write as _;

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

/// The guesses of a job, and the options that correct them.
pub(crate) fn guesses_of(account: &Summary, all: bool) -> Vec<String> {
    let known = &account.least_certain;
    let (overruled, guessed): (Vec<_>, Vec<_>) = (
        known.overruled().iter().collect(),
        known.guessed().iter().collect(),
    );
    let counts = [account.overruled, account.guessed];
    let mut lines = guesses(counts, &overruled, &guessed, all);
    if account.overruled > 0 {
        lines.push("  to trust labels that decode all bytes: --detect unlabelled".to_owned());
    }
    if account.guessed > 0 {
        lines.push(
            "  to set the charset of text without a usable label: --default-charset koi8-r"
                .to_owned(),
        );
    }
    lines
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
    line.push_str(&guess.used);
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

#[cfg(test)]
mod tests {
    use super::*;

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
                kind: "guessed".into(),
                declared: declared.map(str::to_owned),
                used: "windows-1254".into(),
                confidence: Some(0.71),
                excerpt: "Ünlüler".into(),
            };
            assert_eq!(
                guess_line(&guess),
                format!("list.mbox:311 part 1  \"Ünlüler\"  {shown}")
            );
        }
    }
}
