//! Resources that all servers of one process share.
//!
//! # Limits
//! Connections are counted for each server.

use crate::limits::Limits;
use crate::semaphore::Semaphore;
use crate::spool::Budget;
use std::sync::Arc;

/// Memory and files for messages while they arrive, and permits to process messages. Clones share them.
#[derive(Clone, Debug)]
pub struct Resources {
    pub(crate) budget: Arc<Budget>,
    pub(crate) semaphore: Arc<Semaphore>,
}

impl Resources {
    /// Creates resources with the `memory_bytes`, `spool_bytes` and `disk_reserve` of `limits`, and one permit for each processor.
    pub fn of(limits: &Limits) -> Self {
        Self {
            budget: Arc::new(Budget::of(limits)),
            semaphore: Arc::new(Semaphore::of_processors()),
        }
    }
}

/// The limits of one server, and the resources that it uses.
#[derive(Clone, Debug)]
pub struct Bounds {
    pub(crate) limits: Limits,
    pub(crate) resources: Resources,
}

impl Limits {
    /// Combines these limits with `resources` that servers share.
    pub fn sharing(self, resources: &Resources) -> Bounds {
        Bounds {
            limits: self,
            resources: resources.clone(),
        }
    }
}

impl From<Limits> for Bounds {
    /// Combines the limits with resources of their own.
    fn from(limits: Limits) -> Self {
        let resources = Resources::of(&limits);
        Self { limits, resources }
    }
}
