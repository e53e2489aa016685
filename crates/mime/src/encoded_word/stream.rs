//! Decodes encoded words in a stream of any text, such as a log. All other bytes pass unchanged.
//!
//! # Limits
//!
//! Finds words and runs within [`MOST`] bytes of a line and its continuation lines, and splits longer runs. A longer word passes
//! unchanged, with a finding. A line that ends in a word waits for the next byte, since a folded line may continue with another
//! word.

use super::context::HeaderContext;
use super::reader::Reader;
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::field_kind::FieldKind;
use crate::lexer;
use crate::lexer::{WordFinder, ends_word, has_open, may_open};

/// Maximum number of buffered bytes while the end of a run is unknown.
pub const MOST: usize = 1 << 16;
/// Number of new bytes before a long piece without a line end is examined again.
const STEP: usize = 1 << 12;

/// Decodes the encoded words of a stream piece by piece. [`MOST`] and the longest piece bound the memory.
///
/// Joins adjacent words as [`crate::header::decode`] does, and drops the folds between them; all other bytes stay. A word beside an
/// `@` belongs to an address and stays. Decoded line ends and other controls become spaces, so no line comes out of a word. The pieces
/// change neither output nor findings.
#[derive(Debug)]
pub struct Stream<'c> {
    context: HeaderContext<'c>,
    buffer: Vec<u8>,
    /// The offset of the buffer in the stream.
    offset: usize,
    /// The buffer length at which the next search is worthwhile.
    next_look: usize,
    /// The last byte before the buffer.
    before: Option<u8>,
    /// True if a run was split here: white space before a further word disappears.
    cut: bool,
    /// [`MOST`], except in tests.
    most: usize,
}

impl Default for Stream<'_> {
    fn default() -> Self {
        Self::new(HeaderContext::default())
    }
}

/// The result of examining a possible word.
enum Lookahead {
    Nothing,
    /// More bytes are needed to decide.
    More,
    /// A run of words up to this offset.
    Run(usize),
    /// The part of a longer run up to this offset.
    Cut(usize),
}

impl<'c> Stream<'c> {
    /// Creates a stream that decodes words with `context`.
    pub fn new(context: HeaderContext<'c>) -> Self {
        Self {
            context,
            buffer: Vec::new(),
            offset: 0,
            next_look: 0,
            before: None,
            cut: false,
            most: MOST,
        }
    }

