//! How many descriptors a process may open, and how many its servers need.
//!
//! # Limits
//! What a supervisor has bound hard stays so. Files of the ledger and of long messages are opened for a moment, and 64 descriptors are kept for them.

use crate::limits::Limits;
use rustix::fs::{FileType, OFlags, Stat, fcntl_getfl, fstat, stat};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors beside those of connections: listeners, the log, files.
const BESIDE: u64 = 64;

/// Raises the bound of this process as far as it may by itself; how many descriptors it may have then, none where that is not bounded.
///
/// Programs that count descriptors in sets of 1,024 are why the usual bound is low; there is none of them here.
pub fn raise() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = Rlimit {
        current: maximum,
        maximum,
    };
    let raised = current != maximum && setrlimit(Resource::Nofile, wanted).is_ok();
    if raised { maximum } else { current }
}

/// Returns true if standard output was closed when the program started: the runtime puts `/dev/null` there then, to be read and written. Who throws
/// output away opens it to be written (`>/dev/null`); one who opens it for both cannot be told from one who closed it.
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

/// How many are needed where all connections of a server are taken: those of a proxy have a client and a next hop, each seen from two
/// sides, and those of a filter a server.
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
