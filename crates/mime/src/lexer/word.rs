//! Finds the encoded words of a value (RFC 2047, section 2), including common syntax errors.

use super::syntax::is_space;
use std::borrow::Cow;
use std::ops::Range;

/// The encoding of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Letter {
    /// Base64.
    B,
    /// Like quoted-printable.
    Q,
}

impl Letter {
    /// Returns the encoding that a letter names, compared without case.
    fn of(letter: u8) -> Option<Self> {
        match letter {
            b'B' | b'b' => Some(Self::B),
            b'Q' | b'q' => Some(Self::Q),
            _ => None,
        }
    }
}

/// An encoded word; all ranges are offsets in the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordToken {
    /// From `=?` to `?=`, inclusive.
    pub range: Range<usize>,
    /// The charset label without blanks, quotes and language.
    pub label: Range<usize>,
    /// B or Q.
    pub letter: Letter,
    /// The encoded text.
    pub payload: Range<usize>,
}

impl WordToken {
    /// Returns the language tag of RFC 2231 5 as written. `value` is the value that contains the word.
    pub(crate) fn language<'v>(&self, value: &'v [u8]) -> Option<Cow<'v, str>> {
        let tail = &value[self.label.end..self.payload.start];
        let tag = tail
            .strip_prefix(b"*")
            .or_else(|| tail.strip_prefix(b"'"))?;
        let tag = tag.split(|&b| b == b'?').next()?;
        let inner = without_quotes(tag);
        (!inner.is_empty()).then(|| String::from_utf8_lossy(&tag[inner]))
    }

    /// Returns true for base64.
    pub(crate) fn is_b(&self) -> bool {
        self.letter == Letter::B
    }
}

/// Finds words in a part of a value, from left to right. Caches searches, so the time is linear.
#[derive(Debug)]
pub(crate) struct WordFinder<'a> {
    /// The bytes that are searched.
    value: &'a [u8],
    /// The end of the bytes that count. Searches beyond it stay in the caches.
    end: usize,
    open: LastSearch,
    inner_open: LastSearch,
    close: LastSearch,
    later_close: LastSearch,
    later_open: LastSearch,
}

/// The last search: its start and its result (`usize::MAX` if nothing was found).
#[derive(Clone, Copy, Debug, Default)]
struct LastSearch {
    from: usize,
    found: usize,
}

impl LastSearch {
    /// Returns the first needle at or after `from`, if it ends before `end`.
    fn find(&mut self, value: &[u8], needle: [u8; 2], from: usize, end: usize) -> Option<usize> {
        if !(self.from <= from && from <= self.found) || self.found == 0 {
            let rest = value.get(from..).unwrap_or_default();
            self.found = find_pair(rest, needle).map_or(usize::MAX, |n| from + n);
            self.from = from;
        }
        (self.found < end.saturating_sub(1)).then_some(self.found)
    }
}

/// Finds a pair of bytes. One of them is a question mark, the rarer one in most values.
fn find_pair(bytes: &[u8], pair: [u8; 2]) -> Option<usize> {
    let mark = usize::from(pair[1] == b'?');
    memchr::memchr_iter(b'?', bytes)
        .filter_map(|at| at.checked_sub(mark))
        .find(|&at| bytes[at..].starts_with(&pair))
}

impl<'a> WordFinder<'a> {
    /// Creates a finder for words that end before `limit`.
    pub(crate) fn new(value: &'a [u8], limit: usize) -> Self {
        Self {
            value: &value[..limit],
            end: limit,
            open: LastSearch::default(),
            inner_open: LastSearch::default(),
            close: LastSearch::default(),
            later_close: LastSearch::default(),
            later_open: LastSearch::default(),
        }
    }

    /// Ignores bytes from `end` on. Later calls may move the end, within the limit of [`Self::new`].
    pub(crate) fn set_end(&mut self, end: usize) {
        self.end = end.min(self.value.len());
    }

    /// Returns the first word that starts at or after `at`.
    pub(crate) fn next_from(&mut self, mut at: usize) -> Option<WordToken> {
        loop {
            at = self.open.find(self.value, *b"=?", at, self.end)?;
            if let Some(word) = self.word_at(at) {
                return Some(word);
            }
            at += 2;
        }
    }

    /// Returns the word that starts exactly at `at`.
    pub(crate) fn word_at(&mut self, at: usize) -> Option<WordToken> {
        let value = &self.value[..self.end];
        if !value[at..].starts_with(b"=?") {
            return None;
        }
        let head = head(value, at)?;
        let letter = Letter::of(head.letter)?;
        let end = match letter {
            Letter::B => {
                let end = head.payload + memchr::memchr(b'?', &value[head.payload..])?;
                (value.get(end + 1) == Some(&b'=')).then_some(end)?
            }
            Letter::Q => self.q_end(head.payload)?,
        };
        let label = head.label.start..label_end(value, head.label.clone());
        Some(WordToken {
            range: at..end + 2,
            label,
            letter,
            payload: head.payload..end,
        })
    }

