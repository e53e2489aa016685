//! Keeps disk space free while outputs grow.
//!
//! # Limits
//! Checks after every 16 MiB, so small outputs can fill a disk. Does not track other writers.

use crate::error::ErrorKind;
use rustix::fs::{StatVfs, fstatvfs};
use std::io;
use std::os::fd::AsFd;

/// Bytes to keep free, as for the gateway's spool. On a small disk, a twentieth of its size.
const RESERVE: u64 = 256 << 20;
const SMALL: u64 = 20;
/// Bytes written between two checks.
const STEP: u64 = 16 << 20;

/// Checks how much space a growing output leaves free.
#[derive(Debug)]
pub(crate) struct FreeSpace {
    /// Bytes that may be written before the next check.
    left: u64,
}

impl FreeSpace {
    pub(crate) fn new() -> Self {
        Self { left: STEP }
    }

    /// Counts bytes written to a file, or to the file system of a folder.
    ///
    /// # Errors
    /// Less space is free than must stay free.
    pub(crate) fn wrote(&mut self, bytes: u64, place: impl AsFd) -> io::Result<()> {
        self.left = self.left.saturating_sub(bytes);
        if self.left > 0 {
            return Ok(());
        }
        self.left = STEP;
        // No limit applies on a file system that does not report its free space.
        fstatvfs(place).map_or(Ok(()), |disk| enough(&disk))
    }
}

fn enough(disk: &StatVfs) -> io::Result<()> {
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    let (free, all) = (bytes(disk.f_bavail), bytes(disk.f_blocks));
    let reserve = RESERVE.min(all / SMALL);
    if free >= reserve {
        return Ok(());
    }
    let kind = ErrorKind::LittleSpace {
        free: free >> 20,
        reserve: reserve >> 20,
    };
    Err(kind.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserve_depends_on_disk_size() {
        let mut disk = rustix::fs::statvfs("/").unwrap();
        disk.f_frsize = 4096;
        // Size in MiB, free MiB, and whether that is enough.
        for (all, free, is_enough) in [
            (1_000_000, 256, true),
            (1_000_000, 255, false),
            (2_000, 100, true),
            (2_000, 99, false),
            (64, 4, true),
        ] {
            (disk.f_blocks, disk.f_bavail) = (all << 8, free << 8);
            assert_eq!(enough(&disk).is_ok(), is_enough, "{all} {free}");
        }
    }

    #[test]
    fn free_space_is_checked_periodically() {
        let folder = std::fs::File::open("/").unwrap();
        let mut room = FreeSpace::new();
        for _ in 0..100 {
            room.wrote(STEP / 3, &folder).unwrap();
            assert!(room.left > 0 && room.left <= STEP);
        }
    }
}
