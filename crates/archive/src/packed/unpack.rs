//! Reading through compression, and past what is wrong with it.
//!
//! A compressed file is a row of members (gzip), frames (zstd) or streams (bzip2, xz). Zero bytes between them and behind the last one are what tapes and file
//! systems leave; anything else behind them is left out, as gzip(1) does. Of a member that is damaged or cut off everything before the
//! damage is given. All of that is told with offsets in the compressed file.
//!
//! # Limits
//! Behind damage inside a member nothing is searched for: the rest of the file is counted. A member whose checksum alone is wrong is given as it
//! was read, and reading goes on behind it; in the other forms such a member is the last one.

use std::io::{self, Read};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use super::Packing;
use super::input::Input;
use super::member::{self, Member};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, CompressionDefect};

/// Bytes that are unpacked at once: what a decoder made in the step that met damage is lost.
const STEP: usize = 16 << 10;
/// Bytes that tell a form.
const BEGINNING: usize = 16;
/// Bytes that may come out however few went in: less than a second's work, and less than any disk has free.
const FREE: u64 = 64 << 20;

/// What was found to be wrong; filled while reading goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(Arc<Mutex<Vec<BoxEvent>>>);

impl Told {
    fn event(&self, kind: BoxEventKind, offset: u64, detail: BoxDetail) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(BoxEvent::new(kind, offset, detail));
    }

    /// Gives what is told so far, once.
    pub(crate) fn take(&self) -> Vec<BoxEvent> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What is inside a compressed stream.
pub(super) struct Unpack<R: Read> {
    state: State<R>,
    packing: Packing,
    told: Told,
    /// Bytes that came out.
    given: u64,
    /// How many times as many may come out as went in.
    expansion: u64,
}

enum State<R: Read> {
    /// Before a member, or at the end.
    Between(Input<R>),
    Inside(Member<R>),
    Over,
}

impl<R: Read> Unpack<R> {
    /// Begins before the first member.
    pub(super) fn new(input: Input<R>, packing: Packing, expansion: u64) -> Self {
        Self {
            state: State::Between(input),
            packing,
            told: Told::default(),
            given: 0,
            expansion,
        }
    }

    /// Where it is told what is wrong.
    pub(super) fn told(&self) -> Told {
        self.told.clone()
    }

    /// Goes on behind a member.
    fn begin(&mut self) -> io::Result<()> {
        let State::Between(input) = &mut self.state else {
            return Ok(());
        };
        let start = input.offset();
        let zeros = input.skip_zeros()?;
        let beginning = input.peek(BEGINNING)?;
        let (at_end, goes_on) = (
            beginning.is_empty(),
            Packing::of(beginning) == Some(self.packing),
        );
        let defect = if !at_end && !goes_on {
            input.skip_all()?;
            Some(CompressionDefect::BytesBehind(input.offset() - start))
        } else if zeros > 0 && at_end {
            Some(CompressionDefect::ZerosBehind(zeros))
        } else if zeros > 0 {
            Some(CompressionDefect::ZerosInside(zeros))
        } else {
            None
        };
        if let Some(defect) = defect {
            self.report(BoxEventKind::TrailingBytes, start, defect);
        }
        let State::Between(input) = mem::replace(&mut self.state, State::Over) else {
            return Ok(());
        };
        if goes_on {
            self.state = State::Inside(Member::new(self.packing, input)?);
        }
        Ok(())
    }

    /// Takes the input back from a decoder.
    fn end_member(&mut self) {
        self.state = match mem::replace(&mut self.state, State::Over) {
            State::Inside(member) => State::Between(member.into_input()),
            state => state,
        };
    }

    /// Ends here where too much came out for what went in.
    fn bound(&mut self) {
        let State::Inside(member) = &self.state else {
            return;
        };
        let offset = member.input().offset();
        if self.given <= FREE || self.given <= offset.saturating_mul(self.expansion) {
            return;
        }
        let defect = CompressionDefect::Expansion {
            limit: self.expansion,
            given: self.given,
        };
        self.report(BoxEventKind::Expansion, offset, defect);
        self.state = State::Over;
    }

    /// True when the error of a decoder is one of reading the file.
    fn is_of_file(&self) -> bool {
        match &self.state {
            State::Inside(member) => member.input().failed(),
            State::Between(_) | State::Over => true,
        }
    }

    /// Tells of a member that cannot be read on, and goes on behind it where its end is known.
    fn damaged(&mut self, error: &io::Error) -> io::Result<()> {
        let ended = match &mut self.state {
            State::Inside(member) => member.has_ended(),
            State::Between(_) | State::Over => false,
        };
        self.end_member();
        let State::Between(input) = &mut self.state else {
            return Ok(());
        };
        let at = input.offset();
        if !ended {
            input.skip_all()?;
        }
        let left = input.offset() - at;
        let given = self.given;
        let defect = if error.kind() == io::ErrorKind::UnexpectedEof {
            CompressionDefect::CutOff { given }
        } else {
            CompressionDefect::Damaged {
                error: error.to_string(),
                given,
                left: (!ended).then_some(left),
            }
        };
        self.report(BoxEventKind::Damaged, at, defect);
        Ok(())
    }

    fn report(&self, kind: BoxEventKind, offset: u64, defect: CompressionDefect) {
        let packing = self.packing;
        self.told
            .event(kind, offset, BoxDetail::Compressed { packing, defect });
    }
}

impl<R: Read> Read for Unpack<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(STEP);
        let into = &mut into[..most];
        while !into.is_empty() {
            let read = match &mut self.state {
                State::Between(_) => {
                    self.begin()?;
                    continue;
                }
                State::Inside(member) => member.read(into),
                State::Over => break,
            };
            match read {
                Ok(0) => self.end_member(),
                Ok(read) => {
                    self.given += read as u64;
                    self.bound();
                    return Ok(read);
                }
                Err(error) if self.is_of_file() || member::is_of_memory(&error) => {
                    return Err(error);
                }
                Err(error) => self.damaged(&error)?,
            }
        }
        Ok(0)
    }
}
