//! The arguments that select messages, for all commands that read archives.

use super::by_name::by_name;
use clap::Args as Group;
use mailglot_mime::fields;
use mailglot_pipeline::{Dedupe, Selection};

/// The heading of these options in help texts.
const HEADING: &str = "Selection";

/// The messages that are processed.
#[derive(Debug, Group)]
pub(crate) struct SelectionArgs {
    /// Only messages from this time on: `2001`, `2001-05`, `2001-05-17` or `2001-05-17T10:30` (UTC). The Date field counts; if it
    /// cannot be read, the separator line does.
    #[arg(long, help_heading = HEADING, value_name = "DATE", value_parser = Period::parse)]
    since: Option<Period>,
    /// Only messages up to the end of this year, month, day or minute (UTC).
    #[arg(long, help_heading = HEADING, value_name = "DATE", value_parser = Period::parse)]
    until: Option<Period>,
    /// With --since or --until, leave out messages without a readable date. By default they are kept.
    #[arg(long, help_heading = HEADING)]
    strict: bool,
    /// Only messages of folders, or of mailboxes in a folder, whose path matches. `*` stands for any characters, `?` for one. Of a
    /// Maildir in a tree, `Sent` matches as well as `anna/Maildir/Sent`.
    #[arg(long, help_heading = HEADING, value_name = "GLOB")]
    folder: Option<String>,
    /// Find messages whose bytes were read before in this run, from any input. `mark` reports each (`box.duplicate`) with the address of
    /// the first; `drop` leaves it out, too. Separator lines and the mailbox's quoting do not count; every header field does. Needs up
    /// to 100 bytes of memory per message.
    #[arg(long, help_heading = HEADING, value_name = "MODE", value_parser = by_name(DEDUPES, Dedupe::name))]
    dedupe: Option<Dedupe>,
    /// Only the first N messages that the other options select. Commands that write no archive stop reading there.
    #[arg(long, help_heading = HEADING, value_name = "N")]
    limit: Option<u64>,
}

impl SelectionArgs {
    /// Returns the selection.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            since: self.since.as_ref().map(|period| period.start),
            until: self.until.as_ref().map(|period| period.end),
            dated_only: self.strict,
            folder: self.folder.clone(),
            dedupe: self.dedupe,
            limit: self.limit,
        }
    }

    /// Returns the options as words of a command line, without shell quotes.
    pub(crate) fn words(&self) -> Vec<String> {
        let since = self.since.as_ref().map(|period| ["--since", &period.text]);
        let until = self.until.as_ref().map(|period| ["--until", &period.text]);
        let folder = self.folder.as_ref().map(|folder| ["--folder", folder]);
        let dedupe = self.dedupe.map(|form| ["--dedupe", form.name()]);
        let limit = self.limit.map(|limit| limit.to_string());
        let limit = limit.as_ref().map(|limit| ["--limit", limit]);
        let pairs = since.into_iter().chain(until).chain(folder);
        let pairs = pairs.chain(dedupe).chain(limit);
        let strict = self.strict.then(|| "--strict".to_owned());
        pairs.flatten().map(str::to_owned).chain(strict).collect()
    }
}

/// The values of `--dedupe`, with their help.
const DEDUPES: &[(Dedupe, &str)] = &[
    (Dedupe::Mark, "Report them"),
    (
        Dedupe::Drop,
        "Report them and leave them out; the ledger of `normalize` keeps them",
    ),
];

/// A year, month, day, minute or second.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Period {
    /// As given.
    text: String,
    /// Its first second since 1970.
    start: i64,
    /// The second after it.
    end: i64,
}

impl Period {
    /// Parses a period: a date of RFC 3339 in UTC, or the beginning of one.
    fn parse(text: &str) -> Result<Self, String> {
        let range = range(text).ok_or_else(|| {
            format!("`{text}` is not a date such as 2001, 2001-05, 2001-05-17 or 2001-05-17T10:30")
        })?;
        Ok(Self {
            text: text.to_owned(),
            start: range.0,
            end: range.1,
        })
    }
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Returns the first second of a period and the second after it, since 1970.
fn range(text: &str) -> Option<(i64, i64)> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (day, clock) = match text.split_once(['T', ' ']) {
        Some((day, clock)) => (day, Some(clock)),
        None => (text, None),
    };
    let parts: Vec<u64> = day
        .split('-')
        .enumerate()
        .map(|(index, part)| number(part, if index == 0 { 4 } else { 2 }))
        .collect::<Option<_>>()?;
    match (&parts[..], clock) {
        ([year], None) => Some((
            moment(*year, 1, 1, [0; 3])?,
            moment(year + 1, 1, 1, [0; 3])?,
        )),
        ([year, month], None) => {
            let (next, after) = (month % 12 + 1, year + month / 12);
            Some((
                moment(*year, *month, 1, [0; 3])?,
                moment(after, next, 1, [0; 3])?,
            ))
        }
        ([year, month, day], None) => {
            let start = moment(*year, *month, *day, [0; 3])?;
            Some((start, start + 86_400))
        }
        ([year, month, day], Some(clock)) => {
            let times: Vec<u64> = clock
                .split(':')
                .map(|part| number(part, 2))
                .collect::<Option<_>>()?;
            let (time, length) = match times[..] {
                [hour, minute] => ([hour, minute, 0], 60),
                [hour, minute, second] => ([hour, minute, second], 1),
                _ => return None,
            };
            let start = moment(*year, *month, *day, time)?;
            Some((start, start + length))
        }
        _ => None,
    }
}

/// Parses exactly `length` digits.
fn number(text: &str, length: usize) -> Option<u64> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Returns the seconds since 1970 of a moment in UTC. None if the calendar has no such day or time.
fn moment(year: u64, month: u64, day: u64, [hour, minute, second]: [u64; 3]) -> Option<i64> {
    let month = MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    let text = format!("{day} {month} {year:04} {hour:02}:{minute:02}:{second:02} +0000");
    fields::date(text.as_bytes()).map(|date| date.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_half_open_ranges() {
        let day = 990_057_600;
        for (text, expected) in [
            ("2001-05-17", Some((day, day + 86_400))),
            ("2001-05-17T10:30", Some((day + 37_800, day + 37_860))),
            ("2001-05-17 10:30:15Z", Some((day + 37_815, day + 37_816))),
            ("2001-05", Some((988_675_200, 991_353_600))),
            ("2001-12", Some((1_007_164_800, 1_009_843_200))),
            ("2001", Some((978_307_200, 1_009_843_200))),
            ("1969", Some((-31_536_000, 0))),
            ("2001-02-29", None),
            ("2000-02-29", Some((951_782_400, 951_868_800))),
            ("2001-13", None),
            ("2001-00", None),
            ("2001-05-17T24:00", None),
            ("2001-05-17T10", None),
            ("2001-5-17", None),
            ("01", None),
            ("9999", None),
            ("2h", None),
            ("", None),
            ("yesterday", None),
        ] {
            assert_eq!(range(text), expected, "{text}");
        }
    }
}
