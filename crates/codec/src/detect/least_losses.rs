//! Counts the losses that a multi-byte charset has at least, without decoding.
//!
//! In these charsets a character above 7F has two or four bytes. So a run of an odd number of bytes above 7F loses one. It loses none if the
//! ASCII byte behind it is the second byte of a character.
//!
//! # Limits
//! Counts nothing for Shift_JIS and others that have characters of one byte above 7F.

use crate::charset::Charset;

/// Returns a number of losses of `sample` in a charset that lenient decoding never falls below.
pub(super) fn least_losses(charset: Charset, sample: &[u8]) -> u64 {
    let may_end = match charset {
        // No second byte is ASCII.
        Charset::EUC_JP | Charset::EUC_TW => |_: u8| true,
        // The ASCII bytes that are second bytes begin at 30, the digits of GB18030.
        Charset::GBK | Charset::BIG5 | Charset::WINDOWS_949 | Charset::JOHAB => |next| next < 0x30,
        _ => return 0,
    };
    // 80 is the euro sign in GBK. Three bytes that begin with 8F are a character of EUC-JP.
    let may_be_odd = |byte: &u8| matches!(byte, 0x80 | 0x8F);
    let mut losses = 0;
    let mut at = 0;
    while let Some(start) = sample[at..].iter().position(|byte| *byte >= 0x80) {
        let run = &sample[at + start..];
        let Some(length) = run.iter().position(u8::is_ascii) else {
            break;
        };
        let is_lost =
            length % 2 == 1 && may_end(run[length]) && !run[..length].iter().any(may_be_odd);
        losses += u64::from(is_lost);
        at += start + length;
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossLog;

    #[test]
    fn decoding_never_loses_less() {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut counted = [0; 7];
        for _ in 0..4_000 {
            // Runs of bytes above 7F from a part of that range, between ASCII bytes.
            let (low, width) = (0x80 + random(0x60), 1 + random(0x20));
            let mut sample = Vec::new();
            while sample.len() < 60 {
                for _ in 0..=random(5) {
                    sample.push((low + random(width)) as u8);
                }
                sample.push([b' ', b'e', b'0', b'\n', b'-', b'~'][random(6) as usize]);
            }
            for (charset, counted) in [
                Charset::EUC_JP,
                Charset::EUC_TW,
                Charset::GBK,
                Charset::BIG5,
                Charset::WINDOWS_949,
                Charset::JOHAB,
                Charset::SHIFT_JIS,
            ]
            .into_iter()
            .zip(&mut counted)
            {
                let mut log = LossLog::with_limit(0);
                charset.decode(&sample, &mut log);
                let least = least_losses(charset, &sample);
                assert!(
                    least <= log.losses(),
                    "{charset}: {}",
                    sample.escape_ascii()
                );
                *counted += least;
            }
        }
        assert!(
            counted[..6].iter().all(|counted| *counted > 10_000),
            "{counted:?}"
        );
        assert_eq!(counted[6], 0);
    }
}
