//! Limits how many bytes a container, and each member of it, may decompress to, and how many members are kept in memory.
//!
//! # Limits
//! Bytes are counted in steps of 16 KiB, so a limit is exceeded by at most one step.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of decompressed bytes that are exempt from the limit: less than a second's work, and less than the free space of any disk.
pub(crate) const FREE: u64 = 64 << 20;

/// Number of decompressed bytes of each compressed message file that are exempt from the limit. It is smaller than [`FREE`], because a Maildir
/// may have thousands of such files.
pub(crate) const FREE_IN_MESSAGE: u64 = 1 << 20;

/// Largest number of members and folders in memory, of a container on a disk and of all containers in it.
pub(crate) const MOST_MEMBERS: u64 = 1_000_000;

/// The decompressed bytes of a container on a disk, and of all containers in it.
#[derive(Debug)]
pub(crate) struct ExpansionBudget {
    limit: u64,
    used: Mutex<UsedBytes>,
    /// Number of members in memory.
    members: AtomicU64,
}

/// Bytes decompressed so far. A member that is read again counts once.
#[derive(Debug, Default)]
struct UsedBytes {
    all: u64,
    /// The largest number of bytes read of each member, by the hash of its path.
    members: HashMap<u64, u64>,
}

impl ExpansionBudget {
    /// Allows `ratio` bytes for each of `size` bytes.
    pub(crate) fn new(size: u64, ratio: u64) -> Arc<Self> {
        Arc::new(Self {
            limit: size.saturating_mul(ratio).max(FREE),
            used: Mutex::default(),
            members: AtomicU64::new(0),
        })
    }

    /// Counts a member that is kept in memory. Returns false beyond [`MOST_MEMBERS`].
    pub(crate) fn keep_member(&self) -> bool {
        let is_kept = self.members.fetch_add(1, Ordering::Relaxed) < MOST_MEMBERS;
        if !is_kept {
            self.forget_members(1);
        }
        is_kept
    }

    /// Counts members that are no longer in memory.
    pub(crate) fn forget_members(&self, count: u64) {
        self.members.fetch_sub(count, Ordering::Relaxed);
    }

    /// Starts to count the bytes of a member. `member` tells members apart.
    pub(crate) fn meter(self: &Arc<Self>, member: impl Hash) -> Meter {
        let mut hasher = DefaultHasher::new();
        member.hash(&mut hasher);
        Meter {
            budget: self.clone(),
            member: hasher.finish(),
            given: 0,
        }
    }
}

/// Counts the decompressed bytes of one member.
#[derive(Debug)]
pub(crate) struct Meter {
    budget: Arc<ExpansionBudget>,
    member: u64,
    given: u64,
}

impl Meter {
    /// Counts bytes. Returns false if the container exceeds its limit.
    pub(crate) fn count(&mut self, bytes: u64) -> bool {
        self.given += bytes;
        let mut used = self
            .budget
            .used
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let most = used.members.entry(self.member).or_default();
        let more = self.given.saturating_sub(*most);
        *most += more;
        used.all += more;
        used.all <= self.budget.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_share_a_budget_and_count_once() {
        let budget = ExpansionBudget::new(1 << 20, 100);
        let limit = 100 << 20;
        for _ in 0..3 {
            // Read again, a member counts as before.
            assert!(budget.meter("a").count(limit / 2));
            assert!(budget.meter("b").count(limit / 2));
        }
        assert!(!budget.meter("c").count(1));
        let mut a = budget.meter("a");
        assert!(!a.count(1) && a.given == 1);
        assert!(ExpansionBudget::new(1, 1).meter("a").count(FREE));
        assert!(!ExpansionBudget::new(1, 1).meter("a").count(FREE + 1));
    }
}
