//! Names the process that writes a temporary file, so that a later process finds out whether it still runs.
//!
//! A process number alone is not enough. The number of a killed process may belong to another one now, as number 1 always does in a
//! container. So the name has a digest of the boot and of the time at which the process started, too: `4711-5f1c09a2b3d4e678`.
//!
//! # Limits
//! Without `/proc`, a process is known by its number only. A process of another container counts as ended: the lock of a file protects what
//! it writes.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// A process as a temporary name has it: `4711-5f1c09a2b3d4e678`, or `4711` in names of earlier versions and without `/proc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterProcess {
    id: u32,
    /// Digest of the boot and of the start of the process.
    start: Option<u64>,
}

impl WriterProcess {
    /// Returns this process.
    pub fn own() -> Self {
        static START: LazyLock<Option<u64>> =
            LazyLock::new(|| start_digest(&stat(std::process::id())?));
        Self {
            id: std::process::id(),
            start: *START,
        }
    }

    /// Parses the text of [`Display`](fmt::Display).
    pub fn parse(text: &str) -> Option<Self> {
        let (id, start) = match text.split_once('-') {
            Some((id, start)) if start.len() == 16 => {
                (id, Some(u64::from_str_radix(start, 16).ok()?))
            }
            Some(_) => return None,
            None => (text, None),
        };
        Some(Self {
            id: id.parse().ok()?,
            start,
        })
    }

    /// Returns the process number.
    pub(crate) fn id(self) -> u32 {
        self.id
    }

    /// Returns true if this process, or another one of its number, wrote the name.
    pub fn has_own_number(self) -> bool {
        self.id == std::process::id()
    }

    /// Returns true if the process runs on this machine. A zombie does not run.
    pub fn is_alive(self) -> bool {
        let Some(stat) = stat(self.id) else {
            return self.has_own_number() || Path::new(&format!("/proc/{}", self.id)).exists();
        };
        let is_same = match (self.start, start_digest(&stat)) {
            (Some(own), Some(now)) => own == now,
            // The number is all that is known.
            _ => true,
        };
        is_same && !matches!(stat.state, b'Z' | b'X')
    }
}

impl fmt::Display for WriterProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        self.start
            .map_or(Ok(()), |start| write!(f, "-{start:016x}"))
    }
}

/// The fields of `/proc/PID/stat` that are used (proc_pid_stat(5)).
struct ProcessStat {
    /// `Z` for a zombie.
    state: u8,
    /// Clock ticks between the boot and the start of the process.
    start: u64,
}

/// Reads the state of a process. Returns `None` without `/proc` or without such a process.
fn stat(process: u32) -> Option<ProcessStat> {
    parse_stat(&fs::read(format!("/proc/{process}/stat")).ok()?)
}

fn parse_stat(stat: &[u8]) -> Option<ProcessStat> {
    // The name of the program, in parentheses, may contain spaces and parentheses.
    let name_end = memchr::memrchr(b')', stat)?;
    let fields = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
    let mut fields = fields.split_ascii_whitespace();
    Some(ProcessStat {
        state: *fields.next()?.as_bytes().first()?,
        // State is field 3, and the start is field 22.
        start: fields.nth(18)?.parse().ok()?,
    })
}

/// Returns a digest of the boot and of the start of a process. Returns `None` if the system does not name the boot.
fn start_digest(stat: &ProcessStat) -> Option<u64> {
    static BOOT: LazyLock<Option<Vec<u8>>> =
        LazyLock::new(|| fs::read("/proc/sys/kernel/random/boot_id").ok());
    let mut text = BOOT.clone()?;
    text.extend_from_slice(&stat.start.to_le_bytes());
    let digest = blake3::hash(&text);
    digest
        .as_bytes()
        .first_chunk()
        .map(|first| u64::from_le_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn processes_are_parsed() {
        let parse = WriterProcess::parse;
        assert_eq!(parse("7"), Some(WriterProcess { id: 7, start: None }));
        let (id, start) = (7, Some(0xab));
        assert_eq!(
            parse("7-00000000000000ab"),
            Some(WriterProcess { id, start })
        );
        let own = WriterProcess::own();
        assert_eq!(parse(&own.to_string()), Some(own));
        for text in ["", "x", "7-", "7-ab", "7-00000000000000xy", "-7"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn fields_follow_the_name_of_the_program() {
        let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
        for (line, expected) in [
            (format!("9 (sh) S {rest}"), Some((b'S', 4711))),
            (format!("9 (a) Z (b) Z {rest}"), Some((b'Z', 4711))),
            ("9 (sh) S 1 2".to_owned(), None),
            (String::new(), None),
        ] {
            let stat = parse_stat(line.as_bytes()).map(|stat| (stat.state, stat.start));
            assert_eq!(stat, expected, "{line}");
        }
    }

    #[test]
    fn a_zombie_and_another_process_of_the_number_do_not_run() {
        let own = WriterProcess::own();
        assert!(own.is_alive());
        let earlier = |process: WriterProcess| WriterProcess {
            start: process.start.map(|start| !start),
            ..process
        };
        // The first process of a container has always the same number.
        assert!(!earlier(own).is_alive());
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let id = child.id();
        let start = stat(id).and_then(|stat| start_digest(&stat));
        assert!(start.is_some());
        let running = WriterProcess { id, start };
        let of_old_name = WriterProcess { id, start: None };
        assert!(running.is_alive() && of_old_name.is_alive());
        assert!(!earlier(running).is_alive());
        child.kill().unwrap();
        while stat(id).is_some_and(|stat| stat.state != b'Z') {
            std::thread::yield_now();
        }
        // Nobody has waited for it.
        assert!(!running.is_alive() && !of_old_name.is_alive());
        child.wait().unwrap();
        assert!(!running.is_alive());
    }
}
