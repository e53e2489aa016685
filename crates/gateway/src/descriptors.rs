//! Raises the limit of open file descriptors, and computes how many a server needs.
//!
//! # Limits
//! Does not raise the hard limit. 64 descriptors are reserved for the log, listeners, ledgers and files of long messages.

use crate::limits::Limits;
use rustix::fs::{FileType, OFlags, Stat, fcntl_getfl, fstat, stat};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors beside those of connections: listeners, the log, files.
const BESIDE: u64 = 64;

/// Raises the soft limit of open descriptors (RLIMIT_NOFILE) to the hard limit. Returns the new limit. `None` if the system sets no limit.
///
/// The default soft limit is 1,024, for programs that use select(2). mailglot does not use it.
pub fn raise() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = Rlimit {
        current: maximum,
        maximum,
    };
    let raised = current != maximum && setrlimit(Resource::Nofile, wanted).is_ok();
    if raised { maximum } else { current }
}

/// Returns true if standard output was closed when the program started. Rust's runtime then opens `/dev/null` there, for reading and writing.
///
/// `>/dev/null` opens it for writing only, so it returns false. `<>/dev/null` cannot be distinguished from a closed one.
pub fn output_was_closed() -> bool {
    let output = std::io::stdout();
    let both = fcntl_getfl(&output).is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDWR);
    let device = |stat: Stat| {
        (FileType::from_raw_mode(stat.st_mode).is_char_device()).then_some(stat.st_rdev)
    };
    both && match (fstat(&output), stat("/dev/null")) {
        (Ok(output), Ok(nowhere)) => device(output).is_some() && device(output) == device(nowhere),
        _ => false,
    }
}

/// Returns the number of descriptors that a server needs with the maximum number of connections.
///
/// A connection of a proxy needs four: two each for client and next hop. A connection of a milter needs two.
pub fn needed(limits: &Limits, proxy: bool) -> u64 {
    let each = if proxy { 4 } else { 2 };
    (limits.connections as u64)
        .saturating_mul(each)
        .saturating_add(BESIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_hard_one_from_then_on() {
        let most = raise();
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        assert_eq!((current, most), (maximum, maximum));
        assert_eq!(raise(), most);
    }

    #[test]
    fn the_usual_limits_need_more_than_1024() {
        let limits = Limits::default();
        assert_eq!(
            (needed(&limits, false), needed(&limits, true)),
            (2_064, 4_064)
        );
        let none = Limits {
            connections: usize::MAX,
            ..limits
        };
        assert_eq!(needed(&none, true), u64::MAX);
    }
}
