//! Writes log lines to a descriptor whose reader may have stopped.
//!
//! A reporting thread writes its lines itself while the descriptor is ready. If it is not ready for a second, a background thread takes over,
//! and no reporting thread waits any more. Lines are buffered up to a limit. Lines beyond it are counted. Their number is logged when the reader
//! continues.
//!
//! # Limits
//! Another program that writes into the same pipe may fill it between `poll` and `write`. Then a write of at most [`ATOMIC`] bytes waits for
//! the reader, and other reporting threads wait for at most a second. Lines that are still buffered when the program ends are lost.

use super::{Form, LogLine, Priority};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Number of bytes that a ready pipe accepts as a whole (`PIPE_BUF` of POSIX; the value of Linux).
const ATOMIC: usize = 4_096;
/// Longest wait of all reporting threads together for a descriptor that is not ready.
const PATIENCE: Duration = Duration::from_secs(1);
/// Size limit of the buffer in bytes.
const COLLECTED: usize = 1 << 20;

/// Writes whole log lines.
#[derive(Debug)]
pub struct LogWriter {
    shared: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    to: File,
    form: Form,
    state: Mutex<WriterState>,
    /// Notified when a write has ended.
    free: Condvar,
}

#[derive(Debug, Default)]
struct WriterState {
    /// True while a thread writes.
    writing: bool,
    /// Number of threads that wait for the end of that write.
    waiting: usize,
    /// True while the background thread writes the buffer. Then no other thread writes or waits.
    behind: bool,
    /// The buffer of the background thread.
    collected: Vec<u8>,
    /// Number of lines that did not fit into the buffer, and the number of those that were not reported yet.
    lost: u64,
    untold: u64,
}

impl LogWriter {
    /// Makes a writer of lines of this form to a descriptor.
    pub fn new(to: OwnedFd, form: Form) -> Self {
        let inner = Inner {
            to: to.into(),
            form,
            state: Mutex::default(),
            free: Condvar::new(),
        };
        Self {
            shared: Arc::new(inner),
        }
    }

    /// Makes a writer to standard error.
    ///
    /// # Errors
    /// The descriptor cannot be duplicated.
    pub fn stderr(form: Form) -> io::Result<Self> {
        Ok(Self::new(io::stderr().as_fd().try_clone_to_owned()?, form))
    }

    /// Waits until everything is written, for at most a second.
    pub fn finish(&self) {
        let end = Instant::now() + PATIENCE;
        let mut state = self.shared.state();
        while state.writing || state.behind {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.shared.wait(state, left);
        }
    }

    /// Writes whole lines, each with its line end, after all lines before. Waits for at most a second.
    pub fn write(&self, lines: &str) {
        self.shared.write(lines.as_bytes());
    }

