//! Parses dates (RFC 5322, sections 3.3 and 4.3), and the forms that other programs write.
//!
//! # Limits
//!
//! Ignores the name of the day. Keeps leap seconds. Completes years of two or three digits by RFC 5322, section 4.3. Knows the zones of RFC
//! 5322 and a few European ones; others count as unknown, as RFC 5322 demands for letters.

use crate::lexer;
use std::cmp::Ordering;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A date and time with its offset from UTC. `Display` writes RFC 3339.
///
/// ```
/// use mailglot_mime::fields::date;
///
/// let date = date(b"Mon, 2 Mar 98 10:00 +0100 (CET)").expect("a date");
/// assert_eq!(date.to_string(), "1998-03-02T10:00:00+01:00");
/// assert_eq!(date.timestamp(), 888_829_200);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Date {
    /// The year, 0 to 9999.
    pub year: u16,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
    /// The hour, 0 to 23.
    pub hour: u8,
    /// The minute, 0 to 59.
    pub minute: u8,
    /// The second, 0 to 60 (leap second).
    pub second: u8,
    /// Minutes east of UTC; `None` if the zone is missing, unknown or `-0000`.
    pub offset: Option<i16>,
}

impl Date {
    /// Returns the seconds since 1970-01-01T00:00:00Z. A missing zone counts as UTC.
    pub fn timestamp(&self) -> i64 {
        let days = days(
            i64::from(self.year),
            i64::from(self.month),
            i64::from(self.day),
        );
        let seconds =
            i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second);
        days * 86_400 + seconds - i64::from(self.offset.unwrap_or(0)) * 60
    }

    /// Returns the date as [`SystemTime`], or `None` if the system cannot represent it. A missing zone counts as UTC.
    ///
    /// ```
    /// use mailglot_mime::fields::date;
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// let date = date(b"Thu, 1 Jan 1970 01:00:05 +0100").expect("a date");
    /// assert_eq!(date.system_time(), Some(UNIX_EPOCH + Duration::from_secs(5)));
    /// ```
    pub fn system_time(&self) -> Option<SystemTime> {
        let seconds = self.timestamp();
        let distance = Duration::from_secs(seconds.unsigned_abs());
        if seconds < 0 {
            UNIX_EPOCH.checked_sub(distance)
        } else {
            UNIX_EPOCH.checked_add(distance)
        }
    }
}

/// Orders by [`Date::timestamp`], and dates of the same second by what is written.
impl Ord for Date {
    fn cmp(&self, other: &Self) -> Ordering {
        let written = |date: &Self| {
            (
                (date.year, date.month, date.day),
                (date.hour, date.minute, date.second),
                date.offset,
            )
        };
        let times = self.timestamp().cmp(&other.timestamp());
        times.then_with(|| written(self).cmp(&written(other)))
    }
}

impl PartialOrd for Date {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Date {
    /// Writes the form of RFC 3339. An unknown zone becomes `-00:00` (RFC 3339, section 4.3).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)?;
        write!(f, "T{:02}:{:02}:{:02}", self.hour, self.minute, self.second)?;
        match self.offset {
            None => f.write_str("-00:00"),
            Some(0) => f.write_str("Z"),
            Some(n) => {
                let sign = if n < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", n.abs() / 60, n.abs() % 60)
            }
        }
    }
}