    /// Adds bytes and appends finished output to `out`. Findings have offsets in the stream.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>, findings: &mut Vec<Finding>) {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < self.next_look && !bytes.contains(&b'\n') {
            return;
        }
        self.advance(false, out, findings);
        self.next_look = if has_open(&self.buffer) {
            self.buffer.len() + STEP
        } else {
            0
        };
    }

    /// Appends the rest of the buffer.
    pub fn finish(mut self, out: &mut Vec<u8>, findings: &mut Vec<Finding>) {
        self.advance(true, out, findings);
    }

    fn advance(&mut self, last: bool, out: &mut Vec<u8>, findings: &mut Vec<Finding>) {
        let buffer = std::mem::take(&mut self.buffer);
        let (mut done, mut seek) = (0, 0);
        // The logical line at `seek`, with a finder that caches its searches.
        let mut line: Option<(usize, bool, WordFinder<'_>)> = None;
        loop {
            let open = memchr::memmem::find(&buffer[seek..], b"=?").map(|n| seek + n);
            let Some(open) = open else {
                let held = usize::from(!last && buffer[seek..].ends_with(b"="));
                let end = buffer.len() - held;
                if last || !self.cut || !lexer::is_blank(&buffer[done..end]) {
                    self.pass(&buffer[done..end], out);
                    done = end;
                }
                break;
            };
            if !self.cut {
                self.pass(&buffer[done..open], out);
                done = open;
            }
            let (limit, closed, mut finder) =
                line.take().filter(|l| open < l.0).unwrap_or_else(|| {
                    let (limit, closed) = line_end(&buffer, open, last);
                    (limit, closed, WordFinder::new(&buffer, limit))
                });
            // Nothing behind the window counts, since it may not have arrived yet.
            let window = &buffer[..limit.min(open + self.most)];
            let found = look_ahead(&mut finder, window, (open, self.most), closed);
            line = Some((limit, closed, finder));
            match found {
                Lookahead::More => break,
                Lookahead::Nothing => {
                    if let Some(head) = window
                        .get(open..open + self.most)
                        .filter(|head| goes_on(head))
                    {
                        let at = self.offset + open..self.offset + open + head.len();
                        findings.add(at, EventKind::EwBadToken, Reason::LongerThanSearched);
                    }
                    self.pass(&buffer[done..=open], out);
                    done = open + 1;
                    seek = done;
                }
                Lookahead::Run(end) | Lookahead::Cut(end) => {
                    if !(self.cut && lexer::is_blank(&buffer[done..open])) {
                        self.pass(&buffer[done..open], out);
                    }
                    self.words(window, open, end, out, findings);
                    self.cut = matches!(found, Lookahead::Cut(_));
                    (done, seek) = (end, end);
                }
            }
        }
        self.offset += done;
        self.buffer = buffer;
        self.buffer.drain(..done);
    }

    /// Appends bytes outside words.
    fn pass(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(bytes);
        if let Some(&byte) = bytes.last() {
            self.before = Some(byte);
            self.cut = false;
        }
    }

    /// Decodes a run of words, unless it is part of an address.
    fn words(
        &mut self,
        window: &[u8],
        start: usize,
        end: usize,
        out: &mut Vec<u8>,
        findings: &mut Vec<Finding>,
    ) {
        let run = &window[start..end];
        if self.before == Some(b'@') || window.get(end) == Some(&b'@') {
            self.pass(run, out);
            return;
        }
        let mut found = Vec::new();
        let reader = Reader::new(run, FieldKind::Unstructured, &self.context, &mut found);
        let mut text = String::new();
        for segment in &reader.segments {
            if segment.words.is_empty() {
                out.extend_from_slice(&run[segment.range.clone()]);
            } else {
                text.clear();
                reader.push(segment, &mut text, &mut found);
                out.extend_from_slice(text.as_bytes());
            }
        }
        self.before = run.last().copied();
        let origin = self.offset + start;
        findings.extend(found.into_iter().map(|finding| finding.shifted(origin)));
    }
}

/// Returns true if `head` begins like a word that has no end yet.
fn goes_on(head: &[u8]) -> bool {
    let mut fields = head.splitn(4, |&byte| byte == b'?');
    let (_, _, letter) = (fields.next(), fields.next(), fields.next());
    let is_word = matches!(letter, Some([b'b' | b'B' | b'q' | b'Q']));
    let breaks = |pair: &[u8]| pair[0] <= b' ' || pair == b"?=" || pair == b"=?";
    is_word
        && fields
            .next()
            .is_some_and(|text| !text.windows(2).any(breaks))
}

/// Returns the end of the line at `at` with its continuation lines, and whether it is certain.
fn line_end(buffer: &[u8], at: usize, last: bool) -> (usize, bool) {
    for n in memchr::memchr_iter(b'\n', &buffer[at..]) {
        match buffer.get(at + n + 1) {
            Some(b' ' | b'\t') => {}
            Some(_) => return (at + n, true),
            // A line end belongs to the line only if another byte continues it.
            None => return (at + n, last),
        }
    }
    (buffer.len(), last)
}

