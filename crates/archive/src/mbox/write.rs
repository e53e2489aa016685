//! Quotes `From ` lines, and builds separators and trailers of written messages. Pure functions, called by the workers.
//!
//! A line starts at the start of the message and after each LF, CR LF or lone CR, as the reader searches for separators.
//!
//! # Limits
//! Parses dates by words in any position, not by the full grammar of RFC 5322. Skips comments only at the end of a date.

use std::borrow::Cow;

use memchr::memchr;

use super::fields::Fields;
use super::from_line::{FROM, is_plain};
use super::separator_mark::unmarked;
use super::separator_words::{SeparatorWords, address};
use crate::line_ends::{quote_depth, split_line};
use crate::mbox::division::mmdf_line;
use crate::source::Quoting;

/// Removes the quoting of `From ` lines. Borrows text without quoted lines.
pub fn unquote(message: &[u8], quoting: Quoting) -> Cow<'_, [u8]> {
    let most = match quoting {
        Quoting::None => return Cow::Borrowed(message),
        Quoting::Mboxo => 1,
        Quoting::Mboxrd => usize::MAX,
    };
    let mut out = Vec::new();
    let mut copied = 0;
    for (start, depth) in FromLines::new(message) {
        if (1..=most).contains(&depth) {
            if out.capacity() == 0 {
                out.reserve(message.len());
            }
            out.extend_from_slice(&message[copied..start]);
            copied = start + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(message);
    }
    out.extend_from_slice(&message[copied..]);
    Cow::Owned(out)
}

/// Removes the quoting of `From ` lines in place. Returns the offsets in the unquoted message at which a `>` was removed.
///
/// The unquoted message is that much shorter; the bytes after its end are undefined. Returns None and changes nothing if more than
/// `most` lines are quoted.
pub fn unquote_in_place(message: &mut [u8], quoting: Quoting, most: usize) -> Option<Vec<usize>> {
    let deepest = match quoting {
        Quoting::None => return Some(Vec::new()),
        Quoting::Mboxo => 1,
        Quoting::Mboxrd => usize::MAX,
    };
    let lines = FromLines::new(message).filter(|(_, depth)| (1..=deepest).contains(depth));
    let mut places: Vec<usize> = lines
        .map(|(start, _)| start)
        .take(most.saturating_add(1))
        .collect();
    if places.len() > most {
        return None;
    }
    for index in 0..places.len() {
        let end = places.get(index + 1).copied().unwrap_or(message.len());
        let start = places[index];
        message.copy_within(start + 1..end, start - index);
        places[index] -= index;
    }
    Some(places)
}

/// Appends the message with one more `>` before every `>*From ` line (mboxrd).
pub fn quote_mboxrd(message: &[u8], out: &mut Vec<u8>) {
    requote(message, Quoting::Mboxrd, out);
}

/// Appends the message, quoted as in an input mailbox.
///
/// `requote(unquote(m, q), q)` equals `m` exactly if [`requotes`] returns true.
pub fn requote(message: &[u8], quoting: Quoting, out: &mut Vec<u8>) {
    let most = match quoting {
        Quoting::None => {
            out.extend_from_slice(message);
            return;
        }
        Quoting::Mboxo => 0,
        Quoting::Mboxrd => usize::MAX,
    };
    let mut copied = 0;
    for (start, depth) in FromLines::new(message) {
        if depth <= most {
            out.extend_from_slice(&message[copied..start]);
            out.push(b'>');
            copied = start;
        }
    }
    out.extend_from_slice(&message[copied..]);
}

/// Returns true if [`requote`] restores a quoted message after [`unquote`].
///
/// The message then has no unquoted line that the writer of such a mailbox would have quoted.
pub fn requotes(message: &[u8], quoting: Quoting) -> bool {
    quoting == Quoting::None || FromLines::new(message).all(|(_, depth)| depth != 0)
}