/// Returns days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last day.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
/// Beginnings of other names of months, by their numbers: Dutch, French, German, Italian, Portuguese, Scandinavian, Spanish.
const OTHER_MONTHS: [(&str, u8); 27] = [
    ("ene", 1),
    ("gen", 1),
    ("fev", 2),
    ("fév", 2),
    ("mär", 3),
    ("mrt", 3),
    ("abr", 4),
    ("avr", 4),
    ("mai", 5),
    ("maj", 5),
    ("mag", 5),
    ("mei", 5),
    ("juin", 6),
    ("giu", 6),
    ("juil", 7),
    ("lug", 7),
    ("ago", 8),
    ("aou", 8),
    ("aoû", 8),
    ("set", 9),
    ("okt", 10),
    ("ott", 10),
    ("out", 10),
    ("des", 12),
    ("dez", 12),
    ("dic", 12),
    ("déc", 12),
];
const LENGTHS: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const ZONES: [(&str, i16); 39] = [
    ("ut", 0),
    ("gmt", 0),
    ("utc", 0),
    ("z", 0),
    ("est", -300),
    ("edt", -240),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
    ("akst", -540),
    ("akdt", -480),
    ("hst", -600),
    ("wet", 0),
    ("west", 60),
    ("bst", 60),
    ("cet", 60),
    ("cest", 120),
    ("met", 60),
    ("mest", 120),
    ("mez", 60),
    ("mesz", 120),
    ("eet", 120),
    ("eest", 180),
    ("msk", 180),
    ("msd", 240),
    ("sast", 120),
    ("hkt", 480),
    ("awst", 480),
    ("jst", 540),
    ("kst", 540),
    ("acst", 570),
    ("acdt", 630),
    ("aest", 600),
    ("aedt", 660),
    ("nzst", 720),
    ("nzdt", 780),
];

/// Maximum number of pieces that are read from a date.
const PIECES: usize = 12;

/// Parses a date (RFC 5322, sections 3.3 and 4.3). Returns `None` if day, month, year or time is missing or impossible.
///
/// Also accepts the forms of other programs. The month may come before the day, and the year last (as `asctime` writes it). All may be
/// in figures (ISO 8601: `2003-05-07T10:15:00Z`). Names of months may be those of other languages. Ignores commas, comments and the name
/// of the day.
///
/// ```
/// use mailglot_mime::fields::date;
///
/// let rfc = date(b"Wed, 7 May 2003 12:15:00 +0200").expect("a date");
/// let iso = date(b"2003-05-07T10:15:00Z").expect("a date");
/// assert_eq!((rfc.timestamp(), iso.timestamp()), (1_052_302_500, 1_052_302_500));
/// assert_eq!(date(b"yesterday"), None);
/// ```
pub fn date(value: &[u8]) -> Option<Date> {
    let value = value.trim_ascii();
    // `Mar, 5 Oct` is a Tuesday in French, Italian and Spanish.
    let after_day = without_day_name(value).and_then(in_figures_or_words);
    after_day.or_else(|| in_figures_or_words(value))
}

/// Returns the text behind a word and a comma at the start.
fn without_day_name(value: &[u8]) -> Option<&[u8]> {
    let comma = memchr::memchr(b',', value)?;
    let is_word = value[..comma]
        .iter()
        .all(|byte| byte.is_ascii_alphabetic() || *byte == b'.' || !byte.is_ascii());
    is_word.then(|| value[comma + 1..].trim_ascii_start())
}

fn in_figures_or_words(value: &[u8]) -> Option<Date> {
    in_figures(value).or_else(|| in_words(value))
}

