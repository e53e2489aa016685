//! Finds web addresses that were not encoded as quoted-printable: mail services append them to an encoded body.
//!
//! ```text
//! sch=F6ne Gr=FC=DFe
//! --
//! http://lists.example.org/?list=beta&id=4711
//! ```
//!
//! `=be` and `=47` are escapes by their form only. An encoder escapes neither letters nor digits, and writes `=3D` for an equals sign.
//!
//! # Rules
//! An equals sign behind the name of a query (`?list=`, `&id=`) stays if the address has one of these:
//!
//! - an escape of a letter, a digit or a control (`?id=08`), an escape in lower-case digits, or one within a longer number
//!   (`?b=E4F0`)
//! - such a sign that begins no escape
//! - escapes of blanks and punctuation that do not end the line (`?id=20x`)
//!
//! Addresses with `=3D` are encoded. Lower-case digits, and escapes of blanks and punctuation, prove nothing if other text has
//! them.

use super::escape::{Escape, escape};
use super::web_address::{ends_address, is_of_name};
use crate::lexer::find_byte;
use mailglot_kernel::TextFinder;

/// The bytes between the scheme of an address and its host.
pub(super) const SCHEME_END: &[u8] = b"://";

/// Returns the offsets of equals signs that belong to such addresses, in order.
pub(super) fn equals_signs(body: &[u8]) -> Vec<usize> {
    static SCHEME: TextFinder = TextFinder::new(SCHEME_END, [0, 2]);
    let mut found = Vec::new();
    let mut unusual = Vec::new();
    let mut from = 0;
    while let Some(scheme) = SCHEME.find(&body[from..]) {
        let start = from + scheme + SCHEME_END.len();
        // A soft line break ends an address, too.
        from = find_byte(body, start, ends_address);
        match Query::of(body, start, from) {
            Some(query) if query.is_raw => found.extend(query.signs),
            Some(query) if query.habits != Habits::default() => unusual.push(query),
            _ => {}
        }
    }
    if !unusual.is_empty() {
        let signs: Vec<usize> = unusual
            .iter()
            .flat_map(|query| &query.signs)
            .copied()
            .collect();
        let encoder = Habits::of_other_text(body, &signs);
        let is_foreign = |query: &Query| {
            query.habits.lower_case && !encoder.lower_case || query.habits.ascii && !encoder.ascii
        };
        found.extend(
            unusual
                .into_iter()
                .filter(is_foreign)
                .flat_map(|query| query.signs),
        );
        found.sort_unstable();
    }
    found
}

/// Forms of escapes that few encoders write.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Habits {
    /// Lower-case digits: `=e4`.
    lower_case: bool,
    /// Escapes of blanks and punctuation that do not end a line: `=20x`.
    ascii: bool,
}

impl Habits {
    /// Notes the escape of `byte` at `at`.
    fn note(&mut self, body: &[u8], at: usize, byte: u8) {
        let ends_line = matches!(body.get(at + 3), None | Some(b'\r' | b'\n' | b'='));
        self.lower_case |= body[at + 1..at + 3].iter().any(u8::is_ascii_lowercase);
        self.ascii |= matches!(byte, b' '..=b'~') && byte != b'=' && !ends_line;
    }

    /// Returns the forms of all escapes except those at `except`.
    fn of_other_text(body: &[u8], except: &[usize]) -> Self {
        let mut habits = Self::default();
        for at in memchr::memchr_iter(b'=', body) {
            if let (Err(_), Escape::Byte(byte)) = (except.binary_search(&at), escape(body, at)) {
                habits.note(body, at, byte);
            }
        }
        habits
    }
}

/// The query of an address.
struct Query {
    /// Offsets of the equals signs behind names.
    signs: Vec<usize>,
    /// True if no encoder wrote them so.
    is_raw: bool,
    /// Forms of the escapes behind names.
    habits: Habits,
}