    /// Returns the end of a Q text that starts at `payload`. It may contain question marks.
    fn q_end(&mut self, payload: usize) -> Option<usize> {
        let (end, all) = (self.end, self.value);
        let value = &all[..end];
        let (mut from, mut inner) = (payload, payload);
        loop {
            let close = self.close.find(all, *b"?=", from, end)?;
            while let Some(open) = self
                .inner_open
                .find(all, *b"=?", inner, end)
                .filter(|&n| n + 1 < close)
            {
                if head(value, open).is_some() {
                    // The word has no end: the next one starts here.
                    return None;
                }
                inner = open + 1;
            }
            let after = close + 2;
            let ends = ends_word(&value[after..])
                || match self.later_close.find(all, *b"?=", after, end) {
                    None => true,
                    Some(next) => self
                        .later_open
                        .find(all, *b"=?", after, end)
                        .is_some_and(|open| open < next),
                };
            if ends {
                return Some(close);
            }
            from = close + 1;
        }
    }
}

/// Returns the word at the end of a value if its `?=` is missing, or the equals sign of it: a program cut the value.
pub(crate) fn unclosed_word(value: &[u8]) -> Option<WordToken> {
    let all = value.strip_suffix(b"?").unwrap_or(value);
    let at = memchr::memmem::rfind(all, b"=?")?;
    let head = head(value, at)?;
    let payload = all.get(head.payload..)?;
    let letter = Letter::of(head.letter)?;
    // Text that only resembles a word has no escapes.
    let may_have_blanks = has_escape_above_7f(payload);
    let is_text = |b: &u8| match letter {
        Letter::B => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='),
        Letter::Q => b.is_ascii_graphic() && *b != b'?' || *b == b' ' && may_have_blanks,
    };
    let end = head.payload + payload.len();
    let label = head.label.start..label_end(value, head.label.clone());
    (!payload.is_empty() && payload.iter().all(is_text)).then_some(WordToken {
        range: at..value.len(),
        label,
        letter,
        payload: head.payload..end,
    })
}

/// Returns true if a payload has an escape of a byte above 7F: `Gr=C3=BC=C3=9Fe`.
fn has_escape_above_7f(payload: &[u8]) -> bool {
    let mut signs = memchr::memchr_iter(b'=', payload);
    signs.any(|at| {
        matches!(payload[at..], [_, b'8' | b'9' | b'A'..=b'F' | b'a'..=b'f', second, ..]
            if second.is_ascii_hexdigit())
    })
}

/// Returns true if bytes are the beginning of a word up to its encoding at most: `=?utf-8?Q`.
pub(crate) fn is_cut_head(bytes: &[u8]) -> bool {
    let is_label = |b: &u8| b.is_ascii_alphanumeric() || b"-_.:*?".contains(b);
    bytes
        .strip_prefix(b"=?")
        .is_some_and(|label| label.iter().all(is_label))
}

/// Returns true if a reader may read `?=` before `rest` as the end of a Q word.
pub(crate) fn ends_word(rest: &[u8]) -> bool {
    match rest.first() {
        None | Some(b')' | b'"' | b',' | b'.' | b';' | b':' | b'<' | b'>' | b']') => true,
        Some(&byte) => is_space(byte) || rest.starts_with(b"=?"),
    }
}

/// Returns true if bytes that begin with `=?` are the beginning of a word, or may become one with more bytes.
pub(crate) fn may_open(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(b"=?") else {
        return b"=?".starts_with(bytes);
    };
    let Some(mark) = rest
        .iter()
        .position(|b| !matches!(b, b' '..=b'>' | b'@'..=b'~' | b'\t'))
    else {
        return true;
    };
    if rest[mark] != b'?' {
        return false;
    }
    let place = skip_blanks(rest, mark + 1);
    let Some(letter) = rest.get(place) else {
        return true;
    };
    let is_whole = skip_blanks(rest, place + 1) < rest.len();
    Letter::of(*letter).is_some() && (!is_whole || head(bytes, 0).is_some())
}

struct WordHead {
    label: Range<usize>,
    letter: u8,
    payload: usize,
}

/// Reads `=?label?letter?` at `at`. The next two question marks bound the cost.
fn head(value: &[u8], at: usize) -> Option<WordHead> {
    let start = at + 2;
    let end = start
        + value[start..]
            .iter()
            .position(|&b| b == b'?' || !matches!(b, b' '..=b'~' | b'\t'))?;
    if value[end] != b'?' {
        return None;
    }
    let place = skip_blanks(value, end + 1);
    let letter = *value.get(place)?;
    let close = skip_blanks(value, place + 1);
    if value.get(close) != Some(&b'?') || !letter.is_ascii_alphabetic() {
        return None;
    }
    let label = without_quotes(&value[start..end]);
    let label = start + label.start..start + label.end;
    is_label(&value[label.clone()]).then_some(WordHead {
        label,
        letter,
        payload: close + 1,
    })
}

/// Returns true for the bytes that some programs write around a label or a language tag.
fn is_quote_or_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'"' | b'\'')
}

