//! The unit in which detection counts.
//!
//! # Limits
//! Costs are whole numbers.

/// Unit of all costs: this many make a factor of e in probability.
pub(crate) const NAT: u32 = 16;