/// Examines `open`, where `=?` stands, in a line that is `closed` or may continue. The line has at most `most` bytes from there on.
///
/// A pipe may deliver a line in any pieces. So the function decides only when the line is closed or full, or when no further byte could
/// change the decision.
fn look_ahead(
    finder: &mut WordFinder<'_>,
    line: &[u8],
    (open, most): (usize, usize),
    closed: bool,
) -> Lookahead {
    finder.set_end(line.len());
    let full = line.len() - open >= most;
    let sure = closed || full;
    let mut end = open;
    loop {
        let next = if end == open {
            open
        } else {
            lexer::skip_space(line, end)
        };
        let rest = &line[next..];
        let more = |end| match (end == open, full) {
            (_, false) => Lookahead::More,
            (true, true) => Lookahead::Nothing,
            (false, true) => Lookahead::Cut(end),
        };
        if !sure && (rest.is_empty() || rest == b"=") {
            return more(end);
        }
        let Some(word) = finder.word_at(next) else {
            return match (end == open, sure || !may_open(rest)) {
                (_, false) => more(end),
                (true, true) => Lookahead::Nothing,
                // The next word may be cut by the end of the window.
                (false, true) if full && may_open(rest) => Lookahead::Cut(end),
                (false, true) => Lookahead::Run(end),
            };
        };
        let after = &line[word.range.end..];
        if !sure && (after.is_empty() || after == b"=" || !ends_word(after) && !word.is_b()) {
            return more(end);
        }
        end = word.range.end;
        if end - open > most / 2 {
            if full {
                return Lookahead::Cut(end);
            }
            // Whether the line becomes full decides how far this run goes.
            if !sure {
                return Lookahead::More;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    fn streamed(input: &[u8], mut step: impl FnMut() -> usize) -> (Vec<u8>, Vec<Finding>) {
        let mut stream = Stream::default();
        let (mut out, mut findings) = (Vec::new(), Vec::new());
        let mut rest = input;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(step().clamp(1, rest.len()));
            stream.push(now, &mut out, &mut findings);
            rest = later;
        }
        stream.finish(&mut out, &mut findings);
        (out, findings)
    }

    fn text(input: &str) -> String {
        String::from_utf8(streamed(input.as_bytes(), || usize::MAX).0).expect("UTF-8 went in")
    }

    #[test]
    fn words_are_decoded_and_other_bytes_pass() {
        for (input, want) in [
            ("", ""),
            ("no words =? here ?=\n", "no words =? here ?=\n"),
            ("a: =?utf-8?Q?=C3=BC?= b\r\nc\n", "a: ü b\r\nc\n"),
            (
                "=?utf-8?B?5pel5pw=?=\r\n =?utf-8?B?rOiqng==?=\r\n\r\nbody",
                "日本語\r\n\r\nbody",
            ),
            ("subject==?koi8-r?Q?=F0?=, next\n", "subject=П, next\n"),
            ("=?utf-8?Q?a\nb?=\n", "=?utf-8?Q?a\nb?=\n"),
            ("=?utf-8?Q?a\n b?=\n", "a b\n"),
            (
                "=?x-gibberish?Q?=FE?=\n =?utf-8?Q?b?=  =?utf-8?Q?c?=\n",
                "=?x-gibberish?Q?=FE?=\n bc\n",
            ),
            ("=?x-gibberish?Q?a?=\n =?utf-8?Q?b?=\n", "ab\n"),
            (
                "from=<=?utf-8?Q?=C3=BC?=@b.example> =?utf-8?Q?=C3=BC?=",
                "from=<=?utf-8?Q?=C3=BC?=@b.example> ü",
            ),
            ("x@=?utf-8?Q?a?=", "x@=?utf-8?Q?a?="),
            ("=?utf-8?Q?a=0D=0AX:_b?=\n", "a  X: b\n"),
            ("=", "="),
            ("=?", "=?"),
            ("=?utf-8?Q?a", "=?utf-8?Q?a"),
            ("=?utf-8?Q?Wer?_Wo?= x", "Wer? Wo x"),
        ] {
            assert_eq!(text(input), want, "{input:?}");
        }
        let raw = b"\xff\0=?utf-8?Q?=C3=BC?=\xfe\n";
        assert_eq!(streamed(raw, || 1).0, b"\xff\0\xc3\xbc\xfe\n");
    }

    #[test]
    fn findings_have_offsets_in_the_stream() {
        let input = b"line\n=?utf-8?Q?=C3=B6=FF?= =?utf-8?Q?ok?=\nx =?koi8-r?B?8A?=\n";
        let (_, findings) = streamed(input, || 3);
        let found: Vec<_> = findings
            .iter()
            .map(|f| (f.kind.code(), &input[f.at.clone()]))
            .collect();
        let want: [(&str, &[u8]); 2] = [
            ("charset.invalid-bytes", b"=?utf-8?Q?=C3=B6=FF?="),
            ("ew.bad-token", b"=?koi8-r?B?8A?="),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn pieces_change_nothing() {
        let pieces: [&[u8]; 24] = [
            b"=?",
            b"?=",
            b"=",
            b"?",
            b" ",
            b"\n",
            b"\r\n ",
            b"\t",
            b"a",
            b"@",
            b"<",
            b"\"",
            b"=?utf-8?Q?=C3?=",
            b"=?utf-8?Q?=BC?=",
            b"=?utf-8?B?w7w=?=",
            b"=?utf-8?B?w7w",
            b"=?koi8-r*ru?Q?=F0",
            b"=?x-no?Q?a?=",
            b"?x?=",
            b"\xff",
            b"\0",
            b"=?iso-2022-jp?B?GyRCRnw=?=",
            b"=?utf-8?Q?a b",
            b"=?u",
        ];
        let mut state = 7_u64;
        let mut below = move |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n as u64) as usize
        };
        for _ in 0..4_000 {
            let input: Vec<u8> = (0..below(12))
                .flat_map(|_| pieces[below(pieces.len())].iter().copied())
                .collect();
            let whole = streamed(&input, || usize::MAX);
            assert_eq!(streamed(&input, || 1), whole, "{}", input.escape_ascii());
            assert_eq!(
                streamed(&input, || 1 + below(7)),
                whole,
                "{}",
                input.escape_ascii()
            );
            // Only white space between words and words themselves may change.
            let again = streamed(&whole.0, || usize::MAX).0;
            if memchr::memmem::find(&input, b"=?").is_none() {
                assert_eq!(whole.0, input);
                assert_eq!(again, input);
            }
        }
    }

    /// Returns output and findings of two pieces, with a limit of `most` bytes for runs.
    fn cut_in_two(input: &[u8], at: usize, most: usize) -> (Vec<u8>, Vec<Finding>) {
        let mut stream = Stream {
            most,
            ..Stream::default()
        };
        let (mut out, mut findings) = (Vec::new(), Vec::new());
        for piece in [&input[..at], &input[at..]] {
            stream.push(piece, &mut out, &mut findings);
        }
        stream.finish(&mut out, &mut findings);
        (out, findings)
    }

    /// Values with raw 8-bit bytes, in words, between them and in lines that are longer than the limit of runs.
    #[test]
    fn no_cut_of_a_value_changes_output_or_findings() {
        let values: [&[u8]; 10] = [
            b"Subject: caf\xE9 =?utf-8?Q?a\xE9?= \xE9\n",
            b"\xE9=?\xE9?Q?a\r\x85=?utf-8?Q?\xA9?=\xE9\xE9<=?utf-8?B?w6k=?==?utf-8?B?w6k\xE9?=\xE9\t=?utf-8?Q?\"\t\x85",
            b"\xC3\xA9,\t=?utf-8?B?w6k\xE9?=)=?utf-8?B?w6k=?=\xE9 \t=?utf-8?B?w6k=?==?utf-8?B?w6k=?==?utf-8?B?x?=y\n",
            b"=?gbk?Q?\xC4\xE3?==?utf-8?B?w6k=?==?utf-8?B?w6k\xE9?==\xA0\xE9\n=?gbk?Q?\xC4\xE3?=\x1B(B)=?x?=y?=\xA4\xA2",
            b"\n=?iso-2022-jp?B?GyRCRnw=?==?utf-8?B?w7w?=?x-no?Q?a?=\t=?\r\n ?=\r\n =?utf-8?Q?=C3?=",
            b"?==?utf-8?B?w7w=?==?utf-8?Q?=C3?==?utf-8?B?w7w=?=\n?=@=?utf-8?B?w7w=?utf-8?Q?=C3?=<@",
            b"=?utf-8?Q?\xC3?= =?utf-8?Q?\xBC?= =?utf-8?Q?\xC3?=\n =?utf-8?Q?\xBC?=\n\n",
            b"=?iso-8859-1?Q?\xE4=E4?=\r\n =?utf-8?Q?\xE9?=@b =?utf-8?Q?\xE9?x\xE9?= \xE9?=\n",
            b"\xE9=?utf-8?Q?x?=y\xE9 z=?utf-8?Q?\xE9?= ?= =?utf-8?Q?a?=\xE9 =?utf-8?Q?b?=",
            b"=?us-ascii?Q?\xE9?=?==?utf-8?\xE9?=?=?utf-8?B?w6k\xE9?==?x?Q?\xE9?==?x?Q?\xE9?=\t=\r\n =?utf-8?B?w6k=?==?x?Q?\xE9?=",
        ];
        for most in [24, 32, 40, 48, 64, MOST] {
            for value in values {
                let whole = cut_in_two(value, 0, most);
                for at in 1..=value.len() {
                    let cut = cut_in_two(value, at, most);
                    assert_eq!(cut, whole, "{at} of {}, {most}", value.escape_ascii());
                }
            }
        }
        // The limit of the program, with a run around its middle and its end.
        let word = b"=?utf-8?Q?\xC3\xBC?=";
        let run = word.repeat(MOST / 2 / word.len() + 2);
        let value = [
            &run[..],
            b"=?utf-8?Q?",
            &b"\xE9".repeat(MOST / 2),
            b"?= \xE9",
        ]
        .concat();
        let whole = cut_in_two(&value, 0, MOST);
        for middle in [MOST / 2, MOST, value.len() - 20] {
            for at in middle - 20..middle + 20 {
                assert!(cut_in_two(&value, at, MOST) == whole, "{at}");
            }
        }
    }

    #[test]
    fn memory_is_bounded() {
        for unit in [
            "=?a?Q?",
            "=?",
            "=?utf-8?Q?a?= ",
            "=?utf-8?Q?",
            "=?a?B?",
            "=?utf-8?Q?a?=",
            "=?utf-8?B?w7w=",
        ] {
            let mut stream = Stream::default();
            let (mut out, mut findings, mut most) = (Vec::new(), Vec::new(), 0);
            let piece = unit.repeat(400);
            for _ in 0..1_000 {
                stream.push(piece.as_bytes(), &mut out, &mut findings);
                most = most.max(stream.buffer.len());
                findings.clear();
            }
            stream.finish(&mut out, &mut findings);
            assert!(
                most <= MOST + STEP + piece.len(),
                "{unit:?}: {most} bytes held"
            );
            if unit.ends_with("a?= ") {
                assert_eq!(
                    out,
                    "a".repeat(400_000)
                        .into_bytes()
                        .into_iter()
                        .chain(*b" ")
                        .collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn long_input_takes_linear_time() {
        for unit in [
            "=?a?Q?",
            "=?",
            "=?utf-8?Q?a?= ",
            "=?utf-8?Q?",
            "=?a?B?",
            "=?utf-8?Q?a?=",
            "=?utf-8?B?w7w=",
        ] {
            assert_linear(&unit, 200_000, |n| {
                let mut stream = Stream::default();
                let (mut out, mut findings) = (Vec::new(), Vec::new());
                for piece in unit.repeat(n).as_bytes().chunks(2_000) {
                    stream.push(piece, &mut out, &mut findings);
                }
                stream.finish(&mut out, &mut findings);
            });
        }
    }
}
