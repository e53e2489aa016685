//! Builds the events for defects of a file.
//!
//! # Limits
//! None.

use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, DbxDefect, StoreDetail};

/// Builds the event for a defect at an offset.
pub(super) fn damaged(at: u32, defect: DbxDefect) -> BoxEvent {
    let detail = BoxDetail::Store(StoreDetail::Dbx(defect));
    BoxEvent::new(BoxEventKind::Damaged, u64::from(at), detail)
}
