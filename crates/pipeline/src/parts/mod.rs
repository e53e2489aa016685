//! Normalizes an archive in parts, by any number of processes, and joins the parts.
//!
//! ```text
//! plan_parts ─► plan.json ─┬─► run_part 0 ─► OUTPUT.parts/000000.JOB/ ─┐
//!                          ├─► run_part 1 ─► OUTPUT.parts/000001.JOB/ ─┼─► commit_parts ─► OUTPUT, OUTPUT.ledger
//!                          └─► run_part 2 ─► …                         ┘
//! ```
//!
//! A *split* is a share of the inputs: a range of a mailbox or of the files of a folder, or whole small inputs. Its *part* is a folder with the results of the
//! loop, batch by batch, and a manifest. A part appears with one rename, so any number of processes may work on one split. Joining
//! hands the batches to the same sink as a normalization in one pass, so the outputs are the same bytes.
//!
//! `resume` does all three in one process, and continues with the parts that a killed process left.
//!
//! # Limits
//!
//! Schedules nothing and opens no connections. A container and a compressed mailbox are one split each. The parts need as
//! much space as the outputs until the outputs are in place.

mod commit;
mod counts;
mod identity;
mod layout;
mod manifest;
mod output_mark;
mod part_file;
mod plan;
mod resume;
mod run;
mod source_digest;
#[cfg(test)]
mod tests;
mod write_file;

pub use commit::{JoinedParts, commit_parts};
pub use layout::{UnfinishedParts, unfinished_parts};
pub use plan::{PartsPlan, SPLIT_SIZE, check_plan_place, plan_parts};
pub use resume::resume;
pub use run::{PartDone, run_part};
