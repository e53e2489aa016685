//! The text parts that readers of mail find in a mailbox, for comparison: as JSON Lines, or separated by NUL.
//!
//! # Limits
//!
//! Line ends and blanks at the end of a text are not compared, and neither are charset names and section numbers.

use anyhow::Context;
use std::collections::HashMap;

/// Number of the message, and text.
pub(crate) type TextPart = (u64, String);

/// Reads what `text --json` prints.
pub(crate) fn from_json(lines: &[u8]) -> anyhow::Result<Vec<TextPart>> {
    lines
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            let record: serde_json::Value = serde_json::from_slice(line)?;
            let text = record["text"].as_str().unwrap_or_default();
            Ok((
                record["message"].as_u64().context("no message")?,
                plain(text),
            ))
        })
        .collect()
}

/// Reads parts that end in NUL: number of the message, a tab, text.
pub(crate) fn from_nul(parts: &[u8]) -> Vec<TextPart> {
    let mut found = Vec::new();
    for part in parts
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
    {
        let part = String::from_utf8_lossy(part);
        // A text that has NUL in it goes on here.
        if let Some((number, text)) = part.split_once('\t')
            && let Ok(number) = number.parse::<u64>()
        {
            found.push((number, plain(text)));
        }
    }
    found
}

/// Returns the share of `ours` that `theirs` has too.
pub(crate) fn share_alike(ours: &[TextPart], theirs: Vec<TextPart>) -> f64 {
    let mut texts: HashMap<TextPart, i64> = HashMap::new();
    for part in theirs {
        *texts.entry(part).or_default() += 1;
    }
    let mut alike = 0_u32;
    for part in ours {
        if let Some(left) = texts.get_mut(part).filter(|left| **left > 0) {
            *left -= 1;
            alike += 1;
        }
    }
    f64::from(alike) / (ours.len() as f64).max(1.0)
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_give_the_same_parts() {
        let json = b"{\"message\":0,\"text\":\"a\\nb\\n\"}\n{\"message\":2,\"text\":\"c\"}\n";
        let ours = from_json(json).unwrap();
        let theirs = from_nul(b"0\ta\r\nb\x002\tc \n\x00");
        assert_eq!(ours, theirs);
        assert!((share_alike(&ours, theirs) - 1.0).abs() < 1e-9);
        assert!((share_alike(&ours, vec![(0, "a\nb".to_owned())]) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn json_without_a_message_is_an_error() {
        assert!(from_json(b"{\"text\":\"a\"}\n").is_err());
    }
}
