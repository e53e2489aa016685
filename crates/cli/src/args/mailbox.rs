//! The arguments that overrule how mailboxes are split into messages.

use super::by_name::by_name;
use clap::Args as Group;
use mailglot_archive::{LineDecision, MailboxOptions, MboxRule, words};
use std::fs;
use std::sync::Arc;

/// How mailboxes are split into messages.
#[derive(Debug, Group)]
pub(crate) struct MailboxArgs {
    /// Where messages of a mailbox begin.
    #[arg(long, value_name = "RULE", default_value = "auto", value_parser = by_name(RULES, MboxRule::name))]
    mbox_rule: MboxRule,
    /// Decide about the `From ` line at this offset of the mailbox; repeatable. `join` makes it text, `cut` a separator. @FILE has
    /// one decision per line. `mailglot check -v` lists doubtful lines.
    #[arg(long, value_name = "OFFSET=join|cut|@FILE", value_parser = decisions)]
    mbox_override: Vec<Decisions>,
}

impl MailboxArgs {
    /// Returns the options.
    pub(crate) fn options(&self) -> MailboxOptions {
        let overrides = self.mbox_override.iter().flat_map(|list| list.list.clone());
        MailboxOptions {
            rule: self.mbox_rule,
            overrides: Arc::new(overrides.collect()),
        }
    }

    /// Returns the options as words of a command line, without shell quotes.
    pub(crate) fn words(&self) -> Vec<String> {
        let rule = Some(self.mbox_rule).filter(|rule| *rule != MboxRule::Auto);
        let rule = rule.map(|rule| ("--mbox-rule".to_owned(), rule.name().to_owned()));
        let overrides = self.mbox_override.iter();
        let overrides = overrides.map(|list| ("--mbox-override".to_owned(), list.text.clone()));
        rule.into_iter()
            .chain(overrides)
            .flat_map(|(option, value)| [option, value])
            .collect()
    }
}

/// The values of `--mbox-rule`, with their help.
const RULES: &[(MboxRule, &str)] = &[
    (
        MboxRule::Auto,
        "By the form of each line, the mailbox dialect and the fields that follow (see mbox.ambiguous-from)",
    ),
    (
        MboxRule::Strict,
        "After each `From ` line with a date that follows a blank line",
    ),
    (MboxRule::Loose, "After each `From ` line"),
    (
        MboxRule::ContentLength,
        "By Content-Length where it is right, else as `auto`",
    ),
    (MboxRule::Mmdf, "Between lines of four Control-A"),
];

/// Decisions about lines.
#[derive(Clone, Debug)]
struct Decisions {
    /// As given.
    text: String,
    list: Vec<(u64, LineDecision)>,
}

/// Parses `OFFSET=join`, `OFFSET=cut` or `@FILE`.
fn decisions(text: &str) -> Result<Decisions, String> {
    let list = match text.strip_prefix('@') {
        None => vec![decision(text)?],
        Some(path) => {
            let lines = fs::read_to_string(path);
            let lines = lines.map_err(|error| format!("{path}: {}", words(&error)))?;
            let lines = lines.lines().map(str::trim);
            lines
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(|line| decision(line).map_err(|error| format!("{path}: {error}")))
                .collect::<Result<_, _>>()?
        }
    };
    Ok(Decisions {
        text: text.to_owned(),
        list,
    })
}

fn decision(text: &str) -> Result<(u64, LineDecision), String> {
    let wrong = || format!("`{text}` is not OFFSET=join or OFFSET=cut, such as 81233=join");
    let (offset, word) = text.split_once('=').ok_or_else(wrong)?;
    let decision = match word {
        "join" => LineDecision::Join,
        "cut" => LineDecision::Cut,
        _ => return Err(wrong()),
    };
    Ok((offset.parse().map_err(|_| wrong())?, decision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_given_one_by_one_or_in_a_file() {
        use LineDecision::{Cut, Join};
        assert_eq!(decision("81233=join"), Ok((81_233, Join)));
        assert_eq!(decision("0=cut"), Ok((0, Cut)));
        for wrong in ["", "1", "1=", "1=keep", "x=cut", "-1=cut", "1 =cut", "=cut"] {
            assert!(decision(wrong).is_err(), "{wrong}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, "# doubtful\n\n 5=cut \r\n7=join\n").unwrap();
        let text = format!("@{}", path.display());
        assert_eq!(decisions(&text).unwrap().list, [(5, Cut), (7, Join)]);
        fs::write(&path, "5=perhaps\n").unwrap();
        assert!(decisions(&text).unwrap_err().contains("5=perhaps"));
        assert!(decisions("@/no/such").is_err());
    }
}