    /// Returns how many lines were lost because nobody read.
    pub fn lost(&self) -> u64 {
        self.shared.state().lost
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(self: &Arc<Self>, mut lines: &[u8]) {
        let end = Instant::now() + PATIENCE;
        let mut state = self.state();
        while state.writing && !state.behind {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.wait(state, left);
        }
        // If no thread could be started before, it is tried again.
        if !state.writing && !state.behind && state.collected.is_empty() {
            state.writing = true;
            drop(state);
            lines = self.write_at_once(lines, end);
            state = self.state();
            state.writing = false;
            // Lines of threads that waited meanwhile follow.
            state.collected.splice(..0, lines.iter().copied());
        } else {
            state.collect(lines);
        }
        if !state.behind && !state.collected.is_empty() {
            state.behind = self.start();
        }
        self.wake(&state);
    }

    /// Waits until the end of a write is notified, or until the time limit.
    fn wait<'s>(
        &'s self,
        mut state: MutexGuard<'s, WriterState>,
        time: Duration,
    ) -> MutexGuard<'s, WriterState> {
        state.waiting += 1;
        let mut state = self
            .free
            .wait_timeout(state, time)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        state.waiting -= 1;
        state
    }

    fn wake(&self, state: &WriterState) {
        if state.waiting > 0 {
            self.free.notify_all();
        }
    }

    /// Writes while the descriptor is ready, until `end` at the latest. Returns the bytes that are left.
    fn write_at_once<'t>(&self, mut text: &'t [u8], end: Instant) -> &'t [u8] {
        while !text.is_empty() {
            match self.is_ready(end) {
                // The reader has closed it.
                Err(_) => return &[],
                Ok(false) => return text,
                Ok(true) => match (&self.to).write(&text[..piece(text)]) {
                    Ok(0) => return &[],
                    Ok(count) => text = &text[count..],
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return text,
                    Err(_) => return &[],
                },
            }
        }
        text
    }

    /// Returns true if the descriptor is ready at once or before `end`.
    fn is_ready(&self, end: Instant) -> io::Result<bool> {
        let mut left = Duration::ZERO;
        loop {
            let time = Timespec {
                tv_sec: left.as_secs().cast_signed(),
                tv_nsec: left.subsec_nanos().into(),
            };
            match poll(&mut [PollFd::new(&self.to, PollFlags::OUT)], Some(&time)) {
                Ok(0) => (),
                Ok(_) => return Ok(true),
                Err(Errno::INTR) => (),
                Err(error) => return Err(error.into()),
            }
            left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
        }
    }

    /// Starts the background thread. Returns false if it cannot be started; the next write tries again.
    fn start(self: &Arc<Self>) -> bool {
        let twin = Arc::clone(self);
        thread::Builder::new()
            .name("log".into())
            .spawn(move || twin.work())
            .is_ok()
    }

    /// Writes the buffer, however long that takes.
    fn work(&self) {
        loop {
            let mut state = self.state();
            while state.writing {
                state = self.wait(state, PATIENCE);
            }
            let text = state.next(self.form);
            if text.is_empty() {
                state.behind = false;
                self.wake(&state);
                return;
            }
            drop(state);
            let mut rest = &text[..];
            while !rest.is_empty() {
                // The write blocks this thread only. A non-blocking descriptor is polled instead.
                match (&self.to).write(&rest[..piece(rest)]) {
                    Ok(0) => break,
                    Ok(count) => rest = &rest[count..],
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        let _ = self.is_ready(Instant::now() + PATIENCE);
                    }
                    Err(_) => break,
                }
            }
        }
    }
}

impl WriterState {
    /// Buffers whole lines, as many as fit.
    fn collect(&mut self, lines: &[u8]) {
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            if self.untold == 0 && self.collected.len() + line.len() <= COLLECTED {
                self.collected.extend_from_slice(line);
            } else {
                // No line after a lost one is buffered, so the gap is in one place, and its length is logged there.
                self.lost += 1;
                self.untold += 1;
            }
        }
    }

    /// Returns the text to write next: the buffer, then the number of lost lines.
    fn next(&mut self, form: Form) -> Vec<u8> {
        let text = std::mem::take(&mut self.collected);
        match std::mem::take(&mut self.untold) {
            0 => text,
            untold if text.is_empty() => (LogLine::behind(String::new(), form, Priority::Warning)
                .text("fault", "log-lost")
                .number("lines", untold)
                .finish()
                + "\n")
                .into_bytes(),
            untold => {
                self.untold = untold;
                text
            }
        }
    }
}

