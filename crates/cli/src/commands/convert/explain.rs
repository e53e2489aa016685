//! `--explain`: prints each loss with its byte range, its kind, its context, and its replacement.
//!
//! ```text
//! letter.txt: bytes 4..5: invalid as Shift_JIS, written: U+FFFD
//!     93 FA 96 7B [FF] 61 62 63    日本[�]abc
//! text, bytes 2..5: unmappable in ISO-8859-1, written: 3F "?"
//!     U+20AC    5 [€] pro Stück
//! ```
//!
//! # Limits
//!
//! Decodes the context of a loss from a few bytes before it, so a character that is cut there may be shown as U+FFFD. Adjacent losses of one
//! kind are printed as one, within pieces of 64 KiB. Each piece is read completely before it is converted.

use super::conversion_error::OnMalformed;
use crate::output::{Console, visible};
use mailglot_codec::{Charset, Encoder, Loss, LossKind, LossLog, Mode, Unmappable};
use std::ops::Range;

/// Bytes shown before and after a loss.
const AROUND: u64 = 12;
/// Bytes shown of a long loss.
const MOST: usize = 24;
/// Characters of text shown before and after one that cannot be written.
const CHARACTERS: usize = 16;

/// Returns true if a defect ends strict decoding: all but notes.
pub(super) fn ends(kind: LossKind) -> bool {
    !kind.is_info() && kind != LossKind::ByteOrderMark
}

/// Prints bytes that could not be decoded. A loss waits until its context behind it has arrived.
#[derive(Debug)]
pub(super) struct LossReporter<'a> {
    console: Console,
    file: &'a str,
    from: Charset,
    on_malformed: OnMalformed,
    /// The last bytes of the input.
    window: Vec<u8>,
    /// Offset of the first byte of the window.
    start: u64,
    waiting: Vec<Loss>,
}

impl<'a> LossReporter<'a> {
    pub(super) fn new(
        console: Console,
        file: &'a str,
        from: Charset,
        on_malformed: OnMalformed,
    ) -> Self {
        Self {
            console,
            file,
            from,
            on_malformed,
            window: Vec::new(),
            start: 0,
            waiting: Vec::new(),
        }
    }

    /// Adds the next bytes and their losses.
    pub(super) fn push(&mut self, bytes: &[u8], losses: &[Loss]) {
        self.window.extend_from_slice(bytes);
        self.waiting.extend_from_slice(losses);
        let end = self.start + self.window.len() as u64;
        let ready = self
            .waiting
            .iter()
            .take_while(|loss| loss.bytes.end + AROUND <= end)
            .count();
        self.print(ready);
        // A later loss may begin some bytes before the last ones.
        let first = self
            .waiting
            .first()
            .map_or(end, |loss| loss.bytes.start)
            .saturating_sub(8 * AROUND);
        let passed = usize::try_from(first.saturating_sub(self.start)).unwrap_or(0);
        self.window.drain(..passed.min(self.window.len()));
        self.start += passed as u64;
    }

    /// Prints the loss that stops the conversion, and all losses before it.
    pub(super) fn stop(&mut self, bytes: &[u8], loss: &Loss) {
        self.push(bytes, std::slice::from_ref(loss));
        self.print(self.waiting.len());
    }

    /// Prints the losses that still wait, at the end of the input.
    pub(super) fn finish(&mut self, losses: &[Loss]) {
        self.push(&[], losses);
        self.print(self.waiting.len());
    }

    fn print(&mut self, count: usize) {
        let waiting = std::mem::take(&mut self.waiting);
        let (ready, later) = waiting.split_at(count);
        for loss in ready {
            self.print_one(loss);
        }
        self.waiting = later.to_vec();
    }

    fn print_one(&self, loss: &Loss) {
        let written = match self.on_malformed {
            OnMalformed::Stop if ends(loss.kind) => "nothing, the work stops here".to_owned(),
            _ if loss.replaced == 0 => "the text as read".to_owned(),
            OnMalformed::Replace if loss.replaced > 1 => format!("{} times U+FFFD", loss.replaced),
            OnMalformed::Replace => "U+FFFD".to_owned(),
            OnMalformed::Stop | OnMalformed::Skip => "nothing".to_owned(),
        };
        let Range { start, end } = loss.bytes;
        let (file, kind, from) = (visible(self.file), loss.kind.name(), self.from.name());
        self.console.say(format_args!(
            "{file}: bytes {start}..{end}: {kind} as {from}, written: {written}"
        ));
        // Units of two and four bytes begin at multiples of four.
        let before = self.cut(start.saturating_sub(AROUND) / 4 * 4, start);
        let (lost, after) = (self.cut(start, end), self.cut(end, end + AROUND));
        let text = |bytes: &[u8]| {
            let text = self
                .from
                .decode(bytes, &mut LossLog::with_limit(0))
                .into_owned();
            visible(&text).into_owned()
        };
        let shown = &lost[..lost.len().min(MOST)];
        self.console.say(format_args!(
            "    {}[{}{}]{}    {}[{}]{}",
            if before.is_empty() {
                String::new()
            } else {
                hex(before) + " "
            },
            hex(shown),
            if lost.len() > MOST { " …" } else { "" },
            if after.is_empty() {
                String::new()
            } else {
                " ".to_owned() + &hex(after)
            },
            text(before),
            text(shown),
            text(after)
        ));
    }