impl Query {
    /// Returns the query of the address in `body[start..end]`. None without an equals sign behind a name, or if one is encoded.
    fn of(body: &[u8], start: usize, end: usize) -> Option<Self> {
        let mut query = Self {
            signs: Vec::new(),
            is_raw: false,
            habits: Habits::default(),
        };
        for sign in memchr::memchr_iter(b'=', &body[start..end]) {
            let at = start + sign;
            if !ends_name(&body[start..at]) {
                continue;
            }
            match escape(body, at) {
                Escape::Byte(b'=') => return None,
                // A character of several bytes: `?q=D0=BF`.
                Escape::Byte(0x80..) if matches!(body.get(at + 3), Some(b'=')) => continue,
                Escape::Byte(byte) => {
                    let is_control = byte.is_ascii_control() && !byte.is_ascii_whitespace();
                    query.is_raw |= byte.is_ascii_alphanumeric()
                        || is_control
                        || is_long_number(&body[at + 1..end]);
                    query.habits.note(body, at, byte);
                }
                Escape::SoftBreak(_) => continue,
                Escape::Bad => query.is_raw = true,
            }
            query.signs.push(at);
        }
        (!query.signs.is_empty()).then_some(query)
    }
}

/// Returns true if the value at the start is a number of at least four hexadecimal digits, as identifiers are: `E4F0&b=1`.
fn is_long_number(value: &[u8]) -> bool {
    let is_digit = |b: &u8| matches!(b, b'0'..=b'9' | b'A'..=b'F');
    let digits = value.iter().take_while(|b| is_digit(b)).count();
    digits >= 4 && matches!(value.get(digits), None | Some(b'&' | b';' | b'#'))
}

/// Returns true if the bytes end in `?` or `&` and a name.
fn ends_name(before: &[u8]) -> bool {
    let name = before.iter().rev().take_while(|b| is_of_name(**b)).count();
    let mark = before[..before.len() - name].last();
    name > 0 && matches!(mark, Some(b'?' | b'&' | b';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(body: &str) -> String {
        let mut marked = body.as_bytes().to_vec();
        for at in equals_signs(body.as_bytes()) {
            assert_eq!(marked[at], b'=');
            marked[at] = b'#';
        }
        String::from_utf8(marked).expect("ASCII")
    }

    #[test]
    fn addresses_that_no_encoder_wrote_are_found() {
        for (body, marked) in [
            (
                "Gr=FC=DFe\nhttp://x/?list=beta\n",
                "Gr=FC=DFe\nhttp://x/?list#beta\n",
            ),
            ("http://x/?id=4711", "http://x/?id#4711"),
            (
                "<a href=3D\"http://x/?u=C0FFEE&id=4711\">",
                "<a href=3D\"http://x/?u#C0FFEE&id#4711\">",
            ),
            ("http://x/?a=list&b=20", "http://x/?a#list&b#20"),
            (
                "Gr=FC=DFe =\nhttp://x/?id=08",
                "Gr=FC=DFe =\nhttp://x/?id#08",
            ),
            (
                "Gr=FC=DFe =20\nhttp://x/?id=20x y",
                "Gr=FC=DFe =20\nhttp://x/?id#20x y",
            ),
            (
                "Gr=FC=DFe http://x/?a=ABCD&b=E4F0",
                "Gr=FC=DFe http://x/?a#ABCD&b#E4F0",
            ),
            (
                "http://x/?a[1]=ab https://y/?b=cd",
                "http://x/?a[1]#ab https://y/?b#cd",
            ),
        ] {
            assert_eq!(signs(body), marked);
        }
    }

    #[test]
    fn encoded_addresses_stay() {
        for body in [
            "http://x/?list=3Dbeta&id=3D4711",
            "http://x/?list=3dbeta=e9",
            // An encoder that writes lower-case digits.
            "gr=fc=dfe http://x/?f=fcr",
            "http://x/?a=C3=A9",
            "http://x/?a=20\n",
            // An encoder that writes each blank, each number sign or each line end as an escape.
            "Gr=FC=DFe=20an=20http://x/?a=20b",
            "=2315 http://x/?a=23b",
            "http://x/?a=0D=0A",
            "http://x/?a=E4F",
            "http://x/?a=E4pfel",
            "http://x/?long=\nbeta",
            "http://x/=be?=be",
            "list=beta ?list=beta",
        ] {
            assert_eq!(signs(body), body);
        }
    }

    #[test]
    fn long_bodies_take_linear_time() {
        for unit in ["http://x/?a=be ", "://?a=4", "=be://?a=be ", "?a"] {
            crate::linear::assert_linear(&"addresses", 20_000, |n| {
                let _ = equals_signs(["http://x/", &unit.repeat(n)].concat().as_bytes());
            });
        }
    }
}