/// Returns the line end of a message: that of its first LF, CR if it has no LF, LF if it has neither.
pub fn line_end(message: &[u8]) -> &'static [u8] {
    match memchr(b'\n', message) {
        Some(at) if at > 0 && message[at - 1] == b'\r' => b"\r\n",
        Some(_) => b"\n",
        None if memchr(b'\r', message).is_some() => b"\r",
        None => b"\n",
    }
}

/// Returns the trailer that puts a blank line before the next separator.
///
/// It is the missing line end, if any, and an empty line, in the message's line ends. Reading removes the empty line again.
pub fn trailer_for(message: &[u8]) -> &'static [u8] {
    let end = line_end(message);
    match (message.last(), end) {
        (None | Some(b'\n'), _) | (Some(b'\r'), b"\r") => end,
        // In a message with LF, a CR at the end is half a line end.
        (Some(b'\r'), b"\r\n") => b"\n\r\n",
        (Some(b'\r'), _) => b"\n\n",
        (_, b"\r\n") => b"\r\n\r\n",
        (_, b"\r") => b"\r\r",
        _ => b"\n\n",
    }
}

/// Like [`trailer_for`], but the empty line ends in LF or CR LF in a message whose lines end in CR, too.
///
/// Other programs find a separator only behind an LF. The reader removes the empty line again.
pub fn lf_trailer_for(message: &[u8]) -> &'static [u8] {
    match trailer_for(message) {
        b"\r" => b"\r\n",
        b"\r\r" => b"\r\r\n",
        trailer => trailer,
    }
}

/// Returns true if [`separator_for`] keeps `old`, whatever the message.
pub fn is_separator_kept(old: &[u8]) -> bool {
    let line = old.strip_suffix(b"\n").unwrap_or(old);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.len() < old.len() && is_plain(line)
}

/// Returns a separator without the delimiters of MMDF: its `From ` line, or nothing.
///
/// ```
/// use mailglot_archive::mbox::without_mmdf_lines;
///
/// let line = b"From a@b.example Mon Jan  1 00:00:00 2001\n";
/// let separator = [b"\x01\x01\x01\x01\n", &line[..]].concat();
/// assert_eq!(without_mmdf_lines(&separator), line);
/// ```
pub fn without_mmdf_lines(separator: &[u8]) -> &[u8] {
    let mut rest = separator;
    while let Some(length) = mmdf_line(rest) {
        rest = &rest[length..];
    }
    rest
}

/// Returns the separator line of a message, with line end. `date` is the date of the old line in seconds since 1970, if it has one.
///
/// Keeps a plain old one (`From sender Www Mmm dd hh:mm:ss yyyy`). Writes any other anew, with the sender of the old line, and with
/// `date` in UTC. What that line lacks comes from Return-Path or From, and from Date or Received. Defaults to `MAILER-DAEMON` and the
/// first second of 1970, so that the line depends on the message alone. Removes the mark of an open multipart
/// ([`mark_separator`](super::mark_separator)).
pub fn separator_for<'a>(old: &'a [u8], date: Option<i64>, message: &[u8]) -> Cow<'a, [u8]> {
    if is_separator_kept(old) {
        return Cow::Borrowed(old);
    }
    if let Some((line, end @ [_, ..])) = unmarked(old) {
        return Cow::Owned([line, end].concat());
    }
    // Python's `mailbox` and others read CR CR LF as part of the date.
    if let ([.., b'\r', b'\n'], (line, _)) = (old, split_line(old))
        && is_plain(line)
    {
        return Cow::Owned([line, b"\r\n"].concat());
    }
    let SeparatorWords { sender, .. } = SeparatorWords::of(old);
    let own_date = date.filter(|date| is_separator_time(*date));
    let (mut path, mut from, mut date, mut received) = (None, None, None, None);
    for (name, value) in Fields::new(message) {
        if name.eq_ignore_ascii_case(b"return-path") {
            path = path.or_else(|| address(value));
        } else if name.eq_ignore_ascii_case(b"from") {
            from = from.or_else(|| address(value));
        } else if name.eq_ignore_ascii_case(b"date") {
            date = date.or_else(|| seconds(value));
        } else if name.eq_ignore_ascii_case(b"received") {
            let stamp = memchr::memrchr(b';', value).map_or(value, |at| &value[at + 1..]);
            received = received.or_else(|| seconds(stamp));
        }
    }
    let mut out = b"From ".to_vec();
    let sender = sender.as_deref().or(path).or(from);
    out.extend_from_slice(sender.unwrap_or(b"MAILER-DAEMON"));
    out.push(b' ');
    let date = own_date.or(date).or(received);
    out.extend_from_slice(asctime(date.unwrap_or(0)).as_bytes());
    out.extend_from_slice(line_end(message));
    Cow::Owned(out)
}