/// Parses a date whose month is a word.
fn in_words(value: &[u8]) -> Option<Date> {
    let pieces = pieces(value);
    let (mut month, mut time, mut offset) = (None, None, None);
    // The piece before, if it was a name of a zone without summer time. An offset may follow the names of UTC.
    let mut zone_name = "";
    let mut numbers: Vec<&str> = Vec::new();
    // `mar 3 juin`: in French, Italian and Spanish this is a Tuesday.
    let is_day = |piece: &String| {
        matches!(
            &**piece,
            "mar" | "mar." | "mardi" | "martes" | "martedì" | "martedi"
        )
    };
    let mut may_be_day = pieces.first().is_some_and(is_day);
    for piece in &pieces {
        let piece: &str = piece;
        let may_be_month = month.is_none() || may_be_day;
        if time.is_none() && (piece.contains(':') || is_dotted(piece)) {
            time = Some(clock(piece)?);
        } else if let Some(found) = month_of(piece).filter(|_| may_be_month && numbers.len() < 2) {
            may_be_day &= month.is_none();
            month = Some(found);
        } else if let (Some((hour, minute, second)), "am" | "pm") = (time, piece) {
            let is_afternoon = piece == "pm" && hour < 12;
            let is_midnight = piece == "am" && hour == 12;
            let hour = if is_midnight {
                0
            } else {
                hour + 12 * u8::from(is_afternoon)
            };
            time = Some((hour, minute, second));
        } else if matches!(piece, "dst" | "daylight")
            && matches!(zone_name, "met" | "mez" | "cet" | "eet" | "wet" | "gmt")
        {
            offset = offset.map(|offset| offset + 60);
            zone_name = "";
        } else if piece.starts_with(['+', '-']) && time.is_some() {
            // After a name of UTC a number is the offset: `GMT+0100`. After other zones it is ignored.
            if offset.is_none() || matches!(zone_name, "gmt" | "utc" | "ut") {
                offset = zone(piece);
                zone_name = "";
            }
        } else if let Some(number) = figures(piece) {
            // Digits after time, day and year are a zone that lost its sign. They are ignored.
            numbers.push(number);
        } else if time.is_some() && offset.is_none() {
            zone_name = piece;
            offset = zone(piece);
        }
    }
    let (month, (hour, minute, second)) = (month?, time?);
    let (mut day, mut year) = (*numbers.first()?, *numbers.get(1)?);
    if day.len() > 2 {
        std::mem::swap(&mut day, &mut year);
    }
    is_possible(Date {
        year: full_year(year)?,
        month,
        day: day.parse().ok().filter(|_| day.len() <= 2)?,
        hour,
        minute,
        second,
        offset,
    })
}

/// Parses a date of ISO 8601 with a time: `2003-05-07T10:15:00.5+02:00`, `2003-05-07 10:15`. Slashes may replace the hyphens.
fn in_figures(value: &[u8]) -> Option<Date> {
    let value = str::from_utf8(value).ok()?;
    let (date, rest) = value.split_at_checked("2003-05-07".len())?;
    let mut parts = date.split(['-', '/']);
    let mut number = |length: usize| {
        let part = parts.next().filter(|part| part.len() == length)?;
        part.bytes().all(|b| b.is_ascii_digit()).then_some(part)
    };
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?.trim_start();
    let end = rest.find(|c: char| !matches!(c, '0'..='9' | ':'));
    let (time, rest) = rest.split_at(end.unwrap_or(rest.len()));
    let zone = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    in_words(format!("{day} {month} {year} {time} {zone}").as_bytes())
}

/// Returns the date if its month has its day.
fn is_possible(date: Date) -> Option<Date> {
    let leap = date.year.is_multiple_of(4)
        && (!date.year.is_multiple_of(100) || date.year.is_multiple_of(400));
    let length = LENGTHS[usize::from(date.month) - 1] + u8::from(leap && date.month == 2);
    (1..=length).contains(&date.day).then_some(date)
}

/// Returns true for a time with dots instead of colons: `10.30.00`.
fn is_dotted(piece: &str) -> bool {
    let is_number =
        |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|b| b.is_ascii_digit());
    piece.split('.').count() == 3 && piece.split('.').all(is_number)
}