/// Returns the number of bytes to write at a time: whole lines if one ends within [`ATOMIC`] bytes.
fn piece(text: &[u8]) -> usize {
    let most = &text[..text.len().min(ATOMIC)];
    if most.len() == text.len() {
        return most.len();
    }
    memchr::memrchr(b'\n', most).map_or(most.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::{BufRead, BufReader, PipeReader, Read, pipe};

    fn writer() -> (PipeReader, LogWriter) {
        let (reader, writer) = pipe().unwrap();
        (reader, LogWriter::new(writer.into(), Form::Text))
    }

    /// Numbered lines of a kilobyte.
    fn line(number: usize) -> String {
        format!("{number:<1023}\n")
    }

    #[test]
    fn the_calling_thread_writes_its_lines_in_order() {
        let (mut reader, writer) = writer();
        for number in 0..40 {
            let text = format!("line {number}\n").repeat(number);
            writer.write(&text);
            // The line has arrived when `write` returns, without another thread.
            let mut came = vec![0; text.len()];
            reader.read_exact(&mut came).unwrap();
            assert_eq!(came, text.as_bytes());
            assert!(!writer.shared.state().behind);
        }
        assert_eq!(writer.lost(), 0);
    }

    #[test]
    fn a_stopped_reader_delays_no_writer_and_gets_the_number_of_lost_lines() {
        let (reader, writer) = writer();
        let start = Instant::now();
        // More than the pipe, the thread's text and the buffer can hold.
        let count = 64 + 2 * COLLECTED / 1_024 + 500;
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..count / 4).for_each(|number| writer.write(&line(number))));
            }
        });
        let took = start.elapsed();
        assert!(took >= PATIENCE && took < PATIENCE * 30, "{took:?}");
        let lost = writer.lost();
        assert!(lost > 0, "{lost}");
        // No later write waits.
        let start = Instant::now();
        (0..40).for_each(|_| writer.write("one more\n"));
        assert!(start.elapsed() < PATIENCE * 30);
        let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
        let (mut numbers, mut told) = (0, 0);
        while told == 0 {
            let text = lines.next().unwrap();
            if let Some(number) = text.strip_prefix("fault=log-lost lines=") {
                told = number.parse().unwrap();
            } else {
                text.trim_end().parse::<usize>().unwrap();
                assert_eq!(text.len(), 1_023, "lines are whole");
                numbers += 1;
            }
        }
        assert_eq!(
            (told, numbers + told),
            (lost + 40, count as u64 / 4 * 4 + 40)
        );
        // From here on, writes work as before.
        writer.write("after\n");
        assert_eq!(lines.next().unwrap(), "after");
        assert_eq!(writer.lost(), lost + 40);
    }

    #[test]
    fn a_reader_that_continues_loses_no_line_and_each_writer_keeps_its_order() {
        let (reader, writer) = writer();
        let log = Arc::new(writer);
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                let log = log.clone();
                thread::spawn(move || {
                    (0..200).for_each(|number| {
                        log.write(&format!("{:<500}\n", format!("{writer} {number}")));
                    });
                })
            })
            .collect();
        thread::sleep(PATIENCE * 2);
        let mut seen = [0; 3];
        for text in BufReader::new(reader).lines().map(Result::unwrap).take(600) {
            let (writer, number) = text.trim_end().split_once(' ').unwrap();
            let next: &mut usize = &mut seen[writer.parse::<usize>().unwrap()];
            assert_eq!(number.parse::<usize>().unwrap(), *next);
            *next += 1;
        }
        assert_eq!((seen, log.lost()), ([200; 3], 0));
        for writer in writers {
            writer.join().unwrap();
        }
    }

    #[test]
    fn a_closed_reader_delays_no_writer() {
        let (reader, writer) = writer();
        drop(reader);
        let start = Instant::now();
        (0..1_000).for_each(|number| writer.write(&line(number)));
        assert!(start.elapsed() < PATIENCE * 30);
        assert!(!writer.shared.state().behind);
    }

    #[test]
    fn pieces_end_at_line_ends_if_possible() {
        assert_eq!(piece(b"a\nb"), 3);
        let long = [line(1), line(2), line(3), line(4), line(5)].concat();
        assert_eq!(piece(long.as_bytes()), 4_096);
        assert_eq!(piece(&long.as_bytes()[1..]), 4_095);
        assert_eq!(piece(&[b'x'; 5_000]), ATOMIC);
    }
}
