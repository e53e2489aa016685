//! Decodes text in HZ (RFC 1843) that also has lines in another charset.
//!
//! ```text
//! "~{VPNDVPND~}\n\xD6\xD0\xCE\xC4\n"     中文中文, 中文 in GBK
//! "~{VPNDVPND~}\n-- \nJos\xE9\n"          中文中文, José in windows-1252
//! ```
//!
//! # Limits
//! Bytes above 7F within a run are damage. A `~{` that begins no run stays as it is.

use super::mixed_text::{MixedText, RestCharset, decode_into, gaps, join};
use mailglot_codec::detect::{HzRun, hz_runs};
use mailglot_codec::{Charset, LossLog, detect};
use std::ops::Range;

/// Decodes the whole runs as HZ, and all other bytes in the charset that `find` chooses, which must decode all of them.
pub(crate) fn in_hz(bytes: &[u8], find: impl FnOnce(&[u8]) -> RestCharset) -> Option<MixedText> {
    let runs: Vec<Range<usize>> = hz_runs(bytes)
        .filter_map(|run| match run {
            HzRun::Whole(at) => Some(at),
            HzRun::Broken(_) => None,
        })
        .collect();
    let first = runs.first()?.start;
    let others = gaps(runs.iter().cloned(), bytes.len());
    let other = find(&join(bytes, &others));
    let (mut text, mut log) = (String::with_capacity(bytes.len()), LossLog::new());
    for (nth, at) in others.iter().enumerate() {
        decode_into(&mut text, &mut log, other.charset, bytes, at.clone());
        if let Some(run) = runs.get(nth) {
            Charset::HZ_GB_2312.decode_into(&bytes[run.clone()], &mut text, &mut log);
        }
    }
    (log.losses() == 0).then_some(MixedText {
        text,
        log: LossLog::new(),
        runs: runs.len(),
        first,
        other,
        further: Vec::new(),
        run_charset: Some(Charset::HZ_GB_2312),
    })
}

/// Returns true if bytes above 7F stand within runs of HZ, and few elsewhere: they are damage.
pub(crate) fn is_hz_with_losses(bytes: &[u8]) -> bool {
    /// Characters that outweigh one damaged byte.
    const CHARACTERS_FOR_LOSS: usize = 4;
    let is_damaged = |run: HzRun| match run {
        HzRun::Whole(_) => false,
        HzRun::Broken(at) => !bytes[at].is_ascii(),
    };
    hz_runs(bytes).any(is_damaged)
        && detect::high_bytes(bytes).count() * CHARACTERS_FOR_LOSS <= detect::hz_characters(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHINESE: &[u8] = b"~{VPNDVPND~}\n";

    fn read(after: &[u8], charset: Charset) -> Option<String> {
        let bytes = [CHINESE, after].concat();
        let other = RestCharset::named(charset);
        in_hz(&bytes, |_| other).map(|mixed| mixed.text)
    }

    #[test]
    fn lines_in_another_charset_are_decoded() {
        for (after, charset, want) in [
            (&b"\xD6\xD0\xCE\xC4\n"[..], Charset::GBK, "中文\n"),
            (
                b"x ~{ y \xE9 ~{!!~}\n",
                Charset::WINDOWS_1252,
                "x ~{ y é \u{3000}\n",
            ),
        ] {
            let want = ["中文中文\n", want].concat();
            assert_eq!(read(after, charset), Some(want));
        }
        assert_eq!(read(b"\xD6\n", Charset::GBK), None);
    }

    #[test]
    fn runs_take_linear_time() {
        for unit in ["~{", "~{a", "~{VP", "~{VPND~} ~{a", "~{VPND~}", "~{~}", "~"] {
            crate::linear::assert_linear(&unit, 50_000, |n| {
                let bytes = unit.repeat(n);
                assert!(hz_runs(bytes.as_bytes()).count() <= bytes.len());
                let _ = detect::hz_characters(bytes.as_bytes());
            });
        }
    }

    #[test]
    fn bytes_within_a_run_are_damage() {
        let damaged = [CHINESE, b"~{VPNDVPNDVPND~}\n~{VP\xFFND~}\n"].concat();
        assert!(is_hz_with_losses(&damaged));
        assert!(!is_hz_with_losses(&[CHINESE, b"\xFF\n"].concat()));
        assert!(!is_hz_with_losses(&[CHINESE, b"~{VP\xFFND~}\n"].concat()));
    }
}
