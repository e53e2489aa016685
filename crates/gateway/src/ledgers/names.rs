//! Names in a ledger folder: a folder for each day (UTC), and in it files that begin with the time.

use std::ffi::OsStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Ending of a segment.
pub(super) const SEGMENT: &str = ".segment";
/// Ending of a ledger of one message, as versions before segments wrote it.
const SINGLE: &str = ".ledger";
/// Ending of a ledger that such a version had not finished.
pub(super) const UNFINISHED: &str = ".tmp";

/// Returns day and time in UTC as names have them: `2026-11-22` and `102315.004211907`.
pub(super) fn moment(now: SystemTime) -> (String, String) {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    (
        format!("{year:04}-{month:02}-{day:02}"),
        format!(
            "{hours:02}{minutes:02}{:02}.{:09}",
            seconds % 60,
            since.subsec_nanos()
        ),
    )
}

/// Returns a time as RFC 3339 has it, in UTC and whole seconds: `2026-11-22T10:23:15Z`.
pub fn rfc3339(time: SystemTime) -> String {
    let (day, time) = moment(time);
    format!("{day}T{}:{}:{}Z", &time[..2], &time[2..4], &time[4..6])
}

/// Returns the first moment (UTC) of a day such as `2026-11-22`; `None` if `name` is not a day.
pub fn day_start(name: &str) -> Option<SystemTime> {
    if !is_day(OsStr::new(name)) {
        return None;
    }
    let number = |from: usize, to: usize| name.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    if year < 1970 || !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    // Counted from March, as `date` does.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let of_year = (153 * month + 2) / 5 + day - 1;
    let days = (year * 365 + year / 4 - year / 100 + year / 400 + of_year).checked_sub(719_468)?;
    // A day that its month does not have names none.
    let start = UNIX_EPOCH + Duration::from_secs(days * 86_400);
    (moment(start).0 == name).then_some(start)
}

/// Returns true if a name is that of a day's folder.
pub(super) fn is_day(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.len() == 10
        && name.iter().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 {
                *byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        })
}

/// Returns true if a name is that of a segment: a time as [`moment`] has it, and the ending.
pub(super) fn is_segment(name: &OsStr) -> bool {
    ends_with(name, SEGMENT) && has_time(name)
}

/// Returns true if a name is that of a ledger of one message.
pub(super) fn is_single(name: &OsStr) -> bool {
    ends_with(name, SINGLE) && has_time(name)
}

/// Returns true if a name is that of a ledger that a version before segments had not finished: `.begun-4711-0.tmp`.
pub(super) fn is_unfinished(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".begun-") && ends_with(name, UNFINISHED)
}

/// Returns true if a name begins with a time and a hyphen: `102315.004211907-`.
fn has_time(name: &OsStr) -> bool {
    let is_right = |(at, byte): (usize, &u8)| match at {
        6 => *byte == b'.',
        16 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    name.as_encoded_bytes()
        .get(..17)
        .is_some_and(|time| time.iter().enumerate().all(is_right))
}

/// Returns true if a name ends so.
fn ends_with(name: &OsStr, ending: &str) -> bool {
    name.as_encoded_bytes().ends_with(ending.as_bytes())
}

/// Year, month and day of a number of days after 1970-01-01. Years are counted from March: the day that leaps stands at their end.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, want) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (789, (1972, 2, 29)),
            (11_016, (2000, 2, 29)),
            (20_779, (2026, 11, 22)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(days), want, "{days}");
        }
        // Each day is the one after the day before, over four centuries.
        let lengths = |year: u64| {
            let leap =
                year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
            [
                31,
                if leap { 29 } else { 28 },
                31,
                30,
                31,
                30,
                31,
                31,
                30,
                31,
                30,
                31,
            ]
        };
        let mut today = (1970, 1, 1);
        for days in 0..150_000 {
            assert_eq!(date(days), today);
            let start = UNIX_EPOCH + Duration::from_secs(days * 86_400);
            assert_eq!(day_start(&moment(start).0), Some(start));
            let (year, month, day) = today;
            today = match (month, day) {
                (12, 31) => (year + 1, 1, 1),
                _ if day == lengths(year)[month as usize - 1] => (year, month + 1, 1),
                _ => (year, month, day + 1),
            };
        }
    }

    #[test]
    fn what_is_no_day_is_none() {
        for name in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "1969-12-31",
            "2026-1-1",
            "x",
            "",
        ] {
            assert_eq!(day_start(name), None, "{name}");
        }
        assert_eq!(
            rfc3339(UNIX_EPOCH + Duration::new(1_795_342_995, 4)),
            "2026-11-22T10:23:15Z"
        );
    }
}
