//! Time is linear in the input, for decoders and encoders.

use crate::inputs::CORNERS;
use mailglot_codec::{Charset, LossLog, Mode, Unmappable};
use mailglot_fuzz::Clock;
use std::hint::black_box;
use std::time::Duration;

/// Texts that make encoders switch, hold back, or replace.
const TEXTS: &[&str] = &[
    "+",
    "é",
    "日a",
    "a\u{1F600}",
    "\u{A5}~",
    "か\u{309A}",
    "e\u{301}",
    "\u{FFFD}",
    "ｱ\n",
    "한~",
];

/// Units of the larger input.
const MANY: usize = 20_000;
/// What takes less than this cannot be much more than linear.
const SHORT: Duration = Duration::from_millis(20);

/// Ten times the input in at most thirty times the time, or in next to none; measured again before it is believed.
fn is_linear(work: impl Fn(usize)) -> Option<String> {
    let time = |n| -> Duration {
        let begin = Clock::start();
        work(n);
        begin.elapsed()
    };
    let mut seen = String::new();
    for _ in 0..5 {
        let large = time(MANY);
        if large < SHORT {
            return None;
        }
        let small = time(MANY / 10);
        if large < small * 30 + SHORT {
            return None;
        }
        seen = format!("{small:?} for {}, {large:?} for {MANY}", MANY / 10);
    }
    Some(seen)
}

#[test]
fn of_decoding() {
    let more: &[&[u8]] = &[
        b"a\xE9",
        b"\x1b$B$\n",
        b"\x0e\x0f",
        b"~{",
        b"\0",
        b"\x8F\xA1",
        b"+AAAA",
        b"\x81",
    ];
    let charsets = Charset::all().filter(|c| !c.is_single_byte());
    for (turn, charset) in charsets.enumerate() {
        for (at, unit) in CORNERS
            .iter()
            .copied()
            .chain(more.iter().copied())
            .enumerate()
        {
            // Each of them to a third of the charsets in each mode: several share a machine.
            let mode = match (turn + at) % 3 {
                0 => Mode::Lenient,
                1 => Mode::Strict,
                _ => continue,
            };
            let fault = is_linear(|n| {
                let (mut text, mut log) = (String::new(), LossLog::new());
                let mut decoder = charset.new_decoder(mode);
                decoder.push(&unit.repeat(n), &mut text, &mut log);
                decoder.finish(&mut text, &mut log);
                black_box((text, log));
            });
            assert!(fault.is_none(), "{charset} {mode:?} {unit:x?}: {fault:?}");
        }
    }
}

#[test]
fn of_encoding() {
    for (turn, charset) in Charset::all().enumerate() {
        for (at, unit) in TEXTS.iter().enumerate() {
            // Single-byte charsets share one machine: each encodes a fifth of the texts.
            if charset.is_single_byte() && (turn + at) % 5 != 0 {
                continue;
            }
            let fault = is_linear(|n| {
                black_box(charset.encode(
                    &unit.repeat(n),
                    Unmappable::HtmlDecimal,
                    &mut LossLog::new(),
                ));
            });
            assert!(fault.is_none(), "{charset} {unit:?}: {fault:?}");
        }
    }
}