    /// Returns the bytes of the window between two offsets, clipped to the window.
    fn cut(&self, from: u64, to: u64) -> &[u8] {
        let at =
            |offset: u64| usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let (from, to) = (
            at(from).min(self.window.len()),
            at(to).min(self.window.len()),
        );
        &self.window[from..to]
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Prints characters that could not be encoded, or were replaced.
#[derive(Debug)]
pub(super) struct UnmappableReporter {
    console: Console,
    to: Charset,
    /// `None` stops the conversion.
    unmappable: Option<Unmappable>,
    /// The name of the input if there are several, and the offset at which its text begins.
    name: String,
    begin: u64,
    /// Text before the piece that is written.
    before: String,
}

impl UnmappableReporter {
    pub(super) fn new(console: Console, to: Charset, unmappable: Option<Unmappable>) -> Self {
        Self {
            console,
            to,
            unmappable,
            name: String::new(),
            begin: 0,
            before: String::new(),
        }
    }

    /// Begins the text of another input at `offset` of the whole text.
    pub(super) fn begin(&mut self, name: Option<&str>, offset: u64) {
        self.name = name
            .map(|name| format!("{}: ", visible(name)))
            .unwrap_or_default();
        self.begin = offset;
    }

    /// Adds a piece of text that begins at `offset` of the whole text, and prints its losses.
    pub(super) fn push(&mut self, piece: &str, offset: u64, log: &LossLog) {
        let before = std::mem::take(&mut self.before);
        let start = offset - before.len() as u64;
        let text = before + piece;
        for loss in log.kept() {
            let at =
                |offset: u64| usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX);
            let (from, to) = (at(loss.bytes.start), at(loss.bytes.end));
            if let Some(lost) = text.get(from..to) {
                self.print(loss, &text[..from], lost, &text[to..]);
            }
        }
        let keep = text
            .char_indices()
            .rev()
            .nth(CHARACTERS)
            .map_or(0, |(at, _)| at);
        text[keep..].clone_into(&mut self.before);
    }

    fn print(&self, loss: &Loss, before: &str, lost: &str, after: &str) {
        let written = if self.unmappable.is_none() && loss.kind == LossKind::Unmappable {
            "nothing, the work stops here".to_owned()
        } else {
            self.written(lost)
        };
        self.console.say(format_args!(
            "{}text, bytes {}..{}: {} in {}, written: {written}",
            self.name,
            loss.bytes.start.saturating_sub(self.begin),
            loss.bytes.end.saturating_sub(self.begin),
            loss.kind.name(),
            self.to.name(),
        ));
        let points: Vec<_> = lost
            .chars()
            .map(|c| format!("U+{:04X}", c as u32))
            .collect();
        let from = before
            .char_indices()
            .rev()
            .nth(CHARACTERS - 1)
            .map_or(0, |(at, _)| at);
        let to = after
            .char_indices()
            .nth(CHARACTERS)
            .map_or(after.len(), |(at, _)| at);
        self.console.say(format_args!(
            "    {}    {}[{}]{}",
            points.join(" "),
            visible(&before[from..]),
            visible(lost),
            visible(&after[..to])
        ));
    }

    /// The bytes that stand for a text, and what they are read as.
    fn written(&self, lost: &str) -> String {
        let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(0));
        let mut encoder = encoder(self.to, self.unmappable.clone());
        encoder.push(lost, &mut bytes, &mut log);
        encoder.finish(&mut bytes, &mut log);
        if bytes.is_empty() {
            return "nothing".to_owned();
        }
        let mut text = String::new();
        let mut decoder = self.to.new_decoder(Mode::Strict);
        decoder.push(&bytes, &mut text, &mut log);
        decoder.finish(&mut text, &mut log);
        format!("{} \"{}\"", hex(&bytes), visible(&text))
    }
}

/// Returns an encoder that replaces characters that the charset lacks, or without a replacement stops before them.
pub(super) fn encoder(charset: Charset, unmappable: Option<Unmappable>) -> Encoder {
    match unmappable {
        Some(unmappable) => charset.new_strict_encoder(unmappable),
        None => charset.new_exact_encoder(Mode::Strict),
    }
}