/// Iterator over the `>*From ` lines of a message: offset of the line and number of `>`.
struct FromLines<'a> {
    message: &'a [u8],
    at: usize,
}

impl<'a> FromLines<'a> {
    fn new(message: &'a [u8]) -> Self {
        Self { message, at: 0 }
    }
}

impl Iterator for FromLines<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(found) = FROM.find(&self.message[self.at..]) {
            let at = self.at + found;
            self.at = at + 5;
            if let Some(depth) = quote_depth(self.message, at) {
                return Some((at - depth, depth));
            }
        }
        None
    }
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Parses a date of RFC 5322 section 3.3 or of `asctime` to seconds since 1970, for years 1970 to 2199.
fn seconds(value: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(value).ok()?;
    let (mut day, mut month, mut year, mut clock, mut offset) = (None, None, None, None, 0i64);
    let words = text
        .split(|c: char| c.is_ascii_whitespace() || c == ',')
        .filter(|word| !word.is_empty());
    for word in words.take(12) {
        if word.starts_with('(') {
            break;
        }
        if let Some((hour, rest)) = word.split_once(':') {
            let (minute, second) = rest.split_once(':').unwrap_or((rest, "0"));
            let second = second.split('.').next().unwrap_or("0");
            let (hour, minute, second): (i64, i64, i64) = (
                hour.parse().ok()?,
                minute.parse().ok()?,
                second.parse().ok()?,
            );
            if !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..61).contains(&second)
            {
                return None;
            }
            clock = Some(hour * 3600 + minute * 60 + second);
        } else if word.starts_with(['+', '-']) {
            let number: i64 = word
                .get(1..5)
                .and_then(|digits| digits.parse().ok())
                .unwrap_or(0);
            let minutes = number / 100 * 60 + number % 100;
            offset = if word.starts_with('-') {
                -minutes
            } else {
                minutes
            };
        } else if let Ok(number) = word.parse::<i64>() {
            if day.is_none() && (1..=31).contains(&number) && word.len() <= 2 {
                day = Some(number);
            } else if year.is_none() && number >= 0 {
                year = Some(match word.len() {
                    2 if number < 50 => number + 2000,
                    2 | 3 => number + 1900,
                    _ => number,
                });
            }
        } else if let Some(found) = MONTHS.iter().position(|name| {
            word.get(..3)
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        }) {
            month = month.or(Some(found as i64 + 1));
        } else if let Some((_, hours)) = ZONES
            .iter()
            .find(|(name, _)| word.eq_ignore_ascii_case(name))
        {
            offset = hours * 60;
        }
    }
    let year = year.filter(|year| (1969..=2200).contains(year))?;
    let total = days_from_civil(year, month?, day?) * 86_400 + clock? - offset * 60;
    is_separator_time(total).then_some(total)
}

/// Returns true for the times of separator lines that readers accept, including this one: from 1970 to 2199.
fn is_separator_time(seconds: i64) -> bool {
    (0..days_from_civil(2200, 1, 1) * 86_400).contains(&seconds)
}

/// Zone names of RFC 5322 section 4.3, in hours east.
const ZONES: [(&str, i64); 8] = [
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
];

