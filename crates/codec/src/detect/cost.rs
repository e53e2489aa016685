//! Defines the unit of costs in detection.
//!
//! # Limits
//! Costs are integers.

/// Unit of all costs: this many make a factor of e in probability.
pub(crate) const NAT: u32 = 16;