/// Returns the range of a text without quotes and blanks around it. It is empty at the start if there is nothing else.
#[inline]
fn without_quotes(text: &[u8]) -> Range<usize> {
    let is_inner = |b: &u8| !is_quote_or_blank(*b);
    let start = text.iter().position(is_inner).unwrap_or(0);
    let end = text.iter().rposition(is_inner).map_or(start, |n| n + 1);
    start..end
}

/// Returns true if bytes may be a label. One blank may stand before a number (`utf 8`), one apostrophe before a language (`utf-8'en`).
fn is_label(label: &[u8]) -> bool {
    let mut outer = label
        .iter()
        .enumerate()
        .filter(|(_, b)| is_quote_or_blank(**b));
    match (outer.next(), outer.next()) {
        (None, _) => true,
        (Some((at, b' ')), None) => label.get(at + 1).is_some_and(u8::is_ascii_digit),
        (Some((at, b'\'')), None) => label.get(at + 1).is_some_and(u8::is_ascii_alphabetic),
        _ => false,
    }
}

/// Returns the first place from `at` on without a blank, within the value or at its end.
fn skip_blanks(value: &[u8], at: usize) -> usize {
    let rest = value.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}

/// Returns the end of a label without the language tag of RFC 2231, section 5. Some programs write the apostrophe of section 4 before it.
fn label_end(value: &[u8], label: Range<usize>) -> usize {
    memchr::memchr2(b'*', b'\'', &value[label.clone()]).map_or(label.end, |n| label.start + n)
}

/// Returns true if a value contains `=?`.
pub(crate) fn has_open(value: &[u8]) -> bool {
    memchr::memchr_iter(b'?', value).any(|at| at > 0 && value[at - 1] == b'=')
}

/// Returns true if a value contains an encoded word.
pub(crate) fn has_word(value: &[u8]) -> bool {
    WordFinder::new(value, value.len()).next_from(0).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    fn payloads(value: &str) -> Vec<String> {
        let mut finder = WordFinder::new(value.as_bytes(), value.len());
        let (mut at, mut out) = (0, Vec::new());
        while let Some(word) = finder.next_from(at) {
            out.push(format!(
                "{}|{}",
                &value[word.label.clone()],
                &value[word.payload.clone()]
            ));
            at = word.range.end;
        }
        out
    }

    #[test]
    fn words_are_found_at_every_offset() {
        for (value, want) in [
            ("=?utf-8?Q?a?=", vec!["utf-8|a"]),
            ("x=?utf-8?q?a?=y", vec!["utf-8|a"]),
            (
                "(=?utf-8?q?a?=)\"=?utf-8?B?YQ==?=\"",
                vec!["utf-8|a", "utf-8|YQ=="],
            ),
            ("=?utf-8*pt-BR?Q?a?=", vec!["utf-8|a"]),
            ("=? \"utf-8\" ?Q?a?=", vec!["utf-8|a"]),
            ("=?utf-8'en?Q?a?=", vec!["utf-8|a"]),
            ("=?utf-8'en'?Q?a?=", vec!["utf-8|a"]),
            ("=?it's 5?Q?a?=", vec![]),
            ("=?UTF-8?Q?Wann??=", vec!["UTF-8|Wann?"]),
            ("=?UTF-8?Q?Wer?_Wo?= x", vec!["UTF-8|Wer?_Wo"]),
            ("=?u?q?a?==?u?q?b?=", vec!["u|a", "u|b"]),
            ("=?u?q?a?=b=?u?q?c?=", vec!["u|a", "u|c"]),
            ("=?u?q?a?=20b?=", vec!["u|a?=20b"]),
            ("=?u?q?a =?u?q?b?=", vec!["u|b"]),
            ("=?u?B?a?b?=", vec![]),
            ("=?u?X?a?=", vec![]),
            ("=?u?Q?a", vec![]),
            ("=?u?Q??=", vec!["u|"]),
            ("=??Q?a?=", vec!["|a"]),
            ("=?a b?Q?a?=", vec![]),
            ("=?utf 8?Q?a?=", vec!["utf 8|a"]),
            ("=?iso 8859 1?Q?a?=", vec![]),
            ("=? utf-8 ? Q ? a?=", vec!["utf-8| a"]),
            ("=?utf-8?\tb?YQ==?=", vec!["utf-8|YQ=="]),
            ("=?utf-8? QB?a?=", vec![]),
            ("=?utf-8? ?a?=", vec![]),
            ("=?=?u?Q?a?=", vec!["u|a"]),
            ("=?utf-8?Q?a\r\n b?=", vec!["utf-8|a\r\n b"]),
        ] {
            assert_eq!(payloads(value), want, "{value:?}");
        }
    }

    #[test]
    fn long_input_takes_linear_time() {
        for unit in [
            "=?",
            "=?a?Q?",
            "=?a?B?",
            " =?a?Q?",
            "=?a?q?x?=y",
            "?=",
            "=?a?Q?a=?a",
            "=?a?Q?=?=",
            "=?\"",
            "=?a?Q??=b?=",
        ] {
            for end in ["", "?="] {
                assert_linear(&unit, 200_000, |n| {
                    let _ = payloads(&(unit.repeat(n) + end));
                });
            }
        }
    }
}