/// Returns true for dates of the usual form `[Day, ]d Mon yyyy hh:mm:ss ±hhmm`. Faster than [`date`].
pub(crate) fn is_plain(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let named = value.len() > 5
        && value[3] == b','
        && value[4] == b' '
        && value[..3].iter().all(u8::is_ascii_alphabetic);
    let rest = if named { &value[5..] } else { value };
    let digits = |bytes: &[u8], most: u32| {
        let number = bytes.iter().try_fold(0_u32, |sum, b| {
            b.is_ascii_digit().then(|| sum * 10 + u32::from(b - b'0'))
        });
        number.is_some_and(|number| number <= most)
    };
    let Some(width) = rest
        .iter()
        .take(3)
        .position(|&b| b == b' ')
        .filter(|&width| width > 0)
    else {
        return false;
    };
    let (day, rest) = (&rest[..width], &rest[width + 1..]);
    // Days after the 28th depend on the month: [`date`] checks them.
    digits(day, 28)
        && day != b"0"
        && day != b"00"
        && matches!(rest, [_, _, _, b' ', _, _, _, _, b' ', _, _, b':', _, _, b':', _, _, b' ', b'+' | b'-', zone @ ..] if zone.len() == 4 && zone.iter().all(u8::is_ascii_digit))
        && MONTHS
            .iter()
            .any(|name| rest[..3].eq_ignore_ascii_case(name.as_bytes()))
        && digits(&rest[4..8], 9999)
        && digits(&rest[9..11], 23)
        && digits(&rest[12..14], 59)
        && digits(&rest[15..17], 59)
}

/// Splits a value into words and numbers, without comments and commas. Also splits dates such as `21-Nov-97`.
fn pieces(value: &[u8]) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut at = 0;
    while list.len() < PIECES {
        at = lexer::skip_cfws(value, at);
        let Some(&byte) = value.get(at) else { break };
        let rest = &value[at..];
        let signed = usize::from(matches!(byte, b'+' | b'-'));
        let length = rest[signed..]
            .iter()
            .position(|&b| {
                lexer::is_space(b) || matches!(b, b',' | b'(' | b';' | b'+' | b'-' | b'/' | b'"')
            })
            .map_or(rest.len(), |n| n + signed);
        if length > signed && length <= 16 {
            let piece = String::from_utf8_lossy(&rest[..length]).to_ascii_lowercase();
            // White space and comments are allowed beside the colons of a time (RFC 5322, section 4.3).
            let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
            let goes_on = |last: &&mut String| {
                let last = last.as_bytes();
                digit(last.first())
                    && (last.ends_with(b":") && digit(piece.as_bytes().first())
                        || digit(last.last()) && piece.starts_with(':'))
                    && last.len() + length <= 16
            };
            match list.last_mut().filter(goes_on) {
                Some(last) => last.push_str(&piece),
                None => list.push(piece),
            }
        }
        at += length.max(1);
        // A hyphen before the time separates parts of the date; it does not begin a zone.
        if let (Some(b'-' | b'/'), false) =
            (value.get(at), list.iter().any(|piece| piece.contains(':')))
        {
            at += 1;
        }
    }
    list
}

