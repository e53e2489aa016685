//! Reports objects of a repository that cannot be read.
//!
//! # Limits
//! After a thousand of them reading ends with an error.

use super::object_id::ObjectId;
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, StoreDetail};
use crate::error::ErrorKind;

/// Number of objects that may be damaged.
const MOST: usize = 1000;

/// Counts the objects of one kind that cannot be read.
pub(super) struct DamagedObjects {
    /// The kind for display: `commit` or `object`.
    kind: &'static str,
    count: usize,
}

impl DamagedObjects {
    pub(super) fn new(kind: &'static str) -> Self {
        Self { kind, count: 0 }
    }

    /// Adds the event for an object.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn report(
        &mut self,
        id: ObjectId,
        reason: &str,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), ErrorKind> {
        let kind = self.kind;
        self.count += 1;
        if self.count > MOST {
            let message = format!("more than {MOST} {kind}s cannot be read: {reason}");
            return Err(ErrorKind::Git(message));
        }
        let detail = BoxDetail::Store(StoreDetail::DamagedObject {
            object: format!("{kind} {id}"),
            reason: reason.to_owned(),
        });
        events.push(BoxEvent::new(BoxEventKind::Damaged, 0, detail));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_damaged_objects_are_an_error() {
        let id = ObjectId::parse(&[b'a'; 40]).unwrap();
        let (mut damaged, mut events) = (DamagedObjects::new("commit"), Vec::new());
        for _ in 0..MOST {
            damaged.report(id, "why", &mut events).unwrap();
        }
        assert_eq!(events.len(), MOST);
        let words = format!("commit {id} cannot be read: why");
        assert_eq!(events[0].detail.to_string(), words);
        let error = damaged.report(id, "why", &mut events).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("more than 1000 commits cannot be read: why")
        );
        assert_eq!(events.len(), MOST);
    }
}
