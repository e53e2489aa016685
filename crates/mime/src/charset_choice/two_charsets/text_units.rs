//! Divides a text into units that have one charset each: lines, and pieces of lines between the blocks of HTML.
//!
//! ```text
//! "<p>Gr\xC3\xBC\xC3\x9Fe</p><hr><p>Jos\xE9</p>\n"     units: "<p>Grüße", "</p>", "<hr>", "<p>José", "</p>\n"
//! ```
//!
//! Programs write a whole HTML document into one line, and others insert footers there.
//!
//! # Limits
//! Does not distinguish HTML from other text: tags of blocks hardly occur there. Tags within a paragraph such as `<b>` end no unit.

use super::line_kinds::{has_blank_line, is_quoted, separators};
use std::ops::Range;

/// Tags that begin or end a block or a line.
const BLOCK_TAGS: [&[u8]; 42] = [
    b"address",
    b"article",
    b"aside",
    b"blockquote",
    b"body",
    b"br",
    b"caption",
    b"center",
    b"dd",
    b"div",
    b"dl",
    b"dt",
    b"fieldset",
    b"footer",
    b"form",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"head",
    b"header",
    b"hr",
    b"html",
    b"legend",
    b"li",
    b"main",
    b"ol",
    b"option",
    b"p",
    b"pre",
    b"section",
    b"table",
    b"tbody",
    b"td",
    b"tfoot",
    b"th",
    b"thead",
    b"title",
    b"tr",
    b"ul",
];

/// Returns the ranges of the units, in order. A unit ends behind a line feed or before the tag of a block.
pub(crate) fn units(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at = unit_end(bytes, start);
        (start < at).then_some(start..at)
    })
}

fn unit_end(bytes: &[u8], start: usize) -> usize {
    for skipped in memchr::memchr2_iter(b'\n', b'<', &bytes[start..]) {
        let at = start + skipped;
        if bytes[at] == b'\n' {
            return at + 1;
        }
        if at > start && is_block_tag(&bytes[at + 1..]) {
            return at;
        }
    }
    bytes.len()
}

/// Returns true if the text behind `<` is the name of a block, as a start tag or an end tag.
fn is_block_tag(text: &[u8]) -> bool {
    /// Length of the longest name, and one more.
    const LONGEST: usize = 11;
    let name = text.strip_prefix(b"/").unwrap_or(text);
    let letters = name.iter().take(LONGEST);
    let length = letters.take_while(|b| b.is_ascii_alphanumeric()).count();
    let is_name = |tag: &&[u8]| tag.eq_ignore_ascii_case(&name[..length]);
    BLOCK_TAGS.iter().any(is_name)
}

/// Returns true if two units, of which the second one follows, belong to one paragraph or quotation: only ASCII stands between them, no
/// blank line, and no line that separates a signature or footer.
pub(crate) fn stand_together(bytes: &[u8], first: &Range<usize>, second: &Range<usize>) -> bool {
    let between = &bytes[first.end..second.start];
    let is_quotation = |unit: &Range<usize>| is_quoted(&bytes[unit.clone()]);
    let is_rule = |at: usize| {
        let name = between.get(at + 1..at + 3);
        name.is_some_and(|name| name.eq_ignore_ascii_case(b"hr"))
    };
    let from_line_end = first.end.saturating_sub(1);
    between.is_ascii()
        && !has_blank_line(between)
        && !memchr::memchr_iter(b'<', between).any(is_rule)
        && separators(&bytes[from_line_end..second.start]).is_empty()
        && is_quotation(first) == is_quotation(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    fn texts(text: &str) -> Vec<&str> {
        units(text.as_bytes()).map(|unit| &text[unit]).collect()
    }

    #[test]
    fn lines_and_blocks_are_units() {
        for (text, want) in [
            ("", &[][..]),
            ("a\nb\n\nc", &["a\n", "b\n", "\n", "c"]),
            (
                "<P class='x'>a</P><hr><p>b\nc</p>",
                &["<P class='x'>a", "</P>", "<hr>", "<p>b\n", "c", "</p>"],
            ),
            ("a<br/>b<BR>c", &["a", "<br/>b", "<BR>c"]),
            ("a <b>b</b> < 1 <pa>c <", &["a <b>b</b> < 1 <pa>c <"]),
            ("a<td>b</td", &["a", "<td>b", "</td"]),
        ] {
            assert_eq!(texts(text), want, "{text}");
        }
    }

    #[test]
    fn lines_of_one_quotation_stand_together() {
        for (text, want) in [
            ("> a\n> b\n", true),
            ("a\r\nb\r\n", true),
            ("<p>a</p><p>b</p>", true),
            ("a\nplain\nb\n", true),
            ("> a\nb\n", false),
            ("a\n\nb\n", false),
            ("a\r\n\r\nb\r\n", false),
            ("a\né\nb\n", false),
            ("a\n-- \nb\n", false),
            ("a\n____\nb\n", false),
            ("<p>a</p><HR><p>b</p>", false),
        ] {
            let ends = |letter: &str| {
                let is_it = |unit: &Range<usize>| text[unit.clone()].contains(letter);
                units(text.as_bytes())
                    .find(|unit| is_it(unit) && !text[unit.clone()].contains("pl"))
            };
            let (first, second) = (ends("a").expect("a"), ends("b").expect("b"));
            assert_eq!(
                stand_together(text.as_bytes(), &first, &second),
                want,
                "{text}"
            );
        }
    }

    #[test]
    fn units_take_linear_time() {
        for unit in ["<", "<p>", "a", "\n", "<blockquot", "</"] {
            assert_linear(&unit, 20_000, |n| {
                let text = unit.repeat(n);
                let _ = units(text.as_bytes()).count();
            });
        }
    }
}