/// Returns the digits of a number, which a dot may end: `7.`
fn figures(piece: &str) -> Option<&str> {
    let digits = piece.strip_suffix('.').unwrap_or(piece);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// Returns the number of a month by the beginning of its name.
fn month_of(piece: &str) -> Option<u8> {
    let is_word = || piece.chars().all(|c| c.is_alphabetic() || c == '.');
    let english = MONTHS.iter().zip(1..).map(|(name, number)| (*name, number));
    let names = english.chain(OTHER_MONTHS);
    let mut found = names.filter(|(name, _)| piece.starts_with(name));
    found.next().map(|(_, number)| number).filter(|_| is_word())
}

/// Parses `h:m` or `h:m:s` and drops fractions of a second. Dots may replace colons.
fn clock(piece: &str) -> Option<(u8, u8, u8)> {
    let mut fields = piece.split([':', '.']);
    let mut next = |most: u8| {
        fields.next().map(|text| {
            let number = text.bytes().all(|b| b.is_ascii_digit()) && (1..=2).contains(&text.len());
            number
                .then(|| text.parse::<u8>().ok())
                .flatten()
                .filter(|&n| n <= most)
        })
    };
    let (hour, minute) = (next(23)??, next(59)??);
    let second = match next(60) {
        None => 0,
        Some(second) => second?,
    };
    Some((hour, minute, second))
}

/// Parses `+hhmm`, `+hh:mm`, `+hmm`, `+hh` or a zone name. Returns minutes east of UTC.
fn zone(piece: &str) -> Option<i16> {
    if let Some(digits) = piece.strip_prefix(['+', '-']) {
        let digits: String = digits.chars().filter(|&c| c != ':').collect();
        if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number: i16 = digits.parse().ok()?;
        let (hours, minutes) = if digits.len() <= 2 {
            (number, 0)
        } else {
            (number / 100, number % 100)
        };
        let offset = hours * 60 + minutes;
        return match piece.as_bytes()[0] {
            _ if minutes > 59 || hours > 23 => None,
            b'-' if offset == 0 => None,
            b'-' => Some(-offset),
            _ => Some(offset),
        };
    }
    ZONES
        .iter()
        .find(|(name, _)| *name == piece)
        .map(|&(_, offset)| offset)
}

/// Completes a year: two digits below 50 count from 2000, others and three digits from 1900 (RFC 5322, section 4.3).
fn full_year(digits: &str) -> Option<u16> {
    let year: u16 = digits.parse().ok()?;
    match digits.len() {
        2 if year < 50 => Some(year + 2000),
        2 | 3 => Some(year + 1900),
        4 => Some(year),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str) -> String {
        date(value.as_bytes()).map_or_else(|| "-".to_owned(), |date| date.to_string())
    }

    #[test]
    fn dates_are_ordered_by_time() {
        let dates = [
            "Thu, 1 Jan 1900 00:00:00 +0000",
            "Mon, 2 Mar 1998 11:00:00 +0200",
            "Mon, 2 Mar 1998 09:30:00 +0000",
            "Mon, 2 Mar 1998 10:30:00 +0100",
            "Mon, 2 Mar 1998 10:00:00",
        ]
        .map(|text| date(text.as_bytes()).unwrap());
        assert!(dates.is_sorted_by(|one, two| one < two));
        let times = dates.map(|date| date.system_time().unwrap());
        assert!(times.is_sorted() && times[0] < UNIX_EPOCH);
        assert_eq!(times[2], times[3]);
    }

    #[test]
    fn dates_as_mail_writes_them() {
        for (value, want) in [
            (
                "Fri, 21 Nov 1997 09:55:06 -0600",
                "1997-11-21T09:55:06-06:00",
            ),
            (
                " Fri,\r\n 21 Nov 1997 (a comment) 09:55 -0600 (CST)",
                "1997-11-21T09:55:00-06:00",
            ),
            ("21 Nov 97 09:55:06 GMT", "1997-11-21T09:55:06Z"),
            ("21 Nov 097 09:55:06 +0000", "1997-11-21T09:55:06Z"),
            ("21 Nov 07 09:55:06 -0000", "2007-11-21T09:55:06-00:00"),
            ("Fri Nov 21 09:55:06 1997", "1997-11-21T09:55:06-00:00"),
            ("Fri Nov 21 09:55:06 EST 1997", "1997-11-21T09:55:06-05:00"),
            (
                "Fri, 21-Nov-97 09:55:06 MET DST",
                "1997-11-21T09:55:06+02:00",
            ),
            ("Tue, 3 Jun 97 9:11:12 PM JST", "1997-06-03T21:11:12+09:00"),
            ("3 Jun 97 12:11:12 AM \"GMT\"", "1997-06-03T00:11:12Z"),
            (
                "3 Jun 2003 9:11 GMT Daylight Time",
                "2003-06-03T09:11:00+01:00",
            ),
            (
                "mar, 3 juin 2003 09:11:12 +0200",
                "2003-06-03T09:11:12+02:00",
            ),
            (
                "mar 3 juin 2003 09:11:12 +0200",
                "2003-06-03T09:11:12+02:00",
            ),
            ("Mar, 05 Oct 2004 1:2:3 Z", "2004-10-05T01:02:03Z"),
            ("Mar 5 1:2:3 2004", "2004-03-05T01:02:03-00:00"),
            ("Mar, 5 2004 1:2:3", "2004-03-05T01:02:03-00:00"),
            ("Di, 07. Okt. 2003 1:2:3 MESZ", "2003-10-07T01:02:03+02:00"),
            ("5 févr. 2004 1:2:3 Z", "2004-02-05T01:02:03Z"),
            (
                "Friday, 21 November 1997 9:5:6 +5:30",
                "1997-11-21T09:05:06+05:30",
            ),
            (
                "Mon Jan 01 2024 00:00:00 GMT+0100 (CET)",
                "2024-01-01T00:00:00+01:00",
            ),
            (
                "Mon Jan 01 2024 10:00:00 GMT-5",
                "2024-01-01T10:00:00-05:00",
            ),
            (
                "1 Jan 2024 10:00:00 UTC +02:00",
                "2024-01-01T10:00:00+02:00",
            ),
            ("1 Jan 2024 10:00:00 EST-0600", "2024-01-01T10:00:00-05:00"),
            ("1 Jan 2024 10:00:00 +0100 GMT", "2024-01-01T10:00:00+01:00"),
            ("21 Nov 1997 0 : 1 : 2 +0100", "1997-11-21T00:01:02+01:00"),
            (
                "21 Nov 1997 09(h):(m) 55:\r\n 06 GMT",
                "1997-11-21T09:55:06Z",
            ),
            ("21 Nov 1997 09 :55 GMT", "1997-11-21T09:55:00Z"),
            ("21 Nov 1997 09: GMT", "-"),
            ("Mon, 01 Jan 2024 10.30.00 +0000", "2024-01-01T10:30:00Z"),
            ("1 Jan 2024 9.5.6 EST", "2024-01-01T09:05:06-05:00"),
            ("1 Jan 2024 25.30.00 +0000", "-"),
            ("1 Jan 2024 10.30 +0000", "-"),
            ("21 Nov 1997 09:55:06 A", "1997-11-21T09:55:06-00:00"),
            ("1 Jan 2000 00:00:60 +0100", "2000-01-01T00:00:60+01:00"),
            ("29 Feb 2000 0:0:0 Z", "2000-02-29T00:00:00Z"),
            ("29 Feb 1900 0:0:0 Z", "-"),
            ("31 Apr 2020 0:0:0 Z", "-"),
            ("0 Apr 2020 0:0:0 Z", "-"),
            ("1 Apr 2020 24:00:00 Z", "-"),
            ("1 Apr 2020", "-"),
            ("Apr 2020 1:2:3", "-"),
            ("1 Apr 20200 1:2:3", "-"),
            ("2003-05-07T12:34:56Z", "2003-05-07T12:34:56Z"),
            ("2003-05-07 12:34:56.789 +0200", "2003-05-07T12:34:56+02:00"),
            ("2003-05-07T12:34+02:00", "2003-05-07T12:34:00+02:00"),
            (" 2003/05/07  12:34:56 EST\r\n", "2003-05-07T12:34:56-05:00"),
            ("2003-05-07 12:34:56", "2003-05-07T12:34:56-00:00"),
            ("2003-05-07 3:34:56 PM", "2003-05-07T15:34:56-00:00"),
            ("2003-05-07 10:15:00 GMT +0200", "2003-05-07T10:15:00+02:00"),
            ("2003-05-07 10:15:00 UTC+02:00", "2003-05-07T10:15:00+02:00"),
            (
                "2003-05-07 10:15:00 (CEST) +0200",
                "2003-05-07T10:15:00+02:00",
            ),
            ("2003-05-07 10:15 \"MET DST\"", "2003-05-07T10:15:00+02:00"),
            ("5 octubre 2004, martes, 10:15 Z", "2004-10-05T10:15:00Z"),
            ("5 Oct 2004 Marseille 10:15 Z", "2004-10-05T10:15:00Z"),
            ("5 ottobre 2004 martedi 10:15 Z", "2004-10-05T10:15:00Z"),
            ("2003-05-07", "-"),
            ("2003-13-07 12:34:56", "-"),
            ("2003-02-29 12:34:56", "-"),
            ("2003-05-07 24:34:56", "-"),
            ("+003-05-07 12:34:56", "-"),
            ("nonsense", "-"),
            ("", "-"),
            ("(", "-"),
        ] {
            assert_eq!(shown(value), want, "{value:?}");
        }
    }

    #[test]
    fn plain_dates_are_readable() {
        for (value, want) in [
            ("Fri, 21 Nov 1997 09:55:06 -0600", true),
            (" 1 Jan 2000 00:00:00 +0100\r\n", true),
            ("Fri, 0 Nov 1997 09:55:06 -0600", false),
            ("Fri, 31 Nov 1997 09:55:06 -0600", false),
            ("Fri, 21 Nov 1997 24:55:06 -0600", false),
            ("Fri, 21 Nox 1997 09:55:06 -0600", false),
            ("Fri, 21 Nov 1997 09:55:06 GMT", false),
            ("", false),
            ("Fri, ", false),
        ] {
            assert_eq!(is_plain(value.as_bytes()), want, "{value}");
        }
        let mut state = 5_u64;
        let mut below = move |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n as u64) as usize
        };
        let mut plain = 0;
        for _ in 0..20_000 {
            let mut value = b"Fri, 21 Nov 1997 09:55:06 -0600".to_vec();
            for _ in 0..=below(2) {
                let at = below(value.len());
                match below(3) {
                    0 => value[at] = b"0123456789 :,+-aN"[below(17)],
                    1 => drop(value.remove(at)),
                    _ => value.insert(at, b"0123456789 :,+-aN"[below(17)]),
                }
            }
            if is_plain(&value) {
                plain += 1;
                assert!(date(&value).is_some(), "{}", value.escape_ascii());
            }
        }
        assert!(plain > 1_000, "{plain}");
    }

    #[test]
    fn timestamps_count_days_right() {
        for (value, want) in [
            ("1 Jan 1970 00:00:00 +0000", 0),
            ("1 Jan 1970 01:00:00 +0100", 0),
            ("31 Dec 1969 23:59:59 +0000", -1),
            ("1 Mar 2000 00:00:00 +0000", 951_868_800),
            ("19 Jan 2038 03:14:08 +0000", 2_147_483_648),
        ] {
            assert_eq!(
                date(value.as_bytes()).map(|d| d.timestamp()),
                Some(want),
                "{value}"
            );
        }
    }

    /// Compares every day of two centuries with mail-parser, in changing zones.
    #[test]
    fn well_formed_dates_agree_with_mail_parser() {
        const NAMES: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        let mut count = 0;
        for year in 1900..2100_u16 {
            for (index, name) in NAMES.iter().enumerate() {
                let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                for day in 1..=LENGTHS[index] + u8::from(leap && index == 1) {
                    count += 1;
                    let (hour, minute) = (count % 24, count % 60);
                    let zone = [-1200, -330, -1, 1, 100, 545, 1400][count % 7];
                    let text = format!("{day} {name} {year} {hour:02}:{minute:02}:07 {zone:+05}");
                    let ours = date(text.as_bytes()).expect("a good date");
                    let message = format!("Date: {text}\r\n\r\n");
                    let theirs = mail_parser::MessageParser::new()
                        .parse(&message)
                        .expect("a message");
                    let theirs = *theirs.date().expect("a good date");
                    assert_eq!(ours.timestamp(), theirs.to_timestamp(), "{text}");
                }
            }
        }
        assert_eq!(count, 73_049);
    }
}