/// Formats a time as `Www Mmm dd hh:mm:ss yyyy` in UTC.
fn asctime(seconds: i64) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let (days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    format!(
        "{} {} {day:2} {:02}:{:02}:{:02} {year:04}",
        WEEKDAYS[days.rem_euclid(7) as usize],
        MONTHS[month as usize - 1],
        clock / 3600,
        clock / 60 % 60,
        clock % 60,
    )
}

/// Returns the days since 1970-01-01 in the Gregorian calendar. The year is counted from March, so that leap days come last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Inverts [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (
        era * 400 + year_of_era + i64::from(month <= 2),
        month,
        of_year - (153 * shifted + 2) / 5 + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_round_trips() {
        let original = b"From here\n>From there\r\n>>From x\rFrom y\n From z\nx From\n>> From\n";
        let mut quoted = Vec::new();
        quote_mboxrd(original, &mut quoted);
        assert_eq!(
            quoted,
            b">From here\n>>From there\r\n>>>From x\r>From y\n From z\nx From\n>> From\n"
                .as_slice()
        );
        assert!(requotes(&quoted, Quoting::Mboxrd));
        assert_eq!(unquote(&quoted, Quoting::Mboxrd), original.as_slice());
        assert!(matches!(
            unquote(b"nothing From here\n", Quoting::Mboxrd),
            Cow::Borrowed(_)
        ));

        let old = b">From here\n>>From there\n";
        assert_eq!(
            unquote(old, Quoting::Mboxo),
            b"From here\n>>From there\n".as_slice()
        );
        let mut back = Vec::new();
        requote(&unquote(old, Quoting::Mboxo), Quoting::Mboxo, &mut back);
        assert_eq!(back, old);
        assert!(!requotes(b"From here\n", Quoting::Mboxo));
        assert_eq!(unquote(old, Quoting::None), old.as_slice());
    }

    #[test]
    fn unquoting_in_place_is_unquoting() {
        let message = b">From a\n>>From b\n>From c\r\n x >From d\nFrom e\r>>>From f\n>From";
        for quoting in [Quoting::None, Quoting::Mboxo, Quoting::Mboxrd] {
            let unquoted = unquote(message, quoting);
            let mut bytes = message.to_vec();
            let places = unquote_in_place(&mut bytes, quoting, 10).unwrap();
            let length = message.len() - places.len();
            assert_eq!(bytes[..length], unquoted[..], "{quoting:?}");
            let mut quoted = bytes[..length].to_vec();
            for place in places.iter().rev() {
                quoted.insert(*place, b'>');
            }
            assert_eq!(quoted, message, "{quoting:?}");
        }
        let mut bytes = message.to_vec();
        let none = unquote_in_place(&mut bytes, Quoting::Mboxrd, 3);
        assert_eq!((none, &bytes[..]), (None, &message[..]));
    }

    /// The reader accepts each written separator line, whatever year the message has.
    #[test]
    fn rebuilt_separators_are_plain() {
        for year in (0..3000_i64).chain([9999, 123_456_789_012]) {
            for date in [
                format!("31 Dec {year} 23:59:59 -0900"),
                format!("Sat, 1 Jan {year} 00:00:00 +0900"),
            ] {
                let message = format!("From: a@b\nDate: {date}\n\n");
                let line = separator_for(b"", None, message.as_bytes()).into_owned();
                assert!(is_separator_kept(&line), "{}", line.escape_ascii());
            }
        }
    }

    #[test]
    fn separators_are_kept_or_rebuilt() {
        let message =
            b"Return-Path: <bounce@example.org>\r\nDate: Mon, 1 Jan 2001\r\n 02:03:04 +0100 (CET)\r\n\r\n";
        let plain = "a@example.org Mon Jan  1 00:00:00 2001";
        for kept in [
            plain,
            "- Mon Jan 01 00:00:00 2001",
            "root Mon Jan  1 00:00:00 2001",
        ] {
            let line = format!("From {kept}\n");
            let separator =
                |old: &str| separator_for(old.as_bytes(), Some(5), message).into_owned();
            assert_eq!(separator(&line), line.as_bytes());
            assert_eq!(separator(&format!("From {kept} -0000\n")), line.as_bytes());
            let crlf = format!("From {kept}\r\n");
            assert_eq!(separator(&format!("From {kept}\r\r\n")), crlf.as_bytes());
        }
        // The date of the old line was not read by this function: its caller does.
        for (old, date, rebuilt) in [
            ("", None, "bounce@example.org Mon Jan  1 01:03:04 2001"),
            (
                "From \n",
                None,
                "bounce@example.org Mon Jan  1 01:03:04 2001",
            ),
            ("From nobody\n", None, "nobody Mon Jan  1 01:03:04 2001"),
            (
                "From - Sun Jan 01 00:00:00 1999 +0000\n",
                Some(5),
                "bounce@example.org Thu Jan  1 00:00:05 1970",
            ),
            (
                "From joe at a.b  Thu Jan 01 00:00:05 1970\n",
                Some(5),
                "joe@a.b Thu Jan  1 00:00:05 1970",
            ),
            (
                "From a@b Thu Jan 01 00:00:05 1969 +0000\n",
                Some(-5),
                "a@b Mon Jan  1 01:03:04 2001",
            ),
            (
                "From a@b Thu Jan 01 00:00:05 1970",
                Some(5),
                "a@b Thu Jan  1 00:00:05 1970",
            ),
        ] {
            let line = format!("From {rebuilt}\r\n");
            let separator = separator_for(old.as_bytes(), date, message);
            assert_eq!(separator, line.as_bytes(), "{old:?}");
        }
        let cases: [(&[u8], &[u8]); 6] = [
            (b"", b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n"),
            (
                b"\nFrom: a@b.c\n",
                b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n",
            ),
            (
                b"From: \"A, B\" <a@b.c> (x)\rDate: 29 Feb 24 23:59:60 EST\r",
                b"From a@b.c Fri Mar  1 05:00:00 2024\r",
            ),
            (
                b"From: a@b.c (A)\nDate: Thu, 31 Dec 1998 00:00:00\n",
                b"From a@b.c Thu Dec 31 00:00:00 1998\n",
            ),
            (
                b"From: <>\nDate: nonsense\nReceived: from x; by y;\n\tSun, 3 Feb 2002 1:02 GMT\n",
                b"From MAILER-DAEMON Sun Feb  3 01:02:00 2002\n",
            ),
            (
                b"From: \xe9@b.c\nDate: 1 Jan 1960 00:00:00 +0000\n",
                b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n",
            ),
        ];
        for (message, separator) in cases {
            assert_eq!(
                separator_for(b"", None, message),
                separator,
                "{}",
                message.escape_ascii()
            );
            assert_eq!(separator_for(separator, None, message), separator);
        }
    }

    #[test]
    fn trailers_keep_the_convention() {
        for (message, trailer) in [
            (&b""[..], &b"\n"[..]),
            (b"a", b"\n\n"),
            (b"a\n", b"\n"),
            (b"a\r\nb", b"\r\n\r\n"),
            (b"a\r\n", b"\r\n"),
            (b"a\rb", b"\r\r"),
            (b"a\r", b"\r"),
            (b"a\nb\r", b"\n\n"),
        ] {
            assert_eq!(trailer_for(message), trailer, "{}", message.escape_ascii());
            let in_lf = match message {
                b"a\rb" => &b"\r\r\n"[..],
                b"a\r" => b"\r\n",
                _ => trailer,
            };
            assert_eq!(lf_trailer_for(message), in_lf, "{}", message.escape_ascii());
        }
    }

    #[test]
    fn days_count_both_ways() {
        let mut day = 0;
        for year in 1970..2500 {
            for month in 1..=12 {
                assert_eq!(
                    civil_from_days(days_from_civil(year, month, 1)),
                    (year, month, 1)
                );
            }
            assert!(days_from_civil(year, 1, 1) == day);
            day += if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) {
                366
            } else {
                365
            };
        }
    }
}
