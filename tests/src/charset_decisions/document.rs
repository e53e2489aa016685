//! Tables between markers in a document.

use super::Reliability;
use super::reliability;
use anyhow::{Context, bail};

/// Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->`.
///
/// # Errors
///
/// When a marker is missing.
pub fn update(document: &str, name: &str, table: &str) -> anyhow::Result<String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = document.find(&open).with_context(|| format!("no marker {name}"))? + open.len();
    let Some(end) = document[start..].find(&close) else { bail!("no end of {name}") };
    Ok(format!("{}{table}{}", &document[..start], &document[start + end..]))
}

impl Reliability {
    /// A table in Markdown with a column for each set: number of guesses and the share of right ones, by stated confidence.
    pub fn table(sets: &[(&str, &Reliability)]) -> String {
        reliability::table(sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_markers_is_replaced() {
        let document = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n";
        assert_eq!(update(document, "x", "new\n").unwrap(), "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n");
        assert!(update(document, "y", "new\n").is_err());
    }
}
