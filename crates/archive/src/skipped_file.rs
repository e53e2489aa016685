//! Builds the events for files that are not read.
//!
//! # Limits
//! None.

use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::entry_type::EntryType;
use crate::packing::Packing;

/// Returns the event for a link, a device, a pipe, a socket or a repeated folder in a folder.
pub(crate) fn not_followed(kind: EntryType, name: &[u8]) -> BoxEvent {
    let owned = || String::from_utf8_lossy(name).into_owned();
    let detail = match kind {
        EntryType::Dangling => BoxDetail::DanglingLink { name: owned() },
        EntryType::Repeated => BoxDetail::RepeatedFolder { name: owned() },
        _ => return special(kind == EntryType::Link, name),
    };
    BoxEvent::new(BoxEventKind::NotFollowed, 0, detail)
}

/// Returns the event for a link, or for a device, a pipe or a socket.
pub(crate) fn special(is_link: bool, name: &[u8]) -> BoxEvent {
    let name = String::from_utf8_lossy(name).into_owned();
    let detail = if is_link {
        BoxDetail::Link { name }
    } else {
        BoxDetail::SpecialFile { name }
    };
    BoxEvent::new(BoxEventKind::NotFollowed, 0, detail)
}

/// Returns the event for a file in a format that is not supported.
pub(crate) fn left_alone(packing: Packing, name: &[u8]) -> BoxEvent {
    let name = String::from_utf8_lossy(name).into_owned();
    let detail = BoxDetail::LeftPacked { packing, name };
    BoxEvent::new(BoxEventKind::Packed, 0, detail)
}

/// Returns the event for a file that begins with header fields, but whose name no known layout uses. `kept` is as for [`no_mail`].
pub(crate) fn mail_like(name: &[u8], kept: bool) -> BoxEvent {
    let name = String::from_utf8_lossy(name).into_owned();
    let detail = BoxDetail::MailLike { name, kept };
    BoxEvent::new(BoxEventKind::MailLike, 0, detail)
}

/// Returns the event for a file that is not mail. `kept` means that the ledger stores it as part of a tree of messages.
pub(crate) fn no_mail(name: &[u8], kept: bool) -> BoxEvent {
    let name = String::from_utf8_lossy(name).into_owned();
    BoxEvent::new(BoxEventKind::NoMail, 0, BoxDetail::NoMail { name, kept })
}
