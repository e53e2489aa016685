//! Compares what several threads read of a compressed file with what one thread reads. For tests.
//!
//! # Limits
//! None.

use std::io::{self, Cursor, Read};
use std::path::Path;

use super::through_on;

/// Numbers of threads to compare with one.
const THREADS: [usize; 2] = [2, 5];

/// Output, events, and the error at the end.
pub(super) type Outcome = (Vec<u8>, Vec<String>, Option<String>);

/// Returns a block of a long run, which decompresses quickly. Other threads begin after it.
pub(super) fn run() -> Vec<u8> {
    vec![b'a'; 70_000]
}

/// Returns `count` blocks of random words, of 1 to `most` bytes.
pub(super) fn words(count: u32, most: u32) -> Vec<Vec<u8>> {
    let mut state = count;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let mut block = || {
        let len = 1 + next() % most;
        (0..len).map(|_| b'a' + (next() % 19) as u8).collect()
    };
    (0..count).map(|_| block()).collect()
}

/// Reads `step` bytes at a time.
fn read(input: impl Read + Send + 'static, threads: usize, step: usize, limit: u64) -> Outcome {
    let mut inside = through_on(Path::new("box"), input, limit, threads).unwrap();
    let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
    let error = loop {
        match inside.read(&mut buffer) {
            Ok(0) => break None,
            Ok(read) => out.extend_from_slice(&buffer[..read]),
            Err(error) => break Some(error.to_string()),
        }
    };
    let events = inside.defects.take();
    let events = events
        .iter()
        .map(|event| format!("{} {} {:?}", event.kind.code(), event.offset, event.detail));
    (out, events.collect(), error)
}

/// Checks that a file is read alike by every number of threads, and returns the outcome.
pub(super) fn read_alike(bytes: &[u8], what: &str) -> Outcome {
    let expected = read(Cursor::new(bytes.to_vec()), 1, 3000, 200);
    for threads in THREADS {
        let outcome = read(Cursor::new(bytes.to_vec()), threads, 3000, 200);
        assert_eq!(outcome.1, expected.1, "{what}, {threads} threads");
        assert!(outcome == expected, "{what}, {threads} threads");
    }
    expected
}

/// Checks that a file without damage is read alike, also twice with zeros behind each, and with other bytes behind it.
pub(super) fn whole_alike(bytes: &[u8], text: &[u8], what: &str) {
    let outcome = read_alike(bytes, what);
    assert!(outcome == (text.to_vec(), Vec::new(), None), "{what}");
    let zeros = [bytes, &[0; 700], bytes, b"\0\0"].concat();
    let outcome = read_alike(&zeros, &format!("{what} with zeros"));
    assert!(outcome.0 == text.repeat(2) && outcome.1.len() == 2);
    let more = [bytes, b"more", bytes].concat();
    assert_eq!(read_alike(&more, &format!("{what} and more")).1.len(), 1);
}

/// Checks that a truncated file is read alike. A longer one gives more output.
pub(super) fn truncate_alike(bytes: &[u8], text: &[u8], mut cuts: Vec<usize>, what: &str) {
    cuts.sort_unstable();
    let mut longest = 0;
    for cut in cuts {
        let outcome = read_alike(&bytes[..cut], &format!("{what} cut at {cut}"));
        assert!(text.starts_with(&outcome.0) && outcome.0.len() >= longest);
        longest = outcome.0.len();
    }
}

/// Returns few bytes at once, and an error at its end.
struct SlowInput(Cursor<Vec<u8>>, usize);

impl Read for SlowInput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(into.len());
        match self.0.read(&mut into[..most])? {
            0 => Err(io::ErrorKind::TimedOut.into()),
            read => Ok(read),
        }
    }
}

/// Checks that a file which cannot be read to its end is read alike, and without an event.
pub(super) fn fail_alike(bytes: &[u8], text: &[u8]) {
    let end = bytes.len();
    for cut in [end, end - 1, end - 300, end / 2, end / 3] {
        for chunk in [1, 7, 100, 1 << 20] {
            let input = || SlowInput(Cursor::new(bytes[..cut].to_vec()), chunk);
            for step in [1 << 10, 1 << 20] {
                let expected = read(input(), 1, step, 200);
                assert!(
                    expected.1.is_empty() && expected.2.is_some(),
                    "{expected:?}"
                );
                assert!(text.starts_with(&expected.0));
                for threads in THREADS {
                    assert!(
                        read(input(), threads, step, 200) == expected,
                        "{cut} {chunk}"
                    );
                }
            }
        }
    }
}

/// Checks that reading stops at a limit on the expansion alike. The file must exceed it.
pub(super) fn expand_alike(bytes: &[u8], limit: u64) {
    let limited = |threads| read(Cursor::new(bytes.to_vec()), threads, 1 << 16, limit);
    let expected = limited(1);
    assert!(expected.1[0].starts_with("box.expansion") && expected.0.len() > 64 << 20);
    for threads in THREADS {
        let outcome = limited(threads);
        assert_eq!(outcome.1, expected.1, "{threads} threads");
        assert!(outcome == expected);
    }
}
