//! What all servers of one process share.
//!
//! # Limits
//! Connections are counted for each server.

use crate::limits::Limits;
use crate::semaphore::Semaphore;
use crate::spool::Budget;
use std::sync::Arc;

/// Memory and files for messages while they arrive, and turns at the processors. Clones share them.
#[derive(Clone, Debug)]
pub struct Resources {
    pub(crate) budget: Arc<Budget>,
    pub(crate) semaphore: Arc<Semaphore>,
}

impl Resources {
    /// As much as `limits` allow: `memory_bytes`, `spool_bytes`, `disk_reserve`; and as many turns as there are processors.
    pub fn of(limits: &Limits) -> Self {
        Self {
            budget: Arc::new(Budget::of(limits)),
            semaphore: Arc::new(Semaphore::of_processors()),
        }
    }
}

/// The limits of one server, and the resources that it takes from.
#[derive(Clone, Debug)]
pub struct Bounds {
    pub(crate) limits: Limits,
    pub(crate) resources: Resources,
}

impl Limits {
    /// These limits for a server that shares `resources` with others.
    pub fn sharing(self, resources: &Resources) -> Bounds {
        Bounds {
            limits: self,
            resources: resources.clone(),
        }
    }
}

impl From<Limits> for Bounds {
    /// A server with these limits that shares nothing.
    fn from(limits: Limits) -> Self {
        let resources = Resources::of(&limits);
        Self { limits, resources }
    }
}
