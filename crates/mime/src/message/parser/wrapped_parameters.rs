//! Finds lines of a Content-Type that lost the blank at their start.
//!
//! ```text
//! Content-Type: multipart/mixed;
//! boundary="abc"
//! ```
//!
//! # Rules
//!
//! - The field before them is the first Content-Type of its header, and ends in a semicolon.
//! - Each line consists of parameters that follow the grammar (RFC 2045, section 5.1). All lines but the last end in a semicolon.
//! - A field or an empty line follows.
//! - A boundary counts if its delimiter occurs in the body, and a charset if it is known. Of other parameters, only `format` and `delsp`
//!   count, unless a boundary stands beside them or a field with a known name follows.
//!
//! If one line breaks a rule, no line counts.
//!
//! # Limits
//!
//! A header has one run of such lines. Lines with segments of RFC 2231 for the boundary or charset do not count.

use super::Parser;
use super::field_names::field_name;
use super::part_header::PartHeader;
use crate::header::is_known;
use crate::lexer::starts_without_case;
use crate::message::lines::Line;
use crate::params;
use crate::span::Span;
use mailglot_codec::{Charset, View};

/// What the parameters of lines without a blank prove.
#[derive(Default)]
struct Proof {
    /// The boundary whose delimiter must occur.
    boundary: Option<Vec<u8>>,
    /// True if a parameter may also be text.
    is_doubtful: bool,
}

impl Parser<'_> {
    /// Returns the lines from `line` on that continue the Content-Type before them.
    pub(super) fn wrapped_lines(&self, header: &PartHeader, line: Line) -> Option<Span> {
        let last = self.fields.len().checked_sub(1)?;
        // Nearly all fields are no Content-Type. Lines of blanks must not be searched for the semicolon before them again and again.
        if header.content_type != Some(last as u32)
            || !begins_parameter(&self.raw[line.start..line.end])
        {
            return None;
        }
        let value = self.fields[last].value;
        let mut proof = Proof::default();
        let mut at = line.start;
        let next = loop {
            let next = self.lines.line(self.raw, at);
            let text = &self.raw[next.start..next.end];
            if !ends_in_semicolon(self.raw, at) || !begins_parameter(text) {
                break text;
            }
            if next.end - value.start > self.limits.field || next.next >= self.raw.len() {
                return None;
            }
            proof.add(text)?;
            at = next.next;
        };
        let is_certain = !proof.is_doubtful || proof.boundary.is_some();
        let is_followed = match field_name(next) {
            Some((name, _)) => is_certain || is_known(&next[..name]),
            None => is_certain && next.is_empty(),
        };
        let is_multipart =
            || starts_without_case(value.of(self.raw).trim_ascii_start(), b"multipart/");
        let occurs = |boundary: &Vec<u8>| is_multipart() && self.has_delimiter(boundary, at);
        let counts = at > line.start && is_followed && proof.boundary.as_ref().is_none_or(occurs);
        counts.then(|| Span::new(line.start, at))
    }

    /// Returns true if a line behind `from` is a delimiter of `boundary`, before the next delimiter of an open multipart.
    ///
    /// Children of the multipart begin behind the line that is found, and siblings behind that delimiter. So no line is searched twice.
    fn has_delimiter(&self, boundary: &[u8], from: usize) -> bool {
        self.dashed_lines(from)
            .take_while(|line| self.delimiter(*line).is_none())
            .any(|line| self.delimiter_name(line) == boundary)
    }
}

impl Proof {
    /// Adds the parameters of a line. Returns `None` if the line cannot be a continuation.
    fn add(&mut self, line: &[u8]) -> Option<()> {
        let value = [b"x/y;", line].concat();
        let mut findings = Vec::new();
        let repeats = params::survey(&value, &mut findings);
        if repeats || !findings.is_empty() {
            return None;
        }
        let (_, list) = params::scan(&value);
        for param in &list {
            let is = |name: &[u8]| param.name.eq_ignore_ascii_case(name);
            let has =
                |values: [&[u8]; 2]| values.iter().any(|v| v.eq_ignore_ascii_case(&param.value));
            if is(b"boundary") && self.boundary.is_none() {
                self.boundary = Some(param.value.to_vec());
            } else if is(b"charset") {
                Charset::for_label(&param.value, View::Mail).charset()?;
            } else if starts_without_case(param.name, b"boundary")
                || starts_without_case(param.name, b"charset")
            {
                return None;
            } else {
                let is_evident = is(b"format") && has([b"flowed", b"fixed"])
                    || is(b"delsp") && has([b"yes", b"no"]);
                self.is_doubtful |= !is_evident;
            }
        }
        (!list.is_empty()).then_some(())
    }
}

/// Returns true if a line begins with a name and an equals sign.
fn begins_parameter(line: &[u8]) -> bool {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'*');
    let name = line.iter().take_while(|b| is_name(b)).count();
    line.first().is_some_and(u8::is_ascii_alphabetic) && line.get(name) == Some(&b'=')
}

/// Returns true if the line before the one at `at` ends in a semicolon.
fn ends_in_semicolon(raw: &[u8], at: usize) -> bool {
    raw[..at].trim_ascii_end().ends_with(b";")
}
